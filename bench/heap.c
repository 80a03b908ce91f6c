/* The heap bench: cubes settle in an open box by the default stepper, then PEG with friction goes
 * on with them. Time per step, the mean and the longest, residual and iterations, at growing sizes;
 * and by which power of the number of bodies the time grows. */
#include "bench.h"

#include <math.h>
#include <time.h>

/* Seconds of processor time of all threads: what a busy machine leaves alone. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What the steps of a heap showed. */
typedef struct heap_sum {
    double ms, worst_ms, cpu_ms, worst_cpu_ms, residual, iterations;
    uint32_t most_iterations, unsettled, islands, size;
    size_t contacts;
} heap_sum;

static tl_status run_steps(tl_world *world, uint32_t steps, heap_sum *sum)
{
    const double begin = processor_seconds();
    for (uint32_t i = 0; i < steps; i++) {
        const double start = peer_now_ms(), start_cpu = processor_seconds();
        tl_report r;
        const tl_status status = tl_world_step(world, 1, &r);
        if (status < 0)
            return status;
        const double ms = peer_now_ms() - start;
        sum->ms += ms / steps;
        sum->worst_ms = fmax(sum->worst_ms, ms);
        sum->worst_cpu_ms = fmax(sum->worst_cpu_ms, 1e3 * (processor_seconds() - start_cpu));
        sum->residual = fmax(sum->residual, r.max_residual);
        sum->iterations += (double)r.iterations / steps;
        sum->most_iterations =
            r.iterations > sum->most_iterations ? r.iterations : sum->most_iterations;
        sum->unsettled += r.unsettled_groups;
        sum->islands = r.islands;
        sum->size = r.problem_size;
        sum->contacts = r.contacts;
    }
    sum->cpu_ms = 1e3 * (processor_seconds() - begin) / steps;
    return TL_OK;
}

/* One heap; its time per step, or 0 where it could not be had. */
static double run_heap(const bench_options *options, bench_output *output, size_t bodies)
{
    bench_options own = *options;
    pile_case pile;
    heap_sum sum = {0};
    own.layers = options->given & OPTION_LAYERS ? options->layers : (uint32_t)ceil(cbrt(bodies));
    if (!pile_case_make(output, &own, PILE_CUBES, bodies, &pile))
        return 0;
    const uint64_t memory = peer_memory_start();
    tl_world *world = settle_pile(output, &own, &pile);
    pile_case_free(&pile);
    if (!world)
        return 0;
    tl_settings settings = tl_world_settings(world);
    settings.stepper = TL_STEPPER_PEG;
    tl_status status = tl_world_set_settings(world, &settings);
    if (status >= 0)
        status = run_steps(world, options->steps, &sum);
    bench_row row = talus_row("heap", world, &settings, bodies);
    tl_world_destroy(world);
    if (output_status(output, "stepping the heap", bodies, status))
        return 0;
    row.peak_bytes = peer_memory_growth(memory);
    row.contacts = sum.contacts;
    row.iterations = (uint32_t)lround(sum.iterations);
    row.residual = sum.residual;
    row.ms_per_step = sum.ms;
    row_number(&row, "cpu_ms", sum.cpu_ms);
    row_number(&row, "cpu_ms_worst", sum.worst_cpu_ms);
    row_number(&row, "ms_worst", sum.worst_ms);
    row_number(&row, "iterations_most", sum.most_iterations);
    row_number(&row, "islands", sum.islands);
    row_number(&row, "problem_size", sum.size);
    row_number(&row, "unsettled_groups", sum.unsettled);
    output_row(output, &row);
    return sum.cpu_ms;
}

void bench_heap(const bench_options *options, bench_output *output)
{
    double before = 0;
    for (uint32_t i = 0; i < options->size_count; i++) {
        const double ms = run_heap(options, output, options->bodies[i]);
        if (i && before > 0 && ms > 0)
            output_line(output, "  from %zu to %zu bodies: as the power %.2f",
                        options->bodies[i - 1], options->bodies[i],
                        log(ms / before) /
                            log((double)options->bodies[i] / (double)options->bodies[i - 1]));
        before = ms;
    }
}
