/* An island while its facets are chosen: the rows of the present choice, and their solution. Known
 * to exact_island.c and exact_rows.c. */
#ifndef TL_STEP_EXACT_ROWS_H
#define TL_STEP_EXACT_ROWS_H

#include "step/exact.h"

/* An island while it is solved. */
typedef struct tl_solving {
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
} tl_solving;

static inline tl_group *group_at(const tl_solving *s, uint32_t i)
{
    return (tl_group *)s->exact->groups.data + s->order[i];
}

static inline const tl_facet *facets_of(const tl_solving *s, const tl_group *g)
{
    return (const tl_facet *)s->exact->facets.data + g->first;
}

static inline const tl_facet_point *point_at(const tl_solving *s, uint32_t i)
{
    return (const tl_facet_point *)s->exact->points.data + i;
}

/* exact_friction.c: the two directions of friction across n; in a planar world the first is in the
 * plane. Unit vectors, but where materials have an ellipsoid of friction. */
void tl_exact_tangents(const tl_solving *s, const tl_group *g, const double n[3], double t[3],
                       double u[3]);

/* How fast a group opens along a facet: the least of its points, gap / h included. */
double tl_solving_opening(const tl_solving *s, const tl_group *g, const tl_facet *f);

/* Solves the problem of the present choices; rows with their impulses are in the lane, from `first`
 * on. */
tl_status tl_solving_solve(tl_solving *s, size_t first);

#endif
