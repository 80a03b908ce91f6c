/* Assembly: poses of bodies projected onto joints, after a step or from anywhere. Included by
 * kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_ASSEMBLE_H
#define TL_KERNELS_JOINT_ASSEMBLE_H

/* The errors of an articulation's rows at the present poses: its right-hand side, and the worst. */
TL_NARROW double tlk_assembly_sides(const tlk_joints *g, const tlk_articulation *a)
{
    double worst = 0;
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const uint32_t i = g->list[k];
        const tlk_joint *j = g->joint + i;
        tlk_frames f;
        tlk_frames_of(g->pos, g->quat, j, &f);
        for (uint32_t r = 0; r < j->rows; r++) {
            const double value = tlk_row_value(g, g->pos, g->quat, i, &f, r);
            double error;
            if (!tlk_row_error(g, j, r, value, &error) || j->broken)
                error = 0;
            worst = tlk_max(worst, fabs(error));
            g->x[j->vector + r] = -error;
            g->value[j->first + r] = value;
        }
    }
    return worst;
}

/* Moves the bodies of an articulation by what was solved, no further than half a radian. */
TL_NARROW void tlk_assembly_move(const tlk_joints *g, const tlk_articulation *a)
{
    double most = 0;
    for (uint32_t k = a->node; k < a->node_end; k++)
        if (g->node_body[k] != TLK_NONE) {
            const double *x = g->x + g->node[k].vector + 3;
            most = tlk_max(most, tlk_dotd(x, x));
        }
    const double part = most > 0.25 ? 0.5 / sqrt(most) : 1;
    for (uint32_t k = a->node; k < a->node_end; k++) {
        if (g->node_body[k] == TLK_NONE)
            continue;
        const size_t i = 4 * (size_t)g->node_body[k];
        const double *x = g->x + g->node[k].vector;
        for (int c = 0; c < 3; c++)
            g->pos[i + c] += part * x[c];
        tlk_turn_body(part, x + 3, g->quat + i);
    }
}

/* One articulation: its poses are projected onto its joints. With the factors there are while that
 * helps tenfold each time, then with new ones. */
TL_KERNEL void tlk_joint_assemble(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    double before = TLK_ENDLESS;
    bool old = g->how[i].factored && !g->fresh;
    for (uint32_t pass = 0; pass < g->passes; pass++) {
        for (uint32_t k = a.vector; k < a.vector_end; k++)
            g->x[k] = 0;
        const double worst = tlk_assembly_sides(g, &a);
        g->how[i].error = worst;
        if (worst <= g->close)
            break;
        old = old && worst < 0.1 * before;
        if (!old) {
            tlk_joints fresh = *g;
            fresh.fresh = 1;
            for (uint32_t k = a.joint; k < a.joint_end; k++)
                tlk_joint_lines(&fresh, g->list[k], true);
            tlk_joint_factor(&fresh, &a);
        }
        before = worst;
        tlk_back_substitute(g, &a, g->x);
        tlk_assembly_move(g, &a);
    }
    double furthest = 0;
    for (uint32_t k = a.node; k < a.node_end && g->fresh; k++) {
        const size_t at = 4 * (size_t)g->node_body[k];
        for (int c = 0; c < 3 && g->node_body[k] != TLK_NONE; c++)
            furthest = tlk_max(furthest, fabs(g->pos[at + c] - g->motion.bodies.pos[at + c]));
    }
    g->moved[i] = furthest;
}

#endif
