/* labels: long */
/* Many structures that stand by friction; a few of them are in test_structures.c. */
#include "structures.h"

static void test_named(void **state)
{
    (void)state;
    for (int double_precision = 0; double_precision < 2; double_precision++) {
        const tl_precision precision = double_precision ? TL_DOUBLE : TL_MIXED;
        for (int k = 2; k <= 20; k += k < 10 ? 1 : 5) {
            const structure s = pyramid(k, 0);
            assert_true(stands_from_there_on(&s, precision, "pyramid", k));
        }
        for (int k = 2; k <= 8; k++) {
            const structure s = pyramid(k, 0.1);
            assert_true(stands_from_there_on(&s, precision, "tilted pyramid", k));
        }
        for (int k = 1; k <= 8; k++) {
            const structure s = wedge(0.1 * k);
            assert_true(stands_from_there_on(&s, precision, "wedge", k));
        }
        for (int k = 1; k <= 4; k++) {
            const structure s = arch(0.1 + 0.1 * k, 0.1 * k);
            assert_true(stands_from_there_on(&s, precision, "arch", k));
        }
        for (int k = 5; k <= 9; k++) {
            const structure s = gate(k, 4, k / 3);
            assert_true(stands_from_there_on(&s, precision, "gate", k));
        }
        for (int k = 2; k <= 6; k++) {
            const structure s = leaning(k, k + 1);
            assert_true(stands_from_there_on(&s, precision, "leaning", k));
        }
    }
}

static void test_heaps(void **state)
{
    (void)state;
    int tested = 0;
    for (int k = 1; k <= 400; k++) {
        const structure s = heap((uint64_t)k);
        if (stands_from_there_on(&s, TL_MIXED, "heap", k)) {
            stands_from_there_on(&s, TL_DOUBLE, "heap", k);
            stands_within(0.01, &s, k % 2 ? TL_MIXED : TL_DOUBLE, "heap", k);
            tested++;
        }
    }
    assert_true(tested >= 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_named), cmocka_unit_test(test_heaps)};
    return cmocka_run_group_tests_name("physics/structures_long", tests, NULL, NULL);
}
