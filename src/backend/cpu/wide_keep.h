/* Manifolds that are kept (kernels/keep.h), those of several pairs at once. Pairs that need more
 * than that are left to tlk_touch_keep(), one by one. */
#ifndef TL_BACKEND_CPU_WIDE_KEEP_H
#define TL_BACKEND_CPU_WIDE_KEEP_H

#include "backend/cpu/vec.h"
#include "kernels/touch.h"

#if defined(__AVX512F__)

/* Pairs that had a manifold which may be kept, one per lane. */
typedef struct wide_pairs {
    _Alignas(64) double ri[WIDE_LANES]; /* radii of the balls */
    _Alignas(64) double rj[WIDE_LANES];
    _Alignas(64) double thin[WIDE_LANES];    /* the least half width of what moves */
    _Alignas(64) int64_t plane[WIDE_LANES];  /* -1 where j is a half-space */
    _Alignas(64) int64_t only_a[WIDE_LANES]; /* -1 where the normal turns with it alone */
    _Alignas(64) int64_t only_b[WIDE_LANES];
    _Alignas(64) int64_t points[WIDE_LANES]; /* how many it had */
    uint32_t count;
    uint32_t pair[WIDE_LANES];             /* that is near */
    uint32_t i[WIDE_LANES], j[WIDE_LANES]; /* shapes */
    uint32_t a[WIDE_LANES], b[WIDE_LANES]; /* bodies */
    uint32_t old[WIDE_LANES];              /* the first contact of the last step */
} wide_pairs;

/* Pair p joins those in lanes, or is left to the narrow phase; false where it has to be looked at
 * for itself. */
WIDE bool wide_take_pair(const tlk_touching *t, uint32_t p, wide_pairs *w)
{
    const tlk_find *f = &t->find;
    const tlk_shapes *s = &f->shapes;
    const uint32_t i = t->near_a[p], j = t->near_b[p], sub = t->near_sub ? t->near_sub[p] : 0;
    const uint32_t info_i = s->info[i], info_j = s->info[j], dynamic = f->bodies.dynamic;
    uint32_t end = 0;
    if (tlk_is_simple(info_i, info_j))
        return false;
    const uint32_t o = tlk_old_pair(t, i, j, sub, &end), l = w->count;
    if (o == TLK_NONE || !(t->old_kept[TLK_KEPT * (size_t)o + 11] > 0) ||
        end - o > TLK_POINTS_MOST) {
        t->work[p] = tlk_pair_kinds(info_i, info_j);
        return true;
    }
    w->pair[l] = p;
    w->i[l] = i;
    w->j[l] = j;
    w->a[l] = s->body[i];
    w->b[l] = s->body[j];
    w->old[l] = o;
    w->points[l] = end - o;
    w->ri[l] = s->geom[4 * (size_t)i + 3];
    w->rj[l] = s->geom[4 * (size_t)j + 3];
    const double of_i = w->a[l] < dynamic ? tlk_thin(s, i) : INFINITY;
    const double of_j = w->b[l] < dynamic ? tlk_thin(s, j) : INFINITY;
    w->thin[l] = tlk_min(of_i, of_j);
    w->plane[l] = (info_j & TLK_SHAPE_KIND) == TLK_PLANE ? -1 : 0;
    w->only_a[l] = info_i & TLK_SHAPE_FIXED ? -1 : 0;
    w->only_b[l] = !w->only_a[l] && info_j & TLK_SHAPE_FIXED ? -1 : 0;
    w->count++;
    return true;
}

/* Rows of four numbers, those of eight indices, as columns. */
WIDE void dvec_gather(const double *from, const uint32_t *index, dvec r[4])
{
    typedef double row __attribute__((vector_size(32)));
    dvec t[4];
    for (int k = 0; k < 4; k++)
        t[k] = __builtin_shufflevector(*(const row *)(from + 4 * (size_t)index[k]),
                                       *(const row *)(from + 4 * (size_t)index[4 + k]), 0, 1, 2, 3,
                                       4, 5, 6, 7);
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
    const dvec low0 = LOW(t[0], t[1]), high0 = HIGH(t[0], t[1]);
    const dvec low1 = LOW(t[2], t[3]), high1 = HIGH(t[2], t[3]);
#undef LOW
#undef HIGH
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b)  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
    r[0] = FIRST(low0, low1), r[1] = FIRST(high0, high1);
    r[2] = LAST(low0, low1), r[3] = LAST(high0, high1);
#undef FIRST
#undef LAST
}

WIDE dvec dvec_min(dvec a, dvec b)
{
    return dvec_select(a < b, a, b);
}

WIDE dvec dvec_sqrt(dvec x)
{
    return (dvec)_mm512_sqrt_pd((__m512d)x);
}

WIDE dvec dvec_dot(const dvec *a, const dvec *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WIDE void dvec_cross(const dvec *a, const dvec *b, dvec *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* tlk_matrix, tlk_apply, tlk_rotate_back */
WIDE void dvec_matrix(const dvec *q, dvec m[3][3])
{
    const dvec w = q[0], x = q[1], y = q[2], z = q[3];
    m[0][0] = 1 - 2 * (y * y + z * z), m[0][1] = 2 * (x * y - w * z), m[0][2] = 2 * (x * z + w * y);
    m[1][0] = 2 * (x * y + w * z), m[1][1] = 1 - 2 * (x * x + z * z), m[1][2] = 2 * (y * z - w * x);
    m[2][0] = 2 * (x * z - w * y), m[2][1] = 2 * (y * z + w * x), m[2][2] = 1 - 2 * (x * x + y * y);
}

WIDE void dvec_apply(dvec m[3][3], const dvec *v, dvec *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = dvec_dot(m[k], v);
}

WIDE void dvec_rotate_back(const dvec *q, const dvec *v, dvec *out)
{
    const dvec c[3] = {-q[1], -q[2], -q[3]};
    dvec t[3], s[3];
    dvec_cross(c, v, t);
    t[0] += t[0], t[1] += t[1], t[2] += t[2];
    dvec_cross(c, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[0] * t[k] + s[k];
}

/* What eight pairs are made of: packet `half` of the lanes of w. */
typedef struct wide_eight {
    dvec x[4], y[4], q[4], r[4];     /* bodies: places and rotations */
    dvec ci[4], cj[4];               /* centres of the balls */
    dvec vi[3], vj[3], wi[3], wj[3]; /* velocities */
    dvec own[3], then[4];            /* what was kept: keep.h, 8 to 10 and 12 to 15 */
} wide_eight;

/* tlk_closing_bound, and whether pairs are calm. */
WIDE dvec_bits wide_calm(const tlk_find *f, const wide_pairs *w, uint32_t l, const wide_eight *e)
{
    const dvec ri = *(const dvec *)(w->ri + l), rj = *(const dvec *)(w->rj + l);
    const dvec_bits plane = *(const dvec_bits *)(w->plane + l);
    dvec d[3], ai[3], aj[3], ball[3];
    for (int k = 0; k < 3; k++) {
        d[k] = e->vi[k] - e->vj[k];
        ai[k] = e->ci[k] - e->x[k];
        aj[k] = e->ci[k] - e->y[k];
        ball[k] = e->cj[k] - e->y[k];
    }
    const dvec reach_i = 2 * (dvec_dot(ai, ai) + ri * ri);
    const dvec near_j = 2 * (dvec_dot(aj, aj) + ri * ri);
    const dvec far_j = 2 * (dvec_dot(ball, ball) + rj * rj);
    const dvec reach_j = dvec_select(plane, near_j, dvec_min(near_j, far_j));
    const dvec most = (TLK_TURN_MOST / f->h * (TLK_TURN_MOST / f->h)) - (dvec){0};
    const dvec wi = dvec_min(dvec_dot(e->wi, e->wi), most);
    const dvec wj = dvec_min(dvec_dot(e->wj, e->wj), most);
    const dvec way =
        f->h * (dvec_sqrt(dvec_dot(d, d)) + dvec_sqrt(wi * reach_i) + dvec_sqrt(wj * reach_j));
    const dvec limit = f->envelope + way;
    const dvec_bits swift = limit - f->envelope > TLK_SWIFT * *(const dvec *)(w->thin + l);
    return (way <= TLK_KEEP_NEXT * f->envelope) & ~swift;
}

/* Four numbers of eight pairs, as they are stored; and those of one of the pairs. */
typedef struct wide_four {
    packet column[4];
} wide_four;

WIDE wide_four wide_round(const dvec *from)
{
    wide_four four;
    for (int k = 0; k < 4; k++)
        four.column[k] = __builtin_convertvector(from[k], packet);
    return four;
}

WIDE void wide_put(const wide_four *from, uint32_t lane, real *to)
{
    const real *column = (const real *)from;
    for (uint32_t k = 0; k < 4; k++)
        to[k] = column[TLK_LANES * k + lane];
}

/* The manifolds of eight pairs: tlk_keep_manifold, as `slot` and `normal` have them. Which pairs
 * keep theirs, and (`open`) which have points beyond the envelope. */
WIDE dvec_bits wide_manifolds(const tlk_find *f, const wide_pairs *w, uint32_t l, uint32_t points,
                              wide_eight *e, vec point[TLK_POINTS_MOST][8], wide_four *slot,
                              wide_four *normal, dvec_bits *open)
{
    const double most = TLK_KEEP_WAY * f->envelope;
    dvec ra[3][3], rb[3][3], d[3], turn[4], cross[3], n[4], other[3], with_b[3], sum = {0};
    dvec square = {0};
    dvec_matrix(e->q, ra);
    dvec_matrix(e->r, rb);
    dvec_cross(e->q + 1, e->r + 1, cross);
    turn[0] = e->q[0] * e->r[0] + dvec_dot(e->q + 1, e->r + 1);
    for (int k = 0; k < 3; k++) {
        d[k] = e->y[k] - e->x[k];
        turn[1 + k] = e->q[0] * e->r[1 + k] - e->r[0] * e->q[1 + k] - cross[k];
    }
    dvec_cross(e->then + 1, turn + 1, cross); /* tlk_turned */
    for (int k = 0; k < 3; k++) {
        const dvec half = e->then[0] * turn[1 + k] - turn[0] * e->then[1 + k] - cross[k];
        square += 4 * half * half;
    }
    dvec_bits keeps = square <= TLK_KEEP_TURN * TLK_KEEP_TURN;
    const dvec_bits only_a = *(const dvec_bits *)(w->only_a + l); /* tlk_kept_normal */
    const dvec_bits only_b = *(const dvec_bits *)(w->only_b + l);
    dvec_apply(ra, e->own, n);
    dvec_rotate_back(e->then, e->own, other);
    dvec_apply(rb, other, with_b);
    for (int k = 0; k < 3; k++) {
        n[k] = dvec_select(only_a, n[k], dvec_select(only_b, with_b[k], n[k] + with_b[k]));
        sum += n[k] * n[k];
    }
    const dvec inverse = 1 / dvec_sqrt(sum);
    for (int k = 0; k < 3; k++)
        n[k] *= inverse;
    n[3] = TLK_KEEP_OLD - (dvec){0};
    *normal = wide_round(n);
    *open = (dvec_bits){0};
    for (uint32_t c = 0; c < points; c++) {
        dvec kept[8], anchor[3], end[3], apart[3], out[4];
        for (int k = 0; k < 8; k++)
            kept[k] = vec_widen(point[c][k], l / TLK_LANES);
        const dvec_bits here = *(const dvec_bits *)(w->points + l) > (int64_t)c;
        dvec_apply(ra, kept, anchor);
        dvec_apply(rb, kept + 4, end);
        for (int k = 0; k < 3; k++)
            apart[k] = d[k] + end[k] - anchor[k];
        const dvec along = dvec_dot(apart, n), gap = along + kept[3], moved = gap - kept[7];
        const dvec beside = dvec_dot(apart, apart) - along * along;
        keeps &= ~here | (beside + moved * moved <= most * most);
        *open |= here & ~(gap <= f->envelope);
        for (int k = 0; k < 3; k++)
            out[k] = e->x[k] - e->ci[k] + anchor[k];
        out[3] = gap;
        slot[c] = wide_round(out);
    }
    return keeps;
}

/* The pairs in lanes: those that keep their manifold have it now, the others are left. */
WIDE void wide_keep_pairs(const tlk_touching *t, wide_pairs *w)
{
    const tlk_find *f = &t->find;
    const uint32_t count = w->count;
    vec va[8], vb[8], head[8], point[TLK_POINTS_MOST][8];
    uint32_t index[WIDE_LANES], points = 0;
    for (uint32_t l = 0; l < WIDE_LANES; l++) {
        if (l >= count) { /* the first once more */
            w->i[l] = w->i[0], w->j[l] = w->j[0], w->a[l] = w->a[0], w->b[l] = w->b[0];
            w->old[l] = w->old[0], w->points[l] = w->points[0];
        }
        points = tlk_max(points, (uint32_t)w->points[l]);
        index[l] = 2 * w->old[l] + 1;
    }
    vec_gather(f->bodies.vel, w->a, va);
    vec_gather(f->bodies.vel, w->b, vb);
    vec_gather(t->old_kept, index, head);
    for (uint32_t c = 0; c < points; c++) {
        for (uint32_t l = 0; l < WIDE_LANES; l++)
            index[l] = 2 * (w->old[l] + ((int64_t)c < w->points[l] ? c : 0));
        vec_gather(t->old_kept, index, point[c]);
    }
    for (uint32_t l = 0; l < count; l += TLK_LANES) {
        const uint32_t half = l / TLK_LANES;
        wide_four slot[TLK_POINTS_MOST], normal;
        wide_eight e;
        dvec_bits open;
        dvec_gather(f->bodies.pos, w->a + l, e.x);
        dvec_gather(f->bodies.pos, w->b + l, e.y);
        dvec_gather(f->bodies.quat, w->a + l, e.q);
        dvec_gather(f->bodies.quat, w->b + l, e.r);
        dvec_gather(f->shapes.centre, w->i + l, e.ci);
        dvec_gather(f->shapes.centre, w->j + l, e.cj);
        for (int k = 0; k < 3; k++) {
            e.vi[k] = vec_widen(va[k], half), e.wi[k] = vec_widen(va[4 + k], half);
            e.vj[k] = vec_widen(vb[k], half), e.wj[k] = vec_widen(vb[4 + k], half);
            e.own[k] = vec_widen(head[k], half);
        }
        for (int k = 0; k < 4; k++)
            e.then[k] = vec_widen(head[4 + k], half);
        const dvec_bits calm = wide_calm(f, w, l, &e);
        const dvec_bits keeps =
            calm & wide_manifolds(f, w, l, points, &e, point, slot, &normal, &open);
        for (uint32_t k = 0; k < TLK_LANES && l + k < count; k++) {
            const uint32_t p = w->pair[l + k];
            if (!keeps[k]) {
                t->work[p] =
                    tlk_pair_kinds(f->shapes.info[w->i[l + k]], f->shapes.info[w->j[l + k]]);
                continue;
            }
            if (open[k]) { /* points may be left out */
                tlk_touch_keep(t, p);
                continue;
            }
            for (uint32_t c = 0; c < (uint32_t)w->points[l + k]; c++) {
                const size_t at = TLK_POINTS_MOST * (size_t)p + c;
                wide_put(slot + c, k, t->slot + 4 * at);
                t->slot_feature[at] = w->old[l + k] + c;
            }
            wide_put(&normal, k, t->normal + 4 * (size_t)p);
            t->points[p] = (uint32_t)w->points[l + k];
            t->rank[p] = 1;
            t->work[p] = TLK_TOUCHED;
        }
    }
    w->count = 0;
}

/* Attempts after the first, and looks at fresh points, are rare. */
static void wide_touch_keep(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_touching t = *(const tlk_touching *)args;
    const bool usual = t.old_start && !t.fresh && !t.find.seen && !t.find.held;
    wide_pairs w;
    __builtin_memset(&w, 0, sizeof w);
    for (uint32_t p = begin; p < end; p++)
        if (!usual || !wide_take_pair(&t, p, &w))
            tlk_touch_keep(&t, p);
        else if (w.count == WIDE_LANES)
            wide_keep_pairs(&t, &w);
    if (w.count)
        wide_keep_pairs(&t, &w);
}

#endif
#endif
