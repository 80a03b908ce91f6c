/* labels: threads */
/* The same bits for any number of threads, short enough for the thread sanitizer: a small mixer
 * with every solver, and one large enough that every loop is shared out. test_threads_steps.c runs
 * a thousand steps. */
#include "scenes.h"
#include "solids.h"

/* The thread sanitizer is to watch threads, not to compare bits. */
static const uint32_t thread_counts[] = {1, 2, 3, 8};
#define FIRST (RACED ? 1 : 0)
#define RUNS  (WATCHED ? 2 : 4)

static tl_settings threaded(const variant *v, uint32_t iterations, uint32_t threads)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.threads = threads;
    settings.solver.iterations = iterations;
    settings.solver.position_iterations = iterations / 2 + 1;
    return settings;
}

/* Sixty spheres on the paddle, after their fall, and heaps of solids beside it: hashes and contacts
 * agree. */
static void same_for_all(const variant *v, tl_impacts impacts)
{
    uint64_t expected = 0;
    size_t expected_contacts = 0;
    for (int run = FIRST; run < RUNS; run++) {
        tl_settings settings = threaded(v, 6, thread_counts[run]);
        settings.impacts = impacts;
        tl_scene *scene = mixer_scene(&settings, 60, 1);
        add_solids(scene, 4);
        tl_world *world = world_of(scene);
        const tl_report report = step_report(world, 60);
        const uint64_t hash = tl_world_hash(world);
        if (run == FIRST) {
            expected = hash;
            expected_contacts = report.contacts;
            assert_true(report.active_contacts >= 10);
        }
        assert_true(hash == expected);
        assert_int_equal(report.contacts, expected_contacts);
        tl_world_destroy(world);
    }
}

static void every_solver(const variant *v)
{
    same_for_all(v, TL_IMPACTS_PROPAGATING);
}

static void together(const variant *v)
{
    same_for_all(v, TL_IMPACTS_SIMULTANEOUS);
}

static void test_every_solver(void **state)
{
    (void)state;
    for_each_variant(every_solver);
    for_each_precision(together);
}

/* 3,000 spheres for a few steps. */
static void shared_out(const variant *v)
{
    uint64_t expected = 0;
    for (int run = FIRST; run < RUNS; run++) {
        const tl_settings settings = threaded(v, 4, thread_counts[run]);
        tl_world *world = world_of(mixer_scene(&settings, 3000, 2));
        for (int i = 0; i < 3; i++) {
            step(world, 1);
            assert_ok(tl_world_find_contacts(world));
        }
        if (run == FIRST)
            expected = tl_world_hash(world);
        assert_true(tl_world_hash(world) == expected);
        tl_world_destroy(world);
    }
}

static void test_shared_out(void **state)
{
    (void)state;
    for_each_precision(shared_out);
}

/* Packed layers, with the coarse level of deep heaps. */
static void deep(const variant *v)
{
    uint64_t expected = 0;
    for (int run = FIRST; run < RUNS; run++) {
        pile_options o = pile_default();
        tl_scene *scene = NULL;
        o.bodies = 3000;
        o.layers = 16;
        o.packed = true;
        o.settings = threaded(v, 6, thread_counts[run]);
        o.settings.solver.coarse_layers = 4;
        assert_ok(pile_scene(&o, &scene));
        tl_world *world = world_of(scene);
        assert_true(step_report(world, WATCHED ? 4 : 10).coarse_nodes > 0);
        if (run == FIRST)
            expected = tl_world_hash(world);
        assert_true(tl_world_hash(world) == expected);
        tl_world_destroy(world);
    }
}

static void test_deep(void **state)
{
    (void)state;
    for_each_precision(deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver),
        cmocka_unit_test(test_shared_out),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
