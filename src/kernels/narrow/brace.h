/* Points for pairs that move far within a step. The nearest points alone do not hold such a pair
 * apart: the impulse there turns a body, and the rest of it swings through the other. So the
 * manifold gets points around where the line from the middle of the body along the normal leaves
 * its surface, its portal. Gaps are those along the normal, from the body's point to the plane at
 * which the other ends. A body's middle is a mean of portal points plus some way back: as long as
 * none of them gets behind the plane, nor does the middle, however fast the body turns. */
#ifndef TL_KERNELS_NARROW_BRACE_H
#define TL_KERNELS_NARROW_BRACE_H

#include "kernels/narrow/collide.h"

#define TLK_BRACE_ID         (1u << 29)          /* in feature ids: no point of a feature */
#define TLK_BRACE_SPARE      (TLK_BRACE_ID + 12) /* and three more: a point again */
#define TLK_BRACE_SPARE_ACTS (TLK_BRACE_ID + 32) /* the same of one that acts at a middle */
#define TLK_PORTAL_RISE      0.02                /* of the size: how exact a portal is */
#define TLK_BRACE_SAME       1e-3 /* of the size: points that are no farther apart are one */
#define TLK_BRACE_SMALL      0.1  /* of the sum of two radii: a body that is far smaller */
#define TLK_BRACE_ONTO       0.5  /* of the least half width: ways that may lead onto a face */

/* How a shape's body moves: its centre of mass, relative to what the shapes are relative to; how
 * far it goes and turns (rad) within the step; a radius about its centre that the shape is within;
 * half the least width of the shape; whether impulses move it; and whether it is held (swing.h). */
typedef struct tlk_mover {
    double at[3], way[3], turn[3], radius, thin;
    bool dynamic, held;
} tlk_mover;

/* Up to three points of a core around the line through x along n. */
typedef struct tlk_portal {
    const double *n, *x;
    double scale; /* m, the size of the shape */
    uint32_t count;
    double at[3][3];
} tlk_portal;

/* Twice the area of the triangle of x and two points, seen along the normal. */
TL_NARROW double tlk_portal_side(const tlk_portal *g, const double *p, const double *q)
{
    const double e[3] = {p[0] - g->x[0], p[1] - g->x[1], p[2] - g->x[2]};
    const double f[3] = {q[0] - g->x[0], q[1] - g->x[1], q[2] - g->x[2]};
    double across[3];
    tlk_crossd(e, f, across);
    return tlk_dotd(g->n, across);
}

/* Whether the line is between three points. */
TL_NARROW bool tlk_portal_holds(const tlk_portal *g, const double *p, const double *q,
                                const double *r)
{
    const double one = tlk_portal_side(g, p, q), two = tlk_portal_side(g, q, r);
    const double three = tlk_portal_side(g, r, p);
    return (one >= 0 && two >= 0 && three >= 0) || (one <= 0 && two <= 0 && three <= 0);
}

/* d: from the point of the segment from p to q that is nearest to the line, to the line; its
 * square. */
TL_NARROW double tlk_portal_gap(const tlk_portal *g, const double *p, const double *q, double *d)
{
    double e[3], part = 0;
    for (int k = 0; k < 3; k++) {
        e[k] = q[k] - p[k];
        d[k] = g->x[k] - p[k];
    }
    const double up_e = tlk_dotd(e, g->n), up_d = tlk_dotd(d, g->n);
    for (int k = 0; k < 3; k++) {
        e[k] -= up_e * g->n[k];
        d[k] -= up_d * g->n[k];
    }
    const double square = tlk_dotd(e, e);
    if (square > 0)
        part = tlk_min(tlk_max(tlk_dotd(e, d) / square, 0.0), 1.0);
    for (int k = 0; k < 3; k++)
        d[k] -= part * e[k];
    return tlk_dotd(d, d);
}

/* Whether the points are around the line; else d goes from them to it, and the last of three points
 * is the one that is of no use. */
TL_NARROW bool tlk_portal_around(tlk_portal *g, double *d)
{
    double least = INFINITY, e[3];
    uint32_t spare = 2;
    if (g->count == 3 && tlk_portal_holds(g, g->at[0], g->at[1], g->at[2]))
        return true;
    for (uint32_t i = 0; i < g->count; i++) {
        const double square = tlk_portal_gap(g, g->at[i], g->at[i + 1 == g->count ? 0 : i + 1], e);
        if (square >= least)
            continue;
        least = square;
        spare = i == 0 ? 2 : i - 1;
        for (int k = 0; k < 3; k++)
            d[k] = e[k];
    }
    for (int k = 0; k < 3 && g->count == 3; k++) {
        const double last = g->at[2][k];
        g->at[2][k] = g->at[spare][k];
        g->at[spare][k] = last;
    }
    return least <= 1e-12 * g->scale * g->scale;
}

/* Whether two points are one. */
TL_NARROW bool tlk_brace_same(const double *p, const double *q, double scale)
{
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return tlk_dotd(d, d) <= TLK_BRACE_SAME * TLK_BRACE_SAME * scale * scale;
}

/* Moves three points that are around the line to where it leaves the core. */
TL_NARROW void tlk_portal_refine(const tlk_convex *s, tlk_portal *g)
{
    for (int turn = 0; turn < 6; turn++) {
        double e[3], f[3], out[3], p[3], rise = 0;
        for (int k = 0; k < 3; k++) {
            e[k] = g->at[1][k] - g->at[0][k];
            f[k] = g->at[2][k] - g->at[0][k];
        }
        tlk_crossd(e, f, out);
        if (!(tlk_unit(out) > 0))
            return;
        const double sign = tlk_dotd(out, g->n) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++)
            out[k] *= sign;
        tlk_support(s, out, p);
        for (int k = 0; k < 3; k++)
            rise += out[k] * (p[k] - g->at[0][k]);
        if (!(rise > TLK_PORTAL_RISE * g->scale))
            return;
        const uint32_t drop = tlk_portal_holds(g, p, g->at[1], g->at[2])   ? 0
                              : tlk_portal_holds(g, p, g->at[2], g->at[0]) ? 1
                                                                           : 2;
        for (int k = 0; k < 3; k++)
            g->at[drop][k] = p[k];
    }
}

/* A third point where the line meets the segment between two: the farthest one along the normal,
 * unless the segment is. */
TL_NARROW bool tlk_portal_third(const tlk_convex *s, tlk_portal *g)
{
    double out[3], rise = 0;
    const double e[3] = {g->at[1][0] - g->at[0][0], g->at[1][1] - g->at[0][1],
                         g->at[1][2] - g->at[0][2]};
    const double part = tlk_dotd(e, g->n) / tlk_dotd(e, e);
    for (int k = 0; k < 3; k++)
        out[k] = g->n[k] - part * e[k];
    if (!(tlk_unit(out) > 0))
        return false;
    tlk_support(s, out, g->at[2]);
    for (int k = 0; k < 3; k++)
        rise += out[k] * (g->at[2][k] - g->at[0][k]);
    return rise > TLK_PORTAL_RISE * g->scale;
}

/* The portal of a core. (x is inside of it, or nearly.) */
TL_RARE void tlk_portal_find(const tlk_convex *s, tlk_portal *g)
{
    double d[3] = {0, 0, 0}, p[3];
    tlk_support(s, g->n, g->at[0]);
    g->count = 1;
    for (int turn = 0; turn < 8 && !tlk_portal_around(g, d); turn++) {
        tlk_unit(d);
        for (int k = 0; k < 3; k++)
            d[k] += 0.01 * g->n[k]; /* of equals the one nearest to the other body */
        tlk_support(s, d, p);
        for (uint32_t i = 0; i < g->count; i++)
            if (tlk_brace_same(p, g->at[i], g->scale))
                return;
        g->count += g->count < 3;
        for (int k = 0; k < 3; k++)
            g->at[g->count - 1][k] = p[k];
    }
    if (g->count == 2 && tlk_portal_third(s, g))
        g->count = 3;
    if (g->count == 3)
        tlk_portal_refine(s, g);
}

/* Whether x is over a triangle, seen along n. */
TL_NARROW bool tlk_brace_over_triangle(const tlk_convex *s, const double *n, const double *x)
{
    double corner[3][3], least = INFINITY, most = -INFINITY, size = 0;
    for (int v = 0; v < 3; v++) {
        tlk_to_world(s, s->vertex + 3 * v, corner[v]);
        for (int k = 0; k < 3; k++)
            corner[v][k] -= x[k];
    }
    for (int v = 0; v < 3; v++) {
        double across[3];
        tlk_crossd(corner[v], corner[v == 2 ? 0 : v + 1], across);
        const double side = tlk_dotd(across, n);
        least = tlk_min(least, side);
        most = tlk_max(most, side);
        size = tlk_max(size, tlk_dotd(corner[v], corner[v]));
    }
    return least >= -1e-12 * size || most <= 1e-12 * size;
}

/* Whether x is over a shape, seen along n, or nearly: in a box around it. */
TL_NARROW bool tlk_brace_over(const tlk_convex *s, const double *n, const double *x)
{
    double t[3], u[3];
    if (s->kind == TLK_TRIANGLE)
        return tlk_brace_over_triangle(s, n, x);
    tlk_perpendicular(n, t);
    tlk_crossd(n, t, u);
    for (int side = 0; side < 4 && s->kind != TLK_PLANE; side++) {
        const double *axis = side < 2 ? t : u, sign = side % 2 ? -1 : 1;
        const double out[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
        double most[3];
        tlk_support(s, out, most);
        if (tlk_dotd(out, x) > tlk_dotd(out, most) + s->rounding)
            return false;
    }
    return true;
}

/* Two points of a manifold change places. */
TL_NARROW void tlk_brace_swap(tlk_manifold *m, uint32_t i, uint32_t j)
{
    const double gap = m->gap[i];
    const uint32_t id = m->feature[i];
    m->gap[i] = m->gap[j];
    m->gap[j] = gap;
    m->feature[i] = m->feature[j];
    m->feature[j] = id;
    for (int k = 0; k < 3; k++) {
        const double x = m->at[i][k];
        m->at[i][k] = m->at[j][k];
        m->at[j][k] = x;
    }
}

/* Adds the portal of a (which: 0) or b (1), as far as it is over the other shape, which ends at
 * `end` along the normal. The manifold keeps its first points, `kept` of them, and the others as
 * far as there is room; returns how many are to be kept now. */
TL_NARROW uint32_t tlk_brace_one(const tlk_convex *s, const tlk_convex *other, uint32_t which,
                                 const tlk_mover *body, double end, double limit, uint32_t kept,
                                 tlk_manifold *m)
{
    const double sign = which ? -1 : 1, n[3] = {sign * m->n[0], sign * m->n[1], sign * m->n[2]};
    tlk_portal g = {n, body->at, tlk_core_reach(s) + s->rounding, 0, {{0}}};
    tlk_portal_find(s, &g);
    for (uint32_t i = 0; i < g.count; i++) {
        double p[3];
        bool known = false;
        const double height = tlk_dotd(m->n, g.at[i]) + sign * s->rounding;
        const double gap = sign * (end - height);
        for (int k = 0; k < 3; k++)
            p[k] = g.at[i][k] + ((which ? -gap : 0) + sign * s->rounding) * m->n[k];
        for (uint32_t j = 0; j < m->count && !known; j++) {
            known = tlk_brace_same(p, m->at[j], g.scale);
            if (known && j >= kept)
                tlk_brace_swap(m, j, kept++); /* it stays */
        }
        if (known || kept == TLK_POINTS_MOST || !(gap <= limit) || !tlk_brace_over(other, m->n, p))
            continue;
        if (m->count < TLK_POINTS_MOST)
            m->count++;
        tlk_brace_swap(m, kept, m->count - 1);
        m->gap[kept] = gap;
        m->feature[kept] = TLK_BRACE_ID + 4 * which + i;
        for (int k = 0; k < 3; k++)
            m->at[kept][k] = p[k];
        kept++;
    }
    return kept;
}

/* How far the middle of a body (which: 0 the first) comes closer along the normal to what the other
 * is made of there, by the end of the step; at the most, where the other turns: then it is
 * elsewhere than its velocity says, and the normal is another where the middle goes. Beyond its
 * radius there is nothing of the other that could come. */
TL_NARROW double tlk_brace_way(const tlk_mover *body, uint32_t which, const double *n)
{
    const tlk_mover *own = body + which, *other = body + 1 - which;
    double turn[3], anchor[3], apart[3];
    for (int k = 0; k < 3; k++) {
        anchor[k] = own->at[k] - other->at[k];
        apart[k] = own->way[k] - other->way[k];
    }
    const double far = sqrt(tlk_dotd(anchor, anchor)), reach = tlk_min(far, other->radius);
    for (int k = 0; k < 3 && reach < far; k++)
        anchor[k] *= reach / far;
    tlk_crossd(other->turn, anchor, turn);
    const double along = tlk_dotd(n, apart) - tlk_dotd(n, turn);
    const double angle = sqrt(tlk_dotd(other->turn, other->turn));
    const double shift = tlk_min(sqrt(tlk_dotd(apart, apart)), other->radius);
    const double beyond =
        tlk_min(0.5 * angle * angle, TLK_TURN_MOST) * reach + tlk_min(angle, TLK_TURN_MOST) * shift;
    return (which ? -along : along) + beyond;
}

/* Whether the middle of a body (which: 0 the first) is over the other shape where it is within the
 * `left` of its `way` to the other's plane. */
TL_NARROW bool tlk_brace_reaches(const tlk_convex *other, const tlk_mover *body, uint32_t which,
                                 const double *n, double left, double way)
{
    const tlk_mover *own = body + which;
    const double part = way > left ? tlk_max(left, 0.0) / way : 1;
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = own->at[k] + part * (own->way[k] - body[1 - which].way[k]);
    return tlk_brace_over(other, n, x);
}

/* Whether the middle of a body (which: 0 the first) would pass the plane at which the other begins,
 * and, of a body that moves, there is something of the other; then `gap` is how far it may go. Its
 * turn may bring parts of it nearer to the plane than now. */
TL_NARROW bool tlk_brace_passes(const tlk_convex *other, const tlk_mover *body, uint32_t which,
                                const tlk_manifold *m, double *gap)
{
    const tlk_mover *own = body + which;
    const double up = tlk_dotd(m->n, own->at) - tlk_dotd(m->n, m->at[0]);
    const double distance = which ? up : m->gap[0] - up;
    const double turn = sqrt(tlk_dotd(own->turn, own->turn));
    const double extent = distance - m->gap[0];
    *gap = m->gap[0] - tlk_max(tlk_min(own->radius - extent, turn * own->radius), 0.0);
    *gap = tlk_max(*gap, tlk_min(m->gap[0], 0.0));
    const double way = tlk_brace_way(body, which, m->n);
    return own->dynamic && distance > 0 && way >= distance &&
           (!body[1 - which].dynamic || tlk_brace_reaches(other, body, which, m->n, distance, way));
}

/* Two bodies that are far from each other for their size: what separates them along the line of
 * their middles does so nearly as well, and impulses along it turn neither. */
TL_NARROW void tlk_brace_line(const tlk_convex *a, const tlk_convex *b, const tlk_mover *body,
                              tlk_manifold *m)
{
    double n[3], p[3], q[3];
    if (!body[0].dynamic || !body[1].dynamic || !(m->gap[0] > 0))
        return;
    for (int k = 0; k < 3; k++)
        n[k] = body[1].at[k] - body[0].at[k];
    if (!(tlk_unit(n) > 0))
        return;
    const double gap = tlk_separation(a, b, n, p, q) - a->rounding - b->rounding;
    if (!(gap > 0.5 * m->gap[0]))
        return;
    m->count = 1;
    m->gap[0] = gap;
    for (int k = 0; k < 3; k++) {
        m->n[k] = n[k];
        m->at[0][k] = p[k] + a->rounding * n[k];
    }
}

/* Point k of a manifold: an impulse that acts at x. */
TL_NARROW void tlk_brace_act(const tlk_mover *body, const double *x, double gap, uint32_t id,
                             uint32_t k, tlk_manifold *m)
{
    /* from the point of a, as much of the gap as contacts.h has it */
    const double back = !body[1].dynamic ? 0 : !body[0].dynamic ? gap : 0.5 * gap;
    for (int c = 0; c < 3; c++)
        m->at[k][c] = x[c] - back * m->n[c];
    m->gap[k] = gap;
    m->feature[k] = id;
}

/* A body whose middle would pass into the other is stopped as a particle is, by an impulse at its
 * middle: within such a step it would strike many times, with all of its sides, and turns that a
 * single blow gives it would take it anywhere. True where that is so. (What is held turns little,
 * and has points of its own.) */
TL_NARROW bool tlk_brace_particle(const tlk_convex *a, const tlk_convex *b, const tlk_mover *body,
                                  tlk_manifold *m)
{
    double gap[2], x[3];
    tlk_manifold line = *m;
    if (body[0].held || body[1].held)
        return false;
    tlk_brace_line(a, b, body, &line);
    if (tlk_brace_passes(b, body, 0, &line, gap) && tlk_brace_passes(a, body, 1, &line, gap))
        *m = line;
    const bool first = tlk_brace_passes(b, body, 0, m, gap);
    const bool second = tlk_brace_passes(a, body, 1, m, gap + 1);
    if (!first && !second)
        return false;
    /* between the two middles; at that of a far smaller one, however fast it turns */
    const double share = body[0].radius / (body[0].radius + body[1].radius);
    const double both = share < TLK_BRACE_SMALL ? 0 : share > 1 - TLK_BRACE_SMALL ? 1 : share;
    const double part = !second ? 0 : !first ? 1 : both;
    const double least = !second ? gap[0] : !first ? gap[1] : tlk_min(gap[0], gap[1]);
    for (int k = 0; k < 3; k++)
        x[k] = body[0].at[k] + part * (body[1].at[k] - body[0].at[k]);
    tlk_brace_act(body, x, least, TLK_BRACE_ID, 0, m);
    m->count = 1;
    return true;
}

/* The middle of a body (which: 0 the first) as a point of its own, where its way and its spin may
 * bring it to the plane at which the other begins: it is `distance` from there, and the nearest
 * point is `gap`. All other points hold in the linear problem, which does not know how anchors turn
 * within the step; the middle goes straight on, and is held for sure. It stays in front by half of
 * what the body reaches, or a quarter of its half width: a convex shape at rest on the plane has
 * its middle farther away. A body that is held goes on by no more than the gap, so that it touches
 * nothing as long as it does not turn. Returns how many points are to be kept. */
TL_NARROW uint32_t tlk_brace_guard(const tlk_convex *other, uint32_t which, const tlk_mover *body,
                                   double distance, double gap, uint32_t kept, tlk_manifold *m)
{
    const tlk_mover *own = body + which;
    const bool ball =
        !(own->radius > own->thin); /* it has no anchors that turn, and one row alone */
    const double extent = distance - gap, turn = sqrt(tlk_dotd(own->turn, own->turn));
    const double left =
        own->held ? tlk_max(gap, 0.0) : distance - tlk_min(0.25 * own->thin, 0.5 * extent);
    const double way = tlk_max(tlk_brace_way(body, which, m->n), 0.0);
    if (!own->held && (ball || !(extent > 0) || way + tlk_min(turn, 2.0) * own->radius < left ||
                       !tlk_brace_reaches(other, body, which, m->n, left, way)))
        return kept;
    if (m->count < TLK_POINTS_MOST)
        m->count++;
    tlk_brace_swap(m, kept, m->count - 1);
    tlk_brace_act(body, own->at, left, TLK_BRACE_ID + 16 + which, kept, m);
    return kept + 1;
}

/* Where a shape ends along a direction, on both of its sides. */
TL_NARROW void tlk_brace_ends(const tlk_convex *s, const double *n, double *low, double *high)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double p[3];
    tlk_support(s, n, p);
    *high = tlk_dotd(n, p) + s->rounding;
    tlk_support(s, back, p);
    *low = tlk_dotd(n, p) - s->rounding;
}

/* A shape that reaches through another one, and out of it on both sides, is pushed back to the side
 * where the middle of its body is (xa, xb; NULL where impulses do not move it), not by the shorter
 * way: a body that is deep in a plate stays on its side, however it is turned. m goes from a to b.
 */
TL_RARE void tlk_brace_side(const tlk_convex *a, const tlk_convex *b, const double *xa,
                            const double *xb, double limit, tlk_manifold *m)
{
    double low_a, high_a, low_b, high_b;
    tlk_brace_ends(a, m->n, &low_a, &high_a);
    tlk_brace_ends(b, m->n, &low_b, &high_b);
    const bool a_through = xa && low_a < low_b && high_b < high_a;
    const bool b_through = xb && low_b < low_a && high_a < high_b;
    const double at = a_through ? tlk_dotd(m->n, xa) : b_through ? tlk_dotd(m->n, xb) : 0;
    const bool wrong = (a_through && at > 0.5 * (low_b + high_b) && at < high_a) ||
                       (b_through && at < 0.5 * (low_a + high_a) && at > low_b);
    if (!wrong)
        return;
    tlk_axis back;
    for (int k = 0; k < 3; k++)
        back.n[k] = -m->n[k];
    back.s = tlk_separation(a, b, back.n, back.p, back.q);
    tlk_touch_deep(a, b, &back, limit,
                   tlk_core_reach(a) + tlk_core_reach(b) + a->rounding + b->rounding, m);
}

/* Whether a point is there all around a body, or at its middle, and no spare one. */
TL_NARROW bool tlk_brace_holds(uint32_t id)
{
    const uint32_t four = id & ~3u;
    return id >= TLK_BRACE_ID && four != TLK_BRACE_SPARE && four != TLK_BRACE_SPARE_ACTS;
}

/* Gives a manifold as many points as there may be, where bodies go so far that one may come onto a
 * face of the other within the step: its first one again and again. Planes by motion (planes.h)
 * put them to where they hold then. */
TL_NARROW void tlk_brace_fill(const tlk_convex *a, const tlk_convex *b, const tlk_mover *body,
                              tlk_manifold *m)
{
    double way[3], thin = INFINITY;
    for (int k = 0; k < 3; k++)
        way[k] = body[0].way[k] - body[1].way[k];
    for (int side = 0; side < 2; side++)
        if (body[side].dynamic)
            thin = tlk_min(thin, body[side].thin);
    thin *= TLK_BRACE_ONTO;
    if (a->kind == TLK_SPHERE || b->kind == TLK_SPHERE || b->kind == TLK_PLANE ||
        a->kind == TLK_PLANE || !(tlk_dotd(way, way) > thin * thin))
        return;
    const bool acts = m->feature[0] == TLK_BRACE_ID || m->feature[0] >= TLK_BRACE_ID + 16;
    for (; m->count < TLK_POINTS_MOST; m->count++) {
        m->gap[m->count] = m->gap[0];
        m->feature[m->count] = (acts ? TLK_BRACE_SPARE_ACTS : TLK_BRACE_SPARE) + m->count;
        for (int k = 0; k < 3; k++)
            m->at[m->count][k] = m->at[0][k];
    }
}

/* Changes a manifold of two shapes (the first is a), which has points, so that it holds the bodies
 * apart, up to `limit` (m). */
TL_RARE void tlk_brace(const tlk_convex *a, const tlk_convex *b, const tlk_mover *body,
                       double limit, tlk_manifold *m)
{
    uint32_t nearest = 0, kept = 1;
    for (uint32_t i = 1; i < m->count; i++)
        nearest = m->gap[i] < m->gap[nearest] ? i : nearest;
    tlk_brace_swap(m, nearest, 0);
    if (tlk_brace_particle(a, b, body, m))
        return;
    const double begin = tlk_dotd(m->n, m->at[0]), end = begin + m->gap[0];
    const double from_a = end - tlk_dotd(m->n, body[0].at);
    const double from_b = tlk_dotd(m->n, body[1].at) - begin, least = m->gap[0];
    if (body[0].dynamic)
        kept = tlk_brace_guard(b, 0, body, from_a, least, kept, m);
    if (body[1].dynamic)
        kept = tlk_brace_guard(a, 1, body, from_b, least, kept, m);
    if (body[0].dynamic)
        kept = tlk_brace_one(a, b, 0, body, end, limit, kept, m);
    if (body[1].dynamic)
        tlk_brace_one(b, a, 1, body + 1, begin, limit, kept, m);
}

/* The same for a triangle b of a surface, whose normal is `up`. Where the manifold is empty, the
 * nearest points are those of a neighbour; but others are over this triangle. */
TL_RARE void tlk_brace_triangle(const tlk_convex *a, const tlk_convex *b, const double *up,
                                const tlk_mover *body, double limit, tlk_manifold *m)
{
    double corner[3], low[3];
    if (m->count > 0) {
        tlk_brace(a, b, body, limit, m);
        return;
    }
    tlk_to_world(b, b->vertex, corner);
    for (int k = 0; k < 3; k++)
        m->n[k] = -up[k];
    tlk_support(a, m->n, low);
    const double end = tlk_dotd(m->n, corner);
    const double gap = end - tlk_dotd(m->n, low) - a->rounding;
    if (!(gap >= 0 && gap <= limit) || !body[0].dynamic)
        return;
    if (tlk_brace_over(b, m->n, low)) {
        m->count = 1;
        m->gap[0] = gap;
        m->feature[0] = TLK_BRACE_ID + 8;
        for (int k = 0; k < 3; k++)
            m->at[0][k] = low[k] + a->rounding * m->n[k];
        if (tlk_brace_particle(a, b, body, m))
            return;
    }
    const double distance = end - tlk_dotd(m->n, body[0].at);
    const uint32_t kept = tlk_brace_guard(b, 0, body, distance, gap, m->count, m);
    tlk_brace_one(a, b, 0, body, end, limit, kept, m);
}

#endif
