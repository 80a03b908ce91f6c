/* Fills: every pattern in every kind of region with every distribution of sizes, with things in the
 * way. Nothing overlaps or sticks out, by brute force; counts, densities and sizes are what they
 * should be; the same definition gives the same spheres everywhere. test_fill_refusals.c has what
 * is refused. */
#include "support.h"

#include "scene/scene.h"

#include <time.h>

#define BAD TL_BAD_ARGUMENT

/* ---- What was placed ---- */

/* A copy of all spheres that a scene's bodies from `first` on are. */
typedef struct spheres {
    size_t count;
    double *x; /* rows of 3 */
    double *r;
} spheres;

static spheres spheres_of(const tl_scene *scene, size_t first)
{
    const tl_body_rec *bodies = scene->list.bodies.data;
    const tl_shape_rec *shapes = scene->list.shapes.data;
    spheres s = {.count = scene->list.bodies.count - first};
    s.x = malloc((3 * s.count + 1) * sizeof *s.x);
    s.r = malloc((s.count + 1) * sizeof *s.r);
    assert_true(s.x && s.r);
    for (size_t i = 0; i < s.count; i++) {
        const tl_body_rec *b = &bodies[first + i];
        assert_int_equal(b->kind, TL_DYNAMIC);
        assert_int_equal(b->shape_count, 1);
        memcpy(s.x + 3 * i, b->position, sizeof b->position);
        s.r[i] = shapes[b->first_shape].radius;
    }
    return s;
}

static void free_spheres(spheres *s)
{
    free(s->x);
    free(s->r);
}

static uint64_t fingerprint(const spheres *s)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < 4 * s->count; i++) {
        uint64_t bits;
        memcpy(&bits, i < 3 * s->count ? &s->x[i] : &s->r[i - 3 * s->count], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

/* ---- Definitions ---- */

static tl_region region_of(int kind, double size)
{
    tl_region region =
        tl_region_box((double[3]){-0.3 * size, 1, 2}, (double[3]){0.7 * size, 1 + size, 2 + size});
    region.kind = (tl_region_kind)kind;
    if (kind == TL_REGION_BOX)
        return region;
    for (int k = 0; k < 3; k++)
        region.centre[k] = k - 0.1 * size;
    region.radius = 0.5 * size;
    region.axis[0] = 0.36 * size; /* of length size, tilted */
    region.axis[1] = 0.48 * size;
    region.axis[2] = 0.8 * size;
    return region;
}

static tl_size_def sizes_of(int kind, double radius)
{
    return (tl_size_def){.kind = (tl_size_kind)kind,
                         .radius = radius,
                         .deviation = kind == TL_SIZE_NORMAL ? 0.2 * radius : 0.3,
                         .low = 0.5 * radius,
                         .high = 1.6 * radius};
}

static tl_fill_def fill_of(int pattern, tl_region region, tl_size_def size)
{
    tl_fill_def def = tl_fill_default();
    def.pattern = (tl_fill_pattern)pattern;
    def.region = region;
    def.size = size;
    return def;
}

static size_t fill(tl_scene *scene, const tl_fill_def *def)
{
    uint64_t added = 77;
    tl_body first;
    const size_t before = tl_scene_body_count(scene);
    assert_ok(tl_scene_fill(scene, def, &added, &first));
    assert_int_equal(tl_scene_body_count(scene), before + added);
    assert_int_equal(first.index, added ? before + 1 : 0);
    assert_int_equal(first.generation, added ? 1 : 0);
    return added;
}

static tl_scene *empty_scene(void)
{
    const tl_settings settings = tl_settings_default();
    return scene_with(&settings);
}

/* ---- Checks by brute force ---- */

/* The distance of a point from the bounds of a region, positive inside. */
static double depth_in(const tl_region *g, const double x[3])
{
    double d[3], least = INFINITY;
    if (g->kind == TL_REGION_BOX) {
        for (int k = 0; k < 3; k++)
            least = fmin(least, fmin(x[k] - g->low[k], g->high[k] - x[k]));
        return least;
    }
    add3(x, -1, g->centre, d);
    if (g->kind == TL_REGION_SPHERE)
        return g->radius - norm3(d);
    const double length = norm3(g->axis), along = dot3(d, g->axis) / length;
    add3(d, -along / length, g->axis, d);
    return fmin(fmin(along, length - along), g->radius - norm3(d));
}

static void expect_inside(const spheres *s, const tl_region *region)
{
    for (size_t i = 0; i < s->count; i++)
        if (!(depth_in(region, s->x + 3 * i) >= s->r[i] * (1 - 1e-8)))
            fail_msg("%s: sphere %zu sticks out by %g", test_context, i,
                     s->r[i] - depth_in(region, s->x + 3 * i));
}

static void expect_apart(const spheres *s, double gap)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < i; j++) {
            const double apart = distance3(s->x + 3 * i, s->x + 3 * j) - s->r[i] - s->r[j];
            if (!(apart >= gap - 1e-8 * s->r[i]))
                fail_msg("%s: spheres %zu and %zu are %g apart", test_context, i, j, apart);
        }
}

/* ---- With things in the way ---- */

static const double straight[4] = {1, 0, 0, 0};

/* A fixed box, a slanted plane, a horizontal sheet, a big free ball and a prescribed one, all
 * crossing a region of this size. */
typedef struct clutter {
    double box[3], half[3], plane[3], normal[3], sheet[3], edge, ball[3], post[3], big;
} clutter;

static clutter add_clutter(tl_scene *scene, const tl_region *g, double size)
{
    clutter c = {.edge = 0.25 * size, .big = 0.15 * size};
    double middle[3], turned[4];
    for (int k = 0; k < 3; k++)
        middle[k] = g->kind == TL_REGION_BOX      ? 0.5 * (g->low[k] + g->high[k])
                    : g->kind == TL_REGION_SPHERE ? g->centre[k]
                                                  : g->centre[k] + 0.5 * g->axis[k];
    add3(middle, size, (double[3]){0.3, 0.1, 0}, c.box);
    add3(middle, size, (double[3]){0, -0.35, 0}, c.plane);
    add3(middle, size, (double[3]){-0.25, 0, 0.2}, c.sheet);
    add3(middle, size, (double[3]){-0.1, 0.15, -0.2}, c.ball);
    add3(middle, size, (double[3]){0.05, -0.1, 0.25}, c.post);
    for (int k = 0; k < 3; k++)
        c.half[k] = (0.05 + 0.05 * k) * size;
    turn((double[3]){1, 0, 0}, -1.2, turned); /* local z towards +y */
    rotate(turned, 1, (double[3]){0, 0, 1}, c.normal);
    add_fixed(scene, tl_box_default(c.half[0], c.half[1], c.half[2]), (tl_material){0}, c.box,
              straight);
    add_fixed(scene, tl_plane_default(), (tl_material){0}, c.plane, turned);
    add_fixed(scene, tl_parallelogram_default((double[3]){c.edge, 0, 0}, (double[3]){0, c.edge, 0}),
              (tl_material){0}, c.sheet, straight);
    add_sphere(scene, (tl_material){0}, c.big, 0, c.ball, (double[3]){0, 0, 0});
    tl_body_def post = tl_body_default();
    const tl_shape_def ball = tl_sphere_default(c.big);
    post.kind = TL_PRESCRIBED;
    post.shapes = &ball;
    post.shape_count = 1;
    memcpy(post.position, c.post, sizeof post.position);
    add_body(scene, &post);
    return c;
}

/* The distance of a point from the nearest thing, with the gap that the free ball asks for. */
static double clear_of(const clutter *c, const double x[3], double gap)
{
    double d[3], least, square = 0, depth = -INFINITY;
    add3(x, -1, c->box, d);
    for (int k = 0; k < 3; k++) {
        const double out = fabs(d[k]) - c->half[k];
        square += out > 0 ? out * out : 0;
        depth = fmax(depth, out);
    }
    least = square > 0 ? sqrt(square) : depth;
    add3(x, -1, c->plane, d);
    least = fmin(least, dot3(d, c->normal));
    add3(x, -1, c->sheet, d);
    for (int k = 0; k < 2; k++)
        d[k] -= fmin(fmax(d[k], 0), c->edge);
    least = fmin(least, norm3(d));
    least = fmin(least, distance3(x, c->ball) - c->big - gap);
    return fmin(least, distance3(x, c->post) - c->big);
}

static void test_nothing_overlaps(void **state)
{
    (void)state;
    static const double enough[4] = {0.04, 0.06, 0.08, 0.15}; /* of the region's volume */
    for (int i = 0; i < 4 * 3 * 4 * 2; i++) {
        const int pattern = i % 4, kind = i / 4 % 3, size = i / 12 % 4;
        const double gap = i / 48 ? 0.03 : 0, edge = 6;
        tl_fill_def def = fill_of(pattern, region_of(kind, edge), sizes_of(size, 0.25));
        def.gap = gap;
        def.seed = (uint64_t)i;
        def.jitter = pattern <= TL_FILL_HEX && i % 8 > 3 ? 0.02 : 0;
        context("pattern %d, region %d, sizes %d, gap %g", pattern, kind, size, gap);
        tl_scene *scene = empty_scene();
        const clutter c = add_clutter(scene, &def.region, edge);
        const size_t first = tl_scene_body_count(scene), count = fill(scene, &def);
        spheres s = spheres_of(scene, first);
        double volume = 0;
        expect_inside(&s, &def.region);
        expect_apart(&s, gap);
        for (size_t k = 0; k < count; k++) {
            volume += 4. / 3 * PI * s.r[k] * s.r[k] * s.r[k];
            if (!(clear_of(&c, s.x + 3 * k, gap) >= s.r[k] * (1 - 1e-8)))
                fail_msg("%s: sphere %zu touches something", test_context, k);
            assert_in_range((uint64_t)(s.r[k] * 1e6),
                            (uint64_t)((size ? def.size.low : 0.25) * 1e6) - 1,
                            (uint64_t)((size ? def.size.high : 0.25) * 1e6) + 1);
        }
        assert_above(volume / (edge * edge * edge), enough[pattern] * (kind == 0   ? 1
                                                                       : kind == 1 ? 0.7
                                                                                   : 0.4));
        free_spheres(&s);
        tl_scene_destroy(scene);
    }
}

/* A floor across the region: both storeys are filled. And a region all taken takes nothing. */
static void test_storeys(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < 4; pattern++) {
        context("pattern %d", pattern);
        tl_fill_def def = fill_of(pattern, region_of(TL_REGION_BOX, 5), sizes_of(0, 0.25));
        tl_scene *scene = empty_scene();
        add_fixed(scene, tl_box_default(9, 9, 0.2), (tl_material){0}, (double[3]){0, 0, 4.6},
                  straight);
        const size_t count = fill(scene, &def);
        spheres s = spheres_of(scene, 1);
        size_t above = 0;
        for (size_t i = 0; i < count; i++)
            above += s.x[3 * i + 2] > 4.6;
        assert_in_range(above, 200, count - 200);
        free_spheres(&s);
        tl_scene_destroy(scene);

        scene = empty_scene();
        add_fixed(scene, tl_box_default(9, 9, 9), (tl_material){0}, (double[3]){0, 0, 0}, straight);
        assert_int_equal(fill(scene, &def), 0);
        def.count = 1;
        assert_refused(tl_scene_fill(scene, &def, NULL, NULL), BAD,
                       "fill.count is 1; only 0 spheres fit");
        tl_scene_destroy(scene);
    }
}

/* Walls at the very bounds of a region take nothing from it. */
static void test_walls_at_the_bounds(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < 4; pattern++) {
        const double low[3] = {0, 0, 0}, high[3] = {1.1, 0.7, 0.9};
        const tl_fill_def def = fill_of(pattern, tl_region_box(low, high), sizes_of(0, 0.05));
        tl_scene *open = empty_scene(), *tank = empty_scene();
        context("pattern %d", pattern);
        add_floor(tank, (tl_material){0});
        add_fixed(tank, tl_box_default(1, 5, 5), (tl_material){0}, (double[3]){-1, 0, 0}, straight);
        add_fixed(tank, tl_parallelogram_default((double[3]){0, 0.7, 0}, (double[3]){0, 0, 0.9}),
                  (tl_material){0}, (double[3]){1.1, 0, 0}, straight);
        const double with = (double)fill(tank, &def), without = (double)fill(open, &def);
        /* close packings lean on walls, so theirs are not the same, but as many */
        assert_near(with, without, pattern == TL_FILL_CLOSE ? 0.05 * without : 0);
        tl_scene_destroy(open);
        tl_scene_destroy(tank);
    }
}

/* A floor of 19,600 small panels carries what a single slab does, and looking for the panels that a
 * sphere may touch takes no time to speak of: it was half a minute. */
static void test_many_panels(void **state)
{
    (void)state;
    enum { SIDE = 140 };
    const double low[3] = {-1, -1, 0}, high[3] = {1, 1, 1}, edge = 2.0 / SIDE;
    tl_fill_def def = fill_of(TL_FILL_CLOSE, tl_region_box(low, high), sizes_of(0, 0.03));
    def.count = 2000;
    double height[2] = {0}, seconds = 0;
    for (int panels = 0; panels < 2; panels++) {
        tl_scene *scene = empty_scene();
        const size_t count = panels ? SIDE * SIDE : 1;
        for (size_t i = 0; i < count; i++) {
            const double x = panels ? -1 + ((double)(i % SIDE) + 0.5) * edge : 0;
            const double y = panels ? -1 + ((double)(i / SIDE) + 0.5) * edge : 0;
            const double half = panels ? 0.5 * edge : 1;
            add_fixed(scene, tl_box_default(half, half, 0.1), (tl_material){0},
                      (double[3]){x, y, 0.1}, straight);
        }
        const clock_t start = clock();
        assert_int_equal(fill(scene, &def), 2000);
        seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        spheres s = spheres_of(scene, count);
        for (size_t i = 0; i < s.count; i++) {
            assert_true(s.x[3 * i + 2] > 0.2299); /* on the floor or above */
            height[panels] += s.x[3 * i + 2] / (double)s.count;
        }
        free_spheres(&s);
        tl_scene_destroy(scene);
    }
    print_message("mean height %.4f m on a slab, %.4f m on panels, in %.2f s\n", height[0],
                  height[1], seconds);
    assert_near(height[1] - 0.2, height[0] - 0.2, 0.05 * (height[0] - 0.2));
    assert_below(seconds, 20);
}

/* ---- Counts ---- */

static void test_counts(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    tl_fill_def def = fill_of(TL_FILL_GRID, tl_region_box(low, high), sizes_of(0, 0.05));
    for (int pattern = 0; pattern < 4; pattern++) {
        tl_scene *scene = empty_scene();
        char text[80];
        uint64_t added = 7;
        tl_body first = {7, 7};
        context("pattern %d", pattern);
        def.pattern = (tl_fill_pattern)pattern;
        def.count = 0;
        const size_t most = fill(scene, &def);
        /* a cubic grid; 12 hexagonal layers of 11 rows, of 10 and 9 or of 9 and 10 spheres */
        if (pattern == TL_FILL_GRID)
            assert_int_equal(most, 1000);
        if (pattern == TL_FILL_HEX)
            assert_int_equal(most, 6 * (6 * 10 + 5 * 9) + 6 * (6 * 9 + 5 * 10));
        tl_scene_destroy(scene);
        scene = empty_scene();
        def.count = most;
        assert_int_equal(fill(scene, &def), most);
        tl_scene_destroy(scene);
        scene = empty_scene();
        def.count = 100;
        assert_int_equal(fill(scene, &def), 100);
        def.count = most; /* there are 100 already */
        assert_status(tl_scene_fill(scene, &def, &added, &first), BAD);
        assert_int_equal(tl_scene_body_count(scene), 100);
        assert_int_equal(added, 0);
        assert_int_equal(first.index, 0);
        def.count = 5000;
        tl_scene_destroy(scene);
        scene = empty_scene();
        snprintf(text, sizeof text, "fill.count is 5000; only %zu spheres fit", most);
        assert_refused(tl_scene_fill(scene, &def, &added, &first), BAD, text);
        assert_int_equal(tl_scene_body_count(scene), 0);
        tl_scene_destroy(scene);
    }
}

/* A region that just holds one sphere holds one, whatever its kind. */
static void test_one_fits(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        tl_fill_def def = fill_of(i % 4, region_of(i / 4, 1), sizes_of(0, 0.5));
        context("pattern %d, region %d", i % 4, i / 4);
        tl_scene *scene = empty_scene();
        assert_int_equal(fill(scene, &def), 1);
        spheres s = spheres_of(scene, 0);
        expect_inside(&s, &def.region);
        free_spheres(&s);
        tl_scene_destroy(scene);
    }
}

/* What else a body of a fill is. */
static void test_bodies(void **state)
{
    (void)state;
    tl_scene *scene = empty_scene();
    const tl_material material = add_material(scene, 0.3, 0.1);
    tl_fill_def def = fill_of(TL_FILL_GRID, region_of(0, 4), sizes_of(TL_SIZE_UNIFORM, 0.2));
    def.density = 2500;
    def.material = material;
    def.velocity[1] = -3;
    const size_t count = fill(scene, &def);
    const tl_body_rec *bodies = scene->list.bodies.data;
    const tl_shape_rec *shapes = scene->list.shapes.data;
    for (size_t i = 0; i < count; i++) {
        const tl_shape_rec *shape = &shapes[bodies[i].first_shape];
        const double mass = 2500 * 4. / 3 * PI * pow(shape->radius, 3);
        assert_near(bodies[i].mass, mass, 1e-12 * mass);
        assert_near(bodies[i].velocity[1], -3, 0);
        assert_int_equal(shape->material, material.index);
    }
    const tl_fill_def fresh = tl_fill_default();
    assert_true(fresh.pattern == TL_FILL_GRID && fresh.seed == 1 && fresh.density == 1000);
    assert_true(fresh.gap == 0 && fresh.jitter == 0 && fresh.count == 0);
    tl_scene_destroy(scene);
}

/* ---- Density ---- */

/* The part of a ball in the middle of the region that spheres take. */
static double density_of(const spheres *s, const double middle[3], double reach)
{
    double volume = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double r = s->r[i], d = distance3(s->x + 3 * i, middle), h = reach + r - d;
        if (d + r <= reach)
            volume += 4. / 3 * PI * r * r * r;
        else if (h > 0) /* the lens of two balls */
            volume += PI * h * h * (d * d + 2 * d * (r + reach) - 3 * (r - reach) * (r - reach)) /
                      (12 * d);
    }
    return volume / (4. / 3 * PI * reach * reach * reach);
}

static void test_density(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int size = 0; size < 4; size++) {
            const double least[4] = {0.51, 0.72, 0.31, 0.58};
            const double most[4] = {0.54, 0.7406, 0.38, 0.68}; /* crystals would be above */
            for (int pattern = size ? 3 : 0; pattern < 4; pattern++) {
                tl_fill_def def = fill_of(pattern, region_of(kind, 20), sizes_of(size, 0.5));
                tl_scene *scene = empty_scene();
                double middle[3] = {4, 11, 12};
                if (kind == TL_REGION_SPHERE)
                    memcpy(middle, def.region.centre, sizeof middle);
                if (kind == TL_REGION_CYLINDER)
                    add3(def.region.centre, 0.5, def.region.axis, middle);
                context("pattern %d, region %d, sizes %d", pattern, kind, size);
                fill(scene, &def);
                spheres s = spheres_of(scene, 0);
                const double density = density_of(&s, middle, 6);
                assert_above(density, least[pattern]);
                assert_below(density, most[pattern] + 1e-3);
                free_spheres(&s);
                tl_scene_destroy(scene);
            }
        }
}

/* Close packings fill from where gravity points to. */
static void test_lowest_first(void **state)
{
    (void)state;
    const double gravity[4][3] = {{0, 0, -9.81}, {3, 0, 0}, {0, 0, 0}, {0, 1e-200, 0}};
    const int axis[4] = {2, 0, 2, 1}, sign[4] = {1, -1, 1, -1};
    for (int i = 0; i < 4; i++) {
        const double low[3] = {-5, -5, -5}, high[3] = {5, 5, 5};
        tl_fill_def def = fill_of(TL_FILL_CLOSE, tl_region_box(low, high), sizes_of(0, 0.5));
        tl_scene *scene = empty_scene();
        set_gravity(scene, gravity[i][0], gravity[i][1], gravity[i][2]);
        def.count = 400; /* of about 1000 */
        fill(scene, &def);
        spheres s = spheres_of(scene, 0);
        double highest = -INFINITY;
        for (size_t k = 0; k < s.count; k++)
            highest = fmax(highest, sign[i] * s.x[3 * k + (size_t)axis[i]]);
        context("gravity %d", i);
        assert_below(highest, 0.5);
        assert_above(highest, -2.5);
        free_spheres(&s);
        tl_scene_destroy(scene);
    }
}

/* ---- Sizes ---- */

static void test_sizes(void **state)
{
    (void)state;
    const tl_size_def sizes[] = {
        {TL_SIZE_UNIFORM, 0, 0, 0.02, 0.05},
        {TL_SIZE_NORMAL, 0.03, 0.004, 0.005, 0.05},
        {TL_SIZE_NORMAL, 0.03, 0.01, 0.03, 0.05}, /* the upper half, cut at two deviations */
        {TL_SIZE_LOGNORMAL, 0.02, 0.25, 0.005, 0.05},
    };
    const double half = 0.5 * erf(sqrt(2)), cut = (1 - exp(-2)) / sqrt(2 * PI);
    const double means[] = {0.035, 0.03, 0.03 + 0.01 * cut / half, 0.02 * exp(0.25 * 0.25 / 2)};
    const double deviations[] = {
        0.03 / sqrt(12), 0.004,
        0.01 * sqrt(1 - 2 * exp(-2) / sqrt(2 * PI) / half - (cut / half) * (cut / half)),
        means[3] * sqrt(exp(0.25 * 0.25) - 1)};
    for (int pattern = 0; pattern < 4; pattern++)
        for (int i = 0; i < 4; i++) {
            tl_fill_def def = fill_of(
                pattern, tl_region_box((double[3]){0, 0, 0}, (double[3]){3, 3, 3}), sizes[i]);
            double mean = 0, square = 0;
            tl_scene *scene = empty_scene();
            context("pattern %d, sizes %d", pattern, i);
            def.count = 10000;
            fill(scene, &def);
            spheres s = spheres_of(scene, 0);
            for (size_t k = 0; k < s.count; k++) {
                mean += s.r[k] / 10000;
                square += s.r[k] * s.r[k] / 10000;
                assert_true(s.r[k] >= sizes[i].low && s.r[k] <= sizes[i].high);
            }
            const double deviation = sqrt(square - mean * mean);
            assert_near(mean, means[i], 4 * deviations[i] / 100);
            assert_near(deviation, deviations[i], 0.03 * deviations[i]);
            free_spheres(&s);
            tl_scene_destroy(scene);
        }
}

/* ---- The same everywhere ---- */

static void test_same_everywhere(void **state)
{
    (void)state;
    static const uint64_t known[4] = {0x8267e472d25af666u, 0xc86bfd152fe638acu, 0xa92b0481a78d519fu,
                                      0x93634af051edb2fdu};
    for (int pattern = 0; pattern < 4; pattern++) {
        uint64_t prints[3];
        for (int run = 0; run < 3; run++) {
            tl_fill_def def = fill_of(pattern, region_of(TL_REGION_CYLINDER, 4), sizes_of(3, 0.25));
            tl_scene *scene = empty_scene();
            def.jitter = pattern <= TL_FILL_HEX ? 0.01 : 0;
            def.seed = run == 2 ? 2 : 1;
            fill(scene, &def);
            spheres s = spheres_of(scene, 0);
            prints[run] = fingerprint(&s);
            free_spheres(&s);
            tl_scene_destroy(scene);
        }
        context("pattern %d", pattern);
        assert_true(prints[0] == prints[1]);
        assert_true(prints[0] != prints[2]);
        if (prints[0] != known[pattern])
            fail_msg("pattern %d: the spheres' fingerprint is 0x%llx", pattern,
                     (unsigned long long)prints[0]);
    }
}

/* ---- Regions ---- */

static void test_contains(void **state)
{
    (void)state;
    tl_region box = tl_region_box((double[3]){0, 0, 0}, (double[3]){1, 2, 3});
    tl_region open = tl_region_box((double[3]){-INFINITY, -INFINITY, 0},
                                   (double[3]){INFINITY, INFINITY, INFINITY});
    tl_region tube = {
        .kind = TL_REGION_CYLINDER, .centre = {1, 0, 0}, .axis = {0, 3, 4}, .radius = 2};
    tl_region ball = {.kind = TL_REGION_SPHERE, .centre = {1, 1, 1}, .radius = 2};
    const struct {
        const tl_region *region;
        double x[3];
        bool inside;
    } cases[] = {
        {&box, {0, 0, 0}, true},           {&box, {1, 2, 3}, true},
        {&box, {0.5, 2.0001, 1}, false},   {&box, {NAN, 1, 1}, false},
        {&open, {1e300, -1e300, 0}, true}, {&open, {0, 0, -1e-300}, false},
        {&tube, {1, 0, 0}, true},          {&tube, {1, 3, 4}, true},
        {&tube, {3, 1.5, 2}, true},        {&tube, {3.0001, 1.5, 2}, false},
        {&tube, {1, 3.01, 4}, false},      {&tube, {1, 0, -0.01}, false},
        {&tube, {1, 1.57, -1.17}, true},   {&tube, {1, 1.61, -1.2}, false},
        {&ball, {3, 1, 1}, true},          {&ball, {2.2, 2.2, 2.2}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        context("case %zu", i);
        if (tl_region_contains(cases[i].region, cases[i].x) != cases[i].inside)
            fail_msg("%s", test_context);
    }
    assert_false(tl_region_contains(NULL, box.low));
    assert_string_equal(tl_last_message(), "region is NULL; it must not be");
    assert_false(tl_region_contains(&box, NULL));
    assert_string_equal(tl_last_message(), "point is NULL; it must not be");
    tl_region none = tl_region_box(NULL, box.high);
    assert_string_equal(tl_last_message(), "low is NULL; it must not be");
    assert_true(none.high[0] == 0);
    none = tl_region_box(box.high, NULL);
    assert_string_equal(tl_last_message(), "high is NULL; it must not be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_overlaps),
        cmocka_unit_test(test_storeys),
        cmocka_unit_test(test_walls_at_the_bounds),
        unwatched_test(test_many_panels),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_one_fits),
        cmocka_unit_test(test_bodies),
        unwatched_test(test_density),
        cmocka_unit_test(test_lowest_first),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_contains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
