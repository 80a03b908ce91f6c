/* What recorders refuse, with the words they use: paths, arguments, checkpoints that are missing,
 * damaged or of another result. Nothing is left behind by a refusal. */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <fcntl.h>

typedef struct fixture {
    char folder[64], path[256];
    tl_document *document;
    tl_world *world;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    in_folder(f->path, make_folder(f->folder), "run.h5");
    f->document = scene_document();
    f->world = scene_world(f->document);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tl_world_destroy(f->world);
    tl_document_destroy(f->document);
    remove_folder(f->folder);
    free(f);
    return 0;
}

/* Creating at `path` fails with "path: reason". */
static void refused_path(const fixture *f, const char *path, const char *reason)
{
    char message[8192];
    const tl_record_def record = tl_record_default();
    tl_recorder *recorder = (void *)1;
    snprintf(message, sizeof message, "%s: %s", path, reason);
    message[1023] = '\0'; /* as messages are cut */
    assert_refused(tl_recorder_create(path, false, f->document, f->world, &record, NULL, &recorder),
                   TL_FILE, message);
    assert_null(recorder);
}

static void test_paths(void **state)
{
    const fixture *f = *state;
    char path[512], name[400];
    refused_path(f, f->folder, "Is a directory");
    snprintf(path, sizeof path, "%s/none/run.h5", f->folder);
    refused_path(f, path, "No such file or directory");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    refused_path(f, path, "File name too long");
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    refused_path(f, f->path, "File exists");
    snprintf(path, sizeof path, "%s/run.h5/below.h5", f->folder);
    refused_path(f, path, "Not a directory");
    assert_int_equal(count_files(f->folder), 1);
}

/* A folder that may not be written to: tried as a user who may not. */
static void test_unwritable(void **state)
{
    const fixture *f = *state;
    int status = 0;
    assert_int_equal(chmod(f->folder, 0555), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const tl_record_def record = tl_record_default();
        tl_recorder *recorder = NULL;
        char message[512];
        snprintf(message, sizeof message, "%s: Permission denied", f->path);
        if (tl_recorder_create(f->path, false, f->document, f->world, &record, NULL, &recorder) !=
            TL_FILE)
            _exit(3);
        _exit(strcmp(tl_last_message(), message) == 0 ? 0 : 4);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_files(f->folder), 0);
}

static void test_arguments(void **state)
{
    const fixture *f = *state;
    tl_record_def record = tl_record_default();
    tl_recorder *recorder = NULL;
    tl_result *result = NULL;
#define CREATE(path, d, w, r, note) tl_recorder_create(path, false, d, w, r, note, &recorder)
    assert_refused(CREATE(NULL, f->document, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_create: path is NULL");
    assert_refused(CREATE("", f->document, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_create: path is empty");
    assert_refused(CREATE(f->path, NULL, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_create: document is NULL");
    assert_refused(CREATE(f->path, f->document, NULL, &record, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_create: world is NULL");
    assert_refused(CREATE(f->path, f->document, f->world, NULL, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_create: record is NULL");
    assert_refused(tl_recorder_create(f->path, false, f->document, f->world, &record, NULL, NULL),
                   TL_BAD_ARGUMENT, "tl_recorder_create: recorder is NULL");
    record.rate = -1;
    assert_refused(CREATE(f->path, f->document, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "record.rate is -1; it must be finite and not below 0");
    record = tl_record_default();
    record.duration = NAN;
    assert_refused(CREATE(f->path, f->document, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "record.duration is nan; it must be above 0");
    record = tl_record_default();
    record.checkpoint = 0;
    assert_refused(CREATE(f->path, f->document, f->world, &record, NULL), TL_BAD_ARGUMENT,
                   "record.checkpoint is 0; it must be above 0");
    record = tl_record_default();
    char *long_note = calloc(1, 70001);
    memset(long_note, 'n', 70000);
    assert_refused(CREATE(f->path, f->document, f->world, &record, long_note), TL_BAD_ARGUMENT,
                   "note has 70000 bytes; at most 59999 are kept");
    free(long_note);
    assert_refused(tl_recorder_step(NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_step: recorder is NULL");
    assert_refused(tl_recorder_checkpoint(NULL, NULL), TL_BAD_ARGUMENT,
                   "tl_recorder_checkpoint: recorder is NULL");
    assert_ok(tl_recorder_close(NULL, NULL));
    assert_refused(tl_result_open(NULL, &result), TL_BAD_ARGUMENT, "tl_result_open: path is NULL");
    assert_refused(tl_result_open("x", NULL), TL_BAD_ARGUMENT, "tl_result_open: result is NULL");
    tl_result_close(NULL);
    assert_int_equal(count_files(f->folder), 0);
}

static void test_replace(void **state)
{
    const fixture *f = *state;
    tl_record_def record = tl_record_default();
    tl_recorder *recorder = NULL;
    record_run(f->path, &record, 5);
    assert_ok(tl_recorder_create(f->path, true, f->document, f->world, &record, NULL, &recorder));
    assert_ok(tl_recorder_close(recorder, f->world));
    tl_result *result = NULL;
    assert_ok(tl_result_open(f->path, &result));
    assert_int_equal(tl_result_describe(result).frames, 1);
    assert_int_equal(tl_result_describe(result).steps, 0);
    tl_result_close(result);
    assert_int_equal(count_files(f->folder), 2);
}

/* ---- Checkpoints ---- */

static void resume_refused(const fixture *f, tl_status status, const char *format)
{
    char message[1024];
    tl_recorder *recorder = (void *)1;
    tl_document *document = (void *)1;
    tl_world *world = (void *)1;
    snprintf(message, sizeof message, format, f->path);
    assert_refused(tl_recorder_resume(f->path, TL_BACKEND_CPU, 1, &recorder, &document, &world),
                   status, message);
    assert_null(recorder);
    assert_null(document);
    assert_null(world);
}

static long read_whole(const char *path, unsigned char **data)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    *data = malloc((size_t)size);
    assert_int_equal(fread(*data, 1, (size_t)size, file), size);
    fclose(file);
    return size;
}

static void write_whole(const char *path, const unsigned char *data, long size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, (size_t)size, file), size);
    fclose(file);
}

/* One bit that differs anywhere behind the version is noticed. */
static void check_flips(const fixture *f, const char *checkpoint, const unsigned char *good,
                        long size)
{
    unsigned char *copy = malloc((size_t)size);
    dice d = {7};
    for (int i = 0; i < 50; i++) {
        memcpy(copy, good, (size_t)size);
        const long at = 16 + (long)(roll_bits(&d) % (uint64_t)(size - 16));
        copy[at] ^= (unsigned char)(1u << (roll_bits(&d) % 8));
        write_whole(checkpoint, copy, size);
        tl_recorder *recorder = NULL;
        tl_document *document = NULL;
        tl_world *world = NULL;
        context("byte %ld of the checkpoint", at);
        assert_status(tl_recorder_resume(f->path, TL_BACKEND_CPU, 1, &recorder, &document, &world),
                      TL_BAD_DATA);
        assert_non_null(strstr(tl_last_message(), "damaged"));
    }
    context("checkpoints");
    free(copy);
}

static void test_checkpoints(void **state)
{
    const fixture *f = *state;
    tl_record_def record = tl_record_default();
    char checkpoint[512], other[256], other_checkpoint[512];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", f->path);
    in_folder(other, f->folder, "other.h5");
    snprintf(other_checkpoint, sizeof other_checkpoint, "%s.checkpoint", other);
    const uint64_t hash = record_run(other, &record, 40);
    record_run(f->path, &record, 20);
    unsigned char *good = NULL, *copy = NULL;
    const long size = read_whole(checkpoint, &good);

    assert_int_equal(unlink(checkpoint), 0);
    resume_refused(f, TL_FILE, "%s.checkpoint: No such file or directory");
    write_whole(checkpoint, (const unsigned char *)"hello", 5);
    resume_refused(f, TL_BAD_DATA, "%s.checkpoint: not a checkpoint of Talus");
    write_whole(checkpoint, good, 100);
    resume_refused(f, TL_BAD_DATA, "%s.checkpoint: not a checkpoint of Talus");
    copy = malloc((size_t)size);
    memcpy(copy, good, (size_t)size);
    copy[8] = 9;
    write_whole(checkpoint, copy, size);
    resume_refused(f, TL_BAD_DATA,
                   "%s.checkpoint: version 9.1 of checkpoints, which Talus " TL_VERSION_STRING
                   " goes on with; this is Talus " TL_VERSION_STRING
                   ", which goes on with version 1.1");
    copy[8] = 1;
    copy[12] = 2; /* a later one, which says who wrote it */
    memcpy(copy + 16, "0.3.7", 6);
    write_whole(checkpoint, copy, size);
    resume_refused(
        f, TL_BAD_DATA,
        "%s.checkpoint: version 1.2 of checkpoints, which Talus 0.3.7 goes on with; this "
        "is Talus " TL_VERSION_STRING ", which goes on with version 1.1");
    copy[12] = 0; /* the first, which did not */
    write_whole(checkpoint, copy, size);
    resume_refused(f, TL_BAD_DATA,
                   "%s.checkpoint: version 1.0 of checkpoints, which Talus 0.1 goes on with; this "
                   "is Talus " TL_VERSION_STRING ", which goes on with version 1.1");
    check_flips(f, checkpoint, good, size);
    write_whole(checkpoint, good, size - 1);
    tl_recorder *recorder = NULL;
    tl_document *document = NULL;
    tl_world *world = NULL;
    assert_status(tl_recorder_resume(f->path, TL_BACKEND_CPU, 1, &recorder, &document, &world),
                  TL_BAD_DATA);

    /* That of another run of the same scene. */
    free(copy);
    const long other_size = read_whole(other_checkpoint, &copy);
    write_whole(checkpoint, copy, other_size);
    resume_refused(f, TL_BAD_DATA, "%s: the checkpoint beside it is of another result");

    /* A result that is older than its checkpoint. */
    unsigned char *early = NULL;
    const long early_size = read_whole(f->path, &early);
    write_whole(checkpoint, good, size);
    resume_run(f->path, 30);
    write_whole(f->path, early, early_size);
    resume_refused(f, TL_BAD_DATA,
                   "%s: its checkpoint was written when /frames had 8 rows; now there are 6");

    /* All refusals have left the result as it was: with its own checkpoint it goes on. */
    write_whole(checkpoint, good, size);
    assert_int_equal(resume_run(f->path, 40), hash);
    assert_same_result(f->path, other);
    free(good);
    free(copy);
    free(early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unwritable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_checkpoints, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
