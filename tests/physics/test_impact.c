/* labels: slow */
/* Impacts: heights of a bouncing sphere, and the velocities after two spheres collide, head-on and
 * oblique, without friction and with it. */
#include "support.h"

/* Bounces from the height H: apexes at e^2 H, e^4 H, e^6 H. Time stepping moves an impact by up to
 * one step: it strikes with a speed off by g h and at a height off by V h (V the speed of impact),
 * so one bounce changes the apex by at most e^2 V h + V h, on top of e^2 times the error so far;
 * falling and rising, symplectic Euler adds another g h of speed: V h. */
static void bounces(const variant *v)
{
    const double h = 1e-3, r = 0.1, height = 1;
    const double restitution[] = {0.5, 0.8, 1};
    static const claim claims[3] = {{"a ball dropped from 1 m bounces, e = 0.5",
                                     "closed form: e^6 H", "height of bounce 3, m", "h = 1 ms"},
                                    {"a ball dropped from 1 m bounces, e = 0.8",
                                     "closed form: e^6 H", "height of bounce 3, m", "h = 1 ms"},
                                    {"a ball dropped from 1 m bounces, e = 1", "closed form: e^6 H",
                                     "height of bounce 3, m", "h = 1 ms"}};
    for (int c = 0; c < 3; c++) {
        const double e = restitution[c];
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_material(scene, 0.5, e);
        add_floor(scene, material);
        const tl_body body =
            add_sphere(scene, material, r, 0, (double[3]){0, 0, r + height}, (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        double error = 0, apex = height, top = height, speed = 0, lowest = 0;
        int bounce = 0;
        for (int i = 0; i < 4000 && bounce < 4; i++) {
            double x[3], u[3];
            step(world, 1);
            position_of(world, body, x);
            velocity_of(world, body, u);
            lowest = fmin(lowest, x[2] - r);
            if (u[2] > 0 && speed <= 0) { /* it has just bounced: check the flight before */
                if (bounce == 3)
                    assert_found(&claims[c], v->name, top, apex, error);
                else if (bounce > 0)
                    assert_near(top, apex, error);
                error = e * e * error + (2 + e * e) * sqrt(2 * G * apex) * h;
                apex *= e * e;
                bounce++;
                top = 0;
            }
            speed = u[2];
            top = fmax(top, x[2] - r);
        }
        assert_int_equal(bounce, 4);
        assert_above(lowest, -slack(v, 5 * h, 10)); /* it never sinks in */
        tl_world_destroy(world);
    }
}

/* Restitution 0: the sphere stops on the floor, touching it, and stays. */
static void stops(const variant *v)
{
    const double h = 1e-3, r = 0.1;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    const tl_body body =
        add_sphere(scene, material, r, 0, (double[3]){0, 0, r + 0.3}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double x[3], u[3], highest = 0;
    step(world, 255); /* falls for 0.247 s */
    for (int i = 0; i < 200; i++) {
        step(world, 1);
        position_of(world, body, x);
        highest = fmax(highest, x[2] - r);
    }
    velocity_of(world, body, u);
    static const claim c = {"a ball dropped from 0.3 m, e = 0", "closed form: it stays",
                            "height of its centre at rest, m", "h = 1 ms"};
    assert_found(&c, v->name, x[2], r, slack(v, 3 * h, 10));
    assert_below(highest, slack(v, 3 * h, 10));
    assert_near(norm3(u), 0, slack(v, 3, 1));
    tl_world_destroy(world);
}

static void test_bounces(void **state)
{
    (void)state;
    for_each_variant(bounces);
}

static void test_stops(void **state)
{
    (void)state;
    for_each_variant(stops);
}

/* Two spheres, no gravity. The velocities before are constant, so those after are those of Newton's
 * law up to rounding, wherever in a step the impact falls. */
static void head_on(const variant *v, double mass_a, double mass_b, double e)
{
    const double h = 1e-3, ua = 2, ub = -1;
    const double axis[3] = {0.36, 0.48, -0.8};
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0.5, e);
    double place[3], speed[3], after[3];
    set_gravity(scene, 0, 0, 0);
    add3((double[3]){1, 1, 1}, -0.1503, axis, place);
    add3((double[3]){0, 0, 0}, ua, axis, speed);
    const tl_body a = add_sphere(scene, material, 0.1, mass_a, place, speed);
    add3((double[3]){1, 1, 1}, 0.1804, axis, place);
    add3((double[3]){0, 0, 0}, ub, axis, speed);
    const tl_body b = add_sphere(scene, material, 0.15, mass_b, place, speed);
    tl_world *world = world_of(scene);
    step(world, 100);

    const double centre = (mass_a * ua + mass_b * ub) / (mass_a + mass_b);
    const double expected[2] = {centre - e * mass_b * (ua - ub) / (mass_a + mass_b),
                                centre + e * mass_a * (ua - ub) / (mass_a + mass_b)};
    static const claim c = {"two balls of any masses collide head-on, e = 0, 0.3, 1",
                            "closed form: Newton's law of impact",
                            "speed of one ball afterwards, m/s", "h = 1 ms"};
    velocity_of(world, a, speed);
    assert_found(&c, v->name, dot3(speed, axis), expected[0], slack(v, 3, 10));
    for (int i = 0; i < 2; i++) {
        velocity_of(world, i ? b : a, speed);
        add3(speed, -expected[i], axis, after);
        assert_below(norm3(after), slack(v, 3, 10));
        spin_of(world, i ? b : a, after);
        assert_below(norm3(after), slack(v, 30, 10)); /* 30 = 3 m/s over the radius */
    }
    tl_world_destroy(world);
}

static void head_on_cases(const variant *v)
{
    const double restitution[] = {0, 0.3, 1};
    for (int i = 0; i < 3; i++) {
        head_on(v, 2, 2, restitution[i]);
        head_on(v, 1, 7, restitution[i]);
        head_on(v, 30, 0.5, restitution[i]);
    }
}

static void test_head_on(void **state)
{
    (void)state;
    for_each_variant(head_on_cases);
}

/* Two spheres that touch at the start and fly into each other along any direction, so that the
 * normal is known. Without friction the impulse is (1 + e) m' u_n along it, m' the reduced mass.
 * With Coulomb's law, and for spheres, whose normal and tangential responses are independent, the
 * friction impulse is what stops the slip, 2/7 m' |u_t|, or mu times the normal impulse where that
 * is less. Returns the largest error of a velocity. */
static double oblique(const variant *v, dice *d, double e, double mu)
{
    const double mass[2] = {roll(d, 0.5, 5), roll(d, 0.5, 5)};
    const double radius[2] = {roll(d, 0.05, 0.2), roll(d, 0.05, 0.2)};
    const double reduced = mass[0] * mass[1] / (mass[0] + mass[1]);
    double n[3], u[2][3], x[2][3], slip[3], after[3];
    tl_body bodies[2];
    tl_scene *scene = scene_for(v, 1e-3);
    const tl_material material = add_material(scene, mu, e);
    set_gravity(scene, 0, 0, 0);
    roll_direction(d, n);
    roll3(d, -2, 2, x[0]);
    add3(x[0], radius[0] + radius[1], n, x[1]);
    roll3(d, -1, 1, u[0]);
    roll3(d, -1, 1, u[1]);
    add3(u[0], 1.8, n, u[0]); /* sqrt(3) at most the other way: they approach */
    add3(u[1], -1.8, n, u[1]);
    for (int i = 0; i < 2; i++)
        bodies[i] = add_sphere(scene, material, radius[i], mass[i], x[i], u[i]);
    tl_world *world = world_of(scene);
    step(world, 10);

    add3(u[1], -1, u[0], slip);
    const double approach = -dot3(slip, n);
    add3(slip, approach, n, slip);
    const double push = (1 + e) * reduced * approach;
    const double stick = 2.0 / 7 * reduced * norm3(slip);
    const double rub = fmin(stick, mu * push) / norm3(slip);
    double worst = 0;
    for (int i = 0; i < 2; i++) {
        const double sign = i ? 1 : -1;
        double spin[3], torque[3];
        add3(u[i], sign * push / mass[i], n, after);
        add3(after, -sign * rub / mass[i], slip, after);
        velocity_of(world, bodies[i], u[i]);
        assert_below(distance3(u[i], after), slack(v, 10, 10));
        worst = fmax(worst, distance3(u[i], after));
        /* Anchor (towards the other) times friction impulse: the same turning sense for both. */
        cross3(n, slip, torque);
        spin_of(world, bodies[i], spin);
        const double inertia = 0.4 * mass[i] * radius[i] * radius[i];
        add3(spin, -radius[i] * rub / inertia, torque, spin);
        assert_below(norm3(spin), slack(v, 10 / radius[i], 10));
    }
    tl_world_destroy(world);
    return worst;
}

static void oblique_cases(const variant *v)
{
    static const claim smooth = {"two balls collide obliquely without friction, e = 0, 0.6, 1",
                                 "closed form: Newton's law of impact",
                                 "largest error of a velocity, m/s", "h = 1 ms, 30 random cases"};
    static const claim rough = {"two balls collide obliquely with friction 0.1 and 2, e = 0.5",
                                "closed form: Newton's and Coulomb's laws",
                                "largest error of a velocity, m/s", "h = 1 ms, 20 random cases"};
    dice d = {11};
    double worst[2] = {0, 0};
    for (int i = 0; i < 10; i++) {
        worst[0] = fmax(worst[0], oblique(v, &d, 0, 0));
        worst[0] = fmax(worst[0], oblique(v, &d, 1, 0));
        worst[0] = fmax(worst[0], oblique(v, &d, 0.6, 0));
        if (!is_cone(v)) {
            worst[1] = fmax(worst[1], oblique(v, &d, 0.5, 0.1)); /* slips */
            worst[1] = fmax(worst[1], oblique(v, &d, 0.5, 2));   /* stops slipping */
        }
    }
    assert_found(&smooth, v->name, worst[0], 0, slack(v, 10, 10));
    if (!is_cone(v))
        assert_found(&rough, v->name, worst[1], 0, slack(v, 10, 10));
}

static void test_oblique(void **state)
{
    (void)state;
    for_each_variant(oblique_cases);
}

/* What a ball strikes in the next test. */
typedef enum target { BALL, PLANE, PLATE, TARGETS } target;

/* How much of its speed a ball of radius 0.1 m has, against what it struck `distance` ahead. */
static double rebound(const variant *v, tl_stepper stepper, target what, double e, double h,
                      double speed, double distance)
{
    tl_settings settings = settings_for(v, h);
    const double r = 0.1, origin[3] = {0, 0, 0};
    double u[3], other[3] = {0, 0, 0};
    settings.gravity[2] = 0;
    settings.stepper = stepper;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.5, e);
    tl_body struck = {0};
    if (what == BALL)
        struck = add_sphere(scene, material, r, 0, (double[3]){0, 0, -r}, origin);
    else if (what == PLANE)
        add_floor(scene, material);
    else
        add_fixed(scene, tl_box_default(1, 1, 0.5), material, (double[3]){0, 0, -0.5},
                  (double[4]){1, 0, 0, 0});
    const tl_body ball = add_sphere(scene, material, r, 0, (double[3]){0, 0, r + distance},
                                    (double[3]){0, 0, -speed});
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(distance / speed / h) + 10);
    velocity_of(world, ball, u);
    if (what == BALL)
        velocity_of(world, struck, other);
    tl_world_destroy(world);
    return (u[2] - other[2]) / speed;
}

/* Ways of a whole number of steps, and of 1e-8 of a step less, which is one to the rounding of
 * times within a step: bodies touch right at a step's end, and may have a load there, which is
 * rounding. They bounce all the same. */
static void whole_steps(const variant *v)
{
    const double e = 0.7, lack = 1e-8, steps[] = {1e-3, 2e-3, 5e-3, 1e-2};
    static const claim c = {"a ball meets a ball, a plane or a box right at the end of a step",
                            "closed form: Newton's law of impact, e = 0.7",
                            "largest error of the speed left, of that before",
                            "h = 1 to 10 ms, dvi and smooth, 2,880 ways and speeds"};
    double worst = 0;
    for (int of = 0; of < TARGETS * 2; of++)
        for (int i = 0; i < SOME(480); i++) {
            const double h = steps[i / 120], speed = 1 + i % 10, whole = 0.1 * (1 + i / 10 % 6);
            const double distance = whole - (i / 60 % 2 ? lack * h * speed : 0);
            const double left = rebound(v, of % 2 ? TL_STEPPER_SMOOTH : TL_STEPPER_DVI,
                                        (target)(of / 2), e, h, speed, distance);
            worst = fmax(worst, fabs(left - e));
        }
    assert_found(&c, v->name, worst, 0, lack + slack(v, 1, 10));
}

static void test_whole_steps(void **state)
{
    (void)state;
    for_each_precision(whole_steps);
}

/* An impact slower than restitution_speed does not bounce. */
static void slow_impact(const variant *v)
{
    const double h = 1e-3;
    tl_settings settings = settings_for(v, h);
    settings.restitution_speed = 0.5;
    settings.gravity[2] = 0;
    for (int fast = 0; fast < 2; fast++) {
        const double speed = fast ? 0.6 : 0.4;
        tl_scene *scene = scene_with(&settings);
        const tl_material material = add_material(scene, 0.5, 0.8);
        double u[3];
        add_floor(scene, material);
        const tl_body body =
            add_sphere(scene, material, 0.1, 0, (double[3]){0, 0, 0.11}, (double[3]){0, 0, -speed});
        tl_world *world = world_of(scene);
        step(world, 100);
        velocity_of(world, body, u);
        assert_near(u[2], fast ? 0.8 * speed : 0, slack(v, 1, 10));
        tl_world_destroy(world);
    }
}

static void test_slow_impact(void **state)
{
    (void)state;
    for_each_variant(slow_impact);
}

/* Equal balls in a row, `in` of them at 1 m/s, gaps between the others: as many go out, at the
 * other end, and the rest stands still, whatever the gap (touching, crossed in the same step, in
 * later ones). With other masses and restitutions momentum stays, energy does not grow, and nobody
 * goes on into his neighbour. */
static void row(const variant *v, int count, int in, double gap, double e, bool equal)
{
    const double r = 0.05;
    tl_settings settings = settings_for(v, 1e-3);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, e);
    tl_body bodies[16];
    double mass[16], before = 0, after = 0, momentum = 0, last = -1e9;
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < count; i++) {
        const double x[3] = {i * (2 * r + gap) - (i < in ? 0.0037 : 0), 0, 0};
        mass[i] = equal ? 1 : 1 + (7 * i) % 5;
        bodies[i] = add_sphere(scene, material, r, mass[i], x, (double[3]){i < in, 0, 0});
        before += i < in ? mass[i] : 0;
    }
    tl_world *world = world_of(scene);
    step(world, 400);
    static const claim last_ball = {"Newton's cradle: 5 touching balls in a row, one flies in",
                                    "closed form: one flies out", "speed of the last ball, m/s",
                                    "h = 1 ms, impacts: propagating"};
    static const claim others = {"Newton's cradle: 5 touching balls in a row, one flies in",
                                 "closed form: the others rest", "speed of the first ball, m/s",
                                 "h = 1 ms, impacts: propagating"};
    for (int i = 0; i < count; i++) {
        const bool shown = equal && count == 5 && in == 1 && gap == 0;
        double u[3];
        velocity_of(world, bodies[i], u);
        if (equal && e == 1)
            assert_near(u[0], i >= count - in, slack(v, 1, 30));
        if (shown && (i == 0 || i == count - 1))
            assert_found(i ? &last_ball : &others, v->name, u[0], i > 0, slack(v, 1, 30));
        assert_above(u[0] - last, -0.011 - slack(v, 1, 30)); /* restitution_speed is 0.01 */
        last = u[0];
        after += mass[i] * u[0] * u[0];
        momentum += mass[i] * u[0];
    }
    assert_near(momentum, before, slack(v, before, 100));
    assert_below(after, before * (1 + slack(v, 1, 100)));
    if (e == 1)
        assert_near(after, before, 3e-4 * before); /* what is slower than 0.01 does not bounce */
    tl_world_destroy(world);
}

static void rows(const variant *v)
{
    static const double gaps[] = {0, 1e-5, 5e-4, 3e-3};
    if (v->overlap == TL_OVERLAP_VELOCITY)
        return; /* it gives overlap back as speed */
    for (int i = 0; i < 4; i++) {
        row(v, 3, 1, gaps[i], 1, true);
        row(v, 5, 1, gaps[i], 1, true);
        row(v, 5, 2, gaps[i], 1, true);
        row(v, 12, 3, gaps[i], 1, true);
        row(v, 6, 2, gaps[i], 1, false);
        row(v, 6, 2, gaps[i], 0.5, false);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for_each_variant(rows);
}

/* What touching balls share where all impacts of a step are one problem, solved to the end. */
static void test_simultaneous(void **state)
{
    const variant v = variant_at(0);
    tl_settings settings = settings_for(&v, 1e-3);
    tl_body bodies[5];
    (void)state;
    settings.gravity[2] = 0;
    settings.impacts = TL_IMPACTS_SIMULTANEOUS;
    settings.solver.iterations = 2000;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 1);
    for (int i = 0; i < 5; i++)
        bodies[i] = add_sphere(scene, material, 0.05, 1, (double[3]){0.1 * i, 0, 0},
                               (double[3]){i == 0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 10);
    for (int i = 0; i < 5; i++) {
        double u[3];
        velocity_of(world, bodies[i], u);
        static const claim c = {"5 touching balls in a row, one flies in",
                                "closed form: all impacts at once, 4 x 0.4 and -0.6",
                                "speed of a ball, m/s", "h = 1 ms, impacts: simultaneous"};
        assert_found(&c, v.name, u[0], i ? 0.4 : -0.6, 1e-6);
    }
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounces),      cmocka_unit_test(test_stops),
        cmocka_unit_test(test_head_on),      cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_slow_impact),  cmocka_unit_test(test_rows),
        cmocka_unit_test(test_simultaneous), cmocka_unit_test(test_whole_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
