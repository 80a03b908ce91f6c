/* Symmetric positive definite matrices of 6 x 6 blocks, one row of blocks per node of a graph: the
 * direct solution U^T U. The order and what fills in are found once; numbers as often as need be.
 *
 * Nodes whose rows reach the same ones are a piece: a dense panel, so that nearly all of the work
 * is products of dense matrices. */
#ifndef TL_SOLVE_CHOLESKY_H
#define TL_SOLVE_CHOLESKY_H

#include "backend/backend.h"

typedef struct tl_cholesky {
    uint32_t nodes, pieces;
    double work;     /* multiplications that a factorization takes, about */
    double bytes;    /* that the factors take */
    tl_array place;  /* uint32_t per node: where it stands in the order */
    tl_array piece;  /* uint32_t per place: the piece that it is of */
    tl_array first;  /* uint32_t per piece, and the end: its first place */
    tl_array begin;  /* size_t per piece, and the end: where its list begins */
    tl_array list;   /* uint32_t: places behind a piece that its rows reach, ascending */
    tl_array start;  /* size_t per piece, and the end: where its panel begins */
    tl_array values; /* double: panels, six rows per place, from its own places on to the list's */
    tl_array x;      /* double, 6 per place, and as many again: a solution in the making */
    tl_array pack;   /* double: rows of a panel, eight columns side by side */
    tl_array map;    /* uint32_t per column of a panel: the column of another */
} tl_cholesky;

/* The order of `nodes` nodes with these edges (two nodes each; may be repeated) and what fills in;
 * no values yet. `most`: multiplications that a factorization may take; where it would take more,
 * or more than TL_CHOLESKY_BYTES, there are no pieces, and work and bytes are at least what it
 * would. On failure it may be freed. */
#define TL_CHOLESKY_BYTES 8e9
tl_status tl_cholesky_make(tl_cholesky *c, uint32_t nodes, const uint32_t (*edges)[2], size_t count,
                           double most);
void tl_cholesky_free(tl_cholesky *c);

/* Zero in all places, which must come first; and adds to the block of two nodes (block[r][c]: row
 * r of i, column c of j) and to its mirror image. */
tl_status tl_cholesky_clear(tl_cholesky *c);
void tl_cholesky_add(tl_cholesky *c, uint32_t i, uint32_t j, const double block[6][6]);

/* The factor in place of the values, by the threads of a backend (NULL: one), with the same bits
 * for any number of them; false where a pivot is not positive. Then solves for vectors of 6 numbers
 * per node, in place. */
bool tl_cholesky_factor(tl_cholesky *c, tl_backend *backend);
void tl_cholesky_solve(tl_cholesky *c, double *vector);

/* An order of the nodes of a graph (neighbours in lists, each edge in two of them): by nested
 * dissection, whose cuts are made of nodes, and within parts that of reverse Cuthill and McKee.
 * `place`: where each node stands. */
typedef struct tl_neighbours {
    uint32_t nodes;
    const uint32_t *start, *list;
} tl_neighbours;

tl_status tl_order_bandwidth(const tl_neighbours *graph, uint32_t *place);
tl_status tl_order_dissect(const tl_neighbours *graph, uint32_t *place);

#endif
