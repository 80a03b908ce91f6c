/* The end of certified solutions: what impulses are to be, and rounds that bring them there. */
#ifndef TL_SOLVE_FINISH_H
#define TL_SOLVE_FINISH_H

#include "solve/system.h"

/* Of a contact. */
typedef struct tl_wish {
    double hat[3]; /* the multipliers: impulses as the last round left them */
    double was[3]; /* the impulse, while another is tried */
    double heavy;  /* kg: the mass that it seems to carry, of its step length at least */
    double stiff;  /* t, a multiple of that */
    double saxce;  /* m/s: the term of De Saxce, mu |u_t|; 0 under the cone law */
} tl_wish;

/* The nearest point of the cone |x_t| <= mu x_n; `out` may be x. */
void tl_cone_project(const double *n, double mu, const double *x, double *out);

/* Impulses and velocities of the multipliers. */
void tl_wish_apply(tl_system *system, const tl_wish *wishes);

/* How good impulses and velocities are. */
typedef struct tl_certificate {
    double residual; /* m/s, root mean square: the one definition of docs/theory.md */
    double gap; /* relative duality gap of the convex problem with De Saxce's terms as they are */
    double rough, rough_gap; /* of both, what the last digits of impulses make */
} tl_certificate;

/* What is asked for. */
typedef struct tl_goal {
    bool coulomb; /* then the gap does not matter */
    double residual, gap;
} tl_goal;

tl_certificate tl_certify(const tl_system *system, const tl_wish *wishes, bool coulomb);

/* The gap of these impulses with velocities of their own, which a step of Newton's method leads to:
 * what impulses leave to velocities by their last digits is not in it. One factorization. */
tl_status tl_certify_apart(tl_system *system, tl_wish *wishes, double unit, double stiff,
                           double *gap);

/* Whether that is as asked for, or all that the last digits of impulses allow. */
bool tl_certificate_meets(const tl_certificate *certificate, const tl_goal *goal);

typedef struct tl_finishing {
    bool done;               /* Newton's method has ended, and multipliers are new */
    uint32_t steps;          /* that it took */
    uint32_t factorizations; /* of all rounds */
} tl_finishing;

/* One round: Newton's method down to `target` (m/s), or below `rounding` to where it no longer
 * halves what is left, or to where impulses are good enough, with stiffnesses of `stiff` times the
 * masses that contacts carry, which are impulses over `unit`, m/s; then new multipliers. */
tl_status tl_finish_round(tl_system *system, tl_wish *wishes, const tl_goal *goal, double unit,
                          double stiff, double target, double rounding, tl_finishing *out);

/* The factors of how velocities change, where the last round ended. */
tl_status tl_finish_tangent(tl_system *system, const tl_wish *wishes, bool *regular);

#endif
