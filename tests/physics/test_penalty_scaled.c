/* The law scaled, document 004's, against closed forms; springs between bodies; the orders of
 * integrators. Gravity is 1 m/s^2, as there. */
#include "penalty.h"

static const double pi = 3.14159265358979323846, C_c = 1000, C_d = 12.5;

static soft scaled(double step, uint32_t substeps)
{
    soft s = soft_default(TL_PENALTY_SCALED, step, substeps);
    s.settings.gravity[2] = -1;
    s.settings.penalty.collisions = false;
    s.material.restitution = 0.75;
    return s;
}

/* A ball rests with the overlap g/C_c; in a column, the k-th contact from the top has 2 k g/C_c. */
static void test_rest(void **state)
{
    (void)state;
    static const claim c = {"a column of four balls, law scaled",
                            "closed form: 2 k g/C_c, at the floor 4 g/C_c", "overlap, m",
                            "h = 20 ms, one substep"};
    soft s = scaled(0.02, 1);
    tl_body balls[4];
    soft_begin(&s);
    soft_floor(&s, 0);
    for (int k = 0; k < 4; k++)
        balls[k] = soft_ball(&s, 0.5, (double[3]){0, 0, 0.5 + k}, NULL, 2);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 3000, NULL));
    double below = -0.5;
    for (int k = 0; k < 4; k++) {
        const double z = soft_position(world, balls[k], 2);
        assert_found(&c, "double", (k ? 1 : 1) - (z - below), k ? 2 * (4 - k) / C_c : 4 / C_c,
                     1e-8);
        below = z;
    }
    tl_world_destroy(world);
}

static double bounce(bool attraction)
{
    soft s = scaled(1e-4, 1);
    s.settings.gravity[2] = 0;
    s.settings.penalty.attraction = attraction;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body ball = soft_ball(&s, 0.5, (double[3]){0, 0, 0.5}, (double[3]){0, 0, -1}, 3);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 2500, NULL));
    const double v = soft_velocity(world, ball, 2);
    tl_world_destroy(world);
    return v;
}

static void test_bounce(void **state)
{
    (void)state;
    static const claim c = {"a ball that hits the floor at 1 m/s, law scaled, no collisions",
                            "closed form: exp(-pi z/sqrt(1 - z^2)), 0.575 without attraction",
                            "speed after it, m/s", "h = 0.1 ms"};
    const double z = C_d / (2 * sqrt(C_c)), root = sqrt(1 - z * z);
    assert_found(&c, "attraction", bounce(true), exp(-pi * z / root), 2e-3);
    assert_found(&c, "no attraction", bounce(false),
                 exp(-z / root * atan2(2 * z * root, 2 * z * z - 1)), 2e-3);
}

/* Slip u of a ball on the floor goes as du/dt = -7/2 mu o sqrt(u). */
static void test_slip(void **state)
{
    (void)state;
    static const claim until = {"a ball set sliding at 1 m/s, law scaled",
                                "closed form: 4 sqrt(u0)/(7 mu o)", "time until it rolls, s",
                                "h = 20 ms, one substep"};
    static const claim left = {"a ball set sliding at 1 m/s, law scaled", "closed form: 5/7 v0",
                               "speed once it rolls, m/s", "h = 20 ms, one substep"};
    soft s = scaled(0.02, 1);
    soft_begin(&s);
    soft_floor(&s, 0);
    const double r = 1, o = 1 / C_c, end = 4 / (7 * 50 * o);
    const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r - o}, (double[3]){1, 0, 0}, 2);
    tl_world *world = soft_world(&s);
    double time = 0;
    for (int k = 0; k < 800; k++) {
        double w[3];
        assert_ok(tl_world_step(world, 1, NULL));
        assert_ok(tl_world_read_angular_velocities(world, 1, &ball, w));
        if (!time && soft_velocity(world, ball, 0) - (r - o / 2) * w[1] < 1e-5)
            time = tl_world_time(world);
    }
    assert_found(&until, "double", time, end, 0.01 * end);
    assert_found(&left, "double", soft_velocity(world, ball, 0), 5.0 / 7, 2e-3);
    tl_world_destroy(world);
}

/* On an incline a body that cannot roll slides at (C_c tan a/mu)^2. */
static void test_incline(void **state)
{
    (void)state;
    static const claim c = {"three balls in one body on an incline, law scaled",
                            "closed form: (C_c tan a/mu)^2", "speed, m/s", "h = 20 ms"};
    const double angle = atan(0.05);
    soft s = scaled(0.02, 2);
    soft_begin(&s);
    soft_floor(&s, angle);
    tl_body_def def = tl_body_default();
    tl_shape_def balls[3];
    tl_body body;
    for (int k = 0; k < 3; k++) {
        balls[k] = tl_sphere_default(0.1);
        balls[k].material = s.of;
        balls[k].position[0] = 0.6 * cos(2 * pi * k / 3);
        balls[k].position[1] = 0.6 * sin(2 * pi * k / 3);
    }
    def.shape_count = 3;
    def.shapes = balls;
    turn((double[3]){0, 1, 0}, angle, def.orientation);
    def.position[0] = 0.1 * sin(angle);
    def.position[2] = 0.1 * cos(angle);
    assert_ok(tl_scene_add_bodies(s.scene, 1, &def, &body));
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 20000, NULL));
    assert_found(&c, "double", hypot(soft_velocity(world, body, 0), soft_velocity(world, body, 2)),
                 1, 0.01);
    tl_world_destroy(world);
}

/* A collision: restitution, momentum, surfaces that just touch, a centre of mass that is not moved;
 * below the threshold, forces. */
static void test_collision(void **state)
{
    (void)state;
    static const claim c = {"two balls of masses 1 and 3 that collide, law scaled",
                            "closed form: e = 0.75, (1 + e) m v once",
                            "relative speed after it, m/s", "h = 20 ms, one substep"};
    soft s = scaled(0.02, 1);
    s.settings.gravity[2] = 0;
    s.settings.penalty.collisions = true;
    soft_begin(&s);
    const tl_body a = soft_ball(&s, 0.5, (double[3]){-0.49, 0, 0}, (double[3]){2, 0, 0}, 1);
    const tl_body b = soft_ball(&s, 0.5, (double[3]){0.49, 0, 0}, (double[3]){-1, 0, 0}, 3);
    tl_world *world = soft_world(&s);
    tl_report report;
    assert_ok(tl_world_step(world, 1, &report));
    const double va = soft_velocity(world, a, 0), vb = soft_velocity(world, b, 0);
    assert_found(&c, "double", vb - va, 0.75 * 3, 1e-12);
    assert_near(va + 3 * vb, 2 - 3, 1e-12);
    const double xa = soft_position(world, a, 0), xb = soft_position(world, b, 0);
    assert_near(xb - xa, 1 + 0.02 * (vb - va), 1e-12);
    assert_near(xa + 3 * xb, 2 * 0.49 - 0.02, 1e-12);
    assert_near(report.dissipated_energy, 0.5 * 0.75 * (1 - 0.5625) * 9, 1e-9);
    tl_world_destroy(world);
    /* slow ones do not: 0.4 is below 1 times the radius */
    soft_begin(&s);
    const tl_body d = soft_ball(&s, 0.5, (double[3]){-0.49, 0, 0}, (double[3]){0.4, 0, 0}, 1);
    soft_ball(&s, 0.5, (double[3]){0.49, 0, 0}, NULL, 1);
    world = soft_world(&s);
    assert_ok(tl_world_step(world, 1, NULL));
    assert_above(soft_velocity(world, d, 0), 0);
    tl_world_destroy(world);
}

/* Balls that all touch and fly about. */
static tl_world *crowd(uint32_t threads, bool collisions, double v[64][3], tl_body balls[64])
{
    soft s = scaled(0.02, 1);
    dice d = {3};
    s.settings.gravity[2] = 0;
    s.settings.penalty.collisions = collisions;
    s.settings.threads = threads;
    soft_begin(&s);
    for (int i = 0; i < 64; i++) {
        double x[3] = {0.95 * (i % 4), 0.95 * (i / 4 % 4), 0.95 * (i / 16)};
        roll3(&d, -3, 3, v[i]);
        balls[i] = soft_ball(&s, 0.5, x, v[i], 1);
    }
    return soft_world(&s);
}

/* Momentum of many that collide at once; the same bits for any number of threads. */
static void test_many(void **state)
{
    (void)state;
    double sum[3] = {0, 0, 0}, now[3] = {0, 0, 0}, v[64][3];
    tl_body balls[64];
    uint64_t hash = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        tl_world *other = crowd(threads, true, v, balls);
        assert_ok(tl_world_step(other, 50, NULL));
        if (threads > 1)
            assert_int_equal(tl_world_hash(other), hash);
        hash = tl_world_hash(other);
        void *bytes;
        size_t size;
        tl_world *again;
        assert_ok(tl_world_save(other, &bytes, &size));
        assert_ok(tl_world_load(bytes, size, &again));
        tl_snapshot_free(bytes, size);
        assert_ok(tl_world_step(other, 5, NULL));
        assert_ok(tl_world_step(again, 5, NULL));
        assert_int_equal(tl_world_hash(other), tl_world_hash(again));
        tl_world_destroy(again);
        tl_world_destroy(other);
    }
    tl_world *world = crowd(2, true, v, balls);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 3; k++)
            sum[k] += v[i][k];
    assert_ok(tl_world_step(world, 50, NULL));
    assert_ok(tl_world_read_velocities(world, 64, balls, &v[0][0]));
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 3; k++)
            now[k] += v[i][k];
    for (int k = 0; k < 3; k++)
        assert_near(now[k], sum[k], 1e-10);
    tl_world_destroy(world);
}

/* Phase by phase a step is the same, bit for bit; and no advance goes beyond the margin. */
static void test_phases(void **state)
{
    (void)state;
    double v[64][3];
    tl_body balls[64];
    tl_world *whole = crowd(2, false, v, balls), *phases = crowd(2, false, v, balls);
    assert_status(tl_world_advance(phases, 0.02, NULL), TL_BAD_ARGUMENT);
    for (int k = 0; k < 20; k++) {
        assert_ok(tl_world_step(whole, 1, NULL));
        assert_ok(tl_world_update_bounds(phases));
        assert_ok(tl_world_find_pairs(phases));
        assert_ok(tl_world_collide(phases));
        assert_ok(tl_world_advance(phases, 0.02, NULL));
        assert_int_equal(tl_world_hash(whole), tl_world_hash(phases));
    }
    const uint64_t hash = tl_world_hash(phases);
    assert_ok(tl_world_find_pairs(phases));
    assert_status(tl_world_advance(phases, 2, NULL), TL_BAD_ARGUMENT);
    assert_int_equal(tl_world_hash(phases), hash);
    assert_ok(tl_world_step(whole, 1, NULL)); /* the pairs are still there, with their springs */
    assert_ok(tl_world_collide(phases));
    assert_ok(tl_world_advance(phases, 0.02, NULL));
    assert_int_equal(tl_world_hash(whole), tl_world_hash(phases));
    assert_ok(tl_world_find_pairs(phases)); /* which no snapshot has */
    void *snapshot;
    size_t bytes;
    tl_world *loaded;
    assert_ok(tl_world_save(phases, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &loaded));
    tl_snapshot_free(snapshot, bytes);
    assert_status(tl_world_advance(loaded, 0.001, NULL), TL_BAD_ARGUMENT);
    assert_ok(tl_world_find_pairs(loaded));
    assert_ok(tl_world_advance(phases, 0.02, NULL));
    assert_ok(tl_world_advance(loaded, 0.02, NULL));
    assert_int_equal(tl_world_hash(phases), tl_world_hash(loaded));
    tl_world_destroy(loaded);
    tl_world_destroy(whole);
    tl_world_destroy(phases);

    soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 20); /* springs of friction outlast a refusal */
    tl_world *twin[2];
    for (int k = 0; k < 2; k++) {
        soft_begin(&s);
        soft_floor(&s, 0);
        for (int i = 0; i < 3; i++)
            soft_ball(&s, 0.05, (double[3]){0.001 * i, 0, 0.049 + 0.099 * i},
                      (double[3]){0.3, 0.1 * i, 0}, 1);
        twin[k] = soft_world(&s);
        assert_ok(tl_world_find_pairs(twin[k]));
        for (int i = 0; i < 40; i++) {
            if (k && i % 8 == 5) {
                tl_report report = {.steps = 7};
                assert_status(tl_world_advance(twin[k], 0.3, &report), TL_BAD_ARGUMENT);
                assert_int_equal(report.steps, 0);
            }
            assert_ok(tl_world_advance(twin[k], 1e-4, NULL));
        }
    }
    assert_int_equal(tl_world_hash(twin[0]), tl_world_hash(twin[1]));
    tl_world_destroy(twin[0]);
    tl_world_destroy(twin[1]);

    s = scaled(0.02, 1); /* a collision alone */
    s.settings.gravity[2] = 0;
    s.settings.penalty.collisions = true;
    soft_begin(&s);
    const tl_body a = soft_ball(&s, 0.5, (double[3]){-0.49, 0, 0}, (double[3]){2, 0, 0}, 1);
    const tl_body b = soft_ball(&s, 0.5, (double[3]){0.49, 0, 0}, (double[3]){-1, 0, 0}, 3);
    tl_world *two = soft_world(&s);
    assert_ok(tl_world_find_pairs(two));
    assert_ok(tl_world_collide(two));
    assert_near(soft_velocity(two, b, 0) - soft_velocity(two, a, 0), 0.75 * 3, 1e-12);
    assert_near(soft_position(two, b, 0) - soft_position(two, a, 0), 1, 1e-12);
    tl_world_destroy(two);
}

/* A spring between two bodies: frequency and decay. */
static void test_spring(void **state)
{
    (void)state;
    static const claim c = {"two balls on a spring and damper, penalty contact",
                            "closed form of a damped oscillator", "distance after 2 s, m",
                            "h = 20 ms, rk4"};
    const double m = 1.5, k = 40, damping = 0.8, length = 3, off = 0.5, t = 2;
    soft s = scaled(0.02, 1);
    s.settings.gravity[2] = 0;
    soft_begin(&s);
    tl_joint_def spring = tl_joint_default(TL_JOINT_DISTANCE);
    spring.a = soft_ball(&s, 0.5, (double[3]){0, 0, 0}, NULL, 2 * m);
    spring.b = soft_ball(&s, 0.5, (double[3]){length + off, 0, 0}, NULL, 2 * m);
    spring.length = length;
    spring.axes[0].stiffness = k;
    spring.axes[0].damping = damping;
    assert_ok(tl_scene_add_joint(s.scene, &spring, NULL));
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 100, NULL));
    const double z = damping / (2 * m), rate = sqrt(k / m - z * z);
    const double want = length + off * exp(-z * t) * (cos(rate * t) + z / rate * sin(rate * t));
    assert_found(&c, "double",
                 soft_position(world, spring.b, 0) - soft_position(world, spring.a, 0), want, 1e-4);
    tl_world_destroy(world);
}

/* A ball that stays in contact is a damped oscillator: what is left of the error where the substep
 * is halved. */
static double swing_error(tl_integrator integrator, double h)
{
    const double r = 0.5, z = C_d / 2, rate = sqrt(C_c - z * z);
    double sum = 0;
    soft s = scaled(h, 1);
    s.settings.penalty.attraction = true;
    s.settings.penalty.integrator = integrator;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r - 1.5 / C_c}, NULL, 2);
    tl_world *world = soft_world(&s);
    for (int k = 1; k <= 20; k++) {
        const double t = 0.02 * k;
        assert_ok(tl_world_step(world, (uint32_t)lround(0.02 / h), NULL));
        const double part = exp(-z * t) * (cos(rate * t) + z / rate * sin(rate * t));
        const double off = soft_position(world, ball, 2) - (r - (1 + 0.5 * part) / C_c);
        sum += off * off;
    }
    tl_world_destroy(world);
    return sqrt(sum);
}

static void test_orders(void **state)
{
    (void)state;
    static const claim c = {"a ball that swings on the floor, law scaled",
                            "the order of the integrator", "log2 of errors, substep and half of it",
                            "substeps of 1 ms and 0.5 ms"};
    const struct {
        tl_integrator integrator;
        double order, tolerance;
    } all[] = {{TL_INTEGRATOR_EULER, 1, 0.2},
               {TL_INTEGRATOR_SEMI_IMPLICIT, 1, 0.2},
               {TL_INTEGRATOR_VERLET, 2, 0.1},
               {TL_INTEGRATOR_RK4, 4, 0.2}};
    for (size_t k = 0; k < 4; k++) {
        const double h = all[k].order > 3 ? 4e-3 : 1e-3;
        const double order =
            log2(swing_error(all[k].integrator, h) / swing_error(all[k].integrator, h / 2));
        assert_found(&c, tl_word(TL_WORDS_INTEGRATOR, all[k].integrator), order, all[k].order,
                     all[k].tolerance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),      cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_slip),      cmocka_unit_test(test_incline),
        cmocka_unit_test(test_collision), cmocka_unit_test(test_many),
        cmocka_unit_test(test_spring),    cmocka_unit_test(test_orders),
        cmocka_unit_test(test_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
