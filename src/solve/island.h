/* The contact problem of one island, in 64-bit: bodies that move, rows of a contact point each, and
 * a law of friction that is a pyramid or the cone. Solved exactly, by Lemke's method (lemke.c) or a
 * semismooth Newton method (newton.c). Known to the exact steppers alone. */
#ifndef TL_SOLVE_ISLAND_H
#define TL_SOLVE_ISLAND_H

#include "base/vector.h"
#include "solve/lcp.h"
#include "solve/sparse.h"

#define TL_STILL 0xffffffffu /* no body of the island: what does not move by rows */

/* A body: what an impulse changes. Directions that a planar world holds have inverse 0. */
typedef struct tl_island_body {
    double inverse_mass[3];
    double inverse_inertia[9];
    double free[6]; /* m/s, rad/s, without the rows' impulses */
    double vel[6];  /* with them */
} tl_island_body;

/* A contact point. Velocities are those of b less those of a, at anchors from the origins; `bias`
 * is what they are besides along the normal (gap / h and the motion of what is still), `slide`
 * along the tangents. Where `tangents` is 1 there is friction along the first one only. */
typedef struct tl_island_row {
    uint32_t a, b; /* bodies, or TL_STILL */
    uint32_t tangents;
    double axis[3][3]; /* normal from a to b, two tangents */
    double anchor_a[3], anchor_b[3];
    double bias, slide[2];
    double friction; /* 0: none */
    double p[3];     /* impulse on b along the axes */
} tl_island_row;

/* Of eq. 16: the primary is the row's own direction, `auxiliary` others of the same pair, whose
 * velocities w_j widen what the row may do: w_1 + sum(c) = max(w). */
typedef struct tl_island_widening {
    uint32_t row;
    uint32_t first, count; /* into the auxiliary rows, of which axis[0], anchors and bias count */
} tl_island_widening;

typedef struct tl_island {
    uint32_t bodies, rows, widenings;
    tl_island_body *body;
    tl_island_row *row;
    const tl_island_widening *widening; /* NULL: none */
    tl_island_row *auxiliary;
    uint32_t directions; /* of the pyramid, >= 3 where a row has two tangents; 0: the cone */
} tl_island;

typedef struct tl_island_result {
    bool solved;
    bool ray;      /* Lemke's path ended on a ray */
    uint32_t size; /* unknowns */
    uint32_t iterations;
    double residual; /* m/s */
} tl_island_result;

/* What solving works in; kept from step to step. */
typedef struct tl_island_room {
    tl_array blocks, matrix, numbers, path, pivots, touched;
    tl_array best, kept, tried, paused, back; /* impulses to come back to */
    tl_array edges;
    tl_sparse order;
} tl_island_room;

void tl_island_room_init(tl_island_room *room);
void tl_island_room_free(tl_island_room *room);

/* The unknowns of the complementarity problem; Lemke's method takes up to so many. */
uint32_t tl_island_size(const tl_island *island);
#define TL_LEMKE_MOST 64u

/* Impulses from 0, and velocities. */
tl_status tl_island_lemke(tl_island_room *room, tl_island *island, tl_island_result *result);

/* Impulses from those that rows have, to a residual of `tolerance` (m/s). `rough`: not at any
 * price, as for a look at where bodies go. Knows no widenings. */
tl_status tl_island_newton(tl_island_room *room, tl_island *island, double tolerance, bool rough,
                           tl_island_result *result);

/* Velocities of the impulses; that of a row along its axes. */
void tl_island_velocities(tl_island *island);
void tl_island_relative(const tl_island *island, const tl_island_row *row, double u[3]);

/* The impulses of all rows, 3 each; and back, with the velocities. */
void tl_island_keep(const tl_island *island, double *p);
void tl_island_restore(tl_island *island, const double *p);

/* How much the impulses change the velocities: twice the kinetic energy of the change, J. */
double tl_island_change(const tl_island *island);

/* What an impulse along an axis of a row changes in the velocities of its bodies. */
void tl_island_response(const tl_island *island, const tl_island_row *row, const double axis[3],
                        double change_a[6], double change_b[6]);

/* The regular polygon in the circle of radius 1 that a pyramid has across: side k, `near` from the
 * middle and twice `half` long, is between corners k and k + 1. No sides: the disc. */
#define TL_POLYGON_MOST 64u /* as many as settings allow */
typedef struct tl_polygon {
    uint32_t sides;
    double near, half;
    double normal[TL_POLYGON_MOST][2], corner[TL_POLYGON_MOST][2];
} tl_polygon;
void tl_polygon_make(tl_polygon *polygon, uint32_t sides);

/* The side that x lies beyond, or nearest to. */
uint32_t tl_polygon_side(const tl_polygon *polygon, const double x[2]);

/* The nearest point to x of the polygon times this radius, or of a segment along the first axis
 * (`tangents` 1); with its derivatives by x and by the radius. */
typedef struct tl_projected {
    double p[2], by_x[2][2], by_radius[2];
} tl_projected;
tl_projected tl_project_friction(const double x[2], double radius, const tl_polygon *polygon,
                                 uint32_t tangents);

#endif
