/* The check of bodies, four at once: all of it is in 64-bit, and vectors of more than 32 bytes are
 * none of AVX2's. Bodies follow each other, so what each has side by side is loaded as it lies and
 * transposed. */
#ifndef TL_BACKEND_CPU_WIDE_BODIES_H
#define TL_BACKEND_CPU_WIDE_BODIES_H

#include "backend/cpu/vec.h"
#include "kernels/bodies.h"

typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));

#define QUAD 4u

WIDE quad quad_select(quad_bits condition, quad yes, quad no)
{
    return (quad)((condition & (quad_bits)yes) | (~condition & (quad_bits)no));
}

WIDE bool quad_all(quad_bits condition)
{
    return _mm256_movemask_pd((__m256d)condition) == 0xf;
}

WIDE quad quad_dot(const quad *a, const quad *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WIDE void quad_cross(const quad *a, const quad *b, quad *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

WIDE quad quad_sqrt(quad x)
{
    return (quad)_mm256_sqrt_pd((__m256d)x);
}

/* Rows to columns. */
WIDE void quad_transpose(quad r[4])
{
    const quad t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const quad t1 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const quad t2 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const quad t3 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

/* Four numbers of each of four bodies. */
WIDE void wide_load_rows(const double *from, uint32_t i, quad r[4])
{
    for (uint32_t l = 0; l < QUAD; l++)
        r[l] = *(const quad *)(from + 4 * (size_t)(i + l));
    quad_transpose(r);
}

/* Their velocities: linear, then angular. */
WIDE void wide_load_velocity(const real *vel, uint32_t i, quad v[6])
{
    for (int part = 0; part < 2; part++) {
        quad r[4];
        for (uint32_t l = 0; l < QUAD; l++) {
            const half_vec half = *(const half_vec *)(vel + 8 * (size_t)(i + l) + 4 * part);
            r[l] = __builtin_convertvector(half, quad);
        }
        quad_transpose(r);
        for (int k = 0; k < 3; k++)
            v[3 * part + k] = r[k];
    }
}

/* What turning them takes. */
typedef struct wide_moments {
    quad inertia[4], quat[4];
    quad_bits turned; /* lanes whose moments differ */
    bool any;         /* there are such */
} wide_moments;

WIDE void wide_load_moments(const tlk_bodies *b, uint32_t i, wide_moments *out)
{
    int32_t word __attribute__((vector_size(16)));
    __builtin_memcpy(&word, b->flags + i, sizeof word);
    const quad_bits flags = __builtin_convertvector(word, quad_bits);
    out->turned = (flags & (int64_t)TLK_BODY_ANISOTROPIC) != 0;
    out->any = !quad_all(~out->turned);
    wide_load_rows(b->inertia, i, out->inertia);
    if (out->any)
        wide_load_rows(b->quat, i, out->quat);
}

/* tlk_rotate_back of the lanes whose moments differ. */
WIDE void wide_into_frame(const wide_moments *b, const quad *v, quad *out)
{
    const quad c[3] = {-b->quat[1], -b->quat[2], -b->quat[3]};
    quad t[3], s[3];
    quad_cross(c, v, t);
    t[0] += t[0], t[1] += t[1], t[2] += t[2];
    quad_cross(c, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = quad_select(b->turned, v[k] + b->quat[0] * t[k] + s[k], v[k]);
}

/* tlk_body_product */
WIDE quad wide_product(const wide_moments *b, const quad *d, const quad *e)
{
    quad turn[3] = {d[3], d[4], d[5]}, spin[3] = {e[3], e[4], e[5]};
    if (b->any) {
        wide_into_frame(b, d + 3, turn);
        wide_into_frame(b, e + 3, spin);
    }
    quad sum = b->inertia[3] * quad_dot(d, e);
    for (int k = 0; k < 3; k++)
        sum += b->inertia[k] * turn[k] * spin[k];
    return sum;
}

/* tlk_body_work */
WIDE void wide_work(const tlk_motion *m, uint32_t i, const wide_moments *b, const quad *v,
                    const quad *old, const quad *p, quad *acc)
{
    quad free[6], mean[6], contact[6], forces[6];
    wide_load_velocity(m->free, i, free);
    for (int k = 0; k < 6; k++) {
        mean[k] = 0.5 * (v[k] + old[k]);
        contact[k] = v[k] - free[k];
        forces[k] = free[k] - old[k];
    }
    quad work = wide_product(b, contact, mean);
    if (m->pseudo) {
        work -= wide_product(b, forces, p);
        for (int k = 0; k < 6; k++)
            mean[k] += p[k];
    }
    const quad weight = m->h * b->inertia[3];
    const quad fall = m->gravity[0] * mean[0] + m->gravity[1] * mean[1] + m->gravity[2] * mean[2];
    acc[0] += work;
    acc[1] += wide_product(b, forces, mean) - weight * fall;
}

/* tlk_body_layer */
WIDE void wide_layer(const tlk_motion *m, const quad *mass, const quad *x, const quad *v,
                     const quad *old, quad *acc)
{
    const double *up = m->up;
    const quad zero = {0}, change[3] = {v[0] - old[0], v[1] - old[1], v[2] - old[2]};
    const quad place = up[0] * x[0] + up[1] * x[1] + up[2] * x[2];
    const quad height = (place - m->layer[0]) * m->layer[1];
    const quad rise = up[0] * change[0] + up[1] * change[1] + up[2] * change[2];
    const quad gain = -*mass * rise;
    const quad_bits first = height >= 1, second = height >= 2, third = height >= 3;
    acc[0] += quad_select(first, zero, gain);
    acc[1] += quad_select(first & ~second, gain, zero);
    acc[2] += quad_select(second & ~third, gain, zero);
    acc[3] += quad_select(third, gain, zero);
}

/* Whether four bodies may move as they are to; then tlk_check_bodies for them. A lane of `acc` is a
 * body. */
WIDE bool wide_check_packet(const tlk_motion *m, uint32_t i, quad *acc)
{
    wide_moments b;
    quad v[6], old[6], x[4], p[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
    wide_load_velocity(m->vel, i, v);
    wide_load_velocity(m->bodies.vel, i, old);
    if (m->pseudo)
        wide_load_velocity(m->pseudo, i, p);
    wide_load_rows(m->bodies.pos, i, x);
    const quad speed = quad_dot(v, v), spin = quad_dot(v + 3, v + 3);
    const quad zero = {0}, limit = zero + m->max_speed * m->max_speed;
    quad turn = zero, push = zero, off = zero;
    quad_bits fine = (speed <= limit) & (spin < 1e24);
    for (int k = 0; k < 3; k++) {
        const quad angle = m->h * (v[3 + k] + p[3 + k]), way = v[k] + p[k], out = way - old[k];
        const quad to = x[k] + m->h * way;
        fine &= (to < TLK_FAR) & (to > -TLK_FAR);
        push += way * way;
        turn += angle * angle;
        off += out * out;
    }
    fine &= (push <= limit) & (turn < 1e24) & (m->h * m->h * off <= m->jump * m->jump);
    if (!quad_all(fine))
        return false;
    wide_load_moments(&m->bodies, i, &b);
    acc[1] += quad_sqrt(quad_sqrt(speed));
    wide_work(m, i, &b, v, old, p, acc + 2);
    wide_layer(m, &b.inertia[3], x, v, old, acc + 4);
    return true;
}

/* The same, one by one: to say which of them must not move, and those that are no four. */
WIDE void wide_check_each(const tlk_motion *m, uint32_t i, uint32_t end, quad *acc)
{
    for (uint32_t l = 0; l < QUAD && i + l < end; l++) {
        double own[8];
        for (int k = 0; k < 8; k++)
            own[k] = acc[k][l];
        tlk_check_bodies(m, i + l, own);
        for (int k = 0; k < 8; k++)
            acc[k][l] = own[k];
    }
}

static void wide_check_bodies(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_motion m = *(const tlk_motion *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    quad acc[2][8];
    start_lanes(8, "msssssss", lanes);
    for (int k = 0; k < 8; k++)
        acc[0][k] = acc[1][k] = (quad){0} + lanes[0][k];
    for (uint32_t i = begin; i < end; i += QUAD) {
        quad *own = acc[i / QUAD % 2];
        if (end - i < QUAD || m.looks || m.whole || !wide_check_packet(&m, i, own))
            wide_check_each(&m, i, end, own);
    }
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[l / QUAD][k][l % QUAD];
    fold_lanes(8, "msssssss", lanes, numbers);
}

#endif
