/* Impacts: one pair at a time, in rounds (docs/theory.md, "Impacts"). In a round every row that is
 * about to be hit makes a bid for its bodies, the earliest hit the highest one; rows that win all
 * their bodies collide. No two of those share a body, so they do not disturb each other, and the
 * earliest hit of all wins for certain. */
#ifndef TL_KERNELS_IMPACT_H
#define TL_KERNELS_IMPACT_H

#include "kernels/contacts.h"

/* A row, with nothing in those parts that its kind has no use for. */
TL_KERNEL tlk_row tlk_impact_load(const tlk_problem *p, uint32_t s)
{
    tlk_row row = tlk_load_row(p, s);
    for (int k = 0; k < 8 && !row.anchors; k++)
        row.eta[k % 3] = row.ia[k] = row.ib[k] = 0;
    return row;
}

/* The velocities at a time within the step: those of the parabola that the step's forces make and
 * that its end is on. They are half of the forces behind where the step begins. Impacts that mirror
 * these keep the energy that the whole step would have without them. */
TL_KERNEL tlk_pair tlk_impact_velocities(const tlk_impact *m, const tlk_row *row, float time)
{
    tlk_pair pair = tlk_load_pair(&m->problem, row, m->problem.vel);
    const tlk_pair before = tlk_load_pair(&m->problem, row, m->before),
                   free = tlk_load_pair(&m->problem, row, m->free);
    const real part = (real)((double)time / m->h - m->ahead);
    for (int k = 0; k < 8; k++) {
        pair.a[k] += part * (free.a[k] - before.a[k]);
        pair.b[k] += part * (free.b[k] - before.b[k]);
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

/* How much impacts have opened a row, as a speed over the whole step: bodies had other velocities
 * before them. */
TL_KERNEL real tlk_impact_opened(const tlk_impact *m, const tlk_row *row)
{
    const tlk_pair pair = tlk_load_pair(&m->problem, row, m->pseudo);
    real u[3];
    tlk_row_velocity(&m->problem, row, &pair, u);
    return tlk_dot(u, row->n);
}

/* The share of body b in where an impulse acts, by the squares of radii of gyration: the point
 * stays with the smaller of the two, as a ball that skims a plate is struck at its own surface. */
TL_KERNEL real tlk_impact_share(const tlk_row *row, const tlk_pair *vel)
{
    const real of_a = (row->ia[0] + row->ia[1] + row->ia[2]) * vel->b[3];
    const real of_b = (row->ib[0] + row->ib[1] + row->ib[2]) * vel->a[3];
    return of_a + of_b > 0 ? of_b / (of_a + of_b) : (real)0.5;
}

/* How the end of an anchor moves as its body turns. One along the normal stays: a ball is struck in
 * line with its middle, however it spins. */
TL_KERNEL void tlk_impact_swing(const real *n, const real *turn, const real *anchor, real *by)
{
    real across[3];
    tlk_cross(n, anchor, across);
    const bool turns = tlk_dot(across, across) > (real)1e-8 * tlk_dot(anchor, anchor);
    tlk_cross(turn, anchor, by);
    for (int k = 0; k < 3 && !turns; k++)
        by[k] = 0;
}

/* An anchor row when its bodies have moved by `push` and then at `vel`, each for its own time: both
 * anchors turn with their bodies and end at one point, between where they would, or the impulse
 * would make angular momentum. Step lengths are those of the new anchors. */
TL_RARE void tlk_impact_anchors(const tlk_impact *m, tlk_row *row, const tlk_pair *vel,
                                const tlk_pair *push, float time_a, float time_b)
{
    const bool wall = row->b >= m->problem.moving; /* then the point is on a's surface */
    real way[3], turn_a[3], turn_b[3], ta[3], tb[3], w[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        way[k] = (real)m->h * (push->b[k] - push->a[k]) +
                 ((real)time_b * vel->b[k] - (real)time_a * vel->a[k]);
        turn_a[k] = (real)m->h * push->a[4 + k] + (real)time_a * vel->a[4 + k];
        turn_b[k] = (real)m->h * push->b[4 + k] + (real)time_b * vel->b[4 + k];
    }
    tlk_impact_swing(row->n, turn_a, row->ra, ta);
    tlk_impact_swing(row->n, turn_b, row->rb, tb);
    const real share = wall ? (real)0 : tlk_impact_share(row, vel);
    for (int k = 0; k < 3; k++) {
        const real shift = ta[k] + share * (tb[k] + way[k] - ta[k]);
        row->ra[k] += shift;
        row->rb[k] += shift - way[k];
    }
    tlk_add_side(vel->a[3], row->ia, row->ra, w);
    tlk_add_side(vel->b[3], row->ib, row->rb, w);
    tlk_anchor_eta(row->n, w, row->eta);
}

/* A row as it is at a time within the step. Two spheres that move past each other turn the line
 * between their centres; an impulse along that line, as it was at the start, would turn them. */
TL_KERNEL tlk_row tlk_impact_row(const tlk_impact *m, const tlk_row *row, float time)
{
    tlk_row turned = *row;
    if (!row->anchors && row->b >= m->problem.moving)
        return turned;
    const tlk_pair vel = tlk_load_pair(&m->problem, row, m->problem.vel),
                   push = tlk_load_pair(&m->problem, row, m->pseudo);
    if (row->anchors) {
        tlk_impact_anchors(m, &turned, &vel, &push, time, time);
        return turned;
    }
    const real apart = row->anchor_a + row->anchor_b;
    real d[3];
    for (int k = 0; k < 3; k++)
        d[k] = apart * row->n[k] + (real)m->h * (push.b[k] - push.a[k]) +
               (real)time * (vel.b[k] - vel.a[k]);
    const real length = tlk_sqrt(tlk_dot(d, d));
    if (!(length > (real)0.5 * apart))
        return turned; /* deep in each other */
    for (int k = 0; k < 3; k++)
        turned.n[k] = d[k] / length;
    turned.anchor_a = row->anchor_a * (length / apart);
    turned.anchor_b = row->anchor_b * (length / apart);
    return turned;
}

/* When a row comes to be closed, s into the step, as bodies go straight on from their last impact:
 * then, or now where it is closed already. 2 h where that is not in this step. */
TL_KERNEL float tlk_impact_closes(const tlk_impact *m, uint32_t s, const tlk_row *row)
{
    const tlk_pair pair = tlk_load_pair(&m->problem, row, m->problem.vel);
    real u[3];
    tlk_row_velocity(&m->problem, row, &pair, u);
    const double speed = -(double)tlk_dot(u, row->n);
    const double gap = (double)m->gap[s] + m->h * (double)tlk_impact_opened(m, row);
    if (!(speed > 0) || !(gap < m->h * speed))
        return (float)(2 * m->h);
    const float time = tlk_max(tlk_impact_clock(m, row), (float)(gap / speed));
    return (double)time < m->h ? time : (float)(2 * m->h);
}

/* How fast a row approaches at a time, with the velocities that it has then. */
TL_KERNEL double tlk_impact_speed(const tlk_impact *m, const tlk_row *row, float time)
{
    const tlk_row then = tlk_impact_row(m, row, time);
    const tlk_pair pair = tlk_impact_velocities(m, row, time);
    real u[3];
    tlk_row_velocity(&m->problem, &then, &pair, u);
    return -(double)tlk_dot(u, then.n);
}

/* What a row bids in this round: its round, then the earlier the hit the more (at the very start of
 * the step, the faster the more), then its number; 0 where it is not hit. */
TL_KERNEL uint64_t tlk_impact_offer(const tlk_impact *m, uint32_t s, const tlk_row *row)
{
    const float time = tlk_impact_closes(m, s, row);
    if (!((double)time < m->h) || tlk_impact_spent(m, s))
        return 0;
    const double speed = tlk_impact_speed(m, row, time);
    if (!(speed > m->slow))
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
    const tlk_row row = tlk_impact_load(p, s);
    const uint64_t offer = tlk_impact_offer(m, s, &row);
    m->offer[s] = offer;
    if (!offer)
        return;
    tlk_atomic_max(&m->bid[a], offer);
    if (b < p->moving)
        tlk_atomic_max(&m->bid[b], offer);
}

/* Two bodies had the velocities `before` up to now, not those after it: so they are elsewhere, by
 * what their pseudo-velocities say. */
TL_KERNEL void tlk_impact_shift(const tlk_impact *m, const tlk_row *row, float time,
                                const tlk_pair *before, const tlk_pair *after)
{
    tlk_pair pair = tlk_load_pair(&m->problem, row, m->pseudo);
    const real part = (real)((double)time / m->h);
    for (int k = 0; k < 8; k++) {
        pair.a[k] += part * (before->a[k] - after->a[k]);
        pair.b[k] += part * (before->b[k] - after->b[k]);
    }
    tlk_store_pair(&m->problem, row, &pair, m->pseudo);
}

/* Whether body i has an attitude of its own at its last impact. */
TL_KERNEL bool tlk_impact_spins(const tlk_impact *m, uint32_t i)
{
    return i < m->problem.moving && m->bodies.flags[i] & TLK_BODY_ANISOTROPIC;
}

/* Turns body i freely over h: from its attitude q, where its velocity is v, to a new one. Returns
 * its angular velocity in its own frame. */
TL_RARE void tlk_impact_spin(const tlk_impact *m, uint32_t i, double h, const real *v, double *q,
                             double *spin)
{
    const double *moments = m->bodies.inertia + 4 * (size_t)i, w[3] = {v[4], v[5], v[6]};
    tlk_rotate_back(q, w, spin);
    for (int k = 0; k < 3; k++)
        spin[k] = spin[k] * moments[k];
    tlk_spin(h, moments, spin, q);
    for (int k = 0; k < 3; k++)
        spin[k] = spin[k] / moments[k];
}

/* A body of three moments that is about to be hit turns freely up to then: so it has another
 * angular velocity and another inertia, and its momentum and energy still. */
TL_KERNEL void tlk_impact_turn(const tlk_impact *m, uint32_t i, float time)
{
    const bool first = !(m->clock[i] > 0);
    const double *from = first ? m->bodies.quat + 4 * (size_t)i : m->spun + 4 * (size_t)i;
    real *v = m->problem.vel + 8 * (size_t)i;
    double q[4] = {from[0], from[1], from[2], from[3]}, spin[3], w[3];
    tlk_impact_spin(m, i, (double)time - (double)m->clock[i], v, q, spin);
    tlk_rotate(q, spin, w);
    for (int k = 0; k < 3; k++)
        v[4 + k] = (real)w[k];
    for (int k = 0; k < 4; k++)
        m->spun[4 * (size_t)i + k] = q[k];
    tlk_turned_inverse(m->bodies.inertia + 4 * (size_t)i, q, m->inverse + 8 * (size_t)i);
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
    tlk_row start = tlk_impact_load(p, s);
    const float time = tlk_impact_closes(m, s, &start);
    if (tlk_impact_spins(m, a))
        tlk_impact_turn(m, a, time);
    if (tlk_impact_spins(m, b))
        tlk_impact_turn(m, b, time);
    if (start.anchors)
        start = tlk_impact_load(p, s); /* inertias have turned */
    const tlk_row row = tlk_impact_row(m, &start, time);
    const tlk_pair then = tlk_impact_velocities(m, &row, time);
    tlk_pair pair = tlk_load_pair(p, &row, p->vel), after = then;
    real u[3], left[3], eta[3], gamma[3] = {0, 0, 0}, sum[3], work = 0;
    tlk_row_velocity(p, &row, &then, u);
    tlk_add_material(p, &row, 0, u);
    tlk_row_eta(&row, &then, eta);
    const real un = tlk_dot(u, row.n);
    tlk_psor_coulomb(p, m->restitution[s] * un, &row, &then, u, eta, gamma);
    if (row.anchors) {
        /* friction may turn a body so that Newton's law adds energy: then without friction */
        tlk_row_push(p, &row, gamma, &after);
        tlk_row_velocity(p, &row, &after, left);
        tlk_add_material(p, &row, 0, left);
        for (int k = 0; k < 3; k++)
            work += gamma[k] * (u[k] + left[k]);
        for (int k = 0; k < 3 && work > 0; k++)
            gamma[k] = -(1 + m->restitution[s]) * eta[0] * un * row.n[k];
    }
    after = pair;
    tlk_row_push(p, &row, gamma, &after);
    tlk_impact_shift(m, &row, time, &pair, &after);
    tlk_store_pair(p, &row, &after, p->vel);
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

/* One row, after the impacts: what is left of its gap at the last one of its bodies, for what is
 * left of the step then. Two spheres that would have struck, but pass each other, go on. A contact
 * at rest (a gap, and none to close) stays so. */
TL_KERNEL void tlk_impact_left_gap(const tlk_impact *m, uint32_t s, const tlk_row *row)
{
    const tlk_pair pair = tlk_load_pair(&m->problem, row, m->problem.vel);
    real u[3];
    if (m->bias[s] == 0 && m->gap[s] > 0)
        return;
    tlk_row_velocity(&m->problem, row, &pair, u);
    const double speed = -(double)tlk_dot(u, row->n), time = (double)tlk_impact_clock(m, row);
    const float closes = tlk_impact_closes(m, s, row);
    if (m->restitution[s] > 0 && (double)closes < m->h && !(tlk_impact_speed(m, row, closes) > 0)) {
        m->bias[s] = (real)(speed * (1 + 1e-6));
    } else if (time > 0) {
        const double gap =
            (double)m->gap[s] + m->h * (double)tlk_impact_opened(m, row) - time * speed;
        m->bias[s] = (real)(gap > 0 ? gap / (m->h - time) : tlk_gap_bias(&m->recovery, gap));
    }
}

/* One row, after the impacts: its gap, and of an anchor row the anchors. Its impulse acts on each
 * body where that is at its last impact. */
TL_KERNEL void tlk_impact_end(const tlk_impact *m, uint32_t s)
{
    const tlk_problem *p = &m->problem;
    if (p->a[s] == TLK_NONE)
        return;
    tlk_row row = tlk_impact_load(p, s);
    tlk_impact_left_gap(m, s, &row);
    if (!row.anchors || !(tlk_impact_clock(m, &row) > 0))
        return;
    const tlk_pair vel = tlk_load_pair(p, &row, p->vel), push = tlk_load_pair(p, &row, m->pseudo);
    real *head = m->head + tlk_at(s, 0, TLK_HEAD);
    real *anchors = m->anchors + tlk_at(s - p->anchor_base, 0, TLK_ANCHORS);
    tlk_impact_anchors(m, &row, &vel, &push, m->clock[row.a],
                       row.b < p->moving ? m->clock[row.b] : m->clock[row.a]);
    for (int k = 0; k < 3; k++) {
        anchors[k * TLK_LANES] = row.ra[k];
        anchors[(3 + k) * TLK_LANES] = row.rb[k];
    }
    head[4 * TLK_LANES] = row.eta[0];
    head[5 * TLK_LANES] = row.eta[1];
    anchors[6 * TLK_LANES] = row.eta[2];
}

/* The w that tlk_turn_of() makes the turn from one attitude to another of, over h; false where that
 * is more than 50 degrees. */
TL_KERNEL bool tlk_turn_between(double h, const double *from, const double *to, double *w)
{
    const double back[4] = {from[0], -from[1], -from[2], -from[3]};
    double q[4], square = 0;
    tlk_quaternion_product(to, back, q);
    if (!(fabs(q[0]) > 0.9))
        return false;
    for (int k = 1; k < 4; k++)
        q[k] = q[k] / q[0];
    const double tangent = tlk_dotd(q + 1, q + 1);
    for (int i = 0; i < 20; i++) { /* each gains most of a digit, or more */
        const double ratio = tlk_tan_ratio(square);
        square = tangent / (ratio * ratio);
    }
    for (int k = 0; k < 3; k++)
        w[k] = 2 * q[1 + k] / (h * tlk_tan_ratio(square));
    return true;
}

/* One body, after the velocity problem: what that changed acts from its last impact on. One with
 * three moments turns freely from there back to the start of the step: it has the velocity that it
 * has there, in the attitude at the start, and what turns it from one to the other besides. So all
 * that comes needs to know of no impact, and momentum and energy are kept. */
TL_KERNEL void tlk_impact_settle(const tlk_impact *m, uint32_t i)
{
    const double *from = m->bodies.quat + 4 * (size_t)i;
    const real part = (real)((double)m->clock[i] / m->h);
    real v[8], struck[8], push[8];
    tlk_load8(m->problem.vel + 8 * (size_t)i, v);
    tlk_load8(m->struck + 8 * (size_t)i, struck);
    tlk_load8(m->pseudo + 8 * (size_t)i, push);
    for (int k = 0; k < 8 && part > 0; k++)
        push[k] -= part * (v[k] - struck[k]);
    if (part > 0 && tlk_impact_spins(m, i)) {
        const double *spun = m->spun + 4 * (size_t)i;
        double q[4] = {spun[0], spun[1], spun[2], spun[3]}, spin[3], w[3], turn[3];
        tlk_impact_spin(m, i, -(double)m->clock[i], v, q, spin);
        tlk_rotate(from, spin, w);
        const bool slow = tlk_turn_between(m->h, from, q, turn);
        for (int k = 0; k < 3; k++) {
            v[4 + k] = (real)w[k];
            push[4 + k] = slow ? (real)turn[k] : push[4 + k];
        }
    }
    tlk_store8(m->pseudo + 8 * (size_t)i, push);
    tlk_store8(m->struck + 8 * (size_t)i, v);
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
