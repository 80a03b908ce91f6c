/* Mass, centre of mass and inertia that follow from shapes: against sampling on a grid, against
 * closed formulas, against each other where two ways lead to one solid; the frame of principal axes
 * that bodies are kept in. */
#include "scene_fixture.h"

#include "base/turn.h"

static const double pi = 3.14159265358979323846;

/* What the record of a body says, in the user's frame: inertia about the centre of mass. */
typedef struct bulk {
    double mass, centre[3], inertia[3][3];
} bulk;

static tl_body_rec record_of(tl_scene *scene, const tl_body_def *def)
{
    tl_body body;
    assert_ok(tl_scene_add_bodies(scene, 1, def, &body));
    return ((tl_body_rec *)scene->list.bodies.data)[body.index - 1];
}

static bulk bulk_of(const tl_body_rec *body)
{
    const double *t = body->turn, back[4] = {t[0], -t[1], -t[2], -t[3]};
    bulk out = {.mass = body->mass};
    double axes[3][3];
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        tl_turn_apply(back, axis, axes[k]);
    }
    tl_turn_apply(back, body->offset, out.centre);
    for (int i = 0; i < 3; i++) {
        out.centre[i] = -out.centre[i];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                out.inertia[i][j] += body->inertia[k] * axes[k][i] * axes[k][j];
    }
    return out;
}

static bulk bulk_of_shapes(tl_scene *scene, size_t count, const tl_shape_def *shapes)
{
    tl_body_def def = tl_body_default();
    def.shape_count = count;
    def.shapes = shapes;
    def.density = 1;
    const tl_body_rec body = record_of(scene, &def);
    return bulk_of(&body);
}

static void assert_bulk(const bulk *got, const bulk *want, double size, double relative)
{
    const double unit = want->mass * size * size;
    assert_near(got->mass, want->mass, relative);
    for (int i = 0; i < 3; i++) {
        if (!(fabs(got->centre[i] - want->centre[i]) <= relative * size)) {
            print_error("centre[%d] is %.12g, expected %.12g\n", i, got->centre[i],
                        want->centre[i]);
            fail();
        }
        for (int j = 0; j < 3; j++)
            if (!(fabs(got->inertia[i][j] - want->inertia[i][j]) <= relative * unit)) {
                print_error("inertia[%d][%d] is %.12g, expected %.12g\n", i, j, got->inertia[i][j],
                            want->inertia[i][j]);
                fail();
            }
    }
}

/* ---- Sampling ---- */

static const double corners[4][3] = {{0, 0, 0}, {1.2, 0.1, 0}, {0.2, 1, 0.1}, {0.1, 0.2, 0.9}};

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The distance of a point from a segment, and from a triangle, by trying all features. */
static double to_segment(const double x[3], const double a[3], const double b[3])
{
    double d[3], e[3];
    subtract(b, a, d);
    subtract(x, a, e);
    const double t = fmin(1, fmax(0, dot(e, d) / dot(d, d)));
    for (int k = 0; k < 3; k++)
        e[k] -= t * d[k];
    return sqrt(dot(e, e));
}

static double to_triangle(const double x[3], const double *a, const double *b, const double *c,
                          double *side)
{
    double u[3], v[3], w[3], n[3];
    subtract(b, a, u);
    subtract(c, a, v);
    subtract(x, a, w);
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    *side = dot(w, n);
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    const double det = uu * vv - uv * uv, s = (vv * uw - uv * vw) / det;
    const double t = (uu * vw - uv * uw) / det;
    if (s >= 0 && t >= 0 && s + t <= 1)
        return fabs(*side) / sqrt(dot(n, n));
    return fmin(to_segment(x, a, b), fmin(to_segment(x, b, c), to_segment(x, c, a)));
}

static bool in_tetrahedron(const double x[3], double rounding)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    bool inside = true, near = false;
    for (int f = 0; f < 4; f++) {
        double side, d = to_triangle(x, corners[faces[f][0]], corners[faces[f][1]],
                                     corners[faces[f][2]], &side);
        inside = inside && side <= 0;
        near = near || d <= rounding;
    }
    return inside || near;
}

/* Whether a point of a shape's own frame is in it; hulls are the tetrahedron. */
static bool holds(const tl_shape_def *s, const double x[3])
{
    const double *e = s->half_extents, r = s->rounding, across = hypot(x[0], x[1]);
    double q[3];
    switch (s->kind) {
    case TL_SPHERE: return sqrt(dot(x, x)) <= s->radius;
    case TL_BOX:
        for (int k = 0; k < 3; k++)
            q[k] = fmax(0, fabs(x[k]) - (e[k] - r));
        return sqrt(dot(q, q)) <= r;
    case TL_CAPSULE: return hypot(across, fmax(0, fabs(x[2]) - s->half_length)) <= s->radius;
    case TL_CYLINDER:
        return hypot(fmax(0, across - (s->radius - r)),
                     fmax(0, fabs(x[2]) - (s->half_length - r))) <= r;
    case TL_CONE:
        return fabs(x[2]) <= s->half_length &&
               across <= s->radius * (s->half_length - x[2]) / (2 * s->half_length);
    case TL_ELLIPSOID:
        for (int k = 0; k < 3; k++)
            q[k] = x[k] / e[k];
        return dot(q, q) <= 1;
    default: return in_tetrahedron(x, r);
    }
}

/* By the midpoints of a grid over a cube of half edge `half`; overlaps count for each shape. */
static bulk sample(size_t count, const tl_shape_def *shapes, double half)
{
    enum { GRID = 120 };
    const double cell = 2 * half / GRID;
    double sum[10] = {0}; /* 1, x y z, xx yy zz yz zx xy */
    bulk out = {0};
    for (int n = 0; n < GRID * GRID * GRID; n++) {
        const double p[3] = {cell * (n % GRID + 0.5) - half, cell * (n / GRID % GRID + 0.5) - half,
                             cell * (n / GRID / GRID + 0.5) - half};
        for (size_t i = 0; i < count; i++) {
            const double *q = shapes[i].orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
            double d[3], x[3];
            subtract(p, shapes[i].position, d);
            tl_turn_apply(back, d, x);
            if (!holds(&shapes[i], x))
                continue;
            sum[0]++;
            for (int k = 0; k < 3; k++) {
                sum[1 + k] += p[k];
                sum[4 + k] += p[k] * p[k];
                sum[7 + k] += p[(k + 1) % 3] * p[(k + 2) % 3];
            }
        }
    }
    const double volume = cell * cell * cell;
    double c[3];
    out.mass = volume * sum[0];
    for (int k = 0; k < 3; k++)
        c[k] = out.centre[k] = sum[1 + k] / sum[0];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.inertia[k][k] =
            volume * (sum[4 + i] + sum[4 + j]) - out.mass * (c[i] * c[i] + c[j] * c[j]);
        out.inertia[i][j] = out.inertia[j][i] = out.mass * c[i] * c[j] - volume * sum[7 + k];
    }
    return out;
}

static tl_shape_def rounded(tl_shape_def shape, double rounding)
{
    shape.rounding = rounding;
    return shape;
}

static tl_shape_def placed(tl_shape_def shape, double x, double y, double z, double angle)
{
    const double axis[3] = {0.6, -0.48, 0.64};
    shape.position[0] = x, shape.position[1] = y, shape.position[2] = z;
    tl_turn_exp(axis, angle, shape.orientation);
    return shape;
}

static void shapes_weigh_what_sampling_finds(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_geometry tetrahedron;
    assert_ok(tl_scene_add_hull(scene, 4, corners[0], &tetrahedron));
    const tl_shape_def kinds[] = {
        tl_sphere_default(0.6),
        tl_box_default(0.5, 0.3, 0.7),
        rounded(tl_box_default(0.5, 0.3, 0.7), 0.2),
        tl_capsule_default(0.3, 0.5),
        tl_cylinder_default(0.5, 0.3),
        rounded(tl_cylinder_default(0.5, 0.3), 0.15),
        tl_cone_default(0.6, 0.5),
        tl_ellipsoid_default(0.3, 0.5, 0.8),
        tl_hull_default(tetrahedron),
        rounded(tl_hull_default(tetrahedron), 0.2),
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int angle = 1; angle <= 2; angle++) { /* askew to the grid */
            const tl_shape_def shape = placed(kinds[i], 0.1, -0.15, 0.2, 1.1 * angle);
            const bulk want = sample(1, &shape, 1.6), got = bulk_of_shapes(scene, 1, &shape);
            assert_bulk(&got, &want, 1, 2e-3);
        }
    const tl_shape_def compound[3] = {placed(kinds[2], 0.4, 0.2, -0.3, 0.7),
                                      placed(kinds[6], -0.3, 0.1, 0.3, -0.4),
                                      placed(kinds[0], 0.2, -0.5, 0.3, 0)};
    const bulk want = sample(3, compound, 1.6), got = bulk_of_shapes(scene, 3, compound);
    assert_bulk(&got, &want, 1, 2e-3);
    tl_scene_destroy(scene);
}

/* ---- Two ways to one solid ---- */

static void box_points(const double half[3], double points[8][3])
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            points[i][k] = i >> k & 1 ? half[k] : -half[k];
}

static void hulls_of_boxes_weigh_what_boxes_do(void **state)
{
    const double half[3] = {0.5, 0.3, 0.7}, core[3] = {0.4, 0.2, 0.6};
    double points[8][3];
    tl_geometry sharp, inner;
    (void)state;
    tl_scene *scene = new_scene();
    box_points(half, points);
    assert_ok(tl_scene_add_hull(scene, 8, points[0], &sharp));
    box_points(core, points);
    for (int i = 0; i < 8; i++) /* off its middle, and turned */
        for (int k = 0; k < 3; k++)
            points[i][k] += 0.3 * (k + 1);
    assert_ok(tl_scene_add_hull(scene, 8, points[0], &inner));
    tl_shape_def box = tl_box_default(0.5, 0.3, 0.7), hull = tl_hull_default(sharp);
    bulk want = bulk_of_shapes(scene, 1, &box), got = bulk_of_shapes(scene, 1, &hull);
    assert_bulk(&got, &want, 1, 1e-14);
    box = placed(rounded(box, 0.1), 0, 0, 0, 0.9);
    hull = placed(rounded(tl_hull_default(inner), 0.1), 0, 0, 0, 0.9);
    const double middle[3] = {0.3, 0.6, 0.9};
    tl_turn_apply(box.orientation, middle, box.position);
    want = bulk_of_shapes(scene, 1, &box), got = bulk_of_shapes(scene, 1, &hull);
    assert_bulk(&got, &want, 1, 1e-13);
    tl_scene_destroy(scene);
}

/* A shape that is nearly all rounding is nearly a ball; a capsule is a rounded cylinder whose core
 * is a rod. */
static void rounding_leads_to_balls_and_capsules(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_shape_def ball = tl_sphere_default(0.5), rod = tl_capsule_default(0.5, 0.4);
    const tl_shape_def box = rounded(tl_box_default(0.5, 0.5, 0.5), 0.5 - 1e-12);
    const tl_shape_def disc = rounded(tl_cylinder_default(0.5, 0.5), 0.5 - 1e-12);
    const tl_shape_def rolled = rounded(tl_cylinder_default(0.5, 0.9), 0.5 - 1e-12);
    bulk want = bulk_of_shapes(scene, 1, &ball), got = bulk_of_shapes(scene, 1, &box);
    assert_bulk(&got, &want, 1, 1e-11);
    got = bulk_of_shapes(scene, 1, &disc);
    assert_bulk(&got, &want, 1, 1e-11);
    want = bulk_of_shapes(scene, 1, &rod), got = bulk_of_shapes(scene, 1, &rolled);
    assert_bulk(&got, &want, 1, 1e-11);
    const tl_shape_def round = tl_ellipsoid_default(0.5, 0.5, 0.5);
    want = bulk_of_shapes(scene, 1, &ball), got = bulk_of_shapes(scene, 1, &round);
    assert_bulk(&got, &want, 1, 1e-15);
    tl_scene_destroy(scene);
}

/* The textbook's right tetrahedron with legs a, b, c: volume abc/6, centre at a quarter of each,
 * products of inertia from the integral of xy, abc ab/120. */
static void right_tetrahedra_have_their_closed_form(void **state)
{
    const double a = 1, b = 2, c = 3, points[12] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c};
    const double v = a * b * c / 6;
    tl_geometry geometry;
    (void)state;
    tl_scene *scene = new_scene();
    assert_ok(tl_scene_add_hull(scene, 4, points, &geometry));
    const tl_shape_def hull = tl_hull_default(geometry);
    const bulk got = bulk_of_shapes(scene, 1, &hull);
    const bulk want = {v,
                       {a / 4, b / 4, c / 4},
                       {{v * 3 * (b * b + c * c) / 80, v * a * b / 80, v * a * c / 80},
                        {v * a * b / 80, v * 3 * (a * a + c * c) / 80, v * b * c / 80},
                        {v * a * c / 80, v * b * c / 80, v * 3 * (a * a + b * b) / 80}}};
    assert_bulk(&got, &want, 3, 1e-14);
    tl_scene_destroy(scene);
}

/* Far from the origin, in small and in large: the inertia about the centre keeps its digits. */
static void far_shapes_keep_their_digits(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    for (int e = -90; e <= 90; e += 30) {
        const double unit = pow(10, e);
        const tl_shape_def box = tl_box_default(unit, 2 * unit, 3 * unit);
        const tl_shape_def far = placed(box, 1e3 * unit, -2e3 * unit, 5e3 * unit, 0);
        tl_body_def def = tl_body_default();
        def.shape_count = 1;
        def.shapes = &far;
        def.mass = 12;
        const tl_body_rec body = record_of(scene, &def);
        assert_near(body.inertia[0], 4 * 13 * unit * unit, 1e-12);
        assert_near(body.inertia[1], 4 * 10 * unit * unit, 1e-12);
        assert_near(body.inertia[2], 4 * 5 * unit * unit, 1e-12);
        assert_near(body.offset[2], -5e3 * unit, 1e-15);
        assert_true(body.turn[0] == 1);
    }
    tl_scene_destroy(scene);
}

/* ---- The body's frame ---- */

/* Boxes and balls about the origin are kept as they are given, to the bit. */
static void principal_bodies_keep_their_frame(void **state)
{
    const double identity[4] = {1, 0, 0, 0}, none[3] = {0};
    (void)state;
    tl_scene *scene = new_scene();
    const tl_shape_def shapes[] = {tl_sphere_default(0.1), tl_box_default(0.1, 0.2, 0.3),
                                   rounded(tl_cylinder_default(0.1, 0.3), 0.05),
                                   tl_ellipsoid_default(0.1, 0.2, 0.3)};
    for (size_t i = 0; i < 4; i++) {
        tl_body_def def = tl_body_default();
        const tl_shape_def turned = placed(shapes[1], 0.1, 0.2, 0.3, 0.5);
        def.shape_count = 1;
        def.shapes = &shapes[i];
        def.position[0] = 0.1, def.position[1] = 0.7;
        memcpy(def.orientation, turned.orientation, sizeof def.orientation);
        const tl_body_rec body = record_of(scene, &def);
        const tl_shape_rec *shape = (tl_shape_rec *)scene->list.shapes.data + body.first_shape;
        assert_memory_equal(body.turn, identity, sizeof identity);
        assert_memory_equal(body.offset, none, sizeof none);
        assert_memory_equal(body.position, def.position, sizeof def.position);
        assert_memory_equal(shape->position, none, sizeof none);
        assert_memory_equal(shape->orientation, identity, sizeof identity);
    }
    tl_scene_destroy(scene);
}

/* A point of a shape is where the definition puts it, whichever way it is computed. */
static void poses_lead_back_to_what_was_given(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_shape_def shapes[2] = {placed(tl_box_default(0.1, 0.2, 0.3), 1, 2, 3, 0.5),
                                    placed(tl_cone_default(0.2, 0.4), 1.3, 2, 3, -1.5)};
    tl_body_def def = tl_body_default();
    const tl_shape_def pose = placed(shapes[0], 5, -6, 7, 2.2);
    def.shape_count = 2;
    def.shapes = shapes;
    memcpy(def.position, pose.position, sizeof def.position);
    memcpy(def.orientation, pose.orientation, sizeof def.orientation);
    def.velocity[0] = 3;
    const tl_body_rec body = record_of(scene, &def);
    assert_true(body.velocity[0] == 3 && body.turn[0] < 1);
    double there[3], again[3], joined[4];
    tl_turn_apply(body.orientation, body.offset, there);
    tl_turn_join(body.orientation, body.turn, joined);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(body.position[k] + there[k] - def.position[k]) < 1e-14);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(joined[k] - def.orientation[k]) < 1e-15);
    for (uint32_t i = 0; i < 2; i++) {
        const tl_shape_rec *s = (tl_shape_rec *)scene->list.shapes.data + body.first_shape + i;
        const double tip[3] = {0.1, 0.2, 0.3};
        double x[3], y[3];
        tl_turn_apply(s->orientation, tip, x);
        for (int k = 0; k < 3; k++)
            x[k] += s->position[k];
        tl_turn_apply(body.orientation, x, there);
        tl_turn_apply(shapes[i].orientation, tip, y);
        for (int k = 0; k < 3; k++)
            y[k] += shapes[i].position[k];
        tl_turn_apply(def.orientation, y, again);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(body.position[k] + there[k] - def.position[k] - again[k]) < 1e-14);
    }
    tl_scene_destroy(scene);
}

/* Bodies with equal shapes share them in their own frame, too. */
static void equal_bodies_share_turned_shapes(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_shape_def shapes[2][2];
    tl_body_def defs[3];
    for (int i = 0; i < 3; i++) {
        defs[i] = tl_body_default();
        shapes[i % 2][0] = placed(tl_box_default(0.1, 0.2, 0.3), 1, 2, 3, 0.5);
        shapes[i % 2][1] = placed(tl_capsule_default(0.2, 0.4), 1.3, 2, 3, -1.5);
        defs[i].shape_count = 2;
        defs[i].shapes = shapes[i ? 1 : 0];
    }
    assert_ok(tl_scene_add_bodies(scene, 3, defs, NULL));
    const tl_body_rec *bodies = scene->list.bodies.data;
    assert_int_equal(scene->list.shapes.count, 2);
    assert_int_equal(scene->list.shape_total, 6);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(bodies[i].first_shape, 0);
        assert_memory_equal(bodies[i].turn, bodies[0].turn, sizeof bodies->turn);
        assert_memory_equal(bodies[i].offset, bodies[0].offset, sizeof bodies->offset);
        assert_memory_equal(bodies[i].position, bodies[0].position, sizeof bodies->position);
    }
    tl_scene_destroy(scene);
}

static void given_moments_are_about_the_given_centre(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    const tl_shape_def shape = placed(tl_cone_default(0.2, 0.4), 0.3, 0, 0, 0.4);
    tl_body_def def = tl_body_default();
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 2;
    def.inertia[0] = 1, def.inertia[1] = 1.5, def.inertia[2] = 2;
    tl_body_rec body = record_of(scene, &def); /* at the origin unless said otherwise */
    assert_true(body.offset[0] == 0 && body.turn[0] == 1 && body.inertia[1] == 1.5);
    def.centre_of_mass[0] = 0.25, def.centre_of_mass[2] = -1;
    body = record_of(scene, &def);
    const tl_shape_rec *s = (tl_shape_rec *)scene->list.shapes.data + body.first_shape;
    assert_true(body.offset[0] == -0.25 && body.offset[2] == 1 && body.turn[0] == 1);
    assert_true(body.position[0] == 0.25 && body.position[2] == -1 && body.inertia[1] == 1.5);
    assert_true(s->position[0] == 0.3 - 0.25 && s->position[2] == 1);
    def.mass = 0; /* that of the volume; the rest as given */
    body = record_of(scene, &def);
    assert_near(body.mass, 1000 * pi * 0.04 * 0.8 / 3, 1e-15);
    assert_true(body.offset[2] == 1 && body.inertia[1] == 1.5);
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_weigh_what_sampling_finds),
        cmocka_unit_test(hulls_of_boxes_weigh_what_boxes_do),
        cmocka_unit_test(rounding_leads_to_balls_and_capsules),
        cmocka_unit_test(right_tetrahedra_have_their_closed_form),
        cmocka_unit_test(far_shapes_keep_their_digits),
        cmocka_unit_test(principal_bodies_keep_their_frame),
        cmocka_unit_test(poses_lead_back_to_what_was_given),
        cmocka_unit_test(equal_bodies_share_turned_shapes),
        cmocka_unit_test(given_moments_are_about_the_given_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
