/* Penalty contact on CPUs looks only at balls that are near in a chunk of substeps: which these are
 * must not make a difference. In phases that the caller runs all pairs count as near. */
#include "penalty.h"

#include <string.h>

/* A step by phases. */
static void by_phases(tl_world *world, double h)
{
    assert_ok(tl_world_update_bounds(world));
    assert_ok(tl_world_find_pairs(world));
    assert_ok(tl_world_advance(world, h, NULL));
}

/* Whether bodies are where they are in another world, and as fast, to the bit. */
static void assert_same(const tl_world *a, const tl_world *b, uint32_t count, const tl_body *bodies)
{
    double x[2][3], v[2][3];
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(tl_world_read_positions(a, 1, bodies + i, x[0]));
        assert_ok(tl_world_read_positions(b, 1, bodies + i, x[1]));
        assert_ok(tl_world_read_velocities(a, 1, bodies + i, v[0]));
        assert_ok(tl_world_read_velocities(b, 1, bodies + i, v[1]));
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
}

static void test_burst(void **state)
{
    (void)state;
    for (int precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        tl_body balls[4];
        double momentum = 0;
        tl_report report;
        tl_world *told = soft_burst((tl_precision)precision, balls);
        tl_world *all = soft_burst((tl_precision)precision, balls);
        for (int k = 0; k < 4; k++) {
            assert_ok(tl_world_step(told, 1, &report));
            if (!k)
                assert_int_equal(report.searches, 2); /* it began again */
            by_phases(all, 5e-3);
            assert_same(told, all, 4, balls);
            if (!k)
                assert_true(soft_velocity(told, balls[2], 0) > 0.005); /* it was hit */
        }
        for (int k = 0; k < 3; k++)
            momentum += soft_velocity(told, balls[k], 0);
        assert_below(fabs(momentum), 1e-6);
        tl_world_destroy(told);
        tl_world_destroy(all);
    }
}

/* A heap that comes to rest on a floor, with a wall that is pushed into it. */
static tl_world *heap(tl_precision precision, uint32_t count, tl_body *balls)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 6);
    dice d = {5};
    tl_body_def wall = tl_body_default();
    tl_shape_def side = tl_box_default(0.1, 1, 1);
    s.settings.precision = precision;
    s.settings.threads = 2;
    s.material.young_modulus = 1e7;
    soft_begin(&s);
    soft_floor(&s, 0);
    side.material = s.of;
    wall.kind = TL_PRESCRIBED;
    wall.shape_count = 1;
    wall.shapes = &side;
    wall.position[0] = -0.35;
    wall.motion.velocity[0] = 0.1;
    assert_ok(tl_scene_add_bodies(s.scene, 1, &wall, NULL));
    for (uint32_t i = 0; i < count; i++) {
        double off[3];
        roll3(&d, -0.003, 0.003, off);
        balls[i] =
            soft_ball(&s, i % 3 ? 0.025 : 0.02,
                      (double[3]){0.055 * (i % 6) - 0.15 + off[0],
                                  0.055 * (i / 6 % 6) - 0.15 + off[1], 0.03 + 0.055 * (i / 36)},
                      NULL, 0.16);
    }
    return soft_world(&s);
}

static void test_heap(void **state)
{
    (void)state;
    enum { COUNT = 180 };
    for (int precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        tl_body balls[COUNT];
        tl_report report;
        uint32_t searches = 0;
        tl_world *told = heap((tl_precision)precision, COUNT, balls);
        tl_world *all = heap((tl_precision)precision, COUNT, balls);
        for (int k = 0; k < 600; k++) {
            assert_ok(tl_world_step(told, 1, &report));
            by_phases(all, 1e-3);
            searches += report.searches;
            if (k % 100 == 99)
                assert_same(told, all, COUNT, balls);
        }
        assert_true(report.active_contacts > 200);
        assert_true(searches < 300); /* pairs last for several steps */
        tl_world_destroy(told);
        tl_world_destroy(all);
    }
}

/* A wall strikes a ball at rest within one step: an elastic ball leaves with twice its speed. */
static void test_struck(void **state)
{
    (void)state;
    for (int precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        soft s = soft_default(TL_PENALTY_HERTZ, 1e-2, 1000);
        tl_body_def wall = tl_body_default();
        tl_shape_def side = tl_box_default(0.1, 1, 1);
        s.settings.precision = (tl_precision)precision;
        s.settings.gravity[2] = 0;
        s.material.restitution = 1;
        soft_begin(&s);
        side.material = s.of;
        wall.kind = TL_PRESCRIBED;
        wall.shape_count = 1;
        wall.shapes = &side;
        wall.position[0] = -0.112;
        wall.motion.velocity[0] = 1;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &wall, NULL));
        const tl_body ball = soft_ball(&s, 0.01, (double[3]){0, 0, 0}, NULL, 0.01);
        tl_world *world = soft_world(&s);
        assert_ok(tl_world_step(world, 1, NULL));
        assert_near(soft_velocity(world, ball, 0), 2, 2e-3);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_burst), cmocka_unit_test(test_heap),
                                       cmocka_unit_test(test_struck)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
