/* Penalty contact: what a world keeps for it. A step is divided into chunks, at the start of which
 * pairs are found, and these into substeps. */
#ifndef TL_STEP_PENALTY_H
#define TL_STEP_PENALTY_H

#include "kernels/penalty/args.h"
#include "step/step.h"

/* Rows of the table of materials: tlk_penalty_times. */
#define TL_MATERIAL_TIMES 4u

struct tl_penalty {
    tl_buffer vel, start, sums;     /* double per row: tlk_penalty */
    tl_buffer half;                 /* likewise, where not `light` */
    tl_buffer pace;                 /* real per row */
    tl_buffer work, forced;         /* per dynamic row */
    tl_buffer past, roll, place;    /* of slots */
    tl_buffer sum, last, worked;    /* likewise, in the arena */
    tl_buffer acts, couple;         /* of pairs */
    tl_buffer key, value, range;    /* lists of items by body */
    tl_buffer at, load;             /* of items, and along the lists */
    tl_buffer pace2, past2, place2; /* of `whole`: what is read while pace, past and places
                                       are written, and the other way */
    tl_buffer other, spot;          /* and tlk_penalty.near_other, .spot */
    tl_buffer nears, near_of, near_word, near_row, near_end, near_from; /* tlk_penalty.near */
    uint32_t still[2];                 /* places of the lists that this is of */
    tl_buffer reference, turned;       /* where shapes were when pairs were found */
    tl_buffer saved_pos, saved_quat;   /* the state that the step began with */
    tl_buffer table, times, slides;    /* double: of materials */
    tl_buffer spring;                  /* tlk_spring */
    tl_buffer rod, rod_from, stretch;  /* tlk_rod; double: tlk_penalty */
    uint32_t kept[TLK_COLOURS + 1];    /* where colours of rods that keep their lengths begin */
    tl_buffer points, order;           /* uint32_t; order: pairs by colour */
    uint32_t colours[TLK_COLOURS + 1]; /* where colours begin in it */
    tl_buffer halt;                    /* uint64_t */
    tl_array springs, forced_rows, numbers; /* on the host */
    tl_array rods;                          /* tlk_rod, likewise */
    tl_contacts list;                       /* pairs, as they were found */
    bool tables, timed;                     /* those of materials are of now; what times */
    bool plain;                             /* of these: all pairs are (tlk_couple) */
    bool balls, centred, round;             /* all that moves; about the centres of bodies; with one
                                               moment */
    bool light, whole;                      /* tlk_penalty.light; one pass over bodies */
    bool valid;         /* pairs and what their slots keep are of the present state */
    bool forces;        /* slots have the forces of the present state */
    bool phased;        /* the caller says when pairs are found and collide */
    bool warned;        /* that substeps are long */
    uint32_t upright;   /* tlk_penalty.upright */
    uint32_t items;     /* that lists are of */
    uint32_t idle;      /* steps since the second set of contacts was needed */
    uint32_t looked_at; /* of pairs in a substep: near ones, filled up to eights, and others */
    bool soon;          /* half of what shapes may move is used up */
    double margin;      /* m: with which they were found */
    double arm;         /* tlk_penalty.arm */
    uint32_t passes;    /* of `whole`: by one look at which pairs are near */
    double limit;       /* s: tl_penalty_step.limit of the last step that looked; 0: none */
    double least[TLK_FOLD_NUMBERS]; /* tlk_penalty_times, where `timed` */
};

/* What a step hands on from stage to stage. */
typedef struct tl_penalty_step {
    tlk_penalty view;
    tlk_motion motion;
    double speed;      /* m/s, at most */
    double spin;       /* rad/s, likewise */
    uint32_t substeps; /* of the step */
    uint32_t chunks;   /* in which pairs are found */
    bool known;        /* the last forces of slots are those of the end of the last step */
    bool reused;       /* pairs are, too */
    bool wide;         /* all pairs count as near */
    bool again;        /* pairs are those that the step began with before */
    uint32_t searches;
    uint32_t contacts;             /* as it ends */
    double limit;                  /* s: the least of the times that a substep must be short of */
    double lost, work;             /* J */
    double elastic[2];             /* J: as it begins and ends */
    double energy;                 /* J: kinetic and potential, as it begins */
    double sums[TLK_FOLD_NUMBERS]; /* tlk_penalty_sum, at the end */
} tl_penalty_step;

/* penalty_law.c: the tables of materials; the times that substeps must be short of, and how many
 * substeps a step has. */
tl_status tl_penalty_tables(tl_world *world, tl_penalty *penalty);
tl_status tl_penalty_limits(tl_world *world, tl_penalty_step *step);

/* The damping ratio of a spring and dashpot that gives a restitution; pulling, or not. */
double tl_penalty_ratio(double restitution, bool attraction);

/* penalty_pairs.c: what bodies there are, before pairs are found; pairs of the present state with
 * what their contacts had in a set; the same pairs once more; and what is known of them. */
tl_status tl_penalty_look_at_balls(tl_world *world, const tlk_penalty *view);
tl_status tl_penalty_find(tl_world *world, tl_penalty_step *step, tl_contacts *last);
tl_status tl_penalty_reuse(tl_world *world, tl_penalty_step *step);
tl_status tl_penalty_known(tl_world *world, tl_penalty_step *step);

/* Whether something else used the arena since the last step, where the last forces of slots were.
 */
bool tl_penalty_lost(const tl_world *world);

/* From slots to contacts: how many there are; the set that they go to at the end of a step, which
 * is that of the last one if they have room there, and room in it; that set as it will be; and the
 * contacts, after all that may fail. Or all of these, for pairs that are found within the step. */
tl_status tl_penalty_count(tl_world *world, tl_penalty_step *step);
tl_contacts *tl_penalty_set(tl_world *world, const tl_penalty_step *step);
tl_status tl_penalty_room(tl_world *world, const tl_penalty_step *step, tl_contacts *set);
tl_contacts tl_penalty_told(const tl_world *world, const tl_penalty_step *step,
                            const tl_contacts *set);
void tl_penalty_write(tl_world *world, tl_penalty_step *step, tl_contacts *set);
tl_status tl_penalty_hand_on(tl_world *world, tl_penalty_step *step, tl_contacts *set);

/* penalty_rods.c: rods as they are now; adds what they lost and the work that their ends did; and
 * keeps lengths, of places after a move and of velocities, after collisions with what that takes.
 */
tl_status tl_penalty_take_rods(tl_world *world, tl_penalty *penalty);
tl_status tl_penalty_rods_work(tl_world *world, double *lost, double *work);
void tl_penalty_keep_lengths(tl_world *world, const tlk_penalty *view);
void tl_penalty_steady_lengths(tl_world *world, const tlk_penalty *view, bool collided);

/* penalty_near.c: pairs that may touch in a chunk of substeps, which begins now, are told from
 * others, on backends and in worlds that look at these alone. */
tl_status tl_penalty_tell_near(tl_world *world, tl_penalty_step *step);

/* penalty_run.c: the integrator; forces of the present state; `count` substeps, each with its
 * collisions; and collisions alone, colour by colour. */
tl_integrator tl_penalty_integrator(const tl_world *world);
void tl_penalty_evaluate(tl_world *world, const tlk_penalty *view);
void tl_penalty_run(tl_world *world, tlk_penalty *view, uint32_t count);
void tl_penalty_collisions(tl_world *world, const tlk_penalty *view);

#endif
