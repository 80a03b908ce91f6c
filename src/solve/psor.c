/* Projected Gauss-Seidel, colour by colour: within a colour no two rows share a moving body, so its
 * rows may be taken at once, by any number of threads, with the same result. Of a crowded body they
 * have copies, which get their mean velocity after each sweep (docs/theory.md, "Crowded bodies").
 */
#include "solve/problem.h"

#include <string.h>

#define CHECK_EVERY 4 /* sweeps between looks at the residual, where there is a tolerance */
#define EARLY       8 /* sweeps before the coarse level, at most, where there is a tolerance */

/* Of deep heaps (docs/theory.md, "Over-relaxation"): step factors of velocities and positions, and
 * how many sweeps before an end or a look have none. */
#define OVER_VELOCITIES 1.3
#define OVER_POSITIONS  1.7
#define PLAIN           2

/* A problem as sweeps see it: with copies of crowded bodies as blocks. */
typedef struct sweeping {
    tlk_problem view;
    tlk_split split;
    tl_launch list[TL_SEGMENTS + 10];
    tlk_momentum momentum;
    tl_folding turn;
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

/* Cuts bytes off a buffer. */
static void *cut(char **at, size_t bytes)
{
    void *piece = *at;
    *at += (bytes + 63) / 64 * 64;
    return piece;
}

/* Momentum begins: nothing has moved yet. */
static tl_status begin_momentum(tl_backend *b, tl_workspace *w, const tl_problem *problem,
                                sweeping *s)
{
    tlk_momentum *m = &s->momentum;
    const size_t vel = 8 * (size_t)s->view.blocks * b->real, rows = 3 * (size_t)s->view.rows;
    const size_t gamma = rows * b->real, lambda = problem->joint_rows * sizeof(double);
    const size_t dots = tl_fold_room((uint32_t)(rows / TLK_LANES));
    TL_TRY(tl_buffer_need(b, &w->momentum,
                          sizeof(tlk_pace) + dots + vel + 3 * gamma + lambda + 7 * 64));
    char *at = w->momentum.data;
    const tlk_pace pace = {.theta = problem->pace};
    *m = (tlk_momentum){.a = s->view.a,
                        .vel = s->view.vel,
                        .gamma = s->view.gamma,
                        .moment = s->view.moment,
                        .lambda = problem->joints->lambda};
    m->pace = cut(&at, sizeof pace);
    s->turn = (tl_folding){TLK_FOLD_momentum_turn, (uint32_t)(rows / TLK_LANES), m, NULL};
    m->dots = s->turn.numbers = cut(&at, dots);
    m->last_vel = cut(&at, vel);
    m->last_gamma = cut(&at, gamma);
    m->from = cut(&at, gamma);
    m->last_moment = cut(&at, gamma);
    m->last_lambda = cut(&at, lambda);
    b->ops->upload(b, m->pace, &pace, sizeof pace);
    b->ops->copy(b, m->last_vel, m->vel, vel);
    b->ops->copy(b, m->last_gamma, m->gamma, gamma);
    b->ops->copy(b, m->from, m->gamma, gamma);
    if (m->moment)
        b->ops->copy(b, m->last_moment, m->moment, gamma);
    b->ops->copy(b, m->last_lambda, m->lambda, lambda);
    return TL_OK;
}

/* What makes a sweep go on in the direction of the last ones: behind `count` launches of it. Joints
 * make up for what it does to the impulses of theirs that have one state. */
static size_t momentum_launches(const tl_problem *problem, sweeping *s, size_t count)
{
    const uint32_t packets = s->turn.count;
    const tl_launch list[] = {
        {TLK_FOLD, 0, packets, false, &s->turn},
        {TLK_momentum_decide, 0, 1, true, &s->momentum},
        {TLK_momentum_block, 0, s->view.moving, false, &s->momentum},
        {TLK_momentum_rows, 0, packets, false, &s->momentum},
        {TLK_momentum_joint, 0, problem->joint_rows, false, &s->momentum},
    };
    memcpy(s->list + count, list, sizeof list);
    return sizeof list / sizeof *list;
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

/* The step factor of sweeps that others follow: of deep heaps of balls. Those of cubes have arm
 * rows, gain nothing, and with longer steps of velocities come to rest later. */
static double factor(const tl_problem *problem, const tl_solver_def *def)
{
    const tlk_problem *view = &problem->view;
    if (def->omega > 0 || !problem->lattice.cells[0] || view->arm_base < view->rows)
        return view->omega;
    return view->frictionless ? OVER_POSITIONS : OVER_VELOCITIES;
}

/* So many sweeps, of which the first ones take longer steps: all but `plain`. */
static void sweep(tl_backend *backend, sweeping *s, size_t count, uint32_t some, uint32_t plain,
                  double longer)
{
    const double usual = s->view.omega;
    if (longer == usual || some <= plain)
        plain = some;
    s->view.omega = longer;
    if (some > plain)
        backend->ops->run(backend, s->list, count, some - plain);
    s->view.omega = usual;
    if (plain)
        backend->ops->run(backend, s->list, count, plain);
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
    const double longer = factor(problem, def);
    size_t more = 0;
    if (problem->joints && problem->joint_rows && iterations > 2) {
        TL_TRY(begin_momentum(backend, workspace, problem, &s));
        more = momentum_launches(problem, &s, count);
    }
    while (solution->iterations < iterations) {
        uint32_t some = iterations - solution->iterations;
        if (def->tolerance > 0 && some > CHECK_EVERY)
            some = CHECK_EVERY;
        if (solution->iterations < coarse && some > coarse - solution->iterations)
            some = coarse - solution->iterations;
        if (more && solution->iterations)
            backend->ops->run(backend, s.list + count, more, 1);
        if (more && some > 1)
            backend->ops->run(backend, s.list, count + more, some - 1);
        solution->iterations += some;
        const bool end = def->tolerance > 0 || solution->iterations == iterations;
        sweep(backend, &s, count, more ? 1 : some, end ? PLAIN : 0, longer);
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
