/* Renumbering: bodies that are near in space become near in memory, with their shapes and contacts,
 * on the device. Handles do not change, and nothing that is computed does. Called when a world is
 * made and every so many steps. */
#include "world/world.h"

#include <math.h>

#define FROM 4096u /* dynamic bodies from which on it pays */

/* An array whose rows move. */
typedef struct moving {
    tl_buffer *buffer;
    uint32_t words; /* of 32 bits, a row; 0: rows of one byte */
} moving;

static tl_status room(tl_world *w)
{
    tl_backend *b = w->backend;
    tl_ordering *o = &w->ordering;
    const size_t bodies = w->dynamic, shapes = w->shape_rows, word = sizeof(uint32_t);
    const size_t contacts = w->contacts[w->current].count;
    const size_t keys = contacts > bodies ? contacts : bodies;
    const size_t most = bodies > shapes ? bodies : shapes;
    tl_contacts *next = &w->contacts[1 - w->current];
    TL_TRY(tl_arena_clear(b, &w->arena, 0));
    TL_TRY(tl_contacts_rest(b, &w->contacts[w->current]));
    TL_TRY(tl_buffer_need(b, &w->problem.key, keys * word));
    TL_TRY(tl_buffer_need(b, &w->problem.value, keys * word));
    TL_TRY(tl_buffer_need(b, &o->order, bodies * word));
    TL_TRY(tl_buffer_need(b, &o->first, (bodies + 1) * word));
    TL_TRY(tl_buffer_need(b, &o->from, shapes * word));
    TL_TRY(tl_buffer_need(b, &o->to, shapes * word));
    TL_TRY(tl_buffer_need(b, &o->range, 2 * most * word));
    TL_TRY(tl_buffer_need(b, &o->rows, most * 8 * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &next->start, (shapes + 1) * word));
    TL_TRY(tl_buffer_need(b, &next->a, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->b, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->colour, contacts * word));
    TL_TRY(tl_buffer_need(b, &next->n, 4 * contacts * b->real));
    TL_TRY(tl_buffer_need(b, &next->gamma, 4 * contacts * b->real));
    return tl_array_resize(&o->ids, bodies);
}

/* The new order of bodies, in w->ordering.order: new row i is old row order[i]. */
static tl_status sort_bodies(tl_world *w, tlk_order *args)
{
    tl_backend *b = w->backend;
    double widest = 0;
    if (!w->box_known)
        TL_TRY(tl_fold_one(b, TLK_FOLD_body_box, w->dynamic, &args->bodies, w->box));
    w->box_known = true;
    for (int k = 0; k < 3; k++) {
        args->low[k] = w->box[k];
        widest = fmax(widest, -w->box[3 + k] - w->box[k]);
    }
    args->scale = widest > 0 ? 1024 / widest : 0;
    tl_run(b, TLK_order_key, w->dynamic, args);
    TL_TRY(b->ops->sort(b, args->key, args->value, w->dynamic, 30));
    b->ops->copy(b, w->ordering.order.data, args->value, (size_t)w->dynamic * sizeof(uint32_t));
    return TL_OK;
}

/* Where shapes go when their bodies do; their new bodies wait in w->ordering.rows. */
static tl_status sort_shapes(tl_world *w, tlk_order *args)
{
    tl_backend *b = w->backend;
    TL_TRY(tl_ranges(b, w->shape_body.data, w->shape_dynamic, w->dynamic, &w->ordering.range));
    args->shape_begin = w->ordering.range.data;
    args->shape_end = args->shape_begin + w->dynamic;
    tl_run(b, TLK_order_count, w->dynamic, args);
    TL_TRY(b->ops->scan(b, args->first, w->dynamic, NULL));
    args->shape_body = w->ordering.rows.data;
    tl_run(b, TLK_order_shapes, w->dynamic, args);
    return TL_OK;
}

/* Contacts with their new shapes, in lists by their new owners. Before levels move: they are looked
 * up by old rows. */
static tl_status move_contacts(tl_world *w, tlk_order *args)
{
    tl_backend *b = w->backend;
    const tl_contacts *last = &w->contacts[w->current];
    tl_contacts *next = &w->contacts[1 - w->current];
    uint32_t bits = 1;
    while (bits < 32 && w->shape_rows >> bits)
        bits++;
    args->a = last->a.data, args->b = last->b.data, args->colour = last->colour.data;
    args->n = last->n.data, args->gamma = last->gamma.data;
    args->a_out = next->a.data, args->b_out = next->b.data, args->colour_out = next->colour.data;
    args->n_out = next->n.data, args->gamma_out = next->gamma.data;
    args->start = next->start.data;
    tl_run(b, TLK_order_owner, last->count, args);
    TL_TRY(b->ops->sort(b, args->key, args->value, last->count, bits));
    TL_TRY(tl_ranges(b, args->key, last->count, w->shape_rows, &w->ordering.range));
    args->list_begin = w->ordering.range.data;
    args->list_end = args->list_begin + w->shape_rows;
    tl_run(b, TLK_order_list, w->shape_rows, args);
    TL_TRY(b->ops->scan(b, args->start, w->shape_rows, NULL));
    tl_run(b, TLK_order_contact, last->count, args);
    next->count = last->count;
    next->impulses = last->impulses;
    w->current = 1 - w->current;
    return TL_OK;
}

static void move_rows(tl_world *w, const moving *list, size_t count, const uint32_t *order,
                      uint32_t rows)
{
    tl_backend *b = w->backend;
    for (size_t i = 0; i < count; i++) {
        const tlk_gathering args = {order, list[i].buffer->data, w->ordering.rows.data,
                                    list[i].words};
        const size_t bytes = list[i].words ? list[i].words * sizeof(uint32_t) : 1;
        tl_run(b, list[i].words ? TLK_order_rows : TLK_order_bytes, rows, &args);
        b->ops->copy(b, list[i].buffer->data, w->ordering.rows.data, rows * bytes);
    }
}

/* What the host knows of rows. */
static void tell_host(tl_world *w)
{
    tl_backend *b = w->backend;
    uint32_t *ids = w->ordering.ids.data, *row_of = w->row_of.data;
    b->ops->download(b, ids, w->id.data, w->dynamic * sizeof *ids);
    for (uint32_t row = 0; row < w->dynamic; row++)
        row_of[ids[row] - 1] = row;
    for (uint32_t g = 0; g < w->collide.globals; g++)
        if (w->collide.global[g] < w->shape_dynamic)
            b->ops->download(b, &w->collide.global[g],
                             (const uint32_t *)w->ordering.to.data + w->collide.global[g],
                             sizeof(uint32_t));
}

tl_status tl_world_renumber(tl_world *w)
{
    if (w->dynamic < FROM)
        return TL_OK;
    TL_TRY(room(w));
    tl_ordering *o = &w->ordering;
    const uint32_t real = (uint32_t)(w->backend->real / sizeof(uint32_t));
    tlk_order args = {.bodies = tl_world_bodies_view(w),
                      .shape_dynamic = w->shape_dynamic,
                      .level = w->level.data,
                      .key = w->problem.key.data,
                      .value = w->problem.value.data,
                      .first = o->first.data,
                      .shape_from = o->from.data,
                      .shape_to = o->to.data};
    TL_TRY(sort_bodies(w, &args));
    TL_TRY(sort_shapes(w, &args));
    TL_TRY(move_contacts(w, &args)); /* from here on nothing fails */
    w->backend->ops->copy(w->backend, w->shape_body.data, args.shape_body,
                          (size_t)w->shape_dynamic * sizeof(uint32_t));
    const moving bodies[] = {{&w->pos, 8},     {&w->quat, 8},  {&w->vel, 8 * real},
                             {&w->inertia, 8}, {&w->flags, 1}, {&w->id, 1}};
    const moving shapes[] = {{&w->shape_info, 1}, {&w->geom, 8}, {&w->level, 0}, {&w->centre, 8}};
    move_rows(w, bodies, 6, o->order.data, w->dynamic);
    move_rows(w, shapes, 4, o->from.data, w->shape_dynamic);
    tell_host(w);
    return TL_OK;
}
