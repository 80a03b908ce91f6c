/* Sparse matrices on the host. */
#include "solve/matrix.h"

#include "base/sets.h"

#include <math.h>
#include <string.h>

/* 2 GB of numbers: envelopes beyond are refused. */
#define ROOM ((size_t)1 << 28)
/* Of the diagonal as it was: pivots below are those of a row that follows from others. */
#define DEPENDENT 1e-11
#define SYMMETRIC 1e-7 /* of the largest entry: what two that should be the same may differ by */

/* ---- Compressed columns ---- */

void tl_columns_free(tl_columns *c)
{
    tl_array_free(&c->start);
    tl_array_free(&c->row);
    tl_array_free(&c->value);
}

tl_matrix tl_columns_view(const tl_columns *c)
{
    return (tl_matrix){c->rows, c->columns, c->start.data, c->row.data, c->value.data};
}

static tl_status make_room(tl_columns *c, uint32_t rows, uint32_t columns, size_t entries)
{
    *c = (tl_columns){.rows = rows, .columns = columns};
    c->start.item = c->row.item = sizeof(uint32_t);
    c->value.item = sizeof(double);
    if (entries > INT32_MAX)
        return tl_fail(TL_TOO_LARGE, "a matrix of %zu entries; the limit is 2^31 - 1", entries);
    TL_TRY(tl_array_resize(&c->start, (size_t)columns + 1));
    memset(c->start.data, 0, ((size_t)columns + 1) * sizeof(uint32_t));
    TL_TRY(tl_array_resize(&c->row, entries));
    return tl_array_resize(&c->value, entries);
}

/* Counts to places: those of column i begin at start[i]. */
static void sum_up(uint32_t *start, uint32_t columns)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= columns; i++) {
        const uint32_t count = start[i];
        start[i] = sum;
        sum += count;
    }
}

/* After entries were put at start[column]++. */
static void shift_back(uint32_t *start, uint32_t columns)
{
    memmove(start + 1, start, columns * sizeof *start);
    start[0] = 0;
}

tl_status tl_matrix_transpose(tl_matrix a, tl_columns *out)
{
    const size_t entries = a.columns && a.start ? a.start[a.columns] : 0;
    TL_TRY(make_room(out, a.columns, a.rows, entries));
    uint32_t *start = out->start.data, *row = out->row.data;
    double *value = out->value.data;
    for (size_t i = 0; i < entries; i++)
        start[a.row[i]]++;
    sum_up(start, a.rows);
    for (uint32_t c = 0; entries && c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++) {
            const uint32_t at = start[a.row[i]]++;
            row[at] = c;
            value[at] = a.value[i];
        }
    shift_back(start, a.rows);
    return TL_OK;
}

/* Entries by row, as columns of the transpose. */
static tl_status by_row(uint32_t rows, uint32_t columns, const tl_entry *entries, size_t count,
                        tl_columns *out)
{
    TL_TRY(make_room(out, columns, rows, count));
    uint32_t *start = out->start.data, *row = out->row.data;
    double *value = out->value.data;
    for (size_t i = 0; i < count; i++)
        start[entries[i].row]++;
    sum_up(start, rows);
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = start[entries[i].row]++;
        row[at] = entries[i].column;
        value[at] = entries[i].value;
    }
    shift_back(start, rows);
    return TL_OK;
}

/* Entries of a column at one row become one; rows are ascending. */
static void merge(tl_columns *c)
{
    uint32_t *start = c->start.data, *row = c->row.data, kept = 0;
    double *value = c->value.data;
    for (uint32_t k = 0; k < c->columns; k++) {
        const uint32_t begin = start[k], first = kept;
        start[k] = kept;
        for (uint32_t i = begin; i < start[k + 1]; i++) {
            if (kept > first && row[kept - 1] == row[i]) {
                value[kept - 1] += value[i];
                continue;
            }
            row[kept] = row[i];
            value[kept++] = value[i];
        }
    }
    start[c->columns] = kept;
    c->row.count = c->value.count = kept;
}

tl_status tl_columns_make(uint32_t rows, uint32_t columns, tl_entry *entries, size_t count,
                          tl_columns *out)
{
    tl_columns across = {0};
    tl_status status = by_row(rows, columns, entries, count, &across);
    *out = (tl_columns){0};
    if (status == TL_OK)
        status = tl_matrix_transpose(tl_columns_view(&across), out);
    if (status == TL_OK)
        merge(out);
    tl_columns_free(&across);
    return status;
}

void tl_matrix_add(tl_matrix a, const double *x, double *y)
{
    for (uint32_t c = 0; c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
            y[a.row[i]] += a.value[i] * x[c];
}

void tl_matrix_add_across(tl_matrix a, const double *x, double *y)
{
    for (uint32_t c = 0; c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
            y[c] += a.value[i] * x[a.row[i]];
}

/* ---- Cholesky ---- */

void tl_factor_free(tl_factor *f)
{
    tl_array *const all[] = {&f->place, &f->begin, &f->end, &f->first, &f->at, &f->value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
}

/* Rows that are connected come side by side, in the order that they have. */
static tl_status arrange(tl_matrix a, tl_factor *f)
{
    const uint32_t n = a.rows;
    tl_array parents = {.item = sizeof(uint32_t)}, counts = {.item = sizeof(uint32_t)};
    tl_status status = tl_array_resize(&parents, n);
    if (status == TL_OK)
        status = tl_array_resize(&counts, (size_t)n + 1);
    if (status == TL_OK) {
        uint32_t *parent = parents.data, *count = counts.data;
        uint32_t *place = f->place.data, *begin = f->begin.data, *end = f->end.data;
        memset(count, 0, ((size_t)n + 1) * sizeof *count);
        for (uint32_t i = 0; i < n; i++)
            parent[i] = i;
        for (uint32_t c = 0; c < a.columns; c++)
            for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
                tl_unite(parent, a.row[i], c);
        for (uint32_t i = 0; i < n; i++)
            count[tl_root(parent, i)]++;
        sum_up(count, n); /* the root is the first of its part */
        for (uint32_t i = 0; i < n; i++)
            place[i] = count[tl_root(parent, i)]++;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t root = tl_root(parent, i);
            begin[place[i]] = place[root];
            end[place[i]] = count[root];
        }
    }
    tl_array_free(&parents);
    tl_array_free(&counts);
    return status;
}

/* Where each row begins, and room for all of them. */
static tl_status lay_out(tl_matrix a, const char *name, tl_factor *f)
{
    const uint32_t *place = f->place.data;
    uint32_t *first = f->first.data;
    size_t *at = f->at.data, sum = 0;
    for (uint32_t i = 0; i < f->size; i++)
        first[i] = i;
    for (uint32_t c = 0; c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++) {
            const uint32_t p = place[a.row[i]], q = place[c], late = p > q ? p : q;
            const uint32_t early = p > q ? q : p;
            first[late] = early < first[late] ? early : first[late];
        }
    for (uint32_t i = 0; i < f->size; i++) {
        sum += i - first[i] + 1;
        at[i] = sum;
    }
    if (sum > ROOM)
        return tl_fail(TL_TOO_LARGE,
                       "%s: its factors would have %zu numbers in their envelope; the limit is %zu",
                       name, sum, ROOM);
    TL_TRY(tl_array_resize(&f->value, sum));
    if (sum)
        memset(f->value.data, 0, sum * sizeof(double));
    return TL_OK;
}

/* Row i of the factor, from column 0 on; those before first[i] are not there. */
static double *row_of(const tl_factor *f, uint32_t i)
{
    return (double *)f->value.data + ((const size_t *)f->at.data)[i] - 1 - i;
}

static double dot(const double *a, const double *b, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (uint32_t k = from; k < to; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Returns the first place whose pivot is not above `least` of its diagonal; f->size: none, or those
 * rows were left out. */
static uint32_t factor(tl_factor *f, double least, bool leave_out)
{
    const uint32_t *first = f->first.data;
    for (uint32_t i = 0; i < f->size; i++) {
        double *row = row_of(f, i);
        const double diagonal = row[i];
        for (uint32_t k = first[i]; k < i; k++) {
            const double *other = row_of(f, k);
            const uint32_t from = first[k] > first[i] ? first[k] : first[i];
            /* a row that was left out has a diagonal of 0 */
            row[k] = other[k] > 0 ? (row[k] - dot(row, other, from, k)) / other[k] : 0;
        }
        row[i] -= dot(row, row, first[i], i);
        if (row[i] > least * fabs(diagonal) && row[i] > 0) {
            row[i] = sqrt(row[i]);
            continue;
        }
        if (!leave_out)
            return i;
        for (uint32_t k = first[i]; k <= i; k++)
            row[k] = 0;
        f->dependent++;
    }
    return f->size;
}

/* Whether column c and row c, a column of the transpose, are the same up to rounding; `sum` is zero
 * before and after. Returns a row where they are not, or `rows`. */
static uint32_t asymmetric(tl_matrix a, tl_matrix t, uint32_t c, double most, double *sum)
{
    uint32_t bad = a.rows;
    for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
        sum[a.row[i]] += a.value[i];
    for (uint32_t i = t.start[c]; i < t.start[c + 1]; i++)
        sum[t.row[i]] -= t.value[i];
    for (int side = 0; side < 2; side++) {
        const tl_matrix m = side ? t : a;
        for (uint32_t i = m.start[c]; i < m.start[c + 1]; i++) {
            if (!(fabs(sum[m.row[i]]) <= most))
                bad = m.row[i];
            sum[m.row[i]] = 0;
        }
    }
    return bad;
}

/* What a column has at a row; those at one place add up. */
static double entry_of(tl_matrix a, uint32_t row, uint32_t column)
{
    double sum = 0;
    for (uint32_t i = a.start[column]; i < a.start[column + 1]; i++)
        sum += a.row[i] == row ? a.value[i] : 0;
    return sum;
}

tl_status tl_matrix_check_symmetry(tl_matrix a, const char *name)
{
    double largest = 0;
    tl_columns across = {0};
    tl_array sums = {.item = sizeof(double)};
    tl_status status = tl_matrix_transpose(a, &across);
    if (status == TL_OK)
        status = tl_array_resize(&sums, a.rows);
    for (uint32_t i = 0; a.columns && i < a.start[a.columns]; i++)
        largest = fmax(largest, fabs(a.value[i]));
    if (status == TL_OK && a.rows)
        memset(sums.data, 0, a.rows * sizeof(double));
    for (uint32_t c = 0; c < a.columns && status == TL_OK; c++) {
        const uint32_t bad =
            asymmetric(a, tl_columns_view(&across), c, SYMMETRIC * largest, sums.data);
        if (bad < a.rows)
            status = tl_fail(TL_BAD_ARGUMENT,
                             "%s is not symmetric: its entries (%u, %u) and (%u, %u), counted from "
                             "0, are %g and %g; they may differ by %g times the largest entry, %g",
                             name, bad, c, c, bad, entry_of(a, bad, c), entry_of(a, c, bad),
                             SYMMETRIC, largest);
    }
    tl_array_free(&sums);
    tl_columns_free(&across);
    return status;
}

/* The lower half of the matrix, in the order of places, into its envelope. */
static void load(tl_matrix a, tl_factor *f)
{
    const uint32_t *place = f->place.data;
    for (uint32_t c = 0; c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
            if (place[a.row[i]] >= place[c])
                row_of(f, place[a.row[i]])[place[c]] += a.value[i];
}

static tl_status make(tl_matrix a, const char *name, bool semidefinite, tl_factor *f)
{
    const uint32_t n = a.rows;
    f->size = n;
    f->place.item = f->begin.item = f->end.item = f->first.item = sizeof(uint32_t);
    f->at.item = sizeof(size_t);
    f->value.item = sizeof(double);
    TL_TRY(tl_array_resize(&f->place, n));
    TL_TRY(tl_array_resize(&f->begin, n));
    TL_TRY(tl_array_resize(&f->end, n));
    TL_TRY(tl_array_resize(&f->first, n));
    TL_TRY(tl_array_resize(&f->at, n));
    if (!a.start) /* without entries: all rows are left out */
        a.columns = 0;
    TL_TRY(arrange(a, f));
    TL_TRY(lay_out(a, name, f));
    load(a, f);
    const uint32_t bad = factor(f, semidefinite ? DEPENDENT : 0, semidefinite);
    for (uint32_t i = 0; i < n && bad < n; i++)
        if (((const uint32_t *)f->place.data)[i] == bad)
            return tl_fail(TL_BAD_ARGUMENT,
                           "%s is not positive definite: row %u, counted from 0, leaves a pivot of "
                           "%g",
                           name, i, row_of(f, bad)[bad]);
    return TL_OK;
}

tl_status tl_factor_make(tl_matrix a, const char *name, bool semidefinite, tl_factor *f)
{
    *f = (tl_factor){0};
    const tl_status status = make(a, name, semidefinite, f);
    if (status != TL_OK)
        tl_factor_free(f);
    return status;
}

/* Places [begin, end), which are whole parts. */
static void solve(const tl_factor *f, uint32_t begin, uint32_t end, double *x)
{
    const uint32_t *first = f->first.data;
    for (uint32_t i = begin; i < end; i++) {
        const double *row = row_of(f, i);
        x[i] = row[i] > 0 ? (x[i] - dot(row, x, first[i], i)) / row[i] : 0;
    }
    for (uint32_t i = end; i-- > begin;) {
        const double *row = row_of(f, i);
        x[i] = row[i] > 0 ? x[i] / row[i] : 0;
        for (uint32_t k = first[i]; k < i; k++)
            x[k] -= row[k] * x[i];
    }
}

void tl_factor_solve(const tl_factor *f, double *x, double *work)
{
    const uint32_t *place = f->place.data;
    for (uint32_t i = 0; i < f->size; i++)
        work[place[i]] = x[i];
    solve(f, 0, f->size, work);
    for (uint32_t i = 0; i < f->size; i++)
        x[i] = work[place[i]];
}

tl_status tl_factor_root(const tl_factor *f, const uint32_t *rows, tl_columns *out)
{
    const uint32_t *place = f->place.data, *first = f->first.data;
    size_t entries = 0, at = 0;
    for (uint32_t i = 0; i < f->size; i++)
        entries += i + 1 - first[i];
    TL_TRY(make_room(out, f->size, f->size, entries));
    for (uint32_t c = 0; c < f->size; c++) {
        const uint32_t i = place[rows[c]];
        for (uint32_t k = first[i]; k <= i; k++) {
            ((uint32_t *)out->row.data)[at] = k;
            ((double *)out->value.data)[at++] = row_of(f, i)[k];
        }
        ((uint32_t *)out->start.data)[c + 1] = (uint32_t)at;
    }
    return TL_OK;
}

/* What products need of a factor: a vector that is zero between uses, and rows of C by place. */
typedef struct across {
    const tl_factor *f;
    tl_array x, parts; /* double per place; uint32_t: places where touched parts begin */
} across;

static tl_status across_make(const tl_factor *f, across *w)
{
    *w = (across){f, {.item = sizeof(double)}, {.item = sizeof(uint32_t)}};
    TL_TRY(tl_array_resize(&w->x, f->size));
    if (f->size)
        memset(w->x.data, 0, f->size * sizeof(double));
    return TL_OK;
}

static void across_free(across *w)
{
    tl_array_free(&w->x);
    tl_array_free(&w->parts);
}

/* x = A^-1 times column c of b, in the parts that it touches. */
static tl_status across_solve(across *w, tl_matrix b, uint32_t c)
{
    const uint32_t *place = w->f->place.data, *begin = w->f->begin.data, *end = w->f->end.data;
    double *x = w->x.data;
    w->parts.count = 0;
    for (uint32_t i = b.start[c]; i < b.start[c + 1]; i++) {
        const uint32_t at = place[b.row[i]], part = begin[at];
        const uint32_t *known = w->parts.data;
        bool new = true;
        for (size_t k = 0; k < w->parts.count && new; k++)
            new = known[k] != part;
        if (new)
            TL_TRY(tl_array_append(&w->parts, &part, 1));
        x[at] += b.value[i];
    }
    for (size_t k = 0; k < w->parts.count; k++) {
        const uint32_t part = ((const uint32_t *)w->parts.data)[k];
        solve(w->f, part, end[part], x);
    }
    return TL_OK;
}

static void across_clear(across *w)
{
    const uint32_t *end = w->f->end.data;
    for (size_t k = 0; k < w->parts.count; k++) {
        const uint32_t part = ((const uint32_t *)w->parts.data)[k];
        memset((double *)w->x.data + part, 0, (end[part] - part) * sizeof(double));
    }
}

/* Which row of A has each place. */
static tl_status rows_by_place(const tl_factor *f, tl_array *out)
{
    *out = (tl_array){.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(out, f->size));
    for (uint32_t i = 0; i < f->size; i++)
        ((uint32_t *)out->data)[((const uint32_t *)f->place.data)[i]] = i;
    return TL_OK;
}

/* One column of C^T A^-1 B; `t` is C^T. */
static tl_status column(across *w, tl_matrix t, const uint32_t *row_at, tl_matrix b, uint32_t c,
                        double *sum, uint32_t *seen, tl_array *entries)
{
    const uint32_t *end = w->f->end.data;
    const double *x = w->x.data;
    const size_t from = entries->count;
    TL_TRY(across_solve(w, b, c));
    for (size_t k = 0; k < w->parts.count; k++) {
        const uint32_t part = ((const uint32_t *)w->parts.data)[k];
        for (uint32_t p = part; p < end[part]; p++)
            for (uint32_t i = t.start[row_at[p]]; i < t.start[row_at[p] + 1]; i++) {
                if (seen[t.row[i]] != c + 1) {
                    const tl_entry entry = {t.row[i], c, 0};
                    TL_TRY(tl_array_append(entries, &entry, 1));
                    seen[t.row[i]] = c + 1;
                    sum[t.row[i]] = 0;
                }
                sum[t.row[i]] += t.value[i] * x[p];
            }
    }
    for (size_t i = from; i < entries->count; i++) {
        tl_entry *entry = (tl_entry *)entries->data + i;
        entry->value = sum[entry->row];
    }
    across_clear(w);
    return TL_OK;
}

tl_status tl_factor_between(const tl_factor *f, tl_matrix c, tl_matrix b, tl_columns *out)
{
    across w = {0};
    tl_columns t = {0};
    tl_array sums = {.item = sizeof(double)}, seen = {.item = sizeof(uint32_t)};
    tl_array entries = {.item = sizeof(tl_entry)}, row_at = {0};
    *out = (tl_columns){0};
    tl_status status = across_make(f, &w);
    if (status == TL_OK)
        status = tl_matrix_transpose(c, &t);
    if (status == TL_OK)
        status = tl_array_resize(&sums, c.columns);
    if (status == TL_OK)
        status = tl_array_resize(&seen, c.columns);
    if (status == TL_OK)
        status = rows_by_place(f, &row_at);
    if (status == TL_OK && c.columns)
        memset(seen.data, 0, c.columns * sizeof(uint32_t));
    for (uint32_t k = 0; status == TL_OK && c.columns && k < b.columns; k++)
        status = column(&w, tl_columns_view(&t), row_at.data, b, k, sums.data, seen.data, &entries);
    if (status == TL_OK)
        status = tl_columns_make(c.columns, b.columns, entries.data, entries.count, out);
    across_free(&w);
    tl_columns_free(&t);
    tl_array_free(&sums);
    tl_array_free(&seen);
    tl_array_free(&entries);
    tl_array_free(&row_at);
    return status;
}

tl_status tl_factor_blocks(const tl_factor *f, tl_matrix b, uint32_t width, double *out)
{
    across w;
    const uint32_t *place = f->place.data;
    tl_status status = across_make(f, &w);
    for (uint32_t c = 0; status == TL_OK && c < b.columns; c++) {
        const uint32_t first = c / width * width;
        status = across_solve(&w, b, c);
        for (uint32_t k = 0; k < width && status == TL_OK; k++) {
            double *to = &out[((size_t)first + k) * width + (c - first)];
            *to = 0;
            for (uint32_t i = b.start[first + k]; i < b.start[first + k + 1]; i++)
                *to += b.value[i] * ((const double *)w.x.data)[place[b.row[i]]];
        }
        across_clear(&w);
    }
    across_free(&w);
    return status;
}
