/* The audit and the position rows, eight rows at once. */
#ifndef TL_BACKEND_CPU_WIDE_AUDIT_H
#define TL_BACKEND_CPU_WIDE_AUDIT_H

#include "backend/cpu/wide_row.h"

typedef double dvec __attribute__((vector_size(64)));
typedef int64_t dvec_bits __attribute__((vector_size(64)));

WIDE dvec vec_widen(vec v)
{
    return __builtin_convertvector(v, dvec);
}

WIDE dvec dvec_select(dvec_bits condition, dvec yes, dvec no)
{
    return (dvec)((condition & (dvec_bits)yes) | (~condition & (dvec_bits)no));
}

/* How many rows a packet has; the rest is padding. */
WIDE uint32_t wide_lanes(const tlk_problem *p, uint32_t s)
{
    uint32_t lanes = 0;
    while (lanes < TLK_LANES && p->a[s + lanes] != TLK_NONE)
        lanes++;
    return lanes;
}

/* tlk_project of eight vectors. */
WIDE void wide_project(const vec *n, vec mu, vec *g)
{
    const vec zero = vec_set(0), gn = vec_dot(g, n);
    vec t[3];
    for (int k = 0; k < 3; k++)
        t[k] = g[k] - gn * n[k];
    const vec length = vec_sqrt(vec_dot(t, t));
    const vec_bits inside = (gn >= zero) & (length <= mu * gn), out = mu * length <= -gn;
    const vec normal = (gn + mu * length) / (vec_set(1) + mu * mu);
    const vec scale = vec_select(length > zero, mu * normal / length, zero);
    for (int k = 0; k < 3; k++)
        g[k] = vec_select(inside, g[k], vec_select(out, zero, normal * n[k] + scale * t[k]));
}

/* tlk_cone_residual of eight rows; u holds the bias already. */
WIDE vec wide_residual(const tlk_problem *p, const wide_row *h, const vec *va, const vec *vb,
                       const vec *g, const vec *u)
{
    const vec kn = va[3] + vb[3];
    const vec kt = kn + (h->arm_a * h->arm_a * va[7] + h->arm_b * h->arm_b * vb[7]);
    const vec eta = h->kind == WIDE_ARMS ? h->eta[2] : vec_set(3) / (kn + vec_set(2) * kt);
    vec w[3] = {u[0], u[1], u[2]}, next[3], t[3];
    if (p->coulomb) {
        const vec wn = vec_dot(w, h->n);
        for (int k = 0; k < 3; k++)
            t[k] = w[k] - wn * h->n[k];
        const vec slide = h->mu * vec_sqrt(vec_dot(t, t));
        for (int k = 0; k < 3; k++)
            w[k] += slide * h->n[k];
    }
    for (int k = 0; k < 3; k++)
        next[k] = g[k] - eta * w[k];
    wide_project(h->n, h->mu, next);
    for (int k = 0; k < 3; k++)
        next[k] = g[k] - next[k];
    return vec_sqrt(vec_dot(next, next)) / eta;
}

/* Rows outside of sweeps: of arm rows any lanes may be without one; which have one is in `row`. */
WIDE wide_row wide_load_some(const tlk_problem *p, uint32_t s, wide_kind kind, dvec_bits *row)
{
    static const int64_t first[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t lanes = TLK_LANES;
    if (kind != WIDE_ARMS) {
        lanes = wide_lanes(p, s);
        __builtin_memcpy(row, first + TLK_LANES - lanes, sizeof *row);
        return wide_load_row(p, s, lanes, kind);
    }
    wide_row some;
    vec_bits here;
    wide_index_some(p->a + s, p->a + s, some.a, &here);
    wide_index_some(p->a + s, p->b + s, some.b, &here);
    for (uint32_t l = 0; l < TLK_LANES; l++)
        (*row)[l] = here[l];
    wide_load_rest(p, s, kind, &some);
    return some;
}

/* Eight rows of the audit; a lane of `acc` is a row. */
WIDE void wide_audit_packet(const tlk_audit *q, uint32_t s, wide_kind kind, dvec *acc)
{
    const tlk_problem *p = &q->problem;
    dvec_bits row;
    vec_bits here;
    if (kind == WIDE_ARMS && !wide_here(p, s, &here))
        return;
    const wide_row h = wide_load_some(p, s, kind, &row);
    vec va[8], vb[8], u[3], g[3], surface[3] = {vec_set(0), vec_set(0), vec_set(0)};
    wide_load_pair(p, s, &h, p->vel, va, vb);
    wide_velocity(&h, va, vb, u);
    if (kind == WIDE_ARMS)
        vec_cross(vb + 4, h.rb, surface);
    const vec bias = vec_load(p->bias + s);
    const real *gamma = p->gamma + tlk_at(s, 0, 3);
    vec struck[3];
    dvec work = {0}, zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1}, none = one * -1e300;
    for (int k = 0; k < 3; k++) {
        g[k] = vec_load(gamma + k * TLK_LANES);
        struck[k] = q->impact ? vec_load(q->impact + tlk_at(s, (uint32_t)k, 3)) : vec_set(0);
        const vec wall = kind == WIDE_ARMS ? vb[k] + surface[k] : vb[k];
        work += (vec_widen(g[k]) + vec_widen(struck[k])) * vec_widen(wall);
        u[k] += bias * h.n[k];
    }
    const dvec r = vec_widen(wide_residual(p, &h, va, vb, g, u));
    dvec_bits wall;
    for (uint32_t l = 0; l < TLK_LANES; l++)
        wall[l] = h.b[l] >= p->moving ? -1 : 0;
    const dvec gap = vec_widen(vec_load(q->gap + s));
    const dvec_bits overlap = row & (gap < zero);
    const dvec active = vec_widen(vec_dot(g, g)) + vec_widen(vec_dot(struck, struck));
    const dvec worst = dvec_select(row, r, none), depth = dvec_select(overlap, -gap, none);
    acc[0] += dvec_select(row, r * r, zero);
    acc[1] = dvec_select(acc[1] > worst, acc[1], worst);
    acc[2] += dvec_select(row, one, zero);
    acc[3] += dvec_select(row & (active > zero), one, zero);
    acc[4] -= dvec_select(row & wall, work, zero);
    acc[5] = dvec_select(acc[5] > depth, acc[5], depth);
    acc[6] -= dvec_select(overlap, gap, zero);
    acc[7] += dvec_select(overlap, one, zero);
}

static void wide_audit_row(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_audit q = *(const tlk_audit *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    start_lanes(8, "sMsssMss", lanes);
    dvec acc[8];
    for (int k = 0; k < 8; k++)
        acc[k] = (dvec){0} + lanes[0][k];
    const uint32_t arms = tlk_max(begin, tlk_min(end, q.problem.arm_base));
    if (q.problem.material) {
        for (uint32_t s = begin; s < end; s++)
            tlk_audit_row(&q, s, lanes[s % TLK_LANES]);
        fold_lanes(8, "sMsssMss", lanes, numbers);
        return;
    }
    for (uint32_t s = begin; s < arms && !q.problem.wall; s += TLK_LANES)
        wide_audit_packet(&q, s, WIDE_CENTRAL, acc);
    for (uint32_t s = begin; s < arms && q.problem.wall; s += TLK_LANES)
        wide_audit_packet(&q, s, WIDE_WALLS, acc);
    for (uint32_t s = arms; s < end; s += TLK_LANES)
        wide_audit_packet(&q, s, WIDE_ARMS, acc);
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[k][l];
    fold_lanes(8, "sMsssMss", lanes, numbers);
}

/* Eight rows of the position problem. */
WIDE void wide_position_packet(const tlk_build *q, const tlk_problem *p, uint32_t s, wide_kind kind)
{
    dvec_bits row;
    vec_bits here;
    if (kind == WIDE_ARMS && !wide_here(p, s, &here))
        return;
    const wide_row h = wide_load_some(p, s, kind, &row);
    vec va[8], vb[8], u[3];
    wide_load_pair(p, s, &h, q->vel, va, vb);
    wide_velocity(&h, va, vb, u);
    const dvec un = vec_widen(h.n[0]) * vec_widen(u[0]) + vec_widen(h.n[1]) * vec_widen(u[1]) +
                    vec_widen(h.n[2]) * vec_widen(u[2]);
    const dvec zero = {0};
    const dvec gap = vec_widen(vec_load(q->gap + s));
    dvec bias = gap / q->recovery.h + un;
    const real *gamma = q->gamma + tlk_at(s, 0, 3);
    const vec g[3] = {vec_load(gamma), vec_load(gamma + TLK_LANES),
                      vec_load(gamma + 2 * TLK_LANES)};
    const vec load = vec_dot(g, h.n);
    const dvec_bits closed = vec_widen(vec_load(q->bias + s)) == zero;
    const dvec_bits rests = (vec_widen(load) > zero) & closed & (zero + q->rest >= zero);
    const dvec part = bias * q->recovery.fraction, most = zero - q->recovery.speed;
    bias = dvec_select(rests | (bias < zero), dvec_select(part > most, part, most), bias);
    vec_store(q->position_bias + s, __builtin_convertvector(bias, vec));
    const vec start = __builtin_convertvector(dvec_select(rests, vec_widen(load), zero), vec);
    real *to = q->position_gamma + tlk_at(s, 0, 3);
    for (int k = 0; k < 3; k++)
        vec_store(to + k * TLK_LANES, start * h.n[k]);
}

static void wide_position_rows(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_build q = *(const tlk_build *)args;
    const tlk_problem p = tlk_position_problem(&q);
    for (uint32_t s = begin; s < end && q.material; s++)
        tlk_position_rows(&q, s);
    if (q.material)
        return;
    const uint32_t arms = tlk_max(begin, tlk_min(end, p.arm_base));
    for (uint32_t s = begin; s < arms && !p.wall; s += TLK_LANES)
        wide_position_packet(&q, &p, s, WIDE_CENTRAL);
    for (uint32_t s = begin; s < arms && p.wall; s += TLK_LANES)
        wide_position_packet(&q, &p, s, WIDE_WALLS);
    for (uint32_t s = arms; s < end; s += TLK_LANES)
        wide_position_packet(&q, &p, s, WIDE_ARMS);
}

#endif
