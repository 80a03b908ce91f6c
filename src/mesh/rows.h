/* Lines parallel to the x axis through a mesh and through spheres or hulls: where each is inside.
 * Along a line integrals are exact, which makes volumes and inertia of a union of spheres far
 * better than counting points would. */
#ifndef TL_MESH_ROWS_H
#define TL_MESH_ROWS_H

#include "mesh/mesh.h"

/* Rows at one z: row i goes through y + i * step. */
typedef struct tl_rows {
    double z, y, step;
    size_t count;
} tl_rows;

/* Where a row goes into or out of something. */
typedef struct tl_crossing {
    double x;
    uint32_t row;
    int32_t sign; /* 1: in, -1: out */
} tl_crossing;

/* Where one line crosses a triangle (its row is not set); false: nowhere. */
bool tl_rows_cross_line(const double *const corners[3], double y, double z, tl_crossing *crossing);

/* The crossings of rows with a mesh, sorted by row and x; appended to `crossings`. Shared edges and
 * vertices that lie on a row are crossed as often as they should be. */
tl_status tl_rows_cross_mesh(const tl_mesh *mesh, const tl_rows *rows, tl_array *crossings);

/* Integrals over a region in space. */
typedef struct tl_sums {
    double volume, first[3], second[6]; /* second: xx yy zz yz zx xy */
} tl_sums;

/* A mesh and solids by `count` times `count` rows: the mesh and the union of the solids about
 * `origin`, and what of each is outside of the other. */
typedef struct tl_overlap {
    tl_sums mesh, solids;
    double missing, excess; /* m^3 */
} tl_overlap;

tl_status tl_rows_compare(const tl_mesh *mesh, const tl_union *solids, const double origin[3],
                          size_t count, tl_overlap *overlap);

#endif
