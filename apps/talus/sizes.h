/* Shapes as facts: how large each is, how many there are of each kind. Used by check, info and
 * runs. */
#ifndef TALUS_SIZES_H
#define TALUS_SIZES_H

#include "facts.h"
#include "talus/talus.h"

/* m, the radius of a ball around a shape's origin that holds it; infinity for planes. */
double shape_radius(const tl_world *world, const tl_shape_def *def);

/* m, how far a shape reaches from its origin along a unit vector of its own frame. */
double shape_extent(const tl_world *world, const tl_shape_def *def, const double along[3]);

/* Adds how many shapes of each kind there are, "12 box, 1 plane"; nothing where there are none. */
void tell_shape_kinds(facts *f, const tl_shape_info *shapes, size_t count);

#endif
