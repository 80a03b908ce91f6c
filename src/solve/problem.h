/* The cone complementarity problem as solvers see it, and the one entry to all of them.
 *
 * A problem is rows of three over velocity blocks of six (kernels/args.h: tlk_problem) and the
 * order in which Gauss-Seidel takes them. Solvers know nothing of worlds: whoever has rows, free
 * velocities and right-hand sides (the step, a test, a file reader) can have them solved. */
#ifndef TL_SOLVE_PROBLEM_H
#define TL_SOLVE_PROBLEM_H

#include "backend/backend.h"
#include "kernels/joint/args.h"

/* Rows [begin, end) that Gauss-Seidel may take at once, or one by one where they share bodies. */
typedef struct tl_segment {
    uint32_t begin, end;
    bool serial;
    uint32_t joined; /* the end of those with joined bodies, which come first, by whole packets */
} tl_segment;

#define TL_SEGMENTS (2 * TLK_COLOURS) /* central and anchor rows of each colour */

/* The lattice of the coarse level of a deep heap (coarse.c); no cells: there is none. */
typedef struct tl_coarse_lattice {
    const double *pos; /* of bodies, on the device: 4 per block */
    double origin[3], spacing;
    uint32_t cells[3];
    double slow; /* m/s: contacts that slip slower are about to stick */
} tl_coarse_lattice;

typedef struct tl_problem {
    tlk_problem
        view; /* gamma is the start and the solution; vel must be a copy of free at the start */
    tl_segment segments[TL_SEGMENTS];
    uint32_t segment_count;
    const uint32_t *joined;   /* tlk_joined_rows.packet, */
    uint32_t joined_packets;  /* and how many; */
    bool sided;               /* the workspace has the sides of theirs that are free */
    tlk_split split;          /* for Gauss-Seidel: the copies of crowded bodies, if there are any */
    uint64_t lists;           /* the workspace's count when it made the lists in the view */
    const tlk_joints *joints; /* that hold bodies; or NULL. vel is then projected onto them */
    uint32_t articulations;
    uint32_t joint_rows;       /* of them */
    double pace;               /* tlk_pace.theta that momentum begins with */
    bool alone;                /* all dynamic bodies have joints */
    bool bounded;              /* rows of joints may change their states */
    bool started;              /* vel has what gamma does to it, and to joints; of psor alone */
    tl_coarse_lattice lattice; /* of psor alone, without joints and materials */
} tl_problem;

/* What the coarse level keeps on the device (tlk_coarse). */
typedef struct tl_coarse_room {
    tl_buffer moment, key, value, range, part, cell, node, record, dots, slope, curve, change,
        change_vel;
    uint32_t nodes; /* of the last correction that nobody was told of */
} tl_coarse_room;

/* Buffers that solvers keep between calls. */
typedef struct tl_workspace {
    tl_buffer list_range, list_key, list, sides; /* rows by block */
    uint64_t lists;                              /* how often they were made */
    tl_buffer points, images, r, blocks;         /* tlk_problem; velocities of the operator */
    tl_buffer descent, dots;
    tl_buffer momentum; /* of psor: tlk_momentum, all of it */
    tl_buffer crowd;    /* of jacobi */
    tl_buffer free;     /* of those that gather: free velocities, projected onto joints */
    tl_coarse_room coarse;
    double factor_work;  /* multiplications of a factorization of interior, for tests; 0: usual */
    uint32_t look_every; /* slots of a gradient solver between looks at it, for tests; 0: usual */
} tl_workspace;

void tl_workspace_free(tl_backend *backend, tl_workspace *workspace);

typedef struct tl_solution {
    uint32_t iterations;
    double residual; /* m/s, at the last check; NAN if it was not computed */
    double gap;      /* relative duality gap; NAN where the solver has none */
} tl_solution;

/* Solves with at most `iterations` iterations; stops where the residual is at most def->tolerance,
 * if that is above 0. */
tl_status tl_solve(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                   const tl_solver_def *def, uint32_t iterations, tl_solution *solution);

/* Contacts that carry load and neither open nor slip, all at once and exactly, from gamma and vel
 * as they are. `light`: m/s, what an impulse makes of the contact's velocity that is no load;
 * `most`: multiplications that it may take. Of rows with materials it knows nothing. */
typedef struct tl_sticking {
    bool done;            /* all impulses are in their cones; else nothing has changed */
    double work;          /* multiplications that it took */
    double before, after; /* m/s, the usual speed of bodies with such contacts; where it is done */
} tl_sticking;

tl_status tl_solve_sticking(tl_backend *backend, const tl_problem *problem, double light,
                            double most, tl_sticking *out);

/* The problem of the cone law by an interior-point method, from free velocities in vel, if that may
 * not take more than `most` multiplications; else nothing is done. `unit`: m/s, a usual velocity; a
 * residual above it is no solution. Of rows with materials it knows nothing. */
typedef struct tl_interior {
    bool done;           /* gamma and vel are the solution; else nothing has changed */
    uint32_t iterations; /* one factorization each */
    double work;         /* multiplications that they took */
    double residual;     /* m/s: the root of impulses times velocities, of all rows */
} tl_interior;

tl_status tl_solve_interior(tl_backend *backend, const tl_problem *problem, double unit,
                            double tolerance, double most, tl_interior *out);

/* The solver interior: any problem without moments, to the last digits; `iterations` of the
 * definition are not asked for. With joints, in the states that they are in, free velocities must
 * be projected onto them, and vel is then that of contacts alone. */
tl_status tl_solve_certified(tl_backend *backend, const tl_workspace *workspace,
                             const tl_problem *problem, const tl_solver_def *def,
                             tl_solution *solution);

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

/* Adds what the impulses that rows start with do to `vel`, velocities of bodies; by colours, where
 * the problem has them. `joined`: those of rows with joined bodies alone. */
void tl_psor_guess(tl_backend *backend, const tl_problem *problem, bool joined, void *vel);

/* One correction of gamma and vel by the coarse level; `swept`: the view of sweeps, whose blocks
 * may be copies of crowded bodies, which vel is the mean of. */
tl_status tl_coarse_correct(tl_backend *backend, tl_workspace *workspace, const tl_problem *problem,
                            const tlk_problem *swept);
void tl_coarse_free(tl_backend *backend, tl_coarse_room *room);

/* What the last correction did, once; waits for the device where there was one. */
typedef struct tl_coarse_told {
    uint32_t nodes, steps; /* of the lattice; of conjugate gradients */
    double part;           /* of the change, that was made */
    double change;         /* normal impulses that were gained or lost, over all of them */
} tl_coarse_told;

tl_status tl_coarse_tell(tl_backend *backend, tl_workspace *workspace, tl_coarse_told *told);

/* For solvers that gather: lists of rows by block, into the problem's view. A copy of the problem
 * with the same rows, solved next, finds them made. */
tl_status tl_problem_lists(tl_backend *backend, tl_workspace *workspace, tl_problem *problem);

/* Velocities projected onto the joints of a problem, if there are any: `vel`, in a TLK_PROJECT_
 * mode. What a solver's list of launches has for it. */
tlk_joints tl_problem_joints(const tl_problem *problem, void *vel, uint32_t mode);
tl_launch tl_project(const tl_problem *problem, const tlk_joints *joints);

/* Puts the impulses x of the view into gamma and makes vel = free + M^-1 D x. */
void tl_impulses_back(tl_backend *backend, const tlk_problem *view);

/* For solvers that make velocities of all of gamma: gamma as it is comes to count for nothing, by
 * free velocities that are less by what it does. The view's free velocities go to `free`, a copy of
 * them that becomes the view's. */
tl_status tl_count_from(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                        void *free);

/* The loop of a gradient solver: `decide` after each trial, then `move` (TLK_FOLD: none). */
tl_status tl_descend(tl_backend *backend, tl_workspace *workspace, tl_problem *problem,
                     tl_kernel decide, tl_kernel move, double tolerance, uint32_t iterations,
                     tl_solution *solution);

/* The law in force: TL_LAW_DEFAULT resolved. */
tl_law tl_solver_law(const tl_solver_def *def);

#endif
