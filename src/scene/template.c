/* Templates: bodies of any shapes that fills and emitters make many copies of. Each copy is placed
 * by the ball around it, with a size and a rotation at random, so that whatever the shapes are,
 * copies do not touch. Called by fill.c, schedule.c and world/schedule.c. */
#include "scene/template.h"

#include "base/turn.h"

#include <math.h>
#include <string.h>

/* The stream of random numbers that rotations come from: other than that of sizes and places. */
enum { ROTATIONS = 2 };

/* ---- Checking ---- */

static tl_status check_hull_size(const tl_place *place, const tl_size_def *size)
{
    if (size->kind == TL_SIZE_EQUAL && size->radius == 1)
        return TL_OK;
    return tl_refuse_text(place, "geometry", "that of a hull or mesh, which has one size",
                          "sizes must all be 1: give hulls and meshes of several sizes as "
                          "several templates");
}

/* A shape of a template; its ball in the template's frame. */
static tl_status take_shape(const tl_template_user *user, const tl_place *place,
                            const tl_size_def *size, tl_shape_def *shape, double ball[4])
{
    tl_shape_rec record;
    double frame[TL_FRAME];
    if (!shape->material.index)
        shape->material = user->material;
    TL_TRY(tl_shape_rec_make(place, TL_DYNAMIC, shape, (uint32_t)user->materials - 1,
                             user->geometries, &record));
    if (shape->kind == TL_POINT || shape->kind == TL_POLYGON)
        return tl_refuse_text(place, "kind", tl_word(TL_WORDS_SHAPE, shape->kind),
                              "templates take no points and no polygons");
    if (shape->kind == TL_HULL || shape->kind == TL_MESH)
        TL_TRY(check_hull_size(place, size));
    tl_shape_frame(&record, user->geometries, frame, ball);
    return TL_OK;
}

/* The ball around balls: that of one, or about the middle of the box around all. */
static void bound(size_t count, const double *balls, double out[4])
{
    memcpy(out, balls, 4 * sizeof *out);
    if (count == 1)
        return;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, balls[4 * i + (size_t)k] - balls[4 * i + 3]);
            high = fmax(high, balls[4 * i + (size_t)k] + balls[4 * i + 3]);
        }
        out[k] = 0.5 * low + 0.5 * high;
    }
    out[3] = 0;
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double d = balls[4 * i + (size_t)k] - out[k];
            square += d * d;
        }
        out[3] = fmax(out[3], sqrt(square) + balls[4 * i + 3]);
    }
}

/* Sizes as radii of the balls around copies. */
static tl_size_def scaled(const tl_size_def *size, double radius)
{
    tl_size_def out = *size;
    out.radius *= radius;
    out.low *= radius;
    out.high *= radius;
    if (size->kind == TL_SIZE_NORMAL)
        out.deviation *= radius;
    return out;
}

static void scale_shape(tl_shape_def *shape, double factor)
{
    shape->radius *= factor;
    shape->half_length *= factor;
    shape->rounding *= factor;
    for (int k = 0; k < 3; k++) {
        shape->position[k] *= factor;
        shape->half_extents[k] *= factor;
    }
}

/* Whether copies of this size have a mass and an inertia. */
static tl_status try_copy(const tl_template_user *user, const tl_place *place, size_t count,
                          const tl_shape_def *shapes, double factor, tl_array *records)
{
    const tl_body_def def = {
        .kind = TL_DYNAMIC, .density = user->density, .shape_count = count, .shapes = shapes};
    tl_body_rec body = {.kind = TL_DYNAMIC};
    TL_TRY(tl_array_resize(records, count));
    for (size_t i = 0; i < count; i++) {
        const tl_place at = {place->name, place->body, i};
        tl_shape_def copy = shapes[i];
        scale_shape(&copy, factor);
        TL_TRY(tl_shape_rec_make(&at, TL_DYNAMIC, &copy, (uint32_t)user->materials - 1,
                                 user->geometries, (tl_shape_rec *)records->data + i));
    }
    return tl_mass_resolve(place, &def, records->data, user->geometries, &body);
}

/* What is used while templates are taken. */
typedef struct scratch {
    tl_array balls, records; /* 4 double, tl_shape_rec: one per shape of a template */
} scratch;

static tl_status take_template(const tl_template_user *user, size_t index, const tl_size_def *size,
                               scratch *s, tl_templates *out)
{
    const tl_template_def *given = &user->templates[index];
    const tl_place place = {user->list, index, TL_NO_INDEX};
    const size_t count = given->shape_count;
    tl_template_rec rec = {
        .weight = given->weight, .first_shape = out->shapes.count, .shape_count = count};
    if (!(given->weight > 0 && isfinite(given->weight)))
        return tl_refuse(&place, "weight", 1, &given->weight, "it must be finite and > 0");
    if (!count || !given->shapes)
        return tl_refuse_text(&place, "shapes", "empty", "a template needs a shape at least");
    if (count > TL_MOST_ITEMS)
        return tl_refuse_large(&place, "shape_count", count, "it must be at most");
    TL_TRY(tl_array_append(&out->shapes, given->shapes, count));
    TL_TRY(tl_array_resize(&s->balls, count));
    tl_shape_def *shapes = (tl_shape_def *)out->shapes.data + rec.first_shape;
    for (size_t i = 0; i < count; i++) {
        const tl_place shape = {place.name, index, i};
        TL_TRY(take_shape(user, &shape, size, &shapes[i], (double *)s->balls.data + 4 * i));
    }
    TL_TRY(try_copy(user, &place, count, shapes, tl_size_smallest(size), &s->records));
    if (tl_size_largest(size) > tl_size_smallest(size))
        TL_TRY(try_copy(user, &place, count, shapes, tl_size_largest(size), &s->records));
    bound(count, s->balls.data, rec.ball);
    rec.size = scaled(size, rec.ball[3]);
    out->weight += given->weight;
    rec.upto = out->weight;
    return tl_array_append(&out->records, &rec, 1);
}

static void init(tl_templates *templates)
{
    *templates = (tl_templates){.records = {.item = sizeof(tl_template_rec)},
                                .shapes = {.item = sizeof(tl_shape_def)}};
}

void tl_templates_free(tl_templates *templates)
{
    tl_array_free(&templates->records);
    tl_array_free(&templates->shapes);
}

tl_status tl_templates_clone(const tl_templates *from, tl_templates *to)
{
    init(to);
    to->weight = from->weight;
    to->size = from->size;
    tl_status status = tl_array_append(&to->records, from->records.data, from->records.count);
    if (status == TL_OK)
        status = tl_array_append(&to->shapes, from->shapes.data, from->shapes.count);
    if (status != TL_OK)
        tl_templates_free(to);
    return status;
}

static tl_status take_all(const tl_template_user *user, scratch *s, tl_templates *out)
{
    const tl_place place = tl_place_of(user->name);
    tl_size_def size = user->size;
    if (!user->templates)
        return tl_refuse_null("templates");
    if (user->count > TL_MOST_ITEMS)
        return tl_refuse_large(&place, "template_count", user->count, "it must be at most");
    if (size.kind == TL_SIZE_EQUAL && size.radius == 0)
        size.radius = 1;
    TL_TRY(tl_size_check(&place, &size));
    for (size_t i = 0; i < user->count; i++)
        TL_TRY(take_template(user, i, &size, s, out));
    const tl_template_rec *records = out->records.data;
    out->size = records[0].size;
    for (size_t i = 1; i < user->count; i++)
        if (tl_size_largest(&records[i].size) > tl_size_largest(&out->size))
            out->size = records[i].size;
    return TL_OK;
}

tl_status tl_templates_make(const tl_template_user *user, tl_templates *out)
{
    scratch s = {.balls = {.item = 4 * sizeof(double)}, .records = {.item = sizeof(tl_shape_rec)}};
    init(out);
    out->size = user->size;
    const tl_status status = user->count ? take_all(user, &s, out) : TL_OK;
    tl_array_free(&s.balls);
    tl_array_free(&s.records);
    if (status != TL_OK)
        tl_templates_free(out);
    return status;
}

/* ---- Copies ---- */

double tl_templates_draw(const tl_templates *templates, tl_random *random, uint32_t *which)
{
    const tl_template_rec *records = templates->records.data;
    *which = 0;
    if (templates->records.count > 1) {
        const double at = tl_random_between(random, 0, templates->weight);
        while (*which + 1 < templates->records.count && at >= records[*which].upto)
            ++*which;
    }
    return tl_size_draw(&records[*which].size, random);
}

/* Evenly over all rotations: a point of the ball in four dimensions, made unit. */
static void draw_rotation(tl_random *random, double q[4])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = tl_random_between(random, -1, 1);
            square += q[k] * q[k];
        }
    } while (square > 1 || square < 1e-4);
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(square);
}

tl_status tl_templates_reserve(const tl_templates *templates, size_t count, const uint32_t *which,
                               tl_array *copies)
{
    const tl_template_rec *records = templates->records.data;
    size_t shapes = 0;
    for (size_t i = 0; i < count; i++)
        shapes += records[which[i]].shape_count;
    copies->count = 0;
    return tl_array_reserve(copies, shapes);
}

void tl_templates_copy(const tl_templates *templates, uint64_t seed, uint64_t number,
                       uint32_t which, const double sphere[4], tl_array *copies, tl_body_def *body)
{
    const tl_template_rec *rec = (const tl_template_rec *)templates->records.data + which;
    const tl_shape_def *shapes = (const tl_shape_def *)templates->shapes.data + rec->first_shape;
    const double factor = sphere[3] / rec->ball[3];
    tl_random random = tl_random_start(seed, number, ROTATIONS);
    double off[3], turned[3];
    body->shape_count = rec->shape_count;
    body->shapes = shapes;
    if (factor != 1) {
        tl_shape_def *scaled_shapes = (tl_shape_def *)copies->data + copies->count;
        for (size_t i = 0; i < rec->shape_count; i++) {
            scaled_shapes[i] = shapes[i];
            scale_shape(&scaled_shapes[i], factor);
        }
        copies->count += rec->shape_count; /* there is room: tl_templates_reserve() */
        body->shapes = scaled_shapes;
    }
    draw_rotation(&random, body->orientation);
    for (int k = 0; k < 3; k++)
        off[k] = factor * rec->ball[k];
    tl_turn_apply(body->orientation, off, turned);
    for (int k = 0; k < 3; k++)
        body->position[k] = sphere[k] - turned[k];
}
