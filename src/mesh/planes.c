/* Planes that a part might be cut along: those of the triangles at its inner edges, which cut
 * blocks exactly, and the planes halfway between; and planes across the axes of the world and those
 * of its inertia, which cut what is round. Called for each part that is to be cut. */
#include "base/edges.h"
#include "base/principal.h"
#include "base/turn.h"
#include "mesh/convex.h"

#include <stdlib.h>

enum {
    AT_EDGES = 16,    /* planes of faces at inner edges, and as many halfway between */
    LOOKED_AT = 4000, /* inner edges, those that matter most */
    ACROSS = 7,       /* planes across each axis */
    ACROSS_LARGE = 5, /* the same of a part of many triangles */
    LARGE = 20000
};

/* An edge from which the surface rises on both sides. */
typedef struct inner {
    double weight;
    uint32_t faces[2];
    uint32_t vertex;
} inner;

static int compare_inner(const void *a, const void *b)
{
    const inner *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->faces[0] < y->faces[0] ? -1 : x->faces[0] > y->faces[0];
}

/* Appends a plane unless it is there, one way or the other. */
static tl_status add_plane(const double normal[3], double offset, double size, tl_array *planes)
{
    const double *p = planes->data;
    const double plane[4] = {normal[0], normal[1], normal[2], offset};
    for (size_t i = 0; i < planes->count; i++, p += 4) {
        const double cosine = tl_dot(p, normal);
        if (fabs(cosine) > 1 - 1e-6 &&
            fabs(cosine > 0 ? offset - p[3] : offset + p[3]) < 1e-3 * size)
            return TL_OK;
    }
    return tl_array_append(planes, plane, 1);
}

/* ---- At inner edges ---- */

static bool unit_normal(const tl_chain *chain, uint32_t face, double normal[3])
{
    const tl_face *f = (const tl_face *)chain->faces.data + face;
    const double *x = chain->vertices.data;
    const double *const corners[3] = {x + 3 * (size_t)f->corners[0], x + 3 * (size_t)f->corners[1],
                                      x + 3 * (size_t)f->corners[2]};
    tl_normal(corners, normal);
    const double length = tl_length(normal);
    for (int k = 0; k < 3; k++)
        normal[k] /= length;
    return length > 0;
}

/* Appends the edge of two faces if it is an inner one. */
static tl_status judge(const tl_chain *chain, const tl_half_edge *a, const tl_half_edge *b,
                       double size, tl_array *found)
{
    const tl_face *faces = chain->faces.data;
    const double *x = chain->vertices.data, *p = x + 3 * (size_t)a->low;
    inner edge = {.faces = {a->index / 3, b->index / 3}, .vertex = a->low};
    double n[2][3], to[3], across[3];
    if (faces[edge.faces[0]].cap || faces[edge.faces[1]].cap ||
        !unit_normal(chain, edge.faces[0], n[0]) || !unit_normal(chain, edge.faces[1], n[1]))
        return TL_OK;
    tl_sub(x + 3 * (size_t)faces[edge.faces[1]].corners[(b->index % 3 + 2) % 3], p, to);
    if (!(tl_dot(to, n[0]) > 1e-6 * size))
        return TL_OK;
    tl_cross(n[0], n[1], across);
    edge.weight = tl_length(across) * tl_distance(p, x + 3 * (size_t)a->high);
    return tl_array_append(found, &edge, 1);
}

static tl_status find_inner(const tl_chain *chain, double size, tl_array *found)
{
    const size_t count = 3 * chain->faces.count;
    const tl_face *faces = chain->faces.data;
    tl_half_edge *edges = tl_alloc(count * sizeof *edges);
    tl_status status = TL_OK;
    if (!edges)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        edges[i] = tl_half_edge_of(faces[i / 3].corners[i % 3], faces[i / 3].corners[(i + 1) % 3],
                                   (uint32_t)i);
    tl_half_edges_sort(edges, count);
    for (size_t i = 0; i + 1 < count && status == TL_OK; i++) {
        const bool more = i + 2 < count && tl_half_edge_same(&edges[i], &edges[i + 2]);
        const bool before = i && tl_half_edge_same(&edges[i], &edges[i - 1]);
        if (tl_half_edge_same(&edges[i], &edges[i + 1]) && !more && !before)
            status = judge(chain, &edges[i], &edges[i + 1], size, found);
    }
    tl_free(edges, count * sizeof *edges);
    return status;
}

/* The planes of the faces at edges, or those halfway between. */
static tl_status add_at_edges(const tl_chain *chain, const tl_array *edges, bool between,
                              double size, tl_array *planes)
{
    const inner *all = edges->data;
    const size_t most = planes->count + AT_EDGES;
    for (size_t i = 0; i < edges->count && i < LOOKED_AT && planes->count < most; i++) {
        const double *p = (const double *)chain->vertices.data + 3 * (size_t)all[i].vertex;
        double n[3][3];
        unit_normal(chain, all[i].faces[0], n[0]);
        unit_normal(chain, all[i].faces[1], n[1]);
        tl_sub(n[0], n[1], n[2]);
        const double length = tl_length(n[2]);
        for (int k = 0; k < 3; k++)
            n[2][k] /= length;
        for (int k = between ? 2 : 0; k < (between ? 3 : 2); k++)
            if (!between || length > 1e-3)
                TL_TRY(add_plane(n[k], tl_dot(n[k], p), size, planes));
    }
    return TL_OK;
}

/* ---- Across axes ---- */

static tl_status add_across(const tl_chain *chain, const double axis[3], double size,
                            tl_array *planes)
{
    const double *x = chain->vertices.data;
    const int count = chain->faces.count > LARGE ? ACROSS_LARGE : ACROSS;
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < chain->vertices.count / 3; v++) {
        const double h = tl_dot(axis, x + 3 * v);
        low = tl_min(low, h);
        high = tl_max(high, h);
    }
    for (int i = 1; i <= count; i++)
        TL_TRY(add_plane(axis, low + (high - low) * i / (count + 1), size, planes));
    return TL_OK;
}

/* The principal axes of the inertia of the surface's corners, each by the area around it. */
static void find_axes(const tl_chain *chain, double axes[3][3])
{
    const tl_face *faces = chain->faces.data;
    const double *x = chain->vertices.data;
    double mass = 0, first[3] = {0}, second[6] = {0}, moments[3], turn[4] = {1, 0, 0, 0};
    for (size_t i = 0; i < chain->faces.count; i++) {
        const double *c[3] = {x + 3 * (size_t)faces[i].corners[0],
                              x + 3 * (size_t)faces[i].corners[1],
                              x + 3 * (size_t)faces[i].corners[2]};
        double n[3];
        tl_normal(c, n);
        const double area = tl_length(n);
        mass += area;
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            double p[3];
            for (int j = 0; j < 3; j++)
                p[j] = (c[0][j] + c[1][j] + c[2][j]) / 3 - x[j];
            first[k] += area * p[k];
            second[k] += area * p[k] * p[k];
            second[3 + k] += area * p[a] * p[b];
        }
    }
    double tensor[6];
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        tensor[k] = (second[a] + second[b]) / mass -
                    (first[a] * first[a] + first[b] * first[b]) / (mass * mass);
        tensor[3 + k] = first[a] * first[b] / (mass * mass) - second[3 + k] / mass;
    }
    if (mass > 0)
        tl_principal_axes(tensor, moments, turn);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        tl_turn_apply(turn, axis, axes[k]);
    }
}

static tl_status add_planes(const tl_chain *chain, const tl_array *edges, double size,
                            tl_array *planes, size_t *of_faces)
{
    double axes[3][3];
    TL_TRY(add_at_edges(chain, edges, false, size, planes));
    *of_faces = planes->count;
    TL_TRY(add_at_edges(chain, edges, true, size, planes));
    find_axes(chain, axes);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        TL_TRY(add_across(chain, axis, size, planes));
    }
    for (int k = 0; k < 3; k++)
        TL_TRY(add_across(chain, axes[k], size, planes));
    return TL_OK;
}

tl_status tl_convex_planes(const tl_chain *chain, double size, tl_array *planes, size_t *of_faces)
{
    tl_array edges = {.item = sizeof(inner)};
    planes->count = 0;
    tl_status status = find_inner(chain, size, &edges);
    if (edges.count)
        qsort(edges.data, edges.count, sizeof(inner), compare_inner);
    if (status == TL_OK)
        status = add_planes(chain, &edges, size, planes, of_faces);
    tl_array_free(&edges);
    return status;
}
