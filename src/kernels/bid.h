/* What a pair of shapes bids for colours with, which also says which copies of crowded bodies it
 * has. Needs no real numbers: the host, which checks colours that come from elsewhere, has it too.
 */
#ifndef TL_KERNELS_BID_H
#define TL_KERNELS_BID_H

#include <stdbool.h>

#include "kernels/args.h"

#ifndef TL_KERNEL /* on the host; for kernels it is real.h's */
#define TL_KERNEL static inline __attribute__((unused))
#endif

/* 64 bits that have nothing to do with those of their neighbours (the finalizer of splitmix64). */
TL_KERNEL uint64_t tlk_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Which of its body's shapes a shape is: rows of a body are side by side. */
TL_KERNEL uint32_t tlk_shape_number(const uint32_t *body, uint32_t s)
{
    uint32_t low = s, leap = 1; /* body[low] is the same */
    while (leap <= low && body[low - leap] == body[s]) {
        low -= leap;
        leap *= 2;
    }
    for (leap = leap < low ? leap : low; leap > 0; leap /= 2)
        while (leap <= low && body[low - leap] == body[s])
            low -= leap;
    return s - low;
}

/* What a pair of shapes bids (with bodies' handles, and the body of each shape): unlike its
 * neighbours, but of what it is alone, so that it does not matter in which rows that is. Handles,
 * and where a pair of bodies may touch in several places, shapes and triangle. Never 0; of bodies
 * with one shape, no two are equal. */
TL_KERNEL uint64_t tlk_bid_of(const uint32_t *id, const uint32_t *body, uint32_t sa, uint32_t sb,
                              uint32_t triangle)
{
    const uint32_t a = id[body[sa]], b = id[body[sb]];
    const uint64_t na = tlk_shape_number(body, sa), nb = tlk_shape_number(body, sb);
    const uint64_t shapes = a < b ? na << 32 | nb : nb << 32 | na;
    uint64_t x = tlk_mix(a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
    if (shapes || triangle)
        x = tlk_mix(x ^ tlk_mix(tlk_mix(shapes) + triangle + 1));
    return x ? x : 1;
}

/* What the pair with first contact k bids. */
TL_KERNEL uint64_t tlk_bid(const tlk_colour *c, uint32_t k)
{
    return tlk_bid_of(c->id, c->shape_body, c->a[k], c->b[k],
                      c->feature ? c->feature[2 * (size_t)k] : 0);
}

#endif
