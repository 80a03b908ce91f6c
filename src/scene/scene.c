/* Scenes: the description as users build it. body.c checks bodies, material.c materials, motion.c
 * forces, settings.c settings, schedule.c what happens later, joint.c joints, rod.c rods, monitor.c
 * what is measured, fill.c makes many bodies at once. Called through talus/scene.h. */
#include "scene/check.h"

#include <math.h>
#include <string.h>

#include "base/turn.h"

tl_status tl_scene_create(tl_scene **scene)
{
    if (!scene)
        return tl_refuse_null("scene");
    *scene = NULL;
    tl_scene *made = tl_alloc_zero(sizeof *made);
    if (!made)
        return TL_NO_MEMORY;
    made->settings = tl_settings_default();
    made->forces.item = sizeof(tl_force_rec);
    made->exclusions.item = sizeof(uint64_t);
    made->joints.item = sizeof(tl_joint_rec);
    made->rods.item = sizeof(tl_rod_rec);
    made->geometries.item = sizeof(tl_geometry_rec);
    tl_body_list_init(&made->list);
    made->list.geometries = &made->geometries;
    tl_schedule_init(&made->schedule);
    tl_monitor_list_init(&made->monitors);
    const tl_status status = tl_materials_init(made);
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
    tl_array_free(&scene->exclusions);
    tl_joints_free(&scene->joints);
    tl_array_free(&scene->rods);
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

tl_status tl_scene_read_pose(const tl_scene *scene, tl_body body, double position[3],
                             double orientation[4])
{
    if (!scene || !position || !orientation)
        return tl_refuse_null(!scene ? "scene" : !position ? "position" : "orientation");
    memset(position, 0, 3 * sizeof *position);
    memset(orientation, 0, 4 * sizeof *orientation);
    const size_t count = scene->list.bodies.count;
    if (body.index < 1 || body.index > count || body.generation != 1)
        return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.field = "body", .bodies = {body}},
                             ": index %u, generation %u is no body of this scene (it has %zu)",
                             body.index, body.generation, count);
    const tl_body_rec *record = (tl_body_rec *)scene->list.bodies.data + body.index - 1;
    tl_turn_apply(record->orientation, record->offset, position);
    for (int k = 0; k < 3; k++)
        position[k] += record->position[k];
    tl_turn_join(record->orientation, record->turn, orientation);
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

size_t tl_scene_geometry_count(const tl_scene *scene)
{
    return scene ? scene->geometries.count : 0;
}

size_t tl_scene_emitter_count(const tl_scene *scene)
{
    if (scene)
        return scene->schedule.emitters.count;
    tl_refuse_null("scene");
    return 0;
}
