/* labels: slow */
/* Structures that stand by friction: they stand with the default solver where a linear programme
 * says that they can, and fall where it says that they cannot. When the step looks for balance, and
 * that it does not do so for nothing. More of them: test_structures_long.c. */
#include "structures.h"

/* The least friction of two cases with closed forms: the wedge's is the tangent of its angle, that
 * of three balls the tangent of 15 degrees. */
static void test_programme(void **state)
{
    (void)state;
    context("the linear programme");
    for (int k = 1; k < 6; k++) {
        const structure s = wedge(0.1 * k);
        assert_near(least_friction(&s, 3), tan(0.1 * k), 2e-4);
    }
    const structure three = pyramid(2, 0);
    assert_near(least_friction(&three, 3), tan(PI / 12), 1e-4);
}

static void test_named(void **state)
{
    (void)state;
    for (int k = 2; k <= 10; k += k < 6 ? 1 : 4) {
        const structure s = pyramid(k, 0);
        assert_true(stands_from_there_on(&s, TL_MIXED, "pyramid", k));
    }
    const structure tilted = pyramid(5, 0.1), plate = wedge(0.2), two = arch(0.3, 0.2),
                    open = gate(7, 4, 2), slanted = leaning(3, 4);
    assert_true(stands_from_there_on(&tilted, TL_MIXED, "tilted pyramid", 5));
    assert_true(stands_from_there_on(&plate, TL_MIXED, "wedge", 2));
    assert_true(stands_from_there_on(&two, TL_MIXED, "arch", 2));
    assert_true(stands_from_there_on(&open, TL_MIXED, "gate", 7));
    assert_true(stands_from_there_on(&slanted, TL_MIXED, "leaning", 3));
}

static void test_heaps(void **state)
{
    (void)state;
    int tested = 0;
    for (int k = 1; k <= 12; k++) {
        const structure s = heap((uint64_t)k);
        tested += stands_from_there_on(&s, k % 2 ? TL_MIXED : TL_DOUBLE, "heap", k);
    }
    assert_true(tested >= 8);
}

/* Heaps whose impulses gradients do not find in 5,000 iterations, or not in 32 bits, or only with
 * contacts that carry nothing and open. */
static void test_stiff_heaps(void **state)
{
    (void)state;
    static const int seeds[] = {86, 87, 105, 194, 232, 266};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        const structure s = heap((uint64_t)seeds[i]);
        assert_true(stands_within(0.01, &s, TL_MIXED, "heap", seeds[i]));
        assert_true(stands_within(0.01, &s, TL_DOUBLE, "heap", seeds[i]));
    }
}

/* A structure's world at a friction, and what the tests below need of it. */
typedef struct built {
    structure s;
    tl_body bodies[MOST_BALLS];
    tl_world *world;
} built;

static void build(built *b, int high, double mu, const tl_settings *settings)
{
    b->s = pyramid(high, 0);
    b->world = world_of(scene_of(&b->s, settings, mu, b->bodies));
}

static tl_settings plain(void)
{
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    return settings;
}

/* One search, in the first step; then nothing is paid. With balance_iterations 0 there is none, and
 * the pyramid falls. */
static void test_cost(void **state)
{
    (void)state;
    context("cost");
    tl_settings settings = plain();
    built b;
    build(&b, 6, 0.6, &settings);
    const tl_report first = step_report(b.world, 1);
    assert_true(first.iterations > 8 && first.iterations <= 8 + settings.solver.balance_iterations);
    for (int i = 0; i < 200; i++)
        assert_int_equal(step_report(b.world, 1).iterations, 8);
    assert_below(way(&b.s, b.world, b.bodies), 1e-4);
    tl_world_destroy(b.world);
    settings.solver.balance_iterations = 3;
    build(&b, 6, 0.6, &settings);
    assert_int_equal(step_report(b.world, 1).iterations, 11);
    tl_world_destroy(b.world);
    settings.solver.balance_iterations = 0;
    build(&b, 6, 0.6, &settings);
    for (int i = 0; i < 200; i++)
        assert_int_equal(step_report(b.world, 1).iterations, 8);
    assert_above(way(&b.s, b.world, b.bodies), 1);
    tl_world_destroy(b.world);
}

/* Columns fall, land and come to rest. Impulses that stopped them are other ones than those that
 * hold them; a search that ended so must not make each next step need another one. */
static void test_landing(void **state)
{
    (void)state;
    context("landing");
    tl_settings settings = plain();
    settings.step = 0.001;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.4, 0.2);
    uint32_t searches = 0;
    add_floor(scene, material);
    for (int i = 0; i < 160; i++)
        add_sphere(scene, material, 0.02, 0,
                   (double[3]){0.1 * (i % 10), 0, 0.025 + 0.045 * (double)(i / 10)},
                   (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    step(world, 600);
    for (int i = 0; i < 400; i++)
        searches += step_report(world, 1).iterations > settings.solver.iterations;
    assert_int_equal(searches, 0);
    tl_world_destroy(world);
}

/* The top of a pyramid is as heavy as the rest of it, and hangs a little above the others while
 * these stand already. Friction is 5 % above the least. */
static void build_load(built *b)
{
    const tl_settings settings = plain();
    b->s = pyramid(5, 0);
    const int top = b->s.balls - 1;
    b->s.weight[top] = 14;
    const double mu = 1.05 * least_friction(&b->s, 3);
    structure apart = b->s;
    apart.x[top][1] += 2e-3 * UNIT;
    b->world = world_of(scene_of(&apart, &settings, mu, b->bodies));
}

static void test_load(void **state)
{
    (void)state;
    context("a load set down");
    built b;
    build_load(&b);
    uint32_t searches = 0;
    for (int i = 0; i < 200; i++)
        searches += step_report(b.world, 1).iterations > 8;
    assert_true(searches >= 2);
    assert_below(way(&b.s, b.world, b.bodies), 0.01);
    tl_world_destroy(b.world);
}

/* Gravity that is switched on, or turned, finds bodies at rest without loads. */
static void test_gravity(void **state)
{
    (void)state;
    context("gravity switched on");
    tl_settings settings = plain();
    built b;
    settings.gravity[2] = 0;
    build(&b, 6, 0.6, &settings);
    step(b.world, 10);
    settings.gravity[2] = -G;
    assert_ok(tl_world_set_settings(b.world, &settings));
    step(b.world, 200);
    assert_below(way(&b.s, b.world, b.bodies), 0.01);
    tl_world_destroy(b.world);
}

/* A world that is saved at any time, also between a new load and the search for balance, goes on
 * bit for bit. */
static void test_saved(void **state)
{
    (void)state;
    context("saved and loaded");
    built b;
    build_load(&b);
    uint32_t searches = 0;
    for (int i = 0; i < 30; i++) {
        void *data = NULL;
        size_t bytes;
        tl_world *copy = NULL;
        assert_ok(tl_world_save(b.world, &data, &bytes));
        assert_ok(tl_world_load(data, bytes, &copy));
        const tl_report one = step_report(b.world, 1), other = step_report(copy, 1);
        assert_int_equal(one.iterations, other.iterations);
        assert_int_equal(tl_world_hash(b.world), tl_world_hash(copy));
        searches += one.iterations > 8;
        tl_world_destroy(copy);
        tl_snapshot_free(data, bytes);
    }
    assert_true(searches >= 2);
    tl_world_destroy(b.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programme), cmocka_unit_test(test_named),
        cmocka_unit_test(test_heaps),     cmocka_unit_test(test_stiff_heaps),
        cmocka_unit_test(test_cost),      cmocka_unit_test(test_landing),
        cmocka_unit_test(test_load),      cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests_name("physics/structures", tests, NULL, NULL);
}
