/* labels: slow */
/* A gas of frictionless balls in a box, at three packings: with restitution 1 it keeps its energy
 * and its speeds become Maxwell's, whatever the solver, the law, the envelope, the precision and
 * the step. test_gas_long.c runs the same for 100,000 steps. */
#include "gas.h"

static void keeps(const variant *v)
{
    static const double packings[] = {0.1, 0.3, 0.45};
    const gas g = {.side = 6, .step = 0.005, .restitution = 1};
    for (int i = 0; i < 3; i++) {
        gas one = g;
        one.packing = packings[i];
        const gas_end end = run_gas(v, &one, 150);
        context("%s, packing %g", v->name, packings[i]);
        static const claim c = {"a gas of 216 lossless balls in a box, packings 0.1, 0.3, 0.45",
                                "conservation of energy", "energy over that at the start",
                                "h = 5 ms, 150 steps, impacts: propagating"};
        assert_found(&c, v->name, end.energy, 1, v->precision == TL_DOUBLE ? 1e-9 : 1e-5);
        assert_true(end.impacts > 30);
    }
}

static void test_energy(void **state)
{
    (void)state;
    for_each_variant(keeps);
}

/* With envelopes from nearly none to a fifth of a diameter, and steps in which bodies move by a
 * twentieth of a diameter. */
static void test_settings(void **state)
{
    static const double envelopes[] = {1e-6, 0.2}, steps[] = {0.0005, 0.05};
    const variant v = variant_at(0);
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const gas g = {.side = 6,
                           .packing = 0.45,
                           .step = steps[k],
                           .restitution = 1,
                           .envelope = envelopes[i]};
            context("envelope %g, step %g", envelopes[i], steps[k]);
            static const claim c = {"the same gas at packing 0.45, envelopes of 1e-6 and 0.2 m",
                                    "conservation of energy", "energy over that at the start",
                                    "h = 0.5 and 50 ms, 400 steps, impacts: propagating"};
            assert_found(&c, v.name, run_gas(&v, &g, 400).energy, 1, 1e-5);
        }
}

/* Maxwell's distribution of speeds: <v^4> = 5/3 <v^2>^2, from a start in which all are equally fast
 * (1). 216 balls, averaged over 20 times: within 4 % of it. */
static void test_maxwell(void **state)
{
    const variant v = variant_at(0);
    const gas g = {.side = 6, .packing = 0.3, .step = 0.01, .restitution = 1};
    (void)state;
    const gas_end end = run_gas(&v, &g, 4000);
    static const claim c = {"a gas of 216 lossless balls, all equally fast at the start",
                            "closed form: Maxwell's distribution of speeds",
                            "mean of v^4 over that of v^2 squared",
                            "h = 10 ms, 4,000 steps, impacts: propagating"};
    assert_found(&c, v.name, end.kurtosis, 5.0 / 3, 0.04 * 5.0 / 3);
}

/* Below 1 every impact takes (1 - e^2) m' u_n^2 / 2 and no more: the gas cools, never warms, and
 * slower for a larger e. */
static void test_cooling(void **state)
{
    static const double restitutions[] = {0.5, 0.9, 0.99};
    const variant v = variant_at(0);
    double last = 0;
    (void)state;
    for (int i = 0; i < 3; i++) {
        const gas g = {.side = 6, .packing = 0.3, .step = 0.005, .restitution = restitutions[i]};
        const gas_end end = run_gas(&v, &g, 400);
        context("restitution %g", restitutions[i]);
        assert_below(end.most, 1 + 1e-5);
        assert_below(end.energy, 0.99);
        assert_above(end.energy, last);
        last = end.energy;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_maxwell),
        cmocka_unit_test(test_cooling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
