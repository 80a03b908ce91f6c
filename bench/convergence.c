/* The convergence bench: the residual each solver reaches against its iterations, all on one
 * recorded problem. A pile is settled and saved; every point of a curve loads that snapshot and
 * does one step from zero impulses, so that nothing but the solver differs. */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#define MAX_ITERATIONS 1024
#define COUNTS         11 /* 1, 2, 4, ..., MAX_ITERATIONS */

/* A curve; the cone law makes the residuals of all solvers comparable. */
static const struct curve {
    tl_solver_kind kind;
    tl_law law;
} curves[] = {{TL_PSOR, TL_LAW_COULOMB},
              {TL_PSOR, TL_LAW_CONE},
              {TL_JACOBI, TL_LAW_CONE},
              {TL_APGD, TL_LAW_CONE},
              {TL_SPG, TL_LAW_CONE}};

#define CURVES (sizeof curves / sizeof curves[0])

/* Whether the command line asks for this curve. */
static bool wanted(const bench_options *options, const struct curve *curve)
{
    const tl_solver_def *solver = &options->settings.solver;
    return (!(options->given & OPTION_SOLVER) || solver->kind == curve->kind) &&
           (!(options->given & OPTION_LAW) || solver->law == curve->law);
}

/* A snapshot of a settled pile. */
typedef struct recording {
    pile_case pile;
    void *snapshot;
    size_t bytes;
} recording;

/* One point: loads the snapshot, does one step, makes a row. */
static bool run_point(bench_output *output, const recording *record, const struct curve *curve,
                      uint32_t iterations, bench_row *row)
{
    size_t bodies = record->pile.options.bodies;
    tl_world *world = NULL;
    malloc_trim(0);
    uint64_t memory = peer_memory_start();
    tl_status status = tl_world_load_on(record->snapshot, record->bytes,
                                        record->pile.options.settings.backend, &world);
    if (output_status(output, "loading the snapshot", bodies, status))
        return false;
    tl_settings settings = tl_world_settings(world);
    settings.solver.kind = curve->kind;
    settings.solver.law = curve->law;
    settings.solver.iterations = iterations;
    settings.solver.tolerance = 0;
    settings.solver.warm_start = false;
    tl_report report = {0};
    status = tl_world_set_settings(world, &settings);
    if (status >= 0)
        status = tl_world_step(world, 1, &report);
    *row = talus_row("convergence", world, &settings, bodies);
    row->ms_per_step = report.total_ms;
    row->stages = report.ms;
    row->stage_count = STAGE_COUNT;
    row->peak_bytes = peer_memory_growth(memory);
    row_text(row, "solver", solver_name(curve->kind));
    row_text(row, "law", law_name(&settings.solver));
    row_report(row, &report);
    bool done = !output_status(output, solver_name(curve->kind), bodies, status) &&
                audit_world(output, &record->pile, world, row);
    tl_world_destroy(world);
    return done;
}

/* Residuals by iterations and curve, one column a curve. */
static void print_curves(const bench_options *options, double residuals[CURVES][COUNTS])
{
    printf("%10s", "iterations");
    for (size_t c = 0; c < CURVES; c++) {
        char name[32];
        tl_solver_def solver = {.kind = curves[c].kind, .law = curves[c].law};
        snprintf(name, sizeof name, "%s (%s)", solver_name(solver.kind), law_name(&solver));
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

/* All curves of one recording. */
static void run_curves(const bench_options *options, bench_output *output, const recording *record)
{
    double residuals[CURVES][COUNTS];
    bench_row row = {0};
    for (size_t c = 0; c < CURVES; c++)
        for (uint32_t i = 0; i < COUNTS && wanted(options, &curves[c]); i++) {
            bool done = run_point(output, record, &curves[c], 1u << i, &row);
            residuals[c][i] = done ? row.residual : NAN;
            if (done && output->json)
                output_row(output, &row);
        }
    if (output->json)
        return;
    printf("%zu bodies, %zu contacts, %s precision, cold start, backend %s\n", row.bodies,
           row.contacts, row.precision, row.backend);
    print_curves(options, residuals);
}

void bench_convergence(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++) {
        recording record = {0};
        if (!pile_case_make(output, options, options->bodies[i], &record.pile))
            continue;
        /* The pile is settled by the default solver: curves must not depend on which are asked for.
         */
        record.pile.options.settings.solver = tl_settings_default().solver;
        tl_world *world = settle_pile(output, options, &record.pile);
        if (world && !output_status(output, "saving the pile", options->bodies[i],
                                    tl_world_save(world, &record.snapshot, &record.bytes)))
            run_curves(options, output, &record);
        tl_world_destroy(world);
        tl_snapshot_free(record.snapshot, record.bytes);
        pile_case_free(&record.pile);
    }
}
