/* A frame of a result as a world: the same bodies, where they are, and the same answers to rays as
 * those of the world that was recorded. */
#define _GNU_SOURCE
#include "io/result_scene.h"

enum { RAYS = 400, STEPS = 60 };

static void make_rays(tl_ray *rays, double size)
{
    dice d = {9};
    for (int i = 0; i < RAYS; i++) {
        rays[i] = tl_ray_default();
        roll3(&d, -size, size, rays[i].origin);
        rays[i].origin[2] = size;
        roll3(&d, -0.3, 0.3, rays[i].direction);
        rays[i].direction[2] = -1;
    }
}

/* The handles are the same, and rays end in the same places; grazing ones may differ, for recorded
 * orientations are 32-bit. */
static void compare(tl_world *live, tl_world *still, double size)
{
    static tl_ray rays[RAYS];
    static tl_ray_hit one[RAYS], two[RAYS];
    const size_t count = tl_world_body_count(live);
    assert_int_equal(tl_world_body_count(still), count);
    tl_body *bodies = calloc(2 * count, sizeof *bodies);
    assert_ok(tl_world_list_bodies(live, count, bodies));
    assert_ok(tl_world_list_bodies(still, count, bodies + count));
    assert_memory_equal(bodies, bodies + count, count * sizeof *bodies);
    free(bodies);
    make_rays(rays, size);
    assert_ok(tl_world_cast_rays(live, RAYS, rays, one));
    assert_ok(tl_world_cast_rays(still, RAYS, rays, two));
    int hits = 0, other = 0;
    for (int i = 0; i < RAYS; i++) {
        hits += one[i].body.index != 0;
        if (one[i].body.index != two[i].body.index || one[i].shape != two[i].shape)
            other++;
        else if (one[i].body.index)
            assert_near(two[i].distance, one[i].distance, 1e-4);
    }
    assert_in_range(hits, RAYS / 4, RAYS);
    assert_in_range(other, 0, 3);
}

/* Records some steps of a document, and compares its frames with a second run. */
static void follow(tl_document *document, double size)
{
    char folder[64], path[256];
    tl_record_def record = tl_record_default();
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    tl_report report;
    make_folder(folder);
    in_folder(path, folder, "r.h5");
    record.rate = 20;
    tl_world *world = scene_world(document), *live = scene_world(document);
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    for (int i = 0; i < STEPS; i++) {
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_open(path, &result));
    const uint64_t frames = tl_result_describe(result).frames;
    assert_in_range(frames, 4, STEPS);
    for (uint64_t k = 0; k < frames; k++) {
        tl_result_frame frame;
        tl_world *still = NULL;
        context("frame %d", (int)k);
        assert_ok(tl_result_read_frame(result, k, &frame));
        while (tl_world_time(live) < frame.state.time - 1e-9)
            step(live, 1);
        assert_ok(tl_result_world(result, k, &still));
        compare(live, still, size);
        tl_world_destroy(still);
    }
    tl_world *none = (void *)1;
    assert_status(tl_result_world(result, frames, &none), TL_BAD_ARGUMENT);
    assert_null(none);
    assert_refused(tl_result_world(NULL, 0, &none), TL_BAD_ARGUMENT,
                   "tl_result_world: result is NULL");
    assert_refused(tl_result_world(result, 0, NULL), TL_BAD_ARGUMENT,
                   "tl_result_world: world is NULL");
    tl_result_close(result);
    tl_world_destroy(world);
    tl_world_destroy(live);
    tl_document_destroy(document);
    remove_folder(folder);
}

/* Bodies come and go while it is recorded. */
static void test_bodies(void **state)
{
    (void)state;
    follow(scene_document(), 1);
}

/* Shapes of every kind, with a hull, a mesh and a height field. */
static void test_shapes(void **state)
{
    (void)state;
    tl_document *document = NULL;
    assert_ok(tl_document_read(TALUS_SOURCE "/examples/shapes.json", 0, NULL, &document));
    follow(document, 3);
}

/* What was recorded without orientations cannot be asked. */
static void test_refused(void **state)
{
    (void)state;
    char folder[64], path[256];
    tl_record_def record = tl_record_default();
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    tl_world *still = NULL;
    make_folder(folder);
    in_folder(path, folder, "r.h5");
    record.fields = TL_RECORD_VELOCITY;
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_open(path, &result));
    assert_refused(tl_result_world(result, 0, &still), TL_BAD_ARGUMENT,
                   "tl_result_world: the result was recorded without orientations");
    assert_null(still);
    tl_result_close(result);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
