/* The loop of the gradient solvers: slots of a trial each (kernels/descent.h), which the device
 * runs through without the host. That looks at the record now and then; whatever the slots beyond
 * the end, they change nothing, so the result does not depend on when it looks. Called by apgd.c
 * and spg.c. */
#include "solve/problem.h"

#define LOOK_EVERY 10u   /* slots, where a tolerance may end them early */
#define MOST_SLOTS 1000u /* at once */

/* The vectors of a solver, in the view that its kernels see. */
static tl_status view_of(tl_backend *backend, tl_workspace *w, tl_problem *problem,
                         tlk_problem *view)
{
    const size_t vector = problem->view.rows * backend->real;
    const size_t blocks = 8 * (size_t)problem->view.blocks * backend->real;
    TL_TRY(tl_problem_lists(backend, w, problem));
    TL_TRY(tl_buffer_need(backend, &w->points, 4 * TLK_POINTS * vector));
    TL_TRY(tl_buffer_need(backend, &w->images, 3 * TLK_IMAGES * vector));
    TL_TRY(tl_buffer_need(backend, &w->r, 3 * vector));
    TL_TRY(tl_buffer_need(backend, &w->blocks, blocks));
    TL_TRY(tl_buffer_need(backend, &w->descent, sizeof(tlk_descent)));
    TL_TRY(tl_buffer_need(backend, &w->dots, tl_fold_room(problem->view.rows)));
    *view = problem->view;
    view->points = w->points.data;
    view->images = w->images.data;
    view->r = w->r.data;
    view->x = view->points; /* the first of them */
    view->vel = w->blocks.data;
    view->descent = w->descent.data;
    view->dots = w->dots.data;
    backend->ops->fill(backend, view->vel, 0, blocks); /* for the blocks that do not move */
    /* read, to no effect, where they are not written: of padded rows, and by the start's sums */
    backend->ops->fill(backend, view->images, 0, 3 * TLK_IMAGES * vector);
    backend->ops->fill(backend, view->r, 0, 3 * vector);
    return TL_OK;
}

tl_status tl_descend(tl_backend *backend, tl_workspace *w, tl_problem *problem, tl_kernel decide,
                     tl_kernel move, double tolerance, uint32_t iterations, tl_solution *solution)
{
    tlk_problem view;
    TL_TRY(view_of(backend, w, problem, &view));
    const tl_folding dots = {TLK_FOLD_gradient_rows, view.rows, &view, w->dots.data};
    const tlk_joints joints = tl_problem_joints(problem, view.vel, TLK_PROJECT_CHANGES);
    const tl_launch start[] = {{TLK_impulses_in, 0, view.rows, false, &view},
                               {TLK_gradient_blocks, 0, view.moving, false, &view},
                               tl_project(problem, &joints),
                               {TLK_FOLD, 0, view.rows, false, &dots},
                               {TLK_gradient_start, 0, 1, true, &view}};
    const tl_launch slot[] = {{TLK_gradient_step, 0, view.rows, false, &view},
                              {TLK_gradient_blocks, 0, view.moving, false, &view},
                              tl_project(problem, &joints),
                              {TLK_FOLD, 0, view.rows, false, &dots},
                              {decide, 0, 1, true, &view},
                              {move, 0, view.rows, false, &view}};
    const uint32_t look = w->look_every ? w->look_every : tolerance > 0 ? LOOK_EVERY : MOST_SLOTS;
    /* all points are the first, until the start is known */
    tlk_descent at = {
        .tolerance = tolerance, .t = 1, .theta = 1, .part = 1, .limit = iterations, .done = 0};
    backend->ops->upload(backend, view.descent, &at, sizeof at);
    backend->ops->run(backend, start, 5, 1);
    while (!at.done) {
        const uint32_t left = at.limit - at.iterations;
        backend->ops->run(backend, slot, move == TLK_FOLD ? 5 : 6, left < look ? left : look);
        TL_TRY(backend->ops->download(backend, &at, view.descent, sizeof at));
    }
    solution->iterations = at.iterations;
    solution->residual = at.residual;
    problem->view.x =
        (char *)view.points + 4 * (size_t)at.best * problem->view.rows * backend->real;
    tl_impulses_back(backend, &problem->view);
    return TL_OK;
}
