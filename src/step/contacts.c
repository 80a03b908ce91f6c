/* The contacts of a step: found, with sensors beside them, and matched with those of the last
 * step, whose impulses and colours they take over. */
#include "collide/parts.h"
#include "step/step.h"

#include <math.h>
#include <string.h>

tl_status tl_step_look(tl_world *w, const void *seen, tl_collide_state *state)
{
    const tl_contacts *last = &w->contacts[w->current];
    TL_TRY(tl_buffer_need(w->backend, &w->reach, w->shape_rows * sizeof(float)));
    *state =
        (tl_collide_state){.bodies = tl_world_bodies_view(w),
                           .shapes = tl_world_shapes_view(w),
                           .h = w->settings.step,
                           .envelope = tl_step_margin(w),
                           .seen = seen,
                           .deep = TL_MISSED * w->smallest,
                           .held = w->swings ? w->held.data : NULL,
                           .filters = w->filters,
                           .exclusions = (uint32_t)w->exclusions.count,
                           .excluded = w->excluded.data,
                           .manifolds = w->manifolds,
                           .surfaces = w->surfaces,
                           .last = w->steps && last->impulses && !tl_step_is_exact(w) ? last : NULL,
                           .crowd = w->backend->crowd,
                           .apart = w->backend->apart};
    TL_TRY(tl_step_find_box(w));
    memcpy(state->box, w->box, sizeof state->box);
    state->speed = tl_world_speed(w);
    return tl_arena_clear(w->backend, &w->arena, 0);
}

/* Where all pairs are simple, and some spheres are off their bodies' origins: whether one of these
 * may move so far within the step, or was so deep in the last one, that it needs more than the one
 * point of a simple pair (kernels/touch.h). */
static tl_status look_for_clumps(tl_world *w, tl_collide_state *state)
{
    const tl_contacts *last = &w->contacts[w->current];
    const tlk_find view = tl_collide_view(&w->collide, state, (tl_part){0, 1});
    const tlk_deep deep = {state->shapes, last->a.data, last->b.data, last->n.data, INFINITY};
    double n[TLK_FOLD_NUMBERS];
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_clump_ways, w->shape_rows, &view, n));
    state->manifolds = w->swings || n[0] + fmax(n[1], 0) > TLK_CLUMP * w->smallest;
    if (state->manifolds || !last->manifolds || !last->count)
        return TL_OK;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_depth, last->count, &deep, n));
    state->manifolds = n[1] > TLK_CLUMP;
    return TL_OK;
}

tl_status tl_step_find(tl_world *w, uint32_t parts, uint32_t devices, const void *seen,
                       tl_contacts *next)
{
    tl_collide_state state;
    TL_TRY(tl_step_look(w, seen, &state));
    if (!w->manifolds && w->clumps && w->plates)
        TL_TRY(look_for_clumps(w, &state));
    return parts ? tl_collide_in_parts(w->backend, &w->collide, &state, parts, devices, next)
                 : tl_collide_run(w->backend, &w->collide, &state, next);
}

tl_status tl_step_sense(tl_world *w)
{
    tl_collide_state state;
    w->sensed.count = 0;
    if (!w->sensors)
        return TL_OK;
    TL_TRY(tl_step_look(w, NULL, &state));
    state.senses = true;
    state.manifolds = w->sensed_manifolds;
    state.surfaces = w->sensed_surfaces;
    state.last = NULL;
    const tl_status status = tl_collide_run(w->backend, &w->collide, &state, &w->sensed);
    if (status != TL_OK)
        w->sensed.count = 0;
    return status;
}

/* Room for the moments of contacts, where something resists rolling; zero where those of the last
 * step have none to be taken over. */
static tl_status match_moments(tl_world *w, const tl_contacts *last, tl_contacts *next)
{
    const size_t bytes = 4 * (size_t)next->count * w->backend->real;
    next->moments = w->rolls;
    if (!w->rolls)
        return TL_OK;
    TL_TRY(tl_buffer_need(w->backend, &next->moment, bytes));
    if (!last->impulses || !last->moments)
        w->backend->ops->fill(w->backend, next->moment.data, 0, bytes);
    return TL_OK;
}

tl_status tl_step_match(tl_world *w, tl_contacts *next)
{
    tl_contacts *last = &w->contacts[w->current];
    TL_TRY(match_moments(w, last, next));
    if (!last->impulses)
        return tl_contacts_rest(w->backend, next);
    if (next->manifolds)
        TL_TRY(tl_contacts_features(w->backend, last));
    TL_TRY(tl_contacts_room(w->backend, next));
    const tlk_match args = {.contacts = next->count,
                            .feature = next->manifolds ? next->feature.data : NULL,
                            .old_feature = next->manifolds ? last->feature.data : NULL,
                            .place = next->place.data,
                            .old_place = last->place.data,
                            .geom = w->geom.data,
                            .start = next->start.data,
                            .a = next->a.data,
                            .b = next->b.data,
                            .old_start = last->start.data,
                            .old_b = last->b.data,
                            .old_gamma = last->gamma.data,
                            .old_colour = last->colour.data,
                            .gamma = next->gamma.data,
                            .old_moment = last->moment.data,
                            .moment = next->moments && last->moments ? next->moment.data : NULL,
                            .colour = next->colour.data};
    tl_run(w->backend, TLK_match_contacts, w->shape_rows, &args);
    next->impulses = true;
    return TL_OK;
}

/* Contacts of the present state beside those of the last step, which the next one will need as they
 * are. */
static tl_status find_beside(tl_world *w, uint32_t parts, uint32_t devices)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    tl_world_forget_asked(w);
    tl_world_exchange_centres(w);
    w->asked = true;
    tl_status status = tl_step_sense(w);
    if (status == TL_OK)
        status = tl_step_find(w, parts, devices, NULL, next);
    if (status == TL_OK)
        status = tl_step_match(w, next);
    if (status != TL_OK)
        tl_world_forget_asked(w);
    return status;
}

/* Where no contact has an impulse there is nothing to keep: the new contacts may be written over
 * the old ones, once it is known how many there are. */
static tl_status find_over(tl_world *w, uint32_t parts, uint32_t devices)
{
    tl_contacts *next = &w->contacts[1 - w->current];
    TL_TRY(tl_step_sense(w));
    next->over = &w->contacts[w->current];
    const tl_status status = tl_step_find(w, parts, devices, NULL, next);
    next->over = NULL;
    TL_TRY(status);
    w->current = 1 - w->current;
    return TL_OK;
}

tl_status tl_step_contacts(tl_world *w, uint32_t parts, uint32_t devices)
{
    const bool impulses = w->contacts[w->current].impulses;
    TL_TRY(impulses ? find_beside(w, parts, devices) : find_over(w, parts, devices));
    w->report.bytes = w->backend->bytes;
    w->report.peak_bytes = w->backend->peak;
    return TL_OK;
}
