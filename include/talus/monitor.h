/** @file monitor.h
 *  What a world measures in every step.
 */
#ifndef TALUS_MONITOR_H
#define TALUS_MONITOR_H

#include "talus/fill.h"

TL_BEGIN_DECLS

/** @name Monitors
 *  Quantities that a world measures in every step, so that no peak is lost between frames. A
 * monitor gives one channel or a few, for example "drag.x", "drag.y", "drag.z" and
 * "drag.magnitude"; tl_world_read_monitors() reads them, and results keep them all.
 *  @{ */

/** The kinds of monitor, with the channels that each gives: "name.channel", or "name" where there
 * is one only. */
typedef enum tl_monitor_kind {
    TL_MONITOR_FORCE = 0,     /**< x, y, z, magnitude (N): contact force on `on`, by `by` */
    TL_MONITOR_TORQUE = 1,    /**< x, y, z, magnitude (N m): of those forces, about `point` */
    TL_MONITOR_MASS_FLOW = 2, /**< rate (kg/s), total (kg), count: mass of `on` that came through a
                              plane, along its normal, or into a region; less what went back.
                              Bodies that appear or are removed do not flow */
    TL_MONITOR_POSITION = 3,  /**< x, y, z (m): of a body, or the centre of mass of many */
    TL_MONITOR_VELOCITY = 4,  /**< x, y, z, magnitude (m/s): likewise */
    TL_MONITOR_ANGULAR_VELOCITY = 5, /**< x, y, z, magnitude (rad/s): likewise, mean by mass */
    TL_MONITOR_ENERGY = 6,           /**< kinetic, potential, total (J): of dynamic bodies */
    TL_MONITOR_AMOUNT = 7,           /**< mass (kg), count: of dynamic bodies */
    TL_MONITOR_SPEED = 8,            /**< mean, max, min (m/s): of dynamic bodies, each the same */
    TL_MONITOR_MEAN = 9,             /**< of channel `of` over the time of `window` */
    TL_MONITOR_MAX = 10,             /**< likewise */
    TL_MONITOR_MIN = 11,             /**< likewise */
    TL_MONITOR_INTEGRAL = 12,        /**< over time, likewise: of a force an impulse */
    TL_MONITOR_EXPRESSION = 13,      /**< of channels of monitors added before, and t (s) */
    TL_MONITOR_TOUCHING = 14, /**< count, mass (kg): of the bodies of `by` that touch `on`, by
                                a contact that overlaps or carries an impulse, as the step
                                found them: of a sensor, those that are in it */
    TL_MONITOR_RAY = 15,      /**< distance (m): how far a ray goes until it hits one of `on`,
                                 as tl_world_cast_rays() has it; `max_distance` where it hits
                                 none; after each step */
    TL_MONITOR_JOINT = 16     /**< what `joint` does, as tl_joint_state has it: fx, fy, fz, force
                                 (N), tx, ty, tz, torque (N m) in the world, local_fx to local_tz in
                                 frame a; for each free axis of x, y, z, rx, ry, rz its value ("rz"),
                                 rate ("rz_rate"), motor ("rz_motor") and the work of the motor
                                 ("rz_work", J); error (m) */
} tl_monitor_kind;

/** Some of the bodies of a scene. Bodies that are gone do not count. */
typedef struct tl_group_def {
    bool all;                    /**< every body, also those that are added later */
    size_t range_count;          /**< else: ranges of bodies of the scene */
    const tl_body_range *ranges; /**< range_count ranges; copied */
    size_t emitter_count;        /**< and all bodies that these emitters add */
    const uint32_t *emitters;    /**< in the order they were added, from 0; copied */
} tl_group_def;

/** tl_monitor_def.shape of monitors that look at all shapes. */
#define TL_ANY_SHAPE UINT32_MAX

/** What to measure. */
typedef struct tl_monitor_def {
    tl_monitor_kind kind; /**< which of the fields below are used */
    const char *name;     /**< a letter or _, then letters, digits and _; at most 40, and its own */
    tl_group_def on;      /**< what is measured; default: all bodies */
    tl_group_def by; /**< FORCE, TORQUE: what acts; TOUCHING: what touches; default: none, which is
                        all that is not in `on` */
    uint32_t shape;  /**< FORCE, TORQUE, TOUCHING: on this shape of the body alone, from 0; default
                          TL_ANY_SHAPE */
    double axis[3];  /**< FORCE, TORQUE, POSITION, VELOCITY, ANGULAR_VELOCITY: one more channel,
                          "along", is the component along this axis; default 0: none. RAY:
                          its direction, of any length but 0 */
    bool about; /**< TORQUE: about `point`; false (the default): about the body's centre of mass, or
                     the origin of one that is not dynamic */
    double point[3];     /**< m; TORQUE; FLOW: a point of the plane; RAY: where it begins */
    tl_body from;        /**< RAY: point and axis are in the frame of this body, which the ray goes
                              through; default none: the world's */
    double max_distance; /**< m, RAY: how far it goes; finite and > 0 */
    tl_joint joint;      /**< JOINT: a joint of the scene */
    double normal[3];    /**< FLOW: of the plane, to the side that mass flows to; default 0: into
                              `region` */
    bool within;      /**< ENERGY, AMOUNT, SPEED: bodies whose centre of mass is in `region` alone;
                         default      false */
    tl_region region; /**< FLOW, and where `within` is set; may be infinite */
    const char *of;   /**< MEAN, MAX, MIN, INTEGRAL: a channel of a monitor added before */
    double window;    /**< s, > 0, likewise: up to now; default infinity: since the start */
    const char *expression; /**< EXPRESSION, for example "drag.x / 9.81"; copied */
    const char *unit;       /**< EXPRESSION: at most 15 bytes; default NULL: none; copied */
} tl_monitor_def;

/** A monitor of nothing, to be filled: TL_MONITOR_FORCE without a name. */
TL_API tl_monitor_def tl_monitor_default(void);

/** Adds a monitor. Worlds made of the scene measure it. */
TL_API tl_status tl_scene_add_monitor(tl_scene *scene, const tl_monitor_def *def);

/** A channel of a monitor. */
typedef struct tl_monitor_info {
    char name[64]; /**< "drag.x" */
    char unit[16]; /**< "N"; "" for plain numbers */
} tl_monitor_info;

/** How many channels the monitors of a scene have. */
TL_API size_t tl_scene_monitor_count(const tl_scene *scene);

/** Channel i, from 0. */
TL_API tl_status tl_scene_monitor_info(const tl_scene *scene, size_t i, tl_monitor_info *info);

/** @} */

TL_END_DECLS

#endif
