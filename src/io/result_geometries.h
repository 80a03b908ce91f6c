/* /geometries of a result file: hulls, meshes and height fields, each once, as vertices and
 * triangles; shapes refer to them by number. Written when the file is made; a world without
 * geometries has no such group. Inside tl_h5_begin() and _end(). */
#ifndef TL_IO_RESULT_GEOMETRIES_H
#define TL_IO_RESULT_GEOMETRIES_H

#include "base/memory.h"
#include "io/document.h"
#include "io/h5table.h"
#include "talus/world.h"

typedef struct tl_result_geometries {
    tl_array infos;     /* tl_geometry_info, which point into the two below */
    tl_array vertices;  /* double, three per item */
    tl_array triangles; /* uint32_t, three per item; vertices count from the geometry's first */
    tl_array pieces;    /* tl_stored_pieces, in the order of their hulls */
} tl_result_geometries;

/* An empty one. */
tl_result_geometries tl_result_geometries_none(void);

/* Writes those of a world. */
tl_status tl_result_geometries_write(hid_t file, const char *path, const tl_world *world);

/* Reads all of a file of `size` bytes, checked. */
tl_status tl_result_geometries_read(tl_result_geometries *g, hid_t file, const char *path,
                                    uint64_t size);

void tl_result_geometries_free(tl_result_geometries *g);

#endif
