/* The direct solution of block matrices that are not symmetric: sparse.h. Eliminated node by node,
 * so that what is still to do is written once per six pivots; blocks that stand side by side in
 * both lines go together. Every sum is taken in one order. */
#include "solve/sparse.h"

#include <math.h>
#include <string.h>

void tl_sparse_init(tl_sparse *p)
{
    *p = (tl_sparse){.place = {.item = sizeof(uint32_t)},
                     .begin = {.item = sizeof(uint32_t)},
                     .list = {.item = sizeof(uint32_t)},
                     .start = {.item = sizeof(size_t)},
                     .values = {.item = sizeof(double)},
                     .x = {.item = sizeof(double)},
                     .room = {.item = sizeof(uint64_t)}};
}

void tl_sparse_free(tl_sparse *p)
{
    tl_array *all[] = {&p->place, &p->begin, &p->list, &p->start, &p->values, &p->x, &p->room};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
}

/* ---- The order ---- */

static uint32_t count_bits(const uint64_t *row, size_t words)
{
    uint32_t count = 0;
    for (size_t k = 0; k < words; k++)
        count += (uint32_t)__builtin_popcountll(row[k]);
    return count;
}

/* Takes a node out of the graph: its neighbours become neighbours of each other, and are appended
 * to the list. */
static tl_status eliminate(tl_sparse *p, uint64_t *rows, size_t words, uint32_t node,
                           uint32_t *degree)
{
    uint64_t *own = rows + node * words;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = own[w]; bits; bits &= bits - 1) {
            const uint32_t other = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
            uint64_t *row = rows + other * words;
            TL_TRY(tl_array_append(&p->list, &other, 1));
            for (size_t k = 0; k < words; k++)
                row[k] |= own[k];
            row[other / 64] &= ~(UINT64_C(1) << other % 64);
            row[node / 64] &= ~(UINT64_C(1) << node % 64);
            degree[other] = count_bits(row, words);
        }
    return TL_OK;
}

static void sort(uint32_t *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t own = list[i];
        uint32_t to = i;
        for (; to > 0 && list[to - 1] > own; to--)
            list[to] = list[to - 1];
        list[to] = own;
    }
}

/* Of the nodes that are left the one with the fewest neighbours, again and again. */
static tl_status order(tl_sparse *p, uint64_t *rows, size_t words, uint32_t *degree)
{
    uint32_t *place = p->place.data, *begin = p->begin.data;
    for (uint32_t i = 0; i < p->nodes; i++)
        place[i] = UINT32_MAX;
    for (uint32_t at = 0; at < p->nodes; at++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->nodes; i++)
            if (place[i] == UINT32_MAX && (best == UINT32_MAX || degree[i] < degree[best]))
                best = i;
        place[best] = at;
        begin[at] = (uint32_t)p->list.count;
        TL_TRY(eliminate(p, rows, words, best, degree));
    }
    begin[p->nodes] = (uint32_t)p->list.count;
    return TL_OK;
}

tl_status tl_sparse_make(tl_sparse *p, uint32_t nodes, const uint32_t (*edges)[2], size_t count)
{
    const size_t words = (nodes + 63) / 64;
    p->nodes = nodes;
    p->list.count = 0;
    p->work = 0;
    TL_TRY(tl_array_resize(&p->place, nodes));
    TL_TRY(tl_array_resize(&p->begin, (size_t)nodes + 1));
    TL_TRY(tl_array_resize(&p->start, (size_t)nodes + 1));
    TL_TRY(tl_array_resize(&p->x, 6 * (size_t)nodes));
    TL_TRY(tl_array_resize(&p->room, nodes * words + words * 32));
    uint64_t *rows = p->room.data;
    uint32_t *degree = (uint32_t *)(rows + nodes * words);
    memset(rows, 0, nodes * words * sizeof *rows);
    for (size_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++) {
            const uint32_t a = edges[e][side], b = edges[e][1 - side];
            if (a != b)
                rows[a * words + b / 64] |= UINT64_C(1) << b % 64;
        }
    for (uint32_t i = 0; i < nodes; i++)
        degree[i] = count_bits(rows + i * words, words);
    TL_TRY(order(p, rows, words, degree));
    const uint32_t *place = p->place.data, *begin = p->begin.data;
    uint32_t *list = p->list.data;
    size_t *start = p->start.data;
    start[0] = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t length = begin[i + 1] - begin[i];
        for (uint32_t k = begin[i]; k < begin[i + 1]; k++)
            list[k] = place[list[k]];
        sort(list + begin[i], length);
        const size_t width = 6 * ((size_t)length + 1);
        start[i + 1] = start[i] + 6 * width;
        p->work += 6.0 * (double)width * (double)width;
    }
    return TL_OK;
}

/* ---- Values ---- */

/* Row r (upper) or column r (lower) of the node at a place, from its diagonal block on. */
static double *line_of(const tl_sparse *p, bool lower, uint32_t place, uint32_t r, size_t *width)
{
    const size_t *start = p->start.data;
    *width = (start[place + 1] - start[place]) / 6;
    return (double *)p->values.data + (lower ? start[p->nodes] : 0) + start[place] + r * *width;
}

tl_status tl_sparse_clear(tl_sparse *p)
{
    const size_t count = 2 * ((size_t *)p->start.data)[p->nodes];
    TL_TRY(tl_array_resize(&p->values, count));
    if (count)
        memset(p->values.data, 0, count * sizeof(double));
    return TL_OK;
}

/* Where the block of place `high` stands in the lines of place `low`. */
static size_t column_of(const tl_sparse *p, uint32_t low, uint32_t high)
{
    const uint32_t *begin = p->begin.data, *list = p->list.data;
    uint32_t from = begin[low], to = begin[low + 1];
    if (low == high)
        return 0;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (list[middle] <= high)
            from = middle;
        else
            to = middle;
    }
    return 6 * ((size_t)(from - begin[low]) + 1);
}

void tl_sparse_add(tl_sparse *p, uint32_t i, uint32_t j, const double block[6][6])
{
    const uint32_t *place = p->place.data, a = place[i], b = place[j];
    const bool lower = a > b;
    const uint32_t low = lower ? b : a, high = lower ? a : b;
    const size_t at = column_of(p, low, high);
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

/* ---- The solution ---- */

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

/* Takes what the six pivots of a node leave from the lines of place list[k], whose blocks it
 * reaches: run by run of blocks that stand side by side in both. */
static void take_node(const tl_sparse *p, const set *with, const uint32_t *list, uint32_t length,
                      uint32_t k, double *const upper[6], double *const lower[6])
{
    const uint32_t *begin = p->begin.data, *theirs = (const uint32_t *)p->list.data;
    const uint32_t place = list[k];
    size_t width, at = 0; /* at: the block of theirs that list[m] is */
    double l[6][6], u[6][6], *to[2][6];
    for (uint32_t r = 0; r < 6; r++) {
        for (uint32_t s = 0; s < 6; s++) {
            l[r][s] = lower[s][6 * (size_t)(k + 1) + r];
            u[r][s] = upper[s][6 * (size_t)(k + 1) + r];
        }
        to[0][r] = line_of(p, false, place, r, &width);
        to[1][r] = line_of(p, true, place, r, &width);
    }
    theirs += begin[place];
    for (uint32_t m = k, next; m < length; m = next) { /* block k itself is the diagonal one */
        if (m > k) {
            while (theirs[at] != list[m])
                at++;
        }
        const size_t first = m > k ? at + 1 : 0;
        for (next = m + 1; next < length && first + (next - m) < width / 6 &&
                           theirs[first + (next - m) - 1] == list[next];)
            next++;
        const size_t from = 6 * ((size_t)m + 1), end = 6 * ((size_t)next + 1);
        for (uint32_t r = 0; r < 6; r++) {
            with->take(to[0][r] + 6 * first, l[r], upper, from, end);
            with->take(to[1][r] + 6 * first, u[r], lower, from, end);
        }
        at = first + (next - m) - 1;
    }
}

bool tl_sparse_factor(tl_sparse *p)
{
    const set with = best_set();
    const uint32_t *begin = p->begin.data;
    for (uint32_t i = 0; i < p->nodes; i++) {
        const uint32_t length = begin[i + 1] - begin[i];
        double *upper[6], *lower[6];
        size_t width;
        for (uint32_t r = 0; r < 6; r++) {
            upper[r] = line_of(p, false, i, r, &width);
            lower[r] = line_of(p, true, i, r, &width);
        }
        if (!factor_block(upper, lower))
            return false;
        with.lines(upper, lower, width);
        for (uint32_t k = 0; k < length; k++)
            take_node(p, &with, (const uint32_t *)p->list.data + begin[i], length, k, upper, lower);
    }
    return true;
}

int tl_sparse_sign(const tl_sparse *p)
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
static void solve_node(const tl_sparse *p, uint32_t i, double *x)
{
    const uint32_t *begin = p->begin.data, *list = p->list.data;
    const double *row[6];
    double *at = x + 6 * (size_t)i, sum[6];
    size_t width;
    for (uint32_t r = 0; r < 6; r++) {
        row[r] = line_of(p, false, i, r, &width);
        sum[r] = at[r];
    }
    for (uint32_t k = begin[i]; k < begin[i + 1]; k++) {
        const double *other = x + 6 * (size_t)list[k];
        const size_t from = 6 * ((size_t)(k - begin[i]) + 1);
        for (uint32_t c = 0; c < 6; c++)
            for (uint32_t r = 0; r < 6; r++)
                sum[r] -= row[r][from + c] * other[c];
    }
    for (uint32_t r = 6; r-- > 0;) {
        for (uint32_t c = r + 1; c < 6; c++)
            sum[r] -= row[r][c] * at[c];
        at[r] = sum[r] / row[r][r];
    }
}

void tl_sparse_solve(const tl_sparse *p, double *vector)
{
    const uint32_t *place = p->place.data, *begin = p->begin.data, *list = p->list.data;
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
        for (uint32_t k = begin[i], next; k < begin[i + 1]; k = next) {
            for (next = k + 1; next < begin[i + 1] && list[next] == list[k] + (next - k);)
                next++;
            with.take(x + 6 * (size_t)list[k], at, column, 6 * ((size_t)(k - begin[i]) + 1),
                      6 * ((size_t)(next - begin[i]) + 1));
        }
    }
    for (uint32_t i = p->nodes; i-- > 0;)
        solve_node(p, i, x);
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(vector + 6 * (size_t)i, x + 6 * (size_t)place[i], 6 * sizeof *x);
}
