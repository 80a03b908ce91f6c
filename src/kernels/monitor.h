/* Monitors: what a group of bodies feels, carries and does in a step. One contact or body at a
 * time, folded. */
#ifndef TL_KERNELS_MONITOR_H
#define TL_KERNELS_MONITOR_H

#include "kernels/bodies.h"
#include "kernels/order.h"
#include "kernels/query.h"

/* Whether a body is in group `on`. */
TL_KERNEL bool tlk_monitored(const tlk_monitor *m, uint32_t group, uint32_t row)
{
    return group == TLK_GROUP_ALL ||
           (m->member[(size_t)m->words * row + group / 32] >> group % 32 & 1);
}

/* Whether a shape row is number m->shape of its body: rows of a body are side by side. */
TL_KERNEL bool tlk_monitored_shape(const tlk_monitor *m, uint32_t s)
{
    const uint32_t *body = m->shapes.body;
    const uint32_t first = s - m->shape;
    if (m->shape == TLK_NONE)
        return true;
    return m->shape <= s && body[first] == body[s] && (!first || body[first - 1] != body[s]);
}

/* Whether what acts on `row` of the group counts where it comes from `other`. */
TL_KERNEL bool tlk_acts(const tlk_monitor *m, uint32_t row, uint32_t shape, uint32_t other)
{
    if (!tlk_monitored(m, m->on, row) || !tlk_monitored_shape(m, shape))
        return false;
    return m->by == TLK_GROUP_REST ? !tlk_monitored(m, m->on, other)
                                   : tlk_monitored(m, m->by, other);
}

/* One contact: its impulse on the group and the moment of that. */
TL_KERNEL void tlk_monitor_force(const tlk_monitor *m, uint32_t k, double *acc)
{
    const uint32_t a = m->contact_a[k], b = m->contact_b[k];
    const uint32_t row_a = m->shapes.body[a], row_b = m->shapes.body[b];
    const int sign = (int)tlk_acts(m, row_b, b, row_a) - (int)tlk_acts(m, row_a, a, row_b);
    const real *gamma = m->contact_gamma + 4 * (size_t)k;
    if (!sign || (gamma[0] == 0 && gamma[1] == 0 && gamma[2] == 0))
        return;
    /* the point halfway between the surfaces: from the owner's, where that is known, else from the
     * ball of the two that is dynamic */
    const real *n = m->contact_n + 4 * (size_t)k;
    const real *place = m->contact_place ? m->contact_place + 4 * (size_t)k : 0;
    const bool swap = !place && a >= m->shapes.dynamic;
    const double *centre = m->shapes.centre + 4 * (size_t)(swap ? b : a);
    const double radius = place ? 0 : m->shapes.geom[4 * (size_t)(swap ? b : a) + 3];
    const double reach = (swap ? -1 : 1) * (radius + 0.5 * (double)n[3]);
    const double *about =
        m->origin == TLK_NONE ? m->point : m->motion.bodies.pos + 4 * (size_t)m->origin;
    double anchor[3], impulse[3], moment[3];
    for (int c = 0; c < 3; c++) {
        impulse[c] = sign * (double)gamma[c];
        anchor[c] = centre[c] + reach * (double)n[c] - about[c] + (place ? (double)place[c] : 0);
    }
    tlk_crossd(anchor, impulse, moment);
    for (int c = 0; c < 3; c++) {
        acc[c] += impulse[c];
        acc[3 + c] += moment[c];
        if (m->contact_moment)
            acc[3 + c] += sign * (double)m->contact_moment[4 * (size_t)k + c];
    }
}

/* One contact: where it overlaps or carries an impulse, the body that touches the group. */
TL_KERNEL void tlk_monitor_touch(const tlk_monitor *m, uint32_t k)
{
    const uint32_t a = m->contact_a[k], b = m->contact_b[k];
    const uint32_t row_a = m->shapes.body[a], row_b = m->shapes.body[b];
    const real *gamma = m->contact_gamma ? m->contact_gamma + 4 * (size_t)k : 0;
    if (m->contact_n[4 * (size_t)k + 3] > 0 &&
        !(gamma && (gamma[0] != 0 || gamma[1] != 0 || gamma[2] != 0)))
        return;
    if (tlk_acts(m, row_b, b, row_a))
        tlk_atomic_or32(&m->touching[row_a], 1);
    if (tlk_acts(m, row_a, a, row_b))
        tlk_atomic_or32(&m->touching[row_b], 1);
}

/* One body: one, and its mass, where it touches the group. */
TL_KERNEL void tlk_monitor_touching(const tlk_monitor *m, uint32_t i, double *acc)
{
    if (!m->touching[i])
        return;
    acc[0] += 1;
    acc[1] += m->motion.bodies.inertia[4 * (size_t)i + 3];
}

/* Which side of a plane, or of a region's surface, a point is on. */
TL_KERNEL bool tlk_monitor_side(const tlk_monitor *m, const double *x)
{
    const double *n = m->normal;
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
        return tlk_region_contains(&m->region, x);
    const double d[3] = {x[0] - m->point[0], x[1] - m->point[1], x[2] - m->point[2]};
    return tlk_dotd(n, d) >= 0;
}

/* One dynamic body, before it moves: its mass, and one, where it will change sides. */
TL_KERNEL void tlk_monitor_flow(const tlk_monitor *m, uint32_t i, double *acc)
{
    double next[3];
    if (!tlk_monitored(m, m->on, i))
        return;
    tlk_next_place(&m->motion, i, next);
    const bool before = tlk_monitor_side(m, m->motion.bodies.pos + 4 * (size_t)i);
    const bool after = tlk_monitor_side(m, next);
    if (before == after)
        return;
    const double mass = m->motion.bodies.inertia[4 * (size_t)i + 3];
    acc[0] += after ? mass : -mass;
    acc[1] += after ? 1 : -1;
}

/* One body: weight and weighted vector of dynamic ones (0 to 3) and of the others (4 to 7). */
TL_KERNEL void tlk_monitor_mean(const tlk_monitor *m, uint32_t i, double *acc)
{
    const tlk_bodies *b = &m->motion.bodies;
    if (!tlk_monitored(m, m->on, i))
        return;
    const bool moves = i < b->dynamic;
    const double weight = moves && !m->plain ? b->inertia[4 * (size_t)i + 3] : 1;
    const double *x = b->pos + 4 * (size_t)i;
    const real *v = b->vel + 8 * (size_t)i + (m->quantity == 2 ? 4 : 0);
    double *to = acc + (moves ? 0 : 4);
    to[0] += weight;
    for (int k = 0; k < 3; k++)
        to[1 + k] += weight * (m->quantity ? (double)v[k] : x[k]);
}

/* One dynamic body: kinetic and potential energy, mass, number, speed (sum, largest, smallest). */
TL_KERNEL void tlk_monitor_bodies(const tlk_monitor *m, uint32_t i, double *acc)
{
    const tlk_bodies *b = &m->motion.bodies;
    if (!tlk_monitored(m, m->on, i) ||
        (m->within && !tlk_region_contains(&m->region, b->pos + 4 * (size_t)i)))
        return;
    const real *v = b->vel + 8 * (size_t)i;
    const double velocity[3] = {v[0], v[1], v[2]};
    const double speed = sqrt(tlk_dotd(velocity, velocity));
    tlk_energy(&m->motion, i, acc);
    acc[2] += b->inertia[4 * (size_t)i + 3];
    acc[3] += 1;
    acc[4] += speed;
    acc[5] = tlk_max(acc[5], speed);
    acc[6] = tlk_min(acc[6], speed);
}

/* One shape: how far away a ray hits it. */
TL_KERNEL void tlk_monitor_ray(const tlk_monitor *m, uint32_t s, double *acc)
{
    const tlk_bodies *b = &m->motion.bodies;
    tlk_ray ray = m->ray;
    tlk_ray_hit hit;
    if (!tlk_monitored(m, m->on, m->shapes.body[s]))
        return;
    if (m->origin != TLK_NONE) {
        const double *x = b->pos + 4 * (size_t)m->origin, *q = b->quat + 4 * (size_t)m->origin;
        tlk_rotate(q, m->ray.origin, ray.origin);
        tlk_rotate(q, m->ray.direction, ray.direction);
        for (int k = 0; k < 3; k++)
            ray.origin[k] += x[k];
    }
    if (tlk_hit_shape(b, &m->shapes, s, &ray, ray.limit, &hit))
        acc[0] = tlk_min(acc[0], hit.distance);
}

#endif
