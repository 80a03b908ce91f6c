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

/* The diagonal block of a node over its six pivots, L below and U above. */
static bool factor_block(double *const upper[6], double *const lower[6])
{
    for (uint32_t r = 0; r < 6; r++) {
        if (!(fabs(upper[r][r]) > 1e-300))
            return false;
        for (uint32_t t = r + 1; t < 6; t++)
            lower[r][t] /= upper[r][r];
        for (uint32_t t = r + 1; t < 6; t++) {
            for (uint32_t c = t; c < 6; c++)
                upper[t][c] -= lower[r][t] * upper[r][c];
            for (uint32_t c = t + 1; c < 6; c++)
                lower[t][c] -= upper[r][t] * lower[r][c];
        }
    }
    return true;
}

/* The rest of its six rows of the upper triangle, and of its columns of the lower one. */
static inline __attribute__((always_inline)) void factor_lines(double *const upper[6],
                                                               double *const lower[6], size_t width)
{
    for (uint32_t t = 0; t < 6; t++) {
        const double over = 1 / upper[t][t];
        for (uint32_t r = 0; r < t; r++) {
            double *restrict to = upper[t], *restrict also = lower[t];
            const double *restrict from = upper[r], *restrict too = lower[r];
            const double l = lower[r][t], u = upper[r][t];
            for (size_t c = 6; c < width; c++) {
                to[c] -= l * from[c];
                also[c] -= u * too[c];
            }
        }
        for (size_t c = 6; c < width; c++)
            lower[t][c] *= over;
    }
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
typedef struct set {
    void (*take)(double *restrict to, const double part[6], double *const from[6], size_t begin,
                 size_t end);
    void (*lines)(double *const upper[6], double *const lower[6], size_t width);
} set;

#define FOR_SET(name, target)                                                                     \
    target static void take_##name(double *restrict to, const double part[6],                     \
                                   double *const from[6], size_t begin, size_t end)               \
    {                                                                                             \
        take_lines(to, part, from, begin, end);                                                   \
    }                                                                                             \
    target static void lines_##name(double *const upper[6], double *const lower[6], size_t width) \
    {                                                                                             \
        factor_lines(upper, lower, width);                                                        \
    }

FOR_SET(base, )
#if defined(TALUS_X86)
FOR_SET(avx2, __attribute__((target("avx2"))))
FOR_SET(avx512, __attribute__((target("avx512f,prefer-vector-width=512"))))
#endif

static set best_set(void)
{
#if defined(TALUS_X86)
    if (__builtin_cpu_supports("avx512f"))
        return (set){take_avx512, lines_avx512};
    if (__builtin_cpu_supports("avx2"))
        return (set){take_avx2, lines_avx2};
#endif
    return (set){take_base, lines_base};
}

bool tl_profile_factor_both(tl_profile *p)
{
    const set with = best_set();
    for (uint32_t i = 0; i < p->nodes; i++) {
        double *upper[6], *lower[6];
        size_t width, other;
        for (uint32_t r = 0; r < 6; r++) {
            upper[r] = line_of(p, false, i, r, &width);
            lower[r] = line_of(p, true, i, r, &width);
        }
        if (!factor_block(upper, lower))
            return false;
        with.lines(upper, lower, width);
        for (size_t c = 6; c < width; c++) {
            double l[6], u[6];
            bool empty = true;
            for (int r = 0; r < 6; r++) {
                l[r] = lower[r][c];
                u[r] = upper[r][c];
                empty = empty && l[r] == 0 && u[r] == 0;
            }
            if (empty)
                continue;
            const uint32_t place = i + (uint32_t)(c / 6), r = (uint32_t)(c % 6);
            with.take(line_of(p, false, place, r, &other) + r, l, upper, c, width);
            with.take(line_of(p, true, place, r, &other) + r + 1, u, lower, c + 1, width);
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

/* The six numbers of a node from those behind it; its rows are summed side by side. */
static void solve_node(const tl_profile *p, uint32_t i, double *at)
{
    const double *row[6];
    double sum[6];
    size_t width;
    for (uint32_t r = 0; r < 6; r++) {
        row[r] = line_of(p, false, i, r, &width);
        sum[r] = at[r];
    }
    for (size_t c = 6; c < width; c++)
        for (uint32_t r = 0; r < 6; r++)
            sum[r] -= row[r][c] * at[c];
    for (uint32_t r = 6; r-- > 0;) {
        for (uint32_t c = r + 1; c < 6; c++)
            sum[r] -= row[r][c] * at[c];
        at[r] = sum[r] / row[r][r];
    }
}

void tl_profile_solve_both(const tl_profile *p, double *vector)
{
    const uint32_t *place = p->place.data;
    const set with = best_set();
    double *x = p->x.data;
    size_t width;
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(x + 6 * (size_t)place[i], vector + 6 * (size_t)i, 6 * sizeof *x);
    for (uint32_t i = 0; i < p->nodes; i++) {
        double *column[6], *at = x + 6 * (size_t)i;
        for (uint32_t r = 0; r < 6; r++) {
            column[r] = line_of(p, true, i, r, &width);
            for (uint32_t c = r + 1; c < 6; c++)
                at[c] -= column[r][c] * at[r];
        }
        const double part[6] = {at[0], at[1], at[2], at[3], at[4], at[5]};
        with.take(at + 6, part, column, 6, width);
    }
    for (uint32_t i = p->nodes; i-- > 0;)
        solve_node(p, i, x + 6 * (size_t)i);
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(vector + 6 * (size_t)i, x + 6 * (size_t)place[i], 6 * sizeof *x);
}
