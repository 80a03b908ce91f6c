/* Moving everything to new rows on the device, given the order of bodies: new row i is old row
 * order[i]. Shapes and frames follow their bodies, contacts their shapes, and both go where their
 * bodies go away. renumber.c and push.c say which order. Everything that can fail is done before
 * the world changes. */
#include "world/world.h"

#include <string.h>

/* An array whose rows move. */
typedef struct moving {
    tl_buffer *buffer;
    uint32_t words; /* of 32 bits, a row */
} moving;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

tl_status tl_ordering_need(tl_world *w, size_t rows, size_t shapes)
{
    tl_backend *b = w->backend;
    tl_ordering *o = &w->ordering;
    const size_t most = larger(rows, shapes), word = sizeof(uint32_t);
    TL_TRY(tl_buffer_need(b, &o->order, rows * word));
    return tl_buffer_need(b, &o->place, (3 * most + 2) * word);
}

static tl_status room(tl_world *w, const tl_arrangement *all)
{
    tl_backend *b = w->backend;
    tl_ordering *o = &w->ordering;
    const size_t bodies = all->old_rows, shapes = all->old_shapes, word = sizeof(uint32_t);
    const size_t contacts = w->contacts[w->current].count, most = larger(bodies, shapes);
    const size_t bytes = larger(most * larger(4 * sizeof(double), 8 * b->real),
                                all->old_frames * TLK_FRAME * sizeof(double));
    tl_contacts *next = &w->contacts[1 - w->current];
    TL_TRY(tl_contacts_rest(b, &w->contacts[w->current]));
    TL_TRY(tl_ordering_need(w, bodies, shapes));
    TL_TRY(tl_buffer_need(b, &w->problem.key, contacts * word));
    TL_TRY(tl_buffer_need(b, &w->problem.place, contacts * word));
    TL_TRY(tl_buffer_need(b, &o->first, (bodies + 1) * word));
    TL_TRY(tl_buffer_need(b, &o->from, shapes * word));
    TL_TRY(tl_buffer_need(b, &o->to, shapes * word));
    TL_TRY(tl_buffer_need(b, &o->level, shapes));
    TL_TRY(tl_buffer_need(b, &o->range, 2 * (most + 1) * word));
    TL_TRY(tl_buffer_need(b, &o->rows, bytes));
    TL_TRY(tl_buffer_need(b, &next->start, (shapes + 1) * word));
    TL_TRY(tl_buffer_need(b, &next->a, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->b, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->colour, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->n, 4 * contacts * b->real));
    TL_TRY(tl_buffer_need(b, &next->gamma, 4 * contacts * b->real));
    if (w->contacts[w->current].moments)
        TL_TRY(tl_buffer_need(b, &next->moment, 4 * contacts * b->real));
    if (w->contacts[w->current].pasts)
        TL_TRY(tl_buffer_need(b, &next->past, TLK_CONTACT_PAST * contacts * b->real));
    if (w->contacts[w->current].manifolds) {
        TL_TRY(tl_buffer_need(b, &next->place, 4 * contacts * b->real));
        TL_TRY(tl_buffer_need(b, &next->feature, 2 * contacts * word));
        TL_TRY(tl_buffer_need(b, &next->kept, TLK_KEPT * contacts * b->real));
    }
    TL_TRY(tl_array_reserve(&w->row_of, all->handles));
    return tl_array_resize(&o->ids, all->rows);
}

/* Where shapes go when their bodies do; their new bodies wait in w->ordering.rows. */
static tl_status sort_shapes(tl_world *w, const tl_arrangement *all, tlk_order *args)
{
    tl_backend *b = w->backend;
    uint64_t total;
    TL_TRY(tl_ranges(b, w->shape_body.data, all->old_shapes, all->old_rows, &w->ordering.range));
    args->shape_begin = w->ordering.range.data;
    args->shape_end = args->shape_begin + all->old_rows;
    tl_run(b, TLK_order_count, all->rows, args);
    TL_TRY(b->ops->scan(b, args->first, all->rows, &total));
    TL_TRY(b->ops->download(b, &args->shape_dynamic, args->first + all->dynamic, sizeof(uint32_t)));
    args->shapes = (uint32_t)total;
    args->shape_body = w->ordering.rows.data;
    b->ops->fill(b, args->shape_to, 0xff, (size_t)all->old_shapes * sizeof(uint32_t));
    tl_run(b, TLK_order_shapes, all->rows, args);
    return TL_OK;
}

/* Where frames come from: the k-th one belongs to the k-th shape that is no sphere. */
static tl_status sort_frames(tl_world *w, tlk_order *args, uint32_t *frames)
{
    tl_backend *b = w->backend;
    uint64_t total;
    args->frame_of = w->frame_of.data;
    args->frame_rank = w->ordering.place.data;
    args->frame_from = args->frame_rank + args->shapes + 1;
    args->frame_out = args->frame_from + args->shapes;
    tl_run(b, TLK_order_frame, args->shapes, args);
    TL_TRY(b->ops->scan(b, args->frame_rank, args->shapes, &total));
    tl_run(b, TLK_order_frame_from, args->shapes, args);
    *frames = (uint32_t)total;
    return TL_OK;
}

/* Contacts with their new shapes, in lists by their new owners. */
static tl_status move_contacts(tl_world *w, tlk_order *args)
{
    tl_backend *b = w->backend;
    const tl_contacts *last = &w->contacts[w->current];
    tl_contacts *next = &w->contacts[1 - w->current];
    uint32_t bits = 1;
    uint64_t kept;
    while (bits < 32 && args->shapes >> bits)
        bits++;
    args->a = last->a.data, args->b = last->b.data, args->colour = last->colour.data;
    args->n = last->n.data, args->gamma = last->gamma.data;
    args->a_out = next->a.data, args->b_out = next->b.data, args->colour_out = next->colour.data;
    args->n_out = next->n.data, args->gamma_out = next->gamma.data;
    if (last->moments)
        args->moment = last->moment.data, args->moment_out = next->moment.data;
    if (last->pasts)
        args->past = last->past.data, args->past_out = next->past.data;
    if (last->manifolds) {
        args->place = last->place.data, args->feature = last->feature.data;
        args->place_out = next->place.data, args->feature_out = next->feature.data;
        args->kept = last->kept.data, args->kept_out = next->kept.data;
        args->centre = w->centre.data;
    }
    args->start = next->start.data;
    args->key = w->problem.key.data, args->value = w->problem.place.data;
    tl_run(b, TLK_order_owner, last->count, args);
    TL_TRY(b->ops->sort(b, args->key, args->value, last->count, bits));
    TL_TRY(tl_ranges(b, args->key, last->count, args->shapes + 1, &w->ordering.range));
    args->list_begin = w->ordering.range.data;
    args->list_end = args->list_begin + args->shapes + 1;
    tl_run(b, TLK_order_list, args->shapes, args);
    TL_TRY(b->ops->scan(b, args->start, args->shapes, &kept));
    tl_run(b, TLK_order_contact, (uint32_t)kept, args);
    next->count = (uint32_t)kept;
    next->impulses = last->impulses;
    next->manifolds = last->manifolds;
    next->moments = last->moments;
    next->pasts = last->pasts;
    return TL_OK;
}

static void move_rows(tl_world *w, const moving *list, size_t count, const uint32_t *order,
                      uint32_t rows)
{
    tl_backend *b = w->backend;
    for (size_t i = 0; i < count; i++) {
        const tlk_gathering args = {order, list[i].buffer->data, w->ordering.rows.data,
                                    list[i].words};
        tl_run(b, TLK_order_rows, rows, &args);
        b->ops->copy(b, list[i].buffer->data, w->ordering.rows.data,
                     (size_t)rows * list[i].words * sizeof(uint32_t));
    }
}

static void move_state(tl_world *w, const tl_arrangement *all, const tlk_order *args,
                       uint32_t frames)
{
    tl_backend *b = w->backend;
    tl_ordering *o = &w->ordering;
    const uint32_t real = (uint32_t)(b->real / sizeof(uint32_t));
    const moving bodies[] = {{&w->pos, 8},     {&w->quat, 8},  {&w->vel, 8 * real},
                             {&w->inertia, 8}, {&w->flags, 1}, {&w->id, 1}};
    const moving shapes[] = {{&w->shape_info, 1}, {&w->filter, 2}, {&w->geom, 8}, {&w->centre, 8}};
    const tlk_gathering level = {o->from.data, o->level.data, w->level.data, 1};
    const moving frame[] = {{&w->frame_local, 2 * TLK_FRAME}};
    b->ops->copy(b, w->shape_body.data, args->shape_body, (size_t)args->shapes * sizeof(uint32_t));
    move_rows(w, bodies, 6, o->order.data, all->rows);
    move_rows(w, shapes, 4, o->from.data, args->shapes);
    move_rows(w, frame, 1, args->frame_from, frames);
    b->ops->copy(b, w->frame_of.data, args->frame_out, (size_t)args->shapes * sizeof(uint32_t));
    tl_run(b, TLK_order_bytes, args->shapes, &level);
}

/* Brings the handles in their new order to the host, by way of w->ordering.rows. */
static tl_status fetch_ids(tl_world *w, const tl_arrangement *all)
{
    tl_ordering *o = &w->ordering;
    const tlk_gathering args = {o->order.data, w->id.data, o->rows.data, 1};
    tl_run(w->backend, TLK_order_rows, all->rows, &args);
    return w->backend->ops->download(w->backend, o->ids.data, o->rows.data,
                                     all->rows * sizeof(uint32_t));
}

/* What the host knows of rows. */
static void note_rows(tl_world *w, size_t handles)
{
    const uint32_t *ids = w->ordering.ids.data;
    w->row_of.count = handles;
    w->monitors.current = false;
    w->caster.current = false;
    w->mechanism.moved = true;
    uint32_t *row_of = w->row_of.data;
    if (handles)
        memset(row_of, 0xff, handles * sizeof *row_of); /* TLK_NONE */
    for (uint32_t row = 0; row < w->rows; row++)
        row_of[ids[row] - 1] = row;
}

tl_status tl_world_rearrange(tl_world *w, const tl_arrangement *all)
{
    tl_ordering *o = &w->ordering;
    tl_collide levels = w->collide; /* its buffers stay */
    double smallest;
    uint32_t frames;
    tl_world_forget_asked(w);
    tl_step_penalty_forget(w);
    TL_TRY(room(w, all));
    TL_TRY(fetch_ids(w, all));
    tlk_order args = {.order = o->order.data,
                      .first = o->first.data,
                      .shape_from = o->from.data,
                      .shape_to = o->to.data,
                      .level = o->level.data};
    TL_TRY(sort_shapes(w, all, &args));
    TL_TRY(tl_world_levels(w, all->old_shapes, args.shapes, &levels, &smallest));
    TL_TRY(sort_frames(w, &args, &frames));
    TL_TRY(move_contacts(w, &args)); /* from here on nothing fails */
    move_state(w, all, &args, frames);
    w->current = 1 - w->current;
    w->sensed.count = 0; /* its rows are those from before */
    w->collide = levels;
    w->smallest = smallest;
    w->rows = all->rows;
    w->dynamic = all->dynamic;
    w->shape_rows = args.shapes;
    w->shape_dynamic = args.shape_dynamic;
    w->frames = frames;
    w->alive = all->rows;
    note_rows(w, all->handles);
    return TL_OK;
}
