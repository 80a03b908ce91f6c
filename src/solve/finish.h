/* The end of certified solutions: what impulses are to be, and rounds that bring them there. */
#ifndef TL_SOLVE_FINISH_H
#define TL_SOLVE_FINISH_H

#include "solve/system.h"

/* Of a contact. */
typedef struct tl_wish {
    double hat[3]; /* the multipliers: impulses as the last round left them */
    double heavy;  /* kg: the mass that it seems to carry, of its step length at least */
    double stiff;  /* t, a multiple of that */
    double saxce;  /* m/s: the term of De Saxce, mu |u_t|; 0 under the cone law */
} tl_wish;

/* The nearest point of the cone |x_t| <= mu x_n; `out` may be x. */
void tl_cone_project(const double *n, double mu, const double *x, double *out);

/* Impulses and velocities of the multipliers. */
void tl_wish_apply(tl_system *system, const tl_wish *wishes);

typedef struct tl_finishing {
    bool done;               /* Newton's method has ended, and multipliers are new */
    uint32_t steps;          /* that it took */
    uint32_t factorizations; /* of all rounds */
} tl_finishing;

/* One round: Newton's method down to `target` (m/s), or below `rounding` to where it no longer
 * halves what is left, with stiffnesses of `stiff` times the masses that contacts carry, which are
 * impulses over `unit`, m/s; then new multipliers. */
tl_status tl_finish_round(tl_system *system, tl_wish *wishes, double unit, double stiff,
                          double target, double rounding, tl_finishing *out);

/* How good impulses and velocities are. */
typedef struct tl_certificate {
    double residual; /* m/s, root mean square: the one definition of docs/theory.md */
    double gap; /* relative duality gap of the convex problem with De Saxce's terms as they are */
    double rough, rough_gap; /* of both, what the last digits of impulses make */
} tl_certificate;

tl_certificate tl_certify(const tl_system *system, const tl_wish *wishes, bool coulomb);

#endif
