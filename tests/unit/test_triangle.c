/* Contacts with the triangles of surfaces: spheres against the nearest of many sample points and
 * against planes; inner edges never push, convex ones do, concave ones give two contacts; what is
 * behind is pushed to the front. */
#include "kernels/narrow/triangle.h" /* first: it says what a real is */

#include "surface_forms.h"

/* ---- The nearest point of one triangle ---- */

static void nearest_by_samples(void **state)
{
    (void)state;
    dice d = {.state = 11};
    int parts[7] = {0};
    for (int round = 0; round < 300; round++) {
        double corner[9], n[3], c[3], to[3];
        for (int v = 0; v < 3; v++)
            roll3(&d, -1, 1, corner + 3 * v);
        roll3(&d, -1.5, 1.5, c);
        tlk_corner_normal(corner, n);
        const uint32_t part = tlk_triangle_nearest(corner, n, c, to);
        parts[part]++;
        const double found = norm3(to);
        double least = INFINITY;
        const int steps = 300;
        for (int i = 0; i <= steps; i++)
            for (int j = 0; i + j <= steps; j++) {
                const double u = (double)i / steps, v = (double)j / steps;
                double p[3];
                for (int k = 0; k < 3; k++)
                    p[k] = (1 - u - v) * corner[k] + u * corner[3 + k] + v * corner[6 + k];
                least = fmin(least, distance3(p, c));
            }
        context("round %d", round);
        assert_below(found, least + 1e-14);
        assert_below(least, found + 3.5 / steps);
        /* it is on the triangle: in its plane, and inside */
        double q[3], e[3], f[3], w[3];
        add3(c, -1, to, q);
        add3(q, -1, corner, w);
        assert_near(dot3(n, w), 0, 1e-14);
        double area = 0;
        for (int v = 0; v < 3; v++) {
            double x[3];
            add3(corner + 3 * v, -1, q, e);
            add3(corner + 3 * ((v + 1) % 3), -1, q, f);
            cross3(e, f, x);
            area += norm3(x);
        }
        add3(corner + 3, -1, corner, e);
        add3(corner + 6, -1, corner, f);
        cross3(e, f, w);
        assert_near(area, norm3(w), 1e-12);
    }
    for (int part = 0; part < 7; part++)
        assert_true(parts[part] > 5);
}

/* ---- Spheres on surfaces ---- */

typedef struct hits {
    size_t count, faces;
    double n[16][3], gap[16];
    uint32_t triangle[16];
} hits;

/* All contacts of a sphere, by the walk over triangles. */
static hits sphere_hits(const tlk_surface *s, const double c[3], double r, double limit)
{
    hits h = {0};
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = c[k] - r - limit;
        high[k] = c[k] + r + limit;
    }
    tlk_tree it;
    tlk_tree_begin(&it, s, low, high);
    for (uint32_t t = tlk_tree_next(&it, s); t != TLK_NONE; t = tlk_tree_next(&it, s)) {
        assert_true(h.count < 16);
        h.triangle[h.count] = t;
        if (tlk_sphere_triangle(s, t, c, r, limit, h.n[h.count], &h.gap[h.count])) {
            assert_near(norm3(h.n[h.count]), 1, 1e-14);
            assert_below(h.gap[h.count], limit);
            h.count++;
        }
    }
    return h;
}

/* A sphere that slides over a plane of many triangles, in a straight line and in circles: always
 * the plane's normal and gap, however its centre lies to edges and vertices; at least one contact,
 * few more than one. */
static void slide_sphere(const tl_geometry_rec *geometry, const double normal[3], dice *d)
{
    const tlk_surface s = surface_of(geometry);
    size_t contacts = 0, steps = 0;
    for (int run = 0; run < 60; run++) {
        const double r = pow(10, roll(d, -2, 0)), lift = run % 3 == 0   ? 0.9 * r
                                                         : run % 3 == 1 ? 0.999 * r
                                                                        : 1.05 * r;
        const double limit = 0.1 * r;
        /* random lines; lines along the edges of an even grid; over vertices exactly */
        double from[2] = {roll(d, 1.5, 3.5), roll(d, 1.5, 3.5)}, way[2];
        way[0] = roll(d, -0.5, 0.5);
        way[1] = roll(d, -0.5, 0.5);
        if (run % 4 == 1)
            from[1] = 2.5, way[1] = 0;
        if (run % 4 == 2)
            from[0] = from[1] = 2, way[0] = way[1] = 0.5;
        for (int i = 0; i <= 200; i++) {
            const double x = from[0] + way[0] * i / 200, y = from[1] + way[1] * i / 200;
            const double z = -(normal[0] * x + normal[1] * y) / normal[2];
            double c[3];
            add3((double[3]){x, y, z}, lift, normal, c);
            const hits h = sphere_hits(&s, c, r, limit);
            context("run %d, step %d, r %g", run, i, r);
            assert_true(h.count >= 1 && h.count <= 8);
            for (size_t m = 0; m < h.count; m++) {
                assert_near(dot3(h.n[m], normal), -1, 1e-14);
                for (int k = 0; k < 3; k++)
                    assert_near(h.n[m][k], -normal[k], 1e-12);
                assert_near(h.gap[m], lift - r, 1e-13);
            }
            contacts += h.count;
            steps++;
        }
    }
    print_message("%.3f contacts per place\n", (double)contacts / (double)steps);
    assert_below((double)contacts, 1.3 * (double)steps); /* those at edges have one owner */
}

static void spheres_slide(void **state)
{
    (void)state;
    dice d = {.state = 12};
    double up[3] = {0, 0, 1}, slope[3] = {-0.3, 0.2, 1};
    for (int k = 2; k >= 0; k--)
        slope[k] /= sqrt(1.13);
    for (int which = 0; which < 6; which++) {
        const bool level = which % 2 == 0;
        tl_geometry_rec geometry;
        if (which < 2) {
            geometry = field_of(20, 5, level ? flat : tilted);
        } else { /* 2, 3: any triangulation; 4, 5: an even grid */
            form_grid(20, 5, which < 4 ? 0.35 : 0, &d, level ? flat : tilted);
            geometry = form_geometry();
        }
        print_message("plane %d: ", which);
        slide_sphere(&geometry, level ? up : slope, &d);
        tl_geometry_free(&geometry);
    }
}

/* The distance of a point to all triangles, and to which. */
static double distance_to_all(const tlk_surface *s, const double c[3], double to[3])
{
    double least = INFINITY;
    for (uint32_t t = 0; t < tlk_surface_triangles(s); t++) {
        double corner[9], n[3], d[3];
        tlk_surface_corners(s, t, corner);
        tlk_corner_normal(corner, n);
        tlk_triangle_nearest(corner, n, c, d);
        if (norm3(d) < least) {
            least = norm3(d);
            memcpy(to, d, 3 * sizeof *d);
        }
    }
    return least;
}

/* Whatever the surface: in front of it, the nearest point of all is among the contacts, and each
 * contact is a nearest point of the surface around it: no shorter way leads down from there. */
static void check_nearest(const tl_geometry_rec *geometry, dice *d, bool closed)
{
    const tlk_surface s = surface_of(geometry);
    size_t seen = 0, several = 0;
    for (int round = 0; round < 4000; round++) {
        double corner[9], n[3], c[3], way[3], to[3];
        const uint32_t t = (uint32_t)roll(d, 0, tlk_surface_triangles(&s));
        const double r = pow(10, roll(d, -2.5, -0.5));
        tlk_surface_corners(&s, t, corner);
        tlk_corner_normal(corner, n);
        const double u = roll(d, 0, 1), v = roll(d, 0, 1 - u);
        roll_direction(d, way);
        for (int k = 0; k < 3; k++)
            c[k] = (1 - u - v) * corner[k] + u * corner[3 + k] + v * corner[6 + k];
        if (round % 4 == 0)
            memcpy(c, corner, sizeof c);
        add3(c, r * roll(d, 0.1, 1.05), dot3(way, n) < 0 ? n : way, c);
        const double limit = 0.1 * r, least = distance_to_all(&s, c, to);
        /* in front: seen from the nearest point, by the sign of the volume of a closed surface */
        const hits h = sphere_hits(&s, c, r, limit);
        double best = INFINITY;
        for (size_t m = 0; m < h.count; m++)
            best = fmin(best, h.gap[m]);
        context("round %d: r %g, least %.17g, %zu contacts", round, r, least, h.count);
        if (closed && !(norm3(c) > 0))
            continue;
        if (best < -r) /* its centre is behind: another test */
            continue;
        if (least > r + limit) {
            assert_int_equal(h.count, 0);
            continue;
        }
        if (h.count == 0) { /* only behind the surface: move the centre a little to the front */
            double corner2[9], face[3], front = 0;
            for (uint32_t other = 0; other < tlk_surface_triangles(&s); other++) {
                double e[3];
                tlk_surface_corners(&s, other, corner2);
                tlk_corner_normal(corner2, face);
                tlk_triangle_nearest(corner2, face, c, e);
                if (norm3(e) < least * (1 + 1e-12) + 1e-15 && fabs(dot3(face, e)) > fabs(front))
                    front = dot3(face, e);
            }
            assert_true(front <= 0);
            continue;
        }
        seen++;
        several += h.count > 1;
        assert_near(best, least - r, 1e-12);
    }
    print_message("%zu places with contacts, %zu with several\n", seen, several);
    assert_true(seen > 2000 && several > 20);
}

static void nearest_of_all(void **state)
{
    (void)state;
    dice d = {.state = 13};
    for (int which = 0; which < 5; which++) {
        tl_geometry_rec geometry;
        if (which == 0)
            form_sphere(3);
        else if (which == 1)
            form_torus(1, 0.3, 24, 12);
        else if (which == 2)
            form_grid(12, 3, 0.3, &d, bumps);
        else
            form_bracket();
        geometry = which == 4 ? field_of(12, 3, bumps) : form_geometry();
        if (which == 4)
            form_clear();
        print_message("surface %d: ", which);
        check_nearest(&geometry, &d, which == 0 || which == 1 || which == 3);
        tl_geometry_free(&geometry);
    }
}

static double valley(double x, double y)
{
    (void)y;
    return fabs(x - 2.5);
}

static double pit(double x, double y)
{
    return fmax(fabs(x - 2.5), fabs(y - 2.5));
}

/* A centre behind the bottom of a valley or of a pit, where no face has it in front of it: the
 * sphere is pushed up, away from the bottom; deeper than is promised, not at all. In a height field
 * it is pushed out by the triangle above it. */
static void behind_the_bottom(void **state)
{
    (void)state;
    dice d = {.state = 14};
    for (int which = 0; which < 2; which++) {
        form_grid(20, 5, 0, &d, which ? pit : valley);
        tl_geometry_rec geometry = form_geometry(), field = field_of(20, 5, which ? pit : valley);
        const tlk_surface s = surface_of(&geometry), solid = surface_of(&field);
        for (int round = 0; round < 500; round++) {
            const double r = roll(&d, 0.02, 0.2), down = roll(&d, 0.05, 0.45) * r;
            const double off = roll(&d, -0.8, 0.8) * down, along = roll(&d, -0.8, 0.8) * down;
            const double y = which ? 2.5 + 0.5 * along : roll(&d, 2, 3);
            const double x = 2.5 + (which ? 0.5 : 1) * off;
            const double c[3] = {x, y, -down};
            const double q[3] = {2.5, which ? 2.5 : y, 0}, distance = distance3(c, q);
            if (distance > 0.49 * r)
                continue;
            hits h = sphere_hits(&s, c, r, 0.01 * r);
            context("form %d, round %d", which, round);
            assert_true(h.count >= 1);
            for (size_t m = 0; m < h.count; m++) {
                assert_near(h.gap[m], -distance - r, 1e-12);
                for (int k = 0; k < 3; k++)
                    assert_near(h.n[m][k], (c[k] - q[k]) / distance, 1e-12);
            }
            const double deep[3] = {x, y, -0.6 * r};
            assert_int_equal(sphere_hits(&s, deep, r, 0.01 * r).count, 0);
            const double deeper[3] = {x, y, -7 * r};
            h = sphere_hits(&solid, deeper, r, 0.01 * r);
            assert_true(h.count >= 1);
            for (size_t m = 0; m < h.count; m++) {
                assert_true(h.n[m][2] < -0.5);
                assert_below(h.gap[m], -4.9 * r);
            }
        }
        tl_geometry_free(&geometry);
        tl_geometry_free(&field);
    }
}

/* A surface that ends: its border is an edge for what is in front of it, and nothing for what is
 * behind. */
static void borders(void **state)
{
    (void)state;
    form_clear();
    const uint32_t a = form_vertex(0, 0, 0), b = form_vertex(1, 0, 0), c = form_vertex(1, 1, 0),
                   e = form_vertex(0, 1, 0);
    form_quad(a, b, c, e);
    tl_geometry_rec geometry = form_geometry();
    const tlk_surface s = surface_of(&geometry);
    const double r = 0.1;
    for (int i = -20; i <= 40; i++) { /* around the edge at x = 1, from above to below */
        const double angle = 0.5 * PI * (i + 0.5) / 20, out[2] = {sin(angle), cos(angle)};
        const double at[3] = {1 + (i < 0 ? 0.01 * i : 0.99 * r * out[0]), 0.4,
                              i < 0 ? 0.99 * r : 0.99 * r * out[1]};
        const hits h = sphere_hits(&s, at, r, 0.01 * r);
        context("step %d", i);
        if (i >= 20) {
            assert_int_equal(h.count, 0);
            continue;
        }
        assert_int_equal(h.count, 1);
        assert_near(h.gap[0], -0.01 * r, 1e-15);
        assert_near(h.n[0][0], i < 0 ? 0 : -out[0], 1e-12);
        assert_near(h.n[0][2], i < 0 ? -1 : -out[1], 1e-12);
    }
    tl_geometry_free(&geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_by_samples),
        cmocka_unit_test(spheres_slide),
        cmocka_unit_test(nearest_of_all),
        cmocka_unit_test(behind_the_bottom),
        cmocka_unit_test(borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
