/* Second looks, one shape at a time: an attempt at the step sent some bodies where they had not
 * been expected; may they meet something that there are no contacts with? (docs/theory.md, "Looking
 * again".)
 *
 * Few shapes have jumped, so the bins hold these alone, and the others come to see. The rule of
 * bins.h is turned around: a shape that jumped is entered in all bins that it would search, on each
 * level, and any shape looks where it would be entered itself, nearly always in one bin. What did
 * not jump is where the first search expected it, up to half of the envelope and of what may be
 * missed; so its reach is not made anew, and those that jumped search so much further. */
#ifndef TL_KERNELS_LOOK_H
#define TL_KERNELS_LOOK_H

#include "kernels/find.h"

/* Shape i, which jumped: counts it in bins, or enters it there. */
TL_RARE void tlk_look_spread(const tlk_find *f, uint32_t i, bool enter)
{
    const double more = 0.5 * (f->envelope + f->deep);
    for (uint32_t l = 0; l < TLK_LEVELS && f->shapes.level[i] < TLK_LEVELS; l++) {
        const tlk_level *level = &f->level[l];
        int64_t first[3], last[3];
        if (!level->used)
            continue;
        tlk_searched_with(f, i, level, more, first, last);
        const uint32_t nx = tlk_bins_across(level, first, last, 0);
        const uint32_t ny = tlk_bins_across(level, first, last, 1);
        const uint32_t nz = tlk_bins_across(level, first, last, 2);
        for (uint32_t z = 0; z < nz; z++)
            for (uint32_t y = 0; y < ny; y++)
                for (uint32_t x = 0; x < nx; x++) {
                    const uint32_t key =
                        tlk_bin_key(level, (uint32_t)first[0] + x, (uint32_t)first[1] + y,
                                    (uint32_t)first[2] + z);
                    const uint32_t q = tlk_atomic_add32(f->bin_start + key + 1, 1);
                    if (enter && q < f->bin_stride)
                        f->bin[q] = i;
                }
    }
}

/* One shape: its reach with the velocities that were seen, unless it is a sphere about its body's
 * origin that did not jump; counted in its bins if it did. */
TL_KERNEL void tlk_look_count(const tlk_find *f, uint32_t i)
{
    const tlk_shapes *s = &f->shapes;
    const size_t body = s->body[i];
    const bool jumped = tlk_jumped(f, i), sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    if (sphere && !jumped && (s->info[i] & TLK_SHAPE_CENTRAL))
        return;
    const double *c = s->centre + 4 * (size_t)i, *x = f->bodies.pos + 4 * body;
    const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    s->reach[i] = tlk_shape_reach(f, s->geom[4 * (size_t)i + 3], body, f->bodies.vel + 8 * body,
                                  tlk_spin_reach(f, i, anchor));
    if (jumped)
        tlk_look_spread(f, i, false);
}

/* One shape: its entries, if it jumped. */
TL_KERNEL void tlk_look_fill(const tlk_find *f, uint32_t i)
{
    if (tlk_jumped(f, i))
        tlk_look_spread(f, i, true);
}

/* Whether two shapes, one of which jumped, are a pair that is looked for, and near each other. */
TL_KERNEL bool tlk_is_met(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    double a[4], b[4];
    tlk_ball(s, i, a);
    tlk_ball(s, j, b);
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double r = (a[3] + b[3]) * (1 + 1e-12) + 0.5 * (f->envelope + f->deep);
    const bool binned = s->level[i] < TLK_LEVELS && s->level[j] < TLK_LEVELS;
    return !(binned && tlk_dotd(d, d) > r * r) && s->body[i] != s->body[j] &&
           tlk_is_looked_for(f, i, j);
}

/* Whether a simple pair is one that the velocities at the start did not make. */
TL_RARE bool tlk_is_fresh(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_meeting m = tlk_meet(f, i, j);
    return m.deep && tlk_boxes_meet(f, i, j, f->seen) && !(m.closes && tlk_boxes_meet(f, i, j, 0));
}

/* What shape i finds: fresh simple pairs; and pairs that are not simple, whose points have to be
 * looked at. `a` and `b`, if not NULL, get these, owners first. Pairs may be found more than once.
 */
typedef struct tlk_sight {
    uint32_t fresh, near;
    uint32_t *a, *b;
} tlk_sight;

TL_KERNEL void tlk_look_at(const tlk_find *f, uint32_t i, uint32_t j, tlk_sight *s)
{
    if (!tlk_is_met(f, i, j))
        return;
    if (tlk_is_simple(f->shapes.info[i], f->shapes.info[j])) {
        s->fresh += !s->a && tlk_is_fresh(f, i, j);
        return;
    }
    if (!tlk_boxes_meet(f, i, j, f->seen))
        return;
    if (s->a) {
        const bool owns = TLK_OWNS(f->shapes.level[i], f->shapes.level[j], i, j);
        s->a[s->near] = owns ? i : j;
        s->b[s->near] = owns ? j : i;
    }
    s->near++;
}

/* Shape i looks at what is in a bin. */
TL_KERNEL void tlk_look_into(const tlk_find *f, uint32_t i, uint32_t key, bool jumped, tlk_sight *s)
{
    const uint32_t begin = f->bin_start[key], end = f->bin_start[key + 1];
    for (uint32_t q = begin; q < end; q++) {
        const uint32_t j = f->bin[q];
        if (j != i && (j < i || !jumped))
            tlk_look_at(f, i, j, s);
    }
}

/* The same where it jumped, or is in several bins. One that jumped and is outside the bins sees a
 * fresh pair, whatever there is. */
TL_RARE void tlk_look_far(const tlk_find *f, uint32_t i, bool jumped, tlk_sight *s)
{
    const uint32_t own = f->shapes.level[i];
    for (uint32_t g = 0; g < f->globals && jumped; g++)
        if (f->global[g] != i && tlk_near_outside(f, i, f->global[g]))
            tlk_look_at(f, i, f->global[g], s);
    if (own >= TLK_LEVELS) {
        s->fresh += jumped;
        return;
    }
    const tlk_level *level = &f->level[own];
    int64_t first[3], last[3];
    if (tlk_entered(f, i, first, last) == TLK_TOO_WIDE) {
        s->fresh++; /* the search will tell */
        return;
    }
    const uint32_t nx = tlk_bins_across(level, first, last, 0);
    const uint32_t ny = tlk_bins_across(level, first, last, 1);
    const uint32_t nz = tlk_bins_across(level, first, last, 2);
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++)
                tlk_look_into(f, i,
                              tlk_bin_key(level, (uint32_t)first[0] + x, (uint32_t)first[1] + y,
                                          (uint32_t)first[2] + z),
                              jumped, s);
}

/* Shape i looks around: nearly always into one bin, and that is empty. */
TL_KERNEL void tlk_look_around(const tlk_find *f, uint32_t i, tlk_sight *s)
{
    const uint32_t own = f->shapes.level[i];
    const bool jumped = tlk_jumped(f, i);
    const tlk_level *level = &f->level[own < TLK_LEVELS ? own : 0];
    double c[4];
    tlk_ball(&f->shapes, i, c);
    const double x = c[0] * level->inverse, y = c[1] * level->inverse, z = c[2] * level->inverse;
    const bool near = fabs(x) < 1e9 && fabs(y) < 1e9 && fabs(z) < 1e9;
    if (jumped || own >= TLK_LEVELS || !(c[3] <= level->reach) || !near)
        tlk_look_far(f, i, jumped, s);
    else
        tlk_look_into(f, i,
                      tlk_bin_key(level, (uint32_t)(int32_t)floor(x), (uint32_t)(int32_t)floor(y),
                                  (uint32_t)(int32_t)floor(z)),
                      false, s);
}

/* 0 fresh pairs of shape i; 1 how many entries there are; 2 pairs that are not simple. */
TL_KERNEL void tlk_fresh_pairs(const tlk_find *f, uint32_t i, double *acc)
{
    const uint32_t entries = f->bin_start[f->keys + 1];
    tlk_sight s = {0, 0, 0, 0};
    if (i == 0)
        acc[1] = tlk_max(acc[1], (double)entries);
    if (entries > f->bin_stride)
        return;
    tlk_look_around(f, i, &s);
    if (!(s.fresh | s.near))
        return;
    acc[0] += (double)s.fresh;
    acc[2] += (double)s.near;
}

/* One shape: how many pairs that are not simple it sees; and these. */
TL_KERNEL void tlk_near_count(const tlk_find *f, uint32_t i)
{
    tlk_sight s = {0, 0, 0, 0};
    tlk_look_around(f, i, &s);
    f->contact_start[i] = s.near;
}

TL_KERNEL void tlk_near_write(const tlk_find *f, uint32_t i)
{
    tlk_sight s = {0, 0, f->contact_a + f->contact_start[i], f->contact_b + f->contact_start[i]};
    tlk_look_around(f, i, &s);
}

#endif
