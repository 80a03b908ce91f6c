/* Accelerated projected gradient (Nesterov) on min 1/2 g.N g + r.g over the cones, with
 * backtracking on the step, adaptive restart, and the best iterate returned. Each row's step is
 * scaled by its eta, so that light and heavy bodies converge alike (docs/theory.md, "APGD"). What
 * is decided after each trial: tlk_apgd_decide. With Coulomb's law, which has no potential, the
 * same with its own limits in place of the projection ("Coulomb's law by gradients"). */
#include "solve/problem.h"

tl_status tl_solve_apgd(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    return tl_descend(backend, workspace, problem, TLK_apgd_decide, TLK_FOLD, def->tolerance,
                      iterations, solution);
}
