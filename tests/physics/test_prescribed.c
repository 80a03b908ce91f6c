/* Prescribed motion: bodies follow their law exactly, carry spheres by friction, push them without
 * it. */
#include "support.h"

/* A prescribed body with one shape. */
static tl_body add_moving(tl_scene *scene, tl_shape_def shape, tl_material material,
                          const double position[3], const tl_motion_def *motion)
{
    tl_body_def def = tl_body_default();
    shape.material = material;
    def.kind = TL_PRESCRIBED;
    def.shape_count = 1;
    def.shapes = &shape;
    def.motion = *motion;
    memcpy(def.position, position, sizeof def.position);
    return add_body(scene, &def);
}

static double table_at(double t, int n, const double *times, const double *values, int component)
{
    if (t <= times[0])
        return values[component];
    for (int i = 1; i < n; i++)
        if (t < times[i])
            return values[3 * (i - 1) + component] +
                   (values[3 * i + component] - values[3 * (i - 1) + component]) *
                       (t - times[i - 1]) / (times[i] - times[i - 1]);
    return values[3 * (n - 1) + component];
}

/* At the end of every step a body is where its motion says, to the rounding of doubles in either
 * precision: positions are 64-bit. A step's time is n h up to rounding, so speeds of 10 m/s allow
 * 1e-11 m. */
static void followed(const variant *v)
{
    const double h = 1.0 / 128, at[3] = {1, -2, 3};
    const double times[4] = {0.25, 0.5, 1.03, 1.5};
    const double offsets[12] = {0.5, 0, 0, 1, -1, 0, 1.5, 2, 0.25, 0, 0, 0};
    tl_motion_def constant = tl_motion_default(), sine = constant, table = constant;
    constant.velocity[0] = 2;
    constant.velocity[2] = -0.5;
    constant.angular_velocity[0] = 0.3;
    constant.angular_velocity[1] = -1.2;
    sine.kind = TL_MOTION_SINE;
    sine.amplitude[0] = 0.2;
    sine.amplitude[2] = -0.4;
    sine.frequency = 1.7;
    sine.phase = 0.6;
    table.kind = TL_MOTION_TABLE;
    table.table_length = 4;
    table.times = times;
    table.offsets = offsets;

    tl_scene *scene = scene_for(v, h);
    const tl_shape_def box = tl_box_default(1, 1, 1);
    const tl_material none = {0};
    const tl_body a = add_moving(scene, box, none, at, &constant);
    const tl_body b = add_moving(scene, box, none, at, &sine);
    const tl_body c = add_moving(scene, box, none, at, &table);
    add_sphere(scene, none, 0.1, 0, (double[3]){50, 0, 0}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double worst = 0;
    for (int n = 1; n <= 250; n++) {
        const double t = n * h;
        double x[3], q[4], want[4];
        step(world, 1);
        for (int k = 0; k < 3; k++) {
            position_of(world, a, x);
            assert_near(x[k], at[k] + constant.velocity[k] * t, 1e-11);
            position_of(world, b, x);
            assert_near(x[k], at[k] + sine.amplitude[k] * sin(2 * PI * 1.7 * t + 0.6), 1e-11);
            position_of(world, c, x);
            assert_near(x[k], at[k] + table_at(t, 4, times, offsets, k), 1e-11);
            worst = fmax(worst, fabs(x[k] - at[k] - table_at(t, 4, times, offsets, k)));
        }
        orientation_of(world, a, q);
        turn(constant.angular_velocity, norm3(constant.angular_velocity) * t, want);
        const double sign = want[0] * q[0] + want[1] * q[1] + want[2] * q[2] + want[3] * q[3];
        assert_near(fabs(sign), 1, 1e-12); /* 1 - angle^2 / 8 */
        orientation_of(world, b, q);
        assert_near(fabs(q[0]), 1, 0);
    }
    static const claim by_table = {"a body moved by a table of places", "closed form: the table",
                                   "largest error of a coordinate, m",
                                   "h = 1/128 s, each of 250 steps"};
    assert_found(&by_table, v->name, worst, 0, 1e-11);
    tl_world_destroy(world);
}

static void test_followed(void **state)
{
    (void)state;
    for_each_precision(followed);
}

/* A conveyor under a resting sphere: friction gives m v and r m v of spin, v + 5/2 v = V at the
 * end, so v = 2/7 V exactly, by either law, whatever the friction. The cone law starts at its
 * sliding height. */
static void conveyor(const variant *v, const tl_shape_def *shape, double top)
{
    const double h = 1e-3, speed = 1.5, r = 0.1, mu = 0.3;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, mu, 0);
    tl_motion_def motion = tl_motion_default();
    double u[3], w[3];
    motion.velocity[0] = 0.6 * speed;
    motion.velocity[1] = -0.8 * speed;
    add_moving(scene, *shape, material, (double[3]){0, 0, -top}, &motion);
    const double start[3] = {0, 0, r + (is_cone(v) ? h * mu * speed : 0)};
    const tl_body body = add_sphere(scene, material, r, 0, start, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 500); /* slips for 2 V / (7 mu g) = 0.15 s */
    velocity_of(world, body, u);
    spin_of(world, body, w);
    static const claim c = {"a ball is laid on a conveyor of 1.5 m/s, friction 0.3",
                            "closed form: 2/7 V", "speed once it rolls, m/s",
                            "h = 1 ms; plane, box and parallelogram"};
    assert_found(&c, v->name, hypot(u[0], u[1]), 2.0 / 7 * speed, slack(v, 2 * speed, 500));
    assert_near(u[0], 0.6 * 2 / 7 * speed, slack(v, speed, 500));
    assert_near(u[1], -0.8 * 2 / 7 * speed, slack(v, speed, 500));
    assert_near(w[1] * r, -0.6 * 5 / 7 * speed, slack(v, speed, 500));
    assert_near(w[0] * r, -0.8 * 5 / 7 * speed, slack(v, speed, 500));
    tl_world_destroy(world);
}

static void conveyors(const variant *v)
{
    const tl_shape_def plane = tl_plane_default(), box = tl_box_default(5, 5, 0.5);
    const double side_u[3] = {4, 0, 0}, side_v[3] = {0, 4, 0};
    tl_shape_def patch = tl_parallelogram_default(side_u, side_v);
    patch.position[0] = patch.position[1] = -2;
    conveyor(v, &plane, 0);
    conveyor(v, &box, 0.5);
    conveyor(v, &patch, 0);
}

static void test_conveyor(void **state)
{
    (void)state;
    for_each_variant(conveyors);
}

/* A shaking floor with friction enough to hold: the sphere rolls with 2/7 of the floor's change of
 * velocity. The floor's velocity over a step is a difference quotient or a value of that step, off
 * by h times its acceleration A w^2 at most, at the start and at the end. */
static void shaken(const variant *v)
{
    const double h = 1e-3, r = 0.1, amplitude = 0.05, frequency = 1.5, rate = 2 * PI * frequency;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0.8, 0);
    tl_motion_def motion = tl_motion_default();
    motion.kind = TL_MOTION_SINE;
    motion.amplitude[0] = amplitude;
    motion.frequency = frequency;
    motion.phase = -PI / 2; /* from rest */
    add_moving(scene, tl_box_default(3, 3, 0.2), material, (double[3]){0, 0, -0.2}, &motion);
    const tl_body body =
        add_sphere(scene, material, r, 0, (double[3]){0, 0, r}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 10; i++) {
        double u[3];
        step(world, 97);
        velocity_of(world, body, u);
        const double floor_speed = amplitude * rate * cos(rate * tl_world_time(world) - PI / 2);
        static const claim c = {"a ball on a floor that shakes sideways, 5 cm at 1.5 Hz",
                                "closed form: 2/7 of the floor's speed", "speed, m/s",
                                "h = 1 ms, at ten times"};
        assert_found(&c, v->name, u[0], 2.0 / 7 * floor_speed,
                     2.0 / 7 * 2 * h * amplitude * rate * rate + slack(v, 1, 970));
    }
    tl_world_destroy(world);
}

static void test_shaken(void **state)
{
    (void)state;
    for_each_variant(shaken);
}

/* A sphere that rolls without slip on a turntable of speed W goes in circles: dv/dt = 2/7 W z cross
 * v. The step takes the floor's velocity where the contact was at its start, v' - v = 2/7 W h z
 * cross v, so |v| grows by (2/7 W)^2 h t / 2 as an explicit Euler step does; the first step may
 * miss one h. */
static void turntable(const variant *v)
{
    const double h = 1.0 / 500, r = 0.1, turning = 2, k = 2.0 / 7 * turning, t = 4;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 1, 0);
    tl_motion_def motion = tl_motion_default();
    motion.angular_velocity[2] = turning;
    add_moving(scene, tl_box_default(9, 9, 0.2), material, (double[3]){0, 0, -0.2}, &motion);

    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(r);
    ball.material = material;
    def.shape_count = 1;
    def.shapes = &ball;
    def.position[0] = 0.8;
    def.position[2] = r;
    def.velocity[0] = 0.3;
    def.velocity[1] = 0.5;
    /* r w cross z is the centre's velocity over the floor's, v - W z cross x. */
    const double over[2] = {0.3, 0.5 - turning * 0.8};
    def.angular_velocity[0] = -over[1] / r;
    def.angular_velocity[1] = over[0] / r;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(t / h + 0.5));

    double u[3], x[3];
    const double c = cos(k * t), s = sin(k * t), speed = hypot(0.3, 0.5);
    const double error = speed * (k * k * h * t + turning * h) + slack(v, 20, 8);
    velocity_of(world, body, u);
    position_of(world, body, x);
    static const claim circle = {"a ball rolls on a turntable of 2 rad/s",
                                 "closed form: circles at 2/7 W", "speed along x after 4 s, m/s",
                                 "h = 2 ms"};
    assert_found(&circle, v->name, u[0], 0.3 * c - 0.5 * s, error);
    assert_near(u[1], 0.3 * s + 0.5 * c, error);
    /* The circle: x = x0 + (rotation - 1) v0 / k turned back by a right angle. */
    assert_near(x[0], 0.8 + (u[1] - 0.5) / k, t * error + speed * h);
    assert_near(x[1], -(u[0] - 0.3) / k, t * error + speed * h);
    tl_world_destroy(world);
}

static void test_turntable(void **state)
{
    (void)state;
    for_each_variant(turntable);
}

/* A box that drives into a resting sphere without friction or restitution: the sphere takes on the
 * box's speed across the face, no more and no less, and the box does not notice. */
static void pushed(const variant *v)
{
    const double h = 1e-3, speed = 1.2, r = 0.1;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0, 0);
    tl_motion_def motion = tl_motion_default();
    double u[3], x[3], w[3];
    set_gravity(scene, 0, 0, 0);
    motion.velocity[0] = speed;
    motion.velocity[2] = 0.7; /* along the face: no matter */
    const tl_body ram = add_moving(scene, tl_box_default(0.5, 0.5, 0.5), material,
                                   (double[3]){-0.65, 0, -0.2}, &motion);
    const tl_body body =
        add_sphere(scene, material, r, 0, (double[3]){0, 0, 0}, (double[3]){0, 0.1, 0});
    tl_world *world = world_of(scene);
    step(world, 300);
    velocity_of(world, body, u);
    spin_of(world, body, w);
    static const claim c = {"a box drives into a ball at 1.2 m/s, e = 0",
                            "closed form: the box's speed", "speed of the ball, m/s", "h = 1 ms"};
    assert_found(&c, v->name, u[0], speed, slack(v, 2, 10));
    assert_near(u[1], 0.1, slack(v, 2, 10));
    assert_near(u[2], 0, slack(v, 2, 10));
    assert_near(norm3(w), 0, slack(v, 20, 10));
    position_of(world, ram, x);
    assert_near(x[0], -0.65 + speed * 0.3, 1e-11);
    velocity_of(world, ram, u);
    assert_near(u[0], speed, slack(v, 1, 1));
    /* It touches: started 0.05 apart, caught up with after 0.05 / 1.2 s. */
    position_of(world, body, x);
    assert_near(x[0], -0.65 + speed * 0.3 + 0.5 + r, slack(v, 1, 10));
    tl_world_destroy(world);
}

static void test_pushed(void **state)
{
    (void)state;
    for_each_variant(pushed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followed), cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_shaken),   cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
