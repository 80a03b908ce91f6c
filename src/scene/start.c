/* Starting bodies of a scene as they were in another run. Called by io/parse_start.c. */
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/turn.h"
#include "scene/check.h"

static tl_body_rec *record_of(const tl_scene *scene, tl_body body)
{
    const size_t count = scene->list.bodies.count;
    if (body.generation != 1 || body.index < 1 || body.index > count)
        return NULL;
    return (tl_body_rec *)scene->list.bodies.data + body.index - 1;
}

tl_status tl_scene_start(tl_scene *scene, tl_body body, const tl_body_start *start)
{
    const tl_place place = tl_place_of("start");
    tl_body_rec *record = record_of(scene, body);
    double back[4], q[4], square = 0;
    if (!record || record->kind != TL_DYNAMIC)
        return tl_refuse_text(&place, "body", "fixed or prescribed", "it must be dynamic");
    TL_TRY(tl_check_finite(&place, "position", 3, start->position));
    TL_TRY(tl_check_finite(&place, "orientation", 4, start->orientation));
    TL_TRY(tl_check_finite(&place, "velocity", 3, start->velocity));
    TL_TRY(tl_check_finite(&place, "angular_velocity", 3, start->angular_velocity));
    for (int k = 0; k < 4; k++)
        square += start->orientation[k] * start->orientation[k];
    if (!(fabs(square - 1) < 1e-3))
        return tl_refuse(&place, "orientation", 4, start->orientation, "it must be of norm 1");
    for (int k = 0; k < 4; k++) {
        q[k] = start->orientation[k] / sqrt(square);
        back[k] = k ? -record->turn[k] : record->turn[k];
    }
    double off[3];
    tl_turn_join(q, back, record->orientation);
    tl_turn_apply(record->orientation, record->offset, off);
    for (int k = 0; k < 3; k++)
        record->position[k] = start->position[k] - off[k];
    memcpy(record->velocity, start->velocity, sizeof record->velocity);
    memcpy(record->angular_velocity, start->angular_velocity, sizeof record->angular_velocity);
    return TL_OK;
}

/* Within a part of 1e-9: sizes of results are those of scenes. */
static bool near(const double *a, const double *b, size_t count, double scale)
{
    for (size_t k = 0; k < count; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-9 * scale))
            return false;
    return true;
}

static bool same_shape(const tl_shape_rec *a, const tl_shape_rec *b)
{
    const double scale = a->radius + a->half_length + a->rounding +
                         fmax(a->half_extents[0], fmax(a->half_extents[1], a->half_extents[2])) +
                         fabs(a->position[0]) + fabs(a->position[1]) + fabs(a->position[2]);
    return a->kind == b->kind && near(&a->radius, &b->radius, 1, scale) &&
           near(&a->half_length, &b->half_length, 1, scale) &&
           near(&a->rounding, &b->rounding, 1, scale) &&
           near(a->half_extents, b->half_extents, 3, scale) &&
           near(a->position, b->position, 3, scale);
}

bool tl_scene_alike(const tl_scene *a, tl_body of_a, const tl_scene *b, tl_body of_b, char *what,
                    size_t room)
{
    const tl_body_rec *x = record_of(a, of_a), *y = record_of(b, of_b);
    snprintf(what, room, "%s", "there is no such body");
    if (!x || !y)
        return false;
    snprintf(what, room, "%u shapes there, %u here", y->shape_count, x->shape_count);
    if (x->shape_count != y->shape_count)
        return false;
    const tl_shape_rec *s = (tl_shape_rec *)a->list.shapes.data + x->first_shape;
    const tl_shape_rec *t = (tl_shape_rec *)b->list.shapes.data + y->first_shape;
    for (uint32_t i = 0; i < x->shape_count; i++)
        if (!same_shape(&s[i], &t[i])) {
            snprintf(what, room, "shape %u has another kind, size or place there", i);
            return false;
        }
    snprintf(what, room, "%.6g kg there, %.6g kg here", y->mass, x->mass);
    return near(&x->mass, &y->mass, 1, x->mass);
}
