/* What scenes refuse of emitters, events and boundaries: every rule with the message it gives, and
 * that a refused one leaves no trace. */
#include "support.h"

#include "scene/scene.h"

#define BAD TL_BAD_ARGUMENT

static tl_scene *two_balls(void)
{
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    for (int i = 0; i < 2; i++)
        add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){i, 0, 0}, (double[3]){0, 0, 0});
    return scene;
}

static tl_emitter_def sound_emitter(void)
{
    tl_emitter_def def = tl_emitter_default();
    def.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){1, 2, 3});
    def.size.radius = 0.25;
    def.rate = 10;
    return def;
}

#define EMITTER(status, text, ...)                                     \
    do {                                                               \
        tl_emitter_def d = sound_emitter();                            \
        __VA_ARGS__;                                                   \
        assert_refused(tl_scene_add_emitter(scene, &d), status, text); \
        assert_int_equal(scene->schedule.emitters.count, 0);           \
    } while (0)

static void test_emitters(void **state)
{
    (void)state;
    tl_scene *scene = two_balls();
    context("emitters");
    EMITTER(BAD,
            "emitter.region.kind is 9; it must be TL_REGION_BOX, TL_REGION_CYLINDER or "
            "TL_REGION_SPHERE",
            d.region.kind = (tl_region_kind)9);
    EMITTER(BAD,
            "emitter.region.high is (1, 2, inf); every component must be finite and below 1e12",
            d.region.high[2] = INFINITY);
    EMITTER(BAD,
            "emitter.region: high - low is (0.25, 2, 3); a sphere of the largest radius, "
            "0.25, must fit in",
            d.region.high[0] = 0.25);
    EMITTER(BAD, "emitter.size.radius is 0; it must be finite and > 0", d.size.radius = 0);
    EMITTER(BAD, "emitter.rate is 0; it must be finite and > 0", d.rate = 0);
    EMITTER(BAD, "emitter.rate is -1; it must be finite and > 0", d.rate = -1);
    EMITTER(BAD, "emitter.rate is nan; it must be finite and > 0", d.rate = NAN);
    EMITTER(BAD, "emitter.rate is inf; it must be finite and > 0", d.rate = INFINITY);
    EMITTER(BAD, "emitter.start is -0.5; it must be finite and >= 0", d.start = -0.5);
    EMITTER(BAD, "emitter.start is inf; it must be finite and >= 0", d.start = INFINITY);
    EMITTER(BAD, "emitter.stop is 2; it must be after start (infinity: never)", d.start = 2;
            d.stop = 2);
    EMITTER(BAD, "emitter.stop is nan; it must be after start (infinity: never)", d.stop = NAN);
    EMITTER(BAD, "emitter.interval is 0; it must be finite and > 0", d.interval = 0);
    EMITTER(BAD, "emitter.interval is inf; it must be finite and > 0", d.interval = INFINITY);
    EMITTER(BAD, "emitter.density is -1; it must be finite and > 0", d.density = -1);
    EMITTER(BAD, "emitter.velocity is (nan, 0, 0); every component must be finite",
            d.velocity[0] = NAN);
    EMITTER(TL_BAD_HANDLE, "emitter.material: 3 is no material of this scene (it has 0)",
            d.material.index = 3);
    const tl_emitter_def def = sound_emitter();
    assert_refused(tl_scene_add_emitter(NULL, &def), BAD, "scene is NULL; it must not be");
    assert_refused(tl_scene_add_emitter(scene, NULL), BAD, "def is NULL; it must not be");
    assert_ok(tl_scene_add_emitter(scene, &def));
    assert_int_equal(scene->schedule.emitters.count, 1);
    tl_shape_def box = tl_box_default(0.1, 0.1, 0.1);
    tl_template_def template = {0, 1, &box};
    tl_emitter_def pour = sound_emitter();
    pour.size = (tl_size_def){.kind = TL_SIZE_EQUAL, .radius = 1};
    pour.template_count = 1;
    assert_refused(tl_scene_add_emitter(scene, &pour), TL_BAD_ARGUMENT,
                   "templates is NULL; it must not be");
    pour.templates = &template;
    assert_refused(tl_scene_add_emitter(scene, &pour), TL_BAD_ARGUMENT,
                   "emitter.templates[0].weight is 0; it must be finite and > 0");
    template.weight = 1;
    template.shape_count = 0;
    assert_refused(tl_scene_add_emitter(scene, &pour), TL_BAD_ARGUMENT,
                   "emitter.templates[0].shapes is empty; a template needs a shape at least");
    tl_scene_destroy(scene);
}

#define EVENT(status, text, ...)                                     \
    do {                                                             \
        const tl_body both[2] = {{1, 1}, {2, 1}};                    \
        tl_event_def d = tl_event_default();                         \
        d.body_count = 2;                                            \
        d.bodies = both;                                             \
        __VA_ARGS__;                                                 \
        assert_refused(tl_scene_add_event(scene, &d), status, text); \
        assert_int_equal(scene->schedule.events.count, 0);           \
    } while (0)

static void test_events(void **state)
{
    (void)state;
    tl_scene *scene = two_balls();
    const tl_body strange[3] = {{1, 1}, {2, 1}, {3, 1}}, stale[1] = {{2, 2}}, none[1] = {{0, 0}};
    context("events");
    EVENT(BAD, "event.kind is 3; it must be TL_EVENT_REMOVE, TL_EVENT_GRAVITY or TL_EVENT_MOTION",
          d.kind = (tl_event_kind)3);
    EVENT(BAD, "event.bodies[0]: body 1 is not prescribed; only such bodies have a motion",
          d.kind = TL_EVENT_MOTION);
    EVENT(BAD, "event.time is -1; it must be finite and >= 0", d.time = -1);
    EVENT(BAD, "event.time is nan; it must be finite and >= 0", d.time = NAN);
    EVENT(BAD, "event.time is inf; it must be finite and >= 0", d.time = INFINITY);
    EVENT(BAD, "event.gravity is (0, 0, nan); every component must be finite",
          d.kind = TL_EVENT_GRAVITY;
          d.gravity[2] = NAN);
    EVENT(BAD, "event.body_count is 0; it must be >= 1", d.body_count = 0);
    EVENT(TL_TOO_LARGE, "event.body_count is 4294967296; it must be at most 2147483646",
          d.body_count = (size_t)1 << 32);
    EVENT(BAD, "event.bodies is NULL; it must point to body_count bodies", d.bodies = NULL);
    EVENT(TL_BAD_HANDLE,
          "event.bodies[2]: index 3, generation 1 is no body of this scene (it has 2)",
          d.bodies = strange;
          d.body_count = 3);
    EVENT(TL_BAD_HANDLE,
          "event.bodies[0]: index 2, generation 2 is no body of this scene (it has 2)",
          d.bodies = stale;
          d.body_count = 1);
    EVENT(TL_BAD_HANDLE,
          "event.bodies[0]: index 0, generation 0 is no body of this scene (it has 2)",
          d.bodies = none;
          d.body_count = 1);
    tl_event_def def = tl_event_default();
    assert_refused(tl_scene_add_event(NULL, &def), BAD, "scene is NULL; it must not be");
    assert_refused(tl_scene_add_event(scene, NULL), BAD, "def is NULL; it must not be");
    def.kind = TL_EVENT_GRAVITY; /* which needs no bodies */
    assert_ok(tl_scene_add_event(scene, &def));
    assert_int_equal(scene->schedule.events.count, 1);
    tl_scene_destroy(scene);
}

#define BOUNDARY(text, ...)                                                   \
    do {                                                                      \
        tl_boundary_def d = tl_boundary_default();                            \
        d.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1}); \
        __VA_ARGS__;                                                          \
        assert_refused(tl_scene_add_boundary(scene, &d), BAD, text);          \
        assert_int_equal(scene->schedule.boundaries.count, 0);                \
    } while (0)

static void test_boundaries(void **state)
{
    (void)state;
    tl_scene *scene = two_balls();
    context("boundaries");
    BOUNDARY("boundary.region.kind is 3; it must be TL_REGION_BOX, TL_REGION_CYLINDER or "
             "TL_REGION_SPHERE",
             d.region.kind = (tl_region_kind)3);
    BOUNDARY("boundary.region.low is (nan, 0, 0); no component may be nan", d.region.low[0] = NAN);
    BOUNDARY("boundary.region.high is (1, 0, 1); each coordinate must be above region.low's",
             d.region.high[1] = 0);
    BOUNDARY("boundary.region.high is (-inf, 1, 1); each coordinate must be above region.low's",
             d.region.low[0] = d.region.high[0] = -INFINITY);
    BOUNDARY("boundary.region.radius is 0; it must be > 0 and below 1e12",
             d.region.kind = TL_REGION_SPHERE);
    BOUNDARY("boundary.region.axis is (0, 0, 0); its length must be above 1e-12",
             d.region.kind = TL_REGION_CYLINDER;
             d.region.radius = 1);
    BOUNDARY("boundary.interval is 0; it must be finite and > 0", d.interval = 0);
    BOUNDARY("boundary.interval is nan; it must be finite and > 0", d.interval = NAN);
    tl_boundary_def def = tl_boundary_default();
    assert_refused(tl_scene_add_boundary(NULL, &def), BAD, "scene is NULL; it must not be");
    assert_refused(tl_scene_add_boundary(scene, NULL), BAD, "def is NULL; it must not be");
    assert_refused(tl_scene_add_boundary(scene, &def), BAD,
                   "boundary.region.high is (0, 0, 0); each coordinate must be above region.low's");
    for (int k = 0; k < 3; k++) {
        def.region.low[k] = -INFINITY;
        def.region.high[k] = INFINITY;
    }
    assert_ok(tl_scene_add_boundary(scene, &def));
    assert_int_equal(scene->schedule.boundaries.count, 1);
    tl_scene_destroy(scene);
}

static void test_defaults(void **state)
{
    (void)state;
    const tl_emitter_def emitter = tl_emitter_default();
    const tl_event_def event = tl_event_default();
    const tl_boundary_def boundary = tl_boundary_default();
    assert_true(emitter.start == 0 && emitter.stop == INFINITY && emitter.count == 0);
    assert_true(emitter.interval == 0.05 && emitter.seed == 1 && emitter.density == 1000);
    assert_true(event.kind == TL_EVENT_REMOVE && event.time == 0 && event.body_count == 0);
    assert_true(!boundary.remove_inside && boundary.interval == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emitters),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
