/* Joints as an interface: adding, removing, reading, refusals; same bits for threads, for snapshots
 * that are resumed, and after edits. */
#include "../physics/joints.h"

static tl_scene *machine(uint32_t threads, tl_precision precision)
{
    variant v = joint_variant();
    v.precision = precision;
    tl_settings s = settings_for(&v, 0.005);
    s.threads = threads;
    s.solver.iterations = 30;
    return machine_scene(&s);
}

static void poses_of(tl_world *world, double *out, size_t bodies)
{
    tl_body handles[64];
    for (size_t i = 0; i < bodies; i++)
        handles[i] = (tl_body){(uint32_t)i + 2, 1};
    assert_ok(tl_world_read_positions(world, bodies, handles, out));
    assert_ok(tl_world_read_velocities(world, bodies, handles, out + 3 * bodies));
}

static void test_threads(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        double first[6 * 18], other[6 * 18];
        uint64_t hash = 0;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            tl_world *world = world_of(machine(threads, p ? TL_MIXED : TL_DOUBLE));
            const tl_report r = step_report(world, 300);
            assert_below(r.joint_error, p ? 1e-6 : 1e-8);
            assert_above((double)r.contacts, 4);
            poses_of(world, threads == 1 ? first : other, 18);
            hash = threads == 1 ? tl_world_hash(world) : hash;
            assert_true(tl_world_hash(world) == hash);
            if (threads > 1)
                assert_memory_equal(first, other, sizeof first);
            tl_world_destroy(world);
        }
    }
}

static void test_snapshot(void **state)
{
    (void)state;
    tl_world *world = world_of(machine(1, TL_DOUBLE)), *again = NULL;
    double first[6 * 18], other[6 * 18];
    tl_joint_state one[8], two[8];
    void *bytes;
    size_t count;
    step(world, 150);
    assert_ok(tl_world_save(world, &bytes, &count));
    assert_ok(tl_world_load(bytes, count, &again));
    tl_snapshot_free(bytes, count);
    assert_int_equal(tl_world_joint_count(again), 8);
    step(world, 100);
    step(again, 100);
    poses_of(world, first, 18);
    poses_of(again, other, 18);
    assert_memory_equal(first, other, sizeof first);
    assert_ok(tl_world_read_joints(world, 8, NULL, one));
    assert_ok(tl_world_read_joints(again, 8, NULL, two));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++) {
            assert_true(one[i].value[k] == two[i].value[k]);
            assert_true(one[i].motor[k] == two[i].motor[k]);
        }
    tl_world_destroy(world);
    tl_world_destroy(again);
}

/* The hash tells joints apart that have done different things to bodies in the same state. */
static void test_hash(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        const variant v = joint_variant();
        tl_scene *scene = scene_for(&v, 1e-3);
        const put body = put_link(scene, 0.1, 0.1, 0.1, 1, 0, 0, 0);
        tl_joint_def weld = joint_at(TL_JOINT_FIXED, ground, body, body.x, joint_z);
        weld.break_force = i ? 1 : 100; /* it breaks in the first step, which it still holds */
        add_joint(scene, &weld);
        tl_world *world = world_of(scene), *again = NULL;
        void *bytes;
        size_t count;
        step(world, 1);
        hash[i] = tl_world_hash(world);
        assert_ok(tl_world_save(world, &bytes, &count));
        assert_ok(tl_world_load(bytes, count, &again));
        tl_snapshot_free(bytes, count);
        assert_true(tl_world_hash(again) == hash[i]);
        tl_world_destroy(world);
        tl_world_destroy(again);
    }
    assert_true(hash[0] != hash[1]);
}

static void test_edits(void **state)
{
    (void)state;
    tl_world *world = world_of(machine(1, TL_DOUBLE));
    tl_joint handles[9], added;
    step(world, 10);
    assert_ok(tl_world_list_joints(world, handles));
    assert_int_equal(handles[7].index, 8);
    assert_ok(tl_world_remove_joint(world, handles[4]));
    assert_int_equal(tl_world_joint_count(world), 7);
    assert_int_equal(step_report(world, 5).articulations, 2);
    assert_refused(tl_world_remove_joint(world, handles[4]), TL_BAD_HANDLE,
                   "tl_world_remove_joint: joint 5 is no joint of this world");
    tl_joint_def rope = tl_joint_default(TL_JOINT_DISTANCE);
    rope.a = (tl_body){5, 1};
    rope.b = (tl_body){6, 1};
    rope.rope = true;
    rope.length = 0;
    assert_ok(tl_world_add_joint(world, &rope, &added));
    assert_int_equal(added.index, 9); /* never used again */
    assert_int_equal(step_report(world, 5).articulations, 1);
    assert_ok(tl_world_remove_bodies(world, 1, &(tl_body){3, 1}));
    assert_int_equal(tl_world_joint_count(world), 6); /* its two went with it */
    step(world, 50);
    assert_ok(tl_world_list_joints(world, handles));
    const uint32_t left[6] = {1, 4, 6, 7, 8, 9};
    for (int i = 0; i < 6; i++)
        assert_int_equal(handles[i].index, left[i]);
    tl_joint_def def;
    assert_ok(tl_world_joint(world, (tl_joint){4}, &def));
    assert_int_equal(def.kind, TL_JOINT_REVOLUTE);
    assert_ok(tl_world_set_drive(world, (tl_joint){4}, 5, -1));
    assert_refused(tl_world_set_drive(world, (tl_joint){6}, 5, -1), TL_BAD_ARGUMENT,
                   "tl_world_set_drive: joint 6 has no motor on axis 5");
    tl_world_destroy(world);
}

/* A joint that cannot be closed is refused, and nothing has changed. */
static void test_refused(void **state)
{
    (void)state;
    tl_world *world = world_of(machine(1, TL_DOUBLE)), *other = world_of(machine(1, TL_DOUBLE));
    double first[6 * 18], second[6 * 18];
    tl_joint_def far = tl_joint_default(TL_JOINT_SPHERICAL);
    far.b = (tl_body){9, 1};
    far.position_a[0] = 100;
    step(world, 20);
    step(other, 20);
    assert_status(tl_world_add_joint(world, &far, NULL), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "it cannot be closed together with the others"));
    far.b.index = 77;
    assert_status(tl_world_add_joint(world, &far, NULL), TL_BAD_HANDLE);
    step(world, 20);
    step(other, 20);
    poses_of(world, first, 18);
    poses_of(other, second, 18);
    assert_memory_equal(first, second, sizeof first);
    tl_world_destroy(world);
    tl_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_hash), cmocka_unit_test(test_edits), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
