/* Geometries of a scene and frames of shapes: hulls with their faces, edges and bounds, what is
 * refused, what happens when allocations fail; bounding balls and boxes against points of the
 * surface. */
#include "failing.h"
#include "hull_sets.h"

#include "base/turn.h"
#include "scene/scene.h"

static tl_scene *new_scene(void)
{
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    return scene;
}

/* A hull's record, taken apart. */
typedef struct parts {
    uint32_t vertices, faces, edges;
    const double *x, *planes;
    const uint32_t *starts, *loop, *edge, *edge_face;
    const tl_geometry_rec *record;
} parts;

static parts parts_of(const tl_scene *scene, tl_geometry geometry)
{
    const tl_geometry_rec *g = (tl_geometry_rec *)scene->geometries.data + geometry.index - 1;
    const uint32_t *w = g->words.data;
    parts p = {.vertices = w[0], .faces = w[1], .edges = w[2], .record = g};
    assert_int_equal(g->kind, TL_HULL);
    p.x = g->numbers.data;
    p.planes = p.x + 3 * (size_t)p.vertices;
    p.starts = w + 3;
    p.loop = p.starts + p.faces + 1;
    p.edge = p.loop + p.starts[p.faces];
    p.edge_face = p.edge + 2 * (size_t)p.edges;
    assert_int_equal(g->numbers.count, 3 * p.vertices + 4 * p.faces);
    assert_int_equal(g->words.count, 3 + p.faces + 1 + p.starts[p.faces] + 4 * p.edges);
    return p;
}

static bool face_has_side(const parts *p, uint32_t face, uint32_t from, uint32_t to)
{
    for (uint32_t i = p->starts[face]; i < p->starts[face + 1]; i++) {
        const uint32_t next = i + 1 < p->starts[face + 1] ? i + 1 : p->starts[face];
        if (p->loop[i] == from && p->loop[next] == to)
            return true;
    }
    return false;
}

/* A face is in its plane, convex and counterclockwise, and nothing is outside of it. */
static void check_face(const parts *p, uint32_t f, double size)
{
    const double *n = p->planes + 4 * (size_t)f;
    const uint32_t begin = p->starts[f], count = p->starts[f + 1] - begin;
    assert_true(count >= 3 && count <= 32);
    assert_near(dot3(n, n), 1, 1e-14);
    for (uint32_t v = 0; v < p->vertices; v++)
        assert_true(dot3(n, p->x + 3 * (size_t)v) <= n[3] + 2e-9 * size);
    for (uint32_t i = 0; i < count; i++) {
        const double *a = p->x + 3 * (size_t)p->loop[begin + i];
        const double *b = p->x + 3 * (size_t)p->loop[begin + (i + 1) % count];
        const double *c = p->x + 3 * (size_t)p->loop[begin + (i + 2) % count];
        double turn = 0;
        for (int k = 0; k < 3; k++) {
            const int j = (k + 1) % 3, l = (k + 2) % 3;
            turn += n[k] * ((b[j] - a[j]) * (c[l] - b[l]) - (b[l] - a[l]) * (c[j] - b[j]));
        }
        assert_true(fabs(dot3(n, a) - n[3]) <= 2e-9 * size && turn > 0);
    }
}

static void check_parts(const parts *p)
{
    const tl_geometry_rec *g = p->record;
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, g->high[k] - g->low[k]);
    assert_int_equal(p->vertices + p->faces, p->edges + 2);
    for (uint32_t f = 0; f < p->faces; f++)
        check_face(p, f, size);
    for (uint32_t e = 0; e < p->edges; e++) {
        const uint32_t *v = p->edge + 2 * (size_t)e, *f = p->edge_face + 2 * (size_t)e;
        assert_true(face_has_side(p, f[0], v[0], v[1]) && face_has_side(p, f[1], v[1], v[0]));
    }
    for (uint32_t v = 0; v < p->vertices; v++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            assert_true(p->x[3 * v + (uint32_t)k] >= g->low[k]);
            assert_true(p->x[3 * v + (uint32_t)k] <= g->high[k]);
            d[k] = p->x[3 * v + (uint32_t)k] - g->centre[k];
        }
        assert_true(sqrt(dot3(d, d)) <= g->radius * (1 + 1e-15));
    }
    assert_true(g->radius <= 0.9 * size && g->radius >= 0.5 * size);
}

static void box_corner(int i, const double half[3], const double q[4], double out[3])
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = i >> k & 1 ? half[k] : -half[k];
    tl_turn_apply(q, x, out);
}

/* Points on edges and faces, inside, and beside corners by rounding make no difference. */
static void hulls_of_boxes_have_six_faces(void **state)
{
    const double half[3] = {0.5, 0.3, 0.7}, axis[3] = {0.6, -0.48, 0.64}, off[3] = {3, -1, 2};
    (void)state;
    for (int angle = 0; angle < 6; angle++) {
        tl_scene *scene = new_scene();
        tl_geometry geometry;
        double q[4], points[8 + 8 + 12 + 6][3];
        tl_turn_exp(axis, angle, q);
        for (int i = 0; i < 8; i++)
            box_corner(i, half, q, points[i]);
        for (int i = 0; i < 8; i++) /* the same but for a last bit */
            for (int k = 0; k < 3; k++)
                points[8 + i][k] = points[i][k] * (1 + 4e-16);
        for (int i = 0; i < 12; i++) /* middles of edges */
            for (int k = 0; k < 3; k++) {
                const int bit = 1 << i / 4, low = i % 4, at = low % bit + (low / bit) * 2 * bit;
                points[16 + i][k] = 0.5 * (points[at][k] + points[at + bit][k]);
            }
        for (int i = 0; i < 6; i++) { /* points of faces */
            double x[3] = {0.1, 0.05, -0.2};
            x[i / 2] = i % 2 ? half[i / 2] : -half[i / 2];
            tl_turn_apply(q, x, points[28 + i]);
        }
        for (int i = 0; i < 34; i++)
            for (int k = 0; k < 3; k++)
                points[i][k] += angle ? off[k] : 0;
        assert_ok(tl_scene_add_hull(scene, 34, points[0], &geometry));
        const parts p = parts_of(scene, geometry);
        assert_int_equal(p.vertices, 8);
        assert_int_equal(p.faces, 6);
        assert_int_equal(p.edges, 12);
        check_parts(&p);
        assert_near(p.record->volume, 8 * 0.5 * 0.3 * 0.7, 1e-8);
        assert_near(p.record->radius, sqrt(0.25 + 0.09 + 0.49), 1e-2);
        tl_scene_destroy(scene);
    }
}

/* The sets that the tests of exact hulls use, those with a volume and few enough vertices. */
static void hulls_of_many_sets_are_sound(void **state)
{
    int made = 0;
    (void)state;
    for (int set = 0; set < HULL_SETS; set++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            tl_scene *scene = new_scene();
            tl_geometry geometry;
            const size_t count = hull_set(set, seed, 8 + 7 * seed);
            context("%s, %zu points", hull_set_names[set], count);
            const tl_status status = tl_scene_add_hull(scene, count, hull_points[0], &geometry);
            if (status == TL_OK) {
                const parts p = parts_of(scene, geometry);
                check_parts(&p);
                made++;
            } else {
                assert_true(status == TL_BAD_ARGUMENT || status == TL_TOO_LARGE);
                assert_int_equal(geometry.index, 0);
                assert_int_equal(scene->geometries.count, 0);
            }
            tl_scene_destroy(scene);
        }
    assert_true(made > HULL_SETS * 10);
}

/* A prism with n sides: n corners per base. */
static tl_status add_prism(tl_scene *scene, int n, tl_geometry *geometry)
{
    static double points[600][3];
    for (int i = 0; i < 2 * n; i++) {
        points[i][0] = cos(2 * 3.14159265358979 * i / n);
        points[i][1] = sin(2 * 3.14159265358979 * i / n);
        points[i][2] = i < n;
    }
    return tl_scene_add_hull(scene, 2 * (size_t)n, points[0], geometry);
}

static tl_status add_ball(tl_scene *scene, size_t count, tl_geometry *geometry)
{
    static double points[600][3];
    for (size_t i = 0; i < count; i++) { /* a spiral */
        const double z = (2 * (double)i + 1) / (double)count - 1, a = 2.399963 * (double)i;
        points[i][0] = sqrt(1 - z * z) * cos(a);
        points[i][1] = sqrt(1 - z * z) * sin(a);
        points[i][2] = z;
    }
    return tl_scene_add_hull(scene, count, points[0], geometry);
}

static void large_hulls_are_refused(void **state)
{
    tl_geometry geometry;
    (void)state;
    tl_scene *scene = new_scene();
    assert_ok(add_prism(scene, 32, &geometry));
    assert_int_equal(parts_of(scene, geometry).faces, 34);
    assert_refused(
        add_prism(scene, 33, &geometry), TL_TOO_LARGE,
        "a face of the hull of the points has 33 vertices; it may have at most 32: simplify "
        "it, or decompose the body into several hulls");
    assert_int_equal(geometry.index, 0);
    assert_ok(add_ball(scene, 255, &geometry));
    assert_int_equal(geometry.index, 2);
    assert_int_equal(parts_of(scene, geometry).vertices, 255);
    assert_refused(
        add_ball(scene, 256, &geometry), TL_TOO_LARGE,
        "the hull of the points has 256 vertices; it may have at most 255: simplify it, or "
        "decompose the body into several hulls");
    assert_int_equal(scene->geometries.count, 2);
    tl_scene_destroy(scene);
}

static void bad_hulls_are_refused(void **state)
{
    double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}};
    tl_geometry geometry = {7};
    (void)state;
    tl_scene *scene = new_scene();
    assert_refused(tl_scene_add_hull(scene, 5, points[0], NULL), TL_BAD_ARGUMENT,
                   "geometry is NULL; it must not be");
    assert_refused(tl_scene_add_hull(NULL, 5, points[0], &geometry), TL_BAD_ARGUMENT,
                   "scene is NULL; it must not be");
    assert_int_equal(geometry.index, 0);
    assert_refused(tl_scene_add_hull(scene, 5, NULL, &geometry), TL_BAD_ARGUMENT,
                   "points is NULL; it must not be");
    assert_int_equal(tl_scene_add_hull(scene, 0, NULL, &geometry), TL_BAD_ARGUMENT);
    assert_int_equal(tl_scene_add_hull(scene, 3, points[0], &geometry), TL_BAD_ARGUMENT);
    assert_int_equal(tl_scene_add_hull(scene, 5, points[0], &geometry), TL_BAD_ARGUMENT);
    assert_refused(tl_scene_add_mesh(scene, NULL, &geometry), TL_BAD_ARGUMENT,
                   "mesh is NULL; it must not be");
    assert_refused(tl_scene_add_heights(scene, NULL, &geometry), TL_BAD_ARGUMENT,
                   "def is NULL; it must not be");
    for (double height = 1e-13; height < 1e-5; height *= 10) { /* made, or refused: no third way */
        points[4][2] = height;
        const tl_status status = tl_scene_add_hull(scene, 5, points[0], &geometry);
        if (status == TL_OK) {
            const parts p = parts_of(scene, geometry);
            assert_int_equal(p.vertices, 5);
            check_parts(&p);
        }
        context("height %g: %s", height, status < 0 ? tl_last_message() : "made");
        assert_status(status, height < 5e-10 ? TL_BAD_ARGUMENT : TL_OK);
    }
    points[2][1] = NAN;
    assert_int_equal(tl_scene_add_hull(scene, 5, points[0], &geometry), TL_BAD_ARGUMENT);
    tl_scene_destroy(scene);
}

/* ---- Failing allocations ---- */

static tl_status add_and_copy(void)
{
    tl_array copy = {.item = sizeof(tl_geometry_rec)};
    tl_geometry geometry;
    tl_scene *scene;
    TL_TRY(tl_scene_create(&scene));
    tl_status status = add_prism(scene, 6, &geometry);
    assert_int_equal(scene->geometries.count, status == TL_OK);
    assert_int_equal(geometry.index, status == TL_OK);
    if (status == TL_OK)
        status = tl_geometries_copy(&scene->geometries, &copy);
    assert_int_equal(copy.count, status == TL_OK);
    if (status == TL_OK) {
        const tl_geometry_rec *a = scene->geometries.data, *b = copy.data;
        assert_int_equal(a->words.count, b->words.count);
        assert_memory_equal(a->words.data, b->words.data, 4 * a->words.count);
        assert_memory_equal(a->numbers.data, b->numbers.data, 8 * a->numbers.count);
    }
    tl_geometries_free(&copy);
    tl_scene_destroy(scene);
    return status;
}

static void failing_allocations_add_nothing(void **state)
{
    (void)state;
    each_allocation_may_fail(add_and_copy);
}

/* ---- Frames ---- */

/* The farthest point of a shape along a direction of its own frame. */
static double reach(const tl_scene *scene, const tl_shape_def *s, const double d[3])
{
    const double across = hypot(d[0], d[1]), *e = s->half_extents;
    double most = -INFINITY;
    switch (s->kind) {
    case TL_SPHERE: return s->radius;
    case TL_BOX:
        return (e[0] - s->rounding) * fabs(d[0]) + (e[1] - s->rounding) * fabs(d[1]) +
               (e[2] - s->rounding) * fabs(d[2]) + s->rounding;
    case TL_CAPSULE: return s->half_length * fabs(d[2]) + s->radius;
    case TL_CYLINDER:
        return (s->radius - s->rounding) * across + (s->half_length - s->rounding) * fabs(d[2]) +
               s->rounding;
    case TL_CONE: return fmax(s->half_length * d[2], s->radius * across - s->half_length * d[2]);
    case TL_ELLIPSOID: return sqrt(pow(e[0] * d[0], 2) + pow(e[1] * d[1], 2) + pow(e[2] * d[2], 2));
    default: {
        const parts p = parts_of(scene, s->geometry);
        for (uint32_t v = 0; v < p.vertices; v++)
            most = fmax(most, dot3(d, p.x + 3 * (size_t)v));
        return most + s->rounding;
    }
    }
}

/* A bounding ball and box hold the shape in all directions, and the box touches it. */
static void frames_bound_their_shapes(void **state)
{
    const double axis[3] = {0.6, -0.48, 0.64};
    tl_geometry geometry;
    (void)state;
    tl_scene *scene = new_scene();
    const double points[12] = {0, 0, 0, 1.2, 0.1, 0, 0.2, 1, 0.1, 0.1, 0.2, 0.9};
    assert_ok(tl_scene_add_hull(scene, 4, points, &geometry));
    tl_shape_def shapes[] = {
        tl_sphere_default(0.3),        tl_box_default(0.1, 0.2, 0.3), tl_capsule_default(0.1, 0.4),
        tl_cylinder_default(0.2, 0.3), tl_cone_default(0.2, 0.3),     tl_cone_default(0.9, 0.3),
        tl_ellipsoid_default(1, 2, 3), tl_hull_default(geometry),     tl_box_default(0.1, 0.2, 0.3),
        tl_cylinder_default(0.2, 0.3),
    };
    for (int i = 7; i < 10; i++)
        shapes[i].rounding = 0.05;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tl_body_def def = tl_body_default();
        double frame[TL_FRAME], ball[4], tightest = INFINITY;
        shapes[i].position[1] = 0.7;
        tl_turn_exp(axis, 0.3 + (double)i, shapes[i].orientation);
        def.kind = TL_FIXED;
        def.shape_count = 1;
        def.shapes = &shapes[i];
        assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
        tl_shape_frame((tl_shape_rec *)scene->list.shapes.data + i, &scene->geometries, frame,
                       ball);
        assert_true(frame[19] == (shapes[i].kind == TL_HULL ? 1 : 0) && frame[1] == 0.7);
        for (int n = 0; n < 2000; n++) {
            const double z = (n + 0.5) / 1000 - 1, a = 2.399963 * n, s = sqrt(1 - z * z);
            const double d[3] = {s * cos(a), s * sin(a), z};
            const double *q = shapes[i].orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
            double own[3];
            tl_turn_apply(back, d, own);
            const double far = reach(scene, &shapes[i], own) + 0.7 * d[1];
            assert_true(far <= dot3(d, ball) + ball[3] + 1e-12);
            tightest = fmin(tightest, dot3(d, ball) + ball[3] - far);
        }
        assert_true(tightest < 0.02 * ball[3]);
        for (int k = 0; k < 6; k++) {
            const double d[3] = {(k == 0) - (k == 3), (k == 1) - (k == 4), (k == 2) - (k == 5)};
            const double *q = shapes[i].orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
            double own[3], from[3] = {ball[0], ball[1] - 0.7, ball[2]};
            tl_turn_apply(back, from, own); /* the ball's centre along the shape's axes */
            const double far = reach(scene, &shapes[i], d) - dot3(d, own);
            assert_true(far <= frame[15 + k % 3] + 1e-14);
            if (shapes[i].kind != TL_CONE && shapes[i].kind != TL_HULL)
                assert_near(far, frame[15 + k % 3], 1e-13);
        }
    }
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_boxes_have_six_faces),
        cmocka_unit_test(hulls_of_many_sets_are_sound),
        cmocka_unit_test(large_hulls_are_refused),
        cmocka_unit_test(bad_hulls_are_refused),
        cmocka_unit_test(failing_allocations_add_nothing),
        cmocka_unit_test(frames_bound_their_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
