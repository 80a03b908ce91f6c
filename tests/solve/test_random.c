/* The solvers on random problems: every claim checked from the definitions, and the solvers against
 * each other. The relaxed problem is convex, so all of them must find the same objective and, as
 * those are unique, the same velocities; Coulomb's conditions are looked at row by row. */
#include "solve/layout.h"

#define MOST 200000 /* iterations: far more than any of these problems needs */

typedef struct extent {
    uint32_t bodies, rows;
} extent;

static const extent sizes[] = {{6, 5}, {30, 50}, {80, 200}};

#define SIZES (sizeof sizes / sizeof *sizes)
#define SEEDS (WATCHED ? 1 : 4)

/* A problem with what is known of it. */
typedef struct bench {
    model m;
    fixture f;
    double *gamma, (*vel)[6], (*again)[6];
} bench;

static bench bench_of(model m, tl_precision precision, bool anchors)
{
    return (bench){.m = m,
                   .f = fixture_new(&m, precision, anchors),
                   .gamma = zeros(3 * (size_t)m.rows, sizeof(double)),
                   .vel = zeros(m.bodies, sizeof(double[6])),
                   .again = zeros(m.bodies, sizeof(double[6]))};
}

static bench bench_new(uint64_t seed, family which, extent size, tl_precision precision,
                       bool anchors)
{
    context("%s, %u rows, seed %u, %s", family_names[which], size.rows, (unsigned)seed,
            precision == TL_DOUBLE ? "double" : "mixed");
    return bench_of(model_random(seed, which, size.bodies, size.rows), precision, anchors);
}

static void bench_free(bench *b)
{
    fixture_free(&b->f);
    model_free(&b->m);
    free(b->gamma);
    free(b->vel);
    free(b->again);
}

static void solve_bench(bench *b, const solver *s, double tolerance, const double *start)
{
    char was[sizeof test_context];
    memcpy(was, test_context, sizeof was);
    context("%.100s, %s", was, s->name);
    const tl_solution solution = solve(&b->f, &b->m, s, tolerance, MOST, start);
    assert_below(solution.residual, tolerance);
    fixture_read(&b->f, &b->m, b->gamma, b->vel);
    memcpy(test_context, was, sizeof was);
}

static double largest_difference(const bench *b, double (*x)[6], double (*y)[6])
{
    double most = 0;
    for (uint32_t i = 0; i < b->m.bodies; i++)
        for (int k = 0; k < 6; k++)
            most = fmax(most, fabs(x[i][k] - y[i][k]));
    return most;
}

/* What holds for every solver: the velocities belong to the impulses, and the residual is that of
 * the definition. Returns the worst row's. */
static double check_claims(bench *b, tl_law law, double rounding)
{
    double rms, worst, expected_worst;
    model_velocity(&b->m, b->gamma, b->again);
    assert_below(largest_difference(b, b->vel, b->again), rounding);
    const double expected = model_residual(&b->m, b->gamma, b->vel, law, &expected_worst);
    assert_ok(tl_residual(b->f.backend, &b->f.problem, &rms, &worst));
    assert_near(rms, expected, 0.1 * rounding);
    assert_near(worst, expected_worst, 0.1 * rounding);
    return expected_worst;
}

/* Impulses in the cone, velocities in the dual cone, at right angles. The residual r of a row is
 * |d|, d = (g - z) / eta with z = P(g - eta w); as w - d is in the dual cone and at right angles to
 * z, each of these holds up to r. */
static void check_cone(const bench *b, double r, double rounding)
{
    for (uint32_t i = 0; i < b->m.rows; i++) {
        const double *g = b->gamma + 3 * i, mu = b->m.row[i].mu, gn = dot3(g, b->m.row[i].n);
        double eta[3], w[3], wt[3], gt[3];
        row_eta(&b->m, i, eta);
        const double wn = row_velocity(&b->m, i, b->again, w, wt);
        add3(g, -gn, b->m.row[i].n, gt);
        assert_below(norm3(gt), mu * gn + rounding);
        assert_above(wn, mu * norm3(wt) - 2 * r - rounding);
        assert_below(fabs(dot3(w, g)), 2 * (r + rounding) * (norm3(g) + eta[2] * (norm3(w) + r)));
    }
}

/* Signorini's and Coulomb's conditions, up to the residual r (as above, with w + mu |w_t| n). */
static void check_coulomb(const bench *b, double r, double rounding)
{
    for (uint32_t i = 0; i < b->m.rows; i++) {
        const double *g = b->gamma + 3 * i, mu = b->m.row[i].mu, gn = dot3(g, b->m.row[i].n);
        double eta[3], w[3], wt[3], gt[3];
        row_eta(&b->m, i, eta);
        const double wn = row_velocity(&b->m, i, b->again, w, wt), slip = norm3(wt);
        const double slack = 2 * (r + rounding) * (norm3(g) + eta[2] * (norm3(w) + mu * slip + r));
        add3(g, -gn, b->m.row[i].n, gt);
        assert_above(gn, -rounding);                          /* pushes */
        assert_above(wn, -2 * r - rounding);                  /* no approach */
        assert_below(fabs(gn * wn), slack);                   /* a push or a gap */
        assert_below(norm3(gt), mu * gn + rounding);          /* friction's limit */
        assert_below((mu * gn - norm3(gt)) * slip, slack);    /* reached where it slips */
        assert_below(norm3(gt) * slip + dot3(gt, wt), slack); /* and against the slip */
    }
}

/* The interior-point method on the same problem. Its own residual is the root of impulses times
 * velocities, which bounds how far these are off. */
static void solve_inside(bench *b)
{
    tl_interior out;
    context("interior, %u rows", b->m.rows);
    fixture_start(&b->f, &b->m, NULL);
    assert_ok(tl_solve_interior(b->f.backend, &b->f.problem, 1, 1e-6, 10, &out));
    assert_false(out.done); /* it may not take as much */
    assert_ok(tl_solve_interior(b->f.backend, &b->f.problem, 1, 1e-6, 1e12, &out));
    assert_true(out.done && out.iterations < 40);
    assert_below(out.residual, 1e-4);
    fixture_read(&b->f, &b->m, b->gamma, b->vel);
}

/* Velocities are off by the residual times the problem's condition, a hundred at most for these;
 * the objective by far less. */
static void cone_solvers_agree(bench *b, double tolerance, double rounding)
{
    double(*first)[6] = zeros(b->m.bodies, sizeof *first), objective = 0;
    for (int k = 0; k < CONE_SOLVERS; k++) {
        solve_bench(b, &solvers[k], tolerance, NULL);
        const double worst = check_claims(b, TL_LAW_CONE, rounding);
        const double value = model_objective(&b->m, b->gamma);
        check_cone(b, worst, rounding);
        if (k == 0) {
            objective = value;
            memcpy(first, b->vel, b->m.bodies * sizeof *first);
            assert_below(objective, -1e-3); /* some rows push */
        }
        assert_near(value, objective, tolerance * fabs(objective));
        assert_below(largest_difference(b, b->vel, first), 1000 * tolerance);
    }
    solve_inside(b);
    check_cone(b, check_claims(b, TL_LAW_CONE, rounding), rounding);
    assert_near(model_objective(&b->m, b->gamma), objective, 1e-5 * fabs(objective));
    assert_below(largest_difference(b, b->vel, first), 1e-3);
    free(first);
}

static void for_each_problem(tl_precision precision, void (*run)(bench *))
{
    for (int which = 0; which < FAMILIES; which++)
        for (size_t s = 0; s < SIZES; s++)
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                bench b = bench_new(seed, (family)which, sizes[s], precision, false);
                run(&b);
                bench_free(&b);
            }
}

static void cone_double(bench *b)
{
    cone_solvers_agree(b, 1e-9, 1e-12);
}

/* Velocities of some metres a second are known to 24 bits, 3e-7 of them, and a row sums a dozen
 * such numbers: the residual can go down to a few 1e-6. psor adds up what each of some hundred
 * sweeps rounds away, so that its velocities are a little further from those of its impulses. */
static void cone_mixed(bench *b)
{
    cone_solvers_agree(b, 1e-5, 5e-5);
}

static void test_cone_double(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, cone_double);
}

static void test_cone_mixed(void **state)
{
    (void)state;
    for_each_problem(TL_MIXED, cone_mixed);
}

static void coulomb(bench *b)
{
    const bool twice = b->f.backend->precision == TL_DOUBLE;
    const double rounding = twice ? 1e-12 : 5e-5, tolerance = twice ? 1e-9 : 1e-5;
    double(*first)[6] = zeros(b->m.bodies, sizeof *first);
    for (size_t k = CONE_SOLVERS; k < ALL_SOLVERS; k++) {
        solve_bench(b, &solvers[k], tolerance, NULL);
        check_coulomb(b, check_claims(b, TL_LAW_COULOMB, rounding), rounding);
        if (k == CONE_SOLVERS)
            memcpy(first, b->vel, b->m.bodies * sizeof *first);
        assert_below(largest_difference(b, b->vel, first), 1000 * tolerance);
    }
    free(first);
}

static void test_coulomb(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, coulomb);
    for_each_problem(TL_MIXED, coulomb);
}

/* Impulses and velocities that solve nothing, in and out of the cones: the residual is still that
 * of the definition, for either law, and without friction where the problem says so. */
static void arbitrary_residual(bench *b)
{
    const double rounding = b->f.backend->precision == TL_DOUBLE ? 1e-13 : 1e-5;
    dice d = {b->m.rows};
    for (uint32_t i = 0; i < 3 * b->m.rows; i++)
        b->gamma[i] = roll(&d, -3, 3);
    for (uint32_t i = 0; i < 6 * b->m.bodies; i++)
        b->vel[i / 6][i % 6] = roll(&d, -3, 3);
    fixture_write(&b->f, &b->m, b->gamma, b->vel);
    for (int mode = 0; mode < 3; mode++) {
        double rms, worst, expected_worst;
        b->f.problem.view.coulomb = mode == 1;
        b->f.problem.view.frictionless = mode == 2;
        for (uint32_t i = 0; mode == 2 && i < b->m.rows; i++)
            b->m.row[i].mu = 0;
        const double expected = model_residual(
            &b->m, b->gamma, b->vel, mode == 1 ? TL_LAW_COULOMB : TL_LAW_CONE, &expected_worst);
        assert_ok(tl_residual(b->f.backend, &b->f.problem, &rms, &worst));
        assert_near(rms, expected, rounding * expected);
        assert_near(worst, expected_worst, rounding * expected_worst);
    }
}

/* Any impulses, added to the velocities row by row and by bodies' lists: M^-1 D gamma of the dense
 * matrices; nothing is iterated. */
static void pushes(bench *b)
{
    const solver *const by[] = {&solvers[CONE_SOLVERS], &solvers[2]}; /* psor, jacobi */
    const double rounding = b->f.backend->precision == TL_DOUBLE ? 1e-12 : 1e-3;
    dice d = {b->m.rows};
    for (uint32_t i = 0; i < 3 * b->m.rows; i++)
        b->gamma[i] = roll(&d, -3, 3);
    model_velocity(&b->m, b->gamma, b->again);
    for (int k = 0; k < 2; k++) {
        double *start = zeros(3 * (size_t)b->m.rows, sizeof *start);
        memcpy(start, b->gamma, 3 * b->m.rows * sizeof *start);
        solve(&b->f, &b->m, by[k], 0, 0, start);
        fixture_read(&b->f, &b->m, b->gamma, b->vel);
        assert_below(largest_difference(b, b->vel, b->again), rounding);
        free(start);
    }
}

static void test_pushes(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, pushes);
    for_each_problem(TL_MIXED, pushes);
}

static void test_arbitrary_residual(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, arbitrary_residual);
    for_each_problem(TL_MIXED, arbitrary_residual);
}

/* Central rows made anchor rows: the same iterates, up to rounding; but for sweeps of the cone law,
 * which take half steps in anchor rows. */
static void test_central_as_anchors(void **state)
{
    (void)state;
    const family with_central[] = {BALLS, MIXED};
    for (size_t n = 0; n < 2 * SIZES * SEEDS * ALL_SOLVERS; n++) {
        const uint64_t seed = 1 + n / (2 * SIZES) % SEEDS;
        const solver *s = &solvers[n / (2 * SIZES * SEEDS)];
        if (s->kind == TL_PSOR && s->law == TL_LAW_CONE)
            continue;
        bench central =
            bench_new(seed, with_central[n % 2], sizes[n / 2 % SIZES], TL_DOUBLE, false);
        bench anchors = bench_new(seed, with_central[n % 2], sizes[n / 2 % SIZES], TL_DOUBLE, true);
        assert_true(central.f.problem.view.anchor_base > 0 || central.m.rows < 10);
        assert_int_equal(anchors.f.problem.view.anchor_base, 0);
        solve(&central.f, &central.m, s, 0, 20, NULL);
        solve(&anchors.f, &anchors.m, s, 0, 20, NULL);
        fixture_read(&central.f, &central.m, central.gamma, central.vel);
        fixture_read(&anchors.f, &anchors.m, anchors.gamma, anchors.vel);
        for (uint32_t i = 0; i < 3 * central.m.rows; i++)
            assert_near(anchors.gamma[i], central.gamma[i], 1e-11);
        assert_below(largest_difference(&central, central.vel, anchors.vel), 1e-11);
        bench_free(&central);
        bench_free(&anchors);
    }
}

/* From other impulses the solvers come to the same solution, and from the solution they stay. */
static void warm_start(bench *b)
{
    double *start = zeros(3 * (size_t)b->m.rows, sizeof *start);
    dice d = {b->m.rows};
    for (uint32_t i = 0; i < b->m.rows; i++) {
        roll3(&d, -2, 2, start + 3 * i);
        project(&b->m.row[i], start + 3 * i);
    }
    solve_bench(b, &solvers[0], 1e-9, NULL);
    const double objective = model_objective(&b->m, b->gamma);
    for (size_t k = 0; k < ALL_SOLVERS; k++) {
        const double rounding = 1e-12;
        solve_bench(b, &solvers[k], 1e-9, start);
        const double worst = check_claims(b, solvers[k].law, rounding);
        if (solvers[k].law == TL_LAW_COULOMB)
            check_coulomb(b, worst, rounding);
        else
            assert_near(model_objective(&b->m, b->gamma), objective, 1e-8 * fabs(objective));
        const tl_solution again = solve(&b->f, &b->m, &solvers[k], 2e-9, MOST, b->gamma);
        assert_true(again.iterations <= 10);
    }
    free(start);
}

static void test_warm_start(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, warm_start);
}

/* The position problem's form: friction is taken as none, whatever the rows say. */
static void frictionless(bench *b)
{
    double first = 0;
    b->f.problem.view.frictionless = 1;
    for (uint32_t i = 0; i < b->m.rows; i++)
        b->m.row[i].mu = 0;
    for (size_t k = 0; k < ALL_SOLVERS; k++) {
        solve_bench(b, &solvers[k], 1e-9, NULL);
        const double worst = check_claims(b, solvers[k].law, 1e-12);
        const double objective = model_objective(&b->m, b->gamma);
        check_cone(b, worst, 1e-12);
        check_coulomb(b, worst, 1e-12);
        first = k == 0 ? objective : first;
        assert_near(objective, first, 1e-8 * fabs(first));
    }
}

static void test_frictionless(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, frictionless);
}

/* Normals along the axes, and with `column` along one of them with all velocities: there impulses
 * and velocities have no tangential part at all, not even by rounding. */
static model axis_model(uint64_t seed, bool column)
{
    model m = model_random(seed, BALLS, sizes[1].bodies, sizes[1].rows);
    make_solvable(&m);
    for (uint32_t i = 0; i < m.rows; i++) {
        for (uint32_t k = 0; k < 3; k++)
            m.row[i].n[k] = (column ? 2 : i % 3) == k ? (i & 1 ? 1 : -1) : 0;
        central_anchors(&m.row[i], norm3(m.row[i].anchor[0]), norm3(m.row[i].anchor[1]));
        row_jacobian(&m.row[i]);
    }
    for (uint32_t i = 0; column && i < m.moving; i++)
        for (int k = 0; k < 6; k++)
            m.free[i][k] = k == 2 ? m.free[i][k] : 0;
    return m;
}

static void test_axes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        bench b = bench_of(axis_model(seed, seed > SEEDS), TL_DOUBLE, false);
        context("axes, seed %u", (unsigned)seed);
        cone_double(&b);
        coulomb(&b);
        frictionless(&b);
        bench_free(&b);
    }
}

/* Other factors lead to the same solution. */
static void factors(bench *b)
{
    const struct {
        int solver;
        double omega, lambda;
    } cases[] = {{2, 0.1, 1}, {2, 0.15, 0.6}, {3, 0.6, 1}, {3, 1.2, 1}, {4, 0.6, 1}, {4, 1.2, 1}};
    solve_bench(b, &solvers[0], 1e-9, NULL);
    const double objective = model_objective(&b->m, b->gamma);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const solver *s = &solvers[cases[i].solver];
        tl_solver_def def = solver_def(s, 1e-9);
        def.omega = cases[i].omega;
        def.lambda = cases[i].lambda;
        const tl_solution solution = solve_as(&b->f, &b->m, &def, MOST, NULL);
        assert_below(solution.residual, 1e-9);
        fixture_read(&b->f, &b->m, b->gamma, b->vel);
        const double worst = check_claims(b, s->law, 1e-12);
        if (s->law == TL_LAW_COULOMB)
            check_coulomb(b, worst, 1e-12);
        else
            assert_near(model_objective(&b->m, b->gamma), objective, 1e-9 * fabs(objective));
    }
}

static void test_factors(void **state)
{
    (void)state;
    for (int which = 0; which < FAMILIES; which++) {
        bench b = bench_new(2, (family)which, sizes[1], TL_DOUBLE, false);
        factors(&b);
        bench_free(&b);
    }
}

/* A body with more rows than there are colours: what found none is solved one after the other. */
static void test_hub(void **state)
{
    (void)state;
    const solver *psor = &solvers[CONE_SOLVERS];
    for (int which = 0; which < FAMILIES; which++) {
        model m = model_random(9, (family)which, 120, 100);
        for (uint32_t i = 0; i < m.rows; i++)
            m.row[i].b = i ? 0 : m.moving;
        context("hub, %s", family_names[which]);
        for (uint32_t i = 0; i < m.rows; i++) {
            /* balls of MIXED now touch bodies of other kinds */
            const bool balls = is_ball(m.inverse[m.row[i].a]) && is_ball(m.inverse[m.row[i].b]);
            m.row[i].central = m.row[i].central && balls;
            /* and what was a wall has anchors now */
            if (m.row[i].central)
                central_anchors(&m.row[i], norm3(m.row[i].anchor[0]), norm3(m.row[i].anchor[1]));
            row_jacobian(&m.row[i]);
        }
        make_solvable(&m);
        bench b = bench_of(m, TL_DOUBLE, false);
        const tl_segment *last = &b.f.problem.segments[b.f.problem.segment_count - 1];
        assert_true(last->serial && last->end - last->begin > 10);
        solve_bench(&b, psor, 1e-9, NULL);
        check_coulomb(&b, check_claims(&b, TL_LAW_COULOMB, 1e-11), 1e-11);
        bench_free(&b);
    }
}

/* Iterations are as many as asked; gradient solvers return the best they have seen. */
static void test_iterations(void **state)
{
    (void)state;
    bench b = bench_new(1, MIXED, sizes[2], TL_DOUBLE, false);
    for (size_t k = 0; k < ALL_SOLVERS; k++) {
        double last = INFINITY, rms;
        for (uint32_t n = 1; n <= 60; n++) {
            const tl_solution solution = solve(&b.f, &b.m, &solvers[k], 0, n, NULL);
            assert_int_equal(solution.iterations, n);
            if (solvers[k].kind != TL_APGD && solvers[k].kind != TL_SPG)
                continue;
            assert_ok(tl_residual(b.f.backend, &b.f.problem, &rms, NULL));
            assert_near(solution.residual, rms, 1e-12);
            assert_below(solution.residual, last);
            last = solution.residual;
        }
    }
    bench_free(&b);
}

static void test_no_rows(void **state)
{
    (void)state;
    bench b = bench_of(model_random(1, BALLS, 5, 0), TL_DOUBLE, false);
    context("no rows");
    for (size_t k = 0; k < ALL_SOLVERS; k++) {
        double rms, worst;
        const tl_solution solution = solve(&b.f, &b.m, &solvers[k], 1e-9, 10, NULL);
        fixture_read(&b.f, &b.m, b.gamma, b.vel);
        assert_ok(tl_residual(b.f.backend, &b.f.problem, &rms, &worst));
        assert_int_equal(solution.iterations, 0);
        assert_true(solution.residual == 0 && rms == 0 && worst == 0);
        assert_true(largest_difference(&b, b.vel, b.m.free) == 0);
    }
    bench_free(&b);
}

/* One sweep takes a central row alone to its minimum under the cone law: nothing is left. */
static void test_one_row(void **state)
{
    (void)state;
    uint32_t rows = 0, slide = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const extent size = {2, 1};
        bench b = bench_new(seed, BALLS, size, TL_DOUBLE, false);
        const model_row *row = &b.m.row[0];
        double worst, normal = 0, square = 0;
        solve(&b.f, &b.m, &solvers[3], 0, 1, NULL);
        fixture_read(&b.f, &b.m, b.gamma, b.vel);
        model_residual(&b.m, b.gamma, b.vel, TL_LAW_CONE, &worst);
        assert_below(worst, 1e-12);
        for (int k = 0; k < 3; k++) {
            normal += b.gamma[k] * row->n[k];
            square += b.gamma[k] * b.gamma[k];
        }
        rows += normal > 0;
        slide += normal > 0 && sqrt(square - normal * normal) > 0.999 * row->mu * normal;
        bench_free(&b);
    }
    print_message("%u of 100 rows push, %u of them slide\n", rows, slide);
    assert_true(slide > 10 && rows > slide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cone_double),  cmocka_unit_test(test_cone_mixed),
        cmocka_unit_test(test_coulomb),      cmocka_unit_test(test_arbitrary_residual),
        cmocka_unit_test(test_warm_start),   cmocka_unit_test(test_central_as_anchors),
        cmocka_unit_test(test_frictionless), cmocka_unit_test(test_hub),
        cmocka_unit_test(test_iterations),   cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_axes),         cmocka_unit_test(test_factors),
        cmocka_unit_test(test_pushes),       cmocka_unit_test(test_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
