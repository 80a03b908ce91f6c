/* What acts along the axes of joints: springs, limits, motors, friction; ropes and breaking. */
#include "joints.h"

/* A slide along z of a body of mass 2, with what `def` says of its axis. */
static tl_world *slide(double h, double gravity, tl_joint_def *def, tl_joint *joint)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    set_gravity(scene, 0, 0, -gravity);
    const put body = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, 0);
    def->b = body.body;
    *joint = add_joint(scene, def);
    return world_of(scene);
}

/* Springs and dampers are implicit: each step does what the closed form of that scheme does, and
 * the scheme is of the first order. */
static double spring_error(double h, double k, double c, double *exact)
{
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    const double m = 2, end = 1;
    def.axes[2].stiffness = k;
    def.axes[2].damping = c;
    def.axes[2].rest = 0.1;
    tl_world *world = slide(h, 0, &def, &joint);
    double x = 0, u = 0, worst = 0;
    for (int i = 0; i < (int)(end / h + 0.5); i++) {
        step(world, 1);
        u = (u - h * k / m * (x - 0.1)) / (1 + h * c / m + h * h * k / m);
        x += h * u;
        worst = fmax(worst, fabs(state_of(world, joint).value[2] - x));
    }
    const double decay = c / (2 * m), w = sqrt(k / m - decay * decay);
    *exact = 0.1 - 0.1 * exp(-decay * end) * (cos(w * end) + decay / w * sin(w * end));
    tl_world_destroy(world);
    assert_below(worst, 1e-10);
    return x - *exact;
}

static void spring(void **state)
{
    (void)state;
    double exact;
    const double rough = spring_error(0.002, 50, 1, &exact);
    const double fine = spring_error(0.001, 50, 1, &exact);
    static const claim c = {"A mass on a spring with a damper", "exact solution",
                            "order in h of its place after 1 s", "h = 2 and 1 ms"};
    assert_found(&c, "joints", log2(rough / fine), 1, 0.1);
    spring_error(0.01, 1e9, 1, &exact); /* far beyond what an explicit step could hold */
}

/* A tabulated spring: the forces are those that act on the coordinate. */
static void table(void **state)
{
    (void)state;
    static const double values[3] = {-1, 0, 1}, forces[3] = {100, 0, -300};
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    def.axes[2].spring_length = 3;
    def.axes[2].spring_values = values;
    def.axes[2].spring_forces = forces;
    def.axes[2].damping = 20;
    tl_world *world = slide(0.005, G, &def, &joint);
    step(world, 2000);
    assert_near(state_of(world, joint).value[2], -2 * G / 100, 1e-8);
    tl_world_destroy(world);
}

/* A fall onto a limit, and what comes back. */
static void limit(void **state)
{
    (void)state;
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    const double h = 1e-3, depth = 0.5, e = 0.6;
    def.axes[2].lower = -depth;
    def.axes[2].restitution = e;
    tl_world *world = slide(h, G, &def, &joint);
    double fastest = 0, back = 0, lowest = 0;
    for (int i = 0; i < 450; i++) {
        step(world, 1);
        const tl_joint_state s = state_of(world, joint);
        fastest = fmin(fastest, s.rate[2]);
        back = fmax(back, s.rate[2]);
        lowest = fmin(lowest, s.value[2]);
    }
    static const claim c = {"A slide falls onto its limit, restitution 0.6", "restitution",
                            "speed after over speed before", "h = 1 ms"};
    assert_found(&c, "joints", -back / fastest, e, 0.01);
    assert_above(lowest, -depth - 1e-9);
    step(world, 5000); /* at rest on it */
    const tl_joint_state s = state_of(world, joint);
    assert_near(s.value[2], -depth, 1e-4);
    assert_near(s.rate[2], 0, 0.02);
    tl_world_destroy(world);
}

/* A motor that is too weak for a jump of its speed gives what it can, then holds. */
static void motor(void **state)
{
    (void)state;
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    const double h = 1e-3, most = 4, speed = 1;
    def.axes[2].drive = TL_DRIVE_SPEED;
    def.axes[2].target.value = speed;
    def.axes[2].limit = most;
    tl_world *world = slide(h, 0, &def, &joint);
    double worst = 0;
    for (int i = 1; i <= 800; i++) {
        step(world, 1);
        const tl_joint_state s = state_of(world, joint);
        worst = fmax(worst, fabs(s.rate[2] - fmin(speed, i * h * most / 2)));
        assert_near(s.motor[2], i < 500 ? most : i > 501 ? 0 : s.motor[2], 1e-9);
    }
    static const claim c = {"A motor of 4 N brings 2 kg to 1 m/s", "constant force, then none",
                            "largest error of the speed, m/s", "h = 1 ms, 0.8 s"};
    assert_found(&c, "joints", worst, 0, 1e-9);
    const tl_report r = step_report(world, 1);
    assert_near(r.motor_energy, 1, 1e-3); /* m v^2 / 2 */
    assert_near(r.kinetic_energy, 1, 1e-9);
    assert_ok(tl_world_set_drive(world, joint, 2, -0.5));
    step(world, 2000);
    assert_near(state_of(world, joint).rate[2], -0.5, 1e-9);
    tl_world_destroy(world);
}

/* A motor that holds a place follows a function of time. */
static void follows(void **state)
{
    (void)state;
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    const double h = 1e-3;
    def.axes[2].drive = TL_DRIVE_POSITION;
    def.axes[2].target.kind = TL_FUNCTION_SINE;
    def.axes[2].target.amplitude = 0.2;
    def.axes[2].target.frequency = 2;
    tl_world *world = slide(h, G, &def, &joint);
    for (int i = 1; i <= 1000; i++) {
        step(world, 1);
        assert_near(state_of(world, joint).value[2], 0.2 * sin(2 * PI * 2 * i * h), 1e-9);
    }
    tl_world_destroy(world);
}

/* Dry friction holds up to its force, and takes it from what moves. */
static void rubs(void **state)
{
    (void)state;
    tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
    tl_joint joint;
    def.axes[2].friction = 2 * G + 1;
    tl_world *world = slide(1e-3, G, &def, &joint);
    step(world, 100);
    assert_near(state_of(world, joint).value[2], 0, 1e-12);
    tl_world_destroy(world);
    def.axes[2].friction = 2 * G - 4;
    world = slide(1e-3, G, &def, &joint);
    step(world, 500);
    assert_near(state_of(world, joint).rate[2], -0.5 * 2, 1e-9); /* 4 N left for 2 kg */
    const tl_report r = step_report(world, 1);
    assert_near(r.dissipated_energy, (2 * G - 4) * 0.25, 0.05);
    tl_world_destroy(world);
}

/* A ball on a rope falls freely until the rope is taut, then hangs. */
static void rope(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3, length = 1;
    tl_scene *scene = scene_for(&v, h);
    const put ball = put_link(scene, 0.1, 0.1, 0.1, 2, 0.1, 0, 0);
    tl_joint_def def = tl_joint_default(TL_JOINT_DISTANCE);
    def.b = ball.body;
    def.length = length;
    def.rope = true;
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    double x[3], u[3], longest = 0;
    step(world, 200);
    velocity_of(world, ball.body, u);
    assert_near(u[2], -G * 0.2, 1e-12);
    assert_near(norm3(state_of(world, joint).force), 0, 1e-12);
    for (int i = 0; i < 20000; i++) {
        step(world, 1);
        position_of(world, ball.body, x);
        longest = fmax(longest, norm3(x));
    }
    static const claim c = {"A ball falls into a rope of 1 m", "length of the rope",
                            "largest distance, m", "h = 1 ms, 20 s"};
    assert_found(&c, "joints", longest, length, 1e-8);
    tl_world_destroy(world);
}

static void breaks(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const put strong = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, 0);
    const put weak = put_link(scene, 0.1, 0.1, 0.1, 2, 1, 0, 0);
    tl_joint_def one = joint_at(TL_JOINT_FIXED, ground, strong, strong.x, joint_z);
    tl_joint_def two = joint_at(TL_JOINT_FIXED, ground, weak, weak.x, joint_z);
    one.break_force = 2 * G + 0.1;
    two.break_force = 2 * G - 0.1;
    /* two that stay together when the first joint of theirs, which comes before the others, breaks
     */
    const put upper = put_link(scene, 0.1, 0.1, 0.1, 2, 2, 0, 0);
    const put lower = put_link(scene, 0.1, 0.1, 0.1, 2, 2, 0, -0.5);
    tl_joint_def both = joint_at(TL_JOINT_SPHERICAL, ground, upper, upper.x, joint_z);
    both.break_force = 3 * G;
    add_joint(scene, &both);
    const tl_joint pair = join(scene, TL_JOINT_FIXED, upper, lower, 2, 0, -0.2, joint_z);
    const tl_joint holds = add_joint(scene, &one), gives = add_joint(scene, &two);
    tl_world *world = world_of(scene);
    const tl_report r = step_report(world, 1);
    assert_int_equal(r.broken_joints, 2);
    assert_int_equal(r.articulations, 3);
    assert_int_equal(step_report(world, 1).articulations, 2);
    assert_int_equal(step_report(world, 98).broken_joints, 0);
    assert_false(state_of(world, pair).broken);
    assert_below(state_of(world, pair).error, 1e-9);
    assert_false(state_of(world, holds).broken);
    assert_true(state_of(world, gives).broken);
    double u[3];
    velocity_of(world, weak.body, u);
    assert_near(u[2], -G * 0.099, 1e-9);
    velocity_of(world, strong.body, u);
    assert_near(u[2], 0, 1e-12);
    tl_world_destroy(world);
}

/* Joints that do not quite meet are assembled; those that cannot are refused. */
static tl_status loop(double reach, double *moved)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const put one = put_link(scene, 0.5, 0.1, 0.1, 1, 0.5, 0, 0);
    const put two = put_link(scene, 0.5, 0.1, 0.1, 1, 1.5, 0, 0.01);
    join(scene, TL_JOINT_SPHERICAL, ground, one, 0, 0, 0, joint_z);
    tl_joint_def middle = tl_joint_default(TL_JOINT_SPHERICAL);
    middle.a = one.body;
    middle.b = two.body;
    middle.position_a[0] = 0.5;
    middle.position_b[0] = -0.5;
    add_joint(scene, &middle);
    tl_joint_def last = tl_joint_default(TL_JOINT_SPHERICAL);
    last.a = two.body;
    last.position_a[0] = 0.5;
    last.position_b[0] = reach;
    add_joint(scene, &last);
    tl_world *world = NULL;
    const tl_status status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (status >= 0) {
        const tl_report r = step_report(world, 1);
        *moved = r.joint_correction;
        assert_below(r.joint_error, 1e-9);
    }
    tl_world_destroy(world);
    return status;
}

static void assembly(void **state)
{
    (void)state;
    double moved = 0;
    assert_ok(loop(1.9, &moved));
    assert_above(moved, 0.01);
    assert_below(moved, 1);
    assert_status(loop(2.5, &moved), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "it cannot be closed together with the others"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring), cmocka_unit_test(table),   cmocka_unit_test(limit),
        cmocka_unit_test(motor),  cmocka_unit_test(follows), cmocka_unit_test(rubs),
        cmocka_unit_test(rope),   cmocka_unit_test(breaks),  cmocka_unit_test(assembly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
