/* Sparse matrices on the host: made of entries, multiplied, factored. For contact problems as
 * matrices (friction.h); those of worlds never are. */
#ifndef TL_SOLVE_MATRIX_H
#define TL_SOLVE_MATRIX_H

#include "base/memory.h"
#include "talus/problem.h"

typedef struct tl_entry {
    uint32_t row, column;
    double value;
} tl_entry;

/* A matrix with its memory. Zero-initialised it is empty. */
typedef struct tl_columns {
    tl_array start, row, value;
    uint32_t rows, columns;
} tl_columns;

void tl_columns_free(tl_columns *columns);
tl_matrix tl_columns_view(const tl_columns *columns);

/* Of `count` entries, which are put in order: columns one by one, rows ascending, those at one
 * place added up. */
tl_status tl_columns_make(uint32_t rows, uint32_t columns, tl_entry *entries, size_t count,
                          tl_columns *out);

tl_status tl_matrix_transpose(tl_matrix a, tl_columns *out);

/* TL_BAD_ARGUMENT for a square matrix that is not symmetric, up to rounding; `name` stands for it
 * in the message. */
tl_status tl_matrix_check_symmetry(tl_matrix a, const char *name);

/* y += a x, and y += a^T x. Of a matrix without columns, nothing. */
void tl_matrix_add(tl_matrix a, const double *x, double *y);
void tl_matrix_add_across(tl_matrix a, const double *x, double *y);

/* A symmetric positive definite matrix by Cholesky, in the envelope of its rows: each from its
 * first entry on. Rows and columns that are connected form a part, and parts lie side by side, so
 * that what is solved in one touches no other. Of semidefinite ones rows that follow from others
 * are left out: their solution is 0. */
typedef struct tl_factor {
    uint32_t size;
    tl_array place;      /* uint32_t per row: where it is */
    tl_array begin, end; /* uint32_t per place: of its part */
    tl_array first;      /* uint32_t per place */
    tl_array at;         /* size_t per place: where its row ends, the diagonal's place + 1 */
    tl_array value;
    uint32_t dependent; /* rows that were left out */
} tl_factor;

/* Of the two halves of a symmetric matrix it reads one. `name` stands for it in messages. Where
 * `semidefinite` is not set, pivots that are not above 0 are TL_BAD_ARGUMENT. */
tl_status tl_factor_make(tl_matrix a, const char *name, bool semidefinite, tl_factor *out);
void tl_factor_free(tl_factor *factor);

/* x = A^-1 x, in A's own order; `work`: as many numbers. */
void tl_factor_solve(const tl_factor *factor, double *x, double *work);

/* L^T, of A = L L^T: its column c is that of row rows[c] of A. */
tl_status tl_factor_root(const tl_factor *factor, const uint32_t *rows, tl_columns *out);

/* C^T A^-1 B, sparse: nothing where no part of A connects a column of B with one of C. */
tl_status tl_factor_between(const tl_factor *factor, tl_matrix c, tl_matrix b, tl_columns *out);

/* The diagonal blocks of B^T A^-1 B, `width` columns each: width x width numbers per block. */
tl_status tl_factor_blocks(const tl_factor *factor, tl_matrix b, uint32_t width, double *out);

#endif
