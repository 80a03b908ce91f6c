/* `talus export`: frames of a result as CSV, or as VTK for ParaView. */
#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The format that a file's name asks for; -1, told, where it asks for none. */
static int64_t format_of(const options *given)
{
    const char *dot = strrchr(given->output, '.');
    if (given->format >= 0)
        return given->format;
    if (dot && !strcmp(dot, ".csv"))
        return TL_EXPORT_CSV;
    if (dot && !strcmp(dot, ".pvd"))
        return TL_EXPORT_VTK;
    complain("export: '%s' ends neither in .csv nor in .pvd (VTK for ParaView); --format says what "
             "to write",
             given->output);
    return -1;
}

/* The rows (frames, or steps) between two times. EXIT_USAGE, told, where there are none. */
static int find_rows(const options *given, const double *times, uint64_t count, const char *what,
                     uint64_t *first, uint64_t *last)
{
    const double little = 1e-9; /* s: 0.02 typed is not 0.02 summed up of steps */
    *first = 0;
    while (*first < count && times[*first] < given->from - little)
        ++*first;
    uint64_t end = *first;
    while (end < count && !(times[end] > given->to + little))
        end++;
    if (end == *first && !count) {
        complain("export: %s has no %ss", given->file, what);
        return EXIT_USAGE;
    }
    if (end == *first) {
        complain("export: no %s of %s lies in this time; its %" PRIu64 " %ss go from %g to %g s",
                 what, given->file, count, what, times[0], times[count - 1]);
        return EXIT_USAGE;
    }
    *last = end - 1;
    return EXIT_OK;
}

static tl_status read_step_times(tl_result *result, uint64_t count, double *times)
{
    tl_report reports[64];
    const uint64_t most = sizeof reports / sizeof *reports;
    for (uint64_t i = 0; i < count; i += most) {
        const uint64_t n = count - i < most ? count - i : most;
        const tl_status status = tl_result_read_reports(result, i, n, reports);
        if (status < 0)
            return status;
        for (uint64_t k = 0; k < n; k++)
            times[i + k] = reports[k].time;
    }
    return TL_OK;
}

static int export_rows(const options *given, tl_result *result, tl_export_format format)
{
    const bool steps = format == TL_EXPORT_STEPS_CSV || format == TL_EXPORT_MONITORS_CSV;
    const tl_result_info info = tl_result_describe(result);
    const uint64_t count = steps ? info.steps : info.frames;
    uint64_t first = 0, last = 0;
    double *times = calloc((size_t)count + 1, sizeof *times);
    if (!times)
        return out_of_memory();
    tl_status status =
        steps ? read_step_times(result, count, times) : tl_result_read_times(result, count, times);
    const int code = status < 0
                         ? complain_of(status)
                         : find_rows(given, times, count, steps ? "step" : "frame", &first, &last);
    free(times);
    if (code != EXIT_OK)
        return code;
    status = tl_result_export(result, format, first, last, (uint64_t)given->every, given->output);
    return status < 0 ? complain_of(status) : EXIT_OK;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int command_export(const options *given)
{
    tl_result *result = NULL;
    if (!given->output) {
        complain("export needs -o FILE");
        return EXIT_USAGE;
    }
    if (given->to < given->from) {
        complain("export: --to %g is before --from %g", given->to, given->from);
        return EXIT_USAGE;
    }
    const int64_t format = format_of(given);
    if (format < 0)
        return EXIT_USAGE;
    if (same_file(given->file, given->output)) {
        complain("export: -o names the result itself");
        return EXIT_USAGE;
    }
    const tl_status status = tl_result_open(given->file, &result);
    if (status < 0)
        return complain_of(status);
    const int code = export_rows(given, result, (tl_export_format)format);
    tl_result_close(result);
    return code;
}
