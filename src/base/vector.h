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

/* The inverse of a symmetric matrix. */
static inline void tl_invert(double m[3][3], double out[3][3])
{
    double c[3][3];
    for (int k = 0; k < 3; k++)
        tl_cross(m[(k + 1) % 3], m[(k + 2) % 3], c[k]);
    const double det = tl_dot(m[0], c[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = c[i][k] / det;
}

#endif
