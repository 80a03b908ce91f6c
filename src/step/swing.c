/* Parts that swing through something within a step (kernels/swing.h): found before anything moves,
 * and held in the next attempt at the step; put back in front after the last. Pairs that move on
 * are looked at, so that nothing is done where there are none. Bodies in worlds with joints are
 * left to these. */
#include "step/step.h"

#define ROUNDS 4 /* of putting back: each pair that wins both of its bodies */

bool tl_step_swings(const tl_world *w, const tl_contacts *c, const tlk_motion *motion,
                    tlk_swings *swings)
{
    *swings = (tlk_swings){.motion = *motion,
                           .shapes = tl_world_shapes_view(w),
                           .contact_a = c->a.data,
                           .contact_b = c->b.data,
                           .first = c->manifolds ? c->pair.data : NULL,
                           .feature = c->manifolds ? c->feature.data : NULL,
                           .moved = w->problem.moved.data};
    return w->problem.moving && !tl_step_joined(w);
}

tl_status tl_step_hold_swings(tl_world *w, tlk_swings *swings)
{
    tl_backend *b = w->backend;
    TL_TRY(tl_buffer_need(b, &w->turn, 4 * (size_t)w->dynamic * b->real));
    TL_TRY(tl_buffer_need(b, &w->held, w->dynamic * sizeof(uint32_t)));
    if (!w->swings)
        b->ops->fill(b, w->held.data, 0, w->dynamic * sizeof(uint32_t));
    w->swings = true;
    swings->turn = w->turn.data;
    swings->held = w->held.data;
    tl_run(b, TLK_swing_turn, w->dynamic, swings);
    tl_run(b, TLK_swing_hold, w->problem.moving, swings);
    return TL_OK;
}

tl_status tl_step_put_swings(tl_world *w, tlk_swings *swings)
{
    tl_backend *b = w->backend;
    const size_t bytes = w->dynamic * sizeof(uint64_t);
    TL_TRY(tl_buffer_need(b, &w->turn, bytes)); /* no plane turns any more */
    swings->motion.pseudo = w->pseudo.data;
    swings->bid = w->turn.data;
    for (int round = 0; round < ROUNDS; round++) {
        b->ops->fill(b, swings->bid, 0, bytes);
        tl_run(b, TLK_swing_bid, w->problem.moving, swings);
        tl_run(b, TLK_swing_put, w->problem.moving, swings);
    }
    return TL_OK;
}
