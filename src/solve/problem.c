/* What solvers share: choosing one, the residual, and lists of rows. */
#include "solve/problem.h"

#include <math.h>

void tl_workspace_free(tl_backend *backend, tl_workspace *w)
{
    tl_buffer_free(backend, &w->list_range);
    tl_buffer_free(backend, &w->list_key);
    tl_buffer_free(backend, &w->list);
    tl_buffer_free(backend, &w->sides);
    tl_buffer_free(backend, &w->points);
    tl_buffer_free(backend, &w->images);
    tl_buffer_free(backend, &w->r);
    tl_buffer_free(backend, &w->blocks);
    tl_buffer_free(backend, &w->descent);
    tl_buffer_free(backend, &w->dots);
    tl_buffer_free(backend, &w->crowd);
}

tl_law tl_solver_law(const tl_solver_def *def)
{
    return def->law == TL_LAW_DEFAULT ? TL_LAW_COULOMB : def->law;
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

tl_status tl_problem_lists(tl_backend *backend, tl_workspace *w, tl_problem *problem)
{
    tlk_problem *view = &problem->view;
    const size_t sides = 2 * (size_t)view->rows;
    uint32_t bits = 1;
    if (view->list && view->list == w->list.data && problem->lists == w->lists)
        return TL_OK;
    while (view->moving >> bits)
        bits++;
    if (sides >= 1u << 31)
        return tl_fail(TL_TOO_LARGE, "%zu sides of rows; the limit is 2^31", sides);
    TL_TRY(tl_buffer_need(backend, &w->list_key, sides * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(backend, &w->list, sides * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(backend, &w->sides, 4 * sides * backend->real));
    w->lists++; /* what other problems have is no longer there */
    const tlk_lists lists = {*view, w->list_key.data, w->list.data, w->sides.data};
    tl_run(backend, TLK_list_rows, view->rows, &lists);
    TL_TRY(backend->ops->sort(backend, lists.key, lists.value, (uint32_t)sides, bits));
    TL_TRY(tl_ranges(backend, lists.key, (uint32_t)sides, view->moving + 1, &w->list_range));
    tl_run(backend, TLK_list_sides, (uint32_t)sides, &lists);
    view->list_begin = w->list_range.data;
    view->list_end = view->list_begin + view->moving + 1;
    view->list = lists.value;
    view->sides = lists.sides;
    problem->lists = w->lists;
    return TL_OK;
}

void tl_impulses_back(tl_backend *backend, const tlk_problem *view)
{
    tl_run(backend, TLK_impulses_out, view->rows, view);
    tl_run(backend, TLK_block_velocity, view->moving, view);
}

tl_status tl_count_from(tl_backend *backend, tl_workspace *w, tl_problem *problem, void *free)
{
    TL_TRY(tl_problem_lists(backend, w, problem));
    TL_TRY(tl_buffer_need(backend, &w->points, 4 * (size_t)problem->view.rows * backend->real));
    tlk_problem view = problem->view;
    view.x = w->points.data;
    view.r = NULL;
    view.vel = free;
    tl_run(backend, TLK_impulses_in, view.rows, &view);
    tl_run(backend, TLK_block_without, view.moving, &view);
    problem->view.free = free;
    return TL_OK;
}
