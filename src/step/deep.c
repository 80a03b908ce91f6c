/* Deep heaps: whether a step gets a coarse level (solve/coarse.c), and on what lattice. Both follow
 * from the state alone: the box around bodies, how many there are, and how many contacts. */
#include "step/step.h"

#include <math.h>
#include <string.h>

#define SPACING 10.0 /* bodies between nodes */
#define SLOW    1.0  /* in units of what gravity adds in a step: slower contacts are to stick */
#define MOST    (1u << 18) /* cells */

/* Whether the solver knows what there is. */
static bool fits(const tl_world *w, const tl_problem *problem)
{
    const tl_solver_def *s = &w->settings.solver;
    if (!s->coarse_layers || s->kind != TL_PSOR || w->mechanism.joints.count ||
        w->materials_matter || problem->view.rows < w->dynamic || s->iterations < 2 ||
        !(tl_step_gained(w) > 0))
        return false;
    for (uint32_t i = 0; i < problem->segment_count; i++)
        if (problem->segments[i].serial)
            return false;
    return true;
}

tl_status tl_step_deep(tl_world *w, tl_problem *problem)
{
    const double *g = w->settings.gravity, gained = tl_step_gained(w);
    tl_coarse_lattice l = {.pos = w->pos.data, .slow = SLOW * gained};
    const double *box = w->box;
    double depth = INFINITY, room = 1, cells = 1;
    w->workspace.coarse.nodes = 0; /* nobody is to be told of a step that was given up */
    if (!fits(w, problem))
        return TL_OK;
    TL_TRY(tl_step_find_box(w));
    for (int k = 0; k < 3; k++) {
        const double size = -box[3 + k] - box[k] + 2 * w->smallest;
        if (g[k] != 0) /* the longest line along gravity: a chute is long, but not deep */
            depth = fmin(depth, size * gained / (fabs(g[k]) * w->settings.step));
        room *= size;
    }
    const double body = cbrt(room / w->dynamic); /* m, of the room that each has */
    if (!(body > 0 && isfinite(body)) || depth < w->settings.solver.coarse_layers * body)
        return TL_OK;
    l.spacing = SPACING * body;
    for (int k = 0; k < 3; k++) {
        const double first = floor(box[k] / l.spacing), last = floor(-box[3 + k] / l.spacing);
        cells *= last - first + 1;
        if (!(cells <= MOST))
            return TL_OK;
        l.origin[k] = first * l.spacing;
        l.cells[k] = (uint32_t)(last - first) + 1;
    }
    problem->lattice = l;
    return TL_OK;
}
