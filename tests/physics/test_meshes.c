/* labels: slow */
/* Bodies made of meshes: one that spins freely keeps the angular momentum that the mesh's inertia
 * gives it; one that is dropped never gains energy, comes to rest, and lies as high as the mesh
 * would. */
#include "mesh_forms.h"

/* The body of the form, turned by `q` about its centre of mass, which is at `position`. */
static tl_body add_form(tl_scene *scene, double tolerance, const double position[3],
                        const double q[4], const double spin[3], tl_mesh_solid *solid)
{
    enum { MOST = 500 };
    static tl_shape_def shapes[MOST];
    tl_mesh *mesh = form_mesh();
    tl_decompose_def how = tl_decompose_default();
    tl_decomposition *filling = NULL;
    tl_body_def def = tl_body_default();
    how.tolerance = tolerance;
    assert_ok(tl_mesh_measure(mesh, 1000, solid));
    assert_ok(tl_mesh_decompose(mesh, &how, &filling));
    const tl_decomposition_info info = tl_decomposition_describe(filling);
    assert_true(info.count <= MOST);
    for (size_t i = 0; i < info.count; i++) {
        double from[3];
        shapes[i] = tl_sphere_default(info.balls[i].radius);
        add3(info.balls[i].centre, -1, solid->centre, from);
        rotate(solid->orientation, -1, from, shapes[i].position);
    }
    def.mass = solid->mass;
    memcpy(def.inertia, solid->moments, sizeof def.inertia);
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, q, sizeof def.orientation);
    memcpy(def.angular_velocity, spin, sizeof def.angular_velocity);
    def.shape_count = info.count;
    def.shapes = shapes;
    const tl_body body = add_body(scene, &def);
    tl_decomposition_destroy(filling);
    tl_mesh_destroy(mesh);
    return body;
}

/* ---- Free bodies ---- */

/* Angular momentum by the tensor along the mesh's axes, not by the moments that the body was given.
 */
static void momentum(const tl_world *world, tl_body body, const tl_mesh_solid *s, double out[3])
{
    const double *t = s->inertia;
    double q[4], w[3], v[3], u[3], l[3];
    orientation_of(world, body, q);
    spin_of(world, body, w);
    rotate(q, -1, w, v);
    rotate(s->orientation, 1, v, u); /* along the mesh's axes */
    l[0] = t[0] * u[0] + t[5] * u[1] + t[4] * u[2];
    l[1] = t[5] * u[0] + t[1] * u[1] + t[3] * u[2];
    l[2] = t[4] * u[0] + t[3] * u[1] + t[2] * u[2];
    rotate(s->orientation, -1, l, v);
    rotate(q, 1, v, out);
}

static void spin_freely(const variant *v)
{
    tl_scene *scene = scene_for(v, 1e-3);
    tl_mesh_solid solid;
    double q[4], start[3], now[3];
    form_bracket();
    set_gravity(scene, 0, 0, 0);
    turn((double[3]){1, -2, 0.5}, 0.8, q);
    const tl_body body =
        add_form(scene, 0.08, (double[3]){0, 0, 0}, q, (double[3]){1, 2, -3}, &solid);
    tl_world *world = world_of(scene);
    momentum(world, body, &solid, start);
    for (int i = 0; i < 100; i++) {
        step(world, 100);
        momentum(world, body, &solid, now);
        assert_below(distance3(now, start) / norm3(start), v->precision == TL_DOUBLE ? 1e-9 : 1e-3);
    }
    tl_world_destroy(world);
}

/* ---- Falling bodies ---- */

/* Drops the form and returns the height of its centre when it is at rest. */
static double drop(const variant *v, double tolerance, double height, double seconds)
{
    const double h = 1e-3;
    tl_scene *scene = scene_for(v, h);
    tl_mesh_solid solid;
    double q[4], position[3], w[3], u[3];
    turn((double[3]){1, 0.5, 0.2}, 0.5, q);
    add_floor(scene, add_material(scene, 0.5, 0));
    const tl_body body =
        add_form(scene, tolerance, (double[3]){0, 0, height}, q, (double[3]){0, 0, 0}, &solid);
    tl_world *world = world_of(scene);
    tl_report report = step_report(world, 1);
    const double scale = solid.mass * G * height;
    double energy = report.kinetic_energy + report.potential_energy;
    for (int i = 0; i < (int)(seconds / h / 10); i++) {
        report = step_report(world, 10);
        const double next = report.kinetic_energy + report.potential_energy;
        assert_below(next, energy + 1e-4 * scale); /* pushing out of an overlap lifts a little */
        energy = fmin(energy, next);
    }
    velocity_of(world, body, u);
    spin_of(world, body, w);
    assert_below(norm3(u), 2e-3);
    assert_below(norm3(w), 2e-3);
    position_of(world, body, position);
    tl_world_destroy(world);
    return position[2];
}

static void drop_cube(const variant *v)
{
    const double tolerance = 0.05;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    assert_near(drop(v, tolerance, 1.2, 6), 0.5, tolerance);
}

/* Two boxes that share no surface are one body. (Two balls would roll on for ever.) */
static void drop_dumbbell(const variant *v)
{
    const double tolerance = 0.08;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    form_box((double[3]){2, 0, 0}, (double[3]){3, 1, 1});
    assert_near(drop(v, tolerance, 2, 10), 0.5, tolerance);
}

static void free_bodies(void **state)
{
    (void)state;
    for_each_precision(spin_freely);
}

static void cubes(void **state)
{
    (void)state;
    for_each_precision(drop_cube);
}

static void dumbbells(void **state)
{
    (void)state;
    for_each_precision(drop_dumbbell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies),
        cmocka_unit_test(cubes),
        cmocka_unit_test(dumbbells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
