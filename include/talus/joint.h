/** @file joint.h
 *  Joints: what holds two bodies together, or a body to the ground, with limits, motors, springs
 * and friction along what they leave free.
 *
 *  A joint has a frame on each of its two bodies. Its coordinates are where the frame of b is in
 * that of a: three translations along the axes of frame a, and three rotations. A kind locks some
 * of them (docs/joints.md has the table); along the others an axis may be limited, driven, sprung
 * and rubbed. Joints are solved exactly, all joints of a machine together with its contacts.
 */
#ifndef TALUS_JOINT_H
#define TALUS_JOINT_H

#include "talus/base.h"

TL_BEGIN_DECLS

/** Names a joint, in the scene it was added to and in every world made of that scene. Zero is none.
 */
typedef struct tl_joint {
    uint32_t index; /**< 1 for the first joint added; never used again after removal */
} tl_joint;

/** The kinds of joint. Axes named below are those of the frames. */
typedef enum tl_joint_kind {
    TL_JOINT_FIXED = 0,          /**< nothing is free: a weld */
    TL_JOINT_SPHERICAL = 1,      /**< the origins meet; all rotations are free */
    TL_JOINT_REVOLUTE = 2,       /**< a hinge: rotation about z is free */
    TL_JOINT_PRISMATIC = 3,      /**< a slide: translation along z is free */
    TL_JOINT_CYLINDRICAL = 4,    /**< translation along z and rotation about it are free */
    TL_JOINT_PLANAR = 5,         /**< translations along x and y and rotation about z are free */
    TL_JOINT_UNIVERSAL = 6,      /**< the origins meet; x of a stays across y of b */
    TL_JOINT_POINT_ON_LINE = 7,  /**< the origin of b stays on the z-axis of a */
    TL_JOINT_POINT_ON_PLANE = 8, /**< the origin of b stays in the xy-plane of a */
    TL_JOINT_DISTANCE = 9, /**< the origins are `length` apart: a rod; or at most: a rope; with
                                axes[0] set, what that says acts along their line: a spring
                                at rest at `length`, a damper, an actuator */
    TL_JOINT_REVOLUTE_SPHERICAL = 10, /**< a rod of `length` with a hinge about z of a at one end
                                           (it stays across that axis), a ball at b */
    TL_JOINT_GEAR = 11,   /**< couples the rotations of two revolute (or cylindrical) joints:
                               angle of the second = ratio * angle of the first + what it was */
    TL_JOINT_RACK = 12,   /**< couples a revolute joint with a prismatic one: travel = ratio (m per
                               rad) * angle */
    TL_JOINT_SCREW = 13,  /**< cylindrical, with travel = ratio (m per rad) * angle */
    TL_JOINT_PULLEY = 14, /**< a rope from the origin of a over two points of the world to that of
                             b: |a - anchor a| + ratio |b - anchor b| = length; or at most */
    TL_JOINT_GENERIC = 15 /**< `locked` says which coordinates are */
} tl_joint_kind;

/** The kinds of function of time. */
typedef enum tl_function_kind {
    TL_FUNCTION_CONSTANT = 0,  /**< value */
    TL_FUNCTION_SINE = 1,      /**< value + amplitude * sin(2 pi frequency t + phase) */
    TL_FUNCTION_TABLE = 2,     /**< straight between times, constant outside */
    TL_FUNCTION_EXPRESSION = 3 /**< a text: arithmetic of t, as in scene files */
} tl_function_kind;

/** A function of time. */
typedef struct tl_function_def {
    tl_function_kind kind;  /**< default TL_FUNCTION_CONSTANT */
    double value;           /**< default 0 */
    double amplitude;       /**< TL_FUNCTION_SINE */
    double frequency;       /**< Hz, >= 0, TL_FUNCTION_SINE */
    double phase;           /**< rad, TL_FUNCTION_SINE */
    size_t table_length;    /**< >= 1, TL_FUNCTION_TABLE */
    const double *times;    /**< s, strictly increasing; copied */
    const double *values;   /**< table_length values; copied */
    const char *expression; /**< TL_FUNCTION_EXPRESSION; copied */
} tl_function_def;

/** What a motor holds. */
typedef enum tl_drive {
    TL_DRIVE_NONE = 0,     /**< no motor */
    TL_DRIVE_SPEED = 1,    /**< the rate of the coordinate, m/s or rad/s */
    TL_DRIVE_POSITION = 2, /**< the coordinate itself, m or rad */
    TL_DRIVE_FORCE = 3     /**< the force or torque, N or N m */
} tl_drive;

/** One free coordinate of a joint: m and N, or rad and N m. */
typedef struct tl_axis_def {
    double lower;         /**< the least value, default -infinity */
    double upper;         /**< the greatest, default infinity; not below lower */
    double restitution;   /**< at the limits, 0 to 1, default 0 */
    double friction;      /**< N or N m that resist its motion, >= 0, default 0 */
    double stiffness;     /**< of a spring, N/m or N m/rad, >= 0, default 0; implicit in time */
    double damping;       /**< of a damper, N s/m or N m s/rad, >= 0, default 0; implicit in time */
    double rest;          /**< where the spring is at rest, default 0 */
    size_t spring_length; /**< rows of a tabulated spring, 0 (the default): none, else >= 2 */
    const double *spring_values; /**< coordinates, strictly increasing; copied */
    const double *spring_forces; /**< forces there, straight between and beyond; copied */
    tl_drive drive;              /**< default TL_DRIVE_NONE */
    tl_function_def target;      /**< what the motor holds */
    double limit;                /**< N or N m: the most a speed or position motor exerts, >= 0,
                                      default infinity */
} tl_axis_def;

/** A joint. */
typedef struct tl_joint_def {
    tl_joint_kind kind;      /**< which of the fields below are used */
    tl_body a;               /**< index 0: the ground */
    tl_body b;               /**< index 0: the ground; one of the two is dynamic */
    double position_a[3];    /**< m, origin of the frame in the frame of body a (ground: world) */
    double orientation_a[4]; /**< unit quaternion, joint frame to body frame; default identity */
    double position_b[3];    /**< the same of b */
    double orientation_b[4]; /**< the same of b */
    bool locked[6];          /**< TL_JOINT_GENERIC: x, y, z, rotations about x, y, z */
    tl_axis_def axes[6];     /**< x, y, z, rotations about x, y, z of frame a; only free ones may
                                  differ from the default. Distance: the first, along the line of
                                  the origins; its rest is `length` */
    double length;           /**< m, > 0: distance, revolute-spherical, pulley; 0: as it is at the
                                  start */
    bool rope;               /**< distance, pulley: the length is an upper limit; default false */
    double ratio;            /**< gear, rack, screw, pulley: not 0; default 1 */
    double anchors[2][3];    /**< m, world, pulley: over which the rope runs on the side of a, b */
    tl_joint coupled[2];     /**< gear, rack: the joints whose coordinates are coupled */
    double break_force;      /**< N, > 0: a greater reaction breaks the joint; default infinity */
    double break_torque;     /**< N m, > 0; default infinity */
    bool collide;            /**< whether the two bodies may touch each other; default false */
} tl_joint_def;

/** A joint of this kind between no bodies, everything else at its default. */
TL_API tl_joint_def tl_joint_default(tl_joint_kind kind);

/** Which of its six coordinates a joint locks: x, y, z, rotations about x, y, z. Kinds that hold
 * something else (distance, revolute-spherical, gear, rack, pulley) lock none of them; a screw
 * neither locks z nor the rotation about it, as it couples them. NULL and what is no kind lock
 * none.
 */
TL_API void tl_joint_locks(const tl_joint_def *def, bool locked[6]);

/** Sets both frames of a joint so that they meet at a point (m) with their z-axes along a direction
 * (not 0), both in the world, given the poses of the bodies: rows of 3 and of 4 (NULL: the ground).
 */
TL_API tl_status tl_joint_place(tl_joint_def *def, const double point[3], const double axis[3],
                                const double *position_a, const double *orientation_a,
                                const double *position_b, const double *orientation_b);

/** How a joint is doing, after a step. Force and torque are what acts on b through the joint, at
 * the origin of frame b; what acts on a is the opposite. */
typedef struct tl_joint_state {
    double force[3];       /**< N, world frame: the joint's reaction with motors, springs, limits */
    double torque[3];      /**< N m, world frame */
    double local_force[3]; /**< N, in frame a */
    double local_torque[3]; /**< N m, in frame a */
    double value[6];        /**< coordinates: m and rad; angles of revolute axes count turns; of a
                                 distance the first is the distance */
    double rate[6];         /**< m/s and rad/s */
    double motor[6];        /**< N or N m, by the motor of each axis */
    double error;           /**< m: how far locked coordinates are off, angles times 1 m */
    double residual;        /**< m/s or rad/s: by how much its worst row was not held in the last
                                 step; 0 before the first one */
    bool broken;            /**< it broke and holds nothing any more */
} tl_joint_state;

TL_END_DECLS

#endif
