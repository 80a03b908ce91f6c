/* Impacts: one pair at a time, in rounds (docs/theory.md, "Impacts"). In a round every row that is
 * about to be hit makes a bid for its bodies, the earliest hit the highest one; rows that win all
 * their bodies collide. No two of those share a body, so they do not disturb each other, and the
 * earliest hit of all wins for certain. */
#ifndef TL_KERNELS_IMPACT_H
#define TL_KERNELS_IMPACT_H

#include "kernels/solve.h"

/* The velocities half way through the step's forces: impacts that mirror these keep the energy that
 * the whole step would have without them. */
TL_KERNEL tlk_pair tlk_impact_middle(const tlk_impact *m, const tlk_row *row)
{
    const tlk_problem *p = &m->problem;
    tlk_pair pair = tlk_load_pair(p, row, p->vel);
    const tlk_pair before = tlk_load_pair(p, row, m->before), free = tlk_load_pair(p, row, m->free);
    for (int k = 0; k < 8; k++) {
        pair.a[k] -= (real)0.5 * (free.a[k] - before.a[k]);
        pair.b[k] -= (real)0.5 * (free.b[k] - before.b[k]);
    }
    return pair;
}

/* When the two bodies of a row had their last impact, s into the step. */
TL_KERNEL float tlk_impact_clock(const tlk_impact *m, const tlk_row *row)
{
    const float a = m->clock[row->a], b = row->b < m->problem.moving ? m->clock[row->b] : 0;
    return tlk_max(a, b);
}

/* Whether a contact has bounced so often in this step that nothing is left of its first speed: what
 * comes after that is pressed together, not struck. Elastic ones never have. */
TL_KERNEL bool tlk_impact_spent(const tlk_impact *m, uint32_t s)
{
    real left = 1;
    for (uint32_t i = 0; i < m->count[s] && m->restitution[s] < 1 && left >= (real)0.1; i++)
        left *= m->restitution[s];
    return left < (real)0.1;
}

/* How fast a row approaches, where that is fast enough to bounce; else 0. */
TL_KERNEL real tlk_impact_speed(const tlk_impact *m, uint32_t s, const tlk_row *row)
{
    const tlk_problem *p = &m->problem;
    const tlk_pair pair = tlk_load_pair(p, row, p->vel);
    real u[3];
    tlk_row_velocity(p, row, &pair, u);
    const real speed = -tlk_dot(u, row->n);
    if (!((double)m->gap[s] < m->h * (double)speed) || tlk_impact_spent(m, s))
        return 0; /* not reached in a whole step, or no more */
    const tlk_pair middle = tlk_impact_middle(m, row);
    tlk_row_velocity(p, row, &middle, u);
    return -(double)tlk_dot(u, row->n) > m->slow ? speed : (real)0;
}

/* What a row bids in this round: its round, then the earlier the hit the more (at the very start of
 * the step, the faster the more), then its number; 0 where it is not hit. A gap is crossed anew
 * after each impact, so that a body between two others does not bounce for ever. */
TL_KERNEL uint64_t tlk_impact_offer(const tlk_impact *m, uint32_t s, const tlk_row *row)
{
    const real speed = tlk_impact_speed(m, s, row), gap = tlk_max(m->gap[s], (real)0);
    if (!(speed > 0))
        return 0;
    const float time = tlk_impact_clock(m, row) + (float)(gap / speed);
    if (!((double)time < m->h))
        return 0;
    const uint32_t place = time > 0 ? 0x7fffffu - (tlk_float_bits(time) >> 8)
                                    : 0x800000u | tlk_float_bits((float)speed) >> 8;
    return (uint64_t)(m->round + 1) << 56 | (uint64_t)place << 32 | s;
}

/* One row: its bid. After the first round only those look again that lost, or whose bodies have
 * changed. */
TL_KERNEL void tlk_impact_bid(const tlk_impact *m, uint32_t s)
{
    const tlk_problem *p = &m->problem;
    if (p->a[s] == TLK_NONE || !(m->restitution[s] > 0))
        return;
    const uint32_t a = p->a[s], b = p->b[s];
    if (m->round && !m->offer[s] && m->changed[a] != m->round &&
        (b >= p->moving || m->changed[b] != m->round))
        return;
    const tlk_row row = tlk_load_row(p, s);
    const uint64_t offer = tlk_impact_offer(m, s, &row);
    m->offer[s] = offer;
    if (!offer)
        return;
    tlk_atomic_max(&m->bid[a], offer);
    if (b < p->moving)
        tlk_atomic_max(&m->bid[b], offer);
}

/* One row: where it won, Newton's impact law with Coulomb friction, for these two bodies alone. */
TL_KERNEL void tlk_impact_act(const tlk_impact *m, uint32_t s)
{
    const tlk_problem *p = &m->problem;
    if (p->a[s] == TLK_NONE || !(m->restitution[s] > 0) || !m->offer[s])
        return;
    const uint32_t a = p->a[s], b = p->b[s];
    if (m->bid[a] != m->offer[s] || (b < p->moving && m->bid[b] != m->offer[s]))
        return;
    const tlk_row row = tlk_load_row(p, s);
    const real gap = tlk_max(m->gap[s], (real)0);
    const float time = tlk_impact_clock(m, &row) + (float)(gap / tlk_impact_speed(m, s, &row));
    const tlk_pair middle = tlk_impact_middle(m, &row);
    tlk_pair pair = tlk_load_pair(p, &row, p->vel), after = middle;
    real u[3], left[3], eta[3], gamma[3] = {0, 0, 0}, sum[3], work = 0;
    tlk_row_velocity(p, &row, &middle, u);
    tlk_row_eta(&row, &middle, eta);
    const real un = tlk_dot(u, row.n);
    tlk_psor_coulomb(p, m->restitution[s] * un, &row, &middle, u, eta, gamma);
    if (row.arms) {
        /* friction may turn a body so that Newton's law adds energy: then without friction */
        tlk_row_push(p, &row, gamma, &after);
        tlk_row_velocity(p, &row, &after, left);
        for (int k = 0; k < 3; k++)
            work += gamma[k] * (u[k] + left[k]);
        for (int k = 0; k < 3 && work > 0; k++)
            gamma[k] = -(1 + m->restitution[s]) * eta[0] * un * row.n[k];
    }
    tlk_row_push(p, &row, gamma, &pair);
    tlk_store_pair(p, &row, &pair, p->vel);
    tlk_load3(m->impulse, s, sum);
    for (int k = 0; k < 3; k++)
        sum[k] += gamma[k];
    tlk_store3(m->impulse, s, sum);
    m->offer[s] = 0;
    m->count[s]++;
    m->changed[a] = m->round + 1;
    m->clock[a] = time;
    if (b < p->moving) {
        m->changed[b] = m->round + 1;
        m->clock[b] = time;
    }
}

/* One row that fast bodies approach too late in the step to collide: neither problem, which have
 * all of the step's velocity act for all of its length, must stop them. So their gap counts as what
 * they cross; they may overlap by what they moved too far, and collide in the next step. */
TL_KERNEL void tlk_impact_late(const tlk_impact *m, uint32_t s)
{
    if (m->problem.a[s] == TLK_NONE || !(m->restitution[s] > 0) || m->offer[s])
        return;
    const tlk_row row = tlk_load_row(&m->problem, s);
    const real speed = tlk_impact_clock(m, &row) > 0 ? tlk_impact_speed(m, s, &row) : (real)0;
    if (speed > m->bias[s]) {
        m->bias[s] = speed;
        m->gap[s] = (real)(m->h * (double)speed);
    }
}

/* 0 how many rows are about to be hit, 1 how many have been. */
TL_KERNEL void tlk_impact_left(const tlk_impact *m, uint32_t s, double *acc)
{
    if (m->problem.a[s] == TLK_NONE || !(m->restitution[s] > 0))
        return;
    acc[0] += m->offer[s] != 0;
    acc[1] += m->count[s] > 0;
}

#endif
