/* The linear problem that both iterative methods of an island come down to: each row's impulse
 * changes by -(f + k du), du being the change of its velocity, which leaves the velocities of
 * bodies, (1 + sum C k J) dv = -sum C f, with C what an impulse changes and J what a row sees. */
#ifndef TL_SOLVE_REDUCED_H
#define TL_SOLVE_REDUCED_H

#include "solve/island.h"

typedef struct tl_reduced_row {
    double change_a[3][6], change_b[3][6]; /* of the bodies, by a unit impulse along each axis */
    double j_a[3][6], j_b[3][6];           /* what the velocities of bodies add to the row's */
    double step[2];                        /* mass along the normal and the tangents; 0: none */
    double k[3][3], f[3];                  /* of this step */
} tl_reduced_row;

typedef struct tl_reduced {
    tl_island *island;
    tl_reduced_row *row;
    tl_sparse *matrix;
    double *x, *left; /* 6 per body: dv, and what is left to solve for */
    tl_polygon polygon;
} tl_reduced;

/* Rows and the order of bodies, in the room. */
tl_status tl_reduced_make(tl_island_room *room, tl_island *island, tl_reduced *reduced);

/* The factorization for the rows' k, false in `regular` where there is none; then x for their f. */
tl_status tl_reduced_factor(tl_reduced *reduced, bool *regular);
void tl_reduced_solve(tl_reduced *reduced);

/* What a row sees of x. */
void tl_reduced_seen(const tl_reduced *reduced, uint32_t row, double u[3]);

/* Adds what a change of a row's impulse does to the velocities of its bodies. */
void tl_reduced_push(const tl_reduced *reduced, uint32_t row, const double change[3]);

/* k and f of a row whose impulses go to `by` (p - r u), `off` from there, with a part of the
 * identity: (1 + proximal - by)^-1 applied to `by` times the steps, and to what is off. */
void tl_reduced_eliminate(tl_reduced_row *row, const double by[3][3], double proximal,
                          const double off[3]);

/* newton.c: where a projected step takes a row, with the derivatives where `by` is wanted; and the
 * largest residual (m/s) with the sum of squares. */
void tl_reduced_target(const tl_reduced *reduced, uint32_t row, double out[3], double by[3][3]);
double tl_reduced_residual(const tl_reduced *reduced, double *sum);

/* newton.c: from impulses that nearly solve the problem, by Newton's method and by pivots; `worst`
 * receives the residual. */
tl_status tl_reduced_finish(tl_island_room *room, tl_reduced *reduced, double tolerance,
                            double *worst, uint32_t *steps);

/* path.c: along the central path to `goal` (m/s), or as near as it leads, in haste (`care` 0) or
 * with care, in the shorter steps the more of it, and then as far as tl_reduced_finish() does the
 * rest; adds its steps to `steps`.
 * Impulses begin anew and end where the residual was least. */
tl_status tl_reduced_follow(tl_island_room *room, tl_reduced *reduced, uint32_t care, double goal,
                            uint32_t *steps);

/* pivot.c: from the impulses that rows have along a path of at most so many straight pieces to a
 * solution, if it leads to one; for pyramids alone. */
tl_status tl_reduced_pivot(tl_island_room *room, tl_reduced *reduced, uint32_t most,
                           uint32_t *steps);

#endif
