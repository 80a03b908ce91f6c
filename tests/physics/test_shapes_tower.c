/* labels: longer slow */
/* Tall things of boxes stand, with the settings of a plain scene: towers, a wall; and what leans
 * too far falls. */
#include "physics/stand.h"

#include <stdio.h>

#define BY_DEFAULT "friction 0.5, h = 5 ms, iterations as by default"

/* Courses of bricks in running bond; every other one begins and ends with half a brick. */
static structure *wall(int wide, int high)
{
    const double half[3] = {0.1, 0.05, 0.05}, end[3] = {0.05, 0.05, 0.05};
    structure *s = build(0.5);
    for (int j = 0; j < high; j++) {
        const double z = 0.05 + 0.1 * j;
        if (j % 2 == 0) {
            for (int i = 0; i < wide; i++)
                lay(s, half, (double[3]){0.1 + 0.2 * i, 0, z}, upright, 2000);
            continue;
        }
        lay(s, end, (double[3]){0.05, 0, z}, upright, 2000);
        for (int i = 1; i < wide; i++)
            lay(s, half, (double[3]){0.2 * i, 0, z}, upright, 2000);
        lay(s, end, (double[3]){0.2 * wide - 0.05, 0, z}, upright, 2000);
    }
    return s;
}

/* Stands for so long: drifts by less than this, and sinks by less than 2 mm. */
static void expect_still(structure *s, const char *what, double time, double drifts)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "drift in %g s, m", time);
    context("%s", what);
    const drift d = expect_standing(s, time, drifts, 2e-3);
    const claim c = {what, "stands where it was built", quantity, BY_DEFAULT};
    assert_found(&c, "psor coulomb, split, mixed", d.aside, 0, drifts);
    free(s);
}

static void test_low(void **state)
{
    (void)state;
    expect_still(tower(10, 2000), "a tower of 10 cubes of edge 0.2 m", 20, 1e-4);
}

static void test_tower(void **state)
{
    (void)state;
    expect_still(tower(50, 2000), "a tower of 50 cubes of edge 0.2 m", 20, 1e-4);
}

static void test_heavy(void **state)
{
    (void)state;
    expect_still(tower(50, 2e6), "a tower of 50 cubes, the topmost 1,000 times as heavy", 20, 1e-4);
}

/* Most bodies are at rest, one is not. */
static void test_beside(void **state)
{
    (void)state;
    structure *s = tower(50, 2000);
    tl_shape_def shape = tl_sphere_default(0.1);
    shape.material = s->material;
    tl_body_def ball = body_of(&shape, 2000, (double[3]){1, 1, 0.1}, upright);
    ball.velocity[0] = 1;
    ball.angular_velocity[1] = 10;
    add_body(s->scene, &ball);
    context("beside a ball that rolls");
    tl_report report;
    tl_world *world = stand(s, 20, &report);
    assert_below(drift_of(s, world).aside, 1e-4);
    assert_near(report.kinetic_energy, 0.7 * 2000 * 4 / 3. * PI * 1e-3, 1e-3);
    tl_world_destroy(world);
    free(s);
}

static void test_wall(void **state)
{
    (void)state;
    expect_still(wall(20, 20), "a wall of 20 x 20 bricks in running bond", 10, 5e-4);
}

/* A stack of 20 cubes, each a little further to one side: it stands while the centre of those above
 * the lowest, 10 such steps aside, is above that one. */
static void test_leaning(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1};
    for (int falls = 0; falls < 2; falls++) {
        structure *s = build(0.5);
        const double aside = falls ? 0.0105 : 0.0095;
        for (int i = 0; i < 20; i++)
            lay(s, half, (double[3]){aside * i, 0, 0.1 + 0.2 * i}, upright, 2000);
        if (!falls) {
            expect_still(s, "a leaning stack of 20 cubes, 0.95 of the lean at which it falls", 10,
                         1e-4);
            continue;
        }
        context("beyond the lean at which it falls");
        tl_report report;
        tl_world *world = stand(s, 5, &report);
        assert_above(drift_of(s, world).aside, 1);
        tl_world_destroy(world);
        free(s);
    }
}

/* ---- The same bits ---- */

static tl_world *tower_world(structure *s, uint32_t threads)
{
    tl_settings settings = tl_scene_settings(s->scene);
    settings.threads = threads;
    assert_ok(tl_scene_set_settings(s->scene, &settings));
    return world_of(s->scene);
}

static void assert_same(const structure *s, const tl_world *world, const tl_world *other)
{
    for (int i = 0; i < s->count; i++) {
        double x[3], y[3], p[4], q[4];
        position_of(world, s->body[i], x);
        position_of(other, s->body[i], y);
        orientation_of(world, s->body[i], p);
        orientation_of(other, s->body[i], q);
        assert_memory_equal(x, y, sizeof x);
        assert_memory_equal(p, q, sizeof p);
    }
}

/* By any number of threads, and from a snapshot after each step: also between one that stops
 * bodies and the one after it. */
static void test_bits(void **state)
{
    (void)state;
    const uint32_t steps = 400;
    context("bits");
    structure *s = tower(50, 2000), *copies[3];
    for (int i = 0; i < 3; i++)
        copies[i] = tower(50, 2000);
    tl_world *world = tower_world(s, 1), *again = tower_world(copies[2], 1);
    step(world, steps);
    for (uint32_t k = 0; k < steps; k++) {
        void *snapshot;
        size_t bytes;
        step(again, 1);
        assert_ok(tl_world_save(again, &snapshot, &bytes));
        tl_world_destroy(again);
        assert_ok(tl_world_load(snapshot, bytes, &again));
        tl_snapshot_free(snapshot, bytes);
    }
    assert_same(s, world, again);
    tl_world_destroy(again);
    for (uint32_t i = 0; i < 2; i++) {
        tl_world *other = tower_world(copies[i], 2 + i);
        step(other, steps);
        assert_same(s, world, other);
        tl_world_destroy(other);
    }
    tl_world_destroy(world);
    for (int i = 0; i < 3; i++)
        free(copies[i]);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_low),    cmocka_unit_test(test_tower), cmocka_unit_test(test_heavy),
        cmocka_unit_test(test_beside), cmocka_unit_test(test_wall),  cmocka_unit_test(test_leaning),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("towers and walls", tests, NULL, NULL);
}
