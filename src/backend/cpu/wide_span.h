/* As many 64-bit numbers as one register has, for what follows indices: eight with AVX-512, else
 * four. Rows of four numbers are loaded as they lie and transposed. */
#ifndef TL_BACKEND_CPU_WIDE_SPAN_H
#define TL_BACKEND_CPU_WIDE_SPAN_H

#include "backend/cpu/wide_bodies.h"

typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

WIDE quad quad_load(const double *from)
{
    return *(const loose_quad *)from;
}

WIDE void quad_store(double *to, quad v)
{
    *(loose_quad *)to = v;
}

#if defined(__AVX512F__)
#define SPAN 8u
typedef double span __attribute__((vector_size(64)));
typedef __mmask8 span_bits;

WIDE span_bits span_less(span a, span b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}

/* a <= b, and a = b */
WIDE span_bits span_most(span a, span b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}

WIDE span_bits span_same(span a, span b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
}

WIDE span span_select(span_bits condition, span yes, span no)
{
    return (span)_mm512_mask_blend_pd(condition, (__m512d)no, (__m512d)yes);
}

/* A bit of each lane. */
WIDE uint32_t span_mask(span_bits condition)
{
    return condition;
}

WIDE span span_sqrt(span x)
{
    return (span)_mm512_sqrt_pd((__m512d)x);
}

WIDE span span_join(quad low, quad high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Rows of four numbers to columns; r[k] has rows k, 2 + k, then 4 + k - 2 and 6 + k - 2. */
WIDE void span_columns(const span r[4], span out[4])
{
    const span a = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const span b = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const span c = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const span d = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5, 8, 9, 12, 13);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5, 8, 9, 12, 13);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7, 10, 11, 14, 15);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7, 10, 11, 14, 15);
}

/* SPAN rows of four numbers to columns, and back. */
WIDE void span_transpose(const quad rows[SPAN], span out[4])
{
    const span r[4] = {span_join(rows[0], rows[2]), span_join(rows[1], rows[3]),
                       span_join(rows[4], rows[6]), span_join(rows[5], rows[7])};
    span_columns(r, out);
}

WIDE void span_back(const span in[4], quad rows[SPAN])
{
    const span a = __builtin_shufflevector(in[0], in[2], 0, 1, 8, 9, 2, 3, 10, 11);
    const span b = __builtin_shufflevector(in[1], in[3], 0, 1, 8, 9, 2, 3, 10, 11);
    const span c = __builtin_shufflevector(in[0], in[2], 4, 5, 12, 13, 6, 7, 14, 15);
    const span d = __builtin_shufflevector(in[1], in[3], 4, 5, 12, 13, 6, 7, 14, 15);
    const span r[4] = {__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
                       __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
                       __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14),
                       __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15)};
    for (uint32_t k = 0; k < 4; k++) {
        rows[k + (k & 2u)] = __builtin_shufflevector(r[k], r[k], 0, 1, 2, 3);
        rows[k + (k & 2u) + 2] = __builtin_shufflevector(r[k], r[k], 4, 5, 6, 7);
    }
}

#else
#define SPAN 4u
typedef quad span;
typedef quad_bits span_bits;

WIDE span_bits span_less(span a, span b)
{
    return a < b;
}

WIDE span_bits span_most(span a, span b)
{
    return a <= b;
}

WIDE span_bits span_same(span a, span b)
{
    return a == b;
}

WIDE span span_select(span_bits condition, span yes, span no)
{
    return quad_select(condition, yes, no);
}

WIDE uint32_t span_mask(span_bits condition)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)condition);
}

WIDE span span_sqrt(span x)
{
    return quad_sqrt(x);
}

WIDE void span_transpose(const quad rows[SPAN], span out[4])
{
    for (uint32_t k = 0; k < SPAN; k++)
        out[k] = rows[k];
    quad_transpose(out);
}

WIDE void span_back(const span in[4], quad rows[SPAN])
{
    span_transpose(in, rows);
}
#endif

#define SPAN_ALL ((1u << SPAN) - 1)

/* Columns 0 to 3 of rows, which lie `stride` apart. */
WIDE void span_gather(const double *from, size_t stride, const uint32_t *row, span out[4])
{
    quad rows[SPAN];
    for (uint32_t l = 0; l < SPAN; l++)
        rows[l] = quad_load(from + stride * row[l]);
    span_transpose(rows, out);
}

/* The same of rows that follow each other, and back. */
WIDE void span_rows(const double *from, size_t stride, uint32_t i, span out[4])
{
    quad rows[SPAN];
    for (uint32_t l = 0; l < SPAN; l++)
        rows[l] = quad_load(from + stride * (i + l));
    span_transpose(rows, out);
}

WIDE void span_unrow(double *to, size_t stride, uint32_t i, const span in[4])
{
    quad rows[SPAN];
    span_back(in, rows);
    for (uint32_t l = 0; l < SPAN; l++)
        quad_store(to + stride * (i + l), rows[l]);
}

typedef double loose_span __attribute__((vector_size(8 * SPAN), aligned(8)));

WIDE span span_load(const double *from)
{
    return *(const loose_span *)from;
}

WIDE void span_store(double *to, span v)
{
    *(loose_span *)to = v;
}

WIDE span span_dot(const span *a, const span *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* As `real`, to memory. */
WIDE void span_put(real *to, span v)
{
#if defined(TLK_PRECISION_double)
    span_store(to, v);
#elif defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v));
#else
    _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v));
#endif
}

#endif
