/* Joints and articulations as the CUDA backend's warps, blocks and grids have them, run on the host
 * (emulate.h), and by threads of the CPU. The state and the reactions must be those of one thread,
 * bit for bit: of a machine with limits, motors and friction among balls, of a chain, of a net,
 * which has loops, of a door on two hinges, which has redundant rows, of a rope that snaps taut,
 * of pendulums, which share a warp, of a net whose straight edge is held at both ends, of slides
 * between bumpers and limits that throw back, in smooth steps, and of trains on a floor, whose
 * hinges follow from each other, with and without rows that change their states. */
#include "../physics/joints.h"

#include "world/world.h"

void emulated_teams_mixed(const void *args, uint32_t count, uint32_t lanes, bool assembly);
void emulated_teams_double(const void *args, uint32_t count, uint32_t lanes, bool assembly);
void emulated_joints_mixed(uint32_t which, const void *args, uint32_t count);
void emulated_joints_double(uint32_t which, const void *args, uint32_t count);
void emulated_momentum_mixed(const tl_launch *launches);
void emulated_momentum_double(const tl_launch *launches);

/* Threads of an articulation, and who they are; 0: all of a grid. */
static const struct way {
    uint32_t lanes;
    const char *name;
} ways[] = {
    {32, "a warp"}, {96, "three warps"}, {16, "half a warp"}, {8, "a quarter"}, {0, "a grid"}};
enum { WAYS = sizeof ways / sizeof *ways };

static const tl_backend_ops *plain;
static uint32_t lanes;     /* of an articulation */
static uint32_t solved[2]; /* projections, assemblies */
static uint32_t went_on;   /* sweeps, in the direction of the last ones */

static void run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    for (uint32_t r = 0; r < repeat; r++)
        for (size_t i = 0; i < count; i++) {
            const tl_launch *l = &launches[i];
            const bool assembly = l->kernel == TLK_joint_assemble;
            const int which = l->kernel == TLK_joint_rows    ? 0
                              : l->kernel == TLK_joint_bend  ? 1
                              : l->kernel == TLK_joint_store ? 2
                                                             : -1;
            if (l->kernel == TLK_FOLD && count - i > 2 &&
                launches[i + 1].kernel == TLK_momentum_decide) {
                (backend->precision == TL_DOUBLE ? emulated_momentum_double
                                                 : emulated_momentum_mixed)(l);
                i += 2; /* a fold, a decision, numbers */
                went_on++;
                continue;
            }
            if (which >= 0) {
                (backend->precision == TL_DOUBLE ? emulated_joints_double : emulated_joints_mixed)(
                    (uint32_t)which, l->args, l->end);
                continue;
            }
            if (!assembly && l->kernel != TLK_joint_project) {
                plain->run(backend, l, 1, 1);
                continue;
            }
            (backend->precision == TL_DOUBLE ? emulated_teams_double : emulated_teams_mixed)(
                l->args, l->end, lanes, assembly);
            solved[assembly]++;
        }
}

static void emulate(tl_world *world)
{
    static tl_backend_ops ops;
    plain = plain ? plain : world->backend->ops;
    ops = *plain;
    ops.run = run;
    world->backend->ops = &ops;
}

static tl_scene *net_scene(const tl_settings *settings)
{
    enum { EDGE = 5 };
    tl_scene *scene = scene_with(settings);
    put knots[EDGE * EDGE];
    for (int i = 0; i < EDGE * EDGE; i++) {
        const int x = i % EDGE, y = i / EDGE;
        knots[i] = put_link(scene, 0.1, 0.08, 0.06, 1, x, y, 0);
        if (x)
            join(scene, TL_JOINT_SPHERICAL, knots[i - 1], knots[i], x - 0.5, y, 0, joint_z);
        if (y)
            join(scene, TL_JOINT_UNIVERSAL, knots[i - EDGE], knots[i], x, y - 0.5, 0, joint_z);
    }
    join(scene, TL_JOINT_SPHERICAL, ground, knots[0], 0, 0, 0, joint_z);
    return scene;
}

static tl_scene *door_scene(const tl_settings *settings)
{
    tl_scene *scene = scene_with(settings);
    const put door = put_link(scene, 0.5, 0.05, 1, 10, 0.5, 0, 0);
    join(scene, TL_JOINT_REVOLUTE, ground, door, 0, 0, -0.7, joint_y);
    join(scene, TL_JOINT_REVOLUTE, ground, door, 0, 0, -0.7, joint_y);
    return scene;
}

/* Each slides on the one before, between tabulated springs; every other one meets limits first. */
static tl_scene *bumpers_scene(const tl_settings *settings)
{
    static const double values[4] = {-0.1, -0.02, 0.02, 0.1}, forces[4] = {1e4, 0, 0, -2e4};
    tl_scene *scene = scene_with(settings);
    put before = ground;
    for (int i = 0; i < 6; i++) {
        const put block = put_link(scene, 0.1, 0.1, 0.1, 1 + i, 0, 0, 0);
        tl_joint_def slide =
            joint_at(TL_JOINT_PRISMATIC, before, block, (double[3]){0, 0, 0}, joint_z);
        slide.axes[2].spring_length = 4;
        slide.axes[2].spring_values = values;
        slide.axes[2].spring_forces = forces;
        slide.axes[2].lower = i % 2 ? -0.01 : -INFINITY;
        slide.axes[2].restitution = i % 2 ? 0.8 : 0;
        add_joint(scene, &slide);
        before = block;
    }
    return scene;
}

/* Boxes that fall on a floor, joined by balls and by hinges, two of them on one line, so that rows
 * are redundant; `rubs`: one has friction, so that its rows have more than one state. */
static tl_scene *train_scene(const tl_settings *settings, bool rubs)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0);
    add_floor(scene, material);
    put before = ground;
    for (int i = 0; i < 7; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_box_default(0.2, 0.1, 0.05);
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        def.mass = 1 + i % 3;
        def.position[0] = 0.5 * i;
        def.position[2] = 0.06;
        put box = {.x = {def.position[0], 0, 0.06}, .q = {1, 0, 0, 0}};
        box.body = add_body(scene, &def);
        for (int k = 0; k < (i == 3 ? 2 : 1) && i; k++) {
            tl_joint_def joint =
                joint_at(i % 2 ? TL_JOINT_REVOLUTE : TL_JOINT_SPHERICAL, before, box,
                         (double[3]){0.5 * i - 0.25, k ? 0.2 : 0, 0.06}, joint_y);
            joint.axes[5].friction = rubs && i == 5 ? 0.2 : 0;
            add_joint(scene, &joint);
        }
        before = box;
    }
    return scene;
}

static tl_scene *make(const tl_settings *settings, int which)
{
    return which == 0   ? machine_scene(settings)
           : which == 1 ? chain_scene(settings, 40)
           : which == 2 ? net_scene(settings)
           : which == 3 ? door_scene(settings)
           : which == 4 ? rope_scene(settings, 6)
           : which == 5 ? pendulums_scene(settings, 7, 8)
           : which == 7 ? bumpers_scene(settings)
           : which == 8 ? train_scene(settings, false)
           : which == 9 ? train_scene(settings, true)
                        : taut_net_scene(settings, 5);
}

/* Two worlds step side by side. */
static void same_steps(tl_world *one, tl_world *two, int steps)
{
    for (int i = 0; i < steps; i++) {
        const tl_report a = step_report(one, 1), b = step_report(two, 1);
        if (tl_world_hash(one) != tl_world_hash(two))
            fail_msg("%s: another hash after %d steps", test_context, i + 1);
        assert_memory_equal(&a.joint_error, &b.joint_error, sizeof(double));
        assert_memory_equal(&a.joint_residual, &b.joint_residual, sizeof(double));
        assert_int_equal(a.redundant_rows, b.redundant_rows);
    }
    tl_world_destroy(one);
    tl_world_destroy(two);
}

static void test_blocks_and_grids(void **state)
{
    static const char *const scenes[] = {"machine", "chain",          "net",      "door",
                                         "rope",    "pendulums",      "taut net", "bumpers",
                                         "train",   "train that rubs"};
    enum { SCENES = 10 };
    (void)state;
    for (int i = 0; i < WAYS * SCENES * 2; i++) {
        const int scene = i / WAYS % SCENES, mixed = i / (WAYS * SCENES);
        const uint32_t width = ways[i % WAYS].lanes;
        if (width && width < 32 && (scene == 1 || scene == 2 || scene == 4 || scene == 6))
            continue; /* so few are for small machines */
        tl_settings settings = tl_settings_default();
        settings.precision = mixed ? TL_MIXED : TL_DOUBLE;
        settings.step = 1.0 / 200;
        settings.threads = 1;
        settings.solver.iterations = 8;
        settings.stepper = scene == 7 ? TL_STEPPER_SMOOTH : TL_STEPPER_DVI;
        lanes = width;
        solved[0] = solved[1] = went_on = 0;
        context("%s by %s, %s", scenes[scene], ways[i % WAYS].name, mixed ? "mixed" : "double");
        tl_world *one = world_of(make(&settings, scene));
        tl_world *two = world_of(make(&settings, scene));
        /* until it lies on the floor, or is nearly taut */
        const uint32_t before = scene == 0 ? 70 : scene == 4 ? 44 : scene >= 8 ? 10 : 0;
        if (before) {
            step(one, before);
            step(two, before);
        }
        emulate(two);
        const uint32_t steps = scene == 6   ? 4 /* the taut net has many stages */
                               : scene == 7 ? 40
                                            : 12;
        same_steps(one, two, (int)steps);
        assert_true(solved[0] >= steps && solved[1] >= steps);
        /* the machine and the trains have contacts */
        assert_true((scene != 0 && scene < 8) || went_on > 0);
    }
}

/* A chain, and a net, that threads share. */
static void test_threads(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= 5; threads++) {
        tl_settings settings = tl_settings_default();
        settings.precision = TL_DOUBLE;
        settings.step = 1.0 / 200;
        settings.threads = 1;
        context("%u threads", threads);
        tl_world *one = world_of(chain_scene(&settings, 2100));
        settings.threads = threads;
        same_steps(one, world_of(chain_scene(&settings, 2100)), 6);
    }
    for (uint32_t threads = 2; threads <= 3; threads++) {
        tl_settings settings = tl_settings_default();
        settings.precision = TL_DOUBLE;
        settings.step = 1.0 / 200;
        settings.threads = 1;
        context("a net, %u threads", threads);
        tl_world *one = world_of(taut_net_scene(&settings, 38));
        settings.threads = threads;
        same_steps(one, world_of(taut_net_scene(&settings, 38)), 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_and_grids),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
