/* A disk that fills up while a run is recorded: the recorder says so by name and reason, the file
 * stays readable up to its last whole frame, the checkpoint that was there stays whole, and nothing
 * crashes or hangs. Also other failures of the disk, at every write there is. */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <hdf5.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#define STEPS 150

static tl_record_def record;

static void setup_record(void)
{
    record = tl_record_default();
    record.rate = 200;
    record.contacts = true;
    record.checkpoint = 0.05;
}

/* Records until it fails or ends; gives the status of the first failure and its message. */
static tl_status record_until_failure(const char *path, char text[512])
{
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    tl_report report;
    tl_status status = tl_recorder_create(path, false, document, world, &record, NULL, &recorder);
    snprintf(text, 512, "%s", tl_last_message());
    while (status == TL_OK && tl_world_time(world) < (STEPS - 0.5) * 0.005) {
        assert_true(tl_world_step(world, 1, &report) >= 0);
        status = tl_recorder_step(recorder, world, &report);
        snprintf(text, 512, "%s", tl_last_message());
    }
    if (recorder) {
        const tl_status closing = tl_recorder_close(recorder, world);
        if (status == TL_OK) {
            status = closing;
            snprintf(text, 512, "%s", tl_last_message());
        } else { /* it stays failed, for the same reason */
            assert_int_equal(closing, status);
            assert_string_equal(tl_last_message(), text);
        }
    }
    tl_world_destroy(world);
    tl_document_destroy(document);
    return status;
}

/* What a failed run has left: a readable beginning, from which it goes on where there is room. */
static void check_left(const char *path, const char *roomy, const char *reference, uint64_t hash)
{
    tl_result *left = NULL, *whole = NULL;
    char command[1024];
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT); /* as any other program does */
    assert_true(file >= 0);
    H5Fclose(file);
    assert_ok(tl_result_open(path, &left));
    assert_ok(tl_result_open(reference, &whole));
    assert_true(tl_result_describe(left).frames >= 1);
    assert_begins(left, whole);
    tl_result_close(left);
    tl_result_close(whole);
    snprintf(command, sizeof command, "cp %s %s && cp %s.checkpoint %s.checkpoint", path, roomy,
             path, roomy);
    assert_int_equal(system(command), 0);
    assert_int_equal(resume_run(roomy, STEPS), hash);
    assert_same_result(roomy, reference);
    unlink(roomy);
}

/* A file system of `bytes` bytes on `folder`; false where that is not allowed. */
static bool mount_small(const char *folder, size_t bytes)
{
    char options[64];
    snprintf(options, sizeof options, "size=%zu", bytes);
    return mount("tmpfs", folder, "tmpfs", 0, options) == 0;
}

static void test_full_disk(void **state)
{
    char folder[64], reference[256], roomy[256], small[256], path[256], message[512], text[512];
    make_folder(folder);
    in_folder(reference, folder, "whole.h5");
    in_folder(roomy, folder, "roomy.h5");
    in_folder(small, folder, "small");
    snprintf(path, sizeof path, "%s/small/run.h5", folder);
    setup_record();
    assert_int_equal(mkdir(small, 0777), 0);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        !mount_small(small, 1 << 20)) {
        print_message("skipped: no right to mount a small disk (%s)\n", strerror(errno));
        remove_folder(folder);
        skip();
    }
    umount(small);
    const uint64_t hash = record_run(reference, &record, STEPS);
    struct stat s;
    assert_int_equal(stat(reference, &s), 0);
    int resumed = 0, nothing = 0;
    /* From too small for the first frame to nearly enough. */
    for (int64_t bytes = 65536; bytes < 512 * (int64_t)s.st_blocks; bytes += 3 * 32768) {
        context("a disk of %lld bytes", (long long)bytes);
        assert_true(mount_small(small, (size_t)bytes));
        const tl_status status = record_until_failure(path, text);
        assert_int_equal(status, TL_FILE);
        snprintf(message, sizeof message, "%s: %s", path, strerror(ENOSPC));
        if (strcmp(text, message) != 0) /* or the checkpoint found no room */
            snprintf(message, sizeof message, "%s%s.checkpoint: %s", path,
                     strstr(text, ".new.") ? ".new" : "", strerror(ENOSPC));
        assert_string_equal(text, message);
        if (access(path, F_OK) == 0) {
            check_left(path, roomy, reference, hash);
            resumed++;
        } else {
            assert_int_equal(count_files(small), 0);
            nothing++;
        }
        assert_int_equal(umount(small), 0);
    }
    print_message("%d full disks: %d runs resumed elsewhere, %d had no room to begin\n",
                  resumed + nothing, resumed, nothing);
    assert_true(resumed > 3 && nothing > 0);
    remove_folder(folder);
    (void)state;
}

/* The same with a limit on the size of files, which fails elsewhere than a full disk does. */
static void test_size_limit(void **state)
{
    char folder[64], reference[256], roomy[256], path[256], checkpoint[512], text[512];
    make_folder(folder);
    in_folder(reference, folder, "whole.h5");
    in_folder(roomy, folder, "roomy.h5");
    in_folder(path, folder, "run.h5");
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    setup_record();
    signal(SIGXFSZ, SIG_IGN);
    const uint64_t hash = record_run(reference, &record, STEPS);
    struct rlimit before, limit;
    struct stat s;
    assert_int_equal(stat(reference, &s), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    int resumed = 0;
    for (int64_t bytes = 20000; bytes < s.st_size; bytes += 90001) {
        context("files of at most %lld bytes", (long long)bytes);
        limit = before;
        limit.rlim_cur = (rlim_t)bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const tl_status status = record_until_failure(path, text);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, TL_FILE);
        assert_non_null(strstr(text, strerror(EFBIG)));
        if (access(path, F_OK) == 0) {
            check_left(path, roomy, reference, hash);
            resumed++;
        }
        unlink(path);
        unlink(checkpoint);
    }
    assert_true(resumed > 3);
    remove_folder(folder);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
