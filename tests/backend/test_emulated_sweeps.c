/* The sweeps of the CUDA backend against the CPU's, without a GPU: its kernels run on the host,
 * warp beside warp (emulate.h), in a world of the CPU backend: one block, a grid whose threads meet
 * between colours, and rows that wait for each other. The state must be the same, bit for bit, as
 * that of worlds with one, two and four threads, for every kind of row. */
#include "support.h"

#include "world/world.h"

#define WORLDS 4
#define KINDS  17 /* of sweeps, backend/cuda/sweep.cuh */

int emulated_sweeps_mixed(const tl_launch *launches, size_t count, uint32_t repeats, int how);
int emulated_sweeps_double(const tl_launch *launches, size_t count, uint32_t repeats, int how);

static const tl_backend_ops *plain;
static int how;              /* block, grid, row by row */
static uint32_t seen[KINDS]; /* launches of each kind */
static uint32_t between;     /* sweeps that something follows */

static void run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    size_t sweeps = 0;
    while (sweeps < count &&
           (launches[sweeps].kernel == TLK_psor_start || launches[sweeps].kernel == TLK_psor_sweep))
        sweeps++;
    if (!sweeps) {
        plain->run(backend, launches, count, repeat);
        return;
    }
    /* as the backend does it: one by one where something is done between them */
    const uint32_t at_once = sweeps == count ? repeat : 1;
    for (uint32_t r = 0; r < repeat; r += at_once) {
        const int kind = (backend->precision == TL_DOUBLE
                              ? emulated_sweeps_double
                              : emulated_sweeps_mixed)(launches, sweeps, at_once, how);
        assert_true(kind >= 0 && kind < KINDS);
        seen[kind]++;
        between += sweeps < count;
        if (sweeps < count)
            plain->run(backend, launches + sweeps, count - sweeps, 1);
    }
}

static void emulate(tl_world *world)
{
    static tl_backend_ops ops;
    plain = plain ? plain : world->backend->ops;
    ops = *plain;
    ops.run = run;
    world->backend->ops = &ops;
    world->backend->flow = world->backend->precision == TL_MIXED;
}

/* Spheres over a floor; with a paddle that turns; with bodies of two spheres, which some of the
 * spheres and the paddle touch; with boxes; and all that with every law of materials. Grains on a
 * ball, and with other bodies on a tray that moves, which both are crowded; the latter with every
 * law, too. */
typedef enum content {
    SPHERES,
    PADDLE,
    CLUMPS,
    BOXES,
    LAWS,
    BALL,
    TRAY,
    TRAY_LAWS,
    CONTENTS
} content;

static const tl_material_def laws = {.friction = 0.4,
                                     .rolling_friction = 0.1,
                                     .spinning_friction = 0.05,
                                     .cohesion = 3,
                                     .compliance = 1e-6,
                                     .damping_time = 1e-3,
                                     .surface_velocity = {0.3, 0.2, 0.1}};

/* A body of one shape. */
static void add_one(tl_scene *scene, tl_shape_def shape, tl_material material, double x, double y,
                    double z)
{
    tl_body_def def = tl_body_default();
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    add_body(scene, &def);
}

/* Grains around the upper half of a ball, or 64 on a tray, every other one a box there. */
static tl_scene *crowd_of(const tl_settings *settings, content which)
{
    tl_scene *scene = scene_with(settings);
    tl_material material = add_material(scene, 0.4, 0.1);
    if (which == TRAY_LAWS)
        assert_ok(tl_scene_add_material(scene, &laws, &material));
    add_floor(scene, material);
    if (which == BALL)
        add_one(scene, tl_sphere_default(0.5), material, 0, 0, 0.5);
    else
        add_one(scene, tl_box_default(0.5, 0.5, 0.03), material, 0, 0, 0.03);
    for (int i = 0; i < 100 && which == BALL; i++) {
        const double z = 1 - (i + 0.5) / 80, angle = 2.399963 * i, across = sqrt(1 - z * z);
        add_sphere(
            scene, material, 0.04, 0,
            (double[3]){0.541 * across * cos(angle), 0.541 * across * sin(angle), 0.5 + 0.541 * z},
            (double[3]){-across * cos(angle), -across * sin(angle), -z});
    }
    for (int i = 0; i < 64 && which != BALL; i++) {
        const double x = 0.12 * (i % 8 - 3.5), y = 0.12 * (i / 8 - 3.5);
        if (i % 2)
            add_one(scene, tl_box_default(0.04, 0.04, 0.03), material, x, y, 0.091);
        else
            add_one(scene, tl_sphere_default(0.05), material, x, y, 0.111);
    }
    return scene;
}

static tl_scene *scene_of(const tl_settings *settings, content which)
{
    tl_scene *scene = scene_with(settings);
    tl_material material = add_material(scene, 0.4, 0.3);
    if (which == LAWS)
        assert_ok(tl_scene_add_material(scene, &laws, &material));
    const double upright[4] = {1, 0, 0, 0};
    tl_shape_def ends[2] = {tl_sphere_default(0.1), tl_sphere_default(0.07)};
    add_floor(scene, material);
    add_fixed(scene, tl_box_default(0.1, 2, 1), material, (double[3]){-0.45, 0, 0.5}, upright);
    add_fixed(scene, tl_box_default(0.1, 2, 1), material, (double[3]){0.45, 0, 0.5}, upright);
    for (int i = 0; i < 48; i++)
        add_sphere(scene, material, 0.08 + 0.01 * (i % 3), 0,
                   (double[3]){0.2 * (i % 4 - 1.5) + 0.01 * (i % 5), 0.19 * (i / 4 % 4 - 1.5),
                               0.1 + 0.19 * (i / 16)},
                   (double[3]){0, 0, -1});
    for (int i = 0; i < 2; i++) {
        ends[i].material = material;
        ends[i].position[i] = 0.08;
    }
    for (int i = 0; i < 6 && which >= BOXES; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def box = tl_box_default(0.08, 0.07, 0.06);
        box.material = material;
        def.shape_count = 1;
        def.shapes = &box;
        def.position[0] = 0.2 * (i % 3 - 1);
        def.position[1] = i < 3 ? -0.4 : 0.42;
        def.position[2] = 0.1 + 0.14 * (i % 3);
        add_body(scene, &def);
    }
    for (int i = 0; i < 8 && which >= CLUMPS; i++) {
        tl_body_def def = tl_body_default();
        def.shape_count = 2;
        def.shapes = ends;
        def.mass = 3;
        for (int k = 0; k < 3; k++)
            def.inertia[k] = 0.01 + 0.004 * k;
        def.position[0] = 0.2 * (i % 4 - 1.5);
        def.position[1] = i < 4 ? -0.12 : 0.15;
        def.position[2] = 0.72;
        def.velocity[2] = -2;
        add_body(scene, &def);
    }
    if (which != SPHERES) {
        tl_body_def def = tl_body_default();
        tl_shape_def blade = tl_box_default(0.7, 0.1, 0.1);
        blade.material = material;
        def.kind = TL_PRESCRIBED;
        def.shape_count = 1;
        def.shapes = &blade;
        def.position[2] = 0.69;
        def.motion.velocity[2] = -1.5;
        def.motion.angular_velocity[1] = 3;
        add_body(scene, &def);
    }
    return scene;
}

/* Steps side by side. */
static void same_steps(tl_settings *settings, content which, int steps)
{
    tl_world *world[WORLDS];
    uint32_t most = 0;
    for (int k = 0; k < WORLDS; k++) {
        settings->threads = (uint32_t[WORLDS]){1, 1, 2, 4}[k];
        world[k] = world_of((which < BALL ? scene_of : crowd_of)(settings, which));
    }
    emulate(world[1]);
    for (int i = 0; i < steps; i++) {
        tl_report report[WORLDS];
        for (int k = 0; k < WORLDS; k++)
            report[k] = step_report(world[k], 1);
        for (int k = 1; k < WORLDS; k++) {
            if (tl_world_hash(world[k]) != tl_world_hash(world[0]))
                fail_msg("%s: another hash in world %d after %d steps", test_context, k, i + 1);
            assert_memory_equal(&report[k].residual, &report[0].residual, sizeof(double));
        }
        most = report[0].active_contacts > most ? report[0].active_contacts : most;
    }
    assert_true(most > 40);
    for (int k = 0; k < WORLDS; k++)
        tl_world_destroy(world[k]);
}

static void for_each_way(tl_law law)
{
    static const char *const ways[] = {"one block", "a grid", "row by row"};
    static const char *const contents[] = {"spheres", "a paddle", "clumps", "boxes",
                                           "laws",    "a ball",   "a tray", "a tray with laws"};
    for (int i = 0; i < 3 * CONTENTS * 2; i++) {
        const bool mixed = i / (3 * CONTENTS);
        const content which = (content)(i / 3 % CONTENTS);
        tl_settings settings = tl_settings_default();
        how = i % 3;
        if (how == 2 && (!mixed || law != TL_LAW_COULOMB))
            continue;
        settings.precision = mixed ? TL_MIXED : TL_DOUBLE;
        settings.step = 1.0 / 200;
        settings.solver.law = law;
        settings.solver.iterations = 5;
        settings.solver.position_iterations = 3;
        context("%s, %s, %s", ways[how], contents[which], mixed ? "mixed" : "double");
        between = 0;
        same_steps(&settings, which, law == TL_LAW_COULOMB && which < BALL ? 25 : 10);
        /* copies of crowded bodies, and the momentum of the cone law in 64-bit */
        const bool momentum = law == TL_LAW_CONE && !mixed;
        assert_true(which < BALL && !momentum ? !between : between > 30);
    }
}

static void test_coulomb(void **state)
{
    (void)state;
    memset(seen, 0, sizeof seen);
    for_each_way(TL_LAW_COULOMB);
    /* every kind with friction, without, and at the start; nothing turns in the position problem,
     * and it has no materials */
    for (int k = 2; k < KINDS; k++)
        assert_true(k == 6 || k == 15 ? !seen[k] : seen[k] > 100);
}

static void test_cone(void **state)
{
    (void)state;
    memset(seen, 0, sizeof seen);
    for_each_way(TL_LAW_CONE);
    assert_true(seen[0] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coulomb), cmocka_unit_test(test_cone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
