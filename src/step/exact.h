/* The exact steppers: Stewart-Trinkle and Polyhedral Exact Geometry (docs/theory.md, "Exact
 * geometry"). Pairs of shapes become groups of separating directions (exact_group.c), groups
 * islands, and each island a complementarity problem (exact_island.c). On the host, in 64-bit. */
#ifndef TL_STEP_EXACT_H
#define TL_STEP_EXACT_H

#include "solve/island.h"
#include "step/step.h"

/* Whether a face belongs to the shape's surface (the last words of a cut polygon's pieces): one
 * that is inside of it never pushes, one beyond the end of a chain does not exist. The rim of a
 * flat piece never pushes either, but its edges do, and its back is nothing. */
typedef enum tl_face_kind {
    TL_FACE_OUTER = 0,
    TL_FACE_INNER = 1,
    TL_FACE_NONE = 2,
    TL_FACE_RIM = 3,
    TL_FACE_BACK = 4
} tl_face_kind;

/* A convex piece in the world: the hull of vertices, with a ball rolled around it. Spheres have one
 * vertex and no face, planes one face and no vertex. */
typedef struct tl_polytope {
    uint32_t vertices, faces, edges;
    double rounding;
    size_t vertex, face; /* where they begin in the numbers: 3 and 4 (normal, offset) each */
    const uint32_t *loop_start, *loop, *edge, *edge_face;
    const uint32_t *face_kind; /* NULL: all are TL_FACE_OUTER */
} tl_polytope;

/* A point of a facet: where an impulse would act, the same for both bodies. */
typedef struct tl_facet_point {
    double x[3], gap;
} tl_facet_point;

/* A separating direction of a pair, with the points where the shapes are nearest along it. */
typedef struct tl_facet {
    double n[3]; /* from a to b */
    double psi;  /* m: how far the shapes are apart along it */
    uint32_t first, points;
    bool quiet;  /* never pushes: an inner edge */
    bool behind; /* PEG: does not push in this step, as the pair is behind it now and before another
                  */
} tl_facet;

#define TL_NO_FACET 0xffffffffu
#define TL_HELD     0xffffffffu

typedef struct tl_group {
    uint32_t a, b;           /* shapes, as contacts have them */
    uint32_t triangle;       /* of the one that is a mesh or height field */
    uint32_t body_a, body_b; /* rows */
    uint32_t first, facets;
    uint32_t island;
    uint32_t choice; /* the facet that may push, counted from `first`; TL_NO_FACET: none may */
    uint32_t before; /* the same, before it was tried to do better */
    uint32_t turns;  /* how often it has chosen anew; TL_HELD: no more */
    double friction;
    double slide[3]; /* m/s: how the surfaces move in themselves, b less a */
} tl_group;

typedef struct tl_exact_row {
    uint32_t group, point; /* point: of the facet points */
    double p[3];           /* impulse on b, world frame */
} tl_exact_row;

/* What solving gave, over islands. */
typedef struct tl_exact_sum {
    uint32_t islands, iterations, unsettled;
    double residual; /* m/s, the largest */
} tl_exact_sum;

/* What one thread solves islands in. */
typedef struct tl_exact_lane {
    tl_array bodies, rows, auxiliary, widenings; /* of one island */
    tl_array known;                              /* tl_exact_row: of the choice before */
    tl_array row_of;                             /* tl_exact_row: of all islands of this thread */
    tl_island_room room;
    tl_exact_sum sum;
} tl_exact_lane;

/* What such a step works with; a world keeps it. */
struct tl_exact {
    tl_array pos, quat, vel, free, inertia; /* per row of bodies, on the host: 4, 4, 6, 6, 4 */
    tl_array id;                            /* uint32_t per row */
    tl_array info, shape_body, frame_of, frame, centre, geom; /* of shapes */
    tl_array contact_a, contact_b, contact_n;                 /* as they were found */
    tl_array contact_place, contact_feature;
    tl_array triangles;                      /* uint32_t: of a surface, near a shape */
    tl_array last_a, last_b, last_n, last_p; /* contacts of the last step, with impulses */
    tl_array last_start;                     /* uint32_t per shape, and the end */
    tl_array piece_of;                       /* uint32_t per shape: 1 + piece */
    tl_array pieces, numbers;                /* tl_polytope, double */
    tl_array groups, facets, points;         /* tl_group, tl_facet, tl_facet_point */
    tl_array parent, order, local;           /* uint32_t: union-find, groups by island */
    tl_array begins;   /* uint32_t: where islands begin in `order`, and the end */
    tl_array status;   /* tl_status of each */
    tl_array lanes;    /* tl_exact_lane, one per thread */
    tl_array row_of;   /* tl_exact_row: those of the whole step */
    tl_array seen;     /* as vel: of attempts at this step */
    tl_array raw, out; /* bytes, on their way */
    double gain;       /* m: what forces add to a way in this step */
};

void tl_exact_init(tl_exact *exact);
void tl_exact_free(tl_exact *exact);

/* What a pair may move within the step, m: facets that are deeper behind the shapes cannot matter,
 * nor pairs that are farther apart. */
typedef struct tl_exact_reach {
    double way;     /* h times the relative speed, and what forces add, and the envelope */
    double deepest; /* facets with psi below this are left out */
    double move[3]; /* how b's centre would move against a's without contacts */
    double share;   /* of it: b's, where impulses move one alone; else a half */
} tl_exact_reach;

/* exact_piece.c: the piece that a shape is, 1 + its number; 0 where it is none, as curved shapes
 * and surfaces are. `other`: the shape that it meets, which is on the front of a parallelogram. */
tl_status tl_exact_piece(const tl_world *world, tl_exact *exact, uint32_t shape, uint32_t other,
                         uint32_t *number);

/* Whether a shape is a mesh or height field; its triangles that reach into a cube, in `triangles`;
 * one of them as a flat piece. */
bool tl_exact_is_surface(const tl_exact *exact, uint32_t shape);
tl_status tl_exact_near(const tl_world *world, tl_exact *exact, uint32_t shape,
                        const double middle[3], double reach);
tl_status tl_exact_triangle(const tl_world *world, tl_exact *exact, uint32_t shape,
                            uint32_t triangle, uint32_t *number);

/* exact_pairs.c: the groups of all pairs, with their facets; and contacts of the narrow phase as
 * facets of one group, with their points. */
tl_status tl_exact_groups(const tl_world *world, tl_exact *exact, const tl_contacts *contacts);
tl_status tl_exact_found(tl_exact *exact, uint32_t first, uint32_t count, tl_group *group);

/* exact_curved.c: the facets of a pair with a curved shape, or of one and a triangle (its corners
 * in the world, 9) of the other, which is a surface; contacts [first, first + count) were found.
 * *psi: how far the two are apart. */
tl_status tl_exact_curved(const tl_world *world, tl_exact *exact, tl_group *group,
                          const double *triangle, uint32_t first, uint32_t count,
                          const tl_exact_reach *reach, double *psi);

/* exact_group.c: the facets of a pair (`numbers`: those of pieces), appended to facets and points;
 * the group says where they are and has none where the pair cannot touch in this step. `planar`:
 * bodies move in x and z alone. *psi: how far the pieces are apart. */
tl_status tl_exact_pair(tl_exact *exact, const tl_polytope *a, const tl_polytope *b,
                        const tl_exact_reach *reach, bool planar, tl_group *group, double *psi);

/* The inverse mass and inertia of a body in the world frame; without those directions in which a
 * planar world holds it. `inertia`: principal moments, mass. */
void tl_exact_inverse(const double q[4], const double inertia[4], bool planar,
                      double inverse_mass[3], double inverse_inertia[9]);

/* How a step of the world solves islands. */
typedef struct tl_exact_law {
    double h, tolerance;
    bool all;     /* Stewart-Trinkle: every facet of a group pushes at once */
    bool primary; /* eq. 16 */
    bool planar;
    uint32_t directions; /* 0: the cone */
    double speed;        /* m/s: what counts as a difference is 1e-9 of it */
} tl_exact_law;

/* Solves the groups [begin, end) of `order`, one island: their bodies' velocities, in `free`,
 * become those at the end of the step, and rows with their impulses are appended to the lane's. It
 * touches nothing that another island's has to do with. */
tl_status tl_exact_island(const tl_world *world, tl_exact *exact, tl_exact_lane *lane,
                          const tl_exact_law *law, size_t begin, size_t end);

/* exact_send.c: velocities to where the step has them, contacts in place of those found; and the
 * numbers of the audit. */
tl_status tl_exact_send(tl_world *world, tl_exact *exact, const tlk_motion *motion,
                        tl_contacts *next);
void tl_exact_audit(const tl_world *world, const tl_exact *exact, const tl_exact_sum *sum,
                    double out[8]);

#endif
