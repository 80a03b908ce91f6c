/* Substeps of bodies by the velocity form of Verlet's method, four at once: bodies of one moment
 * that no force is applied to. What acts on each is gathered one by one, in the order of its list.
 */
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

/* tlk_penalty_gather of a body that no force is applied to; what is beyond three numbers is not of
 * it. */
WIDE void wide_add_up(const tlk_penalty *p, uint32_t i, quad *force, quad *torque)
{
    quad f = {0}, t = {0}; /* in registers */
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        const uint32_t side = p->list[l] & 1u, item = p->list[l] >> 1;
        const double *of = p->force + TLK_FORCE * (size_t)item;
        if (item < p->pairs && !(p->acts[item] & TLK_ACTS))
            continue;
        f += (side ? 1.0 : -1.0) * quad_load(of);
        t += quad_load(of + 3 + 3 * side);
    }
    *force = f;
    *torque = t;
}

WIDE void wide_gather_forces(const tlk_penalty *p, uint32_t i, wide_moved *m)
{
    quad inertia[4], force[4], torque[4];
    for (uint32_t l = 0; l < QUAD; l++)
        wide_add_up(p, i + l, &force[l], &torque[l]);
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

/* tlk_turn_body */
WIDE void wide_turn_on(double h, const quad *w, quad *q)
{
    const quad_bits still = (w[0] == 0) & (w[1] == 0) & (w[2] == 0);
    const quad half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const quad x2 = quad_dot(half, half);
    const quad ratio = (945 - 105 * x2 + x2 * x2) / (945 - 420 * x2 + 15 * x2 * x2);
    const quad scale = quad_select(x2 < 2.0, ratio, (quad){0} + 1);
    const quad v[3] = {scale * half[0], scale * half[1], scale * half[2]};
    const quad norm = quad_sqrt(1 + quad_dot(v, v));
    const quad a[4] = {1 / norm, v[0] / norm, v[1] / norm, v[2] / norm};
    const quad b[4] = {q[0], q[1], q[2], q[3]};
    const quad out[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    const quad size =
        quad_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; k++)
        q[k] = quad_select(still, q[k], out[k] / size);
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

WIDE void wide_move_bodies(const tlk_penalty *p, uint32_t i)
{
    wide_moved m;
    quad v[8];
    double *from = p->moves == TLK_MOVE_FIRST ? p->vel : p->half;
    wide_gather_forces(p, i, &m);
    quad_rows(from, 8, i, m.half);
    quad_rows(from + 4, 8, i, m.half + 4);
    quad_rows(p->bodies.pos, 4, i, m.pos);
    if (p->moves != TLK_MOVE_LAST) {
        wide_kick(&m, p->moves == TLK_MOVE_FIRST ? 0.5 * p->h : p->h, m.half, m.half);
        quad_rows(p->bodies.quat, 4, i, m.quat);
        for (int k = 0; k < 3; k++)
            m.pos[k] += p->h * m.half[k];
        wide_turn_on(p->h, m.half + 4, m.quat);
        quad_unrow(p->bodies.pos, 4, i, m.pos);
        quad_unrow(p->bodies.quat, 4, i, m.quat);
        quad_unrow(p->half, 8, i, m.half);
        quad_unrow(p->half + 4, 8, i, m.half + 4);
    }
    wide_kick(&m, 0.5 * p->h, m.half, v);
    quad_unrow(p->vel, 8, i, v);
    quad_unrow(p->vel + 4, 8, i, v + 4);
    wide_halt(p, v, m.pos);
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
