/* One island of an exact step: which facet of each group may push, the rows that follow from it,
 * and the complementarity problem. With Stewart-Trinkle every facet pushes at once. With PEG's full
 * form one facet of each group does, and it must be one on which the group ends the step: facets
 * are chosen, the problem is solved, and those that push although their group ends outside another
 * facet are chosen anew, until nothing changes. Small islands try all choices, and of several that
 * hold take the least change of velocity. */
#include "step/exact_rows.h"

#include <math.h>
#include <string.h>

#define CHOICES  24u /* more than these are searched, not tried one after the other */
#define ROUNDS   12u
#define TURNS    3u   /* times that a group chooses anew: then it is held by its nearest facet */
#define SLACK    4e-6 /* m/s: how far outside of another facet a group of such an island may push */
#define FEW      6u   /* groups of an island whose choices are all tried */
#define UNSOLVED 1e-3 /* m/s: a residual that stops the run */
#define EASED    64u  /* groups of an island that is looked at for a lesser change of velocity */
#define ALONG    (1 - 1e-6) /* the cosine of normals that push alike */
#define ASKED    400u /* rows of a failed island that is asked whether it has a solution at all */

/* The sum of the normal impulses of a group; rows are in the order of groups. */
static double pushed(const tl_solving *s, uint32_t group, size_t first, size_t *at)
{
    const tl_exact_row *of = (const tl_exact_row *)s->lane->row_of.data + first;
    double sum = 0;
    for (; *at < s->island.rows && of[*at].group == group; ++*at)
        sum += s->island.row[*at].p[0];
    return sum;
}

/* The facet that a group ends the step on: the one along which it is farthest open. */
static uint32_t widest(const tl_solving *s, const tl_group *g, double *most)
{
    const tl_facet *facets = facets_of(s, g);
    uint32_t best = TL_NO_FACET;
    *most = -INFINITY;
    for (uint32_t j = 0; j < g->facets; j++) {
        const double w = tl_solving_opening(s, g, &facets[j]);
        if (w > *most) {
            *most = w;
            best = j;
        }
    }
    return best;
}

static uint32_t choice_of(const tl_solving *s, const tl_group *g, uint32_t facet)
{
    const tl_facet *f = facets_of(s, g) + facet;
    return facet == TL_NO_FACET || f->quiet || f->behind ? TL_NO_FACET : facet;
}

/* The facet to begin with: the nearest one; of eq. 16 the primary, which has the least psi above
 * -tolerance. */
static uint32_t first_choice(const tl_solving *s, const tl_group *g)
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
static void turn_to(const tl_solving *s, tl_group *g, uint32_t next)
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
static unsettled_of unsettled(tl_solving *s, size_t first, bool renew)
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

static void choose_first(tl_solving *s)
{
    for (uint32_t i = 0; i < s->groups; i++) {
        group_at(s, i)->choice = first_choice(s, group_at(s, i));
        group_at(s, i)->turns = 0;
    }
}

/* How many choices an island has; more than CHOICES: as good as endless, as are those of islands
 * that take long to solve. */
static uint32_t count_choices(const tl_solving *s)
{
    uint32_t product = s->groups > FEW ? CHOICES + 1 : 1;
    for (uint32_t i = 0; i < s->groups && product <= CHOICES; i++)
        product *= group_at(s, i)->facets;
    return product;
}

/* All choices, one after the other; of those that hold, the one with the least change of velocity.
 * *found: whether there is one; the island is left with it. */
static tl_status try_all(tl_solving *s, size_t first, uint32_t choices, bool *found)
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
        TL_TRY(tl_solving_solve(s, first));
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
static bool is_sure(const tl_solving *s, const tl_group *g)
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
static tl_status choose_by_motion(tl_solving *s, size_t first, bool *changed)
{
    for (uint32_t i = 0; i < s->groups; i++) {
        tl_group *g = group_at(s, i);
        g->before = g->choice;
        g->choice = is_sure(s, g) ? g->choice : TL_NO_FACET;
    }
    TL_TRY(tl_solving_solve(s, first));
    *changed = false;
    for (uint32_t i = 0; i < s->groups; i++) {
        tl_group *g = group_at(s, i);
        const tl_facet *facets = facets_of(s, g);
        uint32_t best = TL_NO_FACET;
        double most = -INFINITY;
        for (uint32_t j = 0; j < g->facets; j++) {
            const double w = facets[j].behind ? -INFINITY : tl_solving_opening(s, g, &facets[j]);
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
static tl_status settle(tl_solving *s, size_t first, unsettled_of *left)
{
    uint32_t changes = 1;
    s->rough = true;
    for (uint32_t round = 0; round <= ROUNDS && (changes || s->rough); round++) {
        s->rough = changes && round < ROUNDS;
        TL_TRY(tl_solving_solve(s, first));
        changes = round < ROUNDS ? unsettled(s, first, true).free : 0;
        s->rough = s->rough && (changes || s->result.residual > s->law->tolerance);
    }
    *left = unsettled(s, first, false);
    return TL_OK;
}

/* A choice that holds may not be the one with the least change of velocity: what slides over a seam
 * may be held by the edge there, or end the step on the face beyond it. So islands that are not too
 * large begin once more, by motion. */
static tl_status ease(tl_solving *s, size_t first, unsettled_of *left)
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
    return tl_solving_solve(s, first);
}

/* Chooses, solves, and chooses anew until nothing changes. */
static tl_status search(tl_solving *s, size_t first, tl_exact_sum *sum)
{
    const uint32_t choices = s->law->all || s->law->primary ? 1 : count_choices(s);
    unsettled_of left;
    choose_first(s);
    if (choices < 2)
        return tl_solving_solve(s, first);
    if (choices <= CHOICES) {
        bool found;
        TL_TRY(tl_solving_solve(s, first));
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
    return tl_solving_solve(s, first);
}

/* The bodies of the island, each once. */
static tl_status gather_bodies(tl_solving *s)
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
static tl_status find_exclusion(tl_solving *s, bool *excluded)
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

static tl_status refuse(tl_solving *s, size_t first)
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
    tl_solving s = {.world = world,
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
