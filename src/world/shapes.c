/* Reading the shapes of bodies back, for recording and showing. The world keeps shapes as kernels
 * want them (balls and frames); definitions are made of those again. */
#include "world/image.h"

#include <math.h>
#include <string.h>

size_t tl_world_shape_count(const tl_world *world)
{
    return world ? world->shape_rows : 0;
}

/* The unit quaternion of a frame given by its axes x, y, z (rows of `axes`). */
static void quaternion_of(const double *axes, double *q)
{
    const double m[3] = {axes[0], axes[4], axes[8]}; /* the diagonal */
    const double four[4] = {1 + m[0] + m[1] + m[2], 1 + m[0] - m[1] - m[2], 1 - m[0] + m[1] - m[2],
                            1 - m[0] - m[1] + m[2]}; /* 4 q_k^2; the largest is safe to divide by */
    const double xy = axes[1] + axes[3], yz = axes[5] + axes[7], zx = axes[6] + axes[2];
    const double wx = axes[5] - axes[7], wy = axes[6] - axes[2], wz = axes[1] - axes[3];
    const double products[4][4] = {{four[0], wx, wy, wz},
                                   {wx, four[1], xy, zx},
                                   {wy, xy, four[2], yz},
                                   {wz, zx, yz, four[3]}}; /* 4 q_i q_j */
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (four[i] > four[k])
            k = i;
    double length = 0;
    for (int i = 0; i < 4; i++)
        length += products[k][i] * products[k][i];
    for (int i = 0; i < 4; i++)
        q[i] = products[k][i] / sqrt(length);
}

/* What the device holds of shapes, downloaded. */
typedef struct shape_copy {
    tl_array body, info, filter, geom, frame_of, frame;
} shape_copy;

static tl_status download(const tl_world *w, const tl_buffer *buffer, size_t item, size_t count,
                          tl_array *out)
{
    *out = (tl_array){.item = item};
    TL_TRY(tl_array_resize(out, count));
    return w->backend->ops->download(w->backend, out->data, buffer->data, item * count);
}

static tl_status copy_shapes(const tl_world *w, shape_copy *copy)
{
    const size_t rows = w->shape_rows;
    const size_t number = sizeof(double), index = sizeof(uint32_t);
    TL_TRY(download(w, &w->shape_body, index, rows, &copy->body));
    TL_TRY(download(w, &w->shape_info, index, rows, &copy->info));
    TL_TRY(download(w, &w->filter, 2 * index, rows, &copy->filter));
    TL_TRY(download(w, &w->geom, 4 * number, rows, &copy->geom));
    TL_TRY(download(w, &w->frame_of, index, rows, &copy->frame_of));
    return download(w, &w->frame_local, TLK_FRAME * number, w->frames, &copy->frame);
}

tl_shape_def tl_frame_def(uint32_t kind, const double *frame)
{
    tl_shape_def def = tl_sphere_default(0);
    const double *size = frame + 12, rounding = frame[18];
    def.kind = (tl_shape_kind)kind;
    memcpy(def.position, frame, sizeof def.position);
    if (kind == TL_PARALLELOGRAM) { /* its edges are kept turned */
        memcpy(def.edge_u, frame + 3, sizeof def.edge_u);
        memcpy(def.edge_v, frame + 6, sizeof def.edge_v);
        return def;
    }
    quaternion_of(frame + 3, def.orientation);
    def.rounding = kind == TL_CAPSULE ? 0 : rounding;
    if (kind == TL_BOX || kind == TL_ELLIPSOID)
        for (int k = 0; k < 3; k++)
            def.half_extents[k] = size[k] + rounding;
    if (kind == TL_CAPSULE || kind == TL_CYLINDER || kind == TL_CONE) {
        def.radius = size[0] + rounding;
        def.half_length = size[2] + (kind == TL_CYLINDER ? rounding : 0);
    }
    def.geometry.index = (uint32_t)frame[19];
    return def;
}

static tl_shape_def shape_def(const shape_copy *copy, uint32_t row)
{
    const uint32_t info = ((const uint32_t *)copy->info.data)[row];
    const uint32_t kind = info & TLK_SHAPE_KIND;
    const uint32_t frame = ((const uint32_t *)copy->frame_of.data)[row];
    const double *geom = (const double *)copy->geom.data + 4 * (size_t)row;
    tl_shape_def def = tl_sphere_default(geom[3]);
    memcpy(def.position, geom, sizeof def.position);
    if (kind != TL_SPHERE)
        def = tl_frame_def(kind, (const double *)copy->frame.data + TLK_FRAME * (size_t)frame);
    def.material.index = info >> TLK_SHAPE_MATERIAL;
    def.group = ((const uint32_t *)copy->filter.data)[2 * (size_t)row];
    def.mask = ((const uint32_t *)copy->filter.data)[2 * (size_t)row + 1];
    def.sensor = info & TLK_SHAPE_SENSOR;
    return def;
}

/* Fills `shapes`, body by body in the order of handles. Shape rows are in the order of body rows.
 */
static tl_status list_shapes(const tl_world *w, const shape_copy *copy, tl_shape_info *shapes)
{
    tl_array first = {.item = sizeof(uint32_t)}; /* first shape row of a body row */
    TL_TRY(tl_array_resize(&first, (size_t)w->rows + 1));
    uint32_t *begin = first.data, next = 0;
    for (uint32_t row = 0; row <= w->rows; row++) {
        while (next < w->shape_rows && ((const uint32_t *)copy->body.data)[next] < row)
            next++;
        begin[row] = next;
    }
    size_t at = 0;
    for (size_t i = 0; i < w->row_of.count; i++) {
        const uint32_t row = ((const uint32_t *)w->row_of.data)[i];
        if (row == TLK_NONE)
            continue;
        const tl_origin *origin = tl_origin_of(&w->origins, (uint32_t)i + 1);
        for (uint32_t s = begin[row]; s < begin[row + 1]; s++) {
            shapes[at] = (tl_shape_info){.body = {(uint32_t)i + 1, 1},
                                         .kind = row < w->dynamic ? TL_DYNAMIC : TL_FIXED,
                                         .index = s - begin[row],
                                         .def = shape_def(copy, s)};
            if (origin)
                tl_origin_shape(origin, shapes[at].def.position, shapes[at].def.orientation);
            at++;
        }
    }
    const tl_world_motion *motions = w->motions.data; /* in the order of handles, too */
    for (size_t m = 0, s = 0; m < w->motions.count; m++) {
        while (s < at && shapes[s].body.index < motions[m].id)
            s++;
        for (; s < at && shapes[s].body.index == motions[m].id; s++)
            shapes[s].kind = TL_PRESCRIBED;
    }
    const tl_rod_rec *rods = w->rods.data; /* likewise */
    for (size_t r = 0, s = 0; r < w->rods.count; r++) {
        while (s < at && shapes[s].body.index < rods[r].id)
            s++;
        for (int e = 0; e < 2 && s < at; e++)
            shapes[s].ends[e] = (tl_body){rods[r].end[e], 1};
    }
    tl_array_free(&first);
    return TL_OK;
}

tl_status tl_world_read_shapes(const tl_world *world, size_t count, tl_shape_info *shapes)
{
    REFUSE_NULL(world);
    if (count != world->shape_rows)
        return tl_fail(TL_BAD_ARGUMENT, "%s: count is %zu; this world has %u shapes", __func__,
                       count, world->shape_rows);
    if (!count)
        return TL_OK;
    REFUSE_NULL(shapes);
    shape_copy copy;
    memset(&copy, 0, sizeof copy);
    tl_status status = copy_shapes(world, &copy);
    if (status == TL_OK)
        status = list_shapes(world, &copy, shapes);
    if (status != TL_OK)
        memset(shapes, 0, count * sizeof *shapes);
    tl_array *arrays[] = {&copy.body, &copy.info,     &copy.filter,
                          &copy.geom, &copy.frame_of, &copy.frame};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    return status;
}
