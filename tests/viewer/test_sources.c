/* The two sources of states (apps/talus/view) where sizes change under a server: a run that starts
 * anew with fewer bodies, and a file that has grown but cannot be read for once. */
#include "support.h"
#include "talus/io.h"

#include <unistd.h>

/* reads of bodies and of monitors that fail when they are told to */
static int failures, unmeasured;

#define tl_result_read_bodies read_bodies_or_fail
static tl_status read_bodies_or_fail(tl_result *result, uint64_t count, tl_body_info *bodies);
#define tl_result_read_monitors read_monitors_or_fail
static tl_status read_monitors_or_fail(tl_result *result, uint64_t first, uint64_t count,
                                       double *values);
#include "recording.c"
#undef tl_result_read_bodies
#undef tl_result_read_monitors

static tl_status read_bodies_or_fail(tl_result *result, uint64_t count, tl_body_info *bodies)
{
    return failures-- > 0 ? TL_FILE : tl_result_read_bodies(result, count, bodies);
}

static tl_status read_monitors_or_fail(tl_result *result, uint64_t first, uint64_t count,
                                       double *values)
{
    return unmeasured-- > 0 ? TL_FILE : tl_result_read_monitors(result, first, count, values);
}

static tl_document *document_of(int count)
{
    char text[1024];
    tl_document *document = NULL;
    const int length =
        snprintf(text, sizeof text,
                 "{\"version\": 1, \"step\": 0.01, \"duration\": 0.2, \"record\": {\"rate\": 100},"
                 " \"monitors\": {\"all\": {\"kind\": \"speed\"}},"
                 " \"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"plane\"}]}],"
                 " \"fills\": [{\"region\": {\"kind\": \"box\", \"low\": [-1, -1, 0.1], \"high\": "
                 "[1, 1, 9]},"
                 " \"pattern\": \"grid\", \"radius\": 0.05, \"count\": %d, \"gap\": 0.01}]}",
                 count);
    assert_ok(tl_document_parse("test.json", text, (size_t)length, 0, NULL, &document));
    return document;
}

static tl_world *make(const tl_document *document)
{
    tl_world *world = NULL;
    assert_true(tl_world_create(tl_document_scene(document), &world) >= 0);
    return world;
}

/* ---- a live run ---- */

/* Begins an epoch of the hub with a world's bodies, and hands its state over, as live.c does. */
static void begin_epoch(hub *h, tl_world *world)
{
    const size_t count = tl_world_shape_count(world);
    tl_shape_info *shapes = malloc(count * sizeof *shapes);
    assert_ok(tl_world_read_shapes(world, count, shapes));
    view_table_free(&h->table);
    for (size_t i = 0; i < count; i++) {
        assert_true(view_table_add(&h->table, shapes[i].body.index, shapes[i].kind, 1, 1,
                                   &shapes[i], NULL));
    }
    free(shapes);
    h->epoch++;
    h->table_version++;
    h->newest = -1;
    h->report_count = 0;
    hub_capture *capture = hub_free_capture(h);
    capture->epoch = h->epoch;
    capture->version = h->epoch;
    capture->step = 0.01;
    assert_ok(tl_world_capture(world, capture->frame));
    hub_publish(h, capture);
}

/* A state of a run that started anew is left alone until the server has begun the new run: its
 * table has other sizes. */
static void a_restart_to_fewer_bodies_waits_for_the_server(void **state)
{
    (void)state;
    hub h;
    server v = {.hub = &h, .epoch = 1};
    tl_document *many = document_of(500), *few = document_of(3);
    tl_world *first = make(many), *second = make(few);
    assert_true(hub_init(&h, true));
    begin_epoch(&h, first);
    stage_begin_epoch(&v);
    stage_pack(&v);
    assert_non_null(v.current);
    assert_int_equal(v.current->count, 500);
    assert_true(v.how_count > 500);
    begin_epoch(&h, second); /* the server has not looked yet */
    stage_pack(&v);
    assert_int_equal(v.current->count, 500);
    assert_true(h.newest >= 0);
    v.epoch = 2;
    stage_begin_epoch(&v);
    stage_pack(&v);
    assert_non_null(v.current);
    assert_int_equal(v.current->count, 3);
    assert_true(v.how_count < 10);
    stage_free(&v);
    hub_free(&h);
    tl_world_destroy(first);
    tl_world_destroy(second);
    tl_document_destroy(many);
    tl_document_destroy(few);
}

/* ---- a recording ---- */

static void record(const char *path)
{
    tl_document *document = document_of(40);
    tl_world *world = make(document);
    const tl_record_def def = tl_document_record(document);
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_create(path, true, document, world, &def, NULL, &recorder));
    for (int i = 0; i < 20; i++) {
        tl_report report;
        if (i == 10) { /* it grows */
            tl_body_def body = tl_body_default();
            tl_shape_def ball = tl_sphere_default(0.05);
            tl_body added[30];
            tl_body_def bodies[30];
            body.shape_count = 1;
            body.shapes = &ball;
            for (int k = 0; k < 30; k++) {
                bodies[k] = body;
                bodies[k].position[0] = 0.2 * k;
                bodies[k].position[2] = 20;
            }
            assert_ok(tl_world_add_bodies(world, 30, bodies, added));
        }
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
    assert_ok(tl_recorder_close(recorder, world));
    tl_world_destroy(world);
    tl_document_destroy(document);
}

/* Where the new bodies of a file that grew cannot be read, it is as if it had not grown; the next
 * look tries again. */
static void a_file_that_cannot_be_read_once_is_read_later(void **state)
{
    (void)state;
    char path[] = "/tmp/talus-growing-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    record(path);
    recording r = {0};
    assert_true(hub_init(&r.hub, false));
    const view_job job = {.path = path};
    assert_ok(open_recording(&r, &job));
    assert_int_equal(r.info.bodies, 71);
    /* as it was before the last ten frames */
    r.info.frames -= 10;
    r.info.bodies = r.body_count = 41;
    r.info.closed = false;
    r.bodies = realloc(r.bodies, 41 * sizeof *r.bodies);
    r.hub.time_count = (size_t)r.info.frames;
    failures = 1;
    look(&r);
    assert_int_equal(failures, 0);
    assert_int_equal(r.body_count, 41);
    assert_int_equal(r.hub.time_count, r.info.frames);
    view_state shown;
    assert_null(find_body(&r, 60)); /* reads no further than there are bodies */
    assert_true(read_state(&r, r.info.frames - 1, &shown));
    look(&r);
    assert_int_equal(r.body_count, 71);
    assert_non_null(find_body(&r, 60));
    assert_int_equal(r.hub.time_count, 21);
    assert_int_equal(r.hub.state.frames, 21);
    assert_false(r.hub.state.growing);
    assert_true(read_state(&r, 20, &shown));
    /* monitors are read when somebody plots them, and again where that failed */
    assert_int_equal(r.hub.monitor_count, 1);
    assert_false(must_measure(&r));
    r.hub.measures = true;
    assert_true(must_measure(&r));
    unmeasured = 1;
    measure_on(&r);
    assert_string_equal(r.hub.state.message, "the monitors cannot be read");
    assert_false(must_measure(&r));
    look(&r);
    assert_string_equal(r.hub.state.message, "");
    assert_true(must_measure(&r) && r.hub.trace_partial);
    measure_on(&r);
    assert_false(must_measure(&r) || r.hub.trace_partial);
    assert_int_equal(view_trace_end(&r.hub.trace), 20);
    hub_free(&r.hub);
    tl_document_destroy(r.document);
    tl_result_close(r.result);
    free(r.bodies);
    free(r.how);
    free(r.fixed);
    free(r.values);
    unlink(path);
    char checkpoint[64];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    unlink(checkpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_to_fewer_bodies_waits_for_the_server),
        cmocka_unit_test(a_file_that_cannot_be_read_once_is_read_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
