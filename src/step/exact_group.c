/* The separating directions of a pair of convex pieces: faces of each, pairs of edges that are
 * faces of the Minkowski difference (two arcs of the Gauss maps that cross; parallel edges give
 * none) and, for a ball, the direction in which it is nearest. Each comes with the points where the
 * pieces are nearest along it: of two faces, where one lies over the other. */
#include "step/exact.h"

#include <math.h>
#include <string.h>

#define SAME    1e-9 /* cosines that differ by less are of one direction */
#define ALIKE   1e-6 /* the same of edges and faces: 1.4 mrad */
#define OUTSIDE 1e-3 /* of a step's way: how deep a pair may be behind a facet that pushes */
#define LOOP    64u  /* corners of a face that is clipped, at most */

/* What a pair's facets are made from. */
typedef struct pair {
    tl_exact *exact;
    const tl_polytope *piece[2];
    const tl_exact_reach *reach;
    bool planar;
    tl_group *group;
} pair;

/* How far the pieces are apart, and the facet along which they part soonest if they overlap. */
typedef struct best_of {
    double psi;
    tl_facet out; /* none that never pushes */
} best_of;

static bool is_better(const best_of *best, const tl_facet *facet)
{
    return facet->psi > best->psi || (!facet->quiet && facet->psi > best->out.psi);
}

static void take_better(best_of *best, const tl_facet *facet)
{
    best->psi = fmax(best->psi, facet->psi);
    if (!facet->quiet && facet->psi > best->out.psi)
        best->out = *facet;
}

static const double *vertex_of(const pair *p, int side, uint32_t i)
{
    return (const double *)p->exact->numbers.data + p->piece[side]->vertex + 3 * (size_t)i;
}

static const double *face_of(const pair *p, int side, uint32_t i)
{
    return (const double *)p->exact->numbers.data + p->piece[side]->face + 4 * (size_t)i;
}

static tl_face_kind kind_of(const tl_polytope *piece, uint32_t face)
{
    return piece->face_kind ? (tl_face_kind)piece->face_kind[face] : TL_FACE_OUTER;
}

/* The least of d.x over the vertices of a side, without its rounding; *which: where. */
static double support(const pair *p, int side, const double d[3], uint32_t *which)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < p->piece[side]->vertices; i++) {
        const double along = tl_dot(d, vertex_of(p, side, i));
        if (along < least) {
            least = along;
            *which = i;
        }
    }
    return least;
}

static tl_status add_point(const pair *p, tl_facet *facet, const double x[3], double gap)
{
    tl_facet_point *all = p->exact->points.data;
    tl_facet_point point = {{x[0], x[1], x[2]}, gap};
    for (uint32_t i = 0; i < facet->points; i++) { /* the two ends of an edge across the plane */
        const double *y = all[facet->first + i].x;
        const double off[3] = {x[0] - y[0], p->planar ? 0 : x[1] - y[1], x[2] - y[2]};
        if (tl_dot(off, off) < 1e-20)
            return TL_OK;
    }
    TL_TRY(tl_array_append(&p->exact->points, &point, 1));
    facet->points++;
    return TL_OK;
}

/* Cuts a polygon by n.x <= d; returns how many corners are left. */
static uint32_t cut(const double (*in)[3], uint32_t count, const double n[3], double d,
                    double (*out)[3])
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = in[i], *b = in[(i + 1) % count];
        const double da = tl_dot(n, a) - d, db = tl_dot(n, b) - d;
        if (da <= 0 && left < LOOP)
            memcpy(out[left++], a, 3 * sizeof(double));
        if ((da < 0) != (db < 0) && da != 0 && db != 0 && left < LOOP) {
            const double t = da / (da - db);
            for (int k = 0; k < 3; k++)
                out[left][k] = a[k] + t * (b[k] - a[k]);
            left++;
        }
    }
    return left;
}

/* The face of a side that is turned most against n. */
static uint32_t facing(const pair *p, int side, const double n[3])
{
    uint32_t best = TLK_NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < p->piece[side]->faces; i++)
        if (tl_dot(n, face_of(p, side, i)) < least) {
            least = tl_dot(n, face_of(p, side, i));
            best = i;
        }
    return best;
}

/* What of the other side's face that looks at a face lies over it after `part` of their ways in the
 * step: where that is now on what moves, of two bodies that do halfway. */
static uint32_t overlap_at(const pair *p, int side, uint32_t face, double part, double (*out)[3])
{
    const tl_polytope *own = p->piece[side], *other = p->piece[1 - side];
    const double *n = face_of(p, side, face);
    const uint32_t at = facing(p, 1 - side, n);
    double room[2][LOOP][3];
    uint32_t count = 0, now = 0;
    if (at == TLK_NONE || !(tl_dot(n, face_of(p, 1 - side, at)) < -0.5) || !own->loop_start)
        return 0;
    const uint32_t *loop = other->loop + other->loop_start[at];
    const uint32_t corners = other->loop_start[at + 1] - other->loop_start[at];
    const double way = side ? -part : part, *move = p->reach->move;
    const double back = way * (side ? 1 - p->reach->share : p->reach->share);
    for (uint32_t i = 0; i < corners && count < LOOP; i++, count++)
        for (int k = 0; k < 3; k++)
            room[0][count][k] = vertex_of(p, 1 - side, loop[i])[k] + way * move[k];
    const uint32_t *rim = own->loop + own->loop_start[face];
    const uint32_t sides = own->loop_start[face + 1] - own->loop_start[face];
    for (uint32_t i = 0; i < sides && count; i++) {
        const double *a = vertex_of(p, side, rim[i]), *b = vertex_of(p, side, rim[(i + 1) % sides]);
        const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double outward[3];
        tl_cross(along, n, outward);
        count =
            cut((const double(*)[3])room[now], count, outward, tl_dot(outward, a), room[1 - now]);
        now = 1 - now;
    }
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = room[now][i][k] - back * move[k];
    return count;
}

/* The same at the end of the way: there a facet must hold. Where nothing lies over it then, as of
 * now. */
static uint32_t overlap(const pair *p, int side, uint32_t face, double (*out)[3])
{
    const uint32_t count = overlap_at(p, side, face, 1, out);
    return count ? count : overlap_at(p, side, face, 0, out);
}

/* The points of a face of one side: where the other side is nearest to it. */
static tl_status face_points(const pair *p, int side, uint32_t face, uint32_t nearest,
                             tl_facet *facet)
{
    const double *plane = face_of(p, side, face);
    const double round = p->piece[0]->rounding + p->piece[1]->rounding;
    const double other = p->piece[1 - side]->rounding;
    const bool unbounded = !p->piece[side]->vertices;
    double over[LOOP][3], least = INFINITY;
    uint32_t count = unbounded ? 0 : overlap(p, side, face, over);
    if (unbounded) { /* a half-space: every vertex is over it */
        for (uint32_t i = 0; i < p->piece[1 - side]->vertices && count < LOOP; i++)
            memcpy(over[count++], vertex_of(p, 1 - side, i), sizeof over[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double gap = tl_dot(plane, over[i]) - plane[3] - round;
        least = fmin(least, gap);
        if (gap > p->reach->way && gap > facet->psi)
            continue;
        for (int k = 0; k < 3; k++)
            over[i][k] -= other * plane[k];
        TL_TRY(add_point(p, facet, over[i], gap));
    }
    if (least <= facet->psi + 1e-4 * p->reach->way + 1e-9 && facet->points)
        return TL_OK;
    for (uint32_t i = 0; i < p->piece[1 - side]->vertices; i++) { /* a turn may bring any to it */
        const double *at = vertex_of(p, 1 - side, i);
        const double gap = tl_dot(plane, at) - plane[3] - round;
        const double x[3] = {at[0] - other * plane[0], at[1] - other * plane[1],
                             at[2] - other * plane[2]};
        if (i == nearest || gap <= facet->psi + p->reach->way)
            TL_TRY(add_point(p, facet, x, gap));
    }
    return TL_OK;
}

/* Puts a facet away unless it is too deep to matter; *apart: whether it keeps the pair apart for
 * sure. Returns whether it is to be kept. */
static bool matters(const pair *p, const tl_facet *facet, bool *apart)
{
    *apart = *apart || (p->reach->deepest == -p->reach->way && facet->psi > p->reach->way);
    return facet->psi >= p->reach->deepest;
}

static tl_status add_facet(const pair *p, tl_facet *facet)
{
    const tl_facet *all = (const tl_facet *)p->exact->facets.data + p->group->first;
    for (uint32_t i = 0; i < p->group->facets; i++) /* two faces that look at each other are two */
        if (facet->points == 1 && all[i].points == 1 && all[i].quiet == facet->quiet &&
            tl_dot(all[i].n, facet->n) > 1 - SAME) {
            p->exact->points.count = facet->first;
            return TL_OK;
        }
    p->group->facets++;
    return tl_array_append(&p->exact->facets, facet, 1);
}

/* Facets of the faces of one side. */
static tl_status add_faces(const pair *p, int side, bool *apart, best_of *best)
{
    const tl_polytope *own = p->piece[side];
    const double round = p->piece[0]->rounding + p->piece[1]->rounding;
    if (!p->piece[1 - side]->vertices)
        return TL_OK;
    for (uint32_t i = 0; i < own->faces; i++) {
        const double *plane = face_of(p, side, i);
        const tl_face_kind kind = kind_of(own, i);
        const bool across = p->planar && fabs(plane[1]) > 0.5;
        uint32_t nearest = 0;
        if (kind == TL_FACE_NONE || kind == TL_FACE_BACK)
            continue;
        tl_facet facet = {.first = (uint32_t)p->exact->points.count,
                          .quiet = kind != TL_FACE_OUTER};
        facet.psi = support(p, 1 - side, plane, &nearest) - plane[3] - round;
        for (int k = 0; k < 3; k++)
            facet.n[k] = side ? -plane[k] : plane[k];
        if (across) { /* nothing moves along y */
            *apart = *apart || facet.psi > 0;
            continue;
        }
        const bool keep = matters(p, &facet, apart);
        if (!keep && !is_better(best, &facet))
            continue;
        TL_TRY(face_points(p, side, i, nearest, &facet));
        take_better(best, &facet);
        if (keep)
            TL_TRY(add_facet(p, &facet));
    }
    return TL_OK;
}

/* Whether two edges make a face of the Minkowski difference; their faces' normals. */
static bool arcs_cross(const double *a, const double *b, const double *c, const double *d)
{
    double ba[3], dc[3];
    const double mc[3] = {-c[0], -c[1], -c[2]}, md[3] = {-d[0], -d[1], -d[2]};
    tl_cross(b, a, ba);
    tl_cross(md, mc, dc);
    const double cba = tl_dot(mc, ba), dba = tl_dot(md, ba), adc = tl_dot(a, dc),
                 bdc = tl_dot(b, dc);
    return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

/* The points of two lines that are nearest to each other; their middle. */
static void middle_of(const double *a0, const double *a1, const double *b0, const double *b1,
                      double x[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = a1[k] - a0[k];
        v[k] = b1[k] - b0[k];
        w[k] = a0[k] - b0[k];
    }
    const double a = tl_dot(u, u), b = tl_dot(u, v), c = tl_dot(v, v), d = tl_dot(u, w),
                 e = tl_dot(v, w);
    const double det = a * c - b * b;
    const double s = fmin(fmax((b * e - c * d) / det, 0), 1);
    const double t = fmin(fmax((a * e - b * d) / det, 0), 1);
    for (int k = 0; k < 3; k++)
        x[k] = 0.5 * (a0[k] + s * u[k] + b0[k] + t * v[k]);
}

/* Whether no vertex is beyond the two edges along their direction. */
static bool is_outermost(const pair *p, const tl_facet *facet, const double *a0, const double *b0)
{
    const double back[3] = {-facet->n[0], -facet->n[1], -facet->n[2]};
    const double slack = 1e-9 * (1e-3 + p->reach->way);
    uint32_t which;
    return support(p, 1, facet->n, &which) >= tl_dot(facet->n, b0) - slack &&
           support(p, 0, back, &which) >= tl_dot(back, a0) - slack;
}

/* Whether a face has nearly the same direction: its points stand for those of edges on it. */
static bool is_a_face(const pair *p, const tl_facet *facet)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t f = 0; f < p->piece[side]->faces; f++)
            if ((side ? -1 : 1) * tl_dot(face_of(p, side, f), facet->n) > 1 - ALIKE)
                return true;
    return false;
}

/* Whether an edge never pushes, by its two faces. */
static bool is_quiet(const tl_polytope *piece, const uint32_t face[2])
{
    const tl_face_kind one = kind_of(piece, face[0]), other = kind_of(piece, face[1]);
    return (one != TL_FACE_OUTER && one != TL_FACE_RIM) ||
           (other != TL_FACE_OUTER && other != TL_FACE_RIM);
}

static tl_status add_edges(const pair *p, bool *apart, best_of *best)
{
    const tl_polytope *a = p->piece[0], *b = p->piece[1];
    const double round = a->rounding + b->rounding;
    for (uint32_t i = 0; i < a->edges; i++)
        for (uint32_t j = 0; j < b->edges; j++) {
            const double *a0 = vertex_of(p, 0, a->edge[2 * i]);
            const double *a1 = vertex_of(p, 0, a->edge[2 * i + 1]);
            const double *b0 = vertex_of(p, 1, b->edge[2 * j]);
            const double *b1 = vertex_of(p, 1, b->edge[2 * j + 1]);
            const uint32_t *fa = a->edge_face + 2 * i, *fb = b->edge_face + 2 * j;
            if (!arcs_cross(face_of(p, 0, fa[0]), face_of(p, 0, fa[1]), face_of(p, 1, fb[0]),
                            face_of(p, 1, fb[1])))
                continue;
            const double u[3] = {a1[0] - a0[0], a1[1] - a0[1], a1[2] - a0[2]};
            const double v[3] = {b1[0] - b0[0], b1[1] - b0[1], b1[2] - b0[2]};
            tl_facet facet = {.first = (uint32_t)p->exact->points.count};
            tl_cross(u, v, facet.n);
            const double length = sqrt(tl_dot(facet.n, facet.n));
            if (!(length > 1e-6 * sqrt(tl_dot(u, u) * tl_dot(v, v))))
                continue;
            const double out =
                tl_dot(facet.n, face_of(p, 0, fa[0])) + tl_dot(facet.n, face_of(p, 0, fa[1]));
            const double sign = out < 0 ? -1 / length : 1 / length;
            for (int k = 0; k < 3; k++)
                facet.n[k] *= sign;
            facet.psi = tl_dot(facet.n, b0) - tl_dot(facet.n, a0) - round;
            if (!is_outermost(p, &facet, a0, b0) || is_a_face(p, &facet))
                continue; /* arcs that only touch, as those of faces that are parallel */
            facet.quiet = is_quiet(a, fa) || is_quiet(b, fb);
            const bool keep = matters(p, &facet, apart);
            if (!keep && !is_better(best, &facet))
                continue;
            double x[3];
            middle_of(a0, a1, b0, b1, x);
            TL_TRY(add_point(p, &facet, x, facet.psi));
            take_better(best, &facet);
            if (keep)
                TL_TRY(add_facet(p, &facet));
        }
    return TL_OK;
}

/* The point of a piece that is nearest to c, and whether c is outside of the piece. */
static bool nearest_point(const pair *p, int side, const double c[3], double out[3])
{
    const tl_polytope *piece = p->piece[side];
    double best = INFINITY;
    bool outside = false;
    for (uint32_t f = 0; f < piece->faces; f++) {
        const double *plane = face_of(p, side, f);
        const double height = tl_dot(plane, c) - plane[3];
        const uint32_t *rim = piece->loop + piece->loop_start[f];
        const uint32_t sides = piece->loop_start[f + 1] - piece->loop_start[f];
        bool over = true;
        if (height <= 0 || kind_of(piece, f) == TL_FACE_BACK)
            continue;
        outside = true;
        for (uint32_t i = 0; i < sides; i++) {
            const double *a = vertex_of(p, side, rim[i]);
            const double *b = vertex_of(p, side, rim[(i + 1) % sides]);
            const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            const double from[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            double outward[3];
            tl_cross(along, plane, outward);
            if (sides > 2 && tl_dot(outward, from) <= 0)
                continue;
            over = false;
            const double t = fmin(fmax(tl_dot(from, along) / tl_dot(along, along), 0), 1);
            const double off[3] = {from[0] - t * along[0], from[1] - t * along[1],
                                   from[2] - t * along[2]};
            if (tl_dot(off, off) < best) {
                best = tl_dot(off, off);
                for (int k = 0; k < 3; k++)
                    out[k] = a[k] + t * along[k];
            }
        }
        if (over && height * height < best) {
            best = height * height;
            for (int k = 0; k < 3; k++)
                out[k] = c[k] - height * plane[k];
        }
    }
    return outside && best < INFINITY;
}

/* The facet of a ball along d, which leads from its partner to its centre c; `length`: of d. */
static tl_status add_direction(const pair *p, int ball, const double c[3], const double d[3],
                               double length, double psi, bool *apart, best_of *best)
{
    tl_facet facet = {.first = (uint32_t)p->exact->points.count, .psi = psi};
    for (int k = 0; k < 3; k++)
        facet.n[k] = (ball ? d[k] : -d[k]) / length;
    for (uint32_t f = 0; f < p->piece[1 - ball]->faces; f++) /* it is a face's own */
        if (tl_dot(d, face_of(p, 1 - ball, f)) > (1 - SAME) * length)
            return TL_OK;
    const bool keep = matters(p, &facet, apart);
    if (!keep && !is_better(best, &facet))
        return TL_OK;
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = c[k] - p->piece[ball]->rounding * d[k] / length;
    TL_TRY(add_point(p, &facet, x, facet.psi));
    take_better(best, &facet);
    return keep ? add_facet(p, &facet) : TL_OK;
}

/* Two balls that would miss each other: the direction in which they are nearest on their way. */
static tl_status add_passing(const pair *p, int ball, const double c[3], const double d[3],
                             bool *apart, best_of *best)
{
    const double round = p->piece[0]->rounding + p->piece[1]->rounding;
    const double sign = ball ? 1 : -1, *move = p->reach->move;
    const double square = tl_dot(move, move), along = -sign * tl_dot(d, move);
    const double part = square > 0 ? fmin(along / square, 1) : 0;
    double then[3];
    if (!(part > 0))
        return TL_OK;
    for (int k = 0; k < 3; k++)
        then[k] = p->planar && k == 1 ? 0 : d[k] + sign * part * move[k];
    const double length = sqrt(tl_dot(then, then));
    if (!(length >= round && length > 1e-12))
        return TL_OK;
    return add_direction(p, ball, c, then, length, tl_dot(then, d) / length - round, apart, best);
}

/* Two balls; or the direction in which a ball is nearest to a piece, where that is none of its
 * faces'. */
static tl_status add_nearest(const pair *p, bool *apart, best_of *best)
{
    const int ball = p->piece[0]->faces ? 1 : 0;
    const double *c = vertex_of(p, ball, 0);
    const double round = p->piece[0]->rounding + p->piece[1]->rounding;
    const bool both = !p->piece[1 - ball]->faces;
    double from[3], d[3];
    if (both)
        memcpy(from, vertex_of(p, 1 - ball, 0), sizeof from);
    else if (!p->piece[1 - ball]->vertices || !nearest_point(p, 1 - ball, c, from))
        return TL_OK;
    for (int k = 0; k < 3; k++)
        d[k] = c[k] - from[k];
    if (p->planar)
        d[1] = 0;
    const double length = sqrt(tl_dot(d, d));
    if (!(length > 1e-12))
        return TL_OK;
    TL_TRY(add_direction(p, ball, c, d, length, length - round, apart, best));
    return both ? add_passing(p, ball, c, d, apart, best) : TL_OK;
}

tl_status tl_exact_pair(tl_exact *exact, const tl_polytope *a, const tl_polytope *b,
                        const tl_exact_reach *reach, bool planar, tl_group *group, double *psi)
{
    const pair p = {exact, {a, b}, reach, planar, group};
    const size_t points = exact->points.count;
    best_of best = {.psi = -INFINITY, .out = {.psi = -INFINITY}};
    bool apart = false;
    group->first = (uint32_t)exact->facets.count;
    group->facets = 0;
    TL_TRY(add_faces(&p, 0, &apart, &best));
    TL_TRY(add_faces(&p, 1, &apart, &best));
    const bool ball = (a->vertices == 1 && !a->faces) || (b->vertices == 1 && !b->faces);
    const bool round = (a->vertices == 1 && !a->faces && (a->rounding > 0 || !b->faces)) ||
                       (b->vertices == 1 && !b->faces && (b->rounding > 0 || !a->faces));
    if (ball && round)
        TL_TRY(add_nearest(&p, &apart, &best));
    if (!ball && !planar)
        TL_TRY(add_edges(&p, &apart, &best));
    if (apart) {
        exact->facets.count = group->first;
        exact->points.count = points;
        group->facets = 0;
        return TL_OK;
    }
    *psi = best.psi;
    if (!group->facets && best.out.points) /* deep in each other: the shortest way out */
        TL_TRY(add_facet(&p, &best.out));
    tl_facet *facets = (tl_facet *)exact->facets.data + group->first;
    for (uint32_t i = 0; i < group->facets; i++)
        facets[i].behind = facets[i].psi < fmin(best.psi, 0) - OUTSIDE * reach->way;
    return TL_OK;
}
