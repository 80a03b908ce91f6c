/* Rays: checked, cast on the backend (kernels/query.h), and what they hit. Many rays go through a
 * tree of boxes around the shapes, made on the host and kept until bodies move. Called through
 * talus/query.h. */
#include "world/query.h"

#include <math.h>
#include <string.h>

#include "base/boxes.h"

enum {
    RAYS_ALONE = 4,        /* up to so many look at all shapes rather than wait for a tree */
    RAYS_AT_ONCE = 1 << 20 /* memory for more is not asked for */
};

tl_ray tl_ray_default(void)
{
    return (tl_ray){.direction = {0, 0, -1}, .max_distance = INFINITY};
}

tl_status tl_query_begin(tl_world *w, tlk_query *q)
{
    *q = (tlk_query){
        .bodies = tl_world_bodies_view(w), .shapes = tl_world_shapes_view(w), .ignore = TLK_NONE};
    return tl_arena_clear(w->backend, &w->arena, 0);
}

tl_status tl_query_boxes(tl_world *w, tlk_query *q)
{
    TL_TRY(tl_buffer_need(w->backend, &w->caster.box, 6 * (size_t)w->shape_rows * sizeof(double)));
    q->box = w->caster.box.data;
    tl_run(w->backend, TLK_shape_box, w->shape_rows, q);
    return TL_OK;
}

bool tl_query_ignore(const tl_world *w, tl_body body, uint32_t *row)
{
    *row = TLK_NONE;
    if (!body.index && !body.generation)
        return true;
    *row = tl_world_row(w, body);
    return *row != TLK_NONE;
}

/* --- the tree -------------------------------------------------------------------------------- */

/* What the tree is made of, on the host. */
typedef struct plan {
    tl_array box;            /* double, 6 a shape */
    tl_array items;          /* tl_boxes_item */
    tl_array order, endless; /* uint32_t: shapes by item; those without an end */
    tl_array nodes;          /* uint32_t, 6 a node */
    double middle[3];
} plan;

static void free_plan(plan *p)
{
    tl_array *arrays[] = {&p->box, &p->items, &p->order, &p->endless, &p->nodes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
}

/* Parts shapes into items and those that have no end, and finds the middle of the former. */
static void list_items(plan *p, size_t shapes)
{
    const double *box = p->box.data;
    tl_boxes_item *items = p->items.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    p->items.count = p->endless.count = 0;
    for (size_t i = 0; i < shapes; i++) {
        if (!isfinite(box[6 * i])) {
            ((uint32_t *)p->endless.data)[p->endless.count++] = (uint32_t)i;
            continue;
        }
        items[p->items.count++].index = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], box[6 * i + k]);
            high[k] = fmax(high[k], box[6 * i + 3 + k]);
        }
    }
    for (int k = 0; k < 3; k++)
        p->middle[k] = p->items.count ? 0.5 * low[k] + 0.5 * high[k] : 0;
    for (size_t i = 0; i < p->items.count; i++)
        for (int k = 0; k < 3; k++) {
            const double *b = box + 6 * (size_t)items[i].index + k;
            items[i].middle[k] = (float)(0.5 * b[0] + 0.5 * b[3] - p->middle[k]);
        }
}

/* The boxes of leaves, then those above. */
static void fill_nodes(plan *p, size_t leaves)
{
    const uint32_t *order = p->order.data;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const size_t first = TL_BOXES_LEAF * leaf;
        const size_t left = p->order.count - first,
                     count = left < TL_BOXES_LEAF ? left : TL_BOXES_LEAF;
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = first; i < first + count; i++)
            for (int k = 0; k < 3; k++) {
                const double *b = (const double *)p->box.data + 6 * (size_t)order[i] + k;
                low[k] = fmin(low[k], b[0] - p->middle[k]);
                high[k] = fmax(high[k], b[3] - p->middle[k]);
            }
        tl_boxes_put(low, high, (uint32_t *)p->nodes.data + 6 * leaf);
    }
    tl_boxes_join(p->nodes.data, leaves);
}

static tl_status make_plan(tl_world *w, tlk_query *q, plan *p)
{
    const size_t shapes = w->shape_rows;
    TL_TRY(tl_query_boxes(w, q));
    TL_TRY(tl_array_resize(&p->box, 6 * shapes));
    TL_TRY(tl_array_resize(&p->items, shapes));
    TL_TRY(tl_array_resize(&p->endless, shapes));
    TL_TRY(w->backend->ops->download(w->backend, p->box.data, q->box, 6 * shapes * sizeof(double)));
    list_items(p, shapes);
    tl_boxes_order(p->items.data, p->items.count);
    TL_TRY(tl_array_resize(&p->order, p->items.count));
    for (size_t i = 0; i < p->items.count; i++)
        ((uint32_t *)p->order.data)[i] = ((const tl_boxes_item *)p->items.data)[i].index;
    const tl_boxes_size size = tl_boxes_measure(p->items.count);
    TL_TRY(tl_array_resize(&p->nodes, 6 * size.nodes));
    fill_nodes(p, size.leaves);
    return TL_OK;
}

static tl_status send(tl_world *w, tl_buffer *to, const tl_array *from)
{
    const size_t bytes = from->count * from->item;
    TL_TRY(tl_buffer_need(w->backend, to, bytes ? bytes : 1)); /* never without a place */
    if (bytes)
        w->backend->ops->upload(w->backend, to->data, from->data, bytes);
    return TL_OK;
}

/* Makes the tree unless it is that of the present state. */
static tl_status make_tree(tl_world *w, tlk_query *q)
{
    tl_caster *c = &w->caster;
    if (c->current)
        return TL_OK;
    plan p = {.box = {.item = sizeof(double)},
              .items = {.item = sizeof(tl_boxes_item)},
              .order = {.item = sizeof(uint32_t)},
              .endless = {.item = sizeof(uint32_t)},
              .nodes = {.item = sizeof(uint32_t)}};
    c->current = false;
    tl_status status = make_plan(w, q, &p);
    if (status == TL_OK)
        status = send(w, &c->node, &p.nodes);
    if (status == TL_OK)
        status = send(w, &c->order, &p.order);
    if (status == TL_OK)
        status = send(w, &c->endless, &p.endless);
    if (status == TL_OK) {
        const tl_boxes_size size = tl_boxes_measure(p.items.count);
        c->items = (uint32_t)p.items.count;
        c->leaves = (uint32_t)size.leaves;
        c->root = size.root;
        c->planes = (uint32_t)p.endless.count;
        memcpy(c->middle, p.middle, sizeof c->middle);
        c->current = true;
    }
    free_plan(&p);
    return status;
}

static void show_tree(const tl_caster *c, tlk_query *q)
{
    q->node = c->node.data;
    q->order = c->order.data;
    q->endless = c->endless.data;
    q->items = c->items;
    q->leaves = c->leaves;
    q->root = c->root;
    q->planes = c->planes;
    memcpy(q->middle, c->middle, sizeof q->middle);
}

/* --- rays ------------------------------------------------------------------------------------ */

static tl_status refuse(size_t i, const char *field, const double *x, int count, const char *rule)
{
    const tl_error about = {.subject = "rays", .index = i, .field = field};
    return count == 3 ? tl_fail_about(TL_BAD_ARGUMENT, &about, " is (%g, %g, %g); %s", x[0], x[1],
                                      x[2], rule)
                      : tl_fail_about(TL_BAD_ARGUMENT, &about, " is %g; %s", x[0], rule);
}

bool tl_ray_unit(const double direction[3], double unit[3])
{
    const double most = fmax(fabs(direction[0]), fmax(fabs(direction[1]), fabs(direction[2])));
    if (!isfinite(direction[0] + direction[1] + direction[2]) || !(most > 0))
        return false;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        unit[k] = direction[k] / most;
        square += unit[k] * unit[k];
    }
    for (int k = 0; k < 3; k++)
        unit[k] /= sqrt(square);
    return true;
}

/* A ray as kernels want it. */
static tl_status take_ray(const tl_world *w, size_t i, const tl_ray *ray, tlk_ray *out)
{
    *out = (tlk_ray){.limit = ray->max_distance, .hollow = ray->hollow};
    for (int k = 0; k < 3; k++)
        if (!(fabs(ray->origin[k]) < TLK_FAR))
            return refuse(i, "origin", ray->origin, 3, "each must be less than 1e12 from 0");
    memcpy(out->origin, ray->origin, sizeof out->origin);
    if (!tl_ray_unit(ray->direction, out->direction))
        return refuse(i, "direction", ray->direction, 3, "it must be finite and not 0");
    if (!(ray->max_distance >= 0))
        return refuse(i, "max_distance", &ray->max_distance, 1, "it must be >= 0");
    if (!tl_query_ignore(w, ray->ignore, &out->ignore))
        return tl_fail_about(
            TL_BAD_HANDLE,
            &(tl_error){.subject = "rays", .index = i, .field = "ignore", .bodies = {ray->ignore}},
            " (index %u, generation %u) is no body of this world", ray->ignore.index,
            ray->ignore.generation);
    return TL_OK;
}

static tl_ray_hit give_hit(const tlk_ray *ray, const tlk_ray_hit *hit)
{
    tl_ray_hit out = {.triangle = TL_NO_TRIANGLE, .distance = ray->limit};
    if (hit->row == TLK_NONE)
        return out;
    out.body = (tl_body){hit->id, 1};
    out.shape = hit->number;
    out.triangle = hit->triangle;
    out.distance = hit->distance;
    out.inside = hit->inside != 0;
    for (int k = 0; k < 3; k++) {
        out.point[k] = ray->origin[k] + hit->distance * ray->direction[k];
        out.normal[k] = hit->normal[k];
    }
    return out;
}

/* Some of the rays: `ray` and `hit` have room for them on the host. */
static tl_status cast_some(tl_world *w, tlk_query *q, size_t count, tlk_ray *ray, tlk_ray_hit *hit,
                           tl_ray_hit *hits)
{
    tl_backend *b = w->backend;
    q->ray = w->caster.ray.data;
    q->hit = w->caster.hit.data;
    b->ops->upload(b, w->caster.ray.data, ray, count * sizeof *ray);
    tl_run(b, TLK_cast_ray, (uint32_t)count, q);
    TL_TRY(b->ops->download(b, hit, w->caster.hit.data, count * sizeof *hit));
    for (size_t i = 0; i < count; i++)
        hits[i] = give_hit(&ray[i], &hit[i]);
    return TL_OK;
}

/* `ray` and `hit` have room for `most`. */
static tl_status cast_all(tl_world *w, size_t count, size_t most, const tl_ray *rays, tlk_ray *ray,
                          tlk_ray_hit *hit, tl_ray_hit *hits)
{
    tl_caster *c = &w->caster;
    tlk_query q;
    TL_TRY(tl_query_begin(w, &q));
    if (w->shape_rows && (count > RAYS_ALONE || c->current)) {
        TL_TRY(make_tree(w, &q));
        show_tree(c, &q);
    }
    TL_TRY(tl_buffer_need(w->backend, &c->ray, most * sizeof(tlk_ray)));
    TL_TRY(tl_buffer_need(w->backend, &c->hit, most * sizeof(tlk_ray_hit)));
    for (size_t first = 0; first < count; first += most) {
        const size_t here = count - first < most ? count - first : most;
        for (size_t i = 0; i < here; i++)
            TL_TRY(take_ray(w, first + i, &rays[first + i], &ray[i]));
        TL_TRY(cast_some(w, &q, here, ray, hit, hits + first));
    }
    return TL_OK;
}

tl_status tl_world_cast_rays(tl_world *world, size_t count, const tl_ray *rays, tl_ray_hit *hits)
{
    if (!count)
        return TL_OK;
    REFUSE_NULL(hits);
    memset(hits, 0, count * sizeof *hits);
    REFUSE_NULL(world);
    REFUSE_NULL(rays);
    const size_t most = count < RAYS_AT_ONCE ? count : RAYS_AT_ONCE;
    const size_t bytes = most * sizeof(tlk_ray), room = most * sizeof(tlk_ray_hit);
    tlk_ray *ray = tl_alloc(bytes);
    tlk_ray_hit *hit = ray ? tl_alloc(room) : NULL;
    const tl_status status =
        hit ? cast_all(world, count, most, rays, ray, hit, hits) : TL_NO_MEMORY;
    tl_free(ray, bytes);
    tl_free(hit, room);
    if (status < 0)
        memset(hits, 0, count * sizeof *hits);
    return status;
}
