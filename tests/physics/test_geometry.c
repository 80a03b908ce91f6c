/* The geometry of single contacts against closed forms: gap, normal and point of a sphere with
 * another sphere, a plane, the faces, edges, corners and the inside of a box, and both sides, the
 * edges and the corners of a parallelogram; and that a sphere inside a box leaves it through the
 * nearest face. */
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
        cmocka_unit_test(test_parallelogram), cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_degenerate),    cmocka_unit_test(test_pushed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
