/* One island of an exact step: which facet of each group may push, the rows that follow from it,
 * and the complementarity problem. With Stewart-Trinkle every facet pushes at once. With PEG's full
 * form one facet of each group does, and it must be one on which the group ends the step: facets
 * are chosen, the problem is solved, and those that push although their group ends outside another
 * facet are chosen anew, until nothing changes. Small islands try all choices, and of several that
 * hold take the least change of velocity. */
#include "step/exact.h"

#include <math.h>
#include <string.h>

#define CHOICES  24u /* more than these are searched, not tried one after the other */
#define ROUNDS   12u
#define TURNS    3u   /* times that a group chooses anew: then it is held by its nearest facet */
#define ROUGH    1e-6 /* m/s: the residual of a large island that is only looked at */
#define SLACK    4e-6 /* m/s: how far outside of another facet a group of such an island may push */
#define FEW      6u   /* groups of an island whose choices are all tried */
#define ALIKE    0.9  /* the cosine of normals that are those of one facet, a step later */
#define UNSOLVED 1e-3 /* m/s: a residual that stops the run */
#define EASED    64u  /* groups of an island that is looked at for a lesser change of velocity */
#define ALONG    (1 - 1e-6) /* the cosine of normals that push alike */
#define ASKED    400u /* rows of a failed island that is asked whether it has a solution at all */

/* An island while it is solved. */
typedef struct solving {
    const tl_world *world;
    const tl_exact *exact;
    tl_exact_lane *lane;
    const tl_exact_law *law;
    const uint32_t *order; /* its groups */
    uint32_t groups;
    bool rough;          /* whether large islands are solved to look at them alone */
    bool large;          /* solved by iterations */
    uint32_t iterations; /* of all problems */
    tl_island island;
    tl_island_result result;
} solving;

static tl_group *group_at(const solving *s, uint32_t i)
{
    return (tl_group *)s->exact->groups.data + s->order[i];
}

static const tl_facet *facets_of(const solving *s, const tl_group *g)
{
    return (const tl_facet *)s->exact->facets.data + g->first;
}

static const tl_facet_point *point_at(const solving *s, uint32_t i)
{
    return (const tl_facet_point *)s->exact->points.data + i;
}

/* Two unit vectors across n; in a planar world the first is in the plane. */
static void tangents(const double n[3], bool planar, double t[3], double u[3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[least]))
        least = 2;
    tl_cross(planar ? axes[1] : axes[least], n, t);
    const double length = sqrt(tl_dot(t, t));
    for (int k = 0; k < 3; k++)
        t[k] /= length;
    tl_cross(n, t, u);
}

/* The velocity of a body that rows do not move, at a point. */
static void still_velocity(const solving *s, uint32_t body, const double arm[3], double v[3])
{
    const double *vel = (const double *)s->exact->vel.data + 6 * (size_t)body;
    tl_cross(vel + 3, arm, v);
    for (int k = 0; k < 3; k++)
        v[k] += vel[k];
}

/* The row of a point of a facet. */
static tl_island_row row_of(const solving *s, const tl_group *g, const tl_facet *f,
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
    tangents(f->n, s->law->planar, row.axis[1], row.axis[2]);
    for (int k = 0; k < 3; k++) {
        row.arm_a[k] = point->x[k] - xa[k];
        row.arm_b[k] = point->x[k] - xb[k];
    }
    row.slide[0] = tl_dot(row.axis[1], still);
    row.slide[1] = tl_dot(row.axis[2], still);
    row.bias = point->gap / s->law->h;
    for (int side = 0; side < 2; side++) {
        if ((side ? row.b : row.a) != TL_STILL)
            continue;
        still_velocity(s, side ? g->body_b : g->body_a, side ? row.arm_b : row.arm_a, v);
        const double sign = side ? 1 : -1;
        row.bias += sign * tl_dot(row.axis[0], v);
        row.slide[0] += sign * tl_dot(row.axis[1], v);
        row.slide[1] += sign * tl_dot(row.axis[2], v);
    }
    return row;
}

/* How fast a group opens along a facet: the least of its points, gap / h included. */
static double opening(const solving *s, const tl_group *g, const tl_facet *f)
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
static void last_impulse(const solving *s, const tl_group *g, const tl_facet *f, uint32_t i,
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

static tl_status add_rows(solving *s, uint32_t group, const tl_facet *f, size_t *at)
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
static tl_status add_auxiliary(solving *s, const tl_group *g, uint32_t first_row)
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
static tl_status make_rows(solving *s, size_t first)
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
static tl_status solve_choice(solving *s, size_t first)
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
        for (int k = 0; k < 3; k++)
            s->island.row[i].p[k] = tl_dot(of[i].p, s->island.row[i].axis[k]);
    const double goal = s->rough ? fmax(ROUGH, s->law->tolerance) : s->law->tolerance;
    return tl_island_newton(&s->lane->room, &s->island, goal, s->rough, &s->result);
}

/* The impulses of rows in the world frame. */
static void keep_impulses(const solving *s, size_t first)
{
    tl_exact_row *of = (tl_exact_row *)s->lane->row_of.data + first;
    for (uint32_t i = 0; i < s->island.rows; i++)
        for (int k = 0; k < 3; k++)
            of[i].p[k] = s->island.row[i].p[0] * s->island.row[i].axis[0][k] +
                         s->island.row[i].p[1] * s->island.row[i].axis[1][k] +
                         s->island.row[i].p[2] * s->island.row[i].axis[2][k];
}

static tl_status solve_rows(solving *s, size_t first)
{
    TL_TRY(solve_choice(s, first));
    s->iterations += s->result.iterations;
    keep_impulses(s, first);
    return TL_OK;
}

/* The sum of the normal impulses of a group; rows are in the order of groups. */
static double pushed(const solving *s, uint32_t group, size_t first, size_t *at)
{
    const tl_exact_row *of = (const tl_exact_row *)s->lane->row_of.data + first;
    double sum = 0;
    for (; *at < s->island.rows && of[*at].group == group; ++*at)
        sum += s->island.row[*at].p[0];
    return sum;
}

/* The facet that a group ends the step on: the one along which it is farthest open. */
static uint32_t widest(const solving *s, const tl_group *g, double *most)
{
    const tl_facet *facets = facets_of(s, g);
    uint32_t best = TL_NO_FACET;
    *most = -INFINITY;
    for (uint32_t j = 0; j < g->facets; j++) {
        const double w = opening(s, g, &facets[j]);
        if (w > *most) {
            *most = w;
            best = j;
        }
    }
    return best;
}

static uint32_t choice_of(const solving *s, const tl_group *g, uint32_t facet)
{
    const tl_facet *f = facets_of(s, g) + facet;
    return facet == TL_NO_FACET || f->quiet || f->behind ? TL_NO_FACET : facet;
}

/* The facet to begin with: the nearest one; of eq. 16 the primary, which has the least psi above
 * -tolerance. */
static uint32_t first_choice(const solving *s, const tl_group *g)
{
    const tl_facet *facets = facets_of(s, g);
    const double tiny = 1e-9 * s->law->speed * s->law->h;
    uint32_t best = TL_NO_FACET, primary = TL_NO_FACET;
    for (uint32_t j = 0; j < g->facets; j++) {
        if (best == TL_NO_FACET || facets[j].psi > facets[best].psi + tiny)
            best = j;
        if (!facets[j].quiet && facets[j].psi >= -1e-6 * s->law->speed * s->law->h - 1e-12 &&
            (primary == TL_NO_FACET || facets[j].psi < facets[primary].psi))
            primary = j;
    }
    return choice_of(s, g, s->law->primary && primary != TL_NO_FACET ? primary : best);
}

/* Lets a group choose anew, or holds it where it is now: what goes back and forth has no facet that
 * holds, and the nearest one lets nothing through. */
static void turn_to(const solving *s, tl_group *g, uint32_t next)
{
    const bool held = g->turns == TURNS;
    g->choice = held ? first_choice(s, g) : next;
    g->turns = held ? TL_HELD : g->turns + 1;
}

/* Groups that push although they end outside of another facet, or are let through. */
typedef struct unsettled_of {
    uint32_t free, held;
} unsettled_of;

/* How many groups are unsettled; where `renew`, those that are free choose anew. */
static unsettled_of unsettled(solving *s, size_t first, bool renew)
{
    const double tiny = fmax(1e-9 * s->law->speed, s->large ? SLACK : 0);
    unsettled_of count = {0, 0};
    size_t at = 0;
    for (uint32_t i = 0; i < s->groups; i++) {
        tl_group *g = group_at(s, i);
        double most;
        const double sum = pushed(s, s->order[i], first, &at);
        if (g->facets < 2 && g->choice != TL_NO_FACET)
            continue;
        const uint32_t best = widest(s, g, &most);
        const bool through = g->choice == TL_NO_FACET && most < -tiny;
        if (!through && !(sum > 0 && g->choice != TL_NO_FACET && most > tiny))
            continue;
        uint32_t next = choice_of(s, g, best);
        if (through && next == TL_NO_FACET) /* the inner edge does not push: the next best does */
            for (uint32_t j = 0; j < g->facets; j++)
                if (choice_of(s, g, j) != TL_NO_FACET &&
                    (next == TL_NO_FACET || facets_of(s, g)[j].psi > facets_of(s, g)[next].psi))
                    next = j;
        if (next == g->choice)
            continue;
        if (g->turns == TL_HELD)
            count.held++;
        else
            count.free++;
        if (renew && g->turns != TL_HELD)
            turn_to(s, g, next);
    }
    return count;
}

static void choose_first(solving *s)
{
    for (uint32_t i = 0; i < s->groups; i++) {
        group_at(s, i)->choice = first_choice(s, group_at(s, i));
        group_at(s, i)->turns = 0;
    }
}

/* How many choices an island has; more than CHOICES: as good as endless, as are those of islands
 * that take long to solve. */
static uint32_t count_choices(const solving *s)
{
    uint32_t product = s->groups > FEW ? CHOICES + 1 : 1;
    for (uint32_t i = 0; i < s->groups && product <= CHOICES; i++)
        product *= group_at(s, i)->facets;
    return product;
}

/* All choices, one after the other; of those that hold, the one with the least change of velocity.
 * *found: whether there is one; the island is left with it. */
static tl_status try_all(solving *s, size_t first, uint32_t choices, bool *found)
{
    double least = INFINITY;
    uint32_t best = 0;
    *found = false;
    for (uint32_t c = 0; c <= choices; c++) {
        const bool last = c == choices; /* once more the best */
        uint32_t rest = last ? best : c;
        if (last && !*found)
            break;
        for (uint32_t i = 0; i < s->groups; i++) {
            tl_group *g = group_at(s, i);
            g->choice = choice_of(s, g, rest % g->facets);
            rest /= g->facets;
        }
        if (last && best == choices - 1)
            break;
        TL_TRY(solve_rows(s, first));
        if (last || !s->result.solved || unsettled(s, first, false).free)
            continue;
        const double change = tl_island_change(&s->island);
        if (!*found || change < least * (1 - 1e-9)) {
            *found = true;
            least = change;
            best = c;
        }
    }
    return TL_OK;
}

/* Whether a group is outside of no facet but its choice, and those like it. */
static bool is_sure(const solving *s, const tl_group *g)
{
    const tl_facet *facets = facets_of(s, g);
    if (g->choice == TL_NO_FACET)
        return false;
    for (uint32_t j = 0; j < g->facets; j++)
        if (!facets[j].behind && tl_dot(facets[j].n, facets[g->choice].n) < ALONG)
            return false;
    return true;
}

/* Of the facets that each group is outside of now, the one that it would be farthest outside of at
 * the end of the step if only groups pushed that have no other. *changed: whether there are others
 * than were chosen. */
static tl_status choose_by_motion(solving *s, size_t first, bool *changed)
{
    for (uint32_t i = 0; i < s->groups; i++) {
        tl_group *g = group_at(s, i);
        g->before = g->choice;
        g->choice = is_sure(s, g) ? g->choice : TL_NO_FACET;
    }
    TL_TRY(solve_rows(s, first));
    *changed = false;
    for (uint32_t i = 0; i < s->groups; i++) {
        tl_group *g = group_at(s, i);
        const tl_facet *facets = facets_of(s, g);
        uint32_t best = TL_NO_FACET;
        double most = -INFINITY;
        for (uint32_t j = 0; j < g->facets; j++) {
            const double w = facets[j].behind ? -INFINITY : opening(s, g, &facets[j]);
            if (w > most) {
                most = w;
                best = j;
            }
        }
        best = choice_of(s, g, best);
        g->choice = best;
        g->turns = 0;
        *changed = *changed ||
                   (best != g->before && (best == TL_NO_FACET || g->before == TL_NO_FACET ||
                                          tl_dot(facets[best].n, facets[g->before].n) < ALONG));
    }
    return TL_OK;
}

/* Solves, and lets groups choose anew until nothing changes: large islands roughly, until nothing
 * does. *left: what is unsettled then. */
static tl_status settle(solving *s, size_t first, unsettled_of *left)
{
    uint32_t changes = 1;
    s->rough = true;
    for (uint32_t round = 0; round <= ROUNDS && (changes || s->rough); round++) {
        s->rough = changes && round < ROUNDS;
        TL_TRY(solve_rows(s, first));
        changes = round < ROUNDS ? unsettled(s, first, true).free : 0;
        s->rough = s->rough && (changes || s->result.residual > s->law->tolerance);
    }
    *left = unsettled(s, first, false);
    return TL_OK;
}

/* A choice that holds may not be the one with the least change of velocity: what slides over a seam
 * may be held by the edge there, or end the step on the face beyond it. So islands that are not too
 * large begin once more, by motion. */
static tl_status ease(solving *s, size_t first, unsettled_of *left)
{
    const bool holds = !left->free && !left->held;
    const double least = holds ? tl_island_change(&s->island) : INFINITY;
    unsettled_of now = {1, 0};
    bool changed = false;
    size_t at = 0;
    for (uint32_t i = 0; i < s->groups && s->groups <= EASED; i++)
        if (pushed(s, s->order[i], first, &at) > 0 && !is_sure(s, group_at(s, i)))
            changed = true;
    if (!changed)
        return TL_OK;
    TL_TRY(choose_by_motion(s, first, &changed));
    if (changed)
        TL_TRY(settle(s, first, &now));
    if (s->result.solved && !now.free && !now.held &&
        tl_island_change(&s->island) < least * (1 - 1e-9)) {
        *left = now;
        return TL_OK;
    }
    for (uint32_t i = 0; i < s->groups; i++)
        group_at(s, i)->choice = group_at(s, i)->before;
    return solve_rows(s, first);
}

/* Chooses, solves, and chooses anew until nothing changes. */
static tl_status search(solving *s, size_t first, tl_exact_sum *sum)
{
    const uint32_t choices = s->law->all || s->law->primary ? 1 : count_choices(s);
    unsettled_of left;
    choose_first(s);
    if (choices < 2)
        return solve_rows(s, first);
    if (choices <= CHOICES) {
        bool found;
        TL_TRY(solve_rows(s, first));
        TL_TRY(try_all(s, first, choices, &found));
        if (found)
            return TL_OK;
        choose_first(s);
    }
    TL_TRY(settle(s, first, &left));
    TL_TRY(ease(s, first, &left));
    sum->unsettled += left.free + left.held;
    if (!left.free)
        return TL_OK;
    choose_first(s); /* what holds where groups are now lets nothing through */
    return solve_rows(s, first);
}

/* The bodies of the island, each once. */
static tl_status gather_bodies(solving *s)
{
    const tl_exact *e = s->exact;
    uint32_t *local = e->local.data;
    s->lane->bodies.count = 0;
    for (uint32_t i = 0; i < 2 * s->groups; i++) {
        const tl_group *g = group_at(s, i / 2);
        const uint32_t row = i % 2 ? g->body_b : g->body_a;
        if (row < s->world->dynamic)
            local[row] = TL_STILL;
    }
    for (uint32_t i = 0; i < s->groups; i++)
        for (int side = 0; side < 2; side++) {
            const uint32_t row = side ? group_at(s, i)->body_b : group_at(s, i)->body_a;
            const double *free = (const double *)e->free.data + 6 * (size_t)row;
            const double *inertia = (const double *)e->inertia.data + 4 * (size_t)row;
            const double *q = (const double *)e->quat.data + 4 * (size_t)row;
            if (row >= s->world->dynamic || local[row] != TL_STILL)
                continue;
            tl_island_body body = {.free = {0}};
            memcpy(body.free, free, sizeof body.free);
            memcpy(body.vel, free, sizeof body.vel);
            tl_exact_inverse(q, inertia, s->law->planar, body.inverse_mass, body.inverse_inertia);
            local[row] = (uint32_t)s->lane->bodies.count;
            TL_TRY(tl_array_append(&s->lane->bodies, &body, 1));
        }
    s->island.bodies = (uint32_t)s->lane->bodies.count;
    s->island.body = s->lane->bodies.data;
    return TL_OK;
}

/* Whether no velocity is outside of all half-spaces: then Lemke's method without friction, which
 * finds every solution that there is, ends on a ray. */
static tl_status find_exclusion(solving *s, bool *excluded)
{
    tl_island_result result;
    *excluded = false;
    if (s->island.rows > ASKED)
        return TL_OK;
    for (uint32_t i = 0; i < s->island.rows; i++)
        s->island.row[i].friction = 0;
    s->island.widenings = 0;
    TL_TRY(tl_island_lemke(&s->lane->room, &s->island, &result));
    *excluded = result.ray;
    return TL_OK;
}

static tl_status refuse(solving *s, size_t first)
{
    const tl_exact_row *of = (const tl_exact_row *)s->lane->row_of.data + first;
    uint32_t worst = 0;
    double least = INFINITY;
    bool excluded;
    for (uint32_t i = 0; i < s->island.rows; i++) {
        double u[3];
        tl_island_relative(&s->island, &s->island.row[i], u);
        if (u[0] < least) {
            least = u[0];
            worst = i;
        }
    }
    TL_TRY(find_exclusion(s, &excluded));
    const tl_group *g = (const tl_group *)s->exact->groups.data + of[worst].group;
    const uint32_t *id = s->exact->id.data;
    return tl_fail_about(
        TL_DIVERGED, &(tl_error){.bodies = {{id[g->body_a], 1}, {id[g->body_b], 1}}},
        "step %llu: %s between bodies %u and %u (an island of %u bodies, %u unknowns; residual %g "
        "m/s)",
        (unsigned long long)s->world->steps + 1,
        excluded ? "half-spaces exclude each other" : "contacts could not be solved", id[g->body_a],
        id[g->body_b], s->island.bodies, s->result.size, s->result.residual);
}

tl_status tl_exact_island(const tl_world *world, tl_exact *exact, tl_exact_lane *lane,
                          const tl_exact_law *law, size_t begin, size_t end)
{
    solving s = {.world = world,
                 .exact = exact,
                 .lane = lane,
                 .law = law,
                 .order = (const uint32_t *)exact->order.data + begin,
                 .groups = (uint32_t)(end - begin),
                 .island = {.directions = law->directions}};
    const size_t first = lane->row_of.count;
    TL_TRY(gather_bodies(&s));
    TL_TRY(search(&s, first, &lane->sum));
    if (!s.result.solved && !(s.result.residual <= UNSOLVED))
        return refuse(&s, first);
    double *vel = exact->free.data;
    const uint32_t *local = exact->local.data;
    for (uint32_t i = 0; i < s.groups; i++)
        for (int side = 0; side < 2; side++) {
            const uint32_t row = side ? group_at(&s, i)->body_b : group_at(&s, i)->body_a;
            if (row < world->dynamic)
                memcpy(vel + 6 * (size_t)row, s.island.body[local[row]].vel, 6 * sizeof *vel);
        }
    lane->sum.islands++;
    lane->sum.iterations += s.iterations;
    lane->sum.residual = fmax(lane->sum.residual, s.result.residual);
    return TL_OK;
}
