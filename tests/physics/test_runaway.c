/* What moves a body is bounded, whatever it is: a velocity, the correction of an overlap, a
 * prescribed motion. A step that would take a body too far fails, names it and changes nothing; so
 * the checkpoint of a run is never refused. */
#include "support.h"

static void expect_diverged(tl_world *world, const char *text)
{
    const uint64_t before = tl_world_hash(world);
    const double time = tl_world_time(world);
    assert_status(tl_world_step(world, 1, NULL), TL_DIVERGED);
    if (!strstr(tl_last_message(), text))
        fail_msg("%s: the message is \"%s\"", test_context, tl_last_message());
    assert_true(tl_world_hash(world) == before && tl_world_time(world) == time);
}

/* A snapshot of the world makes a world again. */
static void expect_checkpoint(const tl_world *world)
{
    void *data;
    size_t bytes;
    tl_world *other = NULL;
    assert_ok(tl_world_save(world, &data, &bytes));
    assert_ok(tl_world_load(data, bytes, &other));
    assert_true(tl_world_hash(world) == tl_world_hash(other));
    tl_world_destroy(other);
    tl_snapshot_free(data, bytes);
}

static tl_world *concentric(const tl_settings *settings, double radius)
{
    tl_scene *scene = scene_with(settings);
    for (int i = 0; i < 2; i++)
        add_sphere(scene, (tl_material){0}, radius, 1, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    return world_of(scene);
}

/* Two balls of 1000 km in one place are not thrown 500 km apart in a step; nor do numbers overflow
 * where the balls are larger and the step is shorter. With a bound on recovery they part. */
static void overlap(const variant *v)
{
    if (v->overlap != TL_OVERLAP_SPLIT)
        return;
    tl_settings settings = settings_for(v, 1.0 / 200);
    tl_world *world = concentric(&settings, 1e6);
    expect_diverged(world, "step 1: body 1 at (0, 0, 0) would be pushed out of its overlaps at ");
    expect_checkpoint(world);
    settings.recovery_speed = 2;
    assert_ok(tl_world_set_settings(world, &settings));
    step(world, 5);
    double x[6];
    assert_ok(tl_world_read_positions(world, 2, NULL, x));
    assert_above(distance3(x, x + 3), 1e-3);
    assert_below(distance3(x, x + 3), 5 * 2 * settings.step * 1.01);
    expect_checkpoint(world);
    tl_world_destroy(world);

    settings = settings_for(v, 1e-30);
    world = concentric(&settings, 1e11);
    if (v->kind == TL_PSOR || v->kind == TL_JACOBI)
        expect_diverged(world, "step 1: body 1 at (0, 0, 0) would be pushed out of its overlaps ");
    else if (tl_world_step(world, 1, NULL) == TL_OK) { /* the best iterate may be the first: 0 */
        assert_ok(tl_world_read_positions(world, 2, NULL, x));
        assert_below(distance3(x, x + 3), 1e12);
    }
    expect_checkpoint(world);
    tl_world_destroy(world);
}

/* Deep overlaps at the start, corrected at 50 m/s, are none of that. */
static void recovery(const variant *v)
{
    if (v->overlap != TL_OVERLAP_SPLIT)
        return;
    tl_scene *scene = scene_for(v, 1e-3);
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < 2; i++)
        add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0.1 * i, 0, 0},
                   (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double x[6];
    step(world, 20);
    assert_ok(tl_world_read_positions(world, 2, NULL, x));
    assert_near(distance3(x, x + 3), 0.2, 1e-4);
    tl_world_destroy(world);
}

static void test_overlap(void **state)
{
    (void)state;
    for_each_variant(overlap);
    for_each_variant(recovery);
}

/* Steps a world until it fails, and looks at its checkpoint after every step. */
static void run_until(tl_world *world, const char *text)
{
    for (int i = 0; i < 100; i++) {
        const tl_status status = tl_world_step(world, 1, NULL);
        expect_checkpoint(world);
        if (status == TL_OK)
            continue;
        expect_diverged(world, text);
        assert_true(i > 2);
        return;
    }
    fail_msg("%s: it never ended", test_context);
}

/* A ball leaves the range of coordinates; one turns further than can be told. */
static void far(const variant *v)
{
    tl_settings settings = settings_for(v, 1);
    tl_body_def spinning = tl_body_default();
    tl_shape_def ball = tl_sphere_default(1);
    settings.gravity[2] = 0;
    tl_scene *scene = scene_with(&settings);
    add_sphere(scene, (tl_material){0}, 1, 0, (double[3]){1e12 - 5e5, 0, 0},
               (double[3]){9e4, 0, 0});
    tl_world *world = world_of(scene);
    run_until(world, "the limit is coordinates below 1e+12 m");
    tl_world_destroy(world);

    settings.step = 1e9;
    scene = scene_with(&settings);
    spinning.shape_count = 1;
    spinning.shapes = &ball;
    spinning.angular_velocity[1] = 1e6;
    add_body(scene, &spinning);
    world = world_of(scene);
    expect_diverged(world, "turns below 1e+12 rad in a step");
    tl_world_destroy(world);
}

/* A prescribed body leaves it. */
static void prescribed(const variant *v)
{
    tl_settings settings = settings_for(v, 1);
    settings.max_speed = 1e30;
    tl_scene *scene = scene_with(&settings);
    tl_shape_def block = tl_box_default(1, 1, 1);
    tl_body_def body = tl_body_default();
    body.kind = TL_PRESCRIBED;
    body.shape_count = 1;
    body.shapes = &block;
    body.motion.velocity[0] = 1.1e11;
    add_body(scene, &body);
    tl_world *world = world_of(scene);
    run_until(world,
              "step 10: body 1 at (9.9e+11, 0, 0) would move at (1.1e+11, 0, 0) m/s and (0, 0, 0) "
              "rad/s by its motion; the limit is coordinates below 1e+12 m");
    settings.step = 1e-300; /* 1.1e11 m in no time */
    assert_ok(tl_world_set_settings(world, &settings));
    expect_checkpoint(world);
    settings.step = 1;
    assert_ok(tl_world_set_settings(world, &settings));
    tl_world_destroy(world);

    /* a motion that goes too far */
    scene = scene_with(&settings);
    body.motion = tl_motion_default();
    body.motion.kind = TL_MOTION_SINE;
    body.motion.amplitude[0] = 9e11;
    body.motion.frequency = 0.25;
    body.position[0] = 5e11;
    add_body(scene, &body);
    world = world_of(scene);
    expect_diverged(world, "step 1: body 1 at (");
    expect_checkpoint(world);
    tl_world_destroy(world);
}

static void test_far(void **state)
{
    (void)state;
    for_each_precision(far);
    for_each_precision(prescribed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlap), cmocka_unit_test(test_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
