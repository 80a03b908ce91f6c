/* The pairs of penalty contact: found with a margin, with what their contacts had before; which
 * bodies they act on; and back to contacts, as they are read and saved. */
#include "step/penalty.h"

#include <math.h>
#include <string.h>

/* Whether all that moves are balls, and balls about the centres of their bodies; and whether each
 * has one moment. */
tl_status tl_penalty_look_at_balls(tl_world *w, const tlk_penalty *v)
{
    tl_penalty *p = w->penalty;
    double n[TLK_FOLD_NUMBERS] = {0};
    p->balls = p->centred = p->round = false;
    p->arm = 0;
    if (!w->shape_dynamic)
        return TL_OK;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_penalty_balls, w->shape_dynamic, v, n));
    p->balls = !(n[0] > 0);
    p->centred = !(n[1] > 0) && w->shape_dynamic == w->dynamic;
    p->round = !(n[2] > 0);
    p->arm = p->balls ? n[3] : 0;
    return TL_OK;
}

/* What kernels see of the slots of a set. */
static tl_status make_slots(tl_world *w, tl_penalty_step *s, const tl_contacts *set)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const size_t slots = set->manifolds ? TLK_POINTS_MOST : 1, all = slots * set->pairs;
    const bool plain = p->plain && !w->sliding && !set->manifolds;
    const size_t keeps = plain ? TLK_PAST_PLAIN : TLK_PAST;
    p->light = plain && !v->rods && !v->springs && tl_penalty_integrator(w) == TL_INTEGRATOR_VERLET;
    p->whole = p->light && p->balls && b->whole;
    TL_TRY(tl_buffer_need(b, &p->half, p->light ? 0 : 8 * (size_t)w->rows * sizeof(double)));
    v->half = p->light ? p->vel.data : p->half.data;
    TL_TRY(tl_buffer_need(b, &p->past, keeps * all * b->real));
    TL_TRY(tl_buffer_need(b, &p->past2, p->whole ? keeps * all * b->real : 0));
    TL_TRY(tl_buffer_need(b, &p->roll, w->rolls ? TLK_ROLL * all * b->real : 0));
    TL_TRY(tl_buffer_need(b, &p->place, set->manifolds ? TLK_PLACE * all * sizeof(double) : 0));
    const bool couples = !p->whole && !set->manifolds;
    TL_TRY(tl_buffer_need(b, &p->acts, p->whole ? 0 : set->pairs));
    TL_TRY(tl_buffer_need(b, &p->couple, couples ? TLK_COUPLE * set->pairs * b->real : 0));
    v->pairs = set->pairs;
    v->slots = (uint32_t)slots;
    v->keeps = (uint32_t)keeps;
    v->lasts = p->whole ? TLK_LAST_WHOLE : TLK_LAST;
    v->first = set->manifolds ? set->pair.data : NULL;
    v->a = set->a.data;
    v->b = set->b.data;
    v->feature = set->manifolds ? set->feature.data : NULL;
    v->past = p->past.data;
    v->roll = w->rolls ? p->roll.data : NULL;
    v->place = set->manifolds ? p->place.data : NULL;
    v->acts = p->whole ? NULL : p->acts.data;
    v->couple = couples ? p->couple.data : NULL;
    return TL_OK;
}

bool tl_penalty_lost(const tl_world *w)
{
    return w->penalty->last.phase != w->arena.phase;
}

/* What slots add up in a step, and their last forces, both 0 where they were lost. Lists and
 * colours are made before, in the same memory. */
static tl_status make_sums(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const size_t all = (size_t)s->view.pairs * s->view.slots * b->real;
    const size_t last = s->view.lasts * all, work = p->whole && !s->view.stands ? all : 0;
    const bool lost = tl_penalty_lost(w);
    TL_TRY(tl_buffer_need(b, &p->sum, TLK_SUM * all));
    TL_TRY(tl_buffer_need(b, &p->last, last));
    TL_TRY(tl_buffer_need(b, &p->worked, work));
    s->view.sum = p->sum.data;
    s->view.last = p->last.data;
    s->view.worked = work ? p->worked.data : NULL;
    b->ops->fill(b, p->worked.data, 0, work);
    if (!lost) {
        tl_run(b, TLK_penalty_reset, s->view.pairs * s->view.slots, &s->view);
        return TL_OK;
    }
    b->ops->fill(b, p->sum.data, 0, TLK_SUM * all);
    b->ops->fill(b, p->last.data, 0, last);
    return TL_OK;
}

/* Where the lists of items by body are. */
static void view_lists(const tl_world *w, tl_penalty_step *s)
{
    const tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    v->at = p->at.data;
    v->load = p->load.data;
    v->items = p->items;
    v->stretch = v->rods ? p->stretch.data : NULL;
    v->list = p->value.data;
    v->list_begin = p->range.data;
    v->list_end = v->list_begin + w->dynamic + 1;
    v->shapes = tl_world_shapes_view(w);
    v->reference = p->reference.data;
    v->turned = p->turned.data;
    v->upright = p->upright;
    v->margin = p->margin;
    v->order = p->order.data;
    v->near_list = p->near_row.data;
    v->near_other = p->other.data;
    v->arm = p->arm;
    v->near_end = p->near_end.data;
    v->nears = p->whole ? p->nears.data : NULL;
    v->spot = p->spot.data;
    v->light = p->light;
    v->central = p->light && p->balls && p->centred;
    v->simple = v->central && p->round;
}

/* What a substep needs that goes pair by pair, then body by body: what acts, along the lists, and
 * where the sides of items are in these. */
static tl_status make_loads(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const size_t sides = p->whole ? 0 : 2 * (size_t)p->items;
    TL_TRY(tl_buffer_need(b, &p->at, sides * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->load, TLK_LOAD * (sides + 1) * b->real));
    b->ops->fill(b, p->load.data, 0, TLK_LOAD * (sides + 1) * b->real);
    tlk_penalty view = s->view;
    view.list = p->value.data;
    view.order = p->at.data;
    tl_run(b, TLK_penalty_places, (uint32_t)sides, &view);
    return TL_OK;
}

/* What one pass over bodies needs: a second place for all that bodies read of each other, room for
 * lists of near pairs, and for where pairs meet what is not dynamic. */
static tl_status make_whole(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const uint32_t *range = p->range.data;
    const size_t sides = p->whole ? 2 * (size_t)p->items * sizeof(uint32_t) : 0;
    const size_t places = 4 * (size_t)(p->centred ? w->shape_rows : w->dynamic) * sizeof(double);
    p->still[0] = p->still[1] = 0;
    TL_TRY(tl_buffer_need(b, &p->other, sides));
    if (!p->whole)
        return make_loads(w, s);
    TL_TRY(b->ops->download(b, &p->still[0], range + w->dynamic, sizeof *range));
    TL_TRY(b->ops->download(b, &p->still[1], range + 2 * (size_t)w->dynamic + 1, sizeof *range));
    TL_TRY(tl_buffer_need(b, &p->spot, TLK_SPOT * (size_t)(p->still[1] - p->still[0]) * b->real));
    TL_TRY(tl_buffer_need(b, &p->near_row, sides));
    TL_TRY(tl_buffer_need(b, &p->near_end, (size_t)w->dynamic * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->nears, s->view.pairs));
    TL_TRY(tl_buffer_need(b, &p->pace2, 8 * (size_t)w->rows * b->real));
    return tl_buffer_need(b, &p->place2, places);
}

static tl_status make_lists(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const size_t items = (size_t)v->pairs + v->springs + 2 * (size_t)v->rods;
    uint32_t bits = 1;
    TL_TRY(tl_arena_clear(b, &w->arena, 0));
    TL_TRY(tl_buffer_need(b, &p->stretch, v->rods ? 2 * (size_t)v->pairs * sizeof(double) : 0));
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
    return make_whole(w, s);
}

/* Pairs by colour, where some may collide. */
static tl_status make_colours(tl_world *w, tl_penalty_step *s, tl_contacts *set)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    uint32_t starts[TLK_RANK_KEYS + 1];
    const size_t bytes = (size_t)set->pairs * sizeof(uint32_t);
    const tl_penalty_def *def = &w->settings.penalty;
    memset(p->colours, 0, sizeof p->colours);
    if (def->law != TL_PENALTY_SCALED || !def->collisions || !set->pairs)
        return TL_OK;
    TL_TRY(tl_contacts_room(b, set));
    TL_TRY(tl_buffer_need(b, &p->order, bytes));
    b->ops->fill(b, set->colour.data, 0xff, (size_t)set->count * sizeof(uint32_t));
    s->view.order = p->order.data;
    if (s->view.rods) { /* pairs share bodies through rods: one after the other */
        s->view.colour_place = NULL;
        tl_run(b, TLK_penalty_order, set->pairs, &s->view);
        p->colours[TLK_COLOURS] = set->pairs;
        return TL_OK;
    }
    TL_TRY(tl_step_colour_pairs(w, set, starts));
    s->view.colour_place = w->problem.place.data;
    tl_run(b, TLK_penalty_order, set->pairs, &s->view);
    for (uint32_t c = 0; c <= TLK_COLOURS; c++)
        p->colours[c] = starts[4 * c];
    return TL_OK;
}

tl_status tl_penalty_reuse(tl_world *w, tl_penalty_step *s)
{
    const bool whole = w->penalty->whole;
    TL_TRY(make_slots(w, s, &w->penalty->list));
    if (w->penalty->whole != whole) /* other kinds of slots */
        return tl_penalty_find(w, s, &w->contacts[w->current]);
    if (w->penalty->items != s->view.pairs + s->view.springs + 2 * s->view.rods)
        TL_TRY(make_lists(w, s));
    view_lists(w, s);
    return make_sums(w, s);
}

/* Pairs of the last step, before others are found: slots with their last forces, and shapes where
 * they are now, as a step has centres of its own. */
tl_status tl_penalty_known(tl_world *w, tl_penalty_step *s)
{
    TL_TRY(make_slots(w, s, &w->penalty->list));
    s->view.last = w->penalty->last.data;
    view_lists(w, s);
    tlk_penalty placed = s->view;
    placed.margin = INFINITY; /* how far they have gone does not count */
    tl_run(w->backend, TLK_penalty_place, w->shape_rows, &placed);
    return TL_OK;
}

/* Normals with which pairs are found are not read: their memory is past2's. */
static void exchange_normals(tl_penalty *p)
{
    const tl_buffer other = p->list.n;
    p->list.n = p->past2;
    p->past2 = other;
}

/* Looks for pairs, and notes where shapes are. */
static tl_status search(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tl_contacts *next = &p->list;
    tl_collide_state state;
    s->view.margin = 0; /* rods note where their ends are */
    tl_run(b, TLK_penalty_rod, s->view.rods, &s->view);
    TL_TRY(tl_step_look(w, NULL, &state));
    state.envelope = p->margin;
    state.h = w->settings.step / s->substeps;
    state.last = NULL;
    state.places = true;
    s->searches++;
    exchange_normals(p);
    const tl_status found = tl_collide_run(b, &w->collide, &state, next);
    exchange_normals(p);
    TL_TRY(found);
    if (!next->manifolds)
        next->pairs = next->count;
    TL_TRY(tl_buffer_need(b, &p->reference, 4 * (size_t)w->shape_rows * sizeof(double)));
    p->upright = p->balls ? w->dynamic : 0;
    const size_t turned = 4 * (size_t)(w->rows - p->upright) * sizeof(double);
    TL_TRY(tl_buffer_need(b, &p->turned, turned));
    b->ops->copy(b, p->reference.data, w->centre.data, 4 * (size_t)w->shape_rows * sizeof(double));
    b->ops->copy(b, p->turned.data, (double *)w->quat.data + 4 * (size_t)p->upright, turned);
    return TL_OK;
}

tl_status tl_penalty_find(tl_world *w, tl_penalty_step *s, tl_contacts *last)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tl_contacts *next = &p->list;
    tlk_penalty *v = &s->view;
    if (!s->again)
        TL_TRY(search(w, s));
    s->again = false;
    TL_TRY(make_slots(w, s, next));
    TL_TRY(make_lists(w, s));
    TL_TRY(make_colours(w, s, next));
    TL_TRY(tl_arena_clear(b, &w->arena, 0));
    TL_TRY(make_sums(w, s));
    v->old_start = last->impulses ? last->start.data : NULL;
    v->old_b = last->b.data;
    v->old_feature = last->manifolds && next->manifolds ? last->feature.data : NULL;
    v->old_place = last->manifolds ? last->place.data : NULL;
    v->old_n = last->n.data;
    v->old_past = last->pasts ? last->past.data : NULL;
    tl_run(b, TLK_penalty_match, next->pairs, v);
    view_lists(w, s);
    p->soon = true; /* until a step has run with them */
    p->forces = false;
    return TL_OK;
}

/* Contacts are the points there are now: those of manifolds may be more or fewer than were found,
 * and of pairs of one point only those count that touch, or did. */
tl_status tl_penalty_count(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    uint64_t total = 0;
    TL_TRY(tl_buffer_need(b, &p->points, ((size_t)v->pairs + 1) * sizeof(uint32_t)));
    v->points = p->points.data;
    tl_run(b, TLK_penalty_points, v->pairs, v);
    TL_TRY(b->ops->scan(b, v->points, v->pairs, &total));
    s->contacts = (uint32_t)total;
    return TL_OK;
}

/* What a set of so many contacts takes. */
#define FIELDS 11u

typedef struct field {
    tl_buffer *buffer;
    size_t bytes;
} field;

static void fields_of(const tl_world *w, const tl_penalty_step *s, tl_contacts *set, field *out)
{
    const size_t count = s->contacts, real = count * w->backend->real;
    const size_t word = count * sizeof(uint32_t), rolls = w->rolls, many = s->view.place != NULL;
    const field all[FIELDS] = {{&set->start, ((size_t)w->shape_rows + 1) * sizeof(uint32_t)},
                               {&set->a, word},
                               {&set->b, word},
                               {&set->n, 4 * real},
                               {&set->gamma, 4 * real},
                               {&set->colour, word},
                               {&set->past, TLK_CONTACT_PAST * real},
                               {&set->moment, rolls * 4 * real},
                               {&set->place, many * 4 * real},
                               {&set->feature, many * 2 * word},
                               {&set->kept, many * TLK_KEPT * real}};
    memcpy(out, all, sizeof all);
}

tl_status tl_penalty_room(tl_world *w, const tl_penalty_step *s, tl_contacts *set)
{
    field all[FIELDS];
    fields_of(w, s, set, all);
    for (size_t i = 0; i < FIELDS; i++)
        TL_TRY(tl_buffer_need(w->backend, all[i].buffer, all[i].bytes));
    return TL_OK;
}

tl_contacts *tl_penalty_set(tl_world *w, const tl_penalty_step *s)
{
    tl_contacts *set = &w->contacts[w->current];
    field all[FIELDS];
    bool fits = true;
    fields_of(w, s, set, all);
    for (size_t i = 0; i < FIELDS; i++)
        fits = fits && all[i].bytes <= all[i].buffer->bytes;
    return fits ? set : &w->contacts[1 - w->current];
}

tl_contacts tl_penalty_told(const tl_world *w, const tl_penalty_step *s, const tl_contacts *set)
{
    tl_contacts told = *set;
    told.count = s->contacts;
    told.manifolds = w->penalty->list.manifolds;
    told.pairs = told.manifolds ? s->view.pairs : s->contacts;
    told.moments = w->rolls;
    told.impulses = told.pasts = true;
    return told;
}

void tl_penalty_write(tl_world *w, tl_penalty_step *s, tl_contacts *set)
{
    tl_backend *b = w->backend;
    tlk_penalty v = s->view;
    *set = tl_penalty_told(w, s, set);
    b->ops->fill(b, set->colour.data, 0xff, (size_t)set->count * sizeof(uint32_t)); /* TLK_NONE */
    v.old_start = w->penalty->list.start.data;
    v.order = set->start.data;
    tl_run(b, TLK_penalty_start, w->shape_rows + 1, &v);
    v.out_a = set->a.data;
    v.out_b = set->b.data;
    v.out_feature = set->feature.data;
    v.contact_place = set->place.data;
    v.kept = set->kept.data;
    v.n = set->n.data;
    v.gamma = set->gamma.data;
    v.moment = set->moments ? set->moment.data : NULL;
    v.contact_past = set->past.data;
    tl_run(b, TLK_penalty_write, v.pairs, &v);
}

tl_status tl_penalty_hand_on(tl_world *w, tl_penalty_step *s, tl_contacts *set)
{
    TL_TRY(tl_penalty_count(w, s));
    TL_TRY(tl_penalty_room(w, s, set));
    tl_penalty_write(w, s, set);
    return TL_OK;
}
