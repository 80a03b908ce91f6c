/* What the files that answer questions share: cast.c (rays), near.c (shapes near a shape). */
#ifndef TL_WORLD_QUERY_H
#define TL_WORLD_QUERY_H

#include "talus/query.h"
#include "world/world.h"

/* Makes the arena ready and writes the views of the present state. */
tl_status tl_query_begin(tl_world *world, tlk_query *query);

/* Computes the boxes around all shapes, in the arena. */
tl_status tl_query_boxes(tl_world *world, tlk_query *query);

/* The row of a body to leave out: TLK_NONE for a zero handle; false for one that is no body. */
bool tl_query_ignore(const tl_world *world, tl_body body, uint32_t *row);

/* A direction with unit length; false where it has none. */
bool tl_ray_unit(const double direction[3], double unit[3]);

#endif
