/* The edges of a mesh: which of them the surface of a solid would not have, and which parts hang
 * together. Called once, when a mesh is made. */
#include "base/edges.h"
#include "base/sets.h"
#include "mesh/mesh.h"

#include <stdio.h>

static void note_flaw(tl_flaws *flaws, const tl_half_edge *edge)
{
    if (flaws->count < TL_FLAWS_KEPT) {
        flaws->first[flaws->count][0] = edge->low;
        flaws->first[flaws->count][1] = edge->high;
    }
    flaws->count++;
}

/* Looks at each run of sorted half edges with the same vertices. */
static void sort_out(tl_mesh *mesh, tl_half_edge *edges, size_t count)
{
    tl_half_edges_sort(edges, count);
    for (size_t i = 0, n; i < count; i += n) {
        size_t forward = 0;
        for (n = 0; i + n < count && tl_half_edge_same(&edges[i + n], &edges[i]); n++)
            forward += edges[i + n].forward;
        if (n == 1)
            note_flaw(&mesh->flaws[TL_FLAW_OPEN], &edges[i]);
        else if (n > 2)
            note_flaw(&mesh->flaws[TL_FLAW_CROWDED], &edges[i]);
        else if (forward != 1)
            note_flaw(&mesh->flaws[TL_FLAW_TURNED], &edges[i]);
    }
}

static tl_status count_components(tl_mesh *mesh)
{
    const size_t count = mesh->vertices.count / 3;
    const uint32_t *triangles = mesh->triangles.data;
    uint32_t *parents = tl_alloc(count * sizeof *parents);
    if (!parents)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        parents[i] = (uint32_t)i;
    for (size_t i = 0; i < mesh->triangles.count; i++) {
        tl_unite(parents, triangles[i - i % 3], triangles[i]);
    }
    for (size_t i = 0; i < count; i++)
        mesh->components += parents[i] == i;
    tl_free(parents, count * sizeof *parents);
    return TL_OK;
}

tl_status tl_mesh_find_flaws(tl_mesh *mesh)
{
    const uint32_t *triangles = mesh->triangles.data;
    const size_t count = mesh->triangles.count;
    tl_half_edge *edges = tl_alloc(count * sizeof *edges);
    if (!edges)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        edges[i] = tl_half_edge_of(triangles[i], triangles[i - i % 3 + (i + 1) % 3], (uint32_t)i);
    sort_out(mesh, edges, count);
    tl_free(edges, count * sizeof *edges);
    return count_components(mesh);
}

/* ---- What is wrong with a mesh ---- */

static size_t put_edge(const tl_mesh *mesh, const uint32_t edge[2], char *text, size_t room)
{
    const double *a = tl_mesh_vertex(mesh, edge[0]), *b = tl_mesh_vertex(mesh, edge[1]);
    const int n = snprintf(text, room, " (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g)", a[0], a[1],
                           a[2], b[0], b[1], b[2]);
    return n < 0 || (size_t)n >= room ? room - 1 : (size_t)n;
}

tl_status tl_mesh_check_closed(const tl_mesh *mesh)
{
    static const char *const rules[TL_FLAW_COUNT] = {
        "belong to one triangle alone: the surface has holes",
        "belong to more than two triangles",
        "have two triangles of which one is inside out",
    };
    for (int kind = 0; kind < TL_FLAW_COUNT; kind++) {
        const tl_flaws *flaws = &mesh->flaws[kind];
        char text[480];
        size_t used = 0;
        if (!flaws->count)
            continue;
        for (size_t i = 0; i < flaws->count && i < TL_FLAWS_KEPT; i++) {
            if (i && used + 2 < sizeof text)
                text[used++] = ',';
            used += put_edge(mesh, flaws->first[i], text + used, sizeof text - used);
        }
        return tl_fail(TL_BAD_DATA,
                       "the mesh is no solid: %zu of its edges %s; each edge of a solid has two "
                       "triangles, which run along it in opposite directions. %s%s (m)",
                       flaws->count, rules[kind], flaws->count == 1 ? "It is" : "Some are", text);
    }
    return TL_OK;
}
