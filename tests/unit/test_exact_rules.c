/* labels: threads */
/* What exact steps refuse or warn of, and how they go on from a snapshot: half-spaces that exclude
 * each other, problems without a solution, points, starts inside of a piece, the same bits after
 * loading and for any number of threads. */
#include "support.h"

#include <inttypes.h>

static tl_settings settings_of(tl_stepper stepper)
{
    tl_settings s = tl_settings_default();
    s.stepper = stepper;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    return s;
}

static tl_body add_wall(tl_scene *scene, double z, bool down)
{
    tl_shape_def plane = tl_plane_default();
    tl_body_def def = tl_body_default();
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &plane;
    def.position[2] = z;
    if (down)
        turn((double[3]){1, 0, 0}, PI, def.orientation);
    return add_body(scene, &def);
}

/* A ball between two planes that leave less room than it takes: no velocity is outside of both. The
 * step says so and names two bodies, with the pyramid and the cone, and the world stays as it was.
 */
static void exclusions(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        tl_settings s = settings_of(i % 2 ? TL_STEPPER_PEG : TL_STEPPER_STEWART_TRINKLE);
        s.exact.cone = i / 2 == 1;
        s.exact.primary = i / 2 == 2;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0.5, 0);
        add_sphere(scene, material, 0.1, 1, (double[3]){0, 0, 0.095}, (double[3]){0, 0, 0});
        add_wall(scene, 0, false);
        add_wall(scene, 0.19, true);
        tl_world *world = world_of(scene);
        const uint64_t hash = tl_world_hash(world);
        context("excluded, %s, %d", tl_words(TL_WORDS_STEPPER)[s.stepper], i / 2);
        assert_refused(tl_world_step(world, 1, NULL), TL_DIVERGED,
                       i / 2 == 1 ? "step 1: half-spaces exclude each other between bodies 1 and 2 "
                                    "(an island of 1 bodies, 2 unknowns; residual 1 m/s)"
                                  : "step 1: half-spaces exclude each other between bodies 1 and 2 "
                                    "(an island of 1 bodies, 20 unknowns; residual 1 m/s)");
        assert_true(tl_world_hash(world) == hash);
        tl_world_destroy(world);
    }
}

/* Boxes that are thrown at a floor, with much friction; `masses`: powers of ten that these span. */
static tl_world *thrown(const tl_settings *settings, int boxes, double masses, uint64_t seed)
{
    tl_scene *scene = scene_with(settings);
    dice rolls = {seed};
    const tl_material material = add_material(scene, roll(&rolls, 0.3, 3), 0);
    add_floor(scene, material);
    for (int i = 0; i < boxes; i++) {
        tl_shape_def box = tl_box_default(roll(&rolls, 0.03, 0.1), 0.1, roll(&rolls, 0.03, 0.1));
        tl_body_def def = tl_body_default();
        box.material = material;
        def.shape_count = 1;
        def.shapes = &box;
        def.mass = pow(10, roll(&rolls, -0.5, 0.5) * masses);
        turn((double[3]){0, 1, 0.3 * (settings->planar == TL_PLANAR_NONE)}, roll(&rolls, 0, 3),
             def.orientation);
        def.position[0] = roll(&rolls, -0.1, 0.1);
        def.position[2] = 0.15 + 0.2 * i;
        def.velocity[0] = roll(&rolls, -2, 2);
        def.angular_velocity[1] = roll(&rolls, -9, 9);
        add_body(scene, &def);
    }
    return world_of(scene);
}

/* Whether a step within 150 has no solution: it says which bodies, how large the island is and how
 * much is left, the world stays as it was, and the full form goes on with it. */
static bool ends_unsolved(tl_settings *settings, int boxes, double masses, uint64_t seed)
{
    tl_world *world = thrown(settings, boxes, masses, seed);
    uint64_t hash = 0, step;
    tl_status status = TL_OK;
    for (int i = 0; i < 150 && status == TL_OK; i++) {
        hash = tl_world_hash(world);
        status = tl_world_step(world, 1, NULL);
    }
    const bool unsolved =
        status == TL_DIVERGED && strstr(tl_last_message(), "contacts could not be solved");
    if (unsolved) {
        uint32_t a, b, bodies, unknowns;
        double residual;
        int end = 0;
        sscanf(tl_last_message(),
               "step %" SCNu64 ": contacts could not be solved between bodies %" SCNu32
               " and %" SCNu32 " (an island of %" SCNu32 " bodies, %" SCNu32
               " unknowns; residual %lf m/s)%n",
               &step, &a, &b, &bodies, &unknowns, &residual, &end);
        assert_int_equal(end, strlen(tl_last_message()));
        assert_true(step == (uint64_t)lround(tl_world_time(world) / settings->step) + 1 &&
                    residual > 1e-3);
        assert_true(a != b && a >= 1 && a <= (uint32_t)boxes + 1 && b <= (uint32_t)boxes + 1);
        assert_true(bodies >= 1 && bodies <= (uint32_t)boxes && unknowns > bodies);
        assert_true(tl_world_hash(world) == hash);
        settings->exact = tl_settings_default().exact;
        assert_ok(tl_world_set_settings(world, settings));
        status = tl_world_step(world, 1, NULL);
        assert_true(masses > 0 || status == TL_OK);
    }
    tl_world_destroy(world);
    return unsolved;
}

/* Eq. 16 with friction is no problem that Lemke's method always solves: some paths end on a ray.
 * And masses from a milligram to a tonne leave Newton's method no digits. */
static void unsolved(void **state)
{
    (void)state;
    uint32_t rays = 0, failures = 0;
    for (uint64_t seed = 1; seed <= 60 && rays < 2; seed++) {
        tl_settings s = settings_of(TL_STEPPER_PEG);
        s.exact.primary = true;
        s.planar = TL_PLANAR_XZ;
        context("a ray, seed %d", (int)seed);
        rays += ends_unsolved(&s, 3 + (int)(seed % 5), 0, seed);
    }
    for (uint64_t seed = 1; seed <= 20 && failures < 1; seed++) {
        tl_settings s = settings_of(TL_STEPPER_PEG);
        s.exact.cone = true;
        context("no convergence, seed %d", (int)seed);
        failures += ends_unsolved(&s, 12, 12, seed);
    }
    assert_true(rays == 2 && failures == 1);
}

static void add_slab(tl_scene *scene)
{
    const tl_shape_def box = tl_box_default(2, 2, 0.5);
    tl_body_def def = tl_body_default();
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &box;
    def.position[2] = -0.5;
    add_body(scene, &def);
}

/* Points on a plane or a box: they have no size, and must be found all the same, few or many. */
static void points_on_a_floor(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const int count = i / 2 % 2 ? 60 : 1;
        const tl_settings s = settings_of(i % 2 ? TL_STEPPER_PEG : TL_STEPPER_DVI);
        tl_scene *scene = scene_with(&s);
        const tl_shape_def point = tl_point_default();
        if (i < 4)
            add_wall(scene, 0, false);
        else
            add_slab(scene);
        for (int k = 0; k < count; k++) {
            tl_body_def def = tl_body_default();
            def.shape_count = 1;
            def.shapes = &point;
            def.mass = 1;
            def.position[0] = 0.01 * k;
            def.position[2] = 0.001 * (k % 3);
            add_body(scene, &def);
        }
        tl_world *world = world_of(scene);
        tl_report r;
        context("%d points, %s", count, tl_words(TL_WORDS_STEPPER)[s.stepper]);
        assert_ok(tl_world_step(world, 60, &r));
        assert_int_equal(r.contacts, count);
        assert_below(r.max_penetration, 1e-5);
        tl_world_destroy(world);
    }
}

/* A fixed box of 1 m, and a dynamic body above or in it. */
static tl_scene *over_a_box(const tl_shape_def *shape, double z)
{
    const tl_settings s = settings_of(TL_STEPPER_PEG);
    tl_scene *scene = scene_with(&s);
    const tl_shape_def box = tl_box_default(0.5, 0.5, 0.5);
    tl_body_def def = tl_body_default();
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &box;
    add_body(scene, &def);
    def = tl_body_default();
    def.shape_count = 1;
    def.shapes = shape;
    def.mass = 5;
    def.position[2] = z;
    add_body(scene, &def);
    return scene;
}

/* A start inside of a piece is a warning that says how deep; the first step ends outside. */
static void starts_inside(void **state)
{
    (void)state;
    const tl_shape_def point = tl_point_default(), ball = tl_sphere_default(0.1);
    static const char *const says[2] = {
        "bodies 2 and 1 overlap by 0.2 m, a point being inside of a shape; 1 pairs overlap by more "
        "than 10 %",
        "bodies 2 and 1 overlap by 0.3 m, 300 % of the smaller radius; 1 pairs overlap by more "
        "than 10 %"};
    for (int i = 0; i < 2; i++) {
        tl_scene *scene = over_a_box(i ? &ball : &point, 0.3);
        tl_world *world;
        double x[3];
        context("inside, %s", i ? "ball" : "point");
        assert_refused(tl_world_create(scene, &world), TL_OVERLAPPING, says[i]);
        tl_scene_destroy(scene);
        assert_ok(tl_world_step(world, 1, NULL));
        position_of(world, (tl_body){2, 1}, x);
        assert_near(x[2], i ? 0.6 : 0.5, 1e-12);
        tl_world_destroy(world);
    }
    /* a point on a face is outside */
    tl_scene *scene = over_a_box(&point, 0.5);
    tl_world *world;
    assert_ok(tl_world_create(scene, &world));
    tl_scene_destroy(scene);
    tl_world_destroy(world);
}

/* Boxes, balls and cut polygons that fall on a floor. */
static tl_world *falling(const tl_settings *settings)
{
    static const double ell[] = {0, 0, 0.4, 0, 0.4, 0.1, 0.1, 0.1, 0.1, 0.3, 0, 0.3};
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.5, 0);
    tl_polygon_def polygon = tl_polygon_default();
    tl_geometry geometry;
    polygon.count = 6;
    polygon.vertices = ell;
    polygon.depth = 0.2;
    assert_ok(tl_scene_add_polygon(scene, &polygon, &geometry));
    add_floor(scene, material);
    for (int i = 0; i < 9; i++) {
        tl_shape_def shape = i % 3 == 0   ? tl_box_default(0.1, 0.08, 0.06)
                             : i % 3 == 1 ? tl_sphere_default(0.08)
                                          : tl_polygon_shape_default(geometry);
        tl_body_def def = tl_body_default();
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        turn((double[3]){0, 1, 0.3 * (settings->planar == TL_PLANAR_NONE)}, 0.3 * i,
             def.orientation);
        def.position[0] = 0.21 * (i % 3) + 0.03 * (i / 3);
        def.position[2] = 0.25 + 0.35 * (i / 3);
        add_body(scene, &def);
    }
    return world_of(scene);
}

/* Planar worlds are for every stepper: nothing moves along y, nor turns but about it. */
static void planar_worlds(void **state)
{
    (void)state;
    static const tl_stepper all[] = {TL_STEPPER_DVI, TL_STEPPER_SMOOTH, TL_STEPPER_PENALTY,
                                     TL_STEPPER_STEWART_TRINKLE, TL_STEPPER_PEG};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tl_settings s = settings_of(all[i]);
        s.planar = TL_PLANAR_XZ;
        s.exact.psi_minimum = 0.02;
        tl_world *world = falling(&s);
        tl_report r;
        context("planar, %s", tl_words(TL_WORDS_STEPPER)[s.stepper]);
        assert_ok(tl_world_step(world, 100, &r));
        assert_true(r.contacts > 0);
        for (uint32_t k = 2; k <= 10; k++) {
            double x[3], q[4];
            position_of(world, (tl_body){k, 1}, x);
            orientation_of(world, (tl_body){k, 1}, q);
            assert_true(x[1] == 0);
            assert_near(q[1], 0, 1e-12);
            assert_near(q[3], 0, 1e-12);
        }
        tl_world_destroy(world);
    }
}

/* Saved in the middle of a run and loaded, the world goes on with the same bits. */
static void goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        tl_settings s = settings_of(i % 2 ? TL_STEPPER_STEWART_TRINKLE : TL_STEPPER_PEG);
        s.precision = i & 2 ? TL_MIXED : TL_DOUBLE;
        s.planar = i & 4 ? TL_PLANAR_XZ : TL_PLANAR_NONE;
        s.exact.psi_minimum = i % 2 ? 0.02 : 0; /* as half-spaces throw bodies about */
        tl_world *world = falling(&s), *other = NULL;
        void *bytes;
        size_t size;
        context("goes on, %s, precision %d, planar %d", tl_words(TL_WORDS_STEPPER)[s.stepper],
                s.precision, s.planar);
        step(world, 60);
        assert_ok(tl_world_save(world, &bytes, &size));
        assert_ok(tl_world_load(bytes, size, &other));
        tl_snapshot_free(bytes, size);
        assert_int_equal(tl_world_settings(other).stepper, s.stepper);
        for (int k = 0; k < 20; k++) {
            const tl_report a = step_report(world, 1), b = step_report(other, 1);
            assert_true(tl_world_hash(world) == tl_world_hash(other));
            assert_true(a.contacts > 0 && a.contacts == b.contacts);
            assert_true(a.iterations == b.iterations && a.islands == b.islands);
            assert_true(a.max_residual == b.max_residual);
        }
        tl_world_destroy(other);
        tl_world_destroy(world);
    }
}

/* Heaps that do not meet are islands of their own; `bad`: behind them balls that are squeezed. */
static tl_world *heaps(uint32_t threads, int bad)
{
    tl_settings s = settings_of(TL_STEPPER_PEG);
    s.threads = threads;
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.5, 0);
    add_wall(scene, 0, false);
    for (int i = 0; i < 60; i++) {
        tl_shape_def box = tl_box_default(0.1, 0.1, 0.1);
        tl_body_def def = tl_body_default();
        box.material = material;
        def.shape_count = 1;
        def.shapes = &box;
        turn((double[3]){0, 0, 1}, 0.2 * i, def.orientation);
        def.position[0] = i / 5 + 0.01 * (i % 5);
        def.position[2] = 0.15 + 0.25 * (i % 5);
        add_body(scene, &def);
    }
    for (int i = 0; i < bad; i++) {
        tl_shape_def slab = tl_box_default(0.2, 0.2, 0.1);
        tl_body_def def = tl_body_default();
        def.kind = TL_FIXED;
        def.shape_count = 1;
        def.shapes = &slab;
        def.position[0] = 20 + i;
        def.position[2] = 0.28;
        add_body(scene, &def);
        add_sphere(scene, material, 0.1, 1, (double[3]){20 + i, 0, 0.09}, (double[3]){0, 0, 0});
    }
    return world_of(scene);
}

/* Islands are solved by all threads, with the same bits; of several that have no solution the same
 * one is named. */
static void threads_agree(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 5, 2};
    const int runs = WATCHED ? 2 : 3;
    tl_world *worlds[3];
    tl_report r;
    for (int i = 0; i < runs; i++)
        worlds[i] = heaps(threads[i], 0);
    for (int step = 0; step < 35; step++)
        for (int i = 0; i < runs; i++) {
            context("%u threads, step %d", threads[i], step);
            assert_ok(tl_world_step(worlds[i], 1, &r));
            assert_true(tl_world_hash(worlds[i]) == tl_world_hash(worlds[0]));
        }
    assert_true(r.islands >= 12);
    for (int i = 0; i < runs; i++) {
        tl_world *world = heaps(threads[i], 4);
        const uint64_t hash = tl_world_hash(world);
        context("%u threads, excluded", threads[i]);
        assert_refused(tl_world_step(world, 1, NULL), TL_DIVERGED,
                       "step 1: half-spaces exclude each other between bodies 63 and 1 (an island "
                       "of 1 bodies, 20 unknowns; residual 2 m/s)");
        assert_true(tl_world_hash(world) == hash);
        tl_world_destroy(world);
        tl_world_destroy(worlds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(exclusions),        one_thread_test(unsolved),
        one_thread_test(points_on_a_floor), one_thread_test(starts_inside),
        one_thread_test(planar_worlds),     one_thread_test(goes_on),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
