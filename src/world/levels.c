/* Levels of bins for the shapes there are, found on the device by folds over their radii: shapes
 * live on levels by halvings of the radius, and the few largest are tested directly. What comes out
 * depends on the set of shapes alone, whatever edits led to it. Sensors change nothing for the
 * others: whose contact a pair is depends on levels. rearrange.c calls it. */
#include "kernels/order.h" /* first: it says what a real is */

#include "world/world.h"

#include <math.h>
#include <string.h>

#define DIRECT                                                                         \
    16u /* the largest shapes, up to this many, are tested against all others directly \
         */
#define FLAT                                                                            \
    2.0 /* bins of thin walls are for so many times the largest dynamic radius, or more \
         */
#define POINTS  0.01 /* m: the size of a world of points alone, which have none: any will do */
#define CLASSES 64u
#define FOLDED  8u /* classes that one fold counts */

/* How many shapes are in each class, down to that of the radius `least`. */
static tl_status count_classes(tl_backend *b, tlk_sizes sizes, uint32_t shapes, double least,
                               uint32_t counts[CLASSES])
{
    double n[TLK_FOLD_NUMBERS];
    for (uint32_t k = 0; k < CLASSES; k++)
        counts[k] = 0;
    if (!(sizes.top > 0))
        return TL_OK;
    const uint32_t last = tlk_halvings(sizes.top, least, sizes.most);
    for (; sizes.base <= last; sizes.base += FOLDED) {
        TL_TRY(tl_fold_one(b, TLK_FOLD_size_counts, shapes, &sizes, n));
        for (uint32_t k = 0; k < FOLDED; k++)
            counts[sizes.base + k] = (uint32_t)n[k];
    }
    return TL_OK;
}

/* The radius from which on shapes are tested directly: whole classes of the largest ones, while
 * there are at most so many. Adds how many that are. */
static double direct_radius(const uint32_t counts[CLASSES], double top, uint32_t most,
                            uint32_t *few)
{
    double limit = INFINITY;
    for (uint32_t k = 0; k < CLASSES && *few + counts[k] <= most; k++) {
        *few += counts[k];
        /* class k holds radii above top / 2^(k+1), the last one all that are left */
        limit = k + 1 < CLASSES ? ldexp(top, -(int)k - 1) : -1; /* points have no radius */
    }
    return limit;
}

/* The size that the coarsest level is for: at least `largest`, and so many doublings of `dynamic`,
 * the largest of dynamic bodies (0: there are none). So walls do not make the bins of these wider
 * than they need. */
static double top_size(double largest, double dynamic)
{
    double top = dynamic > 0 ? dynamic : fmax(largest, 0);
    while (top < largest)
        top *= 2;
    return top;
}

/* Adds how many shapes live on each level. */
static tl_status count_levels(tl_backend *b, const tlk_sizes *sizes, uint32_t shapes, double least,
                              tl_collide *c)
{
    uint32_t counts[CLASSES];
    TL_TRY(count_classes(b, *sizes, shapes, least, counts));
    for (uint32_t l = 0; l < TLK_LEVELS; l++) {
        c->top[l] = ldexp(sizes->top, -(int)l);
        c->residents[l] += counts[l];
        if (counts[l] && c->levels < l + 1)
            c->levels = l + 1;
    }
    return TL_OK;
}

/* Puts sensors on the levels that the other shapes have made: `n` is the fold over the sizes of
 * sensors. The few largest are tested directly. Others that are larger than their level is made for
 * are entered in several of its bins. */
static tl_status add_sensors(tl_backend *b, tlk_sizes *sizes, uint32_t shapes, double *n,
                             tl_collide *c)
{
    tlk_sizes own = *sizes;
    uint32_t counts[CLASSES];
    const uint32_t few = c->globals + DIRECT, most = few < TLK_GLOBALS ? few : TLK_GLOBALS;
    const double least = n[2];
    own.sensors = TLK_SHAPE_SENSOR;
    own.limit = INFINITY;
    own.most = CLASSES - 1;
    own.top = fmax(n[1], 0);
    TL_TRY(count_classes(b, own, shapes, least, counts));
    own.limit = sizes->sensor_limit = direct_radius(counts, own.top, most, &c->globals);
    TL_TRY(tl_fold_one(b, TLK_FOLD_size_range, shapes, &own, n));
    if (!(sizes->top > 0)) /* all others are tested directly */
        sizes->top = fmax(n[4], 0);
    own.top = sizes->top;
    own.most = sizes->most;
    const uint32_t coarsest = n[5] > 0 ? tlk_halvings(own.top, n[5], own.most) : TLK_LEVELS;
    c->coarsest = coarsest < c->coarsest ? coarsest : c->coarsest;
    return count_levels(b, &own, shapes, least, c);
}

/* The new rows of shapes that are tested directly, in order. */
static tl_status list_direct(tl_world *w, const tlk_sizes *sizes, uint32_t shapes, tl_collide *c)
{
    tl_backend *b = w->backend;
    const tlk_picking picking = {sizes->direct, w->ordering.range.data, shapes};
    if (!c->globals)
        return TL_OK;
    TL_TRY(b->ops->scan(b, sizes->direct, shapes, NULL));
    tl_run(b, TLK_pick, shapes, &picking);
    return b->ops->download(b, c->global, picking.list, c->globals * sizeof(uint32_t));
}

tl_status tl_world_levels(tl_world *w, uint32_t old, uint32_t shapes, tl_collide *c,
                          double *smallest)
{
    tl_backend *b = w->backend;
    tlk_sizes sizes = {.geom = w->geom.data,
                       .info = w->shape_info.data,
                       .filter = w->filter.data,
                       .to = w->ordering.to.data,
                       .limit = INFINITY,
                       .sensors = TLK_SHAPE_SENSOR,
                       .flat = INFINITY,
                       .frame_of = w->frame_of.data,
                       .frame_local = w->frame_local.data,
                       .most = CLASSES - 1,
                       .level = w->ordering.level.data,
                       .direct = w->ordering.place.data};
    uint32_t counts[CLASSES], planes = 0;
    double n[TLK_FOLD_NUMBERS], sensors[TLK_FOLD_NUMBERS] = {0};
    if (w->sensors)
        TL_TRY(tl_fold_one(b, TLK_FOLD_size_range, old, &sizes, sensors));
    planes = (uint32_t)sensors[0];
    sizes.sensors = 0;
    TL_TRY(tl_fold_one(b, TLK_FOLD_size_range, old, &sizes, n));
    const double least = n[2];
    c->lonely = n[6] + sensors[6] < 2;
    *smallest = n[3] < tl_fold_start('m') ? n[3] : 0;
    c->globals = (uint32_t)n[0];
    sizes.top = n[1] == 0 ? POINTS : fmax(n[1], 0);
    if (c->globals + planes > TLK_GLOBALS - DIRECT)
        return tl_fail(TL_TOO_LARGE, "there are %u planes; the limit is %u", c->globals + planes,
                       TLK_GLOBALS - DIRECT);
    TL_TRY(count_classes(b, sizes, old, least, counts));
    sizes.limit = direct_radius(counts, sizes.top, DIRECT, &c->globals);
    c->globals += planes;
    if (n[5] > 0)
        sizes.flat = FLAT * n[5];
    TL_TRY(tl_fold_one(b, TLK_FOLD_size_range, old, &sizes, n));
    const bool points = n[4] == 0;
    sizes.top = points ? POINTS : top_size(n[4], n[5]);
    sizes.most = points ? 0 : TLK_LEVELS - 1;
    c->coarsest = points ? 0 : n[5] > 0 ? tlk_halvings(sizes.top, n[5], sizes.most) : TLK_LEVELS;
    c->levels = 0;
    memset(c->residents, 0, sizeof c->residents);
    TL_TRY(count_levels(b, &sizes, old, least, c));
    if (w->sensors)
        TL_TRY(add_sensors(b, &sizes, old, sensors, c));
    tl_run(b, TLK_size_level, old, &sizes);
    return list_direct(w, &sizes, shapes, c);
}
