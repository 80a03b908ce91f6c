/* Projected Gauss-Seidel, colour by colour: within a colour no two rows share a moving body, so its
 * rows may be taken at once, by any number of threads, with the same result. Of a crowded body they
 * have copies, which get their mean velocity after each sweep (docs/theory.md, "Crowded bodies").
 */
#include "solve/problem.h"

#include <string.h>

#define CHECK_EVERY 4 /* sweeps between looks at the residual, where there is a tolerance */
#define GOING_ON    5 /* sweeps that are enough for momentum to count */
#define EARLY       8 /* sweeps before the coarse level, at most, where there is a tolerance */

/* Of deep heaps (docs/theory.md, "Over-relaxation"): step factors of velocities and positions, and
 * how many sweeps before an end or a look have none. */
#define OVER_VELOCITIES 1.3
#define OVER_POSITIONS  1.7
#define PLAIN           2

/* Of the last change that momentum makes once more, at most (docs/theory.md, "Momentum"): where
 * there are joints, and with the cone law. */
#define GO_ON_JOINTS 0.95
#define GO_ON_CONES  0.98

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

/* The colours, one after the other; `joined`: of rows with joined bodies alone. */
static size_t colours(const tl_problem *problem, tl_kernel kernel, const tlk_problem *view,
                      bool joined, tl_launch *list)
{
    size_t count = 0;
    for (uint32_t i = 0; i < problem->segment_count; i++) {
        const tl_segment *segment = &problem->segments[i];
        const uint32_t end = joined ? segment->joined : segment->end;
        if (end > segment->begin)
            list[count++] = (tl_launch){kernel, segment->begin, end, segment->serial, view};
    }
    return count;
}

/* What comes after the colours of a sweep, behind `count` launches. Returns how many these are
 * then. */
static size_t means(const tl_problem *problem, sweeping *s, size_t count)
{
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

/* Which sides of rows with joined bodies are those of free ones, by these: for both problems of a
 * step. */
static tl_status list_sides(tl_backend *b, tl_workspace *w, tl_problem *problem, tlk_momentum *m)
{
    const uint32_t sides = 2 * TLK_LANES * m->row_packets;
    uint32_t bits = 0;
    TL_TRY(tl_buffer_need(b, &w->list_key, sides * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &w->list, sides * sizeof(uint32_t)));
    m->key = w->list_key.data;
    m->side = w->list.data;
    if (problem->sided)
        return TL_OK;
    problem->sided = true;
    while (m->problem.moving >> bits)
        bits++;
    tl_run(b, TLK_momentum_side, sides, m);
    return b->ops->sort(b, m->key, m->side, sides, bits);
}

/* Momentum begins: nothing has moved yet. */
static tl_status begin_momentum(tl_backend *b, tl_workspace *w, tl_problem *problem, sweeping *s)
{
    tlk_momentum *m = &s->momentum;
    const uint32_t packets =
        3 * (problem->joint_rows ? problem->joined_packets : s->view.rows / TLK_LANES);
    const size_t dots = tl_fold_room(packets), rows = 3 * (size_t)s->view.rows * b->real;
    const size_t vel = 8 * (size_t)s->view.moving * b->real;
    const size_t lambda = problem->joint_rows * sizeof(double);
    TL_TRY(tl_buffer_need(b, &w->momentum,
                          sizeof(tlk_pace) + dots + (s->view.moment ? 5 : 3) * rows + vel + lambda +
                              9 * 64));
    char *at = w->momentum.data;
    const bool joints = problem->joint_rows > 0;
    const tlk_pace pace = {.theta = joints ? problem->pace : 1,
                           .most = joints ? GO_ON_JOINTS : GO_ON_CONES};
    *m = (tlk_momentum){.problem = s->view,
                        .rows = joints ? problem->joined : NULL,
                        .row_packets = packets / 3,
                        .gamma = s->view.gamma,
                        .moment = s->view.moment,
                        .lambda = joints ? problem->joints->lambda : NULL,
                        .joint_rows = problem->joint_rows,
                        .dynamic = s->split.colour.dynamic,
                        .owner = s->split.owner,
                        .joined = s->split.colour.joined};
    m->pace = cut(&at, sizeof pace);
    s->turn = (tl_folding){TLK_FOLD_momentum_turn, packets, m, NULL};
    m->dots = s->turn.numbers = cut(&at, dots);
    m->last_gamma = cut(&at, rows);
    m->from = cut(&at, rows);
    m->problem.gamma = cut(&at, rows);
    if (m->moment) {
        m->last_moment = cut(&at, rows);
        m->problem.moment = cut(&at, rows);
    }
    m->last_vel = cut(&at, vel);
    m->last_lambda = cut(&at, lambda);
    b->ops->upload(b, m->pace, &pace, sizeof pace);
    if (joints)
        b->ops->copy(b, m->last_lambda, m->lambda, lambda);
    tl_run(b, TLK_momentum_begin, packets, m);
    tl_run(b, TLK_momentum_still, m->problem.moving, m);
    return m->joined ? list_sides(b, w, problem, m) : TL_OK;
}

/* Whether sweeps go on in the direction of the last ones: where they are slow otherwise, machines,
 * and where a potential makes that safe, unless a step factor is asked for. In 32 bits rounding
 * goes on with them, and keeps a ball that rolls slipping. */
static bool has_momentum(const tl_backend *backend, const tl_problem *problem,
                         const tl_solver_def *def, uint32_t iterations)
{
    const tlk_problem *view = &problem->view;
    if (iterations < GOING_ON)
        return false;
    if (problem->joints)
        return problem->joint_rows > 0 && problem->joined_packets > 0;
    return !view->coulomb && !view->frictionless && !(def->omega > 0) &&
           backend->precision == TL_DOUBLE;
}

/* What makes a sweep go on in the direction of the last ones: behind `count` launches of it.
 * Velocities are projected onto joints afterwards. Returns how many launches there are then. */
static size_t momentum_launches(sweeping *s, size_t count)
{
    const tlk_momentum *m = &s->momentum;
    const uint32_t packets = s->turn.count, moving = m->problem.moving;
    const uint32_t most = moving > m->joint_rows ? moving : m->joint_rows;
    s->list[count++] = (tl_launch){TLK_FOLD, 0, packets, false, &s->turn};
    s->list[count++] = (tl_launch){TLK_momentum_decide, 0, 1, true, m};
    s->list[count++] = (tl_launch){TLK_momentum_rows, 0, packets, false, m};
    s->list[count++] = (tl_launch){TLK_momentum_block, 0, most, false, m};
    if (m->joined)
        s->list[count++] =
            (tl_launch){TLK_momentum_free, 0, 2 * TLK_LANES * m->row_packets, false, m};
    return count;
}

void tl_psor_guess(tl_backend *backend, const tl_problem *problem, bool joined, void *vel)
{
    tl_problem start = *problem;
    sweeping s;
    start.joints = NULL;
    start.view.vel = vel;
    if (joined)
        start.view.turns = NULL;
    split(backend, &start, &s);
    const size_t count = colours(&start, TLK_psor_start, &s.view, joined, s.list);
    backend->ops->run(backend, s.list, means(&start, &s, count), 1);
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

/* The step factor of sweeps that others follow: of deep heaps of balls. Those of cubes have anchor
 * rows, gain nothing, and with longer steps of velocities come to rest later. Momentum takes the
 * place of longer steps. */
static double factor(const tl_problem *problem, const tl_solver_def *def)
{
    const tlk_problem *view = &problem->view;
    if (def->omega > 0 || !problem->lattice.cells[0] || view->anchor_base < view->rows)
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

/* So many sweeps with momentum, `count` launches each, but for the last: without what is between
 * those of the sweep itself and `went`. */
static void go_on(tl_backend *backend, const sweeping *s, size_t swept, size_t went, size_t count,
                  uint32_t some, bool begun)
{
    if (begun)
        backend->ops->run(backend, s->list + swept, count - swept, 1);
    if (some > 1)
        backend->ops->run(backend, s->list, count, some - 1);
    backend->ops->run(backend, s->list, swept, 1);
    backend->ops->run(backend, s->list + went, count - went, 1);
}

tl_status tl_solve_psor(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    sweeping s;
    split(backend, problem, &s);
    size_t count = colours(problem, TLK_psor_start, &s.view, false, s.list);
    if (!problem->view.frictionless &&
        !problem->started) /* the position problem starts from zero */
        backend->ops->run(backend, s.list, means(problem, &s, count), 1);
    const size_t swept = colours(problem, TLK_psor_sweep, &s.view, false, s.list);
    const uint32_t coarse = coarse_after(problem, def, iterations);
    const double longer = factor(problem, def);
    const bool goes_on = has_momentum(backend, problem, def, iterations);
    if (goes_on)
        TL_TRY(begin_momentum(backend, workspace, problem, &s));
    const size_t went = goes_on ? momentum_launches(&s, swept) : swept;
    count = means(problem, &s, went);
    while (solution->iterations < iterations) {
        uint32_t some = iterations - solution->iterations;
        if (def->tolerance > 0 && some > CHECK_EVERY)
            some = CHECK_EVERY;
        if (solution->iterations < coarse && some > coarse - solution->iterations)
            some = coarse - solution->iterations;
        if (goes_on)
            go_on(backend, &s, swept, went, count, some, solution->iterations > 0);
        solution->iterations += some;
        const bool end = def->tolerance > 0 || solution->iterations == iterations;
        if (!goes_on)
            sweep(backend, &s, count, some, end ? PLAIN : 0, longer);
        if (solution->iterations == coarse) {
            TL_TRY(correct(backend, workspace, problem, &s));
            if (goes_on) /* which is nothing to go on with */
                TL_TRY(begin_momentum(backend, workspace, problem, &s));
        }
        if (def->tolerance > 0) {
            unite(backend, &s);
            TL_TRY(tl_residual(backend, problem, &solution->residual, NULL));
            if (solution->residual <= def->tolerance)
                break;
        }
    }
    unite(backend, &s);
    if (goes_on &&
        !problem->joints) { /* rounding has grown with them: velocities of impulses, anew */
        backend->ops->copy(backend, problem->view.vel, problem->view.free,
                           8 * (size_t)problem->view.blocks * backend->real);
        tl_psor_guess(backend, problem, false, problem->view.vel);
    }
    return TL_OK;
}
