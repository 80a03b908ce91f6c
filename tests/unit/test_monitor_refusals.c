/* What tl_scene_add_monitor() refuses, with its message; a refused monitor changes nothing. And
 * what the calls that read channels refuse. */
#include "support.h"

static const tl_body_range first = {{1, 1}, 1}, both = {{1, 1}, 2}, beyond = {{2, 1}, 3};
static const uint32_t fifth = 5;

static tl_monitor_def good(tl_monitor_kind kind)
{
    tl_monitor_def def = tl_monitor_default();
    def.kind = kind;
    def.name = "new";
    if (kind == TL_MONITOR_FORCE || kind == TL_MONITOR_TORQUE)
        def.on = (tl_group_def){.range_count = 1, .ranges = &first};
    def.normal[0] = 1;
    if (kind == TL_MONITOR_RAY)
        def.axis[2] = -1;
    def.max_distance = 1;
    def.of = "old.kinetic";
    def.expression = "old.total";
    return def;
}

/* Two bodies, one emitter, one monitor "old" of three channels. */
static tl_scene *scene_of_two(void)
{
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 0, 1}, (double[3]){0, 0, 0});
    tl_emitter_def emitter = tl_emitter_default();
    emitter.region = tl_region_box((double[3]){0, 0, 2}, (double[3]){1, 1, 3});
    emitter.size.radius = 0.1;
    emitter.rate = 1;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    tl_monitor_def def = tl_monitor_default();
    def.kind = TL_MONITOR_ENERGY;
    def.name = "old";
    assert_ok(tl_scene_add_monitor(scene, &def));
    return scene;
}

static void refuse(tl_scene *scene, const tl_monitor_def *def, tl_status status, const char *text)
{
    assert_refused(tl_scene_add_monitor(scene, def), status, text);
    assert_int_equal(tl_scene_monitor_count(scene), 3);
}

#define REFUSE(KIND, change, status, text)          \
    do {                                            \
        tl_monitor_def d = good(TL_MONITOR_##KIND); \
        change;                                     \
        context("%s", #change);                     \
        refuse(scene, &d, status, text);            \
    } while (0)

static void test_names(void **state)
{
    (void)state;
    tl_scene *scene = scene_of_two();
    const char *rule = "it must be a letter or _, then letters, digits and _, or several of those "
                       "with points between them; at most 40";
    char text[200];
    REFUSE(FORCE, d.name = NULL, TL_BAD_ARGUMENT, "monitor.name is NULL; it must be a text");
    static const char *const names[] = {
        "", "2a", "a b", "a.2", "a.", ".a", "a2345678901234567890123456789012345678901"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text, "monitor.name is %s; %s", names[i], rule);
        REFUSE(FORCE, d.name = names[i], TL_BAD_ARGUMENT, text);
    }
    REFUSE(ENERGY, d.name = "old", TL_BAD_ARGUMENT,
           "monitor.name is old; another monitor has it; it must be new");
    REFUSE(MEAN, d.name = "max", TL_BAD_ARGUMENT,
           "monitor.name is max; that is built in; it must be another");
    REFUSE(EXPRESSION, d.name = "t", TL_BAD_ARGUMENT,
           "monitor.name is t; that is built in; it must be another");
    tl_monitor_def fine = good(TL_MONITOR_SPEED);
    fine.name = "max"; /* max.mean and so on hide no function */
    assert_ok(tl_scene_add_monitor(scene, &fine));
    tl_scene_destroy(scene);
}

static void test_groups(void **state)
{
    (void)state;
    tl_scene *scene = scene_of_two();
    REFUSE(
        ENERGY, d.kind = (tl_monitor_kind)17, TL_BAD_ARGUMENT,
        "monitor.kind is 17; it must be TL_MONITOR_FORCE, TL_MONITOR_TORQUE, TL_MONITOR_MASS_FLOW, "
        "TL_MONITOR_POSITION, TL_MONITOR_VELOCITY, TL_MONITOR_ANGULAR_VELOCITY, TL_MONITOR_ENERGY, "
        "TL_MONITOR_AMOUNT, TL_MONITOR_SPEED, TL_MONITOR_MEAN, TL_MONITOR_MAX, TL_MONITOR_MIN, "
        "TL_MONITOR_INTEGRAL, TL_MONITOR_EXPRESSION, TL_MONITOR_TOUCHING, "
        "TL_MONITOR_RAY or TL_MONITOR_JOINT");
    REFUSE(ENERGY, (d.kind = TL_MONITOR_JOINT, d.joint.index = 3), TL_BAD_HANDLE,
           "monitor.joint: 3 is no joint of this scene (it has 0)");
    REFUSE(ENERGY, d.on = (tl_group_def){0}, TL_BAD_ARGUMENT,
           "monitor.on is no body; it must name some, or be all");
    REFUSE(ENERGY, (d.on = (tl_group_def){.range_count = 1}), TL_BAD_ARGUMENT,
           "monitor.on: ranges or emitters is NULL");
    REFUSE(ENERGY, (d.on = (tl_group_def){.range_count = 1, .ranges = &beyond}), TL_BAD_HANDLE,
           "monitor.on.ranges[0]: 3 bodies from index 2, generation 1 are none of this scene (it "
           "has 2)");
    REFUSE(FORCE, (d.by = (tl_group_def){.emitter_count = 1, .emitters = &fifth}), TL_BAD_HANDLE,
           "monitor.by.emitters[0]: 5 is no emitter of this scene (it has 1)");
    REFUSE(
        FORCE, d.on = (tl_group_def){.all = true}, TL_BAD_ARGUMENT,
        "monitor.on is all bodies; it must be some of them, or 'by' must be: what acts on all is "
        "none");
    REFUSE(FORCE, d.shape = 1, TL_BAD_ARGUMENT,
           "monitor.shape is 1; it must be below 1, the body's number of shapes");
    REFUSE(FORCE, (d.shape = 0, d.on = (tl_group_def){.range_count = 1, .ranges = &both}),
           TL_BAD_ARGUMENT,
           "monitor.shape is 0; it must be TL_ANY_SHAPE where 'on' is not one body");
    REFUSE(TORQUE, (d.on = (tl_group_def){.range_count = 1, .ranges = &both}), TL_BAD_ARGUMENT,
           "monitor.about is not set; it must be, with a point, where 'on' is not one body");
    tl_scene_destroy(scene);
}

static void test_numbers(void **state)
{
    (void)state;
    tl_scene *scene = scene_of_two();
    REFUSE(FORCE, d.axis[1] = NAN, TL_BAD_ARGUMENT,
           "monitor.axis is (0, nan, 0); every component must be finite");
    REFUSE(MASS_FLOW, d.point[2] = INFINITY, TL_BAD_ARGUMENT,
           "monitor.point is (0, 0, inf); every component must be finite");
    REFUSE(MASS_FLOW, d.normal[2] = NAN, TL_BAD_ARGUMENT,
           "monitor.normal is (1, 0, nan); every component must be finite");
    REFUSE(MEAN, d.of = NULL, TL_BAD_ARGUMENT, "monitor.of is NULL; it must name a channel");
    REFUSE(MEAN, d.of = "old.kinetics", TL_BAD_ARGUMENT,
           "monitor.of is old.kinetics; it must name a channel of a monitor before; did you mean "
           "'old.kinetic'?");
    REFUSE(MAX, d.window = 0, TL_BAD_ARGUMENT, "monitor.window is 0; it must be above 0");
    REFUSE(MIN, d.window = NAN, TL_BAD_ARGUMENT, "monitor.window is nan; it must be above 0");
    REFUSE(EXPRESSION, d.expression = NULL, TL_BAD_ARGUMENT,
           "monitor.expression is NULL; it must be an expression of channels");
    REFUSE(EXPRESSION, d.expression = "2 * old", TL_BAD_ARGUMENT,
           "monitor.expression is \"2 * old\"; at byte 4: unknown name 'old', expected t, "
           "old.kinetic, old.potential, old.total, pi or a function");
    REFUSE(EXPRESSION, d.unit = "kilogrammes per s", TL_BAD_ARGUMENT,
           "monitor.unit is kilogrammes per s; it must be at most 15 bytes");
    tl_monitor_def d = good(TL_MONITOR_MASS_FLOW);
    d.normal[0] = 0; /* into a region, which is none */
    assert_status(tl_scene_add_monitor(scene, &d), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "monitor.region"));
    tl_scene_destroy(scene);
}

static void test_units(void **state)
{
    (void)state;
    tl_scene *scene = scene_of_two();
    static const char *const of[] = {"old.kinetic", "flow.rate", "flow.count"};
    static const char *const units[] = {"J s", "kg", "s"};
    tl_monitor_info info;
    tl_monitor_def d = good(TL_MONITOR_MASS_FLOW);
    d.name = "flow";
    assert_ok(tl_scene_add_monitor(scene, &d));
    for (size_t i = 0; i < 3; i++) {
        char name[8];
        d = good(TL_MONITOR_INTEGRAL);
        d.name = name;
        d.of = of[i];
        snprintf(name, sizeof name, "i%zu", i);
        assert_ok(tl_scene_add_monitor(scene, &d));
        assert_ok(tl_scene_monitor_info(scene, tl_scene_monitor_count(scene) - 1, &info));
        assert_string_equal(info.name, name);
        assert_string_equal(info.unit, units[i]);
    }
    assert_refused(tl_scene_monitor_info(scene, 9, &info), TL_BAD_ARGUMENT,
                   "i is 9; the scene has 9 channels of monitors");
    tl_scene_destroy(scene);
}

static void test_reading(void **state)
{
    (void)state;
    tl_world *world = world_of(scene_of_two());
    double values[4];
    tl_monitor_info info;
    assert_int_equal(tl_world_monitor_count(NULL), 0);
    assert_int_equal(tl_scene_monitor_count(NULL), 0);
    assert_refused(tl_scene_add_monitor(NULL, NULL), TL_BAD_ARGUMENT,
                   "scene is NULL; it must not be");
    assert_refused(tl_world_read_monitors(NULL, 3, values), TL_BAD_ARGUMENT,
                   "tl_world_read_monitors: world is NULL");
    assert_refused(tl_world_read_monitors(world, 4, values), TL_BAD_ARGUMENT,
                   "tl_world_read_monitors: count is 4; this world has 3 channels of monitors");
    assert_refused(tl_world_read_monitors(world, 3, NULL), TL_BAD_ARGUMENT,
                   "tl_world_read_monitors: values is NULL");
    assert_refused(
        tl_world_read_monitor_ranges(world, 2, values, values), TL_BAD_ARGUMENT,
        "tl_world_read_monitor_ranges: count is 2; this world has 3 channels of monitors");
    assert_refused(tl_world_monitor_info(world, 3, &info), TL_BAD_ARGUMENT,
                   "tl_world_monitor_info: i is 3; this world has 3 channels of monitors");
    assert_refused(tl_world_monitor_info(world, 0, NULL), TL_BAD_ARGUMENT,
                   "tl_world_monitor_info: info is NULL");
    tl_world_destroy(world);
}

static void test_rays(void **state)
{
    (void)state;
    tl_scene *scene = scene_of_two();
    REFUSE(RAY, d.axis[2] = 0, TL_BAD_ARGUMENT, "monitor.axis is (0, 0, 0); it must not be zero");
    REFUSE(RAY, d.axis[2] = NAN, TL_BAD_ARGUMENT,
           "monitor.axis is (0, 0, nan); every component must be finite");
    REFUSE(RAY, d.max_distance = 0, TL_BAD_ARGUMENT,
           "monitor.max_distance is 0; it must be > 0 and finite");
    REFUSE(RAY, d.max_distance = INFINITY, TL_BAD_ARGUMENT,
           "monitor.max_distance is inf; it must be > 0 and finite");
    REFUSE(RAY, (d.from = (tl_body){3, 1}), TL_BAD_HANDLE,
           "monitor.from: index 3, generation 1 is no body of this scene (it has 2)");
    REFUSE(RAY, (d.from = (tl_body){0, 1}), TL_BAD_HANDLE,
           "monitor.from: index 0, generation 1 is no body of this scene (it has 2)");
    REFUSE(RAY, d.on = (tl_group_def){0}, TL_BAD_ARGUMENT,
           "monitor.on is no body; it must name some, or be all");
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_units),  cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
