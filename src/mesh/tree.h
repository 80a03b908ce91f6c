/* The nearest point of a mesh: a tree of boxes around its triangles. */
#ifndef TL_MESH_TREE_H
#define TL_MESH_TREE_H

#include "mesh/mesh.h"

typedef struct tl_tree {
    const tl_mesh *mesh;
    tl_array nodes; /* of tree.c */
    tl_array order; /* uint32_t: triangles, those of a leaf side by side */
} tl_tree;

/* Makes the tree; on failure it is empty, and may be freed. */
tl_status tl_tree_make(tl_tree *tree, const tl_mesh *mesh);
void tl_tree_free(tl_tree *tree);

/* A point of the mesh, and its triangle. */
typedef struct tl_hit {
    double point[3];
    size_t triangle;
} tl_hit;

/* The distance of a point to the mesh, and where that is nearest (`hit` may be NULL). Where it is
 * `within` or more, `within` is returned and nothing written. What is returned may be too large by
 * `slack` (m): a little of it saves looking at all triangles of a sphere for the nearest to its
 * centre. */
double tl_tree_distance(const tl_tree *tree, const double point[3], double within, double slack,
                        tl_hit *hit);

/* The nearest point of a triangle, and the square of the distance. */
double tl_triangle_nearest(const double *const corners[3], const double point[3], double out[3]);

/* Whether a point is inside of a closed mesh. */
bool tl_tree_contains(const tl_tree *tree, const double point[3]);

#endif
