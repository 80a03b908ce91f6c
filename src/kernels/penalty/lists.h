/* Around the substeps: what contacts had before, which bodies pairs act on, contacts as they are
 * read and saved, and sums over them. */
#ifndef TL_KERNELS_PENALTY_LISTS_H
#define TL_KERNELS_PENALTY_LISTS_H

#include "kernels/penalty/bound.h"
#include "kernels/penalty/near.h"

/* One pair that was found: what its contacts had, in their places. */
TL_KERNEL void tlk_penalty_match(const tlk_penalty *p, uint32_t q)
{
    const uint32_t first = p->first ? p->first[q] : q, slots = p->slots;
    const uint32_t i = p->a[first], j = p->b[first];
    const uint32_t sub = p->feature ? p->feature[2 * (size_t)first] : 0;
    real *past = p->past + p->keeps * slots * (size_t)q;
    double *place = p->place ? p->place + TLK_PLACE * slots * (size_t)q : 0;
    uint32_t t = 0;
    bool touched = false;
    if (p->roll)
        tlk_penalty_zero(p->roll + TLK_ROLL * slots * (size_t)q, TLK_ROLL * slots);
    for (uint32_t o = p->old_start ? p->old_start[i] : 0,
                  end = p->old_start ? p->old_start[i + 1] : 0;
         o < end && t < slots; o++) {
        if (p->old_b[o] != j || (p->old_feature && p->old_feature[2 * (size_t)o] != sub))
            continue;
        const real *old = p->old_past ? p->old_past + TLK_CONTACT_PAST * (size_t)o : 0;
        for (uint32_t k = 0; k < p->keeps; k++)
            past[p->keeps * t + k] = old ? (real)old[k] : 0;
        touched = old && old[TLK_PAST_TOUCHED] > 0;
        for (uint32_t k = 0; k < TLK_PLACE && place; k++)
            place[TLK_PLACE * t + k] = !p->old_place ? 0
                                       : k < 3       ? (double)p->old_place[4 * (size_t)o + k]
                                       : k < 4       ? 0
                                                     : (double)p->old_n[4 * (size_t)o + k - 4];
        if (place)
            place[TLK_PLACE * t + 7] = p->old_place ? 1 : 0;
        t++;
    }
    if (p->couple)
        tlk_penalty_note(p, q);
    if (p->acts)
        p->acts[q] = place ? TLK_ACTS : t > 0 && touched ? TLK_KEEPS : 0;
    else if (!touched)
        t = 0;
    for (; t < slots; t++) {
        tlk_penalty_zero(past + p->keeps * t, p->keeps);
        for (uint32_t k = 0; k < TLK_PLACE && place; k++)
            place[TLK_PLACE * t + k] = 0;
    }
}

/* One slot, where pairs are those of the last step: its sums begin anew. There is work where there
 * is an impulse. */
TL_KERNEL void tlk_penalty_reset(const tlk_penalty *p, uint32_t t)
{
    real *sum = p->sum + TLK_SUM * (size_t)t, old[4];
    tlk_load4(sum, old);
    if (old[0] == 0 && old[1] == 0 && old[2] == 0 && old[3] == 0)
        return;
    tlk_penalty_zero(sum, TLK_SUM);
    if (p->lasts == TLK_LAST)
        p->last[TLK_LAST * (size_t)t + TLK_LAST_WORK] = 0;
    if (p->roll)
        tlk_penalty_zero(p->roll + TLK_ROLL * (size_t)t, TLK_ROLL);
}

/* One item: the two bodies that it acts on; those that are not dynamic come last. */
TL_KERNEL void tlk_penalty_sides(const tlk_penalty *p, uint32_t q)
{
    uint32_t row[2];
    if (q < p->pairs) {
        const uint32_t first = p->first ? p->first[q] : q;
        row[0] = p->shapes.body[p->a[first]], row[1] = p->shapes.body[p->b[first]];
    } else if (q < p->pairs + p->springs) {
        row[0] = p->spring[q - p->pairs].a, row[1] = p->spring[q - p->pairs].b;
    } else {
        const uint32_t side = q - p->pairs - p->springs;
        row[0] = TLK_NONE, row[1] = p->rod[side / 2].end[side % 2];
    }
    for (uint32_t e = 0; e < 2; e++) {
        p->key[2 * (size_t)q + e] = tlk_min(row[e], p->bodies.dynamic);
        p->value[2 * (size_t)q + e] = 2 * q + e;
    }
}

/* One place of the lists: its item's side is there. */
TL_KERNEL void tlk_penalty_places(const tlk_penalty *p, uint32_t l)
{
    p->order[p->list[l]] = l;
}

/* One pair: how many contacts it hands on. Of one point: one where it acts or did so in the chunk.
 */
TL_KERNEL void tlk_penalty_points(const tlk_penalty *p, uint32_t q)
{
    uint32_t count = 0;
    if (p->place) {
        const double *place = p->place + TLK_PLACE * TLK_POINTS_MOST * (size_t)q;
        for (uint32_t t = 0; t < TLK_POINTS_MOST; t++)
            count += place[TLK_PLACE * t + 7] > 0;
    } else {
        const real *sum = p->sum + TLK_SUM * (size_t)q;
        count =
            (uint32_t)(tlk_penalty_acts(p, q) != 0) | (sum[0] != 0) | (sum[1] != 0) | (sum[2] != 0);
    }
    p->points[q] = count;
}

/* What a slot hands on to contact k. */
TL_KERNEL void tlk_penalty_hand(const tlk_penalty *p, size_t slot, size_t k)
{
    const real *past = p->past + p->keeps * slot, *sum = p->sum + TLK_SUM * slot;
    const real *last = p->last + p->lasts * slot;
    const bool keeps = p->keeps == TLK_PAST || tlk_penalty_acts(p, slot) & TLK_KEEPS;
    real kept[TLK_PAST] = {0, 0, 0, 0, 0, 0, 0, 0}, impulse[4];
    if (keeps) {
        tlk_load4(past, kept);
        kept[TLK_PAST_TOUCHED] = 1;
    }
    if (p->keeps == TLK_PAST)
        tlk_load4(past + 4, kept + 4);
    const real force[4] = {last[TLK_LAST_FORCE], last[TLK_LAST_FORCE + 1], last[TLK_LAST_FORCE + 2],
                           0};
    tlk_load4(sum, impulse);
    impulse[3] = 0;
    tlk_store4(p->contact_past + TLK_CONTACT_PAST * k, kept);
    tlk_store4(p->contact_past + TLK_CONTACT_PAST * k + 4, kept + 4);
    tlk_store4(p->contact_past + TLK_CONTACT_PAST * k + TLK_PAST, force);
    tlk_store4(p->gamma + 4 * k, impulse);
    for (uint32_t c = 0; c < 4 && p->moment; c++)
        p->moment[4 * k + c] = c < 3 ? p->roll[TLK_ROLL * slot + c] : 0;
}

/* One pair: its points as contacts. */
TL_KERNEL void tlk_penalty_write(const tlk_penalty *p, uint32_t q)
{
    size_t k = p->points[q];
    if (!p->place) {
        double n[3];
        if (p->points[q + 1] == k)
            return;
        const double gap = tlk_narrow(&p->shapes, p->a[q], p->b[q], n);
        const real out[4] = {(real)n[0], (real)n[1], (real)n[2], (real)gap};
        p->out_a[k] = p->a[q];
        p->out_b[k] = p->b[q];
        tlk_store4(p->n + 4 * k, out);
        tlk_penalty_hand(p, q, k);
        return;
    }
    const double *place = p->place + TLK_PLACE * TLK_POINTS_MOST * (size_t)q;
    const uint32_t first = p->first[q];
    for (uint32_t t = 0; t < TLK_POINTS_MOST; t++) {
        const double *of = place + TLK_PLACE * t;
        if (!(of[7] > 0))
            continue;
        const real out[4] = {(real)of[4], (real)of[5], (real)of[6], (real)of[3]};
        const real at[4] = {(real)of[0], (real)of[1], (real)of[2], 0};
        p->out_a[k] = p->a[first];
        p->out_b[k] = p->b[first];
        p->out_feature[2 * k] = p->feature[2 * (size_t)first];
        p->out_feature[2 * k + 1] = t;
        tlk_store4(p->n + 4 * k, out);
        tlk_store4(p->contact_place + 4 * k, at);
        for (uint32_t c = 0; c < TLK_KEPT; c++)
            p->kept[TLK_KEPT * k + c] = 0;
        tlk_penalty_hand(p, TLK_POINTS_MOST * (size_t)q + t, k);
        k++;
    }
}

/* One owner, or the end: where its contacts begin, from where its pairs do. */
TL_KERNEL void tlk_penalty_start(const tlk_penalty *p, uint32_t i)
{
    /* the first pair whose first contact is not before those of this owner */
    const uint32_t contact = p->old_start[i];
    uint32_t low = p->first ? 0 : contact, high = p->first ? p->pairs : contact;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->first[middle] < contact)
            low = middle + 1;
        else
            high = middle;
    }
    p->order[i] = p->points[low];
}

/* One slot: 0 whether it acts; 1 the greatest overlap, 2 their sum; 3 energy lost; 4 work; 5
 * elastic energy; 6 whether it overlaps. */
TL_KERNEL void tlk_penalty_sum(const tlk_penalty *p, uint32_t t, double *acc)
{
    const real *sum = p->sum + TLK_SUM * (size_t)t, *last = p->last + p->lasts * (size_t)t;
    const bool full = p->lasts == TLK_LAST;
    double overlap;
    if (p->place) {
        const double *of = p->place + TLK_PLACE * (size_t)t;
        overlap = of[7] > 0 ? -of[3] : 0;
    } else {
        double n[3];
        const bool keeps = tlk_penalty_acts(p, t) & TLK_KEEPS;
        overlap = keeps ? -tlk_narrow(&p->shapes, p->a[t], p->b[t], n) : 0;
    }
    acc[0] += full ? last[TLK_LAST_STIFF] > 0 : (tlk_penalty_acts(p, t) & TLK_ACTS) != 0;
    acc[1] = tlk_max(acc[1], overlap);
    acc[2] += tlk_max(overlap, 0.0);
    acc[3] += sum[TLK_SUM_LOST];
    acc[4] += full || p->worked ? *tlk_penalty_work(p, t) : 0;
    acc[5] += last[TLK_LAST_ELASTIC];
    acc[6] += overlap > 0;
}

/* The radius of the ball that has the volume of a solid body: by the ellipsoid with its moments. */
TL_KERNEL double tlk_penalty_ball(const tlk_bodies *b, size_t i, double thin)
{
    const double *of = b->inertia + 4 * i, sum = of[0] + of[1] + of[2], part = 2.5 / of[3];
    double cube = 1;
    for (int k = 0; k < 3; k++) /* half axes; no thinner than the shape */
        cube *= sqrt(tlk_max(part * (sum - 2 * of[k]), thin * thin));
    double r = sqrt(part * sum * (1.0 / 3)); /* which is no smaller */
    for (int k = 0; k < 32; k++)             /* Newton's steps from above */
        r -= (r - cube / (r * r)) * (1.0 / 3);
    return r;
}

/* One dynamic shape: the least of 0 the time that Rayleigh's waves take, s, 1 m^2/(R E^2) of an
 * impact on a wall, and 2 m/k of the law linear, or of compliance: by its material's row of
 * `table`, which has stiffest partners (step/penalty_law.c). 3: a material that has `stage` for one
 * of these. */
TL_KERNEL void tlk_penalty_times(const tlk_penalty *p, uint32_t i, double *acc)
{
    const tlk_shapes *s = &p->shapes;
    const uint32_t material = s->info[i] >> TLK_SHAPE_MATERIAL;
    const double *of = p->table + 4 * (size_t)material; /* G, 0.1631 nu + 0.8766, E*, k or 0 */
    const size_t body = s->body[i];
    const double mass = p->bodies.inertia[4 * body + 3];
    if (i >= s->dynamic || s->info[i] & TLK_SHAPE_SENSOR || (p->rods && p->vel[8 * body + 7] > 0))
        return;
    const double r = tlk_thin(s, i);
    if (!(r > 0))
        return;
    const double ball = s->info[i] & TLK_SHAPE_CENTRAL ? r : tlk_penalty_ball(&p->bodies, body, r);
    const double volume = 4.0 / 3 * TLK_PI * ball * ball * ball;
    const double rayleigh = TLK_PI * ball * sqrt(mass / (volume * of[0])) / of[1];
    const double k = of[3] > 0 ? of[3] : p->law == 0 ? 0 : 2 * of[2] * r;
    const double impact = mass * mass / (r * of[2] * of[2]), spring = k > 0 ? mass / k : 0;
    acc[0] = tlk_min(acc[0], rayleigh);
    acc[1] = tlk_min(acc[1], impact);
    if (k > 0)
        acc[2] = tlk_min(acc[2], spring);
    if (rayleigh == p->stage || impact == p->stage || (k > 0 && spring == p->stage))
        acc[3] = tlk_max(acc[3], (double)material);
}

#endif
