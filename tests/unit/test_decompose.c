/* Meshes as spheres: one sphere for a sphere, surfaces that come nearer as the tolerance shrinks, a
 * limit on the number of spheres, the same spheres each time, and what is refused. */
#include "failing.h"
#include "mesh_forms.h"

static double volume; /* of the mesh decomposed last */

static tl_decomposition *decompose(double tolerance, size_t most)
{
    tl_mesh *mesh = form_mesh();
    tl_decompose_def def = tl_decompose_default();
    tl_decomposition *out = NULL;
    tl_mesh_solid solid;
    def.tolerance = tolerance;
    def.most = most;
    assert_ok(tl_mesh_measure(mesh, 1, &solid));
    volume = solid.volume;
    assert_ok(tl_mesh_decompose(mesh, &def, &out));
    tl_mesh_destroy(mesh);
    return out;
}

/* How far points of the surface are outside of all spheres at most: many of each triangle where
 * there are few of them. */
static double farthest_outside(const tl_decomposition_info *info)
{
    const int n = the_form.triangle_count > 100 ? 2 : 30;
    double most = 0;
    for (size_t t = 0; t < the_form.triangle_count; t++)
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                double p[3], least = INFINITY;
                for (int k = 0; k < 3; k++)
                    p[k] = (i * the_form.vertices[the_form.triangles[t][0]][k] +
                            j * the_form.vertices[the_form.triangles[t][1]][k] +
                            (n - i - j) * the_form.vertices[the_form.triangles[t][2]][k]) /
                           n;
                for (size_t b = 0; b < info->count; b++)
                    least =
                        fmin(least, distance3(p, info->balls[b].centre) - info->balls[b].radius);
                most = fmax(most, least);
            }
    return most;
}

/* What holds of every decomposition. */
static void check_sound(const tl_decomposition_info *info)
{
    const double slack = info->fit.sampling;
    assert_true(info->count > 0);
    for (size_t i = 0; i < info->count; i++) {
        assert_true(info->balls[i].radius > 0 && isfinite(info->balls[i].radius));
        assert_true(i == 0 || info->balls[i].radius <= info->balls[i - 1].radius);
    }
    assert_below(info->fit.protrusion, info->tolerance * 1.001);
    /* What is to be covered are points a third of a tolerance apart; between them it may be a
     * little more. */
    assert_below(farthest_outside(info), 1.05 * info->tolerance);
    /* In an inner corner a point is farther from the union's surface than the spheres stick out. */
    assert_below(info->fit.deviation_max, sqrt(2) * info->tolerance + slack);
    assert_below(info->fit.deviation_rms, 0.6 * info->tolerance + slack);
    assert_below(info->fit.reverse_rms, 0.6 * info->tolerance + slack);
    /* missing and excess explain the difference in volume. */
    assert_near(info->fit.volume - volume, info->fit.excess - info->fit.missing,
                2 * info->fit.volume_accuracy + 1e-12 * volume);
}

static void sphere(void **state)
{
    (void)state;
    form_sphere(5);
    for (double tolerance = 0.1; tolerance > (WATCHED ? 0.03 : 0.015); tolerance /= 2) {
        context("tolerance %g", tolerance);
        tl_decomposition *d = decompose(tolerance, 0);
        const tl_decomposition_info info = tl_decomposition_describe(d);
        assert_int_equal(info.count, 1);
        assert_near(info.balls[0].radius, 1, 0.1 * tolerance);
        for (int k = 0; k < 3; k++)
            assert_near(info.balls[0].centre[k], 0, 0.1 * tolerance);
        check_sound(&info);
        tl_decomposition_destroy(d);
    }
}

/* Half the tolerance: smaller errors, all of them. */
static void converge(double first, double last)
{
    double before[3] = {INFINITY, INFINITY, INFINITY};
    for (double tolerance = first; tolerance >= (WATCHED ? first / 2 : last); tolerance /= 2) {
        context("tolerance %g", tolerance);
        tl_decomposition *d = decompose(tolerance, 0);
        const tl_decomposition_info info = tl_decomposition_describe(d);
        const double now[3] = {info.fit.missing + info.fit.excess, info.fit.deviation_rms,
                               info.fit.reverse_rms};
        check_sound(&info);
        for (int k = 0; k < 3; k++) {
            assert_below(now[k], 0.75 * before[k]);
            before[k] = now[k];
        }
        assert_below(info.fit.inertia_error, 2 * tolerance);
        tl_decomposition_destroy(d);
    }
}

static void cube(void **state)
{
    (void)state;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    converge(0.1, 0.025);
}

static void bracket(void **state)
{
    (void)state;
    form_bracket();
    converge(0.08, 0.02);
}

static void torus(void **state)
{
    (void)state;
    form_torus(1, 0.3, 64, 32);
    converge(0.1, 0.05);
}

/* Two balls and a bar: components need not touch, and thin parts are not lost. */
static void thin_parts(void **state)
{
    (void)state;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 0.01});    /* a plate */
    form_box((double[3]){2, 0, 0}, (double[3]){2.02, 0.02, 1}); /* a needle */
    tl_decomposition *d = decompose(0.05, 0);
    const tl_decomposition_info info = tl_decomposition_describe(d);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < info.count; i++) {
        low = fmin(low, info.balls[i].centre[0]);
        high = fmax(high, info.balls[i].centre[0]);
    }
    assert_below(info.fit.protrusion, 0.05 * 1.001);
    assert_below(info.fit.deviation_max, 0.05 + 2 * info.fit.sampling);
    assert_below(low, 0.1);
    assert_above(high, 1.95);
    tl_decomposition_destroy(d);
}

/* A needle a billion times longer than wide, and a fan of slivers: samples go by area and length,
 * so that neither takes more of them than memory has room for. */
static void slivers(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static double corners[COUNT][2];
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1e-9, 1e-9, 1});
    tl_decompose_def def = tl_decompose_default();
    tl_decomposition *d = NULL;
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_mesh_decompose(mesh, &def, &d));
    assert_true(tl_decomposition_describe(d).count > 5);
    assert_below(tl_decomposition_describe(d).fit.deviation_max, 0.04);
    tl_decomposition_destroy(d);
    def.tolerance = 1e-7;
    assert_status(tl_mesh_decompose(mesh, &def, &d), TL_TOO_LARGE);
    tl_mesh_destroy(mesh);
    form_clear();
    for (int i = 0; i < COUNT; i++) {
        corners[i][0] = cos(2 * PI * i / COUNT);
        corners[i][1] = sin(2 * PI * i / COUNT);
    }
    form_prism(COUNT, corners, (double[2]){0, 0}, 0.5);
    d = decompose(0.1, 0);
    const tl_decomposition_info info = tl_decomposition_describe(d);
    check_sound(&info);
    tl_decomposition_destroy(d);
}

static void at_most(void **state)
{
    (void)state;
    double last = 0;
    form_bracket();
    for (size_t most = WATCHED ? 10 : 40; most >= 5; most /= 2) {
        context("at most %zu", most);
        tl_decomposition *d = decompose(0.01, most);
        const tl_decomposition_info info = tl_decomposition_describe(d);
        assert_true(info.count <= most && 2 * info.count >= most);
        assert_above(info.tolerance, fmax(0.01, last));
        check_sound(&info);
        last = info.tolerance;
        tl_decomposition_destroy(d);
    }
    tl_decomposition *one = decompose(0.01, 1);
    assert_int_equal(tl_decomposition_describe(one).count, 1);
    tl_decomposition_destroy(one);
}

/* The same bytes again; and the same spheres of a part that is a thousand times larger. */
static void same_each_time(void **state)
{
    (void)state;
    form_bracket();
    tl_decomposition *a = decompose(0.03125, 0), *b = decompose(0.03125, 0);
    form_move(1024, (double[3]){0, 0, 0});
    tl_decomposition *c = decompose(32, 0);
    const tl_decomposition_info x = tl_decomposition_describe(a), y = tl_decomposition_describe(b),
                                z = tl_decomposition_describe(c);
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.balls, y.balls, x.count * sizeof *x.balls);
    assert_int_equal(x.count, z.count);
    for (size_t i = 0; i < x.count; i++)
        assert_near(z.balls[i].radius, 1024 * x.balls[i].radius, 1e-6);
    const double count = (double)x.count;
    tl_decomposition_destroy(a);
    tl_decomposition_destroy(b);
    tl_decomposition_destroy(c);
    /* 10 km away coordinates are rounded to 2e-12 m: as many spheres, or nearly, and as near. */
    form_move(1.0 / 1024, (double[3]){1e4, -1e4, 1e4});
    a = decompose(0.03125, 0);
    const tl_decomposition_info far = tl_decomposition_describe(a);
    assert_near((double)far.count, count, 0.2 * count);
    check_sound(&far);
    tl_decomposition_destroy(a);
}

static void refusals(void **state)
{
    (void)state;
    tl_decompose_def def = tl_decompose_default();
    tl_decomposition *d;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    tl_mesh *mesh = form_mesh();
    def.tolerance = -1;
    assert_refused(tl_mesh_decompose(mesh, &def, &d), TL_BAD_ARGUMENT,
                   "tolerance is -1; it must be finite and >= 0");
    def.tolerance = 1e-6;
    assert_status(tl_mesh_decompose(mesh, &def, &d), TL_TOO_LARGE);
    assert_non_null(strstr(tl_last_message(), "tolerance is 1e-06 m; it must be at least 0.0034"));
    assert_null(d);
    assert_status(tl_mesh_decompose(NULL, &def, &d), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_decompose(mesh, NULL, &d), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_decompose(mesh, &def, NULL), TL_BAD_ARGUMENT);
    tl_mesh_destroy(mesh);
    the_form.triangle_count--;
    mesh = form_mesh();
    def = tl_decompose_default();
    assert_status(tl_mesh_decompose(mesh, &def, &d), TL_BAD_DATA);
    tl_mesh_destroy(mesh);
    tl_decomposition_destroy(NULL);
    assert_int_equal(tl_decomposition_describe(NULL).count, 0);
}

static tl_status make_one(void)
{
    const tl_mesh_def def = form_def();
    tl_decompose_def coarse = tl_decompose_default();
    tl_decomposition *d = NULL;
    tl_mesh *mesh;
    tl_status status = tl_mesh_create(&def, &mesh);
    coarse.tolerance = 0.5;
    coarse.most = 2;
    if (status == TL_OK)
        status = tl_mesh_decompose(mesh, &coarse, &d);
    tl_decomposition_destroy(d);
    tl_mesh_destroy(mesh);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    each_allocation_may_fail(make_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere),    cmocka_unit_test(cube),           cmocka_unit_test(bracket),
        cmocka_unit_test(torus),     cmocka_unit_test(thin_parts),     cmocka_unit_test(slivers),
        cmocka_unit_test(at_most),   cmocka_unit_test(same_each_time), cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
