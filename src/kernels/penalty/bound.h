/* How fast bodies may swing and be damped, at most, with all contacts and springs they have: what
 * substeps must be short of (docs/theory.md, "Penalty contact"). One dynamic body at a time. */
#ifndef TL_KERNELS_PENALTY_BOUND_H
#define TL_KERNELS_PENALTY_BOUND_H

#include "kernels/penalty/force.h"

/* What holds a body: translations, rotations, and both. */
typedef struct tlk_held {
    double a[3][3], b[3][3], c[3][3];
} tlk_held;

/* One point more: `along` the normal n and `across` it, at the end of an anchor. The velocity of
 * the point is v + w x anchor. */
TL_KERNEL void tlk_held_add(tlk_held *h, const double *n, const double *anchor, double along,
                            double across)
{
    const double size = tlk_dotd(anchor, anchor), more = along - across;
    const double cross[3][3] = {{0, anchor[2], -anchor[1]},
                                {-anchor[2], 0, anchor[0]},
                                {anchor[1], -anchor[0], 0}}; /* w x anchor */
    double t[3];
    tlk_crossd(anchor, n, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double same = i == j ? across : 0;
            h->a[i][j] += same + more * n[i] * n[j];
            h->b[i][j] += across * cross[i][j] + more * n[i] * t[j];
            h->c[i][j] += same * size - across * anchor[i] * anchor[j] + more * t[i] * t[j];
        }
}

/* Something more of which the sum of norms over mass is known; half as much again for what bodies
 * beside it add. */
TL_KERNEL void tlk_held_rate(tlk_held *h, double rate, double mass)
{
    for (int i = 0; i < 3; i++)
        h->a[i][i] += 1.5 * rate * mass;
}

/* The largest eigenvalue of a symmetric matrix that has none below 0, at most: the eighth root of
 * the sum of their eighth powers, which is no more than 1.15 times as large. */
TL_KERNEL double tlk_held_largest(const double m[3][3])
{
    double s[3][3], square[3][3], sum = 0;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    if (!(trace > 0))
        return 0;
    const double inverse = 1 / trace;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = m[i][j] * inverse;
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                square[i][j] = tlk_dotd(s[i], s[j]); /* symmetric: rows are columns */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[i][j] = square[i][j];
    }
    for (int i = 0; i < 3; i++)
        sum += tlk_dotd(s[i], s[i]);
    return trace * sqrt(sqrt(sqrt(sum)));
}

/* That of all six coordinates over mass and moment, at most. */
TL_KERNEL double tlk_held_most(const tlk_held *h, double mass, double inertia)
{
    const double a = tlk_held_largest(h->a) / mass, c = tlk_held_largest(h->c) / inertia;
    double between = 0;
    for (int i = 0; i < 3; i++)
        between += tlk_dotd(h->b[i], h->b[i]);
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + between / (mass * inertia));
}

/* A point as one of its bodies feels it: the normal, the anchor, and by how much more than its own
 * stiffness it holds, as the other body moves against it. */
typedef struct tlk_felt {
    double n[3], anchor[3], along, across;
} tlk_felt;

/* What a force of 1 N at a point moves a body by, over s^2: along the normal and across it. */
TL_KERNEL void tlk_penalty_yield(const tlk_penalty *p, size_t body, const double *n,
                                 const double *anchor, double *along, double *across)
{
    double mass, inertia, t[3];
    tlk_penalty_inverse(&p->bodies, body, &mass, &inertia);
    tlk_crossd(anchor, n, t);
    *along = mass + inertia * tlk_dotd(t, t);
    *across = mass + inertia * tlk_dotd(anchor, anchor);
}

/* Slot t of a pair, felt on a side of it. */
TL_KERNEL void tlk_penalty_feel(const tlk_penalty *p, uint32_t pair, uint32_t t, uint32_t side,
                                tlk_felt *out)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t first = p->first ? p->first[pair] : pair, i = p->a[first], j = p->b[first];
    const uint32_t body[2] = {s->body[i], s->body[j]};
    double x[3], anchor[2][3], along[2], across[2];
    if (p->place) {
        const double *of = p->place + TLK_PLACE * (size_t)t;
        for (int k = 0; k < 3; k++) {
            out->n[k] = of[4 + k];
            x[k] = s->centre[4 * (size_t)i + k] + of[k] + 0.5 * of[3] * of[4 + k];
        }
    } else {
        const double gap = tlk_narrow(s, i, j, out->n);
        tlk_penalty_halfway(s, i, j, out->n, gap, x);
    }
    for (int e = 0; e < 2; e++) {
        for (int k = 0; k < 3; k++)
            anchor[e][k] = x[k] - p->bodies.pos[4 * (size_t)body[e] + k];
        tlk_penalty_yield(p, body[e], out->n, anchor[e], &along[e], &across[e]);
    }
    for (int k = 0; k < 3; k++)
        out->anchor[k] = side ? anchor[1][k] : anchor[0][k];
    out->along = 1 + (side ? along[0] / along[1] : along[1] / along[0]);
    out->across = 1 + (side ? across[0] / across[1] : across[1] / across[0]);
}

/* Damping across the normal over that along it, at most: by the law, as stiffness or its root. */
TL_KERNEL double tlk_penalty_across(const real *last)
{
    const double ratio = (double)last[TLK_LAST_SHEAR] / last[TLK_LAST_STIFF];
    return tlk_max(ratio, sqrt(ratio));
}

/* One dynamic body: 0 stiffness over mass, 1/s^2, and 1 damping over mass, 1/s, of all that holds
 * it. Nothing swings or is damped faster than the largest of these say. */
TL_KERNEL void tlk_penalty_fastest(const tlk_penalty *p, uint32_t i, double *acc)
{
    tlk_held stiff = {{{0}}, {{0}}, {{0}}}, damp = {{{0}}, {{0}}, {{0}}};
    const double *of = p->bodies.inertia + 4 * (size_t)i, mass = of[3];
    const double inertia = tlk_min(of[0], tlk_min(of[1], of[2])), none[3] = {0, 0, 0};
    for (uint32_t k = p->list_begin[i]; k < p->list_end[i]; k++) {
        const uint32_t item = p->list[k] / 2;
        if (item >= p->pairs + p->springs) { /* through a rod */
            const tlk_rod *r = p->rod + (item - p->pairs - p->springs) / 2;
            tlk_held_rate(&stiff, r->stiff, mass);
            tlk_held_rate(&damp, r->damp, mass);
            continue;
        }
        if (item >= p->pairs) {
            const tlk_spring *s = p->spring + (item - p->pairs);
            tlk_held_add(&stiff, none, none, 2 * s->stiffness, 2 * s->stiffness);
            tlk_held_add(&damp, none, none, 2 * s->damping, 2 * s->damping);
            continue;
        }
        for (uint32_t t = item * p->slots; t < (item + 1) * p->slots; t++) {
            const real *last = p->last + TLK_LAST * (size_t)t;
            tlk_felt f;
            if (!(last[TLK_LAST_STIFF] > 0))
                continue;
            if (last[TLK_LAST_SHEAR] < 0) { /* with a rod */
                tlk_held_rate(&stiff, last[TLK_LAST_STIFF], mass);
                tlk_held_rate(&damp, last[TLK_LAST_DAMP], mass);
                continue;
            }
            tlk_penalty_feel(p, item, t, p->list[k] & 1u, &f);
            tlk_held_add(&stiff, f.n, f.anchor, f.along * last[TLK_LAST_STIFF],
                         f.across * last[TLK_LAST_SHEAR]);
            tlk_held_add(&damp, f.n, f.anchor, f.along * last[TLK_LAST_DAMP],
                         f.across * tlk_penalty_across(last) * last[TLK_LAST_DAMP]);
        }
    }
    acc[0] = tlk_max(acc[0], tlk_held_most(&stiff, mass, inertia));
    acc[1] = tlk_max(acc[1], tlk_held_most(&damp, mass, inertia));
}

#endif
