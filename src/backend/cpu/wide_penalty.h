/* Forces of penalty contact, as many pairs at once as a vector has: plain ones (plain.h) between
 * balls or a ball and a wall. Pairs that touch are collected first, so that few lanes are empty;
 * others, and those that part, go through the plain kernel one by one. Where surfaces are is worked
 * out in 64 bits, SPAN pairs at a time; the law in `real`, WIDE_LANES at a time. */
#ifndef TL_BACKEND_CPU_WIDE_PENALTY_H
#define TL_BACKEND_CPU_WIDE_PENALTY_H

#include "backend/cpu/wide_span.h"
#include "kernels/penalty/force.h"

#define WIDE_TOUCHING 64u /* pairs that are collected before their forces are worked out */
#define WIDE_ROOM     (WIDE_TOUCHING + WIDE_LANES)

/* Pairs that touch, field by field. What takes long, roots and quotients, has one pass over them
 * after the other, so that few operations wait for another. */
enum {
    AT_N = 0, /* three: tlk_plain_spot */
    AT_OVERLAP = 3,
    AT_REACH_A = 4,
    AT_REACH_B = 5,
    AT_FROM_A = 6, /* three: from bodies to the points that it has of them */
    AT_FROM_B = 9, /* three */
    AT_SPOT = 12,
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
    AT_FIELDS = 33
};

typedef struct wide_touching {
    _Alignas(64) real at[AT_FIELDS][WIDE_ROOM];
    _Alignas(64) uint32_t pair[WIDE_ROOM + SPAN], i[WIDE_ROOM + SPAN], j[WIDE_ROOM + SPAN];
    uint32_t a[WIDE_ROOM], b[WIDE_ROOM]; /* bodies; i and j: shapes */
    uint32_t count;
    bool off; /* AT_FROM_A and AT_FROM_B are there, else 0, and all bodies are dynamic */
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

/* --- which pairs touch ----------------------------------------------------------------------- */

/* Which of SPAN pairs act or keep something; or do both. */
WIDE uint32_t wide_acting(const tlk_penalty *p, uint32_t q, bool both)
{
    uint64_t acts = 0;
    __builtin_memcpy(&acts, p->acts + q, SPAN);
    acts = (both ? acts & acts >> 1 : acts | acts >> 1) & 0x0101010101010101u;
    return (uint32_t)(acts * 0x0102040810204080u >> 56);
}

/* A plain pair acts now. */
WIDE void wide_acts(const tlk_penalty *p, uint32_t q)
{
    if (p->commits && p->keeps == TLK_PAST)
        p->past[TLK_PAST * (size_t)q + TLK_PAST_TOUCHED] = 1;
    tlk_penalty_noted(p, q, true, p->commits || p->acts[q] & TLK_KEEPS);
}

#if defined(__AVX512VL__)
typedef __m256i span_index;

WIDE span_index index_load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

WIDE span_index index_from(uint32_t q)
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)q), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

WIDE uint32_t index_least(span_index of, uint32_t least)
{
    return _mm256_cmpge_epu32_mask(of, _mm256_set1_epi32((int)least));
}

/* Those of the lanes that are set, one after the other; what follows is overwritten. */
WIDE void index_store(uint32_t *to, span_index of, uint32_t lanes)
{
    _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)lanes, of));
}
#else
typedef struct span_index {
    uint32_t of[SPAN];
} span_index;

WIDE span_index index_load(const uint32_t *from)
{
    span_index out;
    __builtin_memcpy(&out, from, sizeof out);
    return out;
}

WIDE span_index index_from(uint32_t q)
{
    span_index out;
    for (uint32_t l = 0; l < SPAN; l++)
        out.of[l] = q + l;
    return out;
}

WIDE uint32_t index_least(span_index of, uint32_t least)
{
    uint32_t out = 0;
    for (uint32_t l = 0; l < SPAN; l++)
        out |= (uint32_t)(of.of[l] >= least) << l;
    return out;
}

WIDE void index_store(uint32_t *to, span_index of, uint32_t lanes)
{
    for (uint32_t l = 0, at = 0; l < SPAN; l++) {
        to[at] = of.of[l];
        at += lanes >> l & 1;
    }
}
#endif

WIDE void wide_add(wide_touching *t, uint32_t q, span_index i, span_index j, uint32_t lanes)
{
    index_store(t->pair + t->count, index_from(q), lanes);
    index_store(t->i + t->count, i, lanes);
    index_store(t->j + t->count, j, lanes);
    t->count += (uint32_t)__builtin_popcount(lanes);
}

/* Which pairs of those from q on touch: t of balls; w: whether or not, those with walls and, where
 * bodies have the rows of their shapes, with shapes of other bodies. */
WIDE void wide_collect(const tlk_penalty *p, uint32_t q, wide_touching *t, wide_touching *w)
{
    const bool plain = p->keeps == TLK_PAST_PLAIN; /* all are */
    const span_index i = index_load(p->a + q), j = index_load(p->b + q);
    const span none = {0};
    span a[4], b[4], n[3];
    span_gather(p->shapes.centre, 4, p->a + q, a);
    span_gather(p->shapes.centre, 4, p->b + q, b);
    for (int k = 0; k < 3; k++)
        n[k] = b[k] - a[k];
    const span gap = span_sqrt(span_dot(n, n)) - (a[3] + b[3]);
    uint32_t other = span_mask(span_less(a[3], none) | span_less(b[3], none));
    if (p->central)
        other |= index_least(i, p->shapes.dynamic) | index_least(j, p->shapes.dynamic);
    for (uint32_t l = 0; l < SPAN && !plain; l++) {
        if (p->couple[q + l].plain)
            continue;
        tlk_penalty_force_one(p, q + l);
        a[3][l] = b[3][l] = -1;
    }
    const uint32_t law = plain ? 0 : span_mask(span_less(a[3], none) & span_less(b[3], none));
    const uint32_t touches = span_mask(span_less(gap, none)) & ~other & ~law;
    const uint32_t parted =
        (tlk_penalty_last(p) ? SPAN_ALL : wide_acting(p, q, false)) & ~(touches | other | law);
    other &= ~law;
    for (uint32_t rest = parted; rest; rest &= rest - 1)
        tlk_penalty_apart(p, q + (uint32_t)__builtin_ctz(rest));
    for (uint32_t rest = touches & ~wide_acting(p, q, true); rest; rest &= rest - 1)
        wide_acts(p, q + (uint32_t)__builtin_ctz(rest));
    wide_add(t, q, i, j, touches);
    if (other)
        wide_add(w, q, i, j, other);
}

/* --- where ----------------------------------------------------------------------------------- */

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

/* Where balls touch: tlk_plain_balls */
WIDE void wide_meet(const tlk_penalty *p, uint32_t from, wide_touching *t)
{
    span a[4], b[4], n[3];
    span_gather(p->shapes.centre, 4, t->i + from, a);
    span_gather(p->shapes.centre, 4, t->j + from, b);
    const span gap = wide_direction(a, b, n) - (a[3] + b[3]);
    for (uint32_t k = 0; k < 3; k++)
        span_put(t->at[AT_N + k] + from, n[k]);
    span_put(t->at[AT_OVERLAP] + from, -gap);
    span_put(t->at[AT_REACH_A] + from, a[3] + 0.5 * gap);
    span_put(t->at[AT_REACH_B] + from, -b[3] - 0.5 * gap);
    if (t->off) {
        wide_from(p, t->a + from, a, AT_FROM_A, from, t);
        wide_from(p, t->b + from, b, AT_FROM_B, from, t);
    }
}

/* The bodies of pairs: where bodies have the rows of their shapes, those of dynamic balls. */
WIDE void wide_bodies(const tlk_penalty *p, uint32_t count, wide_touching *t)
{
    for (uint32_t l = 0; l < count; l++) {
        t->a[l] = t->off ? p->couple[t->pair[l]].a : t->i[l];
        t->b[l] = t->off ? p->couple[t->pair[l]].b : t->j[l];
    }
}

/* --- where, with walls ----------------------------------------------------------------------- */

/* Balls and boxes or planes, in 64 bits. */
typedef struct wide_wall {
    span c[4], frame[16], n[3];
} wide_wall;

/* tlk_sphere_box */
WIDE span wide_box(wide_wall *w)
{
    const span none = {0}, one = none + 1;
    span d[3], local[3], to[3], depth = none - INFINITY, axis[3], side = none;
    span_bits outside = span_less(none, none);
    for (int k = 0; k < 3; k++)
        d[k] = w->c[k] - w->frame[k];
    for (int k = 0; k < 3; k++) {
        const span half = w->frame[12 + k];
        local[k] = span_dot(d, w->frame + 3 + 3 * k);
        const span_bits below = span_less(local[k], -half), above = span_less(half, local[k]);
        const span nearest = span_select(below, -half, span_select(above, half, local[k]));
        outside |= below | above;
        to[k] = nearest - local[k];
        const span out = span_select(span_less(local[k], none), -local[k], local[k]) - half;
        const span_bits deeper = span_less(depth, out);
        depth = span_select(deeper, out, depth);
        side = span_select(deeper, local[k], side);
        for (int l = 0; l < 3; l++)
            axis[l] = k ? span_select(deeper, w->frame[3 + 3 * k + l], axis[l]) : w->frame[3 + l];
    }
    const span sign = span_select(span_less(side, none), one, -one);
    const span distance = span_sqrt(span_dot(to, to));
    for (int k = 0; k < 3; k++) {
        const span world =
            w->frame[3 + k] * to[0] + w->frame[6 + k] * to[1] + w->frame[9 + k] * to[2];
        w->n[k] = span_select(outside, world / distance, sign * axis[k]);
    }
    return span_select(outside, distance, depth) - w->c[3];
}

/* tlk_sphere_plane */
WIDE span wide_plane(wide_wall *w)
{
    const span d[3] = {w->c[0] - w->frame[0], w->c[1] - w->frame[1], w->c[2] - w->frame[2]};
    for (int k = 0; k < 3; k++)
        w->n[k] = -w->frame[9 + k];
    return span_dot(d, w->frame + 9) - w->c[3];
}

/* Where pair l of those that wait touches: tlk_plain_spot */
WIDE void wide_spot(const tlk_penalty *p, const wide_touching *w, uint32_t l,
                    const tlk_plain_spot *m, wide_touching *t)
{
    const uint32_t q = w->pair[l], a = p->couple[q].a, b = p->couple[q].b, at = t->count++;
    const double *xa = tlk_penalty_where(p, a), *xb = tlk_penalty_where(p, b);
    for (int k = 0; k < 3; k++) {
        t->at[AT_N + k][at] = m->n[k];
        t->at[AT_FROM_A + k][at] = (real)(m->ca[k] - xa[k]);
        t->at[AT_FROM_B + k][at] = (real)(m->cb[k] - xb[k]);
    }
    t->at[AT_OVERLAP][at] = m->overlap;
    t->at[AT_REACH_A][at] = m->reach_a;
    t->at[AT_REACH_B][at] = m->reach_b;
    t->pair[at] = q;
    wide_acts(p, q);
}

/* SPAN pairs of those that wait, if all are a ball and a wall of one kind, box or plane. False:
 * they are not. */
WIDE bool wide_same_walls(const tlk_penalty *p, const wide_touching *w, uint32_t from,
                          uint32_t lanes, wide_touching *t)
{
    const uint32_t *ball = w->i + from, kind = p->shapes.info[w->j[from]] & TLK_SHAPE_KIND;
    uint32_t frame[SPAN], differs = 0;
    wide_wall of;
    double n[3][SPAN], gap[SPAN];
    for (uint32_t l = 0; l < SPAN; l++) {
        frame[l] = p->shapes.frame_of[w->j[from + l]];
        differs |= (p->shapes.info[w->j[from + l]] & TLK_SHAPE_KIND) ^ kind;
    }
    if (differs || (kind != TLK_BOX && kind != TLK_PLANE))
        return false;
    span_gather(p->shapes.centre, 4, ball, of.c);
    for (uint32_t k = 0; k < 16; k += 4)
        span_gather(p->shapes.frame + k, TLK_FRAME, frame, of.frame + k);
    span_store(gap, kind == TLK_BOX ? wide_box(&of) : wide_plane(&of));
    for (uint32_t k = 0; k < 3; k++)
        span_store(n[k], of.n[k]);
    for (uint32_t l = 0; l < lanes; l++) {
        const double *c = p->shapes.centre + 4 * (size_t)ball[l];
        tlk_plain_spot m;
        if (!(gap[l] < 0)) {
            if (p->acts[w->pair[from + l]] || tlk_penalty_last(p))
                tlk_penalty_apart(p, w->pair[from + l]);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            m.n[k] = (real)n[k][l];
            m.ca[k] = m.cb[k] = c[k];
        }
        m.overlap = (real)-gap[l];
        m.reach_a = m.reach_b = (real)(c[3] + 0.5 * gap[l]);
        wide_spot(p, w, from + l, &m, t);
    }
    return true;
}

/* Which of those that wait touch. */
WIDE void wide_walls(const tlk_penalty *p, wide_touching *w, wide_touching *t)
{
    for (uint32_t l = w->count; l < w->count + SPAN; l++)
        w->i[l] = w->i[0], w->j[l] = w->j[0];
    for (uint32_t from = 0; from < w->count; from += SPAN) {
        const uint32_t lanes = tlk_min(w->count - from, SPAN);
        if (wide_same_walls(p, w, from, lanes, t))
            continue;
        for (uint32_t l = from; l < from + lanes; l++) {
            const double *a = p->shapes.centre + 4 * (size_t)w->i[l];
            const double *b = p->shapes.centre + 4 * (size_t)w->j[l];
            tlk_plain_spot m;
            if (tlk_plain_meet(p, w->i[l], w->j[l], a, b, &m) < 0)
                wide_spot(p, w, l, &m, t);
            else
                tlk_penalty_apart(p, w->pair[l]);
        }
    }
    w->count = 0;
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

/* The arm of a body. */
WIDE void wide_arm(const wide_touching *t, uint32_t reach, uint32_t off, uint32_t from,
                   const vec *n, vec *arm)
{
    const vec far = wide_take(t, reach, from);
    for (uint32_t k = 0; k < 3; k++)
        arm[k] = (t->off ? wide_take(t, off + k, from) : (vec){0}) + far * n[k];
}

/* tlk_plain_surface */
WIDE void wide_surface(const tlk_penalty *p, const uint32_t *body, const vec *arm, vec *of)
{
    vec v[8], turn[3];
    wide_pace(p, body, v);
    vec_cross(v + 4, arm, turn);
    for (int k = 0; k < 3; k++)
        of[k] = v[k] + turn[k];
}

/* The numbers of the law of each pair, as tlk_plain_press has them. */
typedef struct wide_laws {
    vec young, ratio, friction, shear, across;
} wide_laws;

WIDE void wide_law(const tlk_penalty *p, const uint32_t *pair, wide_laws *out)
{
    const uint32_t first = p->couple[pair[0]].law;
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
WIDE void wide_grow(const tlk_penalty *p, const uint32_t *pair, const vec *n, const vec *slip,
                    vec slope, uint32_t from, wide_touching *t)
{
    const vec none = {0};
    vec past[4], force[3];
    wide_fours(p->past, p->keeps, pair, past);
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
WIDE void wide_press(const tlk_penalty *p, uint32_t from, wide_touching *t)
{
    const uint32_t *pair = t->pair + from;
    const vec none = {0}, overlap = wide_take(t, AT_OVERLAP, from);
    vec n[3], arm_a[3], arm_b[3], of_a[3], of_b[3], slip[3], approach = none, of[4];
    wide_laws law;
    wide_take3(t, AT_N, from, n);
    wide_arm(t, AT_REACH_A, AT_FROM_A, from, n, arm_a);
    wide_arm(t, AT_REACH_B, AT_FROM_B, from, n, arm_b);
    wide_surface(p, t->a + from, arm_a, of_a);
    wide_surface(p, t->b + from, arm_b, of_b);
    if (t->off) {
        wide_set3(t, AT_OF_A, from, of_a);
        wide_set3(t, AT_OF_B, from, of_b);
    }
    for (int k = 0; k < 3; k++)
        approach += (of_a[k] - of_b[k]) * n[k];
    for (int k = 0; k < 3; k++)
        slip[k] = of_a[k] - of_b[k] - approach * n[k];
    wide_law(p, pair, &law);
    wide_fours((const real *)p->couple, sizeof(tlk_couple) / sizeof(real), pair, of);
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
    wide_grow(p, pair, n, slip, shear, from, t);
    if (!tlk_penalty_last(p))
        return;
    wide_set(t, AT_SLOPE, from, slope);
    wide_set(t, AT_DAMPER, from, damper);
    wide_set(t, AT_ELASTIC, from, (real)0.4 * spring * overlap);
}

/* The rest of tlk_plain_shear: shear, what is kept and what is lost; returns the spring's energy.
 */
WIDE vec wide_slip(const tlk_penalty *p, const wide_touching *t, uint32_t from, uint32_t lanes,
                   vec *shear, vec *lost)
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
        wide_unfours(p->past, p->keeps, t->pair + from, lanes, past);
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
    const vec first[4] = {wide_take(t, AT_ELASTIC, from) + now, wide_take(t, AT_SLOPE, from),
                          wide_take(t, AT_DAMPER, from), wide_take(t, AT_SHEAR, from)};
    wide_unfours(p->last, TLK_LAST, pair, lanes, first);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t l = 0; l < lanes; l++)
            p->last[TLK_LAST * (size_t)pair[l] + TLK_LAST_FORCE + k] = f[k][l];
}

/* What acts on a body of each pair: tlk_penalty_load */
WIDE void wide_load(const tlk_penalty *p, const uint32_t *pair, uint32_t lanes, uint32_t side,
                    const vec *f, const vec *arm)
{
    vec turn[3], r[8];
    vec_cross(arm, f, turn);
    for (int k = 0; k < 3; k++) {
        r[k] = side ? f[k] : -f[k];
        r[4 + k] = side ? turn[k] : -turn[k];
    }
    r[3] = r[7] = (vec){0};
    vec_transpose(r);
    if (lanes == WIDE_LANES) {
#pragma GCC unroll 16
        for (uint32_t l = 0; l < WIDE_LANES; l++)
            *(packet *)(p->load + TLK_LOAD * (size_t)p->at[2 * (size_t)pair[l] + side]) =
                vec_packet(r[l % 8], l / 8);
        return;
    }
    for (uint32_t l = 0; l < lanes; l++)
        *(packet *)(p->load + TLK_LOAD * (size_t)p->at[2 * (size_t)pair[l] + side]) =
            vec_packet(r[l % 8], l / 8);
}

/* What acts, and what contacts add up. */
WIDE void wide_react(const tlk_penalty *p, const wide_touching *t, uint32_t from, uint32_t lanes)
{
    const uint32_t *pair = t->pair + from;
    const vec normal = wide_take(t, AT_NORMAL, from);
    vec n[3], arm[3], shear[3], f[3], sum[4], lost;
    const vec now = wide_slip(p, t, from, lanes, shear, &lost);
    wide_take3(t, AT_N, from, n);
    for (int k = 0; k < 3; k++)
        f[k] = normal * n[k] + shear[k];
    wide_fours(p->sum, TLK_SUM, pair, sum);
    for (int k = 0; k < 3; k++)
        sum[k] += (real)p->weight * f[k];
    sum[3] += lost + (real)p->weight * wide_take(t, AT_DAMPED, from);
    wide_unfours(p->sum, TLK_SUM, pair, lanes, sum);
    wide_arm(t, AT_REACH_A, AT_FROM_A, from, n, arm);
    wide_load(p, pair, lanes, 0, f, arm);
    wide_arm(t, AT_REACH_B, AT_FROM_B, from, n, arm);
    wide_load(p, pair, lanes, 1, f, arm);
    if (t->off)
        wide_belt(p, t, from, lanes, f);
    if (tlk_penalty_last(p))
        wide_last(p, t, from, lanes, f, now);
}

/* All that touch; `known`: where is known. */
static void wide_work_out(const tlk_penalty *p, wide_touching *t, bool known)
{
    const uint32_t count = t->count, all = (count + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES;
    t->off = known || !p->central;
    for (uint32_t l = count; l < all; l++) {
        t->pair[l] = t->pair[0], t->i[l] = t->i[0], t->j[l] = t->j[0];
        for (uint32_t k = 0; k < AT_SPOT && known; k++)
            t->at[k][l] = t->at[k][0];
    }
    wide_bodies(p, all, t);
    for (uint32_t from = 0; from < all && !known; from += SPAN)
        wide_meet(p, from, t);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_press(p, from, t);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_react(p, t, from, tlk_min(count - from, WIDE_LANES));
    t->count = 0;
}

static void wide_penalty_force(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    wide_touching t, w, of_w;
    uint32_t q = begin;
    t.count = w.count = of_w.count = 0;
    for (; p.couple && q + SPAN <= end; q += SPAN) {
        wide_collect(&p, q, &t, &w);
        if (t.count >= WIDE_TOUCHING)
            wide_work_out(&p, &t, false);
        if (w.count < WIDE_TOUCHING)
            continue;
        wide_walls(&p, &w, &of_w);
        if (of_w.count)
            wide_work_out(&p, &of_w, true);
    }
    for (; q < end; q++)
        tlk_penalty_force(&p, q);
    if (t.count)
        wide_work_out(&p, &t, false);
    if (w.count)
        wide_walls(&p, &w, &of_w);
    if (of_w.count)
        wide_work_out(&p, &of_w, true);
}

#endif
