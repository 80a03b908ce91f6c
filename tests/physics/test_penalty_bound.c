/* How short automatic substeps are: a column of balls pressed between two plates, with dampers that
 * are critical. The shortest wave of the column is the first to be unstable, at h with h^2 W^2 + 4
 * h D = 4, W^2 and D the largest eigenvalues of stiffness and damping over mass: at most 4 k/m and
 * 4 c/m of balls that move along the column. And by the energy that integration makes of bodies
 * on springs off their centres, with compliance, flat and slender ones. */
#include "penalty.h"

enum { BALLS = 8 };
static const double radius = 0.05, mass = 1, stiffness = 1e4, whole = 0.05, pressed = 0.004;

/* The column, a little disturbed, with so many substeps; 0: automatic. */
static tl_world *column(uint32_t substeps)
{
    soft s = soft_default(TL_PENALTY_LINEAR, whole, substeps);
    s.settings.penalty.stiffness = stiffness;
    for (int k = 0; k < 3; k++)
        s.settings.gravity[k] = 0;
    s.material.friction = 0.3;
    soft_begin(&s);
    soft_floor(&s, 0);
    const double pi = acos(-1), apart = 2 * radius - pressed;
    for (int i = 0; i < BALLS; i++)
        soft_ball(&s, radius, (double[3]){0, 0, radius - pressed + apart * i},
                  (double[3]){0, 0, i % 2 ? 1e-4 : -1e-4}, mass);
    tl_body_def def = tl_body_default();
    tl_shape_def plane = tl_plane_default();
    plane.material = s.of;
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &plane;
    turn((double[3]){0, 1, 0}, pi, def.orientation);
    def.position[2] = 2 * (radius - pressed) + apart * (BALLS - 1);
    assert_ok(tl_scene_add_bodies(s.scene, 1, &def, NULL));
    return soft_world(&s);
}

/* The kinetic energy after 20 steps over that at the start. */
static double growth(uint32_t substeps, uint32_t *taken)
{
    tl_world *world = column(substeps);
    tl_report report;
    const double start = 0.5 * BALLS * mass * 1e-8;
    assert_ok(tl_world_step(world, 20, &report));
    *taken = report.substeps;
    tl_world_destroy(world);
    return report.kinetic_energy / start;
}

static void test_column(void **state)
{
    (void)state;
    static const claim c = {"8 balls between plates, critical dampers", "closed form",
                            "substep over the limit of stability of the shortest wave",
                            "linear law, automatic substeps"};
    uint32_t automatic, few;
    const double damper = 2 * sqrt(0.5 * mass * stiffness);
    const double w2 = 4 * stiffness / mass, d = 4 * damper / mass;
    const double limit = 2 * (sqrt(d * d + w2) - d) / w2;
    assert_below(growth(0, &automatic), 1e-3);
    /* what comes of rotations, and of the law's damper across, which is less than allowed for */
    assert_found(&c, "", whole / automatic / limit, 0.8, 0.2);
    assert_above(growth((uint32_t)floor(0.8 * whole / limit), &few), 100);
}

/* The energy that integration makes, over what a world had, and the substeps that it took at most.
 */
static double made(tl_world *world, uint32_t steps, double had, uint32_t *most)
{
    tl_report report;
    *most = 0;
    for (uint32_t i = 0; i < steps; i++) {
        assert_ok(tl_world_step(world, 1, &report));
        *most = report.substeps > *most ? report.substeps : *most;
    }
    tl_world_destroy(world);
    return fabs(report.energy_error) / had;
}

static void add(soft *s, tl_shape_def shape, double height, const double about[3], double angle)
{
    tl_body_def def = tl_body_default();
    shape.material = s->of;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[2] = height;
    turn(about, angle, def.orientation);
    assert_ok(tl_scene_add_bodies(s->scene, 1, &def, NULL));
}

/* A ball swings about a spring's other end, fixed off its centre: it yields 3.5 times as easily as
 * its mass alone. */
static void test_spring_off_centre(void **state)
{
    (void)state;
    static const claim c = {"a ball on a spring of 1e9 N/m, fixed 0.05 m off its centre",
                            "conservation of energy", "energy made, over 0.5 J",
                            "penalty, h = 1 ms, automatic substeps, 0.2 s"};
    uint32_t most;
    soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 0);
    tl_joint_def joint = tl_joint_default(TL_JOINT_DISTANCE);
    s.settings.gravity[2] = 0;
    soft_begin(&s);
    joint.b = soft_ball(&s, 0.05, (double[3]){0, 0, 0}, (double[3]){0, 1, 0}, 1);
    joint.position_a[2] = 1;
    joint.position_b[0] = 0.05;
    joint.axes[0].stiffness = 1e9;
    assert_ok(tl_scene_add_joint(s.scene, &joint, NULL));
    assert_found(&c, "double", made(soft_world(&s), 200, 0.5, &most), 0, 1e-3);
    assert_in_range(most, 30, 60); /* 30: h over 2/sqrt(3.5 k/m) */
}

/* Contacts with compliance come to be between two looks: their springs count from the start. */
static void test_compliance_ahead(void **state)
{
    (void)state;
    static const claim c = {"a ball falls 5 cm on a floor of compliance 1e-9 m/N",
                            "conservation of energy", "energy made, over that of its fall",
                            "penalty, h = 5 ms, automatic substeps, 0.3 s"};
    uint32_t most;
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++) {
        soft s = soft_default((tl_penalty_law)law, 5e-3, 0);
        s.material.compliance = 1e-9;
        soft_begin(&s);
        soft_floor(&s, 0);
        soft_ball(&s, 0.05, (double[3]){0, 0, 0.1}, NULL, 0.5);
        assert_found(&c, tl_word(TL_WORDS_PENALTY, (uint32_t)law),
                     made(soft_world(&s), 60, 0.5 * 9.81 * 0.05, &most), 0, 0.03);
    }
}

/* Bodies that are struck far from their centres, and stopped by all of their corners at once. */
static void test_flat_and_slender(void **state)
{
    (void)state;
    static const claim c = {"flat and slender bodies fall on a floor, tilted",
                            "conservation of energy", "energy made, over that of their fall",
                            "penalty, automatic substeps, 0.6 s"};
    const double along[3] = {1, 1, 0}, x[3] = {1, 0, 0}, pi = acos(-1);
    const struct {
        const char *name;
        tl_shape_def shape;
        const double *about;
        double step, angle, height, mass;
        uint32_t substeps;
    } cases[] = {
        {"plate, h = 2 ms", tl_box_default(0.5, 0.5, 0.005), along, 2e-3, pi / 9, 0.3, 10, 60},
        {"plate, h = 5 ms", tl_box_default(0.5, 0.5, 0.005), along, 5e-3, pi / 9, 0.3, 10, 200},
        {"disc, h = 2 ms", tl_cylinder_default(0.2, 0.01), along, 2e-3, pi / 9, 0.3, 2.5, 150},
        {"needle, h = 2 ms", tl_capsule_default(0.01, 0.5), x, 2e-3, pi / 18, 0.6, 0.32, 400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t most;
        soft s = soft_default(TL_PENALTY_HERTZ, cases[i].step, 0);
        soft_begin(&s);
        soft_floor(&s, 0);
        add(&s, cases[i].shape, cases[i].height, cases[i].about, cases[i].angle);
        assert_found(&c, cases[i].name,
                     made(soft_world(&s), (uint32_t)(0.6 / cases[i].step),
                          9.81 * cases[i].mass * cases[i].height, &most),
                     0, 0.02);
        assert_in_range(most, 1, cases[i].substeps);
    }
}

/* One that lies needs no more substeps because it turns easily about its axis. */
static void test_needle_lies(void **state)
{
    (void)state;
    uint32_t most;
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 0);
    soft_begin(&s);
    soft_floor(&s, 0);
    add(&s, tl_capsule_default(0.01, 0.5), 0.01, (double[3]){1, 0, 0}, acos(0));
    assert_below(made(soft_world(&s), 50, 1, &most), 1e-6);
    assert_in_range(most, 1, 60); /* by the least moment alone: 17,435 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column), cmocka_unit_test(test_spring_off_centre),
        cmocka_unit_test(test_compliance_ahead), cmocka_unit_test(test_flat_and_slender),
        cmocka_unit_test(test_needle_lies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
