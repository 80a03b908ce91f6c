/* Spectral projected gradient: steps by Barzilai and Borwein, a line search that lets the objective
 * rise for a while (Grippo, Lampariello and Lucidi), and the best iterate returned. */
#include "solve/problem.h"

#include <math.h>

#define HISTORY    10
#define SUFFICIENT 1e-4

/* The largest of the last objectives. */
static double highest(const double *history, uint32_t count)
{
    double most = history[0];
    for (uint32_t i = 1; i < count && i < HISTORY; i++)
        most = fmax(most, history[i]);
    return most;
}

tl_status tl_solve_spg(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                       const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    tlk_problem g;
    TL_TRY(tl_gradient_begin(backend, workspace, problem, &g));
    const size_t bytes = tl_vector_bytes(backend, problem);
    void *best = workspace->vectors[7].data;
    double dots[TLK_FOLD_NUMBERS], history[HISTORY];
    TL_TRY(tl_fold_one(backend, TLK_FOLD_gradient_dots, g.rows, &g, dots));
    double best_residual = sqrt(dots[3] / dots[4]), objective = dots[7];
    backend->ops->copy(backend, best, g.x, bytes);
    history[0] = objective;
    g.t = 1;
    while (solution->iterations < iterations && best_residual > def->tolerance) {
        /* d = P(y - t eta g) - y; the iterate is y */
        tl_run(backend, TLK_gradient_step, g.rows, &g);
        tl_gradient_operator(backend, &g);
        TL_TRY(tl_fold_one(backend, TLK_FOLD_gradient_dots, g.rows, &g, dots));
        solution->iterations++;
        const double curvature = dots[0], slope = dots[5];
        if (!(dots[1] > 0))
            break; /* no step left */
        const double full = objective + slope + 0.5 * curvature;
        const bool accept = full <= highest(history, solution->iterations) + SUFFICIENT * slope;
        /* near the solution rounding may turn the slope's sign: never step backwards, out of the
         * cones */
        const bool whole = accept || !(curvature > 0) || !(slope < 0);
        g.beta = whole ? 1 : fmin(1, -slope / curvature);
        objective += g.beta * slope + 0.5 * g.beta * g.beta * curvature;
        history[solution->iterations % HISTORY] = objective;
        tl_run(backend, TLK_gradient_move, g.rows, &g);
        if (g.beta == 1) {
            const double residual = sqrt(dots[3] / dots[4]); /* of z, which y is now */
            if (residual < best_residual) {
                best_residual = residual;
                backend->ops->copy(backend, best, g.y, bytes);
            }
        }
        /* alternate the two step lengths */
        if (curvature > 0)
            g.t = solution->iterations & 1 ? dots[1] / curvature : curvature / dots[6];
        g.t = fmin(fmax(g.t, 1e-6), 1e6);
    }
    solution->residual = best_residual;
    tl_gradient_end(backend, problem, best);
    return TL_OK;
}
