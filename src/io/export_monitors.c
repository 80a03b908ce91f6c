/* The channels of monitors as a table of text: a line per step, as tl_export_steps() writes them.
 */
#include "io/export.h"

#include <inttypes.h>
#include <math.h>

/* "drag.x [N]"; names have no commas, and a unit's are kept out of the way by quotes. */
static void put_header(FILE *file, const tl_result *result)
{
    const tl_monitor_info *channels = result->monitors.channels.data;
    fputs("step,time [s]", file);
    for (size_t i = 0; i < result->monitors.channels.count; i++) {
        fprintf(file, ",\"%s", channels[i].name);
        if (channels[i].unit[0])
            fputs(" [", file);
        for (const char *c = channels[i].unit; *c; c++)
            fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, file);
        fputs(channels[i].unit[0] ? "]\"" : "\"", file);
    }
    fputc('\n', file);
}

/* A value that is none is an empty field. */
static void put_values(FILE *file, const tl_report *report, const double *values, size_t count)
{
    fprintf(file, "%" PRIu64 ",%.17g", report->steps, report->time);
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i]))
            fputc(',', file);
        else
            fprintf(file, ",%.17g", values[i]);
    fputc('\n', file);
}

tl_status tl_export_monitors(tl_result *result, tl_export_task *task, const char *path)
{
    const tl_export_range *range = &task->range;
    const size_t channels = result->monitors.channels.count;
    tl_array values = {.item = sizeof(double)};
    tl_out out;
    if (!channels)
        return tl_fail(TL_BAD_DATA, "%s: its scene has no monitors to export", result->path);
    TL_TRY(tl_out_open(&out, path));
    tl_status status = tl_array_resize(&values, channels);
    put_header(out.file, result);
    for (uint64_t i = range->first; i < range->end && status == TL_OK && !ferror(out.file);
         i = tl_export_next(range, i)) {
        tl_report report;
        status = tl_result_read_reports(result, i, 1, &report);
        if (status == TL_OK)
            status = tl_result_read_monitors(result, i, 1, values.data);
        if (status == TL_OK)
            put_values(out.file, &report, values.data, channels);
        task->info.frames++;
        task->info.rows++;
    }
    tl_array_free(&values);
    return tl_out_close(&out, status, &task->info);
}
