/* Expressions that are compiled once and evaluated with other variables each time. What they are
 * worth without variables, and what is refused, is tested through scene files (tests/io). */
#include "support.h"

#include "base/expression.h"

static const char *const variables[] = {"t", "x"};
static const tl_parameter parameters[] = {{{"a", 1}, 0.1}, {{"t", 1}, 99}, {{"a", 1}, 3}};
static const tl_names names = {
    .parameters = parameters, .parameter_count = 3, .variables = variables, .variable_count = 2};

static tl_status compile(tl_expression *e, const char *text, tl_expression_error *error)
{
    return tl_expression_compile(e, tl_text_of(text), &names, error);
}

static void variables_have_their_values(void **state)
{
    (void)state;
    tl_expression e = {0};
    tl_expression_error error;
    assert_int_equal(compile(&e, "a*sin(t) - x^2/clamp(t, 1, 2)", &error), TL_OK);
    for (int i = 0; i < 100; i++) {
        const double v[] = {0.1 * i, 3 - 0.07 * i};
        const double divisor = v[0] < 1 ? 1 : v[0] > 2 ? 2 : v[0];
        assert_near(tl_expression_value(&e, v), 3 * sin(v[0]) - pow(v[1], 2) / divisor, 0);
    }
    /* compiled again, in the same memory */
    assert_int_equal(compile(&e, "t", &error), TL_OK);
    assert_near(tl_expression_value(&e, (double[]){7, 8}), 7, 0); /* not the parameter's 99 */
    tl_expression_free(&e);
}

/* What has its parameters replaced by their values is worth the same to the last bit. */
static void inlined_parameters_keep_the_value(void **state)
{
    (void)state;
    static const char *const texts[] = {"a", "-a^2", "2^-a", "1e3+a*x", "max(a,t)/a2", "3.a"};
    const tl_parameter odd[] = {{{"a", 1}, -1.0 / 3}, {{"a2", 2}, 1e-300}, {{"x", 1}, 5}};
    const tl_names before = {.parameters = odd,
                             .parameter_count = 3,
                             .variables = variables,
                             .variable_count = 2},
                   after = {.variables = variables, .variable_count = 2};
    const double v[] = {0.3, 0.7};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tl_expression one = {0}, two = {0};
        tl_expression_error error;
        tl_array text = {.item = 1};
        context("%s", texts[i]);
        assert_int_equal(tl_expression_inline(tl_text_of(texts[i]), &before, &text), TL_OK);
        const tl_text inlined = {text.data, text.count};
        const tl_status status = tl_expression_compile(&one, tl_text_of(texts[i]), &before, &error);
        assert_int_equal(tl_expression_compile(&two, inlined, &after, &error), status);
        if (status == TL_OK) {
            const double a = tl_expression_value(&one, v), b = tl_expression_value(&two, v);
            assert_memory_equal(&a, &b, sizeof a);
        }
        tl_expression_free(&one);
        tl_expression_free(&two);
        tl_array_free(&text);
    }
}

static void mistakes_are_pointed_at(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *message;
    } cases[] = {
        {"2*q", 2,
         "unknown name 'q', expected t, x, a parameter declared before, pi or a function; did you "
         "mean 't'?"},
        {"", 0, "it ends here, expected a number, a name or '('"},
        {"atan2(t)", 0, "atan2 has 1 values, expected 2"},
        {"clamp(1, 2, 3, 4)", 0, "clamp has 4 values, expected 3"},
        {"t t", 2, "found 't', expected an operator or the end"},
    };
    tl_expression e = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tl_expression_error error;
        context("%s", cases[i].text);
        assert_int_equal(compile(&e, cases[i].text, &error), TL_BAD_DATA);
        assert_int_equal(error.offset, cases[i].offset);
        assert_string_equal(error.text, cases[i].message);
    }
    tl_expression_free(&e);
}

/* Names of channels have a point in them; it is no part of a number, and their parts are no names.
 */
static void names_may_have_points(void **state)
{
    (void)state;
    static const char *const channels[] = {"t", "drag.x", "drag.magnitude", "floor.z"};
    const tl_parameter odd[] = {{{"drag", 4}, 5}, {{"x", 1}, 7}};
    const tl_names known = {
        .parameters = odd, .parameter_count = 2, .variables = channels, .variable_count = 4};
    const double v[] = {1, 10, 100, 1000};
    tl_expression e = {0};
    tl_expression_error error;
    tl_array text = {.item = 1};
    const char *good = "drag.x*2.5 + drag*x - floor.z/drag.magnitude + floor(1.5)";
    assert_int_equal(tl_expression_compile(&e, tl_text_of(good), &known, &error), TL_OK);
    assert_near(tl_expression_value(&e, v), 25 + 35 - 10 + 1, 1e-12);
    assert_int_equal(tl_expression_inline(tl_text_of("drag.x + drag"), &known, &text), TL_OK);
    assert_int_equal(text.count, strlen("drag.x + (5)"));
    assert_memory_equal(text.data, "drag.x + (5)", text.count);
    assert_int_equal(tl_expression_compile(&e, tl_text_of("2*drag.y"), &known, &error),
                     TL_BAD_DATA);
    assert_int_equal(error.offset, 2);
    assert_string_equal(error.text, "unknown name 'drag.y', expected t, drag.x, drag.magnitude, "
                                    "floor.z, a parameter declared before, pi or a function; "
                                    "did you mean 'drag.x'?");
    tl_array_free(&text);
    tl_expression_free(&e);
}

/* A message names as many of the names that are allowed as it has room for. */
static void many_names_are_counted(void **state)
{
    (void)state;
    static const char *channels[40];
    static char texts[40][16];
    for (int i = 0; i < 40; i++) {
        snprintf(texts[i], sizeof texts[i], "load%d", i);
        channels[i] = texts[i];
    }
    const tl_names known = {
        .variables = channels, .variable_count = 40, .without_parameters = true};
    tl_expression e = {0};
    tl_expression_error error;
    assert_int_equal(tl_expression_compile(&e, tl_text_of("far_off"), &known, &error), TL_BAD_DATA);
    assert_string_equal(
        error.text, "unknown name 'far_off', expected load0, load1, load2, load3, load4, "
                    "load5, load6, load7, load8, load9, load10, load11, load12, load13, load14, 25 "
                    "more like these, pi or a function");
    tl_expression_free(&e);
}

/* Brackets within sums and calls within calls hold many numbers at once: refused, never overrun. */
static void deep_stacks_are_refused(void **state)
{
    (void)state;
    char text[4096];
    size_t used = 0;
    tl_expression e = {0};
    tl_expression_error error;
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "max(1,1,1,1,1,1,1,1,");
    used += (size_t)snprintf(text + used, sizeof text - used, "1");
    for (int i = 0; i < 60; i++)
        text[used++] = ')';
    text[used] = 0;
    assert_int_equal(compile(&e, text, &error), TL_BAD_DATA);
    assert_string_equal(error.text, "it holds more than 256 numbers at once, expected fewer");
    tl_expression_free(&e);
}

static void comparisons(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 < 2", 1},          {"2 < 1", 0},   {"2 > 1", 1},    {"1 <= 1", 1},
                 {"1 >= 1", 1},         {"1 > 1", 0},   {"1 == 1", 1},   {"1 != 1", 0},
                 {"3*(1 < 2) + 1", 4},  {"0/0 < 1", 0}, {"0/0 >= 1", 0}, {"1+1 > 1", 1},
                 {"max(1 < 2, 0)*5", 5}};
    tl_expression e = {0};
    tl_expression_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        context("%s", cases[i].text);
        assert_ok(tl_expression_compile(&e, tl_text_of(cases[i].text), &names, &error));
        assert_near(tl_expression_value(&e, (double[]){0, 0}), cases[i].value, 0);
    }
    assert_status(tl_expression_compile(&e, tl_text_of("1 < 2 < 3"), &names, &error), TL_BAD_DATA);
    assert_status(tl_expression_compile(&e, tl_text_of("1 = 2"), &names, &error), TL_BAD_DATA);
    tl_expression_free(&e);
}

/* Inside a fragment its own channels come first, then those around it. */
static void prefixes(void **state)
{
    (void)state;
    static const char *const channels[] = {"t", "x", "a.x", "a.b.x", "y"};
    const tl_names known = {.variables = channels, .variable_count = 5, .prefix = {"a.b.c.", 6}};
    const double v[] = {1, 2, 3, 4, 5};
    tl_expression e = {0};
    tl_expression_error error;
    tl_array out = {.item = 1};
    assert_ok(tl_expression_compile(&e, tl_text_of("x + 10*y + 100*t"), &known, &error));
    assert_near(tl_expression_value(&e, v), 4 + 50 + 100, 0);
    assert_ok(tl_expression_inline(tl_text_of("x+y"), &known, &out));
    assert_true(tl_text_is((tl_text){out.data, out.count}, "a.b.x+y"));
    tl_array_free(&out);
    tl_expression_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_their_values),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(inlined_parameters_keep_the_value),
        cmocka_unit_test(mistakes_are_pointed_at),
        cmocka_unit_test(names_may_have_points),
        cmocka_unit_test(many_names_are_counted),
        cmocka_unit_test(deep_stacks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
