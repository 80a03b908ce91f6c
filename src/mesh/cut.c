/* Cuts solids by planes; cut.h says what for. Triangles that a plane crosses are clipped, what is
 * open in the plane is closed (cap.c), and parts that no longer hang together are told apart. */
#include "mesh/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "mesh/rows.h"

static const uint32_t nobody = UINT32_MAX;

void tl_chain_free(tl_chain *chain)
{
    tl_array_free(&chain->vertices);
    tl_array_free(&chain->faces);
}

void tl_chains_free(tl_array *chains)
{
    for (size_t i = 0; i < chains->count; i++)
        tl_chain_free((tl_chain *)chains->data + i);
    tl_array_free(chains);
}

static double volume_of(const double *vertices, const tl_array *faces)
{
    const tl_face *all = faces->data;
    const double *o = vertices + 3 * (size_t)all[0].corners[0];
    double six = 0;
    for (size_t i = 0; i < faces->count; i++) {
        double p[3][3], across[3];
        for (int c = 0; c < 3; c++)
            tl_sub(vertices + 3 * (size_t)all[i].corners[c], o, p[c]);
        tl_cross(p[1], p[2], across);
        six += tl_dot(p[0], across);
    }
    return six / 6;
}

/* ---- Parts ---- */

/* Numbers what hangs together, from 0: number[v] of each vertex that a face has, else nobody. */
static uint32_t find_parts(const tl_array *faces, size_t vertex_count, uint32_t *number,
                           uint32_t *parents)
{
    const tl_face *all = faces->data;
    uint32_t count = 0;
    for (size_t v = 0; v < vertex_count; v++) {
        parents[v] = (uint32_t)v;
        number[v] = nobody;
    }
    for (size_t i = 0; i < faces->count; i++)
        for (int c = 1; c < 3; c++)
            tl_unite(parents, all[i].corners[0], all[i].corners[c]);
    for (size_t i = 0; i < faces->count; i++) {
        const uint32_t root = tl_root(parents, all[i].corners[0]);
        if (number[root] == nobody)
            number[root] = count++;
    }
    for (size_t v = 0; v < vertex_count; v++)
        number[v] = number[tl_root(parents, (uint32_t)v)];
    return count;
}

/* Copies faces into the parts that they belong to; `renamed` is scratch, per vertex. */
static tl_status deal_out(const tl_array *faces, const double *vertices, size_t vertex_count,
                          const uint32_t *number, uint32_t *renamed, tl_chain *parts)
{
    const tl_face *all = faces->data;
    memset(renamed, 0xff, vertex_count * sizeof *renamed);
    for (size_t i = 0; i < faces->count; i++) {
        tl_chain *part = &parts[number[all[i].corners[0]]];
        tl_face face = all[i];
        for (int c = 0; c < 3; c++) {
            uint32_t *name = &renamed[face.corners[c]];
            if (*name == nobody) {
                *name = (uint32_t)(part->vertices.count / 3);
                TL_TRY(tl_array_append(&part->vertices, vertices + 3 * (size_t)face.corners[c], 3));
            }
            face.corners[c] = *name;
        }
        TL_TRY(tl_array_append(&part->faces, &face, 1));
    }
    return TL_OK;
}

/* Whether a point is inside: how often a line from it along x goes in and out. */
static bool is_inside(const tl_chain *chain, const double p[3])
{
    const tl_face *faces = chain->faces.data;
    const double *vertices = chain->vertices.data;
    int winding = 0;
    for (size_t i = 0; i < chain->faces.count; i++) {
        const double *corners[3];
        tl_crossing at;
        for (int c = 0; c < 3; c++)
            corners[c] = vertices + 3 * (size_t)faces[i].corners[c];
        if (tl_rows_cross_line(corners, p[1], p[2], &at) && at.x > p[0])
            winding -= at.sign;
    }
    return winding > 0;
}

static tl_status add_hole(const tl_chain *hole, tl_chain *to)
{
    const uint32_t shift = (uint32_t)(to->vertices.count / 3);
    TL_TRY(tl_array_append(&to->vertices, hole->vertices.data, hole->vertices.count));
    for (size_t i = 0; i < hole->faces.count; i++) {
        tl_face face = ((const tl_face *)hole->faces.data)[i];
        for (int c = 0; c < 3; c++)
            face.corners[c] += shift;
        TL_TRY(tl_array_append(&to->faces, &face, 1));
    }
    to->volume += hole->volume;
    return TL_OK;
}

/* Gives each hole to the smallest part that it is in, if any, and appends the parts that are more
 * than `least`. What is appended is no longer the caller's. */
static tl_status keep_parts(tl_chain *parts, uint32_t count, double least, tl_array *kept)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!(parts[i].volume < -least))
            continue;
        uint32_t best = nobody;
        for (uint32_t j = 0; j < count; j++)
            if (parts[j].volume > least &&
                (best == nobody || parts[j].volume < parts[best].volume) &&
                is_inside(&parts[j], parts[i].vertices.data))
                best = j;
        if (best != nobody)
            TL_TRY(add_hole(&parts[i], &parts[best]));
    }
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].volume > least) {
            TL_TRY(tl_array_append(kept, &parts[i], 1));
            parts[i] = (tl_chain){0};
        }
    return TL_OK;
}

/* The parts of closed faces that hang together. */
static tl_status take_apart(const tl_array *faces, const double *vertices, size_t vertex_count,
                            double least, tl_array *kept)
{
    if (!faces->count)
        return TL_OK;
    uint32_t *number = tl_alloc(2 * vertex_count * sizeof *number);
    if (!number)
        return TL_NO_MEMORY;
    const uint32_t count = find_parts(faces, vertex_count, number, number + vertex_count);
    tl_chain *parts = tl_alloc_zero(count * sizeof *parts);
    tl_status status = parts ? TL_OK : TL_NO_MEMORY;
    for (uint32_t i = 0; i < count && parts; i++) {
        parts[i].vertices.item = sizeof(double);
        parts[i].faces.item = sizeof(tl_face);
    }
    if (status == TL_OK)
        status = deal_out(faces, vertices, vertex_count, number, number + vertex_count, parts);
    for (uint32_t i = 0; i < count && status == TL_OK; i++)
        parts[i].volume = volume_of(parts[i].vertices.data, &parts[i].faces);
    if (status == TL_OK)
        status = keep_parts(parts, count, least, kept);
    for (uint32_t i = 0; i < count && parts; i++)
        tl_chain_free(&parts[i]);
    tl_free(parts, count * sizeof *parts);
    tl_free(number, 2 * vertex_count * sizeof *number);
    return status;
}

tl_status tl_chain_of_mesh(const tl_mesh *mesh, double least, tl_array *parts)
{
    tl_array faces = {.item = sizeof(tl_face)};
    const uint32_t *triangles = mesh->triangles.data;
    tl_status status = tl_array_reserve(&faces, tl_mesh_triangle_count(mesh));
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh) && status == TL_OK; i++) {
        const tl_face face = {{triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]}, 0};
        status = tl_array_append(&faces, &face, 1);
    }
    if (status == TL_OK)
        status = take_apart(&faces, mesh->vertices.data, mesh->vertices.count / 3, least, parts);
    tl_array_free(&faces);
    return status;
}

/* ---- Cuts ---- */

/* An edge that the plane crosses; the new vertices follow the old ones in the order of edges. */
typedef struct crossed {
    uint32_t low, high;
} crossed;

typedef struct knife {
    const tl_chain *chain;
    const double *plane;
    size_t old;                  /* vertices before the cut */
    double *heights;             /* per old vertex, above the plane; 0 in it */
    tl_array vertices;           /* double, old and new */
    tl_array edges;              /* crossed, sorted */
    tl_array halves[2], rims[2]; /* tl_face above and below; uint32_t: pairs in the plane */
} knife;

static int compare_crossed(const void *a, const void *b)
{
    const crossed *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static crossed edge_of(uint32_t a, uint32_t b)
{
    return (crossed){a < b ? a : b, a < b ? b : a};
}

static bool crosses(const knife *k, uint32_t a, uint32_t b)
{
    return (k->heights[a] < 0 && k->heights[b] > 0) || (k->heights[a] > 0 && k->heights[b] < 0);
}

/* Heights of vertices, and the new vertices on the edges that are crossed. */
static tl_status find_crossed(knife *k, double snap)
{
    const double *x = k->chain->vertices.data;
    const tl_face *faces = k->chain->faces.data;
    for (size_t v = 0; v < k->old; v++) {
        const double h = tl_dot(k->plane, x + 3 * v) - k->plane[3];
        k->heights[v] = fabs(h) <= snap ? 0 : h;
    }
    for (size_t i = 0; i < k->chain->faces.count; i++)
        for (int c = 0; c < 3; c++) {
            const uint32_t a = faces[i].corners[c], b = faces[i].corners[(c + 1) % 3];
            const crossed edge = edge_of(a, b);
            if (a < b && crosses(k, a, b)) /* another face has it the other way */
                TL_TRY(tl_array_append(&k->edges, &edge, 1));
        }
    crossed *edges = k->edges.data;
    size_t kept = 0;
    if (k->edges.count)
        qsort(edges, k->edges.count, sizeof *edges, compare_crossed);
    for (size_t i = 0; i < k->edges.count; i++)
        if (!i || compare_crossed(&edges[i], &edges[i - 1]) != 0)
            edges[kept++] = edges[i];
    k->edges.count = kept;
    TL_TRY(tl_array_append(&k->vertices, x, 3 * k->old));
    for (size_t i = 0; i < kept; i++) {
        const double *a = x + 3 * (size_t)edges[i].low, *b = x + 3 * (size_t)edges[i].high;
        const double ha = k->heights[edges[i].low], t = ha / (ha - k->heights[edges[i].high]);
        const double made[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]),
                                a[2] + t * (b[2] - a[2])};
        TL_TRY(tl_array_append(&k->vertices, made, 3));
    }
    return TL_OK;
}

static uint32_t new_vertex(const knife *k, uint32_t a, uint32_t b)
{
    const crossed key = edge_of(a, b), *edges = k->edges.data;
    const crossed *found = bsearch(&key, edges, k->edges.count, sizeof *edges, compare_crossed);
    return (uint32_t)k->old + (uint32_t)(found - edges);
}

/* The corners of a face that are on one side of the plane or in it. */
static int clip(const knife *k, const tl_face *face, int half, uint32_t out[4])
{
    const double sign = half ? -1 : 1;
    int count = 0;
    for (int c = 0; c < 3; c++) {
        const uint32_t a = face->corners[c], b = face->corners[(c + 1) % 3];
        if (sign * k->heights[a] >= 0)
            out[count++] = a;
        if (crosses(k, a, b))
            out[count++] = new_vertex(k, a, b);
    }
    return count;
}

static bool is_in_plane(const knife *k, uint32_t vertex)
{
    return vertex >= k->old || k->heights[vertex] == 0;
}

static tl_status add_face(knife *k, int half, uint32_t a, uint32_t b, uint32_t c, uint32_t cap)
{
    const tl_face face = {{a, b, c}, cap};
    for (int i = 0; i < 3; i++) {
        const uint32_t edge[2] = {face.corners[i], face.corners[(i + 1) % 3]};
        if (is_in_plane(k, edge[0]) && is_in_plane(k, edge[1]))
            TL_TRY(tl_array_append(&k->rims[half], edge, 2));
    }
    return tl_array_append(&k->halves[half], &face, 1);
}

/* Gives a face to the side that it is on, or a part to either. One in the plane belongs to the side
 * of what it bounds. */
static tl_status cut_face(knife *k, const tl_face *face)
{
    const uint32_t *v = face->corners;
    bool above = false, below = false;
    for (int c = 0; c < 3; c++) {
        above = above || k->heights[v[c]] > 0;
        below = below || k->heights[v[c]] < 0;
    }
    if (!above && !below) {
        const double *x = k->vertices.data;
        const double *const corners[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1],
                                          x + 3 * (size_t)v[2]};
        double normal[3];
        tl_normal(corners, normal);
        below = tl_dot(normal, k->plane) > 0;
    }
    if (above != below || !above)
        return add_face(k, below, v[0], v[1], v[2], face->cap);
    for (int half = 0; half < 2; half++) {
        uint32_t out[4];
        const int count = clip(k, face, half, out);
        for (int c = 2; c < count; c++)
            TL_TRY(add_face(k, half, out[0], out[c - 1], out[c], face->cap));
    }
    return TL_OK;
}

static tl_status cut(knife *k, double snap, double least, tl_array *parts)
{
    const tl_face *faces = k->chain->faces.data;
    TL_TRY(find_crossed(k, snap));
    for (size_t i = 0; i < k->chain->faces.count; i++)
        TL_TRY(cut_face(k, &faces[i]));
    for (int half = 0; half < 2; half++) {
        const double sign = half ? 1 : -1;
        const double normal[3] = {sign * k->plane[0], sign * k->plane[1], sign * k->plane[2]};
        TL_TRY(tl_cap(k->vertices.data, normal, &k->rims[half], &k->halves[half]));
        TL_TRY(take_apart(&k->halves[half], k->vertices.data, k->vertices.count / 3, least, parts));
    }
    return TL_OK;
}

tl_status tl_chain_cut(const tl_chain *chain, const double plane[4], double snap, double least,
                       tl_array *parts)
{
    knife k = {.chain = chain,
               .plane = plane,
               .old = chain->vertices.count / 3,
               .vertices = {.item = sizeof(double)},
               .edges = {.item = sizeof(crossed)}};
    for (int half = 0; half < 2; half++) {
        k.halves[half].item = sizeof(tl_face);
        k.rims[half].item = sizeof(uint32_t);
    }
    k.heights = tl_alloc(k.old * sizeof *k.heights);
    tl_status status = k.heights ? cut(&k, snap, least, parts) : TL_NO_MEMORY;
    tl_free(k.heights, k.old * sizeof *k.heights);
    tl_array_free(&k.vertices);
    tl_array_free(&k.edges);
    for (int half = 0; half < 2; half++) {
        tl_array_free(&k.halves[half]);
        tl_array_free(&k.rims[half]);
    }
    return status;
}
