/* Symmetric positive definite matrices of 6 x 6 blocks, one row of blocks per node of a graph: the
 * direct solution, in the profile that a good order of the nodes leaves. */
#ifndef TL_SOLVE_PROFILE_H
#define TL_SOLVE_PROFILE_H

#include "base/memory.h"

typedef struct tl_profile {
    uint32_t nodes;
    double work;     /* multiplications that a factorization takes, about */
    tl_array place;  /* uint32_t per node: where it stands in the order */
    tl_array last;   /* uint32_t per place: the last one that its blocks reach */
    tl_array start;  /* size_t per place, and the end: where its six rows begin */
    tl_array values; /* double: rows of the upper triangle, from the diagonal block on */
    tl_array x;      /* double, 6 per place: a solution in the making */
} tl_profile;

/* The order of `nodes` nodes with these edges (two nodes each; may be repeated) by reverse
 * Cuthill-McKee, and the profile; no values yet. On failure it may be freed. */
tl_status tl_profile_make(tl_profile *profile, uint32_t nodes, const uint32_t (*edges)[2],
                          size_t count);
void tl_profile_free(tl_profile *profile);

/* Zero in all places, which must come first; and adds to the block of two nodes (block[r][c]: row
 * r of i, column c of j) and to its mirror image. */
tl_status tl_profile_clear(tl_profile *profile);
void tl_profile_add(tl_profile *profile, uint32_t i, uint32_t j, const double block[6][6]);

/* L D L^T in place of the values; false where a pivot is not positive. Then solves for vectors of
 * 6 numbers per node, in place. */
bool tl_profile_factor(tl_profile *profile);
void tl_profile_solve(const tl_profile *profile, double *vector);

#endif
