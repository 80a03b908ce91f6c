/* OBJ: vertices and polygons, which are cut into triangles. Colours, textures, normals, groups and
 * materials do not change the surface and are passed over; so are points and lines, which have
 * none. Curved surfaces are refused. */
#include "io/mesh.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CORNERS = 1024 }; /* of a polygon: cutting it takes time with their square */

/* A polygon while it is read and cut. */
typedef struct polygon {
    uint32_t corners[MOST_CORNERS];
    double flat[MOST_CORNERS][2]; /* seen along its normal */
    size_t count;
} polygon;

/* ---- Cutting ---- */

/* Newell's normal: right for polygons that are not quite flat, too. */
static void find_normal(const polygon *p, const double *vertices, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double *a = vertices + 3 * (size_t)p->corners[i];
        const double *b = vertices + 3 * (size_t)p->corners[(i + 1) % p->count];
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (a[u] - b[u]) * (a[v] + b[v]);
        }
    }
}

/* Drops the coordinate along which the polygon is seen best; counterclockwise stays so. */
static void flatten(polygon *p, const double *vertices)
{
    double normal[3];
    find_normal(p, vertices, normal);
    int k = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    k = fabs(normal[2]) > fabs(normal[k]) ? 2 : k;
    const int u = normal[k] < 0 ? (k + 2) % 3 : (k + 1) % 3;
    const int v = normal[k] < 0 ? (k + 1) % 3 : (k + 2) % 3;
    for (size_t i = 0; i < p->count; i++) {
        p->flat[i][0] = vertices[3 * (size_t)p->corners[i] + (size_t)u];
        p->flat[i][1] = vertices[3 * (size_t)p->corners[i] + (size_t)v];
    }
}

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Whether the corner `i` can be cut off: it is convex and no other corner lies in its triangle. */
static bool is_ear(const polygon *p, size_t i)
{
    const size_t n = p->count, before = (i + n - 1) % n, after = (i + 1) % n;
    const double *a = p->flat[before], *b = p->flat[i], *c = p->flat[after];
    if (!(turn(a, b, c) > 0))
        return false;
    for (size_t k = 0; k < n; k++) {
        const double *q = p->flat[k];
        if (k == before || k == i || k == after || p->corners[k] == p->corners[before] ||
            p->corners[k] == p->corners[i] || p->corners[k] == p->corners[after])
            continue;
        if (turn(a, b, q) >= 0 && turn(b, c, q) >= 0 && turn(c, a, q) >= 0)
            return false;
    }
    return true;
}

static void cut_corner(polygon *p, size_t i)
{
    p->count--;
    memmove(p->corners + i, p->corners + i + 1, (p->count - i) * sizeof *p->corners);
    memmove(p->flat + i, p->flat + i + 1, (p->count - i) * sizeof *p->flat);
}

/* Cuts off ears. Where rounding or a polygon that crosses itself leaves none, one corner after the
 * other goes: the triangles then still close the surface. */
static tl_status cut_polygon(tl_mesh_source *source, polygon *p)
{
    if (p->count > 3)
        flatten(p, source->vertices.data);
    bool ears = true;
    for (size_t i = 0; p->count > 3;) {
        const size_t n = p->count;
        size_t tried = 0;
        while (ears && tried < n && !is_ear(p, (i + tried) % n))
            tried++;
        ears = ears && tried < n;
        i = (i + (ears ? tried : 0)) % n;
        TL_TRY(tl_mesh_add_triangle(source, p->corners[(i + n - 1) % n], p->corners[i],
                                    p->corners[(i + 1) % n]));
        cut_corner(p, i);
        i %= p->count;
    }
    return tl_mesh_add_triangle(source, p->corners[0], p->corners[1], p->corners[2]);
}

/* ---- Reading ---- */

/* A corner, "7", "7/1", "7//3" or "-1": vertices count from 1, or back from the last. */
static tl_status read_corner(tl_mesh_source *source, tl_text word, uint32_t *corner)
{
    char shown[TL_MESH_SHOWN], *end = NULL;
    const long long count = (long long)(source->vertices.count / 3);
    const long long number = strtoll(word.data, &end, 10);
    const size_t used = (size_t)(end - word.data);
    if (!used || (used < word.length && *end != '/'))
        return tl_mesh_refuse(source, "a corner is %s, expected the number of a vertex",
                              tl_mesh_show(word, shown));
    const long long index = number < 0 ? count + number : number - 1;
    if (number == 0 || index < 0 || index >= count)
        return tl_mesh_refuse(
            source,
            "a corner is %s, expected the number of a vertex: there are %lld up to "
            "here, counted from 1, or from -1 backwards",
            tl_mesh_show(word, shown), count);
    *corner = (uint32_t)index;
    return TL_OK;
}

static tl_status read_face(tl_mesh_source *source, polygon *p)
{
    tl_text word;
    p->count = 0;
    while ((word = tl_mesh_word(source)).length && word.data[0] != '#') {
        if (word.length == 1 && word.data[0] == '\\') { /* the line goes on */
            tl_mesh_skip_line(source);
            continue;
        }
        if (p->count == MOST_CORNERS)
            return tl_mesh_refuse(source,
                                  "a face has more than %d corners, expected at most that "
                                  "many",
                                  MOST_CORNERS);
        TL_TRY(read_corner(source, word, &p->corners[p->count]));
        p->count++;
    }
    if (p->count < 3)
        return tl_mesh_refuse(source, "a face has %zu corners, expected 3 or more", p->count);
    return cut_polygon(source, p);
}

/* Keywords of what has no surface, or does not change it. */
static bool is_passed_over(tl_text word)
{
    static const char *const known[] = {"vt",       "vn",       "vp",         "g",        "o",
                                        "s",        "mg",       "usemtl",     "mtllib",   "usemap",
                                        "maplib",   "l",        "p",          "lod",      "bevel",
                                        "c_interp", "d_interp", "shadow_obj", "trace_obj"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tl_text_is(word, known[i]))
            return true;
    return word.data[0] == '#';
}

static tl_status read_line(tl_mesh_source *source, polygon *p)
{
    char shown[TL_MESH_SHOWN];
    double vertex[3];
    const tl_text word = tl_mesh_word(source);
    if (!word.length || is_passed_over(word))
        return TL_OK;
    if (tl_text_is(word, "v")) {
        TL_TRY(tl_mesh_numbers(source, "a coordinate", 3, vertex));
        return tl_mesh_add_vertex(source, vertex);
    }
    if (tl_text_is(word, "f") || tl_text_is(word, "fo"))
        return read_face(source, p);
    return tl_mesh_refuse(
        source,
        "unknown keyword %s, expected 'v', 'f' or what does not change the surface; "
        "curves and curved surfaces are not read",
        tl_mesh_show(word, shown));
}

tl_status tl_mesh_read_obj(tl_mesh_source *source)
{
    polygon *p = tl_alloc(sizeof *p);
    tl_status status = p ? TL_OK : TL_NO_MEMORY;
    while (status == TL_OK && source->at < source->length) {
        status = read_line(source, p);
        if (status == TL_OK)
            tl_mesh_skip_line(source);
    }
    tl_free(p, sizeof *p);
    return status;
}
