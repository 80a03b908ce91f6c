/* Vectors of eight numbers for the wide kernels, and the velocities of eight bodies as such: these
 * are loaded as eight rows and transposed in registers, which is cheaper than gathering numbers one
 * by one. */
#ifndef TL_BACKEND_CPU_VEC_H
#define TL_BACKEND_CPU_VEC_H

#include <immintrin.h>

#include "kernels/real.h"

typedef real vec __attribute__((vector_size(8 * sizeof(real))));
#if defined(TLK_PRECISION_double)
typedef int64_t vec_bits __attribute__((vector_size(64)));
#else
typedef int32_t vec_bits __attribute__((vector_size(32)));
#endif

#define WIDE static inline __attribute__((always_inline, unused))

WIDE vec vec_set(real x)
{
    return (vec){x, x, x, x, x, x, x, x};
}

WIDE vec vec_load(const real *p)
{
    return *(const vec *)p;
}

WIDE void vec_store(real *p, vec v)
{
    *(vec *)p = v;
}

WIDE vec vec_select(vec_bits condition, vec yes, vec no)
{
    return (vec)((condition & (vec_bits)yes) | (~condition & (vec_bits)no));
}

WIDE vec vec_sqrt(vec x)
{
#if !defined(TLK_PRECISION_double)
    return (vec)_mm256_sqrt_ps((__m256)x);
#elif defined(__AVX512F__)
    return (vec)_mm512_sqrt_pd((__m512d)x);
#else
    union {
        vec v;
        __m256d half[2];
    } u = {x};
    u.half[0] = _mm256_sqrt_pd(u.half[0]);
    u.half[1] = _mm256_sqrt_pd(u.half[1]);
    return u.v;
#endif
}

/* Rows to columns and back. */
WIDE void vec_transpose(vec r[8])
{
#define LOW(a, b)   __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
    const vec t0 = LOW(r[0], r[1]), t1 = HIGH(r[0], r[1]), t2 = LOW(r[2], r[3]);
    const vec t3 = HIGH(r[2], r[3]), t4 = LOW(r[4], r[5]), t5 = HIGH(r[4], r[5]);
    const vec t6 = LOW(r[6], r[7]), t7 = HIGH(r[6], r[7]);
    const vec u0 = FIRST(t0, t2), u1 = LAST(t0, t2), u2 = FIRST(t1, t3), u3 = LAST(t1, t3);
    const vec u4 = FIRST(t4, t6), u5 = LAST(t4, t6), u6 = FIRST(t5, t7), u7 = LAST(t5, t7);
#undef LOW
#undef HIGH
#undef FIRST
#undef LAST
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    r[0] = LOW(u0, u4), r[1] = LOW(u1, u5), r[2] = LOW(u2, u6), r[3] = LOW(u3, u7);
    r[4] = HIGH(u0, u4), r[5] = HIGH(u1, u5), r[6] = HIGH(u2, u6), r[7] = HIGH(u3, u7);
#undef LOW
#undef HIGH
}

/* Velocities of eight bodies: v (0-2), 1/m (3), omega (4-6), 1/I (7). */
WIDE void vec_gather(const real *vel, const uint32_t *index, vec r[8])
{
    for (int k = 0; k < 8; k++)
        r[k] = vec_load(vel + 8 * (size_t)index[k]);
    vec_transpose(r);
}

WIDE void vec_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes, vec r[8])
{
    vec_transpose(r);
    for (uint32_t k = 0; k < lanes; k++)
        if (index[k] < below)
            vec_store(vel + 8 * (size_t)index[k], r[k]);
}

/* The linear half of eight bodies' velocities and their inverse masses. */
typedef real half_vec __attribute__((vector_size(4 * sizeof(real))));

WIDE void half_gather(const real *vel, const uint32_t *index, vec r[4])
{
    half_vec h[8];
    for (int k = 0; k < 8; k++)
        h[k] = *(const half_vec *)(vel + 8 * (size_t)index[k]);
#define PAIR(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a, b)   __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
    const vec a = PAIR(h[0], h[4]), b = PAIR(h[1], h[5]), c = PAIR(h[2], h[6]),
              d = PAIR(h[3], h[7]);
    const vec ab_low = LOW(a, b), ab_high = HIGH(a, b), cd_low = LOW(c, d), cd_high = HIGH(c, d);
    r[0] = FIRST(ab_low, cd_low), r[1] = LAST(ab_low, cd_low);
    r[2] = FIRST(ab_high, cd_high), r[3] = LAST(ab_high, cd_high);
}

WIDE void half_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes,
                       const vec r[4])
{
    const vec low01 = LOW(r[0], r[1]), high01 = HIGH(r[0], r[1]);
    const vec low23 = LOW(r[2], r[3]), high23 = HIGH(r[2], r[3]);
    union {
        vec v[4];
        half_vec h[8];
    } u = {{FIRST(low01, low23), LAST(low01, low23), FIRST(high01, high23), LAST(high01, high23)}};
    static const uint8_t from[8] = {0, 2, 4, 6, 1, 3, 5, 7};
    for (uint32_t k = 0; k < lanes; k++)
        if (index[k] < below)
            *(half_vec *)(vel + 8 * (size_t)index[k]) = u.h[from[k]];
#undef PAIR
#undef LOW
#undef HIGH
#undef FIRST
#undef LAST
}

WIDE vec vec_dot(const vec *a, const vec *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WIDE void vec_cross(const vec *a, const vec *b, vec *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
