/* The kernels of the gradient solvers, apgd and spg (docs/theory.md): what a slot of their loop
 * runs.
 *
 *   gradient_step    rows     z = P(y - t eta (N y + r)), y beyond x by beta; P of the law
 *   gradient_blocks  blocks   v = M^-1 D z
 *   gradient_rows    a fold   N z = D^T v, and the sums to decide by
 *   ..._decide       one item whether z is the next x, and the next t and beta
 *   spg_move         rows     spg alone: z moved back towards the last point
 *
 * Nothing of this waits for the host. Vectors are never copied: deciding gives them other names
 * (tlk_descent). A refused trial changes t alone, and when the record says `done` nothing changes,
 * so that a list of slots may be longer than what is needed of it. */
#ifndef TL_KERNELS_DESCENT_H
#define TL_KERNELS_DESCENT_H

#include "kernels/solve.h"

#define TLK_BACKTRACK  40u  /* trials of an iteration, at most */
#define TLK_SUFFICIENT 1e-4 /* of the predicted decrease, for spg to go all the way */
#define TLK_FASTEST    0.95 /* of its last change that apgd makes once more under Coulomb's law */

TL_KERNEL real *tlk_point(const tlk_problem *p, uint32_t which, uint32_t s)
{
    return p->points + 4 * ((size_t)p->rows * which + s);
}

TL_KERNEL real *tlk_image(const tlk_problem *p, uint32_t which)
{
    return p->images + 3 * (size_t)p->rows * which;
}

/* One row of the point y that the step starts from, and of its image; and of x. */
TL_KERNEL void tlk_load_start(const tlk_problem *p, const tlk_descent *c, uint32_t s, real *x,
                              real *y, real *ny)
{
    const real beta = (real)c->beta;
    tlk_load4(tlk_point(p, c->x, s), x);
    tlk_load3(tlk_image(p, c->nx), s, ny);
    for (int k = 0; k < 3; k++)
        y[k] = x[k];
    if (beta == 0)
        return;
    real old[4], nold[3];
    tlk_load4(tlk_point(p, c->old, s), old);
    tlk_load3(tlk_image(p, c->nold), s, nold);
    for (int k = 0; k < 3; k++) {
        y[k] += beta * (x[k] - old[k]);
        ny[k] += beta * (ny[k] - nold[k]);
    }
}

/* One row: the projected gradient step. */
TL_KERNEL void tlk_gradient_step(const tlk_problem *p, uint32_t s)
{
    const tlk_descent *c = p->descent;
    if (c->done)
        return;
    /* all loads first: on a GPU they are under way together */
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    const real n[3] = {head[0], head[TLK_LANES], head[2 * TLK_LANES]};
    const real part = (real)(1 - p->spared);
    const real mu = p->frictionless ? (real)0 : part * head[3 * TLK_LANES];
    const real cohesion = p->material ? p->material[tlk_at(s, 4, TLK_MATERIAL)] : (real)0;
    real x[4], z[4], ny[3], r[3];
    tlk_load_start(p, c, s, x, z, ny);
    tlk_load3(p->r, s, r);
    const real step = (real)c->t * x[3];
    z[3] = x[3];
    if (z[3] != 0) {
        for (int k = 0; k < 3; k++)
            z[k] -= step * (ny[k] + r[k]);
        tlk_limit(p->coulomb, n, mu, cohesion, z);
    }
    tlk_store4(tlk_point(p, c->z, s), z);
}

/* One block: v = M^-1 D z, the first half of the operator N = D^T M^-1 D. */
TL_KERNEL void tlk_gradient_blocks(const tlk_problem *p, uint32_t i)
{
    const tlk_descent *c = p->descent;
    if (c->done)
        return;
    real free[8], vel[8];
    tlk_load8(p->free + 8 * (size_t)i, free);
    tlk_gather(p, i, tlk_point(p, c->z, 0), free, vel);
    tlk_store8(p->vel + 8 * (size_t)i, vel);
}

/* One row: N z, the second half, where blocks that do not move are at rest; and the numbers that a
 * gradient solver decides by, with d = z - y, e = z - x, g = N y + r:
 * 0: d.N d   1: d.d/eta   2: g.e   3: squared residual of z   4: rows
 * 5: g.d     6: N d . eta N d   7: z.(N z / 2 + r) */
TL_KERNEL void tlk_gradient_rows(const tlk_problem *p, uint32_t s, double *acc)
{
    const tlk_descent *c = p->descent;
    if (c->done)
        return;
    tlk_row row = tlk_load_row(p, s);
    row.mu *= (real)(1 - p->spared);
    real x[4], y[3], ny[3], z[4], nz[3], r[3], u[3];
    tlk_load4(tlk_point(p, c->z, s), z);
    tlk_load_start(p, c, s, x, y, ny);
    tlk_load3(p->r, s, r);
    if (row.a == TLK_NONE)
        return;
    const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    tlk_row_velocity(p, &row, &pair, nz);
    if (p->material) /* compliance is a part of the operator */
        for (int k = 0; k < 3; k++)
            nz[k] += row.material.soft * tlk_dot(z, row.n) * row.n[k];
    tlk_store3(tlk_image(p, c->nz), s, nz);
    double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const double d = (double)z[k] - y[k], nd = (double)nz[k] - ny[k], g = (double)ny[k] + r[k];
        sum[0] += d * nd;
        sum[1] += d * d / z[3];
        sum[2] += g * ((double)z[k] - x[k]);
        sum[5] += g * d;
        sum[6] += nd * nd * z[3];
        sum[7] += z[k] * (0.5 * (double)nz[k] + r[k]);
        u[k] = nz[k] + r[k];
    }
    const double residual =
        tlk_cone_residual(p->coulomb, row.n, row.mu, tlk_row_cohesion(p, &row), z[3], z, u);
    sum[3] = residual * residual;
    sum[4] = 1;
    for (int k = 0; k < 8; k++)
        acc[k] += sum[k];
}

/* The first of some places that is none of these three. */
TL_KERNEL uint32_t tlk_free_place(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t place = 0;
    while (place == a || place == b || place == c)
        place++;
    return place;
}

/* z has become x, or is the start: is it the best so far, is this the end, and where does the next
 * trial go? */
TL_KERNEL void tlk_arrive(tlk_descent *c, const double *dots, bool candidate)
{
    const double residual = sqrt(dots[3] / dots[4]);
    if (candidate && residual < c->residual) {
        c->residual = residual;
        c->best = c->x;
    }
    c->z = tlk_free_place(c->x, c->old, c->best);
    c->nz = tlk_free_place(c->nx, c->nold, c->nold);
    c->done = !(c->iterations < c->limit && c->residual > c->tolerance);
}

TL_KERNEL void tlk_accept(tlk_descent *c)
{
    c->iterations++;
    c->tries = 0;
    c->old = c->x;
    c->nold = c->nx;
    c->x = c->z;
    c->nx = c->nz;
}

/* One item: the start, which may be the best there is. */
TL_KERNEL void tlk_gradient_start(const tlk_problem *p, uint32_t i)
{
    tlk_descent *c = p->descent;
    (void)i;
    c->residual = sqrt(p->dots[3] / p->dots[4]);
    c->objective = c->history[0] = p->dots[7];
    tlk_arrive(c, p->dots, false);
}

/* One item: cuts t where the quadratic model does not hold for the trial; else moves on, faster
 * and faster while that goes downhill. Under Coulomb's law, which has no potential, what slips
 * leads downhill all the time: there it may not go ever faster. */
TL_KERNEL void tlk_apgd_decide(const tlk_problem *p, uint32_t i)
{
    tlk_descent *c = p->descent;
    const double *dots = p->dots;
    (void)i;
    if (c->done)
        return;
    if (!(dots[0] * c->t <= dots[1] * (1 + 1e-6))) {
        const double fit = 0.95 * (dots[1] / dots[0]), most = 0.9 * c->t, least = 0.5 * c->t;
        const double cut = tlk_min(fit, most);
        c->t = tlk_max(least, cut);
        if (++c->tries < TLK_BACKTRACK)
            return;
    }
    tlk_accept(c);
    if (dots[2] > 0) {
        /* the step from the last point went uphill: start the acceleration anew from here */
        c->theta = 1;
        c->beta = 0;
    } else {
        const double square = c->theta * c->theta;
        const double next = 0.5 * (sqrt(square * square + 4 * square) - square);
        c->beta = c->theta * (1 - c->theta) / (square + next);
        if (p->coulomb)
            c->beta = tlk_min(c->beta, TLK_FASTEST);
        c->theta = next;
    }
    c->t *= 1.05;
    tlk_arrive(c, dots, true);
}

/* The largest of the last objectives. */
TL_KERNEL double tlk_highest(const tlk_descent *c)
{
    double most = c->history[0];
    for (uint32_t i = 1; i < c->iterations && i < TLK_HISTORY; i++)
        most = tlk_max(most, c->history[i]);
    return most;
}

/* One item: how much of the way to the trial to go, and the next step length, the two of Barzilai
 * and Borwein in turn. */
TL_KERNEL void tlk_spg_decide(const tlk_problem *p, uint32_t i)
{
    tlk_descent *c = p->descent;
    const double *dots = p->dots, curvature = dots[0], slope = dots[5];
    (void)i;
    if (c->done)
        return;
    tlk_accept(c);
    if (!(dots[1] > 0)) {
        c->done = 1; /* no step left */
        return;
    }
    const double full = c->objective + slope + 0.5 * curvature;
    const bool enough = full <= tlk_highest(c) + TLK_SUFFICIENT * slope;
    /* near the solution rounding may turn the slope's sign: never step backwards, out of the
     * cones */
    const bool whole = enough || !(curvature > 0) || !(slope < 0) || -slope >= curvature;
    c->part = whole ? 1 : -slope / curvature;
    c->objective += c->part * slope + 0.5 * c->part * c->part * curvature;
    c->history[c->iterations % TLK_HISTORY] = c->objective;
    if (curvature > 0)
        c->t = c->iterations & 1 ? dots[1] / curvature : curvature / dots[6];
    c->t = tlk_min(tlk_max(c->t, 1e-6), 1e6);
    tlk_arrive(c, dots, whole);
}

/* One row of spg's point, where it goes part of the way only. */
TL_KERNEL void tlk_spg_move(const tlk_problem *p, uint32_t s)
{
    const tlk_descent *c = p->descent;
    if (c->done || c->part == 1)
        return;
    const real part = (real)c->part;
    real x[4], old[4], nx[3], nold[3];
    tlk_load4(tlk_point(p, c->x, s), x);
    tlk_load4(tlk_point(p, c->old, s), old);
    tlk_load3(tlk_image(p, c->nx), s, nx);
    tlk_load3(tlk_image(p, c->nold), s, nold);
    for (int k = 0; k < 3; k++) {
        x[k] = old[k] + part * (x[k] - old[k]);
        nx[k] = nold[k] + part * (nx[k] - nold[k]);
    }
    tlk_store4(tlk_point(p, c->x, s), x);
    tlk_store3(tlk_image(p, c->nx), s, nx);
}

#endif
