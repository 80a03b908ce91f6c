/* Collision detection box by box, on one device or several (document 001, section 4.2). Called by
 * src/step/dvi.c for tl_world_find_contacts_in(). */
#ifndef TL_COLLIDE_PARTS_H
#define TL_COLLIDE_PARTS_H

#include "collide/collide.h"

#define TL_PARTS_MOST   4096u
#define TL_DEVICES_MOST 64u

/* Finds what tl_collide_run() finds, bit for bit and in the same order, in `parts` parts of space
 * that `devices` devices take in turn. The first device is the backend itself. */
tl_status tl_collide_in_parts(tl_backend *backend, tl_collide *collide,
                              const tl_collide_state *state, uint32_t parts, uint32_t devices,
                              tl_contacts *out);

#endif
