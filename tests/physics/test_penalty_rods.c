/* Rods without mass between two bodies, under penalty contact, against closed forms (document 004,
 * eq. 2.6 to 2.15) and what is conserved. */
#include "penalty.h"

static const double pi = 3.14159265358979323846;

static tl_body soft_rod(soft *s, tl_body a, tl_body b, double radius, double length)
{
    tl_rod_def def = tl_rod_default(radius);
    tl_body rod;
    def.a = a;
    def.b = b;
    def.length = length;
    def.material = s->of;
    assert_ok(tl_scene_add_rod(s->scene, &def, &rod));
    return rod;
}

static soft still(tl_penalty_law law, double step, uint32_t substeps)
{
    soft s = soft_default(law, step, substeps);
    s.settings.gravity[2] = 0;
    return s;
}

/* Momentum and angular momentum about the origin of bodies with a mass: all but rods. */
static void sum_up(const tl_world *world, double p[6])
{
    enum { MOST = 64 };
    const size_t count = tl_world_body_count(world);
    tl_body all[MOST];
    double x[MOST][3], v[MOST][3], w[MOST][3], m[MOST], moments[MOST][3], turn[3];
    assert_true(count <= MOST);
    assert_ok(tl_world_list_bodies(world, count, all));
    assert_ok(tl_world_read_positions(world, count, NULL, x[0]));
    assert_ok(tl_world_read_velocities(world, count, NULL, v[0]));
    assert_ok(tl_world_read_angular_velocities(world, count, NULL, w[0]));
    assert_ok(tl_world_read_masses(world, count, NULL, m));
    assert_ok(tl_world_read_inertias(world, count, NULL, moments[0]));
    memset(p, 0, 6 * sizeof *p);
    for (size_t i = 0; i < count; i++) {
        bool rod = false;
        for (size_t k = 0; k < tl_world_rod_count(world); k++) {
            tl_rod_info info;
            assert_ok(tl_world_rod(world, k, &info));
            rod = rod || info.body.index == all[i].index;
        }
        if (rod)
            continue;
        turn[0] = x[i][1] * v[i][2] - x[i][2] * v[i][1];
        turn[1] = x[i][2] * v[i][0] - x[i][0] * v[i][2];
        turn[2] = x[i][0] * v[i][1] - x[i][1] * v[i][0];
        for (int k = 0; k < 3; k++) {
            p[k] += m[i] * v[i][k];
            p[3 + k] += m[i] * turn[k] + moments[i][k] * w[i][k];
        }
    }
}

/* A ball falls on a rod, a quarter along it. */
static void test_off_centre(void **state)
{
    (void)state;
    static const claim hit = {"a ball of 1 kg hits a free rod between 2 and 3 kg at a = 0.25, "
                              "collision by an impulse",
                              "closed form: j = (1 + e) v/(1/m + 1/M), 1/M = (1-a)^2/m1 + a^2/m2",
                              "velocities after it, m/s", "e = 0.75"};
    static const claim soft_hit = {"the same by springs, law hertz, e = 1", "closed form",
                                   "velocities after it, m/s", "E = 1e9 Pa, automatic substeps"};
    const double a = 0.25, m = 1, m1 = 2, m2 = 3, v = 2;
    const double give = 1 / m + (1 - a) * (1 - a) / m1 + a * a / m2;
    for (int law = 0; law < 2; law++) {
        soft s = still(law ? TL_PENALTY_HERTZ : TL_PENALTY_SCALED, 1e-3, law ? 0 : 1);
        const double e = law ? 1 : 0.75;
        s.material.restitution = e;
        s.material.young_modulus = 1e9;
        s.settings.penalty.collision_threshold = 0.1;
        if (!law) /* forces where substeps begin alone: none before the collision */
            s.settings.penalty.integrator = TL_INTEGRATOR_SEMI_IMPLICIT;
        soft_begin(&s);
        const tl_body ball =
            soft_ball(&s, 0.2, (double[3]){-0.5, 0, 0.3001}, (double[3]){0, 0, -v}, m);
        const tl_body b1 = soft_ball(&s, 0.2, (double[3]){-1, 0, 0}, NULL, m1);
        const tl_body b2 = soft_ball(&s, 0.2, (double[3]){1, 0, 0}, NULL, m2);
        soft_rod(&s, b1, b2, 0.1, 0);
        tl_world *world = soft_world(&s);
        double before[6], after[6];
        sum_up(world, before);
        assert_ok(tl_world_step(world, 10, NULL));
        sum_up(world, after);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(after[k] - before[k]) < 1e-10);
        const double j = (1 + e) * v / give, tolerance = law ? 2e-3 : 1e-9;
        const claim *c = law ? &soft_hit : &hit;
        assert_found(c, "ball", soft_velocity(world, ball, 2), -v + j / m, tolerance);
        assert_found(c, "first", soft_velocity(world, b1, 2), -(1 - a) * j / m1, tolerance);
        assert_found(c, "second", soft_velocity(world, b2, 2), -a * j / m2, tolerance);
        tl_world_destroy(world);
    }
}

/* A rod falls across another. */
static void test_rods_cross(void **state)
{
    (void)state;
    static const claim c = {"a rod hits another across it, a = 0.25 and b = 0.4",
                            "closed form: j = (1 + e) v/(1/M_A + 1/M_B)",
                            "velocities after it, m/s", "law scaled, e = 0.75"};
    const double a = 0.25, b = 0.4, m[4] = {2, 3, 1, 5}, v = 2, e = 0.75;
    const double at[4][3] = {{-1, 0, 0}, {1, 0, 0}, {-0.5, -0.8, 0.2001}, {-0.5, 1.2, 0.2001}};
    const double part[4] = {1 - a, a, 1 - b, b};
    soft s = still(TL_PENALTY_SCALED, 1e-3, 1);
    tl_body balls[4];
    s.material.restitution = e;
    s.settings.penalty.collision_threshold = 0.1;
    s.settings.penalty.integrator = TL_INTEGRATOR_SEMI_IMPLICIT;
    soft_begin(&s);
    for (int k = 0; k < 4; k++)
        balls[k] = soft_ball(&s, 0.15, at[k], k < 2 ? NULL : (double[3]){0, 0, -v}, m[k]);
    soft_rod(&s, balls[0], balls[1], 0.1, 0);
    soft_rod(&s, balls[2], balls[3], 0.1, 0);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 10, NULL));
    double give = 0;
    for (int k = 0; k < 4; k++)
        give += part[k] * part[k] / m[k];
    const double j = (1 + e) * v / give;
    for (int k = 0; k < 4; k++)
        assert_found(&c, k < 2 ? "lower" : "upper", soft_velocity(world, balls[k], 2),
                     k < 2 ? -part[k] * j / m[k] : -v + part[k] * j / m[k], 1e-9);
    tl_world_destroy(world);
}

/* A ball lies on a rod, whose spheres lie on the floor. */
static void test_rest(void **state)
{
    (void)state;
    static const claim c = {"a ball on a rod on two spheres on the floor, law scaled",
                            "closed form: m g/(m* C_c), (m1 + m/2) g/(m1 C_c)", "overlap, m",
                            "h = 10 ms, one substep"};
    const double m = 3, m1 = 2, M = 2 * m1, reduced = m * M / (m + M);
    soft s = still(TL_PENALTY_SCALED, 0.01, 1);
    s.settings.gravity[2] = -1;
    s.settings.penalty.collisions = false;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body b1 = soft_ball(&s, 0.3, (double[3]){-1, 0, 0.3}, NULL, m1);
    const tl_body b2 = soft_ball(&s, 0.3, (double[3]){1, 0, 0.3}, NULL, m1);
    soft_rod(&s, b1, b2, 0.1, 0);
    const tl_body ball = soft_ball(&s, 0.2, (double[3]){0, 0, 0.6}, NULL, m);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 600, NULL)); /* it stands on an edge: not for ever */
    const double low = soft_position(world, b1, 2), high = soft_position(world, ball, 2);
    assert_found(&c, "ball and rod", 0.3 - (high - low), m / (reduced * 1000), 1e-8);
    assert_found(&c, "floor", 0.3 - low, (m1 + m / 2) / (m1 * 1000), 1e-8);
    tl_world_destroy(world);
}

/* Rods, balls, a capsule and a box meet, rub and spin. */
static tl_world *cluster(uint32_t threads, tl_precision precision, uint32_t substeps)
{
    soft s = still(TL_PENALTY_HERTZ, 1e-3, substeps);
    s.settings.threads = threads;
    s.settings.precision = precision;
    s.material.young_modulus = 1e6;
    s.material.friction = 0.6;
    s.material.restitution = 0.5;
    soft_begin(&s);
    tl_body balls[8];
    for (int k = 0; k < 8; k++) {
        const double x[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.3 : -0.3};
        const double v[3] = {0.3 * (k % 3) - 0.2, 0.2 * (k % 2), k & 4 ? -2 : 2};
        balls[k] = soft_ball(&s, 0.1, x, v, 1 + 0.5 * k);
    }
    soft_rod(&s, balls[0], balls[3], 0.08, 0);
    soft_rod(&s, balls[3], balls[1], 0.06, 0);
    soft_rod(&s, balls[5], balls[6], 0.08, 0);
    soft_rod(&s, balls[6], balls[7], 0.05, 1);
    tl_shape_def shapes[2] = {tl_capsule_default(0.08, 0.2), tl_box_default(0.1, 0.12, 0.07)};
    for (int k = 0; k < 2; k++) {
        tl_body_def def = tl_body_default();
        shapes[k].material = s.of;
        def.shapes = &shapes[k];
        def.shape_count = 1;
        def.position[0] = k ? 0.05 : -0.1;
        def.position[2] = k ? 0.6 : -0.6;
        def.velocity[2] = k ? -3 : 3;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.02;
        def.mass = 1;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &def, NULL));
    }
    return soft_world(&s);
}

static void test_conserved(void **state)
{
    (void)state;
    static const claim c = {"rods, balls, a capsule and a box that meet with friction",
                            "conservation of momentum and angular momentum",
                            "largest change, kg m/s and kg m^2/s", "law hertz, 0.5 s"};
    tl_world *world = cluster(1, TL_DOUBLE, 50);
    double before[6], after[6], worst = 0;
    uint32_t contacts = 0;
    sum_up(world, before);
    for (int k = 0; k < 500; k++) {
        tl_report report;
        assert_ok(tl_world_step(world, 1, &report));
        contacts += report.active_contacts;
    }
    sum_up(world, after);
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(after[k] - before[k]));
    assert_true(contacts > 100);
    assert_found(&c, "double", worst, 0, 1e-10);
    tl_world_destroy(world);
}

/* Energies: what springs, dampers and friction of rods took is what is missing, but for errors of
 * the integration, which go with the substep. */
static void test_energy(void **state)
{
    (void)state;
    static const claim c = {"rods, balls, a capsule and a box that meet with friction",
                            "conservation of energy", "energy error over what was lost",
                            "law hertz, 0.5 s, 400 substeps of 2.5 us"};
    double error[2];
    for (int k = 0; k < 2; k++) {
        tl_world *world = cluster(1, TL_DOUBLE, k ? 400 : 50);
        tl_report report;
        assert_ok(tl_world_step(world, 500, &report));
        assert_true(report.dissipated_energy > 5);
        error[k] = report.energy_error / report.dissipated_energy;
        tl_world_destroy(world);
    }
    assert_true(fabs(error[1]) < 0.3 * fabs(error[0]));
    assert_found(&c, "double", error[1], 0, 5e-4);
}

static uint64_t hash_of(const tl_world *world)
{
    double x[64][3];
    const size_t count = tl_world_body_count(world);
    uint64_t hash = 0xcbf29ce484222325u;
    assert_ok(tl_world_read_positions(world, count, NULL, x[0]));
    for (size_t i = 0; i < count * sizeof *x; i++)
        hash = (hash ^ ((unsigned char *)x)[i]) * 0x100000001b3u;
    return hash;
}

/* The same bits for any number of threads, and after a rest as a snapshot. */
static void test_bits(void **state)
{
    (void)state;
    for (int precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        uint64_t first = 0;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            tl_world *world = cluster(threads, (tl_precision)precision, 50), *again;
            void *bytes;
            size_t count;
            assert_ok(tl_world_step(world, 150, NULL));
            assert_ok(tl_world_save(world, &bytes, &count));
            assert_ok(tl_world_load(bytes, count, &again));
            tl_snapshot_free(bytes, count);
            assert_ok(tl_world_step(world, 150, NULL));
            assert_ok(tl_world_step(again, 150, NULL));
            const uint64_t hash = hash_of(world);
            first = first ? first : hash;
            assert_int_equal(hash, first);
            assert_int_equal(hash_of(again), first);
            tl_world_destroy(world);
            tl_world_destroy(again);
        }
    }
}

/* A ball on a rod that keeps its length swings as a pendulum. */
static void test_pendulum(void **state)
{
    (void)state;
    static const claim c = {"a ball on a rod of 1 m that keeps its length, released at 0.2 rad",
                            "closed form: 2 pi sqrt(L/g) (1 + t^2/16 + 11 t^4/3072)", "period, s",
                            "h = 1 ms"};
    static const claim kept = {"a ball on a rod of 1 m that keeps its length", "1 m",
                               "largest difference, m", "h = 1 ms, 5 s"};
    const double angle = 0.2, g = 9.81;
    const double period = 2 * pi / sqrt(g) * (1 + angle * angle / 16 + 11 * pow(angle, 4) / 3072);
    for (int law = 0; law < 2; law++) {
        soft s = still(law ? TL_PENALTY_SCALED : TL_PENALTY_HERTZ, 1e-3, 1);
        s.settings.gravity[2] = -g;
        soft_begin(&s);
        tl_body_def def = tl_body_default();
        tl_shape_def knob = tl_sphere_default(0.1);
        tl_body top;
        def.kind = TL_FIXED;
        def.shapes = &knob;
        def.shape_count = 1;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &def, &top));
        const double x[3] = {sin(angle), 0, -cos(angle)};
        const tl_body ball = soft_ball(&s, 0.1, x, NULL, 2);
        soft_rod(&s, top, ball, 0.02, 1);
        tl_world *world = soft_world(&s);
        double crossed = 0, last = x[0], off = 0;
        for (int k = 1; k <= 5000; k++) { /* it crosses the middle after 1/4 and 9/4 periods */
            assert_ok(tl_world_step(world, 1, NULL));
            const double now = soft_position(world, ball, 0), z = soft_position(world, ball, 2);
            off = fmax(off, fabs(sqrt(now * now + z * z) - 1));
            if (last > 0 && now <= 0 && k > 3500)
                crossed = crossed > 0 ? crossed : 1e-3 * (k - now / (now - last));
            last = now;
        }
        assert_found(&c, law ? "rk4" : "verlet", crossed / 2.25, period, 2e-5);
        assert_found(&kept, law ? "rk4" : "verlet", off, 0, 1e-12);
        tl_world_destroy(world);
    }
}

/* A ring of five rods that keep their lengths, thrown and spun. */
static void test_ring(void **state)
{
    (void)state;
    static const claim c = {"a ring of six balls and rods that keep their lengths, thrown and spun",
                            "conservation of momentum and angular momentum",
                            "largest change, kg m/s and kg m^2/s", "law hertz, h = 1 ms, 2 s"};
    static const claim kept = {"a ring of six balls and rods that keep their lengths", "1 m",
                               "largest difference, m", "20 sweeps, h = 1 ms, 2 s"};
    soft s = still(TL_PENALTY_HERTZ, 1e-3, 1);
    soft_begin(&s);
    tl_body balls[6], rods[6];
    for (int k = 0; k < 6; k++) {
        const double t = pi * k / 3, x[3] = {cos(t), sin(t), 0};
        const double v[3] = {-2 * sin(t) + 0.5, 2 * cos(t), k % 2 ? 1 : -1};
        balls[k] = soft_ball(&s, 0.1, x, v, 1 + k % 3);
    }
    for (int k = 0; k < 6; k++)
        rods[k] = soft_rod(&s, balls[k], balls[(k + 1) % 6], 0.05, 1);
    tl_world *world = soft_world(&s);
    double before[6], after[6], worst = 0, off = 0;
    sum_up(world, before);
    for (int k = 0; k < 2000; k++) {
        assert_ok(tl_world_step(world, 1, NULL));
        for (int r = 0; r < 6; r++) {
            double a[3], b[3], square = 0;
            assert_ok(tl_world_read_positions(world, 1, &balls[r], a));
            assert_ok(tl_world_read_positions(world, 1, &balls[(r + 1) % 6], b));
            for (int i = 0; i < 3; i++)
                square += (a[i] - b[i]) * (a[i] - b[i]);
            off = fmax(off, fabs(sqrt(square) - 1));
        }
    }
    sum_up(world, after);
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(after[k] - before[k]));
    assert_found(&c, "double", worst, 0, 1e-9);
    assert_found(&kept, "double", off, 0, 1e-6);
    assert_ok(tl_world_remove_bodies(world, 1, &balls[0])); /* its two rods go with it */
    assert_int_equal(tl_world_rod_count(world), 4);
    assert_false(tl_world_has_body(world, rods[0]));
    assert_false(tl_world_has_body(world, rods[5]));
    assert_int_equal(tl_world_body_count(world), 9);
    assert_ok(tl_world_step(world, 10, NULL));
    tl_world_destroy(world);
}

/* A rod adds nothing to what a spring between its balls does. */
static void test_spring(void **state)
{
    (void)state;
    static const claim c = {"two balls with a spring and a free rod between them",
                            "closed form: 2 pi sqrt(m*/k)", "period, s", "h = 1 ms"};
    const double m = 2, k = 100, period = 2 * pi * sqrt(m / 2 / k);
    soft s = still(TL_PENALTY_SCALED, 1e-3, 1);
    soft_begin(&s);
    const tl_body a = soft_ball(&s, 0.1, (double[3]){0, 0, 0}, NULL, m);
    const tl_body b = soft_ball(&s, 0.1, (double[3]){1.1, 0, 0}, NULL, m);
    soft_rod(&s, a, b, 0.05, 0);
    tl_joint_def joint = tl_joint_default(TL_JOINT_DISTANCE);
    joint.a = a;
    joint.b = b;
    joint.length = 1;
    joint.axes[0].stiffness = k;
    assert_ok(tl_scene_add_joint(s.scene, &joint, NULL));
    tl_world *world = soft_world(&s);
    double crossed = 0, last = 0.1;
    for (int i = 1; i < 3000 && !crossed; i++) { /* after 1/4 and 9/4 periods */
        assert_ok(tl_world_step(world, 1, NULL));
        const double off = soft_position(world, b, 0) - soft_position(world, a, 0) - 1;
        if (last > 0 && off <= 0 && 1e-3 * i > 2 * period)
            crossed = 1e-3 * (i - off / (off - last));
        last = off;
    }
    assert_found(&c, "double", crossed / 2.25, period, 1e-5);
    tl_world_destroy(world);
}

static void refused(soft *s, tl_body a, tl_body b, double radius, double length, const char *text)
{
    tl_rod_def def = tl_rod_default(radius);
    def.a = a;
    def.b = b;
    def.length = length;
    assert_true(tl_scene_add_rod(s->scene, &def, NULL) < 0);
    assert_non_null(strstr(tl_last_message(), text));
}

static void test_refused(void **state)
{
    (void)state;
    soft s = still(TL_PENALTY_HERTZ, 1e-3, 1);
    tl_world *world = NULL;
    soft_begin(&s);
    const tl_body a = soft_ball(&s, 0.1, (double[3]){0, 0, 0}, NULL, 1);
    const tl_body b = soft_ball(&s, 0.1, (double[3]){1, 0, 0}, NULL, 1);
    const tl_body floor = soft_floor(&s, 0), wall = soft_floor(&s, 0.1);
    refused(&s, a, a, 0.1, 0, "rod.b: a and b are both body 1; they must be two bodies");
    refused(&s, a, (tl_body){9, 1}, 0.1, 0, "rod.b: index 9, generation 1 is no body");
    refused(&s, a, b, 0, 0, "rod.radius is 0; it must be finite and > 0");
    refused(&s, a, b, 0.2, 0, "rod.radius is 0.2; it must not exceed");
    refused(&s, a, b, 0.1, 2, "rod.length is 2; it must be how far its bodies are apart, 1");
    refused(&s, a, b, 0.1, -1, "rod.length is -1; it must be finite and >= 0");
    refused(&s, a, floor, 0.1, 0, "its distance from a is 0; it must be above 0");
    (void)wall;
    const tl_body rod = soft_rod(&s, a, b, 0.1, 0);
    refused(&s, a, rod, 0.1, 0, "rod.b: body 5 is a rod; it must be a body with a mass");
    s.settings.stepper = TL_STEPPER_DVI;
    assert_ok(tl_scene_set_settings(s.scene, &s.settings));
    assert_true(tl_world_create(s.scene, &world) < 0);
    assert_non_null(strstr(tl_last_message(),
                           "settings.stepper is dvi; it must be penalty where there are rods"));
    tl_scene_destroy(s.scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_centre), cmocka_unit_test(test_rods_cross),
        cmocka_unit_test(test_rest),       cmocka_unit_test(test_conserved),
        cmocka_unit_test(test_energy),     cmocka_unit_test(test_bits),
        cmocka_unit_test(test_pendulum),   cmocka_unit_test(test_ring),
        cmocka_unit_test(test_spring),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
