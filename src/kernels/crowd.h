/* Crowded bodies in sweeps (docs/theory.md, "Crowded bodies"): each pair of such a body has one of
 * several copies of it, which are blocks like others and share its mass evenly; after each sweep
 * all copies of a body get their mean velocity. Called by src/solve/psor.c and src/step/rows.c. */
#ifndef TL_KERNELS_CROWD_H
#define TL_KERNELS_CROWD_H

#include "kernels/contacts.h"

/* One body: its copies are told whose they are. */
TL_KERNEL void tlk_crowd_owners(const tlk_split *q, uint32_t i)
{
    const uint32_t *copy = q->colour.copy;
    for (uint32_t c = copy[i]; c < copy[i + 1]; c++)
        q->owner[c] = i;
}

/* One row: its blocks, if none is a copy. */
TL_KERNEL void tlk_split_rows(const tlk_split *q, uint32_t s)
{
    const uint32_t a = q->build.a[s], b = q->build.b[s];
    q->a[s] = a;
    q->b[s] = a == TLK_NONE || b < q->colour.dynamic ? b : b + q->copies;
}

/* One pair of a crowded body: its rows have copies, and the step lengths that go with their masses.
 */
TL_KERNEL void tlk_split_pairs(const tlk_split *q, uint32_t i)
{
    const tlk_build *p = &q->build;
    const tlk_colour *c = &q->colour;
    const uint32_t k = tlk_first_contact(c->first, i), end = c->first ? c->first[i + 1] : k + 1;
    uint32_t a, b;
    if (!tlk_copies(c, c->shape_body[c->a[k]]) && !tlk_copies(c, c->shape_body[c->b[k]]))
        return;
    const uint32_t item = tlk_item_of(p, i),
                   first = tlk_item_row(item, p->anchor_base, p->item_rows);
    const uint32_t body_a = p->a[first], body_b = p->b[first];
    const uint32_t copies_a = tlk_copies(c, body_a), copies_b = tlk_copies(c, body_b);
    const real share_a = copies_a ? (real)copies_a : 1, share_b = copies_b ? (real)copies_b : 1;
    tlk_pair_blocks(c, k, &a, &b);
    if (body_a != c->shape_body[c->a[k]]) { /* the moving body is a */
        const uint32_t swap = a;
        a = b, b = swap;
    }
    for (uint32_t point = 0; point < end - k; point++) {
        const uint32_t s = first + point * TLK_LANES;
        q->a[s] = a;
        q->b[s] = b;
        if (s >= p->anchor_base)
            tlk_store_eta(p, s, share_a, share_b);
        if (p->material)
            p->material[tlk_at(s, 7, TLK_MATERIAL)] =
                (real)tlk_moment_step(p, s, body_a, body_b, share_a, share_b);
    }
    if (!p->turns)
        return;
    real va[8], vb[8];
    tlk_load8(p->bodies.vel + 8 * (size_t)body_a, va);
    tlk_load8(p->bodies.vel + 8 * (size_t)body_b, vb);
    const real mass[4] = {share_a * va[3], share_b * vb[3], share_a * va[7], share_b * vb[7]};
    tlk_store_turns(p, i, item, c->used[a], b < c->moving ? c->used[b] : 0, mass);
}

/* One block: the velocity that it starts with, and its inverse masses; and its inverse inertia. */
TL_KERNEL void tlk_split_in(const tlk_split *q, uint32_t i)
{
    const tlk_colour *c = &q->colour;
    const bool copy = i >= c->dynamic && i < c->moving;
    const uint32_t body = copy ? q->owner[i - c->dynamic] : i < c->moving ? i : i - q->copies;
    const real share = copy ? (real)tlk_copies(c, body) : 1;
    real v[8];
    tlk_load8(q->bodies_vel + 8 * (size_t)body, v);
    v[3] *= share;
    v[7] *= share;
    tlk_store8(q->vel + 8 * (size_t)i, v);
    if (!q->inverse)
        return;
    tlk_load8(q->build.inverse + 8 * (size_t)body, v);
    for (int k = 0; k < 8; k++)
        v[k] *= share;
    tlk_store8(q->inverse + 8 * (size_t)i, v);
}

/* Item 8 c + k, where copy c is the first of its body: number k of the mean of their velocities, as
 * eight sums side by side, and these in order. There are 1 << x copies, so that nothing is lost by
 * dividing, and copies that are alike have what they have as their mean. */
TL_KERNEL void tlk_crowd_mean(const tlk_split *q, uint32_t i)
{
    const uint32_t first = i / 8, k = i % 8, body = q->owner[first];
    const uint32_t copies = tlk_copies(&q->colour, body);
    if (q->colour.copy[body] != first || k == 3 || k == 7)
        return;
    const real *v = q->vel + 8 * (size_t)(q->colour.dynamic + first) + k;
    double part[8], sum = 0;
    for (uint32_t l = 0; l < 8; l++)
        part[l] = l < copies ? (double)v[8 * (size_t)l] : 0;
    for (uint32_t c = 8; c < copies; c += 8) /* whole eights: loads that wait for nothing */
        for (uint32_t l = 0; l < 8; l++)
            part[l] += (double)v[8 * (size_t)(c + l)];
    for (uint32_t l = 0; l < 8; l++)
        sum += part[l];
    q->vel[8 * (size_t)body + k] = (real)(sum / copies);
}

/* One copy: the mean. */
TL_KERNEL void tlk_crowd_spread(const tlk_split *q, uint32_t c)
{
    const real *mean = q->vel + 8 * (size_t)q->owner[c];
    real *v = q->vel + 8 * (size_t)(q->colour.dynamic + c);
    for (int k = 0; k < 3; k++) {
        v[k] = mean[k];
        v[4 + k] = mean[4 + k];
    }
}

/* One body that moves: its velocity. */
TL_KERNEL void tlk_split_out(const tlk_split *q, uint32_t i)
{
    real v[8];
    tlk_load8(q->vel + 8 * (size_t)i, v);
    tlk_store8(q->bodies_vel + 8 * (size_t)i, v);
}

#endif
