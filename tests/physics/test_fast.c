/* Bodies that move many times their size in a step: none passes through another, and the cost of
 * finding contacts stays bounded. */
#include "support.h"

#include <unistd.h>

static const double h = 1.0 / 200, r = 0.1;

/* Spheres at rest far away: enough that shapes are binned and not tested one by one. */
static void add_crowd(tl_scene *scene, tl_material material)
{
    for (int i = 0; i < 40; i++)
        add_sphere(scene, material, r, 1, (double[3]){0, 0.3 * i, 20}, (double[3]){0, 0, 0});
}

/* Two spheres head-on, 1.4 diameters of a step's way apart: they meet within the second step.
 * Without restitution they stop at each other. */
static void head_on(const variant *v)
{
    const double speeds[] = {1, 10, 50, 150, 1000, 20000};
    for (int i = 0; i < 12; i++) {
        const double speed = speeds[i / 2], start = 1.4 * h * speed + r;
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_material(scene, 0.5, 0);
        double x[2][3], u[2][3];
        set_gravity(scene, 0, 0, 0);
        if (i % 2)
            add_crowd(scene, material);
        const tl_body bodies[2] = {
            add_sphere(scene, material, r, 1, (double[3]){-start, 0, 0}, (double[3]){speed, 0, 0}),
            add_sphere(scene, material, r, 1, (double[3]){start, 0, 0}, (double[3]){-speed, 0, 0})};
        tl_world *world = world_of(scene);
        step(world, 4);
        context("%s, two spheres at %g m/s", v->name, speed);
        assert_ok(tl_world_read_positions(world, 2, bodies, &x[0][0]));
        assert_ok(tl_world_read_velocities(world, 2, bodies, &u[0][0]));
        static const claim c = {"two balls of 0.1 m meet head-on at 1 m/s to 20 km/s, e = 0",
                                "closed form: they stop where they touch", "place of one, m",
                                "h = 5 ms"};
        assert_found(&c, v->name, x[0][0], -r, slack(v, start, 4));
        assert_near(x[1][0], r, slack(v, start, 4));
        assert_near(u[0][0] - u[1][0], 0, slack(v, speed, 4));
        tl_world_destroy(world);
    }
}

/* A sphere flies at a thin wall. */
static void wall(const variant *v)
{
    const double speeds[] = {1, 10, 50, 150, 1000, 20000};
    const double edge_u[3] = {0, 10, 0}, edge_v[3] = {0, 0, 10};
    for (int i = 0; i < 12; i++) {
        const double speed = speeds[i / 2];
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_material(scene, 0.5, 0);
        double x[3];
        set_gravity(scene, 0, 0, 0);
        if (i % 2)
            add_crowd(scene, material);
        add_fixed(scene, tl_parallelogram_default(edge_u, edge_v), material, (double[3]){0, -5, -5},
                  (double[4]){1, 0, 0, 0});
        const double start = -r - 1.4 * h * speed;
        const tl_body body =
            add_sphere(scene, material, r, 1, (double[3]){start, 0, 0}, (double[3]){speed, 0, 0});
        tl_world *world = world_of(scene);
        step(world, 4);
        context("%s, a sphere and a wall at %g m/s", v->name, speed);
        position_of(world, body, x);
        static const claim c = {"a ball of 0.1 m flies at a thin wall at 1 m/s to 20 km/s, e = 0",
                                "closed form: it stops where it touches", "its place, m",
                                "h = 5 ms"};
        assert_found(&c, v->name, x[0], -r, slack(v, fabs(start), 4));
        tl_world_destroy(world);
    }
}

static void test_head_on(void **state)
{
    (void)state;
    for_each_precision(head_on);
}

static void test_wall(void **state)
{
    (void)state;
    for_each_precision(wall);
}

/* One of many prescribed boxes races away, or spins wildly. The step must not take memory for the
 * space it sweeps (64 MiB is a hundred times what these bodies need): it goes on, or it says which
 * body reaches too far. */
static void racing(const variant *v)
{
    double slow_enough = 0;
    for (double speed = 100; speed < 1e12; speed *= 100) {
        for (int spins = 0; spins < 2; spins++) {
            tl_settings settings = settings_for(v, h);
            settings.max_speed = 1e12; /* so that reach alone is refused */
            tl_scene *scene = scene_with(&settings);
            const tl_shape_def box = tl_box_default(0.1, 0.1, 0.1);
            context("%s, a box at %g %s", v->name, speed, spins ? "rad/s" : "m/s");
            for (int i = 0; i < 40; i++)
                add_sphere(scene, (tl_material){0}, r, 0, (double[3]){0.3 * i, 0, 1},
                           (double[3]){0, 0, 0});
            for (int i = 0; i < 20; i++) {
                tl_body_def def = tl_body_default();
                def.kind = TL_PRESCRIBED;
                def.shape_count = 1;
                def.shapes = &box;
                def.position[1] = 5 + i;
                if (i == 0 && spins)
                    def.motion.angular_velocity[1] = speed;
                else if (i == 0)
                    def.motion.velocity[1] = speed;
                add_body(scene, &def);
            }
            tl_world *world = NULL;
            tl_report report;
            tl_status status = tl_world_create(scene, &world);
            if (status == TL_OK)
                status = tl_world_step(world, 1, &report);
            if (status == TL_OK) {
                assert_below((double)report.bytes, 64.0 * 1024 * 1024);
                slow_enough = speed;
            } else {
                assert_int_equal(status, TL_TOO_LARGE);
                assert_memory_equal(tl_last_message(), "body 41 reaches ", 16);
            }
            tl_world_destroy(world);
            tl_scene_destroy(scene);
        }
    }
    assert_above(slow_enough, 99); /* half a metre a step is nothing to refuse */
}

static void test_racing(void **state)
{
    (void)state;
    for_each_precision(racing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_racing),
    };
    alarm(60); /* a step that does not end fails, and stops nobody else */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
