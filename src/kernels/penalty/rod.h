/* Rods without mass between the centres of two bodies (document 004, eq. 2.6 to 2.9): pose and
 * velocity follow from the two, what acts on a rod is handed on to them so that force, moment and
 * power stay, and lengths that are kept are. One rod at a time. */
#ifndef TL_KERNELS_PENALTY_ROD_H
#define TL_KERNELS_PENALTY_ROD_H

#include "kernels/narrow.h"
#include "kernels/penalty/move.h"

/* What is beyond is its bodies'. */
#define TLK_ROD_ENDS 1e-9

/* The rotation that takes z to a unit vector. */
TL_KERNEL void tlk_rod_turn(const double *n, double *q)
{
    const double side = n[2] < 0 ? -1 : 1, w = sqrt((1 + fabs(n[2])) / 2);
    const double x = -side * n[1] / (2 * w), y = side * n[0] / (2 * w);
    const bool down = n[2] < 0;
    q[0] = down ? -x : w;
    q[1] = down ? w : x;
    q[2] = down ? 0 : y;
    q[3] = down ? -y : 0;
}

/* 1/m of an end; 0 where it is not dynamic. */
TL_KERNEL double tlk_rod_inverse(const tlk_penalty *p, const tlk_rod *r, int e)
{
    return r->end[e] < p->bodies.dynamic ? 1 / p->bodies.inertia[4 * (size_t)r->end[e] + 3] : 0;
}

/* Its velocity, from those of its ends: the middle's, how it turns (about itself as its ends do, on
 * average) and stretches. */
TL_KERNEL void tlk_rod_velocity(const tlk_penalty *p, uint32_t q)
{
    const tlk_rod *r = p->rod + q;
    const double *a = p->vel + 8 * (size_t)r->end[0], *b = p->vel + 8 * (size_t)r->end[1];
    double *v = p->vel + 8 * (size_t)r->row, away[3], turn[3], about = 0;
    for (int k = 0; k < 3; k++) {
        away[k] = (b[k] - a[k]) / r->length;
        about += 0.5 * (a[4 + k] + b[4 + k]) * r->n[k];
    }
    tlk_crossd(r->n, away, turn);
    for (int k = 0; k < 3; k++) {
        v[k] = 0.5 * (a[k] + b[k]);
        v[4 + k] = turn[k] + about * r->n[k];
    }
    v[3] = tlk_dotd(away, r->n);
    v[7] = 1 + (double)q;
}

/* Its capsule: shapes are in the order of bodies. */
TL_KERNEL uint32_t tlk_rod_shape(const tlk_penalty *p, uint32_t row)
{
    uint32_t low = 0, high = p->shapes.rows;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->shapes.body[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One rod, before forces are evaluated: where it is, how long, and how it moves. Before pairs are
 * found (no margin): where its ends are then. */
TL_KERNEL void tlk_penalty_rod(const tlk_penalty *p, uint32_t q)
{
    tlk_rod *r = p->rod + q;
    const double *a = p->bodies.pos + 4 * (size_t)r->end[0];
    const double *b = p->bodies.pos + 4 * (size_t)r->end[1];
    const bool within = p->moves == TLK_MOVE_STAGE || p->moves == TLK_MOVE_FOURTH;
    double *from = p->rod_from + 6 * (size_t)q, way = 0;
    r->length = tlk_max(tlk_direction(a, b, r->n), 1e-12);
    for (int k = 0; k < 3; k++) {
        p->bodies.pos[4 * (size_t)r->row + k] = 0.5 * (a[k] + b[k]);
        r->old[k] = within && !(p->share < 0) ? r->old[k] : r->n[k];
        from[k] = p->margin > 0 ? from[k] : a[k];
        from[3 + k] = p->margin > 0 ? from[3 + k] : b[k];
    }
    for (int e = 0; e < 2; e++) {
        double moved = 0;
        for (int k = 0; k < 3; k++)
            moved += ((e ? b : a)[k] - from[3 * e + k]) * ((e ? b : a)[k] - from[3 * e + k]);
        way = tlk_max(way, moved);
    }
    if (p->margin > 0 && !(sqrt(way) <= 0.5 * p->margin))
        tlk_atomic_or(p->halt, 2);
    tlk_rod_turn(r->n, p->bodies.quat + 4 * (size_t)r->row);
    tlk_rod_velocity(p, q);
    if (r->shape == TLK_NONE)
        r->shape = tlk_rod_shape(p, r->row);
    double *frame = p->rod_frame + TLK_FRAME * (size_t)p->shapes.frame_of[r->shape];
    frame[14] = 0.5 * r->length;
    frame[17] = 0.5 * r->length + frame[18];
    p->rod_geom[4 * (size_t)r->shape + 3] = 0.5 * r->length + frame[18];
}

/* A point at an anchor from the middle of a rod with this velocity: that of the point gets what
 * stretching adds; how far off the axis it is; 1 over the mass there, 1/M = (1 - a)^2/m_1 +
 * a^2/m_2, and over the least moment. False beyond its ends. */
TL_KERNEL bool tlk_rod_at(const tlk_penalty *p, const double *vel, const double *anchor, double *v,
                          double *off, double *mass, double *inertia)
{
    const tlk_rod *r = p->rod + ((uint32_t)vel[7] - 1);
    const double along = tlk_dotd(anchor, r->n), a = 0.5 + along / r->length;
    double spin = 0, swing = 0;
    *mass = 0;
    for (int e = 0; e < 2; e++) {
        const double inverse = tlk_rod_inverse(p, r, e), part = e ? a : 1 - a;
        const double *moments = p->bodies.inertia + 4 * (size_t)r->end[e];
        *mass += part * part * inverse;
        swing += inverse / (r->length * r->length);
        spin += inverse > 0 ? 0.25 / tlk_min(moments[0], tlk_min(moments[1], moments[2])) : 0;
    }
    *inertia = tlk_max(spin, swing);
    for (int k = 0; k < 3; k++) {
        v[k] += vel[3] * along * r->n[k];
        off[k] = anchor[k] - along * r->n[k];
    }
    return a > TLK_ROD_ENDS && a < 1 - TLK_ROD_ENDS;
}

/* What a force at an anchor does to stretch a rod; 0 of other bodies. */
TL_KERNEL double tlk_rod_share(const tlk_penalty *p, const double *vel, const double *anchor,
                               const double *f)
{
    if (!(vel[7] > 0))
        return 0;
    const tlk_rod *r = p->rod + ((uint32_t)vel[7] - 1);
    return tlk_dotd(anchor, r->n) / r->length * tlk_dotd(f, r->n);
}

/* An impulse along n at an anchor, and a shift there, kg m: on its ends, each its part. */
TL_KERNEL void tlk_rod_push(const tlk_penalty *p, const double *vel, const double *anchor,
                            const double *n, double impulse, double shift)
{
    tlk_rod *r = p->rod + ((uint32_t)vel[7] - 1);
    const double a = 0.5 + tlk_dotd(anchor, r->n) / r->length;
    for (int e = 0; e < 2; e++) {
        const double part = e ? a : 1 - a, inverse = tlk_rod_inverse(p, r, e);
        double *v = p->vel + 8 * (size_t)r->end[e], *x = p->bodies.pos + 4 * (size_t)r->end[e];
        if (!(inverse > 0))
            r->work -= part * impulse * tlk_dotd(v, n);
        for (int k = 0; k < 3; k++) {
            v[k] += part * inverse * impulse * n[k];
            x[k] += part * inverse * shift * n[k];
        }
    }
}

/* One rod: what acts on it goes to its ends. Half of the force each, what turns it as a pair of
 * forces across it, what stretches it as one along it, and what turns it about itself as moments.
 */
TL_KERNEL void tlk_penalty_spread(const tlk_penalty *p, uint32_t q)
{
    tlk_rod *r = p->rod + q;
    double f[6], pair[3], stretch = 0;
    tlk_penalty_gather(p, r->row, f);
    r->stiff = r->damp = 0;
    for (uint32_t l = p->list_begin[r->row]; l < p->list_end[r->row]; l++) {
        const uint32_t item = p->list[l] >> 1;
        if (item >= p->pairs)
            continue;
        stretch += p->stretch[2 * (size_t)item + (p->list[l] & 1u)];
        for (uint32_t t = item * p->slots; t < (item + 1) * p->slots; t++) {
            const real *last = p->last + TLK_LAST * (size_t)t;
            r->stiff += last[TLK_LAST_STIFF];
            r->damp += last[TLK_LAST_STIFF] > 0 ? last[TLK_LAST_DAMP] : 0;
        }
    }
    const double about = 0.5 * tlk_dotd(f + 3, r->n);
    tlk_crossd(f + 3, r->n, pair);
    for (int e = 0; e < 2; e++) {
        double out[TLK_FORCE];
        const double *v = p->vel + 8 * (size_t)r->end[e];
        double power = 0;
        for (int k = 0; k < 3; k++) {
            const double across = pair[k] / r->length + stretch * r->n[k];
            out[k] = 0.5 * f[k] + (e ? across : -across);
            out[3 + k] = 0;
            out[6 + k] = about * r->n[k];
            power += out[k] * v[k] + out[6 + k] * v[4 + k];
        }
        if (r->end[e] >= p->bodies.dynamic)
            r->work -= p->weight * power;
        tlk_penalty_load(p, (size_t)p->pairs + p->springs + 2 * (size_t)q + (size_t)e, out);
    }
}

/* One rod that keeps its length, after its ends moved: an impulse along where it was brings them to
 * that distance (Ryckaert, Ciccotti and Berendsen, 1977), which keeps momentum and angular
 * momentum. */
TL_KERNEL void tlk_penalty_keep(const tlk_penalty *p, uint32_t q)
{
    const tlk_rod *r = p->rod + q;
    double *x[2], *v[2], *half[2], d[3];
    double inverse[2];
    for (int e = 0; e < 2; e++) {
        x[e] = p->bodies.pos + 4 * (size_t)r->end[e];
        v[e] = p->vel + 8 * (size_t)r->end[e];
        half[e] = p->half + 8 * (size_t)r->end[e];
        inverse[e] = tlk_rod_inverse(p, r, e);
    }
    for (int k = 0; k < 3; k++)
        d[k] = x[1][k] - x[0][k];
    const double along = tlk_dotd(d, r->old);
    const double root = along * along - tlk_dotd(d, d) + r->keeps * r->keeps;
    const double off = sqrt(tlk_max(root, 0.0)) - along; /* m: what is missing */
    for (int e = 0; e < 2; e++) {
        const double part = (e ? 1 : -1) * inverse[e] / (inverse[0] + inverse[1]) * off;
        for (int k = 0; k < 3; k++) {
            x[e][k] += part * r->old[k];
            v[e][k] += part / p->h * r->old[k];
            half[e][k] += part / p->h * r->old[k];
        }
    }
}

/* The same of velocities, along where it is; what that takes is lost where it counts. */
TL_KERNEL void tlk_penalty_steady(const tlk_penalty *p, uint32_t q)
{
    tlk_rod *r = p->rod + q;
    double *v[2], n[3], speed = 0;
    double inverse[2];
    for (int e = 0; e < 2; e++) {
        v[e] = p->vel + 8 * (size_t)r->end[e];
        inverse[e] = tlk_rod_inverse(p, r, e);
    }
    tlk_direction(p->bodies.pos + 4 * (size_t)r->end[0], p->bodies.pos + 4 * (size_t)r->end[1], n);
    for (int k = 0; k < 3; k++)
        speed += (v[1][k] - v[0][k]) * n[k];
    r->lost += p->weight * 0.5 * speed * speed / (inverse[0] + inverse[1]);
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++)
            v[e][k] += (e ? -1 : 1) * inverse[e] / (inverse[0] + inverse[1]) * speed * n[k];
}

#endif
