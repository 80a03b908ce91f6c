/* The narrow phase of convex shapes, case by case: gaps and normals of pairs that have a closed
 * form, manifolds by name, and what is degenerate. Random pairs: test_narrow_random.c. */
#include "narrow_shapes.h"

static const double still[4] = {1, 0, 0, 0};

static void put(solid *s, double x, double y, double z)
{
    s->c.origin[0] = x, s->c.origin[1] = y, s->c.origin[2] = z;
}

static void lay(solid *s, double x, double y, double z, double ax, double ay, double az,
                double degrees)
{
    double q[4];
    turn((double[3]){ax, ay, az}, degrees * PI / 180, q);
    place_solid(s, (double[3]){x, y, z}, q);
}

static double least_gap(const tlk_manifold *m)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        least = fmin(least, m->gap[i]);
    return least;
}

/* The manifold of a and b, checked for what every manifold must be; also of (b, a): the same. Where
 * twins coincide nothing tells them apart, and it is the normal of either. */
static void collide(const solid *a, const solid *b, double limit, tlk_manifold *m)
{
    tlk_manifold back;
    tlk_collide_convex(&a->c, &b->c, limit, NULL, m);
    tlk_collide_convex(&b->c, &a->c, limit, NULL, &back);
    assert_int_equal(m->count, back.count);
    if (memcmp(a->c.origin, b->c.origin, sizeof a->c.origin) == 0 && a->c.kind == b->c.kind) {
        assert_near(least_gap(m), least_gap(&back), 1e-14);
        return;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        double nearest = INFINITY;
        assert_below(m->gap[i], limit);
        for (uint32_t j = 0; j < m->count; j++) {
            double moved[3];
            add3(m->at[i], m->gap[i], m->n, moved);
            assert_true(i == j || m->feature[i] != m->feature[j]);
            if (fabs(back.gap[j] - m->gap[i]) < 1e-9)
                nearest = fmin(nearest, distance3(moved, back.at[j]));
        }
        assert_below(nearest, 1e-9); /* the same point */
    }
    if (m->count > 0) {
        assert_near(norm3(m->n), 1, 1e-14);
        assert_near(dot3(m->n, back.n), -1, 1e-14);
    }
}

/* One normal and one least gap. */
static void expect(const solid *a, const solid *b, double gap, double nx, double ny, double nz,
                   double tolerance)
{
    tlk_manifold m;
    collide(a, b, 10, &m);
    assert_true(m.count > 0);
    assert_near(least_gap(&m), gap, tolerance);
    assert_near(m.n[0], nx, 1e-6);
    assert_near(m.n[1], ny, 1e-6);
    assert_near(m.n[2], nz, 1e-6);
}

static void test_spheres(void **state)
{
    (void)state;
    solid a, b;
    make_solid(&a, TLK_SPHERE, 0.5, 0, 0);
    make_solid(&b, TLK_SPHERE, 0.25, 0, 0);
    put(&b, 3, 4, 0);
    expect(&a, &b, 4.25, 0.6, 0.8, 0, 1e-14);
    put(&b, 0, 0, 0);
    expect(&a, &b, -0.75, 0, 0, -1, 1e-14); /* coincident centres: up from the smaller one */
    make_solid(&b, TLK_BOX, 1, 2, 3);
    put(&b, 1.5, 0, 0);
    expect(&a, &b, 0, 1, 0, 0, 1e-14);
    put(&b, 1 + 0.3, 2 + 0.4, 0); /* an edge */
    expect(&a, &b, 0, 0.6, 0.8, 0, 1e-14);
    put(&b, 1 + 0.2, 2 + 0.3, 3 + 0.6); /* a corner */
    expect(&a, &b, 0.2, 2 / 7.0, 3 / 7.0, 6 / 7.0, 1e-14);
    put(&b, 0.9, 0, 0); /* inside, 0.1 below a face */
    expect(&a, &b, -0.6, 1, 0, 0, 1e-14);
    make_solid(&b, TLK_CAPSULE, 0.25, 0, 1);
    put(&b, 1, 0, 0.5);
    expect(&a, &b, 0.25, 1, 0, 0, 1e-14);
    put(&b, 0, 0, 0); /* on the capsule's line */
    expect(&a, &b, -0.75, 1, 0, 0, 1e-14);
    make_solid(&b, TLK_TRIANGLE, 1, 1, 0);
    put(&b, -0.25, -0.25, 0.75);
    expect(&a, &b, 0.25, 0, 0, 1, 1e-14);
    make_solid(&b, TLK_PARALLELOGRAM, 1, 1, 0);
    put(&b, -0.5, -0.5, -0.625); /* the other side */
    expect(&a, &b, 0.125, 0, 0, -1, 1e-14);
}

/* Spheres with what is turned about an axis: a plane problem, worked out by hand. */
static void test_spheres_turned(void **state)
{
    (void)state;
    solid a, b;
    make_solid(&a, TLK_SPHERE, 0.5, 0, 0);
    make_solid(&b, TLK_CYLINDER, 1, 1, 2);
    put(&b, 0, 1.75, 0.5);
    expect(&a, &b, 0.25, 0, 1, 0, 1e-12);
    put(&b, 1.3, 0, 2.4); /* the rim */
    expect(&a, &b, 0, 0.6, 0, 0.8, 1e-12);
    put(&b, 0, 0.25, 2.625);
    expect(&a, &b, 0.125, 0, 0, 1, 1e-12);
    put(&b, 0, 0.2, 0); /* inside */
    expect(&a, &b, -1.3, 0, 1, 0, 1e-9);
    make_solid(&b, TLK_CONE, 0.75, 0.75, 0.5); /* its side rises by 4 for 3 */
    put(&b, 0, 0, -1.25);
    expect(&a, &b, 0.25, 0, 0, -1, 1e-12); /* the apex */
    put(&b, 0, 0, 1.25);
    expect(&a, &b, 0.25, 0, 0, 1, 1e-12); /* the base */
    put(&b, -(0.375 + 0.8), 0, -0.6);     /* a point of the side, 1 away */
    expect(&a, &b, 0.5, -0.8, 0, -0.6, 1e-10);
    make_solid(&b, TLK_ELLIPSOID, 3, 2, 1);
    put(&b, 0, 0, 1.75);
    expect(&a, &b, 0.25, 0, 0, 1, 1e-10);
    put(&b, 3.75, 0, 0);
    expect(&a, &b, 0.25, 1, 0, 0, 1e-10);
    put(&b, 0, 0, 0.5);
    expect(&a, &b, -1, 0, 0, 1, 1e-9);
}

static void test_planes(void **state)
{
    (void)state;
    solid plane, b;
    tlk_manifold m;
    make_solid(&plane, TLK_PLANE, 0, 0, 0);
    make_solid(&b, TLK_ELLIPSOID, 3, 2, 1);
    lay(&b, 0, 0, 4, 0, 1, 0, 30);
    const double height = sqrt(9 * 0.25 + 0.75);
    expect(&plane, &b, 4 - height, 0, 0, 1, 1e-13);
    make_solid(&b, TLK_CAPSULE, 0.25, 0, 1);
    lay(&b, 5, 0, 0.2, 0, 1, 0, 90);
    collide(&plane, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.gap[0], -0.05, 1e-14);
    assert_near(m.gap[1], -0.05, 1e-14);
    assert_near(distance3(m.at[0], m.at[1]), 2, 1e-14);
    make_solid(&b, TLK_BOX, 1, 2, 3);
    put(&b, 0, 0, 2.9);
    collide(&plane, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    lay(&b, 0, 0, 1, 0, 1, 0, 10); /* on an edge: the other one is too far up */
    b.c.origin[2] = 3 * cos(PI / 18) + sin(PI / 18);
    collide(&plane, &b, 0.01, &m);
    assert_int_equal(m.count, 2);
    assert_near(least_gap(&m), 0, 1e-14);
    make_solid(&b, TLK_CYLINDER, 0.5, 0.5, 1);
    put(&b, 1, 1, 1.01);
    collide(&plane, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) /* on the rim */
        assert_near(hypot(m.at[i][0] - 1, m.at[i][1] - 1), 0.5, 1e-14);
    make_solid(&b, TLK_CONE, 0.5, 0.5, 1);
    put(&b, 1, 1, 1.01);
    collide(&plane, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    lay(&b, 0, 0, 1.25, 0, 1, 0, 180);
    expect(&plane, &b, 0.25, 0, 0, 1, 1e-14);
    make_solid(&b, TLK_PLANE, 0, 0, 0);
    put(&b, 0, 0, -1);
    collide(&plane, &b, 10, &m);
    assert_int_equal(m.count, 0);
}

static void test_capsules(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_CAPSULE, 0.25, 0, 1);
    make_solid(&b, TLK_CAPSULE, 0.5, 0, 1);
    lay(&b, 1, 0, 0, 1, 0, 0, 90); /* crossed */
    expect(&a, &b, 0.25, 1, 0, 0, 1e-14);
    put(&b, 0, 0, 0); /* the lines meet */
    collide(&a, &b, 1, &m);
    assert_near(least_gap(&m), -0.75, 1e-14);
    assert_near(fabs(m.n[0]), 1, 1e-14);
    make_solid(&b, TLK_CAPSULE, 0.5, 0, 1);
    put(&b, 0.75, 0, 1.5); /* side by side: two points, where they overlap */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.gap[0], 0, 1e-14);
    assert_near(m.gap[1], 0, 1e-14);
    assert_near(fabs(m.at[0][2] - m.at[1][2]), 0.5, 1e-12);
    put(&b, 0, 0, 2.5); /* one on the other's end */
    expect(&a, &b, -0.25, 0, 0, 1, 1e-14);
    put(&b, 0, 0, 0.5); /* one inside of the other, on the same line */
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), -0.75, 1e-14);
    assert_near(m.n[2], 0, 1e-14);
    make_solid(&b, TLK_BOX, 1, 1, 1);
    lay(&a, 0, 0, 1.25, 0, 1, 0, 90); /* lying on a box, its ends beyond it */
    a.c.size[2] = 3;
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(least_gap(&m), 0, 1e-14);
    assert_near(fabs(m.at[0][0] - m.at[1][0]), 2, 1e-12);
    make_solid(&b, TLK_CYLINDER, 0.5, 0.5, 2); /* along a cylinder */
    lay(&b, 0, 0, 1.25 - 0.74, 0, 1, 0, 90);
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(least_gap(&m), -0.01, 1e-9);
    assert_near(fabs(m.at[0][0] - m.at[1][0]), 4, 1e-6);
}

static void test_boxes(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_BOX, 1, 1, 1);
    make_solid(&b, TLK_BOX, 1, 1, 1);
    for (int side = 0; side < 6; side++) { /* face on face, flush */
        context("side %d", side);
        double at[3] = {0, 0, 0};
        at[side / 2] = (side & 1) ? 2.01 : -2.01;
        place_solid(&b, at, still);
        collide(&a, &b, 0.1, &m);
        assert_int_equal(m.count, 4);
        for (int i = 0; i < 4; i++)
            assert_near(m.gap[i], 0.01, 1e-14);
        at[side / 2] *= 1.99 / 2.01; /* and overlapping */
        place_solid(&b, at, still);
        collide(&a, &b, 0.1, &m);
        assert_int_equal(m.count, 4);
        for (int i = 0; i < 4; i++)
            assert_near(m.gap[i], -0.01, 1e-14);
    }
    put(&b, 1.5, 1, 2); /* a part of the faces: the corners of what they share */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(m.at[i][0] - 0.5) < 1e-12 || fabs(m.at[i][0] - 1) < 1e-12);
        assert_true(fabs(m.at[i][1]) < 1e-12 || fabs(m.at[i][1] - 1) < 1e-12);
        assert_near(m.at[i][2], 1, 1e-12);
    }
    lay(&b, 0, 0, 2, 0, 0, 1, 45); /* an octagon, of which four */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(fabs(dot3(m.n, (double[3]){0, 0, 1})), 1, 1e-14);
    lay(&b, 0, 0, 1 + sqrt(2), 0, 1, 0, 45); /* edge on face */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(least_gap(&m), 0, 1e-14);
    lay(&a, 0, 0, 0, 0, 1, 0, 45);
    lay(&b, 0, 0, 2 * sqrt(2) - 0.01, 1, 0, 0, 45); /* edge on edge */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.gap[0], -0.01, 1e-14);
    assert_near(m.n[2], 1, 1e-14);
    lay(&b, 0, 0, 2 * sqrt(2) + 0.01, 1, 0, 0, 45); /* and apart */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.gap[0], 0.01, 1e-14);
    lay(&b, 0, 0, 2 * sqrt(2) + 0.01, 0, 1, 0, 45); /* parallel edges: all along */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(fabs(m.at[0][1] - m.at[1][1]), 2, 1e-9);
}

/* Boxes at the same place, boxes in boxes, corners that just touch. */
static void test_boxes_degenerate(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_BOX, 1, 2, 3);
    make_solid(&b, TLK_BOX, 1, 2, 3);
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), -2, 1e-14);
    assert_near(fabs(m.n[0]), 1, 1e-14);
    make_solid(&b, TLK_BOX, 0.1, 0.1, 0.1);
    put(&b, 0.2, 0, 0);
    expect(&a, &b, -0.9, 1, 0, 0, 1e-14);
    make_solid(&b, TLK_BOX, 1, 2, 3);
    put(&b, 2, 4, 6); /* corner to corner */
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), 0, 1e-13);
    put(&b, 2 + 0.02, 4 + 0.03, 6 + 0.06);
    expect(&a, &b, 0.07, 2 / 7.0, 3 / 7.0, 6 / 7.0, 1e-14);
    put(&b, 2 + 0.03, 4 + 0.04, 6); /* edge to edge, along all of it */
    expect(&a, &b, 0.05, 0.6, 0.8, 0, 1e-14);
    put(&b, 2.2, 0, 0);
    collide(&a, &b, 0.1, &m); /* beyond the limit */
    assert_int_equal(m.count, 0);
    collide(&a, &b, 0.2 + 1e-12, &m);
    assert_int_equal(m.count, 4);
}

/* Needles and plates of 1000 to 1. */
static void test_thin(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_BOX, 1, 1, 1e-3);
    make_solid(&b, TLK_BOX, 1, 1, 1e-3);
    lay(&b, 0.3, 0.2, 2e-3 - 1e-6, 0, 0, 1, 20);
    collide(&a, &b, 1e-3, &m);
    assert_int_equal(m.count, 4);
    assert_near(least_gap(&m), -1e-6, 1e-14);
    make_solid(&a, TLK_BOX, 1e-3, 1e-3, 1);
    make_solid(&b, TLK_BOX, 1e-3, 1e-3, 1);
    lay(&b, 2e-3 + 1e-6, 0, 0, 1, 0, 0, 90); /* needles that cross */
    collide(&a, &b, 1e-3, &m);
    assert_near(least_gap(&m), 1e-6, 1e-14);
    lay(&b, 2e-3 - 1e-6, 0, 0, 1, 0, 0, 0.01); /* and nearly along each other */
    collide(&a, &b, 1e-3, &m);
    assert_near(least_gap(&m), -1e-6, 1e-13);
    assert_near(m.n[0], 1, 1e-9);
    make_solid(&a, TLK_CYLINDER, 1, 1, 1e-3); /* discs on each other */
    make_solid(&b, TLK_CYLINDER, 1, 1, 1e-3);
    put(&b, 0.5, 0, 2e-3 - 1e-6);
    collide(&a, &b, 1e-4, &m);
    assert_true(m.count >= 3);
    assert_near(least_gap(&m), -1e-6, 1e-12);
    assert_near(m.n[2], 1, 1e-12);
    make_solid(&a, TLK_ELLIPSOID, 1, 1, 1e-3);
    make_solid(&b, TLK_ELLIPSOID, 1, 1, 1e-3);
    put(&b, 0, 0, 2e-3 - 1e-6);
    expect(&a, &b, -1e-6, 0, 0, 1, 1e-9);
}

static void test_turned_shapes(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_BOX, 2, 2, 0.5);
    make_solid(&b, TLK_CYLINDER, 1, 1, 2);
    put(&b, 0.3, 0, 2.49); /* standing */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(m.gap[i], -0.01, 1e-12);
        assert_near(hypot(m.at[i][0] - 0.3, m.at[i][1]), 1, 1e-12);
    }
    put(&b, 1.8, 0, 2.49); /* over the brink: clipped there */
    collide(&a, &b, 0.1, &m);
    assert_true(m.count >= 3);
    for (uint32_t i = 0; i < m.count; i++)
        assert_below(m.at[i][0], 2 + 1e-9);
    lay(&b, 0, 0, 1.49, 0, 1, 0, 90); /* lying */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.gap[0], -0.01, 1e-10);
    assert_near(m.gap[1], -0.01, 1e-10);
    assert_near(fabs(m.at[0][0] - m.at[1][0]), 4, 1e-9);
    lay(&b, 0, 0, 0, 0, 1, 0, 1); /* leaning on its rim: the lowest point is the deepest */
    b.c.origin[2] = 0.5 + 2 * cos(PI / 180) + sin(PI / 180) + 0.01;
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), 0.01, 1e-12);
    make_solid(&a, TLK_CYLINDER, 1, 1, 1);
    make_solid(&b, TLK_CYLINDER, 1, 1, 1);
    put(&b, 0, 0, 2.01); /* one upon the other */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    lay(&a, 0, 0, 0, 0, 1, 0, 90);
    lay(&b, 0.5, 0, 2.01, 0, 1, 0, 90); /* side by side, for 1.5 */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(least_gap(&m), 0.01, 1e-10);
    assert_near(fabs(m.at[0][0] - m.at[1][0]), 1.5, 1e-6);
    lay(&b, 0, 0, 1.99, 1, 0, 0, 90); /* crossed */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.gap[0], -0.01, 1e-9);
    make_solid(&a, TLK_BOX, 2, 2, 0.5);
    make_solid(&b, TLK_CONE, 1, 1, 0.5);
    put(&b, 0, 0, 1.01); /* on its base */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    lay(&b, 0, 0, 1, 0, 1, 0, 180); /* on its apex */
    expect(&a, &b, 0, 0, 0, 1, 1e-10);
    lay(&b, 0, 0, 0, 0, 1, 0, 135); /* on its side: the apex and the rim touch */
    b.c.origin[2] = 0.5 + 0.5 * sqrt(0.5) + 0.01;
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.gap[0], 0.01, 1e-9);
    assert_near(m.gap[1], 0.01, 1e-9);
}

static void test_hulls(void **state)
{
    (void)state;
    solid a, b, c;
    tlk_manifold m, n;
    make_solid(&a, TLK_HULL, 1, 1, 1); /* cubes as hulls do what boxes do */
    make_solid(&b, TLK_HULL, 1, 1, 1);
    assert_int_equal(a.c.words[1], 6);
    make_solid(&c, TLK_BOX, 1, 1, 1);
    dice d = {7};
    for (int i = 0; i < 200; i++) {
        double q[4], at[3];
        roll_turn(&d, q);
        roll3(&d, -2, 2, at);
        context("pose %d", i);
        place_solid(&b, at, q);
        place_solid(&c, at, q);
        collide(&a, &b, 0.2, &m);
        collide(&a, &c, 0.2, &n);
        assert_int_equal(m.count > 0, n.count > 0);
        if (m.count > 0)
            assert_near(least_gap(&m), least_gap(&n), 1e-12);
    }
    context("%s", "cubes as hulls");
    place_solid(&b, (double[3]){0.5, 0, 1.99}, still);
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(least_gap(&m), -0.01, 1e-14);
    a.c.rounding = 0.1; /* rounded faces are faces */
    place_solid(&b, (double[3]){0, 0, 2.11}, still);
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(least_gap(&m), 0.01, 1e-14);
    place_solid(&b, (double[3]){0, 0, 1.9}, still); /* and their cores overlap */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(least_gap(&m), -0.2, 1e-14);
}

/* A prism whose ends have 32 corners, more than are clipped. */
static void test_prism(void **state)
{
    (void)state;
    static solid a, b, plane;
    tlk_manifold m;
    make_solid(&a, TLK_BOX, 2, 2, 0.5);
    make_solid(&plane, TLK_PLANE, 0, 0, 0);
    put(&plane, 0, 0, 0.5);
    make_solid(&b, TLK_SPHERE, 0, 0, 0);
    b.c.kind = TLK_HULL;
    for (int i = 0; i < 64; i++) {
        b.numbers[3 * i] = cos(2 * PI * i / 32);
        b.numbers[3 * i + 1] = sin(2 * PI * i / 32);
        b.numbers[3 * i + 2] = i < 32 ? -1 : 1;
    }
    close_hull(&b, 64);
    assert_int_equal(b.c.words[1], 34);
    for (int i = 0; i < 64;
         i++) { /* leaning to each side: on a corner or, for every second, an edge */
        const double way = PI * i / 32, lean = i == 0 ? 0 : 0.01;
        lay(&b, 0, 0, 0, -sin(way), cos(way), 0, lean * 180 / PI);
        b.c.origin[2] = 0.5 + cos(lean) + ((i & 1) ? cos(PI / 32) : 1) * sin(lean) - 0.001;
        context("leaning to %d", i);
        collide(&a, &b, 0.1, &m);
        assert_int_equal(m.count, 4);
        assert_near(least_gap(&m), -0.001, 1e-12);
        collide(&plane, &b, 0.1, &m);
        assert_int_equal(m.count, 4);
        assert_near(least_gap(&m), -0.001, 1e-12);
    }
}

static void test_flat_shapes(void **state)
{
    (void)state;
    solid a, b;
    tlk_manifold m;
    make_solid(&a, TLK_TRIANGLE, 4, 4, 0);
    make_solid(&b, TLK_BOX, 0.5, 0.5, 0.5);
    put(&b, 1, 1, 0.51);
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(m.gap[0], 0.01, 1e-14);
    assert_near(m.n[2], 1, 1e-14);
    put(&b, 1, 1, -0.49); /* from the other side, through it a little */
    collide(&a, &b, 0.1, &m);
    assert_int_equal(m.count, 4);
    assert_near(m.gap[0], -0.01, 1e-14);
    assert_near(m.n[2], -1, 1e-14);
    make_solid(&b, TLK_PARALLELOGRAM, 1, 1, 0);
    put(&b, 0.5, 0.5, 0); /* in one plane, over each other */
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), 0, 1e-14);
    assert_near(fabs(m.n[2]), 1, 1e-14);
    put(&b, -1.25, 0, 0); /* in one plane, beside each other */
    expect(&a, &b, 0.25, -1, 0, 0, 1e-14);
    make_solid(&b, TLK_CAPSULE, 0.25, 0, 2);
    lay(&b, 1, 1, 0, 0, 1, 0, 90); /* a capsule whose line is in the triangle */
    collide(&a, &b, 0.1, &m);
    assert_near(least_gap(&m), -0.25, 1e-14);
    assert_near(fabs(m.n[2]), 1, 1e-14);
    lay(&b, 1, 1, 0, 0, 1, 0, 0); /* and one that pierces it */
    collide(&a, &b, 0.1, &m);
    assert_true(m.count > 0);
    assert_near(m.n[2], 0, 1e-12); /* out over the nearest side */
    assert_near(least_gap(&m), -1.25, 1e-12);
}

/* Shapes that slide and turn on a box by small steps, shaken as what rests is: feature ids stay,
 * and points move by as little. */
static void test_keys_stay(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        double x, y, z, high; /* sizes, and how high above the box the middle is */
        bool lying;
        uint32_t points;
    } cases[] = {
        {TLK_BOX, 0.5, 0.75, 1, 1, false, 4},       {TLK_CYLINDER, 0.5, 0.5, 1, 1, false, 4},
        {TLK_HULL, 0.5, 0.75, 1, 1, false, 4},      {TLK_CONE, 0.5, 0.5, 1, 1, false, 4},
        {TLK_CAPSULE, 0.25, 0, 0.5, 0.25, true, 2}, {TLK_CYLINDER, 0.25, 0.25, 0.5, 0.25, true, 2},
        {TLK_ELLIPSOID, 0.5, 0.75, 1, 1, false, 1}, {TLK_SPHERE, 0.5, 0, 0, 0.5, false, 1},
    };
    static solid a, b;
    make_solid(&a, TLK_BOX, 1, 1, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tlk_manifold m, last = {0};
        make_solid(&b, cases[c].kind, cases[c].x, cases[c].y, cases[c].z);
        for (int i = 0; i < 200; i++) {
            double down[3];
            context("%s, case %zu, step %d", kind_name(cases[c].kind), c, i);
            lay(&b, 0.05 + 1e-3 * i, 0.1, 1 + cases[c].high - 1e-3 + 1e-7 * (i % 3), 1e-6 * (i % 5),
                1e-6 * (i % 2), 1, 0.1 * i);
            for (int k = 0; k < 3 && cases[c].lying; k++) { /* u, v, w become -w, v, u */
                down[k] = b.c.axis[k];
                b.c.axis[k] = -b.c.axis[6 + k];
                b.c.axis[6 + k] = down[k];
            }
            collide(&a, &b, 0.01, &m);
            assert_int_equal(m.count, cases[c].points);
            for (uint32_t j = 0; j < m.count && i > 0; j++) {
                uint32_t l = 0;
                while (l < m.count && last.feature[l] != m.feature[j])
                    l++;
                assert_true(l < m.count);
                assert_below(distance3(m.at[j], last.at[l]), 5e-3);
            }
            last = m;
        }
    }
}

/* Balls that are not quite as deep as the shapes are prove less: of 0.1 that a cylinder is in a
 * cube, 0.001 of loss may hide a direction that is better. */
static void test_shallow_loss(void **state)
{
    static solid a, b;
    const double up[3] = {0, 0, 1}, p[3] = {0, 0, 1}, on_side[4] = {M_SQRT1_2, M_SQRT1_2, 0, 0};
    (void)state;
    make_solid(&a, TLK_BOX, 1, 1, 1);
    make_solid(&b, TLK_CYLINDER, 0.5, 0.5, 1);
    place_solid(&b, (double[3]){0, 0, 1.4}, on_side);
    assert_true(tlk_is_shallow_at(&a.c, &b.c, up, -0.1, 0, 3, p));
    assert_true(tlk_is_shallow_at(&a.c, &b.c, up, -0.1, 1e-8, 3, p));
    assert_false(tlk_is_shallow_at(&a.c, &b.c, up, -0.1, 1e-3, 3, p));
    assert_true(tlk_is_shallow_at(&a.c, &b.c, up, -1e-6, 1e-3, 3, p));
    assert_false(tlk_is_shallow_at(&a.c, &b.c, up, -1.4, 0, 3, p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres),      cmocka_unit_test(test_spheres_turned),
        cmocka_unit_test(test_planes),       cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_boxes),        cmocka_unit_test(test_boxes_degenerate),
        cmocka_unit_test(test_thin),         cmocka_unit_test(test_turned_shapes),
        cmocka_unit_test(test_hulls),        cmocka_unit_test(test_prism),
        cmocka_unit_test(test_flat_shapes),  cmocka_unit_test(test_keys_stay),
        cmocka_unit_test(test_shallow_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
