/* Scenes of penalty contact, for its tests: one material, double precision where none is said. */
#ifndef TESTS_PHYSICS_PENALTY_H
#define TESTS_PHYSICS_PENALTY_H

#include "support.h"

typedef struct soft {
    tl_settings settings;
    tl_material_def material;
    tl_scene *scene;
    tl_material of;
} soft;

/* Settings and a material to change before soft_begin(). */
static inline soft soft_default(tl_penalty_law law, double step, uint32_t substeps)
{
    soft s = {.settings = tl_settings_default(), .material = tl_material_default()};
    s.settings.stepper = TL_STEPPER_PENALTY;
    s.settings.precision = TL_DOUBLE;
    s.settings.threads = 1;
    s.settings.step = step;
    s.settings.penalty.law = law;
    s.settings.penalty.substeps = substeps;
    return s;
}

static inline void soft_begin(soft *s)
{
    assert_ok(tl_scene_create(&s->scene));
    assert_ok(tl_scene_set_settings(s->scene, &s->settings));
    assert_ok(tl_scene_add_material(s->scene, &s->material, &s->of));
}

static inline tl_body soft_ball(soft *s, double radius, const double x[3], const double v[3],
                                double mass)
{
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(radius);
    tl_body body;
    ball.material = s->of;
    def.shape_count = 1;
    def.shapes = &ball;
    def.mass = mass;
    for (int k = 0; k < 3; k++) {
        def.position[k] = x[k];
        def.velocity[k] = v ? v[k] : 0;
    }
    assert_ok(tl_scene_add_bodies(s->scene, 1, &def, &body));
    return body;
}

/* A plane whose normal is in the xz-plane, at an angle (rad) to z. */
static inline tl_body soft_floor(soft *s, double angle)
{
    tl_body_def def = tl_body_default();
    tl_shape_def plane = tl_plane_default();
    tl_body body;
    plane.material = s->of;
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &plane;
    turn((double[3]){0, 1, 0}, angle, def.orientation);
    assert_ok(tl_scene_add_bodies(s->scene, 1, &def, &body));
    return body;
}

static inline tl_world *soft_world(soft *s)
{
    tl_world *world = NULL;
    const tl_status status = tl_world_create(s->scene, &world);
    assert_true(status >= 0);
    tl_scene_destroy(s->scene);
    return world;
}

static inline double soft_velocity(const tl_world *world, tl_body body, int axis)
{
    double v[3];
    assert_ok(tl_world_read_velocities(world, 1, &body, v));
    return v[axis];
}

static inline double soft_position(const tl_world *world, tl_body body, int axis)
{
    double x[3];
    assert_ok(tl_world_read_positions(world, 1, &body, x));
    return x[axis];
}

/* Two balls overlap, at rest, and drive each other apart and into a third, within one step. As it
 * begins the fastest is a fourth one, which goes far less than they will. */
static inline tl_world *soft_burst(tl_precision precision, tl_body *balls)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 5e-3, 100);
    s.settings.precision = precision;
    s.settings.gravity[2] = 0;
    s.material.restitution = 1;
    soft_begin(&s);
    balls[0] = soft_ball(&s, 0.01, (double[3]){0, 0, 0}, NULL, 0.01);
    balls[1] = soft_ball(&s, 0.01, (double[3]){0.019875, 0, 0}, NULL, 0.01);
    balls[2] = soft_ball(&s, 0.01, (double[3]){0.040685, 0.0001, 0}, NULL, 0.01);
    balls[3] = soft_ball(&s, 0.01, (double[3]){0, 1, 0}, (double[3]){0, 0.05, 0}, 0.01);
    return soft_world(&s);
}

#endif
