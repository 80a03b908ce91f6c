/* Steps, frames and bytes of a run; plan.h says who calls. */
#include "plan.h"

#include <math.h>
#include <stdio.h>

/* Steps that a run may have: with more, a step is lost in the rounding of time. */
static const double most_steps = 0x1p53;

int plan_steps(const char *file, double start, double until, double step, bool asked, double *steps)
{
    const double length = until - start;
    const int code = asked ? EXIT_USAGE : EXIT_DATA;
    *steps = fmax(ceil(length / step - 0.5), 0);
    if (start == 0 && step > until * (1 + 1e-9)) {
        complain("%s: step: is %g s, longer than the whole run, %s %g s; expected at most that",
                 file, step, asked ? "--until" : "duration", until);
        return code;
    }
    if (!(*steps <= most_steps) || until + step == until) {
        complain(
            "%s: step: is %g s, and a run to %g s would take %.3g steps; time does not advance "
            "after %.0f, expected a longer step or a shorter run",
            file, step, until, length / step, most_steps);
        return code;
    }
    return EXIT_OK;
}

int plan_scene(const options *given, const tl_document *document, size_t moving, plan *out)
{
    const tl_settings settings = tl_scene_settings(tl_document_scene(document));
    const tl_record_def record = tl_document_record(document);
    const int code = plan_steps(given->file, 0, record.duration, settings.step,
                                !isnan(given->until), &out->steps);
    if (code != EXIT_OK)
        return code;
    if (!isnan(given->rate) && given->rate * settings.step > 1 + 1e-9) {
        complain("--rate: %g frames per second are more than one per step of %g s; at most %g",
                 given->rate, settings.step, 1 / settings.step);
        return EXIT_USAGE;
    }
    /* the first and the last, and those between */
    const double between = fmin(floor(record.duration * record.rate + 1e-9), out->steps);
    out->frames = record.rate > 0 ? fmax(between + 1, 2) : 2;
    /* a state is an index, 3 doubles and 10 floats; a report 30 numbers */
    out->bytes = out->frames * ((double)moving * 68 + 72) + out->steps * 240;
    return EXIT_OK;
}

void write_bytes(double bytes, char *text, size_t room)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, room, unit ? "%.3g %s" : "%.0f %s", bytes, units[unit]);
}
