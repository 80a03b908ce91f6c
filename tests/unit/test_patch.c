/* Moving patches: a grain that is left behind comes to lie ahead, at rest, on what is there; none
 * is lost, a bed keeps its depth under what goes through it, the books of energy balance, and bits
 * do not depend on threads or on a snapshot on the way. */
#include "support.h"

static const double straight[4] = {1, 0, 0, 0};

/* A box without weight of its own that goes along x with a speed, from x = 0, high above. */
static tl_body add_cart(tl_scene *scene, double speed)
{
    const tl_shape_def box = tl_box_default(0.2, 0.1, 0.1);
    tl_body_def def = tl_body_default();
    def.kind = TL_PRESCRIBED;
    def.shape_count = 1;
    def.shapes = &box;
    def.position[2] = 3;
    def.motion.velocity[0] = speed;
    return add_body(scene, &def);
}

static tl_patch_def patch_of(tl_body follow, tl_body first, uint32_t count)
{
    tl_patch_def def = tl_patch_default();
    def.follow = follow;
    def.grains = (tl_body_range){first, count};
    def.length = 1;
    return def;
}

/* ---- One grain ---- */

/* A grain flies behind a cart that stands: before the first step it lies 2 m further on, still.
 * What it loses is work, so that the sum of all energies stays. */
static void one_grain(const variant *v)
{
    const double h = 1e-3, m = 2, r = 0.1, z = 0.7, w[3] = {1, 2, -2};
    tl_scene *scene = scene_for(v, h);
    add_floor(scene, (tl_material){0});
    const tl_body cart = add_cart(scene, 0);
    const tl_body grain = add_sphere(scene, (tl_material){0}, r, m, (double[3]){-1.05, 0.3, z}, w);
    const tl_patch_def def = patch_of(cart, grain, 1);
    double x[3], u[3];
    assert_ok(tl_scene_add_patch(scene, &def));
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 1);
    position_of(world, grain, x);
    velocity_of(world, grain, u);
    assert_near(x[0], 0.95, 1e-9);
    assert_near(x[1], 0.3, 1e-9);
    assert_near(x[2], r, 1e-5);
    assert_near(norm3(u), 0, 1e-3);
    assert_int_equal(report.moved, 1);
    assert_near(report.moved_energy, m * G * (r - z) - 0.5 * m * dot3(w, w), 1e-3);
    assert_near(report.work_energy, report.moved_energy, 1e-3);
    assert_int_equal(step_report(world, 200).moved, 1);
    tl_world_destroy(world);
}

static void test_one_grain(void **state)
{
    (void)state;
    for_each_precision(one_grain);
}

/* Where it comes to lie: on a step, in a hollow of a mesh, beside a wall that it touches; not where
 * there is nothing. Far behind is as good as just behind, but for the last diameter. */
static void test_ground(void **state)
{
    const double corners[15] = {0, -1, 0.5, 2, -1, 0.5, 2, 1, 0.5, 0, 1, 0.5, 1, 0, 0};
    const uint32_t triangles[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    const double wanted[4] = {0.35, 0.1 * sqrt(1.25), 0.1, 0.7};
    tl_settings settings = tl_settings_default();
    (void)state;
    settings.step = 1e-4;
    for (int ground = 0; ground < 4; ground++) {
        tl_scene *scene = scene_with(&settings);
        const tl_body cart = add_cart(scene, 0);
        const double away = ground == 2 ? -7.4 : -1.0001;
        const tl_body grain = add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){away, 0, 0.7},
                                         (double[3]){0, 0, 0});
        tl_patch_def def = patch_of(cart, grain, 1);
        tl_mesh_def mesh = tl_mesh_default();
        tl_geometry g;
        tl_mesh *hollow;
        double x[3];
        if (ground == 0)
            add_fixed(scene, tl_box_default(0.5, 0.5, 0.25), (tl_material){0}, (double[3]){1, 0, 0},
                      straight);
        if (ground == 1) {
            mesh.vertex_count = 5;
            mesh.vertices = corners;
            mesh.triangle_count = 4;
            mesh.triangles = triangles;
            assert_ok(tl_mesh_create(&mesh, &hollow));
            assert_ok(tl_scene_add_mesh(scene, hollow, &g));
            tl_mesh_destroy(hollow);
            add_fixed(scene, tl_mesh_shape_default(g), (tl_material){0}, (double[3]){0, 0, 0},
                      straight);
        }
        if (ground == 2) { /* the wall is a hair inside the grain */
            double up[4];
            turn((double[3]){1, 0, 0}, PI / 2, up);
            add_floor(scene, (tl_material){0});
            add_fixed(scene, tl_plane_default(), (tl_material){0}, (double[3]){0, 0.0999, 0}, up);
            add_fixed(scene, tl_box_default(9, 0.5, 1), (tl_material){0},
                      (double[3]){0, -0.5999, 0}, straight);
        }
        assert_ok(tl_scene_add_patch(scene, &def));
        tl_world *world = world_of(scene);
        const tl_report report = step_report(world, 1);
        position_of(world, grain, x);
        assert_int_equal(report.moved, ground < 3);
        assert_near(x[2], wanted[ground], ground == 1 ? 0.02 : 1e-5);
        assert_near(x[0], ground < 3 ? 1 : -1.0001, ground == 2 ? 0.2 : 0.1);
        tl_world_destroy(world);
    }
}

/* Eight grains that lie in each other come to lie side by side, or on each other. */
static void test_many(void **state)
{
    tl_settings settings = tl_settings_default();
    tl_body first = {0, 0}, last = {0, 0};
    double x[8][3];
    (void)state;
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    const tl_body cart = add_cart(scene, 0);
    for (int i = 0; i < 8; i++) {
        last = add_sphere(scene, (tl_material){0}, 0.05, 1, (double[3]){-1.01, 0.001 * i, 0.5},
                          (double[3]){0, 0, 0});
        first = i ? first : last;
    }
    const tl_patch_def def = patch_of(cart, first, 8);
    assert_ok(tl_scene_add_patch(scene, &def));
    tl_world *world = NULL;
    assert_int_equal(tl_world_create(scene, &world), TL_OVERLAPPING);
    tl_scene_destroy(scene);
    assert_int_equal(step_report(world, 1).moved, 8);
    for (uint32_t i = 0; i < 8; i++) {
        position_of(world, (tl_body){first.index + i, 1}, x[i]);
        assert_true(x[i][2] > 0.0499 && x[i][2] < 0.16);
        for (uint32_t k = 0; k < i; k++)
            assert_true(distance3(x[i], x[k]) > 0.0999);
    }
    tl_world_destroy(world);
}

/* ---- A bed ---- */

enum { GRAINS = 700 };
static const double side = 0.15, half_length = 0.8, plough_speed = 0.8;

/* A blade goes through grains between two walls. */
static tl_world *ploughed(const tl_settings *settings, tl_body *first)
{
    tl_scene *scene = scene_with(settings);
    const tl_material rough = add_material(scene, 0.5, 0);
    const tl_shape_def blade = tl_box_default(0.02, 0.05, 0.2);
    tl_body_def plough = tl_body_default();
    tl_fill_def fill = tl_fill_default();
    uint64_t count;
    double turned[4];
    add_floor(scene, rough);
    for (int i = -1; i < 2; i += 2) {
        turn((double[3]){1, 0, 0}, i * PI / 2, turned);
        add_fixed(scene, tl_plane_default(), rough, (double[3]){0, i * side, 0}, turned);
    }
    plough.kind = TL_PRESCRIBED;
    plough.shape_count = 1;
    plough.shapes = &blade;
    plough.position[2] = 0.26;
    plough.motion.velocity[0] = plough_speed;
    const tl_body follow = add_body(scene, &plough);
    fill.region =
        tl_region_box((double[3]){-half_length, -side, 0}, (double[3]){half_length, side, 0.8});
    fill.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.025, 0.03};
    fill.pattern = TL_FILL_RANDOM;
    fill.count = GRAINS;
    fill.material = rough;
    assert_ok(tl_scene_fill(scene, &fill, &count, first));
    assert_int_equal(count, GRAINS);
    tl_patch_def patch = patch_of(follow, *first, GRAINS);
    patch.length = half_length;
    assert_ok(tl_scene_add_patch(scene, &patch));
    return world_of(scene);
}

/* The mean height of the topmost grains beside the blade, in slices of 0.1 m. */
static double depth_near(const tl_world *world, tl_body first, double at)
{
    double top[4] = {0, 0, 0, 0}, x[3];
    for (uint32_t i = 0; i < GRAINS; i++) {
        position_of(world, (tl_body){first.index + i, 1}, x);
        const int slice = (int)floor((x[0] - at + 0.2) / 0.1);
        if (slice >= 0 && slice < 4)
            top[slice] = fmax(top[slice], x[2]);
    }
    return (top[0] + top[1] + top[2] + top[3]) / 4;
}

/* Three lengths of the patch: nobody is lost, nobody is outside, the bed is as deep as it was, the
 * energies of the report balance as they do without a patch. */
static void test_bed(void **state)
{
    tl_settings settings = tl_settings_default();
    tl_body first;
    (void)state;
    settings.step = 0.002;
    settings.precision = TL_DOUBLE;
    settings.solver.iterations = 40;
    tl_world *world = ploughed(&settings, &first);
    const tl_report settled = step_report(world, 500); /* 1 s */
    const double deep = depth_near(world, first, plough_speed);
    tl_report report = settled;
    for (int i = 0; i < 60; i++) {
        report = step_report(world, 50);
        assert_int_equal(report.bodies, GRAINS);
        assert_true(report.max_penetration < 0.005);
    }
    const double at = plough_speed * report.time;
    int ahead = 0;
    for (uint32_t i = 0; i < GRAINS; i++) {
        double x[3];
        position_of(world, (tl_body){first.index + i, 1}, x);
        assert_true(fabs(x[1]) < side && x[2] > 0 && x[2] < 0.6);
        assert_true(x[0] - at > -half_length - 0.1);
        ahead += x[0] - at > half_length + 0.3;
    }
    assert_true(ahead < GRAINS / 20); /* some roll on */
    assert_true(report.moved > GRAINS);
    assert_near(depth_near(world, first, at), deep, 0.2 * deep);
    assert_true(fabs(report.moved_energy) > 0.01 * report.work_energy);
    const double gained = report.kinetic_energy + report.potential_energy - settled.kinetic_energy -
                          settled.potential_energy;
    const double taken = report.dissipated_energy - settled.dissipated_energy;
    const double work = report.work_energy - settled.work_energy;
    assert_near(gained + taken, work, 1e-3 * taken);
    tl_world_destroy(world);
}

/* The same bits with three threads, and after a snapshot that was taken between two looks. */
static void test_bits(void **state)
{
    tl_settings settings = tl_settings_default();
    tl_body first;
    uint64_t hash[2];
    void *snapshot;
    size_t bytes;
    (void)state;
    settings.step = 0.004;
    for (uint32_t i = 0; i < 2; i++) {
        settings.threads = 1 + 2 * i;
        tl_world *world = ploughed(&settings, &first);
        step(world, 203);
        if (i) {
            assert_ok(tl_world_save(world, &snapshot, &bytes));
            tl_world_destroy(world);
            assert_ok(tl_world_load(snapshot, bytes, &world));
            tl_snapshot_free(snapshot, bytes);
        }
        const tl_report report = step_report(world, 200);
        assert_true(report.moved > 100);
        hash[i] = tl_world_hash(world) ^ report.moved;
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* ---- What is refused ---- */

static void test_refusals(void **state)
{
    tl_settings settings = tl_settings_default();
    tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
    const tl_shape_def beam = tl_box_default(0.9, 0.1, 0.1);
    tl_body_def def = tl_body_default();
    (void)state;
    tl_scene *scene = scene_with(&settings);
    const tl_body floor = add_floor(scene, (tl_material){0}), cart = add_cart(scene, 1);
    const tl_body grain =
        add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){5, 5, 5}, (double[3]){0, 0, 0});
    const tl_body tied =
        add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){6, 5, 5}, (double[3]){0, 0, 0});
    def.shape_count = 1;
    def.shapes = &beam;
    def.position[0] = 0.8;
    def.position[2] = 3;
    const tl_body boom = add_body(scene, &def);
    const tl_patch_def sound = patch_of(cart, grain, 1);
    tl_patch_def bad = sound;
#define REFUSED(status, text)                                          \
    do {                                                               \
        assert_refused(tl_scene_add_patch(scene, &bad), status, text); \
        bad = sound;                                                   \
    } while (0)
    assert_refused(tl_scene_add_patch(NULL, &sound), TL_BAD_ARGUMENT,
                   "scene is NULL; it must not be");
    assert_refused(tl_scene_add_patch(scene, NULL), TL_BAD_ARGUMENT, "def is NULL; it must not be");
    bad.length = 0;
    REFUSED(TL_BAD_ARGUMENT, "patch.length is 0; it must be finite and > 0");
    bad.length = NAN;
    REFUSED(TL_BAD_ARGUMENT, "patch.length is nan; it must be finite and > 0");
    bad.length = 0.15;
    REFUSED(TL_BAD_ARGUMENT,
            "patch.length is 0.15; the machine reaches 0.2 m from body 2 along the "
            "direction, and the patch must reach farther");
    bad.direction[0] = 0;
    REFUSED(TL_BAD_ARGUMENT, "patch.direction is (0, 0, 0); it must not be 0, nor too long "
                             "to be a number");
    bad.up[0] = 1;
    REFUSED(TL_BAD_ARGUMENT, "patch.up is (1, 0, 1); it must be across the direction");
    bad.interval = 0;
    REFUSED(TL_BAD_ARGUMENT, "patch.interval is 0; it must be finite and > 0");
    bad.follow.index = 77;
    REFUSED(TL_BAD_HANDLE,
            "patch.follow: index 77, generation 1 is no body of this scene (it has 5)");
    bad.grains.first.index = 0;
    REFUSED(TL_BAD_HANDLE,
            "patch.grains: index 0, generation 1 is no body of this scene (it has 5)");
    bad.grains.count = 0;
    REFUSED(TL_BAD_ARGUMENT, "patch.grains.count is 0; it must be >= 1");
    bad.grains.count = 9;
    REFUSED(TL_BAD_HANDLE,
            "patch.grains: index 6, generation 1 is no body of this scene (it has 5)");
    bad.grains.first = floor;
    REFUSED(TL_BAD_ARGUMENT,
            "patch.grains: body 1 is not dynamic; only such bodies can be put elsewhere");
    bad.follow = grain;
    REFUSED(TL_BAD_ARGUMENT, "patch.follow: body 3 is one of the grains; it must be another body");
    assert_ok(tl_scene_add_patch(scene, &sound));
    joint.a = cart;
    joint.b = boom;
    joint.position_a[0] = joint.position_b[0] = 0;
    joint.position_b[0] = -0.8;
    assert_ok(tl_scene_add_joint(scene, &joint, NULL));
    REFUSED(TL_BAD_ARGUMENT, "patch.length is 1; the machine reaches 1.7 m from body 2 along the "
                             "direction, and the patch must reach farther");
    joint.a = (tl_body){0, 0};
    joint.b = tied;
    joint.position_a[0] = 6;
    joint.position_a[1] = joint.position_a[2] = 5;
    joint.position_b[0] = 0;
    assert_ok(tl_scene_add_joint(scene, &joint, NULL));
    bad.grains.first = tied;
    REFUSED(TL_BAD_ARGUMENT,
            "patch.grains: body 4 has a joint, which would tear; grains must have none");
#undef REFUSED
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_grain), cmocka_unit_test(test_ground),
        cmocka_unit_test(test_many),      unwatched_test(test_bed),
        cmocka_unit_test(test_bits),      cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
