/* tl_last_error(): the parts of a message that programs need: status, subject, field and bodies. */
#include "support.h"

#include <pthread.h>

/* Compares every part. `text` must be subject, field and rest put together. */
static void assert_error(tl_status status, const char *subject, size_t index, const char *field,
                         const char *rest, uint32_t first, uint32_t second)
{
    const tl_error e = tl_last_error();
    char whole[512], place[64] = "";
    assert_string_equal(tl_status_name(e.status), tl_status_name(status));
    assert_string_equal(e.subject, subject);
    assert_true(e.index == index);
    assert_string_equal(e.field, field);
    assert_string_equal(e.rest, rest);
    assert_ptr_equal(e.text, tl_last_message());
    if (index != TL_NO_INDEX)
        snprintf(place, sizeof place, "[%zu]", index);
    snprintf(whole, sizeof whole, "%s%s%s%s%s", subject, place, subject[0] ? "." : "", field, rest);
    assert_string_equal(e.text, whole);
    assert_int_equal(e.bodies[0].index, first);
    assert_int_equal(e.bodies[0].generation, first ? 1 : 0);
    assert_int_equal(e.bodies[1].index, second);
    assert_int_equal(e.bodies[1].generation, second ? 1 : 0);
}

/* Runs first, before anything failed. */
static void nothing_at_first(void **state)
{
    (void)state;
    const tl_error e = tl_last_error();
    assert_int_equal(e.status, TL_OK);
    assert_string_equal(e.text, "");
    assert_string_equal(e.subject, "");
    assert_string_equal(e.field, "");
    assert_string_equal(e.rest, "");
    assert_true(e.index == TL_NO_INDEX);
    assert_int_equal(e.bodies[0].index, 0);
    assert_int_equal(e.bodies[1].index, 0);
}

static void fields_of_definitions(void **state)
{
    (void)state;
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    tl_shape_def shapes[2] = {tl_sphere_default(1), tl_sphere_default(-1)};
    tl_body_def defs[3] = {tl_body_default(), tl_body_default(), tl_body_default()};
    for (int i = 0; i < 3; i++) {
        defs[i].shapes = shapes;
        defs[i].shape_count = i == 2 ? 2 : 1;
    }
    assert_status(tl_scene_add_bodies(scene, 3, defs, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "bodies", 2, "shapes[1].radius", " is -1; it must be > 0", 0, 0);
    defs[1].density = NAN;
    assert_status(tl_scene_add_bodies(scene, 3, defs, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "bodies", 1, "density", " is nan; it must be finite and >= 0", 0,
                 0);
    shapes[0].material.index = 7;
    assert_status(tl_scene_add_bodies(scene, 1, defs, NULL), TL_BAD_HANDLE);
    assert_error(TL_BAD_HANDLE, "bodies", 0, "shapes[0].material",
                 ": 7 is no material of this scene (it has 0)", 0, 0);
    tl_scene_destroy(scene);
}

static void fields_of_others(void **state)
{
    (void)state;
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    tl_settings settings = tl_settings_default();
    settings.solver.omega = 2;
    assert_status(tl_scene_set_settings(scene, &settings), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "settings", TL_NO_INDEX, "solver.omega",
                 " is 2; it must be above 0 and below 2, or 0 for the solver's own", 0, 0);
    settings = tl_settings_default();
    settings.solver.kind = (tl_solver_kind)9;
    assert_status(tl_scene_set_settings(scene, &settings), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "settings", TL_NO_INDEX, "solver.kind",
                 " is 9; it must be TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG or TL_INTERIOR", 0, 0);
    assert_status(tl_scene_set_settings(scene, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "", TL_NO_INDEX, "settings", " is NULL; it must not be", 0, 0);

    tl_fill_def fill = tl_fill_default();
    fill.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    fill.size.radius = 0.25;
    fill.count = 9;
    assert_status(tl_scene_fill(scene, &fill, NULL, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "fill", TL_NO_INDEX, "count", " is 9; only 8 spheres fit", 0, 0);
    fill.region.high[2] = 0.25;
    assert_status(tl_scene_fill(scene, &fill, NULL, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "fill", TL_NO_INDEX, "region",
                 ": high - low is (1, 1, 0.25); a sphere of the largest radius, 0.25, must fit in",
                 0, 0);
    tl_scene_destroy(scene);
}

static void bodies_of_scenes(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    tl_body floor = add_floor(scene, (tl_material){0});
    tl_event_def event = tl_event_default();
    const tl_body bodies[] = {floor, {8, 1}};
    tl_force_def force = tl_force_default();
    force.body = floor;
    assert_status(tl_scene_add_force(scene, &force), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "force", TL_NO_INDEX, "body",
                 ": index 1 is fixed; it must be dynamic", 1, 0);
    event.bodies = bodies;
    event.body_count = 2;
    assert_status(tl_scene_add_event(scene, &event), TL_BAD_HANDLE);
    assert_error(TL_BAD_HANDLE, "event", TL_NO_INDEX, "bodies[1]",
                 ": index 8, generation 1 is no body of this scene (it has 1)", 8, 0);
    tl_scene_destroy(scene);
}

static void bodies_of_worlds(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    settings.max_speed = 1;
    tl_scene *scene = scene_with(&settings);
    tl_world *world = NULL;
    const tl_body nobody = {9, 1};
    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){9, 0, 0}, (double[3]){0, 0, 0});
    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0.5, 0, 0}, (double[3]){0, 0, 0});
    assert_status(tl_world_create(scene, &world), TL_OVERLAPPING);
    assert_error(TL_OVERLAPPING, "", TL_NO_INDEX, "", tl_last_message(), 2, 3);
    assert_status(tl_world_remove_bodies(world, 1, &nobody), TL_BAD_HANDLE);
    assert_error(TL_BAD_HANDLE, "", TL_NO_INDEX, "", tl_last_message(), 9, 0);
    settings.precision = TL_DOUBLE;
    assert_status(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "settings", TL_NO_INDEX, "precision",
                 " cannot change once the world is made", 0, 0);
    assert_ok(tl_world_remove_bodies(world, 2, (tl_body[2]){{2, 1}, {3, 1}}));
    assert_status(tl_world_step(world, 100, NULL), TL_DIVERGED); /* it falls past 1 m/s */
    assert_error(TL_DIVERGED, "", TL_NO_INDEX, "", tl_last_message(), 1, 0);
    tl_world_destroy(world);

    add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0, 2e12, 0}, (double[3]){0, 0, 0});
    assert_status(tl_world_create(scene, &world), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "", TL_NO_INDEX, "", tl_last_message(), 4, 0);
    tl_scene_destroy(scene);
}

static void refuse_something(void)
{
    tl_settings settings = tl_settings_default();
    settings.step = -1;
    assert_status(tl_scene_set_settings(NULL, &settings), TL_BAD_ARGUMENT);
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    assert_status(tl_scene_set_settings(scene, &settings), TL_BAD_ARGUMENT);
    tl_scene_destroy(scene);
}

/* A success leaves the last failure, as it leaves its message; another failure replaces all of it.
 */
static void lasts_until_the_next_failure(void **state)
{
    (void)state;
    bodies_of_worlds(NULL);
    assert_int_equal(tl_last_error().bodies[0].index, 4);
    refuse_something();
    assert_error(TL_BAD_ARGUMENT, "settings", TL_NO_INDEX, "step",
                 " is -1; it must be finite and > 0", 0, 0);
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    tl_scene_destroy(scene);
    assert_string_equal(tl_last_error().field, "step");
    assert_status(tl_world_step(NULL, 1, NULL), TL_BAD_ARGUMENT);
    assert_error(TL_BAD_ARGUMENT, "", TL_NO_INDEX, "", "tl_world_step: world is NULL", 0, 0);
}

static void *fail_in_thread(void *argument)
{
    nothing_at_first(NULL);
    bodies_of_scenes(NULL);
    *(bool *)argument = true;
    return NULL;
}

static void belongs_to_the_thread(void **state)
{
    (void)state;
    pthread_t thread;
    bool done = false;
    refuse_something();
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &done), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(done);
    assert_error(TL_BAD_ARGUMENT, "settings", TL_NO_INDEX, "step",
                 " is -1; it must be finite and > 0", 0, 0);
}

static void keep_field(tl_log_level level, const char *text, void *user)
{
    (void)level;
    assert_string_equal(text, tl_last_error().text);
    snprintf(user, 32, "%s", tl_last_error().field);
}

/* The log is called when the parts are there. */
static void the_log_sees_it(void **state)
{
    (void)state;
    char field[32] = "";
    tl_set_log(keep_field, field);
    refuse_something();
    tl_set_log(NULL, NULL);
    assert_string_equal(field, "step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_at_first),      cmocka_unit_test(fields_of_definitions),
        cmocka_unit_test(fields_of_others),      cmocka_unit_test(bodies_of_scenes),
        cmocka_unit_test(bodies_of_worlds),      cmocka_unit_test(lasts_until_the_next_failure),
        cmocka_unit_test(belongs_to_the_thread), cmocka_unit_test(the_log_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
