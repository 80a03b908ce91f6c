/* Light against closed forms: the white furnace, form factors of spheres and discs, mirrors, and
 * materials that give back no more than they get. */
/* labels: slow */
#include "render/scenes.h"

static const claim furnace = {"render: a sphere of albedo 1 in a uniform sky", "white furnace",
                              "radiance", "1,024 samples per pixel"};
static const claim darkened = {"render: a plane below a black sphere", "1 - R^2 cos / d^2",
                               "radiance", "uniform sky, 16,384 samples"};
static const claim disc = {"render: a plane below a disc that shines", "L R^2 / (R^2 + h^2)",
                           "radiance", "16,384 samples"};
static const claim mirrored = {"render: a disc in a mirror", "its radiance times the reflectance",
                               "radiance", "1,024 samples"};

/* Every pixel: it vanishes against the sky. */
static double furnace_error(set *s, uint32_t samples)
{
    const int size = s->tracer.camera.width;
    float *rgb = malloc((size_t)(3 * size * size) * sizeof *rgb);
    double most = 0;
    draw_set(s, samples, rgb);
    for (int i = 0; i < 3 * size * size; i++)
        most = fmax(most, fabs(rgb[i] - 1));
    free(rgb);
    return most;
}

static void test_furnace(void **state)
{
    set s;
    (void)state;
    start_set(&s, 24);
    add_shape(&s, TLR_BALL, 1, v3(0, 0, 0), matte(1));
    look_from(&s, v3(0, -6, 1), v3(0, 0, 0));
    assert_found(&furnace, "path tracer", draw_set(&s, 1024, NULL), 1, 1e-3);
    assert_below(furnace_error(&s, 1024), 0.02);
    end_set(&s);
}

/* Bounces between two balls, ended by chance: still nothing is lost or won. */
static void test_furnace_bounces(void **state)
{
    set s;
    (void)state;
    start_set(&s, 16);
    add_shape(&s, TLR_BALL, 1, v3(-1, 0, 0), matte(1));
    add_shape(&s, TLR_BALL, 1, v3(1, 0, 0), matte(1));
    look_from(&s, v3(0, -7, 1), v3(0, 0, 0));
    assert_near(draw_set(&s, 2048, NULL), 1, 2e-3);
    end_set(&s);
}

/* A smooth mirror of reflectance 1, and glass, vanish too. */
static void test_furnace_smooth(void **state)
{
    (void)state;
    for (int glass = 0; glass < 2; glass++) {
        set s;
        const tlr_material clear = {.kind = TLR_GLASS, .color = {1, 1, 1}, .ior = 1.5f};
        const tlr_material mirror = {.kind = TLR_METAL, .color = {1, 1, 1}, .roughness = 0};
        context(glass ? "glass" : "mirror");
        start_set(&s, 16);
        add_shape(&s, TLR_BALL, 1, v3(0, 0, 0), glass ? clear : mirror);
        look_from(&s, v3(0, -6, 1), v3(0, 0, 0));
        assert_near(draw_set(&s, 512, NULL), 1, 3e-3);
        end_set(&s);
    }
}

/* A black sphere of radius R at the height d above a plane darkens the point below by R^2/d^2; at a
 * point aside by R^2 cos / d^2 with the distance d and the cosine there. */
static void test_black_sphere(void **state)
{
    static const float asides[] = {0, 1, 2.5f};
    (void)state;
    for (int i = 0; i < 3; i++) {
        set s;
        const float x = asides[i], height = 2, radius = 0.8f;
        const double d2 = (double)x * x + height * height, cosine = height / sqrt(d2);
        context("%g beside", x);
        start_set(&s, 8);
        add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(1));
        add_shape(&s, TLR_BALL, radius, v3(0, 0, height), matte(0));
        s.tracer.camera.half_height = 1e-3f;
        look_from(&s, v3(x, -3, 0.5f), v3(x, 0, 0));
        assert_found(&darkened, "path tracer", draw_set(&s, 4096, NULL),
                     1 - radius * radius * cosine / d2, 4e-3);
        end_set(&s);
    }
}

/* A disc of radius R and radiance L at the height h sends pi L R^2/(R^2 + h^2) to the point below.
 */
static void test_disc(void **state)
{
    (void)state;
    for (int black = 0; black < 4; black++) {
        set s;
        const float radius = 0.7f, height = 1.5f, radiance = 4;
        start_set(&s, 8);
        s.tracer.bounces = (uint32_t)(black / 2); /* the end of a path is a case of its own */
        s.lights.sky.strength = 0;
        s.lights.area_count = 1;
        s.lights.areas[0] = (tlr_area){.disc = true,
                                       .centre = {0, 0, height},
                                       .normal = {0, 0, -1},
                                       .u = {radius, 0, 0},
                                       .v = {0, radius, 0},
                                       .radiance = {radiance, radiance, radiance}};
        const float albedo = black % 2 ? 0.5f : 1;
        add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(albedo));
        s.tracer.camera.half_height = 1e-3f;
        look_from(&s, v3(0, -3, 0.5f), v3(0, 0, 0));
        const double want =
            (double)albedo * radiance * radius * radius / (radius * radius + height * height);
        assert_found(&disc, black % 2 ? "albedo 0.5" : "albedo 1", draw_set(&s, 1024, NULL), want,
                     4e-3 * want);
        end_set(&s);
    }
}

/* An integrating sphere: a lamp in the middle of a closed one sends the flux F to one half; the
 * other half has what comes by reflections alone, r^2 F / (4 pi^2 R^2 (1 - r)). Paths are long, and
 * most of them end by chance. */
static void test_closed(void **state)
{
    static const claim closed = {
        "a lamp within a closed sphere, albedo 0.8", "closed form: r^2 F / (4 pi^2 R^2 (1 - r))",
        "radiance of the half that it does not shine on", "no other light, at most 64 bounces"};
    set s;
    const double r = 0.8, size = 0.02, radiance = 625, flux = M_PI * M_PI * size * size * radiance;
    const double want = r * r * flux / (4 * M_PI * M_PI * (1 - r));
    (void)state;
    start_set(&s, 8);
    s.tracer.bounces = 64;
    s.lights.sky.strength = 0;
    s.lights.area_count = 1;
    s.lights.areas[0] = (tlr_area){.disc = true,
                                   .normal = {0, 0, 1},
                                   .u = {(float)size, 0, 0},
                                   .v = {0, (float)size, 0},
                                   .radiance = {(float)radiance, (float)radiance, (float)radiance}};
    add_shape(&s, TLR_BALL, 1, v3(0, 0, 0), matte((float)r));
    look_from(&s, v3(0, -0.3f, -0.3f), v3(0, 0.2f, -0.9f));
    assert_found(&closed, "path tracer", draw_set(&s, 8192, NULL), want, 0.01 * want);
    end_set(&s);
}

/* A parallelogram as a light, against the same light as many small discs' worth: the form factor of
 * a rectangle at a corner (Lambert's formula). */
static void test_quad(void **state)
{
    set s;
    const double a = 0.6, b = 0.9, h = 1.2;
    (void)state;
    start_set(&s, 8);
    s.lights.sky.strength = 0;
    s.lights.area_count = 1;
    s.lights.areas[0] = (tlr_area){.centre = {(float)(a / 2), (float)(b / 2), (float)h},
                                   .normal = {0, 0, -1},
                                   .u = {(float)(a / 2), 0, 0},
                                   .v = {0, (float)(b / 2), 0},
                                   .radiance = {1, 1, 1}};
    add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(1));
    s.tracer.camera.half_height = 1e-3f;
    look_from(&s, v3(0, -3, 0.5f), v3(0, 0, 0));
    const double x = a / h, y = b / h, p = sqrt(1 + x * x), q = sqrt(1 + y * y);
    const double want = (x / p * atan(y / p) + y / q * atan(x / q)) / (2 * PI);
    assert_near(draw_set(&s, 1024, NULL), want, 5e-3 * want);
    end_set(&s);
}

/* The sun of irradiance E under the angle a gives a matte plane the radiance E sin(a) / pi. */
static void test_sun(void **state)
{
    set s;
    (void)state;
    start_set(&s, 8);
    s.lights.sky.strength = 0;
    s.lights.has_sun = true;
    s.lights.sun = v_unit(v3(0, 1, 0.5f));
    s.lights.sun_cosine = cosf(0.00465f);
    const float angle = 2 * TLR_PI * (1 - s.lights.sun_cosine);
    s.lights.sun_radiance = v3(3 / angle, 3 / angle, 3 / angle);
    add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(1));
    s.tracer.camera.half_height = 1e-3f;
    look_from(&s, v3(0, -3, 0.5f), v3(0, 0, 0));
    const double want = 3 * s.lights.sun.z / PI;
    assert_near(draw_set(&s, 64, NULL), want, 2e-3 * want);
    end_set(&s);
}

/* A sky that grows from h at the horizon to c at the zenith with the root of the height gives a
 * matte plane the radiance h + 0.8 (c - h), and a sun of irradiance E adds E sin(a) / pi. Both are
 * drawn, and met by chance. */
static void test_gradient(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        set s;
        start_set(&s, 8);
        s.tracer.bounces = (uint32_t)(k % 2);
        s.lights.sky.kind = TLR_SKY_GRADIENT;
        s.lights.sky.color = v3(5, 5, 5);
        s.lights.sky.horizon = v3(0.5f, 0.5f, 0.5f);
        s.lights.has_sun = k >= 2;
        s.lights.sun = v_unit(v3(0, 1, 0.5f));
        s.lights.sun_cosine = cosf(0.2f); /* wide: directions that surfaces draw meet it, too */
        const float angle = 2 * TLR_PI * (1 - s.lights.sun_cosine);
        s.lights.sun_radiance = v3(3 / angle, 3 / angle, 3 / angle);
        add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(1));
        s.tracer.camera.half_height = 1e-3f;
        look_from(&s, v3(0, -3, 0.5f), v3(0, 0, 0));
        /* A cap of radius a: its mean cosine is that of its middle times (1 + cos a) / 2. */
        const double sun = k < 2 ? 0 : 3 * s.lights.sun.z * (1 + cos(0.2)) / 2 / PI;
        const double want = 0.5 + 0.8 * 4.5 + sun;
        context("%s, %d bounces", k < 2 ? "sky" : "sky and sun", k % 2);
        assert_near(draw_set(&s, 1024, NULL), want, 1e-3 * want);
        assert_above(s.lights.sky_share, 0.1);
        end_set(&s);
    }
}

/* Directions at the borders of a sky's cells: rounding may put them into a cell that is not drawn,
 * and what comes of them is a number all the same. */
static void test_sky_borders(void **state)
{
    static const float places[] = {0, 0.5f, 1 - 0x1p-24f};
    tlr_lights l = {.sky = {.kind = TLR_SKY_GRADIENT,
                            .color = {0, 0, 0},
                            .horizon = {1, 1, 1},
                            .strength = 1,
                            .up = {0, 0, 1},
                            .east = {1, 0, 0},
                            .north = {0, 1, 0}}};
    int drawn = 0;
    (void)state;
    tlr_lights_prepare(&l, v3(0, 0, 0));
    for (int i = 0; i < TLR_SKY_UP * TLR_SKY_ACROSS; i++)
        for (int k = 0; k < 3; k++) {
            tlr_light_draw d;
            if (!tlr_lights_draw(&l, v3(0, 0, 0), (const float[2]){l.sky_sum[i], places[k]}, &d))
                continue;
            assert_true(d.density > 0);
            drawn++;
        }
    assert_above(drawn, TLR_SKY_UP * TLR_SKY_ACROSS);
}

/* The back of a disc that shines is black and stands in the way of the sky. */
static void test_disc_back(void **state)
{
    (void)state;
    for (int bounces = 0; bounces < 2; bounces++) {
        set s;
        start_set(&s, 8);
        s.tracer.bounces = (uint32_t)bounces;
        s.lights.area_count = 1;
        s.lights.areas[0] = (tlr_area){.disc = true,
                                       .centre = {0, 0, 1},
                                       .normal = {0, 0, 1},
                                       .u = {0.8f, 0, 0},
                                       .v = {0, 0.8f, 0},
                                       .radiance = {7, 7, 7}};
        add_shape(&s, add_square(&s, 1000), 0, v3(0, 0, 0), matte(1));
        s.tracer.camera.half_height = 1e-3f;
        look_from(&s, v3(0, -3, 0.5f), v3(0, 0, 0));
        context("%d bounces", bounces);
        assert_near(draw_set(&s, 1024, NULL), 1 - 0.64 / 1.64, 1e-3);
        end_set(&s);
    }
}

/* A mirror shows the disc where the law of reflection says, and as bright as it says. */
static void test_mirror(void **state)
{
    set s;
    (void)state;
    start_set(&s, 8);
    s.lights.sky.strength = 0;
    s.lights.area_count = 1;
    s.lights.areas[0] = (tlr_area){.disc = true,
                                   .centre = {0, 3, 2},
                                   .normal = {0, -1, 0},
                                   .u = {0.3f, 0, 0},
                                   .v = {0, 0, 0.3f},
                                   .radiance = {2, 2, 2}};
    add_shape(&s, add_square(&s, 100), 0, v3(0, 0, 0),
              (tlr_material){.kind = TLR_METAL, .color = {0.5f, 0.5f, 0.5f}, .roughness = 0});
    s.tracer.camera.half_height = 0.01f;
    look_from(&s, v3(0, -3, 2), v3(0, 0, 0));
    /* Schlick's term at the angle of incidence. */
    const double c = 2 / sqrt(13.0), f = 0.5 + 0.5 * pow(1 - c, 5);
    assert_found(&mirrored, "path tracer", draw_set(&s, 16, NULL), 2 * f, 1e-4);
    s.lights.areas[0].centre.x = 1;
    assert_near(draw_set(&s, 16, NULL), 0, 1e-12);
    end_set(&s);
}

/* What a material gives back of a uniform sky: never more than it gets, and as much whether lights
 * are drawn, directions are, or both. */
static void test_materials(void **state)
{
    static const tlr_material_kind kinds[] = {TLR_METAL, TLR_PLASTIC};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int r = 0; r <= 5; r++)
            for (int a = 1; a <= 9; a += 2) {
                const tlr_material m = {.kind = kinds[k],
                                        .color = {1, 1, 1},
                                        .roughness = fmaxf(0.2f * (float)r, TLR_SMOOTH),
                                        .ior = 1.5f};
                const float z = 0.1f * (float)a;
                const vec out = {sqrtf(1 - z * z), 0, z};
                enum { MANY = 20000 };
                double drawn = 0, uniform = 0;
                for (uint32_t i = 0; i < MANY; i++) {
                    sampler s = sampler_start(7, 1, i);
                    float u[2], around[2], density;
                    tlr_scatter scatter;
                    sampler_next(&s, u);
                    sampler_next(&s, around);
                    if (tlr_material_draw(&m, out, false, u, &scatter))
                        drawn += scatter.weight.x / MANY;
                    const float h = around[0], phi = 2 * TLR_PI * around[1], w = sqrtf(1 - h * h);
                    const vec in = {w * cosf(phi), w * sinf(phi), h};
                    uniform += 2 * PI * tlr_material_value(&m, out, in, &density).x / MANY;
                }
                context("kind %d, roughness %g, cosine %g", kinds[k], m.roughness, z);
                assert_below(drawn, 1.003);
                assert_above(drawn, kinds[k] == TLR_PLASTIC || m.roughness > 0.7f ? 0.3 : 0.6);
                if (m.roughness >= 0.4f) /* narrower lobes are not met by chance */
                    assert_near(uniform, drawn, 0.02);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_furnace),        cmocka_unit_test(test_furnace_bounces),
        cmocka_unit_test(test_furnace_smooth), cmocka_unit_test(test_black_sphere),
        cmocka_unit_test(test_closed),         cmocka_unit_test(test_disc),
        cmocka_unit_test(test_quad),           cmocka_unit_test(test_sun),
        cmocka_unit_test(test_gradient),       cmocka_unit_test(test_sky_borders),
        cmocka_unit_test(test_disc_back),      cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests_name("render: light", tests, NULL, NULL);
}
