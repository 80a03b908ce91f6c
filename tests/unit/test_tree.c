/* Meshes and height fields as kernels walk them: the triangles near a box against looking at all of
 * them, neighbours, orders, and what is refused when they are made. */
#include "kernels/narrow/tree.h" /* first: it says what a real is */

#include <time.h>

#include "failing.h"
#include "surface_forms.h"

/* ---- Which triangles are near a box ---- */

static bool is_near(const tlk_surface *s, uint32_t t, const double low[3], const double high[3])
{
    double corner[9];
    tlk_surface_corners(s, t, corner);
    for (int k = 0; k < 3; k++) {
        const double least = fmin(fmin(corner[k], corner[3 + k]), corner[6 + k]);
        const double most = fmax(fmax(corner[k], corner[3 + k]), corner[6 + k]);
        if (most < low[k] || (least > high[k] && !(s->kind == TLK_HEIGHTS && k == 2)))
            return false;
    }
    return low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2];
}

/* Walks and looks at all; returns how many there are. */
static size_t compare(const tlk_surface *s, const double low[3], const double high[3])
{
    tlk_tree it;
    size_t found = 0;
    const uint32_t count = tlk_surface_triangles(s);
    tlk_tree_begin(&it, s, low, high);
    for (uint32_t t = 0; t < count; t++)
        if (is_near(s, t, low, high)) {
            assert_int_equal(tlk_tree_next(&it, s), t);
            found++;
        }
    assert_int_equal(tlk_tree_next(&it, s), TLK_NONE);
    assert_int_equal(tlk_tree_next(&it, s), TLK_NONE); /* and stays there */
    return found;
}

/* Random boxes of all sizes around and in the geometry; degenerate ones; none and all. */
static void compare_boxes(const tl_geometry_rec *geometry, dice *d, int rounds)
{
    const tlk_surface s = surface_of(geometry);
    const double size = 2 * geometry->radius;
    size_t found = 0, empty = 0;
    double low[3], high[3];
    for (int round = 0; round < rounds; round++) {
        const double half = size * pow(10, roll(d, -4, 0));
        double middle[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = roll(d, geometry->low[k] - 0.1 * size, geometry->high[k] + 0.1 * size);
            const double reach = round % 5 == 0 ? 0 : half * roll(d, 0, 1);
            low[k] = middle[k] - reach;
            high[k] = middle[k] + reach;
        }
        if (round % 3 == 0) { /* around a vertex, and touching there alone */
            double corner[9];
            const uint32_t t = (uint32_t)roll(d, 0, tlk_surface_triangles(&s));
            tlk_surface_corners(&s, t, corner);
            for (int k = 0; k < 3; k++) {
                const bool above = roll(d, 0, 1) < 0.5;
                low[k] = above ? corner[k] : corner[k] - half;
                high[k] = above ? corner[k] + half : corner[k];
            }
            assert_true(is_near(&s, t, low, high));
        }
        context("box %d", round);
        const size_t here = compare(&s, low, high);
        found += here;
        empty += here == 0;
    }
    assert_true(found > 0 && empty > 0);
    const double nowhere[3] = {geometry->high[0] + 1, geometry->low[1], geometry->low[2]};
    const double beyond[3] = {geometry->high[0] + 2, geometry->high[1], geometry->high[2]};
    assert_int_equal(compare(&s, nowhere, beyond), 0);
    assert_int_equal(compare(&s, geometry->low, geometry->high), tlk_surface_triangles(&s));
    assert_int_equal(compare(&s, geometry->high, geometry->low), 0); /* inside out: nothing */
    const double minus[3] = {-INFINITY, -INFINITY, -INFINITY},
                 plus[3] = {INFINITY, INFINITY, INFINITY};
    assert_int_equal(compare(&s, minus, plus), tlk_surface_triangles(&s));
    const double none[3] = {NAN, 0, 0};
    assert_int_equal(compare(&s, none, plus), 0);
}

static void form_soup(size_t count, dice *d)
{
    form_clear();
    for (size_t i = 0; i < count; i++) {
        double at[3], v[3];
        uint32_t corner[3];
        const double size = pow(10, roll(d, -3, 0));
        roll3(d, -1, 1, at);
        for (int c = 0; c < 3; c++) {
            roll3(d, -size, size, v);
            corner[c] = form_vertex(at[0] + v[0], at[1] + v[1], at[2] + v[2]);
        }
        form_triangle(corner[0], corner[1], corner[2]);
    }
}

static void boxes_near_meshes(void **state)
{
    (void)state;
    dice d = {.state = 1};
    for (int which = 0; which < 6; which++) {
        if (which == 0)
            form_sphere(4);
        else if (which == 1)
            form_torus(1, 0.3, 60, 30);
        else if (which == 2)
            form_grid(40, 5, 0.3, &d, bumps);
        else if (which == 3)
            form_soup(1500, &d);
        else if (which == 4) { /* far from its origin, where 32-bit boxes must not lose anything */
            form_torus(1, 0.3, 30, 15);
            form_move(1, (double[3]){1e7, -3e8, 12345.678});
        } else { /* all middles equal along two axes */
            form_clear();
            for (int i = 0; i < 100; i++) {
                const uint32_t a = form_vertex(i, 0, 0), b = form_vertex(i, 1, 0),
                               c = form_vertex(i, 0, 1);
                form_triangle(a, b, c);
            }
        }
        tl_geometry_rec geometry = form_geometry();
        context("mesh %d", which);
        compare_boxes(&geometry, &d, 400);
        tl_geometry_free(&geometry);
    }
}

/* Trees of every small size: the last leaves and nodes are not full. */
static void small_meshes(void **state)
{
    (void)state;
    dice d = {.state = 2};
    for (size_t count = 1; count < 70; count++) {
        form_soup(count, &d);
        tl_geometry_rec geometry = form_geometry();
        assert_int_equal(((uint32_t *)geometry.words.data)[TLK_MESH_TRIANGLES], count);
        compare_boxes(&geometry, &d, 60);
        tl_geometry_free(&geometry);
    }
}

static double *roll_heights(uint32_t columns, uint32_t rows, dice *d)
{
    double *heights = malloc(sizeof(double) * columns * rows);
    assert_non_null(heights);
    for (size_t i = 0; i < (size_t)columns * rows; i++)
        heights[i] = roll(d, -0.2, 0.2) + 0.5 * sin(0.05 * (double)i);
    return heights;
}

static void boxes_near_fields(void **state)
{
    (void)state;
    static const uint32_t grids[][2] = {{2, 2},   {2, 9},   {9, 2},  {10, 9},
                                        {17, 18}, {40, 33}, {3, 100}};
    dice d = {.state = 3};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        double *heights = roll_heights(grids[g][0], grids[g][1], &d);
        tl_geometry_rec geometry = field_geometry(grids[g][0], grids[g][1], 0.1, 0.3, heights);
        context("field %zu", g);
        compare_boxes(&geometry, &d, 400);
        tl_geometry_free(&geometry);
        free(heights);
    }
}

/* ---- Neighbours ---- */

/* Across an edge lies the triangle that has the same two vertices the other way round. */
static size_t check_neighbours(const tlk_surface *s)
{
    size_t open = 0;
    const uint32_t count = tlk_surface_triangles(s);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t v[3], w[3];
        tlk_surface_vertices(s, t, v);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t u = tlk_surface_across(s, t, k);
            if (u == TLK_NONE) {
                open++;
                continue;
            }
            assert_true(u < count && u != t);
            tlk_surface_vertices(s, u, w);
            uint32_t back = TLK_NONE;
            for (uint32_t m = 0; m < 3; m++)
                if (w[m] == v[(k + 1) % 3] && w[(m + 1) % 3] == v[k])
                    back = m;
            assert_int_not_equal(back, TLK_NONE);
            assert_int_equal(tlk_surface_across(s, u, back), t);
        }
    }
    return open;
}

static void neighbours(void **state)
{
    (void)state;
    dice d = {.state = 4};
    form_sphere(3);
    tl_geometry_rec geometry = form_geometry();
    tlk_surface s = surface_of(&geometry);
    assert_int_equal(check_neighbours(&s), 0);
    tl_geometry_free(&geometry);

    form_grid(20, 1, 0.3, &d, bumps);
    geometry = form_geometry();
    s = surface_of(&geometry);
    assert_int_equal(check_neighbours(&s), 80);
    tl_geometry_free(&geometry);

    for (uint32_t columns = 2; columns < 12; columns++) {
        double *heights = roll_heights(columns, 13 - columns, &d);
        geometry = field_geometry(columns, 13 - columns, 1, 1, heights);
        s = surface_of(&geometry);
        assert_int_equal(check_neighbours(&s), 2 * (columns - 1 + 12 - columns));
        tl_geometry_free(&geometry);
        free(heights);
    }

    /* three triangles on one edge: nobody's neighbours there */
    form_clear();
    const uint32_t a = form_vertex(0, 0, 0), b = form_vertex(0, 0, 1);
    form_triangle(a, b, form_vertex(1, 0, 0));
    form_triangle(b, a, form_vertex(-1, 1, 0));
    form_triangle(b, a, form_vertex(-1, -1, 0));
    geometry = form_geometry();
    s = surface_of(&geometry);
    assert_int_equal(check_neighbours(&s), 9);
    tl_geometry_free(&geometry);
}

/* Triangles of fields lie where their heights say, and face up. */
static void field_corners(void **state)
{
    (void)state;
    dice d = {.state = 5};
    const uint32_t columns = 5, rows = 4;
    double *heights = roll_heights(columns, rows, &d), volume = 0, under = 0;
    tl_geometry_rec geometry = field_geometry(columns, rows, 0.5, 0.25, heights);
    const tlk_surface s = surface_of(&geometry);
    assert_int_equal(tlk_surface_triangles(&s), 24);
    for (uint32_t t = 0; t < 24; t++) {
        double c[9], u[3], v[3], n[3];
        tlk_surface_corners(&s, t, c);
        for (int k = 0; k < 3; k++) {
            const double i = c[3 * k] / 0.5, j = c[3 * k + 1] / 0.25;
            assert_near(i, round(i), 0);
            assert_near(c[3 * k + 2], heights[(int)j * (int)columns + (int)i], 0);
            u[k] = c[3 + k] - c[k];
            v[k] = c[6 + k] - c[k];
        }
        cross3(u, v, n);
        assert_near(n[2], 0.125, 1e-15);
        volume += n[2] / 2 * (c[2] + c[5] + c[8]) / 3;
    }
    for (uint32_t j = 0; j < rows; j++) /* each vertex carries a third of its triangles */
        for (uint32_t i = 0; i < columns; i++) {
            int around = 0;
            around += i > 0 && j > 0 ? 2 : 0;
            around += i + 1 < columns && j > 0;
            around += i > 0 && j + 1 < rows;
            around += i + 1 < columns && j + 1 < rows ? 2 : 0;
            under += heights[j * columns + i] * around * 0.0625 / 3;
        }
    assert_near(volume, under, 1e-15);
    tl_geometry_free(&geometry);
    free(heights);
}

/* ---- Where surfaces stand ---- */

static void poses(void **state)
{
    (void)state;
    dice d = {.state = 6};
    form_sphere(3);
    tl_geometry_rec geometry = form_geometry();
    for (int round = 0; round < 300; round++) {
        double q[4], at[3], middle[3], half[3], low[3], high[3], about[3], vertex[9];
        roll_turn(&d, q);
        roll3(&d, -1e6, 1e6, at);
        const tlk_surface s = surface_at(&geometry, q, at);
        roll3(&d, -1, 1, middle);
        add3(at, 1, middle, middle);
        roll3(&d, 0, 0.3, half);
        add3(at, 1.0 / 3, half, about);
        tlk_surface_box(&s, middle, half, low, high);
        tlk_tree it;
        tlk_tree_begin(&it, &s, low, high);
        for (uint32_t t = 0, next = tlk_tree_next(&it, &s); t < tlk_surface_triangles(&s); t++) {
            double c[9];
            tlk_convex shape;
            bool near = true;
            tlk_surface_triangle(&s, t, about, vertex, &shape);
            tlk_surface_corners(&s, t, c);
            assert_int_equal(shape.kind, TLK_TRIANGLE);
            for (int v = 0; v < 3; v++) {
                double world[3], back[3], moved[3];
                rotate(q, 1, c + 3 * v, world);
                add3(world, 1, at, world);
                add3(vertex + 3 * v, 1, about, moved);
                assert_near(distance3(world, moved), 0, 2e-9);
                tlk_surface_point_in(&s, world, back);
                assert_near(distance3(back, c + 3 * v), 0, 2e-9);
            }
            for (int k = 0; k < 3; k++) { /* boxes in the world: what meets there is found */
                const double a = vertex[k], b = vertex[3 + k], e = vertex[6 + k];
                near = near && fmin(fmin(a, b), e) + about[k] <= middle[k] + half[k] &&
                       fmax(fmax(a, b), e) + about[k] >= middle[k] - half[k];
            }
            /* a triangle with a vertex in the box must be among those found */
            bool inside = false;
            for (int v = 0; v < 3; v++)
                inside = inside || (fabs(vertex[3 * v] + about[0] - middle[0]) <= half[0] &&
                                    fabs(vertex[3 * v + 1] + about[1] - middle[1]) <= half[1] &&
                                    fabs(vertex[3 * v + 2] + about[2] - middle[2]) <= half[2]);
            assert_true(!inside || near);
            if (next == t)
                next = tlk_tree_next(&it, &s);
            else
                assert_false(inside);
        }
    }
    tl_geometry_free(&geometry);
}

/* ---- What is made ---- */

static void facts(void **state)
{
    (void)state;
    const double low[3] = {1, 2, 3}, high[3] = {2, 4, 6};
    form_clear();
    form_box(low, high);
    tl_geometry_rec box = form_geometry();
    assert_near(box.volume, 6, 1e-13);
    for (int k = 0; k < 3; k++) {
        assert_near(box.low[k], low[k], 0);
        assert_near(box.high[k], high[k], 0);
        assert_near(box.centre[k], (low[k] + high[k]) / 2, 1e-15);
        assert_near(box.com[k], (low[k] + high[k]) / 2, 1e-14);
        const double a = high[(k + 1) % 3] - low[(k + 1) % 3],
                     b = high[(k + 2) % 3] - low[(k + 2) % 3];
        assert_near(box.inertia[k], 6 * (a * a + b * b) / 12, 1e-12);
    }
    assert_near(box.radius, sqrt(14) / 2, 1e-14);
    tl_geometry_free(&box);

    /* a room: the same, inside out; no solid, and no complaint */
    for (size_t i = 0; i < the_form.triangle_count; i++) {
        uint32_t *t = the_form.triangles[i], swapped = t[1];
        t[1] = t[2];
        t[2] = swapped;
    }
    box = form_geometry();
    assert_near(box.volume, 0, 0);
    tl_geometry_free(&box);

    /* triangles without an area are left out and counted */
    form_clear();
    form_box(low, high);
    const uint32_t a = form_vertex(0, 0, 0), b = form_vertex(0.1, 0.1, 0.1),
                   c = form_vertex(0.3, 0.3, 0.3);
    form_triangle(a, b, c);
    form_triangle(b, a, form_vertex(1, 1, 1 + 1e-14));
    tl_geometry_rec geometry = form_geometry();
    assert_int_equal(((uint32_t *)geometry.words.data)[TLK_MESH_TRIANGLES], 12);
    assert_int_equal(((uint32_t *)geometry.words.data)[TLK_MESH_LEFT_OUT], 2);
    tl_geometry_free(&geometry);
}

static tl_status refuse_mesh(void)
{
    tl_mesh *mesh = form_mesh();
    tl_geometry_rec geometry;
    const tl_status status = tl_geometry_mesh(mesh, &geometry);
    tl_mesh_destroy(mesh);
    return status;
}

static tl_status refuse_field(tl_heights_def def)
{
    tl_geometry_rec geometry;
    return tl_geometry_heights(&def, &geometry);
}

static void refusals(void **state)
{
    (void)state;
    form_clear();
    const uint32_t a = form_vertex(0, 0, 0), b = form_vertex(1, 0, 0), c = form_vertex(0, 1, 0),
                   e = form_vertex(0, -1, 0);
    form_triangle(a, b, c);
    form_triangle(a, b, e);
    assert_refused(refuse_mesh(), TL_BAD_DATA,
                   "the mesh has 1 edges whose two triangles run along them the same way; all "
                   "triangles must go counterclockwise when they are seen from outside, where "
                   "bodies touch them");
    form_clear();
    form_triangle(form_vertex(0, 0, 0), form_vertex(1, 1, 1), form_vertex(3, 3, 3));
    assert_refused(refuse_mesh(), TL_BAD_DATA, "none of the mesh's 1 triangles has an area");

    double heights[6] = {0, 1, 2, 3, 4, 5};
    const tl_heights_def good = {3, 2, {1, 1}, heights};
    tl_heights_def def = good;
    def.heights = NULL;
    assert_refused(refuse_field(def), TL_BAD_ARGUMENT, "heights is NULL; it must not be");
    def = good;
    def.columns = 1;
    assert_refused(refuse_field(def), TL_BAD_ARGUMENT,
                   "the height field has 1 columns and 2 rows; it must have at least 2 of each");
    def = good;
    def.spacing[1] = 0;
    assert_refused(refuse_field(def), TL_BAD_ARGUMENT,
                   "spacing[1] is 0; it must be > 0, and 2 rows must span less than 1e+12 m");
    def.spacing[1] = NAN;
    assert_status(refuse_field(def), TL_BAD_ARGUMENT);
    def = good;
    def.spacing[0] = 6e11;
    assert_refused(refuse_field(def), TL_BAD_ARGUMENT,
                   "spacing[0] is 6e+11; it must be > 0, and 3 columns must span less than 1e+12 "
                   "m");
    def = good;
    def.columns = 1u << 16;
    def.rows = 1u << 16;
    assert_refused(refuse_field(def), TL_TOO_LARGE,
                   "the height field has 8589672450 triangles; there can be at most 268435456");
    heights[4] = NAN;
    assert_refused(refuse_field(good), TL_BAD_ARGUMENT,
                   "the height in row 1, column 1 (from 0) is nan; it must be a finite number "
                   "below 1e+12 m");
    heights[4] = -INFINITY;
    assert_status(refuse_field(good), TL_BAD_ARGUMENT);
}

static tl_mesh *the_mesh;

static tl_status make_mesh(void)
{
    tl_geometry_rec geometry;
    TL_TRY(tl_geometry_mesh(the_mesh, &geometry));
    tl_geometry_free(&geometry);
    return TL_OK;
}

static tl_status make_scene(void)
{
    const double heights[4] = {0, 1, 2, 3};
    const tl_heights_def def = {2, 2, {1, 1}, heights};
    tl_scene *scene;
    tl_geometry mesh, field;
    TL_TRY(tl_scene_create(&scene));
    tl_status status = tl_scene_add_mesh(scene, the_mesh, &mesh);
    if (status == TL_OK)
        status = tl_scene_add_heights(scene, &def, &field);
    tl_scene_destroy(scene);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    form_torus(1, 0.3, 20, 10);
    the_mesh = form_mesh();
    each_allocation_may_fail(make_mesh);
    each_allocation_may_fail(make_scene);
    tl_mesh_destroy(the_mesh);
}

/* ---- A million triangles ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tl_mesh *large_mesh(uint32_t n, bool shuffled)
{
    dice d = {.state = 7};
    double *vertices = malloc(sizeof(double) * 3 * (n + 1) * (n + 1));
    uint32_t *triangles = malloc(sizeof(uint32_t) * 6 * n * n);
    assert_true(vertices && triangles);
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++) {
            double *v = vertices + 3 * ((size_t)j * (n + 1) + i);
            v[0] = 0.1 * i;
            v[1] = 0.1 * j;
            v[2] = bumps(v[0], v[1]);
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = j * (n + 1) + i, b = a + 1, c = b + n + 1, e = a + n + 1;
            const uint32_t cell[6] = {a, b, c, a, c, e};
            memcpy(triangles + 6 * ((size_t)j * n + i), cell, sizeof cell);
        }
    for (size_t i = 2 * (size_t)n * n - 1; shuffled && i > 0; i--) {
        const size_t other = (size_t)(roll_bits(&d) % (i + 1));
        for (int k = 0; k < 3; k++) {
            const uint32_t swapped = triangles[3 * i + k];
            triangles[3 * i + k] = triangles[3 * other + k];
            triangles[3 * other + k] = swapped;
        }
    }
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = (size_t)(n + 1) * (n + 1);
    def.vertices = vertices;
    def.triangle_count = 2 * (size_t)n * n;
    def.triangles = triangles;
    tl_mesh *mesh;
    assert_ok(tl_mesh_create(&def, &mesh));
    free(vertices);
    free(triangles);
    return mesh;
}

/* Processor time, which a busy machine does not change much; the bound leaves a sanitizer room. */
static void large(void **state)
{
    (void)state;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        tl_mesh *mesh = large_mesh(707, shuffled);
        tl_geometry_rec geometry;
        const double begin = seconds();
        assert_ok(tl_geometry_mesh(mesh, &geometry));
        const double took = seconds() - begin;
        const tlk_surface s = surface_of(&geometry);
        print_message("%u triangles%s: %.2f s, %.0f bytes per triangle\n",
                      tlk_surface_triangles(&s), shuffled ? ", shuffled" : "", took,
                      (8.0 * (double)geometry.numbers.count + 4.0 * (double)geometry.words.count) /
                          tlk_surface_triangles(&s));
        assert_below(took, 20);
        assert_int_equal(check_neighbours(&s), 4 * 707);
        dice d = {.state = 8};
        size_t found = 0;
        const double start = seconds();
        for (int round = 0; round < 100000; round++) {
            double at[3] = {roll(&d, 1, 69), roll(&d, 1, 69), 0}, low[3], high[3];
            at[2] = bumps(at[0], at[1]);
            for (int k = 0; k < 3; k++) {
                low[k] = at[k] - 0.05;
                high[k] = at[k] + 0.05;
            }
            tlk_tree it;
            tlk_tree_begin(&it, &s, low, high);
            while (tlk_tree_next(&it, &s) != TLK_NONE)
                found++;
        }
        print_message("%.0f ns per small box, %.1f triangles each\n", 1e4 * (seconds() - start),
                      1e-5 * (double)found);
        assert_true(found > 100000 * 4 && found < 100000 * 20);
        tl_geometry_free(&geometry);
        tl_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_near_meshes),
        cmocka_unit_test(small_meshes),
        cmocka_unit_test(boxes_near_fields),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(field_corners),
        cmocka_unit_test(poses),
        cmocka_unit_test(facts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
