/* From forces to motion: one body at a time gathers what acts on it, in the order of its list, and
 * takes a substep, or a stage of one. */
#ifndef TL_KERNELS_PENALTY_MOVE_H
#define TL_KERNELS_PENALTY_MOVE_H

#include "kernels/penalty/contact.h"

/* One body, before a step: its velocity in 64-bit. */
TL_KERNEL void tlk_penalty_begin(const tlk_penalty *p, uint32_t i)
{
    const TLK_REAL *from = p->bodies.vel + 8 * (size_t)i;
    for (int k = 0; k < 8; k++)
        p->vel[8 * (size_t)i + k] = k % 4 == 3 ? 0 : (double)from[k];
    if (p->work && i < p->bodies.dynamic)
        p->work[i] = 0;
}

/* Force and torque that are applied to a body. */
TL_KERNEL void tlk_penalty_applied(const tlk_penalty *p, uint32_t i, double *f)
{
    const uint32_t forced = p->forced ? p->forced[i] : TLK_NONE;
    for (int k = 0; k < 6; k++)
        f[k] = forced == TLK_NONE ? 0 : p->wrench[6 * (size_t)forced + k];
}

/* All force and torque on a body, without gravity. */
TL_KERNEL void tlk_penalty_gather(const tlk_penalty *p, uint32_t i, double *f)
{
    tlk_penalty_applied(p, i, f);
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        const uint32_t side = p->list[l] & 1u, item = p->list[l] >> 1;
        const double *of = p->force + TLK_FORCE * (size_t)item, sign = side ? 1 : -1;
        if (item < p->pairs && !(p->acts[item] & TLK_ACTS))
            continue;
        for (int k = 0; k < 3; k++) {
            f[k] += sign * of[k];
            f[3 + k] += of[3 + 3 * side + k];
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
    tlk_turn_body(h, v + 4, q);
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

/* The launch's part of a substep of Verlet's method. */
TL_KERNEL void tlk_penalty_verlet(const tlk_penalty *p, uint32_t i, const double *f, double *x,
                                  double *v)
{
    double *kept = p->half + 8 * (size_t)i, *turned = p->bodies.quat + 4 * (size_t)i;
    double half[8], q[4];
    const bool first = p->moves == TLK_MOVE_FIRST;
    tlk_load4d(turned, q);
    if (first) {
        for (int k = 0; k < 8; k++)
            half[k] = v[k];
    } else {
        tlk_load4d(kept, half);
        tlk_load4d(kept + 4, half + 4);
    }
    if (p->moves != TLK_MOVE_LAST) {
        tlk_penalty_kick(p, i, q, f, first ? 0.5 * p->h : p->h, half, half);
        tlk_penalty_drift(p, i, p->h, x, q, half);
        tlk_store4d(kept, half);
        tlk_store4d(kept + 4, half + 4);
        tlk_store4d(turned, q);
    }
    tlk_penalty_kick(p, i, q, f, 0.5 * p->h, half, v);
}

/* Work of applied forces; and whether a body runs away. */
TL_KERNEL void tlk_penalty_worked(const tlk_penalty *p, uint32_t i, const double *v)
{
    if (p->work && p->forced[i] != TLK_NONE) {
        const double *wrench = p->wrench + 6 * (size_t)p->forced[i];
        p->work[i] += p->weight * (tlk_dotd(wrench, v) + tlk_dotd(wrench + 3, v + 4));
    }
}

TL_KERNEL void tlk_penalty_runs(const tlk_penalty *p, const double *x, const double *v)
{
    const double speed = tlk_dotd(v, v), spin = tlk_dotd(v + 4, v + 4);
    if (!(speed <= p->max_speed * p->max_speed) || !(spin < 1e24) ||
        !(tlk_max(fabs(x[0]), tlk_max(fabs(x[1]), fabs(x[2]))) < TLK_FAR))
        tlk_atomic_or(p->halt, 1);
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
    tlk_penalty_worked(p, i, v);
    if (p->rods && v[7] > 0)
        return; /* its ends carry it */
    switch (p->moves) {
    case TLK_MOVE_FIRST:
    case TLK_MOVE_NEXT:
    case TLK_MOVE_LAST: tlk_penalty_verlet(p, i, f, x, v); break;
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
    const double *v = p->vel + 8 * (size_t)i, *x = p->bodies.pos + 4 * (size_t)i;
    const double *from = p->saved_pos + 4 * (size_t)i;
    real *state = p->bodies.vel + 8 * (size_t)i, *mean = p->mean + 8 * (size_t)i;
    const real *old = p->saved_vel + 8 * (size_t)i;
    const uint64_t draw = tlk_mix(p->number * 0x9e3779b97f4a7c15u + p->bodies.id[i]);
    const double speed = tlk_dotd(v, v), spin = tlk_dotd(v + 4, v + 4);
    const bool sound = speed <= p->max_speed * p->max_speed && spin < 1e24 &&
                       fabs(x[0]) < TLK_FAR && fabs(x[1]) < TLK_FAR && fabs(x[2]) < TLK_FAR;
    double gain = 0;
    if (!sound)
        acc[0] = tlk_min(acc[0], (double)i);
    for (int k = 0; k < 3; k++) {
        state[k] = tlk_settled(tlk_round(v[k], tlk_mix(draw + (uint64_t)k)));
        state[4 + k] = tlk_settled(tlk_round(v[4 + k], tlk_mix(draw + 4 + (uint64_t)k)));
        mean[k] = (real)((x[k] - from[k]) / p->step);
        mean[4 + k] = state[4 + k];
        gain -= p->up[k] * ((double)state[k] - (double)old[k]);
    }
    mean[3] = state[3], mean[7] = state[7];
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

/* The greatest of the squares of speed, and the like of a body's spin times its mass's size: 0, 1.
 */
TL_KERNEL void tlk_penalty_speed(const tlk_penalty *p, uint32_t i, double *acc)
{
    const real *v = p->bodies.vel + 8 * (size_t)i;
    const double u[3] = {v[0], v[1], v[2]};
    acc[0] = tlk_max(acc[0], tlk_dotd(u, u));
}

#endif
