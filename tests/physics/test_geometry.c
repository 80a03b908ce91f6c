/* The geometry of single contacts against closed forms: gap, normal and point of a sphere with
 * another sphere, a plane, the faces, edges, corners and the inside of a box, and both sides, the
 * edges and the corners of a parallelogram; and that a sphere inside a box leaves it through the
 * nearest face. */
#include "kernels/narrow.h" /* first: it says what a real is */

#include "support.h"

/* Doubles keep 1e-12 of lengths of about a metre; mixed precision keeps frames in 24 bits. */
static double tolerance_of(const variant *v)
{
    return v->precision == TL_DOUBLE ? 1e-12 : 1e-6;
}

/* A fixed shape in an arbitrary pose, on a body in an arbitrary pose. `to_world` and `origin` are
 * the pose of the shape's frame. */
typedef struct stage {
    double body_turn[4], body_place[3];
    double origin[3], turn_a[4]; /* of the shape in the body */
} stage;

static stage make_stage(dice *d)
{
    stage s;
    roll_turn(d, s.body_turn);
    roll3(d, -3, 3, s.body_place);
    roll_turn(d, s.turn_a);
    roll3(d, -1, 1, s.origin);
    return s;
}

/* From the shape's frame to the world: points, or directions. */
static void to_world(const stage *s, const double local[3], bool point, double out[3])
{
    double in_body[3];
    rotate(s->turn_a, 1, local, in_body);
    if (point)
        add3(in_body, 1, s->origin, in_body);
    rotate(s->body_turn, 1, in_body, out);
    if (point)
        add3(out, 1, s->body_place, out);
}

/* One sphere with its centre at `centre` in the shape's frame: there is one contact, whose normal
 * is `normal` (shape's frame, from the sphere to the shape) and whose gap is `gap`; or none if
 * `normal` is NULL. */
static void check(const variant *v, dice *d, tl_shape_def shape, double radius,
                  const double centre[3], const double *normal, double gap)
{
    const stage s = make_stage(d);
    double place[3], n[3], point[3], local[3];
    tl_settings settings = settings_for(v, 1e-3);
    settings.envelope = 0.02;
    tl_scene *scene = scene_with(&settings);
    memcpy(shape.position, s.origin, sizeof shape.position);
    memcpy(shape.orientation, s.turn_a, sizeof shape.orientation);
    const tl_body fixed = add_fixed(scene, shape, (tl_material){0}, s.body_place, s.body_turn);
    to_world(&s, centre, true, place);
    const tl_body ball =
        add_sphere(scene, (tl_material){0}, radius, 0, place, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    assert_ok(tl_world_find_contacts(world));

    size_t count;
    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, normal ? 1 : 0);
    if (normal) {
        const double tolerance = tolerance_of(v);
        to_world(&s, normal, false, n);
        add3(centre, radius + gap / 2, normal, local); /* halfway between the surfaces */
        to_world(&s, local, true, point);
        assert_int_equal(contacts->a.index, ball.index);
        assert_int_equal(contacts->b.index, fixed.index);
        assert_int_equal(contacts->shape_a, 0);
        assert_int_equal(contacts->shape_b, 0);
        assert_near(contacts->gap, gap, tolerance);
        assert_below(distance3(contacts->normal, n), tolerance / radius);
        assert_below(distance3(contacts->point, point), 2 * tolerance);
        assert_near(norm3(contacts->impulse), 0, 0);
    }
    free(contacts);
    tl_world_destroy(world);
}

static void plane(const variant *v)
{
    dice d = {1};
    const double down[3] = {0, 0, -1};
    const double gaps[] = {0.015, 0, -0.03, -1.5};
    for (int i = 0; i < 4; i++) {
        const double centre[3] = {roll(&d, -40, 40), roll(&d, -40, 40), 0.5 + gaps[i]};
        check(v, &d, tl_plane_default(), 0.5, centre, down, gaps[i]);
    }
    check(v, &d, tl_plane_default(), 0.5, (double[3]){0, 0, 0.53}, NULL, 0);
}

static void test_plane(void **state)
{
    (void)state;
    for_each_precision(plane);
}

/* A sphere at distance radius + gap from the point `at` of the surface, in the direction `out`. */
static void against(const variant *v, dice *d, const tl_shape_def *shape, const double at[3],
                    const double out[3], double gap)
{
    const double radius = 0.2;
    double unit[3], normal[3], centre[3];
    for (int k = 0; k < 3; k++) {
        unit[k] = out[k] / norm3(out);
        normal[k] = -unit[k];
    }
    add3(at, radius + gap, unit, centre);
    check(v, d, *shape, radius, centre, gap > 0.02 ? NULL : normal, gap);
}

/* Faces, edges and corners: all 26 features of a box, the sphere in the middle of the directions in
 * which the feature is the nearest one; apart, touching, overlapping, and out of the envelope. */
static void box(const variant *v)
{
    dice d = {2};
    const double half[3] = {0.7, 0.4, 1.1};
    const double gaps[] = {0.015, 0, -0.1, 0.03};
    const tl_shape_def shape = tl_box_default(half[0], half[1], half[2]);
    for (int feature = 0; feature < 27; feature++) {
        const int side[3] = {feature % 3 - 1, feature / 3 % 3 - 1, feature / 9 - 1};
        if (feature == 13)
            continue;
        for (int g = 0; g < 4; g++) {
            double at[3], out[3];
            for (int k = 0; k < 3; k++) {
                at[k] = side[k] ? side[k] * half[k] : roll(&d, -0.9, 0.9) * half[k];
                out[k] = side[k] * roll(&d, 0.4, 1);
            }
            against(v, &d, &shape, at, out, gaps[g]);
        }
    }
}

/* Centres inside: out through the nearest face, at the centre's depth plus the radius. */
static void box_inside(const variant *v)
{
    dice d = {3};
    const double half[3] = {0.7, 0.4, 1.1};
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, sign = face % 2 ? 1 : -1;
        double centre[3] = {0.05, -0.03, 0.02}, normal[3] = {0, 0, 0};
        centre[axis] = sign * (half[axis] - 0.1); /* the other faces are 0.35 away or more */
        normal[axis] = -sign;
        check(v, &d, tl_box_default(half[0], half[1], half[2]), 0.2, centre, normal, -0.1 - 0.2);
    }
}

static void test_box(void **state)
{
    (void)state;
    for_each_precision(box);
    for_each_precision(box_inside);
}

/* A skew parallelogram with the corner at the origin, edges u and v: interior from both sides, the
 * four edges, the four corners. */
static void parallelogram(const variant *v)
{
    dice d = {4};
    const double u[3] = {1.2, 0.3, 0.2}, w[3] = {-0.4, 0.9, 0.1};
    const double gaps[] = {0.015, 0, -0.1, 0.03};
    const tl_shape_def shape = tl_parallelogram_default(u, w);
    double normal[3], across[2][3];
    cross3(u, w, normal);
    cross3(u, normal, across[0]); /* in the patch's plane, away from the edge along u through 0 */
    cross3(normal, w, across[1]); /* away from the edge along v through 0 */
    for (int g = 0; g < 4; g++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double at[3] = {0, 0, 0}, out[3] = {0, 0, 0};
            add3(at, roll(&d, 0.1, 0.9), u, at);
            add3(at, roll(&d, 0.1, 0.9), w, at);
            add3(out, sign, normal, out);
            against(v, &d, &shape, at, out, gaps[g]);
        }
        for (int edge = 0; edge < 4; edge++) {
            const bool along_u = edge < 2, far = edge % 2;
            double at[3] = {0, 0, 0}, out[3] = {0, 0, 0};
            add3(at, along_u ? roll(&d, 0.1, 0.9) : far, u, at);
            add3(at, along_u ? far : roll(&d, 0.1, 0.9), w, at);
            add3(out, far ? -1 : 1, across[along_u ? 0 : 1], out);
            add3(out, roll(&d, -1, 1), normal, out);
            against(v, &d, &shape, at, out, gaps[g]);
        }
        for (int corner = 0; corner < 4; corner++) {
            const int s = corner % 2, t = corner / 2;
            double at[3] = {0, 0, 0}, out[3] = {0, 0, 0};
            add3(at, s, u, at);
            add3(at, t, w, at);
            /* Between the outward normals of the two edges that meet here. */
            add3(out, (t ? -1 : 1) / norm3(across[0]), across[0], out);
            add3(out, (s ? -1 : 1) / norm3(across[1]), across[1], out);
            add3(out, roll(&d, -1, 1), normal, out);
            against(v, &d, &shape, at, out, gaps[g]);
        }
    }
}

static void test_parallelogram(void **state)
{
    (void)state;
    for_each_precision(parallelogram);
}

/* In 113 bits, where two edges with a sine of 1e-9 still leave 50. */
__extension__ typedef __float128 quad;

static quad quad_dot(const quad *a, const quad *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The square of the distance of d from the segment from `from` along e. */
static quad from_segment(const quad *d, const quad *from, const quad *e)
{
    quad to[3], t;
    for (int k = 0; k < 3; k++)
        to[k] = d[k] - from[k];
    t = quad_dot(to, e) / quad_dot(e, e);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++)
        to[k] -= t * e[k];
    return quad_dot(to, to);
}

/* The distance of a point from a parallelogram: of all its points, the nearest of the edges, or the
 * foot of the perpendicular where that is inside. */
static double true_distance(const double *c, const double *patch)
{
    quad d[3], u[3], v[3], foot[3];
    const quad zero[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        d[k] = (quad)c[k] - patch[k];
        u[k] = patch[3 + k];
        v[k] = patch[6 + k];
    }
    const quad edges[4] = {from_segment(d, zero, u), from_segment(d, zero, v),
                           from_segment(d, v, u), from_segment(d, u, v)};
    quad best = edges[0];
    for (int i = 1; i < 4; i++)
        best = edges[i] < best ? edges[i] : best;
    const quad uu = quad_dot(u, u), vv = quad_dot(v, v), uv = quad_dot(u, v);
    const quad det = uu * vv - uv * uv, du = quad_dot(d, u), dv = quad_dot(d, v);
    const quad s = (du * vv - dv * uv) / det, t = (dv * uu - du * uv) / det;
    for (int k = 0; k < 3; k++)
        foot[k] = d[k] - s * u[k] - t * v[k];
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1 && quad_dot(foot, foot) < best)
        best = quad_dot(foot, foot);
    return (double)sqrtl((long double)best);
}

/* Narrow parallelograms, down to the sine of 1e-9 that scenes accept: the distance is right within
 * 1e-13 of the lengths there are, from near and far, beside it, above it and in its plane. */
static void test_narrow(void **state)
{
    (void)state;
    dice d = {17};
    double worst = 0;
    context("narrow parallelograms");
    for (int i = 0; i < 400000; i++) {
        double patch[TLK_FRAME] = {0}, c[3], n[3], across[3], normal[3], where[3];
        const double sine = pow(10, roll(&d, -9, 0)), length = pow(10, roll(&d, -2, 2));
        const double above = i % 3 ? length * pow(10, roll(&d, -12, 0)) : 0;
        roll3(&d, -1, 1, patch);
        roll_direction(&d, patch + 3);
        roll_direction(&d, normal);
        cross3(patch + 3, normal, across);
        for (int k = 0; k < 3; k++) {
            patch[3 + k] *= pow(10, -(i % 4));
            patch[6 + k] = length * (sqrt(1 - sine * sine) * patch[3 + k] / norm3(patch + 3) +
                                     sine * across[k] / norm3(across));
        }
        cross3(patch + 3, patch + 6, normal);
        for (int k = 0; k < 3; k++)
            patch[9 + k] = normal[k] / norm3(normal);
        where[0] = roll(&d, -0.5, 1.5), where[1] = roll(&d, -0.5, 1.5), where[2] = above;
        for (int k = 0; k < 3; k++)
            c[k] = patch[k] + where[0] * patch[3 + k] + where[1] * patch[6 + k] +
                   where[2] * patch[9 + k];
        const double want = true_distance(c, patch);
        const double got = tlk_sphere_parallelogram(c, 0, patch, n);
        const double scale = 1 + norm3(patch + 3) + length;
        worst = fmax(worst, fabs(got - want) / scale);
        if (!(fabs(got - want) <= 1e-13 * scale))
            fail_msg("sine %g, length %g: the distance is %.17g instead of %.17g", sine, length,
                     got, want);
        assert_near(norm3(n), 1, 1e-12);
    }
    static const claim c = {"the distance of points from 400,000 parallelograms, sines to 1e-9",
                            "128-bit arithmetic", "largest error, over the lengths there are",
                            "random places"};
    assert_found(&c, "double", worst, 0, 1e-13);
}

/* Edges (1, 0, 0) and (1, 1e-8, 0): balls 9 mm away, all around it, have that gap and do not move.
 */
static void narrow_rest(const variant *v)
{
    const tl_shape_def strip =
        tl_parallelogram_default((double[3]){1, 0, 0}, (double[3]){1, 1e-8, 0});
    const tl_settings settings = settings_for(v, 1e-3);
    for (int i = 0; i < 20 * 12; i++) {
        const double angle = PI / 6 * (i % 12), at = 0.05 + 0.1 * (i / 12);
        const double place[3] = {at, 0.209 * cos(angle), 0.209 * sin(angle)};
        tl_scene *scene = scene_with(&settings);
        double x[3];
        size_t count;
        set_gravity(scene, 0, 0, 0);
        add_fixed(scene, strip, (tl_material){0}, (double[3]){0, 0, 0}, (double[4]){1, 0, 0, 0});
        const tl_body ball =
            add_sphere(scene, (tl_material){0}, 0.2, 0, place, (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        context("%s: a ball at (%g, %g, %g)", v->name, place[0], place[1], place[2]);
        assert_ok(tl_world_find_contacts(world));
        tl_contact *contacts = contacts_of(world, &count);
        assert_int_equal(count, 1);
        assert_near(contacts->gap, 0.009, tolerance_of(v) + 2e-8);
        free(contacts);
        step(world, 3);
        position_of(world, ball, x);
        assert_near(distance3(x, place), 0, 0);
        tl_world_destroy(world);
    }
}

static void test_narrow_rest(void **state)
{
    (void)state;
    for_each_precision(narrow_rest);
}

/* Two spheres: fixed, dynamic, and one inside the other. */
static void spheres(const variant *v)
{
    dice d = {5};
    const double gaps[] = {0.015, 0, -0.1, -0.6, 0.03};
    for (int g = 0; g < 5; g++) {
        double out[3], normal[3], centre[3];
        roll_direction(&d, out);
        for (int k = 0; k < 3; k++) {
            normal[k] = -out[k];
            centre[k] = (0.5 + 0.2 + gaps[g]) * out[k];
        }
        check(v, &d, tl_sphere_default(0.5), 0.2, centre, g == 4 ? NULL : normal, gaps[g]);
    }
}

static void test_spheres(void **state)
{
    (void)state;
    for_each_precision(spheres);
}

/* Degenerate places have no one normal; they must give one contact with a finite unit normal and
 * the gap that continuity asks for. */
static void degenerate(const variant *v)
{
    const tl_shape_def shapes[3] = {
        tl_sphere_default(0.5), tl_box_default(0.5, 0.5, 0.5),
        tl_parallelogram_default((double[3]){1, 0, 0}, (double[3]){0, 1, 0})};
    const double centres[3][3] = {{0, 0, 0}, {0, 0, 0}, {0.5, 0.5, 0}};
    const double gaps[3] = {-0.7, -0.7, -0.2};
    for (int i = 0; i < 3; i++) {
        tl_scene *scene = scene_for(v, 1e-3);
        size_t count;
        double x[3];
        add_fixed(scene, shapes[i], (tl_material){0}, (double[3]){0, 0, 0},
                  (double[4]){1, 0, 0, 0});
        const tl_body ball =
            add_sphere(scene, (tl_material){0}, 0.2, 0, centres[i], (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        tl_contact *contacts = contacts_of(world, &count);
        assert_int_equal(count, 1);
        assert_near(contacts->gap, gaps[i], tolerance_of(v));
        assert_near(norm3(contacts->normal), 1, tolerance_of(v));
        if (i == 2)
            assert_near(fabs(contacts->normal[2]), 1, tolerance_of(v));
        free(contacts);
        step(world, 20);
        position_of(world, ball, x);
        assert_true(isfinite(x[0] + x[1] + x[2]));
        tl_world_destroy(world);
    }
}

static void test_degenerate(void **state)
{
    (void)state;
    for_each_precision(degenerate);
}

/* A sphere that starts deep in a box leaves it through the nearest face and ends up touching it.
 * With the split half of the depth goes each step: 0.3 m / 2^40 is below the tolerance. */
static void pushed_out(const variant *v)
{
    tl_scene *scene = scene_for(v, 1e-3);
    tl_world *world = NULL;
    double x[3];
    set_gravity(scene, 0, 0, 0);
    add_fixed(scene, tl_box_default(0.7, 0.4, 1.1), (tl_material){0}, (double[3]){0, 0, 0},
              (double[4]){1, 0, 0, 0});
    const tl_body ball = add_sphere(scene, (tl_material){0}, 0.2, 0, (double[3]){-0.6, 0.1, 0.3},
                                    (double[3]){0, 0, 0});
    assert_status(tl_world_create(scene, &world), TL_OVERLAPPING);
    tl_scene_destroy(scene);
    step(world, 60);
    position_of(world, ball, x);
    if (v->overlap == TL_OVERLAP_SPLIT)
        assert_near(x[0], -0.9, 1e-6);
    else
        assert_below(x[0], -0.9 + 1e-6); /* thrown out, with the speed of its recovery */
    assert_near(x[1], 0.1, 1e-6);
    assert_near(x[2], 0.3, 1e-6);
    tl_world_destroy(world);
}

static void test_pushed_out(void **state)
{
    (void)state;
    for_each_variant(pushed_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),         cmocka_unit_test(test_box),
        cmocka_unit_test(test_parallelogram), cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_narrow_rest),   cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_degenerate),    cmocka_unit_test(test_pushed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
