/* What kernels of joints see: laid out by world/joint.c, in the order of joint/graph.c. */
#ifndef TL_KERNELS_JOINT_ARGS_H
#define TL_KERNELS_JOINT_ARGS_H

#include "kernels/args.h"

/* A row of a joint is one coordinate that something acts along: what
 * locks it, or what its axis has. Rows of a joint are side by side. */
#define TLK_JOINT_ROWS 8u /* of a joint, at most */
#define TLK_JOINT_BODIES \
    4u /* that a joint acts on, at most: two, and four where it couples joints */

#define TLK_PULL    4u    /* numbers of a pull (tlk_joints) */
#define TLK_LOOKS   3u    /* at where bodies will be in a step, at most */
#define TLK_BREAKS  4u    /* of a law, at most */
#define TLK_ENDLESS 1e300 /* an impulse without bound; a limit that is none */

/* What the coordinate of a row is: one of the six of the frames, 0 to 5, or: */
#define TLK_ROW_DISTANCE 6u /* of the origins */
#define TLK_ROW_ACROSS   7u /* from a to b along z of a */
#define TLK_ROW_COUPLED  8u /* that of the second coupled joint - ratio * that of the first */
#define TLK_ROW_SCREW    9u /* z - ratio * the rotation about it */
#define TLK_ROW_PULLEY   10u

/* What an axis that is not locked has. */
typedef struct tlk_joint_axis {
    double lower, upper, restitution, friction, stiffness, damping, rest, limit;
    double least;    /* J: the least energy of a tabulated spring, counted from its first row */
    uint32_t drive;  /* tl_drive */
    uint32_t table;  /* of a tabulated spring: where its coordinates are in `numbers`; the forces */
    uint32_t length; /* follow; so many of each, 0: there is none */
    uint32_t unused;
} tlk_joint_axis;

typedef struct tlk_joint {
    /* what projections look at comes first */
    uint32_t rows, bodies, first; /* first: of its rows */
    uint32_t vector;              /* of its node: where its part of vectors begins */
    uint32_t jacobian;            /* where its rows are: 6 * bodies each */
    uint32_t bounded;             /* 1: some row has more than one state */
    uint32_t articulation;
    uint32_t broken;                   /* 1: it holds nothing */
    uint32_t body[TLK_JOINT_BODIES];   /* rows; ground is none of them */
    uint32_t node[TLK_JOINT_BODIES];   /* where the body's vectors begin; TLK_NONE: not dynamic */
    uint32_t block[TLK_JOINT_BODIES];  /* where its block with that body begins */
    uint32_t across[TLK_JOINT_BODIES]; /* 1: the block is 6 x rows, not rows x 6 */
    uint32_t own;                      /* the joint's */
    uint32_t rope;                     /* 1: its first row is an upper limit */
    uint32_t side[2];                  /* places of a and b in `body`; TLK_NONE: the ground */
    uint32_t coupled[2];               /* joints; TLK_NONE: it couples none */
    uint32_t place[2][2];              /* of their sides in `body` */
    uint32_t coordinate[2];            /* of them: 0 to 5 */
    uint32_t row[TLK_JOINT_ROWS];      /* TLK_ROW_ or 0 to 5 */
    uint32_t axis[TLK_JOINT_ROWS];     /* of the row, TLK_NONE: locked */
    double zero[TLK_JOINT_ROWS];       /* the coordinate that a locked row holds */
    double at[2][3], turn[2][4];       /* frames, in those of the bodies (mass) */
    double anchor[2][3], ratio, break_force, break_torque;
} tlk_joint;

/* Of a row in this step: impulse against speed, which never rises. Below the first break it is
 * load - slope * speed + all the highs; each break that the speed passes changes its high to its
 * low. At a break anything between. */
typedef struct tlk_law {
    double load, slope;
    double speed[TLK_BREAKS], low[TLK_BREAKS], high[TLK_BREAKS];
    uint32_t kind[TLK_BREAKS]; /* TLK_BREAK_ */
    uint32_t breaks;
    uint32_t state; /* 2 i: between breaks i - 1 and i; 2 i + 1: held at break i */
} tlk_law;

#define TLK_BREAK_LOCK     1u
#define TLK_BREAK_LOWER    2u
#define TLK_BREAK_UPPER    3u
#define TLK_BREAK_FRICTION 4u
#define TLK_BREAK_MOTOR    5u

/* A node of the elimination: a body or a joint. */
typedef struct tlk_node {
    uint32_t size;                   /* of its block */
    uint32_t vector;                 /* where its part of vectors begins */
    uint32_t block;                  /* its own block; those of its links follow */
    uint32_t joint;                  /* TLK_NONE: a body */
    uint32_t links, last;            /* its later neighbours: links [links, last) */
    uint32_t sources, sources_end;   /* its earlier neighbours */
    uint32_t attached, attached_end; /* of a body: the joints that act on it */
} tlk_node;

/* A later neighbour of a node. */
typedef struct tlk_link {
    uint32_t size, vector, block; /* of the neighbour; its block with the node, size x node's */
    uint32_t updates;             /* what earlier nodes leave of the block; up to the next link's */
} tlk_link;

/* An earlier neighbour of a node; `block`: the node's with it, `own`: its own. */
typedef struct tlk_source {
    uint32_t size, vector, block, own;
} tlk_source;

/* An earlier neighbour of the two nodes of a link: the later one's block with it, the earlier
 * one's, and its own. */
typedef struct tlk_update {
    uint32_t size, late, early, own;
} tlk_update;

/* A joint that acts on a body, and that body's place in it. */
typedef struct tlk_attached {
    uint32_t joint, place;
} tlk_attached;

/* Nodes [first, end) of a level, which a piece has. */
typedef struct tlk_run {
    uint32_t first, end;
} tlk_run;

/* An articulation: bodies that joints connect. */
typedef struct tlk_articulation {
    uint32_t node, node_end, joint, joint_end;
    uint32_t block, block_end, vector, vector_end;
    uint32_t level, level_end; /* where first nodes of its levels are; one more is where they end */
    uint32_t bounded;          /* 1: some row has more than one state */
    uint32_t rods;             /* 1: some row is a distance that is held */
    uint32_t piece, piece_end; /* of its first levels: nodes of a piece wait for none of another */
    uint32_t deep;             /* how many levels these are; 0: there are no pieces */
    uint32_t link, links;      /* where links of its nodes begin, and how many there are; each is a
                                * source of another, so sources likewise */
} tlk_articulation;

/* What a projection may change besides velocities; the last one is of changes of velocities, which
 * no row drives. */
#define TLK_PROJECT_ALL      0u /* impulses, and the states of rows */
#define TLK_PROJECT_IMPULSES 1u
#define TLK_PROJECT_NOTHING  2u
#define TLK_PROJECT_CHANGES  3u

/* How an articulation is doing, and where its solution is (kernels/joint/team.h). */
typedef struct tlk_articulated {
    double residual;   /* m/s, before the last projection */
    double error;      /* of the last assembly, of the articulation's size */
    double size;       /* m: its largest lever or radius of gyration; 1 at most */
    double part;       /* of what was solved that an assembly moves bodies by */
    uint64_t most[3];  /* bits of the largest numbers of the stage at hand, which are not below 0 */
    uint32_t changes;  /* of states, in this step */
    uint32_t straight; /* 1: joints do not bend the ways of their bodies in this step */
    uint32_t
        factored; /* blocks are factors: 1 of the velocity problem, 2 of the position problem */
    uint32_t stage, level, pass;
    uint32_t loose;     /* 1: joints pull harder than the factors know */
    uint32_t moved;     /* 1: rows have changed their states */
    uint32_t renew;     /* 1: an assembly has to have factors of its own */
    uint32_t looks;     /* at where its bodies will be, which are enough */
    uint32_t redundant; /* 1: rows of its factors follow from others */
    uint32_t sifted;    /* 1: the right-hand side of this pass is without what no row can have */
    double before;      /* m: the error before the last correction */
    uint32_t arrest;    /* 1: an assembly makes the step again, all at once; 2: it has */
    uint32_t last;      /* 1: the pass at hand is its last */
    uint32_t damped;    /* 1: inertia that bodies do not have takes energy in this step */
    uint32_t checked;   /* looks after which it is known whether bent ways throw bodies about */
    uint32_t left;      /* 1: rows that nearly follow from others are left to the assembly */
    uint32_t fed;       /* 1: from this pass on an assembly moves bodies far, and velocities follow;
                         * 2: it has */
    uint32_t turned;    /* there are copies of its factors (backend/cpu/wide_joint.h) */
    uint32_t thrown;    /* 1: some limit of its joints throws back */
} tlk_articulated;

/* What is kept of a joint from step to step. */
typedef struct tlk_joint_memory {
    double force[TLK_JOINT_BODIES][3]; /* N, on each of its bodies */
    double change[2][6]; /* of the velocities of the first two in the step; m/s, rad/s */
    double angle[2];     /* rad: rotations about x and z of the frames, with turns, to a tenth */
    double reaction[6];  /* N and N m on b, at the origin of its frame, world frame */
    double motor[6];     /* N or N m, by axis */
    double spring;       /* J */
    double gained;       /* J, what its locked rows have added lately, which they should not; */
    double owed; /* and what of the last step counts in the next (kernels/joint/account.h) */
    uint32_t held[TLK_JOINT_ROWS]; /* TLK_BREAK_ that the row was left at; 0: none */
    uint32_t broken;
    uint32_t begun; /* 1: it has been in a step */
} tlk_joint_memory;

/* The impulses of joints, where less of them stays than the velocity problem asked for. */
typedef struct tlk_joint_bounce {
    const tlk_joint *joint;
    double *lambda;       /* per row */
    const double *before; /* per row: those that the problem began with */
    const double *part;   /* tlk_bounce.part */
} tlk_joint_bounce;

/* Bodies that joints hold. */
typedef struct tlk_joined_bodies {
    const uint32_t *node_body; /* tlk_joints.node_body */
    uint8_t *joined;           /* tlk_colour.joined */
    const TLK_REAL *from;      /* 8 per body: velocities */
    TLK_REAL *vel;             /* that take the place of these */
} tlk_joined_bodies;

/* What a step leaves of a joint for its sums. */
typedef struct tlk_joint_account {
    double work;     /* J, by its motors and by bodies that are not dynamic */
    double residual; /* m/s, of its rows */
    double taut;     /* J, of its bodies' spins, by inertia that they do not have */
    double lost;     /* J, by the arrest of its articulation; of the first of its joints */
    uint32_t redundant, unused;
} tlk_joint_account;

/* tl_joint_state, as kernels write it. */
typedef struct tlk_joint_reading {
    double force[3], torque[3], local_force[3], local_torque[3];
    double value[6], rate[6], motor[6];
    double worked[6]; /* J, by motors in the step */
    double error, residual;
    uint32_t broken, unused;
} tlk_joint_reading;

typedef struct tlk_joints {
    tlk_motion motion; /* of the step; its vel is what projections work on */
    const tlk_joint *joint;
    const tlk_joint_axis *axis;
    const double *target;  /* 2 per axis: what its motor holds; and at the end of a smooth step */
    const double *numbers; /* of tabulated springs */
    const tlk_articulation *articulation;
    tlk_articulated *how;
    const uint32_t *list; /* joints by articulation */
    const tlk_node *node;
    const uint32_t *node_body; /* per node: its body's row; TLK_NONE of joints */
    const uint32_t *mover;     /* rows of all bodies that joints act on */
    const uint32_t *mover_of;  /* per mover: its articulation; TLK_NONE: it is not dynamic */
    const tlk_link *link;
    const tlk_source *source;
    const tlk_update *update;
    const tlk_attached *attached;
    const uint32_t *level;
    const tlk_run *run;    /* nodes by pieces, and in these by levels */
    const uint32_t *piece; /* where runs of pieces begin; one more is where they end */
    double *jacobian, *block;
    double *x;      /* a vector per articulation: what is solved */
    tlk_law *law;   /* per row */
    uint8_t *part;  /* per row: how it takes part in the factors */
    double *aim;    /* per row: the speed that it holds, where it does */
    double *lambda; /* per row: impulse, N s or N m s */
    double *bend;   /* per row: what the rate over the step is above J v, m/s */
    double *base;   /* per row: the compliance that it has where it is hard */
    double *soft;   /* per row: that which it has in the factors; 0 where it is not hard */
    double *value;  /* per row: its coordinate, m or rad, as the step began */
    double *worked; /* per row of an axis: J, by its motor in the step */
    double *anchor; /* 3 per joint and body: from the body's centre to where forces act */
    double *pull;   /* 4 likewise: the force that makes it taut, N; inertia by that, kg m^2 */
    const tlk_joint_memory *last;
    tlk_joint_memory *next;
    tlk_joint_account *account;
    tlk_joint_reading *reading;
    TLK_REAL *vel;                /* 8 per body: what is projected */
    TLK_REAL *inverse;            /* tlk_problem.inverse, or NULL: where joints are taut, theirs */
    double *pos, *quat;           /* per body: where frames are; what an assembly moves */
    double *next_pos, *next_quat; /* where tlk_joint_foresee puts bodies */
    uint32_t positions; /* 1: the position problem: rows that hold hold, the others are free */
    uint32_t mode;      /* TLK_PROJECT_ */
    uint32_t iterate;   /* 1: joints one at a time, without factors */
    uint32_t passes;    /* projections, at most */
    uint32_t rough;     /* 1: one that changes no state is enough: another problem follows */
    uint32_t look;      /* at where bodies will be: how many came before it */
    uint32_t throws;    /* 1: after a smooth step limits throw back, and nothing else acts */
    uint32_t sweeping;  /* 1: among sweeps: impulses of rows with one state are found after them */
    uint32_t largest;   /* nodes of the largest articulation */
    uint32_t room;      /* numbers of blocks and vector of the one that has the most; */
    uint32_t swept;     /* and of all that substitution looks at */
    uint32_t fresh;     /* 1: an assembly from anywhere, with new factors */
    double recovery;    /* of what has drifted apart, where joints are iterated: part per step, */
    double recovery_speed; /* and m/s, at most */
    double close;          /* errors that an assembly ends with, of the articulation's size */
    double softness;       /* of hard rows, of their own diagonal */
    double *columns, *turned, *divisor; /* copies of rows, of blocks and of what nodes divide by, as
                                         * vectors read them (backend/cpu/wide_joint.h); or NULL */
    double *moved; /* per articulation: the furthest that a new assembly moved a body, m */
} tlk_joints;

#endif
