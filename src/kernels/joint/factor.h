/* Block elimination of [M J'; J -C], level by level (src/joint/graph.h: the order and what fills
 * in). A node takes off its blocks what earlier nodes leave of them, Y D^-1 Y'; its own block
 * becomes L D L' then, each block below it Y with A = Y L'. Bodies have positive pivots, joints
 * negative ones. */
#ifndef TL_KERNELS_JOINT_FACTOR_H
#define TL_KERNELS_JOINT_FACTOR_H

#include "kernels/joint/team.h"

#define TLK_NODE      TLK_JOINT_ROWS /* the largest block */
#define TLK_REDUNDANT 1e5 /* pivots up to so many times their softness are of redundant rows */

/* The inverse of a pivot. Those of joints that vanish are of rows that follow from others: they
 * keep their softness, or are left out, and are counted. */
TL_KERNEL double tlk_pivot(double pivot, const double *soft, uint32_t k, bool leave,
                           uint32_t *redundant)
{
    if (soft) {
        const bool follows = -pivot < TLK_REDUNDANT * soft[k];
        *redundant += follows;
        if (follows && leave)
            return 0;
        pivot = tlk_min(pivot, -0.5 * soft[k]);
    }
    return 1 / pivot;
}

/* A block of its own: L below the diagonal, 1 / D on it. The first `plain` rows have nothing beside
 * the diagonal. Returns how many rows are redundant. Three rows, which are the usual number here
 * and below, are spelled out: compilers make loops of so few worse than they are. */
TL_KERNEL uint32_t tlk_factor_own(double *a, uint32_t n, uint32_t plain, const double *soft,
                                  bool leave)
{
    uint32_t redundant = 0;
    for (uint32_t k = 0; k < plain; k++)
        a[(size_t)k * n + k] = 1 / a[(size_t)k * n + k];
    if (n - plain == 3) {
        double *r0 = a + (size_t)plain * n + plain, *r1 = r0 + n, *r2 = r1 + n;
        const double a10 = r1[0], a20 = r2[0];
        const double d0 = tlk_pivot(r0[0], soft, plain, leave, &redundant);
        const double l10 = a10 * d0, l20 = a20 * d0, a21 = r2[1] - a20 * l10;
        const double d1 = tlk_pivot(r1[1] - l10 * a10, soft, plain + 1, leave, &redundant);
        const double l21 = a21 * d1;
        r2[2] = tlk_pivot(r2[2] - l20 * a20 - l21 * a21, soft, plain + 2, leave, &redundant);
        r0[0] = d0, r1[0] = l10, r1[1] = d1, r2[0] = l20, r2[1] = l21;
        return redundant;
    }
    for (uint32_t k = plain; k < n; k++) {
        double *row = a + (size_t)k * n, scaled[TLK_NODE];
        double pivot = row[k];
        for (uint32_t j = plain; j < k; j++) {
            const double *other = a + (size_t)j * n;
            double sum = row[j]; /* L_kj D_j */
            for (uint32_t i = plain; i < j; i++)
                sum -= scaled[i] * other[i];
            scaled[j] = sum;
        }
        for (uint32_t j = plain; j < k; j++) {
            const double l = scaled[j] * a[(size_t)j * n + j];
            pivot -= l * scaled[j];
            row[j] = l;
        }
        row[k] = tlk_pivot(pivot, soft, k, leave, &redundant);
    }
    return redundant;
}

/* y becomes L^-1 y. */
TL_KERNEL void tlk_solve_lower(const double *own, uint32_t n, uint32_t plain, double *y)
{
    if (n - plain == 3) {
        const double *r1 = own + (size_t)(plain + 1) * n + plain, *r2 = r1 + n;
        const double y0 = y[plain], y1 = y[plain + 1] - r1[0] * y0;
        y[plain + 1] = y1;
        y[plain + 2] = y[plain + 2] - r2[0] * y0 - r2[1] * y1;
        return;
    }
    for (uint32_t k = plain + 1; k < n; k++) {
        double sum = y[k];
        for (uint32_t j = plain; j < k; j++)
            sum -= own[(size_t)k * n + j] * y[j];
        y[k] = sum;
    }
}

/* y becomes L'^-1 y. */
TL_KERNEL void tlk_solve_upper(const double *own, uint32_t n, uint32_t plain, double *y)
{
    if (n - plain == 3) {
        const double *r1 = own + (size_t)(plain + 1) * n + plain, *r2 = r1 + n;
        const double y2 = y[plain + 2], y1 = y[plain + 1] - r2[1] * y2;
        y[plain + 1] = y1;
        y[plain] = y[plain] - r1[0] * y1 - r2[0] * y2;
        return;
    }
    for (uint32_t k = n; k-- > plain;)
        for (uint32_t j = k + 1; j < n; j++)
            y[k] -= own[(size_t)j * n + k] * y[j];
}

TL_KERNEL double tlk_dots(const double *a, const double *b, uint32_t n)
{
    if (n == 3)
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (n == 6)
        return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) +
               (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
    double sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* What an earlier node of size n leaves of a block, by its blocks with the two nodes of that. Of a
 * node's own block (two is one), up to the diagonal. */
TL_KERNEL void tlk_factor_less(const double *own, uint32_t n, const double *one, uint32_t rows,
                               const double *two, uint32_t columns, double *out)
{
    for (uint32_t r = 0; r < rows; r++) {
        double scaled[TLK_NODE];
        for (uint32_t k = 0; k < n; k++)
            scaled[k] = one[(size_t)r * n + k] * own[(size_t)k * n + k];
        const uint32_t end = two == one ? r + 1 : columns;
        for (uint32_t c = 0; c < end; c++)
            out[(size_t)r * columns + c] -= tlk_dots(scaled, two + (size_t)c * n, n);
    }
}

/* The same; compilers know the usual sizes. */
TL_NARROW void tlk_factor_take(const double *own, uint32_t n, const double *one, uint32_t rows,
                               const double *two, uint32_t columns, double *out)
{
    if (rows == 3 && n == 6 && one == two)
        tlk_factor_less(own, 6, one, 3, one, 3, out);
    else if (rows == 3 && columns == 3 && n == 6)
        tlk_factor_less(own, 6, one, 3, two, 3, out);
    else if (rows == 3 && columns == 3 && n == 3)
        tlk_factor_less(own, 3, one, 3, two, 3, out);
    else if (rows == 1 && columns == 1 && n == 1)
        tlk_factor_less(own, 1, one, 1, two, 1, out);
#if !defined(__CUDACC__) /* a GPU's lanes have an entry each */
    else if (rows == 5 && n == 6 && one == two)
        tlk_factor_less(own, 6, one, 5, one, 5, out);
    else if (rows == 5 && columns == 5 && n == 6)
        tlk_factor_less(own, 6, one, 5, two, 5, out);
    else if (rows == 5 && n == 5 && one == two)
        tlk_factor_less(own, 5, one, 5, one, 5, out);
    else if (rows == 5 && columns == 5 && n == 5)
        tlk_factor_less(own, 5, one, 5, two, 5, out);
#endif
    else if (n == 6)
        tlk_factor_less(own, 6, one, rows, two, columns, out);
    else
        tlk_factor_less(own, n, one, rows, two, columns, out);
}

/* A node's own block, with what earlier nodes leave of it. `count`: of rows that are redundant. */
TL_KERNEL void tlk_factor_pivots(const tlk_joints *g, const tlk_node *node, uint32_t n,
                                 uint32_t plain, bool count)
{
    const double *soft = node->joint == TLK_NONE ? 0 : g->soft + g->joint[node->joint].first;
    const bool leave = soft && count && g->how[g->joint[node->joint].articulation].left;
    const uint32_t redundant = tlk_factor_own(g->block + node->block, n, plain, soft, leave);
    if (soft && count) {
        g->account[node->joint].redundant = redundant;
        if (redundant)
            tlk_atomic_or32(&g->how[g->joint[node->joint].articulation].redundant, 1);
    }
}

/* One node goes; `n` is its size, which compilers know where it is a usual one. */
TL_KERNEL void tlk_factor_node(const tlk_joints *g, const tlk_node *node, uint32_t n,
                               uint32_t plain, bool count)
{
    double *own = g->block + node->block;
    for (uint32_t s = node->sources; s < node->sources_end; s++) {
        const tlk_source source = g->source[s];
        const double *y = g->block + source.block;
        tlk_factor_take(g->block + source.own, source.size, y, n, y, n, own);
    }
    tlk_factor_pivots(g, node, n, plain, count);
    for (uint32_t l = node->links; l < node->last; l++) {
        const tlk_link link = g->link[l];
        double *below = g->block + link.block;
        for (uint32_t u = link.updates; u < g->link[l + 1].updates; u++) {
            const tlk_update update = g->update[u];
            tlk_factor_take(g->block + update.own, update.size, g->block + update.late, link.size,
                            g->block + update.early, n, below);
        }
        for (uint32_t r = 0; r < link.size; r++) /* Y L' = A */
            tlk_solve_lower(own, n, plain, below + (size_t)r * n);
    }
}

/* A body that goes before its joints: masses are the first three of its diagonal, with nothing
 * beside them. */
TL_KERNEL bool tlk_node_alone(const tlk_node *node)
{
    return node->joint == TLK_NONE && node->sources == node->sources_end;
}

/* One node, whatever its size. */
TL_KERNEL void tlk_factor_one(const tlk_joints *g, uint32_t i, bool count)
{
    const tlk_node node = g->node[i];
    if (tlk_node_alone(&node))
        tlk_factor_node(g, &node, 6, 3, count);
    else if (node.size == 3)
        tlk_factor_node(g, &node, 3, 0, count);
    else
        tlk_factor_node(g, &node, node.size, 0, count);
}

/* The nodes of a level. */
TL_NARROW void tlk_factor_level(const tlk_joints *g, const tlk_articulation *a, uint32_t level,
                                tlk_team team, bool count)
{
    const uint32_t *at = g->level + a->level + level;
    TLK_LANE_SHARE(i, at[0], at[1], team)
    tlk_factor_one(g, i, count);
}

/* Whether six numbers are 0; all are read at once. */
TL_KERNEL bool tlk_all_zero(const double *x)
{
    return !((x[0] != 0) | (x[1] != 0) | (x[2] != 0) | (x[3] != 0) | (x[4] != 0) | (x[5] != 0));
}

/* Substitution at a node, forwards: D^-1 L^-1 of what earlier nodes leave. */
TL_KERNEL void tlk_forward(const tlk_joints *g, const tlk_node *node, uint32_t n, uint32_t plain)
{
    const double *own = g->block + node->block;
    double y[TLK_NODE];
    for (uint32_t k = 0; k < n; k++)
        y[k] = g->x[node->vector + k];
    for (uint32_t s = node->sources; s < node->sources_end; s++) {
        const tlk_source source = g->source[s];
        const double *x = g->x + source.vector, *below = g->block + source.block;
        if (source.size == 6 && tlk_all_zero(x))
            continue; /* bodies, nearly always */
        if (source.size == 3) {
            for (uint32_t r = 0; r < n; r++)
                y[r] -= tlk_dots(below + 3 * (size_t)r, x, 3);
            continue;
        }
        if (source.size == 5) {
            for (uint32_t r = 0; r < n; r++)
                y[r] -= tlk_dots(below + 5 * (size_t)r, x, 5);
            continue;
        }
        for (uint32_t r = 0; r < n; r++)
            y[r] -= tlk_dots(below + (size_t)r * source.size, x, source.size);
    }
    tlk_solve_lower(own, n, plain, y);
    for (uint32_t k = 0; k < n; k++)
        g->x[node->vector + k] = y[k] * own[k * n + k];
}

/* And backwards; `own`: the node's own block. */
TL_KERNEL void tlk_backward_by(const tlk_joints *g, const tlk_node *node, const double *own,
                               uint32_t n, uint32_t plain)
{
    double y[TLK_NODE];
    for (uint32_t k = 0; k < n; k++)
        y[k] = 0;
    for (uint32_t l = node->links; l < node->last; l++) {
        const tlk_link link = g->link[l];
        const double *below = g->block + link.block;
        for (uint32_t r = 0; r < link.size; r++, below += n) {
            const double other = g->x[link.vector + r];
            for (uint32_t k = 0; k < n; k++)
                y[k] += below[k] * other;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        y[k] = g->x[node->vector + k] - y[k] * own[k * n + k];
    tlk_solve_upper(own, n, plain, y);
    for (uint32_t k = 0; k < n; k++)
        g->x[node->vector + k] = y[k];
}

TL_KERNEL void tlk_backward(const tlk_joints *g, const tlk_node *node, uint32_t n, uint32_t plain)
{
    tlk_backward_by(g, node, g->block + node->block, n, plain);
}

/* Substitution at a node, whatever its size. */
TL_KERNEL void tlk_forward_one(const tlk_joints *g, uint32_t i)
{
    const tlk_node node = g->node[i];
    if (tlk_node_alone(&node))
        tlk_forward(g, &node, 6, 3);
    else if (node.size == 3)
        tlk_forward(g, &node, 3, 0);
    else if (node.size == 5)
        tlk_forward(g, &node, 5, 0);
    else
        tlk_forward(g, &node, node.size, 0);
}

TL_KERNEL void tlk_backward_one(const tlk_joints *g, uint32_t i)
{
    const tlk_node node = g->node[i];
    if (tlk_node_alone(&node))
        tlk_backward(g, &node, 6, 3);
    else if (node.size == 3)
        tlk_backward(g, &node, 3, 0);
    else if (node.size == 5)
        tlk_backward(g, &node, 5, 0);
    else
        tlk_backward(g, &node, node.size, 0);
}

TL_NARROW void tlk_forward_level(const tlk_joints *g, const tlk_articulation *a, uint32_t level,
                                 tlk_team team)
{
    const uint32_t *at = g->level + a->level + level;
    TLK_LANE_SHARE(i, at[0], at[1], team)
    tlk_forward_one(g, i);
}

TL_NARROW void tlk_backward_level(const tlk_joints *g, const tlk_articulation *a, uint32_t level,
                                  tlk_team team)
{
    const uint32_t *at = g->level + a->level + level;
    TLK_LANE_SHARE(i, at[0], at[1], team)
    tlk_backward_one(g, i);
}

#endif
