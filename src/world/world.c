/* Making a world, its settings, stepping, adding and removing bodies. */
#include "talus/words.h"
#include "base/clock.h"
#include "collide/parts.h"
#include "world/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RENUMBER_EVERY 128u /* steps between renumberings of bodies along a space-filling curve */

/* --- making and freeing
 * ---------------------------------------------------------------------------- */

void tl_world_free(tl_world *w)
{
    if (!w)
        return;
    tl_backend *b = w->backend;
    if (b) {
        tl_buffer *buffers[] = {
            &w->pos,          &w->quat,          &w->vel,        &w->inertia,  &w->flags,
            &w->id,           &w->shape_body,    &w->shape_info, &w->geom,     &w->level,
            &w->frame_local,  &w->frame,         &w->centre,     &w->reach,    &w->pair_table,
            &w->free,         &w->slide_table,   &w->work,       &w->pseudo,   &w->rest,
            &w->forced,       &w->struck,        &w->seen,       &w->halt,     &w->turn,
            &w->held,         &w->whole,         &w->frame_of,   &w->numbers,  &w->words,
            &w->geometry,     &w->kept_centre,   &w->filter,     &w->excluded, &w->caster.node,
            &w->caster.order, &w->caster.endless};
        for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
            tl_buffer_free(b, buffers[i]);
        tl_contacts_free(b, &w->contacts[0]);
        tl_contacts_free(b, &w->contacts[1]);
        tl_contacts_free(b, &w->sensed);
        tl_arena_free(b, &w->arena);
        tl_workspace_free(b, &w->workspace);
        tl_monitoring_free(b, &w->monitors);
    }
    tl_mechanism_free(b, &w->mechanism);
    tl_step_exact_end(w);
    tl_step_penalty_end(w);
    if (b)
        b->ops->destroy(b);
    for (size_t i = 0; i < w->motions.count; i++)
        tl_motion_rec_free(&((tl_world_motion *)w->motions.data)[i].rec);
    for (size_t i = 0; i < w->forces.count; i++)
        tl_force_rec_free((tl_force_rec *)w->forces.data + i);
    tl_array_free(&w->pairs);
    tl_array_free(&w->slides);
    tl_array_free(&w->elastics);
    tl_array_free(&w->ellipsoids);
    tl_array_free(&w->motions);
    tl_array_free(&w->origins);
    tl_array_free(&w->forces);
    tl_array_free(&w->exclusions);
    tl_array_free(&w->rods);
    tl_world_free_outlines(w);
    tl_geometries_free(&w->geometries);
    tl_schedule_free(&w->schedule);
    tl_array_free(&w->row_of);
    tl_array_free(&w->pair_reals);
    tl_array_free(&w->wrench);
    tl_array_free(&w->forced_row);
    tl_array_free(&w->forced_at);
    tl_array_free(&w->ordering.ids);
    tl_free(w, sizeof *w);
}

void tl_world_destroy(tl_world *world)
{
    tl_world_free(world);
}

/* What lives in one phase of a step only shares memory with what lives in another. */
static void bind_phases(tl_world *w)
{
    tl_rows *p = &w->problem;
    tl_ordering *o = &w->ordering;
    tl_caster *c = &w->caster;
    tl_buffer *pieces[] = {
        &p->key,         &p->place,  &p->segment,       &p->bidding,        &p->fresh,   &p->a,
        &p->b,           &p->head,   &p->anchors,       &p->wall,           &p->inverse, &p->bias,
        &p->gap,         &p->gamma,  &p->position_bias, &p->position_gamma, &p->turns,   &p->mass,
        &p->restitution, &p->impact, &p->rounds,        &o->order,          &o->first,   &o->from,
        &o->to,          &o->range,  &o->place,         &o->level,          &o->gone,    &o->rows,
        &c->box,         &c->ray,    &c->hit,           &c->near,           &c->list,    &c->found,
        &p->material,    &p->moment, &p->moved,         &p->guess,          &p->weighed};
    tl_buffer *more[] = {&p->copy,      &p->owner,      &p->split_a, &p->split_b,
                         &p->split_vel, &p->split_turn, &p->joined};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        pieces[i]->arena = &w->arena;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        more[i]->arena = &w->arena;
    tl_collide_bind(&w->collide, &w->arena);
}

tl_status tl_world_new(const tl_settings *settings, tl_world **world)
{
    const bool exact =
        settings->stepper == TL_STEPPER_STEWART_TRINKLE || settings->stepper == TL_STEPPER_PEG;
    if (exact && settings->backend == TL_BACKEND_CUDA)
        return tl_fail(TL_NO_BACKEND,
                       "settings.stepper is %s, which is on the CPU alone; on a GPU it must be "
                       "dvi, smooth or penalty",
                       tl_words(TL_WORDS_STEPPER)[settings->stepper]);
    tl_world *w = tl_alloc_zero(sizeof *w);
    if (!w)
        return TL_NO_MEMORY;
    w->settings = *settings;
    w->pairs.item = sizeof(tl_pair_def);
    w->slides.item = 3 * sizeof(double);
    w->elastics.item = sizeof(tl_elastic);
    w->ellipsoids.item = 3 * sizeof(double);
    w->geometries.item = sizeof(tl_geometry_rec);
    w->origins.item = sizeof(tl_origin);
    w->motions.item = sizeof(tl_world_motion);
    w->forces.item = sizeof(tl_force_rec);
    w->exclusions.item = sizeof(uint64_t);
    w->rods.item = sizeof(tl_rod_rec);
    w->row_of.item = sizeof(uint32_t);
    w->ordering.ids.item = sizeof(uint32_t);
    w->pair_reals.item = 1;
    w->wrench.item = 6 * sizeof(double);
    w->forced_row.item = w->forced_at.item = sizeof(uint32_t);
    w->due = INFINITY;
    bind_phases(w);
    tl_schedule_init(&w->schedule);
    tl_monitoring_init(&w->monitors);
    tl_mechanism_init(&w->mechanism);
    const tl_status status =
        settings->backend == TL_BACKEND_CUDA
            ? tl_backend_cuda(settings->precision, 0, &w->backend)
            : tl_backend_cpu(settings->precision, settings->threads, &w->backend);
    if (status != TL_OK) {
        tl_world_free(w);
        return status;
    }
    *world = w;
    return TL_OK;
}

const tl_contacts *tl_world_contacts(const tl_world *w)
{
    return &w->contacts[w->asked ? 1 - w->current : w->current];
}

void tl_world_exchange_centres(tl_world *w)
{
    const tl_buffer other = w->kept_centre;
    w->kept_centre = w->centre;
    w->centre = other;
}

void tl_world_forget_asked(tl_world *w)
{
    if (w->asked)
        tl_world_exchange_centres(w);
    w->asked = false;
}

tlk_bodies tl_world_bodies_view(const tl_world *w)
{
    return (tlk_bodies){w->rows,     w->dynamic,      w->pos.data,   w->quat.data,
                        w->vel.data, w->inertia.data, w->flags.data, w->id.data};
}

tlk_shapes tl_world_shapes_view(const tl_world *w)
{
    return (tlk_shapes){.rows = w->shape_rows,
                        .dynamic = w->shape_dynamic,
                        .frames = w->frames,
                        .body = w->shape_body.data,
                        .info = w->shape_info.data,
                        .filter = w->filter.data,
                        .geom = w->geom.data,
                        .level = w->level.data,
                        .frame_of = w->frame_of.data,
                        .frame_local = w->frame_local.data,
                        .frame = w->frame.data,
                        .numbers = w->numbers.data,
                        .words = w->words.data,
                        .geometry = w->geometry.data,
                        .centre = w->centre.data,
                        .reach = w->reach.data};
}

uint32_t tl_world_row(const tl_world *w, tl_body body)
{
    if (body.generation != 1 || body.index == 0 || body.index > w->row_of.count)
        return TLK_NONE;
    return ((const uint32_t *)w->row_of.data)[body.index - 1];
}

void tl_world_apply_settings(tl_world *w)
{
    w->envelope = w->settings.envelope > 0 ? w->settings.envelope : 0.05 * w->smallest;
    tl_step_penalty_forget(w);
    if (w->backend->ops->threads)
        w->backend->ops->threads(w->backend, w->settings.threads);
    tl_world_prescribe(w);
}

tl_status tl_world_put(tl_world *w, tl_image *m, uint8_t *gone)
{
    if (gone && w->rods.count)
        TL_TRY(tl_rods_mark_gone(w, gone));
    TL_TRY(w->rows ? tl_image_push(w, m, gone) : tl_image_settle(w, m));
    tl_world_drop_orphans(w);
    tl_world_apply_settings(w);
    return TL_OK;
}

/* Copies the motions of a list of bodies whose handle indices start at first_id. On failure the
 * world's motions are as before. */
static tl_status add_motions(tl_world *w, const tl_body_list *list, uint32_t first_id)
{
    const tl_body_rec *bodies = list->bodies.data;
    const tl_motion_rec *motions = list->motions.data;
    const size_t before = w->motions.count;
    tl_status status = TL_OK;
    for (size_t i = 0; i < list->bodies.count && status == TL_OK; i++) {
        if (!bodies[i].motion)
            continue;
        tl_world_motion m = {.id = first_id + (uint32_t)i};
        memcpy(m.position, bodies[i].position, sizeof m.position);
        memcpy(m.orientation, bodies[i].orientation, sizeof m.orientation);
        status = tl_motion_rec_of(&motions[bodies[i].motion - 1].def, &m.rec);
        if (status != TL_OK)
            break;
        status = tl_array_append(&w->motions, &m, 1);
        if (status != TL_OK)
            tl_motion_rec_free(&m.rec);
    }
    if (status != TL_OK)
        while (w->motions.count > before)
            tl_motion_rec_free(&((tl_world_motion *)w->motions.data)[--w->motions.count].rec);
    return status;
}

static tl_status add_list(tl_world *w, const tl_body_list *list)
{
    const uint32_t first_id = (uint32_t)w->row_of.count + 1;
    const size_t motions = w->motions.count, origins = w->origins.count;
    tl_image image;
    tl_image_init(&image);
    tl_status status = tl_image_append(&image, list, first_id, w->settings.precision);
    if (status == TL_OK)
        status = tl_origins_add(&w->origins, list, first_id);
    if (status == TL_OK)
        status = add_motions(w, list, first_id);
    if (status == TL_OK) {
        status = tl_world_put(w, &image, NULL);
        while (status != TL_OK && w->motions.count > motions)
            tl_motion_rec_free(&((tl_world_motion *)w->motions.data)[--w->motions.count].rec);
    }
    if (status != TL_OK)
        w->origins.count = origins;
    tl_image_free(&image);
    return status;
}

static tl_status fill(tl_world *w, const tl_scene *scene)
{
    TL_TRY(tl_world_take_materials(w, scene));
    TL_TRY(tl_world_take_geometries(w, &scene->geometries));
    TL_TRY(add_list(w, &scene->list));
    TL_TRY(tl_array_append(&w->exclusions, scene->exclusions.data, scene->exclusions.count));
    TL_TRY(tl_world_take_rods(w, scene));
    TL_TRY(tl_world_take_joints(w, scene));
    TL_TRY(tl_world_check_solver(w, &w->settings));
    TL_TRY(tl_world_upload_exclusions(w));
    const tl_force_rec *forces = scene->forces.data;
    for (size_t i = 0; i < scene->forces.count; i++) {
        tl_force_rec copy;
        TL_TRY(tl_force_rec_copy(&forces[i], &copy));
        const tl_status status = tl_array_append(&w->forces, &copy, 1);
        if (status != TL_OK) {
            tl_force_rec_free(&copy);
            return status;
        }
    }
    TL_TRY(tl_schedule_copy(&scene->schedule, &w->schedule));
    TL_TRY(tl_monitors_fill(w, &scene->monitors));
    tl_world_plan(w);
    return TL_OK;
}

/* The body that a shape of a contact is on. */
static tl_status contact_body(const tl_world *w, const tl_buffer *shapes, size_t contact,
                              uint32_t *id)
{
    tl_backend *b = w->backend;
    uint32_t shape, row;
    TL_TRY(b->ops->download(b, &shape, (const uint32_t *)shapes->data + contact, sizeof shape));
    TL_TRY(b->ops->download(b, &row, (const uint32_t *)w->shape_body.data + shape, sizeof row));
    return b->ops->download(b, id, (const uint32_t *)w->id.data + row, sizeof *id);
}

/* A warning where bodies overlap deeply at the start. */
static tl_status warn_of_overlap(tl_world *w)
{
    double n[TLK_FOLD_NUMBERS];
    TL_TRY(tl_step_contacts(w, 0, 1));
    const tl_contacts *c = tl_world_contacts(w);
    tlk_deep args = {tl_world_shapes_view(w), c->a.data, c->b.data, c->n.data, INFINITY};
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_depth, c->count, &args, n));
    if (!(n[0] > 0))
        return TL_OK;
    args.worst = n[1];
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_depth, c->count, &args, n));
    uint32_t first, second;
    TL_TRY(contact_body(w, &c->a, (size_t)n[2], &first));
    TL_TRY(contact_body(w, &c->b, (size_t)n[2], &second));
    char part[48] = "a point being inside of a shape";
    if (isfinite(n[1]))
        snprintf(part, sizeof part, "%.0f %% of the smaller radius", 100 * n[1]);
    return tl_fail_about(TL_OVERLAPPING, &(tl_error){.bodies = {{first, 1}, {second, 1}}},
                         "bodies %u and %u overlap by %g m, %s; %.0f pairs overlap by more than "
                         "10 %%",
                         first, second, n[3], part, n[0]);
}

tl_status tl_world_create(const tl_scene *scene, tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(scene);
    return tl_world_create_with(scene, &scene->settings, world);
}

tl_status tl_world_create_with(const tl_scene *scene, const tl_settings *settings, tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(scene);
    REFUSE_NULL(settings);
    TL_TRY(tl_settings_check(settings));
    tl_world *w = NULL;
    TL_TRY(tl_world_new(settings, &w));
    tl_status status = fill(w, scene);
    if (status == TL_OK)
        status = tl_joints_assemble(w);
    if (status == TL_OK)
        status = warn_of_overlap(w);
    if (status < 0) {
        tl_world_free(w);
        return status;
    }
    *world = w;
    return status;
}

/* --- running
 * ---------------------------------------------------------------------------------------- */

void tl_world_prescribe(tl_world *w)
{
    tl_backend *b = w->backend;
    const tl_world_motion *motions = w->motions.data;
    w->stuck = 0;
    w->turning = false;
    w->caster.current = false; /* at the end of steps and edits: bodies are elsewhere */
    for (size_t i = 0; i < w->motions.count; i++) {
        const size_t row = ((const uint32_t *)w->row_of.data)[motions[i].id - 1];
        double x[4] = {0, 0, 0, 0}, q[4], v[8] = {0};
        float narrow[8];
        tl_motion_pose(&motions[i], w->time, x, q);
        tl_motion_velocity(&motions[i], w->time, w->settings.step, v, v + 4);
        if (!tl_motion_sound(&w->settings, x, v, v + 4)) {
            w->stuck = w->stuck ? w->stuck : i + 1;
            memset(v, 0, sizeof v);
        }
        for (int k = 0; k < 8; k++)
            narrow[k] = (float)v[k];
        w->turning = w->turning || v[4] != 0 || v[5] != 0 || v[6] != 0;
        if (isfinite(x[0] + x[1] + x[2] + q[0] + q[1] + q[2] + q[3])) {
            b->ops->upload(b, (double *)w->pos.data + 4 * row, x, sizeof x);
            b->ops->upload(b, (double *)w->quat.data + 4 * row, q, sizeof q);
        }
        b->ops->upload(b, (char *)w->vel.data + 8 * row * b->real,
                       b->precision == TL_DOUBLE ? (const void *)v : (const void *)narrow,
                       8 * b->real);
    }
}

tl_status tl_world_begin_step(tl_world *world)
{
    TL_TRY(tl_world_act(world));
    if (world->stuck)
        return tl_motion_fail(world, (tl_world_motion *)world->motions.data + world->stuck - 1);
    if (world->steps && world->steps % RENUMBER_EVERY == 0)
        TL_TRY(tl_world_renumber(world));
    return world->mechanism.parting ? tl_joints_part(world) : TL_OK;
}

tl_status tl_world_step(tl_world *world, uint32_t count, tl_report *report)
{
    if (report)
        memset(report, 0, sizeof *report);
    REFUSE_NULL(world);
    for (uint32_t i = 0; i < count; i++) {
        double mark = tl_now();
        TL_TRY(tl_world_begin_step(world));
        const double before = tl_lap(&mark);
        TL_TRY(world->settings.stepper == TL_STEPPER_PENALTY ? tl_step_penalty(world)
                                                             : tl_step_dvi(world));
        world->report.ms.integrate += before;
        world->report.total_ms += before;
        tl_world_tally(world, &world->report);
    }
    if (report)
        *report = world->report;
    return TL_OK;
}

tl_status tl_world_find_contacts(tl_world *world)
{
    REFUSE_NULL(world);
    return tl_step_contacts(world, 0, 1);
}

tl_status tl_world_find_contacts_in(tl_world *world, uint32_t parts, uint32_t devices)
{
    REFUSE_NULL(world);
    if (parts < 1 || parts > TL_PARTS_MOST)
        return tl_fail(TL_BAD_ARGUMENT, "%s: parts is %u; it must be 1 to %u", __func__, parts,
                       TL_PARTS_MOST);
    if (devices < 1 || devices > TL_DEVICES_MOST)
        return tl_fail(TL_BAD_ARGUMENT, "%s: devices is %u; it must be 1 to %u", __func__, devices,
                       TL_DEVICES_MOST);
    return tl_step_contacts(world, parts, devices);
}

/* --- settings
 * --------------------------------------------------------------------------------------- */

tl_settings tl_world_settings(const tl_world *world)
{
    if (!world) {
        tl_fail(TL_BAD_ARGUMENT, "tl_world_settings: world is NULL");
        return (tl_settings){0};
    }
    return world->settings;
}

tl_status tl_world_set_settings(tl_world *world, const tl_settings *settings)
{
    REFUSE_NULL(world);
    REFUSE_NULL(settings);
    TL_TRY(tl_settings_check(settings));
    if (settings->precision != world->settings.precision)
        return tl_fail_about(
            TL_BAD_ARGUMENT,
            &(tl_error){.subject = "settings", .index = TL_NO_INDEX, .field = "precision"},
            " cannot change once the world is made");
    if (settings->backend != world->settings.backend)
        return tl_fail_about(
            TL_BAD_ARGUMENT,
            &(tl_error){.subject = "settings", .index = TL_NO_INDEX, .field = "backend"},
            " cannot change once the world is made; "
            "tl_world_load_on() takes a snapshot to another");
    TL_TRY(tl_world_check_solver(world, settings));
    const bool same = !memcmp(&settings->penalty, &world->settings.penalty, sizeof(tl_penalty_def));
    const uint32_t elastic_known = same && world->elastic_known;
    world->settings = *settings;
    tl_world_apply_settings(world);
    world->elastic_known = elastic_known;
    return TL_OK;
}

double tl_world_time(const tl_world *world)
{
    return world ? world->time : 0;
}

const char *tl_world_backend(const tl_world *world)
{
    return world ? world->backend->name : "";
}

/* --- motions
 * ---------------------------------------------------------------------------------------- */

tl_world_motion *tl_world_find_motion(const tl_world *w, uint32_t id)
{
    tl_world_motion *motions = w->motions.data;
    size_t low = 0, high = w->motions.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (motions[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->motions.count && motions[low].id == id ? &motions[low] : NULL;
}

void tl_world_replace_motion(tl_world *w, tl_world_motion *m, tl_motion_rec *rec)
{
    const uint32_t row = ((const uint32_t *)w->row_of.data)[m->id - 1];
    double x[3], q[4];
    tl_motion_pose(m, w->time, x, q);
    tl_motion_rec_free(&m->rec);
    m->rec = *rec;
    memset(rec, 0, sizeof *rec);
    tl_motion_begin(m, w->time, x, q);
    const tlk_turning args = {w->shape_body.data, w->shape_info.data, row,
                              tl_motion_turns(&m->rec.def)};
    tl_run(w->backend, TLK_note_turning, w->shape_rows, &args);
}

tl_status tl_world_set_motion(tl_world *world, tl_body body, const tl_motion_def *motion)
{
    REFUSE_NULL(world);
    REFUSE_NULL(motion);
    if (tl_world_row(world, body) == TLK_NONE)
        return tl_fail(TL_BAD_HANDLE,
                       "tl_world_set_motion: body (index %u, generation %u) is no body of this "
                       "world",
                       body.index, body.generation);
    tl_world_motion *m = tl_world_find_motion(world, body.index);
    if (!m)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_world_set_motion: body %u is not prescribed; only such bodies have a "
                       "motion",
                       body.index);
    tl_motion_rec rec;
    TL_TRY(tl_motion_rec_of(motion, &rec));
    tl_world_replace_motion(world, m, &rec);
    tl_world_prescribe(world);
    return TL_OK;
}

/* --- adding and removing
 * ------------------------------------------------------------------------------ */

tl_status tl_world_add_bodies(tl_world *world, size_t count, const tl_body_def *defs,
                              tl_body *bodies)
{
    REFUSE_NULL(world);
    if (!count)
        return TL_OK;
    REFUSE_NULL(defs);
    if (bodies && count < 1u << 31)
        memset(bodies, 0, count * sizeof *bodies);
    if (count + world->row_of.count >= 1u << 31)
        return tl_fail(TL_TOO_LARGE, "%zu bodies were added in all; the limit is 2^31",
                       count + world->row_of.count);
    const uint32_t first_id = (uint32_t)world->row_of.count + 1;
    tl_body_list list;
    tl_body_list_init(&list);
    list.geometries = &world->geometries;
    tl_status status = tl_body_list_add(&list, count, defs, world->materials - 1);
    if (status == TL_OK)
        status = add_list(world, &list);
    for (size_t i = 0; status == TL_OK && bodies && i < count; i++)
        bodies[i] = (tl_body){first_id + (uint32_t)i, 1};
    tl_body_list_free(&list);
    return status;
}

void tl_world_drop_orphans(tl_world *w)
{
    const uint32_t *row_of = w->row_of.data;
    tl_world_motion *motions = w->motions.data;
    tl_force_rec *forces = w->forces.data;
    size_t kept = 0;
    for (size_t i = 0; i < w->motions.count; i++) {
        if (row_of[motions[i].id - 1] == TLK_NONE)
            tl_motion_rec_free(&motions[i].rec);
        else
            motions[kept++] = motions[i];
    }
    w->motions.count = kept;
    kept = 0;
    tl_origin *origins = w->origins.data;
    for (size_t i = 0; i < w->origins.count; i++)
        if (row_of[origins[i].id - 1] != TLK_NONE)
            origins[kept++] = origins[i];
    w->origins.count = kept;
    kept = 0;
    for (size_t i = 0; i < w->forces.count; i++) {
        if (row_of[forces[i].body - 1] == TLK_NONE)
            tl_force_rec_free(&forces[i]);
        else
            forces[kept++] = forces[i];
    }
    w->forces.count = kept;
    tl_world_drop_exclusions(w);
    tl_world_drop_rods(w);
    tl_world_drop_joints(w);
}

/* The rows of bodies, each named once. `seen` has a zero for every row. */
static tl_status rows_to_drop(const tl_world *w, size_t count, const tl_body *bodies, uint8_t *seen,
                              uint32_t *rows)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = tl_world_row(w, bodies[i]);
        if (row == TLK_NONE)
            return tl_fail_about(
                TL_BAD_HANDLE, &(tl_error){.bodies = {bodies[i]}},
                "tl_world_remove_bodies: bodies[%zu] (index %u, generation %u) is no "
                "body of this world",
                i, bodies[i].index, bodies[i].generation);
        if (seen[row])
            return tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.bodies = {bodies[i]}},
                                 "tl_world_remove_bodies: bodies[%zu] (index %u) is named twice", i,
                                 bodies[i].index);
        seen[row] = 1;
        rows[i] = row;
    }
    return TL_OK;
}

tl_status tl_world_remove_bodies(tl_world *world, size_t count, const tl_body *bodies)
{
    REFUSE_NULL(world);
    if (!count)
        return TL_OK;
    REFUSE_NULL(bodies);
    const size_t most = (size_t)world->rows + 1; /* one more is named twice, or no body */
    tl_array rows = {.item = sizeof(uint32_t)};
    tl_image none;
    tl_image_init(&none);
    uint8_t *seen = tl_alloc_zero(most);
    tl_status status = seen ? tl_array_resize(&rows, count < most ? count : most) : TL_NO_MEMORY;
    if (status == TL_OK)
        status = rows_to_drop(world, count, bodies, seen, rows.data);
    if (status == TL_OK)
        status = tl_edit_begin(world);
    if (status == TL_OK)
        status = tl_edit_drop(world, rows.data, count);
    if (status == TL_OK)
        status = tl_world_put(world, &none, world->ordering.gone.data);
    tl_array_free(&rows);
    tl_free(seen, most);
    return status;
}

tl_status tl_world_add_force(tl_world *world, const tl_force_def *def)
{
    REFUSE_NULL(world);
    REFUSE_NULL(def);
    const uint32_t row = tl_world_row(world, def->body);
    if (row == TLK_NONE)
        return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.bodies = {def->body}},
                             "%s: body (index %u, generation %u) is no body of this world",
                             __func__, def->body.index, def->body.generation);
    if (row >= world->dynamic)
        return tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.bodies = {def->body}},
                             "%s: body %u is not dynamic; forces act on dynamic bodies", __func__,
                             def->body.index);
    tl_force_rec rec;
    TL_TRY(tl_force_rec_make(def, &rec));
    const tl_status status = tl_array_append(&world->forces, &rec, 1);
    if (status != TL_OK)
        tl_force_rec_free(&rec);
    return status;
}
