/* What recording costs: 16,000 bodies of the pile at 50 frames a second, h = 1/200. Counted in the
 * processor time of all threads of the process, which other programs on the machine hardly change;
 * the world runs on one thread, because threads that wait for each other count too. */
/* labels: slow */
#define _GNU_SOURCE
#include "io/result_scene.h"
#include "scenes.h"

#include <time.h>

#define STEPS  100
#define ROUNDS 3 /* and more, where other programs disturb them */

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double run_plain(tl_world *world)
{
    const double start = processor_ms();
    for (int i = 0; i < STEPS; i++)
        step_report(world, 1);
    return processor_ms() - start;
}

/* All writing included; the file is made before. */
static double run_recorded(tl_world *world, const tl_document *document, const char *path)
{
    const tl_record_def record = tl_record_default();
    tl_recorder *recorder = NULL;
    tl_report report;
    assert_ok(tl_recorder_create(path, true, document, world, &record, NULL, &recorder));
    const double start = processor_ms();
    for (int i = 0; i < STEPS; i++) {
        report = step_report(world, 1);
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
    assert_ok(tl_recorder_close(recorder, NULL));
    return processor_ms() - start;
}

static void test_cost(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "run.h5");
    pile_options options = pile_default();
    options.bodies = 16000;
    options.settings.threads = 1;
    tl_scene *scene = NULL;
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    tl_document *document = scene_document(); /* any: what is recorded comes from the world */
    step(world, 100);
    double plain = INFINITY, recorded = INFINITY;
    for (int i = 0; i < ROUNDS || (i < 5 * ROUNDS && recorded > 1.1 * plain); i++) {
        plain = fmin(plain, run_plain(world));
        recorded = fmin(recorded, run_recorded(world, document, path));
    }
    print_message("%d steps take %.1f ms, recorded %.1f ms: %+.1f %%\n", STEPS, plain, recorded,
                  100 * (recorded / plain - 1));
    assert_below(recorded, 1.1 * plain);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
