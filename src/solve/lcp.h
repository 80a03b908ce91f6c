/* Linear complementarity problems, dense: 0 <= z, 0 <= w = M z + q, z . w = 0. */
#ifndef TL_SOLVE_LCP_H
#define TL_SOLVE_LCP_H

#include "base/memory.h"

typedef enum tl_lcp_end {
    TL_LCP_SOLVED = 0,
    TL_LCP_RAY = 1,  /* the path ended on a ray: there may be no solution */
    TL_LCP_LIMIT = 2 /* too many pivots */
} tl_lcp_end;

typedef struct tl_lcp {
    tl_lcp_end end;
    uint32_t pivots;
    double residual; /* the largest of |min(z, w)|, with what rounding may hide of it */
} tl_lcp;

/* Lemke's method, lexicographic, so that it cannot cycle. `m` has n rows of n; `z` receives the
 * solution, or where the path ended. `room` (double) is what it works in. */
tl_status tl_lcp_lemke(tl_array *room, uint32_t n, const double *m, const double *q, double *z,
                       tl_lcp *result);

/* The largest of |min(z, w)| and what rounding may hide of it: where z is so large that nothing of
 * q is left in w, that is much. */
double tl_lcp_residual(uint32_t n, const double *m, const double *q, const double *z);

/* Gaussian elimination with partial pivoting, in place: a (n rows of n) x = b, b becomes x. False
 * where the matrix is singular to rounding. */
bool tl_dense_solve(uint32_t n, double *a, double *b);

#endif
