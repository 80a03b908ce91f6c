/* Kernels of the CPU backend that handle eight items at once, where a measurement paid for it
 * (docs/architecture.md, "Wide kernels"). Each does, lane by lane, exactly the arithmetic of the
 * plain kernel of the same name, so that both give the same bits; tests/backend compares them.
 *
 * A packet of rows keeps field f of its eight rows side by side; a body's velocity is eight numbers
 * in a row. Eight bodies are loaded as eight rows and transposed in registers, which is cheaper
 * than gathering numbers one by one. */
#ifndef TL_BACKEND_CPU_WIDE_H
#define TL_BACKEND_CPU_WIDE_H

#include <immintrin.h>

#include "kernels/find.h"
#include "kernels/solve.h"

typedef real vec __attribute__((vector_size(8 * sizeof(real))));
#if defined(TLK_PRECISION_double)
typedef int64_t vec_bits __attribute__((vector_size(64)));
#else
typedef int32_t vec_bits __attribute__((vector_size(32)));
#endif

#define WIDE static inline __attribute__((always_inline, unused))

WIDE vec vec_set(real x)
{
    return (vec){x, x, x, x, x, x, x, x};
}

WIDE vec vec_load(const real *p)
{
    return *(const vec *)p;
}

WIDE void vec_store(real *p, vec v)
{
    *(vec *)p = v;
}

WIDE vec vec_select(vec_bits condition, vec yes, vec no)
{
    return (vec)((condition & (vec_bits)yes) | (~condition & (vec_bits)no));
}

WIDE vec vec_sqrt(vec x)
{
#if !defined(TLK_PRECISION_double)
    return (vec)_mm256_sqrt_ps((__m256)x);
#elif defined(__AVX512F__)
    return (vec)_mm512_sqrt_pd((__m512d)x);
#else
    union {
        vec v;
        __m256d half[2];
    } u = {x};
    u.half[0] = _mm256_sqrt_pd(u.half[0]);
    u.half[1] = _mm256_sqrt_pd(u.half[1]);
    return u.v;
#endif
}

/* Rows to columns and back. */
WIDE void vec_transpose(vec r[8])
{
#define LOW(a, b)   __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
    const vec t0 = LOW(r[0], r[1]), t1 = HIGH(r[0], r[1]), t2 = LOW(r[2], r[3]);
    const vec t3 = HIGH(r[2], r[3]), t4 = LOW(r[4], r[5]), t5 = HIGH(r[4], r[5]);
    const vec t6 = LOW(r[6], r[7]), t7 = HIGH(r[6], r[7]);
    const vec u0 = FIRST(t0, t2), u1 = LAST(t0, t2), u2 = FIRST(t1, t3), u3 = LAST(t1, t3);
    const vec u4 = FIRST(t4, t6), u5 = LAST(t4, t6), u6 = FIRST(t5, t7), u7 = LAST(t5, t7);
#undef LOW
#undef HIGH
#undef FIRST
#undef LAST
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    r[0] = LOW(u0, u4), r[1] = LOW(u1, u5), r[2] = LOW(u2, u6), r[3] = LOW(u3, u7);
    r[4] = HIGH(u0, u4), r[5] = HIGH(u1, u5), r[6] = HIGH(u2, u6), r[7] = HIGH(u3, u7);
#undef LOW
#undef HIGH
}

/* Velocities of eight bodies: v (0-2), 1/m (3), omega (4-6), 1/I (7). */
WIDE void vec_gather(const real *vel, const uint32_t *index, vec r[8])
{
    for (int k = 0; k < 8; k++)
        r[k] = vec_load(vel + 8 * (size_t)index[k]);
    vec_transpose(r);
}

WIDE void vec_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes, vec r[8])
{
    vec_transpose(r);
    for (uint32_t k = 0; k < lanes; k++)
        if (index[k] < below)
            vec_store(vel + 8 * (size_t)index[k], r[k]);
}

/* The bodies of a packet; lanes without a row take the first lane's. */
WIDE void wide_index(const uint32_t *from, uint32_t lanes, uint32_t *index)
{
    for (uint32_t k = 0; k < 8; k++)
        index[k] = from[k < lanes ? k : 0];
}

WIDE vec vec_dot(const vec *a, const vec *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WIDE void vec_cross(const vec *a, const vec *b, vec *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Eight central rows: adds M^-1 D gamma to the velocities. */
WIDE void wide_push(const vec *n, vec arm_a, vec arm_b, const vec *gamma, vec *va, vec *vb)
{
    vec t[3];
    vec_cross(n, gamma, t);
    const vec ia = va[7] * arm_a, ib = vb[7] * arm_b;
    for (int k = 0; k < 3; k++) {
        va[k] -= va[3] * gamma[k];
        vb[k] += vb[3] * gamma[k];
        va[4 + k] -= ia * t[k];
        vb[4 + k] -= ib * t[k];
    }
}

WIDE void wide_start_packet(const tlk_problem *p, uint32_t s, uint32_t lanes)
{
    uint32_t ia[8], ib[8];
    wide_index(p->a + s, lanes, ia);
    wide_index(p->b + s, lanes, ib);
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    const real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec n[3], gamma[3], va[8], vb[8];
    for (int f = 0; f < 3; f++) {
        n[f] = vec_load(head + f * TLK_LANES);
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    }
    vec_gather(p->vel, ia, va);
    vec_gather(p->vel, ib, vb);
    wide_push(n, vec_load(head + 4 * TLK_LANES), vec_load(head + 5 * TLK_LANES), gamma, va, vb);
    vec_scatter(p->vel, ia, p->moving, lanes, va);
    vec_scatter(p->vel, ib, p->moving, lanes, vb);
}

/* Eight central rows of a colour: tlk_psor_sweep with Coulomb friction. */
WIDE void wide_coulomb_packet(const tlk_problem *p, uint32_t s, uint32_t lanes)
{
    uint32_t ia[8], ib[8];
    wide_index(p->a + s, lanes, ia);
    wide_index(p->b + s, lanes, ib);
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec n[3], gamma[3], va[8], vb[8], w[3], t[3], u[3];
    for (int f = 0; f < 3; f++) {
        n[f] = vec_load(head + f * TLK_LANES);
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    }
    const vec mu = vec_load(head + 3 * TLK_LANES), arm_a = vec_load(head + 4 * TLK_LANES);
    const vec arm_b = vec_load(head + 5 * TLK_LANES), omega = vec_set((real)p->omega);
    vec_gather(p->vel, ia, va);
    vec_gather(p->vel, ib, vb);
    for (int k = 0; k < 3; k++)
        w[k] = arm_a * va[4 + k] + arm_b * vb[4 + k];
    vec_cross(w, n, t);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k] - t[k];
    const vec kn = va[3] + vb[3];
    const vec kt = kn + arm_a * arm_a * va[7] + arm_b * arm_b * vb[7];
    const vec one = vec_set(1), zero = vec_set(0);
    const vec un = vec_dot(u, n), gn = vec_dot(gamma, n);
    vec next = gn - omega * (one / kn) * (un + vec_load(p->bias + s));
    next = vec_select(next > zero, next, zero);
    const vec step = omega * (one / kt);
    for (int k = 0; k < 3; k++)
        t[k] = gamma[k] - gn * n[k] - step * (u[k] - un * n[k]);
    const vec square = vec_dot(t, t), limit = mu * next;
    const vec scale = vec_select(square > limit * limit, limit / vec_sqrt(square), one);
    for (int k = 0; k < 3; k++) {
        const vec value = next * n[k] + scale * t[k];
        vec_store(gamma_at + k * TLK_LANES, value);
        gamma[k] = value - gamma[k];
    }
    wide_push(n, arm_a, arm_b, gamma, va, vb);
    vec_scatter(p->vel, ia, p->moving, lanes, va);
    vec_scatter(p->vel, ib, p->moving, lanes, vb);
}

/* The linear half of eight bodies' velocities and their inverse masses. */
typedef real half_vec __attribute__((vector_size(4 * sizeof(real))));

WIDE void half_gather(const real *vel, const uint32_t *index, vec r[4])
{
    half_vec h[8];
    for (int k = 0; k < 8; k++)
        h[k] = *(const half_vec *)(vel + 8 * (size_t)index[k]);
#define PAIR(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a, b)   __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
    const vec a = PAIR(h[0], h[4]), b = PAIR(h[1], h[5]), c = PAIR(h[2], h[6]),
              d = PAIR(h[3], h[7]);
    const vec ab_low = LOW(a, b), ab_high = HIGH(a, b), cd_low = LOW(c, d), cd_high = HIGH(c, d);
    r[0] = FIRST(ab_low, cd_low), r[1] = LAST(ab_low, cd_low);
    r[2] = FIRST(ab_high, cd_high), r[3] = LAST(ab_high, cd_high);
}

WIDE void half_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes,
                       const vec r[4])
{
    const vec low01 = LOW(r[0], r[1]), high01 = HIGH(r[0], r[1]);
    const vec low23 = LOW(r[2], r[3]), high23 = HIGH(r[2], r[3]);
    union {
        vec v[4];
        half_vec h[8];
    } u = {{FIRST(low01, low23), LAST(low01, low23), FIRST(high01, high23), LAST(high01, high23)}};
    static const uint8_t from[8] = {0, 2, 4, 6, 1, 3, 5, 7};
    for (uint32_t k = 0; k < lanes; k++)
        if (index[k] < below)
            *(half_vec *)(vel + 8 * (size_t)index[k]) = u.h[from[k]];
#undef PAIR
#undef LOW
#undef HIGH
#undef FIRST
#undef LAST
}

/* Eight central rows of a colour: tlk_psor_sweep without friction. */
WIDE void wide_normal_packet(const tlk_problem *p, uint32_t s, uint32_t lanes)
{
    uint32_t ia[8], ib[8];
    wide_index(p->a + s, lanes, ia);
    wide_index(p->b + s, lanes, ib);
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec n[3], gamma[3], va[4], vb[4], u[3];
    for (int f = 0; f < 3; f++) {
        n[f] = vec_load(head + f * TLK_LANES);
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    }
    half_gather(p->vel, ia, va);
    half_gather(p->vel, ib, vb);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k];
    const vec one = vec_set(1), zero = vec_set(0), omega = vec_set((real)p->omega);
    const vec un = vec_dot(u, n), gn = vec_dot(gamma, n);
    vec next = gn - omega * (one / (va[3] + vb[3])) * (un + vec_load(p->bias + s));
    next = vec_select(next > zero, next, zero);
    for (int k = 0; k < 3; k++) {
        const vec value = next * n[k];
        vec_store(gamma_at + k * TLK_LANES, value);
        gamma[k] = value - gamma[k];
        va[k] -= va[3] * gamma[k];
        vb[k] += vb[3] * gamma[k];
    }
    half_scatter(p->vel, ia, p->moving, lanes, va);
    half_scatter(p->vel, ib, p->moving, lanes, vb);
}

/* Full packets get a copy of the code that knows it. */
#define WIDE_ROWS(packet)                               \
    for (uint32_t s = begin; s < end; s += TLK_LANES) { \
        if (end - s >= TLK_LANES)                       \
            packet(&p, s, TLK_LANES);                   \
        else                                            \
            packet(&p, s, end - s);                     \
    }

static void wide_psor_start(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_problem p = *(const tlk_problem *)args;
    if (begin >= p.block_base || p.frictionless) {
        for (uint32_t s = begin; s < end; s++)
            tlk_psor_start(&p, s);
        return;
    }
    WIDE_ROWS(wide_start_packet)
}

static void wide_psor_sweep(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_problem p = *(const tlk_problem *)args;
    if (begin >= p.block_base || (!p.frictionless && !p.coulomb)) {
        for (uint32_t s = begin; s < end; s++)
            tlk_psor_sweep(&p, s);
    } else if (p.frictionless) {
        WIDE_ROWS(wide_normal_packet)
    } else {
        WIDE_ROWS(wide_coulomb_packet)
    }
}

/* --- the audit and the position rows
 * ---------------------------------------------------------------- */

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

/* What eight central rows share in these kernels. */
typedef struct wide_head {
    uint32_t ia[8], ib[8], lanes;
    vec n[3], mu, arm_a, arm_b;
} wide_head;

WIDE wide_head wide_load_head(const tlk_problem *p, uint32_t s)
{
    wide_head h;
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    h.lanes = 0;
    while (h.lanes < TLK_LANES && p->a[s + h.lanes] != TLK_NONE)
        h.lanes++;
    wide_index(p->a + s, h.lanes, h.ia);
    wide_index(p->b + s, h.lanes, h.ib);
    for (int f = 0; f < 3; f++)
        h.n[f] = vec_load(head + f * TLK_LANES);
    h.mu = vec_load(head + 3 * TLK_LANES);
    h.arm_a = vec_load(head + 4 * TLK_LANES);
    h.arm_b = vec_load(head + 5 * TLK_LANES);
    return h;
}

/* u = D^T v of eight central rows; also their bodies' velocities. */
WIDE void wide_velocity(const wide_head *h, const real *vel, vec *va, vec *vb, vec *u)
{
    vec w[3], t[3];
    vec_gather(vel, h->ia, va);
    vec_gather(vel, h->ib, vb);
    for (int k = 0; k < 3; k++)
        w[k] = h->arm_a * va[4 + k] + h->arm_b * vb[4 + k];
    vec_cross(w, h->n, t);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k] - t[k];
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

/* tlk_row_residual of eight central rows; u holds the bias already. */
WIDE vec wide_residual(const tlk_problem *p, const wide_head *h, const vec *va, const vec *vb,
                       const vec *g, const vec *u)
{
    const vec kn = va[3] + vb[3];
    const vec kt = kn + h->arm_a * h->arm_a * va[7] + h->arm_b * h->arm_b * vb[7];
    const vec eta = vec_set(3) / (kn + vec_set(2) * kt);
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

/* Eight central rows of the audit; a lane of `acc` is a row. */
WIDE void wide_audit_packet(const tlk_audit *q, uint32_t s, dvec *acc)
{
    static const int64_t first[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    const tlk_problem *p = &q->problem;
    const wide_head h = wide_load_head(p, s);
    vec va[8], vb[8], u[3], g[3];
    wide_velocity(&h, p->vel, va, vb, u);
    const vec bias = vec_load(p->bias + s);
    const real *gamma = p->gamma + tlk_at(s, 0, 3);
    vec struck[3];
    dvec work = {0}, zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1}, none = one * -1e300;
    for (int k = 0; k < 3; k++) {
        g[k] = vec_load(gamma + k * TLK_LANES);
        struck[k] = q->impact ? vec_load(q->impact + tlk_at(s, (uint32_t)k, 3)) : vec_set(0);
        work += (vec_widen(g[k]) + vec_widen(struck[k])) * vec_widen(vb[k]);
        u[k] += bias * h.n[k];
    }
    const dvec r = vec_widen(wide_residual(p, &h, va, vb, g, u));
    dvec_bits row;
    __builtin_memcpy(&row, first + TLK_LANES - h.lanes, sizeof row);
    dvec_bits wall;
    for (uint32_t l = 0; l < TLK_LANES; l++)
        wall[l] = h.ib[l] >= p->moving ? -1 : 0;
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
    uint32_t s = begin;
    for (; s < end && s < q.problem.block_base; s += TLK_LANES)
        wide_audit_packet(&q, s, acc);
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[k][l];
    for (; s < end; s++)
        tlk_audit_row(&q, s, lanes[tlk_lane(s)]);
    fold_lanes(8, "sMsssMss", lanes, numbers);
}

/* Eight central rows of the position problem. */
WIDE void wide_position_packet(const tlk_build *q, const tlk_problem *p, uint32_t s)
{
    const wide_head h = wide_load_head(p, s);
    vec va[8], vb[8], u[3];
    wide_velocity(&h, q->vel, va, vb, u);
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
    tlk_problem p = {0};
    p.head = q.head;
    p.a = q.a;
    p.b = q.b;
    uint32_t s = begin;
    for (; s < end && s < q.block_base; s += TLK_LANES)
        wide_position_packet(&q, &p, s);
    for (; s < end; s++)
        tlk_position_rows(&q, s);
}

/* --- collision detection
 * ------------------------------------------------------------------------------ */

/* Eight entries from q on: a bit for each that is near and of a later row than the search asks for.
 */
WIDE uint32_t wide_near(const tlk_find *f, const tlk_search *s, uint32_t q)
{
    const uint32_t *x = f->bin + q, *y = x + f->bin_stride, *z = y + f->bin_stride;
    const float *reach = (const float *)(z + f->bin_stride);
#define APART(from, k)                                                               \
    _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(from)), \
                                        _mm256_set1_epi32((int)s->at[k])))
    const __m256 dx = APART(x, 0), dy = APART(y, 1), dz = APART(z, 2);
#undef APART
    const __m256 sum = _mm256_add_ps(_mm256_loadu_ps(reach), _mm256_set1_ps(s->reach));
    const __m256 r = _mm256_mul_ps(sum, _mm256_set1_ps(1.00001f));
    const __m256 d = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                   _mm256_mul_ps(dz, dz));
    const __m256 near = _mm256_cmp_ps(d, _mm256_mul_ps(r, r), _CMP_LE_OQ);
    const __m256i entry = _mm256_loadu_si256((const __m256i *)(z + 2 * (size_t)f->bin_stride));
    const __m256i shape = _mm256_and_si256(entry, _mm256_set1_epi32((int)TLK_ROW));
    const __m256i later = _mm256_cmpgt_epi32(shape, _mm256_set1_epi32(s->after));
    return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(near, _mm256_castsi256_ps(later)));
}

/* Appends the entries from q on that a bit is set for to a list of n; returns its new length. The
 * list needs room for eight more. */
WIDE uint32_t wide_keep(uint32_t *list, uint32_t n, uint32_t q, uint32_t bits)
{
#if defined(__AVX512VL__)
    const __m256i all =
        _mm256_add_epi32(_mm256_set1_epi32((int)q), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)(list + n), _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return n + (uint32_t)__builtin_popcount(bits);
#else
    for (; bits; bits &= bits - 1)
        list[n++] = q + (uint32_t)__builtin_ctz(bits);
    return n;
#endif
}

#define WIDE_NEAR 64u /* candidates that are collected before they are tested */

WIDE void wide_test(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t l,
                    const uint32_t *found, uint32_t n, tlk_list *list)
{
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t j = tlk_partner(f, s, i, l, found[c]);
        if (j != TLK_NONE && tlk_touch(f, i, j))
            tlk_append(list, j);
    }
}

/* Candidates first, then the exact tests, so that few branches are hard to foresee. */
WIDE void wide_visit_bins(const tlk_find *f, uint32_t i, tlk_list *list)
{
    const uint32_t own = tlk_all_entered(f) ? f->shapes.level[i] : TLK_LEVELS;
    for (uint32_t l = 0; own < TLK_LEVELS && l <= own; l++) {
        tlk_search s;
        uint32_t begin, end, found[WIDE_NEAR + TLK_LANES], n = 0;
        if (!tlk_searches(f, i, own, l))
            continue;
        tlk_search_begin(f, i, l, &s);
        while (tlk_search_next(f, &f->level[l], &s, &begin, &end))
            for (uint32_t q = begin; q < end; q += TLK_LANES) {
                const uint32_t lanes = tlk_min(end - q, TLK_LANES);
                n = wide_keep(found, n, q, wide_near(f, &s, q) & ((1u << lanes) - 1));
                if (n < WIDE_NEAR)
                    continue;
                wide_test(f, &s, i, l, found, n, list);
                n = 0;
            }
        wide_test(f, &s, i, l, found, n, list);
    }
}

static void wide_contact_count(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_find f = *(const tlk_find *)args;
    for (uint32_t i = begin; i < end; i++) {
        tlk_list list = tlk_list_begin(&f, i);
        wide_visit_bins(&f, i, &list);
        tlk_list_end(&f, i, &list);
    }
}

#define TLK_WIDE_LIST \
    TLK_WIDE(psor_start) TLK_WIDE(psor_sweep) TLK_WIDE(position_rows) TLK_WIDE(contact_count)
#define TLK_WIDE_FOLD_LIST TLK_WIDE(audit_row)

#endif
