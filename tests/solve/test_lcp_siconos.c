/* Lemke's method against Siconos: its own lexicographic Lemke, and the enumeration of all
 * solutions, among which ours must be, on thousands of random problems; and its Newton method for
 * mixed problems, on those of a body with contacts as document 003 writes them. */
#include "solve/lcp.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <MCP_cst.h>
#include <MixedComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 12

/* Siconos keeps some of its memory; what is lost there is not ours. Read by the leak sanitizer. */
TL_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libsiconos_numerics\n";
}

static uint64_t seed = 1;

static double draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53 * 2 - 1;
}

/* The kinds of matrix: positive definite, positive semidefinite of low rank, that of friction
 * (copositive), any. */
enum { DEFINITE, SEMIDEFINITE, FRICTION, ANY, KINDS };

/* n rows of n; row by row. */
static void fill_matrix(int kind, uint32_t n, double *m, double *q)
{
    double g[MOST * MOST];
    const uint32_t rank = kind == SEMIDEFINITE ? (n + 1) / 2 : n;
    for (uint32_t i = 0; i < n * rank; i++)
        g[i] = draw();
    for (uint32_t i = 0; i < n; i++) {
        q[i] = draw();
        for (uint32_t j = 0; j < n; j++) {
            double sum = kind == ANY ? draw() : 0;
            for (uint32_t k = 0; kind != ANY && k < rank; k++)
                sum += g[i * rank + k] * g[j * rank + k];
            m[i * n + j] = sum;
        }
    }
    if (kind == SEMIDEFINITE) /* one that can be solved: q = w - M z */
        for (uint32_t i = 0; i < n; i++) {
            const bool open = draw() > 0;
            const double z = open ? 0 : fabs(draw());
            q[i] = open ? fabs(draw()) : 0;
            g[i] = z;
        }
    if (kind == SEMIDEFINITE)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                q[i] -= m[i * n + j] * g[j];
    if (kind != FRICTION)
        return;
    /* blocks of four: normal, two directions, slip */
    for (uint32_t c = 0; c + 4 <= n; c += 4) {
        for (uint32_t j = 0; j < n; j++) {
            m[(c + 2) * n + j] = -m[(c + 1) * n + j];
            m[(c + 3) * n + j] = 0;
        }
        q[c + 2] = -q[c + 1];
        q[c + 3] = 0;
    }
    for (uint32_t c = 0; c + 4 <= n; c += 4) {
        for (uint32_t i = 0; i < n; i++) {
            m[i * n + c + 2] = -m[i * n + c + 1];
            m[i * n + c + 3] = 0;
        }
        m[(c + 1) * n + c + 3] = m[(c + 2) * n + c + 3] = 1;
        m[(c + 3) * n + c] = 0.5;
        m[(c + 3) * n + c + 1] = m[(c + 3) * n + c + 2] = -1;
    }
}

/* Siconos reads matrices column by column. */
static LinearComplementarityProblem *problem_of(uint32_t n, const double *m, const double *q)
{
    LinearComplementarityProblem *p = calloc(1, sizeof *p);
    double *columns = malloc(n * n * sizeof *columns);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            columns[j * n + i] = m[i * n + j];
    p->size = (int)n;
    p->M = NM_create_from_data(NM_DENSE, (int)n, (int)n, columns);
    p->q = malloc(n * sizeof *p->q);
    memcpy(p->q, q, n * sizeof *q);
    return p;
}

static double worst_of(uint32_t n, const double *m, const double *q, const double *z)
{
    double worst = 0;
    for (uint32_t i = 0; i < n; i++) {
        double w = q[i];
        for (uint32_t j = 0; j < n; j++)
            w += m[i * n + j] * z[j];
        worst = fmax(worst, fabs(fmin(w, z[i])));
    }
    return worst;
}

static void test_random_problems(void **state)
{
    (void)state;
    tl_array room = {.item = sizeof(double)};
    uint32_t solved = 0, rays = 0, theirs = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const int kind = trial % KINDS;
        const uint32_t n =
            kind == FRICTION ? 4u * (1 + trial / KINDS % 3) : 1 + (uint32_t)(trial / KINDS) % MOST;
        double m[MOST * MOST], q[MOST], z[MOST], other[MOST] = {0}, w[MOST] = {0};
        tl_lcp found;
        fill_matrix(kind, n, m, q);
        assert_int_equal(tl_lcp_lemke(&room, n, m, q, z, &found), TL_OK);
        LinearComplementarityProblem *p = problem_of(n, m, q);
        SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
        const int info = linearComplementarity_driver(p, other, w, options);
        solver_options_delete(options);
        theirs += !info && worst_of(n, m, q, other) < 1e-6;
        if (found.end == TL_LCP_SOLVED) {
            solved++;
            assert_true(worst_of(n, m, q, z) < 1e-8 && found.residual < 1e-8);
        } else {
            rays++;
            assert_int_equal(kind, ANY); /* the others have solutions that Lemke finds */
        }
        if (kind == DEFINITE && !info)
            for (uint32_t i = 0; i < n; i++) /* there is one solution only */
                assert_true(fabs(z[i] - other[i]) < 1e-6 * (1 + fabs(z[i])));
        freeLinearComplementarityProblem(p);
    }
    tl_array_free(&room);
    print_message("%u solved, %u on a ray; Siconos' Lemke: %u\n", solved, rays, theirs);
    assert_true(solved >= theirs);
}

/* Whether Siconos' enumeration has ours among its solutions. */
static bool is_among(LinearComplementarityProblem *p, const double *z)
{
    bool found = false;
    const uint32_t n = (uint32_t)p->size;
    SolverOptions *options = solver_options_create(SICONOS_LCP_ENUM);
    options->iparam[SICONOS_LCP_IPARAM_ENUM_MULTIPLE_SOLUTIONS] = 0;
    for (int start = 0; start < 1 << n && !found;) {
        double other[MOST] = {0}, w[MOST] = {0};
        double off = 0;
        options->iparam[SICONOS_LCP_IPARAM_ENUM_SEED] = start;
        lcp_enum_init(p, options, 1);
        int info = 0;
        lcp_enum(p, other, w, &info, options);
        start = options->iparam[SICONOS_LCP_IPARAM_ENUM_CURRENT_ENUM] + 1;
        lcp_enum_reset(p, options, 1);
        if (info)
            break;
        for (uint32_t i = 0; i < n; i++)
            off = fmax(off, fabs(other[i] - z[i]) / (1 + fabs(z[i])));
        found = off < 1e-6;
    }
    solver_options_delete(options);
    return found;
}

static void test_enumeration(void **state)
{
    (void)state;
    tl_array room = {.item = sizeof(double)};
    uint32_t compared = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const uint32_t n = 1 + (uint32_t)trial % 6;
        double m[MOST * MOST], q[MOST], z[MOST];
        tl_lcp found;
        fill_matrix(trial % 2 ? ANY : DEFINITE, n, m, q);
        assert_int_equal(tl_lcp_lemke(&room, n, m, q, z, &found), TL_OK);
        if (found.end != TL_LCP_SOLVED)
            continue;
        LinearComplementarityProblem *p = problem_of(n, m, q);
        assert_true(is_among(p, z));
        freeLinearComplementarityProblem(p);
        compared++;
    }
    tl_array_free(&room);
    print_message("%u problems enumerated\n", compared);
    assert_true(compared > 1000);
}

#define FREE     6 /* velocities of a body */
#define CONTACTS 4

/* Equation (3): M v - G p = M v0, 0 <= p _|_ G' v + psi / h >= 0. */
typedef struct body_problem {
    double mass[FREE], v0[FREE], g[CONTACTS][FREE], psi_h[CONTACTS];
} body_problem;

static void mixed_value(void *env, int size, double *z, double *f)
{
    const body_problem *b = env;
    (void)size;
    for (int k = 0; k < FREE; k++) {
        f[k] = b->mass[k] * (z[k] - b->v0[k]);
        for (int c = 0; c < CONTACTS; c++)
            f[k] -= b->g[c][k] * z[FREE + c];
    }
    for (int c = 0; c < CONTACTS; c++) {
        f[FREE + c] = b->psi_h[c];
        for (int k = 0; k < FREE; k++)
            f[FREE + c] += b->g[c][k] * z[k];
    }
}

static void mixed_slope(void *env, int size, double *z, NumericsMatrix *out)
{
    const body_problem *b = env;
    (void)z;
    memset(out->matrix0, 0, (size_t)(size * size) * sizeof(double));
    for (int k = 0; k < FREE; k++) { /* column by column */
        out->matrix0[k * size + k] = b->mass[k];
        for (int c = 0; c < CONTACTS; c++) {
            out->matrix0[(FREE + c) * size + k] = -b->g[c][k];
            out->matrix0[k * size + FREE + c] = b->g[c][k];
        }
    }
}

/* Ours: the same with velocities eliminated. */
static void reduced_velocity(tl_array *room, const body_problem *b, double v[FREE])
{
    double m[CONTACTS * CONTACTS], q[CONTACTS], p[CONTACTS];
    tl_lcp found;
    for (int i = 0; i < CONTACTS; i++) {
        q[i] = b->psi_h[i];
        for (int k = 0; k < FREE; k++)
            q[i] += b->g[i][k] * b->v0[k];
        for (int j = 0; j < CONTACTS; j++) {
            m[i * CONTACTS + j] = 0;
            for (int k = 0; k < FREE; k++)
                m[i * CONTACTS + j] += b->g[i][k] * b->g[j][k] / b->mass[k];
        }
    }
    assert_int_equal(tl_lcp_lemke(room, CONTACTS, m, q, p, &found), TL_OK);
    assert_int_equal(found.end, TL_LCP_SOLVED);
    for (int k = 0; k < FREE; k++) {
        v[k] = b->v0[k];
        for (int c = 0; c < CONTACTS; c++)
            v[k] += b->g[c][k] * p[c] / b->mass[k];
    }
}

static void test_mixed(void **state)
{
    (void)state;
    tl_array room = {.item = sizeof(double)};
    uint32_t compared = 0, pushed = 0;
    for (int trial = 0; trial < 500; trial++) {
        body_problem b;
        double v[FREE], z[FREE + CONTACTS] = {0}, w[FREE + CONTACTS] = {0}, off = 0, change = 0;
        for (int k = 0; k < FREE; k++) {
            b.mass[k] = 1 + fabs(draw());
            b.v0[k] = draw();
            for (int c = 0; c < CONTACTS; c++)
                b.g[c][k] = draw();
        }
        for (int c = 0; c < CONTACTS; c++)
            b.psi_h[c] = 0.5 * draw();
        reduced_velocity(&room, &b, v);
        MixedComplementarityProblem *p = mixedComplementarityProblem_new();
        p->n1 = FREE;
        p->n2 = CONTACTS;
        p->compute_Fmcp = mixed_value;
        p->compute_nabla_Fmcp = mixed_slope;
        p->env = &b;
        p->nabla_Fmcp = NM_create(NM_DENSE, FREE + CONTACTS, FREE + CONTACTS);
        SolverOptions *options = solver_options_create(SICONOS_MCP_NEWTON_FB_FBLSA);
        options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
        const int info = mcp_driver(p, z, w, options);
        solver_options_delete(options);
        p->env = NULL;
        mixedComplementarityProblem_free(p);
        if (info)
            continue;
        for (int k = 0; k < FREE; k++) {
            off = fmax(off, fabs(z[k] - v[k]));
            change = fmax(change, fabs(v[k] - b.v0[k]));
        }
        assert_true(off < 1e-6);
        compared++;
        pushed += change > 1e-6;
    }
    tl_array_free(&room);
    print_message("%u mixed problems, %u with impulses\n", compared, pushed);
    assert_true(compared > 400 && pushed > 300);
}

/* A problem without a solution ends on a ray, and degenerate ones do not cycle. */
static void test_ray_and_ties(void **state)
{
    (void)state;
    tl_array room = {.item = sizeof(double)};
    const double against[4] = {0, -1, 0, 0}, q[2] = {-1, -1};
    double z[9];
    tl_lcp found;
    assert_int_equal(tl_lcp_lemke(&room, 2, against, q, z, &found), TL_OK);
    assert_int_equal(found.end, TL_LCP_RAY);
    double ones[81], ties[9];
    for (int i = 0; i < 81; i++)
        ones[i] = 1;
    for (int i = 0; i < 9; i++)
        ties[i] = -1;
    assert_int_equal(tl_lcp_lemke(&room, 9, ones, ties, z, &found), TL_OK);
    assert_int_equal(found.end, TL_LCP_SOLVED);
    assert_true(found.residual < 1e-14);
    tl_array_free(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_problems), cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_mixed), cmocka_unit_test(test_ray_and_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
