/* Tables of bodies as recordings: a CSV file with a line per body and time, whose columns are found
 * by their names. Nothing is held but bodies and where frames begin. replay.c calls. */
#ifndef TL_RENDER_CSV_H
#define TL_RENDER_CSV_H

#include "base/memory.h"
#include "talus/io.h"

#include <stdio.h>

enum { TLR_COLUMN_NAME = 64 };

/* What columns hold; `tlr_column_names` are what they are called where the look says nothing. */
typedef enum tlr_column {
    TLR_TIME,
    TLR_BODY,
    TLR_X,
    TLR_Y,
    TLR_Z,
    TLR_QW,
    TLR_QX,
    TLR_QY,
    TLR_QZ,
    TLR_VX,
    TLR_VY,
    TLR_VZ,
    TLR_WX,
    TLR_WY,
    TLR_WZ,
    TLR_RADIUS,
    TLR_MASS,
    TLR_MATERIAL,
    TLR_COLUMNS
} tlr_column;

extern const char *const tlr_column_names[]; /* NULL at the end */

/* How a file is read. */
typedef struct tlr_csv_def {
    char columns[TLR_COLUMNS][TLR_COLUMN_NAME]; /* names; "": the usual one */
    double radius;                              /* m, where there is no such column; 0: none */
    double scale;                               /* m per unit of length */
} tlr_csv_def;

typedef struct tlr_csv tlr_csv;

/* Reads the file once: its lines are checked, frames and bodies counted. Mistakes are told as
 * "file:line: column: what". */
tl_status tlr_csv_open(const char *path, const tlr_csv_def *def, tlr_csv **csv);

/* The same of a file that is open, which it closes whatever the status. */
tl_status tlr_csv_take(FILE *file, const char *path, const tlr_csv_def *def, tlr_csv **csv);

void tlr_csv_close(tlr_csv *csv);

/* What it holds, as a result would say it; the times of frames. */
tl_result_info tlr_csv_describe(const tlr_csv *csv);
const double *tlr_csv_times(const tlr_csv *csv);

/* Bodies are balls, with handles and materials as those of results. */
tl_status tlr_csv_visit_bodies(const tlr_csv *csv, tl_body_visit visit, void *user);
const char *tlr_csv_material(const tlr_csv *csv, uint32_t index);

/* The arrays are valid until the next call. */
tl_status tlr_csv_read_frame(tlr_csv *csv, uint64_t index, tl_frame_view *frame);

#endif
