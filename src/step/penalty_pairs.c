/* The pairs of penalty contact: found with a margin, with what their contacts had before; which
 * bodies they act on; and back to contacts, as they are read and saved. */
#include "step/penalty.h"

#include <math.h>

/* What kernels see of the slots of a set. */
static tl_status make_slots(tl_world *w, tl_penalty_step *s, const tl_contacts *set)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const size_t slots = set->manifolds ? TLK_POINTS_MOST : 1, all = slots * set->pairs;
    TL_TRY(tl_buffer_need(b, &p->past, TLK_PAST * all * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->sum, TLK_SUM * all * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->place, set->manifolds ? TLK_PLACE * all * sizeof(double) : 0));
    v->pairs = set->pairs;
    v->slots = (uint32_t)slots;
    v->first = set->manifolds ? set->pair.data : NULL;
    v->a = set->a.data;
    v->b = set->b.data;
    v->feature = set->manifolds ? set->feature.data : NULL;
    v->past = p->past.data;
    v->sum = p->sum.data;
    v->place = set->manifolds ? p->place.data : NULL;
    return TL_OK;
}

/* Where the lists of items by body are. */
static void view_lists(const tl_world *w, tl_penalty_step *s)
{
    const tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    v->force = p->force.data;
    v->list = p->value.data;
    v->list_begin = p->range.data;
    v->list_end = v->list_begin + w->dynamic + 1;
    v->shapes = tl_world_shapes_view(w);
    v->reference = p->reference.data;
    v->turned = p->turned.data;
    v->margin = p->margin;
}

static tl_status make_lists(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const size_t items = (size_t)v->pairs + v->springs;
    uint32_t bits = 1;
    TL_TRY(tl_buffer_need(b, &p->force, TLK_FORCE * items * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->key, 2 * items * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->value, 2 * items * sizeof(uint32_t)));
    v->key = p->key.data;
    v->value = p->value.data;
    tl_run(b, TLK_penalty_sides, (uint32_t)items, v);
    while (bits < 32 && w->dynamic >> bits)
        bits++;
    if (items)
        TL_TRY(b->ops->sort(b, v->key, v->value, 2 * (uint32_t)items, bits));
    TL_TRY(tl_ranges(b, v->key, 2 * (uint32_t)items, w->dynamic + 1, &p->range));
    p->items = (uint32_t)items;
    return TL_OK;
}

tl_status tl_penalty_reuse(tl_world *w, tl_penalty_step *s, const tl_contacts *set)
{
    TL_TRY(make_slots(w, s, set));
    w->backend->ops->fill(w->backend, s->view.sum, 0,
                          TLK_SUM * (size_t)s->view.pairs * s->view.slots * sizeof(double));
    if (w->penalty->items != s->view.pairs + s->view.springs)
        TL_TRY(make_lists(w, s));
    view_lists(w, s);
    return TL_OK;
}

tl_status tl_penalty_find(tl_world *w, tl_penalty_step *s, tl_contacts *last, tl_contacts *next)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    tl_collide_state state;
    TL_TRY(tl_step_look(w, NULL, &state));
    state.envelope = p->margin;
    state.h = w->settings.step / s->substeps;
    state.last = NULL;
    s->searches++;
    TL_TRY(tl_collide_run(b, &w->collide, &state, next));
    if (!next->manifolds)
        next->pairs = next->count;
    TL_TRY(make_slots(w, s, next));
    v->old_start = last->impulses ? last->start.data : NULL;
    v->old_b = last->b.data;
    v->old_feature = last->manifolds && next->manifolds ? last->feature.data : NULL;
    v->old_place = last->manifolds ? last->place.data : NULL;
    v->old_past = last->pasts ? last->past.data : NULL;
    tl_run(b, TLK_penalty_match, next->pairs, v);
    TL_TRY(make_lists(w, s));
    TL_TRY(tl_buffer_need(b, &p->reference, 4 * (size_t)w->shape_rows * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->turned, 4 * (size_t)w->rows * sizeof(double)));
    b->ops->copy(b, p->reference.data, w->centre.data, 4 * (size_t)w->shape_rows * sizeof(double));
    b->ops->copy(b, p->turned.data, w->quat.data, 4 * (size_t)w->rows * sizeof(double));
    view_lists(w, s);
    p->used = 0;
    return TL_OK;
}

/* Room for what contacts of penalty contact have besides places. */
static tl_status make_room(tl_world *w, tl_contacts *set)
{
    tl_backend *b = w->backend;
    const size_t count = set->count;
    TL_TRY(tl_contacts_room(b, set));
    TL_TRY(tl_buffer_need(b, &set->past, TLK_CONTACT_PAST * count * sizeof(double)));
    if (w->rolls)
        TL_TRY(tl_buffer_need(b, &set->moment, 4 * count * b->real));
    b->ops->fill(b, set->colour.data, 0xff, count * sizeof(uint32_t)); /* TLK_NONE */
    set->moments = w->rolls;
    set->impulses = set->pasts = true;
    return TL_OK;
}

/* Points of manifolds: there may be more or fewer than were found. */
static tl_status gather_points(tl_world *w, tl_penalty_step *s, const tl_contacts *set,
                               tl_contacts *out)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    uint64_t total = 0;
    TL_TRY(tl_buffer_need(b, &p->points, ((size_t)set->pairs + 1) * sizeof(uint32_t)));
    v->points = p->points.data;
    tl_run(b, TLK_penalty_points, set->pairs, v);
    TL_TRY(b->ops->scan(b, v->points, set->pairs, &total));
    const size_t count = (size_t)total;
    out->count = (uint32_t)total;
    out->pairs = set->pairs;
    out->manifolds = true;
    TL_TRY(tl_buffer_need(b, &out->start, ((size_t)w->shape_rows + 1) * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->a, count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->b, count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->n, 4 * count * b->real));
    TL_TRY(tl_buffer_need(b, &out->place, 4 * count * b->real));
    TL_TRY(tl_buffer_need(b, &out->feature, 2 * count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->kept, TLK_KEPT * count * b->real));
    v->old_start = set->start.data;
    v->order = out->start.data;
    tl_run(b, TLK_penalty_start, w->shape_rows + 1, v);
    v->out_a = out->a.data;
    v->out_b = out->b.data;
    v->out_feature = out->feature.data;
    v->contact_place = out->place.data;
    v->kept = out->kept.data;
    return TL_OK;
}

tl_status tl_penalty_hand_out(tl_world *w, tl_penalty_step *s, tl_contacts *set)
{
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    tl_contacts *out = set->manifolds ? &p->spare : set;
    if (set->manifolds)
        TL_TRY(gather_points(w, s, set, out));
    TL_TRY(make_room(w, out));
    v->n = out->n.data;
    v->gamma = out->gamma.data;
    v->moment = out->moments ? out->moment.data : NULL;
    v->contact_past = out->past.data;
    tl_run(w->backend, TLK_penalty_write, v->pairs, v);
    if (out != set) {
        const tl_contacts other = *set;
        *set = *out;
        p->spare = other;
    }
    return TL_OK;
}
