/* Sweeps that go on in the direction of the last ones (docs/theory.md, "Momentum"), at rows of
 * joined bodies: after each, a fold and a decision say how far, then impulses go beyond what the
 * sweep has left, and velocities by what that pushes. Called by solve/psor.c. */
#ifndef TL_KERNELS_MOMENTUM_H
#define TL_KERNELS_MOMENTUM_H

#include "kernels/solve.h"

/* One packet of rows with joined bodies: where it is. Segments with the same sum before them have
 * none, but for the last of these. */
TL_KERNEL void tlk_joined_packet(const tlk_joined_rows *n, uint32_t i)
{
    uint32_t low = 0, high = n->segments;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (n->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    n->packet[i] = n->begin[low] + (i - n->first[low]);
}

/* The i-th packet of rows that have momentum. */
TL_KERNEL size_t tlk_momentum_packet(const tlk_momentum *m, uint32_t i)
{
    return m->rows ? m->rows[i] : i;
}

/* Where the numbers of item i of momentum are: a packet of one field of rows. */
TL_KERNEL size_t tlk_momentum_at(const tlk_momentum *m, uint32_t i)
{
    return TLK_LANES * (3 * tlk_momentum_packet(m, i / 3) + i % 3);
}

/* Whether joints hold the body of a block that moves. */
TL_KERNEL bool tlk_momentum_holds(const tlk_momentum *m, uint32_t block)
{
    return !m->joined || m->joined[block < m->dynamic ? block : m->owner[block - m->dynamic]];
}

/* A side of one row: its block, where that is free. */
TL_KERNEL void tlk_momentum_side(const tlk_momentum *m, uint32_t i)
{
    const uint32_t row = i / 2, s = TLK_LANES * m->rows[row / TLK_LANES] + row % TLK_LANES;
    const tlk_problem *p = &m->problem;
    const uint32_t block = p->a[s] == TLK_NONE ? TLK_NONE : i % 2 ? p->b[s] : p->a[s];
    m->key[i] = block < p->moving && !tlk_momentum_holds(m, block) ? block : p->moving;
    m->side[i] = 2 * s + i % 2;
}

/* A packet of numbers: how far the sweep went against the way since the sweep before. What padded
 * rows have is nothing. */
TL_KERNEL void tlk_momentum_turn(const tlk_momentum *m, uint32_t i, double *acc)
{
    const size_t at = tlk_momentum_at(m, i), row = TLK_LANES * tlk_momentum_packet(m, i / 3);
    double sum = 0;
    for (uint32_t k = 0; k < TLK_LANES; k++)
        if (m->problem.a[row + k] != TLK_NONE)
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
    pace->beta = back ? 0 : tlk_min((pace->theta - 1) / next, pace->most);
    pace->theta = back ? 1 : next;
}

/* How far a number goes beyond its last one; this is the last one from now. */
TL_KERNEL real tlk_beyond(real *last, real now, real beta)
{
    const real further = beta * (now - *last);
    *last = now;
    return further;
}

/* A number of an impulse, and of a moment where rows have them. */
TL_KERNEL void tlk_momentum_number(const tlk_momentum *m, size_t at, real beta)
{
    const real push = tlk_beyond(m->last_gamma + at, m->gamma[at], beta);
    if (m->joined) /* free bodies are to be pushed */
        m->problem.gamma[at] = push;
    m->from[at] = m->gamma[at] = m->gamma[at] + push;
    if (!m->moment)
        return;
    const real turn = tlk_beyond(m->last_moment + at, m->moment[at], beta);
    if (m->joined)
        m->problem.moment[at] = turn;
    m->moment[at] = m->moment[at] + turn;
}

/* A packet of numbers. */
TL_KERNEL void tlk_momentum_rows(const tlk_momentum *m, uint32_t i)
{
    const size_t at = tlk_momentum_at(m, i);
    for (uint32_t k = 0; k < TLK_LANES; k++)
        tlk_momentum_number(m, at + k, (real)m->pace->beta);
}

/* One block: the velocity of a joined body goes on, which is what all of its impulses push; and the
 * impulse of one row of joints. */
TL_KERNEL void tlk_momentum_block(const tlk_momentum *m, uint32_t i)
{
    const bool here = i < m->problem.moving && tlk_momentum_holds(m, i);
    real *v = m->problem.vel + 8 * (size_t)i, *last = m->last_vel + 8 * (size_t)i;
    for (int k = 0; k < 7 && here; k++)
        if (k != 3)
            v[k] += tlk_beyond(last + k, v[k], (real)m->pace->beta);
    if (i >= m->joint_rows)
        return;
    const double now = m->lambda[i];
    m->lambda[i] = now + m->pace->beta * (now - m->last_lambda[i]);
    m->last_lambda[i] = now;
}

/* Side i, in the order of blocks: where it is the first of a free block, what all of its sides push
 * that. */
TL_KERNEL void tlk_momentum_free(const tlk_momentum *m, uint32_t i)
{
    const tlk_problem *p = &m->problem;
    const uint32_t block = m->key[i], all = 2 * TLK_LANES * m->row_packets;
    if (block >= p->moving || (i > 0 && m->key[i - 1] == block))
        return;
    real v[8], push[3];
    tlk_load8(p->vel + 8 * (size_t)block, v);
    for (uint32_t k = i; k < all && m->key[k] == block; k++) {
        const uint32_t s = m->side[k] / 2;
        const bool second = m->side[k] % 2;
        const tlk_row row = tlk_load_row(p, s);
        if (row.a == TLK_NONE) /* there are none such; for compilers to know */
            continue;
        tlk_pair pair = {{0}, {0}};
        for (int c = 0; c < 8; c++)
            (second ? pair.b : pair.a)[c] = v[c];
        tlk_load3(p->gamma, s, push);
        tlk_row_push(p, &row, push, &pair);
        if (p->moment) {
            tlk_load3(p->moment, s, push);
            tlk_row_turn(&row, push, &pair);
        }
        for (int c = 0; c < 8; c++)
            v[c] = second ? pair.b[c] : pair.a[c];
    }
    tlk_store8(p->vel + 8 * (size_t)block, v);
}

/* As sweeps begin nothing has moved yet: a packet of numbers; one block. */
TL_KERNEL void tlk_momentum_begin(const tlk_momentum *m, uint32_t i)
{
    const size_t at = tlk_momentum_at(m, i);
    for (uint32_t k = 0; k < TLK_LANES; k++) {
        m->from[at + k] = m->last_gamma[at + k] = m->gamma[at + k];
        if (m->moment)
            m->last_moment[at + k] = m->moment[at + k];
    }
}

TL_KERNEL void tlk_momentum_still(const tlk_momentum *m, uint32_t i)
{
    for (uint32_t k = 0; k < 8 && tlk_momentum_holds(m, i); k++)
        m->last_vel[8 * (size_t)i + k] = m->problem.vel[8 * (size_t)i + k];
}

#endif
