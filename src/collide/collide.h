/* Collision detection, host side: from poses to contacts. Called by src/step/dvi.c, and part by
 * part by parts.c. */
#ifndef TL_COLLIDE_COLLIDE_H
#define TL_COLLIDE_COLLIDE_H

#include "backend/backend.h"

/* The contacts of one state, in lists by owner shape. */
typedef struct tl_contacts {
    uint32_t count;
    tl_buffer start;  /* uint32_t, shapes + 1 */
    tl_buffer a, b;   /* uint32_t: owner and partner shape */
    tl_buffer n;      /* real, 4 each: normal from owner to partner, gap */
    bool impulses;    /* false: nothing has been solved, and gamma and colour are not there */
    tl_buffer gamma;  /* real, 4 each: impulse on the partner */
    tl_buffer colour; /* uint32_t */
    struct tl_contacts *over; /* others that may be written over where their memory is larger */
} tl_contacts;

/* The levels of bins for a set of shapes, and the buffers of the stages. */
typedef struct tl_collide {
    uint32_t levels;                /* 0 is the coarsest */
    double top[TLK_LEVELS];         /* m, the largest radius of each level */
    uint32_t residents[TLK_LEVELS]; /* shapes on each level; 0: it is not in use */
    uint32_t coarsest;              /* level of dynamic shapes: above it there are none */
    uint32_t globals;
    uint32_t global[TLK_GLOBALS];
    uint32_t entries; /* of shapes in bins, the most that there have been; 0: not known */
    uint32_t crowd;   /* contacts of a shape when they were last found, the mean */
    tl_buffer bin_start, bin, partner;
    tl_arena *arena; /* of all of these, none of which outlives a call; NULL: on their own */
} tl_collide;

/* A state whose contacts are wanted. `box` is around the dynamic bodies' origins (minima, negated
 * maxima): a hint of how large the bins should be, and what is cut into parts. `speed` (m/s) is
 * what is usual among them, another hint. */
typedef struct tl_collide_state {
    tlk_bodies bodies;
    tlk_shapes shapes;
    double box[6], speed;
    double crowd; /* shapes that a bin should hold, roughly */
    bool apart;   /* the table of bins should tell all bins of the box apart */
    double h, envelope;
    const void *seen; /* tlk_find */
    double deep;
} tl_collide_state;

/* One of several parts of space: a slab of bins across the longest side of the box. */
typedef struct tl_part {
    uint32_t index, count;
} tl_part;

/* Whether tl_collide_run() would find more pairs because of the velocities seen in a first attempt
 * at the step. */
tl_status tl_collide_fresh(tl_backend *backend, tl_collide *collide, const tl_collide_state *state,
                           bool *more);

/* Finds all contacts of a state, without impulses. `out` keeps its buffers' capacity. */
tl_status tl_collide_run(tl_backend *backend, tl_collide *collide, const tl_collide_state *state,
                         tl_contacts *out);

/* The pieces of it, for several parts. Bounds of all shapes, which everything else needs: */
void tl_collide_bounds(tl_backend *backend, const tl_collide_state *state);
/* the pairs that a part's bins claim, by owner: `start` and `b` of `out`, nothing else. Those with
 * the shapes that are tested directly are in the last part. */
tl_status tl_collide_pairs(tl_backend *backend, tl_collide *collide, const tl_collide_state *state,
                           tl_part part, tl_contacts *out);
/* what kernels see of a state, levels sized for a part; */
tlk_find tl_collide_view(const tl_collide *collide, const tl_collide_state *state, tl_part part);
/* and room for `total` contacts (refused from 2^31 on), `view` being told where. */
tl_status tl_collide_room(tl_backend *backend, uint64_t total, tlk_find *view, tl_contacts *out);

/* Room for impulses and colours; and contacts that have none yet get those of contacts at rest. */
tl_status tl_contacts_room(tl_backend *backend, tl_contacts *contacts);
tl_status tl_contacts_rest(tl_backend *backend, tl_contacts *contacts);

/* The same levels, without buffers yet. */
tl_collide tl_collide_like(const tl_collide *collide);

/* Lets the stages work in an arena, which the caller clears before each call. */
void tl_collide_bind(tl_collide *collide, tl_arena *arena);

void tl_collide_free(tl_backend *backend, tl_collide *collide);
void tl_contacts_free(tl_backend *backend, tl_contacts *contacts);

#endif
