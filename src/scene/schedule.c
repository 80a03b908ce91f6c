/* What a scene says about later: emitters, events and boundaries, checked and kept. Worlds copy the
 * schedule and carry it out (world/schedule.c). Called through talus/schedule.h. */
#include "scene/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tl_emitter_def tl_emitter_default(void)
{
    return (tl_emitter_def){.stop = INFINITY,
                            .interval = 0.05,
                            .seed = 1,
                            .density = 1000,
                            .group = 1,
                            .mask = UINT32_MAX};
}

tl_event_def tl_event_default(void)
{
    return (tl_event_def){.kind = TL_EVENT_REMOVE, .motion = tl_motion_default()};
}

tl_boundary_def tl_boundary_default(void)
{
    return (tl_boundary_def){.interval = 0.1};
}

/* --- the whole schedule ---------------------------------------------------------------------- */

void tl_schedule_init(tl_schedule *schedule)
{
    *schedule = (tl_schedule){.emitters = {.item = sizeof(tl_emitter_rec)},
                              .boundaries = {.item = sizeof(tl_boundary_rec)},
                              .patches = {.item = sizeof(tl_patch_rec)},
                              .events = {.item = sizeof(tl_event_rec)}};
}

static void free_event(tl_event_rec *event)
{
    tl_free(event->bodies, event->body_count * sizeof *event->bodies);
    tl_motion_rec_free(&event->motion);
}

/* A copy with lists of its own; of a failed one nothing is left. */
static tl_status copy_event(const tl_event_rec *from, tl_event_rec *to)
{
    const size_t bytes = from->body_count * sizeof *from->bodies;
    *to = *from;
    to->bodies = NULL;
    memset(&to->motion, 0, sizeof to->motion);
    if (from->kind == TL_EVENT_MOTION)
        TL_TRY(tl_motion_rec_of(&from->motion.def, &to->motion));
    if (!bytes)
        return TL_OK;
    to->bodies = tl_alloc(bytes);
    if (!to->bodies) {
        tl_motion_rec_free(&to->motion);
        return TL_NO_MEMORY;
    }
    memcpy(to->bodies, from->bodies, bytes);
    return TL_OK;
}

void tl_schedule_free(tl_schedule *schedule)
{
    tl_event_rec *events = schedule->events.data;
    tl_emitter_rec *emitters = schedule->emitters.data;
    for (size_t i = 0; i < schedule->events.count; i++)
        free_event(&events[i]);
    for (size_t i = 0; i < schedule->emitters.count; i++)
        tl_templates_free(&emitters[i].templates);
    tl_array_free(&schedule->emitters);
    tl_array_free(&schedule->boundaries);
    tl_array_free(&schedule->patches);
    tl_array_free(&schedule->events);
}

/* On failure the copy has less; freeing it is left to the caller. */
tl_status tl_schedule_copy(const tl_schedule *from, tl_schedule *to)
{
    const tl_event_rec *events = from->events.data;
    const tl_emitter_rec *emitters = from->emitters.data;
    TL_TRY(tl_array_reserve(&to->emitters, from->emitters.count));
    for (size_t i = 0; i < from->emitters.count; i++) {
        tl_emitter_rec emitter = emitters[i];
        TL_TRY(tl_templates_clone(&emitters[i].templates, &emitter.templates));
        TL_TRY(tl_array_append(&to->emitters, &emitter, 1)); /* there is room: this cannot fail */
    }
    TL_TRY(tl_array_append(&to->boundaries, from->boundaries.data, from->boundaries.count));
    TL_TRY(tl_array_append(&to->patches, from->patches.data, from->patches.count));
    TL_TRY(tl_array_reserve(&to->events, from->events.count));
    for (size_t i = 0; i < from->events.count; i++) {
        tl_event_rec event;
        TL_TRY(copy_event(&events[i], &event));
        TL_TRY(tl_array_append(&to->events, &event, 1)); /* there is room: this cannot fail */
    }
    to->events_done = from->events_done;
    to->removed = from->removed;
    to->moved = from->moved;
    to->moved_energy = from->moved_energy;
    return TL_OK;
}

/* --- emitters -------------------------------------------------------------------------------- */

tl_status tl_check_interval(const tl_place *place, double interval)
{
    if (interval > 0 && isfinite(interval))
        return TL_OK;
    return tl_refuse(place, "interval", 1, &interval, "it must be finite and > 0");
}

static tl_status check_emitter(const tl_emitter_def *def, size_t materials, const tl_size_def *size)
{
    const tl_place place = tl_place_of("emitter");
    TL_TRY(tl_region_check_spheres(&place, &def->region, size, def->density));
    if (!(def->rate > 0 && isfinite(def->rate)))
        return tl_refuse(&place, "rate", 1, &def->rate, "it must be finite and > 0");
    if (!(def->start >= 0 && isfinite(def->start)))
        return tl_refuse(&place, "start", 1, &def->start, "it must be finite and >= 0");
    if (!(def->stop > def->start))
        return tl_refuse(&place, "stop", 1, &def->stop, "it must be after start (infinity: never)");
    TL_TRY(tl_check_interval(&place, def->interval));
    TL_TRY(tl_check_finite(&place, "velocity", 3, def->velocity));
    return tl_check_material(&place, "material", materials, def->material);
}

tl_status tl_emitter_rec_make(const tl_emitter_def *def, size_t materials,
                              const tl_array *geometries, tl_emitter_rec *out)
{
    memset(out, 0, sizeof *out);
    out->def = *def;
    out->def.template_count = 0;
    out->def.templates = NULL;
    TL_TRY(tl_templates_make(&(tl_template_user){"emitter", "emitter.templates", def->size,
                                                 def->density, def->material, def->template_count,
                                                 def->templates, materials, geometries},
                             &out->templates));
    const tl_status status = check_emitter(def, materials, &out->templates.size);
    if (status != TL_OK)
        tl_templates_free(&out->templates);
    return status;
}

tl_status tl_scene_add_emitter(tl_scene *scene, const tl_emitter_def *def)
{
    tl_emitter_rec emitter;
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    for (size_t i = 0;
         def->templates && i < def->template_count && def->template_count <= TL_MOST_ITEMS; i++)
        TL_TRY(tl_scene_split_shapes(scene, "emitter.templates", i, def->templates[i].shape_count,
                                     def->templates[i].shapes));
    TL_TRY(tl_emitter_rec_make(def, scene->materials.count, &scene->geometries, &emitter));
    const tl_status status = tl_array_append(&scene->schedule.emitters, &emitter, 1);
    if (status != TL_OK)
        tl_templates_free(&emitter.templates);
    return status;
}

/* --- events ---------------------------------------------------------------------------------- */

tl_status tl_event_check(const tl_event_def *def)
{
    const tl_place place = tl_place_of("event");
    TL_TRY(tl_check_enum(&place, "kind", def->kind, TL_WORDS_EVENT));
    if (!(def->time >= 0 && isfinite(def->time)))
        return tl_refuse(&place, "time", 1, &def->time, "it must be finite and >= 0");
    return tl_check_finite(&place, "gravity", 3, def->gravity);
}

static tl_status check_bodies(const tl_scene *scene, const tl_event_def *def)
{
    const tl_place place = tl_place_of("event");
    const size_t count = scene->list.bodies.count;
    const double none = 0;
    if (def->body_count < 1)
        return tl_refuse(&place, "body_count", 1, &none, "it must be >= 1");
    if (def->body_count > TL_MOST_ITEMS)
        return tl_refuse_large(&place, "body_count", def->body_count, "it must be at most");
    if (!def->bodies)
        return tl_refuse_text(&place, "bodies", "NULL", "it must point to body_count bodies");
    for (size_t i = 0; i < def->body_count; i++) {
        const tl_body body = def->bodies[i];
        if (body.index < 1 || body.index > count || body.generation != 1) {
            char path[40];
            snprintf(path, sizeof path, "bodies[%zu]", i);
            return tl_fail_about(
                TL_BAD_HANDLE,
                &(tl_error){
                    .subject = "event", .index = TL_NO_INDEX, .field = path, .bodies = {body}},
                ": index %u, generation %u is no body of this scene (it has %zu)", body.index,
                body.generation, count);
        }
        const tl_body_rec *bodies = scene->list.bodies.data;
        if (def->kind == TL_EVENT_MOTION && bodies[body.index - 1].kind != TL_PRESCRIBED) {
            char path[40];
            snprintf(path, sizeof path, "bodies[%zu]", i);
            return tl_fail_about(
                TL_BAD_ARGUMENT,
                &(tl_error){
                    .subject = "event", .index = TL_NO_INDEX, .field = path, .bodies = {body}},
                ": body %u is not prescribed; only such bodies have a motion", body.index);
        }
    }
    return TL_OK;
}

static tl_status make_event(const tl_event_def *def, tl_event_rec *out)
{
    *out = (tl_event_rec){.kind = def->kind, .time = def->time};
    if (def->kind == TL_EVENT_GRAVITY) {
        memcpy(out->gravity, def->gravity, sizeof out->gravity);
        return TL_OK;
    }
    const tl_place place = tl_place_of("event");
    if (def->kind == TL_EVENT_MOTION)
        TL_TRY(tl_motion_rec_make(&place, &def->motion, &out->motion));
    out->bodies = tl_alloc(def->body_count * sizeof *out->bodies);
    if (!out->bodies) {
        tl_motion_rec_free(&out->motion);
        return TL_NO_MEMORY;
    }
    out->body_count = (uint32_t)def->body_count;
    for (size_t i = 0; i < def->body_count; i++)
        out->bodies[i] = def->bodies[i].index;
    return TL_OK;
}

tl_status tl_scene_add_event(tl_scene *scene, const tl_event_def *def)
{
    tl_event_rec event;
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    tl_array *events = &scene->schedule.events;
    TL_TRY(tl_event_check(def));
    if (def->kind != TL_EVENT_GRAVITY)
        TL_TRY(check_bodies(scene, def));
    TL_TRY(tl_array_reserve(events, events->count + 1));
    TL_TRY(make_event(def, &event));
    tl_event_rec *all = events->data;
    size_t at = events->count++; /* there is room */
    for (; at > 0 && all[at - 1].time > event.time; at--)
        all[at] = all[at - 1];
    all[at] = event;
    return TL_OK;
}

/* --- boundaries ------------------------------------------------------------------------------ */

tl_status tl_boundary_check(const tl_boundary_def *def)
{
    const tl_place place = tl_place_of("boundary");
    TL_TRY(tl_region_check(&place, &def->region));
    return tl_check_interval(&place, def->interval);
}

tl_status tl_scene_add_boundary(tl_scene *scene, const tl_boundary_def *def)
{
    tl_boundary_rec boundary;
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(tl_boundary_check(def));
    memset(&boundary, 0, sizeof boundary);
    boundary.def = *def;
    return tl_array_append(&scene->schedule.boundaries, &boundary, 1);
}
