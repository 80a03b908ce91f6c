/* The camera: rays through points of the picture, and the pose from which all of a scene is seen.
 */
#ifndef TL_RENDER_CAMERA_H
#define TL_RENDER_CAMERA_H

#include "render/vec.h"

#include <stddef.h>

typedef struct tlr_camera {
    vec eye, right, up, forward; /* unit but the eye */
    float half_height;           /* tangent of half the angle of view; orthographic: m */
    bool orthographic;
    float lens;        /* m, radius of the opening; 0: everything is sharp */
    float focus;       /* m, along `forward`, where it is sharp */
    int width, height; /* pixels */
} tlr_camera;

/* Turns the camera so that it looks from its eye to `target`, with `up` upwards. */
void tlr_camera_aim(tlr_camera *c, vec target, vec up);

/* The ray through the point x, y of the picture (pixels, from the upper left corner) and the point
 * of the lens that u says. */
void tlr_camera_ray(const tlr_camera *c, float x, float y, const float u[2], vec *origin,
                    vec *direction);

/* A ball that is to be seen. */
typedef struct tlr_fit_ball {
    vec centre;
    float radius;
} tlr_fit_ball;

/* Moves the camera, which keeps looking along `forward`, to the place from which it sees all balls
 * whole, with `margin` (a part of the picture) around them. Orthographic cameras change their
 * height. */
void tlr_camera_fit(tlr_camera *c, size_t count, const tlr_fit_ball *balls, float margin);

/* Where a point is in the picture; false where it is behind the camera. */
bool tlr_camera_project(const tlr_camera *c, vec point, float *x, float *y);

#endif
