/* The cone complementarity problem as solvers see it, and the one entry to all of them.
 *
 * A problem is rows of three over velocity blocks of six (kernels/args.h: tlk_problem) and the
 * order in which Gauss-Seidel takes them. Solvers know nothing of worlds: whoever has rows, free
 * velocities and right-hand sides (the step, a test, a file reader) can have them solved. */
#ifndef TL_SOLVE_PROBLEM_H
#define TL_SOLVE_PROBLEM_H

#include "backend/backend.h"

/* Rows [begin, end) that Gauss-Seidel may take at once, or one by one where they share bodies. */
typedef struct tl_segment {
    uint32_t begin, end;
    bool serial;
} tl_segment;

#define TL_SEGMENTS (2 * TLK_COLOURS) /* central and block rows of each colour */

typedef struct tl_problem {
    tlk_problem
        view; /* gamma is the start and the solution; vel must be a copy of free at the start */
    tl_segment segments[TL_SEGMENTS];
    uint32_t segment_count;
} tl_problem;

/* Buffers that solvers keep between calls. */
typedef struct tl_workspace {
    tl_buffer list_range, list_key, list; /* rows by block */
    tl_buffer vectors[8];                 /* r, x, nx, y, ny, z, nz, best; real, 3 fields a row */
    tl_buffer blocks;                     /* velocities while the operator is applied */
} tl_workspace;

void tl_workspace_free(tl_backend *backend, tl_workspace *workspace);

typedef struct tl_solution {
    uint32_t iterations;
    double residual; /* m/s, at the last check; NAN if it was not computed */
} tl_solution;

/* Solves with at most `iterations` iterations; stops where the residual is at most def->tolerance,
 * if that is above 0. */
tl_status tl_solve(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                   const tl_solver_def *def, uint32_t iterations, tl_solution *solution);

/* The residual of gamma and vel, root mean square and worst, m/s: the one definition
 * (docs/theory.md). */
tl_status tl_residual(tl_backend *backend, const tl_problem *problem, double *rms, double *worst);

/* The solvers, one file each; `problem` has its omega and law set by tl_solve. */
tl_status tl_solve_psor(tl_backend *, tl_workspace *, tl_problem *, const tl_solver_def *, uint32_t,
                        tl_solution *);
tl_status tl_solve_jacobi(tl_backend *, tl_workspace *, tl_problem *, const tl_solver_def *,
                          uint32_t, tl_solution *);
tl_status tl_solve_apgd(tl_backend *, tl_workspace *, tl_problem *, const tl_solver_def *, uint32_t,
                        tl_solution *);
tl_status tl_solve_spg(tl_backend *, tl_workspace *, tl_problem *, const tl_solver_def *, uint32_t,
                       tl_solution *);

/* For solvers that gather: lists of rows by block, into the problem's view. */
tl_status tl_problem_lists(tl_backend *backend, tl_workspace *workspace, tl_problem *problem);

/* For gradient solvers: vectors in the view, r filled, z = gamma and nz = N gamma; x, y the same.
 */
tl_status tl_gradient_begin(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                            tlk_problem *gradient);

/* nz = N z. */
void tl_gradient_operator(tl_backend *backend, const tlk_problem *gradient);

/* Puts the vector `x` into gamma and makes vel = free + M^-1 D gamma. */
void tl_gradient_end(tl_backend *backend, tl_problem *problem, const void *x);

/* Bytes of a vector of the problem. */
size_t tl_vector_bytes(const tl_backend *backend, const tl_problem *problem);

/* The law in force: TL_LAW_DEFAULT resolved. */
tl_law tl_solver_law(const tl_solver_def *def);

#endif
