/* The solvers' kernels: everything is a function of the problem (tlk_problem) and one row or block.
 *
 * An impulse gamma is a 3-vector in the row's axes (the world's), on body b; -gamma acts on a. The
 * row's velocity is u = D^T v, b's surface against a's. With the normal n, gamma = gamma_n n +
 * gamma_t. */
#ifndef TL_KERNELS_SOLVE_H
#define TL_KERNELS_SOLVE_H

#include "kernels/cone.h"
#include "kernels/material.h"

/* A row, of either kind: what kernels need of it. Those that know the kind, or do without a part,
 * have the compiler leave it out. */
typedef struct tlk_row {
    real n[3], mu;
    uint32_t a, b;
    bool anchors;            /* an anchor row; else central */
    real anchor_a, anchor_b; /* of a central row */
    real ra[3], rb[3];       /* of an anchor row; rb of a central row, too, where b is a wall */
    real eta[3];             /* of an anchor row */
    real ia[8], ib[8];       /* of an anchor row: inverse inertias, as tlk_problem.inverse */
    tlk_material material;   /* where the problem has any */
} tlk_row;

/* The anchors of an anchor row, what its blocks' inertias are and its step lengths. */
TL_KERNEL void tlk_load_anchors(const tlk_problem *p, uint32_t s, tlk_row *row)
{
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    const real *anchors = p->anchors + tlk_at(s - p->anchor_base, 0, TLK_ANCHORS);
    for (int k = 0; k < 3; k++) {
        row->ra[k] = anchors[k * TLK_LANES];
        row->rb[k] = anchors[(3 + k) * TLK_LANES];
    }
    row->eta[0] = head[4 * TLK_LANES];
    row->eta[1] = head[5 * TLK_LANES];
    row->eta[2] = anchors[6 * TLK_LANES];
    tlk_load8(p->inverse + 8 * (size_t)row->a, row->ia);
    tlk_load8(p->inverse + 8 * (size_t)row->b, row->ib);
}

TL_KERNEL tlk_row tlk_load_row(const tlk_problem *p, uint32_t s)
{
    tlk_row row;
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    for (int f = 0; f < 3; f++)
        row.n[f] = head[f * TLK_LANES];
    row.mu = p->frictionless ? (real)0 : head[3 * TLK_LANES];
    row.anchor_a = head[4 * TLK_LANES];
    row.anchor_b = head[5 * TLK_LANES];
    row.a = p->a[s];
    row.b = p->b[s];
    row.anchors = s >= p->anchor_base && row.a != TLK_NONE;
    const bool wall = s < p->anchor_base && p->wall && row.b >= p->moving;
    for (uint32_t k = 0; k < 3; k++) {
        row.ra[k] = 0;
        row.rb[k] = wall ? p->wall[tlk_at(s, k, 3)] : (real)0;
    }
    if (row.anchors)
        tlk_load_anchors(p, s, &row);
    if (p->material && row.a != TLK_NONE)
        tlk_load_material(p, s, &row.material);
    return row;
}

TL_KERNEL void tlk_load3(const real *array, uint32_t s, real *out)
{
    const real *at = array + tlk_at(s, 0, 3);
    out[0] = at[0], out[1] = at[TLK_LANES], out[2] = at[2 * TLK_LANES];
}

TL_KERNEL void tlk_store3(real *array, uint32_t s, const real *v)
{
    real *at = array + tlk_at(s, 0, 3);
    at[0] = v[0], at[TLK_LANES] = v[1], at[2 * TLK_LANES] = v[2];
}

/* The velocities of a row's two blocks, in registers. */
typedef struct tlk_pair {
    real a[8], b[8];
} tlk_pair;

/* From the velocity of the wall of a central row to that of its surface at the contact, which is
 * all that the row sees of it. */
TL_KERNEL void tlk_wall_surface(const tlk_row *row, real *vb)
{
    real t[3];
    tlk_cross(vb + 4, row->rb, t);
    for (int k = 0; k < 3; k++)
        vb[k] += t[k];
}

TL_KERNEL tlk_pair tlk_load_pair(const tlk_problem *p, const tlk_row *row, const real *vel)
{
    tlk_pair pair;
    tlk_load8(vel + 8 * (size_t)row->a, pair.a);
    tlk_load8(vel + 8 * (size_t)row->b, pair.b);
    if (!row->anchors && p->wall && row->b >= p->moving)
        tlk_wall_surface(row, pair.b);
    return pair;
}

/* Blocks that do not move are never written. */
TL_KERNEL void tlk_store_pair(const tlk_problem *p, const tlk_row *row, const tlk_pair *pair,
                              real *vel)
{
    tlk_store8(vel + 8 * (size_t)row->a, pair->a);
    if (row->b < p->moving)
        tlk_store8(vel + 8 * (size_t)row->b, pair->b);
}

/* u = D^T v of one row (eq. 15). */
TL_KERNEL void tlk_row_velocity(const tlk_problem *p, const tlk_row *row, const tlk_pair *pair,
                                real *u)
{
    const real *va = pair->a, *vb = pair->b;
    real w[3], t[3];
    if (row->anchors) {
        tlk_cross(va + 4, row->ra, t);
        tlk_cross(vb + 4, row->rb, w);
        for (int k = 0; k < 3; k++)
            u[k] = (vb[k] + w[k]) - (va[k] + t[k]);
        return;
    }
    if (p->frictionless) {
        /* only the part along the normal counts, and there turning does not move the surface */
        for (int k = 0; k < 3; k++)
            u[k] = vb[k] - va[k];
        return;
    }
    for (int k = 0; k < 3; k++)
        w[k] = row->anchor_a * va[4 + k] + row->anchor_b * vb[4 + k];
    tlk_cross(w, row->n, t);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k] - t[k];
}

/* What a row can pull with, N s. */
TL_KERNEL real tlk_row_cohesion(const tlk_problem *p, const tlk_row *row)
{
    return p->material ? row->material.cohesion : (real)0;
}

/* What a row with materials slides at, and what its own impulse along the normal, gn, opens it by:
 * added to u = D^T v. */
TL_KERNEL void tlk_add_material(const tlk_problem *p, const tlk_row *row, real gn, real *u)
{
    if (!p->material)
        return;
    for (int k = 0; k < 3; k++)
        u[k] += row->material.slide[k] + row->material.soft * gn * row->n[k];
}

/* What the impulse of a row changes: of a, which loses it, and of b; 1/m gamma, and of the angular
 * velocity what both lose. */
typedef struct tlk_change {
    real a[6], b[6];
} tlk_change;

/* The product of a symmetric matrix, as tlk_problem.inverse, with a vector. */
TL_KERNEL void tlk_symmetric(const real *m, const real *x, real *out)
{
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

/* mass: 1/m of a and b, 1/I of a and b. */
TL_KERNEL tlk_change tlk_row_change(const tlk_row *row, const real *gamma, const real *mass)
{
    tlk_change c;
    real t[3];
    for (int k = 0; k < 3; k++) {
        c.a[k] = mass[0] * gamma[k];
        c.b[k] = mass[1] * gamma[k];
    }
    if (row->anchors) {
        tlk_cross(row->ra, gamma, t);
        tlk_symmetric(row->ia, t, c.a + 3);
        tlk_cross(gamma, row->rb, t);
        tlk_symmetric(row->ib, t, c.b + 3);
        return c;
    }
    tlk_cross(row->n, gamma, t);
    const real ia = mass[2] * row->anchor_a, ib = mass[3] * row->anchor_b;
    for (int k = 0; k < 3; k++) {
        c.a[3 + k] = ia * t[k];
        c.b[3 + k] = ib * t[k];
    }
    return c;
}

TL_KERNEL void tlk_apply_change(const tlk_change *c, tlk_pair *pair)
{
    for (int k = 0; k < 3; k++) {
        pair->a[k] -= c->a[k];
        pair->b[k] += c->b[k];
        pair->a[4 + k] -= c->a[3 + k];
        pair->b[4 + k] -= c->b[3 + k];
    }
}

/* Adds what a change makes of the velocity of an anchor row. */
TL_KERNEL void tlk_add_velocity(const tlk_row *row, const tlk_change *c, real *u)
{
    real ta[3], tb[3];
    tlk_cross(c->a + 3, row->ra, ta);
    tlk_cross(c->b + 3, row->rb, tb);
    for (int k = 0; k < 3; k++)
        u[k] += (c->a[k] + c->b[k]) + (ta[k] - tb[k]);
}

/* Adds M^-1 D gamma of one row to the velocities of its blocks (eq. 17). */
TL_KERNEL void tlk_row_push(const tlk_problem *p, const tlk_row *row, const real *gamma,
                            tlk_pair *pair)
{
    real *va = pair->a, *vb = pair->b;
    if (p->frictionless && !row->anchors) {
        /* along the normal: the anchors are parallel to it */
        for (int k = 0; k < 3; k++) {
            va[k] -= va[3] * gamma[k];
            vb[k] += vb[3] * gamma[k];
        }
        return;
    }
    const real mass[4] = {va[3], vb[3], va[7], vb[7]};
    const tlk_change change = tlk_row_change(row, gamma, mass);
    tlk_apply_change(&change, pair);
}

/* Adds what the moment of a row changes: of b, and of a, which has the opposite one. */
TL_KERNEL void tlk_row_turn(const tlk_row *row, const real *moment, tlk_pair *pair)
{
    real *wa = pair->a + 4, *wb = pair->b + 4, ta[3], tb[3];
    if (row->anchors) {
        tlk_symmetric(row->ia, moment, ta);
        tlk_symmetric(row->ib, moment, tb);
    } else {
        for (int k = 0; k < 3; k++) {
            ta[k] = wa[3] * moment[k];
            tb[k] = wb[3] * moment[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        wa[k] -= ta[k];
        wb[k] += tb[k];
    }
}

/* The moment that the spin left by a row's impulse, `normal` with cohesion, leads to. */
TL_KERNEL void tlk_next_moment(const tlk_row *row, const tlk_pair *pair, real omega, real normal,
                               real *moment)
{
    for (int k = 0; k < 3; k++)
        moment[k] -= omega * row->material.step * (pair->b[4 + k] - pair->a[4 + k]);
    tlk_limit_moment(row->n, row->material.rolling, row->material.spinning, normal, moment);
}

/* One row's step against rolling and spinning, after that of its impulse. */
TL_KERNEL void tlk_psor_moment(const tlk_problem *p, const tlk_row *row, const real *gamma,
                               tlk_pair *pair, real *moment)
{
    const real normal = tlk_dot(gamma, row->n) + row->material.cohesion;
    real change[3] = {-moment[0], -moment[1], -moment[2]};
    tlk_next_moment(row, pair, (real)p->omega, normal, moment);
    for (int k = 0; k < 3; k++)
        change[k] += moment[k];
    tlk_row_turn(row, change, pair);
}

/* Step lengths of a row: along the normal, in the tangent plane, and 3 / trace for all (Algorithm 1
 * of document 002). */
TL_KERNEL void tlk_row_eta(const tlk_row *row, const tlk_pair *pair, real *eta)
{
    if (row->anchors) {
        for (int k = 0; k < 3; k++)
            eta[k] = row->eta[k];
        return;
    }
    const real *va = pair->a, *vb = pair->b;
    const real kn = va[3] + vb[3];
    const real kt =
        kn + (row->anchor_a * row->anchor_a * va[7] + row->anchor_b * row->anchor_b * vb[7]);
    eta[0] = 1 / kn;
    eta[1] = 1 / kt;
    eta[2] = 3 / (kn + 2 * kt);
}

/* The last of these, shorter where the contact is compliant. */
TL_KERNEL real tlk_whole_eta(const tlk_problem *p, const tlk_row *row, const tlk_pair *pair)
{
    real eta[3];
    tlk_row_eta(row, pair, eta);
    return p->material ? eta[2] / (1 + row->material.soft * eta[2]) : eta[2];
}

/* How many rows an item has at most. */
TL_KERNEL uint32_t tlk_item_rows(const tlk_problem *p, uint32_t item)
{
    return item < p->anchor_base ? 1 : p->item_rows;
}

/* One item, in its colour's turn: adds the impulses its rows start with. */
TL_KERNEL void tlk_psor_start(const tlk_problem *p, uint32_t item)
{
    const uint32_t first = tlk_item_row(item, p->anchor_base, p->item_rows);
    for (uint32_t k = 0; k < tlk_item_rows(p, item); k++) {
        const uint32_t s = first + k * TLK_LANES;
        const tlk_row row = tlk_load_row(p, s);
        if (row.a == TLK_NONE)
            return;
        tlk_pair pair = tlk_load_pair(p, &row, p->vel);
        real gamma[3];
        tlk_load3(p->gamma, s, gamma);
        tlk_row_push(p, &row, gamma, &pair);
        if (p->moment) {
            tlk_load3(p->moment, s, gamma);
            tlk_row_turn(&row, gamma, &pair);
        }
        tlk_store_pair(p, &row, &pair, p->vel);
    }
}

/* One row's Gauss-Seidel step with Coulomb friction: the normal first, then the tangential impulse
 * in the disc that the new normal impulse allows. u has what tlk_add_material adds. */
TL_KERNEL void tlk_psor_coulomb(const tlk_problem *p, real bias, const tlk_row *row,
                                const tlk_pair *pair, const real *u, const real *eta, real *gamma)
{
    const real omega = (real)p->omega;
    const real un = tlk_dot(u, row->n), gn = tlk_dot(gamma, row->n);
    const real soft = p->material ? row->material.soft : (real)0;
    const real cohesion = tlk_row_cohesion(p, row);
    const real step = soft > 0 ? eta[0] / (1 + soft * eta[0]) : eta[0];
    const real next = tlk_max(gn - omega * step * (un + bias), 0 - cohesion);
    real slip[3] = {u[0], u[1], u[2]}, t[3];
    if (row->anchors) {
        /* here the normal impulse may turn the bodies: look at the slip it leaves */
        const real mass[4] = {pair->a[3], pair->b[3], pair->a[7], pair->b[7]};
        real push[3];
        for (int k = 0; k < 3; k++)
            push[k] = (next - gn) * row->n[k];
        const tlk_change change = tlk_row_change(row, push, mass);
        tlk_add_velocity(row, &change, slip);
    }
    const real sn = tlk_dot(slip, row->n);
    for (int k = 0; k < 3; k++)
        t[k] = gamma[k] - gn * row->n[k] - omega * eta[1] * (slip[k] - sn * row->n[k]);
    const real square = tlk_dot(t, t), limit = row->mu * (next + cohesion);
    const real scale = square > limit * limit ? limit / tlk_sqrt(square) : (real)1;
    for (int k = 0; k < 3; k++)
        gamma[k] = next * row->n[k] + scale * t[k];
}

/* The same with the cone law. The projection is in the metric of the two steps, so that a central
 * row comes to where the objective is least, with omega 1. In anchor rows the normal and the
 * tangent plane are coupled: there half of both is what never goes too far. */
TL_KERNEL void tlk_psor_cone(const tlk_problem *p, real bias, const tlk_row *row, const real *u,
                             const real *eta, real *gamma)
{
    const real omega = row->anchors ? (real)(0.5 * p->omega) : (real)p->omega;
    const real soft = p->material ? row->material.soft : (real)0, un = tlk_dot(u, row->n);
    const real step = soft > 0 ? eta[0] / (1 + soft * eta[0]) : eta[0];
    const real along = omega * step * (un + bias), across = omega * eta[1];
    for (int k = 0; k < 3; k++)
        gamma[k] -= along * row->n[k] + across * (u[k] - un * row->n[k]);
    tlk_project_cohesive(row->n, row->mu, step / eta[1], tlk_row_cohesion(p, row), gamma);
}

/* One anchor row's step without friction. */
TL_KERNEL void tlk_anchor_normal(const tlk_problem *p, real bias, const tlk_row *row, const real *u,
                                 real *gamma)
{
    const real un = tlk_dot(u, row->n), gn = tlk_dot(gamma, row->n);
    const real next = tlk_max(gn - (real)p->omega * row->eta[0] * (un + bias), (real)0);
    for (int k = 0; k < 3; k++)
        gamma[k] = next * row->n[k];
}

/* The step of one central row without friction: only linear velocities count, and the inverse
 * masses behind them. */
TL_KERNEL void tlk_normal_step(const tlk_problem *p, const real *n, real bias, real *va, real *vb,
                               real *gamma)
{
    real u[3];
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k];
    const real un = tlk_dot(u, n), gn = tlk_dot(gamma, n);
    const real eta = 1 / (va[3] + vb[3]);
    const real next = tlk_max(gn - (real)p->omega * eta * (un + bias), (real)0);
    for (int k = 0; k < 3; k++) {
        const real value = next * n[k], change = value - gamma[k];
        gamma[k] = value;
        va[k] -= va[3] * change;
        vb[k] += vb[3] * change;
    }
}

/* The same between the blocks of a row. */
TL_KERNEL void tlk_psor_normal(const tlk_problem *p, const tlk_row *row, real bias, real *gamma)
{
    real *at_a = p->vel + 8 * (size_t)row->a, *at_b = p->vel + 8 * (size_t)row->b;
    real va[4], vb[8];
    tlk_load4(at_a, va);
    tlk_load4(at_b, vb);
    if (p->wall && row->b >= p->moving) {
        tlk_load4(at_b + 4, vb + 4);
        tlk_wall_surface(row, vb);
    }
    tlk_normal_step(p, row->n, bias, va, vb, gamma);
    tlk_store4(at_a, va);
    if (row->b < p->moving)
        tlk_store4(at_b, vb);
}

/* One row: one projected Gauss-Seidel step; false where there is none. */
TL_KERNEL bool tlk_psor_row(const tlk_problem *p, uint32_t s)
{
    const tlk_row row = tlk_load_row(p, s);
    if (row.a == TLK_NONE)
        return false;
    real u[3], gamma[3], old[3], eta[3];
    if (p->frictionless && !row.anchors) {
        tlk_load3(p->gamma, s, gamma);
        tlk_psor_normal(p, &row, p->bias[s], gamma);
        tlk_store3(p->gamma, s, gamma);
        return true;
    }
    tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    tlk_row_velocity(p, &row, &pair, u);
    tlk_row_eta(&row, &pair, eta);
    tlk_load3(p->gamma, s, gamma);
    tlk_add_material(p, &row, tlk_dot(gamma, row.n), u);
    for (int k = 0; k < 3; k++)
        old[k] = gamma[k];
    if (p->frictionless) {
        tlk_anchor_normal(p, p->bias[s], &row, u, gamma);
    } else if (p->coulomb) {
        tlk_psor_coulomb(p, p->bias[s], &row, &pair, u, eta, gamma);
    } else {
        tlk_psor_cone(p, p->bias[s], &row, u, eta, gamma);
    }
    tlk_store3(p->gamma, s, gamma);
    for (int k = 0; k < 3; k++)
        old[k] = gamma[k] - old[k];
    tlk_row_push(p, &row, old, &pair);
    if (p->moment) {
        real moment[3];
        tlk_load3(p->moment, s, moment);
        tlk_psor_moment(p, &row, gamma, &pair, moment);
        tlk_store3(p->moment, s, moment);
    }
    tlk_store_pair(p, &row, &pair, p->vel);
    return true;
}

/* One item: a step of its rows, one after the other; no other item of the range moves its bodies.
 */
TL_KERNEL void tlk_psor_sweep(const tlk_problem *p, uint32_t item)
{
    const uint32_t first = tlk_item_row(item, p->anchor_base, p->item_rows);
    for (uint32_t k = 0; k < tlk_item_rows(p, item); k++)
        if (!tlk_psor_row(p, first + k * TLK_LANES))
            return;
}

/* One row: its impulse and step length into x, and for gradient solvers r = D^T free + bias n, the
 * right-hand side of the optimisation problem. */
TL_KERNEL void tlk_impulses_in(const tlk_problem *p, uint32_t s)
{
    const tlk_row row = tlk_load_row(p, s);
    real x[4] = {0, 0, 0, 0}, u[3];
    if (row.a == TLK_NONE) {
        tlk_store4(p->x + 4 * (size_t)s, x);
        return;
    }
    const tlk_pair pair = tlk_load_pair(p, &row, p->free);
    tlk_load3(p->gamma, s, x);
    x[3] = tlk_whole_eta(p, &row, &pair);
    tlk_store4(p->x + 4 * (size_t)s, x);
    if (!p->r)
        return;
    tlk_row_velocity(p, &row, &pair, u);
    tlk_add_material(p, &row, 0, u);
    for (int k = 0; k < 3; k++)
        u[k] += p->bias[s] * row.n[k];
    tlk_store3(p->r, s, u);
}

/* One row: its impulse back from x. */
TL_KERNEL void tlk_impulses_out(const tlk_problem *p, uint32_t s)
{
    real x[4];
    tlk_load4(p->x + 4 * (size_t)s, x);
    if (x[3] != 0)
        tlk_store3(p->gamma, s, x);
}

/* One row of the fixed-point iteration of the sources (eq. 12, step 5 of Algorithm 1), on x; for
 * Coulomb's law with its own limits in place of the projection. */
TL_KERNEL void tlk_jacobi_step(const tlk_problem *p, uint32_t s)
{
    const tlk_row row = tlk_load_row(p, s);
    if (row.a == TLK_NONE)
        return;
    const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    real u[3], x[4], next[3];
    tlk_row_velocity(p, &row, &pair, u);
    tlk_load4(p->x + 4 * (size_t)s, x);
    tlk_add_material(p, &row, tlk_dot(x, row.n), u);
    const real step = (real)p->omega * x[3], bias = p->bias[s], lambda = (real)p->lambda;
    for (int k = 0; k < 3; k++)
        next[k] = x[k] - step * (u[k] + bias * row.n[k]);
    tlk_limit(p->coulomb, row.n, row.mu, tlk_row_cohesion(p, &row), next);
    for (int k = 0; k < 3; k++)
        x[k] = lambda * next[k] + (1 - lambda) * x[k];
    tlk_store4(p->x + 4 * (size_t)s, x);
}

/* One block: the velocity change that the impulses in `x` make, gathered over its list of rows in
 * order (eq. 14), with the block's inverse masses as every velocity has them. */
TL_KERNEL void tlk_gather(const tlk_problem *p, uint32_t i, const real *x, const real *free,
                          real *out)
{
    real push[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    const uint32_t end = p->list_end[i];
    for (uint32_t l = p->list_begin[i]; l < end; l++) {
        const uint32_t s = p->list[l] >> 1, side = p->list[l] & 1;
        real gamma[4], anchor[4], t[3];
        tlk_load4(x + 4 * (size_t)s, gamma);
        tlk_load4(p->sides + 4 * (size_t)l, anchor);
        tlk_cross(anchor, gamma, t);
        for (int k = 0; k < 3; k++) {
            push[k] += side ? gamma[k] : -gamma[k];
            turn[k] -= anchor[3] * t[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        out[k] = free[3] * push[k];
        out[4 + k] = free[7] * turn[k];
    }
    if (p->inverse) {
        real inverse[8];
        tlk_load8(p->inverse + 8 * (size_t)i, inverse);
        tlk_symmetric(inverse, turn, out + 4);
    }
    out[3] = free[3];
    out[7] = free[7];
}

/* One block: v = free + M^-1 D x. */
TL_KERNEL void tlk_block_velocity(const tlk_problem *p, uint32_t i)
{
    real free[8], vel[8];
    tlk_load8(p->free + 8 * (size_t)i, free);
    tlk_gather(p, i, p->x, free, vel);
    for (int k = 0; k < 3; k++) {
        vel[k] = free[k] + vel[k];
        vel[4 + k] = free[4 + k] + vel[4 + k];
    }
    tlk_store8(p->vel + 8 * (size_t)i, vel);
}

/* One block: v = free - M^-1 D x: free velocities from which x leads to the free ones of before. */
TL_KERNEL void tlk_block_without(const tlk_problem *p, uint32_t i)
{
    real free[8], vel[8];
    tlk_load8(p->free + 8 * (size_t)i, free);
    tlk_gather(p, i, p->x, free, vel);
    for (int k = 0; k < 3; k++) {
        vel[k] = free[k] - vel[k];
        vel[4 + k] = free[4 + k] - vel[4 + k];
    }
    tlk_store8(p->vel + 8 * (size_t)i, vel);
}

/* The same of row s with all that it has: bias, materials, and its moment, whose share is made m/s
 * by the length that the two step lengths make. */
TL_KERNEL double tlk_whole_residual(const tlk_problem *p, uint32_t s, const tlk_row *row,
                                    const tlk_pair *pair, const real *g)
{
    const real eta = tlk_whole_eta(p, row, pair);
    real u[3], moment[3], next[3];
    tlk_row_velocity(p, row, pair, u);
    tlk_add_material(p, row, tlk_dot(g, row->n), u);
    for (int k = 0; k < 3; k++)
        u[k] += p->bias[s] * row->n[k];
    const double r =
        tlk_cone_residual(p->coulomb, row->n, row->mu, tlk_row_cohesion(p, row), eta, g, u);
    if (!p->moment)
        return r;
    tlk_load3(p->moment, s, moment);
    for (int k = 0; k < 3; k++)
        next[k] = moment[k];
    tlk_next_moment(row, pair, 1, tlk_dot(g, row->n) + row->material.cohesion, next);
    for (int k = 0; k < 3; k++)
        next[k] -= moment[k];
    return sqrt(r * r + (double)tlk_dot(next, next) / ((double)row->material.step * eta));
}

/* The residual of gamma with the velocities in vel: sum of squares, worst, rows. */
TL_KERNEL void tlk_residual(const tlk_problem *p, uint32_t s, double *acc)
{
    const tlk_row row = tlk_load_row(p, s);
    if (row.a == TLK_NONE)
        return;
    const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    real g[3];
    tlk_load3(p->gamma, s, g);
    const double r = tlk_whole_residual(p, s, &row, &pair, g);
    acc[0] += r * r;
    acc[1] = tlk_max(acc[1], r);
    acc[2] += 1;
}

/* One row of the audit: 0-2 the residual, 3 rows with an impulse, 4 the work of moving walls on
 * what they touch, 5 deepest overlap, 6 sum of overlaps, 7 rows that overlap. */
TL_KERNEL void tlk_audit_row(const tlk_audit *q, uint32_t s, double *acc)
{
    const tlk_problem *p = &q->problem;
    const tlk_row row = tlk_load_row(p, s);
    if (row.a == TLK_NONE)
        return;
    tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    real wall[3], g[3], struck[3] = {0, 0, 0};
    tlk_load3(p->gamma, s, g);
    const double r = tlk_whole_residual(p, s, &row, &pair, g);
    if (q->impact)
        tlk_load3(q->impact, s, struck);
    double work = 0;
    if (row.b >= p->moving) {
        for (int k = 0; k < 8; k++)
            pair.a[k] = 0;
        tlk_row_velocity(p, &row, &pair, wall);
        tlk_add_material(p, &row, 0, wall);
        for (int k = 0; k < 3; k++)
            work += ((double)g[k] + struck[k]) * wall[k];
        if (p->moment) { /* and of its spin */
            real moment[3];
            tlk_load3(p->moment, s, moment);
            work += (double)tlk_dot(moment, pair.b + 4);
        }
    }
    const double gap = q->gap[s];
    acc[0] += r * r;
    acc[1] = tlk_max(acc[1], r);
    acc[2] += 1;
    acc[3] += tlk_dot(g, g) > 0 || tlk_dot(struck, struck) > 0;
    acc[4] -= work;
    if (gap < 0) {
        acc[5] = tlk_max(acc[5], -gap);
        acc[6] -= gap;
        acc[7] += 1;
    }
}

/* What rows need to know, of those that are being built. */
TL_KERNEL tlk_problem tlk_position_problem(const tlk_build *q)
{
    tlk_problem p = {0};
    p.anchor_base = q->anchor_base;
    p.moving = q->bodies.dynamic;
    p.a = q->a;
    p.b = q->b;
    p.head = q->head;
    p.anchors = q->anchors;
    p.inverse = q->inverse;
    p.wall = q->wall;
    p.material = q->material;
    return p;
}

/* One row of the position problem: what is left of the gap after the velocities have acted, as a
 * speed; of an overlap, and of the gap of a contact at rest, the part that is to go in this step. A
 * contact at rest (a load, and no gap for the velocities to close) counts from that load, which is
 * what may be taken back to close it. */
TL_KERNEL void tlk_position_rows(const tlk_build *q, uint32_t s)
{
    real start[3] = {0, 0, 0}, gamma[3];
    tlk_store3(q->position_gamma, s, start);
    if (q->a[s] == TLK_NONE)
        return;
    const tlk_problem p = tlk_position_problem(q);
    const tlk_row row = tlk_load_row(&p, s);
    const tlk_pair pair = tlk_load_pair(&p, &row, q->vel);
    real u[3];
    tlk_row_velocity(&p, &row, &pair, u);
    const double un = (double)row.n[0] * u[0] + (double)row.n[1] * u[1] + (double)row.n[2] * u[2];
    tlk_load3(q->gamma, s, gamma);
    const real load = tlk_dot(gamma, row.n) + tlk_row_cohesion(&p, &row);
    const bool rests = load > 0 && q->bias[s] == 0 && q->rest >= 0;
    double bias = (double)q->gap[s] / q->recovery.h + un;
    if (p.material && row.material.soft > 0)
        bias = TLK_FAR; /* what overlaps there is what presses it together */
    else if (rests || bias < 0)
        bias = tlk_max(bias * q->recovery.fraction, -q->recovery.speed);
    q->position_bias[s] = (real)bias;
    for (int k = 0; k < 3; k++)
        start[k] = rests ? load * row.n[k] : (real)0;
    tlk_store3(q->position_gamma, s, start);
}

#endif
