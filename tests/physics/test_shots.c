/* labels: longer */
/* Nothing tunnels: bodies of every convex kind, from 1 mm, with spin and at up to 100 m/s, are shot
 * at plates that they would pass many times over within a step, and at each other. The middle of a
 * body stays on its side, and so no part of it is deeper in a plate than from its middle to its
 * farthest point. */
#include "physics/shots.h"

/* One shot at a plate. */
static void shoot(dice *d, int kind, int plate, double whirl)
{
    const double speed = roll_size(d, 1, 100), down[3] = {0, 0, -1};
    tl_material material;
    tl_scene *scene = range(d, &material);
    const shot s = roll_shot(d, kind);
    const double radius = shot_radius(&s);
    double aim[3], x[3], start[3] = {0, 0, radius};
    roll_aim(d, &s, speed, aim, start);
    const tl_body body = add_shot(scene, material, &s, d, start, aim, whirl);
    add_plate(scene, material, plate, roll_size(d, 1e-4, 1e-3));
    tl_world *world = world_of(scene);
    for (int i = 0; i < 12; i++) {
        step(world, 1);
        const double reach = shot_now(world, body, &s, down, x);
        assert_above(x[2], 0);
        assert_below(reach - x[2], kind == 0 ? 1e-5 * radius + 1e-6 * h * speed : radius);
    }
    tl_world_destroy(world);
}

static void shoot_all(double whirl, int seed)
{
    for (int plate = 0; plate < PLATE_KINDS; plate++)
        for (int kind = 0; kind < SHOT_KINDS; kind++)
            for (int i = 0; i < shots_of(100); i++) {
                dice d = {(uint64_t)((plate * SHOT_KINDS + kind) * 100000 + i + seed)};
                context("shot %d of a %s at a %s", i, shot_names[kind], plate_names[plate]);
                shoot(&d, kind, plate, whirl);
            }
}

static void test_plates(void **state)
{
    (void)state;
    shoot_all(1, 0);
}

/* Bodies that turn many times over within a step. */
static void test_whirls(void **state)
{
    (void)state;
    shoot_all(10, 777000000);
}

/* Two thin bodies face each other, a little tilted and off centre, and change sides within a step
 * unless they are held: neither passes through the other. */
static void meet(dice *d, int kind)
{
    const double speed = roll_size(d, 1, 100), radius = roll_size(d, 1e-3, 20e-3);
    tl_material material;
    tl_scene *scene = range(d, &material);
    shot s = {.kind = kind, .size = {radius, radius, radius * roll_size(d, 0.01, 0.3)}};
    tl_body bodies[2];
    double along[3], off[3], x[2][3];
    for (int i = 0; i < HULL_PAIRS; i++)
        for (int k = 0; k < 2; k++) {
            const double angle = PI * (i + 0.3 * k) / HULL_PAIRS, sign = k ? -1 : 1;
            s.points[2 * i + k][0] = sign * radius * cos(angle);
            s.points[2 * i + k][1] = sign * radius * sin(angle);
            s.points[2 * i + k][2] = (i % 2 ? sign : -sign) * s.size[2];
        }
    roll_direction(d, along);
    roll3(d, -0.1 * radius, 0.1 * radius, off);
    const double start = radius + roll(d, 0, 2) * h * speed;
    for (int i = 0; i < 2; i++) {
        const double z[3] = {0, 0, 1}, sign = i ? 1 : -1;
        tl_shape_def shape = shot_shape(scene, &s);
        tl_body_def def = tl_body_default();
        double tilt[3], axis[3];
        roll3(d, -0.1, 0.1, tilt);
        add3(along, 1, tilt, tilt);
        cross3(z, tilt, axis);
        turn(axis, atan2(norm3(axis), tilt[2]), def.orientation);
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        for (int k = 0; k < 3; k++) {
            def.position[k] = sign * start * along[k] + (i ? off[k] : 0);
            def.velocity[k] = -sign * speed * along[k];
        }
        bodies[i] = add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    bool met = false;
    for (int i = 0; i < 9 && !met; i++) { /* later they may turn around each other */
        met = step_report(world, 1).contacts > 0;
        assert_ok(tl_world_read_positions(world, 2, bodies, x[0]));
        add3(x[1], -1, x[0], off);
        const double apart = dot3(off, along);
        if (norm3(off) < hypot(apart, radius))  /* not past each other */
            assert_above(apart, -0.5 * radius); /* a turn may bring middles past each other */
    }
    assert_true(met);
    tl_world_destroy(world);
}

static void test_meet(void **state)
{
    const int kinds[] = {1, 3, 5, 6};
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < shots_of(200); i++) {
            dice d = {(uint64_t)(kind * 100000 + i)};
            context("pair %d of a %s", i, shot_names[kinds[kind]]);
            meet(&d, kinds[kind]);
        }
}

/* An ellipsoid that skims a heavy plate, free to move, goes 37 mm along it before they touch: it is
 * struck at its own surface, without friction through its middle, and bounces as from a wall. */
static void test_skims(void **state)
{
    const variant v = variant_at(2 * SOLVERS);
    tl_settings settings = settings_for(&v, h);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0.5);
    tl_shape_def shape = tl_ellipsoid_default(0.012, 0.011, 0.01), plate;
    double u[3], spin[3];
    (void)state;
    set_gravity(scene, 0, 0, 0);
    shape.material = material;
    plate = tl_box_default(10, 10, 1e-4);
    plate.material = material;
    tl_body_def def = body_of(&shape, 1000, (double[3]){0, 0, 0.03}, upright);
    def.velocity[0] = 85;
    def.velocity[2] = -46;
    const tl_body body = add_body(scene, &def);
    def = body_of(&plate, 1e7, (double[3]){0, 0, -1e-4}, upright);
    add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 1);
    velocity_of(world, body, u);
    spin_of(world, body, spin);
    assert_near(u[2], 23, 1e-3);
    assert_near(norm3(spin), 0, 1e-1);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plates), cmocka_unit_test(test_whirls),
                                       cmocka_unit_test(test_meet), cmocka_unit_test(test_skims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
