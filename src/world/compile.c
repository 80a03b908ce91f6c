/* From checked descriptions to rows of an image. */
#include "world/image.h"

#include <math.h>
#include <string.h>

/* Whether a prescribed body may turn. */
static bool turns(const tl_body_list *list, const tl_body_rec *body)
{
    if (!body->motion)
        return false;
    const tl_motion_rec *motion = (const tl_motion_rec *)list->motions.data + body->motion - 1;
    const double *w = motion->def.angular_velocity;
    return motion->def.kind == TL_MOTION_VELOCITY && (w[0] != 0 || w[1] != 0 || w[2] != 0);
}

static tl_status append_shape(tl_image *image, const tl_shape_rec *s, uint32_t row, bool dynamic,
                              bool plain)
{
    double geom[4], patch[TLK_PATCH];
    const double zero[4] = {0, 0, 0, 0};
    tl_shape_patch(s, patch, geom);
    const bool centred = geom[0] == 0 && geom[1] == 0 && geom[2] == 0;
    uint32_t info = s->kind | s->material << TLK_SHAPE_MATERIAL;
    if (!dynamic)
        info |= TLK_SHAPE_FIXED;
    if (plain && (!dynamic || centred))
        info |= TLK_SHAPE_CENTRAL;
    TL_TRY(tl_array_append(&image->shape_body, &row, 1));
    TL_TRY(tl_array_append(&image->shape_info, &info, 1));
    TL_TRY(tl_array_append(&image->geom, geom, 1));
    if (!dynamic)
        TL_TRY(tl_array_append(&image->patch_local, patch, 1));
    return tl_array_append(&image->centre, zero, 1);
}

static tl_status append_body(tl_image *image, const tl_body_list *list, const tl_body_rec *body,
                             uint32_t id)
{
    const bool dynamic = body->kind == TL_DYNAMIC;
    const double *i = body->inertia, *x = body->position, *v = body->velocity;
    const double *w = body->angular_velocity;
    const bool isotropic = i[0] == i[1] && i[1] == i[2];
    const uint32_t row = (uint32_t)image->id.count;
    const uint32_t flags = dynamic && !isotropic ? TLK_BODY_ANISOTROPIC : 0;
    const bool plain = dynamic ? isotropic : !turns(list, body);
    const double pos[4] = {x[0], x[1], x[2], 0}, inertia[4] = {i[0], i[1], i[2], body->mass};
    const double vel[8] = {v[0], v[1], v[2], dynamic ? 1 / body->mass : 0,
                           w[0], w[1], w[2], dynamic && isotropic ? 1 / i[0] : 0};
    TL_TRY(tl_array_append(&image->pos, pos, 1));
    TL_TRY(tl_array_append(&image->quat, body->orientation, 1));
    TL_TRY(tl_array_append(&image->vel, vel, 1));
    TL_TRY(tl_array_append(&image->inertia, inertia, 1));
    TL_TRY(tl_array_append(&image->flags, &flags, 1));
    TL_TRY(tl_array_append(&image->id, &id, 1));
    for (uint32_t s = 0; s < body->shape_count; s++)
        TL_TRY(append_shape(image, (const tl_shape_rec *)list->shapes.data + body->first_shape + s,
                            row, dynamic, plain));
    return TL_OK;
}

tl_status tl_image_append(tl_image *image, const tl_body_list *list, uint32_t first_id)
{
    const tl_body_rec *bodies = list->bodies.data;
    for (size_t i = 0; i < list->bodies.count; i++) {
        const double *x = bodies[i].position;
        if (!(fabs(x[0]) < 1e12 && fabs(x[1]) < 1e12 && fabs(x[2]) < 1e12))
            return tl_fail(TL_BAD_ARGUMENT,
                           "body %u is at (%g, %g, %g); coordinates must be below 1e12 m",
                           first_id + (uint32_t)i, x[0], x[1], x[2]);
        TL_TRY(append_body(image, list, &bodies[i], first_id + (uint32_t)i));
    }
    return TL_OK;
}
