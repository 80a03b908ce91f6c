/* Joints in a step. Velocities of articulations are projected onto the joints exactly: as the step
 * begins, after each sweep over contacts and at the end; and positions once bodies have moved. */
#include "step/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PASSES   4u   /* projections, until they leave nothing: one and what redundant rows take */
#define CLOSE    1e-8 /* of the size of an articulation: errors that need no correction; */
#define FINE     1e-9 /* where steps are of second order */
#define ASSEMBLY 40u  /* corrections of positions, at most */
#define PACE     24.0 /* that momentum of sweeps begins with, where all bodies have joints */

/* What the motor of an axis holds at a time. */
static tl_status aim_at(const tl_world *w, const tl_joint_entry *joint, uint32_t axis, double time,
                        double *target)
{
    const tl_function_rec *f = joint->rec.target[axis];
    char text[256] = "";
    *target = f ? tl_function_at(f, time) : 0;
    if (fabs(*target) < TLK_FAR)
        return TL_OK;
    if (f->def.kind == TL_FUNCTION_EXPRESSION)
        snprintf(text, sizeof text, ", by its expression \"%.200s\"", f->def.expression);
    return tl_fail(TL_DIVERGED,
                   "step %llu: joint %u: the motor of axes[%u] is to hold %g at time %g s%s; it "
                   "must be finite and below %g",
                   (unsigned long long)w->steps + 1, joint->id, axis,
                   isnan(*target) ? fabs(*target) : *target, time, text, TLK_FAR);
}

/* What it holds in the two halves of a smooth step: a force as each half's bodies are, a speed in
 * the middle and at the end; a position at the end, with its speed there. */
static tl_status aim_twice(const tl_world *w, const tl_joint_entry *joint, uint32_t axis,
                           double *targets)
{
    const double h = w->settings.step, end = w->time + h;
    const uint32_t drive = joint->rec.def.axes[axis].drive;
    double before, after;
    const double first = drive == TL_DRIVE_POSITION ? end
                         : drive == TL_DRIVE_SPEED  ? end - 0.5 * h
                                                    : w->time;
    TL_TRY(aim_at(w, joint, axis, first, targets));
    if (drive != TL_DRIVE_POSITION)
        return aim_at(w, joint, axis, end, targets + 1);
    TL_TRY(aim_at(w, joint, axis, end - 0.5 * h, &before));
    TL_TRY(aim_at(w, joint, axis, end + 0.5 * h, &after));
    targets[1] = (after - before) / h;
    return TL_OK;
}

/* What motors hold: at the end of the step, but for smooth ones. */
static tl_status aim(tl_world *w)
{
    tl_mechanism *m = &w->mechanism;
    const tl_joint_entry *joints = m->joints.data;
    const tl_joint_axis *owners = m->owners.data;
    double *targets = m->targets.data;
    for (size_t i = 0; i < m->owners.count && m->driven; i++) {
        const tl_joint_entry *joint = &joints[owners[i].joint];
        if (w->settings.stepper == TL_STEPPER_SMOOTH)
            TL_TRY(aim_twice(w, joint, owners[i].axis, targets + 2 * i));
        else
            TL_TRY(aim_at(w, joint, owners[i].axis, w->time + w->settings.step, targets + 2 * i));
    }
    if (m->driven)
        w->backend->ops->upload(w->backend, m->target.data, targets,
                                m->targets.count * sizeof *targets);
    return TL_OK;
}

/* Joints one at a time, in sweeps: nothing of them is exact, and rows themselves pull back what has
 * drifted apart. */
static bool iterates(const tl_world *w)
{
    return w->settings.solver.joints == TL_JOINTS_ITERATE;
}

/* How many looks at where bodies will be articulations need, at most: joints bend straight ways. A
 * device knows how many each needs, and what it has is not asked for. */
static uint32_t looks(const tl_world *w, uint32_t done)
{
    const tlk_articulated *how = w->mechanism.how.data;
    uint32_t most = done ? 0 : TLK_LOOKS;
    if (!w->backend->ops->threads)
        return TLK_LOOKS;
    for (uint32_t i = 0; i < w->mechanism.articulations && most < TLK_LOOKS; i++)
        most = how[i].looks > most ? how[i].looks : most;
    return most;
}

/* How fast momentum of sweeps begins. Machines alone take all of it at once; free bodies among them
 * have contacts that come and go, and need a slower start (docs/theory.md, "Momentum"). */
static double first_pace(const tl_world *w)
{
    const double joined = (double)w->mechanism.body_ids.count, free = w->dynamic - joined;
    return PACE * free > w->dynamic ? w->dynamic / free : PACE;
}

tl_status tl_step_joints_begin(tl_world *w, const tlk_motion *motion, tl_problem *problem,
                               tl_step_joints *joints)
{
    tl_backend *b = w->backend;
    const tl_mechanism *m = &w->mechanism;
    if (!m->count)
        return TL_OK;
    TL_TRY(aim(w));
    const bool often = problem->view.rows && b->ops->threads; /* on a CPU */
    if (often)
        TL_TRY(tl_joints_turn(w));
    TL_TRY(tl_buffer_need(b, &w->rest, 8 * (size_t)w->rows * b->real));
    tlk_joints *g = &joints->velocity;
    *g = tl_joints_view(w);
    g->motion = *motion;
    g->vel = motion->vel;
    g->inverse = problem->view.inverse ? w->problem.inverse.data : NULL;
    g->passes = PASSES;
    if (often) { /* among sweeps */
        g->columns = m->columns.data;
        g->turned = m->turned.data;
        g->divisor = m->divisor.data;
    }
    b->ops->fill(b, m->how.data, 0, m->articulations * sizeof(tlk_articulated));
    if (iterates(w)) {
        g->iterate = 1;
        g->passes = w->settings.solver.iterations;
        g->recovery = w->settings.recovery_fraction;
        g->recovery_speed = fmin(w->settings.recovery_speed, TLK_ENDLESS);
    }
    tl_run(b, TLK_joint_rows, m->count, g);
    g->rough = 1;
    if (iterates(w))
        tl_run(b, TLK_joint_project, m->articulations, g);
    for (; g->look < looks(w, g->look) && !iterates(w); g->look++) {
        g->motion.vel = g->look ? motion->vel : w->rest.data;
        if (!g->look)
            tl_run(b, TLK_joint_guess, (uint32_t)m->elimination.items.count, g);
        tl_run(b, TLK_joint_foresee, m->movers, g);
        tl_run(b, TLK_joint_bend, m->count, g);
        tl_run(b, TLK_joint_project, m->articulations, g);
    }
    g->motion.vel = motion->vel;
    g->look = g->rough = 0;
    joints->position = *g;
    joints->position.positions = 1;
    joints->position.passes = 1;
    joints->position.vel = w->pseudo.data;
    g->passes = 1; /* in sweeps */
    g->sweeping = !iterates(w) && w->settings.solver.kind == TL_PSOR;
    problem->joints = g;
    problem->articulations = m->articulations;
    problem->joint_rows = g->sweeping ? m->rows : 0;
    problem->pace = first_pace(w);
    problem->bounded = m->bounded;
    return TL_OK;
}

void tl_step_joints_solved(tl_world *w, const tl_problem *problem, const tlk_bounce *before,
                           tl_step_joints *joints)
{
    tl_backend *b = w->backend;
    const tl_mechanism *m = &w->mechanism;
    if (!problem->view.rows || !tl_step_joined(w))
        return;
    if (joints->velocity.sweeping) {
        const size_t bytes = 8 * (size_t)w->rows * b->real;
        const tlk_joined_bodies held = {m->node_body.data, NULL, w->rest.data, problem->view.vel};
        b->ops->copy(b, w->rest.data, before->before, bytes);
        b->ops->copy(b, m->lambda.data, before->part + w->dynamic, m->rows * sizeof(double));
        tl_psor_guess(b, problem, true, w->rest.data);
        tl_run(b, TLK_joint_anew, (uint32_t)m->elimination.items.count, &held);
    }
    joints->velocity.sweeping = 0;
    joints->velocity.passes = PASSES;
    tl_run(w->backend, TLK_joint_project, w->mechanism.articulations, &joints->velocity);
}

void tl_step_joints_positions(tl_world *w, const tl_step_joints *joints, tl_problem *second)
{
    second->joints = w->mechanism.count ? &joints->position : NULL;
}

void tl_step_joints_store(tl_world *w, const tlk_motion *motion, tl_step_joints *joints)
{
    if (!w->mechanism.count)
        return;
    joints->velocity.motion = *motion;
    tl_run(w->backend, TLK_joint_store, w->mechanism.count, &joints->velocity);
}

void tl_step_joints_place(tl_world *w, tl_step_joints *joints)
{
    if (!w->mechanism.count)
        return;
    joints->velocity.passes = iterates(w) ? 0 : ASSEMBLY; /* 0: values and angles alone */
    joints->velocity.close = w->settings.stepper == TL_STEPPER_SMOOTH ? FINE : CLOSE;
    tl_run(w->backend, TLK_joint_assemble, w->mechanism.articulations, &joints->velocity);
}

void tl_step_joints_again(tl_world *w, const tlk_motion *motion, tl_step_joints *joints)
{
    const tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    tlk_joints g = joints->velocity;
    if (!m->count)
        return;
    g.motion = *motion;
    g.vel = motion->vel;
    g.last = g.next; /* what the first half has left */
    g.passes = PASSES;
    b->ops->fill(b, m->how.data, 0, m->articulations * sizeof(tlk_articulated));
    tl_run(b, TLK_joint_rows, m->count, &g);
    tl_run(b, TLK_joint_project, m->articulations, &g);
    tl_run(b, TLK_joint_store, m->count, &g);
    if (!m->thrown)
        return;
    tl_run(b, TLK_joint_meet, m->count, &g);
    g.throws = 1;
    tl_run(b, TLK_joint_rows, m->count, &g);
    tl_run(b, TLK_joint_project, m->articulations, &g);
    tl_run(b, TLK_joint_store, m->count, &g);
}

tl_status tl_step_joints_end(tl_world *w, tl_step_joints *joints, double *moved, tl_report *r)
{
    tl_mechanism *m = &w->mechanism;
    tl_backend *b = w->backend;
    tlk_joints *g = &joints->velocity;
    double n[TLK_FOLD_NUMBERS];
    r->joints = (uint32_t)m->joints.count;
    r->articulations = m->articulations;
    r->joint_correction = m->corrected;
    if (!m->count)
        return TL_OK;
    const tl_folding folds[2] = {{TLK_FOLD_joint_audit, m->count, g, n},
                                 {TLK_FOLD_moved_energy, w->dynamic, &g->motion, moved}};
    TL_TRY(b->ops->fold(b, folds, 2));
    r->joint_error = n[0];
    r->joint_residual = n[1];
    r->broken_joints = (uint32_t)n[2];
    r->redundant_rows = (uint32_t)n[5];
    r->spring_energy = n[6];
    r->motor_energy = m->work + n[3];
    r->work_energy = n[3];
    r->dissipated_energy = n[3] - n[4] + n[7];
    m->work += n[3];
    m->spring = n[6];
    m->current = 1 - m->current;
    m->stale = m->stale || r->broken_joints;
    m->parting = m->parting || r->broken_joints;
    return TL_OK;
}
