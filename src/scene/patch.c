/* Moving patches, as a scene describes them: checked against its bodies and joints. Worlds carry
 * them out (world/patch.c). Called through talus/schedule.h. */
#include "base/sets.h"
#include "base/turn.h"
#include "base/vector.h"
#include "scene/check.h"

#include <string.h>

tl_patch_def tl_patch_default(void)
{
    return (tl_patch_def){.direction = {1, 0, 0}, .up = {0, 0, 1}, .interval = 0.02};
}

/* --- by itself ------------------------------------------------------------------------------- */

static tl_status check_direction(const tl_place *place, const char *field, const double v[3])
{
    const double length = tl_length(v);
    TL_TRY(tl_check_finite(place, field, 3, v));
    if (!(length > 0 && isfinite(length)))
        return tl_refuse(place, field, 3, v, "it must not be 0, nor too long to be a number");
    return TL_OK;
}

static void normalize(double v[3])
{
    const double length = tl_length(v);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

tl_status tl_patch_check(const tl_patch_def *def)
{
    const double scale = tl_length(def->direction) * tl_length(def->up);
    const tl_place place = tl_place_of("patch");
    if (!(def->length > 0 && isfinite(def->length)))
        return tl_refuse(&place, "length", 1, &def->length, "it must be finite and > 0");
    TL_TRY(check_direction(&place, "direction", def->direction));
    TL_TRY(check_direction(&place, "up", def->up));
    if (!(fabs(tl_dot(def->direction, def->up)) <= 1e-6 * scale))
        return tl_refuse(&place, "up", 3, def->up, "it must be across the direction");
    return tl_check_interval(&place, def->interval);
}

/* --- with the bodies of the scene ------------------------------------------------------------ */

static tl_error about(const char *field, tl_body body)
{
    return (tl_error){.subject = "patch", .index = TL_NO_INDEX, .field = field, .bodies = {body}};
}

static bool is_body(const tl_scene *scene, tl_body body)
{
    return body.index >= 1 && body.index <= scene->list.bodies.count && body.generation == 1;
}

static tl_status refuse_body(const tl_scene *scene, const char *field, tl_body body)
{
    const tl_error where = about(field, body);
    return tl_fail_about(TL_BAD_HANDLE, &where,
                         ": index %u, generation %u is no body of this scene (it has %zu)",
                         body.index, body.generation, scene->list.bodies.count);
}

static bool is_grain(const tl_patch_def *def, tl_body body)
{
    return body.index - def->grains.first.index < def->grains.count;
}

static tl_status check_bodies(const tl_scene *scene, const tl_patch_def *def)
{
    const tl_body_range grains = def->grains;
    const tl_body_rec *bodies = scene->list.bodies.data;
    const tl_place place = tl_place_of("patch");
    const double none = 0;
    if (!is_body(scene, def->follow))
        return refuse_body(scene, "follow", def->follow);
    if (!grains.count)
        return tl_refuse(&place, "grains.count", 1, &none, "it must be >= 1");
    if (!is_body(scene, grains.first))
        return refuse_body(scene, "grains", grains.first);
    const size_t left = scene->list.bodies.count + 1 - grains.first.index;
    if (grains.count > left)
        return refuse_body(scene, "grains", (tl_body){grains.first.index + (uint32_t)left, 1});
    if (is_grain(def, def->follow)) {
        const tl_error where = about("follow", def->follow);
        return tl_fail_about(TL_BAD_ARGUMENT, &where,
                             ": body %u is one of the grains; it must be another body",
                             def->follow.index);
    }
    for (uint32_t i = 0; i < grains.count; i++)
        if (bodies[grains.first.index - 1 + i].kind != TL_DYNAMIC) {
            const tl_body body = {grains.first.index + i, 1};
            const tl_error where = about("grains", body);
            return tl_fail_about(TL_BAD_ARGUMENT, &where,
                                 ": body %u is not dynamic; only such bodies can be put elsewhere",
                                 body.index);
        }
    return TL_OK;
}

/* Unites bodies that joints connect, but for fixed ones; grains must have none. */
static tl_status unite(const tl_scene *scene, const tl_patch_def *def, uint32_t *parent)
{
    const tl_joint_rec *joints = scene->joints.data;
    const tl_body_rec *bodies = scene->list.bodies.data;
    for (uint32_t i = 0; i < scene->list.bodies.count; i++)
        parent[i] = i;
    for (size_t i = 0; i < scene->joints.count; i++) {
        const tl_body a = joints[i].def.a, b = joints[i].def.b;
        if (is_grain(def, a) || is_grain(def, b)) {
            const tl_body grain = is_grain(def, a) ? a : b;
            const tl_error where = about("grains", grain);
            return tl_fail_about(TL_BAD_ARGUMENT, &where,
                                 ": body %u has a joint, which would tear; grains must have none",
                                 grain.index);
        }
        if (a.index && b.index && bodies[a.index - 1].kind != TL_FIXED &&
            bodies[b.index - 1].kind != TL_FIXED)
            tl_unite(parent, a.index - 1, b.index - 1);
    }
    return TL_OK;
}

/* How far a body reaches from a point along a direction, to either side. */
static double reach_of(const tl_scene *scene, const tl_body_rec *body, const double from[3],
                       const double direction[3])
{
    const tl_shape_rec *shapes = scene->list.shapes.data;
    double reach = 0;
    for (uint32_t s = 0; s < body->shape_count; s++) {
        double frame[TL_FRAME], ball[4], turned[3], half = 0;
        const tl_shape_rec *shape = &shapes[body->first_shape + s];
        if (shape->kind == TL_PLANE || shape->sensor)
            continue;
        tl_shape_frame(shape, &scene->geometries, frame, ball);
        for (int k = 0; k < 3; k++) {
            tl_turn_apply(body->orientation, frame + 3 + 3 * k, turned);
            half += frame[15 + k] * fabs(tl_dot(turned, direction));
        }
        tl_turn_apply(body->orientation, ball, turned);
        for (int k = 0; k < 3; k++)
            turned[k] += body->position[k] - from[k];
        reach = fmax(reach, fabs(tl_dot(turned, direction)) + half);
    }
    return reach;
}

static tl_status check_length(const tl_scene *scene, const tl_patch_def *def, uint32_t *parent)
{
    const tl_body_rec *bodies = scene->list.bodies.data;
    const uint32_t follow = def->follow.index - 1;
    double reach = 0;
    for (uint32_t i = 0; i < scene->list.bodies.count; i++)
        if (tl_root(parent, i) == tl_root(parent, follow))
            reach =
                fmax(reach, reach_of(scene, &bodies[i], bodies[follow].position, def->direction));
    if (def->length > reach)
        return TL_OK;
    const tl_error where = about("length", def->follow);
    return tl_fail_about(TL_BAD_ARGUMENT, &where,
                         " is %g; the machine reaches %g m from body %u along the direction, and "
                         "the patch must reach farther",
                         def->length, reach, def->follow.index);
}

tl_status tl_scene_add_patch(tl_scene *scene, const tl_patch_def *def)
{
    tl_patch_rec patch;
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    memset(&patch, 0, sizeof patch);
    patch.def = *def;
    patch.at = -INFINITY;
    TL_TRY(tl_patch_check(def));
    normalize(patch.def.direction);
    normalize(patch.def.up);
    TL_TRY(check_bodies(scene, &patch.def));
    tl_array parent = {.item = sizeof(uint32_t)};
    tl_status status = tl_array_resize(&parent, scene->list.bodies.count);
    if (status == TL_OK)
        status = unite(scene, &patch.def, parent.data);
    if (status == TL_OK)
        status = check_length(scene, &patch.def, parent.data);
    if (status == TL_OK)
        status = tl_array_append(&scene->schedule.patches, &patch, 1);
    tl_array_free(&parent);
    return status;
}
