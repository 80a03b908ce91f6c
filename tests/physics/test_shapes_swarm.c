/* labels: slow longer */
/* Swarms of random shapes, compounds among them, that fly into one another, so that several points,
 * pairs and bodies are struck in one step: no energy is made, whatever the friction and the
 * restitution, and momentum stays. */
#include "physics/shapes.h"

/* ---- Bodies that fly freely ---- */

#define BODIES 8

/* The most that a swarm did in a step: gain of energy and change of momentum, over what there was.
 */
typedef struct worst {
    double gain, change;
    int struck; /* steps with impulses */
} worst;

/* One body of the swarm: the first rests in the middle, the others fly at it. */
static void add_one(tl_scene *scene, dice *d, tl_material material, bool first, tl_body *out)
{
    tl_shape_def shapes[2];
    tl_body_def def = tl_body_default();
    double at[3];
    def.shape_count = roll_bits(d) % 4 == 0 ? 2 : 1;
    def.shapes = shapes;
    for (uint32_t k = 0; k < def.shape_count; k++) {
        shapes[k] = random_solid(scene, d);
        shapes[k].material = material;
        if (def.shape_count == 2)
            shapes[k].position[0] = k ? 0.07 : -0.07;
    }
    def.density = roll(d, 500, 3000);
    roll_turn(d, def.orientation);
    roll3(d, -8, 8, def.angular_velocity);
    roll_direction(d, at);
    const double far = first ? 0 : roll(d, 0.3, 0.9);
    for (int k = 0; k < 3; k++) {
        def.position[k] = far * at[k];
        def.velocity[k] = first ? 0 : -5 * at[k];
    }
    *out = add_body(scene, &def);
}

static void momentum_of(const tl_world *world, const tl_body *bodies, double p[3], double *size)
{
    double mass[BODIES], u[BODIES][3];
    assert_ok(tl_world_read_masses(world, BODIES, bodies, mass));
    assert_ok(tl_world_read_velocities(world, BODIES, bodies, u[0]));
    p[0] = p[1] = p[2] = *size = 0;
    for (int i = 0; i < BODIES; i++) {
        add3(p, mass[i], u[i], p);
        *size += mass[i] * norm3(u[i]);
    }
}

/* One swarm, unless some overlap from the start; true if it was one. */
static bool fly(const tl_settings *settings, dice *d, double e, worst *most)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, fmax(roll(d, -0.5, 1), 0), e);
    tl_body bodies[BODIES];
    tl_world *world = NULL;
    double start[3], now[3], size, other;
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i < BODIES; i++)
        add_one(scene, d, material, i == 0, &bodies[i]);
    const tl_status status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (status == TL_OVERLAPPING) {
        tl_world_destroy(world);
        return false;
    }
    assert_ok(status);
    momentum_of(world, bodies, start, &size);
    double energy = step_report(world, 1).kinetic_energy;
    for (int i = 0; i < 120; i++) {
        const tl_report report = step_report(world, 1);
        momentum_of(world, bodies, now, &other);
        most->gain = fmax(most->gain, report.kinetic_energy / energy - 1);
        most->change = fmax(most->change, distance3(now, start) / size);
        most->struck += report.active_contacts > 0;
        energy = report.kinetic_energy;
    }
    tl_world_destroy(world);
    return true;
}

static worst swarms(const tl_settings *settings, double e, int count)
{
    dice d = {7};
    worst most = {0, 0, 0};
    for (int k = 0; k < count;)
        k += fly(settings, &d, e, &most);
    assert_true(most.struck > 2 * count);
    return most;
}

/* A thousand collisions and more at each restitution among the long tests, else half of them. */
static void test_energy(void **state)
{
    (void)state;
    static const double bounce[3] = {0, 0.5, 1};
    static const claim c[2][3] = {
        {{"swarms of 8 random shapes collide, e = 0", "no energy is made",
          "largest gain in a step over the energy", "impacts: propagating, h = 2 ms"},
         {"swarms of 8 random shapes collide, e = 0.5", "no energy is made",
          "largest gain in a step over the energy", "impacts: propagating, h = 2 ms"},
         {"swarms of 8 random shapes collide, e = 1", "no energy is made",
          "largest gain in a step over the energy", "impacts: propagating, h = 2 ms"}},
        {{"swarms of 8 random shapes collide, e = 0", "no energy is made",
          "largest gain in a step over the energy", "impacts: simultaneous, h = 2 ms"},
         {"swarms of 8 random shapes collide, e = 0.5", "no energy is made",
          "largest gain in a step over the energy", "impacts: simultaneous, h = 2 ms"},
         {"swarms of 8 random shapes collide, e = 1", "no energy is made",
          "largest gain in a step over the energy", "impacts: simultaneous, h = 2 ms"}}};
    static const claim momentum = {"swarms of 8 random shapes collide", "conservation of momentum",
                                   "largest change over its size", "friction 0 to 1, h = 2 ms"};
    const variant v = variant_at(0);
    tl_settings settings = settings_for(&v, 1.0 / 500);
    for (int together = 0; together < 2; together++)
        for (int i = 0; i < 3; i++) {
            settings.impacts = together ? TL_IMPACTS_SIMULTANEOUS : TL_IMPACTS_PROPAGATING;
            context("%s, e = %g", together ? "simultaneous" : "propagating", bounce[i]);
            const worst most = swarms(&settings, bounce[i], SOME(is_long() ? 100 : 50));
            assert_found(&c[together][i], v.name, most.gain, 0, 1e-12);
            assert_found(&momentum, v.name, most.change, 0, 1e-12);
        }
}

/* The same of every solver, law, way to remove overlap and precision. */
static void keeps(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 500);
    if (v->overlap == TL_OVERLAP_VELOCITY) /* that gives overlap back as speed */
        return;
    for (int together = 0; together < 2; together++)
        for (int i = 0; i < 3; i++) {
            settings.impacts = together ? TL_IMPACTS_SIMULTANEOUS : TL_IMPACTS_PROPAGATING;
            context("%s, %s, e = %g", v->name, together ? "simultaneous" : "propagating", 0.5 * i);
            const worst most = swarms(&settings, 0.5 * i, 8);
            assert_below(most.gain, v->precision == TL_DOUBLE ? 1e-12 : 1e-6);
            assert_below(most.change, v->precision == TL_DOUBLE ? 1e-12 : 1e-5);
        }
}

static void test_variants(void **state)
{
    (void)state;
    for_each_variant(keeps);
}

/* Problems that are not solved to the end: few sweeps from the last step's impulses, a blow among
 * them, still make no energy, with every solver and law. */
static void test_few_sweeps(void **state)
{
    static const claim gain = {"swarms of 8 random shapes collide, e = 0, 0.5, 1, 1 to 10 sweeps",
                               "no energy is made", "largest gain in a step over the energy",
                               "impacts: propagating, h = 2 ms"};
    static const uint32_t sweeps[5] = {1, 2, 4, 6, 10};
    (void)state;
    for (int k = 0; k < SOLVERS; k++) {
        const variant v = variant_at(k);
        tl_settings settings = settings_for(&v, 1.0 / 500);
        double most = 0;
        settings.impacts = TL_IMPACTS_PROPAGATING;
        for (int i = 0; i < 15; i++) {
            settings.solver.iterations = settings.solver.position_iterations = sweeps[i / 3];
            context("%s, %u sweeps, e = %g", v.name, sweeps[i / 3], 0.5 * (i % 3));
            const worst w = swarms(&settings, 0.5 * (i % 3), k ? 3 : SOME(20));
            assert_below(w.gain, 1e-12);
            assert_below(w.change, 1e-12);
            most = fmax(most, w.gain);
        }
        assert_found(&gain, v.name, most, 0, 1e-12);
    }
}

/* ---- Joints, through which impacts are all at once ---- */

/* Four boxes, end to end by spherical joints, fly at a wall without gravity, askew. Returns the
 * energy at the end over that at the start; `most`: the largest gain in a step. (Joints that bend
 * the ways of bodies take and give a little.) */
static double chain(const variant *v, double e, dice *d, double *most)
{
    tl_scene *scene = scene_for(v, 1.0 / 1000);
    const tl_material material = add_material(scene, roll(d, 0, 1), e);
    tl_shape_def box = tl_box_default(0.08, 0.05, 0.05);
    tl_body last = {0, 0};
    double q[4];
    box.material = material;
    set_gravity(scene, 0, 0, 0);
    roll_turn(d, q);
    for (int i = 0; i < 4; i++) {
        double at[3];
        rotate(q, 1, (double[3]){0.2 * i, 0, 0}, at);
        at[2] += 0.75;
        tl_body_def def = body_of(&box, 1000, at, q);
        def.velocity[2] = -3;
        const tl_body body = add_body(scene, &def);
        tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
        joint.a = last;
        joint.b = body;
        joint.position_a[0] = 0.1;
        joint.position_b[0] = -0.1;
        if (i)
            assert_ok(tl_scene_add_joint(scene, &joint, NULL));
        last = body;
    }
    add_floor(scene, material);
    tl_world *world = world_of(scene);
    const double start = step_report(world, 1).kinetic_energy;
    double energy = start;
    for (int i = 0; i < 500; i++) {
        const double now = step_report(world, 1).kinetic_energy;
        *most = fmax(*most, now / energy - 1);
        energy = now;
    }
    tl_world_destroy(world);
    return energy / start;
}

static void chains(const variant *v)
{
    dice d = {3};
    double most = 0;
    for (int k = 0; k < SOME(is_long() ? 60 : 30); k++)
        assert_below(chain(v, 0.5 * (k % 3), &d, &most), 1 + 1e-6);
    assert_below(most, 0.03);
}

static void test_chains(void **state)
{
    (void)state;
    for_each_precision(chains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy), cmocka_unit_test(test_variants),
        cmocka_unit_test(test_few_sweeps), cmocka_unit_test(test_chains)};
    return cmocka_run_group_tests_name("swarms of shapes", tests, NULL, NULL);
}
