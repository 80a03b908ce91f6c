/* Convergence in h: a projectile (smooth) and a sphere that slides down an incline and then rolls
 * (frictional), against closed forms; the orders are measured and printed. Free rotation, which is
 * of second order, is in test_spin.c. */
#include "support.h"

#define LEVELS 5

/* The slope of log(error) over log(h) by least squares; each level halves h. */
static double order_of(const double *error)
{
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (int i = 0; i < LEVELS; i++) {
        const double x = -i, y = log2(error[i]);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    return (LEVELS * sum_xy - sum_x * sum_y) / (LEVELS * sum_xx - sum_x * sum_x);
}

/* Symplectic Euler: first order in the position. */
static void projectile(const variant *v)
{
    double error[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        const double h = 0.02 / (1 << level);
        double x[3];
        tl_scene *scene = scene_for(v, h);
        const tl_body body =
            add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 0, 2}, (double[3]){3, 1, 4});
        tl_world *world = world_of(scene);
        step(world, 50u << level);
        position_of(world, body, x);
        error[level] = distance3(x, (double[3]){3, 1, 2 + 4 - G / 2});
        tl_world_destroy(world);
    }
    const double order = order_of(error);
    print_message("projectile, %s: order %.3f (error %.2g at h = 1/800)\n", v->name, order,
                  error[LEVELS - 1]);
    static const claim c = {"a projectile", "theory: first order", "order of convergence",
                            "h = 1/50 to 1/800 s"};
    assert_found(&c, v->name, order, 1, 0.05);
}

static void test_projectile(void **state)
{
    (void)state;
    for_each_precision(projectile);
}

/* On a slope of angle a a sphere starts with the speed v0 and no spin. It slides with
 * g (sin a - mu cos a), its slip falls at g (7/2 mu cos a - sin a), and when that is gone it rolls
 * with 5/7 g sin a. Position and speed after T: */
static void exact(double v0, double angle, double mu, double time, double *travel, double *speed)
{
    const double sliding = G * (sin(angle) - mu * cos(angle));
    const double rolling = 5.0 / 7 * G * sin(angle);
    const double until = v0 / (G * (3.5 * mu * cos(angle) - sin(angle)));
    const double rest = time - until;
    const double turnover = v0 + sliding * until;
    assert_true(rest > 0);
    *speed = turnover + rolling * rest;
    *travel =
        v0 * until + sliding * until * until / 2 + turnover * rest + rolling * rest * rest / 2;
}

/* The error is asked for in the travel, first order as in free flight, plus the part of a step in
 * which the transition falls. The cone law starts at its sliding gap h mu v0, which is also of
 * first order. */
static void slide_and_roll(const variant *v)
{
    const double angle = 0.4, mu = 0.4, v0 = 2, time = 1, r = 0.1;
    double error[LEVELS], travel, speed;
    exact(v0, angle, mu, time, &travel, &speed);
    for (int level = 0; level < LEVELS; level++) {
        const double h = 0.02 / (1 << level);
        const double normal[3] = {sin(angle), 0, cos(angle)},
                     down[3] = {cos(angle), 0, -sin(angle)};
        double q[4], x[3], u[3], place[3], velocity[3];
        tl_settings settings = settings_for(v, h);
        settings.envelope = 0.05; /* holds the sliding gap of the coarsest step, 0.016 */
        tl_scene *scene = scene_with(&settings);
        const tl_material material = add_material(scene, mu, 0);
        turn((double[3]){0, 1, 0}, angle, q);
        add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0}, q);
        add3((double[3]){0, 0, 0}, r + (is_cone(v) ? h * mu * v0 : 0), normal, place);
        add3((double[3]){0, 0, 0}, v0, down, velocity);
        const tl_body body = add_sphere(scene, material, r, 0, place, velocity);
        tl_world *world = world_of(scene);
        step(world, 50u << level);
        position_of(world, body, x);
        velocity_of(world, body, u);
        error[level] = fabs(dot3(x, down) - travel);
        /* Slip is gone, so the rim's balance gives the speed up to one step of g. */
        assert_near(dot3(u, down), speed, G * h);
        tl_world_destroy(world);
    }
    const double order = order_of(error);
    print_message("slide and roll, %s: order %.3f (error %.2g at h = 1/800)\n", v->name, order,
                  error[LEVELS - 1]);
    static const claim of_order = {"a ball slides down a slope, then rolls", "theory: first order",
                                   "order of convergence of the way", "h = 1/50 to 1/800 s"};
    static const claim of_way = {"a ball slides down a slope, then rolls",
                                 "closed form: sliding, then rolling",
                                 "error of the way after 1 s, m", "h = 1.25 ms"};
    assert_found(&of_order, v->name, order, 1, 0.2);
    assert_found(&of_way, v->name, error[LEVELS - 1], 0, speed * 0.02 / (1 << (LEVELS - 1)));
}

static void test_slide_and_roll(void **state)
{
    (void)state;
    for_each_variant(slide_and_roll);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projectile),
        cmocka_unit_test(test_slide_and_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
