/* What solvers share: choosing one, the residual, lists of rows, and the operator of the gradient
 * solvers. */
#include "solve/problem.h"

#include <math.h>

void tl_workspace_free(tl_backend *backend, tl_workspace *w)
{
    tl_buffer_free(backend, &w->list_range);
    tl_buffer_free(backend, &w->list_key);
    tl_buffer_free(backend, &w->list);
    tl_buffer_free(backend, &w->blocks);
    for (size_t i = 0; i < sizeof w->vectors / sizeof *w->vectors; i++)
        tl_buffer_free(backend, &w->vectors[i]);
}

tl_law tl_solver_law(const tl_solver_def *def)
{
    if (def->law != TL_LAW_DEFAULT)
        return def->law;
    return def->kind == TL_PSOR ? TL_LAW_COULOMB : TL_LAW_CONE;
}

tl_status tl_solve(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                   const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    tlk_problem *view = &problem->view;
    *solution = (tl_solution){0, NAN};
    view->omega = def->omega > 0 ? def->omega : def->kind == TL_JACOBI ? 0.3 : 1.0;
    view->lambda = def->lambda;
    view->coulomb = tl_solver_law(def) == TL_LAW_COULOMB;
    if (!view->rows) {
        solution->residual = 0;
        return TL_OK;
    }
    switch (def->kind) {
    case TL_JACOBI: return tl_solve_jacobi(backend, workspace, problem, def, iterations, solution);
    case TL_APGD: return tl_solve_apgd(backend, workspace, problem, def, iterations, solution);
    case TL_SPG: return tl_solve_spg(backend, workspace, problem, def, iterations, solution);
    case TL_PSOR: break;
    }
    return tl_solve_psor(backend, workspace, problem, def, iterations, solution);
}

tl_status tl_residual(tl_backend *backend, const tl_problem *problem, double *rms, double *worst)
{
    double numbers[TLK_FOLD_NUMBERS];
    TL_TRY(tl_fold_one(backend, TLK_FOLD_residual, problem->view.rows, &problem->view, numbers));
    *rms = numbers[2] > 0 ? sqrt(numbers[0] / numbers[2]) : 0;
    if (worst)
        *worst = numbers[2] > 0 ? numbers[1] : 0;
    return TL_OK;
}

size_t tl_vector_bytes(const tl_backend *backend, const tl_problem *problem)
{
    return 3 * (size_t)problem->view.rows * backend->real;
}

tl_status tl_problem_lists(tl_backend *backend, tl_workspace *w, tl_problem *problem)
{
    tlk_problem *view = &problem->view;
    const size_t sides = 2 * (size_t)view->rows;
    uint32_t bits = 1;
    while (view->moving >> bits)
        bits++;
    if (sides >= 1u << 31)
        return tl_fail(TL_TOO_LARGE, "%zu sides of rows; the limit is 2^31", sides);
    TL_TRY(tl_buffer_need(backend, &w->list_key, sides * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(backend, &w->list, sides * sizeof(uint32_t)));
    const tlk_lists lists = {view->a, view->b, view->moving, w->list_key.data, w->list.data};
    tl_run(backend, TLK_list_rows, view->rows, &lists);
    TL_TRY(backend->ops->sort(backend, lists.key, lists.value, (uint32_t)sides, bits));
    TL_TRY(tl_ranges(backend, lists.key, (uint32_t)sides, view->moving + 1, &w->list_range));
    view->list_begin = w->list_range.data;
    view->list_end = view->list_begin + view->moving + 1;
    view->list = w->list.data;
    return TL_OK;
}

void tl_gradient_operator(tl_backend *backend, const tlk_problem *gradient)
{
    tl_run(backend, TLK_operator_gather, gradient->moving, gradient);
    tl_run(backend, TLK_operator_rows, gradient->rows, gradient);
}

tl_status tl_gradient_begin(tl_backend *backend, tl_workspace *w, tl_problem *problem,
                            tlk_problem *gradient)
{
    const size_t bytes = tl_vector_bytes(backend, problem);
    const size_t blocks = 8 * (size_t)problem->view.blocks * backend->real;
    TL_TRY(tl_problem_lists(backend, w, problem));
    for (size_t i = 0; i < sizeof w->vectors / sizeof *w->vectors; i++)
        TL_TRY(tl_buffer_need(backend, &w->vectors[i], bytes));
    TL_TRY(tl_buffer_need(backend, &w->blocks, blocks));
    *gradient = problem->view;
    gradient->vel = w->blocks.data;
    void **names[7] = {(void **)&gradient->r, (void **)&gradient->x,  (void **)&gradient->nx,
                       (void **)&gradient->y, (void **)&gradient->ny, (void **)&gradient->z,
                       (void **)&gradient->nz};
    for (size_t i = 0; i < 7; i++)
        *names[i] = w->vectors[i].data;
    /* the operator's blocks: the inverse masses of the problem's, at rest where nothing pushes */
    backend->ops->copy(backend, gradient->vel, problem->view.free, blocks);
    tl_run(backend, TLK_block_rest, problem->view.blocks, gradient);
    tl_run(backend, TLK_rhs, gradient->rows, gradient);
    backend->ops->copy(backend, gradient->z, problem->view.gamma, bytes);
    backend->ops->fill(backend, gradient->nz, 0, bytes);
    tl_gradient_operator(backend, gradient);
    backend->ops->copy(backend, gradient->x, gradient->z, bytes);
    backend->ops->copy(backend, gradient->y, gradient->z, bytes);
    backend->ops->copy(backend, gradient->nx, gradient->nz, bytes);
    backend->ops->copy(backend, gradient->ny, gradient->nz, bytes);
    return TL_OK;
}

void tl_gradient_end(tl_backend *backend, tl_problem *problem, const void *x)
{
    backend->ops->copy(backend, problem->view.gamma, x, tl_vector_bytes(backend, problem));
    tl_run(backend, TLK_block_velocity, problem->view.moving, &problem->view);
}
