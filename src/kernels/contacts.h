/* From contacts to rows: filling the problem, and impulses back to contacts. One pair, body or
 * contact at a time; called by src/step. */
#ifndef TL_KERNELS_CONTACTS_H
#define TL_KERNELS_CONTACTS_H

#include "kernels/match.h"
#include "kernels/narrow.h"
#include "kernels/solve.h"

#define TLK_ETA_LEAST (1.75 / 3) /* of the largest eigenvalue over the trace */
#define TLK_TOUCH     1e-5       /* of an approach: a load that stopped less of it is rounding */

/* The inverse inertia in the world frame of a body with three moments, as tlk_problem.inverse. */
TL_KERNEL void tlk_turned_inverse(const double *moments, const double *q, real *out)
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double m[3][3];
    tlk_matrix(q, m);
    for (int k = 0; k < 6; k++) {
        const double *r = m[row[k]], *c = m[column[k]];
        out[k] =
            (real)(r[0] * c[0] / moments[0] + r[1] * c[1] / moments[1] + r[2] * c[2] / moments[2]);
    }
}

/* One body: its inverse inertia in the world frame, as tlk_problem.inverse; zero where it is not
 * dynamic. */
TL_KERNEL void tlk_body_inverse(const tlk_build *p, uint32_t i)
{
    const tlk_bodies *b = &p->bodies;
    const real sphere = b->vel[8 * (size_t)i + 7];
    real out[8] = {sphere, sphere, sphere, 0, 0, 0, 0, 0};
    if (b->flags[i] & TLK_BODY_ANISOTROPIC)
        tlk_turned_inverse(b->inertia + 4 * (size_t)i, b->quat + 4 * (size_t)i, out);
    if (p->planar && i < b->dynamic) { /* one over the moment about y, and nothing else */
        double m[3][3], about = 0;
        tlk_matrix(b->quat + 4 * (size_t)i, m);
        for (int k = 0; k < 3; k++)
            about += m[1][k] * m[1][k] * b->inertia[4 * (size_t)i + k];
        for (int k = 0; k < 6; k++)
            out[k] = k == 1 ? (real)(1 / about) : (real)0;
    }
    tlk_store8(p->inverse + 8 * (size_t)i, out);
}

/* Adds one side of an anchor row to its local matrix w = D^T M^-1 D: 1/m and -[anchor]x I^-1
 * [anchor]x. It is symmetric, as all matrices here: xx, yy, zz, xy, xz, yz. */
TL_KERNEL void tlk_add_side(real im, const real *inverse, const real *anchor, real *w)
{
    const real xx = inverse[0], yy = inverse[1], zz = inverse[2], xy = inverse[3];
    const real xz = inverse[4], yz = inverse[5], x = anchor[0], y = anchor[1], z = anchor[2];
    /* rows of [anchor]x I^-1 */
    const real t[3] = {y * xz - z * xy, y * yz - z * yy, y * zz - z * yz};
    const real u[3] = {z * xx - x * xz, z * xy - x * yz, z * xz - x * zz};
    const real v[2] = {x * xy - y * xx, x * yy - y * xy};
    w[0] += y * t[2] - z * t[1] + im;
    w[1] += z * u[0] - x * u[2] + im;
    w[2] += x * v[1] - y * v[0] + im;
    w[3] += z * t[0] - x * t[2];
    w[4] += x * t[1] - y * t[0];
    w[5] += x * u[1] - y * u[0];
}

/* A bound of the largest eigenvalue of a matrix with non-negative ones, as a part of its trace: the
 * 16th root of the trace of the 16th power, at most 7 % too large. No less than `least`: roots are
 * taken only where they count. */
TL_KERNEL real tlk_largest(const real *w, real trace, real least)
{
    real a[6];
    const real part = 1 / trace;
    for (int k = 0; k < 6; k++)
        a[k] = w[k] * part;
    for (int power = 0; power < 4; power++) {
        const real xy = a[3] * a[3], xz = a[4] * a[4], yz = a[5] * a[5];
        const real b[6] = {a[0] * a[0] + xy + xz,
                           a[1] * a[1] + xy + yz,
                           a[2] * a[2] + xz + yz,
                           (a[0] + a[1]) * a[3] + a[4] * a[5],
                           (a[0] + a[2]) * a[4] + a[3] * a[5],
                           (a[1] + a[2]) * a[5] + a[3] * a[4]};
        for (int k = 0; k < 6; k++)
            a[k] = b[k];
    }
    const real sum = a[0] + a[1] + a[2], two = least * least, four = two * two;
    const real eight = four * four;
    return sum > eight * eight ? tlk_sqrt(tlk_sqrt(tlk_sqrt(tlk_sqrt(sum)))) : least;
}

/* The step lengths of an anchor row from its local matrix w: along the normal, in the tangent plane
 * (the largest eigenvalue there), and for all three: 3 / trace as in the sources, but short enough
 * for one dominant eigenvalue, which 3 / trace is not. */
TL_KERNEL void tlk_anchor_eta(const real *n, const real *w, real *eta)
{
    const real wn[3] = {w[0] * n[0] + w[3] * n[1] + w[4] * n[2],
                        w[3] * n[0] + w[1] * n[1] + w[5] * n[2],
                        w[4] * n[0] + w[5] * n[1] + w[2] * n[2]};
    const real nn = tlk_dot(n, wn), wnwn = tlk_dot(wn, wn), trace = w[0] + w[1] + w[2];
    const real square = tlk_dot(w, w) + 2 * tlk_dot(w + 3, w + 3);
    /* of the tangential 2 x 2 block: its trace and the sum of the squares of its eigenvalues */
    const real t1 = trace - nn, t2 = square - 2 * wnwn + nn * nn;
    const real spread = tlk_max(2 * t2 - t1 * t1, (real)0);
    const real largest = (real)0.5 * (t1 + tlk_sqrt(spread));
    eta[0] = 1 / nn;
    eta[1] = 1 / largest;
    eta[2] = (real)1.75 / (trace * tlk_largest(w, trace, (real)TLK_ETA_LEAST));
}

/* The step lengths of anchor row s, whose bodies are shared by so many. */
TL_KERNEL void tlk_store_eta(const tlk_build *p, uint32_t s, real share_a, real share_b)
{
    real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    real *anchors = p->anchors + tlk_at(s - p->anchor_base, 0, TLK_ANCHORS);
    real n[3], anchor[2][3], inverse[8], w[6], eta[3], side[2][6] = {{0}, {0}};
    for (int k = 0; k < 3; k++) {
        n[k] = head[k * TLK_LANES];
        anchor[0][k] = anchors[k * TLK_LANES];
        anchor[1][k] = anchors[(3 + k) * TLK_LANES];
    }
    for (int of = 0; of < 2; of++) {
        const size_t body = of ? p->b[s] : p->a[s];
        tlk_load8(p->inverse + 8 * body, inverse);
        tlk_add_side(p->bodies.vel[8 * body + 3], inverse, anchor[of], side[of]);
    }
    for (int k = 0; k < 6; k++)
        w[k] = share_a * side[0][k] + share_b * side[1][k];
    tlk_anchor_eta(n, w, eta);
    head[4 * TLK_LANES] = eta[0];
    head[5 * TLK_LANES] = eta[1];
    anchors[6 * TLK_LANES] = eta[2];
}

TL_KERNEL void tlk_store_anchors(const tlk_build *p, uint32_t s, const double *ra, const double *rb)
{
    real *anchors = p->anchors + tlk_at(s - p->anchor_base, 0, TLK_ANCHORS);
    for (int k = 0; k < 3; k++) {
        anchors[k * TLK_LANES] = (real)ra[k];
        anchors[(3 + k) * TLK_LANES] = (real)rb[k];
    }
}

/* Anchor row i, counted from the first: its step lengths. */
TL_KERNEL void tlk_anchor_steps(const tlk_build *p, uint32_t i)
{
    if (p->a[p->anchor_base + i] != TLK_NONE)
        tlk_store_eta(p, p->anchor_base + i, 1, 1);
}

/* How fast b's surface moves off a's along the normal, at the ends of two anchors, m/s. */
TL_KERNEL double tlk_approach(const real *vel, uint32_t a, uint32_t b, const double *n,
                              const double *ra, const double *rb)
{
    real va[8], vb[8];
    tlk_load8(vel + 8 * (size_t)a, va);
    tlk_load8(vel + 8 * (size_t)b, vb);
    const double wa[3] = {va[4], va[5], va[6]}, wb[3] = {vb[4], vb[5], vb[6]};
    double ta[3], tb[3], u[3];
    tlk_crossd(wa, ra, ta);
    tlk_crossd(wb, rb, tb);
    for (int k = 0; k < 3; k++)
        u[k] = (double)vb[k] + tb[k] - (double)va[k] - ta[k];
    return tlk_dotd(n, u);
}

/* The term of the right-hand side along the normal, m/s (eq. 10 with the two ways to remove overlap
 * and with restitution). The gap of a contact at rest is left to the position problem. */
TL_KERNEL double tlk_bias(const tlk_build *p, double gap, bool rests, double restitution,
                          double before, double free)
{
    double bias = rests && gap >= 0 ? 0 : tlk_gap_bias(&p->recovery, gap);
    /* an impact within this step: leave at e times the speed of approach, not before; that removes
     * an overlap, too */
    if (restitution > 0 && before < -p->restitution_speed && gap + p->recovery.h * free < 0)
        bias = tlk_min(tlk_min(bias, 0.0), restitution * before);
    return bias;
}

/* What the contacts of a pair have in common: shapes, bodies and materials, the moving body first.
 */
typedef struct tlk_ends {
    uint32_t sa, sb, a, b;
    double sign;      /* -1 where the owner is b */
    double square;    /* of the bodies' relative velocity */
    real mass[4];     /* their inverse masses and inverse moments */
    const real *pair; /* of their materials */
} tlk_ends;

TL_KERNEL void tlk_load_ends(const tlk_build *p, uint32_t k, tlk_ends *e)
{
    const uint32_t *info = p->shapes.info, owner = p->contact_a[k], partner = p->contact_b[k];
    const bool turned = info[owner] & TLK_SHAPE_FIXED;
    real va[8], vb[8];
    e->sa = turned ? partner : owner;
    e->sb = turned ? owner : partner;
    e->sign = turned ? -1 : 1;
    e->a = p->shapes.body[e->sa];
    e->b = p->shapes.body[e->sb];
    tlk_load8(p->bodies.vel + 8 * (size_t)e->a, va);
    tlk_load8(p->bodies.vel + 8 * (size_t)e->b, vb);
    e->square = 0;
    for (int c = 0; c < 3; c++)
        e->square += ((double)vb[c] - va[c]) * ((double)vb[c] - va[c]);
    e->mass[0] = va[3], e->mass[1] = vb[3], e->mass[2] = va[7], e->mass[3] = vb[7];
    const uint32_t ma = info[e->sa] >> TLK_SHAPE_MATERIAL, mb = info[e->sb] >> TLK_SHAPE_MATERIAL;
    e->pair = p->pair + TLK_PAIR * (size_t)(ma * p->materials + mb);
}

/* Whether a contact is at rest: it carried load in the last step and has hardly opened or moved
 * since. Where bodies move on, a gap opens by the way they go, and closing it belongs to that. */
TL_KERNEL bool tlk_rests(const tlk_build *p, const tlk_ends *e, double gap, real load)
{
    return load > 0 && gap <= p->rest &&
           p->recovery.h * p->recovery.h * e->square <= p->rest * p->rest;
}

/* Whether a contact was pressed together in the last step, and is not struck in this one: it
 * carried load. One that came to touch right at the end of that step may have a load, too, which is
 * rounding (times of impacts have 24 bits); it still has all of its approach, and is to bounce. */
TL_KERNEL bool tlk_is_closed(const tlk_ends *e, real load, double before)
{
    const double stopped = (double)load * ((double)e->mass[0] + e->mass[1]);
    return load > 0 && stopped >= -TLK_TOUCH * before;
}

/* The item of a pair. */
TL_KERNEL uint32_t tlk_item_of(const tlk_build *p, uint32_t i)
{
    const uint32_t segment = p->key[i] >> 1;
    return p->segment_item[segment] + p->place[i] - p->segment_start[segment];
}

/* A row that is none: sweeps may run over it, and it changes nothing. `beside`: others of its
 * packet may be there, so that it is computed with, and its numbers should be ordinary ones. */
TL_KERNEL void tlk_pad_row(const tlk_build *p, uint32_t s, bool beside)
{
    const real zero[3] = {0, 0, 0};
    p->a[s] = TLK_NONE;
    if (s < p->anchor_base || p->item_rows == 1)
        return;
    p->b[s] = TLK_NONE;
    if (!beside)
        return;
    p->bias[s] = 0;
    tlk_store3(p->gamma, s, zero);
    if (p->moment)
        tlk_store3(p->moment, s, zero);
    for (uint32_t f = 0; f < TLK_MATERIAL && p->material; f++)
        p->material[tlk_at(s, f, TLK_MATERIAL)] = 0;
    for (uint32_t f = 0; f < TLK_HEAD; f++)
        p->head[tlk_at(s, f, TLK_HEAD)] = 0;
    for (uint32_t f = 0; f < TLK_ANCHORS; f++)
        p->anchors[tlk_at(s - p->anchor_base, f, TLK_ANCHORS)] = 0;
}

/* Behind the points of pair i, whose item begins at row s, and behind the last item of a segment,
 * which it may be: rows that are none. */
TL_KERNEL void tlk_pad_rows(const tlk_build *p, uint32_t i, uint32_t s, uint32_t count)
{
    const uint32_t most = s < p->anchor_base ? 1 : p->item_rows;
    for (uint32_t k = count; k < most; k++) /* pairs of one or two points are among themselves */
        tlk_pad_row(p, s + k * TLK_LANES, k < 2 || count > 2);
    if (p->place[i] + 1 != p->segment_start[(p->key[i] >> 1) + 1])
        return;
    for (uint32_t pad = s + 1; tlk_lane(pad); pad++)
        for (uint32_t k = 0; k < most; k++)
            tlk_pad_row(p, pad + k * TLK_LANES, true);
}

/* The turn of a row of a colour at a block whose rows have the colours `used`. */
TL_KERNEL uint32_t tlk_turn_at(uint64_t used, uint32_t colour)
{
    const uint64_t before = used & ((1ull << colour) - 1);
    const uint32_t top = tlk_top_bit(used), last = colour == top ? TLK_TURN_LAST : 0;
    return before ? last | tlk_top_bit(before) : last | TLK_TURN_FIRST | top;
}

/* When pair i, item `item`, comes at its blocks, whose rows have these colours (0: there are none),
 * and their inverse masses. */
TL_KERNEL void tlk_store_turns(const tlk_build *p, uint32_t i, uint32_t item, uint64_t used_a,
                               uint64_t used_b, const real *mass)
{
    const uint32_t colour = p->key[i] >> 2;
    const uint32_t turns = used_a ? tlk_turn_at(used_a, colour) : 0;
    p->turns[item] = (uint16_t)(turns | (used_b ? tlk_turn_at(used_b, colour) << 8 : 0));
    tlk_store4(p->mass + 4 * (size_t)item, mass);
}

/* The same of a pair of bodies, neither of which has copies. */
TL_KERNEL void tlk_build_turns(const tlk_build *p, uint32_t i, uint32_t item, const tlk_ends *e)
{
    const uint64_t used_b = e->b < p->bodies.dynamic ? p->used[e->b] : 0;
    tlk_store_turns(p, i, item, p->used[e->a], used_b, e->mass);
}

/* The anchors of contact k: from the bodies' origins to where its impulse acts, which is `length`
 * from the centre of a's sphere, or where the point on the owner's surface says; `sign` is -1 where
 * the owner is b. */
TL_KERNEL void tlk_contact_anchors(const tlk_build *p, uint32_t k, uint32_t s, uint32_t sa,
                                   uint32_t a, uint32_t b, const double *n, double gap, double sign,
                                   double length, double *ra, double *rb)
{
    double from[4], xa[4], xb[4], along = length;
    tlk_load4d(p->shapes.centre + 4 * (size_t)sa, from);
    tlk_load4d(p->bodies.pos + 4 * (size_t)a, xa);
    tlk_load4d(p->bodies.pos + 4 * (size_t)b, xb);
    if (p->contact_place && s >= p->anchor_base) {
        const real *place = p->contact_place + 4 * (size_t)k;
        const double *centre = p->shapes.centre + 4 * (size_t)p->contact_a[k];
        for (int c = 0; c < 3; c++)
            from[c] = centre[c] + place[c];
        along = b < p->bodies.dynamic ? 0.5 * gap : sign < 0 ? -gap : 0;
    }
    for (int c = 0; c < 3; c++) {
        const double point = from[c] + along * n[c];
        ra[c] = point - xa[c];
        rb[c] = point - xb[c];
    }
}

/* How the surface of a shape moves in itself, across a normal; nothing where it does not. */
TL_KERNEL void tlk_surface_velocity(const tlk_build *p, uint32_t shape, const double *n, double *v)
{
    const double *given = p->slide + 3 * (size_t)(p->shapes.info[shape] >> TLK_SHAPE_MATERIAL);
    tlk_rotate(p->bodies.quat + 4 * (size_t)p->shapes.body[shape], given, v);
    const double along = tlk_dotd(v, n);
    for (int k = 0; k < 3; k++)
        v[k] -= along * n[k];
}

/* The step length of moments between two bodies, or shares of them: 1 over the largest eigenvalue
 * of the sum of their inverse inertias, or a little less. */
TL_KERNEL double tlk_moment_step(const tlk_build *p, uint32_t s, uint32_t a, uint32_t b,
                                 real share_a, real share_b)
{
    if (s < p->anchor_base)
        return 1 / ((double)share_a * p->bodies.vel[8 * (size_t)a + 7] +
                    (double)share_b * p->bodies.vel[8 * (size_t)b + 7]);
    const real *ia = p->inverse + 8 * (size_t)a, *ib = p->inverse + 8 * (size_t)b;
    real m[6];
    for (int k = 0; k < 6; k++)
        m[k] = share_a * ia[k] + share_b * ib[k];
    const real trace = m[0] + m[1] + m[2];
    return 1 / ((double)trace * tlk_largest(m, trace, 0));
}

/* What the materials of row s ask of it, with `points` rows of its pair, which share compliance
 * and cohesion; ra and rb are its anchors. */
TL_RARE void tlk_build_material(const tlk_build *p, uint32_t s, uint32_t sa, uint32_t sb,
                                const double *n, double gap, const double *ra, const double *rb,
                                uint32_t points, tlk_material *m)
{
    const uint32_t a = p->shapes.body[sa], b = p->shapes.body[sb];
    const uint32_t ma = p->shapes.info[sa] >> TLK_SHAPE_MATERIAL;
    const uint32_t mb = p->shapes.info[sb] >> TLK_SHAPE_MATERIAL;
    const real *pair = p->pair + TLK_PAIR * (size_t)(ma * p->materials + mb);
    const double h = p->recovery.h, damping = gap < 0 ? (double)pair[6] : 0;
    /* rolling resistance goes with how far the centres are from the tangent plane */
    const double radius_a = fabs(tlk_dotd(ra, n)), radius_b = fabs(tlk_dotd(rb, n));
    const double sum = radius_a + radius_b;
    const double radius = b >= p->bodies.dynamic ? radius_a
                          : sum > 0              ? radius_a * radius_b / sum
                                                 : 0;
    for (int k = 0; k < 3; k++)
        m->slide[k] = 0;
    if (p->slide) {
        double va[3], vb[3];
        tlk_surface_velocity(p, sa, n, va);
        tlk_surface_velocity(p, sb, n, vb);
        for (int k = 0; k < 3; k++)
            m->slide[k] = (real)(vb[k] - va[k]);
    }
    m->soft = (real)(points * (double)pair[5] / (h * (h + damping)));
    m->cohesion = gap <= p->sticks ? (real)(h * (double)pair[4] / points) : (real)0;
    m->rolling = (real)(radius * (double)pair[2]);
    m->spinning = (real)(radius * (double)pair[3]);
    m->step = (real)tlk_moment_step(p, s, a, b, 1, 1);
}

/* Contact k of pair i, row s: the row. `material`: rows have materials; a constant, so that others
 * are built as if there were none. */
TL_KERNEL void tlk_build_contact(const tlk_build *p, const tlk_ends *e, uint32_t k, uint32_t s,
                                 uint32_t i, bool material)
{
    const uint32_t sa = e->sa, sb = e->sb, a = e->a, b = e->b;
    const real *pair = e->pair;
    const double sign = e->sign;
    real contact[4], gamma[4];
    tlk_load4(p->contact_n + 4 * (size_t)k, contact);
    if (p->planar) {
        const double across = (double)contact[0] * contact[0] + (double)contact[2] * contact[2];
        const double scale = across > 0 ? 1 / sqrt(across) : 0;
        contact[0] = (real)(contact[0] * scale);
        contact[1] = 0;
        contact[2] = (real)(contact[2] * scale);
    }
    tlk_load4(p->contact_gamma + 4 * (size_t)k, gamma);
    const double n[3] = {sign * contact[0], sign * contact[1], sign * contact[2]}, gap = contact[3];
    /* impulses on two moving bodies act at one point, halfway between the surfaces, so that they
     * make no angular momentum; on a wall, at the sphere's surface */
    const bool dynamic_b = b < p->bodies.dynamic;
    const double middle = dynamic_b ? 0.5 * gap : 0;
    double ra[3] = {0, 0, 0}, rb[3] = {0, 0, 0}, before = 0, free = 0;
    const double ra_length = p->shapes.centre[4 * (size_t)sa + 3] + middle; /* of a sphere */
    if (s >= p->anchor_base || p->wall || material || pair[1] > 0) /* others need no anchors */
        tlk_contact_anchors(p, k, s, sa, a, b, n, gap, sign, ra_length, ra, rb);
    p->a[s] = a;
    p->b[s] = b;
    p->gap[s] = (real)gap;
    const real head[TLK_HEAD] = {
        (real)n[0],
        (real)n[1],
        (real)n[2],
        pair[0],
        (real)ra_length,
        dynamic_b ? (real)(p->shapes.centre[4 * (size_t)sb + 3] + middle) : (real)0};
    for (uint32_t f = 0; f < TLK_HEAD; f++)
        p->head[tlk_at(s, f, TLK_HEAD)] = head[f];
    /* what two bodies exchanged in an impact is no load between them, and no start for this step */
    for (int f = 0; f < 3 && gamma[3] != 0; f++)
        gamma[f] = tlk_max(gamma[3], (real)0) * contact[f];
    real load = tlk_dot(gamma, contact);
    const bool soft = material && pair[5] > 0;
    if (material) {
        const uint32_t points = p->first ? p->first[i + 1] - p->first[i] : 1;
        tlk_material values;
        tlk_build_material(p, s, sa, sb, n, gap, ra, rb, points, &values);
        tlk_store_material(p->material, s, &values);
        for (int f = 0; f < 3 && load + values.cohesion < 0; f++)
            gamma[f] = 0; /* it pulled, and can no longer */
        load = tlk_max(load + values.cohesion, (real)0);
        for (uint32_t f = 0; f < 3 && p->moment; f++)
            p->moment[tlk_at(s, f, 3)] =
                p->warm ? (real)sign * p->contact_moment[4 * (size_t)k + f] : (real)0;
    }
    /* nor does a contact rest that is about to bounce */
    if (pair[1] > 0) {
        before = tlk_approach(p->bodies.vel, a, b, n, ra, rb);
        free = tlk_approach(p->free, a, b, n, ra, rb);
    }
    const bool strikes = pair[1] > 0 && before < -p->restitution_speed;
    const bool rests = !strikes && !soft && tlk_rests(p, e, gap, load);
    const double restitution = p->restitution ? 0 : (double)pair[1];
    p->bias[s] = (real)tlk_bias(p, gap, rests, restitution, before, free);
    if (soft)
        p->bias[s] = (real)(gap / (p->recovery.h + (gap < 0 ? (double)pair[6] : 0)));
    /* what presses on each other already is not struck: a blow goes on through it in the velocity
     * problem, and takes no rounds in a heap; elastic contacts keep their energy all the same */
    const bool closed = pair[1] < 1 && tlk_is_closed(e, load, before);
    if (p->restitution)
        p->restitution[s] = closed ? (real)0 : pair[1];
    for (uint32_t f = 0; f < 3; f++)
        p->gamma[tlk_at(s, f, 3)] = p->warm ? (real)sign * gamma[f] : (real)0;
    if (s >= p->anchor_base)
        tlk_store_anchors(p, s, ra, rb);
    else if (p->wall && !dynamic_b)
        for (uint32_t f = 0; f < 3; f++) /* none where the wall never turns, to the last bit */
            p->wall[tlk_at(s, f, 3)] =
                p->shapes.info[sb] & TLK_SHAPE_CENTRAL ? (real)0 : (real)rb[f];
}

/* tlk_build_contact with materials. */
TL_RARE void tlk_build_contact_rarely(const tlk_build *p, const tlk_ends *e, uint32_t k, uint32_t s,
                                      uint32_t i)
{
    tlk_build_contact(p, e, k, s, i, true);
}

/* One pair: the rows of its contacts. Pairs are taken in their own order, so that what is read lies
 * side by side and only what is written is spread, over as many streams as there are colours. */
TL_KERNEL void tlk_build_row(const tlk_build *p, uint32_t i)
{
    const uint32_t item = tlk_item_of(p, i), s = tlk_item_row(item, p->anchor_base, p->item_rows);
    const uint32_t first = tlk_first_contact(p->first, i), end = p->first ? p->first[i + 1] : i + 1;
    tlk_ends ends;
    tlk_load_ends(p, first, &ends);
    for (uint32_t k = first; k < end; k++)
        if (p->material)
            tlk_build_contact_rarely(p, &ends, k, s + (k - first) * TLK_LANES, i);
        else
            tlk_build_contact(p, &ends, k, s + (k - first) * TLK_LANES, i, false);
    if (p->turns)
        tlk_build_turns(p, i, item, &ends);
    tlk_pad_rows(p, i, s, end - first);
}

/* Contact k: the impulse of its row s, and of its impacts before. The fourth number is 0 where
 * there were none; else the row's own along the normal, or -1 where that is 0. */
TL_KERNEL void tlk_store_contact(const tlk_build *p, uint32_t k, uint32_t s)
{
    const real sign = p->shapes.info[p->contact_a[k]] & TLK_SHAPE_FIXED ? (real)-1 : (real)1;
    real *gamma = p->contact_gamma_out + 4 * (size_t)k, load = 0;
    bool hit = false;
    for (uint32_t f = 0; f < 3; f++)
        gamma[f] = sign * p->gamma[tlk_at(s, f, 3)];
    for (uint32_t f = 0; f < 3 && p->impact; f++) {
        const real struck = p->impact[tlk_at(s, f, 3)];
        load += gamma[f] * p->contact_n[4 * (size_t)k + f];
        gamma[f] += sign * struck;
        hit = hit || struck != 0;
    }
    gamma[3] = !hit ? (real)0 : load > 0 ? load : (real)-1;
    for (uint32_t f = 0; f < 4 && p->moment; f++)
        p->contact_moment_out[4 * (size_t)k + f] =
            f < 3 ? sign * p->moment[tlk_at(s, f, 3)] : (real)0;
}

/* One pair: the impulses of its contacts. */
TL_KERNEL void tlk_store_impulse(const tlk_build *p, uint32_t i)
{
    const uint32_t s = tlk_item_row(tlk_item_of(p, i), p->anchor_base, p->item_rows);
    const uint32_t first = tlk_first_contact(p->first, i), end = p->first ? p->first[i + 1] : i + 1;
    for (uint32_t k = first; k < end; k++)
        tlk_store_contact(p, k, s + (k - first) * TLK_LANES);
}

/* How deep contacts are against the smaller radius: 0 how many are deeper than a tenth, 1 the
 * deepest, 2 the first contact that is as deep as `worst`, 3 its overlap (m). */
TL_KERNEL void tlk_depth(const tlk_deep *d, uint32_t k, double *acc)
{
    const uint32_t a = d->contact_a[k], b = d->contact_b[k];
    const double ra = d->shapes.geom[4 * (size_t)a + 3], rb = d->shapes.geom[4 * (size_t)b + 3];
    const bool wall_a = a >= d->shapes.dynamic, wall_b = b >= d->shapes.dynamic;
    const double r = wall_a ? rb : wall_b ? ra : tlk_min(ra, rb);
    const double overlap = -(double)d->contact_n[4 * (size_t)k + 3];
    const double depth = r > 0 ? overlap / r : overlap > 0 ? INFINITY : 0; /* points have none */
    acc[0] += depth > 0.1;
    acc[1] = tlk_max(acc[1], depth);
    if (depth == d->worst) {
        acc[2] = tlk_min(acc[2], (double)k);
        acc[3] = tlk_max(acc[3], overlap);
    }
}

#endif
