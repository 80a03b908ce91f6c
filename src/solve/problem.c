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
    tl_buffer_free(backend, &w->momentum);
    tl_buffer_free(backend, &w->crowd);
    tl_buffer_free(backend, &w->free);
    tl_coarse_free(backend, &w->coarse);
}

tl_law tl_solver_law(const tl_solver_def *def)
{
    return def->law == TL_LAW_DEFAULT ? TL_LAW_COULOMB : def->law;
}

tlk_joints tl_problem_joints(const tl_problem *problem, void *vel, uint32_t mode)
{
    tlk_joints g = {0};
    if (!problem->joints)
        return g;
    g = *problem->joints;
    g.vel = vel;
    g.mode = mode;
    return g;
}

tl_launch tl_project(const tl_problem *problem, const tlk_joints *joints)
{
    const uint32_t count = problem->joints ? problem->articulations : 0;
    return (tl_launch){TLK_joint_project, 0, count, false, joints};
}

static tl_status gather(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    switch (def->kind) {
    case TL_JACOBI: return tl_solve_jacobi(backend, workspace, problem, def, iterations, solution);
    case TL_SPG: return tl_solve_spg(backend, workspace, problem, def, iterations, solution);
    case TL_INTERIOR: return tl_solve_certified(backend, workspace, problem, def, solution);
    default: return tl_solve_apgd(backend, workspace, problem, def, iterations, solution);
    }
}

/* The states of rows of joints at the impulses there are, and free velocities that are projected
 * with these: from them, D and the projection make all velocities there can be. */
static tl_status start_joined(tl_backend *backend, tl_workspace *w, tl_problem *problem)
{
    tlk_problem view = problem->view;
    const size_t bytes = 8 * (size_t)view.blocks * backend->real;
    TL_TRY(tl_problem_lists(backend, w, problem));
    TL_TRY(tl_buffer_need(backend, &w->points, 4 * (size_t)view.rows * backend->real));
    view = problem->view;
    view.x = w->points.data;
    view.r = NULL;
    const tlk_joints all = tl_problem_joints(problem, view.vel, TLK_PROJECT_ALL);
    const tlk_joints free = tl_problem_joints(problem, w->free.data, TLK_PROJECT_IMPULSES);
    const tl_launch to = tl_project(problem, &all), back = tl_project(problem, &free);
    tl_run(backend, TLK_impulses_in, view.rows, &view);
    tl_run(backend, TLK_block_velocity, view.moving, &view);
    backend->ops->run(backend, &to, 1, 1);
    backend->ops->copy(backend, w->free.data, view.vel, bytes);
    view.free = view.vel;
    view.vel = w->free.data;
    tl_run(backend, TLK_block_without, view.moving, &view);
    backend->ops->run(backend, &back, 1, 1);
    problem->view.free = w->free.data;
    return TL_OK;
}

#define ROUNDS  3u  /* over states of rows of joints, where they have more than one */
#define SETTLED 20u /* the same where each round is solved to the end, at most */

/* How often rows of joints have changed their states in this step. */
static tl_status count_changes(tl_backend *backend, const tl_problem *problem, uint64_t *changes)
{
    tl_array all = {.item = sizeof(tlk_articulated)};
    tl_status status = tl_array_resize(&all, problem->articulations);
    if (status == TL_OK)
        status =
            backend->ops->download(backend, all.data, problem->joints->how, all.count * all.item);
    *changes = 0;
    for (size_t i = 0; i < all.count && status == TL_OK; i++)
        *changes += ((const tlk_articulated *)all.data)[i].changes;
    tl_array_free(&all);
    return status;
}

/* Velocities of contacts' impulses from where start_joined() has left free ones. */
static void with_impulses(tl_backend *backend, const tl_workspace *w, const tl_problem *problem)
{
    tlk_problem view = problem->view;
    view.x = w->points.data;
    view.r = NULL;
    tl_run(backend, TLK_block_velocity, view.moving, &view);
}

/* All solvers but psor, with joints: these hold what is gathered, exactly, in each iteration. Rows
 * of joints keep their states meanwhile, so that the problem is what it is without joints, with
 * another operator; then they change, and so on: interior goes on until none does. */
static tl_status solve_joined(tl_backend *backend, tl_workspace *w, tl_problem *problem,
                              const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    const size_t bytes = 8 * (size_t)problem->view.blocks * backend->real;
    const bool settles = def->kind == TL_INTERIOR && problem->bounded;
    const uint32_t rounds = settles                                    ? SETTLED
                            : problem->bounded && iterations >= ROUNDS ? ROUNDS
                                                                       : 1;
    uint64_t before = 0, changes = 0;
    const tlk_joints all = tl_problem_joints(problem, problem->view.vel, TLK_PROJECT_ALL);
    const tl_launch end = tl_project(problem, &all);
    TL_TRY(tl_buffer_need(backend, &w->free, bytes));
    /* of a velocity problem, velocities are projected already; of a position problem, they are
     * what free ones and impulses make, and those are not */
    if (!problem->joints->positions) {
        backend->ops->copy(backend, w->free.data, problem->view.vel, bytes);
        problem->view.free = w->free.data;
    }
    for (uint32_t i = 0; i < rounds; i++) {
        tl_solution part = {0, NAN, NAN};
        TL_TRY(start_joined(backend, w, problem));
        if (settles)
            TL_TRY(count_changes(backend, problem, &changes));
        if (i && settles && changes == before) {
            with_impulses(backend, w, problem);
            break;
        }
        before = changes;
        TL_TRY(gather(backend, w, problem, def, iterations / rounds, &part));
        solution->iterations += part.iterations;
        solution->residual = part.residual;
        solution->gap = part.gap;
    }
    backend->ops->run(backend, &end, 1, 1);
    return def->kind == TL_INTERIOR ? tl_residual(backend, problem, &solution->residual, NULL)
                                    : TL_OK;
}

tl_status tl_solve(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                   const tl_solver_def *def, uint32_t iterations, tl_solution *solution)
{
    tlk_problem *view = &problem->view;
    *solution = (tl_solution){0, NAN, NAN};
    view->omega = def->omega > 0 ? def->omega : def->kind == TL_JACOBI ? 0.3 : 1.0;
    view->lambda = def->lambda;
    view->coulomb = tl_solver_law(def) == TL_LAW_COULOMB;
    if (!view->rows) {
        solution->residual = 0;
        return TL_OK;
    }
    if (def->kind == TL_PSOR)
        return tl_solve_psor(backend, workspace, problem, def, iterations, solution);
    return (problem->joints ? solve_joined : gather)(backend, workspace, problem, def, iterations,
                                                     solution);
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
