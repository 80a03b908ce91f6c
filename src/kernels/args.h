/* The argument structs of all kernels, and the views they share.
 *
 * The host fills them without knowing the precision: TLK_REAL is void there. Where kernels are
 * compiled (the CPU backend's kernels.c, the CUDA plugin) TLK_REAL is float or double; the layout
 * is the same. Every array says its length; lengths are in items of the array's own kind.
 *
 * Rows (contacts as the solvers see them) are kept in packets of TLK_LANES: field f of row s of an
 * array with F fields is at ((s / 8) * F + f) * 8 + s % 8. A packet's field is one vector register
 * on a CPU and one 32-byte sector on a GPU. */
#ifndef TL_KERNELS_ARGS_H
#define TL_KERNELS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TLK_REAL
#define TLK_REAL void
#endif

#define TLK_LANES   8u
#define TLK_NONE    0xffffffffu /* no body, no contact, no colour */
#define TLK_LEVELS  24u         /* levels of bins */
#define TLK_GLOBALS 64u         /* most shapes that every other shape is tested against directly */
#define TLK_COLOURS 64u         /* the last one holds what found no other and is solved in order */
#define TLK_CROWDED 48u /* pairs of a body, at most, that need no copies of it (docs/theory.md) */
#define TLK_SHARE   12u /* pairs of a copy, on average, at most */
#define TLK_HEAD    6u  /* fields of a row's head: normal (3), friction, two more (tlk_problem) */
#define TLK_ANCHORS \
    7u              /* further fields of an anchor row: anchors of a and b (3 + 3), step length */
#define TLK_PAIR 8u /* numbers of a pair of materials: tl_pair_def, and one that pads */
#define TLK_MATERIAL \
    8u /* fields of a row's materials: slide (3), soft, cohesion, rolling, spinning, step */
#define TLK_FRAME \
    20u /* doubles of a frame: origin, u, v, w, sizes, half its box, rounding, geometry */
#define TLK_SPAN         256               /* bins of a shape on an axis, below */
#define TLK_BINS_MAX     (1u << 16)        /* most bins of a shape on a level */
#define TLK_TOO_WIDE     (1u << 31)        /* a count that makes the step fail */
#define TLK_SEVERAL      (1u << 31)        /* in an entry: its shape has others */
#define TLK_ROW          (TLK_SEVERAL - 1) /* and the bits of the shape's row */
#define TLK_POINTS_MOST  4u                /* contact points of a pair of convex shapes */
#define TLK_KEPT         16u               /* reals that are kept of a contact (keep.h) */
#define TLK_CONTACT_PAST 12u               /* numbers that penalty contact keeps of a contact */
#define TLK_PARTNERS     16u /* partners that the counting pass keeps for each shape */
#define TLK_UNCUT        3u  /* an axis that is none: all of space */

/* Words of an entry (bins.h). */
#define TLK_ENTRY_CPU 5u
#define TLK_ENTRY_GPU 4u
#define TLK_ENTRY_BOX 3u /* words of a CPU's entry more, where it has a box */

/* Whether the first of two shapes owns the pair, by their levels and rows: the one on the finer
 * level (those that are not binned count as coarsest), else the earlier row. */
#define TLK_RANK(level) ((level) < TLK_LEVELS ? (int)(level) : -1)
#define TLK_OWNS(level, other, i, j) \
    (TLK_RANK(level) != TLK_RANK(other) ? TLK_RANK(level) > TLK_RANK(other) : (i) < (j))

/* Bits of body flags. */
#define TLK_BODY_ANISOTROPIC 1u /* the principal moments differ */

/* m: no coordinate of a body is as far as this from the origin. */
#define TLK_FAR 1e12

/* Fields of shape_info. */
#define TLK_SHAPE_KIND 0xfu /* tl_shape_kind */
#define TLK_SHAPE_CENTRAL \
    0x10u /* a sphere about its isotropic body's origin; or of a wall that never turns */
#define TLK_SHAPE_FIXED    0x20u  /* on a body that is not dynamic */
#define TLK_SHAPE_ROUNDED  0x40u  /* a box with rounded edges */
#define TLK_SHAPE_GROUPED  0x80u  /* its group or mask is not the default */
#define TLK_SHAPE_EXCLUDES 0x100u /* on a body that does not collide with some other */
#define TLK_SHAPE_SENSOR   0x200u
#define TLK_SHAPE_FILTERS  (TLK_SHAPE_GROUPED | TLK_SHAPE_EXCLUDES | TLK_SHAPE_SENSOR)
#define TLK_SHAPE_MATERIAL 16u /* shift */

/* Bodies: dynamic ones are rows [0, dynamic), the others follow up to `rows`. Velocities are in the
 * world frame; the fourth and eighth number of a row are the inverse mass and, for isotropic
 * bodies, the inverse inertia (0 for bodies that are not dynamic). */
typedef struct tlk_bodies {
    uint32_t rows, dynamic;
    double *pos;           /* 4 per row: x, y, z, 0 */
    double *quat;          /* 4 per row: w, x, y, z */
    TLK_REAL *vel;         /* 8 per row: v, 1/m, omega, 1/I */
    const double *inertia; /* 4 per row: principal moments, mass */
    const uint32_t *flags; /* TLK_BODY_ */
    const uint32_t *id;    /* 1-based index of the handle */
} tlk_bodies;

/* Shapes, ordered by body row; those of dynamic bodies are [0, dynamic). */
typedef struct tlk_shapes {
    uint32_t rows, dynamic;
    uint32_t frames;        /* how many are no spheres */
    const uint32_t *body;   /* body row */
    const uint32_t *info;   /* TLK_SHAPE_ */
    const uint32_t *filter; /* 2 per row: group, mask */
    const double *geom; /* 4 per row: centre in the body's frame, (bounding) radius; 0 of planes */
    const uint8_t *level;      /* level of bins, TLK_LEVELS for globals */
    const uint32_t *frame_of;  /* a row: its frame; TLK_NONE of spheres */
    const double *frame_local; /* TLK_FRAME each: body frame, the box about the ball's centre along
                                  the shape's axes (kernels/narrow/convex.h: the sizes) */
    double *frame;             /* the same in the world frame, by tlk_bounds */
    const double *numbers;     /* of geometries: vertices and what else their kinds have */
    const uint32_t *words;     /* likewise */
    const uint32_t *geometry;  /* 2 each: where the numbers and the words of a geometry begin */
    double *centre;            /* 4 per row: world centre, radius (-1: no sphere), by tlk_bounds */
    float *reach;              /* m, a row: within which it can touch something in this step */
} tlk_shapes;

/* One level of bins: cubes that tile space; their indices wrap at a power of two on each axis. */
typedef struct tlk_level {
    double inverse;             /* of a bin's edge */
    double reach;               /* m: shapes that reach no further are entered in one bin */
    uint32_t mask[3], shift[3]; /* of x, y, z in a key; x comes first, at shift 0 */
    uint32_t base;              /* first key */
    uint32_t used;              /* 0: nothing lives on this level; 1: nothing dynamic; 2 */
    double first[3]; /* bins from here to the mask on are told apart by the table; NaN: not sure */
    int64_t cut_low, cut_high; /* bins [cut_low, cut_high) along tlk_find.axis are looked at */
} tlk_level;

/* What collision detection works on; stages fill it from top to bottom. */
typedef struct tlk_find {
    tlk_bodies bodies;
    tlk_shapes shapes;
    double h, envelope;
    const TLK_REAL
        *seen;   /* 8 per body, where contacts are looked for again, else NULL: what attempts
                    at this step made of its velocity and what moves it besides, the least
                    and (4 on) the most of each component; 3: the most that it turned, 7:
                    1 where the last attempt sent it where it had not been expected */
    double deep; /* m: pairs are looked for that would overlap so much with these */
    const uint32_t *held; /* tlk_motion.held */
    uint32_t filters;     /* 1: some shapes have one of TLK_SHAPE_FILTERS */
    uint32_t senses;      /* TLK_SHAPE_SENSOR: pairs with a sensor are looked for; 0: the others */
    uint32_t exclusions;
    const uint64_t *excluded; /* pairs of bodies, by their handles: lower << 32 | higher, sorted */
    uint32_t globals;
    uint32_t axis; /* along which space is cut into parts, or TLK_UNCUT */
    tlk_level level[TLK_LEVELS];
    uint32_t global[TLK_GLOBALS]; /* shape rows */
    uint32_t keys;
    uint32_t *bin_start; /* keys + 2: counts, one key on; then where each bin begins */
    uint32_t *bin;       /* entries, bin by bin: TLK_ENTRY words each (bins.h) */
    uint32_t bin_stride; /* entries that there is room for, and some padding */
    uint32_t boxed;      /* 1: a CPU's entries have boxes, too: TLK_ENTRY_BOX words more */
    uint32_t partners;   /* that the counting pass keeps for each shape */
    uint32_t *partner;   /* so many a shape */
    uint32_t contacts;
    uint32_t *contact_start; /* shapes.rows + 2: counts, then their scan; the number of entries */
    uint32_t *contact_b;     /* contacts: the partner shape; the owner is the shape of the list */
    uint32_t *contact_a;     /* contacts: the owner; NULL: contact_b is all that is written */
    TLK_REAL *contact_n;     /* 4 per contact: normal from owner to partner, gap; NULL: not yet */
} tlk_find;

/* From pairs of shapes that are near to the points where they touch (manifolds). */
typedef enum tlk_keeping {
    TLK_KEEP_NOT = 0,
    TLK_KEEP_NEW = 1,
    TLK_KEEP_OLD = 2,
    TLK_KEEP_OPEN = 3 /* the narrow phase decides */
} tlk_keeping;

#define TLK_TOUCHED 255u /* pairs whose points are known; kinds of pairs are below it */

typedef struct tlk_touching {
    tlk_find find;              /* its contacts are the points, in lists by owner */
    const uint32_t *near_start; /* shapes.rows + 1: lists of the pairs that are near, by owner */
    const uint32_t *near_a, *near_b, *near_sub; /* sub: a triangle of b; NULL: none has any */
    uint32_t near;                              /* how many they are */
    uint32_t fresh; /* 1: only points that the velocities at the start do not make are wanted */
    uint32_t *part; /* pairs + 1: with how many triangles, then scanned; else NULL */
    uint32_t *part_start, *part_a, *part_b, *part_sub; /* the pairs with triangles, likewise */
    const uint32_t *old_start, *old_b, *old_feature;   /* points of the last step; NULL: none */
    const TLK_REAL *old_n, *old_kept;
    uint32_t *work;             /* per pair that is near: TLK_TOUCHED, or its kinds */
    const uint32_t *work_place; /* its place among all, by that */
    uint32_t *left;             /* the pairs that are left, by kinds */
    TLK_REAL *normal; /* 4 per pair that is near: the normal of its points, and a tlk_keeping */
    TLK_REAL *slot;   /* 4 for each of TLK_POINTS_MOST points: place, gap */
    uint32_t *slot_feature; /* for each of them */
    uint32_t *points;       /* pairs + 1: how many points each has, then scanned */
    uint32_t *rank;         /* pairs + 1: 1 where it has any, then scanned */
    TLK_REAL *place;        /* 4 per contact: on the owner's surface, from its ball's centre */
    uint32_t *feature;      /* 2 per contact: the triangle, the feature id */
    TLK_REAL *kept;         /* TLK_KEPT per contact: keep.h */
    uint32_t *pair;         /* pairs that touch + 1: the first contact of each */
} tlk_touching;

/* Putting the contacts of a part of space to those of the parts before it. */
typedef struct tlk_join {
    tlk_find find;           /* of the whole: contact_start, _a and _b are filled */
    const uint32_t *from;    /* shapes.rows + 1: lists of the part, by owner */
    const uint32_t *partner; /* their partners */
    uint32_t *count;         /* shapes.rows: contacts of each owner, all parts */
    uint32_t *end;           /* shapes.rows: where the owner's list ends so far */
} tlk_join;

/* runs of equal keys among sorted ones */
typedef struct tlk_ranges {
    const uint32_t *key;   /* count, sorted */
    uint32_t *begin, *end; /* a key */
    uint32_t count;
} tlk_ranges;

/* Matching contacts with those of the last step, list against list. */
typedef struct tlk_match {
    uint32_t contacts;                     /* how many there are now */
    const uint32_t *feature, *old_feature; /* 2 per contact; NULL: one contact for each pair */
    const TLK_REAL *place, *old_place;     /* 4 per contact, with these */
    const double *geom;                    /* of shapes: how far points may have moved */
    const uint32_t *start, *a, *b;         /* contacts now: lists of partners by owner */
    const uint32_t *old_start, *old_b;     /* and then */
    const TLK_REAL *old_gamma;             /* 4 per contact: impulse on the partner, world frame */
    const uint32_t *old_colour;            /* TLK_NONE where there was none */
    TLK_REAL *gamma;
    const TLK_REAL *old_moment; /* 4 per contact: moment on the partner; NULL: there are none */
    TLK_REAL *moment;
    uint32_t *colour;
} tlk_match;

/* Colouring contacts so that no two of a colour share a dynamic body, or a copy of one. A contact's
 * word: its colour; from bit 8 on and from bit 16 on, how often the copies of its two bodies were
 * doubled, that with the lower handle first. */
#define TLK_WORD_COLOUR 255u
typedef struct tlk_colour {
    const uint32_t *first;   /* pairs + 1: the first contact of each; NULL: each has one */
    const uint32_t *a, *b;   /* shapes of each contact */
    const uint32_t *feature; /* 2 per contact, or NULL: tlk_touching.feature */
    const uint32_t *shape_body, *shape_info;
    const uint32_t *id;    /* a body: its handle */
    const uint8_t *joined; /* a body: 1 where joints hold it; NULL: all or none are held */
    uint32_t dynamic;      /* dynamic bodies */
    uint32_t *colour;      /* a contact: its word */
    uint32_t *copy;        /* dynamic + 1: the first copy of each body; those of a crowded body are
                              1 << k, of others none. NULL: no body is crowded */
    uint32_t moving;       /* blocks: dynamic bodies, then copies; others come behind them */
    uint64_t *used;        /* a block: bit c is set where colour c is taken */
    uint64_t *bid;         /* a block: the highest bid of this round, 0 where there is none */
    uint32_t *fresh;       /* pairs without a colour, in any order */
    uint32_t *fresh_count; /* 2: how many they are, and how many of them are still left */
    uint32_t *key; /* a pair: colour * 4 + kind * 2 + wall (anchor rows: more than two points);
                      where some bodies are joined the last bit is 0 of their pairs, 1 of others */
} tlk_colour;

/* Where a gradient solver stands: decided by one-item kernels on the device, after a look at sums
 * over all rows, and read by the others, so that the host need not wait for every iteration. A
 * point is where the iterate was; the last two, the trial and the best so far stay where they are
 * and change names. */
#define TLK_POINTS  4u  /* x, old, z, best */
#define TLK_IMAGES  3u  /* N x, N old, N z */
#define TLK_HISTORY 10u /* objectives that spg looks back at */
typedef struct tlk_descent {
    double tolerance, residual; /* residual: the best point's, m/s */
    double t, beta, theta;      /* step; how far beyond x, from old, it starts; apgd's sequence */
    double part;                /* of the way from old to z that spg goes; else 1 */
    double objective, history[TLK_HISTORY];
    uint32_t limit, iterations, tries; /* iterations: accepted trials; tries: those refused since */
    uint32_t done;                     /* 1: nothing changes any more */
    uint32_t x, old, z, best;          /* points */
    uint32_t nx, nold, nz;             /* images of the first three */
} tlk_descent;

/* The problem that solvers see: rows of three (contacts) over velocity blocks of six (bodies). A
 * row is its normal and two anchors, from the bodies' origins to where the impulse acts. Rows
 * before `anchor_base` are central: the anchors are along the normal, the inertias of moving blocks
 * isotropic; the head ends with the lengths of the anchors. The others are anchor rows: the head
 * ends with the step lengths along the normal and in the tangent plane, and the anchors stand in
 * `anchors`. */
typedef struct tlk_problem {
    uint32_t rows; /* with the padding of packets; padded rows have a = TLK_NONE */
    uint32_t anchor_base;
    uint32_t items;          /* what sweeps go through: see tlk_item_row() */
    uint32_t item_rows;      /* of an item from anchor_base on */
    uint32_t blocks, moving; /* velocity blocks; those from `moving` on are never written */
    uint32_t coulomb;        /* friction law: 1 Coulomb, 0 the cone of the relaxation */
    uint32_t frictionless;   /* 1: friction is taken as 0 */
    double omega, lambda;
    double spared;           /* the part of the friction that gradient solvers leave unused */
    const uint32_t *a, *b;   /* rows: velocity blocks, a < moving */
    const TLK_REAL *head;    /* rows, TLK_HEAD fields */
    const TLK_REAL *anchors; /* rows - anchor_base, TLK_ANCHORS fields */
    const TLK_REAL
        *inverse;         /* blocks * 8: inverse inertia in the world frame, xx, yy, zz, xy, xz,
                             yz, 0, 0; zero where nothing moves; NULL: there are no anchor rows */
    const TLK_REAL *wall; /* anchor_base rows, 3 fields: the anchor of b where b does not move by
                             rows; NULL: no such block turns */
    const TLK_REAL *bias; /* rows, 1 field: m/s along the normal */
    const TLK_REAL *free; /* blocks * 8: velocities without the rows' impulses */
    TLK_REAL *gamma;      /* rows, 3 fields: impulse on b */
    TLK_REAL *vel;        /* blocks * 8: velocities with them */
    const TLK_REAL
        *material;    /* rows, TLK_MATERIAL fields (material.h); NULL: nothing but friction */
    TLK_REAL *moment; /* rows, 3 fields: moment on b; NULL: nothing resists rolling */
    /* for sweeps in which rows wait for each other; NULL and 0 where there are none such */
    uint64_t colours[2];   /* bit c: there are central rows of colour c; anchor rows */
    const uint16_t *turns; /* items: TLK_TURN_ at a, and at b << 8 */
    const TLK_REAL *mass;  /* items, 4 each, one by one: 1/m of a and b, 1/I of a and b */
    /* for solvers that gather: impulses row by row, where one load fetches them */
    const uint32_t *list_begin, *list_end; /* moving: rows of each block */
    const uint32_t *list;                  /* row * 2 + (1 where the block is b) */
    const TLK_REAL *sides; /* as the list, 4 each, d and l: an impulse's moment is -l d x gamma */
    TLK_REAL *x;           /* rows, 4 each: impulse, eta (0 of padded rows) */
    TLK_REAL *crowd;       /* moving: a bound of what rows do to a block, for jacobi */
    /* for gradient solvers */
    tlk_descent *descent;
    const double *dots; /* what tlk_gradient_rows adds up */
    TLK_REAL *points;   /* TLK_POINTS vectors like x */
    TLK_REAL *images;   /* TLK_IMAGES vectors N x, rows, 3 fields */
    TLK_REAL *r;        /* rows, 3 fields: the gradient at x = 0 */
} tlk_problem;

/* The coarse level of deep heaps (coarse.h): a lattice of nodes that is fixed in space, with
 * trilinear hat functions, and the factors that impulses get there. */
#define TLK_COARSE_MOMENTS 16u   /* of a block: net impulse (3), its first moments (9), power (4) */
#define TLK_COARSE_ENTRIES 44u   /* of a cell: the upper half of an 8 x 8 matrix, 8 of a vector */
#define TLK_COARSE_PARTS   32u   /* sums that the bodies of a cell are added up in */
#define TLK_COARSE_FIELDS  34u   /* numbers of a node: those of coarse.h, then 27 of the matrix */
#define TLK_COARSE_RECORD  7u    /* numbers of tlk_coarse.record */
#define TLK_COARSE_LANES   1024u /* that share the nodes in conjugate gradients */

typedef struct tlk_coarse {
    tlk_problem problem;  /* moments: as sweeps see it, with copies of crowded bodies as blocks */
    const double *pos;    /* 4 per body */
    uint32_t bodies;      /* that move */
    const uint32_t *copy; /* bodies + 1: the first copy of each; NULL: there are none */
    double origin[3], spacing;
    uint32_t cells[3], cell_count, node_count; /* there is one node more than cells on each axis */
    uint32_t steps;                            /* of conjugate gradients, at most */
    double slow;                 /* m/s: contacts that slip slower are about to stick */
    TLK_REAL *moment;            /* blocks, TLK_COARSE_MOMENTS each */
    uint32_t *key, *value;       /* bodies: their cell, and their rows; sorted by cell */
    const uint32_t *begin, *end; /* cells: their bodies among these */
    double *part;                /* cells * TLK_COARSE_ENTRIES * TLK_COARSE_PARTS */
    double *cell;                /* cells * TLK_COARSE_ENTRIES */
    double *node;                /* nodes * TLK_COARSE_FIELDS, field by field */
    double *record;              /* TLK_COARSE_RECORD */
    double *dots;                /* 2 * TLK_COARSE_LANES */
    const double *slope, *curve; /* what tlk_coarse_rows and tlk_coarse_curve add up */
    TLK_REAL *change;            /* rows, 3 fields: what impulses are to gain */
    TLK_REAL *change_vel;        /* blocks * 8: and what that makes of velocities */
} tlk_coarse;

/* How far sweeps go on in the direction of the last ones. */
typedef struct tlk_pace {
    double theta, beta, most; /* most: that beta may be */
    uint32_t done, unused;    /* parts of the fold that are done, where its last one decides */
} tlk_pace;

/* The rows that have joined bodies, by packets: the first ones of each segment. */
typedef struct tlk_joined_rows {
    const uint32_t *begin; /* segments: their first packet of rows */
    const uint32_t *first; /* segments: how many such packets come before theirs */
    uint32_t segments;
    uint32_t *packet; /* of them all: packets of rows, in their order */
} tlk_joined_rows;

/* What goes on with them, and where it was after the sweep before. */
typedef struct tlk_momentum {
    tlk_problem problem;      /* with the impulses that go on, push, as gamma and moment */
    const uint32_t *rows;     /* tlk_joined_rows.packet; NULL: all, */
    uint32_t row_packets;     /* so many */
    TLK_REAL *gamma, *moment; /* of the problem; moment: NULL where it has none */
    TLK_REAL *last_gamma, *last_moment;
    TLK_REAL *from;               /* impulses as the sweep began */
    TLK_REAL *last_vel;           /* moving * 8, of joined bodies */
    double *lambda, *last_lambda; /* of the rows of joints */
    uint32_t joint_rows;
    uint32_t dynamic;      /* blocks from here on are copies of crowded bodies, */
    const uint32_t *owner; /* of these */
    const uint8_t *joined; /* tlk_colour.joined */
    uint32_t *key, *side;  /* 2 per row: its free blocks, in order; row * 2 + (1: the block is b) */
    const double *dots;    /* what tlk_momentum_turn adds up */
    tlk_pace *pace;
} tlk_momentum;

/* A row's turn at a block: the colour of the row before it there, and whether it is itself the
 * first or the last of a sweep. Before the first comes the last, of the sweep before. */
#define TLK_TURN_COLOUR 63u
#define TLK_TURN_FIRST  64u
#define TLK_TURN_LAST   128u

/* How gaps are closed and overlaps removed within a step. */
typedef struct tlk_recovery {
    double h;
    double fraction,
        speed;      /* of an overlap that is removed in a step, and at most as fast as this */
    double gravity; /* m/s^2: velocities that remove an overlap lift by no more than its depth */
    uint32_t split; /* 1: by the position problem, not by the velocities */
} tlk_recovery;

/* Building rows from contacts. */
typedef struct tlk_build {
    tlk_bodies bodies;
    tlk_shapes shapes;
    const uint32_t *contact_a, *contact_b;
    const TLK_REAL *contact_n;
    const TLK_REAL *contact_gamma;
    const TLK_REAL *contact_place; /* 4 per contact, or NULL: tlk_touching.place */
    const uint32_t *first;         /* pairs + 1: the first contact of each; NULL: each has one */
    uint32_t item_rows;            /* of an item from anchor_base on */
    const uint32_t *key, *place;   /* a pair: its key, and its place in the order of keys */
    const uint32_t *segment_start; /* a key / 2: its first place; at the end, all contacts */
    const uint32_t *segment_item;  /* a key / 2: its first item */
    const TLK_REAL *pair;          /* TLK_PAIR per pair of materials */
    const double *slide; /* 3 per material: how its surface moves in itself, in the body's frame;
                            NULL: none does */
    uint32_t materials;
    uint32_t warm, anchor_base;
    uint32_t planar; /* 1: normals have no y, and bodies turn about y alone */
    tlk_recovery recovery;
    double restitution_speed;
    double rest;   /* m: the gap and the way in a step up to which contacts with a load are at rest;
                      -infinity: none is */
    double sticks; /* m: the gap up to which cohesion acts */
    const TLK_REAL *free;
    uint32_t *a, *b;
    TLK_REAL *head, *anchors, *wall, *bias, *gap, *gamma; /* wall: NULL where none turns */
    TLK_REAL *inverse;    /* bodies, by tlk_body_inverse; NULL: there are no anchor rows */
    const uint64_t *used; /* moving bodies: bit c where a row of colour c is on it */
    uint16_t *turns;      /* rows, or NULL: tlk_problem.turns and .mass are not wanted */
    TLK_REAL *mass;
    TLK_REAL *position_bias;  /* rows, by tlk_position_rows */
    const TLK_REAL *vel;      /* solved velocities, for tlk_position_rows */
    TLK_REAL *position_gamma; /* rows, 3 fields; zeroed */
    TLK_REAL *contact_gamma_out;
    TLK_REAL *material;             /* rows: tlk_problem.material, or NULL */
    TLK_REAL *moment;               /* rows, 3 fields: tlk_problem.moment, or NULL */
    const TLK_REAL *contact_moment; /* 4 per contact, or NULL */
    TLK_REAL *contact_moment_out;
    TLK_REAL *restitution;  /* rows, where impacts come before the problem, else NULL */
    const TLK_REAL *impact; /* rows, 3 fields: their impulses; NULL where there were none */
} tlk_build;

#define TLK_CLUMP 0.5 /* of its radius: a sphere of a clump moves far, or is deep in a plate */

#define TLK_PLANE_MOVES 0.01 /* of its half width: what moves so far within a step moves on */
#define TLK_PLANE_ANGLE 0.02 /* rad: and what turns so far */
#define TLK_PLANE_SWINGS \
    0.05 /* of its half width: what swings so far off a straight way, likewise */

/* Planes of contacts, chosen by motion. */
typedef struct tlk_planes {
    tlk_build build;
    const TLK_REAL *vel; /* 8 per body: velocities with the impulses that rows start with */
    double envelope;     /* m */
    double moves;        /* (m/s)^2: of a pair that moves on, at least; */
    double turns;        /* (rad/s)^2: or of one that turns, no ball */
    uint32_t *moved;     /* pairs: those that do, in any order */
    uint32_t *moved_count;
    const uint32_t *held; /* tlk_motion.held */
    const TLK_REAL *turn; /* 4 per body: how the last attempt at this step turned it, rad/s, for
                             those that carry planes (swing.h) */
    TLK_REAL *contact_n;
    TLK_REAL *contact_place; /* NULL: tlk_build.contact_place */
    uint32_t *feature;       /* NULL: tlk_touching.feature */
} tlk_planes;

/* Crowded bodies in sweeps: each of their pairs has one of several copies of the body, which share
 * its mass and inertia evenly. */
typedef struct tlk_split {
    tlk_colour colour;
    tlk_build build; /* what the rows were built with */
    uint32_t copies; /* 0: no body is crowded, and there is nothing else here */
    uint32_t pairs;
    uint32_t *owner;      /* copies: the bodies that they are of */
    uint32_t *a, *b;      /* rows: blocks in place of bodies */
    TLK_REAL *vel;        /* blocks * 8: bodies that move, copies, bodies that do not */
    TLK_REAL *inverse;    /* blocks * 8: tlk_problem.inverse of them, or NULL */
    TLK_REAL *bodies_vel; /* 8 per body: where velocities come from and go to */
} tlk_split;

/* Impacts, pair by pair in rounds, before the velocity problem. */
typedef struct tlk_impact {
    tlk_problem problem; /* its vel is what impacts change */
    tlk_bodies bodies;
    const TLK_REAL *gap;         /* rows */
    const TLK_REAL *restitution; /* rows */
    const TLK_REAL *before;      /* blocks * 8: velocities at the start of the step */
    const TLK_REAL *free;        /* blocks * 8: these with the step's forces */
    TLK_REAL *pseudo; /* blocks * 8: what bodies move by in addition to vel, over the step */
    tlk_recovery recovery;
    double h;
    double slow;       /* m/s: slower ones do not bounce */
    double ahead;      /* of a step: how far velocities are ahead of where it begins */
    uint32_t round;    /* below 255 */
    uint64_t *bid;     /* moving: the highest bid of this round for each body */
    uint32_t *changed; /* moving: the round, counted from 1, that changed it last */
    float *clock;      /* moving: s into the step, when its last impact was */
    uint64_t *offer;   /* rows: what each bids; 0 where it is not hit */
    uint32_t *count;   /* rows: its impacts in this step */
    TLK_REAL *impulse; /* rows, 3 fields: the sum of its impacts, on b */
    TLK_REAL *bias;    /* rows: the problem's; these too: */
    TLK_REAL *head, *anchors, *inverse;
    double *spun;     /* moving * 4: the attitude of a body with three moments at its last impact,
                         which vel and inverse of it are at, too */
    TLK_REAL *struck; /* blocks * 8: velocities before the problem; by tlk_impact_settle those that
                         the attitude at the start has */
} tlk_impact;

/* The velocity problem, be impacts part of it or not: what its impulses did to the energy, and how
 * much of it stays. */
typedef struct tlk_bounce {
    tlk_problem problem;    /* solved */
    const TLK_REAL *before; /* blocks * 8: the velocities that it began with */
    const TLK_REAL *gap;    /* rows */
    tlk_recovery recovery;
    double *work;       /* rows, TLK_BOUNCE each, one by one */
    const double *part; /* moving: how much of what the problem did to a body stays */
    tlk_bodies bodies;
    uint32_t apart;         /* 1: impacts came before it */
    uint32_t start;         /* 1: it is still being solved */
    const uint32_t *joined; /* tlk_joined_rows.packet */
} tlk_bounce;

#define TLK_BOUNCE 3u

/* How deep contacts overlap. */
typedef struct tlk_deep {
    tlk_shapes shapes;
    const uint32_t *contact_a, *contact_b;
    const TLK_REAL *contact_n;
    double worst;
} tlk_deep;

/* Lists of rows by velocity block, for gathering. */
typedef struct tlk_lists {
    tlk_problem problem;
    uint32_t *key, *value; /* 2 per row; sorted by key in between */
    TLK_REAL *sides;       /* 4 an entry of the sorted list */
} tlk_lists;

/* Which shapes are on bodies that are marked. */
typedef struct tlk_flagging {
    const uint32_t *body; /* a shape: its body row */
    uint32_t *info;       /* a shape: TLK_SHAPE_ */
    const uint8_t *mark;  /* a body row */
    uint32_t flag;        /* that their shapes have, and no others */
} tlk_flagging;

/* Whether the shapes of one body turn with it. */
typedef struct tlk_turning {
    const uint32_t *body; /* a shape: its body row */
    uint32_t *info;       /* a shape: TLK_SHAPE_ */
    uint32_t row, turns;
} tlk_turning;

/* Forces and integration. */
typedef struct tlk_motion {
    tlk_bodies bodies;
    double gravity[3], h, max_speed;
    double jump;    /* m: a body that would end further from where it was expected is not to move */
    TLK_REAL *seen; /* tlk_find.seen, or NULL: nothing but the velocity at the start */
    uint32_t looks; /* how many attempts are in it */
    uint32_t planar;        /* 1: bodies keep y, and turn about it alone */
    const uint32_t *forced; /* rows of the bodies that forces act on, each once */
    const double *wrench;   /* 6 each: force and torque on those */
    TLK_REAL *free, *vel;   /* 8 per body */
    const TLK_REAL *pseudo; /* 8 per body, or NULL */
    TLK_REAL *pseudo_out;
    uint64_t *halt;  /* one number: not 0 where a body must not move, and the step has failed */
    uint64_t step;   /* its number: with the body's, what roundings are drawn by */
    double up[3];    /* unit, against gravity; zero without gravity */
    double layer[2]; /* m along it, and 1/m: a body at height x is in layer (x - first) * second */
    uint32_t *whole; /* of smooth steps, per body: 1: forces act at once, as the step begins, not in
                        two halves; NULL: those of all do */
    uint32_t end;    /* 1: the second halves, where bodies have moved */
    const uint32_t
        *held; /* per body, or NULL: bit k where it turns by 2^-k rad at the most; and: */
} tlk_motion;

#define TLK_CARRIES    (1u << 31) /* planes turn with it */
#define TLK_HELD_LEAST (1u << 12) /* the last bit of an angle */

/* What swings through something within a step. */
typedef struct tlk_swings {
    tlk_motion motion; /* with the velocities that were found */
    tlk_shapes shapes;
    const uint32_t *contact_a, *contact_b, *first, *feature; /* as tlk_build and tlk_planes */
    const uint32_t *moved;                                   /* pairs: those that are looked at */
    TLK_REAL *turn;                                          /* tlk_planes.turn */
    uint32_t *held;                                          /* tlk_motion.held */
    uint64_t *bid; /* moving: the highest bid of a pair that its body is to be put back in */
} tlk_swings;

/* Which bodies a smooth step leaves to the contacts. */
typedef struct tlk_smooth {
    tlk_problem problem;
    const TLK_REAL *gap; /* rows */
    double h;
    uint32_t *whole; /* tlk_motion.whole */
    /* of impacts that are part of the problem: */
    const TLK_REAL *before; /* blocks * 8: velocities at the start of the step */
    TLK_REAL *bias;         /* rows: the problem's */
    tlk_recovery recovery;
} tlk_smooth;

/* The audit of a step. */
typedef struct tlk_audit {
    tlk_problem problem;
    const TLK_REAL *gap;    /* rows */
    const TLK_REAL *impact; /* rows, 3 fields: impulses before the problem; NULL: none */
} tlk_audit;

/* Bodies in a new order, with their shapes and contacts: along a space-filling curve, or without
 * those that are gone and with those that are new. "Old" rows are those in memory, what was
 * appended included; rows that go have no new one. */
typedef struct tlk_order {
    tlk_bodies bodies;
    double low[3], scale;
    uint32_t *key, *value;                   /* of bodies, then of contacts; sorted */
    const uint32_t *order;                   /* a new body row: the old one */
    const uint32_t *shape_begin, *shape_end; /* an old body row: its shapes */
    uint32_t *first;                         /* a new body row: its shapes' count, then first */
    uint32_t *shape_from, *shape_to;         /* old row of a new shape; the inverse, or TLK_NONE */
    uint32_t *shape_body;                    /* new */
    uint32_t shapes, shape_dynamic;          /* new */
    const uint32_t *info;                    /* old */
    const uint8_t *level;                    /* an old shape: its new level */
    const uint32_t *frame_of;                /* an old shape: its frame, or TLK_NONE */
    uint32_t *frame_rank;           /* new shapes + 1: 1 where there is a frame, then scanned */
    uint32_t *frame_from;           /* a new frame: the old one */
    uint32_t *frame_out;            /* a new shape: its frame, or TLK_NONE */
    const uint32_t *a, *b, *colour; /* contacts */
    const TLK_REAL *n, *gamma;
    const TLK_REAL *moment; /* NULL: there are none */
    const TLK_REAL *place; /* NULL: each pair has one contact, and this and feature are not there */
    const uint32_t *feature;
    const TLK_REAL *kept;
    const double *centre; /* old shapes' */
    uint32_t *a_out, *b_out, *colour_out, *feature_out;
    TLK_REAL *n_out, *gamma_out, *moment_out, *place_out, *kept_out;
    const TLK_REAL *past; /* NULL: there are none */
    TLK_REAL *past_out;
    const uint32_t *list_begin, *list_end; /* a shape: its contacts among the sorted ones */
    uint32_t *start;                       /* shapes + 1 */
} tlk_order;

/* Rows of an array in a new order. */
typedef struct tlk_gathering {
    const uint32_t *order; /* old row of each new one */
    const uint32_t *from;
    uint32_t *to;
    uint32_t words; /* a row */
} tlk_gathering;

/* Items that were chosen, as a list. */
typedef struct tlk_picking {
    const uint32_t *place; /* items + 1: 1 where an item is chosen, then scanned */
    uint32_t *list;
    uint32_t rows; /* item i stands for row i or, from here on, i - rows */
} tlk_picking;

/* Levels of bins for shapes, by their radii. */
typedef struct tlk_sizes {
    const double *geom;        /* 4 per shape, old rows */
    const uint32_t *info;      /* likewise */
    const uint32_t *filter;    /* 2 per shape: group, mask */
    const uint32_t *to;        /* new row, or TLK_NONE: the shape does not count */
    double top;                /* m, what halvings are counted from */
    double limit;              /* m, shapes above are not binned */
    double flat;               /* m, walls that are thin need no larger bins than for this radius */
    const uint32_t *frame_of;  /* old rows */
    const double *frame_local; /* TLK_FRAME per frame */
    uint32_t most;             /* halvings */
    uint32_t base;             /* tlk_size_counts: eight classes from here on */
    uint32_t sensors;          /* folds look at TLK_SHAPE_SENSOR: sensors; 0: the others */
    double sensor_limit;       /* m, sensors above are not binned */
    uint8_t *level;            /* an old row */
    uint32_t *direct;          /* a new row: 1 where the shape is not binned */
} tlk_sizes;

/* A region of space, as tl_region. */
typedef struct tlk_region {
    uint32_t kind; /* tl_region_kind */
    double low[3], high[3], centre[3], axis[3], radius;
} tlk_region;

/* Changing the set of bodies: which of them go, in what order the others and the new ones are, and
 * what is near a place where bodies are to come. */
typedef struct tlk_edit {
    tlk_bodies bodies;
    tlk_shapes shapes;
    uint8_t *gone;         /* a body row: 1 for those that go; NULL: none */
    const uint32_t *named; /* body rows */
    tlk_region region;
    uint32_t inside; /* 1: bodies in the region go; 0: those outside */
    uint32_t all;    /* body rows with those appended */
    uint32_t *keep;  /* 2 * all + 1: 1 for dynamic rows that stay, behind them for the others */
    double low[3], high[3]; /* a box; edit_behind: a point and a direction */
    double length;          /* m, edit_behind: how far behind the point */
    uint32_t first, count;  /* edit_behind: grains are so many handles from here on */
    uint32_t *near;         /* shapes.rows + 1: 1 for those that may meet the box, then scanned */
    const uint32_t *list;   /* those */
    uint32_t balls;         /* how many of them are of dynamic bodies: spheres, which come first */
    double *ball;           /* 4 each: centre in the world frame, radius */
    double *pos, *quat, *geom, *frame; /* of the others: their bodies' pose, ball and frame */
    uint32_t *info;
} tlk_edit;

/* A ray, in the world frame; or in that of a body (its mass's), where monitors have it so. */
typedef struct tlk_ray {
    double origin[3];
    double direction[3]; /* of unit length */
    double limit;        /* m: how far it goes */
    uint32_t ignore;     /* body row that it goes through, or TLK_NONE */
    uint32_t hollow;     /* 1: from inside a solid it hits where it leaves */
} tlk_ray;

/* Where a ray ends. */
typedef struct tlk_ray_hit {
    double distance, normal[3];
    uint32_t row;        /* of the shape, or TLK_NONE: nothing is hit */
    uint32_t id, number; /* handle index of its body, and which of the body's shapes it is */
    uint32_t triangle;   /* of a mesh or height field, or TLK_NONE */
    uint32_t inside;     /* 1: it began in the solid, or the triangle was hit from behind */
    uint32_t unused;
} tlk_ray_hit;

/* How a shape lies to that of a query. */
typedef struct tlk_neighbour {
    double gap, normal[3], point[3]; /* point on the surface of the query's, from its origin */
    uint32_t id, number, triangle;   /* as of tlk_ray_hit */
    uint32_t met;                    /* 0: they are farther apart than was asked for */
} tlk_neighbour;

/* What is asked about the shapes of a world at their present poses. */
typedef struct tlk_query {
    tlk_bodies bodies;
    tlk_shapes shapes;
    double *box; /* 6 per shape, low and high; infinite of planes */
    const tlk_ray *ray;
    tlk_ray_hit *hit;
    /* a tree of boxes (base/boxes.h) around all shapes but planes; without: one after the other */
    const uint32_t *node, *order; /* 6 a node; the shape of each item */
    uint32_t items, leaves, root;
    double middle[3];
    const uint32_t *endless; /* rows of planes */
    uint32_t planes;
    /* the shape that others are compared with */
    uint32_t kind, ignore;   /* ignore: body row, or TLK_NONE */
    double frame[TLK_FRAME]; /* in the world frame; of spheres, too */
    double low[3], high[3];  /* a box around it */
    double margin;           /* m: how far apart */
    uint32_t *near;          /* 1 per shape, scanned then: whether its box is near */
    const uint32_t *list;    /* those that are */
    tlk_neighbour *found;    /* one for each of them */
} tlk_query;

/* What a monitor measures, for a fold over contacts or bodies. A group is a bit of the words that
 * each body row has in `member`, or one of two that need none. */
#define TLK_GROUP_ALL  0xffffffffu /* every body */
#define TLK_GROUP_REST 0xfffffffeu /* of `by`: those that are not in `on` */

typedef struct tlk_monitor {
    tlk_motion motion;
    tlk_shapes shapes;
    const uint32_t *member; /* `words` a body row */
    uint32_t words;
    uint32_t on, by;                       /* groups */
    const uint32_t *contact_a, *contact_b; /* of the step: shapes */
    const TLK_REAL *contact_n;             /* 4 per contact: normal from a to b, gap */
    const TLK_REAL *contact_place;         /* 4 per contact, or NULL: tlk_touching.place */
    const TLK_REAL *contact_gamma;         /* 4 per contact: impulse on b; NULL: none has any */
    const TLK_REAL *contact_moment;        /* 4 per contact: moment on b, or NULL */
    uint32_t *touching;                    /* a body row: 1 where it touches `on` */
    uint32_t shape;                        /* number of the body's shape, or TLK_NONE: any */
    uint32_t origin;                       /* moments about this body row's origin; TLK_NONE: */
    double point[3];                       /* about this point; and a point of a plane */
    double normal[3];                      /* of the plane; all 0: there is none */
    uint32_t within;                       /* 1: bodies in the region alone */
    tlk_region region;
    uint32_t quantity; /* tlk_monitor_mean: 0 position, 1 velocity, 2 angular velocity */
    uint32_t plain;    /* and 1: every body counts the same */
    tlk_ray ray;       /* in the frame of body row `origin`, if that is one */
} tlk_monitor;

#endif
