/* The pile and shapes benches: equal spheres, cubes or hulls settle in a box, by Talus and by other
 * engines from the same start, and every result goes through the same audit. */
#include "bench.h"

#include <stdlib.h>

/* The same start for a peer: the bodies at rest, and five boxes with the inner faces of the
 * scene's. */
peer_start pile_start(const bench_options *options, const pile_case *pile)
{
    double w = pile->half_width, h = 0.5 * pile->height, t = 5 * pile->options.radius;
    peer_start start = {.task = PEER_PILE,
                        .bodies = pile->options.bodies,
                        .settle = options->settle,
                        .steps = options->steps,
                        .radius = pile->options.radius,
                        .density = pile->options.density,
                        .friction = pile->options.friction,
                        .step = pile->options.settings.step,
                        .gravity = -pile->options.settings.gravity[2],
                        .solids = pile->options.kind != PILE_SPHERES,
                        .cubes = pile->options.kind == PILE_CUBES,
                        .shape = pile->shape,
                        .box_count = 5,
                        .boxes = {{0, 0, -t, w + 2 * t, w + 2 * t, t},
                                  {-w - t, 0, h, t, w + 2 * t, h},
                                  {w + t, 0, h, t, w + 2 * t, h},
                                  {0, -w - t, h, w, t, h},
                                  {0, w + t, h, w, t, h}}};
    memcpy(start.magic, PEER_START_MAGIC, sizeof start.magic);
    return start;
}

/* One peer on one pile, compared with each of Talus's rows. Its own row has the ratio to the one
 * with as many threads, or else to the first. */
static void run_peer(const bench_options *options, bench_output *output, const pile_case *pile,
                     const char *engine, const bench_row *talus, uint32_t talus_count)
{
    peer_start start = pile_start(options, pile);
    peer_result result;
    void *rows;
    if (!peer_run(output, engine, &start, pile->centres, pile->orientations, &result, &rows))
        return;
    bench_row row = peer_row(start.solids ? "shapes" : "pile", engine, &result);
    row.ms_per_step = result.ms_per_step;
    const double *numbers = rows;
    const size_t values = 3 * pile->options.bodies;
    const pile_state state = {numbers, numbers + values, numbers + 2 * values,
                              numbers + 3 * values};
    if (start.solids)
        row_text(&row, "shape", pile_word(pile->options.kind));
    if (audit_state(output, pile, &state, &row)) {
        const bench_row *alike = talus;
        for (uint32_t i = 0; i < talus_count; i++) {
            if (talus[i].threads == row.threads)
                alike = &talus[i];
            output_ratio(output, engine,
                         start.cubes    ? "ms per step of cubes"
                         : start.solids ? "ms per step of hulls"
                                        : "ms per step",
                         &talus[i], row.ms_per_step, talus[i].ms_per_step);
        }
        if (talus_count > 0) {
            row_number(&row, "ms_over_talus", row.ms_per_step / alike->ms_per_step);
            row_number(&row, "talus_threads", alike->threads);
        }
        output_row(output, &row);
    }
    free(rows);
}

/* One kind of body at one size, by Talus with each number of threads and by each peer. */
static void run_size(const bench_options *options, bench_output *output, pile_kind kind,
                     size_t bodies)
{
    pile_case pile;
    bench_row rows[MAX_THREAD_COUNTS];
    uint32_t count = 0;
    if (!pile_case_make(output, options, kind, bodies, &pile))
        return;
    for (uint32_t k = 0; k < options->thread_count_count; k++) {
        pile.options.settings.threads = options->thread_counts[k];
        const char *bench = kind == PILE_SPHERES ? "pile" : "shapes";
        if (measure_pile(output, options, bench, &pile, &rows[count]))
            output_row(output, &rows[count++]);
    }
    for (uint32_t k = 0; peer_name(k); k++)
        if (options->peers >> k & 1)
            run_peer(options, output, &pile, peer_name(k), rows, count);
    pile_case_free(&pile);
}

void bench_pile(const bench_options *options, bench_output *output)
{
    for (uint32_t kind = 0; pile_word(kind); kind++)
        for (uint32_t i = 0; i < options->size_count && options->kinds >> kind & 1; i++)
            run_size(options, output, (pile_kind)kind, options->bodies[i]);
    output_ratios(output);
}
