/* Points and polygons with numbers on them, and the .vtp file of VTK that holds them (XML with
 * appended raw data, which every VTK since 5.x reads). export_vtk.c builds them. */
#ifndef TL_IO_EXPORT_VTP_H
#define TL_IO_EXPORT_VTP_H

#include "base/memory.h"
#include "talus/io.h"

#define TL_VTP_FIELDS 8

typedef enum tl_vtp_type { TL_VTP_F64, TL_VTP_F32, TL_VTP_U32 } tl_vtp_type;

/* Numbers at every point. */
typedef struct tl_vtp_field {
    const char *name;
    tl_vtp_type type;
    uint32_t width;
    tl_array rows;
} tl_vtp_field;

typedef struct tl_vtp {
    tl_array points;   /* 3 doubles each */
    tl_array vertices; /* int64_t: points that stand alone */
    tl_array polygons; /* int64_t: corners of all polygons */
    tl_array ends;     /* int64_t: of each polygon in `polygons` */
    uint32_t field_count;
    tl_vtp_field fields[TL_VTP_FIELDS];
} tl_vtp;

void tl_vtp_init(tl_vtp *vtp);
void tl_vtp_free(tl_vtp *vtp);

/* Forgets points and polygons; fields stay. */
void tl_vtp_clear(tl_vtp *vtp);

/* Adds a field and gives its number. */
uint32_t tl_vtp_add_field(tl_vtp *vtp, const char *name, tl_vtp_type type, uint32_t width);

/* Appends a point; for each field the caller then appends a row with tl_vtp_set(). */
tl_status tl_vtp_add_point(tl_vtp *vtp, const double point[3]);
tl_status tl_vtp_set(tl_vtp *vtp, uint32_t field, const void *row);

/* Makes the last point one that stands alone, or the last `corners` points a polygon. */
tl_status tl_vtp_add_vertex(tl_vtp *vtp);
tl_status tl_vtp_add_polygon(tl_vtp *vtp, uint32_t corners);

/* A triangle of points that are counted from point `first`. */
tl_status tl_vtp_add_triangle(tl_vtp *vtp, int64_t first, const uint32_t corners[3]);

/* Counts the file and its points in `info`. */
tl_status tl_vtp_write(const tl_vtp *vtp, const char *path, tl_export_info *info);

#endif
