/* Projected Gauss-Seidel, colour by colour: within a colour no two rows share a moving body, so its
 * rows may be taken at once, by any number of threads, with the same result. Of a crowded body they
 * have copies, which get their mean velocity after each sweep (docs/theory.md, "Crowded bodies").
 */
#include "solve/problem.h"

#define CHECK_EVERY 4 /* sweeps between looks at the residual, where there is a tolerance */
#define EARLY       8 /* sweeps before the coarse level, at most, where there is a tolerance */

/* A problem as sweeps see it: with copies of crowded bodies as blocks. */
typedef struct sweeping {
    tlk_problem view;
    tlk_split split;
    tl_launch list[TL_SEGMENTS + 5];
} sweeping;

/* Rows are split when the velocity problem is solved; the position problem has the same. */
static void split(tl_backend *backend, const tl_problem *problem, sweeping *s)
{
    tlk_split *q = &s->split;
    s->view = problem->view;
    *q = problem->split;
    if (!q->copies)
        return;
    q->bodies_vel = s->view.vel;
    s->view.a = q->a;
    s->view.b = q->b;
    s->view.vel = q->vel;
    s->view.inverse = q->inverse;
    s->view.blocks += q->copies;
    s->view.moving += q->copies;
    if (!s->view.frictionless) {
        tl_run(backend, TLK_split_rows, s->view.rows, q);
        tl_run(backend, TLK_split_pairs, q->pairs, q);
    }
    tl_run(backend, TLK_split_in, s->view.blocks, q);
}

/* What the sweeps made of the bodies' velocities. */
static void unite(tl_backend *backend, const sweeping *s)
{
    if (s->split.copies)
        tl_run(backend, TLK_split_out, s->split.colour.dynamic, &s->split);
}

static size_t launches(const tl_problem *problem, tl_kernel kernel, sweeping *s)
{
    size_t count = 0;
    for (uint32_t i = 0; i < problem->segment_count; i++)
        s->list[count++] = (tl_launch){kernel, problem->segments[i].begin, problem->segments[i].end,
                                       problem->segments[i].serial, &s->view};
    if (s->split.copies) {
        s->list[count++] = (tl_launch){TLK_crowd_mean, 0, 8 * s->split.copies, false, &s->split};
        s->list[count++] = (tl_launch){TLK_crowd_spread, 0, s->split.copies, false, &s->split};
    }
    if (!problem->joints)
        return count;
    /* joints are solved exactly, all at once: one more block of the sweep. They know no copies */
    if (s->split.copies)
        s->list[count++] = (tl_launch){TLK_split_out, 0, s->split.colour.dynamic, false, &s->split};
    s->list[count++] =
        (tl_launch){TLK_joint_project, 0, problem->articulations, false, problem->joints};
    if (s->split.copies)
        s->list[count++] = (tl_launch){TLK_split_in, 0, s->view.blocks, false, &s->split};
    return count;
}

void tl_psor_guess(tl_backend *backend, const tl_problem *problem, void *vel)
{
    tl_problem start = *problem;
    sweeping s;
    start.joints = NULL;
    start.view.vel = vel;
    split(backend, &start, &s);
    backend->ops->run(backend, s.list, launches(&start, TLK_psor_start, &s), 1);
    unite(backend, &s);
}

/* The coarse level, where there is one: it sees bodies. */
static tl_status correct(tl_backend *backend, tl_workspace *workspace, const tl_problem *problem,
                         sweeping *s)
{
    unite(backend, s);
    TL_TRY(tl_coarse_correct(backend, workspace, problem, &s->view));
    if (s->split.copies)
        tl_run(backend, TLK_split_in, s->view.blocks, &s->split);
    return TL_OK;
}

/* After how many sweeps the coarse level has its turn; more than there are: never. */
static uint32_t coarse_after(const tl_problem *problem, const tl_solver_def *def,
                             uint32_t iterations)
{
    const uint32_t half = (iterations + 1) / 2;
    if (!problem->lattice.cells[0] || problem->view.frictionless)
        return iterations + 1;
    return def->tolerance > 0 && half > EARLY ? EARLY : half;
}

tl_status tl_solve_psor(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    sweeping s;
    split(backend, problem, &s);
    if (!problem->view.frictionless &&
        !problem->started) /* the position problem starts from zero */
        backend->ops->run(backend, s.list, launches(problem, TLK_psor_start, &s), 1);
    const size_t count = launches(problem, TLK_psor_sweep, &s);
    const uint32_t coarse = coarse_after(problem, def, iterations);
    while (solution->iterations < iterations) {
        uint32_t some = iterations - solution->iterations;
        if (def->tolerance > 0 && some > CHECK_EVERY)
            some = CHECK_EVERY;
        if (solution->iterations < coarse && some > coarse - solution->iterations)
            some = coarse - solution->iterations;
        backend->ops->run(backend, s.list, count, some);
        solution->iterations += some;
        if (solution->iterations == coarse)
            TL_TRY(correct(backend, workspace, problem, &s));
        if (def->tolerance > 0) {
            unite(backend, &s);
            TL_TRY(tl_residual(backend, problem, &solution->residual, NULL));
            if (solution->residual <= def->tolerance)
                break;
        }
    }
    unite(backend, &s);
    return TL_OK;
}
