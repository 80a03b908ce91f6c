/* A frame of a result as a world in which nothing moves, for queries (talus/query.h). Bodies keep
 * their handles: those that are not in the frame are added without shapes, and taken away. */
#include "io/checkpoint.h"
#include "io/result.h"

#include <math.h>
#include <string.h>

/* What the world is made of. */
typedef struct plan {
    tl_array infos;  /* tl_body_info */
    tl_array shapes; /* tl_shape_info */
    tl_array plain;  /* tl_shape_def: the same, without materials, which are the scene's own */
    tl_array defs;   /* tl_body_def, one per handle */
    tl_array gone;   /* tl_body */
} plan;

static void free_plan(plan *p)
{
    tl_array *arrays[] = {&p->infos, &p->shapes, &p->plain, &p->defs, &p->gone};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
}

static tl_status add_mesh(tl_scene *scene, const tl_geometry_info *g, tl_geometry *out)
{
    tl_mesh_def def = tl_mesh_default();
    tl_mesh *mesh = NULL;
    def.vertex_count = g->vertex_count;
    def.vertices = g->vertices;
    def.triangle_count = g->triangle_count;
    def.triangles = g->triangles;
    tl_status status = tl_mesh_create(&def, &mesh);
    if (status >= 0)
        status = tl_scene_add_mesh(scene, mesh, out);
    tl_mesh_destroy(mesh);
    return status;
}

/* The grid of a height field from its vertices, which lie row by row. */
static tl_status add_heights(tl_scene *scene, const tl_geometry_info *g, tl_geometry *out)
{
    const double *v = g->vertices;
    size_t columns = 1;
    tl_array heights = {.item = sizeof(double)};
    while (columns < g->vertex_count && v[3 * columns + 1] == v[1])
        columns++;
    if (columns < 2 || columns == g->vertex_count || g->vertex_count % columns)
        return tl_fail(TL_BAD_DATA, "a height field of the result has no rows");
    tl_status status = tl_array_resize(&heights, g->vertex_count);
    for (size_t i = 0; status == TL_OK && i < g->vertex_count; i++)
        ((double *)heights.data)[i] = v[3 * i + 2];
    if (status == TL_OK) {
        const tl_heights_def def = {(uint32_t)columns,
                                    (uint32_t)(g->vertex_count / columns),
                                    {v[3] - v[0], v[3 * columns + 1] - v[1]},
                                    heights.data};
        status = tl_scene_add_heights(scene, &def, out);
    }
    tl_array_free(&heights);
    return status;
}

static tl_status add_geometries(const tl_result *result, tl_scene *scene)
{
    for (uint32_t i = 1; i <= tl_result_geometry_count(result); i++) {
        tl_geometry_info g;
        tl_geometry made;
        TL_TRY(tl_result_geometry(result, (tl_geometry){i}, &g));
        TL_TRY(g.kind == TL_HULL   ? tl_scene_add_hull(scene, g.vertex_count, g.vertices, &made)
               : g.kind == TL_MESH ? add_mesh(scene, &g, &made)
                                   : add_heights(scene, &g, &made));
    }
    return TL_OK;
}

/* Bodies by handle: no shapes yet. */
static tl_status start_defs(plan *p)
{
    const tl_body_info *infos = p->infos.data;
    const size_t handles = p->infos.count ? infos[p->infos.count - 1].body.index : 0;
    TL_TRY(tl_array_resize(&p->defs, handles));
    for (size_t i = 0; i < handles; i++) {
        tl_body_def *def = (tl_body_def *)p->defs.data + i;
        *def = tl_body_default();
        def->kind = TL_FIXED;
    }
    return TL_OK;
}

/* Puts the bodies that are there where they are; `there` is one byte per handle. */
static tl_status place_bodies(plan *p, const tl_frame_view *state, uint8_t *there)
{
    tl_body_def *defs = p->defs.data;
    for (size_t i = 0; i < p->infos.count; i++) {
        const tl_body_info *info = (const tl_body_info *)p->infos.data + i;
        tl_body_def *def = &defs[info->body.index - 1];
        memcpy(def->position, info->position, sizeof def->position);
        memcpy(def->orientation, info->orientation, sizeof def->orientation);
        there[info->body.index - 1] =
            info->kind == TL_FIXED && info->added <= state->time && info->removed > state->time;
    }
    if (state->count && !state->orientations)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_world: the result was recorded without orientations");
    for (size_t i = 0; i < state->count; i++) {
        if (state->bodies[i] < 1 || state->bodies[i] > p->defs.count)
            continue;
        tl_body_def *def = &defs[state->bodies[i] - 1];
        memcpy(def->position, state->positions + 3 * i, sizeof def->position);
        for (size_t k = 0; k < 4; k++)
            def->orientation[k] = (double)state->orientations[4 * i + k];
        there[state->bodies[i] - 1] = 1;
    }
    return TL_OK;
}

/* Gives shapes to those that are there, and lists the others. */
static tl_status give_shapes(plan *p, const uint8_t *there)
{
    const tl_shape_info *shapes = p->shapes.data;
    TL_TRY(tl_array_resize(&p->plain, p->shapes.count));
    tl_shape_def *plain = p->plain.data;
    for (size_t i = 0; i < p->shapes.count; i++) {
        plain[i] = shapes[i].def;
        plain[i].material = (tl_material){0};
        if (shapes[i].body.index < 1 || shapes[i].body.index > p->defs.count ||
            !there[shapes[i].body.index - 1])
            continue;
        tl_body_def *def = (tl_body_def *)p->defs.data + shapes[i].body.index - 1;
        if (!def->shape_count++)
            def->shapes = &plain[i];
    }
    for (size_t i = 0; i < p->defs.count; i++)
        if (!there[i])
            TL_TRY(tl_array_append(&p->gone, &(tl_body){(uint32_t)i + 1, 1}, 1));
    return TL_OK;
}

static tl_status make_plan(tl_result *result, uint64_t frame, plan *p)
{
    const tl_result_info info = tl_result_describe(result);
    tl_result_frame at;
    TL_TRY(tl_array_resize(&p->infos, (size_t)info.bodies));
    TL_TRY(tl_array_resize(&p->shapes, (size_t)info.shapes));
    if (info.bodies)
        TL_TRY(tl_result_read_bodies(result, info.bodies, p->infos.data));
    if (info.shapes)
        TL_TRY(tl_result_read_shapes(result, info.shapes, p->shapes.data));
    TL_TRY(start_defs(p));
    TL_TRY(tl_result_read_frame(result, frame, &at));
    uint8_t *there = tl_alloc_zero(p->defs.count + 1);
    if (!there)
        return TL_NO_MEMORY;
    tl_status status = place_bodies(p, &at.state, there);
    if (status == TL_OK)
        status = give_shapes(p, there);
    tl_free(there, p->defs.count + 1);
    return status;
}

static tl_status make_world(const tl_result *result, const plan *p, tl_scene *scene,
                            tl_world **world)
{
    TL_TRY(add_geometries(result, scene));
    if (p->defs.count)
        TL_TRY(tl_scene_add_bodies(scene, p->defs.count, p->defs.data, NULL));
    TL_TRY(tl_world_create(scene, world));
    return p->gone.count ? tl_world_remove_bodies(*world, p->gone.count, p->gone.data) : TL_OK;
}

tl_status tl_result_world(tl_result *result, uint64_t index, tl_world **world)
{
    if (!world || !result)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_world: %s is NULL", world ? "result" : "world");
    *world = NULL;
    plan p = {.infos = {.item = sizeof(tl_body_info)},
              .shapes = {.item = sizeof(tl_shape_info)},
              .plain = {.item = sizeof(tl_shape_def)},
              .defs = {.item = sizeof(tl_body_def)},
              .gone = {.item = sizeof(tl_body)}};
    tl_scene *scene = NULL;
    tl_status status = make_plan(result, index, &p);
    if (status == TL_OK)
        status = tl_scene_create(&scene);
    if (status == TL_OK)
        status = make_world(result, &p, scene, world);
    if (status < 0) {
        tl_world_destroy(*world);
        *world = NULL;
    }
    tl_scene_destroy(scene);
    free_plan(&p);
    return status < 0 ? status : TL_OK;
}

tl_status tl_result_load(tl_result *result, tl_backend_kind backend, uint32_t threads,
                         tl_world **world)
{
    if (!result || !world)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, result ? "world" : "result");
    tl_checkpoint c = {0};
    *world = NULL;
    tl_status status = tl_checkpoint_read(result->path, result->id, &c);
    if (status == TL_OK)
        status = tl_checkpoint_world(&c, backend, threads, world);
    tl_checkpoint_free(&c);
    return status;
}
