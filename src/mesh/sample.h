/* Points on the surface of a mesh, about evenly spaced. */
#ifndef TL_MESH_SAMPLE_H
#define TL_MESH_SAMPLE_H

#include "mesh/mesh.h"

typedef struct tl_sample {
    double point[3];
    double normal[3]; /* outwards, of length 1 */
    double area;      /* m^2 that it stands for; 0 for vertices */
} tl_sample;

/* The least spacing at which tl_sample_surface() gives no more than about `most` points: by area,
 * and by the lengths of triangles that are narrower than the spacing. */
double tl_sample_least_spacing(const tl_mesh *mesh, double most);

/* Appends points of each triangle, no farther than `spacing` from any other point of it. */
tl_status tl_sample_surface(const tl_mesh *mesh, double spacing, tl_array *samples);

/* Appends the vertices of triangles that have an area, once per triangle. */
tl_status tl_sample_vertices(const tl_mesh *mesh, tl_array *samples);

/* Leaves one sample, the first, in each cell of a grid. */
tl_status tl_sample_thin(double cell, const double low[3], tl_array *samples);

#endif
