/* Joints as the rest of the library sees them: checked, with tables and texts of their own. Scenes
 * and worlds have a list of records each. */
#ifndef TL_SCENE_JOINT_H
#define TL_SCENE_JOINT_H

#include <math.h>

#include "base/expression.h"
#include "base/memory.h"
#include "talus/joint.h"

/* A function of time. What `def` points to is the record's own. */
typedef struct tl_function_rec {
    tl_function_def def;
    tl_expression code; /* TL_FUNCTION_EXPRESSION: over t */
} tl_function_rec;

/* function.c: its value at time t; an expression's may be infinite or NaN. */
double tl_function_at(const tl_function_rec *function, double t);
void tl_function_rec_free(tl_function_rec *function);

enum { TL_JOINT_AXES = 6, TL_JOINT_LINE = 6 }; /* the line of a distance, behind the axes */

/* A joint. What `def` points to is the record's own: tables of springs (one allocation each, values
 * then forces) and what the functions of the motors point to. Bodies are by handle, frames as they
 * were given, orientations with norm 1. */
typedef struct tl_joint_rec {
    tl_joint_def def;
    tl_function_rec *target[TL_JOINT_AXES]; /* of the motor of an axis; NULL: there is none */
} tl_joint_rec;

/* What joints are checked against: the bodies and joints that there are. */
typedef struct tl_joint_context {
    const char *where; /* "scene" or "world", for messages */
    const void *owner; /* passed to both */
    /* The kind of a body, -1 where the handle names none. */
    int (*body_kind)(const void *owner, tl_body body);
    /* A joint that was added before, NULL where the handle names none. */
    const tl_joint_rec *(*joint)(const void *owner, tl_joint joint);
} tl_joint_context;

/* Checks a joint and makes a record of it; messages name fields "joint.field". A failure leaves
 * nothing. */
tl_status tl_joint_check(const tl_joint_def *def, const tl_joint_context *context,
                         tl_joint_rec *out);

/* A copy with tables of its own; of a failed one nothing is left. */
tl_status tl_joint_rec_copy(const tl_joint_rec *from, tl_joint_rec *to);
void tl_joint_rec_free(tl_joint_rec *joint);

/* Frees a list of tl_joint_rec with what they own. */
void tl_joints_free(tl_array *joints);

/* Whether axes of its kind may have limits, motors, springs and friction where they are not locked.
 */
bool tl_joint_has_axes(tl_joint_kind kind);

/* Whether a kind has one axis instead, the first: along the line of its origins. */
bool tl_joint_has_line(tl_joint_kind kind);

/* Whether something acts along an axis that is not locked. */
static inline bool tl_axis_acts(const tl_axis_def *a)
{
    return a->lower > -INFINITY || a->upper < INFINITY || a->friction > 0 || a->stiffness > 0 ||
           a->damping > 0 || a->spring_length || a->drive != TL_DRIVE_NONE;
}

/* Whether a kind couples two other joints and has no bodies of its own. */
bool tl_joint_is_coupling(tl_joint_kind kind);

/* Gives an axis another motor, TL_DRIVE_NONE takes it away; refused where the axis is locked. A
 * failure leaves the joint as it was. */
tl_status tl_joint_set_drive(tl_joint_rec *joint, uint32_t axis, tl_drive drive,
                             const tl_function_def *target);

#endif
