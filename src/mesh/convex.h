/* What the files of the convex decomposition share. pieces.c is what the outside calls: convex.c
 * splits and merges, planes.c finds planes to cut along, simple.c makes hulls with few vertices,
 * excess.c says how far these stick out. */
#ifndef TL_MESH_CONVEX_H
#define TL_MESH_CONVEX_H

#include "mesh/cut.h"
#include "mesh/tree.h"

/* Most vertices of a face of a hull, which the narrow phase takes. */
enum { TL_FACE_MOST = 32 };

/* Lengths below this part of a size are rounding. */
static const double tl_convex_rounding = 1e-8;

/* A part of the mesh and the hull that stands for it. */
typedef struct tl_piece_rec {
    tl_chain chain;
    tl_mesh *hull;      /* of few vertices */
    double hull_volume; /* m^3, of the hull of all vertices */
    double excess;      /* m, by which `hull` sticks out of the mesh at most */
    bool whole;         /* cannot be cut any further */
} tl_piece_rec;

/* What a decomposition is made for. */
typedef struct tl_convex {
    const tl_mesh *mesh;
    tl_tree tree;     /* of the mesh */
    double size;      /* m, of the mesh */
    double least;     /* m^3: smaller parts are left out */
    double tolerance; /* m */
    double finest;    /* m: what excess is sampled at */
    size_t most;      /* pieces */
    size_t vertices;  /* most of a hull */
    tl_array pieces;  /* tl_piece_rec */
} tl_convex;

/* convex.c: fills `pieces`. The caller frees them, after a failure too. */
tl_status tl_convex_split(tl_convex *convex);
void tl_convex_free_pieces(tl_array *pieces);

/* planes.c: planes (4 double each, unit normal and offset) that a part might be cut along; the
 * first are `of_faces`. */
tl_status tl_convex_planes(const tl_chain *chain, double size, tl_array *planes, size_t *of_faces);

/* simple.c: a hull of at most `most` of the vertices of a convex mesh, and TL_FACE_MOST per face;
 * with all of them where they do. */
tl_status tl_hull_simplify(const tl_mesh *full, size_t most, tl_mesh **simple);

/* simple.c: the planes of a convex mesh's triangles that have an area, likewise. */
tl_status tl_hull_planes(const tl_mesh *hull, tl_array *planes);

/* How far a point is above the highest of some planes: above 0 where it is outside. */
static inline double tl_planes_above(const tl_array *planes, const double point[3])
{
    const double *p = planes->data;
    double most = -INFINITY;
    for (size_t i = 0; i < planes->count; i++, p += 4)
        most = tl_max(most, tl_dot(p, point) - p[3]);
    return most;
}

/* excess.c: how far the points of a hull are from the mesh at most, inside of which they are 0 from
 * it: to within `finest`, and to 5 % where it is above the tolerance. */
tl_status tl_convex_excess(const tl_convex *convex, const tl_mesh *hull, double *excess);

/* The volume of a closed mesh. */
double tl_convex_volume(const tl_mesh *mesh);

#endif
