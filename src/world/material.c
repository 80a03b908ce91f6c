/* The materials of a world: the table of their pairs, how their surfaces move in themselves, and
 * both on the device. Called through talus/world.h. */
#include "scene/check.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which kinds of law some pair has. */
static void look_at_laws(tl_world *w)
{
    const tl_pair_def *pairs = w->pairs.data;
    const double *slides = w->slides.data;
    w->bounces = w->rolls = w->sliding = false;
    w->materials_matter = false;
    for (size_t i = 0; i < w->pairs.count; i++) {
        w->bounces |= pairs[i].restitution > 0;
        w->rolls |= pairs[i].rolling_friction > 0 || pairs[i].spinning_friction > 0;
        w->materials_matter |= pairs[i].cohesion > 0 || pairs[i].compliance > 0;
    }
    for (size_t i = 0; i < 3 * w->slides.count; i++)
        w->sliding |= slides[i] != 0;
    w->materials_matter |= w->rolls || w->sliding;
    w->uneven = false;
    for (size_t i = 0; i < 3 * w->ellipsoids.count; i++)
        w->uneven |= ((const double *)w->ellipsoids.data)[i] != 1;
}

static tl_status upload_slides(tl_world *w)
{
    const size_t bytes = w->slides.count * w->slides.item;
    TL_TRY(tl_buffer_need(w->backend, &w->slide_table, bytes));
    look_at_laws(w);
    w->backend->ops->upload(w->backend, w->slide_table.data, w->slides.data, bytes);
    return TL_OK;
}

static tl_status upload_pairs(tl_world *w)
{
    const tl_pair_def *pairs = w->pairs.data;
    const size_t count = w->pairs.count, bytes = TLK_PAIR * count * w->backend->real;
    TL_TRY(tl_buffer_need(w->backend, &w->pair_table, bytes));
    TL_TRY(tl_array_resize(&w->pair_reals, bytes));
    double *twice = w->pair_reals.data;
    float *once = w->pair_reals.data;
    for (size_t i = 0; i < count; i++) {
        const tl_pair_def *p = &pairs[i];
        const double laws[TLK_PAIR] = {
            p->friction, p->restitution, p->rolling_friction, p->spinning_friction,
            p->cohesion, p->compliance,  p->damping_time,     0};
        for (size_t k = 0; k < TLK_PAIR; k++)
            if (w->backend->precision == TL_DOUBLE)
                twice[TLK_PAIR * i + k] = laws[k];
            else
                once[TLK_PAIR * i + k] = (float)laws[k];
    }
    look_at_laws(w);
    w->backend->ops->upload(w->backend, w->pair_table.data, w->pair_reals.data, bytes);
    return TL_OK;
}

tl_status tl_world_upload_materials(tl_world *w)
{
    TL_TRY(upload_pairs(w));
    return upload_slides(w);
}

tl_status tl_world_take_materials(tl_world *w, const tl_scene *scene)
{
    const tl_material_def *materials = scene->materials.data;
    w->materials = (uint32_t)scene->materials.count;
    TL_TRY(tl_array_append(&w->pairs, scene->pairs.data, scene->pairs.count));
    for (size_t i = 0; i < w->materials; i++) {
        const tl_elastic elastic = tl_material_elastic(&materials[i]);
        double factors[3];
        tl_material_ellipsoid(&materials[i], factors);
        TL_TRY(tl_array_append(&w->slides, materials[i].surface_velocity, 1));
        TL_TRY(tl_array_append(&w->elastics, &elastic, 1));
        TL_TRY(tl_array_append(&w->ellipsoids, factors, 1));
    }
    TL_TRY(tl_world_upload_materials(w));
    return tl_world_check_solver(w, &w->settings);
}

/* Exact steppers know friction alone, and nothing of joints; they are on the CPU. */
static tl_status check_exact(const tl_world *w, const tl_settings *settings)
{
    const tl_place place = tl_place_of("settings");
    const tl_pair_def *pairs = w->pairs.data;
    const char *word = tl_word(TL_WORDS_STEPPER, settings->stepper);
    if (settings->stepper != TL_STEPPER_STEWART_TRINKLE && settings->stepper != TL_STEPPER_PEG)
        return !w->uneven ? TL_OK
                          : tl_refuse_text(&place, "stepper", word,
                                           "it must be stewart-trinkle or peg where materials have "
                                           "a friction_ellipsoid");
    if (settings->backend == TL_BACKEND_CUDA)
        return tl_refuse_text(&place, "stepper", word,
                              "on a GPU it must be dvi, smooth or penalty");
    if (w->mechanism.joints.count)
        return tl_refuse_text(&place, "stepper", word, "with joints it must be dvi or smooth");
    for (size_t i = 0; i < w->pairs.count; i++)
        if (pairs[i].restitution > 0 || pairs[i].rolling_friction > 0 ||
            pairs[i].spinning_friction > 0 || pairs[i].cohesion > 0 || pairs[i].compliance > 0)
            return tl_refuse_text(
                &place, "stepper", word,
                "it must be dvi, smooth or penalty where materials have restitution, "
                "rolling or spinning friction, cohesion or compliance");
    return TL_OK;
}

bool tl_joint_is_spring(const tl_joint_def *def)
{
    const tl_axis_def *axis = &def->axes[0];
    return def->kind == TL_JOINT_DISTANCE && (axis->stiffness > 0 || axis->damping > 0) &&
           !def->rope && axis->lower == -INFINITY && axis->upper == INFINITY &&
           axis->friction == 0 && axis->spring_length == 0 && axis->drive == TL_DRIVE_NONE &&
           def->break_force == INFINITY && def->break_torque == INFINITY;
}

tl_status tl_penalty_check_joint(const tl_joint_def *def, uint32_t index)
{
    const tl_place place = tl_place_of("settings");
    char rule[160];
    if (tl_joint_is_spring(def))
        return TL_OK;
    snprintf(rule, sizeof rule,
             "it must be dvi or smooth, as joint %u is \"%s\"; penalty takes \"distance\" with a "
             "spring and damper alone",
             index, tl_word(TL_WORDS_JOINT, def->kind));
    return tl_refuse_text(&place, "stepper", "penalty", rule);
}

/* Penalty contact has springs for joints, and each law knows some of what materials have. */
static tl_status check_penalty(const tl_world *w, const tl_settings *settings)
{
    const tl_place place = tl_place_of("settings");
    const tl_joint_entry *joints = w->mechanism.joints.data;
    const tl_pair_def *pairs = w->pairs.data;
    const tl_penalty_def *def = &settings->penalty;
    const char *law = tl_word(TL_WORDS_PENALTY, def->law);
    if (settings->stepper != TL_STEPPER_PENALTY)
        return TL_OK;
    if (def->cohesion == TL_COHESION_JKR && def->law != TL_PENALTY_HERTZ)
        return tl_refuse_text(&place, "penalty.cohesion", "jkr",
                              "it must be dmt or sjkr where the law is not hertz");
    for (size_t i = 0; i < w->mechanism.joints.count; i++)
        TL_TRY(tl_penalty_check_joint(&joints[i].rec.def, joints[i].id));
    for (size_t i = 0; i < w->pairs.count; i++) {
        const tl_pair_def *p = &pairs[i];
        if (def->law == TL_PENALTY_SCALED &&
            (p->rolling_friction > 0 || p->spinning_friction > 0 || p->cohesion > 0 ||
             p->cohesion_density > 0 || p->compliance > 0))
            return tl_refuse_text(&place, "penalty.law", law,
                                  "it must be hertz or linear where materials have rolling or "
                                  "spinning friction, cohesion or compliance");
        if (def->cohesion == TL_COHESION_SJKR && p->cohesion > 0 && !(p->cohesion_density > 0))
            return tl_refuse_text(&place, "penalty.cohesion", "sjkr",
                                  "it must be jkr or dmt where materials have cohesion, a force; "
                                  "sjkr takes cohesion_density");
        if (def->cohesion != TL_COHESION_SJKR && p->cohesion_density > 0 && !(p->cohesion > 0))
            return tl_refuse_text(&place, "penalty.cohesion",
                                  tl_word(TL_WORDS_COHESION, def->cohesion),
                                  "it must be sjkr where materials have cohesion_density alone; "
                                  "jkr and dmt take cohesion, a force");
        if (def->cohesion == TL_COHESION_JKR && p->cohesion > 0 && p->compliance > 0)
            return tl_refuse_text(&place, "penalty.cohesion", "jkr",
                                  "it must be dmt or sjkr where materials have compliance");
    }
    return TL_OK;
}

tl_status tl_world_check_solver(const tl_world *w, const tl_settings *settings)
{
    if (w->rods.count && settings->stepper != TL_STEPPER_PENALTY) {
        const tl_place of = tl_place_of("settings");
        return tl_refuse_text(&of, "stepper", tl_word(TL_WORDS_STEPPER, settings->stepper),
                              "it must be penalty where there are rods, which have no mass; "
                              "capsules and joints of kind distance are for all");
    }
    TL_TRY(check_exact(w, settings));
    TL_TRY(check_penalty(w, settings));
    if (settings->stepper == TL_STEPPER_PENALTY)
        return TL_OK;
    const tl_place place = tl_place_of("settings.solver");
    if (!w->rolls || settings->solver.kind == TL_PSOR)
        return TL_OK;
    return tl_refuse_text(&place, "kind", tl_word(TL_WORDS_SOLVER, settings->solver.kind),
                          "it must be psor where materials have rolling or spinning friction");
}

tl_status tl_world_set_pair(tl_world *world, tl_material a, tl_material b, const tl_pair_def *pair)
{
    REFUSE_NULL(world);
    REFUSE_NULL(pair);
    tl_pair_def before = {0};
    TL_TRY(tl_pair_get(&world->pairs, world->materials, a, b, &before));
    TL_TRY(tl_pair_set(&world->pairs, world->materials, a, b, pair));
    look_at_laws(world);
    const tl_status status = tl_world_check_solver(world, &world->settings);
    if (status != TL_OK) { /* as it was */
        tl_pair_def *table = world->pairs.data;
        table[a.index * world->materials + b.index] = before;
        table[b.index * world->materials + a.index] = before;
        look_at_laws(world);
        return status;
    }
    tl_step_penalty_forget(world);
    return upload_pairs(world); /* there is room: this cannot fail */
}

tl_status tl_world_pair(const tl_world *world, tl_material a, tl_material b, tl_pair_def *pair)
{
    REFUSE_NULL(pair);
    *pair = (tl_pair_def){0};
    REFUSE_NULL(world);
    return tl_pair_get(&world->pairs, world->materials, a, b, pair);
}

tl_status tl_world_set_surface_velocity(tl_world *world, tl_material material,
                                        const double velocity[3])
{
    const tl_place place = tl_place_of("");
    REFUSE_NULL(world);
    REFUSE_NULL(velocity);
    TL_TRY(tl_check_material(&place, "material", world->materials, material));
    TL_TRY(tl_slide_check(velocity));
    memcpy((double *)world->slides.data + 3 * (size_t)material.index, velocity, world->slides.item);
    tl_step_penalty_forget(world);
    return upload_slides(world); /* there is room: this cannot fail */
}

tl_status tl_world_surface_velocity(const tl_world *world, tl_material material, double velocity[3])
{
    const tl_place place = tl_place_of("");
    REFUSE_NULL(velocity);
    memset(velocity, 0, 3 * sizeof *velocity);
    REFUSE_NULL(world);
    TL_TRY(tl_check_material(&place, "material", world->materials, material));
    memcpy(velocity, (const double *)world->slides.data + 3 * (size_t)material.index,
           world->slides.item);
    return TL_OK;
}
