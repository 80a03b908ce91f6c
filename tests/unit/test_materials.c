/* Worlds whose materials have every law: what contacts keep of one step for the next, moments too,
 * survives snapshots, edits and any number of threads; and how laws are read back and changed. */
#include "solids.h"

static tl_world *heap(const variant *v, uint32_t threads)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 6;
    settings.solver.position_iterations = 3;
    settings.threads = threads;
    tl_scene *scene = mixer_scene(&settings, 200, 4);
    add_solids(scene, 4);
    tl_world *world = world_of(scene);
    give_laws(world, true);
    return world;
}

/* How many contacts have a moment. */
static size_t moments(const tl_world *world)
{
    size_t count, some = 0;
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++)
        some += norm3(contacts[i].moment) > 0;
    free(contacts);
    return some;
}

static void goes_on(const variant *v)
{
    tl_world *world = heap(v, 1), *other = heap(v, 4), *loaded = NULL;
    const tl_body gone = {7, 1};
    void *data = NULL;
    size_t bytes = 0;
    step(world, 60);
    step(other, 60);
    assert_true(tl_world_hash(world) == tl_world_hash(other));
    assert_true(moments(world) > 20);
    assert_ok(tl_world_save(world, &data, &bytes));
    assert_ok(tl_world_load(data, bytes, &loaded));
    tl_snapshot_free(data, bytes);
    assert_int_equal(moments(loaded), moments(world));
    double velocity[3];
    assert_ok(tl_world_surface_velocity(loaded, (tl_material){0}, velocity));
    assert_true(velocity[0] == 0.3 && velocity[1] == 0.1 && velocity[2] == -0.2);
    for (int k = 0; k < 2; k++) {
        tl_world *const all[3] = {world, other, loaded};
        for (int i = 0; i < 3; i++) {
            step(all[i], 30);
            assert_true(tl_world_hash(all[i]) == tl_world_hash(world));
        }
        for (int i = 0; i < 3 && !k; i++)
            assert_ok(tl_world_remove_bodies(all[i], 1, &gone));
        assert_int_equal(moments(loaded), moments(world));
        assert_int_equal(moments(other), moments(world));
    }
    tl_world_destroy(world);
    tl_world_destroy(other);
    tl_world_destroy(loaded);
}

static void test_goes_on(void **state)
{
    (void)state;
    for_each_precision(goes_on);
}

/* Moments are there when rolling friction comes, and gone when it goes. */
static void comes_and_goes(const variant *v)
{
    tl_world *world = heap(v, 1);
    tl_pair_def pair;
    step(world, 40);
    assert_true(moments(world) > 0);
    for (int on = 0; on < 2; on++) {
        for (uint32_t i = 0; i < 256; i++) {
            const tl_material a = {i / 16}, b = {i % 16};
            if (tl_world_pair(world, a, b, &pair) != TL_OK)
                continue;
            pair.rolling_friction = pair.spinning_friction = on ? 0.1 : 0;
            assert_ok(tl_world_set_pair(world, a, b, &pair));
        }
        step(world, 5);
        assert_true(on ? moments(world) > 0 : moments(world) == 0);
    }
    tl_world_destroy(world);
}

static void test_comes_and_goes(void **state)
{
    (void)state;
    for_each_precision(comes_and_goes);
}

static void test_refused(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_world *world = heap(&v, 1);
    double velocity[3] = {0, NAN, 0};
    assert_refused(tl_world_set_surface_velocity(world, (tl_material){0}, velocity),
                   TL_BAD_ARGUMENT,
                   "material.surface_velocity is (0, nan, 0); every component must "
                   "be -1e9 to 1e9");
    assert_status(tl_world_set_surface_velocity(world, (tl_material){99}, velocity), TL_BAD_HANDLE);
    assert_refused(tl_world_set_surface_velocity(NULL, (tl_material){0}, velocity), TL_BAD_ARGUMENT,
                   "tl_world_set_surface_velocity: world is NULL");
    assert_refused(tl_world_set_surface_velocity(world, (tl_material){0}, NULL), TL_BAD_ARGUMENT,
                   "tl_world_set_surface_velocity: velocity is NULL");
    assert_status(tl_world_surface_velocity(world, (tl_material){99}, velocity), TL_BAD_HANDLE);
    assert_refused(tl_world_surface_velocity(world, (tl_material){0}, NULL), TL_BAD_ARGUMENT,
                   "tl_world_surface_velocity: velocity is NULL");
    assert_refused(tl_world_set_pair(world, (tl_material){0}, (tl_material){0}, NULL),
                   TL_BAD_ARGUMENT, "tl_world_set_pair: pair is NULL");
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_comes_and_goes),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("materials", tests, NULL, NULL);
}
