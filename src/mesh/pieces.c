/* Meshes as convex pieces: splits them (convex.c) and measures how near the pieces come
 * (deviation.c). */
#include <stdlib.h>
#include <string.h>

#include "mesh/convex.h"
#include "mesh/deviation.h"

struct tl_pieces {
    tl_array hulls;  /* tl_mesh * */
    tl_array pieces; /* tl_piece */
    tl_pieces_info info;
};

enum { MOST = 4096, LEAST_VERTICES = 4, MOST_VERTICES = 255 };

tl_split_def tl_split_default(void)
{
    return (tl_split_def){.most = 256, .vertices = 64};
}

void tl_pieces_destroy(tl_pieces *pieces)
{
    if (!pieces)
        return;
    for (size_t i = 0; i < pieces->hulls.count; i++)
        tl_mesh_destroy(((tl_mesh **)pieces->hulls.data)[i]);
    tl_array_free(&pieces->hulls);
    tl_array_free(&pieces->pieces);
    tl_free(pieces, sizeof *pieces);
}

tl_pieces_info tl_pieces_describe(const tl_pieces *pieces)
{
    return pieces ? pieces->info : (tl_pieces_info){0};
}

static tl_status check_def(const tl_split_def *def)
{
    if (!(def->tolerance >= 0 && isfinite(def->tolerance)))
        return tl_fail(TL_BAD_ARGUMENT, "tolerance is %g; it must be finite and >= 0",
                       def->tolerance);
    if (def->most < 1 || def->most > MOST)
        return tl_fail(TL_BAD_ARGUMENT, "most is %zu; it must be from 1 to %d", def->most, MOST);
    if (def->vertices < LEAST_VERTICES || def->vertices > MOST_VERTICES)
        return tl_fail(TL_BAD_ARGUMENT, "vertices is %zu; it must be from %d to %d", def->vertices,
                       LEAST_VERTICES, MOST_VERTICES);
    return TL_OK;
}

/* ---- How near ---- */

static tl_status measure(const tl_convex *convex, const tl_mesh_solid *solid, tl_pieces *out)
{
    tl_pieces_info *info = &out->info;
    const tl_union hulls = {.hull_count = out->hulls.count, .hulls = out->hulls.data};
    const double protrusion = info->fit.protrusion; /* it is measured otherwise */
    TL_TRY(tl_deviation_measure(&convex->tree, solid, &hulls, info->tolerance, &info->fit));
    info->fit.protrusion = protrusion;
    return TL_OK;
}

/* How far pieces stick out, which was known to be within the tolerance alone. */
static tl_status measure_excess(const tl_convex *convex)
{
    tl_convex exact = *convex;
    tl_piece_rec *found = convex->pieces.data;
    exact.tolerance = 0;
    for (size_t i = 0; i < convex->pieces.count; i++)
        if (found[i].excess > 0)
            TL_TRY(tl_convex_excess(&exact, found[i].hull, &found[i].excess));
    return TL_OK;
}

/* ---- All of it ---- */

/* Largest first; of equal ones the one that was made first. */
static int compare_pieces(const void *a, const void *b)
{
    const tl_piece_rec *p = a, *q = b;
    const double v = p->chain.volume, w = q->chain.volume;
    if (v != w)
        return v > w ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        if (p->hull->low[k] != q->hull->low[k])
            return p->hull->low[k] < q->hull->low[k] ? -1 : 1;
        if (p->hull->high[k] != q->hull->high[k])
            return p->hull->high[k] < q->hull->high[k] ? -1 : 1;
    }
    return 0;
}

/* Takes the hulls out of the pieces that were found. */
static tl_status take_hulls(tl_convex *convex, tl_pieces *out)
{
    const size_t count = convex->pieces.count;
    tl_piece_rec *found = convex->pieces.data;
    TL_TRY(tl_array_reserve(&out->hulls, count));
    TL_TRY(tl_array_reserve(&out->pieces, count));
    qsort(found, count, sizeof *found, compare_pieces);
    for (size_t i = 0; i < count; i++) {
        const tl_mesh_info info = tl_mesh_describe(found[i].hull);
        const tl_piece piece = {.vertex_count = info.vertex_count,
                                .vertices = info.vertices,
                                .triangle_count = info.triangle_count,
                                .triangles = info.triangles,
                                .volume = tl_convex_volume(found[i].hull),
                                .part = found[i].chain.volume};
        TL_TRY(tl_array_append(&out->hulls, &found[i].hull, 1));
        found[i].hull = NULL;
        TL_TRY(tl_array_append(&out->pieces, &piece, 1));
        out->info.fit.protrusion = tl_max(out->info.fit.protrusion, found[i].excess);
    }
    out->info.count = count;
    out->info.pieces = out->pieces.data;
    return TL_OK;
}

static tl_status split(tl_convex *convex, const tl_mesh_solid *solid, tl_pieces *out)
{
    TL_TRY(tl_tree_make(&convex->tree, convex->mesh));
    TL_TRY(tl_convex_split(convex));
    if (!convex->pieces.count)
        return tl_fail(TL_BAD_DATA,
                       "the mesh is too thin for a convex piece: its size is %g m and "
                       "its volume %g m^3",
                       convex->size, solid->volume);
    TL_TRY(measure_excess(convex));
    TL_TRY(take_hulls(convex, out));
    return measure(convex, solid, out);
}

tl_status tl_mesh_split(const tl_mesh *mesh, const tl_split_def *def, tl_pieces **pieces)
{
    tl_mesh_solid solid;
    if (!pieces)
        return tl_fail(TL_BAD_ARGUMENT, "pieces is NULL; it must not be");
    *pieces = NULL;
    if (!def)
        return tl_fail(TL_BAD_ARGUMENT, "def is NULL; it must not be");
    TL_TRY(check_def(def));
    TL_TRY(tl_mesh_measure(mesh, 1, &solid));
    const double size = tl_mesh_size(mesh);
    const double tolerance = def->tolerance > 0 ? tl_min(def->tolerance, size) : 0.005 * size;
    tl_convex convex = {.mesh = mesh,
                        .size = size,
                        .least = 1e-9 * solid.volume,
                        .tolerance = 0.97 * tolerance, /* the rest is for samples */
                        .finest = tl_max(tolerance / 4, size / 800),
                        .most = def->most,
                        .vertices = def->vertices,
                        .pieces = {.item = sizeof(tl_piece_rec)}};
    tl_pieces *made = tl_alloc_zero(sizeof *made);
    if (!made)
        return TL_NO_MEMORY;
    made->hulls.item = sizeof(tl_mesh *);
    made->pieces.item = sizeof(tl_piece);
    made->info.tolerance = tolerance;
    const tl_status status = split(&convex, &solid, made);
    tl_convex_free_pieces(&convex.pieces);
    tl_tree_free(&convex.tree);
    if (status < 0) {
        tl_pieces_destroy(made);
        return status;
    }
    *pieces = made;
    return TL_OK;
}
