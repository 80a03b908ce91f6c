/* labels: slow */
/* What contacts must not change and what they may only take: linear and angular momentum of a
 * closed system, and energy with its account. */
#include "support.h"

#define BODIES 60

/* What a cloud of spheres has. */
typedef struct totals {
    double momentum[3], moment[3]; /* N s; N m s about the origin */
    double size, moment_size;      /* sums of the absolute values, for tolerances */
    double kinetic;                /* J */
} totals;

static tl_world *cloud(const variant *v, double mu, double e, double *mass, double *radius,
                       tl_body *bodies)
{
    tl_scene *scene = scene_for(v, 1.0 / 200);
    const tl_material material = add_material(scene, mu, e);
    dice d = {5};
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < BODIES; i++) {
        double x[3] = {0.3 * (i % 4) + roll(&d, -0.04, 0.04),
                       0.3 * (i / 4 % 4) + roll(&d, -0.04, 0.04),
                       0.3 * (i / 16) + roll(&d, -0.04, 0.04)};
        const double middle[3] = {0.45, 0.45, 0.45};
        double u[3];
        roll3(&d, -1.5, 1.5, u);
        for (int k = 0; k < 3; k++) /* inwards, so that they meet */
            u[k] += 2 * (middle[k] - x[k]);
        radius[i] = roll(&d, 0.05, 0.1);
        mass[i] = roll(&d, 1, 4);
        bodies[i] = add_sphere(scene, material, radius[i], mass[i], x, u);
    }
    return world_of(scene);
}

static totals totals_of(const tl_world *world, const double *mass, const double *radius,
                        const tl_body *bodies)
{
    totals t = {{0}, {0}, 0, 0, 0};
    double x[BODIES][3], u[BODIES][3], w[BODIES][3];
    assert_ok(tl_world_read_positions(world, BODIES, bodies, &x[0][0]));
    assert_ok(tl_world_read_velocities(world, BODIES, bodies, &u[0][0]));
    assert_ok(tl_world_read_angular_velocities(world, BODIES, bodies, &w[0][0]));
    for (int i = 0; i < BODIES; i++) {
        const double inertia = 0.4 * mass[i] * radius[i] * radius[i];
        double orbit[3];
        cross3(x[i], u[i], orbit);
        add3(t.momentum, mass[i], u[i], t.momentum);
        add3(t.moment, mass[i], orbit, t.moment);
        add3(t.moment, inertia, w[i], t.moment);
        t.size += mass[i] * norm3(u[i]);
        t.moment_size += mass[i] * norm3(x[i]) * norm3(u[i]) + inertia * norm3(w[i]);
        t.kinetic += (mass[i] * dot3(u[i], u[i]) + inertia * dot3(w[i], w[i])) / 2;
    }
    return t;
}

/* Impulses come in opposite pairs: the sum of momenta holds to their rounding, converged or not. */
static void momentum(const variant *v)
{
    const double part = v->precision == TL_DOUBLE ? 1e-12 : 1e-5;
    double mass[BODIES], radius[BODIES];
    tl_body bodies[BODIES];
    uint64_t contacts = 0;
    double worst = 0;
    tl_world *world = cloud(v, 0.5, 0.4, mass, radius, bodies);
    const totals start = totals_of(world, mass, radius, bodies);
    for (int i = 0; i < 200; i++) {
        contacts += step_report(world, 1).active_contacts;
        const totals now = totals_of(world, mass, radius, bodies);
        assert_below(distance3(now.momentum, start.momentum), part * start.size);
        worst = fmax(worst, distance3(now.momentum, start.momentum) / start.size);
    }
    static const claim c = {"60 balls collide, friction 0.5, e = 0.4", "conservation of momentum",
                            "largest change, over the sizes of all momenta",
                            "h = 5 ms, each of 200 steps"};
    assert_found(&c, v->name, worst, 0, part);
    assert_true(contacts >= 30);
    tl_world_destroy(world);
}

static void test_momentum(void **state)
{
    (void)state;
    for_each_variant(momentum);
}

/* Impulses on spheres act on the line between their centres or in opposite pairs at one point of
 * it: angular momentum holds to rounding, in impacts too, which come when bodies have moved. What
 * shifts bodies without an impulse changes x times m v a little: the position problem, and the
 * velocity problem where a body was struck within the step. */
static void angular_momentum(const variant *v, tl_impacts impacts)
{
    const bool shifted =
        impacts == TL_IMPACTS_PROPAGATING && (v->overlap == TL_OVERLAP_SPLIT || is_cone(v));
    const double part = shifted ? 1e-4 : v->precision == TL_DOUBLE ? 1e-12 : 1e-5;
    double mass[BODIES], radius[BODIES], shifts = 0, worst = 0;
    tl_body bodies[BODIES];
    tl_world *world = cloud(v, 0.5, 0.4, mass, radius, bodies);
    tl_settings settings = tl_world_settings(world);
    settings.impacts = impacts;
    assert_ok(tl_world_set_settings(world, &settings));
    const totals start = totals_of(world, mass, radius, bodies);
    for (int i = 0; i < 200; i++) {
        const tl_report report = step_report(world, 1);
        if (v->overlap == TL_OVERLAP_SPLIT)
            shifts += report.max_penetration * report.contacts * start.size;
        const totals now = totals_of(world, mass, radius, bodies);
        worst = fmax(worst, distance3(now.moment, start.moment));
        assert_below(distance3(now.moment, start.moment), part * start.moment_size + shifts);
    }
    static const claim c[2] = {
        {"60 balls collide, friction 0.5, e = 0.4", "conservation of angular momentum",
         "largest change, over the sizes of all moments",
         "simultaneous impacts, h = 5 ms, each of 200 steps"},
        {"60 balls collide, friction 0.5, e = 0.4", "conservation of angular momentum",
         "largest change, over the sizes of all moments", "h = 5 ms, each of 200 steps"}};
    assert_found(&c[impacts == TL_IMPACTS_PROPAGATING], v->name, worst / start.moment_size, 0,
                 part + shifts / start.moment_size);
    tl_world_destroy(world);
}

static void angular_momenta(const variant *v)
{
    angular_momentum(v, TL_IMPACTS_PROPAGATING);
    angular_momentum(v, TL_IMPACTS_SIMULTANEOUS);
}

static void test_angular_momentum(void **state)
{
    (void)state;
    for_each_variant(angular_momenta);
}

/* Energy never grows. Theory gives this for restitution 0 with friction (an impulse at a closed gap
 * only takes; an open gap is closed with a speed below the one before) and for equal restitutions
 * without friction. In single collisions of spheres it holds with both, as their normal and
 * tangential responses are independent; with both, simultaneous collisions are only asked not to
 * gain overall. The velocity mode gives back overlap as speed, and is left out. */
static void energy(const variant *v, double mu, double e, bool each_step)
{
    if (v->overlap == TL_OVERLAP_VELOCITY)
        return;
    const double part = v->precision == TL_DOUBLE ? 1e-9 : 1e-4;
    double mass[BODIES], radius[BODIES];
    tl_body bodies[BODIES];
    tl_world *world = cloud(v, mu, e, mass, radius, bodies);
    const totals start = totals_of(world, mass, radius, bodies);
    double last = start.kinetic, worst = 0;
    for (int i = 0; i < 200; i++) {
        const tl_report report = step_report(world, 1);
        const totals now = totals_of(world, mass, radius, bodies);
        assert_near(report.kinetic_energy, now.kinetic, part * start.kinetic);
        if (each_step)
            assert_below(now.kinetic - last, part * start.kinetic);
        /* The account: what is gone from the bodies is what the contacts took. */
        assert_near(start.kinetic - now.kinetic, report.dissipated_energy, part * start.kinetic);
        worst = fmax(worst, fabs(start.kinetic - now.kinetic - report.dissipated_energy));
        last = now.kinetic;
    }
    static const claim c = {"60 balls collide, four pairs of friction and restitution",
                            "bookkeeping: kinetic + dissipated",
                            "largest change of the sum, over the energy",
                            "h = 5 ms, each of 200 steps"};
    assert_found(&c, v->name, worst / start.kinetic, 0, part);
    assert_below(last, start.kinetic * (1 + part));
    if (e < 1)
        assert_below(last, 0.95 * start.kinetic);
    tl_world_destroy(world);
}

static void energy_cases(const variant *v)
{
    energy(v, 0.5, 0, true);
    energy(v, 0, 0.5, true);
    energy(v, 0, 1, true);
    energy(v, 0.3, 0.5, false);
}

static void test_energy(void **state)
{
    (void)state;
    for_each_variant(energy_cases);
}

/* With gravity: E_0 = kinetic + potential + dissipated. In one step of free flight symplectic Euler
 * loses m g^2 h^2 / 2, and so much again may be credited to a contact that stops a body at rest: in
 * all at most m g^2 h t. What the split lifts out of overlap adds m g times the height. */
static void account(const variant *v)
{
    const double h = 1.0 / 500, mass = 2, r = 0.1;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0.3, 0);
    double lifted = 0, start = 0;
    dice d = {9};
    add_floor(scene, material);
    for (int i = 0; i < 20; i++) {
        const double x[3] = {roll(&d, 0, 0.3), roll(&d, 0, 0.3), 0.3 * i + 0.2};
        add_sphere(scene, material, r, mass, x, (double[3]){0.2, 0, 0});
        start += mass * G * x[2] + mass * 0.04 / 2;
    }
    tl_world *world = world_of(scene);
    for (int i = 0; i < 1000; i++) {
        const tl_report report = step_report(world, 1);
        const double total =
            report.kinetic_energy + report.potential_energy + report.dissipated_energy;
        lifted += report.max_penetration * mass * G * 20;
        assert_near(total, start,
                    20 * mass * G * G * h * report.time + lifted + slack(v, start, 1000));
    }
    tl_world_destroy(world);
}

static void test_account(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant v = variant_at(i);
        context("%s", v.name);
        if (v.overlap == TL_OVERLAP_SPLIT)
            account(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_angular_momentum),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
