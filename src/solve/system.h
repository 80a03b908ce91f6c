/* A problem on the host, in 64-bit, with its contacts as springs: for solutions by factorization.
 *
 * M d + D k D^T d = D p: d changes velocities of bodies, D^T d those of contacts, k is a symmetric
 * matrix per contact and p an impulse. Where joints hold bodies, M has their springs and dampers,
 * and d is such that rows J that hold see nothing of it (bonds.c). Bodies have six velocities;
 * those of a problem of matrices are taken six at a time, as nodes, and M may connect these
 * (general.c). One thread, sums in one order: the same bits everywhere. */
#ifndef TL_SOLVE_SYSTEM_H
#define TL_SOLVE_SYSTEM_H

#include "base/vector.h"
#include "kernels/joint/args.h"
#include "solve/cholesky.h"
#include "solve/problem.h"

/* What a contact of a problem of matrices does to a node: six rows of H. */
typedef struct tl_side {
    uint32_t node;
    double block[6][3];
} tl_side;

/* A row. Vectors are in the world frame, impulses act on b and against a. Of a problem of matrices
 * they are in the frame of the contact, which has sides instead of a, b and anchors. */
typedef struct tl_touch {
    uint32_t row, a, b; /* b: TLK_NONE where it is moved by nothing */
    uint32_t sides;     /* 0: those of a and b */
    const tl_side *side;
    double n[3], ra[3], rb[3]; /* normal and anchors */
    double mu, bias;
    double eta[3];   /* step lengths: along the normal, across it, for all */
    double soft;     /* m/s per N s: what its own impulse along the normal opens it by */
    double cohesion; /* N s: what it can pull with */
    double given[3]; /* of w: by what moves by itself */
    double start[3]; /* the impulse, as it was read */
    double gamma[3], w[3];
    double k[3][3], p[3], seen[3]; /* seen: D^T d */
} tl_touch;

/* A body that moves: mass and inertia, and their inverses. */
typedef struct tl_mover {
    double mass, inverse, inertia[3][3], turned[3][3];
} tl_mover;

/* A block of M of a problem of matrices: of a node, or of one and an earlier one. */
typedef struct tl_couple {
    uint32_t row, column;
    double block[6][6];
} tl_couple;

/* A row of a joint, in the state that it is in, and what of it is a body's that moves. */
typedef struct tl_grip {
    uint32_t body;
    double row[6];
} tl_grip;

typedef struct tl_bond {
    size_t first; /* of its parts */
    uint32_t bodies;
    double slope;  /* N s per m/s: of springs and dampers; 0: it holds */
    double stiff;  /* of one that holds, in factors */
    double lambda; /* and its impulse, of the last solution */
    double rate;
    double carried; /* its impulse where velocities are those of impulses */
} tl_bond;

typedef struct tl_system {
    const tlk_problem *view;
    tl_array a, b, head, anchors, bias, gamma, vel, inverse, wall, material; /* as they were read */
    tl_array touches, bodies, edges; /* edges: two bodies each */
    tl_array sides, couples;         /* instead of bodies: couples of one node each come first */
    tl_array start, v, d;            /* double, 6 per body */
    bool refined;                    /* solutions are corrected once */
    tl_cholesky factors;
    tl_backend *backend;
    bool iterated;      /* not by factors but by conjugate gradients */
    tl_array krylov;    /* double: the preconditioner, 36 per body, and four vectors of 6 */
    uint64_t steps;     /* of conjugate gradients, of all solutions */
    tl_array bonds;     /* tl_bond; none: velocities are free */
    tl_array parts;     /* tl_grip */
    bool held;          /* velocities follow from impulses by factors: there are bonds or couples */
    tl_cholesky joined; /* these factors: of M and bonds without contacts */
    tl_array bonded;    /* double: two vectors of 6 per body */
} tl_system;

/* The order of bodies, from which follows what a factorization takes (`most` multiplications: more
 * are not taken, and it need not be known how many they would be); then rows and bodies. */
tl_status tl_system_arrange(tl_backend *backend, tl_system *system, double most);
tl_status tl_system_load(tl_backend *backend, tl_system *system);
void tl_system_free(tl_system *system);

/* Velocities as they were read; w of all contacts at the velocities as they are, which with joints
 * become those of all impulses. */
void tl_system_start(tl_system *system);
void tl_system_look(tl_system *system);

/* 1/2 (v - from) . M (v - from), with springs and dampers of joints; `from` may be NULL: 0. */
double tl_system_energy(const tl_system *system, const double *velocities, const double *from);

/* Adds an impulse to a contact's and to the velocities. */
void tl_system_push(tl_system *system, tl_touch *touch, const double *impulse);

/* The factorization, with each contact's k; false in `regular` where there is none. Then `seen` of
 * all contacts by their p. */
tl_status tl_system_factor(tl_system *system, bool *regular);
void tl_system_solve(tl_system *system);

/* The interior path of interior.c from a loaded system on: impulses and velocities become the best
 * of it. */
typedef struct tl_path {
    double unit, tolerance; /* m/s: a usual velocity; the residual that ends it, */
    double gap;             /* where the relative gap is no more than this */
    uint32_t tries;         /* steps without a gain that end it too */
    bool anew;              /* contacts yield to changes of impulses alone */
} tl_path;

/* The solver interior of a loaded system (certified.c): impulses and velocities, iterations,
 * residual and gap. */
tl_status tl_certify_system(tl_system *system, const tl_solver_def *def, tl_solution *solution);

tl_status tl_interior_path(tl_system *system, const tl_path *path, tl_interior *out);

/* The bodies that a contact is between: how many, and which; TLK_NONE: one that nothing moves. */
static inline uint32_t tl_touch_sides(const tl_touch *touch)
{
    return touch->side ? touch->sides : 2;
}

static inline uint32_t tl_touch_body(const tl_touch *touch, uint32_t side)
{
    return touch->side ? touch->side[side].node : side ? touch->b : touch->a;
}

/* Parts of the matrix: 6 x 6 blocks of a contact's sides (0: a, 1: b), and of a body alone; and of
 * products with it: D x is added, D^T v seen, by velocities of 6 per body. */
void tl_touch_block(const tl_touch *touch, uint32_t row, uint32_t column, double out[6][6]);
void tl_mover_block(const tl_mover *mover, double out[6][6]);
void tl_system_add_mass(const tl_system *system, tl_cholesky *to); /* M, without joints */
void tl_touch_add(double *sums, const tl_touch *touch, const double *x);
void tl_touch_see(const double *velocities, const tl_touch *touch, double *out);

/* y = (M + D k D^T) x; without D k D^T where contacts are not asked for. */
void tl_system_multiply(const tl_system *system, bool touches, const double *x, double *y);

/* Joints (bonds.c): the rows of a problem's, before bodies are arranged; their edges; factors
 * without contacts, once bodies are known; their parts of a matrix. */
tl_status tl_bonds_load(tl_backend *backend, const tl_problem *problem, tl_system *system);
tl_status tl_bonds_edges(const tl_system *system, tl_array *edges); /* with those of couples */
tl_status tl_bonds_factor(tl_system *system);
void tl_bonds_add(const tl_system *system, tl_cholesky *to);

/* Velocities in place of momenta: by the factors that have contacts, or by those that have none. */
void tl_bonds_solve(tl_system *system, bool touches, double *vector);

/* What a row sees of velocities; x of it added to momenta. */
double tl_bond_see(const tl_system *system, const double *velocities, const tl_bond *bond);
void tl_bond_push(const tl_system *system, double *sums, const tl_bond *bond, double x);

/* The inverse of a symmetric block; false where it is not positive definite. */
bool tl_block_invert(double block[6][6]);

/* The solution by conjugate gradients (krylov.c). */
tl_status tl_krylov_prepare(tl_system *system, bool *regular);
void tl_krylov_solve(tl_system *system, double *vector);

/* Impulses and velocities to the device; with joints those that impulses of contacts alone lead to,
 * for joints on the device have impulses of their own. What was read is rubbish then. */
void tl_system_store(tl_backend *backend, tl_system *system);

#endif
