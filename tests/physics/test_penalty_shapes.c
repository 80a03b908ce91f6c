/* Penalty contact of all shapes: how deep they rest, what holds them on inclines, belts and plates
 * that move; the same bits for any number of threads and after a snapshot; what is refused. */
#include "penalty.h"

static const double pi = 3.14159265358979323846, E = 1e7 / (2 * (1 - 0.09));

static soft hertz(double step)
{
    soft s = soft_default(TL_PENALTY_HERTZ, step, 0);
    s.material.young_modulus = 1e7;
    s.material.restitution = 0.3;
    return s;
}

static tl_body solid(soft *s, tl_shape_def shape, const double x[3], const double q[4], double mass)
{
    tl_body_def def = tl_body_default();
    tl_body body;
    shape.material = s->of;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = mass;
    for (int k = 0; k < 3; k++)
        def.position[k] = x[k];
    for (int k = 0; k < 4 && q; k++)
        def.orientation[k] = q[k];
    assert_ok(tl_scene_add_bodies(s->scene, 1, &def, &body));
    return body;
}

/* The overlap of a contact that carries a load. */
static double depth(double load, double radius)
{
    return pow(0.75 * load / (E * sqrt(radius)), 2.0 / 3);
}

/* Shapes rest where the springs of their points carry them. */
static void test_depths(void **state)
{
    (void)state;
    static const claim c = {"shapes at rest on a plane, Hertz's law at each point",
                            "closed form: (3 F/(4 E sqrt R))^(2/3)", "overlap, m", "h = 1 ms"};
    const double g = 9.81, mass = 0.2;
    const double lying[4] = {sqrt(0.5), 0, sqrt(0.5), 0};
    tl_shape_def round = tl_ellipsoid_default(0.02, 0.02, 0.01);
    const struct {
        const char *name;
        tl_shape_def shape;
        const double *q;
        double height, radius;
        int points;
    } all[] = {{"sphere", tl_sphere_default(0.02), NULL, 0.02, 0.02, 1},
               {"box", tl_box_default(0.02, 0.03, 0.01), NULL, 0.01, 0.01, 4},
               {"capsule", tl_capsule_default(0.01, 0.03), lying, 0.01, 0.01, 2},
               {"ellipsoid", round, NULL, 0.01, 0.01, 1},
               {"cylinder", tl_cylinder_default(0.02, 0.01), NULL, 0.01, 0.01, 4}};
    soft s = hertz(1e-3);
    tl_body bodies[5];
    s.settings.threads = 2;
    soft_begin(&s);
    soft_floor(&s, 0);
    for (int k = 0; k < 5; k++)
        bodies[k] = solid(&s, all[k].shape, (double[3]){0.1 * k, 0, all[k].height}, all[k].q, mass);
    tl_world *world = soft_world(&s);
    tl_report report;
    assert_ok(tl_world_step(world, 800, &report));
    for (int k = 0; k < 5; k++) {
        const double want = depth(mass * g / all[k].points, all[k].radius);
        assert_found(&c, all[k].name, all[k].height - soft_position(world, bodies[k], 2), want,
                     0.01 * want);
        assert_below(fabs(soft_velocity(world, bodies[k], 2)), 1e-5);
    }
    assert_near(report.carried_weight, 1, 1e-3);
    tl_world_destroy(world);
}

/* A box on an incline, a belt and a plate that moves: Coulomb's law. */
static void test_friction(void **state)
{
    (void)state;
    const double mu = 0.5, below = atan(0.8 * mu);
    soft s = hertz(1e-3);
    s.material.friction = mu;
    soft_begin(&s);
    soft_floor(&s, below);
    double q[4];
    turn((double[3]){0, 1, 0}, below, q);
    const tl_body box = solid(&s, tl_box_default(0.02, 0.02, 0.01),
                              (double[3]){0.01 * sin(below), 0, 0.01 * cos(below)}, q, 0.2);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 200, NULL));
    const double x = soft_position(world, box, 0);
    assert_ok(tl_world_step(world, 500, NULL));
    assert_near(soft_position(world, box, 0), x, 1e-8);
    tl_world_destroy(world);

    /* a plate that moves at 1 m/s takes a box along by mu g */
    static const claim c = {"a box on a plate that moves at 1 m/s, penalty contact",
                            "closed form: mu g t", "speed after 0.1 s, m/s", "h = 1 ms"};
    soft_begin(&s);
    tl_body_def plate = tl_body_default();
    tl_shape_def slab = tl_box_default(1, 1, 0.05);
    slab.material = s.of;
    plate.kind = TL_PRESCRIBED;
    plate.shape_count = 1;
    plate.shapes = &slab;
    plate.position[2] = -0.05;
    plate.motion.velocity[0] = 1;
    assert_ok(tl_scene_add_bodies(s.scene, 1, &plate, NULL));
    const double sunk = depth(0.2 * 9.81 / 4, 0.01);
    const tl_body load =
        solid(&s, tl_box_default(0.02, 0.02, 0.01), (double[3]){0, 0, 0.01 - sunk}, NULL, 0.2);
    world = soft_world(&s);
    tl_report report;
    assert_ok(tl_world_step(world, 100, &report));
    assert_found(&c, "double", soft_velocity(world, load, 0), mu * 9.81 * 0.1, 0.01);
    assert_above(report.work_energy, 0.9 * 0.2 * mu * 9.81 * 0.1);
    assert_ok(tl_world_step(world, 400, NULL));
    assert_near(soft_velocity(world, load, 0), 1, 1e-3);
    tl_world_destroy(world);
}

/* A heap of all kinds on a height field. */
static tl_world *heap(uint32_t threads, tl_precision precision)
{
    soft s = hertz(2e-3);
    dice d = {5};
    double heights[36];
    s.settings.threads = threads;
    s.settings.precision = precision;
    s.material.young_modulus = 1e6;
    soft_begin(&s);
    for (int k = 0; k < 36; k++)
        heights[k] = 0.01 * sin(k);
    const tl_heights_def field = {6, 6, {0.1, 0.1}, heights};
    tl_geometry ground;
    assert_ok(tl_scene_add_heights(s.scene, &field, &ground));
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_heights_default(ground);
    shape.material = s.of;
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[0] = def.position[1] = -0.25;
    assert_ok(tl_scene_add_bodies(s.scene, 1, &def, NULL));
    for (int k = 0; k < 27; k++) {
        const double x[3] = {0.05 * (k % 3 - 1), 0.05 * (k / 3 % 3 - 1), 0.06 + 0.05 * (k / 9)};
        double axis[3], q[4];
        roll_direction(&d, axis);
        turn(axis, roll(&d, 0, pi), q);
        const tl_shape_def shapes[] = {tl_sphere_default(0.02), tl_box_default(0.02, 0.01, 0.01),
                                       tl_capsule_default(0.01, 0.012),
                                       tl_cylinder_default(0.015, 0.01),
                                       tl_ellipsoid_default(0.02, 0.015, 0.01)};
        solid(&s, shapes[k % 5], x, q, 0);
    }
    return soft_world(&s);
}

static void test_heap(void **state)
{
    (void)state;
    for (int precision = TL_MIXED; precision <= (WATCHED ? TL_MIXED : TL_DOUBLE); precision++) {
        uint64_t hash = 0;
        const uint32_t threads[] = {1, 3, 8};
        for (size_t k = 0; k < (WATCHED ? 2 : 3); k++) {
            tl_world *world = heap(threads[k], (tl_precision)precision), *other;
            void *bytes;
            size_t size;
            tl_report report;
            assert_ok(tl_world_step(world, 100, NULL));
            assert_ok(tl_world_save(world, &bytes, &size));
            assert_ok(tl_world_load(bytes, size, &other));
            tl_snapshot_free(bytes, size);
            assert_ok(tl_world_step(world, 50, &report));
            assert_ok(tl_world_step(other, 50, NULL));
            assert_int_equal(tl_world_hash(world), tl_world_hash(other));
            if (k)
                assert_int_equal(tl_world_hash(world), hash);
            hash = tl_world_hash(world);
            assert_above((double)report.active_contacts, 20);
            assert_below(report.max_penetration, 0.003);
            tl_world_destroy(world);
            tl_world_destroy(other);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    soft s = hertz(1e-3);
    soft_begin(&s);
    tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
    tl_world *world;
    joint.a = soft_ball(&s, 0.1, (double[3]){0, 0, 0}, NULL, 1);
    joint.b = soft_ball(&s, 0.1, (double[3]){0, 0, 0.5}, NULL, 1);
    joint.position_b[2] = -0.5;
    assert_ok(tl_scene_add_joint(s.scene, &joint, NULL));
    assert_refused(tl_world_create(s.scene, &world), TL_BAD_ARGUMENT,
                   "settings.stepper is penalty; it must be dvi or smooth, as joint 1 is "
                   "\"spherical\"; penalty takes \"distance\" with a spring and damper alone");
    tl_scene_destroy(s.scene);

    s.settings.penalty.law = TL_PENALTY_SCALED;
    s.material.cohesion = 1;
    soft_begin(&s);
    assert_status(tl_world_create(s.scene, &world), TL_BAD_ARGUMENT);
    tl_scene_destroy(s.scene);
    s.settings.penalty.law = TL_PENALTY_LINEAR;
    s.settings.penalty.cohesion = TL_COHESION_JKR;
    s.material.cohesion = 0;
    soft_begin(&s);
    assert_refused(tl_world_create(s.scene, &world), TL_BAD_ARGUMENT,
                   "settings.penalty.cohesion is jkr; it must be dmt or sjkr where the law is not "
                   "hertz");
    tl_scene_destroy(s.scene);
    s.settings.penalty.cohesion = TL_COHESION_DMT;
    s.material.cohesion_density = 1e5;
    soft_begin(&s);
    assert_refused(tl_world_create(s.scene, &world), TL_BAD_ARGUMENT,
                   "settings.penalty.cohesion is dmt; it must be sjkr where materials have "
                   "cohesion_density alone; jkr and dmt take cohesion, a force");
    s.material.cohesion_density = 0;
    tl_scene_destroy(s.scene);
    assert_ok(tl_scene_create(&s.scene));
    s.settings.penalty.substeps = 1000001;
    assert_refused(tl_scene_set_settings(s.scene, &s.settings), TL_BAD_ARGUMENT,
                   "settings.penalty.substeps is 1000001; it must be at most 1000000");
    s.settings.penalty.substeps = 1;
    s.material.poisson_ratio = 0.6;
    assert_refused(tl_scene_add_material(s.scene, &s.material, &s.of), TL_BAD_ARGUMENT,
                   "material.poisson_ratio is 0.6; it must be above -1 and at most 0.5");
    tl_scene_destroy(s.scene);
}

/* A body that runs away stops the run, and the world is as it was. */
static void test_diverged(void **state)
{
    (void)state;
    soft s = hertz(1e-3);
    s.settings.max_speed = 0.5;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body ball = soft_ball(&s, 0.1, (double[3]){0, 0, 0.2}, NULL, 1);
    tl_world *world = soft_world(&s);
    tl_status status = TL_OK;
    uint64_t hash = 0;
    double time = 0;
    while (status == TL_OK && tl_world_time(world) < 1) {
        hash = tl_world_hash(world);
        time = tl_world_time(world);
        status = tl_world_step(world, 1, NULL);
    }
    assert_status(status, TL_DIVERGED);
    assert_int_equal(tl_world_hash(world), hash);
    assert_near(tl_world_time(world), time, 0);
    assert_near(time, 0.5 / 9.81, 2e-3);
    assert_near(soft_velocity(world, ball, 2), -0.5, 0.02);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depths),   cmocka_unit_test(test_friction),
        cmocka_unit_test(test_heap),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_diverged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
