/* How fast bodies may swing and be damped, at most, with all contacts and springs they have: what
 * substeps must be short of (docs/theory.md, "Penalty contact"). One dynamic body at a time. */
#ifndef TL_KERNELS_PENALTY_BOUND_H
#define TL_KERNELS_PENALTY_BOUND_H

#include "kernels/penalty/force.h"

/* How a body yields: the root of 1/m, and from a moment in the world to the spin in the frame of
 * its axes, each over the root of its moment of inertia. 0 of those that are not dynamic. */
typedef struct tlk_yields {
    double mass, turn[3][3];
} tlk_yields;

TL_KERNEL void tlk_yields_of(const tlk_bodies *b, size_t i, tlk_yields *out)
{
    const double *of = b->inertia + 4 * i;
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool moves = i < b->dynamic;
    if (moves && b->flags[i] & TLK_BODY_ANISOTROPIC)
        tlk_matrix(b->quat + 4 * i, axes);
    out->mass = moves ? sqrt(1 / of[3]) : 0;
    for (int k = 0; k < 3; k++) {
        const double root = moves ? sqrt(1 / of[k]) : 0;
        for (int c = 0; c < 3; c++)
            out->turn[k][c] = root * axes[c][k];
    }
}

/* What a force of 1 N along n at the end of an anchor turns a body by. */
TL_KERNEL void tlk_yields_turn(const tlk_yields *y, const double *anchor, const double *n,
                               double *out)
{
    double moment[3];
    tlk_crossd(anchor, n, moment);
    for (int k = 0; k < 3; k++)
        out[k] = tlk_dotd(y->turn[k], moment);
}

/* The same of forces along x, y and z. */
TL_KERNEL void tlk_yields_turns(const tlk_yields *y, const double *anchor, double turn[3][3])
{
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0, 0, 0};
        axis[i] = 1;
        tlk_yields_turn(y, anchor, axis, turn[i]);
    }
}

/* What holds a body, over its mass and moments: translations, both, and rotations. */
typedef struct tlk_held {
    double a[3][3], b[3][3], c[3][3];
} tlk_held;

/* One point more: `along` the normal n and `across` it, at the end of an anchor. */
TL_KERNEL void tlk_held_add(tlk_held *h, const tlk_yields *y, const double *n, const double *anchor,
                            double along, double across)
{
    const double more = along - across;
    double turn[3][3], about[3];
    tlk_yields_turns(y, anchor, turn);
    tlk_yields_turn(y, anchor, n, about);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double same = i == j ? across : 0;
            h->a[i][j] += (same + more * n[i] * n[j]) * y->mass * y->mass;
            h->b[i][j] += (across * turn[i][j] + more * n[i] * about[j]) * y->mass;
            h->c[i][j] += across * (turn[0][i] * turn[0][j] + turn[1][i] * turn[1][j] +
                                    turn[2][i] * turn[2][j]) +
                          more * about[i] * about[j];
        }
}

/* Something more of which the sum of norms over mass is known; half as much again for what bodies
 * beside it add. */
TL_KERNEL void tlk_held_rate(tlk_held *h, double rate)
{
    for (int i = 0; i < 3; i++)
        h->a[i][i] += 1.5 * rate;
}

/* The largest eigenvalue of a symmetric matrix that has none below 0, at most: the eighth root of
 * the sum of their eighth powers, which is no more than 1.15 times as large. */
TL_KERNEL double tlk_held_largest(const double m[3][3])
{
    double s[3][3], square[3][3], sum = 0;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    if (!(trace > 0))
        return 0;
    const double inverse = 1 / trace;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = m[i][j] * inverse;
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                square[i][j] = tlk_dotd(s[i], s[j]); /* symmetric: rows are columns */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[i][j] = square[i][j];
    }
    for (int i = 0; i < 3; i++)
        sum += tlk_dotd(s[i], s[i]);
    return trace * sqrt(sqrt(sqrt(sum)));
}

/* That of all six coordinates, at most. */
TL_KERNEL double tlk_held_most(const tlk_held *h)
{
    const double a = tlk_held_largest(h->a), c = tlk_held_largest(h->c);
    double between = 0;
    for (int i = 0; i < 3; i++)
        between += tlk_dotd(h->b[i], h->b[i]);
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + between);
}

/* A point as one of its two bodies feels it: from which side, along what, and by how much more than
 * its own stiffness it holds, as the other body moves against it. */
typedef struct tlk_felt {
    double n[3], anchor[2][3], along[2], across[2];
} tlk_felt;

/* What forces of 1 N at a point move its bodies by, over s^2, along the normal and across it,
 * decide which of the two feels how much of the other's motion. */
TL_KERNEL void tlk_felt_yields(tlk_felt *f, const tlk_yields *y)
{
    double along[2], across[2];
    for (int e = 0; e < 2; e++) {
        double turns[3][3], turn[3], sum = 0;
        tlk_yields_turns(&y[e], f->anchor[e], turns);
        for (int i = 0; i < 3; i++)
            sum += tlk_dotd(turns[i], turns[i]);
        tlk_yields_turn(&y[e], f->anchor[e], f->n, turn);
        along[e] = y[e].mass * y[e].mass + tlk_dotd(turn, turn);
        across[e] = y[e].mass * y[e].mass + sum - tlk_dotd(turn, turn);
    }
    for (int e = 0; e < 2; e++) {
        f->along[e] = 1 + along[!e] / along[e];
        f->across[e] = 1 + across[!e] / across[e];
    }
}

/* Slot t of a pair. */
TL_KERNEL void tlk_penalty_feel(const tlk_penalty *p, uint32_t pair, uint32_t t,
                                const tlk_yields *y, tlk_felt *f)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t first = p->first ? p->first[pair] : pair, i = p->a[first], j = p->b[first];
    const uint32_t body[2] = {s->body[i], s->body[j]};
    double x[3];
    if (p->place) {
        const double *of = p->place + TLK_PLACE * (size_t)t;
        for (int k = 0; k < 3; k++) {
            f->n[k] = of[4 + k];
            x[k] = s->centre[4 * (size_t)i + k] + of[k] + 0.5 * of[3] * of[4 + k];
        }
    } else {
        const double gap = tlk_narrow(s, i, j, f->n);
        tlk_penalty_halfway(s, i, j, f->n, gap, x);
    }
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++)
            f->anchor[e][k] = x[k] - p->bodies.pos[4 * (size_t)body[e] + k];
    tlk_felt_yields(f, y);
}

/* A spring between bodies: along it its stiffness, across it what its tension makes. It turns as it
 * swings, which takes more than the limit of a straight one: twice its stiffness, at least. */
TL_KERNEL void tlk_penalty_feel_spring(const tlk_penalty *p, const tlk_spring *s, uint32_t side,
                                       const tlk_yields *own, tlk_held *stiff, tlk_held *damp)
{
    const uint32_t row[2] = {s->a, s->b};
    double x[2][3];
    tlk_yields y[2];
    tlk_felt f;
    for (int e = 0; e < 2; e++) {
        const double *at = e ? s->at_b : s->at_a;
        y[e].mass = 0;
        for (int k = 0; k < 3; k++) {
            x[e][k] = f.anchor[e][k] = at[k];
            for (int c = 0; c < 3; c++)
                y[e].turn[k][c] = 0;
        }
        if (row[e] == TLK_NONE)
            continue;
        tlk_yields_of(&p->bodies, row[e], &y[e]);
        tlk_rotate(p->bodies.quat + 4 * (size_t)row[e], at, f.anchor[e]);
        for (int k = 0; k < 3; k++)
            x[e][k] = p->bodies.pos[4 * (size_t)row[e] + k] + f.anchor[e][k];
    }
    const double length = tlk_direction(x[0], x[1], f.n);
    const double tension = length > 0 ? 1 - s->length / length : 1;
    tlk_felt_yields(&f, y);
    const double along = tlk_max(f.along[side], 2.0), across = tlk_max(f.across[side], 2.0);
    tlk_held_add(stiff, own, f.n, f.anchor[side], along * s->stiffness,
                 across * s->stiffness * tlk_max(tension, 0.0));
    tlk_held_add(damp, own, f.n, f.anchor[side], along * s->damping, 0);
}

/* How deep an approach of speed v over a way `most` may go, at most, under Hertz's law: until its
 * energy is spent. */
TL_KERNEL double tlk_penalty_sinks(double young, double radius, double mass, double v, double most)
{
    const double energy = 0.5 * mass * v * v, slope = 8.0 / 15 * young * sqrt(radius);
    for (int k = 0; k < 64 && slope * most * most * sqrt(most) > energy; k++)
        most *= 0.8;
    return most;
}

/* How far a shape reaches from where its body turns about. */
TL_KERNEL double tlk_penalty_extent(const tlk_shapes *s, uint32_t i)
{
    const double *g = s->geom + 4 * (size_t)i;
    return sqrt(tlk_dotd(g, g)) + g[3];
}

/* How fast two shapes may come together, at most. */
TL_KERNEL double tlk_penalty_nears(const tlk_penalty *p, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t shape[2] = {i, j};
    double u[3], speed = 0;
    for (int e = 0; e < 2; e++) {
        const real *v = p->bodies.vel + 8 * (size_t)s->body[shape[e]];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = e ? u[k] - v[k] : v[k];
            square += (double)v[4 + k] * v[4 + k];
        }
        if (square > 0)
            speed += sqrt(square) * tlk_penalty_extent(s, shape[e]);
    }
    return speed + sqrt(tlk_dotd(u, u));
}

/* Stiffness and damping of a point of a pair that overlaps so, along the normal. */
TL_KERNEL void tlk_penalty_stiff(const tlk_penalty *p, const tlk_pressing *c, double overlap,
                                 double *stiff, double *damp)
{
    const double *law = c->law;
    const bool hertz = p->law == 0 && !(law[TLK_LAW_SPRING] > 0);
    *stiff = hertz ? tlk_hertz_slope(law, sqrt(c->radius * overlap))
                   : tlk_linear_slope(p, law, c->radius);
    *damp =
        hertz ? tlk_hertz_damper(law, *stiff, c->mass) : tlk_linear_damper(law, *stiff, c->mass);
}

/* What 1/m is to be multiplied by for how much a body yields where it is touched, at most: of
 * corners of solid bodies. Balls about their centres are bounded by the times of impacts
 * (tlk_penalty_times). */
#define TLK_YIELDS_BODY 7.0
/* Of bodies that damping stops all at once: the square of pi over what a fifth of the time of such
 * a swing is to be of the time that damping takes, a quarter. */
#define TLK_YIELDS_DAMPED 6.3

/* An impact by Hertz's law lasts 2.943 depth/speed, half a swing with the stiffness at the deepest
 * point pi sqrt(8/15) depth/speed: the square of the ratio. */
#define TLK_HERTZ_SWING 0.6078

/* What a pair adds as it comes together in this step, over the mass of one of its bodies: 2, how
 * fast its first point swings, that a Hertzian impact of this duration would; and where it does not
 * touch yet, 0 and 1, its stiffness and damping. Under the law scaled these follow from the law
 * alone. */
TL_KERNEL void tlk_penalty_expect(const tlk_penalty *p, uint32_t pair, bool touches, double *acc)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t first = p->first ? p->first[pair] : pair, i = p->a[first], j = p->b[first];
    const bool simple = tlk_is_simple(s->info[i], s->info[j]);
    const double v = tlk_penalty_nears(p, i, j);
    double n[3], way = p->step * v, stiff, damp, inverse[2], inertia[2];
    tlk_pressing c;
    if (p->law == 2 || (p->rods && (p->vel[8 * (size_t)s->body[i] + 7] > 0 ||
                                    p->vel[8 * (size_t)s->body[j] + 7] > 0)))
        return; /* rods have no mass: what they meet counts once they do */
    if (simple && !touches)
        way -= tlk_narrow(s, i, j, n);
    if (!(way > 0))
        return;
    tlk_penalty_couple(p, i, j, &c);
    const bool hertz = p->law == 0 && !(c.law[TLK_LAW_SPRING] > 0);
    if (hertz)
        way = tlk_penalty_sinks(c.law[TLK_LAW_YOUNG], c.radius, c.mass, v, way);
    tlk_penalty_stiff(p, &c, way, &stiff, &damp);
    tlk_penalty_inverse(&p->bodies, c.a, &inverse[0], &inertia[0]);
    tlk_penalty_inverse(&p->bodies, c.b, &inverse[1], &inertia[1]);
    const double rate = TLK_YIELDS_BODY * stiff * (inverse[0] + inverse[1]);
    const double damped = TLK_YIELDS_BODY * damp * (inverse[0] + inverse[1]);
    acc[2] = tlk_max(acc[2], rate * (hertz ? TLK_HERTZ_SWING : 1));
    acc[2] = tlk_max(acc[2], TLK_YIELDS_DAMPED * damped * damped);
    if (touches)
        return;
    acc[0] = tlk_max(acc[0], rate);
    acc[1] = tlk_max(acc[1], damped);
}

/* By how much stiffer a point of Hertz's law may become in the step, as its bodies approach. */
TL_KERNEL double tlk_penalty_stiffer(const tlk_penalty *p, uint32_t pair, const tlk_felt *f,
                                     double stiff)
{
    const uint32_t first = p->first ? p->first[pair] : pair;
    double approach = 0;
    tlk_pressing c;
    tlk_penalty_couple(p, p->a[first], p->b[first], &c);
    if (p->law != 0 || c.law[TLK_LAW_SPRING] > 0)
        return 1;
    for (int e = 0; e < 2; e++) {
        const real *v = p->bodies.vel + 8 * (e ? c.b : c.a);
        double w[3] = {v[4], v[5], v[6]}, turn[3];
        tlk_crossd(w, f->anchor[e], turn);
        for (int k = 0; k < 3; k++)
            approach += (e ? -1 : 1) * f->n[k] * (v[k] + turn[k]);
    }
    const double contact = stiff / (2 * c.law[TLK_LAW_YOUNG]),
                 overlap = contact * contact / c.radius;
    if (!(approach > 0))
        return 1;
    const double more =
        tlk_penalty_sinks(c.law[TLK_LAW_YOUNG], c.radius, c.mass, approach, p->step * approach);
    return sqrt(1 + more / overlap);
}

/* Damping across the normal over that along it, at most: by the law, as stiffness or its root. */
TL_KERNEL double tlk_penalty_across(const tlk_plain_act *of)
{
    const double ratio = (double)of->shear_slope / of->slope;
    return tlk_max(ratio, sqrt(ratio));
}

/* Whether slot t of a pair has a point, and its stiffness and damping at last. */
TL_KERNEL bool tlk_penalty_slopes(const tlk_penalty *p, uint32_t pair, uint32_t t,
                                  tlk_plain_act *out)
{
    const real *last = p->last + p->lasts * (size_t)t;
    if (p->lasts == TLK_LAST) {
        out->slope = last[TLK_LAST_STIFF], out->damper = last[TLK_LAST_DAMP];
        out->shear_slope = last[TLK_LAST_SHEAR];
        return out->slope > 0;
    }
    const uint32_t i = p->a[pair], j = p->b[pair];
    const tlk_couple of = tlk_penalty_pairing(p, i, j);
    tlk_plain_spot m;
    double a[4], b[4];
    tlk_load4d(p->shapes.centre + 4 * (size_t)i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)j, b);
    if (!(tlk_plain_meet(p, i, j, a, b, &m) < 0))
        return false;
    tlk_plain_slopes(p, &of, m.overlap, out);
    return out->slope > 0;
}

/* The points of one pair that a body feels, from a side. */
TL_KERNEL void tlk_penalty_feel_pair(const tlk_penalty *p, uint32_t pair, uint32_t side,
                                     const tlk_yields *own, tlk_held *stiff, tlk_held *damp,
                                     double *expected)
{
    const uint32_t first = p->first ? p->first[pair] : pair;
    const uint32_t shape[2] = {p->a[first], p->b[first]}, other = p->shapes.body[shape[!side]];
    const bool ball = p->shapes.info[shape[side]] & TLK_SHAPE_CENTRAL;
    bool touches = false;
    tlk_yields y[2];
    y[side] = *own;
    tlk_yields_of(&p->bodies, other, &y[!side]);
    for (uint32_t t = pair * p->slots; t < (pair + 1) * p->slots; t++) {
        tlk_plain_act of;
        tlk_felt f;
        if (!tlk_penalty_slopes(p, pair, t, &of))
            continue;
        touches = true;
        if (of.shear_slope < 0) { /* with a rod */
            tlk_held_rate(stiff, of.slope);
            tlk_held_rate(damp, of.damper);
            continue;
        }
        tlk_penalty_feel(p, pair, t, y, &f);
        const double stiffer = ball ? 1 : tlk_penalty_stiffer(p, pair, &f, of.slope);
        const double damped = sqrt(stiffer) * of.damper;
        tlk_held_add(stiff, own, f.n, f.anchor[side], f.along[side] * stiffer * of.slope,
                     f.across[side] * stiffer * of.shear_slope);
        tlk_held_add(damp, own, f.n, f.anchor[side], f.along[side] * damped,
                     f.across[side] * tlk_penalty_across(&of) * damped);
    }
    if (!ball)
        tlk_penalty_expect(p, pair, touches, expected);
}

/* One dynamic body: 0 stiffness over mass, 1/s^2, and 1 damping over mass, 1/s, of all that holds
 * it, or will in this step: nothing swings or is damped faster than the largest of these say. 2: of
 * the contact alone that it comes to the fastest. */
TL_KERNEL void tlk_penalty_fastest(const tlk_penalty *p, uint32_t i, double *acc)
{
    tlk_held stiff = {{{0}}, {{0}}, {{0}}}, damp = {{{0}}, {{0}}, {{0}}};
    double expected[3] = {0, 0, 0};
    tlk_yields own;
    tlk_yields_of(&p->bodies, i, &own);
    for (uint32_t k = p->list_begin[i]; k < p->list_end[i]; k++) {
        const uint32_t item = p->list[k] / 2, side = p->list[k] & 1u;
        if (item >= p->pairs + p->springs) { /* through a rod */
            const tlk_rod *r = p->rod + (item - p->pairs - p->springs) / 2;
            tlk_held_rate(&stiff, r->stiff);
            tlk_held_rate(&damp, r->damp);
        } else if (item >= p->pairs) {
            tlk_penalty_feel_spring(p, p->spring + (item - p->pairs), side, &own, &stiff, &damp);
        } else {
            tlk_penalty_feel_pair(p, item, side, &own, &stiff, &damp, expected);
        }
    }
    acc[0] = tlk_max(acc[0], tlk_held_most(&stiff) + expected[0]);
    acc[1] = tlk_max(acc[1], tlk_held_most(&damp) + expected[1]);
    acc[2] = tlk_max(acc[2], expected[2]);
}

#endif
