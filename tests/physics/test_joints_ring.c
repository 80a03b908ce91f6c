/* labels: slow */
/* Closed rings of pins. Each is planar in space, so three of its rows follow from the others. What
 * pulls at the links of a ring that runs along itself is m v^2 per length, whatever its shape. */
#include "joints.h"

#define LINKS 60
#define MASS  0.34 /* kg, of a link */
#define PIN   0.02 /* m, the radius of what runs on wheels */

typedef struct ring {
    tl_body link[LINKS];
    tl_joint pin[LINKS];
    double pitch;   /* m */
    double axis[3]; /* of its pins */
} ring;

/* A vector turned by q, in place. */
static void turn_by(const double q[4], double v[3])
{
    double out[3];
    rotate(q, 1, v, out);
    memcpy(v, out, sizeof out);
}

/* The turn by p, then by q, in place of p. */
static void turn_on(const double q[4], double p[4])
{
    double c[3];
    cross3(q + 1, p + 1, c);
    const double out[4] = {q[0] * p[0] - dot3(q + 1, p + 1), q[0] * p[1] + p[0] * q[1] + c[0],
                           q[0] * p[2] + p[0] * q[2] + c[1], q[0] * p[3] + p[0] * q[3] + c[2]};
    memcpy(p, out, sizeof out);
}

/* The point at a length along two straights and two halves of a circle, in the plane of x and z. */
static void ring_at(double radius, double straight, double s, double at[2])
{
    const double half = straight + PI * radius, side = s < half ? 1 : -1;
    const double along = s < half ? s : s - half;
    const double angle = fmax(along - straight, 0) / radius - 0.5 * PI;
    at[0] = side * (fmin(along, straight) - 0.5 * straight + radius * cos(angle));
    at[1] = side * radius * sin(angle);
}

/* A ring that runs at a speed, and falls at another, as it was in the plane of x and z turned by q.
 * The first of LINKS pins is where the first straight begins. */
static ring add_ring(tl_scene *scene, tl_material material, double radius, double straight,
                     double speed, double fall, const double q[4])
{
    const double axis[3] = {0, -1, 0}, whole = 2 * (straight + PI * radius), d = 1e-6;
    ring out = {.pitch = whole / LINKS, .axis = {0, -1, 0}};
    put link[LINKS];
    double at[LINKS + 1][2], later[LINKS + 1][2];
    for (int i = 0; i < LINKS; i++) {
        ring_at(radius, straight, i * out.pitch, at[i]);
        ring_at(radius, straight, i * out.pitch + d, later[i]);
    }
    memcpy(at[LINKS], at[0], sizeof at[0]);
    memcpy(later[LINKS], later[0], sizeof later[0]);
    for (int i = 0; i < LINKS; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shapes[2] = {tl_box_default(0.4 * out.pitch, 0.15, 0.01),
                                  tl_cylinder_default(PIN, 0.15)};
        const double x = at[i + 1][0] - at[i][0], z = at[i + 1][1] - at[i][1];
        const double was = atan2(z, x),
                     is = atan2(later[i + 1][1] - later[i][1], later[i + 1][0] - later[i][0]);
        shapes[0].mask = 0;
        shapes[1].material = material;
        shapes[1].group = 2;
        shapes[1].mask = 1; /* wheels alone */
        shapes[1].position[0] = -0.5 * hypot(x, z);
        turn(joint_x, 0.5 * PI, shapes[1].orientation);
        def.mass = MASS;
        def.shapes = shapes;
        def.shape_count = 2;
        def.position[0] = 0.5 * (at[i][0] + at[i + 1][0]);
        def.position[2] = 0.5 * (at[i][1] + at[i + 1][1]);
        def.velocity[0] = speed * (later[i][0] + later[i + 1][0] - at[i][0] - at[i + 1][0]) / 2 / d;
        def.velocity[2] = speed * (later[i][1] + later[i + 1][1] - at[i][1] - at[i + 1][1]) / 2 / d;
        def.angular_velocity[1] = -speed * remainder(is - was, 2 * PI) / d;
        turn(axis, was, def.orientation);
        turn_by(q, def.position);
        def.velocity[2] -= fall;
        turn_by(q, def.velocity);
        turn_by(q, def.angular_velocity);
        turn_on(q, def.orientation);
        memcpy(link[i].x, def.position, sizeof link[i].x);
        memcpy(link[i].q, def.orientation, sizeof link[i].q);
        out.link[i] = link[i].body = add_body(scene, &def);
    }
    turn_by(q, out.axis);
    for (int i = 0; i < LINKS; i++) {
        double pin[3] = {at[i][0], 0, at[i][1]};
        turn_by(q, pin);
        out.pin[i] = join(scene, TL_JOINT_REVOLUTE, link[(i + LINKS - 1) % LINKS], link[i], pin[0],
                          pin[1], pin[2], out.axis);
    }
    return out;
}

/* What pulls at the pins in the plane: the mean, the least and the most, N; and the most across it,
 * N or N m. */
typedef struct pulls {
    double mean, least, most, across;
} pulls;

static pulls pulls_of(tl_world *world, const ring *r)
{
    pulls out = {.least = INFINITY};
    tl_joint_state state[LINKS];
    assert_ok(tl_world_read_joints(world, LINKS, r->pin, state));
    for (int i = 0; i < LINKS; i++) {
        double in[3], bending[3];
        const double across = dot3(state[i].force, r->axis);
        add3(state[i].force, -across, r->axis, in);
        add3(state[i].torque, -dot3(state[i].torque, r->axis), r->axis, bending);
        out.mean += norm3(in) / LINKS;
        out.least = fmin(out.least, norm3(in));
        out.most = fmax(out.most, norm3(in));
        out.across = fmax(out.across, fmax(fabs(across), norm3(bending)));
    }
    return out;
}

/* Nothing but its speed holds a ring: it keeps the shape that it has, a long one here, and nothing
 * acts across its plane, which is askew so that no row is exact by chance. */
static void run_free(const variant *v)
{
    static const claim c[2] = {{"A long ring of 60 pinned links runs along itself at 3 m/s",
                                "m v^2 per length", "mean tension after 2 s, N", "h = 1 ms"},
                               {"A long ring of 60 pinned links runs along itself at 5 m/s",
                                "m v^2 per length", "mean tension after 2 s, N", "h = 1 ms"}};
    double q[4];
    turn((double[3]){0.1, 0.7, 0.5}, 2.1, q);
    for (int k = 0; k < 2; k++) {
        const double h = 1e-3, speed = 3 + 2 * k;
        tl_scene *scene = scene_for(v, h);
        set_gravity(scene, 0, 0, 0);
        const ring r = add_ring(scene, add_material(scene, 0, 0), 0.3, 1, speed, 0, q);
        tl_world *world = world_of(scene);
        const double want = MASS / r.pitch * speed * speed;
        double across = 0, error = 0, least = INFINITY, most = 0;
        for (int i = 0; i < 2000; i++) {
            const tl_report report = step_report(world, 1);
            assert_int_equal(report.redundant_rows, 3);
            error = fmax(error, report.joint_error);
            if (i < 2) /* at first velocities are those of a smooth curve */
                continue;
            const pulls p = pulls_of(world, &r);
            across = fmax(across, p.across);
            least = fmin(least, p.least);
            most = fmax(most, p.most);
        }
        assert_found(&c[k], v->name, pulls_of(world, &r).mean, want, 0.01 * want);
        assert_above(least, 0.95 * want);
        assert_below(most, 1.05 * want);
        assert_below(across, v->precision == TL_DOUBLE ? 1e-3 : 0.5);
        assert_below(error, 1e-8);
        tl_world_destroy(world);
    }
}

static void free_ring(void **state)
{
    (void)state;
    for_each_precision(run_free);
}

/* A wheel of 10 kg that a ring of such a radius runs on, at x, which falls at a speed. */
static put add_wheel(tl_scene *scene, tl_material material, double radius, double x, double fall)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_cylinder_default(radius - PIN, 0.1);
    put out = {.x = {x, 0, 0}, .q = {1, 0, 0, 0}};
    shape.material = material;
    turn(joint_x, 0.5 * PI, shape.orientation);
    def.mass = 10;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position[0] = x;
    def.velocity[2] = -fall;
    out.body = add_body(scene, &def);
    return out;
}

/* Over two wheels without friction, of which a force pulls one away from the other: each straight
 * has half of that, and what the speed does. Pins that arrive on a wheel are stopped across it, so
 * that the ring slows down. What acts across its plane is little: they touch at two points each. */
static void ring_on_wheels(void **state)
{
    (void)state;
    static const claim c = {"A ring of 60 pinned links runs over two wheels, drawn apart by 400 N",
                            "half of that + m v^2 per length", "mean tension, N",
                            "h = 1 ms, 3 s from 5 m/s"};
    const variant v = joint_variant();
    const double h = 1e-3, radius = 0.3, straight = 1, apart = 400;
    tl_settings settings = settings_for(&v, h);
    settings.gravity[2] = 0;
    settings.solver.iterations = 50;
    settings.solver.position_iterations = 20;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    const ring r = add_ring(scene, material, radius, straight, 5, 0, ground.q);
    const put wheel[2] = {add_wheel(scene, material, radius, -0.5 * straight, 0),
                          add_wheel(scene, material, radius, 0.5 * straight, 0)};
    join(scene, TL_JOINT_REVOLUTE, ground, wheel[0], -0.5 * straight, 0, 0, joint_y);
    tl_joint_def slide =
        joint_at(TL_JOINT_PRISMATIC, ground, wheel[1], (double[3]){0.5 * straight, 0, 0}, joint_x);
    slide.axes[2].drive = TL_DRIVE_FORCE;
    slide.axes[2].target.value = apart;
    add_joint(scene, &slide);
    tl_world *world = world_of(scene);
    double across = 0, error = 0, mean = 0, want = 0, last = 0;
    const int steps = 3000, settle = 500;
    for (int i = 0; i < steps; i++) {
        const tl_report report = step_report(world, 1);
        error = fmax(error, report.joint_error);
        const pulls p = pulls_of(world, &r);
        across = fmax(across, p.across);
        double speed = 0;
        for (int l = 0; l < LINKS; l++) {
            double u[3];
            velocity_of(world, r.link[l], u);
            speed += dot3(u, u) / LINKS;
        }
        last = sqrt(speed);
        if (i < settle)
            continue;
        mean += p.mean / (steps - settle);
        want += (0.5 * apart + MASS / r.pitch * speed) / (steps - settle);
    }
    assert_found(&c, "joints", mean, want, 0.02 * want);
    assert_below(across, 0.5 * apart);
    assert_below(last, 5);
    assert_below(error, 1e-8);
    tl_world_destroy(world);
}

/* A ring that two wheels of a frame stretch, with no room to give, falls on a floor without
 * gravity. Light links carry the blow from floor to frame through contacts and pins in turn, which
 * sweeps find slowly: what is left of it as impulses to start the next step from must not push the
 * frame up. Returns the most that the energy rises by in a step, over that of the fall. */
static double most_gained(tl_solver_kind kind, uint32_t sweeps, double friction)
{
    const variant v = joint_variant();
    const double radius = 0.3, straight = 1, fall = 1;
    tl_settings settings = settings_for(&v, 1e-3);
    settings.gravity[2] = 0;
    settings.solver.kind = kind;
    settings.solver.iterations = sweeps;
    settings.solver.position_iterations = 10;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, friction, 0);
    tl_body_def floor = tl_body_default(), frame = tl_body_default();
    tl_shape_def plane = tl_plane_default(), beam = tl_box_default(0.4, 0.05, 0.05);
    plane.material = material;
    floor.kind = TL_FIXED;
    floor.shapes = &plane;
    floor.shape_count = 1;
    floor.position[2] = -radius - PIN - 0.0005;
    add_body(scene, &floor);
    add_ring(scene, material, radius, straight, 0, fall, ground.q);
    beam.mask = 0;
    frame.mass = 200;
    frame.shapes = &beam;
    frame.shape_count = 1;
    frame.velocity[2] = -fall;
    const put chassis = {.body = add_body(scene, &frame), .x = {0, 0, 0}, .q = {1, 0, 0, 0}};
    for (int k = 0; k < 2; k++)
        join(scene, TL_JOINT_REVOLUTE, chassis,
             add_wheel(scene, material, radius, (k - 0.5) * straight, fall), (k - 0.5) * straight,
             0, 0, joint_y);
    tl_world *world = world_of(scene);
    double most = 0, error = 0, last = step_report(world, 1).kinetic_energy;
    const double first = last;
    for (int i = 0; i < 100; i++) {
        const tl_report report = step_report(world, 1);
        most = fmax(most, (report.kinetic_energy - last) / first);
        error = fmax(error, report.joint_error);
        last = report.kinetic_energy;
    }
    assert_below(last, 0.9 * first);
    assert_below(error, 1e-8);
    tl_world_destroy(world);
    return most;
}

static void stretched_ring(void **state)
{
    (void)state;
    static const claim c = {
        "A ring of 60 pinned links, stretched over two wheels, falls on a floor",
        "no energy is made", "largest gain in a step over the energy",
        "10, 20, 50 and 100 sweeps, e = 0, h = 1 ms"};
    static const uint32_t sweeps[4] = {10, 20, 50, 100};
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            most = fmax(most, most_gained(TL_PSOR, sweeps[i], 0.4 * k));
    assert_found(&c, "joints", most, 0, 1e-4);
    context("spg");
    assert_below(most_gained(TL_SPG, 30, 0.4), 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_ring),
                                       cmocka_unit_test(ring_on_wheels),
                                       cmocka_unit_test(stretched_ring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
