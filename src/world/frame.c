/* Frames: copies of the moving part of a state, for recording and showing. Taking one costs the
 * world a copy of its arrays on the device; putting rows in order and narrowing them is left to
 * whoever reads the frame, on its own thread. */
#include "world/world.h"

#include <string.h>

struct tl_frame {
    const tl_backend_ops *ops; /* of the slot */
    void *slot;
    bool full;  /* the slot holds a state */
    bool ready; /* and the arrays below are made of it */
    uint64_t steps;
    double time;
    size_t real;
    uint32_t rows, dynamic, last_id;
    tl_array prescribed; /* uint32_t: handle indices, ascending */
    tl_array origins;    /* tl_origin, likewise */
    tl_array order; /* uint32_t: 1 + row by handle index - 1; 0 where there is no moving body */
    tl_array bodies, positions, orientations, velocities, angular; /* as tl_frame_view */
};

tl_status tl_frame_create(tl_frame **frame)
{
    REFUSE_NULL(frame);
    *frame = tl_alloc_zero(sizeof **frame);
    if (!*frame)
        return TL_NO_MEMORY;
    (*frame)->prescribed.item = (*frame)->order.item = (*frame)->bodies.item = sizeof(uint32_t);
    (*frame)->origins.item = sizeof(tl_origin);
    (*frame)->positions.item = 3 * sizeof(double);
    (*frame)->orientations.item = 4 * sizeof(float);
    (*frame)->velocities.item = (*frame)->angular.item = 3 * sizeof(float);
    return TL_OK;
}

void tl_frame_destroy(tl_frame *frame)
{
    if (!frame)
        return;
    if (frame->slot)
        frame->ops->forget(frame->slot);
    tl_array *arrays[] = {&frame->prescribed, &frame->order,        &frame->bodies,
                          &frame->positions,  &frame->orientations, &frame->velocities,
                          &frame->angular,    &frame->origins};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_free(frame, sizeof *frame);
}

tl_status tl_world_capture(tl_world *world, tl_frame *frame)
{
    REFUSE_NULL(world);
    REFUSE_NULL(frame);
    const tl_world *w = world;
    if (frame->slot && frame->ops != w->backend->ops) {
        frame->ops->forget(frame->slot);
        frame->slot = NULL;
    }
    frame->ops = w->backend->ops;
    frame->full = frame->ready = false;
    TL_TRY(tl_array_resize(&frame->prescribed, w->motions.count));
    for (size_t i = 0; i < w->motions.count; i++)
        ((uint32_t *)frame->prescribed.data)[i] = ((const tl_world_motion *)w->motions.data)[i].id;
    TL_TRY(tl_array_resize(&frame->origins, w->origins.count));
    if (w->origins.count)
        memcpy(frame->origins.data, w->origins.data, w->origins.count * sizeof(tl_origin));
    const size_t rows = w->rows;
    const void *from[] = {w->pos.data, w->quat.data, w->vel.data, w->id.data};
    const size_t bytes[] = {4 * rows * sizeof(double), 4 * rows * sizeof(double),
                            8 * rows * w->backend->real, rows * sizeof(uint32_t)};
    TL_TRY(w->backend->ops->capture(w->backend, 4, from, bytes, &frame->slot));
    frame->full = true;
    frame->steps = w->steps;
    frame->time = w->time;
    frame->real = w->backend->real;
    frame->rows = w->rows;
    frame->dynamic = w->dynamic;
    frame->last_id = (uint32_t)w->row_of.count;
    return TL_OK;
}

/* Notes the row of each moving body by its handle; gives how many there are. */
static tl_status find_order(tl_frame *f, const uint32_t *id, size_t *count)
{
    TL_TRY(tl_array_resize(&f->order, f->last_id));
    uint32_t *order = f->order.data;
    if (f->last_id)
        memset(order, 0, f->last_id * sizeof *order);
    for (uint32_t row = 0; row < f->rows; row++)
        order[id[row] - 1] = row + 1;
    const uint32_t *prescribed = f->prescribed.data;
    size_t next = 0;
    *count = 0;
    for (uint32_t i = 0; i < f->last_id; i++) {
        while (next < f->prescribed.count && prescribed[next] < i + 1)
            next++;
        const bool moves = order[i] && (order[i] <= f->dynamic ||
                                        (next < f->prescribed.count && prescribed[next] == i + 1));
        if (!moves)
            order[i] = 0;
        *count += moves;
    }
    return TL_OK;
}

static float narrow(const void *numbers, size_t real, size_t i)
{
    return real == sizeof(float) ? ((const float *)numbers)[i]
                                 : (float)((const double *)numbers)[i];
}

/* Puts the raw copy in the order of handles. */
static tl_status make_rows(tl_frame *f, const char *raw)
{
    const double *pos = (const void *)raw, *quat = pos + 4 * (size_t)f->rows;
    const char *vel = (const char *)(quat + 4 * (size_t)f->rows);
    const uint32_t *id = (const void *)(vel + 8 * f->rows * f->real);
    size_t count = 0, at = 0;
    TL_TRY(find_order(f, id, &count));
    tl_array *arrays[] = {&f->bodies, &f->positions, &f->orientations, &f->velocities, &f->angular};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TL_TRY(tl_array_resize(arrays[i], count));
    for (uint32_t i = 0; i < f->last_id; i++) {
        if (!((const uint32_t *)f->order.data)[i])
            continue;
        const size_t row = ((const uint32_t *)f->order.data)[i] - 1;
        ((uint32_t *)f->bodies.data)[at] = i + 1;
        double x[3], q[4];
        memcpy(x, pos + 4 * row, sizeof x);
        memcpy(q, quat + 4 * row, sizeof q);
        const tl_origin *origin = f->origins.count ? tl_origin_of(&f->origins, i + 1) : NULL;
        if (origin)
            tl_origin_pose(origin, x, q);
        memcpy((double *)f->positions.data + 3 * at, x, sizeof x);
        for (size_t k = 0; k < 4; k++)
            ((float *)f->orientations.data)[4 * at + k] = (float)q[k];
        for (size_t k = 0; k < 3; k++) {
            ((float *)f->velocities.data)[3 * at + k] = narrow(vel, f->real, 8 * row + k);
            ((float *)f->angular.data)[3 * at + k] = narrow(vel, f->real, 8 * row + 4 + k);
        }
        at++;
    }
    return TL_OK;
}

tl_status tl_frame_read(tl_frame *frame, tl_frame_view *view)
{
    REFUSE_NULL(view);
    memset(view, 0, sizeof *view);
    REFUSE_NULL(frame);
    if (!frame->full)
        return tl_fail(TL_BAD_ARGUMENT, "%s: the frame is empty; tl_world_capture() fills it",
                       __func__);
    if (!frame->ready) {
        const void *raw = frame->ops->captured(frame->slot);
        if (!raw)
            return TL_NO_BACKEND;
        TL_TRY(make_rows(frame, raw));
        frame->ready = true;
    }
    *view = (tl_frame_view){frame->steps,           frame->time,           frame->bodies.count,
                            frame->bodies.data,     frame->positions.data, frame->orientations.data,
                            frame->velocities.data, frame->angular.data};
    return TL_OK;
}
