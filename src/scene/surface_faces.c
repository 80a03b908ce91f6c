/* Surfaces of hulls, meshes and height fields: their own triangles with normals, and hulls with
 * something around them. See scene/surface.h. */
#include "scene/surface.h"

#include <math.h>
#include <string.h>

#include "base/edges.h"

#define SMOOTH     0.766      /* cosine of 40 degrees: edges that are less sharp look smooth */
#define FLAT       (1 - 1e-9) /* those of hulls show all, but between triangles in one plane */
#define MOST_ROUND 64         /* triangles at a vertex; where there are more, they are drawn flat */

static const double pi = 3.14159265358979323846;

static const double *vertex(const tl_geometry_info *g, uint32_t v)
{
    return g->vertices + 3 * (size_t)v;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Makes a vector a unit one; one without length becomes z. */
static void normalise(double v[3])
{
    const double length = sqrt(dot(v, v));
    if (!(length > 0) || !isfinite(length)) {
        v[0] = v[1] = 0;
        v[2] = 1;
        return;
    }
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

/* Twice the area times the normal of each triangle, and the unit normal. */
static tl_status face_normals(const tl_geometry_info *g, tl_array *areas, tl_array *normals)
{
    TL_TRY(tl_array_resize(areas, g->triangle_count));
    TL_TRY(tl_array_resize(normals, g->triangle_count));
    for (size_t t = 0; t < g->triangle_count; t++) {
        const uint32_t *c = g->triangles + 3 * t;
        const double *p = vertex(g, c[0]), *q = vertex(g, c[1]), *r = vertex(g, c[2]);
        const double u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        double *a = (double *)areas->data + 3 * t, *n = (double *)normals->data + 3 * t;
        a[0] = u[1] * v[2] - u[2] * v[1];
        a[1] = u[2] * v[0] - u[0] * v[2];
        a[2] = u[0] * v[1] - u[1] * v[0];
        memcpy(n, a, 3 * sizeof *n);
        normalise(n);
    }
    return TL_OK;
}

/* The corners (3 * triangle + place) at each vertex: those of v are corner[first[v]] and on. */
static tl_status list_corners(const tl_geometry_info *g, tl_array *first, tl_array *corner)
{
    const size_t corners = 3 * g->triangle_count;
    TL_TRY(tl_array_resize(first, g->vertex_count + 1));
    TL_TRY(tl_array_resize(corner, corners));
    size_t *at = first->data, *list = corner->data;
    memset(at, 0, (g->vertex_count + 1) * sizeof *at);
    for (size_t i = 0; i < corners; i++)
        at[g->triangles[i] + 1]++;
    for (size_t v = 0; v < g->vertex_count; v++)
        at[v + 1] += at[v];
    for (size_t i = corners;
         i-- > 0;) /* backwards, with the ends as places: then they are starts */
        list[--at[g->triangles[i] + 1]] = i;
    memmove(at, at + 1, g->vertex_count * sizeof *at);
    at[g->vertex_count] = corners;
    return TL_OK;
}

/* The vertices of a place: one for each normal that the triangles there have. */
static tl_status add_corners(tl_surface *s, const tl_geometry_info *g, uint32_t v,
                             const size_t *corner, size_t count, const double *areas,
                             const double *normals, uint32_t *made)
{
    const size_t begin = s->vertices.count;
    const double smooth = g->kind == TL_HULL ? FLAT : SMOOTH;
    for (size_t i = 0; i < count; i++) {
        const double *own = normals + 3 * (corner[i] / 3);
        double n[3] = {0, 0, 0};
        for (size_t j = 0; j < count && count <= MOST_ROUND; j++)
            for (int k = 0; k < 3 && dot(own, normals + 3 * (corner[j] / 3)) > smooth; k++)
                n[k] += areas[3 * (corner[j] / 3) + (size_t)k];
        if (dot(n, own) > 0)
            normalise(n);
        else
            memcpy(n, own, sizeof n);
        size_t at = count <= MOST_ROUND ? begin : s->vertices.count;
        while (at < s->vertices.count &&
               memcmp((double *)s->normals.data + 3 * at, n, sizeof n) != 0)
            at++;
        made[corner[i]] = (uint32_t)at;
        if (at == s->vertices.count)
            TL_TRY(tl_surface_add_vertex(s, vertex(g, v), n, &made[corner[i]]));
    }
    return TL_OK;
}

tl_status tl_surface_add_mesh(tl_surface *s, const tl_geometry_info *g)
{
    tl_array areas = {.item = 3 * sizeof(double)}, normals = {.item = 3 * sizeof(double)};
    tl_array first = {.item = sizeof(size_t)}, corner = {.item = sizeof(size_t)};
    tl_array made = {.item = sizeof(uint32_t)};
    tl_status status = face_normals(g, &areas, &normals);
    if (status == TL_OK)
        status = list_corners(g, &first, &corner);
    if (status == TL_OK)
        status = tl_array_resize(&made, 3 * g->triangle_count);
    for (size_t v = 0; v < g->vertex_count && status == TL_OK; v++) {
        const size_t *at = (const size_t *)first.data + v;
        status = add_corners(s, g, (uint32_t)v, (const size_t *)corner.data + at[0], at[1] - at[0],
                             areas.data, normals.data, made.data);
    }
    for (size_t t = 0; t < g->triangle_count && status == TL_OK; t++) {
        const uint32_t *c = (const uint32_t *)made.data + 3 * t;
        status = tl_surface_add_triangle(s, c[0], c[1], c[2]);
    }
    tl_array *arrays[] = {&areas, &normals, &first, &corner, &made};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    return status;
}

/* ---- Hulls ---- */

static double angle_of(const double n[3], const double m[3])
{
    const double gap[3] = {m[0] - n[0], m[1] - n[1], m[2] - n[2]};
    return 2 * asin(fmin(1, sqrt(dot(gap, gap)) / 2));
}

/* Direction i of the steps + 1 from n to m. */
static void between(const double n[3], const double m[3], uint32_t i, uint32_t steps, double out[3])
{
    const double *end = i ? m : n;
    memcpy(out, end, 3 * sizeof *out);
    if (i == 0 || i == steps)
        return;
    const double angle = angle_of(n, m);
    for (int k = 0; k < 3; k++) /* the same bits from either end */
        out[k] = sin((steps - i) * angle / steps) * n[k] + sin(i * angle / steps) * m[k];
    normalise(out);
}

static uint32_t arc_steps(const double n[3], const double m[3], uint32_t segments)
{
    return (uint32_t)fmax(1, ceil(angle_of(n, m) * segments / (2 * pi) - 1e-9));
}

static tl_status add_moved(tl_surface *s, const double p[3], const double n[3], double distance,
                           uint32_t *made)
{
    return tl_surface_add_vertex(
        s,
        (const double[3]){p[0] + distance * n[0], p[1] + distance * n[1], p[2] + distance * n[2]},
        n, made);
}

/* The middle of the normals at a vertex, and the rows that lead from each of them to it. */
typedef struct cap {
    double top[3];
    uint32_t rows;
} cap;

/* The part of a ball about p between the directions from, to and the cap's top: a fan of rows. */
static tl_status add_corner_part(tl_surface *s, const double p[3], const double from[3],
                                 const double to[3], const cap *over, double r, uint32_t segments)
{
    const uint32_t steps = arc_steps(from, to, segments), rows = over->rows;
    uint32_t last = 0;
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= steps; i++) {
            double low[3], n[3];
            uint32_t made;
            between(from, to, i, steps, low);
            between(low, over->top, j, rows, n);
            TL_TRY(add_moved(s, p, n, r, &made));
            if (i && j)
                TL_TRY(tl_surface_add_quad(s, last + i - 1, last + i, made, made - 1));
            if (i == steps)
                last = made - steps;
        }
    return TL_OK;
}

/* What two triangles have between them: the arc over their edge from a to b, the left one first,
 * and the share of it in the balls about a and b. */
static tl_status add_edge(tl_surface *s, const tl_geometry_info *g, const tl_half_edge *edge,
                          const double *left, const double *right, const cap *caps, double r,
                          uint32_t segments)
{
    const double *a = vertex(g, edge->low), *b = vertex(g, edge->high);
    const uint32_t steps = arc_steps(left, right, segments);
    uint32_t pair[2], last[2];
    for (uint32_t i = 0; i <= steps; i++) {
        double n[3];
        between(left, right, i, steps, n);
        TL_TRY(add_moved(s, a, n, r, &pair[0]));
        TL_TRY(add_moved(s, b, n, r, &pair[1]));
        if (i)
            TL_TRY(tl_surface_add_quad(s, last[0], pair[0], pair[1], last[1]));
        memcpy(last, pair, sizeof last);
    }
    TL_TRY(add_corner_part(s, a, right, left, &caps[edge->low], r, segments));
    return add_corner_part(s, b, left, right, &caps[edge->high], r, segments);
}

/* Triangles moved outward, arcs over the edges, and balls at the vertices, each cut into the parts
 * that lie between the normals of two neighbours and the middle of all normals there. */
static tl_status add_rounded(tl_surface *s, const tl_geometry_info *g, double r, uint32_t segments,
                             const double *normals, tl_half_edge *edges, cap *caps)
{
    const size_t count = 3 * g->triangle_count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = g->triangles[i], to = g->triangles[i / 3 * 3 + (i + 1) % 3];
        const double *n = normals + 3 * (i / 3);
        edges[i] = tl_half_edge_of(from, to, (uint32_t)i);
        for (int k = 0; k < 3; k++)
            caps[from].top[k] += n[k];
    }
    for (size_t v = 0; v < g->vertex_count; v++)
        normalise(caps[v].top);
    for (size_t i = 0; i < count; i++) {
        cap *c = &caps[g->triangles[i]];
        const uint32_t rows = arc_steps(normals + 3 * (i / 3), c->top, segments);
        c->rows = rows > c->rows ? rows : c->rows;
    }
    for (size_t t = 0; t < g->triangle_count; t++) {
        uint32_t made[3];
        for (int k = 0; k < 3; k++)
            TL_TRY(add_moved(s, vertex(g, g->triangles[3 * t + (size_t)k]), normals + 3 * t, r,
                             &made[k]));
        TL_TRY(tl_surface_add_triangle(s, made[0], made[1], made[2]));
    }
    tl_half_edges_sort(edges, count);
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (!tl_half_edge_same(&edges[i], &edges[i + 1]) ||
            edges[i].forward == edges[i + 1].forward)
            return tl_fail(TL_BAD_ARGUMENT, "shape.geometry: edge %u-%u of the hull is open",
                           edges[i].low, edges[i].high);
        TL_TRY(add_edge(s, g, &edges[i], normals + 3 * (size_t)(edges[i].index / 3),
                        normals + 3 * (size_t)(edges[i + 1].index / 3), caps, r, segments));
    }
    return TL_OK;
}

/* Neighbours in one plane get one normal, bit for bit, so that nothing opens between them. */
static void join_flat(const tl_geometry_info *g, double *normals)
{
    for (size_t t = 1; t < g->triangle_count; t++)
        for (size_t u = 0; u < t; u++)
            if (dot(normals + 3 * t, normals + 3 * u) > 1 - 1e-12) {
                memcpy(normals + 3 * t, normals + 3 * u, 3 * sizeof *normals);
                break;
            }
}

tl_status tl_surface_add_hull(tl_surface *s, const tl_geometry_info *g, double rounding,
                              uint32_t segments)
{
    if (!(rounding > 0))
        return tl_surface_add_mesh(s, g);
    tl_array areas = {.item = 3 * sizeof(double)}, normals = {.item = 3 * sizeof(double)};
    tl_array edges = {.item = sizeof(tl_half_edge)}, caps = {.item = sizeof(cap)};
    tl_status status = face_normals(g, &areas, &normals);
    if (status == TL_OK)
        status = tl_array_resize(&edges, 3 * g->triangle_count);
    if (status == TL_OK)
        status = tl_array_resize(&caps, g->vertex_count);
    if (status == TL_OK) {
        memset(caps.data, 0, g->vertex_count * caps.item);
        join_flat(g, normals.data);
        status = add_rounded(s, g, rounding, segments, normals.data, edges.data, caps.data);
    }
    tl_array *arrays[] = {&areas, &normals, &edges, &caps};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    return status;
}
