/* What the kernels of penalty contact see. Places and velocities of bodies are 64-bit, whatever the
 * precision of the world: a substep adds little to either. What contacts keep and what acts in
 * them is `real`. */
#ifndef TL_KERNELS_PENALTY_ARGS_H
#define TL_KERNELS_PENALTY_ARGS_H

#include "kernels/args.h"

/* Numbers of a pair of materials (step/penalty_law.c). */
enum {
    TLK_LAW_YOUNG = 0,    /* E*, Pa: 1/E* is the sum of (1 - nu^2)/E */
    TLK_LAW_SHEAR = 1,    /* G*, Pa: 1/G* is the sum of (2 - nu)/G */
    TLK_LAW_FRICTION = 2, /* mu */
    TLK_LAW_RESTITUTION = 3,
    TLK_LAW_RATIO = 4, /* zeta: damping over that of critical damping */
    TLK_LAW_ROLLING = 5,
    TLK_LAW_SPINNING = 6,
    TLK_LAW_COHESION = 7, /* N */
    TLK_LAW_DENSITY = 8,  /* J/m^3 */
    TLK_LAW_SPRING = 9,   /* N/m: a constant stiffness; 0: by the law */
    TLK_LAW_DAMPER = 10,  /* s: damping over this stiffness; below 0: by TLK_LAW_RATIO */
    TLK_LAW_ACROSS = 11,  /* of Hertz: the root of stiffness across the normal over that along it */
    TLK_LAW_NUMBERS = 12
};

/* What a contact keeps from substep to substep, TLK_HISTORY numbers of a slot. */
enum {
    TLK_PAST_SHEAR = 0,  /* N, three: force of the tangential spring on the partner */
    TLK_PAST_SLOPE = 3,  /* N/m: its stiffness then */
    TLK_PAST_ROLL = 4,   /* N m, three: moment of the rolling spring on the partner */
    TLK_PAST_TOUCHED = 7 /* 1: it touches; of JKR: it has not been pulled off */
};
#define TLK_PAST       8u
#define TLK_PAST_PLAIN 4u /* of a slot where all pairs are plain: plain.h */

/* What is summed over the substeps of a chunk, of a slot. */
enum {
    TLK_SUM_IMPULSE = 0, /* N s, three: on the partner */
    TLK_SUM_LOST = 3     /* J: by damping and slip */
};
#define TLK_SUM 4u

/* What is written where forces are the last of a chunk (tlk_penalty_last), of a slot; elastic
 * energy of JKR always. Work is summed over the substeps, but rare. */
enum {
    TLK_LAST_ELASTIC = 0, /* J */
    TLK_LAST_FORCE = 1,   /* N, three: on the partner */
    TLK_LAST_STIFF = 4,   /* N/m: along the normal; 0: no point */
    TLK_LAST_DAMP = 5,    /* N s/m: along the normal; where there is stiffness */
    TLK_LAST_SHEAR = 6,   /* N/m: across it, likewise */
    TLK_LAST_WORK = 7     /* J: done by bodies that are not dynamic, and by surfaces that move */
};
#define TLK_LAST 8u
#define TLK_LAST_WHOLE                                                         \
    4u /* in one pass over bodies: what follows is worked out anew; work apart \
        */

#define TLK_ROLL 4u /* of a slot, where something rolls: moment, N m s, three */

#define TLK_COUPLE 4u /* real numbers that a tlk_couple (plain.h) has the size of */

/* Bits of tlk_penalty.acts. */
#define TLK_ACTS  1u /* the pair acts; else its loads are 0 */
#define TLK_KEEPS 2u /* TLK_PAST_TOUCHED of its slot */

/* What kernels of near balls (near.h) have of a pair, side by side with seven others. */
enum {
    TLK_NEAR_PAST = 0, /* four: TLK_PAST_PLAIN */
    TLK_NEAR_SUM = 4,  /* four: TLK_SUM */
    TLK_NEAR_RADIUS = 8,
    TLK_NEAR_MASS = 9, /* tlk_couple */
    TLK_NEAR = 10
};
/* And in whole numbers. */
enum {
    TLK_NEAR_PAIR = 0,
    TLK_NEAR_A = 1, /* shapes, and the rows of their bodies */
    TLK_NEAR_B = 2,
    TLK_NEAR_AT = 3, /* two: where its sides are among the loads */
    TLK_NEAR_WORDS = 5
};
/* tlk_penalty.nears of a pair. */
enum { TLK_PAIR_FAR = 0, TLK_PAIR_NEAR = 1, TLK_PAIR_WALL = 2 };

/* A slot as it is: its place on the owner's surface from its ball's centre, gap, normal, and 1
 * where there is a point, else 0. */
#define TLK_PLACE 8u

#define TLK_SPOT 16u /* of a pair with what is not dynamic: whole.h */

#define TLK_TOGETHER 32u /* bodies whose near pairs are listed one after the other: whole.h */

#define TLK_FORCE 9u /* of an item: force on the partner, moments on owner and partner */
#define TLK_LOAD \
    8u /* of an item's side: force and moment on its body, three numbers of four each */

/* What moves the bodies in a launch (move.h). */
typedef enum tlk_advance_kind {
    TLK_MOVE_FIRST = 0, /* verlet: half a kick, drift */
    TLK_MOVE_NEXT = 1,  /* verlet: half a kick, half a kick, drift */
    TLK_MOVE_LAST = 2,  /* verlet: half a kick */
    TLK_MOVE_EULER = 3,
    TLK_MOVE_SEMI = 4,
    TLK_MOVE_STAGE = 5,  /* Runge and Kutta: the first three stages */
    TLK_MOVE_FOURTH = 6, /* and the last */
    TLK_MOVE_NOT = 7
} tlk_advance_kind;

typedef struct tlk_penalty {
    tlk_bodies bodies;
    tlk_shapes shapes;
    uint32_t law, rolling, cohesion, form; /* tl_penalty_def */
    uint32_t attraction;                   /* 1: damping may pull */
    double stiffness, tangential, damping, friction, threshold;
    double gravity[3], h; /* s: a substep */
    uint32_t planar;
    double max_speed, margin;
    uint64_t *halt;       /* bits: 1, a body runs away; 2, one has left the margin; 4, or will soon;
                             8, one has left the skin */
    const double *table;  /* TLK_LAW_NUMBERS per pair of materials */
    const double *slides; /* 3 per material, or NULL: no surface moves in itself */
    uint32_t materials;

    /* pairs, and springs behind them: items */
    uint32_t pairs, springs, slots; /* slots of a pair */
    const uint32_t *first;          /* pairs + 1: their first contacts, or NULL: each has one */
    const uint32_t *a, *b;          /* of contacts: shapes */
    const uint32_t *feature;        /* 2 of each, or NULL */
    TLK_REAL *past, *sum, *last;    /* of slots */
    TLK_REAL *roll;                 /* likewise, or NULL: nothing rolls */
    double *place;                  /* likewise, or NULL: each pair has one point */
    uint32_t keeps;                 /* numbers of `past` per slot: TLK_PAST or TLK_PAST_PLAIN */
    uint32_t lasts;                 /* likewise of `last`: TLK_LAST or TLK_LAST_WHOLE */
    TLK_REAL *worked;               /* per slot, where the latter and something not dynamic moves:
                                       TLK_LAST_WORK */
    uint8_t *acts;                  /* per pair, of several points always TLK_ACTS; NULL: in one
                                       pass over bodies, where tlk_penalty_touched() tells */
    struct tlk_couple *couple;      /* per pair, or NULL: they may have several points, or bodies
                                       work it out in one pass */
    struct tlk_spring *spring;
    uint32_t rods; /* behind springs, two items each: what acts on one end and on the other */
    struct tlk_rod *rod;
    double *rod_from;             /* 6 per rod: its ends when pairs were found */
    double *rod_frame, *rod_geom; /* frames and balls of shapes, those of rods to be written */
    double *stretch;              /* 2 per pair, or NULL: what stretches its rods, N */
    const uint32_t *list, *list_begin, *list_end; /* of each dynamic body: 2 * item + side */
    const uint32_t *at;                           /* 2 per item: where its sides are in the lists */
    TLK_REAL *load; /* TLK_LOAD per place of the lists: what acts on the body there; behind
                       all, at 2 * items, one that is 0 */
    uint32_t items;

    /* Verlet's method: what moves bodies reads `from` and writes `to`, one place or two. Where all
     * pairs are plain and nothing else acts (`light`), forces read velocities from `pace`, and
     * `vel` is written where forces are the last of a chunk. */
    uint32_t light;
    uint32_t central;   /* 1: light, and dynamic bodies are balls about their centres, in the order
                           of their shapes, and `from` is shapes.centre */
    uint32_t simple;    /* 1: central, and none of them has three moments */
    const double *from; /* 4 per dynamic row: where bodies are, or NULL: bodies.pos */
    double *to;
    const TLK_REAL *pace; /* 8 per row, as vel */
    TLK_REAL *to_pace;
    /* balls that are near (near.h): central, not in one pass */
    double skin;             /* m: no ball goes further than half of it; 0: than the margin lets */
    const double *near_from; /* 4 per ball: from there on */
    uint32_t near;           /* how many pairs */
    uint32_t near_walls;     /* where pairs with what is not dynamic begin, behind them */
    uint8_t *nears;          /* per pair; or NULL: pairs are not told apart */
    TLK_REAL *near_of;       /* TLK_NEAR of each that is near */
    uint32_t *near_word;     /* TLK_NEAR_WORDS of each; with others TLK_NEAR_PAIR alone */
    uint32_t *near_end;      /* where the loads of bodies end */
    /* a substep in one pass over bodies (whole.h): what it writes while neighbours read `past`;
     * lists of near pairs, which end at near_end, and along them the partner */
    TLK_REAL *to_past;
    uint32_t *near_list, *near_other;
    uint32_t looks; /* 1: pairs are told apart for the first time in this chunk */
    uint32_t ends;  /* 1: its last forces come before they are again */
    double arm;     /* m: no ball is further from the centre of its body */
    double fastest; /* m/s: of what surfaces do while lists of near pairs last; 0: any */
    uint32_t calm;  /* 1: so slow that no ball leaves the margin in the chunk */
    TLK_REAL *spot; /* of a simple world: TLK_SPOT along the list's part of no dynamic body */

    /* of a launch */
    double advance;   /* s: what springs of contacts advance by in this evaluation */
    double weight;    /* s: what forces count with in sums */
    uint32_t commits; /* 1: what contacts keep is kept */
    uint32_t moves;   /* tlk_advance_kind */
    double stage;     /* Runge and Kutta: of h, where the next stage is */
    double share;     /* and this one's share of the step */

    /* bodies, 8 numbers per row: velocity, angular velocity */
    double *vel;             /* that forces are evaluated at */
    double *half;            /* verlet: half a substep before; `light`: the same as vel */
    double *start, *sums;    /* Runge and Kutta: 16 per row: pose and velocity at the start of the
                                substep; 16: what stages add up to */
    const double *wrench;    /* 6 of bodies that forces act on, */
    const uint32_t *forced;  /* per dynamic row: which, or TLK_NONE; NULL: none */
    double *work;            /* J: of these forces, per dynamic row; NULL: none */
    const double *reference; /* 4 per shape: centres when pairs were found */
    const double *turned;    /* 4 per body, from row `upright` on: attitudes then */
    uint32_t upright;        /* balls may turn */
    const double *saved_pos; /* 4 per body: where the step began */
    TLK_REAL *mean;          /* 8 per body: what velocities were on average */
    double step;             /* s */
    uint64_t number;         /* of the step: what roundings are drawn by */
    double up[3], layer[2];

    /* contacts: the set that is read and saved */
    TLK_REAL *n, *gamma, *moment, *contact_place; /* moment: or NULL */
    TLK_REAL *contact_past;                       /* TLK_PAST and the last force, 3, of each */
    uint32_t *points;                             /* pairs + 1: how many points, then scanned */
    uint32_t *out_a, *out_b, *out_feature;
    TLK_REAL *kept;
    /* what pairs had before */
    const uint32_t *old_start, *old_b, *old_feature;
    const TLK_REAL *old_past, *old_place, *old_n;

    /* lists of items by body */
    uint32_t *key, *value;
    /* collisions: pairs by colour */
    const uint32_t *colour_place;
    uint32_t *order;

    uint32_t stands; /* 1: what is not dynamic does not move in this step */
    uint32_t begins; /* 1: forces where a step begins, nothing has moved yet */
} tlk_penalty;

/* A rod without mass between the centres of two bodies. Its velocity in `vel` is that of its middle
 * and how it turns; the fourth number is how fast it stretches, 1/s, and the eighth 1 + its own
 * number, 0 of all other bodies. */
typedef struct tlk_rod {
    uint32_t row, shape; /* its body; its capsule, or TLK_NONE: not looked for yet */
    uint32_t end[2];     /* rows of the bodies that carry it */
    double keeps;        /* m: the length that it keeps; 0: free */
    double n[3], length; /* from the first to the second, where forces were evaluated last */
    double old[3];       /* the same where the substep began */
    double stiff, damp;  /* 1/s^2, 1/s: its contacts, at last */
    double work, lost;   /* J, in the chunk: done by ends that are not dynamic; where an impulse
                            made it keep its length */
} tlk_rod;

/* A spring between two bodies. */
typedef struct tlk_spring {
    uint32_t a, b;           /* body rows, or TLK_NONE: the ground */
    double at_a[3], at_b[3]; /* m, in the frames of the bodies (ground: world) */
    double length, stiffness, damping;
    double lost, energy; /* J: sums of the chunk; at last */
    double work;
    double force[3]; /* N: on b, at last */
} tlk_spring;

/* What springs did, as what is kept of their joints. */
typedef struct tlk_spring_told {
    const tlk_spring *spring;
    struct tlk_joint_memory *memory;
} tlk_spring_told;

#endif
