/* Rotations as unit quaternions (w, x, y, z) and as rotation vectors: along the axis, as long as
 * the angle (rad). */
#ifndef TL_BASE_TURN_H
#define TL_BASE_TURN_H

#include <math.h>
#include <stdbool.h>

/* The quaternion of the rotation vector direction * amount. */
static inline void tl_turn_exp(const double direction[3], double amount, double q[4])
{
    const double *w = direction;
    const double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    if (speed == 0)
        return;
    const double s = sin(0.5 * speed * amount) / speed;
    q[0] = cos(0.5 * speed * amount);
    for (int k = 0; k < 3; k++)
        q[k + 1] = s * w[k];
}

/* The rotation vector of at most half a turn. */
static inline void tl_turn_log(const double q[4], double vector[3])
{
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sign = q[0] < 0 ? -1 : 1;
    const double scale = sine > 0 ? sign * 2 * atan2(sine, fabs(q[0])) / sine : 0;
    for (int k = 0; k < 3; k++)
        vector[k] = scale * q[k + 1];
}

/* First p, then r. */
static inline void tl_turn_join(const double r[4], const double p[4], double q[4])
{
    q[0] = r[0] * p[0] - r[1] * p[1] - r[2] * p[2] - r[3] * p[3];
    q[1] = r[0] * p[1] + r[1] * p[0] + r[2] * p[3] - r[3] * p[2];
    q[2] = r[0] * p[2] - r[1] * p[3] + r[2] * p[0] + r[3] * p[1];
    q[3] = r[0] * p[3] + r[1] * p[2] - r[2] * p[1] + r[3] * p[0];
}

/* A vector, turned. */
static inline void tl_turn_apply(const double q[4], const double v[3], double out[3])
{
    const double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                         2 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

/* The rotation vector, of at most half a turn, that leads from one rotation vector to another. */
static inline void tl_turn_between(const double from[3], const double to[3], double vector[3])
{
    double back[4], there[4], q[4];
    tl_turn_exp(from, -1, back);
    tl_turn_exp(to, 1, there);
    tl_turn_join(there, back, q);
    tl_turn_log(q, vector);
}

/* Whether two vectors lie along one line, within a part of their lengths; zero lies along all. */
static inline bool tl_turn_aligned(const double a[3], const double b[3], double within)
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    return square <= within * within * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) *
                         (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
}

#endif
