/* labels: slow longer */
/* The same bits for 1, 2, 3 and 8 threads and from run to run: a thousand steps of a stirred pile
 * with psor among the long tests, else fewer; a hundred with the gradient solvers, a few of a large
 * pile, and the contacts of 100,000 spheres in their order. */
#include "support.h"
#include "scenes.h"

/* The second run with one thread is the one that tells run from run. */
static const uint32_t thread_counts[] = {1, 1, 2, 3, 8};
#define RUNS 5

/* Steps a mixer and returns the hash of its state, mixed over the way. */
static uint64_t trail(const variant *v, uint32_t iterations, uint32_t threads, uint32_t bodies,
                      uint32_t steps)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    uint64_t hash = 0;
    settings.threads = threads;
    settings.solver.iterations = iterations;
    settings.solver.position_iterations = 4;
    tl_world *world = world_of(mixer_scene(&settings, bodies, 3));
    for (uint32_t i = 0; i < steps; i += 10) {
        const tl_report report = step_report(world, 10);
        hash = hash * 0x100000001b3u ^ tl_world_hash(world);
        hash = hash * 0x100000001b3u ^ report.contacts;
    }
    tl_world_destroy(world);
    return hash;
}

static void same_trail(const variant *v, uint32_t iterations, uint32_t bodies, uint32_t steps)
{
    const uint64_t expected = trail(v, iterations, thread_counts[0], bodies, steps);
    for (int run = 1; run < RUNS; run++) {
        context("%s, %u bodies, %u threads", v->name, bodies, thread_counts[run]);
        const uint64_t got = trail(v, iterations, thread_counts[run], bodies, steps);
        if (got != expected)
            fail_msg("%s: another hash than with %u", test_context, thread_counts[0]);
    }
    /* Another start gives another trail: the hash sees the state. */
    assert_true(trail(v, iterations, 1, bodies + 1, 10) != trail(v, iterations, 1, bodies, 10));
}

static void thousand_steps(const variant *v)
{
    if (v->kind == TL_PSOR)
        same_trail(v, 8, 300, is_long() && v->overlap == TL_OVERLAP_SPLIT ? 1000 : 200);
    else if (!is_cone(v)) /* test_threads.c has both laws, which differ within a row alone */
        same_trail(v, 20, 200, 100);
}

static void test_thousand_steps(void **state)
{
    (void)state;
    for_each_variant(thousand_steps);
}

static void large(const variant *v)
{
    same_trail(v, 8, 8000, is_long() ? 30 : 10);
}

static void test_large(void **state)
{
    (void)state;
    for_each_precision(large);
}

#define SPHERES 100000

/* Contacts come in an order that depends on the state alone. */
static void same_contacts(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    double *centres = malloc(SPHERES * 3 * sizeof *centres), radius;
    tl_contact *expected = NULL;
    size_t expected_count = 0;
    assert_non_null(centres);
    for (int run = 0; run < RUNS; run++) {
        tl_scene *scene = NULL;
        size_t count;
        settings.threads = thread_counts[run];
        assert_ok(random_spheres_scene(SPHERES, 0.46, 1, &radius, centres, &settings, &scene));
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        tl_contact *contacts = contacts_of(world, &count);
        if (run == 0) {
            expected = contacts;
            expected_count = count;
            assert_true(count > SPHERES / 3);
        } else {
            assert_int_equal(count, expected_count);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(contacts[i].a.index, expected[i].a.index);
                assert_int_equal(contacts[i].b.index, expected[i].b.index);
                assert_memory_equal(&contacts[i].gap, &expected[i].gap, sizeof(double));
                assert_memory_equal(contacts[i].normal, expected[i].normal, 3 * sizeof(double));
            }
            free(contacts);
        }
        tl_world_destroy(world);
    }
    free(expected);
    free(centres);
}

static void test_same_contacts(void **state)
{
    (void)state;
    for_each_precision(same_contacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_steps),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_same_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
