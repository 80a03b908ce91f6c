/* A semismooth Newton method for the contact problem of a large island. What is solved is that a
 * projected step changes nothing, row by row:
 *     p_n = max(p_n - r u_n, 0),   p_t = the projection of p_t - r u_t onto mu p_n times the
 * pyramid's polygon, or the disc; one form for both laws, where the Fischer-Burmeister function of
 * the pyramid's complementarity problem would have ten unknowns per row. The impulses are
 * eliminated row by row, which leaves the velocities of bodies: a band matrix in a good order of
 * these. A small part of the identity keeps rows that share a load apart (a proximal step). Sweeps
 * of projected Gauss-Seidel come first, and where a step of Newton's does not help. */
#include "solve/island.h"

#include <math.h>
#include <string.h>

#define SWEEPS_FIRST   60u
#define SWEEPS_BETWEEN 40u
#define ROUNDS         120u
#define PROXIMAL       1e-7

/* What is kept of a row. */
typedef struct kept {
    double change_a[3][6], change_b[3][6]; /* of the bodies, by a unit impulse along each axis */
    double j_a[3][6], j_b[3][6];           /* what the velocities of bodies add to the row's */
    double step[2];                        /* mass along the normal and the tangents */
    double k[3][3], f[3];                  /* of this step of Newton's */
} kept;

typedef struct state {
    tl_island *island;
    kept *row;
    uint32_t n, half; /* numbers of bodies; of the band beside the diagonal */
    const uint32_t *place;
    double *band, *x;
} state;

static void jacobian(const double axis[3], const double arm[3], double sign, double j[6])
{
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        j[k] = sign * axis[k];
        j[3 + k] = sign * (arm[l] * axis[m] - arm[m] * axis[l]);
    }
}

static double along(const double j[6], const double v[6])
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += j[k] * v[k];
    return sum;
}

static void keep_rows(state *s)
{
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        kept *r = &s->row[i];
        memset(r, 0, sizeof *r);
        double own[3];
        for (int k = 0; k < 3; k++) {
            tl_island_response(s->island, row, row->axis[k], r->change_a[k], r->change_b[k]);
            if (row->a != TL_STILL)
                jacobian(row->axis[k], row->arm_a, -1, r->j_a[k]);
            if (row->b != TL_STILL)
                jacobian(row->axis[k], row->arm_b, 1, r->j_b[k]);
            own[k] = along(r->j_a[k], r->change_a[k]) + along(r->j_b[k], r->change_b[k]);
        }
        r->step[0] = own[0] > 0 ? 1 / own[0] : 0;
        const double most = fmax(own[1], own[2]);
        r->step[1] = most > 0 ? 1 / most : 0;
    }
}

static void add_impulse(const state *s, uint32_t i, const double change[3])
{
    const tl_island_row *row = &s->island->row[i];
    const kept *r = &s->row[i];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 6; l++) {
            if (row->a != TL_STILL)
                s->island->body[row->a].vel[l] += change[k] * r->change_a[k][l];
            if (row->b != TL_STILL)
                s->island->body[row->b].vel[l] += change[k] * r->change_b[k][l];
        }
}

/* Where a projected step would take a row; with the derivatives where `by` is wanted. */
static void target(const state *s, uint32_t i, double out[3], double by[3][3])
{
    const tl_island_row *row = &s->island->row[i];
    const kept *r = &s->row[i];
    double u[3];
    tl_island_relative(s->island, row, u);
    const double normal = row->p[0] - r->step[0] * u[0];
    const bool closed = normal > 0 && r->step[0] > 0;
    out[0] = closed ? normal : 0;
    out[1] = out[2] = 0;
    if (by) {
        memset(by, 0, 9 * sizeof(double));
        by[0][0] = closed;
    }
    if (!(row->friction > 0) || !(r->step[1] > 0))
        return;
    const double x[2] = {row->p[1] - r->step[1] * u[1], row->p[2] - r->step[1] * u[2]};
    const tl_projected to =
        tl_project_friction(x, row->friction * out[0], s->island->directions, row->tangents);
    for (int k = 0; k < 2; k++) {
        out[1 + k] = to.p[k];
        for (int l = 0; by && l < 2; l++)
            by[1 + k][1 + l] = to.by_x[k][l];
        if (by)
            by[1 + k][0] = closed ? row->friction * to.by_radius[k] : 0;
    }
}

static void sweep(state *s, uint32_t times)
{
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < s->island->rows; i++) {
            tl_island_row *row = &s->island->row[i];
            double to[3], change[3];
            target(s, i, to, NULL);
            for (int k = 0; k < 3; k++) {
                change[k] = to[k] - row->p[k];
                row->p[k] = to[k];
            }
            add_impulse(s, i, change);
        }
    tl_island_velocities(s->island); /* without what sweeps have rounded */
}

/* The largest residual, and the sum of squares that steps must make smaller. */
static double residual(const state *s, double *sum)
{
    double worst = 0;
    *sum = 0;
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        const kept *r = &s->row[i];
        double to[3], square = 0;
        target(s, i, to, NULL);
        for (int k = 0; k < 3; k++) {
            const double step = r->step[k > 0];
            const double off = step > 0 ? (row->p[k] - to[k]) / step : 0;
            square += off * off;
        }
        *sum += square;
        worst = fmax(worst, sqrt(square));
        if (square != square)
            return INFINITY;
    }
    return worst;
}

/* (1 + PROXIMAL - P)^-1 of a row: applied to P times the steps, and to what is off. */
static void eliminate(state *s, uint32_t i)
{
    const tl_island_row *row = &s->island->row[i];
    kept *r = &s->row[i];
    double to[3], p[3][3], m[9], column[3];
    target(s, i, to, p);
    for (int c = 0; c < 4; c++) {
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 3; l++)
                m[3 * k + l] = (k == l) * (1 + PROXIMAL) - p[k][l];
            column[k] = c < 3 ? p[k][c] * r->step[c > 0] : row->p[k] - to[k];
        }
        if (!tl_dense_solve(3, m, column))
            memset(column, 0, sizeof column);
        for (int k = 0; k < 3; k++)
            *(c < 3 ? &r->k[k][c] : &r->f[k]) = column[k];
    }
}

static double *band_at(const state *s, uint32_t i, uint32_t j)
{
    return s->band + (size_t)i * (2 * s->half + 1) + (s->half + j - i);
}

/* Adds what a row does to the matrix: the change of one body by the velocities of another. */
static void add_block(const state *s, uint32_t to, uint32_t from, double change[3][6],
                      const kept *r, double j[3][6])
{
    const uint32_t at = 6 * s->place[to], by = 6 * s->place[from];
    double kj[3][6] = {{0}};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int c = 0; c < 6; c++)
                kj[k][c] += r->k[k][l] * j[l][c];
    for (uint32_t a = 0; a < 6; a++)
        for (uint32_t c = 0; c < 6; c++)
            *band_at(s, at + a, by + c) +=
                change[0][a] * kj[0][c] + change[1][a] * kj[1][c] + change[2][a] * kj[2][c];
}

static void assemble(state *s)
{
    memset(s->band, 0, (size_t)s->n * (2 * s->half + 1) * sizeof *s->band);
    memset(s->x, 0, s->n * sizeof *s->x);
    for (uint32_t i = 0; i < s->n; i++)
        *band_at(s, i, i) = 1;
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        kept *r = &s->row[i];
        eliminate(s, i);
        const uint32_t body[2] = {row->a, row->b};
        double(*change[2])[6] = {r->change_a, r->change_b}, (*j[2])[6] = {r->j_a, r->j_b};
        for (int p = 0; p < 2; p++) {
            if (body[p] == TL_STILL)
                continue;
            double *x = s->x + 6 * (size_t)s->place[body[p]];
            for (int l = 0; l < 6; l++)
                for (int k = 0; k < 3; k++)
                    x[l] -= change[p][k][l] * r->f[k];
            for (int q = 0; q < 2; q++)
                if (body[q] != TL_STILL)
                    add_block(s, body[p], body[q], change[p], r, j[q]);
        }
    }
}

/* Elimination within the band, without pivots: the matrix is the identity and a product of positive
 * ones, but for friction. False where a pivot vanishes. */
static bool solve_band(state *s)
{
    const size_t width = 2 * (size_t)s->half + 1;
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t last = k + s->half < s->n ? k + s->half : s->n - 1;
        const double *pivot = band_at(s, k, k);
        if (!(fabs(*pivot) > 1e-300))
            return false;
        for (uint32_t i = k + 1; i <= last; i++) {
            double *row = s->band + i * width + (s->half + k - i);
            const double factor = row[0] / pivot[0];
            if (factor == 0)
                continue;
            const uint32_t count = last - k;
            for (uint32_t j = 1; j <= count; j++)
                row[j] -= factor * pivot[j];
            s->x[i] -= factor * s->x[k];
        }
    }
    for (uint32_t k = s->n; k-- > 0;) {
        const uint32_t last = k + s->half < s->n ? k + s->half : s->n - 1;
        const double *row = band_at(s, k, k);
        for (uint32_t j = 1; j <= last - k; j++)
            s->x[k] -= row[j] * s->x[k + j];
        s->x[k] /= row[0];
    }
    return true;
}

/* Moves impulses by a part of the step; `back` takes that part away. */
static void move(state *s, double part)
{
    for (uint32_t i = 0; i < s->island->rows; i++) {
        tl_island_row *row = &s->island->row[i];
        const kept *r = &s->row[i];
        double u[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            if (row->a != TL_STILL)
                u[k] += along(r->j_a[k], s->x + 6 * (size_t)s->place[row->a]);
            if (row->b != TL_STILL)
                u[k] += along(r->j_b[k], s->x + 6 * (size_t)s->place[row->b]);
        }
        for (int k = 0; k < 3; k++)
            row->p[k] -=
                part * (r->f[k] + r->k[k][0] * u[0] + r->k[k][1] * u[1] + r->k[k][2] * u[2]);
    }
    tl_island_velocities(s->island);
}

/* One step of Newton's, shortened until it helps. False, with impulses as they were, where it does
 * not. */
static bool newton(state *s, double *worst, double *sum)
{
    assemble(s);
    if (!solve_band(s))
        return false;
    double gone = 0;
    for (double part = 1; part > 0.06; part *= 0.5) {
        double left, most;
        move(s, part - gone);
        gone = part;
        most = residual(s, &left);
        if (left < 0.95 * *sum || most < 0.95 * *worst) {
            *sum = left;
            *worst = most;
            return true;
        }
    }
    move(s, -gone);
    return false;
}

/* The order of bodies and the band that it leaves. */
static tl_status order_bodies(tl_island_room *room, state *s)
{
    const tl_island *island = s->island;
    uint32_t edge[2];
    room->edges.count = 0;
    for (uint32_t i = 0; i < island->rows; i++) {
        edge[0] = island->row[i].a;
        edge[1] = island->row[i].b;
        if (edge[0] != TL_STILL && edge[1] != TL_STILL)
            TL_TRY(tl_array_append(&room->edges, edge, 1));
    }
    const uint32_t(*edges)[2] = room->edges.data;
    tl_profile_free(&room->order); /* that of the last island */
    TL_TRY(tl_profile_make(&room->order, island->bodies, edges, room->edges.count));
    s->place = room->order.place.data;
    uint32_t most = 0;
    for (size_t i = 0; i < room->edges.count; i++) {
        const uint32_t a = s->place[edges[i][0]], b = s->place[edges[i][1]];
        const uint32_t apart = a > b ? a - b : b - a;
        most = apart > most ? apart : most;
    }
    s->n = 6 * island->bodies;
    s->half = 6 * most + 5;
    s->half = s->half < s->n ? s->half : s->n - 1;
    TL_TRY(tl_array_resize(&room->matrix, (size_t)s->n * (2 * s->half + 1)));
    TL_TRY(tl_array_resize(&room->numbers, s->n));
    s->band = room->matrix.data;
    s->x = room->numbers.data;
    return TL_OK;
}

tl_status tl_island_newton(tl_island_room *room, tl_island *island, double tolerance,
                           tl_island_result *result)
{
    state s = {.island = island};
    double sum, worst;
    *result = (tl_island_result){.size = tl_island_size(island)};
    TL_TRY(order_bodies(room, &s));
    TL_TRY(tl_array_resize(&room->blocks, island->rows * (sizeof(kept) / sizeof(double))));
    s.row = room->blocks.data;
    keep_rows(&s);
    tl_island_velocities(island);
    worst = residual(&s, &sum);
    if (worst > tolerance) {
        sweep(&s, SWEEPS_FIRST);
        worst = residual(&s, &sum);
    }
    uint32_t round = 0;
    for (; round < ROUNDS && worst > tolerance; round++)
        if (!newton(&s, &worst, &sum)) {
            sweep(&s, SWEEPS_BETWEEN);
            worst = residual(&s, &sum);
        }
    result->iterations = round;
    result->residual = worst;
    result->solved = worst <= tolerance;
    return TL_OK;
}
