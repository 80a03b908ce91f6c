/* /monitors of a result file: names, units and a row of values per row of /steps. A result of a
 * world without monitors has no such group; everything here is empty then. Inside tl_h5_begin() and
 * _end(). */
#ifndef TL_IO_RESULT_MONITORS_H
#define TL_IO_RESULT_MONITORS_H

#include "base/memory.h"
#include "io/h5table.h"
#include "talus/world.h"

typedef struct tl_result_monitors {
    tl_array channels;  /* tl_monitor_info */
    tl_h5_table values; /* open where there are channels */
} tl_result_monitors;

/* An empty one. */
tl_result_monitors tl_result_monitors_none(void);

/* Makes the group for the channels of a world. */
tl_status tl_result_monitors_create(tl_result_monitors *monitors, hid_t file, const char *path,
                                    const tl_world *world);

/* Opens it in a file of `size` bytes, checked. */
tl_status tl_result_monitors_open(tl_result_monitors *monitors, hid_t file, const char *path,
                                  uint64_t size);

void tl_result_monitors_close(tl_result_monitors *monitors);

/* Refuses a file with other channels than a world has. */
tl_status tl_result_monitors_match(const tl_result_monitors *monitors, const char *path,
                                   const tl_world *world);

/* Looks how many rows there are now. */
tl_status tl_result_monitors_refresh(tl_result_monitors *monitors, const char *path, uint64_t size);

/* How many of `steps` rows of /steps have values, too; fewer are damage in a file that was closed.
 */
tl_status tl_result_monitors_whole(const tl_result_monitors *monitors, const char *path,
                                   bool closed, uint64_t *steps);

/* Appends rows, an array of double; drops what is after the first `rows`. */
tl_status tl_result_monitors_append(tl_result_monitors *monitors, const char *path,
                                    const tl_array *values);
tl_status tl_result_monitors_cut(tl_result_monitors *monitors, const char *path, uint64_t rows);

#endif
