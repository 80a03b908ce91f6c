/* The stages of a step, as dvi.c calls them, and what they hand on. */
#ifndef TL_STEP_STEP_H
#define TL_STEP_STEP_H

#include "collide/collide.h"
#include "world/image.h"

#define TL_MISSED 0.1 /* of the smallest radius: pairs that were missed may overlap by so much */

#define TL_A_ROW 60.0 /* multiplications of a row in one iteration, about */

#define TL_CALM 0.1 /* the usual speed of bodies at rest, in units of tl_step_gained() */

/* The speed that gravity adds in a step, m/s. */
double tl_step_gained(const tl_world *world);

/* The state that contacts are looked for in; with what attempts at this step made of velocities,
 * or NULL. Clears the arena. */
tl_status tl_step_look(tl_world *world, const void *seen, tl_collide_state *state);

/* Contacts of the present state; in parts (0: at once) on several devices. Those too that attempts
 * at this step would have left deep in each other, where `seen` is what they made of velocities. */
tl_status tl_step_find(tl_world *world, uint32_t parts, uint32_t devices, const void *seen,
                       tl_contacts *next);

/* The contacts with sensors. Steps solve nothing for them, so they have a search and a list of
 * their own, and all else is what it would be without sensors, bit for bit. */
tl_status tl_step_sense(tl_world *world);

/* The impulses and colours of the last step's contacts, for those found now. */
tl_status tl_step_match(tl_world *world, tl_contacts *next);

/* The box around dynamic bodies, where it is not known. */
tl_status tl_step_find_box(tl_world *world);

/* The velocities that bodies would have without contacts. */
tl_status tl_step_free(tl_world *world, tlk_motion *motion);

/* What acts at the present time, without velocities. */
tl_status tl_step_forces(tl_world *world, tlk_motion *motion);

/* What gravity and forces at the present time do to the velocities of bodies. */
tl_status tl_step_push(tl_world *world, tlk_motion *motion);

/* Smooth steps (smooth.c): which bodies forces act on in two halves, so that their free velocities
 * have the first one alone; and the second, after bodies have moved. `check` and `moved` are those
 * of tlk_check_bodies and tlk_integrate. Both do nothing with other steppers. */
struct tl_step_joints;
tl_status tl_step_smooth_begin(tl_world *world, const tl_problem *problem, tlk_motion *motion);
void tl_step_smooth_bounce(tl_world *world, const tl_problem *problem, const tlk_build *build);
tl_status tl_step_smooth_end(tl_world *world, const tlk_motion *motion,
                             struct tl_step_joints *joints, double *check, double *moved);

/* Colours, and from them the order of rows; then the rows of the velocity problem in that order. */
tl_status tl_step_order(tl_world *world, tl_contacts *contacts, tl_problem *problem,
                        uint32_t *colours);
tl_status tl_step_rows(tl_world *world, const tl_contacts *contacts, tl_problem *problem,
                       tlk_build *build);

/* Colours of pairs that have none yet, alone: their places in that order are in tl_rows.place, and
 * `starts` (TLK_RANK_KEYS + 1) says where keys begin: colour * 4, and more. */
tl_status tl_step_colour_pairs(tl_world *world, tl_contacts *contacts, uint32_t *starts);

/* The lattice of the coarse level, where the heap is deep (deep.c). */
tl_status tl_step_deep(tl_world *world, tl_problem *problem);

/* Planes by motion (planes.c): pairs that move on within the step are noted in tl_rows.moved, their
 * number at `count` (NULL: none is looked for). Once there are rows, their contacts take the planes
 * that their ways lead to, and their rows are built anew. */
tl_status tl_step_note_moving(tl_world *world, const tl_contacts *contacts, const uint32_t **count);
tl_status tl_step_planes(tl_world *world, tl_contacts *contacts, const tl_problem *problem,
                         const tlk_build *build);

/* Parts that swing through something (swing.c): whether there is something to look at, for the fold
 * swing_check; what swings is held in the next attempt at the step; and what the last one leaves
 * behind a plane is put in front of it. */
bool tl_step_swings(const tl_world *world, const tl_contacts *contacts, const tlk_motion *motion,
                    tlk_swings *swings);
tl_status tl_step_hold_swings(tl_world *world, tlk_swings *swings);
tl_status tl_step_put_swings(tl_world *world, tlk_swings *swings);

/* Joints (joints.c): their rows at the start of the step, and the velocities of articulations
 * projected onto them; then `problem` has them. Once more after the velocity problem, exactly; the
 * same joints for the position problem; what is kept, before bodies move; and after they have,
 * their positions projected; the second half of smooth steps; and the report. `moved`: of
 * tlk_integrate. */
typedef struct tl_step_joints {
    tlk_joints velocity, position;
} tl_step_joints;

tl_status tl_step_joints_begin(tl_world *world, const tlk_motion *motion, tl_problem *problem,
                               tl_step_joints *joints);
/* Once the velocity problem is solved: what all its impulses do to joints at once, from what was
 * before it (tl_step_bounce_begin). */
void tl_step_joints_solved(tl_world *world, const tl_problem *problem, const tlk_bounce *before,
                           tl_step_joints *joints);
void tl_step_joints_positions(tl_world *world, const tl_step_joints *joints, tl_problem *second);
void tl_step_joints_store(tl_world *world, const tlk_motion *motion, tl_step_joints *joints);
void tl_step_joints_place(tl_world *world, tl_step_joints *joints);
void tl_step_joints_again(tl_world *world, const tlk_motion *motion, tl_step_joints *joints);
tl_status tl_step_joints_end(tl_world *world, tl_step_joints *joints, double *moved,
                             tl_report *report);

/* The impacts of the step, before its velocity problem, whose free velocities they
 * change; `build` is told their impulses, and `impact` is what TLK_impact_settle then needs. */
tl_status tl_step_impacts(tl_world *world, tl_problem *problem, tlk_build *build,
                          tlk_impact *impact, tl_report *report);

/* Where impacts are part of the velocity problem: before it, what is noted; and after it, impulses
 * that have added energy are lessened until they have not. With joints, while
 * it is solved, too (tl_step_weigh): those that are worse than none. */
tl_status tl_step_bounce_begin(tl_world *world, const tl_problem *problem, tlk_bounce *bounce);
tl_status tl_step_weigh(tl_world *world, tl_problem *problem, const tlk_build *build,
                        tlk_bounce *bounce);
tl_status tl_step_bounce(tl_world *world, const tl_problem *problem, const tlk_build *build,
                         tlk_bounce *bounce);

/* Where loads are new on bodies at rest, impulses that hold them, as far as there
 * are any, for psor to start from. */
typedef struct tl_balancing {
    uint32_t iterations; /* that the search took; 0: there was none */
    uint32_t price;      /* as many of psor's take as long */
    double residual;     /* m/s, that it left */
} tl_balancing;

tl_status tl_step_balance(tl_world *world, tl_problem *problem, tl_balancing *found);

/* Where bodies at rest have begun to creep, or a search for balance went before, the contacts that
 * carry load, solved at once. */
typedef struct tl_holding {
    bool stopped; /* it stopped bodies, or nearly so */
    double price; /* what it cost, in iterations */
} tl_holding;

tl_status tl_step_hold(tl_world *world, const tl_problem *problem, const tl_balancing *found,
                       tl_holding *held);

/* After the step: what that took is paid back; and whether the next is to do it again. */
void tl_step_held(tl_world *world, const tl_holding *held);

/* After the step: whether the next is to look for balance. `before`: the usual speed when the step
 * began; `found`: by its own search. */
void tl_step_watch(tl_world *world, double before, const tl_balancing *found,
                   const tl_report *report);

/* Exact steppers (exact.c): free velocities, by which pairs are looked for farther or less far;
 * then, from the pairs that were found, the velocities at the end of the step, contacts with their
 * impulses in place of those found, and the numbers of the audit. */
tl_status tl_step_exact_begin(tl_world *world, tlk_motion *motion);
tl_status tl_step_exact(tl_world *world, const tlk_motion *motion, tl_contacts *next,
                        double audit[8], tl_report *report);

static inline bool tl_step_is_exact(const tl_world *w)
{
    return w->settings.stepper == TL_STEPPER_STEWART_TRINKLE ||
           w->settings.stepper == TL_STEPPER_PEG;
}

/* How much of the weight was carried, in all and across each level: `gained` is the momentum along
 * gravity that bodies got, by layer from the lowest. */
void tl_step_carried(const tl_world *world, const double *gained, tl_report *report);

/* m: gaps up to which pairs are looked for. */
double tl_step_margin(const tl_world *world);

/* Whether impacts come before the velocity problem, one after the other; not with joints, through
 * which they would have to go, too. */
static inline bool tl_step_bounces(const tl_world *w)
{
    return w->bounces && w->settings.impacts == TL_IMPACTS_PROPAGATING &&
           !w->mechanism.joints.count;
}

/* Whether joints are solved exactly. */
static inline bool tl_step_joined(const tl_world *w)
{
    return w->mechanism.count && w->settings.solver.joints != TL_JOINTS_ITERATE;
}

#endif
