/* A scene compiled for a backend: what runs. The parts of this room:
 *   image.c     states on the host, in one form
 *   compile.c   checked descriptions -> rows of an image
 *   world.c     making, settings, adding and removing
 *   edit.c      which bodies go, what is near
 *   push.c      the rows of an image come to those of a world, others go
 *   renumber.c  near in space becomes near in memory
 *   rearrange.c moving everything to new rows; levels.c: levels of bins for the shapes there are
 *   read.c      reading and writing states
 *   schedule.c  what is done to the world while it runs: events, boundaries, emitters
 *   cast.c      rays; near.c: what is near a shape, contacts of one body; query.h: both
 *   rod.c       rods between two bodies
 *   joint.c     joints on the host and on the device; joint_edit.c: adding, removing, reading;
 *               joint_save.c: the same in snapshots; joint_part.c: when they have broken
 *   monitor.c   what is measured in each step; monitor_save.c: the same in snapshots
 *   snapshot.c  an image with its description as bytes; check.c: what such bytes must obey */
#ifndef TL_WORLD_WORLD_H
#define TL_WORLD_WORLD_H

#include "collide/collide.h"
#include "scene/scene.h"
#include "solve/problem.h"
#include "talus/world.h"
#include "world/joint.h"

/* A prescribed motion of a body: where it is with no offset and no rotation, and when it began. */
typedef struct tl_world_motion {
    uint32_t id;
    tl_motion_rec rec;
    double start; /* s: time 0 of its functions */
    double position[3], orientation[4];
} tl_world_motion;

/* Where the user's frame of a dynamic body is in the frame that it moves in (tl_body_rec). */
typedef struct tl_origin {
    uint32_t id, unused;
    double offset[3], turn[4];
} tl_origin;

/* The rows of the problem, built anew each step. Lengths in rows, padding included. Pieces of the
 * world's arena, all of them. */
typedef struct tl_rows {
    tl_buffer key, place; /* uint32_t a contact: order of rows */
    tl_buffer segment;    /* uint32_t: place and row of segments */
    tl_buffer bidding;    /* colouring: used and bid, uint64_t a body each, and fresh_count */
    tl_buffer fresh;      /* uint32_t a contact */
    tl_buffer copy;       /* uint32_t, dynamic + 1: the first copy of each body */
    tl_buffer owner, split_a, split_b;               /* tlk_split: uint32_t */
    tl_buffer split_vel, split_turn;                 /* tlk_split: real */
    tl_buffer a, b;                                  /* uint32_t */
    tl_buffer head, anchors, wall, bias, gap, gamma; /* real */
    tl_buffer material, moment;                      /* real */
    tl_buffer inverse;                               /* real, of bodies */
    tl_buffer position_bias, position_gamma;
    tl_buffer restitution, impact; /* real: where there are impacts */
    tl_buffer rounds;              /* what their rounds work with */
    tl_buffer weighed;             /* what impulses did to the energy */
    tl_buffer turns, mass;         /* where the backend wants them */
    tl_buffer joined;              /* uint32_t: tlk_joined_rows.packet */
    uint32_t moving;               /* pairs that move on within the step, noted in: */
    tl_buffer moved;               /* uint32_t a pair, and one: tlk_planes.moved */
    tl_buffer guess;               /* real, of bodies: tlk_planes.vel */
} tl_rows;

/* What changes of the order of rows work with: pieces of the world's arena. */
typedef struct tl_ordering {
    tl_buffer order, first, from, to, range, place; /* uint32_t */
    tl_buffer level, gone;                          /* uint8_t */
    tl_buffer rows;                                 /* rows of one array on their way */
    tl_array ids;                                   /* uint32_t */
} tl_ordering;

/* A new order of rows: what is in memory, appended rows included, and what will be. */
typedef struct tl_arrangement {
    uint32_t old_rows, old_shapes, old_frames;
    uint32_t rows, dynamic;
    size_t handles; /* that were ever given */
} tl_arrangement;

/* Bodies that an emitter has added, for the groups that name it. */
typedef struct tl_emitted {
    uint32_t emitter, first, count;
} tl_emitted;

/* A value of a channel and the step it is of. */
typedef struct tl_sample {
    double time, step, value; /* s at the end of the step, s */
} tl_sample;

/* How far a monitor has got. */
typedef struct tl_monitor_state {
    double total, count; /* a flow's mass and bodies; a statistic's sum or extreme, and its time */
    tl_array window;     /* tl_sample: those of a statistic with a window, oldest first */
} tl_monitor_state;

/* Monitors, and what measuring works with. Everything is empty in a world without them. */
typedef struct tl_monitoring {
    tl_monitor_list list;
    tl_array emitted;                 /* tl_emitted, in the order of handles */
    tl_array state;                   /* tl_monitor_state, one per monitor */
    tl_array values, least, greatest; /* double, one per channel; values starts with the time */
    bool current;                     /* `member` is of the present rows */
    uint32_t words;                   /* of 32 groups, per row */
    tl_array args;                    /* tlk_monitor, one per monitor */
    tl_array masks, numbers_host;     /* uint32_t, double */
    tl_array parts;                   /* double, as numbers_host: of parts of the step; or empty */
    tl_array joints;    /* tlk_joint_reading of all joints; empty: none is asked for */
    tl_buffer member;   /* uint32_t, `words` per row */
    tl_buffer touching; /* uint32_t per row: of the monitor that is at work */
    tl_buffer numbers;  /* double: TLK_FOLD_NUMBERS per monitor, then a fold's room */
} tl_monitoring;

/* The tree that rays go through (cast.c), and what queries work with. */
typedef struct tl_caster {
    bool current;                   /* the tree is of the present rows and poses */
    tl_buffer node, order, endless; /* uint32_t: tlk_query */
    uint32_t items, leaves, root, planes;
    double middle[3];
    tl_buffer box, ray, hit, near, list, found; /* pieces of the arena */
} tl_caster;

/* What exact steppers work with (step/exact.h). */
typedef struct tl_exact tl_exact;

/* What penalty contact works with (step/penalty.h). */
typedef struct tl_penalty tl_penalty;

struct tl_world {
    tl_backend *backend;
    tl_settings settings;
    double envelope; /* m, settings.envelope resolved */
    double smallest; /* m, the smallest radius of a dynamic body's shapes; 0 without any */
    uint64_t steps;
    double time, dissipated, work_done; /* s, J, J */
    double energy_error;                /* J, of penalty contact: tl_report */
    double elastic;         /* J: what contacts had as the last step of penalty contact ended, */
    uint32_t elastic_known; /* 1: and still have, by the forces that it ended with */
    uint32_t unbalanced;    /* 1: loads are new, and the next step looks for balance */
    bool crowded;   /* bodies had copies in the last step: saves a look, and changes nothing else */
    double pull[3]; /* m/s, what gravity added in the last step */
    uint64_t balance_debt; /* what such searches took and steps have not yet paid back */
    uint32_t stopped;      /* 1: the last step stopped bodies at rest that crept (hold.c) */
    double hold_debt;      /* as above: iterations that such solutions took */
    tl_report report;

    /* the description */
    uint32_t materials;
    tl_array pairs;        /* tl_pair_def, materials * materials */
    tl_array slides;       /* 3 doubles per material: how its surface moves in itself */
    tl_array elastics;     /* tl_elastic per material */
    bool bounces;          /* the restitution of some pair is above 0 */
    bool rolls;            /* its rolling or spinning friction */
    bool sliding;          /* some surface moves in itself */
    bool materials_matter; /* one of these two, cohesion or compliance: rows have materials */
    tl_array motions;      /* tl_world_motion, in the order of handles */
    bool turning;          /* one of them turns its body in the next step */
    size_t stuck;          /* 1 + the first motion that cannot make the next step; 0 if all can */
    tl_array origins;      /* tl_origin, in the order of handles: of bodies that have one */
    tl_array forces;       /* tl_force_rec */
    tl_array exclusions;   /* uint64_t: tl_exclusion(), ascending; and on the device: */
    tl_buffer excluded;
    tl_array rods;   /* tl_rod_rec, in the order of handles */
    tl_array row_of; /* uint32_t: row of the body with handle index i + 1; TLK_NONE once removed */
    size_t alive;
    tl_schedule schedule; /* with the world's own counters */
    double due;           /* s, when something of the schedule is to be done next */
    tl_monitoring monitors;
    tl_mechanism mechanism;

    /* the state, on the device */
    uint32_t rows, dynamic;
    double box[TLK_FOLD_NUMBERS]; /* of dynamic bodies, by tlk_body_box; last their mass */
    bool box_known;               /* false after every edit */
    tl_buffer pos, quat, vel, inertia, flags, id;
    uint32_t shape_rows, shape_dynamic;
    tl_buffer shape_body, shape_info, filter, geom, level, frame_of, frame_local, frame, centre,
        reach;
    uint32_t frames; /* shapes that are no spheres */
    bool manifolds;  /* some pairs of shapes may touch in several points */
    bool surfaces;   /* some shapes are made of triangles */
    bool clumps;     /* some are spheres off the origin of their body, which moves */
    bool plates;     /* some are neither spheres nor half-spaces */
    bool ends;       /* some are neither half-spaces nor moving central balls */
    bool filters;    /* some shapes have one of TLK_SHAPE_FILTERS */
    bool sensors;    /* some are sensors */
    bool sensed_manifolds, sensed_surfaces; /* the same of pairs with sensors */
    tl_array geometries;                    /* tl_geometry_rec, those of the scene */
    tl_array outlines;                      /* of these, once they were asked for: outline.c */
    tl_buffer numbers, words, geometry;     /* the same, as tlk_shapes has them */
    tl_buffer pair_table;                   /* real, TLK_PAIR per pair */
    tl_buffer slide_table;                  /* as slides */
    tl_array pair_reals;                    /* bytes: the same on the host */
    tl_contacts contacts[2];
    uint32_t current;   /* which of the two is the last step's */
    tl_contacts sensed; /* with sensors, found with the latest; without impulses */
    /* tl_world_find_contacts() found the other one since, at the centres that shapes have now; the
     * step's own were found at those that are kept. Steps know nothing of it, but keep centres,
     * too, for when they fail. */
    bool asked;
    tl_buffer kept_centre;

    tl_ordering ordering;
    tl_caster caster;

    /* the step's own; what collide, problem and ordering have is cut from the arena */
    tl_exact *exact;     /* NULL: none has been made yet */
    tl_penalty *penalty; /* likewise */
    tl_arena arena;
    tl_collide collide;
    tl_rows problem;
    tl_workspace workspace;
    tl_buffer free, work, pseudo, rest; /* real, 8 a body */
    tl_buffer struck;                   /* the same: free velocities after impacts */
    tl_buffer seen;                     /* 8 a row: tlk_find.seen */
    tl_buffer forced;                   /* wrenches and rows of bodies with forces */
    tl_buffer halt;                     /* uint64_t: tlk_motion.halt */
    tl_buffer whole;                    /* uint32_t: tlk_motion.whole */
    tl_buffer turn, held;               /* tlk_swings */
    bool swings;         /* an attempt at this step had something swing through: these are there */
    tl_array wrench;     /* double, 6 per body with forces */
    tl_array forced_row; /* uint32_t: their rows */
    uint32_t forced_bodies; /* how many they were in this step */
    tl_array forced_at; /* uint32_t per dynamic row: its place among them; TLK_NONE between steps */
    tl_array ellipsoids; /* 3 doubles per material: factors of friction along a body's axes */
    bool uneven;         /* some of them are not 1 */
};

/* Returns from the calling function with a message where a pointer argument is NULL. */
#define REFUSE_NULL(argument)                                                       \
    do {                                                                            \
        if (!(argument))                                                            \
            return tl_fail(TL_BAD_ARGUMENT, "%s: " #argument " is NULL", __func__); \
    } while (0)

/* The contacts to show: the last step's, or those that were asked for since. And forgets that any
 * were. */
const tl_contacts *tl_world_contacts(const tl_world *world);
void tl_world_forget_asked(tl_world *world);

/* Before contacts are looked for, which writes all centres: keeps those of the last step's. Again:
 * they are the present ones. */
void tl_world_exchange_centres(tl_world *world);

/* Views of the state for kernels. */
tlk_bodies tl_world_bodies_view(const tl_world *world);
tlk_shapes tl_world_shapes_view(const tl_world *world);

/* The row of a living body, or TLK_NONE. */
uint32_t tl_world_row(const tl_world *world, tl_body body);

/* Frees everything a world holds, and the world. */
void tl_world_free(tl_world *world);

/* An empty world with a backend; the description is not filled yet. */
tl_status tl_world_new(const tl_settings *settings, tl_world **world);

/* Recomputes what follows from settings: the envelope, threads, velocities of prescribed bodies. */
void tl_world_apply_settings(tl_world *world);

/* Takes copies of a scene's geometries, to the device too; and sends there those it has. */
tl_status tl_world_take_geometries(tl_world *world, const tl_array *geometries);
tl_status tl_world_upload_geometries(tl_world *world);

/* origin.c: the one of a body, or NULL; those of new bodies, all or none; from the pose that a body
 * has to that of the user's frame; from a frame in the user's to that in the body's; and of shapes
 * back.
 */
const tl_origin *tl_origin_of(const tl_array *origins, uint32_t id);
tl_status tl_origins_add(tl_array *origins, const tl_body_list *list, uint32_t first_id);
void tl_origin_pose(const tl_origin *origin, double position[3], double orientation[4]);
void tl_origin_frame(const tl_origin *origin, double position[3], double orientation[4]);
void tl_origin_shape(const tl_origin *origin, double position[3], double orientation[4]);

/* material.c: those of a scene; sends what the world has to the device, and looks at which laws
 * there are; refuses settings whose solver does not know one of them. */
tl_status tl_world_take_materials(tl_world *world, const tl_scene *scene);
tl_status tl_world_upload_materials(tl_world *world);
tl_status tl_world_check_solver(const tl_world *world, const tl_settings *settings);
/* Whether a joint is a spring between two bodies and nothing else, which penalty contact takes; and
 * refuses others. */
bool tl_joint_is_spring(const tl_joint_def *def);
tl_status tl_penalty_check_joint(const tl_joint_def *def, uint32_t index);

/* exclude.c: tells the device which bodies do not collide; forgets those that are gone. */
tl_status tl_world_upload_exclusions(tl_world *world);
void tl_world_drop_exclusions(tl_world *world);

/* rod.c: those of a scene, with what they do not touch; forgets those that are gone; and marks
 * those whose bodies are, a byte per row on the device. */
tl_status tl_world_take_rods(tl_world *world, const tl_scene *scene);
void tl_world_drop_rods(tl_world *world);
tl_status tl_rods_mark_gone(tl_world *world, uint8_t *gone);

/* Puts prescribed bodies where they are at the present time, with their velocities for the next
 * step; notes the first one that cannot make it, which stays where it is. */
void tl_world_prescribe(tl_world *world);

/* The motion of a body, or NULL; and a motion in place of that one, from the pose the body has. The
 * record is moved from; tl_world_prescribe() is left to the caller. */
tl_world_motion *tl_world_find_motion(const tl_world *world, uint32_t id);
void tl_world_replace_motion(tl_world *world, tl_world_motion *motion, tl_motion_rec *rec);

/* Forgets motions and forces of bodies that are gone. */
void tl_world_drop_orphans(tl_world *world);

/* schedule.c: notes when something is due next; does what is due at the present time, if anything
 * is: on failure the world is as before; and writes the schedule's numbers into a report. */
void tl_world_plan(tl_world *world);
tl_status tl_world_act(tl_world *world);
/* world.c: that, and all else that comes before a step's own work. */
tl_status tl_world_begin_step(tl_world *world);
void tl_world_tally(const tl_world *world, tl_report *report);

/* outline.c: forgets what tl_world_geometry() made. */
void tl_world_free_outlines(tl_world *world);

/* monitor.c: nothing yet, and the end; the monitors of a scene; what is made ready before a step
 * changes anything, which may fail; what is measured before bodies move, and after, which gives the
 * step's values. */
void tl_monitoring_init(tl_monitoring *monitors);
void tl_monitoring_free(tl_backend *backend, tl_monitoring *monitors);
tl_status tl_monitors_fill(tl_world *world, const tl_monitor_list *list);
tl_status tl_monitors_prepare(tl_world *world, const tl_contacts *contacts,
                              const tlk_motion *motion);
void tl_monitors_before(tl_world *world, uint32_t contacts);
/* Impulses of contacts that will not be there when the step ends, for its forces and torques; and
 * forgets them. */
tl_status tl_monitors_part(tl_world *world, const tl_contacts *contacts, const tlk_motion *motion);
void tl_monitors_forget_parts(tl_world *world);
tl_status tl_monitors_after(tl_world *world);

/* Notes bodies that emitters have added, tl_emitted; there is room. */
void tl_monitors_emitted(tl_monitoring *monitors, const tl_array *emitted);

/* monitor_save.c: monitors with their state as bytes; and back, into a world without any, checked
 * as if a stranger had sent them: `handles` were given to bodies. */
tl_status tl_monitors_save(tl_world *world, tl_array *bytes);
tl_status tl_monitors_load(tl_world *world, const void *bytes, size_t count, uint64_t handles);

/* joint.c: brings the device's joints up to date with the list, which may fail, without loss; what
 * it has of them, back into the list; room for copies of factors (backend/cpu/wide_joint.h); its
 * arrays for kernels, at the present state; the joint with
 * a handle, or NULL; whether a locked row holds what it was found at; and forgets joints whose
 * bodies, or joints that they couple, are gone. */
tl_status tl_joints_ready(tl_world *world);
tl_status tl_joints_fetch(tl_world *world);
tl_status tl_joints_turn(tl_world *world);
tlk_joints tl_joints_view(const tl_world *world);
tl_joint_entry *tl_joint_find(const tl_world *world, tl_joint joint);
bool tl_joint_as_found(const tl_joint_def *def, uint32_t row);
void tl_world_drop_joints(tl_world *world);

/* joint_edit.c: those of a scene; closes them all as a new one wants it, or says which cannot be.
 */
tl_status tl_world_take_joints(tl_world *world, const tl_scene *scene);
tl_status tl_joints_assemble(tl_world *world);
tl_status tl_world_check_joint(const tl_world *world, const tl_joint_def *def, tl_joint_rec *out);
/* The bodies of a joint that goes collide again, unless another one holds them. */
tl_status tl_joint_lift(tl_world *world, const tl_joint_entry *gone);

/* joint_part.c: bodies whose joint has broken collide again, once they are apart. */
tl_status tl_joints_part(tl_world *world);

/* joint_save.c: joints with their state as bytes; and back, into a world that has its bodies and no
 * joints, checked as if a stranger had sent them. */
tl_status tl_joints_save(tl_world *world, tl_array *bytes);
tl_status tl_joints_load(tl_world *world, const void *bytes, size_t count);

/* renumber.c: puts bodies in the order of a space-filling curve, where there are many; and the
 * order alone, of `rows` bodies in memory, the dynamic ones first, in ordering.order. */
tl_status tl_world_renumber(tl_world *world);
tl_status tl_world_curve(tl_world *world, uint32_t rows, uint32_t dynamic);

/* rearrange.c: moves everything to new rows, new body row i being old row i of ordering.order; room
 * for that order and for `place`, in the arena. On failure the world is as before. */
tl_status tl_world_rearrange(tl_world *world, const tl_arrangement *arrangement);
tl_status tl_ordering_need(tl_world *world, size_t rows, size_t shapes);

/* levels.c: the levels of `shapes` shapes, those of `old` rows that ordering.to gives a new one.
 * Levels by old row are in ordering.level; `collide` is told the rest but the buffers, and the
 * smallest radius of a dynamic body's shapes (0 without any) is noted. */
tl_status tl_world_levels(tl_world *world, uint32_t old, uint32_t shapes, tl_collide *collide,
                          double *smallest);

/* step/dvi.c: one step; and the velocity problem that the next step would solve, in the world's
 * buffers (valid until the world is used again), its state untouched. */
tl_status tl_step_dvi(tl_world *world);

/* step/penalty.c: one step of penalty contact; its pairs have to be found anew; and the end. */
tl_status tl_step_penalty(tl_world *world);
void tl_step_penalty_forget(tl_world *world);
void tl_step_penalty_end(tl_world *world);

/* exact.c: frees what exact steps have kept. */
void tl_step_exact_end(tl_world *world);
/* The velocity problem that the world's next step would solve, without its joints. */
tl_status tl_step_problem(tl_world *world, tl_problem *problem);

/* step/contacts.c: contacts alone, in parts (0: at once) by so many devices. */
tl_status tl_step_contacts(tl_world *world, uint32_t parts, uint32_t devices);

/* The usual speed of dynamic bodies, m/s: the square of the mean root of all, which a few very fast
 * ones do not spoil. */
double tl_world_speed(const tl_world *world);

/* step/motion.c: pose and velocity of a prescribed body over [t, t + h]; forces at time t. */
void tl_motion_pose(const tl_world_motion *motion, double t, double *position, double *orientation);
void tl_motion_velocity(const tl_world_motion *motion, double t, double h, double *velocity,
                        double *angular);

/* Whether a step can be made from a place with these velocities, as tlk_check_bodies() has it for
 * dynamic bodies; TL_DIVERGED with why a motion cannot; and the start of a motion from a pose at
 * some time: its offset and rotation count from what they are then. */
bool tl_motion_sound(const tl_settings *settings, const double *position, const double *velocity,
                     const double *angular);
tl_status tl_motion_fail(const tl_world *world, const tl_world_motion *motion);
void tl_motion_begin(tl_world_motion *motion, double time, const double *position,
                     const double *orientation);
void tl_force_at(const tl_force_rec *force, double t, double *wrench);

#endif
