/* Planes that turn with a shape: blades, paddles, rotors. A contact's plane is one of the shape
 * that it belongs to. Where that turns so far within the step that it is elsewhere than its
 * velocity says, the plane turns with it: what is in front of it as the step begins is in front of
 * it as the step ends, however far the two turn and whatever velocities come to be. One pair at a
 * time; called by planes.h. docs/theory.md, "Planes by motion". */
#ifndef TL_KERNELS_CARRY_H
#define TL_KERNELS_CARRY_H

#include "kernels/contacts.h"
#include "kernels/touch.h"

#define TLK_CARRY_YIELDS 1e-3 /* of a contact's change of velocity: less is a wall's */

/* What carries the planes of a pair: one of its two shapes. */
typedef struct tlk_carrier {
    bool is_b;      /* the contacts' second shape */
    uint32_t other; /* the other shape */
    size_t body;    /* its own */
    double turn[4]; /* the quaternion of its turn within the step */
} tlk_carrier;

/* The velocity of a body's material at a point. */
TL_KERNEL void tlk_plane_velocity(const real *vel, const double *x, const double *at, double *v)
{
    const double w[3] = {vel[4], vel[5], vel[6]};
    const double anchor[3] = {at[0] - x[0], at[1] - x[1], at[2] - x[2]};
    tlk_crossd(w, anchor, v);
    for (int k = 0; k < 3; k++)
        v[k] += (double)vel[k];
}

/* Whether contact k acts at the middle of a body (narrow/brace.h), not at a surface. */
TL_KERNEL bool tlk_carry_acts(const tlk_planes *q, uint32_t k)
{
    const uint32_t id = q->feature ? q->feature[2 * (size_t)k + 1] : 0;
    return id == TLK_BRACE_ID || id >= TLK_BRACE_ID + 16;
}

/* Where contact k is on its two shapes: between two bodies that move, what acts at a middle does so
 * halfway (contacts.h), and counts as a point of the other one (`is_b`: of the first). */
TL_KERNEL void tlk_carry_points(const tlk_planes *q, uint32_t k, bool is_b, double *own,
                                double *other)
{
    const tlk_build *p = &q->build;
    const tlk_shapes *s = &p->shapes;
    const uint32_t a = p->contact_a[k], b = p->contact_b[k];
    const real *c = q->contact_n + 4 * (size_t)k;
    const double n[3] = {c[0], c[1], c[2]}, gap = c[3];
    const bool moving = s->body[a] < p->bodies.dynamic && s->body[b] < p->bodies.dynamic;
    const bool on_a = q->contact_place || (s->info[a] & TLK_SHAPE_KIND) == TLK_SPHERE;
    double x[3] = {0, 0, 0};
    if (!q->contact_place)
        tlk_sphere_point(s, a, b, n, x);
    /* from x, which is on a or b, to the points of the carrier and of the other */
    const double to_a = on_a ? 0 : -gap, to_b = on_a ? gap : 0;
    const double half = moving && tlk_carry_acts(q, k) ? (is_b ? 0.5 : -0.5) * gap : 0;
    for (int i = 0; i < 3; i++) {
        if (q->contact_place)
            x[i] = s->centre[4 * (size_t)a + i] + (double)q->contact_place[4 * (size_t)k + i];
        own[i] = x[i] + ((is_b ? to_b : to_a) + half) * n[i];
        other[i] = x[i] + ((is_b ? to_a : to_b) + half) * n[i];
    }
}

/* Whether a body turned from under something in the last attempt at this step (swing.h). */
TL_KERNEL bool tlk_carry_swings(const tlk_planes *q, size_t body)
{
    return q->held && body < q->build.bodies.dynamic && q->held[body] & TLK_CARRIES;
}

/* The velocity of a body, its spin as it turned then. */
TL_KERNEL void tlk_carry_velocity(const tlk_planes *q, size_t body, real *v)
{
    const bool swings = tlk_carry_swings(q, body);
    tlk_load8(q->build.bodies.vel + 8 * body, v);
    for (int k = 0; k < 3 && swings; k++)
        v[4 + k] = q->turn[4 * body + k];
}

/* What carries the planes of the pair whose contacts begin with k; false where nothing turns so
 * far. That is a shape which reaches farther from its body's middle than the other one is large. */
TL_KERNEL bool tlk_carry_find(const tlk_planes *q, uint32_t k, tlk_carrier *out)
{
    const tlk_build *p = &q->build;
    const tlk_shapes *s = &p->shapes;
    double at[3], there[3], most = 0;
    real v[8];
    out->is_b = false;
    out->other = 0;
    out->body = 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t own = side ? p->contact_b[k] : p->contact_a[k];
        const uint32_t other = side ? p->contact_a[k] : p->contact_b[k];
        const size_t body = s->body[own];
        const uint32_t kind = s->info[own] & TLK_SHAPE_KIND;
        const double *x = p->bodies.pos + 4 * body;
        tlk_carry_points(q, k, side == 1, at, there);
        const double anchor[3] = {at[0] - x[0], at[1] - x[1], at[2] - x[2]};
        const double *geom = s->geom + 4 * (size_t)own;
        const double size = s->geom[4 * (size_t)other + 3];
        const double reach = kind == TLK_PLANE ? INFINITY : geom[3] + sqrt(tlk_dotd(geom, geom));
        tlk_carry_velocity(q, body, v);
        const double w[3] = {v[4], v[5], v[6]};
        const double beyond =
            tlk_turn_beyond(&p->bodies, body, w, s->body[other], p->recovery.h, anchor);
        if (kind == TLK_SPHERE || s->body[other] >= p->bodies.dynamic || !(beyond > most) ||
            !(beyond > TLK_SWIFT * tlk_thin(s, other)) || !(reach > size) ||
            !(tlk_carry_swings(q, body) || tlk_dotd(anchor, anchor) > size * size))
            continue;
        most = beyond;
        out->is_b = side == 1;
        out->other = other;
        out->body = body;
    }
    if (!(most > 0))
        return false;
    tlk_carry_velocity(q, out->body, v);
    const double w[3] = {v[4], v[5], v[6]};
    tlk_turn_of(p->recovery.h, w, out->turn);
    return true;
}

/* Contact k takes the plane that it has as the step ends. Its gap is the one that makes its row say
 * so: the row goes straight on with the velocity of the carrier's surface, at the end of `anchor`
 * from the carrier's body. Of a ball the point is where the new plane touches it. */
TL_KERNEL void tlk_carry_take(const tlk_planes *q, const tlk_carrier *c, uint32_t k, double *anchor)
{
    const tlk_build *p = &q->build;
    const tlk_shapes *s = &p->shapes;
    const real *old = q->contact_n + 4 * (size_t)k;
    real vel[8];
    const double n[3] = {old[0], old[1], old[2]}, h = p->recovery.h, sign = c->is_b ? 1 : -1;
    const double *x = p->bodies.pos + 4 * c->body, *ball = s->centre + 4 * (size_t)c->other;
    const double radius = s->geom[4 * (size_t)c->other + 3];
    const bool sphere = (s->info[c->other] & TLK_SHAPE_KIND) == TLK_SPHERE && !tlk_carry_acts(q, k);
    const bool moving = c->body < p->bodies.dynamic;
    double own[3], other[3], to[3], turned[3], there[3], v[3], end = 0;
    tlk_carry_points(q, k, c->is_b, own, other);
    const double from[3] = {own[0] - x[0], own[1] - x[1], own[2] - x[2]};
    tlk_rotate(c->turn, n, to);
    tlk_rotate(c->turn, from, turned);
    for (int i = 0; i < 3; i++) {
        other[i] = sphere ? ball[i] + sign * radius * to[i] : other[i];
        /* a wall gets the velocity that its point ends with; of a body that moves both impulses
         * act at one point */
        anchor[i] = moving ? other[i] - x[i] : turned[i];
        there[i] = x[i] + anchor[i];
    }
    tlk_carry_velocity(q, c->body, vel);
    tlk_plane_velocity(vel, x, there, v);
    for (int i = 0; i < 3; i++)
        end += sign * to[i] * (x[i] + h * vel[i] + turned[i] - other[i] - h * v[i]);
    const real out[4] = {(real)to[0], (real)to[1], (real)to[2], (real)end};
    tlk_store4(q->contact_n + 4 * (size_t)k, out);
    if (!q->contact_place)
        return;
    /* so that it acts at the point of the other, where contacts.h has it in the middle of the gap
     */
    const double back = moving ? 0.5 * end : c->is_b ? 0 : end;
    real place[4] = {0, 0, 0, 0};
    for (int i = 0; i < 3; i++)
        place[i] = (real)(other[i] - back * to[i] - s->centre[4 * (size_t)p->contact_a[k] + i]);
    tlk_store4(q->contact_place + 4 * (size_t)k, place);
}

/* How much of the change of velocity that row s makes is the carrier's, at the end of an anchor:
 * its share of the inverse masses along the normal; nothing of a wall's. */
TL_KERNEL double tlk_carry_yields(const tlk_planes *q, const tlk_carrier *c, uint32_t k, uint32_t s,
                                  const double *anchor)
{
    const tlk_build *p = &q->build;
    const real *out = q->contact_n + 4 * (size_t)k, *i = p->inverse + 8 * c->body;
    const double n[3] = {out[0], out[1], out[2]};
    double r[3];
    if (c->body >= p->bodies.dynamic)
        return 0;
    tlk_crossd(anchor, n, r);
    const double turns = i[0] * r[0] * r[0] + i[1] * r[1] * r[1] + i[2] * r[2] * r[2] +
                         2 * (i[3] * r[0] * r[1] + i[4] * r[0] * r[2] + i[5] * r[1] * r[2]);
    return p->head[tlk_at(s, 4, TLK_HEAD)] * (p->bodies.vel[8 * c->body + 3] + turns);
}

/* Row s of contact k, built anew: a wall's point is at the end of an anchor. Where the plane comes
 * nearer than a straight way has it, the row makes up for that by velocity: it is no overlap, but
 * for what was one before (`gap`). That is work: a wall does it, and a body that yields as little;
 * the plane of one that yields more is a guess, and nothing would pay for it. */
TL_KERNEL void tlk_carry_row(const tlk_planes *q, const tlk_carrier *c, uint32_t k, uint32_t s,
                             double gap, const double *anchor)
{
    const tlk_build *p = &q->build;
    const bool wall = c->body >= p->bodies.dynamic;
    const double nearer = (double)q->contact_n[4 * (size_t)k + 3] - tlk_min(gap, 0.0);
    const double works = 1 - tlk_carry_yields(q, c, k, s, anchor) / TLK_CARRY_YIELDS;
    if (nearer < 0 && works > 0)
        p->bias[s] = tlk_min(p->bias[s], (real)(works * nearer / p->recovery.h));
    for (uint32_t f = 0; f < 3 && wall; f++)
        if (s >= p->anchor_base)
            p->anchors[tlk_at(s - p->anchor_base, 3 + f, TLK_ANCHORS)] = (real)anchor[f];
        else if (p->wall)
            p->wall[tlk_at(s, f, 3)] = (real)anchor[f];
}

#endif
