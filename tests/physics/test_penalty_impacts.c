/* The eight impacts of "Benchmark tests for verifying discrete element modelling codes at particle
 * impact level" (Chung and Ooi, 2011), law hertz. What is compared are closed forms: Hertz's depth
 * and duration (1, 2), restitution (3), and of impacts that slip throughout the impulse mu (1 + e)
 * m* v (4 to 8); of all others, which stick for a while, that translation and spin changed by one
 * impulse within Coulomb's cone. Materials of 4 are those of the experiments of Kharaz, Gorham and
 * Salman (2001): balls of aluminium oxide of 5 mm, 3.9 m/s, e = 0.98, mu = 0.092. */
#include "penalty.h"

static const double pi = 3.14159265358979323846;

/* Two balls, or a ball and a plate (radius 0 of the second), with the normal along z. */
typedef struct impact {
    double young, poisson, density, restitution, friction;
    double radius[2];
    double normal, across, spin; /* m/s of a to b along z, m/s along x, rad/s about y; of a */
    double spin_b;               /* rad/s about y */
} impact;

typedef struct outcome {
    double depth, duration;
    double v[2][3], w[2][3], mass[2];
} outcome;

static outcome hit(const impact *i)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 1, 0);
    outcome out = {0};
    s.settings.gravity[2] = 0;
    s.material.young_modulus = i->young;
    s.material.poisson_ratio = i->poisson;
    s.material.restitution = i->restitution;
    s.material.friction = i->friction;
    const double E = i->young / (2 * (1 - i->poisson * i->poisson));
    const bool plate = !(i->radius[1] > 0);
    const double R = plate ? i->radius[0] : 1 / (1 / i->radius[0] + 1 / i->radius[1]);
    for (int k = 0; k < 2; k++)
        out.mass[k] = i->density * 4 / 3 * pi * pow(i->radius[k], 3);
    const double m = plate ? out.mass[0] : 1 / (1 / out.mass[0] + 1 / out.mass[1]);
    const double deep =
        pow(15 * m * i->normal * i->normal / (16 * E * sqrt(R)), 0.4); /* without losses */
    s.settings.step = 2.943 * deep / i->normal / 1000;
    s.settings.penalty.substeps = 1;
    soft_begin(&s);
    tl_body balls[2] = {{0}, {0}};
    for (int k = 0; k < (plate ? 1 : 2); k++) {
        tl_body_def def = tl_body_default();
        tl_shape_def ball = tl_sphere_default(i->radius[k]);
        ball.material = s.of;
        def.shapes = &ball;
        def.shape_count = 1;
        def.density = i->density;
        def.position[2] = k ? -i->radius[1] : i->radius[0];
        def.velocity[2] = k || plate ? (k ? 0 : -i->normal) : -i->normal;
        def.velocity[0] = k ? 0 : i->across;
        def.angular_velocity[1] = k ? i->spin_b : i->spin;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &def, &balls[k]));
    }
    if (plate)
        soft_floor(&s, 0);
    tl_world *world = soft_world(&s);
    for (int k = 0; k < 3000 && !(out.duration > 0); k++) {
        tl_report report;
        assert_ok(tl_world_step(world, 1, &report));
        out.depth = fmax(out.depth, report.max_penetration);
        out.duration = k > 10 && !report.active_contacts ? report.time : 0;
    }
    assert_true(out.duration > 0);
    for (int k = 0; k < (plate ? 1 : 2); k++) {
        assert_ok(tl_world_read_velocities(world, 1, &balls[k], out.v[k]));
        assert_ok(tl_world_read_angular_velocities(world, 1, &balls[k], out.w[k]));
    }
    tl_world_destroy(world);
    return out;
}

/* 1 and 2: glass and limestone, and alloys of aluminium and magnesium on a plate. */
static void test_elastic(void **state)
{
    (void)state;
    static const claim depths[2] = {
        {"impact test 1: two equal balls, elastic", "closed form: Hertz", "depth, m", "hertz"},
        {"impact test 2: a ball on a plate, elastic", "closed form: Hertz", "depth, m", "hertz"}};
    static const claim lasts[2] = {
        {"impact test 1: two equal balls, elastic", "closed form: Hertz", "duration, s", "hertz"},
        {"impact test 2: a ball on a plate, elastic", "closed form: Hertz", "duration, s",
         "hertz"}};
    const impact cases[2][2] = {{{4.8e10, 0.20, 2800, 1, 0.35, {0.01, 0.01}, 20, 0, 0, 0},
                                 {2.0e10, 0.25, 2500, 1, 0.35, {0.01, 0.01}, 20, 0, 0, 0}},
                                {{7.0e10, 0.30, 2699, 1, 0, {0.1, 0}, 0.2, 0, 0, 0},
                                 {4.0e10, 0.35, 1800, 1, 0, {0.1, 0}, 0.2, 0, 0, 0}}};
    for (int test = 0; test < 2; test++)
        for (int k = 0; k < 2; k++) {
            const impact *i = &cases[test][k];
            const outcome out = hit(i);
            const double E = i->young / (2 * (1 - i->poisson * i->poisson));
            const double R = test ? 0.1 : 0.005, m = test ? out.mass[0] : out.mass[0] / 2;
            const double depth = pow(15 * m * i->normal * i->normal / (16 * E * sqrt(R)), 0.4);
            const char *word = test ? k ? "magnesium" : "aluminium" : k ? "limestone" : "glass";
            assert_found(&depths[test], word, out.depth, depth, 1e-4 * depth);
            assert_found(&lasts[test], word, out.duration, 2.943275 * depth / i->normal,
                         3e-3 * out.duration);
        }
}

/* 3: the restitution that was asked for. */
static void test_restitution(void **state)
{
    (void)state;
    static const claim c = {"impact test 3: a ball of aluminium oxide on a plate, 3.9 m/s",
                            "the restitution of the material", "speed after over before", "hertz"};
    const double asked[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        const outcome out =
            hit(&(impact){3.8e11, 0.23, 4000, asked[k], 0, {0.0025, 0}, 3.9, 0, 0, 0});
        assert_found(&c, "aluminium oxide", out.v[0][2] / 3.9, asked[k], 2e-3);
    }
}

/* What an impulse of friction did to a ball: its ratio to the normal one by translation, and by
 * spin. */
static void ratios(const impact *i, const outcome *out, double *by_push, double *by_turn)
{
    const double normal = out->mass[0] * (out->v[0][2] + i->normal);
    *by_push = out->mass[0] * (i->across - out->v[0][0]) / normal;
    *by_turn = 0.4 * out->mass[0] * i->radius[0] * (out->w[0][1] - i->spin) / normal;
}

/* 4 and 5: oblique impacts, of one speed and of one normal speed. */
static void test_oblique(void **state)
{
    (void)state;
    static const claim slides[2] = {
        {"impact test 4: a ball at 3.9 m/s and an angle to the plate, slipping throughout",
         "closed form: mu", "impulse of friction over that along the normal", "hertz"},
        {"impact test 5: a ball at 3.9 m/s along the normal, slipping throughout",
         "closed form: mu", "impulse of friction over that along the normal", "hertz"}};
    static const claim one[2] = {
        {"impact test 4: a ball at 3.9 m/s and an angle to the plate", "one impulse: 0",
         "impulse by translation less that by spin, over mu", "hertz, 5 to 85 degrees"},
        {"impact test 5: a ball at 3.9 m/s along the normal", "one impulse: 0",
         "impulse by translation less that by spin, over mu", "hertz"}};
    for (int test = 0; test < 2; test++) {
        double off = 0;
        for (int degrees = 5; degrees <= 85; degrees += 10) { /* from the normal */
            const double a = degrees * pi / 180, mu = 0.092, e = 0.98;
            const impact i = {3.8e11,
                              0.23,
                              4000,
                              e,
                              mu,
                              {0.0025, 0},
                              test ? 3.9 : 3.9 * cos(a),
                              3.9 * (test ? tan(a) : sin(a)),
                              0,
                              0};
            const outcome out = hit(&i);
            double push, spin;
            ratios(&i, &out, &push, &spin);
            off = fmax(off, fabs(push - spin) / mu);
            assert_true(push <= mu * 1.0001 && push > 0);
            assert_near(out.v[0][2] / i.normal, e, 2e-3);
            if (tan(a) > 8 * mu)
                assert_found(&slides[test], "double", push, mu, 2e-3 * mu);
        }
        assert_found(&one[test], "double", off, 0,
                     0.02); /* the anchor is shorter by half the depth */
    }
}

/* 6 to 8: balls that spin hit a plate, an equal ball and a larger one along the normal. */
static void test_spinning(void **state)
{
    (void)state;
    static const claim pushed[3] = {
        {"impact test 6: a ball that spins hits a plate, slipping throughout",
         "closed form: mu (1 + e) v m*/m", "speed across after it, m/s", "hertz"},
        {"impact test 7: a ball that spins hits an equal one, slipping throughout",
         "closed form: mu (1 + e) v m*/m", "speed across after it, m/s", "hertz"},
        {"impact test 8: a ball that spins hits one of five times its radius, slipping throughout",
         "closed form: mu (1 + e) v m*/m", "speed across after it, m/s", "hertz"}};
    static const claim left[3] = {
        {"impact test 6: a ball that spins hits a plate, slipping throughout",
         "closed form: w - 5 mu (1 + e) v m*/(2 m R)", "spin after it, rad/s", "hertz"},
        {"impact test 7: a ball that spins hits an equal one, slipping throughout",
         "closed form: w - 5 mu (1 + e) v m*/(2 m R)", "spin after it, rad/s", "hertz"},
        {"impact test 8: a ball that spins hits one of five times its radius, slipping throughout",
         "closed form: w - 5 mu (1 + e) v m*/(2 m R)", "spin after it, rad/s", "hertz"}};
    const double r = 0.1, v = 0.2, e = 0.5, mu = 0.4;
    for (int test = 0; test < 3; test++)
        for (int k = 0; k < 3; k++) {
            const double w = (8 + 4 * k) * mu * v / r;
            const impact i = {7.0e10, 0.30, 2700, e, mu, {r, test == 2 ? 5 * r : test ? r : 0},
                              v,      0,    w,    0};
            const outcome out = hit(&i);
            const double part =
                test ? out.mass[1] / (out.mass[0] + out.mass[1]) : 1; /* m* over m */
            const double way = mu * (1 + e) * v * part;
            /* the surface below goes along -x under a spin about y, and friction along x */
            assert_found(&pushed[test], "double", fabs(out.v[0][0]), way, 3e-3 * way);
            assert_found(&left[test], "double", out.w[0][1], w - 2.5 * way / r, 3e-3 * w);
            if (test) { /* the partner: the same impulse, and spin of the same sense */
                const double other = way * out.mass[0] / out.mass[1];
                assert_near(out.v[1][0] * out.mass[1] + out.v[0][0] * out.mass[0], 0, 1e-9);
                assert_near(out.w[1][1], -2.5 * other / i.radius[1], 6e-3 * other / i.radius[1]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
