/* The same bits with every instruction set: the mixer and heaps of solids stepped, and asked
 * questions, with the plain kernels and with each of those this machine can run. Reaches past the
 * public interface for the one switch that chooses.
 */
#include "solids.h"

#include "backend/backend.h"

static uint64_t run(const variant *v, answers *told)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 6;
    settings.solver.position_iterations = 3;
    tl_scene *scene = mixer_scene(&settings, 150, 4);
    add_solids(scene, 4);
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 80);
    const uint64_t hash = tl_world_hash(world);
    assert_true(report.active_contacts > 20);
    ask_world(world, 4, told);
    tl_world_destroy(world);
    return hash;
}

static void same_bits(const variant *v)
{
    const char *sets[] = {"avx2", "avx512"};
    static answers plain, wide;
    assert_true(tl_backend_cpu_isa("base"));
    const uint64_t expected = run(v, &plain);
    for (int i = 0; i < 2; i++) {
        if (!tl_backend_cpu_isa(sets[i]))
            continue;
        if (run(v, &wide) != expected)
            fail_msg("%s: %s gives other bits than the plain kernels", v->name, sets[i]);
        assert_memory_equal(&plain, &wide, sizeof plain);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

static void test_same_bits(void **state)
{
    (void)state;
    for_each_variant(same_bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
