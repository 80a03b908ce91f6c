/* A semismooth Newton method for the contact problem of a large island. What is solved is that a
 * projected step changes nothing, row by row:
 *     p_n = max(p_n - r u_n, 0),   p_t = the projection of p_t - r u_t onto mu p_n times the
 * pyramid's polygon, or the disc; one form for both laws, where the Fischer-Burmeister function of
 * the pyramid's complementarity problem would have ten unknowns per row. A small part of the
 * identity keeps rows that share a load apart (a proximal step). It begins from the impulses that
 * rows have, the last step's as a rule, and where it leads near to a solution pivots do the rest
 * (pivot.c); else it follows the central path (path.c), from whose end it goes on. */
#include "solve/reduced.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SWEEPS   20u /* of projected Gauss-Seidel, where a step of Newton's does not help */
#define ROUNDS   20u /* steps of Newton's */
#define GAIN     0.8 /* what sweeps must leave at most, or they end */
#define PROXIMAL 1e-8
#define CARE     3u   /* times that the central path is followed, with more care each time */
#define CLOSE    2e-6 /* m/s: residuals that pivots begin from */
#define PIVOTS   200u
#define STARTS   6u /* times that pivots begin, with sweeps between, as long as both help */

void tl_reduced_target(const tl_reduced *s, uint32_t i, double out[3], double by[3][3])
{
    const tl_island_row *row = &s->island->row[i];
    const tl_reduced_row *r = &s->row[i];
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
        tl_project_friction(x, row->friction * out[0], &s->polygon, row->tangents);
    for (int k = 0; k < 2; k++) {
        out[1 + k] = to.p[k];
        for (int l = 0; by && l < 2; l++)
            by[1 + k][1 + l] = to.by_x[k][l];
        if (by)
            by[1 + k][0] = closed ? row->friction * to.by_radius[k] : 0;
    }
}

static void sweep(tl_reduced *s, uint32_t times)
{
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < s->island->rows; i++) {
            tl_island_row *row = &s->island->row[i];
            double to[3], change[3];
            tl_reduced_target(s, i, to, NULL);
            for (int k = 0; k < 3; k++) {
                change[k] = to[k] - row->p[k];
                row->p[k] = to[k];
            }
            tl_reduced_push(s, i, change);
        }
    tl_island_velocities(s->island); /* without what sweeps have rounded */
}

double tl_reduced_residual(const tl_reduced *s, double *sum)
{
    double worst = 0;
    *sum = 0;
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        const tl_reduced_row *r = &s->row[i];
        double to[3], square = 0;
        tl_reduced_target(s, i, to, NULL);
        for (int k = 0; k < 3; k++) {
            const double step = r->step[k > 0];
            const double off = step > 0 ? (row->p[k] - to[k]) / step : 0;
            const double hidden = step > 0 ? DBL_EPSILON * row->p[k] / step : 0; /* by rounding */
            square += off * off + hidden * hidden;
        }
        *sum += square;
        worst = fmax(worst, sqrt(square));
        if (square != square)
            return INFINITY;
    }
    return worst;
}

static void eliminate(tl_reduced *s, uint32_t i)
{
    const tl_island_row *row = &s->island->row[i];
    double to[3], by[3][3], off[3];
    tl_reduced_target(s, i, to, by);
    for (int k = 0; k < 3; k++)
        off[k] = row->p[k] - to[k];
    tl_reduced_eliminate(&s->row[i], (const double(*)[3])by, PROXIMAL, off);
}

/* Moves impulses by a part of the step. */
static void move(tl_reduced *s, double part)
{
    for (uint32_t i = 0; i < s->island->rows; i++) {
        tl_island_row *row = &s->island->row[i];
        const tl_reduced_row *r = &s->row[i];
        double u[3];
        tl_reduced_seen(s, i, u);
        for (int k = 0; k < 3; k++)
            row->p[k] -= part * (r->f[k] + tl_dot(r->k[k], u));
    }
    tl_island_velocities(s->island);
}

/* One step of Newton's, shortened until it helps; *helped: false, with impulses as they were, where
 * it does not. */
static tl_status newton(tl_reduced *s, double *worst, double *sum, bool *helped)
{
    *helped = false;
    for (uint32_t i = 0; i < s->island->rows; i++)
        eliminate(s, i);
    bool regular;
    TL_TRY(tl_reduced_factor(s, &regular));
    if (!regular)
        return TL_OK;
    tl_reduced_solve(s);
    double gone = 0;
    for (double part = 1; part > 0.06; part *= 0.5) {
        double left;
        move(s, part - gone);
        gone = part;
        const double most = tl_reduced_residual(s, &left);
        if (left < 0.9 * *sum || most < 0.9 * *worst) {
            *sum = left;
            *worst = most;
            *helped = true;
            return TL_OK;
        }
    }
    move(s, -gone);
    return TL_OK;
}

/* Steps of Newton's from where impulses are; after one that does not help, sweeps, which must. */
static tl_status polish(tl_reduced *s, double tolerance, uint32_t sweeps, double *worst,
                        uint32_t *steps)
{
    double sum, last = INFINITY;
    *worst = tl_reduced_residual(s, &sum);
    for (uint32_t round = 0; round<ROUNDS && * worst> tolerance; round++) {
        bool helped;
        TL_TRY(newton(s, worst, &sum, &helped));
        ++*steps;
        if (helped)
            continue;
        if (*worst > GAIN * last)
            break;
        last = *worst;
        sweep(s, sweeps);
        *worst = tl_reduced_residual(s, &sum);
    }
    return TL_OK;
}

/* Whether friction has corners only, as pivots need it. */
static bool has_pieces(const tl_island *island)
{
    for (uint32_t i = 0; i < island->rows && !island->directions; i++)
        if (island->row[i].friction > 0 && island->row[i].tangents == 2)
            return false;
    return true;
}

tl_status tl_reduced_finish(tl_island_room *room, tl_reduced *s, double tolerance, double *worst,
                            uint32_t *steps)
{
    double best, sum;
    TL_TRY(polish(s, tolerance, 5 * SWEEPS, &best, steps));
    TL_TRY(tl_array_resize(&room->tried, 3 * (size_t)s->island->rows));
    tl_island_keep(s->island, room->tried.data);
    bool goes_on = has_pieces(s->island);
    for (uint32_t start = 0; start < STARTS && goes_on && best > tolerance; start++) {
        if (start)
            sweep(s, 5 * SWEEPS);
        if (!(tl_reduced_residual(s, &sum) < CLOSE))
            break;
        TL_TRY(tl_reduced_pivot(room, s, PIVOTS, steps));
        const double after = tl_reduced_residual(s, &sum);
        goes_on = !start || after < GAIN * best;
        if (after < best) {
            best = after;
            tl_island_keep(s->island, room->tried.data);
        }
    }
    tl_island_restore(s->island, room->tried.data);
    *worst = best;
    return TL_OK;
}

tl_status tl_island_newton(tl_island_room *room, tl_island *island, double tolerance, bool rough,
                           tl_island_result *result)
{
    tl_reduced s;
    double best, sum;
    *result = (tl_island_result){.size = tl_island_size(island)};
    TL_TRY(tl_reduced_make(room, island, &s));
    TL_TRY(tl_array_resize(&room->best, 3 * (size_t)island->rows));
    TL_TRY(tl_array_resize(&room->kept, 3 * (size_t)island->rows));
    tl_island_velocities(island);
    if (rough)
        TL_TRY(polish(&s, tolerance, SWEEPS, &best, &result->iterations));
    else
        TL_TRY(tl_reduced_finish(room, &s, tolerance, &best, &result->iterations));
    for (uint32_t care = 0; care <= (rough ? 0 : CARE) && best > tolerance; care++) {
        tl_island_keep(island, room->kept.data);
        TL_TRY(tl_reduced_follow(room, &s, care, tolerance, &result->iterations));
        double worst = tl_reduced_residual(&s, &sum);
        if (worst > tolerance && !rough)
            TL_TRY(tl_reduced_finish(room, &s, tolerance, &worst, &result->iterations));
        if (worst < best)
            best = worst;
        else
            tl_island_restore(island, room->kept.data);
    }
    result->residual = best;
    result->solved = best <= tolerance;
    return TL_OK;
}
