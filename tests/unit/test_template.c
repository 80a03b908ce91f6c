/* Fills with templates: copies lie in the region and touch nothing, come as often as their weights
 * say, in all rotations and sizes; a sphere as a template is the fill of spheres. Solids that are
 * in the way of fills. */
#include "failing.h"
#include "mesh_forms.h"

#include "base/turn.h"
#include "scene/scene.h"

static tl_scene *new_scene(void)
{
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    return scene;
}

static tl_fill_def fill_of(tl_fill_pattern pattern, double half)
{
    tl_fill_def def = tl_fill_default();
    const double low[3] = {-half, -half, -half}, high[3] = {half, half, half};
    def.region = tl_region_box(low, high);
    def.pattern = pattern;
    def.seed = 7;
    return def;
}

static const tl_body_rec *bodies_of(const tl_scene *scene)
{
    return scene->list.bodies.data;
}

/* The same places as spheres of the ball's radius have, whatever the pattern. */
static void a_sphere_as_template_fills_like_spheres(void **state)
{
    (void)state;
    for (uint32_t pattern = TL_FILL_GRID; pattern <= TL_FILL_CLOSE; pattern++) {
        tl_scene *plain = new_scene(), *copied = new_scene();
        const tl_shape_def sphere = tl_sphere_default(0.1);
        const tl_template_def template = {1, 1, &sphere};
        tl_fill_def def = fill_of((tl_fill_pattern)pattern, 0.7);
        uint64_t count[2];
        context("%s", tl_word(TL_WORDS_PATTERN, pattern));
        def.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.05, .high = 0.1};
        assert_ok(tl_scene_fill(plain, &def, &count[0], NULL));
        def.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.5, .high = 1};
        def.template_count = 1;
        def.templates = &template;
        assert_ok(tl_scene_fill(copied, &def, &count[1], NULL));
        assert_int_equal(count[0], count[1]);
        assert_true(count[0] > 50);
        for (uint64_t i = 0; i < count[0]; i++) {
            assert_below(distance3(bodies_of(plain)[i].position, bodies_of(copied)[i].position),
                         1e-15);
            assert_near(bodies_of(plain)[i].mass / bodies_of(copied)[i].mass, 1, 1e-13);
        }
        tl_scene_destroy(plain);
        tl_scene_destroy(copied);
    }
}

/* The ball around a body's shapes, in the world frame. */
static void ball_of(const tl_scene *scene, size_t i, double out[4])
{
    const tl_body_rec *body = &bodies_of(scene)[i];
    const tl_shape_rec *shape = (tl_shape_rec *)scene->list.shapes.data + body->first_shape;
    double frame[TL_FRAME], ball[4];
    tl_shape_frame(shape, &scene->geometries, frame, ball);
    tl_turn_apply(body->orientation, ball, out);
    for (int k = 0; k < 3; k++)
        out[k] += body->position[k];
    out[3] = ball[3];
}

static void copies_touch_nothing(void **state)
{
    (void)state;
    for (uint32_t pattern = TL_FILL_GRID; pattern <= TL_FILL_RANDOM; pattern++) {
        tl_scene *scene = new_scene();
        const tl_shape_def cone = tl_cone_default(0.06, 0.1), box = tl_box_default(0.1, 0.03, 0.02);
        const tl_template_def templates[2] = {{2, 1, &cone}, {1, 1, &box}};
        tl_fill_def def = fill_of((tl_fill_pattern)pattern, 1);
        uint64_t count;
        size_t cones = 0;
        context("%s", tl_word(TL_WORDS_PATTERN, pattern));
        def.gap = 0.01;
        def.templates = templates;
        def.template_count = 2;
        assert_ok(tl_scene_fill(scene, &def, &count, NULL));
        assert_true(count > 300);
        for (size_t i = 0; i < count; i++) {
            double a[4], b[4];
            ball_of(scene, i, a);
            for (int k = 0; k < 3; k++)
                assert_below(fabs(a[k]) + a[3], 1 + 1e-12);
            for (size_t j = 0; j < i; j++) {
                ball_of(scene, j, b);
                assert_above(distance3(a, b), a[3] + b[3] + 0.01 - 1e-9);
            }
            const tl_shape_rec *shapes = scene->list.shapes.data;
            cones += shapes[bodies_of(scene)[i].first_shape].kind == TL_CONE;
        }
        const double share = (double)cones / (double)count;
        assert_near(share, 2.0 / 3, 4 * sqrt(2.0 / 9 / (double)count));
        tl_scene_destroy(scene);
    }
}

/* Where the axes of many copies point: evenly, by their first and second moments. */
static void copies_are_turned_evenly(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_shape_def box = tl_box_default(0.01, 0.02, 0.03);
    const tl_template_def template = {1, 1, &box};
    tl_fill_def def = fill_of(TL_FILL_GRID, 1);
    double sum[3] = {0}, square[3] = {0};
    uint64_t count;
    def.templates = &template;
    def.template_count = 1;
    assert_ok(tl_scene_fill(scene, &def, &count, NULL));
    assert_true(count > 10000);
    for (uint64_t i = 0; i < count; i++) {
        const double axis[3] = {0, 0, 1};
        double turned[3];
        tl_turn_apply(bodies_of(scene)[i].orientation, axis, turned);
        for (int k = 0; k < 3; k++) {
            sum[k] += turned[k] / (double)count;
            square[k] += turned[k] * turned[k] / (double)count;
        }
    }
    for (int k = 0; k < 3; k++) { /* variances 1/3 and 4/45 */
        assert_near(sum[k], 0, 4 * sqrt(1.0 / 3 / (double)count));
        assert_near(square[k], 1.0 / 3, 4 * sqrt(4.0 / 45 / (double)count));
    }
    assert_int_equal(scene->list.shapes.count, 1); /* copies of one size share their shapes */
    tl_scene_destroy(scene);
}

/* A compound keeps its form: distances and masses scale with the factor. */
static void compounds_keep_their_form(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_material_def surface = tl_material_default();
    tl_material rubber, steel;
    assert_ok(tl_scene_add_material(scene, &surface, &rubber));
    assert_ok(tl_scene_add_material(scene, &surface, &steel));
    tl_shape_def shapes[2] = {tl_capsule_default(0.02, 0.05), tl_sphere_default(0.04)};
    shapes[0].position[0] = 0.3; /* the ball around it is far from the origin */
    shapes[1].position[0] = 0.36;
    shapes[1].material = steel;
    const tl_template_def template = {1, 2, shapes};
    tl_body_def one = tl_body_default();
    one.shape_count = 2;
    one.shapes = shapes;
    assert_ok(tl_scene_add_bodies(scene, 1, &one, NULL));
    const double mass = bodies_of(scene)[0].mass;
    tl_fill_def def = fill_of(TL_FILL_GRID, 1);
    uint64_t count;
    def.templates = &template;
    def.template_count = 1;
    def.size.radius = 2;
    def.material = rubber;
    assert_ok(tl_scene_fill(scene, &def, &count, NULL));
    assert_true(count > 50);
    for (size_t i = 1; i <= count; i++) {
        const tl_body_rec *body = &bodies_of(scene)[i];
        const tl_shape_rec *s = (tl_shape_rec *)scene->list.shapes.data + body->first_shape;
        assert_near(body->mass / mass, 8, 1e-12);
        assert_near(distance3(s[0].position, s[1].position), 0.12, 1e-12);
        assert_true(s[0].material == rubber.index && s[1].material == steel.index);
        for (int k = 0; k < 3; k++)
            assert_below(fabs(body->position[k]), 1);
    }
    tl_scene_destroy(scene);
}

/* A solid keeps spheres out, and no more than the box around it. */
static void solids_are_in_the_way(void **state)
{
    const double points[18] = {0.4, 0, 0, -0.4, 0, 0, 0, 0.4, 0, 0, -0.4, 0, 0, 0, 0.4, 0, 0, -0.4};
    (void)state;
    for (uint32_t kind = TL_CAPSULE; kind <= TL_HULL; kind++) {
        tl_scene *scene = new_scene();
        tl_geometry hull;
        uint64_t count;
        assert_ok(tl_scene_add_hull(scene, 6, points, &hull));
        tl_shape_def shape = tl_sphere_default(0.2);
        shape.kind = (tl_shape_kind)kind;
        shape.half_length = kind == TL_CAPSULE ? 0.2 : 0.4;
        shape.half_extents[0] = shape.half_extents[1] = shape.half_extents[2] = 0.4;
        shape.geometry = hull;
        tl_body_def body = tl_body_default();
        body.shape_count = 1;
        body.shapes = &shape;
        assert_ok(tl_scene_add_bodies(scene, 1, &body, NULL));
        tl_fill_def def = fill_of(TL_FILL_GRID, 0.6);
        def.size.radius = 0.05;
        def.gap = 0.001;
        assert_ok(tl_scene_fill(scene, &def, &count, NULL));
        context("%s: %u", tl_word(TL_WORDS_SHAPE, kind), (unsigned)count);
        assert_true(count < 11 * 11 * 11 && count > 500);
        const tl_shape_rec *own = scene->list.shapes.data;
        const double r = kind == TL_ELLIPSOID || kind == TL_HULL ? 0.4 : 0.2;
        for (size_t i = 1; i <= count; i++) {
            const double *x = bodies_of(scene)[i].position, *o = bodies_of(scene)[0].position;
            double local[3]; /* in the shape's frame */
            for (int k = 0; k < 3; k++)
                local[k] = x[k] - o[k] - own[0].position[k];
            const bool out = fabs(local[0]) > r + 0.05 || fabs(local[1]) > r + 0.05 ||
                             fabs(local[2]) > 0.4 + 0.05 ||
                             hypot(fmax(0, fabs(local[0]) - r), fmax(0, fabs(local[1]) - r)) > 0.05;
            assert_true(out || fabs(local[2]) > 0.4);
        }
        tl_scene_destroy(scene);
    }
}

static void bad_templates_are_refused(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_shape_def shape = tl_box_default(0.1, 0.1, 0.1);
    tl_template_def templates[2] = {{1, 1, &shape}, {1, 1, &shape}};
    tl_fill_def def = fill_of(TL_FILL_GRID, 1);
    def.template_count = 2;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "templates is NULL; it must not be");
    def.templates = templates;
    templates[1].weight = -1;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "fill.templates[1].weight is -1; it must be finite and > 0");
    templates[1].weight = 1;
    templates[1].shapes = NULL;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "fill.templates[1].shapes is empty; a template needs a shape at least");
    templates[1].shapes = &shape;
    shape.kind = TL_HEIGHTS;
    assert_refused(
        tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
        "fill.templates[0].shapes[0].kind is TL_HEIGHTS; a dynamic body takes solids only: "
        "plane, parallelogram and heights belong to fixed or prescribed bodies");
    shape.kind = TL_BOX;
    def.pattern = TL_FILL_CLOSE;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "fill.template_count is 2; it must be at most 1 with TL_FILL_CLOSE");
    def.pattern = TL_FILL_GRID;
    def.size.radius = -1;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "fill.size.radius is -1; it must be finite and > 0");
    def.size.radius = 0;
    def.count = 100000;
    assert_refused(tl_scene_fill(scene, &def, NULL, NULL), TL_BAD_ARGUMENT,
                   "fill.count is 100000; only 125 bodies fit");
    assert_int_equal(tl_scene_body_count(scene), 0);
    tl_scene_destroy(scene);
}

static tl_status fill_with_copies(void)
{
    tl_scene *scene;
    const tl_shape_def shapes[2] = {tl_box_default(0.1, 0.2, 0.1), tl_cone_default(0.1, 0.1)};
    const tl_template_def templates[2] = {{1, 2, shapes}, {1, 1, shapes}};
    tl_fill_def def = fill_of(TL_FILL_RANDOM, 1);
    uint64_t count;
    TL_TRY(tl_scene_create(&scene));
    def.template_count = 2;
    def.templates = templates;
    def.size.radius = 0.5;
    const tl_status status = tl_scene_fill(scene, &def, &count, NULL);
    assert_int_equal(tl_scene_body_count(scene), status == TL_OK ? count : 0);
    tl_scene_destroy(scene);
    return status;
}

static void failing_allocations_add_nothing(void **state)
{
    (void)state;
    each_allocation_may_fail(fill_with_copies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_as_template_fills_like_spheres),
        cmocka_unit_test(copies_touch_nothing),
        cmocka_unit_test(copies_are_turned_evenly),
        cmocka_unit_test(compounds_keep_their_form),
        cmocka_unit_test(solids_are_in_the_way),
        cmocka_unit_test(bad_templates_are_refused),
        cmocka_unit_test(failing_allocations_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
