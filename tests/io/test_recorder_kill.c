/* A run that is killed at any moment leaves a file that opens, in this library and in plain HDF5,
 * with frames that are bit for bit those of an uninterrupted run; and it goes on to the same end.
 * However frames are stored; and where a run replaces a result, the old one or the new one goes on.
 */
/* labels: long */
#define _GNU_SOURCE
#include "io/result_left.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>

#define KILLS        400 /* of each kind of storing */
#define STEPS        150
#define REPLACEMENTS 90

static tl_record_def record;
static uint64_t *child_hash; /* shared with the children; 0 until one has finished */

/* What a child does: starts or goes on, to the end. It has no test to fail, so it says so by its
 * exit status. */
static void run_child(const char *path)
{
    tl_document *document = NULL;
    tl_world *world = NULL;
    tl_recorder *recorder = NULL;
    tl_report report;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (access(path, F_OK) == 0) {
        if (tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world) != TL_OK)
            goto failed;
    } else {
        document = scene_document();
        world = scene_world(document);
        if (tl_recorder_create(path, false, document, world, &record, NULL, &recorder) != TL_OK)
            goto failed;
    }
    while (tl_world_time(world) < (STEPS - 0.5) * 0.005)
        if (tl_world_step(world, 1, &report) < 0 ||
            tl_recorder_step(recorder, world, &report) != TL_OK)
            goto failed;
    if (tl_recorder_close(recorder, world) != TL_OK)
        goto failed;
    *child_hash = tl_world_hash(world);
    _exit(0);
failed:
    fprintf(stderr, "the recording process: %s\n", tl_last_message());
    _exit(1);
}

/* Processor time of a process, s: a busy machine does not change how far it comes in it. */
static double processor_time(clockid_t clock)
{
    struct timespec t = {0, 0};
    clock_gettime(clock, &t); /* fails once the process has ended */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until a child has used so much processor time, or has ended. */
static void wait_used(pid_t child, double seconds)
{
    clockid_t clock;
    siginfo_t ended = {0};
    assert_int_equal(clock_getcpuclockid(child, &clock), 0);
    while (!ended.si_pid && processor_time(clock) < seconds) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    }
}

/* Lets a child run for so much processor time; whether it had to be killed. */
static bool run_for(const char *path, double seconds)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_child(path);
    wait_used(child, seconds);
    int status = 0;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

/* Another one each time; printed, and taken from the environment to repeat it. */
static uint64_t choose_seed(void)
{
    uint64_t seed = 0;
    const char *given = getenv("TALUS_TEST_SEED");
    assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
    if (given)
        seed = strtoull(given, NULL, 0);
    print_message("TALUS_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static void kill_runs(tl_compression compression)
{
    char folder[64], path[256], reference[256], checkpoint[512];
    make_folder(folder);
    in_folder(path, folder, "run.h5");
    in_folder(reference, folder, "whole.h5");
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    dice d = {choose_seed()};

    record = tl_record_default();
    record.rate = 200; /* a frame a step */
    record.contacts = true;
    record.checkpoint = 0.005;
    record.compression = compression;
    child_hash =
        mmap(NULL, sizeof *child_hash, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(child_hash != MAP_FAILED);
    const double start = processor_time(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t hash = record_run(reference, &record, STEPS);
    /* Long enough that some children finish, short enough that most do not. */
    const double whole_run = processor_time(CLOCK_PROCESS_CPUTIME_ID) - start;
    tl_result *whole = NULL;
    assert_ok(tl_result_open(reference, &whole));

    int kills = 0, opened = 0, finished = 0, before_name = 0, plain = 0, rounds = 0;
    uint64_t frames = 0;
    while (kills < KILLS || !finished) {
        assert_true(rounds++ < 20 * KILLS);
        *child_hash = 0;
        const bool killed = run_for(path, roll(&d, 0, 0.6 * whole_run));
        kills += killed;
        if (access(path, F_OK) != 0) { /* killed before the file was whole enough for its name */
            assert_true(killed);
            before_name++;
            continue;
        }
        frames += check_left(path, whole, &plain);
        opened++;
        if (killed)
            continue;
        assert_int_equal(*child_hash, hash);
        assert_same_result(path, reference);
        finished++;
        assert_int_equal(unlink(path), 0);
        assert_int_equal(unlink(checkpoint), 0);
    }
    print_message(
        "%d kills (%d before the file had its name), %d files opened, %d of them in plain "
        "HDF5 at once, with %.1f frames on average, %d runs finished\n",
        kills, before_name, opened, plain, opened ? (double)frames / opened : 0, finished);
    assert_true(before_name < kills / 2);
    assert_true(plain > 0.9 * opened);
    tl_result_close(whole);
    munmap(child_hash, sizeof *child_hash);
    remove_folder(folder);
}

static void test_plain(void **state)
{
    (void)state;
    kill_runs(TL_COMPRESSION_NONE);
}

static void test_lossless(void **state)
{
    (void)state;
    kill_runs(TL_COMPRESSION_LOSSLESS);
}

static void test_quantised(void **state)
{
    (void)state;
    kill_runs(TL_COMPRESSION_QUANTISED);
}

/* ---- Replacing a result ---- */

/* Replaces the result and goes on until it is killed; `ready` tells when it begins to. */
static void replace_child(const char *path, volatile uint64_t *ready)
{
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    tl_report report;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    *ready = 1;
    if (tl_recorder_create(path, true, document, world, &record, "new", &recorder) != TL_OK)
        _exit(1);
    for (;;)
        if (tl_world_step(world, 1, &report) < 0 ||
            tl_recorder_step(recorder, world, &report) != TL_OK)
            _exit(1);
}

/* What is there can be gone on with, as the old or as the new result; then nothing else is left. */
static bool goes_on(const char *folder, const char *path)
{
    tl_recorder *recorder = NULL;
    tl_document *document = NULL;
    tl_world *world = NULL;
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    const bool is_new = strcmp(info.note, "new") == 0;
    assert_true(info.has_checkpoint);
    assert_true(is_new || strcmp(info.note, "a note") == 0);
    tl_result_close(result);
    assert_ok(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world));
    assert_ok(tl_recorder_close(recorder, world));
    tl_world_destroy(world);
    tl_document_destroy(document);
    assert_int_equal(count_files(folder), 2);
    return is_new;
}

static void test_replace(void **state)
{
    char folder[64], path[256], kept_folder[64], kept[256];
    in_folder(path, make_folder(folder), "run.h5");
    in_folder(kept, make_folder(kept_folder), "old.h5");
    dice d = {choose_seed()};
    record = tl_record_default();
    record.checkpoint = 0.005;
    const double start = processor_time(CLOCK_PROCESS_CPUTIME_ID);
    record_run(kept, &record, 20);
    const double run = processor_time(CLOCK_PROCESS_CPUTIME_ID) - start;
    volatile uint64_t *ready =
        mmap(NULL, sizeof *ready, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ready != MAP_FAILED);
    int replaced = 0;
    copy_pair(kept, path);
    for (int i = 0; i < REPLACEMENTS; i++) {
        int status = 0;
        *ready = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            replace_child(path, ready);
        while (!*ready && waitpid(child, &status, WNOHANG) == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
        clockid_t clock;
        assert_int_equal(clock_getcpuclockid(child, &clock), 0);
        wait_used(child, processor_time(clock) + roll(&d, 0, 2 * run));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        /* Twice in a row now and then: a run over what the last one left. */
        if (i % 3 == 2)
            continue;
        if (goes_on(folder, path)) {
            replaced++;
            copy_pair(kept, path);
        }
    }
    print_message("%d of %d results were replaced before the kill\n", replaced, REPLACEMENTS);
    assert_true(replaced > REPLACEMENTS / 20 && replaced < REPLACEMENTS);
    munmap((void *)(uintptr_t)ready, sizeof *ready);
    remove_folder(folder);
    remove_folder(kept_folder);
    (void)state;
}

/* Every state between the two renames and before them, made by hand. */
static void test_between(void **state)
{
    char folder[64], path[256], other[64], old[256], new[256], name[512], from[512];
    in_folder(path, make_folder(folder), "run.h5");
    in_folder(old, make_folder(other), "old.h5");
    in_folder(new, other, "new.h5");
    record = tl_record_default();
    record_run(old, &record, 20);
    record_run(new, &record, 40);
    for (int done = 0; done < 4; done++) {
        /* 0: RESULT.new is being written; 1: it has its checkpoint; 2: it got its name; 3: and a
         * run that replaces it was killed while it wrote. */
        context("state %d", done);
        copy_pair(done < 2 ? old : new, path);
        snprintf(name, sizeof name, "%s.checkpoint", path);
        snprintf(from, sizeof from, "%s.checkpoint", old);
        copy_file(from, name);
        snprintf(name, sizeof name, "%s.new.checkpoint", path);
        snprintf(from, sizeof from, "%s.checkpoint", new);
        if (done)
            copy_file(from, name);
        snprintf(name, sizeof name, "%s.new", path);
        if (done < 2)
            copy_file(new, name);
        snprintf(name, sizeof name, "%s.checkpoint.new", path);
        copy_file(from, name);
        if (done == 3) { /* a run that replaces it begins by putting that in order */
            const pid_t child = fork();
            int status = 0;
            if (child == 0) {
                tl_recorder *recorder = NULL;
                tl_document *document = scene_document();
                tl_world *world = scene_world(document);
                _exit(tl_recorder_create(path, true, document, world, &record, NULL, &recorder) ==
                              TL_OK
                          ? 0
                          : 1);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
            snprintf(name, sizeof name, "%s.new.checkpoint", path);
            assert_int_not_equal(access(name, F_OK), 0);
            assert_int_equal(count_files(folder), 2);
            continue;
        }
        tl_result *result = NULL;
        assert_ok(tl_result_open(path, &result));
        assert_true(tl_result_describe(result).has_checkpoint);
        tl_result_close(result);
        resume_run(path, 60);
        assert_ok(tl_result_open(path, &result));
        assert_int_equal(tl_result_describe(result).steps, 60);
        tl_result_close(result);
        assert_int_equal(count_files(folder), 2);
    }
    remove_folder(folder);
    remove_folder(other);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_lossless),
        cmocka_unit_test(test_quantised), cmocka_unit_test(test_replace),
        cmocka_unit_test(test_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
