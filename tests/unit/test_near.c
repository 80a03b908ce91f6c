/* What is near a shape, against distances known without the library, against the contacts that the
 * same shape has as a body; the contacts of one body. */
#include "query_forms.h"

static tl_shape_def ball_shape(double radius, const double at[3])
{
    tl_shape_def ball = tl_sphere_default(radius);
    memcpy(ball.position, at, sizeof ball.position);
    return ball;
}

static const tl_body nobody = {0, 0};

/* Balls near one shape: the gap is the distance of the centre less the radius. */
static void test_balls(void **state)
{
    (void)state;
    static form f;
    dice d = {21};
    for (int kind = 0; kind < FORM_KINDS; kind++) {
        int near = 0, overlaps = 0;
        /* distances are not known, or have two sides */
        const bool exact =
            kind != FORM_CONE && kind != FORM_ELLIPSOID && !form_is_surface((form_kind)kind);
        for (int round = 0; round < 20; round++) {
            tl_scene *scene = plain_scene();
            roll_form(scene, &d, (form_kind)kind, &f);
            add_form(scene, &f);
            tl_world *world = world_of(scene);
            for (int i = 0; i < 40; i++) {
                double at[3], p[3], q[3];
                size_t count;
                tl_neighbour n[2];
                const double radius = roll(&d, 0.05, 0.5), margin = roll(&d, 0, 0.5);
                context("kind %d, round %d, ball %d", kind, round, i);
                roll3(&d, -2, 2, at);
                const tl_shape_def ball = ball_shape(radius, at);
                form_in(&f, at, true, p);
                double out = form_outside(&f, p);
                assert_ok(tl_world_overlaps(world, &ball, margin, nobody, 2, n, &count));
                if (form_is_surface((form_kind)kind)) {
                    out = INFINITY;
                    for (size_t t = 0; t < f.triangles; t++)
                        out = fmin(out, triangle_distance((const double(*)[3])f.corner[t], p));
                    if (count && kind == FORM_MESH && n[0].gap > 0) /* one-sided */
                        assert_near(n[0].gap, out - radius, 1e-9);
                } else if (exact) {
                    assert_int_equal(count, out - radius <= margin);
                }
                if (!count)
                    continue;
                near++;
                overlaps += n[0].gap < 0;
                assert_int_equal(count, 1);
                assert_true(n[0].body.index == 1 && n[0].shape == 0);
                assert_int_equal(n[0].triangle != TL_NO_TRIANGLE,
                                 kind == FORM_MESH || kind == FORM_HEIGHTS);
                if (exact)
                    assert_near(n[0].gap, out - radius, 1e-9);
                assert_near(norm3(n[0].normal), 1, 1e-12);
                add3(at, radius, n[0].normal, q);
                assert_near(distance3(q, n[0].point), 0, 1e-9);
                add3(n[0].point, n[0].gap, n[0].normal, q);
                assert_near(distance3(q, n[0].other), 0, 1e-12);
                if (!form_is_surface((form_kind)kind)) {
                    form_in(&f, n[0].other, true, p);
                    assert_near(form_outside(&f, p), 0, 1e-7);
                }
                tl_neighbour nearest;
                assert_ok(tl_world_nearest(world, &ball, margin, nobody, &nearest));
                assert_memory_equal(&nearest, &n[0], sizeof nearest);
            }
            tl_world_destroy(world);
        }
        context("kind %d", kind);
        assert_in_range(near, 30, 800);
        if (kind != FORM_PARALLELOGRAM)
            assert_in_range(overlaps, 5, 800);
    }
}

/* A given shape has the gaps, normals and bodies of the contacts that it has as a body. */
static void test_contacts(void **state)
{
    (void)state;
    static form f;
    static form_kind solids[] = {FORM_SPHERE,   FORM_BOX,  FORM_ROUND_BOX, FORM_CAPSULE,
                                 FORM_CYLINDER, FORM_CONE, FORM_ELLIPSOID, FORM_HULL};
    dice d = {4};
    int found = 0;
    for (int round = 0; round < 60; round++) {
        tl_settings settings = tl_settings_default();
        settings.threads = 1;
        settings.precision = TL_DOUBLE;
        settings.envelope = 0.2;
        tl_scene *scene = scene_with(&settings);
        for (int i = 0; i < 2 * FORM_KINDS; i++) {
            roll_form(scene, &d, (form_kind)(i % FORM_KINDS), &f);
            roll3(&d, -2, 2, f.position);
            if (f.kind != FORM_PLANE)
                add_form(scene, &f);
        }
        tl_body_def def = tl_body_default();
        roll_form(scene, &d, solids[round % 8], &f);
        tl_shape_def shape = f.def;
        memset(shape.position, 0, sizeof shape.position);
        def.shapes = &shape;
        def.shape_count = 1;
        memcpy(def.position, f.position, sizeof def.position);
        const tl_body body = add_body(scene, &def);
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        memcpy(shape.position, f.position, sizeof shape.position);
        tl_neighbour near[64];
        size_t count;
        assert_ok(tl_world_overlaps(world, &shape, 0.1, body, 64, near, &count));
        assert_in_range(count, 0, 63);
        for (size_t i = 0; i < count; i++) {
            tl_contact contacts[128];
            size_t touching;
            double least = INFINITY, turned = 0;
            context("round %d, neighbour %zu", round, i);
            assert_true(i == 0 || near[i].body.index > near[i - 1].body.index);
            assert_ok(tl_world_body_contacts(world, body, TL_ANY_SHAPE, near[i].body, 128, contacts,
                                             &touching));
            assert_in_range(touching, 1, 128);
            for (size_t k = 0; k < touching; k++) {
                assert_int_equal(contacts[k].a.index, body.index);
                assert_int_equal(contacts[k].b.index, near[i].body.index);
                if (contacts[k].gap < least) {
                    least = contacts[k].gap;
                    turned = dot3(contacts[k].normal, near[i].normal);
                }
            }
            assert_near(least, near[i].gap, 1e-7);
            assert_near(turned, 1, 1e-5);
            found++;
        }
        tl_world_destroy(world);
    }
    assert_in_range(found, 100, 10000);
}

static void test_lists(void **state)
{
    (void)state;
    tl_scene *scene = plain_scene();
    tl_shape_def two[2] = {tl_sphere_default(0.5), tl_sphere_default(0.5)};
    tl_body bodies[10];
    for (int i = 0; i < 10; i++) {
        tl_body_def def = tl_body_default();
        two[1].position[1] = 1;
        def.kind = TL_FIXED;
        def.shapes = two;
        def.shape_count = 2;
        def.position[0] = 2 * i;
        bodies[i] = add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    tl_neighbour n[20];
    size_t count;
    tl_shape_def rod = tl_capsule_default(0.25, 5); /* along x, over four bodies and two halves */
    turn((double[3]){0, 1, 0}, PI / 2, rod.orientation);
    rod.position[0] = 9;
    rod.position[1] = 1.125;
    assert_ok(tl_world_overlaps(world, &rod, 0, nobody, 20, n, &count));
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(n[i].body.index, bodies[2 + i].index);
        assert_int_equal(n[i].shape, 1);
        assert_near(n[i].gap, -0.625, i == 0 || i == 5 ? 0.2 : 1e-9);
    }
    /* with a margin the other ones, too; without room, how many there are */
    assert_ok(tl_world_overlaps(world, &rod, 0.4, nobody, 0, NULL, &count));
    assert_int_equal(count, 12);
    memset(n, 0xff, sizeof n);
    assert_ok(tl_world_overlaps(world, &rod, 0.4, bodies[3], 3, n, &count));
    assert_int_equal(count, 10);
    assert_true(n[0].body.index == bodies[2].index && n[0].shape == 0);
    assert_true(n[1].body.index == bodies[2].index && n[1].shape == 1);
    assert_true(n[2].body.index == bodies[4].index && n[2].shape == 0);
    assert_int_equal(n[3].body.index, UINT32_MAX);
    /* the nearest of all, however far; or not that far */
    tl_neighbour nearest;
    const tl_shape_def far = ball_shape(0.5, (double[3]){1e5, 0, 0});
    assert_ok(tl_world_nearest(world, &far, INFINITY, nobody, &nearest));
    assert_int_equal(nearest.body.index, bodies[9].index);
    assert_int_equal(nearest.shape, 0);
    assert_near(nearest.gap, 1e5 - 18 - 1, 1e-9);
    assert_near(nearest.normal[0], -1, 1e-12);
    assert_ok(tl_world_nearest(world, &far, INFINITY, bodies[9], &nearest));
    assert_int_equal(nearest.body.index, bodies[8].index);
    assert_ok(tl_world_nearest(world, &far, 1e4, nobody, &nearest));
    assert_true(nearest.body.index == 0 && nearest.gap == 0);
    /* by handle, not by place in memory: the first one comes back as the last */
    tl_body_def again = tl_body_default();
    const tl_shape_def small = tl_sphere_default(0.5);
    again.shapes = &small;
    again.shape_count = 1;
    again.position[0] = 4;
    tl_body fresh;
    assert_ok(tl_world_add_bodies(world, 1, &again, &fresh)); /* dynamic: its row is the first */
    assert_ok(tl_world_overlaps(world, &rod, 0.4, nobody, 20, n, &count));
    assert_int_equal(count, 13);
    assert_int_equal(n[12].body.index, fresh.index);
    assert_ok(tl_world_remove_bodies(world, 1, &fresh));
    assert_ok(tl_world_remove_bodies(world, 10, bodies));
    assert_ok(tl_world_nearest(world, &far, INFINITY, nobody, &nearest));
    assert_int_equal(nearest.body.index, 0);
    assert_ok(tl_world_overlaps(world, &far, 1, nobody, 20, n, &count));
    assert_int_equal(count, 0);
    tl_world_destroy(world);
}

/* A point is a solid of radius 0: near what it is near of, also where there is no other size. */
static void test_points(void **state)
{
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        tl_scene *scene = plain_scene();
        tl_body_def def = tl_body_default();
        const tl_shape_def ball = tl_sphere_default(0.5);
        def.kind = moving ? TL_DYNAMIC : TL_FIXED;
        def.shapes = &ball;
        def.shape_count = 1;
        def.position[2] = 2;
        const tl_body body = add_body(scene, &def);
        tl_world *world = world_of(scene);
        tl_neighbour n;
        tl_shape_def point = tl_point_default();
        context("%s", moving ? "a dynamic ball" : "a fixed ball");
        for (int i = 0; i < 2; i++) {
            assert_ok(tl_world_nearest(world, &point, i ? INFINITY : 5, nobody, &n));
            assert_int_equal(n.body.index, body.index);
            assert_near(n.gap, 1.5, 1e-12);
            assert_near(n.normal[2], 1, 1e-12);
            assert_near(n.point[2], 0, 1e-12);
            assert_near(n.other[2], 1.5, 1e-12);
        }
        assert_ok(tl_world_nearest(world, &point, 1.4, nobody, &n));
        assert_int_equal(n.body.index, 0);
        assert_ok(tl_world_nearest(world, &point, INFINITY, body, &n));
        assert_int_equal(n.body.index, 0);
        point.position[2] = 1.75;
        assert_ok(tl_world_nearest(world, &point, 0, nobody, &n));
        assert_int_equal(n.body.index, body.index);
        assert_near(n.gap, -0.25, 1e-12);
        tl_world_destroy(world);
    }
}

/* Four balls on a floor: each has its one contact, the floor has all. */
static void test_body_contacts(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    step(world, 50);
    tl_contact contacts[8], all[8];
    size_t count;
    const tl_body floor = {1, 1};
    for (uint32_t i = 2; i <= 5; i++) {
        const tl_body ball = {i, 1};
        double mass, h = tl_world_settings(world).step;
        assert_ok(tl_world_read_masses(world, 1, &ball, &mass));
        assert_ok(tl_world_body_contacts(world, ball, TL_ANY_SHAPE, nobody, 8, contacts, &count));
        assert_int_equal(count, 1);
        assert_true(contacts[0].a.index == i && contacts[0].b.index == 1);
        assert_near(contacts[0].normal[2], -1, 1e-12);
        assert_near(contacts[0].impulse[2], -mass * G * h, 1e-6 * mass * G * h);
        assert_ok(tl_world_body_contacts(world, floor, 0, ball, 8, contacts, &count));
        assert_int_equal(count, 1);
        assert_true(contacts[0].a.index == 1 && contacts[0].b.index == i);
        assert_near(contacts[0].normal[2], 1, 1e-12);
        assert_near(contacts[0].impulse[2], mass * G * h, 1e-6 * mass * G * h);
        memset(contacts, 0xff, sizeof contacts);
        assert_status(tl_world_body_contacts(world, ball, 1, nobody, 8, contacts, &count),
                      TL_BAD_ARGUMENT);
        assert_int_equal(count, 0);
        for (size_t k = 0; k < sizeof contacts;
             k++) /* what a refused call has room for is zeroed */
            assert_int_equal(((const char *)contacts)[k], 0);
        assert_ok(tl_world_body_contacts(world, ball, TL_ANY_SHAPE, (tl_body){i == 2 ? 3 : 2, 1}, 8,
                                         contacts, &count));
        assert_int_equal(count, 0);
    }
    assert_ok(tl_world_body_contacts(world, floor, TL_ANY_SHAPE, nobody, 3, contacts, &count));
    assert_int_equal(count, 4);
    assert_ok(tl_world_read_contacts(world, 4, all));
    for (int i = 0; i < 3; i++)
        assert_int_equal(contacts[i].b.index, all[i].a.index);
    assert_refused(tl_world_body_contacts(world, floor, 5, nobody, 8, contacts, &count),
                   TL_BAD_ARGUMENT, "tl_world_body_contacts: shape is 5; body 1 has 1");
    assert_refused(tl_world_body_contacts(NULL, floor, 0, nobody, 8, contacts, &count),
                   TL_BAD_ARGUMENT, "tl_world_body_contacts: world is NULL");
    assert_refused(tl_world_body_contacts(world, (tl_body){6, 1}, 0, nobody, 8, contacts, &count),
                   TL_BAD_HANDLE,
                   "tl_world_body_contacts: body (index 6, generation 1) is no body of this world");
    assert_refused(
        tl_world_body_contacts(world, floor, 0, (tl_body){7, 1}, 8, contacts, &count),
        TL_BAD_HANDLE,
        "tl_world_body_contacts: other (index 7, generation 1) is no body of this world");
    assert_refused(tl_world_body_contacts(world, floor, 0, nobody, 8, NULL, &count),
                   TL_BAD_ARGUMENT, "tl_world_body_contacts: contacts is NULL");
    tl_world_destroy(world);
}

static void test_refusals(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    tl_shape_def ball = tl_sphere_default(0.1), bad = ball;
    tl_neighbour n[4];
    size_t count = 9;
    assert_refused(tl_world_overlaps(world, NULL, 0, nobody, 4, n, &count), TL_BAD_ARGUMENT,
                   "tl_world_overlaps: shape is NULL");
    assert_int_equal(count, 0);
    memset(n, 0xff, sizeof n);
    assert_refused(tl_world_overlaps(world, &ball, -1, nobody, 4, n, &count), TL_BAD_ARGUMENT,
                   "tl_world_overlaps: margin is -1; it must be >= 0 and finite");
    for (size_t i = 0; i < sizeof n; i++)
        assert_int_equal(((const char *)n)[i], 0);
    assert_refused(tl_world_overlaps(world, &ball, INFINITY, nobody, 4, n, &count), TL_BAD_ARGUMENT,
                   "tl_world_overlaps: margin is inf; it must be >= 0 and finite");
    assert_refused(tl_world_nearest(world, &ball, NAN, nobody, n), TL_BAD_ARGUMENT,
                   "tl_world_nearest: max_distance is nan; it must be >= 0");
    assert_refused(tl_world_overlaps(world, &ball, 0, (tl_body){6, 1}, 4, n, &count), TL_BAD_HANDLE,
                   "tl_world_overlaps: ignore (index 6, generation 1) is no body of this world");
    assert_refused(tl_world_overlaps(world, &ball, 0, nobody, 4, NULL, &count), TL_BAD_ARGUMENT,
                   "tl_world_overlaps: neighbours is NULL");
    bad.radius = 0;
    assert_refused(tl_world_overlaps(world, &bad, 0, nobody, 4, n, &count), TL_BAD_ARGUMENT,
                   "shape.radius is 0; it must be > 0");
    bad = ball;
    bad.position[2] = 1e12;
    assert_refused(tl_world_overlaps(world, &bad, 0, nobody, 4, n, &count), TL_BAD_ARGUMENT,
                   "shape.position is (0, 0, 1e+12); each must be less than 1e12 from 0");
    bad = tl_plane_default();
    assert_refused(tl_world_nearest(world, &bad, 1, nobody, n), TL_BAD_ARGUMENT,
                   "shape.kind is TL_PLANE; it must be a convex solid: no plane, parallelogram, "
                   "mesh or heights");
    bad = tl_hull_default((tl_geometry){1});
    assert_status(tl_world_nearest(world, &bad, 1, nobody, n), TL_BAD_HANDLE);
    bad = ball;
    bad.material.index = 77; /* which does not matter */
    assert_ok(tl_world_nearest(world, &bad, 1, nobody, n));
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls),         cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_lists),         cmocka_unit_test(test_points),
        cmocka_unit_test(test_body_contacts), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
