/* What a kernel is made of: the macros, the real type and small vector algebra, for C and CUDA
 * alike. Included by kernel headers only. */
#ifndef TL_KERNELS_REAL_H
#define TL_KERNELS_REAL_H

/* Kernels are inlined, always. The narrow phase is too much for that: the compiler chooses. */
#if defined(__CUDACC__)
#define TL_NARROW static __device__ inline
#define TL_KERNEL static __device__ __forceinline__
#define TL_RARE   static __device__ __noinline__
#else
#define TL_NARROW static inline __attribute__((unused))
#define TL_KERNEL static inline __attribute__((always_inline, unused))
#define TL_RARE                                                                       \
    static __attribute__((noinline, unused)) /* kept out of the way of the usual case \
                                              */
#endif

#if defined(TLK_PRECISION_double)
typedef double real;
#else
typedef float real;
#endif
#define TLK_REAL real

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/bid.h"

#define tlk_min(a, b) ((a) < (b) ? (a) : (b))
#define tlk_max(a, b) ((a) > (b) ? (a) : (b))

TL_KERNEL real tlk_sqrt(real x)
{
#if defined(TLK_PRECISION_double)
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

TL_KERNEL real tlk_dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TL_KERNEL void tlk_cross(const real *a, const real *b, real *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

TL_KERNEL double tlk_dotd(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TL_KERNEL void tlk_crossd(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rotates v by the unit quaternion q. */
TL_KERNEL void tlk_rotate(const double *q, const double *v, double *out)
{
    double t[3], s[3];
    tlk_crossd(q + 1, v, t);
    t[0] += t[0], t[1] += t[1], t[2] += t[2];
    tlk_crossd(q + 1, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[0] * t[k] + s[k];
}

/* The same by the inverse rotation. */
TL_KERNEL void tlk_rotate_back(const double *q, const double *v, double *out)
{
    const double c[4] = {q[0], -q[1], -q[2], -q[3]};
    tlk_rotate(c, v, out);
}

/* The rotation matrix of a unit quaternion, by rows. */
TL_KERNEL void tlk_matrix(const double *q, double m[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0][0] = 1 - 2 * (y * y + z * z), m[0][1] = 2 * (x * y - w * z), m[0][2] = 2 * (x * z + w * y);
    m[1][0] = 2 * (x * y + w * z), m[1][1] = 1 - 2 * (x * x + z * z), m[1][2] = 2 * (y * z - w * x);
    m[2][0] = 2 * (x * z - w * y), m[2][1] = 2 * (y * z + w * x), m[2][2] = 1 - 2 * (x * x + y * y);
}

/* A matrix by rows times a vector. */
TL_KERNEL void tlk_apply(double m[3][3], const double *v, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = tlk_dotd(m[k], v);
}

/* The bits of a 32-bit number, and the number of such bits. */
TL_KERNEL uint32_t tlk_float_bits(float x)
{
#if defined(__CUDACC__)
    return __float_as_uint(x);
#else
    const union {
        float number;
        uint32_t bits;
    } u = {.number = x};
    return u.bits;
#endif
}

TL_KERNEL float tlk_bits_float(uint32_t bits)
{
#if defined(__CUDACC__)
    return __uint_as_float(bits);
#else
    const union {
        uint32_t bits;
        float number;
    } u = {.bits = bits};
    return u.number;
#endif
}

/* Where field f of row s is in an array of packets with `fields` fields. */
TL_KERNEL uint32_t tlk_lane(uint32_t s)
{
    return s & (TLK_LANES - 1);
}

TL_KERNEL size_t tlk_at(uint32_t s, uint32_t f, uint32_t fields)
{
    return ((size_t)(s / TLK_LANES) * fields + f) * TLK_LANES + tlk_lane(s);
}

/* Items are what sweeps go through: each is a row, or from anchor_base on `rows` of them, those of
 * one pair of shapes; eight items are so many packets. The first row of an item: the others follow
 * one packet on each. */
TL_KERNEL uint32_t tlk_item_row(uint32_t item, uint32_t anchor_base, uint32_t rows)
{
    const uint32_t lane = tlk_lane(item);
    return item < anchor_base ? item : anchor_base + (item - lane - anchor_base) * rows + lane;
}

/* Four numbers, the linear or the angular half of a body's velocity; on a GPU by loads and stores
 * of 16 bytes. */
TL_KERNEL void tlk_load4(const real *from, real *to)
{
#if defined(__CUDACC__) && defined(TLK_PRECISION_double)
    const double2 v = ((const double2 *)from)[0], w = ((const double2 *)from)[1];
    to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
#elif defined(__CUDACC__)
    const float4 v = *(const float4 *)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
#else
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
#endif
}

TL_KERNEL void tlk_store4(real *to, const real *from)
{
#if defined(__CUDACC__) && defined(TLK_PRECISION_double)
    ((double2 *)to)[0] = make_double2(from[0], from[1]);
    ((double2 *)to)[1] = make_double2(from[2], from[3]);
#elif defined(__CUDACC__)
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
#else
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
#endif
}

/* The same from memory to memory. */
TL_KERNEL void tlk_copy4(const real *from, real *to)
{
#if defined(__CUDACC__)
    real v[4];
    tlk_load4(from, v);
    tlk_store4(to, v);
#else
    __builtin_memcpy(to, from, 4 * sizeof *to);
#endif
}

TL_KERNEL void tlk_load8(const real *from, real *to)
{
    tlk_load4(from, to);
    tlk_load4(from + 4, to + 4);
}

TL_KERNEL void tlk_store8(real *to, const real *from)
{
    tlk_store4(to, from);
    tlk_store4(to + 4, from + 4);
}

/* Four 64-bit numbers that begin at a multiple of 32 bytes. */
TL_KERNEL void tlk_load4d(const double *from, double *to)
{
#if defined(__CUDACC__)
    const double2 low = ((const double2 *)from)[0], high = ((const double2 *)from)[1];
    to[0] = low.x, to[1] = low.y, to[2] = high.x, to[3] = high.y;
#else
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
#endif
}

TL_KERNEL void tlk_store4d(double *to, const double *from)
{
#if defined(__CUDACC__)
    ((double2 *)to)[0] = make_double2(from[0], from[1]);
    ((double2 *)to)[1] = make_double2(from[2], from[3]);
#else
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
#endif
}

/* The highest bit of a number that is not 0. */
TL_KERNEL uint32_t tlk_top_bit(uint64_t bits)
{
#if defined(__CUDACC__)
    return 63u - (uint32_t)__clzll((long long)bits);
#else
    return 63u - (uint32_t)__builtin_clzll(bits);
#endif
}

/* Integer atomics; their result does not depend on the order of threads. Those that return what was
 * there before: that does. */
TL_KERNEL uint64_t tlk_atomic_or(uint64_t *p, uint64_t bits)
{
#if defined(__CUDACC__)
    return atomicOr((unsigned long long *)p, (unsigned long long)bits);
#else
    return __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
#endif
}

TL_KERNEL void tlk_atomic_max(uint64_t *p, uint64_t value)
{
#if defined(__CUDACC__)
    atomicMax((unsigned long long *)p, (unsigned long long)value);
#else
    uint64_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value > seen && !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) {
    }
#endif
}

TL_KERNEL void tlk_atomic_or32(uint32_t *p, uint32_t bits)
{
#if defined(__CUDACC__)
    atomicOr(p, bits);
#else
    __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
#endif
}

TL_KERNEL uint32_t tlk_atomic_add32(uint32_t *p, uint32_t value)
{
#if defined(__CUDACC__)
    return atomicAdd(p, value);
#else
    return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

/* A store that other threads may make too, of the same value. */
TL_KERNEL void tlk_atomic_set(uint64_t *p, uint64_t value)
{
#if defined(__CUDACC__)
    *(volatile unsigned long long *)p = value;
#else
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
#endif
}

/* What of a gap or an overlap the velocities of a step are to make up for, m/s (eq. 10). */
TL_KERNEL double tlk_gap_bias(const tlk_recovery *r, double gap)
{
    if (gap >= 0)
        return gap / r->h;
    if (r->split)
        return 0;
    const double bias = tlk_max(gap / r->h * r->fraction, -r->speed);
    return r->gravity > 0 ? tlk_max(bias, -sqrt(-2 * r->gravity * gap)) : bias;
}

#endif
