/* Bodies: forces, integration and energies. One body at a time. */
#ifndef TL_KERNELS_BODIES_H
#define TL_KERNELS_BODIES_H

#include "kernels/real.h"

/* A sum rounded to a real number, to either side with the probability that keeps the mean: where a
 * step adds little to a velocity, rounding to the nearest would lose the same part of it in every
 * step. A sum that is a real number stays as it is. */
TL_KERNEL real tlk_round(double sum, uint64_t draw)
{
#if defined(TLK_PRECISION_double)
    (void)draw;
    return sum;
#else
    const float near = (float)sum;
    const double left = sum - (double)near;
    if (left == 0 || near == 0 || !(fabs(sum) < 1e38))
        return near;
    const uint32_t bits = tlk_float_bits(near);
    const uint32_t step = 2 * (uint32_t)((left > 0) == (near > 0)) - 1; /* no branch foresees it */
    const double next = tlk_bits_float(bits + step);
    const bool other = fabs(left) > fabs(next - (double)near) * ((double)(draw >> 11) * 0x1p-53);
    return tlk_bits_float(bits + ((0u - (uint32_t)other) & step));
#endif
}

/* Adds to half of a velocity. What nothing is added to needs no draw: it is a real number. */
TL_KERNEL void tlk_add(real *v, const double *change, uint64_t draw)
{
    for (int k = 0; k < 3; k++)
        if (change[k] != 0)
            v[k] = tlk_round((double)v[k] + change[k], tlk_mix(draw + (uint64_t)k));
}

/* One shape: whether its body is marked. */
TL_KERNEL void tlk_note_marked(const tlk_flagging *g, uint32_t s)
{
    g->info[s] = g->mark[g->body[s]] ? g->info[s] | g->flag : g->info[s] & ~g->flag;
}

/* One shape: contacts with a body that turns need more numbers. */
TL_KERNEL void tlk_note_turning(const tlk_turning *t, uint32_t s)
{
    if (t->body[s] == t->row)
        t->info[s] = t->turns ? t->info[s] & ~TLK_SHAPE_CENTRAL : t->info[s] | TLK_SHAPE_CENTRAL;
}

/* s: for how long forces act on a body at once: all of a step; in two halves where it is smooth. */
TL_KERNEL double tlk_kick(const tlk_motion *m, uint32_t i)
{
    if (!m->whole)
        return m->h;
    return !m->whole[i] ? 0.5 * m->h : m->end ? 0 : m->h;
}

/* One body, with a wrench or without (NULL): its velocity without contacts (eq. 9 without the
 * gyroscopic part, which tlk_integrate applies); the start of the solvers' velocities and of the
 * position problem's. Others have the mean of two steps where they are asked for at an end. */
TL_KERNEL void tlk_set_free(const tlk_motion *m, uint32_t i, const double *wrench)
{
    real v[8], still[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    tlk_load8(m->bodies.vel + 8 * (size_t)i, v);
    if (i < m->bodies.dynamic) {
        const uint64_t draw = tlk_mix(m->step * 0x9e3779b97f4a7c15u + m->bodies.id[i]);
        const double h = tlk_kick(m, i);
        double change[3], turn[3];
        for (int k = 0; k < 3; k++)
            change[k] = h * m->gravity[k];
        if (wrench) {
            const double *q = m->bodies.quat + 4 * (size_t)i;
            double torque[3];
            tlk_rotate_back(q, wrench + 3, torque);
            for (int k = 0; k < 3; k++) {
                change[k] += h * wrench[k] / m->bodies.inertia[4 * (size_t)i + 3];
                torque[k] = h * torque[k] / m->bodies.inertia[4 * (size_t)i + k];
            }
            tlk_rotate(q, torque, turn);
            tlk_add(v + 4, turn, draw + 4);
        }
        tlk_add(v, change, draw);
        if (m->planar)
            v[1] = v[4] = v[6] = 0;
    } else if (m->end) {
        for (int k = 0; k < 8; k++)
            v[k] = (real)0.5 * (v[k] + m->vel[8 * (size_t)i + k]);
    }
    still[3] = v[3], still[7] = v[7];
    tlk_store8(m->free + 8 * (size_t)i, v);
    tlk_store8(m->vel + 8 * (size_t)i, v);
    tlk_store8(m->pseudo_out + 8 * (size_t)i, still);
}

/* One body, as if no force but gravity acted on it. */
TL_KERNEL void tlk_free_velocity(const tlk_motion *m, uint32_t i)
{
    tlk_set_free(m, i, 0);
}

/* One body that forces act on. */
TL_KERNEL void tlk_forced_velocity(const tlk_motion *m, uint32_t i)
{
    tlk_set_free(m, m->forced[i], m->wrench + 6 * (size_t)i);
}

/* tan(x) / x by a Pade approximant with the right pole; 1 from there on. Only sums, products and
 * quotients, so every machine gets the same bits. x2 is x squared. */
TL_KERNEL double tlk_tan_ratio(double x2)
{
    return x2 < 2.0 ? (945 - 105 * x2 + x2 * x2) / (945 - 420 * x2 + 15 * x2 * x2) : 1.0;
}

/* The quaternion of the Cayley map of scale h w / 2. */
TL_KERNEL void tlk_turn_by(double h, double scale, const double *w, double *q)
{
    const double half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const double v[3] = {scale * half[0], scale * half[1], scale * half[2]};
    const double norm = sqrt(1 + tlk_dotd(v, v));
    q[0] = 1 / norm;
    for (int k = 0; k < 3; k++)
        q[1 + k] = v[k] / norm;
}

/* The quaternion of a turn by h w, for constant w exactly up to the approximant. */
TL_KERNEL void tlk_turn_of(double h, const double *w, double *q)
{
    const double half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    tlk_turn_by(h, tlk_tan_ratio(tlk_dotd(half, half)), w, q);
}

TL_KERNEL void tlk_quaternion_product(const double *a, const double *b, double *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    const double norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; k++)
        out[k] = out[k] / norm;
}

/* A step of Newton's method for the mean m of the momenta before and after a turn, p = m + v x m
 * with v = scale h w / 2 and w = I^-1 m: what m changes by. `slope` is that of the scale over |h w
 * / 2|^2. Solved by Cramer's rule; 0 where there is no solution. */
TL_KERNEL void tlk_spin_newton(double h, const double *inverse, const double *p, const double *m,
                               const double *w, double scale, double slope, double *change)
{
    double gyro[3], column[3][3], off[3], cross[3];
    tlk_crossd(w, m, gyro);
    for (int k = 0; k < 3; k++)
        off[k] = p[k] - m[k] - 0.5 * h * scale * gyro[k];
    for (int j = 0; j < 3; j++) {
        double unit[3] = {0, 0, 0}, first[3], second[3];
        unit[j] = 1;
        tlk_crossd(unit, m, first);
        tlk_crossd(w, unit, second);
        for (int k = 0; k < 3; k++)
            column[j][k] = unit[k] + 0.5 * h *
                                         (scale * (first[k] * inverse[j] + second[k]) +
                                          slope * 0.5 * h * h * w[j] * inverse[j] * gyro[k]);
    }
    tlk_crossd(column[1], column[2], cross);
    const double det = tlk_dotd(column[0], cross), part = det != 0 ? 1 / det : 0;
    for (int j = 0; j < 3; j++) {
        tlk_crossd(column[(j + 1) % 3], column[(j + 2) % 3], cross);
        change[j] = tlk_dotd(off, cross) * part;
    }
}

/* Torque-free rotation of a body with three moments over h, by the midpoint rule on the body's
 * angular momentum p with a Cayley step: p' = C p, w = I^-1 (p + p') / 2. It keeps |p| and the
 * energy, and as the attitude turns by the same C, the angular momentum in the world
 * (docs/theory.md, "Rotation"). Turns so fast that Newton's method does not find them are about p,
 * which keeps all of these, too. Turns q and returns the body-frame momentum in p. */
TL_KERNEL void tlk_spin(double h, const double *inertia, double *p, double *q)
{
    const double inverse[3] = {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]};
    double m[3] = {p[0], p[1], p[2]}, w[3], turn[4], turned[4];
    const double size = tlk_dotd(p, p);
    bool scaled = true, found = false;
    for (int iteration = 0; iteration < 30 && !found; iteration++) {
        double change[3], scale = 1, slope = 0;
        for (int k = 0; k < 3; k++)
            w[k] = m[k] * inverse[k];
        const double x2 = 0.25 * h * h * tlk_dotd(w, w);
        scaled = scaled && x2 < 2.0;
        if (scaled) {
            const double below = 945 - 420 * x2 + 15 * x2 * x2;
            scale = tlk_tan_ratio(x2);
            slope = (2 * x2 - 105 - scale * (30 * x2 - 420)) / below;
        }
        tlk_spin_newton(h, inverse, p, m, w, scale, slope, change);
        for (int k = 0; k < 3; k++)
            m[k] += change[k];
        found = tlk_dotd(change, change) <= 1e-18 * size; /* the next would be its square */
    }
    if (found) {
        for (int k = 0; k < 3; k++)
            w[k] = m[k] * inverse[k];
        /* with the scale of this m: that of the one before would let 1e-12 of the energy go */
        tlk_turn_by(h, scaled ? tlk_tan_ratio(0.25 * h * h * tlk_dotd(w, w)) : 1, w, turn);
        tlk_rotate_back(turn, p, m);
    } else {
        double rate = 0; /* that of the energy, about p */
        for (int k = 0; k < 3; k++)
            rate += p[k] * p[k] / inertia[k] / size;
        for (int k = 0; k < 3; k++) {
            w[k] = rate * p[k];
            m[k] = p[k];
        }
        tlk_turn_of(h, w, turn);
    }
    tlk_quaternion_product(q, turn, turned);
    for (int k = 0; k < 4; k++)
        q[k] = turned[k];
    for (int k = 0; k < 3; k++)
        p[k] = m[k];
}

/* m d.e and w.I f of two velocities of a body: what an impulse that changes its velocity by d does
 * at the velocity e. */
TL_KERNEL double tlk_body_product(const tlk_bodies *b, uint32_t i, const double *d, const double *e)
{
    const double *inertia = b->inertia + 4 * (size_t)i;
    double turn[3] = {d[3], d[4], d[5]}, spin[3] = {e[3], e[4], e[5]};
    if (b->flags[i] & TLK_BODY_ANISOTROPIC) {
        tlk_rotate_back(b->quat + 4 * (size_t)i, d + 3, turn);
        tlk_rotate_back(b->quat + 4 * (size_t)i, e + 3, spin);
    }
    double sum = inertia[3] * tlk_dotd(d, e);
    for (int k = 0; k < 3; k++)
        sum += inertia[k] * turn[k] * spin[k];
    return sum;
}

/* The energy that a body gets in a step: 0 from contacts and impacts, 1 from applied forces, with
 * the mean of the velocities before and after; what forces do where impacts and the position
 * problem move a body is in both (docs/theory.md, "Energies"). */
TL_KERNEL void tlk_body_work(const tlk_motion *m, uint32_t i, const real *v, double *acc)
{
    real old[8], free[8];
    double mean[6], contact[6], forces[6];
    tlk_load8(m->bodies.vel + 8 * (size_t)i, old);
    tlk_load8(m->free + 8 * (size_t)i, free);
    for (int k = 0; k < 6; k++) {
        const int at = k < 3 ? k : k + 1;
        mean[k] = 0.5 * ((double)v[at] + old[at]);
        contact[k] = (double)v[at] - free[at];
        forces[k] = (double)free[at] - old[at];
    }
    const double weight = tlk_kick(m, i) * m->bodies.inertia[4 * (size_t)i + 3];
    double work = tlk_body_product(&m->bodies, i, contact, mean);
    if (m->pseudo) {
        const real *p = m->pseudo + 8 * (size_t)i;
        const double moved[6] = {p[0], p[1], p[2], p[4], p[5], p[6]};
        work -= tlk_body_product(&m->bodies, i, forces, moved);
        for (int k = 0; k < 6; k++)
            mean[k] += moved[k];
    }
    acc[0] += work;
    acc[1] += tlk_body_product(&m->bodies, i, forces, mean) - weight * tlk_dotd(m->gravity, mean);
}

/* The momentum along gravity that a body gains in the step, in the layer where it is. */
TL_KERNEL void tlk_body_layer(const tlk_motion *m, uint32_t i, const real *v, double *acc)
{
    const real *old = m->bodies.vel + 8 * (size_t)i;
    const double *x = m->bodies.pos + 4 * (size_t)i;
    const double change[3] = {(double)v[0] - old[0], (double)v[1] - old[1], (double)v[2] - old[2]};
    const double height = (tlk_dotd(m->up, x) - m->layer[0]) * m->layer[1];
    const double gain = -m->bodies.inertia[4 * (size_t)i + 3] * tlk_dotd(m->up, change);
    const int layer = !(height >= 1) ? 0 : height < 2 ? 1 : height < 3 ? 2 : 3;
    for (int k = 0; k < 4; k++)
        if (k == layer)
            acc[k] += gain;
}

/* Whether a body would end too far from where the velocity at the start takes it, and from where
 * attempts at this step did, for contacts to have been looked for there. */
TL_KERNEL bool tlk_jumps(const tlk_motion *m, uint32_t i, const real *v, const real *p)
{
    const real *old = m->bodies.vel + 8 * (size_t)i;
    double off = 0;
    for (int k = 0; k < 3; k++) {
        const double way = (double)v[k] + (double)p[k];
        const double least = m->looks ? tlk_min(old[k], m->seen[8 * (size_t)i + k]) : old[k];
        const double most = m->looks ? tlk_max(old[k], m->seen[8 * (size_t)i + 4 + k]) : old[k];
        const double out = tlk_max(tlk_max(least - way, way - most), 0.0);
        off += out * out;
    }
    return !(m->h * m->h * off <= m->jump * m->jump);
}

/* The first dynamic body whose new velocity, or what moves it out of overlaps, is not a number or
 * too large, or which would get out of reach or turn too far; else the number of bodies, where one
 * would end too far from where contacts were looked for: then nothing is to move. The sum of the
 * roots of the new speeds, and the energies and layers of the body. */
TL_KERNEL void tlk_check_bodies(const tlk_motion *m, uint32_t i, double *acc)
{
    real v[8], p[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    tlk_load8(m->vel + 8 * (size_t)i, v);
    if (m->pseudo)
        tlk_load8(m->pseudo + 8 * (size_t)i, p);
    const double *x = m->bodies.pos + 4 * (size_t)i;
    const double speed = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
    const double spin = (double)v[4] * v[4] + (double)v[5] * v[5] + (double)v[6] * v[6];
    const double limit = m->max_speed * m->max_speed;
    double turn = 0, push = 0;
    bool near = true;
    for (int k = 0; k < 3; k++) { /* as tlk_advance will move it */
        const double angle = m->h * ((double)v[4 + k] + (double)p[4 + k]);
        const double way = (double)v[k] + (double)p[k];
        near = near && fabs(x[k] + m->h * way) < TLK_FAR;
        push += way * way;
        turn += angle * angle;
    }
    if (!(speed <= limit) || !(push <= limit) || !(spin < 1e24) || !(turn < 1e24) || !near)
        acc[0] = tlk_min(acc[0], (double)i), tlk_atomic_set(m->halt, 1);
    else if (tlk_jumps(m, i, v, p))
        acc[0] = tlk_min(acc[0], (double)m->bodies.dynamic), tlk_atomic_set(m->halt, 1);
    acc[1] += sqrt(sqrt(speed));
    tlk_body_work(m, i, v, acc + 2);
    tlk_body_layer(m, i, v, acc + 4);
}

/* One body: what an attempt at the step has made of its velocity, and what moves it besides. */
TL_KERNEL void tlk_see_velocity(const tlk_motion *m, uint32_t i)
{
    real v[8], p[8] = {0, 0, 0, 0, 0, 0, 0, 0}, before[8], seen[8];
    tlk_load8(m->vel + 8 * (size_t)i, v);
    if (m->looks)
        tlk_load8(m->seen + 8 * (size_t)i, before);
    if (m->pseudo)
        tlk_load8(m->pseudo + 8 * (size_t)i, p);
    double turn = 0;
    for (int k = 0; k < 3; k++) {
        const real way = v[k] + p[k];
        turn += ((double)v[4 + k] + p[4 + k]) * ((double)v[4 + k] + p[4 + k]);
        seen[k] = m->looks ? tlk_min(way, before[k]) : way;
        seen[4 + k] = m->looks ? tlk_max(way, before[4 + k]) : way;
    }
    const real spin = (real)sqrt(turn);
    seen[3] = m->looks ? tlk_max(spin, before[3]) : spin;
    seen[7] = i < m->bodies.dynamic && tlk_jumps(m, i, v, p) ? (real)1 : (real)0;
    tlk_store8(m->seen + 8 * (size_t)i, seen);
}

/* Where a dynamic body will be at the end of the step. */
TL_KERNEL void tlk_next_place(const tlk_motion *m, uint32_t i, double *x)
{
    const real *vel = m->vel + 8 * (size_t)i;
    const real *pseudo = m->pseudo ? m->pseudo + 8 * (size_t)i : 0;
    const double *from = m->bodies.pos + 4 * (size_t)i;
    for (int k = 0; k < 3; k++)
        x[k] = from[k] + m->h * ((double)vel[k] + (pseudo ? (double)pseudo[k] : 0));
}

/* Turns q by h w. */
TL_KERNEL void tlk_turn_body(double h, const double *w, double *q)
{
    if (w[0] == 0 && w[1] == 0 && w[2] == 0)
        return;
    double turn[4], old[4] = {q[0], q[1], q[2], q[3]};
    tlk_turn_of(h, w, turn);
    tlk_quaternion_product(turn, old, q);
}

/* The most that a body turns within a step, rad, where it is held (swing.h). */
TL_KERNEL double tlk_held_angle(uint32_t bits)
{
    double most = 1;
    for (uint32_t k = bits & ~TLK_CARRIES; k > 1; k >>= 1)
        most *= 0.5;
    return most;
}

/* s: for how long of the step a body turns by w: for all of it, unless it is held. */
TL_KERNEL double tlk_turning_time(const tlk_motion *m, uint32_t i, const double *w)
{
    if (!m->held || !(m->held[i] & ~TLK_CARRIES))
        return m->h;
    const double angle = m->h * sqrt(tlk_dotd(w, w)), most = tlk_held_angle(m->held[i]);
    return angle > most ? m->h * (most / angle) : m->h;
}

/* Where the velocities take a dynamic body (eq. 8), from x and q; w: what its spin is then. */
TL_KERNEL void tlk_take(const tlk_motion *m, uint32_t i, double *x, double *q, double *w)
{
    const real *vel = m->vel + 8 * (size_t)i;
    const real *pseudo = m->pseudo ? m->pseudo + 8 * (size_t)i : 0;
    double extra[3];
    tlk_next_place(m, i, x);
    for (int k = 0; k < 3; k++) {
        w[k] = vel[4 + k];
        extra[k] = pseudo ? (double)pseudo[4 + k] : 0;
    }
    const double all[3] = {w[0] + extra[0], w[1] + extra[1], w[2] + extra[2]};
    const double h = tlk_turning_time(m, i, all);
    if (m->bodies.flags[i] & TLK_BODY_ANISOTROPIC && !m->planar) {
        const double *inertia = m->bodies.inertia + 4 * (size_t)i;
        double p[3];
        tlk_rotate_back(q, w, p);
        for (int k = 0; k < 3; k++)
            p[k] = p[k] * inertia[k];
        tlk_turn_body(h, extra, q); /* its spin turns with it: energy comes of no correction */
        tlk_spin(h, inertia, p, q);
        for (int k = 0; k < 3; k++)
            p[k] = p[k] / inertia[k];
        tlk_rotate(q, p, w);
        return;
    }
    for (int k = 0; k < 3; k++)
        extra[k] += w[k];
    tlk_turn_body(h, extra, q);
}

/* A velocity as it becomes the state: one that decays goes to zero before it is denormal, as those
 * are slow. In 32-bit there is room below for products. */
TL_KERNEL real tlk_settled(double v)
{
    return fabs(v) < 1e-25 ? (real)0 : (real)v;
}

/* One dynamic body: the velocities become its state and move it. */
TL_KERNEL void tlk_advance(const tlk_motion *m, uint32_t i)
{
    const real *vel = m->vel + 8 * (size_t)i;
    real *state = m->bodies.vel + 8 * (size_t)i;
    double w[3];
    tlk_take(m, i, m->bodies.pos + 4 * (size_t)i, m->bodies.quat + 4 * (size_t)i, w);
    for (int k = 0; k < 3; k++) {
        state[k] = tlk_settled(vel[k]);
        state[4 + k] = tlk_settled(w[k]);
    }
}

/* The kinetic energy of a dynamic body, J. */
TL_KERNEL double tlk_kinetic(const tlk_bodies *b, uint32_t i)
{
    real v[8];
    tlk_load8(b->vel + 8 * (size_t)i, v);
    const double *inertia = b->inertia + 4 * (size_t)i;
    const double w[3] = {v[4], v[5], v[6]};
    double local[3], spin = 0;
    if (b->flags[i] & TLK_BODY_ANISOTROPIC) {
        tlk_rotate_back(b->quat + 4 * (size_t)i, w, local);
        for (int k = 0; k < 3; k++)
            spin += inertia[k] * local[k] * local[k];
    } else {
        spin = inertia[0] * tlk_dotd(w, w);
    }
    const double speed = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
    return 0.5 * (inertia[3] * speed + spin);
}

/* One dynamic body: kinetic and potential energy. */
TL_KERNEL void tlk_energy(const tlk_motion *m, uint32_t i, double *acc)
{
    acc[0] += tlk_kinetic(&m->bodies, i);
    acc[1] -=
        m->bodies.inertia[4 * (size_t)i + 3] * tlk_dotd(m->gravity, m->bodies.pos + 4 * (size_t)i);
}

/* The box around the origins of dynamic bodies: minima and negated maxima. */
TL_KERNEL void tlk_origin_box(const tlk_bodies *b, uint32_t i, double *acc)
{
    const double *x = b->pos + 4 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        acc[k] = tlk_min(acc[k], x[k]);
        acc[3 + k] = tlk_min(acc[3 + k], -x[k]);
    }
}

/* The same, the sum of the roots of their speeds, for a mean that a few very fast ones do not
 * spoil, and their mass. */
TL_KERNEL void tlk_body_box(const tlk_bodies *b, uint32_t i, double *acc)
{
    const real *vel = b->vel + 8 * (size_t)i;
    const double v[3] = {vel[0], vel[1], vel[2]};
    tlk_origin_box(b, i, acc);
    acc[6] += sqrt(sqrt(tlk_dotd(v, v)));
    acc[7] += b->inertia[4 * (size_t)i + 3];
}

/* Energies and place of a dynamic body that has moved, as tlk_integrate. */
TL_KERNEL void tlk_moved_energy(const tlk_motion *m, uint32_t i, double *acc)
{
    tlk_energy(m, i, acc);
    tlk_origin_box(&m->bodies, i, acc + 2);
}

/* One dynamic body: moves, unless tlk_check_bodies found one that must not; then its energies (0,
 * 1) and place (2 to 7). */
TL_KERNEL void tlk_integrate(const tlk_motion *m, uint32_t i, double *acc)
{
    if (*m->halt)
        return;
    tlk_advance(m, i);
    tlk_energy(m, i, acc);
    tlk_origin_box(&m->bodies, i, acc + 2);
}

#endif
