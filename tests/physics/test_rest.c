/* labels: slow */
/* Bodies at rest: the impulses of contacts against the weights they carry. A layer, a pyramid, a
 * column of ten, and a pile that is still falling. */
#include "support.h"

/* The sum of all impulses that fixed bodies give to dynamic ones. */
static void support_of(const tl_world *world, const tl_body *fixed, size_t fixed_count,
                       double sum[3])
{
    size_t count;
    tl_contact *contacts = contacts_of(world, &count);
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t f = 0; f < fixed_count; f++)
            if (contacts[i].b.index == fixed[f].index)
                add3(sum, -1, contacts[i].impulse, sum);
    free(contacts);
}

/* 5 by 5 spheres that touch their neighbours, on a plane. The floor carries exactly their weight,
 * and each its own. */
static void layer(const variant *v)
{
    const double r = 0.1, h = 1.0 / 200, mass = 1000 * 4.0 / 3 * PI * r * r * r;
    tl_scene *scene = scene_for(v, h);
    const tl_material none = {0};
    const tl_body floor = add_floor(scene, none);
    double sum[3];
    size_t count, on_floor = 0;
    for (int i = 0; i < 25; i++)
        add_sphere(scene, none, r, 0, (double[3]){2 * r * (i % 5), 2 * r * (i / 5), r},
                   (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 20);
    support_of(world, &floor, 1, sum);
    static const claim c = {"a layer of 25 touching balls at rest", "equilibrium: its weight",
                            "force on the floor, N", "h = 5 ms"};
    assert_found(&c, v->name, sum[2] / h, 25 * mass * G, 25 * mass * G * slack(v, 1, 20));
    assert_near(hypot(sum[0], sum[1]), 0, 25 * mass * G * h * slack(v, 1, 20));

    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, 25 + 40);
    for (size_t i = 0; i < count; i++) {
        if (contacts[i].b.index != floor.index)
            continue;
        assert_near(contacts[i].impulse[2], -mass * G * h, mass * G * h * slack(v, 1, 20));
        on_floor++;
    }
    assert_int_equal(on_floor, 25);
    free(contacts);
    tl_world_destroy(world);
}

static void test_layer(void **state)
{
    (void)state;
    for_each_variant(layer);
}

/* Three spheres, apart from each other, carry a fourth. With centres 1.25 r from the axis the top
 * one rests on contacts 38.7 degrees off the vertical. A base sphere is held by two forces in
 * balance with its weight, at the floor below its centre and at the top sphere; so the latter
 * points along the line between the two contacts, 19.3 degrees off the normal, and a friction of
 * 0.6 > tan(19.3 deg) = 0.35 holds. Three supports are statically determinate: each base sphere
 * carries 4/3 of the weight, the pyramid must not move. */
static void pyramid(const variant *v)
{
    const double r = 0.1, h = 1.0 / 200, mass = 2;
    const double part = v->precision == TL_DOUBLE ? 1e-6 : 1e-4;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, 0.6, 0);
    const tl_body floor = add_floor(scene, material);
    size_t count, on_floor = 0;
    double x[3];
    for (int i = 0; i < 3; i++)
        add_sphere(scene, material, r, mass,
                   (double[3]){1.25 * r * cos(2 * PI / 3 * i), 1.25 * r * sin(2 * PI / 3 * i), r},
                   (double[3]){0, 0, 0});
    const double top[3] = {0, 0, r + sqrt(4 - 1.25 * 1.25) * r};
    const tl_body crown = add_sphere(scene, material, r, mass, top, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 200);

    position_of(world, crown, x);
    assert_near(distance3(x, top), 0, 1e-4 * r);
    assert_below(report.kinetic_energy, mass * (part * G * h) * (part * G * h) * 100);
    assert_int_equal(report.contacts, 6);
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++) {
        if (contacts[i].b.index != floor.index)
            continue;
        static const claim c = {"a pyramid: three balls carry a fourth, friction 0.6",
                                "equilibrium: 4/3 m g", "force on the floor under one ball, N",
                                "h = 5 ms"};
        assert_found(&c, v->name, -contacts[i].impulse[2] / h, 4.0 / 3 * mass * G,
                     4.0 / 3 * mass * G * part);
        on_floor++;
    }
    assert_int_equal(on_floor, 3);
    free(contacts);
    tl_world_destroy(world);
}

static void test_pyramid(void **state)
{
    (void)state;
    for_each_variant(pyramid);
}

/* Ten spheres on top of each other: the contact below sphere k carries 10 - k weights. The
 * problem's smallest eigenvalue is 4 sin^2(pi / 42) / m = 0.0224 / m, about 1/180 of its largest.
 * One step should solve its problem well, as a rest left to the next one makes the column swing:
 * jacobi (the slowest) contracts by 1 - 0.3 * 3 / 16 * 0.0224 = 0.9987 an iteration, so 2,000 of
 * them leave a part of 0.08, which 200 warm-started steps bring down to nothing. Mixed precision
 * leaves its unit, 6e-8, times the condition number 180, in each of the ten. */
static void column(const variant *v)
{
    const double r = 0.1, h = 1.0 / 200, mass = 3;
    const double part = v->precision == TL_DOUBLE ? 1e-6 : 1e-4;
    tl_settings settings = settings_for(v, h);
    if (v->kind == TL_JACOBI)
        settings.solver.iterations *= 5;
    tl_scene *scene = scene_with(&settings);
    const tl_material none = {0};
    tl_body bodies[10];
    size_t count;
    const tl_body floor = add_floor(scene, none);
    for (int k = 0; k < 10; k++)
        bodies[k] = add_sphere(scene, none, r, mass, (double[3]){0, 0, r + 2 * r * k},
                               (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 200);

    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, 10);
    bool seen[10] = {false};
    for (size_t i = 0; i < count; i++) {
        const tl_contact *c = &contacts[i];
        uint32_t upper = c->a.index > c->b.index ? c->a.index : c->b.index;
        if (c->b.index == floor.index)
            upper = c->a.index;
        const uint32_t k = upper - bodies[0].index;
        assert_true(k < 10 && !seen[k]);
        seen[k] = true;
        const double weight = (10 - (double)k) * mass * G * h;
        const double push = upper == c->b.index ? c->impulse[2] : -c->impulse[2];
        static const claim lowest = {"a column of ten balls of 3 kg", "equilibrium: 10 m g",
                                     "force on the floor, N", "h = 5 ms"};
        assert_near(push, weight, 10 * mass * G * h * part);
        if (k == 0)
            assert_found(&lowest, v->name, push / h, weight / h, 10 * mass * G * part);
    }
    free(contacts);
    for (int k = 0; k < 10; k++) {
        double x[3];
        position_of(world, bodies[k], x);
        assert_near(x[2], r + 2 * r * k, 1e-4 * r);
    }
    tl_world_destroy(world);
}

static void test_column(void **state)
{
    (void)state;
    for_each_variant(column);
}

#define GRAINS 27

/* The vertical momentum of all grains. */
static double momentum_of(const tl_world *world, const tl_body *grains, double *weight)
{
    double mass[GRAINS], u[GRAINS][3], sum = 0;
    assert_ok(tl_world_read_masses(world, GRAINS, grains, mass));
    assert_ok(tl_world_read_velocities(world, GRAINS, grains, &u[0][0]));
    *weight = 0;
    for (int i = 0; i < GRAINS; i++) {
        sum += mass[i] * u[i][2];
        *weight += mass[i] * G;
    }
    return sum;
}

/* A pile in a box of parallelograms, watched while it falls and when it rests. In every step what
 * the walls give is the weight's impulse plus the change of momentum, exactly, converged or not; at
 * rest (after 2 s; a body falls from the top in 0.4) the change is gone. */
static void pile(const variant *v)
{
    const double h = 1.0 / 200, part = v->precision == TL_DOUBLE ? 1e-11 : 1e-4;
    tl_settings settings = settings_for(v, h);
    settings.solver.iterations = settings.solver.position_iterations = 40;
    tl_scene *scene = scene_with(&settings);
    tl_body walls[5], grains[GRAINS];
    const double corner[5][3] = {
        {-2, -2, 0}, {-0.4, -2, -1}, {0.4, -2, -1}, {-2, -0.4, -1}, {-2, 0.4, -1}};
    double sum[3], weight = 0, before = 0, after = 0, largest = 0, worst = 0;
    dice d = {3};
    for (int i = 0; i < 5; i++) {
        const double along[3] = {i == 0 || i > 2 ? 4 : 0, i == 1 || i == 2 ? 4 : 0, 0};
        const double up[3] = {0, i == 0 ? 4 : 0, i == 0 ? 0 : 9};
        walls[i] = add_fixed(scene, tl_parallelogram_default(along, up), (tl_material){0},
                             corner[i], (double[4]){1, 0, 0, 0});
    }
    for (int i = 0; i < GRAINS; i++)
        grains[i] = add_sphere(scene, (tl_material){0}, roll(&d, 0.08, 0.1), 0,
                               (double[3]){-0.24 + 0.24 * (i % 3) + roll(&d, -0.01, 0.01),
                                           -0.24 + 0.24 * (i / 3 % 3) + roll(&d, -0.01, 0.01),
                                           0.15 + 0.22 * (i / 9)},
                               (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 400; i++) {
        before = momentum_of(world, grains, &weight);
        step(world, 1);
        after = momentum_of(world, grains, &weight);
        support_of(world, walls, 5, sum);
        largest = fmax(largest, fabs(before));
        /* Momenta and impulses are rounded contact by contact: 24 or 53 bits of the largest. */
        assert_near(sum[2] - weight * h, after - before, (largest + weight * h) * part);
        worst = fmax(worst, fabs(sum[2] - weight * h - after + before) / (largest + weight * h));
    }
    static const claim c = {"27 balls fall into a box and come to rest", "conservation of momentum",
                            "impulse of the walls less weight and change of momentum, over the "
                            "largest momentum",
                            "h = 5 ms, 40 iterations, each of 400 steps"};
    assert_found(&c, v->name, worst, 0, part);
    assert_above(largest, 10 * weight * h); /* it did fall */
    assert_near(sum[2], weight * h, 0.05 * weight * h);
    tl_world_destroy(world);
}

static void test_pile(void **state)
{
    (void)state;
    for_each_variant(pile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_pyramid),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
