/* The solvers on the problems of worlds: piles, where they must agree and APGD must need far fewer
 * iterations than Jacobi, and bodies of several spheres, whose anchor rows are compared with what
 * they are made from. */
#include "physics/shapes.h"
#include "solve/layout.h"

/* One solved problem of a world's next step. */
typedef struct record {
    tl_problem problem;
    tl_solution solution;
    model m;
    uint32_t *place;
    double *gamma, (*vel)[6];
} record;

static record record_solve(tl_world *world, const solver *s, double tolerance, uint32_t most)
{
    record r = {.problem = next_problem(world, s->kind, s->law)};
    const tl_solver_def def = solver_def(s, tolerance);
    r.m = model_recorded(world, &r.problem, &r.place);
    assert_true(r.m.rows > 0);
    r.gamma = zeros(3 * (size_t)r.m.rows, sizeof *r.gamma);
    r.vel = zeros(r.m.bodies, sizeof *r.vel);
    assert_ok(tl_solve(world->backend, &world->workspace, &r.problem, &def, most, &r.solution));
    for (uint32_t i = 0; i < 3 * r.m.rows; i++)
        r.gamma[i] = get(world->backend, r.problem.view.gamma, packet_at(r.place[i / 3], i % 3, 3));
    for (uint32_t i = 0; i < 6 * r.m.bodies; i++)
        r.vel[i / 6][i % 6] =
            get(world->backend, r.problem.view.vel, 8 * (size_t)(i / 6) + i % 6 + i % 6 / 3);
    return r;
}

static void record_free(record *r)
{
    model_free(&r->m);
    free(r->place);
    free(r->gamma);
    free(r->vel);
}

/* The velocities belong to the impulses and the residual is that of the definition. */
static void check_record(tl_world *world, const record *r, tl_law law)
{
    double(*again)[6] = zeros(r->m.bodies, sizeof *again), rms, worst, expected_worst;
    model_velocity(&r->m, r->gamma, again);
    for (uint32_t i = 0; i < 6 * r->m.bodies; i++)
        assert_near(r->vel[i / 6][i % 6], again[i / 6][i % 6], 1e-11);
    const double expected = model_residual(&r->m, r->gamma, r->vel, law, &expected_worst);
    assert_ok(tl_residual(world->backend, &r->problem, &rms, &worst));
    assert_near(rms, expected, 1e-12);
    assert_near(worst, expected_worst, 1e-12);
    assert_near(r->solution.residual, expected, 1e-12);
    free(again);
}

/* Every solver to 1e-7 m/s: those of the cone find the same objective. */
static void solvers_agree(tl_world *world, const char *name)
{
    double objective = 0;
    for (size_t k = 0; k < ALL_SOLVERS; k++) {
        record r = record_solve(world, &solvers[k], 1e-7, 200000);
        context("%s, %s", name, solvers[k].name);
        assert_below(r.solution.residual, 1e-7);
        check_record(world, &r, solvers[k].law);
        const double value = model_objective(&r.m, r.gamma);
        objective = k == 0 ? value : objective;
        if (k < CONE_SOLVERS)
            assert_near(value, objective, 1e-6 * fabs(objective));
        record_free(&r);
    }
}

static void test_small_pile(void **state)
{
    (void)state;
    tl_world *world = settled_pile(50, 5, 180);
    solvers_agree(world, "50 spheres");
    tl_world_destroy(world);
}

static void test_large_pile(void **state)
{
    (void)state;
    tl_world *world = settled_pile(200, 8, 60);
    solvers_agree(world, "200 spheres");
    tl_world_destroy(world);
}

static double cold_residual(tl_world *world)
{
    double rms;
    const tl_problem problem = next_problem(world, TL_APGD, TL_LAW_CONE);
    assert_ok(tl_residual(world->backend, &problem, &rms, NULL));
    return rms;
}

/* Iterations to a residual of 1e-4 of that at the start. */
static void apgd_is_faster(tl_world *world, const char *name)
{
    const double wanted = 1e-4 * cold_residual(world);
    record fast = record_solve(world, &solvers[0], wanted, 100000);
    record slow = record_solve(world, &solvers[2], wanted, 30000);
    context("%s", name);
    print_message("%s: residual %.1e m/s after %u iterations of APGD, %.1e after %u of Jacobi\n",
                  name, fast.solution.residual, fast.solution.iterations, slow.solution.residual,
                  slow.solution.iterations);
    assert_below(fast.solution.residual, wanted);
    assert_true(3 * fast.solution.iterations <= slow.solution.iterations);
    record_free(&fast);
    record_free(&slow);
}

/* Sweeps of the cone law, with momentum, are faster still: without momentum, or with steps that do
 * not take each row to its own minimum, they need several times as many. */
static void test_sweeps_are_faster(void **state)
{
    (void)state;
    tl_world *world = settled_pile(1000, 20, 400);
    record apgd = record_solve(world, &solvers[0], 1e-4, 10000);
    record psor = record_solve(world, &solvers[3], 1e-4, 10000);
    record tight = record_solve(world, &solvers[3], 1e-5, 1024);
    print_message("1,000 spheres: 1e-4 m/s after %u iterations of APGD, %u sweeps, 1e-5 after %u\n",
                  apgd.solution.iterations, psor.solution.iterations, tight.solution.iterations);
    assert_true(2 * psor.solution.iterations <= apgd.solution.iterations);
    assert_below(tight.solution.residual, 1e-5);
    record_free(&apgd);
    record_free(&psor);
    record_free(&tight);
    tl_world_destroy(world);
}

/* Under Coulomb's law the acceleration of APGD does not run away: it goes on to gain. */
static void test_apgd_goes_on(void **state)
{
    (void)state;
    tl_world *world = settled_pile(1000, 20, 400);
    record some = record_solve(world, &solvers[COULOMB_APGD], 0, 128);
    record more = record_solve(world, &solvers[COULOMB_APGD], 0, 256);
    print_message("1,000 spheres: %.2e m/s after 128 iterations, %.2e after 256\n",
                  some.solution.residual, more.solution.residual);
    assert_below(more.solution.residual, 0.75 * some.solution.residual);
    record_free(&some);
    record_free(&more);
    tl_world_destroy(world);
}

static void test_apgd_is_faster(void **state)
{
    (void)state;
    tl_world *world = settled_pile(50, 5, 180);
    apgd_is_faster(world, "50 spheres");
    tl_world_destroy(world);
    world = settled_pile(200, 8, 60);
    apgd_is_faster(world, "200 spheres, falling");
    step(world, 240);
    apgd_is_faster(world, "200 spheres, at rest");
    tl_world_destroy(world);
}

/* ---- Anchor rows ---- */

/* Loose balls and bodies of three spheres each fall on a floor. `inertia` is that of the bodies,
 * all 0 for what their spheres have. */
static tl_world *clumps(const double inertia[3], uint32_t count, uint32_t steps)
{
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 1.0 / 200);
    const tl_material material = add_material(scene, 0.5, 0);
    tl_shape_def shapes[3];
    dice d = {7};
    add_floor(scene, material);
    for (int i = 0; i < 3; i++) {
        shapes[i] = tl_sphere_default(0.1);
        shapes[i].material = material;
        shapes[i].position[0] = 0.3 * (i - 1);
        shapes[i].position[1] = i == 1 ? 0.2 : -0.1;
    }
    for (uint32_t i = 0; i < count; i++) {
        tl_body_def def = tl_body_default();
        def.shape_count = 3;
        def.shapes = shapes;
        def.mass = 1;
        memcpy(def.inertia, inertia, sizeof def.inertia);
        if (i)
            roll_turn(&d, def.orientation);
        def.position[0] = 0.5 * (i % 2);
        def.position[2] = 0.1 + 0.5 * i;
        roll3(&d, -1, 1, def.velocity);
        add_body(scene, &def);
        if (i)
            add_sphere(scene, material, 0.15, 0, (double[3]){-0.6 - 0.02 * i, 0.1, 0.35 * i},
                       (double[3]){1, 0, 0});
    }
    tl_world *world = world_of(scene);
    step(world, steps);
    return world;
}

/* A motion of all bodies as one moves no contact between them. */
static void check_rigid_motion(const tl_world *world, const model *m)
{
    const double v[3] = {0.3, -0.7, 0.5}, w[3] = {1.1, 0.4, -0.8};
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    for (uint32_t i = 0; i < m->bodies; i++) {
        cross3(w, (const double *)world->pos.data + 4 * (size_t)i, vel[i]);
        add3(vel[i], 1, v, vel[i]);
        memcpy(vel[i] + 3, w, sizeof w);
    }
    for (uint32_t i = 0; i < m->rows; i++) {
        double u[3], t[3];
        row_velocity(m, i, vel, u, t);
        add3(u, -m->row[i].bias, m->row[i].n, u);
        if (m->row[i].b < m->moving)
            assert_below(norm3(u), 1e-12);
    }
    free(vel);
}

/* What follows of an anchor row from the rest: its anchors end at one point, where the bodies are;
 * the inverse inertias and the step lengths are those of the model. */
static void check_anchors(const tl_world *world, const record *r, uint32_t i)
{
    const tlk_problem *view = &r->problem.view;
    const model_row *row = &r->m.row[i];
    const uint32_t s = r->place[i];
    double eta[3], w[3][3];
    for (int k = 0; k < 3; k++) {
        const double *x = world->pos.data, *xa = x + 4 * (size_t)row->a,
                     *xb = x + 4 * (size_t)row->b;
        assert_near(xa[k] + row->anchor[0][k], xb[k] + row->anchor[1][k], 1e-12);
    }
    for (int k = 0; k < 12; k++) {
        const uint32_t body = k < 6 ? row->a : row->b;
        const int *at = inverse_at[k % 6];
        const double want = r->m.inverse[body][3 + at[0]][3 + at[1]];
        const double got = get(world->backend, view->inverse, 8 * (size_t)body + k % 6);
        assert_near(got, want, 1e-12 * (1 + fabs(want)));
    }
    row_eta(&r->m, i, eta);
    row_matrix(&r->m, i, w);
    for (uint32_t k = 0; k < 2; k++)
        assert_near(get(world->backend, view->head, packet_at(s, 4 + k, TLK_HEAD)) / eta[k], 1,
                    1e-9);
    /* Gauss-Seidel with a longer step swings up */
    assert_below(row->step, 3 / (w[0][0] + w[1][1] + w[2][2]) * (1 + 1e-12));
    assert_below(row->step * row_largest(w), 1.95);
}

static void check_rows(tl_world *world, const char *name)
{
    uint32_t anchors = 0, central = 0;
    record r = record_solve(world, &solvers[0], 0, 1);
    context("%s", name);
    check_rigid_motion(world, &r.m);
    for (uint32_t i = 0; i < r.m.rows; i++) {
        assert_near(norm3(r.m.row[i].n), 1, 1e-12);
        central += r.m.row[i].central;
        anchors += !r.m.row[i].central;
        if (!r.m.row[i].central)
            check_anchors(world, &r, i);
    }
    assert_true(anchors >= 3);
    assert_true(central >= 1 || r.m.moving == 1);
    record_free(&r);
}

static void test_clumps(void **state)
{
    (void)state;
    tl_world *world = clumps((double[3]){0, 0, 0}, 8, 120);
    check_rows(world, "clumps");
    solvers_agree(world, "clumps");
    tl_world_destroy(world);
}

/* Bodies that turn far more easily about one axis than about the others: a row's own matrix has one
 * large eigenvalue. */
static void test_slender_rows(void **state)
{
    (void)state;
    tl_world *world = clumps((double[3]){0.004, 0.2, 0.2}, 1, 60);
    check_rows(world, "a slender body");
    tl_world_destroy(world);
}

static void test_slender_solvers(void **state)
{
    (void)state;
    tl_world *world = clumps((double[3]){0.004, 0.2, 0.2}, 1, 60);
    solvers_agree(world, "a slender body");
    tl_world_destroy(world);
}

/* Looking at the next step's problem changes nothing. */
static void test_untouched(void **state)
{
    (void)state;
    tl_world *seen = settled_pile(50, 5, 60), *other = settled_pile(50, 5, 60);
    context("untouched");
    for (int i = 0; i < 20; i++) {
        tl_problem problem;
        assert_ok(tl_step_problem(seen, &problem));
        step(seen, 1);
        step(other, 1);
        assert_true(tl_world_hash(seen) == tl_world_hash(other));
    }
    tl_world_destroy(seen);
    tl_world_destroy(other);
}

/* A wall of bricks in running bond, its first step from zero impulses: what jacobi leaves. */
static double wall_residual(const variant *v, uint32_t iterations, double omega)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = iterations;
    settings.solver.omega = omega;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.5, 0);
    add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0}, upright);
    for (int i = 0; i < 36; i++)
        add_block(scene, material, (double[3]){0.2, 0.1, 0.1},
                  (double[3]){0.4 * (i % 6) + (i / 6 % 2 ? 0.2 : 0), 0, 0.1 + 0.2 * (i / 6)},
                  upright);
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 1);
    tl_world_destroy(world);
    return report.residual;
}

/* Manifolds of four points push alike: a step that suits each of them alone makes 0.3 m/s of 0.008
 * in 50 iterations. With steps that bodies bear, the residual falls, whatever omega is. */
static void test_bricks(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant v = variant_at(i);
        if (v.kind != TL_JACOBI || v.overlap != TL_OVERLAP_SPLIT)
            continue;
        for (int k = 0; k < 3; k++) {
            const double omega = (double[3]){0, 0.3, 1.9}[k];
            context("%s, omega %g", v.name, omega);
            const double few = wall_residual(&v, 20, omega), more = wall_residual(&v, 200, omega);
            assert_true(few < 9.81 / 200);
            assert_true(more < 0.5 * few);
            assert_true(wall_residual(&v, 1000, omega) < 0.2 * more);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_pile),   unwatched_test(test_large_pile),
        unwatched_test(test_apgd_is_faster), unwatched_test(test_sweeps_are_faster),
        unwatched_test(test_apgd_goes_on),   cmocka_unit_test(test_clumps),
        cmocka_unit_test(test_slender_rows), cmocka_unit_test(test_slender_solvers),
        cmocka_unit_test(test_untouched),    cmocka_unit_test(test_bricks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
