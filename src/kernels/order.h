/* Bodies that are near in space become near in memory: their places along a space-filling curve,
 * and moving bodies, shapes and contacts to their new rows. Called by src/world/renumber.c. */
#ifndef TL_KERNELS_ORDER_H
#define TL_KERNELS_ORDER_H

#include "kernels/real.h"

/* Spreads the low 10 bits of x to every third bit. */
TL_KERNEL uint32_t tlk_spread(uint32_t x)
{
    x &= 0x3ffu;
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

/* One dynamic body: its place along the curve. */
TL_KERNEL void tlk_order_key(const tlk_order *o, uint32_t i)
{
    const double *x = o->bodies.pos + 4 * (size_t)i;
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) {
        const double at = (x[k] - o->low[k]) * o->scale;
        cell[k] = at < 0 ? 0 : at > 1023 ? 1023 : (uint32_t)at;
    }
    o->key[i] = tlk_spread(cell[0]) | tlk_spread(cell[1]) << 1 | tlk_spread(cell[2]) << 2;
    o->value[i] = i;
}

/* One new body row: how many shapes its body has. */
TL_KERNEL void tlk_order_count(const tlk_order *o, uint32_t i)
{
    const uint32_t old = o->value[i];
    o->first[i] = o->shape_end[old] - o->shape_begin[old];
}

/* One new body row: where its shapes come from and go to (`first` is scanned by then). */
TL_KERNEL void tlk_order_shapes(const tlk_order *o, uint32_t i)
{
    const uint32_t from = o->shape_begin[o->value[i]], end = o->shape_end[o->value[i]];
    for (uint32_t s = from; s < end; s++) {
        const uint32_t to = o->first[i] + s - from;
        o->shape_from[to] = s;
        o->shape_to[s] = to;
        o->shape_body[to] = i;
    }
}

/* One new row of an array: the old one's words. */
TL_KERNEL void tlk_order_rows(const tlk_gathering *g, uint32_t i)
{
    const uint32_t *from = g->from + (size_t)g->words * g->order[i];
    uint32_t *to = g->to + (size_t)g->words * i;
    for (uint32_t k = 0; k < g->words; k++)
        to[k] = from[k];
}

/* The same for rows of one byte. */
TL_KERNEL void tlk_order_bytes(const tlk_gathering *g, uint32_t i)
{
    ((uint8_t *)g->to)[i] = ((const uint8_t *)g->from)[g->order[i]];
}

/* The new row of a shape; those that are not dynamic keep theirs. */
TL_KERNEL uint32_t tlk_new_shape(const tlk_order *o, uint32_t shape)
{
    return shape < o->shape_dynamic ? o->shape_to[shape] : shape;
}

/* Whether the owner of old contact k is its a, among new rows. */
TL_KERNEL bool tlk_keeps_owner(const tlk_order *o, uint32_t k)
{
    const uint32_t a = o->a[k], b = o->b[k];
    return TLK_OWNS(o->level[a], o->level[b], tlk_new_shape(o, a), tlk_new_shape(o, b));
}

/* One old contact: its new owner, to sort by. */
TL_KERNEL void tlk_order_owner(const tlk_order *o, uint32_t k)
{
    o->key[k] = tlk_new_shape(o, tlk_keeps_owner(o, k) ? o->a[k] : o->b[k]);
    o->value[k] = k;
}

/* One new place: the contact that comes there. */
TL_KERNEL void tlk_order_contact(const tlk_order *o, uint32_t p)
{
    const uint32_t k = o->value[p];
    const bool same = tlk_keeps_owner(o, k);
    const real sign = same ? (real)1 : (real)-1;
    const real *n = o->n + 4 * (size_t)k, *gamma = o->gamma + 4 * (size_t)k;
    real *n_out = o->n_out + 4 * (size_t)p, *gamma_out = o->gamma_out + 4 * (size_t)p;
    o->a_out[p] = tlk_new_shape(o, same ? o->a[k] : o->b[k]);
    o->b_out[p] = tlk_new_shape(o, same ? o->b[k] : o->a[k]);
    o->colour_out[p] = o->colour[k];
    for (int c = 0; c < 3; c++) {
        n_out[c] = sign * n[c];
        gamma_out[c] = sign * gamma[c];
    }
    n_out[3] = n[3];
    gamma_out[3] = gamma[3];
}

/* One shape: how many contacts it owns now. */
TL_KERNEL void tlk_order_list(const tlk_order *o, uint32_t s)
{
    o->start[s] = o->list_end[s] - o->list_begin[s];
}

#endif
