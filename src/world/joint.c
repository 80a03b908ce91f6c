/* Joints between steps: what there is on the host, and the arrays that the device has of it. */
#include "scene/check.h"
#include "world/image.h"

#include <math.h>
#include <string.h>

#define SOFTNESS 1e-12 /* of hard rows, of their own diagonal: what redundant ones stand on */

/* --- making and freeing ---------------------------------------------------------------------- */

void tl_mechanism_init(tl_mechanism *m)
{
    m->joints.item = sizeof(tl_joint_entry);
    m->made.item = sizeof(tlk_joint);
    m->bodies.item = sizeof(tl_joint_bodies);
    m->axes.item = sizeof(tlk_joint_axis);
    m->owners.item = sizeof(tl_joint_axis);
    m->targets.item = m->numbers.item = sizeof(double);
    m->body_ids.item = m->mover_ids.item = m->row_list.item = sizeof(uint32_t);
    m->mover_of.item = sizeof(uint32_t);
    m->attached.item = sizeof(tlk_attached);
    tl_elimination_init(&m->elimination);
}

void tl_mechanism_free(tl_backend *b, tl_mechanism *m)
{
    tl_joint_entry *joints = m->joints.data;
    tl_buffer *buffers[] = {
        &m->joint,      &m->axis,      &m->target,    &m->number,  &m->articulation, &m->how,
        &m->list,       &m->node,      &m->node_body, &m->mover,   &m->link,         &m->update,
        &m->jacobian,   &m->block,     &m->x,         &m->law,     &m->lambda,       &m->bend,
        &m->base,       &m->soft,      &m->value,     &m->anchor,  &m->pull,         &m->part,
        &m->aim,        &m->memory[0], &m->memory[1], &m->account, &m->reading,      &m->next_pos,
        &m->mover_part, &m->next_quat, &m->distance,  &m->source,  &m->attach,       &m->level,
        &m->run,        &m->piece,     &m->columns,   &m->turned,  &m->divisor,      &m->joined,
        &m->worked};
    tl_array *arrays[] = {&m->joints,    &m->made,     &m->bodies,   &m->axes,
                          &m->owners,    &m->targets,  &m->numbers,  &m->body_ids,
                          &m->mover_ids, &m->mover_of, &m->row_list, &m->attached};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && b; i++)
        tl_buffer_free(b, buffers[i]);
    for (size_t i = 0; i < m->joints.count; i++)
        tl_joint_rec_free(&joints[i].rec);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_elimination_free(&m->elimination);
}

/* The joint with a handle among so many, or NULL. */
static tl_joint_entry *find_among(tl_joint_entry *joints, size_t count, uint32_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (joints[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && joints[low].id == id ? &joints[low] : NULL;
}

tl_joint_entry *tl_joint_find(const tl_world *w, tl_joint joint)
{
    return find_among(w->mechanism.joints.data, w->mechanism.joints.count, joint.index);
}

/* --- a joint as the device has it ------------------------------------------------------------ */

static double bounded(double x)
{
    return x > TLK_ENDLESS ? TLK_ENDLESS : x < -TLK_ENDLESS ? -TLK_ENDLESS : x;
}

/* Appends what an axis has; its place among axes. */
static tl_status add_axis(tl_mechanism *m, uint32_t joint, uint32_t k, const tl_axis_def *a,
                          uint32_t *place)
{
    const tl_joint_axis owner = {joint, k};
    const double none[2] = {0, 0};
    tlk_joint_axis axis = {.lower = bounded(a->lower),
                           .upper = bounded(a->upper),
                           .restitution = a->restitution,
                           .friction = a->friction,
                           .stiffness = a->stiffness,
                           .damping = a->damping,
                           .rest = a->rest,
                           .limit = bounded(a->limit),
                           .drive = a->drive,
                           .table = (uint32_t)m->numbers.count,
                           .length = (uint32_t)a->spring_length};
    *place = (uint32_t)m->axes.count;
    if (m->numbers.count + 2 * a->spring_length > UINT32_MAX)
        return tl_fail(TL_TOO_LARGE, "joints: tables of springs have more than 2^32 numbers");
    TL_TRY(tl_array_append(&m->numbers, a->spring_values, a->spring_length));
    TL_TRY(tl_array_append(&m->numbers, a->spring_forces, a->spring_length));
    axis.least = tl_spring_least(m->numbers.data, &axis);
    TL_TRY(tl_array_append(&m->owners, &owner, 1));
    TL_TRY(tl_array_append(&m->targets, none, 2));
    m->driven += a->drive != TL_DRIVE_NONE;
    m->thrown = m->thrown || a->restitution > 0;
    return tl_array_append(&m->axes, &axis, 1);
}

static void add_row(tlk_joint *j, uint32_t row, double zero)
{
    j->row[j->rows] = row;
    j->zero[j->rows] = zero;
    j->axis[j->rows++] = TLK_NONE;
}

/* The rows of a joint: what it locks, what it couples, then what axes have. */
static tl_status lay_rows(tl_mechanism *m, uint32_t place, const tl_joint_entry *joint,
                          tlk_joint *j)
{
    const tl_joint_def *def = &joint->rec.def;
    bool locked[TL_JOINT_AXES];
    tl_joint_locks(def, locked);
    for (uint32_t k = 0; k < TL_JOINT_AXES; k++)
        if (locked[k])
            add_row(j, k, 0);
    switch (def->kind) {
    case TL_JOINT_DISTANCE:
        add_row(j, TLK_ROW_DISTANCE, def->length);
        if (tl_axis_acts(&def->axes[0])) /* then its length is where the spring is at rest */
            TL_TRY(add_axis(m, place, 0, &def->axes[0], &j->axis[0]));
        j->bounded = j->axis[0] != TLK_NONE;
        break;
    case TL_JOINT_REVOLUTE_SPHERICAL:
        add_row(j, TLK_ROW_DISTANCE, def->length);
        add_row(j, TLK_ROW_ACROSS, 0);
        break;
    case TL_JOINT_GEAR:
    case TL_JOINT_RACK: add_row(j, TLK_ROW_COUPLED, 0); break;
    case TL_JOINT_SCREW: add_row(j, TLK_ROW_SCREW, 0); break;
    case TL_JOINT_PULLEY: add_row(j, TLK_ROW_PULLEY, def->length); break;
    default: break;
    }
    if (joint->measured)
        memcpy(j->zero, joint->zero, sizeof j->zero);
    for (uint32_t k = 0; k < TL_JOINT_AXES && tl_joint_has_axes(def->kind); k++) {
        if (locked[k] || !tl_axis_acts(&def->axes[k]))
            continue;
        j->row[j->rows] = k;
        j->bounded = 1;
        TL_TRY(add_axis(m, place, k, &def->axes[k], &j->axis[j->rows++]));
    }
    j->bounded = j->bounded || def->rope;
    m->bounded = m->bounded || j->bounded;
    return TL_OK;
}

bool tl_joint_as_found(const tl_joint_def *def, uint32_t row)
{
    return row == TLK_ROW_COUPLED || row == TLK_ROW_SCREW ||
           ((row == TLK_ROW_DISTANCE || row == TLK_ROW_PULLEY) && def->length == 0);
}

/* The place of a body among those that a joint acts on; the ground has none. */
static uint32_t body_place(tlk_joint *j, tl_joint_bodies *bodies, uint32_t id)
{
    if (!id)
        return TLK_NONE;
    for (uint32_t k = 0; k < j->bodies; k++)
        if (bodies->id[k] == id)
            return k;
    bodies->id[j->bodies] = id;
    return j->bodies++;
}

/* A frame as the device has it: in the frame of the body's mass. */
static void place_frame(const tl_world *w, uint32_t id, const double position[3],
                        const double orientation[4], double at[3], double turn[4])
{
    const tl_origin *origin = id ? tl_origin_of(&w->origins, id) : NULL;
    memcpy(at, position, 3 * sizeof *at);
    memcpy(turn, orientation, 4 * sizeof *turn);
    if (origin)
        tl_origin_frame(origin, at, turn);
}

/* Bodies and frames. Couplings act on the bodies of the joints that they couple. */
static void place_bodies(const tl_world *w, const tl_joint_entry *joint, tlk_joint *j,
                         tl_joint_bodies *bodies)
{
    const tl_joint_def *def = &joint->rec.def;
    const uint32_t ids[2] = {def->a.index, def->b.index};
    const tl_joint_entry *first = w->mechanism.joints.data;
    for (int s = 0; s < 2; s++) {
        j->side[s] = j->coupled[s] = j->place[0][s] = j->place[1][s] = TLK_NONE;
        if (!tl_joint_is_coupling(def->kind))
            j->side[s] = body_place(j, bodies, ids[s]);
    }
    place_frame(w, ids[0], def->position_a, def->orientation_a, j->at[0], j->turn[0]);
    place_frame(w, ids[1], def->position_b, def->orientation_b, j->at[1], j->turn[1]);
    for (int c = 0; c < 2 && tl_joint_is_coupling(def->kind); c++) {
        const tl_joint_entry *other = tl_joint_find(w, def->coupled[c]);
        j->coupled[c] = (uint32_t)(other - first);
        j->coordinate[c] = c && def->kind == TL_JOINT_RACK ? 2 : 5;
        j->place[c][0] = body_place(j, bodies, other->rec.def.a.index);
        j->place[c][1] = body_place(j, bodies, other->rec.def.b.index);
        j->broken = j->broken || other->memory.broken;
    }
}

/* One more joint for the device; its rows and bodies are known then, its nodes are not. */
static tl_status make_joint(tl_world *w, uint32_t place)
{
    tl_mechanism *m = &w->mechanism;
    const tl_joint_entry *joint = (tl_joint_entry *)m->joints.data + place;
    const tl_joint_def *def = &joint->rec.def;
    tlk_joint made = {.first = m->rows,
                      .rope = def->rope,
                      .ratio = def->ratio,
                      .broken = joint->memory.broken,
                      .break_force = bounded(def->break_force),
                      .break_torque = bounded(def->break_torque)};
    tl_joint_bodies bodies = {{0}};
    memcpy(made.anchor, def->anchors, sizeof made.anchor);
    for (uint32_t k = 0; k < TLK_JOINT_BODIES; k++)
        made.node[k] = TLK_NONE;
    TL_TRY(lay_rows(m, place, joint, &made));
    place_bodies(w, joint, &made, &bodies);
    made.jacobian = m->numbers_of_rows;
    m->numbers_of_rows += 6 * made.bodies * made.rows;
    m->rows += made.rows;
    TL_TRY(tl_array_append(&m->bodies, &bodies, 1));
    return tl_array_append(&m->made, &made, 1);
}

/* --- all of them ----------------------------------------------------------------------------- */

/* Handles of bodies with joints, once each; `seen` has a number per handle: 1 + its place among the
 * dynamic ones, or TLK_NONE for another that is in the list already. */
static tl_status list_bodies(tl_world *w, uint32_t *seen)
{
    tl_mechanism *m = &w->mechanism;
    const tlk_joint *made = m->made.data;
    const tl_joint_bodies *bodies = m->bodies.data;
    for (size_t i = 0; i < m->made.count; i++)
        for (uint32_t k = 0; k < made[i].bodies; k++) {
            const uint32_t id = bodies[i].id[k];
            if (!seen[id - 1])
                TL_TRY(tl_array_append(&m->mover_ids, &id, 1));
            seen[id - 1] = seen[id - 1] ? seen[id - 1] : TLK_NONE;
            if (seen[id - 1] != TLK_NONE || made[i].broken || !made[i].rows ||
                ((const uint32_t *)w->row_of.data)[id - 1] >= w->dynamic)
                continue;
            TL_TRY(tl_array_append(&m->body_ids, &id, 1));
            seen[id - 1] = (uint32_t)m->body_ids.count;
        }
    return TL_OK;
}

/* The graph of joints that hold something, and which they are. */
static tl_status list_graph(tl_world *w, const uint32_t *seen, tl_array *graph, tl_array *which)
{
    tl_mechanism *m = &w->mechanism;
    tlk_joint *made = m->made.data;
    const tl_joint_bodies *bodies = m->bodies.data;
    for (uint32_t i = 0; i < m->made.count; i++) {
        tl_graph_joint g = {.rows = made[i].rows};
        if (made[i].broken || !made[i].rows)
            continue;
        for (uint32_t k = 0; k < made[i].bodies; k++) {
            const uint32_t place = seen[bodies[i].id[k] - 1];
            if (place && place != TLK_NONE)
                g.body[g.bodies++] = place - 1;
        }
        TL_TRY(tl_array_append(graph, &g, 1));
        TL_TRY(tl_array_append(which, &i, 1));
    }
    return TL_OK;
}

/* Joints by body: where those of each node are, and they. */
static tl_status attach(tl_world *w, const uint32_t *seen, const uint32_t *which, size_t count)
{
    tl_mechanism *m = &w->mechanism;
    const tlk_joint *made = m->made.data;
    const tl_joint_bodies *bodies = m->bodies.data;
    const uint32_t *places = m->elimination.places.data;
    tlk_node *nodes = m->elimination.nodes.data;
    uint32_t at = 0;
    for (int fill = 0; fill < 2; fill++) {
        for (size_t g = 0; g < count; g++)
            for (uint32_t k = 0; k < made[which[g]].bodies; k++) {
                const uint32_t place = seen[bodies[which[g]].id[k] - 1];
                if (!place || place == TLK_NONE)
                    continue;
                tlk_node *node = &nodes[places[place - 1]];
                if (fill)
                    ((tlk_attached *)m->attached.data)[node->attached_end] =
                        (tlk_attached){which[g], k};
                node->attached_end++;
            }
        for (size_t i = 0; i < m->elimination.nodes.count && !fill; i++) {
            const uint32_t own = nodes[i].attached_end;
            nodes[i].attached = nodes[i].attached_end = at;
            at += own;
        }
        TL_TRY(tl_array_resize(&m->attached, at));
    }
    return TL_OK;
}

/* What the elimination says, in terms of the device's joints. */
static void apply_elimination(tl_world *w, const uint32_t *seen, const uint32_t *which,
                              size_t count)
{
    tl_mechanism *m = &w->mechanism;
    tl_elimination *e = &m->elimination;
    tlk_joint *made = m->made.data;
    tlk_node *nodes = e->nodes.data;
    const tl_joint_bodies *bodies = m->bodies.data;
    const tl_graph_block *blocks = e->blocks.data;
    const uint32_t *places = e->places.data;
    const size_t alone = m->body_ids.count;
    for (size_t g = 0; g < count; g++) {
        tlk_joint *j = &made[which[g]];
        const tlk_node *own = &nodes[places[alone + g]];
        j->own = own->block;
        j->vector = own->vector;
        for (uint32_t k = 0, at = 0; k < j->bodies; k++) {
            const uint32_t place = seen[bodies[which[g]].id[k] - 1];
            if (!place || place == TLK_NONE)
                continue;
            const tlk_node *body = &nodes[places[place - 1]];
            const tl_graph_block *block = &blocks[TLK_JOINT_BODIES * g + at++];
            j->node[k] = body->vector;
            j->block[k] = block->block;
            j->across[k] = block->across;
        }
    }
    for (size_t i = 0; i < e->nodes.count; i++)
        if (nodes[i].joint != TLK_NONE)
            nodes[i].joint = which[nodes[i].joint];
    uint32_t *list = e->list.data;
    tlk_articulation *all = e->articulations.data;
    for (size_t i = 0; i < e->list.count; i++)
        list[i] = which[list[i]];
    for (size_t i = 0; i < e->articulations.count; i++)
        for (uint32_t k = all[i].joint; k < all[i].joint_end; k++) {
            const tlk_joint *j = made + list[k];
            all[i].bounded = all[i].bounded || j->bounded;
            all[i].rods = all[i].rods || (j->row[0] == TLK_ROW_DISTANCE && j->axis[0] == TLK_NONE);
            made[list[k]].articulation = (uint32_t)i;
        }
}

/* Articulations of all bodies with joints. */
static tl_status part_movers(tl_mechanism *m, const uint32_t *seen)
{
    const tlk_articulation *all = m->elimination.articulations.data;
    const uint32_t *places = m->elimination.places.data, *movers = m->mover_ids.data;
    TL_TRY(tl_array_resize(&m->mover_of, m->mover_ids.count));
    for (size_t i = 0; i < m->mover_ids.count; i++) {
        const uint32_t body = seen[movers[i] - 1];
        uint32_t low = 0, high = (uint32_t)m->elimination.articulations.count;
        while (body != TLK_NONE && low + 1 < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (all[middle].node <= places[body - 1])
                low = middle;
            else
                high = middle;
        }
        ((uint32_t *)m->mover_of.data)[i] = body != TLK_NONE ? low : TLK_NONE;
    }
    return TL_OK;
}

static tl_status eliminate(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    const size_t bytes = w->row_of.count * sizeof(uint32_t);
    tl_array graph = {.item = sizeof(tl_graph_joint)}, which = {.item = sizeof(uint32_t)};
    uint32_t *seen = tl_alloc_zero(bytes);
    tl_status status = seen || !bytes ? list_bodies(w, seen) : TL_NO_MEMORY;
    if (status == TL_OK)
        status = list_graph(w, seen, &graph, &which);
    tl_elimination_free(&m->elimination);
    if (status == TL_OK)
        status = tl_eliminate((uint32_t)m->body_ids.count, graph.data, (uint32_t)graph.count,
                              &m->elimination);
    if (status == TL_OK)
        status = attach(w, seen, which.data, which.count);
    if (status == TL_OK)
        status = part_movers(m, seen);
    if (status == TL_OK)
        apply_elimination(w, seen, which.data, which.count);
    tl_array_free(&graph);
    tl_array_free(&which);
    tl_free(seen, bytes);
    return status;
}

static tl_status to_device(tl_backend *b, tl_buffer *to, const tl_array *from)
{
    TL_TRY(tl_buffer_need(b, to, from->count * from->item));
    if (from->count)
        b->ops->upload(b, to->data, from->data, from->count * from->item);
    return TL_OK;
}

/* Rows of bodies, for joints, nodes and the list of all that move. */
static tl_status upload_rows(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const uint32_t *row_of = w->row_of.data, *items = m->elimination.items.data;
    const uint32_t *ids = m->body_ids.data, *movers = m->mover_ids.data;
    const size_t nodes = m->elimination.items.count;
    TL_TRY(tl_array_resize(&m->row_list, nodes > m->mover_ids.count ? nodes : m->mover_ids.count));
    uint32_t *rows = m->row_list.data;
    tlk_joint *made = m->made.data;
    for (size_t i = 0; i < m->made.count; i++)
        for (uint32_t k = 0; k < made[i].bodies; k++)
            made[i].body[k] = row_of[((const tl_joint_bodies *)m->bodies.data)[i].id[k] - 1];
    TL_TRY(to_device(b, &m->joint, &m->made));
    m->row_list.count = nodes;
    for (size_t i = 0; i < nodes; i++)
        rows[i] = items[i] < m->body_ids.count ? row_of[ids[items[i]] - 1] : TLK_NONE;
    TL_TRY(to_device(b, &m->node_body, &m->row_list));
    TL_TRY(tl_buffer_need(b, &m->joined, w->rows));
    b->ops->fill(b, m->joined.data, 0, w->rows);
    tl_run(b, TLK_joint_mark, (uint32_t)nodes,
           &(tlk_joined_bodies){.node_body = m->node_body.data, .joined = m->joined.data});
    m->row_list.count = m->mover_ids.count;
    for (size_t i = 0; i < m->mover_ids.count; i++)
        rows[i] = row_of[movers[i] - 1];
    TL_TRY(to_device(b, &m->mover, &m->row_list));
    m->moved = false;
    return TL_OK;
}

/* Buffers that steps fill. */
static tl_status rooms(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const size_t real = sizeof(double), rows = m->rows, count = m->joints.count;
    TL_TRY(tl_buffer_need(b, &m->how, m->articulations * sizeof(tlk_articulated)));
    TL_TRY(tl_buffer_need(b, &m->distance, m->articulations * real));
    TL_TRY(tl_buffer_need(b, &m->jacobian, m->numbers_of_rows * real));
    TL_TRY(tl_buffer_need(b, &m->block, m->elimination.block_size * real));
    TL_TRY(tl_buffer_need(b, &m->x, m->elimination.vector_size * real));
    TL_TRY(tl_buffer_need(b, &m->law, rows * sizeof(tlk_law)));
    TL_TRY(tl_buffer_need(b, &m->part, rows));
    TL_TRY(tl_buffer_need(b, &m->aim, rows * real));
    TL_TRY(tl_buffer_need(b, &m->lambda, rows * real));
    TL_TRY(tl_buffer_need(b, &m->bend, rows * real));
    TL_TRY(tl_buffer_need(b, &m->base, rows * real));
    TL_TRY(tl_buffer_need(b, &m->soft, rows * real));
    TL_TRY(tl_buffer_need(b, &m->value, rows * real));
    TL_TRY(tl_buffer_need(b, &m->worked, rows * real));
    b->ops->fill(b, m->worked.data, 0, rows * real); /* read before a step, too, as accounts are */
    TL_TRY(tl_buffer_need(b, &m->anchor, 3 * TLK_JOINT_BODIES * count * real));
    /* joints that couple others have no anchors, and steps write none */
    b->ops->fill(b, m->anchor.data, 0, 3 * TLK_JOINT_BODIES * count * real);
    TL_TRY(tl_buffer_need(b, &m->pull, TLK_PULL * TLK_JOINT_BODIES * count * real));
    TL_TRY(tl_buffer_need(b, &m->account, count * sizeof(tlk_joint_account)));
    b->ops->fill(b, m->account.data, 0, count * sizeof(tlk_joint_account));
    return tl_buffer_need(b, &m->memory[1 - m->current], count * sizeof(tlk_joint_memory));
}

/* What is kept of all joints, to the device. */
static tl_status upload_memory(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    tl_joint_entry *joints = m->joints.data;
    tl_array all = {.item = sizeof(tlk_joint_memory)};
    TL_TRY(tl_array_resize(&all, m->joints.count));
    for (uint32_t i = 0; i < m->joints.count; i++)
        ((tlk_joint_memory *)all.data)[i] = joints[i].memory;
    const tl_status status = to_device(b, &m->memory[m->current], &all);
    tl_array_free(&all);
    for (uint32_t i = 0; i < m->joints.count && status == TL_OK; i++)
        joints[i].place = i;
    return status;
}

tl_status tl_joints_fetch(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_joint_entry *joints = m->joints.data;
    tl_array all = {.item = sizeof(tlk_joint_memory)};
    if (!m->count)
        return TL_OK;
    TL_TRY(tl_array_resize(&all, m->count));
    const tl_status status = w->backend->ops->download(
        w->backend, all.data, m->memory[m->current].data, m->count * all.item);
    for (size_t i = 0; i < m->joints.count && status == TL_OK; i++)
        if (joints[i].place != TLK_NONE)
            joints[i].memory = ((const tlk_joint_memory *)all.data)[joints[i].place];
    tl_array_free(&all);
    return status;
}

static tl_status make_all(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    m->made.count = m->bodies.count = m->axes.count = m->owners.count = 0;
    m->targets.count = m->numbers.count = m->body_ids.count = m->mover_ids.count = 0;
    m->rows = m->driven = m->numbers_of_rows = 0;
    m->bounded = m->thrown = false;
    for (uint32_t i = 0; i < m->joints.count; i++)
        TL_TRY(make_joint(w, i));
    TL_TRY(eliminate(w));
    m->articulations = (uint32_t)m->elimination.articulations.count;
    m->movers = (uint32_t)m->mover_ids.count;
    TL_TRY(to_device(b, &m->axis, &m->axes));
    TL_TRY(to_device(b, &m->target, &m->targets));
    TL_TRY(to_device(b, &m->number, &m->numbers));
    TL_TRY(to_device(b, &m->articulation, &m->elimination.articulations));
    TL_TRY(to_device(b, &m->list, &m->elimination.list));
    TL_TRY(to_device(b, &m->node, &m->elimination.nodes));
    TL_TRY(to_device(b, &m->link, &m->elimination.links));
    TL_TRY(to_device(b, &m->source, &m->elimination.sources));
    TL_TRY(to_device(b, &m->update, &m->elimination.updates));
    TL_TRY(to_device(b, &m->attach, &m->attached));
    TL_TRY(to_device(b, &m->level, &m->elimination.levels));
    TL_TRY(to_device(b, &m->run, &m->elimination.runs));
    TL_TRY(to_device(b, &m->piece, &m->elimination.pieces));
    TL_TRY(to_device(b, &m->mover_part, &m->mover_of));
    TL_TRY(upload_rows(w));
    TL_TRY(rooms(w));
    TL_TRY(upload_memory(w));
    m->count = (uint32_t)m->joints.count;
    return TL_OK;
}

tl_status tl_joints_ready(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    const size_t bytes = 4 * (size_t)w->rows * sizeof(double);
    tl_joint_entry *joints = m->joints.data;
    if (m->stale) {
        TL_TRY(tl_joints_fetch(w));
        for (size_t i = 0; i < m->joints.count; i++)
            joints[i].place = TLK_NONE;
        m->count = 0; /* what there is to fetch: nothing, until all is made */
        TL_TRY(make_all(w));
        m->stale = false;
    } else if (m->moved && m->count) {
        TL_TRY(upload_rows(w));
    }
    if (!m->count)
        return TL_OK;
    TL_TRY(tl_buffer_need(w->backend, &m->next_pos, bytes));
    return tl_buffer_need(w->backend, &m->next_quat, bytes);
}

tl_status tl_joints_turn(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const size_t real = sizeof(double);
    TL_TRY(tl_buffer_need(b, &m->columns, m->numbers_of_rows * real));
    TL_TRY(tl_buffer_need(b, &m->turned, m->elimination.block_size * real));
    return tl_buffer_need(b, &m->divisor, m->elimination.vector_size * real);
}

tlk_joints tl_joints_view(const tl_world *w)
{
    const tl_mechanism *m = &w->mechanism;
    return (tlk_joints){.motion = {.bodies = tl_world_bodies_view(w), .h = w->settings.step},
                        .joint = m->joint.data,
                        .axis = m->axis.data,
                        .target = m->target.data,
                        .numbers = m->number.data,
                        .articulation = m->articulation.data,
                        .how = m->how.data,
                        .list = m->list.data,
                        .node = m->node.data,
                        .node_body = m->node_body.data,
                        .mover = m->mover.data,
                        .mover_of = m->mover_part.data,
                        .link = m->link.data,
                        .source = m->source.data,
                        .update = m->update.data,
                        .attached = m->attach.data,
                        .level = m->level.data,
                        .run = m->run.data,
                        .piece = m->piece.data,
                        .jacobian = m->jacobian.data,
                        .block = m->block.data,
                        .x = m->x.data,
                        .law = m->law.data,
                        .part = m->part.data,
                        .aim = m->aim.data,
                        .lambda = m->lambda.data,
                        .bend = m->bend.data,
                        .base = m->base.data,
                        .soft = m->soft.data,
                        .value = m->value.data,
                        .worked = m->worked.data,
                        .anchor = m->anchor.data,
                        .pull = m->pull.data,
                        .last = m->memory[m->current].data,
                        .next = m->memory[1 - m->current].data,
                        .account = m->account.data,
                        .reading = m->reading.data,
                        .vel = w->vel.data,
                        .pos = w->pos.data,
                        .quat = w->quat.data,
                        .next_pos = m->next_pos.data,
                        .next_quat = m->next_quat.data,
                        .moved = m->distance.data,
                        .softness = SOFTNESS,
                        .largest = m->elimination.largest,
                        .room = m->elimination.room,
                        .swept = m->elimination.swept};
}

void tl_world_drop_joints(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_joint_entry *joints = m->joints.data;
    const uint32_t *row_of = w->row_of.data;
    size_t kept = 0;
    for (size_t i = 0; i < m->joints.count; i++) {
        const tl_joint_def *def = &joints[i].rec.def;
        bool gone = (def->a.index && row_of[def->a.index - 1] == TLK_NONE) ||
                    (def->b.index && row_of[def->b.index - 1] == TLK_NONE);
        for (int c = 0; c < 2 && tl_joint_is_coupling(def->kind); c++) /* they are before it */
            gone = gone || !find_among(joints, kept, def->coupled[c].index);
        if (gone)
            tl_joint_rec_free(&joints[i].rec);
        else
            joints[kept++] = joints[i];
    }
    m->stale = m->stale || kept != m->joints.count;
    m->joints.count = kept;
}
