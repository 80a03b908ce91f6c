/* What worlds refuse and what they say: NULL arguments, stale handles, wrong counts, batches with a
 * bad item, settings that cannot change; and that a refused call changes nothing. */
#include "support.h"

/* ---- What the library says, in one place ---- */

#define SAYS_NULL(function, argument) #function ": " argument " is NULL"
#define SAYS_COUNT(function, count)   #function ": count is " count "; this world has 5 bodies"
#define SAYS_STALE(function, place, index) \
#function ": " place " (index " index ", generation 1) is no body of this world"
#define SAYS_TWICE     "tl_world_remove_bodies: bodies[1] (index 3) is named twice"
#define SAYS_CONTACTS  "tl_world_read_contacts: count is 3; this world has 4 contacts"
#define SAYS_VELOCITY  "tl_world_write_velocities: body 0 of the list is not dynamic"
#define SAYS_FORCE     "tl_world_add_force: body 1 is not dynamic; forces act on dynamic bodies"
#define SAYS_PRECISION "settings.precision cannot change once the world is made"
#define SAYS_BACKEND                                                                              \
    "settings.backend cannot change once the world is made; tl_world_load_on() takes a snapshot " \
    "to another"
#define SAYS_NAN                                                                     \
    "tl_world_write_velocities: velocities[1] is nan; it must be finite and within " \
    "settings.max_speed = 100000"
#define SAYS_SPIN "tl_world_write_velocities: angular[1] is nan; it must be finite"

static void test_null_arguments(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED), *out = world;
    tl_scene *scene = NULL;
    tl_body body = {2, 1};
    tl_body_def def = tl_body_default();
    tl_force_def force = tl_force_default();
    tl_settings settings = tl_settings_default();
    tl_report report;
    tl_contact contact[4];
    double row[4];
    assert_ok(tl_scene_create(&scene));
    step(world, 1);
#define REFUSE(function, argument, ...) \
    assert_refused(function(__VA_ARGS__), TL_BAD_ARGUMENT, SAYS_NULL(function, argument))
    REFUSE(tl_world_create, "scene", NULL, &out);
    assert_null(out);
    REFUSE(tl_world_create, "world", scene, NULL);
    REFUSE(tl_world_step, "world", NULL, 1, &report);
    REFUSE(tl_world_find_contacts, "world", NULL);
    REFUSE(tl_world_set_settings, "world", NULL, &settings);
    REFUSE(tl_world_set_settings, "settings", world, NULL);
    REFUSE(tl_world_add_bodies, "world", NULL, 1, &def, &body);
    REFUSE(tl_world_add_bodies, "defs", world, 1, NULL, NULL);
    REFUSE(tl_world_remove_bodies, "world", NULL, 1, &body);
    REFUSE(tl_world_remove_bodies, "bodies", world, 1, NULL);
    REFUSE(tl_world_add_force, "world", NULL, &force);
    REFUSE(tl_world_add_force, "def", world, NULL);
    REFUSE(tl_world_list_bodies, "world", NULL, 1, &body);
    REFUSE(tl_world_list_bodies, "bodies", world, 5, NULL);
    body = (tl_body){2, 1};
    REFUSE(tl_world_read_positions, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_positions, "positions", world, 1, &body, NULL);
    REFUSE(tl_world_read_orientations, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_orientations, "orientations", world, 1, &body, NULL);
    REFUSE(tl_world_read_velocities, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_velocities, "velocities", world, 1, &body, NULL);
    REFUSE(tl_world_read_angular_velocities, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_angular_velocities, "angular", world, 1, &body, NULL);
    REFUSE(tl_world_read_masses, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_masses, "masses", world, 1, &body, NULL);
    REFUSE(tl_world_read_inertias, "world", NULL, 1, &body, row);
    REFUSE(tl_world_read_inertias, "inertias", world, 1, &body, NULL);
    REFUSE(tl_world_write_velocities, "world", NULL, 1, &body, row, row);
    REFUSE(tl_world_read_contacts, "world", NULL, 4, contact);
    REFUSE(tl_world_read_contacts, "contacts", world, 4, NULL);
#undef REFUSE
    assert_near(tl_world_settings(NULL).step, 0, 0);
    assert_near(tl_world_time(NULL), 0, 0);
    assert_int_equal(tl_world_body_count(NULL) + tl_world_contact_count(NULL), 0);
    assert_false(tl_world_has_body(NULL, (tl_body){1, 1}));
    assert_true(tl_world_hash(NULL) == 0);
    assert_string_equal(tl_world_backend(NULL), "");
    tl_world_destroy(NULL);
    tl_scene_destroy(scene);
    tl_world_destroy(world);
}

/* Every call that takes a handle refuses a stale one, none, and one of another generation. */
static void test_stale_handles(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    const tl_body gone = {3, 1}, list[2] = {{2, 1}, {3, 1}};
    double rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    tl_force_def force = tl_force_default();
    assert_ok(tl_world_remove_bodies(world, 1, &gone));
    force.body = gone;

    assert_false(tl_world_has_body(world, gone));
    assert_false(tl_world_has_body(world, (tl_body){0, 0}));
    assert_false(tl_world_has_body(world, (tl_body){2, 2}));
    assert_false(tl_world_has_body(world, (tl_body){UINT32_MAX, 1}));
    assert_refused(tl_world_read_positions(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_positions, "bodies[1]", "3"));
    for (int i = 0; i < 6; i++)
        assert_near(rows[i], 0, 0); /* outputs of a failed call are zeroed */
    assert_refused(tl_world_read_orientations(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_orientations, "bodies[1]", "3"));
    assert_refused(tl_world_read_velocities(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_velocities, "bodies[1]", "3"));
    assert_refused(tl_world_read_angular_velocities(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_angular_velocities, "bodies[1]", "3"));
    assert_refused(tl_world_read_masses(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_masses, "bodies[1]", "3"));
    assert_refused(tl_world_read_inertias(world, 2, list, rows), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_read_inertias, "bodies[1]", "3"));
    assert_refused(tl_world_write_velocities(world, 2, list, rows, NULL), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_write_velocities, "bodies[1]", "3"));
    assert_refused(tl_world_remove_bodies(world, 2, list), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_remove_bodies, "bodies[1]", "3"));
    assert_refused(tl_world_add_force(world, &force), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_add_force, "body", "3"));
    assert_int_equal(tl_world_body_count(world), 4);
    tl_world_destroy(world);
}

/* Refused batches change nothing. */
static void test_refused_batches(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    const tl_shape_def ball = tl_sphere_default(0.1);
    tl_body_def defs[2] = {ball_at(&ball, 3, 1), ball_at(&ball, 4, 1)};
    tl_body fresh[2] = {{8, 8}, {8, 8}};
    const tl_body twice[2] = {{3, 1}, {3, 1}}, unknown[2] = {{3, 1}, {9, 1}};
    const uint64_t hash = tl_world_hash(world);

    defs[1].mass = -1;
    assert_refused(tl_world_add_bodies(world, 2, defs, fresh), TL_BAD_ARGUMENT,
                   "bodies[1].mass is -1; it must be finite and >= 0 (0: density times volume)");
    assert_int_equal(fresh[0].index, 0);
    assert_int_equal(fresh[1].index, 0);
    assert_refused(tl_world_remove_bodies(world, 2, twice), TL_BAD_ARGUMENT, SAYS_TWICE);
    assert_refused(tl_world_remove_bodies(world, 2, unknown), TL_BAD_HANDLE,
                   SAYS_STALE(tl_world_remove_bodies, "bodies[1]", "9"));
    assert_int_equal(tl_world_body_count(world), 5);
    assert_true(tl_world_hash(world) == hash);
    tl_world_destroy(world);
}

static void test_wrong_counts(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    double rows[24];
    tl_body bodies[6];
    tl_contact contacts[8];
    assert_refused(tl_world_read_positions(world, 3, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_positions, "3"));
    assert_refused(tl_world_read_orientations(world, 6, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_orientations, "6"));
    assert_refused(tl_world_read_velocities(world, 0, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_velocities, "0"));
    assert_refused(tl_world_read_angular_velocities(world, 1, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_angular_velocities, "1"));
    assert_refused(tl_world_read_masses(world, 4, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_masses, "4"));
    assert_refused(tl_world_read_inertias(world, 4, NULL, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_read_inertias, "4"));
    assert_refused(tl_world_write_velocities(world, 4, NULL, rows, rows), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_write_velocities, "4"));
    assert_refused(tl_world_list_bodies(world, 6, bodies), TL_BAD_ARGUMENT,
                   SAYS_COUNT(tl_world_list_bodies, "6"));
    step(world, 1);
    assert_refused(tl_world_read_contacts(world, 3, contacts), TL_BAD_ARGUMENT, SAYS_CONTACTS);
    assert_ok(tl_world_read_contacts(world, 4, contacts));
    assert_ok(tl_world_read_positions(world, 0, bodies, rows));
    tl_world_destroy(world);
}

static void test_bad_values(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    const tl_body ball = {2, 1}, floor = {1, 1};
    const double good[3] = {1, 2, 3}, bad[3] = {0, NAN, 0};
    const uint64_t hash = tl_world_hash(world);
    tl_settings settings = tl_world_settings(world);
    tl_force_def force = tl_force_default();
    force.body = floor;
    assert_refused(tl_world_write_velocities(world, 1, &floor, good, NULL), TL_BAD_ARGUMENT,
                   SAYS_VELOCITY);
    assert_refused(tl_world_write_velocities(world, 1, &ball, bad, good), TL_BAD_ARGUMENT,
                   SAYS_NAN);
    assert_refused(tl_world_write_velocities(world, 1, &ball, good, bad), TL_BAD_ARGUMENT,
                   SAYS_SPIN);
    assert_refused(tl_world_add_force(world, &force), TL_BAD_ARGUMENT, SAYS_FORCE);
    tl_shape_def far = tl_box_default(1, 1, 1); /* a snapshot could not hold its origin */
    tl_body_def body = tl_body_default();
    far.position[0] = 1e12;
    body.shapes = &far;
    body.shape_count = 1;
    body.position[0] = -1e12;
    assert_refused(tl_world_add_bodies(world, 1, &body, NULL), TL_BAD_ARGUMENT,
                   "body 6: its shapes are too far from its origin; lengths must be below 1e+12 m");
    settings.step = 0;
    assert_refused(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT,
                   "settings.step is 0; it must be finite and > 0");
    settings.step = 0.02;
    settings.precision = TL_DOUBLE;
    assert_refused(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT, SAYS_PRECISION);
    settings.precision = TL_MIXED;
    settings.backend = TL_BACKEND_CUDA;
    assert_refused(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT, SAYS_BACKEND);
    assert_near(tl_world_settings(world).step, 1.0 / 200, 0);
    assert_true(tl_world_hash(world) == hash);
    tl_world_destroy(world);
}

/* Asserts that a call fails and leaves nothing but zeros in `out`, which was full of others. */
#define ZEROED(out, call)                                    \
    do {                                                     \
        memset(&(out), 0x55, sizeof(out));                   \
        assert_true((call) < 0);                             \
        for (size_t i_ = 0; i_ < sizeof(out); i_++)          \
            assert_int_equal(((const char *)&(out))[i_], 0); \
    } while (0)

static void test_outputs(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    const tl_body ball = {2, 1};
    const tl_joint joints[2] = {{5}, {6}};
    const tl_material none = {9}, first = {0};
    double x[1][3], q[1][4], mass[1];
    tl_joint_state states[2];
    tl_joint_def joint;
    tl_pair_def pair;
    tl_rod_info rod;
    tl_report report;
    tl_contact_problem *problem;
    ZEROED(x, tl_world_read_positions(NULL, 1, &ball, x[0]));
    ZEROED(q, tl_world_read_orientations(NULL, 1, NULL, q[0]));
    ZEROED(x, tl_world_read_velocities(NULL, 1, &ball, x[0]));
    ZEROED(x, tl_world_read_angular_velocities(NULL, 1, &ball, x[0]));
    ZEROED(mass, tl_world_read_masses(NULL, 1, &ball, mass));
    ZEROED(x, tl_world_read_inertias(NULL, 1, &ball, x[0]));
    ZEROED(states, tl_world_read_joints(world, 2, joints, states));
    ZEROED(joint, tl_world_joint(world, joints[0], &joint));
    ZEROED(joint, tl_world_joint(NULL, joints[0], &joint));
    ZEROED(pair, tl_world_pair(world, first, none, &pair));
    ZEROED(pair, tl_world_pair(NULL, first, first, &pair));
    ZEROED(x, tl_world_surface_velocity(world, none, x[0]));
    ZEROED(x, tl_world_surface_velocity(NULL, first, x[0]));
    ZEROED(rod, tl_world_rod(world, 0, &rod));
    ZEROED(rod, tl_world_rod(NULL, 0, &rod));
    ZEROED(report, tl_world_advance(world, 1, &report));
    ZEROED(report, tl_world_advance(NULL, 1, &report));
    ZEROED(problem, tl_world_contact_problem(NULL, &problem));
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_arguments),  cmocka_unit_test(test_stale_handles),
        cmocka_unit_test(test_refused_batches), cmocka_unit_test(test_wrong_counts),
        cmocka_unit_test(test_bad_values),      cmocka_unit_test(test_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
