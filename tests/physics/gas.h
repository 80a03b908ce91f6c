/* A gas of equal frictionless balls of 1 kg and 1 m in a box, all 1 m/s fast at the start: for
 * test_gas.c and test_gas_long.c. */
#ifndef TALUS_TESTS_GAS_H
#define TALUS_TESTS_GAS_H

#include "support.h"

typedef struct gas {
    int side; /* balls along an edge */
    double packing, step, restitution, envelope;
    uint32_t iterations; /* 0: those of the variant */
} gas;

typedef struct gas_end {
    double energy;   /* kinetic, over that at the start */
    double most;     /* the largest it was */
    double kurtosis; /* <v^4> / <v^2>^2, mean over 20 times in the second half of the run */
    uint64_t impacts;
} gas_end;

static inline double kurtosis_of(const tl_world *world, const tl_body *bodies, int count)
{
    double squares = 0, fourths = 0;
    for (int i = 0; i < count; i++) {
        double u[3];
        velocity_of(world, bodies[i], u);
        squares += dot3(u, u) / count;
        fourths += dot3(u, u) * dot3(u, u) / count;
    }
    return fourths / (squares * squares);
}

static inline gas_end run_gas(const variant *v, const gas *g, int steps)
{
    const int count = g->side * g->side * g->side;
    const double edge = cbrt(count * PI / 6 / g->packing), pitch = edge / g->side;
    tl_settings settings = settings_for(v, g->step);
    tl_body *bodies = malloc((size_t)count * sizeof *bodies);
    gas_end end = {.energy = 0};
    dice d = {17};
    settings.gravity[2] = 0;
    settings.restitution_speed = 1e-4;
    if (g->envelope > 0)
        settings.envelope = g->envelope;
    if (g->iterations > 0)
        settings.solver.iterations = settings.solver.position_iterations = g->iterations;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, g->restitution);
    for (int side = 0; side < 6; side++) {
        const double axis[3] = {side / 2 == 1, side / 2 == 0, 0};
        const double angle = side / 2 == 2 ? (side % 2) * PI : (side % 2 ? -0.5 : 0.5) * PI;
        const double up[3] = {0, 0, 1};
        double q[4], n[3], at[3];
        turn(side / 2 == 2 ? (double[3]){1, 0, 0} : axis, angle, q);
        rotate(q, 1, up, n);
        for (int k = 0; k < 3; k++)
            at[k] = 0.5 * edge * (1 - n[k]);
        tl_shape_def plane = tl_plane_default();
        tl_body_def wall = tl_body_default();
        plane.material = material;
        wall.kind = TL_FIXED;
        wall.shape_count = 1;
        wall.shapes = &plane;
        memcpy(wall.position, at, sizeof at);
        memcpy(wall.orientation, q, sizeof q);
        add_body(scene, &wall);
    }
    for (int i = 0; i < count; i++) {
        const int at[3] = {i % g->side, i / g->side % g->side, i / g->side / g->side};
        double x[3], u[3];
        for (int k = 0; k < 3; k++)
            x[k] = pitch * (at[k] + 0.5);
        roll_direction(&d, u);
        bodies[i] = add_sphere(scene, material, 0.5, 1, x, u);
    }
    tl_world *world = world_of(scene);
    for (int i = 0; i < steps; i++) {
        const tl_report r = step_report(world, 1);
        end.energy = r.kinetic_energy / (0.5 * count);
        end.most = fmax(end.most, end.energy);
        end.impacts += r.impacts;
        if (2 * i >= steps && (i + 1) % (steps / 40) == 0)
            end.kurtosis += kurtosis_of(world, bodies, count) / 20;
    }
    tl_world_destroy(world);
    free(bodies);
    return end;
}

#endif
