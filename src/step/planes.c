/* Planes by motion: pairs that move on within the step take the planes that their ways lead to
 * (kernels/planes.h). Where nothing moves on, all of it is one look at a count; where nothing has
 * an end, as in a heap of balls between half-spaces, it is nothing. */
#include "step/step.h"

/* The velocities that bodies have with the impulses that rows start with. */
static tl_status guess(tl_world *w, const tl_problem *problem, void **vel)
{
    tl_backend *b = w->backend;
    const size_t bytes = 8 * (size_t)w->rows * b->real;
    TL_TRY(tl_buffer_need(b, &w->problem.guess, bytes));
    *vel = w->problem.guess.data;
    b->ops->copy(b, *vel, w->free.data, bytes);
    if (w->settings.solver.kind == TL_PSOR) {
        tl_psor_guess(b, problem, false, *vel);
        return TL_OK;
    }
    tl_problem gathered = *problem;
    TL_TRY(tl_problem_lists(b, &w->workspace, &gathered));
    TL_TRY(tl_buffer_need(b, &w->workspace.points, 4 * (size_t)problem->view.rows * b->real));
    gathered.view.x = w->workspace.points.data;
    gathered.view.r = NULL;
    gathered.view.vel = *vel;
    tl_run(b, TLK_impulses_in, gathered.view.rows, &gathered.view);
    tl_run(b, TLK_block_velocity, gathered.view.moving, &gathered.view);
    return TL_OK;
}

/* Of pairs that move on: the least square of their speed. */
static double least_square(const tl_world *w)
{
    const double least = TLK_PLANE_MOVES * w->smallest / w->settings.step;
    return least * least;
}

tl_status tl_step_note_moving(tl_world *w, const tl_contacts *c, const uint32_t **count)
{
    tl_backend *b = w->backend;
    *count = NULL;
    if (w->settings.planes != TL_PLANES_BY_MOTION || !w->ends)
        return TL_OK;
    TL_TRY(tl_buffer_need(b, &w->problem.moved, ((size_t)c->pairs + 1) * sizeof(uint32_t)));
    const double turn = TLK_PLANE_ANGLE / w->settings.step;
    tlk_planes planes = {.build = {.bodies = tl_world_bodies_view(w),
                                   .shapes = tl_world_shapes_view(w),
                                   .contact_a = c->a.data,
                                   .contact_b = c->b.data,
                                   .first = c->manifolds ? c->pair.data : NULL,
                                   .recovery = {.h = w->settings.step}},
                         .moves = least_square(w),
                         .turns = turn * turn,
                         .moved = w->problem.moved.data};
    planes.moved_count = planes.moved + c->pairs;
    b->ops->fill(b, planes.moved_count, 0, sizeof **count);
    tl_run(b, TLK_plane_note, c->pairs, &planes);
    *count = planes.moved_count;
    return TL_OK;
}

tl_status tl_step_planes(tl_world *w, tl_contacts *c, const tl_problem *problem,
                         const tlk_build *build)
{
    tl_backend *b = w->backend;
    void *vel;
    if (!w->problem.moving)
        return TL_OK;
    TL_TRY(guess(w, problem, &vel));
    tlk_planes planes = {.build = *build,
                         .vel = vel,
                         .envelope = w->envelope,
                         .moves = least_square(w),
                         .moved = w->problem.moved.data,
                         .held = w->swings ? w->held.data : NULL,
                         .turn = w->turn.data,
                         .contact_n = c->n.data,
                         .contact_place = c->manifolds ? c->place.data : NULL,
                         .feature = c->manifolds ? c->feature.data : NULL};
    tl_run(b, TLK_plane_pair, w->problem.moving, &planes);
    return TL_OK;
}
