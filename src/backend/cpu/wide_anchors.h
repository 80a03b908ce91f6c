/* The step lengths of anchor rows, those of a vector at once. */
#ifndef TL_BACKEND_CPU_WIDE_ANCHORS_H
#define TL_BACKEND_CPU_WIDE_ANCHORS_H

#include "backend/cpu/wide_row.h"
#include "kernels/contacts.h"

/* tlk_add_side */
WIDE void wide_add_side(vec im, const vec *inverse, const vec *anchor, vec *w)
{
    const vec xx = inverse[0], yy = inverse[1], zz = inverse[2], xy = inverse[3];
    const vec xz = inverse[4], yz = inverse[5], x = anchor[0], y = anchor[1], z = anchor[2];
    const vec t[3] = {y * xz - z * xy, y * yz - z * yy, y * zz - z * yz};
    const vec u[3] = {z * xx - x * xz, z * xy - x * yz, z * xz - x * zz};
    const vec v[2] = {x * xy - y * xx, x * yy - y * xy};
    w[0] += y * t[2] - z * t[1] + im;
    w[1] += z * u[0] - x * u[2] + im;
    w[2] += x * v[1] - y * v[0] + im;
    w[3] += z * t[0] - x * t[2];
    w[4] += x * t[1] - y * t[0];
    w[5] += x * u[1] - y * u[0];
}

/* tlk_largest */
WIDE vec wide_largest(const vec *w, vec trace, real least)
{
    vec a[6];
    const vec part = vec_set(1) / trace;
    for (int k = 0; k < 6; k++)
        a[k] = w[k] * part;
    for (int power = 0; power < 4; power++) {
        const vec xy = a[3] * a[3], xz = a[4] * a[4], yz = a[5] * a[5];
        const vec b[6] = {a[0] * a[0] + xy + xz,
                          a[1] * a[1] + xy + yz,
                          a[2] * a[2] + xz + yz,
                          (a[0] + a[1]) * a[3] + a[4] * a[5],
                          (a[0] + a[2]) * a[4] + a[3] * a[5],
                          (a[1] + a[2]) * a[5] + a[3] * a[4]};
        for (int k = 0; k < 6; k++)
            a[k] = b[k];
    }
    const real two = least * least, four = two * two, eight = four * four;
    const vec sum = a[0] + a[1] + a[2];
    return vec_select(sum > vec_set(eight * eight), vec_sqrt(vec_sqrt(vec_sqrt(vec_sqrt(sum)))),
                      vec_set(least));
}

/* tlk_anchor_eta */
WIDE void wide_anchor_eta(const vec *n, const vec *w, vec *eta)
{
    const vec zero = vec_set(0), one = vec_set(1), two = vec_set(2);
    vec wn[3];
    wide_symmetric(w, n, wn);
    const vec nn = vec_dot(n, wn), wnwn = vec_dot(wn, wn), trace = w[0] + w[1] + w[2];
    const vec square = vec_dot(w, w) + two * vec_dot(w + 3, w + 3);
    const vec t1 = trace - nn, t2 = square - two * wnwn + nn * nn;
    const vec most = two * t2 - t1 * t1, spread = vec_select(most > zero, most, zero);
    eta[0] = one / nn;
    eta[1] = one / (vec_set((real)0.5) * (t1 + vec_sqrt(spread)));
    eta[2] = vec_set((real)1.75) / (trace * wide_largest(w, trace, (real)TLK_ETA_LEAST));
}

/* tlk_anchor_steps of rows, where any may be none. */
WIDE void wide_step_rows(const tlk_build *p, vec_rows s)
{
    _Alignas(32) uint32_t a[WIDE_LANES], b[WIDE_LANES];
    vec_bits here;
    vec_rows of = s;
    if (!wide_index_some(p->a, p->a, s, a, &here))
        return;
    wide_index_some(p->a, p->b, s, b, &here);
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        of.first[q] -= p->anchor_base;
    vec n[3], ra[3], rb[3], mass[4], inverse[8], eta[3];
    vec side_a[6] = {{0}, {0}, {0}, {0}, {0}, {0}}, w[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
    for (uint32_t k = 0; k < 3; k++) {
        n[k] = vec_load(p->head, s, k, TLK_HEAD);
        ra[k] = vec_load(p->anchors, of, k, TLK_ANCHORS);
        rb[k] = vec_load(p->anchors, of, 3 + k, TLK_ANCHORS);
    }
    half_gather(p->bodies.vel, a, mass);
    vec_gather(p->inverse, a, inverse);
    wide_add_side(mass[3], inverse, ra, side_a);
    half_gather(p->bodies.vel, b, mass);
    vec_gather(p->inverse, b, inverse);
    wide_add_side(mass[3], inverse, rb, w);
    for (int k = 0; k < 6; k++)
        w[k] = side_a[k] + w[k];
    wide_anchor_eta(n, w, eta);
    for (uint32_t k = 0; k < 2; k++)
        vec_store(p->head, s, 4 + k, TLK_HEAD,
                  vec_select(here, eta[k], vec_load(p->head, s, 4 + k, TLK_HEAD)));
    vec_store(p->anchors, of, 6, TLK_ANCHORS,
              vec_select(here, eta[2], vec_load(p->anchors, of, 6, TLK_ANCHORS)));
}

static void wide_anchor_steps(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_build p = *(const tlk_build *)args;
    for (uint32_t i = begin; i < end; i += WIDE_LANES)
        wide_step_rows(&p, wide_rows_at(p.anchor_base + i, p.anchor_base + end));
}

#endif
