/* Snapshots: a world as bytes, with its description, so that it can go on bit for bit without its
 * scene.
 *
 *   header   magic (which also tells byte order), version, length, checksum of what follows
 *   fixed    settings field by field, counters
 *   arrays   each with its count: pairs, motions, forces, emitters, events, boundaries, the arrays
 *            of the image
 *
 * Loading trusts nothing: lengths are checked against what is there, the checksum against the
 * bytes, and indices and numbers against what a world can hold. */
#include "world/image.h"

#include <math.h>
#include <string.h>

#define MAGIC   0x31504e5353554c54u /* "TLUSSNP1" read as a little-endian number */
#define VERSION 3u

/* Both directions in one walk: `out` is written where it is not NULL, else `in` is read. */
typedef struct stream {
    tl_array *out;
    const unsigned char *in;
    size_t left;
    tl_status status;
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

static void settings(stream *s, tl_settings *t)
{
    uint32_t words[10] = {t->overlap,
                          t->solver.kind,
                          t->solver.law,
                          t->solver.iterations,
                          t->solver.position_iterations,
                          t->solver.warm_start,
                          t->precision,
                          t->threads,
                          t->impacts,
                          t->solver.balance_iterations};
    double *numbers[] = {
        &t->gravity[0], &t->gravity[1],        &t->gravity[2],     &t->step,
        &t->envelope,   &t->recovery_fraction, &t->recovery_speed, &t->restitution_speed,
        &t->max_speed,  &t->solver.tolerance,  &t->solver.omega,   &t->solver.lambda};
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
    t->impacts = (tl_impacts)words[8];
    t->solver.balance_iterations = words[9];
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

static void motion(stream *s, void *record)
{
    tl_world_motion *m = record;
    tl_motion_def *d = &m->rec.def;
    uint32_t kind = d->kind, length = (uint32_t)d->table_length;
    word(s, &m->id);
    word(s, &kind);
    word(s, &length);
    double *numbers[] = {d->velocity, d->angular_velocity, d->amplitude, m->position};
    for (size_t i = 0; i < 4; i++)
        raw(s, numbers[i], 3 * sizeof(double));
    raw(s, m->orientation, sizeof m->orientation);
    number(s, &d->frequency);
    number(s, &d->phase);
    table(s, &m->rec.table, 4 * (size_t)length);
    if (s->status != TL_OK || s->out)
        return;
    d->kind = (tl_motion_kind)kind;
    d->table_length = m->rec.table ? length : 0;
    d->times = m->rec.table;
    d->offsets = m->rec.table ? m->rec.table + length : NULL;
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

static void emitter(stream *s, void *record)
{
    tl_emitter_rec *e = record;
    tl_emitter_def *d = &e->def;
    uint32_t kind = d->size.kind;
    double *numbers[] = {&d->size.radius, &d->size.deviation, &d->size.low,    &d->size.high,
                         &d->rate,        &d->start,          &d->stop,        &d->interval,
                         &d->density,     &d->velocity[0],    &d->velocity[1], &d->velocity[2],
                         &e->next};
    uint64_t *counters[] = {&d->count, &d->seed, &e->emitted, &e->due};
    region(s, &d->region);
    word(s, &kind);
    d->size.kind = (tl_size_kind)kind;
    word(s, &d->material.index);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number(s, numbers[i]);
    for (size_t i = 0; i < 4; i++)
        raw(s, counters[i], sizeof(uint64_t));
}

static void boundary(stream *s, void *record)
{
    tl_boundary_rec *b = record;
    uint32_t inside = b->def.remove_inside;
    region(s, &b->def.region);
    word(s, &inside);
    b->def.remove_inside = inside != 0;
    number(s, &b->def.interval);
    number(s, &b->next);
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

static void description(stream *s, tl_world *w)
{
    word(s, &w->materials);
    array(s, &w->pairs);
    records(s, &w->motions, motion);
    records(s, &w->forces, force);
    raw(s, &w->schedule.events_done, sizeof w->schedule.events_done);
    raw(s, &w->schedule.removed, sizeof w->schedule.removed);
    records(s, &w->schedule.emitters, emitter);
    records(s, &w->schedule.events, event);
    records(s, &w->schedule.boundaries, boundary);
}

static void state(stream *s, tl_world *w, tl_image *m, uint64_t *handles)
{
    raw(s, &w->steps, sizeof w->steps);
    number(s, &w->time);
    number(s, &w->dissipated);
    number(s, &w->work_done);
    raw(s, w->pull, sizeof w->pull);
    word(s, &w->unbalanced);
    raw(s, &w->balance_debt, sizeof w->balance_debt);
    raw(s, handles, sizeof *handles);
    description(s, w);
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        array(s, tl_image_array(m, i));
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
    tl_array out = {.item = 1};
    tl_image image;
    header head = {MAGIC, VERSION, 0, 0};
    uint64_t handles = world->row_of.count;
    tl_world copy = *world; /* the walk is the same for both directions; a writer changes nothing */
    tl_image_init(&image);
    stream s = {.out = &out, .status = tl_image_pull(world, &image)};
    raw(&s, &head, sizeof head);
    settings(&s, &copy.settings);
    state(&s, &copy, &image, &handles);
    tl_image_free(&image);
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

/* --- what a reader checks
 * --------------------------------------------------------------------------- */

static bool finite_numbers(const tl_array *a)
{
    const double *x = a->data;
    for (size_t i = 0; i < a->count * a->item / sizeof(double); i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool below(const tl_array *a, size_t limit)
{
    const uint32_t *x = a->data;
    for (size_t i = 0; i < a->count; i++)
        if (x[i] >= limit)
            return false;
    return true;
}

static const char *bodies_fault(const tl_image *m, uint64_t handles)
{
    const size_t bodies = m->id.count;
    if (m->pos.count != bodies || m->quat.count != bodies || m->vel.count != bodies ||
        m->inertia.count != bodies || m->flags.count != bodies)
        return "its arrays of bodies differ in length";
    if (!finite_numbers(&m->pos) || !finite_numbers(&m->quat) || !finite_numbers(&m->vel) ||
        !finite_numbers(&m->inertia))
        return "a body's state is not finite";
    const double *x = m->pos.data, *inertia = m->inertia.data, *q = m->quat.data;
    for (size_t i = 0; i < bodies; i++) {
        const double norm = q[4 * i] * q[4 * i] + q[4 * i + 1] * q[4 * i + 1] +
                            q[4 * i + 2] * q[4 * i + 2] + q[4 * i + 3] * q[4 * i + 3];
        const bool moves = inertia[4 * i + 3] > 0;
        if (!(fabs(norm - 1) < 1e-6))
            return "an orientation is no unit quaternion";
        for (size_t k = 0; k < 3; k++)
            if (!(fabs(x[4 * i + k]) < 1e12) || (moves && !(inertia[4 * i + k] > 0)))
                return "a body is out of reach or has no inertia";
    }
    /* handles are unique: each is seen once */
    const uint32_t *id = m->id.data;
    for (size_t i = 0; i < bodies; i++)
        if (id[i] == 0 || id[i] > handles)
            return "a handle is out of range";
    return NULL;
}

static const char *shapes_fault(const tl_image *m, uint32_t materials)
{
    const size_t shapes = m->shape_body.count;
    const uint32_t *body = m->shape_body.data, *info = m->shape_info.data;
    const double *geom = m->geom.data, *inertia = m->inertia.data;
    size_t patches = 0;
    if (m->shape_info.count != shapes || m->geom.count != shapes || m->centre.count != shapes)
        return "its arrays of shapes differ in length";
    for (size_t s = 0; s < shapes; s++)
        patches += (info[s] & TLK_SHAPE_FIXED) != 0;
    if (m->patch_local.count != patches)
        return "its arrays of shapes differ in length";
    if (!below(&m->shape_body, m->id.count))
        return "a shape has no body";
    if (!finite_numbers(&m->geom) || !finite_numbers(&m->patch_local) ||
        !finite_numbers(&m->centre))
        return "a shape is not finite";
    for (size_t s = 1; s < shapes; s++)
        if (body[s] < body[s - 1])
            return "its shapes are not in the order of their bodies";
    for (size_t s = 0; s < shapes; s++) {
        const uint32_t kind = info[s] & TLK_SHAPE_KIND;
        const bool fixed = info[s] & TLK_SHAPE_FIXED, moves = inertia[4 * (size_t)body[s] + 3] > 0;
        if (kind > TL_PARALLELOGRAM || info[s] >> TLK_SHAPE_MATERIAL >= materials ||
            fixed == moves || (moves && kind != TL_SPHERE) ||
            !(geom[4 * s + 3] > 0 || kind == TL_PLANE))
            return "a shape breaks a rule of scenes";
    }
    return NULL;
}

static const char *contacts_fault(const tl_image *m)
{
    const size_t contacts = m->a.count, shapes = m->shape_body.count;
    const uint32_t *a = m->a.data, *b = m->b.data, *info = m->shape_info.data;
    const uint32_t *colour = m->colour.data;
    if (m->b.count != contacts || m->n.count != contacts || m->gamma.count != contacts ||
        m->colour.count != contacts)
        return "its arrays of contacts differ in length";
    if (!below(&m->a, shapes) || !below(&m->b, shapes))
        return "a contact has no shape";
    if (!finite_numbers(&m->n) || !finite_numbers(&m->gamma))
        return "a contact is not finite";
    for (size_t k = 0; k < contacts; k++)
        if ((colour[k] >= TLK_COLOURS && colour[k] != TLK_NONE) || a[k] == b[k] ||
            (info[a[k]] & info[b[k]] & TLK_SHAPE_FIXED))
            return "a contact breaks a rule";
    return NULL;
}

/* Motions and forces name living bodies, once the image is in place. */
static const char *description_fault(const tl_world *w)
{
    const tl_world_motion *motions = w->motions.data;
    const tl_force_rec *forces = w->forces.data;
    for (size_t i = 0; i < w->motions.count; i++) {
        const uint32_t row = tl_world_row(w, (tl_body){motions[i].id, 1});
        if (row == TLK_NONE || row < w->dynamic || motions[i].rec.def.kind > TL_MOTION_TABLE ||
            (motions[i].rec.def.kind == TL_MOTION_TABLE && !motions[i].rec.table))
            return "a motion is damaged";
    }
    for (size_t i = 0; i < w->forces.count; i++)
        if (tl_world_row(w, (tl_body){forces[i].body, 1}) >= w->dynamic)
            return "a force acts on no dynamic body";
    return NULL;
}

static const char *events_fault(const tl_schedule *s, uint64_t handles)
{
    const tl_event_rec *events = s->events.data;
    if (s->events_done > s->events.count)
        return "more events are past than there are";
    for (size_t i = 0; i < s->events.count; i++) {
        const tl_event_rec *e = &events[i];
        tl_event_def def = {.kind = (tl_event_kind)e->kind, .time = e->time};
        memcpy(def.gravity, e->gravity, sizeof def.gravity);
        if (tl_event_check(&def) != TL_OK || (i && e->time < events[i - 1].time))
            return "an event breaks a rule of scenes";
        for (uint32_t k = 0; k < e->body_count; k++)
            if (e->bodies[k] < 1 || e->bodies[k] > handles)
                return "an event names no body";
    }
    return NULL;
}

static const char *schedule_fault(const tl_world *w, uint64_t handles)
{
    const tl_emitter_rec *e = w->schedule.emitters.data;
    const tl_boundary_rec *b = w->schedule.boundaries.data;
    for (size_t i = 0; i < w->schedule.emitters.count; i++)
        if (tl_emitter_check(&e[i].def, w->materials) != TL_OK || e[i].emitted > e[i].due ||
            !(e[i].next >= 0 && isfinite(e[i].next)))
            return "an emitter breaks a rule of scenes";
    for (size_t i = 0; i < w->schedule.boundaries.count; i++)
        if (tl_boundary_check(&b[i].def) != TL_OK || !(b[i].next >= 0 && isfinite(b[i].next)))
            return "a boundary breaks a rule of scenes";
    return events_fault(&w->schedule, handles);
}

static tl_status damaged(const char *fault)
{
    return fault ? tl_fail(TL_BAD_DATA, "the snapshot is damaged: %s", fault) : TL_OK;
}

/* --- loading
 * ------------------------------------------------------------------------------------------ */

/* Handles in the image must be distinct: rows found through the table must be as many as bodies. */
static const char *handles_fault(const tl_world *w)
{
    const uint32_t *row_of = w->row_of.data;
    size_t found = 0;
    for (size_t i = 0; i < w->row_of.count; i++)
        found += row_of[i] != TLK_NONE;
    return found == w->alive ? NULL : "two bodies have the same handle";
}

static tl_status restore(stream *s, tl_world *w)
{
    tl_image m;
    uint64_t handles = 0;
    tl_image_init(&m);
    state(s, w, &m, &handles);
    tl_status status = s->status;
    if (status == TL_OK && s->left)
        status = tl_fail(TL_BAD_DATA, "the snapshot has %zu bytes too many", s->left);
    if (status == TL_OK &&
        (!isfinite(w->time) || handles >= 1u << 31 || w->materials < 1 || w->materials > 256 ||
         w->pairs.count != (size_t)w->materials * w->materials))
        status = damaged("its counters make no sense");
    if (status == TL_OK)
        status = damaged(schedule_fault(w, handles));
    if (status == TL_OK)
        status = damaged(bodies_fault(&m, handles));
    if (status == TL_OK)
        status = damaged(shapes_fault(&m, w->materials));
    if (status == TL_OK)
        status = damaged(contacts_fault(&m));
    if (status == TL_OK)
        status = tl_array_resize(&w->row_of, (size_t)handles);
    if (status == TL_OK)
        status = tl_world_upload_pairs(w);
    if (status == TL_OK)
        status = tl_image_push(w, &m, NULL);
    if (status == TL_OK)
        status = damaged(handles_fault(w));
    if (status == TL_OK)
        status = damaged(description_fault(w));
    if (status == TL_OK) {
        tl_world_apply_settings(w);
        tl_world_plan(w);
    }
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
        return tl_fail(TL_BAD_DATA, "the snapshot has version %llu; this library reads version %u",
                       (unsigned long long)head.version, VERSION);
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
    if (tl_settings_check(&read) != TL_OK)
        return tl_fail(TL_BAD_DATA, "the snapshot is damaged: its settings are not valid");
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
