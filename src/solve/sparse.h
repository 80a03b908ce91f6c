/* Matrices of 6 x 6 blocks, one row of blocks per node of a graph, that are not symmetric: the
 * direct solution, L U without pivoting, with the nodes in the order of minimum degree. */
#ifndef TL_SOLVE_SPARSE_H
#define TL_SOLVE_SPARSE_H

#include "base/memory.h"

typedef struct tl_sparse {
    uint32_t nodes;
    double work;     /* multiplications that a factorization takes, about */
    tl_array place;  /* uint32_t per node: where it stands in the order */
    tl_array begin;  /* uint32_t per place, and the end: where its list begins */
    tl_array list;   /* uint32_t: places behind it that its blocks reach, ascending */
    tl_array start;  /* size_t per place, and the end: where its six lines begin */
    tl_array values; /* double: rows of the upper triangle, the diagonal block and then those of the
                        list; behind all of them columns of the lower one, in the same layout */
    tl_array x;      /* double, 6 per place: a solution in the making */
    tl_array room;   /* uint64_t: what the order is made in */
} tl_sparse;

void tl_sparse_init(tl_sparse *sparse);
void tl_sparse_free(tl_sparse *sparse);

/* The order of `nodes` nodes with these edges (two nodes each; may be repeated) and where blocks
 * are, filled ones included; no values yet. Takes nodes^2 / 8 bytes. */
tl_status tl_sparse_make(tl_sparse *sparse, uint32_t nodes, const uint32_t (*edges)[2],
                         size_t count);

/* Zero in all places, which must come first; and adds to the block of two nodes (block[r][c]: row r
 * of i, column c of j). */
tl_status tl_sparse_clear(tl_sparse *sparse);
void tl_sparse_add(tl_sparse *sparse, uint32_t i, uint32_t j, const double block[6][6]);

/* The factors in place of the values; false where a pivot vanishes. Then solves for vectors of 6
 * numbers per node, in place. */
bool tl_sparse_factor(tl_sparse *sparse);
void tl_sparse_solve(const tl_sparse *sparse, double *vector);

/* After tl_sparse_factor(): the sign of the determinant. */
int tl_sparse_sign(const tl_sparse *sparse);

#endif
