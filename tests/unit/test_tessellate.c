/* Triangles of shapes: closed, turned outward, of the right volume and with the right normals. The
 * volumes that they come near to are closed formulas. */
#include "support.h"
#include "failing.h"
#include "mesh_forms.h"

/* A shape with its geometry. */
typedef struct solid {
    const char *name;
    tl_shape_def shape;
    const tl_geometry_info *geometry;
    double volume; /* m^3 */
} solid;

/* A cube with an edge of 1 as a hull. */
static const double cube_points[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                       0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static tl_mesh *cube_mesh;
static tl_geometry_info cube;

static tl_shape_def with_rounding(tl_shape_def shape, double rounding)
{
    shape.rounding = rounding;
    return shape;
}

static tl_shape_def of_kind(tl_shape_kind kind, double rounding)
{
    tl_shape_def shape = tl_sphere_default(0);
    shape.kind = kind;
    shape.rounding = rounding;
    return shape;
}

/* What all points within r of a box with these edges fill. */
static double rounded_volume(double a, double b, double c, double r)
{
    return a * b * c + 2 * (a * b + b * c + c * a) * r + PI * (a + b + c) * r * r +
           4 * PI / 3 * r * r * r;
}

/* A rounded cylinder: the same about a disc of radius R and height L (Steiner's formula). */
static double rounded_cylinder(double radius, double height, double r)
{
    const double area = 2 * PI * radius * radius + 2 * PI * radius * height;
    const double mean = PI * (height + PI * radius); /* integral of the mean curvature */
    return PI * radius * radius * height + area * r + mean * r * r + 4 * PI / 3 * r * r * r;
}

static size_t list_solids(solid *list)
{
    const solid all[] = {
        {"sphere", tl_sphere_default(0.7), NULL, 4 * PI / 3 * 0.343},
        {"box", tl_box_default(0.5, 1, 2), NULL, 8},
        {"rounded box", with_rounding(tl_box_default(0.5, 1, 2), 0.2), NULL,
         rounded_volume(0.6, 1.6, 3.6, 0.2)},
        {"capsule", tl_capsule_default(0.5, 0.8), NULL, PI * 0.25 * 1.6 + 4 * PI / 3 * 0.125},
        {"cylinder", tl_cylinder_default(0.5, 0.8), NULL, PI * 0.25 * 1.6},
        {"rounded cylinder", with_rounding(tl_cylinder_default(0.5, 0.8), 0.1), NULL,
         rounded_cylinder(0.4, 1.4, 0.1)},
        {"cone", tl_cone_default(0.5, 0.8), NULL, PI * 0.25 * 1.6 / 3},
        {"ellipsoid", tl_ellipsoid_default(0.5, 1, 2), NULL, 4 * PI / 3},
        {"hull", of_kind(TL_HULL, 0), &cube, 1},
        {"rounded hull", of_kind(TL_HULL, 0.25), &cube, rounded_volume(1, 1, 1, 0.25)},
    };
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* The volume, after everything that has to be exact was found to be. */
static double measure(const solid *s, uint32_t segments)
{
    tl_surface *surface = NULL;
    assert_status(tl_surface_create(&s->shape, s->geometry, segments, &surface), TL_OK);
    const tl_surface_info info = tl_surface_describe(surface);
    tl_mesh_def def = tl_mesh_default();
    tl_mesh *mesh = NULL;
    tl_mesh_solid filled;
    context("%s with %u segments", s->name, segments);
    def.vertex_count = info.vertex_count;
    def.vertices = info.vertices;
    def.triangle_count = info.triangle_count;
    def.triangles = info.triangles;
    def.merge = 1e-12; /* vertices of one place with several normals */
    assert_status(tl_mesh_create(&def, &mesh), TL_OK);
    const tl_mesh_info m = tl_mesh_describe(mesh);
    assert_int_equal(m.open_edges, 0);
    assert_int_equal(m.crowded_edges, 0);
    assert_int_equal(m.turned_edges, 0);
    assert_int_equal(m.dropped, 0);
    assert_int_equal(m.components, 1);
    assert_int_equal(2 * m.vertex_count, 4 + m.triangle_count); /* V - E + F = 2 with E = 3 F / 2 */
    assert_status(tl_mesh_measure(mesh, 1, &filled), TL_OK);
    /* Normals are unit and on the outer side of each triangle that has them. */
    for (size_t i = 0; i < info.triangle_count; i++) {
        const uint32_t *c = info.triangles + 3 * i;
        const double *p = info.vertices + 3 * (size_t)c[0], *q = info.vertices + 3 * (size_t)c[1],
                     *r = info.vertices + 3 * (size_t)c[2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = q[k] - p[k];
            v[k] = r[k] - p[k];
        }
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                             u[0] * v[1] - u[1] * v[0]};
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            const double *w = info.normals + 3 * (size_t)c[k];
            assert_near(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], 1, 1e-12);
            assert_true((w[0] * n[0] + w[1] * n[1] + w[2] * n[2]) / length > 0.5);
        }
    }
    tl_mesh_destroy(mesh);
    tl_surface_destroy(surface);
    return filled.volume;
}

static void test_volumes(void **state)
{
    solid list[16];
    const size_t count = list_solids(list);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const double coarse = list[i].volume - measure(&list[i], 16),
                     fine = list[i].volume - measure(&list[i], 64);
        /* Vertices lie on the surface, so a convex shape's triangles lie inside; the rest shrinks
         * with the square of the edges. */
        assert_true(coarse >= -1e-12 && fine >= -1e-12);
        assert_below(fine, 0.005 * list[i].volume);
        if (coarse > 1e-9)
            assert_near(coarse / fine, 16, 5); /* corners of hulls: whole numbers of rows */
        else
            assert_below(fine, 1e-12);
    }
}

/* Sharp edges have several normals, smooth ones none; nobody pays for what is not there. */
static void test_sizes(void **state)
{
    const tl_shape_def box = tl_box_default(1, 1, 1), cylinder = tl_cylinder_default(1, 1);
    tl_surface *surface = NULL;
    (void)state;
    assert_status(tl_surface_create(&box, NULL, 8, &surface), TL_OK);
    assert_int_equal(tl_surface_describe(surface).vertex_count, 24);
    assert_int_equal(tl_surface_describe(surface).triangle_count, 12);
    tl_surface_destroy(surface);
    assert_status(tl_surface_create(&cylinder, NULL, 8, &surface), TL_OK);
    assert_int_equal(tl_surface_describe(surface).triangle_count, 2 * 8 + 16);
    tl_surface_destroy(surface);
    const tl_shape_def hull = of_kind(TL_HULL, 0);
    assert_status(tl_surface_create(&hull, &cube, 8, &surface), TL_OK);
    assert_int_equal(tl_surface_describe(surface).vertex_count, 24); /* three normals per corner */
    tl_surface_destroy(surface);
    const double u[3] = {2, 0, 0}, v[3] = {0, 3, 0};
    const tl_shape_def patch = tl_parallelogram_default(u, v);
    assert_status(tl_surface_create(&patch, NULL, 8, &surface), TL_OK);
    const tl_surface_info info = tl_surface_describe(surface);
    assert_int_equal(info.triangle_count, 2);
    assert_near(info.normals[2], 1, 0);
    tl_surface_destroy(surface);
}

/* A roof: its two sides are smooth or sharp by the angle between them. */
static void test_creases(void **state)
{
    const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        const double drop = sharp ? -2 : -0.1; /* of the eaves */
        const double vertices[12] = {0, 0, 0, 0, 1, 0, -1, 0.5, drop, 1, 0.5, drop};
        const tl_geometry_info g = {.kind = TL_MESH,
                                    .vertex_count = 4,
                                    .vertices = vertices,
                                    .triangle_count = 2,
                                    .triangles = triangles};
        const tl_shape_def shape = of_kind(TL_MESH, 0);
        tl_surface *surface = NULL;
        assert_status(tl_surface_create(&shape, &g, 8, &surface), TL_OK);
        assert_int_equal(tl_surface_describe(surface).vertex_count, sharp ? 6 : 4);
        tl_surface_destroy(surface);
    }
}

static void refuse(tl_shape_def shape, const tl_geometry_info *g, uint32_t segments,
                   const char *text)
{
    tl_surface *surface = (tl_surface *)1;
    assert_status(tl_surface_create(&shape, g, segments, &surface), TL_BAD_ARGUMENT);
    assert_null(surface);
    assert_string_equal(tl_last_message(), text);
}

static void test_refusals(void **state)
{
    uint32_t triangles[6] = {0, 1, 2, 1, 0, 9};
    const tl_geometry_info bad = {TL_HULL, 4, cube_points, 2, triangles};
    tl_surface *surface = NULL;
    (void)state;
    const tl_shape_def ball = tl_sphere_default(1);
    assert_status(tl_surface_create(NULL, NULL, 8, &surface), TL_BAD_ARGUMENT);
    assert_status(tl_surface_create(&ball, NULL, 8, NULL), TL_BAD_ARGUMENT);
    refuse(ball, NULL, 10, "segments is 10; it must be a multiple of 4 from 8 to 1024");
    refuse(ball, NULL, 4, "segments is 4; it must be a multiple of 4 from 8 to 1024");
    refuse(tl_sphere_default(-1), NULL, 8, "shape.radius is -1; it must be above 0 and finite");
    refuse(tl_capsule_default(1, INFINITY), NULL, 8,
           "shape.half_length is inf; it must be above 0 and finite");
    refuse(with_rounding(tl_box_default(1, 2, 3), 1), NULL, 8,
           "shape.rounding is 1; it must be at least 0 and below 1");
    refuse(tl_plane_default(), NULL, 8, "a plane has no end, and so no triangles");
    refuse(of_kind(TL_HULL, 0), NULL, 8, "shape.geometry: its vertices and triangles are missing");
    refuse(of_kind(TL_MESH, 0), &cube, 8, "shape.geometry is of kind 8; the shape is of kind 9");
    refuse(of_kind(TL_HULL, 0), &bad, 8, "shape.geometry: triangle 1 has vertex 9; there are 4");
    triangles[5] = 3;
    refuse(of_kind(TL_HULL, 0.1), &bad, 8, "shape.geometry: edge 0-2 of the hull is open");
    refuse(of_kind((tl_shape_kind)99, 0), NULL, 8, "shape.kind is 99; there is no such kind");
}

/* The farthest vertex of a fine surface, placed by the same pose, is as far as the reach says. */
static void test_reach(void **state)
{
    solid list[16];
    const size_t count = list_solids(list);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        tl_shape_def *d = &list[i].shape;
        tl_surface *surface = NULL;
        double most = 0;
        context("%s", list[i].name);
        d->position[0] = d->kind == TL_ELLIPSOID ? 0 : 0.3;
        d->position[2] = d->kind == TL_ELLIPSOID ? 0 : -0.4;
        d->orientation[0] = d->orientation[1] = sqrt(0.5); /* (x, y, z) to (x, -z, y) */
        assert_status(tl_surface_create(d, list[i].geometry, 256, &surface), TL_OK);
        const tl_surface_info info = tl_surface_describe(surface);
        for (size_t k = 0; k < info.vertex_count; k++) {
            const double *p = info.vertices + 3 * k;
            const double at[3] = {d->position[0] + p[0], d->position[1] - p[2],
                                  d->position[2] + p[1]};
            most = fmax(most, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
        }
        const double reach = tl_shape_reach(d, list[i].geometry);
        assert_true(reach >= most - 1e-12);
        assert_near(most, reach, 2e-4);
        tl_surface_destroy(surface);
    }
    const tl_shape_def plane = tl_plane_default(), hull = of_kind(TL_HULL, 0);
    assert_true(isinf(tl_shape_reach(&plane, NULL)));
    assert_near(tl_shape_reach(&hull, NULL), 0, 0);
    assert_near(tl_shape_reach(NULL, NULL), 0, 0);
}

/* Memory that runs out at any place is said, and nothing is left behind. */
static const solid *made;

static tl_status make_one(void)
{
    tl_surface *surface = NULL;
    const tl_status status = tl_surface_create(&made->shape, made->geometry, 16, &surface);
    assert_true((status == TL_OK) == (surface != NULL));
    tl_surface_destroy(surface);
    return status;
}

static void test_memory(void **state)
{
    solid list[16];
    const size_t count = list_solids(list);
    (void)state;
    for (made = list; made < list + count; made++)
        each_allocation_may_fail(make_one);
}

static int make_cube(void **state)
{
    (void)state;
    if (tl_mesh_create_hull(8, cube_points, &cube_mesh) != TL_OK)
        return -1;
    const tl_mesh_info info = tl_mesh_describe(cube_mesh);
    cube = (tl_geometry_info){TL_HULL, info.vertex_count, info.vertices, info.triangle_count,
                              info.triangles};
    return 0;
}

static int free_cube(void **state)
{
    (void)state;
    tl_mesh_destroy(cube_mesh);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_creases), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_reach),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_cube, free_cube);
}
