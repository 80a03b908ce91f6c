/* The fixed-point iteration of the sources: eq. 12 for all rows, then eq. 14 for all blocks. Points
 * of a manifold act alike, so where there may be some, steps are as long as the blocks bear. */
#include "solve/problem.h"

#define CHECK_EVERY 10

tl_status tl_solve_jacobi(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                          const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    tlk_problem *view = &problem->view;
    TL_TRY(tl_problem_lists(backend, workspace, problem));
    TL_TRY(tl_buffer_need(backend, &workspace->points, 4 * (size_t)view->rows * backend->real));
    view->x = workspace->points.data;
    const tlk_joints joints = tl_problem_joints(problem, view->vel, TLK_PROJECT_NOTHING);
    const tl_launch round[3] = {{TLK_jacobi_step, 0, view->rows, false, view},
                                {TLK_block_velocity, 0, view->moving, false, view},
                                tl_project(problem, &joints)};
    tl_run(backend, TLK_impulses_in, view->rows, view);
    if (view->item_rows > 1 && view->anchor_base < view->rows) {
        TL_TRY(tl_buffer_need(backend, &workspace->crowd, view->moving * backend->real));
        view->crowd = workspace->crowd.data;
        tl_run(backend, TLK_jacobi_crowd, view->moving, view);
        tl_run(backend, TLK_jacobi_shorten, view->rows, view);
    }
    backend->ops->run(backend, &round[1], 2, 1);
    while (solution->iterations < iterations) {
        uint32_t some = iterations - solution->iterations;
        if (def->tolerance > 0 && some > CHECK_EVERY)
            some = CHECK_EVERY;
        backend->ops->run(backend, round, problem->joints ? 3 : 2, some);
        solution->iterations += some;
        if (def->tolerance > 0) {
            tl_run(backend, TLK_impulses_out, view->rows, view);
            TL_TRY(tl_residual(backend, problem, &solution->residual, NULL));
            if (solution->residual <= def->tolerance)
                break;
        }
    }
    tl_run(backend, TLK_impulses_out, view->rows, view);
    if (problem->joints) /* without what joints did to them, for the last projection */
        backend->ops->run(backend, &round[1], 1, 1);
    return TL_OK;
}
