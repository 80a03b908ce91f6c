/* Structures that stand. Few sweeps hold a structure at rest as a soft spring would: the impulses
 * that are kept from step to step answer what bodies have moved, and the longer the waves, the less
 * of it. A tall tower buckles under such springs, very slowly at first. So where bodies at rest
 * creep, the contacts that carry load are solved at once, which stops them (docs/theory.md,
 * "Holding"). */
#include "step/step.h"

/* Speeds are in units of what gravity adds in a step. */
#define CREEP    2e-5   /* the usual speed above which bodies at rest are not left alone */
#define LIGHT    1e-2   /* impulses that are no load */
#define LARGE    20000u /* rows: larger problems are left to the sweeps */
#define MOST     1e8    /* multiplications that one solution may take */
#define READING  20.0   /* iterations that take as long as reading the problem, about */
#define NEEDLESS 16.0   /* times its price that a solution costs which stopped nothing */
#define FAILED   128.0  /* and one that was not found */

/* Whether the last step asks for it: bodies creep, and what earlier solutions took is paid back; or
 * it has just stopped them, and its impulses are what stopped them, not what holds them. */
static bool wanted(const tl_world *w, const tl_problem *problem, const tl_balancing *found)
{
    const tl_solver_def *s = &w->settings.solver;
    const double unit = tl_step_gained(w), speed = tl_world_speed(w);
    const uint32_t rows = problem->view.rows;
    if (!rows || rows > LARGE || w->mechanism.joints.count || !s->balance_iterations ||
        w->materials_matter || s->kind != TL_PSOR || !s->warm_start ||
        tl_solver_law(s) != TL_LAW_COULOMB || w->settings.overlap != TL_OVERLAP_SPLIT)
        return false;
    if (!(unit > 0 && speed <= TL_CALM * unit))
        return false;
    return w->stopped || found->iterations || (speed > CREEP * unit && !(w->hold_debt > 0));
}

tl_status tl_step_hold(tl_world *w, const tl_problem *problem, const tl_balancing *found,
                       tl_holding *held)
{
    const double unit = tl_step_gained(w);
    tl_sticking s;
    *held = (tl_holding){.stopped = false};
    if (!wanted(w, problem, found))
        return TL_OK;
    TL_TRY(tl_solve_sticking(w->backend, problem, LIGHT * unit, MOST, &s));
    held->stopped = s.done && s.after < 0.5 * s.before;
    const bool needed =
        w->stopped || found->iterations || (held->stopped && s.before > 0.5 * CREEP * unit);
    held->price = (READING + s.work / (TL_A_ROW * problem->view.rows)) * (needed   ? 1
                                                                          : s.done ? NEEDLESS
                                                                                   : FAILED);
    return TL_OK;
}

void tl_step_held(tl_world *w, const tl_holding *held)
{
    const tl_solver_def *s = &w->settings.solver;
    const double paid = (double)s->iterations + s->position_iterations;
    w->stopped = held->stopped && !w->stopped;
    w->hold_debt = (w->hold_debt > paid ? w->hold_debt - paid : 0) + held->price;
}
