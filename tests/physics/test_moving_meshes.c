/* labels: slow */
/* Meshes on dynamic bodies: mass and inertia are those of the mesh, not of the convex pieces that
 * stand for it; a torus and a U come to rest as high as they are, and never gain energy; a ring
 * that is dropped over a peg stays on it, and one beside it does not hang in the air. */
#include "mesh_forms.h"

static const double density = 1000;

/* The form as a geometry of the scene. */
static tl_geometry add_form(tl_scene *scene, double tolerance)
{
    tl_mesh *mesh = form_mesh();
    tl_split_def def = tl_split_default();
    tl_geometry geometry = {0};
    def.tolerance = tolerance;
    assert_ok(tl_scene_add_mesh(scene, mesh, &geometry));
    assert_ok(tl_scene_split_mesh(scene, geometry, &def));
    tl_mesh_destroy(mesh);
    return geometry;
}

static tl_body add_moving(tl_scene *scene, tl_geometry geometry, tl_material material,
                          const double position[3], const double q[4])
{
    tl_shape_def shape = tl_mesh_shape_default(geometry);
    tl_body_def def = tl_body_default();
    shape.material = material;
    def.density = density;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, q, sizeof def.orientation);
    return add_body(scene, &def);
}

/* Runs until the end; energy does not grow by more than pushing out of overlaps lifts. */
static void run(tl_world *world, double h, double seconds, double scale)
{
    tl_report report = step_report(world, 1);
    double energy = report.kinetic_energy + report.potential_energy;
    for (int i = 0; i < (int)(seconds / h / 10); i++) {
        report = step_report(world, 10);
        const double next = report.kinetic_energy + report.potential_energy;
        assert_below(next, energy + 1e-4 * scale);
        energy = fmin(energy, next);
    }
}

static double height_at_rest(const variant *v, double tolerance, double height, double angle)
{
    const double h = 2e-3;
    tl_scene *scene = scene_for(v, h);
    double q[4], position[3], u[3], w[3];
    const tl_material material = add_material(scene, 0.5, 0);
    turn((double[3]){1, 0.4, 0}, angle, q);
    add_floor(scene, material);
    const tl_body body =
        add_moving(scene, add_form(scene, tolerance), material, (double[3]){0, 0, height}, q);
    tl_world *world = world_of(scene);
    run(world, h, 4, 1000 * G * height);
    velocity_of(world, body, u);
    spin_of(world, body, w);
    assert_below(norm3(u), 5e-3);
    assert_below(norm3(w), 5e-3);
    position_of(world, body, position);
    tl_world_destroy(world);
    return position[2];
}

/* The volume of the hulls is another than that of the mesh; the body weighs what the mesh does. */
static void weigh(const variant *v)
{
    tl_scene *scene = scene_for(v, 1e-3);
    tl_mesh_solid solid;
    tl_pieces_info info;
    tl_monitor_def monitor = tl_monitor_default();
    double mass[2];
    form_torus(1, 0.3, 24, 12);
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_mesh_measure(mesh, density, &solid));
    tl_mesh_destroy(mesh);
    const tl_geometry geometry = add_form(scene, 0.2);
    assert_ok(tl_scene_pieces(scene, geometry, &info));
    assert_true(info.count > 3);
    assert_above(info.fit.volume * density / solid.mass, 1.02);
    add_moving(scene, geometry, (tl_material){0}, (double[3]){0, 0, 2}, (double[4]){1, 0, 0, 0});
    monitor.kind = TL_MONITOR_AMOUNT;
    monitor.name = "all";
    assert_ok(tl_scene_add_monitor(scene, &monitor));
    set_gravity(scene, 0, 0, 0);
    tl_world *world = world_of(scene);
    step(world, 1);
    assert_ok(tl_world_read_monitors(world, 2, mass));
    assert_near(mass[0], solid.mass, 1e-6 * solid.mass);
    assert_int_equal(tl_world_shape_count(world), info.count);
    tl_world_destroy(world);
}

static void drop_torus(const variant *v)
{
    form_torus(1, 0.3, 24, 12);
    assert_near(height_at_rest(v, 0.05, 1.3, 0.4), 0.3, 0.015);
}

/* Lying flat, as it is thinner than wide. The origin is a corner of its cells. */
static void drop_u(const variant *v)
{
    form_cells((int[3]){3, 2, 1}, "###"
                                  "#.#");
    form_move(0.2, (double[3]){-0.3, -0.2, -0.1});
    assert_near(height_at_rest(v, 0, 0.5, 0.2), 0.1, 2e-3);
}

/* A ring falls around a peg, and does not slide off when it is pushed. */
static void ring_on_peg(const variant *v)
{
    const double h = 2e-3;
    for (int beside = 0; beside < 2; beside++) {
        tl_scene *scene = scene_for(v, h);
        const tl_material material = add_material(scene, 0.3, 0);
        tl_shape_def peg = tl_cylinder_default(0.3, 0.5);
        double position[3];
        context("%s", beside ? "beside" : "over");
        set_gravity(scene, 0, 0, -G);
        add_floor(scene, material);
        add_fixed(scene, peg, material, (double[3]){0, 0, 0.5}, (double[4]){1, 0, 0, 0});
        form_torus(1, 0.3, 24, 12);
        const tl_body ring =
            add_moving(scene, add_form(scene, 0.05), material,
                       (double[3]){beside ? 3 : 0.1, 0, 1.6}, (double[4]){1, 0, 0, 0});
        tl_force_def push = tl_force_default();
        push.body = ring;
        push.force[0] = 0.5 * G * density * 1.7; /* more than friction holds */
        assert_ok(tl_scene_add_force(scene, &push));
        tl_world *world = world_of(scene);
        step(world, (uint32_t)(3 / h));
        position_of(world, ring, position);
        assert_near(position[2], 0.3, 0.03);
        if (beside)
            assert_above(position[0], 5); /* away with it */
        else
            assert_near(position[0], 0.4, 0.06); /* the hole is 0.7 - 0.3 wider than the peg */
        tl_world_destroy(world);
    }
}

static void masses(void **state)
{
    (void)state;
    for_each_precision(weigh);
}

static void toruses(void **state)
{
    (void)state;
    for_each_precision(drop_torus);
}

static void us(void **state)
{
    (void)state;
    for_each_precision(drop_u);
}

static void rings(void **state)
{
    (void)state;
    for_each_precision(ring_on_peg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses),
        cmocka_unit_test(toruses),
        cmocka_unit_test(us),
        cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
