/* What the exports of a result share: which frames, and files that appear when they are whole. */
#ifndef TL_IO_EXPORT_H
#define TL_IO_EXPORT_H

#include "io/result.h"

#include <stdio.h>

/* Rows first, first + stride, ... below end. */
typedef struct tl_export_range {
    uint64_t first, end, stride;
} tl_export_range;

/* The row after i, or the end. */
static inline uint64_t tl_export_next(const tl_export_range *range, uint64_t i)
{
    return range->end - i <= range->stride ? range->end : i + range->stride;
}

/* A file that is written under another name and renamed when it is whole. */
typedef struct tl_out {
    FILE *file;
    char *path, *temporary; /* strings of these sizes */
    size_t path_room, temporary_room;
} tl_out;

tl_status tl_out_open(tl_out *out, const char *path);

/* Gives the file its name if `status` is TL_OK and all was written, else removes it. */
tl_status tl_out_close(tl_out *out, tl_status status);

tl_status tl_export_csv(tl_result *result, const tl_export_range *range, const char *path);
tl_status tl_export_steps(tl_result *result, const tl_export_range *range, const char *path);
tl_status tl_export_contacts(tl_result *result, const tl_export_range *range, const char *path);
tl_status tl_export_monitors(tl_result *result, const tl_export_range *range, const char *path);
tl_status tl_export_vtk(tl_result *result, const tl_export_range *range, const char *path);

#endif
