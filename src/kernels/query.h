/* What is asked about the shapes of a world at their present poses: where rays end, and what is
 * near a shape that is none of the world's. src/world/cast.c and near.c launch these; monitors fold
 * over rays. Frames are made of the bodies' poses here: those that contacts were found with stay as
 * they are. */
#ifndef TL_KERNELS_QUERY_H
#define TL_KERNELS_QUERY_H

#include "kernels/narrow/ray_surface.h"
#include "kernels/narrow/surface.h"

/* ---- Shapes where they are now ---- */

/* The size, rounding and geometry of a shape that is no sphere, in its own frame. */
TL_NARROW void tlk_query_core(const tlk_shapes *s, uint32_t kind, const double *frame,
                              tlk_convex *c)
{
    c->kind = kind;
    c->rounding = frame[18];
    c->vertex = NULL;
    c->words = NULL;
    for (int k = 0; k < 3; k++) {
        c->origin[k] = 0;
        c->size[k] = frame[12 + k];
    }
    for (int k = 0; k < 9; k++)
        c->axis[k] = k % 4 == 0;
    if (frame[19] > 0) {
        const uint32_t *start = s->geometry + 2 * ((size_t)frame[19] - 1);
        c->vertex = s->numbers + start[0];
        c->words = s->words + start[1];
    }
}

TL_NARROW const double *tlk_frame_local(const tlk_shapes *s, uint32_t i)
{
    return s->frame_local + TLK_FRAME * (size_t)s->frame_of[i];
}

/* One shape: the box around it. */
TL_KERNEL void tlk_shape_box(const tlk_query *q, uint32_t i)
{
    const tlk_shapes *s = &q->shapes;
    const double *geom = s->geom + 4 * (size_t)i, *x = q->bodies.pos + 4 * (size_t)s->body[i];
    const double *turn = q->bodies.quat + 4 * (size_t)s->body[i];
    const uint32_t kind = s->info[i] & TLK_SHAPE_KIND;
    double c[3], half[3] = {geom[3], geom[3], geom[3]};
    tlk_rotate(turn, geom, c);
    if (kind == TLK_PLANE) {
        half[0] = half[1] = half[2] = INFINITY;
    } else if (kind != TLK_SPHERE && kind != TLK_PARALLELOGRAM) {
        const double *frame = tlk_frame_local(s, i);
        double extent[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) {
            double axis[3];
            tlk_rotate(turn, frame + 3 + 3 * a, axis);
            for (int k = 0; k < 3; k++)
                extent[k] += fabs(axis[k]) * frame[15 + a];
        }
        for (int k = 0; k < 3; k++)
            half[k] = tlk_min(half[k], extent[k]);
    }
    for (int k = 0; k < 3; k++) {
        const double out = half[k] * (1 + 1e-12) + 1e-15 * (fabs(x[k]) + fabs(c[k]));
        q->box[6 * (size_t)i + k] = x[k] + c[k] - out;
        q->box[6 * (size_t)i + 3 + k] = x[k] + c[k] + out;
    }
}

/* ---- Rays ---- */

/* A ray and a shape: the line relative to the shape, and how far along the ray it begins. */
typedef struct tlk_aim {
    double along; /* m, from the ray's origin to the point nearest to the ball's centre */
    double e[3];  /* that point, from the centre */
    double ball;
} tlk_aim;

/* False where the ray passes by the shape's ball, or ends before it. */
TL_NARROW bool tlk_aim_at(const tlk_bodies *b, const tlk_shapes *s, uint32_t i, const tlk_ray *r,
                          double limit, tlk_aim *aim)
{
    const double *geom = s->geom + 4 * (size_t)i, *x = b->pos + 4 * (size_t)s->body[i];
    double c[3];
    tlk_rotate(b->quat + 4 * (size_t)s->body[i], geom, c);
    for (int k = 0; k < 3; k++)
        c[k] += x[k] - r->origin[k];
    aim->along = tlk_dotd(c, r->direction);
    for (int k = 0; k < 3; k++)
        aim->e[k] = aim->along * r->direction[k] - c[k];
    aim->ball = geom[3];
    const double reach = geom[3] * (1 + 1e-9);
    return (s->info[i] & TLK_SHAPE_KIND) == TLK_PLANE ||
           (tlk_dotd(aim->e, aim->e) <= reach * reach && aim->along - reach <= limit &&
            aim->along + reach >= 0);
}

/* What a ray hits of a solid, by where its line is within; n, in the same axes as those of `span`,
 * is against the ray where that comes from outside. */
TL_NARROW bool tlk_hit_span(const tlk_span *span, const tlk_ray *r, double along, double limit,
                            tlk_ray_hit *hit, double *n)
{
    const double t0 = along + span->t[0], t1 = along + span->t[1];
    if (!(span->t[0] <= span->t[1]) || t1 < 0)
        return false;
    const int end = t0 < 0 && r->hollow;
    hit->inside = t0 < 0;
    hit->distance = t0 >= 0 ? t0 : r->hollow ? t1 : 0;
    for (int k = 0; k < 3; k++)
        n[k] = end ? -span->n[1][k] : span->n[0][k];
    return hit->distance <= limit;
}

/* A line in the frame of a shape that is no sphere. */
TL_NARROW void tlk_aim_line(const tlk_bodies *b, const tlk_shapes *s, uint32_t i,
                            const tlk_aim *aim, const tlk_ray *r, tlk_line *line)
{
    const double *turn = b->quat + 4 * (size_t)s->body[i], *frame = tlk_frame_local(s, i);
    double o[3], d[3];
    tlk_rotate_back(turn, aim->e, o);
    tlk_rotate_back(turn, r->direction, d);
    for (int k = 0; k < 3; k++)
        o[k] += s->geom[4 * (size_t)i + k] - frame[k];
    const bool edges = (s->info[i] & TLK_SHAPE_KIND) == TLK_PARALLELOGRAM;
    for (int k = 0; k < 3; k++) {
        line->o[k] = edges ? o[k] : tlk_dotd(o, frame + 3 + 3 * k);
        line->d[k] = edges ? d[k] : tlk_dotd(d, frame + 3 + 3 * k);
    }
}

/* A vector of a shape's frame in the world's axes. */
TL_NARROW void tlk_aim_out(const tlk_bodies *b, const tlk_shapes *s, uint32_t i, const double *v,
                           double *out)
{
    const double *frame = tlk_frame_local(s, i);
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = frame[3 + k] * v[0] + frame[6 + k] * v[1] + frame[9 + k] * v[2];
    tlk_rotate(b->quat + 4 * (size_t)s->body[i], x, out);
}

/* A parallelogram, which has two sides: the line is in its body's axes, from its corner. */
TL_NARROW bool tlk_hit_parallelogram(const double *frame, const tlk_line *l, double *t)
{
    const double *u = frame + 3, *v = frame + 6, *w = frame + 9;
    const double rate = tlk_dotd(w, l->d);
    double p[3], across_u[3], across_v[3];
    if (rate == 0)
        return false;
    *t = -tlk_dotd(w, l->o) / rate;
    tlk_line_at(l, *t, p);
    tlk_crossd(u, p, across_u);
    tlk_crossd(p, v, across_v);
    double area[3];
    tlk_crossd(u, v, area);
    const double whole = tlk_dotd(area, w), a = tlk_dotd(across_v, w), c = tlk_dotd(across_u, w);
    return a >= 0 && a <= whole && c >= 0 && c <= whole;
}

/* Whether a ray hits shape i not farther than `limit`: then where, all of `hit` but id and number.
 */
TL_RARE bool tlk_hit_frame(const tlk_bodies *b, const tlk_shapes *s, uint32_t i, const tlk_ray *r,
                           const tlk_aim *aim, double limit, tlk_ray_hit *hit)
{
    const uint32_t kind = s->info[i] & TLK_SHAPE_KIND;
    const double *frame = tlk_frame_local(s, i);
    double n[3] = {0, 0, 0}, t;
    tlk_convex core;
    tlk_line line;
    tlk_aim_line(b, s, i, aim, r, &line);
    tlk_query_core(s, kind, frame, &core);
    if (kind == TLK_MESH || kind == TLK_HEIGHTS) {
        const tlk_surface surface = {kind, core.vertex, core.words, {0, 0, 0}, {0}};
        tlk_crossing crossing;
        tlk_line_surface(&surface, &line, aim->ball, -aim->along, limit - aim->along, &crossing);
        if (crossing.triangle == TLK_NONE)
            return false;
        double corner[9];
        tlk_surface_corners(&surface, crossing.triangle, corner);
        tlk_corner_normal(corner, n);
        hit->triangle = crossing.triangle;
        t = crossing.t;
    } else if (kind == TLK_PARALLELOGRAM) {
        if (!tlk_hit_parallelogram(frame, &line, &t))
            return false;
        n[2] = 1;
    } else {
        tlk_span span;
        tlk_span_convex(&core, &line, aim->ball, &span);
        if (!tlk_hit_span(&span, r, aim->along, limit, hit, n))
            return false;
        tlk_aim_out(b, s, i, n, hit->normal);
        return true;
    }
    /* a surface: against the ray, whichever side that comes from */
    hit->distance = aim->along + t;
    if (hit->distance < 0 || hit->distance > limit)
        return false;
    tlk_aim_out(b, s, i, n, hit->normal);
    const bool behind = tlk_dotd(hit->normal, r->direction) > 0;
    hit->inside = behind && kind != TLK_PARALLELOGRAM;
    for (int k = 0; k < 3 && behind; k++)
        hit->normal[k] = -hit->normal[k];
    return true;
}

TL_NARROW bool tlk_hit_shape(const tlk_bodies *b, const tlk_shapes *s, uint32_t i, const tlk_ray *r,
                             double limit, tlk_ray_hit *hit)
{
    tlk_aim aim;
    if (s->body[i] == r->ignore || !tlk_aim_at(b, s, i, r, limit, &aim))
        return false;
    hit->row = i;
    hit->triangle = TLK_NONE;
    hit->id = hit->number = hit->unused = 0; /* not asked for until it is the first */
    if ((s->info[i] & TLK_SHAPE_KIND) != TLK_SPHERE) {
        if (!tlk_hit_frame(b, s, i, r, &aim, limit, hit))
            return false;
    } else {
        const double room = aim.ball * aim.ball - tlk_dotd(aim.e, aim.e);
        if (!(room >= 0))
            return false;
        tlk_span span = {{-sqrt(room), sqrt(room)}, {{0}}};
        for (int end = 0; end < 2; end++)
            for (int k = 0; k < 3; k++)
                span.n[end][k] = (aim.e[k] + span.t[end] * r->direction[k]) / aim.ball;
        if (!tlk_hit_span(&span, r, aim.along, limit, hit, hit->normal))
            return false;
    }
    for (int k = 0; k < 3 && hit->inside && !r->hollow && hit->distance == 0; k++)
        hit->normal[k] = -r->direction[k];
    return true;
}

/* Tries shape i; of two at one distance the body added first counts, and its first shape. */
TL_NARROW void tlk_cast_try(const tlk_query *q, const tlk_ray *r, uint32_t i, tlk_ray_hit *best)
{
    tlk_ray_hit hit;
    if (!tlk_hit_shape(&q->bodies, &q->shapes, i, r, best->distance, &hit))
        return;
    const uint32_t *id = q->bodies.id, *body = q->shapes.body;
    if (best->row != TLK_NONE && hit.distance == best->distance &&
        (id[body[i]] > id[body[best->row]] || (body[i] == body[best->row] && i > best->row)))
        return;
    *best = hit;
}

/* One ray. */
TL_KERNEL void tlk_cast_ray(const tlk_query *q, uint32_t i)
{
    const tlk_ray r = q->ray[i];
    tlk_ray_hit best;
    best.distance = r.limit;
    best.normal[0] = best.normal[1] = best.normal[2] = 0;
    best.row = best.triangle = TLK_NONE;
    best.id = best.number = best.inside = best.unused = 0;
    if (q->node == NULL) {
        for (uint32_t s = 0; s < q->shapes.rows; s++)
            tlk_cast_try(q, &r, s, &best);
    } else {
        const tlk_boxes boxes = {
            q->node, q->leaves, q->root, {q->middle[0], q->middle[1], q->middle[2]}};
        tlk_line line;
        tlk_walk walk;
        for (int k = 0; k < 3; k++) {
            line.o[k] = r.origin[k];
            line.d[k] = r.direction[k];
        }
        for (uint32_t k = 0; k < q->planes; k++)
            tlk_cast_try(q, &r, q->endless[k], &best);
        tlk_walk_begin(&walk, &boxes, &line);
        for (;;) {
            const uint32_t leaf = tlk_walk_next(&walk, &boxes, 0, best.distance);
            if (leaf == TLK_NONE)
                break;
            const uint32_t first = TLK_LEAF * leaf, last = tlk_min(first + TLK_LEAF, q->items);
            for (uint32_t k = first; k < last; k++)
                tlk_cast_try(q, &r, q->order[k], &best);
        }
    }
    if (best.row != TLK_NONE) {
        best.id = q->bodies.id[q->shapes.body[best.row]];
        best.number = tlk_shape_number(q->shapes.body, best.row);
    }
    best.unused = 0;
    q->hit[i] = best;
}

/* ---- What is near a shape ---- */

/* One shape: whether its box is near that of the query. */
TL_KERNEL void tlk_near_mark(const tlk_query *q, uint32_t i)
{
    const double *box = q->box + 6 * (size_t)i;
    bool near = q->shapes.body[i] != q->ignore;
    for (int k = 0; k < 3; k++)
        near = near && box[k] <= q->high[k] + q->margin && q->low[k] - q->margin <= box[3 + k];
    q->near[i] = near;
}

/* The query's shape as a convex one, about its own origin. */
TL_NARROW void tlk_near_own(const tlk_query *q, tlk_convex *a)
{
    tlk_query_core(&q->shapes, q->kind, q->frame, a);
    for (int k = 0; k < 9; k++)
        a->axis[k] = q->frame[3 + k];
}

/* Shape i's frame in the world's axes, its origin from that of the query. */
TL_NARROW void tlk_near_frame(const tlk_query *q, uint32_t i, double *origin, double *axis)
{
    const tlk_shapes *s = &q->shapes;
    const double *x = q->bodies.pos + 4 * (size_t)s->body[i];
    const double *turn = q->bodies.quat + 4 * (size_t)s->body[i];
    const bool sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const double *frame = sphere ? s->geom + 4 * (size_t)i : tlk_frame_local(s, i);
    double from[3];
    tlk_rotate(turn, frame, from);
    for (int k = 0; k < 3; k++)
        origin[k] = x[k] - q->frame[k] + from[k];
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
        tlk_rotate(turn, sphere ? e : frame + 3 + 3 * k, axis + 3 * k);
    }
}

/* Takes the deepest point of a manifold, if it is deeper than the one so far. */
TL_NARROW void tlk_near_take(const tlk_manifold *m, uint32_t triangle, tlk_neighbour *out)
{
    for (uint32_t p = 0; p < m->count; p++) {
        if (out->met && !(m->gap[p] < out->gap))
            continue;
        out->met = 1;
        out->gap = m->gap[p];
        out->triangle = triangle;
        for (int k = 0; k < 3; k++) {
            out->normal[k] = m->n[k];
            out->point[k] = m->at[p][k];
        }
    }
}

/* One of the shapes that are near. */
TL_KERNEL void tlk_near_measure(const tlk_query *q, uint32_t k)
{
    const uint32_t i = q->list[k], kind = q->shapes.info[i] & TLK_SHAPE_KIND;
    tlk_neighbour out = {0, {0, 0, 0}, {0, 0, 0}, 0, 0, TLK_NONE, 0};
    tlk_convex a, b;
    tlk_manifold m;
    tlk_near_own(q, &a);
    if (kind == TLK_SPHERE) {
        b = a;
        b.kind = TLK_SPHERE;
        b.size[0] = b.size[1] = b.size[2] = 0;
        b.rounding = q->shapes.geom[4 * (size_t)i + 3];
        b.vertex = NULL;
        b.words = NULL;
    } else {
        tlk_query_core(&q->shapes, kind, tlk_frame_local(&q->shapes, i), &b);
    }
    tlk_near_frame(q, i, b.origin, b.axis);
    if (kind == TLK_MESH || kind == TLK_HEIGHTS) {
        tlk_surface s;
        tlk_tree walk;
        double middle[3], half[3], low[3], high[3];
        const double about[3] = {0, 0, 0};
        s.kind = kind;
        s.numbers = b.vertex;
        s.words = b.words;
        for (int c = 0; c < 3; c++) {
            s.origin[c] = b.origin[c];
            middle[c] = 0.5 * (q->low[c] + q->high[c]) - q->frame[c];
            half[c] = 0.5 * (q->high[c] - q->low[c]) + q->margin;
        }
        for (int c = 0; c < 9; c++)
            s.axis[c] = b.axis[c];
        tlk_surface_box(&s, middle, half, low, high);
        tlk_tree_begin(&walk, &s, low, high);
        for (uint32_t t = tlk_tree_next(&walk, &s); t != TLK_NONE; t = tlk_tree_next(&walk, &s)) {
            tlk_surface_collide(&s, t, about, &a, q->margin, NULL, &m);
            tlk_near_take(&m, t, &out);
        }
    } else {
        tlk_collide_convex(&a, &b, q->margin, NULL, &m);
        tlk_near_take(&m, TLK_NONE, &out);
    }
    out.id = q->bodies.id[q->shapes.body[i]];
    out.number = tlk_shape_number(q->shapes.body, i);
    q->found[k] = out;
}

#endif
