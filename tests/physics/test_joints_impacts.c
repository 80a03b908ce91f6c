/* Machines that strike the ground: impulses of the impact go through the joints at once, and add no
 * energy, with restitution 1 and less. */
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
};

static tl_world *machine_world(const machine *m, const tl_settings *settings, double restitution,
                               double friction)
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
        if (i || m->hangs)
            join(scene, m->kind, before, bar, i * LENGTH, 0, HEIGHT, joint_y);
        before = bar;
    }
    return world_of(scene);
}

/* Where a step ends between two impacts, energies are those of velocities and places half a step
 * apart: m g v h / 2 of them is no gain. */
static void strike(const machine *m, double h, double restitution, double friction,
                   tl_solver_kind kind)
{
    tl_settings settings = tl_settings_default();
    settings.step = h;
    settings.precision = TL_DOUBLE;
    settings.threads = 1;
    settings.solver.kind = kind;
    settings.solver.iterations = 100;
    context("%s, h %g, restitution %g, friction %g, solver %d", m->name, h, restitution, friction,
            kind);
    tl_world *world = machine_world(m, &settings, restitution, friction);
    const double slack_of_step = 0.5 * m->bars * G * sqrt(2 * G * HEIGHT) * h;
    double first = 0, last = 0, most = -INFINITY, error = 0;
    bool struck = false;
    for (int i = 0; i < (int)(4 / h); i++) {
        const tl_report r = step_report(world, 1);
        last = r.kinetic_energy + r.potential_energy;
        first = i ? first : last;
        most = fmax(most, last - first);
        error = fmax(error, r.joint_error);
        struck = struck || r.active_contacts;
    }
    assert_true(struck);
    assert_below(most, slack_of_step);
    assert_below(error, 1e-9);
    if (restitution < 1 || friction > 0)
        assert_below(last, 0.8 * first);
    else
        assert_above(last, (h < 0.002 ? 0.9 : 0.6) * first); /* of first order in h */
    tl_world_destroy(world);
}

static void no_energy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (int k = 0; k < 2; k++) {
            const double h = k ? 5e-3 : 1e-3;
            strike(&machines[i], h, 1, 0, TL_PSOR);
            strike(&machines[i], h, 0.5, 0, TL_PSOR);
            strike(&machines[i], h, 0.5, 0.4, TL_PSOR);
            strike(&machines[i], h, 1, 0, TL_APGD);
            strike(&machines[i], h, 0.5, 0, TL_JACOBI);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
