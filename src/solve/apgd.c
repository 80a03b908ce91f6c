/* Accelerated projected gradient (Nesterov) on min 1/2 g.N g + r.g over the cones, with
 * backtracking on the step, adaptive restart, and the best iterate returned. Each row's step is
 * scaled by its eta, so that light and heavy bodies converge alike (docs/theory.md, "APGD"). */
#include "solve/problem.h"

#include <math.h>

#define MAX_BACKTRACK 40

/* One trial: z = P(y - t eta g), with t halved until the quadratic model holds. */
static tl_status descend(tl_backend *backend, tlk_problem *g, double *dots)
{
    for (int i = 0; i < MAX_BACKTRACK; i++) {
        tl_run(backend, TLK_gradient_step, g->rows, g);
        tl_gradient_operator(backend, g);
        TL_TRY(tl_fold_one(backend, TLK_FOLD_gradient_dots, g->rows, g, dots));
        if (dots[0] * g->t <= dots[1] * (1 + 1e-6))
            break;
        const double fit = dots[1] / dots[0];
        g->t = fmax(0.5 * g->t, fmin(0.95 * fit, 0.9 * g->t));
    }
    return TL_OK;
}

tl_status tl_solve_apgd(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    tlk_problem g;
    TL_TRY(tl_gradient_begin(backend, workspace, problem, &g));
    const size_t bytes = tl_vector_bytes(backend, problem);
    void *best = workspace->vectors[7].data;
    double theta = 1, dots[TLK_FOLD_NUMBERS];
    /* what is at hand may be the best there is */
    TL_TRY(tl_fold_one(backend, TLK_FOLD_gradient_dots, g.rows, &g, dots));
    double best_residual = sqrt(dots[3] / dots[4]);
    backend->ops->copy(backend, best, g.x, bytes);
    g.t = 1;
    while (solution->iterations < iterations && best_residual > def->tolerance) {
        TL_TRY(descend(backend, &g, dots));
        solution->iterations++;
        const double residual = sqrt(dots[3] / dots[4]);
        if (residual < best_residual) {
            best_residual = residual;
            backend->ops->copy(backend, best, g.z, bytes);
        }
        if (dots[2] > 0) {
            /* the step from x goes uphill: start the acceleration anew from here */
            theta = 1;
            g.beta = 0;
        } else {
            const double square = theta * theta;
            const double next = 0.5 * (sqrt(square * square + 4 * square) - square);
            g.beta = theta * (1 - theta) / (square + next);
            theta = next;
        }
        tl_run(backend, TLK_gradient_extrapolate, g.rows, &g);
        g.t *= 1.05;
    }
    solution->residual = best_residual;
    tl_gradient_end(backend, problem, best);
    return TL_OK;
}
