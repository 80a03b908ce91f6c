/* Joints as users see them: those of a scene, adding and removing, reading, and motors. */
#include "scene/check.h"
#include "base/turn.h"
#include "world/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PASSES 100u  /* of an assembly from anywhere */
#define CLOSE  1e-12 /* of the size of an articulation: what it works towards */
#define OPEN   1e-8  /* likewise: what is not closed */
#define NUDGE  1e-6  /* rad, by which bodies are turned off a start from which none can be closed */

/* --- assembly -------------------------------------------------------------------------------- */

static tl_status read_all(tl_world *w, tlk_joints *g, tl_array *out)
{
    tl_mechanism *m = &w->mechanism;
    const size_t bytes = m->count * sizeof(tlk_joint_reading);
    out->item = sizeof(tlk_joint_reading);
    TL_TRY(tl_array_resize(out, m->count));
    TL_TRY(tl_buffer_need(w->backend, &m->reading, bytes));
    g->reading = m->reading.data;
    tl_run(w->backend, TLK_joint_read, m->count, g);
    return w->backend->ops->download(w->backend, out->data, m->reading.data, bytes);
}

/* Says which joints are open, and by how much: the worst, and what is left at others, which share
 * the error of what contradicts itself. */
static tl_status refuse_open(tl_world *w, tlk_joints *g)
{
    enum { MOST = 4 };
    const tl_joint_entry *joints = w->mechanism.joints.data;
    tl_array readings = {0};
    size_t worst[MOST] = {0};
    uint32_t count = 0;
    tl_status status = read_all(w, g, &readings);
    tlk_joint_reading *all = readings.data;
    double most = 0;
    for (; count < MOST && status == TL_OK; count++) {
        size_t next = 0;
        for (size_t i = 1; i < readings.count; i++)
            if (!(all[i].error <= all[next].error))
                next = i;
        if (!count)
            most = all[next].error;
        else if (!(all[next].error >= 0.1 * most))
            break;
        worst[count] = next;
        all[next].error = -1; /* and not again */
    }
    if (status == TL_OK) {
        const tl_joint_def *def = &joints[worst[0]].rec.def;
        tl_error about = {.bodies = {def->a, def->b}};
        char others[96] = "the others";
        for (uint32_t k = 0, at = 0; k < count; k++) {
            about.joints[k] = joints[worst[k]].id;
            if (k)
                at += (uint32_t)snprintf(others + at, sizeof others - at, "%s%u",
                                         k == 1           ? "joint "
                                         : k + 1 == count ? " and joint "
                                                          : ", joint ",
                                         about.joints[k]);
        }
        status = tl_fail_about(
            TL_BAD_ARGUMENT, &about,
            "joint %u (%s, bodies %u and %u): it cannot be closed together with %s: %g m are left "
            "open",
            about.joints[0], tl_word(TL_WORDS_JOINT, def->kind), def->a.index, def->b.index, others,
            most);
    }
    tl_array_free(&readings);
    return status;
}

/* Lengths and offsets that are to be as they are. */
static tl_status measure(tl_world *w, const tlk_joints *g)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    tl_joint_entry *joints = m->joints.data;
    tlk_joint *made = m->made.data;
    tl_array values = {.item = sizeof(double)};
    bool fresh = false;
    for (size_t i = 0; i < m->joints.count; i++)
        fresh = fresh || !joints[i].measured;
    if (!fresh)
        return TL_OK;
    TL_TRY(tl_array_resize(&values, m->rows));
    tl_run(b, TLK_joint_rows, m->count, g);
    const tl_status status =
        b->ops->download(b, values.data, m->value.data, m->rows * sizeof(double));
    for (size_t i = 0; i < m->count && status == TL_OK; i++) {
        const double *value = (const double *)values.data + made[i].first;
        for (uint32_t r = 0; r < made[i].rows && !joints[i].measured; r++)
            if (tl_joint_as_found(&joints[i].rec.def, made[i].row[r]))
                made[i].zero[r] = value[r];
        if (!joints[i].measured)
            memcpy(joints[i].zero, made[i].zero, sizeof joints[i].zero);
        joints[i].measured = 1;
    }
    tl_array_free(&values);
    if (status == TL_OK)
        b->ops->upload(b, m->joint.data, made, m->count * sizeof *made);
    return status;
}

/* Turns bodies that joints have not brought together a little, each another way: from a start that
 * is straight, as a linkage at its dead point, there is no way to first order to where joints meet.
 */
static tl_status nudge(tl_world *w, const tlk_joints *g, const tlk_articulated *how)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const uint32_t *movers = m->mover_ids.data, *of = m->mover_of.data, *row_of = w->row_of.data;
    tl_array turns = {.item = 4 * sizeof(double)};
    TL_TRY(tl_array_resize(&turns, w->rows));
    const size_t bytes = turns.count * turns.item;
    const tl_status status = b->ops->download(b, turns.data, w->quat.data, bytes);
    for (size_t i = 0; i < m->mover_ids.count && status == TL_OK; i++) {
        double *q = (double *)turns.data + 4 * (size_t)row_of[movers[i] - 1], turned[4];
        double by[4] = {1};
        if (of[i] == TLK_NONE || how[of[i]].error <= OPEN)
            continue;
        for (int k = 0; k < 3; k++) /* parts of the golden ratio: no two are alike */
            by[1 + k] = NUDGE * (fmod(0.6180339887 * (double)(3 * i + (size_t)k + 1), 1) - 0.5);
        tl_turn_join(by, q, turned);
        memcpy(q, turned, sizeof turned);
    }
    if (status == TL_OK)
        b->ops->upload(b, g->quat, turns.data, bytes);
    tl_array_free(&turns);
    return status;
}

/* Assembles from where bodies are, or, `nudged`, from nearby. How each articulation does, the worst
 * error and the furthest way of a body. */
static tl_status assemble(tl_world *w, tlk_joints *g, bool nudged, tl_array *how, double *worst,
                          double *furthest)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const size_t bytes = 4 * (size_t)w->rows * sizeof(double);
    tl_array moved = {.item = sizeof(double)};
    b->ops->copy(b, g->pos, w->pos.data, bytes);
    b->ops->copy(b, g->quat, w->quat.data, bytes);
    if (nudged)
        TL_TRY(nudge(w, g, how->data));
    TL_TRY(tl_array_resize(how, m->articulations));
    TL_TRY(tl_array_resize(&moved, m->articulations));
    b->ops->fill(b, m->how.data, 0, m->articulations * how->item);
    tl_run(b, TLK_joint_assemble, m->articulations, g);
    tl_status status = b->ops->download(b, how->data, m->how.data, how->count * how->item);
    if (status == TL_OK)
        status = b->ops->download(b, moved.data, m->distance.data, moved.count * moved.item);
    *worst = *furthest = 0;
    for (size_t i = 0; i < moved.count && status == TL_OK; i++) {
        const double error = ((const tlk_articulated *)how->data)[i].error;
        *worst = !(error <= *worst) ? error : *worst;
        *furthest = fmax(*furthest, ((const double *)moved.data)[i]);
    }
    tl_array_free(&moved);
    return status;
}

tl_status tl_joints_assemble(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    const size_t bytes = 4 * (size_t)w->rows * sizeof(double);
    tl_array how = {.item = sizeof(tlk_articulated)};
    double worst = 0, furthest = 0;
    TL_TRY(tl_joints_ready(w));
    if (!m->count)
        return TL_OK;
    tlk_joints g = tl_joints_view(w);
    TL_TRY(measure(w, &g));
    g.fresh = 1;
    g.passes = PASSES;
    g.close = CLOSE;
    g.pos = m->next_pos.data;
    g.quat = m->next_quat.data;
    tl_status status = assemble(w, &g, false, &how, &worst, &furthest);
    if (status == TL_OK && !(worst <= OPEN))
        status = assemble(w, &g, true, &how, &worst, &furthest);
    if (status == TL_OK && !(worst <= OPEN)) /* what is told is what the start leads to */
        status = assemble(w, &g, false, &how, &worst, &furthest);
    tl_array_free(&how);
    TL_TRY(status);
    if (!(worst <= OPEN))
        return refuse_open(w, &g);
    TL_TRY(tl_world_upload_exclusions(w)); /* from here on nothing fails */
    m->corrected = furthest;
    if (furthest > 0) {
        b->ops->copy(b, w->pos.data, g.pos, bytes);
        b->ops->copy(b, w->quat.data, g.quat, bytes);
        w->box_known = w->caster.current = false;
        tl_world_forget_asked(w);
    }
    g.next = m->memory[m->current].data;
    tl_run(b, TLK_joint_wound, m->count, &g);
    return TL_OK;
}

/* --- adding and removing --------------------------------------------------------------------- */

/* Moves a record to the end of the list; its bodies do not collide then, unless they are to. */
static tl_status append(tl_world *w, tl_joint_rec *rec, uint32_t id)
{
    tl_mechanism *m = &w->mechanism;
    tl_joint_entry joint = {.id = id, .place = TLK_NONE, .rec = *rec};
    const uint32_t a = rec->def.a.index, b = rec->def.b.index;
    const uint64_t pair = tl_exclusion(a, b);
    joint.excludes = a && b && !rec->def.collide && !tl_exclusions_have(&w->exclusions, pair);
    TL_TRY(tl_array_append(&m->joints, &joint, 1));
    const tl_status status = joint.excludes ? tl_exclusions_set(&w->exclusions, pair, true) : TL_OK;
    if (status != TL_OK)
        m->joints.count--;
    else
        m->stale = true;
    return status;
}

tl_status tl_world_take_joints(tl_world *w, const tl_scene *scene)
{
    const tl_joint_rec *joints = scene->joints.data;
    for (size_t i = 0; i < scene->joints.count; i++) {
        tl_joint_rec copy;
        TL_TRY(tl_joint_rec_copy(&joints[i], &copy));
        const tl_status status = append(w, &copy, (uint32_t)i + 1);
        if (status != TL_OK) {
            tl_joint_rec_free(&copy);
            return status;
        }
    }
    w->mechanism.given = (uint32_t)scene->joints.count;
    return TL_OK;
}

static int body_kind(const void *owner, tl_body body)
{
    const tl_world *w = owner;
    const uint32_t row = tl_world_row(w, body);
    return row == TLK_NONE ? -1 : row < w->dynamic ? TL_DYNAMIC : TL_FIXED;
}

static const tl_joint_rec *joint_of(const void *owner, tl_joint joint)
{
    const tl_joint_entry *found = tl_joint_find(owner, joint);
    return found ? &found->rec : NULL;
}

tl_status tl_world_check_joint(const tl_world *w, const tl_joint_def *def, tl_joint_rec *out)
{
    const tl_joint_context context = {
        .where = "world", .owner = w, .body_kind = body_kind, .joint = joint_of};
    return tl_joint_check(def, &context, out);
}

/* Takes joints from the end of the list again. */
static void take_back(tl_world *w, size_t count)
{
    tl_mechanism *m = &w->mechanism;
    while (m->joints.count > count) {
        tl_joint_entry *last = (tl_joint_entry *)m->joints.data + --m->joints.count;
        const tl_joint_def *def = &last->rec.def;
        if (last->excludes) /* taking away cannot fail */
            (void)tl_exclusions_set(&w->exclusions, tl_exclusion(def->a.index, def->b.index),
                                    false);
        tl_joint_rec_free(&last->rec);
    }
    m->stale = true;
}

tl_status tl_world_add_joint(tl_world *world, const tl_joint_def *def, tl_joint *joint)
{
    if (joint)
        *joint = (tl_joint){0};
    REFUSE_NULL(world);
    REFUSE_NULL(def);
    tl_mechanism *m = &world->mechanism;
    const size_t before = m->joints.count;
    tl_joint_rec rec;
    if (m->given >= TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "%s: %u joints were added in all, the most there can be",
                       __func__, m->given);
    if (world->settings.stepper == TL_STEPPER_STEWART_TRINKLE ||
        world->settings.stepper == TL_STEPPER_PEG)
        return tl_fail(TL_BAD_ARGUMENT, "%s: settings.stepper is %s, which knows no joints",
                       __func__, tl_word(TL_WORDS_STEPPER, world->settings.stepper));
    if (world->settings.stepper == TL_STEPPER_PENALTY)
        TL_TRY(tl_penalty_check_joint(def, m->given + 1));
    TL_TRY(tl_world_check_joint(world, def, &rec));
    tl_status status = append(world, &rec, m->given + 1);
    if (status != TL_OK) {
        tl_joint_rec_free(&rec);
        return status;
    }
    status = tl_joints_assemble(world);
    if (status != TL_OK) {
        take_back(world, before);
        return status;
    }
    m->given++;
    if (joint)
        joint->index = m->given;
    return TL_OK;
}

static tl_status refuse_joint(const char *function, tl_joint joint)
{
    return tl_fail(TL_BAD_HANDLE, "%s: joint %u is no joint of this world", function, joint.index);
}

tl_status tl_joint_lift(tl_world *w, const tl_joint_entry *gone)
{
    tl_joint_entry *joints = w->mechanism.joints.data;
    const tl_joint_def *def = &gone->rec.def;
    const uint64_t pair = tl_exclusion(def->a.index, def->b.index);
    if (!gone->excludes)
        return TL_OK;
    for (size_t i = 0; i < w->mechanism.joints.count; i++) {
        const tl_joint_def *other = &joints[i].rec.def;
        if (&joints[i] != gone && !joints[i].memory.broken && other->a.index && other->b.index &&
            !other->collide && tl_exclusion(other->a.index, other->b.index) == pair) {
            joints[i].excludes = 1;
            return TL_OK;
        }
    }
    (void)tl_exclusions_set(&w->exclusions, pair, false); /* taking away cannot fail, */
    const tl_status status = tl_world_upload_exclusions(w);
    if (status != TL_OK)
        (void)tl_exclusions_set(&w->exclusions, pair, true); /* and there is room */
    return status;
}

tl_status tl_world_remove_joint(tl_world *world, tl_joint joint)
{
    REFUSE_NULL(world);
    tl_mechanism *m = &world->mechanism;
    tl_joint_entry *found = tl_joint_find(world, joint);
    if (!found)
        return refuse_joint(__func__, joint);
    TL_TRY(tl_joint_lift(world, found));
    tl_joint_rec_free(&found->rec);
    const size_t at = (size_t)(found - (tl_joint_entry *)m->joints.data);
    memmove(found, found + 1, (--m->joints.count - at) * sizeof *found);
    m->stale = true;
    tl_world_drop_joints(world);
    return TL_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

size_t tl_world_joint_count(const tl_world *world)
{
    return world ? world->mechanism.joints.count : 0;
}

tl_status tl_world_list_joints(const tl_world *world, tl_joint *joints)
{
    REFUSE_NULL(world);
    const tl_joint_entry *all = world->mechanism.joints.data;
    if (world->mechanism.joints.count)
        REFUSE_NULL(joints);
    for (size_t i = 0; i < world->mechanism.joints.count; i++)
        joints[i].index = all[i].id;
    return TL_OK;
}

tl_status tl_world_joint(const tl_world *world, tl_joint joint, tl_joint_def *def)
{
    REFUSE_NULL(def);
    memset(def, 0, sizeof *def);
    REFUSE_NULL(world);
    const tl_joint_entry *found = tl_joint_find(world, joint);
    if (!found)
        return refuse_joint(__func__, joint);
    *def = found->rec.def;
    return TL_OK;
}

static void fill_state(const tlk_joint_reading *from, tl_joint_state *to)
{
    *to =
        (tl_joint_state){.error = from->error, .residual = from->residual, .broken = from->broken};
    for (int k = 0; k < 3; k++) {
        to->force[k] = from->force[k];
        to->torque[k] = from->torque[k];
        to->local_force[k] = from->local_force[k];
        to->local_torque[k] = from->local_torque[k];
    }
    for (int k = 0; k < 6; k++) {
        to->value[k] = from->value[k];
        to->rate[k] = from->rate[k];
        to->motor[k] = from->motor[k];
    }
}

tl_status tl_world_read_joints(tl_world *world, size_t count, const tl_joint *joints,
                               tl_joint_state *states)
{
    REFUSE_NULL(world);
    const tl_mechanism *m = &world->mechanism;
    const tl_joint_entry *first = m->joints.data;
    tl_array readings = {0};
    if (!joints && count != m->joints.count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: count is %zu, but the world has %zu joints", __func__,
                       count, m->joints.count);
    if (!count)
        return TL_OK;
    REFUSE_NULL(states);
    memset(states, 0, count * sizeof *states);
    for (size_t i = 0; i < count && joints; i++)
        if (!tl_joint_find(world, joints[i]))
            return refuse_joint(__func__, joints[i]);
    TL_TRY(tl_joints_ready(world));
    tlk_joints g = tl_joints_view(world);
    const tl_status status = read_all(world, &g, &readings);
    for (size_t i = 0; i < count && status == TL_OK; i++) {
        const size_t at = joints ? (size_t)(tl_joint_find(world, joints[i]) - first) : i;
        fill_state((const tlk_joint_reading *)readings.data + at, &states[i]);
    }
    tl_array_free(&readings);
    return status;
}

tl_status tl_world_set_drive(tl_world *world, tl_joint joint, uint32_t axis, double value)
{
    REFUSE_NULL(world);
    tl_joint_entry *found = tl_joint_find(world, joint);
    if (!found)
        return refuse_joint(__func__, joint);
    if (axis >= TL_JOINT_AXES || found->rec.def.axes[axis].drive == TL_DRIVE_NONE)
        return tl_fail(TL_BAD_ARGUMENT, "%s: joint %u has no motor on axis %u", __func__,
                       joint.index, axis);
    const tl_function_def target = {.value = value};
    return tl_joint_set_drive(&found->rec, axis, found->rec.def.axes[axis].drive, &target);
}
