/* Convex hulls: of random points and of the sets that break hulls (points on grids, on spheres,
 * equal, in one plane but for one, thin as needles). Each is closed and convex, has no point
 * outside, and has vertices that were given. tests/unit/test_hull_qhull.c compares volumes with
 * Qhull's. */
#include "failing.h"
#include "hull_sets.h"

/* No point is above a triangle, up to rounding of this test's own arithmetic. */
static void check_hull(size_t count, double points[][3], double tolerance)
{
    tl_mesh *hull = NULL;
    assert_ok(tl_mesh_create_hull(count, points[0], &hull));
    const tl_mesh_info info = tl_mesh_describe(hull);
    assert_int_equal(info.open_edges + info.crowded_edges + info.turned_edges, 0);
    assert_int_equal(info.components, 1);
    assert_int_equal(info.triangle_count, 2 * info.vertex_count - 4); /* Euler */
    for (size_t t = 0; t < info.triangle_count; t++) {
        const double *c[3];
        double u[3], v[3], normal[3];
        for (int k = 0; k < 3; k++)
            c[k] = info.vertices + 3 * (size_t)info.triangles[3 * t + (size_t)k];
        add3(c[1], -1, c[0], u);
        add3(c[2], -1, c[0], v);
        cross3(u, v, normal);
        const double twice = norm3(normal);
        assert_true(twice > 0);
        for (size_t i = 0; i < count; i++) {
            double to[3];
            add3(points[i], -1, c[0], to);
            /* the height above a sliver is known to rounding over its height */
            const double noise = 1e-14 * norm3(u) * norm3(v) / twice * norm3(to);
            assert_below(dot3(normal, to) / twice, tolerance + noise);
        }
    }
    for (size_t i = 0; i < info.vertex_count; i++) {
        bool given = false;
        for (size_t j = 0; j < count && !given; j++)
            given = memcmp(info.vertices + 3 * i, points[j], 3 * sizeof(double)) == 0;
        assert_true(given);
    }
    tl_mesh_destroy(hull);
}

static void sets(void **state)
{
    (void)state;
    for (int set = 0; set < HULL_SETS; set++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const size_t count = hull_set(set, seed, 300);
            context("set %d (%s), seed %d", set, hull_set_names[set], (int)seed);
            check_hull(count, hull_points, 1e-12 * hull_size(count));
        }
}

/* A cube with a grid of points has a volume of exactly 1 and corners that need not be all of them.
 */
static void grid(void **state)
{
    (void)state;
    size_t count = 0;
    for (int i = 0; i < 11 * 11 * 11; i++, count++)
        for (int k = 0, n = i; k < 3; k++, n /= 11)
            hull_points[count][k] = n % 11 / 10.0;
    tl_mesh *hull;
    tl_mesh_solid solid;
    assert_ok(tl_mesh_create_hull(count, hull_points[0], &hull));
    assert_ok(tl_mesh_measure(hull, 1, &solid));
    assert_near(solid.volume, 1, 1e-14);
    tl_mesh_destroy(hull);
}

static void refusals(void **state)
{
    (void)state;
    tl_mesh *hull;
    memset(hull_points, 0, sizeof hull_points);
    assert_refused(tl_mesh_create_hull(3, hull_points[0], &hull), TL_BAD_ARGUMENT,
                   "count is 3; a convex hull needs four points");
    assert_refused(tl_mesh_create_hull(10, hull_points[0], &hull), TL_BAD_ARGUMENT,
                   "points: all 10 lie in one place within 0 m (their size is 0 m); a convex hull "
                   "needs four that do not");
    for (int i = 0; i < 10; i++)
        hull_points[i][0] = hull_points[i][2] = i;
    assert_status(tl_mesh_create_hull(10, hull_points[0], &hull), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "all 10 lie on one line"));
    for (int i = 0; i < 10; i++)
        hull_points[i][1] = i * i;
    assert_status(tl_mesh_create_hull(10, hull_points[0], &hull), TL_BAD_ARGUMENT);
    assert_non_null(strstr(tl_last_message(), "all 10 lie in one plane"));
    assert_null(hull);
    hull_points[4][1] = NAN;
    assert_refused(tl_mesh_create_hull(10, hull_points[0], &hull), TL_BAD_ARGUMENT,
                   "points[4][1] is nan; it must be a number below 1e+12 m");
    assert_status(tl_mesh_create_hull(10, NULL, &hull), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_create_hull(10, hull_points[0], NULL), TL_BAD_ARGUMENT);
}

static tl_status make_one(void)
{
    tl_mesh *hull;
    const size_t count = hull_set(0, 1, 60);
    const tl_status status = tl_mesh_create_hull(count, hull_points[0], &hull);
    tl_mesh_destroy(hull);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    each_allocation_may_fail(make_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets),
        cmocka_unit_test(grid),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
