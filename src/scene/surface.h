/* The inside of surfaces: surface.c makes those of primitives, surface_faces.c those of hulls,
 * meshes and height fields. */
#ifndef TL_SCENE_SURFACE_H
#define TL_SCENE_SURFACE_H

#include "base/memory.h"
#include "talus/surface.h"

struct tl_surface {
    tl_array vertices, normals; /* double, three per item */
    tl_array triangles;         /* uint32_t, three per item */
};

/* Appends a vertex and gives its number. */
tl_status tl_surface_add_vertex(tl_surface *s, const double point[3], const double normal[3],
                                uint32_t *vertex);

/* Appends a triangle, unless two of its corners are at one place. */
tl_status tl_surface_add_triangle(tl_surface *s, uint32_t a, uint32_t b, uint32_t c);

/* Two triangles with the corners a, b, c, d in turn. */
tl_status tl_surface_add_quad(tl_surface *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/* The triangles of a geometry, with normals that are smooth over edges less sharp than 40 degrees.
 */
tl_status tl_surface_add_mesh(tl_surface *s, const tl_geometry_info *g);

/* A convex hull with everything within `rounding` of it. */
tl_status tl_surface_add_hull(tl_surface *s, const tl_geometry_info *g, double rounding,
                              uint32_t segments);

#endif
