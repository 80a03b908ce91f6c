/* Forces of penalty contact, as many pairs at once as a span has: those of one point with Hertz's
 * law alone, between spheres or a sphere and a wall. Pairs that touch are collected first, so that
 * few lanes are empty; others, and those that part, go through the plain kernel one by one. */
#ifndef TL_BACKEND_CPU_WIDE_PENALTY_H
#define TL_BACKEND_CPU_WIDE_PENALTY_H

#include "backend/cpu/wide_span.h"
#include "kernels/penalty/force.h"

#define WIDE_TOUCHING 64u /* pairs that are collected before their forces are worked out */

/* Pairs that touch; of walls also where, field by field. A whole number of spans. */
typedef struct wide_touching {
    uint32_t pair[WIDE_TOUCHING + 2 * SPAN], count;
} wide_touching;

typedef struct wide_walls {
    wide_touching of;
    _Alignas(64) double n[3][WIDE_TOUCHING + SPAN], x[3][WIDE_TOUCHING + SPAN];
    _Alignas(64) double gap[WIDE_TOUCHING + SPAN];
} wide_walls;

/* One pair by the plain kernel. */
WIDE void wide_alone(const tlk_penalty *p, uint32_t q, const double *n, double gap)
{
    double force[TLK_FORCE] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    tlk_penalty_simple(p, q, n, gap, force);
    for (uint32_t k = 0; k < TLK_FORCE; k++)
        p->force[TLK_FORCE * (size_t)q + k] = force[k];
}

/* A pair with a wall. */
WIDE void wide_wall(const tlk_penalty *p, uint32_t q, wide_walls *w)
{
    const uint32_t at = w->of.count;
    double n[3], x[3];
    const double gap = tlk_narrow(&p->shapes, p->a[q], p->b[q], n);
    if (!(gap < 0) && !(p->acts[q] & TLK_KEEPS)) {
        tlk_penalty_apart(p, q);
        return;
    }
    if (!(gap < 0) || !p->couple[q].plain) {
        wide_alone(p, q, n, gap);
        return;
    }
    tlk_penalty_halfway(&p->shapes, p->a[q], p->b[q], n, gap, x);
    w->of.pair[at] = q;
    w->gap[at] = gap;
    for (int k = 0; k < 3; k++)
        w->n[k][at] = n[k], w->x[k][at] = x[k];
    w->of.count++;
}

/* Direction and distance of balls: tlk_direction */
WIDE span wide_direction(const span *a, const span *b, span *n)
{
    for (int k = 0; k < 3; k++)
        n[k] = b[k] - a[k];
    const span d = span_sqrt(span_dot(n, n)), inverse = 1 / d;
    const span_bits apart = span_less((span){0}, d);
    for (int k = 0; k < 3; k++)
        n[k] = span_select(apart, n[k] * inverse, (span){0} + (k == 2 ? 1.0 : 0.0));
    return d;
}

/* Whether those of a span's pairs that do not touch need nothing: they are known not to act. */
WIDE bool wide_settled(const tlk_penalty *p, uint32_t q, uint32_t touches)
{
    uint32_t acts = 0;
    for (uint32_t l = 0; l < SPAN; l++)
        acts |= (uint32_t)(p->acts[q + l] != 0) << l;
    return !(acts & ~touches) && (touches == SPAN_ALL || !tlk_penalty_last(p));
}

/* Which pairs of those from q on touch. */
WIDE void wide_collect(const tlk_penalty *p, uint32_t q, uint32_t lanes, wide_touching *t,
                       wide_walls *w)
{
    const bool plain = p->keeps == TLK_PAST_PLAIN; /* all are */
    uint32_t i[SPAN], j[SPAN];
    span a[4], b[4], n[3];
    for (uint32_t l = 0; l < SPAN; l++)
        i[l] = p->a[q + (l < lanes ? l : 0)], j[l] = p->b[q + (l < lanes ? l : 0)];
    span_gather(p->shapes.centre, 4, i, a);
    span_gather(p->shapes.centre, 4, j, b);
    for (int k = 0; k < 3; k++)
        n[k] = b[k] - a[k];
    const span gap = span_sqrt(span_dot(n, n)) - (a[3] + b[3]), none = {0};
    const uint32_t wall = span_mask(span_less(a[3], none) | span_less(b[3], none));
    const uint32_t touches = span_mask(span_less(gap, none)) & ~wall;
    if (plain && lanes == SPAN && !wall && wide_settled(p, q, touches)) {
        for (uint32_t l = 0; l < SPAN; l++) {
            t->pair[t->count] = q + l;
            t->count += touches >> l & 1;
        }
        return;
    }
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t pair = q + l;
        if (touches >> l & 1 && (plain || p->couple[pair].plain))
            t->pair[t->count++] = pair;
        else if (wall >> l & 1)
            wide_wall(p, pair, w);
        else if (touches >> l & 1 || p->acts[pair] & TLK_KEEPS)
            tlk_penalty_force_one(p, pair);
        else
            tlk_penalty_apart(p, pair);
    }
}

/* A block of pairs, field by field. What takes long, roots and quotients, has one pass over them
 * after the other, so that few operations wait for another. */
enum {
    AT_N = 0,     /* three */
    AT_ARM_A = 3, /* three */
    AT_ARM_B = 6, /* three */
    AT_SLIP = 9,  /* three */
    AT_APPROACH = 12,
    AT_OVERLAP = 13,
    AT_NORMAL = 14,  /* N */
    AT_LIMIT = 15,   /* N: of friction */
    AT_DAMPED = 16,  /* W: by the normal damper */
    AT_SLOPE = 17,   /* N/m: across the normal */
    AT_DAMPER = 18,  /* N s/m: likewise */
    AT_STIFF = 19,   /* N/m: along the normal */
    AT_DAMP = 20,    /* N s/m: likewise */
    AT_ELASTIC = 21, /* J: likewise */
    AT_BELT = 22,    /* three: m/s, of the surface of a body that is not dynamic; its sign is that
                        of the force on the other body */
    AT_FIELDS = 25
};

typedef struct wide_block {
    _Alignas(64) double at[AT_FIELDS][WIDE_TOUCHING + SPAN];
    uint32_t a[WIDE_TOUCHING + SPAN], b[WIDE_TOUCHING + SPAN]; /* bodies */
} wide_block;

WIDE span block_take(const wide_block *c, uint32_t field, uint32_t from)
{
    return span_load(c->at[field] + from);
}

WIDE void block_take3(const wide_block *c, uint32_t field, uint32_t from, span *out)
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = block_take(c, field + k, from);
}

WIDE void block_put(wide_block *c, uint32_t field, uint32_t from, span v)
{
    span_store(c->at[field] + from, v);
}

WIDE void block_put3(wide_block *c, uint32_t field, uint32_t from, const span *v)
{
    for (uint32_t k = 0; k < 3; k++)
        block_put(c, field + k, from, v[k]);
}

/* Number k of the laws that pairs have. */
WIDE span wide_law(const tlk_penalty *p, const uint32_t *law, bool same, uint32_t k)
{
    span out = (span){0} + p->table[TLK_LAW_NUMBERS * (size_t)law[0] + k];
    if (!same)
        for (uint32_t l = 0; l < SPAN; l++)
            out[l] = p->table[TLK_LAW_NUMBERS * (size_t)law[l] + k];
    return out;
}

/* Pairs along the normal, tlk_hertz: a couple is a row of four numbers, two of which are pairs of
 * indices. */
WIDE void wide_hertz(const tlk_penalty *p, const uint32_t *pair, uint32_t from, wide_block *c)
{
    uint32_t kind[2 * SPAN], law[SPAN], differs = 0;
    const span none = {0}, overlap = block_take(c, AT_OVERLAP, from);
    const span approach = block_take(c, AT_APPROACH, from);
    span of[4];
    span_gather((const double *)p->couple, sizeof(tlk_couple) / sizeof(double), pair, of);
    __builtin_memcpy(kind, &of[3], sizeof kind);
    for (uint32_t l = 0; l < SPAN; l++) {
        law[l] = kind[2 * l];
        differs |= law[l] ^ law[0];
    }
    const span contact = span_sqrt(of[0] * overlap);
    const span slope = 2 * wide_law(p, law, !differs, TLK_LAW_YOUNG) * contact;
    const span spring = 2.0 / 3 * slope * overlap;
    const span damper =
        wide_law(p, law, !differs, TLK_LAW_RATIO) * TLK_HERTZ_DAMPING * span_sqrt(slope * of[1]);
    const span raw = damper * approach;
    const span damped =
        p->attraction ? raw : span_select(span_less(spring + raw, none), -spring, raw);
    const span normal = spring + damped;
    const span pressure = span_select(span_less(none, normal), normal, none);
    block_put(c, AT_NORMAL, from, normal);
    block_put(c, AT_LIMIT, from, wide_law(p, law, !differs, TLK_LAW_FRICTION) * pressure);
    block_put(c, AT_DAMPED, from, damped * approach);
    block_put(c, AT_SLOPE, from, 8 * wide_law(p, law, !differs, TLK_LAW_SHEAR) * contact);
    block_put(c, AT_DAMPER, from, wide_law(p, law, !differs, TLK_LAW_ACROSS) * damper);
    if (!tlk_penalty_last(p) && p->cohesion != 1)
        return;
    block_put(c, AT_STIFF, from, slope);
    block_put(c, AT_DAMP, from, damper);
    block_put(c, AT_ELASTIC, from, 0.4 * spring * overlap);
}

/* The surface of a body at the end of its arm: tlk_penalty_at */
WIDE void wide_surface(const tlk_penalty *p, const uint32_t *body, const span *x, span *arm,
                       span *of)
{
    span pos[4], v[4], w[4], turn[3];
    span_gather(p->bodies.pos, 4, body, pos);
    span_gather(p->vel, 8, body, v);
    span_gather(p->vel + 4, 8, body, w);
    for (int k = 0; k < 3; k++)
        arm[k] = x[k] - pos[k];
    span_cross(w, arm, turn);
    for (int k = 0; k < 3; k++)
        of[k] = v[k] + turn[k];
}

/* Where balls touch: tlk_narrow and tlk_penalty_halfway */
WIDE void wide_between(const tlk_penalty *p, const uint32_t *pair, span *n, span *x, span *overlap)
{
    uint32_t i[SPAN], j[SPAN];
    span a[4], b[4];
    for (uint32_t l = 0; l < SPAN; l++)
        i[l] = p->a[pair[l]], j[l] = p->b[pair[l]];
    span_gather(p->shapes.centre, 4, i, a);
    span_gather(p->shapes.centre, 4, j, b);
    const span gap = wide_direction(a, b, n) - (a[3] + b[3]);
    for (int k = 0; k < 3; k++) {
        x[k] = a[k] + a[3] * n[k];
        x[k] += 0.5 * gap * n[k];
    }
    *overlap = -gap;
}

/* How bodies that are not dynamic move where they are touched. */
WIDE void wide_belt(const tlk_penalty *p, uint32_t from, const span *of_a, const span *of_b,
                    wide_block *c)
{
    const span none = {0};
    span still_a, still_b;
    for (uint32_t l = 0; l < SPAN; l++) {
        still_a[l] = c->a[from + l] >= p->bodies.dynamic ? 1 : 0;
        still_b[l] = c->b[from + l] >= p->bodies.dynamic ? 1 : 0;
    }
    const span_bits a = span_less(none, still_a), b = span_less(none, still_b);
    for (uint32_t k = 0; k < 3; k++)
        block_put(c, AT_BELT + k, from, span_select(b, -of_b[k], span_select(a, of_a[k], none)));
}

/* Where pairs touch and how their surfaces move there. `w`: of walls, or NULL: balls touch. Whether
 * a body is not dynamic. */
WIDE bool wide_press(const tlk_penalty *p, const uint32_t *pair, const wide_walls *w, uint32_t from,
                     wide_block *c)
{
    span x[3], n[3], arm_a[3], arm_b[3], of_a[3], of_b[3], slip[3], approach = {0}, overlap;
    uint32_t most = 0;
    if (w) {
        for (int k = 0; k < 3; k++)
            n[k] = span_load(w->n[k] + from), x[k] = span_load(w->x[k] + from);
        overlap = -span_load(w->gap + from);
    } else {
        wide_between(p, pair, n, x, &overlap);
    }
    for (uint32_t l = 0; l < SPAN; l++) {
        const tlk_couple *of = p->couple + pair[l];
        c->a[from + l] = of->a, c->b[from + l] = of->b;
        most = tlk_max(most, tlk_max(of->a, of->b));
    }
    wide_surface(p, c->a + from, x, arm_a, of_a);
    wide_surface(p, c->b + from, x, arm_b, of_b);
    for (int k = 0; k < 3; k++)
        approach += (of_a[k] - of_b[k]) * n[k];
    for (int k = 0; k < 3; k++)
        slip[k] = of_a[k] - of_b[k] - approach * n[k] + 0.0;
    block_put3(c, AT_N, from, n);
    block_put3(c, AT_ARM_A, from, arm_a);
    block_put3(c, AT_ARM_B, from, arm_b);
    block_put3(c, AT_SLIP, from, slip);
    block_put(c, AT_APPROACH, from, approach);
    block_put(c, AT_OVERLAP, from, overlap);
    if (most < p->bodies.dynamic)
        return false;
    wide_belt(p, from, of_a, of_b, c);
    return true;
}

/* tlk_shear_spring: returns its energy; past: force and slope, which change. */
WIDE span wide_shear(const tlk_penalty *p, const wide_block *c, uint32_t from, span *past,
                     span *shear, span *lost)
{
    const span none = {0}, limit = block_take(c, AT_LIMIT, from), old = past[3];
    const span slope = block_take(c, AT_SLOPE, from), damper = block_take(c, AT_DAMPER, from);
    span force[3], n[3], slip[3];
    block_take3(c, AT_N, from, n);
    block_take3(c, AT_SLIP, from, slip);
    const span before = span_dot(past, past), along = span_dot(past, n), inverse = 1 / old;
    for (int k = 0; k < 3; k++)
        force[k] = past[k] - along * n[k];
    const span turned = span_dot(force, force);
    span scale = span_select(span_less(none, turned), span_sqrt(before / turned), none);
    scale *= span_select(span_less(slope, old), slope * inverse, none + 1);
    const span grows = slope * p->advance;
    for (int k = 0; k < 3; k++)
        force[k] = scale * force[k] + grows * slip[k];
    span square = span_dot(force, force);
    const span most = limit * limit;
    const span_bits slips = span_less(most, square);
    for (int k = 0; k < 3; k++)
        shear[k] = force[k] + span_select(slips, none, damper * slip[k]);
    const span total = span_dot(shear, shear);
    const span less = span_select(span_less(most, total), limit / span_sqrt(total), none + 1);
    for (int k = 0; k < 3; k++)
        shear[k] *= less;
    square = span_select(slips, most, square);
    const span now = span_select(span_less(none, slope), 0.5 * square / slope, none);
    *lost = p->weight * span_dot(shear, slip);
    if (p->commits) {
        *lost -= now - span_select(span_less(none, old), 0.5 * before * inverse, none);
        for (int k = 0; k < 3; k++)
            past[k] = span_select(slips, shear[k], force[k]);
        past[3] = slope;
    }
    return now;
}

/* Force and moments of the items. */
WIDE void wide_items(const tlk_penalty *p, const uint32_t *pair, uint32_t lanes,
                     const wide_block *c, uint32_t from, const span *f)
{
    span turn_a[3], turn_b[3], arm_a[3], arm_b[3];
    block_take3(c, AT_ARM_A, from, arm_a);
    block_take3(c, AT_ARM_B, from, arm_b);
    span_cross(arm_a, f, turn_a);
    span_cross(arm_b, f, turn_b);
    const span first[4] = {f[0], f[1], f[2], -turn_a[0]};
    const span second[4] = {-turn_a[1], -turn_a[2], turn_b[0], turn_b[1]};
    span_scatter(p->force, TLK_FORCE, pair, lanes, first);
    span_scatter(p->force + 4, TLK_FORCE, pair, lanes, second);
    for (uint32_t l = 0; l < lanes; l++)
        p->force[TLK_FORCE * (size_t)pair[l] + 8] = turn_b[2][l];
}

/* The numbers that only the last evaluation leaves. */
WIDE void wide_last(const tlk_penalty *p, const uint32_t *pair, uint32_t lanes, const wide_block *c,
                    uint32_t from, const span *f, span shear)
{
    const span elastic = block_take(c, AT_ELASTIC, from) + shear;
    const span first[4] = {elastic, block_take(c, AT_STIFF, from), f[0], f[1]};
    const span second[4] = {f[2], block_take(c, AT_DAMP, from), block_take(c, AT_SLOPE, from),
                            (span){0}};
    if (tlk_penalty_last(p)) {
        span_scatter(p->sum + TLK_SUM_ELASTIC, TLK_SUM, pair, lanes, first);
        span_scatter(p->sum + TLK_SUM_ELASTIC + 4, TLK_SUM, pair, lanes, second);
    } else if (p->cohesion == 1) {
        for (uint32_t l = 0; l < lanes; l++)
            p->sum[TLK_SUM * (size_t)pair[l] + TLK_SUM_ELASTIC] = elastic[l];
    }
}

/* What acts, and what the contacts keep and add up. */
WIDE void wide_react(const tlk_penalty *p, const uint32_t *pair, uint32_t lanes,
                     const wide_block *c, uint32_t from, bool still)
{
    span past[4], sum[4], shear[3], f[3], n[3], lost;
    const span normal = block_take(c, AT_NORMAL, from);
    span_gather(p->past, p->keeps, pair, past);
    const span now = wide_shear(p, c, from, past, shear, &lost);
    block_take3(c, AT_N, from, n);
    for (int k = 0; k < 3; k++)
        f[k] = normal * n[k] + shear[k];
    span_gather(p->sum, TLK_SUM, pair, sum);
    for (int k = 0; k < 3; k++)
        sum[k] += p->weight * f[k];
    sum[3] += lost + p->weight * block_take(c, AT_DAMPED, from);
    span_scatter(p->sum, TLK_SUM, pair, lanes, sum);
    if (p->commits)
        span_scatter(p->past, p->keeps, pair, lanes, past);
    for (uint32_t l = 0; l < lanes; l++) {
        const bool keeps = p->commits || p->acts[pair[l]] & TLK_KEEPS;
        if (p->commits && p->keeps == TLK_PAST)
            p->past[TLK_PAST * (size_t)pair[l] + TLK_PAST_TOUCHED] = 1;
        p->acts[pair[l]] = (uint8_t)(TLK_ACTS | (keeps ? TLK_KEEPS : 0));
    }
    if (still) {
        span belt[3], power = {0};
        block_take3(c, AT_BELT, from, belt);
        for (int k = 0; k < 3; k++)
            power += f[k] * belt[k];
        for (uint32_t l = 0; l < lanes; l++)
            p->sum[TLK_SUM * (size_t)pair[l] + TLK_SUM_WORK] += p->weight * power[l];
    }
    wide_items(p, pair, lanes, c, from, f);
    wide_last(p, pair, lanes, c, from, f, now);
}

/* tlk_penalty_plain of all that were collected. */
static void wide_work_out(const tlk_penalty *p, wide_touching *t, const wide_walls *w,
                          wide_block *c)
{
    const uint32_t count = t->count;
    bool still = false;
    for (uint32_t l = count; l < count + SPAN; l++)
        t->pair[l] = t->pair[0];
    for (uint32_t from = 0; from < count; from += SPAN)
        still |= wide_press(p, t->pair + from, w, from, c);
    for (uint32_t from = 0; from < count; from += SPAN)
        wide_hertz(p, t->pair + from, from, c);
    for (uint32_t from = 0; from < count; from += SPAN)
        wide_react(p, t->pair + from, tlk_min(count - from, SPAN), c, from, still);
    t->count = 0;
}

static void wide_penalty_force(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    wide_touching t;
    wide_walls w;
    wide_block c;
    if (!p.couple) {
        for (uint32_t q = begin; q < end; q++)
            tlk_penalty_force(&p, q);
        return;
    }
    t.count = w.of.count = 0;
    for (uint32_t q = begin; q < end; q += SPAN) {
        const bool last = q + SPAN >= end;
        wide_collect(&p, q, tlk_min(end - q, SPAN), &t, &w);
        if (t.count >= WIDE_TOUCHING || (last && t.count))
            wide_work_out(&p, &t, NULL, &c);
        if (w.of.count >= WIDE_TOUCHING || (last && w.of.count))
            wide_work_out(&p, &w.of, &w, &c);
    }
}

#endif
