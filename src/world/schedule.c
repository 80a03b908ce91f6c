/* Carrying out what a scene planned: events, boundaries, emitters and moving patches, in this
 * order, before the step that starts when they are due. tl_world_step() calls tl_world_act() before
 * every step.
 *
 * Everything is decided by the state alone: the time, the number of steps, positions, seeds and
 * counters. So bits do not depend on threads or backend, and a snapshot that carries the schedule
 * goes on as the original does. All that is due at one step is one edit, and nothing of the world
 * changes before that has succeeded. */
#include "scene/space.h"
#include "scene/template.h"
#include "world/image.h"

#include <math.h>
#include <string.h>

enum { TRIES = 200 }; /* random places for one body of an emitter, in one batch */

/* --- when ------------------------------------------------------------------------------------ */

/* The time for comparisons. Time is a sum of steps, and each addition may round it down by 2^-53 of
 * itself: as much as that can have taken is given back, so that after 400 steps of 0.005 s what is
 * due at 2 s happens. */
static double time_for_sure(const tl_world *w)
{
    const double lost = ((double)w->steps + 4) * w->time * 0x1p-53;
    return w->time + fmin(lost, 0.25 * w->settings.step);
}

/* The number of the first batch after `now`. */
static double batch_after(double start, double interval, double now)
{
    double at = fmax(0, floor((now - start) / interval));
    if (start + (at + 1) * interval <= now) /* where the division was rounded */
        at++;
    else if (at > 0 && start + at * interval > now)
        at--;
    return at + 1;
}

/* Bodies that should have come by a time. What rounding may have taken from a whole number is
 * given back. */
static double due_by(const tl_emitter_def *def, double now)
{
    const double until = fmin(now, def->stop);
    const double spare = def->rate * (until + def->start) * 0x1p-52;
    const double due = fmax(0, floor(def->rate * (until - def->start) + spare));
    return def->count ? fmin(due, (double)def->count) : due;
}

static double emitter_time(const tl_emitter_rec *e)
{
    const bool done = (double)e->emitted >= due_by(&e->def, INFINITY);
    return done ? INFINITY : e->def.start + e->next * e->def.interval;
}

void tl_world_plan(tl_world *w)
{
    const tl_schedule *s = &w->schedule;
    const tl_event_rec *events = s->events.data;
    const tl_boundary_rec *boundaries = s->boundaries.data;
    const tl_emitter_rec *emitters = s->emitters.data;
    double due = s->events_done < s->events.count ? events[s->events_done].time : INFINITY;
    for (size_t i = 0; i < s->boundaries.count; i++)
        due = fmin(due, boundaries[i].next * boundaries[i].def.interval);
    for (size_t i = 0; i < s->emitters.count; i++)
        due = fmin(due, emitter_time(&emitters[i]));
    const tl_patch_rec *patches = s->patches.data;
    for (size_t i = 0; i < s->patches.count; i++)
        due = fmin(due, patches[i].next * patches[i].def.interval);
    w->due = due;
}

/* --- one round of acting --------------------------------------------------------------------- */

/* What the world will be if all goes well. */
typedef struct edit_round {
    tl_world *world;
    double now;
    bool begun;     /* bodies that go are marked */
    size_t removed; /* how many they are */
    tl_image added;
    tl_array emitted; /* tl_emitted: by which emitters, where monitors may ask */
    tl_array origins; /* tl_origin, of bodies that were added */
    double gravity[3];
    uint64_t events_done;
    tl_array emitters, boundaries; /* records with their new counters; they own nothing */
    tl_array patches;              /* likewise */
    tl_array motions;              /* tl_world_motion: bodies and what they will do */
    tl_array movers;               /* tl_mover */
} edit_round;

static tl_status begin(edit_round *r)
{
    if (!r->begun)
        TL_TRY(tl_edit_begin(r->world));
    r->begun = true;
    return TL_OK;
}

static tl_status drop_named(edit_round *r, const tl_event_rec *event)
{
    tl_array rows = {.item = sizeof(uint32_t)};
    TL_TRY(begin(r));
    TL_TRY(tl_array_reserve(&rows, event->body_count));
    for (uint32_t i = 0; i < event->body_count; i++) {
        const uint32_t row = tl_world_row(r->world, (tl_body){event->bodies[i], 1});
        if (row != TLK_NONE)
            ((uint32_t *)rows.data)[rows.count++] = row;
    }
    const tl_status status = tl_edit_drop(r->world, rows.data, rows.count);
    tl_array_free(&rows);
    return status;
}

static tl_status move_named(edit_round *r, const tl_event_rec *event)
{
    for (uint32_t i = 0; i < event->body_count; i++) {
        tl_world_motion m = {.id = event->bodies[i]};
        if (!tl_world_find_motion(r->world, m.id))
            continue;
        TL_TRY(tl_array_reserve(&r->motions, r->motions.count + 1));
        TL_TRY(tl_motion_rec_of(&event->motion.def, &m.rec));
        TL_TRY(tl_array_append(&r->motions, &m, 1)); /* there is room: this cannot fail */
    }
    return TL_OK;
}

static tl_status act_events(edit_round *r)
{
    const tl_schedule *s = &r->world->schedule;
    const tl_event_rec *events = s->events.data;
    for (; r->events_done < s->events.count; r->events_done++) {
        const tl_event_rec *event = &events[r->events_done];
        if (event->time > r->now)
            break;
        if (event->kind == TL_EVENT_GRAVITY) {
            memcpy(r->gravity, event->gravity, sizeof r->gravity);
            continue;
        }
        TL_TRY(event->kind == TL_EVENT_MOTION ? move_named(r, event) : drop_named(r, event));
    }
    return TL_OK;
}

static tl_status act_boundaries(edit_round *r)
{
    tl_boundary_rec *boundaries = r->boundaries.data;
    for (size_t i = 0; i < r->boundaries.count; i++) {
        const tl_boundary_def *def = &boundaries[i].def;
        if (boundaries[i].next * def->interval > r->now)
            continue;
        boundaries[i].next = batch_after(0, def->interval, r->now);
        TL_TRY(begin(r));
        tl_edit_drop_region(r->world, &def->region, def->remove_inside);
    }
    return TL_OK;
}

/* --- emitters -------------------------------------------------------------------------------- */

tl_status tl_image_survey(const tl_image *m, tl_space *space)
{
    const uint32_t *body = m->shape_body.data, *info = m->shape_info.data;
    const double *geom = m->geom.data, *pos = m->pos.data, *quat = m->quat.data;
    const double *frame = m->frame_local.data; /* of each shape, or of all but spheres */
    const bool each = m->frame_local.count == m->shape_body.count;
    for (size_t s = 0; s < m->shape_body.count; s++) {
        const double *x = pos + 4 * (size_t)body[s], *q = quat + 4 * (size_t)body[s];
        const double *g = geom + 4 * s;
        const uint32_t kind = info[s] & TLK_SHAPE_KIND;
        if (kind == TL_SPHERE) {
            const tl_shape_rec ball = {
                .kind = TL_SPHERE, .position = {g[0], g[1], g[2]}, .radius = g[3]};
            TL_TRY(tl_space_add_shape(space, x, q, &ball, 0));
        } else {
            TL_TRY(tl_space_add_frame(space, x, q, kind, frame, g));
        }
        if (each || kind != TL_SPHERE)
            frame += TLK_FRAME;
    }
    return TL_OK;
}

/* A free place for body `number`, or the ball around it; false where none was found. */
static bool find_place(const tl_space *space, const tl_emitter_rec *e, uint64_t number,
                       double radius, double x[3])
{
    uint64_t batch;
    memcpy(&batch, &e->next, sizeof batch); /* as bits: it need not fit an integer */
    tl_random random = tl_random_start(e->def.seed, number, 1 + batch);
    for (int i = 0; i < TRIES; i++) {
        tl_room_sample(&space->room, radius, &random, x);
        if (tl_space_fits(space, x, radius))
            return true;
    }
    return false;
}

/* Body `number`, of the size that its number has; false where it finds no place. `sphere` is what
 * it lies in. */
static tl_status place_body(const tl_emitter_rec *e, const tl_space *space, double sphere[4],
                            tl_array *copies, tl_shape_def *shape, tl_body_def *body, bool *placed)
{
    tl_random random = tl_random_start(e->def.seed, e->emitted, 0);
    const bool copied = e->templates.records.count > 0;
    uint32_t which = 0;
    sphere[3] = copied ? tl_templates_draw(&e->templates, &random, &which)
                       : tl_size_draw(&e->def.size, &random);
    *body = tl_body_default();
    body->density = e->def.density;
    memcpy(body->velocity, e->def.velocity, sizeof body->velocity);
    *placed = find_place(space, e, e->emitted, sphere[3], sphere);
    if (!*placed)
        return TL_OK;
    if (copied) {
        TL_TRY(tl_templates_reserve(&e->templates, 1, &which, copies));
        tl_templates_copy(&e->templates, e->def.seed, e->emitted, which, sphere, copies, body);
        return TL_OK;
    }
    *shape = tl_sphere_default(sphere[3]);
    shape->material = e->def.material;
    shape->group = e->def.group;
    shape->mask = e->def.mask;
    body->shapes = shape;
    body->shape_count = 1;
    memcpy(body->position, sphere, sizeof body->position);
    return TL_OK;
}

/* Bodies come in the order of their numbers, each with the size that its number has: the first
 * one that finds no place waits, and all behind it. So sizes keep their distribution, and a blocked
 * emitter costs little. */
static tl_status place_bodies(tl_emitter_rec *e, tl_space *space, tl_body_list *list,
                              uint32_t materials)
{
    tl_array copies = {.item = sizeof(tl_shape_def)};
    tl_status status = TL_OK;
    for (; e->emitted < e->due && status == TL_OK; e->emitted++) {
        double sphere[4];
        tl_shape_def shape;
        tl_body_def body;
        bool placed;
        status = place_body(e, space, sphere, &copies, &shape, &body, &placed);
        if (status == TL_OK && !placed)
            break;
        if (status == TL_OK)
            status = tl_body_list_add(list, 1, &body, materials - 1);
        if (status == TL_OK)
            status = tl_space_add(space, sphere, sphere[3]);
    }
    tl_array_free(&copies);
    return status;
}

/* What is in the way: of the world, and of emitters before this one. */
static tl_status survey(edit_round *r, tl_space *space)
{
    tl_array balls = {.item = 4 * sizeof(double)};
    tl_image others;
    TL_TRY(begin(r));
    tl_image_init(&others);
    tl_status status = tl_edit_near(r->world, space->room.low, space->room.high, &balls, &others);
    const double *ball = balls.data;
    for (size_t i = 0; i < balls.count && status == TL_OK; i++)
        status = tl_space_add_near(space, ball + 4 * i, ball[4 * i + 3]);
    if (status == TL_OK)
        status = tl_image_survey(&others, space);
    if (status == TL_OK)
        status = tl_image_survey(&r->added, space);
    tl_array_free(&balls);
    tl_image_free(&others);
    return status;
}

static tl_status emit(edit_round *r, tl_emitter_rec *e)
{
    const tl_world *w = r->world;
    const double largest = tl_size_largest(&e->templates.size);
    const tl_room room = tl_room_of(&e->def.region, largest);
    const size_t before = w->row_of.count + r->added.id.count;
    tl_space space;
    tl_body_list list;
    tl_space_init(&space, &room, largest);
    space.geometries = &w->geometries;
    tl_body_list_init(&list);
    list.geometries = &w->geometries;
    tl_status status = survey(r, &space);
    if (status == TL_OK)
        status = place_bodies(e, &space, &list, w->materials);
    if (status == TL_OK && before + list.bodies.count >= 1u << 31)
        status = tl_fail(TL_TOO_LARGE, "%zu bodies were added in all; the limit is 2^31",
                         before + list.bodies.count);
    if (status == TL_OK)
        status = tl_image_append(&r->added, &list, (uint32_t)before + 1, w->settings.precision);
    if (status == TL_OK)
        status = tl_origins_add(&r->origins, &list, (uint32_t)before + 1);
    if (status == TL_OK && list.bodies.count && w->monitors.list.monitors.count) {
        const uint32_t emitter = (uint32_t)(e - (const tl_emitter_rec *)r->emitters.data);
        const tl_emitted made = {emitter, (uint32_t)before + 1, (uint32_t)list.bodies.count};
        status = tl_array_append(&r->emitted, &made, 1);
    }
    tl_body_list_free(&list);
    tl_space_free(&space);
    return status;
}

static tl_status act_emitters(edit_round *r)
{
    tl_emitter_rec *emitters = r->emitters.data;
    for (size_t i = 0; i < r->emitters.count; i++) {
        tl_emitter_rec *e = &emitters[i];
        if (emitter_time(e) > r->now)
            continue;
        e->next = batch_after(e->def.start, e->def.interval, r->now);
        const uint64_t due = (uint64_t)fmin(due_by(&e->def, r->now), 0x1p62);
        e->due = due > e->due ? due : e->due; /* a loaded rate may be lower than it was */
        if (e->due > e->emitted)
            TL_TRY(emit(r, e));
    }
    return TL_OK;
}

static tl_status act_patches(edit_round *r)
{
    tl_patch_rec *patches = r->patches.data;
    for (size_t i = 0; i < r->patches.count; i++) {
        const double interval = patches[i].def.interval;
        if (patches[i].next * interval > r->now)
            continue;
        patches[i].next = batch_after(0, interval, r->now);
        TL_TRY(begin(r));
        TL_TRY(tl_patch_decide(r->world, &patches[i], &r->added, &r->movers));
    }
    return TL_OK;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Bodies that this round removed have no motion any more. */
static void change_motions(edit_round *r)
{
    tl_world_motion *changes = r->motions.data;
    for (size_t i = 0; i < r->motions.count; i++) {
        tl_world_motion *m = tl_world_find_motion(r->world, changes[i].id);
        if (m)
            tl_world_replace_motion(r->world, m, &changes[i].rec);
    }
    if (r->motions.count)
        tl_world_prescribe(r->world);
}

/* Records that the world has already, with their new counters. */
static void copy_back(const tl_array *from, tl_array *to)
{
    if (from->count)
        memcpy(to->data, from->data, from->count * from->item);
}

/* Makes the round's outcome the world's state. Nothing fails after the edit. */
static tl_status commit(edit_round *r)
{
    tl_world *w = r->world;
    tl_array *emitted = &w->monitors.emitted;
    TL_TRY(tl_array_reserve(emitted, emitted->count + r->emitted.count));
    TL_TRY(tl_array_reserve(&w->origins, w->origins.count + r->origins.count));
    if (r->removed || r->added.id.count)
        TL_TRY(tl_world_put(w, &r->added, w->ordering.gone.data));
    TL_TRY(tl_array_append(&w->origins, r->origins.data, r->origins.count)); /* there is room */
    tl_monitors_emitted(&w->monitors, &r->emitted);
    copy_back(&r->emitters, &w->schedule.emitters);
    copy_back(&r->boundaries, &w->schedule.boundaries);
    copy_back(&r->patches, &w->schedule.patches);
    memcpy(w->settings.gravity, r->gravity, sizeof r->gravity);
    const double gained = tl_patch_move(w, &r->movers);
    w->schedule.moved += r->movers.count;
    w->schedule.moved_energy += gained;
    w->work_done += gained;
    w->schedule.events_done = r->events_done;
    w->schedule.removed += r->removed;
    change_motions(r);
    tl_world_plan(w);
    return TL_OK;
}

static tl_status act(edit_round *r)
{
    const tl_schedule *s = &r->world->schedule;
    TL_TRY(tl_array_append(&r->emitters, s->emitters.data, s->emitters.count));
    TL_TRY(tl_array_append(&r->boundaries, s->boundaries.data, s->boundaries.count));
    TL_TRY(tl_array_append(&r->patches, s->patches.data, s->patches.count));
    TL_TRY(act_events(r));
    TL_TRY(act_boundaries(r));
    if (r->begun)
        TL_TRY(tl_edit_dropped(r->world, &r->removed));
    TL_TRY(act_emitters(r));
    TL_TRY(act_patches(r));
    return commit(r);
}

tl_status tl_world_act(tl_world *w)
{
    const double now = time_for_sure(w);
    if (w->due > now)
        return TL_OK;
    edit_round r = {.world = w,
                    .now = now,
                    .events_done = w->schedule.events_done,
                    .emitted = {.item = sizeof(tl_emitted)},
                    .origins = {.item = sizeof(tl_origin)},
                    .emitters = {.item = w->schedule.emitters.item},
                    .boundaries = {.item = w->schedule.boundaries.item},
                    .patches = {.item = w->schedule.patches.item},
                    .movers = {.item = sizeof(tl_mover)},
                    .motions = {.item = sizeof(tl_world_motion)}};
    memcpy(r.gravity, w->settings.gravity, sizeof r.gravity);
    tl_image_init(&r.added);
    const tl_status status = act(&r);
    tl_image_free(&r.added);
    tl_array_free(&r.emitted);
    tl_array_free(&r.origins);
    tl_array_free(&r.emitters);
    tl_array_free(&r.boundaries);
    tl_array_free(&r.patches);
    tl_array_free(&r.movers);
    for (size_t i = 0; i < r.motions.count; i++)
        tl_motion_rec_free(&((tl_world_motion *)r.motions.data)[i].rec);
    tl_array_free(&r.motions);
    return status;
}

void tl_world_tally(const tl_world *w, tl_report *report)
{
    const tl_emitter_rec *emitters = w->schedule.emitters.data;
    report->removed = w->schedule.removed;
    report->moved = w->schedule.moved;
    report->moved_energy = w->schedule.moved_energy;
    report->emitted = report->waiting = 0;
    for (size_t i = 0; i < w->schedule.emitters.count; i++) {
        report->emitted += emitters[i].emitted;
        report->waiting += emitters[i].due - emitters[i].emitted;
    }
}
