/** @file schedule.h
 *  What happens to a scene while it runs: emitters, events, boundaries and moving patches.
 *  Worlds carry it out before the step that starts when it is due.
 */
#ifndef TALUS_SCHEDULE_H
#define TALUS_SCHEDULE_H

#include "talus/fill.h"

TL_BEGIN_DECLS

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

/** How many emitters the scene has. */
TL_API size_t tl_scene_emitter_count(const tl_scene *scene);

TL_END_DECLS

#endif
