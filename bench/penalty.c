/* The penalty bench: the pile by penalty contact, Hertz with E = 1e8 Pa, by Talus and by LIGGGHTS
 * with the same substep, and by hard contact beside them; every result goes through the same audit.
 * A row's time is that of a step of 1/200 s, with all its substeps. */
#include "bench.h"

#include <stdlib.h>

/* 0.2 of Rayleigh's time of these spheres is 0.49 ms; the pile's own limit of stability with this
 * restitution is about half of it, and with one of 0.1 a quarter (docs/theory.md, "Substeps"). */
enum { SUBSTEPS = 20, CLUMP_SUBSTEPS = 40 }; /* balls of clumps are half as large */
static const double young = 1e8, poisson = 0.3, restitution = 0.5;

static bool measure(const bench_options *options, bench_output *output, pile_case *pile,
                    tl_stepper stepper, bench_row *row)
{
    pile->options.settings.stepper = stepper;
    if (!measure_pile(output, options, "penalty", pile, row))
        return false;
    row_text(row, "stepper", tl_word(TL_WORDS_STEPPER, stepper));
    row_number(row, "substeps",
               stepper == TL_STEPPER_PENALTY ? pile->options.settings.penalty.substeps : 1);
    output_row(output, row);
    return true;
}

static void run_liggghts(const bench_options *options, bench_output *output, const pile_case *pile,
                         const bench_row *talus)
{
    peer_start start = pile_start(options, pile);
    peer_result result;
    void *rows;
    start.substeps = SUBSTEPS;
    start.young = young;
    start.poisson = poisson;
    start.restitution = restitution;
    if (!peer_run(output, "liggghts", &start, pile->centres, NULL, &result, &rows))
        return;
    bench_row row = peer_row("penalty", "liggghts", &result);
    const double *numbers = rows;
    const size_t values = 3 * pile->options.bodies;
    const pile_state state = {numbers, numbers + values, numbers + 2 * values, NULL};
    row.ms_per_step = result.ms_per_step;
    row_number(&row, "substeps", SUBSTEPS);
    if (audit_state(output, pile, &state, &row)) {
        output_ratio(output, "liggghts", "ms per step", talus, row.ms_per_step, talus->ms_per_step);
        row_number(&row, "ms_over_talus", row.ms_per_step / talus->ms_per_step);
        output_row(output, &row);
    }
    free(rows);
}

void bench_penalty(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++) {
        pile_case pile;
        bench_row soft, hard;
        const bool clumps = options->given & OPTION_CLUMPS;
        if (!pile_case_make(output, options, clumps ? PILE_CLUMPS : PILE_SPHERES,
                            options->bodies[i], &pile))
            continue;
        pile.options.restitution = restitution;
        pile.options.settings.penalty.substeps = clumps ? CLUMP_SUBSTEPS : SUBSTEPS;
        const bool done = measure(options, output, &pile, TL_STEPPER_PENALTY, &soft);
        measure(options, output, &pile, TL_STEPPER_DVI, &hard);
        if (done && !clumps && options->peers & PEER_LIGGGHTS)
            run_liggghts(options, output, &pile, &soft);
        pile_case_free(&pile);
    }
    output_ratios(output);
}
