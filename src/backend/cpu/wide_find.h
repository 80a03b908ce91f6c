/* Collision detection: the first test of entries, eight at once. */
#ifndef TL_BACKEND_CPU_WIDE_FIND_H
#define TL_BACKEND_CPU_WIDE_FIND_H

#include "backend/cpu/vec.h"
#include "kernels/find.h"

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
    const __m256 near = _mm256_cmp_ps(d, _mm256_mul_ps(r, r), _CMP_LE_OQ);
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

WIDE void wide_test(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t l,
                    const uint32_t *found, uint32_t n, tlk_list *list)
{
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t j = tlk_partner(f, s, i, l, found[c]);
        if (j != TLK_NONE && tlk_may_touch(f, i, j))
            tlk_append(list, j);
    }
}

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
