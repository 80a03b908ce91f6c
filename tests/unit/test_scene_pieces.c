/* Meshes on dynamic bodies in scenes and worlds: what stands for them, mixed with other shapes and
 * shared; mass of the mesh; fills and emitters of them; snapshots that go on with emitting; bodies
 * added to a world; refusals; memory that fails. */
#include "failing.h"
#include "mesh_forms.h"

/* A U of three boxes, 5 cells, about the middle of its bounding box. */
static tl_geometry add_u(tl_scene *scene)
{
    tl_geometry geometry = {0};
    form_cells((int[3]){3, 2, 1}, "###"
                                  "#.#");
    form_move(0.1, (double[3]){-0.15, -0.1, -0.05});
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &geometry));
    tl_mesh_destroy(mesh);
    return geometry;
}

static tl_scene *new_scene(void)
{
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    return scene;
}

static tl_body_def body_of(const tl_shape_def *shapes, size_t count)
{
    tl_body_def def = tl_body_default();
    def.shapes = shapes;
    def.shape_count = count;
    return def;
}

/* A ball, the mesh, a ball: the pieces stand where the mesh stood, and keep its place and material.
 */
static void pieces_stand_for_it(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_geometry u = add_u(scene);
    const tl_material material = add_material(scene, 0.3, 0);
    tl_shape_def shapes[3] = {tl_sphere_default(0.01), tl_mesh_shape_default(u),
                              tl_sphere_default(0.02)};
    shapes[1].material = material;
    shapes[0].position[0] = 1;
    shapes[1].position[2] = 0.5;
    tl_pieces_info info;
    assert_ok(tl_scene_pieces(scene, u, &info));
    assert_int_equal(info.count, 0);
    tl_body_def defs[2] = {body_of(shapes, 3), body_of(shapes, 3)};
    defs[1].position[2] = 3;
    assert_ok(tl_scene_add_bodies(scene, 2, defs, NULL));
    assert_ok(tl_scene_pieces(scene, u, &info));
    assert_int_equal(info.count, 3);
    assert_true(info.fit.protrusion == 0 && info.fit.excess == 0 && info.fit.missing == 0 &&
                !info.pieces);
    assert_status(tl_scene_pieces(scene, (tl_geometry){9}, &info), TL_BAD_HANDLE);
    tl_world *world = NULL;
    assert_ok(tl_world_create(scene, &world));
    tl_shape_info found[10];
    assert_int_equal(tl_world_shape_count(world), 10);
    assert_int_equal(tl_world_geometry_count(world), 4);
    assert_ok(tl_world_read_shapes(world, 10, found));
    int hulls = 0;
    for (int i = 0; i < 10; i++) {
        const bool hull = found[i].index >= 1 && found[i].index <= 3;
        assert_int_equal(found[i].def.kind, hull ? TL_HULL : TL_SPHERE);
        if (hull) {
            assert_int_equal(found[i].def.geometry.index, found[i].index + 1);
            assert_int_equal(found[i].def.material.index, material.index);
            hulls++;
        }
    }
    assert_int_equal(hulls, 6);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
}

/* On bodies that are not dynamic the mesh itself stays. */
static void fixed_ones_stay(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_geometry u = add_u(scene);
    tl_shape_def shape = tl_mesh_shape_default(u);
    tl_body_def def = body_of(&shape, 1);
    tl_shape_info found;
    tl_pieces_info info;
    tl_world *world = NULL;
    def.kind = TL_FIXED;
    assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    assert_ok(tl_scene_pieces(scene, u, &info));
    assert_int_equal(info.count, 0);
    assert_ok(tl_world_create(scene, &world));
    assert_int_equal(tl_world_shape_count(world), 1);
    assert_ok(tl_world_read_shapes(world, 1, &found));
    assert_int_equal(found.def.kind, TL_MESH);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
}

static tl_emitter_def pour(const tl_template_def *template)
{
    tl_emitter_def def = tl_emitter_default();
    def.region = tl_region_box((double[3]){-1, -1, 1}, (double[3]){1, 1, 3});
    def.rate = 100;
    def.count = 12;
    def.density = 500;
    def.template_count = 1;
    def.templates = template;
    return def;
}

/* An emitter of meshes, with the mass of the mesh; a snapshot amid goes on to the same state. */
static void emitters_and_snapshots(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_shape_def shape = tl_mesh_shape_default(add_u(scene));
    const tl_template_def template = {.weight = 1, .shape_count = 1, .shapes = &shape};
    const tl_emitter_def def = pour(&template);
    tl_monitor_def monitor = tl_monitor_default();
    tl_world *world = NULL, *again = NULL;
    double amount[2];
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(tl_scene_add_emitter(scene, &def));
    monitor.kind = TL_MONITOR_AMOUNT;
    monitor.name = "all";
    assert_ok(tl_scene_add_monitor(scene, &monitor));
    add_floor(scene, (tl_material){0});
    assert_ok(tl_world_create(scene, &world));
    tl_scene_destroy(scene);
    step(world, 12);
    assert_true(tl_world_body_count(world) > 2 && tl_world_body_count(world) < 13);
    assert_ok(tl_world_save(world, &bytes, &size));
    assert_ok(tl_world_load(bytes, size, &again));
    step(world, 60);
    step(again, 60);
    assert_int_equal(tl_world_body_count(world), 13);
    assert_int_equal(tl_world_hash(world), tl_world_hash(again));
    assert_ok(tl_world_read_monitors(world, 2, amount));
    assert_near(amount[0], 12 * 500 * 5e-3, 1e-6);
    /* Bodies that are added take meshes that were split, after loading too. */
    const tl_body_def more = body_of(&shape, 1);
    assert_ok(tl_world_add_bodies(again, 1, &more, NULL));
    step(again, 1);
    tl_snapshot_free(bytes, size);
    tl_world_destroy(world);
    tl_world_destroy(again);
}

static void fills(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_shape_def shape = tl_mesh_shape_default(add_u(scene));
    const tl_template_def template = {.weight = 1, .shape_count = 1, .shapes = &shape};
    tl_fill_def def = tl_fill_default();
    uint64_t added;
    def.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){2, 2, 2});
    def.template_count = 1;
    def.templates = &template;
    assert_ok(tl_scene_fill(scene, &def, &added, NULL));
    assert_true(added >= 27);
    def.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.5, .high = 1};
    assert_status(tl_scene_fill(scene, &def, &added, NULL), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "that of a hull or mesh, which has one size"));
    tl_scene_destroy(scene);
}

static void refusals(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_geometry open = {0}, hull = {0};
    const tl_geometry u = add_u(scene);
    tl_split_def how = tl_split_default();
    tl_world *world = NULL;
    the_form.triangle_count--;
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &open));
    assert_ok(tl_scene_add_hull(scene, the_form.vertex_count, the_form.vertices[0], &hull));
    tl_mesh_destroy(mesh);
    assert_status(tl_scene_split_mesh(scene, open, &how), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "the mesh is no solid: 3 of its edges"));
    tl_shape_def shape = tl_mesh_shape_default(open);
    tl_body_def def = body_of(&shape, 1);
    assert_status(tl_scene_add_bodies(scene, 1, &def, NULL), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(),
                           "bodies[0].shapes[0].geometry is a mesh; on a dynamic "
                           "body, where it must be a solid: the mesh is no "
                           "solid: 3 of its edges"));
    assert_refused(tl_scene_split_mesh(scene, hull, &how), TL_BAD_HANDLE,
                   "geometry: 3 is no mesh of this scene (it has 3 geometries)");
    assert_refused(tl_scene_split_mesh(scene, (tl_geometry){7}, &how), TL_BAD_HANDLE,
                   "geometry: 7 is no mesh of this scene (it has 3 geometries)");
    assert_refused(tl_scene_split_mesh(NULL, u, &how), TL_BAD_ARGUMENT,
                   "scene is NULL; it must not be");
    assert_refused(tl_scene_split_mesh(scene, u, NULL), TL_BAD_ARGUMENT,
                   "def is NULL; it must not be");
    how.most = 0;
    assert_status(tl_scene_split_mesh(scene, u, &how), TL_BAD_ARGUMENT);
    /* A world takes what its scene has split. */
    assert_ok(tl_world_create(scene, &world));
    shape.geometry = u;
    assert_refused(
        tl_world_add_bodies(world, 1, &def, NULL), TL_BAD_ARGUMENT,
        "bodies[0].shapes[0].geometry is a mesh without convex pieces; on a dynamic body "
        "that is added to a world it needs those that tl_scene_split_mesh() makes before "
        "the world");
    tl_world_destroy(world);
    how.most = 2;
    assert_ok(tl_scene_split_mesh(scene, u, &how));
    assert_refused(tl_scene_split_mesh(scene, u, &how), TL_BAD_ARGUMENT,
                   "geometry: 1 has been split; split a mesh once, before it is on a dynamic body");
    assert_ok(tl_world_create(scene, &world));
    assert_ok(tl_world_add_bodies(world, 1, &def, NULL));
    assert_int_equal(tl_world_shape_count(world), 2);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
}

/* Allocations fail one at a time, ever farther apart, and nothing is left behind. */
static void no_memory(void **state)
{
    (void)state;
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_status status = TL_NO_MEMORY;
    form_cells((int[3]){3, 2, 1}, "####.#");
    for (size_t at = 1; status == TL_NO_MEMORY; at += 1 + at / 6) {
        const tl_mesh_def made = form_def();
        tl_mesh *mesh = NULL;
        tl_scene *scene = NULL;
        tl_geometry geometry;
        memory.calls = 0;
        memory.fail_at = at;
        tl_set_allocator(&allocator);
        status = tl_mesh_create(&made, &mesh);
        if (status == TL_OK)
            status = tl_scene_create(&scene);
        if (status == TL_OK)
            status = tl_scene_add_mesh(scene, mesh, &geometry);
        const tl_shape_def shape = tl_mesh_shape_default(geometry);
        const tl_body_def def = body_of(&shape, 1);
        if (status == TL_OK)
            status = tl_scene_add_bodies(scene, 1, &def, NULL);
        tl_scene_destroy(scene);
        tl_mesh_destroy(mesh);
        tl_set_allocator(NULL);
        context("allocation %zu", at);
        assert_status(status, memory.calls < at ? TL_OK : TL_NO_MEMORY);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stand_for_it),
        cmocka_unit_test(fixed_ones_stay),
        cmocka_unit_test(emitters_and_snapshots),
        cmocka_unit_test(fills),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
