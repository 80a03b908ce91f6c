/* Failing allocations while a scene is read: whichever fails, the call says so, makes no document
 * and leaks nothing. */
#include "io/scene_text.h"

#include "failing.h"
#include "io/scene_good.h"

static struct {
    const char *text;
    size_t set_count;
    const char *const *sets;
} asked;

static tl_status parse_asked(void)
{
    tl_document *document = NULL;
    const tl_status status = parse_sets(asked.text, asked.set_count, asked.sets, &document);
    if (status == TL_NO_MEMORY) {
        assert_null(document);
        assert_non_null(strstr(tl_last_message(), "bytes"));
    }
    tl_document_destroy(document);
    return status;
}

static void parse_may_fail(const char *text, size_t set_count, const char *const *sets)
{
    asked.text = text;
    asked.set_count = set_count;
    asked.sets = sets;
    each_allocation_may_fail(parse_asked);
}

static void bodies(void **state)
{
    (void)state;
    parse_may_fail(scene_bodies, 0, NULL);
}

static void fills(void **state)
{
    (void)state;
    parse_may_fail(scene_fills, 0, NULL);
    parse_may_fail(scene_monitors, 0, NULL);
    parse_may_fail(scene_joints, 0, NULL);
}

static void motions(void **state)
{
    (void)state;
    parse_may_fail(scene_motions, 0, NULL);
}

static void sets(void **state)
{
    (void)state;
    static const char *const texts[] = {"title=not JSON", "solver.iterations=30", "r==0.05*2",
                                        "record={\"rate\": 3}"};
    parse_may_fail(scene_bodies, 4, texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),
        cmocka_unit_test(fills),
        cmocka_unit_test(motions),
        cmocka_unit_test(sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
