/* Substeps of penalty contact in one pass over bodies against those pair by pair, in worlds of the
 * CPU backend: by the plain kernel, and as warps of the CUDA backend, run on the host (emulate.h).
 * State and contacts must be the same, bit for bit. */
#include "falls.h"
#include "../physics/penalty.h"

#include "world/world.h"

void emulated_whole_mixed(bool choose, const void *args, uint32_t count);
void emulated_whole_double(bool choose, const void *args, uint32_t count);

static const tl_backend_ops *plain;
static uint32_t passes, emulated; /* over bodies; of these as warps */
static bool warps;

static void run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    for (uint32_t r = 0; r < repeat; r++)
        for (size_t i = 0; i < count; i++) {
            const tl_launch *l = &launches[i];
            const bool choose = l->kernel == TLK_penalty_choose;
            passes += l->kernel == TLK_penalty_whole;
            if (!warps || !(choose || l->kernel == TLK_penalty_whole)) {
                plain->run(backend, l, 1, 1);
                continue;
            }
            (backend->precision == TL_DOUBLE ? emulated_whole_double
                                             : emulated_whole_mixed)(choose, l->args, l->end);
            emulated += !choose;
        }
}

/* Lets a world take substeps as on a GPU. */
static void emulate(tl_world *world)
{
    static tl_backend_ops ops;
    plain = plain ? plain : world->backend->ops;
    ops = *plain;
    ops.run = run;
    world->backend->ops = &ops;
    world->backend->whole = true;
}

static void same_contacts(const tl_world *a, const tl_world *b, int when)
{
    size_t count[2];
    tl_contact *contacts[2] = {contacts_of(a, &count[0]), contacts_of(b, &count[1])};
    if (count[0] != count[1] || memcmp(contacts[0], contacts[1], count[0] * sizeof **contacts) != 0)
        fail_msg("at %d: %zu contacts pair by pair, %zu others body by body", when, count[0],
                 count[1]);
    free(contacts[0]);
    free(contacts[1]);
}

static void same_falls(int kind, tl_precision precision, int steps)
{
    tl_world *world[2] = {fall_world(precision, TL_BACKEND_CPU, kind),
                          fall_world(precision, TL_BACKEND_CPU, kind)};
    tl_report report[2];
    context("kind %d, %s", kind, precision == TL_DOUBLE ? "double" : "mixed");
    emulate(world[1]);
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < 2; k++)
            report[k] = step_report(world[k], 1);
        same_contacts(world[0], world[1], i);
        assert_true(tl_world_hash(world[0]) == tl_world_hash(world[1]));
        assert_true(report[0].dissipated_energy == report[1].dissipated_energy);
        assert_true(report[0].energy_error == report[1].energy_error);
        assert_true(report[0].elastic_energy == report[1].elastic_energy);
        assert_true(report[0].substep_ratio == report[1].substep_ratio);
        assert_int_equal(report[0].active_contacts, report[1].active_contacts);
    }
    assert_true(report[0].active_contacts > 100);
    for (int k = 0; k < 2; k++)
        tl_world_destroy(world[k]);
}

/* All kinds; rolling friction and the law linear have no such pass. */
static void test_plain(void **state)
{
    (void)state;
    warps = false;
    for (int kind = 0; kind < FALLS; kind++) {
        const bool none = kind == 2 || kind == 3;
        passes = 0;
        same_falls(kind, kind % 2 ? TL_DOUBLE : TL_MIXED, 70);
        assert_true(none ? !passes : passes > 1400);
    }
}

static void test_warps(void **state)
{
    static const int kinds[] = {0, 1, 4, 5, 6, 7};
    (void)state;
    warps = true;
    for (int i = 0; i < 6; i++)
        same_falls(kinds[i], i % 2 ? TL_DOUBLE : TL_MIXED, 45);
    assert_true(emulated > 2000);
}

/* A step of a world pair by pair and of one in passes over bodies; how often the latter searched.
 */
static uint32_t same_step(tl_world *pairs, tl_world *bodies)
{
    tl_report report;
    assert_ok(tl_world_step(pairs, 1, NULL));
    assert_ok(tl_world_step(bodies, 1, &report));
    same_contacts(pairs, bodies, (int)report.steps);
    assert_true(tl_world_hash(pairs) == tl_world_hash(bodies));
    return report.searches;
}

/* Balls that become faster than lists of near pairs allow: the step begins again. */
static void test_burst(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tl_body balls[4];
        tl_world *world[2];
        for (int i = 0; i < 2; i++)
            world[i] = soft_burst(k % 2 ? TL_DOUBLE : TL_MIXED, balls);
        warps = k > 1;
        emulate(world[1]);
        assert_int_equal(same_step(world[0], world[1]), 2);
        for (int step = 1; step < 4; step++)
            same_step(world[0], world[1]);
        assert_true(soft_velocity(world[1], balls[2], 0) > 0.005); /* it was hit */
        tl_world_destroy(world[0]);
        tl_world_destroy(world[1]);
    }
}

/* Two balls on one body, which turns so fast that its balls go further than its centre, one of them
 * against a third ball. */
static tl_world *mill(tl_precision precision, tl_body *hit)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 2.5e-4, 100);
    tl_body_def def = tl_body_default();
    tl_shape_def balls[2] = {tl_sphere_default(0.02), tl_sphere_default(0.02)};
    s.settings.precision = precision;
    s.settings.gravity[2] = 0;
    s.material.restitution = 0.2;
    soft_begin(&s);
    for (int k = 0; k < 2; k++) {
        balls[k].material = s.of;
        balls[k].position[0] = k ? 0.1 : -0.1;
    }
    def.shape_count = 2;
    def.shapes = balls;
    def.density = 2000;
    def.velocity[1] = 1;
    def.angular_velocity[2] = 20;
    assert_ok(tl_scene_add_bodies(s.scene, 1, &def, NULL));
    *hit = soft_ball(&s, 0.01, (double[3]){0.1, 0.0302, 0}, (double[3]){0, 1, 0}, 0.01);
    return soft_world(&s);
}

static void test_mill(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tl_world *world[2];
        tl_body hit;
        for (int i = 0; i < 2; i++)
            world[i] = mill(k % 2 ? TL_DOUBLE : TL_MIXED, &hit);
        warps = k > 1;
        emulate(world[1]);
        assert_int_equal(same_step(world[0], world[1]), 1);
        assert_true(soft_velocity(world[1], hit, 1) > 1.01);
        tl_world_destroy(world[0]);
        tl_world_destroy(world[1]);
    }
}

/* Two balls that were found to be no pair and that forces drive into each other, not so fast that
 * lists of near pairs would not last: the step begins again, as they leave the margin. */
static tl_world *ram(tl_precision precision, tl_body *balls)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 100);
    s.settings.precision = precision;
    s.settings.gravity[2] = 0;
    soft_begin(&s);
    for (int k = 0; k < 2; k++) {
        const double way = k ? -1 : 1;
        tl_force_def force = tl_force_default();
        balls[k] = soft_ball(&s, 0.01, (double[3]){-0.01155 * way, 0, 0},
                             (double[3]){1.35 * way, 0, 0}, 0.01);
        force.body = balls[k];
        force.force[0] = 7.3 * way;
        assert_ok(tl_scene_add_force(s.scene, &force));
    }
    return soft_world(&s);
}

static void test_ram(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tl_world *world[2];
        tl_body balls[2];
        for (int i = 0; i < 2; i++)
            world[i] = ram(k % 2 ? TL_DOUBLE : TL_MIXED, balls);
        warps = k > 1;
        emulate(world[1]);
        assert_true(same_step(world[0], world[1]) > 1);
        assert_true(soft_velocity(world[1], balls[0], 0) < 1.9); /* not 2.08: they met */
        tl_world_destroy(world[0]);
        tl_world_destroy(world[1]);
    }
}

/* What a ball of a packed pile takes that begins to fall: 1,375 bytes with 5.8 pairs found and 2.2
 * contacts each, where there are many. */
static void test_memory(void **state)
{
    (void)state;
    pile_options options = pile_default();
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    options.bodies = 4000;
    options.packed = true;
    options.restitution = 0.5;
    options.settings.precision = TL_MIXED;
    options.settings.stepper = TL_STEPPER_PENALTY;
    options.settings.penalty.substeps = 20;
    assert_ok(pile_scene(&options, &scene));
    assert_true(tl_world_create(scene, &world) >= 0);
    tl_scene_destroy(scene);
    warps = false;
    emulate(world);
    const tl_report report = step_report(world, 45);
    print_message("%.0f bytes per ball, %u contacts\n", (double)report.bytes / 4000,
                  report.contacts);
    assert_true(report.contacts > 8000);
    assert_below((double)report.bytes / 4000, 1400);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_warps),
                                       cmocka_unit_test(test_burst), cmocka_unit_test(test_mill),
                                       cmocka_unit_test(test_ram),   cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
