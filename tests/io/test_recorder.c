/* labels: threads */
/* Recording: what is read back is what the world had, frames are recorded when they are due, a
 * result that is gone on with holds what an uninterrupted run writes, and results can be read while
 * they are being written. */
#define _GNU_SOURCE
#include "io/result_scene.h"

#define STEPS 100

static tl_record_def dense(double rate)
{
    tl_record_def record = tl_record_default();
    record.rate = rate;
    record.contacts = true;
    return record;
}

/* ---- Reading back ---- */

static void check_contacts(const tl_world *world, const tl_result_frame *frame)
{
    size_t count;
    tl_contact *want = contacts_of(world, &count);
    assert_int_equal(frame->contact_count, count);
    for (size_t i = 0; i < count; i++) {
        const tl_contact *got = &frame->contacts[i];
        assert_int_equal(got->a.index, want[i].a.index);
        assert_int_equal(got->b.index, want[i].b.index);
        assert_int_equal(got->a.generation, want[i].a.generation);
        assert_int_equal(got->shape_a, want[i].shape_a);
        assert_int_equal(got->shape_b, want[i].shape_b);
        assert_memory_equal(got->point, want[i].point, sizeof got->point);
        assert_true(got->gap == want[i].gap);
        assert_int_equal(got->sensor, want[i].sensor);
        for (int k = 0; k < 3; k++) {
            assert_true(got->normal[k] == (double)(float)want[i].normal[k]);
            assert_true(got->impulse[k] == (double)(float)want[i].impulse[k]);
        }
    }
    free(want);
}

/* Runs the world again beside the result and compares frame by frame. */
static void test_frames(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "run.h5");
    const tl_record_def record = dense(50);
    record_run(path, &record, STEPS);

    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_result *result = NULL;
    tl_frame *frame = NULL;
    assert_ok(tl_frame_create(&frame));
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    assert_true(info.closed && info.has_checkpoint);
    assert_int_equal(info.frames, 26);
    assert_int_equal(info.steps, STEPS);
    assert_string_equal(info.version, tl_version());
    assert_string_equal(info.note, "a note");
    assert_string_equal(info.backend, tl_world_backend(world));
    assert_true(info.first_time == 0);
    assert_near(info.last_time, 0.5, 1e-12);
    uint64_t contacts = 0;
    for (uint64_t i = 0; i < info.frames; i++) {
        tl_result_frame got;
        tl_frame_view want;
        if (i)
            step(world, 4);
        assert_ok(tl_world_capture(world, frame));
        assert_ok(tl_frame_read(frame, &want));
        assert_ok(tl_result_read_frame(result, i, &got));
        assert_same_state(&got.state, &want);
        check_contacts(world, &got);
        contacts += got.contact_count;
    }
    assert_true(contacts > 300);
    assert_int_equal(info.contacts, contacts);
    tl_result_close(result);
    tl_frame_destroy(frame);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

static void test_bodies_and_shapes(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "run.h5");
    const tl_record_def record = dense(50);
    record_run(path, &record, STEPS);
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    tl_body_info *bodies = read_bodies(result, info.bodies);
    tl_shape_info *shapes = read_shapes(result, info.shapes);

    /* What was there at the start, against the world itself. */
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    const size_t count = tl_world_body_count(world), shape_count = tl_world_shape_count(world);
    assert_int_equal(count, 66);
    tl_shape_info *want = calloc(shape_count, sizeof *want);
    assert_ok(tl_world_read_shapes(world, shape_count, want));
    for (size_t i = 0; i < shape_count; i++)
        assert_same_shape(&shapes[i], &want[i]);
    double *mass = calloc(count, sizeof *mass), *place = calloc(3 * count, sizeof *place);
    assert_ok(tl_world_read_masses(world, count, NULL, mass));
    assert_ok(tl_world_read_positions(world, count, NULL, place));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bodies[i].body.index, i + 1);
        assert_int_equal(bodies[i].kind, i < 3 ? TL_FIXED : i < 5 ? TL_PRESCRIBED : TL_DYNAMIC);
        assert_true(bodies[i].mass == mass[i] && bodies[i].added == 0);
        assert_memory_equal(bodies[i].position, place + 3 * i, 3 * sizeof *place);
    }
    assert_near(bodies[1].removed, 0.22,
                1e-9); /* the gate: first missed at the frame after 0.2 s */
    assert_true(isinf(bodies[0].removed));

    /* And what came and went. */
    size_t poured = 0, gone = 0;
    for (size_t i = 0; i < info.bodies; i++) {
        poured += bodies[i].added > 0;
        gone += isfinite(bodies[i].removed);
    }
    tl_report last;
    assert_ok(tl_result_read_reports(result, STEPS - 1, 1, &last));
    assert_int_equal(poured, last.emitted);
    assert_int_equal(gone, last.removed);
    assert_true(poured > 50 && gone > 1);
    assert_int_equal(info.bodies, count + poured);
    assert_int_equal(info.shapes, shape_count + poured);
    free(bodies);
    free(shapes);
    free(want);
    free(mass);
    free(place);
    tl_world_destroy(world);
    tl_document_destroy(document);
    tl_result_close(result);
    remove_folder(folder);
    (void)state;
}

/* A hull and a field of heights, which the scene file has, and bodies of them. */
static const char solids_text[] =
    "{\"version\": \"1.1\", \"step\": 0.005, \"geometries\": {\n"
    " \"stone\": {\"hull\": [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, -0.1, 0], [0, 0, 0.1], "
    "[0, "
    "0, 0.01]]},\n"
    " \"hill\": {\"heights\": {\"columns\": 3, \"rows\": 2, \"spacing\": [0.5, 0.25],\n"
    "   \"values\": [0, 0.1, 0.2, 0.3, 0.4, 0.5]}}},\n"
    " \"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"heights\", \"geometry\": "
    "\"hill\"}]},\n"
    "  {\"position\": [0.5, 0.1, 1], \"shapes\": [{\"kind\": \"hull\", \"geometry\": "
    "\"stone\"}]}]}";

/* What a world says of its geometries, and that a result has the same, to the bit. */
static void test_geometries(void **state)
{
    char folder[64], path[256];
    tl_document *document = NULL;
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    tl_geometry_info g, same;
    in_folder(path, make_folder(folder), "run.h5");
    assert_ok(
        tl_document_parse("solids.json", solids_text, strlen(solids_text), 0, NULL, &document));
    tl_world *world = scene_world(document);
    assert_int_equal(tl_world_geometry_count(world), 2);
    assert_ok(tl_world_geometry(world, (tl_geometry){1}, &g));
    assert_int_equal(g.kind, TL_HULL);
    assert_int_equal(g.vertex_count, 5); /* the sixth point is inside */
    assert_ok(tl_world_geometry(world, (tl_geometry){2}, &g));
    assert_int_equal(g.kind, TL_HEIGHTS);
    assert_int_equal(g.vertex_count, 6);
    assert_int_equal(g.triangle_count, 4);
    for (int i = 0; i < 6; i++) {
        assert_true(g.vertices[3 * i] == 0.5 * (i % 3) && g.vertices[3 * i + 1] == 0.25 * (i / 3));
        assert_near(g.vertices[3 * i + 2], 0.1 * i, 1e-15);
    }
    assert_refused(tl_world_geometry(world, (tl_geometry){3}, &g), TL_BAD_ARGUMENT,
                   "tl_world_geometry: geometry is 3; there are 2, from 1");
    assert_status(tl_world_geometry(NULL, (tl_geometry){1}, &g), TL_BAD_ARGUMENT);
    assert_int_equal(tl_world_geometry_count(NULL), 0);

    const tl_record_def record = dense(50);
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    record_steps(recorder, world, 10);
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_open(path, &result));
    assert_int_equal(tl_result_geometry_count(result), 2);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_ok(tl_world_geometry(world, (tl_geometry){i}, &g));
        assert_ok(tl_result_geometry(result, (tl_geometry){i}, &same));
        assert_int_equal(same.kind, g.kind);
        assert_int_equal(same.vertex_count, g.vertex_count);
        assert_int_equal(same.triangle_count, g.triangle_count);
        assert_memory_equal(same.vertices, g.vertices, 3 * g.vertex_count * sizeof *g.vertices);
        assert_memory_equal(same.triangles, g.triangles,
                            3 * g.triangle_count * sizeof *g.triangles);
    }
    tl_result_close(result);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

/* Groups, masks and sensors, and the contacts of these. */
static void test_filters(void **state)
{
    static const char text[] =
        "{\"version\": 1, \"groups\": [\"grain\", \"gate\"], \"bodies\": [\n"
        " {\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"plane\"},\n"
        "   {\"kind\": \"box\", \"size\": [1, 1, 0.5], \"sensor\": true, \"mask\": \"grain\", "
        "\"group\": \"gate\"}]},\n"
        " {\"positions\": [[0, 0, 0.1], [0.3, 0, 0.1]], \"group\": [\"grain\", \"default\"],\n"
        "   \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},\n"
        " {\"position\": [0, 0.3, 0.1], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]}]}";
    char folder[64], path[256];
    tl_document *document = NULL;
    tl_world *world = NULL;
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    tl_shape_info want[5];
    tl_result_frame frame;
    size_t sensed = 0;
    const tl_record_def record = dense(200);
    in_folder(path, make_folder(folder), "run.h5");
    assert_ok(tl_document_parse("filters.json", text, sizeof text - 1, 0, NULL, &document));
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    assert_ok(tl_recorder_create(path, false, document, world, &record, "a note", &recorder));
    record_steps(recorder, world, 20);
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_open(path, &result));
    assert_int_equal(tl_result_describe(result).format_minor, 5);
    assert_ok(tl_world_read_shapes(world, 5, want));
    tl_shape_info *shapes = read_shapes(result, 5);
    for (int i = 0; i < 5; i++)
        assert_same_shape(&shapes[i], &want[i]);
    assert_true(shapes[1].def.sensor && shapes[1].def.group == 4 && shapes[1].def.mask == 2);
    assert_ok(tl_result_read_frame(result, tl_result_describe(result).frames - 1, &frame));
    check_contacts(world, &frame);
    for (size_t i = 0; i < frame.contact_count; i++)
        sensed += frame.contacts[i].sensor;
    assert_int_equal(sensed, 2);
    assert_int_equal(frame.contact_count, 5);
    free(shapes);
    tl_result_close(result);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

static void test_reports(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "run.h5");
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    tl_record_def record = dense(10);
    tl_report want[STEPS], got[STEPS];
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    for (int i = 0; i < STEPS; i++) {
        want[i] = step_report(world, 1);
        assert_ok(tl_recorder_step(recorder, world, &want[i]));
    }
    assert_refused(tl_recorder_step(recorder, world, &want[3]), TL_BAD_ARGUMENT,
                   "tl_recorder_step: the report is of step 4; step 100 is recorded already");
    assert_ok(tl_recorder_close(recorder, world));
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    assert_ok(tl_result_read_reports(result, 0, STEPS, got));
    for (int i = 0; i < STEPS; i++) {
        assert_same_report(got[i], want[i]);
        assert_true(got[i].total_ms == want[i].total_ms && got[i].ms.solve == want[i].ms.solve);
        assert_true(got[i].bytes == want[i].bytes && got[i].peak_bytes == want[i].peak_bytes);
    }
    assert_refused(tl_result_read_reports(result, 90, 11, got), TL_BAD_ARGUMENT,
                   "tl_result_read_reports: rows 90 to 101 were asked for; there are 100");
    tl_document *inside = NULL;
    assert_ok(tl_result_document(result, &inside));
    assert_string_equal(tl_document_text(inside, NULL), tl_document_text(document, NULL));
    tl_document_destroy(inside);
    tl_result_close(result);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

/* ---- When frames are due ---- */

static void check_times(double rate, uint64_t steps, uint64_t frames, const double *times)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "run.h5");
    tl_record_def record = tl_record_default();
    record.rate = rate;
    context("%g frames a second", rate);
    record_run(path, &record, steps);
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    assert_int_equal(tl_result_describe(result).frames, frames);
    double *got = calloc(frames, sizeof *got);
    assert_ok(tl_result_read_times(result, frames, got));
    for (uint64_t i = 0; i < frames; i++)
        assert_near(got[i], times[i], 1e-9);
    assert_int_equal(tl_result_describe(result).contacts, 0); /* not asked for */
    free(got);
    tl_result_close(result);
    remove_folder(folder);
}

/* Steps are 0.005 s. The last state is recorded too where it is none of these. */
static void test_due(void **state)
{
    check_times(0, 7, 2, (double[]){0, 0.035});
    check_times(100, 7, 5, (double[]){0, 0.01, 0.02, 0.03, 0.035});
    check_times(100, 6, 4, (double[]){0, 0.01, 0.02, 0.03});
    check_times(1000, 3, 4, (double[]){0, 0.005, 0.01, 0.015});
    /* 1/70 = 0.01429, 2/70 = 0.02857, 3/70 = 0.04286: the first steps at or after */
    check_times(70, 9, 4, (double[]){0, 0.015, 0.03, 0.045});
    (void)state;
}

/* ---- Going on ---- */

/* Stopped at steps on which no frame was due, and on which one was. */
static void test_resume(void **state)
{
    char folder[64], whole[256], path[256];
    make_folder(folder);
    in_folder(whole, folder, "whole.h5");
    in_folder(path, folder, "parts.h5");
    const tl_record_def record = dense(50);
    const uint64_t hash = record_run(whole, &record, STEPS);
    record_run(path, &record, 33);
    resume_run(path, 60);
    resume_run(path, 61);
    assert_int_equal(resume_run(path, STEPS), hash);
    assert_same_result(path, whole);
    remove_folder(folder);
    (void)state;
}

/* A recorder that is closed without a world leaves its last checkpoint, and the run goes on there.
 */
static void test_resume_from_checkpoint(void **state)
{
    char folder[64], whole[256], path[256];
    make_folder(folder);
    in_folder(whole, folder, "whole.h5");
    in_folder(path, folder, "parts.h5");
    tl_record_def record = dense(50);
    const uint64_t hash = record_run(whole, &record, STEPS);
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    record_steps(recorder, world, 45);
    assert_ok(tl_recorder_checkpoint(recorder, world));
    record_steps(recorder, world, 90);
    assert_ok(tl_recorder_close(recorder, NULL));
    tl_world_destroy(world);
    tl_document_destroy(document);

    assert_ok(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world));
    assert_near(tl_world_time(world), 45 * 0.005, 1e-9);
    assert_true(tl_recorder_record(recorder).contacts && tl_recorder_record(recorder).rate == 50);
    record_steps(recorder, world, STEPS);
    assert_ok(tl_recorder_close(recorder, world));
    assert_int_equal(tl_world_hash(world), hash);
    tl_world_destroy(world);
    tl_document_destroy(document);
    assert_same_result(path, whole);
    remove_folder(folder);
    (void)state;
}

/* Boxes and points over a tooth, with an exact stepper: its impulses are in the checkpoint. */
static const char exact_text[] =
    "{\"version\": 1, \"step\": 0.005, \"duration\": 0.5,\n"
    " \"settings\": {\"stepper\": \"peg\", \"exact\": {\"directions\": 6, \"epsilon\": 0.05}},\n"
    " \"materials\": {\"stone\": {\"friction\": 0.5}},\n"
    " \"geometries\": {\"tooth\": {\"polygon\": {\"vertices\": [[-1, 0], [0, 0.1], [1, 0]],\n"
    "   \"open\": true, \"depth\": 2}}},\n"
    " \"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"polygon\", \"geometry\": "
    "\"tooth\",\n"
    "   \"material\": \"stone\"}]},\n"
    "  {\"name\": \"boxes\", \"repeat\": {\"count\": 4}, \"position\": [\"=0.02*i-0.03\", 0, "
    "\"=0.25+0.25*i\"],\n"
    "   \"shapes\": [{\"kind\": \"box\", \"half_extents\": [0.1, 0.1, 0.1], \"material\": "
    "\"stone\"}]},\n"
    "  {\"name\": \"point\", \"mass\": 1, \"position\": [0.5, 0, 0.3], \"velocity\": [-1, 0, 0],\n"
    "   \"shapes\": [{\"kind\": \"point\", \"material\": \"stone\"}]}]}\n";

static tl_world *exact_world(tl_document **document)
{
    assert_ok(tl_document_parse("exact.json", exact_text, strlen(exact_text), 0, NULL, document));
    return scene_world(*document);
}

static void test_resume_exact(void **state)
{
    char folder[64], whole[256], path[256];
    make_folder(folder);
    in_folder(whole, folder, "whole.h5");
    in_folder(path, folder, "parts.h5");
    const tl_record_def record = dense(50);
    uint64_t hash = 0;
    for (int parts = 0; parts < 2; parts++) {
        tl_document *document;
        tl_world *world = exact_world(&document);
        tl_recorder *recorder = NULL;
        assert_ok(tl_recorder_create(parts ? path : whole, false, document, world, &record, NULL,
                                     &recorder));
        record_steps(recorder, world, parts ? 45 : STEPS);
        if (parts) { /* what comes after the checkpoint is done again */
            assert_ok(tl_recorder_checkpoint(recorder, world));
            record_steps(recorder, world, 70);
        }
        assert_ok(tl_recorder_close(recorder, parts ? NULL : world));
        hash = parts ? hash : tl_world_hash(world);
        tl_world_destroy(world);
        tl_document_destroy(document);
    }
    assert_int_equal(resume_run(path, STEPS), hash);
    assert_same_result(path, whole);
    remove_folder(folder);
    (void)state;
}

/* ---- Reading while it is written ---- */

static void test_refresh(void **state)
{
    char folder[64], path[256], whole[256];
    make_folder(folder);
    in_folder(path, folder, "run.h5");
    in_folder(whole, folder, "whole.h5");
    const tl_record_def record = dense(200);
    record_run(whole, &record, STEPS);
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL, *second = NULL;
    tl_result *result = NULL, *reference = NULL;
    assert_ok(tl_result_open(whole, &reference));
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    assert_ok(tl_result_open(path, &result));
    assert_false(tl_result_describe(result).closed);
    assert_int_equal(tl_result_describe(result).frames, 1);
    uint64_t seen = 1;
    for (int i = 1; i <= STEPS; i++) {
        record_steps(recorder, world, (uint64_t)i);
        if (i % 10 == 0)
            assert_ok(tl_recorder_checkpoint(recorder, world)); /* all is written */
        assert_ok(tl_result_refresh(result));
        const tl_result_info info = tl_result_describe(result);
        assert_true(info.frames >= seen && info.frames <= (uint64_t)i + 1);
        if (i % 10 == 0)
            assert_int_equal(info.frames, i + 1);
        seen = info.frames;
        if (i % 25 == 0)
            assert_begins(result, reference);
    }
    /* One writer at a time, in this process and in others. */
    char message[512];
    snprintf(message, sizeof message, "%s: another process is writing it", path);
    assert_refused(tl_recorder_create(path, true, document, world, &record, NULL, &second), TL_FILE,
                   message);
    tl_document *other_document = NULL;
    tl_world *other_world = NULL;
    assert_refused(
        tl_recorder_resume(path, TL_BACKEND_CPU, 1, &second, &other_document, &other_world),
        TL_FILE, message);
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_refresh(result));
    assert_true(tl_result_describe(result).closed);
    assert_begins(result, reference);
    tl_result_close(result);
    tl_result_close(reference);
    tl_world_destroy(world);
    tl_document_destroy(document);
    assert_same_result(path, whole);
    remove_folder(folder);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometries),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_bodies_and_shapes),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_from_checkpoint),
        one_thread_test(test_resume_exact),
        cmocka_unit_test(test_refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
