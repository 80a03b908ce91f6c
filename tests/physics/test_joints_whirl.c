/* Parts whose centres go round their hinges, by up to 0.3 rad per step: they keep their speed. */
#include "joints.h"

enum { STEPS = 400 };

/* A box at x that whirls about the origin. */
static put whirling(tl_scene *scene, double size, double rate, double x)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(size, size, size);
    shape.mask = 0;
    def.mass = 1;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[0] = x;
    def.velocity[1] = rate * x;
    def.angular_velocity[2] = rate;
    return (put){add_body(scene, &def), {x, 0, 0}, {1, 0, 0, 0}};
}

/* Links that whirl as one, by `turn` rad per step, without gravity: the speed in the end and the
 * largest on the way, over the first. The first chord is slower than the start is, by its angle. */
static void whirl(tl_stepper stepper, tl_precision precision, uint32_t links, double size,
                  double turn, double *end, double *most)
{
    tl_settings settings = tl_settings_default();
    settings.precision = precision;
    settings.stepper = stepper;
    settings.step = 0.005;
    settings.gravity[2] = 0;
    tl_scene *scene = scene_with(&settings);
    put before = ground;
    for (uint32_t i = 0; i < links; i++) {
        const put link = whirling(scene, size, turn / settings.step, i + 0.5);
        join(scene, TL_JOINT_REVOLUTE, before, link, i, 0, 0, joint_z);
        before = link;
    }
    tl_world *world = world_of(scene);
    const double first = step_report(world, 1).kinetic_energy;
    double now = first;
    *most = 1;
    for (int i = 1; i < STEPS; i++) {
        now = step_report(world, 1).kinetic_energy;
        *most = fmax(*most, sqrt(now / first));
    }
    *end = sqrt(now / first);
    tl_world_destroy(world);
}

static const struct {
    tl_stepper stepper;
    const char *name;
} steppers[] = {{TL_STEPPER_DVI, "dvi"}, {TL_STEPPER_SMOOTH, "smooth"}};

/* Light weights far from the axis, and heavy ones near it. */
static void rotor(void **state)
{
    (void)state;
    static const double turns[] = {0.02, 0.1, 0.2, 0.3};
    for (int s = 0; s < 2; s++) {
        double worst = 0;
        for (int i = 0; i < 16; i++) {
            const double turn = turns[i % 4], size = i / 4 % 2 ? 0.3 : 0.02;
            double end, most;
            whirl(steppers[s].stepper, i < 8 ? TL_DOUBLE : TL_MIXED, 1, size, turn, &end, &most);
            context("%s, %g rad per step, size %g", steppers[s].name, turn, size);
            assert_below(most - 1, 1e-4);
            worst = fmax(worst, fabs(end - 1));
        }
        claim c = {"A weight off its axis goes round, 0.02 to 0.3 rad per step", "closed form",
                   "speed after 400 steps, over the first", "both precisions"};
        assert_found(&c, steppers[s].name, 1 + worst, 1, 2e-3);
    }
}

/* Chains, which bend and unbend if they whirl unevenly. */
static void chain(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        double worst = 0;
        for (int i = 0; i < 4; i++) {
            double end, most;
            whirl(steppers[s].stepper, TL_DOUBLE, 2 + i / 2 * 3, 0.3, i % 2 ? 0.1 : 0.05, &end,
                  &most);
            context("%s, %d links", steppers[s].name, 2 + i / 2 * 3);
            assert_below(most - 1, 1e-4);
            worst = fmax(worst, fabs(end - 1));
        }
        claim c = {"Chains of 2 and 5 links whirl as a whole, 0.05 and 0.1 rad per step",
                   "closed form", "speed after 400 steps, over the first", ""};
        assert_found(&c, steppers[s].name, 1 + worst, 1, 3e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rotor), cmocka_unit_test(chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
