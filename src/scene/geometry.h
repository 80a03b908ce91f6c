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
    uint32_t first_piece; /* of meshes that were split for dynamic bodies: the hulls that stand */
    uint32_t piece_count; /* for it, 1 + index into the geometries, and how many; else 0 */
    tl_pieces_info split; /* of the same: how near they are; its pieces are NULL; all 0
                             in worlds that were loaded */
} tl_geometry_rec;

/* The convex hull of points, as a mesh's (tl_mesh_create_hull) with coplanar triangles merged. */
tl_status tl_geometry_hull(size_t count, const double *points, tl_geometry_rec *out);
tl_status tl_geometry_mesh(const tl_mesh *mesh, tl_geometry_rec *out);
tl_status tl_geometry_heights(const tl_heights_def *def, tl_geometry_rec *out);

/* The triangles of a mesh's record that have an area, as a mesh. */
tl_status tl_geometry_to_mesh(const tl_geometry_rec *from, tl_mesh **mesh);

/* geometry_pieces.c: splits the meshes of shapes that are to be on dynamic bodies, those that have
 * not been, with the default tolerance. Handles that are none are left to later checks. Messages
 * name "list[index].shapes[i]". */
tl_status tl_scene_split_shapes(tl_scene *scene, const char *list, size_t index, size_t count,
                                const tl_shape_def *shapes);

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
