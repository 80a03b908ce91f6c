/* How far the surface of a mesh and that of a union of spheres are apart, by samples of both. */
#ifndef TL_MESH_DEVIATION_H
#define TL_MESH_DEVIATION_H

#include "mesh/tree.h"

typedef struct tl_deviation {
    double deviation_max, deviation_rms; /* m, of the mesh's surface to the union's */
    double reverse_max, reverse_rms;     /* m, of the union's surface to the mesh's */
    double protrusion;                   /* m, by which a sphere sticks out at most */
    double sampling;                     /* m, spacing of the samples of both */
} tl_deviation;

tl_status tl_deviation_measure(const tl_tree *tree, size_t count, const tl_ball *balls,
                               double tolerance, tl_deviation *deviation);

#endif
