/* The facets of a pair with a curved shape: a capsule, cylinder, cone or ellipsoid, against
 * anything convex or a triangle of a surface. Any direction separates, with a distance that the
 * farthest points of both shapes along it give, so there are: what the narrow phase found, with its
 * points; the faces of both shapes, caps and bases among them; the nearest direction where nothing
 * was found; and, where the straight way ahead misses the other shape, the direction in which the
 * two are nearest on it. */
#include "kernels/narrow/gjk.h" /* first: it says what a real is */
#include "kernels/narrow/tree.h"

#include "step/exact.h"

#include <math.h>
#include <string.h>

#define SAME    5e-9 /* cosines that differ by less are of one direction: 0.1 mrad */
#define RIM     8u   /* points of a circle that stand for it */
#define LOOKS   24   /* at the distance on the way ahead */
#define OUTSIDE 1e-3 /* of a step's way: how deep a pair may be behind a facet that pushes */
#define MOST    64u  /* extreme points of a shape */

typedef struct curved {
    tl_exact *exact;
    const tl_exact_reach *reach;
    tl_group *group;
    tlk_convex shape[2];
    double corner[9];   /* of a triangle, in the world */
    bool planar, apart; /* apart: they cannot meet in this step */
    double best;        /* how far they are apart */
} curved;

static void load(const tl_world *w, const tl_exact *e, uint32_t shape, tlk_convex *out)
{
    const uint32_t kind = ((const uint32_t *)e->info.data)[shape] & TLK_SHAPE_KIND;
    const double *frame = (const double *)e->frame.data +
                          TLK_FRAME * (size_t)((const uint32_t *)e->frame_of.data)[shape];
    *out = (tlk_convex){.kind = kind};
    if (kind == TLK_SPHERE) {
        memcpy(out->origin, (const double *)e->centre.data + 4 * (size_t)shape, sizeof out->origin);
        out->axis[0] = out->axis[4] = out->axis[8] = 1;
        out->rounding = ((const double *)e->geom.data)[4 * (size_t)shape + 3];
        return;
    }
    memcpy(out->origin, frame, sizeof out->origin);
    memcpy(out->axis, frame + 3, sizeof out->axis);
    memcpy(out->size, frame + 12, sizeof out->size);
    out->rounding = frame[18];
    if (kind == TLK_HULL) {
        const tl_geometry_rec *g =
            (const tl_geometry_rec *)w->geometries.data + (size_t)frame[19] - 1;
        out->vertex = g->numbers.data;
        out->words = g->words.data;
    }
}

/* The points that may be farthest along directions near d: vertices, ends, circles as polygons that
 * begin at the farthest point. */
static uint32_t extremes(const tlk_convex *s, const double d[3], double (*out)[3])
{
    double local[3], x[3], l[3];
    uint32_t count = 0;
    if (s->kind == TLK_HULL || s->kind == TLK_TRIANGLE) {
        const uint32_t all = s->kind == TLK_HULL ? s->words[0] : 3;
        for (; count < all && count < MOST; count++)
            tlk_to_world(s, s->vertex + 3 * (size_t)count, out[count]);
        return count;
    }
    if (s->kind == TLK_BOX || s->kind == TLK_PARALLELOGRAM || s->kind == TLK_CAPSULE) {
        const uint32_t bits = s->kind == TLK_BOX ? 7 : s->kind == TLK_CAPSULE ? 4 : 3;
        for (uint32_t v = 0; v < 8; v++) {
            if (v & ~bits)
                continue;
            for (uint32_t k = 0; k < 3; k++)
                local[k] = s->kind == TLK_PARALLELOGRAM ? (v >> k & 1)
                           : v >> k & 1                 ? s->size[k]
                           : bits >> k & 1              ? -s->size[k]
                                                        : 0;
            tlk_to_world(s, local, out[count++]);
        }
        return count;
    }
    if (s->kind != TLK_CYLINDER && s->kind != TLK_CONE) { /* smooth: one point */
        tlk_support(s, d, out[0]);
        return 1;
    }
    tlk_to_local(s, d, l);
    const double first = l[0] != 0 || l[1] != 0 ? atan2(l[1], l[0]) : 0;
    for (int end = 0; end < 2; end++)
        for (uint32_t k = 0; k < (end && s->kind == TLK_CONE ? 1 : RIM); k++) {
            const bool apex = end && s->kind == TLK_CONE;
            const double angle = first + 2 * 3.14159265358979323846 * k / RIM;
            x[0] = apex ? 0 : s->size[0] * cos(angle);
            x[1] = apex ? 0 : s->size[0] * sin(angle);
            x[2] = end ? s->size[2] : -s->size[2];
            tlk_to_world(s, x, out[count++]);
        }
    return count;
}

/* The points of a direction: those of one shape that are near the other along it. */
static tl_status add_points(const curved *c, int side, const double beyond[3], tl_facet *facet)
{
    const tlk_convex *own = &c->shape[side];
    const double sign = side ? -1 : 1, round = c->shape[0].rounding + c->shape[1].rounding;
    double at[MOST][3];
    const double d[3] = {sign * facet->n[0], sign * facet->n[1], sign * facet->n[2]};
    const uint32_t count = extremes(own, d, at);
    for (uint32_t i = 0; i < count; i++) {
        tl_facet_point point = {.gap = tl_dot(d, beyond) - tl_dot(d, at[i]) - round};
        if (point.gap > facet->psi + c->reach->way) /* a turn may bring any other to it */
            continue;
        for (int k = 0; k < 3; k++)
            point.x[k] = at[i][k] + own->rounding * d[k];
        TL_TRY(tl_array_append(&c->exact->points, &point, 1));
        facet->points++;
    }
    return TL_OK;
}

/* A direction from a to b. `face`: the side whose face it is, so that the other one has the points;
 * -1: none's. */
static tl_status add_direction(curved *c, const double n[3], int face, bool quiet)
{
    const tl_facet *known = c->exact->facets.data;
    tl_facet facet = {.n = {n[0], n[1], n[2]}, .quiet = quiet};
    double p[2][3];
    if (c->planar && fabs(n[1]) > 1e-9)
        return TL_OK;
    for (uint32_t i = 0; i < c->group->facets; i++)
        if (tl_dot(known[c->group->first + i].n, n) > 1 - SAME)
            return TL_OK;
    facet.psi = tlk_separation(&c->shape[0], &c->shape[1], n, p[0], p[1]) - c->shape[0].rounding -
                c->shape[1].rounding;
    c->best = fmax(c->best, facet.psi);
    c->apart = c->apart || (c->reach->deepest == -c->reach->way && facet.psi > c->reach->way);
    if (facet.psi < c->reach->deepest)
        return TL_OK;
    const int side = face >= 0 ? 1 - face : tlk_is_polytope(c->shape[0].kind) ? 1 : 0;
    facet.first = (uint32_t)c->exact->points.count;
    TL_TRY(add_points(c, side, p[1 - side], &facet));
    c->group->facets++;
    return tl_array_append(&c->exact->facets, &facet, 1);
}

/* The directions of the faces of a shape, from a to b, and, behind them from `outer` on, those of
 * the rim of a flat one, which count but never push. */
static uint32_t faces_of(const curved *c, int side, double (*out)[3], uint32_t *outer)
{
    static const uint32_t around[] = {0, 1, 3, 2}; /* corners of a parallelogram */
    const tlk_convex *s = &c->shape[side];
    const bool triangle = s->kind == TLK_TRIANGLE, sheet = s->kind == TLK_PARALLELOGRAM;
    double at[MOST][3], normal[3];
    uint32_t count = 0;
    for (uint32_t f = 0; f < tlk_face_count(s) && count < MOST; f++) {
        const double offset = tlk_face(s, f, out[count]);
        if (triangle && f) /* what is behind it is solid */
            continue;
        if (sheet && tl_dot(out[count], c->shape[1 - side].origin) < offset)
            continue;
        count++;
    }
    *outer = count;
    const uint32_t corners = triangle || sheet ? extremes(s, s->axis, at) : 0;
    if (corners)
        tlk_face(s, 0, normal);
    for (uint32_t i = 0; i < corners; i++, count++) {
        const uint32_t j = (i + 1) % corners;
        const double *x = at[sheet ? around[i] : i], *y = at[sheet ? around[j] : j];
        const double along[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        tl_cross(along, normal, out[count]);
        const double length = sqrt(tl_dot(out[count], out[count]));
        for (int k = 0; k < 3; k++)
            out[count][k] /= length;
    }
    for (uint32_t i = 0; i < count && side; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = -out[i][k];
    return count;
}

static tl_status add_faces(curved *c, int side)
{
    double n[MOST + 4][3];
    uint32_t outer;
    const uint32_t count = faces_of(c, side, n, &outer);
    for (uint32_t i = 0; i < count; i++)
        TL_TRY(add_direction(c, n[i], side, i >= outer));
    return TL_OK;
}

/* The distance of the cores after a part of the way ahead, and its direction; 0 where they meet. */
static double distance(const curved *c, double part, double n[3])
{
    const tlk_convex *a = &c->shape[0], *b = &c->shape[1];
    const double scale = tlk_core_reach(a) + tlk_core_reach(b) + c->reach->way + 1e-9;
    const double shift[3] = {part * c->reach->move[0], part * c->reach->move[1],
                             part * c->reach->move[2]};
    double start[3];
    tlk_simplex x;
    for (int k = 0; k < 3; k++)
        start[k] = b->origin[k] - a->origin[k] + shift[k];
    if (!(tl_dot(start, start) > 0))
        start[2] = 1;
    if (tlk_distance(a, b, shift, start, INFINITY, 1e-9 * scale, scale, &x) != TLK_CORES_APART)
        return 0;
    const double length = sqrt(tl_dot(x.v, x.v));
    for (int k = 0; k < 3; k++)
        n[k] = x.v[k] / length;
    return length;
}

/* The direction in which the shapes are nearest on the way ahead, if they miss each other; the
 * distance is a convex function of the way. */
static tl_status add_passing(curved *c)
{
    const double round = c->shape[0].rounding + c->shape[1].rounding, golden = 0.6180339887498949;
    double low = 0, high = 1, n[3] = {0, 0, 1}, m[3] = {0, 0, 1};
    double x = 1 - golden, y = golden, dx = distance(c, x, n), dy = distance(c, y, m);
    for (int look = 0; look < LOOKS && fmin(dx, dy) > round; look++) {
        if (dx < dy) {
            high = y, y = x, dy = dx;
            memcpy(m, n, sizeof m);
            x = high - golden * (high - low);
            dx = distance(c, x, n);
        } else {
            low = x, x = y, dx = dy;
            memcpy(n, m, sizeof n);
            y = low + golden * (high - low);
            dy = distance(c, y, m);
        }
    }
    return fmin(dx, dy) > round ? add_direction(c, dx < dy ? n : m, -1, false) : TL_OK;
}

/* ---- Flat ends on faces ---- */

/* A circle and the straight edges of the face that it is on, in the world. */
typedef struct disc {
    double middle[3], axis[2][3], radius;
    uint32_t edges;
    double edge[MOST][2][3], inside[3]; /* inside: a point of the face */
    double level, sign;                 /* of the other shape, along the normal times the sign */
} disc;

/* The edges of a shape that lie in the plane where it is farthest along d. */
static void take_edges(const tlk_convex *s, const double d[3], disc *out)
{
    double far[3], x[3], along[3], y[3];
    tlk_support(s, d, far);
    const double near = tl_dot(d, far) - 1e-7 * (tlk_core_reach(s) + 1e-6);
    out->edges = 0;
    memset(out->inside, 0, sizeof out->inside);
    for (uint32_t i = 0; i < tlk_edge_count(s) && out->edges < MOST; i++) {
        double(*to)[3] = out->edge[out->edges];
        tlk_edge_local(s, i, x, along);
        for (int k = 0; k < 3; k++)
            y[k] = x[k] + along[k];
        tlk_to_world(s, x, to[0]);
        tlk_to_world(s, y, to[1]);
        out->edges += tl_dot(d, to[0]) > near && tl_dot(d, to[1]) > near;
    }
    for (uint32_t i = 0; i < out->edges; i++)
        for (int k = 0; k < 3; k++)
            out->inside[k] += 0.5 * (out->edge[i][0][k] + out->edge[i][1][k]) / out->edges;
}

/* Whether a point is over the face: on the same side of all edges as its middle. */
static bool is_over(const disc *f, const double n[3], const double x[3])
{
    for (uint32_t i = 0; i < f->edges; i++) {
        const double *a = f->edge[i][0], *b = f->edge[i][1];
        const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const double to[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
        const double in[3] = {f->inside[0] - a[0], f->inside[1] - a[1], f->inside[2] - a[2]};
        double out[3];
        tl_cross(along, n, out);
        if (tl_dot(out, to) * (tl_dot(out, in) < 0 ? -1 : 1) < -1e-12 * tl_dot(along, along))
            return false;
    }
    return f->edges > 2;
}

static tl_status add_if_over(curved *c, const disc *f, tl_facet *facet, const double x[3])
{
    if (!is_over(f, facet->n, x))
        return TL_OK;
    const double gap = f->level - f->sign * tl_dot(facet->n, x);
    const tl_facet_point point = {{x[0], x[1], x[2]}, gap};
    facet->points++;
    return tl_array_append(&c->exact->points, &point, 1);
}

/* Where an edge of the face enters and leaves the disc, and its ends inside of it. */
static tl_status cut_edge(curved *c, const disc *f, uint32_t i, tl_facet *facet)
{
    const double *a = f->edge[i][0], *b = f->edge[i][1];
    double p[2] = {0, 0}, u[2] = {0, 0};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 2; l++) {
            p[l] += (a[k] - f->middle[k]) * f->axis[l][k];
            u[l] += (b[k] - a[k]) * f->axis[l][k];
        }
    const double uu = u[0] * u[0] + u[1] * u[1], pu = p[0] * u[0] + p[1] * u[1];
    const double root = pu * pu - uu * (p[0] * p[0] + p[1] * p[1] - f->radius * f->radius);
    if (!(root > 0) || !(uu > 0))
        return TL_OK;
    const double part[2] = {fmax((-pu - sqrt(root)) / uu, 0), fmin((-pu + sqrt(root)) / uu, 1)};
    for (int end = 0; end < 2 && part[0] <= part[1]; end++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = f->middle[k] + (p[0] + part[end] * u[0]) * f->axis[0][k] +
                   (p[1] + part[end] * u[1]) * f->axis[1][k];
        TL_TRY(add_if_over(c, f, facet, x));
    }
    return TL_OK;
}

/* The points of a flat end on a face: the circle's that are over the face, and where the two cross.
 * The narrow phase keeps four, which may not surround a centre of mass that the face holds. */
static tl_status add_disc(curved *c, tl_facet *facet)
{
    for (int side = 0; side < 2; side++) {
        const tlk_convex *s = &c->shape[side], *other = &c->shape[1 - side];
        const double sign = side ? -1 : 1;
        const double along = sign * tl_dot(facet->n, s->axis + 6);
        const double back[3] = {-sign * facet->n[0], -sign * facet->n[1], -sign * facet->n[2]};
        const bool flat = s->kind == TLK_CYLINDER || (s->kind == TLK_CONE && along < 0);
        disc f = {.radius = s->size[0]};
        if (!flat || fabs(along) < 1 - SAME || !tlk_is_polytope(other->kind))
            continue;
        double far[3];
        take_edges(other, back, &f);
        if (f.edges < 3)
            continue;
        tlk_support(other, back, far);
        f.sign = sign;
        f.level = sign * tl_dot(facet->n, far) - other->rounding;
        const double reach = (along < 0 ? -1 : 1) * s->size[2];
        for (int k = 0; k < 3; k++) {
            f.middle[k] = s->origin[k] + reach * s->axis[6 + k] + sign * s->rounding * facet->n[k];
            f.axis[0][k] = s->axis[k];
            f.axis[1][k] = s->axis[3 + k];
        }
        const size_t before = c->exact->points.count;
        const tl_facet old = *facet;
        facet->first = (uint32_t)before;
        facet->points = 0;
        for (uint32_t k = 0; k < RIM; k++) {
            const double angle = 2 * 3.14159265358979323846 * k / RIM;
            double x[3];
            for (int l = 0; l < 3; l++)
                x[l] = f.middle[l] +
                       f.radius * (cos(angle) * f.axis[0][l] + sin(angle) * f.axis[1][l]);
            TL_TRY(add_if_over(c, &f, facet, x));
        }
        for (uint32_t i = 0; i < f.edges; i++)
            TL_TRY(cut_edge(c, &f, i, facet));
        if (facet->points < 3) {
            c->exact->points.count = before;
            *facet = old;
        }
        return TL_OK;
    }
    return TL_OK;
}

/* Turns a direction to that of a face or rim that it almost is: near an edge the nearest points of
 * curved shapes are known to a few digits less. */
static void straighten(const curved *c, double d[3])
{
    double n[MOST + 4][3];
    uint32_t outer;
    for (int side = 0; side < 2; side++) {
        const uint32_t count = faces_of(c, side, n, &outer);
        for (uint32_t i = 0; i < count; i++)
            if (tl_dot(d, n[i]) > 1 - SAME)
                memcpy(d, n[i], sizeof n[i]);
    }
}

tl_status tl_exact_curved(const tl_world *w, tl_exact *e, tl_group *g, const double *triangle,
                          uint32_t first, uint32_t count, const tl_exact_reach *reach, double *psi)
{
    curved c = {.exact = e,
                .reach = reach,
                .group = g,
                .planar = w->settings.planar == TL_PLANAR_XZ,
                .best = -INFINITY};
    const size_t points = e->points.count;
    double n[3];
    for (int side = 0; side < 2; side++)
        if (triangle && tl_exact_is_surface(e, side ? g->b : g->a)) {
            memcpy(c.corner, triangle, sizeof c.corner);
            c.shape[side] = (tlk_convex){
                .kind = TLK_TRIANGLE, .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .vertex = c.corner};
        } else {
            load(w, e, side ? g->b : g->a, &c.shape[side]);
        }
    g->first = (uint32_t)e->facets.count;
    g->facets = 0;
    TL_TRY(tl_exact_found(e, first, count, g));
    for (uint32_t i = 0; i < g->facets; i++) {
        tl_facet *found = (tl_facet *)e->facets.data + g->first + i;
        straighten(&c, found->n);
        TL_TRY(add_disc(&c, found));
        c.best = fmax(c.best, found->psi);
    }
    TL_TRY(add_faces(&c, 0));
    TL_TRY(add_faces(&c, 1));
    if (!count && distance(&c, 0, n) > 0)
        TL_TRY(add_direction(&c, n, -1, false));
    if (!c.planar)
        TL_TRY(add_passing(&c));
    *psi = c.best;
    if (c.apart) {
        e->facets.count = g->first;
        e->points.count = points;
        g->facets = 0;
    }
    for (uint32_t i = 0; i < g->facets; i++) {
        tl_facet *facet = (tl_facet *)e->facets.data + g->first + i;
        facet->behind = facet->psi < fmin(c.best, 0) - OUTSIDE * reach->way;
    }
    return TL_OK;
}
