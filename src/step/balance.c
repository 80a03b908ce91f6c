/* Structures that stand by friction. Coulomb's problem has more than one solution, and from zero
 * impulses Gauss-Seidel finds one that moves, also where others hold all bodies. So where loads are
 * new on bodies at rest, a step first looks for impulses that hold them, in the convex problem of
 * the cone law, whose velocities are unique: if bodies can be held, they are (docs/theory.md,
 * "Balance"). */
#include "step/step.h"

#include <math.h>

/* Speeds are in units of what gravity adds in a step. */
#define STARTED  0.5   /* that of bodies that have just begun to move */
#define STILL    1e-3  /* that of bodies which no impulse need stop */
#define NEW_LOAD 0.05  /* the residual where loads are new */
#define BALANCED 1e-6  /* the residual that ends the search */
#define HOPELESS 0.05  /* the usual speed, after LOOK iterations, that ends it too */
#define LOOK     500u  /* iterations */
#define SPARED   0.005 /* of the friction: what is found is inside the cones by so much */
#define ROUGH    0.025 /* the same where gradients look for it */
#define SMALL    1000u /* rows up to which a search may take all its iterations */
#define PAYBACK  128u  /* steps pay back one in so many of their own iterations */

double tl_step_gained(const tl_world *w)
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

/* How many iterations a search may take: in larger problems as much work as in small ones, and none
 * where that is too few to be of use; a start that is far from balance is worse than the last
 * step's.
 */
static uint32_t most_iterations(const tl_world *w, uint32_t rows)
{
    const uint64_t most = w->settings.solver.balance_iterations;
    const uint64_t some = rows > SMALL ? most * SMALL / rows : most;
    return some < most && some < LOOK ? 0 : (uint32_t)some;
}

/* Whether this step is to look for balance (which knows nothing of joints): bodies are at rest and
 * their loads cannot be those of the last step, or it turned out in that step that they were new.
 */
static bool wanted(const tl_world *w, uint32_t rows)
{
    const tl_solver_def *s = &w->settings.solver;
    const uint32_t most = most_iterations(w, rows);
    bool other = false; /* before the first step, nothing has pulled yet */
    for (int k = 0; k < 3; k++)
        other = other || w->pull[k] != w->settings.gravity[k] * w->settings.step;
    if (!rows || w->mechanism.joints.count || !most || s->kind != TL_PSOR ||
        tl_solver_law(s) != TL_LAW_COULOMB || !s->warm_start || !(tl_step_gained(w) > 0) ||
        w->balance_debt > PAYBACK * (uint64_t)most)
        return false;
    return w->unbalanced || (other && tl_world_speed(w) <= TL_CALM * tl_step_gained(w));
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

/* By gradients, in two goes, as each starts the acceleration anew: the first tells whether there is
 * hope. */
static tl_status descend(tl_world *w, tl_problem *problem, tl_solution *found)
{
    tl_solver_def def = w->settings.solver;
    const uint32_t most = most_iterations(w, problem->view.rows);
    const uint32_t first = most < LOOK ? most : LOOK;
    double speed;
    def.kind = TL_APGD;
    def.law = TL_LAW_CONE;
    def.tolerance = BALANCED * tl_step_gained(w);
    TL_TRY(tl_solve(w->backend, &w->workspace, problem, &def, first, found));
    const uint32_t done = found->iterations;
    if (found->residual <= def.tolerance || done >= most)
        return TL_OK;
    TL_TRY(speed_left(w, problem, &speed));
    if (speed > HOPELESS * tl_step_gained(w))
        return TL_OK;
    TL_TRY(tl_solve(w->backend, &w->workspace, problem, &def, most - done, found));
    found->iterations += done;
    return TL_OK;
}

/* By an interior-point method where that takes no more than gradients may. */
static tl_status search(tl_world *w, tl_problem *problem, tl_balancing *found)
{
    const double unit = tl_step_gained(w), sweep = TL_A_ROW * problem->view.rows;
    const double most = sweep * most_iterations(w, problem->view.rows);
    tl_interior inside = {.done = false};
    tl_solution outside;
    problem->view.spared = SPARED;
    if (!w->materials_matter)
        TL_TRY(tl_solve_interior(w->backend, problem, unit, BALANCED * unit, most, &inside));
    if (inside.done) {
        const double price = inside.work / sweep;
        *found = (tl_balancing){inside.iterations, (uint32_t)price, inside.residual};
        return TL_OK;
    }
    problem->view.spared = ROUGH;
    TL_TRY(descend(w, problem, &outside));
    *found = (tl_balancing){outside.iterations, outside.iterations, outside.residual};
    return TL_OK;
}

tl_status tl_step_balance(tl_world *w, tl_problem *problem, tl_balancing *found)
{
    *found = (tl_balancing){.residual = INFINITY};
    if (!wanted(w, problem->view.rows))
        return TL_OK;
    TL_TRY(search(w, problem, found));
    problem->view.spared = 0;
    /* psor adds the impulses to the free velocities itself */
    w->backend->ops->copy(w->backend, problem->view.vel, problem->view.free,
                          8 * (size_t)w->rows * w->backend->real);
    /* searches are rare, and their vectors long */
    tl_workspace_free(w->backend, &w->workspace);
    return TL_OK;
}

void tl_step_watch(tl_world *w, double before, const tl_balancing *found, const tl_report *r)
{
    const tl_solver_def *s = &w->settings.solver;
    const double unit = tl_step_gained(w), after = tl_world_speed(w);
    const uint64_t paid = (uint64_t)s->iterations + s->position_iterations;
    const bool calm = before <= TL_CALM * unit, stays = after <= TL_CALM * unit;
    const bool slowed = found->iterations && after < before;
    const bool stopped = found->iterations && stays && before > STILL * unit;
    /* bodies at rest that the sweeps do not hold, or that began to move; those that a search slows
     * down but has not yet stopped; and those that it has just stopped, as their impulses were more
     * or less than what holds them, and the next sweeps would move them again */
    w->unbalanced = ((calm || stays) && r->residual > NEW_LOAD * unit) ||
                    (!stays && after <= STARTED * unit && (calm || slowed)) || stopped;
    for (int k = 0; k < 3; k++)
        w->pull[k] = w->settings.gravity[k] * w->settings.step;
    /* what was found is worth its price */
    if (!(stays && found->residual <= BALANCED * unit))
        w->balance_debt += PAYBACK * (uint64_t)found->price;
    w->balance_debt -= w->balance_debt < paid ? w->balance_debt : paid;
}
