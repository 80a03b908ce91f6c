/* How like a mesh a union of spheres or hulls is: how far their surfaces are apart, by samples of
 * both, and how their volumes differ, by rows. */
#ifndef TL_MESH_DEVIATION_H
#define TL_MESH_DEVIATION_H

#include "mesh/tree.h"

/* `solid` is the mesh's at a density of 1. The protrusion is known of spheres alone. */
tl_status tl_deviation_measure(const tl_tree *tree, const tl_mesh_solid *solid,
                               const tl_union *solids, double tolerance, tl_fit *fit);

#endif
