/* Collision detection box by box, on one device or several.
 *
 * A pair is accepted in one bin, so a partition of space is a partition of bins: a part has the
 * bins of each level between two cuts, shapes are entered and search in those of their bins that
 * are the part's, and no pair is found twice or lost. Parts of one device run one after the other
 * in the same buffers; what stays of each is its lists of partners. In the end all lists are on the
 * first device, which merges them owner by owner in the order of rows and computes the geometry of
 * each contact.
 *
 * Further devices are backends of their own that live for one call. They get a copy of the state
 * and hand their lists back through the host's memory. Each is driven by a thread. */
#include "collide/parts.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define COPIES 15u /* arrays of a state that the stages read or write */

typedef struct team team;

typedef struct device {
    const team *team;
    uint32_t index;
    tl_backend *backend;
    tl_collide *collide;    /* the world's, for the first device; else `own` */
    tl_collide own;         /* levels as the world's, buffers of this device */
    tl_buffer copy[COPIES]; /* of the state; empty for the first device */
    tl_collide_state state; /* as this device sees it */
    tl_status status;
    char message[1024]; /* of the failure: messages belong to threads */
    tl_body bodies[2];  /* that it speaks of */
} device;

struct team {
    tl_collide_state state;
    uint32_t parts, devices;
    tl_contacts *pairs; /* a part: its lists, on the device that found them until collected */
    device *device;
    uint32_t collected; /* parts whose lists are on the first device */
    tl_array host;      /* bytes, on their way from one device to another */
};

/* --- making a team and taking it apart
 * ---------------------------------------------------------------------------------------------- */

/* A backend of the same kind and precision on the device with a number. A CPU "device" is a set of
 * buffers and one thread. */
static tl_status open_like(const tl_backend *first, uint32_t number, tl_backend **backend)
{
    return first->ops->threads ? tl_backend_cpu(first->precision, 1, backend)
                               : tl_backend_cuda(first->precision, number, backend);
}

static void team_free(team *t)
{
    for (uint32_t p = 0; t->pairs && t->device && p < t->parts; p++) {
        tl_backend *b = t->device[p < t->collected ? 0 : p % t->devices].backend;
        if (b)
            tl_contacts_free(b, &t->pairs[p]);
    }
    for (uint32_t d = 1; t->device && d < t->devices; d++) {
        device *one = &t->device[d];
        if (!one->backend)
            continue;
        for (uint32_t i = 0; i < COPIES; i++)
            tl_buffer_free(one->backend, &one->copy[i]);
        tl_collide_free(one->backend, &one->own);
        one->backend->ops->destroy(one->backend);
    }
    tl_free(t->pairs, t->parts * sizeof *t->pairs);
    tl_free(t->device, t->devices * sizeof *t->device);
    tl_array_free(&t->host);
}

static tl_status team_make(team *t, tl_backend *backend, tl_collide *collide)
{
    t->pairs = tl_alloc_zero(t->parts * sizeof *t->pairs);
    t->device = tl_alloc_zero(t->devices * sizeof *t->device);
    if (!t->pairs || !t->device)
        return TL_NO_MEMORY;
    for (uint32_t d = 0; d < t->devices; d++) {
        device *one = &t->device[d];
        one->team = t;
        one->index = d;
        one->state = t->state;
        one->backend = d ? NULL : backend;
        one->collide = d ? &one->own : collide;
        if (!d)
            continue;
        one->own = tl_collide_like(collide);
        TL_TRY(open_like(backend, d, &one->backend));
    }
    return TL_OK;
}

/* --- the state, from the first device to the others
 * ---------------------------------------------------------------------------------------------- */

/* An array of the state: the pointer to it, of whatever type, and its size. Kernels write two of
 * them before they are read; the others are copied. */
typedef struct array_ref {
    void *pointer;
    size_t bytes;
    bool scratch;
} array_ref;

static void list_arrays(tl_collide_state *s, size_t real, array_ref list[COPIES])
{
    const size_t bodies = s->bodies.rows, shapes = s->shapes.rows;
    const size_t frames = s->shapes.frames * TLK_FRAME * sizeof(double);
    const array_ref all[COPIES] = {
        {&s->bodies.pos, bodies * 4 * sizeof(double), false},
        {&s->bodies.quat, bodies * 4 * sizeof(double), false},
        {&s->bodies.vel, bodies * 8 * real, false},
        {&s->bodies.id, bodies * sizeof(uint32_t), false},
        {&s->shapes.body, shapes * sizeof(uint32_t), false},
        {&s->shapes.info, shapes * sizeof(uint32_t), false},
        {&s->shapes.filter, shapes * 2 * sizeof(uint32_t), false},
        {&s->excluded, s->exclusions * sizeof(uint64_t), false},
        {&s->shapes.geom, shapes * 4 * sizeof(double), false},
        {&s->shapes.level, shapes, false},
        {&s->shapes.frame_of, shapes * sizeof(uint32_t), false},
        {&s->shapes.frame_local, frames, false},
        {&s->shapes.frame, frames, true},
        {&s->shapes.centre, shapes * 4 * sizeof(double), true},
        {&s->shapes.reach, shapes * sizeof(float), true},
    };
    for (uint32_t i = 0; i < COPIES; i++)
        list[i] = all[i];
}

static tl_status copy_state(team *t)
{
    tl_backend *first = t->device[0].backend;
    array_ref from[COPIES], to[COPIES];
    if (t->devices == 1)
        return TL_OK;
    list_arrays(&t->state, first->real, from);
    for (uint32_t i = 0; i < COPIES; i++) {
        const size_t bytes = from[i].bytes;
        if (!from[i].scratch) {
            const void *data;
            memcpy(&data, from[i].pointer, sizeof data);
            TL_TRY(tl_array_resize(&t->host, bytes));
            TL_TRY(first->ops->download(first, t->host.data, data, bytes));
        }
        for (uint32_t d = 1; d < t->devices; d++) {
            device *one = &t->device[d];
            TL_TRY(tl_buffer_need(one->backend, &one->copy[i], bytes));
            list_arrays(&one->state, first->real, to);
            memcpy(to[i].pointer, &one->copy[i].data, sizeof(void *));
            if (!from[i].scratch)
                one->backend->ops->upload(one->backend, one->copy[i].data, t->host.data, bytes);
        }
    }
    return TL_OK;
}

/* --- finding
 * ---------------------------------------------------------------------------------------------- */

static tl_status find_pairs(device *one)
{
    tl_collide_bounds(one->backend, &one->state);
    const team *t = one->team;
    for (uint32_t p = one->index; p < t->parts; p += t->devices) {
        if (one->collide->arena)
            TL_TRY(tl_arena_clear(one->backend, one->collide->arena, 0));
        TL_TRY(tl_collide_pairs(one->backend, one->collide, &one->state, (tl_part){p, t->parts},
                                &t->pairs[p]));
    }
    return TL_OK;
}

static void *drive(void *context)
{
    device *one = context;
    one->status = find_pairs(one);
    if (one->status < 0) {
        const tl_error error = tl_last_error();
        snprintf(one->message, sizeof one->message, "%s", error.text);
        memcpy(one->bodies, error.bodies, sizeof one->bodies);
    }
    return NULL;
}

/* All devices at the same time; what no thread could be started for runs here. */
static tl_status run_team(team *t)
{
    pthread_t threads[TL_DEVICES_MOST];
    bool started[TL_DEVICES_MOST] = {false};
    for (uint32_t d = 1; d < t->devices; d++)
        started[d] = pthread_create(&threads[d], NULL, drive, &t->device[d]) == 0;
    for (uint32_t d = 0; d < t->devices; d++)
        if (!started[d])
            drive(&t->device[d]);
    for (uint32_t d = 1; d < t->devices; d++)
        if (started[d])
            pthread_join(threads[d], NULL);
    for (uint32_t d = 0; d < t->devices; d++) {
        const device *one = &t->device[d];
        if (one->status < 0) /* said on another thread: say it on this one */
            return strcmp(one->message, tl_last_message())
                       ? tl_fail_about(one->status,
                                       &(tl_error){.bodies = {one->bodies[0], one->bodies[1]}},
                                       "%s", one->message)
                       : one->status;
    }
    return TL_OK;
}

/* --- putting together
 * ---------------------------------------------------------------------------------------------- */

static tl_status move_array(team *t, tl_backend *from, const void *data, size_t bytes,
                            tl_backend *to, tl_buffer *buffer)
{
    TL_TRY(tl_array_resize(&t->host, bytes));
    TL_TRY(from->ops->download(from, t->host.data, data, bytes));
    TL_TRY(tl_buffer_need(to, buffer, bytes));
    to->ops->upload(to, buffer->data, t->host.data, bytes);
    return TL_OK;
}

/* Brings the lists of all parts to the first device. */
static tl_status collect(team *t)
{
    tl_backend *first = t->device[0].backend;
    const size_t starts = ((size_t)t->state.shapes.rows + 1) * sizeof(uint32_t);
    for (; t->collected < t->parts; t->collected++) {
        tl_contacts *pairs = &t->pairs[t->collected], here = {.count = pairs->count};
        tl_backend *there = t->device[t->collected % t->devices].backend;
        if (there == first)
            continue;
        tl_status status = move_array(t, there, pairs->start.data, starts, first, &here.start);
        if (status == TL_OK)
            status = move_array(t, there, pairs->b.data, pairs->count * sizeof(uint32_t), first,
                                &here.b);
        if (status != TL_OK) {
            tl_contacts_free(first, &here);
            return status;
        }
        tl_contacts_free(there, pairs);
        *pairs = here;
    }
    return TL_OK;
}

/* Counts, starts, lists in the order of an uncut run, geometry. `end` is room for a number per
 * shape.
 */
static tl_status join(team *t, tl_buffer *end, tl_contacts *out)
{
    tl_backend *b = t->device[0].backend;
    const uint32_t shapes = t->state.shapes.rows;
    const size_t bytes = (size_t)shapes * sizeof(uint32_t);
    tl_collide *c = t->device[0].collide;
    tl_buffer *start = t->state.manifolds ? &c->near_start : &out->start;
    tlk_join args = {.find = tl_collide_view(t->device[0].collide, &t->state, (tl_part){0, 1})};
    uint64_t total;
    TL_TRY(tl_buffer_need(b, start, bytes + sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, end, bytes));
    args.find.contact_start = args.count = start->data;
    args.end = end->data;
    b->ops->fill(b, args.count, 0, bytes);
    for (uint32_t p = 0; p < t->parts; p++) {
        args.from = t->pairs[p].start.data;
        tl_run(b, TLK_join_count, shapes, &args);
    }
    TL_TRY(b->ops->scan(b, args.find.contact_start, shapes, &total));
    if (t->state.manifolds) {
        TL_TRY(tl_buffer_need(b, &c->near_a, (size_t)total * sizeof(uint32_t)));
        TL_TRY(tl_buffer_need(b, &c->near_b, (size_t)total * sizeof(uint32_t)));
        args.find.contact_a = c->near_a.data;
        args.find.contact_b = c->near_b.data;
    } else {
        TL_TRY(tl_collide_room(b, total, &args.find, out));
    }
    b->ops->copy(b, args.end, args.find.contact_start, bytes);
    for (uint32_t p = 0; p < t->parts; p++) {
        args.from = t->pairs[p].start.data;
        args.partner = t->pairs[p].b.data;
        tl_run(b, TLK_join_lists, shapes, &args);
    }
    if (t->state.manifolds)
        return tl_collide_touch(b, c, &t->state, &args.find, total, out);
    tl_run(b, TLK_contact_geometry, out->count, &args.find);
    return TL_OK;
}

tl_status tl_collide_in_parts(tl_backend *backend, tl_collide *collide,
                              const tl_collide_state *state, uint32_t parts, uint32_t devices,
                              tl_contacts *out)
{
    team t = {.state = *state, .parts = parts, .host.item = 1};
    tl_buffer end = {0};
    t.devices = devices < parts ? devices : parts;
    tl_status status = team_make(&t, backend, collide);
    if (status == TL_OK)
        status = copy_state(&t);
    if (status == TL_OK)
        status = run_team(&t);
    if (status == TL_OK)
        status = collect(&t);
    if (status == TL_OK)
        status = join(&t, &end, out);
    tl_buffer_free(backend, &end);
    team_free(&t);
    return status;
}
