/* The joints of a world, and what the device has of them (kernels/joint.h). */
#ifndef TL_WORLD_JOINT_H
#define TL_WORLD_JOINT_H

#include "backend/backend.h"
#include "joint/graph.h"
#include "scene/joint.h"

/* A joint of a world. */
typedef struct tl_joint_entry {
    uint32_t id;
    uint32_t place; /* on the device, or TLK_NONE: `memory` is what is known of it */
    tl_joint_rec rec;
    double zero[TLK_JOINT_ROWS]; /* what its locked rows hold */
    uint32_t measured;           /* 1: lengths and offsets that are as they were found are in it */
    uint32_t excludes;           /* 1: its bodies do not collide because of it */
    tlk_joint_memory memory;
} tl_joint_entry;

/* Bodies of a joint on the device, by handle. */
typedef struct tl_joint_bodies {
    uint32_t id[TLK_JOINT_BODIES];
} tl_joint_bodies;

/* An axis on the device: whose it is. */
typedef struct tl_joint_axis {
    uint32_t joint, axis; /* place among the world's joints; 0 to 5 */
} tl_joint_axis;

/* All joints of a world. The host has the list; the device arrays are made anew when it changes. */
typedef struct tl_mechanism {
    tl_array joints;  /* tl_joint_entry, in the order of handles */
    uint32_t given;   /* handles */
    bool stale;       /* the device has other joints than the list */
    bool moved;       /* the rows of bodies have changed since */
    bool parting;     /* joints have broken whose bodies do not collide yet */
    double corrected; /* m, the furthest that the last assembly moved a body */
    double spring;    /* J, in springs, after the last step */
    double work;      /* J, by motors, in all steps */

    uint32_t count, rows, movers, articulations, driven;
    bool bounded;             /* some row has more than one state */
    bool thrown;              /* some limit throws back */
    uint32_t numbers_of_rows; /* of the Jacobian */
    uint32_t current;         /* which memory is the state */
    tl_array made;            /* tlk_joint, as the device has them */
    tl_array bodies;          /* tl_joint_bodies, likewise */
    tl_array axes;            /* tlk_joint_axis */
    tl_array owners;          /* tl_joint_axis: of each */
    tl_array targets;         /* double, 2 each: tlk_joints.target */
    tl_array numbers;         /* double: of tabulated springs */
    tl_array body_ids;        /* uint32_t: handles of dynamic bodies with joints */
    tl_array mover_ids;       /* uint32_t: of all bodies with joints */
    tl_array mover_of;        /* uint32_t: tlk_joints.mover_of */
    tl_array row_list;        /* uint32_t: rows, on their way to the device */
    tl_array attached;        /* tlk_attached: joints by body */
    tl_elimination elimination;

    tl_buffer joint, axis, target, number, articulation, how, list, node, node_body, mover,
        mover_part, link, source, update, attach, level, run, piece, jacobian, block, x, law, part,
        aim, lambda, bend, base, soft, value, worked, anchor, pull, memory[2], account, reading,
        next_pos, next_quat, distance, columns, turned, divisor, joined;
} tl_mechanism;

/* The least energy of a tabulated spring, J, counted from its first row: it is at rest where its
 * force, which is straight from row to row and beyond, falls through 0. Where it does so nowhere:
 * 0. */
double tl_spring_least(const double *numbers, const tlk_joint_axis *axis);

void tl_mechanism_init(tl_mechanism *mechanism);
void tl_mechanism_free(tl_backend *backend, tl_mechanism *mechanism);

#endif
