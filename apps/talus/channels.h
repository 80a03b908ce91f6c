/* The channels of results: what monitors measured and what steps reported. Used by plot, sweep and
 * export. */
#ifndef TALUS_CHANNELS_H
#define TALUS_CHANNELS_H

#include "command.h"

/* Channel `name` of a result over its steps: a monitor's, or one of the steps' own ("t",
 * "residual", ...). `values` has room for tl_result_describe().steps. Writes "name
 * (unit)" to `label`. An unknown name is told, with the nearest one. */
int channel_read(const char *command, const char *path, tl_result *result, const char *name,
                 double *values, char *label, size_t room);

/* Channel i, from 0, of those that every result has, "t" first; `field` receives its offset in
 * tl_report. False past the last. */
bool channel_own(size_t i, tl_monitor_info *info, size_t *field);

/* One number of the reports of the first `count` steps: `field` is its offset in tl_report. */
tl_status channel_read_reports(tl_result *result, size_t field, uint64_t count, double *values);

#endif
