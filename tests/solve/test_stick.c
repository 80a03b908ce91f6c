/* The direct solution of contacts that carry load: the factorization against dense elimination, and
 * what a step makes of it. */
#include "physics/stand.h"
#include "solve/cholesky.h"

/* ---- The factorization ---- */

#define NODES 12
#define SIDE  (6 * NODES)

/* Gaussian elimination with pivots, in place. */
static void eliminate(double (*m)[SIDE], double *x, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++)
            best = fabs(m[r][k]) > fabs(m[best][k]) ? r : best;
        for (int c = 0; c < n; c++) {
            const double swap = m[k][c];
            m[k][c] = m[best][c];
            m[best][c] = swap;
        }
        const double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int r = 0; r < n; r++) {
            const double part = r == k ? 0 : m[r][k] / m[k][k];
            for (int c = k; c < n && r != k; c++)
                m[r][c] -= part * m[k][c];
            x[r] -= part * x[k];
        }
    }
    for (int k = 0; k < n; k++)
        x[k] /= m[k][k];
}

/* Adds a random block to both. */
static void add_random(tl_cholesky *p, double (*dense)[SIDE], uint32_t i, uint32_t j, dice *d)
{
    double block[6][6];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            block[r][c] = i == j && c < r ? block[c][r] : roll(d, -1, 1);
    for (int r = 0; r < 6 && i == j; r++)
        block[r][r] += 100;
    tl_cholesky_add(p, i, j, (const double(*)[6])block);
    for (uint32_t r = 0; r < 6; r++)
        for (uint32_t c = 0; c < 6; c++) {
            dense[6 * i + r][6 * j + c] += block[r][c];
            if (i != j)
                dense[6 * j + c][6 * i + r] += block[r][c];
        }
}

/* Random graphs, some of them in pieces, with edges that are repeated. */
static void test_profile(void **state)
{
    (void)state;
    dice d = {7};
    for (int round = 0; round < 200; round++) {
        static double dense[SIDE][SIDE];
        double x[SIDE], y[SIDE];
        uint32_t edges[3 * NODES][2];
        const size_t count = roll_bits(&d) % (3 * NODES);
        tl_cholesky p;
        context("graph %d", round);
        memset(dense, 0, sizeof dense);
        for (size_t e = 0; e < count; e++) {
            edges[e][0] = (uint32_t)(roll_bits(&d) % NODES);
            edges[e][1] = (edges[e][0] + 1 + (uint32_t)(roll_bits(&d) % (NODES - 1))) % NODES;
        }
        assert_ok(tl_cholesky_make(&p, NODES, (const uint32_t(*)[2])edges, count, INFINITY));
        assert_ok(tl_cholesky_clear(&p));
        for (uint32_t i = 0; i < NODES; i++)
            add_random(&p, dense, i, i, &d);
        for (size_t e = 0; e < count; e++)
            add_random(&p, dense, edges[e][0], edges[e][1], &d);
        for (int k = 0; k < SIDE; k++)
            x[k] = y[k] = roll(&d, -1, 1);
        assert_true(tl_cholesky_factor(&p, NULL));
        tl_cholesky_solve(&p, x);
        eliminate(dense, y, SIDE);
        for (int k = 0; k < SIDE; k++)
            assert_near(x[k], y[k], 1e-12);
        tl_cholesky_free(&p);
    }
}

/* A chain, whatever the order of its nodes: what it takes grows with its length alone. A matrix
 * that is not positive is found out. */
static void test_chain(void **state)
{
    (void)state;
    enum { LONG = 400 };
    uint32_t node[LONG], edges[LONG - 1][2];
    dice d = {3};
    tl_cholesky p;
    context("chain");
    for (uint32_t i = 0; i < LONG; i++)
        node[i] = i;
    for (uint32_t i = LONG - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)(roll_bits(&d) % (i + 1)), swap = node[i];
        node[i] = node[j];
        node[j] = swap;
    }
    for (uint32_t i = 0; i + 1 < LONG; i++) {
        edges[i][0] = node[i];
        edges[i][1] = node[i + 1];
    }
    assert_ok(tl_cholesky_make(&p, LONG, (const uint32_t(*)[2])edges, LONG - 1, INFINITY));
    assert_below(p.work, 3 * 144 * LONG);
    assert_ok(tl_cholesky_clear(&p));
    assert_false(tl_cholesky_factor(&p, NULL));
    tl_cholesky_free(&p);
}

/* ---- In a step ---- */

/* The first step under a load that sweeps do not carry through 50 cubes: all of it is carried. */
static void test_carries(void **state)
{
    (void)state;
    context("a load of 1,000");
    structure *s = tower(50, 2e6);
    tl_world *world = world_of(s->scene);
    const tl_report report = step_report(world, 1);
    assert_near(report.carried_weight, 1, 1e-9);
    assert_below(report.imbalance, 1e-9);
    assert_below(report.max_residual, 1e-6);
    assert_below(report.kinetic_energy, 1e-12);
    tl_world_destroy(world);
    free(s);
}

/* ---- Without memory ---- */

static size_t calls, fail_at;

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    return ++calls == fail_at ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void failing_release(void *block, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(block);
}

/* A step in which any allocation fails leaves the world as it was: made again, it ends as one that
 * did not fail. */
static void test_memory(void **state)
{
    (void)state;
    const tl_allocator failing = {failing_allocate, failing_release, NULL};
    size_t failures = 0;
    double expected[3][3], x[3];
    bool failed = true;
    tl_set_allocator(&failing);
    for (size_t at = 0; failed; at++) { /* at 0 none fails */
        structure *s = tower(3, 2e6);
        tl_world *world = world_of(s->scene);
        context("allocation %zu", at);
        calls = 0;
        fail_at = at;
        const tl_status status = tl_world_step(world, 1, NULL);
        failed = !at || calls >= at;
        failures += status != TL_OK;
        fail_at = 0;
        if (status != TL_OK) {
            assert_status(status, TL_NO_MEMORY);
            step(world, 1);
        }
        step(world, 20);
        for (int i = 0; i < 3; i++) {
            position_of(world, s->body[i], x);
            if (at)
                assert_memory_equal(x, expected[i], sizeof x);
            memcpy(expected[i], x, sizeof x);
        }
        tl_world_destroy(world);
        free(s);
    }
    tl_set_allocator(NULL);
    assert_true(failures > 20); /* the solution alone has as many */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("contacts that stick", tests, NULL, NULL);
}
