/* Arrest (docs/theory.md, "Snaps"): where a step turns light bodies so far that joints cannot be
 * closed from where they end, the articulation goes back to where the step began and makes it
 * again, all at once: to the place where joints hold that is nearest, by masses, to where its
 * velocities lead. What that stops is stopped, and velocities are those of the way that it went.
 * Stages of an assembly; included by kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_ARREST_H
#define TL_KERNELS_JOINT_ARREST_H

#define TLK_ARREST_AFTER  8u   /* passes of an assembly that does not get anywhere, */
#define TLK_ARREST_ERROR  1e-8 /* of the articulation's size */
#define TLK_ARREST_PASSES 60u
#define TLK_ARREST_NEAR   1e-3 /* rad: passes that turn bodies by less are the last */

/* What a body's way is to be: six numbers. */
TL_KERNEL void tlk_arrest_target(const tlk_joints *g, uint32_t i, double *out)
{
    const real *v = g->motion.vel + 8 * (size_t)i;
    const real *p = g->motion.pseudo ? g->motion.pseudo + 8 * (size_t)i : 0;
    for (int k = 0; k < 3; k++) {
        out[k] = g->motion.h * ((double)v[k] + (p ? (double)p[k] : 0.0));
        out[3 + k] = g->motion.h * ((double)v[4 + k] + (p ? (double)p[4 + k] : 0.0));
    }
}

/* What it is so far: kept where ways were foreseen. */
TL_KERNEL void tlk_arrest_way(const tlk_joints *g, uint32_t i, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = g->next_pos[4 * (size_t)i + k];
        out[3 + k] = g->next_quat[4 * (size_t)i + k];
    }
}

/* A body goes back to where the step began. */
TL_NARROW void tlk_arrest_back(const tlk_joints *g, uint32_t i, bool moved)
{
    double *x = g->pos + 4 * (size_t)i, *q = g->quat + 4 * (size_t)i, way[6];
    const real *state = g->motion.bodies.vel + 8 * (size_t)i;
    const double *inertia = g->motion.bodies.inertia + 4 * (size_t)i;
    if (moved) {
        tlk_arrest_way(g, i, way);
        for (int k = 0; k < 3; k++)
            x[k] -= way[k];
        tlk_turn_body(-1, way + 3, q);
    }
    tlk_arrest_target(g, i, way);
    for (int k = 0; k < 3; k++) {
        x[k] -= way[k];
        g->next_pos[4 * (size_t)i + k] = g->next_quat[4 * (size_t)i + k] = 0;
    }
    if (g->motion.bodies.flags[i] & TLK_BODY_ANISOTROPIC && !g->motion.planar) {
        const real *v = g->motion.vel + 8 * (size_t)i;
        const double w[3] = {state[4], state[5], state[6]};
        double p[3], extra[3];
        tlk_rotate_back(q, w, p);
        for (int k = 0; k < 3; k++) {
            p[k] = p[k] * inertia[k];
            extra[k] = way[3 + k] - g->motion.h * (double)v[4 + k];
        }
        tlk_spin(-g->motion.h, inertia, p, q);
        tlk_turn_body(-1, extra, q);
        return;
    }
    tlk_turn_body(-1, way + 3, q);
}

/* What joints pull their bodies by, times h^2: by impulses in the place of solutions. */
TL_NARROW void tlk_arrest_pull(const tlk_joints *g, uint32_t i, const double *impulse, double scale)
{
    const tlk_joint *j = g->joint + i;
    for (uint32_t b = 0; b < j->bodies; b++) {
        double *f = g->pull + TLK_PULL * (TLK_JOINT_BODIES * (size_t)i + b);
        f[0] = f[1] = f[2] = 0;
        for (uint32_t r = 0; r < j->rows; r++)
            for (int c = 0; c < 3; c++)
                f[c] += g->jacobian[j->jacobian + (size_t)r * 6 * j->bodies + 6 * b + c] *
                        impulse[r] * scale;
    }
}

TL_NARROW void tlk_stage_back(const tlk_joints *g, const tlk_articulation *a, bool moved,
                              tlk_team team)
{
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        if (g->node_body[k] != TLK_NONE)
            tlk_arrest_back(g, g->node_body[k], moved);
    }
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const uint32_t i = g->list[k];
        tlk_arrest_pull(g, i, g->lambda + g->joint[i].first, g->motion.h);
    }
}

/* The right-hand side of a body: what is left of its way, times its inertia. */
TL_NARROW void tlk_arrest_side(const tlk_joints *g, uint32_t i, double *out)
{
    const double *inertia = g->motion.bodies.inertia + 4 * (size_t)i;
    double to[6], way[6], axis[3][3];
    tlk_arrest_target(g, i, to);
    tlk_arrest_way(g, i, way);
    tlk_axes(g->quat + 4 * (size_t)i, axis);
    for (int k = 0; k < 6; k++)
        way[k] = to[k] - way[k];
    for (int k = 0; k < 3; k++) {
        out[k] = inertia[3] * way[k];
        out[3 + k] = 0;
    }
    for (int k = 0; k < 3; k++) {
        const double turn = inertia[k] * tlk_dotd(axis[k], way + 3);
        for (int c = 0; c < 3; c++)
            out[3 + c] += turn * axis[k][c];
    }
}

/* What joints did: their impulses, in the place of bends, which are over. */
TL_NARROW void tlk_stage_noted(const tlk_joints *g, const tlk_articulation *a, tlk_team team)
{
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const uint32_t i = g->list[k];
        const tlk_joint *j = g->joint + i;
        tlk_arrest_pull(g, i, g->x + j->vector, -1);
        for (uint32_t r = 0; r < j->rows; r++)
            g->bend[j->first + r] = -g->x[j->vector + r] / g->motion.h;
    }
}

/* The same of an assembly that moved bodies far, pass by pass. */
TL_NARROW void tlk_stage_added(const tlk_joints *g, const tlk_articulation *a,
                               const tlk_articulated *how, tlk_team team)
{
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows; r++)
            g->bend[j->first + r] = (how->fed == 1 ? 0 : g->bend[j->first + r]) -
                                    how->part * g->x[j->vector + r] / g->motion.h;
    }
}

/* What the velocity of a body is to change by, as the way that it went says, or how far it was
 * moved from there. */
TL_KERNEL void tlk_arrest_change(const tlk_joints *g, uint32_t i, bool moved, double *out)
{
    double way[6], to[6] = {0};
    if (!moved)
        tlk_arrest_target(g, i, to);
    tlk_arrest_way(g, i, way);
    for (int k = 0; k < 6; k++)
        out[k] = (way[k] - to[k]) / g->motion.h;
}

/* What that does to the energy, J: with the part s of it s times 0 and s^2 times 1, and 2 what
 * gravity did not do. One of them. */
TL_NARROW double tlk_arrest_energy(const tlk_joints *g, uint32_t i, uint32_t which, bool moved)
{
    const real *v = g->motion.bodies.vel + 8 * (size_t)i;
    const double from[6] = {v[0], v[1], v[2], v[4], v[5], v[6]};
    double change[6];
    tlk_arrest_change(g, i, moved, change);
    if (which == 2)
        return -g->motion.h * g->motion.bodies.inertia[4 * (size_t)i + 3] *
               tlk_dotd(g->motion.gravity, change);
    return which ? 0.5 * tlk_body_product(&g->motion.bodies, i, change, change)
                 : tlk_body_product(&g->motion.bodies, i, change, from);
}

/* One of these, by chunks of nodes. */
TL_NARROW void tlk_stage_arrest(const tlk_joints *g, const tlk_articulation *a,
                                const tlk_articulated *how, tlk_team team)
{
    TLK_LANE_SHARE(c, 0, (a->node_end - a->node + TLK_CHUNK - 1) / TLK_CHUNK, team)
    {
        const uint32_t first = a->node + TLK_CHUNK * c;
        const uint32_t end = tlk_min(first + TLK_CHUNK, a->node_end);
        double sum = 0;
        for (uint32_t k = first; k < end; k++)
            if (g->node_body[k] != TLK_NONE)
                sum += tlk_arrest_energy(g, g->node_body[k], how->last, !how->arrest);
        g->x[g->node[first].vector] = sum;
    }
}

/* One of them is known: which is next. Overlaps that are removed may want the way to be another
 * one: of the change of velocities stays what adds no energy. */
TL_KERNEL void tlk_arrest_summed(const tlk_joints *g, const tlk_articulation *a,
                                 tlk_articulated *how)
{
    double sum = 0;
    for (uint32_t k = a->node; k < a->node_end; k += TLK_CHUNK * TLK_CHUNK)
        sum += g->x[g->node[k].vector];
    if (how->last == 0)
        how->before = sum;
    else if (how->last == 1)
        how->part = !(how->before < 0) ? 0 : tlk_min(1.0, -how->before / sum);
    g->account[g->list[a->joint]].lost -= how->last == 0 ? 0
                                          : how->last == 1
                                              ? how->part * (how->before + how->part * sum)
                                              : (1 - 0.5 * how->part) * sum;
    how->stage = how->last++ < 2 ? TLK_STAGE_ARREST : TLK_STAGE_SETTLE;
}

/* What the impulses of an arrest add to a joint's reaction; nothing where they are too large for
 * numbers. */
TL_NARROW void tlk_arrest_reaction(const tlk_joints *g, const tlk_joint *j, uint32_t i)
{
    tlk_joint_memory out = g->next[i];
    double sum = 0;
    tlk_joint_reaction(g, j, i, g->bend + j->first, true, &out);
    for (uint32_t k = 0; k < 3 * TLK_JOINT_BODIES; k++)
        sum += fabs(out.force[k / 3][k % 3]);
    for (int k = 0; k < 6; k++)
        sum += fabs(out.reaction[k]);
    if (sum < INFINITY)
        g->next[i] = out;
}

/* Velocities and reactions; none where nothing stays of the change, as where numbers ran away. */
TL_NARROW void tlk_stage_settle(const tlk_joints *g, const tlk_articulation *a,
                                const tlk_articulated *how, tlk_team team)
{
    const double part = how->part;
    TLK_LANE_SHARE(k, a->node, a->node_end, team)
    {
        const uint32_t i = g->node_body[k];
        double change[6];
        if (i == TLK_NONE || !(part > 0))
            continue;
        real *v = g->motion.bodies.vel + 8 * (size_t)i;
        tlk_arrest_change(g, i, !how->arrest, change);
        for (int c = 0; c < 3; c++) {
            v[c] = tlk_settled((double)v[c] + part * change[c]);
            v[4 + c] = tlk_settled((double)v[4 + c] + part * change[3 + c]);
        }
    }
    TLK_LANE_SHARE(k, a->joint, a->joint_end, team)
    {
        const uint32_t i = g->list[k];
        const tlk_joint *j = g->joint + i;
        for (uint32_t r = 0; r < j->rows; r++)
            g->bend[j->first + r] = part > 0 ? part * g->bend[j->first + r] : 0;
        if (part > 0)
            tlk_arrest_reaction(g, j, i);
    }
}

#endif
