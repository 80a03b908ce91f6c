/* The camera; camera.h says what it does. */
#include "render/camera.h"

void tlr_camera_aim(tlr_camera *c, vec target, vec up)
{
    c->forward = v_unit(v_sub(target, c->eye));
    vec right = v_cross(c->forward, up);
    if (!(v_length(right) > 1e-4f * v_length(up))) { /* straight up or down */
        vec u, v;
        v_frame(c->forward, &u, &v);
        right = u;
    }
    c->right = v_unit(right);
    c->up = v_cross(c->right, c->forward);
}

void tlr_camera_ray(const tlr_camera *c, float x, float y, const float u[2], vec *origin,
                    vec *direction)
{
    const float pixel = 2 * c->half_height / (float)c->height;
    const float right = (x - 0.5f * (float)c->width) * pixel;
    const float up = (0.5f * (float)c->height - y) * pixel;
    vec d = v_along(v_along(c->forward, right, c->right), up, c->up);
    *origin = c->eye;
    if (c->orthographic) {
        *origin = v_along(v_along(c->eye, right, c->right), up, c->up);
        d = c->forward;
    }
    if (c->lens > 0) {
        const float r = c->lens * sqrtf(u[0]), phi = 2 * TLR_PI * u[1];
        const vec sharp = v_along(*origin, c->focus, d);
        *origin = v_along(v_along(*origin, r * cosf(phi), c->right), r * sinf(phi), c->up);
        d = v_sub(sharp, *origin);
    }
    *direction = v_unit(d);
}

/* The least and the greatest of a coordinate that bound the apex of a wedge with slope `t` around
 * all balls: x + t z and -x + t z, with z towards the camera. */
static void wedge(size_t count, const tlr_fit_ball *balls, vec axis, vec back, float t,
                  float most[2])
{
    const float lean = sqrtf(1 + t * t);
    most[0] = most[1] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const float x = v_dot(balls[i].centre, axis), z = v_dot(balls[i].centre, back);
        most[0] = fmaxf(most[0], x + t * z + lean * balls[i].radius);
        most[1] = fmaxf(most[1], -x + t * z + lean * balls[i].radius);
    }
}

void tlr_camera_fit(tlr_camera *c, size_t count, const tlr_fit_ball *balls, float margin)
{
    const vec back = v_scale(c->forward, -1);
    const float aspect = (float)c->width / (float)c->height, room = 1 - 2 * margin;
    const float ty = c->orthographic ? 0 : room * c->half_height, tx = ty * aspect;
    float x[2], y[2], z = -INFINITY;
    if (!count)
        return;
    wedge(count, balls, c->right, back, tx, x);
    wedge(count, balls, c->up, back, ty, y);
    for (size_t i = 0; i < count; i++)
        z = fmaxf(z, v_dot(balls[i].centre, back) + balls[i].radius);
    const float cx = 0.5f * (x[0] - x[1]), cy = 0.5f * (y[0] - y[1]);
    if (c->orthographic) {
        const float half = fmaxf(0.5f * (x[0] + x[1]) / aspect, 0.5f * (y[0] + y[1]));
        c->half_height = half / room;
        z += 2 * c->half_height;
    } else {
        z = fmaxf((x[0] + x[1]) / (2 * tx), (y[0] + y[1]) / (2 * ty));
    }
    c->eye = v_add(v_add(v_scale(c->right, cx), v_scale(c->up, cy)), v_scale(back, z));
}

bool tlr_camera_project(const tlr_camera *c, vec point, float *x, float *y)
{
    const vec d = v_sub(point, c->eye);
    const float z = v_dot(d, c->forward), pixel = 2 * c->half_height / (float)c->height;
    const float scale = c->orthographic ? 1 : z;
    *x = 0.5f * (float)c->width + v_dot(d, c->right) / (scale * pixel);
    *y = 0.5f * (float)c->height - v_dot(d, c->up) / (scale * pixel);
    return z > 0;
}
