/* Vectors of three numbers, on the host. */
#ifndef TL_BASE_VECTOR_H
#define TL_BASE_VECTOR_H

#include <math.h>

static inline void tl_sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static inline double tl_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tl_cross(const double a[3], const double b[3], double out[3])
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    for (int k = 0; k < 3; k++)
        out[k] = c[k];
}

static inline double tl_length(const double a[3])
{
    return sqrt(tl_dot(a, a));
}

#endif
