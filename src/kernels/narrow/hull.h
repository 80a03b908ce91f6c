/* The layout of a convex hull's geometry. Numbers: vertices, three per vertex, then planes, four
 * per face (outward unit normal n and offset d: n.x = d on it). Words: the numbers of vertices,
 * faces and edges; where each face's loop begins (one more than faces); loops, counterclockwise
 * seen from outside; edges, two vertices each; the two faces of each edge. */
#ifndef TL_KERNELS_NARROW_HULL_H
#define TL_KERNELS_NARROW_HULL_H

#include "kernels/narrow/convex.h"

#define TLK_HULL_VERTICES_MOST 255u
#define TLK_HULL_LOOP_MOST     32u /* vertices per face */

TL_NARROW uint32_t tlk_hull_vertices(const uint32_t *words)
{
    return words[0];
}

TL_NARROW uint32_t tlk_hull_faces(const uint32_t *words)
{
    return words[1];
}

TL_NARROW uint32_t tlk_hull_edges(const uint32_t *words)
{
    return words[2];
}

/* The plane of a face: outward unit normal and offset. */
TL_NARROW const double *tlk_hull_plane(const double *numbers, const uint32_t *words, uint32_t face)
{
    return numbers + 3 * (size_t)words[0] + 4 * (size_t)face;
}

/* The vertices of a face, *count of them. */
TL_NARROW const uint32_t *tlk_hull_loop(const uint32_t *words, uint32_t face, uint32_t *count)
{
    const uint32_t *start = words + 3;
    *count = start[face + 1] - start[face];
    return start + words[1] + 1 + start[face];
}

/* The two vertices of an edge. */
TL_NARROW const uint32_t *tlk_hull_edge(const uint32_t *words, uint32_t edge)
{
    const uint32_t *start = words + 3;
    return start + words[1] + 1 + start[words[1]] + 2 * (size_t)edge;
}

/* The two faces that meet in an edge. */
TL_NARROW const uint32_t *tlk_hull_edge_faces(const uint32_t *words, uint32_t edge)
{
    return tlk_hull_edge(words, words[2]) + 2 * (size_t)edge;
}

#endif
