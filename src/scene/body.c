/* Lists of bodies: checks definitions and turns them into records with what they own. Scenes keep
 * one list; a world makes one for each batch that is added to it. */
#include "base/turn.h"
#include "scene/check.h"

#include <math.h>
#include <string.h>

tl_body_def tl_body_default(void)
{
    return (tl_body_def){
        .kind = TL_DYNAMIC,
        .orientation = {1, 0, 0, 0},
        .density = 1000,
        .motion = tl_motion_default(),
    };
}

void tl_body_list_init(tl_body_list *list)
{
    *list = (tl_body_list){
        .bodies = {.item = sizeof(tl_body_rec)},
        .shapes = {.item = sizeof(tl_shape_rec)},
        .motions = {.item = sizeof(tl_motion_rec)},
    };
}

void tl_body_list_free(tl_body_list *list)
{
    tl_motion_rec *motions = list->motions.data;
    for (size_t i = 0; i < list->motions.count; i++)
        tl_motion_rec_free(&motions[i]);
    tl_array_free(&list->bodies);
    tl_array_free(&list->shapes);
    tl_array_free(&list->motions);
    list->shape_total = 0;
}

/* Appends the shapes of a body, in the frame that the user gave. */
static tl_status add_shapes(tl_body_list *list, const tl_place *place, const tl_body_def *def,
                            uint32_t materials, tl_body_rec *body)
{
    size_t first = list->shapes.count, count = def->shape_count;
    if (!count)
        return TL_OK;
    if (count > TL_MOST_ITEMS - list->shape_total)
        return tl_refuse_large(place, "shape_count", count,
                               "the shapes of all bodies may be at most");
    if (!def->shapes)
        return tl_refuse_text(place, "shapes", "NULL", "it must point to shape_count shapes");
    TL_TRY(tl_array_resize(&list->shapes, first + count));
    tl_shape_rec *shapes = list->shapes.data;
    for (size_t i = 0; i < count; i++) {
        tl_place shape = {place->name, place->body, i};
        TL_TRY(tl_shape_rec_make(&shape, def->kind, &def->shapes[i], materials, list->geometries,
                                 &shapes[first + i]));
    }
    list->shape_total += count;
    body->first_shape = (uint32_t)first;
    body->shape_count = (uint32_t)count;
    return TL_OK;
}

/* Puts the hulls that stand for shapes of a kind, polygons or meshes, in their place, in shapes
 * just added to a body. */
static tl_status replace_pieces(tl_body_list *list, const tl_place *place, uint32_t kind,
                                tl_body_rec *body)
{
    const tl_geometry_rec *geometries = list->geometries ? list->geometries->data : NULL;
    const size_t first = body->first_shape, count = body->shape_count;
    size_t total = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const tl_shape_rec *shape = (const tl_shape_rec *)list->shapes.data + first + i;
        found = found || shape->kind == kind;
        total += shape->kind == kind ? geometries[shape->geometry - 1].piece_count : 1;
    }
    if (!found) /* and a body without shapes has no place in the list */
        return TL_OK;
    if (total - count > TL_MOST_ITEMS - list->shape_total)
        return tl_refuse_large(place, "shape_count: with the pieces of meshes and polygons", total,
                               "the shapes of all bodies may be at most");
    TL_TRY(tl_array_resize(&list->shapes, first + total));
    tl_shape_rec *shapes = (tl_shape_rec *)list->shapes.data + first;
    for (size_t from = count, to = total; from-- > 0;) { /* from the end: each moves up */
        const tl_shape_rec shape = shapes[from];
        if (shape.kind != kind) {
            shapes[--to] = shape;
            continue;
        }
        const tl_geometry_rec *mesh = &geometries[shape.geometry - 1];
        for (uint32_t i = mesh->piece_count; i-- > 0;) {
            shapes[--to] = shape;
            shapes[to].kind = TL_HULL;
            shapes[to].geometry = mesh->first_piece + i;
        }
    }
    list->shape_total += total - count;
    body->shape_count = (uint32_t)total;
    return TL_OK;
}

static bool is_turned(const tl_body_rec *body)
{
    return body->turn[1] != 0 || body->turn[2] != 0 || body->turn[3] != 0;
}

static bool is_shifted(const tl_body_rec *body)
{
    return body->offset[0] != 0 || body->offset[1] != 0 || body->offset[2] != 0;
}

/* First p, then r, of norm 1. */
static void join(const double r[4], const double p[4], double q[4])
{
    tl_turn_join(r, p, q);
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= norm;
}

/* Puts a shape in the frame of its body's centre of mass and principal axes. */
static void move_shape(const tl_body_rec *body, tl_shape_rec *shape)
{
    double x[3], q[4];
    if (is_turned(body)) {
        tl_turn_apply(body->turn, shape->position, x);
        memcpy(shape->position, x, sizeof x);
        if (shape->kind != TL_SPHERE) {
            join(body->turn, shape->orientation, q);
            memcpy(shape->orientation, q, sizeof q);
        }
    }
    if (is_shifted(body))
        for (int k = 0; k < 3; k++)
            shape->position[k] += body->offset[k];
}

/* Puts the shapes just added in the frame of the body; shares those of the body before if they are
 * the same bytes: a million equal spheres store one shape. */
static void settle_shapes(tl_body_list *list, tl_body_rec *body)
{
    tl_shape_rec *shapes = list->shapes.data;
    const uint32_t first = body->first_shape, count = body->shape_count;
    for (uint32_t i = 0; i < count; i++)
        move_shape(body, &shapes[first + i]);
    if (!list->bodies.count || !count)
        return;
    const tl_body_rec *last = (tl_body_rec *)list->bodies.data + list->bodies.count - 1;
    if (last->shape_count == count &&
        !memcmp(&shapes[last->first_shape], &shapes[first], count * sizeof *shapes)) {
        list->shapes.count = first;
        body->first_shape = last->first_shape;
    }
}

/* From the pose of the user's frame to that of the body's own. */
static void settle_pose(tl_body_rec *body)
{
    double q[4], shift[3];
    if (is_turned(body)) {
        const double *t = body->turn, back[4] = {t[0], -t[1], -t[2], -t[3]};
        join(body->orientation, back, q);
        memcpy(body->orientation, q, sizeof q);
    }
    if (!is_shifted(body))
        return;
    tl_turn_apply(body->orientation, body->offset, shift);
    for (int k = 0; k < 3; k++)
        body->position[k] -= shift[k];
}

/* What any body must obey, whatever its kind. */
static tl_status check_numbers(const tl_place *place, const tl_body_def *def)
{
    TL_TRY(tl_check_enum(place, "kind", def->kind, TL_WORDS_BODY));
    TL_TRY(tl_check_finite(place, "position", 3, def->position));
    TL_TRY(tl_check_finite(place, "orientation", 4, def->orientation));
    TL_TRY(tl_check_finite(place, "velocity", 3, def->velocity));
    TL_TRY(tl_check_finite(place, "angular_velocity", 3, def->angular_velocity));
    TL_TRY(tl_check_finite(place, "inertia", 3, def->inertia));
    TL_TRY(tl_check_finite(place, "centre_of_mass", 3, def->centre_of_mass));
    if (!(def->density >= 0 && isfinite(def->density)))
        return tl_refuse(place, "density", 1, &def->density, "it must be finite and >= 0");
    if (!(def->mass >= 0 && isfinite(def->mass)))
        return tl_refuse(place, "mass", 1, &def->mass,
                         "it must be finite and >= 0 (0: density times volume)");
    return TL_OK;
}

static tl_status check_at_rest(const tl_place *place, const char *field, const double v[3])
{
    if (v[0] == 0 && v[1] == 0 && v[2] == 0)
        return TL_OK;
    return tl_refuse(place, field, 3, v,
                     "it must be 0 on a body that is not dynamic: use kind TL_PRESCRIBED and "
                     "motion");
}

static tl_status add_motion(tl_body_list *list, const tl_place *place, const tl_motion_def *def,
                            tl_body_rec *body)
{
    tl_motion_rec motion;
    TL_TRY(tl_array_reserve(&list->motions, list->motions.count + 1));
    TL_TRY(tl_motion_rec_make(place, def, &motion));
    TL_TRY(tl_array_append(&list->motions, &motion, 1)); /* there is room: this cannot fail */
    body->motion = (uint32_t)list->motions.count;
    return TL_OK;
}

/* Whether shapes, mass and inertia of a definition are those of the one before it, by the same
 * memory and the same numbers. */
static bool is_alike(const tl_body_def *def, const tl_body_def *before)
{
    return def->kind == before->kind && def->shapes == before->shapes &&
           def->shape_count == before->shape_count && def->mass == before->mass &&
           def->density == before->density &&
           !memcmp(def->inertia, before->inertia, sizeof def->inertia) &&
           !memcmp(def->centre_of_mass, before->centre_of_mass, sizeof def->centre_of_mass);
}

/* Shapes, mass and inertia of a body like the last one of the list: nothing is looked at twice. */
static tl_status repeat_shapes(tl_body_list *list, const tl_place *place, tl_body_rec *body)
{
    const tl_body_rec *last = (const tl_body_rec *)list->bodies.data + list->bodies.count - 1;
    if (last->shape_count > TL_MOST_ITEMS - list->shape_total)
        return tl_refuse_large(place, "shape_count", last->shape_count,
                               "the shapes of all bodies may be at most");
    list->shape_total += last->shape_count;
    body->first_shape = last->first_shape;
    body->shape_count = last->shape_count;
    body->mass = last->mass;
    memcpy(body->inertia, last->inertia, sizeof body->inertia);
    memcpy(body->offset, last->offset, sizeof body->offset);
    memcpy(body->turn, last->turn, sizeof body->turn);
    return TL_OK;
}

/* `before` is the definition of the list's last body, or NULL. */
static tl_status add_body(tl_body_list *list, const tl_place *place, const tl_body_def *def,
                          const tl_body_def *before, uint32_t materials)
{
    tl_body_rec body = {.turn = {1, 0, 0, 0}};
    const bool alike = before && is_alike(def, before);
    TL_TRY(check_numbers(place, def));
    TL_TRY(tl_check_unit(place, "orientation", def->orientation, body.orientation));
    body.kind = def->kind;
    memcpy(body.position, def->position, sizeof body.position);
    TL_TRY(alike ? repeat_shapes(list, place, &body)
                 : add_shapes(list, place, def, materials, &body));
    if (!alike)
        TL_TRY(replace_pieces(list, place, TL_POLYGON, &body));
    if (def->kind == TL_DYNAMIC) {
        memcpy(body.velocity, def->velocity, sizeof body.velocity);
        memcpy(body.angular_velocity, def->angular_velocity, sizeof body.angular_velocity);
        if (!alike) {
            tl_body_def cut = *def; /* with the pieces of polygons, whose mass is theirs */
            cut.shape_count = body.shape_count;
            TL_TRY(tl_mass_resolve(place, &cut,
                                   (const tl_shape_rec *)list->shapes.data + body.first_shape,
                                   list->geometries, &body));
            TL_TRY(replace_pieces(list, place, TL_MESH, &body));
        }
    } else {
        TL_TRY(check_at_rest(place, "velocity", def->velocity));
        TL_TRY(check_at_rest(place, "angular_velocity", def->angular_velocity));
    }
    if (!alike)
        settle_shapes(list, &body);
    settle_pose(&body);
    if (def->kind == TL_PRESCRIBED)
        TL_TRY(add_motion(list, place, &def->motion, &body));
    return tl_array_append(&list->bodies, &body, 1);
}

/* Takes back everything that was added since the list was as `before` says. Room that was made
 * stays. */
static void roll_back(tl_body_list *list, const tl_body_list *before)
{
    tl_motion_rec *motions = list->motions.data;
    for (size_t i = before->motions.count; i < list->motions.count; i++)
        tl_motion_rec_free(&motions[i]);
    list->motions.count = before->motions.count;
    list->shapes.count = before->shapes.count;
    list->bodies.count = before->bodies.count;
    list->shape_total = before->shape_total;
}

tl_status tl_body_list_reserve(tl_body_list *list, size_t count)
{
    if (count > TL_MOST_ITEMS - list->bodies.count)
        return tl_fail(TL_TOO_LARGE, "%zu bodies on top of %zu; there can be at most %zu in all",
                       count, list->bodies.count, TL_MOST_ITEMS);
    return tl_array_reserve(&list->bodies, list->bodies.count + count);
}

tl_status tl_body_list_add(tl_body_list *list, size_t count, const tl_body_def *defs,
                           uint32_t materials)
{
    tl_body_list before = *list;
    if (!count)
        return TL_OK;
    if (count <= TL_MOST_ITEMS && !defs)
        return tl_refuse_null("defs");
    TL_TRY(tl_body_list_reserve(list, count));
    for (size_t i = 0; i < count; i++) {
        tl_place place = {"bodies", i, TL_NO_INDEX};
        tl_status status = add_body(list, &place, &defs[i], i ? &defs[i - 1] : NULL, materials);
        if (status < 0) {
            roll_back(list, &before);
            return status;
        }
    }
    return TL_OK;
}
