/* Block elimination of [M J'; J -C], one articulation after the other (src/joint/graph.h: the order
 * and what fills in). Each node's block becomes L D L' of its own, each block below it Y with
 * A = Y L', and what is left of the others is changed by Y D^-1 Y'. Bodies have positive pivots,
 * joints negative ones. */
#ifndef TL_KERNELS_JOINT_FACTOR_H
#define TL_KERNELS_JOINT_FACTOR_H

#include "kernels/real.h" /* first: it says what reals are */

#include "kernels/joint/args.h"

#define TLK_NODE      TLK_JOINT_ROWS /* the largest block */
#define TLK_REDUNDANT 1e5 /* pivots up to so many times their softness are of redundant rows */

/* A block of its own: L below the diagonal, 1 / D on it. Pivots of joints that vanish are rows that
 * follow from others: they keep their softness, and are counted. */
TL_KERNEL uint32_t tlk_factor_own(double *a, uint32_t n, const double *soft)
{
    uint32_t redundant = 0;
    for (uint32_t k = 0; k < n; k++) {
        double *row = a + (size_t)k * n, scaled[TLK_NODE];
        double pivot = row[k];
        for (uint32_t j = 0; j < k; j++) {
            const double *other = a + (size_t)j * n;
            double sum = row[j]; /* L_kj D_j */
            for (uint32_t i = 0; i < j; i++)
                sum -= scaled[i] * other[i];
            scaled[j] = sum;
        }
        for (uint32_t j = 0; j < k; j++) {
            const double l = scaled[j] * a[(size_t)j * n + j];
            pivot -= l * scaled[j];
            row[j] = l;
        }
        if (soft) {
            redundant += -pivot < TLK_REDUNDANT * soft[k];
            pivot = tlk_min(pivot, -0.5 * soft[k]);
        }
        row[k] = 1 / pivot;
    }
    return redundant;
}

/* Y of a block below: rows y of Y L' = A. */
TL_KERNEL void tlk_factor_below(const double *own, uint32_t n, double *below, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++) {
        double *y = below + (size_t)r * n;
        for (uint32_t k = 1; k < n; k++) {
            double sum = y[k];
            for (uint32_t j = 0; j < k; j++)
                sum -= own[(size_t)k * n + j] * y[j];
            y[k] = sum;
        }
    }
}

/* What two blocks below leave of the one of their nodes. */
TL_KERNEL void tlk_factor_update(const double *own, uint32_t n, const double *one, uint32_t rows,
                                 const double *two, uint32_t columns, double *out)
{
    for (uint32_t r = 0; r < rows; r++) {
        double scaled[TLK_NODE];
        for (uint32_t k = 0; k < n; k++)
            scaled[k] = one[(size_t)r * n + k] * own[(size_t)k * n + k];
        for (uint32_t c = 0; c < columns; c++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += scaled[k] * two[(size_t)c * n + k];
            out[(size_t)r * columns + c] -= sum;
        }
    }
}

/* One node goes; `n` is its size, which compilers know where it is a usual one. */
TL_KERNEL void tlk_factor_node(const tlk_joints *g, const tlk_node *node, uint32_t n)
{
    double *own = g->block + node->block;
    const double *soft = node->joint == TLK_NONE ? 0 : g->soft + g->joint[node->joint].first;
    const uint32_t redundant = tlk_factor_own(own, n, soft);
    if (soft && !g->fresh && !g->positions)
        g->account[node->joint].redundant = redundant;
    for (uint32_t k = node->links; k < node->last; k++)
        tlk_factor_below(own, n, g->block + g->link[k].block, g->link[k].size);
    uint32_t update = node->updates;
    for (uint32_t k = node->links; k < node->last; k++)
        for (uint32_t l = node->links; l <= k; l++)
            tlk_factor_update(own, n, g->block + g->link[k].block, g->link[k].size,
                              g->block + g->link[l].block, g->link[l].size,
                              g->block + g->update[update++]);
}

/* The factors of an articulation, of the matrix in `block`. */
TL_NARROW void tlk_factor(const tlk_joints *g, const tlk_articulation *a)
{
    for (uint32_t i = a->node; i < a->node_end; i++) {
        const tlk_node node = g->node[i];
        switch (node.size) {
        case 6: tlk_factor_node(g, &node, 6); break;
        case 3: tlk_factor_node(g, &node, 3); break;
        default: tlk_factor_node(g, &node, node.size); break;
        }
    }
}

/* Substitution at a node, forwards. */
TL_KERNEL void tlk_forward(const tlk_joints *g, const tlk_node *node, uint32_t n, double *x)
{
    const double *own = g->block + node->block;
    double *y = x + node->vector, scaled[TLK_NODE];
    for (uint32_t k = 0; k < n; k++) {
        double sum = y[k];
        for (uint32_t j = 0; j < k; j++)
            sum -= own[k * n + j] * y[j];
        y[k] = sum;
        scaled[k] = sum * own[k * n + k];
    }
    for (uint32_t l = node->links; l < node->last; l++) {
        const tlk_link link = g->link[l];
        for (uint32_t r = 0; r < link.size; r++) {
            const double *below = g->block + link.block + (size_t)r * n;
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += below[k] * scaled[k];
            x[link.vector + r] -= sum;
        }
    }
}

/* And backwards. */
TL_KERNEL void tlk_backward(const tlk_joints *g, const tlk_node *node, uint32_t n, double *x)
{
    const double *own = g->block + node->block;
    double y[TLK_NODE];
    for (uint32_t k = 0; k < n; k++)
        y[k] = x[node->vector + k];
    for (uint32_t l = node->links; l < node->last; l++) {
        const tlk_link link = g->link[l];
        for (uint32_t r = 0; r < link.size; r++) {
            const double *below = g->block + link.block + (size_t)r * n;
            const double other = x[link.vector + r];
            for (uint32_t k = 0; k < n; k++)
                y[k] -= below[k] * other;
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        double sum = y[k] * own[k * n + k];
        for (uint32_t j = k + 1; j < n; j++)
            sum -= own[j * n + k] * y[j];
        y[k] = sum;
    }
    for (uint32_t k = 0; k < n; k++)
        x[node->vector + k] = y[k];
}

/* The solution in place of the right-hand side x, which both are vectors of an articulation. */
TL_NARROW void tlk_back_substitute(const tlk_joints *g, const tlk_articulation *a, double *x)
{
    for (uint32_t i = a->node; i < a->node_end; i++) {
        const tlk_node node = g->node[i];
        switch (node.size) {
        case 6: tlk_forward(g, &node, 6, x); break;
        case 3: tlk_forward(g, &node, 3, x); break;
        default: tlk_forward(g, &node, node.size, x); break;
        }
    }
    for (uint32_t i = a->node_end; i-- > a->node;) {
        const tlk_node node = g->node[i];
        switch (node.size) {
        case 6: tlk_backward(g, &node, 6, x); break;
        case 3: tlk_backward(g, &node, 3, x); break;
        default: tlk_backward(g, &node, node.size, x); break;
        }
    }
}

#endif
