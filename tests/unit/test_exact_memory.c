/* Failing allocations in exact steps: the n-th one fails, for every n that some steps of a heap
 * need, small islands by Lemke's method and a large one along its path. The failed step says so and
 * changes nothing: done again it succeeds, and the run ends in the state of one in which nothing
 * failed. Nothing leaks. */
#include "support.h"

static struct {
    size_t calls, fail_at, blocks;
    bool failed;
} memory;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    if (++memory.calls == memory.fail_at) {
        memory.failed = true;
        return NULL;
    }
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(block);
    memset(block, 0xa5, bytes); /* nobody may count on zeros */
    memory.blocks++;
    return block;
}

static void release(void *block, size_t bytes, void *user)
{
    (void)user;
    memset(block, 0x5a, bytes);
    memory.blocks--;
    free(block);
}

/* Six boxes in two layers, and one apart. */
static tl_scene *heap(tl_stepper stepper)
{
    tl_settings s = tl_settings_default();
    s.stepper = stepper;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    for (int i = 0; i < 7; i++) {
        tl_shape_def box = tl_box_default(0.1, 0.1, 0.1);
        tl_body_def def = tl_body_default();
        box.material = material;
        def.shape_count = 1;
        def.shapes = &box;
        def.position[0] = i == 6 ? 3 : 0.205 * (i % 3) + 0.1 * (i / 3);
        def.position[2] = i == 6 ? 0.1 : 0.1 + 0.2 * (i / 3);
        add_body(scene, &def);
    }
    return scene;
}

/* The hash needs memory too, which is neither counted nor fails. */
static uint64_t hash_of(const tl_world *world)
{
    const size_t calls = memory.calls, fail_at = memory.fail_at;
    memory.fail_at = 0;
    const uint64_t hash = tl_world_hash(world);
    memory.calls = calls;
    memory.fail_at = fail_at;
    return hash;
}

static uint64_t run(tl_stepper stepper, size_t fail_at)
{
    const tl_allocator counting = {allocate, release, NULL};
    memset(&memory, 0, sizeof memory);
    tl_set_allocator(&counting);
    tl_scene *scene = heap(stepper);
    tl_world *world;
    assert_ok(tl_world_create(scene, &world));
    tl_scene_destroy(scene);
    memory.calls = 0;
    memory.fail_at = fail_at;
    for (int i = 0; i < 2; i++) {
        const uint64_t before = hash_of(world);
        const tl_status status = tl_world_step(world, 1, NULL);
        if (status >= 0)
            continue;
        assert_int_equal(status, TL_NO_MEMORY);
        assert_true(memory.failed);
        assert_int_equal(hash_of(world), before);
        assert_ok(tl_world_step(world, 1, NULL));
    }
    const uint64_t hash = hash_of(world);
    tl_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
    tl_set_allocator(NULL);
    return hash;
}

static void every_allocation(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tl_stepper stepper = i ? TL_STEPPER_PEG : TL_STEPPER_STEWART_TRINKLE;
        const uint64_t hash = run(stepper, 0);
        size_t n = 1;
        for (memory.failed = true; memory.failed; n++)
            assert_int_equal(run(stepper, n), hash);
        print_message("%s: %zu allocations\n", tl_words(TL_WORDS_STEPPER)[stepper], n - 2);
        assert_true(n > 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
