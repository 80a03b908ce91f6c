/* Parts that swing through something. Rows go straight on: of a body that turns by a radian within
 * the step, what is far from its middle ends elsewhere than its rows say, perhaps behind a plate
 * that it was in front of; and a plate that a blow turns ends elsewhere for what slides over it.
 * Here the end of a step is looked at before anything moves. Where the middle of a shape would end
 * behind a plane of another that it begins in front of, the step is made again: its body is held,
 * it turns by less and touches nothing as long as it does not turn (narrow/brace.h, bodies.h); and
 * the planes of what turns away from under it turn as that did (carry.h). What the last attempt
 * still leaves behind a plane is put back in front of it. One pair at a time.
 * docs/theory.md, "Parts that swing". */
#ifndef TL_KERNELS_SWING_H
#define TL_KERNELS_SWING_H

#include "kernels/bid.h"
#include "kernels/bodies.h"
#include "kernels/touch.h"

#define TLK_SWING_PART \
    0.25 /* of the half width: a way that differs by so much from a straight one */
#define TLK_SWING_LEFT 0.1 /* of the half width: how far middles stay in front */
#define TLK_SWING_WIDE                                                        \
    3 /* so many times as large as it is a triangle is taken, for others have \
         the points of those beside it */

/* A body as the step begins and ends. */
typedef struct tlk_swing {
    double from[3], to[3], begin[4], end[4];
} tlk_swing;

TL_KERNEL void tlk_swing_load(const tlk_motion *m, uint32_t i, tlk_swing *s)
{
    const real *v = m->bodies.vel + 8 * (size_t)i;
    double w[3] = {v[4], v[5], v[6]};
    for (int k = 0; k < 4; k++)
        s->begin[k] = s->end[k] = m->bodies.quat[4 * (size_t)i + k];
    for (int k = 0; k < 3; k++) {
        s->from[k] = m->bodies.pos[4 * (size_t)i + k];
        s->to[k] = s->from[k] + m->h * v[k];
    }
    if (i < m->bodies.dynamic)
        tlk_take(m, i, s->to, s->end, w);
    else
        tlk_turn_body(m->h, w, s->end);
}

/* A direction that turns with a body, as the step ends (back: the other way). */
TL_KERNEL void tlk_swing_turned(const tlk_swing *s, bool back, const double *d, double *out)
{
    double local[3];
    tlk_rotate_back(back ? s->end : s->begin, d, local);
    tlk_rotate(back ? s->begin : s->end, local, out);
}

/* The same for the planes of shape j: those of a ball go with its middle, and do not turn. */
TL_KERNEL void tlk_swing_carrier(const tlk_swings *g, uint32_t j, tlk_swing *s)
{
    const double *c = g->shapes.centre + 4 * (size_t)j;
    double there[3];
    tlk_swing_load(&g->motion, g->shapes.body[j], s);
    if (g->shapes.info[j] & TLK_SHAPE_KIND) /* no sphere */
        return;
    const double r[3] = {c[0] - s->from[0], c[1] - s->from[1], c[2] - s->from[2]};
    tlk_swing_turned(s, false, r, there);
    for (int k = 0; k < 3; k++) {
        s->from[k] = c[k];
        s->to[k] += there[k];
    }
    for (int k = 0; k < 4; k++)
        s->end[k] = s->begin[k];
}

/* How far a body goes within the step, and (3 on) turns. */
TL_KERNEL void tlk_swing_way(const tlk_motion *m, uint32_t i, double *way)
{
    const bool moves = i < m->bodies.dynamic;
    const real *v = (moves ? m->vel : m->bodies.vel) + 8 * (size_t)i;
    const real *p = moves && m->pseudo ? m->pseudo + 8 * (size_t)i : 0;
    for (int k = 0; k < 6; k++) {
        const int at = k < 3 ? k : k + 1;
        way[k] = m->h * ((double)v[at] + (p ? (double)p[at] : 0));
    }
}

/* How much of the way of shape i's middle, seen from shape j, is because of its own body's turn, m,
 * which impulses at the body's middle do not see; and what the other's turn puts between it and a
 * straight one. */
TL_KERNEL void tlk_swing_arcs(const tlk_swings *g, uint32_t i, uint32_t j, double *own,
                              double *other)
{
    const tlk_shapes *s = &g->shapes;
    const uint32_t a = s->body[i], b = s->body[j];
    const double *c = s->centre + 4 * (size_t)i;
    const double *xa = g->motion.bodies.pos + 4 * (size_t)a;
    const double *xb = g->motion.bodies.pos + 4 * (size_t)b;
    const double ra[3] = {c[0] - xa[0], c[1] - xa[1], c[2] - xa[2]};
    const double rb[3] = {c[0] - xb[0], c[1] - xb[1], c[2] - xb[2]};
    double wa[6], wb[6];
    tlk_swing_way(&g->motion, a, wa);
    tlk_swing_way(&g->motion, b, wb);
    const double d[3] = {wa[0] - wb[0], wa[1] - wb[1], wa[2] - wb[2]};
    const double turn_a = tlk_dotd(wa + 3, wa + 3), turn_b = tlk_dotd(wb + 3, wb + 3);
    *own = tlk_min(sqrt(turn_a), TLK_TURN_MOST) * sqrt(tlk_dotd(ra, ra));
    *other = tlk_min(0.5 * turn_b, TLK_TURN_MOST) * sqrt(tlk_dotd(rb, rb)) +
             tlk_min(sqrt(turn_b), TLK_TURN_MOST) * sqrt(tlk_dotd(d, d));
}

/* The plane of shape j that shape i is in front of as the step begins: its normal, from i to j, and
 * a point; `convex`: what of j it belongs to, counted from the middle of i as the point. */
TL_KERNEL bool tlk_swing_plane(const tlk_shapes *s, uint32_t i, uint32_t j, uint32_t sub,
                               double *vertex, tlk_convex *convex, double *n, double *at)
{
    const double *about = s->centre + 4 * (size_t)i;
    if (tlk_is_surface(s, j)) {
        double corner[9], normal[3];
        tlk_surface surface;
        tlk_load_surface(s, j, &surface);
        tlk_surface_triangle(&surface, sub, about, vertex, convex);
        tlk_surface_corners(&surface, sub, corner);
        tlk_corner_normal(corner, normal);
        tlk_surface_out(&surface, normal, n);
        tlk_to_world(convex, convex->vertex, at);
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
        return true;
    }
    tlk_convex own;
    tlk_manifold m;
    tlk_load_convex(s, i, about, &own);
    tlk_load_convex(s, j, about, convex);
    tlk_collide_convex(&own, convex, TLK_FAR, NULL, &m);
    if (!m.count)
        return false;
    for (int k = 0; k < 3; k++) {
        n[k] = m.n[k];
        at[k] = m.at[0][k] + m.gap[0] * m.n[k];
    }
    return true;
}

/* Whether x is over what a plane belongs to. */
TL_KERNEL bool tlk_swing_over(const tlk_convex *s, const double *n, double *x)
{
    double corner[3], middle[3] = {0, 0, 0};
    for (int v = 0; v < 3 && s->kind == TLK_TRIANGLE; v++) {
        tlk_to_world(s, s->vertex + 3 * v, corner);
        for (int k = 0; k < 3; k++)
            middle[k] += corner[k] / 3;
    }
    for (int k = 0; k < 3 && s->kind == TLK_TRIANGLE; k++)
        x[k] = middle[k] + (x[k] - middle[k]) / TLK_SWING_WIDE;
    return tlk_brace_over(s, n, x);
}

/* A plane that a middle passes, as the step ends: its normal, from the shape to the other, and how
 * far the middle would have to go back along it to be as far in front as it was, or as it is thick.
 */
typedef struct tlk_swing_passed {
    double n[3], back;
} tlk_swing_passed;

/* Whether the middle of shape i begins in front of shape j (triangle `sub` of it) and ends behind.
 */
TL_RARE bool tlk_swing_passes(const tlk_swings *g, uint32_t i, uint32_t j, uint32_t sub,
                              tlk_swing_passed *out)
{
    const tlk_shapes *s = &g->shapes;
    const double *c = s->centre + 4 * (size_t)i;
    double vertex[9], n[3], at[3], r[3], there[3], x[3];
    tlk_convex convex;
    tlk_swing a, b;
    if (!tlk_swing_plane(s, i, j, sub, vertex, &convex, n, at))
        return false;
    const double before = tlk_dotd(n, at);
    if (!(before > 0))
        return false;
    tlk_swing_load(&g->motion, s->body[i], &a);
    tlk_swing_carrier(g, j, &b);
    for (int k = 0; k < 3; k++)
        r[k] = c[k] - a.from[k];
    tlk_swing_turned(&a, false, r, there);
    for (int k = 0; k < 3; k++)
        r[k] = a.to[k] + there[k] - b.to[k];
    tlk_swing_turned(&b, true, r, there); /* from the other's middle, in its frame */
    for (int k = 0; k < 3; k++)
        there[k] += b.from[k] - c[k];
    const double after = before - tlk_dotd(n, there);
    if (!(after < TLK_SWING_LEFT * tlk_thin(s, i)))
        return false;
    tlk_swing_turned(&b, false, n, out->n);
    out->back = tlk_min(before, tlk_thin(s, i)) - after;
    const double part = after < 0 ? before / (before - after) : 1;
    for (int k = 0; k < 3; k++)
        x[k] = part * there[k];
    return tlk_swing_over(&convex, n, x);
}

/* Whether shape i of a pair swings through shape j. What goes straight on is held by its rows; but
 * for rows whose planes turned otherwise in an attempt before. */
TL_KERNEL bool tlk_swings_through(const tlk_swings *g, uint32_t i, uint32_t j, uint32_t sub,
                                  double *own, double *other, tlk_swing_passed *passed)
{
    const tlk_shapes *s = &g->shapes;
    if (s->body[i] >= g->motion.bodies.dynamic || tlk_is_surface(s, i))
        return false;
    tlk_swing_arcs(g, i, j, own, other);
    return (g->motion.held || *own + *other > TLK_SWING_PART * tlk_thin(s, i)) &&
           tlk_swing_passes(g, i, j, sub, passed);
}

/* One pair that moves on: 0 how many of its shapes swing through the other; then nothing moves. */
TL_KERNEL void tlk_swing_check(const tlk_swings *g, uint32_t m, double *acc)
{
    const uint32_t k = tlk_first_contact(g->first, g->moved[m]);
    const uint32_t a = g->contact_a[k], b = g->contact_b[k];
    const uint32_t sub = g->feature ? g->feature[2 * (size_t)k] : 0;
    tlk_swing_passed passed;
    double own, other;
    if (!tlk_swings_through(g, a, b, sub, &own, &other, &passed) &&
        !tlk_swings_through(g, b, a, sub, &own, &other, &passed))
        return;
    acc[0] += 1;
    tlk_atomic_set(g->motion.halt, 1);
}

/* The same pair, where one does: bodies are held, or carry planes with them. */
TL_KERNEL void tlk_swing_hold(const tlk_swings *g, uint32_t m)
{
    const tlk_shapes *s = &g->shapes;
    const uint32_t k = tlk_first_contact(g->first, g->moved[m]);
    const uint32_t sub = g->feature ? g->feature[2 * (size_t)k] : 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t i = side ? g->contact_b[k] : g->contact_a[k];
        const uint32_t j = side ? g->contact_a[k] : g->contact_b[k];
        tlk_swing_passed passed;
        double own, other;
        if (!tlk_swings_through(g, i, j, sub, &own, &other, &passed))
            continue;
        const double *c = s->centre + 4 * (size_t)i;
        const double *x = g->motion.bodies.pos + 4 * (size_t)s->body[i];
        const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
        const double most = TLK_SWING_PART * tlk_thin(s, i);
        uint32_t bit = 1;
        /* its arc of an angle is to be no more than that */
        for (double angle = 1;
             0.5 * angle * angle * sqrt(tlk_dotd(anchor, anchor)) > most && bit < TLK_HELD_LEAST;
             angle *= 0.5)
            bit <<= 1;
        if (own > 0.5 * most)
            tlk_atomic_or32(g->held + s->body[i], bit);
        if (other > 0.5 * most && s->body[j] < g->motion.bodies.dynamic)
            tlk_atomic_or32(g->held + s->body[j], TLK_CARRIES);
    }
}

/* A pair that moves on: its smaller shape i, which may pass the other, j. (Planes of what is small
 * turn with it anywhere, and say nothing of the middle of what is large.) */
typedef struct tlk_swing_pair {
    uint32_t i, j, sub;
    uint64_t bid;
} tlk_swing_pair;

TL_KERNEL tlk_swing_pair tlk_swing_pair_of(const tlk_swings *g, uint32_t m)
{
    const uint32_t k = tlk_first_contact(g->first, g->moved[m]);
    const uint32_t a = g->contact_a[k], b = g->contact_b[k];
    const uint32_t sub = g->feature ? g->feature[2 * (size_t)k] : 0;
    const bool first = g->shapes.geom[4 * (size_t)a + 3] <= g->shapes.geom[4 * (size_t)b + 3];
    const tlk_swing_pair pair = {first ? a : b, first ? b : a, sub,
                                 tlk_bid_of(g->motion.bodies.id, g->shapes.body, a, b, sub)};
    return pair;
}

/* A pair that the last attempt leaves so bids for its bodies, as each may have several. */
TL_KERNEL void tlk_swing_bid(const tlk_swings *g, uint32_t m)
{
    const uint32_t *body = g->shapes.body, dynamic = g->motion.bodies.dynamic;
    const tlk_swing_pair p = tlk_swing_pair_of(g, m);
    tlk_swing_passed passed;
    double own, other;
    if (!tlk_swings_through(g, p.i, p.j, p.sub, &own, &other, &passed))
        return;
    tlk_atomic_max(g->bid + body[p.i], p.bid);
    if (body[p.j] < dynamic)
        tlk_atomic_max(g->bid + body[p.j], p.bid);
}

/* Where it has won both, which nobody else looks at then, they are put apart as the step ends, so
 * that the middle is in front; their velocities and the centre of the two are as they were. */
TL_KERNEL void tlk_swing_put(const tlk_swings *g, uint32_t m)
{
    const tlk_motion *q = &g->motion;
    const tlk_swing_pair p = tlk_swing_pair_of(g, m);
    const uint32_t i = g->shapes.body[p.i], j = g->shapes.body[p.j];
    const bool moves = j < q->bodies.dynamic;
    tlk_swing_passed passed;
    double own, other;
    if (i >= q->bodies.dynamic || g->bid[i] != p.bid || (moves && g->bid[j] != p.bid) ||
        !tlk_swings_through(g, p.i, p.j, p.sub, &own, &other, &passed))
        return;
    real *of_i = q->pseudo_out + 8 * (size_t)i, *of_j = q->pseudo_out + 8 * (size_t)j;
    const double mass_i = q->bodies.inertia[4 * (size_t)i + 3];
    const double mass_j = moves ? q->bodies.inertia[4 * (size_t)j + 3] : 0;
    const double share = moves ? mass_j / (mass_i + mass_j) : 1;
    for (int k = 0; k < 3; k++) {
        const double back = passed.n[k] * passed.back / q->h;
        of_i[k] -= (real)(share * back);
        if (moves)
            of_j[k] += (real)((1 - share) * back);
    }
}

/* One dynamic body: how planes on it turn in the next attempt, halfway between how they did and how
 * it would turn, so that attempts do not go to and fro; and by no more than a radian. */
TL_KERNEL void tlk_swing_turn(const tlk_swings *g, uint32_t i)
{
    const tlk_motion *m = &g->motion;
    const real *v = m->vel + 8 * (size_t)i, *p = m->pseudo ? m->pseudo + 8 * (size_t)i : 0;
    const real *last = m->held ? g->turn + 4 * (size_t)i : m->bodies.vel + 8 * (size_t)i + 4;
    double w[3];
    for (int k = 0; k < 3; k++)
        w[k] = 0.5 * ((double)last[k] + (double)v[4 + k] + (p ? (double)p[4 + k] : 0));
    const double angle = m->h * sqrt(tlk_dotd(w, w)), part = angle > 1 ? 1 / angle : 1;
    const real out[4] = {(real)(part * w[0]), (real)(part * w[1]), (real)(part * w[2]), 0};
    tlk_store4(g->turn + 4 * (size_t)i, out);
}

#endif
