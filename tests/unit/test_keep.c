/* Manifolds that are kept: against the narrow phase after small motions of two boxes or hulls; and
 * what moved too far is not kept. */
#include "narrow_shapes.h"

#include "kernels/keep.h"

#define ENVELOPE 0.05

/* Two bodies with a shape each, in whose frames they are. */
typedef struct couple {
    solid shape[2];
    double pos[2][4], quat[2][4], centre[2][4];
    uint32_t body[2], info[2];
    tlk_find find;
    tlk_manifold m;
    real kept[TLK_POINTS_MOST * TLK_KEPT];
} couple;

static void put(couple *c)
{
    for (int s = 0; s < 2; s++) {
        place_solid(&c->shape[s], c->pos[s], c->quat[s]);
        memcpy(c->centre[s], c->pos[s], sizeof c->centre[s]);
    }
}

/* The manifold by the narrow phase, points counted from the ball of the first. */
static void collide(couple *c, tlk_manifold *m)
{
    tlk_convex a = c->shape[0].c, b = c->shape[1].c;
    for (int k = 0; k < 3; k++) {
        a.origin[k] -= c->centre[0][k];
        b.origin[k] -= c->centre[0][k];
    }
    tlk_collide_convex(&a, &b, ENVELOPE, NULL, m);
}

static double least_gap(const tlk_manifold *m)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        least = fmin(least, m->gap[i]);
    return least;
}

/* Puts two shapes near each other and notes their manifold; false where it may not be kept. */
static bool meet(couple *c, dice *d)
{
    double n[3], q[4];
    for (uint32_t s = 0; s < 2; s++) {
        roll_solid(&c->shape[s], d, roll(d, 0, 1) < 0.5 ? TLK_BOX : TLK_HULL, 2);
        c->shape[s].c.rounding = 0;
        roll_turn(d, c->quat[s]);
        c->body[s] = s;
        c->info[s] = 0;
        for (int k = 0; k < 4; k++)
            c->pos[s][k] = k < 3 ? 10 * s * (roll(d, 0, 1) - 0.5) : 0;
    }
    put(c);
    tlk_collide_convex(&c->shape[0].c, &c->shape[1].c, 100, NULL, &c->m);
    const double target = 0.05 * (roll(d, 0, 1) - 0.2), off = least_gap(&c->m) - target;
    memcpy(n, c->m.n, sizeof n);
    add3(c->pos[1], -off, n, c->pos[1]);
    put(c);
    if (roll(d, 0, 1) < 0.5) { /* face on face, as far as the other's faces allow */
        memcpy(q, c->quat[0], sizeof q);
        memcpy(c->quat[1], q, sizeof q);
        put(c);
        tlk_collide_convex(&c->shape[0].c, &c->shape[1].c, 100, NULL, &c->m);
        add3(c->pos[1], target - least_gap(&c->m), c->m.n, c->pos[1]);
        put(c);
    }
    memset(&c->find, 0, sizeof c->find);
    c->find.envelope = ENVELOPE;
    c->find.bodies.pos = c->pos[0];
    c->find.bodies.quat = c->quat[0];
    c->find.shapes.body = c->body;
    c->find.shapes.info = c->info;
    c->find.shapes.centre = c->centre[0];
    collide(c, &c->m);
    for (uint32_t k = 0; k < c->m.count; k++) {
        const real place[4] = {c->m.at[k][0], c->m.at[k][1], c->m.at[k][2], 0};
        const real normal[4] = {c->m.n[0], c->m.n[1], c->m.n[2], c->m.gap[k]};
        tlk_keep_contact(&c->find, 0, 1, place, normal, c->kept + TLK_KEPT * (size_t)k);
    }
    return c->m.firm && c->m.count > 0;
}

static bool keep(couple *c, tlk_manifold *m)
{
    return tlk_keep_manifold(&c->find, 0, 1, c->kept, 0, c->m.count, m);
}

/* Turns the second body by an angle about a point of the world. */
static void turn_second(couple *c, const double axis[3], double angle, const double about[3])
{
    double q[4], anchor[3], to[3], old[4];
    turn(axis, angle, q);
    add3(c->pos[1], -1, about, anchor);
    tlk_rotate(q, anchor, to);
    add3(about, 1, to, c->pos[1]);
    memcpy(old, c->quat[1], sizeof old);
    double cross[3];
    cross3(q + 1, old + 1, cross);
    c->quat[1][0] = q[0] * old[0] - dot3(q + 1, old + 1);
    for (int k = 1; k < 4; k++)
        c->quat[1][k] = q[0] * old[k] + old[0] * q[k] + cross[k - 1];
}

/* A manifold that is kept is what it was, bodies at rest; after a small motion gaps and
 * normals are right to a thousandth, but for a few pairs whose edges or faces ended within it; and
 * gaps are off by no more than the motion. */
static void test_motion(void **state)
{
    (void)state;
    static couple c;
    dice d = {11};
    int kept = 0, far = 0, turned = 0;
    for (int i = 0; i < 2000; i++) {
        tlk_manifold m, now;
        double axis[3], way[3], point[3];
        if (!meet(&c, &d))
            continue;
        context("pair %d", i);
        assert_true(keep(&c, &m));
        for (uint32_t k = 0; k < m.count; k++) {
            assert_near(m.gap[k], c.m.gap[k], 1e-12);
            assert_below(distance3(m.at[k], c.m.at[k]), 1e-12);
        }
        roll_direction(&d, axis);
        roll_direction(&d, way);
        add3(c.centre[0], 1, c.m.at[0], point);
        turn_second(&c, axis, 3e-4 * roll(&d, 0, 1), point);
        add3(c.pos[1], 0.003 * ENVELOPE * roll(&d, 0, 1), way, c.pos[1]);
        put(&c);
        if (!keep(&c, &m))
            continue; /* a far point of a large face */
        collide(&c, &now);
        const double off = fabs(least_gap(&m) - least_gap(&now));
        assert_below(off, TLK_KEEP_WAY * ENVELOPE);
        kept++;
        far += off > 1e-3 * ENVELOPE;
        turned += dot3(m.n, now.n) < 1 - 5e-7; /* by more than a thousandth */
    }
    assert_true(kept > 500);
    assert_true(far < kept / 100);
    assert_true(turned < kept / 25);
}

/* Beyond the limits it is made anew. */
static void test_limits(void **state)
{
    (void)state;
    static couple c;
    dice d = {12};
    int tried = 0;
    for (int i = 0; i < 300; i++) {
        tlk_manifold m;
        double axis[3], before[2][4], point[3];
        if (!meet(&c, &d))
            continue;
        context("pair %d", i);
        tried++;
        roll_direction(&d, axis);
        add3(c.centre[0], 1, c.m.at[0], point);
        memcpy(before[0], c.pos[1], sizeof before[0]);
        memcpy(before[1], c.quat[1], sizeof before[1]);
        turn_second(&c, axis, 1.01 * TLK_KEEP_TURN, point);
        assert_false(keep(&c, &m));
        memcpy(c.quat[1], before[1], sizeof before[1]);
        add3(before[0], 1.01 * TLK_KEEP_WAY * ENVELOPE, axis, c.pos[1]);
        assert_false(keep(&c, &m));
        memcpy(c.pos[1], before[0], sizeof before[0]);
        assert_true(keep(&c, &m));
        c.kept[11] = 0; /* the normal of a corner, say */
        assert_false(keep(&c, &m));
    }
    assert_true(tried > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("kept manifolds", tests, NULL, NULL);
}
