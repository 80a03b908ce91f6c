/* What the files of this room share: the mesh itself and small vectors. This room knows src/base
 * alone; the command and talus_io reach it through talus/mesh.h. */
#ifndef TL_MESH_MESH_H
#define TL_MESH_MESH_H

#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "talus/mesh.h"

/* Most vertices and triangles: three times the number of triangles is a 32-bit count of half edges
 * with room to spare. */
#define TL_MOST_TRIANGLES ((size_t)INT32_MAX - 1)

/* Kinds of edges that the surface of a solid does not have. */
typedef enum tl_flaw { TL_FLAW_OPEN, TL_FLAW_CROWDED, TL_FLAW_TURNED, TL_FLAW_COUNT } tl_flaw;

enum { TL_FLAWS_KEPT = 3 };

/* The edges of one kind: how many, and the first of them, as pairs of vertices. */
typedef struct tl_flaws {
    size_t count;
    uint32_t first[TL_FLAWS_KEPT][2];
} tl_flaws;

struct tl_mesh {
    tl_array vertices;  /* double, three per vertex */
    tl_array triangles; /* uint32_t, three per triangle */
    size_t merged, dropped, components;
    tl_flaws flaws[TL_FLAW_COUNT];
    double low[3], high[3];
    double area;
};

/* What stands for a mesh: spheres, or convex meshes. */
typedef struct tl_union {
    size_t ball_count;
    const tl_ball *balls;
    size_t hull_count;
    tl_mesh *const *hulls;
} tl_union;

/* edges.c: counts edges and components. */
tl_status tl_mesh_find_flaws(tl_mesh *mesh);

/* edges.c: TL_BAD_DATA, with the edges, where the mesh does not bound a solid. */
tl_status tl_mesh_check_closed(const tl_mesh *mesh);

static inline const double *tl_mesh_vertex(const tl_mesh *mesh, uint32_t vertex)
{
    return (const double *)mesh->vertices.data + 3 * (size_t)vertex;
}

/* The three corners of a triangle. */
static inline void tl_mesh_corners(const tl_mesh *mesh, size_t triangle, const double *corners[3])
{
    const uint32_t *t = (const uint32_t *)mesh->triangles.data + 3 * triangle;
    for (int k = 0; k < 3; k++)
        corners[k] = tl_mesh_vertex(mesh, t[k]);
}

static inline size_t tl_mesh_triangle_count(const tl_mesh *mesh)
{
    return mesh->triangles.count / 3;
}

/* The diagonal of the bounding box. */
static inline double tl_mesh_size(const tl_mesh *mesh)
{
    return hypot(hypot(mesh->high[0] - mesh->low[0], mesh->high[1] - mesh->low[1]),
                 mesh->high[2] - mesh->low[2]);
}

/* ---- Numbers and vectors ---- */

/* Without a rule for what is no number, and so without a call, unlike fmin and fmax. */
static inline double tl_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double tl_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double tl_distance(const double a[3], const double b[3])
{
    double d[3];
    tl_sub(a, b, d);
    return tl_length(d);
}

/* Twice the area of a triangle, along its normal. */
static inline void tl_normal(const double *const corners[3], double out[3])
{
    double u[3], v[3];
    tl_sub(corners[1], corners[0], u);
    tl_sub(corners[2], corners[0], v);
    tl_cross(u, v, out);
}

#endif
