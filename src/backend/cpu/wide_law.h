/* The law of plain pairs (plain.h), as many at once as a vector has. Where surfaces are is worked
 * out in 64 bits, SPAN pairs at a time; the law in `real`, WIDE_LANES at a time, for some vectors
 * of pairs one stage after the other, so that few operations wait for a root or quotient. */
#ifndef TL_BACKEND_CPU_WIDE_LAW_H
#define TL_BACKEND_CPU_WIDE_LAW_H

#include "backend/cpu/wide_row.h"
#include "backend/cpu/wide_span.h"
#include "kernels/penalty/near.h"

#define WIDE_TOUCHING 64u /* pairs that are collected before their forces are worked out */
#define WIDE_ROOM     (WIDE_TOUCHING + WIDE_LANES)

/* Pairs of bodies, or `near` ones (near.h): of these AT_FROM_A and AT_FROM_B are 0, all bodies are
 * dynamic, what they keep is side by side, and some may not touch. */
typedef enum wide_whose { WIDE_ANY, WIDE_BALLS } wide_whose;

/* Pairs that touch, field by field. What takes long, roots and quotients, has one pass over them
 * after the other, so that few operations wait for another. */
enum {
    AT_N = 0, /* three: tlk_plain_spot; before, what its length makes the normal */
    AT_OVERLAP = 3,
    AT_REACH_A = 4,
    AT_REACH_B = 5,
    AT_FROM_A = 6, /* three: from bodies to the points that it has of them */
    AT_FROM_B = 9, /* three */
    AT_SPOT = 12,
    AT_SQUARE = 12,  /* tlk_plain_balls: of the distance of centres */
    AT_BEYOND = 13,  /* this without the square of the next */
    AT_SUM = 14,     /* of radii */
    AT_SLIP = 12,    /* three */
    AT_PUSHES = 15,  /* N, three: the tangential spring, before it slips */
    AT_NORMAL = 18,  /* N */
    AT_LIMIT = 19,   /* N: of friction */
    AT_DAMPED = 20,  /* W: by the normal damper */
    AT_BEFORE = 21,  /* J: of the tangential spring */
    AT_SHEAR = 22,   /* N/m: across the normal */
    AT_ACROSS = 23,  /* N s/m: likewise */
    AT_SLOPE = 24,   /* N/m: along it */
    AT_DAMPER = 25,  /* N s/m: likewise */
    AT_ELASTIC = 26, /* J: likewise */
    AT_OF_A = 27,    /* three: m/s */
    AT_OF_B = 30,    /* three */
    AT_TOUCHES = 33, /* of near ones: 1 where surfaces overlap, else 0 */
    AT_FIELDS = 34
};

/* The numbers of the law of each pair, as tlk_plain_press has them. */
typedef struct wide_laws {
    vec young, ratio, friction, shear, across;
} wide_laws;

typedef struct wide_touching {
    _Alignas(64) real at[AT_FIELDS][WIDE_ROOM];
    _Alignas(64) uint32_t pair[WIDE_ROOM + SPAN], i[WIDE_ROOM + SPAN], j[WIDE_ROOM + SPAN];
    uint32_t a[WIDE_ROOM], b[WIDE_ROOM]; /* bodies; i and j: shapes */
    uint32_t count;
    uint32_t first, end; /* of near ones: which of them these are */
    wide_laws law;       /* where materials are all one */
} wide_touching;

/* Lanes for which something is true. */
#if defined(__AVX512F__) && !defined(TLK_PRECISION_double)
typedef __mmask16 lane_bits;
WIDE lane_bits vec_less(vec a, vec b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
WIDE vec vec_pick(lane_bits condition, vec yes, vec no)
{
    return (vec)_mm512_mask_blend_ps(condition, (__m512)no, (__m512)yes);
}
#elif defined(__AVX512F__)
typedef __mmask8 lane_bits;
WIDE lane_bits vec_less(vec a, vec b)
{
    return span_less(a, b);
}
WIDE vec vec_pick(lane_bits condition, vec yes, vec no)
{
    return span_select(condition, yes, no);
}
#else
typedef vec_bits lane_bits;
WIDE lane_bits vec_less(vec a, vec b)
{
    return a < b;
}
WIDE vec vec_pick(lane_bits condition, vec yes, vec no)
{
    return vec_select(condition, yes, no);
}
#endif

/* --- where ----------------------------------------------------------------------------------- */

/* From bodies to the centres of their balls. */
WIDE void wide_from(const tlk_penalty *p, const uint32_t *body, const span *c, uint32_t field,
                    uint32_t from, wide_touching *t)
{
    double x[3][SPAN];
    for (uint32_t l = 0; l < SPAN; l++) {
        const double *row = tlk_penalty_where(p, body[l]);
        for (uint32_t k = 0; k < 3; k++)
            x[k][l] = row[k];
    }
    for (uint32_t k = 0; k < 3; k++)
        span_put(t->at[field + k] + from, c[k] - span_load(x[k]));
}

/* tlk_plain_balls, in 64 bits; its root and quotients come after. */
WIDE void wide_meet(const tlk_penalty *p, wide_whose kind, uint32_t from, wide_touching *t)
{
    span a[4], b[4], d[3];
    span_gather(p->shapes.centre, 4, (kind == WIDE_BALLS ? t->a : t->i) + from, a);
    span_gather(p->shapes.centre, 4, (kind == WIDE_BALLS ? t->b : t->j) + from, b);
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - a[k];
    const span sum = a[3] + b[3], square = span_dot(d, d), beyond = square - sum * sum;
    for (uint32_t k = 0; k < 3; k++)
        span_put(t->at[AT_N + k] + from, d[k]);
    span_put(t->at[AT_SQUARE] + from, square);
    span_put(t->at[AT_BEYOND] + from, beyond);
    span_put(t->at[AT_SUM] + from, sum);
    span_put(t->at[AT_REACH_A] + from, a[3]);
    span_put(t->at[AT_REACH_B] + from, b[3]);
    if (kind != WIDE_BALLS) {
        wide_from(p, t->a + from, a, AT_FROM_A, from, t);
        wide_from(p, t->b + from, b, AT_FROM_B, from, t);
        return;
    }
    span_put(t->at[AT_TOUCHES] + from,
             span_select(span_less(beyond, (span){0}), (span){0} + 1, (span){0}));
}

/* The bodies of pairs. */
WIDE void wide_bodies(const tlk_penalty *p, uint32_t count, wide_touching *t)
{
    for (uint32_t l = 0; l < count; l++) {
        t->a[l] = p->shapes.body[p->a[t->pair[l]]];
        t->b[l] = p->shapes.body[p->b[t->pair[l]]];
    }
}

/* --- the law --------------------------------------------------------------------------------- */

WIDE vec wide_take(const wide_touching *t, uint32_t field, uint32_t from)
{
    return *(const vec *)(t->at[field] + from);
}

WIDE void wide_set(wide_touching *t, uint32_t field, uint32_t from, vec v)
{
    *(vec *)(t->at[field] + from) = v;
}

WIDE void wide_set3(wide_touching *t, uint32_t field, uint32_t from, const vec *v)
{
    for (uint32_t k = 0; k < 3; k++)
        wide_set(t, field + k, from, v[k]);
}

WIDE void wide_take3(const wide_touching *t, uint32_t field, uint32_t from, vec *out)
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = wide_take(t, field + k, from);
}

/* The rest of tlk_plain_balls. */
WIDE void wide_apart(wide_touching *t, uint32_t from)
{
    const vec none = {0}, distance = vec_sqrt(wide_take(t, AT_SQUARE, from));
    const vec inverse = 1 / distance;
    const vec gap = wide_take(t, AT_BEYOND, from) / (distance + wide_take(t, AT_SUM, from));
    const lane_bits apart = vec_less(none, distance);
    for (uint32_t k = 0; k < 3; k++)
        wide_set(t, AT_N + k, from,
                 vec_pick(apart, wide_take(t, AT_N + k, from) * inverse, vec_set((real)(k == 2))));
    wide_set(t, AT_OVERLAP, from, -gap);
    wide_set(t, AT_REACH_A, from, wide_take(t, AT_REACH_A, from) + (real)0.5 * gap);
    wide_set(t, AT_REACH_B, from, -wide_take(t, AT_REACH_B, from) - (real)0.5 * gap);
}

/* Rows of four numbers, `stride` numbers apart, and back. */
typedef real loose_half __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real))));

WIDE void wide_fours(const real *from, size_t stride, const uint32_t *row, vec out[4])
{
    vec r[4];
    for (uint32_t k = 0; k < 4; k++) {
        packet two[WIDE_PACKETS];
        for (uint32_t q = 0; q < WIDE_PACKETS; q++) {
            const loose_half a = *(const loose_half *)(from + stride * row[8 * q + k]);
            const loose_half b = *(const loose_half *)(from + stride * row[8 * q + 4 + k]);
            two[q] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        r[k] = vec_join(two);
    }
    half_columns(r, out);
}

WIDE void wide_unfours(real *to, size_t stride, const uint32_t *row, uint32_t lanes,
                       const vec in[4])
{
    const half_rows u = half_back(in);
    for (uint32_t l = 0; l < lanes; l++)
        *(loose_half *)(to + stride * row[l]) = u.h[l % 4][l / 4];
}

WIDE vec_rows wide_nears(const wide_touching *t, uint32_t from)
{
    return wide_rows_at(t->first + from, t->end);
}

/* What pairs have: of near ones fields side by side, else the first numbers of rows. */
WIDE void wide_have(const tlk_penalty *p, wide_whose kind, const wide_touching *t, uint32_t from,
                    uint32_t field, uint32_t count, const real *rows, size_t stride, vec *out)
{
    vec all[4];
    if (kind != WIDE_BALLS)
        wide_fours(rows, stride, t->pair + from, all);
    for (uint32_t k = 0; k < count; k++)
        out[k] = kind != WIDE_BALLS
                     ? all[k]
                     : vec_load(p->near_of, wide_nears(t, from), field + k, TLK_NEAR);
}

/* And back, four numbers. */
WIDE void wide_leave(const tlk_penalty *p, wide_whose kind, const wide_touching *t, uint32_t from,
                     uint32_t lanes, uint32_t field, real *rows, size_t stride, const vec *in)
{
    if (kind != WIDE_BALLS)
        wide_unfours(rows, stride, t->pair + from, lanes, in);
    for (uint32_t k = 0; k < 4 && kind == WIDE_BALLS; k++)
        vec_store(p->near_of, wide_nears(t, from), field + k, TLK_NEAR, in[k]);
}

/* Velocities as forces see them: tlk_plain_velocity */
WIDE void wide_pace(const tlk_penalty *p, const uint32_t *body, vec v[8])
{
    real at[8][WIDE_LANES];
    if (p->light) {
        vec_gather(p->pace, body, v);
        return;
    }
    for (uint32_t l = 0; l < WIDE_LANES; l++)
        for (uint32_t k = 0; k < 8; k++)
            at[k][l] = (real)p->vel[8 * (size_t)body[l] + k];
    __builtin_memcpy(v, at, sizeof at);
}

/* The anchor of a body. */
WIDE void wide_anchor(wide_whose kind, const wide_touching *t, uint32_t reach, uint32_t off,
                      uint32_t from, const vec *n, vec *anchor)
{
    const vec far = wide_take(t, reach, from);
    for (uint32_t k = 0; k < 3; k++)
        anchor[k] = (kind == WIDE_BALLS ? (vec){0} : wide_take(t, off + k, from)) + far * n[k];
}

/* tlk_plain_surface */
WIDE void wide_surface(const tlk_penalty *p, const uint32_t *body, const vec *anchor, vec *of)
{
    vec v[8], turn[3];
    wide_pace(p, body, v);
    vec_cross(v + 4, anchor, turn);
    for (int k = 0; k < 3; k++)
        of[k] = v[k] + turn[k];
}

WIDE void wide_law(const tlk_penalty *p, const uint32_t *pair, wide_laws *out)
{
    const uint32_t first = p->materials > 1 ? p->couple[pair[0]].law : 0;
    const double *law = p->table + TLK_LAW_NUMBERS * (size_t)first;
    uint32_t differs = 0;
    for (uint32_t l = 1; l < WIDE_LANES && p->materials > 1; l++)
        differs |= p->couple[pair[l]].law ^ first;
    out->young = vec_set((real)(2 * law[TLK_LAW_YOUNG]));
    out->ratio = vec_set((real)(law[TLK_LAW_RATIO] * TLK_HERTZ_DAMPING));
    out->friction = vec_set((real)law[TLK_LAW_FRICTION]);
    out->shear = vec_set((real)(8 * law[TLK_LAW_SHEAR]));
    out->across = vec_set((real)law[TLK_LAW_ACROSS]);
    for (uint32_t l = 1; l < WIDE_LANES && differs; l++) {
        law = p->table + TLK_LAW_NUMBERS * (size_t)p->couple[pair[l]].law;
        out->young[l] = (real)(2 * law[TLK_LAW_YOUNG]);
        out->ratio[l] = (real)(law[TLK_LAW_RATIO] * TLK_HERTZ_DAMPING);
        out->friction[l] = (real)law[TLK_LAW_FRICTION];
        out->shear[l] = (real)(8 * law[TLK_LAW_SHEAR]);
        out->across[l] = (real)law[TLK_LAW_ACROSS];
    }
}

/* The first half of tlk_plain_shear: the spring turns and grows. */
WIDE void wide_grow(const tlk_penalty *p, wide_whose kind, const vec *n, const vec *slip, vec slope,
                    uint32_t from, wide_touching *t)
{
    const vec none = {0};
    vec past[4], force[3];
    wide_have(p, kind, t, from, TLK_NEAR_PAST, 4, p->past, p->keeps, past);
    const vec old = past[3], inverse = 1 / old, grows = slope * (real)p->advance;
    const vec before = vec_dot(past, past), along = vec_dot(past, n);
    for (int k = 0; k < 3; k++)
        force[k] = past[k] - along * n[k];
    const vec turned = vec_dot(force, force);
    vec scale = vec_pick(vec_less(none, turned), vec_sqrt(before / turned), none);
    scale *= vec_pick(vec_less(slope, old), slope * inverse, none + 1);
    for (int k = 0; k < 3; k++)
        force[k] = scale * force[k] + grows * slip[k];
    wide_set3(t, AT_PUSHES, from, force);
    if (p->commits)
        wide_set(t, AT_BEFORE, from,
                 vec_pick(vec_less(none, old), (real)0.5 * before * inverse, none));
}

/* tlk_plain_press, up to where the tangential spring may slip; a couple's first numbers are radius
 * and mass. */
WIDE void wide_press(const tlk_penalty *p, wide_whose kind, uint32_t from, wide_touching *t)
{
    const vec none = {0}, overlap = wide_take(t, AT_OVERLAP, from);
    vec n[3], anchor_a[3], anchor_b[3], of_a[3], of_b[3], slip[3], approach = none, of[2];
    wide_laws law;
    wide_take3(t, AT_N, from, n);
    wide_anchor(kind, t, AT_REACH_A, AT_FROM_A, from, n, anchor_a);
    wide_anchor(kind, t, AT_REACH_B, AT_FROM_B, from, n, anchor_b);
    wide_surface(p, t->a + from, anchor_a, of_a);
    wide_surface(p, t->b + from, anchor_b, of_b);
    if (kind != WIDE_BALLS) {
        wide_set3(t, AT_OF_A, from, of_a);
        wide_set3(t, AT_OF_B, from, of_b);
    }
    for (int k = 0; k < 3; k++)
        approach += (of_a[k] - of_b[k]) * n[k];
    for (int k = 0; k < 3; k++)
        slip[k] = of_a[k] - of_b[k] - approach * n[k];
    if (p->materials > 1)
        wide_law(p, t->pair + from, &law);
    else
        law = t->law;
    wide_have(p, kind, t, from, TLK_NEAR_RADIUS, 2, (const real *)p->couple, TLK_COUPLE, of);
    const vec contact = vec_sqrt(of[0] * overlap), slope = law.young * contact;
    const vec spring = (real)(2.0 / 3) * slope * overlap;
    const vec damper = law.ratio * vec_sqrt(slope * of[1]), raw = damper * approach;
    const vec damped = p->attraction ? raw : vec_pick(vec_less(spring + raw, none), -spring, raw);
    const vec normal = spring + damped, shear = law.shear * contact;
    wide_set3(t, AT_SLIP, from, slip);
    wide_set(t, AT_NORMAL, from, normal);
    wide_set(t, AT_LIMIT, from, law.friction * vec_pick(vec_less(none, normal), normal, none));
    wide_set(t, AT_DAMPED, from, damped * approach);
    wide_set(t, AT_SHEAR, from, shear);
    wide_set(t, AT_ACROSS, from, law.across * damper);
    wide_grow(p, kind, n, slip, shear, from, t);
    if (!tlk_penalty_last(p))
        return;
    wide_set(t, AT_SLOPE, from, slope);
    wide_set(t, AT_DAMPER, from, damper);
    wide_set(t, AT_ELASTIC, from, (real)0.4 * spring * overlap);
}

/* Which near ones touch. */
WIDE lane_bits wide_touches(const wide_touching *t, uint32_t from)
{
    return vec_less((vec){0}, wide_take(t, AT_TOUCHES, from));
}

/* The rest of tlk_plain_shear: shear, what is kept and what is lost; returns the spring's energy.
 */
WIDE vec wide_slip(const tlk_penalty *p, wide_whose kind, const wide_touching *t, uint32_t from,
                   uint32_t lanes, vec *shear, vec *lost)
{
    const vec none = {0}, limit = wide_take(t, AT_LIMIT, from), most = limit * limit;
    const vec slope = wide_take(t, AT_SHEAR, from), damper = wide_take(t, AT_ACROSS, from);
    vec force[3], slip[3], past[4];
    wide_take3(t, AT_PUSHES, from, force);
    wide_take3(t, AT_SLIP, from, slip);
    vec square = vec_dot(force, force);
    const lane_bits slips = vec_less(most, square);
    for (int k = 0; k < 3; k++)
        shear[k] = force[k] + vec_pick(slips, none, damper * slip[k]);
    const vec total = vec_dot(shear, shear);
    const vec less = vec_pick(vec_less(most, total), limit / vec_sqrt(total), none + 1);
    for (int k = 0; k < 3; k++)
        shear[k] *= less;
    square = vec_pick(slips, most, square);
    const vec now = vec_pick(vec_less(none, slope), (real)0.5 * square / slope, none);
    *lost = (real)p->weight * vec_dot(shear, slip);
    if (p->commits) {
        *lost -= now - wide_take(t, AT_BEFORE, from);
        for (int k = 0; k < 3; k++)
            past[k] = vec_pick(slips, shear[k], force[k]);
        past[3] = slope;
        for (int k = 0; k < 4 && kind == WIDE_BALLS; k++)
            past[k] = vec_pick(wide_touches(t, from), past[k], none);
        wide_leave(p, kind, t, from, lanes, TLK_NEAR_PAST, p->past, p->keeps, past);
    }
    return now;
}

/* What bodies that are not dynamic do: tlk_plain_sum */
WIDE void wide_belt(const tlk_penalty *p, const wide_touching *t, uint32_t from, uint32_t lanes,
                    const vec *f)
{
    vec by_a = {0}, by_b = {0};
    for (uint32_t k = 0; k < 3; k++) {
        by_a += f[k] * wide_take(t, AT_OF_A + k, from);
        by_b += -f[k] * wide_take(t, AT_OF_B + k, from);
    }
    for (uint32_t l = 0; l < lanes; l++) {
        const bool a = t->a[from + l] >= p->bodies.dynamic, b = t->b[from + l] >= p->bodies.dynamic;
        const real power = b ? by_b[l] : a ? by_a[l] : 0;
        if (power != 0)
            p->last[TLK_LAST * (size_t)t->pair[from + l] + TLK_LAST_WORK] +=
                (real)p->weight * power;
    }
}

/* What only the last evaluation leaves. */
WIDE void wide_last(const tlk_penalty *p, const wide_touching *t, uint32_t from, uint32_t lanes,
                    const vec *f, vec now)
{
    const uint32_t *pair = t->pair + from;
    const vec first[4] = {wide_take(t, AT_ELASTIC, from) + now, f[0], f[1], f[2]};
    wide_unfours(p->last, TLK_LAST, pair, lanes, first);
    for (uint32_t l = 0; l < lanes; l++) {
        real *last = p->last + TLK_LAST * (size_t)pair[l];
        last[TLK_LAST_STIFF] = t->at[AT_SLOPE][from + l];
        last[TLK_LAST_DAMP] = t->at[AT_DAMPER][from + l];
        last[TLK_LAST_SHEAR] = t->at[AT_SHEAR][from + l];
    }
}

/* The same of near ones, with all that they have. */
WIDE void wide_back(const tlk_penalty *p, const wide_touching *t, uint32_t from, const vec *f,
                    const vec *sum, vec now)
{
    const uint32_t *pair = t->pair + from;
    const lane_bits touches = wide_touches(t, from);
    const vec none = {0};
    vec past[4], r[8] = {wide_take(t, AT_ELASTIC, from) + now,
                         f[0],
                         f[1],
                         f[2],
                         wide_take(t, AT_SLOPE, from),
                         wide_take(t, AT_DAMPER, from),
                         wide_take(t, AT_SHEAR, from),
                         none};
    for (uint32_t k = 0; k < 7; k++)
        r[k] = k < 1 || k > 3 ? vec_pick(touches, r[k], none) : r[k];
    wide_have(p, WIDE_BALLS, t, from, TLK_NEAR_PAST, 4, NULL, 0, past);
    wide_unfours(p->past, TLK_PAST_PLAIN, pair, WIDE_LANES, past);
    wide_unfours(p->sum, TLK_SUM, pair, WIDE_LANES, sum);
    vec_transpose(r);
    for (uint32_t l = 0; l < WIDE_LANES; l++) {
        const bool acts = t->at[AT_TOUCHES][from + l] > 0;
        *(packet *)(p->last + TLK_LAST * (size_t)pair[l]) = vec_packet(r[l % 8], l / 8);
        tlk_penalty_noted(p, pair[l], acts, acts);
    }
}

/* What acts on a body of each pair: tlk_penalty_load */
WIDE void wide_load(const tlk_penalty *p, const uint32_t *at, uint32_t lanes, uint32_t side,
                    const vec *f, const vec *anchor)
{
    vec turn[3], r[8];
    vec_cross(anchor, f, turn);
    for (int k = 0; k < 3; k++) {
        r[k] = side ? f[k] : -f[k];
        r[4 + k] = side ? turn[k] : -turn[k];
    }
    r[3] = r[7] = (vec){0};
    vec_transpose(r);
    if (lanes == WIDE_LANES) {
#pragma GCC unroll 16
        for (uint32_t l = 0; l < WIDE_LANES; l++)
            *(packet *)(p->load + TLK_LOAD * (size_t)at[l]) = vec_packet(r[l % 8], l / 8);
        return;
    }
    for (uint32_t l = 0; l < lanes; l++)
        *(packet *)(p->load + TLK_LOAD * (size_t)at[l]) = vec_packet(r[l % 8], l / 8);
}

/* Words of near ones, side by side. */
WIDE void wide_words(const tlk_penalty *p, vec_rows s, uint32_t field, uint32_t *out)
{
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        *(eight_words *)(out + 8 * q) =
            *(const eight_words *)(p->near_word + tlk_at(s.first[q], field, TLK_NEAR_WORDS));
}

/* What acts on both bodies of each. */
WIDE void wide_loads(const tlk_penalty *p, wide_whose kind, const wide_touching *t, uint32_t from,
                     uint32_t lanes, const vec *n, const vec *f)
{
    _Alignas(32) uint32_t at[WIDE_LANES];
    for (uint32_t side = 0; side < 2; side++) {
        vec anchor[3];
        if (kind == WIDE_BALLS)
            wide_words(p, wide_nears(t, from), TLK_NEAR_AT + side, at);
        for (uint32_t l = 0; l < WIDE_LANES && kind != WIDE_BALLS; l++)
            at[l] = p->at[2 * (size_t)t->pair[from + l] + side];
        wide_anchor(kind, t, side ? AT_REACH_B : AT_REACH_A, side ? AT_FROM_B : AT_FROM_A, from, n,
                    anchor);
        wide_load(p, at, lanes, side, f, anchor);
    }
}

/* What acts, and what contacts add up. */
WIDE void wide_react(const tlk_penalty *p, wide_whose kind, const wide_touching *t, uint32_t from,
                     uint32_t lanes)
{
    const vec none = {0}, normal = wide_take(t, AT_NORMAL, from);
    vec n[3], shear[3], f[3], sum[4], lost;
    const vec now = wide_slip(p, kind, t, from, lanes, shear, &lost);
    wide_take3(t, AT_N, from, n);
    for (int k = 0; k < 3; k++)
        f[k] = normal * n[k] + shear[k];
    lost += (real)p->weight * wide_take(t, AT_DAMPED, from);
    if (kind == WIDE_BALLS) {
        const lane_bits touches = wide_touches(t, from);
        for (int k = 0; k < 3; k++)
            f[k] = vec_pick(touches, f[k], none);
        lost = vec_pick(touches, lost, none);
    }
    wide_have(p, kind, t, from, TLK_NEAR_SUM, 4, p->sum, TLK_SUM, sum);
    for (int k = 0; k < 3; k++)
        sum[k] += (real)p->weight * f[k];
    sum[3] += lost;
    wide_loads(p, kind, t, from, lanes, n, f);
    if (kind == WIDE_BALLS && p->moves == TLK_MOVE_LAST) {
        wide_back(p, t, from, f, sum, now);
        return;
    }
    wide_leave(p, kind, t, from, lanes, TLK_NEAR_SUM, p->sum, TLK_SUM, sum);
    if (kind == WIDE_BALLS)
        return;
    wide_belt(p, t, from, lanes, f);
    if (tlk_penalty_last(p))
        wide_last(p, t, from, lanes, f, now);
}

/* All that touch; `known`: where is known. */
static void wide_work_out(const tlk_penalty *p, wide_touching *t, bool known)
{
    const uint32_t count = t->count, all = (count + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES;
    for (uint32_t l = count; l < all; l++) {
        t->pair[l] = t->pair[0], t->i[l] = t->i[0], t->j[l] = t->j[0];
        for (uint32_t k = 0; k < AT_SPOT && known; k++)
            t->at[k][l] = t->at[k][0];
    }
    wide_bodies(p, all, t);
    wide_law(p, t->pair, &t->law);
    for (uint32_t from = 0; from < all && !known; from += SPAN)
        wide_meet(p, WIDE_ANY, from, t);
    for (uint32_t from = 0; from < all && !known; from += WIDE_LANES)
        wide_apart(t, from);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_press(p, WIDE_ANY, from, t);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_react(p, WIDE_ANY, t, from, tlk_min(count - from, WIDE_LANES));
    t->count = 0;
}

#endif
