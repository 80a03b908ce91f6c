/* The check of bodies, eight at once. Bodies follow each other, so what each has side by side is
 * loaded as it lies and transposed. */
#ifndef TL_BACKEND_CPU_WIDE_BODIES_H
#define TL_BACKEND_CPU_WIDE_BODIES_H

#include "backend/cpu/vec.h"
#include "kernels/bodies.h"

/* Eight bodies from row i on, in 64-bit. */
typedef struct wide_bodies {
    dvec inertia[4], quat[4];
    dvec_bits turned; /* lanes whose moments differ */
    bool any;         /* there are such */
} wide_bodies;

WIDE void wide_load_moments(const tlk_bodies *b, uint32_t i, wide_bodies *out)
{
    int32_t word __attribute__((vector_size(32)));
    __builtin_memcpy(&word, b->flags + i, sizeof word);
    const dvec_bits flags = __builtin_convertvector(word, dvec_bits);
    out->turned = (flags & (int64_t)TLK_BODY_ANISOTROPIC) != 0;
    out->any = !dvec_all(~out->turned);
    dvec_columns(b->inertia + 4 * (size_t)i, out->inertia);
    if (out->any)
        dvec_columns(b->quat + 4 * (size_t)i, out->quat);
}

/* Six numbers of each of eight bodies: linear, then angular. */
WIDE void wide_load_velocity(const real *vel, uint32_t i, dvec v[6])
{
    vec rows[8];
    for (uint32_t l = 0; l < TLK_LANES; l++)
        rows[l] = vec_load(vel + 8 * (size_t)(i + l));
    vec_transpose(rows);
    for (int k = 0; k < 6; k++)
        v[k] = vec_widen(rows[k < 3 ? k : k + 1]);
}

WIDE void dvec_cross(const dvec *a, const dvec *b, dvec *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* tlk_rotate_back of the lanes whose moments differ. */
WIDE void wide_into_frame(const wide_bodies *b, const dvec *v, dvec *out)
{
    const dvec c[3] = {-b->quat[1], -b->quat[2], -b->quat[3]};
    dvec t[3], s[3];
    dvec_cross(c, v, t);
    t[0] += t[0], t[1] += t[1], t[2] += t[2];
    dvec_cross(c, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = dvec_select(b->turned, v[k] + b->quat[0] * t[k] + s[k], v[k]);
}

/* tlk_body_product */
WIDE dvec wide_product(const wide_bodies *b, const dvec *d, const dvec *e)
{
    dvec turn[3] = {d[3], d[4], d[5]}, spin[3] = {e[3], e[4], e[5]};
    if (b->any) {
        wide_into_frame(b, d + 3, turn);
        wide_into_frame(b, e + 3, spin);
    }
    dvec sum = b->inertia[3] * dvec_dot(d, e);
    for (int k = 0; k < 3; k++)
        sum += b->inertia[k] * turn[k] * spin[k];
    return sum;
}

/* tlk_body_work */
WIDE void wide_work(const tlk_motion *m, uint32_t i, const wide_bodies *b, const dvec *v,
                    const dvec *old, const dvec *p, dvec *acc)
{
    dvec free[6], mean[6], contact[6], forces[6];
    wide_load_velocity(m->free, i, free);
    for (int k = 0; k < 6; k++) {
        mean[k] = 0.5 * (v[k] + old[k]);
        contact[k] = v[k] - free[k];
        forces[k] = free[k] - old[k];
    }
    dvec work = wide_product(b, contact, mean);
    if (m->pseudo) {
        work -= wide_product(b, forces, p);
        for (int k = 0; k < 6; k++)
            mean[k] += p[k];
    }
    const dvec weight = m->h * b->inertia[3];
    const dvec fall = m->gravity[0] * mean[0] + m->gravity[1] * mean[1] + m->gravity[2] * mean[2];
    acc[0] += work;
    acc[1] += wide_product(b, forces, mean) - weight * fall;
}

/* tlk_body_layer */
WIDE void wide_layer(const tlk_motion *m, const dvec *mass, const dvec *x, const dvec *v,
                     const dvec *old, dvec *acc)
{
    const double *up = m->up;
    const dvec zero = {0}, change[3] = {v[0] - old[0], v[1] - old[1], v[2] - old[2]};
    const dvec place = up[0] * x[0] + up[1] * x[1] + up[2] * x[2];
    const dvec height = (place - m->layer[0]) * m->layer[1];
    const dvec rise = up[0] * change[0] + up[1] * change[1] + up[2] * change[2];
    const dvec gain = -*mass * rise;
    const dvec_bits first = height >= 1, second = height >= 2, third = height >= 3;
    acc[0] += dvec_select(first, zero, gain);
    acc[1] += dvec_select(first & ~second, gain, zero);
    acc[2] += dvec_select(second & ~third, gain, zero);
    acc[3] += dvec_select(third, gain, zero);
}

/* Whether all eight bodies may move as they are to; then tlk_check_bodies for them. A lane of `acc`
 * is a body. */
WIDE bool wide_check_packet(const tlk_motion *m, uint32_t i, dvec *acc)
{
    wide_bodies b;
    dvec v[6], old[6], x[4], p[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
    wide_load_velocity(m->vel, i, v);
    wide_load_velocity(m->bodies.vel, i, old);
    if (m->pseudo)
        wide_load_velocity(m->pseudo, i, p);
    dvec_columns(m->bodies.pos + 4 * (size_t)i, x);
    const dvec speed = dvec_dot(v, v), spin = dvec_dot(v + 3, v + 3);
    const dvec zero = {0}, limit = zero + m->max_speed * m->max_speed;
    dvec turn = zero, push = zero, off = zero;
    dvec_bits fine = (speed <= limit) & (spin < 1e24);
    for (int k = 0; k < 3; k++) {
        const dvec angle = m->h * (v[3 + k] + p[3 + k]), way = v[k] + p[k], out = way - old[k];
        const dvec to = x[k] + m->h * way;
        fine &= (to < TLK_FAR) & (to > -TLK_FAR);
        push += way * way;
        turn += angle * angle;
        off += out * out;
    }
    fine &= (push <= limit) & (turn < 1e24) & (m->h * m->h * off <= m->jump * m->jump);
    if (!dvec_all(fine))
        return false;
    wide_load_moments(&m->bodies, i, &b);
    acc[1] += dvec_sqrt(dvec_sqrt(speed));
    wide_work(m, i, &b, v, old, p, acc + 2);
    wide_layer(m, &b.inertia[3], x, v, old, acc + 4);
    return true;
}

static void wide_check_bodies(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_motion m = *(const tlk_motion *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    dvec acc[8];
    start_lanes(8, "msssssss", lanes);
    for (int k = 0; k < 8; k++)
        acc[k] = (dvec){0} + lanes[0][k];
    for (uint32_t i = begin; i < end; i += TLK_LANES) {
        if (end - i >= TLK_LANES && !m.looks && wide_check_packet(&m, i, acc))
            continue;
        for (uint32_t l = 0; l < TLK_LANES && i + l < end; l++) { /* one by one, to say which */
            double own[8];
            for (int k = 0; k < 8; k++)
                own[k] = acc[k][l];
            tlk_check_bodies(&m, i + l, own);
            for (int k = 0; k < 8; k++)
                acc[k][l] = own[k];
        }
    }
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < 8; k++)
            lanes[l][k] = acc[k][l];
    fold_lanes(8, "msssssss", lanes, numbers);
}

#endif
