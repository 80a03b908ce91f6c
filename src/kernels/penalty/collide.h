/* Collisions of the law scaled (document 004, section 2.6): where a pair comes together too fast
 * for springs, an impulse with restitution, after which the surfaces just touch and the centre of
 * mass is where it was. One pair at a time; those of a colour share no dynamic body. */
#ifndef TL_KERNELS_PENALTY_COLLIDE_H
#define TL_KERNELS_PENALTY_COLLIDE_H

#include "kernels/penalty/force.h"

/* One place in the order of colours: the pair that comes there. */
TL_KERNEL void tlk_penalty_order(const tlk_penalty *p, uint32_t q)
{
    p->order[p->colour_place ? p->colour_place[q] : q] = q;
}

/* What an impulse of 1 along n at an anchor changes of a body's velocity; the part along n there.
 */
TL_KERNEL double tlk_penalty_give(const tlk_penalty *p, size_t i, const double *anchor,
                                  const double *n, double *change)
{
    const double *inertia = p->bodies.inertia + 4 * i, *q = p->bodies.quat + 4 * i;
    double torque[3], local[3], turned[3];
    for (int k = 0; k < 6; k++)
        change[k] = 0;
    if (i >= p->bodies.dynamic)
        return 0;
    tlk_crossd(anchor, n, torque);
    tlk_rotate_back(q, torque, local);
    for (int k = 0; k < 3; k++)
        local[k] /= inertia[k];
    tlk_rotate(q, local, change + 3);
    tlk_crossd(change + 3, anchor, turned);
    for (int k = 0; k < 3; k++)
        change[k] = n[k] / inertia[3];
    if (p->planar)
        change[1] = change[3] = change[5] = 0;
    return tlk_dotd(change, n) + tlk_dotd(turned, n);
}

/* The same where it may be a rod. */
TL_KERNEL double tlk_penalty_gives(const tlk_penalty *p, size_t i, const double *anchor,
                                   const double *n, double *change)
{
    const double *vel = p->vel + 8 * i;
    double v[3] = {0, 0, 0}, off[3], mass, inertia;
    for (int k = 0; k < 6; k++)
        change[k] = 0;
    if (!p->rods || !(vel[7] > 0))
        return tlk_penalty_give(p, i, anchor, n, change);
    tlk_rod_at(p, vel, anchor, v, off, &mass, &inertia);
    return mass;
}

/* An impulse along n on a body at an anchor, and a shift of it there, kg m, both shared by the ends
 * of a rod. */
TL_KERNEL void tlk_penalty_push(const tlk_penalty *p, size_t i, const double *anchor,
                                const double *n, const double *give, double impulse, double shift)
{
    double *v = p->vel + 8 * i;
    if (p->rods && v[7] > 0) {
        tlk_rod_push(p, v, anchor, n, impulse, shift);
        return;
    }
    for (int k = 0; k < 3 && i < p->bodies.dynamic; k++) {
        v[k] += impulse * give[k];
        v[4 + k] += impulse * give[3 + k];
        p->bodies.pos[4 * i + k] += shift / p->bodies.inertia[4 * i + 3] * n[k];
    }
}

/* The deepest point of a pair, halfway between the surfaces. False where it does not overlap. */
TL_KERNEL bool tlk_penalty_deepest(const tlk_penalty *p, uint32_t q, uint32_t i, uint32_t j,
                                   double *n, double *gap, double *x)
{
    const tlk_shapes *s = &p->shapes;
    if (tlk_is_simple(s->info[i], s->info[j])) {
        const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
        *gap = tlk_narrow(s, i, j, n);
        tlk_sphere_point(s, i, j, n, x);
        for (int k = 0; k < 3; k++)
            x[k] += (from_i ? 0.5 : -0.5) * *gap * n[k];
        return *gap < 0;
    }
    const double *centre = s->centre + 4 * (size_t)i;
    tlk_manifold m;
    const uint32_t first = p->first ? p->first[q] : q;
    tlk_penalty_manifold(s, i, j, p->feature ? p->feature[2 * (size_t)first] : 0, 0, &m);
    *gap = 0;
    for (uint32_t k = 0; k < m.count; k++) {
        if (!(m.gap[k] < *gap))
            continue;
        *gap = m.gap[k];
        for (int l = 0; l < 3; l++) {
            n[l] = m.n[l];
            x[l] = centre[l] + m.at[k][l] + 0.5 * m.gap[k] * m.n[l];
        }
    }
    return *gap < 0;
}

/* One pair, in the order of colours. */
TL_KERNEL void tlk_penalty_collide(const tlk_penalty *p, uint32_t place)
{
    const uint32_t q = p->order[place], first = p->first ? p->first[q] : q;
    const uint32_t i = p->a[first], j = p->b[first];
    double n[3] = {0, 0, 0}, x[3] = {0, 0, 0}, gap, give_a[6], give_b[6], va[3], vb[3], speed = 0;
    if (!tlk_penalty_deepest(p, q, i, j, n, &gap, x))
        return;
    tlk_pressing c;
    tlk_penalty_couple(p, i, j, &c);
    const double *xa = p->bodies.pos + 4 * c.a, *xb = p->bodies.pos + 4 * c.b;
    const double *ua = p->vel + 8 * c.a, *ub = p->vel + 8 * c.b;
    const double anchor_a[3] = {x[0] - xa[0], x[1] - xa[1], x[2] - xa[2]};
    const double anchor_b[3] = {x[0] - xb[0], x[1] - xb[1], x[2] - xb[2]};
    const bool rods = p->rods && (ua[7] > 0 || ub[7] > 0);
    if (rods) { /* other collisions of this substep have changed their ends */
        if (ua[7] > 0)
            tlk_rod_velocity(p, (uint32_t)ua[7] - 1);
        if (ub[7] > 0)
            tlk_rod_velocity(p, (uint32_t)ub[7] - 1);
    }
    tlk_penalty_at(ua, anchor_a, va);
    tlk_penalty_at(ub, anchor_b, vb);
    if (rods) {
        double off_a[3], off_b[3];
        if (!tlk_penalty_at_rods(p, &c, anchor_a, anchor_b, va, vb, off_a, off_b))
            return;
    }
    for (int k = 0; k < 3; k++)
        speed += (va[k] - vb[k]) * n[k];
    const double curve =
        tlk_max(tlk_penalty_curve(&p->shapes, i), tlk_penalty_curve(&p->shapes, j));
    if (!(speed * curve > p->threshold))
        return;
    const double give = tlk_penalty_gives(p, c.a, anchor_a, n, give_a) +
                        tlk_penalty_gives(p, c.b, anchor_b, n, give_b);
    const double e = c.law[TLK_LAW_RESTITUTION], impulse = (1 + e) * speed / give;
    real *sum = p->sum + TLK_SUM * (size_t)p->slots * q;
    real *last = p->last + TLK_LAST * (size_t)p->slots * q;
    for (int k = 0; k < 3; k++) {
        const double of = c.a >= p->bodies.dynamic ? va[k] : c.b >= p->bodies.dynamic ? -vb[k] : 0;
        sum[TLK_SUM_IMPULSE + k] += (real)(impulse * n[k]);
        last[TLK_LAST_WORK] += (real)(impulse * n[k] * of);
    }
    tlk_penalty_push(p, c.a, anchor_a, n, give_a, -impulse, gap * c.mass);
    tlk_penalty_push(p, c.b, anchor_b, n, give_b, impulse, -gap * c.mass);
    sum[TLK_SUM_LOST] += (real)(0.5 * (1 - e * e) * speed * speed / give);
}

#endif
