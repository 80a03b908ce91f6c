/* labels: slow */
/* What stands: boxes that have fallen, an arch of voussoirs, cards that lean on each other; with
 * the settings of a plain scene. And what closed forms say falls. */
#include "physics/stand.h"

/* ---- One box ---- */

/* Dropped from 1 m, flat, on an edge and on a corner: it comes to rest on a face, not below the
 * floor, and its energy is gone. */
static void test_drop(void **state)
{
    (void)state;
    static const double tilts[3][4] = {{0, 0, 1, 0}, {0.3, 1, 0, 0.2}, {0.7, 1, 0.5, 0.3}};
    for (int i = 0; i < 3; i++) {
        structure *s = build(0.5);
        const double half[3] = {0.1, 0.15, 0.2};
        double q[4], x[3];
        turn(tilts[i] + 1, tilts[i][0], q);
        context("drop %d", i);
        lay(s, half, (double[3]){0, 0, 1}, q, 2000);
        tl_report report;
        tl_world *world = stand(s, 8, &report);
        position_of(world, s->body[0], x);
        double off = INFINITY;
        for (int k = 0; k < 3; k++)
            off = fmin(off, fabs(x[2] - half[k]));
        tl_world_destroy(world);
        static const claim c = {"a box falls 1 m: flat, on an edge, on a corner",
                                "comes to rest on a face, its energy gone",
                                "kinetic energy after 8 s, J",
                                "friction 0.5, e = 0, h = 5 ms, iterations as by default"};
        assert_found(&c, "psor coulomb, split, mixed", report.kinetic_energy, 0, 1e-6);
        assert_below(off, 1e-4);
        free(s);
    }
}

/* ---- An arch ---- */

/* Voussoirs of a half circle of mean radius 1 m on two fixed blocks; returns how far the keystone
 * has come down after `time`, m. */
static double arch_sinks(double thickness, double time)
{
    const int count = 15;
    const double part = PI / count, depth = 0.2, inner = 1 - thickness / 2;
    const double outer = 1 + thickness / 2;
    structure *s = build(0.5);
    tl_body key = {0, 0};
    double start[3], x[3];
    for (int i = 0; i < 2; i++)
        add_fixed(s->scene, tl_box_default(0.3, 0.3, 0.1), s->material,
                  (double[3]){i ? -1 : 1, 0, 0.9}, upright);
    for (int i = 0; i < count; i++) {
        double points[8][3], middle = (i + 0.5) * part;
        for (int k = 0; k < 8; k++) { /* about the middle of the stone */
            const double r = k & 1 ? outer : inner, angle = (k & 2 ? 0.5 : -0.5) * part;
            points[k][0] = r * cos(middle + angle) - cos(middle);
            points[k][1] = k & 4 ? depth : -depth;
            points[k][2] = r * sin(middle + angle) - sin(middle);
        }
        tl_geometry hull;
        assert_ok(tl_scene_add_hull(s->scene, 8, points[0], &hull));
        tl_shape_def stone = tl_hull_default(hull);
        stone.material = s->material;
        const tl_body_def def =
            body_of(&stone, 2000, (double[3]){cos(middle), 0, 1 + sin(middle)}, upright);
        const tl_body body = add_body(s->scene, &def);
        if (i == count / 2)
            key = body;
    }
    tl_world *world = world_of(s->scene);
    position_of(world, key, start);
    const tl_report report = step_report(world, (uint32_t)(time / STEP + 0.5));
    position_of(world, key, x);
    tl_world_destroy(world);
    free(s);
    if (start[2] - x[2] < 0.01) /* stands: and is at rest */
        assert_below(report.kinetic_energy, 1e-6);
    return start[2] - x[2];
}

/* A half circle stands by itself if its thickness is at least 0.1075 of its mean radius (Heyman):
 * well above it does, well below it becomes a mechanism of hinges. */
static void test_arch(void **state)
{
    (void)state;
    context("thick arch");
    static const claim c = {"an arch of 15 voussoirs, 0.2 thick against its radius of 1 m",
                            "stands: thicker than Heyman's 0.1075", "keystone sinks in 10 s, m",
                            "friction 0.5, h = 5 ms, iterations as by default"};
    assert_found(&c, "psor coulomb, split, mixed", arch_sinks(0.2, 10), 0, 2e-3);
    context("thin arch");
    assert_above(arch_sinks(0.07, 10), 0.3);
}

/* ---- Cards ---- */

/* A card of length 1 leans against a wall, both with friction mu: it rests where the tangent of its
 * angle with the floor is at least (1 - mu^2) / (2 mu). Returns how far its middle has come down.
 */
static double ladder_sinks(double angle, double mu)
{
    const double half[3] = {0.5, 0.2, 0.01}, c = cos(angle), t = sin(angle);
    structure *s = build(mu);
    double q[4], x[3];
    tl_report report;
    /* the card's x runs up to the wall at x = 0: its corner (-0.5, -0.01) is on the floor, its
     * corner (0.5, -0.01) at the wall */
    turn((double[3]){0, 1, 0}, -angle, q);
    const double right = half[0] * c + half[2] * t, low = half[0] * t + half[2] * c;
    add_fixed(s->scene, tl_box_default(0.1, 1, 2), s->material, (double[3]){0.1, 0, 0}, upright);
    lay(s, half, (double[3]){-right, 0, low}, q, 500);
    tl_world *world = stand(s, 2, &report);
    position_of(world, s->body[0], x);
    const double sunk = s->place[0][2] - x[2];
    tl_world_destroy(world);
    free(s);
    return sunk;
}

/* The least friction, by the balance of the card's forces at the corners that touch. */
static double ladder_friction(double angle)
{
    const double c = cos(angle), t = sin(angle), l = 0.5, d = 0.01;
    /* corners against the middle: floor (-l, -d), wall (l, -d), turned by the angle */
    const double fx = -l * c + d * t, fz = -l * t - d * c, wx = l * c + d * t, wz = l * t - d * c;
    double low = 0, high = 2;
    for (int i = 0; i < 60; i++) {
        const double mu = 0.5 * (low + high);
        /* floor N up, mu N to the right; wall P to the left, mu P up: P = mu N, N + mu P = 1 */
        const double n = 1 / (1 + mu * mu), p = mu * n;
        const double moment = fx * n - fz * mu * n + wx * mu * p + wz * p;
        if (moment > 0) /* friction to spare holds it up */
            high = mu;
        else
            low = mu;
    }
    return high;
}

static void test_ladder(void **state)
{
    (void)state;
    const double angle = 1.0, least = ladder_friction(angle);
    static const claim c = {"a card leans against a wall at 1 rad, friction 1.03 x the least",
                            "closed form: balance of its three forces", "sinks in 2 s, m",
                            "h = 5 ms, iterations as by default"};
    context("ladder");
    assert_near(least, tan((PI / 2 - angle) / 2), 0.02); /* of a card without thickness */
    assert_found(&c, "psor coulomb, split, mixed", ladder_sinks(angle, 1.03 * least), 0, 1e-3);
    assert_above(ladder_sinks(angle, 0.97 * least), 0.05);
}

/* Two cards at x: one at 25 degrees, whose edge leans on the other, at 20. Returns the height of
 * the top, and where it is. */
static double lean(structure *s, double x, double floor, double *top)
{
    const double half[3] = {0.5, 0.2, 0.01};
    const double left = 25 * PI / 180, right = 20 * PI / 180;
    double q[4];
    /* the left card stands on its lower right edge at x, and leans to the right; a card's x runs
     * up */
    const double up[2] = {sin(left), cos(left)}, out[2] = {-cos(left), sin(left)};
    turn((double[3]){0, 1, 0}, left - PI / 2, q);
    lay(s, half,
        (double[3]){x + 0.5 * up[0] + 0.01 * out[0], 0, floor + 0.5 * up[1] + 0.01 * out[1]}, q,
        500);
    /* its upper right edge is on the left face of the right card, which stands on its lower left
     * edge and leans to the left */
    const double edge[2] = {x + up[0], up[1]}, foot = edge[0] + edge[1] * tan(right);
    const double back[2] = {-sin(right), cos(right)}, aside[2] = {cos(right), sin(right)};
    turn((double[3]){0, 1, 0}, -right - PI / 2, q);
    lay(s, half,
        (double[3]){foot + 0.5 * back[0] + 0.01 * aside[0], 0,
                    floor + 0.5 * back[1] + 0.01 * aside[1]},
        q, 500);
    *top = foot + back[0] + 0.02 * aside[0];
    return floor + back[1] + 0.02 * aside[1];
}

/* A house askew: two pairs that lean, a card across them, and a pair on that. */
static void test_askew(void **state)
{
    (void)state;
    context("house of cards askew");
    structure *s = build(0.8);
    double first, second, third;
    const double storey = lean(s, 0, 0, &first);
    lean(s, 0.9, 0, &second);
    const double half[3] = {0.7, 0.2, 0.01};
    lay(s, half, (double[3]){0.5 * (first + second), 0, storey + 0.01}, upright, 500);
    lean(s, 0.5 * (first + second) - 0.4, storey + 0.02, &third);
    const drift d = expect_standing(s, 10, 2e-3, 2e-3);
    static const claim c = {"a house of seven cards in two storeys", "stands where it was built",
                            "drift in 10 s, m", "friction 0.8, h = 5 ms, iterations as by default"};
    assert_found(&c, "psor coulomb, split, mixed", d.aside, 0, 2e-3);
    free(s);
}

/* A card on its end at x, and one that leans on it from either side, at 15 degrees. */
static void cell(structure *s, double x, double floor)
{
    const double half[3] = {0.01, 0.2, 0.5}, angle = 15 * PI / 180;
    const double up[2] = {sin(angle), cos(angle)}, out[2] = {-cos(angle), sin(angle)};
    lay(s, half, (double[3]){x, 0, floor + 0.5}, upright, 500);
    for (int side = -1; side <= 1; side += 2) {
        /* on the left: it stands on its lower right edge, and the upper one touches */
        const double foot = -0.01 - up[0];
        double q[4];
        turn((double[3]){0, 1, 0}, -side * angle, q);
        lay(s, half,
            (double[3]){x - side * (foot + 0.5 * up[0] + 0.01 * out[0]), 0,
                        floor + 0.5 * up[1] + 0.01 * out[1]},
            q, 500);
    }
}

/* A house of two storeys: two cells, a card across them, and a cell on that. */
static void test_cards(void **state)
{
    (void)state;
    context("house of cards");
    structure *s = build(0.5);
    const double half[3] = {0.7, 0.2, 0.01};
    cell(s, -0.5, 0);
    cell(s, 0.5, 0);
    lay(s, half, (double[3]){0, 0, 1.01}, upright, 500);
    cell(s, 0, 1.02);
    const drift d = expect_standing(s, 20, 1e-4, 2e-3);
    static const claim c = {"a house of ten cards in two storeys", "stands where it was built",
                            "drift in 20 s, m", "friction 0.5, h = 5 ms, iterations as by default"};
    assert_found(&c, "psor coulomb, split, mixed", d.aside, 0, 1e-4);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),  cmocka_unit_test(test_arch),  cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_askew), cmocka_unit_test(test_cards),
    };
    return cmocka_run_group_tests_name("shapes that stand", tests, NULL, NULL);
}
