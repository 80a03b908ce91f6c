/* How frames are stored: packed chunks unpack to what was packed, quantised numbers keep their
 * error, and what is not recorded is not there. */
#define _GNU_SOURCE
#include "io/pack.h"
#include "io/result_scene.h"

#include <hdf5.h>

/* ---- Chunks ---- */

/* Writes one packed chunk into a file of HDF5's own and reads it back through HDF5's filters. */
static void unpacked(const char *path, const tl_packer *packer, size_t bytes, size_t chunk,
                     size_t size, void *values)
{
    const hid_t type = size == 8 ? H5T_NATIVE_UINT64 : H5T_NATIVE_UINT32;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, (hsize_t[]){chunk}, NULL);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, (hsize_t[]){chunk});
    H5Pset_shuffle(list);
    H5Pset_deflate(list, 1);
    const hid_t set = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, (hsize_t[]){0}, bytes, packer->out.data) >= 0);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(file);
}

enum { CHUNK = 4096, KINDS = 8 };

/* Numbers of many kinds: none, all alike, counting, chance, rare others, smooth, few, steep. */
static uint64_t sample(int kind, size_t i, dice *d)
{
    const double x = sin(0.001 * (double)i) + 2;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    switch (kind) {
    case 0: return 0;
    case 1: return 0x0123456789abcdefu;
    case 2: return i + 17;
    case 3: return roll_bits(d);
    case 4: return roll_bits(d) % 50 ? 7 : roll_bits(d);
    case 5: return bits;
    case 6: return roll_bits(d) % 3;
    default: return (uint64_t)1 << (__builtin_ctzll(roll_bits(d) | (uint64_t)1 << 40));
    }
}

static void test_chunks(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "x.h5");
    tl_packer packer;
    tl_packer_init(&packer);
    dice d = {5};
    static uint64_t rows[3 * CHUNK], got[CHUNK];
    for (int kind = 0; kind < KINDS; kind++)
        for (int size = 4; size <= 8; size += 4)
            for (int part = 0; part < 5; part++) {
                const size_t count = (size_t[]){1, 7, 2000, CHUNK - 1, CHUNK}[part];
                size_t bytes = 0;
                context("kind %d, %d bytes, %zu rows", kind, size, count);
                for (size_t i = 0; i < 3 * count; i++) {
                    const uint64_t value = sample(kind, i / 3, &d);
                    memcpy((char *)rows + (size_t)size * i, &value, (size_t)size);
                }
                const tl_pack_rows from = {rows, count, 3, (size_t)size, 0};
                assert_ok(tl_pack(&packer, &from, CHUNK, 1, (tl_rounding){0, 0}, &bytes));
                assert_true(bytes <= packer.out.count);
                assert_true(bytes < count * (size_t)size + 600); /* never much larger */
                if (count == CHUNK && kind != 3 && kind != 5)
                    assert_true(3 * bytes < count * (size_t)size);
                unpacked(path, &packer, bytes, CHUNK, (size_t)size, got);
                for (size_t i = 0; i < CHUNK; i++) {
                    uint64_t want = 0, have = 0;
                    if (i < count)
                        memcpy(&want, (char *)rows + (size_t)size * (3 * i + 1), (size_t)size);
                    memcpy(&have, (char *)got + (size_t)size * i, (size_t)size);
                    assert_int_equal(have, want);
                }
            }
    tl_packer_free(&packer);
    remove_folder(folder);
    (void)state;
}

/* Eight frames in a chunk: what did not change between them takes next to nothing, and all of it
 * comes back. */
static void test_frames(void **state)
{
    enum { FRAME = 4096, ROWS = 8 * FRAME, BODIES = 4000 };
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "x.h5");
    static uint64_t rows[ROWS], got[ROWS];
    tl_packer packer;
    tl_packer_init(&packer);
    for (int moving = 0; moving <= 2; moving++) { /* nothing, low bits, one body of five */
        dice d = {7};
        size_t together = 0, alone = 0;
        context("moving %d", moving);
        memset(rows, 0, sizeof rows);
        for (size_t i = 0; i < BODIES; i++)
            rows[i] = roll_bits(&d);
        for (size_t i = FRAME; i < ROWS; i++)
            rows[i] = i % FRAME >= BODIES                 ? 0
                      : moving == 1                       ? rows[i - FRAME] ^ (roll_bits(&d) >> 40)
                      : moving == 2 && i % FRAME % 5 == 0 ? roll_bits(&d)
                                                          : rows[i - FRAME];
        const tl_pack_rows frames = {rows, ROWS, 1, 8, FRAME}, one = {rows, ROWS, 1, 8, 0};
        assert_ok(tl_pack(&packer, &one, ROWS, 0, (tl_rounding){0, 0}, &alone));
        unpacked(path, &packer, alone, ROWS, 8, got);
        assert_memory_equal(rows, got, sizeof rows);
        assert_ok(tl_pack(&packer, &frames, ROWS, 0, (tl_rounding){0, 0}, &together));
        unpacked(path, &packer, together, ROWS, 8, got);
        assert_memory_equal(rows, got, sizeof rows);
        assert_true(alone > (size_t)7 * 8 * BODIES); /* without frames it is chance */
        const size_t most[] = {8 * BODIES + 4000, (8 + 7 * 3) * BODIES + 8000, 5 * 8 * BODIES};
        assert_true(together < most[moving]);
    }
    tl_packer_free(&packer);
    remove_folder(folder);
    (void)state;
}

/* Frames wait in memory until a chunk is full; a checkpoint and the end write them. */
static void test_held(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "x.h5");
    tl_record_def record = tl_record_default();
    record.compression = TL_COMPRESSION_LOSSLESS;
    record.rate = 200; /* a frame per step */
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    assert_ok(tl_result_open(path, &result));
    for (uint64_t i = 1; i <= 30; i++) {
        const tl_report report = step_report(world, 1);
        assert_ok(tl_recorder_step(recorder, world, &report));
        if (i != 3 && i != 25)
            continue;
        assert_ok(tl_recorder_checkpoint(recorder, world));
        assert_ok(tl_result_refresh(result));
        assert_int_equal(tl_result_describe(result).frames, i + 1);
    }
    assert_ok(tl_recorder_close(recorder, world));
    assert_ok(tl_result_refresh(result));
    assert_int_equal(tl_result_describe(result).frames, 31);
    tl_result_close(result);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

/* ---- Errors ---- */

/* What is quantised is as near as docs/result-format.md says. */
static void test_error(void **state)
{
    char folder[64], exact[256], rounded[256];
    make_folder(folder);
    in_folder(exact, folder, "exact.h5");
    in_folder(rounded, folder, "rounded.h5");
    tl_record_def record = tl_record_default();
    record.contacts = true;
    record_run(exact, &record, 60);
    record.compression = TL_COMPRESSION_QUANTISED;
    record.error = 2e-5;
    record_run(rounded, &record, 60);
    tl_result *a = NULL, *b = NULL;
    assert_ok(tl_result_open(exact, &a));
    assert_ok(tl_result_open(rounded, &b));
    const tl_result_info info = tl_result_describe(b);
    assert_true(info.error == record.error);
    double most = 0;
    for (uint64_t k = 0; k < info.frames; k++) {
        tl_result_frame x, y;
        assert_ok(tl_result_read_frame(a, k, &x));
        assert_ok(tl_result_read_frame(b, k, &y));
        assert_int_equal(x.state.count, y.state.count);
        for (size_t i = 0; i < 3 * x.state.count; i++) {
            const double p = fabs(x.state.positions[i] - y.state.positions[i]);
            const double v = fabs((double)x.state.velocities[i] - (double)y.state.velocities[i]);
            const double w =
                fabs((double)x.state.angular_velocities[i] - (double)y.state.angular_velocities[i]);
            most = fmax(most, p);
            assert_true(p <= record.error);
            assert_true(v <=
                        record.error * record.rate + fabs((double)x.state.velocities[i]) / 128);
            assert_true(w <= record.rate / 512 + fabs((double)x.state.angular_velocities[i]) / 128);
        }
        for (size_t i = 0; i < 4 * x.state.count; i++)
            assert_true(fabsf(x.state.orientations[i] - y.state.orientations[i]) <= 1.0f / 512);
        for (size_t i = 0; i < x.contact_count; i++) {
            assert_true(fabs(x.contacts[i].gap - y.contacts[i].gap) <= record.error / 16);
            for (int c = 0; c < 3; c++) {
                assert_true(fabs(x.contacts[i].point[c] - y.contacts[i].point[c]) <= record.error);
                assert_true(fabs(x.contacts[i].normal[c] - y.contacts[i].normal[c]) <= 1.0 / 512);
                assert_true(fabs(x.contacts[i].impulse[c] - y.contacts[i].impulse[c]) <=
                            fabs(x.contacts[i].impulse[c]) / 128);
            }
        }
    }
    assert_true(most > record.error / 8); /* it is rounded, in fact */
    tl_result_close(a);
    tl_result_close(b);
    remove_folder(folder);
    (void)state;
}

/* ---- Fields and bodies ---- */

/* Where a body is in a frame; count where it is not. */
static size_t row_of(const tl_frame_view *view, uint32_t body)
{
    size_t row = 0;
    while (row < view->count && view->bodies[row] != body)
        row++;
    return row;
}

/* A run that records less records the same of it, and goes on to the same end. */
static void test_less(void **state)
{
    char folder[64], all[256], less[256];
    make_folder(folder);
    in_folder(all, folder, "all.h5");
    in_folder(less, folder, "less.h5");
    const tl_body_range ranges[] = {{{4, 1}, 1},
                                    {{10, 1}, 20}}; /* the paddle, and some of the heap */
    tl_record_def record = tl_record_default();
    record.contacts = true;
    const uint64_t hash = record_run(all, &record, 60);
    record.fields = TL_RECORD_VELOCITY;
    record.bodies = ranges;
    record.body_count = 2;
    record_run(less, &record, 30);
    assert_int_equal(resume_run(less, 60), hash);
    tl_result *a = NULL, *b = NULL;
    assert_ok(tl_result_open(all, &a));
    assert_ok(tl_result_open(less, &b));
    const tl_result_info x = tl_result_describe(a), y = tl_result_describe(b);
    assert_int_equal(y.fields, TL_RECORD_VELOCITY);
    assert_int_equal(y.body_count, 2);
    assert_int_equal(y.ranges[1].count, 20);
    assert_int_equal(x.frames, y.frames);
    assert_int_equal(x.bodies, y.bodies);
    assert_true(y.contacts > 0 && y.contacts < x.contacts);
    for (uint64_t k = 0; k < x.frames; k++) {
        tl_result_frame p, q;
        assert_ok(tl_result_read_frame(a, k, &p));
        assert_ok(tl_result_read_frame(b, k, &q));
        assert_null(q.state.orientations);
        assert_null(q.state.angular_velocities);
        size_t there = 0;
        for (size_t i = 0; i < p.state.count; i++) {
            const uint32_t body = p.state.bodies[i];
            const bool wanted = body == 4 || (body >= 10 && body < 30);
            const size_t row = row_of(&q.state, body);
            assert_int_equal(row < q.state.count, wanted);
            there += wanted;
            if (!wanted)
                continue;
            assert_memory_equal(p.state.positions + 3 * i, q.state.positions + 3 * row, 24);
            assert_memory_equal(p.state.velocities + 3 * i, q.state.velocities + 3 * row, 12);
        }
        assert_int_equal(q.state.count, there);
        for (size_t i = 0; i < q.contact_count; i++) {
            const uint32_t u = q.contacts[i].a.index, v = q.contacts[i].b.index;
            assert_true(u == 4 || v == 4 || (u >= 10 && u < 30) || (v >= 10 && v < 30));
        }
    }
    tl_result_close(a);
    tl_result_close(b);
    remove_folder(folder);
    (void)state;
}

/* Bodies that an emitter makes later are recorded by its name, also after the run was resumed. */
static void test_emitted(void **state)
{
    static const char text[] =
        "{\"version\": \"1.1\", \"record\": {\"bodies\": [\"feed\"]}, \"bodies\": [{\"name\": "
        "\"ball\", \"position\": [5, 0, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": "
        "0.1}]}], "
        "\"emitters\": [{\"name\": \"feed\", \"region\": {\"kind\": \"box\", \"low\": [0, 0, 0], "
        "\"high\": [1, 1, 1]}, \"radius\": 0.05, \"rate\": 100}]}";
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "x.h5");
    tl_document *document = NULL;
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
    tl_body_range range;
    assert_ok(tl_document_parse("s.json", text, strlen(text), 0, NULL, &document));
    assert_ok(tl_document_find_emitted(document, "feed", &range));
    assert_true(range.first.index == 2 && range.count == UINT32_MAX - 1);
    assert_ok(tl_document_find_emitted(document, "ball", &range));
    assert_int_equal(range.count, 0);
    assert_refused(tl_document_find_emitted(document, NULL, &range), TL_BAD_ARGUMENT,
                   "tl_document_find_emitted: name is NULL");
    tl_world *world = scene_world(document);
    const tl_record_def record = tl_document_record(document);
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 40; i++) {
            const tl_report report = step_report(world, 1);
            assert_ok(tl_recorder_step(recorder, world, &report));
        }
        assert_ok(tl_recorder_close(recorder, world));
        tl_world_destroy(world);
        tl_document_destroy(document);
        if (!part)
            assert_ok(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world));
    }
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    size_t before = 0;
    for (uint64_t k = 0; k < info.frames; k++) {
        tl_result_frame frame;
        assert_ok(tl_result_read_frame(result, k, &frame));
        assert_int_equal(row_of(&frame.state, 1), frame.state.count); /* not the ball */
        assert_true(frame.state.count >= before);
        before = frame.state.count;
    }
    assert_true(before > 20);
    tl_result_close(result);
    remove_folder(folder);
    (void)state;
}

static void test_refusals(void **state)
{
    char folder[64], path[256];
    in_folder(path, make_folder(folder), "x.h5");
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    tl_record_def record = tl_record_default();
#define REFUSED(text)                                                                          \
    assert_refused(tl_recorder_create(path, false, document, world, &record, NULL, &recorder), \
                   TL_BAD_ARGUMENT, text)
    record.fields = 8;
    REFUSED("record.fields is 8; it must be of tl_record_field");
    record = tl_record_default();
    record.compression = (tl_compression)3;
    REFUSED("record.compression is 3; it must be of tl_compression");
    record = tl_record_default();
    record.error = 0;
    REFUSED("record.error is 0; it must be finite and above 0");
    record = tl_record_default();
    tl_body_range ranges[] = {{{5, 1}, 3}, {{7, 1}, 2}};
    record.bodies = ranges;
    record.body_count = 2;
    REFUSED("record.bodies[1] is 2 bodies from 7 on; ranges must be ascending and not empty");
    ranges[1] = (tl_body_range){{9, 2}, 1};
    assert_refused(tl_recorder_create(path, false, document, world, &record, NULL, &recorder),
                   TL_BAD_HANDLE,
                   "record.bodies[1].first: index 9, generation 2 is no body; generations are 1");
    assert_int_equal(count_files(folder), 0);
    tl_world_destroy(world);
    tl_document_destroy(document);
    remove_folder(folder);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),   cmocka_unit_test(test_frames),
        cmocka_unit_test(test_held),     cmocka_unit_test(test_error),
        cmocka_unit_test(test_less),     cmocka_unit_test(test_emitted),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
