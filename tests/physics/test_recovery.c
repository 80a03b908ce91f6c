/* labels: slow */
/* Overlaps that velocities remove (TL_OVERLAP_VELOCITY): the speed that this adds is bounded. */
#include "support.h"

#include "scenes.h"

/* A ball that lies half its radius deep in the floor comes out of it and no higher: as fast as it
 * would have to be thrown. (By half the overlap in a step it would rise by 1.3 m.) */
static void comes_out(const variant *v)
{
    static const claim c = {"a ball lies half its radius deep in the floor, at rest",
                            "energy: it is lifted by its overlap",
                            "height of its lowest point, over the radius",
                            "h = 5 ms, overlap removed by velocities"};
    tl_scene *scene = scene_for(v, 1.0 / 200);
    const tl_material material = add_material(scene, 0.5, 0);
    double x[3], highest = 0;
    if (v->overlap != TL_OVERLAP_VELOCITY) {
        tl_scene_destroy(scene);
        return;
    }
    add_floor(scene, material);
    const tl_body ball =
        add_sphere(scene, material, 0.1, 0, (double[3]){0, 0, 0.05}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 200; i++) {
        step(world, 1);
        position_of(world, ball, x);
        highest = fmax(highest, x[2] / 0.1 - 1);
    }
    assert_found(&c, v->name, highest, 0, 0.05);
    assert_near(x[2], 0.1, 1e-4);
    tl_world_destroy(world);
}

static void test_comes_out(void **state)
{
    (void)state;
    for_each_variant(comes_out);
}

/* One that falls onto the floor, which it overlaps, bounces with e times its speed, or is pushed
 * out, whichever is faster; not both. */
static void bounces(const variant *v)
{
    static const double speed[2] = {2, 0.1}, deep = 0.001;
    for (int i = 0; i < 2 && v->overlap == TL_OVERLAP_VELOCITY; i++) {
        tl_settings settings = settings_for(v, 1.0 / 200);
        settings.impacts = TL_IMPACTS_SIMULTANEOUS;
        tl_scene *scene = scene_with(&settings);
        const tl_material material = add_material(scene, 0.5, 1);
        double u[3];
        set_gravity(scene, 0, 0, 0);
        add_floor(scene, material);
        const tl_body ball = add_sphere(scene, material, 0.1, 0, (double[3]){0, 0, 0.1 - deep},
                                        (double[3]){0, 0, -speed[i]});
        tl_world *world = world_of(scene);
        step(world, 1);
        velocity_of(world, ball, u);
        /* without gravity to compare with, a part of the overlap goes in each step */
        assert_near(u[2], fmax(speed[i], 0.5 * deep * 200), slack(v, 20, 1));
        tl_world_destroy(world);
    }
}

static void test_bounces(void **state)
{
    (void)state;
    for_each_variant(bounces);
}

/* A ball of ten times their density falls on a bed of grains, which it drives into each other by
 * more than a radius: what removes that throws it back, layer upon layer, but with little more than
 * twice the speed that it has with the split. (It was more than three times.) */
static void test_bed(void **state)
{
    (void)state;
    double fastest[2] = {0, 0};
    for (int split = 0; split < 2; split++) {
        pile_options options = pile_default();
        tl_scene *scene;
        options.bodies = 1500;
        options.layers = 6;
        options.ball = 15 * options.radius;
        options.ball_density = 20000;
        options.settings.threads = 1;
        options.settings.overlap = split ? TL_OVERLAP_SPLIT : TL_OVERLAP_VELOCITY;
        assert_ok(pile_scene(&options, &scene));
        tl_world *world = world_of(scene);
        for (int i = 0; i < 120; i++) {
            double u[3];
            step(world, 1);
            velocity_of(world, (tl_body){6, 1}, u); /* after those of the box */
            fastest[split] = fmax(fastest[split], u[2]);
        }
        tl_world_destroy(world);
    }
    print_message("the ball comes back with %g m/s, with the split %g\n", fastest[0], fastest[1]);
    assert_below(fastest[0], 2.5 * fastest[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_out),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_bed),
    };
    return cmocka_run_group_tests_name("overlaps that velocities remove", tests, NULL, NULL);
}
