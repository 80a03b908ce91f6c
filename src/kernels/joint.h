/* Joints, solved exactly (docs/theory.md, "Joints"): rows of a joint at a time; factors,
 * projections and assemblies of an articulation at a time. Everything is in 64-bit, whatever
 * velocities are. */
#ifndef TL_KERNELS_JOINT_H
#define TL_KERNELS_JOINT_H

#include "kernels/bodies.h"
#include "kernels/joint/couple.h"
#include "kernels/joint/factor.h"
#include "kernels/joint/law.h"

#define TLK_JOINT_EVERY   8u   /* changes of states up to which all rows move that want to */
#define TLK_JOINT_CHANGES 40u  /* in a step, at most */
#define TLK_BEND          0.02 /* of levers: what joints may bend the ways of bodies in a step */
#define TLK_GAIN          2e-3 /* of the kinetic energy: what joints may add before they bend no more */
#define TLK_GAIN_KEEPS    0.98 /* of it, from step to step */

#if defined(TLK_PRECISION_double)
#define TLK_JOINT_FINE                                                         \
    2e-14 /* residuals that need no other pass, of the rates that make them up \
           */
#else
#define TLK_JOINT_FINE 4e-7
#endif

/* How a row takes part in a system. */
#define TLK_ROW_OFF  0
#define TLK_ROW_HARD 1
#define TLK_ROW_SOFT 2

TL_KERNEL double tlk_joint_rate(const tlk_joint *j, const double *row, const real *vel)
{
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const real *v = vel + 8 * (size_t)j->body[b];
        for (int k = 0; k < 3; k++)
            sum += row[6 * b + k] * (double)v[k] + row[6 * b + 3 + k] * (double)v[4 + k];
    }
    return sum;
}

/* J M^-1 J' of a row, over bodies that are dynamic. */
TL_KERNEL double tlk_row_mobility(const tlk_bodies *bodies, const tlk_joint *j, const double *row)
{
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const uint32_t i = j->body[b];
        if (j->node[b] == TLK_NONE)
            continue;
        const double *inertia = bodies->inertia + 4 * (size_t)i;
        double turn[3];
        tlk_rotate_back(bodies->quat + 4 * (size_t)i, row + 6 * b + 3, turn);
        sum += tlk_dotd(row + 6 * b, row + 6 * b) / inertia[3];
        for (int k = 0; k < 3; k++)
            sum += turn[k] * turn[k] / inertia[k];
    }
    return sum;
}

/* The rows of a joint at the poses of g, without laws. */
TL_NARROW void tlk_joint_lines(const tlk_joints *g, uint32_t i, bool all)
{
    const tlk_joint *j = g->joint + i;
    tlk_frames f;
    tlk_frames_of(g->pos, g->quat, j, &f);
    for (uint32_t r = 0; r < j->rows; r++) {
        double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        tlk_row_rate(g, j, &f, r, row);
        g->value[j->first + r] = tlk_row_value(g, g->pos, g->quat, i, &f, r);
        if (all)
            g->base[j->first + r] = g->softness * tlk_row_mobility(&g->motion.bodies, j, row);
    }
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3 && j->side[s] != TLK_NONE; k++)
            g->arm[3 * (TLK_JOINT_BODIES * (size_t)i + j->side[s]) + k] =
                f.at[s][k] - f.centre[s][k];
}

/* s: for how long joints push at once; all bodies of an articulation are alike. */
TL_KERNEL double tlk_joint_kick(const tlk_joints *g, const tlk_joint *j)
{
    for (uint32_t b = 0; b < j->bodies; b++)
        if (j->node[b] != TLK_NONE)
            return tlk_kick(&g->motion, j->body[b]);
    return g->motion.h;
}

TL_KERNEL double tlk_joint_target(const tlk_joints *g, uint32_t axis)
{
    return g->target[2 * (size_t)axis + g->motion.end];
}

/* The law of a row, for a step or half of one. That of a second half follows the first: what
 * springs did is in its impulse (tlk_joint_soften). */
TL_NARROW void tlk_row_law(const tlk_joints *g, const tlk_joint *j, uint32_t r, double kick,
                           double rate, tlk_law *law)
{
    const uint32_t at = j->first + r;
    const double h = g->motion.h, value = g->value[at];
    const tlk_law first = g->law[at];
    law->breaks = 0;
    law->load = law->slope = 0;
    if (j->axis[r] == TLK_NONE && !j->rope) {
        const double back = g->iterate ? g->recovery * (j->zero[r] - value) / h : 0;
        tlk_law_break(law, TLK_BREAK_LOCK,
                      tlk_min(tlk_max(back, -g->recovery_speed), g->recovery_speed), -TLK_ENDLESS,
                      TLK_ENDLESS);
    } else if (j->axis[r] == TLK_NONE) {
        if (!g->motion.end)
            tlk_law_break(law, TLK_BREAK_UPPER, tlk_max((j->zero[r] - value) / h, 0.0),
                          -TLK_ENDLESS, 0);
        else if (first.state & 1)
            tlk_law_break(law, TLK_BREAK_UPPER, 0, -TLK_ENDLESS, 0);
    } else {
        const tlk_joint_axis *a = g->axis + j->axis[r];
        const double target = tlk_joint_target(g, j->axis[r]);
        if (g->motion.end)
            tlk_axis_end(a, target, kick, value, g->lambda[at], &first, law);
        else
            tlk_axis_law(g->numbers, a, target, h, kick, value, rate, law);
    }
}

/* One joint, as a step begins, or ends where it is smooth: its rows and their laws. */
TL_KERNEL void tlk_joint_rows(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    const double kick = tlk_joint_kick(g, j);
    if (!(kick > 0))
        return;
    tlk_joint_lines(g, i, true);
    for (uint32_t r = 0; r < j->rows; r++) {
        const uint32_t at = j->first + r;
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const double rate = tlk_joint_rate(j, row, g->motion.bodies.vel);
        tlk_law law;
        tlk_row_law(g, j, r, kick, rate, &law);
        tlk_law_start(&law, g->last[i].held[r], rate);
        g->law[at] = law;
        g->lambda[at] = g->bend[at] = 0;
    }
    g->account[i].redundant = 0;
    for (uint32_t k = 0; k < 3 * TLK_JOINT_BODIES; k++)
        g->pull[3 * TLK_JOINT_BODIES * (size_t)i + k] = g->last[i].force[k / 3][k % 3];
}

/* How far a row is from where it belongs, as a position; false where it belongs nowhere. */
TL_NARROW bool tlk_row_error(const tlk_joints *g, const tlk_joint *j, uint32_t r, double value,
                             double *error)
{
    *error = 0;
    if (j->axis[r] == TLK_NONE) {
        *error = value - j->zero[r];
        return !j->rope || *error > 0;
    }
    const tlk_joint_axis *a = g->axis + j->axis[r];
    if (a->lower > -TLK_ENDLESS && value < a->lower)
        *error = value - a->lower;
    else if (a->upper < TLK_ENDLESS && value > a->upper)
        *error = value - a->upper;
    else if (!g->fresh && a->drive == 2 && a->limit >= TLK_ENDLESS)
        *error = value - tlk_min(tlk_max(tlk_joint_target(g, j->axis[r]), a->lower), a->upper);
    else
        return false;
    return true;
}

TL_KERNEL int tlk_row_part(const tlk_joints *g, const tlk_joint *j, uint32_t r)
{
    const tlk_law *law = g->law + j->first + r;
    double error;
    if (j->broken)
        return TLK_ROW_OFF;
    if (g->fresh)
        return tlk_row_error(g, j, r, g->value[j->first + r], &error) ? TLK_ROW_HARD : TLK_ROW_OFF;
    if (tlk_law_holds(law))
        return TLK_ROW_HARD;
    return !g->positions && law->slope > 0 ? TLK_ROW_SOFT : TLK_ROW_OFF;
}

/* The inertia of a body, 6 x 6. */
TL_NARROW void tlk_body_block(const tlk_joints *g, uint32_t i, double *out)
{
    const double *inertia = g->motion.bodies.inertia + 4 * (size_t)i;
    double axis[3][3];
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
        tlk_rotate(g->quat + 4 * (size_t)i, unit, axis[k]);
        out[7 * k] = inertia[3];
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += inertia[k] * axis[k][r] * axis[k][c];
            out[6 * (3 + r) + 3 + c] = sum;
        }
}

/* A force that turns with nothing resists that its arm turns, by a torque that a step does not see
 * before the next one. Where that is too stiff for the step, the body turns as if it had more
 * inertia: half of what the stiffness would have in an implicit step, beyond what is stable anyway.
 * It stores no energy and takes none (docs/theory.md, "Taut chains"). */
TL_NARROW void tlk_taut(const double *f, const double *r, double h, double least, double *out)
{
    const double along = tlk_dotd(f, r);
    const double fs = sqrt(tlk_dotd(f, f)), rs = sqrt(tlk_dotd(r, r));
    const double most = 0.5 * (along + fs * rs);
    const double extra = 0.5 * (h * h * most - 0.5 * least);
    if (!(extra > 0))
        return;
    double u[3], n[3];
    for (int k = 0; k < 3; k++)
        u[k] = f[k] / fs + r[k] / rs;
    tlk_crossd(f, r, n);
    const double us = tlk_dotd(u, u), ns = tlk_dotd(n, n);
    const double flat = ns > 0 ? extra * (tlk_max(along, 0.0) / most - 1) / ns : 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            out[6 * (3 + a) + 3 + b] +=
                extra * ((a == b ? 1.0 : 0.0) - u[a] * u[b] / us) + flat * n[a] * n[b];
}

/* How much of a body's inertia that would be. */
TL_NARROW double tlk_taut_size(const double *f, const double *r, double h)
{
    const double fs = sqrt(tlk_dotd(f, f)), rs = sqrt(tlk_dotd(r, r));
    return 0.25 * h * h * (tlk_dotd(f, r) + fs * rs);
}

/* The blocks of a joint. */
TL_NARROW void tlk_joint_blocks(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    for (uint32_t r = 0; r < j->rows; r++) {
        const int part = tlk_row_part(g, j, r);
        const uint32_t at = j->first + r;
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        g->soft[at] = part == TLK_ROW_HARD ? g->base[at] : 0;
        g->part[at] = (uint8_t)part;
        g->aim[at] =
            !g->fresh && tlk_law_holds(g->law + at) ? g->law[at].speed[g->law[at].state / 2] : 0;
        g->block[j->own + (size_t)r * j->rows + r] = part == TLK_ROW_HARD   ? -g->base[at]
                                                     : part == TLK_ROW_SOFT ? -1 / g->law[at].slope
                                                                            : -1.0;
        for (uint32_t b = 0; b < j->bodies && part != TLK_ROW_OFF; b++) {
            double *out = g->block + j->block[b];
            for (uint32_t k = 0; k < 6 && j->node[b] != TLK_NONE; k++)
                out[j->across[b] ? k * j->rows + r : r * 6 + k] = row[6 * b + k];
        }
    }
    for (uint32_t b = 0; b < j->bodies && !g->fresh; b++) {
        const double *inertia = g->motion.bodies.inertia + 4 * (size_t)j->body[b];
        const double least = tlk_min(tlk_min(inertia[0], inertia[1]), inertia[2]);
        if (j->node[b] != TLK_NONE)
            tlk_taut(g->pull + 3 * (TLK_JOINT_BODIES * (size_t)i + b),
                     g->arm + 3 * (TLK_JOINT_BODIES * (size_t)i + b), g->motion.h, least,
                     g->block + j->diagonal[b]);
    }
}

/* The matrix of an articulation, and its factors. */
TL_NARROW void tlk_joint_factor(const tlk_joints *g, const tlk_articulation *a)
{
    for (uint32_t k = a->block; k < a->block_end; k++)
        g->block[k] = 0;
    for (uint32_t k = a->node; k < a->node_end; k++)
        if (g->node_body[k] != TLK_NONE)
            tlk_body_block(g, g->node_body[k], g->block + g->node[k].block);
    for (uint32_t k = a->joint; k < a->joint_end; k++)
        tlk_joint_blocks(g, g->list[k]);
    tlk_factor(g, a);
}

/* What the rate of a row over the step is above J v. */
TL_KERNEL double tlk_joint_bent(const tlk_joints *g, const tlk_joint *j, uint32_t at)
{
    return g->how[j->articulation].straight ? 0 : g->bend[at];
}

/* The right-hand side of a joint's rows at the present velocities. Returns the largest. */
TL_NARROW double tlk_joint_sides(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    const bool plain = g->positions || g->mode == TLK_PROJECT_CHANGES;
    double worst = 0;
    for (uint32_t r = 0; r < j->rows; r++) {
        const uint32_t at = j->first + r;
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const tlk_law *law = g->law + at;
        const int part = g->part[at];
        double side = 0;
        if (part == TLK_ROW_OFF) {
            const double base =
                plain || j->broken ? 0 : tlk_law_base(law, law->state / 2, TLK_NONE);
            const double change = base - g->lambda[at];
            for (uint32_t b = 0; b < j->bodies && change != 0 && !plain; b++)
                for (uint32_t k = 0; k < 6 && j->node[b] != TLK_NONE; k++)
                    g->x[j->node[b] + k] += row[6 * b + k] * change;
            if (!plain) {
                worst = tlk_max(worst, fabs(change) * g->base[at] / g->softness);
                g->lambda[at] = base;
            }
        } else {
            const double rate = tlk_joint_rate(j, row, g->vel);
            if (plain)
                side = -rate;
            else if (part == TLK_ROW_HARD)
                side = g->aim[at] - rate - tlk_joint_bent(g, j, at);
            else
                side = (tlk_law_base(law, law->state / 2, TLK_NONE) - g->lambda[at]) / law->slope -
                       rate - tlk_joint_bent(g, j, at);
            worst = tlk_max(worst, fabs(side));
        }
        g->x[j->vector + r] = side;
    }
    return worst;
}

/* What was solved comes to bodies and rows. */
TL_NARROW void tlk_joint_apply(const tlk_joints *g, const tlk_articulation *a)
{
    for (uint32_t k = a->node; k < a->node_end; k++) {
        if (g->node_body[k] == TLK_NONE)
            continue;
        real *v = g->vel + 8 * (size_t)g->node_body[k];
        const double *x = g->x + g->node[k].vector;
        for (int c = 0; c < 3; c++) {
            v[c] = (real)((double)v[c] + x[c]);
            v[4 + c] = (real)((double)v[4 + c] + x[3 + c]);
        }
    }
    if (g->positions || g->mode >= TLK_PROJECT_NOTHING)
        return;
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows; r++)
            g->lambda[j->first + r] -= g->x[j->vector + r];
    }
}

/* Whether rows are to change their states, which they do: all of them at first, then one. */
TL_NARROW bool tlk_joint_states(const tlk_joints *g, const tlk_articulation *a, bool every)
{
    bool moved = false;
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows && j->bounded && !j->broken; r++) {
            const uint32_t at = j->first + r;
            const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
            const double rate = tlk_joint_rate(j, row, g->vel) + tlk_joint_bent(g, j, at);
            if ((every || !moved) && tlk_law_move(g->law + at, rate, g->lambda[at]))
                moved = true;
        }
    }
    return moved;
}

/* m/s: how fast its bodies are, roughly. */
TL_NARROW double tlk_joint_speed(const tlk_joints *g, const tlk_articulation *a)
{
    double most = 0;
    for (uint32_t k = a->node; k < a->node_end; k++) {
        if (g->node_body[k] == TLK_NONE)
            continue;
        const real *v = g->vel + 8 * (size_t)g->node_body[k];
        for (int c = 0; c < 3; c++)
            most = tlk_max(most, fabs((double)v[c]) + fabs((double)v[4 + c]));
    }
    return most;
}

#include "kernels/joint/iterate.h"

/* One articulation: its velocities are projected onto its joints, by impulses of these. */
TL_KERNEL void tlk_joint_project(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    tlk_articulated how = g->how[i];
    if (!(tlk_joint_kick(g, g->joint + g->list[a.joint]) > 0))
        return;
    if (g->iterate) {
        tlk_joint_sweep(g, i);
        return;
    }
    for (uint32_t pass = 0; pass < g->passes; pass++) {
        double worst = 0;
        const uint32_t wanted = g->positions ? 2 : 1;
        if (!how.factored || (how.factored != wanted && a.bounded))
            tlk_joint_factor(g, &a);
        how.factored = wanted;
        for (uint32_t k = a.vector; k < a.vector_end; k++)
            g->x[k] = 0;
        for (uint32_t k = a.joint; k < a.joint_end; k++) {
            const double side = tlk_joint_sides(g, g->list[k]);
            worst = tlk_max(worst, side);
        }
        how.residual = worst;
        if (worst <= TLK_JOINT_FINE * tlk_joint_speed(g, &a))
            break;
        tlk_back_substitute(g, &a, g->x);
        tlk_joint_apply(g, &a);
        if (a.bounded && !g->positions && g->mode == TLK_PROJECT_ALL &&
            how.changes < TLK_JOINT_CHANGES &&
            tlk_joint_states(g, &a, how.changes < TLK_JOINT_EVERY)) {
            how.changes++;
            how.factored = 0;
            pass = 0;
        }
    }
    g->how[i] = how;
}

/* One articulation: where joints pull much harder than they did, they do so from now on in this
 * step, with new factors. And whether they bend the ways of bodies: not where that has added
 * energy, as it does when bodies turn far in a step or are thrown about; then joints take some
 * instead. */
TL_KERNEL void tlk_joint_tighten(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    double gained = 0, energy = 0;
    for (uint32_t k = a.node; k < a.node_end; k++) {
        const uint32_t body = g->node_body[k];
        if (body == TLK_NONE)
            continue;
        const real *v = g->vel + 8 * (size_t)body;
        const double u[6] = {v[0], v[1], v[2], v[4], v[5], v[6]};
        energy += 0.5 * tlk_body_product(&g->motion.bodies, body, u, u);
    }
    for (uint32_t k = a.joint; k < a.joint_end; k++) {
        const tlk_joint *j = g->joint + g->list[k];
        gained += g->last[g->list[k]].gained;
        for (uint32_t b = 0; b < j->bodies; b++) {
            const size_t at = 3 * (TLK_JOINT_BODIES * (size_t)g->list[k] + b);
            const double *inertia = g->motion.bodies.inertia + 4 * (size_t)j->body[b];
            const double least = tlk_min(tlk_min(inertia[0], inertia[1]), inertia[2]);
            double f[3] = {0, 0, 0};
            for (uint32_t r = 0; r < j->rows && j->node[b] != TLK_NONE; r++)
                for (int c = 0; c < 3; c++)
                    f[c] += g->jacobian[j->jacobian + (size_t)r * 6 * j->bodies + 6 * b + c] *
                            g->lambda[j->first + r] / tlk_joint_kick(g, j);
            const double old = tlk_taut_size(g->pull + at, g->arm + at, g->motion.h);
            const double now = tlk_taut_size(f, g->arm + at, g->motion.h);
            if (now < 0.25 * least + 2 * old)
                continue;
            for (int c = 0; c < 3; c++)
                g->pull[at + c] = f[c];
            g->how[i].factored = 0;
        }
    }
    if (!(gained <= TLK_GAIN * energy))
        g->how[i].straight = 1;
}

/* One body that joints act on: where it will be at the end of the step. */
TL_KERNEL void tlk_joint_foresee(const tlk_joints *g, uint32_t m)
{
    const uint32_t i = g->mover[m];
    double *x = g->next_pos + 4 * (size_t)i, *q = g->next_quat + 4 * (size_t)i, w[3];
    for (int k = 0; k < 4; k++) {
        x[k] = g->pos[4 * (size_t)i + k];
        q[k] = g->quat[4 * (size_t)i + k];
    }
    if (i < g->motion.bodies.dynamic) {
        tlk_take(&g->motion, i, x, q, w);
        return;
    }
    const real *v = g->motion.vel + 8 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        x[k] += g->motion.h * (double)v[k];
        w[k] = v[4 + k];
    }
    tlk_turn_body(g->motion.h, w, q);
}

/* m/s or rad/s: the most that a row may bend in a step, where bodies turn by a fifth of a radian.
 * Beyond that the articulation goes straight: bends would add energy. */
TL_NARROW double tlk_bend_most(const tlk_joints *g, const tlk_joint *j, uint32_t i,
                               const tlk_frames *f, uint32_t row)
{
    double n[3], lever = tlk_towards(f->at[0], f->at[1], n);
    if (row >= 3 && row <= 5)
        return TLK_BEND / g->motion.h;
    if (row == TLK_ROW_PULLEY || row == TLK_ROW_COUPLED)
        return TLK_ENDLESS;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const double *arm = g->arm + 3 * (TLK_JOINT_BODIES * (size_t)i + b);
        lever += sqrt(tlk_dotd(arm, arm));
    }
    return TLK_BEND * lever / g->motion.h;
}

/* One joint: what its coordinates do over the step beyond what J v says, as bodies go straight and
 * joints bend. */
TL_KERNEL void tlk_joint_bend(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    tlk_frames f;
    tlk_frames_of(g->next_pos, g->next_quat, j, &f);
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const uint32_t at = j->first + r;
        const double next = tlk_row_value(g, g->next_pos, g->next_quat, i, &f, r);
        const double most = tlk_bend_most(g, j, i, &f, j->row[r]);
        const double bend = (next - g->value[at]) / g->motion.h - tlk_joint_rate(j, row, g->vel);
        g->bend[at] = bend;
        if (!(fabs(bend) <= most))
            tlk_atomic_or32(&g->how[j->articulation].straight, 1);
    }
}

#include "kernels/joint/account.h"
#include "kernels/joint/assemble.h"

#endif
