/* Convex hulls as kernels read them: the triangles of an exact hull, coplanar ones merged to
 * polygons. Called when a hull is added to a scene.
 *
 * Points that are nearer to each other than rounding makes them (`tol`) count as one, and triangles
 * whose corners are so near to a common plane as one face: a box whose corners were turned by a
 * rotation has six faces. */
#include "scene/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tol = 1e-9; /* of the size of the hull */
static const uint32_t nobody = UINT32_MAX;

/* A side of a triangle, from one vertex to another. */
typedef struct side {
    uint32_t from, to, triangle;
} side;

typedef struct hull {
    const double *x;           /* vertices */
    const uint32_t *triangles; /* three vertices each */
    uint32_t vertices, count;  /* how many of each */
    double size;               /* m, diagonal of the bounding box */
    uint32_t *across;          /* per side of each triangle: the triangle beyond it */
    uint32_t *face;            /* per triangle: its face, nobody: not yet */
    uint32_t *stack;           /* triangles of a face whose neighbours are to be looked at */
    uint32_t *next;            /* per vertex: the next one around the face that is walked */
    uint32_t *faces_at;        /* per vertex: how many faces it is a corner of; then its number */
    tl_array loops, starts;    /* uint32_t: vertices of faces, and where each begins */
} hull;

static const double *vertex(const hull *h, uint32_t i)
{
    return h->x + 3 * (size_t)i;
}

/* Twice the area of a triangle, along its normal. */
static void area_of(const hull *h, uint32_t triangle, double out[3])
{
    const uint32_t *t = h->triangles + 3 * (size_t)triangle;
    const double *a = vertex(h, t[0]), *b = vertex(h, t[1]), *c = vertex(h, t[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static tl_status refuse_thin(void)
{
    return tl_fail(
        TL_BAD_ARGUMENT,
        "the hull of the points is too thin to tell its faces apart; no two of its vertices "
        "may be nearer than 1e-9 of its size, nor a vertex so near to a face that it is "
        "no corner of");
}

/* ---- Faces ---- */

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static const side *find_side(const side *sides, size_t count, uint32_t from, uint32_t to)
{
    const side key = {from, to, 0};
    return bsearch(&key, sides, count, sizeof *sides, compare_sides);
}

/* Which triangles are side by side. */
static tl_status find_neighbours(hull *h)
{
    const size_t count = 3 * (size_t)h->count;
    side *sides = tl_alloc(count * sizeof *sides);
    tl_status status = TL_OK;
    if (!sides)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        sides[i] =
            (side){h->triangles[i], h->triangles[i % 3 == 2 ? i - 2 : i + 1], (uint32_t)(i / 3)};
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t i = 0; i < count && status == TL_OK; i++) {
        const side *other =
            find_side(sides, count, h->triangles[i % 3 == 2 ? i - 2 : i + 1], h->triangles[i]);
        if (other)
            h->across[i] = other->triangle;
        else
            status = refuse_thin();
    }
    tl_free(sides, count * sizeof *sides);
    return status;
}

/* Whether a triangle lies in a plane (unit normal and offset) and looks the same way. */
static bool lies_in(const hull *h, uint32_t triangle, const double normal[3], double offset)
{
    const uint32_t *t = h->triangles + 3 * (size_t)triangle;
    double area[3];
    for (int k = 0; k < 3; k++)
        if (fabs(dot(normal, vertex(h, t[k])) - offset) > tol * h->size)
            return false;
    area_of(h, triangle, area);
    return dot(area, normal) > -tol * h->size * h->size;
}

/* Gives number `face` to a triangle and to all around it that lie in its plane. */
static void grow_face(hull *h, uint32_t seed, uint32_t face)
{
    double normal[3];
    area_of(h, seed, normal);
    const double length = sqrt(dot(normal, normal));
    for (int k = 0; k < 3; k++)
        normal[k] /= length;
    const double offset = dot(normal, vertex(h, h->triangles[3 * (size_t)seed]));
    uint32_t waiting = 1;
    h->face[seed] = face;
    h->stack[0] = seed;
    while (waiting) {
        const uint32_t triangle = h->stack[--waiting];
        for (int k = 0; k < 3; k++) {
            const uint32_t other = h->across[3 * (size_t)triangle + (size_t)k];
            if (h->face[other] != nobody || !lies_in(h, other, normal, offset))
                continue;
            h->face[other] = face;
            h->stack[waiting++] = other;
        }
    }
}

/* A triangle with its area, for sorting. */
typedef struct sized {
    double area;
    uint32_t triangle;
} sized;

static int compare_sized(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->area != y->area)
        return x->area > y->area ? -1 : 1;
    return x->triangle < y->triangle ? -1 : 1;
}

/* Faces grow from the largest triangles, whose planes are the best known. */
static tl_status find_faces(hull *h, uint32_t *faces)
{
    sized *order = tl_alloc(h->count * sizeof *order);
    if (!order)
        return TL_NO_MEMORY;
    for (uint32_t i = 0; i < h->count; i++) {
        double area[3];
        area_of(h, i, area);
        order[i] = (sized){dot(area, area), i};
        h->face[i] = nobody;
    }
    qsort(order, h->count, sizeof *order, compare_sized);
    *faces = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->face[order[i].triangle] == nobody && order[i].area > 0)
            grow_face(h, order[i].triangle, (*faces)++);
    tl_free(order, h->count * sizeof *order);
    for (uint32_t i = 0; i < h->count; i++)
        if (h->face[i] == nobody)
            return refuse_thin();
    return TL_OK;
}

/* ---- Loops ---- */

/* The rim of a face, whose triangles are `list`, as a loop of vertices. Rims that are not one loop
 * are refused. */
static tl_status walk_rim(hull *h, uint32_t face, const uint32_t *list, size_t count)
{
    uint32_t first = nobody, sides = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 3 * (size_t)list[i] + k;
            if (h->face[h->across[at]] == face)
                continue;
            const uint32_t from = h->triangles[at];
            if (h->next[from] != nobody)
                return refuse_thin();
            h->next[from] = h->triangles[k == 2 ? at - 2 : at + 1];
            first = from < first ? from : first;
            sides++;
        }
    uint32_t walked = 0;
    for (uint32_t v = first, then; first != nobody && v != nobody && walked <= sides; v = then) {
        if (walked && v == first)
            break;
        TL_TRY(tl_array_append(&h->loops, &v, 1));
        then = h->next[v];
        h->next[v] = nobody;
        h->faces_at[v]++;
        walked++;
    }
    return walked == sides && sides >= 3 ? TL_OK : refuse_thin();
}

static int compare_faces(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : 1;
}

static tl_status walk_rims(hull *h, uint32_t faces)
{
    const size_t bytes = 2 * (size_t)h->count * sizeof(uint32_t);
    uint32_t *pairs = tl_alloc(bytes); /* face and triangle */
    tl_status status = TL_OK;
    if (!pairs)
        return TL_NO_MEMORY;
    for (uint32_t i = 0; i < h->count; i++) {
        pairs[2 * (size_t)i] = h->face[i];
        pairs[2 * (size_t)i + 1] = i;
    }
    qsort(pairs, h->count, 2 * sizeof *pairs, compare_faces);
    for (uint32_t i = 0; i < h->vertices; i++) {
        h->next[i] = nobody;
        h->faces_at[i] = 0;
    }
    for (uint32_t f = 0, at = 0; f < faces && status == TL_OK; f++) {
        uint32_t count = 0;
        for (; at + count < h->count && pairs[2 * (size_t)(at + count)] == f; count++)
            h->stack[count] = pairs[2 * (size_t)(at + count) + 1];
        at += count;
        const uint32_t start = (uint32_t)h->loops.count;
        status = tl_array_append(&h->starts, &start, 1);
        if (status == TL_OK)
            status = walk_rim(h, f, h->stack, count);
    }
    tl_free(pairs, bytes);
    if (status == TL_OK) {
        const uint32_t end = (uint32_t)h->loops.count;
        status = tl_array_append(&h->starts, &end, 1);
    }
    return status;
}

/* Corners of two faces alone lie on an edge: they are taken out of the loops. Numbers the vertices
 * that are left, and counts them. */
static tl_status drop_flat_corners(hull *h, uint32_t *left)
{
    uint32_t *loops = h->loops.data, *starts = h->starts.data, to = 0, longest = 0;
    for (size_t f = 0; f + 1 < h->starts.count; f++) {
        const uint32_t from = starts[f], end = starts[f + 1];
        starts[f] = to;
        for (uint32_t i = from; i < end; i++)
            if (h->faces_at[loops[i]] > 2)
                loops[to++] = loops[i];
        if (to - starts[f] < 3)
            return refuse_thin();
        longest = to - starts[f] > longest ? to - starts[f] : longest;
    }
    starts[h->starts.count - 1] = to;
    h->loops.count = to;
    *left = 0;
    for (uint32_t v = 0; v < h->vertices; v++)
        h->faces_at[v] = h->faces_at[v] > 2 ? (*left)++ : nobody;
    if (*left > TL_HULL_VERTICES_MOST)
        return tl_fail(
            TL_TOO_LARGE,
            "the hull of the points has %u vertices; it may have at most %d: simplify it, "
            "or decompose the body into several hulls",
            *left, TL_HULL_VERTICES_MOST);
    if (longest > TL_HULL_LOOP_MOST)
        return tl_fail(TL_TOO_LARGE,
                       "a face of the hull of the points has %u vertices; it may have at most %d: "
                       "simplify it, or decompose the body into several hulls",
                       longest, TL_HULL_LOOP_MOST);
    for (uint32_t i = 0; i < to; i++)
        loops[i] = h->faces_at[loops[i]];
    return TL_OK;
}

/* ---- The record ---- */

static tl_status write_vertices(const hull *h, tl_geometry_rec *out)
{
    for (int k = 0; k < 3; k++) {
        out->low[k] = INFINITY;
        out->high[k] = -INFINITY;
    }
    for (uint32_t v = 0; v < h->vertices; v++) {
        const double *x = vertex(h, v);
        if (h->faces_at[v] == nobody)
            continue;
        for (int k = 0; k < 3; k++) {
            out->low[k] = fmin(out->low[k], x[k]);
            out->high[k] = fmax(out->high[k], x[k]);
        }
        TL_TRY(tl_array_append(&out->numbers, x, 3));
    }
    return TL_OK;
}

/* The plane of a face by Newell's method: the mean over its corners, and no corner outside. */
static void plane_of(const double *vertices, const uint32_t *loop, uint32_t count, double plane[4])
{
    double n[3] = {0, 0, 0};
    const double *o = vertices + 3 * (size_t)loop[0];
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double *a = vertices + 3 * (size_t)loop[i], *b = vertices + 3 * (size_t)loop[i + 1];
        for (int k = 0; k < 3; k++) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            n[k] += (a[p] - o[p]) * (b[q] - o[q]) - (a[q] - o[q]) * (b[p] - o[p]);
        }
    }
    const double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++)
        plane[k] = n[k] / length;
    plane[3] = dot(plane, o);
    for (uint32_t i = 1; i < count; i++)
        plane[3] = fmax(plane[3], dot(plane, vertices + 3 * (size_t)loop[i]));
}

static tl_status write_planes(const hull *h, tl_geometry_rec *out)
{
    const uint32_t *loops = h->loops.data, *starts = h->starts.data;
    for (size_t f = 0; f + 1 < h->starts.count; f++) {
        double plane[4];
        plane_of(out->numbers.data, loops + starts[f], starts[f + 1] - starts[f], plane);
        TL_TRY(tl_array_append(&out->numbers, plane, 4));
    }
    return TL_OK;
}

/* A side of a face goes one way, that of its neighbour the other: each edge is written once, by the
 * face that has it from the lower vertex to the higher. */
static tl_status write_edges(const side *sides, size_t count, tl_geometry_rec *out)
{
    for (int pass = 0; pass < 2; pass++) /* vertices, then faces */
        for (size_t i = 0; i < count; i++) {
            if (sides[i].from > sides[i].to)
                continue;
            const side *other = find_side(sides, count, sides[i].to, sides[i].from);
            if (!other)
                return refuse_thin();
            const uint32_t pair[2] = {pass ? sides[i].triangle : sides[i].from,
                                      pass ? other->triangle : sides[i].to};
            TL_TRY(tl_array_append(&out->words, pair, 2));
        }
    return TL_OK;
}

static tl_status write_words(const hull *h, uint32_t vertices, tl_geometry_rec *out)
{
    const uint32_t *loops = h->loops.data, *starts = h->starts.data;
    const uint32_t faces = (uint32_t)h->starts.count - 1;
    const size_t count = h->loops.count;
    const uint32_t head[3] = {vertices, faces, (uint32_t)count / 2};
    if (count % 2 || vertices + faces != head[2] + 2) /* Euler's relation */
        return refuse_thin();
    TL_TRY(tl_array_append(&out->words, head, 3));
    TL_TRY(tl_array_append(&out->words, starts, h->starts.count));
    TL_TRY(tl_array_append(&out->words, loops, count));
    side *sides = tl_alloc(count * sizeof *sides);
    if (!sides)
        return TL_NO_MEMORY;
    for (uint32_t f = 0; f < faces; f++)
        for (uint32_t i = starts[f]; i < starts[f + 1]; i++)
            sides[i] = (side){loops[i], loops[i + 1 < starts[f + 1] ? i + 1 : starts[f]], f};
    qsort(sides, count, sizeof *sides, compare_sides);
    tl_status status = write_edges(sides, count, out);
    tl_free(sides, count * sizeof *sides);
    return status;
}

static double farthest(const double *vertices, uint32_t count, const double c[3], uint32_t *which)
{
    double most = -1;
    for (uint32_t v = 0; v < count; v++) {
        const double *x = vertices + 3 * (size_t)v;
        const double d[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
        if (dot(d, d) > most) {
            most = dot(d, d);
            *which = v;
        }
    }
    return sqrt(most);
}

/* A small ball around the vertices: from the middle of the box, and then ever shorter steps to the
 * vertex that is farthest off (Badoiu and Clarkson); the best of all. */
static void bound(tl_geometry_rec *out, uint32_t count)
{
    const double *vertices = out->numbers.data;
    double c[3];
    for (int k = 0; k < 3; k++)
        c[k] = out->centre[k] = 0.5 * out->low[k] + 0.5 * out->high[k];
    uint32_t far = 0;
    out->radius = farthest(vertices, count, c, &far);
    for (int step = 1; step <= 300; step++) {
        for (int k = 0; k < 3; k++)
            c[k] += (vertices[3 * (size_t)far + (size_t)k] - c[k]) / (step + 1);
        const double radius = farthest(vertices, count, c, &far);
        if (radius < out->radius) {
            out->radius = radius;
            memcpy(out->centre, c, sizeof c);
        }
    }
}

static tl_status make_record(hull *h, tl_geometry_rec *out)
{
    uint32_t faces = 0, left = 0;
    TL_TRY(find_neighbours(h));
    TL_TRY(find_faces(h, &faces));
    TL_TRY(walk_rims(h, faces));
    TL_TRY(drop_flat_corners(h, &left));
    TL_TRY(write_vertices(h, out));
    TL_TRY(write_planes(h, out));
    TL_TRY(write_words(h, left, out));
    bound(out, left);
    return TL_OK;
}

/* The record of a hull that is a mesh of triangles. */
static tl_status record_mesh(const tl_mesh *mesh, tl_geometry_rec *out)
{
    const tl_mesh_info info = tl_mesh_describe(mesh);
    const size_t triangles = info.triangle_count, vertices = info.vertex_count;
    const size_t words = 5 * triangles + 2 * vertices;
    tl_mesh_solid solid;
    TL_TRY(tl_mesh_measure(mesh, 1, &solid));
    out->volume = solid.volume;
    memcpy(out->com, solid.centre, sizeof out->com);
    memcpy(out->inertia, solid.inertia, sizeof out->inertia);
    uint32_t *room = tl_alloc(words * sizeof *room);
    if (!room)
        return TL_NO_MEMORY;
    hull h = {.x = info.vertices,
              .triangles = info.triangles,
              .vertices = (uint32_t)vertices,
              .count = (uint32_t)triangles,
              .across = room,
              .face = room + 3 * triangles,
              .stack = room + 4 * triangles,
              .next = room + 5 * triangles,
              .faces_at = room + 5 * triangles + vertices,
              .loops = {.item = sizeof(uint32_t)},
              .starts = {.item = sizeof(uint32_t)}};
    h.size = hypot(hypot(info.high[0] - info.low[0], info.high[1] - info.low[1]),
                   info.high[2] - info.low[2]);
    tl_status status = make_record(&h, out);
    tl_array_free(&h.loops);
    tl_array_free(&h.starts);
    tl_free(room, words * sizeof *room);
    return status;
}

/* The hull as a mesh whose vertices are not nearer to each other than `tol`. */
static tl_status make_mesh(size_t count, const double *points, tl_mesh **mesh)
{
    tl_mesh *first, *merged;
    TL_TRY(tl_mesh_create_hull(count, points, &first));
    const tl_mesh_info info = tl_mesh_describe(first);
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = info.vertex_count;
    def.vertices = info.vertices;
    def.triangle_count = info.triangle_count;
    def.triangles = info.triangles;
    def.merge = tol * hypot(hypot(info.high[0] - info.low[0], info.high[1] - info.low[1]),
                            info.high[2] - info.low[2]);
    tl_status status = tl_mesh_create(&def, &merged);
    if (status == TL_OK && tl_mesh_describe(merged).merged) {
        const tl_mesh_info left = tl_mesh_describe(merged);
        tl_mesh_destroy(first);
        status = tl_mesh_create_hull(left.vertex_count, left.vertices, mesh);
        tl_mesh_destroy(merged);
        return status;
    }
    if (status < 0) {
        tl_mesh_destroy(first);
        return status;
    }
    tl_mesh_destroy(merged);
    *mesh = first;
    return TL_OK;
}

tl_status tl_geometry_hull(size_t count, const double *points, tl_geometry_rec *out)
{
    tl_mesh *mesh;
    if (count && !points)
        return tl_refuse_null("points");
    *out = (tl_geometry_rec){
        .kind = TL_HULL, .numbers = {.item = sizeof(double)}, .words = {.item = sizeof(uint32_t)}};
    TL_TRY(make_mesh(count, points, &mesh));
    tl_status status = record_mesh(mesh, out);
    tl_mesh_destroy(mesh);
    if (status < 0)
        tl_geometry_free(out);
    return status;
}
