/* Choosing, on the device, the bodies that an edit takes away, and finding what is near a place
 * where bodies are to come. The schedule and tl_world_remove_bodies() call it; tl_world_put() then
 * carries the edit out. */
#include "scene/region.h"
#include "world/image.h"

static tlk_edit view(const tl_world *w)
{
    return (tlk_edit){.bodies = tl_world_bodies_view(w),
                      .shapes = tl_world_shapes_view(w),
                      .gone = w->ordering.gone.data};
}

tl_status tl_edit_begin(tl_world *w)
{
    TL_TRY(tl_buffer_need(w->backend, &w->ordering.gone, w->rows));
    w->backend->ops->fill(w->backend, w->ordering.gone.data, 0, w->rows);
    return TL_OK;
}

tl_status tl_edit_drop(tl_world *w, const uint32_t *rows, size_t count)
{
    tlk_edit args = view(w);
    TL_TRY(tl_buffer_need(w->backend, &w->ordering.order, count * sizeof *rows));
    args.named = w->ordering.order.data;
    if (count)
        w->backend->ops->upload(w->backend, w->ordering.order.data, rows, count * sizeof *rows);
    tl_run(w->backend, TLK_edit_named, (uint32_t)count, &args);
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

/* The shapes that may meet the box, as a list; how many, and how many of dynamic bodies. */
static tl_status list_near(tl_world *w, tlk_edit *args, uint32_t *count)
{
    tl_backend *b = w->backend;
    uint64_t total;
    TL_TRY(tl_ordering_need(w, 0, w->shape_rows));
    args->near = w->ordering.place.data;
    tl_run(b, TLK_edit_near, w->shape_rows, args);
    TL_TRY(b->ops->scan(b, args->near, w->shape_rows, &total));
    *count = (uint32_t)total;
    if (!total)
        return TL_OK;
    b->ops->download(b, &args->near_dynamic, args->near + w->shape_dynamic, sizeof(uint32_t));
    TL_TRY(tl_buffer_need(b, &w->ordering.order, total * sizeof(uint32_t)));
    args->list = w->ordering.order.data;
    const tlk_picking picking = {args->near, w->ordering.order.data, w->shape_rows};
    tl_run(b, TLK_pick, w->shape_rows, &picking);
    return TL_OK;
}

static tl_status fetch(tl_backend *b, tl_array *to, const void *from, size_t count)
{
    TL_TRY(tl_array_resize(to, count));
    if (count)
        b->ops->download(b, to->data, from, count * to->item);
    return TL_OK;
}

tl_status tl_edit_near(tl_world *w, const double low[3], const double high[3], tl_image *near)
{
    tl_backend *b = w->backend;
    tlk_edit args = view(w);
    uint32_t count;
    for (int k = 0; k < 3; k++)
        args.low[k] = low[k], args.high[k] = high[k];
    TL_TRY(list_near(w, &args, &count));
    const size_t patches = count - args.near_dynamic, row = 4 * (size_t)count;
    const size_t numbers = 3 * row + TLK_PATCH * patches;
    TL_TRY(
        tl_buffer_need(b, &w->ordering.rows, numbers * sizeof(double) + count * sizeof(uint32_t)));
    if (count) {
        args.near_pos = w->ordering.rows.data;
        args.near_quat = args.near_pos + row;
        args.near_geom = args.near_quat + row;
        args.near_patch = args.near_geom + row;
        args.near_info = (uint32_t *)(args.near_pos + numbers);
        tl_run(b, TLK_edit_copy, count, &args);
    }
    TL_TRY(fetch(b, &near->pos, args.near_pos, count));
    TL_TRY(fetch(b, &near->quat, args.near_quat, count));
    TL_TRY(fetch(b, &near->geom, args.near_geom, count));
    TL_TRY(fetch(b, &near->shape_info, args.near_info, count));
    TL_TRY(fetch(b, &near->patch_local, args.near_patch, patches));
    TL_TRY(tl_array_resize(&near->shape_body, count));
    for (uint32_t i = 0; i < count; i++)
        ((uint32_t *)near->shape_body.data)[i] = i;
    return TL_OK;
}
