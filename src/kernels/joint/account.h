/* What a step leaves of joints: reactions, motors, work, errors; and reading them. Included by
 * kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_ACCOUNT_H
#define TL_KERNELS_JOINT_ACCOUNT_H

/* Whether a joint breaks. */
TL_KERNEL void tlk_joint_breaks(const tlk_joint *j, tlk_joint_memory *out)
{
    const double force = sqrt(tlk_dotd(out->reaction, out->reaction));
    const double torque = sqrt(tlk_dotd(out->reaction + 3, out->reaction + 3));
    if (force > j->break_force || torque > j->break_torque)
        out->broken = 1;
}

/* What acts on the bodies of a joint, by impulses of its rows, and on b at the origin of its frame.
 */
TL_NARROW void tlk_joint_reaction(const tlk_joints *g, const tlk_joint *j, uint32_t i,
                                  const double *impulse, bool add, tlk_joint_memory *out)
{
    double wrench[TLK_JOINT_BODIES][6] = {{0}};
    const double rate = 1 / g->motion.h;
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const double force = impulse[r] * rate;
        for (uint32_t b = 0; b < j->bodies; b++)
            for (uint32_t k = 0; k < 6; k++)
                wrench[b][k] += row[6 * b + k] * force;
    }
    for (uint32_t b = 0; b < TLK_JOINT_BODIES; b++)
        for (int k = 0; k < 3; k++)
            out->force[b][k] = wrench[b][k] + (add ? out->force[b][k] : 0);
    const int side = j->side[1] != TLK_NONE ? 1 : 0;
    for (int k = 0; k < 6 && !add; k++)
        out->reaction[k] = 0;
    if (j->coupled[0] != TLK_NONE) { /* on the second joint's b */
        const uint32_t to = j->place[1][1] != TLK_NONE ? j->place[1][1] : j->place[1][0];
        const double sign = j->place[1][1] != TLK_NONE ? 1.0 : -1.0;
        for (int k = 0; k < 6 && to != TLK_NONE; k++)
            out->reaction[k] += sign * wrench[to][k];
        tlk_joint_breaks(j, out);
        return;
    }
    const double *w = wrench[j->side[side]];
    double moment[3];
    tlk_crossd(g->anchor + 3 * (TLK_JOINT_BODIES * (size_t)i + j->side[side]), w, moment);
    for (int k = 0; k < 3; k++) {
        out->reaction[k] += side ? w[k] : -w[k];
        out->reaction[3 + k] += side ? w[3 + k] - moment[k] : moment[k] - w[3 + k];
    }
    tlk_joint_breaks(j, out);
}

/* The work that goes through a joint to its dynamic bodies from the others: with the mean of the
 * velocities before and after. */
TL_NARROW double tlk_joint_driven(const tlk_joints *g, const tlk_joint *j, const double *row)
{
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++) {
        if (j->node[b] != TLK_NONE)
            continue;
        const real *v = g->vel + 8 * (size_t)j->body[b];
        for (int k = 0; k < 3; k++)
            sum += row[6 * b + k] * (double)v[k] + row[6 * b + 3 + k] * (double)v[4 + k];
    }
    return sum;
}

/* What the locked rows of a joint have added lately, by their work of a step and the energy of half
 * the change of velocity along them (docs/theory.md, "What joints gain"). */
TL_NARROW double tlk_joint_gains(const tlk_joints *g, const tlk_joint *j, double added,
                                 double change, tlk_joint_memory *out)
{
    if (g->motion.end || tlk_joint_kick(g, j) < g->motion.h) /* halves: the second makes it up */
        return (g->motion.end ? 1 : TLK_GAIN_KEEPS) * out->gained + added;
    const bool straight = g->how[j->articulation].straight;
    const double now = straight ? added : out->begun ? 0.5 * added - change : 0.0;
    const double gained = TLK_GAIN_KEEPS * out->gained + out->owed + now;
    out->owed = fabs(added) < TLK_ENDLESS ? added - now : 0;
    out->begun = 1;
    return gained;
}

/* How much a step, or the first half of a smooth one, changes the velocities of a joint's first two
 * bodies. A joint that couples others acts on bodies that these hold, too. */
TL_KERNEL void tlk_joint_changes(const tlk_joints *g, const tlk_joint *j, tlk_joint_memory *out)
{
    for (uint32_t b = 0; b < tlk_min(j->bodies, 2u); b++) {
        const real *now = g->vel + 8 * (size_t)j->body[b];
        const real *then = g->motion.bodies.vel + 8 * (size_t)j->body[b];
        for (int k = 0; k < 3 && j->node[b] != TLK_NONE; k++) {
            out->change[b][k] = (double)now[k] - (double)then[k];
            out->change[b][3 + k] = (double)now[4 + k] - (double)then[4 + k];
        }
    }
}

/* What the springs of a row did in the first half of a smooth step, in place of its impulse: they
 * do the same in the second. */
TL_NARROW void tlk_joint_soften(const tlk_joints *g, const tlk_joint *j, uint32_t r, double rate)
{
    const uint32_t at = j->first + r;
    const tlk_law *law = g->law + at;
    g->lambda[at] = law->load - law->slope * rate;
    if (j->axis[r] != TLK_NONE && g->axis[j->axis[r]].drive == 3)
        g->lambda[at] -= tlk_joint_kick(g, j) * tlk_joint_target(g, j->axis[r]);
}

/* One joint, before bodies move: what is kept of it, and its work. At the end of a smooth step the
 * rest, which adds to it. */
TL_KERNEL void tlk_joint_store(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    const double kick = tlk_joint_kick(g, j);
    tlk_joint_memory out = g->last[i];
    tlk_joint_account sums = g->account[i];
    double added = 0, change = 0;
    if (!(kick > 0) || tlk_joint_unmet(g, j))
        return;
    sums.residual = 0;
    if (!g->motion.end)
        sums.work = sums.lost = 0;
    for (int k = 0; k < 6 && !g->motion.end; k++)
        out.motor[k] = 0;
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const uint32_t at = j->first + r;
        const tlk_law *law = g->law + at;
        if (j->axis[r] != TLK_NONE && !g->motion.end)
            g->worked[at] = 0;
        if (j->broken) { /* it is of no articulation */
            out.held[r] = 0;
            continue;
        }
        const bool locked = tlk_row_locked(g, j, r), holds = locked || tlk_law_holds(law);
        const double rate = tlk_joint_rate(j, row, g->vel) + tlk_joint_bent(g, j, at),
                     p = g->lambda[at];
        const double then = g->throws ? rate : tlk_joint_rate(j, row, g->motion.bodies.vel);
        const double mean = 0.5 * (rate + then);
        if (!g->throws)
            out.held[r] = locked ? TLK_BREAK_LOCK : holds ? law->kind[law->state / 2] : 0;
        if (holds)
            sums.residual =
                tlk_max(sums.residual, fabs((locked ? 0 : law->speed[law->state / 2]) - rate));
        sums.work -= p * tlk_joint_driven(g, j, row);
        if (j->axis[r] == TLK_NONE) {
            const double bent = tlk_joint_bent(g, j, at);
            added += p * (mean - 0.5 * bent);
            change += 0.125 * p * (rate - bent - then);
            continue;
        }
        const double motor = tlk_law_motor(law, g->axis + j->axis[r], g->throws ? 0 : kick,
                                           tlk_joint_target(g, j->axis[r]), p, rate);
        out.motor[j->row[r] < 6 ? j->row[r] : 0] += motor / g->motion.h;
        g->worked[at] += motor * mean;
        sums.work += motor * mean;
    }
    double gained = j->broken ? 0 : tlk_joint_gains(g, j, added, change, &out);
    if (sums.taut > 0 && !g->how[j->articulation].damped)
        gained += sums.taut - tlk_taut_stored(g, i, g->vel);
    out.gained = kick < g->motion.h && !g->motion.end ? gained : tlk_max(gained, 0.0);
    tlk_joint_reaction(g, j, i, g->lambda + j->first, g->motion.end, &out);
    if (!g->motion.end)
        tlk_joint_changes(g, j, &out);
    if (kick < g->motion.h && !g->motion.end)
        for (uint32_t r = 0; r < j->rows; r++) {
            const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
            if (!tlk_row_locked(g, j, r))
                tlk_joint_soften(
                    g, j, r, tlk_joint_rate(j, row, g->vel) + tlk_joint_bent(g, j, j->first + r));
        }
    g->next[i] = out;
    g->account[i] = sums;
}

/* The error of a joint's rows at values, m. */
TL_NARROW double tlk_joint_error(const tlk_joints *g, const tlk_joint *j, const double *value)
{
    double worst = 0, error;
    for (uint32_t r = 0; r < j->rows && !j->broken; r++)
        if (j->axis[r] == TLK_NONE && tlk_row_error(g, j, r, value[r], g->fresh, &error))
            worst = tlk_max(worst, fabs(error));
    return worst;
}

/* The energy of a joint's springs at values, J. */
TL_NARROW double tlk_joint_energy(const tlk_joints *g, const tlk_joint *j, const double *value)
{
    double energy = 0;
    for (uint32_t r = 0; r < j->rows && !j->broken; r++)
        if (j->axis[r] != TLK_NONE)
            energy +=
                tlk_axis_energy(g->numbers, g->axis + j->axis[r], tlk_row_rest(g, j, r), value[r]);
    return energy;
}

/* One joint, after bodies have moved: 0 its error, 1 residual, 2 whether it has broken in this
 * step, 3 work, 4 what the energy of its springs gained, 5 redundant rows, 6 that energy,
 * 7 what arrests took. Where it
 * holds something, its assembly has left its values, and its angles, which count on. */
TL_KERNEL void tlk_joint_audit(const tlk_joints *g, uint32_t i, double *acc)
{
    const tlk_joint *j = g->joint + i;
    const double *value = g->value + j->first;
    TLK_ASK(&g->next[i + TLK_AHEAD].spring);
    TLK_ASK(&g->last[i + TLK_AHEAD].spring);
    TLK_ASK(g->joint + i + TLK_AHEAD);
    TLK_ASK(g->joint[i + TLK_AHEAD].row);
    const double energy = tlk_joint_energy(g, j, value);
    acc[0] = tlk_max(acc[0], tlk_joint_error(g, j, value));
    acc[1] = tlk_max(acc[1], g->account[i].residual);
    acc[2] += g->next[i].broken && !g->last[i].broken ? 1 : 0;
    acc[3] += g->account[i].work;
    acc[4] += energy - g->last[i].spring;
    acc[5] += g->account[i].redundant;
    acc[6] += energy;
    acc[7] += g->account[i].lost;
    g->next[i].spring = energy;
    if (j->coupled[0] != TLK_NONE || (j->rows && !j->broken))
        return;
    tlk_frames f;
    tlk_frames_of(g->pos, g->quat, j, &f);
    tlk_joint_count_turns(g, i, &f);
}

/* One joint, after an assembly from anywhere: what its springs hold is what steps begin with. */
TL_KERNEL void tlk_joint_wound(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    double value[TLK_JOINT_ROWS];
    tlk_frames f;
    tlk_frames_of(g->pos, g->quat, j, &f);
    for (uint32_t r = 0; r < j->rows; r++)
        value[r] = tlk_row_value(g, g->pos, g->quat, i, &f, r);
    g->next[i].spring = tlk_joint_energy(g, j, value);
}

/* What the motors of an axis of a joint did in the step, J. */
TL_NARROW double tlk_joint_worked(const tlk_joints *g, const tlk_joint *j, uint32_t axis)
{
    double sum = 0;
    for (uint32_t r = 0; r < j->rows; r++)
        if (j->axis[r] != TLK_NONE && (j->row[r] < 6 ? j->row[r] : 0) == axis)
            sum += g->worked[j->first + r];
    return sum;
}

/* What the k-th coordinate of a joint is, as it is told: the first of a distance is that. */
TL_KERNEL uint32_t tlk_reading_row(const tlk_joint *j, uint32_t k)
{
    return k == 0 && j->rows == 1 && j->row[0] == TLK_ROW_DISTANCE ? TLK_ROW_DISTANCE : k;
}

/* One joint: how it is doing. */
TL_KERNEL void tlk_joint_read(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    tlk_joint_reading *out = g->reading + i;
    tlk_frames f;
    double rate[2][6];
    tlk_frames_of(g->pos, g->quat, j, &f);
    for (int k = 0; k < 3; k++) {
        out->force[k] = g->last[i].reaction[k];
        out->torque[k] = g->last[i].reaction[3 + k];
    }
    for (uint32_t k = 0; k < 3; k++) {
        out->local_force[k] = tlk_dotd(f.axis[0][k], out->force);
        out->local_torque[k] = tlk_dotd(f.axis[0][k], out->torque);
    }
    /* each number is written once: GCC 12 splits this loop so that zeros come last */
    for (uint32_t k = 0; k < 6; k++) {
        const bool own = j->coupled[0] == TLK_NONE;
        const uint32_t row = tlk_reading_row(j, k);
        double sum = 0;
        if (own)
            tlk_own_rate(j, &f, row, rate);
        for (int s = 0; s < 2 && own; s++) {
            if (j->side[s] == TLK_NONE)
                continue;
            const real *v = g->motion.bodies.vel + 8 * (size_t)j->body[j->side[s]];
            for (int c = 0; c < 3; c++)
                sum += rate[s][c] * (double)v[c] + rate[s][3 + c] * (double)v[4 + c];
        }
        out->motor[k] = g->last[i].motor[k];
        out->value[k] = own ? tlk_own_value(j, &f, row, g->last[i].angle) : 0;
        out->rate[k] = sum;
        out->worked[k] = tlk_joint_worked(g, j, k);
    }
    double value[TLK_JOINT_ROWS];
    for (uint32_t r = 0; r < j->rows; r++)
        value[r] = tlk_row_value(g, g->pos, g->quat, i, &f, r);
    out->error = tlk_joint_error(g, j, value);
    out->residual = g->account[i].residual;
    out->broken = g->last[i].broken;
}

#endif
