/* The image: its arrays, and pulling it from the device. */
#include "world/image.h"

#include <string.h>

tl_array *tl_image_array(tl_image *m, size_t i)
{
    tl_array *const all[TL_IMAGE_ARRAYS] = {
        &m->pos,        &m->quat,       &m->vel,    &m->inertia, &m->flags,       &m->id,
        &m->shape_body, &m->shape_info, &m->filter, &m->geom,    &m->frame_local, &m->centre,
        &m->a,          &m->b,          &m->n,      &m->gamma,   &m->place,       &m->feature,
        &m->kept,       &m->moment,     &m->past,   &m->colour};
    return all[i];
}

void tl_image_init(tl_image *m)
{
    static const size_t items[TL_IMAGE_ARRAYS] = {
        4 * sizeof(double),        4 * sizeof(double),         8 * sizeof(double),
        4 * sizeof(double),        sizeof(uint32_t),           sizeof(uint32_t),
        sizeof(uint32_t),          sizeof(uint32_t),           2 * sizeof(uint32_t),
        4 * sizeof(double),        TLK_FRAME * sizeof(double), 4 * sizeof(double),
        sizeof(uint32_t),          sizeof(uint32_t),           4 * sizeof(double),
        4 * sizeof(double),        4 * sizeof(double),         2 * sizeof(uint32_t),
        TLK_KEPT * sizeof(double), 4 * sizeof(double),         TLK_CONTACT_PAST * sizeof(double),
        sizeof(uint32_t)};
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        *tl_image_array(m, i) = (tl_array){.item = items[i]};
}

void tl_image_free(tl_image *m)
{
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        tl_array_free(tl_image_array(m, i));
}

static tl_status pull(const tl_world *w, const tl_buffer *from, tl_array *to, size_t count)
{
    TL_TRY(tl_array_resize(to, count));
    return w->backend->ops->download(w->backend, to->data, from->data, count * to->item);
}

/* Reals become doubles. */
static tl_status pull_real(const tl_world *w, const tl_buffer *from, tl_array *to, size_t count)
{
    const size_t numbers = count * to->item / sizeof(double);
    TL_TRY(tl_array_resize(to, count));
    if (!count)
        return TL_OK;
    if (w->backend->precision == TL_DOUBLE)
        return w->backend->ops->download(w->backend, to->data, from->data,
                                         numbers * sizeof(double));
    /* into the upper half, then widen from the front: the reader stays ahead of the writer */
    double *wide = to->data;
    float *narrow = (float *)to->data + numbers;
    TL_TRY(w->backend->ops->download(w->backend, narrow, from->data, numbers * sizeof(float)));
    for (size_t i = 0; i < numbers; i++) {
        float value;
        memcpy(&value, narrow + i, sizeof value);
        const double widened = value;
        memcpy(wide + i, &widened, sizeof widened);
    }
    return TL_OK;
}

tl_status tl_image_pull(const tl_world *w, const tl_contacts *contacts, tl_image *m)
{
    const bool kept = w->asked && contacts == &w->contacts[w->current];
    const size_t bodies = w->rows, shapes = w->shape_rows;
    TL_TRY(pull(w, &w->pos, &m->pos, bodies));
    TL_TRY(pull(w, &w->quat, &m->quat, bodies));
    TL_TRY(pull_real(w, &w->vel, &m->vel, bodies));
    TL_TRY(pull(w, &w->inertia, &m->inertia, bodies));
    TL_TRY(pull(w, &w->flags, &m->flags, bodies));
    TL_TRY(pull(w, &w->id, &m->id, bodies));
    TL_TRY(pull(w, &w->shape_body, &m->shape_body, shapes));
    TL_TRY(pull(w, &w->shape_info, &m->shape_info, shapes));
    TL_TRY(pull(w, &w->filter, &m->filter, shapes));
    TL_TRY(pull(w, &w->geom, &m->geom, shapes));
    TL_TRY(pull(w, kept ? &w->kept_centre : &w->centre, &m->centre, shapes));
    TL_TRY(pull(w, &w->frame_local, &m->frame_local, w->frames));
    return tl_image_pull_contacts(w, contacts, m);
}

tl_status tl_image_pull_contacts(const tl_world *w, const tl_contacts *contacts, tl_image *m)
{
    const size_t count = contacts->count;
    TL_TRY(pull(w, &contacts->a, &m->a, count));
    TL_TRY(pull(w, &contacts->b, &m->b, count));
    TL_TRY(pull_real(w, &contacts->n, &m->n, count));
    if (contacts->manifolds) {
        TL_TRY(pull_real(w, &contacts->place, &m->place, count));
        TL_TRY(pull(w, &contacts->feature, &m->feature, count));
        TL_TRY(pull_real(w, &contacts->kept, &m->kept, count));
    }
    if (contacts->impulses) {
        TL_TRY(pull_real(w, &contacts->gamma, &m->gamma, count));
        if (contacts->moments)
            TL_TRY(pull_real(w, &contacts->moment, &m->moment, count));
        if (contacts->pasts)
            TL_TRY(pull_real(w, &contacts->past, &m->past, count));
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
