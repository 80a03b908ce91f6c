/* Shots: bodies of every convex kind, with random sizes, turns and spins, and plates to shoot them
 * at. test_shots.c shoots them at fixed plates and each other, test_blades.c at free ones and with
 * compounds, and lets blades sweep over them; test_swings.c at what is lighter, and turning fast.
 */
#ifndef TALUS_TESTS_SHOTS_H
#define TALUS_TESTS_SHOTS_H

#include "physics/shapes.h"

enum { SHOT_KINDS = 7, PLATE_KINDS = 6, HULL_PAIRS = 8 };

__attribute__((unused)) static const char *const shot_names[SHOT_KINDS] = {
    "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull"};
__attribute__((unused)) static const char *const plate_names[PLATE_KINDS] = {
    "box", "parallelogram", "mesh", "heights", "cylinder", "hull"};

static const double h = 1.0 / 200;

/* A shape; points of hulls come in opposite pairs, so that their middle is at the origin. */
typedef struct shot {
    int kind;
    double size[3];
    double points[2 * HULL_PAIRS][3];
} shot;

/* A size between two, all magnitudes alike. */
static inline double roll_size(dice *d, double low, double high)
{
    return low * pow(high / low, roll(d, 0, 1));
}

static inline shot roll_shot(dice *d, int kind)
{
    shot s = {.kind = kind};
    const double base = roll_size(d, 0.5e-3, 20e-3);
    for (int k = 0; k < 3; k++)
        s.size[k] = base * roll_size(d, 0.5, 4);
    for (int i = 0; i < HULL_PAIRS; i++) {
        roll_direction(d, s.points[2 * i]);
        for (int k = 0; k < 3; k++) {
            s.points[2 * i][k] *= s.size[k];
            s.points[2 * i + 1][k] = -s.points[2 * i][k];
        }
    }
    return s;
}

static inline tl_shape_def shot_shape(tl_scene *scene, const shot *s)
{
    const double *a = s->size;
    tl_geometry hull;
    switch (s->kind) {
    case 0: return tl_sphere_default(a[0]);
    case 1: return tl_box_default(a[0], a[1], a[2]);
    case 2: return tl_capsule_default(a[0], a[2]);
    case 3: return tl_cylinder_default(a[0], a[2]);
    case 4: return tl_cone_default(a[0], a[2]);
    case 5: return tl_ellipsoid_default(a[0], a[1], a[2]);
    default: assert_ok(tl_scene_add_hull(scene, 2 * HULL_PAIRS, s->points[0], &hull));
    }
    return tl_hull_default(hull);
}

/* How far a shape reaches along d, a unit vector of its frame, from the centre of mass. */
static inline double shot_support(const shot *s, const double d[3])
{
    const double *a = s->size, across = sqrt(d[0] * d[0] + d[1] * d[1]);
    double most = 0, scaled[3];
    switch (s->kind) {
    case 0: return a[0];
    case 1: return fabs(d[0]) * a[0] + fabs(d[1]) * a[1] + fabs(d[2]) * a[2];
    case 2: return a[0] + fabs(d[2]) * a[2];
    case 3: return a[0] * across + fabs(d[2]) * a[2];
    case 4: return fmax(d[2] * a[2], a[0] * across - d[2] * a[2]) + 0.5 * a[2] * d[2];
    case 5:
        for (int k = 0; k < 3; k++)
            scaled[k] = a[k] * d[k];
        return norm3(scaled);
    default:
        for (int i = 0; i < 2 * HULL_PAIRS; i++)
            most = fmax(most, dot3(d, s->points[i]));
        return most;
    }
}

/* A radius around the centre of mass that the shape is within. */
static inline double shot_radius(const shot *s)
{
    const double *a = s->size;
    switch (s->kind) {
    case 0: return a[0];
    case 1: return norm3(a);
    case 2: return a[0] + a[2];
    case 3: return hypot(a[0], a[2]);
    case 4: return fmax(1.5 * a[2], hypot(a[0], 0.5 * a[2]));
    default: return fmax(a[0], fmax(a[1], a[2]));
    }
}

/* The centre of mass of a shot body, and how far it reaches along a direction. */
static inline double shot_now(const tl_world *world, tl_body body, const shot *s,
                              const double along[3], double x[3])
{
    const double middle[3] = {0, 0, s->kind == 4 ? -0.5 * s->size[2] : 0};
    double q[4], local[3], off[3];
    position_of(world, body, x);
    assert_ok(tl_world_read_orientations(world, 1, &body, q));
    rotate(q, -1, along, local);
    rotate(q, 1, middle, off);
    add3(x, 1, off, x);
    return shot_support(s, local);
}

/* Down at a speed, in any direction; `start`, where it would strike, goes back by up to three
 * steps. */
static inline void roll_aim(dice *d, const shot *s, double speed, double aim[3], double start[3])
{
    roll_direction(d, aim);
    aim[2] = -fabs(aim[2]) - 0.1;
    const double way = roll(d, 0, 3) * h, size = norm3(aim);
    for (int k = 0; k < 3; k++) {
        aim[k] *= speed / size;
        start[k] -= aim[k] * way;
    }
    start[2] += s->kind == 4 ? s->size[2] : 0; /* a cone's origin is not its middle */
}

/* Its surface turns at up to `whirl` times its speed. */
static inline tl_body add_shot(tl_scene *scene, tl_material material, const shot *s, dice *d,
                               const double position[3], const double velocity[3], double whirl)
{
    tl_shape_def shape = shot_shape(scene, s);
    tl_body_def def = tl_body_default();
    double axis[3];
    const double spin = roll(d, 0, whirl) * norm3(velocity) / shot_radius(s);
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    roll_turn(d, def.orientation);
    roll_direction(d, axis);
    for (int k = 0; k < 3; k++) {
        def.position[k] = position[k];
        def.velocity[k] = velocity[k];
        def.angular_velocity[k] = axis[k] * spin;
    }
    return add_body(scene, &def);
}

/* A scene without gravity, in either precision, that some shots are fired in. */
static inline tl_scene *range(dice *d, tl_material *material)
{
    const variant v = variant_at(roll_bits(d) % 2 ? 0 : 2 * SOLVERS);
    tl_settings settings = settings_for(&v, h);
    settings.solver.iterations = settings.solver.position_iterations = 50;
    tl_scene *scene = scene_with(&settings);
    const double e = roll(d, 0, 1) < 0.5 ? 0 : roll(d, 0, 1);
    *material = add_material(scene, roll(d, 0, 0.8), e);
    set_gravity(scene, 0, 0, 0);
    return scene;
}

/* A sheet of 20 m by 20 m whose front is z = 0; triangles of a mesh meet in the middle. */
static inline void add_plate(tl_scene *scene, tl_material material, int kind, double thick)
{
    const double edge_u[3] = {20, 0, 0}, edge_v[3] = {0, 20, 0};
    if (kind == 0) {
        add_fixed(scene, tl_box_default(10, 10, thick / 2), material, (double[3]){0, 0, -thick / 2},
                  upright);
    } else if (kind == 1) {
        add_fixed(scene, tl_parallelogram_default(edge_u, edge_v), material,
                  (double[3]){-10, -10, 0}, upright);
    } else if (kind == 2) {
        tl_mesh *mesh = NULL;
        tl_geometry g;
        double v[9][3];
        uint32_t t[8][3];
        for (int i = 0; i < 9; i++)
            v[i][0] = 10 * (i % 3) - 10, v[i][1] = 10 * (i / 3) - 10, v[i][2] = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t c = i % 2 + 3 * (i / 2);
            t[2 * i][0] = c, t[2 * i][1] = c + 1, t[2 * i][2] = c + 4;
            t[2 * i + 1][0] = c, t[2 * i + 1][1] = c + 4, t[2 * i + 1][2] = c + 3;
        }
        const tl_mesh_def form = {.scale = 1,
                                  .vertex_count = 9,
                                  .vertices = v[0],
                                  .triangle_count = 8,
                                  .triangles = t[0]};
        assert_ok(tl_mesh_create(&form, &mesh));
        assert_ok(tl_scene_add_mesh(scene, mesh, &g));
        tl_mesh_destroy(mesh);
        add_fixed(scene, tl_mesh_shape_default(g), material, (double[3]){0, 0, 0}, upright);
    } else if (kind == 3) {
        double z[49] = {0};
        const tl_heights_def def = {7, 7, {20.0 / 6, 20.0 / 6}, z};
        tl_geometry g;
        assert_ok(tl_scene_add_heights(scene, &def, &g));
        add_fixed(scene, tl_heights_default(g), material, (double[3]){-10, -10, 0}, upright);
    } else if (kind == 4) {
        add_fixed(scene, tl_cylinder_default(10, thick / 2), material,
                  (double[3]){0, 0, -thick / 2}, upright);
    } else {
        double corners[8][3];
        tl_geometry g;
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                corners[i][k] = (i >> k & 1 ? 1 : -1) * (k == 2 ? thick / 2 : 10);
        assert_ok(tl_scene_add_hull(scene, 8, corners[0], &g));
        add_fixed(scene, tl_hull_default(g), material, (double[3]){0, 0, -thick / 2}, upright);
    }
}

/* Of so many shots, those that are shot: more among the long tests, fewer under a sanitizer. */
static inline int shots_of(int count)
{
    return is_long() ? 50 * count : SOME(count);
}

#endif
