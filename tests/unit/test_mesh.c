/* Meshes: what is merged, dropped and refused, and volume, centre of mass and inertia of forms that
 * have a formula, wherever and however large they are. */
#include "failing.h"
#include "mesh_forms.h"

static tl_mesh_solid measure(double density)
{
    tl_mesh *mesh = form_mesh();
    tl_mesh_solid solid;
    assert_ok(tl_mesh_measure(mesh, density, &solid));
    tl_mesh_destroy(mesh);
    return solid;
}

/* ---- Closed forms ---- */

/* At the origin and 10 km away, from a micrometre to a thousand kilometres. A part that is far away
 * for its size has lost digits of its coordinates before it gets here. */
static void box(void **state)
{
    (void)state;
    const double low[3] = {-1, -2, -3}, high[3] = {1, 2, 3};
    for (double scale = 1e-6; scale < 2e6; scale *= 10)
        for (int far = 0; far < 2; far++) {
            const double offset[3] = {far * 1e4, far * -7e3, far * 3e3};
            const double lost = 1 + far * 1e4 / scale; /* times the rounding of the coordinates */
            const double within = 2e-15 * lost;
            context("scale %g, offset %g", scale, offset[0]);
            if (within > 1e-6)
                continue;
            form_clear();
            form_box(low, high);
            form_move(scale, offset);
            const tl_mesh_solid s = measure(500);
            const double mass = 500 * 48 * pow(scale, 3), unit = mass * scale * scale;
            assert_near(s.volume / (48 * pow(scale, 3)), 1, 10 * within);
            assert_near(s.mass / mass, 1, 10 * within);
            for (int k = 0; k < 3; k++) {
                const double a = high[(k + 1) % 3], b = high[(k + 2) % 3];
                assert_near((s.centre[k] - offset[k]) / scale, 0, 10 * within);
                assert_near(s.moments[k] / (unit * (a * a + b * b) / 3), 1, 50 * within);
                assert_near(s.inertia[3 + k] / unit, 0, 50 * within);
            }
            assert_near(s.orientation[0], 1, 1e-9);
        }
}

/* A corner of a cube with edges a, b, c along the axes. */
static void tetrahedron(void **state)
{
    (void)state;
    const double e[3] = {1, 2, 3};
    form_clear();
    const uint32_t o = form_vertex(0, 0, 0), a = form_vertex(e[0], 0, 0),
                   b = form_vertex(0, e[1], 0), c = form_vertex(0, 0, e[2]);
    form_triangle(o, b, a);
    form_triangle(o, c, b);
    form_triangle(o, a, c);
    form_triangle(a, b, c);
    const tl_mesh_solid s = measure(1);
    assert_near(s.volume, 1, 1e-14);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        assert_near(s.centre[k], e[k] / 4, 1e-14);
        assert_near(s.inertia[k], (e[i] * e[i] + e[j] * e[j]) * (0.1 - 1.0 / 16), 1e-14);
        assert_near(s.inertia[3 + k], e[i] * e[j] * (1.0 / 16 - 1.0 / 20), 1e-14);
    }
    assert_near(s.moments[0] + s.moments[1] + s.moments[2],
                s.inertia[0] + s.inertia[1] + s.inertia[2], 1e-14);
}

/* The error falls with the square of the edges: by four at each level. */
static void sphere_converges(void **state)
{
    (void)state;
    double last = 0;
    for (int level = 2; level < 6; level++) {
        form_sphere(level);
        const tl_mesh_solid s = measure(1);
        const double volume = 4 * PI / 3, error = 1 - s.volume / volume;
        context("level %d", level);
        assert_true(error > 0);
        if (level > 2)
            assert_near(last / error, 4, 0.2);
        assert_near(s.moments[0] / (0.4 * volume), 1, 2 * error);
        last = error;
    }
    assert_below(last, 2e-3);
}

static void torus(void **state)
{
    (void)state;
    const double ring = 1, tube = 0.3;
    form_torus(ring, tube, 200, 100);
    form_move(1, (double[3]){1e4, 1e4, -1e4});
    const tl_mesh_solid s = measure(1);
    const double volume = 2 * PI * PI * ring * tube * tube;
    assert_near(s.volume / volume, 1, 1e-3);
    assert_near(s.moments[2] / (volume * (ring * ring + 0.75 * tube * tube)), 1, 2e-3);
    assert_near(s.moments[0] / (volume * (ring * ring / 2 + 0.625 * tube * tube)), 1, 2e-3);
}

/* A turned box: moments are those of the box, and the orientation turns them to the mesh. */
static void principal_axes(void **state)
{
    (void)state;
    const double half[3] = {1, 2, 3}, low[3] = {-1, -2, -3};
    for (int trial = 0; trial < 50; trial++) {
        double q[4], norm = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = sin(12.9898 * (trial + 1) * (k + 1)) + 0.01;
            norm += q[k] * q[k];
        }
        for (int k = 0; k < 4; k++)
            q[k] /= sqrt(norm);
        form_clear();
        form_box(low, half);
        for (size_t i = 0; i < 8; i++) {
            double v[3], t[3];
            memcpy(v, the_form.vertices[i], sizeof v);
            cross3(q + 1, v, t);
            for (int k = 0; k < 3; k++)
                t[k] += q[0] * v[k];
            cross3(q + 1, t, the_form.vertices[i]);
            for (int k = 0; k < 3; k++)
                the_form.vertices[i][k] = v[k] + 2 * the_form.vertices[i][k];
        }
        const tl_mesh_solid s = measure(1);
        context("trial %d", trial);
        double sorted[3] = {s.moments[0], s.moments[1], s.moments[2]};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                if (sorted[j] > sorted[j + 1]) {
                    const double swapped = sorted[j];
                    sorted[j] = sorted[j + 1];
                    sorted[j + 1] = swapped;
                }
        assert_near(sorted[0], 48 * 5.0 / 3, 1e-10);
        assert_near(sorted[1], 48 * 10.0 / 3, 1e-10);
        assert_near(sorted[2], 48 * 13.0 / 3, 1e-10);
        /* R diag(moments) R^T is the tensor, column by column. */
        for (int c = 0; c < 3; c++) {
            const double *o = s.orientation;
            double column[3] = {0};
            for (int a = 0; a < 3; a++) {
                double axis[3] = {a == 0, a == 1, a == 2}, t[3], w[3];
                cross3(o + 1, axis, t);
                for (int k = 0; k < 3; k++)
                    t[k] += o[0] * axis[k];
                cross3(o + 1, t, w);
                for (int k = 0; k < 3; k++)
                    w[k] = axis[k] + 2 * w[k];
                for (int k = 0; k < 3; k++)
                    column[k] += s.moments[a] * w[c] * w[k];
            }
            assert_near(column[c], s.inertia[c], 1e-9);
            assert_near(column[(c + 1) % 3], s.inertia[3 + (c + 2) % 3], 1e-9);
        }
        assert_above(s.orientation[0],
                     0.6); /* at most 62.8 degrees lead to one of the 24 choices */
    }
}

/* Two boxes are one solid. */
static void components(void **state)
{
    (void)state;
    const double a[3] = {-2, 0, 0}, b[3] = {-1, 1, 1}, c[3] = {1, 0, 0}, d[3] = {2, 1, 1};
    form_clear();
    form_box(a, b);
    form_box(c, d);
    tl_mesh *mesh = form_mesh();
    assert_int_equal(tl_mesh_describe(mesh).components, 2);
    tl_mesh_destroy(mesh);
    const tl_mesh_solid s = measure(1);
    assert_near(s.volume, 2, 1e-14);
    assert_near(s.centre[0], 0, 1e-14);
    assert_near(s.inertia[1], 2 * (1.0 / 6 + 1.5 * 1.5), 1e-13);
}

/* ---- Merging and dropping ---- */

static void merging(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    form_clear();
    form_box(low, high);
    /* Every triangle gets vertices of its own, the second time a little off. */
    for (int off = 0; off < 2; off++) {
        double vertices[36][3];
        uint32_t triangles[12][3];
        for (uint32_t i = 0; i < 36; i++) {
            memcpy(vertices[i], the_form.vertices[the_form.triangles[i / 3][i % 3]],
                   sizeof vertices[i]);
            vertices[i][i % 3] += off * 1e-7 * sin(i);
            triangles[i / 3][i % 3] = i;
        }
        tl_mesh_def def = tl_mesh_default();
        def.vertex_count = 36;
        def.vertices = vertices[0];
        def.triangle_count = 12;
        def.triangles = triangles[0];
        tl_mesh *mesh;
        assert_ok(tl_mesh_create(&def, &mesh));
        if (off) {
            assert_true(tl_mesh_describe(mesh).open_edges > 0);
            tl_mesh_destroy(mesh);
            def.merge = 1e-6;
            assert_ok(tl_mesh_create(&def, &mesh));
        }
        const tl_mesh_info info = tl_mesh_describe(mesh);
        assert_int_equal(info.vertex_count, 8);
        assert_int_equal(info.merged, 28);
        assert_int_equal(info.triangle_count, 12);
        assert_int_equal(info.open_edges, 0);
        assert_near(info.area, 6, 1e-5);
        tl_mesh_destroy(mesh);
    }
}

static void degenerate_triangles(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    form_clear();
    form_box(low, high);
    form_triangle(3, 3, 5);
    form_triangle(1, 1, 1);
    form_vertex(9, 9, 9); /* nobody's */
    tl_mesh *mesh = form_mesh();
    const tl_mesh_info info = tl_mesh_describe(mesh);
    assert_int_equal(info.dropped, 2);
    assert_int_equal(info.triangle_count, 12);
    assert_int_equal(info.vertex_count, 8);
    assert_near(info.high[0], 1, 0);
    tl_mesh_destroy(mesh);
    assert_near(measure(1).volume, 1, 1e-14);
    /* -0 and 0 are the same place. */
    the_form.vertices[0][0] = -0.0;
    assert_near(measure(1).volume, 1, 1e-14);
    /* A merge distance of the size of the mesh leaves nothing. */
    tl_mesh_def def = form_def();
    def.merge = 10;
    assert_refused(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT,
                   "triangles: all 14 have a vertex twice; one at least must have three vertices "
                   "that are not merged");
    assert_null(mesh);
}

/* ---- Flaws ---- */

static void flaws(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    tl_mesh_solid solid;
    form_clear();
    form_box(low, high);
    the_form.triangle_count--; /* a hole: 1, 7, 5 is gone */
    tl_mesh *mesh = form_mesh();
    assert_int_equal(tl_mesh_describe(mesh).open_edges, 3);
    assert_refused(
        tl_mesh_measure(mesh, 1, &solid), TL_BAD_DATA,
        "the mesh is no solid: 3 of its edges belong to one triangle alone: the surface "
        "has holes; each edge of a solid has two triangles, which run along it in opposite "
        "directions. Some are (1, 0, 0) to (1, 0, 1), (1, 0, 0) to (1, 1, 1), (1, 0, 1) to "
        "(1, 1, 1) (m)");
    tl_mesh_destroy(mesh);

    form_triangle(1, 5, 7); /* the hole is filled the wrong way round */
    mesh = form_mesh();
    assert_int_equal(tl_mesh_describe(mesh).turned_edges, 3);
    assert_status(tl_mesh_measure(mesh, 1, &solid), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "3 of its edges have two triangles of which one is "
                                              "inside out"));
    tl_mesh_destroy(mesh);

    form_clear();
    form_box(low, high);
    form_box((double[3]){1, 1, 0}, (double[3]){2, 2, 1}); /* they share an edge */
    mesh = form_mesh();
    assert_int_equal(tl_mesh_describe(mesh).crowded_edges, 1);
    assert_status(tl_mesh_measure(mesh, 1, &solid), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "1 of its edges belong to more than two triangles"));
    assert_non_null(strstr(tl_last_message(), "It is (1, 1, 0) to (1, 1, 1) (m)"));
    tl_mesh_destroy(mesh);

    form_clear();
    form_box(high, low); /* three coordinates mirrored */
    mesh = form_mesh();
    assert_refused(tl_mesh_measure(mesh, 1, &solid), TL_BAD_DATA,
                   "the mesh is inside out: its volume is -1 m^3; its triangles must go "
                   "counterclockwise when they are seen from outside");
    assert_near(solid.volume, 0, 0);
    tl_mesh_destroy(mesh);

    form_clear(); /* a sheet with two sides */
    form_vertex(0, 0, 0);
    form_vertex(1, 0, 0);
    form_vertex(0, 1, 0);
    form_triangle(0, 1, 2);
    form_triangle(0, 2, 1);
    mesh = form_mesh();
    assert_status(tl_mesh_measure(mesh, 1, &solid), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "no volume"));
    tl_mesh_destroy(mesh);
}

static void refusals(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    tl_mesh *mesh;
    tl_mesh_solid solid;
    form_clear();
    form_box(low, high);
    tl_mesh_def def = form_def();
    assert_refused(tl_mesh_create(&def, NULL), TL_BAD_ARGUMENT, "mesh is NULL; it must not be");
    assert_refused(tl_mesh_create(NULL, &mesh), TL_BAD_ARGUMENT, "def is NULL; it must not be");
    def.scale = -1;
    assert_refused(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT,
                   "scale is -1; it must be finite and > 0");
    def = form_def();
    def.merge = NAN;
    assert_status(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT);
    def = form_def();
    def.triangle_count = 0;
    assert_refused(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT,
                   "triangle_count is 0; it must be > 0");
    def.triangle_count = SIZE_MAX;
    assert_status(tl_mesh_create(&def, &mesh), TL_TOO_LARGE);
    def = form_def();
    the_form.triangles[5][1] = 8;
    assert_refused(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT,
                   "triangles[5][1] is 8; it must be below the 8 vertices");
    the_form.triangles[5][1] = 0;
    the_form.vertices[3][2] = INFINITY;
    assert_refused(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT,
                   "vertices[3][2] is inf; it must be a number below 1e+12 m");
    the_form.vertices[3][2] = 2e9;
    def.scale = 1000;
    assert_status(tl_mesh_create(&def, &mesh), TL_BAD_ARGUMENT);
    assert_refused(tl_mesh_measure(NULL, 1, &solid), TL_BAD_ARGUMENT,
                   "mesh is NULL; it must not be");
    form_clear();
    form_box(low, high);
    mesh = form_mesh();
    assert_refused(tl_mesh_measure(mesh, 0, &solid), TL_BAD_ARGUMENT,
                   "density is 0; it must be finite and > 0");
    assert_status(tl_mesh_measure(mesh, 1, NULL), TL_BAD_ARGUMENT);
    tl_mesh_destroy(mesh);
    tl_mesh_destroy(NULL);
    assert_int_equal(tl_mesh_describe(NULL).triangle_count, 0);
}

static tl_status make_one(void)
{
    const tl_mesh_def def = form_def();
    tl_mesh *mesh;
    const tl_status status = tl_mesh_create(&def, &mesh);
    tl_mesh_destroy(mesh);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    form_bracket();
    each_allocation_may_fail(make_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box),
        cmocka_unit_test(tetrahedron),
        cmocka_unit_test(sphere_converges),
        cmocka_unit_test(torus),
        cmocka_unit_test(principal_axes),
        cmocka_unit_test(components),
        cmocka_unit_test(merging),
        cmocka_unit_test(degenerate_triangles),
        cmocka_unit_test(flaws),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
