/* Choosing, on the device, the bodies that an edit takes away, and finding what is near a place
 * where bodies are to come. The schedule and tl_world_remove_bodies() call it; tl_world_put() then
 * carries the edit out. */
#include "base/vector.h"
#include "scene/region.h"
#include "world/image.h"

#include <stdlib.h>
#include <string.h>

static tlk_edit view(const tl_world *w)
{
    return (tlk_edit){.bodies = tl_world_bodies_view(w),
                      .shapes = tl_world_shapes_view(w),
                      .gone = w->ordering.gone.data};
}

tl_status tl_edit_begin(tl_world *w)
{
    TL_TRY(tl_arena_clear(w->backend, &w->arena, 0));
    TL_TRY(tl_buffer_need(w->backend, &w->ordering.gone, w->rows));
    w->backend->ops->fill(w->backend, w->ordering.gone.data, 0, w->rows);
    return TL_OK;
}

tl_status tl_edit_drop(tl_world *w, const uint32_t *rows, size_t count)
{
    const size_t mark = w->arena.at;
    tlk_edit args = view(w);
    TL_TRY(tl_buffer_need(w->backend, &w->ordering.order, count * sizeof *rows));
    args.named = w->ordering.order.data;
    if (count)
        w->backend->ops->upload(w->backend, w->ordering.order.data, rows, count * sizeof *rows);
    tl_run(w->backend, TLK_edit_named, (uint32_t)count, &args);
    tl_arena_release(w->backend, &w->arena, mark);
    return TL_OK;
}

void tl_edit_drop_region(tl_world *w, const tl_region *region, bool inside)
{
    tlk_edit args = view(w);
    args.region = tl_region_plain(region);
    args.inside = inside;
    tl_run(w->backend, TLK_edit_region, w->dynamic, &args);
}

tl_status tl_edit_dropped(tl_world *w, size_t *count)
{
    const tlk_edit args = view(w);
    double n[TLK_FOLD_NUMBERS];
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_edit_gone, w->rows, &args, n));
    *count = (size_t)n[0];
    return TL_OK;
}

/* The shapes that a kernel marks, as a list; how many, and how many of dynamic bodies. */
static tl_status list_shapes(tl_world *w, uint32_t kernel, tlk_edit *args, uint32_t *count)
{
    tl_backend *b = w->backend;
    uint64_t total;
    TL_TRY(tl_ordering_need(w, 0, w->shape_rows));
    args->near = w->ordering.place.data;
    tl_run(b, kernel, w->shape_rows, args);
    TL_TRY(b->ops->scan(b, args->near, w->shape_rows, &total));
    *count = (uint32_t)total;
    if (!total)
        return TL_OK;
    TL_TRY(b->ops->download(b, &args->balls, args->near + w->shape_dynamic, sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &w->ordering.order, total * sizeof(uint32_t)));
    args->list = w->ordering.order.data;
    const tlk_picking picking = {args->near, w->ordering.order.data, w->shape_rows};
    tl_run(b, TLK_pick, w->shape_rows, &picking);
    return TL_OK;
}

static tl_status fetch(tl_backend *b, tl_array *to, const void *from, size_t count)
{
    TL_TRY(tl_array_resize(to, count));
    return b->ops->download(b, to->data, from, count * to->item);
}

/* Copies of the shapes that may meet the box, on the host. */
static tl_status copy_near(tl_world *w, const double low[3], const double high[3], tl_array *balls,
                           tl_image *others)
{
    tl_backend *b = w->backend;
    tlk_edit args = view(w);
    uint32_t count;
    for (int k = 0; k < 3; k++)
        args.low[k] = low[k], args.high[k] = high[k];
    TL_TRY(list_shapes(w, TLK_edit_near, &args, &count));
    const size_t rest = count - args.balls;
    const size_t numbers = 4 * (size_t)args.balls + (12 + TLK_FRAME) * rest;
    TL_TRY(
        tl_buffer_need(b, &w->ordering.rows, numbers * sizeof(double) + rest * sizeof(uint32_t)));
    if (count) {
        args.ball = w->ordering.rows.data;
        args.pos = args.ball + 4 * (size_t)args.balls;
        args.quat = args.pos + 4 * rest;
        args.geom = args.quat + 4 * rest;
        args.frame = args.geom + 4 * rest;
        args.info = (uint32_t *)(args.frame + TLK_FRAME * rest);
    }
    tl_run(b, TLK_edit_copy, count, &args);
    TL_TRY(fetch(b, balls, args.ball, args.balls));
    TL_TRY(fetch(b, &others->pos, args.pos, rest));
    TL_TRY(fetch(b, &others->quat, args.quat, rest));
    TL_TRY(fetch(b, &others->geom, args.geom, rest));
    TL_TRY(fetch(b, &others->frame_local, args.frame, rest));
    TL_TRY(fetch(b, &others->shape_info, args.info, rest));
    TL_TRY(tl_array_resize(&others->shape_body, rest));
    for (size_t i = 0; i < rest; i++)
        ((uint32_t *)others->shape_body.data)[i] = (uint32_t)i;
    return TL_OK;
}

tl_status tl_edit_near(tl_world *w, const double low[3], const double high[3], tl_array *balls,
                       tl_image *others)
{
    const size_t mark = w->arena.at; /* there may be many emitters; the marks stay */
    const tl_status status = copy_near(w, low, high, balls, others);
    tl_arena_release(w->backend, &w->arena, mark);
    return status;
}

static int compare_movers(const void *a, const void *b)
{
    const uint32_t x = ((const tl_mover *)a)->id, y = ((const tl_mover *)b)->id;
    return x < y ? -1 : x > y;
}

/* Bodies of their shapes, which are side by side: each with a ball about its centre of mass. */
static tl_status join_shapes(size_t count, const double *ball, const double *pos,
                             const double *kinetic, const uint32_t *id, tl_array *movers)
{
    for (size_t i = 0; i < count; i++) {
        double way[3];
        tl_sub(ball + 4 * i, pos + 4 * i, way);
        const double radius = tl_length(way) + ball[4 * i + 3];
        tl_mover *last = movers->count ? (tl_mover *)movers->data + movers->count - 1 : NULL;
        if (last && last->id == id[i]) {
            last->radius = fmax(last->radius, radius);
            continue;
        }
        const tl_mover mover = {.id = id[i],
                                .x = {pos[4 * i], pos[4 * i + 1], pos[4 * i + 2]},
                                .radius = radius,
                                .mass = pos[4 * i + 3],
                                .kinetic = kinetic[i]};
        TL_TRY(tl_array_append(movers, &mover, 1));
    }
    if (movers->count > 1)
        qsort(movers->data, movers->count, sizeof(tl_mover), compare_movers);
    return TL_OK;
}

static tl_status list_behind(tl_world *w, tlk_edit *args, tl_array *movers)
{
    tl_backend *b = w->backend;
    uint32_t count;
    TL_TRY(list_shapes(w, TLK_edit_behind, args, &count));
    if (!count)
        return TL_OK;
    const size_t bytes = count * (9 * sizeof(double) + sizeof(uint32_t));
    TL_TRY(tl_buffer_need(b, &w->ordering.rows, bytes));
    args->ball = w->ordering.rows.data;
    args->pos = args->ball + 4 * (size_t)count;
    args->geom = args->pos + 4 * (size_t)count;
    args->info = (uint32_t *)(args->geom + count);
    tl_run(b, TLK_edit_mover, count, args);
    double *copy = tl_alloc(bytes);
    if (!copy)
        return TL_NO_MEMORY;
    tl_status status = b->ops->download(b, copy, w->ordering.rows.data, bytes);
    if (status == TL_OK)
        status = join_shapes(count, copy, copy + 4 * (size_t)count, copy + 8 * (size_t)count,
                             (const uint32_t *)(copy + 9 * (size_t)count), movers);
    tl_free(copy, bytes);
    return status;
}

tl_status tl_edit_behind(tl_world *w, const tl_patch_def *patch, const double from[3],
                         tl_array *movers)
{
    const size_t mark = w->arena.at;
    tlk_edit args = view(w);
    memcpy(args.low, from, sizeof args.low);
    memcpy(args.high, patch->direction, sizeof args.high);
    args.length = patch->length;
    args.first = patch->grains.first.index;
    args.count = patch->grains.count;
    const tl_status status = list_behind(w, &args, movers);
    tl_arena_release(w->backend, &w->arena, mark);
    return status;
}
