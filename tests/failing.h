/* An allocator that fails once, and calls that must bear it: whichever allocation fails, the call
 * says so and leaves nothing behind. */
#ifndef TALUS_TESTS_FAILING_H
#define TALUS_TESTS_FAILING_H

#include "support.h"

/* What the allocator counts: calls, and blocks that were not given back. */
static struct {
    size_t calls, fail_at, blocks;
} memory;

__attribute__((unused)) static void *failing_allocate(size_t bytes, void *user)
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

__attribute__((unused)) static void counting_release(void *block, size_t bytes, void *user)
{
    (void)user;
    memset(block, 0x5a, bytes);
    memory.blocks--;
    free(block);
}

/* Calls `act` with each allocation failing in turn, until none does: TL_NO_MEMORY and nothing left
 * behind. */
__attribute__((unused)) static void each_allocation_may_fail(tl_status (*act)(void))
{
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_status status = TL_NO_MEMORY;
    size_t fail_at;
    for (fail_at = 1; status == TL_NO_MEMORY; fail_at++) {
        memory.calls = 0;
        memory.fail_at = fail_at;
        tl_set_allocator(&allocator);
        status = act();
        context("allocation %zu", fail_at);
        if (status != TL_NO_MEMORY) {
            assert_status(status, TL_OK);
            assert_true(memory.calls < fail_at);
        }
        assert_int_equal(memory.blocks, 0);
        tl_set_allocator(NULL);
    }
    assert_true(fail_at > 4);
}

#endif
