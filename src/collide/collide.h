/* Collision detection, host side: from poses to contacts. Called by src/step/dvi.c, and part by
 * part by parts.c. */
#ifndef TL_COLLIDE_COLLIDE_H
#define TL_COLLIDE_COLLIDE_H

#include "backend/backend.h"

/* The contacts of one state, in lists by owner shape; those of a pair of shapes are side by side.
 */
typedef struct tl_contacts {
    uint32_t count;
    uint32_t pairs;    /* of shapes that touch; as many as contacts unless there are manifolds */
    bool manifolds;    /* pairs may have several contacts, and these are there: */
    tl_buffer pair;    /* uint32_t, pairs + 1: the first contact of each, when they are found */
    tl_buffer place;   /* real, 4 each: on the owner's surface, from its ball's centre */
    tl_buffer feature; /* uint32_t, 2 each: triangle of a mesh, feature id of the point */
    tl_buffer kept;    /* real, TLK_KEPT each: what the next step needs to keep it */
    tl_buffer start;   /* uint32_t, shapes + 1 */
    tl_buffer a, b;    /* uint32_t: owner and partner shape */
    tl_buffer n;       /* real, 4 each: normal from owner to partner, gap */
    bool impulses;     /* false: nothing has been solved, and gamma and colour are not there */
    tl_buffer gamma;   /* real, 4 each: impulse on the partner */
    bool moments;      /* something resists rolling, and this is there with the impulses: */
    tl_buffer moment;  /* real, 4 each: moment on the partner */
    tl_buffer colour;  /* uint32_t */
    bool pasts;        /* penalty contact made them, and this is there with the impulses: */
    tl_buffer past;    /* real, TLK_CONTACT_PAST each: what springs keep; the last force */
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
    bool lonely;      /* no two shapes may touch */
    uint32_t entries; /* of shapes in bins, the most that there have been; 0: not known */
    uint32_t crowd;   /* contacts of a shape when they were last found, the mean */
    tl_buffer bin_start, bin, partner;
    tl_buffer near_start, near_a, near_b; /* uint32_t: pairs that are near, by owner */
    tl_buffer part, part_start, part_a, part_b, part_sub; /* the same by triangles (tlk_touching) */
    tl_buffer work, work_place, left;                     /* the order of the narrow phase, */
    tl_buffer normal, slot, slot_feature, points, rank;   /* and their points (tlk_touching) */
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
    const uint32_t *held;     /* tlk_find */
    bool filters;             /* some shapes have one of TLK_SHAPE_FILTERS */
    bool senses;              /* pairs with a sensor are wanted; else those without */
    uint32_t exclusions;      /* tlk_find */
    const uint64_t *excluded; /* likewise */
    bool manifolds;           /* some pairs are not simple */
    bool surfaces;            /* some shapes are made of triangles */
    bool places;              /* bounds are wanted where no two shapes may touch, too */
    const tl_contacts *last;  /* contacts of the last step, or NULL */
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
/* from pairs that are near (the lists of `view`, `near` of them) to their contacts, where some are
 * not simple; */
tl_status tl_collide_touch(tl_backend *backend, tl_collide *collide, const tl_collide_state *state,
                           const tlk_find *view, uint64_t near, tl_contacts *out);
/* and room for `total` contacts (refused from 2^31 on), `view` being told where. */
tl_status tl_collide_room(tl_backend *backend, uint64_t total, tlk_find *view, tl_contacts *out);

/* Gives contacts of simple pairs what those of manifolds have. */
tl_status tl_contacts_features(tl_backend *backend, tl_contacts *contacts);

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
