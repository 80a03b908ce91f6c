/* What the exports of a result share: which frames and bodies, and files that appear when they are
 * whole. */
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

/* One export: which rows, of which bodies, and what has been written so far. */
typedef struct tl_export_task {
    tl_export_range range;
    tl_array chosen; /* uint32_t: indices of bodies, ascending; none: all bodies */
    tl_export_info info;
} tl_export_task;

/* Whether a body is to be written. */
bool tl_export_takes(const tl_export_task *task, uint32_t body);

/* The shapes of a body: a part of result->shapes. After tl_result_load_bodies(). */
const tl_shape_row *tl_export_shapes(const tl_result *result, uint32_t body, size_t *count);

/* The row of a body in a frame, where bodies are in the order of handles; SIZE_MAX: it is gone. */
size_t tl_export_row(const tl_frame_view *frame, uint32_t body);

/* p, in the frame of a shape, in the frame that its body has at pose q, x. */
void tl_export_place(const tl_shape_row *s, const double q[4], const double x[3], const double p[3],
                     double out[3]);

/* A file that is written under another name and renamed when it is whole. */
typedef struct tl_out {
    FILE *file;
    char *path, *temporary; /* strings of these sizes */
    size_t path_room, temporary_room;
} tl_out;

tl_status tl_out_open(tl_out *out, const char *path);

/* Gives the file its name if `status` is TL_OK and all was written, and counts it in `info`; else
 * removes it. */
tl_status tl_out_close(tl_out *out, tl_status status, tl_export_info *info);

/* A name as a CSV field: quoted where it has to be; nothing where it is NULL. */
void tl_export_name(FILE *file, const char *name);

tl_status tl_export_csv(tl_result *result, tl_export_task *task, const char *path);
tl_status tl_export_steps(tl_result *result, tl_export_task *task, const char *path);
tl_status tl_export_contacts(tl_result *result, tl_export_task *task, const char *path);
/* Joints of a result, frame by frame. */
typedef struct tl_joint_source {
    tl_document *document;
    tl_array of;     /* const tl_monitor_rec *: of each joint, or NULL */
    tl_array values; /* double: of all channels in the step that ended with the frame */
    bool measured;   /* whether there are any */
} tl_joint_source;

enum { TL_JOINT_LOADS = 13 }; /* force and torque, both in frame a, error */

typedef struct tl_joint_row {
    tl_joint_def def;
    bool there[2]; /* whether frames a and b are somewhere */
    double at[2][3], turn[2][4];
    double load[TL_JOINT_LOADS]; /* NaN where nothing was measured */
} tl_joint_row;

/* Opens them, takes the next frame, gives a joint (index from 1; false: it is not to be written),
 * and closes. Frames need orientations. */
tl_status tl_export_joints_open(const tl_result *result, tl_joint_source *source);
tl_status tl_export_joints_frame(tl_result *result, const tl_frame_view *frame,
                                 tl_joint_source *source);
bool tl_export_joint(const tl_joint_source *source, const tl_export_task *task,
                     const tl_frame_view *frame, uint32_t index, tl_joint_row *row);
void tl_export_joints_close(tl_joint_source *source);

tl_status tl_export_joints(tl_result *result, tl_export_task *task, const char *path);
tl_status tl_export_monitors(tl_result *result, tl_export_task *task, const char *path);
tl_status tl_export_vtk(tl_result *result, tl_export_task *task, const char *path);

#endif
