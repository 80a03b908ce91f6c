/* What materials ask of contacts beyond sliding friction, against closed forms: rolling and
 * spinning friction, cohesion, compliance, and surfaces that move in themselves. */
#include "physics/shapes.h"

static const double r = 0.1, density = 1000;

static tl_material add_law(tl_scene *scene, const tl_material_def *def)
{
    tl_material material;
    assert_ok(tl_scene_add_material(scene, def, &material));
    return material;
}

static double ball_mass(void)
{
    return density * 4 / 3 * PI * r * r * r;
}

/* A ball of this material on a floor of it. */
static tl_body_def ball_on(tl_scene *scene, tl_material material, tl_shape_def *ball)
{
    *ball = tl_sphere_default(r);
    ball->material = material;
    add_floor(scene, material);
    return body_of(ball, density, (double[3]){0, 0, r}, upright);
}

/* ---- Rolling and spinning ---- */

/* Speeds that decay to nothing end at 0, not among denormal numbers. */
static void assert_ends(double speed)
{
    if (speed != 0 && fabs(speed) < 1e-25)
        fail_msg("%s: a speed of %g", test_context, speed);
}

/* What rolls with the moment of inertia part m r^2 stops after (1 + part) v^2 / (2 mu_r g). */
static void rolls_out(const variant *v, const claim *c, tl_shape_def shape,
                      const double orientation[4], double part)
{
    const double h = 1e-3, speed = 1, roll = 0.05;
    const double way = (1 + part) * speed * speed / (2 * roll * G);
    const tl_material_def law = {.friction = 0.5, .rolling_friction = roll};
    double x[3], u[3], w[3];
    tl_scene *scene = scene_for(v, h);
    shape.material = add_law(scene, &law);
    add_floor(scene, shape.material);
    tl_body_def def = body_of(&shape, density, (double[3]){0, 0, r}, orientation);
    def.velocity[0] = speed;
    def.angular_velocity[1] = speed / r;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(1.2 * 2 * way / speed / h));
    position_of(world, body, x);
    velocity_of(world, body, u);
    spin_of(world, body, w);
    assert_found(c, v->name, x[0], way, speed * h);
    assert_near(x[1], 0, slack(v, way, 1000));
    assert_near(norm3(u), 0, slack(v, speed, 10));
    assert_near(norm3(w), 0, slack(v, speed / r, 10));
    for (int i = 0; i < 600; i++) {
        step(world, 1);
        velocity_of(world, body, u);
        spin_of(world, body, w);
        for (int k = 0; k < 3; k++) {
            assert_ends(u[k]);
            assert_ends(w[k]);
        }
    }
    tl_world_destroy(world);
}

static void ball_rolls_out(const variant *v)
{
    static const claim c = {"a rolling ball, rolling friction 0.05",
                            "closed form: 7 v^2 / (10 mu_r g)", "way until it stops, m",
                            "h = 1 ms"};
    if (v->kind == TL_PSOR)
        rolls_out(v, &c, tl_sphere_default(r), upright, 0.4);
}

static void cylinder_rolls_out(const variant *v)
{
    static const claim c = {"a rolling cylinder, rolling friction 0.05",
                            "closed form: 3 v^2 / (4 mu_r g)", "way until it stops, m", "h = 1 ms"};
    double lying[4];
    turn((double[3]){1, 0, 0}, PI / 2, lying);
    rolls_out(v, &c, tl_cylinder_default(r, 0.15), lying, 0.5);
}

/* A ball on a slope rests where tan a is below the rolling friction, and rolls with
 * 5/7 g (sin a - mu_r cos a) above. */
static void slope_starts_it(const variant *v)
{
    const double h = 1e-3, angle = 0.1;
    const slope s = make_slope(angle);
    if (v->kind != TL_PSOR || is_cone(v))
        return;
    for (int above = 0; above < 2; above++) {
        const double roll = tan(angle) * (above ? 0.9 : 1.02);
        const tl_material_def law = {.friction = 0.5, .rolling_friction = roll};
        double place[3] = {0, 0, 0}, u[3];
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_law(scene, &law);
        add_fixed(scene, tl_plane_default(), material, place, s.turn);
        add3(place, r, s.normal, place);
        const tl_body body = add_shape(scene, tl_sphere_default(r), material, place, upright);
        tl_world *world = world_of(scene);
        step(world, 1000);
        velocity_of(world, body, u);
        static const claim rests = {"a ball on a slope of 0.1 rad, rolling friction 1.02 tan a",
                                    "closed form: it rests", "speed after 1 s, m/s", "h = 1 ms"};
        static const claim rolls = {"a ball on a slope of 0.1 rad, rolling friction 0.9 tan a",
                                    "closed form: 5/7 g (sin a - mu_r cos a)",
                                    "speed after 1 s, m/s", "h = 1 ms"};
        const double want = above ? 5.0 / 7 * G * (sin(angle) - roll * cos(angle)) : 0;
        assert_found(above ? &rolls : &rests, v->name, dot3(u, s.down), want,
                     fmax(slack(v, 1, 1000), 1e-6));
        tl_world_destroy(world);
    }
}

/* A ball that spins about the vertical loses 5 mu_s g / (2 r) per second, and then nothing. */
static void ball_spins_down(const variant *v)
{
    const double h = 1e-3, spin = 20, law_spin = 0.1, rate = 5 * law_spin * G / (2 * r);
    const tl_material_def law = {.friction = 0.5, .spinning_friction = law_spin};
    tl_shape_def ball;
    double w[3];
    if (v->kind != TL_PSOR)
        return;
    tl_scene *scene = scene_for(v, h);
    tl_body_def def = ball_on(scene, add_law(scene, &law), &ball);
    def.angular_velocity[2] = spin;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    static const claim c = {"a ball that spins on a floor, spinning friction 0.1",
                            "closed form: w - 5 mu_s g t / (2 r)", "spin after 0.5 s, rad/s",
                            "h = 1 ms"};
    step(world, 500);
    spin_of(world, body, w);
    assert_found(&c, v->name, w[2], spin - rate * 0.5, slack(v, spin, 500));
    step(world, 1000);
    spin_of(world, body, w);
    assert_near(norm3(w), 0, slack(v, spin, 10));
    tl_world_destroy(world);
}

/* Two balls that stick together in free space; one spins about the line of their centres. Their
 * angular momentum stays, and friction about that line, with the anchor of half a radius, makes
 * their spins equal after w I / (mu_s r c). */
static void spins_meet(const variant *v)
{
    const double h = 1e-3, spin = 10, stick = 2, turn_law = 0.4;
    const tl_material_def law = {.friction = 0.5, .spinning_friction = turn_law, .cohesion = stick};
    const double inertia = 0.4 * ball_mass() * r * r;
    const double until = spin * inertia / (turn_law * r * stick);
    tl_shape_def ball = tl_sphere_default(r);
    double first[3], second[3];
    if (v->kind != TL_PSOR)
        return;
    tl_scene *scene = scene_for(v, h);
    set_gravity(scene, 0, 0, 0);
    ball.material = add_law(scene, &law);
    tl_body_def def = body_of(&ball, density, (double[3]){-r, 0, 0}, upright);
    def.angular_velocity[0] = spin;
    const tl_body a = add_body(scene, &def);
    def.angular_velocity[0] = 0;
    def.position[0] = r;
    const tl_body b = add_body(scene, &def);
    tl_world *world = world_of(scene);
    const uint32_t half = (uint32_t)(until / 2 / h);
    step(world, half);
    spin_of(world, a, first);
    spin_of(world, b, second);
    static const claim c = {"two balls that stick together, one spins about their axis",
                            "closed form: friction with an arm of mu_s r / 2",
                            "difference of spins at half time, rad/s",
                            "cohesion 2 N, spinning friction 0.4, h = 1 ms"};
    assert_found(&c, v->name, first[0] - second[0], spin * (1 - half * h / until),
                 slack(v, spin, 1000));
    assert_near(first[0] + second[0], spin, slack(v, spin, 1000));
    step(world, 3 * half);
    spin_of(world, a, first);
    spin_of(world, b, second);
    assert_near(first[0], spin / 2, slack(v, spin, 1000));
    assert_near(second[0], spin / 2, slack(v, spin, 1000));
    tl_world_destroy(world);
}

/* ---- Cohesion ---- */

/* A ball under a ceiling hangs as long as its weight is below the cohesion. */
static void ball_hangs(const variant *v)
{
    const double h = 1e-3, weight = ball_mass() * G;
    const double down[4] = {0, 1, 0, 0}; /* half a turn about x */
    for (int falls = 0; falls < 2; falls++) {
        const tl_material_def law = {.friction = 0.5, .cohesion = weight * (falls ? 0.98 : 1.02)};
        double x[3];
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_law(scene, &law);
        add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0}, down);
        const tl_body body =
            add_shape(scene, tl_sphere_default(r), material, (double[3]){0, 0, -r}, upright);
        tl_world *world = world_of(scene);
        step(world, 2000);
        position_of(world, body, x);
        static const claim hangs = {"a ball under a ceiling, cohesion 1.02 of its weight",
                                    "closed form: it hangs", "way down in 2 s, m", "h = 1 ms"};
        if (falls)
            assert_above(-r - x[2], 1);
        else
            assert_found(&hangs, v->name, -r - x[2], 0, 1e-6);
        tl_world_destroy(world);
    }
}

/* Friction of a block that sticks to a slope goes with the load and the cohesion together. */
static void block_sticks(const variant *v)
{
    const double h = 1e-3, angle = 0.5, mu = 0.3, half[3] = {0.1, 0.1, 0.05};
    const double mass = 2000 * 8 * half[0] * half[1] * half[2];
    const double least = mass * G * (sin(angle) / mu - cos(angle)); /* cohesion that holds it */
    const slope s = make_slope(angle);
    for (int slides = 0; slides < 2; slides++) {
        const tl_material_def law = {.friction = mu, .cohesion = least * (slides ? 0.97 : 1.03)};
        double place[3] = {0, 0, 0}, u[3];
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_law(scene, &law);
        add_fixed(scene, tl_plane_default(), material, place, s.turn);
        add3(place, half[2], s.normal, place);
        const tl_body body = add_block(scene, material, half, place, s.turn);
        tl_world *world = world_of(scene);
        step(world, 1000);
        velocity_of(world, body, u);
        static const claim rests = {"a block on a slope of 0.5 rad, cohesion 3 % above need",
                                    "closed form: mu (m g cos a + c) holds m g sin a",
                                    "speed after 1 s, m/s", "friction 0.3, h = 1 ms"};
        static const claim moves = {"a block on a slope of 0.5 rad, cohesion 3 % below need",
                                    "closed form: g sin a - mu (g cos a + c / m)",
                                    "speed after 1 s, m/s", "friction 0.3, h = 1 ms"};
        const double want =
            slides ? G * sin(angle) - mu * (G * cos(angle) + law.cohesion / mass) : 0;
        assert_found(slides ? &moves : &rests, v->name, dot3(u, s.down), want,
                     fmax(slack(v, 1, 1000), 1e-6));
        tl_world_destroy(world);
    }
}

/* ---- Compliance ---- */

/* A ball, and a block on four points, sink by m g times the compliance. */
static void load_sinks(const variant *v)
{
    const double h = 1e-3, half[3] = {0.1, 0.1, 0.05}, give = 1e-5;
    const double block_mass = 2000 * 8 * half[0] * half[1] * half[2];
    const tl_material_def law = {.friction = 0.5, .compliance = give, .damping_time = 0.02};
    tl_shape_def shape;
    double x[3];
    tl_scene *scene = scene_for(v, h);
    const tl_material soft = add_law(scene, &law);
    tl_pair_def pair;
    assert_ok(tl_scene_pair(scene, soft, soft, &pair));
    assert_near(pair.compliance, give, 0);
    const tl_body_def def = ball_on(scene, soft, &shape);
    const tl_body ball = add_body(scene, &def);
    const tl_body block = v->kind == TL_JACOBI
                              ? (tl_body){0}
                              : add_block(scene, soft, half, (double[3]){1, 0, half[2]}, upright);
    tl_world *world = world_of(scene);
    step(world, 3000);
    position_of(world, ball, x);
    static const claim sunk = {"a ball on a compliant floor", "closed form: m g c",
                               "how far it sinks, m", "compliance 1e-5 m/N, h = 1 ms"};
    static const claim four = {"a block on four compliant points", "closed form: m g c",
                               "how far it sinks, m", "compliance 1e-5 m/N, h = 1 ms"};
    assert_found(&sunk, v->name, r - x[2], ball_mass() * G * give, 1e-7);
    if (block.index) {
        position_of(world, block, x);
        assert_found(&four, v->name, half[2] - x[2], block_mass * G * give, 1e-6);
    }
    tl_world_destroy(world);
}

/* A ball bounces off spring and damper with exp(-pi z / sqrt(1 - z^2)), z = t / (2 sqrt(m c)),
 * where nothing pulls at the end: the spring is left where the force is zero, at
 * exp(-z/sqrt(1-z^2) (pi - atan(2 z sqrt(1-z^2) / (2 z^2 - 1)))) of the speed. */
static void ball_bounces(const variant *v)
{
    const double h = 1e-5, give = 1e-5, speed = 1, z = 0.1, rate = 1 / sqrt(ball_mass() * give);
    const tl_material_def law = {.friction = 0.5, .compliance = give, .damping_time = 2 * z / rate};
    const double root = sqrt(1 - z * z);
    const double angle = atan2(2 * z * root, 2 * z * z - 1); /* where the force is zero */
    const double want = exp(-z / root * angle);
    tl_shape_def ball;
    double u[3];
    if (v->precision != TL_DOUBLE || v->kind == TL_JACOBI)
        return;
    tl_scene *scene = scene_for(v, h);
    set_gravity(scene, 0, 0, 0);
    tl_body_def def = ball_on(scene, add_law(scene, &law), &ball);
    def.velocity[2] = -speed;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(1.2 * PI / rate / h));
    velocity_of(world, body, u);
    static const claim c = {"a ball against a spring and damper, damping ratio 0.1",
                            "closed form of the damped oscillator, left at zero force",
                            "speed after over speed before", "h = 0.01 ms"};
    assert_found(&c, v->name, u[2] / speed, want, 0.01);
    tl_world_destroy(world);
}

/* ---- Belts ---- */

/* A block set on a belt gets mu g until it has the belt's speed, after v / (mu g); a ball, 2/7 of
 * that speed. The belt's frame is turned, and energy that the belt brings is accounted for. */
static void belt_carries(const variant *v)
{
    const double h = 1e-3, mu = 0.3, speed = 1, half[3] = {0.1, 0.1, 0.05};
    const tl_material_def rough = {.friction = mu},
                          belt = {.friction = mu, .surface_velocity = {speed, 0, 0.7}};
    double quarter[4], u[3], place[3] = {0, 0, 0};
    tl_shape_def shape = tl_sphere_default(r);
    if (is_cone(v) || v->kind == TL_JACOBI)
        return;
    turn((double[3]){0, 0, 1}, PI / 2, quarter); /* it carries along y; z does not count */
    tl_scene *scene = scene_for(v, h);
    const tl_material moves = add_law(scene, &belt), lies = add_law(scene, &rough);
    add_fixed(scene, tl_plane_default(), moves, place, quarter);
    const tl_body block = add_block(scene, lies, half, (double[3]){1, 0, half[2]}, upright);
    shape.material = lies;
    const tl_body_def def = body_of(&shape, density, (double[3]){0, 0, r}, upright);
    const tl_body ball = add_body(scene, &def);
    tl_world *world = world_of(scene);
    const tl_report before = step_report(world, 200);
    velocity_of(world, block, u);
    static const claim gains = {"a block set on a belt of 1 m/s, friction 0.3",
                                "closed form: mu g t", "speed after 0.2 s, m/s", "h = 1 ms"};
    static const claim has = {"a block set on a belt of 1 m/s, friction 0.3",
                              "closed form: the belt's, after v / (mu g)",
                              "speed after 0.35 s, m/s", "h = 1 ms"};
    static const claim rolls = {"a ball set on a belt of 1 m/s", "closed form: 2/7 of the belt's",
                                "speed after 0.35 s, m/s", "h = 1 ms"};
    assert_found(&gains, v->name, u[1], mu * G * 0.2, fmax(slack(v, 1, 200), 1e-5));
    const tl_report after = step_report(world, 150); /* v / (mu g) is 0.34 s */
    velocity_of(world, block, u);
    assert_found(&has, v->name, u[1], speed, fmax(slack(v, 1, 350), 1e-5));
    assert_near(u[0], 0, 1e-5);
    assert_near(u[2], 0, 1e-5);
    velocity_of(world, ball, u);
    assert_found(&rolls, v->name, u[1], 2.0 / 7 * speed, fmax(slack(v, 1, 350), 1e-5));
    const double energy =
        after.kinetic_energy + after.potential_energy + after.dissipated_energy - after.work_energy;
    const double then = before.kinetic_energy + before.potential_energy + before.dissipated_energy -
                        before.work_energy;
    assert_near(energy, then, 1e-4 * after.work_energy);
    assert_above(after.work_energy, after.kinetic_energy);
    tl_world_destroy(world);
}

/* ---- Refusals ---- */

static void test_refused(void **state)
{
    (void)state;
    variant v = variant_at(0);
    const tl_material_def rolls = {.friction = 0.5, .rolling_friction = 0.1};
    const char *said = "settings.solver.kind is apgd; it must be psor where materials have rolling "
                       "or spinning friction";
    tl_world *world = NULL;
    v.kind = TL_APGD;
    tl_scene *scene = scene_for(&v, 1e-3);
    const tl_material material = add_law(scene, &rolls);
    add_floor(scene, material);
    assert_refused(tl_world_create(scene, &world), TL_BAD_ARGUMENT, said);
    tl_scene_destroy(scene);

    /* and by what comes later, which then changes nothing */
    scene = scene_for(&v, 1e-3);
    add_floor(scene, (tl_material){0});
    world = world_of(scene);
    tl_pair_def pair;
    assert_ok(tl_world_pair(world, (tl_material){0}, (tl_material){0}, &pair));
    pair.spinning_friction = 1;
    assert_refused(tl_world_set_pair(world, (tl_material){0}, (tl_material){0}, &pair),
                   TL_BAD_ARGUMENT, said);
    assert_ok(tl_world_pair(world, (tl_material){0}, (tl_material){0}, &pair));
    assert_near(pair.spinning_friction, 0, 0);
    tl_settings settings = tl_world_settings(world);
    settings.solver.kind = TL_PSOR;
    assert_ok(tl_world_set_settings(world, &settings));
    pair.spinning_friction = 1;
    assert_ok(tl_world_set_pair(world, (tl_material){0}, (tl_material){0}, &pair));
    settings.solver.kind = TL_APGD;
    assert_refused(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT, said);
    tl_world_destroy(world);
}

#define EACH(test, run, variants)         \
    static void test_##test(void **state) \
    {                                     \
        (void)state;                      \
        variants(run);                    \
    }

EACH(ball, ball_rolls_out, for_each_variant)
EACH(cylinder, cylinder_rolls_out, for_each_precision)
EACH(slope, slope_starts_it, for_each_variant)
EACH(spin, ball_spins_down, for_each_variant)
EACH(meet, spins_meet, for_each_variant)
EACH(hangs, ball_hangs, for_each_variant)
EACH(sticks, block_sticks, for_each_precision)
EACH(sinks, load_sinks, for_each_variant)
EACH(bounces, ball_bounces, for_each_variant)
EACH(belt, belt_carries, for_each_variant)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),    cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_slope),   cmocka_unit_test(test_spin),
        cmocka_unit_test(test_meet),    cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_sticks),  cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_bounces), cmocka_unit_test(test_belt),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("surfaces", tests, NULL, NULL);
}
