/* Starting bodies of a scene as they were in another run. Exported for talus_io alone, which reads
 * results. */
#ifndef TL_SCENE_START_H
#define TL_SCENE_START_H

#include "talus/scene.h"

/* The state of a body in the user's frame; velocities are of the centre of mass, in the world. */
typedef struct tl_body_start {
    double position[3], orientation[4];
    double velocity[3], angular_velocity[3];
} tl_body_start;

/* Puts a dynamic body there; the quaternion need not be quite unit. TL_BAD_ARGUMENT where the body
 * is not dynamic or a number is not finite. */
TL_API tl_status tl_scene_start(tl_scene *scene, tl_body body, const tl_body_start *start);

/* Whether two bodies have equal shapes and masses; if not, `what` says in what they differ. */
TL_API bool tl_scene_alike(const tl_scene *a, tl_body of_a, const tl_scene *b, tl_body of_b,
                           char *what, size_t room);

#endif
