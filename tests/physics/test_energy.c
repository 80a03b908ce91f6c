/* labels: slow */
/* The account of energies: kinetic + potential + dissipated - work is constant, but for what
 * symplectic Euler's positions are ahead or behind, h/2 m g.v of each body, which is known and goes
 * in here. So the account holds to rounding: in a lossless bounce, in a gas, in a heap that comes
 * to rest, on a shaken floor, under a force; and at rest nothing is dissipated. What is dissipated
 * is reckoned from the bodies' own changes of velocity, so the account alone shows no more than
 * that it is kept: closed forms of what an impact and a slide take are held, too. */
#include "support.h"

enum { MOST = 64 };

typedef struct account {
    tl_world *world;
    tl_body bodies[MOST];
    double mass[MOST], gravity[3], h, start;
    int count;
} account;

/* The account's sum now. */
static double sum_of(const account *a, const tl_report *r)
{
    double sum = r->kinetic_energy + r->potential_energy + r->dissipated_energy - r->work_energy;
    for (int i = 0; i < a->count; i++) {
        double u[3];
        velocity_of(a->world, a->bodies[i], u);
        sum += 0.5 * a->h * a->mass[i] * dot3(a->gravity, u);
    }
    return sum;
}

static void add(account *a, tl_scene *scene, tl_material material, double r, double mass,
                const double x[3], const double u[3])
{
    a->mass[a->count] = mass;
    a->bodies[a->count++] = add_sphere(scene, material, r, mass, x, u);
}

static account account_for(const variant *v, double h, double gz, tl_scene **scene)
{
    *scene = scene_for(v, h);
    set_gravity(*scene, 0, 0, gz);
    return (account){.gravity = {0, 0, gz}, .h = h};
}

/* Steps, and holds the account to a small part of the energy `size` (J). Returns the last report.
 */
static tl_report hold(const variant *v, account *a, tl_scene *scene, int steps, double size,
                      const char *what, const char *settings)
{
    const double part = v->precision == TL_DOUBLE ? 1e-9 : 3e-5;
    const claim c = {what, "bookkeeping: kinetic + potential + dissipated - work",
                     "largest change of the sum, over the energy", settings};
    double worst = 0;
    tl_report r = {0};
    a->world = world_of(scene);
    for (int i = 0; i < steps; i++) {
        r = step_report(a->world, 1);
        const double sum = sum_of(a, &r);
        if (!i)
            a->start = sum;
        assert_near(sum, a->start, part * size);
        worst = fmax(worst, fabs(sum - a->start) / size);
    }
    assert_found(&c, v->name, worst, 0, part);
    return r;
}

/* The apexes of a lossless bounce stay, too: the account alone could hide a loss. */
static void bounce(const variant *v)
{
    const double h = 1.0 / 200, r = 0.1, mass = 2, size = mass * G;
    tl_scene *scene;
    account a = account_for(v, h, -G, &scene);
    const tl_material material = add_material(scene, 0.5, 1);
    add_floor(scene, material);
    add(&a, scene, material, r, mass, (double[3]){0, 0, r + 1}, (double[3]){0, 0, 0});
    const tl_report last =
        hold(v, &a, scene, 2000, size, "a ball bounces without loss", "h = 5 ms, 2,000 steps");
    assert_near(last.dissipated_energy, 0, 1e-4 * size);
    assert_near(last.kinetic_energy + last.potential_energy, mass * G * (r + 1),
                0.5 * h * mass * G * sqrt(2 * G) + 1e-4 * size);
    tl_world_destroy(a.world);
}

/* A heap on the floor, with friction and a little restitution; then it rests, and what has been
 * dissipated stays what it is: m g^2 h t / 2 would be 19 J in the last second. */
static void heap(const variant *v)
{
    const double h = 1.0 / 400, r = 0.1, mass = 2;
    tl_scene *scene;
    account a = account_for(v, h, -G, &scene);
    const tl_material material = add_material(scene, 0.6, 0.2);
    dice d = {9};
    double size = 0;
    add_floor(scene, material);
    for (int i = 0; i < 20; i++) {
        const double x[3] = {roll(&d, 0, 0.3), roll(&d, 0, 0.3), 0.21 * i + 0.2};
        add(&a, scene, material, r, mass, x, (double[3]){0.2, 0, 0});
        size += mass * G * x[2];
    }
    hold(v, &a, scene, 2400, size, "20 balls fall into a heap and come to rest",
         "h = 2.5 ms, 2,400 steps");
    tl_world_destroy(a.world);
}

/* At rest nothing is dissipated: without the account's care m g^2 h t / 2 would be. */
static void rest(const variant *v)
{
    const double h = 1.0 / 200, r = 0.1, mass = 2;
    tl_scene *scene;
    account a = account_for(v, h, -G, &scene);
    const tl_material material = add_material(scene, 0.6, 0);
    add_floor(scene, material);
    add(&a, scene, material, r, mass, (double[3]){0, 0, r}, (double[3]){0, 0, 0});
    const tl_report last =
        hold(v, &a, scene, 400, mass * G * r, "a ball at rest", "h = 5 ms, 400 steps");
    assert_near(last.dissipated_energy, 0, 1e-5 * mass * G * G * h);
    tl_world_destroy(a.world);
}

/* A floor that shakes does work on what bounces and rubs on it; so does a force. */
static void shaker(const variant *v)
{
    const double h = 1.0 / 500, r = 0.05, mass = 0.5;
    tl_scene *scene;
    account a = account_for(v, h, -G, &scene);
    const tl_material material = add_material(scene, 0.4, 0.6);
    tl_shape_def plane = tl_plane_default();
    tl_body_def floor = tl_body_default();
    dice d = {4};
    plane.material = material;
    floor.kind = TL_PRESCRIBED;
    floor.shape_count = 1;
    floor.shapes = &plane;
    floor.motion.kind = TL_MOTION_SINE;
    floor.motion.frequency = 8;
    floor.motion.amplitude[0] = 0.01;
    floor.motion.amplitude[2] = 0.02;
    add_body(scene, &floor);
    for (int i = 0; i < 10; i++) {
        const double x[3] = {roll(&d, 0, 0.2), roll(&d, 0, 0.2), 0.11 * i + 0.06};
        add(&a, scene, material, r, mass, x, (double[3]){0, 0, 0});
    }
    tl_force_def force = tl_force_default();
    force.body = a.bodies[3];
    force.force[0] = 2;
    force.torque[2] = 0.01;
    assert_ok(tl_scene_add_force(scene, &force));
    const tl_report last = hold(v, &a, scene, 1000, 10, "10 balls on a shaken floor, one pushed",
                                "h = 2 ms, 1,000 steps");
    assert_above(last.work_energy, 1);
    tl_world_destroy(a.world);
}

/* A constant force on a free body: its work is the force times the way, h/2 of a step ahead. */
static void pushed(const variant *v)
{
    const double h = 1.0 / 100, force_x = 3, mass = 2;
    tl_scene *scene;
    account a = account_for(v, h, 0, &scene);
    const tl_material material = add_material(scene, 0, 0);
    add(&a, scene, material, 0.1, mass, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    tl_force_def force = tl_force_default();
    force.body = a.bodies[0];
    force.force[0] = force_x;
    assert_ok(tl_scene_add_force(scene, &force));
    const tl_report last =
        hold(v, &a, scene, 200, 10, "a free body under a constant force", "h = 10 ms, 200 steps");
    const double speed = force_x * 2 / mass;
    static const claim c = {"a free body under a constant force", "closed form: its kinetic energy",
                            "work, J", "h = 10 ms, 200 steps"};
    assert_found(&c, v->name, last.work_energy, 0.5 * mass * speed * speed, slack(v, 10, 100));
    tl_world_destroy(a.world);
}

/* Two balls head-on: (1 - e^2) m' u^2 / 2 is gone, m' the reduced mass. */
static void struck(const variant *v)
{
    const double mass[2] = {2, 5}, e = 0.3, speed = 3, reduced = 10.0 / 7;
    tl_scene *scene = scene_for(v, 1e-3);
    const tl_material material = add_material(scene, 0.5, e);
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < 2; i++)
        add_sphere(scene, material, 0.1, mass[i], (double[3]){0.3 * i, 0, 0},
                   (double[3]){i ? 0 : speed, 0, 0});
    tl_world *world = world_of(scene);
    const double lost = (1 - e * e) * reduced * speed * speed / 2;
    static const claim c = {"two balls collide head-on, e = 0.3",
                            "closed form: (1 - e^2) m' u^2 / 2", "dissipated energy, J",
                            "h = 1 ms"};
    assert_found(&c, v->name, step_report(world, 100).dissipated_energy, lost,
                 slack(v, 2 * mass[0] * speed * speed, 10));
    tl_world_destroy(world);
}

/* A ball set sliding: 2/7 of its energy is gone when it rolls. The cone law slides h mu |slip|
 * above the floor, and falls by that. */
static void rubbed(const variant *v)
{
    const double h = 1e-3, mu = 0.2, speed = 2, mass = 3, r = 0.1;
    tl_scene *scene = scene_for(v, h);
    const tl_material material = add_material(scene, mu, 0);
    const double up = is_cone(v) ? h * mu * speed : 0;
    add_floor(scene, material);
    add_sphere(scene, material, r, mass, (double[3]){0, 0, r + up}, (double[3]){speed, 0, 0});
    tl_world *world = world_of(scene);
    static const claim c = {"a ball set sliding on a floor, friction 0.2",
                            "closed form: 2/7 of its energy (cone: and its fall by h mu v0)",
                            "dissipated energy once it rolls, J", "h = 1 ms"};
    assert_found(&c, v->name, step_report(world, 600).dissipated_energy,
                 mass * speed * speed / 7 + mass * G * up, slack(v, 2 * mass * speed * speed, 600));
    tl_world_destroy(world);
}

static void each(const variant *v)
{
    if (v->overlap != TL_OVERLAP_SPLIT) /* the other gives overlap back as speed */
        return;
    bounce(v);
    heap(v);
    rest(v);
    shaker(v);
    pushed(v);
    struck(v);
    rubbed(v);
}

static void test_account(void **state)
{
    (void)state;
    for_each_variant(each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_account)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
