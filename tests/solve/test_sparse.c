/* The sparse factorization of islands against Gaussian elimination of the whole matrix: solutions,
 * the sign of the determinant, and that the order leaves less to do than the matrix has. */
#include "solve/sparse.h"

#include "solve/lcp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 60u /* nodes */

static uint64_t seed = 5;

static double draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53 * 2 - 1;
}

static uint32_t pick(uint32_t below)
{
    return (uint32_t)(0.5 * (draw() + 1) * below) % below;
}

/* The sign of the determinant, by elimination with pivots. */
static int sign_of(uint32_t n, double *a)
{
    int sign = 1;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (uint32_t j = 0; best != k && j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        sign = (best != k) == (a[k * n + k] < 0) ? sign : -sign;
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = n; j-- > k;)
                a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
    return sign;
}

/* Adds a block to both; `all`: 6 nodes rows of as many. */
static void add(tl_sparse *p, double *all, uint32_t i, uint32_t j, double shift)
{
    const size_t n = 6 * (size_t)p->nodes;
    double block[6][6];
    for (size_t r = 0; r < 6; r++)
        for (size_t c = 0; c < 6; c++) {
            block[r][c] = draw() + (r == c ? (r ? fabs(shift) : shift) : 0);
            all[(6 * (size_t)i + r) * n + 6 * (size_t)j + c] += block[r][c];
        }
    tl_sparse_add(p, i, j, (const double(*)[6])block);
}

static void test_random(void **state)
{
    (void)state;
    tl_sparse p;
    tl_sparse_init(&p);
    int negative = 0;
    for (int trial = 0; trial < 60; trial++) {
        const uint32_t nodes = 1 + pick(MOST), edges = trial % 3 ? 2 * nodes : nodes / 2;
        const uint32_t n = 6 * nodes;
        uint32_t edge[2 * MOST][2];
        double *all = calloc(2 * (size_t)n * n + 2 * n, sizeof *all), *copy = all + (size_t)n * n;
        double *x = copy + (size_t)n * n, *want = x + n;
        for (uint32_t e = 0; e < edges; e++) { /* some twice, some of a node with itself */
            edge[e][0] = pick(nodes);
            edge[e][1] = pick(nodes);
        }
        assert_int_equal(tl_sparse_make(&p, nodes, (const uint32_t(*)[2])edge, edges), TL_OK);
        assert_int_equal(tl_sparse_clear(&p), TL_OK);
        for (uint32_t i = 0; i < nodes; i++)
            add(&p, all, i, i, i == 0 && trial % 2 ? -40 : 40); /* one pivot below 0 */
        for (uint32_t e = 0; e < edges; e++) {
            add(&p, all, edge[e][0], edge[e][1], 0);
            add(&p, all, edge[e][1], edge[e][0], 0);
        }
        for (uint32_t i = 0; i < n; i++)
            x[i] = want[i] = draw();
        memcpy(copy, all, (size_t)n * n * sizeof *copy);
        assert_true(tl_sparse_factor(&p));
        tl_sparse_solve(&p, x);
        assert_true(tl_dense_solve(n, copy, want));
        for (uint32_t i = 0; i < n; i++)
            assert_true(fabs(x[i] - want[i]) < 1e-11);
        const int sign = sign_of(n, all);
        assert_int_equal(tl_sparse_sign(&p), sign);
        negative += sign < 0;
        free(all);
    }
    assert_true(negative > 5);
    tl_sparse_free(&p);
}

/* A chain fills nothing, in whatever order its nodes are numbered; a matrix of zeros has no
 * factors.
 */
static void test_order(void **state)
{
    (void)state;
    tl_sparse p;
    uint32_t edge[99][2];
    const double zero[6][6] = {{0}};
    tl_sparse_init(&p);
    for (uint32_t i = 0; i < 99; i++) {
        edge[i][0] = 37 * i % 100;
        edge[i][1] = 37 * (i + 1) % 100;
    }
    assert_int_equal(tl_sparse_make(&p, 100, (const uint32_t(*)[2])edge, 99), TL_OK);
    assert_int_equal(p.list.count, 99);
    assert_int_equal(tl_sparse_clear(&p), TL_OK);
    tl_sparse_add(&p, 0, 0, zero);
    assert_false(tl_sparse_factor(&p));
    tl_sparse_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
