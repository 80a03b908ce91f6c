/* A substep in one pass over bodies, where all pairs are plain (plain.h): a body works out what
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
        tlk_penalty_clear(p, s->pair);
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

/* A pair that is near: force and torque on the body, if it touches. */
TL_KERNEL bool tlk_penalty_press(const tlk_penalty *p, const tlk_side *s, real *f)
{
    const size_t q = s->pair;
    double a[4], b[4], xa[4], xb[4];
    real kept[4], va[8], vb[8], arm_a[3], arm_b[3], of_a[3], of_b[3], arm[3], turn[3];
    tlk_plain_spot m;
    tlk_plain_act act;
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->j, b);
    tlk_load4(p->past + TLK_PAST_PLAIN * q, kept);
    const tlk_couple of = tlk_load_couple(p->couple + q);
    const bool touched = p->acts[q] & TLK_KEEPS;
    if (!(tlk_plain_meet(p, s->i, s->j, a, b, &m) < 0)) {
        tlk_penalty_parted(p, s);
        return false;
    }
    for (int k = 0; k < 4; k++)
        kept[k] = touched ? kept[k] : 0;
    const uint32_t ba = p->central && s->i < p->bodies.dynamic ? s->i : of.a;
    const uint32_t bb = p->central && s->j < p->bodies.dynamic ? s->j : of.b;
    tlk_penalty_at_body(p, ba, a, xa);
    tlk_penalty_at_body(p, bb, b, xb);
    tlk_load8(p->pace + 8 * (size_t)ba, va);
    tlk_load8(p->pace + 8 * (size_t)bb, vb);
    tlk_plain_surface(m.ca, xa, m.reach_a, m.n, va, arm_a, of_a);
    tlk_plain_surface(m.cb, xb, m.reach_b, m.n, vb, arm_b, of_b);
    tlk_plain_press(p, &of, m.n, m.overlap, of_a, of_b, kept, &act);
    if (s->writes)
        tlk_plain_sum(p, q, &act,
                      (ba >= p->bodies.dynamic ? 1u : 0) | (bb >= p->bodies.dynamic ? 2u : 0), of_a,
                      of_b);
    if (s->writes && p->commits) {
        tlk_store4(p->to_past + TLK_PAST_PLAIN * q, kept);
        p->to_acts[q] = TLK_ACTS | TLK_KEEPS;
    }
    for (int k = 0; k < 3; k++)
        arm[k] = s->side ? arm_b[k] : arm_a[k];
    tlk_cross(arm, act.f, turn);
    for (int k = 0; k < 3; k++) {
        f[k] = s->side ? act.f[k] : -act.f[k];
        f[3 + k] = s->side ? turn[k] : -turn[k];
    }
    return true;
}

/* One dynamic body. */
TL_KERNEL void tlk_penalty_whole(const tlk_penalty *p, uint32_t i)
{
    double f[6];
    real of[6];
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
