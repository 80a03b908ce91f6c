/* Shapes on an inclined plane: a box slides, rests or tips over; cylinders, capsules and hoops
 * roll. And an ellipsoid rocks on a level one. Against closed forms. */
#include "physics/shapes.h"

#define STEP (1.0 / 1000)

/* What became of a body on a slope after one second from rest. */
typedef struct outcome {
    double speed;  /* m/s, down the slope */
    double aside;  /* m/s, across it */
    double rise;   /* m, off the slope */
    double spin;   /* rad/s, about the axis across the slope */
    double travel; /* m, down the slope */
    double energy; /* J */
} outcome;

/* `def` lies on the slope with its centre of mass `height` above it. */
static outcome run_on_slope(const variant *v, double angle, double mu, tl_body_def def,
                            tl_shape_def shape, double height)
{
    const slope s = make_slope(angle);
    double place[3] = {0, 0, 0}, x[3], u[3], w[3];
    tl_scene *scene = scene_for(v, STEP);
    const tl_material material = add_material(scene, mu, 0);
    add_fixed(scene, tl_plane_default(), material, place, s.turn);
    add3(place, height, s.normal, place);
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, place, sizeof place);
    const double lying[4] = {def.orientation[0], def.orientation[1], def.orientation[2],
                             def.orientation[3]};
    turn_twice(s.turn, lying, def.orientation);
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, (uint32_t)(1 / STEP + 0.5));
    position_of(world, body, x);
    velocity_of(world, body, u);
    spin_of(world, body, w);
    tl_world_destroy(world);
    const double way[3] = {x[0] - place[0], x[1] - place[1], x[2] - place[2]};
    return (outcome){.speed = dot3(u, s.down),
                     .aside = u[1],
                     .rise = dot3(way, s.normal),
                     .spin = w[1],
                     .travel = dot3(way, s.down),
                     .energy = report.kinetic_energy};
}

/* ---- A box ---- */

/* Friction below tan a by one part in 200: it slides with g (sin a - mu cos a); above by as much:
 * it rests. */
static void box_slides(const variant *v)
{
    const double angle = 0.4, part = 0.005, flat[3] = {0.2, 0.15, 0.05};
    const tl_shape_def box = tl_box_default(flat[0], flat[1], flat[2]);
    const double below = (1 - part) * tan(angle), above = (1 + part) * tan(angle);
    const outcome slides = run_on_slope(v, angle, below, tl_body_default(), box, flat[2]);
    const outcome rests = run_on_slope(v, angle, above, tl_body_default(), box, flat[2]);
    static const claim slid = {"a box on a slope of 0.4 rad, friction 0.995 tan a",
                               "closed form: g (sin a - mu cos a)", "speed after 1 s, m/s",
                               "h = 1 ms"};
    static const claim rested = {"a box on a slope of 0.4 rad, friction 1.005 tan a",
                                 "closed form: it rests", "way in 1 s, m", "h = 1 ms"};
    /* four points share what one needs: they are solved less far */
    assert_found(&slid, v->name, slides.speed, G * (sin(angle) - below * cos(angle)),
                 fmax(slack(v, 1, 1000), 1e-7));
    assert_near(slides.spin, 0, slack(v, 1, 1000));
    assert_near(slides.rise, 0, slack(v, 0.1, 1000));
    assert_found(&rested, v->name, rests.travel, 0, slack(v, 0.1, 1000));
    assert_near(rests.aside, 0, slack(v, 0.1, 1000));
}

/* The angle of a box that turns about its lower edge, after a time: I q'' = m g d sin q, where q
 * is how far the centre is beyond the edge; by Runge and Kutta's rule. */
static double tipped(double start, double half_width, double half_height, double time)
{
    const double d2 = half_width * half_width + half_height * half_height;
    const double k = G * sqrt(d2) / (d2 * 4 / 3), h = 1e-4;
    double q = start, w = 0;
    for (double t = 0; t < time - h / 2; t += h) {
        const double q1 = w, w1 = k * sin(q);
        const double q2 = w + h / 2 * w1, w2 = k * sin(q + h / 2 * q1);
        const double q3 = w + h / 2 * w2, w3 = k * sin(q + h / 2 * q2);
        const double q4 = w + h * w3, w4 = k * sin(q + h * q3);
        q += h / 6 * (q1 + 2 * q2 + 2 * q3 + q4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return q - start;
}

/* A tall box tips where its centre is beyond its lower edge: at tan a = width / height. One part in
 * a hundred less, it stands; two degrees more, it turns about the edge as a pendulum does. */
static void box_tips(const variant *v)
{
    const double half[3] = {0.1, 0.15, 0.25}, corner = atan(half[0] / half[2]);
    const tl_shape_def box = tl_box_default(half[0], half[1], half[2]);
    const outcome stands = run_on_slope(v, 0.99 * corner, 1.5, tl_body_default(), box, half[2]);
    static const claim stood = {"a box of 1:2.5 on a slope, 1 % below its corner angle",
                                "closed form: it stands", "spin after 1 s, rad/s",
                                "friction 1.5, h = 1 ms"};
    assert_found(&stood, v->name, stands.spin, 0, slack(v, 1, 1000));
    assert_near(stands.travel, 0, slack(v, 0.1, 1000));

    const double beyond = 2 * PI / 180, time = 0.5;
    const slope s = make_slope(corner + beyond);
    double place[3] = {0, 0, 0}, q[4], up[3];
    tl_scene *scene = scene_for(v, STEP);
    const tl_material material = add_material(scene, 1.5, 0);
    add_fixed(scene, tl_plane_default(), material, place, s.turn);
    add3(place, half[2], s.normal, place);
    const tl_body body = add_block(scene, material, half, place, s.turn);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(time / STEP + 0.5));
    orientation_of(world, body, q);
    rotate(q, 1, (double[3]){0, 0, 1}, up);
    tl_world_destroy(world);
    static const claim c = {"a box of 1:2.5 on a slope, 2 degrees above its corner angle",
                            "closed form: turns about its edge", "angle after 0.5 s, rad",
                            "friction 1.5, h = 1 ms"};
    const double want = tipped(beyond, half[0], half[2], time);
    assert_found(&c, v->name, atan2(dot3(up, s.down), dot3(up, s.normal)), want, 0.01 * want);
}

/* ---- What rolls ---- */

/* A body of radius 0.1 whose axis lies across the slope, with the moment part m r^2 about it, rolls
 * with g sin a / (1 + part). */
static void expect_rolling(const variant *v, const claim *c, const outcome *o, double angle,
                           double part)
{
    const double a = G * sin(angle) / (1 + part);
    const double error = v->precision == TL_DOUBLE ? 1e-9 : 2e-5;
    assert_found(c, v->name, o->speed, a, error);
    assert_near(o->travel, a * (1 + STEP) / 2, error);
    assert_near(o->spin * 0.1, a, 2 * error);
    assert_near(o->aside, 0, error);
    assert_near(o->rise, 0, error);
}

static tl_body_def across(void)
{
    tl_body_def def = tl_body_default();
    turn((double[3]){1, 0, 0}, PI / 2, def.orientation);
    return def;
}

static void cylinder_rolls(const variant *v)
{
    const double angle = 0.3;
    const tl_shape_def cylinder = tl_cylinder_default(0.1, 0.12);
    const outcome solid = run_on_slope(v, angle, 0.5, across(), cylinder, 0.1);
    static const claim c = {"a cylinder rolls down a slope of 0.3 rad, friction 0.5",
                            "closed form: 2/3 g sin a", "speed after 1 s, m/s", "h = 1 ms"};
    expect_rolling(v, &c, &solid, angle, 0.5);
    tl_body_def hoop = across();
    hoop.mass = 2;
    hoop.inertia[0] = hoop.inertia[1] = 2 * (0.01 / 2 + 0.24 * 0.24 / 12);
    hoop.inertia[2] = 2 * 0.01;
    const outcome thin = run_on_slope(v, angle, 0.5, hoop, cylinder, 0.1);
    static const claim h = {"a hoop rolls down a slope of 0.3 rad, friction 0.5",
                            "closed form: 1/2 g sin a", "speed after 1 s, m/s",
                            "cylinder with its mass at the rim, h = 1 ms"};
    expect_rolling(v, &h, &thin, angle, 1);
}

/* Moments of a capsule about its axis: m r^2 / 2 of the cylinder, 2/5 m r^2 of both caps. */
static void capsule_rolls(const variant *v)
{
    const double angle = 0.3, r = 0.1, half = 0.15, tube = 2 * half, caps = 4.0 / 3 * r;
    const outcome o = run_on_slope(v, angle, 0.5, across(), tl_capsule_default(r, half), r);
    static const claim c = {"a capsule rolls down a slope of 0.3 rad, friction 0.5",
                            "closed form: g sin a / (1 + I / m r^2)", "speed after 1 s, m/s",
                            "h = 1 ms"};
    expect_rolling(v, &c, &o, angle, (0.5 * tube + 0.4 * caps) / (tube + caps));
}

/* ---- What rocks ---- */

/* An ellipsoid on its flattest point, where its radius of curvature is a^2 / c, rocks with w^2 =
 * m g (a^2 - c^2) / c / (I + m c^2): the period from where its spin changes sign. */
static void ellipsoid_rocks(const variant *v)
{
    const double a = 0.2, b = 0.15, c = 0.1, tilt = 0.02;
    const double height = sqrt(a * a * sin(tilt) * sin(tilt) + c * c * cos(tilt) * cos(tilt));
    double q[4], last = 0, first = NAN, end = NAN;
    int turns = 0;
    turn((double[3]){0, 1, 0}, tilt, q);
    tl_scene *scene = scene_for(v, STEP / 2);
    const tl_material material = add_material(scene, 1, 0);
    add_floor(scene, material);
    const tl_body body =
        add_shape(scene, tl_ellipsoid_default(a, b, c), material, (double[3]){0, 0, height}, q);
    tl_world *world = world_of(scene);
    for (int i = 1; i < 6000 && turns < 9; i++) {
        double w[3];
        step(world, 1);
        spin_of(world, body, w);
        if (w[1] * last < 0) {
            end = STEP / 2 * (i - fabs(w[1]) / (fabs(w[1]) + fabs(last)));
            first = turns++ ? first : end;
        }
        last = w[1];
    }
    tl_world_destroy(world);
    assert_int_equal(turns, 9); /* eight half periods */
    const double want = 2 * PI / sqrt(G * (a * a - c * c) / c / ((a * a + c * c) / 5 + c * c));
    static const claim rocks = {"an ellipsoid of 0.2, 0.15, 0.1 m rocks on a plane, 0.02 rad",
                                "closed form of small amplitudes, by its radius of curvature",
                                "period, s", "friction 1, h = 0.5 ms"};
    assert_found(&rocks, v->name, (end - first) / 4, want, 0.005 * want);
}

static void test_box_slides(void **state)
{
    (void)state;
    for_each_precision(box_slides);
}

static void test_box_tips(void **state)
{
    (void)state;
    for_each_precision(box_tips);
}

static void test_cylinder(void **state)
{
    (void)state;
    for_each_precision(cylinder_rolls);
}

static void test_capsule(void **state)
{
    (void)state;
    for_each_precision(capsule_rolls);
}

static void test_ellipsoid(void **state)
{
    (void)state;
    for_each_precision(ellipsoid_rocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_slides), cmocka_unit_test(test_box_tips),
        cmocka_unit_test(test_cylinder),   cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_ellipsoid),
    };
    return cmocka_run_group_tests_name("shapes on slopes", tests, NULL, NULL);
}
