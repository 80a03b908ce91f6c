/* Geometries of a world as vertices and triangles, for recording and showing. Kernels have layouts
 * of their own (scene/geometry.h); an outline is made of one when it is first asked for. */
#include "kernels/narrow/tree.h" /* first: it says what a real is */

#include "world/world.h"

/* Empty until it is asked for. */
typedef struct outline {
    tl_array vertices;  /* double, three per item */
    tl_array triangles; /* uint32_t, three per item */
} outline;

static void free_outline(outline *o)
{
    tl_array_free(&o->vertices);
    tl_array_free(&o->triangles);
}

void tl_world_free_outlines(tl_world *w)
{
    for (size_t i = 0; i < w->outlines.count; i++)
        free_outline((outline *)w->outlines.data + i);
    tl_array_free(&w->outlines);
}

/* Room for one outline per geometry. */
static tl_status prepare(tl_world *w)
{
    w->outlines.item = sizeof(outline);
    TL_TRY(tl_array_reserve(&w->outlines, w->geometries.count));
    const outline none = {.vertices.item = 3 * sizeof(double),
                          .triangles.item = 3 * sizeof(uint32_t)};
    while (w->outlines.count < w->geometries.count)
        TL_TRY(tl_array_append(&w->outlines, &none, 1)); /* there is room: this cannot fail */
    return TL_OK;
}

/* The faces of a hull, each as a fan of triangles. */
static tl_status outline_hull(const tl_geometry_rec *g, outline *o)
{
    const uint32_t *w = g->words.data, vertices = w[0], faces = w[1];
    const uint32_t *start = w + 3, *loop = start + faces + 1;
    TL_TRY(tl_array_append(&o->vertices, g->numbers.data, vertices));
    for (uint32_t f = 0; f < faces; f++)
        for (uint32_t i = start[f] + 1; i + 1 < start[f + 1]; i++)
            TL_TRY(tl_array_append(&o->triangles,
                                   (const uint32_t[3]){loop[start[f]], loop[i], loop[i + 1]}, 1));
    return TL_OK;
}

static tl_status outline_surface(const tl_geometry_rec *g, outline *o)
{
    const tlk_surface s = {.kind = g->kind,
                           .numbers = g->numbers.data,
                           .words = g->words.data,
                           .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const uint32_t triangles = tlk_surface_triangles(&s);
    uint32_t vertices = 0;
    TL_TRY(tl_array_resize(&o->triangles, triangles));
    for (uint32_t t = 0; t < triangles; t++) {
        uint32_t *corner = (uint32_t *)o->triangles.data + 3 * (size_t)t;
        tlk_surface_vertices(&s, t, corner);
        for (int k = 0; k < 3; k++)
            vertices = corner[k] >= vertices ? corner[k] + 1 : vertices;
    }
    TL_TRY(tl_array_resize(&o->vertices, vertices));
    for (uint32_t v = 0; v < vertices; v++)
        tlk_surface_point(&s, v, (double *)o->vertices.data + 3 * (size_t)v);
    return TL_OK;
}

size_t tl_world_geometry_count(const tl_world *world)
{
    return world ? world->geometries.count : 0;
}

tl_status tl_world_geometry(const tl_world *world, tl_geometry geometry, tl_geometry_info *info)
{
    REFUSE_NULL(info);
    *info = (tl_geometry_info){0};
    REFUSE_NULL(world);
    if (!geometry.index || geometry.index > world->geometries.count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: geometry is %u; there are %zu, from 1", __func__,
                       geometry.index, world->geometries.count);
    /* What is kept for the next call is no part of the world's state. */
    TL_TRY(prepare((tl_world *)world));
    const tl_geometry_rec *g = (const tl_geometry_rec *)world->geometries.data + geometry.index - 1;
    outline *o = (outline *)world->outlines.data + geometry.index - 1;
    if (!o->triangles.count) {
        const tl_status status = g->kind == TL_HULL ? outline_hull(g, o) : outline_surface(g, o);
        if (status < 0) {
            free_outline(o);
            return status;
        }
    }
    *info = (tl_geometry_info){.kind = (tl_shape_kind)g->kind,
                               .vertex_count = o->vertices.count,
                               .vertices = o->vertices.data,
                               .triangle_count = o->triangles.count,
                               .triangles = o->triangles.data};
    return TL_OK;
}

tl_status tl_world_pieces(const tl_world *world, tl_geometry geometry, tl_pieces_info *info,
                          tl_geometry *first)
{
    REFUSE_NULL(info);
    *info = (tl_pieces_info){0};
    REFUSE_NULL(first);
    *first = (tl_geometry){0};
    REFUSE_NULL(world);
    if (!geometry.index || geometry.index > world->geometries.count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: geometry is %u; there are %zu, from 1", __func__,
                       geometry.index, world->geometries.count);
    const tl_geometry_rec *g = (const tl_geometry_rec *)world->geometries.data + geometry.index - 1;
    *info = g->split;
    info->count = g->piece_count;
    first->index = g->first_piece;
    return TL_OK;
}
