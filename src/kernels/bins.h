/* Shapes in bins, one shape at a time: where each is entered, and what the owner of a pair meets
 * when it searches. Included by find.h.
 *
 * A shape is entered on the level of its size only, in the bin that holds the middle of its box. A
 * pair is found by its owner (TLK_OWNS), which searches its own level and all coarser ones: the
 * bins that its box touches when it is widened by the reach of the level, within which the boxes of
 * the shapes that live there are. A shape whose box is larger than that, because it moves far in
 * one step, is entered in all bins that its box touches when it is narrowed by the reach; then it
 * is accepted in one of them only, the lower corner of what is entered and searched. That is an
 * integer rule: rounding can neither lose a pair nor find it twice. */
#ifndef TL_KERNELS_BINS_H
#define TL_KERNELS_BINS_H

#include "kernels/narrow.h"

/* The frame in the world of a shape that is no sphere. */
TL_KERNEL double *tlk_frame(const tlk_shapes *s, uint32_t i)
{
    return s->frame + TLK_FRAME * (size_t)s->frame_of[i];
}

/* The ball in which shape i can touch something in this step: its centre in the world, its reach.
 */
TL_KERNEL void tlk_ball(const tlk_shapes *s, uint32_t i, double *c)
{
    tlk_load4d(s->centre + 4 * (size_t)i, c);
    c[3] = (double)s->reach[i];
}

/* The squares of the largest speed and of the largest turning speed that a body has in this step:
 * at its start, or in attempts at it. */
TL_KERNEL double tlk_most_speed(const tlk_find *f, size_t body, const real *vel)
{
    double square = 0, seen = 0;
    for (int k = 0; k < 3; k++) {
        square += (double)vel[k] * vel[k];
        if (f->seen) {
            const double low = f->seen[8 * body + k], high = f->seen[8 * body + 4 + k];
            seen += tlk_max(low * low, high * high);
        }
    }
    return tlk_max(square, seen);
}

TL_KERNEL double tlk_most_spin(const tlk_find *f, size_t body)
{
    const real *vel = f->bodies.vel + 8 * body;
    const double seen = f->seen ? (double)f->seen[8 * body + 3] : 0;
    const double now = (double)vel[4] * vel[4] + (double)vel[5] * vel[5] + (double)vel[6] * vel[6];
    return tlk_max(now, seen * seen);
}

/* Turning takes no point farther than twice its distance from the axis. */
#define TLK_TURN_MOST 2.0

/* How far a shape's surface can get from its start by turning alone within the step. */
TL_KERNEL double tlk_spin_reach(const tlk_find *f, uint32_t i, const double *anchor)
{
    const double w2 = tlk_most_spin(f, f->shapes.body[i]);
    const double a2 = tlk_dotd(anchor, anchor);
    const bool sphere = (f->shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    if (sphere && a2 == 0)
        return 0;
    return tlk_min(f->h * sqrt(w2), TLK_TURN_MOST) *
           (sqrt(a2) + (sphere ? 0 : f->shapes.geom[4 * (size_t)i + 3]));
}

/* How far a shape of a radius reaches within the step, by its body's velocity and by turning; not
 * less. */
TL_KERNEL float tlk_shape_reach(const tlk_find *f, double radius, size_t body, const real *vel,
                                double spin)
{
    const double v2 = tlk_most_speed(f, body, vel);
    return (float)((radius + 0.5 * f->envelope + f->h * sqrt(v2) + spin) * (1 + 0x1p-22));
}

/* The box around where a shape is and where its velocity takes it in this step, and (NULL: not) the
 * velocities that were seen. */
TL_RARE void tlk_box_with(const tlk_find *f, uint32_t i, const real *seen, double *low,
                          double *high)
{
    const tlk_shapes *s = &f->shapes;
    const double *x = f->bodies.pos + 4 * (size_t)s->body[i], *c = s->centre + 4 * (size_t)i;
    const double anchor[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    const real *vel = f->bodies.vel + 8 * (size_t)s->body[i];
    const real *also = seen ? seen + 8 * (size_t)s->body[i] : 0;
    const bool sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const double margin = 0.5 * f->envelope + tlk_spin_reach(f, i, anchor);
    const double *p = sphere ? 0 : tlk_frame(s, i) + 15;
    for (int k = 0; k < 3; k++) {
        const double half = margin + (sphere ? s->geom[4 * (size_t)i + 3] : p[k]);
        const double least = also ? tlk_min(vel[k], also[k]) : vel[k];
        const double most = also ? tlk_max(vel[k], also[4 + k]) : vel[k];
        low[k] = c[k] - half + tlk_min(f->h * least, 0.0);
        high[k] = c[k] + half + tlk_max(f->h * most, 0.0);
    }
}

TL_KERNEL void tlk_box(const tlk_find *f, uint32_t i, double *low, double *high)
{
    tlk_box_with(f, i, f->seen, low, high);
}

/* Whether the last attempt at this step sent a shape where it had not been expected. */
TL_KERNEL bool tlk_jumped(const tlk_find *f, uint32_t i)
{
    return f->seen[8 * (size_t)f->shapes.body[i] + 7] != 0;
}

/* The first and last bin of a level from `low` to `high` on each axis; returns how many bins that
 * is. */
TL_KERNEL uint32_t tlk_bins(const tlk_level *level, const double *low, const double *high,
                            int64_t *first, int64_t *last)
{
    uint64_t count = 1;
    bool wide = false;
    for (int k = 0; k < 3; k++) {
        const double a = floor(low[k] * level->inverse), b = floor(high[k] * level->inverse);
        const bool sound = a > -4e15 && b < 4e15 && b - a < TLK_SPAN;
        first[k] = sound ? (int64_t)a : 0;
        last[k] = sound ? (int64_t)b : 0;
        wide = wide || !sound;
        count *= (uint64_t)(last[k] - first[k] + 1);
    }
    return wide || count > TLK_BINS_MAX ? TLK_TOO_WIDE : (uint32_t)count;
}

/* The bins that a shape is entered in, whatever part of space is looked at; returns how many. */
TL_KERNEL uint32_t tlk_entered(const tlk_find *f, uint32_t i, int64_t *first, int64_t *last)
{
    const tlk_level *level = &f->level[f->shapes.level[i]];
    double c[4], low[3], high[3];
    tlk_ball(&f->shapes, i, c);
    if (c[3] <= level->reach)
        return tlk_bins(level, c, c, first, last);
    tlk_box(f, i, low, high);
    for (int k = 0; k < 3; k++) {
        const double middle = 0.5 * (low[k] + high[k]);
        low[k] = tlk_min(low[k] + level->reach, middle);
        high[k] = tlk_max(high[k] - level->reach, middle);
    }
    return tlk_bins(level, low, high, first, last);
}

/* The bins of a level that a shape searches, whatever part of space is looked at. Its box is the
 * one around its reach or, where that is more than its own level's, the one around its way.
 *
 * What it meets there: let the boxes of i and j overlap on an axis, low_i <= high_j and low_j <=
 * high_i. Bins from low_i - R to high_i + R are searched. If j's box is wider than 2 R, j is
 * entered from low_j + R to high_j - R; else at its middle m, and m <= low_j + R, m >= high_j - R.
 * Either way the two have a point in common, and rounding down keeps the order. The last factor is
 * for the rounding of sums, 1e-16 of a coordinate that may be a thousand million times the reach.
 */
TL_KERNEL void tlk_searched_with(const tlk_find *f, uint32_t i, const tlk_level *level, double more,
                                 int64_t *first, int64_t *last)
{
    const double margin = level->reach * (1 + 1e-6) + more;
    double c[4];
    tlk_ball(&f->shapes, i, c);
    double low[3] = {c[0] - c[3], c[1] - c[3], c[2] - c[3]};
    double high[3] = {c[0] + c[3], c[1] + c[3], c[2] + c[3]};
    if (c[3] > f->level[f->shapes.level[i]].reach) {
        double from[3], to[3]; /* others, so that the usual ones stay in registers */
        tlk_box(f, i, from, to);
        for (int k = 0; k < 3; k++)
            low[k] = from[k], high[k] = to[k];
    }
    for (int k = 0; k < 3; k++) {
        first[k] = (int64_t)floor((low[k] - margin) * level->inverse);
        last[k] = (int64_t)floor((high[k] + margin) * level->inverse);
    }
}

TL_KERNEL void tlk_searched(const tlk_find *f, uint32_t i, const tlk_level *level, int64_t *first,
                            int64_t *last)
{
    tlk_searched_with(f, i, level, 0, first, last);
}

/* Leaves, of the bins from first to last, those of the part of space that is looked at. */
TL_KERNEL void tlk_clip(const tlk_find *f, const tlk_level *level, int64_t *first, int64_t *last)
{
    for (uint32_t k = 0; k < 3; k++) /* an index known when compiling keeps them in registers */
        if (k == f->axis) {
            first[k] = tlk_max(first[k], level->cut_low);
            last[k] = tlk_min(last[k], level->cut_high - 1);
        }
}

/* How many bins that is on an axis of the table, each counted once. */
TL_KERNEL uint32_t tlk_bins_across(const tlk_level *level, const int64_t *first,
                                   const int64_t *last, int k)
{
    const int64_t count = last[k] - first[k] + 1, most = (int64_t)level->mask[k] + 1;
    return count < 0 ? 0 : (uint32_t)tlk_min(count, most);
}

TL_KERNEL uint32_t tlk_bin_key(const tlk_level *level, uint32_t x, uint32_t y, uint32_t z)
{
    return level->base + ((x & level->mask[0]) | (y & level->mask[1]) << level->shift[1] |
                          (z & level->mask[2]) << level->shift[2]);
}

/* Positions in entries are whole numbers of a fraction of a bin's edge, modulo 2^32. */
#if defined(__CUDACC__)
#define TLK_FRACTION 13 /* bits */
#else
#define TLK_FRACTION 12
#endif
#define TLK_UNITS ((double)(1u << TLK_FRACTION))

TL_KERNEL uint32_t tlk_place(const tlk_level *level, double x)
{
    const double at = x * level->inverse, bin = floor(at);
    /* just below a bin's lower edge, at - bin rounds to 1: that is the last unit of the bin before
     */
    const uint32_t fraction = (uint32_t)((at - bin) * TLK_UNITS), last = (1u << TLK_FRACTION) - 1;
    return ((uint32_t)(int64_t)bin << TLK_FRACTION) + tlk_min(fraction, last);
}

/* Entries. A CPU looks at eight at once, so each of an entry's words lies side by side with its
 * neighbours': the place on three axes, the reach (a 32-bit number of units), the shape. Where not
 * all shapes are balls three more have the reach along each axis, for the boxes of long and flat
 * shapes tell most pairs apart whose balls meet. A GPU's threads look at one entry each, and it is
 * four words in a row:
 *   x and y        the lower halves of the places: 3 bits of the bin, which tell bins apart that
 *                  are searched together, and the fraction
 *   reach and z    the reach is rounded up; TLK_FAR_REACH is more than any two places are apart
 *   touch          the radius within which the shape touches at once, rounded down; TLK_UNSURE,
 *                  which spoils every sum, where more must be looked at; TLK_FIRST and TLK_OTHER
 *                  likewise, in the first entry of a shape that has several and in the others
 *   shape          its row */
#if defined(__CUDACC__)
#define TLK_ENTRY     TLK_ENTRY_GPU
#define TLK_FAR_REACH 0xddb8u
#define TLK_UNSURE    (-0x100000)
#define TLK_FIRST     (2 * TLK_UNSURE)
#define TLK_OTHER     (3 * TLK_UNSURE)
#else
#define TLK_ENTRY TLK_ENTRY_CPU
#endif

TL_KERNEL size_t tlk_bin_number(const tlk_find *f, uint32_t q, uint32_t k)
{
#if defined(__CUDACC__)
    (void)f;
    return TLK_ENTRY * (size_t)q + k;
#else
    return (size_t)k * f->bin_stride + q;
#endif
}

/* The shape of an entry, with TLK_SEVERAL where it has others. */
TL_KERNEL uint32_t tlk_entry(const tlk_find *f, uint32_t q)
{
    const uint32_t shape = f->bin[tlk_bin_number(f, q, TLK_ENTRY - 1)];
#if defined(__CUDACC__)
    const int32_t touch = (int32_t)f->bin[tlk_bin_number(f, q, TLK_ENTRY - 2)];
    return shape | (touch <= TLK_FIRST ? TLK_SEVERAL : 0);
#else
    return shape;
#endif
}

/* Whether all entries found room. */
TL_KERNEL bool tlk_all_entered(const tlk_find *f)
{
    return f->bin_start[f->keys + 1] <= f->bin_stride - TLK_LANES;
}

/* How far places on a level can be off by the rounding of the products that they come from, 2^-53
 * of a coordinate, twice and on three axes. */
TL_KERNEL double tlk_place_error(const double *c)
{
    return tlk_max(fabs(c[0]), tlk_max(fabs(c[1]), fabs(c[2]))) * 0x1p-50;
}

/* The reach of a ball in units of places. */
TL_KERNEL float tlk_unit_reach(const tlk_level *level, const double *c)
{
    return (float)((c[3] + tlk_place_error(c)) * level->inverse * TLK_UNITS);
}

/* Half the edges of a box around everything within a shape's reach. */
TL_KERNEL void tlk_extent(const tlk_shapes *s, uint32_t i, double *half)
{
    const double reach = (double)s->reach[i];
    half[0] = half[1] = half[2] = reach;
    if ((s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE)
        return;
    const double *p = tlk_frame(s, i);
    const double margin = reach - s->geom[4 * (size_t)i + 3];
    for (int k = 0; k < 3; k++)
        half[k] = margin + p[15 + k];
}

/* These edges in units of places. */
TL_KERNEL void tlk_unit_extent(const tlk_find *f, uint32_t i, const tlk_level *level,
                               const double *c, float *units)
{
    double half[3];
    tlk_extent(&f->shapes, i, half);
    for (int k = 0; k < 3; k++)
        units[k] = (float)((half[k] + tlk_place_error(c)) * level->inverse * TLK_UNITS);
}

#if defined(__CUDACC__)
/* Whether a place is one of those that the table of a level tells apart, with two bins to spare on
 * either side, which is as far as a shape of one entry searches. Shapes elsewhere share bins with
 * others that are far away, and then the few bits of a place do not tell how far. */
TL_KERNEL bool tlk_told_apart(const tlk_level *level, const double *c)
{
    bool all = true;
    for (int k = 0; k < 3; k++) {
        const double bin = floor(c[k] * level->inverse) - level->first[k];
        all = all && bin >= 2 && bin <= (double)level->mask[k] - 2;
    }
    return all;
}

/* Whether a shape is all of its body. */
TL_KERNEL bool tlk_is_alone(const tlk_shapes *s, uint32_t i)
{
    const uint32_t body = s->body[i];
    return (i == 0 || s->body[i - 1] != body) && (i + 1 == s->rows || s->body[i + 1] != body);
}

/* The radius, in units, within which a shape of one entry surely touches another such shape: that
 * of a sphere which is alone on a dynamic body, with its half of the envelope. */
TL_KERNEL int32_t tlk_touch_radius(const tlk_find *f, const tlk_level *level, uint32_t i,
                                   const double *c, double radius, bool alone)
{
    const double r = radius + 0.5 * f->envelope - tlk_place_error(c);
    if (!alone || radius < 0 || i >= f->shapes.dynamic || !tlk_told_apart(level, c))
        return TLK_UNSURE;
    if (f->filters && (f->shapes.info[i] | f->senses) & TLK_SHAPE_FILTERS)
        return TLK_UNSURE;
    return (int32_t)(r * level->inverse * TLK_UNITS);
}

TL_KERNEL void tlk_put(const tlk_find *f, uint32_t q, const uint32_t *at, uint32_t reach,
                       int32_t touch, uint32_t i)
{
    if (q < f->bin_stride - TLK_LANES)
        ((uint4 *)f->bin)[q] =
            make_uint4((at[0] & 0xffff) | at[1] << 16, reach | at[2] << 16, (uint32_t)touch, i);
}
#else
TL_KERNEL void tlk_put(const tlk_find *f, uint32_t q, const uint32_t *at, float reach, bool several,
                       uint32_t i)
{
    const uint32_t all[TLK_ENTRY] = {at[0], at[1], at[2], tlk_float_bits(reach),
                                     i | (several ? TLK_SEVERAL : 0)};
    if (q >= f->bin_stride - TLK_LANES)
        return;
    for (uint32_t k = 0; k < TLK_ENTRY; k++)
        f->bin[tlk_bin_number(f, q, k)] = all[k];
}

TL_KERNEL void tlk_put_box(const tlk_find *f, const tlk_level *level, const double *c, uint32_t i,
                           uint32_t q)
{
    float half[TLK_ENTRY_BOX];
    if (q >= f->bin_stride - TLK_LANES)
        return;
    tlk_unit_extent(f, i, level, c, half);
    for (uint32_t k = 0; k < TLK_ENTRY_BOX; k++)
        f->bin[tlk_bin_number(f, q, TLK_ENTRY + k)] = tlk_float_bits(half[k]);
}
#endif

/* Writes entry q: where shape i is, how far it reaches, and its row. Where there are more than
 * there is room for, all is done again. */
TL_KERNEL void tlk_enter(const tlk_find *f, uint32_t i, bool several, bool first, uint32_t q)
{
    const tlk_level *level = &f->level[f->shapes.level[i]];
    double c[4];
    tlk_ball(&f->shapes, i, c);
    const uint32_t at[3] = {tlk_place(level, c[0]), tlk_place(level, c[1]), tlk_place(level, c[2])};
    const float reach = tlk_unit_reach(level, c);
#if defined(__CUDACC__)
    const double radius = f->shapes.centre[4 * (size_t)i + 3];
    if (several)
        tlk_put(f, q, at, TLK_FAR_REACH, first ? TLK_FIRST : TLK_OTHER, i);
    else
        tlk_put(f, q, at, (uint32_t)reach + 1,
                tlk_touch_radius(f, level, i, c, radius, tlk_is_alone(&f->shapes, i)), i);
#else
    (void)first;
    tlk_put(f, q, at, reach, several, i);
    if (f->boxed)
        tlk_put_box(f, level, c, i, q);
#endif
}

/* One shape: counts it in each bin that it is entered in, or enters it there. */
TL_KERNEL void tlk_visit_own(const tlk_find *f, uint32_t i, bool enter)
{
    const uint32_t own = f->shapes.level[i];
    const tlk_level *level = &f->level[own];
    int64_t first[3], last[3];
    if (own >= TLK_LEVELS)
        return;
    const uint32_t bins = tlk_entered(f, i, first, last);
    if (bins == TLK_TOO_WIDE) {
        tlk_atomic_or32(f->bin_start, TLK_TOO_WIDE);
        return;
    }
    tlk_clip(f, level, first, last);
    for (uint32_t z = 0; z < tlk_bins_across(level, first, last, 2); z++)
        for (uint32_t y = 0; y < tlk_bins_across(level, first, last, 1); y++)
            for (uint32_t x = 0; x < tlk_bins_across(level, first, last, 0); x++) {
                const uint32_t key = tlk_bin_key(level, (uint32_t)first[0] + x,
                                                 (uint32_t)first[1] + y, (uint32_t)first[2] + z);
                const uint32_t q = tlk_atomic_add32(f->bin_start + key + 1, 1);
                if (enter)
                    tlk_enter(f, i, bins > 1, !(x | y | z), q);
            }
}

/* One shape: counts it in its bins, key k in bin_start[k + 1]. */
TL_KERNEL void tlk_bin_count(const tlk_find *f, uint32_t i)
{
    tlk_visit_own(f, i, false);
}

/* One shape: its entries. The counts are summed by then, so bin_start[k + 1] is where the next
 * entry of bin k goes; when all are in, it is where bin k + 1 begins. */
TL_KERNEL void tlk_bin_fill(const tlk_find *f, uint32_t i)
{
    tlk_visit_own(f, i, true);
}

/* Puts the frame of shape i where its body is. */
TL_RARE void tlk_place_frame(const tlk_find *f, uint32_t i)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t body = s->body[i];
    const double *q = f->bodies.quat + 4 * (size_t)body, *x = f->bodies.pos + 4 * (size_t)body;
    const double *local = s->frame_local + TLK_FRAME * (size_t)s->frame_of[i];
    double *out = tlk_frame(s, i);
    for (int k = 0; k < 4; k++)
        tlk_rotate(q, local + 3 * k, out + 3 * k);
    for (int k = 0; k < 3; k++)
        out[k] += x[k];
    /* the axes of a parallelogram are its edges, and its box goes half as far along them */
    const bool edges = (s->info[i] & TLK_SHAPE_KIND) == TLK_PARALLELOGRAM;
    for (int k = 0; k < 3; k++) {
        out[12 + k] = local[12 + k];
        out[15 + k] = edges ? 0.5 * (fabs(out[3 + k]) + fabs(out[6 + k]))
                            : fabs(out[3 + k]) * local[15] + fabs(out[6 + k]) * local[16] +
                                  fabs(out[9 + k]) * local[17];
    }
    out[18] = local[18];
    out[19] = local[19];
}

/* One shape: its centre in the world and its reach, the radius of the ball in which it can touch
 * something within this step; and the bins it is in, where they are to be counted at once. */
TL_KERNEL void tlk_bounds(const tlk_find *f, uint32_t i)
{
    const tlk_shapes *s = &f->shapes;
    const size_t body = s->body[i];
    const bool sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    double geom[4], x[4], centre[4];
    tlk_load4d(s->geom + 4 * (size_t)i, geom);
    tlk_load4d(f->bodies.pos + 4 * body, x);
    double anchor[3] = {geom[0], geom[1], geom[2]};
    if (!sphere)
        tlk_place_frame(f, i);
    if (anchor[0] != 0 || anchor[1] != 0 || anchor[2] != 0)
        tlk_rotate(f->bodies.quat + 4 * body, geom, anchor);
    real vel[4];
    tlk_load4(f->bodies.vel + 8 * body, vel);
    for (int k = 0; k < 3; k++)
        centre[k] = x[k] + anchor[k];
    centre[3] = sphere ? geom[3] : -1;
    s->reach[i] = tlk_shape_reach(f, geom[3], body, vel, tlk_spin_reach(f, i, anchor));
    tlk_store4d(s->centre + 4 * (size_t)i, centre);
    if (f->bin_start)
        tlk_bin_count(f, i);
}

/* The first shape that is in too many bins. */
TL_KERNEL void tlk_too_wide(const tlk_find *f, uint32_t i, double *acc)
{
    int64_t first[3], last[3];
    if (f->shapes.level[i] < TLK_LEVELS && tlk_entered(f, i, first, last) == TLK_TOO_WIDE)
        acc[0] = tlk_min(acc[0], (double)i);
}

/* What a shape looks at on one level: rows of bins along x, which lie side by side in the table. */
typedef struct tlk_search {
    uint32_t x, y, z;    /* the first bin */
    uint32_t nx, ny, nz; /* bins on each axis */
    uint32_t row, piece; /* the row that comes next; 1: what of it is behind the table's edge */
    uint32_t at[3];      /* the shape's place, as entries have theirs */
    float reach;
    float half[TLK_ENTRY_BOX]; /* of its box, where entries have them */
    int32_t after; /* only later rows are its partners: its own, or on a coarser level -1 */
} tlk_search;

/* Whether shape i looks for partners on level l, its own or a coarser one. A fixed shape has none
 * among fixed ones; on its own level all later rows are fixed too. Without this, walls that lie in
 * one place would each look at all others. */
TL_KERNEL bool tlk_searches(const tlk_find *f, uint32_t i, uint32_t own, uint32_t l)
{
    const uint32_t used = f->level[l].used;
    return i < f->shapes.dynamic ? used > 0 : used > 1 && l < own;
}

/* Begins the search of shape i on level l. Two places in units are each rounded down, so
 * their distance is off by less than sqrt(3) of these units: 2 are added to the reach. What 32-bit
 * numbers round is covered in tlk_near. */
TL_KERNEL void tlk_search_begin(const tlk_find *f, uint32_t i, uint32_t l, tlk_search *s)
{
    const tlk_level *level = &f->level[l];
    double c[4];
    int64_t first[3], last[3];
    tlk_ball(&f->shapes, i, c);
    tlk_searched(f, i, level, first, last);
    tlk_clip(f, level, first, last);
    s->x = (uint32_t)first[0] & level->mask[0];
    s->y = (uint32_t)first[1];
    s->z = (uint32_t)first[2];
    s->nx = tlk_bins_across(level, first, last, 0);
    s->ny = s->nx ? tlk_bins_across(level, first, last, 1) : 0;
    s->nz = s->ny ? tlk_bins_across(level, first, last, 2) : 0;
    s->row = s->piece = 0;
    for (int k = 0; k < 3; k++)
        s->at[k] = tlk_place(level, c[k]);
    s->reach = tlk_unit_reach(level, c) + 2;
#if !defined(__CUDACC__)
    if (f->boxed)
        tlk_unit_extent(f, i, level, c, s->half);
    for (int k = 0; k < 3 && f->boxed; k++)
        s->half[k] += 2;
#endif
    s->after = l == f->shapes.level[i] ? (int32_t)i : -1;
}

/* The entries [begin, end) that come next; false at the end. A row that goes over the table's edge
 * comes in two pieces. */
TL_KERNEL bool tlk_search_next(const tlk_find *f, const tlk_level *level, tlk_search *s,
                               uint32_t *begin, uint32_t *end)
{
    if (s->row == s->ny) {
        s->row = 0;
        s->z++;
        s->nz -= s->nz > 0;
    }
    if (!s->nz)
        return false;
    const uint32_t *start = f->bin_start + tlk_bin_key(level, 0, s->y + s->row, s->z);
    const uint32_t to = s->x + s->nx, edge = level->mask[0] + 1;
    *begin = start[s->piece ? 0 : s->x];
    *end = start[s->piece ? to - edge : tlk_min(to, edge)];
    s->piece = !s->piece && to > edge;
    s->row += !s->piece;
    return true;
}

/* Whether the balls of the searching shape i and of an entry can touch, and on a CPU their boxes;
 * some of those that cannot pass too. (What tlk_boxes_meet() looks at is within these boxes, so no
 * pair is lost.) What a CPU computes in 32-bit is off by a few times 6e-8 of itself. */
TL_KERNEL bool tlk_near(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t q)
{
#if defined(__CUDACC__)
    double a[4], b[4];
    tlk_ball(&f->shapes, i, a);
    tlk_ball(&f->shapes, tlk_entry(f, q) & TLK_ROW, b);
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double r = (a[3] + b[3]) * (1 + 1e-12);
    (void)s;
    return tlk_dotd(d, d) <= r * r;
#else
    uint32_t b[4];
    (void)i;
    for (uint32_t k = 0; k < 4; k++)
        b[k] = f->bin[tlk_bin_number(f, q, k)];
    const float dx = (float)(int32_t)(b[0] - s->at[0]), dy = (float)(int32_t)(b[1] - s->at[1]);
    const float dz = (float)(int32_t)(b[2] - s->at[2]);
    const float r = (tlk_bits_float(b[3]) + s->reach) * 1.00001f, d[3] = {dx, dy, dz};
    bool near = dx * dx + dy * dy + dz * dz <= r * r;
    for (uint32_t k = 0; k < 3 && near && f->boxed; k++)
        near =
            (d[k] < 0 ? -d[k] : d[k]) <=
            (tlk_bits_float(f->bin[tlk_bin_number(f, q, TLK_ENTRY + k)]) + s->half[k]) * 1.00001f;
    return near;
#endif
}

/* Whether the ball of shape i reaches the box of j along the axes of j; some that do not touch it
 * pass too. The last factor is for rounding. */
TL_KERNEL bool tlk_near_box(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t kind = s->info[j] & TLK_SHAPE_KIND;
    if (kind == TLK_SPHERE || kind == TLK_PLANE || (s->info[i] & TLK_SHAPE_KIND) == TLK_PLANE)
        return true; /* planes are in no ball */
    double a[4], b[4];
    tlk_ball(s, i, a);
    tlk_ball(s, j, b);
    const double *axis = tlk_frame(s, j) + 3;
    const double *half = s->frame_local + TLK_FRAME * (size_t)s->frame_of[j] + 15;
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double margin =
        (a[3] + b[3] - s->geom[4 * (size_t)j + 3]) * (1 + 1e-6) + 1e-9 * s->geom[4 * (size_t)j + 3];
    /* of a parallelogram only the normal is a unit vector */
    if (fabs(tlk_dotd(axis + 6, d)) > half[2] + margin)
        return false;
    return kind == TLK_PARALLELOGRAM || (fabs(tlk_dotd(axis, d)) <= half[0] + margin &&
                                         fabs(tlk_dotd(axis + 3, d)) <= half[1] + margin);
}

/* Whether a box is a better bound of a shape than its ball, and its axes are unit vectors. */
TL_KERNEL bool tlk_has_box(const tlk_shapes *s, uint32_t i)
{
    const uint32_t kind = s->info[i] & TLK_SHAPE_KIND;
    return kind != TLK_SPHERE && kind != TLK_PLANE && kind != TLK_PARALLELOGRAM;
}

/* Whether two shapes can touch within this step, by the boxes along their axes, as far as these
 * axes tell; some that do not touch pass too. */
TL_KERNEL bool tlk_near_boxes(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    if (!tlk_has_box(s, i) || !tlk_has_box(s, j))
        return tlk_near_box(f, i, j) && tlk_near_box(f, j, i);
    double a[4], b[4], cosine[3][3];
    tlk_ball(s, i, a);
    tlk_ball(s, j, b);
    const double *u = tlk_frame(s, i) + 3, *v = tlk_frame(s, j) + 3;
    const double *half_i = s->frame_local + TLK_FRAME * (size_t)s->frame_of[i] + 15;
    const double *half_j = s->frame_local + TLK_FRAME * (size_t)s->frame_of[j] + 15;
    const double size = s->geom[4 * (size_t)i + 3] + s->geom[4 * (size_t)j + 3];
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double margin = (a[3] + b[3] - size) * (1 + 1e-6) + 1e-9 * size; /* as above */
    for (int k = 0; k < 3; k++) {
        double reach = half_i[k] + margin;
        for (int l = 0; l < 3; l++) {
            cosine[k][l] = fabs(tlk_dotd(u + 3 * k, v + 3 * l));
            reach += cosine[k][l] * half_j[l];
        }
        if (fabs(tlk_dotd(u + 3 * k, d)) > reach)
            return false;
    }
    for (int k = 0; k < 3; k++)
        if (fabs(tlk_dotd(v + 3 * k, d)) > half_j[k] + margin + cosine[0][k] * half_i[0] +
                                               cosine[1][k] * half_i[1] + cosine[2][k] * half_i[2])
            return false;
    return true;
}

/* Whether shape i, on level l, accepts shape j at entry q, one of several: where it is in the bin
 * that is, on each axis, the first that is searched or the first that is entered. (What the table's
 * edge folds together is searched once and holds j once.) */
TL_RARE bool tlk_claims(const tlk_find *f, uint32_t i, uint32_t j, uint32_t l, uint32_t q)
{
    const tlk_level *level = &f->level[l];
    int64_t first[3], last[3], begin[3], end[3];
    tlk_searched(f, i, level, first, last);
    tlk_entered(f, j, begin, end);
    for (uint32_t k = 0; k < 3; k++) {
        first[k] = tlk_max(first[k], begin[k]);
        const bool in_part =
            k != f->axis || (first[k] >= level->cut_low && first[k] < level->cut_high);
        if (!in_part || first[k] > last[k] || first[k] > end[k])
            return false;
    }
    const uint32_t key =
        tlk_bin_key(level, (uint32_t)first[0], (uint32_t)first[1], (uint32_t)first[2]);
    return f->bin_start[key] <= q && q < f->bin_start[key + 1];
}

/* The shape of entry q, which is near, if i may own a pair with it; else TLK_NONE. */
TL_KERNEL uint32_t tlk_partner(const tlk_find *f, const tlk_search *s, uint32_t i, uint32_t l,
                               uint32_t q)
{
    const uint32_t shape = tlk_entry(f, q), j = shape & TLK_ROW;
    if ((int32_t)j <= s->after ||
        (shape != j && !(tlk_near_box(f, i, j) && tlk_claims(f, i, j, l, q))))
        return TLK_NONE;
    return j;
}

#endif
