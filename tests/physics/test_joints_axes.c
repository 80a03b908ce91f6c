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

/* Springs hold energy from the start, which dampers take. That of a table counts from where it is
 * at rest. */
static void wound(void **state)
{
    (void)state;
    static const double values[2] = {-1, 2}, forces[2] = {100, -200};
    for (int i = 0; i < 4; i++) {
        tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
        tl_joint joint;
        const double off = i % 2 ? 0.1 : 0;
        def.axes[2].damping = 20;
        def.axes[2].stiffness = i < 2 ? 100 : 0;
        def.axes[2].spring_length = i < 2 ? 0 : 2;
        def.axes[2].spring_values = values;
        def.axes[2].spring_forces = forces;
        def.position_b[2] = -off;
        tl_world *world = slide(1e-3, 0, &def, &joint), *copy;
        void *bytes;
        size_t count;
        context("case %d", i);
        assert_ok(tl_world_save(world, &bytes, &count));
        assert_ok(tl_world_load(bytes, count, &copy));
        tl_snapshot_free(bytes, count);
        assert_near(step_report(world, 1).dissipated_energy, 0, 1e-3);
        assert_near(step_report(world, 4999).dissipated_energy, 0.5 * 100 * off * off, 1e-12);
        assert_near(step_report(copy, 5000).dissipated_energy, 0.5 * 100 * off * off, 1e-12);
        assert_near(step_report(world, 1).spring_energy, 0, 1e-12);
        tl_joint_def other = tl_joint_default(TL_JOINT_DISTANCE); /* and one that comes later */
        other.b = def.b;
        other.position_a[2] = off;
        other.position_b[0] = 1;
        other.length = 0.5;
        other.axes[0].stiffness = 40;
        assert_ok(tl_world_add_joint(world, &other, NULL));
        other.axes[0].stiffness = 0;
        const tl_report r = step_report(world, 5000);
        assert_near(r.spring_energy, 0.5 * 40 * 0.25, 1e-9);
        assert_near(r.dissipated_energy, 0.5 * 100 * off * off, 1e-9);
        tl_world_destroy(world);
        tl_world_destroy(copy);
    }
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

/* A slide of 2 kg with friction, on a motor without limit, for 1 s. */
static tl_report drag(int way, tl_joint_def *def, double gravity, tl_joint_state *last)
{
    tl_settings settings = tl_settings_default();
    settings.precision = TL_DOUBLE;
    settings.threads = 1;
    settings.step = 1e-3;
    settings.stepper = way == 1 ? TL_STEPPER_SMOOTH : TL_STEPPER_DVI;
    settings.solver.joints = way == 2 ? TL_JOINTS_ITERATE : TL_JOINTS_EXACT;
    tl_scene *scene = scene_with(&settings);
    set_gravity(scene, 0, 0, -gravity);
    def->b = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, 0).body;
    const tl_joint joint = add_joint(scene, def);
    tl_world *world = world_of(scene);
    const tl_report r = step_report(world, 1000);
    *last = state_of(world, joint);
    tl_world_destroy(world);
    return r;
}

/* A motor without limit works against friction: 2 N over 1 m. Where it stands still friction bears
 * what it can. */
static void rubs_driven(void **state)
{
    (void)state;
    tl_joint_state s;
    for (int way = 0; way < 3; way++)
        for (int i = 0; i < 4; i++) {
            const double sign = i % 2 ? -1 : 1;
            tl_joint_def def = tl_joint_default(TL_JOINT_PRISMATIC);
            context("way %d, case %d", way, i);
            def.axes[2].friction = 2;
            def.axes[2].drive = i < 2 ? TL_DRIVE_SPEED : TL_DRIVE_POSITION;
            def.axes[2].target.value = i < 2 ? sign : 0;
            if (i >= 2) {
                def.axes[2].target.kind = TL_FUNCTION_EXPRESSION;
                def.axes[2].target.expression = i % 2 ? "-t" : "t";
            }
            tl_report r = drag(way, &def, 0, &s);
            assert_near(s.motor[2], 2 * sign, 1e-6);
            assert_near(r.motor_energy, 2 * 1 + 0.5 * 2 * 1, 2e-3);
            assert_near(r.dissipated_energy, 2 * 1, 2e-3);
            def.axes[2].target.value = 0;
            def.axes[2].target.expression = i >= 2 ? "0" : NULL;
            r = drag(way, &def, sign * G, &s);
            assert_near(s.motor[2], sign * (2 * G - 2), 1e-6);
            assert_near(r.dissipated_energy, 0, 1e-9);
            def.axes[2].friction = 2 * G + 1;
            drag(way, &def, sign * G, &s);
            assert_near(s.motor[2], 0, 1e-9);
        }
}

/* A mass on a spring between two points, askew so that both bodies and anchors matter; it swings
 * along the line of the points. */
static double strut(double h, double k, double c, double end, tl_report *report)
{
    const variant v = joint_variant();
    const double mass[2] = {2, 3}, along[3] = {2.0 / 3, 1.0 / 3, 2.0 / 3}, start = 1.5;
    tl_scene *scene = scene_for(&v, h);
    set_gravity(scene, 0, 0, 0);
    const put one = put_link(scene, 0.1, 0.1, 0.1, mass[0], 0.3, -0.2, 0.1);
    const put two = put_link(scene, 0.1, 0.1, 0.1, mass[1], one.x[0] + start * along[0],
                             one.x[1] + start * along[1], one.x[2] + start * along[2]);
    tl_joint_def def = tl_joint_default(TL_JOINT_DISTANCE);
    def.a = one.body;
    def.b = two.body;
    def.length = 1.2;
    def.axes[0].stiffness = k;
    def.axes[0].damping = c;
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    const double m = mass[0] * mass[1] / (mass[0] + mass[1]);
    double x = start, u = 0, worst = 0;
    for (int i = 0; i < (int)(end / h + 0.5); i++) {
        *report = step_report(world, 1);
        u = (u - h * k / m * (x - 1.2)) / (1 + h * c / m + h * h * k / m);
        x += h * u;
        const tl_joint_state s = state_of(world, joint);
        worst = fmax(worst, fabs(s.value[0] - x) + h * fabs(s.rate[0] - u));
        assert_near(dot3(s.force, along), -k * (x - 1.2) - c * u, 1e-8 * k);
        assert_near(report->spring_energy, 0.5 * k * (x - 1.2) * (x - 1.2), 1e-9 * k);
    }
    assert_below(worst, 1e-10);
    assert_int_equal(report->redundant_rows, 0);
    tl_world_destroy(world);
    return x;
}

static void between_points(void **state)
{
    (void)state;
    tl_report r;
    const double m = 1.2, k = 60, c = 0.8, decay = c / (2 * m), w = sqrt(k / m - decay * decay);
    const double want = 1.2 + 0.3 * exp(-decay) * (cos(w) + decay / w * sin(w));
    const double rough = strut(0.002, k, c, 1, &r) - want, fine = strut(0.001, k, c, 1, &r) - want;
    static const claim o = {"Two masses with a spring and a damper between them", "exact solution",
                            "order in h of their distance after 1 s", "h = 2 and 1 ms"};
    assert_found(&o, "joints", log2(rough / fine), 1, 0.1);
    /* stiff: at rest within a few steps, whatever the step */
    assert_near(strut(0.05, 1e9, 1, 1, &r), 1.2, 1e-9);
    assert_below(r.kinetic_energy, 1e-12);
}

/* Tables have distances; a length that is not given is as at the start; a motor along the line. */
static void struts(void **state)
{
    (void)state;
    static const double values[3] = {0, 1, 2}, forces[3] = {0, 0, -100};
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const put hung = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, -0.5);
    const put still = put_link(scene, 0.1, 0.1, 0.1, 2, 1, 0, -0.5);
    const put lifted = put_link(scene, 0.1, 0.1, 0.1, 2, 2, 0, -0.5);
    tl_joint_def def = tl_joint_default(TL_JOINT_DISTANCE);
    def.b = hung.body;
    def.axes[0].spring_length = 3;
    def.axes[0].spring_values = values;
    def.axes[0].spring_forces = forces;
    def.axes[0].damping = 20;
    const tl_joint rope = add_joint(scene, &def);
    def = tl_joint_default(TL_JOINT_DISTANCE);
    def.b = still.body;
    def.position_a[0] = 1;
    def.axes[0].stiffness = 1e4;
    def.axes[0].damping = 300;
    const tl_joint spring = add_joint(scene, &def);
    def = tl_joint_default(TL_JOINT_DISTANCE);
    def.b = lifted.body;
    def.position_a[0] = 2;
    def.axes[0].drive = TL_DRIVE_SPEED;
    def.axes[0].target.value = -0.1;
    const tl_joint winch = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 10);
    assert_near(norm3(state_of(world, rope).force), 20 * G * 0.01, 0.15); /* the damper alone */
    const tl_report r = step_report(world, 2990);
    assert_near(state_of(world, rope).value[0], 1 + 2 * G / 100, 1e-4);
    assert_near(state_of(world, spring).value[0], 0.5 + 2 * G / 1e4, 1e-9);
    assert_near(state_of(world, winch).value[0], 0.2, 1e-9);
    assert_near(state_of(world, winch).rate[0], -0.1, 1e-9);
    assert_near(state_of(world, winch).motor[0], -2 * G, 1e-6);
    assert_near(r.motor_energy, 2 * G * 0.3, 0.02); /* and 10 mJ of kinetic energy */
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
    assert_below(state_of(world, pair).error, 1e-8);
    assert_false(state_of(world, holds).broken);
    assert_true(state_of(world, gives).broken);
    double u[3];
    velocity_of(world, weak.body, u);
    assert_near(u[2], -G * 0.099, 1e-9);
    velocity_of(world, strong.body, u);
    assert_near(u[2], 0, 1e-12);
    tl_world_destroy(world);
}

/* Bodies of a joint that has broken collide again: at once where they only touch, else once they
 * are apart. Two boxes, one on top of the other or in it, the lower one on the floor. */
static tl_world *stack(double sunk, tl_body boxes[2], tl_joint *joint)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    put box[2];
    for (int i = 0; i < 2; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_box_default(0.1, 0.1, 0.1);
        shape.material = material;
        def.mass = 1;
        def.shape_count = 1;
        def.shapes = &shape;
        def.position[2] = 0.1 + i * (0.2 - sunk);
        box[i] = (put){.x = {0, 0, def.position[2]}, .q = {1, 0, 0, 0}};
        boxes[i] = box[i].body = add_body(scene, &def);
    }
    tl_joint_def weld = joint_at(TL_JOINT_FIXED, box[0], box[1], box[1].x, joint_z);
    weld.break_force = 0.5 * G;
    *joint = add_joint(scene, &weld);
    return world_of(scene);
}

static void broken_collide(void **state)
{
    (void)state;
    tl_body boxes[2];
    tl_joint joint;
    double x[3];
    tl_world *world = stack(0, boxes, &joint);
    step(world, 500);
    assert_true(state_of(world, joint).broken);
    position_of(world, boxes[1], x);
    assert_near(x[2], 0.3, 1e-3); /* it rests on the other one */
    tl_world_destroy(world);
    world = stack(0.1, boxes, &joint);
    step(world, 20);
    position_of(world, boxes[1], x);
    assert_true(state_of(world, joint).broken);
    assert_below(x[2], 0.2); /* in it: nothing throws it out, it falls through */
    /* thrown up, it comes down on the other one; saved and loaded while it waits */
    size_t size = 0;
    void *bytes = NULL;
    const double up[3] = {0, 0, 3};
    assert_ok(tl_world_write_velocities(world, 1, &boxes[1], up, NULL));
    assert_ok(tl_world_save(world, &bytes, &size));
    tl_world_destroy(world);
    assert_ok(tl_world_load(bytes, size, &world));
    tl_snapshot_free(bytes, size);
    step(world, 1500);
    position_of(world, boxes[1], x);
    assert_near(x[2], 0.3, 1e-3);
    tl_world_destroy(world);
}

/* Joints that do not quite meet are assembled; those that cannot are refused. */
static tl_status loop(tl_joint_kind kind, double reach, double off, double *moved)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const put one = put_link(scene, 0.5, 0.1, 0.1, 1, 0.5, 0, 0);
    const put two = put_link(scene, 0.5, 0.1, 0.1, 1, 1.5, 0, off);
    const double about[4] = {sqrt(0.5), sqrt(0.5), 0, 0}; /* z leads along -y */
    const put *sides[3][2] = {{&ground, &one}, {&one, &two}, {&two, &ground}};
    const double at[3][2] = {{0, -0.5}, {0.5, -0.5}, {0.5, reach}};
    for (int i = 0; i < 3; i++) {
        tl_joint_def def = tl_joint_default(kind);
        def.a = sides[i][0]->body;
        def.b = sides[i][1]->body;
        def.position_a[0] = at[i][0];
        def.position_b[0] = at[i][1];
        memcpy(def.orientation_a, about, sizeof about);
        memcpy(def.orientation_b, about, sizeof about);
        add_joint(scene, &def);
    }
    tl_world *world = NULL;
    const tl_status status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (status >= 0) {
        const tl_report r = step_report(world, 1);
        *moved = r.joint_correction;
        assert_below(r.joint_error, 1e-8);
    }
    tl_world_destroy(world);
    return status;
}

static void assembly(void **state)
{
    (void)state;
    double moved = 0;
    assert_ok(loop(TL_JOINT_SPHERICAL, 1.9, 0.01, &moved));
    assert_above(moved, 0.01);
    assert_below(moved, 1);
    for (int i = 0; i < 2; i++) { /* exactly straight: there is no way to first order */
        assert_ok(loop(i ? TL_JOINT_REVOLUTE : TL_JOINT_SPHERICAL, 1.8, 0, &moved));
        assert_above(moved, 0.2); /* the middle is at a height of sqrt(1 - 0.9^2), links at half */
        assert_below(moved, 0.5);
    }
    assert_status(loop(TL_JOINT_SPHERICAL, 2.5, 0.01, &moved), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "it cannot be closed together with joint "));
    const tl_error error = tl_last_error();
    assert_int_not_equal(error.joints[0], 0);
    assert_int_not_equal(error.joints[1], 0);
    assert_int_not_equal(error.joints[0], error.joints[1]);
}

/* A body that an assembly only turns has been moved, too, as far as it is wide. */
static void assembly_turns(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    const put body = put_link(scene, 0.05, 0.1, 0.15, 2, 0, 0, 0);
    const double wanted[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
    double q[4];
    tl_joint_def weld = tl_joint_default(TL_JOINT_FIXED);
    weld.b = body.body;
    memcpy(weld.orientation_a, wanted, sizeof wanted);
    add_joint(scene, &weld);
    tl_world *world = world_of(scene);
    assert_ok(tl_world_read_orientations(world, 1, &body.body, q)); /* before any step */
    for (int k = 0; k < 4; k++)
        assert_near(q[k], wanted[k], 1e-9);
    const double gyration = sqrt((0.1 * 0.1 + 0.15 * 0.15) / 3);
    assert_near(step_report(world, 1).joint_correction, sqrt(2) * gyration, 1e-9);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring),         cmocka_unit_test(table),
        cmocka_unit_test(wound),          cmocka_unit_test(limit),
        cmocka_unit_test(motor),          cmocka_unit_test(follows),
        cmocka_unit_test(rubs),           cmocka_unit_test(rubs_driven),
        cmocka_unit_test(between_points), cmocka_unit_test(struts),
        cmocka_unit_test(rope),           cmocka_unit_test(breaks),
        cmocka_unit_test(broken_collide), cmocka_unit_test(assembly),
        cmocka_unit_test(assembly_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
