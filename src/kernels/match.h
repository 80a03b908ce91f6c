/* Contacts and those of the last step, and the colours they are swept in: one contact, pair or
 * shape at a time; called by src/step. */
#ifndef TL_KERNELS_MATCH_H
#define TL_KERNELS_MATCH_H

#include "kernels/bodies.h"

/* Contact k takes the impulse and the colour of contact o of the last step; none where that is
 * TLK_NONE. */
TL_KERNEL void tlk_take_old(const tlk_match *m, uint32_t k, uint32_t o)
{
    real *gamma = m->gamma + 4 * (size_t)k;
    for (int c = 0; c < 4; c++)
        gamma[c] = o == TLK_NONE ? (real)0 : m->old_gamma[4 * (size_t)o + c];
    for (int c = 0; c < 4 && m->moment; c++)
        m->moment[4 * (size_t)k + c] = o == TLK_NONE ? (real)0 : m->old_moment[4 * (size_t)o + c];
    m->colour[k] = o == TLK_NONE ? TLK_NONE : m->old_colour[o];
}

/* Where the contact with shape b is among those of the last step from `begin` to `end`; lists keep
 * their order, mostly, so `hint` is looked at first. TLK_NONE where there was none. */
TL_KERNEL uint32_t tlk_old_contact(const tlk_match *m, uint32_t b, uint32_t begin, uint32_t end,
                                   uint32_t hint)
{
    for (uint32_t o = hint; o < end; o++)
        if (m->old_b[o] == b)
            return o;
    for (uint32_t o = begin; o < hint; o++)
        if (m->old_b[o] == b)
            return o;
    return TLK_NONE;
}

/* The square of how far apart two points on the owner's surface are, now and in the last step. */
TL_KERNEL real tlk_moved(const tlk_match *m, uint32_t k, uint32_t o)
{
    real square = 0;
    for (int c = 0; c < 3; c++) {
        const real d = m->place[4 * (size_t)k + c] - m->old_place[4 * (size_t)o + c];
        square += d * d;
    }
    return square;
}

/* The points [k, end) of a pair and [o, old_end) of the same pair in the last step: those that are
 * nearest belong together, the nearest two first, if they are near. Features that are equally good
 * change from step to step, places do not. */
TL_KERNEL void tlk_match_points(const tlk_match *m, uint32_t k, uint32_t end, uint32_t o,
                                uint32_t old_end, real tolerance)
{
    uint32_t taken = 0, given = 0, same = old_end - o == end - k ? 0 : TLK_NONE;
    while (same < end - k &&
           m->feature[2 * (size_t)(k + same) + 1] == m->old_feature[2 * (size_t)(o + same) + 1] &&
           16 * tlk_moved(m, k + same, o + same) < tolerance * tolerance)
        same++;
    for (uint32_t i = k; i < end && same == end - k; i++) /* the same features in the same order */
        tlk_take_old(m, i, o + (i - k));
    if (same == end - k)
        return;
    for (uint32_t i = k; i < end; i++) {
        tlk_take_old(m, i, TLK_NONE);
        m->colour[i] = o < old_end ? m->old_colour[o] : TLK_NONE;
    }
    for (uint32_t round = k; round < end; round++) {
        real least = tolerance * tolerance;
        uint32_t best = TLK_NONE, from = TLK_NONE;
        for (uint32_t i = k; i < end; i++)
            for (uint32_t j = o; j < old_end; j++) {
                if (given >> (i - k) & 1 || taken >> (j - o) & 1)
                    continue;
                const real square = tlk_moved(m, i, j);
                if (square < least)
                    least = square, best = i, from = j;
            }
        if (best == TLK_NONE)
            return;
        tlk_take_old(m, best, from);
        given |= 1u << (best - k);
        taken |= 1u << (from - o);
    }
}

/* The end of the contacts of the pair that contact k is the first of, in a list that ends at `end`.
 */
TL_KERNEL uint32_t tlk_pair_end(const uint32_t *b, const uint32_t *feature, uint32_t k,
                                uint32_t end)
{
    uint32_t last = k + 1;
    while (last < end && b[last] == b[k] && feature[2 * (size_t)last] == feature[2 * (size_t)k])
        last++;
    return last;
}

/* Where on a surface's other triangles a pair was in the last step that has none there, as what
 * slides or rolls from one to the next: contacts [k, end) are new, those of the last step from
 * `begin` to `old_end`. TLK_NONE where there is none near. */
TL_RARE uint32_t tlk_old_beside(const tlk_match *m, uint32_t i, uint32_t k, uint32_t begin,
                                uint32_t old_end, real tolerance)
{
    real least = tolerance * tolerance;
    uint32_t best = TLK_NONE;
    for (uint32_t o = begin; o < old_end; o++) {
        const uint32_t triangle = m->old_feature[2 * (size_t)o];
        bool goes_on = m->old_b[o] != m->b[k] || !(tlk_moved(m, k, o) < least);
        for (uint32_t n = m->start[i]; n < m->start[i + 1] && !goes_on; n++)
            goes_on = m->b[n] == m->b[k] && m->feature[2 * (size_t)n] == triangle;
        if (goes_on)
            continue;
        least = tlk_moved(m, k, o);
        best = o;
    }
    return best;
}

/* The contacts [k, end) of a new pair take the impulses of contact o and those after it; they bid
 * for colours. */
TL_RARE void tlk_match_beside(const tlk_match *m, uint32_t k, uint32_t end, uint32_t o,
                              uint32_t old_end, real tolerance)
{
    const uint32_t last = tlk_pair_end(m->old_b, m->old_feature, o, old_end);
    tlk_match_points(m, k, end, o, last, tolerance);
    for (uint32_t n = k; n < end; n++)
        m->colour[n] = TLK_NONE;
}

/* One owner shape whose pairs may have several contacts. */
TL_RARE void tlk_match_manifolds(const tlk_match *m, uint32_t i)
{
    const uint32_t begin = m->old_start[i], old_end = m->old_start[i + 1];
    const real tolerance = (real)(0.2 * m->geom[4 * (size_t)i + 3]);
    uint32_t hint = begin;
    for (uint32_t k = m->start[i]; k < m->start[i + 1];) {
        const uint32_t end = tlk_pair_end(m->b, m->feature, k, m->start[i + 1]);
        uint32_t o = hint, steps = 0;
        while (steps < old_end - begin &&
               (o >= old_end || m->old_b[o] != m->b[k] ||
                m->old_feature[2 * (size_t)o] != m->feature[2 * (size_t)k])) {
            o = o + 1 < old_end ? o + 1 : begin;
            steps++;
        }
        const bool known = steps < old_end - begin;
        const uint32_t last = known ? tlk_pair_end(m->old_b, m->old_feature, o, old_end) : o;
        const uint32_t beside =
            known ? TLK_NONE : tlk_old_beside(m, i, k, begin, old_end, tolerance);
        if (beside == TLK_NONE)
            tlk_match_points(m, k, end, o, last, tolerance);
        else
            tlk_match_beside(m, k, end, beside, old_end, tolerance);
        hint = known ? last : hint;
        k = end;
    }
}

/* One owner shape: each of its contacts takes the impulse and the colour of the same contact, if
 * there was one. */
TL_KERNEL void tlk_match_contacts(const tlk_match *m, uint32_t i)
{
    if (m->feature) {
        tlk_match_manifolds(m, i);
        return;
    }
    const uint32_t begin = m->old_start[i], end = m->old_start[i + 1];
    uint32_t hint = begin;
    for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++) {
        const uint32_t o = tlk_old_contact(m, m->b[k], begin, end, hint);
        tlk_take_old(m, k, o);
        hint = o == TLK_NONE ? hint : o + 1;
    }
}

/* The first contact of a pair. */
TL_KERNEL uint32_t tlk_first_contact(const uint32_t *first, uint32_t i)
{
    return first ? first[i] : i;
}

/* How many copies a body has; 0: it is itself the only one. */
TL_KERNEL uint32_t tlk_copies(const tlk_colour *c, uint32_t body)
{
    return c->copy && body < c->dynamic ? c->copy[body + 1] - c->copy[body] : 0;
}

/* The block of a body in the pair with first contact k: of a crowded body the copy that the pair's
 * bid says. So the pairs of a copy stay together when there are half as many, and no two meet when
 * there are twice as many. */
TL_KERNEL uint32_t tlk_block(const tlk_colour *c, uint32_t body, uint32_t k)
{
    if (!c->copy)
        return body;
    const uint32_t copies = tlk_copies(c, body);
    if (copies)
        return c->dynamic + c->copy[body] + (uint32_t)(tlk_bid(c, k) & (copies - 1));
    return body < c->dynamic ? body : body + (c->moving - c->dynamic);
}

/* The blocks of both. */
TL_KERNEL void tlk_pair_blocks(const tlk_colour *c, uint32_t k, uint32_t *a, uint32_t *b)
{
    *a = tlk_block(c, c->shape_body[c->a[k]], k);
    *b = tlk_block(c, c->shape_body[c->b[k]], k);
}

/* The word of the pair with first contact k without its colour: how often copies were doubled. */
TL_KERNEL uint32_t tlk_doubled(const tlk_colour *c, uint32_t k)
{
    const uint32_t a = c->shape_body[c->a[k]], b = c->shape_body[c->b[k]];
    const uint32_t na = tlk_copies(c, a), nb = tlk_copies(c, b);
    if (!(na | nb))
        return 0;
    const uint32_t la = na ? tlk_top_bit(na) : 0, lb = nb ? tlk_top_bit(nb) : 0;
    return c->id[a] < c->id[b] ? la << 8 | lb << 16 : lb << 8 | la << 16;
}

/* Whether a pair may keep the colour in its word: neither body has fewer copies than it had, which
 * several pairs of that colour might share. */
TL_KERNEL bool tlk_keeps(const tlk_colour *c, uint32_t k, uint32_t word)
{
    const uint32_t now = tlk_doubled(c, k);
    return (word & TLK_WORD_COLOUR) < TLK_COLOURS - 1 && (word >> 8 & 255) <= (now >> 8 & 255) &&
           word >> 16 <= now >> 16;
}

/* Whether joints hold a body of the pair with first contact k. */
TL_KERNEL bool tlk_is_joined(const tlk_colour *c, uint32_t k)
{
    return c->joined[c->shape_body[c->a[k]]] || c->joined[c->shape_body[c->b[k]]];
}

/* Gives pair i, whose first contact is k, a colour: its contacts have it, and it is in the key in
 * the order of rows. Pairs of many points are apart, so that rows side by side have as many; but
 * where there are joints, those of joined bodies come first. */
TL_KERNEL void tlk_set_key(const tlk_colour *c, uint32_t i, uint32_t k, uint32_t colour)
{
    const uint32_t ia = c->shape_info[c->a[k]], ib = c->shape_info[c->b[k]];
    const uint32_t central = TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED;
    const uint32_t end = c->first ? c->first[i + 1] : k + 1;
    const uint32_t anchors = ia & central && ib & central ? 0 : 1;
    const uint32_t wall = (ia | ib) & TLK_SHAPE_FIXED ? 1 : 0;
    const uint32_t many = end - k > 2;
    const uint32_t last = c->joined ? !tlk_is_joined(c, k) : anchors ? many : wall;
    c->key[i] = colour * 4 + anchors * 2 + last;
    const uint32_t word = c->copy ? colour | tlk_doubled(c, k) : colour;
    for (uint32_t point = k; c->colour && point < end; point++)
        c->colour[point] = word;
}

/* One pair: one more at each of its bodies; then one body: how many copies that makes. */
TL_KERNEL void tlk_crowd_count(const tlk_colour *c, uint32_t i)
{
    const uint32_t k = tlk_first_contact(c->first, i);
    const uint32_t a = c->shape_body[c->a[k]], b = c->shape_body[c->b[k]];
    if (a < c->dynamic)
        tlk_atomic_add32(&c->copy[a], 1);
    if (b < c->dynamic)
        tlk_atomic_add32(&c->copy[b], 1);
}

TL_KERNEL void tlk_crowd_copies(const tlk_colour *c, uint32_t i)
{
    const uint32_t pairs = c->copy[i];
    uint32_t copies = pairs > TLK_CROWDED ? 1 : 0;
    while (copies && copies * TLK_SHARE < pairs)
        copies *= 2;
    c->copy[i] = copies;
}

/* One pair: where it has a colour already, both its blocks know; else it joins the list of those
 * without, whose order does not matter. So does one of the last colour: there may be room now. */
TL_KERNEL void tlk_colour_keep(const tlk_colour *c, uint32_t i)
{
    const uint32_t k = tlk_first_contact(c->first, i), word = c->colour[k];
    uint32_t a, b;
    if (word >= TLK_COLOURS - 1 && !tlk_keeps(c, k, word)) { /* TLK_NONE too */
        c->colour[k] = TLK_NONE;
        c->fresh[tlk_atomic_add32(c->fresh_count, 1)] = i;
        return;
    }
    const uint32_t colour = word & TLK_WORD_COLOUR;
    tlk_set_key(c, i, k, colour);
    tlk_pair_blocks(c, k, &a, &b);
    if (a < c->moving)
        tlk_atomic_or(&c->used[a], 1ull << colour);
    if (b < c->moving)
        tlk_atomic_or(&c->used[b], 1ull << colour);
}

/* The colours that are taken at one of two blocks or both. */
TL_KERNEL uint64_t tlk_colours_at(const tlk_colour *c, uint32_t a, uint32_t b)
{
    return (a < c->moving ? c->used[a] : 0) | (b < c->moving ? c->used[b] : 0);
}

/* One fresh pair: bids for its blocks. Where no colour is free at them it need not wait to win
 * them, as none becomes free: it has the last one, which is nothing to the others. */
TL_KERNEL void tlk_colour_bid(const tlk_colour *c, uint32_t i)
{
    const uint32_t k = tlk_first_contact(c->first, c->fresh[i]);
    uint32_t a, b;
    if (c->colour[k] != TLK_NONE)
        return;
    tlk_pair_blocks(c, k, &a, &b);
    if (!(~tlk_colours_at(c, a, b) << 1)) {
        tlk_set_key(c, c->fresh[i], k, TLK_COLOURS - 1);
        return;
    }
    const uint64_t bid = tlk_bid(c, k);
    if (a < c->moving)
        tlk_atomic_max(&c->bid[a], bid);
    if (b < c->moving)
        tlk_atomic_max(&c->bid[b], bid);
}

/* One fresh pair: where it won both blocks, it takes the first colour free at both. Should two bids
 * be equal (one in 2^64 is), only one of them has it. */
TL_KERNEL void tlk_colour_take(const tlk_colour *c, uint32_t i)
{
    const uint32_t k = tlk_first_contact(c->first, c->fresh[i]);
    uint32_t a, b;
    if (c->colour[k] != TLK_NONE)
        return;
    tlk_pair_blocks(c, k, &a, &b);
    const uint64_t bid = tlk_bid(c, k);
    if ((a < c->moving && c->bid[a] != bid) || (b < c->moving && c->bid[b] != bid))
        return;
    const uint64_t used = tlk_colours_at(c, a, b);
    uint32_t colour = 0;
    while (used >> colour & 1) /* one of the first 63 is free, or it would not have bid */
        colour++;
    if (a < c->moving && tlk_atomic_or(&c->used[a], 1ull << colour) >> colour & 1)
        return;
    if (b < c->moving && tlk_atomic_or(&c->used[b], 1ull << colour) >> colour & 1)
        return;
    tlk_set_key(c, c->fresh[i], k, colour);
}

/* One fresh pair: clears the bids on its blocks for the next round. */
TL_KERNEL void tlk_colour_clear(const tlk_colour *c, uint32_t i)
{
    const uint32_t k = tlk_first_contact(c->first, c->fresh[i]);
    uint32_t a, b;
    tlk_pair_blocks(c, k, &a, &b);
    if (a < c->moving)
        tlk_atomic_set(&c->bid[a], 0);
    if (b < c->moving)
        tlk_atomic_set(&c->bid[b], 0);
}

/* How many fresh pairs are still without a colour. */
TL_KERNEL void tlk_colour_left(const tlk_colour *c, uint32_t i, double *acc)
{
    acc[0] += c->colour[tlk_first_contact(c->first, c->fresh[i])] == TLK_NONE;
}

/* One pair without a colour: its key in the order of rows. */
TL_KERNEL void tlk_row_key(const tlk_colour *c, uint32_t i)
{
    tlk_set_key(c, i, tlk_first_contact(c->first, i), 0);
}

#endif
