/* Solids: what a shape filled with matter weighs. Called by mass.c. */
#ifndef TL_SCENE_SOLID_H
#define TL_SCENE_SOLID_H

#include "scene/scene.h"

/* Integrals over a solid, in its frame and in units of its choice: of 1, x and x y, the last as xx
 * yy zz yz zx xy. */
typedef struct tl_integrals {
    double volume, first[3], second[6];
} tl_integrals;

/* A solid of even density, in the shape's frame. */
typedef struct tl_solid {
    double volume;     /* over that of a ball whose radius is the unit */
    double centre[3];  /* m, centre of mass */
    double inertia[6]; /* m^2: over mass, about the centre: xx yy zz yz zx xy */
} tl_solid;

/* The solid of a shape of a kind that is one. `unit` (m) is of the order of its size, so that no
 * product of lengths overflows or underflows. */
tl_solid tl_shape_solid(const tl_shape_rec *shape, const tl_array *geometries, double unit);

/* rounded.c: the layer of a thickness around a hull: what is added to the integrals about `origin`,
 * in units of `unit`. */
void tl_hull_layer(const tl_geometry_rec *hull, double thickness, const double origin[3],
                   double unit, tl_integrals *sum);

#endif
