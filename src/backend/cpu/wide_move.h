/* Substeps of bodies by the velocity form of Verlet's method, SPAN at once: bodies of one moment
 * that no force is applied to. What acts on each is added up in the order of its list. */
#ifndef TL_BACKEND_CPU_WIDE_MOVE_H
#define TL_BACKEND_CPU_WIDE_MOVE_H

#include "backend/cpu/wide_span.h"
#include "kernels/penalty/move.h"

/* What acts on them, and what it changes. */
typedef struct wide_moved {
    span change[6]; /* per s: of the velocity, of the angular velocity */
    span half[8], pos[4], quat[4];
} wide_moved;

WIDE half_vec quad_narrow(quad v)
{
#if defined(TLK_PRECISION_double)
    return v;
#else
    return (half_vec)_mm256_cvtpd_ps((__m256d)v);
#endif
}

/* Whether SPAN bodies from i on are such. */
WIDE bool wide_moves(const tlk_penalty *p, uint32_t i, uint32_t end)
{
    uint32_t flags = 0;
    if (end - i < SPAN || i + SPAN > p->bodies.dynamic || p->planar || p->forced || p->rods ||
        p->moves > TLK_MOVE_LAST)
        return false;
    for (uint32_t l = 0; l < SPAN; l++)
        flags |= p->bodies.flags[i + l];
    return !(flags & TLK_BODY_ANISOTROPIC);
}

/* tlk_penalty_gather of four bodies that no force is applied to. All go on as long as one has
 * something more, and on to a multiple of four, so that this is mostly foreseen; with a load that
 * is 0 where there is none, behind all others. */
WIDE void wide_add_up(const tlk_penalty *p, uint32_t i, quad *force, quad *torque)
{
    const real *none = p->load + TLK_LOAD * 2 * (size_t)p->items;
    const uint32_t *begin = p->list_begin + i, *end = p->list_end + i;
    const real *at[QUAD];
    uint32_t loads[QUAD], most = 0;
    dvec sum[QUAD];
    for (uint32_t l = 0; l < QUAD; l++) {
        loads[l] = end[l] - begin[l];
        most = tlk_max(most, loads[l]);
        at[l] = p->load + TLK_LOAD * (size_t)begin[l];
        sum[l] = (dvec){0};
    }
    for (uint32_t k = 0; k < most; k += 4)
        for (uint32_t m = k; m < k + 4; m++)
            for (uint32_t l = 0; l < QUAD; l++) {
                const real *row = m < loads[l] ? at[l] + TLK_LOAD * (size_t)m : none;
                sum[l] += packet_widen(*(const packet *)row);
            }
    for (uint32_t l = 0; l < QUAD; l++) {
        force[l] = __builtin_shufflevector(sum[l], sum[l], 0, 1, 2, 3);
        torque[l] = __builtin_shufflevector(sum[l], sum[l], 4, 5, 6, 7);
    }
}

/* The inverses of mass and moment, the fourth and eighth number of `half`: of simple worlds they
 * are kept there from the first launch of a chunk on. */
WIDE void wide_inverses(const tlk_penalty *p, uint32_t i, wide_moved *m)
{
    span inertia[4];
    if (p->simple && p->moves != TLK_MOVE_FIRST)
        return;
    span_rows(p->bodies.inertia, 4, i, inertia);
    m->half[3] = 1 / inertia[3], m->half[7] = 1 / inertia[0];
}

/* `half` is known. */
WIDE void wide_gather_forces(const tlk_penalty *p, uint32_t i, wide_moved *m)
{
    quad force[SPAN], torque[SPAN];
    span f[4], t[4];
    for (uint32_t l = 0; l < SPAN; l += QUAD)
        wide_add_up(p, i + l, force + l, torque + l);
    span_transpose(force, f);
    span_transpose(torque, t);
    for (int k = 0; k < 3; k++) {
        m->change[k] = f[k] * m->half[3] + p->gravity[k];
        m->change[3 + k] = t[k] * m->half[7];
    }
}

/* tlk_penalty_kick */
WIDE void wide_kick(const wide_moved *m, double h, const span *from, span *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + h * m->change[k];
        to[4 + k] = from[4 + k] + h * m->change[3 + k];
    }
}

/* tlk_penalty_unit */
WIDE span wide_unit(span x)
{
    const span off = x * (1.0 / 893025) - 1;
    return (1.0 / 945) * (1 - off * (0.5 - 0.375 * off));
}

/* tlk_penalty_turn */
WIDE void wide_turn_on(double h, const span *w, span *q)
{
    const span none = {0};
    const span_bits still = span_same(w[0], none) & span_same(w[1], none) & span_same(w[2], none);
    const span half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const span x2 = span_dot(half, half);
    const span_bits slow = span_less(x2, none + 2);
    const span over = span_select(slow, 945 - 105 * x2 + x2 * x2, none + 1);
    const span a[4] = {span_select(slow, 945 - 420 * x2 + 15 * x2 * x2, none + 1), over * half[0],
                       over * half[1], over * half[2]};
    const span b[4] = {q[0], q[1], q[2], q[3]};
    const span out[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    const span square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3];
    const span_bits little = span_less(x2, none + TLK_TURNS_LITTLE);
    span size = wide_unit(square);
    if (span_mask(little) != SPAN_ALL)
        size = span_select(little, size, 1 / span_sqrt(square));
    for (int k = 0; k < 4; k++)
        q[k] = span_select(still, q[k], out[k] * size);
}

/* What tlk_penalty_move says of bodies that run away. */
WIDE void wide_halt(const tlk_penalty *p, const span *v, const span *pos)
{
    const span speed = span_dot(v, v), spin = span_dot(v + 4, v + 4);
    const span none = {0}, far = none + TLK_FAR;
    span_bits sound = span_most(speed, none + p->max_speed * p->max_speed);
    sound &= span_less(spin, none + 1e24);
    for (int k = 0; k < 3; k++)
        sound &= span_less(pos[k], far) & span_less(-far, pos[k]);
    if (span_mask(sound) != SPAN_ALL)
        tlk_atomic_or(p->halt, 1);
}

/* tlk_penalty_goes; without a root for those that have clearly not gone too far. */
WIDE void wide_goes(const tlk_penalty *p, uint32_t i, const span *pos, bool last)
{
    const bool near = p->skin > 0 && !last;
    const double most = near ? 0.5 * p->skin : 0.25 * p->margin;
    span from[4], moved = {0};
    span_rows(near ? p->near_from : p->reference, 4, i, from);
    for (int k = 0; k < 3; k++)
        moved += (pos[k] - from[k]) * (pos[k] - from[k]);
    if (span_mask(span_less(moved, (span){0} + 0.999 * most * most)) == SPAN_ALL)
        return;
    for (uint32_t l = 0; l < SPAN; l++) {
        const double x[3] = {pos[0][l], pos[1][l], pos[2][l]};
        tlk_penalty_goes(p, i + l, x, last);
    }
}

/* Velocities as forces see them. */
WIDE void wide_paces(const tlk_penalty *p, uint32_t i, const span *v)
{
    for (uint32_t part = 0; part < 2; part++) {
        quad rows[SPAN];
        span_back(v + 4 * part, rows);
        for (uint32_t l = 0; l < SPAN; l++)
            *(half_vec *)(p->to_pace + 8 * (size_t)(i + l) + 4 * part) = quad_narrow(rows[l]);
    }
}

/* tlk_penalty_go */
WIDE void wide_move_bodies(const tlk_penalty *p, uint32_t i)
{
    wide_moved m;
    span v[8];
    const bool last = p->moves == TLK_MOVE_LAST;
    const double *from = p->moves == TLK_MOVE_FIRST ? p->vel : p->half;
    span_rows(from, 8, i, m.half);
    span_rows(from + 4, 8, i, m.half + 4);
    wide_inverses(p, i, &m);
    wide_gather_forces(p, i, &m);
    span_rows(p->from, 4, i, m.pos);
    if (!last) {
        wide_kick(&m, p->moves == TLK_MOVE_FIRST ? 0.5 * p->h : p->h, m.half, m.half);
        span_rows(p->bodies.quat, 4, i, m.quat);
        for (int k = 0; k < 3; k++)
            m.pos[k] += p->h * m.half[k];
        wide_turn_on(p->h, m.half + 4, m.quat);
        span_unrow(p->to, 4, i, m.pos);
        span_unrow(p->bodies.quat, 4, i, m.quat);
        span_unrow(p->half, 8, i, m.half);
        span_unrow(p->half + 4, 8, i, m.half + 4);
    }
    wide_kick(&m, 0.5 * p->h, m.half, v);
    v[3] = v[7] = (span){0};
    if (p->light)
        wide_paces(p, i, v);
    if (!p->light || last) {
        span_unrow(p->vel, 8, i, v);
        span_unrow(p->vel + 4, 8, i, v + 4);
    }
    wide_halt(p, v, m.pos);
    if (p->central && (!last || p->skin > 0))
        wide_goes(p, i, m.pos, last);
    if (p->central && last) {
        m.pos[3] = (span){0};
        span_unrow(p->bodies.pos, 4, i, m.pos);
    }
}

static void wide_penalty_move(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    for (uint32_t i = begin; i < end; i += SPAN) {
        if (wide_moves(&p, i, end)) {
            wide_move_bodies(&p, i);
            continue;
        }
        for (uint32_t k = i; k < end && k < i + SPAN; k++)
            tlk_penalty_move(&p, k);
    }
}

#endif
