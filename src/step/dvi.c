/* One step of the DVI scheme (eq. 4-8), as data walks it:
 *   find contacts -> match with the last step's -> colour -> forces and rows -> the velocity
 * problem -> the position problem -> audit -> new positions. Nothing of the world's state changes
 * before everything that can fail has succeeded. */
#include "base/clock.h"
#include "step/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOKS   4u /* attempts at a step, at most; */
#define SWINGS  8u /* where something swings through another */
#define WEIGHED 4u /* of so many sweeps, after the first, a problem with joints is weighed */

/* Time since the mark, which moves on; that of the device too where exact times are wanted. */
static double lap(const tl_world *w, double *mark)
{
    if (w->settings.exact_times && w->backend->ops->wait)
        w->backend->ops->wait(w->backend);
    return tl_lap(mark);
}

/* The second problem of the split: positions only, without friction. */
static tl_status solve_positions(tl_world *w, const tl_problem *problem, const tlk_build *build,
                                 const tl_step_joints *joints, tl_solution *solution)
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
    tl_step_joints_positions(w, joints, &second);
    if (def.kind != TL_PSOR) {
        const size_t bytes = 8 * (size_t)w->rows * w->backend->real;
        TL_TRY(tl_buffer_need(w->backend, &w->rest, bytes));
        w->backend->ops->copy(w->backend, w->rest.data, w->pseudo.data, bytes);
        TL_TRY(tl_count_from(w->backend, &w->workspace, &second, w->rest.data));
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
void tl_step_carried(const tl_world *w, const double *gained, tl_report *r)
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
    tlk_bounce bounce;
    tl_step_joints joints;
    tl_balancing found;
    tl_solution first, second; /* of the two problems */
    tl_holding held;
    tlk_swings swings;
    double audit[TLK_FOLD_NUMBERS], check[TLK_FOLD_NUMBERS], moved[TLK_FOLD_NUMBERS];
    double swung[TLK_FOLD_NUMBERS];
} stages;

/* From contacts to the rows of the velocity problem. */
static tl_status prepare(tl_world *w, stages *s, tl_report *r)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    double mark = tl_now();
    *s = (stages){.problem = {.segment_count = 0}};
    r->impacts = r->impact_rounds = 0;
    if (tl_step_is_exact(w)) {
        TL_TRY(tl_step_free(w, &s->motion));
        if (w->settings.exact.epsilon > 0)
            s->motion.jump = INFINITY; /* what is farther away is not to be seen */
        return TL_OK;
    }
    TL_TRY(tl_joints_ready(w)); /* the order of rows asks which bodies they hold */
    TL_TRY(tl_step_match(w, next));
    r->ms.match += lap(w, &mark);
    TL_TRY(tl_step_order(w, next, &s->problem, &r->colours));
    r->ms.colour += lap(w, &mark);
    TL_TRY(tl_step_free(w, &s->motion));
    TL_TRY(tl_step_rows(w, next, &s->problem, &s->build));
    TL_TRY(tl_step_planes(w, next, &s->problem, &s->build));
    TL_TRY(tl_step_smooth_begin(w, &s->problem, &s->motion));
    if (tl_step_bounces(w))
        TL_TRY(tl_step_impacts(w, &s->problem, &s->build, &s->impact, r));
    TL_TRY(tl_step_joints_begin(w, &s->motion, &s->problem, &s->joints));
    tl_step_smooth_bounce(w, &s->problem, &s->build);
    TL_TRY(tl_step_bounce_begin(w, &s->problem, &s->bounce));
    TL_TRY(tl_step_deep(w, &s->problem));
    r->ms.build += lap(w, &mark);
    return TL_OK;
}

/* The velocity problem. With joints it is weighed after its first sweeps, which mend what a start
 * has of wrong impulses here and there; what they cannot mend may be worse than no start. That of
 * interior is solved to the end. */
static tl_status solve_velocities(tl_world *w, stages *s)
{
    const tl_solver_def *def = &w->settings.solver;
    const uint32_t all = def->iterations;
    const bool weighed = tl_step_joined(w) && s->problem.view.rows && def->kind != TL_INTERIOR;
    const uint32_t some = !weighed ? all : all > WEIGHED ? all / WEIGHED : 1;
    tl_solution rest;
    TL_TRY(tl_solve(w->backend, &w->workspace, &s->problem, def, some, &s->first));
    if (some == all || (def->tolerance > 0 && s->first.residual <= def->tolerance))
        return TL_OK;
    TL_TRY(tl_step_weigh(w, &s->problem, &s->build, &s->bounce));
    TL_TRY(tl_solve(w->backend, &w->workspace, &s->problem, def, all - some, &rest));
    s->first.iterations += rest.iterations;
    s->first.residual = rest.residual;
    return TL_OK;
}

/* The two problems. */
static tl_status solve(tl_world *w, stages *s, tl_report *r)
{
    double mark = tl_now();
    if (tl_step_is_exact(w)) {
        TL_TRY(tl_step_exact(w, &s->motion, &w->contacts[1 - w->current], s->audit, r));
        s->first.iterations = r->iterations;
        r->ms.solve += lap(w, &mark);
        return TL_OK;
    }
    TL_TRY(tl_step_balance(w, &s->problem, &s->found));
    TL_TRY(solve_velocities(w, s));
    tl_step_joints_solved(w, &s->problem, &s->bounce, &s->joints);
    TL_TRY(tl_step_bounce(w, &s->problem, &s->build, &s->bounce));
    if (!s->build.impact)
        TL_TRY(tl_step_hold(w, &s->problem, &s->found, &s->held));
    if (s->build.impact) {
        tl_run(w->backend, TLK_impact_settle, w->dynamic, &s->impact);
        s->motion.vel = w->struck.data;
    }
    r->ms.solve += lap(w, &mark);
    const bool split = w->settings.overlap == TL_OVERLAP_SPLIT;
    if (split)
        TL_TRY(solve_positions(w, &s->problem, &s->build, &s->joints, &s->second));
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
    const bool exact = tl_step_is_exact(w), again = r->searches < SWINGS;
    tl_folding folds[4];
    size_t count = 0;
    double mark = tl_now();
    TL_TRY(tl_monitors_prepare(w, next, &s->motion));
    if (!w->halt.data) {
        TL_TRY(tl_buffer_need(b, &w->halt, sizeof(uint64_t)));
        b->ops->fill(b, w->halt.data, 0, sizeof(uint64_t));
    }
    s->motion.halt = w->halt.data;
    if (!exact) {
        tl_run(b, TLK_store_impulse, next->pairs, &s->build);
        folds[count++] = (tl_folding){TLK_FOLD_audit_row, s->problem.view.rows, &args, s->audit};
        const bool swings = tl_step_swings(w, next, &s->motion, &s->swings);
        if (swings && again) {
            folds[count++] =
                (tl_folding){TLK_FOLD_swing_check, w->problem.moving, &s->swings, s->swung};
        } else if (swings) {
            TL_TRY(tl_step_put_swings(w, &s->swings));
            s->motion.pseudo = s->swings.motion.pseudo;
        }
    }
    folds[count++] = (tl_folding){TLK_FOLD_check_bodies, w->dynamic, &s->motion, s->check};
    const size_t first = count + !w->settings.exact_times; /* in two goes where each is timed */
    folds[count++] = (tl_folding){TLK_FOLD_integrate, w->dynamic, &s->motion, s->moved};
    tl_step_joints_store(w, &s->motion, &s->joints);
    tl_monitors_before(w, next->count);
    TL_TRY(b->ops->fold(b, folds, first));
    r->ms.audit += lap(w, &mark);
    TL_TRY(b->ops->fold(b, folds + first, count - first));
    r->ms.integrate += lap(w, &mark);
    return TL_OK;
}

/* Whether there are contacts that were not looked for, with the velocities that the step would end
 * with; then the new set has them. After a first attempt there are few, and nearly always none, so
 * that they are counted before all are found. Where something `swung`, all are found anew. */
static tl_status more_contacts(tl_world *w, uint32_t attempt, bool swung, bool *more)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    const uint32_t count = next->count;
    tl_collide_state state;
    *more = true;
    if (attempt == 1 && !swung) {
        TL_TRY(tl_step_look(w, w->seen.data, &state));
        TL_TRY(tl_collide_fresh(w->backend, &w->collide, &state, more));
    }
    if (!*more)
        return TL_OK;
    TL_TRY(tl_step_find(w, 0, 1, w->seen.data, next));
    *more = attempt == 1 || swung || next->count != count;
    next->impulses = !*more; /* the same ones have theirs still */
    return TL_OK;
}

/* A body was pushed so far within the step that pairs may meet whose contacts were not looked for;
 * or something swings through another. Looks again: if there are no others, the step ends so; else
 * it is made again, with them, and what swings is held. */
static tl_status look_again(tl_world *w, stages *s, tl_report *r)
{
    tl_backend *b = w->backend;
    const uint32_t attempt = r->searches++;
    const bool swung = s->swung[0] > 0;
    double mark = tl_now();
    bool more;
    b->ops->fill(b, w->halt.data, 0, sizeof(uint64_t));
    TL_TRY(tl_buffer_need(b, &w->seen, 8 * (size_t)w->rows * b->real));
    s->motion.seen = w->seen.data;
    s->motion.looks = attempt - 1;
    tl_run(b, TLK_see_velocity, w->rows, &s->motion);
    if (swung)
        TL_TRY(tl_step_hold_swings(w, &s->swings));
    TL_TRY(more_contacts(w, attempt, swung, &more));
    r->ms.find += lap(w, &mark);
    if (!more) { /* what else the check told is as it was */
        s->check[0] = INFINITY;
        return tl_fold_one(b, TLK_FOLD_integrate, w->dynamic, &s->motion, s->moved);
    }
    TL_TRY(prepare(w, s, r));
    s->motion.seen = w->seen.data;
    s->motion.looks = attempt;
    s->motion.jump = attempt + 1 < LOOKS ? s->motion.jump : INFINITY;
    TL_TRY(solve(w, s, r));
    return audit_and_move(w, s, r);
}

/* The step is done: what it moved becomes the state, and the report tells of it. */
static tl_status finish(tl_world *w, stages *s, tl_report *r)
{
    double mark = tl_now();
    tl_coarse_told told;
    w->elastic_known = 0;
    w->steps++;
    w->time += w->settings.step;
    tl_world_prescribe(w); /* joints hold bodies to where these are now */
    tl_step_joints_place(w, &s->joints);
    TL_TRY(tl_step_smooth_end(w, &s->motion, &s->joints, s->check, s->moved));
    TL_TRY(tl_step_joints_end(w, &s->joints, s->moved, r));
    TL_TRY(tl_coarse_tell(w->backend, &w->workspace, &told));
    certify(w->contacts[1 - w->current].count, s->audit, r);
    r->dissipated_energy += w->dissipated + s->audit[4] - s->check[2];
    r->work_energy += w->work_done + s->audit[4] + s->check[3];
    tl_step_carried(w, s->check + 4, r);
    w->dissipated = r->dissipated_energy;
    w->work_done = r->work_energy;
    w->current = 1 - w->current;
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
    r->gap = s->first.gap >= 0 ? s->first.gap : 0;
    r->coarse_nodes = told.nodes;
    r->coarse_iterations = told.steps;
    r->coarse_change = told.change;
    r->bytes = w->backend->bytes;
    r->peak_bytes = w->backend->peak;
    r->ms.integrate += lap(w, &mark);
    return TL_OK;
}

/* Contacts and rows, as a step begins. */
static tl_status begin_step(tl_world *w, stages *s, tl_report *r)
{
    double mark = tl_now();
    TL_TRY(tl_step_sense(w));
    if (tl_step_is_exact(w))
        TL_TRY(tl_step_exact_begin(w, &s->motion));
    TL_TRY(tl_step_find(w, 0, 1, NULL, &w->contacts[1 - w->current]));
    r->searches = 1;
    r->ms.find = lap(w, &mark);
    return prepare(w, s, r);
}

tl_status tl_step_problem(tl_world *w, tl_problem *problem)
{
    stages s;
    tl_report r = {0};
    tl_world_forget_asked(w);
    tl_world_exchange_centres(w);
    const tl_status status = begin_step(w, &s, &r);
    tl_world_exchange_centres(w);
    *problem = s.problem;
    problem->joints = NULL; /* those are of this call */
    return status;
}

/* A step, up to where its results become the state; `speed` is the usual one before. */
static tl_status make_step(tl_world *w, stages *s, tl_report *r, double *speed)
{
    TL_TRY(begin_step(w, s, r));
    *speed = tl_world_speed(w);
    TL_TRY(solve(w, s, r));
    TL_TRY(audit_and_move(w, s, r));
    while (s->check[0] == w->dynamic || (s->check[0] > w->dynamic && s->swung[0] > 0))
        TL_TRY(look_again(w, s, r));
    if (!(s->check[0] < w->dynamic))
        return TL_OK;
    w->backend->ops->fill(w->backend, w->halt.data, 0, sizeof(uint64_t));
    return diverged(w, &s->motion, (size_t)s->check[0]);
}

tl_status tl_step_dvi(tl_world *w)
{
    stages s;
    tl_report r = {0};
    const double begin = tl_now();
    double speed;
    tl_world_forget_asked(w);
    tl_world_exchange_centres(w);
    const tl_status status = make_step(w, &s, &r, &speed);
    w->swings = false;
    if (status != TL_OK) {
        tl_world_exchange_centres(w);
        w->sensed.count = 0; /* found at the others */
        return status;
    }
    TL_TRY(finish(w, &s, &r));
    tl_step_watch(w, speed, &s.found, &r);
    tl_step_held(w, &s.held);
    r.total_ms = tl_now() - begin;
    w->report = r;
    return TL_OK;
}
