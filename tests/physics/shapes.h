/* Bodies of any shape for the physics tests, and slopes to put them on. */
#ifndef TALUS_TESTS_SHAPES_H
#define TALUS_TESTS_SHAPES_H

#include "support.h"

static const double upright[4] = {1, 0, 0, 0};

/* A dynamic body of one shape, at rest. */
static inline tl_body_def body_of(const tl_shape_def *shape, double density,
                                  const double position[3], const double orientation[4])
{
    tl_body_def def = tl_body_default();
    def.density = density;
    def.shape_count = 1;
    def.shapes = shape;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, orientation, sizeof def.orientation);
    return def;
}

static inline tl_body add_shape(tl_scene *scene, tl_shape_def shape, tl_material material,
                                const double position[3], const double orientation[4])
{
    shape.material = material;
    const tl_body_def def = body_of(&shape, 1000, position, orientation);
    return add_body(scene, &def);
}

/* A box of density 2000 by its half extents. */
static inline tl_body add_block(tl_scene *scene, tl_material material, const double half[3],
                                const double position[3], const double orientation[4])
{
    tl_shape_def box = tl_box_default(half[0], half[1], half[2]);
    box.material = material;
    const tl_body_def def = body_of(&box, 2000, position, orientation);
    return add_body(scene, &def);
}

/* The turn b, and then a. */
static inline void turn_twice(const double a[4], const double b[4], double out[4])
{
    double across[3];
    cross3(a + 1, b + 1, across);
    out[0] = a[0] * b[0] - dot3(a + 1, b + 1);
    for (int k = 0; k < 3; k++)
        out[1 + k] = a[0] * b[1 + k] + b[0] * a[1 + k] + across[k];
}

/* A plane through the origin tilted by `angle` about y: its normal, the direction down it, and the
 * turn that lays upright bodies on it. */
typedef struct slope {
    double angle, normal[3], down[3], turn[4];
} slope;

static inline slope make_slope(double angle)
{
    slope s = {.angle = angle,
               .normal = {sin(angle), 0, cos(angle)},
               .down = {cos(angle), 0, -sin(angle)}};
    turn((double[3]){0, 1, 0}, angle, s.turn);
    return s;
}

/* A random solid whose extent is about 0.1 m. */
static inline tl_shape_def random_solid(tl_scene *scene, dice *d)
{
    const double a = roll(d, 0.05, 0.12), b = roll(d, 0.05, 0.12), c = roll(d, 0.05, 0.12);
    double points[12][3];
    tl_geometry hull;
    switch (roll_bits(d) % 7) {
    case 0: return tl_sphere_default(a);
    case 1: return tl_box_default(a, b, c);
    case 2: return tl_capsule_default(0.6 * a, b);
    case 3: return tl_cylinder_default(a, b);
    case 4: return tl_cone_default(a, b);
    case 5: return tl_ellipsoid_default(a, b, c);
    default:
        for (int i = 0; i < 12; i++) {
            roll_direction(d, points[i]);
            points[i][0] *= a, points[i][1] *= b, points[i][2] *= c;
        }
        assert_ok(tl_scene_add_hull(scene, 12, points[0], &hull));
        return tl_hull_default(hull);
    }
}

/* How far a body has gone from where it started, m, and the largest of several. */
static inline double moved(const tl_world *world, tl_body body, const double from[3])
{
    double x[3];
    position_of(world, body, x);
    return distance3(x, from);
}

#endif
