/* Solids that planes cut apart: closed surfaces of triangles, in which an edge may have any number
 * of triangles as long as as many run along it one way as the other. That is all that volumes and
 * cuts need, and it stays true whatever is cut. Called by convex.c. */
#ifndef TL_MESH_CUT_H
#define TL_MESH_CUT_H

#include "mesh/mesh.h"

/* A triangle; `cap` is 1 on those that a cut made. */
typedef struct tl_face {
    uint32_t corners[3], cap;
} tl_face;

typedef struct tl_chain {
    tl_array vertices; /* double, three per vertex */
    tl_array faces;    /* tl_face */
    double volume;     /* m^3 */
} tl_chain;

void tl_chain_free(tl_chain *chain);
void tl_chains_free(tl_array *chains); /* tl_chain */

/* What a mesh bounds, in parts that hang together, appended to `parts`. Parts of at most `least`
 * m^3 are left out. Holes in a part (parts that are inside out) belong to what they are in. */
tl_status tl_chain_of_mesh(const tl_mesh *mesh, double least, tl_array *parts);

/* The parts on either side of a plane (unit normal and offset), likewise appended. Vertices within
 * `snap` m of the plane count as in it and stay where they are. */
tl_status tl_chain_cut(const tl_chain *chain, const double plane[4], double snap, double least,
                       tl_array *parts);

/* cap.c: closes a surface in a plane: appends the triangles that lie between directed edges (pairs
 * of vertices, `edges` uint32_t) which run clockwise around them as seen along -normal. */
tl_status tl_cap(const double *vertices, const double normal[3], tl_array *edges, tl_array *faces);

#endif
