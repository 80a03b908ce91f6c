/* labels: slow */
/* Pairs that are far apart when a step begins and meet in it because of impulses within it: they
 * are looked for a second time, and do not end deep in each other. */
#include "physics/shapes.h"

/* A heavy ball strikes the first of a row, which then crosses more than the envelope within the
 * same step. Without a second look it would end 25 mm deep in the next one. */
static void row(const variant *v, double e)
{
    const double r = 0.1, h = 1.0 / 200;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0, e);
    tl_body bodies[5];
    uint32_t searches = 1;
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < 5; i++)
        bodies[i] = add_sphere(scene, material, r, i ? 1 : 20,
                               (double[3]){i * (2 * r + 0.02) - (i ? 0 : 0.01), 0, 0},
                               (double[3]){i ? 0 : 10, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 20; i++) {
        const tl_report report = step_report(world, 1);
        double x[5][3];
        searches = report.searches > searches ? report.searches : searches;
        assert_ok(tl_world_read_positions(world, 5, bodies, &x[0][0]));
        for (int k = 1; k < 5; k++)
            assert_above(x[k][0] - x[k - 1][0], 2 * r - 0.11 * r);
    }
    assert_true(searches >= 2);
    tl_world_destroy(world);
}

static void rows(const variant *v)
{
    row(v, 0);
    row(v, 0.5);
    row(v, 1);
}

static void test_row(void **state)
{
    (void)state;
    for_each_variant(rows);
}

/* The same with other shapes than balls: each is 0.2 m thick along x, and the last stands before a
 * wall that is no simple partner. The balance of a heavy body and a light one before a wall takes
 * many sweeps. Nothing ends deeper in its neighbour than 1 % of its width; without a second look,
 * the second would be 22 mm deep in the third, and that in the wall. */
static void bodies_in_a_row(tl_shape_def shape, tl_shape_def wall)
{
    tl_settings own = tl_settings_default();
    own.step = 1.0 / 200;
    own.threads = 1;
    own.solver.iterations = own.solver.position_iterations = 300;
    tl_scene *scene = scene_with(&own);
    const tl_material material = add_material(scene, 0, 0);
    tl_body bodies[3];
    uint32_t searches = 1;
    set_gravity(scene, 0, 0, 0);
    shape.material = wall.material = material;
    for (int i = 0; i < 3; i++) {
        tl_body_def def =
            body_of(&shape, i ? 100 : 2000, (double[3]){0.22 * i - (i ? 0 : 0.01), 0, 0}, upright);
        def.velocity[0] = i ? 0 : 10;
        bodies[i] = add_body(scene, &def);
    }
    add_fixed(scene, wall, material, (double[3]){0.66, 0, 0}, upright);
    tl_world *world = world_of(scene);
    for (int i = 0; i < 20; i++) {
        const tl_report report = step_report(world, 1);
        double x[3][3];
        searches = report.searches > searches ? report.searches : searches;
        assert_ok(tl_world_read_positions(world, 3, bodies, &x[0][0]));
        for (int k = 1; k < 3; k++)
            assert_above(x[k][0] - x[k - 1][0], 0.2 - 0.002);
        assert_below(x[2][0], 0.46 + 0.002);
    }
    assert_true(searches >= 2);
    tl_world_destroy(world);
}

static void test_shapes(void **state)
{
    (void)state;
    const tl_shape_def wall = tl_box_default(0.1, 0.5, 0.5);
    context("boxes in a row");
    bodies_in_a_row(tl_box_default(0.1, 0.1, 0.1), wall);
    context("capsules in a row");
    bodies_in_a_row(tl_capsule_default(0.1, 0.02), wall);
    context("cylinders in a row");
    bodies_in_a_row(tl_cylinder_default(0.1, 0.05), wall);
}

/* Loose balls, into which a heavy one falls that crosses more than a radius in a step: where pairs
 * are missed, some end 1.2 radii deep in each other. */
static void heap(const variant *v)
{
    const double r = 0.1;
    tl_scene *scene = scene_for(v, 1.0 / 200);
    const tl_material material = add_material(scene, 0.4, 0.3);
    dice d = {3};
    add_floor(scene, material);
    for (int i = 0; i < 150; i++)
        add_sphere(scene, material, roll(&d, 0.6, 1) * r, 0,
                   (double[3]){0.22 * (i % 5) + roll(&d, 0, 0.01), 0.22 * (i / 5 % 5),
                               0.12 + 0.22 * (double)(i / 25)},
                   (double[3]){0, 0, 0});
    add_sphere(scene, material, 2 * r, 200, (double[3]){0.5, 0.45, 30}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double worst = 0;
    for (int i = 0; i < 540; i++) {
        const tl_report report = step_report(world, 1);
        worst = fmax(worst, report.max_penetration);
    }
    assert_below(worst, 0.5 * r);
    tl_world_destroy(world);
}

/* A ball that slides, rolls and comes to rest needs no second look. */
static void test_rest(void **state)
{
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 1.0 / 200);
    const tl_material material = add_material(scene, 0.4, 0.3);
    (void)state;
    add_floor(scene, material);
    add_sphere(scene, material, 0.1, 0, (double[3]){0, 0, 0.1}, (double[3]){3, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 200; i++)
        assert_int_equal(step_report(world, 1).searches, 1);
    tl_world_destroy(world);
}

static void test_heap(void **state)
{
    (void)state;
    for_each_precision(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_row), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_heap), cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
