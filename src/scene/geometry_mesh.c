/* Meshes as kernels read them (kernels/narrow/layout.h): a tree of boxes around the triangles, and
 * what is across their edges. Called by tl_scene_add_mesh(). Everything is decided by coordinates
 * and numbers of triangles, so that the same mesh gives the same tree. */
#include "scene/geometry.h"

#include <math.h>
#include <string.h>

#include "base/boxes.h"
#include "kernels/args.h"
#include "kernels/narrow/layout.h"
#include "talus/mesh.h"

_Static_assert(TLK_LEAF == TL_BOXES_LEAF, "the leaves that kernels know");

/* Of a triangle's longest edge: one that is less high has no normal to speak of. */
#define FLATTEST 1e-12

/* A side of a triangle of the geometry; 3 * triangle + edge. */
typedef struct side {
    uint32_t low, high; /* its vertices */
    uint32_t edge;
} side;

/* ---- Triangles ---- */

static bool has_area(const double *vertices, const uint32_t *t)
{
    double e[3][3], longest = 0;
    for (int c = 0; c < 3; c++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            e[c][k] = vertices[3 * (size_t)t[(c + 1) % 3] + k] - vertices[3 * (size_t)t[c] + k];
            square += e[c][k] * e[c][k];
        }
        longest = fmax(longest, square);
    }
    double area = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double part = e[0][i] * e[1][j] - e[0][j] * e[1][i];
        area += part * part;
    }
    return area > 0 && sqrt(area) > FLATTEST * longest;
}

/* Lists the triangles that have an area, and where their middles are. */
static size_t list_items(const tl_mesh_info *info, const double *centre, tl_boxes_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < info->triangle_count; i++) {
        const uint32_t *t = info->triangles + 3 * i;
        if (!has_area(info->vertices, t))
            continue;
        tl_boxes_item *it = &items[count++];
        it->index = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            for (int c = 0; c < 3; c++) {
                const double x = info->vertices[3 * (size_t)t[c] + k] - centre[k];
                low = fmin(low, x);
                high = fmax(high, x);
            }
            it->middle[k] = (float)(0.5 * low + 0.5 * high);
        }
    }
    return count;
}

/* ---- Boxes ---- */

static void bound_leaf(const double *vertices, const double *centre, const uint32_t *triangles,
                       size_t count, uint32_t *box)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * count; i++)
        for (int k = 0; k < 3; k++) {
            const double x = vertices[3 * (size_t)triangles[i] + k] - centre[k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    tl_boxes_put(low, high, box);
}

static void fill_boxes(const double *vertices, const double *centre, uint32_t *words)
{
    const size_t count = words[TLK_MESH_TRIANGLES], leaves = words[TLK_MESH_LEAVES];
    const uint32_t *triangles = words + TLK_MESH_HEAD;
    uint32_t *box = words + TLK_MESH_HEAD + 6 * count;
    for (size_t i = 0; i < leaves; i++) {
        const size_t first = TLK_LEAF * i;
        bound_leaf(vertices, centre, triangles + 3 * first,
                   count - first < TLK_LEAF ? count - first : TLK_LEAF, box + 6 * i);
    }
    tl_boxes_join(box, leaves);
}

/* ---- Neighbours ---- */

/* Sorts sides by one of their vertices; those with the same one stay in their order. `start` has a
 * number per vertex and one more. */
static void sort_sides(const side *from, side *to, size_t count, size_t vertices, bool by_low,
                       uint32_t *start)
{
    memset(start, 0, (vertices + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[(by_low ? from[i].low : from[i].high) + 1]++;
    for (size_t v = 0; v < vertices; v++)
        start[v + 1] += start[v];
    for (size_t i = 0; i < count; i++)
        to[start[by_low ? from[i].low : from[i].high]++] = from[i];
}

/* Makes neighbours of sides that are alone with each other on their edge. */
static void link_sides(const side *sides, size_t count, uint32_t *across)
{
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && sides[i + n].low == sides[i].low &&
                    sides[i + n].high == sides[i].high;)
            n++;
        if (n != 2)
            continue;
        across[sides[i].edge] = sides[i + 1].edge / 3;
        across[sides[i + 1].edge] = sides[i].edge / 3;
    }
}

static tl_status fill_neighbours(size_t vertices, uint32_t *words)
{
    const size_t count = 3 * (size_t)words[TLK_MESH_TRIANGLES];
    const uint32_t *triangles = words + TLK_MESH_HEAD;
    uint32_t *across = words + TLK_MESH_HEAD + count;
    const size_t start_bytes = (vertices + 1) * sizeof(uint32_t);
    side *sides = tl_alloc(2 * count * sizeof *sides);
    uint32_t *start = sides ? tl_alloc(start_bytes) : NULL;
    if (start) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
            sides[i] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)i};
            across[i] = TLK_NONE;
        }
        sort_sides(sides, sides + count, count, vertices, false, start);
        sort_sides(sides + count, sides, count, vertices, true, start);
        link_sides(sides, count, across);
    }
    tl_free(sides, 2 * count * sizeof *sides);
    tl_free(start, start_bytes);
    return start ? TL_OK : TL_NO_MEMORY;
}

/* ---- The whole ---- */

static tl_status check_mesh(const tl_mesh_info *info)
{
    if (info->triangle_count > TLK_TRIANGLES_MOST)
        return tl_fail(TL_TOO_LARGE, "the mesh has %zu triangles; there can be at most %u",
                       info->triangle_count, TLK_TRIANGLES_MOST);
    if (info->turned_edges)
        return tl_fail(TL_BAD_DATA,
                       "the mesh has %zu edges whose two triangles run along them the same way; "
                       "all triangles must go counterclockwise when they are seen from outside, "
                       "where bodies touch them",
                       info->turned_edges);
    return TL_OK;
}

/* The part of `out` that depends on the order of triangles. */
static tl_status lay_out(const tl_mesh_info *info, tl_boxes_item *items, tl_geometry_rec *out)
{
    const size_t count = list_items(info, out->centre, items);
    if (!count)
        return tl_fail(TL_BAD_DATA, "none of the mesh's %zu triangles has an area",
                       info->triangle_count);
    const tl_boxes_size size = tl_boxes_measure(count);
    TL_TRY(tl_array_resize(&out->numbers, 3 * info->vertex_count + 3));
    TL_TRY(tl_array_resize(&out->words, TLK_MESH_HEAD + 6 * count + 6 * size.nodes));
    double *numbers = out->numbers.data;
    uint32_t *words = out->words.data;
    memcpy(numbers, info->vertices, 3 * info->vertex_count * sizeof(double));
    memcpy(numbers + 3 * info->vertex_count, out->centre, sizeof out->centre);
    words[TLK_MESH_VERTICES] = (uint32_t)info->vertex_count;
    words[TLK_MESH_TRIANGLES] = (uint32_t)count;
    words[TLK_MESH_LEAVES] = (uint32_t)size.leaves;
    words[TLK_MESH_ROOT] = size.root;
    words[TLK_MESH_LEFT_OUT] = (uint32_t)(info->triangle_count - count);
    tl_boxes_order(items, count);
    for (size_t i = 0; i < count; i++)
        memcpy(words + TLK_MESH_HEAD + 3 * i, info->triangles + 3 * (size_t)items[i].index,
               3 * sizeof(uint32_t));
    fill_boxes(numbers, out->centre, words);
    return fill_neighbours(info->vertex_count, words);
}

/* Six times the volume that the triangles enclose, in units of the mesh's size. */
static double enclosed(const tl_mesh_info *info, const double *centre, double size)
{
    double sum = 0;
    for (size_t i = 0; i < info->triangle_count; i++) {
        double v[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                v[c][k] =
                    (info->vertices[3 * (size_t)info->triangles[3 * i + c] + k] - centre[k]) / size;
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            sum += v[0][k] * (v[1][a] * v[2][b] - v[1][b] * v[2][a]);
        }
    }
    return sum;
}

/* A closed surface around a volume is a solid. One that is inside out is a room. */
static tl_status weigh(const tl_mesh *mesh, const tl_mesh_info *info, tl_geometry_rec *out)
{
    if (info->open_edges || info->crowded_edges)
        return TL_OK;
    const double size = 2 * out->radius;
    if (!(enclosed(info, out->centre, size) > 1e-12 * (info->area / size) / size))
        return TL_OK;
    tl_mesh_solid solid;
    TL_TRY(tl_mesh_measure(mesh, 1, &solid));
    out->volume = solid.volume;
    memcpy(out->com, solid.centre, sizeof out->com);
    memcpy(out->inertia, solid.inertia, sizeof out->inertia);
    return TL_OK;
}

/* The middle of the box from low to high, and a ball about it. */
static void bound(const double *vertices, size_t count, tl_geometry_rec *out)
{
    for (int k = 0; k < 3; k++)
        out->centre[k] = 0.5 * out->low[k] + 0.5 * out->high[k];
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double d = vertices[3 * i + k] - out->centre[k];
            square += d * d;
        }
        out->radius = fmax(out->radius, square);
    }
    out->radius = sqrt(out->radius) * (1 + 1e-15);
}

tl_status tl_geometry_mesh(const tl_mesh *mesh, tl_geometry_rec *out)
{
    const tl_mesh_info info = tl_mesh_describe(mesh);
    *out = (tl_geometry_rec){
        .kind = TL_MESH, .numbers = {.item = sizeof(double)}, .words = {.item = sizeof(uint32_t)}};
    TL_TRY(check_mesh(&info));
    memcpy(out->low, info.low, sizeof out->low);
    memcpy(out->high, info.high, sizeof out->high);
    bound(info.vertices, info.vertex_count, out);
    const size_t bytes = info.triangle_count * sizeof(tl_boxes_item);
    tl_boxes_item *items = tl_alloc(bytes);
    tl_status status = items ? lay_out(&info, items, out) : TL_NO_MEMORY;
    tl_free(items, bytes);
    if (status == TL_OK)
        status = weigh(mesh, &info, out);
    if (status < 0)
        tl_geometry_free(out);
    return status;
}

tl_status tl_geometry_to_mesh(const tl_geometry_rec *from, tl_mesh **mesh)
{
    const uint32_t *words = from->words.data;
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = words[TLK_MESH_VERTICES];
    def.vertices = from->numbers.data;
    def.triangle_count = words[TLK_MESH_TRIANGLES];
    def.triangles = words + TLK_MESH_HEAD;
    return tl_mesh_create(&def, mesh);
}

/* Whether the words of a mesh are as long as they say, their indices are within what there is, and
 * neighbours are each other's: then kernels read nothing else, and walks around vertices end. */
static bool is_sound(const uint32_t *w, size_t count, size_t vertices)
{
    if (count < TLK_MESH_HEAD || w[TLK_MESH_VERTICES] != vertices || !w[TLK_MESH_TRIANGLES] ||
        w[TLK_MESH_TRIANGLES] > TLK_TRIANGLES_MOST)
        return false;
    const uint32_t triangles = w[TLK_MESH_TRIANGLES], leaves = w[TLK_MESH_LEAVES];
    size_t nodes = 0;
    uint32_t level = 0, width = leaves;
    if (leaves != (triangles - 1) / TLK_LEAF + 1)
        return false;
    for (; width > 1; width = (width - 1) / 2 + 1, level++)
        nodes += width;
    if (w[TLK_MESH_ROOT] != level ||
        count != TLK_MESH_HEAD + 6 * (size_t)triangles + 6 * (nodes + 1))
        return false;
    const uint32_t *corner = w + TLK_MESH_HEAD, *across = corner + 3 * (size_t)triangles;
    for (size_t i = 0; i < 3 * (size_t)triangles; i++)
        if (corner[i] >= vertices || (across[i] != UINT32_MAX && across[i] >= triangles))
            return false;
    for (uint32_t t = 0; t < triangles; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t u = across[3 * (size_t)t + k], next = k == 2 ? 0 : k + 1;
            bool met = u == UINT32_MAX;
            for (uint32_t m = 0; m < 3 && !met; m++)
                met = across[3 * (size_t)u + m] == t &&
                      corner[3 * (size_t)u + m] == corner[3 * (size_t)t + next] &&
                      corner[3 * (size_t)u + (m == 2 ? 0 : m + 1)] == corner[3 * (size_t)t + k];
            if (!met)
                return false;
        }
    return true;
}

tl_status tl_geometry_mesh_again(const tl_geometry_rec *from, tl_geometry_rec *out)
{
    const double *x = from->numbers.data;
    const size_t vertices = from->numbers.count / 3 - (from->numbers.count >= 3);
    bool sound = from->numbers.count == 3 * vertices + 3 && vertices &&
                 is_sound(from->words.data, from->words.count, vertices);
    *out = (tl_geometry_rec){
        .kind = TL_MESH, .numbers = {.item = sizeof(double)}, .words = {.item = sizeof(uint32_t)}};
    for (size_t i = 0; i < from->numbers.count && sound; i++)
        sound = fabs(x[i]) < 1e12;
    if (!sound)
        return tl_fail(TL_BAD_DATA, "a mesh is not laid out as meshes are");
    tl_status status = tl_array_append(&out->numbers, x, from->numbers.count);
    if (status == TL_OK)
        status = tl_array_append(&out->words, from->words.data, from->words.count);
    if (status < 0) {
        tl_geometry_free(out);
        return status;
    }
    for (int k = 0; k < 3; k++) {
        out->low[k] = out->high[k] = x[k];
        for (size_t i = 1; i < vertices; i++) {
            out->low[k] = fmin(out->low[k], x[3 * i + k]);
            out->high[k] = fmax(out->high[k], x[3 * i + k]);
        }
    }
    bound(x, vertices, out);
    return TL_OK;
}
