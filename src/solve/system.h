/* A problem on the host, in 64-bit, with its contacts as springs: for solutions by factorization.
 *
 * M d + D k D^T d = D p: d changes velocities of bodies, D^T d those of contacts, k is a symmetric
 * matrix per contact and p an impulse. One thread, sums in one order: the same bits everywhere. */
#ifndef TL_SOLVE_SYSTEM_H
#define TL_SOLVE_SYSTEM_H

#include "base/vector.h"
#include "solve/problem.h"
#include "solve/profile.h"

/* A row. Vectors are in the world frame, impulses act on b and against a. */
typedef struct tl_touch {
    uint32_t row, a, b;        /* b: TLK_NONE where it is moved by nothing */
    double n[3], ra[3], rb[3]; /* normal and arms */
    double mu, bias;
    double eta[2];   /* step lengths: along the normal, across it */
    double given[3]; /* of w: by what moves by itself */
    double start[3]; /* the impulse, as it was read */
    double gamma[3], w[3];
    double k[3][3], p[3], seen[3]; /* seen: D^T d */
} tl_touch;

/* A body that moves: mass and inertia, and their inverses. */
typedef struct tl_mover {
    double mass, inverse, inertia[3][3], turned[3][3];
} tl_mover;

typedef struct tl_system {
    const tlk_problem *view;
    tl_array a, b, head, arms, bias, gamma, vel, inverse, wall; /* rows, as they were read */
    tl_array touches, bodies, edges;                            /* edges: two bodies each */
    tl_array start, v, d;                                       /* double, 6 per body */
    tl_profile profile;
} tl_system;

/* The order of bodies, from which follows what a factorization takes; then rows and bodies. */
tl_status tl_system_arrange(tl_backend *backend, tl_system *system);
tl_status tl_system_load(tl_backend *backend, tl_system *system);
void tl_system_free(tl_system *system);

/* Velocities as they were read; w of all contacts at the velocities as they are. */
void tl_system_start(tl_system *system);
void tl_system_look(tl_system *system);

/* Adds an impulse to a contact's and to the velocities. */
void tl_system_push(tl_system *system, tl_touch *touch, const double *impulse);

/* The factorization, with each contact's k; false in `regular` where there is none. Then `seen` of
 * all contacts by their p. */
tl_status tl_system_factor(tl_system *system, bool *regular);
void tl_system_solve(tl_system *system);

/* Impulses and velocities to the device. What was read is rubbish then. */
void tl_system_store(tl_backend *backend, tl_system *system);

#endif
