/* What an exact step gives back: velocities, contacts with their impulses, and the audit. */
#include "step/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_real(const tl_world *w, void *to, size_t at, double value)
{
    if (w->backend->real == sizeof(double))
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

/* The new velocities, in the step's own array, which has the inverse masses already. */
static tl_status send_velocities(tl_world *w, tl_exact *e, const tlk_motion *motion)
{
    const size_t bytes = 8 * (size_t)w->dynamic * w->backend->real;
    const double *vel = e->free.data;
    TL_TRY(tl_array_resize(&e->out, bytes));
    if (!bytes)
        return TL_OK;
    TL_TRY(w->backend->ops->download(w->backend, e->out.data, motion->vel, bytes));
    for (size_t i = 0; i < w->dynamic; i++)
        for (size_t k = 0; k < 6; k++)
            put_real(w, e->out.data, 8 * i + (k > 2 ? k + 1 : k), vel[6 * i + k]);
    w->backend->ops->upload(w->backend, motion->vel, e->out.data, bytes);
    return TL_OK;
}

/* Rows go back in the order of groups, which is that of the pairs that were found. */
static int by_group(const void *a, const void *b)
{
    const tl_exact_row *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    return one->point < other->point ? -1 : one->point > other->point;
}

/* Room for the contacts, as pairs with several points. */
static tl_status contact_room(tl_world *w, tl_contacts *c, size_t count)
{
    tl_backend *b = w->backend;
    c->count = (uint32_t)count;
    c->manifolds = false;
    TL_TRY(tl_buffer_need(b, &c->a, count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->b, count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->n, 4 * count * b->real));
    TL_TRY(tl_buffer_need(b, &c->start, (w->shape_rows + 1) * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->pair, (count + 1) * sizeof(uint32_t)));
    TL_TRY(tl_contacts_features(b, c));
    c->impulses = c->moments = c->pasts = false;
    TL_TRY(tl_contacts_rest(b, c));
    c->impulses = true;
    return TL_OK;
}

/* One kind of number of all contacts: 4 reals each. */
typedef enum contact_number { NORMAL, PLACE, IMPULSE } contact_number;

static tl_status send_numbers(tl_world *w, tl_exact *e, contact_number which, tl_buffer *to)
{
    const tl_exact_row *rows = e->row_of.data;
    const tl_group *groups = e->groups.data;
    const size_t count = e->row_of.count, bytes = 4 * count * w->backend->real;
    TL_TRY(tl_array_resize(&e->out, bytes));
    for (size_t i = 0; i < count; i++) {
        const tl_group *g = &groups[rows[i].group];
        const tl_facet_point *point = (const tl_facet_point *)e->points.data + rows[i].point;
        const double *centre = (const double *)e->centre.data + 4 * (size_t)g->a;
        const tl_facet *f = (const tl_facet *)e->facets.data + g->first;
        while (rows[i].point >= f->first + f->points || rows[i].point < f->first)
            f++;
        for (size_t k = 0; k < 4; k++) {
            const double number = which == NORMAL    ? (k < 3 ? f->n[k] : point->gap)
                                  : which == IMPULSE ? (k < 3 ? rows[i].p[k] : 0)
                                  : k < 3            ? point->x[k] - centre[k]
                                                     : 0;
            put_real(w, e->out.data, 4 * i + k, number);
        }
    }
    if (bytes)
        w->backend->ops->upload(w->backend, to->data, e->out.data, bytes);
    return TL_OK;
}

static tl_status send_words(tl_world *w, tl_exact *e, tl_contacts *c)
{
    const tl_exact_row *rows = e->row_of.data;
    const tl_group *groups = e->groups.data;
    const size_t count = e->row_of.count, shapes = w->shape_rows;
    TL_TRY(tl_array_resize(&e->out, (5 * count + shapes + 2) * sizeof(uint32_t)));
    uint32_t *a = e->out.data, *b = a + count, *feature = b + count, *pair = feature + 2 * count;
    uint32_t *start = pair + count + 1;
    c->pairs = 0;
    memset(start, 0, (shapes + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) {
        a[i] = groups[rows[i].group].a;
        b[i] = groups[rows[i].group].b;
        feature[2 * i] = groups[rows[i].group].triangle;
        feature[2 * i + 1] =
            rows[i].point - ((const tl_facet *)e->facets.data + groups[rows[i].group].first)->first;
        if (!i || rows[i].group != rows[i - 1].group)
            pair[c->pairs++] = (uint32_t)i;
        start[a[i] + 1]++;
    }
    pair[c->pairs] = (uint32_t)count;
    for (size_t s = 0; s < shapes; s++)
        start[s + 1] += start[s];
    const tl_backend_ops *ops = w->backend->ops;
    ops->upload(w->backend, c->start.data, start, (shapes + 1) * sizeof *start);
    ops->upload(w->backend, c->pair.data, pair, ((size_t)c->pairs + 1) * sizeof *pair);
    if (!count)
        return TL_OK;
    ops->upload(w->backend, c->a.data, a, count * sizeof *a);
    ops->upload(w->backend, c->b.data, b, count * sizeof *b);
    ops->upload(w->backend, c->feature.data, feature, 2 * count * sizeof *feature);
    return TL_OK;
}

tl_status tl_exact_send(tl_world *w, tl_exact *e, const tlk_motion *motion, tl_contacts *next)
{
    TL_TRY(send_velocities(w, e, motion));
    if (e->row_of.count)
        qsort(e->row_of.data, e->row_of.count, sizeof(tl_exact_row), by_group);
    TL_TRY(contact_room(w, next, e->row_of.count));
    TL_TRY(send_words(w, e, next));
    TL_TRY(send_numbers(w, e, NORMAL, &next->n));
    TL_TRY(send_numbers(w, e, PLACE, &next->place));
    return send_numbers(w, e, IMPULSE, &next->gamma);
}

/* The certificate's numbers (certify() in dvi.c), and the work that walls did. */
void tl_exact_audit(const tl_world *w, const tl_exact *e, const tl_exact_sum *sum, double out[8])
{
    const tl_exact_row *rows = e->row_of.data;
    const tl_group *groups = e->groups.data;
    memset(out, 0, 8 * sizeof *out);
    for (size_t i = 0; i < e->row_of.count; i++) {
        const tl_group *g = &groups[rows[i].group];
        const tl_facet_point *point = (const tl_facet_point *)e->points.data + rows[i].point;
        const double *p = rows[i].p;
        out[3] += p[0] != 0 || p[1] != 0 || p[2] != 0;
        for (int side = 0; side < 2; side++) {
            const uint32_t body = side ? g->body_b : g->body_a;
            const double *v = (const double *)e->vel.data + 6 * (size_t)body;
            const double *x = (const double *)e->pos.data + 4 * (size_t)body;
            const double r[3] = {point->x[0] - x[0], point->x[1] - x[1], point->x[2] - x[2]};
            const double at[3] = {v[0] + v[4] * r[2] - v[5] * r[1],
                                  v[1] + v[5] * r[0] - v[3] * r[2],
                                  v[2] + v[3] * r[1] - v[4] * r[0]};
            if (body >= w->dynamic) /* what it does is minus what is done to it */
                out[4] -= (side ? 1 : -1) * (p[0] * at[0] + p[1] * at[1] + p[2] * at[2]);
        }
    }
    out[0] = sum->residual * sum->residual * (double)e->row_of.count;
    out[1] = sum->residual;
    out[2] = (double)e->row_of.count;
    for (size_t i = 0; i < e->groups.count;
         i++) { /* how deep: along the way out that is shortest */
        const tl_facet *f = (const tl_facet *)e->facets.data + groups[i].first;
        double most = -INFINITY;
        for (uint32_t j = 0; j < groups[i].facets; j++)
            most = fmax(most, f[j].psi);
        if (most < 0) {
            out[5] = fmax(out[5], -most);
            out[6] -= most;
            out[7]++;
        }
    }
}
