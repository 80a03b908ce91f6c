/** @file world.h
 *  What runs: a scene compiled for a backend. Step it, read it, edit it, save it.
 *
 *  A world is used by one thread at a time and runs its own threads inside a call. The same scene,
 *  settings and calls give the same bits for any number of threads.
 */
#ifndef TALUS_WORLD_H
#define TALUS_WORLD_H

#include "talus/monitor.h"
#include "talus/schedule.h"
#include "talus/surface.h"

TL_BEGIN_DECLS

/** A running simulation. Opaque. */
typedef struct tl_world tl_world;

/** Time spent in the stages of a step, in milliseconds. */
typedef struct tl_stage_times {
    double find;      /**< collision detection */
    double match;     /**< matching contacts with the last step's */
    double colour;    /**< colouring and ordering contacts */
    double build;     /**< forces, free velocities and the rows of the problem */
    double solve;     /**< the velocity problem */
    double position;  /**< the position problem */
    double audit;     /**< residual, energies and the other numbers of the report */
    double integrate; /**< new positions; the schedule's edits and renumbering, before the step */
} tl_stage_times;

/** The certificate of one step. */
typedef struct tl_report {
    uint64_t steps;               /**< steps done since the world was made */
    double time;                  /**< s, at the end of the step */
    uint32_t bodies;              /**< dynamic bodies */
    uint64_t emitted;             /**< bodies that emitters have added since the world was made */
    uint64_t waiting;             /**< bodies due from emitters that have found no place yet */
    uint64_t removed;             /**< bodies that events and boundaries have removed */
    uint64_t moved;               /**< how often moving patches have put a body ahead */
    uint32_t contacts;            /**< within the envelope, or touching (penalty); no sensors */
    uint32_t active_contacts;     /**< contacts that carry an impulse */
    uint32_t colours;             /**< colours in use (psor), else 0 */
    uint32_t impacts;             /**< contacts that bounced (restitution above 0) */
    uint32_t impact_rounds;       /**< rounds in which they did, one after the other */
    uint32_t searches;            /**< how often contacts were looked for: 1, or more where impulses
                                     within the step sent bodies where no contacts were expected */
    uint32_t iterations;          /**< of the velocity problem, those in search of balance too */
    uint32_t position_iterations; /**< of the position problem */
    uint32_t coarse_nodes;        /**< of the coarse level of a deep heap; 0: there was none */
    uint32_t coarse_iterations;   /**< conjugate gradients there */
    double coarse_change;         /**< by what part of all normal impulses it changed them */
    uint32_t islands;             /**< exact steppers: problems that were solved on their own */
    uint32_t problem_size;        /**< exact steppers: velocities and facets, as document 003 counts
                                     them: 2 per body in a planar world, else 6, and the points of
                                     all facets */
    uint32_t unsettled_groups;    /**< exact steppers: pairs for which no facet was found that
                                     they end the step on; they overlap nowhere, and are 0 as a
                                     rule */
    double residual;              /**< m/s, root mean square over contacts (docs/theory.md) */
    double max_residual;          /**< m/s, of the worst contact */
    double gap;               /**< TL_INTERIOR: relative duality gap of the velocity problem, its
                                   certificate (docs/theory.md); else 0 */
    double max_penetration;   /**< m, deepest overlap at the start of the step; >= 0 */
    double mean_penetration;  /**< m, over the contacts that overlap; 0 where none does */
    double carried_weight;    /**< the part of the bodies' weight that walls and applied forces
                                   carried: 1 at rest, 0 in free fall; 1 without gravity */
    double imbalance;         /**< the largest part of the weight that was not carried to, or
                                   across, any of four levels across gravity; 0 at rest */
    double kinetic_energy;    /**< J, of dynamic bodies, at the end of the step */
    double potential_energy;  /**< J, -m g.x of dynamic bodies, at the end of the step */
    double dissipated_energy; /**< J, taken by contacts since the world was made */
    double work_energy;       /**< J, done by prescribed bodies and applied forces since then, and
                                   by moving patches */
    double moved_energy;      /**< J, what bodies gained when moving patches put them ahead; part
                                   of work_energy */
    uint32_t joints;          /**< joints, broken ones too */
    uint32_t articulations;   /**< groups of dynamic bodies that joints connect */
    uint32_t redundant_rows;  /**< of joints: those that follow from others */
    uint32_t broken_joints;   /**< joints that broke in this step */
    double joint_error;       /**< m, how far the worst joint is off at the end of the step; angles
                                   times 1 m */
    double joint_residual;    /**< m/s, by how much the worst row of a joint is not held */
    double joint_correction;  /**< m, the furthest that the last assembly of joints moved a body, or
                                    turned it, at its largest radius of gyration */
    double motor_energy;      /**< J, done by the motors of joints, and by prescribed bodies
                                   through joints, since the world was made; part
                                   of work_energy */
    double spring_energy;     /**< J, in the springs of joints, at the end of the step */
    uint32_t substeps;        /**< penalty: of the step */
    double substep_ratio;     /**< penalty: the substep over the least of Rayleigh's time, the
                                   duration of a contact and five times the limit of stability; 0:
                                   there is no such limit */
    double elastic_energy;    /**< J, penalty: in the springs of contacts, at the end of the step */
    double energy_error; /**< J, penalty: what kinetic, potential, elastic and dissipated energy
                              have gained since the world was made without any work: the error
                              of integration */
    double total_ms;     /**< wall-clock time of the step */
    tl_stage_times ms;   /**< and of its stages */
    size_t bytes;        /**< memory the world holds */
    size_t peak_bytes;   /**< and the most it has held */
} tl_report;

/** One contact of the last step (or of tl_world_find_contacts), at the poses it was found at. */
typedef struct tl_contact {
    tl_body a;         /**< one body, always dynamic */
    tl_body b;         /**< the other one, of any kind */
    uint32_t shape_a;  /**< which of body a's shapes, from 0 */
    uint32_t shape_b;  /**< which of body b's shapes, from 0 */
    double point[3];   /**< m, halfway between the two surfaces */
    double normal[3];  /**< unit, from a to b */
    double gap;        /**< m, negative is overlap */
    double impulse[3]; /**< N s, on b (a receives its negative), world frame; 0 with a sensor */
    double moment[3];  /**< N m s, of rolling and spinning friction, likewise */
    double force[3];   /**< N, penalty: on b, at the end of the step */
    double spring[3];  /**< N, penalty: the part of it that the tangential spring exerts */
    bool sensor;       /**< one of the two shapes is a sensor */
} tl_contact;

/** Compiles a scene. Returns TL_OVERLAPPING (a warning: the world is made) if two bodies overlap by
 *  more than a tenth of the smaller one's radius; the message names the worst pair. */
TL_API tl_status tl_world_create(const tl_scene *scene, tl_world **world);

/** The same with other settings than the scene's, for example on another backend. */
TL_API tl_status tl_world_create_with(const tl_scene *scene, const tl_settings *settings,
                                      tl_world **world);

/** Frees a world; NULL does nothing. */
TL_API void tl_world_destroy(tl_world *world);

/** Runs `count` steps. `report`, if not NULL, receives the last step's. On TL_DIVERGED the world
 * stays as it was before the failing step, and the message names the body, be it one that ran away
 * or one whose motion asks for too much. */
TL_API tl_status tl_world_step(tl_world *world, uint32_t count, tl_report *report);

/** @name The phases of a step
 *  With TL_STEPPER_PENALTY a step may be made phase by phase, in this order; all but the last may
 *  be left out. Events, emitters and boundaries belong to tl_world_step() alone. The four lead to
 *  the same bits as a step does, but where there are collisions (TL_PENALTY_SCALED): a step has
 * them before each substep and keeps what they do in 64 bits until it ends, the phases have them
 * once, and hand on velocities in the world's precision. So it is the same in TL_DOUBLE with one
 * substep alone.
 *  @{ */
/** Forgets where bodies were, for pairs that are found next. */
TL_API tl_status tl_world_update_bounds(tl_world *world);
/** Finds the pairs that may touch, with a margin: until a shape has moved by half of it, they serve
 * for tl_world_advance(). Edits, settings and steps forget them, and they are in no snapshot: a
 * world that was loaded must find its own. */
TL_API tl_status tl_world_find_pairs(tl_world *world);
/** Collisions of the law TL_PENALTY_SCALED by impulses, among these pairs. */
TL_API tl_status tl_world_collide(tl_world *world);
/** Goes on by h (s, > 0) in substeps. TL_BAD_ARGUMENT, and nothing changes, where there are no
 * pairs or a shape would leave their margin: pairs that were found serve for a smaller h. `report`
 * may be NULL. */
TL_API tl_status tl_world_advance(tl_world *world, double h, tl_report *report);
/** @} */

/** Adds a joint between bodies of the world. Bodies are moved so that it and all others close
 * (tl_report.joint_correction); where that cannot be, TL_BAD_ARGUMENT names the joint that is left
 * open, and the world is as before. `joint`, if not NULL, receives its handle. */
TL_API tl_status tl_world_add_joint(tl_world *world, const tl_joint_def *def, tl_joint *joint);

/** Removes a joint, and those that couple it. Joints go with their bodies, too. */
TL_API tl_status tl_world_remove_joint(tl_world *world, tl_joint joint);

/** How many joints there are, broken ones too. */
TL_API size_t tl_world_joint_count(const tl_world *world);

/** Their handles, in ascending order: tl_world_joint_count() of them. */
TL_API tl_status tl_world_list_joints(const tl_world *world, tl_joint *joints);

/** What a joint was added as, with the drives it has now. Tables and texts belong to the world,
 * until it is changed. */
TL_API tl_status tl_world_joint(const tl_world *world, tl_joint joint, tl_joint_def *def);

/** How joints are doing: reactions and motors of the last step, coordinates at present. `joints`
 * NULL: all of them, in the order of tl_world_list_joints(); `count` must be their number then. */
TL_API tl_status tl_world_read_joints(tl_world *world, size_t count, const tl_joint *joints,
                                      tl_joint_state *states);

/** From the next step on, what the motor of a free axis (0 to 5) holds, a constant. The axis must
 * have a motor (tl_axis_def.drive). */
TL_API tl_status tl_world_set_drive(tl_world *world, tl_joint joint, uint32_t axis, double value);

/** Finds the contacts of the present state without stepping, for tl_world_read_contacts(), up to
 * the next step or edit. Steps and snapshots that follow are bit for bit what they would have been
 * without this call. */
TL_API tl_status tl_world_find_contacts(tl_world *world);

/** The same, box by box: space is cut into `parts` slabs of bins (1 to 4096), which are handed out
 * in turn to `devices` devices (1 to 64). Each works through its slabs one after the other and
 * keeps the bins of one slab at a time; what they found is put together on the first, the world's
 * own. A shape that reaches into several slabs is entered in each, and a pair is found in exactly
 * one: the contacts are bit for bit those of tl_world_find_contacts(), in the same order. More GPUs
 * than the machine has are played by those it has; on the CPU a device is a set of buffers. Devices
 * beyond the first are driven by threads of their own, which call the allocator and the log too;
 * they get a copy of the state, and nothing of them is kept after the call. */
TL_API tl_status tl_world_find_contacts_in(tl_world *world, uint32_t parts, uint32_t devices);

/** The settings in force. */
TL_API tl_settings tl_world_settings(const tl_world *world);

/** Changes the settings between steps; precision and backend cannot change. */
TL_API tl_status tl_world_set_settings(tl_world *world, const tl_settings *settings);

/** Changes how two materials meet, between steps. As tl_scene_set_pair(). */
TL_API tl_status tl_world_set_pair(tl_world *world, tl_material a, tl_material b,
                                   const tl_pair_def *pair);

/** How two materials meet now. As tl_scene_pair(). */
TL_API tl_status tl_world_pair(const tl_world *world, tl_material a, tl_material b,
                               tl_pair_def *pair);

/** Changes how the surfaces of a material move in themselves (m/s, in the frames of their bodies),
 * between steps: tl_material_def.surface_velocity. */
TL_API tl_status tl_world_set_surface_velocity(tl_world *world, tl_material material,
                                               const double velocity[3]);

/** How they move now. */
TL_API tl_status tl_world_surface_velocity(const tl_world *world, tl_material material,
                                           double velocity[3]);

/** s, simulated since the start. */
TL_API double tl_world_time(const tl_world *world);

/** The name of the backend, for example "cpu (avx2, 2 threads)". Owned by the world. */
TL_API const char *tl_world_backend(const tl_world *world);

/** Adds bodies between steps; materials are those of the scene. As tl_scene_add_bodies(). */
TL_API tl_status tl_world_add_bodies(tl_world *world, size_t count, const tl_body_def *defs,
                                     tl_body *bodies);

/** Removes bodies with their shapes, contacts and forces. All or none are removed. */
TL_API tl_status tl_world_remove_bodies(tl_world *world, size_t count, const tl_body *bodies);

/** Gives a prescribed body another motion between steps, from the pose that it has now: t counts
 * from now, and offset and rotation from what they are at t = 0. On failure nothing changes. */
TL_API tl_status tl_world_set_motion(tl_world *world, tl_body body, const tl_motion_def *motion);

/** Lets two different bodies pass through each other from the next step on (excluded), or collide
 * again. As tl_scene_exclude(). */
TL_API tl_status tl_world_exclude(tl_world *world, tl_body a, tl_body b, bool excluded);

/** Adds a force on a dynamic body between steps. */
TL_API tl_status tl_world_add_force(tl_world *world, const tl_force_def *def);

/** A rod of a world: its own body and the two that carry it. */
typedef struct tl_rod_info {
    tl_body body;    /**< the rod itself */
    tl_body ends[2]; /**< the bodies between which it is */
    double length;   /**< m: what it keeps; 0 where its length is free */
} tl_rod_info;

/** How many rods are in the world. */
TL_API size_t tl_world_rod_count(const tl_world *world);

/** The rod with an index below tl_world_rod_count(), in the order they were added. */
TL_API tl_status tl_world_rod(const tl_world *world, size_t index, tl_rod_info *info);

/** How many bodies of all kinds are in the world. */
TL_API size_t tl_world_body_count(const tl_world *world);

/** Lists the handles of all bodies in the order they were added. `bodies` has room for exactly
 *  tl_world_body_count() handles: `count` must be that. */
TL_API tl_status tl_world_list_bodies(const tl_world *world, size_t count, tl_body *bodies);

/** Whether a handle names a body of this world. */
TL_API bool tl_world_has_body(const tl_world *world, tl_body body);

/** @name Reading and writing states
 *  `bodies` names `count` bodies; NULL means all, in the order of tl_world_list_bodies(), and count
 *  must then be tl_world_body_count(). Arrays hold `count` rows.
 *  @{ */
/** m, rows of 3. */
TL_API tl_status tl_world_read_positions(const tl_world *world, size_t count, const tl_body *bodies,
                                         double *positions);
/** Unit quaternions, rows of 4 (w, x, y, z). */
TL_API tl_status tl_world_read_orientations(const tl_world *world, size_t count,
                                            const tl_body *bodies, double *orientations);
/** m/s, rows of 3. */
TL_API tl_status tl_world_read_velocities(const tl_world *world, size_t count,
                                          const tl_body *bodies, double *velocities);
/** rad/s, world frame, rows of 3. */
TL_API tl_status tl_world_read_angular_velocities(const tl_world *world, size_t count,
                                                  const tl_body *bodies, double *angular);
/** kg (0 for bodies that are not dynamic). */
TL_API tl_status tl_world_read_masses(const tl_world *world, size_t count, const tl_body *bodies,
                                      double *masses);
/** kg m^2, rows of 3: principal moments along the body's axes (0 for bodies that are not dynamic).
 */
TL_API tl_status tl_world_read_inertias(const tl_world *world, size_t count, const tl_body *bodies,
                                        double *inertias);
/** Sets velocities (rows of 3, m/s) and angular velocities (rows of 3, rad/s, world frame) of
 * dynamic bodies; either array may be NULL. */
TL_API tl_status tl_world_write_velocities(tl_world *world, size_t count, const tl_body *bodies,
                                           const double *velocities, const double *angular);
/** @} */

/** A shape of a body of a world. */
typedef struct tl_shape_info {
    tl_body body;      /**< whose it is */
    tl_body_kind kind; /**< of the body */
    uint32_t index;    /**< which of the body's shapes, from 0 */
    tl_shape_def def;  /**< the shape in its body's frame */
    tl_body ends[2];   /**< of rods: the bodies whose centres its segment is between, so that its
                            length is theirs to tell; else none */
} tl_shape_info;

/** How many shapes all bodies have. */
TL_API size_t tl_world_shape_count(const tl_world *world);

/** Reads all shapes, bodies in the order of tl_world_list_bodies(); `count` must be
 *  tl_world_shape_count(). */
TL_API tl_status tl_world_read_shapes(const tl_world *world, size_t count, tl_shape_info *shapes);

/** How many geometries (hulls, meshes, height fields) its shapes may refer to: those of its scene.
 */
TL_API size_t tl_world_geometry_count(const tl_world *world);

/** What a geometry holds, to show or to store it. The arrays belong to the world. */
TL_API tl_status tl_world_geometry(const tl_world *world, tl_geometry geometry,
                                   tl_geometry_info *info);

/** How near the convex pieces of a mesh come to it, as tl_scene_pieces(), and the first of the
 * hulls that stand for it, which follow each other; its index is 0 where the mesh has none. Of a
 * world that was loaded only the count is known, and all other numbers are 0. */
TL_API tl_status tl_world_pieces(const tl_world *world, tl_geometry geometry, tl_pieces_info *info,
                                 tl_geometry *first);

/** A copy of the moving part of a world's state at one time, for recording and showing. Opaque;
 * used again and again, it keeps its memory. */
typedef struct tl_frame tl_frame;

/** What a frame holds. The arrays belong to the frame and are valid until the next capture into it
 *  or its end. Rows are dynamic and prescribed bodies in the order of tl_world_list_bodies(). */
typedef struct tl_frame_view {
    uint64_t steps;                  /**< steps done */
    double time;                     /**< s */
    size_t count;                    /**< bodies */
    const uint32_t *bodies;          /**< index of each body's handle */
    const double *positions;         /**< m, rows of 3 */
    const float *orientations;       /**< unit quaternions (w, x, y, z), rows of 4 */
    const float *velocities;         /**< m/s, rows of 3 */
    const float *angular_velocities; /**< rad/s, world frame, rows of 3 */
} tl_frame_view;

/** Makes an empty frame. The caller owns it; it may outlive the worlds captured into it. */
TL_API tl_status tl_frame_create(tl_frame **frame);

/** Frees a frame; NULL does nothing. */
TL_API void tl_frame_destroy(tl_frame *frame);

/** Takes the present state into a frame. Returns before the copy is complete where the backend can
 *  copy while it computes; the world may be stepped on at once. */
TL_API tl_status tl_world_capture(tl_world *world, tl_frame *frame);

/** Waits for the copy and hands out what it holds. May be called by another thread than the
 * world's.
 */
TL_API tl_status tl_frame_read(tl_frame *frame, tl_frame_view *view);

/** How many contacts the last step (or tl_world_find_contacts) had. Those with sensors count too;
 * they are forgotten when bodies are added or removed, and by snapshots, until the next of these
 * calls. */
TL_API size_t tl_world_contact_count(const tl_world *world);

/** Reads all contacts, in an order that depends on the state alone, those with sensors last;
 *  `count` must be tl_world_contact_count(). */
TL_API tl_status tl_world_read_contacts(const tl_world *world, size_t count, tl_contact *contacts);

/** @name Monitors
 *  What the scene's monitors measured in the last step, channel by channel.
 *  @{ */
/** How many channels there are. */
TL_API size_t tl_world_monitor_count(const tl_world *world);
/** Channel i, from 0. */
TL_API tl_status tl_world_monitor_info(const tl_world *world, size_t i, tl_monitor_info *info);
/** The values of the last step; `count` must be tl_world_monitor_count(). NaN where there is none:
 * before the first step, of bodies that are gone, and where an expression has no value. */
TL_API tl_status tl_world_read_monitors(const tl_world *world, size_t count, double *values);
/** The least and the greatest value of each channel since the world was made; NaN where there was
 * none. Either array may be NULL. */
TL_API tl_status tl_world_read_monitor_ranges(const tl_world *world, size_t count, double *least,
                                              double *greatest);
/** @} */

/** A number that differs, as good as surely, if any bit of any body's pose, velocity or handle
 *  differs. It does not depend on threads, backend, nor on the order in memory. 0 for NULL,
 *  and where memory ran out or the device failed (tl_last_message() says so). */
TL_API uint64_t tl_world_hash(const tl_world *world);

/** Writes everything that is needed to go on bit for bit into new memory; free it with
 *  tl_snapshot_free(). Pairs of tl_world_find_pairs() are not in it. */
TL_API tl_status tl_world_save(const tl_world *world, void **snapshot, size_t *bytes);

/** Makes a world on the CPU from a snapshot, without its scene; the snapshot may be of a world on
 * any backend. Damaged data is refused with TL_BAD_DATA and a message that names the field, also
 * where the checksum is right: what is accepted steps safely. */
TL_API tl_status tl_world_load(const void *snapshot, size_t bytes, tl_world **world);

/** The same on a backend of choice. */
TL_API tl_status tl_world_load_on(const void *snapshot, size_t bytes, tl_backend_kind backend,
                                  tl_world **world);

/** Frees what tl_world_save() made; NULL does nothing. */
TL_API void tl_snapshot_free(void *snapshot, size_t bytes);

TL_END_DECLS

#endif
