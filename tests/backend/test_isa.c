/* labels: slow */
/* The same bits with every instruction set: the mixer and heaps of solids stepped, and asked
 * questions, with the plain kernels and with each of those this machine can run. Reaches past the
 * public interface for the one switch that chooses.
 */
#include "falls.h"
#include "scenes.h"
#include "solids.h"

#include "backend/backend.h"

/* With laws of materials beyond friction and restitution where `laws` is set. */
static uint64_t run(const variant *v, bool laws, answers *told)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 6;
    settings.solver.position_iterations = 3;
    tl_scene *scene = mixer_scene(&settings, 150, 4);
    add_solids(scene, 4);
    tl_world *world = world_of(scene);
    if (laws)
        give_laws(world, v->kind == TL_PSOR);
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
    static answers plain[2], wide;
    assert_true(tl_backend_cpu_isa("base"));
    const uint64_t expected[2] = {run(v, false, &plain[0]), run(v, true, &plain[1])};
    assert_true(expected[0] != expected[1]);
    for (int i = 0; i < 4; i++) {
        if (!tl_backend_cpu_isa(sets[i / 2]))
            continue;
        if (run(v, i % 2, &wide) != expected[i % 2])
            fail_msg("%s: %s gives other bits than the plain kernels%s", v->name, sets[i / 2],
                     i % 2 ? ", with laws" : "");
        assert_memory_equal(&plain[i % 2], &wide, sizeof wide);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

static void test_same_bits(void **state)
{
    (void)state;
    for_each_variant(same_bits);
}

/* Cubes or hulls fall into a box and come to rest, so that nearly all pairs keep their manifolds.
 */
static uint64_t settle(tl_precision precision, pile_kind kind)
{
    pile_options options = pile_of(kind);
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    options.bodies = 45;
    options.layers = 3;
    options.settings.precision = precision;
    assert_ok(pile_scene(&options, &scene));
    assert_true(tl_world_create(scene, &world) >= 0);
    tl_scene_destroy(scene);
    const tl_report report = step_report(world, 600);
    assert_true(report.contacts > 200);
    assert_below(report.kinetic_energy, 0.1);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void test_heaps(void **state)
{
    (void)state;
    const char *sets[] = {"avx2", "avx512"};
    for (int i = 0; i < 4; i++) {
        const tl_precision precision = i % 2 ? TL_DOUBLE : TL_MIXED;
        const pile_kind kind = i / 2 ? PILE_HULLS : PILE_CUBES;
        assert_true(tl_backend_cpu_isa("base"));
        const uint64_t plain = settle(precision, kind);
        for (int k = 0; k < 2; k++)
            if (tl_backend_cpu_isa(sets[k]) && settle(precision, kind) != plain)
                fail_msg("%s: %s gives other bits than the plain kernels",
                         i / 2 ? "hulls" : "cubes", sets[k]);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

/* The hash of such a fall. */
static uint64_t fall(tl_precision precision, int kind)
{
    tl_world *world = fall_world(precision, TL_BACKEND_CPU, kind);
    const tl_report report = step_report(world, 120);
    assert_true(report.active_contacts > 400);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void test_penalty(void **state)
{
    (void)state;
    const char *sets[] = {"avx2", "avx512"};
    for (int i = 0; i < 2 * FALLS; i++) {
        const tl_precision precision = i % 2 ? TL_DOUBLE : TL_MIXED;
        assert_true(tl_backend_cpu_isa("base"));
        const uint64_t plain = fall(precision, i / 2);
        for (int k = 0; k < 2; k++)
            if (tl_backend_cpu_isa(sets[k]) && fall(precision, i / 2) != plain)
                fail_msg("penalty contact, kind %d: %s gives other bits than the plain kernels",
                         i / 2, sets[k]);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_heaps),
                                       cmocka_unit_test(test_penalty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
