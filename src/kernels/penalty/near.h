/* Balls that are near: pairs that may touch before near pairs are told from others again. Only
 * these are looked at in a substep, with what they keep side by side, and only these have a place
 * among what acts on their bodies. A pair that does not touch adds nothing, so bits do not depend
 * on which are near. Of worlds where dynamic bodies are balls about their centres, with plain pairs
 * alone and Verlet's method; pairs with other shapes are always looked at. */
#ifndef TL_KERNELS_PENALTY_NEAR_H
#define TL_KERNELS_PENALTY_NEAR_H

#include "kernels/penalty/force.h"

TL_KERNEL real *tlk_near_real(const tlk_penalty *p, uint32_t i, uint32_t field)
{
    return p->near_of + tlk_at(i, field, TLK_NEAR);
}

TL_KERNEL uint32_t *tlk_near_word(const tlk_penalty *p, uint32_t i, uint32_t field)
{
    return p->near_word + tlk_at(i, field, TLK_NEAR_WORDS);
}

/* Numbers of slots, four at a time. */
TL_KERNEL void tlk_penalty_zero(real *of, uint32_t count)
{
    const real none[4] = {0, 0, 0, 0};
    for (uint32_t k = 0; k < count; k += 4)
        tlk_store4(of + k, none);
}

/* Whether balls may meet: they are less apart than the skin. */
TL_KERNEL bool tlk_penalty_close(const tlk_penalty *p, uint32_t i, uint32_t j)
{
    double a[4], b[4], square = 0;
    tlk_load4d(p->shapes.centre + 4 * (size_t)i, a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)j, b);
    for (int k = 0; k < 3; k++)
        square += (b[k] - a[k]) * (b[k] - a[k]);
    const double reach = (a[3] + b[3] + p->skin) * (1 + 1e-12);
    return square <= reach * reach;
}

/* One pair: what it is; then among which it is counted: near ones, and those with walls behind
 * them. A pair that acts is near, wherever it is. */
TL_KERNEL void tlk_penalty_pick(const tlk_penalty *p, uint32_t q)
{
    const uint32_t i = p->a[q], j = p->b[q];
    const bool wall = i >= p->shapes.dynamic || j >= p->shapes.dynamic;
    const bool near = p->acts[q] || !(p->skin > 0) || tlk_penalty_close(p, i, j);
    p->nears[q] = wall ? TLK_PAIR_WALL : near ? TLK_PAIR_NEAR : TLK_PAIR_FAR;
    p->points[q] = !wall && near;
    p->points[p->pairs + q] = wall;
}

/* One body, or all that are not dynamic: the places of what acts on it by pairs that are looked at,
 * from where its list begins. Pairs with walls write what acts only where it changes. */
TL_KERNEL void tlk_penalty_rows(const tlk_penalty *p, uint32_t i)
{
    uint32_t row = p->list_begin[i];
    for (uint32_t l = p->list_begin[i]; l < p->list_end[i]; l++) {
        const uint8_t near = p->nears[p->list[l] >> 1];
        if (near == TLK_PAIR_WALL)
            tlk_penalty_zero(p->load + TLK_LOAD * (size_t)row, TLK_LOAD);
        p->order[p->list[l]] = row; /* of far ones it is not read */
        row += near != TLK_PAIR_FAR;
    }
    p->near_end[i] = row;
}

/* One pair that is near, as its i-th. */
TL_KERNEL void tlk_penalty_side_by_side(const tlk_penalty *p, uint32_t q, uint32_t i)
{
    const tlk_couple of = tlk_load_couple(p->couple + q);
    real past[4];
    tlk_load4(p->past + TLK_PAST_PLAIN * (size_t)q, past);
    for (uint32_t k = 0; k < 4; k++) {
        *tlk_near_real(p, i, TLK_NEAR_PAST + k) = past[k];
        *tlk_near_real(p, i, TLK_NEAR_SUM + k) = 0;
    }
    *tlk_near_real(p, i, TLK_NEAR_RADIUS) = of.radius;
    *tlk_near_real(p, i, TLK_NEAR_MASS) = of.mass;
    *tlk_near_word(p, i, TLK_NEAR_PAIR) = q;
    *tlk_near_word(p, i, TLK_NEAR_A) = p->a[q]; /* balls are in the order of their bodies */
    *tlk_near_word(p, i, TLK_NEAR_B) = p->b[q];
    *tlk_near_word(p, i, TLK_NEAR_AT) = p->at[2 * (size_t)q];
    *tlk_near_word(p, i, TLK_NEAR_AT + 1) = p->at[2 * (size_t)q + 1];
}

/* One pair: to its place. The last of those that are near fills its eight. */
TL_KERNEL void tlk_penalty_take(const tlk_penalty *p, uint32_t q)
{
    const uint32_t i = p->points[q];
    if (p->nears[q] == TLK_PAIR_WALL)
        *tlk_near_word(p, p->near_walls + p->points[p->pairs + q] - p->near, TLK_NEAR_PAIR) = q;
    if (p->nears[q] != TLK_PAIR_NEAR)
        return;
    tlk_penalty_side_by_side(p, q, i);
    for (uint32_t k = i + 1; i + 1 == p->near && k < p->near_walls; k++)
        tlk_penalty_side_by_side(p, q, k);
}

/* What a pair comes to, back to its slot. */
TL_KERNEL void tlk_near_back(const tlk_penalty *p, uint32_t q, const real *past, const real *sum,
                             const tlk_plain_act *act, bool touches)
{
    tlk_store4(p->past + TLK_PAST_PLAIN * (size_t)q, past);
    tlk_store4(p->sum + TLK_SUM * (size_t)q, sum);
    tlk_plain_last(p, q, act);
    tlk_penalty_noted(p, q, touches, touches);
}

/* One pair that is near, and what it does to its bodies: tlk_penalty_plain. */
TL_KERNEL void tlk_penalty_meet(const tlk_penalty *p, uint32_t i)
{
    const uint32_t q = *tlk_near_word(p, i, TLK_NEAR_PAIR);
    if (i >= p->near_walls)
        tlk_penalty_force_one(p, q);
    if (i >= p->near)
        return;
    const uint32_t ball[2] = {*tlk_near_word(p, i, TLK_NEAR_A), *tlk_near_word(p, i, TLK_NEAR_B)};
    double a[4], b[4];
    real past[4], sum[4], va[8], vb[8], anchor_a[3], anchor_b[3], of_a[3], of_b[3];
    real turn[2][3] = {{0, 0, 0}, {0, 0, 0}};
    tlk_plain_spot m;
    tlk_plain_act act = {{0, 0, 0}, 0, 0, 0, 0, 0};
    tlk_load4d(p->shapes.centre + 4 * (size_t)ball[0], a);
    tlk_load4d(p->shapes.centre + 4 * (size_t)ball[1], b);
    const bool touches = tlk_plain_balls(a, b, &m) < 0;
    for (uint32_t k = 0; k < 4; k++) {
        past[k] = touches || !p->commits ? *tlk_near_real(p, i, TLK_NEAR_PAST + k) : 0;
        sum[k] = *tlk_near_real(p, i, TLK_NEAR_SUM + k);
    }
    if (touches) {
        const tlk_couple of = {.radius = *tlk_near_real(p, i, TLK_NEAR_RADIUS),
                               .mass = *tlk_near_real(p, i, TLK_NEAR_MASS),
                               .law = p->couple[q].law,
                               .plain = 1};
        tlk_load8(p->pace + 8 * (size_t)ball[0], va);
        tlk_load8(p->pace + 8 * (size_t)ball[1], vb);
        tlk_plain_surface(m.ca, a, m.reach_a, m.n, va, anchor_a, of_a);
        tlk_plain_surface(m.cb, b, m.reach_b, m.n, vb, anchor_b, of_b);
        tlk_plain_press(p, &of, m.n, m.overlap, of_a, of_b, past, &act);
        tlk_cross(anchor_a, act.f, turn[0]);
        tlk_cross(anchor_b, act.f, turn[1]);
    }
    for (uint32_t k = 0; k < 4; k++) {
        sum[k] += k < 3 ? (real)p->weight * act.f[k] : act.lost;
        *tlk_near_real(p, i, TLK_NEAR_SUM + k) = sum[k];
        *tlk_near_real(p, i, TLK_NEAR_PAST + k) = past[k];
    }
    for (uint32_t e = 0; e < 2; e++) {
        real *to = p->load + TLK_LOAD * (size_t)*tlk_near_word(p, i, TLK_NEAR_AT + e);
        for (uint32_t k = 0; k < 3; k++) {
            to[k] = e ? act.f[k] : -act.f[k];
            to[4 + k] = e ? turn[1][k] : -turn[0][k];
        }
    }
    if (p->moves == TLK_MOVE_LAST)
        tlk_near_back(p, q, past, sum, &act, touches);
}

#endif
