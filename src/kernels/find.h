/* Collision detection, one shape at a time: the stages of src/collide/collide.c. What is near comes
 * from bins.h.
 *
 * Lists of partners are put in the order of rows, so that nothing depends on the order of entries
 * in a bin, on the table of bins or on how space is cut into parts. */
#ifndef TL_KERNELS_FIND_H
#define TL_KERNELS_FIND_H

#include "kernels/bins.h"

/* Where the surfaces of i and j are nearest, along the normal (i to j); one of the two is a sphere,
 * and the point is on it. */
TL_KERNEL void tlk_sphere_point(const tlk_shapes *s, uint32_t i, uint32_t j, const double *n,
                                double *x)
{
    const bool from_i = (s->info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const double *c = s->centre + 4 * (size_t)(from_i ? i : j);
    const double r = s->geom[4 * (size_t)(from_i ? i : j) + 3] * (from_i ? 1 : -1);
    for (int k = 0; k < 3; k++)
        x[k] = c[k] + r * n[k];
}

/* How fast the body of shape i moves along n at a point. */
TL_KERNEL double tlk_along_normal(const tlk_find *f, uint32_t i, const double *x, const double *n)
{
    const size_t body = f->shapes.body[i];
    const real *v = f->bodies.vel + 8 * body;
    const double *from = f->bodies.pos + 4 * body;
    const double w[3] = {v[4], v[5], v[6]};
    const double anchor[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    double turn[3], along = 0;
    tlk_crossd(w, anchor, turn);
    for (int k = 0; k < 3; k++)
        along += n[k] * ((double)v[k] + turn[k]);
    return along;
}

/* How much nearer than its velocity says a body that turns by w may come, at the end of an anchor,
 * to a body `other`: |R r - r - h w x r| is at most |h w|^2 |r| / 2, and what goes on by d meets
 * another normal there, by |h w| |d|. Turning takes nothing farther than twice its distance. */
TL_KERNEL double tlk_turn_beyond(const tlk_bodies *b, size_t body, const double *w, size_t other,
                                 double h, const double *anchor)
{
    const real *v = b->vel + 8 * body, *u = b->vel + 8 * other;
    const double d[3] = {(double)u[0] - v[0], (double)u[1] - v[1], (double)u[2] - v[2]};
    const double angle = h * sqrt(tlk_dotd(w, w));
    return tlk_min(0.5 * angle * angle, TLK_TURN_MOST) * sqrt(tlk_dotd(anchor, anchor)) +
           tlk_min(angle, TLK_TURN_MOST) * h * sqrt(tlk_dotd(d, d));
}

/* The same of shape i, at x, to shape j; nothing where that is within the envelope. A ball turns as
 * its middle does; at that of its body it stays where it is. */
TL_KERNEL double tlk_turns_to(const tlk_find *f, uint32_t i, uint32_t j, const double *x)
{
    const size_t body = f->shapes.body[i];
    const double *from = f->bodies.pos + 4 * body;
    const real *v = f->bodies.vel + 8 * body;
    const uint32_t info = f->shapes.info[i];
    if (info & TLK_SHAPE_CENTRAL || (v[4] == 0 && v[5] == 0 && v[6] == 0))
        return 0;
    const double *at = (info & TLK_SHAPE_KIND) == TLK_SPHERE ? f->shapes.centre + 4 * (size_t)i : x;
    const double anchor[3] = {at[0] - from[0], at[1] - from[1], at[2] - from[2]};
    if (tlk_dotd(anchor, anchor) == 0)
        return 0;
    const double w[3] = {v[4], v[5], v[6]};
    const double beyond = tlk_turn_beyond(&f->bodies, body, w, f->shapes.body[j], f->h, anchor);
    return beyond > f->envelope ? beyond : 0;
}

/* The fastest that it can be along n (sign 1) or against it (-1) in attempts at this step. Bodies
 * that are not dynamic move as they do. */
TL_KERNEL double tlk_seen_along(const tlk_find *f, uint32_t i, const double *x, const double *n,
                                double sign)
{
    const size_t body = f->shapes.body[i];
    if (body >= f->bodies.dynamic)
        return sign * tlk_along_normal(f, i, x, n);
    const real *seen = f->seen + 8 * body;
    const double *from = f->bodies.pos + 4 * body, *c = f->shapes.centre + 4 * (size_t)i;
    const double anchor[3] = {c[0] - from[0], c[1] - from[1], c[2] - from[2]};
    double fastest = tlk_spin_reach(f, i, anchor) / f->h;
    for (int k = 0; k < 3; k++) {
        const double along = sign * n[k];
        fastest += tlk_max(along * (double)seen[k], along * (double)seen[4 + k]);
    }
    return fastest;
}

/* Whether two shapes are in boxes that overlap as they stand, without their motion. */
TL_KERNEL bool tlk_stand_near(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    if (!tlk_has_box(s, i) || !tlk_has_box(s, j))
        return false;
    const double *a = s->centre + 4 * (size_t)i, *b = s->centre + 4 * (size_t)j;
    const double *p = tlk_frame(s, i) + 15, *q = tlk_frame(s, j) + 15;
    bool all = true;
    for (int k = 0; k < 3; k++) { /* sums as in tlk_box_with, so that rounding goes the same way */
        const double half_a = 0.5 * f->envelope + p[k], half_b = 0.5 * f->envelope + q[k];
        all = all && a[k] - half_a <= b[k] + half_b && b[k] - half_b <= a[k] + half_a;
    }
    return all;
}

/* Whether the boxes of two shapes overlap, where both are in bins: pairs beyond the envelope whose
 * boxes do not are not sure to be met. Of most pairs the boxes overlap without any motion. */
TL_KERNEL bool tlk_boxes_meet(const tlk_find *f, uint32_t i, uint32_t j, const real *seen)
{
    const tlk_shapes *s = &f->shapes;
    if (s->level[i] >= TLK_LEVELS || s->level[j] >= TLK_LEVELS || tlk_stand_near(f, i, j))
        return true;
    double low_i[3], high_i[3], low_j[3], high_j[3];
    tlk_box_with(f, i, seen, low_i, high_i);
    tlk_box_with(f, j, seen, low_j, high_j);
    return low_i[0] <= high_j[0] && low_j[0] <= high_i[0] && low_i[1] <= high_j[1] &&
           low_j[1] <= high_i[1] && low_i[2] <= high_j[2] && low_j[2] <= high_i[2];
}

/* What is known of a pair: whether it touches within the envelope or will within the step (gap <=
 * envelope + h * closing speed), and whether attempts at this step brought it deep into each other.
 */
typedef struct tlk_meeting {
    bool touches, closes, deep;
} tlk_meeting;

TL_KERNEL tlk_meeting tlk_meet(const tlk_find *f, uint32_t i, uint32_t j)
{
    tlk_meeting m = {false, false, false};
    double n[3], x[3];
    if (!tlk_is_simple(f->shapes.info[i], f->shapes.info[j])) {
        m.closes = true; /* if their boxes meet; touch.h looks closer */
        return m;
    }
    const double gap = tlk_narrow(&f->shapes, i, j, n);
    m.touches = gap <= f->envelope;
    if (m.touches)
        return m;
    tlk_sphere_point(&f->shapes, i, j, n, x);
    const double closing = tlk_along_normal(f, i, x, n) - tlk_along_normal(f, j, x, n);
    m.closes =
        gap <= f->envelope + f->h * closing + tlk_turns_to(f, i, j, x) + tlk_turns_to(f, j, i, x);
    if (f->seen)
        m.deep = gap + f->deep <=
                 f->h * (tlk_seen_along(f, i, x, n, 1) + tlk_seen_along(f, j, x, n, -1));
    return m;
}

/* Whether i and j are a pair in this step. */
TL_RARE bool tlk_touch_soon(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_meeting m = tlk_meet(f, i, j);
    return m.touches || ((m.closes || m.deep) && tlk_boxes_meet(f, i, j, f->seen));
}

/* Whether two bodies are excluded from colliding, by their handles. */
TL_RARE bool tlk_is_excluded(const tlk_find *f, uint32_t a, uint32_t b)
{
    const uint32_t low = tlk_min(f->bodies.id[a], f->bodies.id[b]);
    const uint32_t high = tlk_max(f->bodies.id[a], f->bodies.id[b]);
    const uint64_t pair = (uint64_t)low << 32 | high;
    uint32_t from = 0, to = f->exclusions;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (f->excluded[middle] < pair)
            from = middle + 1;
        else
            to = middle;
    }
    return from < f->exclusions && f->excluded[from] == pair;
}

/* The same of the bodies of two shapes. */
TL_KERNEL bool tlk_are_excluded(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    return (s->info[i] & s->info[j] & TLK_SHAPE_EXCLUDES) &&
           tlk_is_excluded(f, s->body[i], s->body[j]);
}

/* Whether two shapes, one of which has a filter, may be a pair that is looked for. Of spheres it is
 * said for sure; whether others are excluded takes a search, and is asked once their boxes meet. */
TL_RARE bool tlk_passes(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t both = s->info[i] & s->info[j], any = s->info[i] | s->info[j];
    const uint32_t *a = s->filter + 2 * (size_t)i, *b = s->filter + 2 * (size_t)j;
    if ((any & TLK_SHAPE_SENSOR) != f->senses || both & TLK_SHAPE_SENSOR)
        return false;
    if (!(a[0] & b[1]) || !(b[0] & a[1]))
        return false;
    return any & TLK_SHAPE_KIND || !tlk_are_excluded(f, i, j);
}

/* The same of any two; where no shape has a filter this costs one test. */
TL_KERNEL bool tlk_may_be_looked_for(const tlk_find *f, uint32_t i, uint32_t j)
{
    const uint32_t any = f->shapes.info[i] | f->shapes.info[j] | f->senses;
    return !(any & TLK_SHAPE_FILTERS) || tlk_passes(f, i, j);
}

/* Whether any two are looked for. */
TL_KERNEL bool tlk_is_looked_for(const tlk_find *f, uint32_t i, uint32_t j)
{
    const uint32_t any = f->shapes.info[i] | f->shapes.info[j] | f->senses;
    return !(any & TLK_SHAPE_FILTERS) || (tlk_passes(f, i, j) && !tlk_are_excluded(f, i, j));
}

/* What can be said without a root: whether two spheres touch within the envelope; or that two
 * shapes cannot be a pair. Of what is undecided tlk_are_excluded() is left to be asked. */
typedef enum tlk_verdict { TLK_APART, TLK_TOUCHES, TLK_UNDECIDED } tlk_verdict;

TL_KERNEL tlk_verdict tlk_first_look(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    const uint32_t info_i = s->info[i], info_j = s->info[j];
    if (s->body[i] == s->body[j] || (info_i & info_j & TLK_SHAPE_FIXED) ||
        !tlk_may_be_looked_for(f, i, j))
        return TLK_APART;
    if ((info_i | info_j) & TLK_SHAPE_KIND) /* TLK_SPHERE is 0 */
        return TLK_UNDECIDED;
    double a[4], b[4];
    tlk_load4d(s->centre + 4 * (size_t)i, a);
    tlk_load4d(s->centre + 4 * (size_t)j, b);
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d2 = tlk_dotd(d, d);
    const double sum = a[3] + b[3];
    return d2 <= (sum + f->envelope) * (sum + f->envelope) ? TLK_TOUCHES : TLK_UNDECIDED;
}

TL_KERNEL bool tlk_may_touch(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_verdict verdict = tlk_first_look(f, i, j);
    return verdict == TLK_UNDECIDED
               ? tlk_near_boxes(f, i, j) && tlk_touch_soon(f, i, j) && !tlk_are_excluded(f, i, j)
               : verdict == TLK_TOUCHES;
}

/* The partners of a shape, as far as there is room for them, and how many there are. */
typedef struct tlk_list {
    uint32_t *shape, room, count;
} tlk_list;

TL_KERNEL void tlk_append(tlk_list *list, uint32_t j)
{
    if (list->count < list->room)
        list->shape[list->count] = j;
    list->count++;
}

/* Puts a list in ascending order (Shell's sort; lists of a few are the rule). */
TL_KERNEL void tlk_sort(uint32_t *list, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (uint32_t n = gap; n < count; n++) {
            const uint32_t item = list[n];
            uint32_t at = n;
            for (; at >= gap && list[at - gap] > item; at -= gap)
                list[at] = list[at - gap];
            list[at] = item;
        }
}

/* Whether shape i is near enough to j, which is outside the bins, to touch it in this step: not
 * beyond its box, nor above a plane that does not turn. (How far a plane turns has no bound.) The
 * last factors are for rounding. */
TL_KERNEL bool tlk_near_outside(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    double c[4], d[4], half[3];
    tlk_ball(s, i, c);
    tlk_ball(s, j, d);
    if ((s->info[j] & TLK_SHAPE_KIND) == TLK_PLANE) {
        const real *vel = f->bodies.vel + 8 * (size_t)s->body[j];
        const double *p = tlk_frame(s, j);
        const double e[3] = {c[0] - p[0], c[1] - p[1], c[2] - p[2]};
        const double size = fabs(e[0]) + fabs(e[1]) + fabs(e[2]);
        return vel[4] != 0 || vel[5] != 0 || vel[6] != 0 ||
               tlk_dotd(e, p + 9) <= (c[3] + d[3]) * (1 + 1e-12) + 1e-12 * size;
    }
    tlk_extent(s, j, half);
    return fabs(c[0] - d[0]) <= half[0] + c[3] && fabs(c[1] - d[1]) <= half[1] + c[3] &&
           fabs(c[2] - d[2]) <= half[2] + c[3];
}

/* A first look of shape i at j, which is outside the bins, as the owner of a pair with it: the
 * larger is the partner; of two that are both outside the fixed one, or the later one. */
TL_KERNEL tlk_verdict tlk_look_outside(const tlk_find *f, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &f->shapes;
    double n[3];
    if (j == i || (s->level[i] >= TLK_LEVELS && j < i) || !tlk_is_looked_for(f, i, j) ||
        !tlk_near_outside(f, i, j))
        return TLK_APART;
    const bool wall = i < s->dynamic && (s->info[j] & TLK_SHAPE_FIXED) &&
                      (s->info[j] & TLK_SHAPE_KIND) && tlk_is_simple(s->info[i], s->info[j]);
    return wall && tlk_narrow_frame(s, i, j, n) <= f->envelope ? TLK_TOUCHES : TLK_UNDECIDED;
}

/* A shape against the few that are too large for bins. */
TL_KERNEL void tlk_visit_globals(const tlk_find *f, uint32_t i, tlk_list *list)
{
    for (uint32_t g = 0; g < f->globals; g++) {
        const tlk_verdict verdict = tlk_look_outside(f, i, f->global[g]);
        if (verdict == TLK_TOUCHES ||
            (verdict == TLK_UNDECIDED && tlk_may_touch(f, i, f->global[g])))
            tlk_append(list, f->global[g]);
    }
}

/* A shape against those in bins. */
TL_KERNEL void tlk_visit_bins(const tlk_find *f, uint32_t i, tlk_list *list)
{
    const uint32_t own = tlk_all_entered(f) ? f->shapes.level[i] : TLK_LEVELS;
    for (uint32_t l = 0; own < TLK_LEVELS && l <= own; l++) { /* level 0 is the coarsest */
        tlk_search s;
        uint32_t begin, end;
        if (!tlk_searches(f, i, own, l))
            continue;
        tlk_search_begin(f, i, l, &s);
        while (tlk_search_next(f, &f->level[l], &s, &begin, &end))
            for (uint32_t q = begin; q < end; q++) {
                const uint32_t j = tlk_near(f, &s, i, q) ? tlk_partner(f, &s, i, l, q) : TLK_NONE;
                if (j != TLK_NONE && tlk_may_touch(f, i, j))
                    tlk_append(list, j);
            }
    }
}

/* Shape i, whose partners in bins are listed: those that are tested directly; the order, where all
 * of them are there; how many contacts it owns. The first says how many entries there are too. */
TL_KERNEL void tlk_list_end(const tlk_find *f, uint32_t i, tlk_list *list)
{
    tlk_visit_globals(f, i, list);
    if (list->count <= list->room)
        tlk_sort(list->shape, list->count);
    f->contact_start[i] = list->count;
    if (i == 0)
        f->contact_start[f->shapes.rows + 1] = f->bin_start[f->keys + 1];
}

/* Where the partners of shape i are kept, so that the second pass rarely looks again. */
TL_KERNEL tlk_list tlk_list_begin(const tlk_find *f, uint32_t i)
{
    const tlk_list list = {f->partner + f->partners * (size_t)i, f->partners, 0};
    return list;
}

/* One shape: how many contacts it owns. */
TL_KERNEL void tlk_contact_count(const tlk_find *f, uint32_t i)
{
    tlk_list list = tlk_list_begin(f, i);
    tlk_visit_bins(f, i, &list);
    tlk_list_end(f, i, &list);
}

/* Writes contact k. */
TL_KERNEL void tlk_write_contact(const tlk_find *f, uint32_t i, uint32_t j, uint32_t k)
{
    double n[3];
    f->contact_b[k] = j;
    if (f->contact_a)
        f->contact_a[k] = i;
    if (!f->contact_n)
        return;
    const double gap = tlk_narrow(&f->shapes, i, j, n);
    const real out[4] = {(real)n[0], (real)n[1], (real)n[2], (real)gap};
    tlk_store4(f->contact_n + 4 * (size_t)k, out);
}

/* One shape: the contacts it owns. Those of a shape that has more than were kept are looked for
 * again. */
TL_KERNEL void tlk_contact_write(const tlk_find *f, uint32_t i)
{
    const uint32_t begin = f->contact_start[i], count = f->contact_start[i + 1] - begin;
    tlk_list list = tlk_list_begin(f, i);
    if (count > f->partners) {
        list.shape = f->contact_b + begin;
        list.room = count;
        tlk_visit_bins(f, i, &list);
        tlk_visit_globals(f, i, &list);
        tlk_sort(list.shape, count);
    }
    for (uint32_t c = 0; c < count; c++)
        tlk_write_contact(f, i, list.shape[c], begin + c);
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

/* One owner: its contacts in a part, merged from behind into those it has already. */
TL_KERNEL void tlk_join_lists(const tlk_join *j, uint32_t i)
{
    const tlk_find *f = &j->find;
    const uint32_t begin = f->contact_start[i], last = j->end[i];
    const uint32_t *from = j->partner + j->from[i];
    uint32_t *list = f->contact_b, fresh = j->from[i + 1] - j->from[i], old = last;
    uint32_t put = last + fresh;
    j->end[i] = put;
    for (uint32_t k = last; k < put; k++)
        f->contact_a[k] = i;
    while (fresh)
        if (old > begin && list[old - 1] > from[fresh - 1])
            list[--put] = list[--old];
        else
            list[--put] = from[--fresh];
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

#endif
