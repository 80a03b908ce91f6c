/* Hulls with few vertices: of all vertices those are taken one after the other that are farthest
 * outside of what is there. Called for each piece of a convex decomposition. */
#include "mesh/convex.h"

#include <string.h>

tl_status tl_hull_planes(const tl_mesh *hull, tl_array *planes)
{
    planes->count = 0;
    TL_TRY(tl_array_reserve(planes, tl_mesh_triangle_count(hull)));
    for (size_t i = 0; i < tl_mesh_triangle_count(hull); i++) {
        const double *corners[3];
        double plane[4];
        tl_mesh_corners(hull, i, corners);
        tl_normal(corners, plane);
        const double length = tl_length(plane);
        if (!(length > 0))
            continue;
        for (int k = 0; k < 3; k++)
            plane[k] /= length;
        plane[3] = tl_max(tl_dot(plane, corners[0]),
                          tl_max(tl_dot(plane, corners[1]), tl_dot(plane, corners[2])));
        TL_TRY(tl_array_append(planes, plane, 1));
    }
    return TL_OK;
}

static const double parallel = 1e-6; /* sine of the angle between planes that are one */

typedef struct choice {
    const tl_mesh *full;
    tl_mesh *hull;      /* of those taken */
    tl_array planes;    /* of `hull` */
    tl_array points;    /* double: those taken */
    uint8_t *state;     /* per vertex */
    uint32_t *on_plane; /* per plane: how many of those taken are on it */
    size_t taken;
    double near; /* m: this near to a plane is on it */
} choice;

enum { FREE, TAKEN, LEFT };

/* How many vertices of a hull are on each of its planes; NULL: only whether these are too many. */
static bool count_on_planes(const choice *c, const double *points, size_t count, uint32_t *on)
{
    const double *plane = c->planes.data;
    bool many = false;
    for (size_t i = 0; i < c->planes.count; i++, plane += 4) {
        uint32_t found = 0;
        for (size_t v = 0; v < count; v++)
            found += fabs(tl_dot(plane, points + 3 * v) - plane[3]) <= c->near;
        many = many || found > TL_FACE_MOST;
        if (on)
            on[i] = found;
    }
    return many;
}

/* Makes the hull of those taken, in the order that the vertices have. */
static tl_status make_hull(choice *c)
{
    const double *vertices = c->full->vertices.data;
    c->points.count = 0;
    for (size_t v = 0; v < c->full->vertices.count / 3; v++)
        if (c->state[v] == TAKEN)
            TL_TRY(tl_array_append(&c->points, vertices + 3 * v, 3));
    tl_mesh_destroy(c->hull);
    c->hull = NULL;
    TL_TRY(tl_mesh_create_hull(c->points.count / 3, c->points.data, &c->hull));
    return tl_hull_planes(c->hull, &c->planes);
}

/* The four vertices to start with: each is the farthest from those before it. */
static tl_status start(choice *c)
{
    const size_t count = c->full->vertices.count / 3;
    const double *x = c->full->vertices.data;
    size_t four[4] = {0};
    for (int known = 1; known < 4; known++) {
        double u[3] = {0}, normal[3] = {0}, v[3], most = -1;
        if (known > 1)
            tl_sub(x + 3 * four[1], x + 3 * four[0], u);
        if (known > 2) {
            tl_sub(x + 3 * four[2], x + 3 * four[0], v);
            tl_cross(u, v, normal);
        }
        for (size_t i = 0; i < count; i++) {
            double to[3], across[3];
            tl_sub(x + 3 * i, x + 3 * four[0], to);
            tl_cross(u, to, across);
            const double far = known == 1   ? tl_dot(to, to)
                               : known == 2 ? tl_dot(across, across)
                                            : fabs(tl_dot(normal, to));
            if (far > most) {
                most = far;
                four[known] = i;
            }
        }
    }
    for (int k = 0; k < 4; k++)
        c->state[four[k]] = TAKEN;
    c->taken = 4;
    return make_hull(c);
}

/* Whether a vertex lies on a plane that has as many as there may be. */
static bool is_crowded(const choice *c, const double p[3])
{
    const double *plane = c->planes.data;
    for (size_t i = 0; i < c->planes.count; i++, plane += 4)
        if (c->on_plane[i] >= TL_FACE_MOST && fabs(tl_dot(plane, p) - plane[3]) <= c->near)
            return true;
    return false;
}

/* Takes the vertex that is farthest outside; false: none is, or may be taken. */
static bool take_farthest(choice *c)
{
    const size_t count = c->full->vertices.count / 3;
    const double *x = c->full->vertices.data;
    double most = c->near;
    size_t best = count;
    count_on_planes(c, c->points.data, c->points.count / 3, c->on_plane);
    for (size_t v = 0; v < count; v++) {
        if (c->state[v] != FREE)
            continue;
        const double above = tl_planes_above(&c->planes, x + 3 * v);
        if (!(above > most))
            continue;
        if (is_crowded(c, x + 3 * v)) {
            c->state[v] = LEFT;
            continue;
        }
        most = above;
        best = v;
    }
    if (best == count)
        return false;
    c->state[best] = TAKEN;
    c->taken++;
    return true;
}

/* Whether three planes that a point is on meet in that point alone. */
static bool is_extreme(const choice *c, const double p[3])
{
    const double *plane = c->planes.data, *first = NULL;
    double line[3] = {0, 0, 0};
    for (size_t i = 0; i < c->planes.count; i++, plane += 4) {
        double across[3];
        if (fabs(tl_dot(plane, p) - plane[3]) > c->near)
            continue;
        if (!first) {
            first = plane;
        } else if (line[0] == 0 && line[1] == 0 && line[2] == 0) {
            tl_cross(first, plane, across);
            const double length = tl_length(across);
            for (int k = 0; k < 3 && length > parallel; k++)
                line[k] = across[k] / length;
        } else if (fabs(tl_dot(plane, line)) > parallel) {
            return true;
        }
    }
    return false;
}

/* Takes back those that are in the middle of an edge or of a face. */
static tl_status drop_flat(choice *c)
{
    const double *x = c->full->vertices.data;
    size_t dropped = 0;
    for (size_t v = 0; v < c->full->vertices.count / 3; v++)
        if (c->state[v] == TAKEN && !is_extreme(c, x + 3 * v)) {
            c->state[v] = LEFT;
            dropped++;
        }
    if (!dropped)
        return TL_OK;
    c->taken -= dropped;
    return make_hull(c);
}

static tl_status choose(choice *c, size_t most)
{
    TL_TRY(start(c));
    for (;;) {
        while (c->taken < most && take_farthest(c))
            TL_TRY(make_hull(c));
        const size_t taken = c->taken;
        TL_TRY(drop_flat(c));
        if (c->taken == taken)
            return TL_OK;
    }
}

tl_status tl_hull_simplify(const tl_mesh *full, size_t most, tl_mesh **simple)
{
    const size_t count = full->vertices.count / 3;
    const size_t room = tl_mesh_triangle_count(full) + 2 * most;
    choice c = {.full = full,
                .planes = {.item = 4 * sizeof(double)},
                .points = {.item = sizeof(double)},
                .near = tl_convex_rounding * tl_mesh_size(full),
                .state = tl_alloc_zero(count),
                .on_plane = tl_alloc(room * sizeof(uint32_t))};
    tl_status status = c.state && c.on_plane ? choose(&c, most) : TL_NO_MEMORY;
    tl_array_free(&c.planes);
    tl_array_free(&c.points);
    tl_free(c.state, count);
    tl_free(c.on_plane, room * sizeof(uint32_t));
    if (status < 0) {
        tl_mesh_destroy(c.hull);
        return status;
    }
    *simple = c.hull;
    return TL_OK;
}
