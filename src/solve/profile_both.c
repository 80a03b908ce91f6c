/* Matrices of a profile that are not symmetric: the upper triangle by rows and, behind it, the
 * lower one by columns, in the same layout. Eliminated node by node, so that what is still to do is
 * written once per six pivots. Every sum is taken in one order. */
#include "solve/profile.h"

#include <math.h>
#include <string.h>

/* Row r (upper) or column r (lower) of the node at a place, from its diagonal block on. */
static double *line_of(const tl_profile *p, bool lower, uint32_t place, uint32_t r, size_t *width)
{
    const size_t *start = p->start.data;
    *width = (start[place + 1] - start[place]) / 6;
    return (double *)p->values.data + (lower ? start[p->nodes] : 0) + start[place] + r * *width;
}

tl_status tl_profile_clear_both(tl_profile *p)
{
    const size_t count = 2 * ((size_t *)p->start.data)[p->nodes];
    TL_TRY(tl_array_resize(&p->values, count));
    if (count)
        memset(p->values.data, 0, count * sizeof(double));
    return TL_OK;
}

void tl_profile_add_both(tl_profile *p, uint32_t i, uint32_t j, const double block[6][6])
{
    const uint32_t *place = p->place.data, a = place[i], b = place[j];
    const bool lower = a > b;
    const uint32_t low = lower ? b : a, high = lower ? a : b;
    const size_t at = 6 * (size_t)(high - low);
    size_t width;
    for (uint32_t r = 0; r < 6; r++) {
        double *line = line_of(p, lower, low, r, &width) + at;
        for (uint32_t c = a == b ? r : 0; c < 6; c++)
            line[c] += lower ? block[c][r] : block[r][c];
        if (a != b)
            continue;
        line = line_of(p, true, low, r, &width);
        for (uint32_t c = r + 1; c < 6; c++)
            line[c] += block[c][r];
    }
}

/* The six pivots of a node: its rows of the upper triangle, and its columns of the lower one over
 * the pivots. */
static bool factor_node(const tl_profile *p, uint32_t i, double *upper[6], double *lower[6],
                        size_t *width)
{
    for (uint32_t r = 0; r < 6; r++) {
        upper[r] = line_of(p, false, i, r, width);
        lower[r] = line_of(p, true, i, r, width);
    }
    for (uint32_t r = 0; r < 6; r++) {
        const double pivot = upper[r][r];
        if (!(fabs(pivot) > 1e-300))
            return false;
        for (size_t c = r + 1; c < *width; c++)
            lower[r][c] /= pivot;
        for (uint32_t s = r + 1; s < 6; s++) {
            const double l = lower[r][s], u = upper[r][s];
            for (size_t c = s; c < *width; c++)
                upper[s][c] -= l * upper[r][c];
            for (size_t c = s + 1; c < *width; c++)
                lower[s][c] -= u * lower[r][c];
        }
    }
    return true;
}

/* Takes six multiples of six lines from another. */
static inline __attribute__((always_inline)) void take_lines(double *restrict to,
                                                             const double part[6],
                                                             double *const from[6], size_t begin,
                                                             size_t end)
{
    const double *restrict a = from[0], *restrict b = from[1], *restrict c = from[2];
    const double *restrict d = from[3], *restrict e = from[4], *restrict f = from[5];
    for (size_t k = begin; k < end; k++)
        to[k - begin] -= ((part[0] * a[k] + part[1] * b[k]) + (part[2] * c[k] + part[3] * d[k])) +
                         (part[4] * e[k] + part[5] * f[k]);
}

/* The same for several instruction sets, all with the same bits, as nothing is fused. */
typedef void (*take_fn)(double *restrict to, const double part[6], double *const from[6],
                        size_t begin, size_t end);

static void take_base(double *restrict to, const double part[6], double *const from[6],
                      size_t begin, size_t end)
{
    take_lines(to, part, from, begin, end);
}

#if defined(TALUS_X86)
__attribute__((target("avx2"))) static void take_avx2(double *restrict to, const double part[6],
                                                      double *const from[6], size_t begin,
                                                      size_t end)
{
    take_lines(to, part, from, begin, end);
}

__attribute__((target("avx512f,prefer-vector-width=512"))) static void
take_avx512(double *restrict to, const double part[6], double *const from[6], size_t begin,
            size_t end)
{
    take_lines(to, part, from, begin, end);
}
#endif

static take_fn best_take(void)
{
#if defined(TALUS_X86)
    if (__builtin_cpu_supports("avx512f"))
        return take_avx512;
    if (__builtin_cpu_supports("avx2"))
        return take_avx2;
#endif
    return take_base;
}

bool tl_profile_factor_both(tl_profile *p)
{
    const take_fn take_away = best_take();
    for (uint32_t i = 0; i < p->nodes; i++) {
        double *upper[6], *lower[6];
        size_t width, other;
        if (!factor_node(p, i, upper, lower, &width))
            return false;
        for (size_t c = 6; c < width; c++) {
            double l[6], u[6], most = 0;
            for (int r = 0; r < 6; r++) {
                l[r] = lower[r][c];
                u[r] = upper[r][c];
                most = fmax(most, fmax(fabs(l[r]), fabs(u[r])));
            }
            if (most == 0)
                continue;
            const uint32_t place = i + (uint32_t)(c / 6), r = (uint32_t)(c % 6);
            take_away(line_of(p, false, place, r, &other) + r, l, upper, c, width);
            take_away(line_of(p, true, place, r, &other) + r + 1, u, lower, c + 1, width);
        }
    }
    return true;
}

int tl_profile_sign(const tl_profile *p)
{
    int sign = 1;
    size_t width;
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t r = 0; r < 6; r++)
            if (line_of(p, false, i, r, &width)[r] < 0)
                sign = -sign;
    return sign;
}

void tl_profile_solve_both(const tl_profile *p, double *vector)
{
    const uint32_t *place = p->place.data;
    double *x = p->x.data;
    size_t width;
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(x + 6 * (size_t)place[i], vector + 6 * (size_t)i, 6 * sizeof *x);
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t r = 0; r < 6; r++) {
            const double *column = line_of(p, true, i, r, &width);
            double *at = x + 6 * (size_t)i;
            for (size_t c = r + 1; c < width; c++)
                at[c] -= column[c] * at[r];
        }
    for (uint32_t i = p->nodes; i-- > 0;)
        for (uint32_t r = 6; r-- > 0;) {
            const double *row = line_of(p, false, i, r, &width);
            double *at = x + 6 * (size_t)i, sum = at[r];
            for (size_t c = r + 1; c < width; c++)
                sum -= row[c] * at[c];
            at[r] = sum / row[r];
        }
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(vector + 6 * (size_t)i, x + 6 * (size_t)place[i], 6 * sizeof *x);
}
