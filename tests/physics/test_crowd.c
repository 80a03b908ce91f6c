/* Bodies with very many contacts, of which sweeps have copies (docs/theory.md, "Crowded bodies"): a
 * swarm that meets a body in free space, and a ball of 30 grain radii on a bed of grains. */
#include "crowds.h"

#include "scenes.h"
#include "world/world.h"

/* How many contacts a body has. */
static size_t contacts_at(const tl_world *world, tl_body body)
{
    size_t count, found = 0;
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++)
        found += contacts[i].a.index == body.index || contacts[i].b.index == body.index;
    free(contacts);
    return found;
}

/* ---- A swarm ---- */

#define GRAINS 300

/* The sums over all bodies, the crowded one first. */
typedef struct totals {
    double momentum[3], moment[3]; /* N s; N m s about the origin */
    double size, moment_size;      /* sums of the absolute values, for tolerances */
} totals;

static totals totals_of(const tl_world *world, const tl_body *bodies, const double *mass,
                        const double *radius)
{
    totals t = {{0}, {0}, 0, 0};
    for (int i = 0; i <= GRAINS; i++) {
        const double inertia = 0.4 * mass[i] * radius[i] * radius[i];
        double x[3], u[3], w[3], orbit[3];
        position_of(world, bodies[i], x);
        velocity_of(world, bodies[i], u);
        spin_of(world, bodies[i], w);
        cross3(x, u, orbit);
        add3(t.momentum, mass[i], u, t.momentum);
        add3(t.moment, mass[i], orbit, t.moment);
        add3(t.moment, inertia, w, t.moment);
        t.size += mass[i] * norm3(u);
        t.moment_size += mass[i] * norm3(x) * norm3(u) + inertia * norm3(w);
    }
    return t;
}

/* Grains all around a ball that moves and spins fly into it, askew. */
static tl_world *swarm_of(const tl_settings *settings, tl_body *bodies, double *mass,
                          double *radius)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.5, 0);
    dice d = {3};
    set_gravity(scene, 0, 0, 0);
    for (int i = 0; i <= GRAINS; i++) {
        double x[3] = {0, 0, 0}, u[3] = {0.3, -0.2, 0.1};
        mass[i] = i ? roll(&d, 0.5, 2) : 200;
        radius[i] = i ? 0.05 : 1;
        if (i) {
            const double z = 1 - (2 * i - 1.0) / GRAINS, across = sqrt(1 - z * z);
            const double n[3] = {across * cos(2.399963 * i), across * sin(2.399963 * i), z};
            roll3(&d, -0.5, 0.5, u);
            add3(u, -2, n, u);
            add3(x, 1.052, n, x);
        }
        bodies[i] = add_sphere(scene, material, radius[i], mass[i], x, u);
    }
    return world_of(scene);
}

static void swarm(const variant *v)
{
    tl_body bodies[GRAINS + 1];
    double mass[GRAINS + 1], radius[GRAINS + 1];
    const tl_settings settings = settings_for(v, 1.0 / 200);
    if (v->kind != TL_PSOR)
        return;
    tl_world *world = swarm_of(&settings, bodies, mass, radius);
    const totals before = totals_of(world, bodies, mass, radius);
    const tl_report report = step_report(world, 1);
    assert_true(contacts_at(world, bodies[0]) > 200);
    assert_true(report.colours < TLK_CROWDED);
    step(world, 4);
    const totals after = totals_of(world, bodies, mass, radius);
    static const claim moved = {"300 balls fly into one that has them all as contacts",
                                "conservation of momentum", "change of all momentum, part",
                                "h = 5 ms, 5 steps"};
    assert_found(&moved, v->name, distance3(after.momentum, before.momentum) / before.size, 0,
                 slack(v, 1, 5));
    static const claim turned = {"300 balls fly into one that has them all as contacts",
                                 "conservation of angular momentum",
                                 "change of all angular momentum, part", "h = 5 ms, 5 steps"};
    assert_found(&turned, v->name, distance3(after.moment, before.moment) / before.moment_size, 0,
                 slack(v, 1, 5));
    tl_world_destroy(world);
}

static void test_swarm(void **state)
{
    (void)state;
    for_each_variant(swarm);
}

/* Sweeps over copies have the fixed points of the problem: they find what another solver finds,
 * which has no copies. The cone law: its velocities are unique. */
static void test_converged(void **state)
{
    (void)state;
    tl_body bodies[GRAINS + 1];
    double mass[GRAINS + 1], radius[GRAINS + 1];
    tl_world *world[2];
    for (int i = 0; i < 2; i++) {
        tl_settings settings = tl_settings_default();
        settings.precision = TL_DOUBLE;
        settings.step = 1.0 / 200;
        settings.solver.kind = i ? TL_APGD : TL_PSOR;
        settings.solver.law = TL_LAW_CONE;
        settings.solver.tolerance = 1e-11;
        settings.solver.iterations = 20000;
        world[i] = swarm_of(&settings, bodies, mass, radius);
        const tl_report report = step_report(world[i], 1);
        print_message("%s: %u iterations, residual %g m/s\n", i ? "apgd" : "psor",
                      report.iterations, report.residual);
        assert_below(report.residual, 1e-11);
        assert_below(i ? 0 : report.iterations, 1000);
    }
    for (int i = 0; i <= GRAINS; i++) {
        double u[2][3], w[2][3];
        for (int k = 0; k < 2; k++) {
            velocity_of(world[k], bodies[i], u[k]);
            spin_of(world[k], bodies[i], w[k]);
        }
        assert_below(distance3(u[0], u[1]), 1e-8);
        assert_below(distance3(w[0], w[1]), 1e-7);
    }
    tl_world_destroy(world[0]);
    tl_world_destroy(world[1]);
}

/* Boxes fly at a plate from both sides. The sum of momenta holds, bits are those of the plain
 * kernels. */
static void plates(const variant *v)
{
    uint64_t hash[2];
    for (int plain = 0; plain < 2; plain++) {
        const tl_settings settings = settings_for(v, 1.0 / 200);
        double sum[3] = {0, 0, 0}, before[3] = {0, 0, 0}, size = 0;
        assert_true(tl_backend_cpu_isa(plain ? "base" : NULL));
        tl_world *world = plate_world(&settings);
        for (uint32_t i = 1; i <= PLATE_BODIES; i++) {
            double u[3];
            velocity_of(world, (tl_body){i, 1}, u);
            add3(before, plate_mass(i), u, before);
            size += plate_mass(i) * norm3(u);
        }
        const tl_report report = step_report(world, 1);
        assert_true(contacts_at(world, (tl_body){1, 1}) > 4 * 150);
        assert_true(report.colours < TLK_CROWDED);
        step(world, 4);
        for (uint32_t i = 1; i <= PLATE_BODIES; i++) {
            double u[3];
            velocity_of(world, (tl_body){i, 1}, u);
            add3(sum, plate_mass(i), u, sum);
        }
        assert_below(distance3(sum, before) / size, slack(v, 1, 5));
        hash[plain] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(tl_backend_cpu_isa(NULL));
    assert_true(hash[0] == hash[1]);
}

static void test_plates(void **state)
{
    (void)state;
    for_each_precision(plates);
}

/* ---- A ball on a bed ---- */

/* 5,000 grains in six layers, with a ball of 30 grain radii over three of them. Its handle
 * is 6, after those of the box. */
static const tl_body ball = {6, 1};

static tl_world *bed_of(const pile_options *options, uint32_t settle)
{
    tl_scene *scene;
    assert_ok(pile_scene(options, &scene));
    tl_world *world = world_of(scene);
    step(world, settle);
    return world;
}

static pile_options bed_options(double density)
{
    pile_options options = pile_default();
    options.bodies = 5000;
    options.layers = 6;
    options.ball = 30 * options.radius;
    options.ball_density = density;
    options.settings.threads = 1;
    return options;
}

/* With the usual sweeps, balls as dense as the grains, of 27,000 times their mass, and of a tenth
 * of it: floor and walls carry their weight and that of the grains, the ball is carried by the
 * grains, and no contact overlaps by more than 1 % of a grain's radius. */
static void test_carried(void **state)
{
    (void)state;
    if (WATCHED) /* sanitizers see the same code in the others, in a tenth of the time */
        return;
    for (int i = 0; i < 2; i++) {
        const pile_options options = bed_options(i ? 200 : 2000);
        const char *const name = i ? "light ball" : "heavy ball";
        tl_world *world = bed_of(&options, 800);
        const double volume = 4.0 / 3 * PI * pow(options.radius, 3), h = options.settings.step;
        const double ball_weight = 27000 * volume * options.ball_density * G;
        const double weight = 5000 * volume * options.density * G + ball_weight;
        double carried = 0, on_ball = 0, u[3];
        size_t count;
        context("%s", name);
        const tl_report report = step_report(world, 1);
        tl_contact *contacts = contacts_of(world, &count);
        for (size_t k = 0; k < count; k++) {
            const double up = contacts[k].impulse[2] / h; /* on b */
            carried += contacts[k].b.index < ball.index ? -up : 0;
            carried += contacts[k].a.index < ball.index ? up : 0;
            on_ball += contacts[k].b.index == ball.index ? up : 0;
            on_ball -= contacts[k].a.index == ball.index ? up : 0;
        }
        free(contacts);
        velocity_of(world, ball, u);
        print_message("%s: %zu contacts, overlap %g r, residual %g m/s, ball %g m/s\n", name,
                      contacts_at(world, ball), report.max_penetration / options.radius,
                      report.residual, norm3(u));
        assert_true(contacts_at(world, ball) > 63 && report.colours < TLK_CROWDED);
        static const claim all = {"a ball of 30 grain radii on 5,000 grains",
                                  "equilibrium: the weight", "force on floor and walls, part",
                                  "h = 5 ms, 8 + 4 sweeps"};
        assert_found(&all, name, carried / weight, 1, 1e-3);
        static const claim its = {"a ball of 30 grain radii on 5,000 grains",
                                  "equilibrium: its weight", "force of the grains on it, part",
                                  "h = 5 ms, 8 + 4 sweeps"};
        assert_found(&its, name, on_ball / ball_weight, 1, 1e-3);
        assert_below(report.max_penetration / options.radius, 0.01);
        tl_world_destroy(world);
    }
}

/* Bits do not depend on threads, on vectors, nor on whether the run was interrupted: copies follow
 * from the contacts. */
static void test_same(void **state)
{
    (void)state;
    pile_options options = bed_options(2000);
    uint64_t hash = 0;
    options.packed = true; /* the ball meets them at once */
    options.layers = 5;
    for (uint32_t threads = 1; threads <= (WATCHED ? 2 : 4); threads++) {
        options.settings.threads = threads;
        assert_true(tl_backend_cpu_isa(threads == 4 ? "base" : NULL));
        tl_world *world = bed_of(&options, 30), *later;
        void *snapshot;
        size_t bytes;
        assert_ok(tl_world_save(world, &snapshot, &bytes));
        assert_ok(tl_world_load(snapshot, bytes, &later));
        step(world, 20);
        step(later, 20);
        assert_true(contacts_at(world, ball) > 63);
        assert_true(tl_world_hash(later) == tl_world_hash(world));
        assert_true(threads == 1 || tl_world_hash(world) == hash);
        hash = tl_world_hash(world);
        tl_snapshot_free(snapshot, bytes);
        tl_world_destroy(later);
        tl_world_destroy(world);
    }
    assert_true(tl_backend_cpu_isa(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swarm), cmocka_unit_test(test_converged),
        cmocka_unit_test(test_plates), cmocka_unit_test(test_carried), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
