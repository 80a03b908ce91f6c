/* The channels of results: what monitors measured and what steps reported, by name. Used by plot
 * and sweep. */
#ifndef TALUS_CHANNELS_H
#define TALUS_CHANNELS_H

#include "command.h"

/* Channel `name` of a result over its steps: a monitor's, or one of the steps' own ("t",
 * "contacts", "residual", ...). `values` has room for tl_result_describe().steps. Writes "name
 * (unit)" to `label`. An unknown name is told, with the nearest one. */
int channel_read(const char *command, const char *path, tl_result *result, const char *name,
                 double *values, char *label, size_t room);

#endif
