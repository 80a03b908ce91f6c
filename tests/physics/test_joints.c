/* Joints against exact solutions: pendulums, mechanisms, reactions, chains. */
#include "joints.h"

static double agm(double a, double b)
{
    for (int i = 0; i < 40; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* The time between two passages of the lowest point in the same direction, straight in between. */
static double period_of(tl_world *world, tl_joint joint, double lowest, double h)
{
    double before = state_of(world, joint).value[5] - lowest, first = -1;
    for (int i = 1; i < 100000; i++) {
        step(world, 1);
        const double now = state_of(world, joint).value[5] - lowest;
        if (before < 0 && now >= 0) {
            const double when = (i - now / (now - before)) * h;
            if (first >= 0)
                return when - first;
            first = when;
        }
        before = now;
    }
    return NAN;
}

/* A rod, released at an angle from the vertical. */
static double swing(double h, double amplitude, bool two_hinges, tl_report *report)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, h);
    const double length = 1.0, axis[3] = {0, -1, 0};
    double q[4];
    turn(joint_y, -amplitude, q);
    const double down[3] = {0, 0, -0.5 * length};
    put rod = {.q = {q[0], q[1], q[2], q[3]}};
    rotate(q, 1, down, rod.x);
    rod.body = add_link(scene, 0.05, 0.3, 0.5 * length, 2, rod.x, q);
    const tl_joint joint = join(scene, TL_JOINT_REVOLUTE, ground, rod, 0, -0.3, 0, axis);
    if (two_hinges)
        join(scene, TL_JOINT_REVOLUTE, ground, rod, 0, 0.3, 0, axis);
    tl_world *world = world_of(scene);
    *report = step_report(world, 1);
    /* the frames meet with the rod at its start: the angle counts from there */
    const double period = period_of(world, joint, -amplitude, h);
    tl_world_destroy(world);
    return period;
}

static double swing_exact(double amplitude)
{
    const double inertia = (0.1 * 0.1 + 1) / 12 + 0.25; /* over the mass */
    return 2 * PI * sqrt(inertia / (G * 0.5)) / agm(1, cos(0.5 * amplitude));
}

static void pendulum(void **state)
{
    (void)state;
    tl_report r;
    const double want = swing_exact(1.5);
    const double rough = swing(0.01, 1.5, false, &r) - want;
    const double fine = swing(0.005, 1.5, false, &r) - want;
    static const claim c = {"A rod swings from 86 degrees", "elliptic integral", "period, s",
                            "h = 5 ms"};
    assert_found(&c, "joints", want + fine, want, 1e-4);
    assert_near(rough / fine, 4, 0.5); /* second order */
    assert_int_equal(r.redundant_rows, 0);
}

static void door(void **state)
{
    (void)state;
    tl_report r;
    const double want = swing_exact(1.0), got = swing(0.005, 1.0, true, &r);
    static const claim c = {"A door on two hinges, swinging", "elliptic integral", "period, s",
                            "h = 5 ms, 5 redundant rows"};
    assert_found(&c, "joints", got, want, 1e-4);
    assert_int_equal(r.redundant_rows, 5);
    assert_int_equal(r.articulations, 1);
    assert_int_equal(r.joints, 2);
}

/* Three-dimensional double pendulum on ball joints: energy neither comes nor goes. */
static void double_pendulum(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3;
    tl_scene *scene = scene_for(&v, h);
    const put one = put_link(scene, 0.5, 0.1, 0.05, 1, 0.5, 0, 0);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(0.4, 0.05, 0.1);
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 2;
    def.position[0] = 1.0;
    def.position[1] = 0.4;
    turn(joint_z, 0.5 * PI, def.orientation);
    put two = {.x = {1, 0.4, 0}};
    memcpy(two.q, def.orientation, sizeof two.q);
    two.body = add_body(scene, &def);
    join(scene, TL_JOINT_SPHERICAL, ground, one, 0, 0, 0, joint_z);
    join(scene, TL_JOINT_SPHERICAL, one, two, 1, 0, 0, joint_z);
    tl_world *world = world_of(scene);
    const int second = (int)(1 / h), seconds = is_long() ? 100 : 20;
    double first = 0, last = 0, worst = 0;
    for (int i = 0; i < seconds * second; i++) {
        const tl_report r = step_report(world, 1);
        const double energy = r.kinetic_energy + r.potential_energy;
        if (i < second)
            first += energy / second;
        if (i >= (seconds - 1) * second)
            last += energy / second;
        worst = fmax(worst, r.joint_error);
    }
    static const claim c = {"A double pendulum in space", "conservation of energy",
                            "mean energy of the last second less that of the first, J",
                            "h = 1 ms, scale 30 J"};
    assert_found(&c, "joints", last - first, 0, 0.05);
    assert_below(worst, 1e-8);
    tl_world_destroy(world);
}

/* A crank at constant speed moves a slider: its place is given by geometry. The mechanism is plane,
 * so that rows follow from others. */
static void slider_crank(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3, r = 0.3, l = 1.0, speed = 5;
    tl_scene *scene = scene_for(&v, h);
    const put crank = put_link(scene, 0.5 * r, 0.02, 0.02, 1, 0.5 * r, 0, 0);
    const put rod = put_link(scene, 0.5 * l, 0.02, 0.02, 2, r + 0.5 * l, 0, 0);
    const put slider = put_link(scene, 0.1, 0.1, 0.1, 3, r + l, 0, 0);
    tl_joint_def motor = joint_at(TL_JOINT_REVOLUTE, ground, crank, (double[3]){0, 0, 0}, joint_y);
    motor.axes[5].drive = TL_DRIVE_SPEED;
    motor.axes[5].target.value = speed;
    const tl_joint driven = add_joint(scene, &motor);
    join(scene, TL_JOINT_REVOLUTE, crank, rod, r, 0, 0, joint_y);
    join(scene, TL_JOINT_REVOLUTE, rod, slider, r + l, 0, 0, joint_y);
    join(scene, TL_JOINT_PRISMATIC, ground, slider, r + l, 0, 0, joint_x);
    tl_world *world = world_of(scene);
    double worst = 0, error = 0;
    tl_report report = {0};
    for (int i = 0; i < 2000; i++) {
        double x[3];
        report = step_report(world, 1);
        const double angle = state_of(world, driven).value[5], s = r * sin(angle);
        position_of(world, slider.body, x);
        worst = fmax(worst, fabs(x[0] - (r * cos(angle) + sqrt(l * l - s * s))));
        error = fmax(error, report.joint_error);
    }
    static const claim c = {"A slider-crank, driven at 5 rad/s", "geometry",
                            "largest error of the slider's place, m", "h = 1 ms, 2 s"};
    assert_found(&c, "joints", worst, 0, 1e-8);
    assert_near(state_of(world, driven).value[5], 2.0 * speed, 1e-6);
    assert_below(error, 1e-8);
    assert_int_equal(report.redundant_rows, 3);
    tl_world_destroy(world);
}

/* A four-bar linkage: where two circles meet. */
static void four_bar(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3, d = 2, a = 0.5, b = 1.8, c = 1.2;
    tl_scene *scene = scene_for(&v, h);
    /* crank along x at the start; coupler from (a, 0) to p; rocker from (d, 0) to p */
    const double base = d - a, along = (base * base + b * b - c * c) / (2 * base);
    const double p[3] = {a + along, 0, sqrt(b * b - along * along)};
    const put crank = put_link(scene, 0.5 * a, 0.02, 0.02, 1, 0.5 * a, 0, 0);
    put coupler = {.x = {0.5 * (a + p[0]), 0, 0.5 * p[2]}};
    turn(joint_y, -atan2(p[2], p[0] - a), coupler.q);
    coupler.body = add_link(scene, 0.5 * b, 0.02, 0.02, 1, coupler.x, coupler.q);
    put rocker = {.x = {0.5 * (d + p[0]), 0, 0.5 * p[2]}};
    turn(joint_y, -atan2(p[2], p[0] - d), rocker.q);
    rocker.body = add_link(scene, 0.5 * c, 0.02, 0.02, 1, rocker.x, rocker.q);
    const double axis[3] = {0, -1, 0};
    tl_joint_def motor = joint_at(TL_JOINT_REVOLUTE, ground, crank, (double[3]){0, 0, 0}, axis);
    motor.axes[5].drive = TL_DRIVE_SPEED;
    motor.axes[5].target.value = 3;
    const tl_joint driven = add_joint(scene, &motor);
    join(scene, TL_JOINT_REVOLUTE, crank, coupler, a, 0, 0, axis);
    join(scene, TL_JOINT_REVOLUTE, coupler, rocker, p[0], 0, p[2], axis);
    join(scene, TL_JOINT_REVOLUTE, ground, rocker, d, 0, 0, axis);
    tl_world *world = world_of(scene);
    double worst = 0;
    tl_report report = {0};
    for (int i = 0; i < 4000; i++) {
        double x[3];
        report = step_report(world, 1);
        const double angle = state_of(world, driven).value[5];
        const double tip[2] = {a * cos(angle), a * sin(angle)};
        const double to[2] = {d - tip[0], -tip[1]}, far = hypot(to[0], to[1]);
        const double way = (far * far + b * b - c * c) / (2 * far);
        const double side = sqrt(b * b - way * way);
        const double meet[2] = {tip[0] + (way * to[0] - side * to[1]) / far,
                                tip[1] + (way * to[1] + side * to[0]) / far};
        position_of(world, rocker.body, x);
        worst = fmax(worst, hypot(x[0] - 0.5 * (d + meet[0]), x[2] - 0.5 * meet[1]));
    }
    static const claim claimed = {"A four-bar linkage, driven at 3 rad/s", "geometry",
                                  "largest error of the rocker's place, m", "h = 1 ms, 4 s"};
    assert_found(&claimed, "joints", worst, 0, 1e-8);
    assert_int_equal(report.redundant_rows, 3);
    tl_world_destroy(world);
}

/* What a weld to a wall carries. */
static void cantilever(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 0.01);
    const put beam = put_link(scene, 1, 0.1, 0.1, 7, 1, 0, 0);
    const tl_joint weld = join(scene, TL_JOINT_FIXED, ground, beam, 0, 0, 0, joint_x);
    tl_world *world = world_of(scene);
    step(world, 10);
    const tl_joint_state s = state_of(world, weld);
    static const claim force = {"A beam welded to a wall", "its weight", "force, N", "h = 10 ms"};
    static const claim moment = {"A beam welded to a wall", "its weight times its arm",
                                 "moment, N m", "h = 10 ms"};
    assert_found(&force, "joints", s.force[2], 7 * G, 1e-8);
    assert_found(&moment, "joints", s.torque[1], -7 * G, 1e-8); /* about y: z down at x > 0 is + */
    assert_near(s.local_force[0] * s.local_force[0] + s.local_force[1] * s.local_force[1] +
                    s.local_force[2] * s.local_force[2],
                49 * G * G, 1e-6);
    tl_world_destroy(world);
}

/* A top with its axle level on a ball joint goes round: m g r = I spin rate. */
static void top(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 5e-4, spin = 200, r = 0.2;
    tl_scene *scene = scene_for(&v, h);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_cylinder_default(0.1, 0.02);
    shape.mask = 0;
    turn(joint_y, 0.5 * PI, shape.orientation);
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 1;
    def.position[0] = r;
    const double rate = G * r / (0.5 * 0.01 * spin);
    def.angular_velocity[0] = spin;
    def.angular_velocity[2] = rate;
    def.velocity[1] = rate * r;
    put wheel = {.x = {r, 0, 0}, .q = {1, 0, 0, 0}};
    wheel.body = add_body(scene, &def);
    join(scene, TL_JOINT_SPHERICAL, ground, wheel, 0, 0, 0, joint_z);
    tl_world *world = world_of(scene);
    double x[3];
    step(world, (uint32_t)(0.5 / h));
    position_of(world, wheel.body, x);
    static const claim c = {"A top with a level axle", "m g r = I spin rate", "azimuth, rad",
                            "h = 0.5 ms, 0.5 s"};
    assert_found(&c, "joints", atan2(x[1], x[0]), 0.5 * rate, 1e-3);
    assert_near(x[2], 0, 1e-3);
    tl_world_destroy(world);
}

/* Two weights on a rope over a pulley. */
static void atwood(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double h = 1e-3;
    tl_scene *scene = scene_for(&v, h);
    const put one = put_link(scene, 0.1, 0.1, 0.1, 1, -1, 0, 0);
    const put two = put_link(scene, 0.1, 0.1, 0.1, 3, 1, 0, 0);
    tl_joint_def rope = tl_joint_default(TL_JOINT_PULLEY);
    rope.a = one.body;
    rope.b = two.body;
    rope.anchors[0][0] = -1;
    rope.anchors[1][0] = 1;
    rope.anchors[0][2] = rope.anchors[1][2] = 5;
    rope.rope = true;
    const tl_joint joint = add_joint(scene, &rope);
    tl_world *world = world_of(scene);
    double u[3];
    step(world, 500);
    velocity_of(world, two.body, u);
    static const claim c = {"Two weights over a pulley, 1 and 3 kg", "Atwood", "speed, m/s",
                            "h = 1 ms, 0.5 s"};
    assert_found(&c, "joints", u[2], -0.5 * 0.5 * G, 1e-6);
    assert_near(norm3(state_of(world, joint).force), 1.5 * G, 1e-6);
    tl_world_destroy(world);
}

/* Gears, racks and screws keep their ratios. */
static void ratios(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 1e-3);
    set_gravity(scene, 0, 0, 0);
    const put one = put_link(scene, 0.2, 0.2, 0.1, 1, 0, 0, 0);
    const put two = put_link(scene, 0.4, 0.4, 0.1, 3, 1, 0, 0);
    const put bar = put_link(scene, 1, 0.1, 0.1, 2, 0, 1, 0);
    const put nut = put_link(scene, 0.2, 0.2, 0.2, 2, 5, 0, 0);
    tl_joint_def wheel = joint_at(TL_JOINT_REVOLUTE, ground, one, one.x, joint_z);
    wheel.axes[5].drive = TL_DRIVE_FORCE;
    wheel.axes[5].target.value = 1;
    const tl_joint first = add_joint(scene, &wheel);
    const tl_joint second = join(scene, TL_JOINT_REVOLUTE, ground, two, 1, 0, 0, joint_z);
    const tl_joint slide = join(scene, TL_JOINT_PRISMATIC, ground, bar, 0, 1, 0, joint_x);
    tl_joint_def gear = tl_joint_default(TL_JOINT_GEAR);
    gear.coupled[0] = first;
    gear.coupled[1] = second;
    gear.ratio = -0.5;
    add_joint(scene, &gear);
    tl_joint_def rack = tl_joint_default(TL_JOINT_RACK);
    rack.coupled[0] = first;
    rack.coupled[1] = slide;
    rack.ratio = 0.2;
    const tl_joint racked = add_joint(scene, &rack);
    tl_joint_def screw = joint_at(TL_JOINT_SCREW, ground, nut, nut.x, joint_z);
    screw.ratio = 0.01;
    screw.axes[5].drive = TL_DRIVE_SPEED;
    screw.axes[5].target.value = 40;
    const tl_joint screwed = add_joint(scene, &screw);
    tl_world *world = world_of(scene);
    step(world, 2000);
    const double angle = state_of(world, first).value[5];
    /* the torque turns both wheels and moves the bar */
    const double inertia = (0.16 + 0.16) / 12 + 0.25 * 3 * (0.64 + 0.64) / 12 + 2 * 0.04;
    const tl_joint_state s = state_of(world, screwed);
    static const claim c = {"Wheels and rack, torque 1 N m", "reduced inertia",
                            "angle after 2 s, rad", "h = 1 ms"};
    assert_found(&c, "joints", angle, 0.5 * 1.0 / inertia * 2.0 * 2.001, 1e-6);
    assert_above(angle, 2 * PI); /* turns are counted */
    assert_near(state_of(world, second).value[5], -0.5 * angle, 1e-9);
    assert_near(state_of(world, slide).value[2], 0.2 * angle, 1e-9);
    assert_near(s.value[5], 80, 1e-9);
    assert_near(s.value[2], 0.8, 1e-9);
    assert_near(fabs(state_of(world, racked).force[0]), 2 * 0.2 * 1.0 / inertia, 1e-6);
    tl_world_destroy(world);
}

/* A chain that holds a weight a million times that of a link, swinging. */
static void heavy(void **state)
{
    (void)state;
    const variant v = joint_variant();
    enum { LINKS = 20 };
    const double mass = 1e6;
    tl_scene *scene = scene_for(&v, 0.005);
    put before = ground;
    double q[4];
    turn(joint_y, 0.5, q);
    for (int i = 0; i < LINKS; i++) {
        const double middle[3] = {0, 0, -(i + 0.5)}, end[3] = {0, 0, -i};
        double at[3];
        put link;
        rotate(q, 1, middle, link.x);
        rotate(q, 1, end, at);
        memcpy(link.q, q, sizeof q);
        link.body = add_link(scene, 0.1, 0.1, 0.45, i + 1 < LINKS ? 1 : mass, link.x, q);
        join(scene, TL_JOINT_SPHERICAL, before, link, at[0], at[1], at[2], joint_z);
        before = link;
    }
    tl_world *world = world_of(scene);
    double error = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 2000; i++) {
        const tl_report r = step_report(world, 1);
        const double energy = (r.kinetic_energy + r.potential_energy) / mass;
        error = fmax(error, r.joint_error);
        least = fmin(least, energy);
        most = fmax(most, energy);
    }
    static const claim c = {"A chain of 19 links with a weight of 10^6 at its end swings",
                            "joints hold", "largest joint error, m", "h = 5 ms, 10 s"};
    static const claim e = {"A chain of 19 links with a weight of 10^6 at its end swings",
                            "conservation of energy", "spread of the energy, over 170 J per kg",
                            "h = 5 ms, 10 s"};
    assert_found(&c, "joints", error, 0, 1e-8);
    assert_found(&e, "joints", (most - least) / 170, 0, 1e-3);
    tl_world_destroy(world);
}

/* Links of 0.1 g hold 100 kg, which swings from a third of a right angle below the horizon: taut
 * all the time. Returns the largest joint error; what energy comes and goes stays small. */
static double swing_load(tl_joint_kind kind, double h)
{
    enum { LINKS = 20 };
    const variant v = joint_variant();
    const double load = 100;
    tl_scene *scene = scene_for(&v, h);
    put before = ground;
    double q[4], error = 0, least = INFINITY, most = -INFINITY;
    turn(joint_y, 0.6, q);
    for (int i = 0; i <= LINKS; i++) {
        const double end[3] = {0.1 * i, 0, 0};
        const double middle[3] = {end[0] + (i < LINKS ? 0.05 : 0.3), 0, 0};
        double at[3];
        put link;
        rotate(q, 1, middle, link.x);
        rotate(q, 1, end, at);
        memcpy(link.q, q, sizeof q);
        link.body = i < LINKS ? add_link(scene, 0.045, 0.01, 0.01, 1e-6 * load, link.x, q)
                              : add_link(scene, 0.3, 0.3, 0.3, load, link.x, q);
        join(scene, kind, before, link, at[0], at[1], at[2], joint_y);
        before = link;
    }
    tl_world *world = world_of(scene);
    for (int i = 0; i < (int)(4 / h); i++) {
        const tl_report r = step_report(world, 1);
        const double energy = (r.kinetic_energy + r.potential_energy) / load;
        error = fmax(error, r.joint_error);
        least = fmin(least, energy);
        most = fmax(most, energy);
    }
    assert_below(most - least, 22 * h); /* J/kg, of 10 that turn into each other */
    tl_world_destroy(world);
    return error;
}

static void light(void **state)
{
    (void)state;
    static const claim c = {"20 links of 0.1 g hold 100 kg that swings", "joints hold",
                            "largest joint error, m", "h = 1 ms, 4 s"};
    assert_found(&c, "joints", swing_load(TL_JOINT_SPHERICAL, 1e-3), 0, 1e-8);
    assert_below(swing_load(TL_JOINT_SPHERICAL, 2e-3), 1e-8);
    assert_below(swing_load(TL_JOINT_REVOLUTE, 2e-3), 1e-8);
}

/* Boxes on ball joints between two fixed points, an arc at the start. */
static double hang(int links, double length, uint32_t steps, double *error)
{
    const variant v = joint_variant();
    tl_settings settings = settings_for(&v, 1.0 / 200);
    settings.max_speed = 1e6;
    tl_scene *scene = scene_with(&settings);
    double low = 0.1, high = 3;
    for (int i = 0; i < 200; i++) {
        const double a = 0.5 * (low + high);
        *(sin(a) / (links * sin(a / links)) > 0.9 ? &low : &high) = a;
    }
    const double radius = length / (2 * sin(low / links));
    put before = ground;
    tl_body *bodies = malloc((size_t)links * sizeof *bodies);
    assert_non_null(bodies);
    double x0 = 0, z0 = 0, x1 = 0, z1 = 0;
    for (int i = 0; i <= links; i++, x0 = x1, z0 = z1) {
        const double angle = -low + 2 * low * i / links;
        x1 = radius * sin(angle);
        z1 = radius * (cos(low) - cos(angle));
        if (i == 0)
            continue;
        put link = {.x = {0.5 * (x0 + x1), 0, 0.5 * (z0 + z1)}};
        turn(joint_y, -atan2(z1 - z0, x1 - x0), link.q);
        link.body = add_link(scene, 0.45 * length, 0.05 * length, 0.05 * length, 1, link.x, link.q);
        bodies[i - 1] = link.body;
        join(scene, TL_JOINT_SPHERICAL, before, link, x0, 0, z0, joint_z);
        before = link;
    }
    join(scene, TL_JOINT_SPHERICAL, before, ground, x1, 0, z1, joint_z);
    tl_world *world = world_of(scene);
    *error = 0;
    for (uint32_t i = 0; i < steps; i++)
        *error = fmax(*error, step_report(world, 1).joint_error);
    double lowest = 0;
    for (int i = 0; i < links; i++) {
        double x[3];
        position_of(world, bodies[i], x);
        lowest = fmin(lowest, x[2]);
    }
    free(bodies);
    tl_world_destroy(world);
    return lowest;
}

static void chain(void **state)
{
    (void)state;
    double error;
    static const claim sag = {"A chain of 1,000 links of 1 m falls between its ends",
                              "sparse direct solver of the same scheme", "sag after 2 s, m",
                              "h = 5 ms"};
    static const claim off = {"A chain of 1,000 links of 1 m falls between its ends", "joints hold",
                              "largest joint error, m", "h = 5 ms, 2 s"};
    static const claim taut = {"The same with links of 0.2 m, stiffer than the step", "joints hold",
                               "largest joint error, m", "h = 5 ms, 2 s"};
    assert_found(&sag, "joints", hang(1000, 1, 400, &error), -189.47, 0.01);
    assert_found(&off, "joints", error, 0, 1e-7);
    hang(1000, 0.2, 400, &error);
    assert_found(&taut, "joints", error, 0, 1e-7);
}

/* A beam, hinged at one end, lies on the floor with the other: contacts and joints share its
 * weight. */
static void leaning(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, 0.005);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(0.1), bar = tl_box_default(1, 0.05, 0.05);
    ball.material = bar.material = material;
    ball.position[0] = 1;
    bar.mask = 0;
    const tl_shape_def shapes[2] = {bar, ball};
    def.shape_count = 2;
    def.shapes = shapes;
    def.position[2] = 0.1;
    put beam = {.x = {0, 0, 0.1}, .q = {1, 0, 0, 0}};
    beam.body = add_body(scene, &def);
    const tl_joint hinge = join(scene, TL_JOINT_REVOLUTE, ground, beam, -1, 0, 0.1, joint_y);
    tl_world *world = world_of(scene);
    tl_report r = step_report(world, 200);
    double mass, x[3];
    assert_ok(tl_world_read_masses(world, 1, &beam.body, &mass));
    position_of(world, beam.body, x);
    const double carried = state_of(world, hinge).force[2];
    tl_contact contact;
    assert_int_equal(r.contacts, 1);
    assert_ok(tl_world_read_contacts(world, 1, &contact));
    const double load = fabs(contact.impulse[2]) / 0.005;
    static const claim c = {"A beam, hinged at one end, rests on the floor", "balance of forces",
                            "hinge and floor less the weight, over the weight", "h = 5 ms"};
    assert_found(&c, "joints", (carried + load) / (mass * G) - 1, 0, 1e-6);
    assert_above(load, 0.4 * mass * G);
    assert_below(r.joint_error, 1e-8);
    assert_below(r.residual, 1e-5);
    tl_world_destroy(world);
}

/* Three links of a hundredth of a millimetre hold as well, for their size, as links of a metre do.
 */
static void small(void **state)
{
    (void)state;
    const variant v = joint_variant();
    const double length = 1e-5;
    tl_scene *scene = scene_for(&v, 1e-5);
    put before = ground;
    for (int i = 0; i < 3; i++) {
        const put link = put_link(scene, 0.4 * length, 0.1 * length, 0.1 * length, 1e-9,
                                  (i + 0.5) * length, 0, 0);
        join(scene, TL_JOINT_SPHERICAL, before, link, i * length, 0, 0, joint_z);
        before = link;
    }
    tl_world *world = world_of(scene);
    double error = 0;
    for (int i = 0; i < 500; i++)
        error = fmax(error, step_report(world, 1).joint_error);
    tl_world_destroy(world);
    assert_below(error, 1e-8 * length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),        cmocka_unit_test(pendulum),
        cmocka_unit_test(door),         cmocka_unit_test(double_pendulum),
        cmocka_unit_test(slider_crank), cmocka_unit_test(four_bar),
        cmocka_unit_test(cantilever),   cmocka_unit_test(top),
        cmocka_unit_test(atwood),       cmocka_unit_test(ratios),
        cmocka_unit_test(heavy),        cmocka_unit_test(light),
        cmocka_unit_test(chain),        cmocka_unit_test(leaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
