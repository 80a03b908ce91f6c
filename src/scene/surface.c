/* Triangles of shapes, to draw and to export them. Called by exports and by the viewer's server.
 *
 * A primitive is the sum of an inner part (a point, a segment, a disc, a box) and a ball: a vertex
 * is a point of the inner part and a direction times the rounding, and the direction is its normal.
 * So sharp and rounded edges are one case: with a rounding of 0, what lies between the normals of
 * two faces has no area, and triangles without area are left out. */
#include "scene/surface.h"
#include "base/turn.h"
#include "scene/check.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- Building ---- */

tl_status tl_surface_add_vertex(tl_surface *s, const double point[3], const double normal[3],
                                uint32_t *vertex)
{
    if (s->vertices.count >= TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "a surface has more than %zu vertices", TL_MOST_ITEMS);
    *vertex = (uint32_t)s->vertices.count;
    TL_TRY(tl_array_append(&s->vertices, point, 1));
    return tl_array_append(&s->normals, normal, 1);
}

static bool same_place(const tl_surface *s, uint32_t a, uint32_t b)
{
    const double *p = (const double *)s->vertices.data + 3 * (size_t)a;
    const double *q = (const double *)s->vertices.data + 3 * (size_t)b;
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

tl_status tl_surface_add_triangle(tl_surface *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (same_place(s, a, b) || same_place(s, b, c) || same_place(s, c, a))
        return TL_OK;
    return tl_array_append(&s->triangles, (const uint32_t[3]){a, b, c}, 1);
}

tl_status tl_surface_add_quad(tl_surface *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    TL_TRY(tl_surface_add_triangle(s, a, b, c));
    return tl_surface_add_triangle(s, a, c, d);
}

/* Leaves out vertices that no triangle has. */
static tl_status drop_unused(tl_surface *s)
{
    const size_t count = s->vertices.count;
    tl_array place = {.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(&place, count));
    uint32_t *to = place.data, *corner = s->triangles.data, used = 0;
    double *points = s->vertices.data, *normals = s->normals.data;
    if (count)
        memset(to, 0, count * sizeof *to);
    for (size_t i = 0; i < 3 * s->triangles.count; i++)
        to[corner[i]] = 1;
    for (size_t i = 0; i < count; i++) {
        if (!to[i])
            continue;
        memmove(points + 3 * (size_t)used, points + 3 * i, 3 * sizeof *points);
        memmove(normals + 3 * (size_t)used, normals + 3 * i, 3 * sizeof *normals);
        to[i] = used++;
    }
    for (size_t i = 0; i < 3 * s->triangles.count; i++)
        corner[i] = to[corner[i]];
    s->vertices.count = s->normals.count = used;
    tl_array_free(&place);
    return TL_OK;
}

/* Cosine and sine of the i-th of `segments` parts of a circle; exact at quarters. */
static void circle(uint32_t i, uint32_t segments, double *c, double *s)
{
    const uint32_t quarter = segments / 4, turns = i / quarter % 4, rest = i % quarter;
    const double angle = 2 * pi * rest / segments, x = rest ? cos(angle) : 1,
                 y = rest ? sin(angle) : 0;
    const double turned[4][2] = {{x, y}, {-y, x}, {-x, -y}, {y, -x}};
    *c = turned[turns][0];
    *s = turned[turns][1];
}

/* ---- Solids of revolution ---- */

/* A point of the profile: its distance to the axis, its height, and the normal there. */
typedef struct profile_point {
    double radius, z, normal_radius, normal_z;
} profile_point;

/* A quarter of a circle about (radius, z), from downward (lower) or from outward to upward. */
static tl_status add_quarter(tl_array *profile, double radius, double z, double rounding,
                             bool upper, uint32_t segments)
{
    const uint32_t steps = rounding > 0 ? segments / 4 : 1;
    for (uint32_t i = 0; i <= steps; i++) {
        double c, s;
        circle((upper ? 0 : 3 * steps) + i, 4 * steps, &c, &s);
        const profile_point p = {radius + rounding * c, z + rounding * s, c, s};
        TL_TRY(tl_array_append(profile, &p, 1));
    }
    return TL_OK;
}

/* A capsule (radius 0), a sphere (half_length 0, too) or a cylinder, widened by `rounding`. */
static tl_status round_profile(tl_array *profile, double radius, double half_length,
                               double rounding, uint32_t segments)
{
    const profile_point bottom = {0, -half_length - rounding, 0, -1},
                        top = {0, half_length + rounding, 0, 1};
    TL_TRY(tl_array_append(profile, &bottom, 1));
    TL_TRY(add_quarter(profile, radius, -half_length, rounding, false, segments));
    TL_TRY(add_quarter(profile, radius, half_length, rounding, true, segments));
    return tl_array_append(profile, &top, 1);
}

static tl_status cone_profile(tl_array *profile, double radius, double half_length)
{
    const double slant = hypot(2 * half_length, radius), n = 2 * half_length / slant,
                 m = radius / slant;
    const profile_point points[] = {{0, -half_length, 0, -1},
                                    {radius, -half_length, 0, -1},
                                    {radius, -half_length, n, m},
                                    {0, half_length, n, m}};
    return tl_array_append(profile, points, 4);
}

/* Turns a profile about z, then stretches it along the axes. */
static tl_status revolve(tl_surface *s, const tl_array *profile, uint32_t segments,
                         const double stretch[3])
{
    const profile_point *p = profile->data;
    for (size_t i = 0; i < profile->count; i++)
        for (uint32_t k = 0; k < segments; k++) {
            double cosine, sine, length = 0;
            uint32_t vertex;
            circle(k, segments, &cosine, &sine);
            const double point[3] = {stretch[0] * p[i].radius * cosine,
                                     stretch[1] * p[i].radius * sine, stretch[2] * p[i].z};
            double normal[3] = {p[i].normal_radius * cosine / stretch[0],
                                p[i].normal_radius * sine / stretch[1], p[i].normal_z / stretch[2]};
            for (int j = 0; j < 3; j++)
                length += normal[j] * normal[j];
            for (int j = 0; j < 3; j++)
                normal[j] /= sqrt(length);
            TL_TRY(tl_surface_add_vertex(s, point, normal, &vertex));
        }
    for (uint32_t i = 0; i + 1 < profile->count; i++)
        for (uint32_t k = 0; k < segments; k++) {
            const uint32_t a = i * segments + k, b = i * segments + (k + 1) % segments;
            TL_TRY(tl_surface_add_quad(s, a, b, b + segments, a + segments));
        }
    return TL_OK;
}

static tl_status add_round(tl_surface *s, const tl_shape_def *d, uint32_t segments)
{
    static const double one[3] = {1, 1, 1};
    tl_array profile = {.item = sizeof(profile_point)};
    const double *stretch = d->kind == TL_ELLIPSOID ? d->half_extents : one;
    tl_status status = TL_OK;
    if (d->kind == TL_CONE)
        status = cone_profile(&profile, d->radius, d->half_length);
    else if (d->kind == TL_CYLINDER)
        status = round_profile(&profile, d->radius - d->rounding, d->half_length - d->rounding,
                               d->rounding, segments);
    else
        status = round_profile(&profile, 0, d->kind == TL_CAPSULE ? d->half_length : 0,
                               d->kind == TL_ELLIPSOID ? 1 : d->radius, segments);
    if (status == TL_OK)
        status = revolve(s, &profile, segments, stretch);
    tl_array_free(&profile);
    return status;
}

/* ---- Boxes ---- */

/* A sphere in the net of a globe, cut along the equator and four meridians, its eight parts moved
 * to the corners of the inner box. What closes the cuts are the edges and the faces. */
static tl_status add_box(tl_surface *s, const tl_shape_def *d, uint32_t segments)
{
    const uint32_t steps = d->rounding > 0 ? segments / 4 : 1, step = steps + 1;
    const uint32_t rows = 2 * step, columns = 4 * step, top = (rows - 1) * columns;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            const bool upper = i >= step;
            const uint32_t part = k / step;
            double c, z, x, y, point[3];
            uint32_t vertex;
            circle(upper ? i - step : 3 * steps + i, 4 * steps, &c, &z);
            circle(k - part, 4 * steps, &x, &y);
            const double normal[3] = {c * x, c * y, z};
            const bool positive[3] = {part == 0 || part == 3, part < 2, upper};
            for (int j = 0; j < 3; j++) {
                const double inner = d->half_extents[j] - d->rounding;
                point[j] = (positive[j] ? inner : -inner) + d->rounding * normal[j];
            }
            TL_TRY(tl_surface_add_vertex(s, point, normal, &vertex));
        }
    for (uint32_t i = 0; i + 1 < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            const uint32_t a = i * columns + k, b = i * columns + (k + 1) % columns;
            TL_TRY(tl_surface_add_quad(s, a, b, b + columns, a + columns));
        }
    TL_TRY(tl_surface_add_quad(s, 3 * step, 2 * step, step, 0));
    return tl_surface_add_quad(s, top, top + step, top + 2 * step, top + 3 * step);
}

static tl_status add_parallelogram(tl_surface *s, const tl_shape_def *d)
{
    const double *u = d->edge_u, *v = d->edge_v;
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0) || !isfinite(length))
        return tl_fail(TL_BAD_ARGUMENT, "shape.edge_u and edge_v must span a parallelogram");
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    for (int i = 0; i < 4; i++) {
        uint32_t vertex;
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (i == 1 || i == 2 ? u[k] : 0) + (i >= 2 ? v[k] : 0);
        TL_TRY(tl_surface_add_vertex(s, p, n, &vertex));
    }
    return tl_surface_add_quad(s, 0, 1, 2, 3);
}

/* ---- Any shape ---- */

static tl_status check_positive(const char *field, double value)
{
    if (isfinite(value) && value > 0)
        return TL_OK;
    return tl_fail(TL_BAD_ARGUMENT, "shape.%s is %g; it must be above 0 and finite", field, value);
}

/* The smallest half size that rounding has to stay below. */
static tl_status check_rounding(const tl_shape_def *d, double most)
{
    if (d->rounding >= 0 && d->rounding < most)
        return TL_OK;
    return tl_fail(TL_BAD_ARGUMENT, "shape.rounding is %g; it must be at least 0 and below %g",
                   d->rounding, most);
}

static tl_status check_extents(const tl_shape_def *d)
{
    for (int k = 0; k < 3; k++)
        TL_TRY(check_positive("half_extents", d->half_extents[k]));
    return TL_OK;
}

static tl_status check_geometry(const tl_shape_def *d, const tl_geometry_info *g)
{
    if (!g || !g->vertices || !g->triangles || !g->vertex_count || !g->triangle_count)
        return tl_fail(TL_BAD_ARGUMENT, "shape.geometry: its vertices and triangles are missing");
    if (g->kind != d->kind)
        return tl_fail(TL_BAD_ARGUMENT, "shape.geometry is of kind %d; the shape is of kind %d",
                       (int)g->kind, (int)d->kind);
    if (g->vertex_count > TL_MOST_ITEMS || g->triangle_count > TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "shape.geometry has more than %zu vertices or triangles",
                       TL_MOST_ITEMS);
    for (size_t i = 0; i < 3 * g->triangle_count; i++)
        if (g->triangles[i] >= g->vertex_count)
            return tl_fail(TL_BAD_ARGUMENT,
                           "shape.geometry: triangle %zu has vertex %u; there are %zu", i / 3,
                           g->triangles[i], g->vertex_count);
    return TL_OK;
}

static tl_status make(tl_surface *s, const tl_shape_def *d, const tl_geometry_info *g,
                      uint32_t segments)
{
    switch (d->kind) {
    case TL_SPHERE: TL_TRY(check_positive("radius", d->radius)); return add_round(s, d, segments);
    case TL_CAPSULE:
    case TL_CYLINDER:
    case TL_CONE:
        TL_TRY(check_positive("radius", d->radius));
        TL_TRY(check_positive("half_length", d->half_length));
        if (d->kind == TL_CYLINDER)
            TL_TRY(check_rounding(d, fmin(d->radius, d->half_length)));
        return add_round(s, d, segments);
    case TL_ELLIPSOID: TL_TRY(check_extents(d)); return add_round(s, d, segments);
    case TL_BOX: {
        const double *h = d->half_extents;
        TL_TRY(check_extents(d));
        TL_TRY(check_rounding(d, fmin(h[0], fmin(h[1], h[2]))));
        return add_box(s, d, segments);
    }
    case TL_PARALLELOGRAM: return add_parallelogram(s, d);
    case TL_HULL:
        TL_TRY(check_geometry(d, g));
        TL_TRY(check_rounding(d, INFINITY));
        return tl_surface_add_hull(s, g, d->rounding, segments);
    case TL_MESH:
    case TL_HEIGHTS: TL_TRY(check_geometry(d, g)); return tl_surface_add_mesh(s, g);
    case TL_PLANE: return tl_fail(TL_BAD_ARGUMENT, "a plane has no end, and so no triangles");
    case TL_POINT: return tl_fail(TL_BAD_ARGUMENT, "a point has no triangles");
    case TL_POLYGON:
        return tl_fail(TL_BAD_ARGUMENT, "a polygon has those of its pieces, which are hulls");
    }
    return tl_fail(TL_BAD_ARGUMENT, "shape.kind is %d; there is no such kind", (int)d->kind);
}

tl_status tl_surface_create(const tl_shape_def *shape, const tl_geometry_info *geometry,
                            uint32_t segments, tl_surface **surface)
{
    if (!surface)
        return tl_refuse_null("surface");
    *surface = NULL;
    if (!shape)
        return tl_refuse_null("shape");
    if (segments < 8 || segments > 1024 || segments % 4)
        return tl_fail(TL_BAD_ARGUMENT, "segments is %u; it must be a multiple of 4 from 8 to 1024",
                       segments);
    tl_surface *s = tl_alloc_zero(sizeof *s);
    if (!s)
        return TL_NO_MEMORY;
    s->vertices.item = s->normals.item = 3 * sizeof(double);
    s->triangles.item = 3 * sizeof(uint32_t);
    tl_status status = make(s, shape, geometry, segments);
    if (status == TL_OK)
        status = drop_unused(s);
    if (status < 0) {
        tl_surface_destroy(s);
        return status;
    }
    *surface = s;
    return TL_OK;
}

tl_surface_info tl_surface_describe(const tl_surface *surface)
{
    if (!surface)
        return (tl_surface_info){0};
    return (tl_surface_info){.vertex_count = surface->vertices.count,
                             .vertices = surface->vertices.data,
                             .normals = surface->normals.data,
                             .triangle_count = surface->triangles.count,
                             .triangles = surface->triangles.data};
}

void tl_surface_destroy(tl_surface *surface)
{
    if (!surface)
        return;
    tl_array_free(&surface->vertices);
    tl_array_free(&surface->normals);
    tl_array_free(&surface->triangles);
    tl_free(surface, sizeof *surface);
}

/* ---- How far shapes reach ---- */

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The farthest of a disc about z at this height, from o. */
static double reach_disc(const double o[3], double radius, double z)
{
    return hypot(hypot(o[0], o[1]) + radius, o[2] - z);
}

static double reach_points(const double o[3], size_t count, const double *points)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double *p = points + 3 * i;
        most = fmax(most, norm((const double[3]){p[0] - o[0], p[1] - o[1], p[2] - o[2]}));
    }
    return most;
}

double tl_shape_reach(const tl_shape_def *shape, const tl_geometry_info *geometry)
{
    if (!shape)
        return 0;
    const double *q = shape->orientation, *h = shape->half_extents, *p = shape->position;
    const double back[4] = {q[0], -q[1], -q[2], -q[3]}, r = shape->rounding;
    double o[3]; /* the body's origin, in the shape's frame */
    tl_turn_apply(back, (const double[3]){-p[0], -p[1], -p[2]}, o);
    switch (shape->kind) {
    case TL_SPHERE: return norm(o) + shape->radius;
    case TL_PLANE: return INFINITY;
    case TL_BOX:
        return norm((const double[3]){fabs(o[0]) + h[0] - r, fabs(o[1]) + h[1] - r,
                                      fabs(o[2]) + h[2] - r}) +
               r;
    case TL_PARALLELOGRAM: {
        const double *u = shape->edge_u, *v = shape->edge_v;
        const double corners[12] = {0,           0,           0,           u[0], u[1], u[2],
                                    u[0] + v[0], u[1] + v[1], u[2] + v[2], v[0], v[1], v[2]};
        return reach_points(o, 4, corners);
    }
    case TL_CAPSULE: return reach_disc(o, 0, -copysign(shape->half_length, o[2])) + shape->radius;
    case TL_CYLINDER:
        return reach_disc(o, shape->radius - r, -copysign(shape->half_length - r, o[2])) + r;
    case TL_CONE:
        return fmax(reach_disc(o, shape->radius, -shape->half_length),
                    reach_disc(o, 0, shape->half_length));
    case TL_ELLIPSOID: return norm(o) + fmax(h[0], fmax(h[1], h[2]));
    case TL_HULL:
    case TL_MESH:
    case TL_HEIGHTS:
        return geometry ? reach_points(o, geometry->vertex_count, geometry->vertices) +
                              (shape->kind == TL_HULL ? r : 0)
                        : norm(o);
    case TL_POINT:
    case TL_POLYGON: break;
    }
    return norm(o);
}
