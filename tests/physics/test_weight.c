/* labels: slow */
/* What the report says of weight: which part of it is carried, and the largest part that is not
 * carried across some level. Against closed forms of resting, falling and mixed bodies; and a deep
 * column in which load is built up wave by wave, where the residual sees little. */
#include "support.h"

static tl_report after(const variant *v, int resting, int falling)
{
    const double r = 0.1, h = 1.0 / 200;
    tl_settings settings = settings_for(v, h);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 2, 0);
    add_floor(scene, material);
    for (int i = 0; i < resting; i++)
        add_sphere(scene, material, r, 3, (double[3]){i, 0, r}, (double[3]){0, 0, 0});
    for (int i = 0; i < falling; i++)
        add_sphere(scene, material, r, 1, (double[3]){i, 0, 50}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 10);
    tl_world_destroy(world);
    return report;
}

static void parts(const variant *v)
{
    tl_report r = after(v, 2, 0);
    assert_near(r.carried_weight, 1, slack(v, 1, 100));
    assert_near(r.imbalance, 0, slack(v, 1, 100));
    r = after(v, 0, 2);
    assert_near(r.carried_weight, 0, slack(v, 1, 100));
    assert_near(r.imbalance, 1, slack(v, 1, 100));
    r = after(v, 1, 3); /* half of the weight */
    static const claim c = {"one ball of 3 kg rests, three of 1 kg fall",
                            "closed form: half of the weight", "reported part that is carried",
                            "h = 5 ms"};
    assert_found(&c, v->name, r.carried_weight, 0.5, slack(v, 1, 100));
    assert_near(r.imbalance, 0.5, slack(v, 1, 100));
}

static void test_parts(void **state)
{
    (void)state;
    for_each_variant(parts);
}

/* A column of 60 balls between four walls begins without impulses: with 8 sweeps the floor cannot
 * know the load yet. The report says so while the residual is small, and that it is over when more
 * sweeps have carried the load down. */
static void test_column(void **state)
{
    const double r = 0.1;
    const variant v = variant_at(2 * SOLVERS); /* psor, split, mixed */
    tl_settings settings = settings_for(&v, 1.0 / 200);
    (void)state;
    settings.solver.iterations = 8;
    settings.solver.position_iterations = 4;
    settings.solver.balance_iterations = 0; /* they would find the load at once */
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    add_floor(scene, material);
    for (int i = 0; i < 60; i++)
        add_sphere(scene, material, r, 1, (double[3]){0, 0, (2 * i + 1) * r}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    tl_report report = step_report(world, 1);
    assert_below(report.carried_weight, 0.6);
    assert_above(report.imbalance, 0.4);
    assert_below(report.residual, 0.5 * G * settings.step);
    settings.solver.iterations = 4000;
    assert_ok(tl_world_set_settings(world, &settings));
    report = step_report(world, 50);
    static const claim c = {"a column of 60 balls", "equilibrium",
                            "part of the weight that the floor carries",
                            "h = 5 ms, 50 steps of 4,000 iterations"};
    assert_found(&c, v.name, report.carried_weight, 1, 1e-3);
    assert_below(report.imbalance, 1e-3);
    tl_world_destroy(world);
}

/* Mixed precision at a small step: a velocity of 5 m/s changes by 1e-4 in a step of 1e-5 s, and
 * rounding to the nearest would lose or gain the same 0.2 % of that in every step. */
static void small_steps(const variant *v)
{
    const double h = 1e-5;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0, 0);
    tl_body bodies[50];
    double mean = 0;
    for (int i = 0; i < 50; i++)
        bodies[i] =
            add_sphere(scene, material, 0.1, 1, (double[3]){i, 0, 0}, (double[3]){0, 0, -4.1});
    tl_world *world = world_of(scene);
    step(world, 30000);
    for (int i = 0; i < 50; i++) {
        double u[3];
        velocity_of(world, bodies[i], u);
        mean += (u[2] + 4.1) / 50;
        assert_near(u[2], -4.1 - 0.3 * G, 4 * sqrt(30000) * 0x1p-23 * 4 / sqrt(12) + 1e-6);
    }
    static const claim c = {"50 balls at 4 to 7 m/s in free fall, small steps", "closed form: -g t",
                            "mean change of speed in 0.3 s, m/s", "h = 10 us, 30,000 steps"};
    assert_found(&c, v->name, mean, -0.3 * G, 0x1p-23 * 4 * sqrt(30000 / 50.0) + 1e-6);
    tl_world_destroy(world);
}

static void test_small_steps(void **state)
{
    (void)state;
    for_each_precision(small_steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_small_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
