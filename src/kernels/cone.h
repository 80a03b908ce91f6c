/* The cones that impulses are in, and moments: what a step leads to is put inside, and how far off
 * a solution is. Used by all solvers, one row at a time; wide_row.h projects those of a vector. */
#ifndef TL_KERNELS_CONE_H
#define TL_KERNELS_CONE_H

#include "kernels/real.h"

/* The projection onto the friction cone about n (document 001, after eq. 14), in a metric in which
 * what is along n weighs 1 and what is in the tangent plane `ratio`. */
TL_KERNEL void tlk_project(const real *n, real mu, real ratio, real *g)
{
    const real gn = tlk_dot(g, n);
    real t[3];
    for (int k = 0; k < 3; k++)
        t[k] = g[k] - gn * n[k];
    const real length = tlk_sqrt(tlk_dot(t, t));
    if (gn >= 0 && length <= mu * gn)
        return;
    const real part = ratio * mu;
    if (part * length <= -gn) {
        g[0] = g[1] = g[2] = 0;
        return;
    }
    const real normal = (gn + part * length) / (1 + part * mu);
    const real scale = length > 0 ? mu * normal / length : 0;
    for (int k = 0; k < 3; k++)
        g[k] = normal * n[k] + scale * t[k];
}

/* The same about a cone whose tip is where the contact pulls with all of its cohesion. */
TL_KERNEL void tlk_project_cohesive(const real *n, real mu, real ratio, real cohesion, real *g)
{
    for (int k = 0; k < 3 && cohesion > 0; k++)
        g[k] += cohesion * n[k];
    tlk_project(n, mu, ratio, g);
    for (int k = 0; k < 3 && cohesion > 0; k++)
        g[k] -= cohesion * n[k];
}

/* What a law makes of the impulse that a step leads to. The cone law: its projection. Coulomb's:
 * the normal impulse first, then the tangential within what that allows; what this leaves as it is
 * satisfies Coulomb's law (docs/theory.md, "Coulomb's law by gradients"). */
TL_KERNEL void tlk_limit(bool coulomb, const real *n, real mu, real cohesion, real *g)
{
    if (!coulomb) {
        tlk_project_cohesive(n, mu, 1, cohesion, g);
        return;
    }
    const real gn = tlk_dot(g, n), normal = tlk_max(gn, 0 - cohesion);
    const real most = mu * (normal + cohesion);
    real t[3];
    for (int k = 0; k < 3; k++)
        t[k] = g[k] - gn * n[k];
    const real length = tlk_sqrt(tlk_dot(t, t));
    const real scale = length > most ? most / length : (real)1;
    for (int k = 0; k < 3; k++)
        g[k] = normal * n[k] + scale * t[k];
}

/* Puts a moment within what a normal impulse, cohesion counted, allows about the normal and in the
 * tangent plane. */
TL_KERNEL void tlk_limit_moment(const real *n, real rolling, real spinning, real normal,
                                real *moment)
{
    const real about = tlk_dot(moment, n), most = spinning * normal;
    const real spin = tlk_max(tlk_min(about, most), -most), limit = rolling * normal;
    real t[3];
    for (int k = 0; k < 3; k++)
        t[k] = moment[k] - about * n[k];
    const real square = tlk_dot(t, t);
    const real scale = square > limit * limit ? limit / tlk_sqrt(square) : (real)1;
    for (int k = 0; k < 3; k++)
        moment[k] = spin * n[k] + scale * t[k];
}

/* The natural map's residual of one row, m/s (docs/theory.md, "The residual"): |g - P(g - eta w)| /
 * eta with w = u + bias n, and for the Coulomb law w + mu |w_t| n. */
TL_KERNEL real tlk_cone_residual(bool coulomb, const real *n, real mu, real cohesion, real eta,
                                 const real *g, const real *u)
{
    real w[3] = {u[0], u[1], u[2]}, next[3];
    if (coulomb) {
        const real wn = tlk_dot(w, n);
        real t[3];
        for (int k = 0; k < 3; k++)
            t[k] = w[k] - wn * n[k];
        const real slide = mu * tlk_sqrt(tlk_dot(t, t));
        for (int k = 0; k < 3; k++)
            w[k] += slide * n[k];
    }
    for (int k = 0; k < 3; k++)
        next[k] = g[k] - eta * w[k];
    tlk_project_cohesive(n, mu, 1, cohesion, next);
    for (int k = 0; k < 3; k++)
        next[k] = g[k] - next[k];
    return tlk_sqrt(tlk_dot(next, next)) / eta;
}

#endif
