/* Projected Gauss-Seidel, colour by colour: within a colour no two rows share a moving body, so its
 * rows may be taken at once, by any number of threads, with the same result. */
#include "solve/problem.h"

#define CHECK_EVERY 4 /* sweeps between looks at the residual, where there is a tolerance */

static size_t launches(const tl_problem *problem, tl_kernel kernel, tl_launch *out)
{
    for (uint32_t i = 0; i < problem->segment_count; i++)
        out[i] = (tl_launch){kernel, problem->segments[i].begin, problem->segments[i].end,
                             problem->segments[i].serial, &problem->view};
    return problem->segment_count;
}

tl_status tl_solve_psor(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    (void)workspace;
    tl_launch list[TL_SEGMENTS + 1];
    if (!problem->view.frictionless) /* the position problem starts from zero */
        backend->ops->run(backend, list, launches(problem, TLK_psor_start, list), 1);
    size_t count = launches(problem, TLK_psor_sweep, list);
    const tl_launch project = {TLK_joint_project, 0, problem->articulations, false,
                               problem->joints};
    if (problem->joints) { /* joints are solved exactly, all at once: one more block of the sweep */
        if (!problem->view.frictionless)
            backend->ops->run(backend, &project, 1, 1);
        list[count++] = project;
    }
    while (solution->iterations < iterations) {
        uint32_t some = iterations - solution->iterations;
        if (def->tolerance > 0 && some > CHECK_EVERY)
            some = CHECK_EVERY;
        backend->ops->run(backend, list, count, some);
        solution->iterations += some;
        if (def->tolerance > 0) {
            TL_TRY(tl_residual(backend, problem, &solution->residual, NULL));
            if (solution->residual <= def->tolerance)
                break;
        }
    }
    return TL_OK;
}
