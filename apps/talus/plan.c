/* Steps, frames and bytes of a run; plan.h says who calls. */
#include "plan.h"

#include <math.h>
#include <stdio.h>

/* Steps that a run may have: with more, a step is lost in the rounding of time. */
static const double most_steps = 0x1p53;

static double count_steps(double start, double until, double step)
{
    return fmax(ceil((until - start) / step - 0.5), 0);
}

bool plan_allows(double start, double until, double step, const char *end, char *why, size_t room)
{
    if (start == 0 && step > until * (1 + 1e-9)) {
        snprintf(why, room, "is %g s, longer than the whole run, %s %g s; expected at most that",
                 step, end, until);
        return false;
    }
    if (!(count_steps(start, until, step) <= most_steps) || until + step == until) {
        snprintf(why, room,
                 "is %g s, and a run to %g s would take %.3g steps; time does not advance "
                 "after %.0f, expected a longer step or a shorter run",
                 step, until, (until - start) / step, most_steps);
        return false;
    }
    return true;
}

int plan_steps(const char *file, double start, double until, double step, bool asked, double *steps)
{
    char why[256];
    *steps = count_steps(start, until, step);
    if (plan_allows(start, until, step, asked ? "--until" : "duration", why, sizeof why))
        return EXIT_OK;
    complain("%s: step: %s", file, why);
    return asked ? EXIT_USAGE : EXIT_DATA;
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
    /* a state is an index, 3 doubles and 10 floats; a report 30 numbers; and what the least of
     * results has: its tables, each in pieces, and the scene */
    out->bytes = 8e5 + out->frames * ((double)moving * 68 + 72) + out->steps * 240;
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
