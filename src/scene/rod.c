/* Rods without mass between two bodies: each is a body with a capsule, of a mass that nothing
 * feels, and a record of the two that carry it. Called through talus/scene.h. */
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIGHT 1e-12 /* mass of a rod, of that of its bodies */
#define CLOSE 1e-6  /* how well a length that is kept has to fit */

tl_rod_def tl_rod_default(double radius)
{
    return (tl_rod_def){.radius = radius, .group = 1, .mask = UINT32_MAX};
}

static int compare_ids(const void *key, const void *rod)
{
    const uint32_t a = *(const uint32_t *)key, b = ((const tl_rod_rec *)rod)->id;
    return (a > b) - (a < b);
}

bool tl_rods_have(const tl_array *rods, uint32_t id)
{
    return rods->count && bsearch(&id, rods->data, rods->count, rods->item, compare_ids) != NULL;
}

/* An end: a body of the scene, no rod, and not thinner than the rod where it is a sphere. */
static tl_status check_end(const tl_scene *scene, const char *field, tl_body body, double radius)
{
    const size_t count = scene->list.bodies.count;
    const tl_error about = {
        .subject = "rod", .index = TL_NO_INDEX, .field = field, .bodies = {body}};
    const tl_place place = tl_place_of("rod");
    if (body.index < 1 || body.index > count || body.generation != 1)
        return tl_fail_about(TL_BAD_HANDLE, &about,
                             ": index %u, generation %u is no body of this scene (it has %zu)",
                             body.index, body.generation, count);
    if (tl_rods_have(&scene->rods, body.index))
        return tl_fail_about(TL_BAD_ARGUMENT, &about,
                             ": body %u is a rod; it must be a body with a mass", body.index);
    const tl_body_rec *record = (const tl_body_rec *)scene->list.bodies.data + body.index - 1;
    const tl_shape_rec *shapes = scene->list.shapes.data;
    double widest = 0;
    for (uint32_t k = 0; k < record->shape_count; k++) {
        const tl_shape_rec *shape = &shapes[record->first_shape + k];
        widest = fmax(widest, shape->kind == TL_SPHERE ? shape->radius : INFINITY);
    }
    if (radius > widest * (1 + CLOSE))
        return tl_refuse(&place, "radius", 1, &radius,
                         "it must not exceed that of the spheres at its ends, which are what "
                         "touches there");
    return TL_OK;
}

/* How far its bodies are apart, and along which unit vector. */
static tl_status span(const tl_rod_def *def, const tl_body_rec *a, const tl_body_rec *b,
                      double n[3], double *length)
{
    const tl_place place = tl_place_of("rod");
    for (int k = 0; k < 3; k++)
        n[k] = b->position[k] - a->position[k];
    *length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(*length > 0 && isfinite(*length)))
        return tl_refuse(&place, "b: its distance from a", 1, length, "it must be above 0");
    for (int k = 0; k < 3; k++)
        n[k] /= *length;
    if (def->length == 0 || fabs(def->length - *length) <= CLOSE * *length)
        return TL_OK;
    char rule[80];
    snprintf(rule, sizeof rule, "it must be how far its bodies are apart, %.9g", *length);
    return tl_refuse(&place, "length", 1, &def->length, rule);
}

/* The rotation that takes z to a unit vector, by the shortest way. */
static void turn_to(const double n[3], double q[4])
{
    const double side = n[2] < 0 ? -1 : 1, w = sqrt((1 + fabs(n[2])) / 2);
    const double x = -side * n[1] / (2 * w), y = side * n[0] / (2 * w);
    const double up[4] = {w, x, y, 0}, down[4] = {-x, w, 0, -y};
    memcpy(q, n[2] < 0 ? down : up, sizeof up);
}

static tl_status check(const tl_scene *scene, const tl_rod_def *def)
{
    const tl_place place = tl_place_of("rod");
    if (!(def->radius > 0 && isfinite(def->radius)))
        return tl_refuse(&place, "radius", 1, &def->radius, "it must be finite and > 0");
    if (!(def->length >= 0 && isfinite(def->length)))
        return tl_refuse(&place, "length", 1, &def->length, "it must be finite and >= 0");
    TL_TRY(check_end(scene, "a", def->a, def->radius));
    TL_TRY(check_end(scene, "b", def->b, def->radius));
    if (def->a.index == def->b.index)
        return tl_fail_about(
            TL_BAD_ARGUMENT,
            &(tl_error){
                .subject = "rod", .index = TL_NO_INDEX, .field = "b", .bodies = {def->a, def->b}},
            ": a and b are both body %u; they must be two bodies", def->a.index);
    return TL_OK;
}

tl_status tl_scene_add_rod(tl_scene *scene, const tl_rod_def *def, tl_body *rod)
{
    double n[3], length;
    tl_body made = {0};
    if (rod)
        *rod = (tl_body){0};
    if (!scene || !def)
        return tl_refuse_null(!scene ? "scene" : "def");
    TL_TRY(check(scene, def));
    const tl_body_rec *bodies = scene->list.bodies.data;
    const tl_body_rec *a = &bodies[def->a.index - 1], *b = &bodies[def->b.index - 1];
    TL_TRY(span(def, a, b, n, &length));
    if (a->kind != TL_DYNAMIC && b->kind != TL_DYNAMIC)
        return tl_fail_about(
            TL_BAD_ARGUMENT,
            &(tl_error){
                .subject = "rod", .index = TL_NO_INDEX, .field = "b", .bodies = {def->a, def->b}},
            ": bodies %u and %u are not dynamic; one of them must be", def->a.index, def->b.index);
    tl_shape_def shape = tl_capsule_default(def->radius, 0.5 * length);
    tl_body_def body = tl_body_default();
    turn_to(n, body.orientation);
    shape.material = def->material;
    shape.group = def->group;
    shape.mask = def->mask;
    body.shapes = &shape;
    body.shape_count = 1;
    body.mass = LIGHT * (a->mass + b->mass);
    for (int k = 0; k < 3; k++) {
        body.position[k] = 0.5 * (a->position[k] + b->position[k]);
        body.velocity[k] = 0.5 * (a->velocity[k] + b->velocity[k]);
        body.inertia[k] = 0.4 * body.mass * def->radius * def->radius;
    }
    TL_TRY(tl_array_reserve(&scene->rods, scene->rods.count + 1));
    TL_TRY(tl_scene_add_bodies(scene, 1, &body, &made));
    const tl_rod_rec rec = {made.index, {def->a.index, def->b.index}, 0, def->length};
    if (rod)
        *rod = made;
    return tl_array_append(&scene->rods, &rec, 1); /* there is room: this cannot fail */
}

size_t tl_scene_rod_count(const tl_scene *scene)
{
    return scene ? scene->rods.count : 0;
}
