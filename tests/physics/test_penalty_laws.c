/* Penalty contact: cohesion by area, spinning friction, compliance and belts, against closed forms.
 */
#include "penalty.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/* Without a load a ball sinks in until Hertz's force is what cohesion by area pulls with. */
static void test_sjkr(void **state)
{
    (void)state;
    static const claim c = {"a ball on a floor with cohesion by area (sjkr), no gravity",
                            "closed form: (1.5 pi density sqrt(R)/E*)^2", "overlap, m",
                            "law hertz, automatic substeps"};
    static const claim held = {"a ball that hangs from a ceiling by cohesion by area (sjkr)",
                               "balance: 4/3 E* sqrt(R) o^1.5 + m g = 2 pi R o density",
                               "what is missing, N", "law hertz, automatic substeps"};
    const double r = 0.01, mass = 0.004, density = 2e6, E = 1e8 / (2 * (1 - 0.09));
    for (int hangs = 0; hangs < 2; hangs++) {
        soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 0);
        s.settings.gravity[2] = hangs ? g : 0; /* the floor is the ceiling */
        s.settings.penalty.cohesion = TL_COHESION_SJKR;
        s.material.cohesion_density = density;
        s.material.restitution = 0.2;
        soft_begin(&s);
        soft_floor(&s, 0);
        const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, 0.9999 * r}, NULL, mass);
        tl_world *world = soft_world(&s);
        assert_ok(tl_world_step(world, 400, NULL));
        const double o = r - soft_position(world, ball, 2);
        const double want = pow(1.5 * pi * density * sqrt(r) / E, 2);
        const double lifted = 4.0 / 3 * E * sqrt(r) * pow(o, 1.5) + mass * g;
        if (hangs)
            assert_found(&held, "double", lifted - 2 * pi * r * o * density, 0, 1e-6);
        else
            assert_found(&c, "double", o, want, 1e-6 * want);
        tl_world_destroy(world);
    }
}

/* A ball that spins about the normal stops evenly: mu_s R m g against 2/5 m R^2 w. */
static void test_spinning(void **state)
{
    (void)state;
    static const claim c = {"a ball spinning at 20 rad/s on a floor, spinning friction 0.02",
                            "closed form: 2 R w/(5 mu_s g)", "time until it stands, s",
                            "penalty, h = 1 ms"};
    const double r = 0.05, w = 20, spinning = 0.02, end = 0.4 * r * w / (spinning * g);
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++) {
        soft s = soft_default((tl_penalty_law)law, 1e-3, 0);
        s.material.spinning_friction = spinning;
        soft_begin(&s);
        soft_floor(&s, 0);
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_sphere_default(r);
        tl_body ball;
        shape.material = s.of;
        def.shapes = &shape;
        def.shape_count = 1;
        def.position[2] = r - 1e-6;
        def.angular_velocity[2] = w;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &def, &ball));
        tl_world *world = soft_world(&s);
        double half = 0, left[3], time = 0;
        for (int k = 0; k < 2500 && !time; k++) {
            assert_ok(tl_world_step(world, 1, NULL));
            assert_ok(tl_world_read_angular_velocities(world, 1, &ball, left));
            half = !half && left[2] < w / 2 ? tl_world_time(world) : half;
            time = left[2] < 1e-9 ? tl_world_time(world) : 0;
        }
        assert_found(&c, tl_word(TL_WORDS_PENALTY, (uint32_t)law), time, end, 3e-3 * end);
        assert_near(half, end / 2, 5e-3 * end); /* evenly */
        tl_world_destroy(world);
    }
}

/* What a rolling spring loses is its work less what it holds, whatever the integrator. */
static void test_rolling_spring(void **state)
{
    (void)state;
    static const claim c = {
        "a ball that slips and rolls to rest, an elastic-plastic rolling spring",
        "conservation of energy", "energy missed, J, of 0.366", "penalty, h = 2 ms, 2 s"};
    for (int i = TL_INTEGRATOR_VERLET; i <= TL_INTEGRATOR_RK4; i++) {
        soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 0);
        tl_report report;
        s.settings.penalty.rolling = TL_ROLLING_ELASTIC_PLASTIC;
        s.settings.penalty.integrator = (tl_integrator)i;
        s.material.friction = 0.8;
        s.material.rolling_friction = 0.1;
        s.material.restitution = 0.3;
        soft_begin(&s);
        soft_floor(&s, 0);
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_sphere_default(0.05);
        shape.material = s.of;
        def.shapes = &shape;
        def.shape_count = 1;
        def.position[2] = 0.05;
        def.velocity[0] = 1;
        def.angular_velocity[1] = 20;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &def, NULL));
        tl_world *world = soft_world(&s);
        assert_ok(tl_world_step(world, 1000, &report));
        assert_found(&c, tl_word(TL_WORDS_INTEGRATOR, (uint32_t)i), report.energy_error, 0, 1e-5);
        tl_world_destroy(world);
    }
}

/* A contact by JKR that is there at the start has not snapped in. */
static void test_jkr_starts(void **state)
{
    (void)state;
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 50);
    tl_report report;
    s.settings.gravity[2] = 0;
    s.settings.penalty.cohesion = TL_COHESION_JKR;
    s.material.cohesion = 0.1;
    s.material.restitution = 1;
    s.material.young_modulus = 1e6;
    soft_begin(&s);
    soft_floor(&s, 0);
    soft_ball(&s, 0.01, (double[3]){0, 0, 0.01 - 1e-5}, NULL, 0.0105);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 1, &report));
    assert_below(fabs(report.dissipated_energy), 1e-7); /* it holds -9e-6 J */
    assert_below(fabs(report.energy_error), 1e-7);
    tl_world_destroy(world);
}

/* What pulls a ball along a spring is told of its joint, and what the spring holds. */
static void test_spring_told(void **state)
{
    (void)state;
    const double length = 0.5, k = 3;
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 0);
    tl_joint_def def = tl_joint_default(TL_JOINT_DISTANCE);
    tl_joint joint;
    tl_joint_state told;
    tl_report report;
    s.settings.gravity[2] = 0;
    soft_begin(&s);
    def.b = soft_ball(&s, 0.1, (double[3]){1, 0, 0}, NULL, 1);
    def.length = length;
    def.axes[0].stiffness = k;
    assert_ok(tl_scene_add_joint(s.scene, &def, &joint));
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 50, &report));
    assert_ok(tl_world_read_joints(world, 1, &joint, &told));
    const double off = soft_position(world, def.b, 0) - length;
    assert_near(told.force[0], -k * off, 1e-12);
    assert_near(report.spring_energy, 0.5 * k * off * off, 1e-12);
    assert_true(report.elastic_energy == 0);
    tl_world_destroy(world);
}

/* A pair with compliance is a spring of 1/compliance with its damping time, under either law. */
static void test_compliance(void **state)
{
    (void)state;
    static const claim rest = {"a ball on a floor with compliance, penalty contact",
                               "closed form: m g compliance", "overlap, m", "h = 1 ms"};
    static const claim bounce = {
        "a ball that hits a floor with compliance at 1 m/s, penalty contact",
        "closed form of the damped oscillator, until its force is 0", "speed after it, m/s",
        "h = 0.1 ms, automatic substeps"};
    const double mass = 2, compliance = 1e-4, lag = 1e-3;
    const double zeta = lag / (2 * sqrt(mass * compliance)), root = sqrt(1 - zeta * zeta);
    const double left = exp(-zeta / root * atan2(2 * zeta * root, 2 * zeta * zeta - 1));
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++)
        for (int hits = 0; hits < 2; hits++) {
            soft s = soft_default((tl_penalty_law)law, hits ? 1e-4 : 1e-3, 0);
            s.settings.gravity[2] = hits ? 0 : -g;
            s.material.compliance = compliance;
            s.material.damping_time = lag;
            soft_begin(&s);
            soft_floor(&s, 0);
            const tl_body ball =
                soft_ball(&s, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0, 0, hits ? -1 : 0}, mass);
            tl_world *world = soft_world(&s);
            const char *word = tl_word(TL_WORDS_PENALTY, (uint32_t)law);
            assert_ok(tl_world_step(world, hits ? 1500 : 10000, NULL));
            if (hits)
                assert_found(&bounce, word, soft_velocity(world, ball, 2), left, 2e-3);
            else
                assert_found(&rest, word, 0.1 - soft_position(world, ball, 2),
                             mass * g * compliance, 1e-9);
            tl_world_destroy(world);
        }
}

/* A ball that is put on a belt slips until it rolls: mu g t, then 2/7 of the belt's speed. */
static void test_belt(void **state)
{
    (void)state;
    static const claim slips = {"a ball put on a belt at 1 m/s, penalty contact",
                                "closed form: mu g t", "speed while it slips, m/s",
                                "friction 0.3, 0.05 s"};
    static const claim rolls = {"a ball put on a belt at 1 m/s, penalty contact",
                                "closed form: 2/7 of the belt's speed", "speed once it rolls, m/s",
                                "friction 0.3, 0.5 s"};
    static const claim work = {"a ball put on a belt at 1 m/s, penalty contact",
                               "conservation of energy: mu m g u times 2 u/(7 mu g)",
                               "work of the belt, J", "friction 0.3, 0.5 s"};
    const double mass = 2, r = 0.1, speed = 1, mu = 0.3, sunk = 1e-4;
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++) {
        soft s = soft_default((tl_penalty_law)law, 1e-3, 0);
        const char *word = tl_word(TL_WORDS_PENALTY, (uint32_t)law);
        tl_material belt;
        tl_report report;
        s.material.friction = mu;
        s.settings.penalty.stiffness = law == TL_PENALTY_LINEAR ? mass * g / sunk : 0;
        soft_begin(&s);
        tl_material_def moving = s.material;
        moving.surface_velocity[0] = speed;
        assert_ok(tl_scene_add_material(s.scene, &moving, &belt));
        const double E = 1e8 / (2 * (1 - 0.09)); /* where it rests, so that it does not bounce */
        const double o =
            law == TL_PENALTY_LINEAR ? sunk : pow(mass * g / (4.0 / 3 * E * sqrt(r)), 2.0 / 3);
        const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r - o}, NULL, mass);
        s.of = belt;
        soft_floor(&s, 0);
        tl_world *world = soft_world(&s);
        assert_ok(tl_world_step(world, 50, NULL));
        assert_found(&slips, word, soft_velocity(world, ball, 0), mu * g * 0.05, 1e-3);
        assert_ok(tl_world_step(world, 450, &report));
        assert_found(&rolls, word, soft_velocity(world, ball, 0), 2.0 / 7 * speed, 1e-3);
        const double done = mass * speed * speed * 2 / 7;
        assert_found(&work, word, report.work_energy, done, 5e-3 * done);
        tl_world_destroy(world);
    }
}

/* The forms of friction of the law scaled (document 004, section 2.7.3): slip u of a ball on the
 * floor goes as du/dt = -7/2 mu o f(u), f being sqrt(u), 1, u, and 1 above 1 m/s and sqrt(u) below.
 */
static void test_forms(void **state)
{
    (void)state;
    static const claim c = {"a ball set sliding at 2 m/s, forms of friction of the law scaled",
                            "closed forms", "slip, m/s", "h = 20 ms, after 4 and 8 s"};
    const double r = 1, o = 1e-3, rate = 3.5 * 50 * o;
    for (int form = TL_FRICTION_ROOT; form <= TL_FRICTION_CAPPED; form++) {
        soft s = soft_default(TL_PENALTY_SCALED, 0.02, 1);
        s.settings.gravity[2] = -1;
        s.settings.penalty.collisions = false;
        s.settings.penalty.friction_form = (tl_friction_form)form;
        soft_begin(&s);
        soft_floor(&s, 0);
        const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r - o}, (double[3]){2, 0, 0}, 2);
        tl_world *world = soft_world(&s);
        for (int k = 1; k <= 2; k++) {
            const double t = 4 * k, slow = 1 - 0.5 * (rate * t - 1);
            const double want = form == TL_FRICTION_ROOT       ? pow(sqrt(2) - 0.5 * rate * t, 2)
                                : form == TL_FRICTION_CONSTANT ? 2 - rate * t
                                : form == TL_FRICTION_PROPORTIONAL ? 2 * exp(-rate * t)
                                : rate * t < 1                     ? 2 - rate * t
                                                                   : slow * slow;
            double w[3];
            assert_ok(tl_world_step(world, 200, NULL));
            assert_ok(tl_world_read_angular_velocities(world, 1, &ball, w));
            assert_found(&c, tl_word(TL_WORDS_FRICTION, (uint32_t)form),
                         soft_velocity(world, ball, 0) - (r - o / 2) * w[1], want, 4e-3);
        }
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sjkr),       cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_compliance), cmocka_unit_test(test_belt),
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_rolling_spring),
        cmocka_unit_test(test_jkr_starts), cmocka_unit_test(test_spring_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
