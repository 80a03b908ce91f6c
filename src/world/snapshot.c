/* Snapshots: a world as bytes, with its description, so that it can go on bit for bit without its
 * scene.
 *
 *   header   magic (which also tells byte order), version, length, checksum of what follows
 *   fixed    settings field by field, counters
 *   arrays   each with its count: which handles are alive, pairs, motions, forces, excluded pairs
 *            of bodies, rods, emitters, events, boundaries, patches, monitors (bytes of
 * monitor_save.c), joints (of joint_save.c), the arrays of the image
 *
 * Loading trusts nothing: lengths are checked against what is there, the checksum against the
 * bytes, and every field against what a world can hold (check.c). What is allocated is a small
 * multiple of the bytes that are there: handles that were ever given have a bit each. */
#include "world/image.h"

#include <math.h>
#include <string.h>

#define MAGIC   0x31504e5353554c54u /* "TLUSSNP1" read as a little-endian number */
#define MAJOR   3u
#define MINOR   9u /* goes up with whatever a snapshot gets in addition: no other version is read */
#define VERSION ((uint64_t)MINOR << 32 | MAJOR)

/* Both directions in one walk: `out` is written where it is not NULL, else `in` is read. */
typedef struct stream {
    tl_array *out;
    const unsigned char *in;
    size_t left;
    tl_status status;
    const tl_world *world; /* whose materials and geometries what is read may use */
} stream;

static void raw(stream *s, void *data, size_t count)
{
    if (s->status != TL_OK || !count)
        return;
    if (s->out) {
        s->status = tl_array_append(s->out, data, count);
    } else if (count > s->left) {
        s->status =
            tl_fail(TL_BAD_DATA, "the snapshot ends early: %zu bytes are missing", count - s->left);
    } else {
        memcpy(data, s->in, count);
        s->in += count;
        s->left -= count;
    }
}

static void number(stream *s, double *x)
{
    raw(s, x, sizeof *x);
}

static void word(stream *s, uint32_t *x)
{
    raw(s, x, sizeof *x);
}

/* A whole array. A reader makes room only for what the bytes left can hold. */
static void array(stream *s, tl_array *a)
{
    uint64_t count = a->count;
    raw(s, &count, sizeof count);
    if (s->status == TL_OK && !s->out) {
        if (count > s->left / a->item)
            s->status = tl_fail(TL_BAD_DATA,
                                "the snapshot has an array of %llu items of %zu bytes, "
                                "but only %zu bytes are left",
                                (unsigned long long)count, a->item, s->left);
        else
            s->status = tl_array_resize(a, (size_t)count);
    }
    if (s->status == TL_OK)
        raw(s, a->data, a->count * a->item);
}

static void penalty(stream *s, tl_penalty_def *p)
{
    uint32_t words[] = {p->law,        p->integrator, p->substeps, p->friction_form,
                        p->collisions, p->attraction, p->rolling,  p->cohesion};
    double *numbers[] = {&p->stiffness, &p->tangential_stiffness, &p->damping, &p->friction,
                         &p->collision_threshold};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number(s, numbers[i]);
    raw(s, words, sizeof words);
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

static void settings(stream *s, tl_settings *t)
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
        number(s, numbers[i]);
    raw(s, words, sizeof words);
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
static void table(stream *s, double **data, size_t count)
{
    if (s->status != TL_OK || !count)
        return;
    if (!s->out) {
        if (count > s->left / sizeof(double)) {
            s->status = tl_fail(TL_BAD_DATA,
                                "the snapshot has a table of %zu numbers, but only %zu "
                                "bytes are left",
                                count, s->left);
            return;
        }
        *data = tl_alloc(count * sizeof(double));
        if (!*data) {
            s->status = TL_NO_MEMORY;
            return;
        }
    }
    raw(s, *data, count * sizeof(double));
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

static void motion_rec(stream *s, tl_motion_rec *rec)
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
    raw(s, words, sizeof words);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        raw(s, vectors[i], 3 * sizeof(double));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number(s, numbers[i]);
    array(s, &tables[0]);
    array(s, &tables[1]);
    array(s, &texts);
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

static void motion(stream *s, void *record)
{
    tl_world_motion *m = record;
    word(s, &m->id);
    number(s, &m->start);
    raw(s, m->position, sizeof m->position);
    raw(s, m->orientation, sizeof m->orientation);
    motion_rec(s, &m->rec);
}

static void force(stream *s, void *record)
{
    tl_force_rec *f = record;
    word(s, &f->body);
    uint32_t length = f->table_length;
    word(s, &length);
    raw(s, f->constant, sizeof f->constant);
    table(s, &f->table, 7 * (size_t)length);
    f->table_length = f->table ? length : 0;
}

static void region(stream *s, tl_region *r)
{
    uint32_t kind = r->kind;
    word(s, &kind);
    r->kind = (tl_region_kind)kind;
    double *numbers[] = {r->low, r->high, r->centre, r->axis};
    for (size_t i = 0; i < 4; i++)
        raw(s, numbers[i], 3 * sizeof(double));
    number(s, &r->radius);
}

/* Records one after the other, each in its array before it is read: a failure then frees what
 * there is. */
static void records(stream *s, tl_array *all, void (*walk)(stream *s, void *record))
{
    uint64_t count = all->count;
    raw(s, &count, sizeof count);
    for (uint64_t i = 0; i < count && s->status == TL_OK; i++) {
        if (!s->out) {
            s->status = tl_array_resize(all, (size_t)i + 1);
            if (s->status != TL_OK)
                return;
            memset((char *)all->data + i * all->item, 0, all->item);
        }
        walk(s, (char *)all->data + i * all->item);
    }
}

static void shape(stream *s, void *record)
{
    tl_shape_def *d = record;
    uint32_t words[6] = {d->kind,  d->material.index, d->geometry.index,
                         d->group, d->mask,           d->sensor};
    raw(s, words, sizeof words);
    if (s->status == TL_OK && words[5] > 1)
        s->status = tl_damaged("a shape of a template is a sensor neither 0 nor 1");
    d->kind = (tl_shape_kind)words[0];
    d->material.index = words[1];
    d->geometry.index = words[2];
    d->group = words[3];
    d->mask = words[4];
    d->sensor = words[5] != 0;
    raw(s, d->position, sizeof d->position);
    raw(s, d->orientation, sizeof d->orientation);
    raw(s, d->half_extents, sizeof d->half_extents);
    number(s, &d->radius);
    number(s, &d->half_length);
    number(s, &d->rounding);
}

/* Shapes are kept apart: all templates' in one array. */
static void template(stream *s, void *record)
{
    tl_template_def *d = record;
    uint64_t shapes = d->shape_count;
    number(s, &d->weight);
    raw(s, &shapes, sizeof shapes);
    d->shape_count = (size_t)shapes;
}

/* Makes a record of what was read. */
static tl_status restore_emitter(const stream *s, tl_emitter_def *def, tl_array *templates,
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

static void emitter(stream *s, void *record)
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
    word(s, &kind);
    d->size.kind = (tl_size_kind)kind;
    word(s, &d->material.index);
    word(s, &d->group);
    word(s, &d->mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number(s, numbers[i]);
    for (size_t i = 0; i < 4; i++)
        raw(s, counters[i], sizeof(uint64_t));
    if (s->out && s->status == TL_OK)
        s->status = list_templates(&e->templates, &list);
    records(s, &list, template);
    records(s, s->out ? &e->templates.shapes : &shapes, shape);
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

static void boundary(stream *s, void *record)
{
    tl_boundary_rec *b = record;
    uint32_t inside = b->def.remove_inside;
    region(s, &b->def.region);
    word(s, &inside);
    b->def.remove_inside = inside != 0;
    if (s->status == TL_OK && inside > 1)
        s->status = tl_damaged("boundaries: which side is removed is not 0 or 1");
    number(s, &b->def.interval);
    number(s, &b->next);
}

static void patch(stream *s, void *record)
{
    tl_patch_rec *p = record;
    uint32_t words[3] = {p->def.follow.index, p->def.grains.first.index, p->def.grains.count};
    double *numbers[] = {&p->def.length, &p->def.interval, &p->next, &p->at};
    raw(s, words, sizeof words);
    raw(s, p->def.direction, sizeof p->def.direction);
    raw(s, p->def.up, sizeof p->def.up);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number(s, numbers[i]);
    p->def.follow = (tl_body){words[0], 1};
    p->def.grains = (tl_body_range){{words[1], 1}, words[2]};
}

static void event(stream *s, void *record)
{
    tl_event_rec *e = record;
    tl_array bodies = {e->bodies, sizeof(uint32_t), e->body_count, e->body_count};
    word(s, &e->kind);
    number(s, &e->time);
    raw(s, e->gravity, sizeof e->gravity);
    array(s, &bodies);
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
static void take_solid(stream *s, const uint32_t pieces[2], const double solid[10],
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
static void check_pieces(stream *s, const tl_array *geometries)
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
static void geometry(stream *s, void *record)
{
    tl_geometry_rec *g = record;
    tl_geometry_rec read = {.numbers.item = sizeof(double), .words.item = sizeof(uint32_t)};
    word(s, &g->kind);
    array(s, s->out ? &g->numbers : &read.numbers);
    array(s, s->out ? &g->words : &read.words);
    read.kind = g->kind;
    uint32_t pieces[2] = {g->first_piece, g->piece_count};
    word(s, &pieces[0]);
    word(s, &pieces[1]);
    double solid[10] = {g->volume};
    memcpy(solid + 1, g->com, sizeof g->com);
    memcpy(solid + 4, g->inertia, sizeof g->inertia);
    raw(s, solid, sizeof solid);
    if (s->status == TL_OK && !s->out) {
        s->status = tl_geometry_restore(&read, g);
        if (s->status != TL_OK && s->status != TL_NO_MEMORY)
            s->status = tl_damaged("a geometry is not what its vertices give");
        if (s->status == TL_OK)
            take_solid(s, pieces, solid, g);
    }
    tl_geometry_free(&read);
}

static void description(stream *s, tl_world *w)
{
    s->world = w;
    word(s, &w->materials);
    array(s, &w->pairs);
    array(s, &w->slides);
    array(s, &w->elastics);
    array(s, &w->ellipsoids);
    records(s, &w->geometries, geometry);
    check_pieces(s, &w->geometries);
    array(s, &w->origins);
    records(s, &w->motions, motion);
    records(s, &w->forces, force);
    array(s, &w->exclusions);
    array(s, &w->rods);
    raw(s, &w->schedule.events_done, sizeof w->schedule.events_done);
    raw(s, &w->schedule.removed, sizeof w->schedule.removed);
    raw(s, &w->schedule.moved, sizeof w->schedule.moved);
    number(s, &w->schedule.moved_energy);
    records(s, &w->schedule.emitters, emitter);
    records(s, &w->schedule.events, event);
    records(s, &w->schedule.boundaries, boundary);
    records(s, &w->schedule.patches, patch);
}

static void monitors(stream *s, tl_world *w, uint64_t handles)
{
    tl_array bytes = {.item = 1};
    if (s->status == TL_OK && s->out)
        s->status = tl_monitors_save(w, &bytes);
    array(s, &bytes);
    if (s->status == TL_OK && !s->out)
        s->status = tl_monitors_load(w, bytes.data, bytes.count, handles);
    tl_array_free(&bytes);
}

static void state(stream *s, tl_world *w, tl_image *m, uint64_t *handles, tl_array *alive,
                  tl_array *joints)
{
    raw(s, &w->steps, sizeof w->steps);
    number(s, &w->time);
    number(s, &w->dissipated);
    number(s, &w->work_done);
    number(s, &w->energy_error);
    raw(s, w->pull, sizeof w->pull);
    word(s, &w->unbalanced);
    raw(s, &w->balance_debt, sizeof w->balance_debt);
    word(s, &w->stopped);
    number(s, &w->hold_debt);
    raw(s, handles, sizeof *handles);
    array(s, alive);
    description(s, w);
    monitors(s, w, *handles);
    if (s->status == TL_OK && s->out)
        s->status = tl_joints_save(w, joints);
    array(s, joints);
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        array(s, tl_image_array(m, i));
}

/* Which shapes are on bodies of excluded pairs follows from the list of those. */
static void forget_excluded(tl_image *m)
{
    uint32_t *info = m->shape_info.data;
    for (size_t i = 0; i < m->shape_info.count; i++)
        info[i] &= ~TLK_SHAPE_EXCLUDES;
}

static uint64_t checksum(const unsigned char *data, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t chunk;
        memcpy(&chunk, data + i, 8);
        hash = (hash ^ chunk) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; i < count; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash ^ count;
}

/* A bit for each handle that was given: 1 while its body is there. */
static tl_status list_alive(const tl_world *w, tl_array *alive)
{
    const uint32_t *row_of = w->row_of.data;
    TL_TRY(tl_array_resize(alive, (w->row_of.count + 63) / 64));
    uint64_t *bits = alive->data;
    for (size_t i = 0; i < alive->count; i++)
        bits[i] = 0;
    for (size_t i = 0; i < w->row_of.count; i++)
        bits[i / 64] |= (uint64_t)(row_of[i] != TLK_NONE) << i % 64;
    return TL_OK;
}

typedef struct header {
    uint64_t magic, version, length, checksum;
} header;

tl_status tl_world_save(const tl_world *world, void **snapshot, size_t *bytes)
{
    REFUSE_NULL(snapshot);
    REFUSE_NULL(bytes);
    *snapshot = NULL;
    *bytes = 0;
    REFUSE_NULL(world);
    tl_array out = {.item = 1}, alive = {.item = sizeof(uint64_t)}, joints = {.item = 1};
    tl_image image;
    header head = {MAGIC, VERSION, 0, 0};
    uint64_t handles = world->row_of.count;
    tl_world copy = *world; /* the walk is the same for both directions; a writer changes nothing */
    tl_image_init(&image);
    stream s = {.out = &out,
                .status = tl_image_pull(world, &world->contacts[world->current], &image)};
    forget_excluded(&image);
    if (s.status == TL_OK)
        s.status = list_alive(world, &alive);
    raw(&s, &head, sizeof head);
    settings(&s, &copy.settings);
    state(&s, &copy, &image, &handles, &alive, &joints);
    tl_image_free(&image);
    tl_array_free(&alive);
    tl_array_free(&joints);
    /* exactly as large as it is: what is freed later is (pointer, size) */
    void *data = s.status == TL_OK ? tl_alloc(out.count) : NULL;
    if (data) {
        memcpy(data, out.data, out.count);
        head.length = out.count - sizeof head;
        head.checksum = checksum((const unsigned char *)data + sizeof head, (size_t)head.length);
        memcpy(data, &head, sizeof head);
        *snapshot = data;
        *bytes = out.count;
    }
    tl_array_free(&out);
    return s.status != TL_OK ? s.status : data ? TL_OK : TL_NO_MEMORY;
}

void tl_snapshot_free(void *snapshot, size_t bytes)
{
    tl_free(snapshot, bytes);
}

/* --- loading
 * ------------------------------------------------------------------------------------------ */

static tl_status restore(stream *s, tl_world *w)
{
    tl_image m;
    tl_array alive = {.item = sizeof(uint64_t)}, joints = {.item = 1};
    uint64_t handles = 0;
    tl_image_init(&m);
    state(s, w, &m, &handles, &alive, &joints);
    tl_status status = s->status;
    if (status == TL_OK && s->left)
        status = tl_fail(TL_BAD_DATA, "the snapshot has %zu bytes too many", s->left);
    if (status == TL_OK)
        status = tl_image_check(w, &m, handles, &alive);
    if (status == TL_OK)
        status = tl_world_upload_materials(w);
    if (status == TL_OK)
        status = tl_damaged_by_rule(tl_world_check_solver(w, &w->settings));
    if (status == TL_OK)
        status = tl_world_upload_geometries(w);
    if (status == TL_OK)
        status = tl_image_push(w, &m, NULL);
    if (status == TL_OK)
        status = tl_joints_load(w, joints.data, joints.count);
    if (status == TL_OK)
        status = tl_world_upload_exclusions(w);
    if (status == TL_OK) {
        tl_world_apply_settings(w);
        tl_world_plan(w);
    }
    tl_array_free(&alive);
    tl_array_free(&joints);
    tl_image_free(&m);
    return status;
}

tl_status tl_world_load(const void *snapshot, size_t bytes, tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(snapshot);
    return tl_world_load_on(snapshot, bytes, TL_BACKEND_CPU, world);
}

tl_status tl_world_load_on(const void *snapshot, size_t bytes, tl_backend_kind backend,
                           tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(snapshot);
    header head = {0};
    stream s = {.in = snapshot, .left = bytes};
    raw(&s, &head, sizeof head);
    TL_TRY(s.status);
    if (head.magic != MAGIC)
        return tl_fail(TL_BAD_DATA,
                       "this is no snapshot of Talus, or one of a machine with another "
                       "byte order");
    if (head.version != VERSION)
        return tl_fail(
            TL_BAD_DATA,
            "the snapshot has version %u.%u; this is Talus %s, which reads version %u.%u",
            (unsigned)head.version, (unsigned)(head.version >> 32), tl_version(), MAJOR, MINOR);
    if (head.length != s.left)
        return tl_fail(TL_BAD_DATA,
                       "the snapshot should have %llu bytes after its header; it has %zu",
                       (unsigned long long)head.length, s.left);
    if (head.checksum != checksum(s.in, s.left))
        return tl_fail(TL_BAD_DATA, "the snapshot is damaged: its checksum does not match");
    tl_settings read = {0};
    settings(&s, &read);
    TL_TRY(s.status);
    read.backend = TL_BACKEND_CPU;
    TL_TRY(tl_damaged_by_rule(tl_settings_check(&read)));
    read.backend = backend;
    TL_TRY(tl_settings_check(&read));
    tl_world *w;
    TL_TRY(tl_world_new(&read, &w));
    const tl_status status = restore(&s, w);
    if (status != TL_OK) {
        tl_world_free(w);
        return status;
    }
    *world = w;
    return TL_OK;
}
