/* A run that is killed at any moment leaves a file that opens, in this library and in plain HDF5,
 * with frames that are bit for bit those of an uninterrupted run; and it goes on to the same end.
 */
/* labels: slow longer */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <hdf5.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>

#define KILLS (is_long() ? 1000 : 120)
#define STEPS 150

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

/* Lets a child run for so long; whether it had to be killed. */
static bool run_for(const char *path, double seconds)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_child(path);
    const struct timespec wait = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&wait, NULL);
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

/* Opens what is left; it must begin as the whole does. Gives the number of frames. */
static uint64_t check_left(const char *path, tl_result *whole)
{
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    assert_true(info.frames >= 1 && info.has_checkpoint);
    assert_begins(result, whole);
    tl_result_close(result);
    /* Opening it has put it in order for everybody else. */
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Fclose(file);
    return info.frames;
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

static void test_kill(void **state)
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
    child_hash =
        mmap(NULL, sizeof *child_hash, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(child_hash != MAP_FAILED);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const uint64_t hash = record_run(reference, &record, STEPS);
    clock_gettime(CLOCK_MONOTONIC, &end);
    /* Long enough that some children finish, short enough that most do not. */
    const double whole_run =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    tl_result *whole = NULL;
    assert_ok(tl_result_open(reference, &whole));

    int kills = 0, opened = 0, finished = 0, before_name = 0, rounds = 0;
    uint64_t frames = 0;
    while (kills < KILLS || !finished) {
        assert_true(rounds++ < 20 * KILLS); /* the machine changed its speed too much meanwhile */
        *child_hash = 0;
        const bool killed = run_for(path, roll(&d, 0, 0.6 * whole_run));
        kills += killed;
        if (access(path, F_OK) != 0) { /* killed before the file was whole enough for its name */
            assert_true(killed);
            before_name++;
            continue;
        }
        frames += check_left(path, whole);
        opened++;
        if (killed)
            continue;
        assert_int_equal(*child_hash, hash);
        assert_same_result(path, reference);
        finished++;
        assert_int_equal(unlink(path), 0);
        assert_int_equal(unlink(checkpoint), 0);
    }
    print_message("%d kills (%d before the file had its name), %d files opened with %.1f frames on "
                  "average, %d runs finished\n",
                  kills, before_name, opened, opened ? (double)frames / opened : 0, finished);
    assert_true(before_name < kills / 2);
    tl_result_close(whole);
    munmap(child_hash, sizeof *child_hash);
    remove_folder(folder);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
