/* The rows of an island's present choice of facets, where their impulses begin, and which method
 * solves them. */
#include "step/exact_rows.h"

#include <math.h>
#include <string.h>

#define ROUGH 1e-6 /* m/s: the residual of a large island that is only looked at */
#define ALIKE 0.9  /* the cosine of normals that are those of one facet, a step later */

/* The velocity of a body that rows do not move, at a point. */
static void still_velocity(const tl_solving *s, uint32_t body, const double anchor[3], double v[3])
{
    const double *vel = (const double *)s->exact->vel.data + 6 * (size_t)body;
    tl_cross(vel + 3, anchor, v);
    for (int k = 0; k < 3; k++)
        v[k] += vel[k];
}

/* The row of a point of a facet. */
static tl_island_row row_of(const tl_solving *s, const tl_group *g, const tl_facet *f,
                            const tl_facet_point *point)
{
    const uint32_t *local = s->exact->local.data;
    const uint32_t dynamic = s->world->dynamic;
    const double *xa = (const double *)s->exact->pos.data + 4 * (size_t)g->body_a;
    const double *xb = (const double *)s->exact->pos.data + 4 * (size_t)g->body_b;
    tl_island_row row = {.a = g->body_a < dynamic ? local[g->body_a] : TL_STILL,
                         .b = g->body_b < dynamic ? local[g->body_b] : TL_STILL,
                         .tangents = s->law->planar ? 1 : 2,
                         .friction = g->friction};
    double still[3] = {g->slide[0], g->slide[1], g->slide[2]}, v[3];
    memcpy(row.axis[0], f->n, sizeof f->n);
    tl_exact_tangents(s, g, f->n, row.axis[1], row.axis[2]);
    for (int k = 0; k < 3; k++) {
        row.anchor_a[k] = point->x[k] - xa[k];
        row.anchor_b[k] = point->x[k] - xb[k];
    }
    row.slide[0] = tl_dot(row.axis[1], still);
    row.slide[1] = tl_dot(row.axis[2], still);
    row.bias = point->gap / s->law->h;
    for (int side = 0; side < 2; side++) {
        if ((side ? row.b : row.a) != TL_STILL)
            continue;
        still_velocity(s, side ? g->body_b : g->body_a, side ? row.anchor_b : row.anchor_a, v);
        const double sign = side ? 1 : -1;
        row.bias += sign * tl_dot(row.axis[0], v);
        row.slide[0] += sign * tl_dot(row.axis[1], v);
        row.slide[1] += sign * tl_dot(row.axis[2], v);
    }
    return row;
}

double tl_solving_opening(const tl_solving *s, const tl_group *g, const tl_facet *f)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < f->points; i++) {
        double u[3];
        const tl_island_row row = row_of(s, g, f, point_at(s, f->first + i));
        tl_island_relative(&s->island, &row, u);
        least = fmin(least, u[0]);
    }
    return least;
}

/* What point `i` of a facet carried in the last step: the i-th of as many points, or a share of
 * all, that looked the same way. */
static void last_impulse(const tl_solving *s, const tl_group *g, const tl_facet *f, uint32_t i,
                         double p[3])
{
    const tl_exact *e = s->exact;
    const uint32_t *start = e->last_start.data, *b = e->last_b.data;
    const double *n = e->last_n.data, *last = e->last_p.data;
    double sum[3] = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t c = start[g->a]; c < start[g->a + 1]; c++) {
        if (b[c] != g->b || tl_dot(n + 4 * (size_t)c, f->n) < ALIKE)
            continue;
        if (count++ == i)
            memcpy(p, last + 4 * (size_t)c, 3 * sizeof *p);
        for (size_t k = 0; k < 3; k++)
            sum[k] += last[4 * (size_t)c + k];
    }
    for (int k = 0; k < 3 && count != f->points; k++)
        p[k] = sum[k] / f->points;
}

static tl_status add_rows(tl_solving *s, uint32_t group, const tl_facet *f, size_t *at)
{
    const tl_group *g = (const tl_group *)s->exact->groups.data + group;
    const tl_exact_row *known = s->lane->known.data;
    const size_t end = s->lane->known.count;
    while (*at < end && known[*at].group != group)
        ++*at;
    for (uint32_t i = 0; i < f->points; i++) {
        const tl_island_row row = row_of(s, g, f, point_at(s, f->first + i));
        tl_exact_row of = {.group = group, .point = f->first + i};
        size_t same = *at;
        while (same < end && known[same].group == group && known[same].point != of.point)
            same++;
        if (same < end && known[same].group == group)
            memcpy(of.p, known[same].p, sizeof of.p);
        else
            last_impulse(s, g, f, i, of.p);
        TL_TRY(tl_array_append(&s->lane->rows, &row, 1));
        TL_TRY(tl_array_append(&s->lane->row_of, &of, 1));
    }
    return TL_OK;
}

/* The other facets of a group, for eq. 16: each by its nearest point. */
static tl_status add_auxiliary(tl_solving *s, const tl_group *g, uint32_t first_row)
{
    const tl_facet *facets = facets_of(s, g);
    const uint32_t rows = (uint32_t)s->lane->rows.count;
    const uint32_t first = (uint32_t)s->lane->auxiliary.count;
    for (uint32_t j = 0; j < g->facets; j++) {
        uint32_t nearest = facets[j].first;
        if (j == g->choice)
            continue;
        for (uint32_t i = 0; i < facets[j].points; i++)
            if (point_at(s, facets[j].first + i)->gap < point_at(s, nearest)->gap)
                nearest = facets[j].first + i;
        const tl_island_row row = row_of(s, g, &facets[j], point_at(s, nearest));
        TL_TRY(tl_array_append(&s->lane->auxiliary, &row, 1));
    }
    const uint32_t count = (uint32_t)s->lane->auxiliary.count - first;
    for (uint32_t row = first_row; row < rows && count; row++) {
        const tl_island_widening wide = {row, first, count};
        TL_TRY(tl_array_append(&s->lane->widenings, &wide, 1));
    }
    return TL_OK;
}

/* The rows of the present choices. */
static tl_status make_rows(tl_solving *s, size_t first)
{
    tl_exact_lane *l = s->lane;
    size_t at = 0;
    l->known.count = 0;
    TL_TRY(tl_array_append(&l->known, (const tl_exact_row *)l->row_of.data + first,
                           l->row_of.count - first));
    l->rows.count = l->auxiliary.count = l->widenings.count = 0;
    l->row_of.count = first;
    for (uint32_t i = 0; i < s->groups; i++) {
        const tl_group *g = group_at(s, i);
        const tl_facet *facets = facets_of(s, g);
        const uint32_t begin = (uint32_t)l->rows.count;
        for (uint32_t j = 0; j < g->facets; j++)
            if ((s->law->all || j == g->choice) && !facets[j].quiet)
                TL_TRY(add_rows(s, s->order[i], &facets[j], &at));
        if (s->law->primary)
            TL_TRY(add_auxiliary(s, g, begin));
    }
    s->island.rows = (uint32_t)l->rows.count;
    s->island.row = l->rows.data;
    s->island.widenings = (uint32_t)l->widenings.count;
    s->island.widening = l->widenings.data;
    s->island.auxiliary = l->auxiliary.data;
    return TL_OK;
}

/* The problem of the present choices. */
static tl_status solve_choice(tl_solving *s, size_t first)
{
    TL_TRY(make_rows(s, first));
    const bool pyramid = s->law->directions || s->law->planar;
    bool frictionless = true;
    for (uint32_t i = 0; i < s->island.rows; i++)
        frictionless = frictionless && !(s->island.row[i].friction > 0);
    s->result = (tl_island_result){.solved = true};
    if (!s->island.rows) {
        tl_island_velocities(&s->island);
        return TL_OK;
    }
    const bool small = tl_island_size(&s->island) <= TL_LEMKE_MOST;
    if ((pyramid || frictionless) && (small || s->island.widenings))
        TL_TRY(tl_island_lemke(&s->lane->room, &s->island, &s->result));
    else
        s->result.solved = false;
    s->large = !s->result.solved && !s->island.widenings;
    if (!s->large)
        return TL_OK;
    const tl_exact_row *of = (const tl_exact_row *)s->lane->row_of.data + first;
    for (uint32_t i = 0; i < s->island.rows; i++)
        for (int k = 0; k < 3; k++) {
            const double *axis = s->island.row[i].axis[k];
            s->island.row[i].p[k] = tl_dot(of[i].p, axis) / tl_dot(axis, axis);
        }
    const double goal = s->rough ? fmax(ROUGH, s->law->tolerance) : s->law->tolerance;
    return tl_island_newton(&s->lane->room, &s->island, goal, s->rough, &s->result);
}

/* The impulses of rows in the world frame. */
static void keep_impulses(const tl_solving *s, size_t first)
{
    tl_exact_row *of = (tl_exact_row *)s->lane->row_of.data + first;
    for (uint32_t i = 0; i < s->island.rows; i++)
        for (int k = 0; k < 3; k++)
            of[i].p[k] = s->island.row[i].p[0] * s->island.row[i].axis[0][k] +
                         s->island.row[i].p[1] * s->island.row[i].axis[1][k] +
                         s->island.row[i].p[2] * s->island.row[i].axis[2][k];
}

tl_status tl_solving_solve(tl_solving *s, size_t first)
{
    TL_TRY(solve_choice(s, first));
    s->iterations += s->result.iterations;
    keep_impulses(s, first);
    return TL_OK;
}
