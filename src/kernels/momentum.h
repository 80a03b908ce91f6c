/* Sweeps that go on in the direction of the last ones (docs/theory.md, "Momentum"): after each, a
 * fold and a decision say how far, then velocities and impulses go beyond what the sweep has left.
 * Called by solve/psor.c. */
#ifndef TL_KERNELS_MOMENTUM_H
#define TL_KERNELS_MOMENTUM_H

#include "kernels/solve.h"

#define TLK_MOMENTUM 0.95 /* of the last change that is made once more, at most */

/* A packet of numbers: how far the sweep went against the way since the sweep before. What padded
 * rows have is nothing. */
TL_KERNEL void tlk_momentum_turn(const tlk_momentum *m, uint32_t i, double *acc)
{
    const size_t at = TLK_LANES * (size_t)i, row = TLK_LANES * (size_t)(i / 3);
    double sum = 0;
    for (uint32_t k = 0; k < TLK_LANES; k++)
        if (m->a[row + k] != TLK_NONE)
            sum += ((double)m->from[at + k] - m->gamma[at + k]) *
                   ((double)m->gamma[at + k] - m->last_gamma[at + k]);
    acc[0] += sum;
}

/* One item: how far sweeps go on from now: farther and farther, until one turns back. */
TL_KERNEL void tlk_momentum_decide(const tlk_momentum *m, uint32_t i)
{
    tlk_pace *pace = m->pace;
    (void)i;
    const double next = 0.5 * (1 + sqrt(1 + 4 * pace->theta * pace->theta));
    const bool back = !(m->dots[0] <= 0);
    pace->beta = back ? 0 : tlk_min((pace->theta - 1) / next, TLK_MOMENTUM);
    pace->theta = back ? 1 : next;
}

/* A number beyond its last one; this is the last one from now. */
TL_KERNEL real tlk_beyond(real *last, real now, real beta)
{
    const real next = now + beta * (now - *last);
    *last = now;
    return next;
}

/* One block of velocities. */
TL_KERNEL void tlk_momentum_block(const tlk_momentum *m, uint32_t i)
{
    const real beta = (real)m->pace->beta;
    real *v = m->vel + 8 * (size_t)i, *last = m->last_vel + 8 * (size_t)i;
    for (int k = 0; k < 7; k++)
        if (k != 3)
            v[k] = tlk_beyond(last + k, v[k], beta);
}

/* A packet of impulses, and of moments where rows have them. */
TL_KERNEL void tlk_momentum_rows(const tlk_momentum *m, uint32_t i)
{
    const real beta = (real)m->pace->beta;
    const size_t at = TLK_LANES * (size_t)i;
    for (uint32_t k = 0; k < TLK_LANES; k++) {
        const real next = tlk_beyond(m->last_gamma + at + k, m->gamma[at + k], beta);
        m->gamma[at + k] = next;
        m->from[at + k] = next;
    }
    for (uint32_t k = 0; k < TLK_LANES && m->moment; k++)
        m->moment[at + k] = tlk_beyond(m->last_moment + at + k, m->moment[at + k], beta);
}

/* The impulse of one row of a joint. */
TL_KERNEL void tlk_momentum_joint(const tlk_momentum *m, uint32_t i)
{
    const double now = m->lambda[i];
    m->lambda[i] = now + m->pace->beta * (now - m->last_lambda[i]);
    m->last_lambda[i] = now;
}

#endif
