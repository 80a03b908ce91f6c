/* Files of contact problems: what is written is read back to the last bit, and damaged ones are
 * refused by the name of the dataset, the value and the rule. tests/io/test_fclib_siconos.c has
 * what other programs make of them. */
#define _GNU_SOURCE
#include "failing.h"
#include "problems.h"

#include <hdf5.h>
#include <unistd.h>

static char folder[64], path[256];

/* ---- There and back ---- */

static void same_matrix(const char *letter, tl_matrix a, tl_matrix b)
{
    context("%s", letter);
    assert_int_equal(a.rows, b.rows);
    assert_int_equal(a.columns, b.columns);
    if (!a.columns)
        return;
    assert_memory_equal(a.start, b.start, ((size_t)a.columns + 1) * sizeof *a.start);
    assert_memory_equal(a.row, b.row, a.start[a.columns] * sizeof *a.row);
    assert_memory_equal(a.value, b.value, a.start[a.columns] * sizeof *a.value);
}

static void same_vector(const double *a, const double *b, size_t count)
{
    assert_true(!a == !b);
    if (a)
        assert_memory_equal(a, b, count * sizeof *a);
}

static void same(const tl_contact_problem *x, const tl_contact_problem *y)
{
    const tl_contact_problem_def *a = tl_contact_problem_read(x), *b = tl_contact_problem_read(y);
    const size_t m = (size_t)a->dimension * a->contacts;
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->contacts, b->contacts);
    same_matrix("M", a->M, b->M);
    same_matrix("H", a->H, b->H);
    same_matrix("G", a->G, b->G);
    same_matrix("W", a->W, b->W);
    same_matrix("V", a->V, b->V);
    same_matrix("R", a->R, b->R);
    same_vector(a->f, b->f, a->M.rows);
    same_vector(a->w, b->w, m);
    same_vector(a->b, b->b, a->G.columns);
    same_vector(a->q, b->q, m);
    same_vector(a->s, b->s, a->R.columns);
    same_vector(a->mu, b->mu, a->contacts);
    same_vector(a->guess, b->guess, m);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->description, b->description);
    assert_string_equal(a->math_info, b->math_info);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        tl_contact_problem *problem = make_problem(i & 1, i & 2), *again = NULL;
        tl_contact_answer answer, other;
        double *r = solve_problem(problem, &answer);
        context("round trip %d", i);
        assert_int_equal(tl_contact_problem_read(problem)->contacts, 15);
        assert_ok(tl_contact_problem_save(path, problem, r));
        assert_ok(tl_contact_problem_load(path, &again));
        same(problem, again);
        free(r);
        r = solve_problem(again, &other);
        assert_true(answer.residual == other.residual && answer.iterations == other.iterations);
        tl_contact_problem_destroy(problem);
        tl_contact_problem_destroy(again);
        free(r);
    }
    assert_int_equal(count_files(folder), 1); /* nothing is left under another name */
}

/* A problem without contacts. */
static void test_empty(void **state)
{
    (void)state;
    const uint32_t start[2] = {0, 1}, row[1] = {0}, none[1] = {0};
    const double value[1] = {2}, f[1] = {3};
    const tl_contact_problem_def def = {
        .dimension = 3, .M = {1, 1, start, row, value}, .H = {1, 0, none, NULL, NULL}, .f = f};
    tl_contact_problem *problem = NULL, *again = NULL;
    tl_contact_answer answer;
    double r[1], v[1];
    context("empty");
    assert_ok(tl_contact_problem_create(&def, &problem));
    assert_ok(tl_contact_problem_save(path, problem, r));
    assert_ok(tl_contact_problem_load(path, &again));
    const tl_solver_def solver = tl_settings_default().solver;
    assert_ok(tl_contact_problem_solve(again, &solver, 1, r, &answer));
    assert_ok(tl_contact_problem_measure(again, TL_LAW_CONE, r, v, NULL, NULL, NULL));
    assert_near(v[0], 1.5, 1e-15);
    tl_contact_problem_destroy(problem);
    tl_contact_problem_destroy(again);
}

/* ---- Damage ---- */

static void refused(tl_status want, const char *text)
{
    char message[512];
    tl_contact_problem *problem = (void *)1;
    snprintf(message, sizeof message, "%s: %s", path, text);
    assert_refused(tl_contact_problem_load(path, &problem), want, message);
    assert_null(problem);
}

static hid_t fresh(bool local)
{
    tl_contact_problem *problem = make_problem(true, local);
    assert_ok(tl_contact_problem_save(path, problem, NULL));
    tl_contact_problem_destroy(problem);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* Writes one number of a dataset. */
static void change(bool local, const char *name, hsize_t at, double value, const char *text)
{
    const hid_t file = fresh(local), set = H5Dopen2(file, name, H5P_DEFAULT);
    context("%s[%d] = %g", name, (int)at, value);
    assert_true(set >= 0);
    const hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at) >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(space);
    H5Sclose(one);
    H5Dclose(set);
    H5Fclose(file);
    refused(TL_BAD_DATA, text);
}

static void drop(bool local, const char *name, const char *text)
{
    const hid_t file = fresh(local);
    context("without %s", name);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    refused(TL_BAD_DATA, text);
}

static void test_values(void **state)
{
    (void)state;
    change(true, "/fclib_local/vectors/mu", 2, -0.5,
           "/fclib_local/vectors/mu[2] is -0.5; it must be finite and not negative");
    change(true, "/fclib_local/vectors/q", 7, NAN,
           "/fclib_local/vectors/q[7] is nan; it must be finite");
    change(true, "/fclib_local/W/x", 3, INFINITY, "/fclib_local/W/x[3] is inf; it must be finite");
    change(true, "/fclib_local/W/i", 4, 45,
           "/fclib_local/W/i[4] is 45; it must be at least 0 and below 45");
    change(true, "/fclib_local/W/i", 4, -1,
           "/fclib_local/W/i[4] is -1; it must be at least 0 and below 45");
    change(true, "/fclib_local/W/p", 0, 2,
           "/fclib_local/W/p[0] is 2; it must be 0 and not above nzmax, 441");
    change(true, "/fclib_local/W/p", 45, 5000,
           "/fclib_local/W/p[45] is 5000; it must be at least 429 and not above nzmax, 441");
    change(
        true, "/fclib_local/W/x", 92, 5,
        "/fclib_local/W is not symmetric: its entries (44, 15) and (15, 44), counted from 0, are "
        "5 and -0.153688; they may differ by 1e-07 times the largest entry, 5");
    change(true, "/fclib_local/W/m", 0, 44,
           "/fclib_local/W/i[92] is 44; it must be at least 0 and "
           "below 44");
    change(true, "/fclib_local/W/n", 0, -3, "/fclib_local/W/n is -3; it must be at least 0");
    change(true, "/fclib_local/W/nz", 0, -3, "/fclib_local/W/nz is -3; it must be at least -2");
    change(true, "/fclib_local/spacedim", 0, 4,
           "/fclib_local/spacedim is 4; it must be 2 or 3, and 45 rows of W multiples of it");
    change(true, "/fclib_local/spacedim", 0, 2,
           "/fclib_local/spacedim is 2; it must be 2 or 3, and 45 rows of W multiples of it");
    change(false, "/fclib_global/vectors/f", 0, NAN,
           "/fclib_global/vectors/f[0] is nan; it must be finite");
    change(false, "/guesses/1/r", 1, NAN, "/guesses/1/r[1] is nan; it must be finite");
    change(false, "/fclib_global/M/n", 0, 30, "/fclib_global/M/p has 37 numbers; it must have 31");
}

static void test_missing(void **state)
{
    (void)state;
    drop(true, "/fclib_local",
         "not a contact problem in FCLIB's layout: neither /fclib_global nor "
         "/fclib_local is there");
    drop(true, "/fclib_local/W", "/fclib_local/W/m is missing");
    drop(true, "/fclib_local/V", "/fclib_local/V/m is missing");
    drop(true, "/fclib_local/spacedim", "/fclib_local/spacedim is missing");
    drop(true, "/fclib_local/vectors/s", "/fclib_local/vectors/s is missing");
    drop(false, "/fclib_global/H/x", "/fclib_global/H/x is missing");
    drop(false, "/fclib_global/vectors", "/fclib_global/vectors/f is missing");
}

/* Another dataset in the place of one. */
static void replace(const char *name, hid_t type, hsize_t count, const void *data, const char *text)
{
    const hid_t file = fresh(true), space = H5Screate_simple(1, &count, NULL);
    context("another %s", name);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data)
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    refused(TL_BAD_DATA, text);
}

static void test_types(void **state)
{
    (void)state;
    const double numbers[2] = {3, 3};
    replace("/fclib_local/spacedim", H5T_NATIVE_DOUBLE, 1, numbers,
            "/fclib_local/spacedim is not of whole numbers");
    replace("/fclib_local/vectors/mu", H5T_C_S1, 15, "a long long text",
            "/fclib_local/vectors/mu is not of numbers");
    replace("/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 2, numbers,
            "/fclib_local/vectors/mu has 2 numbers; it must have 15");
    replace("/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, (hsize_t)1 << 40, NULL,
            "/fclib_local/vectors/q has no data in this file");
}

/* Files that are none: not there, empty, cut off, a folder. */
static void test_files(void **state)
{
    (void)state;
    tl_contact_problem *problem = NULL;
    char text[512], away[300];
    context("files");
    snprintf(away, sizeof away, "%s/none.hdf5", folder);
    snprintf(text, sizeof text, "%s: No such file or directory", away);
    assert_refused(tl_contact_problem_load(away, &problem), TL_FILE, text);
    snprintf(text, sizeof text, "%s: Is a directory", folder);
    assert_refused(tl_contact_problem_load(folder, &problem), TL_FILE, text);
    H5Fclose(fresh(true));
    assert_int_equal(truncate(path, 5000), 0);
    assert_status(tl_contact_problem_load(path, &problem), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "not a whole HDF5 file: truncated file"));
    assert_int_equal(truncate(path, 0), 0);
    assert_status(tl_contact_problem_load(path, &problem), TL_BAD_DATA);
    tl_contact_problem *good = make_problem(false, true);
    snprintf(text, sizeof text, "%s: Is a directory", folder);
    assert_refused(tl_contact_problem_save(folder, good, NULL), TL_FILE, text);
    snprintf(away, sizeof away, "%s/away/p.hdf5", folder);
    assert_status(tl_contact_problem_save(away, good, NULL), TL_FILE);
    tl_contact_problem_destroy(good);
}

/* ---- Memory ---- */

static tl_status use(const tl_contact_problem *problem)
{
    double r[64];
    tl_contact_problem *local = NULL;
    tl_solver_def def = tl_settings_default().solver;
    assert_true(tl_contact_problem_read(problem)->contacts <= 20);
    tl_status status = tl_contact_problem_solve(problem, &def, 1, r, NULL);
    if (status == TL_OK)
        status = tl_contact_problem_save(path, problem, r);
    if (status == TL_OK)
        status = tl_contact_problem_reduce(problem, &local);
    def.kind = TL_APGD;
    if (status == TL_OK)
        status = tl_contact_problem_solve(local, &def, 1, r, NULL);
    tl_contact_problem_destroy(local);
    return status;
}

static tl_status load_and_use(void)
{
    tl_contact_problem *problem = NULL;
    tl_status status = tl_contact_problem_load(path, &problem);
    assert_true((status == TL_OK) == (problem != NULL));
    if (status == TL_OK)
        status = use(problem);
    tl_contact_problem_destroy(problem);
    return status;
}

static tl_world *recorded;

static tl_status record(void)
{
    tl_contact_problem *problem = NULL;
    const tl_status status = tl_world_contact_problem(recorded, &problem);
    tl_contact_problem_destroy(problem);
    return status;
}

/* Whichever allocation fails, nothing is left behind, no half file either. */
static void test_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        tl_contact_problem *problem = make_problem(i & 1, i & 2);
        assert_ok(tl_contact_problem_save(path, problem, NULL));
        tl_contact_problem_destroy(problem);
        each_allocation_may_fail(load_and_use);
        assert_int_equal(count_files(folder), 1);
    }
}

/* The same of the problem of a world, which lives on. What it holds for its steps grows in a first
 * call. */
static void test_world_memory(void **state)
{
    (void)state;
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_status status = TL_NO_MEMORY;
    memory.fail_at = memory.calls = memory.blocks = 0;
    tl_set_allocator(&allocator);
    recorded = make_world(true);
    assert_ok(record());
    const size_t blocks = memory.blocks;
    size_t fail_at;
    for (fail_at = 1; status == TL_NO_MEMORY; fail_at++) {
        memory.calls = 0;
        memory.fail_at = fail_at;
        status = record();
        context("allocation %zu", fail_at);
        assert_int_equal(memory.blocks, blocks);
    }
    assert_ok(status);
    assert_true(fail_at > 10);
    memory.fail_at = 0;
    tl_world_destroy(recorded);
    assert_int_equal(memory.blocks, 0);
    tl_set_allocator(NULL);
}

static int begin(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    in_folder(path, make_folder(folder), "p.hdf5");
    return 0;
}

static int end(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_values),     cmocka_unit_test(test_missing),
        cmocka_unit_test(test_types),      cmocka_unit_test(test_files),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_world_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
