/* The convergence bench: the residual each solver reaches against its iterations, all on one
 * problem. A pile is settled, and its next velocity problem is solved from zero impulses again and
 * again, with 1, 2, 4, ... iterations. The world does no step meanwhile, so nothing but the solver
 * differs, and nothing has to be loaded again: a point costs what its iterations cost. */
#include "bench.h"
#include "world/world.h"

#include <math.h>

#define MAX_ITERATIONS 1024
#define COUNTS         11 /* 1, 2, 4, ..., MAX_ITERATIONS */

/* Residuals are comparable where the law is the same. */
static const struct curve {
    tl_solver_kind kind;
    tl_law law;
} curves[] = {{TL_PSOR, TL_LAW_COULOMB}, {TL_JACOBI, TL_LAW_COULOMB}, {TL_APGD, TL_LAW_COULOMB},
              {TL_SPG, TL_LAW_COULOMB},  {TL_PSOR, TL_LAW_CONE},      {TL_JACOBI, TL_LAW_CONE},
              {TL_APGD, TL_LAW_CONE},    {TL_SPG, TL_LAW_CONE}};

#define CURVES (sizeof curves / sizeof curves[0])

/* Whether the command line asks for this curve. */
static bool wanted(const bench_options *options, const struct curve *curve)
{
    const tl_solver_def *solver = &options->settings.solver;
    return (!(options->given & OPTION_SOLVER) || solver->kind == curve->kind) &&
           (!(options->given & OPTION_LAW) || solver->law == curve->law);
}

/* The velocity problem of the world's next step, from zero impulses: what a curve's points solve.
 * It is the one that psor would have: what contacts at rest ask for depends on the solver. */
static tl_status next_problem(tl_world *world, const struct curve *curve, tl_problem *problem)
{
    tl_settings settings = tl_world_settings(world);
    settings.solver.kind = TL_PSOR;
    settings.solver.law = curve->law;
    settings.solver.warm_start = false;
    tl_status status = tl_world_set_settings(world, &settings);
    if (status >= 0)
        status = tl_step_problem(world, problem);
    settings.solver.kind = curve->kind;
    return status < 0 ? status : tl_world_set_settings(world, &settings);
}

/* One point: solves the problem anew and makes a row. */
static tl_status run_point(tl_world *world, tl_problem *problem, uint32_t iterations,
                           bench_row *row, double *gap)
{
    tl_backend *backend = world->backend;
    tl_solver_def solver = world->settings.solver;
    tl_solution solution;
    double worst;
    const size_t velocities = 8 * (size_t)problem->view.blocks * backend->real;
    const size_t impulses = 3 * (size_t)problem->view.rows * backend->real;
    backend->ops->fill(backend, problem->view.gamma, 0, impulses);
    backend->ops->copy(backend, problem->view.vel, problem->view.free, velocities);
    solver.tolerance = 0;
    double begin = peer_now_ms();
    tl_status status =
        tl_solve(backend, &world->workspace, problem, &solver, iterations, &solution);
    if (status >= 0 && backend->ops->wait)
        backend->ops->wait(backend);
    double end = peer_now_ms();
    if (status >= 0)
        status = tl_residual(backend, problem, &row->residual, &worst);
    if (status < 0)
        return status;
    row->contacts = world->contacts[1 - world->current].count; /* of the next step */
    row->iterations = solution.iterations;
    row_text(row, "solver", tl_word(TL_WORDS_SOLVER, solver.kind));
    row_text(row, "law", law_name(&solver));
    row_number(row, "max_residual", worst);
    row_number(row, "solve_ms", end - begin);
    if (solver.kind == TL_INTERIOR)
        row_number(row, "gap", solution.gap);
    *gap = solution.gap;
    return TL_OK;
}

/* Residuals by iterations and curve, one column a curve. */
static void print_curves(const bench_options *options, double residuals[CURVES][COUNTS])
{
    printf("%10s", "iterations");
    for (size_t c = 0; c < CURVES; c++) {
        char name[32];
        tl_solver_def solver = {.kind = curves[c].kind, .law = curves[c].law};
        snprintf(name, sizeof name, "%s (%s)", tl_word(TL_WORDS_SOLVER, solver.kind),
                 law_name(&solver));
        if (wanted(options, &curves[c]))
            printf(" %15s", name);
    }
    printf("   residual, m/s\n");
    for (uint32_t i = 0; i < COUNTS; i++) {
        printf("%10u", 1u << i);
        for (size_t c = 0; c < CURVES; c++)
            if (wanted(options, &curves[c]))
                printf(" %15.3e", residuals[c][i]);
        printf("\n");
    }
}

/* Whether a curve keeps falling, and how far. */
static void print_falls(const bench_options *options, double residuals[CURVES][COUNTS])
{
    for (size_t c = 0; c < CURVES; c++) {
        tl_solver_def solver = {.kind = curves[c].kind, .law = curves[c].law};
        const double *r = residuals[c];
        uint32_t rises = 0;
        if (!wanted(options, &curves[c]))
            continue;
        for (uint32_t i = 1; i < COUNTS; i++)
            rises += !(r[i] < r[i - 1]);
        printf("%s (%s): falls to 1/%.3g of the first point, ",
               tl_word(TL_WORDS_SOLVER, solver.kind), law_name(&solver), r[0] / r[COUNTS - 1]);
        if (rises)
            printf("but not from point to point: %u of %u do not fall\n", rises, COUNTS - 1);
        else
            printf("and at every point\n");
    }
}

/* All points of a curve. `made` is what its rows share. */
static bool run_curve(bench_output *output, tl_world *world, const struct curve *curve,
                      const bench_row *made, double residuals[COUNTS])
{
    tl_problem problem;
    double gap;
    tl_status status = next_problem(world, curve, &problem);
    for (uint32_t i = 0; i < COUNTS && status >= 0; i++) {
        bench_row row = *made;
        status = run_point(world, &problem, 1u << i, &row, &gap);
        residuals[i] = row.residual;
        if (status >= 0 && output->json)
            output_row(output, &row);
    }
    return !output_status(output, tl_word(TL_WORDS_SOLVER, curve->kind), made->bodies, status);
}

/* The solver interior, if it is asked for: it ends by its certificate, not by iterations. */
static bool run_certified(const bench_options *options, bench_output *output, tl_world *world,
                          const bench_row *made)
{
    static const struct curve laws[] = {{TL_INTERIOR, TL_LAW_COULOMB}, {TL_INTERIOR, TL_LAW_CONE}};
    for (size_t i = 0; i < 2; i++) {
        tl_problem problem;
        bench_row row = *made;
        double gap = NAN;
        if (!(options->given & OPTION_SOLVER) || !wanted(options, &laws[i]))
            continue;
        tl_status status = next_problem(world, &laws[i], &problem);
        const double begin = peer_now_ms();
        if (status >= 0)
            status = run_point(world, &problem, 1, &row, &gap);
        if (output_status(output, "interior", made->bodies, status))
            return false;
        if (output->json)
            output_row(output, &row);
        else
            printf("interior (%s): %u factorizations, %.0f ms, residual %.1e m/s, relative gap "
                   "%.1e\n",
                   tl_word(TL_WORDS_LAW, laws[i].law), row.iterations, peer_now_ms() - begin,
                   row.residual, gap);
    }
    return true;
}

/* All curves of a settled pile. */
static void run_curves(const bench_options *options, bench_output *output, const pile_case *pile,
                       tl_world *world)
{
    double residuals[CURVES][COUNTS];
    tl_settings settings = tl_world_settings(world);
    bench_row made = talus_row("convergence", world, &settings, pile->options.bodies);
    made.ms_per_step = NAN;
    bool done = audit_world(output, pile, world, &made);
    for (size_t c = 0; c < CURVES && done; c++)
        if (wanted(options, &curves[c]))
            done = run_curve(output, world, &curves[c], &made, residuals[c]);
    if (done && output->json)
        done = run_certified(options, output, world, &made);
    if (output->json || !done)
        return;
    printf("%zu bodies, %u contacts, %s precision, cold start, backend %s\n", made.bodies,
           world->contacts[1 - world->current].count, made.precision, made.backend);
    if (options->given & OPTION_SOLVER && options->settings.solver.kind == TL_INTERIOR) {
        run_certified(options, output, world, &made);
        return;
    }
    print_curves(options, residuals);
    print_falls(options, residuals);
}

void bench_convergence(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++) {
        pile_case pile;
        if (!pile_case_make(output, options, PILE_SPHERES, options->bodies[i], &pile))
            continue;
        /* The pile is settled by the default solver: curves must not depend on which are asked for.
         */
        tl_solver_def *solver = &pile.options.settings.solver;
        *solver = tl_settings_default().solver;
        solver->iterations = options->settings.solver.iterations;
        solver->position_iterations = options->settings.solver.position_iterations;
        tl_world *world = settle_pile(output, options, &pile);
        if (world)
            run_curves(options, output, &pile, world);
        tl_world_destroy(world);
        pile_case_free(&pile);
    }
}
