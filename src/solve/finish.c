/* The end of a certified solution, where the interior path has lost its digits to rounding: the
 * method of multipliers, each of whose problems Newton's method solves.
 *
 * With impulses g' so far, velocities minimise 1/2 |v - free|^2 + sum |P(g' - t w)|^2 / 2t, P being
 * the projection onto the cone and t a stiffness; then g = P(g' - t w) takes the place of g'. The
 * function is convex and its gradient, M (v - free) - D g, is smooth but for kinks, so that
 * Newton's method with (M + D t P' D^T) takes few steps, and from near the solution one or two.
 * Velocities always follow from impulses: v - free = M^-1 D gamma. What compliance opens a contact
 * by is one more velocity, with a mass of its own that is eliminated in place. (docs/theory.md,
 * "Certified solutions".) */
#include "solve/finish.h"

#include <math.h>
#include <string.h>

#define ENOUGH 0.1   /* of what a round begins with: what the search along a step may leave of it */
#define DIGIT  4e-16 /* of a number: what its last digits are worth */
#define CUTS   30u
#define INNER  25u /* steps of Newton's method for one set of multipliers, at most */

/* Cohesion moves the tip of the cone: what is projected is the impulse above it. */
static void above(const tl_touch *t, double sign, const double *in, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = in[k] + sign * t->cohesion * t->n[k];
}

/* Parts of a vector along the normal and across it. */
static double across(const double *n, const double *x, double *tangent)
{
    const double along = tl_dot(n, x);
    for (int k = 0; k < 3; k++)
        tangent[k] = x[k] - along * n[k];
    return along;
}

void tl_cone_project(const double *n, double mu, const double *x, double *out)
{
    double t[3];
    const double xn = across(n, x, t), length = tl_length(t);
    if (xn >= 0 && length <= mu * xn) {
        memmove(out, x, 3 * sizeof *out);
        return;
    }
    const double normal = fmax(0, (xn + mu * length) / (1 + mu * mu));
    const double scale = length > 0 ? mu * normal / length : 0;
    for (int k = 0; k < 3; k++)
        out[k] = normal * n[k] + scale * t[k];
}

/* The derivative of the projection, times a stiffness. */
static void slope(const double *n, double mu, const double *x, double stiff, double k[3][3])
{
    double t[3], edge[3];
    const double xn = across(n, x, t), length = tl_length(t);
    const bool inside = xn >= 0 && length <= mu * xn, off = mu * length <= -xn;
    const double normal = (xn + mu * length) / (1 + mu * mu), size = stiff / (1 + mu * mu);
    const double turn = inside || off || !(length > 0) ? 0 : stiff * mu * normal / length;
    for (int c = 0; c < 3; c++)
        edge[c] = n[c] + (length > 0 ? mu * t[c] / length : 0);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const double unit = r == c;
            const double about = length > 0 ? t[r] * t[c] / (length * length) : 0;
            k[r][c] = inside ? stiff * unit
                      : off  ? 0
                             : size * edge[r] * edge[c] + turn * (unit - n[r] * n[c] - about);
        }
}

/* What a contact's velocity is with compliance and the term `s` of De Saxce. */
static void velocity(const tl_touch *t, const tl_wish *q, const double *w, const double *gamma,
                     double *out)
{
    const double more = t->bias + q->saxce + t->soft * tl_dot(t->n, gamma);
    for (int k = 0; k < 3; k++)
        out[k] = w[k] + more * t->n[k];
}

/* What multipliers become by velocities w and impulses gamma; x: before the projection. */
static void become(const tl_touch *t, const tl_wish *q, const double *w, const double *gamma,
                   double *x, double *g)
{
    double at[3];
    velocity(t, q, w, gamma, at);
    above(t, 1, q->hat, x);
    for (int k = 0; k < 3; k++)
        x[k] -= q->stiff * at[k];
    tl_cone_project(t->n, t->mu, x, g);
    above(t, -1, g, g);
}

/* Compliance in series with a contact's stiffness k and its right-hand side. */
static void soften(tl_touch *t)
{
    double kn[3];
    for (int r = 0; r < 3; r++)
        kn[r] = tl_dot(t->k[r], t->n);
    const double part = t->soft / (1 + t->soft * tl_dot(kn, t->n)), push = tl_dot(t->n, t->p);
    for (int r = 0; r < 3; r++) {
        t->p[r] -= part * push * kn[r];
        for (int c = 0; c < 3; c++)
            t->k[r][c] -= part * kn[r] * kn[c];
    }
}

/* How far impulses are from what they are to become, m/s (root mean square). */
static double prepare(tl_system *s, const tl_wish *q)
{
    tl_touch *t = s->touches.data;
    double sum = 0;
    for (size_t i = 0; i < s->touches.count; i++) {
        double x[3], g[3];
        become(&t[i], &q[i], t[i].w, t[i].gamma, x, g);
        slope(t[i].n, t[i].mu, x, q[i].stiff, t[i].k);
        for (int k = 0; k < 3; k++)
            t[i].p[k] = g[k] - t[i].gamma[k];
        sum += tl_dot(t[i].p, t[i].p) / (q[i].heavy * q[i].heavy);
        if (t[i].soft > 0)
            soften(&t[i]);
    }
    return sqrt(sum / (double)s->touches.count);
}

/* The change of impulses along a step: from p and what the solution sees. */
static void change(const tl_touch *t, double *out)
{
    for (int r = 0; r < 3; r++)
        out[r] = t->p[r] - tl_dot(t->k[r], t->seen);
}

/* The slope of the function that is to be least, at so much of the step. */
static double descent(const tl_system *s, const tl_wish *q, double part)
{
    const tl_touch *t = s->touches.data;
    double sum = 0;
    for (size_t i = 0; i < s->touches.count; i++) {
        double step[3], w[3], gamma[3], x[3], g[3], seen[3];
        change(&t[i], step);
        const double opened = t[i].soft * tl_dot(t[i].n, step);
        for (int k = 0; k < 3; k++) {
            w[k] = t[i].w[k] + part * t[i].seen[k];
            gamma[k] = t[i].gamma[k] + part * step[k];
            seen[k] = t[i].seen[k] + opened * t[i].n[k];
        }
        become(&t[i], &q[i], w, gamma, x, g);
        tl_sub(gamma, g, g);
        sum += tl_dot(g, seen);
    }
    return sum;
}

/* How much of a step to take: all of it, or where the slope nearly vanishes. */
static double length_of(const tl_system *s, const tl_wish *q)
{
    const double first = descent(s, q, 0);
    double low = 0, high = 1, at = 1;
    for (uint32_t i = 0; i < CUTS; i++) {
        const double now = descent(s, q, at);
        if ((at == 1 && now <= 0) || fabs(now) <= ENOUGH * fabs(first))
            break;
        *(now > 0 ? &high : &low) = at;
        at = 0.5 * (low + high);
    }
    return at;
}

static void move(tl_system *s, double part)
{
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        double step[3];
        change(&t[i], step);
        for (int k = 0; k < 3; k++)
            step[k] *= part;
        tl_system_push(s, &t[i], step);
    }
    tl_system_look(s);
}

/* Impulses become g, with the velocities that follow, and are the next multipliers. */
static void settle(tl_system *s, tl_wish *q)
{
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        double x[3];
        become(&t[i], &q[i], t[i].w, t[i].gamma, x, q[i].hat);
    }
    tl_wish_apply(s, q);
}

/* Velocities of the impulses. */
static void follow(tl_system *s)
{
    tl_touch *t = s->touches.data;
    tl_system_start(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        double impulse[3];
        memcpy(impulse, t[i].gamma, sizeof impulse);
        memset(t[i].gamma, 0, sizeof t[i].gamma);
        tl_system_push(s, &t[i], impulse);
    }
    tl_system_look(s);
}

void tl_wish_apply(tl_system *s, const tl_wish *q)
{
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++)
        memcpy(t[i].gamma, q[i].hat, sizeof t[i].gamma);
    follow(s);
}

/* The natural map's residual of a contact, m/s (docs/theory.md, "The residual"). */
static double residual_of(const tl_touch *t, double eta, bool coulomb)
{
    const tl_wish plain = {.saxce = 0};
    double w[3], x[3], g[3], tangent[3];
    velocity(t, &plain, t->w, t->gamma, w);
    across(t->n, w, tangent);
    const double slide = coulomb ? t->mu * tl_length(tangent) : 0;
    above(t, 1, t->gamma, x);
    for (int k = 0; k < 3; k++)
        x[k] -= eta * (w[k] + slide * t->n[k]);
    tl_cone_project(t->n, t->mu, x, g);
    above(t, -1, g, g);
    tl_sub(g, t->gamma, g);
    return tl_length(g) / eta;
}

/* A contact's part of the gap: the impulse times what is within the dual cone of the velocity, and
 * their sizes times what is not, as impulses elsewhere could use that: w = P*(w) - P(-w). */
static double gap_of(const tl_touch *t, const tl_wish *q, const double *at)
{
    double w[3], out[3], g[3];
    velocity(t, q, at, t->gamma, w);
    for (int k = 0; k < 3; k++)
        out[k] = -w[k];
    tl_cone_project(t->n, t->mu, out, out);
    for (int k = 0; k < 3; k++)
        w[k] += out[k];
    above(t, 1, t->gamma, g);
    return fabs(tl_dot(g, w)) + tl_length(g) * tl_length(out);
}

tl_certificate tl_certify(const tl_system *s, const tl_wish *q, bool coulomb)
{
    const tl_touch *t = s->touches.data;
    const double count = (double)s->touches.count;
    double gap = 0, energy = tl_system_energy(s, s->v.data, s->start.data), residual = 0, rough = 0,
           rough_gap = 0;
    for (size_t i = 0; i < s->touches.count; i++) {
        const double eta = t[i].eta[2] / (1 + t[i].soft * t[i].eta[2]);
        const double off = residual_of(&t[i], eta, coulomb), push = tl_dot(t[i].n, t[i].gamma);
        const double size = tl_length(t[i].gamma), last = DIGIT * size / eta;
        residual += off * off;
        rough += last * last;
        gap += gap_of(&t[i], &q[i], t[i].w);
        rough_gap += last * size;
        energy += 0.5 * t[i].soft * push * push;
    }
    const double scale = energy > 0 ? 1 / energy : 0;
    return (tl_certificate){sqrt(residual / count), energy > 0 || gap == 0 ? gap * scale : INFINITY,
                            sqrt(rough / count), rough_gap * scale};
}

/* The gap with velocities v + d: with any that joints allow, P - Q is 1/2 d . M d and what contacts
 * see of them, times impulses; and what d leaves of rows of joints, times theirs. */
static double gap_apart(const tl_system *s, const tl_wish *q)
{
    const tl_touch *t = s->touches.data;
    double gap = tl_system_energy(s, s->d.data, NULL);
    double energy = tl_system_energy(s, s->v.data, s->start.data);
    for (size_t i = 0; i < s->touches.count; i++) {
        const double push = tl_dot(t[i].n, t[i].gamma);
        double w[3];
        for (int k = 0; k < 3; k++)
            w[k] = t[i].w[k] + t[i].seen[k];
        gap += gap_of(&t[i], &q[i], w);
        energy += 0.5 * t[i].soft * push * push;
    }
    for (size_t i = 0; i < s->bonds.count; i++) {
        const tl_bond *bond = (const tl_bond *)s->bonds.data + i;
        if (!(bond->slope > 0))
            gap += fabs(bond->carried * tl_bond_see(s, s->d.data, bond));
    }
    return energy > 0 ? gap / energy : gap == 0 ? 0 : INFINITY;
}

/* How stiff contacts are in a round: multiples of the masses that they seem to carry. */
static void stiffen(const tl_system *s, tl_wish *q, double unit, double stiff)
{
    const tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        q[i].heavy = t[i].eta[2] + tl_length(q[i].hat) / unit;
        q[i].stiff = stiff * q[i].heavy;
    }
}

tl_status tl_certify_apart(tl_system *s, tl_wish *q, double unit, double stiff, double *gap)
{
    bool regular;
    stiffen(s, q, unit, stiff);
    prepare(s, q);
    *gap = INFINITY;
    TL_TRY(tl_system_factor(s, &regular));
    if (regular) {
        tl_system_solve(s);
        *gap = gap_apart(s, q);
    }
    return TL_OK;
}

bool tl_certificate_meets(const tl_certificate *c, const tl_goal *goal)
{
    return c->residual <= fmax(goal->residual, c->rough) &&
           (goal->coulomb || c->gap <= fmax(goal->gap, c->rough_gap));
}

tl_status tl_finish_tangent(tl_system *s, const tl_wish *q, bool *regular)
{
    prepare(s, q);
    return tl_system_factor(s, regular);
}

/* Whether what multipliers would become by now is good enough. Then they become that. */
static bool enough(tl_system *s, tl_wish *q, const tl_goal *goal)
{
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        double x[3], next[3];
        become(&t[i], &q[i], t[i].w, t[i].gamma, x, next);
        memcpy(q[i].was, t[i].gamma, sizeof next);
        memcpy(t[i].gamma, next, sizeof next);
    }
    follow(s);
    const tl_certificate now = tl_certify(s, q, goal->coulomb);
    const bool good = tl_certificate_meets(&now, goal);
    for (size_t i = 0; i < s->touches.count; i++)
        memcpy(good ? q[i].hat : t[i].gamma, good ? t[i].gamma : q[i].was, sizeof q[i].hat);
    if (!good)
        follow(s);
    return good;
}

tl_status tl_finish_round(tl_system *s, tl_wish *q, const tl_goal *goal, double unit, double stiff,
                          double target, double rounding, tl_finishing *out)
{
    double last = INFINITY;
    stiffen(s, q, unit, stiff);
    out->done = false;
    for (out->steps = 0; out->steps < INNER; out->steps++) {
        bool regular;
        if (out->steps && enough(s, q, goal)) {
            out->done = true;
            return TL_OK;
        }
        const double off = prepare(s, q);
        out->done = off <= target || (off <= rounding && !(off < 0.5 * last));
        if (out->done)
            break;
        last = off;
        TL_TRY(tl_system_factor(s, &regular));
        out->factorizations++;
        if (!regular)
            break;
        tl_system_solve(s);
        move(s, length_of(s, q));
    }
    if (out->done)
        settle(s, q);
    else
        tl_wish_apply(s, q); /* as it was */
    return TL_OK;
}
