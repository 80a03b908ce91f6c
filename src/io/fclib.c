/* Contact problems in files of FCLIB's layout (docs/formats.md): groups of the global or the local
 * form with matrices in compressed columns, rows or triplets, vectors, and beside them guesses and
 * a solution. Files are strangers: what is read is checked first, and told by the name that it has
 * in the file. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "io/h5.h"
#include "talus/io.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MOST 65536u /* bytes of a text */
#define PACKED    1100u  /* bytes that one of a compressed dataset may stand for */

/* ---- Reading datasets ---- */

typedef struct source {
    hid_t file;
    const char *path;
    char name[160]; /* of the dataset at hand, for messages */
} source;

/* "/fclib_local/W/p" of its parts. */
static const char *call(source *s, const char *group, const char *name)
{
    snprintf(s->name, sizeof s->name, "%s/%s", group, name);
    return s->name;
}

/* Whether a link is there, and what it leads to. */
static bool there(const source *s, const char *name)
{
    const bool found = H5Lexists(s->file, name, H5P_DEFAULT) > 0 &&
                       H5Oexists_by_name(s->file, name, H5P_DEFAULT) > 0;
    tl_h5_forget();
    return found;
}

/* A dataset that lies in this file, and how many numbers it has. */
static tl_status open_numbers(source *s, bool whole, hid_t *set, uint64_t *count)
{
    *set = there(s, s->name) ? H5Dopen2(s->file, s->name, H5P_DEFAULT) : -1;
    if (*set < 0)
        return tl_h5_fail(TL_BAD_DATA, s->path, "%s is missing", s->name);
    const hid_t type = H5Dget_type(*set), space = H5Dget_space(*set);
    const hid_t list = H5Dget_create_plist(*set);
    const hssize_t points = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const bool number =
        type >= 0 && tl_h5_is_number(type) && (!whole || H5Tget_class(type) == H5T_INTEGER);
    const bool inside = list >= 0 && H5Pget_external_count(list) == 0 && H5Pget_layout(list) >= 0 &&
                        H5Pget_layout(list) != H5D_VIRTUAL;
    const uint64_t bytes = type >= 0 && points > 0 ? (uint64_t)points * H5Tget_size(type) : 0;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (list >= 0)
        H5Pclose(list);
    if (!number)
        return tl_fail(TL_BAD_DATA, "%s: %s is not of %s", s->path, s->name,
                       whole ? "whole numbers" : "numbers");
    if (!inside || points < 0 || bytes / PACKED > H5Dget_storage_size(*set))
        return tl_fail(TL_BAD_DATA, "%s: %s has no data in this file", s->path, s->name);
    *count = (uint64_t)points;
    return TL_OK;
}

/* Reads numbers, `type` in memory. Where `least` is not SIZE_MAX, there must be so many, or more
 * where `more`. */
static tl_status read_numbers(source *s, hid_t type, size_t item, uint64_t least, bool more,
                              tl_array *out)
{
    hid_t set;
    uint64_t count = 0;
    *out = (tl_array){.item = item};
    tl_status status = open_numbers(s, type == H5T_NATIVE_INT, &set, &count);
    if (status == TL_OK && (more ? count < least : count != least))
        status = tl_fail(TL_BAD_DATA, "%s: %s has %llu numbers; it must have %llu", s->path,
                         s->name, (unsigned long long)count, (unsigned long long)least);
    if (status == TL_OK)
        status = tl_array_resize(out, (size_t)count);
    if (status == TL_OK && count &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->data) < 0)
        status = tl_h5_fail(TL_BAD_DATA, s->path, "%s cannot be read", s->name);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

static tl_status read_int(source *s, const char *group, const char *name, int least, int *out)
{
    tl_array one;
    call(s, group, name);
    tl_status status = read_numbers(s, H5T_NATIVE_INT, sizeof(int), 1, false, &one);
    if (status == TL_OK)
        *out = *(const int *)one.data;
    tl_array_free(&one);
    if (status == TL_OK && *out < least)
        status = tl_fail(TL_BAD_DATA, "%s: %s is %d; it must be at least %d", s->path, s->name,
                         *out, least);
    return status;
}

/* Numbers that are finite, and not below `least`. */
static tl_status read_doubles(source *s, uint64_t count, bool more, double least, tl_array *out)
{
    TL_TRY(read_numbers(s, H5T_NATIVE_DOUBLE, sizeof(double), count, more, out));
    const double *x = out->data;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || x[i] < least)
            return tl_fail(TL_BAD_DATA, "%s: %s[%llu] is %g; it must be finite%s", s->path, s->name,
                           (unsigned long long)i, x[i], least == 0 ? " and not negative" : "");
    return TL_OK;
}

/* ---- Reading matrices ---- */

typedef struct matrix {
    uint32_t rows, columns;
    tl_array start, row, value; /* in compressed columns */
} matrix;

static void matrix_free(matrix *m)
{
    tl_array_free(&m->start);
    tl_array_free(&m->row);
    tl_array_free(&m->value);
}

static tl_matrix view_of(const matrix *m)
{
    return (tl_matrix){m->rows, m->columns, m->start.data, m->row.data, m->value.data};
}

/* Pointers of compressed rows or columns: from 0 on, never falling, up to what there is. */
static tl_status check_pointers(const source *s, const tl_array *pointers, int most)
{
    const int *p = pointers->data;
    for (size_t i = 0; i < pointers->count; i++)
        if (p[i] < (i ? p[i - 1] : 0) || p[i] > most || (i == 0 && p[i] != 0))
            return tl_fail(TL_BAD_DATA,
                           "%s: %s[%zu] is %d; it must be %s%d and not above nzmax, %d", s->path,
                           s->name, i, p[i], i ? "at least " : "", i ? p[i - 1] : 0, most);
    return TL_OK;
}

static tl_status check_indices(const source *s, const tl_array *indices, size_t count,
                               uint32_t limit)
{
    const int *x = indices->data;
    for (size_t i = 0; i < count; i++)
        if (x[i] < 0 || (uint32_t)x[i] >= limit)
            return tl_fail(TL_BAD_DATA, "%s: %s[%zu] is %d; it must be at least 0 and below %u",
                           s->path, s->name, i, x[i], limit);
    return TL_OK;
}

/* Entries in any order to compressed columns. `p` has rows, one per entry, or, where `by_row`,
 * pointers of compressed rows. */
static tl_status compress(matrix *m, const int *p, bool by_row, const int *column, const double *x,
                          size_t count)
{
    m->start.item = m->row.item = sizeof(uint32_t);
    m->value.item = sizeof(double);
    TL_TRY(tl_array_resize(&m->start, (size_t)m->columns + 1));
    TL_TRY(tl_array_resize(&m->row, count));
    TL_TRY(tl_array_resize(&m->value, count));
    uint32_t *start = m->start.data, r = 0;
    memset(start, 0, m->start.count * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[column[i] + 1]++;
    for (uint32_t c = 0; c < m->columns; c++)
        start[c + 1] += start[c];
    for (size_t i = 0; i < count; i++) {
        while (by_row && (size_t)p[r + 1] <= i)
            r++;
        const uint32_t at = start[column[i]]++;
        ((uint32_t *)m->row.data)[at] = by_row ? r : (uint32_t)p[i];
        ((double *)m->value.data)[at] = x[i];
    }
    memmove(start + 1, start, m->columns * sizeof *start);
    start[0] = 0;
    return TL_OK;
}

/* The arrays of a matrix in the form that nz says: entries in triplets (0 or more), compressed
 * columns (-1) or rows (-2). */
static tl_status read_entries(source *s, const char *group, int nz, int most, matrix *m,
                              tl_array a[3])
{
    const uint64_t pointers = nz >= 0 ? (uint64_t)nz : (nz == -1 ? m->columns : m->rows) + 1ull;
    const hid_t whole = H5T_NATIVE_INT;
    call(s, group, "p");
    TL_TRY(read_numbers(s, whole, sizeof(int), pointers, false, &a[0]));
    if (nz < 0)
        TL_TRY(check_pointers(s, &a[0], most));
    const size_t count = nz >= 0 ? (size_t)nz : (size_t)((const int *)a[0].data)[pointers - 1];
    if (nz >= 0)
        TL_TRY(check_indices(s, &a[0], count, m->rows));
    call(s, group, "i");
    TL_TRY(read_numbers(s, whole, sizeof(int), count, true, &a[1]));
    TL_TRY(check_indices(s, &a[1], count, nz == -1 ? m->rows : m->columns));
    call(s, group, "x");
    TL_TRY(read_doubles(s, count, true, -INFINITY, &a[2]));
    if (nz != -1)
        return compress(m, a[0].data, nz == -2, a[1].data, a[2].data, count);
    m->start = a[0];
    m->row = a[1];
    m->value = a[2];
    memset(a, 0, 3 * sizeof *a);
    return TL_OK;
}

static tl_status read_matrix(source *s, const char *form, const char *letter, matrix *m)
{
    char group[64];
    int rows = 0, columns = 0, nz = 0, most = 0;
    tl_array a[3] = {{0}};
    snprintf(group, sizeof group, "%s/%s", form, letter);
    TL_TRY(read_int(s, group, "m", 0, &rows));
    TL_TRY(read_int(s, group, "n", 0, &columns));
    TL_TRY(read_int(s, group, "nz", -2, &nz));
    TL_TRY(read_int(s, group, "nzmax", nz > 0 ? nz : 0, &most));
    m->rows = (uint32_t)rows;
    m->columns = (uint32_t)columns;
    const tl_status status = read_entries(s, group, nz, most, m, a);
    for (int i = 0; i < 3; i++)
        tl_array_free(&a[i]);
    return status;
}

/* ---- Reading problems ---- */

typedef struct reading {
    source s;
    matrix M, H, G, W, V, R;
    tl_array f, w, b, q, sv, mu, guess, texts[3];
    tl_contact_problem_def def;
} reading;

static tl_status mismatch(const source *s, const char *form, const char *what, uint32_t have,
                          const char *other, uint32_t want)
{
    return tl_fail(TL_BAD_DATA, "%s: %s/%s is %u; it must be %s, %u", s->path, form, what, have,
                   other, want);
}

static tl_status read_vector(source *s, const char *form, const char *name, uint64_t count,
                             double least, tl_array *out)
{
    char group[64];
    snprintf(group, sizeof group, "%s/vectors", form);
    call(s, group, name);
    return read_doubles(s, count, false, least, out);
}

static tl_status read_global(reading *x)
{
    static const char form[] = "/fclib_global";
    source *s = &x->s;
    TL_TRY(read_matrix(s, form, "M", &x->M));
    TL_TRY(read_matrix(s, form, "H", &x->H));
    if (x->M.columns != x->M.rows)
        return mismatch(s, form, "M/n", x->M.columns, "M/m", x->M.rows);
    if (x->H.rows != x->M.rows)
        return mismatch(s, form, "H/m", x->H.rows, "M/m", x->M.rows);
    if (there(s, "/fclib_global/G"))
        TL_TRY(read_matrix(s, form, "G", &x->G));
    if (x->G.columns && x->G.rows != x->M.rows)
        return mismatch(s, form, "G/m", x->G.rows, "M/m", x->M.rows);
    TL_TRY(read_vector(s, form, "f", x->M.rows, -INFINITY, &x->f));
    TL_TRY(read_vector(s, form, "w", x->H.columns, -INFINITY, &x->w));
    if (x->G.columns)
        TL_TRY(read_vector(s, form, "b", x->G.columns, -INFINITY, &x->b));
    return TL_OK;
}

static tl_status read_local(reading *x)
{
    static const char form[] = "/fclib_local";
    source *s = &x->s;
    TL_TRY(read_matrix(s, form, "W", &x->W));
    if (x->W.columns != x->W.rows)
        return mismatch(s, form, "W/n", x->W.columns, "W/m", x->W.rows);
    if (there(s, "/fclib_local/V") || there(s, "/fclib_local/R")) {
        TL_TRY(read_matrix(s, form, "V", &x->V));
        TL_TRY(read_matrix(s, form, "R", &x->R));
        if (x->R.columns != x->R.rows)
            return mismatch(s, form, "R/n", x->R.columns, "R/m", x->R.rows);
        if (x->V.rows != x->W.rows)
            return mismatch(s, form, "V/m", x->V.rows, "W/m", x->W.rows);
        if (x->V.columns != x->R.columns)
            return mismatch(s, form, "V/n", x->V.columns, "R/n", x->R.columns);
    }
    TL_TRY(read_vector(s, form, "q", x->W.rows, -INFINITY, &x->q));
    if (x->R.columns)
        TL_TRY(read_vector(s, form, "s", x->R.columns, -INFINITY, &x->sv));
    return TL_OK;
}

/* A text of the group `info`, where it is there. */
static tl_status read_info(source *s, const char *form, const char *name, tl_array *out)
{
    char group[64];
    *out = (tl_array){.item = 1};
    snprintf(group, sizeof group, "%s/info", form);
    if (!there(s, group) || !there(s, call(s, group, name)))
        return TL_OK;
    const hid_t set = H5Dopen2(s->file, s->name, H5P_DEFAULT);
    const hid_t type = set < 0 ? -1 : H5Dget_type(set), space = set < 0 ? -1 : H5Dget_space(set);
    const bool text = type >= 0 && H5Tget_class(type) == H5T_STRING &&
                      H5Tis_variable_str(type) == 0 && space >= 0 &&
                      H5Sget_simple_extent_npoints(space) == 1;
    const size_t bytes = text ? H5Tget_size(type) : 0;
    tl_status status = !text ? tl_fail(TL_BAD_DATA, "%s: %s is not a text", s->path, s->name)
                       : bytes > TEXT_MOST
                           ? tl_fail(TL_BAD_DATA, "%s: %s has %zu bytes; at most %u are allowed",
                                     s->path, s->name, bytes, TEXT_MOST)
                           : tl_array_resize(out, bytes + 1);
    if (status == TL_OK && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->data) < 0)
        status = tl_h5_fail(TL_BAD_DATA, s->path, "%s cannot be read", s->name);
    if (status == TL_OK)
        ((char *)out->data)[bytes] = '\0';
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* What both forms have: frictions, texts, and the impulses of the first guess. */
static tl_status read_common(reading *x, const char *form)
{
    static const char *const names[] = {"title", "description", "math_info"};
    const uint32_t m = x->H.columns + x->W.columns;
    int dimension = 0;
    TL_TRY(read_int(&x->s, form, "spacedim", 2, &dimension));
    if (dimension > 3 || m % (uint32_t)dimension)
        return tl_fail(TL_BAD_DATA,
                       "%s: %s/spacedim is %d; it must be 2 or 3, and %u %s of %s multiples of it",
                       x->s.path, form, dimension, m, x->H.columns ? "columns" : "rows",
                       x->H.columns ? "H" : "W");
    x->def.dimension = (uint32_t)dimension;
    x->def.contacts = m / (uint32_t)dimension;
    TL_TRY(read_vector(&x->s, form, "mu", x->def.contacts, 0, &x->mu));
    for (int i = 0; i < 3; i++)
        TL_TRY(read_info(&x->s, form, names[i], &x->texts[i]));
    if (!there(&x->s, "/guesses") || !there(&x->s, "/guesses/1") || !there(&x->s, "/guesses/1/r"))
        return TL_OK;
    call(&x->s, "/guesses/1", "r");
    return read_doubles(&x->s, m, false, -INFINITY, &x->guess);
}

static tl_status read_file(reading *x, tl_contact_problem **problem)
{
    tl_contact_problem_def *d = &x->def;
    const bool global = there(&x->s, "/fclib_global");
    if (!global && !there(&x->s, "/fclib_local"))
        return tl_fail(TL_BAD_DATA,
                       "%s: not a contact problem in FCLIB's layout: neither /fclib_global nor "
                       "/fclib_local is there",
                       x->s.path);
    TL_TRY((global ? read_global : read_local)(x));
    TL_TRY(read_common(x, global ? "/fclib_global" : "/fclib_local"));
    d->form = global ? TL_PROBLEM_GLOBAL : TL_PROBLEM_LOCAL;
    d->M = view_of(&x->M), d->H = view_of(&x->H), d->G = view_of(&x->G);
    d->W = view_of(&x->W), d->V = view_of(&x->V), d->R = view_of(&x->R);
    d->f = x->f.data, d->w = x->w.data, d->b = x->b.data;
    d->q = x->q.data, d->s = x->sv.data, d->mu = x->mu.data;
    d->guess = x->guess.data;
    d->title = x->texts[0].data;
    d->description = x->texts[1].data;
    d->math_info = x->texts[2].data;
    const tl_status status = tl_contact_problem_create(d, problem);
    if (status != TL_BAD_ARGUMENT)
        return status;
    char rule[512]; /* what follows from all of a matrix: it is not symmetric */
    snprintf(rule, sizeof rule, "%s", tl_last_message());
    return tl_fail(TL_BAD_DATA, "%s: %s/%s", x->s.path, global ? "/fclib_global" : "/fclib_local",
                   rule);
}

/* Opens a file as HDF5 does, with the system's reason where it cannot be opened at all. */
static tl_status open_file(const char *path, hid_t *file)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int error = fd < 0 || fstat(fd, &status) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (error)
        return tl_fail(TL_FILE, "%s: %s", path, strerror(error));
    if (!S_ISREG(status.st_mode))
        return tl_fail(TL_FILE, "%s: %s", path,
                       S_ISDIR(status.st_mode) ? strerror(EISDIR) : "not a regular file");
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *file < 0 ? tl_h5_fail(TL_BAD_DATA, path, "not a whole HDF5 file") : TL_OK;
}

tl_status tl_contact_problem_load(const char *path, tl_contact_problem **problem)
{
    if (!path || !problem)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, path ? "problem" : "path");
    reading x = {.s = {.file = -1, .path = path}};
    *problem = NULL;
    tl_h5_begin();
    tl_status status = open_file(path, &x.s.file);
    if (status == TL_OK)
        status = read_file(&x, problem);
    if (x.s.file >= 0)
        H5Fclose(x.s.file);
    tl_h5_end();
    matrix *const matrices[] = {&x.M, &x.H, &x.G, &x.W, &x.V, &x.R};
    for (int i = 0; i < 6; i++)
        matrix_free(matrices[i]);
    tl_array *const arrays[] = {&x.f,  &x.w,     &x.b,        &x.q,        &x.sv,
                                &x.mu, &x.guess, &x.texts[0], &x.texts[1], &x.texts[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    return status;
}

/* ---- Writing ---- */

/* A group, which nothing is closed of but by the end. */
static hid_t make_group(hid_t where, const char *name)
{
    return H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool write_numbers(hid_t group, const char *name, hid_t stored, hid_t type, size_t count,
                          const void *numbers)
{
    const hsize_t extent = count;
    const double none = 0;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t set =
        space < 0 ? -1
                  : H5Dcreate2(group, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = set >= 0 &&
                H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers ? numbers : &none) >= 0;
    if (set >= 0 && H5Dclose(set) < 0)
        done = false;
    if (space >= 0)
        H5Sclose(space);
    return done;
}

static bool write_int(hid_t group, const char *name, int value)
{
    return write_numbers(group, name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &value);
}

static bool write_doubles(hid_t group, const char *name, size_t count, const double *numbers)
{
    return write_numbers(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, numbers);
}

static bool write_text(hid_t group, const char *name, const char *text)
{
    if (!*text)
        return true;
    const hid_t type = tl_h5_text_type(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    const hid_t set = type < 0 || space < 0 ? -1
                                            : H5Dcreate2(group, name, type, space, H5P_DEFAULT,
                                                         H5P_DEFAULT, H5P_DEFAULT);
    bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0 && H5Dclose(set) < 0)
        done = false;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

/* In compressed columns: FCLIB's own measure of solutions knows no other form. */
static bool write_matrix(hid_t where, const char *letter, const tl_matrix *a)
{
    const hid_t group = make_group(where, letter);
    const size_t entries = a->start ? a->start[a->columns] : 0;
    const hid_t whole = H5T_STD_I32LE, own = H5T_NATIVE_UINT32;
    const bool done = group >= 0 && write_int(group, "nzmax", (int)entries) &&
                      write_int(group, "m", (int)a->rows) &&
                      write_int(group, "n", (int)a->columns) && write_int(group, "nz", -1) &&
                      write_numbers(group, "p", whole, own, (size_t)a->columns + 1, a->start) &&
                      write_numbers(group, "i", whole, own, entries, a->row) &&
                      write_doubles(group, "x", entries, a->value);
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

static bool write_vectors(hid_t where, const tl_contact_problem_def *d)
{
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    const size_t m = (size_t)d->dimension * d->contacts;
    const hid_t group = make_group(where, "vectors");
    bool done = group >= 0 && write_doubles(group, "mu", d->contacts, d->mu);
    if (done && global)
        done = write_doubles(group, "f", d->M.rows, d->f) && write_doubles(group, "w", m, d->w) &&
               (!d->G.columns || write_doubles(group, "b", d->G.columns, d->b));
    else if (done)
        done = write_doubles(group, "q", m, d->q) &&
               (!d->R.columns || write_doubles(group, "s", d->R.columns, d->s));
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

static bool write_infos(hid_t where, const tl_contact_problem_def *d)
{
    const hid_t group = make_group(where, "info");
    const bool done = group >= 0 && write_text(group, "title", d->title) &&
                      write_text(group, "description", d->description) &&
                      write_text(group, "math_info", d->math_info);
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

static bool write_form(hid_t file, const tl_contact_problem_def *d)
{
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    const hid_t group = make_group(file, global ? "/fclib_global" : "/fclib_local");
    bool done = group >= 0 && write_int(group, "spacedim", (int)d->dimension);
    if (done && global)
        done = write_matrix(group, "M", &d->M) && write_matrix(group, "H", &d->H) &&
               (!d->G.columns || write_matrix(group, "G", &d->G));
    else if (done)
        done =
            write_matrix(group, "W", &d->W) &&
            (!d->R.columns || (write_matrix(group, "V", &d->V) && write_matrix(group, "R", &d->R)));
    done = done && write_vectors(group, d) && write_infos(group, d);
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

/* A solution, or a guess: impulses and what follows from them. */
typedef struct answer {
    tl_array v, u, l;
} answer;

static tl_status follow(const tl_contact_problem *problem, const double *r, answer *a)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    a->v.item = a->u.item = a->l.item = sizeof(double);
    TL_TRY(tl_array_resize(&a->v, global ? d->M.rows : 0));
    TL_TRY(tl_array_resize(&a->u, (size_t)d->dimension * d->contacts));
    TL_TRY(tl_array_resize(&a->l, global ? d->G.columns : d->R.columns));
    return tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, a->v.data, a->u.data, a->l.data,
                                      NULL);
}

static bool write_answer(hid_t where, const char *name, const answer *a, const double *r)
{
    const hid_t group = make_group(where, name);
    const bool done = group >= 0 &&
                      (!a->v.count || write_doubles(group, "v", a->v.count, a->v.data)) &&
                      (!a->u.count || (write_doubles(group, "u", a->u.count, a->u.data) &&
                                       write_doubles(group, "r", a->u.count, r))) &&
                      (!a->l.count || write_doubles(group, "l", a->l.count, a->l.data));
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

static bool write_guess(hid_t file, const answer *a, const double *r)
{
    const hid_t group = make_group(file, "/guesses");
    const bool done =
        group >= 0 && write_int(group, "number_of_guesses", 1) && write_answer(group, "1", a, r);
    return (group < 0 || H5Gclose(group) >= 0) && done;
}

static tl_status write_file(const char *path, const char *name, const tl_contact_problem *problem,
                            const answer *guess, const answer *solution, const double *r)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    tl_h5_begin();
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool done = file >= 0 && write_form(file, d) &&
                (!d->guess || write_guess(file, guess, d->guess)) &&
                (!r || write_answer(file, "/solution", solution, r));
    if (file >= 0 && H5Fclose(file) < 0)
        done = false;
    const tl_status status = done ? TL_OK : tl_h5_fail(TL_FILE, name, "HDF5 cannot write it");
    tl_h5_end();
    return status;
}

/* Under another name first, so that a failure leaves no half file. */
static tl_status write_whole(const char *path, const tl_contact_problem *problem,
                             const answer *guess, const answer *solution, const double *r)
{
    tl_array name = {.item = 1};
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return tl_fail(TL_FILE, "%s: %s", path,
                       S_ISDIR(s.st_mode) ? strerror(EISDIR) : "not a regular file");
    TL_TRY(tl_array_append(&name, path, strlen(path)));
    tl_status status = tl_array_append(&name, ".new", 5);
    if (status == TL_OK)
        status = write_file(name.data, path, problem, guess, solution, r);
    if (status == TL_OK && rename(name.data, path) != 0)
        status = tl_fail(TL_FILE, "%s: %s", path, strerror(errno));
    if (status != TL_OK && name.count > strlen(path) + 4)
        unlink(name.data);
    tl_array_free(&name);
    return status;
}

tl_status tl_contact_problem_save(const char *path, const tl_contact_problem *problem,
                                  const double *r)
{
    if (!path || !problem)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, path ? "problem" : "path");
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    answer guess = {0}, solution = {0};
    tl_status status = d->guess ? follow(problem, d->guess, &guess) : TL_OK;
    if (status == TL_OK && r)
        status = follow(problem, r, &solution);
    if (status == TL_OK)
        status = write_whole(path, problem, &guess, &solution, r);
    tl_array *const arrays[] = {&guess.v,    &guess.u,    &guess.l,
                                &solution.v, &solution.u, &solution.l};
    for (int i = 0; i < 6; i++)
        tl_array_free(arrays[i]);
    return status;
}
