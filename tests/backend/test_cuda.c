/* The CUDA backend against the CPU: the same bits, in every variant. Skipped, with the reason,
 * where there is no GPU. */
#include "../physics/joints.h"
#include "falls.h"
#include "scenes.h"
#include "solids.h"

#include "crowds.h"
#include "world/world.h"

static bool there;

static tl_settings settings_on(const variant *v, tl_backend_kind backend)
{
    tl_settings s = settings_for(v, 1.0 / 200);
    s.backend = backend;
    s.solver.iterations = 6;
    s.solver.position_iterations = 3;
    return s;
}

static void need_gpu(void)
{
    if (!there)
        skip();
}

/* State, contacts and report after some steps with walls, a rotating paddle and spheres of two
 * sizes; with every law of materials; and that with solids over a mesh and a height field. Impacts
 * as they are by default, or all at once. */
static void same_steps_with(const variant *v, bool laws, bool solids, tl_impacts impacts)
{
    uint64_t hash[2];
    tl_report report[2];
    size_t contacts[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        s.impacts = impacts;
        tl_scene *scene = mixer_scene(&s, 400, 7);
        if (solids)
            add_solids(scene, 4);
        tl_world *world = world_of(scene);
        if (laws)
            give_laws(world, v->kind == TL_PSOR);
        report[gpu] = step_report(world, 120);
        hash[gpu] = tl_world_hash(world);
        contacts[gpu] = tl_world_contact_count(world);
        tl_world_destroy(world);
    }
    assert_true(report[0].active_contacts > 50);
    assert_int_equal(contacts[0], contacts[1]);
    assert_true(report[0].residual == report[1].residual);
    assert_true(report[0].kinetic_energy == report[1].kinetic_energy);
    assert_true(report[0].dissipated_energy == report[1].dissipated_energy);
    assert_true(report[0].max_penetration == report[1].max_penetration);
    if (hash[0] != hash[1])
        fail_msg("%s%s%s: the GPU gives other bits than the CPU", v->name, laws ? ", laws" : "",
                 solids ? ", solids" : "");
}

static void same_steps(const variant *v)
{
    same_steps_with(v, false, false, TL_IMPACTS_PROPAGATING);
    same_steps_with(v, true, false, TL_IMPACTS_PROPAGATING);
    same_steps_with(v, true, true, TL_IMPACTS_PROPAGATING);
    same_steps_with(v, false, true, TL_IMPACTS_SIMULTANEOUS);
}

/* Planes by motion: balls, boxes and hulls slide over tiles and meshes, and past each other. */
static uint64_t slide(const variant *v, tl_backend_kind backend, tl_planes planes)
{
    tl_settings s = settings_on(v, backend);
    s.planes = planes;
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.1, 0);
    tl_geometry g[3];
    add_geometries(scene, g);
    for (int i = 0; i < 48; i++)
        add_fixed(scene, tl_box_default(0.25, 0.5, 0.25), material,
                  (double[3]){0.5 * (i % 12), 1.0 * (i / 12), -0.25}, (double[4]){1, 0, 0, 0});
    for (int i = 0; i < 120; i++) {
        tl_shape_def shape = i % 3 == 0   ? tl_sphere_default(0.05)
                             : i % 3 == 1 ? tl_box_default(0.05, 0.04, 0.05)
                                          : tl_hull_default(g[0]);
        tl_body_def def = tl_body_default();
        shape.material = material;
        def.position[0] = 0.3 * (i % 12);
        def.position[1] = 0.35 * (i / 12);
        def.position[2] = i % 3 == 2 ? 0.4 : 0.06;
        def.velocity[0] = 1 + 0.05 * i;
        def.velocity[1] = 0.3 * (i % 5 - 2);
        def.shape_count = 1;
        def.shapes = &shape;
        add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    step(world, 100);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void same_planes(const variant *v)
{
    const uint64_t cpu = slide(v, TL_BACKEND_CPU, TL_PLANES_BY_MOTION);
    assert_true(cpu != slide(v, TL_BACKEND_CPU, TL_PLANES_NEAREST));
    assert_true(cpu == slide(v, TL_BACKEND_CUDA, TL_PLANES_BY_MOTION));
}

static void test_planes(void **state)
{
    (void)state;
    need_gpu();
    for_each_variant(same_planes);
}

static void test_same_steps(void **state)
{
    (void)state;
    need_gpu();
    for_each_variant(same_steps);
}

/* Penalty contact: every law, of grains beside a paddle and of solids over a mesh. */
static void test_penalty(void **state)
{
    (void)state;
    need_gpu();
    for (int i = 0; i < 6; i++) {
        const variant v = {.precision = i % 2 ? TL_DOUBLE : TL_MIXED};
        const tl_penalty_law law = (tl_penalty_law)(i / 2);
        uint64_t hash[2];
        for (int gpu = 0; gpu < 2; gpu++) {
            tl_settings s = settings_on(&v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
            s.stepper = TL_STEPPER_PENALTY;
            s.penalty.law = law;
            s.penalty.substeps = law == TL_PENALTY_SCALED ? 4 : 30;
            tl_scene *scene = mixer_scene(&s, 300, 7);
            add_solids(scene, 2);
            tl_world *world = world_of(scene);
            assert_true(step_report(world, 120).active_contacts > 20);
            hash[gpu] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        context("law %d, %s", law, v.precision == TL_DOUBLE ? "double" : "mixed");
        assert_true(hash[0] == hash[1]);
    }
}

/* Balls, pairs of balls and moving floors: a pass over bodies (whole.cuh), or pair by pair. */
static void test_falls(void **state)
{
    (void)state;
    need_gpu();
    for (int i = 0; i < 2 * FALLS; i++) {
        const tl_precision precision = i % 2 ? TL_DOUBLE : TL_MIXED;
        uint64_t hash[2];
        for (int gpu = 0; gpu < 2; gpu++) {
            tl_world *world = fall_world(precision, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU, i / 2);
            assert_true(step_report(world, 120).active_contacts > 400);
            hash[gpu] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        context("kind %d, %s", i / 2, precision == TL_DOUBLE ? "double" : "mixed");
        assert_true(hash[0] == hash[1]);
    }
}

/* Rods of free and of kept length, with springs, that fall on each other and on a box. */
static tl_scene *rods_scene(const tl_settings *s)
{
    enum { N = 4 };
    tl_scene *scene;
    tl_body balls[2 * N * N];
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(0.1), box = tl_box_default(0.5, 0.5, 0.1);
    assert_ok(tl_scene_create(&scene));
    assert_ok(tl_scene_set_settings(scene, s));
    def.kind = TL_FIXED;
    def.shapes = &box;
    def.shape_count = 1;
    def.position[2] = -0.4;
    assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    def.kind = TL_DYNAMIC;
    def.shapes = &ball;
    for (int i = 0; i < 2 * N * N; i++) {
        def.position[0] = 0.4 * (i % N) - 0.6;
        def.position[1] = 0.4 * (i / N % N) - 0.55;
        def.position[2] = 0.5 * (i / (N * N)); /* the upper ones to the side, onto rods */
        def.position[0] += 0.13 * (i / (N * N));
        def.velocity[2] = -1;
        def.mass = 1 + i % 3;
        assert_ok(tl_scene_add_bodies(scene, 1, &def, &balls[i]));
    }
    for (int i = 0; i < 2 * N * N; i++) {
        tl_rod_def rod = tl_rod_default(0.06);
        tl_joint_def spring = tl_joint_default(TL_JOINT_DISTANCE);
        rod.a = spring.a = balls[i];
        spring.axes[0].stiffness = 500;
        spring.axes[0].damping = 2;
        for (int way = 0; way < 2; way++) {
            if ((way ? i / N % N : i % N) == N - 1)
                continue;
            rod.b = spring.b = balls[i + (way ? N : 1)];
            rod.length = i % 3 ? 0 : 0.4;
            assert_ok(tl_scene_add_rod(scene, &rod, NULL));
            if (rod.length == 0)
                assert_ok(tl_scene_add_joint(scene, &spring, NULL));
        }
    }
    return scene;
}

static void test_rods(void **state)
{
    (void)state;
    need_gpu();
    for (int i = 0; i < 6; i++) {
        const variant v = {.precision = i % 2 ? TL_DOUBLE : TL_MIXED};
        uint64_t hash[2];
        for (int gpu = 0; gpu < 2; gpu++) {
            tl_settings s = settings_on(&v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
            s.stepper = TL_STEPPER_PENALTY;
            s.step = 2e-3;
            s.penalty.law = (tl_penalty_law)(i / 2);
            s.penalty.substeps = i / 2 == TL_PENALTY_SCALED ? 2 : 20;
            tl_world *world = world_of(rods_scene(&s));
            assert_true(step_report(world, 200).active_contacts > 4);
            hash[gpu] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        context("law %d, %s", i / 2, v.precision == TL_DOUBLE ? "double" : "mixed");
        assert_true(hash[0] == hash[1]);
    }
}

/* The same with groups, excluded pairs and sensors, whose contacts are the same to the last bit. */
static void same_filters(const variant *v)
{
    uint64_t hash[2];
    size_t count[2];
    tl_contact *contacts[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        tl_world *world = world_of(filtered_scene(&s));
        step(world, 80);
        assert_ok(tl_world_exclude(world, (tl_body){1, 1}, (tl_body){8, 1}, true));
        step(world, 20);
        hash[gpu] = tl_world_hash(world);
        contacts[gpu] = contacts_of(world, &count[gpu]);
        tl_world_destroy(world);
    }
    assert_int_equal(count[0], count[1]);
    assert_true(contacts[0][count[0] - 1].sensor);
    assert_memory_equal(contacts[0], contacts[1], count[0] * sizeof **contacts);
    assert_true(hash[0] == hash[1]);
    free(contacts[0]);
    free(contacts[1]);
}

static void test_filters(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(same_filters);
}

/* A run that moves from the CPU to the GPU and back, with bodies added and removed, against one
 * that stays. */
static uint64_t travel(const variant *v, bool travels)
{
    const tl_settings s = settings_on(v, TL_BACKEND_CPU);
    tl_world *world = world_of(mixer_scene(&s, 300, 3));
    for (int leg = 0; leg < 4; leg++) {
        void *data = NULL;
        size_t bytes = 0;
        step(world, 40);
        const tl_shape_def shape = tl_sphere_default(0.09);
        tl_body_def def = tl_body_default();
        def.position[2] = 4 + leg;
        def.shapes = &shape;
        def.shape_count = 1;
        tl_body fresh, first = {20 + (uint32_t)leg, 1};
        assert_ok(tl_world_add_bodies(world, 1, &def, &fresh));
        assert_ok(tl_world_remove_bodies(world, 1, &first));
        if (!travels)
            continue;
        assert_ok(tl_world_save(world, &data, &bytes));
        tl_world_destroy(world);
        world = NULL;
        assert_ok(
            tl_world_load_on(data, bytes, leg % 2 ? TL_BACKEND_CPU : TL_BACKEND_CUDA, &world));
        tl_snapshot_free(data, bytes);
    }
    step(world, 40);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void travels(const variant *v)
{
    assert_true(travel(v, false) == travel(v, true));
}

static void test_travels(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(travels);
}

/* Enough bodies for several blocks, sorts and renumbering. */
static void pile(const variant *v)
{
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        pile_options o = pile_default();
        o.bodies = 6000;
        o.settings.precision = v->precision;
        o.settings.backend = run ? TL_BACKEND_CUDA : TL_BACKEND_CPU;
        tl_scene *scene = NULL;
        assert_ok(pile_scene(&o, &scene));
        tl_world *world = world_of(scene);
        step(world, 300);
        hash[run] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[1] == hash[2]); /* from run to run */
    assert_true(hash[0] == hash[1]); /* and as on the CPU */
}

static void test_pile(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(pile);
}

/* Deep piles, with the coarse level: of spheres, and of cubes. */
static uint64_t deep_hash(const variant *v, pile_kind kind, tl_backend_kind backend)
{
    pile_options o = pile_of(kind);
    tl_scene *scene = NULL;
    o.bodies = kind == PILE_SPHERES ? 6000 : 800;
    o.layers = kind == PILE_SPHERES ? 30 : 20;
    o.packed = kind == PILE_SPHERES;
    o.settings.precision = v->precision;
    o.settings.backend = backend;
    o.settings.solver.coarse_layers = 4;
    assert_ok(pile_scene(&o, &scene));
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 150);
    assert_true(report.coarse_nodes > 0 && report.coarse_iterations > 2);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void deep(const variant *v)
{
    assert_true(deep_hash(v, PILE_SPHERES, TL_BACKEND_CPU) ==
                deep_hash(v, PILE_SPHERES, TL_BACKEND_CUDA));
    assert_true(deep_hash(v, PILE_CUBES, TL_BACKEND_CPU) ==
                deep_hash(v, PILE_CUBES, TL_BACKEND_CUDA));
}

static void test_deep(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(deep);
}

/* Crowded bodies: a ball of 30 grain radii in a bed, with the coarse level of deep heaps, and a
 * plate with boxes on both sides. */
static void crowd(const variant *v)
{
    uint64_t hash[2][2];
    for (int run = 0; run < 2; run++) {
        pile_options o = pile_default();
        tl_settings settings = settings_for(v, 1.0 / 200);
        o.bodies = 12000;
        o.layers = 8;
        o.ball = 30 * o.radius;
        o.settings.solver.coarse_layers = 2;
        o.settings.precision = v->precision;
        o.settings.backend = settings.backend = run ? TL_BACKEND_CUDA : TL_BACKEND_CPU;
        tl_scene *scene = NULL;
        assert_ok(pile_scene(&o, &scene));
        tl_world *world = world_of(scene);
        assert_true(step_report(world, 300).coarse_nodes > 0);
        hash[0][run] = tl_world_hash(world);
        assert_true(world->crowded);
        tl_world_destroy(world);
        world = plate_world(&settings);
        step(world, 30);
        hash[1][run] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0][0] == hash[0][1]);
    assert_true(hash[1][0] == hash[1][1]);
}

/* Joints of several kinds with motors, limits and friction, among contacts. */
static void machine(const variant *v, tl_stepper stepper, tl_joint_method method)
{
    uint64_t hash[2];
    tl_joint_state states[2][8];
    for (int run = 0; run < 2; run++) {
        tl_settings settings = settings_on(v, run ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        settings.stepper = stepper;
        settings.solver.joints = method;
        tl_world *world = world_of(machine_scene(&settings));
        step(world, 300);
        hash[run] = tl_world_hash(world);
        memset(states[run], 0, sizeof states[run]);
        assert_ok(tl_world_read_joints(world, 8, NULL, states[run]));
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    assert_memory_equal(states[0], states[1], sizeof states[0]);
}

/* Chains and nets: one that a block works on, one that all of them do. */
static void chains(const variant *v)
{
    for (int which = 0; which < 4; which++) {
        uint64_t hash[2];
        for (int run = 0; run < 2; run++) {
            tl_settings settings = settings_for(v, 1.0 / 200);
            settings.backend = run ? TL_BACKEND_CUDA : TL_BACKEND_CPU;
            tl_world *world = world_of(which < 2 ? chain_scene(&settings, which ? 6000 : 600)
                                                 : taut_net_scene(&settings, which < 3 ? 8 : 24));
            step(world, 10); /* straight between its ends: what rounding makes of it */
            hash[run] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void machines(const variant *v)
{
    machine(v, TL_STEPPER_DVI, TL_JOINTS_EXACT);
    machine(v, TL_STEPPER_SMOOTH, TL_JOINTS_EXACT);
    machine(v, TL_STEPPER_DVI, TL_JOINTS_ITERATE);
    for (int i = 1; i < 4; i++) {
        variant other = *v;
        other.kind = (tl_solver_kind)i;
        machine(&other, TL_STEPPER_DVI, TL_JOINTS_EXACT);
    }
}

static void test_machines(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(machines);
}

static void test_chains(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(chains);
}

/* A rope of light links that snaps taut and is arrested. */
static void rope(const variant *v)
{
    uint64_t hash[2];
    tl_report report[2];
    for (int run = 0; run < 2; run++) {
        tl_settings settings = settings_on(v, run ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        settings.max_speed = 1e6;
        tl_world *world = world_of(rope_scene(&settings, 20));
        report[run] = step_report(world, 120);
        hash[run] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(report[0].kinetic_energy < 100); /* J, of 1000 */
    assert_true(report[0].joint_error == report[1].joint_error);
    assert_true(hash[0] == hash[1]);
}

static void test_ropes(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(rope);
}

/* So many small machines that four of them share a warp, or two. */
static void pendulums(const variant *v)
{
    for (int longest = 8; longest <= 12; longest += 4) {
        uint64_t hash[2];
        tl_report report[2];
        for (int run = 0; run < 2; run++) {
            const tl_settings settings = settings_on(v, run ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
            tl_world *world = world_of(pendulums_scene(&settings, 301, longest));
            report[run] = step_report(world, 40);
            hash[run] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        assert_true(report[0].articulations == 301);
        assert_true(report[0].joint_error == report[1].joint_error);
        assert_true(hash[0] == hash[1]);
    }
}

static void test_pendulums(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(pendulums);
}

static void test_crowd(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(crowd);
}

/* Bodies of two spheres, layer on layer above a mixer's content. */
static void add_clumps(tl_scene *scene, uint32_t count, uint32_t bodies)
{
    const uint32_t side = (uint32_t)ceil(cbrt((double)bodies)), row = side * 3 / 5;
    tl_shape_def ends[2] = {tl_sphere_default(0.1), tl_sphere_default(0.07)};
    ends[0].position[0] = -0.05;
    ends[1].position[1] = 0.08;
    for (uint32_t i = 0; i < count; i++) {
        tl_body_def def = tl_body_default();
        def.shapes = ends;
        def.shape_count = 2;
        def.mass = 3;
        for (int k = 0; k < 3; k++)
            def.inertia[k] = 0.012 + 0.004 * k;
        def.position[0] = 0.4 * (i % row) - 0.2 * (row - 1);
        def.position[1] = 0.4 * (i / row % row) - 0.2 * (row - 1);
        def.position[2] = 0.8 + 0.24 * side + 0.4 * (i / row / row);
        def.velocity[2] = -6;
        add_body(scene, &def);
    }
}

/* Many rows against a wall that turns, and rows of both kinds, many in a colour. */
static void many_rows(const variant *v)
{
    for (uint32_t clumps = 0; clumps <= 1500; clumps += 1500) {
        uint64_t hash[2];
        tl_report report[2];
        for (int gpu = 0; gpu < 2; gpu++) {
            const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
            tl_scene *scene = mixer_scene(&s, 5000, 7);
            add_clumps(scene, clumps, 5000);
            tl_world *world = world_of(scene);
            report[gpu] = step_report(world, 150);
            hash[gpu] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        assert_true(report[0].active_contacts > 6000);
        assert_true(report[0].residual == report[1].residual);
        if (hash[0] != hash[1])
            fail_msg("%s, %u clumps: the GPU gives other bits than the CPU", v->name, clumps);
    }
}

static void test_many_rows(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(many_rows);
}

/* A moving patch carries grains from one side of a mixer to the other, on top of those there. */
static void patched(const variant *v)
{
    enum { BODIES = 3000 };
    const double half = 0.12 * ceil(cbrt((double)BODIES));
    uint64_t hash[2];
    tl_report report[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        tl_scene *scene = mixer_scene(&s, BODIES, 11);
        tl_patch_def patch = tl_patch_default();
        patch.follow = (tl_body){6, 1}; /* the paddle */
        patch.grains = (tl_body_range){{7, 1}, BODIES};
        patch.length = 0.85 * half;
        assert_ok(tl_scene_add_patch(scene, &patch));
        tl_world *world = world_of(scene);
        report[gpu] = step_report(world, 150);
        hash[gpu] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(report[0].moved > 100);
    assert_int_equal(report[0].moved, report[1].moved);
    assert_true(report[0].moved_energy == report[1].moved_energy);
    assert_true(report[0].work_energy == report[1].work_energy);
    if (hash[0] != hash[1])
        fail_msg("%s, a moving patch: the GPU gives other bits than the CPU", v->name);
}

static void test_patch(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(patched);
}

/* A mixer whose wall goes after a while: what spills is removed, what two emitters pour takes its
 * place, and a drain in the middle takes more. */
static tl_scene *spilling_mixer(const tl_settings *settings, uint32_t bodies)
{
    tl_scene *scene = mixer_scene(settings, bodies, 9);
    const double half = 0.12 * ceil(cbrt((double)bodies));
    const tl_body wall = {3, 1};
    tl_emitter_def emitter = tl_emitter_default();
    tl_boundary_def boundary = tl_boundary_default();
    tl_event_def event = tl_event_default();
    emitter.region = tl_region_box((double[3]){-half, -half, 1}, (double[3]){half, half, 2});
    emitter.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.05, 0.12};
    emitter.rate = 1500;
    emitter.interval = 0.04;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    emitter.region = (tl_region){
        .kind = TL_REGION_CYLINDER, .centre = {0, 0, 1.5}, .axis = {0.2, 0.1, 1.5}, .radius = 0.6};
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    boundary.interval = 0.03;
    boundary.region = tl_region_box((double[3]){-half - 0.3, -half - 0.3, -1},
                                    (double[3]){half + 0.3, half + 0.3, 50});
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    boundary.interval = 0.1;
    boundary.remove_inside = true;
    boundary.region =
        (tl_region){.kind = TL_REGION_SPHERE, .centre = {half, half, 0}, .radius = 0.4};
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    boundary.region = (tl_region){.kind = TL_REGION_CYLINDER,
                                  .centre = {-half, 0, 0.1},
                                  .axis = {0.2, 0, 0.3},
                                  .radius = 0.3};
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    event.time = 0.4;
    event.bodies = &wall;
    event.body_count = 1;
    assert_ok(tl_scene_add_event(scene, &event));
    return scene;
}

/* A body of three spheres and a ball far larger than all others come; the last ball goes. */
static void swap_bodies(tl_world *world, int round, tl_body *ball)
{
    tl_shape_def three[3], large = tl_sphere_default(2);
    tl_body_def defs[2] = {tl_body_default(), tl_body_default()};
    tl_body fresh[2];
    for (int i = 0; i < 3; i++) {
        three[i] = tl_sphere_default(0.08);
        three[i].position[0] = 0.08 * (i - 1);
    }
    defs[0].shapes = three;
    defs[0].shape_count = 3;
    defs[0].position[2] = 5;
    defs[1].shapes = &large;
    defs[1].shape_count = 1;
    defs[1].position[2] = 10 + 0.5 * round;
    if (tl_world_has_body(world, *ball))
        assert_ok(tl_world_remove_bodies(world, 1, ball));
    assert_ok(tl_world_add_bodies(world, 2, defs, fresh));
    *ball = fresh[1];
}

/* Bodies that come and go, by schedule and by hand: the same state and books, step for step, and
 * the same values of monitors. */
static void comes_and_goes(const variant *v, uint32_t bodies)
{
    enum { ROUNDS = 20, CHANNELS = 39 };
    uint64_t hash[2][ROUNDS];
    double values[2][ROUNDS][CHANNELS];
    size_t contacts[2][ROUNDS];
    tl_report report[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        tl_scene *scene = spilling_mixer(&s, bodies);
        assert_ok(add_monitors(scene));
        tl_world *world = world_of(scene);
        tl_body ball = {0, 0};
        for (int round = 0; round < ROUNDS; round++) {
            report[gpu] = step_report(world, 15);
            assert_ok(tl_world_read_monitors(world, CHANNELS, values[gpu][round]));
            swap_bodies(world, round, &ball);
            hash[gpu][round] = tl_world_hash(world);
            contacts[gpu][round] = tl_world_contact_count(world);
        }
        tl_world_destroy(world);
    }
    assert_true(report[0].removed > 100 && report[0].emitted > 100);
    assert_int_equal(report[0].removed, report[1].removed);
    assert_int_equal(report[0].emitted, report[1].emitted);
    for (int round = 0; round < ROUNDS; round++)
        if (hash[0][round] != hash[1][round] || contacts[0][round] != contacts[1][round])
            fail_msg("%s, %u bodies: the GPU gives other bits than the CPU from step %d on",
                     v->name, bodies, 15 * round);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
}

static void edits(const variant *v)
{
    comes_and_goes(v, 500);
    comes_and_goes(v, 5000); /* enough for renumbering */
}

static void test_edits(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(edits);
}

/* Rays and what is near, among solids on a mesh and a height field: the same answers. */
static void queries(const variant *v)
{
    static answers told[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        tl_scene *scene = mixer_scene(&s, 500, 4);
        add_solids(scene, 4);
        tl_world *world = world_of(scene);
        step(world, 60);
        ask_world(world, 4, &told[gpu]);
        tl_world_destroy(world);
    }
    assert_true(told[0].count > 3 && told[0].nearest.body.index > 0);
    assert_memory_equal(&told[0], &told[1], sizeof told[0]);
}

static void test_queries(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(queries);
}

/* Contacts found in parts, on one GPU that plays several where there is one only: those of the CPU,
 * found at once. */
static void parts(const variant *v)
{
    size_t count = 0, found;
    tl_contact *contacts = NULL;
    for (int gpu = 0; gpu < 2; gpu++) {
        const tl_settings s = settings_on(v, gpu ? TL_BACKEND_CUDA : TL_BACKEND_CPU);
        tl_world *world = world_of(mixer_scene(&s, 3000, 7));
        step(world, 150);
        assert_ok(tl_world_find_contacts(world));
        if (!gpu)
            contacts = contacts_of(world, &count);
        for (uint32_t cut = 1; cut <= 6 && gpu; cut++)
            for (uint32_t devices = 1; devices <= 3; devices++) {
                context("%s, %u parts on %u devices", v->name, cut, devices);
                assert_ok(tl_world_find_contacts_in(world, cut, devices));
                tl_contact *again = contacts_of(world, &found);
                assert_int_equal(found, count);
                assert_memory_equal(again, contacts, count * sizeof *again);
                free(again);
            }
        tl_world_destroy(world);
    }
    assert_true(count > 3000);
    free(contacts);
}

static void test_parts(void **state)
{
    (void)state;
    need_gpu();
    for_each_precision(parts);
}

/* Without a GPU, asking for it by name is refused with a reason. */
static void test_refused(void **state)
{
    (void)state;
    if (there) {
        printf("skipped: there is a GPU\n");
        skip();
    }
    tl_settings s = tl_settings_default();
    s.backend = TL_BACKEND_CUDA;
    tl_scene *scene = scene_with(&s);
    tl_world *world = NULL;
    assert_int_equal(tl_world_create(scene, &world), TL_NO_BACKEND);
    assert_null(world);
    assert_memory_equal(tl_last_message(), "the cuda backend ", 17);
    tl_scene_destroy(scene);
}

/* With an argument, tests of that name alone, which may have a * in it. */
int main(int argc, char **argv)
{
    tl_settings s = tl_settings_default();
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    s.backend = TL_BACKEND_CUDA;
    if (tl_scene_create(&scene) == TL_OK && tl_scene_set_settings(scene, &s) == TL_OK)
        there = tl_world_create(scene, &world) == TL_OK;
    if (!there)
        printf("skipped: no GPU: %s\n", tl_last_message());
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_steps), cmocka_unit_test(test_filters),
        cmocka_unit_test(test_travels),    cmocka_unit_test(test_pile),
        cmocka_unit_test(test_edits),      cmocka_unit_test(test_parts),
        cmocka_unit_test(test_patch),      cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_queries),
        cmocka_unit_test(test_crowd),      cmocka_unit_test(test_machines),
        cmocka_unit_test(test_chains),     cmocka_unit_test(test_ropes),
        cmocka_unit_test(test_pendulums),  cmocka_unit_test(test_planes),
        cmocka_unit_test(test_penalty),    cmocka_unit_test(test_falls),
        cmocka_unit_test(test_deep),       cmocka_unit_test(test_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
