/* Reading damaged contact problems. Two whole small files are made once, of either form, with
 * constraints, guess and solution; an input is a list of changes to one of them, made through HDF5
 * (other values, missing datasets) or to its bytes. What is then read must be refused with a
 * message, or be a problem that is written, reduced and solved without harm. All memory of Talus
 * must come back; HDF5's own leaks, which damage makes, are not looked at. */
#define _GNU_SOURCE
#include "talus/io.h"

#include <hdf5.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#define MUST(holds)                                                                             \
    do {                                                                                        \
        if (!(holds)) {                                                                         \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #holds, tl_last_message()); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

static char path[64], again[80];
static struct made {
    unsigned char *data;
    size_t bytes;
} made[2];

/* ---- Memory ---- */

static atomic_size_t held;

static void *take(size_t bytes, void *user)
{
    (void)user;
    if (bytes > (size_t)1 << 28)
        return NULL;
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (block)
        atomic_fetch_add(&held, 1);
    return block;
}

static void give(void *block, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    atomic_fetch_sub(&held, 1);
    free(block);
}

/* ---- The files ---- */

static void write_bytes(const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

static struct made read_bytes(void)
{
    FILE *file = fopen(path, "rb");
    struct made m = {malloc(1 << 20), 0};
    MUST(file && m.data);
    m.bytes = fread(m.data, 1, 1 << 20, file);
    MUST(m.bytes > 0 && m.bytes < 1 << 20 && fclose(file) == 0);
    return m;
}

/* Two bodies of six velocities, two contacts, one constraint. */
static void make_files(void)
{
    uint32_t start[13], row[12], h_start[7], h_row[12], g_row[2] = {0, 6}, g_start[2] = {0, 2};
    double value[12], h[12], g[2] = {1, -1}, f[12], zero[6] = {0}, mu[2] = {0.3, 0}, r[6] = {0};
    for (uint32_t i = 0; i <= 12; i++)
        start[i] = i;
    for (uint32_t i = 0; i < 12; i++) {
        row[i] = i;
        value[i] = 1 + i % 5;
        f[i] = 0.1 * i - 0.5;
        h_row[i] = i % 2 ? 6 + (i / 2) % 3 : (i / 2) % 3;
        h[i] = i % 2 ? 1 : -1;
    }
    for (uint32_t i = 0; i <= 6; i++)
        h_start[i] = 2 * i;
    const tl_contact_problem_def def = {.dimension = 3,
                                        .contacts = 2,
                                        .M = {12, 12, start, row, value},
                                        .H = {12, 6, h_start, h_row, h},
                                        .G = {12, 1, g_start, g_row, g},
                                        .f = f,
                                        .w = zero,
                                        .b = zero,
                                        .mu = mu,
                                        .guess = zero,
                                        .title = "fuzz",
                                        .description = "two bodies"};
    tl_contact_problem *problem = NULL, *local = NULL;
    MUST(tl_contact_problem_create(&def, &problem) == TL_OK);
    MUST(tl_contact_problem_reduce(problem, &local) == TL_OK);
    MUST(tl_contact_problem_save(path, problem, r) == TL_OK);
    made[0] = read_bytes();
    MUST(tl_contact_problem_save(path, local, r) == TL_OK);
    made[1] = read_bytes();
    tl_contact_problem_destroy(problem);
    tl_contact_problem_destroy(local);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const tl_allocator allocator = {take, give, NULL};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "/tmp/talus-fuzz-problem-%d.hdf5", (int)getpid());
    snprintf(again, sizeof again, "%s.again", path);
    tl_set_allocator(&allocator);
    make_files();
    return 0;
}

/* ---- Changes ---- */

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static uint64_t number(input *in, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes && in->left; i++, in->left--)
        x = x << 8 | *in->data++;
    return x;
}

static const char *const names[] = {
    "/fclib_global/M",          "/fclib_global/M/p",        "/fclib_global/M/i",
    "/fclib_global/M/x",        "/fclib_global/M/nz",       "/fclib_global/M/nzmax",
    "/fclib_global/M/n",        "/fclib_global/H/m",        "/fclib_global/H/p",
    "/fclib_global/H/nz",       "/fclib_global/G",          "/fclib_global/G/n",
    "/fclib_global/G/x",        "/fclib_global/spacedim",   "/fclib_global/vectors/f",
    "/fclib_global/vectors/mu", "/fclib_global/info/title", "/fclib_local/W/m",
    "/fclib_local/W/n",         "/fclib_local/W/p",         "/fclib_local/W/i",
    "/fclib_local/W/x",         "/fclib_local/W/nz",        "/fclib_local/W/nzmax",
    "/fclib_local/V",           "/fclib_local/V/n",         "/fclib_local/R/x",
    "/fclib_local/R/m",         "/fclib_local/spacedim",    "/fclib_local/vectors/q",
    "/fclib_local/vectors/s",   "/fclib_local/vectors/mu",  "/guesses/1/r",
};

/* A number of a dataset becomes another, small or of any bits. */
static void change_number(hid_t set, input *in)
{
    const hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR), type = H5Dget_type(set);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    hsize_t at = points > 0 ? number(in, 1) % (hsize_t)points : 0;
    uint64_t bits = number(in, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    const int whole = (int)(int8_t)bits;
    const bool integer = H5Tget_class(type) == H5T_INTEGER;
    if (points > 0 && H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sselect_elements(space, H5S_SELECT_SET, 1, &at) >= 0)
        H5Dwrite(set, integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT,
                 integer ? (const void *)&whole : (const void *)&x);
    H5Tclose(type);
    H5Sclose(space);
    H5Sclose(one);
}

static void change_inside(input *in)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    for (int i = 0; i < 8 && in->left; i++) {
        const unsigned kind = (unsigned)number(in, 1);
        const char *name = names[number(in, 1) % (sizeof names / sizeof *names)];
        if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
            continue;
        if (kind % 16 == 15) {
            H5Ldelete(file, name, H5P_DEFAULT);
            continue;
        }
        const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        if (set < 0)
            continue;
        change_number(set, in);
        H5Dclose(set);
    }
    H5Fclose(file);
}

static void change_bytes(const struct made *m, input *in)
{
    unsigned char *data = malloc(m->bytes);
    size_t bytes = m->bytes;
    MUST(data);
    memcpy(data, m->data, m->bytes);
    for (int i = 0; i < 32 && in->left > 4; i++)
        data[number(in, 3) % m->bytes] ^= (unsigned char)number(in, 1);
    if (in->left > 2 && number(in, 1) % 4 == 0)
        bytes = number(in, 3) % m->bytes;
    write_bytes(data, bytes);
    free(data);
}

/* ---- What is read is a problem ---- */

static void use(const tl_contact_problem *problem)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    tl_contact_problem *local = NULL, *other = NULL;
    tl_contact_answer answer;
    double *r = calloc((size_t)d->dimension * d->contacts + 1, sizeof *r);
    MUST(r && d->contacts <= 1000);
    for (int kind = 0; kind < 4; kind++) {
        tl_solver_def def = tl_settings_default().solver;
        def.kind = (tl_solver_kind)kind;
        def.iterations = 5;
        const tl_status status = tl_contact_problem_solve(problem, &def, 1, r, &answer);
        MUST(status == TL_OK || status == TL_BAD_ARGUMENT || status == TL_NO_MEMORY ||
             status == TL_DIVERGED); /* numbers may become infinite */
    }
    if (tl_contact_problem_reduce(problem, &local) == TL_OK) {
        memset(r, 0, (size_t)d->dimension * d->contacts * sizeof *r);
        if (tl_contact_problem_save(again, local, r) == TL_OK) {
            const tl_status status = tl_contact_problem_load(again, &other);
            MUST(status == TL_OK || status == TL_BAD_DATA); /* sums may have become infinite */
        }
        tl_contact_problem_destroy(other);
        unlink(again);
    }
    tl_contact_problem_destroy(local);
    free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    tl_contact_problem *problem = NULL;
    const unsigned kind = (unsigned)number(&in, 1);
    const struct made *m = &made[kind & 1];
    if (kind & 2) {
        change_bytes(m, &in);
    } else {
        write_bytes(m->data, m->bytes);
        change_inside(&in);
    }
    const tl_status status = tl_contact_problem_load(path, &problem);
    MUST((status == TL_OK) == (problem != NULL));
    MUST(status == TL_OK || status == TL_BAD_DATA || status == TL_NO_MEMORY);
    if (problem)
        use(problem);
    tl_contact_problem_destroy(problem);
    unlink(path);
    MUST(atomic_load(&held) == 0);
    return 0;
}
