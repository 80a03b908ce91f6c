/* What recording costs, and how large it becomes: 16,000 bodies of the pile at 50 frames per
 * second, h = 1/200, however frames are stored. Counted in the processor time of all threads of the
 * process, which other programs on the machine hardly change; the world runs on one thread, because
 * threads that wait for each other count too. */
/* labels: slow longer */
#define _GNU_SOURCE
#include "io/result_scene.h"
#include "scenes.h"

#include <time.h>

#define STEPS  (is_long() ? 100 : 40)
#define ROUNDS 2 /* and more, where other programs disturb them */

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
static double run_recorded(tl_world *world, const tl_document *document, const char *path,
                           tl_compression compression)
{
    tl_record_def record = tl_record_default();
    record.compression = compression;
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
    double size[3] = {0};
    for (int c = TL_COMPRESSION_NONE; c <= TL_COMPRESSION_QUANTISED; c++) {
        double plain = INFINITY, recorded = INFINITY;
        /* Recording may take a tenth, with packing. Beside other tests the copies of frames cost
         * more than steps do, because the caches are shared: there twice and a half as much. */
        const double most = is_long() ? 1.1 : 1.25;
        struct stat s;
        for (int i = 0; i < ROUNDS || (i < 5 * ROUNDS && recorded > most * plain); i++) {
            plain = fmin(plain, run_plain(world));
            recorded = fmin(recorded, run_recorded(world, document, path, (tl_compression)c));
        }
        assert_int_equal(stat(path, &s), 0);
        size[c] = (double)s.st_size;
        print_message("%s: %d steps take %.1f ms, recorded %.1f ms: %+.1f %%; %.1f MB\n",
                      tl_word(TL_WORDS_COMPRESSION, (uint32_t)c), STEPS, plain, recorded,
                      100 * (recorded / plain - 1), 1e-6 * size[c]);
        assert_below(recorded, most * plain);
    }
    assert_below(size[TL_COMPRESSION_LOSSLESS], size[TL_COMPRESSION_NONE] / 1.4);
    assert_below(size[TL_COMPRESSION_QUANTISED], size[TL_COMPRESSION_NONE] / 4);
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
