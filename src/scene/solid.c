/* Volume, centre of mass and inertia of each kind of solid shape, by closed formulas. Called by
 * mass.c.
 *
 * Rounded boxes and cylinders are the sum of a core and a ball: the core, slabs on its faces,
 * quarters of cylinders along its edges and eighths of a ball at its corners, each with its own
 * integrals. */
#include "scene/solid.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* A solid about its frame's axes from its volume and the integrals of x^2, y^2 and z^2. */
static tl_solid even_solid(double volume, double xx, double yy, double zz)
{
    return (tl_solid){.volume = volume,
                      .inertia = {(yy + zz) / volume, (zz + xx) / volume, (xx + yy) / volume}};
}

static tl_solid box(const double half[3])
{
    const double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
    return (tl_solid){.volume = 8 * half[0] * half[1] * half[2],
                      .inertia = {(b + c) / 3, (c + a) / 3, (a + b) / 3}};
}

/* The integral of x^2, with a the half extent of the core along x, b and c the others. |x| has the
 * integrals 4/3 r^3 over a disc and pi/2 r^4 over a ball. */
static double rounded_box_second(double a, double b, double c, double r)
{
    const double slab_x = 8 * b * c * ((a + r) * (a + r) * (a + r) - a * a * a) / 3;
    const double even = (8 * a * b * c + 8 * r * a * (b + c) + 2 * pi * r * r * a) * a * a / 3;
    const double disc = pi * r * r * a * a + 8.0 / 3 * a * r * r * r + pi / 4 * r * r * r * r;
    const double ball = 4.0 / 3 * pi * r * r * r * a * a + pi * a * r * r * r * r +
                        4.0 / 15 * pi * r * r * r * r * r;
    return even + slab_x + 2 * (b + c) * disc + ball;
}

static tl_solid rounded_box(const double half[3], double r)
{
    const double a = half[0] - r, b = half[1] - r, c = half[2] - r;
    const double volume = 8 * a * b * c + 8 * r * (a * b + b * c + c * a) +
                          2 * pi * r * r * (a + b + c) + 4.0 / 3 * pi * r * r * r;
    return even_solid(volume, rounded_box_second(a, b, c, r), rounded_box_second(b, c, a, r),
                      rounded_box_second(c, a, b, r));
}

static tl_solid cylinder(double r, double h)
{
    const double across = r * r / 4 + h * h / 3;
    return (tl_solid){.volume = 2 * pi * r * r * h, .inertia = {across, across, r * r / 2}};
}

/* A solid of revolution: its radius is R + r up to h and, t above that, s = R + sqrt(r^2 - t^2). */
static tl_solid rounded_cylinder(double radius, double half_length, double r)
{
    const double R = radius - r, h = half_length - r, R2 = R * R, r2 = r * r, r3 = r2 * r;
    const double r4 = r2 * r2, r5 = r4 * r, outer = (R + r) * (R + r);
    const double s2 = R2 * r + pi / 2 * R * r2 + 2.0 / 3 * r3; /* integrals over t: of s^2 */
    const double ts2 = R2 * r2 / 2 + 2.0 / 3 * R * r3 + r4 / 4;
    const double tts2 = R2 * r3 / 3 + pi / 8 * R * r4 + 2.0 / 15 * r5;
    const double s4 =
        R2 * R2 * r + pi * R2 * R * r2 + 4 * R2 * r3 + 3.0 / 4 * pi * R * r4 + 8.0 / 15 * r5;
    const double volume = 2 * pi * (outer * h + s2);
    const double along = 2 * pi * (outer * h * h * h / 3 + h * h * s2 + 2 * h * ts2 + tts2);
    const double across = pi / 2 * (outer * outer * h + s4); /* of x^2: half of (x^2 + y^2) */
    return even_solid(volume, across, across, along);
}

static tl_solid capsule(double r, double h)
{
    const double rod = 2 * pi * r * r * h, ball = 4.0 / 3 * pi * r * r * r;
    const double along = rod * (r * r / 2) + ball * (0.4 * r * r);
    const double across = rod * (r * r / 4 + h * h / 3) +
                          ball * (0.4 * r * r + h * h + 0.75 * h * r); /* two half balls */
    const double volume = rod + ball;
    return (tl_solid){.volume = volume,
                      .inertia = {across / volume, across / volume, along / volume}};
}

static tl_solid cone(double r, double h)
{
    const double across = 0.15 * (r * r + h * h);
    return (tl_solid){.volume = 2.0 / 3 * pi * r * r * h,
                      .centre = {0, 0, -0.5 * h},
                      .inertia = {across, across, 0.3 * r * r}};
}

static tl_solid ellipsoid(const double axes[3])
{
    const double a = axes[0] * axes[0], b = axes[1] * axes[1], c = axes[2] * axes[2];
    return (tl_solid){.volume = 4.0 / 3 * pi * axes[0] * axes[1] * axes[2],
                      .inertia = {0.2 * (b + c), 0.2 * (c + a), 0.2 * (a + b)}};
}

/* The integrals of a hull are known about its centre of mass; those of its layer are added. */
static tl_solid hull(const tl_geometry_rec *g, double rounding, double unit)
{
    const double cube = unit * unit * unit, square = unit * unit;
    const double *inertia = g->inertia;
    const double half = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
    tl_integrals sum = {.volume = g->volume / cube};
    tl_solid out;
    for (int k = 0; k < 3; k++) {
        sum.second[k] = (half - inertia[k]) / cube / square;
        sum.second[3 + k] = -inertia[3 + k] / cube / square;
    }
    if (rounding > 0)
        tl_hull_layer(g, rounding, g->com, unit, &sum);
    out.volume = sum.volume;
    double off[3];
    for (int k = 0; k < 3; k++) {
        off[k] = sum.first[k] / sum.volume;
        out.centre[k] = g->com[k] / unit + off[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.inertia[k] =
            (sum.second[i] + sum.second[j]) / sum.volume - off[i] * off[i] - off[j] * off[j];
        out.inertia[3 + k] = off[i] * off[j] - sum.second[3 + k] / sum.volume;
    }
    return out;
}

/* In units: volume too. */
static tl_solid solid_in(const tl_shape_rec *s, const tl_array *geometries, double unit)
{
    const double r = s->radius / unit, h = s->half_length / unit, rounding = s->rounding / unit;
    const double half[3] = {s->half_extents[0] / unit, s->half_extents[1] / unit,
                            s->half_extents[2] / unit};
    switch ((tl_shape_kind)s->kind) {
    case TL_BOX: return rounding > 0 ? rounded_box(half, rounding) : box(half);
    case TL_CAPSULE: return capsule(r, h);
    case TL_CYLINDER: return rounding > 0 ? rounded_cylinder(r, h, rounding) : cylinder(r, h);
    case TL_CONE: return cone(r, h);
    case TL_ELLIPSOID: return ellipsoid(half);
    case TL_HULL:
    case TL_MESH: /* a closed one, which has no rounding */
        return hull((const tl_geometry_rec *)geometries->data + s->geometry - 1, s->rounding, unit);
    default: break;
    }
    return (tl_solid){0};
}

tl_solid tl_shape_solid(const tl_shape_rec *s, const tl_array *geometries, double unit)
{
    if (s->kind == TL_SPHERE) {
        const double r = s->radius / unit, own = 0.4 * s->radius * s->radius;
        return (tl_solid){.volume = r * r * r, .inertia = {own, own, own}};
    }
    tl_solid out = solid_in(s, geometries, unit);
    out.volume /= 4.0 / 3 * pi;
    for (int k = 0; k < 3; k++)
        out.centre[k] *= unit;
    for (int k = 0; k < 6; k++)
        out.inertia[k] *= unit * unit;
    return out;
}
