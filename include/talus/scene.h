/** @file scene.h
 *  What is simulated: materials, bodies with their shapes, forces and settings, as plain checked
 * data.
 *
 *  A scene is a description and costs nothing to run; tl_world_create() compiles it. Definitions
 * come from tl_*_default() so that fields added later have sound values. Every add is checked at
 * once: a refused definition changes nothing, and tl_last_message() names the field, the value and
 * the rule.
 */
#ifndef TALUS_SCENE_H
#define TALUS_SCENE_H

#include "talus/base.h"
#include "talus/joint.h"
#include "talus/mesh.h"

TL_BEGIN_DECLS

/** A description of what is simulated. Opaque; one thread at a time. */
typedef struct tl_scene tl_scene;

/** Names a material of a scene. Zero is none: the default material (friction 0.5, restitution 0).
 */
typedef struct tl_material {
    uint32_t index; /**< 1 for the first material added */
} tl_material;

/** How a surface rubs, bounces, rolls, sticks and gives (docs/theory.md, "Surfaces"). Moments of
 * rolling and spinning friction are those of the normal force at an arm of the coefficient times a
 * radius: the distance of the body's centre of mass from the tangent plane; between two dynamic
 * bodies, that of their product over their sum. */
typedef struct tl_material_def {
    double friction;          /**< Coulomb coefficient mu, >= 0, default 0.5 */
    double restitution;       /**< Newton coefficient e, 0 to 1, default 0; 0 with compliance */
    double rolling_friction;  /**< against rolling, default 0 */
    double spinning_friction; /**< against spinning about the normal, default 0 */
    double cohesion;          /**< N: what it takes to pull two such surfaces apart, default 0 */
    double compliance;        /**< m/N: how far a contact gives, 1 over its stiffness, default 0 */
    double damping_time;      /**< s: damping over stiffness of such a contact, default 0 */
    double surface_velocity[3]; /**< m/s: how the surface moves in itself, in the body's frame, as
                                     that of a belt; what is across the surface does not count */
    double cohesion_density;    /**< J/m^3: cohesion by area of TL_COHESION_SJKR, default 0 */
    double young_modulus; /**< Pa, of TL_STEPPER_PENALTY: 1e3 to 1e15; 0 is the default, 1e8 */
    double poisson_ratio; /**< likewise: above -1 and at most 0.5; default 0.3 */
    double friction_ellipsoid[3]; /**< factors of friction along the axes of the body's frame, 0.01
                                       to 100: the semi-axes of an ellipsoid, of which the tangent
                                       plane cuts the ellipse of friction; of
                                       TL_STEPPER_STEWART_TRINKLE and TL_STEPPER_PEG. Default 1, 1,
                                       1, as are three zeros */
} tl_material_def;

/** What a pair of materials has in common, as tl_material_def. */
typedef struct tl_pair_def {
    double friction;          /**< Coulomb coefficient mu */
    double restitution;       /**< Newton coefficient e */
    double rolling_friction;  /**< against rolling */
    double spinning_friction; /**< against spinning about the normal */
    double cohesion;          /**< N */
    double compliance;        /**< m/N */
    double damping_time;      /**< s */
    double cohesion_density;  /**< J/m^3 */
} tl_pair_def;

/** A material with every field at its default. */
TL_API tl_material_def tl_material_default(void);

/** Names a geometry of a scene: a convex hull, a mesh or a height field, which any number of shapes
 * may use. Zero is none. */
typedef struct tl_geometry {
    uint32_t index; /**< 1 for the first geometry added */
} tl_geometry;

/** The kinds of shape. Planes, parallelograms, meshes and height fields belong to fixed or
 * prescribed bodies; all others are solids and may be on bodies of any kind. */
typedef enum tl_shape_kind {
    TL_SPHERE = 0,        /**< solid ball */
    TL_PLANE = 1,         /**< half-space below the local xy-plane, unbounded; outward normal local
                               +z */
    TL_BOX = 2,           /**< solid box, axes along the local frame; its edges may be rounded */
    TL_PARALLELOGRAM = 3, /**< two-sided thin patch spanned by two edges from the local origin */
    TL_CAPSULE = 4,       /**< all that is within `radius` of a segment along local z */
    TL_CYLINDER = 5,      /**< solid cylinder along local z; its edges may be rounded */
    TL_CONE = 6,      /**< solid cone along local z: base at -half_length, apex at half_length */
    TL_ELLIPSOID = 7, /**< solid ellipsoid, axes along the local frame */
    TL_HULL = 8,      /**< convex polyhedron; with `rounding`, all that is within that of it */
    TL_MESH = 9,      /**< surface of triangles */
    TL_HEIGHTS = 10,  /**< height field: solid below a grid of heights */
    TL_POINT = 11,  /**< a point: a sphere of radius 0, which it is once it is on a body. It has no
                         volume: a body with points alone needs a mass */
    TL_POLYGON = 12 /**< what tl_scene_add_polygon() made; once it is on a body, a hull per convex
                         piece */
} tl_shape_kind;

/** A shape of a body, placed in the body's frame. */
typedef struct tl_shape_def {
    tl_shape_kind kind;     /**< which of the fields below are used */
    tl_material material;   /**< default: none, the default material */
    double position[3];     /**< m, of the shape's origin in the body's frame; default 0 */
    double orientation[4];  /**< unit quaternion, shape frame to body frame; default identity */
    double radius;          /**< m, spheres, capsules, cylinders, cones (of the base): > 0 */
    double half_extents[3]; /**< m, boxes; ellipsoids: the semi-axes; each > 0 */
    double edge_u[3];       /**< m, parallelograms: first edge, in the shape's frame */
    double edge_v[3];       /**< m, parallelograms: second edge; not parallel to the first */
    double half_length;     /**< m, > 0, along local z: capsules: half the segment between the
                                 centres of the caps; cylinders and cones: half the height */
    double rounding;        /**< m, >= 0, default 0. Boxes and cylinders: the radius of their
                                 rounded edges; the outer size stays, so it must be smaller than
                                 the smallest half extent, or radius and half length. Hulls: a
                                 layer added all around */
    tl_geometry geometry;   /**< hulls, meshes, height fields and polygons */
    uint32_t group;         /**< the groups that it is in, a bit each; default 1 */
    uint32_t mask;          /**< the groups that it collides with, a bit each; default all. Two
                                 shapes collide where each is in a group of the other's mask:
                                 (group_a & mask_b) && (group_b & mask_a). Those of one body and
                                 those of two bodies that are not dynamic never do */
    bool sensor;            /**< true: its contacts are found and reported, and exert nothing; it
                                 has no mass and is no obstacle to fills and emitters. Sensors do
                                 not see each other. Default false */
} tl_shape_def;

/** A sphere of this radius (m), everything else at its default. */
TL_API tl_shape_def tl_sphere_default(double radius);
/** A plane, everything at its default: solid below z = 0. */
TL_API tl_shape_def tl_plane_default(void);
/** A box with these half extents (m), everything else at its default. */
TL_API tl_shape_def tl_box_default(double hx, double hy, double hz);
/** A parallelogram with these edges (m; copied), everything else at its default. */
TL_API tl_shape_def tl_parallelogram_default(const double edge_u[3], const double edge_v[3]);
/** A capsule: its radius and half the length of its segment (m), everything else at its default. */
TL_API tl_shape_def tl_capsule_default(double radius, double half_length);
/** A cylinder with this radius and half height (m), everything else at its default. */
TL_API tl_shape_def tl_cylinder_default(double radius, double half_length);
/** A cone with this radius of its base and half height (m), everything else at its default. Its
 * centre of mass is a quarter of the height above the base, not the shape's origin. */
TL_API tl_shape_def tl_cone_default(double radius, double half_length);
/** An ellipsoid with these semi-axes (m), everything else at its default. */
TL_API tl_shape_def tl_ellipsoid_default(double a, double b, double c);
/** A convex hull that tl_scene_add_hull() made, everything else at its default. */
TL_API tl_shape_def tl_hull_default(tl_geometry geometry);
/** A mesh that tl_scene_add_mesh() made, everything else at its default. */
TL_API tl_shape_def tl_mesh_shape_default(tl_geometry geometry);
/** A height field that tl_scene_add_heights() made, everything else at its default. */
TL_API tl_shape_def tl_heights_default(tl_geometry geometry);

/** A point, everything at its default. */
TL_API tl_shape_def tl_point_default(void);
/** A polygon that tl_scene_add_polygon() made, everything else at its default. */
TL_API tl_shape_def tl_polygon_shape_default(tl_geometry geometry);

/** The kinds of body. */
typedef enum tl_body_kind {
    TL_DYNAMIC = 0,   /**< moves under forces and contacts */
    TL_FIXED = 1,     /**< never moves */
    TL_PRESCRIBED = 2 /**< moves as its motion says, whatever pushes it */
} tl_body_kind;

/** The kinds of function of time that a prescribed motion is made of. What is given are three
 * components: an offset (m) or a rotation vector (rad: along the axis, as long as the angle). */
typedef enum tl_motion_kind {
    TL_MOTION_VELOCITY = 0,  /**< velocity * t */
    TL_MOTION_SINE = 1,      /**< amplitude * sin(2 pi frequency t + phase) */
    TL_MOTION_TABLE = 2,     /**< rows at given times, straight between them, constant outside */
    TL_MOTION_RAMP = 3,      /**< the integral of a velocity that is velocity_from until
                                  ramp_start, changes evenly and is velocity from ramp_stop on */
    TL_MOTION_EXPRESSION = 4 /**< three texts: arithmetic of t, as in scene files */
} tl_motion_kind;

/** A prescribed motion: a translation and a rotation, each a function of time of its own kind.
 *
 * With the offset d(t) and the rotation R(t), by the rotation vector, a point of the body that was
 * at x in the initial pose is at P + d(t) + R(t) (x - P), where P is where the pivot was. t counts
 * from time 0 of the world; after TL_EVENT_MOTION and tl_world_set_motion() from when they took
 * place. Over a step a body has the one velocity and angular velocity that lead from its pose at
 * the start to that at the end. A step may turn it by less than half a turn where the axis changes,
 * by any angle about a constant axis. A jump, of a table or expression, is a motion of one step:
 * fast, up to max_speed of the settings. */
typedef struct tl_motion_def {
    tl_motion_kind kind;     /**< of the translation; default TL_MOTION_VELOCITY */
    tl_motion_kind rotation; /**< of the rotation; default TL_MOTION_VELOCITY */
    double velocity[3];      /**< m/s: constant, or in the end of a ramp */
    double velocity_from[3]; /**< m/s: at the start of a ramp */
    double ramp_start;       /**< s, >= 0, TL_MOTION_RAMP */
    double ramp_stop;        /**< s, above ramp_start, TL_MOTION_RAMP */
    double amplitude[3];     /**< m, TL_MOTION_SINE */
    double frequency;        /**< Hz, TL_MOTION_SINE: >= 0; like all numbers of a motion below
                                  1e12, but ramps' times */
    double phase;            /**< rad, TL_MOTION_SINE */

    double angular_velocity[3];      /**< rad/s, world frame: constant, or in the end of a ramp */
    double angular_velocity_from[3]; /**< rad/s: at the start of a ramp, along the same axis */
    double angular_ramp_start;       /**< s, >= 0, TL_MOTION_RAMP */
    double angular_ramp_stop;        /**< s, above angular_ramp_start, TL_MOTION_RAMP */
    double angular_amplitude[3];     /**< rad, along the axis, TL_MOTION_SINE */
    double angular_frequency;        /**< Hz, TL_MOTION_SINE: >= 0 */
    double angular_phase;            /**< rad, TL_MOTION_SINE */

    double pivot[3]; /**< m, body frame: the point that the rotation leaves in place; default the
                          body's origin */

    size_t table_length;         /**< rows of offsets, TL_MOTION_TABLE: >= 1 */
    size_t angular_table_length; /**< rows of rotations, TL_MOTION_TABLE: >= 1 */
    const double *times;         /**< s, table_length values, strictly increasing; copied */
    const double *offsets;       /**< m, table_length rows of 3; copied */
    const double *angular_times; /**< s, angular_table_length values, strictly increasing; copied */
    const double *rotations;     /**< rad, angular_table_length rows of 3, rotation vectors; copied.
                                      Between rows about one axis the angle grows evenly, over any
                                      number of turns; others are joined by the shortest turn */
    const char *expressions[3];  /**< m, TL_MOTION_EXPRESSION, "0.1*sin(2*pi*t)"; NULL is 0;
                                      copied */
    const char *angular_expressions[3]; /**< rad, components of the rotation vector, likewise */
} tl_motion_def;

/** A body at rest in its initial pose: TL_MOTION_VELOCITY with zero velocities. */
TL_API tl_motion_def tl_motion_default(void);

/** A body with its shapes. */
typedef struct tl_body_def {
    tl_body_kind kind;     /**< default TL_DYNAMIC */
    double position[3];    /**< m, of the body's origin, which need not be the centre of mass */
    double orientation[4]; /**< unit quaternion, body frame to world frame; default identity */
    double velocity[3];    /**< m/s, of the centre of mass, dynamic bodies */
    double angular_velocity[3]; /**< rad/s, world frame, dynamic bodies */
    double density;             /**< kg/m^3, used where mass is 0; default 1000 */
    double mass;                /**< kg; 0 (the default): density times the volume of the shapes,
                                     where they overlap counted for each */
    double inertia[3];          /**< kg m^2, moments about the centre of mass along the body's axes,
                                     which then are principal axes. All 0 (the default): those of
                                     its solid shapes for this mass, with their centre of mass and
                                     principal axes, wherever these are. They must obey the triangle
                                     inequality */
    double centre_of_mass[3];   /**< m, body frame, where inertia is given; default 0 */
    size_t shape_count; /**< shapes of the body; a dynamic body without shapes needs mass and
                             inertia and touches nothing */
    const tl_shape_def *shapes; /**< shape_count shapes; copied */
    tl_motion_def motion;       /**< prescribed bodies */
} tl_body_def;

/** A dynamic body at the origin, at rest, without shapes, density 1000. */
TL_API tl_body_def tl_body_default(void);

/** A rod without mass between the centres of mass of two bodies, of which one is dynamic, for
 * TL_STEPPER_PENALTY alone. It is a body of its own, with a capsule for a shape, whose pose follows
 * from the two; what touches it acts on them, at `a` from the first to the second as on a mass
 * 1/((1-a)^2/m_1 + a^2/m_2). It touches everything but its two bodies and rods that share one of
 * them, and ends where their centres are: what is beyond touches the bodies. */
typedef struct tl_rod_def {
    tl_body a;            /**< the first of two bodies, no rods */
    tl_body b;            /**< the second */
    double radius;        /**< m, > 0; not more than that of the bodies, where these are spheres */
    double length;        /**< m: what it keeps, which must be how far they are apart; 0 (the
                               default): its length is free */
    tl_material material; /**< default: none, the default material */
    uint32_t group;       /**< as in tl_shape_def */
    uint32_t mask;        /**< likewise */
} tl_rod_def;

/** A rod of this radius (m) between no bodies, everything else at its default. */
TL_API tl_rod_def tl_rod_default(double radius);

/** Adds a rod. `rod`, if not NULL, receives its handle, that of a body. In states and results it
 * has 1e-12 of the mass of its bodies, which nothing feels. It goes when one of its bodies does. */
TL_API tl_status tl_scene_add_rod(tl_scene *scene, const tl_rod_def *def, tl_body *rod);

/** How many rods a scene has. */
TL_API size_t tl_scene_rod_count(const tl_scene *scene);

/** Lets two different bodies of a scene pass through each other, whatever the groups of their
 * shapes. Any number of pairs may be excluded; one that is already is no error. */
TL_API tl_status tl_scene_exclude(tl_scene *scene, tl_body a, tl_body b);

/** Where a body of the scene starts: its origin (m) and orientation, as they were given. Joints are
 * placed by them (tl_joint_place()). */
TL_API tl_status tl_scene_read_pose(const tl_scene *scene, tl_body body, double position[3],
                                    double orientation[4]);

/** A force and torque on a dynamic body, on top of gravity; several on one body add up. */
typedef struct tl_force_def {
    tl_body body;         /**< the dynamic body it acts on */
    double force[3];      /**< N, world frame, at the centre of mass; without a table */
    double torque[3];     /**< N m, world frame; without a table */
    size_t table_length;  /**< 0 (the default): force and torque are constant */
    const double *times;  /**< s, strictly increasing; copied */
    const double *values; /**< table_length rows of force[3], torque[3]; linear between times, the
                               first and last row outside; copied */
} tl_force_def;

/** No force on no body. */
TL_API tl_force_def tl_force_default(void);

/** Adds a joint between bodies of the scene. `joint`, if not NULL, receives its handle. */
TL_API tl_status tl_scene_add_joint(tl_scene *scene, const tl_joint_def *def, tl_joint *joint);

/** How many joints the scene has. */
TL_API size_t tl_scene_joint_count(const tl_scene *scene);

/** What a joint was added as. Tables and texts that it points to belong to the scene. */
TL_API tl_status tl_scene_joint(const tl_scene *scene, tl_joint joint, tl_joint_def *def);

/** How a step goes in time (docs/theory.md, "Steppers"). */
typedef enum tl_stepper {
    TL_STEPPER_DVI = 0,    /**< first order in h: contacts and joints in one problem */
    TL_STEPPER_SMOOTH = 1, /**< second order in h where nothing impacts: for mechanisms */
    TL_STEPPER_STEWART_TRINKLE =
        2,                 /**< every facet of a shape is a half-space, solved exactly; CPU */
    TL_STEPPER_PEG = 3,    /**< polyhedral exact geometry: half-spaces end where shapes do; CPU */
    TL_STEPPER_PENALTY = 4 /**< contacts are springs and dampers, in substeps (docs/penalty.md) */
} tl_stepper;

/** The force laws of TL_STEPPER_PENALTY (docs/theory.md, "Penalty contact"). */
typedef enum tl_penalty_law {
    TL_PENALTY_HERTZ = 0,  /**< Hertz and Mindlin, by Young's modulus and Poisson's ratio */
    TL_PENALTY_LINEAR = 1, /**< springs and dashpots of a constant stiffness */
    TL_PENALTY_SCALED = 2  /**< document 004's: forces are in proportion to the reduced mass */
} tl_penalty_law;

/** How a substep goes in time. */
typedef enum tl_integrator {
    TL_INTEGRATOR_DEFAULT = 0,      /**< rk4 of the law scaled, verlet of the others */
    TL_INTEGRATOR_VERLET = 1,       /**< half a kick, drift, half a kick: second order */
    TL_INTEGRATOR_RK4 = 2,          /**< Runge-Kutta: fourth order, four evaluations */
    TL_INTEGRATOR_EULER = 3,        /**< explicit: first order, gains energy */
    TL_INTEGRATOR_SEMI_IMPLICIT = 4 /**< velocities, then positions by these: first order */
} tl_integrator;

/** How friction of the law scaled depends on the slip u; o is the overlap, m the reduced mass. */
typedef enum tl_friction_form {
    TL_FRICTION_ROOT = 0,         /**< m mu o u / sqrt|u|: method 3 of document 004 */
    TL_FRICTION_CONSTANT = 1,     /**< m mu o u / |u|: method 1 */
    TL_FRICTION_PROPORTIONAL = 2, /**< m mu o u: method 2 */
    TL_FRICTION_CAPPED = 3        /**< constant where |u| is above 1 m/s, else root */
} tl_friction_form;

/** How rolling_friction of a material acts. */
typedef enum tl_rolling {
    TL_ROLLING_CONSTANT = 0,       /**< a moment against the relative spin */
    TL_ROLLING_ELASTIC_PLASTIC = 1 /**< a spring and dashpot, up to that moment */
} tl_rolling;

/** How cohesion of a material acts. */
typedef enum tl_cohesion_law {
    TL_COHESION_SJKR = 0, /**< cohesion_density times the area of contact */
    TL_COHESION_JKR = 1,  /**< Johnson, Kendall and Roberts; cohesion is the force that pulls off */
    TL_COHESION_DMT = 2   /**< Derjaguin, Muller and Toporov: cohesion while surfaces touch */
} tl_cohesion_law;

/** What TL_STEPPER_PENALTY takes. */
typedef struct tl_penalty_def {
    tl_penalty_law law;       /**< default TL_PENALTY_HERTZ */
    tl_integrator integrator; /**< default TL_INTEGRATOR_DEFAULT */
    uint32_t substeps;        /**< of a step; 0 (the default): as many as keep 0.2 of Rayleigh's
                                   time and of the duration of a contact, and the limit of
                                   stability; at most 1,000,000 */
    double stiffness;         /**< linear: N/m, 0 (the default): 2 E R of the pair, reduced; scaled:
                                   C_c, 1/s^2, 0 (the default): 1000 */
    double tangential_stiffness;    /**< linear: N/m; 0 (the default): 2/7 of the stiffness */
    double damping;                 /**< scaled: C_d, 1/s; default 12.5 */
    double friction;                /**< scaled: mu; default 50 */
    tl_friction_form friction_form; /**< scaled; default TL_FRICTION_ROOT */
    bool collisions;                /**< scaled: fast contacts collide by impulses; default true */
    double collision_threshold;     /**< 1/s, scaled: those whose approach is above this times the
                                         smaller radius; default 1 */
    bool attraction;          /**< whether damping may pull surfaces together; default false */
    tl_rolling rolling;       /**< default TL_ROLLING_CONSTANT */
    tl_cohesion_law cohesion; /**< default TL_COHESION_DMT */
} tl_penalty_def;

/** Whether bodies move in space or in a plane. */
typedef enum tl_planar {
    TL_PLANAR_NONE = 0, /**< in space */
    TL_PLANAR_XZ = 1    /**< dynamic bodies keep their y, and turn about y alone */
} tl_planar;

/** Which plane of a shape a contact acts as for one step (docs/theory.md, "Planes by motion"). */
typedef enum tl_planes {
    TL_PLANES_BY_MOTION = 0, /**< where bodies move on: the plane that their path leads to */
    TL_PLANES_NEAREST = 1    /**< the one that is nearest as the step begins */
} tl_planes;

/** What the steppers TL_STEPPER_STEWART_TRINKLE and TL_STEPPER_PEG take (docs/theory.md, "Exact
 * geometry"). */
typedef struct tl_exact_def {
    double epsilon;      /**< m: pairs farther apart than this are left out, whatever their speed; 0
                              (the default): those that cannot meet within the step */
    double psi_minimum;  /**< m: facets that a pair is deeper behind are left out; 0 (the default):
                              those that cannot matter within the step */
    uint32_t directions; /**< of the pyramid of friction in space, 3 to 64; default 8 */
    bool cone;           /**< the cone instead of the pyramid; default false */
    bool primary;        /**< TL_STEPPER_PEG: eq. 16 of document 003, one impulse along the primary
                              facet of each pair; default false: on the facet that the pair ends
                              the step on */
} tl_exact_def;

/** How joints are solved (docs/theory.md, "Joints"). */
typedef enum tl_joint_method {
    TL_JOINTS_EXACT = 0,  /**< all joints of a machine at once, by factors */
    TL_JOINTS_ITERATE = 1 /**< one at a time in each sweep of psor, as in the sources */
} tl_joint_method;

/** How overlap is removed (docs/theory.md, "Overlap"). */
typedef enum tl_overlap {
    TL_OVERLAP_SPLIT = 0,   /**< a second, frictionless problem moves positions only */
    TL_OVERLAP_VELOCITY = 1 /**< gap / h inside the velocity problem, as in the sources */
} tl_overlap;

/** The solvers of the velocity problem (docs/theory.md, "Solvers"). */
typedef enum tl_solver_kind {
    TL_PSOR = 0,    /**< coloured projected Gauss-Seidel: the default, best per millisecond */
    TL_JACOBI = 1,  /**< the fixed-point iteration of the sources, eq. 12 and 14 */
    TL_APGD = 2,    /**< accelerated projected gradient: for tight tolerances */
    TL_SPG = 3,     /**< spectral projected gradient (Barzilai-Borwein) */
    TL_INTERIOR = 4 /**< interior-point method by factorizations, on the host in 64-bit: with a
                         certificate, the duality gap */
} tl_solver_kind;

/** The friction law that a solver satisfies. */
typedef enum tl_law {
    TL_LAW_DEFAULT = 0, /**< Coulomb's */
    TL_LAW_CONE = 1,    /**< the convex relaxation of the sources: contacts that slip are thrown
                             apart at friction times the slip */
    TL_LAW_COULOMB = 2  /**< true Coulomb friction */
} tl_law;

/** How impacts share a step (docs/theory.md, "Impacts"). */
typedef enum tl_impacts {
    TL_IMPACTS_SIMULTANEOUS = 0, /**< all at once, in the velocity problem: touching bodies share an
                                      impact */
    TL_IMPACTS_PROPAGATING = 1   /**< one pair after the other, the earliest first, until none is
                                      left: what a gas or a row of balls does */
} tl_impacts;

/** How real numbers are kept; positions are always 64-bit. */
typedef enum tl_precision {
    TL_MIXED = 0, /**< velocities, impulses and contact frames in 32-bit: the default */
    TL_DOUBLE = 1 /**< everything in 64-bit */
} tl_precision;

/** Where a world runs. */
typedef enum tl_backend_kind {
    TL_BACKEND_CPU = 0, /**< threads of this machine: the default */
    TL_BACKEND_CUDA = 1 /**< the first NVIDIA GPU, through the plugin libtalus_cuda.so; making a
                           world fails with TL_NO_BACKEND and the reason where that cannot be had */
} tl_backend_kind;

/** How a solver runs. */
typedef struct tl_solver_def {
    tl_solver_kind kind;          /**< default TL_PSOR */
    tl_law law;                   /**< default TL_LAW_DEFAULT */
    uint32_t iterations;          /**< at most, velocity problem, >= 1; default 8. Not used by
                                       interior, which ends by its certificate */
    uint32_t position_iterations; /**< at most, position problem (split), >= 1; default 4 */
    uint32_t balance_iterations;  /**< psor with Coulomb's law: at most so many before those of a
                                       step in which loads are new on bodies at rest, in search of
                                       impulses that hold them, fewer beyond 1,000 contacts, or a
                                       few factorizations that take no longer; 0: none, nor a direct
                                     solution where bodies at rest creep;  default 5000 */
    uint32_t coarse_layers;       /**< psor: heaps of about so many layers or more, along gravity,
                                       have a coarse level between the sweeps; 0: none; default 64
                                     */
    double tolerance; /**< m/s: stop when the residual is below; default 0, run them all */
    double omega;     /**< step factor, > 0 and below 2; 0 (the default): 1 for psor and 0.3 for
                           jacobi, where bodies of many points bear it. Not used by apgd and
                           spg */
    double lambda;    /**< jacobi's averaging factor, above 0 and at most 1; default 1 */
    bool warm_start;  /**< start from the last step's impulses; default true */
    tl_joint_method joints; /**< default TL_JOINTS_EXACT; TL_JOINTS_ITERATE needs TL_PSOR and
                                 TL_STEPPER_DVI */
} tl_solver_def;

/** Settings of a scene; a world takes a copy and they can be changed while it runs. */
typedef struct tl_settings {
    double gravity[3];        /**< m/s^2; default (0, 0, -9.81) */
    double step;              /**< s, the time step h, > 0; default 1/200 */
    tl_stepper stepper;       /**< default TL_STEPPER_DVI */
    tl_exact_def exact;       /**< of exact steppers */
    tl_penalty_def penalty;   /**< of TL_STEPPER_PENALTY */
    tl_planar planar;         /**< default TL_PLANAR_NONE */
    tl_planes planes;         /**< default TL_PLANES_BY_MOTION; not used by exact steppers */
    double envelope;          /**< m, contacts are made for gaps up to this (delta); 0, the default:
                                   5 % of the smallest radius of a dynamic body's shapes */
    tl_overlap overlap;       /**< default TL_OVERLAP_SPLIT */
    double recovery_fraction; /**< part of an overlap removed a step, above 0 and at most 1; default
                                   0.5. The sources' form is TL_OVERLAP_VELOCITY with 1 */
    double recovery_speed;    /**< m/s, overlap is removed no faster; default infinity */
    double restitution_speed; /**< m/s, slower impacts do not bounce; default 0.01 */
    tl_impacts impacts;       /**< default TL_IMPACTS_PROPAGATING; worlds with joints have them all
                                 at once */
    double max_speed;         /**< m/s, a body that moves faster, or is moved faster out of an
                                   overlap, stops the run with TL_DIVERGED; default 1e5 */
    tl_solver_def solver;     /**< how contacts are solved */
    tl_precision precision;   /**< fixed when the world is made */
    tl_backend_kind backend;  /**< default TL_BACKEND_CPU; fixed when the world is made */
    uint32_t threads;         /**< CPU threads; 0 (the default): as many as the machine offers */
    bool
        exact_times; /**< wait for the device at the end of each stage, so that a report's stage
                          times are where the work was done; costs a GPU some time. Default false */
} tl_settings;

/** Every setting at its default. */
TL_API tl_settings tl_settings_default(void);

/** Makes an empty scene with default settings. The caller owns it. */
TL_API tl_status tl_scene_create(tl_scene **scene);

/** Frees a scene; NULL does nothing. Worlds made of it live on. */
TL_API void tl_scene_destroy(tl_scene *scene);

/** Sets the settings after checking each. */
TL_API tl_status tl_scene_set_settings(tl_scene *scene, const tl_settings *settings);

/** A copy of the settings. */
TL_API tl_settings tl_scene_settings(const tl_scene *scene);

/** Adds a material. A pair of different materials has the geometric mean of their frictions, of any
 * kind, and of their cohesions; compliances add up; it bounces with the larger restitution, or by
 * its compliance where it has some; unless tl_scene_set_pair() says otherwise. At most 255. */
TL_API tl_status tl_scene_add_material(tl_scene *scene, const tl_material_def *def,
                                       tl_material *material);

/** Sets how two materials meet (in either order; they may be the same). */
TL_API tl_status tl_scene_set_pair(tl_scene *scene, tl_material a, tl_material b,
                                   const tl_pair_def *pair);

/** How two materials meet, as it follows from the two or was set. */
TL_API tl_status tl_scene_pair(const tl_scene *scene, tl_material a, tl_material b,
                               tl_pair_def *pair);

/** Adds the convex hull of points (m, three coordinates each), for shapes of kind TL_HULL. Points
 * inside of it are left out. Points without a volume are TL_BAD_ARGUMENT, a hull with more than 255
 * vertices or a face with more than 32 is TL_TOO_LARGE. */
TL_API tl_status tl_scene_add_hull(tl_scene *scene, size_t count, const double *points,
                                   tl_geometry *geometry);

/** A polygon in the plane of x and z, as a prism along y. */
typedef struct tl_polygon_def {
    size_t count;           /**< vertices: at least 3, of an open chain 2; at most 4096 */
    const double *vertices; /**< m, x and z of each; no two are equal, and no edges cross */
    bool open;              /**< a chain of edges that is not closed, with what is solid to its
                                 right, seen along it; behind it the solid has no end for exact
                                 steppers. Default false: closed, in either sense of rotation */
    double depth;           /**< m, along y, half to each side; > 0, default 1 */
} tl_polygon_def;

/** A closed polygon of depth 1 without vertices. */
TL_API tl_polygon_def tl_polygon_default(void);

/** Adds a polygon, for shapes of kind TL_POLYGON: its convex pieces, as hulls, of which `geometry`
 * is the first. Exact steppers never push along edges at which it was cut. */
TL_API tl_status tl_scene_add_polygon(tl_scene *scene, const tl_polygon_def *def,
                                      tl_geometry *geometry);

/** Adds a copy of a mesh, for shapes of kind TL_MESH. It is one-sided: what its triangles face,
 * counterclockwise, is free, and what is behind them is solid. It need not be closed; a closed one
 * around a volume is a solid, one that is inside out a room. Triangles whose height is less than
 * 1e-12 of their longest edge are left out. A mesh with triangles that face opposite sides along an
 * edge, or without any area, is TL_BAD_DATA, one with more than 2^28 triangles TL_TOO_LARGE. */
TL_API tl_status tl_scene_add_mesh(tl_scene *scene, const tl_mesh *mesh, tl_geometry *geometry);

/** Heights on a grid, for shapes of kind TL_HEIGHTS: z at (i * spacing[0], j * spacing[1]) is
 * heights[j * columns + i]. */
typedef struct tl_heights_def {
    uint32_t columns;      /**< along local x, >= 2 */
    uint32_t rows;         /**< along local y, >= 2 */
    double spacing[2];     /**< m, > 0, between columns and between rows */
    const double *heights; /**< m, row by row, `columns` in each; copied */
} tl_heights_def;

/** Adds a copy of a height field: solid from the heights all the way down, up to its border. Each
 * cell is two triangles; its diagonal goes from the least x and y to the greatest. A height that is
 * no number is TL_BAD_ARGUMENT, more than 2^28 triangles are TL_TOO_LARGE. */
TL_API tl_status tl_scene_add_heights(tl_scene *scene, const tl_heights_def *def,
                                      tl_geometry *geometry);

/** Splits a mesh of the scene into convex pieces (tl_mesh_split()), which stand for it in contact
 * where it is on dynamic bodies: each is a hull of the scene, and a shape of such a body. Mass,
 * centre of mass and inertia of the body are those of the mesh. A mesh that is not split when it is
 * first used on a dynamic body, in a fill or an emitter is split then with tl_split_default();
 * bodies that are added to a world take meshes that were split before. A mesh that is no solid is
 * TL_BAD_DATA, one that has been split TL_BAD_ARGUMENT. */
TL_API tl_status tl_scene_split_mesh(tl_scene *scene, tl_geometry geometry,
                                     const tl_split_def *def);

/** How near the pieces of a mesh come to it; count is 0 where it has not been split, or is no mesh,
 * and pieces is NULL. */
TL_API tl_status tl_scene_pieces(const tl_scene *scene, tl_geometry geometry, tl_pieces_info *info);

/** Gives a mesh convex pieces that were made before, in place of splitting it: `info` as
 * tl_pieces_describe() or, with the vertices of the hulls, tl_world_pieces() told it. Of each piece
 * only the vertices count. TL_BAD_DATA where there is no piece or one is no hull, TL_BAD_ARGUMENT
 * where the mesh has been split. */
TL_API tl_status tl_scene_set_pieces(tl_scene *scene, tl_geometry geometry,
                                     const tl_pieces_info *info);

/** Makes room for `count` more bodies. Nothing depends on it, but where very many are added a few
 * at a time, what is there need not be copied again and again. */
TL_API tl_status tl_scene_reserve(tl_scene *scene, size_t count);

/** Adds `count` bodies. `bodies`, if not NULL, receives their handles. All or none are added. */
TL_API tl_status tl_scene_add_bodies(tl_scene *scene, size_t count, const tl_body_def *defs,
                                     tl_body *bodies);

/** Adds a force on a dynamic body. */
TL_API tl_status tl_scene_add_force(tl_scene *scene, const tl_force_def *def);

/** The kinds of region. */
typedef enum tl_region_kind {
    TL_REGION_BOX = 0,      /**< corners `low` and `high`, axes along the world's */
    TL_REGION_CYLINDER = 1, /**< from the centre of its base along `axis`, within `radius` */
    TL_REGION_SPHERE = 2    /**< within `radius` of `centre` */
} tl_region_kind;

/** A part of space, for fills, emitters and boundaries; it is closed, and its bounds may be
 * infinite (boxes) where nothing has to be placed in it. */
typedef struct tl_region {
    tl_region_kind kind; /**< which of the fields below are used */
    double low[3];       /**< m, boxes: the lower corner */
    double high[3];      /**< m, boxes: the upper corner; each coordinate above low's */
    double centre[3];    /**< m, spheres: the centre; cylinders: the centre of the base */
    double axis[3];      /**< m, cylinders: from the base's centre to the top's; not zero */
    double radius;       /**< m, cylinders and spheres: > 0 */
} tl_region;

/** The box between two corners (m; copied). */
TL_API tl_region tl_region_box(const double low[3], const double high[3]);

/** Whether a point (m) is in a region. */
TL_API bool tl_region_contains(const tl_region *region, const double point[3]);

/** How the radii of many spheres are distributed. */
typedef enum tl_size_kind {
    TL_SIZE_EQUAL = 0,   /**< all have `radius` */
    TL_SIZE_UNIFORM = 1, /**< evenly between `low` and `high` */
    TL_SIZE_NORMAL = 2,  /**< mean `radius`, standard deviation `deviation`, between low and high */
    TL_SIZE_LOGNORMAL =
        3 /**< median `radius`, `deviation` of the logarithm, between low and high */
} tl_size_kind;

/** A distribution of radii. Values outside low..high are drawn again, not clamped. */
typedef struct tl_size_def {
    tl_size_kind kind; /**< default TL_SIZE_EQUAL */
    double radius;     /**< m, > 0: equal, normal, lognormal */
    double deviation;  /**< m (normal) or a plain number (lognormal), > 0 */
    double low;        /**< m, the least, > 0: all but equal */
    double high;       /**< m, the most, > low: all but equal */
} tl_size_def;

/** How a fill places spheres. */
typedef enum tl_fill_pattern {
    TL_FILL_GRID = 0, /**< a cubic grid */
    TL_FILL_HEX = 1,  /**< hexagonal close layers: the densest pattern of equal spheres */
    TL_FILL_RANDOM =
        2,            /**< at random places, one after the other; up to about 0.32 of the region */
    TL_FILL_CLOSE = 3 /**< random close: each sphere rests against others or the region, lowest
                           places (along gravity) first; about 0.55 of the region */
} tl_fill_pattern;

/** A body that a fill or an emitter makes copies of. */
typedef struct tl_template_def {
    double weight;              /**< how many copies of it there are, over those of others: > 0 */
    size_t shape_count;         /**< >= 1 */
    const tl_shape_def *shapes; /**< solids, in the frame of the body; those without a material have
                                     that of the fill or emitter */
} tl_template_def;

/** Many spheres, or copies of templates, placed in a region without touching each other nor any
 *  shape that is in the scene already. Grid and hex use the largest radius of the sizes for their
 *  spacing. Copies are placed as the balls around them are, so that long ones stand far apart, and
 *  each is turned at random. What is in the way are spheres, boxes and walls as they are, other
 *  solids with the box around them. */
typedef struct tl_fill_def {
    tl_region region;        /**< every sphere lies wholly inside; finite */
    tl_fill_pattern pattern; /**< default TL_FILL_GRID */
    tl_size_def size;        /**< radii; with templates: factors of their sizes instead, without
                                  a unit, and all 0 (the default) is 1. Hulls take 1 alone */
    double gap;              /**< m, at least this between surfaces, >= 0; default 0 */
    double jitter;           /**< m, grid and hex: each coordinate is moved by up to this, >= 0; the
                                  spacing grows by twice that, so that nothing can touch; default 0 */
    uint64_t count;          /**< spheres; 0 (the default): until the region is full */
    uint64_t seed;           /**< of sizes and places; default 1 */
    double density;          /**< kg/m^3, used where mass is 0; default 1000 */
    double mass;             /**< kg, of each body; 0 (the default): density times its volume */
    tl_material material;    /**< default: none, the default material */
    uint32_t group;          /**< of spheres, as in tl_shape_def; shapes of templates have theirs */
    uint32_t mask;           /**< likewise */
    double velocity[3];      /**< m/s; default 0 */
    size_t template_count;   /**< 0 (the default): spheres; TL_FILL_CLOSE takes one at most */
    const tl_template_def *templates; /**< template_count of them */
} tl_fill_def;

/** A grid of spheres of radius 0 (to be set) in no region (to be set), everything else as above. */
TL_API tl_fill_def tl_fill_default(void);

/** Adds spheres as bodies of their own. `added`, if not NULL, receives how many; `first` the handle
 *  of the first: the others follow it in index. Fails, adding none, if `count` do not fit: the
 *  message says how many do. The same definition and scene give the same spheres everywhere. */
TL_API tl_status tl_scene_fill(tl_scene *scene, const tl_fill_def *def, uint64_t *added,
                               tl_body *first);

/** Pours spheres, or copies of templates, into the world while it runs. They appear in batches, at
 *  random places of the region where they touch nothing; those that find no place wait for the next
 *  batch. Copies are placed as the balls around them are, and each is turned at random. */
typedef struct tl_emitter_def {
    tl_region region;      /**< every sphere appears wholly inside; finite */
    tl_size_def size;      /**< radii; with templates: factors of their sizes, as in tl_fill_def */
    double rate;           /**< bodies per second, > 0 */
    double start;          /**< s, no body before; default 0 */
    double stop;           /**< s, no body is due after; default infinity */
    uint64_t count;        /**< bodies in all; 0 (the default): no limit */
    double interval;       /**< s between batches, > 0; default 0.05 */
    uint64_t seed;         /**< of sizes, rotations and places; default 1 */
    double density;        /**< kg/m^3; default 1000 */
    tl_material material;  /**< default: none, the default material */
    uint32_t group;        /**< of spheres, as in tl_shape_def; shapes of templates have theirs */
    uint32_t mask;         /**< likewise */
    double velocity[3];    /**< m/s; default 0 */
    size_t template_count; /**< 0 (the default): spheres */
    const tl_template_def *templates; /**< template_count of them; copied */
} tl_emitter_def;

/** An emitter without region, sizes and rate, everything else as above. */
TL_API tl_emitter_def tl_emitter_default(void);

/** Adds an emitter. Worlds made of the scene carry it out. */
TL_API tl_status tl_scene_add_emitter(tl_scene *scene, const tl_emitter_def *def);

/** The kinds of event. */
typedef enum tl_event_kind {
    TL_EVENT_REMOVE = 0,  /**< removes bodies; those that are gone already are no error */
    TL_EVENT_GRAVITY = 1, /**< sets gravity */
    TL_EVENT_MOTION = 2   /**< gives prescribed bodies another motion, from the pose that they have
                               then; those that are gone already are no error */
} tl_event_kind;

/** Something that happens once, before the first step that starts at `time` or later. */
typedef struct tl_event_def {
    tl_event_kind kind;    /**< which of the fields below are used */
    double time;           /**< s, >= 0 */
    size_t body_count;     /**< all but TL_EVENT_GRAVITY: how many bodies, >= 1 */
    const tl_body *bodies; /**< all but TL_EVENT_GRAVITY: bodies of the scene; copied */
    double gravity[3];     /**< m/s^2, TL_EVENT_GRAVITY */
    tl_motion_def motion;  /**< TL_EVENT_MOTION: with t counted from the start of the step before
                                which the event happens, and offset and rotation from what they
                                are at t = 0, so that no body jumps */
} tl_event_def;

/** The removal of no body at time 0. */
TL_API tl_event_def tl_event_default(void);

/** Adds an event. Events at one time happen in the order they were added. */
TL_API tl_status tl_scene_add_event(tl_scene *scene, const tl_event_def *def);

/** Removes dynamic bodies whose centre leaves a region (or enters it). */
typedef struct tl_boundary_def {
    tl_region region;   /**< may be infinite */
    bool remove_inside; /**< false (the default): bodies outside are removed; true: those inside */
    double interval;    /**< s between looks, > 0; default 0.1 */
} tl_boundary_def;

/** A boundary without region, everything else as above. */
TL_API tl_boundary_def tl_boundary_default(void);

/** Adds a boundary. */
TL_API tl_status tl_scene_add_boundary(tl_scene *scene, const tl_boundary_def *def);

/** Bodies whose handles follow each other. */
typedef struct tl_body_range {
    tl_body first;  /**< the first of them */
    uint32_t count; /**< >= 1 */
} tl_body_range;

/** A bed that goes with a machine: a grain that is more than `length` behind a body is put back
 * `length` ahead of it, at rest, on what is below it there, grains or walls. It keeps its handle,
 * its orientation and its place across the direction. Centres of mass count. A grain goes forward
 * by 2 * length where the body has come past it since the last look; one that was left farther
 * behind ends as near to `length`. Where there is nothing below to lie on within 4 * length of the
 * body's height, it stays where it is until the next look. */
typedef struct tl_patch_def {
    tl_body follow;       /**< of any kind, no grain; once it is removed nothing is moved */
    tl_body_range grains; /**< dynamic bodies without joints, at least one */
    double length;        /**< m, > 0; the machine, which is `follow` and the dynamic bodies that
                               joints connect it with, must not reach as far to either side */
    double direction[3];  /**< of travel, finite and not 0; default (1, 0, 0) */
    double up[3];         /**< across the direction; default (0, 0, 1) */
    double interval;      /**< s between looks, > 0; default 0.02 */
} tl_patch_def;

/** A patch of no grains that follows nobody, everything else as above. */
TL_API tl_patch_def tl_patch_default(void);

/** Adds a patch. It is checked against the joints that the scene has then: add those before. */
TL_API tl_status tl_scene_add_patch(tl_scene *scene, const tl_patch_def *def);

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

/** How many bodies the scene has. */
TL_API size_t tl_scene_body_count(const tl_scene *scene);

/** How many geometries the scene has, convex pieces too. */
TL_API size_t tl_scene_geometry_count(const tl_scene *scene);

/** How many emitters the scene has. */
TL_API size_t tl_scene_emitter_count(const tl_scene *scene);

TL_END_DECLS

#endif
