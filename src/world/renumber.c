/* Renumbering: bodies that are near in space become near in memory, with their shapes and contacts,
 * on the device. Handles do not change, and nothing that is computed does. Called every so many
 * steps; push.c asks for the order when a world is made. */
#include "world/world.h"

#include <math.h>

#define FROM 4096u /* dynamic bodies from which on it pays */

tl_status tl_world_curve(tl_world *w, uint32_t rows, uint32_t dynamic)
{
    tl_backend *b = w->backend;
    double widest = 0;
    TL_TRY(tl_buffer_need(b, &w->problem.key, rows * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &w->ordering.order, rows * sizeof(uint32_t)));
    tlk_order args = {.bodies = tl_world_bodies_view(w),
                      .key = w->problem.key.data,
                      .value = w->ordering.order.data};
    args.bodies.rows = rows;
    args.bodies.dynamic = dynamic;
    if (!w->box_known)
        TL_TRY(tl_fold_one(b, TLK_FOLD_body_box, dynamic, &args.bodies, w->box));
    w->box_known = true;
    for (int k = 0; k < 3; k++) {
        args.low[k] = w->box[k];
        widest = fmax(widest, -w->box[3 + k] - w->box[k]);
    }
    args.scale = widest > 0 ? 1024 / widest : 0;
    tl_run(b, TLK_order_key, rows, &args);
    return dynamic < FROM ? TL_OK : b->ops->sort(b, args.key, args.value, dynamic, 30);
}

tl_status tl_world_renumber(tl_world *w)
{
    const tl_arrangement same = {.old_rows = w->rows,
                                 .old_shapes = w->shape_rows,
                                 .old_frames = w->frames,
                                 .rows = w->rows,
                                 .dynamic = w->dynamic,
                                 .handles = w->row_of.count};
    if (w->dynamic < FROM)
        return TL_OK;
    TL_TRY(tl_arena_clear(w->backend, &w->arena, 0));
    TL_TRY(tl_world_curve(w, w->rows, w->dynamic));
    return tl_world_rearrange(w, &same);
}
