/* Sets of numbers that are united: each number has a parent, the root of a set itself. */
#ifndef TL_BASE_SETS_H
#define TL_BASE_SETS_H

#include <stdint.h>

static inline uint32_t tl_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The lower root stays, so that which one it is depends on the numbers alone. */
static inline void tl_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t i = tl_root(parent, a), j = tl_root(parent, b);
    parent[i > j ? i : j] = i > j ? j : i;
}

#endif
