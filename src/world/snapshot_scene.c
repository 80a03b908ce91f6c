/* What a world was described by, in a snapshot: settings, materials, geometries, motions, forces
 * and the schedule. What is read is checked here where records are made of it, else in check.c.
 * snapshot.c calls. */
#include "world/image.h"
#include "world/stream.h"

#include <math.h>
#include <string.h>

static void penalty(tl_stream *s, tl_penalty_def *p)
{
    uint32_t words[] = {p->law,        p->integrator, p->substeps, p->friction_form,
                        p->collisions, p->attraction, p->rolling,  p->cohesion};
    double *numbers[] = {&p->stiffness, &p->tangential_stiffness, &p->damping, &p->friction,
                         &p->collision_threshold};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_stream_number(s, numbers[i]);
    tl_stream_bytes(s, words, sizeof words);
    if (s->status == TL_OK && (words[4] > 1 || words[5] > 1))
        s->status = tl_damaged("its settings are not valid: a flag is not 0 or 1");
    p->law = (tl_penalty_law)words[0];
    p->integrator = (tl_integrator)words[1];
    p->substeps = words[2];
    p->friction_form = (tl_friction_form)words[3];
    p->collisions = words[4] == 1;
    p->attraction = words[5] == 1;
    p->rolling = (tl_rolling)words[6];
    p->cohesion = (tl_cohesion_law)words[7];
}

void tl_stream_settings(tl_stream *s, tl_settings *t)
{
    uint32_t words[18] = {t->overlap,
                          t->solver.kind,
                          t->solver.law,
                          t->solver.iterations,
                          t->solver.position_iterations,
                          t->solver.warm_start,
                          t->precision,
                          t->threads,
                          t->impacts,
                          t->solver.balance_iterations,
                          t->stepper,
                          t->exact.directions,
                          t->exact.cone,
                          t->exact.primary,
                          t->planar,
                          t->solver.joints,
                          t->planes,
                          t->solver.coarse_layers};
    double *numbers[] = {
        &t->gravity[0],    &t->gravity[1],        &t->gravity[2],     &t->step,
        &t->envelope,      &t->recovery_fraction, &t->recovery_speed, &t->restitution_speed,
        &t->max_speed,     &t->solver.tolerance,  &t->solver.omega,   &t->solver.lambda,
        &t->exact.epsilon, &t->exact.psi_minimum};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_stream_number(s, numbers[i]);
    tl_stream_bytes(s, words, sizeof words);
    t->overlap = (tl_overlap)words[0];
    t->solver.kind = (tl_solver_kind)words[1];
    t->solver.law = (tl_law)words[2];
    t->solver.iterations = words[3];
    t->solver.position_iterations = words[4];
    t->solver.warm_start = words[5] != 0;
    t->precision = (tl_precision)words[6];
    t->threads = words[7];
    if (s->status == TL_OK && (words[5] > 1 || words[12] > 1 || words[13] > 1))
        s->status = tl_damaged("its settings are not valid: a flag is not 0 or 1");
    t->impacts = (tl_impacts)words[8];
    t->solver.balance_iterations = words[9];
    t->stepper = (tl_stepper)words[10];
    t->exact.directions = words[11];
    t->exact.cone = words[12] == 1;
    t->exact.primary = words[13] == 1;
    t->planar = (tl_planar)words[14];
    t->solver.joints = (tl_joint_method)words[15];
    t->planes = (tl_planes)words[16];
    t->solver.coarse_layers = words[17];
    penalty(s, &t->penalty);
}

/* A table of numbers that a record owns. */
static void table(tl_stream *s, double **data, size_t count)
{
    const void *numbers = tl_stream_in_place(s, *data, count, sizeof(double));
    if (s->out || !numbers)
        return;
    *data = tl_alloc(count * sizeof(double));
    if (*data)
        memcpy(*data, numbers, count * sizeof(double));
    else
        s->status = TL_NO_MEMORY;
}

/* Makes a record of what was read: the definition's numbers, times and rows of both tables, and
 * the texts of those expressions that `used` has a bit for. */
static tl_status restore_motion(tl_motion_def *d, const tl_array *tables, const tl_array *texts,
                                uint32_t used, tl_motion_rec *out)
{
    const double *offsets = tables[0].data, *turns = tables[1].data;
    const char *text = texts->data, *end = text ? text + texts->count : NULL;
    d->table_length = tables[0].count / 4;
    d->times = offsets;
    d->offsets = offsets ? offsets + d->table_length : NULL;
    d->angular_table_length = tables[1].count / 4;
    d->angular_times = turns;
    d->rotations = turns ? turns + d->angular_table_length : NULL;
    bool whole = tables[0].count % 4 == 0 && tables[1].count % 4 == 0;
    for (int i = 0; i < 6 && whole; i++) {
        const char **own = i < 3 ? &d->expressions[i] : &d->angular_expressions[i - 3];
        const char *zero =
            used >> i & 1 && text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
        whole = zero || !(used >> i & 1);
        *own = zero ? text : NULL;
        text = zero ? zero + 1 : text;
    }
    const tl_status status = whole ? tl_motion_rec_of(d, out) : TL_BAD_DATA;
    if (status == TL_OK || status == TL_NO_MEMORY)
        return status;
    return tl_fail(TL_BAD_DATA, "the snapshot is damaged: a motion breaks a rule of scenes");
}

static void motion_rec(tl_stream *s, tl_motion_rec *rec)
{
    tl_motion_def d = rec->def;
    const size_t rows = 4 * d.table_length, turns = 4 * d.angular_table_length;
    tl_array tables[2] = {{rec->table, sizeof(double), rows, rows},
                          {rec->turns, sizeof(double), turns, turns}};
    tl_array texts = {rec->texts.data, 1, rec->texts.count, rec->texts.count};
    uint32_t words[3] = {d.kind, d.rotation, 0};
    double *vectors[] = {d.velocity,
                         d.velocity_from,
                         d.amplitude,
                         d.angular_velocity,
                         d.angular_velocity_from,
                         d.angular_amplitude,
                         d.pivot};
    double *numbers[] = {
        &d.ramp_start,         &d.ramp_stop,         &d.frequency,         &d.phase,
        &d.angular_ramp_start, &d.angular_ramp_stop, &d.angular_frequency, &d.angular_phase};
    for (int i = 0; i < 6; i++)
        if (tl_motion_track(&d, (tl_motion_part)(i / 3)).texts[i % 3])
            words[2] |= 1u << i;
    tl_stream_bytes(s, words, sizeof words);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        tl_stream_bytes(s, vectors[i], 3 * sizeof(double));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_stream_number(s, numbers[i]);
    tl_stream_array(s, &tables[0]);
    tl_stream_array(s, &tables[1]);
    tl_stream_array(s, &texts);
    if (s->out)
        return;
    d.kind = (tl_motion_kind)words[0];
    d.rotation = (tl_motion_kind)words[1];
    if (s->status == TL_OK)
        s->status = restore_motion(&d, tables, &texts, words[2], rec);
    tl_array_free(&tables[0]);
    tl_array_free(&tables[1]);
    tl_array_free(&texts);
}

static void motion(tl_stream *s, void *record)
{
    tl_world_motion *m = record;
    tl_stream_word(s, &m->id);
    tl_stream_number(s, &m->start);
    tl_stream_bytes(s, m->position, sizeof m->position);
    tl_stream_bytes(s, m->orientation, sizeof m->orientation);
    motion_rec(s, &m->rec);
}

static void force(tl_stream *s, void *record)
{
    tl_force_rec *f = record;
    tl_stream_word(s, &f->body);
    uint32_t length = f->table_length;
    tl_stream_word(s, &length);
    tl_stream_bytes(s, f->constant, sizeof f->constant);
    table(s, &f->table, 7 * (size_t)length);
    f->table_length = f->table ? length : 0;
}

static void region(tl_stream *s, tl_region *r)
{
    uint32_t kind = r->kind;
    tl_stream_word(s, &kind);
    r->kind = (tl_region_kind)kind;
    double *numbers[] = {r->low, r->high, r->centre, r->axis};
    for (size_t i = 0; i < 4; i++)
        tl_stream_bytes(s, numbers[i], 3 * sizeof(double));
    tl_stream_number(s, &r->radius);
}

static void shape(tl_stream *s, void *record)
{
    tl_shape_def *d = record;
    uint32_t words[6] = {d->kind,  d->material.index, d->geometry.index,
                         d->group, d->mask,           d->sensor};
    tl_stream_bytes(s, words, sizeof words);
    if (s->status == TL_OK && words[5] > 1)
        s->status = tl_damaged("a shape of a template is a sensor neither 0 nor 1");
    d->kind = (tl_shape_kind)words[0];
    d->material.index = words[1];
    d->geometry.index = words[2];
    d->group = words[3];
    d->mask = words[4];
    d->sensor = words[5] != 0;
    tl_stream_bytes(s, d->position, sizeof d->position);
    tl_stream_bytes(s, d->orientation, sizeof d->orientation);
    tl_stream_bytes(s, d->half_extents, sizeof d->half_extents);
    tl_stream_number(s, &d->radius);
    tl_stream_number(s, &d->half_length);
    tl_stream_number(s, &d->rounding);
}

/* Shapes are kept apart: all templates' in one array. */
static void template(tl_stream *s, void *record)
{
    tl_template_def *d = record;
    uint64_t shapes = d->shape_count;
    tl_stream_number(s, &d->weight);
    tl_stream_bytes(s, &shapes, sizeof shapes);
    d->shape_count = (size_t)shapes;
}

/* Makes a record of what was read. */
static tl_status restore_emitter(const tl_stream *s, tl_emitter_def *def, tl_array *templates,
                                 const tl_array *shapes, tl_emitter_rec *out)
{
    tl_template_def *t = templates->data;
    size_t left = shapes->count;
    for (size_t i = 0; i < templates->count; i++) {
        if (t[i].shape_count > left)
            return tl_damaged("a template of an emitter has not as many shapes as it says");
        t[i].shapes = (const tl_shape_def *)shapes->data + (shapes->count - left);
        left -= t[i].shape_count;
    }
    if (left)
        return tl_damaged("an emitter has shapes of no template");
    def->template_count = templates->count;
    def->templates = t;
    return tl_damaged_by_rule(
        tl_emitter_rec_make(def, s->world->materials, &s->world->geometries, out));
}

/* Definitions of templates again, of the records that were made of them. */
static tl_status list_templates(const tl_templates *from, tl_array *to)
{
    const tl_template_rec *records = from->records.data;
    for (size_t i = 0; i < from->records.count; i++) {
        const tl_template_def def = {.weight = records[i].weight,
                                     .shape_count = records[i].shape_count};
        TL_TRY(tl_array_append(to, &def, 1));
    }
    return TL_OK;
}

static void emitter(tl_stream *s, void *record)
{
    tl_emitter_rec *e = record;
    tl_emitter_def def = e->def, *d = &def;
    tl_emitter_rec counted = *e;
    tl_array list = {.item = sizeof(tl_template_def)}, shapes = {.item = sizeof(tl_shape_def)};
    uint32_t kind = d->size.kind;
    double *numbers[] = {&d->size.radius, &d->size.deviation, &d->size.low,    &d->size.high,
                         &d->rate,        &d->start,          &d->stop,        &d->interval,
                         &d->density,     &d->velocity[0],    &d->velocity[1], &d->velocity[2],
                         &counted.next};
    uint64_t *counters[] = {&d->count, &d->seed, &counted.emitted, &counted.due};
    region(s, &d->region);
    tl_stream_word(s, &kind);
    d->size.kind = (tl_size_kind)kind;
    tl_stream_word(s, &d->material.index);
    tl_stream_word(s, &d->group);
    tl_stream_word(s, &d->mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_stream_number(s, numbers[i]);
    for (size_t i = 0; i < 4; i++)
        tl_stream_bytes(s, counters[i], sizeof(uint64_t));
    if (s->out && s->status == TL_OK)
        s->status = list_templates(&e->templates, &list);
    tl_stream_records(s, &list, template);
    tl_stream_records(s, s->out ? &e->templates.shapes : &shapes, shape);
    if (!s->out && s->status == TL_OK)
        s->status = restore_emitter(s, d, &list, &shapes, e);
    if (!s->out && s->status == TL_OK) {
        e->emitted = counted.emitted;
        e->due = counted.due;
        e->next = counted.next;
    }
    tl_array_free(&list);
    tl_array_free(&shapes);
}

static void boundary(tl_stream *s, void *record)
{
    tl_boundary_rec *b = record;
    uint32_t inside = b->def.remove_inside;
    region(s, &b->def.region);
    tl_stream_word(s, &inside);
    b->def.remove_inside = inside != 0;
    if (s->status == TL_OK && inside > 1)
        s->status = tl_damaged("boundaries: which side is removed is not 0 or 1");
    tl_stream_number(s, &b->def.interval);
    tl_stream_number(s, &b->next);
}

static void patch(tl_stream *s, void *record)
{
    tl_patch_rec *p = record;
    uint32_t words[3] = {p->def.follow.index, p->def.grains.first.index, p->def.grains.count};
    double *numbers[] = {&p->def.length, &p->def.interval, &p->next, &p->at};
    tl_stream_bytes(s, words, sizeof words);
    tl_stream_bytes(s, p->def.direction, sizeof p->def.direction);
    tl_stream_bytes(s, p->def.up, sizeof p->def.up);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_stream_number(s, numbers[i]);
    p->def.follow = (tl_body){words[0], 1};
    p->def.grains = (tl_body_range){{words[1], 1}, words[2]};
}

static void event(tl_stream *s, void *record)
{
    tl_event_rec *e = record;
    tl_array bodies = {e->bodies, sizeof(uint32_t), e->body_count, e->body_count};
    tl_stream_word(s, &e->kind);
    tl_stream_number(s, &e->time);
    tl_stream_bytes(s, e->gravity, sizeof e->gravity);
    tl_stream_array(s, &bodies);
    if (bodies.count > INT32_MAX) {
        tl_array_free(&bodies);
        s->status = tl_fail(TL_BAD_DATA, "the snapshot has an event with too many bodies");
    }
    e->bodies = bodies.data;
    e->body_count = (uint32_t)bodies.count; /* all the room there is, as nothing was added */
    if (e->kind == TL_EVENT_MOTION)
        motion_rec(s, &e->motion);
}

/* Mass and pieces of a mesh, which its triangles alone do not say: some may be gone. */
static void take_solid(tl_stream *s, const uint32_t pieces[2], const double solid[10],
                       tl_geometry_rec *g)
{
    const bool whole = g->kind == TL_MESH || g->kind == TL_HULL; /* a hull: of a polygon */
    bool sound = pieces[1] ? whole && pieces[0] : !pieces[0];
    for (int k = 0; k < 10; k++)
        sound = sound && isfinite(solid[k]);
    if (!sound || solid[0] < 0 || (pieces[1] && !(solid[0] > 0)))
        s->status = tl_damaged("a geometry is no solid");
    if (s->status != TL_OK || !whole)
        return;
    g->first_piece = pieces[0];
    g->piece_count = pieces[1];
    if (g->kind == TL_HULL)
        return;
    g->volume = solid[0];
    memcpy(g->com, solid + 1, sizeof g->com);
    memcpy(g->inertia, solid + 4, sizeof g->inertia);
}

/* The pieces of meshes are hulls among the geometries. */
static void check_pieces(tl_stream *s, const tl_array *geometries)
{
    const tl_geometry_rec *all = geometries->data;
    for (size_t i = 0; i < geometries->count && s->status == TL_OK; i++)
        for (uint32_t k = 0; k < all[i].piece_count && s->status == TL_OK; k++) {
            const size_t at = (size_t)all[i].first_piece + k;
            if (at < 1 || at > geometries->count || all[at - 1].kind != TL_HULL)
                s->status = tl_damaged("the pieces of a mesh are no hulls");
        }
}

/* A geometry is made anew of what was read, which must be what it was. */
static void geometry(tl_stream *s, void *record)
{
    tl_geometry_rec *g = record;
    tl_geometry_rec read = {.numbers.item = sizeof(double), .words.item = sizeof(uint32_t)};
    tl_stream_word(s, &g->kind);
    tl_stream_array(s, s->out ? &g->numbers : &read.numbers);
    tl_stream_array(s, s->out ? &g->words : &read.words);
    read.kind = g->kind;
    uint32_t pieces[2] = {g->first_piece, g->piece_count};
    tl_stream_word(s, &pieces[0]);
    tl_stream_word(s, &pieces[1]);
    double solid[10] = {g->volume};
    memcpy(solid + 1, g->com, sizeof g->com);
    memcpy(solid + 4, g->inertia, sizeof g->inertia);
    tl_stream_bytes(s, solid, sizeof solid);
    if (s->status == TL_OK && !s->out) {
        s->status = tl_geometry_restore(&read, g);
        if (s->status != TL_OK && s->status != TL_NO_MEMORY)
            s->status = tl_damaged("a geometry is not what its vertices give");
        if (s->status == TL_OK)
            take_solid(s, pieces, solid, g);
    }
    tl_geometry_free(&read);
}

void tl_stream_description(tl_stream *s, tl_world *w)
{
    s->world = w;
    tl_stream_word(s, &w->materials);
    tl_stream_array(s, &w->pairs);
    tl_stream_array(s, &w->slides);
    tl_stream_array(s, &w->elastics);
    tl_stream_array(s, &w->ellipsoids);
    tl_stream_records(s, &w->geometries, geometry);
    check_pieces(s, &w->geometries);
    tl_stream_array(s, &w->origins);
    tl_stream_records(s, &w->motions, motion);
    tl_stream_records(s, &w->forces, force);
    tl_stream_array(s, &w->exclusions);
    tl_stream_array(s, &w->rods);
    tl_stream_bytes(s, &w->schedule.events_done, sizeof w->schedule.events_done);
    tl_stream_bytes(s, &w->schedule.removed, sizeof w->schedule.removed);
    tl_stream_bytes(s, &w->schedule.moved, sizeof w->schedule.moved);
    tl_stream_number(s, &w->schedule.moved_energy);
    tl_stream_records(s, &w->schedule.emitters, emitter);
    tl_stream_records(s, &w->schedule.events, event);
    tl_stream_records(s, &w->schedule.boundaries, boundary);
    tl_stream_records(s, &w->schedule.patches, patch);
}
