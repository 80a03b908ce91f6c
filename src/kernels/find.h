/* Collision detection, one shape or one entry at a time: the stages of src/collide/collide.c.
 *
 * A shape is entered into every bin that its box touches, on its own level (as a resident) and on
 * every coarser level in use (as a visitor). A bin pairs residents with residents and residents
 * with visitors, never two visitors, so each pair is met on the coarser of its two levels. Of the
 * bins that both are in, the one with the lower corner of the overlap of their boxes claims the
 * pair: the bin that is, on each axis, the first bin of one of the two. That is the sources'
 * midpoint rule made with integers, so that rounding can neither lose a pair nor claim it twice. */
#ifndef TL_KERNELS_FIND_H
#define TL_KERNELS_FIND_H

#include "kernels/narrow.h"

/* One shape that is on a body which does not move by itself: its frame in the world. */
TL_KERNEL void tlk_patches(const tlk_find *f, uint32_t i)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t body = s->body[s->dynamic + i];
    const double *q = f->bodies.quat + 4 * (size_t)body, *x = f->bodies.pos + 4 * (size_t)body;
    const double *local = s->patch_local + TLK_PATCH * (size_t)i;
    double *out = s->patch + TLK_PATCH * (size_t)i;
    for (int k = 0; k < 4; k++)
        tlk_rotate(q, local + 3 * k, out + 3 * k);
    for (int k = 0; k < 3; k++)
        out[k] += x[k];
    const bool box = (s->info[s->dynamic + i] & TLK_SHAPE_KIND) == TLK_BOX;
    for (int k = 0; k < 3; k++) {
        out[12 + k] = local[12 + k];
        out[15 + k] = box ? fabs(out[3 + k]) * local[12] + fabs(out[6 + k]) * local[13] +
                                fabs(out[9 + k]) * local[14]
                          : 0.5 * (fabs(out[3 + k]) + fabs(out[6 + k]));
    }
}

/* How far a shape's surface can get from its start by turning alone within the step. */
TL_KERNEL double tlk_spin_reach(const tlk_find *f, uint32_t i, const double *arm)
{
    const real *vel = f->bodies.vel + 8 * (size_t)f->shapes.body[i];
    const double w2 = (double)vel[4] * vel[4] + (double)vel[5] * vel[5] + (double)vel[6] * vel[6];
    const double a2 = tlk_dotd(arm, arm);
    const bool sphere = (f->shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    if (sphere && a2 == 0)
        return 0;
    return f->h * sqrt(w2) * (sqrt(a2) + (sphere ? 0 : f->shapes.geom[4 * (size_t)i + 3]));
}

/* One shape: its centre in the world and its reach, the radius of the ball in which it can touch
 * something within this step. */
TL_KERNEL void tlk_bounds(const tlk_find *f, uint32_t i)
{
    const tlk_shapes *s = &f->shapes;
    const size_t body = s->body[i];
    const double *geom = s->geom + 4 * (size_t)i, *x = f->bodies.pos + 4 * body;
    double *centre = s->centre + 4 * (size_t)i;
    double arm[3] = {geom[0], geom[1], geom[2]};
    if (arm[0] != 0 || arm[1] != 0 || arm[2] != 0)
        tlk_rotate(f->bodies.quat + 4 * body, geom, arm);
    const real *vel = f->bodies.vel + 8 * body;
    const double v2 = (double)vel[0] * vel[0] + (double)vel[1] * vel[1] + (double)vel[2] * vel[2];
    for (int k = 0; k < 3; k++)
        centre[k] = x[k] + arm[k];
    centre[3] = geom[3] + 0.5 * f->envelope + f->h * sqrt(v2) + tlk_spin_reach(f, i, arm);
}

/* Half the edges of a box around everything within a shape's reach. */
TL_KERNEL void tlk_extent(const tlk_shapes *s, uint32_t i, double *half)
{
    const double reach = s->centre[4 * (size_t)i + 3];
    half[0] = half[1] = half[2] = reach;
    if ((s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE)
        return;
    const double *p = s->patch + TLK_PATCH * (size_t)(i - s->dynamic);
    const double margin = reach - s->geom[4 * (size_t)i + 3];
    for (int k = 0; k < 3; k++)
        half[k] = margin + p[15 + k];
}

/* The box that a shape is binned by: around where it is and where its velocity takes it in this
 * step. */
TL_KERNEL void tlk_box(const tlk_find *f, uint32_t i, double *low, double *high)
{
    const tlk_shapes *s = &f->shapes;
    const double *x = f->bodies.pos + 4 * (size_t)s->body[i], *c = s->centre + 4 * (size_t)i;
    const real *vel = f->bodies.vel + 8 * (size_t)s->body[i];
    const double arm[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    const bool sphere = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const double margin = 0.5 * f->envelope + tlk_spin_reach(f, i, arm);
    const double *p = sphere ? 0 : s->patch + TLK_PATCH * (size_t)(i - s->dynamic) + 15;
    for (int k = 0; k < 3; k++) {
        const double half = margin + (sphere ? s->geom[4 * (size_t)i + 3] : p[k]);
        const double move = f->h * (double)vel[k];
        low[k] = c[k] - half + tlk_min(move, 0.0);
        high[k] = c[k] + half + tlk_max(move, 0.0);
    }
}

/* The first and last bin of a box on each axis of a level; returns how many bins that is. */
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

/* The bins of a level that a box is in, `from` to `to`, as far as they are in the part of space
 * that is looked at; `first` is the first of them all. Returns how many. */
TL_KERNEL uint32_t tlk_part_bins(const tlk_find *f, uint32_t l, const double *low,
                                 const double *high, int64_t *first, int64_t *from, int64_t *to)
{
    const tlk_level *level = &f->level[l];
    uint32_t count = tlk_bins(level, low, high, first, to);
    for (int k = 0; k < 3; k++)
        from[k] = first[k];
    if (f->axis == TLK_UNCUT || count == TLK_TOO_WIDE)
        return count;
    for (uint32_t k = 0; k < 3; k++) /* an index known when compiling keeps them in registers */
        if (k == f->axis) {
            const uint32_t all = (uint32_t)(to[k] - from[k] + 1);
            from[k] = from[k] > level->cut_low ? from[k] : level->cut_low;
            to[k] = to[k] < level->cut_high ? to[k] : level->cut_high - 1;
            count = from[k] > to[k] ? 0 : count / all * (uint32_t)(to[k] - from[k] + 1);
        }
    return count;
}

/* One shape: in how many bins it is. */
TL_KERNEL void tlk_bin_count(const tlk_find *f, uint32_t i)
{
    const uint32_t own = f->shapes.level[i];
    uint32_t count = 0;
    if (own < TLK_LEVELS) {
        double low[3], high[3];
        int64_t first[3], from[3], to[3];
        tlk_box(f, i, low, high);
        for (uint32_t l = 0; l <= own && count < TLK_TOO_WIDE; l++) /* level 0 is the coarsest */
            if (f->level[l].used)
                count += tlk_part_bins(f, l, low, high, first, from, to);
    }
    f->entry_start[i] = count >= TLK_TOO_WIDE ? TLK_TOO_WIDE : count;
}

/* The first shape that is in too many bins. */
TL_KERNEL void tlk_too_wide(const tlk_find *f, uint32_t i, double *acc)
{
    if (f->entry_start[i] == TLK_TOO_WIDE)
        acc[0] = tlk_min(acc[0], (double)i);
}

/* Entry e: shape i in a bin of level l; `first` is the first bin of its box. */
TL_KERNEL void tlk_enter(const tlk_find *f, uint32_t i, uint32_t l, const int64_t *bin,
                         const int64_t *first, uint32_t e)
{
    const tlk_level *level = &f->level[l];
    const double *c = f->shapes.centre + 4 * (size_t)i;
    uint32_t index = 0, tag = 0;
    float at[4];
    for (int k = 0; k < 3; k++) {
        index |= ((uint32_t)bin[k] & level->mask[k]) << level->shift[k];
        tag |= ((uint32_t)bin[k] & 511u) << (3 + 9 * k) | (uint32_t)(bin[k] == first[k]) << k;
        at[k] = (float)(c[k] - (double)bin[k] * level->size);
    }
    at[3] = (float)c[3];
    f->entry_key[e] = level->base + 2 * index + (l != f->shapes.level[i]);
    f->entry_value[e] = e;
    f->entry_shape[e] = i;
    f->entry_tag[e] = tag;
#if defined(__CUDACC__)
    ((float4 *)f->entry_at)[e] = make_float4(at[0], at[1], at[2], at[3]);
#else
    for (int k = 0; k < 4; k++)
        f->entry_at[4 * (size_t)e + (size_t)k] = at[k];
#endif
}

/* One shape: its entries. */
TL_KERNEL void tlk_bin_entries(const tlk_find *f, uint32_t i)
{
    const uint32_t own = f->shapes.level[i];
    if (own >= TLK_LEVELS)
        return;
    uint32_t e = f->entry_start[i];
    double box_low[3], box_high[3];
    tlk_box(f, i, box_low, box_high);
    for (uint32_t l = 0; l <= own; l++) {
        if (!f->level[l].used)
            continue;
        int64_t first[3], from[3], to[3], bin[3];
        tlk_part_bins(f, l, box_low, box_high, first, from, to);
        for (bin[2] = from[2]; bin[2] <= to[2]; bin[2]++)
            for (bin[1] = from[1]; bin[1] <= to[1]; bin[1]++)
                for (bin[0] = from[0]; bin[0] <= to[0]; bin[0]++)
                    tlk_enter(f, i, l, bin, first, e++);
    }
}

/* One sorted position: where the run of its key begins or ends. Keys that do not occur keep the 0
 * that both arrays are filled with before: an empty range. */
TL_KERNEL void tlk_run_ranges(const tlk_ranges *r, uint32_t p)
{
    const uint32_t key = r->key[p];
    if (p == 0 || r->key[p - 1] != key)
        r->begin[key] = p;
    if (p + 1 == r->count || r->key[p + 1] != key)
        r->end[key] = p + 1;
}

/* Where number k of the sorted entry p is: side by side with its neighbours' for a CPU, which looks
 * at eight entries at once; with its own others for a GPU, whose threads look at one each. */
TL_KERNEL size_t tlk_bin_number(const tlk_find *f, uint32_t p, uint32_t k)
{
#if defined(__CUDACC__)
    (void)f;
    return 4 * (size_t)p + k;
#else
    return (size_t)k * f->bin_stride + p;
#endif
}

/* One sorted position: the entry's data, in the order of bins. */
TL_KERNEL void tlk_bin_fill(const tlk_find *f, uint32_t p)
{
    const uint32_t e = f->entry_value[p];
    const float *at = f->entry_at + 4 * (size_t)e;
    f->place[e] = p;
    f->bin_shape[p] = f->entry_shape[e];
    f->bin_tag[p] = f->entry_tag[e];
#if defined(__CUDACC__)
    ((float4 *)f->bin_at)[p] = *(const float4 *)at;
#else
    for (uint32_t k = 0; k < 4; k++)
        f->bin_at[tlk_bin_number(f, p, k)] = at[k];
#endif
}

/* How fast the surfaces of i and j approach each other where they are nearest, along the normal (i
 * to j); one of the two is a sphere, and the point is on it. */
TL_KERNEL double tlk_closing(const tlk_find *f, uint32_t i, uint32_t j, const double *n)
{
    const tlk_shapes *s = &f->shapes;
    const size_t bi = s->body[i], bj = s->body[j];
    const real *vi = f->bodies.vel + 8 * bi, *vj = f->bodies.vel + 8 * bj;
    const double *xi = f->bodies.pos + 4 * bi, *xj = f->bodies.pos + 4 * bj;
    const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const double *c = s->centre + 4 * (size_t)(from_i ? i : j);
    const double r = s->geom[4 * (size_t)(from_i ? i : j) + 3] * (from_i ? 1 : -1);
    double ri[3], rj[3], ti[3], tj[3], closing = 0;
    for (int k = 0; k < 3; k++) {
        ri[k] = c[k] + r * n[k] - xi[k];
        rj[k] = c[k] + r * n[k] - xj[k];
    }
    const double wi[3] = {vi[4], vi[5], vi[6]}, wj[3] = {vj[4], vj[5], vj[6]};
    tlk_crossd(wi, ri, ti);
    tlk_crossd(wj, rj, tj);
    for (int k = 0; k < 3; k++)
        closing += n[k] * ((double)vi[k] + ti[k] - (double)vj[k] - tj[k]);
    return closing;
}

/* Whether i and j touch within the envelope or will within the step: gap <= envelope + h * closing
 * speed. Beyond the envelope their boxes must overlap, so that a pair of binned shapes is met in
 * one bin only. */
TL_RARE bool tlk_touch_soon(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    double n[3];
    const double gap = tlk_narrow(s, i, j, n);
    if (gap <= f->envelope)
        return true;
    if (!(gap <= f->envelope + f->h * tlk_closing(f, i, j, n)))
        return false;
    if (s->level[i] >= TLK_LEVELS || s->level[j] >= TLK_LEVELS)
        return true;
    double low_i[3], high_i[3], low_j[3], high_j[3];
    tlk_box(f, i, low_i, high_i);
    tlk_box(f, j, low_j, high_j);
    return low_i[0] <= high_j[0] && low_j[0] <= high_i[0] && low_i[1] <= high_j[1] &&
           low_j[1] <= high_i[1] && low_i[2] <= high_j[2] && low_j[2] <= high_i[2];
}

/* The same; of two spheres it needs no root where they touch. */
TL_KERNEL bool tlk_touch(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t info_i = s->info[i], info_j = s->info[j];
    if (s->body[i] == s->body[j] || (info_i & info_j & TLK_SHAPE_FIXED))
        return false;
    if (!((info_i | info_j) & TLK_SHAPE_KIND)) { /* TLK_SPHERE is 0 */
        const double *a = s->centre + 4 * (size_t)i, *b = s->centre + 4 * (size_t)j;
        const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d2 = tlk_dotd(d, d);
        const double sum = s->geom[4 * (size_t)i + 3] + s->geom[4 * (size_t)j + 3];
        if (d2 <= (sum + f->envelope) * (sum + f->envelope))
            return true;
    }
    return tlk_touch_soon(f, i, j);
}

/* Writes contact k. */
TL_KERNEL void tlk_write_contact(const tlk_find *f, uint32_t i, uint32_t j, uint32_t k)
{
    double n[3];
    f->contact_b[k] = j;
    if (!f->contact_n)
        return;
    const double gap = tlk_narrow(&f->shapes, i, j, n);
    f->contact_a[k] = i;
    real *out = f->contact_n + 4 * (size_t)k;
    out[0] = (real)n[0], out[1] = (real)n[1], out[2] = (real)n[2], out[3] = (real)gap;
}

/* A partner of i was found: writes the contact, or counts it and keeps the partner's name, if there
 * is room, so that the second pass need not look again. */
TL_KERNEL void tlk_emit(const tlk_find *f, uint32_t i, uint32_t j, bool write, uint32_t *k)
{
    if (write)
        tlk_write_contact(f, i, j, *k);
    else if (*k < TLK_PARTNERS)
        f->partner[TLK_PARTNERS * (size_t)i + *k] = j;
    (*k)++;
}

/* A shape against the few that are too large for bins. The larger is the partner; of two of them
 * the fixed one, or the later one. */
TL_KERNEL void tlk_visit_globals(const tlk_find *f, uint32_t i, bool write, uint32_t *k)
{
    const tlk_shapes *s = &f->shapes;
    const bool global = s->level[i] >= TLK_LEVELS;
    const double *c = s->centre + 4 * (size_t)i;
    for (uint32_t g = 0; g < f->globals; g++) {
        const uint32_t j = f->global[g];
        if (j == i || (global && j < i))
            continue;
        if ((s->info[j] & TLK_SHAPE_KIND) != TLK_PLANE) {
            double half[3];
            tlk_extent(s, j, half);
            const double *d = s->centre + 4 * (size_t)j;
            if (fabs(c[0] - d[0]) > half[0] + c[3] || fabs(c[1] - d[1]) > half[1] + c[3] ||
                fabs(c[2] - d[2]) > half[2] + c[3])
                continue;
        }
        if (tlk_touch(f, i, j))
            tlk_emit(f, i, j, write, k);
    }
}

/* The range of sorted positions that entry p pairs with: the residents of its bin, behind it if it
 * is a resident itself. */
TL_KERNEL void tlk_partners(const tlk_find *f, uint32_t p, uint32_t *begin, uint32_t *end)
{
    const uint32_t key = f->entry_key[p];
    *begin = key & 1 ? f->bin_begin[key - 1] : p + 1;
    *end = f->bin_end[key & ~1u];
}

/* Whether two entries with these tags are in the same bin and it claims the pair: on each axis it
 * is the first bin of one of the two. */
TL_KERNEL bool tlk_claims(uint32_t tp, uint32_t tq)
{
    return (((tp ^ tq) & ~7u) == 0) & (((tp | tq) & 7u) == 7u);
}

/* Whether the balls at p and q can touch. The reaches are sums of radii and margins; the slack
 * covers the rounding of positions to 32-bit inside a bin. */
TL_KERNEL bool tlk_near(const tlk_find *f, uint32_t p, uint32_t q)
{
#if defined(__CUDACC__)
    const float4 vp = ((const float4 *)f->bin_at)[p], vq = ((const float4 *)f->bin_at)[q];
    const float a[4] = {vp.x, vp.y, vp.z, vp.w}, b[4] = {vq.x, vq.y, vq.z, vq.w};
#else
    float a[4], b[4];
    for (uint32_t k = 0; k < 4; k++) {
        a[k] = f->bin_at[tlk_bin_number(f, p, k)];
        b[k] = f->bin_at[tlk_bin_number(f, q, k)];
    }
#endif
    const float dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2], r = (b[3] + a[3]) * 1.00001f;
    return dx * dx + dy * dy + dz * dz <= r * r;
}

TL_KERNEL void tlk_visit_bins(const tlk_find *f, uint32_t i, bool write, uint32_t *k)
{
    for (uint32_t e = f->entry_start[i]; e < f->entry_start[i + 1]; e++) {
        const uint32_t p = f->place[e], tag = f->bin_tag[p];
        uint32_t begin, end;
        tlk_partners(f, p, &begin, &end);
        for (uint32_t q = begin; q < end; q++)
            if (tlk_claims(tag, f->bin_tag[q]) && tlk_near(f, p, q) &&
                tlk_touch(f, i, f->bin_shape[q]))
                tlk_emit(f, i, f->bin_shape[q], write, k);
    }
}

/* The binned shapes that may touch i, into its list of partners as far as there is room; returns
 * how many there are. */
TL_KERNEL uint32_t tlk_candidates(const tlk_find *f, uint32_t i)
{
    uint32_t n = 0, *list = f->partner + TLK_PARTNERS * (size_t)i;
    for (uint32_t e = f->entry_start[i]; e < f->entry_start[i + 1]; e++) {
        const uint32_t p = f->place[e], tag = f->bin_tag[p];
        uint32_t begin, end;
        tlk_partners(f, p, &begin, &end);
        for (uint32_t q = begin; q < end; q++) {
            if (!tlk_claims(tag, f->bin_tag[q]) || !tlk_near(f, p, q))
                continue;
            if (n < TLK_PARTNERS)
                list[n] = f->bin_shape[q];
            n++;
        }
    }
    return n;
}

/* One shape: how many contacts it owns. First the candidates, then the exact tests: threads that
 * run in step would otherwise wait for each other's tests at every entry. */
TL_KERNEL void tlk_contact_count(const tlk_find *f, uint32_t i)
{
    uint32_t k = 0, *list = f->partner + TLK_PARTNERS * (size_t)i;
    const uint32_t n = tlk_candidates(f, i);
    if (n > TLK_PARTNERS)
        tlk_visit_bins(f, i, false, &k);
    else
        for (uint32_t c = 0; c < n; c++) {
            const uint32_t j = list[c];
            if (tlk_touch(f, i, j))
                list[k++] = j;
        }
    tlk_visit_globals(f, i, false, &k);
    f->contact_start[i] = k;
}

/* One shape: the contacts it owns. */
TL_KERNEL void tlk_contact_write(const tlk_find *f, uint32_t i)
{
    uint32_t k = f->contact_start[i];
    const uint32_t count = f->contact_start[i + 1] - k;
    if (count <= TLK_PARTNERS) {
        for (uint32_t c = 0; c < count; c++)
            tlk_write_contact(f, i, f->partner[TLK_PARTNERS * (size_t)i + c], k + c);
        return;
    }
    tlk_visit_bins(f, i, true, &k);
    tlk_visit_globals(f, i, true, &k);
}

/* One contact whose shapes are known: its geometry. */
TL_KERNEL void tlk_contact_geometry(const tlk_find *f, uint32_t k)
{
    tlk_write_contact(f, f->contact_a[k], f->contact_b[k], k);
}

/* --- putting the contacts of the parts of space together
 * ---------------------------------------------------------------------------------------------- */

/* One owner: adds up its contacts. */
TL_KERNEL void tlk_join_count(const tlk_join *j, uint32_t i)
{
    j->count[i] += j->from[i + 1] - j->from[i];
}

/* The place of a pair in its owner's list: level and bin that claim it, bins counted from the
 * owner's first in the order of its entries. A shape has less than 256 bins on an axis. */
TL_KERNEL uint32_t tlk_pair_order(const tlk_find *f, uint32_t i, uint32_t j)
{
    const uint32_t li = f->shapes.level[i], lj = f->shapes.level[j], l = li < lj ? li : lj;
    if (li >= TLK_LEVELS || lj >= TLK_LEVELS)
        return TLK_NONE; /* tested directly: behind all others */
    double low[3], high[3];
    int64_t first_i[3], first_j[3], last[3];
    uint32_t order = l;
    tlk_box(f, i, low, high);
    tlk_bins(&f->level[l], low, high, first_i, last);
    tlk_box(f, j, low, high);
    tlk_bins(&f->level[l], low, high, first_j, last);
    for (int k = 2; k >= 0; k--)
        order = order << 8 | (first_j[k] > first_i[k] ? (uint32_t)(first_j[k] - first_i[k]) : 0u);
    return order;
}

/* One owner: its contacts in a part, merged from behind into those it has already. Few owners have
 * contacts in two parts. */
TL_KERNEL void tlk_join_lists(const tlk_join *j, uint32_t i)
{
    const tlk_find *f = &j->find;
    const uint32_t begin = f->contact_start[i], last = j->end[i];
    const uint32_t *from = j->partner + j->from[i];
    uint32_t *list = f->contact_b, fresh = j->from[i + 1] - j->from[i], old = last;
    uint32_t order_old = 0, order_fresh = 0, put = last + fresh;
    if (!fresh)
        return;
    j->end[i] = put;
    for (uint32_t k = last; k < put; k++)
        f->contact_a[k] = i;
    if (old > begin) {
        order_old = tlk_pair_order(f, i, list[old - 1]);
        order_fresh = tlk_pair_order(f, i, from[fresh - 1]);
    }
    while (fresh)
        if (old > begin && order_old > order_fresh) {
            list[--put] = list[--old];
            order_old = old > begin ? tlk_pair_order(f, i, list[old - 1]) : 0;
        } else {
            list[--put] = from[--fresh];
            order_fresh = fresh && old > begin ? tlk_pair_order(f, i, from[fresh - 1]) : 0;
        }
}

#endif
