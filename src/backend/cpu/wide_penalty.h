/* Forces of penalty contact, as many pairs at once as a vector has: plain ones (plain.h) between
 * balls or a ball and a wall. Pairs that touch are collected first, so that few lanes are empty;
 * others, and those that part, go through the plain kernel one by one. Where surfaces are is worked
 * out in 64 bits, SPAN pairs at a time; the law in `real`, WIDE_LANES at a time. */
#ifndef TL_BACKEND_CPU_WIDE_PENALTY_H
#define TL_BACKEND_CPU_WIDE_PENALTY_H

#include "backend/cpu/wide_law.h"

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

/* Which pairs of those from q on touch: t of balls; w: whether or not, those with walls. */
WIDE void wide_collect(const tlk_penalty *p, uint32_t q, wide_touching *t, wide_touching *w)
{
    const bool plain = p->keeps == TLK_PAST_PLAIN; /* all are */
    const span_index i = index_load(p->a + q), j = index_load(p->b + q);
    const span none = {0};
    span a[4], b[4], d[3];
    span_gather(p->shapes.centre, 4, p->a + q, a);
    span_gather(p->shapes.centre, 4, p->b + q, b);
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - a[k];
    const span sum = a[3] + b[3], beyond = span_dot(d, d) - sum * sum;
    uint32_t other = span_mask(span_less(a[3], none) | span_less(b[3], none));
    for (uint32_t l = 0; l < SPAN && !plain; l++) {
        if (p->couple[q + l].plain)
            continue;
        tlk_penalty_force_one(p, q + l);
        a[3][l] = b[3][l] = -1;
    }
    const uint32_t law = plain ? 0 : span_mask(span_less(a[3], none) & span_less(b[3], none));
    const uint32_t touches = span_mask(span_less(beyond, none)) & ~other & ~law;
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
    const uint32_t q = w->pair[l], at = t->count++;
    uint32_t row[2];
    tlk_couple_bodies(p, q, row);
    const double *xa = tlk_penalty_where(p, row[0]), *xb = tlk_penalty_where(p, row[1]);
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
