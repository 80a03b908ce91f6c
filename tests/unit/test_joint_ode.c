/* Accelerations of random trees of bodies against ODE, an independent engine, whose direct solver
 * is exact, too: from rest, over one short step. */
#include "../physics/joints.h"

#include <ode/ode.h>

#define MOST 20
#define STEP 1e-4

typedef struct twin {
    put here;
    dBodyID there;
} twin;

static void join_both(tl_scene *scene, dWorldID other, dice *d, const twin *a, const twin *b)
{
    double point[3], axis[3];
    for (int k = 0; k < 3; k++)
        point[k] = b->here.x[k] + roll(d, -0.5, 0.5);
    roll_direction(d, axis);
    switch (roll_bits(d) % 4) {
    case 0: {
        const dJointID j = dJointCreateBall(other, 0);
        dJointAttach(j, a->there, b->there);
        dJointSetBallAnchor(j, point[0], point[1], point[2]);
        join(scene, TL_JOINT_SPHERICAL, a->here, b->here, point[0], point[1], point[2], axis);
        break;
    }
    case 1: {
        const dJointID j = dJointCreateHinge(other, 0);
        dJointAttach(j, a->there, b->there);
        dJointSetHingeAnchor(j, point[0], point[1], point[2]);
        dJointSetHingeAxis(j, axis[0], axis[1], axis[2]);
        join(scene, TL_JOINT_REVOLUTE, a->here, b->here, point[0], point[1], point[2], axis);
        break;
    }
    case 2: {
        const dJointID j = dJointCreateSlider(other, 0);
        dJointAttach(j, a->there, b->there);
        dJointSetSliderAxis(j, axis[0], axis[1], axis[2]);
        join(scene, TL_JOINT_PRISMATIC, a->here, b->here, point[0], point[1], point[2], axis);
        break;
    }
    default: {
        const dJointID j = dJointCreateFixed(other, 0);
        dJointAttach(j, a->there, b->there);
        dJointSetFixed(j);
        join(scene, TL_JOINT_FIXED, a->here, b->here, point[0], point[1], point[2], axis);
        break;
    }
    }
}

/* The largest difference of accelerations in one tree, over the largest acceleration. */
static double compare(dice *d, uint32_t bodies)
{
    const variant v = joint_variant();
    tl_scene *scene = scene_for(&v, STEP);
    const dWorldID other = dWorldCreate();
    twin all[MOST + 1] = {{ground, 0}};
    dWorldSetGravity(other, 0, 0, -G);
    dWorldSetERP(other, 0);
    dWorldSetCFM(other, 0);
    for (uint32_t i = 1; i <= bodies; i++) {
        const double half[3] = {roll(d, 0.1, 0.4), roll(d, 0.1, 0.4), roll(d, 0.1, 0.4)};
        const double mass = roll(d, 0.5, 3);
        twin *t = &all[i];
        dMass m;
        roll3(d, -2, 2, t->here.x);
        roll_turn(d, t->here.q);
        t->here.body = add_link(scene, half[0], half[1], half[2], mass, t->here.x, t->here.q);
        t->there = dBodyCreate(other);
        dMassSetBoxTotal(&m, mass, 2 * half[0], 2 * half[1], 2 * half[2]);
        dBodySetMass(t->there, &m);
        dBodySetPosition(t->there, t->here.x[0], t->here.x[1], t->here.x[2]);
        const dQuaternion q = {t->here.q[0], t->here.q[1], t->here.q[2], t->here.q[3]};
        dBodySetQuaternion(t->there, q);
        join_both(scene, other, d, &all[roll_bits(d) % i], t);
    }
    tl_world *world = world_of(scene);
    const tl_report r = step_report(world, 1);
    dWorldStep(other, STEP);
    double worst = 0, largest = 0;
    for (uint32_t i = 1; i <= bodies; i++) {
        double u[3], w[3];
        velocity_of(world, all[i].here.body, u);
        assert_ok(tl_world_read_angular_velocities(world, 1, &all[i].here.body, w));
        const dReal *lu = dBodyGetLinearVel(all[i].there), *lw = dBodyGetAngularVel(all[i].there);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(u[k] - lu[k]), fabs(w[k] - lw[k])) / STEP);
            largest = fmax(largest, fmax(fabs(u[k]), fabs(w[k])) / STEP);
        }
    }
    assert_int_equal(r.redundant_rows, 0);
    dWorldDestroy(other);
    tl_world_destroy(world);
    return worst / largest;
}

static void test_trees(void **state)
{
    (void)state;
    dice d = {11};
    double worst = 0;
    dInitODE();
    for (int i = 0; i < 100; i++) {
        const uint32_t bodies = 2 + (uint32_t)(roll_bits(&d) % (MOST - 1));
        context("tree %d of %u bodies", i, bodies);
        const double off = compare(&d, bodies);
        assert_below(off, 1e-6);
        worst = fmax(worst, off);
    }
    static const claim c = {"100 random trees of 2 to 20 bodies, from rest", "ODE, direct solver",
                            "largest difference of accelerations, over the largest of them",
                            "h = 0.1 ms"};
    assert_found(&c, "joints", worst, 0, 1e-6);
    dCloseODE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
