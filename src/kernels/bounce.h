/* What the impulses of the velocity problem do to the energy, and impulses that do less
 * (docs/theory.md, "Impacts"). One row, body or joint at a time; called
 * by step/bounce.c. */
#ifndef TL_KERNELS_BOUNCE_H
#define TL_KERNELS_BOUNCE_H

#include "kernels/bodies.h"
#include "kernels/joint/args.h"
#include "kernels/solve.h"

/* The rate at which a row's impulse and moment work at some velocities, J. */
TL_KERNEL double tlk_bounce_rate(const tlk_problem *p, uint32_t s, const tlk_row *row,
                                 const real *gamma, const real *vel)
{
    const tlk_pair pair = tlk_load_pair(p, row, vel);
    real u[3], moment[3];
    double rate = 0;
    tlk_row_velocity(p, row, &pair, u);
    tlk_add_material(p, row, 0, u);
    for (int k = 0; k < 3; k++)
        rate += (double)gamma[k] * u[k];
    if (!p->moment)
        return rate;
    tlk_load3(p->moment, s, moment);
    for (int k = 0; k < 3; k++)
        rate += (double)moment[k] * (pair.b[4 + k] - pair.a[4 + k]);
    return rate;
}

/* One body that moves: what the problem did to its energy, and the energy of the change, J. */
TL_KERNEL void tlk_bounce_gain(const tlk_bounce *q, uint32_t i, double *acc)
{
    const real *v = q->problem.vel + 8 * (size_t)i, *u = q->before + 8 * (size_t)i;
    double d[6], mean[6];
    for (int k = 0; k < 6; k++) {
        const int c = k < 3 ? k : k + 1;
        d[k] = (double)v[c] - u[c];
        mean[k] = 0.5 * ((double)v[c] + u[c]);
    }
    acc[0] += tlk_body_product(&q->bodies, i, d, mean);
    acc[1] += tlk_body_product(&q->bodies, i, d, d);
}

/* One row of a problem that is being solved: its share of what solving it makes less, J. 0 and 1
 * are the linear part, without the bias, and twice the quadratic one, 2 what the bias takes off the
 * linear one. */
TL_KERNEL void tlk_start_work(const tlk_bounce *q, uint32_t s, const tlk_row *row,
                              const real *gamma, double *work)
{
    const tlk_problem *p = &q->problem;
    const double normal = tlk_dot(gamma, row->n);
    work[0] = tlk_bounce_rate(p, s, row, gamma, q->before);
    work[1] = tlk_bounce_rate(p, s, row, gamma, p->vel) - work[0];
    if (p->material)
        work[1] += (double)row->material.soft * normal * normal;
    work[2] = -(double)p->bias[s] * normal;
}

/* One row: what its impulse did, J: 0 at the velocities that the problem began with, 1 at those
 * that it made, less these, and 2 what removing an overlap may add. Compliant contacts are springs
 * and give back what they have: they do not count. Sums: how many rows bounced, the gain, and the
 * second number. */
TL_KERNEL void tlk_bounce_work(const tlk_bounce *q, uint32_t s, double *acc)
{
    const tlk_problem *p = &q->problem;
    const tlk_row row = tlk_load_row(p, s);
    double *work = q->work + TLK_BOUNCE * (size_t)s;
    real gamma[3];
    for (uint32_t k = 0; k < TLK_BOUNCE; k++)
        work[k] = 0;
    if (row.a == TLK_NONE || (p->material && row.material.soft > 0 && !q->start))
        return;
    tlk_load3(p->gamma, s, gamma);
    if (q->start) {
        tlk_start_work(q, s, &row, gamma, work);
        acc[1] += work[0] + 0.5 * work[1] - work[2];
        acc[2] += work[1];
        return;
    }
    const real normal = tlk_dot(gamma, row.n);
    /* of a plane that turns (carry.h), too, where no bounce asks for it */
    const double least =
        tlk_min(q->apart ? (double)p->bias[s] : tlk_gap_bias(&q->recovery, (double)q->gap[s]), 0.0);
    const bool bounces = p->bias[s] < (real)least;
    work[0] = tlk_bounce_rate(p, s, &row, gamma, q->before);
    work[1] = tlk_bounce_rate(p, s, &row, gamma, p->vel) - work[0];
    work[2] = bounces ? 0 : -least * (double)normal;
    acc[0] += bounces && normal > 0;
    acc[1] += work[0] + 0.5 * work[1] - work[2];
    acc[2] += work[1];
}

/* One of the rows with joined bodies of a problem that is being solved: as above, but nothing is
 * written. */
TL_KERNEL void tlk_bounce_joined(const tlk_bounce *q, uint32_t i, double *acc)
{
    const tlk_problem *p = &q->problem;
    const uint32_t s = TLK_LANES * q->joined[i / TLK_LANES] + i % TLK_LANES;
    const tlk_row row = tlk_load_row(p, s);
    double work[TLK_BOUNCE];
    real gamma[3];
    if (row.a == TLK_NONE)
        return;
    tlk_load3(p->gamma, s, gamma);
    tlk_start_work(q, s, &row, gamma, work);
    acc[0] += work[0] + 0.5 * work[1] - work[2];
    acc[1] += work[1];
}

/* One row: the part of its impulse that stays. */
TL_KERNEL void tlk_bounce_rows(const tlk_bounce *q, uint32_t s)
{
    const tlk_problem *p = &q->problem;
    if (p->a[s] == TLK_NONE)
        return;
    const real part = (real)q->part[p->a[s]];
    real *const both[2] = {p->gamma, p->moment};
    for (int i = 0; i < 2 && part != 1; i++)
        for (uint32_t k = 0; k < 3 && both[i]; k++)
            both[i][tlk_at(s, k, 3)] *= part;
}

/* One body that moves: what stays of the change of its velocity. */
TL_KERNEL void tlk_bounce_bodies(const tlk_bounce *q, uint32_t i)
{
    const real part = (real)q->part[i], *before = q->before + 8 * (size_t)i;
    real *v = q->problem.vel + 8 * (size_t)i;
    for (int k = 0; k < 8 && part != 1; k++)
        v[k] = before[k] + part * (v[k] - before[k]);
}

/* One joint: likewise of its impulses. All its dynamic bodies keep the same part. */
TL_KERNEL void tlk_joint_part(const tlk_joint_bounce *q, uint32_t i)
{
    const tlk_joint *j = q->joint + i;
    double part = 1;
    for (uint32_t b = 0; b < j->bodies && part == 1; b++)
        part = j->node[b] != TLK_NONE ? q->part[j->body[b]] : part;
    for (uint32_t r = j->first; r < j->first + j->rows && part != 1; r++)
        q->lambda[r] = q->before[r] + part * (q->lambda[r] - q->before[r]);
}

#endif
