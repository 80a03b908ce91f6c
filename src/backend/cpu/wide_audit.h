/* The audit and the position rows, the rows of a vector at once. What is added up is so packet by
 * packet. */
#ifndef TL_BACKEND_CPU_WIDE_AUDIT_H
#define TL_BACKEND_CPU_WIDE_AUDIT_H

#include "backend/cpu/wide_row.h"

/* tlk_cone_residual of rows; u holds the bias already. */
WIDE vec wide_cone_residual(const tlk_problem *p, const wide_row *h, const vec *va, const vec *vb,
                            const vec *g, const vec *u)
{
    const vec kn = va[3] + vb[3];
    const vec kt = kn + (h->anchor_a * h->anchor_a * va[7] + h->anchor_b * h->anchor_b * vb[7]);
    const vec eta = h->kind == WIDE_ANCHORS ? h->eta[2] : vec_set(3) / (kn + vec_set(2) * kt);
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
    wide_project(h->n, h->mu, vec_set(1), next);
    for (int k = 0; k < 3; k++)
        next[k] = g[k] - next[k];
    return vec_sqrt(vec_dot(next, next)) / eta;
}

/* Rows outside of sweeps: any lanes may be without one; which have one is in `here`. */
WIDE void wide_load_some(const tlk_problem *p, vec_rows s, wide_kind kind, vec_bits *here,
                         wide_row *some)
{
    wide_index_some(p->a, p->a, s, some->a, here);
    wide_index_some(p->a, p->b, s, some->b, here);
    wide_load_rest(p, s, kind, some);
}

/* What rows have: their residual, impulses g, and velocities vb of their second bodies. */
WIDE vec wide_row_residual(const tlk_problem *p, vec_rows s, const wide_row *h, vec *vb, vec *g)
{
    vec va[8], u[3];
    wide_load_pair(p, s, h, p->vel, va, vb);
    wide_velocity(h, va, vb, u);
    const vec bias = vec_load(p->bias, s, 0, 1);
    for (uint32_t k = 0; k < 3; k++) {
        g[k] = vec_load(p->gamma, s, k, 3);
        u[k] += bias * h->n[k];
    }
    return wide_cone_residual(p, h, va, vb, g, u);
}

/* Which of the rows of a packet are there. */
WIDE dvec_bits wide_there(vec_bits here, uint32_t half)
{
    return __builtin_convertvector((packet_bits)vec_packet((vec)here, half), dvec_bits);
}

/* The first three sums of both folds; a lane of `acc` is a row. */
WIDE void wide_add_residual(dvec_bits row, dvec r, dvec *acc)
{
    const dvec zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1},
               worst = dvec_select(row, r, one * -1e300);
    acc[0] += dvec_select(row, r * r, zero);
    acc[1] = dvec_select(acc[1] > worst, acc[1], worst);
    acc[2] += dvec_select(row, one, zero);
}

/* Rows of the residual. */
WIDE void wide_residual_packet(const tlk_problem *p, vec_rows s, wide_kind kind, dvec *acc)
{
    vec_bits here;
    if (kind == WIDE_ANCHORS && !wide_here(p, s, &here))
        return;
    wide_row h;
    wide_load_some(p, s, kind, &here, &h);
    vec vb[8], g[3];
    const vec residual = wide_row_residual(p, s, &h, vb, g);
    for (uint32_t half = 0; half < WIDE_PACKETS && wide_has(s, half); half++)
        wide_add_residual(wide_there(here, half), vec_widen(residual, half), acc);
}

static void wide_residual(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_problem p = *(const tlk_problem *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    start_lanes(3, "sMs", lanes);
    dvec acc[3];
    for (int k = 0; k < 3; k++)
        acc[k] = (dvec){0} + lanes[0][k];
    const uint32_t anchors = tlk_max(begin, tlk_min(end, p.anchor_base));
    if (p.material || p.frictionless) {
        for (uint32_t s = begin; s < end; s++)
            tlk_residual(&p, s, lanes[s % TLK_LANES]);
        fold_lanes(3, "sMs", lanes, numbers);
        return;
    }
    for (uint32_t s = begin; s < anchors && !p.wall; s += WIDE_LANES)
        wide_residual_packet(&p, wide_rows_at(s, anchors), WIDE_CENTRAL, acc);
    for (uint32_t s = begin; s < anchors && p.wall; s += WIDE_LANES)
        wide_residual_packet(&p, wide_rows_at(s, anchors), WIDE_WALLS, acc);
    for (uint32_t s = anchors; s < end; s += WIDE_LANES)
        wide_residual_packet(&p, wide_rows_at(s, end), WIDE_ANCHORS, acc);
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 3; k++)
            lanes[l][k] = acc[k][l];
    fold_lanes(3, "sMs", lanes, numbers);
}

/* Rows of the audit. */
WIDE void wide_audit_packet(const tlk_audit *q, vec_rows s, wide_kind kind, dvec *acc)
{
    const tlk_problem *p = &q->problem;
    vec_bits here;
    if (kind == WIDE_ANCHORS && !wide_here(p, s, &here))
        return;
    wide_row h;
    wide_load_some(p, s, kind, &here, &h);
    vec vb[8], g[3], wall[3], struck[3], surface[3] = {vec_set(0), vec_set(0), vec_set(0)};
    const vec residual = wide_row_residual(p, s, &h, vb, g), gaps = vec_load(q->gap, s, 0, 1);
    if (kind == WIDE_ANCHORS)
        vec_cross(vb + 4, h.rb, surface);
    for (uint32_t k = 0; k < 3; k++) {
        struck[k] = q->impact ? vec_load(q->impact, s, k, 3) : vec_set(0);
        wall[k] = kind == WIDE_ANCHORS ? vb[k] + surface[k] : vb[k];
    }
    const vec carried = vec_dot(g, g), hit = vec_dot(struck, struck);
    const dvec zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1}, none = one * -1e300;
    for (uint32_t half = 0; half < WIDE_PACKETS && wide_has(s, half); half++) {
        const dvec r = vec_widen(residual, half), gap = vec_widen(gaps, half);
        const eight_words other = *(const eight_words *)(h.b + half * TLK_LANES);
        const dvec_bits walls =
            __builtin_convertvector((eight_bits)(other >= p->moving), dvec_bits);
        const dvec_bits row = wide_there(here, half);
        const dvec_bits overlap = row & (gap < zero);
        const dvec active = vec_widen(carried, half) + vec_widen(hit, half);
        const dvec depth = dvec_select(overlap, -gap, none);
        dvec work = zero;
        for (int k = 0; k < 3; k++)
            work += (vec_widen(g[k], half) + vec_widen(struck[k], half)) * vec_widen(wall[k], half);
        wide_add_residual(row, r, acc);
        acc[3] += dvec_select(row & (active > zero), one, zero);
        acc[4] -= dvec_select(row & walls, work, zero);
        acc[5] = dvec_select(acc[5] > depth, acc[5], depth);
        acc[6] -= dvec_select(overlap, gap, zero);
        acc[7] += dvec_select(overlap, one, zero);
    }
}

static void wide_audit_row(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_audit q = *(const tlk_audit *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    start_lanes(8, "sMsssMss", lanes);
    dvec acc[8];
    for (int k = 0; k < 8; k++)
        acc[k] = (dvec){0} + lanes[0][k];
    const uint32_t anchors = tlk_max(begin, tlk_min(end, q.problem.anchor_base));
    if (q.problem.material) {
        for (uint32_t s = begin; s < end; s++)
            tlk_audit_row(&q, s, lanes[s % TLK_LANES]);
        fold_lanes(8, "sMsssMss", lanes, numbers);
        return;
    }
    for (uint32_t s = begin; s < anchors && !q.problem.wall; s += WIDE_LANES)
        wide_audit_packet(&q, wide_rows_at(s, anchors), WIDE_CENTRAL, acc);
    for (uint32_t s = begin; s < anchors && q.problem.wall; s += WIDE_LANES)
        wide_audit_packet(&q, wide_rows_at(s, anchors), WIDE_WALLS, acc);
    for (uint32_t s = anchors; s < end; s += WIDE_LANES)
        wide_audit_packet(&q, wide_rows_at(s, end), WIDE_ANCHORS, acc);
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[k][l];
    fold_lanes(8, "sMsssMss", lanes, numbers);
}

/* Rows of the position problem. */
WIDE void wide_position_packet(const tlk_build *q, const tlk_problem *p, vec_rows s, wide_kind kind)
{
    vec_bits here;
    if (kind == WIDE_ANCHORS && !wide_here(p, s, &here))
        return;
    wide_row h;
    wide_load_some(p, s, kind, &here, &h);
    vec va[8], vb[8], u[3], g[3];
    wide_load_pair(p, s, &h, q->vel, va, vb);
    wide_velocity(&h, va, vb, u);
    for (uint32_t k = 0; k < 3; k++)
        g[k] = vec_load(q->gamma, s, k, 3);
    const vec loads = vec_dot(g, h.n), gaps = vec_load(q->gap, s, 0, 1);
    const vec biases = vec_load(q->bias, s, 0, 1);
    packet to[WIDE_PACKETS], from[WIDE_PACKETS];
    for (uint32_t half = 0; half < WIDE_PACKETS; half++) {
        const dvec zero = {0}, load = vec_widen(loads, half);
        dvec un = vec_widen(h.n[0], half) * vec_widen(u[0], half) +
                  vec_widen(h.n[1], half) * vec_widen(u[1], half) +
                  vec_widen(h.n[2], half) * vec_widen(u[2], half);
        dvec bias = vec_widen(gaps, half) / q->recovery.h + un;
        const dvec_bits closed = vec_widen(biases, half) == zero;
        const dvec_bits rests = (load > zero) & closed & (zero + q->rest >= zero);
        const dvec part = bias * q->recovery.fraction, most = zero - q->recovery.speed;
        bias = dvec_select(rests | (bias < zero), dvec_select(part > most, part, most), bias);
        to[half] = __builtin_convertvector(bias, packet);
        from[half] = __builtin_convertvector(dvec_select(rests, load, zero), packet);
    }
    const vec start = vec_join(from);
    vec_store(q->position_bias, s, 0, 1, vec_join(to));
    for (uint32_t k = 0; k < 3; k++)
        vec_store(q->position_gamma, s, k, 3, start * h.n[k]);
}

static void wide_position_rows(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_build q = *(const tlk_build *)args;
    const tlk_problem p = tlk_position_problem(&q);
    for (uint32_t s = begin; s < end && q.material; s++)
        tlk_position_rows(&q, s);
    if (q.material)
        return;
    const uint32_t anchors = tlk_max(begin, tlk_min(end, p.anchor_base));
    for (uint32_t s = begin; s < anchors && !p.wall; s += WIDE_LANES)
        wide_position_packet(&q, &p, wide_rows_at(s, anchors), WIDE_CENTRAL);
    for (uint32_t s = begin; s < anchors && p.wall; s += WIDE_LANES)
        wide_position_packet(&q, &p, wide_rows_at(s, anchors), WIDE_WALLS);
    for (uint32_t s = anchors; s < end; s += WIDE_LANES)
        wide_position_packet(&q, &p, wide_rows_at(s, end), WIDE_ANCHORS);
}

#endif
