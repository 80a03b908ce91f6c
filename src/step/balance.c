/* Structures that stand by friction. Coulomb's problem has more than one solution, and from zero
 * impulses Gauss-Seidel finds one that moves, also where others hold all bodies. So where loads are
 * new on bodies at rest, a step first looks for impulses that hold them, in the convex problem of
 * the cone law, whose velocities are unique: if bodies can be held, they are (docs/theory.md,
 * "Balance"). */
#include "world/world.h"

#include <math.h>

/* Speeds are in units of what gravity adds in a step. */
#define CALM     0.1   /* the usual speed of bodies at rest */
#define NEW_LOAD 0.05  /* the residual where loads are new */
#define BALANCED 1e-6  /* the residual that ends the search */
#define HOPELESS 0.05  /* the usual speed, after LOOK iterations, that ends it too */
#define LOOK     500u  /* iterations */
#define SPARED   0.025 /* of the friction: what is found is inside the cones by so much */
#define PAYBACK  16u   /* steps pay back one in so many of their own iterations */

static double gained(const tl_world *w)
{
    const double *g = w->settings.gravity;
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * w->settings.step;
}

static double usual(double roots, uint32_t bodies)
{
    const double root = bodies ? roots / bodies : 0;
    return root * root;
}

double tl_world_speed(const tl_world *w)
{
    return usual(w->box[6], w->dynamic);
}

/* Whether this step is to look for balance: bodies are at rest and their loads cannot be those of
 * the last step, or it turned out in that step that they were new. */
static bool wanted(const tl_world *w, const tl_problem *problem)
{
    const tl_solver_def *s = &w->settings.solver;
    bool other = false; /* before the first step, nothing has pulled yet */
    for (int k = 0; k < 3; k++)
        other = other || w->pull[k] != w->settings.gravity[k] * w->settings.step;
    if (!problem->view.rows || s->kind != TL_PSOR || tl_solver_law(s) != TL_LAW_COULOMB ||
        !s->warm_start || !(gained(w) > 0) || !s->balance_iterations ||
        w->balance_debt > PAYBACK * (uint64_t)s->balance_iterations)
        return false;
    return w->unbalanced || (other && tl_world_speed(w) <= CALM * gained(w));
}

/* The usual speed that the impulses found so far leave. */
static tl_status speed_left(tl_world *w, const tl_problem *problem, double *speed)
{
    double numbers[TLK_FOLD_NUMBERS];
    tlk_bodies bodies = tl_world_bodies_view(w);
    bodies.vel = problem->view.vel;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_body_box, w->dynamic, &bodies, numbers));
    *speed = usual(numbers[6], w->dynamic);
    return TL_OK;
}

/* In two goes, as each starts the acceleration anew: the first tells whether there is hope. */
static tl_status search(tl_world *w, tl_problem *problem, uint32_t *iterations)
{
    tl_solver_def def = w->settings.solver;
    const uint32_t most = def.balance_iterations;
    tl_solution solution;
    double speed;
    def.kind = TL_APGD;
    def.law = TL_LAW_CONE;
    def.tolerance = BALANCED * gained(w);
    TL_TRY(
        tl_solve(w->backend, &w->workspace, problem, &def, most < LOOK ? most : LOOK, &solution));
    *iterations = solution.iterations;
    if (solution.residual <= def.tolerance || *iterations >= most)
        return TL_OK;
    TL_TRY(speed_left(w, problem, &speed));
    if (speed > HOPELESS * gained(w))
        return TL_OK;
    TL_TRY(tl_solve(w->backend, &w->workspace, problem, &def, most - *iterations, &solution));
    *iterations += solution.iterations;
    return TL_OK;
}

tl_status tl_step_balance(tl_world *w, tl_problem *problem, uint32_t *iterations)
{
    *iterations = 0;
    if (!wanted(w, problem))
        return TL_OK;
    problem->view.spared = SPARED;
    TL_TRY(search(w, problem, iterations));
    problem->view.spared = 0;
    /* psor adds the impulses to the free velocities itself */
    w->backend->ops->copy(w->backend, problem->view.vel, problem->view.free,
                          8 * (size_t)w->rows * w->backend->real);
    /* searches are rare, and their vectors long */
    tl_workspace_free(w->backend, &w->workspace);
    return TL_OK;
}

void tl_step_watch(tl_world *w, double before, uint32_t iterations, const tl_report *r)
{
    const double calm = CALM * gained(w);
    const tl_solver_def *s = &w->settings.solver;
    const double after = tl_world_speed(w);
    const uint64_t paid = (uint64_t)s->iterations + s->position_iterations;
    /* bodies at rest that the sweeps do not hold, or that began to move; and those that a search
     * slows down but has not yet stopped */
    w->unbalanced = (before <= calm && after > calm) ||
                    (iterations && after > calm && after < before) ||
                    (r->residual > NEW_LOAD * gained(w) && (before <= calm || after <= calm));
    for (int k = 0; k < 3; k++)
        w->pull[k] = w->settings.gravity[k] * w->settings.step;
    w->balance_debt += PAYBACK * (uint64_t)iterations;
    w->balance_debt -= w->balance_debt < paid ? w->balance_debt : paid;
}
