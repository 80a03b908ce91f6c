/* Gravity and applied forces: the velocities that bodies would have without contacts. */
#include "step/step.h"

#include <math.h>
#include <string.h>

/* Applied forces at the present time, summed by body: to the device go those of the bodies
 * that have some. */
static tl_status sum_forces(tl_world *w, tlk_motion *motion, uint32_t *bodies)
{
    tl_backend *b = w->backend;
    const size_t most = w->forces.count, known = w->forced_at.count;
    const tl_force_rec *forces = w->forces.data;
    const uint32_t *row_of = w->row_of.data;
    uint32_t count = 0;
    TL_TRY(tl_array_resize(&w->wrench, most));
    TL_TRY(tl_array_resize(&w->forced_row, most));
    TL_TRY(tl_buffer_need(b, &w->forced, most * (w->wrench.item + sizeof(uint32_t))));
    if (known < w->dynamic) {
        TL_TRY(tl_array_resize(&w->forced_at, w->dynamic));
        memset((uint32_t *)w->forced_at.data + known, 0xff, /* TLK_NONE */
               (w->dynamic - known) * sizeof(uint32_t));
    }
    double *sum = w->wrench.data;
    uint32_t *rows = w->forced_row.data, *at = w->forced_at.data;
    for (size_t i = 0; i < most; i++) {
        const uint32_t row = row_of[forces[i].body - 1];
        double wrench[6];
        tl_force_at(&forces[i], w->time, wrench);
        if (at[row] == TLK_NONE) {
            for (size_t k = 0; k < 6; k++)
                sum[6 * (size_t)count + k] = 0;
            rows[count] = row;
            at[row] = count++;
        }
        for (size_t k = 0; k < 6; k++)
            sum[6 * (size_t)at[row] + k] += wrench[k];
    }
    for (uint32_t i = 0; i < count; i++)
        at[rows[i]] = TLK_NONE;
    motion->wrench = w->forced.data;
    motion->forced = (const uint32_t *)(motion->wrench + 6 * (size_t)count);
    b->ops->upload(b, w->forced.data, sum, count * w->wrench.item);
    b->ops->upload(b, (double *)w->forced.data + 6 * (size_t)count, rows, count * sizeof *rows);
    *bodies = w->forced_bodies = count;
    return TL_OK;
}

tl_status tl_step_push(tl_world *w, tlk_motion *motion)
{
    uint32_t forced = 0;
    if (w->forces.count)
        TL_TRY(sum_forces(w, motion, &forced));
    tl_run(w->backend, TLK_free_velocity, w->rows, motion);
    tl_run(w->backend, TLK_forced_velocity, forced, motion);
    return TL_OK;
}

tl_status tl_step_find_box(tl_world *w)
{
    const tlk_bodies bodies = tl_world_bodies_view(w);
    if (!w->box_known)
        TL_TRY(tl_fold_one(w->backend, TLK_FOLD_body_box, w->dynamic, &bodies, w->box));
    w->box_known = true;
    return TL_OK;
}

/* Four layers across gravity through the box around the bodies. */
static void lay_levels(const tl_world *w, tlk_motion *motion)
{
    const double *g = w->settings.gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double low = 0, high = 0;
    for (int k = 0; k < 3 && size > 0; k++) {
        const double up = -g[k] / size, least = w->box[k], most = -w->box[3 + k];
        motion->up[k] = up;
        low += up * (up > 0 ? least : most);
        high += up * (up > 0 ? most : least);
    }
    motion->layer[0] = low;
    motion->layer[1] = high > low ? 4 / (high - low) : 0;
}

/* All but velocities. */
static void make_motion(const tl_world *w, tlk_motion *motion)
{
    *motion = (tlk_motion){.bodies = tl_world_bodies_view(w),
                           .h = w->settings.step,
                           .max_speed = w->settings.max_speed,
                           .jump = 0.5 * (tl_step_margin(w) + TL_MISSED * w->smallest),
                           .step = w->steps,
                           .planar = w->settings.planar == TL_PLANAR_XZ,
                           .held = w->swings ? w->held.data : NULL};
    for (int k = 0; k < 3; k++)
        motion->gravity[k] = w->settings.gravity[k];
    lay_levels(w, motion);
}

tl_status tl_step_free(tl_world *w, tlk_motion *motion)
{
    const size_t bytes = 8 * (size_t)w->rows * w->backend->real;
    TL_TRY(tl_buffer_need(w->backend, &w->free, bytes));
    TL_TRY(tl_buffer_need(w->backend, &w->work, bytes));
    TL_TRY(tl_buffer_need(w->backend, &w->pseudo, bytes));
    make_motion(w, motion);
    motion->free = w->free.data;
    motion->vel = w->work.data;
    motion->pseudo_out = w->pseudo.data;
    return tl_step_push(w, motion);
}

tl_status tl_step_forces(tl_world *w, tlk_motion *motion)
{
    uint32_t forced;
    make_motion(w, motion);
    return w->forces.count ? sum_forces(w, motion, &forced) : TL_OK;
}
