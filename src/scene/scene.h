/* The description of what is simulated, as the rest of the library sees it. scene.c fills it; the
 * world compiles it. Everything in here has been checked. */
#ifndef TL_SCENE_SCENE_H
#define TL_SCENE_SCENE_H

#include "base/expression.h"
#include "talus/monitor.h"
#include "talus/schedule.h"
#include "scene/geometry.h"
#include "scene/joint.h"
#include "scene/monitor.h"

/* A shape in its body's frame; material 0 is the default material. */
typedef struct tl_shape_rec {
    uint32_t kind;          /* tl_shape_kind */
    uint32_t material;      /* index into the pair tables */
    double position[3];     /* m; of a parallelogram: its corner */
    double orientation[4];  /* unit quaternion */
    double radius;          /* m: the fields of tl_shape_def; those that the kind does not use */
    double half_extents[3]; /* are 0, so that equal shapes have equal bytes */
    double edge_u[3], edge_v[3];
    double half_length, rounding;
    uint32_t geometry; /* 1 + index into the geometries, 0 where there is none */
    uint32_t sensor;   /* 1 or 0 */
    uint32_t group, mask;
} tl_shape_rec;

/* Whether a kind is a solid, which may be on dynamic bodies. */
bool tl_shape_is_solid(uint32_t kind);

/* Checks a convex solid that is no body's, whatever its material; messages name it "shape". */
tl_status tl_shape_rec_solid(const tl_shape_def *def, const tl_array *geometries,
                             tl_shape_rec *out);

/* Whether the angle of two edges is wide enough for a parallelogram: its sine is above 1e-9. */
bool tl_edges_span(const double edge_u[3], const double edge_v[3]);

/* The frame of a shape in its body's frame (frame.c), TL_FRAME numbers:
 *   0..2    origin
 *   3..11   axes u, v, w: unit vectors; of a parallelogram its edges with their lengths, and its
 *           unit normal
 *   12..14  size of the core (kernels/narrow/convex.h); hulls, meshes, height fields: half the box
 *           around them in their own frame
 *   15..17  half extents of a box along the shape's axes, about the ball's centre, that holds the
 *           shape; 0 for planes
 *   18      rounding: that of the core; spheres and capsules: their radius
 *   19      geometry: 1 + index into the geometries, 0 where there is none
 * and the centre and radius of a ball around the shape (radius 0 for planes). */
#define TL_FRAME 20
void tl_shape_frame(const tl_shape_rec *shape, const tl_array *geometries, double *frame,
                    double *ball);

/* A prescribed motion; the record owns its tables and texts. */
typedef struct tl_motion_rec {
    tl_motion_def def;     /* its pointers point to what follows or are NULL */
    bool many_axes;        /* the rows of the table of rotations are not all about one axis */
    double *table;         /* times (table_length), then offsets (3 * table_length) */
    double *turns;         /* the same of the rotation */
    tl_array texts;        /* char: the expressions, each with its zero byte */
    tl_expression code[6]; /* the same compiled: of the offset, then of the rotation */
} tl_motion_rec;

/* The two functions of time of a motion, and what one of them is made of. */
typedef enum tl_motion_part { TL_OFFSET = 0, TL_ROTATION = 1 } tl_motion_part;
typedef struct tl_track {
    tl_motion_kind kind;
    const double *velocity, *from, *amplitude;
    double start, stop, frequency, phase;
    size_t length;
    const double *times, *rows;
    const char *const *texts;
} tl_track;

/* track.c: such a view; the function's value at time t, an offset (m) or a rotation vector (rad),
 * as a direction times the number that is returned: so velocities and sines are used as they were
 * given; and whether a motion can turn its body. */
tl_track tl_motion_track(const tl_motion_def *def, tl_motion_part part);
double tl_motion_at(const tl_motion_rec *motion, tl_motion_part part, double t,
                    double direction[3]);
bool tl_motion_turns(const tl_motion_def *def);

/* A row of `width` numbers of a table at time t: straight between times, constant outside. */
void tl_table_at(size_t length, const double *times, const double *rows, size_t width, double t,
                 double *out);

/* A body; mass and inertia are resolved (0 for bodies that are not dynamic).
 *
 * A dynamic body lives in the frame of its centre of mass and principal axes: position,
 * orientation, velocity, inertia and shapes are of that frame. offset and turn are the pose of the
 * user's frame in it: p there is offset + turn p here. So the user's frame is at
 *     position + orientation * offset,  with orientation (x) turn,
 * and from a pose (X, Q) of the user's frame follow
 *     orientation = Q (x) conjugate(turn),  position = X - orientation * offset.
 * They are exactly 0 and (1, 0, 0, 0) where the frames are the same, and on other bodies.
 * Velocities are those of the centre of mass, in both. */
typedef struct tl_body_rec {
    uint32_t kind;        /* tl_body_kind */
    uint32_t first_shape; /* into tl_body_list.shapes; bodies with equal shapes share them */
    uint32_t shape_count;
    uint32_t motion; /* 1 + index into tl_body_list.motions, 0 where there is none */
    double position[3];
    double orientation[4];
    double velocity[3];
    double angular_velocity[3];
    double mass;
    double inertia[3];
    double offset[3], turn[4];
} tl_body_rec;

/* A batch of checked bodies with what they own: the bodies of a scene, or those added to a world.
 */
typedef struct tl_body_list {
    tl_array bodies;            /* tl_body_rec */
    tl_array shapes;            /* tl_shape_rec */
    tl_array motions;           /* tl_motion_rec */
    size_t shape_total;         /* shapes of all bodies, shared ones counted once per body */
    const tl_array *geometries; /* tl_geometry_rec, what shapes may use; NULL: none. Not owned */
} tl_body_list;

void tl_body_list_init(tl_body_list *list);
void tl_body_list_free(tl_body_list *list);

/* Room for so many bodies more; TL_TOO_LARGE where there cannot be as many. */
tl_status tl_body_list_reserve(tl_body_list *list, size_t count);

/* Checks and appends all bodies or none. Messages name them "bodies[i]...". `materials` is how many
 * materials there are besides the default one. */
tl_status tl_body_list_add(tl_body_list *list, size_t count, const tl_body_def *defs,
                           uint32_t materials);

/* Checks a motion and makes a record of it with tables and texts of its own; and releasing it. */
tl_status tl_motion_rec_of(const tl_motion_def *def, tl_motion_rec *out);
void tl_motion_rec_free(tl_motion_rec *motion);

/* A force; the record owns its table. */
typedef struct tl_force_rec {
    uint32_t body; /* 1-based body index, as in tl_body.index */
    uint32_t table_length;
    double constant[6]; /* force, torque */
    double *table;      /* times (table_length), then rows of 6 */
} tl_force_rec;

/* Checks a force (apart from its body, which the caller has looked up) and makes a record of it. */
tl_status tl_force_rec_make(const tl_force_def *def, tl_force_rec *out);
tl_status tl_force_check(const tl_force_rec *force); /* one that was made elsewhere */
tl_status tl_force_rec_copy(const tl_force_rec *from, tl_force_rec *to);
void tl_force_rec_free(tl_force_rec *force);

/* A rod between two bodies, all by the indices of their handles. */
typedef struct tl_rod_rec {
    uint32_t id, end[2], unused;
    double length; /* m: what it keeps; 0: free */
} tl_rod_rec;

/* Whether a body is one of these rods, which are in the order of handles. */
bool tl_rods_have(const tl_array *rods, uint32_t id);

/* Whether a pair of materials, and how a surface moves in itself, obey the rules. */
tl_status tl_pair_check(const tl_pair_def *pair);
tl_status tl_slide_check(const double slide[3]);

/* How a material gives under load, of penalty contact. */
typedef struct tl_elastic {
    double young, poisson; /* Pa */
} tl_elastic;

tl_elastic tl_material_elastic(const tl_material_def *material);
tl_status tl_elastic_check(const tl_elastic *elastic);
void tl_material_ellipsoid(const tl_material_def *material, double factors[3]);
tl_status tl_ellipsoid_check(const double factors[3]);

/* Reads a pair from a square table of `materials` rows. */
tl_status tl_pair_get(const tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      tl_pair_def *pair);

/* Checks and sets a pair in such a table. */
tl_status tl_pair_set(tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      const tl_pair_def *pair);

/* A template of a fill or an emitter (template.h). */
typedef struct tl_template_rec {
    double weight, upto; /* its own; with those of templates before it */
    double ball[4];      /* around its shapes, in its frame */
    tl_size_def size;    /* m, radii of the balls around copies */
    size_t first_shape, shape_count;
} tl_template_rec;

typedef struct tl_templates {
    tl_array records; /* tl_template_rec; empty: spheres are made */
    tl_array shapes;  /* tl_shape_def, with a material each */
    double weight;    /* of all */
    tl_size_def size; /* m: radii of spheres, or of the balls around the largest copies */
} tl_templates;

/* What happens while a world runs: as described, and how far a world has got with it. The record
 * owns its templates, of which the definition says nothing. */
typedef struct tl_emitter_rec {
    tl_emitter_def def;
    tl_templates templates;
    uint64_t emitted, due; /* bodies that are in; that should be, at the latest batch */
    double next;           /* number of the next batch, at start + next * interval */
} tl_emitter_rec;

/* The record owns its list and its motion. */
typedef struct tl_event_rec {
    uint32_t kind; /* tl_event_kind */
    uint32_t body_count;
    double time, gravity[3];
    uint32_t *bodies;     /* 1-based body indices */
    tl_motion_rec motion; /* zeros unless this is TL_EVENT_MOTION */
} tl_event_rec;

typedef struct tl_boundary_rec {
    tl_boundary_def def;
    double next; /* number of the next look, at next * interval */
} tl_boundary_rec;

typedef struct tl_patch_rec {
    tl_patch_def def; /* with unit vectors */
    double next;      /* number of the next look, at next * interval */
    double at; /* m, where `follow` was at the last one along the direction; -infinity: none yet */
} tl_patch_rec;

typedef struct tl_schedule {
    tl_array emitters, boundaries; /* tl_emitter_rec, tl_boundary_rec */
    tl_array patches;              /* tl_patch_rec */
    tl_array events;               /* tl_event_rec, by time */
    uint64_t events_done;          /* the first so many are past */
    uint64_t removed;              /* bodies, by events and boundaries */
    uint64_t moved;                /* bodies, by patches: how often */
    double moved_energy;           /* J, what they gained */
} tl_schedule;

/* schedule.c: an empty schedule, its end, and a copy with lists of its own into an empty one. */
void tl_schedule_init(tl_schedule *schedule);
void tl_schedule_free(tl_schedule *schedule);
tl_status tl_schedule_copy(const tl_schedule *from, tl_schedule *to);

/* Checks an emitter and makes a record of it, which has emitted nothing. `materials` counts the
 * default one. */
tl_status tl_emitter_rec_make(const tl_emitter_def *def, size_t materials,
                              const tl_array *geometries, tl_emitter_rec *out);

/* What events (apart from their bodies and motion) and boundaries must obey. */
tl_status tl_event_check(const tl_event_def *def);
tl_status tl_boundary_check(const tl_boundary_def *def);

/* patch.c: what patches must obey, apart from their bodies. */
tl_status tl_patch_check(const tl_patch_def *def);

struct tl_scene {
    tl_settings settings;
    tl_array materials;  /* tl_material_def; [0] is the default material */
    tl_array pairs;      /* tl_pair_def, a square table: materials.count * materials.count */
    tl_array geometries; /* tl_geometry_rec */
    tl_body_list list;   /* of these geometries */
    tl_array forces;     /* tl_force_rec */
    tl_array exclusions; /* uint64_t: tl_exclusion(), ascending */
    tl_array joints;     /* tl_joint_rec, by handle */
    tl_array rods;       /* tl_rod_rec, in the order of handles */
    tl_schedule schedule;
    tl_monitor_list monitors;
};

/* The default material of a new scene. */
tl_status tl_materials_init(tl_scene *scene);
/* exclude.c: a pair of bodies that do not collide as one number, by the indices of their handles;
 * a list of them in ascending order: whether it has a pair, putting one in (which may fail) or
 * taking it out. */
uint64_t tl_exclusion(uint32_t a, uint32_t b);
bool tl_exclusions_have(const tl_array *list, uint64_t pair);
tl_status tl_exclusions_set(tl_array *list, uint64_t pair, bool excluded);

/* Refuses settings that break a rule; messages name the field as "settings.field". */
tl_status tl_settings_check(const tl_settings *settings);

#endif
