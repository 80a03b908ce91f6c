/* Projection: velocities of an articulation onto its joints, by impulses of these. Included by
 * kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_PROJECT_H
#define TL_KERNELS_JOINT_PROJECT_H

#define TLK_CHUNK     32u  /* nodes, or sums of so many, whose sum is one item */
#define TLK_AMPLIFIED 30   /* times what rows ask for: velocities that they do not ask for so, */
#define TLK_NOTICED   1e-3 /* where it is that of the largest that there are */

/* What a row that is not held has in the factors' place: the change of its impulse. */
TL_KERNEL double tlk_joint_change(const tlk_joints *g, const tlk_joint *j, uint32_t at)
{
    const tlk_law *law = g->law + at;
    const double base = j->broken ? 0 : tlk_law_base(law, law->state / 2, TLK_NONE);
    return base - g->lambda[at];
}

/* Whether rows hold what they hold at rest, and the others do nothing. */
TL_KERNEL bool tlk_joint_plain(const tlk_joints *g)
{
    return g->positions || g->mode == TLK_PROJECT_CHANGES;
}

/* The right-hand side of rows `first`, TLK_ROWS_AT_ONCE further and so on of a joint at the present
 * velocities. Returns the largest. `sift`: with what a solution has attained in place of what it
 * was to; the rest of it no row can have, as redundant ones contradict each other by rounding and
 * by what joints are off. */
TL_NARROW double tlk_joint_sides(const tlk_joints *g, uint32_t i, uint32_t first, bool sift)
{
    const tlk_joint *j = g->joint + i;
    double worst = 0;
    for (uint32_t r = first; r < j->rows; r += TLK_ROWS_AT_ONCE) {
        const uint32_t at = j->first + r;
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const int part = g->part[at];
        double side = 0;
        if (part != TLK_ROW_OFF) {
            side = -tlk_joint_rate(j, row, g->vel);
            if (!tlk_joint_plain(g)) {
                side -= tlk_joint_bent(g, j, at);
                if (part == TLK_ROW_HARD)
                    side += g->aim[at];
                else
                    side += tlk_joint_change(g, j, at) / g->law[at].slope;
            }
            worst = tlk_most(worst, fabs(side));
            if (sift && part == TLK_ROW_HARD)
                side += g->soft[at] * g->x[j->vector + r];
        } else if (!tlk_joint_plain(g)) {
            worst = tlk_most(worst, fabs(tlk_joint_change(g, j, at)) * g->base[at] / g->softness);
        }
        g->x[j->vector + r] = side;
    }
    return worst;
}

/* That of a body: what rows that are not held push it by. */
TL_NARROW void tlk_body_sides(const tlk_joints *g, const tlk_node *node, bool bounded)
{
    double *x = g->x + node->vector;
    for (int k = 0; k < 6; k++)
        x[k] = 0;
    for (uint32_t l = node->attached; l < node->attached_end && bounded; l++) {
        const tlk_joint *j = g->joint + g->attached[l].joint;
        for (uint32_t r = 0; r < j->rows; r++) {
            const uint32_t at = j->first + r;
            if (g->part[at] != TLK_ROW_OFF)
                continue;
            const double change = tlk_joint_change(g, j, at);
            const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
            for (int k = 0; k < 6; k++)
                x[k] += row[6 * g->attached[l].place + k] * change;
        }
    }
}

/* m/s: how fast a body is, roughly. */
TL_KERNEL double tlk_body_speed(const real *v, double most)
{
    for (int c = 0; c < 3; c++)
        most = tlk_most(most, fabs((double)v[c]) + fabs((double)v[4 + c]));
    return most;
}

/* A lane's right-hand sides; the largest of them, and how fast bodies are. */
TL_NARROW void tlk_lane_sides(const tlk_joints *g, const tlk_articulation *a, tlk_team team,
                              bool sift, double *worst, double *speed)
{
    *worst = *speed = 0;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        if (g->node_body[k] == TLK_NONE)
            continue;
        tlk_body_sides(g, g->node + k, a->bounded && !tlk_joint_plain(g));
        *speed = tlk_body_speed(g->vel + 8 * (size_t)g->node_body[k], *speed);
    }
    TLK_LANE_SHARE_AFTER(k, TLK_ROWS_AT_ONCE * a->joint, TLK_ROWS_AT_ONCE * a->joint_end,
                         a->node_end - a->node, team)
    {
        tlk_ask_joint(g, k, a->joint_end, true);
        *worst = tlk_most(
            *worst, tlk_joint_sides(g, g->list[k / TLK_ROWS_AT_ONCE], k % TLK_ROWS_AT_ONCE, sift));
    }
}

TL_NARROW void tlk_stage_sides(const tlk_joints *g, const tlk_articulation *a, tlk_articulated *how,
                               tlk_team team)
{
    double worst, speed;
    tlk_lane_sides(g, a, team, team.stage == TLK_STAGE_SIFT, &worst, &speed);
    tlk_team_most(how, 0, worst, team);
    tlk_team_most(how, 1, speed, team);
}

/* How much of the velocities is what was solved: the largest of both, squares. */
TL_NARROW void tlk_stage_check(const tlk_joints *g, const tlk_articulation *a, tlk_articulated *how,
                               tlk_team team)
{
    double most = 0, speed = 0;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const double *x = g->x + g->node[k].vector;
        if (g->node_body[k] == TLK_NONE)
            continue;
        const real *v = g->vel + 8 * (size_t)g->node_body[k];
        const double u[3] = {v[0], v[1], v[2]};
        most = tlk_most(most, tlk_dotd(x, x));
        speed = tlk_most(speed, tlk_dotd(u, u));
    }
    tlk_team_most(how, 0, most, team);
    tlk_team_most(how, 1, speed, team);
}

/* What was solved comes to rows. */
TL_NARROW void tlk_stage_impulses(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    if (g->positions || g->mode >= TLK_PROJECT_NOTHING)
        return;
    TLK_LANE_SHARE_AFTER(k, TLK_ROWS_AT_ONCE * a->joint, TLK_ROWS_AT_ONCE * a->joint_end,
                         a->node_end - a->node, team)
    {
        const tlk_joint *j = g->joint + g->list[k / TLK_ROWS_AT_ONCE];
        tlk_ask_joint(g, k, a->joint_end, false);
        for (uint32_t r = k % TLK_ROWS_AT_ONCE; r < j->rows; r += TLK_ROWS_AT_ONCE) {
            const uint32_t at = j->first + r;
            if (g->part[at] == TLK_ROW_OFF)
                g->lambda[at] += tlk_joint_change(g, j, at);
            else
                g->lambda[at] -= g->x[j->vector + r];
        }
    }
}

/* And to bodies. */
TL_NARROW void tlk_stage_apply(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        if (g->node_body[k] == TLK_NONE)
            continue;
        real *v = g->vel + 8 * (size_t)g->node_body[k];
        const double *x = g->x + g->node[k].vector;
        for (int c = 0; c < 3; c++) {
            v[c] = (real)((double)v[c] + x[c]);
            v[4 + c] = (real)((double)v[4 + c] + x[3 + c]);
        }
    }
    tlk_stage_impulses(g, a, team);
}

/* Whether the springs of a row are to have another law, which they have from now on: those with
 * tables in the first half of a smooth step. */
TL_NARROW bool tlk_row_follow(const tlk_joints *g, const tlk_joint *j, uint32_t r, double rate)
{
    const uint32_t at = j->first + r;
    const double kick = tlk_joint_kick(g, j);
    if (j->axis[r] == TLK_NONE || g->motion.end || !(kick < g->motion.h))
        return false;
    const tlk_joint_axis *a = g->axis + j->axis[r];
    if (!a->length)
        return false;
    const double besides = a->drive == 3 ? kick * tlk_joint_target(g, j->axis[r]) : 0;
    const double mobility = tlk_law_holds(g->law + at) ? 0 : g->base[at] / g->softness;
    return tlk_axis_follow(g->numbers, a, g->motion.h, kick, g->value[at], rate, mobility, besides,
                           g->law + at);
}

/* Whether rows are to change their states, which they do: all of them at first, then one. */
TL_NARROW void tlk_stage_states(const tlk_joints *g, const tlk_articulation *a,
                                tlk_articulated *how, tlk_team team)
{
    const bool every = how->changes < TLK_JOINT_EVERY;
    const tlk_team who = {every ? team.lane : 0, every ? team.lanes : 1, team.stage, team.level};
    bool moved = false;
    if (!every && team.lane)
        return;
    TLK_LANE_SHARE(k, a->joint, a->joint_end, who)
    {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows && j->bounded && !j->broken; r++) {
            const uint32_t at = j->first + r;
            if (tlk_row_locked(g, j, r))
                continue;
            const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
            const double rate = tlk_joint_rate(j, row, g->vel) + tlk_joint_bent(g, j, at);
            if ((every || !moved) && tlk_law_move(g->law + at, rate, g->lambda[at]))
                moved = true;
            else if (tlk_row_follow(g, j, r, rate))
                moved = true;
        }
    }
    if (moved)
        tlk_atomic_or32(&how->moved, 1);
}

/* Where a joint pulls much harder than it did, it does so from now on in this step, with new
 * factors. Returns whether it does. */
TL_NARROW bool tlk_joint_tighten(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    const double h = g->motion.h;
    bool loose = false;
    for (uint32_t b = 0; b < j->bodies; b++) {
        const size_t at = TLK_JOINT_BODIES * (size_t)i + b;
        double f[3] = {0, 0, 0}, u[3], product;
        if (j->node[b] == TLK_NONE)
            continue;
        for (uint32_t r = 0; r < j->rows; r++)
            for (int c = 0; c < 3; c++)
                f[c] += g->jacobian[j->jacobian + (size_t)r * 6 * j->bodies + 6 * b + c] *
                        g->lambda[j->first + r];
        for (int c = 0; c < 3; c++)
            f[c] = f[c] / tlk_joint_kick(g, j);
        const double *pull = g->pull + TLK_PULL * at, *anchor = g->anchor + 3 * at;
        const double old = h * h * tlk_taut_stiffness(pull, anchor, u, &product);
        if (!(0.5 * h * h * tlk_taut_stiffness(f, anchor, u, &product) > old) ||
            !(tlk_taut_excess(g, i, b, f) > old))
            continue;
        tlk_taut_set(g, i, b, f);
        loose = true;
    }
    if (loose)
        g->account[i].taut = tlk_taut_stored(g, i, g->motion.free);
    return loose;
}

TL_NARROW void tlk_stage_tighten(const tlk_joints *g, const tlk_articulation *a,
                                 tlk_articulated *how, tlk_team team)
{
    bool loose = false;
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        tlk_ask_joint(g, k, a->joint_end, true);
        loose = tlk_joint_tighten(g, g->list[k]) || loose;
    }
    if (loose)
        tlk_atomic_or32(&how->loose, 1);
}

/* What joints of a node have added or may, less what they are allowed; and how fast it turns. */
TL_KERNEL double tlk_weigh_node(const tlk_joints *g, uint32_t k, double *spin)
{
    const uint32_t body = g->node_body[k];
    if (body == TLK_NONE) {
        const uint32_t i = g->node[k].joint;
        return TLK_TAUT / TLK_GAIN * g->last[i].gained + g->account[i].taut;
    }
    const real *v = g->vel + 8 * (size_t)body, *guess = g->motion.vel + 8 * (size_t)body;
    const double u[6] = {v[0], v[1], v[2], v[4], v[5], v[6]};
    const double w[3] = {guess[4], guess[5], guess[6]};
    *spin = tlk_most(*spin, tlk_most(tlk_dotd(u + 3, u + 3), tlk_dotd(w, w)));
    return -(0.5 * TLK_TAUT * tlk_body_product(&g->motion.bodies, body, u, u));
}

/* Whether joints bend the ways of bodies, and whether inertia that bodies do not have is that:
 * neither where that has added energy or may, as bends do when bodies turn far in a step or are
 * thrown about, and such inertia where it comes to bodies that spin. Then both take some instead.
 * What they have added or may, less what they are allowed, is left in the first number of each
 * chunk of nodes. And how fast bodies turn: the square. */
TL_NARROW void tlk_stage_weigh(const tlk_joints *g, const tlk_articulation *a, tlk_articulated *how,
                               tlk_team team)
{
    double spin = 0;
    TLK_LANE_SHARE(c, 0, (a->node_end - a->node + TLK_CHUNK - 1) / TLK_CHUNK, team)
    {
        const uint32_t first = a->node + TLK_CHUNK * c;
        const uint32_t end = tlk_min(first + TLK_CHUNK, a->node_end);
        double beyond = 0;
        for (uint32_t k = first; k < end; k++)
            beyond += tlk_weigh_node(g, k, &spin);
        g->x[g->node[first].vector] = beyond;
    }
    tlk_team_most(how, 0, spin, team);
}

/* The step begins anew, with velocities as if nothing were stored by inertia that bodies do not
 * have: it resists them as in an implicit step, and takes energy. */
TL_NARROW void tlk_stage_damp(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const uint32_t i = g->node_body[k];
        double block[36] = {0}, p[6] = {0};
        if (i == TLK_NONE)
            continue;
        real *v = g->vel + 8 * (size_t)i;
        const real *from = g->motion.free + 8 * (size_t)i;
        tlk_body_block(g, i, block);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                p[3 + r] += block[6 * (3 + r) + 3 + c] * (double)from[4 + c];
        for (int c = 0; c < 3; c++) {
            v[c] = from[c];
            v[4 + c] = from[4 + c];
        }
        if (!tlk_body_blocks(g, g->node + k, i, false, false, block))
            continue;
        tlk_factor_own(block, 6, 3, 0, false);
        tlk_solve_lower(block, 6, 3, p);
        for (uint32_t c = 3; c < 6; c++)
            p[c] = p[c] * block[7 * c];
        tlk_solve_upper(block, 6, 3, p);
        for (int c = 0; c < 3; c++)
            v[4 + c] = (real)p[3 + c];
    }
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows; r++)
            g->lambda[j->first + r] = 0;
    }
}

/* The sums of chunks, a chunk of them at a time. */
TL_NARROW void tlk_stage_sum(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    const uint32_t many = TLK_CHUNK * TLK_CHUNK;
    TLK_LANE_SHARE(c, 0, (a->node_end - a->node + many - 1) / many, team)
    {
        const uint32_t first = a->node + many * c;
        const uint32_t end = tlk_min(first + many, a->node_end);
        double sum = 0;
        for (uint32_t k = first; k < end; k += TLK_CHUNK)
            sum += g->x[g->node[k].vector];
        g->x[g->node[first].vector] = sum;
    }
}

/* The blocks of a node: all zero, but for those of bodies. */
TL_KERNEL void tlk_node_blocks(const tlk_joints *g, const tlk_articulation *a, uint32_t k,
                               bool fresh, bool arrest)
{
    const uint32_t end = k + 1 < a->node_end ? g->node[k + 1].block : a->block_end;
    bool taut = false;
    for (uint32_t c = g->node[k].block; c < end; c++)
        g->block[c] = 0;
    if (g->node_body[k] != TLK_NONE)
        taut = tlk_body_blocks(g, g->node + k, g->node_body[k], fresh, arrest,
                               g->block + g->node[k].block);
    if (taut && !fresh && g->inverse) /* contacts have the same inertia */
        tlk_block_inverse(g->block + g->node[k].block, g->inverse + 8 * (size_t)g->node_body[k]);
}

/* The matrix of an articulation: the blocks of nodes; those of joints come next. */
TL_NARROW void tlk_stage_bodies(const tlk_joints *g, const tlk_articulation *a, tlk_team team,
                                bool fresh, bool arrest)
{
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    tlk_node_blocks(g, a, k, fresh, arrest);
}

TL_NARROW void tlk_stage_joints(const tlk_joints *g, const tlk_articulation *a, tlk_team team,
                                bool fresh)
{
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    tlk_joint_blocks(g, g->list[k], fresh);
}

/* One stage of a projection, or of an assembly, that both have. */
TL_NARROW void tlk_stage_solve(const tlk_joints *g, const tlk_articulation *a,
                               const tlk_articulated *how, tlk_team team, bool fresh)
{
    switch (team.stage) {
    case TLK_STAGE_BODIES: tlk_stage_bodies(g, a, team, fresh, fresh && how->arrest); break;
    case TLK_STAGE_JOINTS: tlk_stage_joints(g, a, team, fresh); break;
    case TLK_STAGE_FACTOR: tlk_factor_level(g, a, team.level, team, !fresh && !g->positions); break;
    case TLK_STAGE_FORWARD: tlk_forward_level(g, a, team.level, team); break;
    case TLK_STAGE_BACKWARD: tlk_backward_level(g, a, team.level, team); break;
    default: break;
    }
}

/* What comes after a stage of those; `factored` and `solved` are what comes after all levels. */
TL_NARROW void tlk_stage_after(const tlk_articulation *a, tlk_articulated *how, uint32_t factored,
                               uint32_t solved)
{
    const uint32_t levels = a->level_end - a->level;
    switch (how->stage) {
    case TLK_STAGE_BODIES: how->stage = TLK_STAGE_JOINTS; break;
    case TLK_STAGE_JOINTS:
        how->redundant = 0;
        how->stage = TLK_STAGE_FACTOR;
        how->level = 0;
        break;
    case TLK_STAGE_FACTOR:
        if (++how->level == levels)
            how->stage = factored;
        break;
    case TLK_STAGE_FORWARD:
        if (++how->level == levels) {
            how->stage = TLK_STAGE_BACKWARD;
            how->level = levels - 1;
        }
        break;
    case TLK_STAGE_BACKWARD:
        if (how->level-- == 0)
            how->stage = solved;
        break;
    default: break;
    }
}

/* Substitution begins: only where rows are not held does it have something to do at bodies that
 * come first, which are all of the first level. */
TL_KERNEL void tlk_stage_substitute(const tlk_articulation *a, tlk_articulated *how)
{
    how->stage = TLK_STAGE_FORWARD;
    how->level = a->bounded || how->arrest == 1 ? 0 : 1;
}

/* A projection goes on with the right-hand side; first with factors where there are none. */
TL_KERNEL void tlk_project_again(const tlk_joints *g, const tlk_articulation *a,
                                 tlk_articulated *how)
{
    const uint32_t wanted = g->positions ? 2 : 1;
    const bool there = how->factored == wanted || (how->factored && !a->bounded);
    how->stage = there ? TLK_STAGE_SIDES : TLK_STAGE_BODIES;
    how->factored = wanted;
}

/* A pass is done. */
TL_KERNEL void tlk_project_passed(const tlk_joints *g, const tlk_articulation *a,
                                  tlk_articulated *how, bool moved)
{
    how->pass++;
    if (how->pass >= g->passes || (g->rough && g->look + 1 != how->looks && !moved))
        how->stage = TLK_STAGE_END;
    else
        tlk_project_again(g, a, how);
}

/* Whether a solution is to be had again, sifted: where rows are redundant, and impulses are kept.
 */
TL_KERNEL bool tlk_project_sifts(const tlk_joints *g, const tlk_articulation *a,
                                 const tlk_articulated *how)
{
    return how->redundant && !how->left && !how->sifted && !g->positions &&
           g->mode < TLK_PROJECT_NOTHING && (!g->sweeping || a->bounded);
}

/* What comes after a solution. Where rows are redundant and ways have just been bent, a look at
 * what that does (docs/theory.md, "Straight threads"). */
TL_KERNEL uint32_t tlk_project_solved(const tlk_joints *g, const tlk_articulation *a,
                                      const tlk_articulated *how)
{
    if (a->rods && g->rough && how->redundant && !how->left && how->checked <= g->look)
        return TLK_STAGE_CHECK;
    return tlk_project_sifts(g, a, how) ? TLK_STAGE_SIFT : TLK_STAGE_APPLY;
}

/* Rows that nearly follow from others ask for something else, and would throw bodies about: they
 * are left to the assembly, with new factors. */
TL_KERNEL void tlk_project_checked(const tlk_joints *g, const tlk_articulation *a,
                                   tlk_articulated *how)
{
    const double most = tlk_team_take(how, 0), speed = tlk_team_take(how, 1);
    const double least = TLK_AMPLIFIED * how->residual;
    how->checked = g->look + 1;
    if (most > least * least && most > TLK_NOTICED * TLK_NOTICED * speed) {
        how->left = 1;
        how->factored = 0;
        tlk_project_again(g, a, how);
    } else {
        how->stage = tlk_project_solved(g, a, how);
    }
}

/* Whether another pass would help: there is a residual, and the last one has not just left it as it
 * was, which it does where redundant rows contradict each other. */
TL_KERNEL bool tlk_project_helps(const tlk_articulated *how, double before, double speed)
{
    if (how->redundant && how->pass && how->residual > 0.5 * before)
        return false;
    return !(how->residual <= TLK_JOINT_FINE * speed);
}

/* Goes on with the states of rows, where they may change; else false. */
TL_KERNEL bool tlk_project_states(const tlk_joints *g, const tlk_articulation *a,
                                  tlk_articulated *how)
{
    if (!a->bounded || g->positions || g->mode != TLK_PROJECT_ALL ||
        how->changes >= TLK_JOINT_CHANGES)
        return false;
    how->stage = TLK_STAGE_STATES;
    how->moved = 0;
    return true;
}

/* How many looks at where bodies will be an articulation needs, by the square of its fastest spin.
 * The halves of a smooth step are of second order, and need more; and distances that are held bend
 * by speeds, too. */
TL_KERNEL uint32_t tlk_looks(const tlk_joints *g, const tlk_articulation *a, double square)
{
    const double h = g->motion.h, turn = h * h * square;
    const bool half = tlk_joint_kick(g, g->joint + g->list[a->joint]) < h;
    if (turn > (half ? 0.25 : 1.0) * TLK_FAST * TLK_FAST)
        return TLK_LOOKS;
    return half || a->rods || turn > TLK_SLOW * TLK_SLOW ? 2 : 1;
}

TL_KERNEL void tlk_joint_project_begin(const tlk_joints *g, uint32_t i)
{
    tlk_articulated *how = g->how + i;
    how->pass = 0;
    how->most[0] = how->most[1] = 0;
    if (g->throws)
        how->factored = how->changes = 0;
    if (!(tlk_joint_kick(g, g->joint + g->list[g->articulation[i].joint]) > 0) ||
        tlk_joint_seen(g, how) || (g->throws && !how->thrown))
        how->stage = TLK_STAGE_END;
    else if (g->iterate)
        how->stage = TLK_STAGE_SWEEP;
    else if (g->rough && !g->look)
        how->stage = TLK_STAGE_WEIGH;
    else if (g->rough && g->look == 1) /* joints know how hard they pull */
        how->stage = TLK_STAGE_TIGHTEN;
    else
        tlk_project_again(g, g->articulation + i, how);
}

TL_KERNEL void tlk_joint_project_turn(const tlk_joints *g, uint32_t i, tlk_team team)
{
    const tlk_articulation a = g->articulation[i];
    tlk_articulated *how = g->how + i;
    switch (team.stage) {
    case TLK_STAGE_SWEEP: /* in order: one lane does it */
        if (!team.lane)
            tlk_joint_sweep(g, i);
        break;
    case TLK_STAGE_TIGHTEN: tlk_stage_tighten(g, &a, how, team); break;
    case TLK_STAGE_WEIGH: tlk_stage_weigh(g, &a, how, team); break;
    case TLK_STAGE_DAMP: tlk_stage_damp(g, &a, team); break;
    case TLK_STAGE_SUM: tlk_stage_sum(g, &a, team); break;
    case TLK_STAGE_SIDES:
    case TLK_STAGE_SIFT: tlk_stage_sides(g, &a, how, team); break;
    case TLK_STAGE_CHECK: tlk_stage_check(g, &a, how, team); break;
    case TLK_STAGE_APPLY: tlk_stage_apply(g, &a, team); break;
    case TLK_STAGE_STATES: tlk_stage_states(g, &a, how, team); break;
    default: tlk_stage_solve(g, &a, how, team, g->fresh); break;
    }
}

/* Which stage is next; false: there is none. */
TL_KERNEL bool tlk_joint_project_next(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    tlk_articulated *how = g->how + i;
    switch (how->stage) {
    case TLK_STAGE_TIGHTEN:
        if (!how->loose) {
            tlk_project_again(g, &a, how);
            break;
        }
        how->factored = how->loose = 0;
        how->stage = TLK_STAGE_WEIGH;
        break;
    case TLK_STAGE_WEIGH: how->stage = TLK_STAGE_SUM; break;
    case TLK_STAGE_SUM: {
        const uint32_t looks = tlk_looks(g, &a, tlk_team_take(how, 0));
        double beyond = 0;
        for (uint32_t k = a.node; k < a.node_end; k += TLK_CHUNK * TLK_CHUNK)
            beyond += g->x[g->node[k].vector];
        if (!(beyond <= 0))
            how->straight = how->damped = 1;
        how->looks = tlk_max(how->looks, looks);
        if (how->damped)
            how->stage = TLK_STAGE_DAMP;
        else
            tlk_project_again(g, &a, how);
        break;
    }
    case TLK_STAGE_DAMP: tlk_project_again(g, &a, how); break;
    case TLK_STAGE_SIDES: {
        const double speed = tlk_team_take(how, 1), before = how->residual;
        how->residual = tlk_team_take(how, 0);
        how->sifted = 0;
        if (tlk_project_helps(how, before, speed))
            tlk_stage_substitute(&a, how);
        else if (how->pass || !tlk_project_states(g, &a, how)) /* what holds may have to let go */
            how->stage = TLK_STAGE_END;
        break;
    }
    case TLK_STAGE_APPLY:
        if (!tlk_project_states(g, &a, how))
            tlk_project_passed(g, &a, how, false);
        break;
    case TLK_STAGE_STATES:
        if (how->moved) {
            how->changes++;
            how->factored = how->pass = 0;
        }
        tlk_project_passed(g, &a, how, how->moved);
        break;
    case TLK_STAGE_SWEEP: how->stage = TLK_STAGE_END; break;
    case TLK_STAGE_CHECK: tlk_project_checked(g, &a, how); break;
    case TLK_STAGE_SIFT:
        how->sifted = 1;
        how->most[0] = how->most[1] = 0;
        tlk_stage_substitute(&a, how);
        break;
    default: tlk_stage_after(&a, how, TLK_STAGE_SIDES, tlk_project_solved(g, &a, how)); break;
    }
    return how->stage != TLK_STAGE_END;
}

/* One articulation, by one lane. */
TL_KERNEL void tlk_joint_project(const tlk_joints *g, uint32_t i)
{
    const tlk_articulated *how = g->how + i;
    tlk_joint_project_begin(g, i);
    do
        tlk_joint_project_turn(g, i, (tlk_team){0, 1, how->stage, how->level});
    while (tlk_joint_project_next(g, i));
}

#endif
