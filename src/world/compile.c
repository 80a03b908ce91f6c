/* From checked descriptions to rows of an image. */
#include "world/image.h"

#include <math.h>
#include <string.h>

/* Whether a prescribed body may turn. */
static bool turns(const tl_body_list *list, const tl_body_rec *body)
{
    return body->motion &&
           tl_motion_turns(&((const tl_motion_rec *)list->motions.data)[body->motion - 1].def);
}

/* Where bodies and shapes go in an image that has room for them. */
typedef struct rows {
    tl_image *image;
    const tl_body_list *list;
    size_t body, shape, frame; /* the next one of each */
} rows;

static void add_shape(rows *r, const tl_shape_rec *s, bool dynamic, bool plain)
{
    tl_image *m = r->image;
    const size_t at = r->shape++;
    double *geom = (double *)m->geom.data + 4 * at;
    if (s->kind == TL_SPHERE) {
        memcpy(geom, s->position, sizeof s->position);
        geom[3] = s->radius;
    } else {
        tl_shape_frame(s, r->list->geometries,
                       (double *)m->frame_local.data + TLK_FRAME * r->frame++, geom);
    }
    const bool centred = geom[0] == 0 && geom[1] == 0 && geom[2] == 0;
    uint32_t info = s->kind | s->material << TLK_SHAPE_MATERIAL;
    if (!dynamic)
        info |= TLK_SHAPE_FIXED;
    if (plain && (!dynamic || (s->kind == TL_SPHERE && centred)))
        info |= TLK_SHAPE_CENTRAL;
    if (s->kind == TL_BOX && s->rounding > 0)
        info |= TLK_SHAPE_ROUNDED;
    if (s->group != 1 || s->mask != UINT32_MAX)
        info |= TLK_SHAPE_GROUPED;
    if (s->sensor)
        info |= TLK_SHAPE_SENSOR;
    const uint32_t filter[2] = {s->group, s->mask};
    memcpy((uint32_t *)m->filter.data + 2 * at, filter, sizeof filter);
    ((uint32_t *)m->shape_body.data)[at] = (uint32_t)r->body;
    ((uint32_t *)m->shape_info.data)[at] = info;
    memset((double *)m->centre.data + 4 * at, 0, 4 * sizeof(double));
}

static void add_body(rows *r, const tl_body_rec *body, uint32_t id)
{
    tl_image *m = r->image;
    const bool dynamic = body->kind == TL_DYNAMIC;
    const double *i = body->inertia, *x = body->position, *v = body->velocity;
    const double *w = body->angular_velocity;
    const bool isotropic = i[0] == i[1] && i[1] == i[2];
    const bool plain = dynamic ? isotropic : !turns(r->list, body);
    const double pos[4] = {x[0], x[1], x[2], 0}, inertia[4] = {i[0], i[1], i[2], body->mass};
    const double vel[8] = {v[0], v[1], v[2], dynamic ? 1 / body->mass : 0,
                           w[0], w[1], w[2], dynamic && isotropic ? 1 / i[0] : 0};
    memcpy((double *)m->pos.data + 4 * r->body, pos, sizeof pos);
    memcpy((double *)m->quat.data + 4 * r->body, body->orientation, sizeof body->orientation);
    memcpy((double *)m->vel.data + 8 * r->body, vel, sizeof vel);
    memcpy((double *)m->inertia.data + 4 * r->body, inertia, sizeof inertia);
    ((uint32_t *)m->flags.data)[r->body] = dynamic && !isotropic ? TLK_BODY_ANISOTROPIC : 0;
    ((uint32_t *)m->id.data)[r->body] = id;
    for (uint32_t s = 0; s < body->shape_count; s++)
        add_shape(r, (const tl_shape_rec *)r->list->shapes.data + body->first_shape + s, dynamic,
                  plain);
    r->body++;
}

static bool within(const double x[3])
{
    return fabs(x[0]) < TLK_FAR && fabs(x[1]) < TLK_FAR && fabs(x[2]) < TLK_FAR;
}

/* Whether a number and, where that is wanted, its inverse can be kept. */
static bool keeps(double x, bool inverse, tl_precision precision)
{
    const double kept = precision == TL_DOUBLE ? x : (double)(float)x;
    const double other = precision == TL_DOUBLE ? 1 / x : (double)(float)(1 / x);
    return isfinite(kept) && (!inverse || (isfinite(other) && other > 0));
}

/* What scenes may describe, but a world of a precision cannot hold. */
static tl_status check_body(const tl_body_list *list, const tl_body_rec *body, uint32_t id,
                            tl_precision precision)
{
    const double *v = body->velocity, *w = body->angular_velocity, *inertia = body->inertia;
    const tl_shape_rec *s = (const tl_shape_rec *)list->shapes.data + body->first_shape;
    const tl_error about = {.bodies = {{id, 1}}};
    for (uint32_t k = 0; k < body->shape_count; k++, s++)
        if (!within(s->position) || !within(s->half_extents) || !within(s->edge_u) ||
            !within(s->edge_v) || !(s->radius < TLK_FAR) || !(s->half_length < TLK_FAR) ||
            !(s->rounding < TLK_FAR))
            return tl_fail_about(
                TL_BAD_ARGUMENT, &about,
                "body %u: shape %u is too far or too large; lengths must be below %g m", id, k,
                TLK_FAR);
    if (body->kind != TL_DYNAMIC)
        return TL_OK;
    if (!within(body->offset))
        return tl_fail_about(
            TL_BAD_ARGUMENT, &about,
            "body %u: its shapes are too far from its origin; lengths must be below %g m", id,
            TLK_FAR);
    for (int k = 0; k < 3; k++)
        if (!keeps(v[k], false, precision) || !keeps(w[k], false, precision))
            return tl_fail_about(
                TL_BAD_ARGUMENT, &about,
                "body %u: velocity (%g, %g, %g) or angular_velocity (%g, %g, %g) is too "
                "large for numbers of this precision",
                id, v[0], v[1], v[2], w[0], w[1], w[2]);
    if (!keeps(body->mass, true, precision) || !keeps(inertia[0], true, precision) ||
        !keeps(inertia[1], true, precision) || !keeps(inertia[2], true, precision))
        return tl_fail_about(
            TL_BAD_ARGUMENT, &about,
            "body %u: mass %g or inertia (%g, %g, %g) is too small or too large for "
            "numbers of this precision",
            id, body->mass, inertia[0], inertia[1], inertia[2]);
    return TL_OK;
}

/* Looks at all bodies before any is added; counts the shapes that are no spheres. */
static tl_status check(const tl_body_list *list, uint32_t first_id, tl_precision precision,
                       size_t *frames)
{
    const tl_body_rec *bodies = list->bodies.data;
    const tl_shape_rec *shapes = list->shapes.data;
    *frames = 0;
    for (size_t i = 0; i < list->bodies.count; i++) {
        const double *x = bodies[i].position;
        if (!within(x))
            return tl_fail_about(TL_BAD_ARGUMENT,
                                 &(tl_error){.bodies = {{first_id + (uint32_t)i, 1}}},
                                 "body %u is at (%g, %g, %g); coordinates must be below %g m",
                                 first_id + (uint32_t)i, x[0], x[1], x[2], TLK_FAR);
        TL_TRY(check_body(list, &bodies[i], first_id + (uint32_t)i, precision));
        for (uint32_t k = 0; k < bodies[i].shape_count; k++)
            *frames += shapes[bodies[i].first_shape + k].kind != TL_SPHERE;
    }
    return TL_OK;
}

/* Dynamic bodies first: in an empty image all rows are where a push wants them. */
tl_status tl_image_append(tl_image *m, const tl_body_list *list, uint32_t first_id,
                          tl_precision precision)
{
    rows r = {m, list, m->id.count, m->shape_body.count, m->frame_local.count};
    const size_t bodies = r.body + list->bodies.count, shapes = r.shape + list->shape_total;
    tl_array *of_bodies[] = {&m->pos, &m->quat, &m->vel, &m->inertia, &m->flags, &m->id};
    tl_array *of_shapes[] = {&m->shape_body, &m->shape_info, &m->filter, &m->geom, &m->centre};
    size_t frames;
    TL_TRY(check(list, first_id, precision, &frames));
    for (size_t i = 0; i < 6; i++)
        TL_TRY(tl_array_resize(of_bodies[i], bodies));
    for (size_t i = 0; i < 5; i++)
        TL_TRY(tl_array_resize(of_shapes[i], shapes));
    TL_TRY(tl_array_resize(&m->frame_local, r.frame + frames));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < list->bodies.count; i++) {
            const tl_body_rec *body = (const tl_body_rec *)list->bodies.data + i;
            if ((body->kind == TL_DYNAMIC) == (pass == 0))
                add_body(&r, body, first_id + (uint32_t)i);
        }
    return TL_OK;
}
