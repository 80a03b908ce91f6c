/* Templates: bodies of any shapes that fills make many copies of. Each copy is placed by the ball
 * around it, with a size and a rotation at random, so that whatever the shapes are, copies do not
 * touch. Called by fill.c. */
#include "scene/fill.h"

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
    return tl_refuse_text(place, "geometry", "that of a hull, which has one size",
                          "the sizes of the fill must all be 1: give hulls of several sizes as "
                          "several templates");
}

/* A shape of a template; its ball in the template's frame. */
static tl_status take_shape(const tl_scene *scene, const tl_place *place, const tl_fill_def *def,
                            const tl_size_def *size, tl_shape_def *shape, double ball[4])
{
    tl_shape_rec record;
    double frame[TL_FRAME];
    if (!shape->material.index)
        shape->material = def->material;
    TL_TRY(tl_shape_rec_make(place, TL_DYNAMIC, shape, (uint32_t)scene->materials.count - 1,
                             &scene->geometries, &record));
    if (shape->kind == TL_HULL)
        TL_TRY(check_hull_size(place, size));
    tl_shape_frame(&record, &scene->geometries, frame, ball);
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

static tl_status take_template(const tl_scene *scene, const tl_fill_def *def, size_t index,
                               const tl_size_def *size, tl_templates *out)
{
    const tl_template_def *given = &def->templates[index];
    const tl_place place = {"fill.templates", index, TL_NO_INDEX};
    tl_template_rec *rec = (tl_template_rec *)out->records.data + index;
    if (!(given->weight > 0 && isfinite(given->weight)))
        return tl_refuse(&place, "weight", 1, &given->weight, "it must be finite and > 0");
    if (!given->shape_count || !given->shapes)
        return tl_refuse_text(&place, "shapes", "empty", "a template needs a shape at least");
    rec->first_shape = out->shapes.count;
    rec->shape_count = given->shape_count;
    TL_TRY(tl_array_append(&out->shapes, given->shapes, given->shape_count));
    TL_TRY(tl_array_resize(&out->balls, 4 * given->shape_count));
    tl_shape_def *shapes = (tl_shape_def *)out->shapes.data + rec->first_shape;
    for (size_t i = 0; i < given->shape_count; i++) {
        const tl_place shape = {place.name, index, i};
        TL_TRY(take_shape(scene, &shape, def, size, &shapes[i], (double *)out->balls.data + 4 * i));
    }
    bound(given->shape_count, out->balls.data, rec->ball);
    rec->size = scaled(size, rec->ball[3]);
    out->weight += given->weight;
    rec->upto = out->weight;
    return TL_OK;
}

void tl_templates_free(tl_templates *templates)
{
    tl_array_free(&templates->records);
    tl_array_free(&templates->shapes);
    tl_array_free(&templates->balls);
    tl_array_free(&templates->copies);
}

tl_status tl_templates_make(const tl_scene *scene, tl_fill_def *def, tl_templates *out)
{
    const tl_place place = tl_place_of("fill");
    tl_size_def size = def->size;
    *out = (tl_templates){.records = {.item = sizeof(tl_template_rec)},
                          .shapes = {.item = sizeof(tl_shape_def)},
                          .balls = {.item = sizeof(double)},
                          .copies = {.item = sizeof(tl_shape_def)}};
    if (!def->template_count)
        return TL_OK;
    if (!def->templates)
        return tl_refuse_null("templates");
    if (def->pattern == TL_FILL_CLOSE && def->template_count > 1) {
        const double count = (double)def->template_count;
        return tl_refuse(&place, "template_count", 1, &count,
                         "it must be at most 1 with TL_FILL_CLOSE");
    }
    if (size.kind == TL_SIZE_EQUAL && size.radius == 0)
        size.radius = 1;
    TL_TRY(tl_size_check(&place, &size));
    TL_TRY(tl_array_resize(&out->records, def->template_count));
    for (size_t i = 0; i < def->template_count; i++)
        TL_TRY(take_template(scene, def, i, &size, out));
    const tl_template_rec *records = out->records.data;
    def->size = records[0].size;
    for (size_t i = 1; i < def->template_count; i++)
        if (tl_size_largest(&records[i].size) > tl_size_largest(&def->size))
            def->size = records[i].size;
    return TL_OK;
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

tl_status tl_templates_reserve(tl_templates *templates, size_t count, const uint32_t *which)
{
    const tl_template_rec *records = templates->records.data;
    size_t shapes = 0;
    for (size_t i = 0; i < count; i++)
        shapes += records[which[i]].shape_count;
    templates->copies.count = 0;
    return tl_array_reserve(&templates->copies, shapes);
}

void tl_templates_copy(tl_templates *templates, uint64_t seed, uint64_t number, uint32_t which,
                       const double sphere[4], tl_body_def *body)
{
    const tl_template_rec *rec = (const tl_template_rec *)templates->records.data + which;
    const tl_shape_def *shapes = (const tl_shape_def *)templates->shapes.data + rec->first_shape;
    const double factor = sphere[3] / rec->ball[3];
    tl_random random = tl_random_start(seed, number, ROTATIONS);
    double off[3], turned[3];
    body->shape_count = rec->shape_count;
    body->shapes = shapes;
    if (factor != 1) {
        tl_shape_def *copies = (tl_shape_def *)templates->copies.data + templates->copies.count;
        for (size_t i = 0; i < rec->shape_count; i++) {
            copies[i] = shapes[i];
            scale_shape(&copies[i], factor);
        }
        templates->copies.count += rec->shape_count; /* there is room: tl_templates_reserve() */
        body->shapes = copies;
    }
    draw_rotation(&random, body->orientation);
    for (int k = 0; k < 3; k++)
        off[k] = factor * rec->ball[k];
    tl_turn_apply(body->orientation, off, turned);
    for (int k = 0; k < 3; k++)
        body->position[k] = sphere[k] - turned[k];
}
