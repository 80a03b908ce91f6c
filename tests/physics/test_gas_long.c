/* labels: long */
/* A gas of 1,000 balls (rms speed times step: 0.005 diameters) at three packings: it keeps its
 * energy to 1 % (found: 0.01 %), with Maxwell's speeds. Over 100,000 steps with psor in both
 * precisions, over 10,000 with every other variant; by eight iterations, as a scene has them.
 * (test_gas.c has as many as solve each step to rounding, for fewer balls and steps.) */
#include "gas.h"

#define MOST_STEPS 100000

static void keeps(const variant *v)
{
    static const double packings[] = {0.1, 0.3, 0.45};
    const bool longest =
        v->kind == TL_PSOR && v->law == TL_LAW_COULOMB && v->overlap == TL_OVERLAP_SPLIT;
    const int steps = longest ? MOST_STEPS : MOST_STEPS / 10;
    for (int i = 0; i < 3; i++) {
        const gas g = {
            .side = 10, .packing = packings[i], .step = 0.005, .restitution = 1, .iterations = 8};
        const gas_end end = run_gas(v, &g, steps);
        context("%s, packing %g", v->name, packings[i]);
        print_message("%s, packing %g, %d steps: energy %.9f, <v^4>/<v^2>^2 %.4f, %.1f impacts per "
                      "step\n",
                      v->name, packings[i], steps, end.energy, end.kurtosis,
                      (double)end.impacts / steps);
        assert_near(end.energy, 1, 0.01);
        assert_near(end.kurtosis, 5.0 / 3, 0.02 * 5.0 / 3);
    }
}

static void test_energy(void **state)
{
    (void)state;
    for_each_variant(keeps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
