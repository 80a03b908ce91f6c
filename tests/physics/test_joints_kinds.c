/* Each kind of joint against a closed formula, and its reaction against statics. */
#include "joints.h"

/* A place with an orientation, for joints whose frames are given by more than an axis. */
static void set_frames(tl_joint_def *def, put a, put b, const double point[3],
                       const double frame_a[4], const double frame_b[4])
{
    const put side[2] = {a, b};
    double *position[2] = {def->position_a, def->position_b};
    double *orientation[2] = {def->orientation_a, def->orientation_b};
    const double *frame[2] = {frame_a, frame_b};
    def->a = a.body;
    def->b = b.body;
    for (int s = 0; s < 2; s++) {
        const double way[3] = {point[0] - side[s].x[0], point[1] - side[s].x[1],
                               point[2] - side[s].x[2]};
        const double *q = side[s].q, *f = frame[s];
        double v[3];
        rotate(q, -1, way, position[s]);
        /* conj(q) f */
        cross3(q + 1, f + 1, v);
        orientation[s][0] = q[0] * f[0] + dot3(q + 1, f + 1);
        for (int k = 0; k < 3; k++)
            orientation[s][k + 1] = q[0] * f[k + 1] - f[0] * q[k + 1] - v[k];
    }
}

/* --- what each kind leaves free -------------------------------------------------------------- */

/* Two shafts that meet at an angle, by a universal joint. The first is along z, the second is
 * turned from it about x, which is where the pin of the first is at the start. */
static tl_world *shafts(double bend, tl_axis_def first, tl_axis_def second, tl_joint joints[3])
{
    const variant v = joint_variant();
    const double middle[3] = {0, 0, 0}, along[3] = {0, 0, 0.5};
    tl_scene *scene = scene_for(&v, 1e-3);
    double axis[3];
    set_gravity(scene, 0, 0, 0);
    const put one = put_link(scene, 0.05, 0.1, 0.4, 1, 0, 0, -0.5);
    put two = {.q = {1, 0, 0, 0}};
    turn(joint_x, bend, two.q);
    rotate(two.q, 1, along, two.x);
    rotate(two.q, 1, joint_z, axis);
    two.body = add_link(scene, 0.05, 0.1, 0.4, 1, two.x, two.q);
    tl_joint_def def = joint_at(TL_JOINT_REVOLUTE, ground, one, one.x, joint_z);
    def.axes[5] = first;
    joints[0] = add_joint(scene, &def);
    def = joint_at(TL_JOINT_REVOLUTE, ground, two, two.x, axis);
    def.axes[5] = second;
    joints[1] = add_joint(scene, &def);
    def = tl_joint_default(TL_JOINT_UNIVERSAL);
    set_frames(&def, one, two, middle, one.q, two.q);
    joints[2] = add_joint(scene, &def);
    return world_of(scene);
}

/* The ratio of speeds, by the angle of the first pin from the plane of the shafts: a quarter turn
 * more than its shaft has turned. */
static double cardan(double bend, double turned)
{
    return cos(bend) / (1 - pow(sin(bend) * cos(turned + 0.5 * PI), 2));
}

static void universal(void **state)
{
    (void)state;
    const double bend = 0.6, speed = 2;
    tl_axis_def motor = tl_joint_default(TL_JOINT_REVOLUTE).axes[5], none = motor;
    tl_joint joints[3];
    motor.drive = TL_DRIVE_SPEED;
    motor.target.value = speed;
    tl_world *world = shafts(bend, motor, none, joints);
    double worst = 0, off = 0;
    for (int i = 0; i < 4000; i++) {
        const tl_report r = step_report(world, 1);
        const double angle = state_of(world, joints[0]).value[5];
        const tl_joint_state s = state_of(world, joints[1]);
        worst = fmax(worst, fabs(s.rate[5] / speed - cardan(bend, angle)));
        double want = atan2(cos(bend) * sin(angle), cos(angle)); /* of the same turn */
        want += 2 * PI * floor((angle - want) / (2 * PI) + 0.5);
        off = fmax(off, fabs(s.value[5] - want));
        assert_below(r.joint_error, 1e-8);
    }
    static const claim rate = {"Two shafts at 34 degrees with a universal joint",
                               "cos b / (1 - sin^2 b cos^2 a)", "largest error of the speed ratio",
                               "h = 1 ms, 4 s"};
    static const claim place = {"Two shafts at 34 degrees with a universal joint",
                                "tan c = cos b tan a", "largest error of the angle, rad",
                                "h = 1 ms, 4 s"};
    assert_found(&rate, "joints", worst, 0, 2e-3); /* rates are those of the middle of a step */
    assert_found(&place, "joints", off, 0, 2e-8);
    tl_world_destroy(world);
}

/* Held at an angle, torques are as the inverse of speeds. */
static void universal_torque(void **state)
{
    (void)state;
    const double bend = 0.6, load = 3;
    tl_axis_def motor = tl_joint_default(TL_JOINT_REVOLUTE).axes[5], loaded = motor;
    tl_joint joints[3];
    motor.drive = TL_DRIVE_POSITION;
    loaded.drive = TL_DRIVE_FORCE;
    loaded.target.value = load;
    tl_world *world = shafts(bend, motor, loaded, joints);
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        assert_ok(tl_world_set_drive(world, joints[0], 5, 0.4 * i));
        step(world, 50);
        const double angle = state_of(world, joints[0]).value[5];
        assert_near(angle, 0.4 * i, 1e-9);
        worst = fmax(worst, fabs(state_of(world, joints[0]).motor[5] + load * cardan(bend, angle)));
    }
    static const claim c = {"Two shafts at 34 degrees with a universal joint, held", "virtual work",
                            "largest error of the torque, of 3 N m", "h = 1 ms"};
    assert_found(&c, "joints", worst, 0, 1e-8);
    tl_world_destroy(world);
}

/* A body on a slope of 30 degrees: gravity is turned, the slope is level. */
static tl_scene *slope(double h, double angle)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    set_gravity(scene, G * sin(angle), 0, -G * cos(angle));
    return scene;
}

static void planar(void **state)
{
    (void)state;
    const double h = 1e-3, angle = PI / 6, mass = 2, ahead = 0.3;
    tl_scene *scene = slope(h, angle);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(0.2, 0.1, 0.1);
    shape.mask = 0;
    def.mass = mass;
    def.shape_count = 1;
    def.shapes = &shape;
    def.velocity[1] = 1.5;
    def.angular_velocity[2] = 4;
    put plate = {.q = {1, 0, 0, 0}};
    plate.body = add_body(scene, &def);
    tl_joint_def joint =
        joint_at(TL_JOINT_PLANAR, ground, plate, (double[3]){ahead, 0, -0.5}, joint_z);
    const tl_joint slides = add_joint(scene, &joint);
    tl_world *world = world_of(scene);
    const uint32_t steps = 1000;
    step(world, steps);
    const double t = steps * h;
    const tl_joint_state s = state_of(world, slides);
    double u[3], w[3], x[3];
    velocity_of(world, plate.body, u);
    spin_of(world, plate.body, w);
    position_of(world, plate.body, x);
    static const claim down = {"A plate on a slope of 30 degrees, planar joint", "g sin 30 t",
                               "speed after 1 s, m/s", "h = 1 ms"};
    static const claim turns = {"A plate on a slope of 30 degrees, planar joint",
                                "conservation of spin", "angle after 1 s, rad", "h = 1 ms"};
    static const claim force = {"A plate on a slope of 30 degrees, planar joint", "m g cos 30",
                                "normal force, N", "h = 1 ms"};
    assert_found(&down, "joints", u[0], G * sin(angle) * t, 1e-9);
    assert_found(&turns, "joints", s.value[5], 4 * t, 1e-9);
    assert_found(&force, "joints", s.force[2], mass * G * cos(angle), 1e-8);
    assert_near(u[1], 1.5, 1e-9);
    assert_near(w[2], 4, 1e-9);
    assert_near(x[2], 0, 1e-9);
    assert_near(hypot(s.force[0], s.force[1]), 0, 1e-9);
    /* about the origin of frame b, which is ahead of the centre in the plate: as it stands in the
     * step that made the force, half of whose spin is left */
    const double lever = ahead * mass * G * cos(angle);
    assert_near(hypot(s.torque[0], s.torque[1]), lever, 1e-6);
    assert_near(s.torque[1], lever * cos(s.value[5]), 5e-3 * lever);
    tl_world_destroy(world);
}

/* A sleeve on a level shaft that turns and slides: what keeps it from falling is told at its own
 * frame, wherever it has gone. */
static void cylindrical(void **state)
{
    (void)state;
    const double h = 1e-3, mass = 3, ahead = 0.25, torque = 0.2, force = 1.5;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    const put sleeve = put_link(scene, 0.3, 0.1, 0.1, mass, ahead, 0, 0);
    tl_joint_def def =
        joint_at(TL_JOINT_CYLINDRICAL, ground, sleeve, (double[3]){0, 0, 0}, joint_x);
    def.axes[2].drive = TL_DRIVE_FORCE;
    def.axes[2].target.value = force;
    def.axes[5].drive = TL_DRIVE_FORCE;
    def.axes[5].target.value = torque;
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 1000);
    const tl_joint_state s = state_of(world, joint);
    const double inertia = mass * (0.04 + 0.04) / 12;
    static const claim slides = {"A sleeve on a shaft, pushed and turned", "F t / m",
                                 "speed after 1 s, m/s", "h = 1 ms"};
    static const claim turns = {"A sleeve on a shaft, pushed and turned", "T t / I",
                                "rate after 1 s, rad/s", "h = 1 ms"};
    static const claim lever = {"A sleeve on a shaft, pushed and turned",
                                "its weight times its arm", "moment, N m", "h = 1 ms"};
    assert_found(&slides, "joints", s.rate[2], force / mass, 1e-9);
    assert_found(&turns, "joints", s.rate[5], torque / inertia, 1e-8);
    assert_found(&lever, "joints", s.torque[1], -mass * G * ahead, 1e-6);
    assert_near(s.force[2], mass * G, 1e-6);
    assert_near(s.force[0], force, 1e-9);
    assert_near(s.torque[0], torque, 1e-9);
    tl_world_destroy(world);
}

/* A bead on a straight wire of 40 degrees, with and without friction. */
static void point_on_line(void **state)
{
    (void)state;
    const double h = 1e-3, angle = 40 * PI / 180, mass = 0.5, rubs = 1.2;
    const double wire[3] = {cos(angle), 0, -sin(angle)};
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    const put bead = put_link(scene, 0.05, 0.05, 0.05, mass, 0, 0, 0);
    const put slow = put_link(scene, 0.05, 0.05, 0.05, mass, 0, 1, 0);
    tl_joint_def def = joint_at(TL_JOINT_POINT_ON_LINE, ground, bead, bead.x, wire);
    const tl_joint smooth = add_joint(scene, &def);
    def = joint_at(TL_JOINT_POINT_ON_LINE, ground, slow, slow.x, wire);
    def.axes[2].friction = rubs;
    const tl_joint rough = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 700);
    const tl_joint_state s = state_of(world, smooth), r = state_of(world, rough);
    double x[3];
    position_of(world, bead.body, x);
    static const claim fast = {"A bead on a wire of 40 degrees", "g sin 40 t",
                               "speed after 0.7 s, m/s", "h = 1 ms"};
    static const claim less = {"A bead on a wire of 40 degrees that rubs with 1.2 N",
                               "(g sin 40 - F / m) t", "speed after 0.7 s, m/s", "h = 1 ms"};
    static const claim force = {"A bead on a wire of 40 degrees", "m g cos 40", "force, N",
                                "h = 1 ms"};
    assert_found(&fast, "joints", s.rate[2], G * sin(angle) * 0.7, 1e-9);
    assert_found(&less, "joints", r.rate[2], (G * sin(angle) - rubs / mass) * 0.7, 1e-9);
    assert_found(&force, "joints", norm3(s.force), mass * G * cos(angle), 1e-9);
    assert_near(dot3(s.force, wire), 0, 1e-9);
    assert_near(dot3(r.force, wire), -rubs, 1e-9);
    assert_near(x[2] * cos(angle) + x[0] * sin(angle), 0, 1e-9);
    tl_world_destroy(world);
}

/* A rod whose foot slides on a smooth floor falls: its centre straight down, its speed by energy.
 */
static double falling_rod(double h, double until, tl_joint_state *first)
{
    const double length = 2, half = 1, width = 0.02, mass = 1.5, lean = 0.3;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    double q[4], foot[3], down[3] = {0, 0, -half};
    turn(joint_y, lean, q);
    rotate(q, -1, down, foot); /* only its height matters */
    put rod = {.x = {0, 0, half * cos(lean)}, .q = {q[0], q[1], q[2], q[3]}};
    rod.body = add_link(scene, 0.5 * width, 0.5 * width, half, mass, rod.x, q);
    rotate(q, 1, down, foot);
    tl_joint_def def = joint_at(TL_JOINT_POINT_ON_PLANE, ground, rod,
                                (double[3]){foot[0], 0, rod.x[2] + foot[2]}, joint_z);
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    const double inertia = (length * length + width * width) / 12;
    double w[3], x[3], now[4], axis[3];
    step(world, 1);
    *first = state_of(world, joint);
    double error = 0;
    for (int i = 1; i < (int)(until / h + 0.5); i++) {
        step(world, 1);
        spin_of(world, rod.body, w);
        position_of(world, rod.body, x);
        orientation_of(world, rod.body, now);
        rotate(now, 1, joint_z, axis);
        const double c = axis[2], s2 = 1 - c * c;
        const double want = sqrt(2 * G * half * (cos(lean) - c) / (half * half * s2 + inertia));
        error = w[1] - want;
        assert_near(x[0], 0, 1e-8);
        assert_near(x[2], half * c, 1e-8);
    }
    tl_world_destroy(world);
    /* from rest: m (g - z'') with z'' = half sin(lean) spin' */
    const double spin = G * half * sin(lean) / (inertia + pow(half * sin(lean), 2));
    assert_near(first->force[2], mass * (G - half * sin(lean) * spin), 0.05);
    assert_near(hypot(first->force[0], first->force[1]), 0, 1e-12);
    return error;
}

static void point_on_plane(void **state)
{
    (void)state;
    tl_joint_state first;
    falling_rod(2e-3, 0.6, &first);
    const double rough = falling_rod(2e-3, 0.6, &first), fine = falling_rod(1e-3, 0.6, &first);
    static const claim c = {"A rod falls, its foot on a smooth floor", "energy",
                            "error of its spin after 0.6 s, rad/s", "h = 1 ms"};
    assert_found(&c, "joints", fine, 0, 0.01);
    assert_near(rough / fine, 2, 0.3); /* rates are half a step old: of the first order */
}

/* A weight on a rod with a hinge: a pendulum in a plane, whatever pushes it sideways. */
static void revolute_spherical(void **state)
{
    (void)state;
    const double h = 2e-3, length = 1.2, mass = 2, amplitude = 1, side = 3;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    set_gravity(scene, 0, side, -G);
    const put ball =
        put_link(scene, 0.1, 0.1, 0.1, mass, length * sin(amplitude), 0, -length * cos(amplitude));
    tl_joint_def def = joint_at(TL_JOINT_REVOLUTE_SPHERICAL, ground, ball, ball.x, joint_y);
    memset(def.position_a, 0, sizeof def.position_a);
    def.length = length;
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    double before = amplitude, first = -1, period = -1, x[3];
    for (int i = 1; i < 5000 && period < 0; i++) {
        step(world, 1);
        position_of(world, ball.body, x);
        assert_near(norm3(x), length, 1e-9);
        assert_near(x[1], 0, 1e-9);
        const double now = atan2(x[0], -x[2]);
        if (before < 0 && now >= 0) {
            const double when = (i - now / (now - before)) * h;
            if (first >= 0)
                period = when - first;
            first = when;
        }
        before = now;
    }
    double a = 1, b = cos(0.5 * amplitude);
    for (int i = 0; i < 30; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    const tl_joint_state s = state_of(world, joint);
    static const claim swings = {"A weight on a rod with a hinge, pushed sideways",
                                 "elliptic integral", "period, s", "h = 2 ms"};
    static const claim pushed = {"A weight on a rod with a hinge, pushed sideways",
                                 "m times what pushes", "force along the hinge, N", "h = 2 ms"};
    assert_found(&swings, "joints", period, 2 * PI * sqrt(length / G) / a, 1e-4);
    assert_found(&pushed, "joints", s.local_force[2], -mass * side, 1e-6);
    assert_near(norm3(s.torque), 0, 1e-6);
    /* at the lowest point: m g + m v^2 / l, by energy */
    assert_near(s.force[2], mass * G * (1 + 2 * (1 - cos(amplitude))), 0.05);
    tl_world_destroy(world);
}

/* --- generic joints: each axis free, limited, driven, locked ---------------------------------- */

static tl_world *one_axis(int k, tl_axis_def axis, double inertia[6], tl_joint *joint)
{
    const variant v = joint_variant();
    const double mass = 2, half[3] = {0.3, 0.2, 0.1};
    tl_scene *scene = scene_for(&v, 1e-3);
    double frame[4];
    set_gravity(scene, 0, 0, 0);
    turn((double[3]){1, 2, -1}, 0.8, frame);
    put box = {.x = {0.4, -0.1, 0.2}};
    memcpy(box.q, frame, sizeof frame); /* the frames are along its own axes */
    box.body = add_link(scene, half[0], half[1], half[2], mass, box.x, box.q);
    tl_joint_def def = tl_joint_default(TL_JOINT_GENERIC);
    set_frames(&def, ground, box, box.x, frame, frame);
    for (int i = 0; i < 6; i++)
        def.locked[i] = i != k;
    def.axes[k] = axis;
    *joint = add_joint(scene, &def);
    for (int i = 0; i < 3; i++) {
        inertia[i] = mass;
        inertia[3 + i] = mass * (pow(half[(i + 1) % 3], 2) + pow(half[(i + 2) % 3], 2)) / 3;
    }
    return world_of(scene);
}

/* Coordinates that are locked stay, and so do their rates. */
static void others_rest(const tl_joint_state *s, int k)
{
    for (int i = 0; i < 6; i++) {
        assert_near(s->value[i], i == k ? s->value[i] : 0, 1e-9);
        assert_near(s->rate[i], i == k ? s->rate[i] : 0, 1e-9);
    }
    assert_below(s->error, 1e-8);
}

static void generic(void **state)
{
    (void)state;
    const tl_axis_def plain = tl_joint_default(TL_JOINT_GENERIC).axes[0];
    double inertia[6];
    tl_joint joint;
    for (int k = 0; k < 6; k++) {
        context("axis %d", k);
        tl_axis_def axis = plain;
        axis.drive = TL_DRIVE_FORCE;
        axis.target.value = 0.2;
        tl_world *world = one_axis(k, axis, inertia, &joint);
        step(world, 200);
        tl_joint_state s = state_of(world, joint);
        assert_near(s.rate[k], 0.2 * 0.2 / inertia[k], 1e-9); /* free: force over inertia */
        assert_near(s.value[k], 0.5 * 0.2 / inertia[k] * 0.2 * 0.201, 1e-8);
        others_rest(&s, k);
        tl_world_destroy(world);
        axis.upper = 0.05;
        axis.lower = -0.04;
        world = one_axis(k, axis, inertia, &joint);
        step(world, 3000);
        s = state_of(world, joint);
        assert_near(s.value[k], 0.05, 1e-9); /* limited, from above and below */
        assert_near(s.motor[k], 0.2, 1e-12);
        assert_ok(tl_world_set_drive(world, joint, (uint32_t)k, -0.2));
        step(world, 3000);
        s = state_of(world, joint);
        assert_near(s.value[k], -0.04, 1e-9);
        others_rest(&s, k);
        tl_world_destroy(world);
        axis = plain;
        axis.drive = TL_DRIVE_SPEED;
        axis.target.value = 0.3;
        axis.limit = 10;
        world = one_axis(k, axis, inertia, &joint);
        step(world, 1000);
        s = state_of(world, joint);
        assert_near(s.rate[k], 0.3, 1e-9); /* driven, by speed and place */
        assert_near(s.motor[k], 0, 1e-9);
        others_rest(&s, k);
        tl_world_destroy(world);
        axis.drive = TL_DRIVE_POSITION;
        axis.target = (tl_function_def){.kind = TL_FUNCTION_SINE, .amplitude = 0.1, .frequency = 1};
        axis.limit = INFINITY;
        world = one_axis(k, axis, inertia, &joint);
        step(world, 250);
        s = state_of(world, joint);
        assert_near(s.value[k], 0.1, 1e-9);
        /* the force that turns it round: inertia times the acceleration of the sine */
        assert_near(s.motor[k], -0.1 * 4 * PI * PI * inertia[k], 1e-3 * inertia[k]);
        others_rest(&s, k);
        tl_world_destroy(world);
    }
}

/* --- reactions ------------------------------------------------------------------------------- */

/* With motors that hold what it leaves free, each kind carries a body as a weld does: its weight at
 * the centre of mass, in the frame of the joint as in the world's. What the motors hold is what
 * acts along their axes. */
static void statics(void **state)
{
    (void)state;
    static const tl_joint_kind kinds[] = {
        TL_JOINT_FIXED,          TL_JOINT_SPHERICAL, TL_JOINT_REVOLUTE,  TL_JOINT_PRISMATIC,
        TL_JOINT_CYLINDRICAL,    TL_JOINT_PLANAR,    TL_JOINT_UNIVERSAL, TL_JOINT_POINT_ON_LINE,
        TL_JOINT_POINT_ON_PLANE, TL_JOINT_GENERIC};
    const double mass = 4, pull[3] = {1, -2, -9}, point[3] = {-0.3, 0.4, 0.1};
    double worst = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int flip = 0; flip < 2; flip++) {
            const variant v = joint_variant();
            tl_scene *scene = scene_for(&v, 1e-2);
            double frame[4], weight[3], moment[3], local[6];
            context("%s%s", tl_word(TL_WORDS_JOINT, kinds[i]), flip ? ", body first" : "");
            set_gravity(scene, pull[0], pull[1], pull[2]);
            turn((double[3]){2, -1, 1}, 1.1, frame);
            const put body = put_link(scene, 0.3, 0.2, 0.1, mass, 0.2, 0.1, -0.1);
            tl_joint_def def = tl_joint_default(kinds[i]);
            bool locked[6];
            set_frames(&def, flip ? body : ground, flip ? ground : body, point, frame, frame);
            for (int k = 0; k < 6 && kinds[i] == TL_JOINT_GENERIC; k++)
                def.locked[k] = k % 2;
            tl_joint_locks(&def, locked);
            for (int k = 0; k < 6; k++)
                def.axes[k].drive = locked[k] ? TL_DRIVE_NONE : TL_DRIVE_POSITION;
            const tl_joint joint = add_joint(scene, &def);
            tl_world *world = world_of(scene);
            step(world, 10);
            const tl_joint_state s = state_of(world, joint);
            const double anchor[3] = {body.x[0] - point[0], body.x[1] - point[1],
                                      body.x[2] - point[2]};
            for (int k = 0; k < 3; k++)
                weight[k] = (flip ? 1 : -1) * mass * pull[k];
            cross3(anchor, weight, moment);
            rotate(frame, -1, weight, local);
            rotate(frame, -1, moment, local + 3);
            for (int k = 0; k < 3; k++) {
                worst = fmax(worst, fabs(s.force[k] - weight[k]));
                worst = fmax(worst, fabs(s.torque[k] - moment[k]));
                worst = fmax(worst, fabs(s.local_force[k] - local[k]));
                worst = fmax(worst, fabs(s.local_torque[k] - local[3 + k]));
            }
            for (int k = 0; k < 6; k++)
                worst = fmax(worst, fabs(s.motor[k] - (locked[k] ? 0 : local[k])));
            assert_below(worst, 1e-6);
            assert_below(s.error, 1e-8);
            tl_world_destroy(world);
        }
    static const claim c = {"Ten kinds of joint hold a weight of 37 N, with motors", "statics",
                            "largest error of forces and moments, N and N m", "h = 10 ms"};
    assert_found(&c, "joints", worst, 0, 1e-6);
}

/* Couplings: what the second joint is loaded with is held at the first. */
static void couplings(void **state)
{
    (void)state;
    const double load = 5, ratio = -0.4, pitch = 0.02, mass = 3;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-2);
    const put one = put_link(scene, 0.2, 0.2, 0.1, 1, 0, 0, 0);
    const put two = put_link(scene, 0.2, 0.2, 0.1, 1, 1, 0, 0);
    const put bar = put_link(scene, 0.2, 0.2, 0.2, mass, 2, 0, 0);
    const put third = put_link(scene, 0.2, 0.2, 0.1, 1, 3, 0, 0);
    const put nut = put_link(scene, 0.2, 0.2, 0.2, mass, 4, 0, 0);
    tl_joint_def def = joint_at(TL_JOINT_REVOLUTE, ground, one, one.x, joint_z);
    def.axes[5].drive = TL_DRIVE_POSITION;
    const tl_joint holds = add_joint(scene, &def);
    def = joint_at(TL_JOINT_REVOLUTE, ground, two, two.x, joint_z);
    def.axes[5].drive = TL_DRIVE_FORCE;
    def.axes[5].target.value = load;
    const tl_joint loaded = add_joint(scene, &def);
    const tl_joint hangs = join(scene, TL_JOINT_PRISMATIC, ground, bar, 2, 0, 0, joint_z);
    def = joint_at(TL_JOINT_REVOLUTE, ground, third, third.x, joint_y);
    def.axes[5].drive = TL_DRIVE_POSITION;
    const tl_joint winds = add_joint(scene, &def);
    tl_joint_def gear = tl_joint_default(TL_JOINT_GEAR);
    gear.coupled[0] = holds;
    gear.coupled[1] = loaded;
    gear.ratio = ratio;
    const tl_joint geared = add_joint(scene, &gear);
    tl_joint_def rack = tl_joint_default(TL_JOINT_RACK);
    rack.coupled[0] = winds;
    rack.coupled[1] = hangs;
    rack.ratio = 0.3;
    const tl_joint racked = add_joint(scene, &rack);
    def = joint_at(TL_JOINT_SCREW, ground, nut, nut.x, joint_z);
    def.ratio = pitch;
    def.axes[5].drive = TL_DRIVE_POSITION;
    const tl_joint screwed = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 10);
    static const claim g = {"A gear of ratio -0.4 under 5 N m, held", "virtual work",
                            "torque that holds, N m", "h = 10 ms"};
    static const claim r = {"A rack of 0.3 m under 3 kg, held", "virtual work",
                            "torque that holds, N m", "h = 10 ms"};
    static const claim s = {"A screw of 20 mm per radian under 3 kg, held", "virtual work",
                            "torque that holds, N m", "h = 10 ms"};
    assert_found(&g, "joints", state_of(world, holds).motor[5], -ratio * load, 1e-8);
    assert_found(&r, "joints", state_of(world, winds).motor[5], 0.3 * mass * G, 1e-8);
    assert_found(&s, "joints", state_of(world, screwed).motor[5], pitch * mass * G, 1e-8);
    assert_near(state_of(world, geared).torque[2], -load, 1e-8);
    assert_near(state_of(world, racked).force[2], mass * G, 1e-8);
    assert_near(state_of(world, screwed).force[2], mass * G, 1e-8);
    assert_near(state_of(world, screwed).torque[2], 0, 1e-8);
    tl_world_destroy(world);
}

/* A body whose own frame is neither at its centre of mass nor along its principal axes: frames of
 * joints are those of the body as it was given. */
static void off_centre(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3, mass = 3, at[3] = {1, 2, 3};
    tl_scene *scene = scene_for(&v, h);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(0.3, 0.1, 0.05);
    shape.mask = 0;
    shape.position[0] = 0.4;
    shape.position[1] = 0.1;
    shape.position[2] = -0.2;
    turn((double[3]){1, 1, 2}, 0.7, shape.orientation);
    def.mass = mass;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, at, sizeof at);
    turn((double[3]){0, 1, 1}, -0.4, def.orientation);
    put body = {.x = {at[0], at[1], at[2]}};
    memcpy(body.q, def.orientation, sizeof body.q);
    body.body = add_body(scene, &def);
    const double pivot[3] = {at[0], at[1], at[2] + 0.3};
    const tl_joint weld =
        join(scene, TL_JOINT_FIXED, ground, body, pivot[0], pivot[1], pivot[2], joint_x);
    tl_world *world = world_of(scene);
    const tl_report r = step_report(world, 20);
    const tl_joint_state s = state_of(world, weld);
    double x[3], centre[3], anchor[3], moment[3];
    position_of(world, body.body, x);
    assert_near(r.joint_correction, 0, 1e-12);
    assert_near(distance3(x, at), 0, 1e-9);
    rotate(body.q, 1, shape.position, centre);
    for (int k = 0; k < 3; k++)
        anchor[k] = at[k] + centre[k] - pivot[k];
    cross3(anchor, (double[3]){0, 0, mass * G}, moment);
    static const claim c = {"A body welded away from its centre of mass",
                            "its weight times its arm", "error of the moment, N m", "h = 1 ms"};
    assert_found(&c, "joints", distance3(s.torque, moment), 0, 1e-8);
    assert_near(s.force[2], mass * G, 1e-8);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(universal),
                                       cmocka_unit_test(universal_torque),
                                       cmocka_unit_test(planar),
                                       cmocka_unit_test(cylindrical),
                                       cmocka_unit_test(point_on_line),
                                       cmocka_unit_test(point_on_plane),
                                       cmocka_unit_test(revolute_spherical),
                                       cmocka_unit_test(generic),
                                       cmocka_unit_test(statics),
                                       cmocka_unit_test(couplings),
                                       cmocka_unit_test(off_centre)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
