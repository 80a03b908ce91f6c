/* Shared by the tests that kill recording processes: copies of a result with its checkpoint, and
 * checks of what a killed process left. */
#ifndef TALUS_TESTS_RESULT_LEFT_H
#define TALUS_TESTS_RESULT_LEFT_H

#include "io/h5disk.h"
#include "io/result_scene.h"

#include <fcntl.h>
#include <hdf5.h>

static inline void copy_file(const char *from, const char *to)
{
    char data[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(data, 1, sizeof data, in)) > 0;)
        assert_int_equal(fwrite(data, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* The result with its checkpoint. */
static inline void copy_pair(const char *from, const char *to)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "%s.checkpoint", from);
    snprintf(b, sizeof b, "%s.checkpoint", to);
    copy_file(from, to);
    copy_file(a, b);
}

/* Any program that reads HDF5 opens what is left, before anything is put in order, and reads all
 * frames. A process that is killed inside a write of several pages leaves one to finish; that is
 * rare, and told. */
static inline bool check_plain(const char *path)
{
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    const bool torn = tl_h5_journal_pending(fd);
    close(fd);
    if (torn)
        return false;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const char *const names[] = {"states/position", "states/velocity", "contacts/gap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT), space = H5Dget_space(set);
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        assert_true(count >= 0);
        double *values = malloc((size_t)count * sizeof *values + 1);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        free(values);
        H5Sclose(space);
        H5Dclose(set);
    }
    assert_true(H5Fclose(file) >= 0);
    return true;
}

/* Opens what is left; it must begin as the whole does. Gives the number of frames. */
static inline uint64_t check_left(const char *path, tl_result *whole, int *plain)
{
    tl_result *result = NULL;
    *plain += check_plain(path);
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    assert_true(info.frames >= 1 && info.has_checkpoint);
    assert_begins(result, whole);
    tl_result_close(result);
    assert_true(check_plain(path));
    return info.frames;
}

#endif
