/* Joints one at a time, as the sources have it (eq. 5, 11 and 13): a sweep over an articulation
 * solves the rows of each joint at once, for that joint alone. Included by kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_ITERATE_H
#define TL_KERNELS_JOINT_ITERATE_H

/* What impulses of a joint's rows do to its bodies. */
TL_NARROW void tlk_alone_push(const tlk_joints *g, const tlk_joint *j,
                              double (*mobile)[6 * TLK_JOINT_BODIES], const double *impulse)
{
    for (uint32_t b = 0; b < j->bodies; b++) {
        if (j->node[b] == TLK_NONE)
            continue;
        real *v = g->vel + 8 * (size_t)j->body[b];
        double change[6] = {0, 0, 0, 0, 0, 0};
        for (uint32_t r = 0; r < j->rows; r++)
            for (int k = 0; k < 6; k++)
                change[k] += mobile[r][6 * b + k] * impulse[r];
        for (int k = 0; k < 3; k++) {
            v[k] = (real)((double)v[k] + change[k]);
            v[4 + k] = (real)((double)v[4 + k] + change[3 + k]);
        }
    }
}

/* M^-1 J' of its rows. */
TL_NARROW void tlk_alone_mobile(const tlk_joints *g, const tlk_joint *j,
                                double (*mobile)[6 * TLK_JOINT_BODIES])
{
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        for (uint32_t b = 0; b < j->bodies; b++) {
            const size_t i = j->body[b];
            const double *inertia = g->motion.bodies.inertia + 4 * i;
            double turn[3];
            for (int k = 0; k < 6; k++)
                mobile[r][6 * b + k] = 0;
            if (j->node[b] == TLK_NONE)
                continue;
            tlk_rotate_back(g->motion.bodies.quat + 4 * i, row + 6 * b + 3, turn);
            for (int k = 0; k < 3; k++) {
                mobile[r][6 * b + k] = row[6 * b + k] / inertia[3];
                turn[k] = turn[k] / inertia[k];
            }
            tlk_rotate(g->motion.bodies.quat + 4 * i, turn, mobile[r] + 6 * b + 3);
        }
    }
}

/* What a row lacks, and the compliance that it has of itself; a row that is free gets its impulse
 * at once, in `push`. */
TL_NARROW double tlk_alone_side(const tlk_joints *g, const tlk_joint *j, uint32_t r, int part,
                                double *own, double *push)
{
    const uint32_t at = j->first + r;
    const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
    const tlk_law *law = g->law + at;
    const double rate = tlk_joint_rate(j, row, g->vel);
    *push = 0;
    *own = g->base[at];
    if (part == TLK_ROW_OFF) {
        const double base = j->broken ? 0 : tlk_law_base(law, law->state / 2, TLK_NONE);
        if (!g->positions)
            *push = base - g->lambda[at];
        return 0;
    }
    if (g->positions)
        return -rate;
    if (part == TLK_ROW_HARD)
        return law->speed[law->state / 2] - rate;
    *own = 1 / law->slope;
    return (tlk_law_base(law, law->state / 2, TLK_NONE) - g->lambda[at]) / law->slope - rate;
}

/* x from A x = side, A symmetric and positive, n x n. */
TL_NARROW void tlk_alone_solve(double (*a)[TLK_JOINT_ROWS], uint32_t n, double *x)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) {
            const double part = a[i][k] / a[k][k];
            for (uint32_t c = k + 1; c < n; c++)
                a[i][c] -= part * a[k][c];
            x[i] -= part * x[k];
        }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t c = k + 1; c < n; c++)
            x[k] -= a[k][c] * x[c];
        x[k] = x[k] / a[k][k];
    }
}

/* The rows of a joint, for this joint alone. */
TL_NARROW void tlk_joint_alone(const tlk_joints *g, uint32_t i)
{
    const tlk_joint *j = g->joint + i;
    double mobile[TLK_JOINT_ROWS][6 * TLK_JOINT_BODIES], a[TLK_JOINT_ROWS][TLK_JOINT_ROWS];
    double x[TLK_JOINT_ROWS], push[TLK_JOINT_ROWS], own[TLK_JOINT_ROWS];
    int part[TLK_JOINT_ROWS];
    tlk_alone_mobile(g, j, mobile);
    for (uint32_t r = 0; r < j->rows; r++) {
        part[r] = tlk_row_part(g, j, r, false);
        tlk_alone_side(g, j, r, part[r], &own[r], &push[r]);
    }
    tlk_alone_push(g, j, mobile, push);
    for (uint32_t r = 0; r < j->rows; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        double none;
        x[r] = tlk_alone_side(g, j, r, part[r], &own[r], &none);
        g->lambda[j->first + r] += push[r];
        for (uint32_t c = 0; c < j->rows; c++) {
            a[r][c] = r == c ? own[r] : 0;
            if (part[r] == TLK_ROW_OFF || part[c] == TLK_ROW_OFF) {
                a[r][c] = r == c ? 1 : 0;
                continue;
            }
            for (uint32_t k = 0; k < 6 * j->bodies; k++)
                a[r][c] += row[k] * mobile[c][k];
        }
    }
    tlk_alone_solve(a, j->rows, x);
    tlk_alone_push(g, j, mobile, x);
    for (uint32_t r = 0; r < j->rows && !g->positions; r++) {
        const double *row = g->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const uint32_t at = j->first + r;
        g->lambda[at] += x[r];
        if (j->bounded && !j->broken)
            tlk_law_move(g->law + at, tlk_joint_rate(j, row, g->vel), g->lambda[at]);
    }
}

/* One articulation: sweeps over its joints. */
TL_NARROW void tlk_joint_sweep(const tlk_joints *g, uint32_t i)
{
    const tlk_articulation a = g->articulation[i];
    for (uint32_t pass = 0; pass < g->passes; pass++)
        for (uint32_t k = a.joint; k < a.joint_end; k++)
            tlk_joint_alone(g, g->list[k]);
}

#endif
