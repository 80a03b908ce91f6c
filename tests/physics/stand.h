/* Structures of boxes on a floor, and whether they stand. */
#ifndef TALUS_TESTS_STAND_H
#define TALUS_TESTS_STAND_H

#include "physics/shapes.h"

#define STEP (1.0 / 200)
#define MOST 500

/* A structure as it was built. */
typedef struct structure {
    tl_scene *scene;
    tl_material material;
    int count;
    tl_body body[MOST];
    double place[MOST][3];
} structure;

static inline structure *build(double friction)
{
    tl_settings settings = tl_settings_default();
    structure *s = calloc(1, sizeof *s);
    assert_non_null(s);
    settings.step = STEP;
    settings.threads = 1;
    s->scene = scene_with(&settings);
    s->material = add_material(s->scene, friction, 0);
    add_floor(s->scene, s->material);
    return s;
}

static inline void lay(structure *s, const double half[3], const double position[3],
                       const double q[4], double density)
{
    tl_shape_def box = tl_box_default(half[0], half[1], half[2]);
    box.material = s->material;
    assert_true(s->count < MOST);
    const tl_body_def def = body_of(&box, density, position, q);
    memcpy(s->place[s->count], position, sizeof s->place[0]);
    s->body[s->count++] = add_body(s->scene, &def);
}

/* Cubes of edge 0.2 m, one upon the other; the density of the topmost. */
static inline structure *tower(int count, double top)
{
    structure *s = build(0.5);
    const double half[3] = {0.1, 0.1, 0.1};
    for (int i = 0; i < count; i++)
        lay(s, half, (double[3]){0, 0, 0.1 + 0.2 * i}, upright, i + 1 == count ? top : 2000);
    return s;
}

/* How far the bodies have moved, m. */
typedef struct drift {
    double aside, sunk, risen;
} drift;

static inline drift drift_of(const structure *s, const tl_world *world)
{
    drift most = {0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        double x[3];
        position_of(world, s->body[i], x);
        most.aside = fmax(most.aside, hypot(x[0] - s->place[i][0], x[1] - s->place[i][1]));
        most.sunk = fmax(most.sunk, s->place[i][2] - x[2]);
        most.risen = fmax(most.risen, x[2] - s->place[i][2]);
    }
    return most;
}

/* Runs for a time; frees the structure's scene. */
static inline tl_world *stand(structure *s, double time, tl_report *report)
{
    tl_world *world = world_of(s->scene);
    *report = step_report(world, (uint32_t)(time / STEP + 0.5));
    return world;
}

/* Runs, and expects that nothing has moved further than these and that all is at rest. */
static inline drift expect_standing(structure *s, double time, double aside, double sunk)
{
    tl_report report;
    tl_world *world = stand(s, time, &report);
    const drift d = drift_of(s, world);
    tl_world_destroy(world);
    assert_below(d.aside, aside);
    assert_below(d.sunk, sunk);
    assert_below(d.risen, sunk);
    assert_below(report.kinetic_energy, 1e-6);
    return d;
}

#endif
