/* The coarse level of deep heaps (docs/theory.md, "Deep heaps"): impulses times a smooth factor,
 * from a small problem on nodes that are fixed in space. Called by src/solve/coarse.c:
 *
 *   coarse_moments  items    by colours: what the impulses of a body's rows add up to
 *   coarse_key      bodies   which cell each body is in
 *   coarse_part     parts    matrices and vectors of cells, a part of the bodies each
 *   coarse_cell     entries  the sums of these
 *   coarse_begin    nodes    their rows of the matrix, and the start of
 *   coarse_solve    one item conjugate gradients; a GPU has a block for it
 *   coarse_rows     a fold   what impulses gain, and the slope along that
 *   coarse_still    blocks   velocities of zero, with inverse masses
 *   coarse_curve    a fold   the curvature; where bodies have one moment of inertia each,
 *   coarse_energy   a fold   the same from bodies, which are fewer
 *   coarse_scale    rows     impulses, and
 *   coarse_move     blocks   velocities, as far as the objective falls
 *
 * Nothing of this waits for the host. */
#ifndef TL_KERNELS_COARSE_H
#define TL_KERNELS_COARSE_H

#include "kernels/solve.h"

#define TLK_COARSE_LIMIT 0.98  /* of the friction: contacts beyond are at their limit */
#define TLK_COARSE_RIDGE 1e-6  /* of the diagonal */
#define TLK_COARSE_SMALL 1e-12 /* of r.z: the end */
#define TLK_COARSE_MOST  10.0  /* the largest factor; the least is one over it */

/* Fields of a node; the last are its row of the matrix, with the 27 nodes around it. */
#define TLK_COARSE_X      0 /* the factor less 1 */
#define TLK_COARSE_R      1 /* what is left */
#define TLK_COARSE_Z      2 /* r over the diagonal */
#define TLK_COARSE_AZ     3
#define TLK_COARSE_P      4 /* the direction */
#define TLK_COARSE_AP     5
#define TLK_COARSE_WEIGHT 6 /* one over the diagonal; 0: no load */
#define TLK_COARSE_MATRIX 7

/* Numbers of the record. */
#define TLK_COARSE_STEPS 0 /* that were done */
#define TLK_COARSE_ALPHA 1
#define TLK_COARSE_BETA  2
#define TLK_COARSE_RZ    3 /* of the last step */
#define TLK_COARSE_RZ0   4
#define TLK_COARSE_PART  5 /* of the change, that was made */
#define TLK_COARSE_SHARE 6 /* normal impulses that were gained or lost, over all of them */

/* The power of a row that its nodes are to take away: impulse times velocity. Under Coulomb's law a
 * contact at its friction limit that slips fast dissipates, whatever its load, and does so rightly:
 * its tangential power counts the less, the faster it slips. Gaps that close do not count. */
TL_KERNEL double tlk_coarse_power(const tlk_coarse *q, uint32_t s, const tlk_row *row,
                                  const real *gamma, const real *u)
{
    const tlk_problem *p = &q->problem;
    const double gn = tlk_dot(gamma, row->n), un = tlk_dot(u, row->n), bias = p->bias[s];
    const double whole =
        (double)gamma[0] * u[0] + (double)gamma[1] * u[1] + (double)gamma[2] * u[2];
    if (!p->coulomb)
        return whole + gn * bias;
    const double normal = gn * (un + tlk_min(bias, 0.0)), along = whole - gn * un;
    const double limit = TLK_COARSE_LIMIT * row->mu * gn;
    double t[3], slip[3];
    for (int k = 0; k < 3; k++) {
        t[k] = gamma[k] - gn * row->n[k];
        slip[k] = u[k] - un * row->n[k];
    }
    if (tlk_dotd(t, t) < limit * limit)
        return normal + along;
    return normal + along / (1 + tlk_dotd(slip, slip) / (q->slow * q->slow));
}

/* Adds what one side of a row has: its impulse, that times its anchor, and half the power (all of
 * it, where the other side does not move). */
TL_KERNEL void tlk_coarse_add(const tlk_coarse *q, uint32_t block, const real *impulse,
                              const real *anchor, real power)
{
    real *m = q->moment + (size_t)TLK_COARSE_MOMENTS * block, own[TLK_COARSE_MOMENTS];
    tlk_load8(m, own);
    tlk_load8(m + 8, own + 8);
    for (int k = 0; k < 3; k++) {
        own[k] += impulse[k];
        for (int d = 0; d < 3; d++)
            own[3 + 3 * d + k] += anchor[d] * impulse[k];
        own[13 + k] += anchor[k] * power;
    }
    own[12] += power;
    tlk_store8(m, own);
    tlk_store8(m + 8, own + 8);
}

/* The anchors of a row's two sides: from the centres of mass to the contact. */
TL_KERNEL void tlk_coarse_anchors(const tlk_row *row, real *a, real *b)
{
    for (int k = 0; k < 3; k++) {
        a[k] = row->anchors ? row->ra[k] : row->anchor_a * row->n[k];
        b[k] = row->anchors ? row->rb[k] : -row->anchor_b * row->n[k];
    }
}

/* One item, in its colour's turn: the moments of its rows' impulses, for both blocks. */
TL_KERNEL void tlk_coarse_moments(const tlk_coarse *q, uint32_t item)
{
    const tlk_problem *p = &q->problem;
    const uint32_t first = tlk_item_row(item, p->anchor_base, p->item_rows);
    for (uint32_t k = 0; k < tlk_item_rows(p, item); k++) {
        const uint32_t s = first + k * TLK_LANES;
        const tlk_row row = tlk_load_row(p, s);
        if (row.a == TLK_NONE)
            return;
        real gamma[3], back[3], u[3], anchor_a[3], anchor_b[3];
        tlk_load3(p->gamma, s, gamma);
        if (!(tlk_dot(gamma, gamma) > 0))
            continue;
        const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
        tlk_row_velocity(p, &row, &pair, u);
        tlk_coarse_anchors(&row, anchor_a, anchor_b);
        for (int d = 0; d < 3; d++)
            back[d] = -gamma[d];
        const real power = (real)tlk_coarse_power(q, s, &row, gamma, u);
        const bool both = row.b < p->moving;
        tlk_coarse_add(q, row.a, back, anchor_a, both ? (real)0.5 * power : power);
        if (both)
            tlk_coarse_add(q, row.b, gamma, anchor_b, (real)0.5 * power);
    }
}

/* Where a point is in the lattice: its cell, and how far along each axis of it. */
typedef struct tlk_coarse_place {
    uint32_t at[3];
    double part[3];
} tlk_coarse_place;

TL_KERNEL tlk_coarse_place tlk_coarse_find(const tlk_coarse *q, const double *x)
{
    tlk_coarse_place place;
    for (int k = 0; k < 3; k++) {
        const double y = (x[k] - q->origin[k]) / q->spacing, last = q->cells[k] - 1;
        const double cell = tlk_min(tlk_max(floor(y), 0.0), last);
        place.at[k] = (uint32_t)cell;
        place.part[k] = tlk_min(tlk_max(y - cell, 0.0), 1.0);
    }
    return place;
}

TL_KERNEL uint32_t tlk_coarse_cell_at(const tlk_coarse *q, const uint32_t *at)
{
    return (at[2] * q->cells[1] + at[1]) * q->cells[0] + at[0];
}

/* The node at a corner of a cell: bit k of the corner, the upper end of axis k. */
TL_KERNEL uint32_t tlk_coarse_node_at(const tlk_coarse *q, const uint32_t *at, uint32_t corner)
{
    const uint32_t x = at[0] + (corner & 1), y = at[1] + (corner >> 1 & 1),
                   z = at[2] + (corner >> 2);
    return (z * (q->cells[1] + 1) + y) * (q->cells[0] + 1) + x;
}

/* The hat function of a corner at a place, and its gradient. */
TL_KERNEL void tlk_coarse_hat(const tlk_coarse *q, const tlk_coarse_place *place, uint32_t corner,
                              double *hat)
{
    double w[3], g[3];
    for (int k = 0; k < 3; k++) {
        const bool up = corner >> k & 1;
        w[k] = up ? place->part[k] : 1 - place->part[k];
        g[k] = (up ? 1 : -1) / q->spacing;
    }
    hat[0] = w[0] * w[1] * w[2];
    hat[1] = g[0] * w[1] * w[2];
    hat[2] = w[0] * g[1] * w[2];
    hat[3] = w[0] * w[1] * g[2];
}

/* One body: its cell. */
TL_KERNEL void tlk_coarse_key(const tlk_coarse *q, uint32_t i)
{
    const tlk_coarse_place place = tlk_coarse_find(q, q->pos + 4 * (size_t)i);
    q->key[i] = tlk_coarse_cell_at(q, place.at);
    q->value[i] = i;
}

/* Adds one body to the matrix and vector of its cell: F_k = phi_k sum gamma + grad phi_k . sum
 * anchor gamma is what node k does to it, and A_kl = F_k . F_l / m. */
TL_KERNEL void tlk_coarse_body(const tlk_coarse *q, uint32_t i, double *sum)
{
    const tlk_coarse_place place = tlk_coarse_find(q, q->pos + 4 * (size_t)i);
    const double mass = q->problem.free[8 * (size_t)i + 3];
    double m[TLK_COARSE_MOMENTS], f[8][3];
    for (uint32_t k = 0; k < TLK_COARSE_MOMENTS; k++)
        m[k] = q->moment[(size_t)TLK_COARSE_MOMENTS * i + k];
    for (uint32_t c = q->copy ? q->copy[i] : 0; q->copy && c < q->copy[i + 1]; c++)
        for (uint32_t k = 0; k < TLK_COARSE_MOMENTS; k++)
            m[k] += q->moment[(size_t)TLK_COARSE_MOMENTS * (q->bodies + c) + k];
    for (uint32_t j = 0; j < 8; j++) {
        double hat[4];
        tlk_coarse_hat(q, &place, j, hat);
        for (int k = 0; k < 3; k++)
            f[j][k] = hat[0] * m[k] + hat[1] * m[3 + k] + hat[2] * m[6 + k] + hat[3] * m[9 + k];
        sum[36 + j] += hat[0] * m[12] + hat[1] * m[13] + hat[2] * m[14] + hat[3] * m[15];
    }
    uint32_t e = 0;
    for (uint32_t j = 0; j < 8; j++)
        for (uint32_t l = j; l < 8; l++)
            sum[e++] += mass * tlk_dotd(f[j], f[l]);
}

/* One part of a cell: every so manieth of its bodies. */
TL_KERNEL void tlk_coarse_part(const tlk_coarse *q, uint32_t i)
{
    const uint32_t cell = i / TLK_COARSE_PARTS, part = i % TLK_COARSE_PARTS, end = q->end[cell];
    double sum[TLK_COARSE_ENTRIES];
    for (uint32_t e = 0; e < TLK_COARSE_ENTRIES; e++)
        sum[e] = 0;
    for (uint32_t l = q->begin[cell] + part; l < end; l += TLK_COARSE_PARTS)
        tlk_coarse_body(q, q->value[l], sum);
    double *out = q->part + (size_t)cell * TLK_COARSE_ENTRIES * TLK_COARSE_PARTS + part;
    for (uint32_t e = 0; e < TLK_COARSE_ENTRIES; e++)
        out[(size_t)e * TLK_COARSE_PARTS] = sum[e];
}

/* One entry of a cell: the sum of the parts. */
TL_KERNEL void tlk_coarse_cell(const tlk_coarse *q, uint32_t i)
{
    const double *part = q->part + (size_t)i * TLK_COARSE_PARTS;
    double sum = 0;
    for (uint32_t k = 0; k < TLK_COARSE_PARTS; k++)
        sum += part[k];
    q->cell[i] = sum;
}

/* Where entry (j, l) of a cell's matrix is. */
TL_KERNEL uint32_t tlk_coarse_entry(uint32_t j, uint32_t l)
{
    const uint32_t low = tlk_min(j, l), high = tlk_max(j, l);
    return low * (15 - low) / 2 + high;
}

/* The cell that a node is corner `corner` of; false where there is none. */
TL_KERNEL bool tlk_coarse_around(const tlk_coarse *q, uint32_t node, uint32_t corner, uint32_t *at)
{
    uint32_t rest = node;
    for (int k = 0; k < 3; k++) {
        const uint32_t side = q->cells[k] + 1, x = rest % side, up = corner >> k & 1;
        rest /= side;
        if (x < up || x - up >= q->cells[k])
            return false;
        at[k] = x - up;
    }
    return true;
}

/* One field of all nodes. */
TL_KERNEL double *tlk_coarse_field(const tlk_coarse *q, uint32_t field)
{
    return q->node + (size_t)field * q->node_count;
}

/* One node: its row of the matrix, the sum of those of the cells around it, and the gradient there,
 * which conjugate gradients start from. */
TL_KERNEL void tlk_coarse_begin(const tlk_coarse *q, uint32_t i)
{
    double row[27], g = 0;
    uint32_t at[3];
    for (int k = 0; k < 27; k++)
        row[k] = 0;
    for (uint32_t j = 0; j < 8; j++) {
        if (!tlk_coarse_around(q, i, j, at))
            continue;
        const double *cell = q->cell + (size_t)TLK_COARSE_ENTRIES * tlk_coarse_cell_at(q, at);
        for (uint32_t l = 0; l < 8; l++) { /* one node farther on an axis, or one nearer */
            const uint32_t x = 1 + (l & 1) - (j & 1), y = 1 + (l >> 1 & 1) - (j >> 1 & 1),
                           z = 1 + (l >> 2) - (j >> 2);
            row[9 * z + 3 * y + x] += cell[tlk_coarse_entry(j, l)];
        }
        g += cell[36 + j];
    }
    row[13] *= 1 + TLK_COARSE_RIDGE;
    const double weight = row[13] > 0 ? 1 / row[13] : 0;
    for (uint32_t k = 0; k < 27; k++)
        tlk_coarse_field(q, TLK_COARSE_MATRIX + k)[i] = row[k];
    tlk_coarse_field(q, TLK_COARSE_X)[i] = 0;
    tlk_coarse_field(q, TLK_COARSE_P)[i] = tlk_coarse_field(q, TLK_COARSE_AP)[i] = 0;
    tlk_coarse_field(q, TLK_COARSE_WEIGHT)[i] = weight;
    tlk_coarse_field(q, TLK_COARSE_R)[i] = -g;
    tlk_coarse_field(q, TLK_COARSE_Z)[i] = -g * weight;
    for (uint32_t k = 0; i == 0 && k < TLK_COARSE_RECORD; k++)
        q->record[k] = 0;
}

/* The row of a node times z. Numbers of nodes that are not there, or not next to it, are 0. (No
 * branches: a GPU asks for all of them at once.) */
TL_KERNEL double tlk_coarse_product(const tlk_coarse *q, uint32_t i)
{
    const uint32_t side = q->cells[0] + 1, layer = side * (q->cells[1] + 1), count = q->node_count;
    const double *matrix = tlk_coarse_field(q, TLK_COARSE_MATRIX) + i;
    const double *z = tlk_coarse_field(q, TLK_COARSE_Z);
    double sum = 0;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            for (int c = -1; c <= 1; c++, matrix += count) {
                const uint32_t j = i + (uint32_t)(a * (int)layer + b * (int)side + c);
                sum += *matrix * z[j < count ? j : i];
            }
    return sum;
}

/* How many lanes there are with nodes. */
TL_KERNEL uint32_t tlk_coarse_lanes(const tlk_coarse *q)
{
    return tlk_min(q->node_count, TLK_COARSE_LANES);
}

/* Half of the sums that lanes have, of a power of two. */
TL_KERNEL uint32_t tlk_coarse_half(const tlk_coarse *q)
{
    uint32_t half = TLK_COARSE_LANES;
    while (half && half >= tlk_coarse_lanes(q))
        half /= 2;
    return half;
}

/* One lane: A z of its nodes, and what they have of r.z and z.A z. */
TL_KERNEL void tlk_coarse_multiply(const tlk_coarse *q, uint32_t lane, double *dots)
{
    const double *r = tlk_coarse_field(q, TLK_COARSE_R), *z = tlk_coarse_field(q, TLK_COARSE_Z);
    double *az = tlk_coarse_field(q, TLK_COARSE_AZ), rz = 0, zaz = 0;
    for (uint32_t i = lane; i < q->node_count; i += TLK_COARSE_LANES) {
        az[i] = tlk_coarse_product(q, i);
        rz += r[i] * z[i];
        zaz += z[i] * az[i];
    }
    dots[lane] = rz;
    dots[TLK_COARSE_LANES + lane] = zaz;
}

/* One lane: adds the sums that another one has, `half` farther. */
TL_KERNEL void tlk_coarse_add_up(const tlk_coarse *q, uint32_t lane, uint32_t half, double *dots)
{
    if (lane >= half || lane + half >= tlk_coarse_lanes(q))
        return;
    dots[lane] += dots[lane + half];
    dots[TLK_COARSE_LANES + lane] += dots[TLK_COARSE_LANES + lane + half];
}

/* The length of the next step and how much of the last direction it keeps, of the form of
 * conjugate gradients with one sum per step (Chronopoulos and Gear, 1989); 0: the end. */
TL_KERNEL void tlk_coarse_decide(const tlk_coarse *q, const double *dots)
{
    double *r = q->record;
    const double rz = dots[0], zaz = dots[TLK_COARSE_LANES], last = r[TLK_COARSE_RZ];
    if (r[TLK_COARSE_STEPS] == 0)
        r[TLK_COARSE_RZ0] = rz;
    const double beta = last > 0 ? rz / last : 0;
    const double curve = last > 0 ? zaz - beta * rz / r[TLK_COARSE_ALPHA] : zaz;
    const bool on = rz > TLK_COARSE_SMALL * r[TLK_COARSE_RZ0] && curve > 0;
    r[TLK_COARSE_ALPHA] = on ? rz / curve : 0;
    r[TLK_COARSE_BETA] = beta;
    r[TLK_COARSE_RZ] = rz;
    r[TLK_COARSE_STEPS] += on;
}

/* One lane: a step of its nodes. */
TL_KERNEL void tlk_coarse_step(const tlk_coarse *q, uint32_t lane)
{
    const double alpha = q->record[TLK_COARSE_ALPHA], beta = q->record[TLK_COARSE_BETA];
    double *z = tlk_coarse_field(q, TLK_COARSE_Z), *r = tlk_coarse_field(q, TLK_COARSE_R);
    double *p = tlk_coarse_field(q, TLK_COARSE_P), *ap = tlk_coarse_field(q, TLK_COARSE_AP);
    double *x = tlk_coarse_field(q, TLK_COARSE_X);
    const double *az = tlk_coarse_field(q, TLK_COARSE_AZ);
    const double *weight = tlk_coarse_field(q, TLK_COARSE_WEIGHT);
    for (uint32_t i = lane; i < q->node_count; i += TLK_COARSE_LANES) {
        p[i] = z[i] + beta * p[i];
        ap[i] = az[i] + beta * ap[i];
        x[i] += alpha * p[i];
        r[i] -= alpha * ap[i];
        z[i] = weight[i] * r[i];
    }
}

/* One item: conjugate gradients, one lane after the other. (cuda/coarse.cuh: at once.) */
TL_KERNEL void tlk_coarse_solve(const tlk_coarse *q, uint32_t item)
{
    const uint32_t lanes = tlk_coarse_lanes(q);
    (void)item;
    for (uint32_t step = 0; step < q->steps; step++) {
        for (uint32_t lane = 0; lane < lanes; lane++)
            tlk_coarse_multiply(q, lane, q->dots);
        for (uint32_t half = tlk_coarse_half(q); half; half /= 2)
            for (uint32_t lane = 0; lane < half; lane++)
                tlk_coarse_add_up(q, lane, half, q->dots);
        tlk_coarse_decide(q, q->dots);
        if (q->record[TLK_COARSE_ALPHA] == 0)
            return;
        for (uint32_t lane = 0; lane < lanes; lane++)
            tlk_coarse_step(q, lane);
    }
}

/* What the factor of a contact at x has beyond 1. */
TL_KERNEL double tlk_coarse_gain(const tlk_coarse *q, const double *x)
{
    const tlk_coarse_place place = tlk_coarse_find(q, x);
    const double *factor = tlk_coarse_field(q, TLK_COARSE_X);
    double sum = 1, hat[4];
    for (uint32_t j = 0; j < 8; j++) {
        tlk_coarse_hat(q, &place, j, hat);
        sum += hat[0] * factor[tlk_coarse_node_at(q, place.at, j)];
    }
    return tlk_min(tlk_max(sum, 1 / TLK_COARSE_MOST), TLK_COARSE_MOST) - 1;
}

/* One row: what its impulse gains with the whole factor; 0: the slope of the objective along that,
 * 1: normal impulses that are gained or lost, 2: normal impulses. */
TL_KERNEL void tlk_coarse_rows(const tlk_coarse *q, uint32_t s, double *acc)
{
    const tlk_problem *p = &q->problem;
    const tlk_row row = tlk_load_row(p, s);
    real gamma[3] = {0, 0, 0}, change[3] = {0, 0, 0}, u[3], anchor_a[3], anchor_b[3];
    if (row.a != TLK_NONE)
        tlk_load3(p->gamma, s, gamma);
    if (tlk_dot(gamma, gamma) > 0) {
        const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
        double x[3];
        tlk_row_velocity(p, &row, &pair, u);
        tlk_coarse_anchors(&row, anchor_a, anchor_b);
        for (int k = 0; k < 3; k++)
            x[k] = q->pos[4 * (size_t)row.a + k] + anchor_a[k];
        const double gain = tlk_coarse_gain(q, x), load = tlk_dot(gamma, row.n);
        for (int k = 0; k < 3; k++)
            change[k] = (real)gain * gamma[k];
        acc[0] += gain * tlk_coarse_power(q, s, &row, gamma, u);
        acc[1] += (gain < 0 ? -gain : gain) * load;
        acc[2] += load;
    }
    tlk_store3(q->change, s, change);
}

/* One block: at rest. */
TL_KERNEL void tlk_coarse_still(const tlk_coarse *q, uint32_t i)
{
    const real *free = q->problem.free + 8 * (size_t)i;
    const real v[8] = {0, 0, 0, free[3], 0, 0, 0, free[7]};
    tlk_store8(q->change_vel + 8 * (size_t)i, v);
}

/* One row: the curvature along the change, which is that times the velocity it makes. */
TL_KERNEL void tlk_coarse_curve(const tlk_coarse *q, uint32_t s, double *acc)
{
    const tlk_problem *p = &q->problem;
    const tlk_row row = tlk_load_row(p, s);
    real change[3], u[3];
    if (row.a == TLK_NONE)
        return;
    tlk_load3(q->change, s, change);
    const tlk_pair pair = tlk_load_pair(p, &row, q->change_vel);
    tlk_row_velocity(p, &row, &pair, u);
    acc[0] += (double)change[0] * u[0] + (double)change[1] * u[1] + (double)change[2] * u[2];
}

/* One body: the same, as twice the energy of what the change makes of its velocity. */
TL_KERNEL void tlk_coarse_energy(const tlk_coarse *q, uint32_t i, double *acc)
{
    real v[8];
    tlk_load8(q->change_vel + 8 * (size_t)i, v);
    const double push = tlk_dot(v, v), turn = tlk_dot(v + 4, v + 4);
    acc[0] += (v[3] > 0 ? push / v[3] : 0) + (v[7] > 0 ? turn / v[7] : 0);
}

/* The part of the change that takes the objective lowest, and not more than all of it. */
TL_KERNEL real tlk_coarse_fraction(const tlk_coarse *q)
{
    const double slope = q->slope[0], curve = q->curve[0];
    if (!(slope < 0 && curve > 0))
        return 0;
    return (real)tlk_min(-slope / curve, 1.0);
}

/* One row: its impulse. */
TL_KERNEL void tlk_coarse_scale(const tlk_coarse *q, uint32_t s)
{
    const real part = tlk_coarse_fraction(q);
    real gamma[3], change[3];
    if (q->problem.a[s] == TLK_NONE)
        return;
    tlk_load3(q->problem.gamma, s, gamma);
    tlk_load3(q->change, s, change);
    for (int k = 0; k < 3; k++)
        gamma[k] += part * change[k];
    tlk_store3(q->problem.gamma, s, gamma);
}

/* One block that moves: its velocity. */
TL_KERNEL void tlk_coarse_move(const tlk_coarse *q, uint32_t i)
{
    const real part = tlk_coarse_fraction(q);
    real v[8], change[8];
    tlk_load8(q->problem.vel + 8 * (size_t)i, v);
    tlk_load8(q->change_vel + 8 * (size_t)i, change);
    for (int k = 0; k < 3; k++) {
        v[k] += part * change[k];
        v[4 + k] += part * change[4 + k];
    }
    tlk_store8(q->problem.vel + 8 * (size_t)i, v);
    if (i == 0) {
        q->record[TLK_COARSE_PART] = part;
        q->record[TLK_COARSE_SHARE] = q->slope[2] > 0 ? part * q->slope[1] / q->slope[2] : 0;
    }
}

#endif
