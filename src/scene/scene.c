/* Scenes: the description as users build it. Materials and their pair table are kept here; body.c
 * checks bodies, motion.c forces, settings.c settings, schedule.c what happens later, monitor.c
 * what is measured, fill.c makes many bodies at once. Called through talus/scene.h. */
#include "scene/check.h"

#include <math.h>
#include <string.h>

enum { MOST_MATERIALS = 255 }; /* besides the default one, so that an index fits a byte */

tl_material_def tl_material_default(void)
{
    return (tl_material_def){.friction = 0.5, .restitution = 0};
}

tl_status tl_scene_create(tl_scene **scene)
{
    if (!scene)
        return tl_refuse_null("scene");
    *scene = NULL;
    tl_scene *made = tl_alloc_zero(sizeof *made);
    if (!made)
        return TL_NO_MEMORY;
    tl_material_def material = tl_material_default();
    tl_pair_rec pair = {material.friction, material.restitution};
    made->settings = tl_settings_default();
    made->materials.item = sizeof(tl_material_def);
    made->pairs.item = sizeof(tl_pair_rec);
    made->forces.item = sizeof(tl_force_rec);
    made->geometries.item = sizeof(tl_geometry_rec);
    tl_body_list_init(&made->list);
    made->list.geometries = &made->geometries;
    tl_schedule_init(&made->schedule);
    tl_monitor_list_init(&made->monitors);
    tl_status status = tl_array_append(&made->materials, &material, 1);
    if (status == TL_OK)
        status = tl_array_append(&made->pairs, &pair, 1);
    if (status < 0) {
        tl_scene_destroy(made);
        return status;
    }
    *scene = made;
    return TL_OK;
}

void tl_scene_destroy(tl_scene *scene)
{
    if (!scene)
        return;
    tl_force_rec *forces = scene->forces.data;
    for (size_t i = 0; i < scene->forces.count; i++)
        tl_force_rec_free(&forces[i]);
    tl_array_free(&scene->forces);
    tl_schedule_free(&scene->schedule);
    tl_monitor_list_free(&scene->monitors);
    tl_array_free(&scene->materials);
    tl_array_free(&scene->pairs);
    tl_body_list_free(&scene->list);
    tl_geometries_free(&scene->geometries);
    tl_free(scene, sizeof *scene);
}

tl_status tl_scene_set_settings(tl_scene *scene, const tl_settings *settings)
{
    if (!scene)
        return tl_refuse_null("scene");
    TL_TRY(tl_settings_check(settings));
    scene->settings = *settings;
    return TL_OK;
}

tl_settings tl_scene_settings(const tl_scene *scene)
{
    if (scene)
        return scene->settings;
    tl_refuse_null("scene");
    return (tl_settings){0};
}

/* The default rule of a pair. Equal frictions are passed on as they are, because the product of two
 * roots rounds; roots are taken first, because the product of two frictions may overflow. */
static tl_pair_rec mix(const tl_material_def *a, const tl_material_def *b)
{
    double friction =
        a->friction == b->friction ? a->friction : sqrt(a->friction) * sqrt(b->friction);
    return (tl_pair_rec){friction, fmax(a->restitution, b->restitution)};
}

/* Makes a pair table with one more row and column than the scene's; old pairs are copied, whether
 * mixed or set by the user. */
static tl_status extend_pairs(const tl_scene *scene, const tl_material_def *added, tl_array *out)
{
    size_t old = scene->materials.count, size = old + 1;
    const tl_material_def *materials = scene->materials.data;
    const tl_pair_rec *from = scene->pairs.data;
    TL_TRY(tl_array_resize(out, size * size));
    tl_pair_rec *to = out->data;
    for (size_t i = 0; i < old; i++) {
        memcpy(&to[i * size], &from[i * old], old * sizeof *to);
        to[i * size + old] = to[old * size + i] = mix(&materials[i], added);
    }
    to[old * size + old] = mix(added, added);
    return TL_OK;
}

static tl_status add_material(tl_scene *scene, const tl_material_def *def)
{
    tl_place place = tl_place_of("material");
    tl_array pairs = {.item = sizeof(tl_pair_rec)};
    TL_TRY(tl_check_surface(&place, def->friction, def->restitution));
    if (scene->materials.count > MOST_MATERIALS)
        return tl_fail(TL_TOO_LARGE, "the scene has %zu materials; there can be at most %d",
                       scene->materials.count - 1, MOST_MATERIALS);
    TL_TRY(tl_array_reserve(&scene->materials, scene->materials.count + 1));
    TL_TRY(extend_pairs(scene, def, &pairs));
    tl_array_free(&scene->pairs);
    scene->pairs = pairs;
    return tl_array_append(&scene->materials, def, 1); /* there is room: this cannot fail */
}

tl_status tl_scene_add_material(tl_scene *scene, const tl_material_def *def, tl_material *material)
{
    if (!material)
        return tl_refuse_null("material");
    *material = (tl_material){0};
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(add_material(scene, def));
    material->index = (uint32_t)scene->materials.count - 1;
    return TL_OK;
}

tl_status tl_pair_check(const tl_pair_rec *pair)
{
    const tl_place place = tl_place_of("");
    return tl_check_surface(&place, pair->friction, pair->restitution);
}

tl_status tl_pair_set(tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      double friction, double restitution)
{
    tl_place place = tl_place_of("");
    TL_TRY(tl_check_material(&place, "material a", materials, a));
    TL_TRY(tl_check_material(&place, "material b", materials, b));
    TL_TRY(tl_check_surface(&place, friction, restitution));
    tl_pair_rec *table = pairs->data;
    table[a.index * materials + b.index] = (tl_pair_rec){friction, restitution};
    table[b.index * materials + a.index] = (tl_pair_rec){friction, restitution};
    return TL_OK;
}

tl_status tl_pair_get(const tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      double *friction, double *restitution)
{
    const tl_place place = tl_place_of("");
    TL_TRY(tl_check_material(&place, "material a", materials, a));
    TL_TRY(tl_check_material(&place, "material b", materials, b));
    const tl_pair_rec *pair = (const tl_pair_rec *)pairs->data + a.index * materials + b.index;
    if (friction)
        *friction = pair->friction;
    if (restitution)
        *restitution = pair->restitution;
    return TL_OK;
}

tl_status tl_scene_pair(const tl_scene *scene, tl_material a, tl_material b, double *friction,
                        double *restitution)
{
    if (!scene)
        return tl_refuse_null("scene");
    return tl_pair_get(&scene->pairs, scene->materials.count, a, b, friction, restitution);
}

tl_status tl_scene_set_pair(tl_scene *scene, tl_material a, tl_material b, double friction,
                            double restitution)
{
    if (!scene)
        return tl_refuse_null("scene");
    return tl_pair_set(&scene->pairs, scene->materials.count, a, b, friction, restitution);
}

tl_status tl_scene_reserve(tl_scene *scene, size_t count)
{
    if (!scene)
        return tl_refuse_null("scene");
    return tl_body_list_reserve(&scene->list, count);
}

tl_status tl_scene_add_bodies(tl_scene *scene, size_t count, const tl_body_def *defs,
                              tl_body *bodies)
{
    /* A longer count is a size gone wrong, and writing that many zeros would only crash. */
    if (bodies && count <= TL_MOST_ITEMS)
        memset(bodies, 0, count * sizeof *bodies);
    if (!scene)
        return tl_refuse_null("scene");
    size_t before = scene->list.bodies.count;
    if (count)
        TL_TRY(tl_body_list_reserve(&scene->list, count));
    for (size_t i = 0; defs && i < count; i++)
        if (defs[i].kind == TL_DYNAMIC)
            TL_TRY(tl_scene_split_shapes(scene, "bodies", i, defs[i].shape_count, defs[i].shapes));
    TL_TRY(tl_body_list_add(&scene->list, count, defs, (uint32_t)scene->materials.count - 1));
    for (size_t i = 0; bodies && i < count; i++)
        bodies[i] = (tl_body){(uint32_t)(before + i + 1), 1};
    return TL_OK;
}

/* Refuses a handle that names no dynamic body of the scene. */
static tl_status check_force_body(const tl_scene *scene, tl_body body)
{
    const tl_error about = {
        .subject = "force", .index = TL_NO_INDEX, .field = "body", .bodies = {body}};
    size_t count = scene->list.bodies.count;
    if (body.index < 1 || body.index > count || body.generation != 1)
        return tl_fail_about(TL_BAD_HANDLE, &about,
                             ": index %u, generation %u is no body of this scene (it has %zu)",
                             body.index, body.generation, count);
    const tl_body_rec *record = (tl_body_rec *)scene->list.bodies.data + body.index - 1;
    if (record->kind != TL_DYNAMIC)
        return tl_fail_about(TL_BAD_ARGUMENT, &about, ": index %u is %s; it must be dynamic",
                             body.index, tl_word(TL_WORDS_BODY, record->kind));
    return TL_OK;
}

tl_status tl_scene_add_force(tl_scene *scene, const tl_force_def *def)
{
    tl_force_rec force;
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(check_force_body(scene, def->body));
    TL_TRY(tl_array_reserve(&scene->forces, scene->forces.count + 1));
    TL_TRY(tl_force_rec_make(def, &force));
    return tl_array_append(&scene->forces, &force, 1); /* there is room: this cannot fail */
}

size_t tl_scene_body_count(const tl_scene *scene)
{
    if (scene)
        return scene->list.bodies.count;
    tl_refuse_null("scene");
    return 0;
}
