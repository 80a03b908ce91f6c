/* A run that goes on with a result and is killed at any page of any write leaves a file that opens,
 * in this library and in plain HDF5, with frames, steps and edits that are the first of those that
 * were there; and it goes on to the same end. Kills at moments of chance are in
 * test_recorder_kill.c. */
/* labels: slow longer */
#define _GNU_SOURCE
#include "io/result_left.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static tl_record_def record;
static atomic_long pages_left = -1; /* until this process is killed; below 0: it is not */

/* A process that is killed inside a write leaves whole pages of it. These take the place of the
 * system's in the driver of result files (src/io/h5disk.c), to be killed at a page of our choice.
 */
static void count_page(void)
{
    if (pages_left >= 0 && pages_left-- == 0)
        raise(SIGKILL);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    size_t done = 0;
    while (done < size) {
        const size_t page = 4096 - (size_t)at % 4096, rest = size - done;
        const size_t part = pages_left >= 0 && page < rest ? page : rest;
        count_page();
        const ssize_t put = syscall(SYS_pwrite64, fd, (const char *)data + done, part, at);
        if (put <= 0)
            return done ? (ssize_t)done : put;
        done += (size_t)put;
        at += put;
    }
    return (ssize_t)done;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    char *data = malloc(size + 1), *to = data;
    for (int i = 0; i < count; i++)
        to = (char *)memcpy(to, parts[i].iov_base, parts[i].iov_len) + parts[i].iov_len;
    const ssize_t put = pwrite(fd, data, size, at);
    free(data);
    return put;
}

int ftruncate(int fd, off_t size)
{
    count_page();
    return (int)syscall(SYS_ftruncate, fd, size);
}

#define BEHIND_STEPS 40
#define EDITS_ROOM   16384

/* A result with edits whose checkpoint is that of step 8: going on with it cuts rows of several
 * pages. Gives its edits. */
static void record_behind(const char *path, char edits[EDITS_ROOM])
{
    char edit[1500];
    size_t length = 0;
    memset(edit, 'x', sizeof edit - 1);
    edit[sizeof edit - 1] = '\0';
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_create(path, false, document, world, &record, NULL, &recorder));
    assert_ok(tl_recorder_edit(recorder, world, "first"));
    record_steps(recorder, world, 8);
    assert_ok(tl_recorder_checkpoint(recorder, world));
    for (uint64_t steps = 10; steps <= BEHIND_STEPS; steps += 5) {
        record_steps(recorder, world, steps);
        assert_ok(tl_recorder_edit(recorder, world, edit));
    }
    assert_ok(tl_recorder_close(recorder, NULL)); /* without a checkpoint */
    tl_world_destroy(world);
    tl_document_destroy(document);
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    assert_ok(tl_result_read_edits(result, EDITS_ROOM, edits, &length));
    assert_true(length > 2 * 4096 && length < EDITS_ROOM);
    tl_result_close(result);
}

/* Goes on with a result for a few steps, killed when it has written so many pages; whether it was.
 */
static bool resume_pages(const char *path, long pages)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tl_document *document = NULL;
        tl_world *world = NULL;
        tl_recorder *recorder = NULL;
        tl_report report;
        pages_left = pages;
        tl_status status =
            tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world);
        for (int i = 0; i < 2 && status == TL_OK; i++)
            if ((status = tl_world_step(world, 1, &report)) == TL_OK)
                status = tl_recorder_step(recorder, world, &report);
        if (status == TL_OK)
            status = tl_recorder_close(recorder, world);
        if (status != TL_OK)
            fprintf(stderr, "the recording process: %s\n", tl_last_message());
        _exit(status != TL_OK);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* The edits that are left: whole lines, the first of all. */
static void check_edits(const char *path, const char *all)
{
    char text[EDITS_ROOM];
    size_t length = 0, again = 0;
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    assert_ok(tl_result_read_edits(result, sizeof text, text, &length));
    assert_ok(tl_result_read_edits(result, 0, NULL, &again));
    tl_result_close(result);
    assert_int_equal(length, strlen(text));
    assert_int_equal(length, again);
    assert_true(length && length <= strlen(all) && text[length - 1] == '\n');
    assert_memory_equal(text, all, length);
}

static void kill_at_pages(tl_compression compression)
{
    char folder[64], path[256], behind[256], reference[256], edits[EDITS_ROOM];
    in_folder(path, make_folder(folder), "run.h5");
    in_folder(behind, folder, "behind.h5");
    in_folder(reference, folder, "whole.h5");
    record = tl_record_default();
    record.rate = 200; /* a frame per step */
    record.contacts = true;
    record.compression = compression;
    const uint64_t hash = record_run(reference, &record, BEHIND_STEPS);
    record_behind(behind, edits);
    tl_result *whole = NULL;
    assert_ok(tl_result_open(reference, &whole));
    int plain = 0;
    /* at every page among the long tests, else at every fifth, others however frames are stored */
    const long stride = is_long() ? 1 : 5;
    long pages = compression % stride;
    bool killed = true;
    for (int tries = 0; killed; tries++, pages += stride) {
        context("%ld pages", pages);
        copy_pair(behind, path);
        killed = resume_pages(path, pages);
        check_left(path, whole, &plain);
        check_edits(path, edits);
        if (tries % 16 && killed)
            continue;
        assert_int_equal(resume_run(path, BEHIND_STEPS), hash);
        assert_same_result(path, reference);
        check_edits(path, "0 first\n");
    }
    print_message("killed at one in %ld of %ld pages; %d files opened in plain HDF5 at once\n",
                  stride, pages - stride, plain);
    assert_true(pages > 100);
    tl_result_close(whole);
    remove_folder(folder);
}

static void test_plain(void **state)
{
    (void)state;
    kill_at_pages(TL_COMPRESSION_NONE);
}

static void test_lossless(void **state)
{
    (void)state;
    kill_at_pages(TL_COMPRESSION_LOSSLESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_lossless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
