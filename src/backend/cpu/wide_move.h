/* Substeps of bodies by the velocity form of Verlet's method, four at once: bodies of one moment
 * that no force is applied to. What acts on each is added up in the order of its list. */
#ifndef TL_BACKEND_CPU_WIDE_MOVE_H
#define TL_BACKEND_CPU_WIDE_MOVE_H

#include "backend/cpu/wide_span.h"
#include "kernels/penalty/move.h"

/* Four bodies: what acts on them, and what it changes. */
typedef struct wide_moved {
    quad change[6]; /* per s: of the velocity, of the angular velocity */
    quad half[8], pos[4], quat[4];
} wide_moved;

WIDE void quad_rows(const double *from, size_t stride, uint32_t i, quad r[4])
{
    for (uint32_t l = 0; l < QUAD; l++)
        r[l] = *(const quad *)(from + stride * (i + l));
    quad_transpose(r);
}

WIDE void quad_unrow(double *to, size_t stride, uint32_t i, const quad in[4])
{
    quad r[4] = {in[0], in[1], in[2], in[3]};
    quad_transpose(r);
    for (uint32_t l = 0; l < QUAD; l++)
        *(quad *)(to + stride * (i + l)) = r[l];
}

WIDE half_vec quad_narrow(quad v)
{
#if defined(TLK_PRECISION_double)
    return v;
#else
    return (half_vec)_mm256_cvtpd_ps((__m256d)v);
#endif
}

/* Whether four bodies from i on are such. */
WIDE bool wide_moves(const tlk_penalty *p, uint32_t i, uint32_t end)
{
    uint32_t flags = 0;
    if (end - i < QUAD || i + QUAD > p->bodies.dynamic || p->planar || p->forced || p->rods ||
        p->moves > TLK_MOVE_LAST)
        return false;
    for (uint32_t l = 0; l < QUAD; l++)
        flags |= p->bodies.flags[i + l];
    return !(flags & TLK_BODY_ANISOTROPIC);
}

/* tlk_penalty_gather of four bodies that no force is applied to. All go on as long as one has
 * something more, with a load that is 0 where there is none, behind all others. */
WIDE void wide_add_up(const tlk_penalty *p, uint32_t i, quad *force, quad *torque)
{
    const uint32_t none = 2 * p->items;
    const uint32_t *begin = p->list_begin + i, *end = p->list_end + i;
    uint32_t most = 0;
    dvec sum[QUAD];
    for (uint32_t l = 0; l < QUAD; l++) {
        most = tlk_max(most, end[l] - begin[l]);
        sum[l] = (dvec){0};
    }
    for (uint32_t k = 0; k < most; k++)
        for (uint32_t l = 0; l < QUAD; l++) {
            const size_t at = begin[l] + k < end[l] ? begin[l] + k : none;
            sum[l] += packet_widen(*(const packet *)(p->load + TLK_LOAD * at));
        }
    for (uint32_t l = 0; l < QUAD; l++) {
        force[l] = __builtin_shufflevector(sum[l], sum[l], 0, 1, 2, 3);
        torque[l] = __builtin_shufflevector(sum[l], sum[l], 4, 5, 6, 7);
    }
}

WIDE void wide_gather_forces(const tlk_penalty *p, uint32_t i, wide_moved *m)
{
    quad inertia[4], force[4], torque[4];
    wide_add_up(p, i, force, torque);
    quad_transpose(force);
    quad_transpose(torque);
    quad_rows(p->bodies.inertia, 4, i, inertia);
    const quad light = 1 / inertia[3], slender = 1 / inertia[0];
    for (int k = 0; k < 3; k++) {
        m->change[k] = force[k] * light + p->gravity[k];
        m->change[3 + k] = torque[k] * slender;
    }
}

/* tlk_penalty_kick */
WIDE void wide_kick(const wide_moved *m, double h, const quad *from, quad *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + h * m->change[k];
        to[4 + k] = from[4 + k] + h * m->change[3 + k];
    }
    to[3] = to[7] = (quad){0};
}

/* tlk_penalty_turn */
WIDE void wide_turn_on(double h, const quad *w, quad *q)
{
    const quad none = {0};
    const quad_bits still = (w[0] == 0) & (w[1] == 0) & (w[2] == 0);
    const quad half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const quad x2 = quad_dot(half, half);
    const quad_bits slow = x2 < 2.0;
    const quad over = quad_select(slow, 945 - 105 * x2 + x2 * x2, none + 1);
    const quad a[4] = {quad_select(slow, 945 - 420 * x2 + 15 * x2 * x2, none + 1), over * half[0],
                       over * half[1], over * half[2]};
    const quad b[4] = {q[0], q[1], q[2], q[3]};
    const quad out[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    const quad size =
        1 / quad_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; k++)
        q[k] = quad_select(still, q[k], out[k] * size);
}

/* What tlk_penalty_move says of bodies that run away. */
WIDE void wide_halt(const tlk_penalty *p, const quad *v, const quad *pos)
{
    const quad speed = quad_dot(v, v), spin = quad_dot(v + 4, v + 4);
    quad_bits sound = (speed <= p->max_speed * p->max_speed) & (spin < 1e24);
    for (int k = 0; k < 3; k++)
        sound &= (pos[k] < TLK_FAR) & (pos[k] > -TLK_FAR);
    if (!quad_all(sound))
        tlk_atomic_or(p->halt, 1);
}

/* tlk_penalty_strays of balls about the centres of their bodies. */
WIDE void wide_stray(const tlk_penalty *p, uint32_t i, const quad *pos)
{
    quad from[4], moved = {0};
    quad_rows(p->reference, 4, i, from);
    for (int k = 0; k < 3; k++)
        moved += (pos[k] - from[k]) * (pos[k] - from[k]);
    const quad way = quad_sqrt(moved);
    if (!quad_all(way <= 0.25 * p->margin))
        for (uint32_t l = 0; l < QUAD; l++)
            tlk_penalty_strays(p, way[l]);
}

/* Velocities as forces see them. */
WIDE void wide_paces(const tlk_penalty *p, uint32_t i, const quad *v)
{
    for (uint32_t part = 0; part < 2; part++) {
        quad r[4] = {v[4 * part], v[4 * part + 1], v[4 * part + 2], v[4 * part + 3]};
        quad_transpose(r);
        for (uint32_t l = 0; l < QUAD; l++)
            *(half_vec *)(p->to_pace + 8 * (size_t)(i + l) + 4 * part) = quad_narrow(r[l]);
    }
}

/* tlk_penalty_go */
WIDE void wide_move_bodies(const tlk_penalty *p, uint32_t i)
{
    wide_moved m;
    quad v[8];
    const bool last = p->moves == TLK_MOVE_LAST;
    const double *from = p->moves == TLK_MOVE_FIRST ? p->vel : p->half;
    wide_gather_forces(p, i, &m);
    quad_rows(from, 8, i, m.half);
    quad_rows(from + 4, 8, i, m.half + 4);
    quad_rows(p->from, 4, i, m.pos);
    if (!last) {
        wide_kick(&m, p->moves == TLK_MOVE_FIRST ? 0.5 * p->h : p->h, m.half, m.half);
        quad_rows(p->bodies.quat, 4, i, m.quat);
        for (int k = 0; k < 3; k++)
            m.pos[k] += p->h * m.half[k];
        wide_turn_on(p->h, m.half + 4, m.quat);
        quad_unrow(p->to, 4, i, m.pos);
        quad_unrow(p->bodies.quat, 4, i, m.quat);
        quad_unrow(p->half, 8, i, m.half);
        quad_unrow(p->half + 4, 8, i, m.half + 4);
    }
    wide_kick(&m, 0.5 * p->h, m.half, v);
    if (p->light)
        wide_paces(p, i, v);
    if (!p->light || last) {
        quad_unrow(p->vel, 8, i, v);
        quad_unrow(p->vel + 4, 8, i, v + 4);
    }
    wide_halt(p, v, m.pos);
    if (p->central && !last) {
        wide_stray(p, i, m.pos);
    } else if (p->central) {
        m.pos[3] = (quad){0};
        quad_unrow(p->bodies.pos, 4, i, m.pos);
    }
}

static void wide_penalty_move(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    for (uint32_t i = begin; i < end; i += QUAD) {
        if (wide_moves(&p, i, end)) {
            wide_move_bodies(&p, i);
            continue;
        }
        for (uint32_t k = i; k < end && k < i + QUAD; k++)
            tlk_penalty_move(&p, k);
    }
}

#endif
