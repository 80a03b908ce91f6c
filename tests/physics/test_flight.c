/* Bodies without contacts: free flight under gravity, and constant and tabulated forces and
 * torques, against the discrete laws of the time stepping and against the integrals they
 * approximate. */
#include "physics/shapes.h"

/* 37 bodies, so that vector kernels meet full lanes and a remainder; far apart, so that none touch.
 */
#define BODIES 37

static const double gravity[3] = {0.5, -0.25, -G};

static tl_world *flight_world(const variant *v, double h, double start[][3], double speed[][3],
                              tl_body *bodies)
{
    tl_scene *scene = scene_for(v, h);
    const tl_material none = {0};
    dice d = {7};
    set_gravity(scene, gravity[0], gravity[1], gravity[2]);
    for (int i = 0; i < BODIES; i++) {
        roll3(&d, -1, 1, start[i]);
        start[i][0] += 50.0 * i;
        roll3(&d, -5, 5, speed[i]);
        bodies[i] = add_sphere(scene, none, 0.1 + 0.01 * i, 0, start[i], speed[i]);
    }
    return world_of(scene);
}

/* v_n = v_0 + g t and x_n = x_0 + v_0 t + g h^2 n (n + 1) / 2: what symplectic Euler gives exactly.
 * Mixed precision rounds the velocity (below 16 m/s) to 24 bits twice a step, so it is off by at
 * most n 2^-23 16; the position sums that up over half the time. Doubles: the same with 52 bits,
 * next to the rounding of coordinates up to 2000 m. */
static void discrete_law(const variant *v)
{
    const double h = 1.0 / 200;
    const int steps = 200;
    const double unit = v->precision == TL_DOUBLE ? 0x1p-52 : 0x1p-23;
    const double velocity_error = steps * unit * 16;
    const double position_error = steps * h / 2 * velocity_error + steps * 0x1p-52 * 2000;
    double start[BODIES][3], speed[BODIES][3], x[BODIES][3], u[BODIES][3];
    tl_body bodies[BODIES];
    tl_world *world = flight_world(v, h, start, speed, bodies);

    step(world, steps);
    assert_ok(tl_world_read_positions(world, BODIES, bodies, &x[0][0]));
    assert_ok(tl_world_read_velocities(world, BODIES, bodies, &u[0][0]));
    assert_near(tl_world_time(world), steps * h, 1e-12);
    assert_int_equal(tl_world_contact_count(world), 0);
    double worst = 0;
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            const double t = steps * h;
            const double want =
                start[i][k] + speed[i][k] * t + gravity[k] * h * h * steps * (steps + 1) / 2;
            assert_near(u[i][k], speed[i][k] + gravity[k] * t, velocity_error);
            assert_near(x[i][k], want, position_error);
            worst = fmax(worst, fabs(x[i][k] - want));
        }
    }
    static const claim c = {"37 balls in free flight", "closed form of the time stepping",
                            "largest error of a coordinate after 1 s, m", "h = 5 ms"};
    assert_found(&c, v->name, worst, 0, position_error);
    tl_world_destroy(world);
}

/* The parabola is missed by g h t / 2 and the rounding of the test above: first order in h. */
static void parabola(const variant *v)
{
    double start[BODIES][3], speed[BODIES][3], error[3];
    tl_body bodies[BODIES];
    for (int level = 0; level < 3; level++) {
        const double h = 0.01 / (1 << level);
        const uint32_t steps = 100u << level;
        const double unit = v->precision == TL_DOUBLE ? 0x1p-52 : 0x1p-23;
        double x[3];
        tl_world *world = flight_world(v, h, start, speed, bodies);
        step(world, steps);
        position_of(world, bodies[5], x);
        error[level] = x[2] - (start[5][2] + speed[5][2] - G / 2);
        static const claim c = {"37 balls in free flight", "closed form: the parabola",
                                "height after 1 s less the parabola's, -g h t / 2, m",
                                "h = 2.5 ms"};
        const double limit = steps * unit * 8 + 1e-11;
        if (level < 2)
            assert_near(error[level], -G * h / 2, limit);
        else
            assert_found(&c, v->name, error[level], -G * h / 2, limit);
        tl_world_destroy(world);
    }
    print_message("free flight, %s: error %.3g, %.3g, %.3g; order %.3f\n", v->name, error[0],
                  error[1], error[2], log2(error[0] / error[2]) / 2);
}

static void test_discrete_law(void **state)
{
    (void)state;
    for_each_precision(discrete_law);
}

static void test_parabola(void **state)
{
    (void)state;
    for_each_precision(parabola);
}

/* A constant force and torque: m v = F t and I w = T t hold step by step; the angle turned is
 * T t^2 / 2 I up to one step's turn. The two forces on the body add up. */
static void constant_force(const variant *v)
{
    const double h = 1.0 / 500, t = 1, mass = 3, radius = 0.2;
    const double inertia = 0.4 * mass * radius * radius;
    tl_scene *scene = scene_for(v, h);
    const tl_body body = add_sphere(scene, (tl_material){0}, radius, mass, (double[3]){1, 2, 3},
                                    (double[3]){0, 0, 0});
    const tl_body other = add_sphere(scene, (tl_material){0}, radius, mass, (double[3]){9, 2, 3},
                                     (double[3]){0, 0, 0});
    double u[3], w[3], q[4], x[3];
    set_gravity(scene, 0, 0, 0);
    for (int part = 1; part <= 2; part++) {
        tl_force_def force = tl_force_default();
        force.body = body;
        for (int k = 0; k < 3; k++) {
            force.force[k] = part * (k + 1); /* both together: 3, 6, 9 */
            force.torque[k] = part * 0.01 * (k - 1);
        }
        assert_ok(tl_scene_add_force(scene, &force));
    }
    tl_world *world = world_of(scene);
    step(world, 500);

    velocity_of(world, body, u);
    spin_of(world, body, w);
    position_of(world, body, x);
    orientation_of(world, body, q);
    const double axis[3] = {-0.03, 0, 0.03};
    double angle = 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), fabs(q[0]));
    for (int k = 0; k < 3; k++) {
        assert_near(u[k], 3 * (k + 1) * t / mass, slack(v, 4, 500));
        assert_near(w[k], axis[k] * t / inertia, slack(v, 4, 500));
        assert_near(x[k], k + 1 + 3 * (k + 1) / mass * h * h * 500 * 501 / 2, slack(v, 4, 500));
    }
    static const claim c = {"a free ball under a constant force and torque",
                            "closed form: T t^2 / 2 I", "angle turned after 1 s, rad", "h = 2 ms"};
    assert_found(&c, v->name, angle, norm3(axis) * t * t / 2 / inertia,
                 norm3(axis) * t / inertia * h + slack(v, 1, 500));

    velocity_of(world, other, u);
    assert_near(norm3(u), 0, 0);
    tl_world_destroy(world);
}

static void test_constant_force(void **state)
{
    (void)state;
    for_each_precision(constant_force);
}

/* A table that ramps up, turns over and holds its last row; its first row holds before its first
 * time. Momentum is the integral of the force. Any rule that takes one value of a step's interval
 * misses the integral by at most h times the total variation. */
static void tabulated_force(const variant *v)
{
    const double times[4] = {0.1, 0.4, 0.5, 0.9};
    const double rows[4][6] = {{1, 0, 0, 0, 0, 0.02},
                               {4, -2, 0, 0, 0, 0.02},
                               {-3, -2, 1, 0, 0, -0.01},
                               {2, 0, 1, 0, 0, 0}};
    const double mass = 2, inertia = 0.4 * mass * 0.1 * 0.1, h = 1.0 / 400;
    double integral[6] = {0}, variation[6] = {0}, u[3], w[3];
    tl_scene *scene = scene_for(v, h);
    tl_force_def force = tl_force_default();
    force.body =
        add_sphere(scene, (tl_material){0}, 0.1, mass, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    force.table_length = 4;
    force.times = times;
    force.values = &rows[0][0];
    assert_ok(tl_scene_add_force(scene, &force));
    set_gravity(scene, 0, 0, 0);
    for (int c = 0; c < 6; c++) {
        integral[c] = 0.1 * rows[0][c] + 0.3 * rows[3][c]; /* before, and after until 1.2 s */
        for (int i = 0; i < 3; i++) {
            integral[c] += (times[i + 1] - times[i]) * (rows[i][c] + rows[i + 1][c]) / 2;
            variation[c] += fabs(rows[i + 1][c] - rows[i][c]);
        }
    }
    tl_world *world = world_of(scene);
    step(world, 480);
    velocity_of(world, force.body, u);
    spin_of(world, force.body, w);
    static const claim c = {"a free ball under a tabulated force", "closed form: integral of F / m",
                            "speed along x after 1.2 s, m/s", "h = 2.5 ms"};
    assert_found(&c, v->name, u[0], integral[0] / mass, h * variation[0] / mass + slack(v, 2, 480));
    for (int k = 0; k < 3; k++) {
        assert_near(u[k], integral[k] / mass, h * variation[k] / mass + slack(v, 2, 480));
        assert_near(w[k], integral[k + 3] / inertia,
                    h * variation[k + 3] / inertia + slack(v, 2, 480));
    }
    tl_world_destroy(world);
}

static void test_tabulated_force(void **state)
{
    (void)state;
    for_each_precision(tabulated_force);
}

/* Where the user's frame of a body is at a time: about a centre of mass that flies straight on, at
 * `centre` in that frame, it turns by `spin` (rad/s) about an axis (in that frame) that keeps its
 * direction. */
static void pose_at(const tl_body_def *def, const double centre[3], const double axis[3],
                    double spin, double time, double x[3], double q[4])
{
    double own[4], to_centre[3], back[3];
    turn(axis, spin * time, own); /* about an axis of the body, it is the inner turn */
    turn_twice(def->orientation, own, q);
    rotate(def->orientation, 1, centre, to_centre);
    rotate(q, 1, centre, back);
    for (int k = 0; k < 3; k++)
        x[k] = def->position[k] + to_centre[k] + def->velocity[k] * time - back[k];
}

static void check_pose(const variant *v, const char *how, const double x[3], const double q[4],
                       const double want_x[3], const double want_q[4])
{
    const double part = v->precision == TL_DOUBLE ? 1e-9 : 1e-5;
    double same = 0;
    for (int k = 0; k < 4; k++)
        same += q[k] * want_q[k];
    context("%s, %s", v->name, how);
    assert_below(distance3(x, want_x), part);
    assert_below(1 - fabs(same), fmax(part, 1e-6)); /* frames have 24 bits */
}

/* Poses are those of the frame that the user gave, which need not be at the centre of mass nor
 * along principal axes: of a ball with a centre of its own, and of a cone that lies in its body. */
static void origins(const variant *v)
{
    static const double slant[4] = {0.8, 0, 0.6, 0};
    tl_scene *scene = scene_for(v, 1.0 / 500);
    tl_shape_def ball = tl_sphere_default(0.1), cone = tl_cone_default(0.2, 0.3);
    tl_body_def def[2] = {tl_body_default(), tl_body_default()};
    double centre[2][3] = {{0.3, -0.2, 0.1}, {0, 0, 0}}, axis[2][3] = {{0.36, 0.48, 0.8}, {0}};
    const double spin[2] = {3, -5};
    set_gravity(scene, 0, 0, 0);
    def[0].shapes = &ball;
    def[0].mass = 2;
    for (int k = 0; k < 3; k++) {
        def[0].inertia[k] = 0.05;
        def[0].centre_of_mass[k] = centre[0][k];
        cone.position[k] = 0.1 * (k + 1);
    }
    def[1].shapes = &cone;
    memcpy(cone.orientation, slant, sizeof slant);
    rotate(slant, 1, (double[3]){0, 0, 1}, axis[1]);
    add3(cone.position, -0.15, axis[1], centre[1]); /* a quarter of its height above the base */
    tl_body bodies[2];
    for (int i = 0; i < 2; i++) {
        double world_axis[3];
        def[i].shape_count = 1;
        turn((double[3]){0.6, 0, 0.8}, 1 + i, def[i].orientation);
        rotate(def[i].orientation, 1, axis[i], world_axis);
        for (int k = 0; k < 3; k++) {
            def[i].position[k] = 5 * i + k;
            def[i].velocity[k] = 0.5 - 0.3 * k;
            def[i].angular_velocity[k] = spin[i] * world_axis[k];
        }
        bodies[i] = add_body(scene, &def[i]);
    }
    tl_world *world = world_of(scene), *loaded = NULL;
    void *snapshot = NULL;
    size_t bytes = 0;
    step(world, 250);
    assert_ok(tl_world_save(world, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &loaded));
    tl_snapshot_free(snapshot, bytes);
    tl_frame *frame = NULL;
    tl_frame_view view;
    assert_ok(tl_frame_create(&frame));
    assert_ok(tl_world_capture(world, frame));
    assert_ok(tl_frame_read(frame, &view));
    for (int i = 0; i < 2; i++) {
        double want_x[3], want_q[4], x[3], q[4];
        pose_at(&def[i], centre[i], axis[i], spin[i], 0.5, want_x, want_q);
        for (int which = 0; which < 2; which++) {
            tl_world *of = which ? loaded : world;
            assert_ok(tl_world_read_positions(of, 1, &bodies[i], x));
            assert_ok(tl_world_read_orientations(of, 1, &bodies[i], q));
            check_pose(v, which ? "loaded" : "read", x, q, want_x, want_q);
        }
        for (int k = 0; k < 4; k++)
            q[k] = (double)view.orientations[4 * i + k];
        check_pose(v, "captured", view.positions + 3 * i, q, want_x, want_q);
        assert_ok(tl_world_read_velocities(world, 1, &bodies[i], x)); /* of the centre of mass */
        assert_below(distance3(x, def[i].velocity), 1e-6);
    }
    tl_frame_destroy(frame);
    tl_world_destroy(loaded);
    tl_world_destroy(world);
}

static void test_origins(void **state)
{
    (void)state;
    for_each_precision(origins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discrete_law),   cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_constant_force), cmocka_unit_test(test_tabulated_force),
        cmocka_unit_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
