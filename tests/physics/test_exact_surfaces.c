/* PEG on surfaces: meshes, height fields and parallelograms are flat pieces, one per triangle, so
 * that seams do not hold what slides over them, grooves hold what lies in them, and nothing passes.
 */
#include "tiles.h"

static tl_settings settings_of(double h)
{
    tl_settings s = tl_settings_default();
    s.stepper = TL_STEPPER_PEG;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    s.step = h;
    return s;
}

/* A body without friction on what is laid, for two seconds: what it has lost of its speed, as a
 * part of it. Its energy never grows. */
static double lost(tl_scene *scene, tl_material material, solid kind, const double u[3])
{
    const double h = tl_scene_settings(scene).step, speed = sqrt(dot3(u, u));
    tl_shape_def shape = solid_of(scene, kind, (double[3]){0.1, 0.1, 0.1});
    shape.material = material;
    tl_body_def def = body_of(&shape, 1000, (double[3]){0, 0.013, 0.1}, upright);
    memcpy(def.velocity, u, sizeof def.velocity);
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    double x[3], v[3];
    for (int i = 0; i < (int)(2 / h + 0.5); i++) {
        step(world, 1);
        velocity_of(world, body, v);
        position_of(world, body, x);
        assert_below(0.5 * (dot3(v, v) - speed * speed) + G * (x[2] - 0.1), 1e-9);
    }
    tl_world_destroy(world);
    return (fabs(v[0] - u[0]) + fabs(v[1] - u[1]) + fabs(v[2])) / speed;
}

static void tiles_keep_speed(void **state)
{
    (void)state;
    static const solid bodies[] = {BALL, BOX, HULL}, tiles[] = {BOX, HULL, MESH, SHEET};
    static const double steps[] = {0.001, 1.0 / 200, 0.02, 0.05};
    static const claim c = {"PEG: a ball, box or hull slides over boxes, hulls, meshes or sheets "
                            "of 0.5 m, side by side",
                            "closed form: it keeps its speed",
                            "what it loses in 2 s, as a part of it",
                            "2 and 5 m/s, h = 1 to 50 ms, no friction"};
    for (int i = 0; i < 96; i += WATCHED ? 7 : 1) {
        const double h = steps[i % 4], speed = i / 4 % 2 ? 5 : 2;
        const solid tile = tiles[i / 8 % 4], body = bodies[i / 32];
        const tl_settings s = settings_of(h);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        lay_tiles(scene, material, tile);
        context("a %s over tiles, each a %s, at %g m/s, h = %g s", solid_names[body],
                solid_names[tile], speed, h);
        assert_found(&c, "peg", lost(scene, material, body, (double[3]){speed, 0, 0}), 0, 1e-6);
    }
}

static void triangles_keep_speed(void **state)
{
    (void)state;
    static const solid bodies[] = {BALL, BOX, HULL};
    static const claim c = {"PEG: a ball, box or hull slides over a plane of 3,200 triangles",
                            "closed form: it keeps its velocity",
                            "change in 2 s, as a part of its speed",
                            "5 m/s, h = 5 to 50 ms, no friction"};
    static const double steps[] = {1.0 / 200, 0.02, 0.05};
    for (int i = 0; i < 9; i++) {
        const tl_settings s = settings_of(steps[i % 3]);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        lay_grid(scene, material);
        context("a %s over triangles, h = %g s", solid_names[bodies[i / 3]], s.step);
        assert_found(&c, "peg", lost(scene, material, bodies[i / 3], (double[3]){4, 3, 0}), 0,
                     1e-6);
    }
}

/* A groove of two slopes of 45 degrees along y, its bottom at z = 0: a mesh or a height field. */
static tl_shape_def groove_of(tl_scene *scene, bool field, double origin[3])
{
    tl_geometry g;
    memset(origin, 0, 3 * sizeof *origin);
    if (field) {
        static const double z[6] = {1, 0, 1, 1, 0, 1};
        tl_heights_def def = {0};
        def.columns = 3;
        def.rows = 2;
        def.spacing[0] = 1;
        def.spacing[1] = 2;
        def.heights = z;
        assert_ok(tl_scene_add_heights(scene, &def, &g));
        origin[0] = origin[1] = -1;
        return tl_heights_default(g);
    }
    form_clear();
    for (int i = 0; i < 6; i++)
        form_vertex(i / 2 - 1, i % 2 ? 1 : -1, abs(i / 2 - 1));
    form_quad(0, 2, 3, 1);
    form_quad(2, 4, 5, 3);
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &g));
    tl_mesh_destroy(mesh);
    return tl_mesh_shape_default(g);
}

/* Both slopes of a groove hold at once: what falls into it comes to rest on the two. */
static void grooves_hold(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const tl_settings s = settings_of(1.0 / 200);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0.3, 0);
        const bool box = i % 2;
        double origin[3], x[3], v[3], q[4];
        const tl_shape_def groove = groove_of(scene, i / 2, origin);
        add_fixed(scene, groove, material, origin, upright);
        tl_shape_def shape = box ? tl_box_default(0.1, 0.1, 0.1) : tl_sphere_default(0.1);
        shape.material = material;
        turn((double[3]){0, 1, 0}, box ? PI / 4 : 0, q);
        const tl_body_def def = body_of(&shape, 1000, (double[3]){0.02, 0.013, 0.4}, q);
        const tl_body body = add_body(scene, &def);
        tl_world *world = world_of(scene);
        step(world, 400);
        context("a %s in a groove, %s", box ? "box" : "ball", i / 2 ? "field" : "mesh");
        position_of(world, body, x);
        velocity_of(world, body, v);
        assert_near(x[0], 0, 1e-6);
        assert_near(x[2], 0.1 * sqrt(2), 1e-6);
        assert_below(sqrt(dot3(v, v)), 1e-6);
        tl_world_destroy(world);
    }
}

/* A ball of 1 mm at 100 m/s and surfaces without thickness. */
static void nothing_passes(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i += WATCHED ? 5 : 1) {
        const tl_settings s = settings_of(i % 2 ? 0.02 : 1.0 / 200);
        const double slant = 0.1 * (i / 2 % 4), back = s.step * 130;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        double x[3];
        set_gravity(scene, 0, 0, 0);
        if (i / 8 == 0)
            lay_grid(scene, material);
        else if (i / 8 == 1)
            add_fixed(scene, tl_parallelogram_default((double[3]){9, 0, 0}, (double[3]){0, 9, 0}),
                      material, (double[3]){-2, -2, 0}, upright);
        else
            add_fixed(scene, solid_of(scene, MESH, (double[3]){5, 5, 5e-5}), material,
                      (double[3]){0, 0, -5e-5}, upright);
        const tl_body ball =
            add_sphere(scene, material, 0.001, 0, (double[3]){-slant * back, 0.1, back},
                       (double[3]){100 * slant, 0, -100});
        tl_world *world = world_of(scene);
        step(world, 4);
        context("a ball at surface %d, h = %g, slant %g", i / 8, s.step, slant);
        position_of(world, ball, x);
        assert_above(x[2], 0.001 - 1e-9);
        assert_below(x[2], 0.1); /* planes of edges far away are aslant */
        tl_world_destroy(world);
    }
}

/* Without gravity a ball at 20 m/s that misses a solid by 5 mm keeps its velocity to the last bit.
 */
static void misses_stay_misses(void **state)
{
    (void)state;
    static const solid others[] = {BOX, HULL, MESH, BALL};
    for (int i = 0; i < 80; i += WATCHED ? 7 : 1) {
        const tl_settings s = settings_of(i % 2 ? 0.02 : 1.0 / 200);
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        double v[3];
        set_gravity(scene, 0, 0, 0);
        add_fixed(scene, solid_of(scene, others[i / 20], (double[3]){0.05, 0.05, 0.05}), material,
                  (double[3]){0, 0, 0}, upright);
        const tl_body ball = add_sphere(scene, material, 0.05, 1,
                                        (double[3]){-1 - 2 * s.step * (i / 2 % 10), 0, 0.105},
                                        (double[3]){20, 0, 0});
        tl_world *world = world_of(scene);
        step(world, (uint32_t)(0.15 / s.step));
        velocity_of(world, ball, v);
        context("a ball misses a %s, h = %g s, %d", solid_names[others[i / 20]], s.step, i);
        assert_true(v[0] == 20 && v[1] == 0 && v[2] == 0);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_keep_speed),   cmocka_unit_test(triangles_keep_speed),
        cmocka_unit_test(grooves_hold),       cmocka_unit_test(nothing_passes),
        cmocka_unit_test(misses_stay_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
