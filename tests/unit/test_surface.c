/* Convex shapes on the triangles of surfaces: they slide over planes of triangles as over a plane,
 * a cube of triangles is a cube, and on any surface the nearest point of all is among the contacts.
 */
#include "kernels/narrow/surface.h" /* first: it says what a real is */

#include "surface_forms.h"

/* ---- Shapes ---- */

enum { KINDS = 7 };

/* A wedge with a square base: five faces of three and four corners. */
static const double wedge_numbers[6 * 3 + 5 * 4] = {-1,
                                                    -1,
                                                    -0.5,
                                                    1,
                                                    -1,
                                                    -0.5,
                                                    1,
                                                    1,
                                                    -0.5,
                                                    -1,
                                                    1,
                                                    -0.5,
                                                    -1,
                                                    0,
                                                    0.5,
                                                    1,
                                                    0,
                                                    0.5, /* vertices */
                                                    0,
                                                    0,
                                                    -1,
                                                    0.5,
                                                    0,
                                                    -0.70710678118654757,
                                                    0.70710678118654757,
                                                    0.35355339059327379,
                                                    0,
                                                    0.70710678118654757,
                                                    0.70710678118654757,
                                                    0.35355339059327379,
                                                    -1,
                                                    0,
                                                    0,
                                                    1,
                                                    1,
                                                    0,
                                                    0,
                                                    1};
static const uint32_t wedge_words[] = {
    6, 5, 9, 0, 4, 8, 12, 15, 18, /* loops begin */
    0, 3, 2, 1, 0, 1, 5,  4,  2,  3, 4, 5, 0, 4, 3, 1, 2, 5,
    0, 1, 1, 2, 2, 3, 3,  0,  0,  4, 3, 4, 1, 5, 2, 5, 4, 5, /* edges */
    0, 1, 0, 4, 0, 2, 0,  3,  1,  3, 2, 3, 1, 4, 2, 4, 1, 2};

/* Shape `which` of size about r, turned by q, at p (relative to what coordinates are about). */
static tlk_convex shape_of(int which, double r, const double q[4], const double p[3],
                           double numbers[38])
{
    static const uint32_t kinds[KINDS] = {TLK_BOX,  TLK_CAPSULE,   TLK_CYLINDER, TLK_CONE,
                                          TLK_HULL, TLK_ELLIPSOID, TLK_SPHERE};
    tlk_convex a = {.kind = kinds[which], .size = {0.5 * r, 0.7 * r, 0.4 * r}};
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        rotate(q, 1, unit, a.axis + 3 * k);
        a.origin[k] = p[k];
    }
    a.rounding = which == 1 ? 0.3 * r : which == 6 ? r : 0;
    if (which == 4) {
        for (int i = 0; i < 18; i++)
            numbers[i] = r * wedge_numbers[i];
        for (int i = 18; i < 38; i++)
            numbers[i] = wedge_numbers[i] * ((i - 18) % 4 == 3 ? r : 1);
        a.vertex = numbers;
        a.words = wedge_words;
    }
    return a;
}

/* How far the shape reaches along the unit vector d from the point that coordinates are about. */
static double extent(const tlk_convex *a, const double d[3])
{
    double p[3];
    tlk_support(a, d, p);
    return dot3(p, d) + a->rounding;
}

/* ---- All contacts of a shape ---- */

typedef struct contact {
    uint32_t triangle, feature;
    double n[3], at[3], gap; /* relative to `about`, world axes */
} contact;

typedef struct found {
    size_t count;
    contact of[2000];
    double least; /* gap */
} found;

static found the_found;

static const found *find_all(const tlk_surface *s, const tlk_convex *a, const double about[3],
                             double limit)
{
    found *f = &the_found;
    double middle[3], half[3], low[3], high[3];
    f->count = 0;
    f->least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
        const double most = extent(a, up), least = -extent(a, down);
        middle[k] = about[k] + 0.5 * (most + least);
        half[k] = 0.5 * (most - least) + limit;
    }
    tlk_surface_box(s, middle, half, low, high);
    tlk_tree it;
    tlk_tree_begin(&it, s, low, high);
    for (uint32_t t = tlk_tree_next(&it, s); t != TLK_NONE; t = tlk_tree_next(&it, s)) {
        tlk_manifold m;
        tlk_surface_collide(s, t, about, a, limit, NULL, &m);
        assert_true(m.count <= TLK_POINTS_MOST);
        if (m.count)
            assert_near(norm3(m.n), 1, 1e-13);
        for (uint32_t i = 0; i < m.count; i++) {
            assert_true(f->count < 2000);
            contact *c = &f->of[f->count++];
            c->triangle = t;
            c->feature = m.feature[i];
            c->gap = m.gap[i];
            memcpy(c->n, m.n, sizeof c->n);
            memcpy(c->at, m.at[i], sizeof c->at);
            assert_below(c->gap, limit + 1e-12);
            f->least = fmin(f->least, c->gap);
            for (uint32_t j = 0; j < i; j++)
                assert_int_not_equal(m.feature[i], m.feature[j]);
        }
    }
    return f;
}

/* ---- Planes of triangles ---- */

/* Every contact is with the plane: its normal, and the gap of the point to it. And the nearest
 * point of the shape is among them. */
static void check_plane(const found *f, const tlk_convex *a, const double about[3],
                        const double on[3], const double normal[3], double limit, double r)
{
    const double down[3] = {-normal[0], -normal[1], -normal[2]};
    const double from[3] = {about[0] - on[0], about[1] - on[1], about[2] - on[2]};
    const double height = dot3(from, normal), least = height - extent(a, down);
    for (size_t i = 0; i < f->count; i++) {
        const contact *c = &f->of[i];
        for (int k = 0; k < 3; k++)
            assert_near(c->n[k], -normal[k], 1e-12);
        assert_near(c->gap, dot3(c->at, normal) + height, 1e-9 * r);
        assert_true(c->gap >= least - 1e-9 * r);
    }
    if (least <= limit)
        assert_near(f->least, least, 1e-7 * r);
    else
        assert_int_equal(f->count, 0);
    /* Shapes with corners have the contacts that they have on a plane: all corners within the
     * limit that face it, and, as nothing else is there, no others. */
    tlk_convex plane = {.kind = TLK_PLANE};
    tlk_manifold m;
    if (a->kind != TLK_BOX && a->kind != TLK_CAPSULE && a->kind != TLK_HULL)
        return;
    for (int k = 0; k < 3; k++) {
        plane.origin[k] = -from[k];
        plane.axis[6 + k] = normal[k];
    }
    tlk_collide_convex(a, &plane, limit, NULL, &m);
    for (uint32_t i = 0; i < m.count; i++) {
        double nearest = INFINITY;
        for (size_t j = 0; j < f->count; j++)
            nearest = fmin(nearest, distance3(m.at[i], f->of[j].at));
        assert_below(nearest, 1e-6 * r);
    }
    for (size_t j = 0; j < f->count; j++) {
        double nearest = INFINITY;
        for (uint32_t i = 0; i < m.count; i++)
            nearest = fmin(nearest, distance3(m.at[i], f->of[j].at));
        assert_below(nearest, 1e-4 * r);
    }
}

static void slide(const tl_geometry_rec *geometry, const double plane[3], int which, dice *d)
{
    for (int run = 0; run < 40; run++) {
        const double r = pow(10, roll(d, -1.5, 0)), limit = 0.05 * r;
        double q[4], at[3], sq[4], up[3], numbers[38], away[3];
        roll_turn(d, sq);
        roll3(d, -100, 100, at);
        const tlk_surface s = surface_at(geometry, sq, at);
        roll_turn(d, q);
        if (run % 2 == 0) { /* flat on it */
            rotate(sq, 1, plane, up);
            const double z[3] = {0, 0, 1};
            double axis[3], half[4];
            cross3(z, up, axis);
            const double sine = norm3(axis), angle = atan2(sine, dot3(z, up));
            for (int k = 0; k < 3; k++)
                axis[k] = sine > 0 ? axis[k] / sine : k == 0;
            turn(axis, angle, half);
            memcpy(q, half, sizeof q);
        }
        rotate(sq, 1, plane, up);
        const double origin[3] = {0, 0, 0}, down[3] = {-up[0], -up[1], -up[2]};
        tlk_convex a = shape_of(which, r, q, origin, numbers);
        const double reach = extent(&a, down);
        const double gap = run % 4 < 2 ? -0.01 * r * roll(d, 0, 1) : 0.04 * r;
        double from[2] = {roll(d, 2, 3), roll(d, 2, 3)};
        double way[2] = {roll(d, -0.5, 0.5), roll(d, -0.5, 0.5)};
        if (run % 8 >= 4)
            from[0] = 2.5, way[0] = 0;
        for (int i = 0; i <= 25; i++) {
            const double x = from[0] + way[0] * i / 25, y = from[1] + way[1] * i / 25;
            const double local[3] = {x, y, -(plane[0] * x + plane[1] * y) / plane[2]};
            double on[3], about[3];
            rotate(sq, 1, local, on);
            add3(on, 1, at, on);
            add3(on, reach + gap, up, about);
            roll3(d, -0.1 * r, 0.1 * r, away); /* the shape is not quite where coordinates begin */
            add3(about, -1, away, about);
            memcpy(a.origin, away, sizeof away);
            context("shape %d, run %d, step %d, r %g, gap %g", which, run, i, r, gap);
            check_plane(find_all(&s, &a, about, limit), &a, about, on, up, limit, r);
        }
    }
}

static void shapes_slide(void **state)
{
    (void)state;
    dice d = {.state = 21};
    double up[3] = {0, 0, 1}, slope[3] = {-0.3, 0.2, 1};
    for (int k = 0; k < 3; k++)
        slope[k] /= sqrt(1.13);
    for (int which = 0; which < 4; which++) {
        const bool level = which % 2 == 0;
        tl_geometry_rec geometry;
        if (which < 2) {
            geometry = field_of(20, 5, level ? flat : tilted);
        } else {
            form_grid(20, 5, 0.35, &d, level ? flat : tilted);
            geometry = form_geometry();
        }
        for (int kind = 0; kind < KINDS; kind++)
            slide(&geometry, level ? up : slope, kind, &d);
        tl_geometry_free(&geometry);
    }
}

/* ---- A cube of triangles ---- */

/* A cube of edge 2, each face a grid of n by n cells. */
static tl_geometry_rec cube_geometry(uint32_t n)
{
    form_clear();
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, i = (axis + 1) % 3, j = (axis + 2) % 3;
        const double side = face % 2 ? 1 : -1;
        const uint32_t first = (uint32_t)the_form.vertex_count;
        for (uint32_t b = 0; b <= n; b++)
            for (uint32_t a = 0; a <= n; a++) {
                double v[3];
                v[axis] = side;
                v[i] = side * (2.0 * a / n - 1);
                v[j] = 2.0 * b / n - 1;
                form_vertex(v[0], v[1], v[2]);
            }
        for (uint32_t b = 0; b < n; b++)
            for (uint32_t a = 0; a < n; a++) {
                const uint32_t at = first + b * (n + 1) + a;
                form_quad(at, at + 1, at + n + 2, at + n + 1);
            }
    }
    return form_geometry();
}

/* Outside of a cube the nearest point is one alone: each contact that is as near as the nearest has
 * the normal of the two convex shapes, and none is nearer. */
static void cube_is_a_cube(void **state)
{
    (void)state;
    dice d = {.state = 22};
    tlk_convex box = {.kind = TLK_BOX, .size = {1, 1, 1}};
    for (uint32_t n = 1; n < 8; n *= 2) {
        tl_geometry_rec geometry = cube_geometry(n);
        assert_near(geometry.volume, 8, 1e-13);
        size_t touching = 0;
        for (int round = 0; round < SOME(4000); round++) {
            const int which = round % KINDS;
            double q[4], sq[4], at[3], about[3], way[3], numbers[38];
            const double r = pow(10, roll(&d, -1, 0.5)), limit = 0.05 * r, zero[3] = {0, 0, 0};
            roll_turn(&d, q);
            roll_turn(&d, sq);
            roll3(&d, -10, 10, at);
            const tlk_surface s = surface_at(&geometry, sq, at);
            tlk_convex a = shape_of(which, r, q, zero, numbers);
            roll_direction(&d, way);
            for (int k = 0; k < 3; k++) {
                box.axis[k] = s.axis[k];
                box.axis[3 + k] = s.axis[3 + k];
                box.axis[6 + k] = s.axis[6 + k];
            }
            /* from far away to a gap that was drawn, by bisection */
            const bool deep = round % 3 == 0;
            const double want = deep ? -roll(&d, 1e-4, 0.02) * fmin(r, 1) : roll(&d, 0, limit);
            double near = 0, far = 10 + 3 * r;
            tlk_manifold m;
            for (int i = 0; i < 60; i++) {
                const double half = 0.5 * (near + far);
                add3(at, half, way, about);
                for (int k = 0; k < 3; k++)
                    box.origin[k] = at[k] - about[k];
                tlk_collide_convex(&a, &box, limit, NULL, &m);
                double least = INFINITY;
                for (uint32_t j = 0; j < m.count; j++)
                    least = fmin(least, m.gap[j]);
                if (least > want)
                    far = half;
                else
                    near = half;
            }
            add3(at, far, way, about);
            for (int k = 0; k < 3; k++)
                box.origin[k] = at[k] - about[k];
            tlk_collide_convex(&a, &box, limit, NULL, &m);
            const found *f = find_all(&s, &a, about, limit);
            context("cells %u, round %d, shape %d, r %g, gap %g", n, round, which, r, want);
            if (!m.count)
                continue;
            double least = INFINITY;
            for (uint32_t j = 0; j < m.count; j++)
                least = fmin(least, m.gap[j]);
            if (fabs(least - want) > 1e-6 * r) /* it jumps over the gap: ways in deeper than that */
                continue;
            touching++;
            assert_true(f->count > 0);
            if (deep) {
                /* near a vertex each triangle has ways out of its own: not much deeper than the
                 * cube's, and not none */
                assert_below(f->least, 0.5 * least);
                assert_below(2.5 * least - 1e-3 * fmin(r, 1), f->least);
            } else {
                assert_near(f->least, least, 1e-6 * r);
            }
            for (size_t i = 0; i < f->count && !deep; i++)
                if (f->of[i].gap < f->least + 1e-7 * r && least > 1e-3 * limit)
                    assert_near(distance3(f->of[i].n, m.n), 0, 2e-3);
        }
        print_message("cells %u: %zu places\n", n, touching);
        assert_true(touching > SOME(3500));
        tl_geometry_free(&geometry);
    }
}

/* Around an edge of the cube, the normal turns as far as the shape goes around, and no more. */
static void edges_turn(void **state)
{
    (void)state;
    tl_geometry_rec geometry = cube_geometry(4);
    const tlk_surface s = surface_of(&geometry);
    for (int which = 0; which < 2; which++) { /* a capsule along the edge; a sphere */
        const double r = 0.2, along[4] = {sqrt(0.5), sqrt(0.5), 0, 0}, zero[3] = {0, 0, 0};
        double numbers[38], last[3] = {0, 0, -1};
        const tlk_convex a = shape_of(which ? 6 : 1, r, along, zero, numbers);
        const double round = a.rounding;
        for (int i = 0; i <= 400; i++) {
            const double angle = 0.5 * PI * (i - 100) / 200; /* from over one face to the other */
            const double t = fmin(fmax(angle, 0), 0.5 * PI);
            const double out[3] = {sin(t), 0, cos(t)};
            const double slip = angle < 0 ? angle : angle > 0.5 * PI ? angle - 0.5 * PI : 0;
            const double foot[3] = {angle < 0 ? 1 + slip * 0.3 : 1, 0.1234,
                                    angle > 0.5 * PI ? 1 - slip * 0.3 : 1};
            double about[3];
            add3(foot, 0.999 * round, out, about);
            const found *f = find_all(&s, &a, about, 0.01);
            context("shape %d, step %d", which, i);
            assert_true(f->count >= 1);
            for (size_t k = 0; k < f->count; k++) {
                if (f->of[k].gap > f->least + 1e-9)
                    continue;
                assert_near(f->of[k].gap, -0.001 * round, 1e-9);
                for (int c = 0; c < 3; c++)
                    assert_near(f->of[k].n[c], -out[c], which ? 1e-12 : 3e-4);
                assert_below(distance3(f->of[k].n, last), 0.5 * PI / 200 + 3e-4);
            }
            for (int c = 0; c < 3; c++)
                last[c] = -out[c];
        }
    }
    tl_geometry_free(&geometry);
}

/* ---- A valley ---- */

static double valley(double x, double y)
{
    (void)y;
    return fabs(x - 2.5);
}

/* In the corner between two slopes a shape touches both, with their normals; the edge between them
 * has none of its own. */
static void valleys_hold(void **state)
{
    (void)state;
    dice d = {.state = 23};
    for (int form_of = 0; form_of < 2; form_of++) {
        if (form_of)
            form_grid(20, 5, 0, &d, valley);
        tl_geometry_rec geometry = form_of ? form_geometry() : field_of(20, 5, valley);
        const tlk_surface s = surface_of(&geometry);
        for (int round = 0; round < 400; round++) {
            const int which = round % 2 ? 6 : 1; /* spheres, capsules along the valley */
            const double r = roll(&d, 0.05, 0.8), along[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
            const double zero[3] = {0, 0, 0}, off = roll(&d, -0.02, 0.02) * r;
            double numbers[38];
            const tlk_convex a = shape_of(which, r, along, zero, numbers);
            const double about[3] = {2.5 + off, roll(&d, 2, 3),
                                     (1 + roll(&d, -0.01, 0.02)) * a.rounding * sqrt(2)};
            const found *f = find_all(&s, &a, about, 0.1 * r);
            bool left = false, right = false;
            context("form %d, round %d", form_of, round);
            for (size_t i = 0; i < f->count; i++) {
                const contact *c = &f->of[i];
                const double side = c->n[0] > 0 ? 1 : -1;
                assert_near(c->n[0], side * sqrt(0.5), 1e-12);
                assert_near(c->n[1], 0, 1e-12);
                assert_near(c->n[2], -sqrt(0.5), 1e-12);
                /* no point is lower than the lowest of the shape; that is there on either side */
                const double lowest = (about[2] - side * off) * sqrt(0.5) - a.rounding;
                const double x = about[0] + c->at[0] - 2.5, z = about[2] + c->at[2];
                assert_near(c->gap, (z - side * x) * sqrt(0.5), 1e-9);
                assert_true(c->gap > lowest - 1e-9);
                if (c->gap > lowest + 1e-9)
                    continue;
                left = left || side < 0;
                right = right || side > 0;
            }
            assert_true(left && right);
        }
        tl_geometry_free(&geometry);
    }
}

/* ---- Any surface ---- */

/* Shapes above bumps, which do not touch them: the least gap is that to all triangles. */
static void nearest_of_all(void **state)
{
    (void)state;
    dice d = {.state = 24};
    for (int form_of = 0; form_of < 3; form_of++) {
        if (form_of == 1)
            form_grid(16, 4, 0.3, &d, bumps);
        else if (form_of == 2)
            form_torus(1, 0.4, 24, 12);
        tl_geometry_rec geometry = form_of ? form_geometry() : field_of(16, 4, bumps);
        const tlk_surface s = surface_of(&geometry);
        size_t seen = 0, deep = 0;
        for (int round = 0; round < SOME(4000); round++) {
            const int which = round % KINDS;
            const double r = pow(10, roll(&d, -1.5, 0)), zero[3] = {0, 0, 0}, limit = 0.2 * r;
            double q[4], numbers[38], about[3], corner[9], n[3], least = INFINITY, normal[3] = {0};
            roll_turn(&d, q);
            const tlk_convex a = shape_of(which, r, q, zero, numbers);
            const uint32_t t = (uint32_t)roll(&d, 0, tlk_surface_triangles(&s));
            tlk_surface_corners(&s, t, corner);
            tlk_corner_normal(corner, n);
            if (form_of < 2 && fmax(fabs(corner[0] - 2), fabs(corner[1] - 2)) > 0.8)
                continue; /* near the border, where it may be beyond it and behind */
            add3(corner,
                 extent(&a, (double[3]){-n[0], -n[1], -n[2]}) + roll(&d, -0.2 * limit, limit), n,
                 about);
            for (uint32_t u = 0; u < tlk_surface_triangles(&s); u++) {
                double vertex[9];
                tlk_convex b;
                tlk_manifold m;
                tlk_surface_triangle(&s, u, about, vertex, &b);
                tlk_collide_convex(&a, &b, limit, NULL, &m);
                for (uint32_t i = 0; i < m.count; i++)
                    if (m.gap[i] < least) {
                        least = m.gap[i];
                        memcpy(normal, m.n, sizeof normal);
                    }
            }
            if (!(least < limit))
                continue;
            const found *f = find_all(&s, &a, about, limit);
            context("form %d, round %d, shape %d, r %g, least %g", form_of, round, which, r, least);
            if (least < 1e-3 * r) { /* what overlaps is not lost */
                assert_true(f->count > 0);
                assert_below(f->least, 0.1 * r);
                deep += least < 0;
                continue;
            }
            seen++;
            assert_near(f->least, least, 1e-5 * r);
            for (size_t i = 0; i < f->count; i++)
                if (f->of[i].gap == f->least)
                    assert_near(distance3(f->of[i].n, normal), 0, 2e-3);
        }
        print_message("surface %d: %zu places, %zu where they overlap\n", form_of, seen, deep);
        assert_true(seen > SOME(250) && deep > SOME(100));
        tl_geometry_free(&geometry);
    }
}

/* ---- Behind ---- */

/* What is pressed into a face is pushed out to the front, along its normal: meshes as deep as is
 * promised, height fields however deep. Plates are not left through the other side. */
static void pushed_to_the_front(void **state)
{
    (void)state;
    dice d = {.state = 25};
    for (int form_of = 0; form_of < 2; form_of++) {
        if (form_of)
            form_grid(20, 5, 0.3, &d, flat);
        tl_geometry_rec geometry = form_of ? form_geometry() : field_of(20, 5, flat);
        const tlk_surface s = surface_of(&geometry);
        for (int round = 0; round < 700; round++) {
            const int which = round % KINDS;
            const double r = pow(10, roll(&d, -1.5, -0.3)), zero[3] = {0, 0, 0};
            const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
            double q[4], numbers[38];
            roll_turn(&d, q);
            const tlk_convex a = shape_of(which, r, q, zero, numbers);
            const double low = extent(&a, down), wide = low + extent(&a, up);
            const double depth = wide * (form_of ? roll(&d, 0, 0.74) : roll(&d, 0, 3));
            const double about[3] = {roll(&d, 2, 3), roll(&d, 2, 3), low - depth};
            const found *f = find_all(&s, &a, about, 0.01 * r);
            context("form %d, round %d, shape %d, r %g, depth %g of it", form_of, round, which, r,
                    depth / wide);
            assert_true(f->count > 0);
            assert_near(f->least, -depth, 1e-6 * r);
            for (size_t i = 0; i < f->count; i++)
                assert_near(f->of[i].n[2], -1, 1e-12);
        }
        tl_geometry_free(&geometry);
    }
    /* a plate that is a tenth as thick as the shapes */
    form_clear();
    form_box((double[3]){-1, -1, -0.01}, (double[3]){1, 1, 0});
    tl_geometry_rec plate = form_geometry();
    const tlk_surface s = surface_of(&plate);
    for (int round = 0; round < 700; round++) {
        const int which = round % KINDS;
        const double r = 0.2, zero[3] = {0, 0, 0}, side = round % 2 ? 1 : -1;
        const double out[3] = {0, 0, side}, in[3] = {0, 0, -side};
        double q[4], numbers[38];
        roll_turn(&d, q);
        const tlk_convex a = shape_of(which, r, q, zero, numbers);
        const double low = extent(&a, in), depth = (low + extent(&a, out)) * roll(&d, 0, 0.2);
        const double about[3] = {roll(&d, -0.5, 0.5), roll(&d, -0.5, 0.5),
                                 (side > 0 ? 0 : -0.01) + side * (low - depth)};
        const found *f = find_all(&s, &a, about, 0.01 * r);
        context("plate, round %d, shape %d, depth %g", round, which, depth);
        assert_true(f->count > 0);
        assert_near(f->least, -depth, 1e-6 * r);
        for (size_t i = 0; i < f->count; i++)
            assert_near(f->of[i].n[2], -side, 1e-12);
    }
    tl_geometry_free(&plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_slide),   cmocka_unit_test(cube_is_a_cube),
        cmocka_unit_test(edges_turn),     cmocka_unit_test(valleys_hold),
        cmocka_unit_test(nearest_of_all), cmocka_unit_test(pushed_to_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
