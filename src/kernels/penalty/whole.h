/* A substep in one pass over bodies, where all pairs are plain (tlk_couple): a body works out what
 * acts in each of its pairs, in the order of its list, and moves, while its neighbours still read
 * where it was. Both bodies of a pair make the same numbers of it; one of them writes what the
 * contact keeps. The bits are those of tlk_penalty_force() and tlk_penalty_move() one after the
 * other, which make each pair once and write more. */
#ifndef TL_KERNELS_PENALTY_WHOLE_H
#define TL_KERNELS_PENALTY_WHOLE_H

#include "kernels/penalty/force.h"
#include "kernels/penalty/move.h"

/* One dynamic shape: 0 whether it is no ball; 1 or none about the centre of the body that has its
 * row. */
TL_KERNEL void tlk_penalty_balls(const tlk_penalty *p, uint32_t i, double *acc)
{
    const double *geom = p->shapes.geom + 4 * (size_t)i;
    const bool ball = (p->shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const bool central = ball && geom[0] == 0 && geom[1] == 0 && geom[2] == 0;
    acc[0] = tlk_max(acc[0], ball ? 0.0 : 1.0);
    acc[1] = tlk_max(acc[1], central && p->shapes.body[i] == i ? 0.0 : 1.0);
}

/* One place of the lists: the partner's shape. */
TL_KERNEL void tlk_penalty_partners(const tlk_penalty *p, uint32_t l)
{
    const uint32_t q = p->list[l] >> 1;
    p->order[l] = p->list[l] & 1u ? p->a[q] : p->b[q];
}

/* A pair as one of its bodies sees it. */
typedef struct tlk_side {
    uint32_t pair, side, i, j;
    bool writes; /* what the contact keeps and adds up */
} tlk_side;

TL_KERNEL void tlk_penalty_side(const tlk_penalty *p, uint32_t entry, uint32_t body, uint32_t other,
                                tlk_side *s)
{
    s->pair = entry >> 1, s->side = entry & 1u;
    if (p->central) {
        s->i = s->side ? other : body;
        s->j = s->side ? body : other;
    } else {
        s->i = p->a[s->pair], s->j = p->b[s->pair];
    }
    s->writes = !s->side || s->i >= p->shapes.dynamic;
}

/* Whether surfaces may overlap: no pair that does is left out. */
TL_KERNEL bool tlk_penalty_near(const tlk_penalty *p, const tlk_side *s)
{
    double a[4], b[4], d[3];
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->j, b);
    const double sum = a[3] + b[3];
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - a[k];
    return a[3] < 0 || b[3] < 0 || tlk_dotd(d, d) <= sum * sum * (1 + 1e-12);
}

/* A pair whose surfaces do not overlap. */
TL_KERNEL void tlk_penalty_parted(const tlk_penalty *p, const tlk_side *s)
{
    if (!s->writes)
        return;
    if (p->commits)
        p->to_acts[s->pair] = 0;
    if (tlk_penalty_last(p))
        tlk_penalty_clear(p->sum + TLK_SUM * (size_t)s->pair);
}

/* Where a pair touches, halfway between the surfaces: tlk_narrow() and tlk_penalty_halfway(). */
TL_KERNEL double tlk_penalty_between(const tlk_penalty *p, const tlk_side *s, const double *a,
                                     const double *b, double *n, double *x)
{
    if (a[3] < 0 || b[3] < 0) {
        struct {
            double n[3], x[3];
        } wall; /* apart from other arrays: see tlk_penalty_kick() */
        const double gap = tlk_narrow_frame(&p->shapes, s->i, s->j, wall.n);
        tlk_penalty_halfway(&p->shapes, s->i, s->j, wall.n, gap, wall.x);
        for (int k = 0; k < 3; k++)
            n[k] = wall.n[k], x[k] = wall.x[k];
        return gap;
    }
    const double gap = tlk_direction(a, b, n) - (a[3] + b[3]);
    for (int k = 0; k < 3; k++) {
        x[k] = a[k] + a[3] * n[k];
        x[k] += 0.5 * gap * n[k];
    }
    return gap;
}

/* Where body or ball i of a pair is: in a central world its centre, which is known. */
TL_KERNEL void tlk_penalty_at_body(const tlk_penalty *p, uint32_t body, const double *centre,
                                   double *x)
{
    if (p->central && body < p->bodies.dynamic)
        for (int k = 0; k < 3; k++)
            x[k] = centre[k];
    else
        tlk_load4d(tlk_penalty_where(p, body), x);
}

/* A couple, on a GPU by two loads. */
TL_KERNEL tlk_couple tlk_load_couple(const tlk_couple *from)
{
#if defined(__CUDACC__)
    const double2 sizes = ((const double2 *)from)[0];
    const uint4 rest = ((const uint4 *)from)[1];
    const tlk_couple of = {sizes.x, sizes.y, rest.x, rest.y, rest.z, rest.w};
    return of;
#else
    return *from;
#endif
}

/* A pair that is near: force and torque on the body, if it touches. */
TL_KERNEL bool tlk_penalty_press(const tlk_penalty *p, const tlk_side *s, double *f)
{
    const size_t q = s->pair;
    double a[4], b[4], n[3], x[3], xa[4], xb[4], force[6] = {0, 0, 0, 0, 0, 0};
    double kept[TLK_PAST] = {0, 0, 0, 0, 0, 0, 0, 0};
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->j, b);
    tlk_load4d(p->past + TLK_PAST_PLAIN * q, kept);
    const tlk_couple of = tlk_load_couple(p->couple + q);
    const bool touched = p->acts[q] & TLK_KEEPS;
    const double gap = tlk_penalty_between(p, s, a, b, n, x);
    if (!(gap < 0)) {
        tlk_penalty_parted(p, s);
        return false;
    }
    for (int k = 0; k < 4; k++)
        kept[k] = touched ? kept[k] : 0;
    kept[TLK_PAST_TOUCHED] = touched ? 1 : 0;
    const bool central = p->central;
    const tlk_pressing c = {s->i,
                            s->j,
                            central && s->i < p->bodies.dynamic ? s->i : of.a,
                            central && s->j < p->bodies.dynamic ? s->j : of.b,
                            p->table + TLK_LAW_NUMBERS * (size_t)of.law,
                            of.radius,
                            of.mass,
                            0,
                            {0, 0, 0}};
    tlk_penalty_at_body(p, (uint32_t)c.a, a, xa);
    tlk_penalty_at_body(p, (uint32_t)c.b, b, xb);
    const bool acts = tlk_penalty_act(p, &c, true, s->side, n, gap, x, xa, xb, kept,
                                      s->writes ? p->sum + TLK_SUM * q : 0, force);
    if (s->writes && p->commits) {
        tlk_store4d(p->to_past + TLK_PAST_PLAIN * q, kept);
        p->to_acts[q] =
            (uint8_t)((acts ? TLK_ACTS : 0) | (kept[TLK_PAST_TOUCHED] > 0 ? TLK_KEEPS : 0));
    }
    for (int k = 0; k < 3; k++) {
        f[k] = s->side ? force[k] : -force[k];
        f[3 + k] = force[3 + k];
    }
    return acts;
}

/* A dynamic body under all that acts on it. */
TL_KERNEL void tlk_penalty_go(const tlk_penalty *p, uint32_t i, const double *f)
{
    double x[4], v[8];
    if (p->moves == TLK_MOVE_NOT)
        return;
    tlk_load4d(p->from + 4 * (size_t)i, x);
    tlk_load4d(p->vel + 8 * (size_t)i, v);
    tlk_load4d(p->vel + 8 * (size_t)i + 4, v + 4);
    tlk_penalty_worked(p, i, v);
    tlk_penalty_verlet(p, i, f, x, v);
    tlk_penalty_runs(p, x, v);
    tlk_store4d(p->to_vel + 8 * (size_t)i, v);
    tlk_store4d(p->to_vel + 8 * (size_t)i + 4, v + 4);
    if (p->moves != TLK_MOVE_LAST)
        tlk_store4d(p->to + 4 * (size_t)i, x);
    if (p->central && p->moves != TLK_MOVE_LAST) {
        const double *from = p->reference + 4 * (size_t)i;
        double moved = 0;
        for (int k = 0; k < 3; k++)
            moved += (x[k] - from[k]) * (x[k] - from[k]);
        tlk_penalty_strays(p, sqrt(moved));
    } else if (p->central) {
        x[3] = 0;
        tlk_store4d(p->bodies.pos + 4 * (size_t)i, x);
    }
}

/* One dynamic body. */
TL_KERNEL void tlk_penalty_whole(const tlk_penalty *p, uint32_t i)
{
    double f[6], of[6];
    tlk_penalty_applied(p, i, f);
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        tlk_side s;
        tlk_penalty_side(p, p->list[l], i, p->central ? p->other[l] : 0, &s);
        if (!tlk_penalty_near(p, &s))
            tlk_penalty_parted(p, &s);
        else if (tlk_penalty_press(p, &s, of))
            for (int k = 0; k < 6; k++)
                f[k] += of[k];
    }
    tlk_penalty_go(p, i, f);
}

#endif
