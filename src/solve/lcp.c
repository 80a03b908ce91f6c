/* Lemke's method (Cottle, Pang and Stone, "The Linear Complementarity Problem", section 4.4) on a
 * dense tableau: w - M z - 1 z0 = q. The columns of w are the inverse of the basis, which
 * the lexicographic rule needs. */
#include "solve/lcp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TINY    1e-11 /* of the largest number of a column: what counts as zero */
#define WRONG   1e-4  /* of the largest number of q: the residual of no solution */
#define ROUNDED 1e-14 /* of the largest number of the matrix: the same for a whole column */

/* Columns: w (n), z (n), z0, right-hand side. */
typedef struct tableau {
    uint32_t n;
    size_t width;
    double *t;
    uint32_t *basis; /* per row: the column that is in it */
    double scale;    /* the largest number of the matrix */
} tableau;

double tl_lcp_residual(uint32_t n, const double *m, const double *q, const double *z)
{
    double worst = 0;
    for (uint32_t i = 0; i < n; i++) {
        double w = q[i], sizes = 0;
        for (uint32_t j = 0; j < n; j++) {
            w += m[(size_t)i * n + j] * z[j];
            sizes += fabs(m[(size_t)i * n + j] * z[j]);
        }
        const double least = fabs(w < z[i] ? w : z[i]) + DBL_EPSILON * sizes;
        worst = least > worst || least != least ? least : worst;
    }
    return worst;
}

bool tl_dense_solve(uint32_t n, double *a, double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)best * n + k]))
                best = i;
        double *pivot = a + (size_t)k * n, *other = a + (size_t)best * n;
        if (!(fabs(other[k]) > 1e-300))
            return false;
        for (uint32_t j = k; best != k && j < n; j++) {
            const double swap = pivot[j];
            pivot[j] = other[j];
            other[j] = swap;
        }
        const double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (uint32_t i = k + 1; i < n; i++) {
            double *row = a + (size_t)i * n;
            const double factor = row[k] / pivot[k];
            if (factor == 0)
                continue;
            for (uint32_t j = k + 1; j < n; j++)
                row[j] -= factor * pivot[j];
            b[i] -= factor * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            b[k] -= a[(size_t)k * n + j] * b[j];
        b[k] /= a[(size_t)k * n + k];
    }
    return true;
}

static void fill(tableau *t, const double *m, const double *q)
{
    t->scale = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        double *row = t->t + i * t->width;
        memset(row, 0, t->width * sizeof *row);
        row[i] = 1;
        for (uint32_t j = 0; j < t->n; j++) {
            row[t->n + j] = -m[(size_t)i * t->n + j];
            t->scale = fmax(t->scale, fabs(m[(size_t)i * t->n + j]));
        }
        row[2 * (size_t)t->n] = -1;
        row[2 * (size_t)t->n + 1] = q[i];
        t->basis[i] = i;
    }
}

/* Whether row i, over its number in the entering column, is lexicographically before row k. */
static bool is_before(const tableau *t, uint32_t i, uint32_t k, size_t column)
{
    const double *a = t->t + i * t->width, *b = t->t + k * t->width;
    const size_t last = 2 * (size_t)t->n + 1;
    double x = a[last] / a[column], y = b[last] / b[column];
    const double close = 1e-13 * (fabs(x) + fabs(y));
    if (fabs(x - y) > close)
        return x < y;
    for (uint32_t j = 0; j < t->n; j++) {
        x = a[j] / a[column];
        y = b[j] / b[column];
        if (fabs(x - y) > 1e-12 * (fabs(x) + fabs(y)))
            return x < y;
    }
    return false;
}

/* The row that the entering column leaves from, or n: a ray. z0 goes as soon as it can. */
static uint32_t leaving_row(const tableau *t, size_t column)
{
    double largest = 0;
    uint32_t best = t->n;
    for (uint32_t i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(t->t[i * t->width + column]));
    if (largest <= ROUNDED * t->scale) /* zero, but for what pivots have rounded */
        return best;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->t[i * t->width + column] > TINY * largest &&
            (best == t->n || is_before(t, i, best, column)))
            best = i;
    if (best == t->n)
        return best;
    const size_t last = 2 * (size_t)t->n + 1;
    const double ratio = t->t[best * t->width + last] / t->t[best * t->width + column];
    for (uint32_t i = 0; i < t->n; i++) {
        const double *row = t->t + i * t->width;
        if (t->basis[i] == 2 * t->n && row[column] > TINY * largest &&
            row[last] / row[column] <= ratio + 1e-13 * fabs(ratio))
            return i;
    }
    return best;
}

static void pivot(tableau *t, uint32_t r, size_t column)
{
    double *row = t->t + r * t->width;
    const double over = 1 / row[column];
    for (size_t j = 0; j < t->width; j++)
        row[j] *= over;
    row[column] = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        double *other = t->t + i * t->width;
        const double factor = other[column];
        if (i == r || factor == 0)
            continue;
        for (size_t j = 0; j < t->width; j++)
            other[j] -= factor * row[j];
        other[column] = 0;
    }
    t->basis[r] = (uint32_t)column;
}

/* From the first pivot, by which z0 comes in, to the one by which it goes. */
static tl_lcp_end walk(tableau *t, uint32_t *pivots)
{
    const uint32_t n = t->n, limit = 50 * n + 100;
    const size_t last = 2 * (size_t)n + 1;
    uint32_t row = 0;
    for (uint32_t i = 1; i < n; i++) /* equal ones: the last, whose column of w is the smaller */
        if (t->t[i * t->width + last] <= t->t[row * t->width + last])
            row = i;
    uint32_t left = t->basis[row];
    pivot(t, row, 2 * (size_t)n);
    for (*pivots = 1; *pivots < limit; ++*pivots) {
        const size_t column = left < n ? left + (size_t)n : left - (size_t)n;
        row = leaving_row(t, column);
        if (row == n)
            return TL_LCP_RAY;
        left = t->basis[row];
        pivot(t, row, column);
        if (left == 2 * n)
            return TL_LCP_SOLVED;
    }
    return TL_LCP_LIMIT;
}

/* The solution of a basis from the problem itself, without what pivots added up; kept where it is
 * the better one. `active`: uint32_t, n; `work`: n * n + 2 n. */
static void polish(uint32_t n, const double *m, const double *q, double *z, uint32_t *active,
                   double *work, double *residual)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (z[i] > 0)
            active[count++] = i;
    double *a = work, *x = work + (size_t)n * n, *trial = x + n;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = -q[active[i]];
        for (uint32_t j = 0; j < count; j++)
            a[(size_t)i * count + j] = m[(size_t)active[i] * n + active[j]];
    }
    if (!tl_dense_solve(count, a, x))
        return;
    memset(trial, 0, n * sizeof *trial);
    for (uint32_t i = 0; i < count; i++)
        trial[active[i]] = fmax(x[i], 0);
    const double better = tl_lcp_residual(n, m, q, trial);
    if (!(better < *residual))
        return;
    *residual = better;
    memcpy(z, trial, n * sizeof *z);
}

tl_status tl_lcp_lemke(tl_array *room, uint32_t n, const double *m, const double *q, double *z,
                       tl_lcp *result)
{
    *result = (tl_lcp){.end = TL_LCP_SOLVED};
    memset(z, 0, n * sizeof *z);
    bool rests = true;
    for (uint32_t i = 0; i < n; i++)
        rests = rests && q[i] >= 0;
    if (rests)
        return TL_OK;
    const size_t width = 2 * (size_t)n + 2;
    TL_TRY(tl_array_resize(room, n * width + 2 * (size_t)n));
    tableau t = {n, width, room->data, (uint32_t *)((double *)room->data + n * width), 0};
    fill(&t, m, q);
    result->end = walk(&t, &result->pivots);
    for (uint32_t i = 0; i < n; i++)
        if (t.basis[i] >= n && t.basis[i] < 2 * n)
            z[t.basis[i] - n] = fmax(t.t[i * width + width - 1], 0);
    result->residual = tl_lcp_residual(n, m, q, z);
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(q[i]));
    if (result->residual <= 1e-13 * most) /* z0 was 0 already, up to rounding */
        result->end = TL_LCP_SOLVED;
    if (result->end == TL_LCP_SOLVED)
        polish(n, m, q, z, t.basis, t.t, &result->residual);
    if (result->residual > WRONG * most) /* impulses so large that nothing is left of q */
        result->end = TL_LCP_RAY;
    return TL_OK;
}
