/* From forces to motion: one body at a time gathers what acts on it, in the order of its list, and
 * takes a substep, or a stage of one. */
#ifndef TL_KERNELS_PENALTY_MOVE_H
#define TL_KERNELS_PENALTY_MOVE_H

#include "kernels/penalty/contact.h"

/* Of half of what a body turns by in a substep, the square, rad^2. */
#define TLK_TURNS_LITTLE 1e-5

/* Writes four numbers of a body, in rows of `apart` numbers. `together`: on a GPU, all 32 lanes of
 * a warp do so, each for the body after that of the lane before; two lanes then write both halves
 * of one row at a time, so that memory gets whole sectors. */
TL_KERNEL void tlk_penalty_put(bool together, uint32_t apart, double *row, const double *of)
{
#if defined(__CUDACC__)
    if (together) {
        const bool odd = threadIdx.x & 1u;
        const double low = __shfl_xor_sync(0xffffffffu, odd ? of[0] : of[2], 1);
        const double high = __shfl_xor_sync(0xffffffffu, odd ? of[1] : of[3], 1);
        double *first = odd ? row - apart + 2 : row, *second = odd ? row + 2 : row + apart;
        *(double2 *)first = odd ? make_double2(low, high) : make_double2(of[0], of[1]);
        *(double2 *)second = odd ? make_double2(of[2], of[3]) : make_double2(low, high);
        return;
    }
#endif
    (void)together, (void)apart;
    tlk_store4d(row, of);
}

/* Likewise its velocity, as forces see it. */
TL_KERNEL void tlk_penalty_put_pace(const tlk_penalty *p, bool together, uint32_t i,
                                    const real *pace)
{
    real *to = p->to_pace + 8 * (size_t)i;
#if defined(__CUDACC__)
    if (together) {
        const bool odd = threadIdx.x & 1u;
        real other[4], first[4], second[4];
        for (int k = 0; k < 4; k++) {
            other[k] = __shfl_xor_sync(0xffffffffu, odd ? pace[k] : pace[4 + k], 1);
            first[k] = odd ? other[k] : pace[k];
            second[k] = odd ? pace[4 + k] : other[k];
        }
        tlk_store4(odd ? to - 4 : to, first);
        tlk_store4(odd ? to + 4 : to + 8, second);
        return;
    }
#endif
    (void)together;
    tlk_store8(to, pace);
}

/* Where a body is. */
TL_KERNEL const double *tlk_penalty_where(const tlk_penalty *p, size_t body)
{
    return (p->from && body < p->bodies.dynamic ? p->from : p->bodies.pos) + 4 * body;
}

/* A shape has gone so far since pairs were found. */
TL_KERNEL void tlk_penalty_strays(const tlk_penalty *p, double way)
{
    if (!(way <= 0.25 * p->margin) && !(*p->halt & (way <= 0.5 * p->margin ? 4u : 2u)))
        tlk_atomic_or(p->halt, way <= 0.5 * p->margin ? 4 : 2);
}

/* How far a ball about the centre of its body has gone: since near pairs were told from others,
 * and at last, or where all are near, since pairs were found. */
TL_KERNEL void tlk_penalty_goes(const tlk_penalty *p, uint32_t i, const double *x, bool last)
{
    const bool near = p->near_from && p->skin > 0 && !last;
    if (p->calm && !last)
        return;
    const double *from = (near ? p->near_from : p->reference) + 4 * (size_t)i;
    double moved = 0;
    for (int k = 0; k < 3; k++)
        moved += (x[k] - from[k]) * (x[k] - from[k]);
    if (!near)
        tlk_penalty_strays(p, sqrt(moved));
    else if (!(sqrt(moved) <= 0.5 * p->skin))
        tlk_atomic_or(p->halt, 8);
}

/* One body, before a step: its velocity in 64-bit; as forces see it with the inverse of its mass.
 */
TL_KERNEL void tlk_penalty_begin(const tlk_penalty *p, uint32_t i)
{
    real v[8];
    tlk_load8(p->bodies.vel + 8 * (size_t)i, v);
    const double move[4] = {v[0], v[1], v[2], 0}, turn[4] = {v[4], v[5], v[6], 0};
    v[3] = i < p->bodies.dynamic ? (real)(1 / p->bodies.inertia[4 * (size_t)i + 3]) : 0;
    v[7] = 0;
    tlk_store4d(p->vel + 8 * (size_t)i, move);
    tlk_store4d(p->vel + 8 * (size_t)i + 4, turn);
    tlk_store8(p->to_pace + 8 * (size_t)i, v);
    if (p->work && i < p->bodies.dynamic)
        p->work[i] = 0;
}

/* What an item does to its bodies. */
TL_KERNEL void tlk_penalty_load(const tlk_penalty *p, size_t item, const double *force)
{
    for (uint32_t e = 0; e < 2; e++) {
        real *to = p->load + TLK_LOAD * (size_t)p->at[2 * item + e];
        for (uint32_t k = 0; k < 3; k++) {
            to[k] = (real)(e ? force[k] : -force[k]);
            to[4 + k] = (real)force[3 + 3 * e + k];
        }
    }
}

/* Force and torque that are applied to a body, never -0: what adds nothing may be left out. */
TL_KERNEL void tlk_penalty_applied(const tlk_penalty *p, uint32_t i, double *f)
{
    const uint32_t forced = p->forced ? p->forced[i] : TLK_NONE;
    for (int k = 0; k < 6; k++)
        f[k] = forced == TLK_NONE ? 0 : p->wrench[6 * (size_t)forced + k] + 0.0;
}

/* All force and torque on a body, without gravity. */
TL_KERNEL void tlk_penalty_gather(const tlk_penalty *p, uint32_t i, double *f)
{
    tlk_penalty_applied(p, i, f);
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        const real *of = p->load + TLK_LOAD * (size_t)l;
        for (int k = 0; k < 3; k++) {
            f[k] += of[k];
            f[3 + k] += of[4 + k];
        }
    }
}

/* What a torque changes the spin of a body of three moments by, per s. */
TL_RARE void tlk_penalty_twist(const double *inertia, const double *q, const double *torque,
                               double *turn)
{
    double local[3];
    tlk_rotate_back(q, torque, local);
    for (int k = 0; k < 3; k++)
        local[k] = local[k] / inertia[k];
    tlk_rotate(q, local, turn);
}

/* v changes by what a force and torque do within h. */
TL_KERNEL void tlk_penalty_kick(const tlk_penalty *p, uint32_t i, const double *q, const double *f,
                                double h, const double *from, double *to)
{
    const double *inertia = p->bodies.inertia + 4 * (size_t)i;
    double turn[3];
    const double light = 1 / inertia[3];
    if (p->bodies.flags[i] & TLK_BODY_ANISOTROPIC) {
        /* What a call reads is in memory. It is a struct because nvcc lets arrays of inlined
         * functions share their memory, and then stores all of them there. */
        struct {
            double q[4], torque[3], turn[3];
        } own = {{q[0], q[1], q[2], q[3]}, {f[3], f[4], f[5]}, {0, 0, 0}};
        tlk_penalty_twist(inertia, own.q, own.torque, own.turn);
        for (int k = 0; k < 3; k++)
            turn[k] = own.turn[k];
    } else {
        const double slender = 1 / inertia[0];
        for (int k = 0; k < 3; k++)
            turn[k] = f[3 + k] * slender;
    }
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + h * (f[k] * light + p->gravity[k]);
        to[4 + k] = from[4 + k] + h * turn[k];
    }
    to[3] = to[7] = 0;
    if (p->planar)
        to[1] = to[4] = to[6] = 0;
}

/* A body of three moments turns for h with a spin, which turns with it. */
TL_RARE void tlk_penalty_whirl(const double *inertia, double h, double *q, double *spin)
{
    double m[3];
    tlk_rotate_back(q, spin, m);
    for (int k = 0; k < 3; k++)
        m[k] *= inertia[k];
    tlk_spin(h, inertia, m, q);
    for (int k = 0; k < 3; k++)
        m[k] /= inertia[k];
    tlk_rotate(q, m, spin);
}

/* 1/sqrt(x), x next to 945^2: so short a series is exact to rounding within TLK_TURNS_LITTLE. */
TL_KERNEL double tlk_penalty_unit(double x)
{
    const double off = x * (1.0 / 893025) - 1;
    return (1.0 / 945) * (1 - off * (0.5 - 0.375 * off));
}

/* q turns with the spin w for h: tlk_turn_body() with one quotient, as q is made a unit again, or
 * none where it turns little. */
TL_KERNEL void tlk_penalty_turn(double h, const double *w, double *q)
{
    if (w[0] == 0 && w[1] == 0 && w[2] == 0)
        return;
    const double half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const double x2 = tlk_dotd(half, half);
    const bool slow = x2 < 2;
    const double over = slow ? 945 - 105 * x2 + x2 * x2 : 1;
    const double a[4] = {slow ? 945 - 420 * x2 + 15 * x2 * x2 : 1, over * half[0], over * half[1],
                         over * half[2]};
    const double b[4] = {q[0], q[1], q[2], q[3]};
    const double out[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                           a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                           a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                           a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    const double square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3];
    const double size = x2 < TLK_TURNS_LITTLE ? tlk_penalty_unit(square) : 1 / sqrt(square);
    for (int k = 0; k < 4; k++)
        q[k] = out[k] * size;
}

/* x and q move with a velocity for h, which turns with a body of three moments. */
TL_KERNEL void tlk_penalty_drift(const tlk_penalty *p, uint32_t i, double h, double *x, double *q,
                                 double *v)
{
    for (int k = 0; k < 3; k++)
        x[k] += h * v[k];
    if (i < p->bodies.dynamic && p->bodies.flags[i] & TLK_BODY_ANISOTROPIC && !p->planar) {
        struct {
            double q[4], spin[3];
        } own = {{q[0], q[1], q[2], q[3]}, {v[4], v[5], v[6]}};
        tlk_penalty_whirl(p->bodies.inertia + 4 * (size_t)i, h, own.q, own.spin);
        for (int k = 0; k < 4; k++)
            q[k] = own.q[k];
        for (int k = 0; k < 3; k++)
            v[4 + k] = own.spin[k];
        return;
    }
    tlk_penalty_turn(h, v + 4, q);
}

/* The rates of a state of Runge and Kutta: x, q, v, w; w of a body with three moments by Euler's
 * equations. */
TL_KERNEL void tlk_penalty_rates(const tlk_penalty *p, uint32_t i, const double *f, double *rate)
{
    const double *q = p->bodies.quat + 4 * (size_t)i, *v = p->vel + 8 * (size_t)i;
    const double *inertia = p->bodies.inertia + 4 * (size_t)i, *w = v + 4;
    const double none[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++)
        rate[k] = v[k];
    rate[3] = -0.5 * tlk_dotd(w, q + 1);
    rate[4] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    rate[5] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    rate[6] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
    double change[8], g[6] = {f[0], f[1], f[2], f[3], f[4], f[5]};
    if (p->bodies.flags[i] & TLK_BODY_ANISOTROPIC && !p->planar) {
        double local[3], m[3], gyro[3];
        tlk_rotate_back(q, w, local);
        for (int k = 0; k < 3; k++)
            m[k] = inertia[k] * local[k];
        tlk_crossd(m, local, gyro);
        tlk_rotate(q, gyro, m);
        for (int k = 0; k < 3; k++)
            g[3 + k] += m[k];
    }
    tlk_penalty_kick(p, i, q, g, 1, none, change);
    for (int k = 0; k < 3; k++) {
        rate[7 + k] = change[k];
        rate[10 + k] = change[4 + k];
    }
}

/* One stage: the state goes from where the substep began to where the next stage is, or to the end
 * by the mean of all. */
TL_KERNEL void tlk_penalty_stage(const tlk_penalty *p, uint32_t i, const double *f)
{
    double *x = p->bodies.pos + 4 * (size_t)i, *q = p->bodies.quat + 4 * (size_t)i;
    double *v = p->vel + 8 * (size_t)i;
    double *start = p->start + 16 * (size_t)i, *sums = p->sums + 16 * (size_t)i;
    double rate[13], state[13];
    const bool last = p->moves == TLK_MOVE_FOURTH, begins = p->share < 0;
    if (begins) {
        for (int k = 0; k < 3; k++) {
            start[k] = x[k];
            start[7 + k] = v[k];
            start[10 + k] = v[4 + k];
        }
        for (int k = 0; k < 4; k++)
            start[3 + k] = q[k];
        sums[13] = 1;
    }
    tlk_penalty_rates(p, i, f, rate);
    for (int k = 0; k < 4; k++) /* within the substep the length of q belongs to the state */
        rate[3 + k] *= sums[13];
    const double share = fabs(p->share);
    for (int k = 0; k < 13; k++) {
        sums[k] = (begins ? 0 : sums[k]) + share * rate[k];
        state[k] = start[k] + p->h * (last ? sums[k] : p->stage * rate[k]);
    }
    double norm = 0;
    for (int k = 0; k < 4; k++)
        norm += state[3 + k] * state[3 + k];
    norm = sqrt(norm);
    for (int k = 0; k < 3; k++) {
        x[k] = state[k];
        v[k] = state[7 + k];
        v[4 + k] = state[10 + k];
    }
    for (int k = 0; k < 4; k++)
        q[k] = state[3 + k] / norm;
    sums[13] = norm;
}

/* A body that is not dynamic goes on. */
TL_KERNEL void tlk_penalty_carry(const tlk_penalty *p, uint32_t i)
{
    double *v = p->vel + 8 * (size_t)i, *x = p->bodies.pos + 4 * (size_t)i;
    double *q = p->bodies.quat + 4 * (size_t)i;
    if (p->moves == TLK_MOVE_LAST || p->moves == TLK_MOVE_NOT)
        return;
    if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0)
        return;
    if (p->moves == TLK_MOVE_STAGE || p->moves == TLK_MOVE_FOURTH) {
        double *start = p->start + 16 * (size_t)i;
        for (int k = 0; k < 4 && p->share < 0; k++)
            start[k] = x[k], start[4 + k] = q[k];
        for (int k = 0; k < 4; k++)
            x[k] = start[k], q[k] = start[4 + k];
        tlk_penalty_drift(p, i, p->moves == TLK_MOVE_FOURTH ? p->h : p->stage * p->h, x, q, v);
        return;
    }
    tlk_penalty_drift(p, i, p->h, x, q, v);
}

/* Whether surfaces go faster than lists of near pairs of one pass over bodies allow. */
TL_KERNEL void tlk_penalty_races(const tlk_penalty *p, const double *half)
{
    const double speed = sqrt(tlk_dotd(half, half)), spin = sqrt(tlk_dotd(half + 4, half + 4));
    if (!(speed + 1.01 * p->arm * spin <= p->fastest))
        tlk_atomic_or(p->halt, 8);
}

/* The launch's part of a substep of Verlet's method: x moves, v comes of it. */
TL_KERNEL void tlk_penalty_verlet(const tlk_penalty *p, uint32_t i, const double *f, bool together,
                                  double *x, double *v)
{
    double *kept = p->half + 8 * (size_t)i, *turned = p->bodies.quat + 4 * (size_t)i;
    const double *from = p->moves == TLK_MOVE_FIRST ? p->vel + 8 * (size_t)i : kept;
    double half[8], q[4];
    tlk_load4d(turned, q);
    tlk_load4d(from, half);
    tlk_load4d(from + 4, half + 4);
    if (p->moves != TLK_MOVE_LAST) {
        tlk_penalty_kick(p, i, q, f, p->moves == TLK_MOVE_FIRST ? 0.5 * p->h : p->h, half, half);
        tlk_penalty_drift(p, i, p->h, x, q, half);
        if (p->simple) { /* for kernels of many at once */
            half[3] = 1 / p->bodies.inertia[4 * (size_t)i + 3];
            half[7] = 1 / p->bodies.inertia[4 * (size_t)i];
        }
        tlk_penalty_put(together, 8, kept, half);
        tlk_penalty_put(together, 8, kept + 4, half + 4);
        tlk_penalty_put(together, 4, turned, q);
        if (p->fastest > 0)
            tlk_penalty_races(p, half);
    }
    tlk_penalty_kick(p, i, q, f, 0.5 * p->h, half, v);
}

/* Work of applied forces; and whether a body runs away. */
TL_KERNEL void tlk_penalty_worked(const tlk_penalty *p, uint32_t i)
{
    double power = 0;
    if (!p->work || p->forced[i] == TLK_NONE)
        return;
    for (int k = 0; k < 6; k++) {
        const size_t at = 8 * (size_t)i + (size_t)(k < 3 ? k : k + 1);
        power += p->wrench[6 * (size_t)p->forced[i] + (size_t)k] *
                 (p->light ? (double)p->pace[at] : p->vel[at]);
    }
    p->work[i] += p->weight * power;
}

TL_KERNEL void tlk_penalty_runs(const tlk_penalty *p, const double *x, const double *v)
{
    const double speed = tlk_dotd(v, v), spin = tlk_dotd(v + 4, v + 4);
    if (!(speed <= p->max_speed * p->max_speed) || !(spin < 1e24) ||
        !(tlk_max(fabs(x[0]), tlk_max(fabs(x[1]), fabs(x[2]))) < TLK_FAR))
        tlk_atomic_or(p->halt, 1);
}

/* A dynamic body under all that acts on it, by Verlet's method; together: tlk_penalty_put(). */
TL_KERNEL void tlk_penalty_go(const tlk_penalty *p, uint32_t i, const double *f, bool together)
{
    const bool last = p->moves == TLK_MOVE_LAST;
    double x[4], v[8];
    if (p->moves == TLK_MOVE_NOT)
        return;
    tlk_load4d(p->from + 4 * (size_t)i, x);
    tlk_penalty_worked(p, i);
    tlk_penalty_verlet(p, i, f, together, x, v);
    tlk_penalty_runs(p, x, v);
    if (p->light) {
        const double light = 1 / p->bodies.inertia[4 * (size_t)i + 3];
        const real pace[8] = {(real)v[0], (real)v[1], (real)v[2], (real)light,
                              (real)v[4], (real)v[5], (real)v[6], 0};
        tlk_penalty_put_pace(p, together, i, pace);
    }
    if (!p->light || last) {
        tlk_store4d(p->vel + 8 * (size_t)i, v);
        tlk_store4d(p->vel + 8 * (size_t)i + 4, v + 4);
    }
    if (!last)
        tlk_penalty_put(together, 4, p->to + 4 * (size_t)i, x);
    if (p->central && (!last || p->skin > 0))
        tlk_penalty_goes(p, i, x, last);
    if (p->central && last) {
        x[3] = 0;
        tlk_store4d(p->bodies.pos + 4 * (size_t)i, x);
    }
}

/* One body: the launch's part of a substep. */
TL_KERNEL void tlk_penalty_move(const tlk_penalty *p, uint32_t i)
{
    double f[6], *v = p->vel + 8 * (size_t)i, *x = p->bodies.pos + 4 * (size_t)i;
    double *q = p->bodies.quat + 4 * (size_t)i;
    if (i >= p->bodies.dynamic) {
        tlk_penalty_carry(p, i);
        return;
    }
    tlk_penalty_gather(p, i, f);
    if (p->rods && v[7] > 0) { /* its ends carry it */
        tlk_penalty_worked(p, i);
        return;
    }
    if (p->moves <= TLK_MOVE_LAST) {
        tlk_penalty_go(p, i, f, false);
        return;
    }
    tlk_penalty_worked(p, i);
    switch (p->moves) {
    case TLK_MOVE_EULER: {
        double next[8];
        tlk_penalty_kick(p, i, q, f, p->h, v, next);
        tlk_penalty_drift(p, i, p->h, x, q, v);
        for (int k = 0; k < 8; k++)
            v[k] = next[k];
        break;
    }
    case TLK_MOVE_SEMI:
        tlk_penalty_kick(p, i, q, f, p->h, v, v);
        tlk_penalty_drift(p, i, p->h, x, q, v);
        break;
    case TLK_MOVE_STAGE:
    case TLK_MOVE_FOURTH: tlk_penalty_stage(p, i, f); break;
    default: break;
    }
    tlk_penalty_runs(p, x, v);
}

/* One dynamic body, after a step: its velocity as the state has it. 0: the first that runs away; 1:
 * the sum of the roots of speeds; 2 to 5: momentum along gravity that it gained, by layer; 6: work
 * of applied forces; 7: the greatest speed. */
TL_KERNEL void tlk_penalty_end(const tlk_penalty *p, uint32_t i, double *acc)
{
    double v[8], x[4], from[4];
#if defined(__CUDACC__) /* words of 16 bytes; a CPU would wait for what it has just stored */
    real state[8], mean[8];
    tlk_load8(p->bodies.vel + 8 * (size_t)i, state);
#else
    real *state = p->bodies.vel + 8 * (size_t)i, *mean = p->mean + 8 * (size_t)i;
#endif
    tlk_load4d(p->vel + 8 * (size_t)i, v);
    tlk_load4d(p->vel + 8 * (size_t)i + 4, v + 4);
    tlk_load4d(p->bodies.pos + 4 * (size_t)i, x);
    tlk_load4d(p->saved_pos + 4 * (size_t)i, from);
    const uint64_t draw = tlk_mix(p->number * 0x9e3779b97f4a7c15u + p->bodies.id[i]);
    const double speed = tlk_dotd(v, v), spin = tlk_dotd(v + 4, v + 4);
    const bool sound = speed <= p->max_speed * p->max_speed && spin < 1e24 &&
                       fabs(x[0]) < TLK_FAR && fabs(x[1]) < TLK_FAR && fabs(x[2]) < TLK_FAR;
    double gain = 0;
    if (!sound)
        acc[0] = tlk_min(acc[0], (double)i);
    for (int k = 0; k < 3; k++) {
        const double old = state[k];
        state[k] = tlk_settled(tlk_round(v[k], tlk_mix(draw + (uint64_t)k)));
        state[4 + k] = tlk_settled(tlk_round(v[4 + k], tlk_mix(draw + 4 + (uint64_t)k)));
        mean[k] = (real)((x[k] - from[k]) / p->step);
        mean[4 + k] = state[4 + k];
        gain -= p->up[k] * ((double)state[k] - old);
    }
    mean[3] = state[3], mean[7] = state[7];
#if defined(__CUDACC__)
    tlk_store8(p->bodies.vel + 8 * (size_t)i, state);
    tlk_store8(p->mean + 8 * (size_t)i, mean);
#endif
    gain *= p->bodies.inertia[4 * (size_t)i + 3];
    const double height = (tlk_dotd(p->up, from) - p->layer[0]) * p->layer[1];
    const int layer = !(height >= 1) ? 0 : height < 2 ? 1 : height < 3 ? 2 : 3;
    acc[1] += sqrt(sqrt(speed));
    for (int k = 0; k < 4; k++)
        if (k == layer)
            acc[2 + k] += gain;
    acc[6] += p->work ? p->work[i] : 0;
    acc[7] = tlk_max(acc[7], speed);
}

/* 0, 2: the greatest of the squares of speed and spin; 1: whether a body moves that is not dynamic.
 */
TL_KERNEL void tlk_penalty_speed(const tlk_penalty *p, uint32_t i, double *acc)
{
    const real *v = p->bodies.vel + 8 * (size_t)i;
    const double u[3] = {v[0], v[1], v[2]}, w[3] = {v[4], v[5], v[6]};
    acc[0] = tlk_max(acc[0], tlk_dotd(u, u));
    acc[2] = tlk_max(acc[2], tlk_dotd(w, w));
    if (i >= p->bodies.dynamic &&
        (u[0] != 0 || u[1] != 0 || u[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0))
        acc[1] = 1;
}

#endif
