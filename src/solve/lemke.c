/* The complementarity problem of an island as a dense one, for Lemke's method:
 *     0 <= p_n _|_ w >= 0,  0 <= p_f _|_ G_f' v + E s >= 0,  0 <= s _|_ mu p_n - E' p_f >= 0
 * and, where a row is widened (eq. 16), 0 <= c_j _|_ w_1 - w_j + c_2 + .. + c_j >= 0 with the sum
 * of all c added to w_1. Impulses are counted in units of the mass that the row's normal meets, so
 * that all unknowns are speeds. */
#include "solve/island.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Directions of the friction of a row. */
static uint32_t directions_of(const tl_island *island, const tl_island_row *row)
{
    if (!(row->friction > 0))
        return 0;
    return row->tangents == 1 ? 2 : island->directions;
}

static uint32_t unknowns_of(const tl_island *island, const tl_island_row *row)
{
    const uint32_t directions = directions_of(island, row);
    return directions ? directions + 2 : 1;
}

uint32_t tl_island_size(const tl_island *island)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < island->rows; i++)
        size += unknowns_of(island, &island->row[i]);
    for (uint32_t i = 0; i < island->widenings; i++)
        size += island->widening[i].count;
    return size;
}

/* Direction k of `count`, along the tangents. */
static void direction(uint32_t count, uint32_t k, double d[2])
{
    const double angle = 2 * PI * k / count;
    d[0] = count == 2 ? (k ? -1 : 1) : cos(angle);
    d[1] = count == 2 ? 0 : sin(angle);
}

/* A scalar row of the velocities: 12 numbers over the bodies of a and b. */
typedef struct line {
    const tl_island_row *row;
    double axis[3];
    double offset; /* its velocity when bodies stand still */
} line;

static line line_of(const tl_island_row *row, const double along[3])
{
    line out = {.row = row,
                .offset =
                    along[0] * row->bias + along[1] * row->slide[0] + along[2] * row->slide[1]};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            out.axis[k] += along[l] * row->axis[l][k];
    return out;
}

/* The velocity of a line with the velocities of bodies changed from zero as `row` (the rows of
 * another line) changes them. */
static double seen_by(const line *l, const tl_island_row *other, const double change_a[6],
                      const double change_b[6])
{
    double sum = 0;
    const uint32_t body[2] = {l->row->a, l->row->b}, to[2] = {other->a, other->b};
    const double *anchor[2] = {l->row->anchor_a, l->row->anchor_b},
                 *change[2] = {change_a, change_b};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            if (body[i] == TL_STILL || body[i] != to[j])
                continue;
            const double *v = change[j], *r = anchor[i];
            const double point[3] = {v[0] + v[4] * r[2] - v[5] * r[1],
                                     v[1] + v[5] * r[0] - v[3] * r[2],
                                     v[2] + v[3] * r[1] - v[4] * r[0]};
            const double along =
                point[0] * l->axis[0] + point[1] * l->axis[1] + point[2] * l->axis[2];
            sum += i ? along : -along;
        }
    return sum;
}

static double free_velocity(const tl_island *island, const line *l)
{
    double a[6] = {0}, b[6] = {0};
    if (l->row->a != TL_STILL)
        memcpy(a, island->body[l->row->a].free, sizeof a);
    if (l->row->b != TL_STILL)
        memcpy(b, island->body[l->row->b].free, sizeof b);
    /* both bodies move at once: once as the first, once as the second of a row */
    double sum = l->offset;
    const tl_island_row only_a = {.a = l->row->a, .b = TL_STILL};
    const tl_island_row only_b = {.a = TL_STILL, .b = l->row->b};
    sum += seen_by(l, &only_a, a, b);
    sum += seen_by(l, &only_b, a, b);
    return sum;
}

/* The problem as it is put together. Lines are normals and directions of friction, in the order of
 * unknowns; `at` is where each stands. */
typedef struct assembly {
    tl_island *island;
    uint32_t size, lines;
    double *m, *q, *unit; /* unit: of a line's impulse */
    line *line;
    uint32_t *at, *start; /* start: the first unknown of each row */
} assembly;

static double *entry(const assembly *s, uint32_t i, uint32_t j)
{
    return s->m + (size_t)i * s->size + j;
}

static void lay_lines(assembly *s)
{
    static const double normal[3] = {1, 0, 0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        const uint32_t count = directions_of(s->island, row);
        double a[6], b[6];
        s->start[i] = at;
        line own = line_of(row, normal);
        tl_island_response(s->island, row, own.axis, a, b);
        const double mass = 1 / fmax(seen_by(&own, row, a, b), 1e-300);
        s->unit[s->lines] = mass;
        s->at[s->lines] = at++;
        s->line[s->lines++] = own;
        for (uint32_t k = 0; k < count; k++) {
            double d[2];
            direction(count, k, d);
            s->unit[s->lines] = mass;
            s->at[s->lines] = at++;
            s->line[s->lines++] = line_of(row, (double[3]){0, d[0], d[1]});
        }
        at += count > 0;
    }
}

static void fill_lines(assembly *s)
{
    for (uint32_t j = 0; j < s->lines; j++) {
        double a[6], b[6];
        const line *own = &s->line[j];
        tl_island_response(s->island, own->row, own->axis, a, b);
        for (uint32_t i = 0; i < s->lines; i++)
            *entry(s, s->at[i], s->at[j]) = s->unit[j] * seen_by(&s->line[i], own->row, a, b);
        s->q[s->at[j]] = free_velocity(s->island, own);
    }
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        const uint32_t count = directions_of(s->island, row), first = s->start[i];
        const uint32_t slip = first + count + 1;
        if (!count)
            continue;
        *entry(s, slip, first) = row->friction;
        for (uint32_t k = 1; k <= count; k++) {
            *entry(s, first + k, slip) = 1;
            *entry(s, slip, first + k) = -1;
        }
    }
}

/* Eq. 16: the rows of c, from `at` on. */
static void fill_widenings(assembly *s, uint32_t at)
{
    static const double normal[3] = {1, 0, 0};
    for (uint32_t i = 0; i < s->island->widenings; i++) {
        const tl_island_widening *w = &s->island->widening[i];
        const uint32_t own = s->start[w->row];
        for (uint32_t k = 0; k < w->count; k++) {
            const line other = line_of(&s->island->auxiliary[w->first + k], normal);
            for (uint32_t j = 0; j < s->lines; j++) {
                double a[6], b[6];
                tl_island_response(s->island, s->line[j].row, s->line[j].axis, a, b);
                *entry(s, at + k, s->at[j]) =
                    *entry(s, own, s->at[j]) - s->unit[j] * seen_by(&other, s->line[j].row, a, b);
            }
            s->q[at + k] = s->q[own] - free_velocity(s->island, &other);
            for (uint32_t l = 0; l <= k; l++)
                *entry(s, at + k, at + l) = 1;
        }
        at += w->count;
    }
    at = s->size;
    for (uint32_t i = s->island->widenings; i-- > 0;) { /* last, as the rows above read w_1 */
        const tl_island_widening *w = &s->island->widening[i];
        at -= w->count;
        for (uint32_t k = 0; k < w->count; k++)
            *entry(s, s->start[w->row], at + k) = 1;
    }
}

static void read_impulses(const assembly *s, const double *z)
{
    for (uint32_t i = 0; i < s->island->rows; i++)
        memset(s->island->row[i].p, 0, sizeof s->island->row[i].p);
    for (uint32_t j = 0, k = 0; j < s->lines; j++) {
        const uint32_t row = (uint32_t)(s->line[j].row - s->island->row);
        double *p = s->island->row[row].p;
        const uint32_t count = directions_of(s->island, s->line[j].row);
        const double size = s->unit[j] * z[s->at[j]];
        if (s->at[j] == s->start[row]) {
            p[0] = size;
            k = 0;
            continue;
        }
        double d[2];
        direction(count, k++, d);
        p[1] += size * d[0];
        p[2] += size * d[1];
    }
}

tl_status tl_island_lemke(tl_island_room *room, tl_island *island, tl_island_result *result)
{
    const uint32_t size = tl_island_size(island);
    size_t lines = 0;
    tl_lcp found;
    *result = (tl_island_result){.size = size};
    for (uint32_t i = 0; i < island->rows; i++)
        lines += 1 + directions_of(island, &island->row[i]);
    TL_TRY(tl_array_resize(&room->matrix, (size_t)size * size));
    TL_TRY(tl_array_resize(&room->numbers, 2 * (size_t)size + lines));
    TL_TRY(tl_array_resize(&room->blocks, lines * (sizeof(line) / sizeof(double) + 1)));
    TL_TRY(tl_array_resize(&room->touched, lines + island->rows));
    double *z = (double *)room->numbers.data + size;
    assembly s = {.island = island,
                  .size = size,
                  .m = room->matrix.data,
                  .q = room->numbers.data,
                  .unit = z + size,
                  .line = room->blocks.data,
                  .at = room->touched.data,
                  .start = (uint32_t *)room->touched.data + lines};
    memset(s.m, 0, (size_t)size * size * sizeof *s.m);
    memset(s.q, 0, size * sizeof *s.q);
    lay_lines(&s);
    fill_lines(&s);
    if (island->widenings) {
        uint32_t auxiliary = 0;
        for (uint32_t i = 0; i < island->widenings; i++)
            auxiliary += island->widening[i].count;
        fill_widenings(&s, size - auxiliary);
    }
    TL_TRY(tl_lcp_lemke(&room->path, size, s.m, s.q, z, &found));
    read_impulses(&s, z);
    tl_island_velocities(island);
    result->ray = found.end == TL_LCP_RAY;
    result->solved = found.end == TL_LCP_SOLVED;
    result->iterations = found.pivots;
    result->residual = found.residual;
    return TL_OK;
}
