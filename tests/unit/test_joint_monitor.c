/* Monitors of joints: in every step what tl_world_read_joints() says after it, through snapshots
 * and until the joint is gone. */
#include "support.h"

enum { CHANNELS = 14 + 4 + 1 + 14 + 4 + 1 };

/* A bar on a motor, and a ball on a rod; a monitor of each joint. */
static tl_world *machine(tl_precision precision)
{
    tl_settings settings = tl_settings_default();
    settings.precision = precision;
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    tl_body_def def = tl_body_default();
    tl_shape_def bar = tl_box_default(0.5, 0.05, 0.05), ball = tl_sphere_default(0.1);
    def.shape_count = 1;
    def.shapes = &bar;
    def.position[0] = 0.5;
    tl_joint_def hinge = tl_joint_default(TL_JOINT_REVOLUTE), rod;
    double x[3], q[4];
    hinge.b = add_body(scene, &def);
    assert_ok(tl_scene_read_pose(scene, hinge.b, x, q));
    assert_near(x[0], 0.5, 0);
    assert_ok(
        tl_joint_place(&hinge, (double[3]){0, 0, 0}, (double[3]){0, -1, 0}, NULL, NULL, x, q));
    hinge.axes[5].drive = TL_DRIVE_SPEED;
    hinge.axes[5].target.value = 2;
    hinge.axes[5].limit = 2000;
    def.shapes = &ball;
    def.position[0] = 3;
    rod = tl_joint_default(TL_JOINT_DISTANCE);
    rod.b = add_body(scene, &def);
    rod.position_a[0] = 2;
    assert_ok(tl_scene_add_joint(scene, &hinge, NULL));
    assert_ok(tl_scene_add_joint(scene, &rod, NULL));
    for (uint32_t i = 1; i <= 2; i++) {
        tl_monitor_def monitor = tl_monitor_default();
        monitor.kind = TL_MONITOR_JOINT;
        monitor.name = i == 1 ? "hinge" : "rod";
        monitor.joint.index = i;
        assert_ok(tl_scene_add_monitor(scene, &monitor));
    }
    assert_int_equal(tl_scene_monitor_count(scene), CHANNELS);
    return world_of(scene);
}

static double size(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* The channels that a state has, without axes and error. */
static void assert_loads(const double *channels, const tl_joint_state *s)
{
    for (int k = 0; k < 3; k++) {
        assert_true(channels[k] == s->force[k]);
        assert_true(channels[4 + k] == s->torque[k]);
        assert_true(channels[8 + k] == s->local_force[k]);
        assert_true(channels[11 + k] == s->local_torque[k]);
    }
    assert_true(channels[3] == size(s->force));
    assert_true(channels[7] == size(s->torque));
}

static void assert_measured(tl_world *world)
{
    double values[CHANNELS];
    tl_joint_state s[2];
    assert_ok(tl_world_read_monitors(world, CHANNELS, values));
    assert_ok(tl_world_read_joints(world, 2, NULL, s));
    assert_loads(values, &s[0]);
    assert_true(values[14] == s[0].value[5]);
    assert_true(values[15] == s[0].rate[5]);
    assert_true(values[16] == s[0].motor[5]);
    assert_true(values[18] == s[0].error);
    assert_loads(values + 19, &s[1]);
    assert_true(values[33] == s[1].value[0]);
    assert_true(values[34] == s[1].rate[0]);
    assert_true(values[35] == s[1].motor[0]);
    assert_true(values[36] == 0); /* it has no motor */
    assert_true(values[37] == s[1].error);
    assert_true(s[0].residual < 1e-5 && s[1].residual < 1e-5);
    assert_near(s[1].value[0], 1, 1e-6); /* the rod */
}

static void monitors_have_the_states(void **state)
{
    (void)state;
    static const struct {
        int channel;
        const char *name, *unit;
    } some[] = {{0, "hinge.fx", "N"},           {7, "hinge.torque", "N m"},
                {13, "hinge.local_tz", "N m"},  {14, "hinge.rz", "rad"},
                {15, "hinge.rz_rate", "rad/s"}, {16, "hinge.rz_motor", "N m"},
                {17, "hinge.rz_work", "J"},     {18, "hinge.error", "m"},
                {33, "rod.length", "m"},        {34, "rod.length_rate", "m/s"},
                {35, "rod.length_motor", "N"},  {36, "rod.length_work", "J"},
                {37, "rod.error", "m"}};
    for (tl_precision precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        tl_world *world = machine(precision), *copy;
        tl_monitor_info info;
        context("precision %d", precision);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            assert_ok(tl_world_monitor_info(world, (size_t)some[i].channel, &info));
            assert_string_equal(info.name, some[i].name);
            assert_string_equal(info.unit, some[i].unit);
        }
        double values[CHANNELS];
        assert_ok(tl_world_read_monitors(world, CHANNELS, values));
        assert_true(isnan(values[0])); /* nothing is measured before the first step */
        for (int i = 0; i < 20; i++) {
            step(world, 1);
            assert_measured(world);
        }
        assert_ok(tl_world_read_monitors(world, CHANNELS, values));
        assert_near(values[15], 2, precision == TL_DOUBLE ? 1e-12 : 1e-6);
        assert_near(values[14], 2 * 20 * 0.005, 1e-5);
        assert_true(values[16] > 0 && values[16] <= 2000);
        assert_true(values[17] > 0);

        void *bytes;
        size_t count;
        assert_ok(tl_world_save(world, &bytes, &count));
        assert_ok(tl_world_load(bytes, count, &copy));
        tl_snapshot_free(bytes, count);
        double others[CHANNELS];
        step(world, 5);
        step(copy, 5);
        assert_measured(copy);
        assert_ok(tl_world_read_monitors(world, CHANNELS, values));
        assert_ok(tl_world_read_monitors(copy, CHANNELS, others));
        assert_memory_equal(values, others, sizeof values);
        tl_world_destroy(copy);

        assert_ok(tl_world_remove_joint(world, (tl_joint){1}));
        step(world, 1);
        assert_ok(tl_world_read_monitors(world, CHANNELS, values));
        for (int i = 0; i < 19; i++)
            assert_true(isnan(values[i]));
        assert_false(isnan(values[19]));
        tl_world_destroy(world);
    }
}

/* The work of a joint's only motor is all that motors did, and what a free body has of it. */
static void work_is_that_of_the_motor(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        tl_settings settings = tl_settings_default();
        settings.threads = 1;
        settings.precision = TL_DOUBLE;
        settings.stepper = i % 2 ? TL_STEPPER_SMOOTH : TL_STEPPER_DVI;
        tl_scene *scene = scene_with(&settings);
        tl_body_def def = tl_body_default();
        tl_shape_def box = tl_box_default(0.1, 0.1, 0.1);
        tl_joint_def hinge = tl_joint_default(TL_JOINT_REVOLUTE);
        tl_monitor_def monitor = tl_monitor_default();
        set_gravity(scene, 0, 0, 0);
        def.shape_count = 1;
        def.shapes = &box;
        hinge.b = add_body(scene, &def);
        hinge.axes[5].drive = i < 2 ? TL_DRIVE_SPEED : TL_DRIVE_POSITION;
        hinge.axes[5].target =
            i < 2 ? (tl_function_def){.value = 3}
                  : (tl_function_def){TL_FUNCTION_SINE, 0.2, .amplitude = 0.5, 1, 0.3};
        monitor.kind = TL_MONITOR_JOINT;
        monitor.name = "hinge";
        monitor.joint.index = 1;
        assert_ok(tl_scene_add_joint(scene, &hinge, NULL));
        assert_ok(tl_scene_add_monitor(scene, &monitor));
        tl_world *world = world_of(scene);
        for (int k = 0; k < 50; k++) {
            const tl_report r = step_report(world, 1);
            double values[19];
            assert_ok(tl_world_read_monitors(world, 19, values));
            context("case %d, step %d", i, k);
            assert_near(values[17], r.motor_energy, 1e-12 * r.motor_energy);
            if (i < 2)
                assert_near(values[17], r.kinetic_energy, 1e-9 * r.kinetic_energy);
        }
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(monitors_have_the_states),
                                       cmocka_unit_test(work_is_that_of_the_motor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
