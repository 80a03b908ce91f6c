/* Smooth steps (docs/theory.md, "Steppers"): which bodies forces act on in two halves, and the end
 * of a step for those. */
#ifndef TL_KERNELS_SMOOTH_H
#define TL_KERNELS_SMOOTH_H

#include "kernels/bodies.h"
#include "kernels/joint/args.h"
#include "kernels/solve.h"

/* One row: where it carries load, or would be closed by the end of the step, its bodies are the
 * contacts'. */
TL_KERNEL void tlk_smooth_touch(const tlk_smooth *t, uint32_t s)
{
    const tlk_problem *p = &t->problem;
    if (p->a[s] == TLK_NONE)
        return;
    const tlk_row row = tlk_load_row(p, s);
    const tlk_pair pair = tlk_load_pair(p, &row, p->vel);
    real u[3], gamma[3];
    tlk_row_velocity(p, &row, &pair, u);
    tlk_load3(p->gamma, s, gamma);
    const bool loaded = gamma[0] != 0 || gamma[1] != 0 || gamma[2] != 0;
    if (!loaded && (double)t->gap[s] + t->h * (double)tlk_dot(u, row.n) > 0)
        return;
    tlk_atomic_or32(t->whole + row.a, 1);
    if (row.b < p->moving)
        tlk_atomic_or32(t->whole + row.b, 1);
}

/* One row that bounces in the problem, once joints have made the velocities that it begins with.
 * The velocities of a smooth step are those at its ends, not half a step ahead: what forces and
 * joints do in the step they do after the impact, too. */
TL_KERNEL void tlk_smooth_bounce(const tlk_smooth *t, uint32_t s)
{
    const tlk_problem *p = &t->problem;
    if (p->a[s] == TLK_NONE)
        return;
    const double least = tlk_min(tlk_gap_bias(&t->recovery, (double)t->gap[s]), 0.0);
    if (!(t->bias[s] < (real)least))
        return;
    const tlk_row row = tlk_load_row(p, s);
    const tlk_pair old = tlk_load_pair(p, &row, t->before), now = tlk_load_pair(p, &row, p->vel);
    real u[3], v[3];
    tlk_row_velocity(p, &row, &old, u);
    tlk_row_velocity(p, &row, &now, v);
    const real change = tlk_dot(v, row.n) - tlk_dot(u, row.n);
    t->bias[s] = tlk_min(t->bias[s] - change, (real)least);
}

/* One articulation: what one of its bodies is, all are. */
TL_KERNEL void tlk_smooth_join(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    uint32_t any = 0;
    for (uint32_t k = a.node; k < a.node_end; k++)
        if (g->node_body[k] != TLK_NONE)
            any |= g->motion.whole[g->node_body[k]];
    for (uint32_t k = a.node; k < a.node_end; k++)
        if (g->node_body[k] != TLK_NONE)
            g->motion.whole[g->node_body[k]] = any;
}

/* One dynamic body, at the end of a smooth step: its velocity becomes the state. The energy that it
 * gets from joints (0) and forces (1), and the momentum by layers (2 to 5), as tlk_check_bodies
 * counts them. */
TL_KERNEL void tlk_smooth_end(const tlk_motion *m, uint32_t i, double *acc)
{
    real v[8], *state = m->bodies.vel + 8 * (size_t)i;
    if (!(tlk_kick(m, i) > 0))
        return;
    tlk_load8(m->vel + 8 * (size_t)i, v);
    tlk_body_work(m, i, v, acc);
    tlk_body_layer(m, i, v, acc + 2);
    for (int k = 0; k < 3; k++) {
        state[k] = tlk_settled(v[k]);
        state[4 + k] = tlk_settled(v[4 + k]);
    }
}

#endif
