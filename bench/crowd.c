/* The crowd bench: a bed of grains alone, and the same bed with a ball of 30 grain radii in it,
 * which has thousands of contacts. */
#include "bench.h"

#define BALL    30.0 /* grain radii */
#define COLUMNS 41u  /* of grains across the bed, at least: one and a half balls */

/* How deep the bed is: as deep as asked for, or as its width allows. */
static uint32_t bed_layers(const bench_options *options, size_t bodies)
{
    const size_t most = bodies / (COLUMNS * COLUMNS);
    if (options->given & OPTION_LAYERS)
        return options->layers;
    return most < 1 ? 1 : most < options->layers ? (uint32_t)most : options->layers;
}

/* One bed, with or without a ball; its time per step, and 0 where that could not be had. */
static double run_bed(const bench_options *options, bench_output *output, size_t bodies,
                      uint32_t threads, bool ball, double alone)
{
    bench_options own = *options;
    pile_case bed;
    bench_row row;
    own.layers = bed_layers(options, bodies);
    if (!pile_case_make(output, &own, PILE_SPHERES, bodies, &bed))
        return 0;
    bed.options.ball = ball ? BALL * bed.options.radius : 0;
    bed.options.settings.threads = threads;
    const bool done = measure_pile(output, &own, "crowd", &bed, &row);
    pile_case_free(&bed);
    if (!done)
        return 0;
    row_text(&row, "bed", ball ? "with a ball" : "alone");
    if (alone > 0)
        row_number(&row, "ms_over_bed", row.ms_per_step / alone);
    output_row(output, &row);
    return row.ms_per_step;
}

void bench_crowd(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++)
        for (uint32_t k = 0; k < options->thread_count_count; k++) {
            const uint32_t threads = options->thread_counts[k];
            const double alone = run_bed(options, output, options->bodies[i], threads, false, 0);
            run_bed(options, output, options->bodies[i], threads, true, alone);
        }
}
