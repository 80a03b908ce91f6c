/* Failing allocations while a scene is read: whichever fails, the call says so, makes no document
 * and leaks nothing. */
#include "io/scene_text.h"

#include "io/scene_good.h"

static struct {
    size_t calls, fail_at, blocks;
} memory;

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    if (++memory.calls == memory.fail_at)
        return NULL;
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(block);
    memset(block, 0xa5, bytes);
    memory.blocks++;
    return block;
}

static void counting_release(void *block, size_t bytes, void *user)
{
    (void)user;
    memset(block, 0x5a, bytes);
    memory.blocks--;
    free(block);
}

static void each_allocation_may_fail(const char *text, size_t set_count, const char *const *sets)
{
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_status status = TL_NO_MEMORY;
    size_t fail_at;
    for (fail_at = 1; status == TL_NO_MEMORY; fail_at++) {
        tl_document *document = NULL;
        memory.calls = 0;
        memory.fail_at = fail_at;
        tl_set_allocator(&allocator);
        status = parse_sets(text, set_count, sets, &document);
        context("allocation %zu", fail_at);
        if (status == TL_NO_MEMORY) {
            assert_null(document);
            assert_non_null(strstr(tl_last_message(), "bytes"));
        } else {
            assert_status(status, TL_OK);
            assert_true(memory.calls < fail_at);
        }
        tl_document_destroy(document);
        assert_int_equal(memory.blocks, 0);
        tl_set_allocator(NULL);
    }
    assert_true(fail_at > 10);
}

static void bodies(void **state)
{
    (void)state;
    each_allocation_may_fail(scene_bodies, 0, NULL);
}

static void fills(void **state)
{
    (void)state;
    each_allocation_may_fail(scene_fills, 0, NULL);
    each_allocation_may_fail(scene_monitors, 0, NULL);
    each_allocation_may_fail(scene_joints, 0, NULL);
}

static void motions(void **state)
{
    (void)state;
    each_allocation_may_fail(scene_motions, 0, NULL);
}

static void sets(void **state)
{
    (void)state;
    static const char *const texts[] = {"title=not JSON", "solver.iterations=30", "r==0.05*2",
                                        "record={\"rate\": 3}"};
    each_allocation_may_fail(scene_bodies, 4, texts);
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
