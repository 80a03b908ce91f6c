/* Spectral projected gradient: steps by Barzilai and Borwein, a line search that lets the objective
 * rise for a while (Grippo, Lampariello and Lucidi), and the best iterate returned. What is decided
 * after each trial: tlk_spg_decide. */
#include "solve/problem.h"

tl_status tl_solve_spg(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                       const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    return tl_descend(backend, workspace, problem, TLK_spg_decide, TLK_spg_move, def->tolerance,
                      iterations, solution);
}
