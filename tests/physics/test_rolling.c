/* labels: slow */
/* A sliding sphere on a level floor becomes a rolling one: 5/7 of its speed is left, whatever the
 * friction, after the time 2 v0 / (7 mu g). */
#include "support.h"

static const double r = 0.1, v0 = 2;

/* A sphere on the floor with speed v0 along a slanted direction, and spin. With the cone law it
 * starts at the height h mu |slip| at which this law slides; from zero height, its first step would
 * throw it up with mu |slip| and pay for that with an extra friction impulse. */
static tl_world *sliding_world(const variant *v, double h, double mu, double spin, tl_body *body)
{
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, mu, 0);
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(r);
    ball.material = material;
    def.shape_count = 1;
    def.shapes = &ball;
    def.position[2] = r + (is_cone(v) ? h * mu * fabs(v0 - r * spin) : 0);
    def.velocity[0] = 0.6 * v0;
    def.velocity[1] = 0.8 * v0;
    def.angular_velocity[0] = -0.8 * spin;
    def.angular_velocity[1] = 0.6 * spin;
    add_floor(scene, material);
    *body = add_body(scene, &def);
    return world_of(scene);
}

static double slip_of(const tl_world *world, tl_body body)
{
    double u[3], w[3], rim[3];
    velocity_of(world, body, u);
    spin_of(world, body, w);
    cross3(w, (double[3]){0, 0, -r}, rim);
    return hypot(u[0] + rim[0], u[1] + rim[1]);
}

/* The slip ends at 2 v0 / (7 mu g). Coulomb's law reaches zero slip in the step in which the line
 * v0 - 7/2 mu g t does; the cone's normal impulse is 7/2 mu^2 m g h short in its first step, as it
 * starts to sink, which is less than one step more. Slip below 1e-3 v0 counts as none, and shortens
 * the time by that part. */
static void slides_then_rolls(const variant *v)
{
    const double h = 1e-3, mu = 0.2;
    const double expected = 2 * v0 / (7 * mu * G);
    tl_body body;
    double u[3], time = 0;
    tl_world *world = sliding_world(v, h, mu, 0, &body);
    for (int i = 0; i < 600; i++) {
        step(world, 1);
        if (time == 0 && slip_of(world, body) < 1e-3 * v0)
            time = tl_world_time(world);
    }
    static const claim until = {"a ball set sliding on a floor, friction 0.2",
                                "closed form: 2 v0 / (7 mu g)", "time until it rolls, s",
                                "h = 1 ms"};
    static const claim left = {"a ball set sliding on a floor, friction 0.2", "closed form: 5/7 v0",
                               "speed once it rolls, m/s", "h = 1 ms"};
    assert_found(&until, v->name, time, expected, 2 * h + 1e-3 * expected);

    /* Friction at the rim takes m dv and gives I dw = r m dv: v + 2/5 r w is conserved step by
     * step, by any law, so the final speed has no error of order h. */
    velocity_of(world, body, u);
    assert_found(&left, v->name, hypot(u[0], u[1]), 5.0 / 7 * v0, slack(v, 2 * v0, 600));
    assert_near(u[0], 0.6 * 5 / 7 * v0, slack(v, v0, 600));
    assert_near(u[1], 0.8 * 5 / 7 * v0, slack(v, v0, 600));
    assert_near(u[2], 0, slack(v, v0, 8));
    assert_near(slip_of(world, body), 0, slack(v, v0, 8));
    tl_world_destroy(world);
}

static void test_slides_then_rolls(void **state)
{
    (void)state;
    for_each_variant(slides_then_rolls);
}

/* A sphere is set down on the floor sliding, with the law that the solver has by default. It never
 * leaves the floor, slows down by mu g as long as it slips, and rolls on with 5/7 of its speed. */
static void set_down(const variant *given)
{
    const double h = 1e-3, mu = 0.3, until = 2 * v0 / (7 * mu * G);
    variant v = *given;
    v.law = TL_LAW_DEFAULT;
    tl_body body;
    double x[3], u[3];
    tl_world *world = sliding_world(&v, h, mu, 0, &body);
    for (int i = 1; i <= 400; i++) {
        step(world, 1);
        position_of(world, body, x);
        velocity_of(world, body, u);
        assert_near(x[2], r, 1e-8);
        if (i * h < until)
            assert_near(hypot(u[0], u[1]), v0 - mu * G * h * i, slack(&v, v0, i));
    }
    assert_near(u[0], 0.6 * 5 / 7 * v0, slack(&v, v0, 400));
    assert_near(u[1], 0.8 * 5 / 7 * v0, slack(&v, v0, 400));
    assert_near(slip_of(world, body), 0, slack(&v, v0, 8));
    tl_world_destroy(world);
}

static void test_set_down(void **state)
{
    (void)state;
    for_each_variant(set_down);
}

/* What docs/theory.md says of the cone law: the same sphere is thrown up at mu |u_t| in its first
 * step, whatever the step's length. Its normal impulse is m (u_n + g h), friction takes 7/2 mu of
 * that from the slip, and u_n = mu |u_t| gives u_n = mu (v0 - 7/2 mu g h) / (1 + 7/2 mu^2). Then it
 * flies, by symplectic Euler, to u_n^2 / 2 g and half a step's way more. */
static void thrown(const variant *v)
{
    const double mu = 0.3, steps[] = {1e-3, 1e-4};
    for (int k = 0; k < 2 && is_cone(v); k++) {
        const double h = steps[k], up = mu * (v0 - 3.5 * mu * G * h) / (1 + 3.5 * mu * mu);
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_material(scene, mu, 0);
        double x[3], u[3], top = 0;
        add_floor(scene, material);
        const tl_body body =
            add_sphere(scene, material, r, 0, (double[3]){0, 0, r}, (double[3]){v0, 0, 0});
        tl_world *world = world_of(scene);
        for (int i = 0; i < (int)(0.06 / h); i++) {
            step(world, 1);
            position_of(world, body, x);
            velocity_of(world, body, u);
            if (i == 0)
                assert_near(u[2], up, slack(v, v0, 8));
            top = fmax(top, x[2] - r);
        }
        assert_near(top, up * up / (2 * G) + up * h / 2, G * h * h + slack(v, r, 100));
        tl_world_destroy(world);
    }
}

static void test_thrown(void **state)
{
    (void)state;
    for_each_variant(thrown);
}

/* Backspin: with r w = -2 v0 the conserved v0 + 2/5 r w leaves 5/7 (v0 - 4/5 v0) = v0 / 7. With
 * more than 5/2 v0 the ball comes back. */
static void backspin(const variant *v)
{
    tl_body body;
    double u[3];
    tl_world *world = sliding_world(v, 1e-3, 0.3, -2 * v0 / r, &body);
    step(world, 1500);
    velocity_of(world, body, u);
    assert_near(u[0], 0.6 * v0 / 7, slack(v, 3 * v0, 1500));
    assert_near(u[1], 0.8 * v0 / 7, slack(v, 3 * v0, 1500));
    assert_near(slip_of(world, body), 0, slack(v, 3 * v0, 8));
    tl_world_destroy(world);

    world = sliding_world(v, 1e-3, 0.3, -4 * v0 / r, &body);
    step(world, 2500);
    velocity_of(world, body, u);
    static const claim c = {"a ball set sliding with backspin r w = -4 v0, friction 0.3",
                            "closed form: 5/7 (v0 + 2/5 r w)",
                            "speed along x once it rolls back, m/s", "h = 1 ms"};
    assert_found(&c, v->name, u[0], 0.6 * v0 * 5 / 7 * (1 - 1.6), slack(v, 5 * v0, 2500));
    tl_world_destroy(world);
}

static void test_backspin(void **state)
{
    (void)state;
    for_each_variant(backspin);
}

/* Without friction nothing changes: the speed and the spin stay what they are, bit for bit but for
 * rounding. */
static void frictionless(const variant *v)
{
    tl_body body;
    double u[3], w[3];
    tl_world *world = sliding_world(v, 1e-3, 0, 3, &body);
    step(world, 500);
    velocity_of(world, body, u);
    spin_of(world, body, w);
    assert_near(u[0], 0.6 * v0, slack(v, 1, 1));
    assert_near(u[1], 0.8 * v0, slack(v, 1, 1));
    assert_near(w[0], -2.4, slack(v, 3, 1));
    assert_near(w[1], 1.8, slack(v, 3, 1));
    tl_world_destroy(world);
}

static void test_frictionless(void **state)
{
    (void)state;
    for_each_variant(frictionless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slides_then_rolls),
        cmocka_unit_test(test_set_down),
        cmocka_unit_test(test_thrown),
        cmocka_unit_test(test_backspin),
        cmocka_unit_test(test_frictionless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
