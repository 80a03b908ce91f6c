/* The camera and time against closed forms: what is seen where, circles of confusion, coverage
 * under blur; and the same bits for any number of threads and size of tiles. */
#include "render/scenes.h"

#include "render/denoise.h"

static const claim blur = {"render: a sphere that moves while the shutter is open",
                           "its area in the picture, which blur keeps", "covered pixels",
                           "256 samples per pixel"};
static const claim confusion = {
    "render: a small sphere out of focus", "lens diameter times the distance from the focal plane",
    "radius of the circle of confusion, pixels", "256 samples per pixel"};

/* A black ball before a white sky: what is dark is covered. */
static double covered(set *s, int size, uint32_t samples, float *rgb)
{
    const double mean = draw_set(s, samples, rgb);
    return (1 - mean) * size * size;
}

/* Orthographic, so that areas do not depend on places. */
static void ball_set(set *s, int size, float radius, vec place)
{
    start_set(s, size);
    s->tracer.camera.orthographic = true;
    s->tracer.camera.half_height = 1;
    add_shape(s, TLR_BALL, radius, place, matte(0));
    look_from(s, v3(0, -10, 0), v3(0, 0, 0));
}

static void test_coverage(void **state)
{
    enum { SIZE = 64 };
    set s;
    const double want = PI * 0.3 * 0.3 * SIZE * SIZE / 4;
    (void)state;
    ball_set(&s, SIZE, 0.3f, v3(0.1f, 0, 0.05f));
    assert_near(covered(&s, SIZE, 256, NULL), want, 2e-3 * want);
    /* It moves by more than its own size. */
    s.moment.moves = true;
    s.bodies[0].move = v3(0.7f, 0.1f, -0.3f);
    s.bodies[0].place = v3(-0.3f, 0, 0.2f);
    assert_found(&blur, "translation", covered(&s, SIZE, 256, NULL), want, 5e-3 * want);
    end_set(&s);
}

/* A ball beside its body's origin goes round with it: the middle of what is dark is the mean of a
 * circle's arc, r sin(a/2)/(a/2), and its area stays. */
static void test_spin(void **state)
{
    enum { SIZE = 64 };
    const double angle = 2, anchor = 0.5, radius = 0.2,
                 want = PI * radius * radius * SIZE * SIZE / 4;
    set s;
    float rgb[3 * SIZE * SIZE];
    double sum = 0, x = 0, y = 0;
    (void)state;
    ball_set(&s, SIZE, (float)radius, v3(0, 0, 0));
    s.moment.moves = true;
    s.bodies[0].spin = v3(0, -(float)angle, 0); /* counterclockwise, seen along y */
    s.bodies[0].turned = turn_by(v3(0, 0.5f * (float)angle, 0));
    const tlr_pose_in aside = {{(float)anchor, 0, 0}, {1, 0, 0, 0}, {1, 1, 1}};
    s.items[0].pose = 0;
    s.moment.poses = &aside;
    assert_found(&blur, "spin", covered(&s, SIZE, 256, rgb), want, 6e-3 * want);
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double dark = 1 - rgb[3 * i];
        sum += dark;
        x += dark * (i % SIZE + 0.5);
        y += dark * (i / SIZE + 0.5);
    }
    const double unit = SIZE / 2.0, way = anchor * sin(angle / 2) / (angle / 2);
    assert_near(x / sum / unit - 1, way, 4e-3);
    assert_near(1 - y / sum / unit, 0, 4e-3);
    end_set(&s);
}

/* A point at the distance z through a lens of radius a, focused at f, is a disc of the radius
 * a |z - f| / f at the distance z. */
static void test_confusion(void **state)
{
    enum { SIZE = 64 };
    static float rgb[3 * SIZE * SIZE];
    set s;
    const double lens = 0.2, focus = 4, distance = 8, small = 0.02;
    (void)state;
    start_set(&s, SIZE);
    s.lights.sky.strength = 1;
    add_shape(&s, TLR_BALL, (float)small, v3(0, (float)(distance - 10), 0), matte(0));
    look_from(&s, v3(0, -10, 0), v3(0, 0, 0));
    s.tracer.camera.half_height = 0.1f;
    s.tracer.camera.lens = (float)lens;
    s.tracer.camera.focus = (float)focus;
    const double dark = covered(&s, SIZE, 256, rgb);
    /* Blur keeps the area, too, as seen from the middle of the lens. */
    const double pixel = 2 * 0.1 / SIZE, sharp = PI * pow(small / distance / pixel, 2);
    assert_near(dark, sharp, 0.03 * sharp);
    double square = 0, sum = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double dx = i % SIZE + 0.5 - SIZE / 2.0, dy = i / SIZE + 0.5 - SIZE / 2.0;
        sum += 1 - rgb[3 * i];
        square += (1 - rgb[3 * i]) * (dx * dx + dy * dy);
    }
    /* The mean square of a disc's radius is half its radius' square; the ball's own size adds. */
    const double found = sqrt(2 * square / sum - pow(small / distance / pixel, 2));
    const double want = lens * (distance - focus) / focus / distance / pixel;
    assert_found(&confusion, "path tracer", found, want, 0.02 * want);
    end_set(&s);
}

/* The outline of a ball in perspective, pixel by pixel, against the quadratic form of rays. */
static void test_outline(void **state)
{
    enum { SIZE = 48 };
    set s;
    (void)state;
    start_set(&s, SIZE);
    add_shape(&s, TLR_BALL, 1, v3(0.5f, 2, 0.3f), matte(0.5f));
    look_from(&s, v3(0, -6, 1), v3(0, 0, 0));
    draw_set(&s, 1, NULL);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            vec o, d;
            tlr_camera_ray(&s.tracer.camera, (float)x + 0.5f, (float)y + 0.5f,
                           (const float[2]){0, 0}, &o, &d);
            const vec c = v_sub(s.bodies[0].place, o);
            const double b = v_dot(c, d), gap = v_dot(c, c) - b * b - 1;
            if (fabs(gap) > 1e-3)
                assert_int_equal(tlr_path_number(&s.tracer, x, y), gap < 0);
        }
    end_set(&s);
}

/* Fitting: every ball is in the picture, and one touches each of two opposite margins. */
static void test_fit(void **state)
{
    tlr_fit_ball balls[20];
    (void)state;
    for (int i = 0; i < 20; i++)
        balls[i] =
            (tlr_fit_ball){{sinf(3.0f * (float)i), 2 * cosf((float)i), 0.3f * (float)(i % 4)},
                           0.1f + 0.02f * (float)(i % 3)};
    for (int flat = 0; flat < 2; flat++) {
        tlr_camera c = {.width = 160, .height = 90, .half_height = 0.3f, .orthographic = flat};
        float least = 1e9f, most = -1e9f, low = 1e9f, high = -1e9f;
        c.eye = v3(3, -4, 2);
        tlr_camera_aim(&c, v3(0, 0, 0), v3(0, 0, 1));
        tlr_camera_fit(&c, 20, balls, 0.1f);
        for (int i = 0; i < 20; i++)
            for (int k = 0; k < 4; k++) { /* points of its outline, nearly */
                const float r = balls[i].radius * (k & 1 ? 1.0f : -1.0f);
                const vec p = v_along(balls[i].centre, r, k & 2 ? c.right : c.up);
                float x, y;
                assert_true(tlr_camera_project(&c, p, &x, &y));
                least = fminf(least, x);
                most = fmaxf(most, x);
                low = fminf(low, y);
                high = fmaxf(high, y);
            }
        context(flat ? "orthographic" : "perspective");
        assert_above(least, 15.9);
        assert_below(most, 144.1);
        assert_above(low, 8.9);
        assert_below(high, 81.1);
        assert_above(fmax((most - least) / 128, (high - low) / 72), 0.97);
    }
}

/* The same bits, whatever thread draws what. */
static void test_bits(void **state)
{
    enum { WIDTH = 50, HEIGHT = 37 };
    static const uint32_t threads[] = {1, 2, 8, 3}, tiles[] = {32, 8, 64, 17};
    static float first[3 * WIDTH * HEIGHT], rgb[3 * WIDTH * HEIGHT];
    set s;
    (void)state;
    start_set(&s, WIDTH);
    s.tracer.camera.height = HEIGHT;
    s.tracer.camera.lens = 0.05f;
    s.tracer.camera.focus = 6;
    s.moment.moves = true;
    add_shape(&s, add_square(&s, 5), 0, v3(0, 0, -1), matte(0.7f));
    for (int i = 0; i < 20; i++) {
        tlr_body *b = add_shape(&s, TLR_BALL, 0.3f, v3(sinf((float)i), cosf(2.0f * (float)i), 0),
                                (tlr_material){.kind = (tlr_material_kind)(i % 4),
                                               .color = {0.8f, 0.5f, 0.3f},
                                               .roughness = 0.3f,
                                               .ior = 1.5f});
        b->move = v3(0.1f, 0, 0);
    }
    look_from(&s, v3(0, -6, 2), v3(0, 0, 0));
    tlr_lights_prepare(&s.lights, v3(0, 0, 0));
    assert_ok(tlr_stage_set(s.stage, &s.moment));
    for (int noise = 0; noise < 2; noise++)
        for (int i = 0; i < 4; i++) {
            const tlr_picture_def def = {.threads = threads[i],
                                         .tile = tiles[i],
                                         .samples = noise ? 96 : 8,
                                         .noise = noise ? 0.05f : 0};
            uint64_t taken;
            assert_ok(tlr_picture_render(&s.tracer, &def, i ? rgb : first, &taken));
            if (i)
                assert_memory_equal(rgb, first, sizeof rgb);
            if (noise) {
                assert_true(taken < (uint64_t)96 * WIDTH * HEIGHT);
                assert_true(taken >= (uint64_t)32 * WIDTH * HEIGHT);
            }
        }
    /* Bands are the same rows, each once. */
    for (int bands = 1; bands <= 5; bands++) {
        int all = 0;
        for (int k = 0; k < bands; k++) {
            const tlr_picture_def band = {
                .threads = 2, .samples = 96, .noise = 0.05f, .band = k, .bands = bands};
            const int rows = tlr_band_rows(HEIGHT, k, bands);
            assert_ok(tlr_picture_render(&s.tracer, &band, rgb, NULL));
            for (int y = 0; y < rows; y++)
                assert_memory_equal(rgb + (size_t)3 * WIDTH * (size_t)y,
                                    first + (size_t)3 * WIDTH * (size_t)tlr_band_row(y, k, bands),
                                    3 * WIDTH * sizeof(float));
            all += rows;
        }
        assert_int_equal(all, HEIGHT);
    }
    end_set(&s);
}

/* The filter for noise: a spot that outshines its surroundings goes without a trace, an edge
 * between two even parts stays, and threads change no bit. */
static void test_denoise(void **state)
{
    enum { SIZE = 24, SPOT = 10 * SIZE + 5 };
    set s;
    float rgb[2][3 * SIZE * SIZE];
    (void)state;
    start_set(&s, SIZE);
    draw_set(&s, 1, NULL);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        float *c = rgb[threads - 1];
        for (int i = 0; i < 3 * SIZE * SIZE; i++)
            c[i] = i / 3 % SIZE < SIZE / 2 ? 0.1f : 1;
        c[3 * SPOT] = 40;
        assert_ok(tlr_denoise(&s.tracer, threads, c));
        for (int i = 0; i < 3 * SIZE * SIZE; i++) {
            context("pixel %d, %d", i / 3 % SIZE, i / 3 / SIZE);
            assert_near(c[i], i / 3 % SIZE < SIZE / 2 ? 0.1 : 1, 0.02);
        }
    }
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    end_set(&s);
}

/* A cut: a ray meets the plane inside of a solid with the plane's normal, and passes elsewhere. */
static void test_cut(void **state)
{
    set s;
    tlr_hit h;
    (void)state;
    start_set(&s, 8);
    add_shape(&s, TLR_BALL, 1, v3(0, 0, 0), matte(1));
    s.moment.cut = true;
    s.moment.cut_normal = v3(0, -1, 0);
    s.moment.cut_point = v3(0, 0.25f, 0);
    draw_set(&s, 1, NULL);
    assert_true(tlr_stage_hit(s.stage, v3(0.3f, -5, 0.2f), v3(0, 1, 0), 0, &h));
    assert_near(h.point.y, 0.25, 1e-3);
    assert_near(h.normal.y, -1, 1e-6);
    assert_false(h.inside);
    assert_false(tlr_stage_hit(s.stage, v3(-5, -0.5f, 0), v3(1, 0, 0), 0, &h));
    assert_true(tlr_stage_hit(s.stage, v3(-5, 0.5f, 0), v3(1, 0, 0), 0, &h));
    const tlr_shadow shadow = {{v3(-5, -0.5f, 0), v3(1, 0, 0), 0}, 100};
    bool blocked = true;
    tlr_stage_blocked(s.stage, 1, &shadow, &blocked);
    assert_false(blocked);
    s.materials[0].uncut = true;
    assert_true(tlr_stage_hit(s.stage, v3(-5, -0.5f, 0), v3(1, 0, 0), 0, &h));
    end_set(&s);
}

/* A ball is where it has moved to at the time of a ray, and no longer where it was. */
static void test_moves(void **state)
{
    set s;
    tlr_hit h;
    (void)state;
    start_set(&s, 8);
    add_shape(&s, TLR_BALL, 1, v3(0, 0, 0), matte(1))->move = v3(3, 0, 0);
    s.moment.moves = true;
    draw_set(&s, 1, NULL);
    for (int end = 0; end < 2; end++) {
        const float time = (float)end, x = 3 * time;
        assert_true(tlr_stage_hit(s.stage, v3(x, -5, 0), v3(0, 1, 0), time, &h));
        assert_near(h.point.y, -1, 1e-3);
        assert_false(tlr_stage_hit(s.stage, v3(3 - x, -5, 0), v3(0, 1, 0), time, &h));
    }
    end_set(&s);
}

/* Rays that are traced together meet what they meet alone, however many there are, and shadows end
 * just behind it: balls that move, a mesh, a light. */
static void test_together(void **state)
{
    enum { RAYS = 37 };
    set s;
    tlr_ray rays[RAYS];
    tlr_shadow shadows[RAYS];
    tlr_hit hits[RAYS], alone;
    uint32_t places[RAYS], found = 0;
    bool met[RAYS], blocked[RAYS];
    (void)state;
    start_set(&s, 8);
    for (uint32_t i = 0; i < 30; i++)
        add_shape(&s, TLR_BALL, 0.2f + 0.01f * (float)i,
                  v3((float)(i % 6) - 2.5f, (float)(i / 6) - 2, 0.3f), matte(1))
            ->move = v3(0, 0, 0.5f);
    add_shape(&s, add_square(&s, 2), 0, v3(0, 0, 0), matte(1));
    s.lights.areas[s.lights.area_count++] = (tlr_area){.centre = {0, 0, 4},
                                                       .normal = {0, 0, -1},
                                                       .u = {1, 0, 0},
                                                       .v = {0, 1, 0},
                                                       .radiance = {1, 1, 1}};
    s.moment.moves = true;
    draw_set(&s, 1, NULL);
    for (uint32_t i = 0; i < RAYS; i++) {
        const float a = 2.4f * (float)i, r = 0.08f * (float)i;
        const vec to = v3(r * cosf(a), r * sinf(a), i % 5 == 0 ? 4 : 0.2f), from = v3(0.3f, -5, 3);
        rays[i] = (tlr_ray){from, v_unit(v_sub(to, from)), (float)i / RAYS};
        places[i] = RAYS - 1 - i;
    }
    for (uint32_t count = 1; count <= RAYS; count++) {
        tlr_stage_hits(s.stage, count % 2, count, rays, places, met, hits);
        for (uint32_t i = 0; i < count; i++) {
            const tlr_hit *h = &hits[places[i]];
            context("ray %u of %u", i, count);
            shadows[i] = (tlr_shadow){rays[i], INFINITY};
            assert_int_equal(
                met[places[i]],
                tlr_stage_hit(s.stage, rays[i].origin, rays[i].direction, rays[i].time, &alone));
            if (!met[places[i]])
                continue;
            assert_int_equal(h->item, alone.item);
            assert_int_equal(h->area, alone.area);
            assert_near(h->distance, alone.distance, 1e-5);
            assert_near(v_length(v_sub(h->point, alone.point)), 0, 1e-5);
            assert_near(v_length(v_sub(h->normal, alone.normal)), 0, 1e-4);
            shadows[i].distance = h->distance * (i % 2 ? 1.001f : 0.999f);
            found |= h->area >= 0 ? 4 : h->item == 30 ? 2 : 1;
        }
        tlr_stage_blocked(s.stage, count, shadows, blocked);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(blocked[i], met[places[i]] && i % 2);
    }
    assert_int_equal(found, 7); /* balls, the mesh and the light were met */
    end_set(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),  cmocka_unit_test(test_spin),
        cmocka_unit_test(test_confusion), cmocka_unit_test(test_outline),
        cmocka_unit_test(test_fit),       cmocka_unit_test(test_bits),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_moves),
        cmocka_unit_test(test_together),  cmocka_unit_test(test_denoise),
    };
    return cmocka_run_group_tests_name("render: camera", tests, NULL, NULL);
}
