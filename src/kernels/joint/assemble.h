/* Assembly: poses of bodies projected onto joints, after a step or from anywhere. Included by
 * kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_ASSEMBLE_H
#define TL_KERNELS_JOINT_ASSEMBLE_H

#define TLK_ROUNDING 4e-15 /* of coordinates: what errors of lengths come to by rounding alone */
#define TLK_FAR_PART \
    0.02 /* of the longest way of a body: a pass that moves one further goes far, */
#define TLK_FAR_SIZE 1e-7 /* if that is this part of the articulation's size, too */

/* Errors that the passes of an assembly which went far may end with, of the size: */
#define TLK_FED_ERROR  3e-7
#define TLK_FED_PASSES 3u   /* after so many, */
#define TLK_FED_LATER  1e-6 /* and these */
#define TLK_FED_LATE   6u   /* after so many; */
#define TLK_FED_MOST   20u  /* there are no more than these */

/* How large a joint is: the square of its longest lever, or of its length. And how far from the
 * origin. */
TL_KERNEL double tlk_joint_lever(const tlk_joint *j, const tlk_frames *f, double *far)
{
    double most = 0;
    for (int s = 0; s < 2; s++) {
        double anchor[3];
        for (int k = 0; k < 3; k++) {
            anchor[k] = f->at[s][k] - f->centre[s][k];
            *far = tlk_max(*far, fabs(f->at[s][k]));
        }
        if (j->side[s] != TLK_NONE)
            most = tlk_max(most, tlk_dotd(anchor, anchor));
    }
    if (j->row[0] == TLK_ROW_DISTANCE && j->axis[0] == TLK_NONE)
        most = tlk_max(most, j->zero[0] * j->zero[0]);
    return most;
}

/* The largest radius of gyration of a body: the square. */
TL_KERNEL double tlk_body_gyration(const double *inertia)
{
    return tlk_max(tlk_max(inertia[0], inertia[1]), inertia[2]) / inertia[3];
}

/* The errors of an articulation's rows at the present poses: its right-hand side, the worst length
 * and the worst angle, but for what is rounding; and at first how large it is, the square. */
TL_NARROW void tlk_stage_errors(const tlk_joints *g, const tlk_articulation *a,
                                tlk_articulated *how, tlk_team team)
{
    double worst[2] = {0, 0}, size = 0;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const uint32_t body = g->node_body[k];
        for (int c = 0; c < 6 && body != TLK_NONE; c++)
            g->x[g->node[k].vector + c] = 0;
        if (body != TLK_NONE && how->arrest == 1)
            tlk_arrest_side(g, body, g->x + g->node[k].vector);
        if (body != TLK_NONE && !how->pass)
            size = tlk_max(size, tlk_body_gyration(g->motion.bodies.inertia + 4 * (size_t)body));
    }
    TLK_LANE_SHARE_AFTER(k, a->joint, a->joint_end, a->node_end - a->node, team)
    {
        const uint32_t i = g->list[k];
        const tlk_joint *j = g->joint + i;
        tlk_frames f;
        double far = 0;
        tlk_frames_of(g->pos, g->quat, j, &f);
        size = tlk_max(size, tlk_joint_lever(j, &f, &far));
        for (uint32_t r = 0; r < j->rows; r++) {
            const double value = tlk_row_value(g, g->pos, g->quat, i, &f, r);
            const uint32_t of = j->row[r] == TLK_ROW_COUPLED ? j->coordinate[1] : j->row[r];
            const int angle = of >= 3 && of <= 5;
            double error;
            if (!tlk_row_error(g, j, r, value, g->fresh, &error) || j->broken)
                error = 0;
            if (angle || !(fabs(error) <= TLK_ROUNDING * far))
                worst[angle] = tlk_most(worst[angle], fabs(error));
            g->x[j->vector + r] = -error;
            g->value[j->first + r] = value;
        }
        if (j->coupled[0] == TLK_NONE)
            tlk_joint_count_turns(g, i, &f);
    }
    tlk_team_most(how, 0, worst[0], team);
    tlk_team_most(how, 1, worst[1], team);
    tlk_team_most(how, 2, size, team);
}

/* The most that a pass lengthens a rod by, beyond what is linear: half the square of how far it
 * moves the rod's ends past each other, over its length. */
TL_NARROW double tlk_rods_bent(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    double most = 0;
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const tlk_joint *j = g->joint + g->list[k];
        double past[3] = {0, 0, 0};
        if (j->row[0] != TLK_ROW_DISTANCE || j->axis[0] != TLK_NONE || !(j->zero[0] > 0))
            continue;
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t c = 0; c < 3 && j->side[s] != TLK_NONE; c++)
                if (j->node[j->side[s]] != TLK_NONE)
                    past[c] += (s ? 1.0 : -1.0) * g->x[j->node[j->side[s]] + c];
        most = tlk_most(most, 0.5 * tlk_dotd(past, past) / j->zero[0]);
    }
    return most;
}

/* How far what was solved turns bodies, at most: the square. With rods, also how far it moves them,
 * and how fast they are. */
TL_NARROW void tlk_stage_measure(const tlk_joints *g, const tlk_articulation *a,
                                 tlk_articulated *how, tlk_team team)
{
    const bool looks = a->rods && !g->fresh;
    double most = 0, furthest = 0, speed = 0;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const uint32_t i = g->node_body[k];
        const double *x = g->x + g->node[k].vector;
        if (i == TLK_NONE)
            continue;
        most = tlk_most(most, tlk_dotd(x + 3, x + 3));
        if (!looks)
            continue;
        const real *v = g->motion.vel + 8 * (size_t)i;
        const double u[3] = {v[0], v[1], v[2]};
        furthest = tlk_most(furthest, tlk_dotd(x, x));
        speed = tlk_most(speed, tlk_dotd(u, u));
    }
    tlk_team_most(how, 0, most, team);
    if (looks && how->fed) {
        furthest = tlk_rods_bent(g, a, team);
        speed = 0;
    }
    if (looks) {
        tlk_team_most(how, 1, furthest, team);
        tlk_team_most(how, 2, speed, team);
    }
}

/* Moves bodies by what was solved, or part of it. */
TL_NARROW void tlk_stage_move(const tlk_joints *g, const tlk_articulation *a,
                              const tlk_articulated *how, tlk_team team)
{
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        if (g->node_body[k] == TLK_NONE)
            continue;
        const size_t i = 4 * (size_t)g->node_body[k];
        const double *x = g->x + g->node[k].vector;
        bool near = true; /* what cannot be closed is not torn out of reach */
        for (int c = 0; c < 3; c++)
            near = near && fabs(g->pos[i + c] + how->part * x[c]) < TLK_FAR;
        for (int c = 0; c < 3 && how->fed == 1; c++)
            g->next_pos[i + c] = g->next_quat[i + c] = 0;
        if (!near)
            continue;
        for (int c = 0; c < 3; c++)
            g->pos[i + c] += how->part * x[c];
        tlk_turn_body(how->part, x + 3, g->quat + i);
        for (int c = 0; c < 3 && (how->arrest || how->fed); c++) {
            g->next_pos[i + c] += how->part * x[c];
            g->next_quat[i + c] += how->part * x[3 + c];
        }
    }
}

/* How far an assembly turned a body, m, at its largest radius of gyration. */
TL_NARROW double tlk_turned_by(const tlk_joints *g, size_t i)
{
    const double *from = g->motion.bodies.quat + 4 * i, *to = g->quat + 4 * i;
    double across[3], turn[3]; /* the axis, by the sine of half the angle */
    tlk_crossd(from + 1, to + 1, across);
    for (int c = 0; c < 3; c++)
        turn[c] = from[0] * to[1 + c] - to[0] * from[1 + c] - across[c];
    return 2 * sqrt(tlk_dotd(turn, turn) * tlk_body_gyration(g->motion.bodies.inertia + 4 * i));
}

/* The furthest that a new assembly moved a body, or turned it. */
TL_NARROW void tlk_stage_furthest(const tlk_joints *g, const tlk_articulation *a,
                                  tlk_articulated *how, tlk_team team)
{
    double furthest = 0;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const size_t at = 4 * (size_t)g->node_body[k];
        if (g->node_body[k] == TLK_NONE)
            continue;
        for (int c = 0; c < 3; c++)
            furthest = tlk_most(furthest, fabs(g->pos[at + c] - g->motion.bodies.pos[at + c]));
        furthest = tlk_most(furthest, tlk_turned_by(g, at / 4));
    }
    tlk_team_most(how, 0, furthest, team);
}

/* Whether a pass moves bodies by a notable part of the ways that they went. */
TL_KERNEL bool tlk_moves_far(const tlk_joints *g, tlk_articulated *how)
{
    const double furthest = tlk_team_take(how, 1);
    const double way = g->motion.h * g->motion.h * tlk_team_take(how, 2);
    const double least = TLK_FAR_SIZE * how->size;
    return furthest > TLK_FAR_PART * TLK_FAR_PART * way && furthest > least * least;
}

/* Whether passes may end: they close slowly what has nearly a double root. */
TL_KERNEL bool tlk_closed_enough(const tlk_articulated *how)
{
    const double most = how->pass < TLK_FED_LATE ? TLK_FED_ERROR : TLK_FED_LATER;
    return how->fed && how->pass >= TLK_FED_PASSES &&
           (how->error <= most || how->pass >= TLK_FED_MOST);
}

TL_KERNEL void tlk_joint_assemble_begin(const tlk_joints *g, uint32_t i)
{
    tlk_articulated *how = g->how + i;
    how->pass = 0;
    how->most[0] = how->most[1] = how->most[2] = 0;
    how->before = TLK_ENDLESS;
    how->arrest = how->last = how->fed = 0;
    how->renew = !how->factored || g->fresh || how->left;
    how->stage = TLK_STAGE_SIDES;
    g->moved[i] = 0;
}

TL_KERNEL void tlk_joint_assemble_turn(const tlk_joints *g, uint32_t i, tlk_team team)
{
    const tlk_articulation a = g->articulation[i];
    tlk_articulated *how = g->how + i;
    switch (team.stage) {
    case TLK_STAGE_SIDES: tlk_stage_errors(g, &a, how, team); break;
    case TLK_STAGE_LINES: {
        TLK_LANE_SHARE(k, a.joint, a.joint_end, team)
        tlk_joint_lines(g, g->list[k]);
        break;
    }
    case TLK_STAGE_MEASURE:
        tlk_stage_measure(g, &a, how, team);
        if (how->arrest == 1)
            tlk_stage_noted(g, &a, team);
        break;
    case TLK_STAGE_BACK: tlk_stage_back(g, &a, how->fed == 2, team); break;
    case TLK_STAGE_ARREST: tlk_stage_arrest(g, &a, how, team); break;
    case TLK_STAGE_SETTLE: tlk_stage_settle(g, &a, how, team); break;
    case TLK_STAGE_SUM: tlk_stage_sum(g, &a, team); break;
    case TLK_STAGE_MOVE:
        tlk_stage_move(g, &a, how, team);
        if (how->fed && !how->arrest)
            tlk_stage_added(g, &a, how, team);
        break;
    case TLK_STAGE_FURTHEST: tlk_stage_furthest(g, &a, how, team); break;
    default: tlk_stage_solve(g, &a, how, team, true); break;
    }
}

/* A pass is solved, and measured: whether and how far bodies move by it. No further than half a
 * radian. After a step, where light bodies would turn that far and never get there, the step is
 * made again (kernels/joint/arrest.h). Where rods would move bodies far, they do so by new factors,
 * and velocities follow; errors are the least at the part of the pass that is taken then. */
TL_KERNEL void tlk_assembly_measured(const tlk_joints *g, const tlk_articulation *a,
                                     tlk_articulated *how)
{
    const double most = tlk_team_take(how, 0), error = how->error * how->size;
    const double bent = how->fed && !how->arrest ? tlk_team_take(how, 1) : 0;
    const bool far = a->rods && !g->fresh && tlk_moves_far(g, how) && !how->arrest;
    if (far && !how->renew) {
        how->renew = 1;
        how->stage = TLK_STAGE_SIDES;
        return;
    }
    if (far && !how->fed)
        how->fed = 1;
    const bool stuck = !how->fed && how->pass >= TLK_ARREST_AFTER && how->error > TLK_ARREST_ERROR;
    if (!g->fresh && !how->arrest && (most > 0.25 || stuck)) {
        how->stage = TLK_STAGE_BACK;
        return;
    }
    how->part = most > 0.25 ? 0.5 / sqrt(most) : 1;
    if (2 * bent > error)
        how->part = tlk_min(how->part, 0.5 * error / bent);
    how->stage = TLK_STAGE_MOVE;
    if (how->arrest == 1 &&
        (most <= TLK_ARREST_NEAR * TLK_ARREST_NEAR || how->pass == TLK_ARREST_PASSES))
        how->last = 1;
}

/* Which stage is next; false: there is none. Factors that there are do while each pass helps
 * tenfold, then come new ones. */
TL_KERNEL bool tlk_joint_assemble_next(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    tlk_articulated *how = g->how + i;
    switch (how->stage) {
    case TLK_STAGE_SIDES: {
        const double size = sqrt(tlk_team_take(how, 2));
        const double length = tlk_team_take(how, 0), angle = tlk_team_take(how, 1);
        if (!how->pass)
            how->size = size > 0 ? tlk_min(size, 1.0) : 1;
        how->error = tlk_most(angle, length / how->size);
        if (how->arrest == 1) {
            how->stage = TLK_STAGE_LINES;
            break;
        }
        if (how->error <= g->close || how->pass == g->passes || tlk_closed_enough(how)) {
            how->stage = g->fresh                  ? TLK_STAGE_FURTHEST
                         : how->arrest || how->fed ? TLK_STAGE_ARREST
                                                   : TLK_STAGE_END;
            break;
        }
        how->renew = how->renew || !(how->error < 0.1 * how->before);
        how->before = how->error;
        if (how->renew)
            how->stage = TLK_STAGE_LINES;
        else
            tlk_stage_substitute(&a, how);
        break;
    }
    case TLK_STAGE_LINES: how->stage = TLK_STAGE_BODIES; break;
    case TLK_STAGE_MEASURE: tlk_assembly_measured(g, &a, how); break;
    case TLK_STAGE_BACK:
        how->arrest = 1;
        how->pass = how->fed = 0;
        how->stage = TLK_STAGE_SIDES;
        break;
    case TLK_STAGE_ARREST: how->stage = TLK_STAGE_SUM; break;
    case TLK_STAGE_SUM: tlk_arrest_summed(g, &a, how); break;
    case TLK_STAGE_SETTLE: how->stage = TLK_STAGE_END; break;
    case TLK_STAGE_MOVE:
        how->pass++;
        how->fed = how->fed ? 2 : 0;
        how->stage = TLK_STAGE_SIDES;
        if (how->last) { /* joints alone from now on */
            how->last = how->pass = 0;
            how->arrest = 2;
            how->before = TLK_ENDLESS;
        }
        break;
    case TLK_STAGE_FURTHEST:
        g->moved[i] = tlk_team_take(how, 0);
        how->stage = TLK_STAGE_END;
        break;
    default:
        tlk_stage_after(&a, how, TLK_STAGE_FORWARD, TLK_STAGE_MEASURE);
        if (how->stage == TLK_STAGE_FORWARD && how->level == a.level_end - a.level)
            tlk_stage_substitute(&a, how);
        break;
    }
    return how->stage != TLK_STAGE_END;
}

/* One articulation, by one lane: its poses are projected onto its joints. */
TL_KERNEL void tlk_joint_assemble(const tlk_joints *g, uint32_t i)
{
    const tlk_articulated *how = g->how + i;
    tlk_joint_assemble_begin(g, i);
    do
        tlk_joint_assemble_turn(g, i, (tlk_team){0, 1, how->stage, how->level});
    while (tlk_joint_assemble_next(g, i));
}

#endif
