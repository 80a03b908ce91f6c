/* How short automatic substeps are: a column of balls pressed between two plates, with dampers that
 * are critical. The shortest wave of the column is the first to be unstable, at h with h^2 W^2 + 4
 * h D = 4, W^2 and D the largest eigenvalues of stiffness and damping over mass: at most 4 k/m and
 * 4 c/m of balls that move along the column. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
