/* Kernels of the CPU backend that handle eight items at once, where a measurement paid for it
 * (docs/architecture.md, "Wide kernels"). Each does, lane by lane, exactly the arithmetic of the
 * plain kernel of the same name, so that both give the same bits; tests/backend compares them.
 *
 * A packet of rows keeps field f of its eight rows side by side; a body's velocity is eight numbers
 * in a row (vec.h). */
#ifndef TL_BACKEND_CPU_WIDE_H
#define TL_BACKEND_CPU_WIDE_H

#include "backend/cpu/vec.h"
#include "backend/cpu/wide_bodies.h"
#include "kernels/find.h"
#include "kernels/solve.h"

/* The bodies of a packet; lanes without a row take the first lane's. */
WIDE void wide_index(const uint32_t *from, uint32_t lanes, uint32_t *index)
{
    for (uint32_t k = 0; k < 8; k++)
        index[k] = from[k < lanes ? k : 0];
}

/* The same where any lanes may be without a row: those take the first body. Which lanes have one,
 * as all bits of `here`; returns how many. */
WIDE uint32_t wide_index_some(const uint32_t *rows, const uint32_t *from, uint32_t *index,
                              vec_bits *here)
{
    uint32_t count = 0;
    *here = (vec_bits){0};
    for (uint32_t k = 0; k < 8; k++) {
        const bool row = rows[k] != TLK_NONE;
        index[k] = row ? from[k] : 0;
        (*here)[k] = row ? -1 : 0;
        count += row;
    }
    return count;
}

/* What the compiler knows of rows, to leave out the rest: central rows where no wall turns, central
 * rows where one does, arm rows. */
typedef enum wide_kind { WIDE_CENTRAL, WIDE_WALLS, WIDE_ARMS } wide_kind;

WIDE wide_kind wide_kind_of(const tlk_problem *p, uint32_t s)
{
    return s >= p->arm_base ? WIDE_ARMS : p->wall ? WIDE_WALLS : WIDE_CENTRAL;
}

/* Eight rows of a kind, as tlk_row. */
typedef struct wide_row {
    uint32_t a[8], b[8];
    wide_kind kind;
    bool material; /* the problem has materials */
    vec n[3], mu, arm_a, arm_b;
    vec ra[3], rb[3], eta[3], ia[8], ib[8];
} wide_row;

/* All but the bodies of rows and their inertias. */
WIDE void wide_load_points(const tlk_problem *p, uint32_t s, wide_row *row)
{
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    for (int f = 0; f < 3; f++)
        row->n[f] = vec_load(head + f * TLK_LANES);
    row->mu = vec_load(head + 3 * TLK_LANES);
    row->arm_a = vec_load(head + 4 * TLK_LANES);
    row->arm_b = vec_load(head + 5 * TLK_LANES);
    if (row->kind != WIDE_ARMS)
        return;
    const real *at = p->arms + tlk_at(s - p->arm_base, 0, TLK_ARMS);
    for (int k = 0; k < 3; k++) {
        row->ra[k] = vec_load(at + k * TLK_LANES);
        row->rb[k] = vec_load(at + (3 + k) * TLK_LANES);
    }
    row->eta[0] = row->arm_a;
    row->eta[1] = row->arm_b;
    row->eta[2] = vec_load(at + 6 * TLK_LANES);
}

/* All of rows whose bodies are known. */
WIDE void wide_load_rest(const tlk_problem *p, uint32_t s, wide_kind kind, wide_row *row)
{
    row->kind = kind;
    row->material = false;
    wide_load_points(p, s, row);
    if (kind == WIDE_ARMS) {
        vec_gather(p->inverse, row->a, row->ia);
        vec_gather(p->inverse, row->b, row->ib);
    }
}

WIDE wide_row wide_load_row(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_row row;
    wide_index(p->a + s, lanes, row.a);
    wide_index(p->b + s, lanes, row.b);
    wide_load_rest(p, s, kind, &row);
    return row;
}

/* Which of eight rows are there; returns how many. */
WIDE uint32_t wide_here(const tlk_problem *p, uint32_t s, vec_bits *here)
{
    uint32_t index[8];
    return wide_index_some(p->a + s, p->a + s, index, here);
}

/* tlk_wall_surface where b is a wall. */
WIDE void wide_wall_surface(const tlk_problem *p, uint32_t s, const uint32_t *b, vec *vb)
{
    vec_bits wall;
    uint32_t walls = 0;
    for (uint32_t l = 0; l < TLK_LANES; l++) {
        walls += b[l] >= p->moving;
        wall[l] = b[l] >= p->moving ? -1 : 0;
    }
    if (!walls)
        return;
    const real *at = p->wall + tlk_at(s, 0, 3);
    const vec rb[3] = {vec_load(at), vec_load(at + TLK_LANES), vec_load(at + 2 * TLK_LANES)};
    vec t[3];
    vec_cross(vb + 4, rb, t);
    for (int k = 0; k < 3; k++)
        vb[k] = vec_select(wall, vb[k] + t[k], vb[k]);
}

WIDE void wide_load_pair(const tlk_problem *p, uint32_t s, const wide_row *row, const real *vel,
                         vec *va, vec *vb)
{
    vec_gather(vel, row->a, va);
    vec_gather(vel, row->b, vb);
    if (row->kind == WIDE_WALLS)
        wide_wall_surface(p, s, row->b, vb);
}

WIDE void wide_store_pair(const tlk_problem *p, uint32_t lanes, const wide_row *row, vec *va,
                          vec *vb)
{
    vec_scatter(p->vel, row->a, p->moving, lanes, va);
    vec_scatter(p->vel, row->b, p->moving, lanes, vb);
}

/* u = D^T v of eight rows. */
WIDE void wide_velocity(const wide_row *row, const vec *va, const vec *vb, vec *u)
{
    vec w[3], t[3];
    if (row->kind == WIDE_ARMS) {
        vec_cross(va + 4, row->ra, t);
        vec_cross(vb + 4, row->rb, w);
        for (int k = 0; k < 3; k++)
            u[k] = (vb[k] + w[k]) - (va[k] + t[k]);
        return;
    }
    for (int k = 0; k < 3; k++)
        w[k] = row->arm_a * va[4 + k] + row->arm_b * vb[4 + k];
    vec_cross(w, row->n, t);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k] - t[k];
}

WIDE void wide_symmetric(const vec *m, const vec *x, vec *out)
{
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

/* What the impulses of eight arm rows change, as tlk_change. */
typedef struct wide_change {
    vec a[6], b[6];
} wide_change;

WIDE wide_change wide_arm_change(const wide_row *row, const vec *gamma, const vec *va,
                                 const vec *vb)
{
    wide_change c;
    vec t[3];
    for (int k = 0; k < 3; k++) {
        c.a[k] = va[3] * gamma[k];
        c.b[k] = vb[3] * gamma[k];
    }
    vec_cross(row->ra, gamma, t);
    wide_symmetric(row->ia, t, c.a + 3);
    vec_cross(gamma, row->rb, t);
    wide_symmetric(row->ib, t, c.b + 3);
    return c;
}

WIDE void wide_add_velocity(const wide_row *row, const wide_change *c, vec *u)
{
    vec ta[3], tb[3];
    vec_cross(c->a + 3, row->ra, ta);
    vec_cross(c->b + 3, row->rb, tb);
    for (int k = 0; k < 3; k++)
        u[k] += (c->a[k] + c->b[k]) + (ta[k] - tb[k]);
}

/* Adds M^-1 D gamma of eight rows to the velocities. */
WIDE void wide_push(const wide_row *row, const vec *gamma, vec *va, vec *vb)
{
    if (row->kind == WIDE_ARMS) {
        const wide_change c = wide_arm_change(row, gamma, va, vb);
        for (int k = 0; k < 3; k++) {
            va[k] -= c.a[k];
            vb[k] += c.b[k];
            va[4 + k] -= c.a[3 + k];
            vb[4 + k] -= c.b[3 + k];
        }
        return;
    }
    vec t[3];
    vec_cross(row->n, gamma, t);
    const vec ia = va[7] * row->arm_a, ib = vb[7] * row->arm_b;
    for (int k = 0; k < 3; k++) {
        va[k] -= va[3] * gamma[k];
        vb[k] += vb[3] * gamma[k];
        va[4 + k] -= ia * t[k];
        vb[4 + k] -= ib * t[k];
    }
}

/* A field of the materials of eight rows: slide (3), soft, cohesion, rolling, spinning, step. */
WIDE vec wide_material(const tlk_problem *p, uint32_t s, uint32_t field)
{
    return vec_load(p->material + tlk_at(s, field, TLK_MATERIAL));
}

/* tlk_row_turn of eight rows. */
WIDE void wide_turn(const wide_row *row, const vec *moment, vec *va, vec *vb)
{
    vec ta[3], tb[3];
    if (row->kind == WIDE_ARMS) {
        wide_symmetric(row->ia, moment, ta);
        wide_symmetric(row->ib, moment, tb);
    } else {
        for (int k = 0; k < 3; k++) {
            ta[k] = va[7] * moment[k];
            tb[k] = vb[7] * moment[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        va[4 + k] -= ta[k];
        vb[4 + k] += tb[k];
    }
}

/* tlk_psor_moment of eight rows. */
WIDE void wide_moment(const tlk_problem *p, uint32_t s, const wide_row *row, const vec *gamma,
                      vec *va, vec *vb)
{
    real *at = p->moment + tlk_at(s, 0, 3);
    const vec one = vec_set(1), *n = row->n;
    const vec normal = vec_dot(gamma, n) + wide_material(p, s, 4);
    const vec step = vec_set((real)p->omega) * wide_material(p, s, 7);
    vec old[3], next[3], t[3];
    for (int k = 0; k < 3; k++) {
        old[k] = vec_load(at + k * TLK_LANES);
        next[k] = old[k] - step * (vb[4 + k] - va[4 + k]);
    }
    const vec about = vec_dot(next, n), most = wide_material(p, s, 6) * normal;
    const vec low = vec_select(about < most, about, most);
    const vec spin = vec_select(low > -most, low, -most), limit = wide_material(p, s, 5) * normal;
    for (int k = 0; k < 3; k++)
        t[k] = next[k] - about * n[k];
    const vec square = vec_dot(t, t);
    const vec scale = vec_select(square > limit * limit, limit / vec_sqrt(square), one);
    for (int k = 0; k < 3; k++) {
        next[k] = spin * n[k] + scale * t[k];
        vec_store(at + k * TLK_LANES, next[k]);
        next[k] = -old[k] + next[k];
    }
    wide_turn(row, next, va, vb);
}

/* Eight rows: what they start with. */
WIDE void wide_start_rows(const tlk_problem *p, uint32_t s, const wide_row *row, vec *va, vec *vb)
{
    const real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec gamma[3];
    for (int f = 0; f < 3; f++)
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    wide_push(row, gamma, va, vb);
    if (!row->material || !p->moment)
        return;
    for (int f = 0; f < 3; f++)
        gamma[f] = vec_load(p->moment + tlk_at(s, (uint32_t)f, 3));
    wide_turn(row, gamma, va, vb);
}

/* Eight rows: the step of tlk_psor_row with Coulomb friction. */
WIDE void wide_coulomb_rows(const tlk_problem *p, uint32_t s, const wide_row *row, vec *va, vec *vb)
{
    real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec gamma[3], t[3], u[3];
    for (int f = 0; f < 3; f++)
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    const vec *n = row->n, omega = vec_set((real)p->omega);
    const bool arms = row->kind == WIDE_ARMS;
    wide_velocity(row, va, vb, u);
    const vec kn = va[3] + vb[3];
    const vec kt = kn + (row->arm_a * row->arm_a * va[7] + row->arm_b * row->arm_b * vb[7]);
    const vec one = vec_set(1), gn = vec_dot(gamma, n);
    vec step_n = arms ? row->eta[0] : one / kn, least = vec_set(0);
    if (row->material) {
        const vec soft = wide_material(p, s, 3);
        for (int k = 0; k < 3; k++)
            u[k] += wide_material(p, s, (uint32_t)k) + soft * gn * n[k];
        step_n = vec_select(soft > least, step_n / (one + soft * step_n), step_n);
        least = least - wide_material(p, s, 4);
    }
    const vec un = vec_dot(u, n);
    vec next = gn - omega * step_n * (un + vec_load(p->bias + s));
    next = vec_select(next > least, next, least);
    if (arms) {
        vec push[3];
        for (int k = 0; k < 3; k++)
            push[k] = (next - gn) * n[k];
        const wide_change change = wide_arm_change(row, push, va, vb);
        wide_add_velocity(row, &change, u);
    }
    const vec step = omega * (arms ? row->eta[1] : one / kt), sn = arms ? vec_dot(u, n) : un;
    for (int k = 0; k < 3; k++)
        t[k] = gamma[k] - gn * n[k] - step * (u[k] - sn * n[k]);
    const vec square = vec_dot(t, t);
    const vec limit = row->mu * (row->material ? next + wide_material(p, s, 4) : next);
    const vec scale = vec_select(square > limit * limit, limit / vec_sqrt(square), one);
    vec value[3];
    for (int k = 0; k < 3; k++) {
        value[k] = next * n[k] + scale * t[k];
        vec_store(gamma_at + k * TLK_LANES, value[k]);
        gamma[k] = value[k] - gamma[k];
    }
    wide_push(row, gamma, va, vb);
    if (row->material && p->moment)
        wide_moment(p, s, row, value, va, vb);
}

/* Eight arm rows: the same without friction. */
WIDE void wide_normal_rows(const tlk_problem *p, uint32_t s, const wide_row *row, vec *va, vec *vb)
{
    real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec gamma[3], u[3];
    for (int f = 0; f < 3; f++)
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    wide_velocity(row, va, vb, u);
    const vec zero = vec_set(0), omega = vec_set((real)p->omega);
    const vec un = vec_dot(u, row->n), gn = vec_dot(gamma, row->n);
    vec next = gn - omega * row->eta[0] * (un + vec_load(p->bias + s));
    next = vec_select(next > zero, next, zero);
    for (int k = 0; k < 3; k++) {
        const vec value = next * row->n[k];
        vec_store(gamma_at + k * TLK_LANES, value);
        gamma[k] = value - gamma[k];
    }
    wide_push(row, gamma, va, vb);
}

typedef enum wide_step { WIDE_START, WIDE_COULOMB, WIDE_NORMAL } wide_step;

WIDE void wide_rows(const tlk_problem *p, uint32_t s, const wide_row *row, wide_step step, vec *va,
                    vec *vb)
{
    if (step == WIDE_START)
        wide_start_rows(p, s, row, va, vb);
    else if (step == WIDE_COULOMB)
        wide_coulomb_rows(p, s, row, va, vb);
    else
        wide_normal_rows(p, s, row, va, vb);
}

/* Eight items of a colour: their rows, whose pairs' velocities are loaded once. */
WIDE void wide_packet(const tlk_problem *p, uint32_t item, uint32_t lanes, wide_kind kind,
                      bool material, wide_step step)
{
    uint32_t s = kind == WIDE_ARMS ? tlk_item_row(item, p->arm_base, p->item_rows) : item;
    wide_row row = wide_load_row(p, s, lanes, kind);
    row.material = material;
    vec va[8], vb[8], keep_a[8], keep_b[8];
    vec_bits here;
    wide_load_pair(p, s, &row, p->vel, va, vb);
    wide_rows(p, s, &row, step, va, vb);
    for (uint32_t point = 1; kind == WIDE_ARMS && point < p->item_rows; point++) {
        s += TLK_LANES;
        const uint32_t count = wide_here(p, s, &here);
        if (!count)
            break;
        wide_load_points(p, s, &row);
        for (int k = 0; k < 8; k++)
            keep_a[k] = va[k], keep_b[k] = vb[k];
        wide_rows(p, s, &row, step, va, vb);
        /* rows that are none change nothing, not even the sign of a zero */
        for (int k = 0; k < 8 && count < TLK_LANES; k++) {
            va[k] = vec_select(here, va[k], keep_a[k]);
            vb[k] = vec_select(here, vb[k], keep_b[k]);
        }
    }
    wide_store_pair(p, lanes, &row, va, vb);
}

WIDE void wide_start_packet(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_packet(p, s, lanes, kind, false, WIDE_START);
}

/* Eight items of a colour: tlk_psor_sweep with Coulomb friction. */
WIDE void wide_coulomb_packet(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_packet(p, s, lanes, kind, false, WIDE_COULOMB);
}

/* Both where there are materials. */
WIDE void wide_material_start_packet(const tlk_problem *p, uint32_t s, uint32_t lanes,
                                     wide_kind kind)
{
    wide_packet(p, s, lanes, kind, true, WIDE_START);
}

WIDE void wide_material_coulomb_packet(const tlk_problem *p, uint32_t s, uint32_t lanes,
                                       wide_kind kind)
{
    wide_packet(p, s, lanes, kind, true, WIDE_COULOMB);
}

/* Eight items of a colour: tlk_psor_sweep without friction. */
WIDE void wide_normal_packet(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    if (kind == WIDE_ARMS) {
        wide_packet(p, s, lanes, kind, false, WIDE_NORMAL);
        return;
    }
    uint32_t ia[8], ib[8];
    wide_index(p->a + s, lanes, ia);
    wide_index(p->b + s, lanes, ib);
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    real *gamma_at = p->gamma + tlk_at(s, 0, 3);
    vec n[3], gamma[3], va[4], vb[8], u[3];
    for (int f = 0; f < 3; f++) {
        n[f] = vec_load(head + f * TLK_LANES);
        gamma[f] = vec_load(gamma_at + f * TLK_LANES);
    }
    half_gather(p->vel, ia, va);
    if (kind == WIDE_WALLS) {
        vec_gather(p->vel, ib, vb);
        wide_wall_surface(p, s, ib, vb);
    } else {
        half_gather(p->vel, ib, vb);
    }
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

/* A range of rows is all of one kind, and each kind gets a function; full packets get a copy of the
 * code that knows it. Which of the two loops is faster was measured: with friction the first is, by
 * 6 %, without it the second, by 15 %. */
#define WIDE_APART(packet, kind)                 \
    uint32_t s = begin;                          \
    for (; end - s >= TLK_LANES; s += TLK_LANES) \
        packet(&p, s, TLK_LANES, kind);          \
    if (s < end)                                 \
        packet(&p, s, end - s, kind);
#define WIDE_JOINT(packet, kind)                        \
    for (uint32_t s = begin; s < end; s += TLK_LANES) { \
        if (end - s >= TLK_LANES)                       \
            packet(&p, s, TLK_LANES, kind);             \
        else                                            \
            packet(&p, s, end - s, kind);               \
    }
#define WIDE_RANGE(packet, name, kind, loop)                                           \
    static void packet##_##name(const tlk_problem *args, uint32_t begin, uint32_t end) \
    {                                                                                  \
        const tlk_problem p = *args;                                                   \
        loop(packet##_packet, kind)                                                    \
    }
#define WIDE_RANGES(packet, loop)                   \
    WIDE_RANGE(packet, central, WIDE_CENTRAL, loop) \
    WIDE_RANGE(packet, walls, WIDE_WALLS, loop)     \
    WIDE_RANGE(packet, arms, WIDE_ARMS, loop)       \
    static wide_range *const packet[] = {packet##_central, packet##_walls, packet##_arms};

typedef void wide_range(const tlk_problem *, uint32_t, uint32_t);

WIDE_RANGES(wide_start, WIDE_APART)
WIDE_RANGES(wide_coulomb, WIDE_APART)
WIDE_RANGES(wide_normal, WIDE_JOINT)
WIDE_RANGES(wide_material_start, WIDE_APART)
WIDE_RANGES(wide_material_coulomb, WIDE_APART)

static void wide_psor_start(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_problem *p = args;
    if (!p->frictionless) {
        (p->material ? wide_material_start : wide_start)[wide_kind_of(p, begin)](p, begin, end);
        return;
    }
    for (uint32_t s = begin; s < end; s++)
        tlk_psor_start(p, s);
}

static void wide_psor_sweep(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_problem *p = args;
    if (p->frictionless || p->coulomb) {
        wide_range *const *with = p->material ? wide_material_coulomb : wide_coulomb;
        (p->frictionless ? wide_normal : with)[wide_kind_of(p, begin)](p, begin, end);
        return;
    }
    for (uint32_t s = begin; s < end; s++)
        tlk_psor_sweep(p, s);
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
        if (j != TLK_NONE && tlk_may_touch(f, i, j))
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
#define TLK_WIDE_FOLD_LIST TLK_WIDE(audit_row) TLK_WIDE(check_bodies)

#endif
