/* What the narrow phase works on: two convex shapes near each other, and the points where they
 * touch. Each pair of kinds has a file of its own in this folder; collide.h chooses among them. */
#ifndef TL_KERNELS_NARROW_CONVEX_H
#define TL_KERNELS_NARROW_CONVEX_H

#include "kernels/real.h"

/* Shape kinds, as in tl_shape_kind; triangles are what meshes and height fields hand out. */
enum {
    TLK_SPHERE = 0,
    TLK_PLANE = 1,
    TLK_BOX = 2,
    TLK_PARALLELOGRAM = 3,
    TLK_CAPSULE = 4,
    TLK_CYLINDER = 5,
    TLK_CONE = 6,
    TLK_ELLIPSOID = 7,
    TLK_HULL = 8,
    TLK_MESH = 9,
    TLK_HEIGHTS = 10,
    TLK_TRIANGLE = 15
};

/* A convex shape: a core and a ball that is rolled around it (rounding; 0: none). Lengths in m.
 *   sphere         a point
 *   plane          the half-space below the frame's xy-plane; its outward normal is axis w
 *   box            half extents size[0..2] along u, v, w
 *   parallelogram  spanned by edges u and v from the origin; two-sided. Here the axes u and v are
 *                  the edges with their lengths, and w is the unit normal
 *   capsule        the segment from -size[2] to size[2] along w
 *   cylinder       radius size[0], from -size[2] to size[2] along w
 *   cone           base of radius size[0] at -size[2] along w, apex at size[2]
 *   ellipsoid      semi-axes size[0..2] along u, v, w
 *   hull           vertices in the frame, faces as words say (hull.h)
 *   triangle       three vertices in the frame; two-sided */
typedef struct tlk_convex {
    uint32_t kind;
    double origin[3];
    double axis[9]; /* u, v, w: unit vectors, but a parallelogram's */
    double size[3];
    double rounding;
    const double *vertex;  /* hulls and triangles: three per vertex */
    const uint32_t *words; /* hulls */
} tlk_convex;

/* Where two shapes touch: one normal, from a to b, and up to four points. A point is on the
 * surface of a; `gap` further along the normal is that of b. Gaps are negative where shapes
 * overlap. Feature ids are the same in the next step if the same features touch; no two are equal.
 */
typedef struct tlk_manifold {
    double n[3];
    uint32_t count;
    double gap[TLK_POINTS_MOST];
    double at[TLK_POINTS_MOST][3];
    uint32_t feature[TLK_POINTS_MOST];
    bool firm; /* where the shapes move, the normal turns with their faces and edges alone */
} tlk_manifold;

#endif
