/* From poses and velocities to the forces of pairs: where they touch now, and what the law says of
 * each point. One pair at a time. */
#ifndef TL_KERNELS_PENALTY_FORCE_H
#define TL_KERNELS_PENALTY_FORCE_H

#include "kernels/bodies.h"
#include "kernels/joint/args.h"
#include "kernels/penalty/linear.h"
#include "kernels/penalty/plain.h"
#include "kernels/penalty/rod.h"
#include "kernels/penalty/scaled.h"
#include "kernels/touch.h"

/* One shape: where it is now, and whether it has left the margin that pairs were found with. */
TL_KERNEL void tlk_penalty_place(const tlk_penalty *p, uint32_t i)
{
    const tlk_shapes *s = &p->shapes;
    const size_t body = s->body[i];
    const bool sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    double geom[4], x[4], centre[4];
    if (p->commits && body >= p->bodies.dynamic) { /* one that stays is where it was, since the
                                                      first evaluation of the chunk */
        const double *v = p->vel + 8 * body;
        if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0)
            return;
    }
    tlk_load4d(s->geom + 4 * (size_t)i, geom);
    tlk_load4d(tlk_penalty_where(p, body), x);
    double anchor[3] = {geom[0], geom[1], geom[2]};
    if (!sphere) {
        tlk_find find;
        find.shapes = *s;
        find.bodies = p->bodies;
        tlk_place_frame(&find, i);
    }
    if (anchor[0] != 0 || anchor[1] != 0 || anchor[2] != 0)
        tlk_rotate(p->bodies.quat + 4 * body, geom, anchor);
    const double *from = p->reference + 4 * (size_t)i;
    double moved = 0;
    for (int k = 0; k < 3; k++)
        centre[k] = x[k] + anchor[k];
    centre[3] = sphere ? geom[3] : -1;
    tlk_store4d(s->centre + 4 * (size_t)i, centre);
    if (p->calm && p->commits && body < p->bodies.dynamic)
        return;
    if (p->rods && p->vel[8 * body + 7] > 0)
        return; /* rods look at how far their ends have gone */
    for (int k = 0; k < 3; k++)
        moved += (centre[k] - from[k]) * (centre[k] - from[k]);
    double way = sqrt(moved);
    if (!sphere) { /* half the angle, at most, is the length of what differs */
        const double *q = p->bodies.quat + 4 * body, *then = p->turned + 4 * (body - p->upright);
        double off = 0;
        for (int k = 0; k < 4; k++)
            off += (q[k] - then[k]) * (q[k] - then[k]);
        way += 2 * sqrt(off) * geom[3];
    }
    tlk_penalty_strays(p, way);
}

/* What a shape's curvature counts as, m: 1 over the radius; 0 of flat ones. */
TL_KERNEL double tlk_penalty_curve(const tlk_shapes *s, uint32_t i)
{
    const uint32_t kind = s->info[i] & TLK_SHAPE_KIND;
    if (kind == TLK_SPHERE)
        return 1 / s->geom[4 * (size_t)i + 3];
    const bool round = kind >= TLK_CAPSULE && kind <= TLK_ELLIPSOID;
    if (kind == TLK_PLANE || kind == TLK_PARALLELOGRAM || (!round && s->info[i] & TLK_SHAPE_FIXED))
        return 0;
    return 1 / tlk_thin(s, i);
}

/* What is the same for all points of a pair. */
typedef struct tlk_pressing {
    uint32_t i, j;
    size_t a, b; /* bodies */
    const double *law;
    double radius, mass, inertia, slide[3];
} tlk_pressing;

/* 1/m and 1 over the least moment of a body; 0 of those that are not dynamic. */
TL_KERNEL void tlk_penalty_inverse(const tlk_bodies *b, size_t i, double *mass, double *inertia)
{
    const double *of = b->inertia + 4 * i;
    const bool moves = i < b->dynamic;
    *mass = moves ? 1 / of[3] : 0;
    *inertia = moves ? 1 / tlk_min(of[0], tlk_min(of[1], of[2])) : 0;
}

TL_KERNEL void tlk_penalty_couple(const tlk_penalty *p, uint32_t i, uint32_t j, tlk_pressing *c)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t ma = s->info[i] >> TLK_SHAPE_MATERIAL, mb = s->info[j] >> TLK_SHAPE_MATERIAL;
    double mass[2], inertia[2];
    c->i = i, c->j = j;
    c->a = s->body[i], c->b = s->body[j];
    c->law = p->table + TLK_LAW_NUMBERS * ((size_t)ma * p->materials + mb);
    c->radius = 1 / (tlk_penalty_curve(s, i) + tlk_penalty_curve(s, j));
    tlk_penalty_inverse(&p->bodies, c->a, &mass[0], &inertia[0]);
    tlk_penalty_inverse(&p->bodies, c->b, &mass[1], &inertia[1]);
    c->mass = 1 / (mass[0] + mass[1]);
    c->inertia = 1 / (inertia[0] + inertia[1]);
    for (int k = 0; k < 3; k++)
        c->slide[k] = 0;
    if (p->slides) {
        double of_a[3], of_b[3];
        tlk_rotate(p->bodies.quat + 4 * c->a, p->slides + 3 * (size_t)ma, of_a);
        tlk_rotate(p->bodies.quat + 4 * c->b, p->slides + 3 * (size_t)mb, of_b);
        for (int k = 0; k < 3; k++)
            c->slide[k] = of_a[k] - of_b[k];
    }
}

/* What is the same for a pair of one point as long as it is a pair, but whether it is plain. */
TL_KERNEL tlk_couple tlk_penalty_pairing(const tlk_penalty *p, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &p->shapes;
    const bool balls =
        (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE && (s->info[j] & TLK_SHAPE_KIND) == TLK_SPHERE;
    tlk_pressing c;
    tlk_couple of;
    tlk_penalty_couple(p, i, j, &c);
    if (balls) {
        double light[2], slender;
        tlk_penalty_inverse(&p->bodies, c.a, &light[0], &slender);
        tlk_penalty_inverse(&p->bodies, c.b, &light[1], &slender);
        of = tlk_plain_couple((real)s->geom[4 * (size_t)i + 3], (real)s->geom[4 * (size_t)j + 3],
                              (real)light[0], (real)light[1]);
    } else {
        of = tlk_plain_couple(1, 1, 1, 1);
        of.radius = (real)c.radius, of.mass = (real)c.mass;
    }
    of.law = (uint32_t)((c.law - p->table) / TLK_LAW_NUMBERS);
    return of;
}

/* A pair of one point, as it is found. */
TL_KERNEL void tlk_penalty_note(const tlk_penalty *p, uint32_t q)
{
    tlk_couple *out = p->couple + q;
    *out = tlk_penalty_pairing(p, p->a[q], p->b[q]);
    const double *law = p->table + TLK_LAW_NUMBERS * (size_t)out->law;
    out->plain = p->law == 0 && !p->slides && !(law[TLK_LAW_ROLLING] > 0) &&
                 !(law[TLK_LAW_SPINNING] > 0) && !(law[TLK_LAW_COHESION] > 0) &&
                 !(law[TLK_LAW_DENSITY] > 0) && !(law[TLK_LAW_SPRING] > 0);
}

/* The velocity of a body at the end of an anchor. */
TL_KERNEL void tlk_penalty_at(const double *vel, const double *anchor, double *v)
{
    double turn[3];
    tlk_crossd(vel + 4, anchor, turn);
    for (int k = 0; k < 3; k++)
        v[k] = vel[k] + turn[k];
}

/* A slot without a point: the last energy, stiffness and force. */
TL_KERNEL void tlk_penalty_clear(const tlk_penalty *p, size_t slot)
{
    const real none[4] = {0, 0, 0, 0};
    real *last = p->last + p->lasts * slot;
    tlk_store4(last, none);
    if (p->lasts == TLK_LAST)
        last[TLK_LAST_STIFF] = 0;
}

/* How fast a point with a rod would swing and be damped, over mass, by what its bodies yield along
 * the normal and across it. Across it damping is to that along it as the root of stiffness is, at
 * most. */
TL_KERNEL void tlk_penalty_rate(const tlk_penalty *p, const tlk_pressing *c,
                                const tlk_reaction *out, const double *n, const double *anchor_a,
                                const double *anchor_b, real *last)
{
    const double *anchor[2] = {anchor_a, anchor_b};
    double along = 0, across = 0, turn[3];
    for (int e = 0; e < 2; e++) {
        if ((e ? c->b : c->a) >= p->bodies.dynamic)
            continue;
        tlk_crossd(anchor[e], n, turn);
        along = tlk_max(along, tlk_dotd(turn, turn));
        across = tlk_max(across, tlk_dotd(anchor[e], anchor[e]));
    }
    along = 1 / c->mass + along / c->inertia;
    across = 1 / c->mass + across / c->inertia;
    const double ratio = out->slope > 0 ? sqrt(out->shear_slope / out->slope) : 0;
    last[TLK_LAST_STIFF] = (real)tlk_max(out->slope * along, out->shear_slope * across);
    last[TLK_LAST_DAMP] = (real)(out->damper * tlk_max(along, ratio * across));
    last[TLK_LAST_SHEAR] = -1; /* that these are over mass */
}

/* A point of a pair with rods: velocities and masses are those of the place along each, and anchors
 * those from its axis. False beyond its ends. */
TL_RARE bool tlk_penalty_at_rods(const tlk_penalty *p, tlk_pressing *c, const double *anchor_a,
                                 const double *anchor_b, double *of_a, double *of_b, double *off_a,
                                 double *off_b)
{
    double mass[2], inertia[2];
    bool meets = true;
    for (int e = 0; e < 2; e++) {
        const size_t body = e ? c->b : c->a;
        const double *anchor = e ? anchor_b : anchor_a, *vel = p->vel + 8 * body;
        double *off = e ? off_b : off_a;
        for (int k = 0; k < 3; k++)
            off[k] = anchor[k];
        if (vel[7] > 0)
            meets =
                tlk_rod_at(p, vel, anchor, e ? of_b : of_a, off, &mass[e], &inertia[e]) && meets;
        else
            tlk_penalty_inverse(&p->bodies, body, &mass[e], &inertia[e]);
    }
    c->mass = 1 / (mass[0] + mass[1]);
    c->inertia = 1 / (inertia[0] + inertia[1]);
    return meets;
}

/* One point: `x` halfway between the surfaces. Adds what acts to the pair's force; `past`: what the
 * slot keeps. */
TL_KERNEL bool tlk_penalty_point(const tlk_penalty *p, const tlk_pressing *c, const double *n,
                                 double gap, const double *x, double *past, size_t slot,
                                 double *force)
{
    real *sum = p->sum + TLK_SUM * slot, *last = p->last + TLK_LAST * slot;
    const double *xa = tlk_penalty_where(p, c->a), *xb = tlk_penalty_where(p, c->b);
    double va[8], vb[8];
    for (int k = 0; k < 8; k += 4) {
        tlk_load4d(p->vel + 8 * c->a + k, va + k);
        tlk_load4d(p->vel + 8 * c->b + k, vb + k);
    }
    const double anchor_a[3] = {x[0] - xa[0], x[1] - xa[1], x[2] - xa[2]};
    const double anchor_b[3] = {x[0] - xb[0], x[1] - xb[1], x[2] - xb[2]};
    double of_a[3], of_b[3], slide = 0;
    tlk_pressed point;
    tlk_reaction out = {0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0, {0, 0, 0}, 0};
    tlk_penalty_at(va, anchor_a, of_a);
    tlk_penalty_at(vb, anchor_b, of_b);
    const bool rods = p->rods && (va[7] > 0 || vb[7] > 0);
    bool meets = true;
    double off_a[3] = {anchor_a[0], anchor_a[1], anchor_a[2]},
           off_b[3] = {anchor_b[0], anchor_b[1], anchor_b[2]};
    tlk_pressing own;
    if (rods) {
        own = *c;
        c = &own;
        meets = tlk_penalty_at_rods(p, &own, anchor_a, anchor_b, of_a, of_b, off_a, off_b);
    }
    point.approach = 0;
    for (int k = 0; k < 3; k++) {
        point.approach += (of_a[k] - of_b[k]) * n[k];
        slide += c->slide[k] * n[k];
    }
    for (int k = 0; k < 3; k++) {
        point.n[k] = n[k];
        point.slip[k] = of_a[k] - of_b[k] - point.approach * n[k] + c->slide[k] - slide * n[k];
        point.spin[k] = va[4 + k] - vb[4 + k];
    }
    point.overlap = -gap;
    point.radius = c->radius, point.mass = c->mass, point.inertia = c->inertia;
    point.law = c->law;
    point.past = past;
    double lost = 0;
    const double before = past[TLK_PAST_SLOPE];
    const bool touches = !meets        ? false
                         : p->law == 2 ? tlk_scaled(p, &point, &out, &lost)
                         : p->law == 1 || c->law[TLK_LAW_SPRING] > 0
                             ? tlk_linear(p, &point, &out, &lost)
                             : tlk_hertz(p, &point, &out, &lost);
    if (!touches) {
        if (past[TLK_PAST_TOUCHED] > 0 && p->commits) {
            if (p->cohesion == 1 && c->law[TLK_LAW_COHESION] > 0)
                sum[TLK_SUM_LOST] += last[TLK_LAST_ELASTIC]; /* where it snaps */
            for (uint32_t k = 0; k < TLK_PAST; k++)
                past[k] = 0;
        }
        tlk_penalty_clear(p, slot);
        return false;
    }
    const bool rolls = p->law != 2 && (c->law[TLK_LAW_ROLLING] > 0 || c->law[TLK_LAW_SPINNING] > 0);
    if (rolls)
        tlk_roll_moment(p, &point, before > 0 ? before / out.shear_slope : 1, &out);
    if (p->begins) /* what touches has touched before */
        past[TLK_PAST_TOUCHED] = 1;
    double f[3], turn_a[3], turn_b[3], power = 0, drive = 0;
    for (int k = 0; k < 3; k++) {
        f[k] = out.normal * n[k] + out.shear[k];
        force[k] += f[k];
    }
    tlk_crossd(anchor_a, f, turn_a);
    tlk_crossd(anchor_b, f, turn_b);
    for (int k = 0; k < 3; k++) {
        force[3 + k] -= turn_a[k] + out.moment[k];
        force[6 + k] += turn_b[k] + out.moment[k];
        sum[TLK_SUM_IMPULSE + k] += (real)(p->weight * f[k]);
        /* what bodies that are not dynamic do to the others: the force on them is the opposite */
        const double turns = out.moment[k] * (c->b >= p->bodies.dynamic ? vb[4 + k] : va[4 + k]);
        power += c->b >= p->bodies.dynamic   ? -f[k] * of_b[k] - turns
                 : c->a >= p->bodies.dynamic ? f[k] * of_a[k] + turns
                                             : 0;
        drive += out.shear[k] * c->slide[k];
    }
    sum[TLK_SUM_LOST] +=
        (real)(lost + out.lost + p->weight * (out.damped * point.approach + out.lost_rate));
    if (power + drive != 0)
        last[TLK_LAST_WORK] += (real)(p->weight * (power + drive));
    for (int k = 0; k < 3 && rolls; k++)
        p->roll[TLK_ROLL * slot + (size_t)k] += (real)(p->weight * out.moment[k]);
    if (tlk_penalty_last(p) || p->cohesion == 1)
        last[TLK_LAST_ELASTIC] = (real)out.elastic;
    if (tlk_penalty_last(p)) {
        for (int k = 0; k < 3; k++)
            last[TLK_LAST_FORCE + k] = (real)f[k];
        last[TLK_LAST_STIFF] = (real)out.slope;
        last[TLK_LAST_DAMP] = (real)out.damper;
        last[TLK_LAST_SHEAR] = (real)out.shear_slope;
        if (rods)
            tlk_penalty_rate(p, c, &out, n, off_a, off_b, last);
    }
    if (rods) {
        force[TLK_FORCE] -= tlk_rod_share(p, va, anchor_a, f);
        force[TLK_FORCE + 1] += tlk_rod_share(p, vb, anchor_b, f);
    }
    return true;
}

/* The manifold of a pair that is not simple, at its present poses, points counted from the owner's
 * ball; `guess`: its last normal, or NULL. */
TL_RARE void tlk_penalty_manifold(const tlk_shapes *s, uint32_t i, uint32_t j, uint32_t sub,
                                  const double *guess, tlk_manifold *m)
{
    const double *c = s->centre + 4 * (size_t)i;
    const bool of_i = tlk_is_surface(s, i), of_j = tlk_is_surface(s, j);
    m->count = 0;
    if (!of_i && !of_j) {
        tlk_convex a, b;
        tlk_load_convex(s, i, c, &a);
        tlk_load_convex(s, j, c, &b);
        tlk_collide_convex(&a, &b, 0, guess, m);
        return;
    }
    const double *about = s->centre + 4 * (size_t)(of_i ? j : i);
    tlk_surface surface;
    tlk_convex convex;
    double back[3];
    for (int k = 0; k < 3 && guess; k++)
        back[k] = of_i ? -guess[k] : guess[k];
    tlk_load_surface(s, of_i ? i : j, &surface);
    tlk_load_convex(s, of_i ? j : i, about, &convex);
    tlk_surface_collide(&surface, sub, about, &convex, 0, guess ? back : 0, m);
    for (uint32_t q = 0; q < m->count && of_i; q++)
        for (int k = 0; k < 3; k++)
            m->at[q][k] += m->gap[q] * m->n[k] + about[k] - c[k];
    for (int k = 0; k < 3 && of_i; k++)
        m->n[k] = -m->n[k];
}

/* Puts the points of a manifold to the slots of those that they go on from: the nearest two first;
 * slot_of: 4 slots, one for each point. Slots that no point has are cleared by the law. */
TL_KERNEL void tlk_penalty_slots(const tlk_manifold *m, const double *place, double tolerance,
                                 uint32_t *slot_of)
{
    uint32_t taken = 0, given = 0;
    for (uint32_t round = 0; round < m->count; round++) {
        double least = tolerance * tolerance;
        uint32_t best = TLK_NONE, from = 0;
        for (uint32_t q = 0; q < m->count; q++)
            for (uint32_t t = 0; t < TLK_POINTS_MOST; t++) {
                const double *old = place + TLK_PLACE * t;
                if (given >> q & 1 || taken >> t & 1 || !(old[7] > 0))
                    continue;
                double square = 0;
                for (int k = 0; k < 3; k++)
                    square += (m->at[q][k] - old[k]) * (m->at[q][k] - old[k]);
                if (square < least)
                    least = square, best = q, from = t;
            }
        if (best == TLK_NONE)
            break;
        slot_of[best] = from;
        given |= 1u << best;
        taken |= 1u << from;
    }
    for (uint32_t q = 0, t = 0; q < m->count; q++) {
        if (given >> q & 1)
            continue;
        /* first one that nothing was in, then those that are given up */
        for (t = 0; t < TLK_POINTS_MOST && (taken >> t & 1 || place[TLK_PLACE * t + 7] > 0); t++) {
        }
        for (uint32_t u = 0; t == TLK_POINTS_MOST && u < TLK_POINTS_MOST; u++)
            t = taken >> u & 1 ? t : u;
        slot_of[q] = t + TLK_POINTS_MOST; /* what was there is not its own */
        taken |= 1u << t;
    }
}

/* A pair whose points were looked for at once: simple, or by the narrow phase. */
TL_RARE void tlk_penalty_pair(const tlk_penalty *p, uint32_t q, double *force)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t first = p->first ? p->first[q] : q, i = p->a[first], j = p->b[first];
    const double *centre = s->centre + 4 * (size_t)i;
    double *place = p->place + TLK_PLACE * TLK_POINTS_MOST * (size_t)q;
    real *past = p->past + TLK_PAST * TLK_POINTS_MOST * (size_t)q;
    uint32_t slot_of[TLK_POINTS_MOST], used = 0;
    tlk_manifold m;
    tlk_pressing couple;
    tlk_penalty_couple(p, i, j, &couple);
    if (tlk_is_simple(s->info[i], s->info[j])) {
        const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
        double x[3];
        m.count = 1;
        m.gap[0] = tlk_narrow(s, i, j, m.n);
        tlk_sphere_point(s, i, j, m.n, x);
        for (int k = 0; k < 3; k++)
            m.at[0][k] = x[k] - centre[k] - (from_i ? 0 : m.gap[0] * m.n[k]);
    } else {
        uint32_t known = 0;
        while (known < TLK_POINTS_MOST && !(place[TLK_PLACE * known + 7] > 0))
            known++;
        tlk_penalty_manifold(s, i, j, p->feature ? p->feature[2 * (size_t)first] : 0,
                             known < TLK_POINTS_MOST ? place + TLK_PLACE * known + 4 : 0, &m);
    }
    tlk_penalty_slots(&m, place, 0.2 * s->geom[4 * (size_t)i + 3], slot_of);
    for (uint32_t k = 0; k < m.count; k++) {
        const uint32_t t = slot_of[k] % TLK_POINTS_MOST;
        double *to = place + TLK_PLACE * t, x[3], kept[TLK_PAST];
        used |= 1u << t;
        for (uint32_t l = 0; l < TLK_PAST; l++) /* what another point had there is not its own */
            kept[l] = slot_of[k] < TLK_POINTS_MOST ? past[TLK_PAST * t + l] : 0;
        for (int l = 0; l < 3; l++) {
            to[l] = m.at[k][l];
            to[4 + l] = m.n[l];
            x[l] = centre[l] + m.at[k][l] + 0.5 * m.gap[k] * m.n[l];
        }
        to[3] = m.gap[k];
        to[7] = 1;
        tlk_penalty_point(p, &couple, m.n, m.gap[k], x, kept, TLK_POINTS_MOST * (size_t)q + t,
                          force);
        for (uint32_t l = 0; l < TLK_PAST; l++)
            past[TLK_PAST * t + l] = (real)kept[l];
    }
    for (uint32_t t = 0; t < TLK_POINTS_MOST; t++) {
        if (used >> t & 1)
            continue;
        place[TLK_PLACE * t + 7] = 0;
        for (uint32_t l = 0; l < TLK_PAST; l++)
            past[TLK_PAST * t + l] = 0;
        tlk_penalty_clear(p, TLK_POINTS_MOST * (size_t)q + t);
    }
}

/* Where the surfaces of a pair of one point are halfway apart. */
TL_KERNEL void tlk_penalty_halfway(const tlk_shapes *s, uint32_t i, uint32_t j, const double *n,
                                   double gap, double *x)
{
    const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    tlk_sphere_point(s, i, j, n, x);
    for (int k = 0; k < 3; k++)
        x[k] += (from_i ? 0.5 : -0.5) * gap * n[k];
}

/* A pair of one point: whether it acts, and what its contact keeps. */
TL_KERNEL void tlk_penalty_noted(const tlk_penalty *p, uint32_t q, bool acts, bool keeps)
{
    p->acts[q] = (uint8_t)((acts ? TLK_ACTS : 0) | (keeps ? TLK_KEEPS : 0));
}

/* A pair of one point that acts no more; one that does not need not be looked at. */
TL_KERNEL void tlk_penalty_apart(const tlk_penalty *p, uint32_t q)
{
    const uint8_t acts = p->acts[q];
    const double none[TLK_FORCE] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (acts & TLK_ACTS)
        tlk_penalty_load(p, q, none);
    if (acts & TLK_KEEPS && p->commits)
        for (uint32_t k = 0; k < p->keeps; k++)
            p->past[p->keeps * (size_t)q + k] = 0;
    if (acts)
        tlk_penalty_noted(p, q, false, acts & TLK_KEEPS && !p->commits);
    if (tlk_penalty_last(p))
        tlk_penalty_clear(p, q);
}

/* A pair of one point that is not plain. */
TL_RARE void tlk_penalty_other(const tlk_penalty *p, uint32_t q)
{
    const uint32_t i = p->a[q], j = p->b[q];
    real *past = p->past + TLK_PAST * (size_t)q;
    double x[3], n[3], kept[TLK_PAST];
    double force[TLK_FORCE + 2] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    tlk_pressing c;
    const double gap = tlk_narrow(&p->shapes, i, j, n);
    if (!(gap < 0) && !(p->acts[q] & TLK_KEEPS)) {
        tlk_penalty_apart(p, q);
        return;
    }
    tlk_penalty_couple(p, i, j, &c);
    tlk_penalty_halfway(&p->shapes, i, j, n, gap, x);
    for (uint32_t k = 0; k < TLK_PAST; k++)
        kept[k] = past[k];
    const bool acts = tlk_penalty_point(p, &c, n, gap, x, kept, q, force);
    for (uint32_t k = 0; k < TLK_PAST; k++)
        past[k] = (real)kept[k];
    tlk_penalty_load(p, q, force);
    tlk_penalty_noted(p, q, acts, kept[TLK_PAST_TOUCHED] > 0);
}

/* The same of a plain one. */
TL_KERNEL void tlk_penalty_plain(const tlk_penalty *p, uint32_t q, const tlk_couple *of)
{
    const uint32_t i = p->a[q], j = p->b[q];
    double a[4], b[4];
    tlk_plain_spot m;
    tlk_load4d(p->shapes.centre + 4 * (size_t)i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)j, b);
    if (!(tlk_plain_meet(p, i, j, a, b, &m) < 0)) {
        tlk_penalty_apart(p, q);
        return;
    }
    real *past = p->past + p->keeps * (size_t)q;
    real kept[4], va[8], vb[8], anchor_a[3], anchor_b[3], of_a[3], of_b[3], turn_a[3], turn_b[3];
    uint32_t row[2];
    tlk_plain_act act;
    tlk_couple_bodies(p, q, row);
    tlk_load4(past, kept);
    tlk_plain_velocity(p, row[0], va);
    tlk_plain_velocity(p, row[1], vb);
    tlk_plain_surface(m.ca, tlk_penalty_where(p, row[0]), m.reach_a, m.n, va, anchor_a, of_a);
    tlk_plain_surface(m.cb, tlk_penalty_where(p, row[1]), m.reach_b, m.n, vb, anchor_b, of_b);
    tlk_plain_press(p, of, m.n, m.overlap, of_a, of_b, kept, &act);
    tlk_plain_sum(p, q, &act,
                  (row[0] >= p->bodies.dynamic ? 1u : 0) | (row[1] >= p->bodies.dynamic ? 2u : 0),
                  of_a, of_b);
    if (p->commits)
        tlk_store4(past, kept);
    if (p->commits && p->keeps == TLK_PAST)
        past[TLK_PAST_TOUCHED] = 1;
    tlk_cross(anchor_a, act.f, turn_a);
    tlk_cross(anchor_b, act.f, turn_b);
    const double force[TLK_FORCE] = {act.f[0],   act.f[1],  act.f[2],  -turn_a[0], -turn_a[1],
                                     -turn_a[2], turn_b[0], turn_b[1], turn_b[2]};
    tlk_penalty_load(p, q, force);
    tlk_penalty_noted(p, q, true, p->commits || p->acts[q] & TLK_KEEPS);
}

/* One pair of one point. */
TL_KERNEL void tlk_penalty_force_one(const tlk_penalty *p, uint32_t q)
{
    const tlk_couple of = tlk_load_couple(p->couple + q);
    if (of.plain)
        tlk_penalty_plain(p, q, &of);
    else
        tlk_penalty_other(p, q);
}

/* One pair: its force and moments. */
TL_KERNEL void tlk_penalty_force(const tlk_penalty *p, uint32_t q)
{
    double force[TLK_FORCE + 2] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (!p->place) {
        tlk_penalty_force_one(p, q);
        return;
    }
    tlk_penalty_pair(p, q, force);
    tlk_penalty_load(p, q, force);
    for (uint32_t k = 0; k < 2 && p->stretch; k++)
        p->stretch[2 * (size_t)q + k] = force[TLK_FORCE + k];
}

/* One spring between two bodies. */
TL_KERNEL void tlk_penalty_spring(const tlk_penalty *p, uint32_t q)
{
    tlk_spring *s = p->spring + q;
    double out[TLK_FORCE];
    const uint32_t row[2] = {s->a, s->b};
    double x[2][3], anchor[2][3], v[2][3], n[3], rate = 0, turn[3];
    for (int e = 0; e < 2; e++) {
        const double *at = e ? s->at_b : s->at_a;
        for (int k = 0; k < 3; k++)
            x[e][k] = anchor[e][k] = at[k], v[e][k] = 0;
        if (row[e] == TLK_NONE)
            continue;
        tlk_rotate(p->bodies.quat + 4 * (size_t)row[e], at, anchor[e]);
        tlk_penalty_at(p->vel + 8 * (size_t)row[e], anchor[e], v[e]);
        for (int k = 0; k < 3; k++)
            x[e][k] = p->bodies.pos[4 * (size_t)row[e] + k] + anchor[e][k];
    }
    const double length = tlk_direction(x[0], x[1], n);
    for (int k = 0; k < 3; k++)
        rate += (v[1][k] - v[0][k]) * n[k];
    const double off = length - s->length;
    const double pull = s->stiffness * off + s->damping * rate;
    for (int e = 0; e < 2; e++) {
        const double f[3] = {-pull * n[0], -pull * n[1], -pull * n[2]}; /* on b */
        tlk_crossd(anchor[e], f, turn);
        for (int k = 0; k < 3; k++) {
            out[k] = s->force[k] = f[k];
            out[3 + 3 * e + k] = e ? turn[k] : -turn[k];
            if (row[e] != TLK_NONE && row[e] >= p->bodies.dynamic)
                s->work += (e ? -1 : 1) * p->weight * f[k] * v[e][k];
        }
    }
    s->lost += p->weight * s->damping * rate * rate;
    s->energy = 0.5 * s->stiffness * off * off;
    tlk_penalty_load(p, (size_t)p->pairs + q, out);
}

/* One spring, for those who read joints: force on its second body, and what it holds. */
TL_KERNEL void tlk_penalty_tell_spring(const tlk_spring_told *t, uint32_t q)
{
    tlk_joint_memory *out = t->memory + q;
    for (int k = 0; k < 3; k++)
        out->reaction[k] = t->spring[q].force[k];
    out->spring = t->spring[q].energy;
}

#endif
