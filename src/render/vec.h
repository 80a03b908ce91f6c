/* Three numbers in single precision, and turns: what all of src/render computes with. Places are
 * counted from the middle of what is drawn, so that single precision is enough. */
#ifndef TL_RENDER_VEC_H
#define TL_RENDER_VEC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct vec {
    float x, y, z;
} vec;

/* A unit quaternion (w, x, y, z). */
typedef struct quat {
    float w, x, y, z;
} quat;

#define TLR_PI 3.14159265358979323846f

static inline vec v3(float x, float y, float z)
{
    return (vec){x, y, z};
}

static inline vec v_of(const double x[3])
{
    return (vec){(float)x[0], (float)x[1], (float)x[2]};
}

static inline vec v_add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec v_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec v_mul(vec a, vec b)
{
    return (vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline vec v_scale(vec a, float s)
{
    return (vec){a.x * s, a.y * s, a.z * s};
}

/* a + s b */
static inline vec v_along(vec a, float s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float v_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec v_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float v_length(vec a)
{
    return sqrtf(v_dot(a, a));
}

static inline vec v_unit(vec a)
{
    const float n = v_length(a);
    return n > 0 ? v_scale(a, 1 / n) : v3(0, 0, 1);
}

static inline vec v_mix(vec a, vec b, float t)
{
    return v_add(v_scale(a, 1 - t), v_scale(b, t));
}

static inline float v_most(vec a)
{
    const float m = a.y > a.z ? a.y : a.z; /* fmaxf() is a call */
    return a.x > m ? a.x : m;
}

/* How bright a colour is. */
static inline float v_luminance(vec c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

static inline vec v_mirror(vec v, vec n)
{
    return v_along(v_scale(v, -1), 2 * v_dot(v, n), n);
}

/* Two unit vectors across n, which is one. */
static inline void v_frame(vec n, vec *u, vec *v)
{
    const float sign = copysignf(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    *u = v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *v = v3(b, sign + n.y * n.y * a, -n.y);
}

/* The vector whose components in the frame u, v, n are those of a. */
static inline vec v_from(vec a, vec u, vec v, vec n)
{
    return v3(a.x * u.x + a.y * v.x + a.z * n.x, a.x * u.y + a.y * v.y + a.z * n.y,
              a.x * u.z + a.y * v.z + a.z * n.z);
}

static inline vec v_to(vec a, vec u, vec v, vec n)
{
    return v3(v_dot(a, u), v_dot(a, v), v_dot(a, n));
}

static inline vec turn_apply(quat q, vec a)
{
    const vec u = v3(q.x, q.y, q.z), c = v_scale(v_cross(u, a), 2);
    return v_add(v_along(a, q.w, c), v_cross(u, c));
}

static inline quat turn_back(quat q)
{
    return (quat){q.w, -q.x, -q.y, -q.z};
}

/* First b, then a. */
static inline quat turn_of(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline quat turn_unit(quat q)
{
    const float n = sqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(n > 0))
        return (quat){1, 0, 0, 0};
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

static inline quat turn_of_doubles(const double q[4])
{
    return turn_unit((quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]});
}

/* By the angle |a| about a. */
static inline quat turn_by(vec a)
{
    const float angle = v_length(a);
    if (angle < 1e-12f)
        return (quat){1, 0.5f * a.x, 0.5f * a.y, 0.5f * a.z};
    const float s = sinf(0.5f * angle) / angle;
    return (quat){cosf(0.5f * angle), s * a.x, s * a.y, s * a.z};
}

/* The vector that turn_by() makes q of, with an angle of at most pi. */
static inline vec turn_vector(quat q)
{
    if (q.w < 0)
        q = (quat){-q.w, -q.x, -q.y, -q.z};
    const vec u = v3(q.x, q.y, q.z);
    const float s = v_length(u);
    return s < 1e-12f ? v_scale(u, 2) : v_scale(u, 2 * atan2f(s, q.w) / s);
}

#endif
