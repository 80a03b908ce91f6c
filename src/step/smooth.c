/* Steps of second order in h where nothing impacts (docs/theory.md, "Steppers"): forces, springs
 * and motors act in two halves, before bodies move and where they have come to. Bodies in contact,
 * and what joints connect them with, go as in dvi.c, of which this is two stages. */
#include "step/step.h"

tl_status tl_step_smooth_begin(tl_world *w, const tl_problem *problem, tlk_motion *motion)
{
    tl_backend *b = w->backend;
    const size_t bytes = (size_t)w->rows * sizeof(uint32_t);
    if (w->settings.stepper != TL_STEPPER_SMOOTH)
        return TL_OK;
    TL_TRY(tl_joints_ready(w));
    TL_TRY(tl_buffer_need(b, &w->whole, bytes));
    b->ops->fill(b, w->whole.data, 0, bytes);
    motion->whole = w->whole.data;
    const tlk_smooth touch = {.problem = problem->view,
                              .gap = w->problem.gap.data,
                              .h = motion->h,
                              .whole = motion->whole};
    tl_run(b, TLK_smooth_touch, problem->view.rows, &touch);
    if (w->mechanism.count) {
        tlk_joints g = tl_joints_view(w);
        g.motion = *motion;
        tl_run(b, TLK_smooth_join, w->mechanism.articulations, &g);
    }
    return tl_step_push(w, motion);
}

void tl_step_smooth_bounce(tl_world *w, const tl_problem *problem, const tlk_build *build)
{
    if (w->settings.stepper != TL_STEPPER_SMOOTH || !w->bounces || tl_step_bounces(w))
        return;
    const tlk_smooth bounce = {.problem = problem->view,
                               .gap = build->gap,
                               .h = w->settings.step,
                               .before = build->bodies.vel,
                               .bias = build->bias,
                               .recovery = build->recovery};
    tl_run(w->backend, TLK_smooth_bounce, problem->view.rows, &bounce);
}

tl_status tl_step_smooth_end(tl_world *w, const tlk_motion *motion, struct tl_step_joints *joints,
                             double *check, double *moved)
{
    tlk_motion end = *motion;
    double n[TLK_FOLD_NUMBERS];
    if (w->settings.stepper != TL_STEPPER_SMOOTH)
        return TL_OK;
    end.end = 1;
    end.vel = w->work.data;
    end.pseudo = NULL;
    TL_TRY(tl_step_push(w, &end));
    tl_step_joints_again(w, &end, joints);
    const tl_folding folds[2] = {{TLK_FOLD_smooth_end, w->dynamic, &end, n},
                                 {TLK_FOLD_moved_energy, w->dynamic, &end, moved}};
    TL_TRY(w->backend->ops->fold(w->backend, folds, 1)); /* in two goes: they have no order */
    TL_TRY(w->backend->ops->fold(w->backend, folds + 1, 1));
    for (int k = 0; k < 6; k++)
        check[2 + k] += n[k];
    return TL_OK;
}
