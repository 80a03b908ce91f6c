/* What solvers that gather need besides rows: lists of rows by block, and step lengths that blocks
 * bear; called by src/solve. */
#ifndef TL_KERNELS_GATHER_H
#define TL_KERNELS_GATHER_H

#include "kernels/solve.h"

/* One row: an entry of the list of each block it moves. */
TL_KERNEL void tlk_list_rows(const tlk_lists *l, uint32_t s)
{
    const tlk_problem *p = &l->problem;
    const bool real_row = p->a[s] != TLK_NONE;
    l->key[2 * s] = real_row ? p->a[s] : p->moving;
    l->value[2 * s] = 2 * s;
    l->key[2 * s + 1] = real_row && p->b[s] < p->moving ? p->b[s] : p->moving;
    l->value[2 * s + 1] = 2 * s + 1;
}

/* One entry of the sorted lists: what gathering needs of the row. */
TL_KERNEL void tlk_list_sides(const tlk_lists *l, uint32_t i)
{
    if (l->key[i] >= l->problem.moving)
        return;
    const uint32_t s = l->value[i] >> 1, side = l->value[i] & 1;
    const tlk_row row = tlk_load_row(&l->problem, s);
    real anchor[4] = {row.n[0], row.n[1], row.n[2], side ? row.anchor_b : row.anchor_a};
    if (row.anchors) {
        for (int k = 0; k < 3; k++)
            anchor[k] = side ? -row.rb[k] : row.ra[k];
        anchor[3] = 1;
    }
    tlk_store4(l->sides + 4 * (size_t)i, anchor);
}

/* tlk_largest of a matrix that is the product of two such, and not symmetric; not over the trace.
 */
TL_RARE double tlk_largest_product(double w[3][3], double trace)
{
    double a[3][3], b[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            a[r][c] = w[r][c] / trace;
    for (int power = 0; power < 4; power++) {
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                b[r][c] = a[r][0] * a[0][c] + a[r][1] * a[1][c] + a[r][2] * a[2][c];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                a[r][c] = b[r][c];
    }
    return trace * sqrt(sqrt(sqrt(sqrt(a[0][0] + a[1][1] + a[2][2]))));
}

/* One block: a bound of the largest eigenvalue of its part of the problem, with each row's step
 * length eta: sum eta / m, and that of I^-1 sum eta [anchor]x^T [anchor]x. */
TL_KERNEL void tlk_jacobi_crowd(const tlk_problem *p, uint32_t i)
{
    double sum = 0, turn[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, w[3][3], trace = 0;
    real inverse[8], side[4];
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        const double eta = p->x[4 * (size_t)(p->list[l] >> 1) + 3];
        tlk_load4(p->sides + 4 * (size_t)l, side);
        const double length = side[3],
                     r[3] = {length * side[0], length * side[1], length * side[2]};
        const double square = tlk_dotd(r, r);
        sum += eta;
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 3; k++)
                turn[row][k] += eta * ((row == k ? square : 0) - r[row] * r[k]);
    }
    tlk_load8(p->inverse + 8 * (size_t)i, inverse);
    for (int k = 0; k < 3; k++) {
        const real column[3] = {(real)turn[0][k], (real)turn[1][k], (real)turn[2][k]};
        real product[3];
        tlk_symmetric(inverse, column, product);
        for (int row = 0; row < 3; row++)
            w[row][k] = product[row];
        trace += product[k];
    }
    sum =
        sum * (double)p->free[8 * (size_t)i + 3] + (trace > 0 ? tlk_largest_product(w, trace) : 0);
    p->crowd[i] = (real)sum;
}

/* One row: a step length that both its blocks bear (docs/theory.md, "Solvers"). */
TL_KERNEL void tlk_jacobi_shorten(const tlk_problem *p, uint32_t s)
{
    const uint32_t a = p->a[s], b = p->b[s];
    if (a == TLK_NONE)
        return;
    const real crowd = b < p->moving ? tlk_max(p->crowd[a], p->crowd[b]) : p->crowd[a];
    const real most = (real)p->omega * crowd;
    if (most > 1)
        p->x[4 * (size_t)s + 3] /= most;
}

#endif
