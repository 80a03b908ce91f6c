/* Convex hulls by quickhull: a tetrahedron grows by the point that is farthest outside of one of
 * its facets; the facets that the point sees are replaced by new ones from their rim to the point.
 * Which facet sees which point is decided exactly (orient.c), and a facet does not see the points
 * in its own plane: so the surface stays closed and convex whatever the points, and new facets have
 * an area. */
#include "mesh/mesh.h"
#include "mesh/orient.h"

#include <string.h>

static const uint32_t nobody = UINT32_MAX;
static const double flat = 1e-12; /* of the size: thinner sets have no hull with a volume */

typedef struct facet {
    uint32_t corners[3];    /* counterclockwise from outside */
    uint32_t neighbours[3]; /* across the side from corner k to the next */
    uint32_t outside;       /* first of the points that it looks after, nobody: none */
    uint32_t mark;          /* number of the last point that saw it */
    bool gone;
} facet;

/* A side of a facet that is seen, whose neighbour is not. */
typedef struct rim {
    uint32_t from, to, beyond;
} rim;

typedef struct hull {
    const double *points;
    size_t count;
    tl_array facets, seen, rims; /* facet; uint32_t; rim */
    uint32_t *next;              /* per point: the next that the same facet looks after */
    uint32_t *facet_from;        /* per point: the new facet whose rim starts there */
    uint32_t first_new, round;
} hull;

static const double *point_of(const hull *h, uint32_t i)
{
    return h->points + 3 * (size_t)i;
}

static facet *facet_of(const hull *h, uint32_t i)
{
    return (facet *)h->facets.data + i;
}

/* Above 0 where a facet sees a point: six times the volume between them. */
static double height(const hull *h, const facet *f, uint32_t point)
{
    return tl_orient(point_of(h, f->corners[0]), point_of(h, f->corners[1]),
                     point_of(h, f->corners[2]), point_of(h, point));
}

/* ---- The first tetrahedron ---- */

/* The point that is farthest from the first `known` of `corners`: from a point, a line, a plane. */
static uint32_t farthest(const hull *h, const uint32_t corners[3], int known, double *distance)
{
    uint32_t best = corners[0];
    double u[3] = {0}, v[3], normal[3] = {0};
    *distance = 0;
    if (known > 1)
        tl_sub(point_of(h, corners[1]), point_of(h, corners[0]), u);
    if (known > 2) {
        tl_sub(point_of(h, corners[2]), point_of(h, corners[0]), v);
        tl_cross(u, v, normal);
    }
    for (uint32_t i = 0; i < h->count; i++) {
        double to[3], across[3] = {0}, d;
        tl_sub(point_of(h, i), point_of(h, corners[0]), to);
        if (known > 1)
            tl_cross(u, to, across);
        d = known == 1   ? tl_length(to)
            : known == 2 ? tl_length(across) / tl_length(u)
                         : fabs(tl_dot(normal, to)) / tl_length(normal);
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

static tl_status refuse_flat(size_t count, int known, double size, double distance)
{
    static const char *const forms[] = {"", "in one place", "on one line", "in one plane"};
    return tl_fail(
        TL_BAD_ARGUMENT,
        "points: all %zu lie %s within %g m (their size is %g m); a convex hull needs four "
        "that do not",
        count, forms[known], distance, size);
}

static tl_status start_hull(hull *h)
{
    static const int sides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint32_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    uint32_t corners[4] = {0};
    double size = 0, distance;
    for (uint32_t i = 1; i < h->count; i++) /* a corner of the set: the least x, then y, then z */
        if (memcmp(point_of(h, i), point_of(h, corners[0]), 3 * sizeof(double)) != 0) {
            const double *p = point_of(h, i), *q = point_of(h, corners[0]);
            if (p[0] < q[0] || (p[0] == q[0] && (p[1] < q[1] || (p[1] == q[1] && p[2] < q[2]))))
                corners[0] = i;
        }
    for (int known = 1; known < 4; known++) {
        corners[known] = farthest(h, corners, known, &distance);
        size = known == 1 ? distance : size;
        if (!(distance > flat * size))
            return refuse_flat(h->count, known, size, distance);
    }
    if (tl_orient(point_of(h, corners[0]), point_of(h, corners[1]), point_of(h, corners[2]),
                  point_of(h, corners[3])) > 0) {
        const uint32_t swapped = corners[0];
        corners[0] = corners[1];
        corners[1] = swapped;
    }
    for (int f = 0; f < 4; f++) {
        facet made = {.outside = nobody, .mark = nobody};
        for (int k = 0; k < 3; k++) {
            made.corners[k] = corners[sides[f][k]];
            made.neighbours[k] = across[f][k];
        }
        TL_TRY(tl_array_append(&h->facets, &made, 1));
    }
    return TL_OK;
}

/* ---- Growing ---- */

/* Gives a point to the first of the facets from `first` on that sees it; those of no facet are
 * inside. */
static void look_after(hull *h, uint32_t point, uint32_t first)
{
    for (uint32_t i = first; i < h->facets.count; i++) {
        facet *f = facet_of(h, i);
        if (height(h, f, point) > 0) {
            h->next[point] = f->outside;
            f->outside = point;
            return;
        }
    }
}

/* The highest point that a facet looks after. */
static uint32_t pick_point(const hull *h, const facet *f)
{
    uint32_t best = f->outside;
    double most = 0;
    for (uint32_t i = f->outside; i != nobody; i = h->next[i]) {
        const double above = height(h, f, i);
        if (above > most) {
            most = above;
            best = i;
        }
    }
    return best;
}

/* Fills `seen` with the facets that see the point, from one that does, and `rims` with their rim.
 */
static tl_status find_seen(hull *h, uint32_t point, uint32_t first)
{
    h->seen.count = h->rims.count = 0;
    h->round++;
    facet_of(h, first)->mark = h->round;
    TL_TRY(tl_array_append(&h->seen, &first, 1));
    for (size_t i = 0; i < h->seen.count; i++) {
        const facet f = *facet_of(h, ((uint32_t *)h->seen.data)[i]);
        for (int k = 0; k < 3; k++) {
            facet *other = facet_of(h, f.neighbours[k]);
            if (other->mark == h->round)
                continue;
            if (height(h, other, point) > 0) {
                other->mark = h->round;
                TL_TRY(tl_array_append(&h->seen, &f.neighbours[k], 1));
                continue;
            }
            const rim side = {f.corners[k], f.corners[(k + 1) % 3], f.neighbours[k]};
            TL_TRY(tl_array_append(&h->rims, &side, 1));
        }
    }
    return TL_OK;
}

/* Makes the facets from the rim to the point and joins them with what is there and each other. */
static tl_status make_facets(hull *h, uint32_t point)
{
    const rim *rims = h->rims.data;
    h->first_new = (uint32_t)h->facets.count;
    if (h->facets.count + h->rims.count > TL_MOST_TRIANGLES)
        return tl_fail(TL_TOO_LARGE, "points: the hull has more than %zu facets on its way",
                       TL_MOST_TRIANGLES);
    for (uint32_t i = 0; i < h->rims.count; i++) {
        const uint32_t number = h->first_new + i;
        const facet made = {.corners = {rims[i].from, rims[i].to, point},
                            .neighbours = {rims[i].beyond, nobody, nobody},
                            .outside = nobody,
                            .mark = nobody};
        TL_TRY(tl_array_append(&h->facets, &made, 1));
        h->facet_from[rims[i].from] = number;
        facet *beyond = facet_of(h, rims[i].beyond);
        for (int k = 0; k < 3; k++)
            if (beyond->corners[k] == rims[i].to)
                beyond->neighbours[k] = number;
    }
    for (uint32_t i = 0; i < h->rims.count; i++) {
        const uint32_t after = h->facet_from[rims[i].to];
        facet_of(h, h->first_new + i)->neighbours[1] = after;
        facet_of(h, after)->neighbours[2] = h->first_new + i;
    }
    return TL_OK;
}

static tl_status add_point(hull *h, uint32_t point, uint32_t from)
{
    TL_TRY(find_seen(h, point, from));
    TL_TRY(make_facets(h, point));
    for (size_t i = 0; i < h->seen.count; i++) {
        facet *f = facet_of(h, ((uint32_t *)h->seen.data)[i]);
        uint32_t waiting = f->outside, after;
        f->gone = true;
        f->outside = nobody;
        for (; waiting != nobody; waiting = after) {
            after = h->next[waiting];
            if (waiting != point)
                look_after(h, waiting, h->first_new);
        }
    }
    return TL_OK;
}

static tl_status grow(hull *h)
{
    TL_TRY(start_hull(h));
    for (uint32_t i = 0; i < h->count; i++)
        look_after(h, i, 0);
    for (uint32_t i = 0; i < h->facets.count; i++)
        if (facet_of(h, i)->outside != nobody)
            TL_TRY(add_point(h, pick_point(h, facet_of(h, i)), i));
    return TL_OK;
}

/* ---- The mesh ---- */

static tl_status make_mesh(hull *h, tl_mesh **mesh)
{
    tl_mesh_def def = tl_mesh_default();
    tl_array triangles = {.item = sizeof(uint32_t)};
    tl_status status = TL_OK;
    for (uint32_t i = 0; status == TL_OK && i < h->facets.count; i++)
        if (!facet_of(h, i)->gone)
            status = tl_array_append(&triangles, facet_of(h, i)->corners, 3);
    def.vertex_count = h->count;
    def.vertices = h->points;
    def.triangle_count = triangles.count / 3;
    def.triangles = triangles.data;
    if (status == TL_OK)
        status = tl_mesh_create(&def, mesh);
    tl_array_free(&triangles);
    return status;
}

static tl_status check_points(size_t count, const double *points)
{
    if (!points)
        return tl_fail(TL_BAD_ARGUMENT, "points is NULL; it must not be");
    if (count < 4)
        return tl_fail(TL_BAD_ARGUMENT, "count is %zu; a convex hull needs four points", count);
    if (count > TL_MOST_TRIANGLES)
        return tl_fail(TL_TOO_LARGE, "count is %zu; it must be at most %zu", count,
                       TL_MOST_TRIANGLES);
    for (size_t i = 0; i < 3 * count; i++)
        if (!(fabs(points[i]) < 1e12))
            return tl_fail(TL_BAD_ARGUMENT,
                           "points[%zu][%zu] is %g; it must be a number below 1e+12 m", i / 3,
                           i % 3, points[i]);
    return TL_OK;
}

tl_status tl_mesh_create_hull(size_t count, const double *points, tl_mesh **mesh)
{
    if (!mesh)
        return tl_fail(TL_BAD_ARGUMENT, "mesh is NULL; it must not be");
    *mesh = NULL;
    TL_TRY(check_points(count, points));
    hull h = {.points = points,
              .count = count,
              .facets = {.item = sizeof(facet)},
              .seen = {.item = sizeof(uint32_t)},
              .rims = {.item = sizeof(rim)},
              .next = tl_alloc(count * sizeof(uint32_t)),
              .facet_from = tl_alloc(count * sizeof(uint32_t))};
    tl_status status = h.next && h.facet_from ? grow(&h) : TL_NO_MEMORY;
    if (status == TL_OK)
        status = make_mesh(&h, mesh);
    tl_array_free(&h.facets);
    tl_array_free(&h.seen);
    tl_array_free(&h.rims);
    tl_free(h.next, count * sizeof(uint32_t));
    tl_free(h.facet_from, count * sizeof(uint32_t));
    return status;
}
