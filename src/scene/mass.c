/* Mass, centre of mass and inertia of dynamic bodies: as given, or those of the body's solid
 * shapes, with the principal axes that worlds turn bodies about. Called by body.c for each dynamic
 * body, after its shapes have been checked. */
#include "base/principal.h"
#include "base/turn.h"
#include "scene/check.h"
#include "scene/solid.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double slack = 1e-9; /* relative, on centres, products of inertia and given moments */

/* The solid shapes of a body together, each with a mass in proportion to its volume. */
typedef struct solid {
    double volume;      /* m^3, overlaps counted twice */
    double extent;      /* m, from the body's origin to the farthest point */
    double centre[3];   /* m, centre of mass */
    double moments[3];  /* m^2: inertia about the origin over mass, xx yy zz */
    double products[3]; /* m^2: yz zx xy */
} solid;

static double length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

/* The radius of a ball around a shape, and how far the shape reaches from the body's origin. */
static double size_of(const tl_shape_rec *shape, const tl_array *geometries, double *extent)
{
    double frame[TL_FRAME], ball[4];
    if (shape->kind == TL_SPHERE) {
        *extent = length(shape->position) + shape->radius;
        return shape->radius;
    }
    tl_shape_frame(shape, geometries, frame, ball);
    *extent = length(ball) + ball[3];
    return ball[3];
}

/* Centre and inertia of a shape's solid along the body's axes. */
static tl_solid turned_solid(const tl_shape_rec *shape, const tl_array *geometries, double unit)
{
    tl_solid s = tl_shape_solid(shape, geometries, unit);
    const double *q = shape->orientation, *own = s.inertia;
    if (q[0] == 1 || shape->kind == TL_SPHERE)
        return s;
    const double m[3][3] = {
        {own[0], own[5], own[4]}, {own[5], own[1], own[3]}, {own[4], own[3], own[2]}};
    double axes[3][3], half[3][3], centre[3]; /* axes of the shape; R m; */
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        tl_turn_apply(q, axis, axes[k]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            half[i][k] = axes[0][i] * m[0][k] + axes[1][i] * m[1][k] + axes[2][i] * m[2][k];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        s.inertia[k] = half[k][0] * axes[0][k] + half[k][1] * axes[1][k] + half[k][2] * axes[2][k];
        s.inertia[3 + k] =
            half[i][0] * axes[0][j] + half[i][1] * axes[1][j] + half[i][2] * axes[2][j];
    }
    tl_turn_apply(q, s.centre, centre);
    memcpy(s.centre, centre, sizeof centre);
    return s;
}

/* Adds a shape that holds `share` of the mass, by the parallel axis theorem about `origin`. */
static void add_shape(solid *s, const tl_shape_rec *shape, const tl_solid *own, double share,
                      const double origin[3])
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = shape->position[i] + own->centre[i] - origin[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        s->centre[i] += share * p[i];
        s->moments[i] += share * (own->inertia[i] + (p[j] * p[j] + p[k] * p[k]));
        s->products[i] -= share * p[j] * p[k];
        s->products[i] += share * own->inertia[3 + i];
    }
}

/* All shapes but sensors, with centre and inertia about `origin`. Volumes are taken relative to the
 * size of the largest shape, so that no length underflows the shares. */
static solid sum_shapes(size_t count, const tl_shape_rec *shapes, const tl_array *geometries,
                        const double origin[3])
{
    solid s = {0};
    double largest = 0, sum = 0, extent;
    for (size_t i = 0; i < count; i++) {
        if (shapes[i].sensor)
            continue;
        largest = fmax(largest, size_of(&shapes[i], geometries, &extent));
        s.extent = fmax(s.extent, extent);
    }
    for (size_t i = 0; i < count; i++)
        if (!shapes[i].sensor)
            sum += tl_shape_solid(&shapes[i], geometries, largest).volume;
    for (size_t i = 0; i < count; i++) {
        if (shapes[i].sensor)
            continue;
        const tl_solid own = turned_solid(&shapes[i], geometries, largest);
        add_shape(&s, &shapes[i], &own, own.volume / sum, origin);
    }
    s.volume = 4.0 / 3.0 * pi * (largest * largest * largest) * sum;
    return s;
}

static bool all_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static tl_status check_given(const tl_place *place, const tl_body_def *def,
                             const tl_shape_rec *shapes)
{
    const double *moments = def->inertia;
    size_t sensors = 0;
    while (sensors < def->shape_count && shapes[sensors].sensor)
        sensors++;
    const bool none = sensors == def->shape_count; /* sensors have no mass */
    if (none && !(def->mass > 0))
        return tl_refuse(place, "mass", 1, &def->mass,
                         sensors ? "it must be > 0 on a dynamic body whose shapes are all sensors"
                                 : "it must be > 0 on a dynamic body without shapes");
    if (none && all_zero(moments))
        return tl_refuse(place, "inertia", 3, moments,
                         sensors ? "each must be > 0 on a dynamic body whose shapes are all sensors"
                                 : "each must be > 0 on a dynamic body without shapes");
    if (def->mass == 0 && !(def->density > 0))
        return tl_refuse(place, "density", 1, &def->density, "it must be > 0 where mass is 0");
    if (all_zero(moments) && !all_zero(def->centre_of_mass))
        return tl_refuse(
            place, "centre_of_mass", 3, def->centre_of_mass,
            "it is used where inertia is given; it must be 0 where the shapes give it");
    if (all_zero(moments))
        return TL_OK;
    if (!(moments[0] > 0 && moments[1] > 0 && moments[2] > 0))
        return tl_refuse(place, "inertia", 3, moments,
                         "each must be > 0, or all 0 for that of the shapes");
    double largest = fmax(moments[0], fmax(moments[1], moments[2]));
    for (int i = 0; i < 3; i++)
        if (moments[i] == largest && /* the difference, because the sum may overflow */
            !(largest - moments[(i + 1) % 3] <= moments[(i + 2) % 3] + slack * largest))
            return tl_refuse(place, "inertia", 3, moments,
                             "the largest must not exceed the sum of the other two");
    return TL_OK;
}

/* The solid about its centre of mass. One that is the body's origin but for rounding stays there.
 */
static solid sum_about_centre(size_t count, const tl_shape_rec *shapes, const tl_array *geometries,
                              double centre[3])
{
    static const double origin[3] = {0, 0, 0};
    solid s = sum_shapes(count, shapes, geometries, origin);
    memcpy(centre, origin, sizeof origin);
    if (length(s.centre) <= slack * s.extent)
        return s;
    memcpy(centre, s.centre, sizeof origin);
    return sum_shapes(count, shapes, geometries, centre);
}

/* Moments, and the axes where they are not the body's: `axes` turns principal axes to those. */
static tl_status automatic_inertia(const tl_place *place, const solid *s, double mass,
                                   double inertia[3], double axes[4])
{
    double trace = s->moments[0] + s->moments[1] + s->moments[2], moments[3];
    double worst = fmax(fabs(s->products[0]), fmax(fabs(s->products[1]), fabs(s->products[2])));
    memcpy(moments, s->moments, sizeof moments);
    if (worst > slack * trace) {
        const double tensor[6] = {moments[0],     moments[1],     moments[2],
                                  s->products[0], s->products[1], s->products[2]};
        tl_principal_axes(tensor, moments, axes);
    }
    for (int i = 0; i < 3; i++)
        inertia[i] = mass * moments[i];
    for (int i = 0; i < 3; i++)
        if (!(inertia[i] > 0 && isfinite(inertia[i])))
            return tl_refuse(place, "inertia: that of the solid shapes", 3, inertia,
                             "each must be finite and > 0: give mass and inertia");
    return TL_OK;
}

/* The pose of the body's frame in that of its centre of mass and principal axes. */
static void set_pose(tl_body_rec *body, const double centre[3], const double axes[4])
{
    body->turn[0] = axes[0];
    for (int k = 1; k < 4; k++)
        body->turn[k] = axes[k] == 0 ? 0 : -axes[k];
    if (all_zero(centre))
        return;
    tl_turn_apply(body->turn, centre, body->offset);
    for (int k = 0; k < 3; k++)
        body->offset[k] = -body->offset[k];
}

/* How many points a body has that has no other shape; 0 where it has. Sensors do not count. */
static size_t points_alone(size_t count, const tl_shape_rec *shapes, double at[3])
{
    size_t points = 0;
    for (size_t i = 0; i < count; i++) {
        if (shapes[i].sensor)
            continue;
        if (shapes[i].kind != TL_SPHERE || shapes[i].radius > 0)
            return 0;
        memcpy(at, shapes[i].position, 3 * sizeof *at);
        points++;
    }
    return points;
}

/* Points have no volume. Nothing turns a body that is one point, so its moments are any: those of
 * its mass at 1 m. */
static tl_status resolve_points(const tl_place *place, const tl_body_def *def, size_t points,
                                const double at[3], tl_body_rec *body)
{
    static const double axes[4] = {1, 0, 0, 0};
    if (!(def->mass > 0))
        return tl_refuse(place, "mass", 1, &def->mass,
                         "it must be > 0 on a dynamic body of points alone");
    if (points > 1 && all_zero(def->inertia))
        return tl_refuse(place, "inertia", 3, def->inertia,
                         "each must be > 0 on a dynamic body of several points");
    body->mass = def->mass;
    for (int k = 0; k < 3; k++)
        body->inertia[k] = all_zero(def->inertia) ? def->mass : def->inertia[k];
    set_pose(body, all_zero(def->inertia) ? at : def->centre_of_mass, axes);
    return TL_OK;
}

tl_status tl_mass_resolve(const tl_place *place, const tl_body_def *def, const tl_shape_rec *shapes,
                          const tl_array *geometries, tl_body_rec *body)
{
    double centre[3], axes[4] = {1, 0, 0, 0};
    TL_TRY(check_given(place, def, shapes));
    const size_t points = points_alone(def->shape_count, shapes, centre);
    if (points)
        return resolve_points(place, def, points, centre, body);
    body->mass = def->mass;
    memcpy(body->inertia, def->inertia, sizeof body->inertia);
    memcpy(centre, def->centre_of_mass, sizeof centre);
    if (def->mass == 0 || all_zero(def->inertia)) {
        double found[3];
        const solid s = sum_about_centre(def->shape_count, shapes, geometries, found);
        if (def->mass == 0)
            body->mass = def->density * s.volume;
        if (!(body->mass > 0 && isfinite(body->mass)))
            return tl_refuse(place, "mass: density times the volume of the shapes", 1, &body->mass,
                             "it must be finite and > 0: give mass");
        if (all_zero(def->inertia)) {
            memcpy(centre, found, sizeof centre);
            TL_TRY(automatic_inertia(place, &s, body->mass, body->inertia, axes));
        }
    }
    set_pose(body, centre, axes);
    return TL_OK;
}
