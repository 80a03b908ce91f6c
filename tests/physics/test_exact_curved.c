/* PEG with curved shapes: capsules, cylinders, cones and ellipsoids slide over tiles and triangles
 * without losing speed, pass what they miss, stay on what holds them, and roll as they must. */
#include "tiles.h"

/* What slides: a shape, how it lies, and how high its origin is then. */
typedef struct curve {
    const char *name;
    double axis[3], angle, height; /* turned about the axis */
} curve;

enum { CAPSULE_ALONG, CAPSULE_ACROSS, CYLINDER, DISC, CONE, ELLIPSOID, CURVES };

static const curve curves[CURVES] = {
    {"capsule along x", {0, 1, 0}, PI / 2, 0.08}, {"capsule along y", {1, 0, 0}, PI / 2, 0.08},
    {"cylinder along y", {1, 0, 0}, PI / 2, 0.1}, {"standing cylinder", {0, 0, 1}, 0.3, 0.08},
    {"standing cone", {0, 0, 1}, 0.3, 0.12},      {"ellipsoid", {0, 0, 1}, 0.3, 0.09},
};

static tl_shape_def shape_of(int i)
{
    return i == CAPSULE_ALONG || i == CAPSULE_ACROSS ? tl_capsule_default(0.08, 0.1)
           : i == CYLINDER                           ? tl_cylinder_default(0.1, 0.12)
           : i == DISC                               ? tl_cylinder_default(0.12, 0.08)
           : i == CONE                               ? tl_cone_default(0.15, 0.12)
                                                     : tl_ellipsoid_default(0.16, 0.12, 0.09);
}

static tl_settings settings_of(double h)
{
    tl_settings s = tl_settings_default();
    s.stepper = TL_STEPPER_PEG;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    s.step = h;
    return s;
}

static tl_body add_curve(tl_scene *scene, tl_material material, int i, const double x[3],
                         const double v[3])
{
    tl_shape_def shape = shape_of(i);
    double q[4];
    shape.material = material;
    turn(curves[i].axis, curves[i].angle, q);
    tl_body_def def = body_of(&shape, 1000, x, q);
    memcpy(def.velocity, v, sizeof def.velocity);
    return add_body(scene, &def);
}

/* What a curve has lost of its velocity after two seconds, as a part of its speed; its energy never
 * grows. */
static double lost(tl_scene *scene, tl_material material, int i, const double u[3])
{
    const double h = tl_scene_settings(scene).step, speed = sqrt(dot3(u, u));
    const double z = curves[i].height;
    const tl_body body = add_curve(scene, material, i, (double[3]){0, 0.013, z}, u);
    tl_world *world = world_of(scene);
    double x[3], v[3];
    for (int k = 0; k < (int)(2 / h + 0.5); k++) {
        step(world, 1);
        velocity_of(world, body, v);
        position_of(world, body, x);
        assert_below(0.5 * (dot3(v, v) - speed * speed) + G * (x[2] - z), 1e-9);
    }
    tl_world_destroy(world);
    return (fabs(v[0] - u[0]) + fabs(v[1] - u[1]) + fabs(v[2])) / speed;
}

static void tiles_keep_speed(void **state)
{
    (void)state;
    static const solid tiles[] = {BOX, HULL, MESH, SHEET};
    static const double steps[] = {1.0 / 200, 0.02};
    static const claim c = {"PEG: a capsule, cylinder, cone or ellipsoid slides over boxes, hulls, "
                            "meshes or sheets of 0.5 m, side by side",
                            "closed form: it keeps its velocity",
                            "what it loses in 2 s, as a part of its speed",
                            "2 and 5 m/s, h = 5 and 20 ms, no friction"};
    for (int i = 0; i < CURVES * 16; i += WATCHED ? 7 : 1) {
        const double speed = i / 2 % 2 ? 5 : 2;
        const solid tile = tiles[i / 4 % 4];
        const tl_settings s = settings_of(steps[i % 2]);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        lay_tiles(scene, material, tile);
        context("a %s over tiles, each a %s, at %g m/s, h = %g s", curves[i / 16].name,
                solid_names[tile], speed, s.step);
        assert_found(&c, "peg", lost(scene, material, i / 16, (double[3]){speed, 0, 0}), 0, 1e-6);
    }
}

static void triangles_keep_speed(void **state)
{
    (void)state;
    for (int i = 0; i < CURVES; i++) {
        const tl_settings s = settings_of(0.02);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        lay_grid(scene, material);
        context("a %s over triangles", curves[i].name);
        assert_below(lost(scene, material, i, (double[3]){3, 2, 0}), 1e-6);
    }
}

/* Without gravity, what misses a solid by 5 mm keeps its velocity to the last bit, wherever steps
 * begin and end. */
static void misses_stay_misses(void **state)
{
    (void)state;
    static const solid others[] = {BOX, HULL, MESH, BALL};
    for (int i = 0; i < CURVES * 40; i += WATCHED ? 7 : 1) {
        const int kind = i / 40;
        const tl_settings s = settings_of(i % 2 ? 0.02 : 1.0 / 200);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        double v[3];
        set_gravity(scene, 0, 0, 0);
        add_fixed(scene, solid_of(scene, others[i / 10 % 4], (double[3]){0.05, 0.05, 0.05}),
                  material, (double[3]){0, 0, 0}, upright);
        const tl_body body =
            add_curve(scene, material, kind,
                      (double[3]){-1 - 4 * s.step * (i / 2 % 5), 0, 0.055 + curves[kind].height},
                      (double[3]){20, 0, 0});
        tl_world *world = world_of(scene);
        step(world, (uint32_t)(0.15 / s.step));
        velocity_of(world, body, v);
        context("a %s misses a %s, h = %g s, %d", curves[kind].name,
                solid_names[others[i / 10 % 4]], s.step, i);
        assert_true(v[0] == 20 && v[1] == 0 && v[2] == 0);
        tl_world_destroy(world);
    }
}

/* And what would hit it does not pass: head on, it ends before or above it. */
static void hits_stay_hits(void **state)
{
    (void)state;
    for (int i = 0; i < CURVES * 2; i++) {
        const tl_settings s = settings_of(1.0 / 200);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        double x[3];
        set_gravity(scene, 0, 0, 0);
        add_fixed(scene, solid_of(scene, i % 2 ? MESH : BOX, (double[3]){0.1, 1, 1}), material,
                  (double[3]){0.1, 0, 0}, upright);
        const tl_body body =
            add_curve(scene, material, i / 2, (double[3]){-0.5, 0, 0}, (double[3]){3, 0, 0});
        tl_world *world = world_of(scene);
        step(world, 60);
        position_of(world, body, x);
        context("a %s against a %s", curves[i / 2].name, i % 2 ? "mesh" : "box");
        assert_below(x[0], -0.05);
        tl_world_destroy(world);
    }
}

/* A solid cylinder rolls down tiles with 2/3 of g sin(angle), and the friction that takes. */
static void cylinders_roll(void **state)
{
    (void)state;
    static const claim c = {"PEG: a cylinder rolls down tiles of 0.5 m, side by side",
                            "closed form: 2/3 g sin(angle)", "speed after 1 s, m/s",
                            "friction 0.5, angle 0.2, h = 5 ms"};
    tl_settings s = settings_of(1.0 / 200);
    s.gravity[0] = G * sin(0.2);
    s.gravity[2] = -G * cos(0.2);
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.5, 0);
    lay_tiles(scene, material, BOX);
    const tl_body body =
        add_curve(scene, material, CYLINDER, (double[3]){0, 0, 0.1}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    double v[3];
    step(world, 200);
    velocity_of(world, body, v);
    tl_world_destroy(world);
    context("a cylinder rolls");
    assert_found(&c, "peg", v[0], 2.0 / 3 * G * sin(0.2), 1e-4);
}

/* A standing cylinder and a capsule lie still on a box as long as their centre is over it, and fall
 * where it is not: the box's upper side ends where it ends. */
static void edges_end(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const tl_settings s = settings_of(1.0 / 200);
        const int kind = i / 2 ? DISC : CAPSULE_ALONG;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0.5, 0);
        double w[3];
        add_fixed(scene, tl_box_default(0.5, 0.5, 0.5), material, (double[3]){0, 0, -0.5}, upright);
        const tl_body body = add_curve(scene, material, kind,
                                       (double[3]){i % 2 ? 0.53 : 0.47, 0, curves[kind].height},
                                       (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        step(world, 60);
        assert_ok(tl_world_read_angular_velocities(world, 1, &body, w));
        context("a %s, its centre %s the edge", curves[kind].name, i % 2 ? "beyond" : "before");
        if (i % 2)
            assert_above(w[1], 0.3);
        else
            assert_below(fabs(w[1]), 1e-6);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_keep_speed),   cmocka_unit_test(triangles_keep_speed),
        cmocka_unit_test(misses_stay_misses), cmocka_unit_test(hits_stay_hits),
        cmocka_unit_test(cylinders_roll),     cmocka_unit_test(edges_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
