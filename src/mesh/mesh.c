/* Meshes: made of arrays, with equal vertices merged and degenerate triangles dropped. */
#include "mesh/mesh.h"

#include <string.h>

static const double most_length = 1e12; /* m, as for the shapes of bodies */

tl_mesh_def tl_mesh_default(void)
{
    return (tl_mesh_def){.scale = 1};
}

void tl_mesh_destroy(tl_mesh *mesh)
{
    if (!mesh)
        return;
    tl_array_free(&mesh->vertices);
    tl_array_free(&mesh->triangles);
    tl_free(mesh, sizeof *mesh);
}

/* ---- Rules ---- */

static tl_status check_counts(const tl_mesh_def *def)
{
    if (!def->triangle_count)
        return tl_fail(TL_BAD_ARGUMENT, "triangle_count is 0; it must be > 0");
    if (def->vertex_count > TL_MOST_TRIANGLES)
        return tl_fail(TL_TOO_LARGE, "vertex_count is %zu; it must be at most %zu",
                       def->vertex_count, TL_MOST_TRIANGLES);
    if (def->triangle_count > TL_MOST_TRIANGLES)
        return tl_fail(TL_TOO_LARGE, "triangle_count is %zu; it must be at most %zu",
                       def->triangle_count, TL_MOST_TRIANGLES);
    if (def->vertex_count && !def->vertices)
        return tl_fail(TL_BAD_ARGUMENT, "vertices is NULL; it must not be");
    if (!def->triangles)
        return tl_fail(TL_BAD_ARGUMENT, "triangles is NULL; it must not be");
    if (!(def->scale > 0 && isfinite(def->scale)))
        return tl_fail(TL_BAD_ARGUMENT, "scale is %g; it must be finite and > 0", def->scale);
    if (!(def->merge >= 0 && isfinite(def->merge)))
        return tl_fail(TL_BAD_ARGUMENT, "merge is %g; it must be finite and >= 0", def->merge);
    return TL_OK;
}

static tl_status check_def(const tl_mesh_def *def)
{
    TL_TRY(check_counts(def));
    for (size_t i = 0; i < 3 * def->vertex_count; i++)
        if (!(fabs(def->vertices[i] * def->scale) < most_length))
            return tl_fail(TL_BAD_ARGUMENT,
                           "vertices[%zu][%zu] is %g; it must be a number below %g m", i / 3, i % 3,
                           def->vertices[i], most_length);
    for (size_t i = 0; i < 3 * def->triangle_count; i++)
        if (def->triangles[i] >= def->vertex_count)
            return tl_fail(TL_BAD_ARGUMENT,
                           "triangles[%zu][%zu] is %u; it must be below the %zu vertices", i / 3,
                           i % 3, def->triangles[i], def->vertex_count);
    return TL_OK;
}

/* ---- Merging ---- */

/* Vertices by the cell that they lie in: a table of heads, and the next vertex in the same place.
 * Without a distance a cell is one point. */
typedef struct merger {
    double cell; /* m, edge of a cell; 0: points */
    uint32_t *heads;
    uint32_t *next;
    size_t places; /* of heads, a power of two */
    size_t count;
} merger;

static const uint32_t nobody = UINT32_MAX;

static tl_status start_merger(merger *m, const tl_mesh_def *def, double extent)
{
    *m = (merger){.places = 64, .count = def->vertex_count};
    /* Cells must be told apart by doubles; below that, points are. */
    m->cell = def->merge > extent * 1e-15 ? def->merge : 0;
    while (m->places < 2 * def->vertex_count)
        m->places *= 2;
    m->heads = tl_alloc(m->places * sizeof *m->heads);
    m->next = tl_alloc(m->count * sizeof *m->next);
    if (!m->heads || (!m->next && m->count))
        return TL_NO_MEMORY;
    memset(m->heads, 0xff, m->places * sizeof *m->heads);
    return TL_OK;
}

static void end_merger(merger *m)
{
    tl_free(m->heads, m->places * sizeof *m->heads);
    tl_free(m->next, m->count * sizeof *m->next);
}

static size_t place_of(const merger *m, const double cell[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        const double plain = cell[k] + 0.0; /* -0 is 0 */
        memcpy(&bits, &plain, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return (size_t)(h & (m->places - 1));
}

static uint32_t find_near(const merger *m, const double *vertices, const double cell[3],
                          const double p[3])
{
    uint32_t best = nobody;
    for (uint32_t i = m->heads[place_of(m, cell)]; i != nobody; i = m->next[i]) {
        const double *q = vertices + 3 * (size_t)i;
        const bool same = p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
        if (i < best && (same || (m->cell > 0 && tl_distance(p, q) <= m->cell)))
            best = i;
    }
    return best;
}

/* The vertex, of those kept so far, that a point becomes one with; `nobody` where there is none,
 * and `home` receives the point's place. */
static uint32_t find_twin(const merger *m, const double *vertices, const double p[3], size_t *home)
{
    double cell[3];
    for (int k = 0; k < 3; k++)
        cell[k] = m->cell > 0 ? floor(p[k] / m->cell) : p[k];
    *home = place_of(m, cell);
    if (m->cell == 0)
        return find_near(m, vertices, cell, p);
    uint32_t best = nobody;
    for (int n = 0; n < 27; n++) {
        const double near[3] = {cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1};
        const uint32_t found = find_near(m, vertices, near, p);
        best = found < best ? found : best;
    }
    return best;
}

/* Fills mesh->vertices with the scaled vertices that stay and `map` with what each became. */
static tl_status merge_vertices(const tl_mesh_def *def, tl_mesh *mesh, uint32_t *map)
{
    merger m;
    double extent = 0;
    for (size_t i = 0; i < 3 * def->vertex_count; i++)
        extent = fmax(extent, fabs(def->vertices[i] * def->scale));
    tl_status status = start_merger(&m, def, extent);
    if (status == TL_OK)
        status = tl_array_reserve(&mesh->vertices, 3 * def->vertex_count);
    for (size_t i = 0; status == TL_OK && i < def->vertex_count; i++) {
        double *vertices = mesh->vertices.data;
        double p[3];
        size_t home;
        for (int k = 0; k < 3; k++)
            p[k] = def->vertices[3 * i + (size_t)k] * def->scale;
        map[i] = find_twin(&m, vertices, p, &home);
        if (map[i] != nobody) {
            mesh->merged++;
            continue;
        }
        map[i] = (uint32_t)(mesh->vertices.count / 3);
        memcpy(vertices + mesh->vertices.count, p, sizeof p);
        mesh->vertices.count += 3;
        m.next[map[i]] = m.heads[home];
        m.heads[home] = map[i];
    }
    end_merger(&m);
    return status;
}

/* ---- Triangles ---- */

static tl_status keep_triangles(const tl_mesh_def *def, tl_mesh *mesh, const uint32_t *map)
{
    TL_TRY(tl_array_reserve(&mesh->triangles, 3 * def->triangle_count));
    uint32_t *out = mesh->triangles.data;
    for (size_t i = 0; i < def->triangle_count; i++) {
        const uint32_t *t = def->triangles + 3 * i;
        const uint32_t a = map[t[0]], b = map[t[1]], c = map[t[2]];
        if (a == b || b == c || c == a) {
            mesh->dropped++;
            continue;
        }
        out[mesh->triangles.count++] = a;
        out[mesh->triangles.count++] = b;
        out[mesh->triangles.count++] = c;
    }
    if (mesh->triangles.count)
        return TL_OK;
    return tl_fail(
        TL_BAD_ARGUMENT,
        "triangles: all %zu have a vertex twice; one at least must have three vertices%s",
        def->triangle_count, def->merge > 0 ? " that are not merged" : "");
}

/* Leaves out the vertices that no triangle has; `map` is scratch for as many as there are. */
static void drop_unused(tl_mesh *mesh, uint32_t *map)
{
    const size_t count = mesh->vertices.count / 3;
    uint32_t *triangles = mesh->triangles.data, kept = 0;
    double *vertices = mesh->vertices.data;
    memset(map, 0, count * sizeof *map);
    for (size_t i = 0; i < mesh->triangles.count; i++)
        map[triangles[i]] = 1;
    for (size_t i = 0; i < count; i++)
        if (map[i]) {
            memmove(vertices + 3 * (size_t)kept, vertices + 3 * i, 3 * sizeof *vertices);
            map[i] = kept++;
        }
    for (size_t i = 0; i < mesh->triangles.count; i++)
        triangles[i] = map[triangles[i]];
    mesh->vertices.count = 3 * (size_t)kept;
}

static void measure(tl_mesh *mesh)
{
    const double *vertices = mesh->vertices.data;
    for (int k = 0; k < 3; k++)
        mesh->low[k] = mesh->high[k] = vertices[k];
    for (size_t i = 0; i < mesh->vertices.count; i++) {
        mesh->low[i % 3] = fmin(mesh->low[i % 3], vertices[i]);
        mesh->high[i % 3] = fmax(mesh->high[i % 3], vertices[i]);
    }
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        double normal[3];
        tl_mesh_corners(mesh, i, corners);
        tl_normal(corners, normal);
        mesh->area += 0.5 * tl_length(normal);
    }
}

static tl_status fill(const tl_mesh_def *def, tl_mesh *mesh)
{
    uint32_t *map = tl_alloc(def->vertex_count * sizeof *map);
    if (!map)
        return TL_NO_MEMORY;
    tl_status status = merge_vertices(def, mesh, map);
    if (status == TL_OK)
        status = keep_triangles(def, mesh, map);
    if (status == TL_OK)
        drop_unused(mesh, map);
    tl_free(map, def->vertex_count * sizeof *map);
    TL_TRY(status);
    measure(mesh);
    return tl_mesh_find_flaws(mesh);
}

tl_status tl_mesh_create(const tl_mesh_def *def, tl_mesh **mesh)
{
    if (!mesh)
        return tl_fail(TL_BAD_ARGUMENT, "mesh is NULL; it must not be");
    *mesh = NULL;
    if (!def)
        return tl_fail(TL_BAD_ARGUMENT, "def is NULL; it must not be");
    TL_TRY(check_def(def));
    tl_mesh *made = tl_alloc_zero(sizeof *made);
    if (!made)
        return TL_NO_MEMORY;
    made->vertices.item = sizeof(double);
    made->triangles.item = sizeof(uint32_t);
    const tl_status status = fill(def, made);
    if (status < 0) {
        tl_mesh_destroy(made);
        return status;
    }
    *mesh = made;
    return TL_OK;
}

tl_mesh_info tl_mesh_describe(const tl_mesh *mesh)
{
    if (!mesh)
        return (tl_mesh_info){0};
    tl_mesh_info info = {.vertex_count = mesh->vertices.count / 3,
                         .vertices = mesh->vertices.data,
                         .triangle_count = tl_mesh_triangle_count(mesh),
                         .triangles = mesh->triangles.data,
                         .merged = mesh->merged,
                         .dropped = mesh->dropped,
                         .components = mesh->components,
                         .open_edges = mesh->flaws[TL_FLAW_OPEN].count,
                         .crowded_edges = mesh->flaws[TL_FLAW_CROWDED].count,
                         .turned_edges = mesh->flaws[TL_FLAW_TURNED].count,
                         .area = mesh->area};
    memcpy(info.low, mesh->low, sizeof info.low);
    memcpy(info.high, mesh->high, sizeof info.high);
    return info;
}
