/* From pairs of shapes that are near to the points where they touch, one pair at a time: the last
 * stages of src/collide/collide.c where there are other pairs than simple ones. */
#ifndef TL_KERNELS_TOUCH_H
#define TL_KERNELS_TOUCH_H

#include "kernels/keep.h"
#include "kernels/narrow/brace.h"
#include "kernels/narrow/surface.h"

/* Shape i as a convex shape, its origin counted from a point. */
TL_KERNEL void tlk_load_convex(const tlk_shapes *s, uint32_t i, const double *from, tlk_convex *c)
{
    c->kind = s->info[i] & TLK_SHAPE_KIND;
    c->vertex = 0;
    c->words = 0;
    if (c->kind == TLK_SPHERE) {
        for (int k = 0; k < 9; k++)
            c->axis[k] = k % 4 == 0;
        for (int k = 0; k < 3; k++) {
            c->origin[k] = s->centre[4 * (size_t)i + k] - from[k];
            c->size[k] = 0;
        }
        c->rounding = s->geom[4 * (size_t)i + 3];
        return;
    }
    const double *frame = tlk_frame(s, i);
    for (int k = 0; k < 3; k++) {
        c->origin[k] = frame[k] - from[k];
        c->size[k] = frame[12 + k];
    }
    for (int k = 0; k < 9; k++)
        c->axis[k] = frame[3 + k];
    c->rounding = frame[18];
    if (frame[19] > 0) {
        const uint32_t *start = s->geometry + 2 * ((size_t)frame[19] - 1);
        c->vertex = s->numbers + start[0];
        c->words = s->words + start[1];
    }
}

/* Whether a shape is made of triangles. */
TL_KERNEL bool tlk_is_surface(const tlk_shapes *s, uint32_t i)
{
    const uint32_t kind = s->info[i] & TLK_SHAPE_KIND;
    return kind == TLK_MESH || kind == TLK_HEIGHTS;
}

TL_KERNEL void tlk_load_surface(const tlk_shapes *s, uint32_t i, tlk_surface *out)
{
    const double *frame = tlk_frame(s, i);
    const uint32_t *start = s->geometry + 2 * ((size_t)frame[19] - 1);
    out->kind = s->info[i] & TLK_SHAPE_KIND;
    out->numbers = s->numbers + start[0];
    out->words = s->words + start[1];
    for (int k = 0; k < 3; k++)
        out->origin[k] = frame[k];
    for (int k = 0; k < 9; k++)
        out->axis[k] = frame[3 + k];
}

/* Begins a walk over the triangles of shape j that shape i may touch in this step. */
TL_KERNEL void tlk_walk_surface(const tlk_find *f, uint32_t i, uint32_t j, tlk_surface *surface,
                                tlk_tree *walk)
{
    double low[3], high[3], middle[3], half[3], from[3], to[3];
    const size_t body = f->shapes.body[j];
    const double *x = f->bodies.pos + 4 * body, *c = f->shapes.centre + 4 * (size_t)i;
    const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    const double turn = tlk_min(sqrt(tlk_most_spin(f, body)), TLK_TURN_MOST / f->h) *
                        (sqrt(tlk_dotd(anchor, anchor)) + f->shapes.geom[4 * (size_t)i + 3]);
    const double speed = sqrt(tlk_most_speed(f, body, f->bodies.vel + 8 * body)) + turn;
    const double margin = 0.5 * f->envelope + f->h * speed;
    tlk_box(f, i, low, high);
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
        half[k] = 0.5 * (high[k] - low[k]) * (1 + 1e-12) + margin;
    }
    tlk_load_surface(&f->shapes, j, surface);
    tlk_surface_box(surface, middle, half, from, to);
    tlk_tree_begin(walk, surface, from, to);
}

/* One pair that is near: how many triangles of the one the other may touch; 1 where there are no
 * triangles. */
TL_KERNEL void tlk_part_count(const tlk_touching *t, uint32_t p)
{
    const uint32_t a = t->near_a[p], b = t->near_b[p];
    const bool of_a = tlk_is_surface(&t->find.shapes, a);
    tlk_surface surface;
    tlk_tree walk;
    t->part[p] = 1;
    if (!of_a && !tlk_is_surface(&t->find.shapes, b))
        return;
    t->part[p] = 0;
    tlk_walk_surface(&t->find, of_a ? b : a, of_a ? a : b, &surface, &walk);
    while (tlk_tree_next(&walk, &surface) != TLK_NONE)
        t->part[p]++;
}

/* The same, as pairs with one triangle each. */
TL_KERNEL void tlk_part_write(const tlk_touching *t, uint32_t p)
{
    const uint32_t a = t->near_a[p], b = t->near_b[p];
    const bool of_a = tlk_is_surface(&t->find.shapes, a);
    const uint32_t begin = t->part[p], end = t->part[p + 1];
    for (uint32_t k = begin; k < end; k++) {
        t->part_a[k] = a;
        t->part_b[k] = b;
        t->part_sub[k] = 0;
    }
    if (!of_a && !tlk_is_surface(&t->find.shapes, b))
        return;
    tlk_surface surface;
    tlk_tree walk;
    tlk_walk_surface(&t->find, of_a ? b : a, of_a ? a : b, &surface, &walk);
    for (uint32_t k = begin; k < end; k++)
        t->part_sub[k] = tlk_tree_next(&walk, &surface);
}

/* One owner, or the end: where its pairs begin now. */
TL_KERNEL void tlk_part_start(const tlk_touching *t, uint32_t i)
{
    t->part_start[i] = t->part[t->near_start[i]];
}

/* The velocity of the body of shape i, and (3 on) its angular velocity; where it is. */
TL_KERNEL void tlk_load_motion(const tlk_find *f, uint32_t i, double *v, double *x)
{
    const size_t body = f->shapes.body[i];
    for (int k = 0; k < 3; k++) {
        v[k] = f->bodies.vel[8 * body + k];
        v[3 + k] = f->bodies.vel[8 * body + 4 + k];
        x[k] = f->bodies.pos[4 * body + k];
    }
}

/* The most that the velocities of two bodies differed in attempts at this step, by component. */
TL_RARE void tlk_seen_apart(const tlk_find *f, uint32_t i, uint32_t j, double *d)
{
    const real *a = f->seen + 8 * (size_t)f->shapes.body[i];
    const real *b = f->seen + 8 * (size_t)f->shapes.body[j];
    for (int k = 0; k < 3; k++)
        d[k] = tlk_max(fabs((double)a[4 + k] - b[k]), fabs((double)b[4 + k] - a[k]));
}

/* How fast two surfaces near a point can at most close on each other; with the velocities that were
 * `seen`, if not with those at the start. */
TL_KERNEL double tlk_closing_bound(const tlk_find *f, uint32_t i, uint32_t j, const double *vi,
                                   const double *vj, bool seen)
{
    double d[3] = {vi[0] - vj[0], vi[1] - vj[1], vi[2] - vj[2]};
    if (seen)
        tlk_seen_apart(f, i, j, d);
    const double *ci = f->shapes.centre + 4 * (size_t)i, *cj = f->shapes.centre + 4 * (size_t)j;
    const double *xi = f->bodies.pos + 4 * (size_t)f->shapes.body[i];
    const double *xj = f->bodies.pos + 4 * (size_t)f->shapes.body[j];
    const double ai[3] = {ci[0] - xi[0], ci[1] - xi[1], ci[2] - xi[2]};
    /* j may be a large wall that turns: what counts is where i is */
    const double aj[3] = {ci[0] - xj[0], ci[1] - xj[1], ci[2] - xj[2]};
    const double ri = f->shapes.geom[4 * (size_t)i + 3], rj = f->shapes.geom[4 * (size_t)j + 3];
    const double ball_j[3] = {cj[0] - xj[0], cj[1] - xj[1], cj[2] - xj[2]};
    /* squares: (x + y)^2 is at most 2 (x^2 + y^2) */
    const double reach_i = 2 * (tlk_dotd(ai, ai) + ri * ri);
    const double near_j = 2 * (tlk_dotd(aj, aj) + ri * ri);
    const double far_j = 2 * (tlk_dotd(ball_j, ball_j) + rj * rj);
    const bool plane = (f->shapes.info[j] & TLK_SHAPE_KIND) == TLK_PLANE;
    const double reach_j = plane ? near_j : tlk_min(near_j, far_j);
    /* however fast a body turns, no point of it gets farther than across it */
    const double most = TLK_TURN_MOST / f->h * (TLK_TURN_MOST / f->h);
    const double spin_i = seen ? tlk_most_spin(f, f->shapes.body[i]) : tlk_dotd(vi + 3, vi + 3);
    const double spin_j = seen ? tlk_most_spin(f, f->shapes.body[j]) : tlk_dotd(vj + 3, vj + 3);
    const double wi = tlk_min(spin_i, most), wj = tlk_min(spin_j, most);
    return sqrt(tlk_dotd(d, d)) + sqrt(wi * reach_i) + sqrt(wj * reach_j);
}

/* The first contact that a pair had in the last step, or TLK_NONE; *end: behind the last. */
TL_KERNEL uint32_t tlk_old_pair(const tlk_touching *t, uint32_t i, uint32_t j, uint32_t sub,
                                uint32_t *end)
{
    if (!t->old_start)
        return TLK_NONE;
    for (uint32_t o = t->old_start[i]; o < t->old_start[i + 1]; o++)
        if (t->old_b[o] == j && t->old_feature[2 * (size_t)o] == sub) {
            for (*end = o + 1; *end < t->old_start[i + 1] && t->old_b[*end] == j &&
                               t->old_feature[2 * (size_t)*end] == sub;)
                ++*end;
            return o;
        }
    return TLK_NONE;
}

/* Whether the body of shape i is held within this step (swing.h). */
TL_KERNEL bool tlk_is_held(const tlk_find *f, uint32_t i)
{
    const size_t body = f->shapes.body[i];
    return f->held && body < f->bodies.dynamic && f->held[body] & ~TLK_CARRIES;
}

/* A pair is swift if it may move by more than this part of the least half width of what moves. */
#define TLK_SWIFT 0.1

/* Whether a simple pair has a sphere off its body's origin, and a shape that ends. */
TL_KERNEL bool tlk_is_clumped(const tlk_shapes *s, uint32_t i, uint32_t j)
{
    const uint32_t a = s->info[i], b = s->info[j], ka = a & TLK_SHAPE_KIND, kb = b & TLK_SHAPE_KIND;
    const uint32_t ball = ka == TLK_SPHERE ? a : b, other = ka == TLK_SPHERE ? kb : ka;
    return other != TLK_SPHERE && other != TLK_PLANE &&
           !(ball & (TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED));
}

/* Whether such a pair, with the point m, is treated as pairs are that are not simple: where it
 * moves far, or is deep, what counts is on which side the middle of the body is, not the sphere's.
 */
TL_KERNEL bool tlk_is_clump_braced(const tlk_find *f, uint32_t i, uint32_t j, const double *vi,
                                   const double *vj, const tlk_manifold *m)
{
    const uint32_t kind = f->shapes.info[i] & TLK_SHAPE_KIND;
    const double radius = f->shapes.geom[4 * (size_t)(kind == TLK_SPHERE ? i : j) + 3];
    const double way = f->h * tlk_closing_bound(f, i, j, vi, vj, false);
    return way > TLK_CLUMP * radius || m->gap[0] < -TLK_CLUMP * radius || tlk_is_held(f, i) ||
           tlk_is_held(f, j);
}

/* One shape: how far it may go within the step, m: 0 a sphere off its body's origin, 1 one that is
 * no sphere. */
TL_KERNEL void tlk_clump_ways(const tlk_find *f, uint32_t i, double *acc)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t info = s->info[i], kind = info & TLK_SHAPE_KIND;
    const size_t body = s->body[i];
    const double *anchor = s->geom + 4 * (size_t)i; /* centres are not made yet */
    if (kind == TLK_PLANE || (kind == TLK_SPHERE && info & (TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED)))
        return;
    const uint32_t which = kind != TLK_SPHERE;
    const double way = f->h * sqrt(tlk_most_speed(f, body, f->bodies.vel + 8 * body));
    acc[which] = tlk_max(acc[which], way + tlk_spin_reach(f, i, anchor));
}

/* Where a simple pair touches. */
TL_KERNEL void tlk_touch_simple(const tlk_touching *t, uint32_t i, uint32_t j, tlk_manifold *m)
{
    const tlk_shapes *s = &t->find.shapes;
    const double *c = s->centre + 4 * (size_t)i;
    const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    double x[3];
    m->count = 1;
    m->feature[0] = 0;
    m->gap[0] = tlk_narrow(s, i, j, m->n);
    tlk_sphere_point(s, i, j, m->n, x);
    for (int k = 0; k < 3; k++)
        m->at[0][k] = x[k] - c[k] - (from_i ? 0 : m->gap[0] * m->n[k]);
}

/* Half the least width of a shape. */
TL_KERNEL double tlk_thin(const tlk_shapes *s, uint32_t i)
{
    if ((s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE)
        return s->geom[4 * (size_t)i + 3];
    const double *half = s->frame_local + TLK_FRAME * (size_t)s->frame_of[i] + 15;
    return tlk_min(half[0], tlk_min(half[1], half[2]));
}

/* Whether a pair whose points are looked for up to `limit` moves so far within the step that it
 * needs points all around. */
TL_KERNEL bool tlk_is_swift(const tlk_find *f, uint32_t i, uint32_t j, double limit)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t dynamic = f->bodies.dynamic;
    const double of_i = s->body[i] < dynamic ? tlk_thin(s, i) : INFINITY;
    const double of_j = s->body[j] < dynamic ? tlk_thin(s, j) : INFINITY;
    return limit - f->envelope > TLK_SWIFT * tlk_min(of_i, of_j) || tlk_is_held(f, i) ||
           tlk_is_held(f, j);
}

/* How the body of shape i moves; from: what shapes are relative to. */
TL_KERNEL void tlk_load_mover(const tlk_find *f, uint32_t i, const double *from, tlk_mover *out)
{
    const size_t body = f->shapes.body[i];
    const real *vel = f->bodies.vel + 8 * body;
    const double *x = f->bodies.pos + 4 * body, *c = f->shapes.centre + 4 * (size_t)i;
    const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    out->held = tlk_is_held(f, i);
    for (int k = 0; k < 3; k++) {
        out->at[k] = x[k] - from[k];
        out->way[k] = f->h * vel[k];
        out->turn[k] = f->h * vel[4 + k];
    }
    out->radius = sqrt(tlk_dotd(anchor, anchor)) + f->shapes.geom[4 * (size_t)i + 3];
    out->thin = tlk_thin(&f->shapes, i);
    out->dynamic = body < f->bodies.dynamic;
}

/* Where a convex shape touches a triangle; m goes from shape i to shape j, one of which is made of
 * triangles, and its points are counted from c. */
TL_KERNEL void tlk_touch_triangle(const tlk_touching *t, uint32_t i, uint32_t j, uint32_t sub,
                                  double limit, bool swift, double *guess, tlk_manifold *m)
{
    const tlk_shapes *s = &t->find.shapes;
    const bool of_i = tlk_is_surface(s, i);
    const double *about = s->centre + 4 * (size_t)(of_i ? j : i), *c = s->centre + 4 * (size_t)i;
    tlk_surface surface;
    tlk_convex convex;
    tlk_load_surface(s, of_i ? i : j, &surface);
    tlk_load_convex(s, of_i ? j : i, about, &convex);
    for (int k = 0; k < 3 && of_i && guess; k++)
        guess[k] = -guess[k];
    tlk_surface_collide(&surface, sub, about, &convex, limit, guess, m);
    if (swift) {
        double vertex[9], corner[9], n[3], up[3];
        tlk_convex triangle;
        tlk_mover body[2];
        tlk_surface_triangle(&surface, sub, about, vertex, &triangle);
        tlk_load_mover(&t->find, of_i ? j : i, about, body);
        tlk_load_mover(&t->find, of_i ? i : j, about, body + 1);
        tlk_surface_corners(&surface, sub, corner);
        tlk_corner_normal(corner, n);
        tlk_surface_out(&surface, n, up);
        tlk_brace_triangle(&convex, &triangle, up, body, limit, m);
        if (m->count > 0)
            tlk_brace_fill(&convex, &triangle, body, m);
    }
    for (uint32_t p = 0; p < m->count && of_i; p++)
        for (int k = 0; k < 3; k++) /* on the owner's surface, from its centre */
            m->at[p][k] += m->gap[p] * m->n[k] + about[k] - c[k];
    for (int k = 0; k < 3 && of_i; k++)
        m->n[k] = -m->n[k];
}

/* Whether point k of the manifold of shapes i and j is within the envelope, or will be within the
 * step; or else attempts at this step brought it deep into the other (not, where `fresh` points
 * alone are wanted, if the former). */
TL_KERNEL bool tlk_point_closes(const tlk_find *f, uint32_t i, uint32_t j, const tlk_manifold *m,
                                uint32_t k, bool fresh)
{
    if (m->gap[k] <= f->envelope)
        return !fresh;
    const double *c = f->shapes.centre + 4 * (size_t)i;
    const double x[3] = {c[0] + m->at[k][0], c[1] + m->at[k][1], c[2] + m->at[k][2]};
    const double closing = tlk_along_normal(f, i, x, m->n) - tlk_along_normal(f, j, x, m->n);
    const double turns = tlk_turns_to(f, i, j, x) + tlk_turns_to(f, j, i, x);
    if (m->gap[k] <= f->envelope + f->h * tlk_max(closing, 0.0) + turns)
        return !fresh;
    return f->seen && m->gap[k] + f->deep <= f->h * (tlk_seen_along(f, i, x, m->n, 1) +
                                                     tlk_seen_along(f, j, x, m->n, -1));
}

/* Whether two shapes overlap so much that one may reach through the other. */
TL_KERNEL bool tlk_is_deep(const tlk_find *f, uint32_t i, uint32_t j, const tlk_manifold *m)
{
    double least = 0;
    for (uint32_t k = 0; k < m->count; k++)
        least = tlk_min(least, m->gap[k]);
    return least < 0 &&
           -least > tlk_min(f->envelope, tlk_min(tlk_thin(&f->shapes, i), tlk_thin(&f->shapes, j)));
}

/* Puts points where two convex shapes need them within a step in which they move far (swift), and
 * on the side that the middle of a body is on where it reaches through a plate. */
TL_KERNEL void tlk_touch_braced(const tlk_find *f, uint32_t i, uint32_t j, const tlk_convex *a,
                                const tlk_convex *b, double limit, bool swift, tlk_manifold *m)
{
    const double *c = f->shapes.centre + 4 * (size_t)i;
    if (tlk_is_deep(f, i, j, m) && a->kind != TLK_PLANE && b->kind != TLK_PLANE) {
        const uint32_t of_a = f->shapes.body[i], of_b = f->shapes.body[j];
        const double *at_a = f->bodies.pos + 4 * (size_t)of_a;
        const double *at_b = f->bodies.pos + 4 * (size_t)of_b;
        const double xa[3] = {at_a[0] - c[0], at_a[1] - c[1], at_a[2] - c[2]};
        const double xb[3] = {at_b[0] - c[0], at_b[1] - c[1], at_b[2] - c[2]};
        const uint32_t dynamic = f->bodies.dynamic;
        tlk_brace_side(a, b, of_a < dynamic ? xa : 0, of_b < dynamic ? xb : 0, limit, m);
    }
    if (swift && m->count > 0) {
        tlk_mover body[2];
        tlk_load_mover(f, i, c, body);
        tlk_load_mover(f, j, c, body + 1);
        tlk_brace(a, b, body, limit, m);
        tlk_brace_fill(a, b, body, m);
    }
}

/* The manifold of a pair that is not simple, points counted from the owner's ball; whether it is
 * kept, or may be. Where `kept_only`, nothing but that is tried. */
TL_KERNEL tlk_keeping tlk_touch_convex(const tlk_touching *t, uint32_t i, uint32_t j, uint32_t sub,
                                       const double *vi, const double *vj, bool kept_only,
                                       bool *swift, tlk_manifold *m)
{
    const tlk_find *f = &t->find;
    const tlk_shapes *s = &f->shapes;
    const double *c = s->centre + 4 * (size_t)i;
    uint32_t end = 0;
    const uint32_t o = tlk_old_pair(t, i, j, sub, &end);
    if (kept_only && (o == TLK_NONE || !(t->old_kept[TLK_KEPT * (size_t)o + 11] > 0)))
        return TLK_KEEP_OPEN;
    const double way = f->h * tlk_closing_bound(f, i, j, vi, vj, false);
    double limit = f->envelope + way;
    *swift = tlk_is_swift(f, i, j, limit);
    const bool calm = way <= TLK_KEEP_NEXT * f->envelope && !*swift &&
                      !(f->seen && (tlk_jumped(f, i) || tlk_jumped(f, j)));
    if (f->seen) /* whichever attempt it was: what one of them needs stays */
        limit = tlk_max(limit, f->h * tlk_closing_bound(f, i, j, vi, vj, true));
    double guess[3];
    if (o != TLK_NONE && calm && tlk_keep_manifold(f, i, j, t->old_kept, o, end, m))
        return TLK_KEEP_OLD;
    if (kept_only)
        return TLK_KEEP_OPEN;
    for (int k = 0; k < 3 && o != TLK_NONE; k++)
        guess[k] = t->old_n[4 * (size_t)o + k];
    if (tlk_is_surface(s, i) || tlk_is_surface(s, j)) {
        tlk_touch_triangle(t, i, j, sub, limit, *swift, o != TLK_NONE ? guess : 0, m);
        return TLK_KEEP_NOT;
    }
    tlk_convex a, b;
    tlk_load_convex(s, i, c, &a);
    tlk_load_convex(s, j, c, &b);
    tlk_collide_convex(&a, &b, limit, o != TLK_NONE ? guess : 0, m);
    tlk_touch_braced(f, i, j, &a, &b, limit, *swift, m);
    return m->firm && calm ? TLK_KEEP_NEW : TLK_KEEP_NOT;
}

/* The points of pair p that are within the envelope, or will be within the step; all of a swift
 * pair where one is. Where `kept_only`, false is returned of pairs that need the narrow phase. */
TL_KERNEL bool tlk_touch(const tlk_touching *t, uint32_t p, bool kept_only)
{
    const tlk_find *f = &t->find;
    const tlk_shapes *s = &f->shapes;
    const uint32_t i = t->near_a[p], j = t->near_b[p], sub = t->near_sub ? t->near_sub[p] : 0;
    double vi[6], vj[6], xi[3], xj[3];
    tlk_keeping keeping = TLK_KEEP_NOT;
    tlk_manifold m;
    m.count = 0;
    tlk_load_motion(f, i, vi, xi);
    tlk_load_motion(f, j, vj, xj);
    bool swift = false, closes = false;
    if (tlk_is_simple(s->info[i], s->info[j]))
        tlk_touch_simple(t, i, j, &m);
    if (m.count == 0 || (tlk_is_clumped(s, i, j) && tlk_is_clump_braced(f, i, j, vi, vj, &m)))
        keeping = tlk_touch_convex(t, i, j, sub, vi, vj, kept_only, &swift, &m);
    if (keeping == TLK_KEEP_OPEN)
        return false;
    const real normal[4] = {(real)m.n[0], (real)m.n[1], (real)m.n[2], (real)keeping};
    uint32_t count = 0;
    for (uint32_t k = 0; k < m.count && swift; k++)
        closes = closes || tlk_point_closes(f, i, j, &m, k, t->fresh);
    for (uint32_t k = 0; k < m.count; k++) {
        if (!closes && !tlk_point_closes(f, i, j, &m, k, t->fresh))
            continue;
        const size_t at = TLK_POINTS_MOST * (size_t)p + count++;
        const real out[4] = {(real)m.at[k][0], (real)m.at[k][1], (real)m.at[k][2], (real)m.gap[k]};
        tlk_store4(t->slot + 4 * at, out);
        t->slot_feature[at] = m.feature[k];
    }
    if (count)
        tlk_store4(t->normal + 4 * (size_t)p, normal);
    t->points[p] = count;
    t->rank[p] = count > 0;
    return true;
}

/* A number for the kinds of two shapes, in either order. */
TL_KERNEL uint32_t tlk_pair_kinds(uint32_t info_a, uint32_t info_b)
{
    const uint32_t a = info_a & TLK_SHAPE_KIND, b = info_b & TLK_SHAPE_KIND;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return high * (high + 1) / 2 + low;
}

/* One pair that is near: its points, where they take little work. The others are put in order by
 * their kinds, so that neighbours do the same work. */
TL_KERNEL void tlk_touch_keep(const tlk_touching *t, uint32_t p)
{
    const uint32_t *info = t->find.shapes.info;
    t->work[p] = tlk_touch(t, p, true) ? TLK_TOUCHED
                                       : tlk_pair_kinds(info[t->near_a[p]], info[t->near_b[p]]);
}

/* One pair that is near: its place among those that are left. */
TL_KERNEL void tlk_touch_order(const tlk_touching *t, uint32_t p)
{
    if (t->work[p] != TLK_TOUCHED)
        t->left[t->work_place[p]] = p;
}

/* One of these: the narrow phase. (That it is not kept is found once more: nvcc 13.0 makes code
 * that jumps astray of this kernel where that is left out.) */
TL_KERNEL void tlk_touch_pair(const tlk_touching *t, uint32_t q)
{
    tlk_touch(t, t->left[q], false);
}

/* One pair that is near: its points become contacts. */
TL_KERNEL void tlk_touch_write(const tlk_touching *t, uint32_t p)
{
    const tlk_find *f = &t->find;
    const uint32_t begin = t->points[p], count = t->points[p + 1] - begin;
    if (p + 1 == t->near)
        t->pair[t->rank[p + 1]] = t->points[p + 1];
    if (!count)
        return;
    const real *normal = t->normal + 4 * (size_t)p;
    t->pair[t->rank[p]] = begin;
    for (uint32_t k = 0; k < count; k++) {
        const size_t to = begin + k, at = TLK_POINTS_MOST * (size_t)p + k;
        const real *slot = t->slot + 4 * at;
        const real n[4] = {normal[0], normal[1], normal[2], slot[3]};
        const real place[4] = {slot[0], slot[1], slot[2], 0};
        real *kept = t->kept + TLK_KEPT * to;
        f->contact_a[to] = t->near_a[p];
        f->contact_b[to] = t->near_b[p];
        t->feature[2 * to] = t->near_sub ? t->near_sub[p] : 0;
        tlk_store4(f->contact_n + 4 * to, n);
        tlk_store4(t->place + 4 * to, place);
        if (normal[3] == TLK_KEEP_OLD) {
            const size_t old = t->slot_feature[at];
            for (uint32_t c = 0; c < TLK_KEPT; c += 4)
                tlk_copy4(t->old_kept + TLK_KEPT * old + c, kept + c);
            t->feature[2 * to + 1] = t->old_feature[2 * old + 1];
            continue;
        }
        t->feature[2 * to + 1] = t->slot_feature[at];
        if (normal[3] == TLK_KEEP_NEW)
            tlk_keep_contact(f, t->near_a[p], t->near_b[p], place, n, kept);
        for (uint32_t c = 0; c < TLK_KEPT && normal[3] == TLK_KEEP_NOT; c++)
            kept[c] = 0;
    }
}

/* One owner, or the end: where its points begin. */
TL_KERNEL void tlk_touch_start(const tlk_touching *t, uint32_t i)
{
    t->find.contact_start[i] = t->points[t->near_start[i]];
}

#endif
