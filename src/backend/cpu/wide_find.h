/* Collision detection: the first tests of entries, eight at once. */
#ifndef TL_BACKEND_CPU_WIDE_FIND_H
#define TL_BACKEND_CPU_WIDE_FIND_H

#include "backend/cpu/vec.h"
#include "kernels/find.h"

/* Where boxes may meet along an axis on which their middles are d apart. */
WIDE __m256 wide_within(__m256 d, const float *half, float own)
{
    const __m256 sum = _mm256_add_ps(_mm256_loadu_ps(half), _mm256_set1_ps(own));
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), d);
    return _mm256_cmp_ps(size, _mm256_mul_ps(sum, _mm256_set1_ps(1.00001f)), _CMP_LE_OQ);
}

/* Eight entries from q on: a bit for each that is near and of a later row than the search asks for.
 */
WIDE uint32_t wide_near(const tlk_find *f, const tlk_search *s, uint32_t q)
{
    const uint32_t *x = f->bin + q, *y = x + f->bin_stride, *z = y + f->bin_stride;
    const float *reach = (const float *)(z + f->bin_stride);
#define APART(from, k)                                                               \
    _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(from)), \
                                        _mm256_set1_epi32((int)s->at[k])))
    const __m256 dx = APART(x, 0), dy = APART(y, 1), dz = APART(z, 2);
#undef APART
    const __m256 sum = _mm256_add_ps(_mm256_loadu_ps(reach), _mm256_set1_ps(s->reach));
    const __m256 r = _mm256_mul_ps(sum, _mm256_set1_ps(1.00001f));
    const __m256 d = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                   _mm256_mul_ps(dz, dz));
    __m256 near = _mm256_cmp_ps(d, _mm256_mul_ps(r, r), _CMP_LE_OQ);
    if (f->boxed) {
        const float *half = reach + 2 * (size_t)f->bin_stride;
        near = _mm256_and_ps(near, wide_within(dx, half, s->half[0]));
        near = _mm256_and_ps(near, wide_within(dy, half + f->bin_stride, s->half[1]));
        near = _mm256_and_ps(near, wide_within(dz, half + 2 * (size_t)f->bin_stride, s->half[2]));
    }
    const __m256i entry = _mm256_loadu_si256((const __m256i *)(z + 2 * (size_t)f->bin_stride));
    const __m256i shape = _mm256_and_si256(entry, _mm256_set1_epi32((int)TLK_ROW));
    const __m256i later = _mm256_cmpgt_epi32(shape, _mm256_set1_epi32(s->after));
    return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(near, _mm256_castsi256_ps(later)));
}

/* Appends the entries from q on that a bit is set for to a list of n; returns its new length. The
 * list needs room for eight more. */
WIDE uint32_t wide_keep(uint32_t *list, uint32_t n, uint32_t q, uint32_t bits)
{
#if defined(__AVX512VL__)
    const __m256i all =
        _mm256_add_epi32(_mm256_set1_epi32((int)q), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)(list + n), _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return n + (uint32_t)__builtin_popcount(bits);
#else
    for (; bits; bits &= bits - 1)
        list[n++] = q + (uint32_t)__builtin_ctz(bits);
    return n;
#endif
}

#define WIDE_NEAR 64u /* candidates that are collected before they are tested */

#if defined(__AVX512F__)
#define WIDE_BOXES 3u /* candidates with boxes that are worth more than one look each */

/* What tlk_near_boxes() and tlk_stand_near() look at, of up to eight shapes j. */
typedef struct wide_boxes {
    dvec centre[3], axis[9], half[3], stands[3], reach, radius;
} wide_boxes;

WIDE void wide_load_boxes(const tlk_find *f, const uint32_t *j, uint32_t count, wide_boxes *b)
{
    const tlk_shapes *s = &f->shapes;
    typedef double eight __attribute__((vector_size(64), aligned(8)));
    typedef double four __attribute__((vector_size(32), aligned(8)));
    dvec axes[8], rest[8], centre[8];
    for (uint32_t l = 0; l < TLK_LANES; l++) {
        const uint32_t k = j[l < count ? l : 0];
        const size_t frame = TLK_FRAME * (size_t)s->frame_of[k];
        const four x = *(const four *)(s->centre + 4 * (size_t)k);
        const four half = *(const four *)(s->frame_local + frame + 15);
        axes[l] = *(const eight *)(s->frame + frame + 3);
        rest[l] = *(const eight *)(s->frame + frame + 11);
        centre[l] = __builtin_shufflevector(x, half, 0, 1, 2, 3, 4, 5, 6, 7);
        b->reach[l] = (double)s->reach[k];
        b->radius[l] = s->geom[4 * (size_t)k + 3];
    }
    dvec_transpose(axes);
    dvec_transpose(rest);
    dvec_transpose(centre);
    for (int k = 0; k < 8; k++)
        b->axis[k] = axes[k];
    b->axis[8] = rest[0];
    for (int k = 0; k < 3; k++) {
        b->centre[k] = centre[k];
        b->half[k] = centre[4 + k];
        b->stands[k] = rest[4 + k];
    }
}

/* tlk_near_boxes of shape i and eight others. */
WIDE dvec_bits wide_near_boxes(const tlk_find *f, uint32_t i, const wide_boxes *b)
{
    const tlk_shapes *s = &f->shapes;
    const double *u = tlk_frame(s, i) + 3, *v = s->centre + 4 * (size_t)i;
    const double *half = s->frame_local + TLK_FRAME * (size_t)s->frame_of[i] + 15;
    const dvec size = s->geom[4 * (size_t)i + 3] + b->radius;
    const dvec d[3] = {b->centre[0] - v[0], b->centre[1] - v[1], b->centre[2] - v[2]};
    const dvec margin = ((double)s->reach[i] + b->reach - size) * (1 + 1e-6) + 1e-9 * size;
    dvec cosine[3][3];
    dvec_bits near = margin == margin;
    for (int k = 0; k < 3; k++) {
        const double *w = u + 3 * k;
        dvec reach = half[k] + margin;
        for (int l = 0; l < 3; l++) {
            const dvec *to = b->axis + 3 * l;
            cosine[k][l] = dvec_abs(w[0] * to[0] + w[1] * to[1] + w[2] * to[2]);
            reach += cosine[k][l] * b->half[l];
        }
        near &= ~(dvec_abs(w[0] * d[0] + w[1] * d[1] + w[2] * d[2]) > reach);
    }
    for (int k = 0; k < 3; k++) {
        const dvec *to = b->axis + 3 * k;
        near &= ~(dvec_abs(to[0] * d[0] + to[1] * d[1] + to[2] * d[2]) >
                  b->half[k] + margin + cosine[0][k] * half[0] + cosine[1][k] * half[1] +
                      cosine[2][k] * half[2]);
    }
    return near;
}

/* tlk_stand_near of the same. */
WIDE dvec_bits wide_stand_near(const tlk_find *f, uint32_t i, const wide_boxes *b)
{
    const double *a = f->shapes.centre + 4 * (size_t)i, *p = tlk_frame(&f->shapes, i) + 15;
    dvec_bits all = b->reach == b->reach;
    for (int k = 0; k < 3; k++) {
        const double half_a = 0.5 * f->envelope + p[k];
        const dvec half_b = 0.5 * f->envelope + b->stands[k], x = b->centre[k];
        all &= (a[k] - half_a <= x + half_b) & (x - half_b <= a[k] + half_a);
    }
    return all;
}

/* Appends those of `count` shapes j that tlk_may_touch() says, all in boxes and undecided. */
WIDE void wide_test_boxes(const tlk_find *f, uint32_t i, const uint32_t *j, uint32_t count,
                          tlk_list *list)
{
    wide_boxes b;
    if (count < WIDE_BOXES) {
        for (uint32_t l = 0; l < count; l++)
            if (tlk_near_boxes(f, i, j[l]) && tlk_touch_soon(f, i, j[l]) &&
                !tlk_are_excluded(f, i, j[l]))
                tlk_append(list, j[l]);
        return;
    }
    wide_load_boxes(f, j, count, &b);
    const dvec_bits near = wide_near_boxes(f, i, &b), stand = wide_stand_near(f, i, &b);
    const uint32_t all = (1u << count) - 1;
    uint32_t bits = _mm512_movepi64_mask((__m512i)near) & all;
    const uint32_t stands = _mm512_movepi64_mask((__m512i)stand);
    for (; bits; bits &= bits - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(bits);
        if ((stands >> l & 1 || tlk_touch_soon(f, i, j[l])) && !tlk_are_excluded(f, i, j[l]))
            tlk_append(list, j[l]);
    }
}

/* Tests candidates; those with boxes together. */
WIDE void wide_test(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t l,
                    const uint32_t *found, uint32_t n, tlk_list *list)
{
    const bool boxed = tlk_has_box(&f->shapes, i);
    uint32_t boxes[TLK_LANES], count = 0;
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t j = tlk_partner(f, s, i, l, found[c]);
        if (j == TLK_NONE)
            continue;
        if (!boxed || !tlk_has_box(&f->shapes, j)) {
            if (tlk_may_touch(f, i, j))
                tlk_append(list, j);
            continue;
        }
        if (tlk_first_look(f, i, j) == TLK_UNDECIDED)
            boxes[count++] = j;
        if (count == TLK_LANES) {
            wide_test_boxes(f, i, boxes, count, list);
            count = 0;
        }
    }
    wide_test_boxes(f, i, boxes, count, list);
}
#else
WIDE void wide_test(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t l,
                    const uint32_t *found, uint32_t n, tlk_list *list)
{
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t j = tlk_partner(f, s, i, l, found[c]);
        if (j != TLK_NONE && tlk_may_touch(f, i, j))
            tlk_append(list, j);
    }
}
#endif

/* Candidates first, then the exact tests, so that few branches are hard to foresee. */
WIDE void wide_visit_bins(const tlk_find *f, uint32_t i, tlk_list *list)
{
    const uint32_t own = tlk_all_entered(f) ? f->shapes.level[i] : TLK_LEVELS;
    for (uint32_t l = 0; own < TLK_LEVELS && l <= own; l++) {
        tlk_search s;
        uint32_t begin, end, found[WIDE_NEAR + TLK_LANES], n = 0;
        if (!tlk_searches(f, i, own, l))
            continue;
        tlk_search_begin(f, i, l, &s);
        while (tlk_search_next(f, &f->level[l], &s, &begin, &end))
            for (uint32_t q = begin; q < end; q += TLK_LANES) {
                const uint32_t lanes = tlk_min(end - q, TLK_LANES);
                n = wide_keep(found, n, q, wide_near(f, &s, q) & ((1u << lanes) - 1));
                if (n < WIDE_NEAR)
                    continue;
                wide_test(f, &s, i, l, found, n, list);
                n = 0;
            }
        wide_test(f, &s, i, l, found, n, list);
    }
}

static void wide_contact_count(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_find f = *(const tlk_find *)args;
    for (uint32_t i = begin; i < end; i++) {
        tlk_list list = tlk_list_begin(&f, i);
        wide_visit_bins(&f, i, &list);
        tlk_list_end(&f, i, &list);
    }
}

#endif
