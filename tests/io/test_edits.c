/* Marks of what was done to a run by hand: they are in the result, in order, and those after the
 * checkpoint are cut when the run goes on. */
#define _GNU_SOURCE
#include "io/result_scene.h"

static char *edits_of(const char *path, char *text, size_t room)
{
    tl_result *result = NULL;
    size_t length = 0;
    assert_ok(tl_result_open(path, &result));
    assert_ok(tl_result_read_edits(result, room, text, &length));
    assert_int_equal(length, strlen(text));
    size_t again = 0;
    assert_ok(tl_result_read_edits(result, 0, NULL, &again));
    assert_int_equal(again, length);
    tl_result_close(result);
    return text;
}

static void advance(tl_recorder *recorder, tl_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        tl_report report;
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
}

static void test_edits(void **state)
{
    (void)state;
    char folder[64], path[256], text[1024], want[256];
    in_folder(path, make_folder(folder), "edited.h5");
    const tl_record_def record = tl_record_default();
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    assert_string_equal(edits_of(path, text, sizeof text), "");
    assert_ok(tl_recorder_edit(recorder, world, "first"));
    advance(recorder, world, 10);
    const double time = tl_world_time(world);
    assert_ok(tl_recorder_edit(recorder, world, "{\"do\": \"second\"}"));
    assert_ok(tl_recorder_checkpoint(recorder, world));
    advance(recorder, world, 5);
    assert_ok(tl_recorder_edit(recorder, world, "third"));
    assert_refused(tl_recorder_edit(recorder, world, "two\nlines"), TL_BAD_ARGUMENT,
                   "tl_recorder_edit: text has a line break; it must be one line");
    assert_refused(tl_recorder_edit(recorder, world, ""), TL_BAD_ARGUMENT,
                   "tl_recorder_edit: text is empty; it must be one line");
    assert_refused(tl_recorder_edit(recorder, NULL, "x"), TL_BAD_ARGUMENT,
                   "tl_recorder_edit: world is NULL");
    assert_ok(tl_recorder_close(recorder, NULL)); /* as it is: the checkpoint is the one above */
    snprintf(want, sizeof want, "0 first\n%.17g {\"do\": \"second\"}\n%.17g third\n", time,
             tl_world_time(world));
    assert_string_equal(edits_of(path, text, sizeof text), want);
    tl_world_destroy(world);
    tl_document_destroy(document);

    assert_ok(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world));
    assert_ok(tl_recorder_edit(recorder, world, "another third"));
    advance(recorder, world, 3);
    assert_ok(tl_recorder_close(recorder, world));
    snprintf(want, sizeof want, "0 first\n%.17g {\"do\": \"second\"}\n%.17g another third\n", time,
             time);
    assert_string_equal(edits_of(path, text, sizeof text), want);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
