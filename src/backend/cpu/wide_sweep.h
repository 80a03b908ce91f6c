/* Gauss-Seidel sweeps, the rows of a vector at once, all of one colour. */
#ifndef TL_BACKEND_CPU_WIDE_SWEEP_H
#define TL_BACKEND_CPU_WIDE_SWEEP_H

#include "backend/cpu/wide_row.h"

/* tlk_psor_moment of rows. */
WIDE void wide_moment(const tlk_problem *p, vec_rows s, const wide_row *row, const vec *gamma,
                      vec *va, vec *vb)
{
    const vec one = vec_set(1), *n = row->n;
    const vec normal = vec_dot(gamma, n) + wide_material(p, s, 4);
    const vec step = vec_set((real)p->omega) * wide_material(p, s, 7);
    vec old[3], next[3], t[3];
    for (uint32_t k = 0; k < 3; k++) {
        old[k] = vec_load(p->moment, s, k, 3);
        next[k] = old[k] - step * (vb[4 + k] - va[4 + k]);
    }
    const vec about = vec_dot(next, n), most = wide_material(p, s, 6) * normal;
    const vec low = vec_select(about < most, about, most);
    const vec spin = vec_select(low > -most, low, -most), limit = wide_material(p, s, 5) * normal;
    for (int k = 0; k < 3; k++)
        t[k] = next[k] - about * n[k];
    const vec square = vec_dot(t, t);
    const vec scale = vec_select(square > limit * limit, limit / vec_sqrt(square), one);
    for (uint32_t k = 0; k < 3; k++) {
        next[k] = spin * n[k] + scale * t[k];
        vec_store(p->moment, s, k, 3, next[k]);
        next[k] = -old[k] + next[k];
    }
    wide_turn(row, next, va, vb);
}

/* Rows: what they start with. */
WIDE void wide_start_rows(const tlk_problem *p, vec_rows s, const wide_row *row, vec *va, vec *vb)
{
    vec gamma[3];
    for (uint32_t f = 0; f < 3; f++)
        gamma[f] = vec_load(p->gamma, s, f, 3);
    wide_push(row, gamma, va, vb);
    if (!row->material || !p->moment)
        return;
    for (uint32_t f = 0; f < 3; f++)
        gamma[f] = vec_load(p->moment, s, f, 3);
    wide_turn(row, gamma, va, vb);
}

/* What the step of a row with friction begins with: impulse and velocity, and step lengths along
 * the normal and across it. */
typedef struct wide_stride {
    vec gamma[3], u[3], gn, along, across;
} wide_stride;

WIDE wide_stride wide_begin_stride(const tlk_problem *p, vec_rows s, const wide_row *row,
                                   const vec *va, const vec *vb)
{
    const vec one = vec_set(1), *n = row->n;
    wide_stride d;
    for (uint32_t f = 0; f < 3; f++)
        d.gamma[f] = vec_load(p->gamma, s, f, 3);
    wide_velocity(row, va, vb, d.u);
    const vec kn = va[3] + vb[3];
    const vec kt =
        kn + (row->anchor_a * row->anchor_a * va[7] + row->anchor_b * row->anchor_b * vb[7]);
    const bool anchors = row->kind == WIDE_ANCHORS;
    d.gn = vec_dot(d.gamma, n);
    d.along = anchors ? row->eta[0] : one / kn;
    d.across = anchors ? row->eta[1] : one / kt;
    if (row->material) {
        const vec soft = wide_material(p, s, 3);
        for (int k = 0; k < 3; k++)
            d.u[k] += wide_material(p, s, (uint32_t)k) + soft * d.gn * n[k];
        d.along = vec_select(soft > vec_set(0), d.along / (one + soft * d.along), d.along);
    }
    return d;
}

/* It ends with another impulse. */
WIDE void wide_end_stride(const tlk_problem *p, vec_rows s, const wide_row *row,
                          const wide_stride *d, const vec *value, vec *va, vec *vb)
{
    vec change[3];
    for (uint32_t k = 0; k < 3; k++) {
        vec_store(p->gamma, s, k, 3, value[k]);
        change[k] = value[k] - d->gamma[k];
    }
    wide_push(row, change, va, vb);
    if (row->material && p->moment)
        wide_moment(p, s, row, value, va, vb);
}

/* Rows: the step of tlk_psor_row with Coulomb friction. */
WIDE void wide_coulomb_rows(const tlk_problem *p, vec_rows s, const wide_row *row, vec *va, vec *vb)
{
    wide_stride d = wide_begin_stride(p, s, row, va, vb);
    const vec *n = row->n, omega = vec_set((real)p->omega);
    const bool anchors = row->kind == WIDE_ANCHORS;
    vec least = vec_set(0);
    if (row->material)
        least = least - wide_material(p, s, 4);
    const vec un = vec_dot(d.u, n);
    vec next = d.gn - omega * d.along * (un + vec_load(p->bias, s, 0, 1));
    next = vec_select(next > least, next, least);
    if (anchors) {
        vec push[3];
        for (int k = 0; k < 3; k++)
            push[k] = (next - d.gn) * n[k];
        const wide_change change = wide_anchor_change(row, push, va, vb);
        wide_add_velocity(row, &change, d.u);
    }
    const vec step = omega * d.across, sn = anchors ? vec_dot(d.u, n) : un;
    vec t[3], value[3];
    for (int k = 0; k < 3; k++)
        t[k] = d.gamma[k] - d.gn * n[k] - step * (d.u[k] - sn * n[k]);
    const vec square = vec_dot(t, t);
    const vec limit = row->mu * (row->material ? next + wide_material(p, s, 4) : next);
    const vec scale = vec_select(square > limit * limit, limit / vec_sqrt(square), vec_set(1));
    for (int k = 0; k < 3; k++)
        value[k] = next * n[k] + scale * t[k];
    wide_end_stride(p, s, row, &d, value, va, vb);
}

/* Rows: the same with the cone law, tlk_psor_cone. */
WIDE void wide_cone_rows(const tlk_problem *p, vec_rows s, const wide_row *row, vec *va, vec *vb)
{
    const wide_stride d = wide_begin_stride(p, s, row, va, vb);
    const bool anchors = row->kind == WIDE_ANCHORS;
    const vec *n = row->n, omega = vec_set(anchors ? (real)(0.5 * p->omega) : (real)p->omega);
    const vec un = vec_dot(d.u, n), across = omega * d.across;
    const vec along = omega * d.along * (un + vec_load(p->bias, s, 0, 1));
    vec value[3], pull[3];
    vec_bits pulls;
    for (int k = 0; k < 3; k++)
        value[k] = d.gamma[k] - (along * n[k] + across * (d.u[k] - un * n[k]));
    if (row->material) {
        const vec cohesion = wide_material(p, s, 4);
        pulls = cohesion > vec_set(0);
        for (int k = 0; k < 3; k++) {
            pull[k] = cohesion * n[k];
            value[k] = vec_select(pulls, value[k] + pull[k], value[k]);
        }
    }
    wide_project(n, row->mu, d.along / d.across, value);
    for (int k = 0; k < 3 && row->material; k++)
        value[k] = vec_select(pulls, value[k] - pull[k], value[k]);
    wide_end_stride(p, s, row, &d, value, va, vb);
}

/* Anchor rows: the same without friction. */
WIDE void wide_normal_rows(const tlk_problem *p, vec_rows s, const wide_row *row, vec *va, vec *vb)
{
    vec gamma[3], u[3];
    for (uint32_t f = 0; f < 3; f++)
        gamma[f] = vec_load(p->gamma, s, f, 3);
    wide_velocity(row, va, vb, u);
    const vec zero = vec_set(0), omega = vec_set((real)p->omega);
    const vec un = vec_dot(u, row->n), gn = vec_dot(gamma, row->n);
    vec next = gn - omega * row->eta[0] * (un + vec_load(p->bias, s, 0, 1));
    next = vec_select(next > zero, next, zero);
    for (uint32_t k = 0; k < 3; k++) {
        const vec value = next * row->n[k];
        vec_store(p->gamma, s, k, 3, value);
        gamma[k] = value - gamma[k];
    }
    wide_push(row, gamma, va, vb);
}

typedef enum wide_step { WIDE_START, WIDE_COULOMB, WIDE_CONE, WIDE_NORMAL } wide_step;

WIDE void wide_rows(const tlk_problem *p, vec_rows s, const wide_row *row, wide_step step, vec *va,
                    vec *vb)
{
    if (step == WIDE_START)
        wide_start_rows(p, s, row, va, vb);
    else if (step == WIDE_COULOMB)
        wide_coulomb_rows(p, s, row, va, vb);
    else if (step == WIDE_CONE)
        wide_cone_rows(p, s, row, va, vb);
    else
        wide_normal_rows(p, s, row, va, vb);
}

/* Items of a colour: their first rows. */
WIDE vec_rows wide_first_rows(const tlk_problem *p, uint32_t item, uint32_t lanes, wide_kind kind)
{
    vec_rows s;
    for (uint32_t q = 0; q < WIDE_PACKETS; q++) {
        const uint32_t at = q * TLK_LANES < lanes ? item + q * TLK_LANES : item;
        s.first[q] = kind == WIDE_ANCHORS ? tlk_item_row(at, p->anchor_base, p->item_rows) : at;
    }
    return s;
}

/* Items of a colour: their rows, whose pairs' velocities are loaded once. */
WIDE void wide_packet(const tlk_problem *p, uint32_t item, uint32_t lanes, wide_kind kind,
                      bool material, wide_step step)
{
    vec_rows s = wide_first_rows(p, item, lanes, kind);
    wide_row row;
    wide_load_row(p, s, lanes, kind, &row);
    row.material = material;
    vec va[8], vb[8], keep_a[8], keep_b[8];
    vec_bits here;
    wide_load_pair(p, s, &row, p->vel, va, vb);
    wide_rows(p, s, &row, step, va, vb);
    for (uint32_t point = 1; kind == WIDE_ANCHORS && point < p->item_rows; point++) {
        for (uint32_t q = 0; q < WIDE_PACKETS; q++)
            s.first[q] += TLK_LANES;
        const uint32_t count = wide_here(p, s, &here);
        if (!count)
            break;
        wide_load_points(p, s, &row);
        for (int k = 0; k < 8; k++)
            keep_a[k] = va[k], keep_b[k] = vb[k];
        wide_rows(p, s, &row, step, va, vb);
        /* rows that are none change nothing, not even the sign of a zero */
        for (int k = 0; k < 8 && count < WIDE_LANES; k++) {
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

/* Items of a colour: tlk_psor_sweep with Coulomb friction. */
WIDE void wide_coulomb_packet(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_packet(p, s, lanes, kind, false, WIDE_COULOMB);
}

/* Items of a colour: tlk_psor_sweep with the cone law. */
WIDE void wide_cone_packet(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_packet(p, s, lanes, kind, false, WIDE_CONE);
}

/* All of these where there are materials. */
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

WIDE void wide_material_cone_packet(const tlk_problem *p, uint32_t s, uint32_t lanes,
                                    wide_kind kind)
{
    wide_packet(p, s, lanes, kind, true, WIDE_CONE);
}

/* Items of a colour: tlk_psor_sweep without friction. */
WIDE void wide_normal_packet(const tlk_problem *p, uint32_t item, uint32_t lanes, wide_kind kind)
{
    if (kind == WIDE_ANCHORS) {
        wide_packet(p, item, lanes, kind, false, WIDE_NORMAL);
        return;
    }
    const vec_rows s = wide_first_rows(p, item, lanes, kind);
    uint32_t ia[WIDE_LANES], ib[WIDE_LANES];
    wide_index(p->a, s, lanes, ia);
    wide_index(p->b, s, lanes, ib);
    vec n[3], gamma[3], va[4], vb[8], u[3];
    for (uint32_t f = 0; f < 3; f++) {
        n[f] = vec_load(p->head, s, f, TLK_HEAD);
        gamma[f] = vec_load(p->gamma, s, f, 3);
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
    vec next = gn - omega * (one / (va[3] + vb[3])) * (un + vec_load(p->bias, s, 0, 1));
    next = vec_select(next > zero, next, zero);
    for (uint32_t k = 0; k < 3; k++) {
        const vec value = next * n[k];
        vec_store(p->gamma, s, k, 3, value);
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
#define WIDE_APART(packet, kind)                   \
    uint32_t s = begin;                            \
    for (; end - s >= WIDE_LANES; s += WIDE_LANES) \
        packet(&p, s, WIDE_LANES, kind);           \
    if (s < end)                                   \
        packet(&p, s, end - s, kind);
#define WIDE_JOINT(packet, kind)                         \
    for (uint32_t s = begin; s < end; s += WIDE_LANES) { \
        if (end - s >= WIDE_LANES)                       \
            packet(&p, s, WIDE_LANES, kind);             \
        else                                             \
            packet(&p, s, end - s, kind);                \
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
    WIDE_RANGE(packet, anchors, WIDE_ANCHORS, loop) \
    static wide_range *const packet[] = {packet##_central, packet##_walls, packet##_anchors};

typedef void wide_range(const tlk_problem *, uint32_t, uint32_t);

WIDE_RANGES(wide_start, WIDE_APART)
WIDE_RANGES(wide_coulomb, WIDE_APART)
WIDE_RANGES(wide_cone, WIDE_APART)
WIDE_RANGES(wide_normal, WIDE_JOINT)
WIDE_RANGES(wide_material_start, WIDE_APART)
WIDE_RANGES(wide_material_coulomb, WIDE_APART)
WIDE_RANGES(wide_material_cone, WIDE_APART)

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
    wide_range *const *range = wide_normal;
    if (!p->frictionless && p->material)
        range = p->coulomb ? wide_material_coulomb : wide_material_cone;
    else if (!p->frictionless)
        range = p->coulomb ? wide_coulomb : wide_cone;
    range[wide_kind_of(p, begin)](p, begin, end);
}

#endif
