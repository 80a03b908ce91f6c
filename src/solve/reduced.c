/* The linear problem of an island's rows: reduced.h. */
#include "solve/reduced.h"

#include <string.h>

#define REFINED 2

static void jacobian(const double axis[3], const double anchor[3], double sign, double j[6])
{
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        j[k] = sign * axis[k];
        j[3 + k] = sign * (anchor[l] * axis[m] - anchor[m] * axis[l]);
    }
}

static double along(const double j[6], const double v[6])
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += j[k] * v[k];
    return sum;
}

static void keep_rows(tl_reduced *s)
{
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        tl_reduced_row *r = &s->row[i];
        memset(r, 0, sizeof *r);
        double own[3];
        for (int k = 0; k < 3; k++) {
            tl_island_response(s->island, row, row->axis[k], r->change_a[k], r->change_b[k]);
            if (row->a != TL_STILL)
                jacobian(row->axis[k], row->anchor_a, -1, r->j_a[k]);
            if (row->b != TL_STILL)
                jacobian(row->axis[k], row->anchor_b, 1, r->j_b[k]);
            own[k] = along(r->j_a[k], r->change_a[k]) + along(r->j_b[k], r->change_b[k]);
        }
        r->step[0] = own[0] > 0 ? 1 / own[0] : 0;
        const double most = row->tangents == 1 ? own[1] : fmax(own[1], own[2]);
        r->step[1] = most > 0 ? 1 / most : 0;
    }
}

tl_status tl_reduced_make(tl_island_room *room, tl_island *island, tl_reduced *s)
{
    uint32_t edge[2];
    room->edges.count = 0;
    for (uint32_t i = 0; i < island->rows; i++) {
        edge[0] = island->row[i].a;
        edge[1] = island->row[i].b;
        if (edge[0] != TL_STILL && edge[1] != TL_STILL)
            TL_TRY(tl_array_append(&room->edges, edge, 1));
    }
    TL_TRY(tl_sparse_make(&room->order, island->bodies, room->edges.data, room->edges.count));
    TL_TRY(tl_array_resize(&room->numbers, 12 * (size_t)island->bodies));
    TL_TRY(tl_array_resize(&room->blocks, island->rows * (sizeof *s->row / sizeof(double))));
    double *x = room->numbers.data;
    *s = (tl_reduced){.island = island,
                      .row = room->blocks.data,
                      .matrix = &room->order,
                      .x = x,
                      .left = x + 6 * (size_t)island->bodies};
    tl_polygon_make(&s->polygon, island->directions);
    keep_rows(s);
    return TL_OK;
}

void tl_reduced_eliminate(tl_reduced_row *row, const double by[3][3], double proximal,
                          const double off[3])
{
    double m[9], column[3];
    for (int c = 0; c < 4; c++) {
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 3; l++)
                m[3 * k + l] = (k == l) * (1 + proximal) - by[k][l];
            column[k] = c < 3 ? by[k][c] * row->step[c > 0] : off[k];
        }
        if (!tl_dense_solve(3, m, column))
            memset(column, 0, sizeof column);
        for (int k = 0; k < 3; k++)
            *(c < 3 ? &row->k[k][c] : &row->f[k]) = column[k];
    }
}

/* What the rows of a pair of bodies do: the change of each body by the velocities of each. */
typedef struct pair_block {
    double m[2][2][6][6];
} pair_block;

static void add_row(pair_block *sum, const tl_reduced_row *r, const uint32_t body[2])
{
    const double(*change[2])[6] = {r->change_a, r->change_b}, (*j[2])[6] = {r->j_a, r->j_b};
    for (int q = 0; q < 2; q++) {
        double kj[3][6] = {{0}};
        if (body[q] == TL_STILL)
            continue;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                for (int c = 0; c < 6; c++)
                    kj[k][c] += r->k[k][l] * j[q][l][c];
        for (int p = 0; p < 2; p++)
            for (int a = 0; a < 6 && body[p] != TL_STILL; a++)
                for (int c = 0; c < 6; c++)
                    sum->m[p][q][a][c] += change[p][0][a] * kj[0][c] + change[p][1][a] * kj[1][c] +
                                          change[p][2][a] * kj[2][c];
    }
}

tl_status tl_reduced_factor(tl_reduced *s, bool *regular)
{
    double unit[6][6] = {{0}};
    const tl_island_row *row = s->island->row;
    for (int k = 0; k < 6; k++)
        unit[k][k] = 1;
    TL_TRY(tl_sparse_clear(s->matrix));
    for (uint32_t i = 0; i < s->island->bodies; i++)
        tl_sparse_add(s->matrix, i, i, (const double(*)[6])unit);
    for (uint32_t i = 0, next; i < s->island->rows; i = next) {
        const uint32_t body[2] = {row[i].a, row[i].b};
        pair_block sum = {{{{{0}}}}};
        for (next = i; next < s->island->rows && row[next].a == body[0] && row[next].b == body[1];
             next++)
            if (s->row[next].k[0][0] != 0) /* else it is open */
                add_row(&sum, &s->row[next], body);
        for (int p = 0; p < 2; p++)
            for (int q = 0; q < 2; q++)
                if (body[p] != TL_STILL && body[q] != TL_STILL)
                    tl_sparse_add(s->matrix, body[p], body[q], (const double(*)[6])sum.m[p][q]);
    }
    *regular = tl_sparse_factor(s->matrix);
    return TL_OK;
}

/* Takes from `to` what impulses do to the velocities of a row's bodies. */
static void take_away(const tl_reduced *s, uint32_t i, const double p[3], double *to)
{
    const tl_island_row *row = &s->island->row[i];
    const tl_reduced_row *r = &s->row[i];
    for (int l = 0; l < 6; l++)
        for (int k = 0; k < 3; k++) {
            if (row->a != TL_STILL)
                to[6 * (size_t)row->a + (size_t)l] -= r->change_a[k][l] * p[k];
            if (row->b != TL_STILL)
                to[6 * (size_t)row->b + (size_t)l] -= r->change_b[k][l] * p[k];
        }
}

/* Once more for what the first solution left: stiff rows cost it half of its digits. */
void tl_reduced_solve(tl_reduced *s)
{
    const size_t count = 6 * (size_t)s->island->bodies;
    memset(s->x, 0, count * sizeof *s->x);
    for (int time = 0; time < REFINED; time++) {
        for (size_t k = 0; k < count; k++)
            s->left[k] = -s->x[k];
        for (uint32_t i = 0; i < s->island->rows; i++) {
            const tl_reduced_row *r = &s->row[i];
            double u[3] = {0, 0, 0}, p[3];
            if (time) /* before, nothing moves */
                tl_reduced_seen(s, i, u);
            for (int k = 0; k < 3; k++)
                p[k] = r->f[k] + tl_dot(r->k[k], u);
            take_away(s, i, p, s->left);
        }
        tl_sparse_solve(s->matrix, s->left);
        for (size_t k = 0; k < count; k++)
            s->x[k] += s->left[k];
    }
}

void tl_reduced_seen(const tl_reduced *s, uint32_t i, double u[3])
{
    const tl_island_row *row = &s->island->row[i];
    const tl_reduced_row *r = &s->row[i];
    for (int k = 0; k < 3; k++) {
        u[k] = 0;
        if (row->a != TL_STILL)
            u[k] += along(r->j_a[k], s->x + 6 * (size_t)row->a);
        if (row->b != TL_STILL)
            u[k] += along(r->j_b[k], s->x + 6 * (size_t)row->b);
    }
}

void tl_reduced_push(const tl_reduced *s, uint32_t i, const double change[3])
{
    const tl_island_row *row = &s->island->row[i];
    const tl_reduced_row *r = &s->row[i];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 6; l++) {
            if (row->a != TL_STILL)
                s->island->body[row->a].vel[l] += change[k] * r->change_a[k][l];
            if (row->b != TL_STILL)
                s->island->body[row->b].vel[l] += change[k] * r->change_b[k][l];
        }
}
