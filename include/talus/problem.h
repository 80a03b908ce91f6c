/** @file problem.h
 *  Contact problems as matrices: that of a world's next step, or one from elsewhere, solved by any
 *  solver without a world. The two forms, and their letters, are those of FCLIB, the collection of
 *  frictional contact problems; talus/io.h reads and writes its files.
 *
 *  Global form: velocities v (n), contact velocities u and impulses r (m: 2 or 3 per contact, the
 *  normal first), multipliers l (p) of equality constraints, which joints are.
 *
 *      M v = H r + G l + f,   G^T v + b = 0,   u = H^T v + w
 *
 *  Local form, without v:
 *
 *      V^T r + R l + s = 0,   u = W r + V l + q
 *
 *  and in both, for each contact, Coulomb's law: (u_n + mu |u_t|, u_t) in the dual of the friction
 *  cone, r in the cone, and both across each other. Under the cone law u itself is.
 */
#ifndef TALUS_PROBLEM_H
#define TALUS_PROBLEM_H

#include "talus/world.h"

TL_BEGIN_DECLS

/** A sparse matrix in compressed columns. Without entries it may be all zeros, arrays too; one that
 *  is read from a problem always has `start`. */
typedef struct tl_matrix {
    uint32_t rows;         /**< how many */
    uint32_t columns;      /**< how many */
    const uint32_t *start; /**< columns + 1: where the entries of each column begin */
    const uint32_t *row;   /**< of each entry */
    const double *value;   /**< of each entry; those at one place add up */
} tl_matrix;

/** The forms of a problem. */
typedef enum tl_problem_form {
    TL_PROBLEM_GLOBAL = 0, /**< M, H, G, f, w, b, mu */
    TL_PROBLEM_LOCAL = 1   /**< W, V, R, q, s, mu */
} tl_problem_form;

/** What a problem is made of, or holds. Matrices and arrays that the form does not have are empty,
 *  and so are G, V and R, b and s where there are no equality constraints. */
typedef struct tl_contact_problem_def {
    tl_problem_form form;    /**< default TL_PROBLEM_GLOBAL */
    uint32_t dimension;      /**< numbers per contact: 2 or 3 */
    uint32_t contacts;       /**< m / dimension */
    tl_matrix M;             /**< n x n, symmetric, positive definite */
    tl_matrix H;             /**< n x m */
    tl_matrix G;             /**< n x p */
    tl_matrix W;             /**< m x m, symmetric, positive semidefinite */
    tl_matrix V;             /**< m x p */
    tl_matrix R;             /**< p x p, symmetric, positive semidefinite */
    const double *f;         /**< n */
    const double *w;         /**< m */
    const double *b;         /**< p */
    const double *q;         /**< m */
    const double *s;         /**< p */
    const double *mu;        /**< one per contact, >= 0 */
    const double *guess;     /**< m: impulses to start from; NULL: none */
    const char *title;       /**< in words; NULL or "": none */
    const char *description; /**< likewise */
    const char *math_info;   /**< likewise: what is known of its solutions */
} tl_contact_problem_def;

/** A problem, checked. Opaque; never changes once made. */
typedef struct tl_contact_problem tl_contact_problem;

/** Makes one of copies of all arrays. Sizes that do not fit, indices beyond a matrix, numbers that
 *  are not finite, negative frictions, M, W and R that are not symmetric (up to 1e-7 of the largest
 *  entry), and matrices and arrays of the other form are TL_BAD_ARGUMENT, with the letter, the
 *  place and the value. */
TL_API tl_status tl_contact_problem_create(const tl_contact_problem_def *def,
                                           tl_contact_problem **problem);

/** Frees it; NULL does nothing. */
TL_API void tl_contact_problem_destroy(tl_contact_problem *problem);

/** What it holds. The arrays belong to the problem. */
TL_API const tl_contact_problem_def *tl_contact_problem_read(const tl_contact_problem *problem);

/** The velocity problem of a world's next step, in global form. What is due at this time (events,
 * emitters) is done first, as the step would; else the world stays as it is. Six
 * numbers per dynamic body: the velocity of its centre of mass and its angular velocity, in the
 * world frame. The guess is what the last step's impulses are in the new contacts. Surfaces that
 * move in themselves are in w. Joints: rows that hold are in G, springs in M and f, and so are
 * motors, limits and friction that do not hold, with the force that they have; they stay in the
 * state that they are in as the step begins. TL_BAD_ARGUMENT where the form cannot have the
 * problem: rolling friction, compliance, cohesion, and steppers other than dvi and smooth. */
TL_API tl_status tl_world_contact_problem(tl_world *world, tl_contact_problem **problem);

/** The local form of a problem in global form: W = H^T M^-1 H and so on. A local one is copied.
 *  TL_BAD_ARGUMENT where M is not positive definite. */
TL_API tl_status tl_contact_problem_reduce(const tl_contact_problem *problem,
                                           tl_contact_problem **local);

/** How a problem was solved, or how good a solution is. */
typedef struct tl_contact_answer {
    uint32_t iterations; /**< of the solver */
    bool rows;           /**< the problem is one of rigid bodies, and was solved by the kernels of
                              worlds; else on the host, with W as a sparse matrix */
    double seconds;      /**< wall-clock time of the solver, without measuring */
    double residual;     /**< m/s: the residual of the law (docs/theory.md), root mean square; of a
                              contact that no impulse moves: how far u is outside of what the law
                              allows */
    double worst;        /**< m/s: of the worst contact */
    double fclib;        /**< FCLIB's: the norm of the natural map of Coulomb's law with step length
                              1 over 1 + |q|^(1/2), and what is left of equality constraints over
                              1 + |s|; of the cone law under that */
    double objective;    /**< r . W r / 2 + q . r, equality constraints eliminated */
    double gap;          /**< relative duality gap; NaN where the solver has none; infinity where
                              there is no solution, as no impulse moves a contact that approaches */
} tl_contact_answer;

/** Solves a problem in 64-bit on the CPU with def->kind, law, iterations (at most), tolerance (of
 * the residual; 0: all iterations), omega, lambda and, where there is a guess, warm_start. `r`
 * receives the impulses (m numbers); TL_DIVERGED where residual or objective are not finite. The
 * interior-point method has its own end, starts from nothing and factors; TL_TOO_LARGE where these
 * factors may not be as large. `threads`: at most 1024; 0, as many as there are. */
TL_API tl_status tl_contact_problem_solve(const tl_contact_problem *problem,
                                          const tl_solver_def *def, uint32_t threads, double *r,
                                          tl_contact_answer *answer);

/** Velocities and multipliers that follow from impulses, which must be finite, and how good these
 * are: residuals and objective of `answer`; the rest of it is 0. `v` (n), `u` (m), `l` (p) and
 * `answer` may be NULL. */
TL_API tl_status tl_contact_problem_measure(const tl_contact_problem *problem, tl_law law,
                                            const double *r, double *v, double *u, double *l,
                                            tl_contact_answer *answer);

TL_END_DECLS

#endif
