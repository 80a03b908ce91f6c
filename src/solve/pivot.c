/* The contact problem of an island by pivots, from impulses that nearly solve it. With a pyramid of
 * friction a projected step is linear piece by piece, so that what it changes, R(p), is too, and
 *     R(p) = t R(p0)
 * is a path of straight pieces from p0 (t = 1) to a solution (t = 0). At the end of each piece one
 * row goes over to its next one. Where the determinant is negative t must grow before it falls
 * again, as in Lemke's method. */
#include "solve/reduced.h"

#include <math.h>
#include <string.h>

#define PROXIMAL 1e-8 /* what rows yield, so that those that share a load stay apart */
#define FAR      2    /* t that leads away */

/* Pieces of the projection: open, sticking, on side k of the polygon (SIDE + k), at its corner k
 * (CORNER + k; of a row with one tangent, 0 is the positive end and 1 the other). */
enum { OPEN, STICKS, SIDE, CORNER = SIDE + TL_POLYGON_MOST, NONE = CORNER + TL_POLYGON_MOST };

typedef struct pivot_row {
    double y[3], dy[3]; /* what is projected, p - r u, and its change */
    double off[3];      /* R(p0) */
    double dp[3];
    double radius; /* of friction over the normal impulse; 0: none */
    uint64_t piece;
} pivot_row;

/* The next end of a piece, and the row and piece that it leads to; `not` is none. */
typedef struct way {
    double far;
    uint32_t row;
    uint64_t piece, not ;
} way;

static double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* Along side k, from corner k to corner k + 1. */
static double along_side(const tl_polygon *p, uint32_t k, const double x[2])
{
    return p->normal[k][0] * x[1] - p->normal[k][1] * x[0];
}

/* The piece that x, the friction, is in where the normal impulse allows this radius. */
static uint64_t friction_piece(const tl_polygon *p, uint32_t tangents, double radius,
                               const double x[2])
{
    if (tangents == 1)
        return fabs(x[0]) <= radius ? STICKS : x[0] > 0 ? CORNER : CORNER + 1;
    const uint32_t k = tl_polygon_side(p, x);
    if (dot2(p->normal[k], x) <= radius * p->near)
        return STICKS;
    const double t = along_side(p, k, x), end = radius * p->half;
    return t > end ? CORNER + (k + 1) % p->sides : t < -end ? CORNER + k : SIDE + k;
}

static uint64_t piece_of(const tl_reduced *s, uint32_t i, const pivot_row *own)
{
    if (!(own->y[0] > 0) || !(s->row[i].step[0] > 0))
        return OPEN;
    if (!(own->radius > 0))
        return STICKS;
    return friction_piece(&s->polygon, s->island->row[i].tangents, own->radius * own->y[0],
                          own->y + 1);
}

/* The projection is linear in its piece: this matrix. */
static void matrix_of(const tl_reduced *s, uint32_t i, const pivot_row *own, double m[3][3])
{
    const tl_polygon *p = &s->polygon;
    const bool line = s->island->row[i].tangents == 1;
    memset(m, 0, 9 * sizeof(double));
    m[0][0] = own->piece != OPEN;
    if (own->piece == OPEN || !(own->radius > 0))
        return;
    for (int a = 0; a < 2; a++)
        if (own->piece == STICKS) {
            m[1 + a][1 + a] = !line || !a;
        } else if (own->piece >= CORNER) {
            const size_t k = own->piece - CORNER;
            m[1 + a][0] = own->radius * (!line ? p->corner[k][a] : a ? 0 : k ? -1 : 1);
        } else {
            const double *n = p->normal[own->piece - SIDE], t[2] = {-n[1], n[0]};
            m[1 + a][0] = own->radius * p->near * n[a];
            m[1 + a][1] = t[a] * t[0];
            m[1 + a][2] = t[a] * t[1];
        }
}

/* Notes where `value`, which must stay above 0, comes to its end first. */
static void look(way *w, uint32_t row, double value, double change, uint64_t piece)
{
    const double far = change < 0 ? fmax(value, 0) / -change : INFINITY;
    if (far < w->far && piece != w->not )
        *w = (way){far, row, piece, w->not };
}

/* The ends of a row's friction: r and dr, the radius and its change. */
static void look_friction(const tl_polygon *p, uint32_t i, const pivot_row *own, bool line, way *w)
{
    const double r = own->radius * own->y[0], dr = own->radius * own->dy[0];
    const double *x = own->y + 1, *d = own->dy + 1;
    if (line) {
        const double sign = own->piece == CORNER + 1 ? -1 : 1;
        if (own->piece == STICKS) {
            look(w, i, r - x[0], dr - d[0], CORNER);
            look(w, i, r + x[0], dr + d[0], CORNER + 1);
        } else {
            look(w, i, sign * x[0] - r, sign * d[0] - dr, STICKS);
        }
    } else if (own->piece == STICKS) {
        for (uint32_t k = 0; k < p->sides; k++)
            look(w, i, r * p->near - dot2(p->normal[k], x), dr * p->near - dot2(p->normal[k], d),
                 SIDE + k);
    } else if (own->piece >= CORNER) {
        const uint32_t k = (uint32_t)(own->piece - CORNER), last = (k + p->sides - 1) % p->sides;
        look(w, i, -along_side(p, k, x) - r * p->half, -along_side(p, k, d) - dr * p->half,
             SIDE + k);
        look(w, i, along_side(p, last, x) - r * p->half, along_side(p, last, d) - dr * p->half,
             SIDE + last);
    } else {
        const uint32_t k = (uint32_t)(own->piece - SIDE);
        const double t = along_side(p, k, x), dt = along_side(p, k, d);
        look(w, i, dot2(p->normal[k], x) - r * p->near, dot2(p->normal[k], d) - dr * p->near,
             STICKS);
        look(w, i, r * p->half - t, dr * p->half - dt, CORNER + (k + 1) % p->sides);
        look(w, i, r * p->half + t, dr * p->half + dt, CORNER + k);
    }
}

/* Where a row's piece ends. */
static void look_row(const tl_reduced *s, uint32_t i, const pivot_row *own, way *w)
{
    const tl_island_row *row = &s->island->row[i];
    if (own->piece != OPEN) {
        look(w, i, own->y[0], own->dy[0], OPEN);
        if (own->radius > 0)
            look_friction(&s->polygon, i, own, row->tangents == 1, w);
        return;
    }
    const double far = own->dy[0] > 0 ? fmax(-own->y[0], 0) / own->dy[0] : 0;
    const double x[2] = {own->y[1] + far * own->dy[1], own->y[2] + far * own->dy[2]};
    look(w, i, -own->y[0], -own->dy[0],
         own->radius > 0 ? friction_piece(&s->polygon, row->tangents, 0, x) : STICKS);
}

/* A row's part of the linear problem, with R(p0) as what is to go. */
static void shape(const tl_reduced *s, uint32_t i, const pivot_row *own)
{
    double p[3][3];
    matrix_of(s, i, own, p);
    tl_reduced_eliminate(&s->row[i], (const double(*)[3])p, PROXIMAL, own->off);
}

/* The changes of impulses, and where the first piece ends; one that a row has just come from does
 * not. */
static way direct(const tl_reduced *s, pivot_row *rows, double sign, const way *last)
{
    way next = {INFINITY, 0, OPEN, NONE};
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_reduced_row *r = &s->row[i];
        pivot_row *own = &rows[i];
        double du[3];
        tl_reduced_seen(s, i, du);
        for (int k = 0; k < 3; k++)
            own->dp[k] = -sign * (r->f[k] + tl_dot(r->k[k], du));
        for (int k = 0; k < 3; k++)
            own->dy[k] = own->dp[k] - sign * r->step[k > 0] * du[k];
        next.not = last->row == i ? last->piece : NONE;
        if (r->step[0] > 0)
            look_row(s, i, own, &next);
    }
    return next;
}

static void begin(const tl_reduced *s, pivot_row *rows)
{
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        const tl_reduced_row *r = &s->row[i];
        pivot_row *own = &rows[i];
        double u[3], p[3][3];
        tl_island_relative(s->island, row, u);
        own->radius = r->step[1] > 0 ? row->friction : 0;
        for (int k = 0; k < 3; k++)
            own->y[k] = row->p[k] - r->step[k > 0] * u[k];
        own->piece = piece_of(s, i, own);
        matrix_of(s, i, own, p);
        for (int k = 0; k < 3; k++)
            own->off[k] = k && !(own->radius > 0) ? 0 : row->p[k] - tl_dot(p[k], own->y);
        shape(s, i, own);
    }
}

tl_status tl_reduced_pivot(tl_island_room *room, tl_reduced *s, uint32_t most, uint32_t *steps)
{
    const size_t rows = s->island->rows;
    TL_TRY(tl_array_resize(&room->pivots, rows * (sizeof(pivot_row) / sizeof(double))));
    pivot_row *row = room->pivots.data;
    way last = {INFINITY, UINT32_MAX, OPEN, NONE};
    double t = 1;
    begin(s, row);
    for (uint32_t step = 0; step < most && t > 0 && t < FAR; step++) {
        bool regular;
        TL_TRY(tl_reduced_factor(s, &regular));
        ++*steps;
        if (!regular)
            break;
        const double sign = tl_sparse_sign(s->matrix);
        tl_reduced_solve(s);
        const way next = direct(s, row, sign, &last);
        const bool ends = sign > 0 && next.far >= t;
        const double far = ends ? t : next.far;
        if (!(far < INFINITY))
            break;
        for (size_t i = 0; i < rows; i++)
            for (int k = 0; k < 3; k++) {
                s->island->row[i].p[k] += far * row[i].dp[k];
                row[i].y[k] += far * row[i].dy[k];
            }
        t = ends ? 0 : t - sign * far;
        last = (way){far, next.row, row[next.row].piece, NONE};
        if (!ends) {
            row[next.row].piece = next.piece;
            shape(s, next.row, &row[next.row]);
        }
    }
    tl_island_velocities(s->island);
    return TL_OK;
}
