/* Pushing: the rows of an image are appended to those of a world, behind what the world takes for
 * its own, and become part of it when everything is put in order: dynamic bodies first, without
 * those that go. Everything that can fail is done before the world changes. */
#include "world/image.h"

#include <string.h>

/* Room for more, keeping the first bytes. */
static tl_status grow(tl_backend *b, tl_buffer *buffer, size_t keep, size_t bytes)
{
    tl_buffer next = *buffer;
    if (bytes <= buffer->bytes)
        return TL_OK;
    next.data = NULL; /* as large as it was, so that it grows in proportion */
    TL_TRY(tl_buffer_need(b, &next, bytes));
    b->ops->copy(b, next.data, buffer->data, keep);
    tl_buffer_free(b, buffer);
    *buffer = next;
    return TL_OK;
}

/* Appends `count` items behind `before` ones. */
static tl_status append(tl_backend *b, tl_buffer *to, size_t before, const void *from, size_t count,
                        size_t item)
{
    TL_TRY(grow(b, to, before * item, (before + count) * item));
    if (count)
        b->ops->upload(b, (char *)to->data + before * item, from, count * item);
    return TL_OK;
}

static tl_status append_array(tl_backend *b, tl_buffer *to, size_t before, const tl_array *from)
{
    return append(b, to, before, from->data, from->count, from->item);
}

/* The same for items of `each` reals, a few thousand numbers at a time. */
static tl_status append_reals(tl_backend *b, tl_buffer *to, size_t before, const tl_array *from,
                              size_t each)
{
    float narrow[4096];
    const double *wide = from->data;
    const size_t most = sizeof narrow / sizeof *narrow, numbers = each * from->count;
    if (b->precision == TL_DOUBLE)
        return append_array(b, to, before, from);
    TL_TRY(grow(b, to, before * each * sizeof *narrow,
                (before + from->count) * each * sizeof *narrow));
    for (size_t first = 0; first < numbers; first += most) {
        const size_t count = numbers - first < most ? numbers - first : most;
        for (size_t i = 0; i < count; i++)
            narrow[i] = (float)wide[first + i];
        b->ops->upload(b, (float *)to->data + before * each + first, narrow,
                       count * sizeof *narrow);
    }
    return TL_OK;
}

/* The same for rows of bodies, which come behind `rows` others. */
static tl_status append_rows(tl_backend *b, tl_buffer *to, size_t before, const tl_array *from,
                             uint32_t rows)
{
    uint32_t moved[4096];
    const uint32_t *row = from->data;
    const size_t most = sizeof moved / sizeof *moved;
    if (!rows)
        return append_array(b, to, before, from);
    TL_TRY(grow(b, to, before * sizeof *moved, (before + from->count) * sizeof *moved));
    for (size_t first = 0; first < from->count; first += most) {
        const size_t count = from->count - first < most ? from->count - first : most;
        for (size_t i = 0; i < count; i++)
            moved[i] = row[first + i] + rows;
        b->ops->upload(b, (uint32_t *)to->data + before + first, moved, count * sizeof *moved);
    }
    return TL_OK;
}

static tl_status append_bodies(tl_world *w, const tl_image *m)
{
    tl_backend *b = w->backend;
    TL_TRY(append_array(b, &w->pos, w->rows, &m->pos));
    TL_TRY(append_array(b, &w->quat, w->rows, &m->quat));
    TL_TRY(append_reals(b, &w->vel, w->rows, &m->vel, 8));
    TL_TRY(append_array(b, &w->inertia, w->rows, &m->inertia));
    TL_TRY(append_array(b, &w->flags, w->rows, &m->flags));
    return append_array(b, &w->id, w->rows, &m->id);
}

/* What kinds of shapes there are, which decides how contacts are found. */
static void note_kind(tl_world *w, uint32_t info)
{
    const uint32_t kind = info & TLK_SHAPE_KIND;
    const bool sensor = info & TLK_SHAPE_SENSOR;
    const bool surface = kind == TL_MESH || kind == TL_HEIGHTS;
    const bool manifolds = kind > TL_PARALLELOGRAM || info & TLK_SHAPE_ROUNDED ||
                           (kind != TL_SPHERE && !(info & TLK_SHAPE_FIXED));
    w->filters = w->filters || info & TLK_SHAPE_FILTERS;
    w->sensors = w->sensors || sensor;
    w->sensed_surfaces = w->sensed_surfaces || surface;
    w->sensed_manifolds = w->sensed_manifolds || manifolds;
    w->surfaces = w->surfaces || (surface && !sensor);
    w->ends = w->ends || (kind != TL_PLANE &&
                          (info & (TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED)) != TLK_SHAPE_CENTRAL);
    w->clumps = w->clumps ||
                (kind == TL_SPHERE && !sensor && !(info & (TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED)));
    w->plates = w->plates || (kind != TL_SPHERE && kind != TL_PLANE && !sensor);
    w->manifolds = w->manifolds || (manifolds && !sensor);
}

/* Which frames the shapes of an image will have: those that are no spheres, one after the other. */
static tl_status append_frames(tl_world *w, const tl_image *m)
{
    tl_backend *b = w->backend;
    const uint32_t *info = m->shape_info.data;
    const size_t most = 4096, word = sizeof(uint32_t), frame = m->frame_local.item;
    const size_t shapes = m->shape_info.count;
    uint32_t of[4096], next = w->frames;
    TL_TRY(grow(b, &w->frame_of, w->shape_rows * word, (w->shape_rows + shapes) * word));
    for (size_t first = 0; first < shapes; first += most) {
        const size_t count = shapes - first < most ? shapes - first : most;
        for (size_t i = 0; i < count; i++) {
            of[i] = (info[first + i] & TLK_SHAPE_KIND) != TL_SPHERE ? next++ : TLK_NONE;
            note_kind(w, info[first + i]);
        }
        b->ops->upload(b, (uint32_t *)w->frame_of.data + w->shape_rows + first, of, count * word);
    }
    TL_TRY(append_array(b, &w->frame_local, w->frames, &m->frame_local));
    return grow(b, &w->frame, w->frames * frame, (w->frames + m->frame_local.count) * frame);
}

static tl_status append_shapes(tl_world *w, const tl_image *m)
{
    tl_backend *b = w->backend;
    const size_t shapes = m->shape_body.count;
    TL_TRY(append_rows(b, &w->shape_body, w->shape_rows, &m->shape_body, w->rows));
    TL_TRY(append_array(b, &w->shape_info, w->shape_rows, &m->shape_info));
    TL_TRY(append_array(b, &w->filter, w->shape_rows, &m->filter));
    TL_TRY(append_array(b, &w->geom, w->shape_rows, &m->geom));
    TL_TRY(append_array(b, &w->centre, w->shape_rows, &m->centre));
    TL_TRY(append_array(b, &w->kept_centre, w->shape_rows, &m->centre));
    TL_TRY(grow(b, &w->level, w->shape_rows, w->shape_rows + shapes));
    return append_frames(w, m);
}

/* Contacts come with a whole world only. */
static tl_status append_contacts(tl_world *w, const tl_image *m)
{
    tl_backend *b = w->backend;
    tl_contacts *c = &w->contacts[w->current];
    if (!m->a.count)
        return TL_OK;
    TL_TRY(append_array(b, &c->a, 0, &m->a));
    TL_TRY(append_array(b, &c->b, 0, &m->b));
    TL_TRY(append_array(b, &c->colour, 0, &m->colour));
    TL_TRY(append_reals(b, &c->n, 0, &m->n, 4));
    TL_TRY(append_reals(b, &c->gamma, 0, &m->gamma, 4));
    TL_TRY(append_reals(b, &c->moment, 0, &m->moment, 4));
    TL_TRY(append_reals(b, &c->place, 0, &m->place, 4));
    TL_TRY(append_array(b, &c->feature, 0, &m->feature));
    TL_TRY(append_reals(b, &c->kept, 0, &m->kept, TLK_KEPT));
    TL_TRY(append_reals(b, &c->past, 0, &m->past, TLK_CONTACT_PAST));
    c->manifolds = m->feature.count > 0;
    c->moments = m->moment.count > 0;
    c->pasts = m->past.count > 0;
    c->count = (uint32_t)m->a.count;
    c->impulses = true;
    return TL_OK;
}

/* Everything of an image behind what the world has; what is in memory then. */
static tl_status append_image(tl_world *w, const tl_image *m, tl_arrangement *all)
{
    const size_t rows = w->rows + m->id.count, shapes = w->shape_rows + m->shape_body.count;
    const uint32_t *id = m->id.data;
    if (rows >= 1u << 31 || shapes >= 1u << 31)
        return tl_fail(TL_TOO_LARGE, "%zu bodies with %zu shapes; the limit is 2^31", rows, shapes);
    *all = (tl_arrangement){.old_rows = (uint32_t)rows,
                            .old_shapes = (uint32_t)shapes,
                            .old_frames = w->frames + (uint32_t)m->frame_local.count,
                            .handles = w->row_of.count};
    for (size_t i = 0; i < m->id.count; i++)
        all->handles = id[i] > all->handles ? id[i] : all->handles;
    TL_TRY(append_bodies(w, m));
    TL_TRY(append_shapes(w, m));
    return append_contacts(w, m);
}

/* The order: dynamic bodies that stay, the image's dynamic ones, the others that stay, the image's
 * others; in w->ordering.order. */
static tl_status sort_bodies(tl_world *w, const uint8_t *gone, tl_arrangement *all)
{
    tl_backend *b = w->backend;
    tlk_edit args = {.bodies = tl_world_bodies_view(w), .gone = (uint8_t *)gone};
    uint64_t total;
    TL_TRY(tl_ordering_need(w, all->old_rows, 0));
    args.all = all->old_rows;
    args.keep = w->ordering.place.data;
    tl_run(b, TLK_edit_keep, args.all, &args);
    TL_TRY(b->ops->scan(b, args.keep, 2 * args.all, &total));
    const tlk_picking picking = {args.keep, w->ordering.order.data, args.all};
    tl_run(b, TLK_pick, 2 * args.all, &picking);
    all->rows = (uint32_t)total;
    return b->ops->download(b, &all->dynamic, args.keep + args.all, sizeof(uint32_t));
}

tl_status tl_image_push(tl_world *w, const tl_image *m, const uint8_t *gone)
{
    tl_arrangement all;
    if (!gone) /* else the arena has been cleared for the marks */
        TL_TRY(tl_arena_clear(w->backend, &w->arena, 0));
    TL_TRY(append_image(w, m, &all));
    TL_TRY(sort_bodies(w, gone, &all));
    TL_TRY(tl_world_rearrange(w, &all));
    w->box_known = false;
    return TL_OK;
}

tl_status tl_image_settle(tl_world *w, tl_image *m)
{
    const double *inertia = m->inertia.data;
    tl_arrangement all;
    TL_TRY(tl_arena_clear(w->backend, &w->arena, 0));
    TL_TRY(append_image(w, m, &all));
    all.rows = all.old_rows;
    while (all.dynamic < all.rows && inertia[4 * (size_t)all.dynamic + 3] > 0)
        all.dynamic++;
    tl_image_free(m);
    w->box_known = false;
    tl_status status = tl_world_curve(w, all.rows, all.dynamic);
    if (status == TL_OK)
        status = tl_world_rearrange(w, &all);
    w->box_known = status == TL_OK && w->box_known;
    return status;
}
