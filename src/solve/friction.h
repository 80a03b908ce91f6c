/* Contact problems as matrices (talus/problem.h) inside the library. */
#ifndef TL_SOLVE_FRICTION_H
#define TL_SOLVE_FRICTION_H

#include "solve/matrix.h"
#include "solve/problem.h"
#include "solve/system.h"

#define TL_FRICTION_ARRAYS \
    29 /* of a problem: 6 matrices of 3, 6 vectors, frictions, guess, texts */

struct tl_contact_problem {
    tl_contact_problem_def def; /* its arrays are these: */
    tl_array arrays[TL_FRICTION_ARRAYS];
};

/* tl_contact_problem_create() of matrices that are symmetric up to the rounding of what made them.
 */
tl_status tl_contact_problem_make(const tl_contact_problem_def *def, tl_contact_problem **problem);

/* A problem without velocities and equality constraints: u = N r + g. Of a local form that has
 * some constraints, these are eliminated; those that follow from others do nothing. */
typedef struct tl_local {
    uint32_t dimension, contacts, size; /* size: dimension * contacts */
    tl_columns rows;                    /* N, row by row: columns of its transpose */
    tl_array g, mu, step;               /* double; step: a length per contact, 0 where N is 0 */
} tl_local;

tl_status tl_local_make(const tl_contact_problem *problem, tl_local *local);
void tl_local_free(tl_local *local);

/* Solves it from r; on the host, by one thread. */
tl_status tl_local_solve(const tl_local *local, const tl_solver_def *def, double *r,
                         tl_solution *solution);

/* The step length of a contact whose own block of W is `w`, dimension x dimension: 3 over its trace
 * (2 in a plane), but no more than Gauss-Seidel can stand; 0 where there is none. */
double tl_contact_step(const double *w, uint32_t dimension);

/* What a law makes of the impulse that a step leads to; the natural map's residual of a contact
 * with a step length, m/s: kernels/cone.h, in frames whose first axis is the normal. Step length 0,
 * where no impulse moves the contact: how far u is outside of what the law allows. */
void tl_contact_limit(bool coulomb, uint32_t dimension, double mu, double *r);
double tl_contact_residual(bool coulomb, uint32_t dimension, double mu, double step,
                           const double *r, const double *u);

/* As tl_contact_problem_measure(), of a law and impulses that solvers have: these may be no
 * numbers.
 */
tl_status tl_contact_measure(const tl_contact_problem *problem, tl_law law, const double *r,
                             double *v, double *u, double *l, tl_contact_answer *answer);

/* Solves any problem by the solver interior, to r, which it does not start from. */
tl_status tl_general_solve(const tl_contact_problem *problem, const tl_solver_def *def,
                           uint32_t threads, double *r, tl_solution *solution);

/* Each contact's own block of W: dimension x dimension numbers. */
tl_status tl_contact_blocks(const tl_contact_problem *problem, double *blocks);

/* A problem of rigid bodies as rows on a backend, if it is one: `rigid` says whether. */
typedef struct tl_rigid {
    tl_backend *backend;
    tl_workspace workspace;
    tl_problem problem;
    tl_buffer buffers[10];
    tl_array place;  /* uint32_t per contact: its row */
    tl_array frames; /* double, 9 per contact: normal and tangents */
} tl_rigid;

tl_status tl_rigid_make(const tl_contact_problem *problem, uint32_t threads, bool *rigid,
                        tl_rigid *out);
void tl_rigid_free(tl_rigid *rigid);

/* Impulses, in the contacts' frames, to rows (with the velocities that solvers start from) and
 * back. */
void tl_rigid_start(tl_rigid *rigid, const double *r);
tl_status tl_rigid_read(tl_rigid *rigid, double *r);

#endif
