/* Mass and inertia of dynamic bodies: as given, or those of the body's solid spheres. Called by
 * body.c for each dynamic body, after its shapes have been checked. */
#include "scene/check.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double slack = 1e-9; /* relative, on centres, products of inertia and given moments */

/* The solid spheres of a body together, each with a mass in proportion to its volume. */
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

/* Adds a sphere that holds `share` of the mass: 2/5 r^2 and the parallel axis theorem. */
static void add_sphere(solid *s, const double p[3], double radius, double share)
{
    double own = 0.4 * radius * radius;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        s->centre[i] += share * p[i];
        s->moments[i] += share * (own + (p[j] * p[j] + p[k] * p[k]));
        s->products[i] -= share * p[j] * p[k];
    }
    s->extent = fmax(s->extent, length(p) + radius);
}

/* Volumes are taken relative to the largest sphere's, so that no radius underflows the shares. */
static solid sum_spheres(const tl_body_def *def)
{
    solid s = {0};
    double largest = 0, sum = 0;
    for (size_t i = 0; i < def->shape_count; i++)
        largest = fmax(largest, def->shapes[i].radius);
    for (size_t i = 0; i < def->shape_count; i++) {
        double r = def->shapes[i].radius / largest;
        sum += r * r * r;
    }
    for (size_t i = 0; i < def->shape_count; i++) {
        double r = def->shapes[i].radius / largest;
        add_sphere(&s, def->shapes[i].position, def->shapes[i].radius, r * r * r / sum);
    }
    s.volume = 4.0 / 3.0 * pi * (largest * largest * largest) * sum;
    return s;
}

static bool all_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static tl_status check_given(const tl_place *place, const tl_body_def *def)
{
    const double *moments = def->inertia;
    if (!def->shape_count && !(def->mass > 0))
        return tl_refuse(place, "mass", 1, &def->mass,
                         "it must be > 0 on a dynamic body without shapes");
    if (!def->shape_count && all_zero(moments))
        return tl_refuse(place, "inertia", 3, moments,
                         "each must be > 0 on a dynamic body without shapes");
    if (def->mass == 0 && !(def->density > 0))
        return tl_refuse(place, "density", 1, &def->density, "it must be > 0 where mass is 0");
    if (all_zero(moments))
        return TL_OK;
    if (!(moments[0] > 0 && moments[1] > 0 && moments[2] > 0))
        return tl_refuse(place, "inertia", 3, moments,
                         "each must be > 0, or all 0 for that of the spheres");
    double largest = fmax(moments[0], fmax(moments[1], moments[2]));
    for (int i = 0; i < 3; i++)
        if (moments[i] == largest && /* the difference, because the sum may overflow */
            !(largest - moments[(i + 1) % 3] <= moments[(i + 2) % 3] + slack * largest))
            return tl_refuse(place, "inertia", 3, moments,
                             "the largest must not exceed the sum of the other two");
    return TL_OK;
}

static tl_status automatic_inertia(const tl_place *place, const solid *s, double mass,
                                   double inertia[3])
{
    double trace = s->moments[0] + s->moments[1] + s->moments[2];
    double worst = fmax(fabs(s->products[0]), fmax(fabs(s->products[1]), fabs(s->products[2])));
    if (!(worst <= slack * trace))
        return tl_refuse(place, "shapes: their products of inertia over mass (yz, zx, xy)", 3,
                         s->products,
                         "each must be 0: turn the shapes to their principal axes, or give mass "
                         "and inertia");
    for (int i = 0; i < 3; i++)
        inertia[i] = mass * s->moments[i];
    for (int i = 0; i < 3; i++)
        if (!(inertia[i] > 0 && isfinite(inertia[i])))
            return tl_refuse(place, "inertia: that of the solid spheres", 3, inertia,
                             "each must be finite and > 0: give mass and inertia");
    return TL_OK;
}

tl_status tl_mass_resolve(const tl_place *place, const tl_body_def *def, double *mass,
                          double inertia[3])
{
    TL_TRY(check_given(place, def));
    *mass = def->mass;
    for (int i = 0; i < 3; i++)
        inertia[i] = def->inertia[i];
    if (def->mass > 0 && !all_zero(def->inertia))
        return TL_OK;
    solid s = sum_spheres(def);
    if (!(length(s.centre) <= slack * s.extent))
        return tl_refuse(place, "shapes: their centre of mass", 3, s.centre,
                         "it must be the body's origin: move the shapes, or give mass and inertia");
    if (def->mass == 0)
        *mass = def->density * s.volume;
    if (!(*mass > 0 && isfinite(*mass)))
        return tl_refuse(place, "mass: density times the volume of the spheres", 1, mass,
                         "it must be finite and > 0: give mass");
    return all_zero(def->inertia) ? automatic_inertia(place, &s, *mass, inertia) : TL_OK;
}
