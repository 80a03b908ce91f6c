/* labels: slow */
/* The same bits with every instruction set: the mixer, machines and heaps of solids stepped, and
 * asked questions, with the plain kernels and with each of those this machine can run. Reaches past
 * the public interface for the one switch that chooses.
 */
#include "../physics/joints.h"
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

/* A ring of pins that stands on a floor and falls in: three rows follow from the others. A ball on
 * a spring hangs in it, one on a rod at a wheel that is driven beside it. */
static tl_scene *ring_scene(const tl_settings *settings)
{
    enum { LINKS = 17 };
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0);
    const double radius = 0.05 / sin(PI / LINKS);
    put link[LINKS + 1];
    add_floor(scene, material);
    for (int i = 0; i < LINKS; i++) {
        const double angle = 2 * PI * (i + 0.5) / LINKS;
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_box_default(0.04, 0.1, 0.01);
        shape.material = material;
        def.mass = 0.34;
        def.shape_count = 1;
        def.shapes = &shape;
        link[i] = (put){.x = {radius * cos(PI / LINKS) * sin(angle), 0,
                              radius - radius * cos(PI / LINKS) * cos(angle) + 0.012},
                        .q = {cos(0.5 * angle), 0, -sin(0.5 * angle), 0}};
        memcpy(def.position, link[i].x, sizeof link[i].x);
        memcpy(def.orientation, link[i].q, sizeof link[i].q);
        link[i].body = add_body(scene, &def);
    }
    link[LINKS] = link[0];
    for (int i = 0; i < LINKS; i++) {
        const double angle = 2 * PI * (i + 1) / LINKS;
        join(scene, TL_JOINT_REVOLUTE, link[i], link[i + 1], radius * sin(angle), 0,
             radius - radius * cos(angle) + 0.012, joint_y);
    }
    const put ball = put_link(scene, 0.02, 0.02, 0.02, 0.5, 0, 0, radius);
    tl_joint_def spring =
        joint_at(TL_JOINT_GENERIC, link[LINKS / 2], ball, (double[3]){0, 0, radius}, joint_z);
    for (int k = 0; k < 6; k++) {
        spring.locked[k] = false;
        spring.axes[k].stiffness = 50;
        spring.axes[k].damping = 1;
    }
    add_joint(scene, &spring);
    const put wheel = put_link(scene, 0.1, 0.02, 0.1, 2, 1, 0, 0.5);
    const put load = put_link(scene, 0.03, 0.03, 0.03, 1, 1.3, 0, 0.5);
    tl_joint_def motor = joint_at(TL_JOINT_REVOLUTE, ground, wheel, wheel.x, joint_y);
    motor.axes[5].drive = TL_DRIVE_FORCE;
    motor.axes[5].target.value = 3;
    add_joint(scene, &motor);
    tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
    rod.a = wheel.body;
    rod.b = load.body;
    rod.position_a[0] = 0.1;
    add_joint(scene, &rod);
    return scene;
}

static uint64_t run_machine(const variant *v, int which)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 12;
    settings.solver.position_iterations = 4;
    settings.solver.kind = which / 2 ? (tl_solver_kind)(which / 2) : TL_PSOR;
    tl_world *world = world_of(which % 2 ? ring_scene(&settings) : machine_scene(&settings));
    const tl_report report = step_report(world, 150);
    const uint64_t hash = tl_world_hash(world);
    assert_true(report.active_contacts > 3);
    assert_below(report.joint_error, 1e-4);
    tl_world_destroy(world);
    return hash;
}

static void machines(const variant *v)
{
    const char *sets[] = {"avx2", "avx512"};
    for (int which = 0; which < 8; which++) {
        assert_true(tl_backend_cpu_isa("base"));
        const uint64_t plain = run_machine(v, which);
        for (int k = 0; k < 2; k++)
            if (tl_backend_cpu_isa(sets[k]) && run_machine(v, which) != plain)
                fail_msg("%s: machine %d: %s gives other bits than the plain kernels", v->name,
                         which, sets[k]);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

static void test_machines(void **state)
{
    (void)state;
    for_each_precision(machines);
}

/* The state and what is summed over bodies. */
typedef struct told {
    uint64_t hash;
    double numbers[4];
} told;

static told tell(tl_world *world, uint32_t steps)
{
    const tl_report report = step_report(world, steps);
    const told out = {
        tl_world_hash(world),
        {report.kinetic_energy, report.potential_energy, report.work_energy, report.joint_error}};
    tl_world_destroy(world);
    return out;
}

/* Runs a world with each instruction set. */
static void same_told(const char *name, const tl_settings *settings,
                      told (*run_one)(const tl_settings *))
{
    const char *sets[] = {"avx2", "avx512"};
    assert_true(tl_backend_cpu_isa("base"));
    const told plain = run_one(settings);
    for (int k = 0; k < 2; k++) {
        if (!tl_backend_cpu_isa(sets[k]))
            continue;
        const told wide = run_one(settings);
        if (memcmp(&plain, &wide, sizeof plain) != 0)
            fail_msg("%s: %s gives other bits than the plain kernels", name, sets[k]);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

/* Free bodies of all kinds, in runs of one kind and mixed, no multiple of eight: with three moments
 * and with one; at rest, slow, so fast that a step turns them by radians, and faster than the
 * midpoint rule has a solution for. */
static told spin_all(const tl_settings *settings)
{
    enum { BODIES = 141 };
    tl_scene *scene = scene_with(settings);
    set_gravity(scene, 0.1, 0, -1);
    for (int i = 0; i < BODIES; i++) {
        static const double speed[] = {0, 1e-3, 3, 80, 700, 1e4, 1e8};
        const int run = i / 16, kind = run % 3 == 2 ? i % 2 : run % 3;
        const int pace = run < 3 ? i % 4 : run < 6 ? 3 + i % 2 : i % 7;
        tl_body_def def = tl_body_default();
        def.mass = 1 + 0.01 * i;
        for (int k = 0; k < 3; k++) {
            def.position[k] = k == 0 ? 2.0 * i : 0.1 * k;
            def.inertia[k] = kind ? 0.5 : 0.3 + 0.1 * k + 0.001 * (i % 7) * k;
            def.angular_velocity[k] = speed[pace] * (k == i % 3 ? 1 : 0.05 * (i % 5) * k);
            def.velocity[k] = 0.1 * (i % 4) - 0.2 * k;
        }
        turn((double[3]){1, -2, 0.1 * i}, 0.3 * i, def.orientation);
        add_body(scene, &def);
    }
    return tell(world_of(scene), 9);
}

static void spins(const variant *v)
{
    const tl_settings settings = settings_for(v, 1.0 / 200);
    same_told("spinning bodies", &settings, spin_all);
}

static void test_spins(void **state)
{
    (void)state;
    for_each_precision(spins);
}

/* A chain that is eliminated level by level with the plain kernels, in pieces by vectors. Its
 * joints are beside the links' axes, so that these turn about all of theirs. */
static told hang_chain(const tl_settings *settings)
{
    enum { LINKS = 2100 };
    tl_scene *scene = scene_with(settings);
    put before = ground;
    for (int i = 0; i <= LINKS; i++) {
        const put link =
            i < LINKS ? put_link(scene, 0.5, 0.05, 0.04, 1 + 0.1 * (i % 3), i + 0.5, 0, 0) : ground;
        join(scene, TL_JOINT_SPHERICAL, before, link, i, 0.03 * (i % 3), 0.02 * (i % 2), joint_z);
        before = link;
    }
    return tell(world_of(scene), 4);
}

static void chains(const variant *v)
{
    const tl_settings settings = settings_for(v, 1.0 / 200);
    same_told("a long chain", &settings, hang_chain);
}

static void test_chains(void **state)
{
    (void)state;
    for_each_precision(chains);
}

/* Adds a box that falls on the floor, with three moments and a tilt. */
static put add_piece(tl_scene *scene, tl_material material, double x, double y, double z)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(0.05, 0.03, 0.02);
    put piece = {.x = {x, y, z}};
    shape.material = material;
    def.mass = 0.3 + 0.05 * x;
    def.shape_count = 1;
    def.shapes = &shape;
    turn((double[3]){1, 2, 1 + x}, 0.4 + y, piece.q);
    memcpy(def.position, piece.x, sizeof piece.x);
    memcpy(def.orientation, piece.q, sizeof piece.q);
    piece.body = add_body(scene, &def);
    return piece;
}

/* Articulations whose rows all hold, on a floor: chains of joints with three, four and five rows,
 * and one body with so many joints that it goes after them. */
static told drop_chains(const tl_settings *settings)
{
    static const tl_joint_kind kinds[] = {TL_JOINT_SPHERICAL, TL_JOINT_UNIVERSAL,
                                          TL_JOINT_REVOLUTE};
    enum { LINKS = 9, ARMS = 14 };
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0);
    add_floor(scene, material);
    for (int c = 0; c < 3; c++) {
        put before = add_piece(scene, material, 0, c, 0.07);
        for (int i = 1; i < LINKS; i++) {
            const put link = add_piece(scene, material, 0.12 * i, c, 0.07 + 0.02 * (i % 2));
            join(scene, kinds[c], before, link, 0.12 * i - 0.06, c + 0.01, 0.08, joint_z);
            before = link;
        }
    }
    const put hub = add_piece(scene, material, 0, 5, 0.1);
    for (int i = 0; i < ARMS; i++) {
        const double angle = 2 * PI * i / ARMS, x = cos(angle), y = sin(angle);
        const put arm = add_piece(scene, material, 0.4 * x, 5 + 0.4 * y, 0.07);
        join(scene, TL_JOINT_SPHERICAL, hub, arm, 0.2 * x, 5 + 0.2 * y, 0.09, joint_z);
    }
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 40);
    assert_true(report.active_contacts > 20);
    assert_int_equal(report.articulations, 4);
    return tell(world, 1);
}

static void rigid(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 12;
    settings.solver.position_iterations = 4;
    same_told("chains on a floor", &settings, drop_chains);
}

static void test_rigid(void **state)
{
    (void)state;
    for_each_precision(rigid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_machines),  cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_spins),     cmocka_unit_test(test_chains),
        cmocka_unit_test(test_rigid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
