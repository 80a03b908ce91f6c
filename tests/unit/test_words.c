/* The words of enums: every value has one, and both ways lead back. */
#include "support.h"

#include "scene/check.h"
#include "talus/io.h"

static const struct {
    tl_vocabulary which;
    uint32_t last; /* the highest value of the enum */
    const char *word, *constant;
} vocabularies[] = {
    {TL_WORDS_BODY, TL_PRESCRIBED, "prescribed", "TL_PRESCRIBED"},
    {TL_WORDS_SHAPE, TL_POLYGON, "polygon", "TL_POLYGON"},
    {TL_WORDS_MOTION, TL_MOTION_EXPRESSION, "expression", "TL_MOTION_EXPRESSION"},
    {TL_WORDS_OVERLAP, TL_OVERLAP_VELOCITY, "velocity", "TL_OVERLAP_VELOCITY"},
    {TL_WORDS_SOLVER, TL_INTERIOR, "interior", "TL_INTERIOR"},
    {TL_WORDS_LAW, TL_LAW_COULOMB, "coulomb", "TL_LAW_COULOMB"},
    {TL_WORDS_PRECISION, TL_DOUBLE, "double", "TL_DOUBLE"},
    {TL_WORDS_BACKEND, TL_BACKEND_CUDA, "cuda", "TL_BACKEND_CUDA"},
    {TL_WORDS_REGION, TL_REGION_SPHERE, "sphere", "TL_REGION_SPHERE"},
    {TL_WORDS_SIZE, TL_SIZE_LOGNORMAL, "lognormal", "TL_SIZE_LOGNORMAL"},
    {TL_WORDS_PATTERN, TL_FILL_CLOSE, "close", "TL_FILL_CLOSE"},
    {TL_WORDS_EVENT, TL_EVENT_MOTION, "motion", "TL_EVENT_MOTION"},
    {TL_WORDS_MONITOR, TL_MONITOR_JOINT, "joint", "TL_MONITOR_JOINT"},
    {TL_WORDS_IMPACTS, TL_IMPACTS_PROPAGATING, "propagating", "TL_IMPACTS_PROPAGATING"},
    {TL_WORDS_COMPRESSION, TL_COMPRESSION_QUANTISED, "quantised", "TL_COMPRESSION_QUANTISED"},
    {TL_WORDS_JOINT, TL_JOINT_GENERIC, "generic", "TL_JOINT_GENERIC"},
    {TL_WORDS_FUNCTION, TL_FUNCTION_EXPRESSION, "expression", "TL_FUNCTION_EXPRESSION"},
    {TL_WORDS_DRIVE, TL_DRIVE_FORCE, "force", "TL_DRIVE_FORCE"},
    {TL_WORDS_STEPPER, TL_STEPPER_PENALTY, "penalty", "TL_STEPPER_PENALTY"},
    {TL_WORDS_PLANAR, TL_PLANAR_XZ, "xz", "TL_PLANAR_XZ"},
    {TL_WORDS_JOINTS, TL_JOINTS_ITERATE, "iterate", "TL_JOINTS_ITERATE"},
    {TL_WORDS_PLANES, TL_PLANES_NEAREST, "nearest", "TL_PLANES_NEAREST"},
    {TL_WORDS_PENALTY, TL_PENALTY_SCALED, "scaled", "TL_PENALTY_SCALED"},
    {TL_WORDS_INTEGRATOR, TL_INTEGRATOR_SEMI_IMPLICIT, "semi_implicit",
     "TL_INTEGRATOR_SEMI_IMPLICIT"},
    {TL_WORDS_FRICTION, TL_FRICTION_CAPPED, "capped", "TL_FRICTION_CAPPED"},
    {TL_WORDS_ROLLING, TL_ROLLING_ELASTIC_PLASTIC, "elastic_plastic", "TL_ROLLING_ELASTIC_PLASTIC"},
    {TL_WORDS_COHESION, TL_COHESION_DMT, "dmt", "TL_COHESION_DMT"},
};
enum { COUNT = sizeof vocabularies / sizeof *vocabularies };

static void words_lead_back(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT; v++) {
        const tl_vocabulary which = vocabularies[v].which;
        const char *const *words = tl_words(which);
        const uint32_t last = vocabularies[v].last;
        char constant[TL_CONSTANT_SIZE];
        context("vocabulary %zu", v);
        for (uint32_t i = 0; i <= last; i++) {
            assert_non_null(words[i]);
            assert_true(strlen(words[i]) > 0);
            assert_string_equal(tl_word(which, i), words[i]);
            assert_int_equal(tl_word_value(which, words[i]), i);
        }
        assert_null(words[last + 1]);
        assert_string_equal(words[last], vocabularies[v].word);
        tl_word_constant(which, last, constant);
        assert_string_equal(constant, vocabularies[v].constant);
    }
}

static void others_are_unknown(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT; v++) {
        const tl_vocabulary which = vocabularies[v].which;
        assert_string_equal(tl_word(which, vocabularies[v].last + 1), "unknown");
        assert_string_equal(tl_word(which, UINT32_MAX), "unknown");
        assert_int_equal(tl_word_value(which, "unknown"), -1);
        assert_int_equal(tl_word_value(which, ""), -1);
        assert_int_equal(tl_word_value(which, NULL), -1);
    }
    assert_null(tl_words((tl_vocabulary)COUNT)[0]);
    assert_null(tl_words((tl_vocabulary)-1)[0]);
    assert_string_equal(tl_word((tl_vocabulary)COUNT, 0), "unknown");
    assert_int_equal(tl_word_value((tl_vocabulary)COUNT, "psor"), -1);
    assert_string_equal(tl_word(TL_WORDS_SOLVER, TL_PSOR), "psor");
    assert_string_equal(tl_word(TL_WORDS_BODY, TL_DYNAMIC), "dynamic");
    assert_string_equal(tl_word(TL_WORDS_SIZE, TL_SIZE_EQUAL), "equal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lead_back),
        cmocka_unit_test(others_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
