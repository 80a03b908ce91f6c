/* A substep in one pass over bodies, where all pairs are plain (plain.h): a body works out what
 * acts in each of its near pairs, in the order of its list, and moves, while its neighbours still
 * read where it was. Both bodies of a pair make the same numbers of it; one of them writes what the
 * contact keeps. The bits are those of tlk_penalty_force() and tlk_penalty_move() one after the
 * other, which make each pair once and write more. Which pairs are near is told anew every few
 * passes: no surface goes faster meanwhile than would let others touch, or the step begins again.
 */
#ifndef TL_KERNELS_PENALTY_WHOLE_H
#define TL_KERNELS_PENALTY_WHOLE_H

#include "kernels/penalty/move.h"
#include "kernels/penalty/near.h"

/* One dynamic shape: 0 whether it is no ball; 1 or none about the centre of the body that has its
 * row; 2 or its body has three moments; 3: how far it is from the centre of its body. */
TL_KERNEL void tlk_penalty_balls(const tlk_penalty *p, uint32_t i, double *acc)
{
    const double *geom = p->shapes.geom + 4 * (size_t)i;
    const bool ball = (p->shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const bool central = ball && geom[0] == 0 && geom[1] == 0 && geom[2] == 0;
    acc[0] = tlk_max(acc[0], ball ? 0.0 : 1.0);
    acc[1] = tlk_max(acc[1], central && p->shapes.body[i] == i ? 0.0 : 1.0);
    acc[2] = tlk_max(acc[2], p->bodies.flags[p->shapes.body[i]] & TLK_BODY_ANISOTROPIC ? 1.0 : 0.0);
    acc[3] = tlk_max(acc[3], sqrt(tlk_dotd(geom, geom)));
}

/* Kernels are told whether the world is `simple`, p->simple, as a constant where they are compiled
 * for such worlds alone. The partner of a body in a pair is the other shape, in a simple world that
 * is its body's row; or from p->shapes.dynamic on the pair's spot with what is not dynamic, which
 * comes before each pass (tlk_penalty_wall). */
TL_KERNEL uint32_t tlk_penalty_partner(const tlk_penalty *p, uint32_t entry)
{
    const uint32_t still = p->list_begin[p->bodies.dynamic];
    const uint32_t other = entry & 1u ? p->a[entry >> 1] : p->b[entry >> 1];
    uint32_t low = still, high = p->list_end[p->bodies.dynamic];
    if (other < p->shapes.dynamic)
        return other;
    while (low < high) { /* the other side's place: they ascend */
        const uint32_t middle = low + (high - low) / 2;
        if (p->list[middle] < (entry ^ 1u))
            low = middle + 1;
        else
            high = middle;
    }
    return p->shapes.dynamic + (low - still);
}

/* One pair, before some passes: whether it is near. One that touched is. One that is not reads as
 * one that does not touch, on both sides of what contacts keep. */
TL_KERNEL void tlk_penalty_look(const tlk_penalty *p, uint32_t q)
{
    const uint32_t i = p->a[q], j = p->b[q];
    const bool was = p->looks || p->nears[q];
    const bool wall = i >= p->shapes.dynamic || j >= p->shapes.dynamic;
    const bool near = wall || tlk_penalty_close(p, i, j) || (was && tlk_penalty_touched(p, q));
    p->nears[q] = near;
    if (!near && was)
        p->to_past[TLK_PAST_PLAIN * (size_t)q + TLK_PAST_SLOPE] = 0;
    if (!near && p->ends)
        tlk_penalty_clear(p, q);
}

/* Whether a place of the lists is one of a near pair; if so it becomes place `to` of their lists.
 */
TL_KERNEL bool tlk_penalty_chosen(const tlk_penalty *p, uint32_t l)
{
    return p->nears[p->list[l] >> 1];
}

TL_KERNEL void tlk_penalty_choice(const tlk_penalty *p, uint32_t l, uint32_t to)
{
    p->near_list[to] = p->list[l];
    p->near_other[to] = tlk_penalty_partner(p, p->list[l]);
}

/* Some bodies, TLK_TOGETHER: their near pairs one after the other, in the order of their lists,
 * from where the first of these begins. */
TL_KERNEL void tlk_penalty_choose(const tlk_penalty *p, uint32_t group)
{
    const uint32_t first = TLK_TOGETHER * group;
    const uint32_t end = tlk_min(first + TLK_TOGETHER, p->bodies.dynamic);
    uint32_t to = TLK_NONE;
    for (uint32_t i = first; i < end && to == TLK_NONE; i++)
        to = p->list_begin[i] < p->list_end[i] ? p->list_begin[i] : to;
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++)
            if (tlk_penalty_chosen(p, l))
                tlk_penalty_choice(p, l, to++);
        p->near_end[i] = to;
    }
}

/* A pair as one of its bodies sees it. */
typedef struct tlk_side {
    uint32_t pair, side;
    uint32_t i, j;    /* shapes, in a simple world rows; of what is not dynamic nothing */
    uint32_t row[2];  /* of their bodies */
    const real *kept; /* the pair's spot with what is not dynamic, or NULL */
    bool writes;      /* what the contact keeps and adds up */
} tlk_side;

TL_KERNEL void tlk_penalty_side(const tlk_penalty *p, bool simple, uint32_t entry, uint32_t body,
                                uint32_t other, tlk_side *s)
{
    const bool moves = other < p->shapes.dynamic;
    s->pair = entry >> 1, s->side = entry & 1u;
    const uint32_t *own_shape = s->side ? p->b : p->a, *other_shape = s->side ? p->a : p->b;
    const uint32_t own = simple ? body : own_shape[s->pair];
    const uint32_t row =
        simple && moves ? other : p->shapes.body[moves ? other : other_shape[s->pair]];
    s->i = s->side ? other : own;
    s->j = s->side ? own : other;
    s->row[0] = s->side ? row : body;
    s->row[1] = s->side ? body : row;
    s->kept = moves ? 0 : p->spot + TLK_SPOT * (size_t)(other - p->shapes.dynamic);
    s->writes = !s->side || !moves;
}

/* Where two surfaces meet, as two bodies see it: their anchors are off + reach n. */
typedef struct tlk_spot {
    real n[3], overlap;
    real off[2][3], reach[2];
} tlk_spot;

/* Of a spot that is kept: the same, whether surfaces overlap, and tlk_couple. */
enum { TLK_SPOT_N = 0, TLK_SPOT_OVERLAP = 3, TLK_SPOT_OFF = 4, TLK_SPOT_REACH = 10 };
enum { TLK_SPOT_TOUCHES = 12, TLK_SPOT_RADIUS = 13, TLK_SPOT_MASS = 14 };

/* A pair whose surfaces do not overlap. */
TL_KERNEL void tlk_penalty_parted(const tlk_penalty *p, const tlk_side *s)
{
    if (!s->writes)
        return;
    if (p->commits)
        tlk_penalty_zero(p->to_past + TLK_PAST_PLAIN * (size_t)s->pair, TLK_PAST_PLAIN);
    if (tlk_penalty_last(p))
        tlk_penalty_clear(p, s->pair);
}

/* One place of the lists behind those of dynamic bodies: the spot of its pair. */
TL_KERNEL void tlk_penalty_wall(const tlk_penalty *p, uint32_t l)
{
    const uint32_t q = p->list[l] >> 1, i = p->a[q], j = p->b[q];
    const tlk_couple of = tlk_penalty_pairing(p, i, j);
    real *to = p->spot + TLK_SPOT * (size_t)(l - p->list_begin[p->bodies.dynamic]);
    uint32_t row[2];
    double a[4], b[4];
    tlk_plain_spot m;
    tlk_couple_bodies(p, q, row);
    tlk_load4d(p->shapes.centre + 4 * (size_t)i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)j, b);
    const double gap = tlk_plain_meet(p, i, j, a, b, &m);
    const double *xa = tlk_penalty_where(p, row[0]), *xb = tlk_penalty_where(p, row[1]);
    for (int k = 0; k < 3; k++) {
        to[TLK_SPOT_N + k] = m.n[k];
        to[TLK_SPOT_OFF + k] = (real)(m.ca[k] - xa[k]);
        to[TLK_SPOT_OFF + 3 + k] = (real)(m.cb[k] - xb[k]);
    }
    to[TLK_SPOT_OVERLAP] = m.overlap;
    to[TLK_SPOT_REACH] = m.reach_a, to[TLK_SPOT_REACH + 1] = m.reach_b;
    to[TLK_SPOT_TOUCHES] = gap < 0 ? 1 : 0;
    to[TLK_SPOT_RADIUS] = of.radius, to[TLK_SPOT_MASS] = of.mass;
}

/* A spot that is kept; returns whether surfaces overlap. */
TL_KERNEL bool tlk_penalty_kept(const real *kept, tlk_spot *spot, tlk_couple *of)
{
    for (int k = 0; k < 3; k++) {
        spot->n[k] = kept[TLK_SPOT_N + k];
        spot->off[0][k] = kept[TLK_SPOT_OFF + k];
        spot->off[1][k] = kept[TLK_SPOT_OFF + 3 + k];
    }
    spot->overlap = kept[TLK_SPOT_OVERLAP];
    spot->reach[0] = kept[TLK_SPOT_REACH], spot->reach[1] = kept[TLK_SPOT_REACH + 1];
    of->radius = kept[TLK_SPOT_RADIUS], of->mass = kept[TLK_SPOT_MASS];
    return kept[TLK_SPOT_TOUCHES] > 0;
}

/* Where balls meet; returns whether they overlap. In a simple world they are about the centres of
 * their bodies. */
TL_KERNEL bool tlk_penalty_reach(const tlk_penalty *p, bool simple, const tlk_side *s,
                                 const real *va, const real *vb, tlk_spot *spot, tlk_couple *of)
{
    double a[4], b[4];
    tlk_plain_spot m;
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)s->j, b);
    const double gap = tlk_plain_balls(a, b, &m);
    const double *xa = simple ? a : p->from + 4 * (size_t)s->row[0];
    const double *xb = simple ? b : p->from + 4 * (size_t)s->row[1];
    for (int k = 0; k < 3; k++) {
        spot->n[k] = m.n[k];
        spot->off[0][k] = simple ? 0 : (real)(a[k] - xa[k]);
        spot->off[1][k] = simple ? 0 : (real)(b[k] - xb[k]);
    }
    spot->overlap = m.overlap, spot->reach[0] = m.reach_a, spot->reach[1] = m.reach_b;
    *of = tlk_plain_couple((real)a[3], (real)b[3], va[3], vb[3]);
    return gap < 0;
}

/* A pair that is near: force and torque on the body, if it touches. */
TL_KERNEL bool tlk_penalty_press(const tlk_penalty *p, bool simple, const tlk_side *s, real *f)
{
    const size_t q = s->pair;
    const uint32_t dynamic = p->bodies.dynamic;
    real kept[4], va[8], vb[8], anchor_a[3], anchor_b[3], of_a[3], of_b[3], anchor[3], turn[3];
    tlk_spot m;
    tlk_plain_act act;
    tlk_couple of;
    tlk_load8(p->pace + 8 * (size_t)s->row[0], va); /* most that are near touch */
    tlk_load8(p->pace + 8 * (size_t)s->row[1], vb);
    tlk_load4(p->past + TLK_PAST_PLAIN * q, kept);
    const bool touches = s->kept ? tlk_penalty_kept(s->kept, &m, &of)
                                 : tlk_penalty_reach(p, simple, s, va, vb, &m, &of);
    if (!touches) {
        tlk_penalty_parted(p, s);
        return false;
    }
    of.law = 0;
    if (p->materials > 1)
        of.law = (p->shapes.info[p->a[q]] >> TLK_SHAPE_MATERIAL) * p->materials +
                 (p->shapes.info[p->b[q]] >> TLK_SHAPE_MATERIAL);
    for (int k = 0; k < 4; k++) /* the slope last, which says whether it touched */
        kept[k] = kept[TLK_PAST_SLOPE] > 0 ? kept[k] : 0;
    tlk_plain_reach(m.off[0], m.reach[0], m.n, va, anchor_a, of_a);
    tlk_plain_reach(m.off[1], m.reach[1], m.n, vb, anchor_b, of_b);
    tlk_plain_press(p, &of, m.n, m.overlap, of_a, of_b, kept, &act);
    if (s->writes)
        tlk_plain_sum(p, q, &act, (s->row[0] >= dynamic ? 1u : 0) | (s->row[1] >= dynamic ? 2u : 0),
                      of_a, of_b);
    if (s->writes && p->commits)
        tlk_store4(p->to_past + TLK_PAST_PLAIN * q, kept);
    for (int k = 0; k < 3; k++)
        anchor[k] = s->side ? anchor_b[k] : anchor_a[k];
    tlk_cross(anchor, act.f, turn);
    for (int k = 0; k < 3; k++) {
        f[k] = s->side ? act.f[k] : -act.f[k];
        f[3 + k] = s->side ? turn[k] : -turn[k];
    }
    return true;
}

/* A velocity of which `light` is the inverse mass, or a spin with that of the moment, under a force
 * or torque and what else changes it: what moves the body on, and as forces see it then. */
TL_KERNEL void tlk_penalty_kicked(const tlk_penalty *p, const double *f, double light,
                                  const double *also, double *half, double *v)
{
    const bool first = p->moves == TLK_MOVE_FIRST, last = p->moves == TLK_MOVE_LAST;
    for (int k = 0; k < 3; k++) {
        const double rate = also ? f[k] * light + also[k] : f[k] * light;
        half[k] = last ? half[k] : half[k] + (first ? 0.5 * p->h : p->h) * rate;
        v[k] = half[k] + 0.5 * p->h * rate;
    }
}

/* The translation of tlk_penalty_go(); returns whether the body runs away. */
TL_KERNEL bool tlk_penalty_shift(const tlk_penalty *p, uint32_t i, const double *f, bool together,
                                 real *pace)
{
    const bool first = p->moves == TLK_MOVE_FIRST, last = p->moves == TLK_MOVE_LAST;
    double *kept = p->half + 8 * (size_t)i, half[4], v[4], x[4];
    tlk_load4d(p->from + 4 * (size_t)i, x);
    tlk_load4d(first ? p->vel + 8 * (size_t)i : kept, half);
    if (first)
        half[3] = 1 / p->bodies.inertia[4 * (size_t)i + 3];
    tlk_penalty_kicked(p, f, half[3], p->gravity, half, v);
    v[3] = 0;
    if (p->planar)
        half[1] = v[1] = 0;
    pace[0] = (real)v[0], pace[1] = (real)v[1], pace[2] = (real)v[2], pace[3] = (real)half[3];
    const bool sound = tlk_dotd(v, v) <= p->max_speed * p->max_speed;
    if (last) {
        tlk_store4d(p->vel + 8 * (size_t)i, v);
        x[3] = 0;
        tlk_store4d(p->bodies.pos + 4 * (size_t)i, x);
    } else {
        double was[4] = {x[0], x[1], x[2], 0}, moved = 0, calm = 0.25 * p->margin;
        if (p->fastest > 0 && !(tlk_dotd(half, half) <= p->fastest * p->fastest))
            tlk_atomic_or(p->halt, 8);
        if (!p->calm)
            tlk_load4d(p->reference + 4 * (size_t)i, was);
        for (int k = 0; k < 3; k++) {
            x[k] += p->h * half[k];
            moved += (x[k] - was[k]) * (x[k] - was[k]);
        }
        tlk_penalty_put(together, 8, kept, half);
        tlk_penalty_put(together, 4, p->to + 4 * (size_t)i, x);
        if (!p->calm && !(moved < calm * calm * (1 - 1e-9)))
            tlk_penalty_strays(p, sqrt(moved));
    }
    return !(sound && tlk_max(fabs(x[0]), tlk_max(fabs(x[1]), fabs(x[2]))) < TLK_FAR);
}

/* And its rotation. */
TL_KERNEL bool tlk_penalty_spin(const tlk_penalty *p, uint32_t i, const double *f, bool together,
                                real *pace)
{
    const bool first = p->moves == TLK_MOVE_FIRST, last = p->moves == TLK_MOVE_LAST;
    double *kept = p->half + 8 * (size_t)i + 4, *turned = p->bodies.quat + 4 * (size_t)i;
    double half[4], v[4], q[4];
    tlk_load4d(first ? p->vel + 8 * (size_t)i + 4 : kept, half);
    if (first)
        half[3] = 1 / p->bodies.inertia[4 * (size_t)i];
    tlk_penalty_kicked(p, f, half[3], 0, half, v);
    v[3] = 0;
    if (p->planar)
        half[0] = v[0] = half[2] = v[2] = 0;
    pace[0] = (real)v[0], pace[1] = (real)v[1], pace[2] = (real)v[2], pace[3] = 0;
    if (last) {
        tlk_store4d(p->vel + 8 * (size_t)i + 4, v);
    } else {
        tlk_load4d(turned, q);
        tlk_penalty_turn(p->h, half, q);
        tlk_penalty_put(together, 8, kept, half);
        tlk_penalty_put(together, 4, turned, q);
    }
    return !(tlk_dotd(v, v) < 1e24);
}

/* tlk_penalty_go() in a simple world: balls about the centres of their bodies, with one moment.
 * From the first launch of a chunk on the inverses of mass and moment are the fourth and the eighth
 * number of `half`. */
TL_KERNEL void tlk_penalty_stride(const tlk_penalty *p, uint32_t i, const double *f, bool together)
{
    if (p->moves == TLK_MOVE_NOT)
        return;
    tlk_penalty_worked(p, i);
    real pace[8];
    const bool runs = tlk_penalty_shift(p, i, f, together, pace);
    const bool whirls = tlk_penalty_spin(p, i, f + 3, together, pace + 4);
    tlk_penalty_put_pace(p, together, i, pace);
    if (runs || whirls)
        tlk_atomic_or(p->halt, 1);
}

/* One dynamic body. */
TL_KERNEL void tlk_penalty_whole(const tlk_penalty *p, uint32_t i)
{
    double f[6];
    real of[6];
    tlk_penalty_applied(p, i, f);
    const bool none = p->list_begin[i] == p->list_end[i];
    const uint32_t from = i % TLK_TOGETHER ? p->near_end[i - 1]
                          : none           ? p->near_end[i]
                                           : p->list_begin[i];
    for (uint32_t l = from; l < p->near_end[i]; l++) {
        tlk_side s;
        tlk_penalty_side(p, p->simple, p->near_list[l], i, p->near_other[l], &s);
        if (tlk_penalty_press(p, p->simple, &s, of))
            for (int k = 0; k < 6; k++)
                f[k] += of[k];
    }
    if (p->simple)
        tlk_penalty_stride(p, i, f, false);
    else
        tlk_penalty_go(p, i, f, false);
}

#endif
