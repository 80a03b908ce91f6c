/* labels: slow */
/* Spinning free bodies with three different moments of inertia: angular momentum and kinetic energy
 * over 100,000 steps, the flips about the intermediate axis, the precession of a symmetric top in
 * closed form, the order of convergence in h, and needles. */
#include "support.h"

typedef struct top {
    const char *name;
    double inertia[3]; /* kg m^2, principal */
    double spin[3];    /* rad/s, in the body's frame at the start */
} top;

static const top intermediate = {"near the intermediate axis", {1, 2, 3}, {1e-3, 2, 1e-3}};
static const top general = {"general", {1, 2, 3}, {1, 0.5, 2}};
static const top flat = {"nearly flat plate", {1, 1.5, 2.45}, {0.3, 1.2, -0.7}};

/* A world with one free body, turned arbitrarily at the start. */
static tl_world *top_world(tl_precision precision, double h, const top *t, tl_body *body)
{
    tl_settings settings = tl_settings_default();
    settings.step = h;
    settings.precision = precision;
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    tl_body_def def = tl_body_default();
    set_gravity(scene, 0, 0, 0);
    def.mass = 2;
    memcpy(def.inertia, t->inertia, sizeof def.inertia);
    turn((double[3]){1, -2, 0.5}, 0.8, def.orientation);
    rotate(def.orientation, 1, t->spin, def.angular_velocity);
    *body = add_body(scene, &def);
    return world_of(scene);
}

/* World-frame angular momentum and kinetic energy; the spin in the body's frame too. */
static double momentum(const tl_world *world, tl_body body, const top *t, double moment[3],
                       double spin[3])
{
    double q[4], w[3], l[3];
    orientation_of(world, body, q);
    spin_of(world, body, w);
    rotate(q, -1, w, spin);
    for (int k = 0; k < 3; k++)
        l[k] = t->inertia[k] * spin[k];
    rotate(q, 1, l, moment);
    return dot3(spin, l) / 2;
}

/* The integrator conserves both but for rounding and the tolerance of its implicit equation. Mixed
 * precision rounds the spin to 24 bits a step: 1e5 steps of 6e-8 make 6e-3 if all point one way,
 * 2e-5 if they are random; 1e-3 allows for a mild bias. */
static void conserve(const top *t, tl_precision precision)
{
    const double limit = precision == TL_DOUBLE ? 1e-9 : 1e-3;
    double start[3], now[3], spin[3], worst_moment = 0, worst_energy = 0;
    int flips = 0;
    tl_body body;
    tl_world *world = top_world(precision, 1.0 / 200, t, &body);
    const double energy = momentum(world, body, t, start, spin);
    double side = spin[1];
    for (int i = 0; i < 1000; i++) {
        step(world, 100);
        const double e = momentum(world, body, t, now, spin);
        worst_energy = fmax(worst_energy, fabs(e / energy - 1));
        worst_moment = fmax(worst_moment, distance3(now, start) / norm3(start));
        flips += spin[1] * side < 0;
        side = spin[1];
    }
    context("%s, %s", t->name, precision == TL_DOUBLE ? "double" : "mixed");
    print_message("%s: drift of angular momentum %.2g, of energy %.2g, %d flips\n", test_context,
                  worst_moment, worst_energy, flips);
    static const claim of_moment = {"free bodies with inertias 1:2:3 and 1:1.5:2.45, one flipping",
                                    "conservation of angular momentum",
                                    "largest change over 100,000 steps, relative", "h = 5 ms"};
    static const claim of_energy = {"free bodies with inertias 1:2:3 and 1:1.5:2.45, one flipping",
                                    "conservation of energy",
                                    "largest change over 100,000 steps, relative", "h = 5 ms"};
    const char *how = precision == TL_DOUBLE ? "no contact, double" : "no contact, mixed";
    assert_found(&of_moment, how, worst_moment, 0, limit);
    assert_found(&of_energy, how, worst_energy, 0, limit);
    /* The unstable axis: the deviation grows as exp(1.155 t), from 1e-3 to 1 in 6 s, and the body
     * turns over twice as slowly: at least every 25 s of the 500. */
    if (t == &intermediate)
        assert_true(flips >= 20);
    tl_world_destroy(world);
}

static void test_conservation(void **state)
{
    (void)state;
    const top *tops[] = {&intermediate, &general, &flat};
    for (int i = 0; i < 3; i++) {
        conserve(tops[i], TL_DOUBLE);
        conserve(tops[i], TL_MIXED);
    }
}

/* A symmetric top: its axis goes round the angular momentum L at the rate |L| / I_1. A second-order
 * integrator gets the rate wrong by a part (w h)^2 at most, with w the largest of the rates. */
static void precession(const variant *v)
{
    const top t = {"symmetric", {1.5, 1.5, 2}, {0.8, 0, 3}};
    const double h = 1.0 / 400, time = 5;
    double moment[3], spin[3], q[4], axis[3], turned[4], want[3];
    const double up[3] = {0, 0, 1};
    tl_body body;
    tl_world *world = top_world(v->precision, h, &t, &body);
    momentum(world, body, &t, moment, spin);
    orientation_of(world, body, q);
    rotate(q, 1, up, axis);

    const double rate = norm3(moment) / t.inertia[0];
    turn(moment, rate * time, turned);
    rotate(turned, 1, axis, want);
    step(world, (uint32_t)(time / h + 0.5));
    orientation_of(world, body, q);
    rotate(q, 1, up, axis);
    static const claim c = {"a symmetric top, free", "closed form: precession at L / I",
                            "angle between the axis and where it should be after 5 s, rad",
                            "h = 2.5 ms"};
    assert_found(&c, v->precision == TL_DOUBLE ? "no contact, double" : "no contact, mixed",
                 distance3(axis, want), 0,
                 rate * rate * h * h * rate * time + slack(v, 1, time / h));
    tl_world_destroy(world);
}

static void test_precession(void **state)
{
    (void)state;
    for_each_precision(precession);
}

/* The angle between two orientations. */
static double angle_between(const double a[4], const double b[4])
{
    double difference = 0, sum = 0;
    for (int k = 0; k < 4; k++) {
        difference += (a[k] - b[k]) * (a[k] - b[k]);
        sum += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 4 * asin(fmin(1, sqrt(fmin(difference, sum)) / 2));
}

static void final_state(double h, double q[4], double w[3])
{
    tl_body body;
    tl_world *world = top_world(TL_DOUBLE, h, &general, &body);
    step(world, (uint32_t)(2 / h + 0.5));
    orientation_of(world, body, q);
    spin_of(world, body, w);
    tl_world_destroy(world);
}

/* Second order in the orientation and in the spin, against a reference with a 64 times finer step
 * than the finest (which adds 1/4096 of its error). */
static void test_order(void **state)
{
    (void)state;
    double reference_q[4], reference_w[3], angle[4], spin[4];
    context("order of the free rotation");
    final_state(1.0 / 25600, reference_q, reference_w);
    for (int level = 0; level < 4; level++) {
        double q[4], w[3];
        final_state(1.0 / (50 << level), q, w);
        angle[level] = angle_between(q, reference_q);
        spin[level] = distance3(w, reference_w);
        if (level > 0)
            print_message("free rotation, h = 1/%d: order %.3f in angle, %.3f in spin\n",
                          50 << level, log2(angle[level - 1] / angle[level]),
                          log2(spin[level - 1] / spin[level]));
    }
    static const claim c = {"a free body with inertias 1:2:3", "theory: second order",
                            "order of convergence of the orientation", "h = 1/50 to 1/400 s"};
    assert_found(&c, "no contact, double", log2(angle[0] / angle[3]) / 3, 2, 0.2);
    assert_near(log2(spin[0] / spin[3]) / 3, 2, 0.2);
}

/* Needles: a moment that is 10,000 times smaller than the others, and spins that steps resolve, or
 * do not. No energy may come out of free flight. */
static void test_slender(void **state)
{
    (void)state;
    static const top needles[] = {
        {"needle", {1, 1, 1e-4}, {3, 4, 100}},
        {"needle, little spin", {1, 1, 1e-4}, {3, 4, 0.1}},
        {"blade", {1, 1.00005, 1e-4}, {3, -4, 20}},
        {"needle, unresolved", {1, 1, 1e-4}, {300, 40, 10000}},
        {"blade, unresolved", {1, 1.00005, 1e-4}, {2000, 500, 3000}},
        {"plate, unresolved", {1, 1, 2}, {900, 100, 3000}},
    };
    for (size_t n = 0; n < sizeof needles / sizeof *needles; n++) {
        double start[3], now[3], spin[3], worst_moment = 0, worst_energy = 0;
        tl_body body;
        tl_world *world = top_world(TL_DOUBLE, 1.0 / 200, &needles[n], &body);
        const double energy = momentum(world, body, &needles[n], start, spin);
        for (int i = 0; i < 1000; i++) {
            step(world, 1);
            const double e = momentum(world, body, &needles[n], now, spin);
            worst_energy = fmax(worst_energy, fabs(e / energy - 1));
            worst_moment = fmax(worst_moment, distance3(now, start) / norm3(start));
        }
        context("%s", needles[n].name);
        print_message("%s: drift of angular momentum %.2g, of energy %.2g\n", test_context,
                      worst_moment, worst_energy);
        assert_true(worst_moment < 1e-9);
        assert_true(worst_energy < 1e-9);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_precession),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_slender),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
