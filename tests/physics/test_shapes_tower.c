/* labels: longer slow */
/* Tall things of boxes stand: towers, a wall. */
#include "physics/stand.h"

static structure *tower(int count, double top)
{
    structure *s = build(0.5);
    const double half[3] = {0.1, 0.1, 0.1};
    for (int i = 0; i < count; i++)
        lay(s, half, (double[3]){0, 0, 0.1 + 0.2 * i}, upright, i + 1 == count ? top : 2000);
    return s;
}

/* Sweeps bend a tall tower: how fast they straighten it falls with the fourth power of its height.
 * So many, in 64-bit, are enough for 50 cubes. */
static void converge(structure *s)
{
    tl_settings settings = tl_scene_settings(s->scene);
    settings.precision = TL_DOUBLE;
    settings.solver.iterations = settings.solver.position_iterations = 400;
    assert_ok(tl_scene_set_settings(s->scene, &settings));
}

static void test_low(void **state)
{
    (void)state;
    context("ten cubes");
    structure *s = tower(10, 2000);
    const drift d = expect_standing(s, 20, 1e-4, 2e-3);
    static const claim c = {"a tower of 10 cubes of edge 0.2 m", "stands where it was built",
                            "drift in 20 s, m", "friction 0.5, h = 5 ms, iterations as by default"};
    assert_found(&c, "psor coulomb, split, mixed", d.aside, 0, 1e-4);
    free(s);
}

static void test_tower(void **state)
{
    (void)state;
    context("tower");
    structure *s = tower(50, 2000);
    converge(s);
    const drift d = expect_standing(s, is_long() ? 20 : 5, 1e-4, 2e-3);
    static const claim c = {"a tower of 50 cubes of edge 0.2 m", "stands where it was built",
                            "drift in 5 s (20 s where longer), m",
                            "friction 0.5, h = 5 ms, 400 + 400 iterations"};
    assert_found(&c, "psor coulomb, split, double", d.aside, 0, 1e-4);
    free(s);
}

/* ---- A wall ---- */

/* Courses of bricks in running bond; every other one begins and ends with half a brick. */
static void test_wall(void **state)
{
    (void)state;
    const int wide = 20, high = 20;
    const double half[3] = {0.1, 0.05, 0.05}, end[3] = {0.05, 0.05, 0.05};
    context("wall");
    structure *s = build(0.5);
    for (int j = 0; j < high; j++) {
        const double z = 0.05 + 0.1 * j;
        if (j % 2 == 0) {
            for (int i = 0; i < wide; i++)
                lay(s, half, (double[3]){0.1 + 0.2 * i, 0, z}, upright, 2000);
            continue;
        }
        lay(s, end, (double[3]){0.05, 0, z}, upright, 2000);
        for (int i = 1; i < wide; i++)
            lay(s, half, (double[3]){0.2 * i, 0, z}, upright, 2000);
        lay(s, end, (double[3]){0.2 * wide - 0.05, 0, z}, upright, 2000);
    }
    converge(s);
    const drift d = expect_standing(s, is_long() ? 10 : 1, 5e-4, 2e-3);
    static const claim c = {"a wall of 20 x 20 bricks in running bond", "stands where it was built",
                            "drift in 1 s (10 s where longer), m",
                            "friction 0.5, h = 5 ms, 400 + 400 iterations"};
    assert_found(&c, "psor coulomb, split, double", d.aside, 0, 5e-4);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_low),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_wall),
    };
    return cmocka_run_group_tests_name("towers and walls", tests, NULL, NULL);
}
