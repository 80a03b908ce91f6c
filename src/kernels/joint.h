/* Joints, solved exactly (docs/theory.md, "Joints"): rows of a joint at a time; factors,
 * projections and assemblies of an articulation at a time, by a team (kernels/joint/team.h).
 * Everything is in 64-bit, whatever velocities are. */
#ifndef TL_KERNELS_JOINT_H
#define TL_KERNELS_JOINT_H

#include "kernels/bodies.h"
#include "kernels/joint/couple.h"
#include "kernels/joint/factor.h"
#include "kernels/joint/law.h"

#define TLK_JOINT_EVERY   8u   /* changes of states up to which all rows move that want to */
#define TLK_JOINT_CHANGES 40u  /* in a step, at most */
#define TLK_SLOW          0.02 /* rad: turns in a step that one look at them is enough for, */
#define TLK_FAST          0.1  /* and two looks; more get all of them */
#define TLK_BEND          0.05 /* of levers: what joints may bend the ways of bodies in a step */
#define TLK_GAIN          2.5e-4 /* of the kinetic energy: what joints may add before they bend no more, */
#define TLK_TAUT          2e-3 /* and what inertia that bodies do not have may store */
#define TLK_GAIN_KEEPS    0.98 /* of it, from step to step */

#if defined(TLK_PRECISION_double)
#define TLK_JOINT_FINE 1e-10 /* residuals that need no other pass, of the speeds of bodies */
#else
#define TLK_JOINT_FINE 4e-7
#endif

/* How a row takes part in a system. */
#define TLK_ROW_OFF  0
#define TLK_ROW_HARD 1
#define TLK_ROW_SOFT 2

/* The angles of a joint count on. */
TL_KERNEL void tlk_joint_count_turns(const tlk_joints *g, uint32_t i, const tlk_frames *f)
{
    double x, z;
    tlk_near_angles(f, &x, &z);
    g->next[i].angle[0] = tlk_unwrap(x, g->last[i].angle[0]);
    g->next[i].angle[1] = tlk_unwrap(z, g->last[i].angle[1]);
}

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

/* Adds J M^-1 J' of a joint's rows for one of its bodies, which is dynamic. */
TL_KERNEL void tlk_add_mobility(const tlk_joints *g, const tlk_joint *j, uint32_t b, double *out)
{
    const size_t i = j->body[b];
    const double *inertia = g->motion.bodies.inertia + 4 * i;
    const double by_mass = 1 / inertia[3];
    const double inverse[3] = {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]};
    double axis[3][3];
    tlk_axes(g->motion.bodies.quat + 4 * i, axis);
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + ((size_t)r * j->bodies + b) * 6;
        double sum = tlk_dotd(row, row) * by_mass;
        for (int k = 0; k < 3; k++) {
            const double turn = tlk_dotd(axis[k], row + 3);
            sum += turn * turn * inverse[k];
        }
        out[r] += sum;
    }
}

/* Whether a row holds its coordinate, whatever happens: it has no law. Those of joints one at a
 * time pull back what has drifted apart. */
TL_KERNEL bool tlk_row_locked(const tlk_joints *g, const tlk_joint *j, uint32_t r)
{
    return j->axis[r] == TLK_NONE && !j->rope && !g->iterate;
}

/* The rows of a joint at the poses of g, without laws. */
TL_NARROW void tlk_joint_lines(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    tlk_frames f;
    tlk_frames_of(g->pos, g->quat, j, &f);
    for (uint32_t r = 0; r < j->rows; r++) {
        double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        tlk_row_rate(g, j, &f, r, row);
        g->value[j->first + r] = tlk_row_value(g, g->pos, g->quat, i, &f, r);
    }
    double mobility[TLK_JOINT_ROWS] = {0};
    for (uint32_t b = 0; b < j->bodies; b++)
        if (j->node[b] != TLK_NONE)
            tlk_add_mobility(g, j, b, mobility);
    for (uint32_t r = 0; r < j->rows; r++)
        g->base[j->first + r] = g->softness * mobility[r];
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3 && j->side[s] != TLK_NONE; k++)
            g->anchor[3 * (TLK_JOINT_BODIES * (size_t)i + j->side[s]) + k] =
                f.at[s][k] - f.centre[s][k];
}

/* Where the springs of a row are at rest: lengths are kept with what rows hold. */
TL_KERNEL double tlk_row_rest(const tlk_joints *g, const tlk_joint *j, uint32_t r)
{
    return g->axis[j->axis[r]].rest + j->zero[r];
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

/* The law of a row that is not locked, for a step or half of one. That of a second half follows the
 * first; `soft`: what springs did then (tlk_joint_soften). */
TL_NARROW void tlk_row_law(const tlk_joints *g, const tlk_joint *j, uint32_t r, double kick,
                           double rate, double soft, tlk_law *law)
{
    const uint32_t at = j->first + r;
    const double h = g->motion.h, value = g->value[at];
    const tlk_law first = g->law[at];
    law->breaks = 0;
    law->load = law->slope = 0;
    if (j->axis[r] == TLK_NONE && !j->rope) { /* joints one at a time */
        const double back = g->recovery * (j->zero[r] - value) / h;
        tlk_law_break(law, TLK_BREAK_LOCK,
                      tlk_min(tlk_max(back, -g->recovery_speed), g->recovery_speed), -TLK_ENDLESS,
                      TLK_ENDLESS);
    } else if (g->throws && j->axis[r] == TLK_NONE) {
        if (value >= j->zero[r] - TLK_AT_LIMIT)
            tlk_law_break(law, TLK_BREAK_UPPER, 0, -TLK_ENDLESS, 0);
    } else if (g->throws) {
        tlk_axis_throw(g->axis + j->axis[r], h, value, rate, law);
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
            tlk_axis_end(a, target, kick, value, soft, &first, law);
        else
            tlk_axis_law(g->numbers, a, tlk_row_rest(g, j, r), target, h, kick, value, rate, law);
    }
}

/* One joint, at the end of a smooth step: whether a limit throws its articulation back. */
TL_KERNEL void tlk_joint_meet(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    if (j->broken || !j->rows || !(tlk_joint_kick(g, j) > 0))
        return;
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        if (j->axis[r] != TLK_NONE &&
            tlk_axis_meets(g->axis + j->axis[r], g->motion.h, g->value[j->first + r],
                           tlk_joint_rate(j, row, g->vel)))
            tlk_atomic_or32(&g->how[j->articulation].thrown, 1);
    }
}

/* Whether a joint, or an articulation, has no part in what limits throw back. */
TL_KERNEL bool tlk_joint_unmet(const tlk_joints *g, const tlk_joint *j)
{
    return g->throws && (j->broken || !j->rows || !g->how[j->articulation].thrown);
}

/* A force that turns with nothing resists that its anchor turns, by a torque that a step does not
 * see before the next one. Where that is too stiff for the step, the body turns as if it had more
 * inertia: half of what the stiffness would have in an implicit step, beyond what is stable anyway
 * (docs/theory.md, "Taut chains"). Its positive part is kept as this: x - z u u' + y n n'. */
typedef struct tlk_tautness {
    double u[3], n[3], x, y, z;
} tlk_tautness;

/* f r of a force and an anchor, and its larger stiffness, N m; u halves the angle of both, and has
 * the square 4 f r times that. */
TL_KERNEL double tlk_taut_stiffness(const double *f, const double *r, double *u, double *product)
{
    const double fs = sqrt(tlk_dotd(f, f)), rs = sqrt(tlk_dotd(r, r));
    for (int k = 0; k < 3; k++)
        u[k] = f[k] * rs + r[k] * fs;
    *product = fs * rs;
    return 0.5 * (tlk_dotd(f, r) + *product);
}

/* By a force and an anchor, so that the larger is x, or what it is where x is 0. False: there is
 * none. */
TL_NARROW bool tlk_taut(const double *f, const double *r, double x, tlk_tautness *out)
{
    double product;
    const double most = tlk_taut_stiffness(f, r, out->u, &product);
    if (!(most > 0))
        return false;
    tlk_crossd(f, r, out->n);
    const double square = tlk_dotd(out->n, out->n), along = 2 * most - product;
    out->x = x > 0 ? x : most;
    out->y = square > 0 ? out->x * (tlk_max(along, 0.0) / most - 1) / square : 0;
    out->z = out->x / (4 * product * most);
    return true;
}

TL_KERNEL double tlk_least_moment(const double *inertia)
{
    return tlk_min(tlk_min(inertia[0], inertia[1]), inertia[2]);
}

/* Whether what a joint holds its one dynamic body by stays where it is. */
TL_KERNEL bool tlk_joint_pins(const tlk_joint *j)
{
    uint32_t locked = 0;
    if (j->coupled[0] != TLK_NONE || (j->node[0] != TLK_NONE && j->node[1] != TLK_NONE))
        return false;
    for (uint32_t r = 0; r < j->rows; r++)
        locked += j->row[r] < 3 && j->axis[r] == TLK_NONE;
    return locked == 3;
}

/* The least that resists a turn about an axis across u, in the body's frame, whose square is
 * `square`: there the inverse inertia has two moments, of which the larger counts. */
TL_KERNEL double tlk_moment_across(const double *inertia, const double *u, double square)
{
    const double *m = inertia, by = 1 / square;
    const double c[3] = {u[0] * u[0] * by, u[1] * u[1] * by, u[2] * u[2] * by};
    const double sum =
        m[1] * m[2] * (1 - c[0]) + m[0] * m[2] * (1 - c[1]) + m[0] * m[1] * (1 - c[2]);
    const double all = m[0] * m[1] * m[2], part = c[0] * m[0] + c[1] * m[1] + c[2] * m[2];
    return 2 * all / (sum + sqrt(tlk_max(sum * sum - 4 * all * part, 0.0)));
}

/* How much inertia body b of joint i, which pulls it by f, would have that it does not have: beyond
 * a fourth of the least that resists turns about axes that the force resists turns about. Where the
 * anchor cannot move, the body's mass goes round it. */
TL_NARROW double tlk_taut_excess(const tlk_joints *g, uint32_t i, uint32_t b, const double *f)
{
    const tlk_joint *j = g->joint + i;
    const double *r = g->anchor + 3 * (TLK_JOINT_BODIES * (size_t)i + b);
    const double *inertia = g->motion.bodies.inertia + 4 * (size_t)j->body[b];
    double u[3], own[3], product;
    const double most = tlk_taut_stiffness(f, r, u, &product);
    const double size = 0.5 * g->motion.h * g->motion.h * most;
    if (!(size > 0.25 * tlk_least_moment(inertia)))
        return 0;
    const double square = 4 * product * most, towards = tlk_dotd(r, u);
    tlk_rotate_back(g->quat + 4 * (size_t)j->body[b], u, own);
    const double moment = tlk_moment_across(inertia, own, square);
    const double round = tlk_joint_pins(j) ? inertia[3] * towards * towards / square : 0;
    return size - 0.25 * (moment + round);
}

/* Adds it to the lower half of the moments of a block, as factors are made of. */
TL_KERNEL void tlk_taut_add(const tlk_tautness *t, double *out)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b <= a; b++)
            out[6 * (3 + a) + 3 + b] +=
                (a == b ? t->x : 0.0) - t->z * t->u[a] * t->u[b] + t->y * t->n[a] * t->n[b];
}

/* Body b of joint i is pulled by f from now on. */
TL_KERNEL void tlk_taut_set(const tlk_joints *g, uint32_t i, uint32_t b, const double *f)
{
    double *pull = g->pull + TLK_PULL * (TLK_JOINT_BODIES * (size_t)i + b);
    for (int k = 0; k < 3; k++)
        pull[k] = f[k];
    pull[3] = g->joint[i].node[b] != TLK_NONE ? tlk_taut_excess(g, i, b, f) : 0;
}

/* The energy, J, that inertia which the bodies of joint i do not have stores at these velocities,
 * at most. */
TL_NARROW double tlk_taut_stored(const tlk_joints *g, uint32_t i, const real *vel)
{
    const tlk_joint *j = g->joint + i;
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const double more = g->pull[TLK_PULL * (TLK_JOINT_BODIES * (size_t)i + b) + 3];
        if (!(more > 0)) /* outside of steps there are no velocities, either */
            continue;
        const real *v = vel + 8 * (size_t)j->body[b];
        const double w[3] = {v[4], v[5], v[6]};
        sum += 0.5 * more * tlk_dotd(w, w);
    }
    return sum;
}

/* One joint, as a step begins, or ends where it is smooth: its rows and their laws. */
TL_KERNEL void tlk_joint_rows(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    const double kick = tlk_joint_kick(g, j);
    if (!(kick > 0) || tlk_joint_unmet(g, j))
        return;
    tlk_joint_lines(g, i);
    for (uint32_t r = 0; r < j->rows; r++) {
        const uint32_t at = j->first + r;
        const bool locked = tlk_row_locked(g, j, r);
        const double before = locked ? 0 : g->lambda[at];
        g->lambda[at] = g->bend[at] = 0;
        if (locked)
            continue;
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const double rate = tlk_joint_rate(j, row, g->throws ? g->vel : g->motion.bodies.vel);
        tlk_law law;
        tlk_row_law(g, j, r, kick, rate, before, &law);
        tlk_law_start(&law, g->last[i].held[r], rate);
        g->law[at] = law;
    }
    g->account[i].redundant = 0;
    double force[3 * TLK_JOINT_BODIES]; /* read before it is written: a GPU waits once */
    for (uint32_t k = 0; k < 3 * TLK_JOINT_BODIES; k++)
        force[k] = g->last[i].force[k / 3][k % 3];
    for (uint32_t b = 0; b < j->bodies; b++)
        tlk_taut_set(g, i, b, force + 3 * b);
    g->account[i].taut = g->motion.end ? 0 : tlk_taut_stored(g, i, g->motion.free);
}

/* How far a row is from where it belongs, as a position; false where it belongs nowhere. `fresh`:
 * motors hold nothing. */
TL_NARROW bool tlk_row_error(const tlk_joints *g, const tlk_joint *j, uint32_t r, double value,
                             bool fresh, double *error)
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
    else if (!fresh && a->drive == 2 && a->limit >= TLK_ENDLESS)
        *error = value - tlk_min(tlk_max(tlk_joint_target(g, j->axis[r]), a->lower), a->upper);
    else
        return false;
    return true;
}

TL_KERNEL int tlk_row_part(const tlk_joints *g, const tlk_joint *j, uint32_t r, bool fresh)
{
    const tlk_law *law = g->law + j->first + r;
    double error;
    if (j->broken)
        return TLK_ROW_OFF;
    if (fresh)
        return tlk_row_error(g, j, r, g->value[j->first + r], true, &error) ? TLK_ROW_HARD
                                                                            : TLK_ROW_OFF;
    if (tlk_row_locked(g, j, r) || tlk_law_holds(law))
        return TLK_ROW_HARD;
    return !g->positions && law->slope > 0 ? TLK_ROW_SOFT : TLK_ROW_OFF;
}

/* The inertia of a body, 6 x 6. */
TL_NARROW void tlk_body_block(const tlk_joints *g, uint32_t i, double *out)
{
    const double *inertia = g->motion.bodies.inertia + 4 * (size_t)i;
    double axis[3][3];
    tlk_axes(g->quat + 4 * (size_t)i, axis);
    for (int k = 0; k < 3; k++)
        out[7 * k] = inertia[3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += inertia[k] * axis[k][r] * axis[k][c];
            out[6 * (3 + r) + 3 + c] = sum;
        }
}

/* A row in the joint's own block, and how it takes part, which is returned. */
TL_KERNEL int tlk_row_own(const tlk_joints *g, const tlk_joint *j, uint32_t r, bool fresh)
{
    const int part = tlk_row_part(g, j, r, fresh);
    const uint32_t at = j->first + r;
    g->soft[at] = part == TLK_ROW_HARD ? g->base[at] : 0;
    g->part[at] = (uint8_t)part;
    g->aim[at] = !fresh && !tlk_row_locked(g, j, r) && tlk_law_holds(g->law + at)
                     ? g->law[at].speed[g->law[at].state / 2]
                     : 0;
    g->block[j->own + (size_t)r * j->rows + r] = part == TLK_ROW_HARD   ? -g->base[at]
                                                 : part == TLK_ROW_SOFT ? -1 / g->law[at].slope
                                                                        : -1.0;
    return part;
}

/* A row in the joint's block with one of its bodies. */
TL_KERNEL void tlk_row_block(const tlk_joints *g, const tlk_joint *j, uint32_t r, uint32_t b)
{
    const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
    double *out = g->block + j->block[b] + (j->across[b] ? r : 6 * r);
    const uint32_t step = j->across[b] ? j->rows : 1;
    for (uint32_t k = 0; k < 6; k++)
        out[k * step] = row[6 * b + k];
}

/* The blocks of a joint. */
TL_NARROW void tlk_joint_blocks(const tlk_joints *g, uint32_t i, bool fresh)
{
    const tlk_joint *j = g->joint + i;
    for (uint32_t r = 0; r < j->rows; r++) {
        const int part = tlk_row_own(g, j, r, fresh);
        for (uint32_t b = 0; b < j->bodies && part != TLK_ROW_OFF; b++)
            if (j->node[b] != TLK_NONE)
                tlk_row_block(g, j, r, b);
    }
}

/* The inverse of the moments of a block, as contacts have it (tlk_problem.inverse). */
TL_NARROW void tlk_block_inverse(const double *block, real *out)
{
    const double xx = block[21], yx = block[27], yy = block[28], zx = block[33], zy = block[34],
                 zz = block[35];
    const double a = yy * zz - zy * zy, b = zx * zy - yx * zz, c = yx * zy - yy * zx;
    const double part = 1 / (xx * a + yx * b + zx * c);
    out[0] = (real)(part * a);
    out[1] = (real)(part * (xx * zz - zx * zx));
    out[2] = (real)(part * (xx * yy - yx * yx));
    out[3] = (real)(part * b);
    out[4] = (real)(part * c);
    out[5] = (real)(part * (yx * zx - xx * zy));
}

/* The block of a body: its inertia, and what makes joints taut. Returns whether they are. */
TL_NARROW bool tlk_body_blocks(const tlk_joints *g, const tlk_node *node, uint32_t i, bool fresh,
                               bool arrest, double *out)
{
    bool taut = false;
    tlk_body_block(g, i, out);
    for (uint32_t k = node->attached; k < node->attached_end && (!fresh || arrest); k++) {
        const size_t at = TLK_JOINT_BODIES * (size_t)g->attached[k].joint + g->attached[k].place;
        const double *pull = g->pull + TLK_PULL * at, *anchor = g->anchor + 3 * at;
        tlk_tautness t;
        if (!(arrest || pull[3] > 0) || !tlk_taut(pull, anchor, arrest ? 0 : pull[3], &t))
            continue;
        tlk_taut_add(&t, out);
        taut = true;
    }
    return taut;
}

/* What the rate of a row over the step is above J v. */
TL_KERNEL double tlk_joint_bent(const tlk_joints *g, const tlk_joint *j, uint32_t at)
{
    return g->how[j->articulation].straight ? 0 : g->bend[at];
}

/* One node: its body is held by joints. */
TL_KERNEL void tlk_joint_mark(const tlk_joined_bodies *h, uint32_t k)
{
    if (h->node_body[k] != TLK_NONE)
        h->joined[h->node_body[k]] = 1;
}

/* One node: its body's velocity is another from now. */
TL_KERNEL void tlk_joint_anew(const tlk_joined_bodies *h, uint32_t k)
{
    const size_t at = 8 * (size_t)h->node_body[k];
    for (uint32_t c = 0; c < 8 && h->node_body[k] != TLK_NONE; c++)
        h->vel[at + c] = h->from[at + c];
}

/* Whether this look at where bodies will be is one more than an articulation needs. */
TL_KERNEL bool tlk_joint_seen(const tlk_joints *g, const tlk_articulated *how)
{
    return g->look && g->look >= how->looks;
}

/* One node: the velocity that its body would have if it changed as in the last step, which the
 * first look is by; to motion.vel. */
TL_KERNEL void tlk_joint_guess(const tlk_joints *g, uint32_t k)
{
    const uint32_t i = g->node_body[k];
    if (i == TLK_NONE)
        return;
    const tlk_node *node = g->node + k;
    uint32_t l = node->attached;
    real v[8];
    tlk_load8(g->motion.bodies.vel + 8 * (size_t)i, v);
    while (l < node->attached_end && g->attached[l].place > 1) /* of one that couples others */
        l++;
    if (l < node->attached_end) {
        const double *change = g->last[g->attached[l].joint].change[g->attached[l].place];
        for (int c = 0; c < 3; c++) {
            v[c] = (real)((double)v[c] + change[c]);
            v[4 + c] = (real)((double)v[4 + c] + change[3 + c]);
        }
    }
    tlk_store8(g->motion.vel + 8 * (size_t)i, v);
}

/* One body that joints act on: where it will be at the end of the step. */
TL_KERNEL void tlk_joint_foresee(const tlk_joints *g, uint32_t m)
{
    const uint32_t i = g->mover[m], part = g->mover_of[m];
    if (part != TLK_NONE && tlk_joint_seen(g, g->how + part))
        return;
    double *x = g->next_pos + 4 * (size_t)i, *q = g->next_quat + 4 * (size_t)i, w[3];
    for (int k = 0; k < 4; k++) {
        x[k] = g->pos[4 * (size_t)i + k];
        q[k] = g->quat[4 * (size_t)i + k];
    }
    if (i < g->motion.bodies.dynamic) {
        tlk_take(&g->motion, i, x, q, w);
        return;
    }
    const real *v = g->vel + 8 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        x[k] += g->motion.h * (double)v[k];
        w[k] = v[4 + k];
    }
    tlk_turn_body(g->motion.h, w, q);
}

/* m/s or rad/s: the most that a row may bend in a step, where bodies turn by 0.3 rad. Beyond that
 * the articulation goes straight: bends would add energy. */
TL_NARROW double tlk_bend_most(const tlk_joints *g, const tlk_joint *j, uint32_t i,
                               const tlk_frames *f, uint32_t row)
{
    double n[3], lever = tlk_towards(f->at[0], f->at[1], n);
    if (row >= 3 && row <= 5)
        return TLK_BEND / g->motion.h;
    if (row == TLK_ROW_PULLEY || row == TLK_ROW_COUPLED)
        return TLK_ENDLESS;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const double *anchor = g->anchor + 3 * (TLK_JOINT_BODIES * (size_t)i + b);
        lever += sqrt(tlk_dotd(anchor, anchor));
    }
    return TLK_BEND * lever / g->motion.h;
}

/* J v of the velocities that a look is by. */
TL_KERNEL double tlk_joint_looked(const tlk_joints *g, const tlk_joint *j, const double *row)
{
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const real *v = (j->node[b] != TLK_NONE ? g->motion.vel : g->vel) + 8 * (size_t)j->body[b];
        for (int k = 0; k < 3; k++)
            sum += row[6 * b + k] * (double)v[k] + row[6 * b + 3 + k] * (double)v[4 + k];
    }
    return sum;
}

/* One joint: what its coordinates do over the step beyond what J v says, as bodies go straight and
 * joints bend. */
TL_KERNEL void tlk_joint_bend(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    tlk_frames f;
    if (j->broken || !j->rows || tlk_joint_seen(g, g->how + j->articulation))
        return; /* the first two are of no articulation */
    tlk_frames_of(g->next_pos, g->next_quat, j, &f);
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const uint32_t at = j->first + r;
        const double next = tlk_row_value(g, g->next_pos, g->next_quat, i, &f, r);
        const double most = tlk_bend_most(g, j, i, &f, j->row[r]);
        const double bend = (next - g->value[at]) / g->motion.h - tlk_joint_looked(g, j, row);
        g->bend[at] = bend;
        if (!(fabs(bend) <= most))
            tlk_atomic_or32(&g->how[j->articulation].straight, 1);
    }
}

#include "kernels/joint/follow.h"
#include "kernels/joint/iterate.h"
#include "kernels/joint/project.h"

#include "kernels/joint/account.h"

#include "kernels/joint/arrest.h"

#include "kernels/joint/assemble.h"

#endif
