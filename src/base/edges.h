/* The sides of triangles, sorted so that those of one edge are side by side. */
#ifndef TL_BASE_EDGES_H
#define TL_BASE_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* One side of a triangle. */
typedef struct tl_half_edge {
    uint32_t low, high; /* its vertices */
    uint32_t index;     /* 3 * triangle + the corner that it starts at */
    uint32_t forward;   /* 1: the triangle goes from low to high */
} tl_half_edge;

static inline tl_half_edge tl_half_edge_of(uint32_t from, uint32_t to, uint32_t index)
{
    return (tl_half_edge){from < to ? from : to, from < to ? to : from, index, from < to};
}

static inline bool tl_half_edge_same(const tl_half_edge *a, const tl_half_edge *b)
{
    return a->low == b->low && a->high == b->high;
}

static inline int tl_half_edges_compare(const void *a, const void *b)
{
    const tl_half_edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->forward != y->forward)
        return x->forward ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* By their vertices, those that go forward first. */
static inline void tl_half_edges_sort(tl_half_edge *edges, size_t count)
{
    if (count)
        qsort(edges, count, sizeof *edges, tl_half_edges_compare);
}

#endif
