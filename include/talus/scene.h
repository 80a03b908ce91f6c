/** @file scene.h
 *  What is simulated: materials, bodies with their shapes, forces and joints, as plain checked
 * data. Fills (fill.h), what happens when (schedule.h) and what is measured (monitor.h) are added
 * to it.
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
#include "talus/settings.h"

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
    double restitution;       /**< Newton coefficient e, 0 to 1, default 0; 0 with compliance. That
                                   of each point of contact: tl_impacts */
    double rolling_friction;  /**< against rolling, default 0 */
    double spinning_friction; /**< against spinning about the normal, default 0 */
    double cohesion;          /**< N: what it takes to pull two such surfaces apart, default 0 */
    double compliance;        /**< m/N: how far a contact of two such surfaces gives, 1 over its
                                   stiffness, default 0; that of two materials is their sum */
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

/** Bodies whose handles follow each other. */
typedef struct tl_body_range {
    tl_body first;  /**< the first of them */
    uint32_t count; /**< >= 1 */
} tl_body_range;

/** How many bodies the scene has. */
TL_API size_t tl_scene_body_count(const tl_scene *scene);

/** How many geometries the scene has, convex pieces too. */
TL_API size_t tl_scene_geometry_count(const tl_scene *scene);

TL_END_DECLS

#endif
