/* Balls that fall into a box by penalty contact and come to rest. */
#ifndef TL_TESTS_FALLS_H
#define TL_TESTS_FALLS_H

#include "scenes.h"
#include "support.h"

#define FALLS 8

/* Pairs of balls above the others, and a floor that rises, slides and turns where it is asked for.
 */
static void add_others(tl_scene *scene, int pairs, bool rises)
{
    tl_body_def def = tl_body_default();
    tl_shape_def balls[2] = {tl_sphere_default(0.08), tl_sphere_default(0.06)};
    balls[0].material = balls[1].material = (tl_material){1};
    balls[1].position[0] = 0.07;
    def.shape_count = 2;
    def.shapes = balls;
    def.density = 2000;
    for (int i = 0; i < pairs; i++) {
        def.position[0] = 0.4 * (i % 3 - 1);
        def.position[1] = 0.4 * (double)(i / 3 - 1);
        def.position[2] = 1.6;
        assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    }
    tl_shape_def floor = tl_plane_default();
    floor.material = (tl_material){1};
    def = tl_body_default();
    def.kind = TL_PRESCRIBED;
    def.shape_count = 1;
    def.shapes = &floor;
    def.motion = tl_motion_default();
    def.motion.velocity[0] = 0.2;
    def.motion.velocity[2] = 0.05;
    def.motion.angular_velocity[2] = 0.7;
    if (rises)
        assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
}

/* Balls of another material, one of them fixed, and a sheet across the box. */
static void add_second(tl_scene *scene)
{
    tl_material_def stuff = tl_material_default();
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(0.09);
    tl_shape_def sheet = tl_parallelogram_default((double[3]){1, 0, 0.3}, (double[3]){0, 0.5, 0});
    stuff.friction = 0.2;
    stuff.restitution = 0.7;
    stuff.young_modulus = 3e7;
    assert_ok(tl_scene_add_material(scene, &stuff, &ball.material));
    sheet.material = ball.material;
    def.shape_count = 1;
    def.shapes = &ball;
    for (int i = 0; i < 9; i++) {
        def.kind = i == 4 ? TL_FIXED : TL_DYNAMIC;
        def.position[0] = 0.4 * (i % 3 - 1);
        def.position[1] = 0.4 * (double)(i / 3 - 1);
        def.position[2] = i == 4 ? 0.3 : 1.6;
        assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    }
    def.kind = TL_FIXED;
    def.shapes = &sheet;
    def.position[0] = -0.5, def.position[1] = 0.1, def.position[2] = 0.2;
    assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
}

/* Balls with three moments, which turn. */
static void add_uneven(tl_scene *scene)
{
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(0.09);
    ball.material = (tl_material){1};
    def.shape_count = 1;
    def.shapes = &ball;
    def.mass = 6;
    def.inertia[0] = 0.02, def.inertia[1] = 0.025, def.inertia[2] = 0.03;
    def.angular_velocity[0] = 3, def.angular_velocity[2] = 5;
    for (int i = 0; i < 9; i++) {
        def.position[0] = 0.4 * (i % 3 - 1);
        def.position[1] = 0.4 * (double)(i / 3 - 1);
        def.position[2] = 1.6;
        assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    }
}

/* Plain pairs, which have kernels of their own, and such that have none; `kind` 0 to 3, with pairs
 * of balls: Hertz's law, a floor that moves, rolling friction, the law linear; 4 to 7, without: a
 * force on a ball; a floor that moves; other walls and a second material; some balls with three
 * moments. */
static tl_world *fall_world(tl_precision precision, tl_backend_kind backend, int kind)
{
    pile_options options = pile_default();
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_pair_def pair;
    options.bodies = 301;
    options.layers = 5;
    options.restitution = 0.3;
    options.settings.precision = precision;
    options.settings.backend = backend;
    options.settings.stepper = TL_STEPPER_PENALTY;
    options.settings.penalty.law = kind == 3 ? TL_PENALTY_LINEAR : TL_PENALTY_HERTZ;
    options.settings.penalty.stiffness = kind == 3 ? 1e6 : 0;
    options.settings.penalty.substeps = 20;
    assert_ok(pile_scene(&options, &scene));
    add_others(scene, kind < 4 ? 9 : 0, kind == 1 || kind == 5);
    if (kind == 4) {
        tl_force_def force = tl_force_default();
        force.body = (tl_body){7, 1};
        force.force[0] = 20;
        force.force[2] = 5;
        force.torque[1] = 0.3;
        assert_ok(tl_scene_add_force(scene, &force));
    }
    if (kind == 6)
        add_second(scene);
    if (kind == 7)
        add_uneven(scene);
    assert_true(tl_world_create(scene, &world) >= 0);
    tl_scene_destroy(scene);
    assert_ok(tl_world_pair(world, (tl_material){1}, (tl_material){1}, &pair));
    pair.rolling_friction = kind == 2 ? 0.02 : 0;
    assert_ok(tl_world_set_pair(world, (tl_material){1}, (tl_material){1}, &pair));
    return world;
}

#endif
