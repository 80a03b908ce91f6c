/* Spheres that cover a solid within a tolerance. Called by decompose.c. */
#ifndef TL_MESH_COVER_H
#define TL_MESH_COVER_H

#include "mesh/tree.h"

/* The least tolerance for which a cover takes a bearable number of samples. */
double tl_cover_least_tolerance(const tl_mesh *mesh);

/* Appends tl_ball to `balls`, which is empty. Stops with more than `most` of them where these do
 * not do. */
tl_status tl_cover_make(const tl_tree *tree, double tolerance, size_t most, tl_array *balls);

#endif
