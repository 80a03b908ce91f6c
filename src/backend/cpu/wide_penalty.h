/* Forces of penalty contact, four pairs at once: those of one point with Hertz's law alone, between
 * spheres or a sphere and a wall. Pairs that touch are collected first, so that no lane is empty;
 * others, and those that part, go through the plain kernel one by one. */
#ifndef TL_BACKEND_CPU_WIDE_PENALTY_H
#define TL_BACKEND_CPU_WIDE_PENALTY_H

#include "backend/cpu/wide_bodies.h"
#include "kernels/penalty/force.h"

#define WIDE_TOUCHING 64u /* pairs that are collected before their forces are worked out */

/* Pairs that touch, field by field; a whole number of fours. */
typedef struct wide_touching {
    uint32_t pair[WIDE_TOUCHING + QUAD];
    double n[3][WIDE_TOUCHING + QUAD], x[3][WIDE_TOUCHING + QUAD], gap[WIDE_TOUCHING + QUAD];
    uint32_t count;
} wide_touching;

typedef double loose_quad __attribute__((vector_size(32), aligned(8)));

WIDE quad quad_load(const double *from)
{
    return *(const loose_quad *)from;
}

WIDE void quad_store(double *to, quad v)
{
    *(loose_quad *)to = v;
}

/* Four numbers of each of four rows, which lie `stride` apart, to columns; and back. */
WIDE void quad_gather(const double *from, size_t stride, const uint32_t *row, quad out[4])
{
    for (uint32_t l = 0; l < QUAD; l++)
        out[l] = quad_load(from + stride * row[l]);
    quad_transpose(out);
}

WIDE void quad_scatter(double *to, size_t stride, const uint32_t *row, uint32_t lanes,
                       const quad in[4])
{
    quad r[4] = {in[0], in[1], in[2], in[3]};
    quad_transpose(r);
    for (uint32_t l = 0; l < lanes; l++)
        quad_store(to + stride * row[l], r[l]);
}

/* One pair by the plain kernel. */
WIDE void wide_alone(const tlk_penalty *p, uint32_t q, const double *n, double gap)
{
    double force[TLK_FORCE] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    tlk_penalty_simple(p, q, n, gap, force);
    for (uint32_t k = 0; k < TLK_FORCE; k++)
        p->force[TLK_FORCE * (size_t)q + k] = force[k];
}

/* A pair with a wall. */
WIDE void wide_wall(const tlk_penalty *p, uint32_t q, double *n, double *gap, double *x)
{
    *gap = tlk_narrow(&p->shapes, p->a[q], p->b[q], n);
    tlk_penalty_halfway(&p->shapes, p->a[q], p->b[q], n, *gap, x);
}

/* tlk_narrow and tlk_penalty_halfway of four pairs from q on; what touches is collected. */
WIDE void wide_collect(const tlk_penalty *p, uint32_t q, uint32_t lanes, wide_touching *t)
{
    uint32_t i[QUAD], j[QUAD];
    quad a[4], b[4], n[3], x[3];
    for (uint32_t l = 0; l < QUAD; l++)
        i[l] = p->a[q + (l < lanes ? l : 0)], j[l] = p->b[q + (l < lanes ? l : 0)];
    quad_gather(p->shapes.centre, 4, i, a);
    quad_gather(p->shapes.centre, 4, j, b);
    for (int k = 0; k < 3; k++)
        n[k] = b[k] - a[k];
    const quad d = quad_sqrt(quad_dot(n, n)), sum = a[3] + b[3];
    const quad inverse = 1 / d;
    const quad_bits apart = d > 0;
    for (int k = 0; k < 3; k++)
        n[k] = quad_select(apart, n[k] * inverse, (quad){0} + (k == 2 ? 1.0 : 0.0));
    const quad gap = d - sum;
    for (int k = 0; k < 3; k++) {
        x[k] = a[k] + a[3] * n[k];
        x[k] += 0.5 * gap * n[k];
    }
    const quad_bits wall = (a[3] < 0) | (b[3] < 0);
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t pair = q + l, at = t->count;
        double nl[3] = {n[0][l], n[1][l], n[2][l]}, xl[3] = {x[0][l], x[1][l], x[2][l]};
        double gl = gap[l];
        if (wall[l])
            wide_wall(p, pair, nl, &gl, xl);
        if (!(gl < 0) && !(p->acts[pair] & TLK_KEEPS)) {
            tlk_penalty_apart(p, pair);
            continue;
        }
        if (!(gl < 0) || !p->couple[pair].plain) {
            wide_alone(p, pair, nl, gl);
            continue;
        }
        t->pair[at] = pair;
        t->gap[at] = gl;
        for (int k = 0; k < 3; k++)
            t->n[k][at] = nl[k], t->x[k][at] = xl[k];
        t->count++;
    }
}

/* Four pairs that touch. */
typedef struct wide_pressed {
    uint32_t pair[QUAD], a[QUAD], b[QUAD], lanes;
    bool wall; /* a body is not dynamic */
    quad n[3], overlap, radius, mass, arm_a[3], arm_b[3], of_a[3], of_b[3], approach, slip[3];
    quad young, shear, friction, ratio, across;
} wide_pressed;

WIDE void wide_laws(const tlk_penalty *p, wide_pressed *c)
{
    for (uint32_t l = 0; l < QUAD; l++) {
        const tlk_couple *of = p->couple + c->pair[l];
        const double *law = p->table + TLK_LAW_NUMBERS * (size_t)of->law;
        c->a[l] = of->a, c->b[l] = of->b;
        c->radius[l] = of->radius, c->mass[l] = of->mass;
        c->young[l] = law[TLK_LAW_YOUNG], c->shear[l] = law[TLK_LAW_SHEAR];
        c->friction[l] = law[TLK_LAW_FRICTION], c->ratio[l] = law[TLK_LAW_RATIO];
        c->across[l] = law[TLK_LAW_ACROSS];
        c->wall |= of->a >= p->bodies.dynamic || of->b >= p->bodies.dynamic;
    }
}

/* The surface of a body at the end of its arm: tlk_penalty_at */
WIDE void wide_surface(const tlk_penalty *p, const uint32_t *body, const quad *x, quad *arm,
                       quad *of)
{
    quad pos[4], v[4], w[4], turn[3];
    quad_gather(p->bodies.pos, 4, body, pos);
    quad_gather(p->vel, 8, body, v);
    quad_gather(p->vel + 4, 8, body, w);
    for (int k = 0; k < 3; k++)
        arm[k] = x[k] - pos[k];
    quad_cross(w, arm, turn);
    for (int k = 0; k < 3; k++)
        of[k] = v[k] + turn[k];
}

WIDE void wide_press(const tlk_penalty *p, const wide_touching *t, uint32_t from, wide_pressed *c)
{
    const quad none = {0};
    quad x[3];
    c->lanes = tlk_min(t->count - from, QUAD);
    c->wall = false;
    for (uint32_t l = 0; l < QUAD; l++)
        c->pair[l] = t->pair[from + (l < c->lanes ? l : 0)];
    for (int k = 0; k < 3; k++) {
        c->n[k] = quad_load(t->n[k] + from);
        x[k] = quad_load(t->x[k] + from);
    }
    c->overlap = -quad_load(t->gap + from);
    wide_laws(p, c);
    wide_surface(p, c->a, x, c->arm_a, c->of_a);
    wide_surface(p, c->b, x, c->arm_b, c->of_b);
    c->approach = none;
    for (int k = 0; k < 3; k++)
        c->approach += (c->of_a[k] - c->of_b[k]) * c->n[k];
    for (int k = 0; k < 3; k++)
        c->slip[k] = c->of_a[k] - c->of_b[k] - c->approach * c->n[k] + 0.0;
}

/* tlk_shear_spring: returns its energy; past: force and slope, which change. */
WIDE quad wide_shear(const tlk_penalty *p, const wide_pressed *c, quad slope, quad damper,
                     quad pressure, quad *past, quad *shear, quad *lost)
{
    const quad none = {0}, limit = c->friction * pressure, old = past[3];
    quad force[3], before = none, along = none, turned = none, square = none, total = none;
    for (int k = 0; k < 3; k++) {
        force[k] = past[k];
        before += force[k] * force[k];
        along += force[k] * c->n[k];
    }
    const quad energy = quad_select(old > 0, 0.5 * before / old, none);
    for (int k = 0; k < 3; k++) {
        force[k] -= along * c->n[k];
        turned += force[k] * force[k];
    }
    quad scale = quad_select(turned > 0, quad_sqrt(before / turned), none);
    scale *= quad_select(slope < old, slope / old, none + 1);
    for (int k = 0; k < 3; k++) {
        force[k] = scale * force[k] + slope * p->advance * c->slip[k];
        square += force[k] * force[k];
    }
    const quad_bits slips = square > limit * limit;
    if (!quad_all(~slips)) {
        const quad less = limit / quad_sqrt(square);
        square = quad_select(slips, limit * limit, square);
        for (int k = 0; k < 3; k++)
            force[k] = quad_select(slips, force[k] * less, force[k]);
    }
    for (int k = 0; k < 3; k++) {
        shear[k] = force[k] + quad_select(slips, none, damper * c->slip[k]);
        total += shear[k] * shear[k];
    }
    const quad_bits beyond = total > limit * limit;
    if (!quad_all(~beyond)) {
        const quad less = limit / quad_sqrt(total);
        for (int k = 0; k < 3; k++)
            shear[k] = quad_select(beyond, shear[k] * less, shear[k]);
    }
    const quad now = quad_select(slope > 0, 0.5 * square / slope, none);
    *lost = none + p->weight * quad_dot(shear, c->slip);
    if (p->commits) {
        *lost -= now - energy;
        for (int k = 0; k < 3; k++)
            past[k] = force[k];
        past[3] = slope;
    }
    return now;
}

/* What bodies that are not dynamic do to the others. */
WIDE quad wide_power(const tlk_penalty *p, const wide_pressed *c, const quad *f)
{
    quad power = {0};
    quad_bits a, b;
    for (uint32_t l = 0; l < QUAD; l++) {
        a[l] = c->a[l] >= p->bodies.dynamic ? -1 : 0;
        b[l] = c->b[l] >= p->bodies.dynamic ? -1 : 0;
    }
    for (int k = 0; k < 3; k++)
        power += quad_select(b, -f[k] * c->of_b[k], quad_select(a, f[k] * c->of_a[k], (quad){0}));
    return power;
}

/* Force and moments of the items. */
WIDE void wide_items(const tlk_penalty *p, const wide_pressed *c, const quad *f)
{
    quad turn_a[3], turn_b[3];
    quad_cross(c->arm_a, f, turn_a);
    quad_cross(c->arm_b, f, turn_b);
    const quad first[4] = {f[0], f[1], f[2], -turn_a[0]};
    const quad second[4] = {-turn_a[1], -turn_a[2], turn_b[0], turn_b[1]};
    quad_scatter(p->force, TLK_FORCE, c->pair, c->lanes, first);
    quad_scatter(p->force + 4, TLK_FORCE, c->pair, c->lanes, second);
    for (uint32_t l = 0; l < c->lanes; l++)
        p->force[TLK_FORCE * (size_t)c->pair[l] + 8] = turn_b[2][l];
}

/* The numbers that only the last evaluation leaves. */
WIDE void wide_last(const tlk_penalty *p, const wide_pressed *c, const quad *f, quad elastic,
                    quad slope, quad damper, quad shear_slope)
{
    const quad first[4] = {elastic, slope, f[0], f[1]};
    const quad second[4] = {f[2], damper, shear_slope, (quad){0}};
    quad_scatter(p->sum + TLK_SUM_ELASTIC, TLK_SUM, c->pair, c->lanes, first);
    quad_scatter(p->sum + TLK_SUM_ELASTIC + 4, TLK_SUM, c->pair, c->lanes, second);
}

/* tlk_hertz and the rest of tlk_penalty_point */
WIDE void wide_point(const tlk_penalty *p, const wide_touching *t, uint32_t from)
{
    const quad none = {0};
    wide_pressed c;
    quad past[4], sum[4], shear[3], f[3], lost;
    wide_press(p, t, from, &c);
    const quad contact = quad_sqrt(c.radius * c.overlap), slope = 2 * c.young * contact;
    const quad spring = 2.0 / 3 * slope * c.overlap;
    const quad damper = c.ratio * TLK_HERTZ_DAMPING * quad_sqrt(slope * c.mass);
    const quad raw = damper * c.approach;
    const quad damped = p->attraction ? raw : quad_select(spring + raw < 0, -spring, raw);
    const quad normal = spring + damped, pressure = quad_select(normal > 0, normal, none);
    const quad shear_slope = 8 * c.shear * contact;
    quad_gather(p->past, p->keeps, c.pair, past);
    const quad now =
        wide_shear(p, &c, shear_slope, c.across * damper, pressure, past, shear, &lost);
    for (int k = 0; k < 3; k++)
        f[k] = normal * c.n[k] + shear[k];
    quad_gather(p->sum, TLK_SUM, c.pair, sum);
    for (int k = 0; k < 3; k++)
        sum[k] += p->weight * f[k];
    sum[3] += lost + p->weight * (damped * c.approach);
    quad_scatter(p->sum, TLK_SUM, c.pair, c.lanes, sum);
    if (p->commits)
        quad_scatter(p->past, p->keeps, c.pair, c.lanes, past);
    const quad power = c.wall ? wide_power(p, &c, f) : none;
    for (uint32_t l = 0; l < c.lanes; l++) {
        const bool keeps = p->commits || p->acts[c.pair[l]] & TLK_KEEPS;
        if (p->commits && p->keeps == TLK_PAST)
            p->past[TLK_PAST * (size_t)c.pair[l] + TLK_PAST_TOUCHED] = 1;
        p->acts[c.pair[l]] = (uint8_t)(TLK_ACTS | (keeps ? TLK_KEEPS : 0));
        if (c.wall)
            p->sum[TLK_SUM * (size_t)c.pair[l] + TLK_SUM_WORK] += p->weight * power[l];
    }
    wide_items(p, &c, f);
    if (tlk_penalty_last(p))
        wide_last(p, &c, f, 0.4 * spring * c.overlap + now, slope, damper, shear_slope);
    else if (p->cohesion == 1)
        for (uint32_t l = 0; l < c.lanes; l++)
            p->sum[TLK_SUM * (size_t)c.pair[l] + TLK_SUM_ELASTIC] =
                (0.4 * spring * c.overlap + now)[l];
}

static void wide_penalty_force(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    wide_touching t;
    if (!p.couple) {
        for (uint32_t q = begin; q < end; q++)
            tlk_penalty_force(&p, q);
        return;
    }
    t.count = 0;
    for (uint32_t q = begin; q < end; q += QUAD) {
        wide_collect(&p, q, tlk_min(end - q, QUAD), &t);
        if (t.count < WIDE_TOUCHING && q + QUAD < end)
            continue;
        for (uint32_t from = 0; from < t.count; from += QUAD)
            wide_point(&p, &t, from);
        t.count = 0;
    }
}

#endif
