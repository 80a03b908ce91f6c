/* Pushing an image to the device: dynamic bodies first, levels for the shapes, contacts in lists by
 * owner. Everything that can fail is done before the world changes. */
#include "world/image.h"

#include <string.h>

/* What is allocated for the new state before it replaces the old one. */
typedef struct push_state {
    tl_buffer body[6];  /* pos, quat, vel, inertia, flags, id */
    tl_buffer shape[7]; /* shape_body, shape_info, geom, level, patch_local, patch, centre */
    tl_contacts contacts;
    tl_collide collide;
    tl_array row_of, level, start, order;
} push_state;

static bool is_dynamic(const tl_image *m, size_t row)
{
    return ((const double *)m->inertia.data)[4 * row + 3] > 0;
}

static tl_status upload(tl_backend *b, tl_buffer *to, const void *from, size_t bytes)
{
    TL_TRY(tl_buffer_need(b, to, bytes));
    b->ops->upload(b, to->data, from, bytes);
    return TL_OK;
}

/* Doubles as reals, a few thousand at a time. */
static tl_status upload_real(tl_backend *b, tl_buffer *to, const double *from, size_t numbers)
{
    float narrow[8192];
    const size_t most = sizeof narrow / sizeof *narrow;
    if (b->precision == TL_DOUBLE)
        return upload(b, to, from, numbers * sizeof(double));
    TL_TRY(tl_buffer_need(b, to, numbers * sizeof(float)));
    for (size_t first = 0; first < numbers; first += most) {
        const size_t n = numbers - first < most ? numbers - first : most;
        for (size_t i = 0; i < n; i++)
            narrow[i] = (float)from[first + i];
        b->ops->upload(b, (float *)to->data + first, narrow, n * sizeof(float));
    }
    return TL_OK;
}

/* Contacts by owner: who owns each, where lists start, and the order. */
static tl_status order_contacts(const tl_image *m, push_state *p)
{
    const uint8_t *level = p->level.data;
    const uint32_t *a = m->a.data, *b = m->b.data;
    const size_t shapes = m->shape_body.count;
    TL_TRY(tl_array_resize(&p->start, shapes + 1));
    TL_TRY(tl_array_resize(&p->order, m->a.count));
    uint32_t *start = p->start.data, *order = p->order.data, total = 0;
    memset(start, 0, (shapes + 1) * sizeof *start);
    for (size_t k = 0; k < m->a.count; k++)
        start[tl_owns(level, a[k], b[k]) ? a[k] : b[k]]++;
    for (size_t i = 0; i <= shapes; i++) {
        const uint32_t here = start[i];
        start[i] = total;
        total += here;
    }
    for (size_t k = 0; k < m->a.count; k++)
        order[start[tl_owns(level, a[k], b[k]) ? a[k] : b[k]]++] = (uint32_t)k;
    memmove(start + 1, start, shapes * sizeof *start);
    start[0] = 0;
    return TL_OK;
}

static tl_status push_contacts(tl_backend *backend, const tl_image *m, push_state *p)
{
    const size_t count = m->a.count;
    const uint8_t *level = p->level.data;
    tl_array a = {.item = 4}, b = {.item = 4}, colour = {.item = 4}, n = {.item = 32};
    tl_array gamma = {.item = 32};
    tl_array *all[] = {&a, &b, &colour, &n, &gamma};
    tl_status status = order_contacts(m, p);
    for (size_t i = 0; i < 5 && status == TL_OK; i++)
        status = tl_array_resize(all[i], count);
    for (size_t i = 0; status == TL_OK && i < count; i++) {
        const uint32_t k = ((const uint32_t *)p->order.data)[i];
        const uint32_t ka = ((const uint32_t *)m->a.data)[k], kb = ((const uint32_t *)m->b.data)[k];
        const bool same = tl_owns(level, ka, kb);
        ((uint32_t *)a.data)[i] = same ? ka : kb;
        ((uint32_t *)b.data)[i] = same ? kb : ka;
        ((uint32_t *)colour.data)[i] = ((const uint32_t *)m->colour.data)[k];
        for (int c = 0; c < 4; c++) {
            const double sign = same || c == 3 ? 1 : -1;
            ((double *)n.data)[4 * i + c] = sign * ((const double *)m->n.data)[4 * (size_t)k + c];
            ((double *)gamma.data)[4 * i + c] =
                sign * ((const double *)m->gamma.data)[4 * (size_t)k + c];
        }
    }
    tl_contacts *out = &p->contacts;
    if (status == TL_OK)
        status = upload(backend, &out->start, p->start.data, p->start.count * sizeof(uint32_t));
    if (status == TL_OK)
        status = upload(backend, &out->a, a.data, count * sizeof(uint32_t));
    if (status == TL_OK)
        status = upload(backend, &out->b, b.data, count * sizeof(uint32_t));
    if (status == TL_OK)
        status = upload(backend, &out->colour, colour.data, count * sizeof(uint32_t));
    if (status == TL_OK)
        status = upload_real(backend, &out->n, n.data, 4 * count);
    if (status == TL_OK)
        status = upload_real(backend, &out->gamma, gamma.data, 4 * count);
    out->count = (uint32_t)count;
    out->impulses = count > 0;
    for (size_t i = 0; i < 5; i++)
        tl_array_free(all[i]);
    return status;
}

static tl_status push_rows(tl_backend *b, const tl_image *m, push_state *p, size_t shape_dynamic)
{
    const size_t bodies = m->id.count, shapes = m->shape_body.count, fixed = shapes - shape_dynamic;
    TL_TRY(upload(b, &p->body[0], m->pos.data, bodies * m->pos.item));
    TL_TRY(upload(b, &p->body[1], m->quat.data, bodies * m->quat.item));
    TL_TRY(upload_real(b, &p->body[2], m->vel.data, 8 * bodies));
    TL_TRY(upload(b, &p->body[3], m->inertia.data, bodies * m->inertia.item));
    TL_TRY(upload(b, &p->body[4], m->flags.data, bodies * m->flags.item));
    TL_TRY(upload(b, &p->body[5], m->id.data, bodies * m->id.item));
    TL_TRY(upload(b, &p->shape[0], m->shape_body.data, shapes * m->shape_body.item));
    TL_TRY(upload(b, &p->shape[1], m->shape_info.data, shapes * m->shape_info.item));
    TL_TRY(upload(b, &p->shape[2], m->geom.data, shapes * m->geom.item));
    TL_TRY(upload(b, &p->shape[3], p->level.data, shapes));
    TL_TRY(upload(b, &p->shape[4], m->patch_local.data, fixed * m->patch_local.item));
    TL_TRY(tl_buffer_need(b, &p->shape[5], fixed * m->patch_local.item));
    return upload(b, &p->shape[6], m->centre.data, shapes * m->centre.item);
}

static tl_status push_ids(const tl_world *w, const tl_image *m, push_state *p)
{
    const uint32_t *id = m->id.data;
    size_t most = w->row_of.count;
    for (size_t i = 0; i < m->id.count; i++)
        if (id[i] > most)
            most = id[i];
    TL_TRY(tl_array_resize(&p->row_of, most));
    uint32_t *row_of = p->row_of.data;
    for (size_t i = 0; i < most; i++)
        row_of[i] = TLK_NONE;
    for (size_t i = 0; i < m->id.count; i++)
        row_of[id[i] - 1] = (uint32_t)i;
    return TL_OK;
}

/* The new state takes the place of the old one. */
static void commit(tl_world *w, push_state *p, const tl_image *m, size_t dynamic,
                   size_t shape_dynamic)
{
    tl_backend *b = w->backend;
    tl_buffer *body[] = {&w->pos, &w->quat, &w->vel, &w->inertia, &w->flags, &w->id};
    tl_buffer *shape[] = {&w->shape_body,  &w->shape_info, &w->geom,  &w->level,
                          &w->patch_local, &w->patch,      &w->centre};
    for (size_t i = 0; i < 6; i++) {
        tl_buffer_free(b, body[i]);
        *body[i] = p->body[i];
    }
    for (size_t i = 0; i < 7; i++) {
        tl_buffer_free(b, shape[i]);
        *shape[i] = p->shape[i];
    }
    tl_contacts_free(b, &w->contacts[w->current]);
    w->contacts[w->current] = p->contacts;
    tl_array_free(&w->row_of);
    w->row_of = p->row_of;
    /* the levels are new; the buffers of the stages stay */
    w->collide.levels = p->collide.levels;
    w->collide.globals = p->collide.globals;
    memcpy(w->collide.top, p->collide.top, sizeof w->collide.top);
    memcpy(w->collide.residents, p->collide.residents, sizeof w->collide.residents);
    memcpy(w->collide.global, p->collide.global, sizeof w->collide.global);
    w->rows = (uint32_t)m->id.count;
    w->dynamic = (uint32_t)dynamic;
    w->shape_rows = (uint32_t)m->shape_body.count;
    w->shape_dynamic = (uint32_t)shape_dynamic;
    w->alive = m->id.count;
}

static void discard(tl_world *w, push_state *p)
{
    for (size_t i = 0; i < 6; i++)
        tl_buffer_free(w->backend, &p->body[i]);
    for (size_t i = 0; i < 7; i++)
        tl_buffer_free(w->backend, &p->shape[i]);
    tl_contacts_free(w->backend, &p->contacts);
    tl_array_free(&p->row_of);
}

/* An image whose dynamic bodies and their shapes come first. */
static tl_status push_sorted(tl_world *w, const tl_image *m, size_t dynamic)
{
    push_state p = {.row_of.item = 4, .level.item = 1, .start.item = 4, .order.item = 4};
    const uint32_t *body = m->shape_body.data;
    const size_t shapes = m->shape_body.count;
    size_t shape_dynamic = 0;
    while (shape_dynamic < shapes && body[shape_dynamic] < dynamic)
        shape_dynamic++;
    tl_status status = tl_array_resize(&p.level, shapes);
    if (status == TL_OK)
        status = tl_collide_levels(&p.collide, (uint32_t)shapes, m->geom.data, m->shape_info.data,
                                   p.level.data);
    if (status == TL_OK)
        status = push_rows(w->backend, m, &p, shape_dynamic);
    if (status == TL_OK)
        status = push_contacts(w->backend, m, &p);
    if (status == TL_OK)
        status = push_ids(w, m, &p);
    if (status == TL_OK)
        commit(w, &p, m, dynamic, shape_dynamic);
    else
        discard(w, &p);
    tl_array_free(&p.level);
    tl_array_free(&p.start);
    tl_array_free(&p.order);
    return status;
}

tl_status tl_image_push(tl_world *w, tl_image *m)
{
    const size_t count = m->id.count;
    tl_array order = {.item = sizeof(uint32_t)};
    size_t dynamic = 0, at = 0;
    if (count >= 1u << 31 || m->shape_body.count >= 1u << 31)
        return tl_fail(TL_TOO_LARGE, "%zu bodies with %zu shapes; the limit is 2^31", count,
                       m->shape_body.count);
    w->box_known = false;
    TL_TRY(tl_array_resize(&order, count));
    for (int fixed = 0; fixed < 2; fixed++) {
        for (size_t i = 0; i < count; i++)
            if (is_dynamic(m, i) != fixed)
                ((uint32_t *)order.data)[at++] = (uint32_t)i;
        if (!fixed)
            dynamic = at;
    }
    bool sorted = true;
    for (size_t i = 0; i < count; i++)
        sorted = sorted && ((const uint32_t *)order.data)[i] == i;
    const tl_status status = sorted ? TL_OK : tl_image_select(m, order.data, count);
    tl_array_free(&order);
    return status == TL_OK ? push_sorted(w, m, dynamic) : status;
}
