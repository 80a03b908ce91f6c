/* labels: threads */
/* Heaps of cubes, of hulls and of everything: the same bits with any number of threads, from a
 * snapshot, and whatever is asked between steps. */
#include "physics/shapes.h"
#include "scenes.h"

#define STEPS   (WATCHED ? 80 : 120)
#define SETTLED (WATCHED ? 100 : 400) /* most manifolds are kept by then */

/* A hill of triangles and one of heights, side by side on the floor. */
static void add_hills(tl_scene *scene)
{
    static const double corners[5][3] = {
        {-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}, {-0.5, 0, 0.2}};
    static const uint32_t triangles[4][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    static const double heights[9] = {0, 0, 0, 0, 0.2, 0.1, 0, 0, 0};
    const tl_heights_def field = {3, 3, {0.5, 1}, heights};
    tl_geometry hills[2];
    tl_mesh *mesh = NULL;
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = 5;
    def.vertices = corners[0];
    def.triangle_count = 4;
    def.triangles = triangles[0];
    assert_ok(tl_mesh_create(&def, &mesh));
    assert_ok(tl_scene_add_mesh(scene, mesh, &hills[0]));
    tl_mesh_destroy(mesh);
    assert_ok(tl_scene_add_heights(scene, &field, &hills[1]));
    const tl_material material = add_material(scene, 0.5, 0);
    add_fixed(scene, tl_mesh_shape_default(hills[0]), material, (double[3]){0, 0, 0}, upright);
    add_fixed(scene, tl_heights_default(hills[1]), material, (double[3]){0, -1, 0}, upright);
}

/* Every kind of solid in turn, and bodies of two of them, fall into the box of a pile of cubes. */
static tl_scene *medley(const tl_settings *settings)
{
    pile_options pile = pile_of(PILE_CUBES);
    tl_scene *scene = NULL;
    tl_geometry hull;
    double corners[PILE_CORNERS][3], centre[125][3], half, height;
    pile.bodies = 64;
    pile.layers = 4;
    pile.settings = *settings;
    assert_ok(pile_scene(&pile, &scene));
    pile.bodies = 125;
    pile_centres(&pile, centre[0], &half, &height);
    pile.kind = PILE_HULLS;
    assert_ok(tl_scene_add_hull(scene, pile_corners(&pile, corners), corners[0], &hull));
    const tl_shape_def kinds[] = {tl_sphere_default(0.08),
                                  tl_capsule_default(0.06, 0.08),
                                  tl_cylinder_default(0.08, 0.08),
                                  tl_cone_default(0.1, 0.08),
                                  tl_ellipsoid_default(0.1, 0.08, 0.06),
                                  tl_hull_default(hull)};
    dice d = {3};
    for (int i = 0; i < 61; i++) {
        tl_shape_def shapes[2] = {kinds[i % 6], kinds[(i + 1) % 6]};
        tl_body_def def = tl_body_default();
        shapes[1].position[0] = 0.05;
        def.shapes = shapes;
        def.shape_count = i % 3 ? 1 : 2;
        roll_turn(&d, def.orientation);
        memcpy(def.position, centre[64 + i], sizeof def.position);
        for (int k = 0; k < 2; k++) /* inside the smaller box, above what is there */
            def.position[k] *= 0.7;
        def.position[2] += 1;
        add_body(scene, &def);
    }
    add_hills(scene);
    return scene;
}

static tl_scene *scene_at(int which, const tl_settings *settings)
{
    pile_options pile = pile_of(which == 0 ? PILE_CUBES : PILE_HULLS);
    tl_scene *scene = NULL;
    if (which == 2)
        return medley(settings);
    pile.bodies = 200;
    pile.layers = 8;
    pile.settings = *settings;
    assert_ok(pile_scene(&pile, &scene));
    return scene;
}

static tl_settings settings_of(const variant *v, uint32_t threads)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.threads = threads;
    settings.solver.iterations = 8;
    settings.solver.position_iterations = 4;
    return settings;
}

static void threads(const variant *v)
{
    for (int which = 0; which < 3; which++) {
        uint64_t hashes[120];
        for (uint32_t count = 1; count <= (WATCHED ? 2 : 3); count++) {
            const tl_settings settings = settings_of(v, count);
            tl_world *world = world_of(scene_at(which, &settings));
            context("%s, heap %d, %u threads", v->name, which, count);
            uint32_t active = 0;
            for (int i = 0; i < STEPS; i++) {
                active = step_report(world, 1).active_contacts;
                const uint64_t hash = tl_world_hash(world);
                if (count == 1)
                    hashes[i] = hash;
                else if (hash != hashes[i])
                    fail_msg("%s: another hash after step %d", test_context, i + 1);
            }
            assert_true(active > 100);
            tl_world_destroy(world);
        }
    }
}

/* A world that is saved in the middle and loaded goes on as the one that was not. */
static void saving(const variant *v)
{
    for (int which = 0; which < 3; which++) {
        const tl_settings settings = settings_of(v, 1);
        tl_world *world = world_of(scene_at(which, &settings)), *copy = NULL;
        void *snapshot = NULL;
        size_t bytes = 0;
        context("%s, heap %d", v->name, which);
        step(world, which < 2 ? SETTLED : STEPS / 2);
        assert_ok(tl_world_save(world, &snapshot, &bytes));
        assert_ok(tl_world_load(snapshot, bytes, &copy));
        tl_snapshot_free(snapshot, bytes);
        assert_true(tl_world_hash(copy) == tl_world_hash(world));
        for (int i = 0; i < STEPS / 2; i++) {
            step(world, 1);
            step(copy, 1);
            assert_true(tl_world_hash(copy) == tl_world_hash(world));
        }
        tl_world_destroy(copy);
        tl_world_destroy(world);
    }
}

/* Asks a world for its contacts, in several ways; it has those of its present state. */
static void ask(tl_world *world, int how)
{
    if (how % 3 == 0)
        return;
    assert_ok(tl_world_find_contacts(world));
    const size_t count = tl_world_contact_count(world);
    tl_contact *contacts = calloc(count + 1, sizeof *contacts);
    assert_non_null(contacts);
    assert_ok(tl_world_read_contacts(world, count, contacts));
    free(contacts);
    if (how % 3 == 2)
        assert_ok(tl_world_find_contacts_in(world, 3, 2));
    assert_int_equal(tl_world_contact_count(world), count);
}

/* The same snapshot, whatever was asked. */
static void same_snapshot(const tl_world *world, const tl_world *asked)
{
    const tl_world *const both[2] = {world, asked};
    void *snapshot[2] = {NULL, NULL};
    size_t bytes[2];
    for (int i = 0; i < 2; i++)
        assert_ok(tl_world_save(both[i], &snapshot[i], &bytes[i]));
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(snapshot[0], snapshot[1], bytes[0]);
    for (int i = 0; i < 2; i++)
        tl_snapshot_free(snapshot[i], bytes[i]);
}

/* A world that is asked for its contacts goes on as the one that is not. */
static void asking(const variant *v)
{
    for (int which = 0; which < 3; which++) {
        const tl_settings settings = settings_of(v, 1);
        tl_world *world = world_of(scene_at(which, &settings));
        tl_world *asked = world_of(scene_at(which, &settings));
        for (int i = 0; i < STEPS; i++) {
            const tl_body gone = {(uint32_t)i, 1};
            context("%s, heap %d, step %d", v->name, which, i + 1);
            ask(asked, i);
            if (i % 40 == 20) {
                same_snapshot(world, asked);
                assert_ok(tl_world_remove_bodies(world, 1, &gone));
                assert_ok(tl_world_remove_bodies(asked, 1, &gone));
            }
            step(world, 1);
            step(asked, 1);
            assert_true(tl_world_hash(asked) == tl_world_hash(world));
        }
        tl_world_destroy(asked);
        tl_world_destroy(world);
    }
}

static void test_asking(void **state)
{
    (void)state;
    for_each_precision(asking);
}

static void test_threads(void **state)
{
    (void)state;
    for_each_precision(threads);
}

static void test_saving(void **state)
{
    (void)state;
    for_each_precision(saving);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        one_thread_test(test_saving),
        cmocka_unit_test(test_asking),
    };
    return cmocka_run_group_tests_name("shapes, the same bits", tests, NULL, NULL);
}
