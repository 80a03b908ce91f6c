/* Bodies, shapes and contacts in a new order of rows. Which order: bodies that are near in space
 * become near in memory (src/world/renumber.c), some bodies go and others come (edit.c, push.c).
 * Then everything moves to its new row (rearrange.c), and shapes get the levels of bins that suit
 * those that there are (levels.c). */
#ifndef TL_KERNELS_ORDER_H
#define TL_KERNELS_ORDER_H

#include "kernels/bodies.h"
#include "kernels/narrow.h"

#include <string.h>

/* Spreads the low 10 bits of x to every third bit. */
TL_KERNEL uint32_t tlk_spread(uint32_t x)
{
    x &= 0x3ffu;
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

/* --- an order along a curve --- */

/* One body: its place along the curve. Those that are not dynamic stay where they are. */
TL_KERNEL void tlk_order_key(const tlk_order *o, uint32_t i)
{
    const double *x = o->bodies.pos + 4 * (size_t)i;
    uint32_t cell[3];
    o->value[i] = i;
    if (i >= o->bodies.dynamic)
        return;
    for (int k = 0; k < 3; k++) {
        const double at = (x[k] - o->low[k]) * o->scale;
        cell[k] = at < 0 ? 0 : at > 1023 ? 1023 : (uint32_t)at;
    }
    o->key[i] = tlk_spread(cell[0]) | tlk_spread(cell[1]) << 1 | tlk_spread(cell[2]) << 2;
}

/* --- an order without some, with others --- */

/* Region kinds, as in tl_region_kind. */
enum { TLK_REGION_BOX = 0, TLK_REGION_CYLINDER = 1, TLK_REGION_SPHERE = 2 };

TL_KERNEL bool tlk_region_contains(const tlk_region *r, const double *point)
{
    double d[3];
    if (r->kind == TLK_REGION_BOX) {
        for (int k = 0; k < 3; k++)
            if (!(point[k] >= r->low[k] && point[k] <= r->high[k]))
                return false;
        return true;
    }
    for (int k = 0; k < 3; k++)
        d[k] = point[k] - r->centre[k];
    if (r->kind == TLK_REGION_CYLINDER) {
        const double along = tlk_dotd(d, r->axis) / tlk_dotd(r->axis, r->axis);
        if (!(along >= 0 && along <= 1))
            return false;
        for (int k = 0; k < 3; k++)
            d[k] -= along * r->axis[k];
    }
    return tlk_dotd(d, d) <= r->radius * r->radius;
}

/* One body that is named: it goes. */
TL_KERNEL void tlk_edit_named(const tlk_edit *e, uint32_t i)
{
    e->gone[e->named[i]] = 1;
}

/* One dynamic body: it goes if it is on the wrong side of the region's surface. */
TL_KERNEL void tlk_edit_region(const tlk_edit *e, uint32_t i)
{
    if (tlk_region_contains(&e->region, e->bodies.pos + 4 * (size_t)i) == (e->inside != 0))
        e->gone[i] = 1;
}

/* One body: how many go. */
TL_KERNEL void tlk_edit_gone(const tlk_edit *e, uint32_t i, double *numbers)
{
    numbers[0] += e->gone[i];
}

/* One body, appended ones included: whether it stays, and among which. */
TL_KERNEL void tlk_edit_keep(const tlk_edit *e, uint32_t i)
{
    const bool old = i < e->bodies.rows, stays = !old || !e->gone || !e->gone[i];
    const bool dynamic = old ? i < e->bodies.dynamic : e->bodies.inertia[4 * (size_t)i + 3] > 0;
    e->keep[i] = stays && dynamic;
    e->keep[e->all + i] = stays && !dynamic;
}

/* One item: its place in the list, if it was chosen. */
TL_KERNEL void tlk_pick(const tlk_picking *p, uint32_t i)
{
    if (p->place[i + 1] > p->place[i])
        p->list[p->place[i]] = i < p->rows ? i : i - p->rows;
}

/* --- what is near a box --- */

/* The centre of a shape's bounding ball in the world frame. */
TL_KERNEL void tlk_centre_now(const tlk_edit *e, uint32_t s, double *centre)
{
    const size_t body = e->shapes.body[s];
    tlk_rotate(e->bodies.quat + 4 * body, e->shapes.geom + 4 * (size_t)s, centre);
    for (int k = 0; k < 3; k++)
        centre[k] += e->bodies.pos[4 * body + k];
}

/* One shape: whether its bounding ball meets the box. */
TL_KERNEL void tlk_edit_near(const tlk_edit *e, uint32_t s)
{
    const double r = e->shapes.geom[4 * (size_t)s + 3];
    double x[3], square = 0;
    tlk_centre_now(e, s, x);
    for (int k = 0; k < 3; k++) {
        const double out = tlk_max(e->low[k] - x[k], x[k] - e->high[k]);
        square += out > 0 ? out * out : 0;
    }
    const bool plane = (e->shapes.info[s] & TLK_SHAPE_KIND) == TLK_PLANE;
    const bool sensor = e->shapes.info[s] & TLK_SHAPE_SENSOR; /* stands in nobody's way */
    e->near[s] = !sensor && !e->gone[e->shapes.body[s]] && (plane || square <= r * r);
}

/* One shape: whether it is of a grain that is farther behind a plane than the length. */
TL_KERNEL void tlk_edit_behind(const tlk_edit *e, uint32_t s)
{
    const uint32_t body = e->shapes.body[s];
    const double *x = e->bodies.pos + 4 * (size_t)body;
    const double d[3] = {x[0] - e->low[0], x[1] - e->low[1], x[2] - e->low[2]};
    e->near[s] = body < e->bodies.dynamic && !e->gone[body] &&
                 e->bodies.id[body] - e->first < e->count && tlk_dotd(d, e->high) < -e->length;
}

/* One of those: its ball, its body's place and mass, kinetic energy and handle. */
TL_KERNEL void tlk_edit_mover(const tlk_edit *e, uint32_t i)
{
    const uint32_t s = e->list[i], body = e->shapes.body[s];
    tlk_centre_now(e, s, e->ball + 4 * (size_t)i);
    e->ball[4 * (size_t)i + 3] = e->shapes.geom[4 * (size_t)s + 3];
    for (int k = 0; k < 3; k++)
        e->pos[4 * (size_t)i + k] = e->bodies.pos[4 * (size_t)body + k];
    e->pos[4 * (size_t)i + 3] = e->bodies.inertia[4 * (size_t)body + 3];
    e->geom[i] = tlk_kinetic(&e->bodies, body);
    e->info[i] = e->bodies.id[body];
}

/* One of the shapes in the list: a copy of what is known of it. */
TL_KERNEL void tlk_edit_copy(const tlk_edit *e, uint32_t i)
{
    const uint32_t s = e->list[i];
    if (i < e->balls) {
        tlk_centre_now(e, s, e->ball + 4 * (size_t)i);
        e->ball[4 * (size_t)i + 3] = e->shapes.geom[4 * (size_t)s + 3];
        return;
    }
    const size_t body = e->shapes.body[s], at = i - e->balls;
    const uint32_t frame = e->shapes.frame_of[s];
    for (int k = 0; k < 4; k++) {
        e->pos[4 * at + k] = e->bodies.pos[4 * body + k];
        e->quat[4 * at + k] = e->bodies.quat[4 * body + k];
        e->geom[4 * at + k] = e->shapes.geom[4 * (size_t)s + k];
    }
    for (uint32_t k = 0; k < TLK_FRAME; k++)
        e->frame[TLK_FRAME * at + k] =
            frame == TLK_NONE ? 0 : e->shapes.frame_local[TLK_FRAME * (size_t)frame + k];
    e->info[at] = e->shapes.info[s];
}

/* --- levels of bins --- */

/* How many halvings lead from the radius `top` to the class of r, at most `most`. */
TL_KERNEL uint32_t tlk_halvings(double top, double r, uint32_t most)
{
    const double ratio = top / r;
    uint64_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    const uint32_t exponent = (uint32_t)(bits >> 52) & 0x7ffu; /* the sign is + */
    const uint32_t k = exponent < 1023 ? 0 : exponent - 1023;
    return k > most ? most : k;
}

/* Whether a fold over sizes looks at a shape. */
TL_KERNEL bool tlk_is_sized(const tlk_sizes *z, uint32_t s)
{
    return z->to[s] != TLK_NONE && (z->info[s] & TLK_SHAPE_SENSOR) == z->sensors;
}

TL_KERNEL bool tlk_is_plane(const tlk_sizes *z, uint32_t s)
{
    return (z->info[s] & TLK_SHAPE_KIND) == TLK_PLANE;
}

/* The radius that a shape's level is chosen by. Of a wall that is thin a ball is a poor bound, so
 * it is entered in all of the smaller bins that its box touches; in some 16 of them on an axis, as
 * bins are about four times as wide as this size. */
TL_KERNEL double tlk_level_size(const tlk_sizes *z, uint32_t s)
{
    const double r = z->geom[4 * (size_t)s + 3];
    const uint32_t info = z->info[s];
    if (!(info & TLK_SHAPE_FIXED) || (info & TLK_SHAPE_KIND) == TLK_SPHERE || r <= z->flat)
        return r;
    const double *half = z->frame_local + TLK_FRAME * (size_t)z->frame_of[s] + 15;
    const double thin = (info & TLK_SHAPE_KIND) == TLK_PARALLELOGRAM
                            ? 0
                            : tlk_min(half[0], tlk_min(half[1], half[2]));
    return thin < 0.25 * r ? tlk_max(z->flat, r / 32) : r;
}

/* One shape: how many planes there are; of the others the largest and the smallest radius, the
 * smallest of dynamic bodies, and up to the limit the largest of all and of dynamic bodies; and how
 * many may touch others, as they have a group and a mask. */
TL_KERNEL void tlk_size_range(const tlk_sizes *z, uint32_t s, double *numbers)
{
    const double r = z->geom[4 * (size_t)s + 3];
    if (!tlk_is_sized(z, s))
        return;
    numbers[6] += z->filter[2 * (size_t)s] && z->filter[2 * (size_t)s + 1] ? 1 : 0;
    if (tlk_is_plane(z, s)) {
        numbers[0] += 1;
        return;
    }
    numbers[1] = tlk_max(numbers[1], r);
    numbers[2] = tlk_min(numbers[2], r);
    const bool dynamic = !(z->info[s] & TLK_SHAPE_FIXED);
    if (dynamic)
        numbers[3] = tlk_min(numbers[3], r);
    if (r <= z->limit)
        numbers[4] = tlk_max(numbers[4], tlk_level_size(z, s));
    if (dynamic && r <= z->limit)
        numbers[5] = tlk_max(numbers[5], r);
}

/* One shape: how many of those up to the limit are in each of eight classes of size. */
TL_KERNEL void tlk_size_counts(const tlk_sizes *z, uint32_t s, double *numbers)
{
    const double r = z->geom[4 * (size_t)s + 3];
    if (!tlk_is_sized(z, s) || tlk_is_plane(z, s) || r > z->limit)
        return;
    const uint32_t size = tlk_halvings(z->top, tlk_level_size(z, s), z->most) - z->base;
    for (uint32_t k = 0; k < 8; k++)
        numbers[k] += size == k;
}

/* One shape: its level. */
TL_KERNEL void tlk_size_level(const tlk_sizes *z, uint32_t s)
{
    const double r = z->geom[4 * (size_t)s + 3];
    const double limit = z->info[s] & TLK_SHAPE_SENSOR ? z->sensor_limit : z->limit;
    const bool direct = tlk_is_plane(z, s) || r > limit;
    if (z->to[s] == TLK_NONE)
        return;
    z->level[s] =
        (uint8_t)(direct ? TLK_LEVELS : tlk_halvings(z->top, tlk_level_size(z, s), z->most));
    z->direct[z->to[s]] = direct;
}

/* --- moving to new rows --- */

/* One new body row: how many shapes its body has. */
TL_KERNEL void tlk_order_count(const tlk_order *o, uint32_t i)
{
    const uint32_t old = o->order[i];
    o->first[i] = o->shape_end[old] - o->shape_begin[old];
}

/* One new body row: where its shapes come from and go to (`first` is scanned by then). */
TL_KERNEL void tlk_order_shapes(const tlk_order *o, uint32_t i)
{
    const uint32_t from = o->shape_begin[o->order[i]], end = o->shape_end[o->order[i]];
    for (uint32_t s = from; s < end; s++) {
        const uint32_t to = o->first[i] + s - from;
        o->shape_from[to] = s;
        o->shape_to[s] = to;
        o->shape_body[to] = i;
    }
}

/* One new shape: whether it has a frame. */
TL_KERNEL void tlk_order_frame(const tlk_order *o, uint32_t i)
{
    o->frame_rank[i] = o->frame_of[o->shape_from[i]] != TLK_NONE;
}

/* One new shape: its frame, and where that comes from. */
TL_KERNEL void tlk_order_frame_from(const tlk_order *o, uint32_t i)
{
    const uint32_t old = o->frame_of[o->shape_from[i]], rank = o->frame_rank[i];
    o->frame_out[i] = old == TLK_NONE ? TLK_NONE : rank;
    if (old != TLK_NONE)
        o->frame_from[rank] = old;
}

/* One new row of an array: the old one's words. */
TL_KERNEL void tlk_order_rows(const tlk_gathering *g, uint32_t i)
{
    const uint32_t *from = g->from + (size_t)g->words * g->order[i];
    uint32_t *to = g->to + (size_t)g->words * i;
    for (uint32_t k = 0; k < g->words; k++)
        to[k] = from[k];
}

/* The same for rows of one byte. */
TL_KERNEL void tlk_order_bytes(const tlk_gathering *g, uint32_t i)
{
    ((uint8_t *)g->to)[i] = ((const uint8_t *)g->from)[g->order[i]];
}

/* Whether the owner of old contact k is its a, among new rows. */
TL_KERNEL bool tlk_keeps_owner(const tlk_order *o, uint32_t k)
{
    const uint32_t a = o->a[k], b = o->b[k];
    return TLK_OWNS(o->level[a], o->level[b], o->shape_to[a], o->shape_to[b]);
}

/* One old contact: its new owner, to sort by; those that go come last. */
TL_KERNEL void tlk_order_owner(const tlk_order *o, uint32_t k)
{
    const uint32_t a = o->shape_to[o->a[k]], b = o->shape_to[o->b[k]];
    o->key[k] = a == TLK_NONE || b == TLK_NONE ? o->shapes : tlk_keeps_owner(o, k) ? a : b;
    o->value[k] = k;
}

/* One new place: the contact that comes there. */
TL_KERNEL void tlk_order_contact(const tlk_order *o, uint32_t p)
{
    const uint32_t k = o->value[p];
    const bool same = tlk_keeps_owner(o, k);
    const real sign = same ? (real)1 : (real)-1;
    const real *n = o->n + 4 * (size_t)k, *gamma = o->gamma + 4 * (size_t)k;
    real *n_out = o->n_out + 4 * (size_t)p, *gamma_out = o->gamma_out + 4 * (size_t)p;
    const uint32_t a = same ? o->a[k] : o->b[k], b = same ? o->b[k] : o->a[k];
    o->a_out[p] = o->shape_to[a];
    o->b_out[p] = o->shape_to[b];
    o->colour_out[p] = o->colour[k];
    if (o->place) {
        const real *place = o->place + 4 * (size_t)k;
        real *to = o->place_out + 4 * (size_t)p;
        for (int c = 0; c < 3; c++) /* from the ball of the new owner to its surface */
            to[c] = same ? place[c]
                         : (real)((double)place[c] + (double)n[3] * n[c] +
                                  o->centre[4 * (size_t)b + c] - o->centre[4 * (size_t)a + c]);
        to[3] = 0;
        o->feature_out[2 * (size_t)p] = o->feature[2 * (size_t)k];
        o->feature_out[2 * (size_t)p + 1] = o->feature[2 * (size_t)k + 1];
        for (uint32_t c = 0; c < TLK_KEPT; c++) /* with another owner its manifold is made anew */
            o->kept_out[TLK_KEPT * (size_t)p + c] =
                same ? o->kept[TLK_KEPT * (size_t)k + c] : (real)0;
    }
    for (int c = 0; c < 3; c++) {
        n_out[c] = sign * n[c];
        gamma_out[c] = sign * gamma[c];
    }
    n_out[3] = n[3];
    gamma_out[3] = gamma[3];
    for (int c = 0; c < 4 && o->moment; c++)
        o->moment_out[4 * (size_t)p + c] = sign * o->moment[4 * (size_t)k + c];
    for (uint32_t c = 0; c < TLK_CONTACT_PAST && o->past; c++) /* forces turn round, sizes do not */
        o->past_out[TLK_CONTACT_PAST * (size_t)p + c] =
            (c % 4 == 3 ? 1 : sign) * o->past[TLK_CONTACT_PAST * (size_t)k + c];
}

/* One shape: how many contacts it owns now. */
TL_KERNEL void tlk_order_list(const tlk_order *o, uint32_t s)
{
    o->start[s] = o->list_end[s] - o->list_begin[s];
}

#endif
