/* Geometries: what hulls, meshes and height fields are made of, checked and laid out as kernels
 * read it. A scene has a list of them, which any number of shapes share; worlds take copies. */
#ifndef TL_SCENE_GEOMETRY_H
#define TL_SCENE_GEOMETRY_H

#include "base/memory.h"
#include "talus/scene.h"

enum { TL_HULL_VERTICES_MOST = 255, TL_HULL_LOOP_MOST = 32, TL_GEOMETRIES_MOST = 65535 };

/* Lengths in m, in the shape's frame.
 *
 * numbers: the vertices first, three numbers each; then what the kind wants. A hull: the planes of
 * its faces, four numbers each: outward unit normal n and offset d, with n.x = d.
 *
 * words: of a hull {V, F, E, loop_start[F + 1], loop[loop_start[F]] (the vertices of each face,
 * counterclockwise seen from outside), edge[2 * E] (vertex pairs, each once), edge_face[2 * E] (the
 * two faces of each edge)}. Meshes and height fields: kernels/narrow/tree.h. */
typedef struct tl_geometry_rec {
    uint32_t kind;    /* tl_shape_kind: TL_HULL, TL_MESH or TL_HEIGHTS */
    tl_array numbers; /* double */
    tl_array words;   /* uint32_t */
    double low[3], high[3];
    double centre[3], radius; /* of a small bounding ball */
    double volume;            /* of closed solids; 0 where it is none */
    double com[3];            /* centre of mass */
    double inertia[6];        /* per unit density, about com, along the axes of the frame: xx yy zz
                                 yz zx xy */
} tl_geometry_rec;

/* The convex hull of points, as a mesh's (tl_mesh_create_hull) with coplanar triangles merged. */
tl_status tl_geometry_hull(size_t count, const double *points, tl_geometry_rec *out);
tl_status tl_geometry_mesh(const tl_mesh *mesh, tl_geometry_rec *out);
tl_status tl_geometry_heights(const tl_heights_def *def, tl_geometry_rec *out);
tl_status tl_geometry_mesh_again(const tl_geometry_rec *from, tl_geometry_rec *out);
tl_status tl_geometry_heights_again(const tl_geometry_rec *from, tl_geometry_rec *out);

/* The geometry that some numbers and words of a kind are those of; TL_BAD_DATA where there is none.
 */
tl_status tl_geometry_restore(const tl_geometry_rec *from, tl_geometry_rec *out);

void tl_geometry_free(tl_geometry_rec *geometry);

/* Lists of geometries (tl_array of tl_geometry_rec): a copy of all into an empty one; their end. */
tl_status tl_geometries_copy(const tl_array *from, tl_array *to);
void tl_geometries_free(tl_array *list);

#endif
