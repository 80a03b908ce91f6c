/* The numbers of the direct solution: cholesky.h. Panels are factored one after the other, 48 rows
 * at a time, and what such rows leave of all later ones is taken off at once. Every sum is taken in
 * one order, whoever takes it. */
#include "solve/cholesky.h"

#include <math.h>
#include <string.h>

#define ROWS  48u /* of a panel that are taken off together; a multiple of 6 */
#define SHARE 2e6 /* multiplications from which threads share what rows leave */

/* Wider registers where there are any, with the same bits: nothing is contracted. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));

static uint32_t *words(const tl_array *array)
{
    return array->data;
}

static size_t *sizes(const tl_array *array)
{
    return array->data;
}

/* A piece: its panel, `rows` rows of `width` numbers. */
typedef struct panel {
    double *at;
    uint32_t rows, width, count; /* count: places behind it */
    uint32_t first, end;         /* places */
    const uint32_t *list;
} panel;

static panel panel_of(const tl_cholesky *c, uint32_t s)
{
    const size_t *begin = sizes(&c->begin) + s;
    panel p = {.at = (double *)c->values.data + sizes(&c->start)[s],
               .count = (uint32_t)(begin[1] - begin[0]),
               .first = words(&c->first)[s],
               .end = words(&c->first)[s + 1],
               .list = words(&c->list) + begin[0]};
    p.rows = 6 * (p.end - p.first);
    p.width = p.rows + 6 * p.count;
    return p;
}

/* The column of a place behind a panel's first. */
static uint32_t column_of(const panel *p, uint32_t place)
{
    uint32_t low = 0, high = p->count;
    if (place < p->end)
        return 6 * (place - p->first);
    while (low + 1 < high) {
        const uint32_t middle = (low + high) / 2;
        *(p->list[middle] <= place ? &low : &high) = middle;
    }
    return p->rows + 6 * low;
}

tl_status tl_cholesky_clear(tl_cholesky *c)
{
    const size_t count = c->pieces ? sizes(&c->start)[c->pieces] : 0;
    uint32_t widest = 0;
    for (uint32_t s = 0; s < c->pieces; s++) {
        const panel p = panel_of(c, s);
        widest = p.width > widest ? p.width : widest;
    }
    TL_TRY(tl_array_resize(&c->values, count));
    TL_TRY(tl_array_resize(&c->x, 6 * (size_t)c->nodes + widest));
    TL_TRY(tl_array_resize(&c->pack, (size_t)ROWS * (widest + 8)));
    TL_TRY(tl_array_resize(&c->map, widest));
    if (count)
        memset(c->values.data, 0, count * sizeof(double));
    return TL_OK;
}

void tl_cholesky_add(tl_cholesky *c, uint32_t i, uint32_t j, const double block[6][6])
{
    const uint32_t *place = words(&c->place), a = place[i], b = place[j];
    const bool turned = a > b;
    const uint32_t low = turned ? b : a, high = turned ? a : b;
    const panel p = panel_of(c, words(&c->piece)[low]);
    double *at = p.at + 6 * (size_t)(low - p.first) * p.width + column_of(&p, high);
    for (uint32_t r = 0; r < 6; r++, at += p.width)
        for (uint32_t k = 0; k < 6; k++)
            at[k] += turned ? block[k][r] : block[r][k];
}

/* ---- Factors ---- */

/* Rows [from, to) of a panel, which nothing is to be taken off any more from above. */
static bool factor_rows(const panel *p, uint32_t from, uint32_t to)
{
    const size_t width = p->width;
    for (uint32_t k = from; k < to; k++) {
        double *row = p->at + k * width;
        if (!(row[k] > 0) || !(row[k] < INFINITY))
            return false;
        const double root = sqrt(row[k]);
        row[k] = root;
        for (size_t j = k + 1; j < width; j++)
            row[j] /= root;
        for (uint32_t r = k + 1; r < to; r++) {
            double *other = p->at + r * width;
            const double part = row[r];
            if (part == 0)
                continue;
            for (size_t j = r; j < width; j++)
                other[j] -= part * row[j];
        }
    }
    return true;
}

/* What rows leave of others, which threads share: their numbers, eight columns side by side. */
typedef struct leaving {
    tl_cholesky *c;
    panel p;
    uint32_t count;   /* rows that leave it */
    uint32_t from;    /* the first column behind them */
    uint32_t to, end; /* places of the panel whose rows are at hand, counted in it */
} leaving;

static void pack_rows(leaving *q, uint32_t first)
{
    double *pack = q->c->pack.data;
    for (uint32_t k = 0; k < q->count; k++) {
        const double *row = q->p.at + (first + k) * (size_t)q->p.width;
        for (uint32_t j = q->from / 8 * 8; j < q->p.width; j++)
            pack[((size_t)(j / 8) * q->count + k) * 8 + j % 8] = row[j];
        for (uint32_t j = q->p.width; j % 8; j++)
            pack[((size_t)(j / 8) * q->count + k) * 8 + j % 8] = 0;
    }
}

/* Products of six columns with eight, over all rows: out[r] of column r with each of the eight. */
WIDE static void products(const double *const six[6], const double *columns, uint32_t rows,
                          double *out)
{
    eight sum[6] = {{0}};
    for (size_t k = 0; k < rows; k++) {
        const eight x = *(const eight *)(columns + 8 * k);
        for (int r = 0; r < 6; r++)
            sum[r] += six[r][8 * k] * x;
    }
    for (int r = 0; r < 6; r++)
        *(eight *)(out + 8 * r) = sum[r];
}

/* Takes what rows leave off the rows of one later place: six, from column `own` of the panel on.
 * `to`: where these rows are, `map`: which columns they have. */
static void take_off(const leaving *q, uint32_t own, double *to, size_t width, const uint32_t *map)
{
    const double *pack = q->c->pack.data, *six[6];
    double out[48];
    for (uint32_t r = 0; r < 6; r++)
        six[r] = pack + (size_t)((own + r) / 8) * q->count * 8 + (own + r) % 8;
    for (uint32_t j = own / 8 * 8; j < q->p.width; j += 8) {
        const uint32_t first = j < own ? own - j : 0, end = q->p.width - j < 8 ? q->p.width - j : 8;
        products(six, pack + (size_t)(j / 8) * q->count * 8, q->count, out);
        for (uint32_t r = 0; r < 6; r++)
            for (uint32_t k = first; k < end; k++)
                to[r * width + (map ? map[j + k] : j + k)] -= out[8 * r + k];
    }
}

/* Later places in their order: those of the panel itself, and of pieces behind it. */
static void leave(void *context, uint32_t part, uint32_t parts)
{
    const leaving *q = context;
    const uint32_t own = q->p.rows / 6;
    for (uint32_t i = q->to; i < q->end; i++) {
        if (i % parts != part)
            continue;
        if (i < own) {
            take_off(q, 6 * i, q->p.at + 6 * i * (size_t)q->p.width, q->p.width, NULL);
            continue;
        }
        const uint32_t place = q->p.list[i - own];
        const panel t = panel_of(q->c, words(&q->c->piece)[place]);
        take_off(q, 6 * i, t.at + 6 * (size_t)(place - t.first) * t.width, t.width,
                 words(&q->c->map));
    }
}

static void share(tl_backend *b, leaving *q)
{
    const double columns = (double)q->p.width - 6 * q->to;
    const double work = 6.0 * q->count * columns * (q->end - q->to);
    if (work > SHARE && b && b->ops->share)
        b->ops->share(b, leave, q);
    else
        leave(q, 0, 1);
}

/* What the columns of a panel, from those of place i of its list on, are in that of a later piece.
 */
static void find_map(const leaving *q, uint32_t i, const panel *t)
{
    uint32_t *map = words(&q->c->map);
    for (uint32_t l = 0; i < q->p.count; i++) {
        const uint32_t place = q->p.list[i];
        uint32_t column = 6 * (place - t->first);
        if (place >= t->end) {
            while (t->list[l] < place)
                l++;
            column = t->rows + 6 * l;
        }
        for (uint32_t k = 0; k < 6; k++)
            map[q->p.rows + 6 * i + k] = column + k;
    }
}

static bool factor_panel(tl_cholesky *c, tl_backend *b, uint32_t s)
{
    leaving q = {.c = c, .p = panel_of(c, s)};
    const uint32_t own = q.p.rows / 6;
    for (uint32_t from = 0; from < q.p.rows; from += q.count) {
        q.count = q.p.rows - from < ROWS ? q.p.rows - from : ROWS;
        q.from = from + q.count;
        if (!factor_rows(&q.p, from, q.from))
            return false;
        pack_rows(&q, from);
        q.to = q.from / 6;
        q.end = own;
        if (q.to < q.end)
            share(b, &q);
        for (q.to = own; q.to < own + q.p.count; q.to = q.end) {
            const uint32_t piece = words(&c->piece)[q.p.list[q.to - own]];
            const panel t = panel_of(c, piece);
            q.end = q.to + 1;
            while (q.end < own + q.p.count && q.p.list[q.end - own] < t.end)
                q.end++;
            find_map(&q, q.to - own, &t);
            share(b, &q);
        }
    }
    return true;
}

bool tl_cholesky_factor(tl_cholesky *c, tl_backend *b)
{
    for (uint32_t s = 0; s < c->pieces; s++)
        if (!factor_panel(c, b, s))
            return false;
    return true;
}

/* ---- Solutions ---- */

/* A piece's part of a vector, with what is behind it; and back. */
static void gather(const panel *p, const double *x, double *part)
{
    memcpy(part, x + 6 * (size_t)p->first, p->rows * sizeof *part);
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(part + p->rows + 6 * i, x + 6 * (size_t)p->list[i], 6 * sizeof *part);
}

static void scatter(const panel *p, const double *part, double *x)
{
    memcpy(x + 6 * (size_t)p->first, part, p->rows * sizeof *part);
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(x + 6 * (size_t)p->list[i], part + p->rows + 6 * i, 6 * sizeof *part);
}

static void forward(const panel *p, double *part)
{
    for (uint32_t k = 0; k < p->rows; k++) {
        const double *row = p->at + k * (size_t)p->width;
        const double x = part[k] /= row[k];
        for (uint32_t j = k + 1; j < p->width; j++)
            part[j] -= x * row[j];
    }
}

static void backward(const panel *p, double *part)
{
    for (uint32_t k = p->rows; k-- > 0;) {
        const double *row = p->at + k * (size_t)p->width;
        double sum = 0;
        for (uint32_t j = k + 1; j < p->width; j++)
            sum += row[j] * part[j];
        part[k] = (part[k] - sum) / row[k];
    }
}

void tl_cholesky_solve(tl_cholesky *c, double *vector)
{
    const uint32_t *place = words(&c->place);
    double *x = c->x.data, *part = x + 6 * (size_t)c->nodes;
    for (uint32_t i = 0; i < c->nodes; i++)
        memcpy(x + 6 * (size_t)place[i], vector + 6 * (size_t)i, 6 * sizeof *x);
    for (uint32_t s = 0; s < c->pieces; s++) {
        const panel p = panel_of(c, s);
        gather(&p, x, part);
        forward(&p, part);
        scatter(&p, part, x);
    }
    for (uint32_t s = c->pieces; s-- > 0;) {
        const panel p = panel_of(c, s);
        gather(&p, x, part);
        backward(&p, part);
        memcpy(x + 6 * (size_t)p.first, part, p.rows * sizeof *part);
    }
    for (uint32_t i = 0; i < c->nodes; i++)
        memcpy(vector + 6 * (size_t)i, x + 6 * (size_t)place[i], 6 * sizeof *x);
}
