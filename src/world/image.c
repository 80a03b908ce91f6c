/* The image: pulling it from the device, changing the set of rows, pushing it back. */
#include "world/image.h"

#include <string.h>

tl_array *tl_image_array(tl_image *m, size_t i)
{
    tl_array *const all[TL_IMAGE_ARRAYS] = {
        &m->pos,        &m->quat,       &m->vel,   &m->inertia,     &m->flags,  &m->id,
        &m->shape_body, &m->shape_info, &m->geom,  &m->patch_local, &m->centre, &m->a,
        &m->b,          &m->n,          &m->gamma, &m->colour};
    return all[i];
}

void tl_image_init(tl_image *m)
{
    static const size_t items[TL_IMAGE_ARRAYS] = {
        4 * sizeof(double), 4 * sizeof(double),         8 * sizeof(double), 4 * sizeof(double),
        sizeof(uint32_t),   sizeof(uint32_t),           sizeof(uint32_t),   sizeof(uint32_t),
        4 * sizeof(double), TLK_PATCH * sizeof(double), 4 * sizeof(double), sizeof(uint32_t),
        sizeof(uint32_t),   4 * sizeof(double),         4 * sizeof(double), sizeof(uint32_t)};
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        *tl_image_array(m, i) = (tl_array){.item = items[i]};
}

void tl_image_free(tl_image *m)
{
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        tl_array_free(tl_image_array(m, i));
}

/* --- device to host
 * ------------------------------------------------------------------------------- */

static tl_status pull(const tl_world *w, const tl_buffer *from, tl_array *to, size_t count)
{
    TL_TRY(tl_array_resize(to, count));
    w->backend->ops->download(w->backend, to->data, from->data, count * to->item);
    return TL_OK;
}

/* Reals become doubles. */
static tl_status pull_real(const tl_world *w, const tl_buffer *from, tl_array *to, size_t count)
{
    const size_t numbers = count * to->item / sizeof(double);
    TL_TRY(tl_array_resize(to, count));
    if (!count)
        return TL_OK;
    if (w->backend->precision == TL_DOUBLE) {
        w->backend->ops->download(w->backend, to->data, from->data, numbers * sizeof(double));
        return TL_OK;
    }
    /* into the upper half, then widen from the front: the reader stays ahead of the writer */
    double *wide = to->data;
    float *narrow = (float *)to->data + numbers;
    w->backend->ops->download(w->backend, narrow, from->data, numbers * sizeof(float));
    for (size_t i = 0; i < numbers; i++) {
        float value;
        memcpy(&value, narrow + i, sizeof value);
        const double widened = value;
        memcpy(wide + i, &widened, sizeof widened);
    }
    return TL_OK;
}

tl_status tl_image_pull(const tl_world *w, tl_image *m)
{
    const tl_contacts *contacts = &w->contacts[w->current];
    const size_t bodies = w->rows, shapes = w->shape_rows, count = contacts->count;
    TL_TRY(pull(w, &w->pos, &m->pos, bodies));
    TL_TRY(pull(w, &w->quat, &m->quat, bodies));
    TL_TRY(pull_real(w, &w->vel, &m->vel, bodies));
    TL_TRY(pull(w, &w->inertia, &m->inertia, bodies));
    TL_TRY(pull(w, &w->flags, &m->flags, bodies));
    TL_TRY(pull(w, &w->id, &m->id, bodies));
    TL_TRY(pull(w, &w->shape_body, &m->shape_body, shapes));
    TL_TRY(pull(w, &w->shape_info, &m->shape_info, shapes));
    TL_TRY(pull(w, &w->geom, &m->geom, shapes));
    TL_TRY(pull(w, &w->centre, &m->centre, shapes));
    TL_TRY(pull(w, &w->patch_local, &m->patch_local, shapes - w->shape_dynamic));
    TL_TRY(pull(w, &contacts->a, &m->a, count));
    TL_TRY(pull(w, &contacts->b, &m->b, count));
    TL_TRY(pull_real(w, &contacts->n, &m->n, count));
    if (contacts->impulses) {
        TL_TRY(pull_real(w, &contacts->gamma, &m->gamma, count));
        return pull(w, &contacts->colour, &m->colour, count);
    }
    TL_TRY(tl_array_resize(&m->gamma, count)); /* nothing has been solved */
    TL_TRY(tl_array_resize(&m->colour, count));
    if (count) {
        memset(m->gamma.data, 0, count * m->gamma.item);
        memset(m->colour.data, 0xff, count * m->colour.item); /* TLK_NONE */
    }
    return TL_OK;
}

/* --- choosing rows
 * -------------------------------------------------------------------------------- */

/* array[i] = array[order[i]] */
static tl_status permute(tl_array *array, const uint32_t *order, size_t count)
{
    tl_array next = {.item = array->item};
    TL_TRY(tl_array_resize(&next, count));
    const char *from = array->data;
    char *to = next.data;
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * next.item, from + order[i] * next.item, next.item);
    tl_array_free(array);
    *array = next;
    return TL_OK;
}

/* new row of each old one; TLK_NONE for those that go */
static tl_status inverse(const uint32_t *order, size_t count, size_t old, tl_array *out)
{
    *out = (tl_array){.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(out, old));
    uint32_t *to = out->data;
    for (size_t i = 0; i < old; i++)
        to[i] = TLK_NONE;
    for (size_t i = 0; i < count; i++)
        to[order[i]] = (uint32_t)i;
    return TL_OK;
}

static tl_status select_contacts(tl_image *m, const uint32_t *new_shape)
{
    uint32_t *a = m->a.data, *b = m->b.data;
    tl_array keep = {.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(&keep, m->a.count));
    uint32_t *order = keep.data;
    size_t count = 0;
    for (size_t i = 0; i < m->a.count; i++) {
        a[i] = new_shape[a[i]];
        b[i] = new_shape[b[i]];
        if (a[i] != TLK_NONE && b[i] != TLK_NONE)
            order[count++] = (uint32_t)i;
    }
    tl_array *arrays[] = {&m->a, &m->b, &m->n, &m->gamma, &m->colour};
    tl_status status = TL_OK;
    for (size_t i = 0; i < 5 && status == TL_OK; i++)
        status = permute(arrays[i], order, count);
    tl_array_free(&keep);
    return status;
}

/* Shapes in the order of their bodies' new rows, by counting. */
static tl_status shape_order(const tl_image *m, const uint32_t *new_body, size_t bodies,
                             tl_array *order)
{
    const uint32_t *body = m->shape_body.data;
    tl_array starts = {.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(&starts, bodies + 1));
    uint32_t *start = starts.data, total = 0;
    memset(start, 0, (bodies + 1) * sizeof *start);
    for (size_t s = 0; s < m->shape_body.count; s++)
        if (new_body[body[s]] != TLK_NONE)
            start[new_body[body[s]]]++;
    for (size_t i = 0; i <= bodies; i++) {
        const uint32_t here = start[i];
        start[i] = total;
        total += here;
    }
    const tl_status status = tl_array_resize(order, total);
    uint32_t *out = order->data;
    for (size_t s = 0; status == TL_OK && s < m->shape_body.count; s++)
        if (new_body[body[s]] != TLK_NONE)
            out[start[new_body[body[s]]]++] = (uint32_t)s;
    tl_array_free(&starts);
    return status;
}

/* Patches follow their shapes: the k-th one belongs to the k-th shape that is fixed. */
static tl_status select_patches(tl_image *m, const tl_array *order)
{
    const uint32_t *info = m->shape_info.data, *from = order->data;
    tl_array rank = {.item = sizeof(uint32_t)}, patches = {.item = sizeof(uint32_t)};
    tl_status status = tl_array_resize(&rank, m->shape_info.count);
    if (status == TL_OK)
        status = tl_array_resize(&patches, m->patch_local.count);
    if (status == TL_OK) {
        uint32_t *ranks = rank.data, *out = patches.data, fixed = 0;
        for (size_t s = 0; s < m->shape_info.count; s++) {
            ranks[s] = fixed;
            fixed += (info[s] & TLK_SHAPE_FIXED) != 0;
        }
        patches.count = 0;
        for (size_t i = 0; i < order->count; i++)
            if (info[from[i]] & TLK_SHAPE_FIXED)
                out[patches.count++] = ranks[from[i]];
        status = permute(&m->patch_local, out, patches.count);
    }
    tl_array_free(&rank);
    tl_array_free(&patches);
    return status;
}

static tl_status select_shapes(tl_image *m, const uint32_t *new_body, size_t bodies)
{
    tl_array order = {.item = sizeof(uint32_t)}, new_shape = {.item = sizeof(uint32_t)};
    const size_t old = m->shape_body.count;
    tl_status status = shape_order(m, new_body, bodies, &order);
    if (status == TL_OK) {
        uint32_t *body = m->shape_body.data;
        for (size_t s = 0; s < old; s++)
            body[s] = new_body[body[s]];
        status = select_patches(m, &order);
        tl_array *arrays[] = {&m->shape_body, &m->shape_info, &m->geom, &m->centre};
        for (size_t i = 0; i < 4 && status == TL_OK; i++)
            status = permute(arrays[i], order.data, order.count);
    }
    if (status == TL_OK)
        status = inverse(order.data, order.count, old, &new_shape);
    if (status == TL_OK)
        status = select_contacts(m, new_shape.data);
    tl_array_free(&order);
    tl_array_free(&new_shape);
    return status;
}

tl_status tl_image_select(tl_image *m, const uint32_t *order, size_t count)
{
    tl_array new_body;
    tl_status status = inverse(order, count, m->id.count, &new_body);
    tl_array *arrays[] = {&m->pos, &m->quat, &m->vel, &m->inertia, &m->flags, &m->id};
    for (size_t i = 0; i < 6 && status == TL_OK; i++)
        status = permute(arrays[i], order, count);
    if (status == TL_OK)
        status = select_shapes(m, new_body.data, count);
    tl_array_free(&new_body);
    return status;
}
