/* Contact problems for the tests of their files: of boxes and balls that slide on a floor and
 * against each other, joined to a chain or not. */
#ifndef TALUS_TESTS_IO_PROBLEMS_H
#define TALUS_TESTS_IO_PROBLEMS_H

#include "folder.h"
#include "talus/io.h"

#undef G /* a matrix, here */

static inline tl_scene *floor_scene(tl_material *material)
{
    tl_settings settings = tl_settings_default();
    settings.precision = TL_DOUBLE;
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    *material = add_material(scene, 0.4, 0);
    add_floor(scene, *material);
    return scene;
}

/* Balls that roll and slide, some on others: no forces can hold each other. */
static inline tl_contact_problem *make_balls(void)
{
    tl_material material;
    tl_scene *scene = floor_scene(&material);
    dice d = {3};
    for (int i = 0; i < 20; i++) {
        const double at[3] = {0.205 * (i % 4) + 0.1 * (i / 8 % 2), 0.205 * (i / 4 % 2),
                              0.1 + 0.17 * (i / 8)};
        double velocity[3];
        roll3(&d, -1, 1, velocity);
        add_sphere(scene, material, 0.1, 0, at, velocity);
    }
    tl_contact_problem *problem = NULL;
    tl_world *world = world_of(scene);
    step(world, 10);
    assert_ok(tl_world_contact_problem(world, &problem));
    tl_world_destroy(world);
    return problem;
}

/* Boxes and balls in a row, or balls alone, after three steps. */
static inline tl_world *make_row(bool chain, bool boxes)
{
    tl_material material;
    tl_scene *scene = floor_scene(&material);
    tl_body last = {0};
    for (int i = 0; i < 6; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shape =
            i % 2 || !boxes ? tl_sphere_default(0.1) : tl_box_default(0.1, 0.12, 0.1);
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        def.position[0] = 0.21 * i;
        def.position[2] = 0.1;
        def.velocity[0] = 0.3 * i;
        const tl_body body = add_body(scene, &def);
        tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
        joint.a = last;
        joint.b = body;
        joint.position_a[0] = 0.105;
        joint.position_b[0] = -0.105;
        if (chain && i)
            assert_ok(tl_scene_add_joint(scene, &joint, NULL));
        last = body;
    }
    tl_world *world = world_of(scene);
    step(world, 3);
    return world;
}

static inline tl_world *make_world(bool chain)
{
    return make_row(chain, true);
}

static inline tl_contact_problem *make_problem(bool chain, bool local)
{
    tl_contact_problem *global = NULL, *problem = NULL;
    tl_world *world = make_world(chain);
    assert_ok(tl_world_contact_problem(world, &global));
    tl_world_destroy(world);
    if (!local)
        return global;
    assert_ok(tl_contact_problem_reduce(global, &problem));
    tl_contact_problem_destroy(global);
    return problem;
}

/* Impulses by accelerated gradients, to 1e-7 m/s. */
static inline double *solve_problem(const tl_contact_problem *problem, tl_contact_answer *answer)
{
    tl_solver_def def = tl_settings_default().solver;
    double *r = calloc(3 * (size_t)tl_contact_problem_read(problem)->contacts + 1, sizeof *r);
    assert_non_null(r);
    def.kind = TL_APGD;
    def.tolerance = 1e-7;
    def.iterations = 50000;
    assert_ok(tl_contact_problem_solve(problem, &def, 1, r, answer));
    assert_below(answer->residual, 1.1e-7);
    return r;
}

#endif
