/* The inside of a result that is open for reading (result.c opens, result_bodies.c reads
 * bodies and shapes, result_read.c frames and reports, export*.c write files of it; the recorder
 * looks at one before it goes on with it). */
#ifndef TL_IO_RESULT_H
#define TL_IO_RESULT_H

#include "io/h5file.h"
#include "io/result_geometries.h"
#include "io/result_layout.h"
#include "io/result_monitors.h"

#define TL_NOTE_LIMIT 60000 /* bytes of a note with its final zero: HDF5 allows about 65,000 */

struct tl_result {
    char *path;
    size_t path_room;
    hid_t file;
    hid_t root;
    tl_result_tables tables;
    bool has_tables;
    tl_result_monitors monitors;
    tl_result_geometries geometries;
    bool closed;
    uint32_t major, minor; /* of the format */
    uint64_t steps;        /* rows of /steps that count */
    tl_array frames;       /* tl_frame_row: those that count */
    char version[64], backend[256], id[TL_RESULT_ID_CHARS + 1];
    char *note; /* TL_NOTE_LIMIT bytes */
    tl_record_def record;
    tl_array recorded; /* tl_body_range: what record.bodies points at */

    /* Read when they are asked for, and again when there are more. */
    tl_array bodies;   /* tl_body_row */
    tl_array shapes;   /* tl_shape_row */
    tl_array removals; /* tl_removal_row */

    /* What frames are checked against: much less. */
    tl_array numbers;  /* uint32_t: of bodies, ascending */
    tl_array sensors;  /* uint64_t: body and index of shapes that are sensors, ascending */
    uint64_t numbered; /* rows of /shapes that were looked at */

    /* The last frame read. */
    tl_array frame_bodies, positions, orientations, velocities, angular, contacts;
    tl_array columns; /* bytes: scratch */
};

/* The last frame's row; zeros where there is no frame. */
tl_frame_row tl_result_last(const tl_result *result);

/* Reads and checks /bodies, /shapes and /removals as far as the frames speak of them. */
tl_status tl_result_load_bodies(tl_result *result);

/* The same for what frames are checked against; and asking that. */
tl_status tl_result_load_numbers(tl_result *result);
bool tl_result_has_body(const tl_result *result, uint32_t body);
bool tl_result_is_sensor(const tl_result *result, uint32_t body, uint32_t index);

/* TL_BAD_DATA: what is wrong with a row of a table. */
tl_status tl_result_bad_row(const tl_result *result, const char *table, uint64_t row,
                            const char *what);

/* TL_BAD_ARGUMENT where an array has another count than is expected, or is NULL. */
tl_status tl_result_check_count(const char *call, const void *out, uint64_t count,
                                uint64_t expected);

bool tl_finite_doubles(const double *x, size_t count);

#define TL_REFUSE_NULL(call, argument)                                          \
    do {                                                                        \
        if (!(argument))                                                        \
            return tl_fail(TL_BAD_ARGUMENT, "%s: " #argument " is NULL", call); \
    } while (0)

/* A shape as it was described. */
tl_shape_def tl_result_shape(const tl_shape_row *row);

/* The geometry of a shape; NULL where it has none. */
const tl_geometry_info *tl_result_shape_geometry(const tl_result *result, const tl_shape_row *row);

/* The row of a body in result->bodies; NULL where it has none. After tl_result_load_bodies(). */
const tl_body_row *tl_result_find_body(const tl_result *result, uint64_t body);

#endif
