/* How far a hull sticks out of a mesh: the largest distance to the mesh of all points in the hull.
 * That function changes by no more than a point moves, so that a cube around a point need not be
 * looked into where it cannot hold more than is known already. Cubes are halved, the large ones
 * first. Called for each piece and each pair of pieces that might be merged. */
#include "mesh/convex.h"

/* The middle of a cube, and how often it was halved. */
typedef struct cube {
    double middle[3];
    uint32_t level;
} cube;

typedef struct search {
    const tl_convex *convex;
    tl_array planes, cubes; /* 4 double; cube: those from `next` on wait */
    size_t next;
    double half; /* m, half the edge of the first cube */
    double best;
} search;

/* Whether a cube is outside of the hull: above one of its planes with all corners. */
static bool is_apart(const search *s, const double p[3], double half, bool *inside)
{
    const double *plane = s->planes.data;
    *inside = true;
    for (size_t i = 0; i < s->planes.count; i++, plane += 4) {
        const double above = tl_dot(plane, p) - plane[3];
        if (above > half * (fabs(plane[0]) + fabs(plane[1]) + fabs(plane[2])))
            return true;
        *inside = *inside && above <= 0;
    }
    return false;
}

/* A point of the hull near to one outside of it: down to the highest plane, a few times. False: it
 * is still outside. */
static bool pull_in(const search *s, double p[3])
{
    for (int round = 0; round < 12; round++) {
        const double *plane = s->planes.data, *highest = plane;
        double most = -INFINITY;
        for (size_t i = 0; i < s->planes.count; i++, plane += 4) {
            const double above = tl_dot(plane, p) - plane[3];
            if (above > most) {
                most = above;
                highest = plane;
            }
        }
        if (most <= tl_convex_rounding * s->half)
            return true;
        for (int k = 0; k < 3; k++)
            p[k] -= most * highest[k];
    }
    return false;
}

/* Whether a cube may hold a point that is farther from the mesh than is known. Thin hulls lie
 * between the middles of cubes: these are pulled in to look there. */
static bool is_open(search *s, const double p[3], double half)
{
    const tl_tree *tree = &s->convex->tree;
    const double reach = sqrt(3) * half;
    double known = tl_max(s->convex->tolerance, 1.05 * s->best), q[3] = {p[0], p[1], p[2]};
    bool in_hull;
    if (is_apart(s, p, half, &in_hull))
        return false;
    const double distance = tl_tree_distance(tree, p, INFINITY, 0, NULL);
    if (distance + reach <= (in_hull ? s->best : known))
        return false;
    const bool in_mesh = tl_tree_contains(tree, p);
    if (in_hull && !in_mesh)
        s->best = tl_max(s->best, distance);
    else if (!in_hull && pull_in(s, q) && !tl_tree_contains(tree, q))
        s->best = tl_max(s->best, tl_tree_distance(tree, q, INFINITY, 0, NULL));
    known = tl_max(s->convex->tolerance, 1.05 * s->best);
    return (in_mesh ? -distance : distance) + reach > known;
}

static tl_status look(search *s)
{
    while (s->next < s->cubes.count) {
        const cube at = ((cube *)s->cubes.data)[s->next++];
        const double half = ldexp(s->half, -(int)at.level);
        if (!is_open(s, at.middle, half) || half <= s->convex->finest)
            continue;
        for (int corner = 0; corner < 8; corner++) {
            cube part = {.level = at.level + 1};
            for (int k = 0; k < 3; k++)
                part.middle[k] = at.middle[k] + (corner >> k & 1 ? half / 2 : -half / 2);
            TL_TRY(tl_array_append(&s->cubes, &part, 1));
        }
    }
    return TL_OK;
}

tl_status tl_convex_excess(const tl_convex *convex, const tl_mesh *hull, double *excess)
{
    search s = {
        .convex = convex, .planes = {.item = 4 * sizeof(double)}, .cubes = {.item = sizeof(cube)}};
    cube first = {.level = 0};
    for (int k = 0; k < 3; k++) {
        first.middle[k] = 0.5 * hull->low[k] + 0.5 * hull->high[k];
        s.half = tl_max(s.half, 0.5 * (hull->high[k] - hull->low[k]));
    }
    tl_status status = tl_hull_planes(hull, &s.planes);
    if (status == TL_OK)
        status = tl_array_append(&s.cubes, &first, 1);
    if (status == TL_OK)
        status = look(&s);
    *excess = s.best;
    tl_array_free(&s.planes);
    tl_array_free(&s.cubes);
    return status;
}
