/* Machines that strike the ground: impulses of the impact go through the joints at once, and add no
 * energy, with restitution 1 and less; what joints and floor gave is the change of momentum. */
#include "joints.h"

#define LENGTH 0.6 /* m, of a bar */
#define HEIGHT 1.0 /* m, of the machine at first, which is level */

typedef struct machine {
    const char *name;
    int bars;
    bool hangs;         /* by the end of the first bar */
    bool balls;         /* at the ends of all bars, else of the last */
    tl_joint_kind kind; /* of joints */
} machine;

static const machine machines[] = {
    {"a double pendulum with a ball", 2, true, false, TL_JOINT_REVOLUTE},
    {"four bars on ball joints", 4, true, false, TL_JOINT_SPHERICAL},
    {"a chain that falls freely", 4, false, true, TL_JOINT_REVOLUTE},
    {"a chain of balls that hangs", 4, true, true, TL_JOINT_SPHERICAL},
};

/* Its first joint is returned, where it hangs. */
static tl_world *machine_world(const machine *m, const tl_settings *settings, double restitution,
                               double friction, tl_joint *top)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, friction, restitution);
    put before = ground;
    add_floor(scene, material);
    for (int i = 0; i < m->bars; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shapes[2] = {tl_box_default(0.5 * LENGTH, 0.02, 0.02), tl_sphere_default(0.1)};
        put bar = {.x = {(i + 0.5) * LENGTH, 0, HEIGHT}, .q = {1, 0, 0, 0}};
        shapes[0].mask = 0;
        shapes[1].material = material;
        shapes[1].position[0] = 0.5 * LENGTH;
        def.mass = 1;
        def.shapes = shapes;
        def.shape_count = m->balls || i + 1 == m->bars ? 2 : 1;
        memcpy(def.position, bar.x, sizeof def.position);
        bar.body = add_body(scene, &def);
        if (i || m->hangs) {
            const tl_joint joint =
                join(scene, m->kind, before, bar, i * LENGTH, 0, HEIGHT, joint_y);
            *top = i ? *top : joint;
        }
        before = bar;
    }
    return world_of(scene);
}

/* The momentum upwards; the floor is the first body. */
static double momentum(tl_world *world, const machine *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < (uint32_t)m->bars; i++) {
        double v[3];
        velocity_of(world, (tl_body){i + 2, 1}, v);
        sum += v[2];
    }
    return sum;
}

/* What floor and ground gave in a step, upwards; and gravity. */
static double given(tl_world *world, const machine *m, tl_joint top, double h, uint32_t contacts)
{
    tl_contact contact[16];
    double sum = h * ((m->hangs ? state_of(world, top).force[2] : 0) - m->bars * G);
    assert_true(contacts <= 16);
    assert_ok(tl_world_read_contacts(world, contacts, contact));
    for (uint32_t i = 0; i < contacts; i++)
        sum -= contact[i].b.index == 1 ? contact[i].impulse[2] : 0; /* the floor's */
    return sum;
}

/* Where a step of dvi ends between two impacts, energies are those of velocities and places half a
 * step apart: m g v h / 2 of them is no gain. Those of smooth steps are at the same time. */
static void strike(const machine *m, double h, double restitution, double friction,
                   tl_solver_kind kind, tl_stepper stepper)
{
    const bool smooth = stepper == TL_STEPPER_SMOOTH;
    tl_settings settings = tl_settings_default();
    settings.step = h;
    settings.precision = TL_DOUBLE;
    settings.threads = 1;
    settings.stepper = stepper;
    settings.solver.kind = kind;
    settings.solver.iterations = 100;
    context("%s, h %g, restitution %g, friction %g, solver %d, stepper %d", m->name, h, restitution,
            friction, kind, stepper);
    tl_joint top = {0};
    tl_world *world = machine_world(m, &settings, restitution, friction, &top);
    const double slack_of_step = 0.5 * m->bars * G * sqrt(2 * G * HEIGHT) * h;
    double first = 0, last = 0, most = -INFINITY, error = 0, off = 0, before = 0;
    bool struck = false;
    for (int i = 0; i < (int)(4 / h); i++) {
        const tl_report r = step_report(world, 1);
        const double after = momentum(world, m);
        last = r.kinetic_energy + r.potential_energy;
        first = i ? first : last;
        most = fmax(most, last - first);
        error = fmax(error, r.joint_error);
        struck = struck || r.active_contacts;
        if (m->kind == TL_JOINT_SPHERICAL)
            off = fmax(off, fabs(after - before - given(world, m, top, h, r.contacts)));
        before = after;
    }
    assert_true(struck);
    assert_below(most, (smooth ? 0.3 : 1) * slack_of_step);
    assert_below(error, 1e-8);
    assert_below(off, 1e-9);
    if (restitution < 1 || friction > 0)
        assert_below(last, (restitution < 1 ? 0.8 : 1) * first);
    else
        assert_above(last, (h < 0.002 ? 0.9 : 0.6) * first); /* of first order in h */
    tl_world_destroy(world);
}

static void no_energy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (int k = WATCHED; k < 2; k++) {
            const double h = k ? 5e-3 : 1e-3;
            strike(&machines[i], h, 1, 0, TL_PSOR, TL_STEPPER_DVI);
            strike(&machines[i], h, 1, 0.4, TL_PSOR, TL_STEPPER_DVI);
            strike(&machines[i], h, 0.5, 0, TL_PSOR, TL_STEPPER_DVI);
            strike(&machines[i], h, 0.5, 0.4, TL_PSOR, TL_STEPPER_DVI);
            strike(&machines[i], h, 1, 0, TL_APGD, TL_STEPPER_DVI);
            strike(&machines[i], h, 0.5, 0, TL_JACOBI, TL_STEPPER_DVI);
            strike(&machines[i], h, 1, 0, TL_PSOR, TL_STEPPER_SMOOTH);
            strike(&machines[i], h, 1, 0.4, TL_PSOR, TL_STEPPER_SMOOTH);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
