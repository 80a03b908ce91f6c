/* One step of the DVI scheme (eq. 4-8), as data walks it:
 *   find contacts -> match with the last step's -> colour -> forces and rows -> the velocity
 * problem -> the position problem -> audit -> new positions. Nothing of the world's state changes
 * before everything that can fail has succeeded. */
#include "base/clock.h"
#include "collide/parts.h"
#include "world/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RESTING 0.1 /* of the envelope */
#define MISSED  0.1 /* of the smallest radius: pairs that were missed may overlap by so much */
#define LOOKS   4u  /* attempts at a step, at most */

_Static_assert(4 * TLK_COLOURS == TLK_RANK_KEYS, "keys are: colour, kind of row, wall or not");

/* The present state; with what attempts at this step made of velocities, or NULL. */
static tl_status look_at(tl_world *w, const void *seen, tl_collide_state *state)
{
    const tl_contacts *last = &w->contacts[w->current];
    TL_TRY(tl_buffer_need(w->backend, &w->reach, w->shape_rows * sizeof(float)));
    *state = (tl_collide_state){.bodies = tl_world_bodies_view(w),
                                .shapes = tl_world_shapes_view(w),
                                .h = w->settings.step,
                                .envelope = w->envelope,
                                .seen = seen,
                                .deep = MISSED * w->smallest,
                                .filters = w->filters,
                                .exclusions = (uint32_t)w->exclusions.count,
                                .excluded = w->excluded.data,
                                .manifolds = w->manifolds,
                                .surfaces = w->surfaces,
                                .last = w->steps && last->impulses ? last : NULL,
                                .crowd = w->backend->crowd,
                                .apart = w->backend->apart};
    if (!w->box_known)
        TL_TRY(tl_fold_one(w->backend, TLK_FOLD_body_box, w->dynamic, &state->bodies, w->box));
    w->box_known = true;
    memcpy(state->box, w->box, sizeof state->box);
    state->speed = tl_world_speed(w);
    return tl_arena_clear(w->backend, &w->arena, 0);
}

/* Contacts of the present state; in parts (0: at once) on several devices. Those too that attempts
 * at this step would have left deep in each other, where `seen` is what they made of velocities. */
static tl_status find(tl_world *w, uint32_t parts, uint32_t devices, const void *seen,
                      tl_contacts *next)
{
    tl_collide_state state;
    TL_TRY(look_at(w, seen, &state));
    return parts ? tl_collide_in_parts(w->backend, &w->collide, &state, parts, devices, next)
                 : tl_collide_run(w->backend, &w->collide, &state, next);
}

/* The contacts with sensors. Steps solve nothing for them, so they have a search and a list of
 * their own, and all else is what it would be without sensors, bit for bit. */
static tl_status sense(tl_world *w)
{
    tl_collide_state state;
    w->sensed.count = 0;
    if (!w->sensors)
        return TL_OK;
    TL_TRY(look_at(w, NULL, &state));
    state.senses = true;
    state.manifolds = w->sensed_manifolds;
    state.surfaces = w->sensed_surfaces;
    state.last = NULL;
    const tl_status status = tl_collide_run(w->backend, &w->collide, &state, &w->sensed);
    if (status != TL_OK)
        w->sensed.count = 0;
    return status;
}

/* Time since the mark, which moves on; that of the device too where exact times are wanted. */
static double lap(const tl_world *w, double *mark)
{
    if (w->settings.exact_times && w->backend->ops->wait)
        w->backend->ops->wait(w->backend);
    return tl_lap(mark);
}

/* Room for the moments of contacts, where something resists rolling; zero where those of the last
 * step have none to be taken over. */
static tl_status match_moments(tl_world *w, const tl_contacts *last, tl_contacts *next)
{
    const size_t bytes = 4 * (size_t)next->count * w->backend->real;
    next->moments = w->rolls;
    if (!w->rolls)
        return TL_OK;
    TL_TRY(tl_buffer_need(w->backend, &next->moment, bytes));
    if (!last->impulses || !last->moments)
        w->backend->ops->fill(w->backend, next->moment.data, 0, bytes);
    return TL_OK;
}

/* The impulses and colours of the last step's contacts, for those found now. */
static tl_status match(tl_world *w, tl_contacts *next)
{
    tl_contacts *last = &w->contacts[w->current];
    TL_TRY(match_moments(w, last, next));
    if (!last->impulses)
        return tl_contacts_rest(w->backend, next);
    if (next->manifolds)
        TL_TRY(tl_contacts_features(w->backend, last));
    TL_TRY(tl_contacts_room(w->backend, next));
    const tlk_match args = {.contacts = next->count,
                            .feature = next->manifolds ? next->feature.data : NULL,
                            .old_feature = next->manifolds ? last->feature.data : NULL,
                            .place = next->place.data,
                            .old_place = last->place.data,
                            .geom = w->geom.data,
                            .start = next->start.data,
                            .a = next->a.data,
                            .b = next->b.data,
                            .old_start = last->start.data,
                            .old_b = last->b.data,
                            .old_gamma = last->gamma.data,
                            .old_colour = last->colour.data,
                            .gamma = next->gamma.data,
                            .old_moment = last->moment.data,
                            .moment = next->moments && last->moments ? next->moment.data : NULL,
                            .colour = next->colour.data};
    tl_run(w->backend, TLK_match_contacts, w->shape_rows, &args);
    next->impulses = true;
    return TL_OK;
}

/* Contacts of the present state beside those of the last step, which the next one will need as they
 * are. */
static tl_status find_beside(tl_world *w, uint32_t parts, uint32_t devices)
{
    const size_t bytes = 4 * (size_t)w->shape_rows * sizeof(double);
    tl_contacts *next = &w->contacts[1 - w->current];
    tl_world_forget_asked(w);
    TL_TRY(tl_buffer_need(w->backend, &w->kept_centre, bytes));
    w->backend->ops->copy(w->backend, w->kept_centre.data, w->centre.data, bytes);
    w->asked = true;
    tl_status status = sense(w);
    if (status == TL_OK)
        status = find(w, parts, devices, NULL, next);
    if (status == TL_OK)
        status = match(w, next);
    if (status != TL_OK)
        tl_world_forget_asked(w);
    return status;
}

/* Where no contact has an impulse there is nothing to keep: the new contacts may be written over
 * the old ones, once it is known how many there are. */
static tl_status find_over(tl_world *w, uint32_t parts, uint32_t devices)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    TL_TRY(sense(w));
    next->over = &w->contacts[w->current];
    const tl_status status = find(w, parts, devices, NULL, next);
    next->over = NULL;
    TL_TRY(status);
    w->current = 1 - w->current;
    return TL_OK;
}

tl_status tl_step_contacts(tl_world *w, uint32_t parts, uint32_t devices)
{
    const bool impulses = w->contacts[w->current].impulses;
    TL_TRY(impulses ? find_beside(w, parts, devices) : find_over(w, parts, devices));
    w->report.bytes = w->backend->bytes;
    w->report.peak_bytes = w->backend->peak;
    return TL_OK;
}

/* Contacts keep the colour they had; new ones bid for their bodies, round by round, until each has
 * a colour that is free at both. Few are new once things move slowly. */
static tl_status colour(tl_world *w, const tl_contacts *c, tlk_colour *args)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    const size_t bodies = w->dynamic;
    const size_t bytes = 2 * bodies * sizeof(uint64_t) + 2 * sizeof(uint32_t);
    TL_TRY(tl_buffer_need(b, &p->bidding, bytes));
    TL_TRY(tl_buffer_need(b, &p->fresh, (size_t)c->pairs * sizeof(uint32_t)));
    args->used = p->bidding.data;
    args->bid = args->used + bodies;
    args->fresh_count = (uint32_t *)(args->bid + bodies);
    args->fresh = p->fresh.data;
    b->ops->fill(b, p->bidding.data, 0, bytes);
    tl_run(b, TLK_colour_keep, c->pairs, args);
    return b->ops->colour(b, args, c->pairs);
}

/* Where each segment (colour and kind of row) starts, in the order of keys and among items. Central
 * rows come first; every segment begins a new packet. Returns how many colours there are. */
static uint32_t lay_out(tl_problem *problem, const uint32_t *starts, uint32_t *first,
                        uint32_t *item)
{
    uint32_t items = 0, colours = 0;
    problem->segment_count = 0;
    for (uint32_t kind = 0; kind < 2; kind++) {
        problem->view.arm_base = items;
        for (uint32_t c = 0; c < TLK_COLOURS; c++) {
            const uint32_t segment = 2 * c + kind;
            const uint32_t count = starts[2 * segment + 2] - starts[2 * segment];
            first[segment] = starts[2 * segment];
            item[segment] = items;
            items += (count + TLK_LANES - 1) / TLK_LANES * TLK_LANES;
        }
    }
    first[TL_SEGMENTS] = starts[TLK_RANK_KEYS];
    problem->view.items = items;
    problem->view.rows =
        problem->view.arm_base + (items - problem->view.arm_base) * problem->view.item_rows;
    memset(problem->view.colours, 0, sizeof problem->view.colours);
    for (uint32_t c = 0; c < TLK_COLOURS; c++) {
        colours += starts[4 * c + 4] > starts[4 * c];
        for (uint32_t kind = 0; kind < 2; kind++) {
            const uint32_t segment = 2 * c + kind;
            const uint32_t count = starts[2 * segment + 2] - starts[2 * segment];
            if (count)
                problem->segments[problem->segment_count++] =
                    (tl_segment){item[segment], item[segment] + count, c == TLK_COLOURS - 1};
            if (count)
                problem->view.colours[kind] |= 1ull << c;
        }
    }
    return colours;
}

/* Bytes that order and rows of so many contacts take, if all rows are central; the pieces that they
 * are cut in are rounded up. */
static size_t room_for_rows(const tl_world *w, size_t contacts)
{
    const tl_backend *b = w->backend;
    const size_t words = 4, pieces = 18;
    const size_t reals = TLK_HEAD + 9 + (w->turning ? 3 : 0) +
                         (w->materials_matter ? TLK_MATERIAL : 0) + (w->rolls ? 3 : 0);
    const size_t flow = b->flow ? sizeof(uint16_t) + 4 * b->real : 0;
    return (contacts + TL_SEGMENTS * (TLK_LANES - 1)) *
               (words * sizeof(uint32_t) + reals * b->real + flow) +
           (b->flow ? w->dynamic * sizeof(uint64_t) : 0) + pieces * 512;
}

/* Colours, and from them the order of rows. */
static tl_status order_rows(tl_world *w, const tl_contacts *c, tl_problem *problem,
                            uint32_t *colours)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    uint32_t starts[TLK_RANK_KEYS + 1], segments[2 * TL_SEGMENTS + 1];
    const uint32_t pairs = c->pairs;
    tlk_colour args = {.first = c->manifolds ? c->pair.data : NULL,
                       .a = c->a.data,
                       .b = c->b.data,
                       .shape_body = w->shape_body.data,
                       .feature = c->manifolds ? c->feature.data : NULL,
                       .shape_info = w->shape_info.data,
                       .id = w->id.data,
                       .dynamic = w->dynamic};
    const bool coloured = w->settings.solver.kind == TL_PSOR; /* else all have colour 0 */
    problem->view.item_rows = c->manifolds ? TLK_POINTS_MOST : 1;
    if (coloured)
        args.colour = c->colour.data;
    /* building rows needs these too and, where rows wait for each other, the colours used at each
     * body: the first part of what colouring works with; the rest makes room for the rows */
    TL_TRY(tl_arena_clear(b, &w->arena, room_for_rows(w, c->count)));
    TL_TRY(tl_buffer_need(b, &p->key, (size_t)pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->place, (size_t)pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->segment, sizeof segments));
    const bool keeps = b->flow && coloured;
    const size_t mark = w->arena.at + (keeps ? w->dynamic * sizeof(uint64_t) : 0);
    args.key = p->key.data;
    *colours = 0;
    if (coloured)
        TL_TRY(colour(w, c, &args));
    if (!c->count)
        return TL_OK;
    if (!coloured)
        tl_run(b, TLK_row_key, pairs, &args);
    TL_TRY(b->ops->rank(b, args.key, pairs, p->place.data, starts));
    const uint32_t used = lay_out(problem, starts, segments, segments + TL_SEGMENTS + 1);
    *colours = coloured ? used : 0;
    if (!coloured)
        memset(problem->view.colours, 0, sizeof problem->view.colours);
    b->ops->upload(b, p->segment.data, segments, sizeof segments);
    tl_arena_release(b, &w->arena, mark);
    return TL_OK;
}

/* Applied forces at the start of the step, summed by body: to the device go those of the bodies
 * that have some. */
static tl_status sum_forces(tl_world *w, tlk_motion *motion, uint32_t *bodies)
{
    tl_backend *b = w->backend;
    const size_t most = w->forces.count, known = w->forced_at.count;
    const tl_force_rec *forces = w->forces.data;
    const uint32_t *row_of = w->row_of.data;
    uint32_t count = 0;
    TL_TRY(tl_array_resize(&w->wrench, most));
    TL_TRY(tl_array_resize(&w->forced_row, most));
    TL_TRY(tl_buffer_need(b, &w->forced, most * (w->wrench.item + sizeof(uint32_t))));
    if (known < w->dynamic) {
        TL_TRY(tl_array_resize(&w->forced_at, w->dynamic));
        memset((uint32_t *)w->forced_at.data + known, 0xff, /* TLK_NONE */
               (w->dynamic - known) * sizeof(uint32_t));
    }
    double *sum = w->wrench.data;
    uint32_t *rows = w->forced_row.data, *at = w->forced_at.data;
    for (size_t i = 0; i < most; i++) {
        const uint32_t row = row_of[forces[i].body - 1];
        double wrench[6];
        tl_force_at(&forces[i], w->time, wrench);
        if (at[row] == TLK_NONE) {
            for (size_t k = 0; k < 6; k++)
                sum[6 * (size_t)count + k] = 0;
            rows[count] = row;
            at[row] = count++;
        }
        for (size_t k = 0; k < 6; k++)
            sum[6 * (size_t)at[row] + k] += wrench[k];
    }
    for (uint32_t i = 0; i < count; i++)
        at[rows[i]] = TLK_NONE;
    motion->wrench = w->forced.data;
    motion->forced = (const uint32_t *)(motion->wrench + 6 * (size_t)count);
    b->ops->upload(b, w->forced.data, sum, count * w->wrench.item);
    b->ops->upload(b, (double *)w->forced.data + 6 * (size_t)count, rows, count * sizeof *rows);
    *bodies = count;
    return TL_OK;
}

/* Four layers across gravity through the box around the bodies. */
static void lay_levels(const tl_world *w, tlk_motion *motion)
{
    const double *g = w->settings.gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double low = 0, high = 0;
    for (int k = 0; k < 3 && size > 0; k++) {
        const double up = -g[k] / size, least = w->box[k], most = -w->box[3 + k];
        motion->up[k] = up;
        low += up * (up > 0 ? least : most);
        high += up * (up > 0 ? most : least);
    }
    motion->layer[0] = low;
    motion->layer[1] = high > low ? 4 / (high - low) : 0;
}

static tl_status free_velocities(tl_world *w, tlk_motion *motion)
{
    const size_t bytes = 8 * (size_t)w->rows * w->backend->real;
    uint32_t forced = 0;
    TL_TRY(tl_buffer_need(w->backend, &w->free, bytes));
    TL_TRY(tl_buffer_need(w->backend, &w->work, bytes));
    TL_TRY(tl_buffer_need(w->backend, &w->pseudo, bytes));
    *motion = (tlk_motion){.bodies = tl_world_bodies_view(w),
                           .h = w->settings.step,
                           .max_speed = w->settings.max_speed,
                           .jump = 0.5 * (w->envelope + MISSED * w->smallest),
                           .step = w->steps,
                           .free = w->free.data,
                           .vel = w->work.data,
                           .pseudo_out = w->pseudo.data};
    for (int k = 0; k < 3; k++)
        motion->gravity[k] = w->settings.gravity[k];
    lay_levels(w, motion);
    if (w->forces.count)
        TL_TRY(sum_forces(w, motion, &forced));
    tl_run(w->backend, TLK_free_velocity, w->rows, motion);
    tl_run(w->backend, TLK_forced_velocity, forced, motion);
    return TL_OK;
}

/* Whether rows will wait for each other: none of them is in the serial colour. */
static bool flows(const tl_backend *b, const tlk_problem *view)
{
    const uint64_t colours = view->colours[0] | view->colours[1];
    return b->flow && colours && !(colours >> (TLK_COLOURS - 1));
}

/* Whether impacts come before the velocity problem, one after the other. */
static bool bounces(const tl_world *w)
{
    return w->bounces && w->settings.impacts == TL_IMPACTS_PROPAGATING;
}

static tl_status row_buffers(tl_world *w, const tl_problem *problem)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    const size_t rows = problem->view.rows, real = b->real, central = problem->view.arm_base;
    TL_TRY(tl_buffer_need(b, &p->a, rows * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->b, rows * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->gap, rows * real));
    TL_TRY(tl_buffer_need(b, &p->head, TLK_HEAD * rows * real));
    TL_TRY(tl_buffer_need(b, &p->arms, TLK_ARMS * (rows - central) * real));
    TL_TRY(tl_buffer_need(b, &p->inverse, rows > central ? 8 * (size_t)w->rows * real : 0));
    TL_TRY(tl_buffer_need(b, &p->wall, w->turning ? 3 * central * real : 0));
    TL_TRY(tl_buffer_need(b, &p->bias, rows * real));
    TL_TRY(tl_buffer_need(b, &p->gamma, 3 * rows * real));
    TL_TRY(tl_buffer_need(b, &p->position_bias, rows * real));
    TL_TRY(tl_buffer_need(b, &p->material, w->materials_matter ? TLK_MATERIAL * rows * real : 0));
    TL_TRY(tl_buffer_need(b, &p->moment, w->rolls ? 3 * rows * real : 0));
    if (flows(b, &problem->view)) {
        TL_TRY(tl_buffer_need(b, &p->turns, problem->view.items * sizeof(uint16_t)));
        TL_TRY(tl_buffer_need(b, &p->mass, 4 * problem->view.items * real));
    }
    if (bounces(w)) {
        TL_TRY(tl_buffer_need(b, &p->restitution, rows * real));
        TL_TRY(tl_buffer_need(b, &p->impact, 3 * rows * real));
    }
    return tl_buffer_need(b, &p->position_gamma, 3 * rows * real);
}

/* Up to which gap contacts that carry load are held closed: where the law opens no gaps by itself
 * and there is a position problem to close them, whose impulses count from the load. psor applies
 * what changes of them alone; the others make velocities of all of them, and the load itself would
 * move bodies apart. */
static double resting_gap(const tl_world *w)
{
    const tl_solver_def *solver = &w->settings.solver;
    const bool holds = w->settings.overlap == TL_OVERLAP_SPLIT && solver->kind == TL_PSOR &&
                       tl_solver_law(solver) == TL_LAW_COULOMB;
    return holds ? RESTING * w->envelope : -INFINITY;
}

/* The rows of the velocity problem, in the order that the colours gave. */
static tl_status build_rows(tl_world *w, const tl_contacts *c, tl_problem *problem,
                            tlk_build *build)
{
    tl_backend *b = w->backend;
    const tl_settings *s = &w->settings;
    tl_rows *p = &w->problem;
    TL_TRY(row_buffers(w, problem));
    *build = (tlk_build){.bodies = tl_world_bodies_view(w),
                         .shapes = tl_world_shapes_view(w),
                         .contact_a = c->a.data,
                         .contact_b = c->b.data,
                         .contact_n = c->n.data,
                         .contact_gamma = c->gamma.data,
                         .contact_place = c->manifolds ? c->place.data : NULL,
                         .first = c->manifolds ? c->pair.data : NULL,
                         .item_rows = problem->view.item_rows,
                         .key = p->key.data,
                         .place = p->place.data,
                         .segment_start = p->segment.data,
                         .segment_item = (uint32_t *)p->segment.data + TL_SEGMENTS + 1,
                         .pair = w->pair_table.data,
                         .materials = w->materials,
                         .warm = s->solver.warm_start,
                         .arm_base = problem->view.arm_base,
                         .recovery = {s->step, s->recovery_fraction, s->recovery_speed,
                                      s->overlap == TL_OVERLAP_SPLIT},
                         .restitution_speed = s->restitution_speed,
                         .rest = resting_gap(w),
                         .sticks = RESTING * w->envelope,
                         .slide = w->sliding ? w->slide_table.data : NULL,
                         .free = w->free.data,
                         .a = p->a.data,
                         .b = p->b.data,
                         .gap = p->gap.data,
                         .head = p->head.data,
                         .arms = p->arms.data,
                         .bias = p->bias.data,
                         .gamma = p->gamma.data,
                         .position_bias = p->position_bias.data,
                         .vel = w->work.data,
                         .position_gamma = p->position_gamma.data,
                         .contact_gamma_out = c->gamma.data};
    if (flows(b, &problem->view)) {
        build->used = p->bidding.data;
        build->turns = p->turns.data;
        build->mass = p->mass.data;
    }
    if (bounces(w))
        build->restitution = p->restitution.data;
    tlk_problem *view = &problem->view;
    if (view->arm_base < view->rows)
        build->inverse = p->inverse.data;
    if (w->turning)
        build->wall = p->wall.data;
    if (w->materials_matter)
        build->material = p->material.data;
    if (w->rolls) {
        build->moment = p->moment.data;
        build->contact_moment = build->contact_moment_out = c->moment.data;
    }
    if (build->inverse)
        tl_run(b, TLK_body_inverse, w->rows, build);
    tl_run(b, TLK_build_row, c->pairs, build);
    view->blocks = w->rows;
    view->moving = w->dynamic;
    view->a = build->a;
    view->b = build->b;
    view->head = build->head;
    view->arms = build->arms;
    view->inverse = build->inverse;
    view->wall = build->wall;
    view->material = build->material;
    view->moment = build->moment;
    view->bias = build->bias;
    view->gamma = build->gamma;
    view->free = w->free.data;
    view->vel = w->work.data;
    view->turns = build->turns;
    view->mass = build->mass;
    return TL_OK;
}

/* The second problem of the split: positions only, without friction. */
static tl_status solve_positions(tl_world *w, const tl_problem *problem, const tlk_build *build,
                                 tl_solution *solution)
{
    tl_solver_def def = w->settings.solver;
    tl_problem second = *problem;
    if (!problem->view.rows)
        return TL_OK;
    def.tolerance = 0; /* it is of the velocity problem; overlap is always worked on */
    tl_run(w->backend, TLK_position_rows, problem->view.rows, build);
    second.view.frictionless = 1;
    second.view.wall = NULL; /* walls are at rest in it */
    second.view.material = second.view.moment = NULL;
    second.view.bias = build->position_bias;
    second.view.gamma = build->position_gamma;
    second.view.vel = w->pseudo.data;
    /* its free velocities are zero; the pseudo-velocities start as such, with the inverse masses */
    second.view.free = w->pseudo.data;
    if (def.kind != TL_PSOR) {
        const size_t bytes = 8 * (size_t)w->rows * w->backend->real;
        TL_TRY(tl_buffer_need(w->backend, &w->rest, bytes));
        w->backend->ops->copy(w->backend, w->rest.data, w->pseudo.data, bytes);
        second.view.free = w->rest.data;
    }
    return tl_solve(w->backend, &w->workspace, &second, &def, def.position_iterations, solution);
}

/* The linear part of a row of velocities. */
static tl_status read_velocity(tl_world *w, const void *velocities, size_t row, double v[3])
{
    tl_backend *b = w->backend;
    char raw[3 * sizeof(double)];
    TL_TRY(b->ops->download(b, raw, (const char *)velocities + 8 * row * b->real, 3 * b->real));
    for (int k = 0; k < 3; k++)
        v[k] = b->precision == TL_DOUBLE ? ((const double *)(const void *)raw)[k]
                                         : (double)((const float *)(const void *)raw)[k];
    return TL_OK;
}

/* Says which body must not move, and why (tlk_check_bodies). */
static tl_status diverged(tl_world *w, const tlk_motion *motion, size_t row)
{
    tl_backend *b = w->backend;
    const double most = w->settings.max_speed * w->settings.max_speed;
    uint32_t id;
    double x[4], v[3], push[3] = {0, 0, 0}, speed = 0, way = 0;
    char limit[64];
    TL_TRY(b->ops->download(b, &id, (const uint32_t *)w->id.data + row, sizeof id));
    TL_TRY(b->ops->download(b, x, (const double *)w->pos.data + 4 * row, sizeof x));
    TL_TRY(read_velocity(w, motion->vel, row, v));
    if (motion->pseudo)
        TL_TRY(read_velocity(w, motion->pseudo, row, push));
    for (int k = 0; k < 3; k++) {
        speed += v[k] * v[k];
        way += (v[k] + push[k]) * (v[k] + push[k]);
    }
    const bool moves = speed <= most, pushed = way <= most;
    snprintf(limit, sizeof limit, "settings.max_speed = %g", w->settings.max_speed);
    if (moves && pushed)
        snprintf(limit, sizeof limit, "coordinates below %g m and turns below %g rad in a step",
                 TLK_FAR, TLK_FAR);
    const double *u = moves && !pushed ? push : v;
    return tl_fail_about(
        TL_DIVERGED, &(tl_error){.bodies = {{id, 1}}},
        "step %llu: body %u at (%g, %g, %g) would %s at (%g, %g, %g) m/s; the limit is "
        "%s",
        (unsigned long long)w->steps + 1, id, x[0], x[1], x[2],
        u == push ? "be pushed out of its overlaps" : "move", u[0], u[1], u[2], limit);
}

/* The certificate's numbers that come from the rows. */
static void certify(uint32_t contacts, const double *n, tl_report *r)
{
    r->contacts = contacts;
    r->residual = n[2] > 0 ? sqrt(n[0] / n[2]) : 0;
    r->max_residual = n[2] > 0 ? n[1] : 0;
    r->active_contacts = (uint32_t)n[3];
    r->max_penetration = n[7] > 0 ? n[5] : 0;
    r->mean_penetration = n[7] > 0 ? n[6] / n[7] : 0;
}

/* How much of the weight was carried, in all and across each level: `gained` is the momentum along
 * gravity that bodies got, by layer from the lowest. */
static void weigh(const tl_world *w, const double *gained, tl_report *r)
{
    const double *g = w->settings.gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double weight = w->settings.step * size * w->box[7];
    double above = 0;
    r->carried_weight = 1;
    r->imbalance = 0;
    if (!(weight > 0))
        return;
    for (int k = 3; k >= 0; k--) {
        above += gained[k];
        r->imbalance = fmax(r->imbalance, fabs(above) / weight);
    }
    r->carried_weight = 1 - above / weight;
}

/* What the stages of a step hand on. */
typedef struct stages {
    tl_problem problem;
    tlk_motion motion;
    tlk_build build;
    tlk_impact impact;
    tl_solution found, first, second; /* of the search for balance, of the two problems */
    double audit[TLK_FOLD_NUMBERS], check[TLK_FOLD_NUMBERS], moved[TLK_FOLD_NUMBERS];
} stages;

/* From contacts to the rows of the velocity problem. */
static tl_status prepare(tl_world *w, stages *s, tl_report *r)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    double mark = tl_now();
    *s = (stages){.problem = {.segment_count = 0}};
    r->impacts = r->impact_rounds = 0;
    TL_TRY(match(w, next));
    r->ms.match += lap(w, &mark);
    TL_TRY(order_rows(w, next, &s->problem, &r->colours));
    r->ms.colour += lap(w, &mark);
    TL_TRY(free_velocities(w, &s->motion));
    TL_TRY(build_rows(w, next, &s->problem, &s->build));
    if (bounces(w))
        TL_TRY(tl_step_impacts(w, &s->problem, &s->build, &s->impact, r));
    r->ms.build += lap(w, &mark);
    return TL_OK;
}

/* The two problems. */
static tl_status solve(tl_world *w, stages *s, tl_report *r)
{
    const tl_solver_def *solver = &w->settings.solver;
    double mark = tl_now();
    TL_TRY(tl_step_balance(w, &s->problem, &s->found));
    TL_TRY(tl_solve(w->backend, &w->workspace, &s->problem, solver, solver->iterations, &s->first));
    if (s->build.impact) {
        tl_run(w->backend, TLK_impact_settle, w->dynamic, &s->impact);
        s->motion.vel = w->struck.data;
    }
    r->ms.solve += lap(w, &mark);
    const bool split = w->settings.overlap == TL_OVERLAP_SPLIT;
    if (split)
        TL_TRY(solve_positions(w, &s->problem, &s->build, &s->second));
    s->motion.pseudo = split || s->build.impact ? w->pseudo.data : NULL;
    r->ms.position += lap(w, &mark);
    return TL_OK;
}

/* The audit, the check of bodies that may stop the step, and the new velocities and positions,
 * which become the state unless it did. The device is waited for once. */
static tl_status audit_and_move(tl_world *w, stages *s, tl_report *r)
{
    tl_backend *b = w->backend;
    const tl_contacts *next = &w->contacts[1 - w->current];
    const tlk_audit args = {s->problem.view, w->problem.gap.data, s->build.impact};
    const tl_folding folds[3] = {{TLK_FOLD_audit_row, s->problem.view.rows, &args, s->audit},
                                 {TLK_FOLD_check_bodies, w->dynamic, &s->motion, s->check},
                                 {TLK_FOLD_integrate, w->dynamic, &s->motion, s->moved}};
    const size_t first = w->settings.exact_times ? 2 : 3; /* in two goes where each is timed */
    double mark = tl_now();
    TL_TRY(tl_monitors_prepare(w, next, &s->motion));
    if (!w->halt.data) {
        TL_TRY(tl_buffer_need(b, &w->halt, sizeof(uint64_t)));
        b->ops->fill(b, w->halt.data, 0, sizeof(uint64_t));
    }
    s->motion.halt = w->halt.data;
    tl_run(b, TLK_store_impulse, next->pairs, &s->build);
    tl_monitors_before(w, next->count);
    TL_TRY(b->ops->fold(b, folds, first));
    r->ms.audit += lap(w, &mark);
    TL_TRY(b->ops->fold(b, folds + first, 3 - first));
    r->ms.integrate += lap(w, &mark);
    return TL_OK;
}

/* Whether there are contacts that were not looked for, with the velocities that the step would end
 * with; then the new set has them. After a first attempt there are few, and nearly always none, so
 * that they are counted before all are found. */
static tl_status more_contacts(tl_world *w, uint32_t attempt, bool *more)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    const uint32_t count = next->count;
    tl_collide_state state;
    *more = true;
    if (attempt == 1) {
        TL_TRY(look_at(w, w->seen.data, &state));
        TL_TRY(tl_collide_fresh(w->backend, &w->collide, &state, more));
    }
    if (!*more)
        return TL_OK;
    TL_TRY(find(w, 0, 1, w->seen.data, next));
    *more = next->count != count;
    next->impulses = !*more; /* the same ones have theirs still */
    return TL_OK;
}

/* A body was pushed so far within the step that pairs may meet whose contacts were not looked for.
 * Looks again: if there are no others, the step ends so; else it is made again, with them. */
static tl_status look_again(tl_world *w, stages *s, tl_report *r)
{
    tl_backend *b = w->backend;
    const uint32_t attempt = r->searches++;
    const tl_folding folds[2] = {{TLK_FOLD_check_bodies, w->dynamic, &s->motion, s->check},
                                 {TLK_FOLD_integrate, w->dynamic, &s->motion, s->moved}};
    double mark = tl_now();
    bool more;
    b->ops->fill(b, w->halt.data, 0, sizeof(uint64_t));
    TL_TRY(tl_buffer_need(b, &w->seen, 8 * (size_t)w->rows * b->real));
    s->motion.seen = w->seen.data;
    s->motion.looks = attempt - 1;
    tl_run(b, TLK_see_velocity, w->rows, &s->motion);
    TL_TRY(more_contacts(w, attempt, &more));
    r->ms.find += lap(w, &mark);
    if (!more) {
        s->motion.jump = INFINITY;
        TL_TRY(b->ops->fold(b, folds, 1)); /* in two goes: the first of several has no order */
        return b->ops->fold(b, folds + 1, 1);
    }
    TL_TRY(prepare(w, s, r));
    s->motion.seen = w->seen.data;
    s->motion.looks = attempt;
    s->motion.jump = attempt + 1 < LOOKS ? s->motion.jump : INFINITY;
    TL_TRY(solve(w, s, r));
    return audit_and_move(w, s, r);
}

/* The step is done: what it moved becomes the state, and the report tells of it. */
static tl_status finish(tl_world *w, const stages *s, tl_report *r)
{
    double mark = tl_now();
    certify(w->contacts[1 - w->current].count, s->audit, r);
    r->dissipated_energy = w->dissipated + s->audit[4] - s->check[2];
    r->work_energy = w->work_done + s->audit[4] + s->check[3];
    weigh(w, s->check + 4, r);
    w->steps++;
    w->time += w->settings.step;
    w->dissipated = r->dissipated_energy;
    w->work_done = r->work_energy;
    w->current = 1 - w->current;
    tl_world_prescribe(w);
    TL_TRY(tl_monitors_after(w));
    memcpy(w->box, s->moved + 2, 6 * sizeof(double));
    w->box[6] = s->check[1];
    w->box_known = true;
    r->steps = w->steps;
    r->time = w->time;
    r->bodies = w->dynamic;
    r->kinetic_energy = s->moved[0];
    r->potential_energy = s->moved[1];
    r->iterations = s->found.iterations + s->first.iterations;
    r->position_iterations = s->second.iterations;
    r->bytes = w->backend->bytes;
    r->peak_bytes = w->backend->peak;
    r->ms.integrate += lap(w, &mark);
    return TL_OK;
}

/* Contacts and rows, as a step begins. */
static tl_status begin_step(tl_world *w, stages *s, tl_report *r)
{
    double mark = tl_now();
    tl_world_forget_asked(w);
    TL_TRY(sense(w));
    TL_TRY(find(w, 0, 1, NULL, &w->contacts[1 - w->current]));
    r->searches = 1;
    r->ms.find = lap(w, &mark);
    return prepare(w, s, r);
}

tl_status tl_step_problem(tl_world *w, tl_problem *problem)
{
    stages s;
    tl_report r = {0};
    TL_TRY(begin_step(w, &s, &r));
    *problem = s.problem;
    return TL_OK;
}

tl_status tl_step_dvi(tl_world *w)
{
    stages s;
    tl_report r = {0};
    const double begin = tl_now();
    TL_TRY(begin_step(w, &s, &r));
    const double speed = tl_world_speed(w);
    TL_TRY(solve(w, &s, &r));
    TL_TRY(audit_and_move(w, &s, &r));
    while (s.check[0] == w->dynamic)
        TL_TRY(look_again(w, &s, &r));
    if (s.check[0] < w->dynamic) {
        w->backend->ops->fill(w->backend, w->halt.data, 0, sizeof(uint64_t));
        return diverged(w, &s.motion, (size_t)s.check[0]);
    }
    TL_TRY(finish(w, &s, &r));
    tl_step_watch(w, speed, &s.found, &r);
    r.total_ms = tl_now() - begin;
    w->report = r;
    return TL_OK;
}
