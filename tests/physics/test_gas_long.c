/* labels: long */
/* A gas of 1,000 balls over 100,000 steps (rms speed times step: 0.005 diameters), at three
 * packings and with every solver: it keeps its energy to 1 % (found: 0.01 %), with Maxwell's
 * speeds. */
#include "gas.h"

static void keeps(const variant *v)
{
    static const double packings[] = {0.1, 0.3, 0.45};
    for (int i = 0; i < 3; i++) {
        const gas g = {.side = 10, .packing = packings[i], .step = 0.005, .restitution = 1};
        const gas_end end = run_gas(v, &g, 100000);
        context("%s, packing %g", v->name, packings[i]);
        print_message("%s, packing %g: energy %.6f, <v^4>/<v^2>^2 %.4f, %.1f impacts per step\n",
                      v->name, packings[i], end.energy, end.kurtosis, (double)end.impacts / 1e5);
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
