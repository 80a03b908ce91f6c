/* Plain pairs: one point, with Hertz's law alone, without cohesion, rolling and spinning friction
 * and surfaces that move in themselves. Where surfaces are comes of 64-bit places; from there on
 * all is `real`: the law of hertz.h and contact.h, what the contact keeps, and what acts. */
#ifndef TL_KERNELS_PENALTY_PLAIN_H
#define TL_KERNELS_PENALTY_PLAIN_H

#include "kernels/narrow.h"
#include "kernels/penalty/hertz.h"

/* What is the same for a pair of one point as long as it is a pair. It has the size of four real
 * numbers, TLK_COUPLE, which vectors load at once. */
typedef struct tlk_couple {
    real radius, mass; /* R*, m*; m, kg */
    uint32_t law;      /* which row of the table */
    uint32_t plain;    /* 1: it is */
#ifdef TLK_PRECISION_double
    double unused;
#endif
} tlk_couple;

/* On a GPU by loads of 16 bytes. */
TL_KERNEL tlk_couple tlk_load_couple(const tlk_couple *from)
{
#if defined(__CUDACC__) && defined(TLK_PRECISION_double)
    const double2 sizes = ((const double2 *)from)[0];
    const uint2 law = ((const uint2 *)from)[2];
    const tlk_couple of = {sizes.x, sizes.y, law.x, law.y, 0};
    return of;
#elif defined(__CUDACC__)
    const uint4 all = *(const uint4 *)from;
    const tlk_couple of = {__uint_as_float(all.x), __uint_as_float(all.y), all.z, all.w};
    return of;
#else
    return *from;
#endif
}

/* What balls of these radii come to, whose bodies have these inverse masses: 0 of what is not
 * dynamic. All is `real`, so that bodies may work it out where they meet. */
TL_KERNEL tlk_couple tlk_plain_couple(real ra, real rb, real ia, real ib)
{
    tlk_couple of = {.radius = ra * rb / (ra + rb), .mass = 1 / (ia + ib), .law = 0, .plain = 1};
    return of;
}

/* Whether a contact touched when what it keeps was written, in one pass over bodies: it has a
 * stiffness. */
TL_KERNEL bool tlk_penalty_touched(const tlk_penalty *p, size_t q)
{
    return p->past[TLK_PAST_PLAIN * q + TLK_PAST_SLOPE] > 0;
}

/* TLK_ACTS and TLK_KEEPS of a pair of one point. */
TL_KERNEL uint32_t tlk_penalty_acts(const tlk_penalty *p, size_t q)
{
    if (p->acts)
        return p->acts[q];
    return tlk_penalty_touched(p, q) ? TLK_ACTS | TLK_KEEPS : 0;
}

/* The bodies of a pair of one point. */
TL_KERNEL void tlk_couple_bodies(const tlk_penalty *p, size_t q, uint32_t *row)
{
    row[0] = p->shapes.body[p->a[q]], row[1] = p->shapes.body[p->b[q]];
}

/* Where two surfaces meet: halfway between them, which is c + reach n of each side, c a point that
 * is known of the side: the centre of its ball, of a wall that of the other's. */
typedef struct tlk_plain_spot {
    real n[3], overlap; /* from a to b */
    real reach_a, reach_b;
    double ca[3], cb[3];
} tlk_plain_spot;

/* Balls a and b; returns what is below 0 where they overlap. What is small is the difference of two
 * squares, in 64 bits; with it known, the root and the quotients are `real`. */
TL_KERNEL double tlk_plain_balls(const double *a, const double *b, tlk_plain_spot *m)
{
    const double sum = a[3] + b[3];
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = b[k] - a[k];
        m->ca[k] = a[k], m->cb[k] = b[k];
    }
    const double square = tlk_dotd(d, d), beyond = square - sum * sum;
    const real distance = tlk_sqrt((real)square), inverse = 1 / distance;
    const real gap = (real)beyond / (distance + (real)sum);
    for (int k = 0; k < 3; k++)
        m->n[k] = distance > 0 ? (real)d[k] * inverse : (real)(k == 2);
    m->overlap = -gap;
    m->reach_a = (real)a[3] + (real)0.5 * gap;
    m->reach_b = -(real)b[3] - (real)0.5 * gap;
    return beyond;
}

/* A ball and a wall, shapes i and j in either order. */
TL_KERNEL double tlk_plain_wall(const tlk_penalty *p, uint32_t i, uint32_t j, tlk_plain_spot *m)
{
    struct {
        double n[3];
    } wall; /* apart from other arrays: see tlk_penalty_kick() */
    double c[4];
    const double gap = tlk_narrow_frame(&p->shapes, i, j, wall.n);
    const bool from_i = (p->shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    tlk_load4d(p->shapes.centre + 4 * (size_t)(from_i ? i : j), c);
    for (int k = 0; k < 3; k++) {
        m->n[k] = (real)wall.n[k];
        m->ca[k] = m->cb[k] = c[k];
    }
    m->overlap = (real)-gap;
    m->reach_a = m->reach_b = (real)(from_i ? c[3] + 0.5 * gap : -(c[3] + 0.5 * gap));
    return gap;
}

/* Shapes i and j of a plain pair, whose centres are a and b; returns what is below 0 where they
 * overlap. */
TL_KERNEL double tlk_plain_meet(const tlk_penalty *p, uint32_t i, uint32_t j, const double *a,
                                const double *b, tlk_plain_spot *m)
{
    return a[3] < 0 || b[3] < 0 ? tlk_plain_wall(p, i, j, m) : tlk_plain_balls(a, b, m);
}

/* The anchor of a body, off + reach n, and the velocity of its surface there. */
TL_KERNEL void tlk_plain_reach(const real *off, real reach, const real *n, const real *vel,
                               real *anchor, real *of)
{
    real turn[3];
    for (int k = 0; k < 3; k++)
        anchor[k] = off[k] + reach * n[k];
    tlk_cross(vel + 4, anchor, turn);
    for (int k = 0; k < 3; k++)
        of[k] = vel[k] + turn[k];
}

/* The same of a body at x. */
TL_KERNEL void tlk_plain_surface(const double *c, const double *x, real reach, const real *n,
                                 const real *vel, real *anchor, real *of)
{
    real off[3];
    for (int k = 0; k < 3; k++)
        off[k] = (real)(c[k] - x[k]);
    tlk_plain_reach(off, reach, n, vel, anchor, of);
}

/* The velocity of a body, as forces see it. */
TL_KERNEL void tlk_plain_velocity(const tlk_penalty *p, size_t body, real *vel)
{
    if (p->light) {
        tlk_load8(p->pace + 8 * body, vel);
        return;
    }
    for (int k = 0; k < 8; k++)
        vel[k] = (real)p->vel[8 * body + k];
}

/* What a plain pair comes to. */
typedef struct tlk_plain_act {
    real f[3];          /* N: on the partner */
    real lost;          /* J: by damping and slip */
    real elastic;       /* J */
    real slope, damper; /* N/m, N s/m: along the normal */
    real shear_slope;   /* N/m */
} tlk_plain_act;

/* tlk_shear_spring */
TL_KERNEL void tlk_plain_shear(const tlk_penalty *p, const real *n, const real *slip, real limit,
                               real slope, real damper, real *past, real *shear, tlk_plain_act *out)
{
    const real weight = (real)p->weight, grows = slope * (real)p->advance;
    const real old = past[TLK_PAST_SLOPE], inverse = 1 / old;
    const real before = tlk_dot(past, past), along = tlk_dot(past, n), most = limit * limit;
    real force[3];
    for (int k = 0; k < 3; k++)
        force[k] = past[k] - along * n[k];
    const real turned = tlk_dot(force, force);
    real scale = turned > 0 ? tlk_sqrt(before / turned) : 0;
    scale *= slope < old ? slope * inverse : 1;
    for (int k = 0; k < 3; k++)
        force[k] = scale * force[k] + grows * slip[k];
    real square = tlk_dot(force, force);
    const bool slips = square > most;
    for (int k = 0; k < 3; k++)
        shear[k] = force[k] + (slips ? 0 : damper * slip[k]);
    const real total = tlk_dot(shear, shear);
    const real less = total > most ? limit / tlk_sqrt(total) : 1;
    for (int k = 0; k < 3; k++)
        shear[k] *= less;
    square = slips ? most : square;
    const real now = slope > 0 ? (real)0.5 * square / slope : 0;
    out->lost = weight * tlk_dot(shear, slip);
    if (p->commits) {
        out->lost -= now - (old > 0 ? (real)0.5 * before * inverse : 0);
        for (int k = 0; k < 3; k++)
            past[k] = slips ? shear[k] : force[k];
        past[TLK_PAST_SLOPE] = slope;
    }
    out->elastic += now;
}

/* Stiffness along the normal and across it, and the damper, of surfaces that overlap so. */
TL_KERNEL void tlk_plain_slopes(const tlk_penalty *p, const tlk_couple *of, real overlap,
                                tlk_plain_act *out)
{
    const double *law = p->table + TLK_LAW_NUMBERS * (size_t)of->law;
    const real contact = tlk_sqrt(of->radius * overlap);
    out->slope = (real)(2 * law[TLK_LAW_YOUNG]) * contact;
    out->damper = (real)(law[TLK_LAW_RATIO] * TLK_HERTZ_DAMPING) * tlk_sqrt(out->slope * of->mass);
    out->shear_slope = (real)(8 * law[TLK_LAW_SHEAR]) * contact;
}

/* tlk_hertz: surfaces that overlap by `overlap` and move with of_a and of_b. */
TL_KERNEL void tlk_plain_press(const tlk_penalty *p, const tlk_couple *of, const real *n,
                               real overlap, const real *of_a, const real *of_b, real *past,
                               tlk_plain_act *out)
{
    const double *law = p->table + TLK_LAW_NUMBERS * (size_t)of->law;
    real slip[3], shear[3], approach = 0;
    for (int k = 0; k < 3; k++)
        approach += (of_a[k] - of_b[k]) * n[k];
    for (int k = 0; k < 3; k++)
        slip[k] = of_a[k] - of_b[k] - approach * n[k];
    tlk_plain_slopes(p, of, overlap, out);
    const real spring = (real)(2.0 / 3) * out->slope * overlap;
    const real raw = out->damper * approach;
    const real damped = spring + raw < 0 && !p->attraction ? -spring : raw;
    const real normal = spring + damped;
    out->elastic = (real)0.4 * spring * overlap;
    tlk_plain_shear(p, n, slip, (real)law[TLK_LAW_FRICTION] * (normal > 0 ? normal : 0),
                    out->shear_slope, (real)law[TLK_LAW_ACROSS] * out->damper, past, shear, out);
    out->lost += (real)p->weight * (damped * approach);
    for (int k = 0; k < 3; k++)
        out->f[k] = normal * n[k] + shear[k];
}

/* What the last forces leave of a slot. */
TL_KERNEL void tlk_plain_last(const tlk_penalty *p, size_t q, const tlk_plain_act *act)
{
    const real first[4] = {act->elastic, act->f[0], act->f[1], act->f[2]};
    real *last = p->last + p->lasts * q;
    tlk_store4(last, first);
    if (p->lasts != TLK_LAST)
        return;
    last[TLK_LAST_STIFF] = act->slope;
    last[TLK_LAST_DAMP] = act->damper;
    last[TLK_LAST_SHEAR] = act->shear_slope;
}

/* Adds up what slot q of a plain pair came to; still: 1 where body a is not dynamic, 2 where b is
 * not. */
TL_KERNEL void tlk_plain_sum(const tlk_penalty *p, size_t q, const tlk_plain_act *act,
                             uint32_t still, const real *of_a, const real *of_b)
{
    real sum[4], power = 0;
    tlk_load4(p->sum + TLK_SUM * q, sum);
    for (int k = 0; k < 3; k++)
        sum[TLK_SUM_IMPULSE + k] += (real)p->weight * act->f[k];
    sum[TLK_SUM_LOST] += act->lost;
    tlk_store4(p->sum + TLK_SUM * q, sum);
    if (still) /* what they do to the others: the force on them is the opposite */
        for (int k = 0; k < 3; k++)
            power += still & 2u ? -act->f[k] * of_b[k] : act->f[k] * of_a[k];
    if (power != 0)
        *tlk_penalty_work(p, q) += (real)p->weight * power;
    if (tlk_penalty_last(p))
        tlk_plain_last(p, q, act);
}

#endif
