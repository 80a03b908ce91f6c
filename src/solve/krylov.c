/* Systems whose factors would be too large, by preconditioned conjugate gradients: the matrix
 * M + D k D^T is positive definite, and never made. The preconditioner is its diagonal, a block of
 * six per body. One thread, sums in one order. */
#include "solve/system.h"

#include <string.h>

#define MOST   4000u /* steps */
#define ENOUGH 1e-13 /* of the right-hand side, in the norm of the preconditioner: what is left */

bool tl_block_invert(double m[6][6])
{
    double l[6][6] = {{0}};
    for (int r = 0; r < 6; r++)
        for (int c = 0; c <= r; c++) {
            double sum = m[r][c];
            for (int k = 0; k < c; k++)
                sum -= l[r][k] * l[c][k];
            if (r == c && !(sum > 0))
                return false;
            l[r][c] = r == c ? sqrt(sum) : sum / l[c][c];
        }
    for (int column = 0; column < 6; column++) {
        double x[6];
        for (int r = 0; r < 6; r++) {
            x[r] = r == column;
            for (int k = 0; k < r; k++)
                x[r] -= l[r][k] * x[k];
            x[r] /= l[r][r];
        }
        for (int r = 5; r >= 0; r--) {
            for (int k = r + 1; k < 6; k++)
                x[r] -= l[k][r] * x[k];
            x[r] /= l[r][r];
        }
        for (int r = 0; r < 6; r++)
            m[r][column] = x[r];
    }
    return true;
}

tl_status tl_krylov_prepare(tl_system *s, bool *regular)
{
    const size_t bodies = s->bodies.count;
    s->krylov.item = sizeof(double);
    TL_TRY(tl_array_resize(&s->krylov, (36 + 4 * 6) * bodies));
    double(*block)[6][6] = s->krylov.data;
    for (size_t i = 0; i < bodies; i++)
        tl_mover_block((const tl_mover *)s->bodies.data + i, block[i]);
    for (size_t i = 0; i < s->touches.count; i++) {
        const tl_touch *t = (const tl_touch *)s->touches.data + i;
        for (int side = 0; side < 2; side++) {
            const uint32_t at = side ? t->b : t->a;
            double own[6][6];
            if (at == TLK_NONE)
                continue;
            tl_touch_block(t, side, side, own);
            for (int k = 0; k < 36; k++)
                block[at][k / 6][k % 6] += own[k / 6][k % 6];
        }
    }
    *regular = true;
    for (size_t i = 0; i < bodies && *regular; i++)
        *regular = tl_block_invert(block[i]);
    return TL_OK;
}

static void multiply_couples(const tl_system *s, const double *x, double *y)
{
    memset(y, 0, s->d.count * sizeof *y);
    for (size_t i = 0; i < s->couples.count; i++) {
        const tl_couple *c = (const tl_couple *)s->couples.data + i;
        const size_t row = 6 * (size_t)c->row, column = 6 * (size_t)c->column;
        for (size_t k = 0; k < 36; k++) {
            y[row + k / 6] += c->block[k / 6][k % 6] * x[column + k % 6];
            if (row != column)
                y[column + k % 6] += c->block[k / 6][k % 6] * x[row + k / 6];
        }
    }
}

void tl_system_multiply(const tl_system *s, bool touches, const double *x, double *y)
{
    const tl_mover *b = s->bodies.data;
    for (size_t i = 0; i < s->bodies.count; i++)
        for (size_t k = 0; k < 3; k++) {
            y[6 * i + k] = b[i].mass * x[6 * i + k];
            y[6 * i + 3 + k] = tl_dot(b[i].inertia[k], x + 6 * i + 3);
        }
    if (s->couples.count)
        multiply_couples(s, x, y);
    for (size_t i = 0; i < s->bonds.count; i++) {
        const tl_bond *bond = (const tl_bond *)s->bonds.data + i;
        if (bond->slope > 0)
            tl_bond_push(s, y, bond, bond->slope * tl_bond_see(s, x, bond));
    }
    for (size_t i = 0; i < s->touches.count && touches; i++) {
        const tl_touch *t = (const tl_touch *)s->touches.data + i;
        double seen[3], push[3];
        tl_touch_see(x, t, seen);
        for (int k = 0; k < 3; k++)
            push[k] = tl_dot(t->k[k], seen);
        tl_touch_add(y, t, push);
    }
}

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void precondition(const tl_system *s, const double *r, double *z)
{
    const double(*block)[6][6] = s->krylov.data;
    for (size_t i = 0; i < s->bodies.count; i++)
        for (int k = 0; k < 6; k++) {
            const double *row = block[i][k];
            z[6 * i + (size_t)k] = inner(row, r + 6 * i, 6);
        }
}

void tl_krylov_solve(tl_system *s, double *x)
{
    const size_t count = 6 * s->bodies.count;
    double *r = (double *)s->krylov.data + 36 * s->bodies.count, *z = r + count, *p = z + count,
           *q = p + count;
    memcpy(r, x, count * sizeof *r);
    memset(x, 0, count * sizeof *x);
    precondition(s, r, z);
    memcpy(p, z, count * sizeof *p);
    double rho = inner(r, z, count);
    const double enough = ENOUGH * ENOUGH * rho;
    for (uint32_t step = 0; step < MOST && rho > enough; step++) {
        tl_system_multiply(s, true, p, q);
        const double alpha = rho / inner(p, q, count);
        for (size_t i = 0; i < count; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        precondition(s, r, z);
        const double next = inner(r, z, count), beta = next / rho;
        for (size_t i = 0; i < count; i++)
            p[i] = z[i] + beta * p[i];
        rho = next;
        s->steps++;
    }
}
