/* What fills refuse: every rule for regions, sizes and fills with the message it gives; the scene
 * stays as it was. */
#include "support.h"

#define BAD TL_BAD_ARGUMENT

/* A box (0), a cylinder (1) and a ball (2), each 4 m wide. */
static tl_region region_of(int kind)
{
    return (tl_region){.kind = (tl_region_kind)kind,
                       .low = {-1.2, 1, 2},
                       .high = {2.8, 5, 6},
                       .centre = {-0.4, 0.6, 1.6},
                       .axis = {0, 0, 4},
                       .radius = 2};
}

static tl_fill_def sound_fill(void)
{
    tl_fill_def def = tl_fill_default();
    def.region = region_of(0);
    def.size.radius = 0.25;
    return def;
}

/* A sound fill to spoil; the scene stays as it was and outputs are zeroed. */
#define REFUSE(status, text, ...)                                               \
    do {                                                                        \
        tl_fill_def d = sound_fill();                                           \
        uint64_t added = 9;                                                     \
        tl_body first = {9, 9};                                                 \
        __VA_ARGS__;                                                            \
        assert_refused(tl_scene_fill(scene, &d, &added, &first), status, text); \
        assert_true(!added && !first.index && !first.generation);               \
        assert_int_equal(tl_scene_body_count(scene), 0);                        \
    } while (0)

static void test_refuses_regions(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    context("regions");
    REFUSE(BAD,
           "fill.region.kind is 3; it must be TL_REGION_BOX, TL_REGION_CYLINDER or "
           "TL_REGION_SPHERE",
           d.region.kind = (tl_region_kind)3);
    REFUSE(BAD, "fill.region.low is (nan, 1, 2); no component may be nan", d.region.low[0] = NAN);
    REFUSE(BAD, "fill.region.high is (2.8, 5, nan); no component may be nan",
           d.region.high[2] = NAN);
    REFUSE(BAD, "fill.region.high is (2.8, 1, 6); each coordinate must be above region.low's",
           d.region.high[1] = 1);
    REFUSE(BAD, "fill.region.low is (-inf, 1, 2); every component must be finite and below 1e12",
           d.region.low[0] = -INFINITY);
    REFUSE(BAD, "fill.region.high is (2.8, inf, 6); every component must be finite and below 1e12",
           d.region.high[1] = INFINITY);
    REFUSE(BAD,
           "fill.region: high - low is (4, 0.375, 4); a sphere of the largest radius, 0.25, "
           "must fit in",
           d.region.high[1] = 1.375);
    REFUSE(BAD,
           "fill.region.centre is (-0.4, nan, 1.6); every component must be finite and below 1e12",
           d.region = region_of(1);
           d.region.centre[1] = NAN);
    REFUSE(BAD, "fill.region.axis is (0, 0, 0); its length must be above 1e-12",
           d.region = region_of(1);
           d.region.axis[0] = d.region.axis[1] = d.region.axis[2] = 0);
    REFUSE(BAD, "fill.region.axis is (inf, 0, 0); every component must be finite and below 1e12",
           d.region = region_of(1);
           d.region.axis[0] = INFINITY; d.region.axis[1] = d.region.axis[2] = 0);
    REFUSE(BAD,
           "fill.region.axis is (0.4, 0, 0); a sphere of the largest radius, 0.25, must fit in",
           d.region = region_of(1);
           d.region.axis[0] = 0.4; d.region.axis[1] = d.region.axis[2] = 0);
    REFUSE(BAD, "fill.region.radius is 0.2; a sphere of the largest radius, 0.25, must fit in",
           d.region = region_of(1);
           d.region.radius = 0.2);
    REFUSE(BAD, "fill.region.radius is -1; it must be > 0 and below 1e12", d.region = region_of(2);
           d.region.radius = -1);
    REFUSE(BAD, "fill.region.radius is inf; it must be > 0 and below 1e12", d.region = region_of(2);
           d.region.radius = INFINITY);
    REFUSE(BAD, "fill.region.radius is nan; it must be > 0 and below 1e12", d.region = region_of(2);
           d.region.radius = NAN);
    tl_scene_destroy(scene);
}

static void test_refuses_sizes(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    context("sizes");
    REFUSE(BAD,
           "fill.size.kind is -1; it must be TL_SIZE_EQUAL, TL_SIZE_UNIFORM, TL_SIZE_NORMAL or "
           "TL_SIZE_LOGNORMAL",
           d.size.kind = (tl_size_kind)-1);
    REFUSE(BAD, "fill.size.radius is 0; it must be finite and > 0", d.size.radius = 0);
    REFUSE(BAD, "fill.size.radius is nan; it must be finite and > 0", d.size.radius = NAN);
    REFUSE(BAD, "fill.size.low is 0; it must be finite and > 0",
           d.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .high = 1});
    REFUSE(BAD, "fill.size.high is inf; it must be finite and > 0",
           d.size = ((tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.1, INFINITY}));
    REFUSE(BAD, "fill.size: low, high is (0.2, 0.2); low must be below high",
           d.size = ((tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.2, 0.2}));
    REFUSE(BAD, "fill.size.deviation is 0; it must be finite and > 0",
           d.size = ((tl_size_def){TL_SIZE_NORMAL, 0.2, 0, 0.1, 0.3}));
    REFUSE(BAD, "fill.size.radius is -0.2; it must be finite and > 0",
           d.size = ((tl_size_def){TL_SIZE_LOGNORMAL, -0.2, 0.1, 0.1, 0.3}));
    REFUSE(BAD,
           "fill.size: low, high is (0.4, 0.5); at least a thousandth of the distribution must "
           "lie between them",
           d.size = ((tl_size_def){TL_SIZE_NORMAL, 0.2, 0.02, 0.4, 0.5}));
    REFUSE(BAD,
           "fill.size: low, high is (0.1, 0.11); at least a thousandth of the distribution "
           "must lie between them",
           d.size = ((tl_size_def){TL_SIZE_LOGNORMAL, 0.2, 0.1, 0.1, 0.11}));
    REFUSE(BAD,
           "fill.size.radius is 1e-09; it must be at least 1e-9 of the region's largest coordinate",
           d.size.radius = 1e-9);
    REFUSE(BAD,
           "fill.size.low is 1e-10; it must be at least 1e-9 of the region's largest coordinate",
           d.size = ((tl_size_def){TL_SIZE_UNIFORM, 0, 0, 1e-10, 0.2}));
    tl_scene_destroy(scene);
}

static void test_refuses_fills(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    const tl_fill_def fresh = tl_fill_default();
    context("fills");
    REFUSE(BAD,
           "fill.pattern is 4; it must be TL_FILL_GRID, TL_FILL_HEX, TL_FILL_RANDOM or "
           "TL_FILL_CLOSE",
           d.pattern = (tl_fill_pattern)4);
    REFUSE(BAD, "fill.gap is -0.1; it must be finite and >= 0", d.gap = -0.1);
    REFUSE(BAD, "fill.gap is nan; it must be finite and >= 0", d.gap = NAN);
    REFUSE(BAD, "fill.jitter is -1; it must be finite and >= 0", d.jitter = -1);
    REFUSE(BAD, "fill.jitter is 0.1; it must be 0 with TL_FILL_RANDOM and TL_FILL_CLOSE",
           d.pattern = TL_FILL_CLOSE;
           d.jitter = 0.1);
    REFUSE(BAD, "fill.velocity is (0, inf, 0); every component must be finite",
           d.velocity[1] = INFINITY);
    REFUSE(BAD, "fill.density is 0; it must be finite and > 0", d.density = 0);
    REFUSE(BAD, "fill.density is inf; it must be finite and > 0", d.density = INFINITY);
    REFUSE(BAD, "fill.density is 1e+308; mass and inertia of every sphere must be finite and > 0",
           d.density = 1e308;
           d.size.radius = 1);
    REFUSE(TL_BAD_HANDLE, "fill.material: 1 is no material of this scene (it has 0)",
           d.material.index = 1);
    REFUSE(TL_TOO_LARGE,
           "fill.count is 9999999999; there is room for 2147483646 more bodies in a scene",
           d.count = 9999999999);
    REFUSE(TL_TOO_LARGE,
           "fill.count is 0 and over 2400000000 spheres fit; there is room for 2147483646 more "
           "bodies in a scene",
           d.size.radius = 1e-3);
    REFUSE(BAD, "fill.region.high is (0, 0, 0); each coordinate must be above region.low's",
           d = fresh);
    uint64_t added = 3;
    tl_body first = {3, 3};
    assert_refused(tl_scene_fill(NULL, &fresh, &added, &first), BAD,
                   "scene is NULL; it must not be");
    assert_true(added == 0 && first.index == 0);
    assert_refused(tl_scene_fill(scene, NULL, &added, &first), BAD, "def is NULL; it must not be");
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses_regions),
        cmocka_unit_test(test_refuses_sizes),
        cmocka_unit_test(test_refuses_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
