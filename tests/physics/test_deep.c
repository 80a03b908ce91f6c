/* labels: slow */
/* Deep heaps: contacts at rest that are open by a little are closed by moving, not by falling, so
 * that removing overlap takes no load off a heap; and what a deep column and a deep heap carry. */
#include "scenes.h"
#include "support.h"
#include "world/world.h"

static tl_settings deep_settings(tl_precision precision)
{
    tl_settings settings = tl_settings_default();
    settings.precision = precision;
    settings.threads = 1;
    return settings;
}

/* A ball that rests on the floor is lifted by hand. With a gap that counts as closed it stays at
 * rest, carries its weight, and loses half the gap (recovery_fraction) a step; with a larger one
 * it falls. */
static void lifted(tl_precision precision, tl_solver_kind solver)
{
    const double r = 0.1, mass = 3, small = 0.004 * r, large = 0.02 * r;
    const double part = precision == TL_MIXED ? 1e-5 : solver == TL_PSOR ? 1e-9 : 1e-7;
    tl_settings settings = deep_settings(precision);
    settings.solver.kind = solver;
    if (solver != TL_PSOR) /* which alone solves one contact exactly */
        settings.solver.iterations = settings.solver.position_iterations = 300;
    context("%s", tl_word(TL_WORDS_SOLVER, solver));
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    const tl_body ball =
        add_sphere(scene, (tl_material){0}, r, mass, (double[3]){0, 0, r}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double x[3], u[3], *height = (double *)world->pos.data + 2;
    size_t count;
    step(world, 10);
    position_of(world, ball, x);
    assert_near(x[2], r, part * r);
    *height = r + small;
    for (int i = 1; i <= 12; i++) {
        step(world, 1);
        position_of(world, ball, x);
        velocity_of(world, ball, u);
        assert_near(x[2] - r, small * pow(0.5, i), part * r);
        assert_near(u[2], 0, part);
        tl_contact *contacts = contacts_of(world, &count);
        assert_int_equal(count, 1);
        assert_near(norm3(contacts[0].impulse), mass * G * settings.step, mass * part);
        free(contacts);
    }
    *height = r + large;
    step(world, 1);
    velocity_of(world, ball, u);
    assert_near(u[2], -G * settings.step, part);
    tl_world_destroy(world);
}

static void test_lifted(void **state)
{
    (void)state;
    for (int solver = TL_PSOR; solver <= TL_SPG; solver++) {
        lifted(TL_DOUBLE, (tl_solver_kind)solver);
        lifted(TL_MIXED, (tl_solver_kind)solver);
    }
}

#define COLUMN 50

/* Fifty balls on top of each other, by the default sweeps: the contact below ball k carries 50 - k
 * weights. */
static void test_column(void **state)
{
    (void)state;
    const double r = 0.1, mass = 3;
    const tl_settings settings = deep_settings(TL_DOUBLE);
    const double weight = mass * G * settings.step;
    tl_scene *scene = scene_with(&settings);
    const tl_body floor = add_floor(scene, (tl_material){0});
    tl_body bodies[COLUMN];
    size_t count;
    for (int k = 0; k < COLUMN; k++)
        bodies[k] = add_sphere(scene, (tl_material){0}, r, mass, (double[3]){0, 0, r + 2 * r * k},
                               (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 6000);
    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, COLUMN);
    for (size_t i = 0; i < count; i++) {
        const tl_contact *c = &contacts[i];
        const bool a_above = c->b.index == floor.index || c->a.index > c->b.index;
        const uint32_t k = (a_above ? c->a.index : c->b.index) - bodies[0].index;
        const double push = a_above ? -c->impulse[2] : c->impulse[2];
        static const claim carried = {"a column of 50 balls of 3 kg", "equilibrium: 50 m g",
                                      "force on the floor, N",
                                      "h = 5 ms, default iterations, after 6,000 steps"};
        assert_near(push, (COLUMN - (double)k) * weight, 0.01 * weight);
        if (k == 0)
            assert_found(&carried, "psor coulomb, split, double", push / settings.step,
                         COLUMN * mass * G, 0.01 * mass * G);
        assert_near(c->gap, 0, 1e-5 * r);
    }
    free(contacts);
    tl_world_destroy(world);
}

#define SIDE   6
#define LAYERS 60
#define GRAINS (SIDE * SIDE * LAYERS)

/* The mean height of all grains. */
static double height_of(const tl_world *world, const tl_body *grains)
{
    static double x[GRAINS][3];
    double sum = 0;
    assert_ok(tl_world_read_positions(world, GRAINS, grains, &x[0][0]));
    for (size_t i = 0; i < GRAINS; i++)
        sum += x[i][2];
    return sum / GRAINS;
}

/* Sixty layers in a shaft without wall friction, so that the floor carries everything, by the
 * default sweeps. They come to rest: the floor carries the weight (over half a second, as the heap
 * still swings), the heap no longer sinks, and overlap goes. (A heap whose gaps are closed by
 * falling loses load to each gap, sinks at 0.15 m/s for ever and overlaps by 2.6 % of the radius.)
 */
static void test_heap(void **state)
{
    (void)state;
    const double r = 0.1, spacing = 0.22, half = 0.5 * SIDE * spacing;
    const tl_settings settings = deep_settings(TL_MIXED);
    tl_scene *scene = scene_with(&settings);
    const tl_material rough = add_material(scene, 0.5, 0), smooth = add_material(scene, 0, 0);
    static tl_body grains[GRAINS];
    tl_body floor = add_floor(scene, rough);
    dice d = {1};
    size_t count;
    double sum = 0;
    assert_ok(tl_scene_set_pair(scene, rough, smooth, &(tl_pair_def){0}));
    for (int i = 0; i < 4; i++) {
        const double side = i % 2 ? 1 : -1, z = 0.5 * (LAYERS + 4) * spacing;
        const double at[3] = {i < 2 ? side * (half + 1) : 0, i < 2 ? 0 : side * (half + 1), z};
        add_fixed(scene, tl_box_default(i < 2 ? 1 : half, i < 2 ? half + 2 : 1, z), smooth, at,
                  (double[4]){1, 0, 0, 0});
    }
    for (int i = 0; i < GRAINS; i++) {
        const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (cell[k] + 0.5) * spacing - (k < 2 ? half : 0) + roll(&d, -0.005, 0.005);
        grains[i] = add_sphere(scene, rough, r, 8, x, (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    step(world, 900);
    const double before = height_of(world, grains);
    for (int i = 0; i < 100; i++) {
        step(world, 1);
        tl_contact *contacts = contacts_of(world, &count);
        for (size_t k = 0; k < count; k++)
            if (contacts[k].b.index == floor.index)
                sum -= contacts[k].impulse[2];
        free(contacts);
    }
    static const claim c = {
        "2,160 balls, 60 layers deep, in a shaft with smooth walls", "equilibrium: their weight",
        "mean force on the floor over 0.5 s, over the weight", "h = 5 ms, default iterations"};
    assert_found(&c, "psor coulomb, split, mixed", sum / (100 * GRAINS * 8 * G * settings.step), 1,
                 0.05);
    assert_near(height_of(world, grains), before, 0.1 * r);
    assert_below(step_report(world, 1).mean_penetration, 0.01 * r);
    tl_world_destroy(world);
}

/* The pile that starts packed: spheres touch three of the layer below, those of the first layer the
 * floor, and nothing else; so it is at rest from the start. */
static void test_packed(void **state)
{
    pile_options options = pile_default();
    options.packed = true;
    options.bodies = 6 * 14 * 15;
    options.layers = 6;
    options.settings.threads = 1;
    const double touch = 1e-6 * options.radius; /* centres are rounded to 32-bit */
    tl_scene *scene;
    (void)state;
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    assert_ok(tl_world_find_contacts(world));
    size_t count, floor = 0, hollows = 0, walls = 0;
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++) {
        const double up = fabs(contacts[i].normal[2]);
        const bool wall = up < 0.01; /* near, within the envelope, but not touched */
        assert_true(wall ? contacts[i].gap > touch : fabs(contacts[i].gap) < touch);
        walls += wall;
        floor += up > 0.99;
        hollows += fabs(up - sqrt(1 - 1.1025 / 3)) < 1e-5; /* (2.1 / 2)^2 / 3 */
    }
    assert_int_equal(floor + hollows + walls, count);
    assert_int_equal(floor, 14 * 15);
    assert_true(hollows > 2.7 * 5 * 14 * 15); /* 3 each but at the edges */
    free(contacts);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed), cmocka_unit_test(test_lifted),
                                       cmocka_unit_test(test_column), cmocka_unit_test(test_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
