/* Damaged and foreign files: each is refused with the place and the reason, or read as far as it is
 * whole; nothing crashes and nothing is handed out that a result cannot hold. */
#define _GNU_SOURCE
#include "io/result_scene.h"
#include "io/checkpoint_sum.h"
#include "io/h5disk.h"

#include <fcntl.h>
#include <hdf5.h>

#define STEPS 40

/* HDF5 loses memory of its own when it meets damage. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static tl_compression compression; /* of the good file: the tests are run with two */
static char folder[64], good[256], bad[256];
static unsigned char *bytes; /* of the good file */
static size_t size;

static int setup(void **state)
{
    tl_record_def record = tl_record_default();
    record.contacts = true;
    record.compression = compression;
    make_folder(folder);
    in_folder(good, folder, "good.h5");
    in_folder(bad, folder, "bad.h5");
    record_run(good, &record, STEPS);
    FILE *file = fopen(good, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    (void)state;
    return 0;
}

static int teardown(void **state)
{
    free(bytes);
    remove_folder(folder);
    (void)state;
    return 0;
}

/* A new file: HDF5 takes one of the same inode for the file that a failed test left open. */
static void write_bad(const unsigned char *data, size_t length)
{
    unlink(bad);
    FILE *file = fopen(bad, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    fclose(file);
}

/* The good file, open in HDF5 to be spoiled. */
static hid_t spoil(void)
{
    write_bad(bytes, size);
    const hid_t file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void open_refused(const char *what)
{
    char message[1024];
    tl_result *result = (void *)1;
    snprintf(message, sizeof message, "%s: %s", bad, what);
    assert_refused(tl_result_open(bad, &result), TL_BAD_DATA, message);
    assert_null(result);
}

/* Writes `value` over `length` bytes of row `row` of a dataset, from byte `at` of the row on. */
static void put(hid_t file, const char *name, uint64_t row, size_t at, const void *value,
                size_t length)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    hsize_t extent[2] = {0, 1};
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const hsize_t start[2] = {row, 0}, count[2] = {1, extent[1]};
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    unsigned char buffer[512];
    assert_true(at + length <= extent[1] * H5Tget_size(type));
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    assert_true(H5Dread(set, type, memory, space, H5P_DEFAULT, buffer) >= 0);
    memcpy(buffer + at, value, length);
    assert_true(H5Dwrite(set, type, memory, space, H5P_DEFAULT, buffer) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static void extend(hid_t file, const char *name, uint64_t rows)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t extent[2] = {0, 1};
    H5Sget_simple_extent_dims(space, extent, NULL);
    extent[0] = rows;
    assert_true(H5Dset_extent(set, extent) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

static void set_closed(hid_t file, uint8_t closed)
{
    const hid_t attribute = H5Aopen(file, "closed", H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_UINT8, &closed) >= 0);
    H5Aclose(attribute);
}

/* ---- Files that are no results ---- */

static void test_foreign(void **state)
{
    tl_result *result = NULL;
    char message[512];
    unlink(bad);
    snprintf(message, sizeof message, "%s: No such file or directory", bad);
    assert_refused(tl_result_open(bad, &result), TL_FILE, message);
    snprintf(message, sizeof message, "%s: Is a directory", folder);
    assert_refused(tl_result_open(folder, &result), TL_FILE, message);
    assert_refused(tl_result_open("/dev/null", &result), TL_FILE, "/dev/null: not a regular file");
    write_bad((const unsigned char *)"", 0);
    open_refused("not a whole HDF5 file: file signature not found");
    write_bad((const unsigned char *)"frame,time\n", 11);
    open_refused("not a whole HDF5 file: file signature not found");
    hid_t file = H5Fcreate(bad, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    open_refused("not a result of Talus: attribute format is missing");
    (void)state;
}

/* Another program's file that is being written stays as it is. */
static void test_foreign_writer(void **state)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    unlink(bad);
    const hid_t file = H5Fcreate(bad, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, access);
    assert_true(file >= 0);
    unsigned char before[48], after[48];
    const int fd = open(bad, O_RDONLY);
    assert_int_equal(pread(fd, before, sizeof before, 0), sizeof before);
    assert_true(before[11] != 0);
    tl_result *result = NULL;
    assert_status(tl_result_open(bad, &result), TL_BAD_DATA);
    assert_int_equal(pread(fd, after, sizeof after, 0), sizeof after);
    assert_memory_equal(before, after, sizeof before);
    close(fd);
    H5Fclose(file);
    H5Pclose(access);
    (void)state;
}

/* ---- A writer that was killed inside a write ---- */

/* What a process leaves that ends without closing its file. */
static void leave_unclosed(void)
{
    int status = 0;
    unlink(bad);
    const pid_t child = fork();
    if (child == 0) {
        tl_record_def record = tl_record_default();
        tl_document *document = scene_document();
        tl_world *world = scene_world(document);
        tl_recorder *recorder = NULL;
        tl_report report;
        if (tl_recorder_create(bad, false, document, world, &record, NULL, &recorder) != TL_OK)
            _exit(1);
        for (int i = 0; i < 8; i++)
            if (tl_world_step(world, 1, &report) < 0 ||
                tl_recorder_step(recorder, world, &report) != TL_OK)
                _exit(1);
        _exit(tl_recorder_checkpoint(recorder, world) == TL_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Half of a block of metadata is missing; the journal has it. */
static void test_torn(void **state)
{
    enum { SIZE = 6000 };
    const uint64_t address = 48; /* behind the superblock */
    unsigned char block[SIZE];
    const unsigned char zeros[SIZE] = {0};
    for (int with_journal = 0; with_journal < 2; with_journal++) {
        leave_unclosed();
        const int fd = open(bad, O_RDWR);
        assert_int_equal(pread(fd, block, SIZE, (off_t)address), SIZE);
        const uint64_t size_word = SIZE;
        uint64_t entry[4] = {0x314c4e4a53554c54u, address, SIZE, 0};
        entry[3] = tl_checkpoint_sum(tl_checkpoint_sum(address, &size_word, 8), block, SIZE);
        if (with_journal) {
            assert_int_equal(pwrite(fd, entry, sizeof entry, TL_H5_JOURNAL + 16), sizeof entry);
            assert_int_equal(pwrite(fd, block, SIZE, TL_H5_JOURNAL + 16 + sizeof entry), SIZE);
        }
        assert_int_equal(pwrite(fd, zeros, SIZE / 2, (off_t)address), SIZE / 2);
        close(fd);
        tl_result *result = NULL;
        const tl_status status = tl_result_open(bad, &result);
        assert_int_equal(status, with_journal ? TL_OK : TL_BAD_DATA);
        if (result) {
            assert_int_equal(tl_result_describe(result).frames, 3);
            assert_int_equal(tl_result_describe(result).steps, 8);
        }
        tl_result_close(result);
    }
    (void)state;
}

/* The journal itself was broken off: the block is whole, and the entry does not stay for ever. */
static void test_torn_journal(void **state)
{
    const uint64_t entry[4] = {0x314c4e4a53554c54u, 48, 6000, 17}; /* with another sum */
    leave_unclosed();
    const int fd = open(bad, O_RDWR);
    assert_int_equal(pwrite(fd, entry, sizeof entry, TL_H5_JOURNAL + 16), sizeof entry);
    assert_true(tl_h5_journal_pending(fd));
    tl_result *result = NULL;
    assert_ok(tl_result_open(bad, &result));
    assert_int_equal(tl_result_describe(result).frames, 3);
    tl_result_close(result);
    assert_false(tl_h5_journal_pending(fd));
    close(fd);
    (void)state;
}

/* ---- Structure ---- */

static void test_structure(void **state)
{
    hid_t file = spoil();
    H5Adelete(file, "version");
    H5Fclose(file);
    open_refused("not a result of Talus: attribute version is missing");

    file = spoil();
    const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT32, &(uint32_t){2});
    H5Aclose(attribute);
    H5Fclose(file);
    open_refused("version 2.5 of results, which Talus " TL_VERSION_STRING
                 " reads; this is Talus " TL_VERSION_STRING
                 ", which reads versions 1.0 and later below 2");

    file = spoil();
    H5Ldelete(file, "states/position", H5P_DEFAULT);
    H5Fclose(file);
    open_refused("/states/position is missing or damaged");

    /* A link that leads elsewhere is not followed. */
    file = spoil();
    H5Ldelete(file, "states/velocity", H5P_DEFAULT);
    H5Lcreate_external(good, "states/velocity", file, "states/velocity", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    open_refused("/states/velocity is missing or damaged");

    /* Another type, another rank, another layout. */
    file = spoil();
    H5Ldelete(file, "contacts/gap", H5P_DEFAULT);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, (hsize_t[]){64});
    hid_t space = H5Screate_simple(1, (hsize_t[]){0}, (hsize_t[]){H5S_UNLIMITED});
    H5Dclose(H5Dcreate2(file, "contacts/gap", H5T_C_S1, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Fclose(file);
    open_refused("/contacts/gap is of another type than a result's");
    file = spoil();
    H5Ldelete(file, "contacts/gap", H5P_DEFAULT);
    H5Pset_fletcher32(creation);
    H5Dclose(H5Dcreate2(file, "contacts/gap", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation,
                        H5P_DEFAULT));
    H5Fclose(file);
    open_refused("/contacts/gap is not stored as a result's tables are");
    H5Sclose(space);
    H5Pclose(creation);

    /* Monitors: all of them, as many units as names, and a value for each step. */
    file = spoil();
    H5Ldelete(file, "monitors/values", H5P_DEFAULT);
    H5Fclose(file);
    open_refused("/monitors/values is missing or damaged");
    file = spoil();
    extend(file, "monitors/units", 3);
    H5Fclose(file);
    open_refused("/monitors/units has 3 rows, which fits no channels");
    file = spoil();
    extend(file, "monitors/names", 0);
    H5Fclose(file);
    open_refused("/monitors/names has 0 rows, which fits no channels");
    file = spoil();
    extend(file, "monitors/values", 7);
    H5Fclose(file);
    open_refused("/monitors/values has 7 rows and /steps 40; they must be as many");
    file = spoil();
    const hid_t names = H5Dopen2(file, "monitors/names", H5P_DEFAULT);
    const hid_t text = H5Dget_type(names);
    char escape[16][64];
    H5Dread(names, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, escape);
    escape[2][1] = 27;
    H5Dwrite(names, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, escape);
    H5Tclose(text);
    H5Dclose(names);
    H5Fclose(file);
    open_refused("/monitors/names[2] is no plain text");

    /* More rows than the file has bytes for. */
    file = spoil();
    extend(file, "states/position", UINT64_C(1) << 50);
    H5Fclose(file);
    tl_result *result = NULL;
    assert_status(tl_result_open(bad, &result), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(),
                           "/states/position says it has 1125899906842624 rows of 24 bytes"));
    (void)state;
}

/* ---- Frames that do not fit ---- */

static void test_frames(void **state)
{
    /* Columns of /frames are 8 bytes: time, step, state_first, state_count, contact_first,
     * contact_count, bodies, shapes, removals. */
    const uint64_t huge = UINT64_MAX;
    const double nan_time = NAN;
    for (int column = 0; column < 9; column++) {
        context("column %d of /frames", column);
        hid_t file = spoil();
        put(file, "frames", 5, 8 * (size_t)column, column ? (const void *)&huge : &nan_time, 8);
        H5Fclose(file);
        /* A step may have any number; it is the next row that does not follow it then. */
        open_refused(column == 1 ? "/frames[6] does not fit the tables it speaks of"
                                 : "/frames[5] does not fit the tables it speaks of");
        /* If the writer was killed the file counts up to there. */
        file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
        set_closed(file, 0);
        H5Fclose(file);
        tl_result *result = NULL;
        assert_ok(tl_result_open(bad, &result));
        assert_int_equal(tl_result_describe(result).frames, column == 1 ? 6 : 5);
        tl_result_close(result);
    }
    /* A row that was never written, as one that was cut. */
    hid_t file = spoil();
    extend(file, "frames", 14);
    extend(file, "steps", 60);
    set_closed(file, 0);
    H5Fclose(file);
    tl_result *result = NULL;
    assert_ok(tl_result_open(bad, &result));
    assert_int_equal(tl_result_describe(result).frames, 11);
    assert_int_equal(tl_result_describe(result).steps, 40);
    tl_result_close(result);
    (void)state;
}

/* ---- Rows that no world can have ---- */

static void row_refused(const char *set, uint64_t row, size_t at, const void *value, size_t length,
                        const char *what)
{
    char message[512];
    const hid_t file = spoil();
    put(file, set, row, at, value, length);
    H5Fclose(file);
    tl_result *result = NULL;
    tl_result_frame frame = {.contact_count = 1};
    context("%s[%d], byte %zu", set, (int)row, at);
    assert_ok(tl_result_open(bad, &result));
    snprintf(message, sizeof message, "%s: %s", bad, what);
    assert_refused(tl_result_read_frame(result, 0, &frame), TL_BAD_DATA, message);
    assert_int_equal(frame.contact_count, 0);
    assert_null(frame.state.positions);
    tl_result_close(result);
}

static void test_rows(void **state)
{
    const double nan_double = NAN, minus = -1;
    const float infinite = INFINITY;
    const uint32_t four = 4, seven = 7, nine = 9, eleven = 11, zero = 0, many = 4000000000u;
    row_refused("states/position", 3, 8, &nan_double, 8, "/states[3]: its numbers must be finite");
    row_refused("states/angular_velocity", 0, 0, &infinite, 4,
                "/states[0]: its numbers must be finite");
    row_refused("states/body", 2, 0, &many, 4,
                "/states/body[2]: bodies must be those of /bodies, in ascending order");
    row_refused("states/body", 2, 0, &zero, 4,
                "/states/body[2]: bodies must be those of /bodies, in ascending order");
    row_refused("bodies", 1, 0, &zero, 4, "/bodies[1]: bodies must be in ascending order");
    row_refused("bodies", 1, 4, &nine, 4,
                "/bodies[1]: kind 9 is not known; the file has version "
                "1.5, written by Talus " TL_VERSION_STRING
                ", and this is Talus " TL_VERSION_STRING);
    row_refused("bodies", 7, 8, &minus, 8,
                "/bodies[7]: its numbers must be finite, its mass not below 0");
    row_refused("shapes", 4, 0, &many, 4, "/shapes[4]: its body is not in /bodies");
    row_refused("shapes", 4, 8, &eleven, 4,
                "/shapes[4]: kind 11 is not known; the file has version "
                "1.5, written by Talus " TL_VERSION_STRING
                ", and this is Talus " TL_VERSION_STRING);
    row_refused("shapes", 4, 72, &nan_double, 8, "/shapes[4]: its numbers must be finite");
    row_refused("shapes", 4, 8, &four, 4, "/shapes[4]: radius and half_length must be above 0");
    row_refused("shapes", 8, 8, &seven, 4, "/shapes[8]: half_extents must be above 0");
    row_refused("shapes", 4, 8, &nine, 4, "/shapes[4]: its geometry is not in /geometries/list");
    row_refused("shapes", 4, 152, &nan_double, 8, "/shapes[4]: its numbers must be finite");
    /* Shape 1 of the first body made shape 0 again. */
    row_refused("shapes", 1, 4, &zero, 4, "/shapes[1]: shapes must be in ascending order");
    (void)state;
}

/* ---- Chance ---- */

static tl_status count_shapes(void *user, const tl_body_info *body, size_t count,
                              const tl_shape_info *shapes)
{
    (void)body;
    for (size_t i = 0; i < count; i++)
        *(double *)user += shapes[i].def.radius;
    return TL_OK;
}

/* Reads all that can be read. */
static void read_everything(tl_result *result)
{
    const tl_result_info info = tl_result_describe(result);
    tl_result_frame frame;
    tl_document *document = NULL;
    double sum = 0;
    for (uint64_t i = 0; i < info.frames; i++)
        if (tl_result_read_frame(result, i, &frame) == TL_OK) {
            for (size_t k = 0; k < 3 * frame.state.count; k++)
                sum += frame.state.positions[k];
            for (size_t k = 0; k < frame.contact_count; k++)
                sum += frame.contacts[k].gap;
        }
    assert_true(tl_result_visit_bodies(result, count_shapes, &sum) <= 0);
    assert_true(isfinite(sum));
    tl_body_info *bodies = calloc(info.bodies + 1, sizeof *bodies);
    tl_shape_info *shapes = calloc(info.shapes + 1, sizeof *shapes);
    tl_report *reports = calloc(info.steps + 1, sizeof *reports);
    tl_result_read_bodies(result, info.bodies, bodies);
    tl_result_read_shapes(result, info.shapes, shapes);
    tl_result_read_reports(result, 0, info.steps, reports);
    free(bodies);
    free(shapes);
    free(reports);
    if (tl_result_document(result, &document) == TL_OK)
        tl_document_destroy(document);
    assert_true(tl_result_refresh(result) <= 0);
}

static void try_bad(int *opened)
{
    tl_result *result = NULL;
    const tl_status status = tl_result_open(bad, &result);
    assert_true(status == TL_OK || status == TL_BAD_DATA);
    *opened += status == TL_OK;
    if (result)
        read_everything(result);
    tl_result_close(result);
}

static void test_truncated(void **state)
{
    dice d = {3};
    int opened = 0;
    for (int i = 0; i < 100; i++) {
        write_bad(bytes, i < 20 ? (size_t)i * 13 : (size_t)(roll_bits(&d) % size));
        try_bad(&opened);
    }
    assert_int_equal(opened, 0);
    (void)state;
}

static void test_flipped(void **state)
{
    dice d = {11};
    int opened = 0;
    unsigned char *copy = malloc(size);
    for (int i = 0; i < 120; i++) {
        memcpy(copy, bytes, size);
        for (uint64_t k = 1 + roll_bits(&d) % 20; k; k--)
            copy[i % 2 ? roll_bits(&d) % size : roll_bits(&d) % 8192] ^=
                (unsigned char)(1u << (roll_bits(&d) % 8));
        write_bad(copy, size);
        try_bad(&opened);
    }
    free(copy);
    assert_true(opened > 20 && opened < 120);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign),   cmocka_unit_test(test_foreign_writer),
        cmocka_unit_test(test_torn),      cmocka_unit_test(test_torn_journal),
        cmocka_unit_test(test_structure), cmocka_unit_test(test_frames),
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped),
    };
    const int plain = cmocka_run_group_tests(tests, setup, teardown);
    compression = TL_COMPRESSION_LOSSLESS;
    return plain + cmocka_run_group_tests(tests, setup, teardown);
}
