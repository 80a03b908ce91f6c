/* Pairs that the narrow phase found near each other as groups of facets: how far each may move in
 * the step, its materials, and who makes its facets: exact_group.c of two convex pieces,
 * exact_curved.c of curved shapes; of surfaces one group per triangle within reach. */
#include "step/exact.h"

#include "base/turn.h"

#include <math.h>
#include <string.h>

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far the farthest point of a shape is from its body's origin. */
static double anchor_of(const tl_exact *e, uint32_t shape, uint32_t body)
{
    const double *c = (const double *)e->centre.data + 4 * (size_t)shape;
    const double *x = (const double *)e->pos.data + 4 * (size_t)body;
    const double d[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    return norm(d) + ((const double *)e->geom.data)[4 * (size_t)shape + 3];
}

/* How far a pair may move within the step. */
static double way_of(const tl_world *w, const tl_exact *e, const tl_group *g)
{
    const double *v = e->vel.data, *f = e->free.data, *seen = e->seen.data;
    const double *va = v + 6 * (size_t)g->body_a, *vb = v + 6 * (size_t)g->body_b;
    const double *fa = f + 6 * (size_t)g->body_a, *fb = f + 6 * (size_t)g->body_b;
    const double now[3] = {vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]};
    const double then[3] = {fb[0] - fa[0], fb[1] - fa[1], fb[2] - fa[2]};
    double speed = fmax(norm(now), norm(then));
    for (int side = 0; side < 2; side++) {
        const uint32_t body = side ? g->body_b : g->body_a;
        const double anchor = anchor_of(e, side ? g->b : g->a, body);
        double spin = fmax(norm((side ? vb : va) + 3), norm((side ? fb : fa) + 3));
        if (e->seen.count && body < w->dynamic) {
            const double *s = seen + 8 * (size_t)body;
            const double most[3] = {fmax(fabs(s[0]), fabs(s[4])), fmax(fabs(s[1]), fabs(s[5])),
                                    fmax(fabs(s[2]), fabs(s[6]))};
            speed += norm(most);
            spin = fmax(spin, s[3]);
        }
        speed += spin * anchor;
    }
    return w->settings.step * speed + tl_step_margin(w);
}

tl_status tl_exact_found(tl_exact *e, uint32_t first, uint32_t count, tl_group *g)
{
    for (uint32_t i = first; i < first + count; i++) {
        const double *n = (const double *)e->contact_n.data + 4 * (size_t)i;
        const double *ca = (const double *)e->centre.data + 4 * (size_t)g->a;
        const double *cb = (const double *)e->centre.data + 4 * (size_t)g->b;
        const bool ball = !e->contact_place.count;
        const bool ball_a = ball && ca[3] >= 0;
        tl_facet_point point = {{0, 0, 0}, n[3]};
        tl_facet facet = {
            .n = {n[0], n[1], n[2]}, .psi = n[3], .first = (uint32_t)e->points.count, .points = 1};
        for (int k = 0; k < 3; k++)
            point.x[k] =
                ball_a ? ca[k] + ca[3] * n[k]
                : ball ? cb[k] - cb[3] * n[k]
                       : ca[k] + ((const double *)e->contact_place.data)[4 * (size_t)i + (size_t)k];
        TL_TRY(tl_array_append(&e->points, &point, 1));
        tl_facet *last = g->facets ? (tl_facet *)e->facets.data + e->facets.count - 1 : NULL;
        if (last && last->n[0] == n[0] && last->n[1] == n[1] && last->n[2] == n[2]) {
            last->points++;
            last->psi = fmin(last->psi, n[3]);
            continue;
        }
        g->facets++;
        TL_TRY(tl_array_append(&e->facets, &facet, 1));
    }
    return TL_OK;
}

static void take_materials(const tl_world *w, const tl_exact *e, tl_group *g)
{
    const uint32_t *info = e->info.data;
    const uint32_t ma = info[g->a] >> TLK_SHAPE_MATERIAL, mb = info[g->b] >> TLK_SHAPE_MATERIAL;
    const tl_pair_def *pair = (const tl_pair_def *)w->pairs.data + ma * (size_t)w->materials + mb;
    const double *slides = w->slides.data;
    double sa[3], sb[3];
    g->friction = pair->friction;
    tl_turn_apply((const double *)e->quat.data + 4 * (size_t)g->body_a, slides + 3 * (size_t)ma,
                  sa);
    tl_turn_apply((const double *)e->quat.data + 4 * (size_t)g->body_b, slides + 3 * (size_t)mb,
                  sb);
    for (int k = 0; k < 3; k++)
        g->slide[k] = sb[k] - sa[k];
}

static tl_group group_of(const tl_world *w, const tl_exact *e, uint32_t contact)
{
    const uint32_t *body = e->shape_body.data, *feature = e->contact_feature.data;
    tl_group g = {.a = ((const uint32_t *)e->contact_a.data)[contact],
                  .b = ((const uint32_t *)e->contact_b.data)[contact],
                  .triangle = e->contact_feature.count ? feature[2 * (size_t)contact] : 0,
                  .choice = TL_NO_FACET};
    g.body_a = body[g.a];
    g.body_b = body[g.b];
    take_materials(w, e, &g);
    return g;
}

static tl_exact_reach reach_of(const tl_world *w, const tl_exact *e, const tl_group *g)
{
    const tl_exact_def *def = &w->settings.exact;
    tl_exact_reach reach = {.way = way_of(w, e, g),
                            .share = g->body_a >= w->dynamic   ? 1
                                     : g->body_b >= w->dynamic ? 0
                                                               : 0.5};
    reach.deepest = def->psi_minimum > 0 ? -def->psi_minimum : -reach.way;
    if (def->epsilon > 0)
        reach.way = fmax(reach.way, def->epsilon);
    for (int side = 0; side < 2; side++) {
        const uint32_t body = side ? g->body_b : g->body_a, shape = side ? g->b : g->a;
        const double *v = (const double *)e->free.data + 6 * (size_t)body;
        const double *x = (const double *)e->pos.data + 4 * (size_t)body;
        const double *c = (const double *)e->centre.data + 4 * (size_t)shape;
        const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
        double turned[3];
        tl_cross(v + 3, anchor, turned);
        for (int k = 0; k < 3; k++)
            reach.move[k] += (side ? 1 : -1) * w->settings.step * (v[k] + turned[k]);
    }
    return reach;
}

/* Whether contacts [first, end) are farther apart than `epsilon`. */
static bool is_far(const tl_world *w, const tl_exact *e, uint32_t first, uint32_t end)
{
    const double epsilon = w->settings.exact.epsilon;
    double gap = INFINITY;
    for (uint32_t i = first; i < end; i++)
        gap = fmin(gap, ((const double *)e->contact_n.data)[4 * (size_t)i + 3]);
    return epsilon > 0 && gap > epsilon;
}

/* The group of contacts [first, end), which are of one pair. */
static tl_status add_group(const tl_world *w, tl_exact *e, uint32_t first, uint32_t end)
{
    tl_group g = group_of(w, e, first);
    double psi;
    uint32_t a, b;
    g.first = (uint32_t)e->facets.count;
    if (is_far(w, e, first, end))
        return TL_OK;
    TL_TRY(tl_exact_piece(w, e, g.a, g.b, &a));
    TL_TRY(tl_exact_piece(w, e, g.b, g.a, &b));
    const tl_exact_reach reach = reach_of(w, e, &g);
    const tl_polytope *pieces = e->pieces.data;
    const uint32_t *info = e->info.data;
    if (a && b)
        TL_TRY(tl_exact_pair(e, &pieces[a - 1], &pieces[b - 1], &reach,
                             w->settings.planar == TL_PLANAR_XZ, &g, &psi));
    else if ((info[g.a] & TLK_SHAPE_KIND) == TL_PLANE || (info[g.b] & TLK_SHAPE_KIND) == TL_PLANE)
        TL_TRY(tl_exact_found(e, first, end - first, &g)); /* there is one direction alone */
    else
        TL_TRY(tl_exact_curved(w, e, &g, NULL, first, end - first, &reach, &psi));
    return g.facets ? tl_array_append(&e->groups, &g, 1) : TL_OK;
}

/* The group of a shape and a triangle of a surface; contacts [first, first + count) are theirs. One
 * that the narrow phase has not found counts only where the two are apart now: it leaves out what a
 * neighbour has, and what is behind. */
static tl_status add_triangle(const tl_world *w, tl_exact *e, const tl_group *like,
                              uint32_t triangle, uint32_t first, uint32_t count)
{
    const bool of_a = tl_exact_is_surface(e, like->a);
    const double epsilon = w->settings.exact.epsilon;
    const size_t points = e->points.count;
    const tl_exact_reach reach = reach_of(w, e, like);
    tl_group g = *like;
    uint32_t piece, flat;
    double psi;
    g.triangle = triangle;
    TL_TRY(tl_exact_piece(w, e, of_a ? g.b : g.a, of_a ? g.a : g.b, &piece));
    TL_TRY(tl_exact_triangle(w, e, of_a ? g.a : g.b, triangle, &flat));
    const tl_polytope *pieces = e->pieces.data;
    if (piece) {
        const uint32_t a = of_a ? flat : piece, b = of_a ? piece : flat;
        TL_TRY(tl_exact_pair(e, &pieces[a - 1], &pieces[b - 1], &reach,
                             w->settings.planar == TL_PLANAR_XZ, &g, &psi));
    } else {
        const double *corner = (const double *)e->numbers.data + pieces[flat - 1].vertex;
        TL_TRY(tl_exact_curved(w, e, &g, corner, first, count, &reach, &psi));
    }
    if ((!count && !(psi >= 0)) || (epsilon > 0 && psi > epsilon)) {
        e->facets.count = g.first;
        e->points.count = points;
        return TL_OK;
    }
    return g.facets ? tl_array_append(&e->groups, &g, 1) : TL_OK;
}

/* The groups of contacts [first, end), which are of a shape and a surface: one per triangle that
 * the shape may reach. A plane has the contacts of the narrow phase alone: these are corners below
 * one direction. */
static tl_status add_surface(const tl_world *w, tl_exact *e, uint32_t first, uint32_t end)
{
    const tl_group like = group_of(w, e, first);
    const uint32_t other = tl_exact_is_surface(e, like.a) ? like.b : like.a;
    const uint32_t surface = other == like.a ? like.b : like.a;
    const uint32_t *feature = e->contact_feature.data;
    const uint32_t kind = ((const uint32_t *)e->info.data)[other] & TLK_SHAPE_KIND;
    if (kind == TL_PLANE)
        return add_group(w, e, first, end);
    const tl_exact_reach reach = reach_of(w, e, &like);
    TL_TRY(tl_exact_near(w, e, surface, (const double *)e->centre.data + 4 * (size_t)other,
                         ((const double *)e->geom.data)[4 * (size_t)other + 3] + reach.way));
    for (size_t t = 0; t < e->triangles.count; t++) {
        const uint32_t triangle = ((const uint32_t *)e->triangles.data)[t];
        uint32_t at = first, count = 0;
        while (at < end && feature[2 * (size_t)at] != triangle)
            at++;
        while (at + count < end && feature[2 * (size_t)(at + count)] == triangle)
            count++;
        TL_TRY(add_triangle(w, e, &like, triangle, at, count));
    }
    return TL_OK;
}

tl_status tl_exact_groups(const tl_world *w, tl_exact *e, const tl_contacts *c)
{
    const uint32_t *a = e->contact_a.data, *b = e->contact_b.data;
    e->groups.count = e->facets.count = e->points.count = e->pieces.count = e->numbers.count = 0;
    TL_TRY(tl_array_resize(&e->piece_of, w->shape_rows));
    memset(e->piece_of.data, 0xff, w->shape_rows * sizeof(uint32_t)); /* TLK_NONE */
    for (uint32_t i = 0, end; i < c->count; i = end) {
        for (end = i + 1; end < c->count && a[end] == a[i] && b[end] == b[i];)
            end++;
        const bool surface = tl_exact_is_surface(e, a[i]) || tl_exact_is_surface(e, b[i]);
        TL_TRY((surface ? add_surface : add_group)(w, e, i, end));
    }
    return TL_OK;
}
