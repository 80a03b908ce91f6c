/* Meshes as spheres: finds a cover (cover.c), coarser ones where there may be only so many spheres,
 * and measures how near it comes (deviation.c). */
#include <stdlib.h>

#include "mesh/cover.h"
#include "mesh/deviation.h"

struct tl_decomposition {
    tl_array balls;
    tl_decomposition_info info;
};

tl_decompose_def tl_decompose_default(void)
{
    return (tl_decompose_def){0};
}

void tl_decomposition_destroy(tl_decomposition *decomposition)
{
    if (!decomposition)
        return;
    tl_array_free(&decomposition->balls);
    tl_free(decomposition, sizeof *decomposition);
}

tl_decomposition_info tl_decomposition_describe(const tl_decomposition *decomposition)
{
    return decomposition ? decomposition->info : (tl_decomposition_info){0};
}

/* ---- How fine ---- */

static int compare_balls(const void *a, const void *b)
{
    const tl_ball *p = a, *q = b;
    if (p->radius != q->radius)
        return p->radius > q->radius ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->centre[k] != q->centre[k])
            return p->centre[k] < q->centre[k] ? -1 : 1;
    return 0;
}

/* The finest cover of at most `most` balls between a tolerance that takes more and one that takes
 * one. Halving the ratio seven times leaves a few percent. */
static tl_status coarsen(const tl_tree *tree, size_t most, tl_decomposition *out)
{
    double fine = out->info.tolerance, coarse = tl_mesh_size(tree->mesh);
    tl_array balls = {.item = sizeof(tl_ball)};
    tl_status status = tl_cover_make(tree, coarse, most, &out->balls);
    out->info.tolerance = coarse;
    for (int round = 0; status == TL_OK && round < 10 && coarse > 1.02 * fine; round++) {
        const double middle = sqrt(fine * coarse);
        balls.count = 0;
        status = tl_cover_make(tree, middle, most, &balls);
        if (status == TL_OK && balls.count <= most) {
            const tl_array swapped = out->balls;
            out->balls = balls;
            balls = swapped;
            out->info.tolerance = coarse = middle;
        } else {
            fine = middle;
        }
    }
    tl_array_free(&balls);
    return status;
}

static tl_status find_balls(const tl_tree *tree, size_t most, tl_decomposition *out)
{
    TL_TRY(tl_cover_make(tree, out->info.tolerance, most, &out->balls));
    if (out->balls.count > most) {
        out->balls.count = 0;
        TL_TRY(coarsen(tree, most, out));
    }
    qsort(out->balls.data, out->balls.count, sizeof(tl_ball), compare_balls);
    out->info.count = out->balls.count;
    out->info.balls = out->balls.data;
    return TL_OK;
}

/* ---- How near ---- */

static tl_status measure(const tl_tree *tree, const tl_mesh_solid *solid, tl_decomposition *out)
{
    tl_decomposition_info *info = &out->info;
    const tl_union balls = {.ball_count = info->count, .balls = info->balls};
    return tl_deviation_measure(tree, solid, &balls, info->tolerance, &info->fit);
}

/* ---- All of it ---- */

static tl_status choose_tolerance(const tl_mesh *mesh, const tl_decompose_def *def,
                                  double *tolerance)
{
    const double size = tl_mesh_size(mesh), least = tl_cover_least_tolerance(mesh);
    if (!(def->tolerance >= 0 && isfinite(def->tolerance)))
        return tl_fail(TL_BAD_ARGUMENT, "tolerance is %g; it must be finite and >= 0",
                       def->tolerance);
    *tolerance = def->tolerance > 0 ? fmin(def->tolerance, size) : 0.03 * size;
    if (!(*tolerance >= least))
        return tl_fail(TL_TOO_LARGE,
                       "tolerance is %g m; it must be at least %g m for a mesh of this surface, "
                       "which finer samples of would be too many",
                       *tolerance, least);
    return TL_OK;
}

tl_status tl_mesh_decompose(const tl_mesh *mesh, const tl_decompose_def *def,
                            tl_decomposition **decomposition)
{
    tl_mesh_solid solid;
    tl_tree tree = {0};
    double tolerance = 0;
    if (!decomposition)
        return tl_fail(TL_BAD_ARGUMENT, "decomposition is NULL; it must not be");
    *decomposition = NULL;
    if (!def)
        return tl_fail(TL_BAD_ARGUMENT, "def is NULL; it must not be");
    TL_TRY(tl_mesh_measure(mesh, 1, &solid));
    TL_TRY(choose_tolerance(mesh, def, &tolerance));
    tl_decomposition *made = tl_alloc_zero(sizeof *made);
    if (!made)
        return TL_NO_MEMORY;
    made->balls.item = sizeof(tl_ball);
    made->info.tolerance = tolerance;
    tl_status status = tl_tree_make(&tree, mesh);
    if (status == TL_OK)
        status = find_balls(&tree, def->most ? def->most : SIZE_MAX, made);
    if (status == TL_OK)
        status = measure(&tree, &solid, made);
    tl_tree_free(&tree);
    if (status < 0) {
        tl_decomposition_destroy(made);
        return status;
    }
    *decomposition = made;
    return TL_OK;
}
