/* Polygons and points: how they are cut, what bodies of them weigh, and what is refused; and what
 * worlds say of exact steppers that they cannot have. */
#include "support.h"

#include "scene/scene.h"

#define BAD TL_BAD_ARGUMENT

static tl_status add(tl_scene *scene, size_t count, const double *vertices, bool open,
                     tl_geometry *geometry)
{
    tl_polygon_def def = tl_polygon_default();
    def.count = count;
    def.vertices = vertices;
    def.open = open;
    return tl_scene_add_polygon(scene, &def, geometry);
}

static void bad_polygons(void **state)
{
    (void)state;
    static const double bow[] = {0, 0, 1, 1, 1, 0, 0, 1}, twice[] = {0, 0, 1, 0, 1, 1, 1, 0};
    static const double back[] = {0, 0, 1, 0, 0.5, 0}, flat[] = {0, 0, 1, 0, 2, 0};
    const double none[] = {0, 0, 1, NAN, 1, 1};
    tl_geometry geometry;
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    assert_refused(add(scene, 2, bow, false, &geometry), BAD,
                   "polygon.count is 2; a closed polygon needs at least 3 vertices");
    assert_refused(add(scene, 1, bow, true, &geometry), BAD,
                   "polygon.count is 1; an open chain needs at least 2 vertices");
    assert_refused(add(scene, 4, bow, false, &geometry), BAD,
                   "polygon.vertices: the edges from 0 and from 2 cross; a polygon must not meet "
                   "itself");
    assert_refused(add(scene, 4, twice, false, &geometry), BAD,
                   "polygon.vertices[3] is (1, 0), as vertices[1] is; no two may be equal");
    assert_refused(add(scene, 3, back, true, &geometry), BAD,
                   "polygon.vertices: the edges from 0 and from 1 cross; a polygon must not meet "
                   "itself");
    assert_refused(add(scene, 3, none, false, &geometry), BAD,
                   "polygon.vertices[1] is (1, nan); it must be finite");
    assert_refused(add(scene, 3, NULL, false, &geometry), BAD,
                   "polygon.vertices is NULL; it must point to count vertices");
    assert_int_equal(add(scene, 3, flat, false, &geometry), BAD);
    assert_int_equal(tl_scene_geometry_count(scene), 0);
    tl_polygon_def thin = tl_polygon_default();
    thin.count = 3;
    thin.vertices = twice;
    thin.depth = 0;
    assert_refused(tl_scene_add_polygon(scene, &thin, &geometry), BAD,
                   "polygon.depth is 0; it must be finite and > 0");
    tl_scene_destroy(scene);
}

/* The kinds of the faces of a piece: how many are of each. */
static void count_kinds(const tl_scene *scene, size_t piece, uint32_t counts[3])
{
    const tl_geometry_rec *g = (const tl_geometry_rec *)scene->geometries.data + piece;
    const uint32_t *words = g->words.data, faces = words[1];
    memset(counts, 0, 3 * sizeof *counts);
    for (size_t i = g->words.count - faces; i < g->words.count; i++)
        counts[words[i]]++;
}

static void cuts(void **state)
{
    (void)state;
    /* an L: two pieces with an inner face each; in both senses of rotation */
    static const double ell[] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 3, 0, 3};
    double other[12];
    for (int i = 0; i < 6; i++) {
        other[2 * i] = ell[10 - 2 * i];
        other[2 * i + 1] = ell[11 - 2 * i];
    }
    for (int turned = 0; turned < 2; turned++) {
        tl_geometry geometry;
        uint32_t counts[3];
        tl_scene *scene;
        assert_ok(tl_scene_create(&scene));
        assert_ok(add(scene, 6, turned ? other : ell, false, &geometry));
        assert_int_equal(tl_scene_geometry_count(scene), 2);
        double volume = 0;
        for (size_t i = 0; i < 2; i++) {
            count_kinds(scene, i, counts);
            assert_int_equal(counts[1], 1);
            assert_int_equal(counts[2], 0);
            volume += ((const tl_geometry_rec *)scene->geometries.data)[i].volume;
        }
        assert_near(volume, 4, 1e-12);
        /* the body weighs what both do */
        tl_shape_def shape = tl_polygon_shape_default(geometry);
        tl_body_def def = tl_body_default();
        tl_body body;
        tl_world *world;
        def.shape_count = 1;
        def.shapes = &shape;
        assert_ok(tl_scene_add_bodies(scene, 1, &def, &body));
        assert_near(((const tl_body_rec *)scene->list.bodies.data)[0].mass, 4000, 1e-9);
        assert_ok(tl_world_create(scene, &world));
        void *bytes;
        size_t size;
        tl_world *again;
        assert_ok(tl_world_save(world, &bytes, &size));
        assert_ok(tl_world_load(bytes, size, &again)); /* with the kinds of faces */
        assert_int_equal(tl_world_hash(again), tl_world_hash(world));
        tl_snapshot_free(bytes, size);
        tl_world_destroy(again);
        tl_world_destroy(world);
        tl_scene_destroy(scene);
    }
}

/* A chain with a valley: two pieces, which end at the cut and nowhere else. */
static void chains(void **state)
{
    (void)state;
    static const double valley[] = {0, 1, 1, 0, 2, 1};
    tl_geometry geometry;
    uint32_t counts[3];
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    assert_ok(add(scene, 3, valley, true, &geometry));
    assert_int_equal(tl_scene_geometry_count(scene), 2);
    for (size_t i = 0; i < 2; i++) {
        count_kinds(scene, i, counts);
        assert_int_equal(counts[0], 3); /* its edge and the two caps */
        assert_int_equal(counts[1], 1);
        assert_int_equal(counts[2], 2);
    }
    tl_scene_destroy(scene);
}

static void points_need_a_mass(void **state)
{
    (void)state;
    const tl_shape_def two[2] = {tl_point_default(), tl_point_default()};
    tl_body_def def = tl_body_default();
    tl_body body;
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    def.shape_count = 1;
    def.shapes = two;
    assert_refused(tl_scene_add_bodies(scene, 1, &def, &body), BAD,
                   "bodies[0].mass is 0; it must be > 0 on a dynamic body of points alone");
    def.mass = 5;
    assert_ok(tl_scene_add_bodies(scene, 1, &def, &body));
    def.shape_count = 2;
    assert_refused(tl_scene_add_bodies(scene, 1, &def, &body), BAD,
                   "bodies[0].inertia is (0, 0, 0); each must be > 0 on a dynamic body of several "
                   "points");
    tl_scene_destroy(scene);
}

static void steppers_that_cannot_be(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    tl_world *world;
    settings.stepper = TL_STEPPER_PEG;
    tl_scene *scene = scene_with(&settings);
    const double at[2][3] = {{0, 0, 1}, {1, 0, 1}}, still[3] = {0, 0, 0};
    const tl_material plain = {0};
    const tl_body a = add_sphere(scene, plain, 0.1, 1, at[0], still);
    const tl_body b = add_sphere(scene, plain, 0.1, 1, at[1], still);
    settings.backend = TL_BACKEND_CUDA;
    assert_refused(tl_world_create_with(scene, &settings, &world), TL_NO_BACKEND,
                   "settings.stepper is peg, which is on the CPU alone; on a GPU it must be dvi, "
                   "smooth or penalty");
    assert_ok(tl_world_create(scene, &world));
    tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
    joint.a = a;
    joint.b = b;
    joint.position_a[0] = 0.5;
    joint.position_b[0] = -0.5;
    assert_refused(tl_world_add_joint(world, &joint, NULL), BAD,
                   "tl_world_add_joint: settings.stepper is peg, which knows no joints");
    tl_world_destroy(world);
    assert_ok(tl_scene_add_joint(scene, &joint, NULL));
    assert_refused(tl_world_create(scene, &world), BAD,
                   "settings.stepper is peg; with joints it must be dvi or smooth");
    tl_scene_destroy(scene);
    settings = tl_settings_default();
    settings.stepper = TL_STEPPER_STEWART_TRINKLE;
    scene = scene_with(&settings);
    add_material(scene, 0.5, 0.3);
    assert_refused(
        tl_world_create(scene, &world), BAD,
        "settings.stepper is stewart-trinkle; it must be dvi, smooth or penalty where "
        "materials have restitution, rolling or spinning friction, cohesion or compliance");
    tl_scene_destroy(scene);
}

/* A planar world: bodies keep their y and turn about it alone, with every stepper and solver. */
static void planes(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        tl_settings settings = tl_settings_default();
        settings.planar = TL_PLANAR_XZ;
        settings.gravity[1] = 3;
        settings.solver.kind = i < 4 ? (tl_solver_kind)i : TL_PSOR;
        settings.stepper = i < 4    ? TL_STEPPER_DVI
                           : i == 4 ? TL_STEPPER_STEWART_TRINKLE
                                    : TL_STEPPER_PEG;
        tl_scene *scene = scene_with(&settings);
        tl_body body[2];
        const tl_material material = add_material(scene, 0.5, 0);
        add_floor(scene, material);
        for (int k = 0; k < 2; k++) {
            tl_shape_def box = tl_box_default(0.1, 0.2, 0.15);
            tl_body_def def = tl_body_default();
            box.material = material;
            def.shape_count = 1;
            def.shapes = &box;
            turn((double[3]){1, 2, 3}, 0.4, def.orientation);
            def.position[0] = 0.15 * k;
            def.position[1] = 0.05 * k;
            def.position[2] = 0.3 + 0.5 * k;
            def.angular_velocity[1] = 2;
            body[k] = add_body(scene, &def);
        }
        tl_world *world = world_of(scene);
        context("planar, solver %d, stepper %d", settings.solver.kind, settings.stepper);
        step(world, 100);
        for (int k = 0; k < 2; k++) {
            double x[3], v[3], w[3];
            position_of(world, body[k], x);
            velocity_of(world, body[k], v);
            spin_of(world, body[k], w);
            assert_near(x[1], 0.05 * k, 1e-12);
            assert_near(v[1], 0, 0);
            assert_near(w[0], 0, 1e-6);
            assert_near(w[2], 0, 1e-6);
        }
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_polygons),
        cmocka_unit_test(cuts),
        cmocka_unit_test(chains),
        cmocka_unit_test(points_need_a_mass),
        cmocka_unit_test(steppers_that_cannot_be),
        cmocka_unit_test(planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
