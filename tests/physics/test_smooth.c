/* The smooth stepper: its order in h, against closed forms and against an integrator of its own;
 * energy; and that contacts are as with dvi. */
#include "joints.h"

static const tl_stepper steppers[2] = {TL_STEPPER_DVI, TL_STEPPER_SMOOTH};

static tl_settings settings_of(tl_stepper stepper, double h)
{
    const variant v = joint_variant();
    tl_settings settings = settings_for(&v, h);
    settings.stepper = stepper;
    return settings;
}

/* Errors with two steps, the second half as long, are `order` apart. */
static void assert_order(double rough, double fine, int order)
{
    const double ratio = rough / fine;
    if (!(fabs(ratio - pow(2, order)) <= 0.25 * pow(2, order)))
        fail_msg("errors %g and %g: ratio %g, order %d wanted", rough, fine, ratio, order);
}

/* --- a pendulum ------------------------------------------------------------------------------ */

/* Jacobi's sn, by descending Landen transformations. */
static double jacobi_sn(double u, double k)
{
    double a[12] = {1}, c[12] = {k}, b = sqrt(1 - k * k);
    int n = 0;
    while (n < 11 && c[n] > 1e-17) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    return sin(phi);
}

/* The quarter period over that of small swings, times pi / 2. */
static double jacobi_quarter(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * PI / a;
}

/* A rod on a hinge, from rest at 1.5 rad: its angle at a time, less the exact one. */
static double pendulum_error(tl_stepper stepper, double h, double time)
{
    const tl_settings settings = settings_of(stepper, h);
    tl_scene *scene = scene_with(&settings);
    const double amplitude = 1.5, axis[3] = {0, -1, 0}, down[3] = {0, 0, -0.5};
    double q[4];
    turn(joint_y, -amplitude, q);
    put rod = {.q = {q[0], q[1], q[2], q[3]}};
    rotate(q, 1, down, rod.x);
    rod.body = add_link(scene, 0.05, 0.3, 0.5, 2, rod.x, q);
    const tl_joint joint = join(scene, TL_JOINT_REVOLUTE, ground, rod, 0, 0, 0, axis);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)lround(time / h));
    const double inertia = (0.1 * 0.1 + 1) / 12 + 0.25, omega = sqrt(G * 0.5 / inertia);
    const double k = sin(0.5 * amplitude);
    const double want = 2 * asin(k * jacobi_sn(jacobi_quarter(k) - omega * time, k)) - amplitude;
    const double got = state_of(world, joint).value[5];
    tl_world_destroy(world);
    return got - want;
}

static void pendulum(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double rough = pendulum_error(steppers[i], 0.005, 2),
                     fine = pendulum_error(steppers[i], 0.0025, 2);
        assert_order(rough, fine, i + 1);
        static const claim c = {"A rod swings from 86 degrees, 2 s", "elliptic functions",
                                "error of the angle, rad", "smooth, h = 2.5 ms"};
        if (i)
            assert_found(&c, "joints", fine, 0, 1e-4);
    }
}

/* --- a double pendulum in space, by an integrator of its own -------------------------------- */

/* Two bodies: the first hangs from the origin at `pivot` of its frame, the second from `hook` of
 * the first at `ring` of its own. State: orientations, and angular velocities in the world. */
typedef struct two_bodies {
    double mass[2], inertia[2][3], pivot[3], hook[3], ring[3];
} two_bodies;

typedef struct attitude {
    double q[2][4], w[2][3];
} attitude;

/* The acceleration of the end of an anchor that turns. */
static void swept(const double *w, const double *alpha, const double *anchor, double *out)
{
    double t[3], c[3], e[3];
    cross3(w, anchor, t);
    cross3(w, t, c);
    cross3(alpha, anchor, e);
    for (int k = 0; k < 3; k++)
        out[k] = c[k] + e[k];
}

/* I alpha + w x I w of a body, in the world. */
static void spin_up(const double *inertia, const double *q, const double *w, const double *alpha,
                    double *out)
{
    double lw[3], la[3], iw[3], gyro[3], sum[3];
    rotate(q, -1, w, lw);
    rotate(q, -1, alpha, la);
    for (int k = 0; k < 3; k++)
        iw[k] = inertia[k] * lw[k];
    cross3(lw, iw, gyro);
    for (int k = 0; k < 3; k++)
        sum[k] = inertia[k] * la[k] + gyro[k];
    rotate(q, 1, sum, out);
}

/* Moments that are missing at two angular accelerations. */
static void missing(const two_bodies *b, const attitude *s, const double *alpha, double *out)
{
    double r1[3], hook[3], d1[3], r2[3], a1[3], aj[3], a2[3], f1[3], f2[3], m[3], anchor[3];
    const double pivot[3] = {-b->pivot[0], -b->pivot[1], -b->pivot[2]};
    const double ring[3] = {-b->ring[0], -b->ring[1], -b->ring[2]};
    rotate(s->q[0], 1, pivot, r1);
    rotate(s->q[0], 1, b->hook, hook);
    rotate(s->q[1], 1, ring, r2);
    for (int k = 0; k < 3; k++)
        d1[k] = r1[k] + hook[k];
    swept(s->w[0], alpha, r1, a1);
    swept(s->w[0], alpha, d1, aj);
    swept(s->w[1], alpha + 3, r2, a2);
    for (int k = 0; k < 3; k++) {
        const double weight = k == 2 ? -G : 0;
        f2[k] = b->mass[1] * (aj[k] + a2[k] - weight);
        f1[k] = b->mass[0] * (a1[k] - weight) + f2[k];
    }
    spin_up(b->inertia[0], s->q[0], s->w[0], alpha, out);
    spin_up(b->inertia[1], s->q[1], s->w[1], alpha + 3, out + 3);
    cross3(r1, f1, m);
    for (int k = 0; k < 3; k++)
        out[k] += m[k], anchor[k] = hook[k];
    cross3(anchor, f2, m);
    for (int k = 0; k < 3; k++)
        out[k] += m[k];
    cross3(r2, f2, m);
    for (int k = 0; k < 3; k++)
        out[3 + k] += m[k];
}

static void accelerations(const two_bodies *b, const attitude *s, double alpha[6])
{
    double rows[6][7], base[6];
    const double none[6] = {0};
    missing(b, s, none, base);
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0}, column[6];
        unit[j] = 1;
        missing(b, s, unit, column);
        for (int i = 0; i < 6; i++)
            rows[i][j] = column[i] - base[i];
        rows[j][6] = -base[j];
    }
    for (int p = 0; p < 6; p++) {
        int best = p;
        for (int i = p; i < 6; i++)
            best = fabs(rows[i][p]) > fabs(rows[best][p]) ? i : best;
        for (int j = 0; j < 7; j++) {
            const double swap = rows[p][j];
            rows[p][j] = rows[best][j];
            rows[best][j] = swap;
        }
        for (int i = 0; i < 6; i++)
            for (int j = 6; i != p && j >= p; j--)
                rows[i][j] -= rows[i][p] / rows[p][p] * rows[p][j];
    }
    for (int i = 0; i < 6; i++)
        alpha[i] = rows[i][6] / rows[i][i];
}

static void rates(const two_bodies *b, const attitude *s, attitude *out)
{
    double alpha[6];
    accelerations(b, s, alpha);
    for (int n = 0; n < 2; n++) {
        const double *q = s->q[n], *w = s->w[n];
        out->q[n][0] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
        out->q[n][1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
        out->q[n][2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
        out->q[n][3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
        for (int k = 0; k < 3; k++)
            out->w[n][k] = alpha[3 * n + k];
    }
}

static void go(attitude *s, const attitude *from, double h, const attitude *rate)
{
    for (int n = 0; n < 2; n++) {
        for (int k = 0; k < 4; k++)
            s->q[n][k] = from->q[n][k] + h * rate->q[n][k];
        for (int k = 0; k < 3; k++)
            s->w[n][k] = from->w[n][k] + h * rate->w[n][k];
    }
}

/* The classical method of Runge and Kutta. */
static void integrate(const two_bodies *b, attitude *s, double h, int steps)
{
    for (int i = 0; i < steps; i++) {
        attitude at = *s, k[4];
        rates(b, s, &k[0]);
        for (int n = 1; n < 4; n++) {
            go(&at, s, n == 3 ? h : 0.5 * h, &k[n - 1]);
            rates(b, &at, &k[n]);
        }
        for (int n = 0; n < 4; n++)
            go(s, s, (n == 0 || n == 3 ? 1 : 2) * h / 6, &k[n]);
        for (int n = 0; n < 2; n++) {
            double size = 0;
            for (int c = 0; c < 4; c++)
                size += s->q[n][c] * s->q[n][c];
            for (int c = 0; c < 4; c++)
                s->q[n][c] /= sqrt(size);
        }
    }
}

static const two_bodies anchors = {.mass = {1, 2},
                                   .inertia = {{(0.04 + 0.01) / 12, (1 + 0.01) / 12, 1.04 / 12},
                                               {2 * 0.05 / 12, 2 * 0.68 / 12, 2 * 0.65 / 12}},
                                   .pivot = {-0.5, 0, 0},
                                   .hook = {0.5, 0, 0},
                                   .ring = {-0.4, 0, 0}};

/* Two boxes on ball joints, the second across; bodies in `two`. */
static tl_world *double_pendulum(const tl_settings *settings, tl_body two[2], attitude *start)
{
    tl_scene *scene = scene_with(settings);
    const put one = put_link(scene, 0.5, 0.1, 0.05, 1, 0.5, 0, 0);
    put other = {.x = {1, 0.4, 0}};
    turn(joint_z, 0.5 * PI, other.q);
    other.body = add_link(scene, 0.4, 0.05, 0.1, 2, other.x, other.q);
    join(scene, TL_JOINT_SPHERICAL, ground, one, 0, 0, 0, joint_z);
    join(scene, TL_JOINT_SPHERICAL, one, other, 1, 0, 0, joint_z);
    two[0] = one.body;
    two[1] = other.body;
    if (start) {
        *start = (attitude){.q = {{1, 0, 0, 0}, {0}}};
        memcpy(start->q[1], other.q, sizeof other.q);
    }
    return world_of(scene);
}

/* How far body and integrator are apart, as the second's x axis and the angular velocity. */
static double off(tl_world *world, const tl_body two[2], const attitude *want)
{
    double worst = 0;
    for (int n = 0; n < 2; n++) {
        double q[4], w[3], a[3], b[3];
        orientation_of(world, two[n], q);
        spin_of(world, two[n], w);
        rotate(q, 1, joint_x, a);
        rotate(want->q[n], 1, joint_x, b);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(a[k] - b[k]));
            worst = fmax(worst, fabs(w[k] - want->w[n][k]));
        }
    }
    return worst;
}

static void double_pendulum_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            const double h = fine ? 0.001 : 0.002;
            const tl_settings settings = settings_of(steppers[i], h);
            tl_body two[2];
            attitude s;
            tl_world *world = double_pendulum(&settings, two, &s);
            step(world, (uint32_t)lround(1 / h));
            integrate(&anchors, &s, 1e-4, 10000);
            error[fine] = off(world, two, &s);
            tl_world_destroy(world);
        }
        assert_order(error[0], error[1], i + 1);
        static const claim c = {"A double pendulum of two boxes in space, 1 s",
                                "Runge-Kutta on angles", "largest error of axes and rates",
                                "smooth, h = 1 ms"};
        if (i)
            assert_found(&c, "joints", error[1], 0, 2e-3);
    }
}

/* 100 s of it: the energy stays near where it was. */
static void double_pendulum_energy(void **state)
{
    (void)state;
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, 0.002);
    tl_body two[2];
    tl_world *world = double_pendulum(&settings, two, NULL);
    double worst = 0, late = 0;
    for (int i = 0; i < 50000; i++) {
        const tl_report r = step_report(world, 1);
        const double energy = fabs(r.kinetic_energy + r.potential_energy);
        worst = fmax(worst, energy);
        if (i >= 45000)
            late = fmax(late, energy);
        assert_true(r.joint_error < 1e-9);
    }
    static const claim c = {"A double pendulum of two boxes in space, 100 s",
                            "conservation of energy", "largest change, J", "smooth, h = 2 ms"};
    assert_found(&c, "joints", worst, 0, 0.1);
    assert_found(&c, "joints", late, 0, 0.1);
    tl_world_destroy(world);
}

/* --- a top ----------------------------------------------------------------------------------- */

/* A cylinder that precesses steadily on its tip: the largest error of its axis after a second. */
static double top_error(tl_stepper stepper, double h)
{
    const tl_settings settings = settings_of(stepper, h);
    tl_scene *scene = scene_with(&settings);
    const double tilt = 0.6, l = 0.3, rate = 2.5, a = 0.3, m = 1;
    /* a box as wide as it is deep is as good */
    const double i3 = m * (4 * a * a + 4 * a * a) / 12, side = m * (4 * a * a + 0.01) / 12,
                 i1 = side + m * l * l;
    const double spin = (i1 * rate * rate * cos(tilt) + m * G * l) / (i3 * rate);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(a, a, 0.05);
    put top = {.x = {l * sin(tilt), 0, l * cos(tilt)}};
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = m;
    turn(joint_y, tilt, def.orientation);
    memcpy(def.position, top.x, sizeof top.x);
    memcpy(top.q, def.orientation, sizeof top.q);
    /* along its axis `spin` in all; across, what precession has there */
    const double axis[3] = {sin(tilt), 0, cos(tilt)}, across = rate * cos(tilt);
    for (int k = 0; k < 3; k++)
        def.angular_velocity[k] = (spin - across) * axis[k] + (k == 2 ? rate : 0);
    cross3(def.angular_velocity, top.x, def.velocity);
    top.body = add_body(scene, &def);
    join(scene, TL_JOINT_SPHERICAL, ground, top, 0, 0, 0, joint_z);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)lround(1 / h));
    double got[3], q[4], worst = 0;
    orientation_of(world, top.body, q);
    rotate(q, 1, joint_z, got);
    const double want[3] = {sin(tilt) * cos(rate), sin(tilt) * sin(rate), cos(tilt)};
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(got[k] - want[k]));
    tl_world_destroy(world);
    return worst;
}

static void top(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double rough = top_error(steppers[i], 0.001), fine = top_error(steppers[i], 0.0005);
        assert_order(rough, fine, i + 1);
        static const claim c = {"A top that precesses steadily, 1 s", "closed form",
                                "error of its axis", "smooth, h = 0.5 ms"};
        if (i)
            assert_found(&c, "joints", fine, 0, 1e-5);
    }
}

/* --- springs and motors ---------------------------------------------------------------------- */

/* A mass on a slider with a spring and a damper, released at 0.1 m; its place after 2 s. */
static double spring_error(tl_stepper stepper, double h)
{
    const tl_settings settings = settings_of(stepper, h);
    tl_scene *scene = scene_with(&settings);
    const put block = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, 0);
    tl_joint_def slider =
        joint_at(TL_JOINT_PRISMATIC, ground, block, (double[3]){0, 0, 0}, joint_x);
    const double k = 180, c = 1.5, m = 2;
    slider.axes[2].stiffness = k;
    slider.axes[2].damping = c;
    slider.axes[2].rest = -0.1;
    const tl_joint joint = add_joint(scene, &slider);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)lround(2 / h));
    const double decay = c / (2 * m), omega = sqrt(k / m - decay * decay);
    const double want =
        -0.1 + 0.1 * exp(-2 * decay) * (cos(2 * omega) + decay / omega * sin(2 * omega));
    const double got = state_of(world, joint).value[2];
    tl_world_destroy(world);
    return got - want;
}

static void spring(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double rough = spring_error(steppers[i], 0.005),
                     fine = spring_error(steppers[i], 0.0025);
        assert_order(rough, fine, i + 1);
        static const claim c = {"A mass on a spring with a damper, 2 s", "closed form",
                                "error of its place, m", "smooth, h = 2.5 ms"};
        if (i)
            assert_found(&c, "joints", fine, 0, 1e-4);
    }
}

/* A mass of 1 kg that flies to and fro on a slide between springs, from `x` at 5 m/s. */
static tl_world *played(double h, size_t length, const double *values, const double *forces,
                        double x, tl_joint *joint)
{
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, h);
    tl_scene *scene = scene_with(&settings);
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(0.1, 0.1, 0.1);
    set_gravity(scene, 0, 0, 0);
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 1;
    def.position[2] = x;
    def.velocity[2] = 5;
    const put box = {.body = add_body(scene, &def), .q = {1, 0, 0, 0}};
    tl_joint_def slide = joint_at(TL_JOINT_PRISMATIC, ground, box, (double[3]){0, 0, 0}, joint_z);
    slide.axes[2].spring_length = length;
    slide.axes[2].spring_values = values;
    slide.axes[2].spring_forces = forces;
    *joint = add_joint(scene, &slide);
    return world_of(scene);
}

/* Springs with free play, and a bumper, throw back as fast as they are met, however long the step.
 */
static void play_energy(void **state)
{
    (void)state;
    static const double values[4] = {-0.2, -0.1, 0.1, 0.2}, forces[4] = {1e5, 0, 0, -1e5};
    static const double bumper[3] = {-1, 0, 0.1}, pushes[3] = {0, 0, -1e5};
    static const double steps[4] = {0.0002, 0.001, 0.005, 0.01};
    double worst = 0;
    for (int i = 0; i < 8; i++) {
        tl_joint joint;
        tl_world *world = i % 2 ? played(steps[i / 2], 3, bumper, pushes, -0.03, &joint)
                                : played(steps[i / 2], 4, values, forces, -0.03, &joint);
        for (int k = 0; k < 200; k++) {
            step(world, 1);
            const tl_joint_state s = state_of(world, joint);
            const double x = s.value[2], speed = fabs(s.rate[2]);
            const bool free = i % 2 ? x < 0 : fabs(x) < 0.1;
            worst = fmax(worst, free ? fabs(speed / 5 - 1) : speed / 5 - 1);
        }
        tl_world_destroy(world);
    }
    static const claim c = {"A mass of 1 kg between springs of 1000 kN/m with free play",
                            "conservation of energy", "largest change of its speed between them",
                            "smooth, h = 0.2 to 10 ms"};
    assert_found(&c, "joints", worst, 0, 1e-6);
}

/* Their order: free flight between half swings. */
static double play_error(double h)
{
    static const double values[4] = {-0.2, -0.1, 0.1, 0.2}, forces[4] = {1000, 0, 0, -1000};
    tl_joint joint;
    const double end = 0.5, swing = PI / 100, back = 2 * (0.2 / 5 + swing);
    tl_world *world = played(h, 4, values, forces, 0, &joint);
    step(world, (uint32_t)lround(end / h));
    double t = fmod(end, back), side = 1;
    if (t > 0.5 * back) {
        t -= 0.5 * back;
        side = -1;
    }
    const double want = t < 0.02           ? 5 * t
                        : t < 0.02 + swing ? 0.1 + 0.05 * sin(100 * (t - 0.02))
                                           : 0.1 - 5 * (t - 0.02 - swing);
    const double got = state_of(world, joint).value[2];
    tl_world_destroy(world);
    return got - side * want;
}

static void play_order(void **state)
{
    (void)state;
    const double rough = play_error(0.0005), fine = play_error(0.00025);
    static const claim c = {"A mass between springs with free play, 0.5 s", "closed form",
                            "error of its place, m", "smooth, h = 0.25 ms"};
    assert_found(&c, "joints", fine, 0, 1e-3);
    assert_order(rough, fine, 2);
}

/* A box falls on a slide, or swings on a hinge, onto a limit that throws it back, for 6 s: the
 * highest that it gets in the last two, and how far its energy is off meanwhile. */
static double thrown(tl_joint_kind kind, double restitution, double *off)
{
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, 0.001);
    tl_scene *scene = scene_with(&settings);
    const bool slides = kind == TL_JOINT_PRISMATIC;
    const put box = put_link(scene, 0.1, 0.1, 0.1, 1, slides ? 0 : 0.5, 0, 1);
    tl_joint_def def = joint_at(kind, ground, box, (double[3]){0, 0, slides ? 0 : 1},
                                slides ? joint_z : (double[3]){0, -1, 0});
    const int axis = slides ? 2 : 5;
    def.axes[axis].lower = slides ? -1 : -0.7;
    def.axes[axis].restitution = restitution;
    const tl_joint joint = add_joint(scene, &def);
    tl_world *world = world_of(scene);
    double highest = -1, first = 0;
    *off = 0;
    for (int i = 0; i < 6000; i++) {
        const tl_report r = step_report(world, 1);
        const double energy = r.kinetic_energy + r.potential_energy;
        first = i ? first : energy;
        *off = fmax(*off, fabs(energy - first));
        if (i >= 4000)
            highest = fmax(highest, state_of(world, joint).value[axis]);
        assert_true(r.joint_error < 1e-9);
    }
    tl_world_destroy(world);
    return highest;
}

static void throws(void **state)
{
    (void)state;
    double off, lost;
    const double highest = thrown(TL_JOINT_PRISMATIC, 1, &off);
    static const claim falls = {"A slide falls 1 m onto its limit, restitution 1, 6 bounces",
                                "conservation of energy", "height that it comes back to, m",
                                "smooth, h = 1 ms"};
    assert_found(&falls, "joints", highest + 1, 1, 1e-5);
    assert_below(off, 1e-9 * G);
    thrown(TL_JOINT_REVOLUTE, 1, &off);
    static const claim swings = {"A box swings onto the limit of its hinge, restitution 1, 6 s",
                                 "conservation of energy", "largest change, J", "smooth, h = 1 ms"};
    assert_found(&swings, "joints", off, 0, 1e-3);
    thrown(TL_JOINT_PRISMATIC, 0.5, &lost); /* it comes to rest */
    assert_near(lost, G, 1e-6);
}

/* A cart that a motor moves to and fro, with a pendulum on it: the pendulum's angle after 2 s. The
 * motor holds positions or speeds. */
static double cart_error(tl_stepper stepper, double h, tl_drive drive)
{
    const tl_settings settings = settings_of(stepper, h);
    tl_scene *scene = scene_with(&settings);
    const put cart = put_link(scene, 0.1, 0.1, 0.1, 5, 0, 0, 0);
    const put rod = put_link(scene, 0.05, 0.05, 0.5, 1, 0, 0, -0.5);
    tl_joint_def slider = joint_at(TL_JOINT_PRISMATIC, ground, cart, (double[3]){0, 0, 0}, joint_x);
    const double size = 0.2, f = 0.7, w = 2 * PI * f;
    slider.axes[2].drive = drive;
    slider.axes[2].target.kind = TL_FUNCTION_SINE;
    slider.axes[2].target.amplitude = drive == TL_DRIVE_POSITION ? size : size * w;
    slider.axes[2].target.frequency = f;
    slider.axes[2].target.phase = drive == TL_DRIVE_POSITION ? 0 : 0.5 * PI;
    add_joint(scene, &slider);
    const tl_joint joint = join(scene, TL_JOINT_REVOLUTE, cart, rod, 0, 0, 0, joint_y);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)lround(2 / h));
    /* x = size sin(w t); the rod about the pivot, angle from the vertical */
    const double inertia = (0.01 + 1) / 12 + 0.25;
    double y[2] = {0, 0};
    /* at rest, the cart starts at speed size * w at once: so does the rod's end */
    y[1] = 0.5 * size * w / inertia;
    for (int i = 0; i < 20000; i++) {
        const double d = 1e-4, t = i * d;
        double k[4][2];
        for (int n = 0; n < 4; n++) {
            const double part = n == 0 ? 0 : n == 3 ? d : 0.5 * d;
            const double p = y[0] + (n ? part * k[n - 1][0] : 0),
                         v = y[1] + (n ? part * k[n - 1][1] : 0);
            const double ax = -size * w * w * sin(w * (t + part));
            k[n][0] = v;
            k[n][1] = -0.5 * (G * sin(p) - ax * cos(p)) / inertia;
        }
        for (int c = 0; c < 2; c++)
            y[c] += d / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    const double got = state_of(world, joint).value[5];
    tl_world_destroy(world);
    return got - y[0];
}

static void cart(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tl_drive drive = i ? TL_DRIVE_POSITION : TL_DRIVE_SPEED;
        const double rough = cart_error(TL_STEPPER_SMOOTH, 0.005, drive),
                     fine = cart_error(TL_STEPPER_SMOOTH, 0.0025, drive);
        assert_order(rough, fine, 2);
    }
}

/* What a motor moves from rest along or about z, for a position that it has to go far to. */
static tl_world *driven(tl_joint_kind kind, double weight, double limit,
                        const tl_function_def *target, tl_joint *joint)
{
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, 0.005);
    tl_scene *scene = scene_with(&settings);
    set_gravity(scene, 0, 0, -weight);
    const put box = put_link(scene, 0.1, 0.1, 0.1, 2, 0, 0, 0);
    tl_joint_def def = joint_at(kind, ground, box, (double[3]){0, 0, 0}, joint_z);
    const int axis = kind == TL_JOINT_PRISMATIC ? 2 : 5;
    def.axes[axis].drive = TL_DRIVE_POSITION;
    def.axes[axis].target = *target;
    def.axes[axis].limit = limit;
    *joint = add_joint(scene, &def);
    return world_of(scene);
}

/* A motor at its limit accelerates evenly, in both halves of each step: towards a place that is far
 * away, and behind one that goes ahead of it. */
static void motor_limit(void **state)
{
    (void)state;
    const double torque = 0.02, inertia = 2 * 0.08 / 12;
    for (int i = 0; i < 2; i++) {
        static const double times[2] = {0, 10}, angles[2] = {0, 5};
        tl_function_def target = {.kind = TL_FUNCTION_CONSTANT, .value = 1};
        tl_joint joint;
        if (i)
            target = (tl_function_def){
                .kind = TL_FUNCTION_TABLE, .table_length = 2, .times = times, .values = angles};
        tl_world *world = driven(TL_JOINT_REVOLUTE, 0, torque, &target, &joint);
        step(world, 120);
        const tl_joint_state s = state_of(world, joint);
        assert_near(s.value[5], 0.5 * torque / inertia * 0.6 * 0.6, 1e-9);
        assert_near(s.rate[5], torque / inertia * 0.6, 1e-9);
        assert_near(s.motor[5], torque, 1e-12);
        tl_world_destroy(world);
    }
}

/* A lift that is told to be elsewhere at once comes there as fast as its motor can, and stays. */
static void motor_jump(void **state)
{
    (void)state;
    const double times[3] = {0, 1, 1}, places[3] = {0, 0, 0.1}, limit = 60;
    const tl_function_def target = {
        .kind = TL_FUNCTION_TABLE, .table_length = 3, .times = times, .values = places};
    tl_joint joint;
    tl_world *world = driven(TL_JOINT_PRISMATIC, G, limit, &target, &joint);
    int steps = 198;
    step(world, 198);
    assert_near(state_of(world, joint).value[2], 0, 1e-9);
    for (; steps < 240 && state_of(world, joint).value[2] < 0.1 - 1e-9; steps++)
        step(world, 1);
    assert_near(0.005 * steps - 1, sqrt(2 * 0.1 / (limit / 2 - G)), 0.0075);
    step(world, 600);
    const tl_joint_state s = state_of(world, joint);
    assert_near(s.value[2], 0.1, 1e-9);
    assert_near(s.motor[2], 2 * G, 1e-6);
    tl_world_destroy(world);
}

/* An anchor that a motor holds level, with a spring that helps: reaction and torque, at rest. */
static void reactions(void **state)
{
    (void)state;
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, 0.005);
    tl_scene *scene = scene_with(&settings);
    const put anchor = put_link(scene, 0.5, 0.05, 0.05, 3, 0.5, 0, 0);
    tl_joint_def hinge =
        joint_at(TL_JOINT_REVOLUTE, ground, anchor, (double[3]){0, 0, 0}, (double[3]){0, -1, 0});
    hinge.axes[5].drive = TL_DRIVE_POSITION;
    hinge.axes[5].stiffness = 20;
    hinge.axes[5].rest = 0.1;
    const tl_joint joint = add_joint(scene, &hinge);
    tl_world *world = world_of(scene);
    const tl_report r = step_report(world, 100);
    const tl_joint_state s = state_of(world, joint);
    assert_near(s.force[2], 3 * G, 1e-9);
    assert_near(s.motor[5], 3 * G * 0.5 - 20 * 0.1, 1e-9);
    assert_near(s.value[5], 0, 1e-11);
    assert_near(r.carried_weight, 1, 1e-9);
    assert_near(r.motor_energy, 0, 1e-9);
    tl_world_destroy(world);
}

/* --- contacts --------------------------------------------------------------------------------- */

/* A stack of three boxes and a hinged beam fall onto a floor and come to rest: heights. */
static void rest_of(const tl_settings *settings, double z[4], tl_report *r)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.5, 0.2);
    tl_body bodies[4];
    tl_body_def def = tl_body_default();
    tl_shape_def box = tl_box_default(0.1, 0.1, 0.1), bar = tl_box_default(1, 0.05, 0.05);
    add_floor(scene, material);
    box.material = bar.material = material;
    def.shape_count = 1;
    def.shapes = &box;
    def.mass = 1;
    for (int i = 0; i < 3; i++) {
        def.position[2] = 0.13 + 0.23 * i;
        bodies[i] = add_body(scene, &def);
    }
    put beam = {.x = {3, 0, 0.5}, .q = {1, 0, 0, 0}};
    def.shapes = &bar;
    memcpy(def.position, beam.x, sizeof beam.x);
    bodies[3] = beam.body = add_body(scene, &def);
    join(scene, TL_JOINT_REVOLUTE, ground, beam, 2, 0, 0.5, joint_y);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)lround(4 / settings->step));
    *r = step_report(world, 1);
    for (int i = 0; i < 4; i++) {
        double x[3];
        position_of(world, bodies[i], x);
        z[i] = x[2];
    }
    tl_world_destroy(world);
}

static void rests(const variant *v)
{
    double z[2][4];
    tl_report r[2];
    for (int i = 0; i < 2; i++) {
        tl_settings settings = settings_for(v, 0.005);
        settings.stepper = steppers[i];
        rest_of(&settings, z[i], &r[i]);
        assert_below(r[i].kinetic_energy, 1e-6);
        assert_near(r[i].carried_weight, r[0].carried_weight, 1e-3);
    }
    for (int k = 0; k < 4; k++)
        assert_near(z[1][k], z[0][k], 1e-5);
}

static void contacts(void **state)
{
    (void)state;
    for_each_precision(rests);
}

/* A machine falls onto balls and a floor: the report's energies add up. */
static void balance(void **state)
{
    (void)state;
    const tl_settings settings = settings_of(TL_STEPPER_SMOOTH, 0.001);
    tl_scene *scene = machine_scene(&settings);
    tl_world *world = world_of(scene);
    double first = 0, worst = 0, size = 0;
    for (int i = 0; i < 2000; i++) {
        const tl_report r = step_report(world, 1);
        const double sum = r.kinetic_energy + r.potential_energy + r.spring_energy +
                           r.dissipated_energy - r.work_energy;
        first = i ? first : sum;
        worst = fmax(worst, fabs(sum - first));
        size = fmax(size, r.kinetic_energy);
    }
    assert_below(worst, 0.02 * size);
    tl_world_destroy(world);
}

/* --- bits ------------------------------------------------------------------------------------- */

static void read_all(const tl_world *world, double *out)
{
    for (uint32_t i = 0; i < 18; i++) {
        position_of(world, (tl_body){i + 2, 1}, out + 6 * i);
        spin_of(world, (tl_body){i + 2, 1}, out + 6 * i + 3);
    }
}

/* Threads change nothing, nor does a world that was saved and loaded in between. */
static void bits(const variant *v)
{
    double got[3][6 * 18];
    for (uint32_t i = 0; i < 3; i++) {
        tl_settings settings = settings_for(v, 0.005);
        settings.stepper = TL_STEPPER_SMOOTH;
        settings.threads = i == 1 ? 3 : 1;
        tl_world *world = world_of(machine_scene(&settings));
        step(world, 60);
        if (i == 2) {
            void *snapshot;
            size_t bytes;
            assert_ok(tl_world_save(world, &snapshot, &bytes));
            tl_world_destroy(world);
            assert_ok(tl_world_load(snapshot, bytes, &world));
            tl_snapshot_free(snapshot, bytes);
            assert_int_equal(tl_world_settings(world).stepper, TL_STEPPER_SMOOTH);
        }
        step(world, 140);
        read_all(world, got[i]);
        tl_world_destroy(world);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(got[0], got[2], sizeof got[0]);
}

static void same_bits(void **state)
{
    (void)state;
    for_each_precision(bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(double_pendulum_order),
        unwatched_test(double_pendulum_energy),
        cmocka_unit_test(top),
        cmocka_unit_test(spring),
        cmocka_unit_test(play_energy),
        cmocka_unit_test(play_order),
        cmocka_unit_test(throws),
        cmocka_unit_test(cart),
        cmocka_unit_test(motor_limit),
        cmocka_unit_test(motor_jump),
        cmocka_unit_test(reactions),
        cmocka_unit_test(contacts),
        cmocka_unit_test(balance),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
