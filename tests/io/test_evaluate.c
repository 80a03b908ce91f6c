/* tl_evaluate(): the arithmetic of scene files over names that a program gives. */
#include "talus/io.h"

#include <math.h>

#include "failing.h"

static const char *const names[] = {"load.z.last", "mu", "gone"};
static const double values[] = {-3.5, 0.25, NAN};

static double value_of(const char *text)
{
    double value = -1;
    context("%s", text);
    assert_ok(tl_evaluate(text, 3, names, values, &value));
    return value;
}

static void computes(void **state)
{
    (void)state;
    assert_true(value_of("2*mu + 1") == 1.5);
    assert_true(value_of("abs(load.z.last)/mu") == 14);
    assert_true(value_of("load.z.last < -3") == 1);
    assert_true(value_of("load.z.last >= mu") == 0);
    assert_true(fabs(value_of("sin(pi/6)") - 0.5) < 1e-15);
    assert_true(isnan(value_of("gone + 1")));
    assert_true(isinf(value_of("1/(mu - 0.25)")));
    double value = 0;
    assert_ok(tl_evaluate("6*7", 0, NULL, NULL, &value));
    assert_true(value == 42);
}

static void refuses(void **state)
{
    (void)state;
    double value = 7;
    assert_status(tl_evaluate("mu + load.y", 3, names, values, &value), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "'mu + load.y': column 6: unknown name 'load.y', "
                                              "expected load.z.last, mu, gone, pi or a function"));
    assert_status(tl_evaluate("2*", 3, names, values, &value), TL_BAD_DATA);
    assert_status(tl_evaluate("", 3, names, values, &value), TL_BAD_DATA);
    assert_status(tl_evaluate(NULL, 3, names, values, &value), TL_BAD_ARGUMENT);
    assert_status(tl_evaluate("1", 3, NULL, values, &value), TL_BAD_ARGUMENT);
    assert_status(tl_evaluate("1", 3, names, NULL, &value), TL_BAD_ARGUMENT);
    assert_status(tl_evaluate("1", 3, names, values, NULL), TL_BAD_ARGUMENT);
    assert_status(tl_evaluate("1", 65536, names, values, &value), TL_BAD_ARGUMENT);
    assert_true(value == 7); /* left alone */
}

static tl_status evaluate_long(void)
{
    double value;
    return tl_evaluate("mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+"
                       "mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu+mu",
                       3, names, values, &value);
}

static void bears_failing_allocations(void **state)
{
    (void)state;
    each_allocation_may_fail(evaluate_long);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(bears_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
