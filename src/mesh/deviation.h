/* How like a mesh a union of spheres or hulls is: how far their surfaces are apart, by samples of
 * both, and how their volumes differ, by rows. */
#ifndef TL_MESH_DEVIATION_H
#define TL_MESH_DEVIATION_H

#include "mesh/tree.h"

typedef struct tl_deviation {
    double deviation_max, deviation_rms; /* m, of the mesh's surface to the union's */
    double reverse_max, reverse_rms;     /* m, of the union's surface to the mesh's */
    double protrusion;                   /* m, by which a sphere sticks out at most */
    double sampling;                     /* m, spacing of the samples of both */
    double volume, missing, excess;      /* m^3: of the union; what either has alone */
    double volume_accuracy;              /* m^3, of these three */
    double centre_error, inertia_error;  /* as tl_decomposition_info has them */
} tl_deviation;

/* `solid` is the mesh's at a density of 1. */
tl_status tl_deviation_measure(const tl_tree *tree, const tl_mesh_solid *solid,
                               const tl_union *solids, double tolerance, tl_deviation *deviation);

#endif
