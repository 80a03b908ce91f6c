/* labels: slow */
/* Machines of many joints: a four-bar that runs freely, and a rope over a drum. */
#include "joints.h"

/* --- a free four-bar ------------------------------------------------------------------------- */

/* Links in the plane of x and z: ground from (0, 0) to (D, 0), crank A, coupler B, rocker C. */
#define D     2.0
#define A     0.5
#define B     1.8
#define C     1.2
#define WIDTH 0.04

/* Where the middles of crank, coupler and rocker are and how these are turned, by the crank. */
static void four_bar_at(double angle, double x[3][3])
{
    const double tip[2] = {A * cos(angle), A * sin(angle)};
    const double to[2] = {D - tip[0], -tip[1]}, far = hypot(to[0], to[1]);
    const double way = (far * far + B * B - C * C) / (2 * far), side = sqrt(B * B - way * way);
    const double meet[2] = {tip[0] + (way * to[0] - side * to[1]) / far,
                            tip[1] + (way * to[1] + side * to[0]) / far};
    const double all[3][3] = {{0.5 * tip[0], 0.5 * tip[1], angle},
                              {0.5 * (tip[0] + meet[0]), 0.5 * (tip[1] + meet[1]),
                               atan2(meet[1] - tip[1], meet[0] - tip[0])},
                              {0.5 * (D + meet[0]), 0.5 * meet[1], atan2(meet[1], meet[0] - D)}};
    memcpy(x, all, sizeof all);
}

static const double bar_length[3] = {A, B, C}, bar_mass[3] = {1, 2, 1.5};

/* Inertia as the crank feels it, and the potential energy. */
static double reduced(double angle, double *potential)
{
    const double d = 1e-5;
    double before[3][3], after[3][3], here[3][3], sum = 0;
    four_bar_at(angle - d, before);
    four_bar_at(angle + d, after);
    four_bar_at(angle, here);
    *potential = 0;
    for (int i = 0; i < 3; i++) {
        const double u = (after[i][0] - before[i][0]) / (2 * d);
        const double w = (after[i][1] - before[i][1]) / (2 * d);
        const double r = remainder(after[i][2] - before[i][2], 2 * PI) / (2 * d);
        sum += bar_mass[i] *
               (u * u + w * w + (bar_length[i] * bar_length[i] + WIDTH * WIDTH) / 12 * r * r);
        *potential += bar_mass[i] * G * here[i][1];
    }
    return sum;
}

/* The rate of the crank, by the energy that the machine has. */
static double rate_at(double angle, double energy)
{
    double potential;
    const double inertia = reduced(angle, &potential);
    return sqrt(2 * (energy - potential) / inertia);
}

/* The crank after a time, by Runge and Kutta's method of the fourth order. */
static double crank_after(double time, double energy)
{
    const int steps = 20000;
    const double h = time / steps;
    double angle = 0;
    for (int i = 0; i < steps; i++) {
        const double a = rate_at(angle, energy), b = rate_at(angle + 0.5 * h * a, energy);
        const double c = rate_at(angle + 0.5 * h * b, energy), d = rate_at(angle + h * c, energy);
        angle += h * (a + 2 * b + 2 * c + d) / 6;
    }
    return angle;
}

static tl_world *free_four_bar(double h, double rate, tl_joint *crank, tl_body bars[3])
{
    const variant v = joint_variant();
    const double axis[3] = {0, -1, 0}, d = 1e-6;
    tl_scene *scene = scene_for(&v, h);
    double x[3][3], later[3][3];
    put link[3];
    four_bar_at(0, x);
    four_bar_at(d, later);
    for (int i = 0; i < 3; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_box_default(0.5 * bar_length[i], 0.5 * WIDTH, 0.5 * WIDTH);
        shape.mask = 0;
        def.mass = bar_mass[i];
        def.shape_count = 1;
        def.shapes = &shape;
        def.position[0] = x[i][0];
        def.position[2] = x[i][1];
        turn(axis, x[i][2], def.orientation);
        def.velocity[0] = rate * (later[i][0] - x[i][0]) / d;
        def.velocity[2] = rate * (later[i][1] - x[i][1]) / d;
        def.angular_velocity[1] = -rate * (later[i][2] - x[i][2]) / d;
        link[i] = (put){.x = {x[i][0], 0, x[i][1]}};
        memcpy(link[i].q, def.orientation, sizeof link[i].q);
        bars[i] = link[i].body = add_body(scene, &def);
    }
    const double meet[2] = {2 * x[2][0] - D, 2 * x[2][1]};
    *crank = join(scene, TL_JOINT_REVOLUTE, ground, link[0], 0, 0, 0, axis);
    join(scene, TL_JOINT_REVOLUTE, link[0], link[1], A, 0, 0, axis);
    join(scene, TL_JOINT_REVOLUTE, link[1], link[2], meet[0], 0, meet[1], axis);
    join(scene, TL_JOINT_REVOLUTE, ground, link[2], D, 0, 0, axis);
    return world_of(scene);
}

/* The crank's angle after a time; the energy's drift and the rocker's place are checked. */
static double run_four_bar(double h, double time, double rate)
{
    tl_joint crank;
    tl_body bars[3];
    tl_world *world = free_four_bar(h, rate, &crank, bars);
    double first = 0, most = 0, off = 0, dead = 0;
    for (int i = 0; i < (int)(time / h + 0.5); i++) {
        const tl_report r = step_report(world, 1);
        const double energy = r.kinetic_energy + r.potential_energy;
        const double angle = state_of(world, crank).value[5];
        double x[3][3], at[3], u[3];
        if (i == 0)
            first = energy;
        most = fmax(most, fabs(energy - first));
        four_bar_at(angle, x);
        position_of(world, bars[2], at);
        velocity_of(world, bars[2], u);
        off = fmax(off, hypot(at[0] - x[2][0], at[2] - x[2][1]));
        /* crank and coupler in a line: the rocker turns back */
        dead += fabs(sin(x[0][2] - x[1][2])) < 0.01;
        assert_int_equal(r.redundant_rows, 3);
        assert_below(r.joint_error, 1e-8);
    }
    assert_above(dead, 3);
    static const claim place = {"A free four-bar through its dead points", "geometry",
                                "largest error of the rocker's place, m", "4 s"};
    static const claim kept = {"A free four-bar through its dead points", "conservation of energy",
                               "largest change, of 60 J", "h = 0.5 ms, 4 s"};
    assert_near(off, 0, 1e-8);
    if (h < 0.6e-3) {
        assert_found(&place, "joints", off, 0, 1e-8);
        assert_found(&kept, "joints", most, 0, 0.6);
    }
    const double angle = state_of(world, crank).value[5];
    tl_world_destroy(world);
    return angle;
}

static void free_linkage(void **state)
{
    (void)state;
    const double rate = 9, time = 4;
    double potential;
    const double inertia = reduced(0, &potential);
    const double want = crank_after(time, potential + 0.5 * inertia * rate * rate);
    const double rough = run_four_bar(1e-3, time, rate) - want;
    const double fine = run_four_bar(5e-4, time, rate) - want;
    static const claim c = {"A free four-bar through its dead points",
                            "reduced equation of motion, integrated",
                            "angle of the crank after 4 s, rad", "h = 0.5 ms"};
    assert_found(&c, "joints", want + fine, want, 0.05);
    assert_below(fabs(fine), 0.7 * fabs(rough));
    assert_above(want, 4 * PI);
}

/* --- a rope over a drum ---------------------------------------------------------------------- */

#define LINKS 60 /* of the part that lies on the drum */
#define TAIL  6  /* straight down from it, on each side */

/* A drum of hulls turns under a rope, which is held at one end and loaded at
 * the other. */
typedef struct hoist {
    tl_world *world;
    tl_joint holds, drum, load;
    double radius; /* of the drum */
} hoist;

#define WEDGES 12
#define SIDES  15 /* of a wedge, on the drum's surface */

/* A wedge of a drum about y, whose sides touch the radius at their middles. */
static tl_geometry wedge(tl_scene *scene, int which, double radius, double half)
{
    const double out = radius / cos(PI / (WEDGES * SIDES));
    double x[2 * (SIDES + 2)][3] = {{0}};
    tl_geometry geometry = {0};
    for (int i = 0; i < 2 * (SIDES + 2); i++) {
        const double angle = 2 * PI * (which * SIDES + i / 2) / (WEDGES * SIDES);
        const bool middle = i / 2 == SIDES + 1;
        x[i][0] = middle ? 0 : out * cos(angle);
        x[i][1] = i % 2 ? half : -half;
        x[i][2] = middle ? 0 : out * sin(angle);
    }
    assert_ok(tl_scene_add_hull(scene, 2 * (SIDES + 2), &x[0][0], &geometry));
    return geometry;
}

/* A link of the rope from p to q in the plane of x and z: a small ball at its middle touches. */
static put rope_link(tl_scene *scene, tl_material material, const double p[2], const double q[2],
                     double mass, double radius)
{
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(radius), bar = tl_box_default(1, 1, 1);
    put made = {.x = {0.5 * (p[0] + q[0]), 0, 0.5 * (p[1] + q[1])}};
    const double half = 0.5 * hypot(q[0] - p[0], q[1] - p[1]);
    ball.material = material;
    bar = tl_box_default(half, 0.2 * half, 0.2 * half);
    bar.mask = 0;
    const tl_shape_def shapes[2] = {bar, ball};
    def.mass = mass;
    def.shape_count = 2;
    def.shapes = shapes;
    memcpy(def.position, made.x, sizeof def.position);
    turn(joint_y, -atan2(q[1] - p[1], q[0] - p[0]), def.orientation);
    memcpy(made.q, def.orientation, sizeof made.q);
    made.body = add_body(scene, &def);
    return made;
}

static hoist make_hoist(double friction, double speed, double load)
{
    const variant v = joint_variant();
    const double radius = 0.5, ball = 0.004, reach = radius + ball;
    const double axis[3] = {0, -1, 0}, piece = PI * reach / LINKS;
    tl_settings settings = settings_for(&v, 1e-3);
    hoist h = {.radius = radius};
    settings.solver.iterations = 200;
    memset(settings.gravity, 0, sizeof settings.gravity);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, friction, 0);
    tl_body_def wheel = tl_body_default();
    tl_shape_def hulls[WEDGES];
    for (int i = 0; i < WEDGES; i++) {
        hulls[i] = tl_hull_default(wedge(scene, i, radius, 0.05));
        hulls[i].material = material;
    }
    wheel.mass = 10;
    wheel.shape_count = WEDGES;
    wheel.shapes = hulls;
    put drum = {.q = {1, 0, 0, 0}};
    drum.body = add_body(scene, &wheel);
    tl_joint_def turns = joint_at(TL_JOINT_REVOLUTE, ground, drum, drum.x, axis);
    turns.axes[5].drive = TL_DRIVE_SPEED;
    turns.axes[5].target.value = speed;
    h.drum = add_joint(scene, &turns);
    /* vertices of the rope: up from the anchor at x = reach, over the drum, down to the load */
    put before = ground;
    double p[2] = {reach, -TAIL * piece};
    for (int i = 0; i < LINKS + 2 * TAIL; i++) {
        const double angle = PI * (i + 1 - TAIL) / LINKS, out = reach / cos(0.5 * PI / LINKS);
        double q[2] = {reach, (i + 1 - TAIL) * piece};
        if (i >= TAIL) {
            /* sides touch at their middles: corners lie a little further out */
            q[0] = out * cos(angle - 0.5 * PI / LINKS);
            q[1] = out * sin(angle - 0.5 * PI / LINKS);
        }
        if (i >= TAIL + LINKS) {
            q[0] = -reach;
            q[1] = -(i + 1 - TAIL - LINKS) * piece;
        }
        const bool last = i + 1 == LINKS + 2 * TAIL;
        const put link = rope_link(scene, material, p, q, 0.02, ball);
        const tl_joint joint = join(scene, TL_JOINT_REVOLUTE, before, link, p[0], 0, p[1], axis);
        if (i == 0)
            h.holds = joint;
        if (last) { /* a force that pulls the end, whatever the rope weighs */
            tl_joint_def pull = joint_at(TL_JOINT_PRISMATIC, ground, link, link.x, joint_z);
            pull.axes[2].drive = TL_DRIVE_FORCE;
            pull.axes[2].target.value = -load;
            add_joint(scene, &pull);
            h.load = joint;
        }
        before = link;
        memcpy(p, q, sizeof p);
    }
    h.world = world_of(scene);
    return h;
}

/* The drum drags the rope towards the load or away from it: the end that it is dragged from is held
 * by more than the other. */
static double capstan_at(double friction, double speed)
{
    const double load = 20;
    hoist h = make_hoist(friction, speed, load);
    double held = 0, torque = 0, hangs = 0;
    const int settle = 200, mean = 200;
    for (int i = 0; i < settle + mean; i++) {
        const tl_report r = step_report(h.world, 1);
        assert_below(r.joint_error, 1e-8);
        if (i < settle)
            continue;
        held += norm3(state_of(h.world, h.holds).force) / mean;
        hangs += norm3(state_of(h.world, h.load).force) / mean;
        torque += state_of(h.world, h.drum).motor[5] / mean;
    }
    assert_near(hangs, load, 0.01 * load);
    assert_near(torque, (held - hangs) * h.radius, 0.02 * fabs(torque)); /* the rope is thick */
    tl_world_destroy(h.world);
    return speed > 0 ? held / hangs : hangs / held;
}

static void capstan(void **state)
{
    (void)state;
    static const claim up = {"A rope half round a drum of hulls, friction 0.2", "e^(mu phi)",
                             "ratio of tensions", "h = 1 ms, drum turns at 0.5 rad/s"};
    static const claim down = {"A rope half round a drum of hulls, friction 0.4", "e^(mu phi)",
                               "ratio of tensions", "h = 1 ms, drum turns at -0.5 rad/s"};
    assert_found(&up, "joints", capstan_at(0.2, 0.5), exp(0.2 * PI), 0.02 * exp(0.2 * PI));
    assert_found(&down, "joints", capstan_at(0.4, -0.5), exp(0.4 * PI), 0.02 * exp(0.4 * PI));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_linkage), cmocka_unit_test(capstan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
