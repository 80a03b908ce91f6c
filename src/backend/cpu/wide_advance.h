/* Bodies go where their velocities take them, SPAN at once: those that follow each other and all
 * have three moments, or none of them. What finds how a body with three moments turns is a long
 * chain of operations, each of which waits for the last. */
#ifndef TL_BACKEND_CPU_WIDE_ADVANCE_H
#define TL_BACKEND_CPU_WIDE_ADVANCE_H

#include "backend/cpu/wide_span.h"
#include "kernels/bodies.h"

/* Bodies at their new places. */
typedef struct wide_taken {
    span inertia[4], x[4], q[4], v[4], w[4]; /* w[3] and v[3]: what is beside velocities */
    bool turned;                             /* they have three moments */
} wide_taken;

WIDE void span_cross(const span *a, const span *b, span *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* tlk_rotate */
WIDE void wide_rotate(const span *q, const span *v, span *out)
{
    span t[3], s[3];
    span_cross(q + 1, v, t);
    t[0] += t[0], t[1] += t[1], t[2] += t[2];
    span_cross(q + 1, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[0] * t[k] + s[k];
}

/* tlk_rotate_back */
WIDE void wide_rotate_back(const span *q, const span *v, span *out)
{
    const span c[4] = {q[0], -q[1], -q[2], -q[3]};
    wide_rotate(c, v, out);
}

/* tlk_tan_ratio */
WIDE span wide_tan_ratio(span x2)
{
    const span one = (span){0} + 1;
    return span_select(span_less(x2, 2 * one),
                       (945 - 105 * x2 + x2 * x2) / (945 - 420 * x2 + 15 * x2 * x2), one);
}

/* tlk_turn_by */
WIDE void wide_turn_by(double h, span scale, const span *w, span *q)
{
    const span half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const span v[3] = {scale * half[0], scale * half[1], scale * half[2]};
    const span norm = span_sqrt(1 + span_dot(v, v));
    q[0] = 1 / norm;
    for (int k = 0; k < 3; k++)
        q[1 + k] = v[k] / norm;
}

/* tlk_quaternion_product */
WIDE void wide_quaternion_product(const span *a, const span *b, span *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    const span norm =
        span_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; k++)
        out[k] = out[k] / norm;
}

/* tlk_turn_body */
WIDE void wide_turn_body(double h, const span *w, span *q)
{
    const span none = {0}, half[3] = {0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]};
    const span_bits still = span_same(w[0], none) & span_same(w[1], none) & span_same(w[2], none);
    span turn[4], turned[4];
    if (span_mask(still) == SPAN_ALL)
        return;
    wide_turn_by(h, wide_tan_ratio(span_dot(half, half)), w, turn);
    wide_quaternion_product(turn, q, turned);
    for (int k = 0; k < 4; k++)
        q[k] = span_select(still, q[k], turned[k]);
}

/* tlk_spin_newton */
WIDE void wide_spin_newton(double h, const span *inverse, const span *p, const span *m,
                           const span *w, span scale, span slope, span *change)
{
    const span none = {0};
    span gyro[3], column[3][3], off[3], cross[3];
    span_cross(w, m, gyro);
    for (int k = 0; k < 3; k++)
        off[k] = p[k] - m[k] - 0.5 * h * scale * gyro[k];
    for (int j = 0; j < 3; j++) {
        span unit[3] = {none, none, none}, first[3], second[3];
        unit[j] = none + 1;
        span_cross(unit, m, first);
        span_cross(w, unit, second);
        for (int k = 0; k < 3; k++)
            column[j][k] = unit[k] + 0.5 * h *
                                         (scale * (first[k] * inverse[j] + second[k]) +
                                          slope * 0.5 * h * h * w[j] * inverse[j] * gyro[k]);
    }
    span_cross(column[1], column[2], cross);
    const span det = span_dot(column[0], cross);
    const span part = span_select(span_same(det, none), none, 1 / det);
    for (int j = 0; j < 3; j++) {
        span_cross(column[(j + 1) % 3], column[(j + 2) % 3], cross);
        change[j] = span_dot(off, cross) * part;
    }
}

/* tlk_spin; false, and nothing is done, where Newton's method does not find a lane's turn. Lanes
 * that have theirs stay as they are. */
WIDE bool wide_spin(double h, const span *inertia, span *p, span *q)
{
    const span none = {0}, two = none + 2;
    const span inverse[3] = {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]};
    const span size = span_dot(p, p);
    span m[3] = {p[0], p[1], p[2]}, w[3], turn[4], turned[4];
    span_bits scaled = span_same(none, none), found = span_less(none, none);
    for (int iteration = 0; iteration < 30 && span_mask(found) != SPAN_ALL; iteration++) {
        span change[3];
        for (int k = 0; k < 3; k++)
            w[k] = m[k] * inverse[k];
        const span x2 = 0.25 * h * h * span_dot(w, w);
        scaled &= span_less(x2, two) | found;
        const span ratio = wide_tan_ratio(x2), below = 945 - 420 * x2 + 15 * x2 * x2;
        const span scale = span_select(scaled, ratio, none + 1);
        const span slope =
            span_select(scaled, (2 * x2 - 105 - ratio * (30 * x2 - 420)) / below, none);
        wide_spin_newton(h, inverse, p, m, w, scale, slope, change);
        for (int k = 0; k < 3; k++)
            m[k] = span_select(found, m[k], m[k] + change[k]);
        found |= span_most(span_dot(change, change), 1e-18 * size);
    }
    if (span_mask(found) != SPAN_ALL)
        return false;
    for (int k = 0; k < 3; k++)
        w[k] = m[k] * inverse[k];
    const span ratio = wide_tan_ratio(0.25 * h * h * span_dot(w, w));
    wide_turn_by(h, span_select(scaled, ratio, none + 1), w, turn);
    wide_rotate_back(turn, p, m);
    wide_quaternion_product(q, turn, turned);
    for (int k = 0; k < 4; k++)
        q[k] = turned[k];
    for (int k = 0; k < 3; k++)
        p[k] = m[k];
    return true;
}

/* Half of SPAN velocities. */
WIDE void wide_half(const real *from, uint32_t i, span out[4])
{
    quad rows[SPAN];
    for (uint32_t l = 0; l < SPAN; l++)
        rows[l] = __builtin_convertvector(*(const half_vec *)(from + 8 * (size_t)(i + l)), quad);
    span_transpose(rows, out);
}

WIDE void wide_put_half(real *to, uint32_t i, const span in[4])
{
    quad rows[SPAN];
    span_back(in, rows);
    for (uint32_t l = 0; l < SPAN; l++)
        *(half_vec *)(to + 8 * (size_t)(i + l)) = __builtin_convertvector(rows[l], half_vec);
}

/* Whether SPAN bodies from i on, before `end`, go all in one way. */
WIDE bool wide_alike(const tlk_motion *m, uint32_t i, uint32_t end)
{
    uint32_t any = 0, all = TLK_BODY_ANISOTROPIC, held = 0;
    if (end - i < SPAN || i + SPAN > m->bodies.dynamic || m->planar)
        return false;
    for (uint32_t l = 0; l < SPAN; l++) {
        any |= m->bodies.flags[i + l] & TLK_BODY_ANISOTROPIC;
        all &= m->bodies.flags[i + l];
        held |= m->held ? m->held[i + l] & ~TLK_CARRIES : 0;
    }
    return any == all && !held;
}

/* tlk_take of bodies that are alike; false: one by one, as one turns too fast. */
WIDE bool wide_go(const tlk_motion *m, uint32_t i, wide_taken *t)
{
    span push[4] = {{0}, {0}, {0}, {0}}, extra[4] = {{0}, {0}, {0}, {0}}, p[3];
    wide_half(m->vel, i, t->v);
    wide_half(m->vel + 4, i, t->w);
    if (m->pseudo) {
        wide_half(m->pseudo, i, push);
        wide_half(m->pseudo + 4, i, extra);
    }
    span_rows(m->bodies.inertia, 4, i, t->inertia);
    span_rows(m->bodies.pos, 4, i, t->x);
    span_rows(m->bodies.quat, 4, i, t->q);
    for (int k = 0; k < 3; k++)
        t->x[k] = t->x[k] + m->h * (t->v[k] + push[k]);
    t->turned = m->bodies.flags[i] & TLK_BODY_ANISOTROPIC;
    if (!t->turned) {
        for (int k = 0; k < 3; k++)
            extra[k] += t->w[k];
        wide_turn_body(m->h, extra, t->q);
        return true;
    }
    wide_rotate_back(t->q, t->w, p);
    for (int k = 0; k < 3; k++)
        p[k] = p[k] * t->inertia[k];
    wide_turn_body(m->h, extra, t->q);
    if (!wide_spin(m->h, t->inertia, p, t->q))
        return false;
    for (int k = 0; k < 3; k++)
        p[k] = p[k] / t->inertia[k];
    wide_rotate(t->q, p, t->w);
    return true;
}

/* tlk_settled, as a number in 64-bit. */
WIDE span wide_settled(span v)
{
    const span none = {0}, size = span_select(span_less(v, none), -v, v);
    return span_select(span_less(size, none + 1e-25), none, v);
}

/* What a velocity is in memory. */
WIDE void wide_as_real(span v[4])
{
#if !defined(TLK_PRECISION_double)
    for (int k = 0; k < 3; k++)
        for (uint32_t l = 0; l < SPAN; l++)
            v[k][l] = (double)(real)v[k][l];
#else
    (void)v;
#endif
}

/* tlk_energy and tlk_origin_box */
WIDE void wide_energy(const tlk_motion *m, const wide_taken *t, span *acc)
{
    const span none = {0};
    span local[3], spin = none;
    if (t->turned) {
        wide_rotate_back(t->q, t->w, local);
        for (int k = 0; k < 3; k++)
            spin += t->inertia[k] * local[k] * local[k];
    } else {
        spin = t->inertia[0] * span_dot(t->w, t->w);
    }
    acc[0] += 0.5 * (t->inertia[3] * span_dot(t->v, t->v) + spin);
    acc[1] -= t->inertia[3] *
              (m->gravity[0] * t->x[0] + m->gravity[1] * t->x[1] + m->gravity[2] * t->x[2]);
    for (int k = 0; k < 3; k++) {
        const span x = t->x[k], less = -x;
        acc[2 + k] = span_select(span_less(acc[2 + k], x), acc[2 + k], x);
        acc[5 + k] = span_select(span_less(acc[5 + k], less), acc[5 + k], less);
    }
}

/* tlk_integrate of SPAN bodies, where they are alike. */
WIDE bool wide_integrate_span(const tlk_motion *m, uint32_t i, uint32_t end, span *acc)
{
    wide_taken t;
    span state[4];
    if (!wide_alike(m, i, end) || !wide_go(m, i, &t))
        return false;
    for (int k = 0; k < 3; k++) {
        t.v[k] = wide_settled(t.v[k]);
        t.w[k] = wide_settled(t.w[k]);
    }
    wide_as_real(t.v);
    wide_as_real(t.w);
    wide_half(m->bodies.vel, i, state); /* beside velocities it stays */
    t.v[3] = state[3];
    wide_half(m->bodies.vel + 4, i, state);
    t.w[3] = state[3];
    wide_put_half(m->bodies.vel, i, t.v);
    wide_put_half(m->bodies.vel + 4, i, t.w);
    span_unrow(m->bodies.pos, 4, i, t.x);
    span_unrow(m->bodies.quat, 4, i, t.q);
    wide_energy(m, &t, acc);
    return true;
}

static void wide_integrate(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_motion m = *(const tlk_motion *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    span acc[TLK_LANES / SPAN][8];
    start_lanes(8, "ssmmmmmm", lanes);
    for (uint32_t part = 0; part < TLK_LANES / SPAN; part++)
        for (int k = 0; k < 8; k++)
            acc[part][k] = (span){0} + lanes[0][k];
    for (uint32_t i = begin; i < end && !*m.halt; i += SPAN) {
        span *own = acc[i / SPAN % (TLK_LANES / SPAN)];
        if (wide_integrate_span(&m, i, end, own))
            continue;
        for (uint32_t l = 0; l < SPAN && i + l < end; l++) {
            double one[8];
            for (int k = 0; k < 8; k++)
                one[k] = own[k][l];
            tlk_integrate(&m, i + l, one);
            for (int k = 0; k < 8; k++)
                own[k][l] = one[k];
        }
    }
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[l / SPAN][k][l % SPAN];
    fold_lanes(8, "ssmmmmmm", lanes, numbers);
}

/* tlk_joint_foresee of SPAN bodies that follow each other, and are alike. */
WIDE bool wide_foresee_span(const tlk_joints *g, uint32_t k, uint32_t end)
{
    const uint32_t i = g->mover[k];
    wide_taken t;
    if (g->look || end - k < SPAN)
        return false;
    for (uint32_t l = 1; l < SPAN; l++)
        if (g->mover[k + l] != i + l)
            return false;
    if (g->pos != g->motion.bodies.pos || g->quat != g->motion.bodies.quat)
        return false;
    if (!wide_alike(&g->motion, i, i + SPAN) || !wide_go(&g->motion, i, &t))
        return false;
    span_unrow(g->next_pos, 4, i, t.x);
    span_unrow(g->next_quat, 4, i, t.q);
    return true;
}

static void wide_joint_foresee(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_joints g = *(const tlk_joints *)args;
    for (uint32_t k = begin; k < end;) {
        if (wide_foresee_span(&g, k, end))
            k += SPAN;
        else
            tlk_joint_foresee(&g, k++);
    }
}

#endif
