/* Prescribed motions as functions of time: ramps, rocking, tables and expressions of rotations
 * follow their law exactly, turn about a pivot, change by events without a jump, and give contacts
 * the velocities that belong to them. */
#include "support.h"

static const double h = 1.0 / 128;
static const double at[3] = {1, -2, 3}, tilt[4] = {0.5, 0.5, -0.5, 0.5};

/* A prescribed body with one box, turned from the start. */
static tl_body add_moving(tl_scene *scene, tl_shape_def shape, tl_material material,
                          const double position[3], const double orientation[4],
                          const tl_motion_def *motion)
{
    tl_body_def def = tl_body_default();
    shape.material = material;
    def.kind = TL_PRESCRIBED;
    def.shape_count = 1;
    def.shapes = &shape;
    def.motion = *motion;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, orientation, sizeof def.orientation);
    return add_body(scene, &def);
}

static void join(const double r[4], const double p[4], double q[4])
{
    double turned[3];
    rotate(r, 1, (double[3]){p[1], p[2], p[3]},
           turned); /* r p = (r p r*) r with p's vector turned */
    const double moved[4] = {p[0], turned[0], turned[1], turned[2]};
    q[0] = moved[0] * r[0] - moved[1] * r[1] - moved[2] * r[2] - moved[3] * r[3];
    q[1] = moved[0] * r[1] + moved[1] * r[0] + moved[2] * r[3] - moved[3] * r[2];
    q[2] = moved[0] * r[2] - moved[1] * r[3] + moved[2] * r[0] + moved[3] * r[1];
    q[3] = moved[0] * r[3] + moved[1] * r[2] - moved[2] * r[1] + moved[3] * r[0];
}

/* The angle between two orientations. */
static double apart(const double p[4], const double q[4])
{
    double way[4];
    join(p, (double[4]){q[0], -q[1], -q[2], -q[3]}, way);
    return 2 * atan2(sqrt(way[1] * way[1] + way[2] * way[2] + way[3] * way[3]), fabs(way[0]));
}

/* A law in closed form: the rotation and the offset at a time. */
typedef struct law {
    const char *name;
    void (*define)(tl_motion_def *motion);
    void (*pose)(double t, double offset[3], double q[4]);
} law;

static double ramped(double t, double from, double to, double start, double stop)
{
    const double u = t - start, length = stop - start;
    return from * t + (to - from) * (u < 0        ? 0
                                     : u < length ? u * u / (2 * length)
                                                  : u - length / 2);
}

static void define_ramp(tl_motion_def *m)
{
    m->kind = m->rotation = TL_MOTION_RAMP;
    m->velocity_from[0] = 1;
    m->velocity[0] = -2;
    m->velocity[2] = 0.5;
    m->ramp_start = 0.3;
    m->ramp_stop = 1.1;
    m->angular_velocity_from[1] = -3; /* along y and z: not the axis of the body's turn */
    m->angular_velocity_from[2] = 6;
    m->angular_velocity[1] = 10;
    m->angular_velocity[2] = -20;
    m->angular_ramp_start = 0.25;
    m->angular_ramp_stop = 1.5;
}

static void pose_ramp(double t, double offset[3], double q[4])
{
    offset[0] = ramped(t, 1, -2, 0.3, 1.1);
    offset[1] = 0;
    offset[2] = ramped(t, 0, 0.5, 0.3, 1.1);
    turn((double[3]){0, -1, 2}, sqrt(5) * ramped(t, 3, -10, 0.25, 1.5), q);
}

static void define_rocking(tl_motion_def *m)
{
    m->rotation = TL_MOTION_SINE;
    m->angular_amplitude[0] = 0.3;
    m->angular_amplitude[2] = 0.4;
    m->angular_frequency = 1.7;
    m->angular_phase = 0.6;
    m->velocity[1] = 2; /* and straight on */
}

static void pose_rocking(double t, double offset[3], double q[4])
{
    offset[0] = offset[2] = 0;
    offset[1] = 2 * t;
    turn((double[3]){3, 0, 4}, 0.5 * sin(2 * PI * 1.7 * t + 0.6), q);
}

/* Three turns in 0.75 s and half a turn back; a table of offsets with times of its own. */
static const double angle_times[3] = {0.25, 1, 1.6};
static const double angles[9] = {0, 0, 0, 0, 0, 6 * PI, 0, 0, 5 * PI};
static const double offset_times[2] = {0, 2}, offsets[6] = {0, 0, 0, 1, 2, 3};

static void define_angles(tl_motion_def *m)
{
    m->kind = m->rotation = TL_MOTION_TABLE;
    m->table_length = 2;
    m->times = offset_times;
    m->offsets = offsets;
    m->angular_table_length = 3;
    m->angular_times = angle_times;
    m->rotations = angles;
}

static void pose_angles(double t, double offset[3], double q[4])
{
    const double up = fmin(fmax(t - 0.25, 0) / 0.75, 1) * 6 * PI;
    const double back = fmin(fmax(t - 1, 0) / 0.6, 1) * PI;
    for (int k = 0; k < 3; k++)
        offset[k] = offsets[3 + k] * fmin(t / 2, 1);
    turn((double[3]){0, 0, 1}, up - back, q);
}

/* A quarter turn about x, then one about y of the world: slerp between them. */
static const double turn_times[3] = {0, 0.5, 1.5};
static const double turns[9] = {0, 0, 0, PI / 2, 0, 0, 0, PI / 2, 0};

static void define_turns(tl_motion_def *m)
{
    m->rotation = TL_MOTION_TABLE;
    m->angular_table_length = 3;
    m->angular_times = turn_times;
    m->rotations = turns;
}

/* From Rx(90) to Ry(90) leads the turn by 120 degrees about Ry(90) Rx(-90): (-1, 1, 1). */
static void pose_turns(double t, double offset[3], double q[4])
{
    double first[4], then[4];
    offset[0] = offset[1] = offset[2] = 0;
    turn((double[3]){1, 0, 0}, fmin(t / 0.5, 1) * PI / 2, first);
    turn((double[3]){-1, 1, 1}, fmin(fmax(t - 0.5, 0), 1) * 2 * PI / 3, then);
    join(then, first, q);
}

static void define_expression(tl_motion_def *m)
{
    m->kind = m->rotation = TL_MOTION_EXPRESSION;
    m->expressions[0] = "0.01*sin(2*pi*3*t)";
    m->expressions[2] = "max(0, t - 1)^2";
    m->angular_expressions[1] = "(0.6)*(2*pi*(t - sin(t)))";
    m->angular_expressions[2] = "(0.8)*(2*pi*(t - sin(t)))";
}

static void pose_expression(double t, double offset[3], double q[4])
{
    offset[0] = 0.01 * sin(2 * PI * 3 * t);
    offset[1] = 0;
    offset[2] = t > 1 ? (t - 1) * (t - 1) : 0;
    turn((double[3]){0, 3, 4}, 2 * PI * (t - sin(t)), q);
}

static void define_wobble(tl_motion_def *m)
{
    m->rotation = TL_MOTION_EXPRESSION;
    m->angular_expressions[0] = "cos(3*t)";
    m->angular_expressions[1] = "sin(3*t)";
    m->angular_expressions[2] = "t";
    m->pivot[0] = 0.7;
    m->pivot[2] = -0.2;
}

static void pose_wobble(double t, double offset[3], double q[4])
{
    const double v[3] = {cos(3 * t), sin(3 * t), t};
    double anchor[3], turned[3];
    turn(v, norm3(v), q);
    rotate(tilt, 1, (double[3]){0.7, 0, -0.2}, anchor);
    rotate(q, 1, anchor, turned);
    for (int k = 0; k < 3; k++)
        offset[k] = anchor[k] - turned[k];
}

static const law laws[] = {{"ramp", define_ramp, pose_ramp},
                           {"rocking", define_rocking, pose_rocking},
                           {"angles", define_angles, pose_angles},
                           {"turns", define_turns, pose_turns},
                           {"expression", define_expression, pose_expression},
                           {"wobble", define_wobble, pose_wobble}};
enum { LAWS = sizeof laws / sizeof *laws };

static void want_pose(const law *l, double t, double x[3], double q[4])
{
    double r[4];
    l->pose(t, x, r);
    for (int k = 0; k < 3; k++)
        x[k] += at[k];
    join(r, tilt, q);
}

/* At the end of every step bodies are where their law says, to the rounding of doubles however many
 * steps were made; and velocity and angular velocity of a step lead from one pose to the next. */
static void followed(const variant *v)
{
    const double narrow = v->precision == TL_DOUBLE ? 1e-10 : 1e-5;
    tl_scene *scene = scene_for(v, h);
    tl_body bodies[LAWS];
    for (int i = 0; i < LAWS; i++) {
        tl_motion_def motion = tl_motion_default();
        laws[i].define(&motion);
        bodies[i] = add_moving(scene, tl_box_default(1, 1, 1), (tl_material){0}, at, tilt, &motion);
    }
    add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){50, 0, 0}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double worst = 0;
    for (int n = 0; n < 320; n++) {
        double x[3], q[4], want[3], turned[4], u[3], w[3];
        for (int i = 0; i < LAWS; i++) {
            context("%s, %s, step %d", v->name, laws[i].name, n);
            position_of(world, bodies[i], x);
            orientation_of(world, bodies[i], q);
            want_pose(&laws[i], n * h, want, turned);
            assert_near(distance3(x, want), 0, 1e-11);
            assert_near(apart(q, turned), 0, 1e-11);
            worst = fmax(worst, fmax(distance3(x, want), apart(q, turned)));
            velocity_of(world, bodies[i], u);
            spin_of(world, bodies[i], w);
            double next[3], next_q[4], r[4], led[4];
            want_pose(&laws[i], (n + 1) * h, next, next_q);
            for (int k = 0; k < 3; k++)
                assert_near(u[k], (next[k] - x[k]) / h, narrow * 100);
            turn(norm3(w) > 0 ? w : at, norm3(w) * h, r);
            join(r, q, led);
            assert_near(apart(led, next_q), 0, narrow);
        }
        step(world, 1);
    }
    static const claim c = {"bodies moved by ramps, rocking, tables and expressions",
                            "closed form: their laws", "largest error of a pose, m and rad",
                            "h = 1/128 s, each of 320 steps"};
    context("%s", v->name);
    assert_found(&c, v->name, worst, 0, 1e-11);
    tl_world_destroy(world);
}

static void test_followed(void **state)
{
    (void)state;
    for_each_precision(followed);
}

/* A sphere rolls without slip on a turntable of any speed W(t): 7/2 dv/dt = d/dt (W z cross x), so
 * from rest v = 2/7 W z cross x at all times, spun up by a ramp or rocking to and fro. The floor's
 * velocity is that of the step, at the place where the contact was at its start: off by h times its
 * change. */
static void turntable(const variant *v, bool rocks)
{
    const double small = 1.0 / 500, r = 0.1;
    tl_scene *scene = scene_for(v, small);
    const tl_material material = add_material(scene, 1, 0);
    tl_motion_def motion = tl_motion_default();
    if (rocks) {
        motion.rotation = TL_MOTION_SINE;
        motion.angular_amplitude[2] = 0.5;
        motion.angular_frequency = 0.5;
        motion.angular_phase = -PI / 2; /* from rest */
    } else {
        motion.rotation = TL_MOTION_RAMP;
        motion.angular_velocity[2] = 2;
        motion.angular_ramp_stop = 1;
    }
    add_moving(scene, tl_box_default(9, 9, 0.2), material, (double[3]){0, 0, -0.2},
               (double[4]){1, 0, 0, 0}, &motion);
    const tl_body body =
        add_sphere(scene, material, r, 0, (double[3]){0.8, 0, r}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double most = 0, worst = 0, limit = 0;
    for (int i = 0; i < 8; i++) {
        double u[3], x[3];
        step(world, 125);
        const double t = tl_world_time(world);
        const double rate = rocks ? 0.5 * PI * cos(PI * t - PI / 2) : 2 * fmin(t, 1);
        velocity_of(world, body, u);
        position_of(world, body, x);
        most = fmax(most, hypot(u[0], u[1]));
        const double error = 2.0 / 7 * small * (5 * 0.9 + 2 * 0.6) + slack(v, 10, 8);
        assert_near(u[0], -2.0 / 7 * rate * x[1], error);
        assert_near(u[1], 2.0 / 7 * rate * x[0], error);
        worst = fmax(worst, fabs(u[1] - 2.0 / 7 * rate * x[0]));
        limit = error;
    }
    static const claim c = {
        "a ball at rest on a turntable that is spun up or rocks", "closed form: 2/7 W(t) z cross x",
        "largest error of its speed along y (up to 0.5), m/s", "h = 2 ms, at eight times"};
    assert_above(most, 0.3);
    assert_found(&c, v->name, worst, 0, limit);
    tl_world_destroy(world);
}

static void turntables(const variant *v)
{
    turntable(v, false);
    turntable(v, true);
}

static void test_turntable(void **state)
{
    (void)state;
    for_each_variant(turntables);
}

/* A gate swings about a hinge at its end (its origin is in its middle) and pushes a sphere without
 * friction: along the gate the sphere's centre moves as rho'' = W^2 rho, from rho' = W r as it
 * rested, so rho = rho0 cosh(W t) + r sinh(W t), at distance r from the gate's face. */
static void gate(const variant *v)
{
    const double small = 1e-4, r = 0.05, turning = 1.5, rho = 0.3, thick = 0.02, t = 0.8;
    tl_scene *scene = scene_for(v, small);
    const tl_material material = add_material(scene, 0, 0);
    tl_motion_def motion = tl_motion_default();
    set_gravity(scene, 0, 0, 0);
    motion.angular_velocity[2] = turning;
    motion.pivot[0] = -1; /* the hinge is at the world's origin, on the face y = 0 */
    motion.pivot[1] = thick;
    add_moving(scene, tl_box_default(1, thick, 1), material, (double[3]){1, -thick, 0},
               (double[4]){1, 0, 0, 0}, &motion);
    const tl_body body =
        add_sphere(scene, material, r, 0, (double[3]){rho, r, 0}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(t / small + 0.5));
    double x[3], local[3], q[4];
    position_of(world, body, x);
    turn((double[3]){0, 0, 1}, turning * t, q);
    rotate(q, -1, x, local);
    /* first order in the step: its curve, W^2 rho h / 2 of speed, over the time */
    const double error =
        4 * small * turning * turning * rho * cosh(turning * t) * t + slack(v, 1, 100);
    static const claim c = {"a gate that swings pushes a ball, no friction",
                            "closed form: rho cosh W t + r sinh W t",
                            "way along the gate after 0.8 s, m", "h = 0.1 ms"};
    assert_found(&c, v->name, local[0], rho * cosh(turning * t) + r * sinh(turning * t), error);
    assert_near(local[1], r, error);
    tl_world_destroy(world);
}

static void test_gate(void **state)
{
    (void)state;
    for_each_precision(gate);
}

/* An event takes over from the pose that the body has: no jump though the new law is not 0 at its
 * start, and its time counts from there. */
static void changed(const variant *v)
{
    tl_scene *scene = scene_for(v, h);
    tl_motion_def motion = tl_motion_default();
    tl_event_def event = tl_event_default();
    motion.velocity[0] = 2;
    motion.angular_velocity[2] = 1;
    const tl_body drum =
        add_moving(scene, tl_box_default(1, 1, 1), (tl_material){0}, at, tilt, &motion);
    tl_body gone[2]; /* one before, one at the same time */
    event.body_count = 1;
    for (int i = 0; i < 2; i++) {
        gone[i] = add_moving(scene, tl_box_default(1, 1, 1), (tl_material){0}, at, tilt, &motion);
        event.time = i ? 0.5 : 0.3;
        event.bodies = &gone[i];
        assert_ok(tl_scene_add_event(scene, &event));
    }
    add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){50, 0, 0}, (double[3]){0, 0, 0});
    const tl_body all[3] = {gone[0], drum, gone[1]};
    event.kind = TL_EVENT_MOTION;
    event.time = 0.5;
    event.bodies = all;
    event.body_count = 3;
    event.motion.kind = event.motion.rotation = TL_MOTION_EXPRESSION;
    event.motion.expressions[1] = "3 + t^2";
    event.motion.angular_expressions[0] = "1 + 2*t";
    event.motion.pivot[0] = 0.5;
    assert_ok(tl_scene_add_event(scene, &event));
    tl_world *world = world_of(scene);
    step(world, 64);
    double x[3], q[4], start[3], start_q[4], anchor[3];
    position_of(world, drum, start);
    orientation_of(world, drum, start_q);
    assert_near(start[0], at[0] + 1, 1e-12);
    rotate(start_q, 1, event.motion.pivot, anchor);
    for (int n = 1; n <= 100; n++) {
        const double t = n * h;
        double r[4], want[4], turned[3];
        step(world, 1);
        position_of(world, drum, x);
        orientation_of(world, drum, q);
        turn((double[3]){1, 0, 0}, 2 * t, r);
        join(r, start_q, want);
        rotate(r, 1, anchor, turned);
        assert_near(apart(q, want), 0, 1e-12);
        for (int k = 0; k < 3; k++)
            assert_near(x[k], start[k] + (k == 1 ? t * t : 0) + anchor[k] - turned[k], 1e-12);
    }
    tl_world_destroy(world);
}

static void test_changed(void **state)
{
    (void)state;
    for_each_precision(changed);
}

/* A box that rested under spheres and is told to turn before the first step does to them, to the
 * bit, what one does that turns from the start: contacts know that it turns. And back again. */
static void test_told_to_turn(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_motion_def spin = tl_motion_default();
    uint64_t hashes[2];
    spin.angular_velocity[2] = 3;
    for (int told = 0; told < 2; told++) {
        context("%s", told ? "told to turn" : "turns from the start");
        tl_scene *scene = scene_for(&v, h);
        const tl_motion_def rest = tl_motion_default();
        const tl_body box =
            add_moving(scene, tl_box_default(2, 2, 0.1), (tl_material){0}, (double[3]){0, 0, -0.1},
                       (double[4]){1, 0, 0, 0}, told ? &rest : &spin);
        const tl_body ball = add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){1, 0, 0.1},
                                        (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        if (told)
            assert_ok(tl_world_set_motion(world, box, &spin));
        step(world, 40);
        hashes[told] = tl_world_hash(world);
        double u[3];
        velocity_of(world, ball, u);
        assert_above(hypot(u[0], u[1]), 0.5);
        assert_ok(tl_world_set_motion(world, box, &rest));
        step(world, 1);
        spin_of(world, box, u);
        assert_near(norm3(u), 0, 0);
        tl_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* The same bits for any number of threads, and from a snapshot in the middle of it all: a paddle
 * that is spun up, reversed by an event while a snapshot is taken, and moved by expressions. */
static void test_same_bits(void **state)
{
    (void)state;
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        variant v = variant_at(0);
        tl_settings settings = settings_for(&v, 1.0 / 200);
        settings.precision = TL_MIXED;
        settings.solver.iterations = 8;
        settings.threads = run == 1 ? 3 : 1;
        tl_scene *scene = mixer_scene(&settings, 60, 5);
        tl_event_def event = tl_event_default();
        const tl_body paddle = {6, 1};
        event.kind = TL_EVENT_MOTION;
        event.bodies = &paddle;
        event.body_count = 1;
        event.motion.rotation = TL_MOTION_RAMP;
        event.motion.angular_velocity_from[2] = 3;
        event.motion.angular_velocity[2] = -4;
        event.motion.angular_ramp_stop = 0.2;
        event.time = 0.1;
        assert_ok(tl_scene_add_event(scene, &event));
        event.motion.rotation = TL_MOTION_EXPRESSION;
        event.motion.angular_expressions[0] = "0.1*sin(20*t)";
        event.motion.angular_expressions[2] = "-4*t";
        event.motion.pivot[0] = 0.1;
        event.time = 0.35;
        assert_ok(tl_scene_add_event(scene, &event));
        tl_world *world = world_of(scene);
        for (int part = 0; part < 6; part++) {
            void *snapshot = NULL;
            size_t bytes = 0;
            step(world, 23); /* 0.115 s */
            if (run < 2)
                continue;
            assert_ok(tl_world_save(world, &snapshot, &bytes));
            tl_world_destroy(world);
            assert_ok(tl_world_load(snapshot, bytes, &world));
            tl_snapshot_free(snapshot, bytes);
        }
        hashes[run] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hashes[1] == hashes[0]);
    assert_true(hashes[2] == hashes[0]);
}

static tl_world *world_with(const tl_motion_def *motion, tl_body *body)
{
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 0.25);
    add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){50, 0, 0}, (double[3]){0, 0, 0});
    *body = add_moving(scene, tl_box_default(1, 1, 1), (tl_material){0}, at, tilt, motion);
    return world_of(scene);
}

/* What asks for too much stops before the step, with the body's name; the state is the last good
 * one, and the run goes on with another motion. */
static void test_too_much(void **state)
{
    (void)state;
    tl_motion_def motion = tl_motion_default();
    tl_body body;
    double x[3];
    context("no number");
    motion.kind = TL_MOTION_EXPRESSION;
    motion.expressions[1] = "sqrt(1 - t)";
    tl_world *world = world_with(&motion, &body);
    assert_refused(tl_world_step(world, 9, NULL), TL_DIVERGED,
                   "step 5: body 2 has no place at time 1.25 s: its motion's expression \"sqrt(1 - "
                   "t)\" gives nan");
    assert_near(tl_world_time(world), 1, 0);
    position_of(world, body, x);
    assert_near(x[1], at[1], 0);
    assert_status(tl_world_step(world, 1, NULL), TL_DIVERGED);
    motion.expressions[1] = "1/(2 - t)";
    assert_ok(tl_world_set_motion(world, body, &motion));
    assert_refused(tl_world_step(world, 9, NULL), TL_DIVERGED,
                   "step 12: body 2 has no place at time 3 s, t = 2 of its motion: its motion's "
                   "expression \"1/(2 - t)\" gives inf");
    tl_world_destroy(world);

    context("a jump");
    const double times[3] = {0, 1, 1.125}, rows[9] = {0, 0, 0, 0, 0, 0, 1e6, 0, 0};
    motion = tl_motion_default();
    motion.kind = TL_MOTION_TABLE;
    motion.table_length = 3;
    motion.times = times;
    motion.offsets = rows;
    world = world_with(&motion, &body);
    assert_refused(
        tl_world_step(world, 9, NULL), TL_DIVERGED,
        "step 5: body 2 at (1, -2, 3) would move at (4e+06, 0, 0) m/s and (0, 0, 0) rad/s "
        "by its motion; the limit is settings.max_speed = 100000");
    tl_settings settings = tl_world_settings(world);
    settings.max_speed = 1e7; /* is in order: a jump is the motion of one step */
    assert_ok(tl_world_set_settings(world, &settings));
    step(world, 1);
    position_of(world, body, x);
    assert_near(x[0], at[0] + 1e6, 1e-9);
    tl_world_destroy(world);
}

static void test_refusals(void **state)
{
    (void)state;
    tl_motion_def motion = tl_motion_default();
    tl_body body;
    tl_world *world = world_with(&motion, &body);
    const uint64_t before = tl_world_hash(world);
    context("refusals");
    assert_refused(tl_world_set_motion(NULL, body, &motion), TL_BAD_ARGUMENT,
                   "tl_world_set_motion: world is NULL");
    assert_refused(tl_world_set_motion(world, body, NULL), TL_BAD_ARGUMENT,
                   "tl_world_set_motion: motion is NULL");
    assert_refused(tl_world_set_motion(world, (tl_body){9, 1}, &motion), TL_BAD_HANDLE,
                   "tl_world_set_motion: body (index 9, generation 1) is no body of this world");
    assert_refused(tl_world_set_motion(world, (tl_body){1, 1}, &motion), TL_BAD_ARGUMENT,
                   "tl_world_set_motion: body 1 is not prescribed; only such bodies have a motion");
    motion.rotation = TL_MOTION_EXPRESSION;
    motion.angular_expressions[2] = "sin(x)";
    assert_refused(tl_world_set_motion(world, body, &motion), TL_BAD_ARGUMENT,
                   "motion.angular_expressions[2] is sin(x); at byte 4: unknown name 'x', expected "
                   "t, pi or a function; did you mean 't'?");
    motion.angular_expressions[2] = "1/t";
    assert_refused(
        tl_world_set_motion(world, body, &motion), TL_BAD_ARGUMENT,
        "motion.angular_expressions[2] is 1/t; it gives inf at t = 0; it must be finite");
    assert_true(tl_world_hash(world) == before);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followed),     cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_gate),         cmocka_unit_test(test_changed),
        cmocka_unit_test(test_told_to_turn), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_too_much),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
