/* Vectors for the wide kernels, of eight numbers or twice as many, and the velocities of so many
 * bodies as such: these are loaded as rows and transposed in registers, which is cheaper than
 * gathering numbers one by one. */
#ifndef TL_BACKEND_CPU_VEC_H
#define TL_BACKEND_CPU_VEC_H

#include <immintrin.h>

#include "kernels/real.h"

/* A row's step is a long chain of operations, each of which waits for the last. So two packets of
 * eight rows side by side take little longer than one, where there are registers for both. */
#if defined(__AVX512F__) && !defined(TLK_PRECISION_double)
#define WIDE_PACKETS 2u
#else
#define WIDE_PACKETS 1u
#endif
#define WIDE_LANES (WIDE_PACKETS * TLK_LANES)

typedef real packet __attribute__((vector_size(8 * sizeof(real))));
typedef real vec __attribute__((vector_size(WIDE_PACKETS * 8 * sizeof(real))));
#if defined(TLK_PRECISION_double)
typedef int64_t packet_bits __attribute__((vector_size(64)));
typedef int64_t vec_bits __attribute__((vector_size(64)));
#else
typedef int32_t packet_bits __attribute__((vector_size(32)));
typedef int32_t vec_bits __attribute__((vector_size(WIDE_PACKETS * 32)));
#endif

/* The rows of bodies of eight lanes, and what is true of each. */
typedef uint32_t eight_words __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t eight_bits __attribute__((vector_size(32)));

#define WIDE static inline __attribute__((always_inline, unused))

/* The elements of two vectors in another order; i counts those of the second from 8 on within each
 * packet. */
#if WIDE_PACKETS == 2
#define VEC_SHUFFLE(a, b, c, d, e, f, g, h, i, j)                                             \
    __builtin_shufflevector(a, b, VEC_LOW(c), VEC_LOW(d), VEC_LOW(e), VEC_LOW(f), VEC_LOW(g), \
                            VEC_LOW(h), VEC_LOW(i), VEC_LOW(j), VEC_HIGH(c), VEC_HIGH(d),     \
                            VEC_HIGH(e), VEC_HIGH(f), VEC_HIGH(g), VEC_HIGH(h), VEC_HIGH(i),  \
                            VEC_HIGH(j))
#define VEC_LOW(i)  ((i) < 8 ? (i) : (i) + 8)
#define VEC_HIGH(i) ((i) < 8 ? (i) + 8 : (i) + 16)
#else
#define VEC_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif

WIDE vec vec_set(real x)
{
    return x - (vec){0};
}

/* One vector of as many packets as it has, and packet q of it. */
WIDE vec vec_join(const packet *p)
{
#if WIDE_PACKETS == 2
    return __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                   15);
#else
    return p[0];
#endif
}

WIDE packet vec_packet(vec v, uint32_t q)
{
#if WIDE_PACKETS == 2
    return q ? __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
             : __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    (void)q;
    return v;
#endif
}

/* Which rows a vector has: the first of each of its packets. Where there are no more, the last
 * packet is there twice: what is done to it is done twice, with the same result. */
typedef struct vec_rows {
    uint32_t first[WIDE_PACKETS];
} vec_rows;

/* Field f of rows. */
WIDE vec vec_load(const real *from, vec_rows s, uint32_t f, uint32_t fields)
{
    packet p[WIDE_PACKETS];
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        p[q] = *(const packet *)(from + tlk_at(s.first[q], f, fields));
    return vec_join(p);
}

WIDE void vec_store(real *to, vec_rows s, uint32_t f, uint32_t fields, vec v)
{
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        *(packet *)(to + tlk_at(s.first[q], f, fields)) = vec_packet(v, q);
}

WIDE vec vec_select(vec_bits condition, vec yes, vec no)
{
    return (vec)((condition & (vec_bits)yes) | (~condition & (vec_bits)no));
}

WIDE vec vec_sqrt(vec x)
{
#if WIDE_PACKETS == 2
    return (vec)_mm512_sqrt_ps((__m512)x);
#elif !defined(TLK_PRECISION_double)
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

#define LOW(a, b)   VEC_SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)  VEC_SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) VEC_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  VEC_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

/* Rows to columns and back, in each packet. */
WIDE void vec_transpose(vec r[8])
{
    const vec t0 = LOW(r[0], r[1]), t1 = HIGH(r[0], r[1]), t2 = LOW(r[2], r[3]);
    const vec t3 = HIGH(r[2], r[3]), t4 = LOW(r[4], r[5]), t5 = HIGH(r[4], r[5]);
    const vec t6 = LOW(r[6], r[7]), t7 = HIGH(r[6], r[7]);
    const vec u0 = FIRST(t0, t2), u1 = LAST(t0, t2), u2 = FIRST(t1, t3), u3 = LAST(t1, t3);
    const vec u4 = FIRST(t4, t6), u5 = LAST(t4, t6), u6 = FIRST(t5, t7), u7 = LAST(t5, t7);
#define LEFT(a, b)  VEC_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define RIGHT(a, b) VEC_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    r[0] = LEFT(u0, u4), r[1] = LEFT(u1, u5), r[2] = LEFT(u2, u6), r[3] = LEFT(u3, u7);
    r[4] = RIGHT(u0, u4), r[5] = RIGHT(u1, u5), r[6] = RIGHT(u2, u6), r[7] = RIGHT(u3, u7);
#undef LEFT
#undef RIGHT
}

/* Velocities of a body for each lane: v (0-2), 1/m (3), omega (4-6), 1/I (7). */
WIDE void vec_gather(const real *vel, const uint32_t *index, vec r[8])
{
    for (uint32_t k = 0; k < 8; k++) {
        packet p[WIDE_PACKETS];
        for (uint32_t q = 0; q < WIDE_PACKETS; q++)
            p[q] = *(const packet *)(vel + 8 * (size_t)index[8 * q + k]);
        r[k] = vec_join(p);
    }
    vec_transpose(r);
}

WIDE void vec_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes, vec r[8])
{
    vec_transpose(r);
    for (uint32_t l = 0; l < lanes; l++)
        if (index[l] < below)
            *(packet *)(vel + 8 * (size_t)index[l]) = vec_packet(r[l % 8], l / 8);
}

/* The linear half of these velocities and their inverse masses. */
typedef real half_vec __attribute__((vector_size(4 * sizeof(real))));

/* Rows of four numbers to columns: rows[k] has those of lanes k and 4 + k of each packet; and back.
 */
WIDE void half_columns(const vec rows[4], vec r[4])
{
    const vec ab_low = LOW(rows[0], rows[1]), ab_high = HIGH(rows[0], rows[1]);
    const vec cd_low = LOW(rows[2], rows[3]), cd_high = HIGH(rows[2], rows[3]);
    r[0] = FIRST(ab_low, cd_low), r[1] = LAST(ab_low, cd_low);
    r[2] = FIRST(ab_high, cd_high), r[3] = LAST(ab_high, cd_high);
}

typedef union half_rows {
    vec v[4];
    half_vec h[4][2 * WIDE_PACKETS]; /* lane l is h[l % 4][l / 4] */
} half_rows;

WIDE half_rows half_back(const vec r[4])
{
    const vec low01 = LOW(r[0], r[1]), high01 = HIGH(r[0], r[1]);
    const vec low23 = LOW(r[2], r[3]), high23 = HIGH(r[2], r[3]);
    return (half_rows){
        {FIRST(low01, low23), LAST(low01, low23), FIRST(high01, high23), LAST(high01, high23)}};
}

WIDE void half_gather(const real *vel, const uint32_t *index, vec r[4])
{
    vec rows[4];
    for (uint32_t k = 0; k < 4; k++) {
        packet p[WIDE_PACKETS];
        for (uint32_t q = 0; q < WIDE_PACKETS; q++) {
            const half_vec a = *(const half_vec *)(vel + 8 * (size_t)index[8 * q + k]);
            const half_vec b = *(const half_vec *)(vel + 8 * (size_t)index[8 * q + 4 + k]);
            p[q] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        rows[k] = vec_join(p);
    }
    half_columns(rows, r);
}

WIDE void half_scatter(real *vel, const uint32_t *index, uint32_t below, uint32_t lanes,
                       const vec r[4])
{
    const half_rows u = half_back(r);
    for (uint32_t l = 0; l < lanes; l++)
        if (index[l] < below)
            *(half_vec *)(vel + 8 * (size_t)index[l]) = u.h[l % 4][l / 4];
}
#undef LOW
#undef HIGH
#undef FIRST
#undef LAST

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

/* Eight numbers in 64 bits. */
typedef double dvec __attribute__((vector_size(64)));
typedef int64_t dvec_bits __attribute__((vector_size(64)));

/* A packet in 64 bits; by __builtin_convertvector() GCC 12 takes two numbers at a time. */
WIDE dvec packet_widen(packet v)
{
#if defined(TLK_PRECISION_double)
    return v;
#elif defined(__AVX512F__)
    return (dvec)_mm512_cvtps_pd((__m256)v);
#else
    const union {
        __m256d half[2];
        dvec v;
    } u = {{_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v)),
            _mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1))}};
    return u.v;
#endif
}

/* Packet q of a vector in 64 bits. */
WIDE dvec vec_widen(vec v, uint32_t q)
{
    return __builtin_convertvector(vec_packet(v, q), dvec);
}

WIDE dvec dvec_select(dvec_bits condition, dvec yes, dvec no)
{
    return (dvec)((condition & (dvec_bits)yes) | (~condition & (dvec_bits)no));
}

WIDE dvec dvec_abs(dvec x)
{
    return (dvec)((dvec_bits)x & INT64_MAX);
}

/* Rows of eight numbers, as columns. */
WIDE void dvec_transpose(dvec r[8])
{
    dvec t[8], u[8];
    for (int k = 0; k < 4; k++) {
        t[2 * k] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[2 * k + 1] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4)
        for (int l = 0; l < 2; l++) {
            const dvec x = t[k + l], y = t[k + l + 2];
            u[k + l] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
            u[k + l + 2] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif
