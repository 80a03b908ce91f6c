/* What is near a shape that is none of the world's: boxes first, then the narrow phase, on the
 * backend (kernels/query.h); and the contacts of one body. Called through talus/query.h. */
#include "world/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the shape ------------------------------------------------------------------------------- */

/* Writes a checked shape into the query; `radius`: of its bounding ball. */
static tl_status take_shape(const tl_world *w, const tl_shape_def *def, tlk_query *q,
                            double *radius)
{
    tl_shape_rec rec;
    double ball[4];
    TL_TRY(tl_shape_rec_solid(def, &w->geometries, &rec));
    for (int k = 0; k < 3; k++)
        if (!(fabs(def->position[k]) < TLK_FAR))
            return tl_fail_about(
                TL_BAD_ARGUMENT,
                &(tl_error){.subject = "shape", .index = TL_NO_INDEX, .field = "position"},
                " is (%g, %g, %g); each must be less than 1e12 from 0", def->position[0],
                def->position[1], def->position[2]);
    tl_shape_frame(&rec, &w->geometries, q->frame, ball);
    q->kind = rec.kind;
    *radius = ball[3];
    for (int k = 0; k < 3; k++) {
        double half = 0;
        for (int a = 0; a < 3; a++)
            half += fabs(q->frame[3 + 3 * a + k]) * q->frame[15 + a];
        half = fmin(half, ball[3]) * (1 + 1e-12);
        q->low[k] = ball[k] - half;
        q->high[k] = ball[k] + half;
    }
    return TL_OK;
}

static tl_status check_ignore(const tl_world *w, const char *call, tl_body body, uint32_t *row)
{
    return tl_query_ignore(w, body, row)
               ? TL_OK
               : tl_fail_about(TL_BAD_HANDLE, &(tl_error){.bodies = {body}},
                               "%s: ignore (index %u, generation %u) is no body of this world",
                               call, body.index, body.generation);
}

static tl_status check_reach(const char *call, const char *name, double x, bool endless)
{
    if (x >= 0 && (endless || isfinite(x)))
        return TL_OK;
    return tl_fail(TL_BAD_ARGUMENT, "%s: %s is %g; it must be >= 0%s", call, name, x,
                   endless ? "" : " and finite");
}

/* --- finding --------------------------------------------------------------------------------- */

/* Measures all shapes whose boxes are within the margin: the records come back in `found`, and in
 * `*marked` how many shapes that were. */
static tl_status measure(tl_world *w, tlk_query *q, tl_array *found, uint64_t *marked)
{
    tl_backend *b = w->backend;
    tl_caster *c = &w->caster;
    const size_t mark = w->arena.at; /* the boxes stay */
    *marked = 0;
    found->count = 0;
    TL_TRY(tl_buffer_need(b, &c->near, ((size_t)w->shape_rows + 1) * sizeof(uint32_t)));
    q->near = c->near.data;
    tl_run(b, TLK_near_mark, w->shape_rows, q);
    tl_status status = b->ops->scan(b, q->near, w->shape_rows, marked);
    if (status == TL_OK && *marked) {
        status = tl_buffer_need(b, &c->list, *marked * sizeof(uint32_t));
        if (status == TL_OK)
            status = tl_buffer_need(b, &c->found, *marked * sizeof(tlk_neighbour));
        if (status == TL_OK)
            status = tl_array_resize(found, *marked);
        if (status == TL_OK) {
            const tlk_picking picking = {q->near, c->list.data, w->shape_rows};
            tl_run(b, TLK_pick, w->shape_rows, &picking);
            q->list = c->list.data;
            q->found = c->found.data;
            tl_run(b, TLK_near_measure, (uint32_t)*marked, q);
            status = b->ops->download(b, found->data, q->found, *marked * sizeof(tlk_neighbour));
        }
    }
    tl_arena_release(b, &w->arena, mark);
    return status;
}

static bool is_near(const tlk_neighbour *n, double margin)
{
    return n->met && n->gap <= margin;
}

static int by_handle(const void *a, const void *b)
{
    const tlk_neighbour *x = a, *y = b;
    return x->id != y->id           ? (x->id < y->id ? -1 : 1)
           : x->number != y->number ? (x->number < y->number ? -1 : 1)
                                    : 0;
}

static tl_neighbour give(const tlk_query *q, const tlk_neighbour *n)
{
    tl_neighbour out = {
        .body = {n->id, 1}, .shape = n->number, .triangle = n->triangle, .gap = n->gap};
    for (int k = 0; k < 3; k++) {
        out.normal[k] = n->normal[k];
        out.point[k] = q->frame[k] + n->point[k];
        out.other[k] = q->frame[k] + (n->point[k] + n->gap * n->normal[k]);
    }
    return out;
}

static tl_status list_near(tl_world *w, tlk_query *q, size_t capacity, tl_neighbour *neighbours,
                           size_t *count, tl_array *found)
{
    uint64_t marked;
    TL_TRY(tl_query_boxes(w, q));
    TL_TRY(measure(w, q, found, &marked));
    tlk_neighbour *all = found->data;
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (is_near(&all[i], q->margin))
            all[kept++] = all[i];
    if (kept)
        qsort(all, kept, sizeof *all, by_handle);
    for (size_t i = 0; i < kept && i < capacity; i++)
        neighbours[i] = give(q, &all[i]);
    *count = kept;
    return TL_OK;
}

static tl_status overlaps(tl_world *world, const tl_shape_def *shape, double margin, tl_body ignore,
                          size_t capacity, tl_neighbour *neighbours, size_t *count, tl_array *found)
{
    static const char call[] = "tl_world_overlaps";
    tlk_query q;
    double radius;
    if (!world || !shape)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", call, world ? "shape" : "world");
    TL_TRY(check_reach(call, "margin", margin, false));
    TL_TRY(tl_query_begin(world, &q));
    TL_TRY(check_ignore(world, call, ignore, &q.ignore));
    TL_TRY(take_shape(world, shape, &q, &radius));
    q.margin = margin;
    return list_near(world, &q, capacity, neighbours, count, found);
}

tl_status tl_world_overlaps(tl_world *world, const tl_shape_def *shape, double margin,
                            tl_body ignore, size_t capacity, tl_neighbour *neighbours,
                            size_t *count)
{
    REFUSE_NULL(count);
    *count = 0;
    if (capacity)
        REFUSE_NULL(neighbours);
    tl_array found = {.item = sizeof(tlk_neighbour)};
    const tl_status status =
        overlaps(world, shape, margin, ignore, capacity, neighbours, count, &found);
    tl_array_free(&found);
    if (status != TL_OK && capacity)
        memset(neighbours, 0, capacity * sizeof *neighbours);
    return status;
}

/* Looks farther and farther until something is near, or nothing can be. What has no radius begins
 * with that of the smallest body. */
static tl_status find_nearest(tl_world *w, tlk_query *q, double radius, double most,
                              tl_neighbour *nearest, tl_array *found)
{
    const double begin = radius > 0 ? radius : w->smallest > 0 ? w->smallest : 1;
    TL_TRY(tl_query_boxes(w, q));
    for (q->margin = fmin(begin, most);; q->margin = fmin(4 * q->margin, most)) {
        uint64_t marked;
        const tlk_neighbour *best = NULL;
        TL_TRY(measure(w, q, found, &marked));
        for (size_t i = 0; i < found->count; i++) {
            const tlk_neighbour *n = (const tlk_neighbour *)found->data + i;
            if (is_near(n, q->margin) &&
                (!best || n->gap < best->gap || (n->gap == best->gap && by_handle(n, best) < 0)))
                best = n;
        }
        if (best)
            *nearest = give(q, best);
        if (best || q->margin >= most || !(q->margin < 4 * TLK_FAR))
            return TL_OK;
    }
}

tl_status tl_world_nearest(tl_world *world, const tl_shape_def *shape, double max_distance,
                           tl_body ignore, tl_neighbour *nearest)
{
    tlk_query q;
    double radius;
    REFUSE_NULL(nearest);
    *nearest = (tl_neighbour){.triangle = TL_NO_TRIANGLE};
    REFUSE_NULL(world);
    REFUSE_NULL(shape);
    TL_TRY(check_reach(__func__, "max_distance", max_distance, true));
    TL_TRY(tl_query_begin(world, &q));
    TL_TRY(check_ignore(world, __func__, ignore, &q.ignore));
    TL_TRY(take_shape(world, shape, &q, &radius));
    tl_array found = {.item = sizeof(tlk_neighbour)};
    const tl_status status = find_nearest(world, &q, radius, max_distance, nearest, &found);
    tl_array_free(&found);
    return status;
}

/* --- contacts of one body -------------------------------------------------------------------- */

/* The same contact seen from the other side. */
static tl_contact turned(const tl_contact *c)
{
    tl_contact out = *c;
    out.a = c->b, out.b = c->a;
    out.shape_a = c->shape_b, out.shape_b = c->shape_a;
    for (int k = 0; k < 3; k++) {
        out.normal[k] = -c->normal[k];
        out.impulse[k] = -c->impulse[k];
    }
    return out;
}

/* How many shapes the body of a row has. */
static tl_status count_shapes(const tl_world *w, uint32_t row, uint32_t *count)
{
    tl_array all = {.item = sizeof(uint32_t)};
    *count = 0;
    tl_status status = tl_array_resize(&all, w->shape_rows);
    if (status == TL_OK)
        status = w->backend->ops->download(w->backend, all.data, w->shape_body.data,
                                           w->shape_rows * all.item);
    for (size_t i = 0; status == TL_OK && i < all.count; i++)
        *count += ((const uint32_t *)all.data)[i] == row;
    tl_array_free(&all);
    return status;
}

/* Which contacts are asked for: of `body`, with `other` (no index: any), on `shape`. */
static tl_status check_asked(const tl_world *w, const char *call, tl_body body, uint32_t shape,
                             tl_body other)
{
    uint32_t shapes, row;
    const bool known = tl_query_ignore(w, other, &row) && tl_world_row(w, body) != TLK_NONE;
    if (!known) {
        const bool first = tl_world_row(w, body) == TLK_NONE;
        const tl_body wrong = first ? body : other;
        return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.bodies = {wrong}},
                             "%s: %s (index %u, generation %u) is no body of this world", call,
                             first ? "body" : "other", wrong.index, wrong.generation);
    }
    if (shape == TL_ANY_SHAPE)
        return TL_OK;
    TL_TRY(count_shapes(w, tl_world_row(w, body), &shapes));
    return shape < shapes
               ? TL_OK
               : tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.bodies = {body}},
                               "%s: shape is %u; body %u has %u", call, shape, body.index, shapes);
}

static tl_status list_contacts(const tl_world *w, tl_body body, uint32_t shape, tl_body other,
                               size_t capacity, tl_contact *contacts, size_t *count)
{
    tl_array all = {.item = sizeof(tl_contact)};
    tl_status status = tl_array_resize(&all, tl_world_contact_count(w));
    if (status == TL_OK)
        status = tl_world_read_contacts(w, all.count, all.data);
    for (size_t i = 0; status == TL_OK && i < all.count; i++) {
        tl_contact c = ((const tl_contact *)all.data)[i];
        if (c.a.index != body.index)
            c = turned(&c);
        if (c.a.index != body.index || (shape != TL_ANY_SHAPE && c.shape_a != shape) ||
            (other.index && c.b.index != other.index))
            continue;
        if (*count < capacity)
            contacts[*count] = c;
        ++*count;
    }
    tl_array_free(&all);
    return status;
}

tl_status tl_world_body_contacts(const tl_world *world, tl_body body, uint32_t shape, tl_body other,
                                 size_t capacity, tl_contact *contacts, size_t *count)
{
    REFUSE_NULL(count);
    *count = 0;
    if (capacity)
        REFUSE_NULL(contacts);
    tl_status status = world ? check_asked(world, __func__, body, shape, other)
                             : tl_fail(TL_BAD_ARGUMENT, "%s: world is NULL", __func__);
    if (status == TL_OK)
        status = list_contacts(world, body, shape, other, capacity, contacts, count);
    if (status != TL_OK && capacity)
        memset(contacts, 0, capacity * sizeof *contacts);
    return status;
}
