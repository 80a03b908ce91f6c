/* Forces of near balls (near.h), WIDE_LANES at a time, and of pairs with walls. */
#ifndef TL_BACKEND_CPU_WIDE_NEAR_H
#define TL_BACKEND_CPU_WIDE_NEAR_H

#include "backend/cpu/wide_penalty.h"

/* Near ones from `begin` on, as many as are worked out at once; both are whole packets. */
static void wide_near_balls(const tlk_penalty *p, uint32_t begin, uint32_t end, wide_touching *t)
{
    t->first = begin, t->end = end;
    const uint32_t count = (end - begin + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES;
    for (uint32_t from = 0; from < count; from += WIDE_LANES) {
        const vec_rows s = wide_nears(t, from);
        wide_words(p, s, TLK_NEAR_PAIR, t->pair + from);
        wide_words(p, s, TLK_NEAR_A, t->a + from);
        wide_words(p, s, TLK_NEAR_B, t->b + from);
    }
    wide_law(p, t->pair, &t->law);
    for (uint32_t from = 0; from < count; from += SPAN)
        wide_meet(p, WIDE_BALLS, from, t);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_apart(t, from);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_press(p, WIDE_BALLS, from, t);
    for (uint32_t from = 0; from < count; from += WIDE_LANES)
        wide_react(p, WIDE_BALLS, t, from, WIDE_LANES);
}

static void wide_penalty_meet(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_penalty p = *(const tlk_penalty *)args;
    wide_touching t, w;
    uint32_t i = begin;
    t.count = w.count = 0;
    for (; i < end && i < p.near_walls; i += WIDE_TOUCHING)
        wide_near_balls(&p, i, tlk_min(tlk_min(end, p.near_walls), i + WIDE_TOUCHING), &t);
    for (i = tlk_max(begin, p.near_walls); i < end; i++) {
        const uint32_t q = *tlk_near_word(&p, i, TLK_NEAR_PAIR);
        w.pair[w.count] = q, w.i[w.count] = p.a[q], w.j[w.count++] = p.b[q];
        if (w.count < WIDE_TOUCHING && i + 1 < end)
            continue;
        wide_walls(&p, &w, &t);
        if (t.count)
            wide_work_out(&p, &t, true);
    }
}

#endif
