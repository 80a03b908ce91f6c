/* Worlds between steps: adding and removing bodies, reading and writing states, changing settings,
 * warnings, runs that fail, and worlds with little in them. test_world_refusals.c has what each
 * call refuses. */
#include "support.h"

/* ---- What the library says, in one place ---- */

#define SAYS_OVERLAP                                                                              \
    "bodies 3 and 4 overlap by 0.15 m, 30 % of the smaller radius; 2 pairs overlap by more than " \
    "10 %"
#define SAYS_FAST                                                                      \
    "step 204: body 2 at (0, 0, %g) would move at (0, 0, -10.0062) m/s; the limit is " \
    "settings.max_speed = 10"

static void expect_bodies(const tl_world *world, size_t count, const uint32_t *indices)
{
    tl_body bodies[16];
    assert_int_equal(tl_world_body_count(world), count);
    assert_ok(tl_world_list_bodies(world, count, bodies));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bodies[i].index, indices[i]);
        assert_int_equal(bodies[i].generation, 1);
        assert_true(tl_world_has_body(world, bodies[i]));
    }
}

/* ---- Adding and removing ---- */

/* Names stay with their bodies, are not used again, and bodies keep the order they came in. */
static void test_add_and_remove(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        tl_world *world = five(precision ? TL_DOUBLE : TL_MIXED);
        const tl_shape_def ball = tl_sphere_default(0.1);
        const tl_body_def late[2] = {ball_at(&ball, 5, 1), ball_at(&ball, 6, 2)};
        const tl_body gone[2] = {{4, 1}, {2, 1}}, last = {5, 1};
        tl_body fresh[2], bodies[5];
        double x[3], before[3], all[15];

        expect_bodies(world, 5, (const uint32_t[]){1, 2, 3, 4, 5});
        step(world, 5);
        position_of(world, last, before);
        assert_ok(tl_world_remove_bodies(world, 2, gone));
        expect_bodies(world, 3, (const uint32_t[]){1, 3, 5});
        assert_false(tl_world_has_body(world, gone[0]));
        assert_false(tl_world_has_body(world, gone[1]));
        position_of(world, last, x);
        assert_memory_equal(x, before, sizeof x);

        assert_ok(tl_world_add_bodies(world, 2, late, fresh));
        assert_int_equal(fresh[0].index, 6);
        assert_int_equal(fresh[1].index, 7);
        expect_bodies(world, 5, (const uint32_t[]){1, 3, 5, 6, 7});
        position_of(world, fresh[1], x);
        assert_near(x[2], 2, 0);
        step(world, 5);
        assert_ok(tl_world_find_contacts(world));
        assert_int_equal(tl_world_contact_count(world), 2);

        /* All, and by name in another order. */
        const tl_body named[2] = {fresh[0], {3, 1}};
        double some[6];
        assert_ok(tl_world_list_bodies(world, 5, bodies));
        assert_ok(tl_world_read_positions(world, 5, NULL, all));
        assert_ok(tl_world_read_positions(world, 2, named, some));
        assert_memory_equal(&some[0], &all[9], 3 * sizeof(double));
        assert_memory_equal(&some[3], &all[3], 3 * sizeof(double));
        for (int i = 0; i < 5; i++) {
            position_of(world, bodies[i], x);
            assert_memory_equal(x, &all[3 * i], sizeof x);
        }
        tl_world_destroy(world);
    }
}

/* Removing or adding none, all, and one of many between steps. */
static void test_churn(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    tl_body bodies[16];
    dice d = {4};
    const tl_shape_def ball = tl_sphere_default(0.1);
    assert_ok(tl_world_remove_bodies(world, 0, NULL));
    assert_ok(tl_world_add_bodies(world, 0, NULL, NULL));
    uint32_t newest = 5;
    for (int i = 0; i < 200; i++) {
        const size_t count = tl_world_body_count(world);
        const tl_body_def def = ball_at(&ball, roll(&d, -1, 1), roll(&d, 0.2, 2));
        step(world, 1);
        if (count < 14) {
            tl_body body;
            assert_ok(tl_world_add_bodies(world, 1, &def, &body));
            assert_int_equal(body.index, ++newest);
        } else {
            assert_ok(tl_world_list_bodies(world, count, bodies));
            assert_ok(tl_world_remove_bodies(world, 1, &bodies[roll_bits(&d) % count]));
        }
    }
    const size_t count = tl_world_body_count(world);
    assert_ok(tl_world_list_bodies(world, count, bodies));
    for (size_t i = 1; i < count; i++)
        assert_true(bodies[i].index > bodies[i - 1].index);
    assert_ok(tl_world_remove_bodies(world, count, bodies));
    assert_int_equal(tl_world_body_count(world), 0);
    step(world, 2);
    assert_int_equal(tl_world_contact_count(world), 0);
    tl_world_destroy(world);
}

/* ---- Reading and writing ---- */

static void test_reading(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    double masses[5], q[20], u[15];
    assert_ok(tl_world_read_masses(world, 5, NULL, masses));
    assert_ok(tl_world_read_orientations(world, 5, NULL, q));
    assert_ok(tl_world_read_velocities(world, 5, NULL, u));
    for (int i = 0; i < 5; i++) {
        assert_near(masses[i], i, 0); /* 0 for the floor */
        assert_near(q[4 * i], 1, 0);
        assert_near(norm3(&u[3 * i]), 0, 0);
    }
    tl_shape_def ball = tl_sphere_default(0.5);
    tl_body_def defs[2] = {tl_body_default(), tl_body_default()};
    tl_body added[3] = {{1, 1}}; /* the floor */
    double moments[9];
    defs[0].shape_count = 1;
    defs[0].shapes = &ball;
    defs[0].mass = 3;
    defs[0].position[2] = 50;
    defs[1].mass = 2;
    memcpy(defs[1].inertia, (double[3]){0.5, 0.6, 0.7}, sizeof defs[1].inertia);
    defs[1].position[2] = 60;
    assert_ok(tl_world_add_bodies(world, 2, defs, added + 1));
    assert_ok(tl_world_read_inertias(world, 3, added, moments));
    for (int k = 0; k < 3; k++) {
        assert_near(moments[k], 0, 0);
        assert_near(moments[3 + k], 0.4 * 3 * 0.25, 1e-15); /* 2/5 m r^2 */
        assert_near(moments[6 + k], defs[1].inertia[k], 0);
    }
    tl_world_destroy(world);
}

static void test_write_velocities(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    const tl_body two[2] = {{5, 1}, {3, 1}};
    const double u[6] = {1, 2, 3, 4, 5, 6}, w[6] = {-1, -2, -3, -4, -5, -6};
    double got[3];
    assert_ok(tl_world_write_velocities(world, 2, two, u, NULL));
    assert_ok(tl_world_write_velocities(world, 1, &two[1], NULL, &w[3]));
    assert_ok(tl_world_write_velocities(world, 2, two, NULL, NULL));
    velocity_of(world, two[1], got);
    assert_memory_equal(got, &u[3], sizeof got);
    spin_of(world, two[1], got);
    assert_memory_equal(got, &w[3], sizeof got);
    spin_of(world, two[0], got);
    assert_near(norm3(got), 0, 0);
    tl_world_destroy(world);
}

/* ---- Settings and forces ---- */

static void test_settings(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    tl_settings settings = tl_world_settings(world);
    const tl_body body = {2, 1};
    double u[3];
    assert_near(settings.step, 1.0 / 200, 0);
    settings.gravity[2] = 5; /* up and away */
    settings.step = 0.01;
    assert_ok(tl_world_set_settings(world, &settings));
    step(world, 10);
    velocity_of(world, body, u);
    assert_near(u[2], 0.5, 1e-6);
    assert_near(tl_world_time(world), 0.1, 1e-12);
    assert_int_equal(strncmp(tl_world_backend(world), "cpu", 3), 0);
    tl_world_destroy(world);
}

/* Forces added to a world act; they go with their body, and its neighbours' stay. */
static void test_forces(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    double u[3];
    for (uint32_t i = 2; i <= 5; i++) {
        tl_force_def force = tl_force_default();
        force.body = (tl_body){i, 1};
        force.force[2] = 2 * G * (i - 1); /* twice its weight */
        assert_ok(tl_world_add_force(world, &force));
    }
    assert_ok(tl_world_remove_bodies(world, 1, &(tl_body){3, 1}));
    step(world, 100);
    for (uint32_t i = 2; i <= 5; i += i == 2 ? 2 : 1) {
        velocity_of(world, (tl_body){i, 1}, u);
        assert_near(u[2], G * 0.5, 1e-9);
    }
    tl_world_destroy(world);
}

/* ---- Warnings and failures ---- */

/* Spheres of radius 0.5 in a row: 2 and 3 overlap by 0.06, 3 and 4 by 0.15. A tenth of the radius
 * is where the warning starts. */
static void test_overlapping(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    const double places[] = {-9, 0, 0.94, 1.79, 5};
    tl_world *world = NULL;
    tl_scene *scene = scene_with(&settings);
    context("overlapping");
    for (int i = 0; i < 5; i++)
        add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){places[i], 0, 0},
                   (double[3]){0, 0, 0});
    assert_refused(tl_world_create(scene, &world), TL_OVERLAPPING, SAYS_OVERLAP);
    assert_non_null(world);
    step(world, 1);
    tl_world_destroy(world);
    tl_scene_destroy(scene);

    scene = scene_with(&settings); /* 0.04 is below a tenth of 0.5: no warning */
    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0.96, 0, 0}, (double[3]){0, 0, 0});
    assert_ok(tl_world_create(scene, &world));
    tl_world_destroy(world);
    tl_scene_destroy(scene);
}

/* A body that falls past max_speed stops the run; the state is that of the last good step. The fall
 * gains 9.81 / 200 = 0.04905 m/s a step: 10 m/s are passed in step 204 with 10.0062. */
static void test_diverged(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        tl_settings settings = tl_settings_default();
        settings.max_speed = 10;
        settings.precision = precision ? TL_DOUBLE : TL_MIXED;
        tl_scene *scene = scene_with(&settings);
        tl_world *world = NULL, *twin = NULL;
        tl_report report;
        char text[160];
        double x[3];
        context("diverged");
        add_floor(scene, (tl_material){0});
        add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 0, 90}, (double[3]){0, 0, 0});
        add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){1, 0, 0.1}, (double[3]){0, 0, 0});
        assert_ok(tl_world_create(scene, &world));
        assert_ok(tl_world_create(scene, &twin));
        tl_scene_destroy(scene);
        step(twin, 203);
        position_of(twin, (tl_body){2, 1}, x);
        snprintf(text, sizeof text, SAYS_FAST, x[2]);
        assert_refused(tl_world_step(world, 500, &report), TL_DIVERGED, text);
        assert_int_equal(report.steps, 0);
        assert_true(tl_world_hash(world) == tl_world_hash(twin));
        assert_near(tl_world_time(world), 203.0 / 200, 1e-12);
        assert_refused(tl_world_step(world, 1, NULL), TL_DIVERGED, text);

        /* With a higher limit both go on, the same way. */
        settings.max_speed = 100;
        assert_ok(tl_world_set_settings(world, &settings));
        assert_ok(tl_world_set_settings(twin, &settings));
        step(world, 50);
        step(twin, 50);
        assert_true(tl_world_hash(world) == tl_world_hash(twin));
        tl_world_destroy(twin);
        tl_world_destroy(world);
    }
}

/* A force without bounds makes the velocity infinite or NaN, which no max_speed may let through. */
static void test_nan(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    tl_force_def force = tl_force_default();
    force.body = (tl_body){4, 1};
    force.force[0] = 1e300;
    force.torque[1] = 1e300;
    assert_ok(tl_world_add_force(world, &force));
    const uint64_t hash = tl_world_hash(world);
    assert_status(tl_world_step(world, 1, NULL), TL_DIVERGED);
    assert_non_null(strstr(tl_last_message(), "body 4"));
    assert_true(tl_world_hash(world) == hash);
    tl_world_destroy(world);
}

/* ---- Worlds with little in them; reports ---- */

static void test_empty(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* nothing; only a floor; a lone sphere */
        tl_settings settings = tl_settings_default();
        tl_scene *scene = scene_with(&settings);
        context("empty world %d", kind);
        if (kind == 1)
            add_floor(scene, (tl_material){0});
        if (kind == 2)
            add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 0, 1}, (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        const tl_report report = step_report(world, 10);
        assert_int_equal(report.steps, 10);
        assert_near(report.time, 0.05, 1e-12);
        assert_int_equal(report.bodies, kind == 2);
        assert_int_equal(report.contacts + report.active_contacts, 0);
        assert_near(report.residual + report.max_residual + report.dissipated_energy, 0, 0);
        assert_near(report.max_penetration + report.mean_penetration, 0, 0);
        assert_int_equal(tl_world_contact_count(world), 0);
        assert_ok(tl_world_read_contacts(world, 0, NULL));
        tl_world_destroy(world);
    }
}

static void test_report(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    const uint64_t hash = tl_world_hash(world);
    assert_ok(tl_world_step(world, 0, NULL));
    assert_true(tl_world_hash(world) == hash);
    const tl_report report = step_report(world, 7);
    assert_int_equal(report.steps, 7);
    assert_near(report.time, 0.035, 1e-12);
    assert_int_equal(report.bodies, 4);
    assert_int_equal(report.contacts, 4);
    assert_int_equal(report.active_contacts, 4);
    assert_true(report.colours >= 1);
    assert_true(report.iterations >= 1);
    assert_below(report.max_residual, 1e-9);
    assert_below(report.residual, report.max_residual + 1e-30);
    assert_near(report.potential_energy, (1 + 2 + 3 + 4) * G * 0.1, 1e-9);
    assert_below(report.kinetic_energy, 1e-12);
    assert_true(report.total_ms > 0);
    assert_true(report.bytes > 0 && report.peak_bytes >= report.bytes);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_remove),
        cmocka_unit_test(test_churn),

        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_write_velocities),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_report),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
