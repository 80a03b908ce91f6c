/* Scenes: defaults, what is recorded of bodies, motions, materials and forces, mass properties,
 * shared shapes, and what happens when any allocation fails. */
#include "scene_fixture.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static tl_body_rec *body_rec(const tl_scene *scene, size_t index)
{
    return (tl_body_rec *)scene->list.bodies.data + index;
}

/* ---- defaults and settings ---- */

static void defaults_are_as_documented(void **state)
{
    (void)state;
    tl_settings s = tl_settings_default();
    assert_true(s.gravity[0] == 0 && s.gravity[1] == 0 && s.gravity[2] == -9.81);
    assert_true(s.step == 1.0 / 200 && s.envelope == 0 && s.overlap == TL_OVERLAP_SPLIT);
    assert_true(s.recovery_fraction == 0.5 && isinf(s.recovery_speed) && s.recovery_speed > 0);
    assert_true(s.restitution_speed == 0.01 && s.max_speed == 1e5);
    assert_true(s.solver.kind == TL_PSOR && s.solver.law == TL_LAW_DEFAULT);
    assert_true(s.solver.iterations == 8 && s.solver.position_iterations == 4);
    assert_int_equal(s.solver.balance_iterations, 5000);
    assert_int_equal(s.solver.coarse_layers, 64);
    assert_true(s.solver.tolerance == 0 && s.solver.omega == 0 && s.solver.lambda == 1);
    assert_true(s.solver.warm_start && s.precision == TL_MIXED && s.threads == 0);

    tl_material_def material = tl_material_default();
    assert_true(material.friction == 0.5 && material.restitution == 0);

    tl_body_def body = tl_body_default();
    assert_true(body.kind == TL_DYNAMIC && body.density == 1000 && body.mass == 0);
    assert_true(body.orientation[0] == 1 && body.shape_count == 0 && !body.shapes);
    assert_true(body.motion.kind == TL_MOTION_VELOCITY && body.motion.velocity[0] == 0);

    double u[3] = {1, 2, 3}, v[3] = {4, 5, 6};
    tl_shape_def box = tl_box_default(1, 2, 3), patch = tl_parallelogram_default(u, v);
    assert_true(tl_sphere_default(0.25).kind == TL_SPHERE &&
                tl_sphere_default(0.25).radius == 0.25);
    assert_true(tl_plane_default().kind == TL_PLANE && tl_plane_default().orientation[0] == 1);
    assert_true(box.kind == TL_BOX && box.half_extents[2] == 3 && box.material.index == 0);
    assert_true(patch.kind == TL_PARALLELOGRAM && patch.edge_u[1] == 2 && patch.edge_v[2] == 6);
    patch = tl_parallelogram_default(u, NULL);
    assert_string_equal(tl_last_message(), "edge_v is NULL; it must not be");
    assert_true(patch.edge_u[0] == 0 && patch.edge_v[0] == 0);
    assert_true(tl_force_default().body.index == 0 && tl_force_default().table_length == 0);
}

/* ---- what is recorded ---- */

static tl_body_rec add_one(tl_scene *scene, const tl_body_def *def)
{
    tl_body body;
    assert_ok(tl_scene_add_bodies(scene, 1, def, &body));
    return *body_rec(scene, body.index - 1);
}

static void spheres_have_their_closed_form_inertia(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    for (int i = 0; i < 20; i++) {
        double r = 1e-3 * pow(1.7, i);
        tl_shape_def sphere = tl_sphere_default(r);
        tl_body_def def = tl_body_default();
        def.density = 2500;
        def.shape_count = 1;
        def.shapes = &sphere;
        double mass = 2500 * 4.0 / 3.0 * pi * r * r * r;
        tl_body_rec body = add_one(scene, &def);
        assert_near(body.mass, mass, 1e-15);
        assert_near(body.inertia[0], 0.4 * mass * r * r, 1e-15);
        assert_true(body.inertia[0] == body.inertia[1] && body.inertia[1] == body.inertia[2]);

        def.mass = 3;
        body = add_one(scene, &def);
        assert_true(body.mass == 3);
        assert_near(body.inertia[0], 0.4 * 3 * r * r, 1e-15);
        assert_true(body.inertia[0] == body.inertia[1] && body.inertia[1] == body.inertia[2]);

        def.inertia[0] = 1, def.inertia[1] = 2, def.inertia[2] = 2.5;
        body = add_one(scene, &def);
        assert_true(body.inertia[0] == 1 && body.inertia[1] == 2 && body.inertia[2] == 2.5);

        def.mass = 0; /* the mass of the volume, the inertia as given */
        body = add_one(scene, &def);
        assert_near(body.mass, mass, 1e-15);
        assert_true(body.inertia[0] == 1 && body.inertia[1] == 2 && body.inertia[2] == 2.5);
    }
    tl_scene_destroy(scene);
}

static void dumbbells_have_their_closed_form_inertia(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    /* radii 1 and 2: volumes 1 to 8, so that the centre of mass is at 0 for x = -4 and 0.5 */
    tl_shape_def spheres[2] = {tl_sphere_default(1), tl_sphere_default(2)};
    spheres[0].position[0] = -4;
    spheres[1].position[0] = 0.5;
    tl_body_def def = tl_body_default();
    def.density = 10;
    def.shape_count = 2;
    def.shapes = spheres;
    double m1 = 10 * 4.0 / 3.0 * pi, m2 = 8 * m1;
    double along = 0.4 * m1 * 1 + 0.4 * m2 * 4, across = along + m1 * 16 + m2 * 0.25;
    tl_body_rec body = add_one(scene, &def);
    assert_near(body.mass, m1 + m2, 1e-15);
    assert_near(body.inertia[0], along, 1e-15);
    assert_near(body.inertia[1], across, 1e-15);
    assert_near(body.inertia[2], across, 1e-15);

    def.mass = 2 * (m1 + m2); /* scales the inertia with it */
    body = add_one(scene, &def);
    assert_near(body.inertia[0], 2 * along, 1e-15);
    assert_near(body.inertia[1], 2 * across, 1e-15);

    /* on a diagonal of the xy-plane the principal axes are turned by 45 degrees about z */
    def.mass = 0;
    spheres[1] = spheres[0] = tl_sphere_default(1);
    spheres[0].position[0] = spheres[0].position[1] = 1;
    spheres[1].position[0] = spheres[1].position[1] = -1;
    body = add_one(scene, &def);
    assert_near(body.inertia[0] < body.inertia[1] ? body.inertia[0] : body.inertia[1], 2 * 0.4 * m1,
                1e-15);
    assert_near(body.inertia[2], 2 * 0.4 * m1 + 2 * m1 * 2, 1e-15);
    assert_near(body.turn[0], cos(pi / 8), 1e-15);
    assert_near(fabs(body.turn[3]), sin(pi / 8), 1e-15);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 5;
    body = add_one(scene, &def);
    assert_near(body.mass, 2 * m1, 1e-15);
    assert_true(body.turn[0] == 1);
    tl_scene_destroy(scene);
}

static void bodies_are_recorded_as_given(void **state)
{
    fixture f;
    (void)state;
    tl_scene *scene = new_scene();
    make_fixture(&f, BALL);
    for (int i = 0; i < 3; i++) {
        f.body.position[i] = 1 + i;
        f.body.velocity[i] = 4 + i;
        f.body.angular_velocity[i] = 7 + i;
        f.body.orientation[1 + i] = 0.5;
    }
    f.body.orientation[0] = 0.5 * (1 + 1e-6);
    tl_body_rec body = add_one(scene, &f.body);
    const double *q = body.orientation;
    assert_true(body.kind == TL_DYNAMIC && body.motion == 0 && body.shape_count == 1);
    for (int i = 0; i < 3; i++) {
        assert_true(body.position[i] == 1 + i && body.velocity[i] == 4 + i);
        assert_true(body.angular_velocity[i] == 7 + i);
    }
    assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 4e-16);
    assert_near(q[0] / q[1], 1 + 1e-6, 4e-16);

    make_fixture(&f, WALL);
    f.body.mass = 5; /* of no use to a body that is not dynamic */
    f.body.inertia[0] = 3;
    body = add_one(scene, &f.body);
    assert_true(body.kind == TL_FIXED && body.mass == 0 && body.inertia[0] == 0);
    assert_true(body.motion == 0 && body.shape_count == 2 && body.first_shape == 1);
    const tl_shape_rec *shapes = scene->list.shapes.data;
    assert_true(shapes[1].kind == TL_BOX && shapes[1].half_extents[1] == 2);
    assert_true(shapes[2].kind == TL_PARALLELOGRAM && shapes[2].edge_v[1] == 2);
    tl_scene_destroy(scene);
}

static void motions_own_their_tables(void **state)
{
    fixture f;
    (void)state;
    tl_scene *scene = new_scene();
    make_fixture(&f, SHAKER);
    tl_body_rec body = add_one(scene, &f.body);
    assert_true(body.kind == TL_PRESCRIBED && body.motion == 1 && body.mass == 0);
    for (int i = 0; i < 9; i++)
        f.times[i / 3] = f.offsets[i] = NAN; /* the user's table may go */
    const tl_motion_rec *motion = scene->list.motions.data;
    assert_int_equal(motion->def.table_length, 3);
    assert_ptr_equal(motion->def.times, motion->table);
    assert_ptr_equal(motion->def.offsets, motion->table + 3);
    for (int i = 0; i < 9; i++) {
        assert_true(motion->def.times[i / 3] == 0.25 * (i / 3));
        assert_true(motion->def.offsets[i] == i);
    }
    make_fixture(&f, DRUM);
    f.body.motion.amplitude[2] = 0.1;
    f.body.motion.phase = 1;
    assert_int_equal(add_one(scene, &f.body).motion, 2);
    f.body.motion = tl_motion_default();
    f.body.motion.angular_velocity[0] = 3;
    assert_int_equal(add_one(scene, &f.body).motion, 3);
    motion = scene->list.motions.data;
    assert_true(motion[1].def.kind == TL_MOTION_SINE && motion[1].def.amplitude[2] == 0.1);
    assert_true(motion[1].def.frequency == 5 && motion[1].def.phase == 1);
    assert_true(!motion[1].table && !motion[1].def.times && motion[1].def.table_length == 0);
    assert_true(motion[2].def.kind == TL_MOTION_VELOCITY);
    assert_true(motion[2].def.angular_velocity[0] == 3);

    char text[] = "sin(t)";
    f.body.motion.rotation = TL_MOTION_EXPRESSION;
    f.body.motion.angular_expressions[1] = text;
    assert_int_equal(add_one(scene, &f.body).motion, 4);
    text[0] = '?';
    motion = scene->list.motions.data;
    assert_string_equal(motion[3].def.angular_expressions[1], "sin(t)");
    assert_true(!motion[3].def.angular_expressions[0] && !motion[3].def.expressions[0]);
    tl_scene_destroy(scene);
}

static void equal_shapes_are_stored_once(void **state)
{
    enum { COUNT = 1000 };
    (void)state;
    tl_scene *scene = new_scene();
    tl_shape_def sphere = tl_sphere_default(0.1), pair[2] = {sphere, sphere};
    tl_body_def *defs = malloc(COUNT * sizeof *defs);
    for (int i = 0; i < COUNT; i++) {
        defs[i] = tl_body_default();
        defs[i].shape_count = 1;
        defs[i].shapes = &sphere;
    }
    assert_ok(tl_scene_add_bodies(scene, COUNT, defs, NULL));
    assert_int_equal(scene->list.shapes.count, 1);
    assert_int_equal(scene->list.shape_total, COUNT);
    /* what a sphere does not use makes no difference; a later call shares, too */
    sphere.half_extents[0] = 5;
    sphere.edge_u[1] = 2;
    sphere.orientation[0] = 0, sphere.orientation[2] = 1;
    assert_ok(tl_scene_add_bodies(scene, 1, defs, NULL));
    assert_int_equal(scene->list.shapes.count, 1);
    assert_int_equal(body_rec(scene, COUNT)->first_shape, 0);
    sphere.radius = 0.2;
    assert_ok(tl_scene_add_bodies(scene, 2, defs, NULL));
    assert_int_equal(scene->list.shapes.count, 2);
    assert_int_equal(body_rec(scene, COUNT + 1)->first_shape, 1);
    assert_int_equal(body_rec(scene, COUNT + 2)->first_shape, 1);
    /* as many, but others; then as many of the same */
    pair[0].position[0] = 1, pair[1].position[0] = -1;
    defs[0].shapes = defs[1].shapes = pair;
    defs[0].shape_count = defs[1].shape_count = 2;
    assert_ok(tl_scene_add_bodies(scene, 2, defs, NULL));
    assert_int_equal(scene->list.shapes.count, 4);
    assert_int_equal(body_rec(scene, COUNT + 3)->first_shape, 2);
    assert_int_equal(body_rec(scene, COUNT + 4)->first_shape, 2);
    assert_int_equal(scene->list.shape_total, COUNT + 1 + 2 + 4);
    /* the first shape of the two alone is another list */
    defs[0].shape_count = 1;
    defs[0].mass = defs[0].inertia[0] = defs[0].inertia[1] = defs[0].inertia[2] = 1;
    assert_ok(tl_scene_add_bodies(scene, 1, defs, NULL));
    assert_int_equal(scene->list.shapes.count, 5);
    assert_int_equal(body_rec(scene, COUNT + 5)->first_shape, 4);
    const tl_shape_rec *shapes = scene->list.shapes.data;
    assert_true(shapes[1].radius == 0.2 && shapes[2].radius == 0.1);
    assert_true(shapes[2].position[0] == 1 && shapes[3].position[0] == -1);
    free(defs);
    tl_scene_destroy(scene);
}

/* ---- materials ---- */

static tl_pair_def pair_rec(const tl_scene *scene, size_t a, size_t b)
{
    return ((tl_pair_def *)scene->pairs.data)[a * scene->materials.count + b];
}

static void check_pair(const tl_scene *scene, size_t a, size_t b, double friction,
                       double restitution)
{
    tl_pair_def ab = pair_rec(scene, a, b), ba = pair_rec(scene, b, a);
    assert_near(ab.friction, friction, 4e-16);
    assert_true(ab.restitution == restitution);
    assert_memory_equal(&ab, &ba, sizeof ab);
}

static void pairs_mix_and_keep_what_was_set(void **state)
{
    tl_material_def def = {.friction = 0.3, .restitution = 0.2};
    tl_material none = {0}, a, b, c;
    (void)state;
    tl_scene *scene = new_scene();
    check_pair(scene, 0, 0, 0.5, 0);
    assert_ok(tl_scene_add_material(scene, &def, &a));
    def.friction = 0.7, def.restitution = 0.6;
    assert_ok(tl_scene_add_material(scene, &def, &b));
    assert_true(a.index == 1 && b.index == 2);
    check_pair(scene, 1, 1, 0.3, 0.2);
    check_pair(scene, 2, 2, 0.7, 0.6);
    check_pair(scene, 0, 1, sqrt(0.5 * 0.3), 0.2);
    check_pair(scene, 0, 2, sqrt(0.5 * 0.7), 0.6);
    check_pair(scene, 1, 2, sqrt(0.3 * 0.7), 0.6);
    assert_true(pair_rec(scene, 1, 1).friction == 0.3 && pair_rec(scene, 2, 2).friction == 0.7);

    assert_ok(tl_scene_set_pair(scene, b, a, &(tl_pair_def){.friction = 0.9, .restitution = 1}));
    assert_ok(tl_scene_set_pair(scene, a, a, &(tl_pair_def){.restitution = 0.1}));
    assert_ok(
        tl_scene_set_pair(scene, none, none, &(tl_pair_def){.friction = 0.4, .restitution = 0.3}));
    def.friction = 0, def.restitution = 1;
    assert_ok(tl_scene_add_material(scene, &def, &c));
    check_pair(scene, 1, 2, 0.9, 1);
    check_pair(scene, 1, 1, 0, 0.1);
    check_pair(scene, 0, 0, 0.4, 0.3);
    check_pair(scene, 0, 2, sqrt(0.5 * 0.7), 0.6);
    for (size_t i = 0; i < 4; i++)
        check_pair(scene, 3, i, 0, 1);
    def.friction = 1e300; /* the product with itself would overflow */
    assert_ok(tl_scene_add_material(scene, &def, &c));
    check_pair(scene, 4, 4, 1e300, 1);
    check_pair(scene, 4, 0, sqrt(0.5) * 1e150, 1);
    tl_scene_destroy(scene);
}

/* Frictions of any kind and cohesion have their geometric mean, springs are one behind the other.
 */
static void pairs_mix_all_laws(void **state)
{
    const tl_material_def one = {.friction = 0.5,
                                 .restitution = 0,
                                 .rolling_friction = 0.1,
                                 .spinning_friction = 0.4,
                                 .cohesion = 2,
                                 .compliance = 1e-3,
                                 .damping_time = 4},
                          other = {.friction = 0.5,
                                   .restitution = 0,
                                   .rolling_friction = 0.4,
                                   .spinning_friction = 0.1,
                                   .cohesion = 8,
                                   .compliance = 3e-3,
                                   .damping_time = 8},
                          hard = {.friction = 0.5, .restitution = 0.9};
    tl_material a, b, c;
    tl_pair_def pair;
    (void)state;
    tl_scene *scene = new_scene();
    assert_ok(tl_scene_add_material(scene, &one, &a));
    assert_ok(tl_scene_add_material(scene, &other, &b));
    assert_ok(tl_scene_add_material(scene, &hard, &c));
    assert_ok(tl_scene_pair(scene, a, b, &pair));
    assert_near(pair.rolling_friction, 0.2, 1e-15);
    assert_near(pair.spinning_friction, 0.2, 1e-15);
    assert_near(pair.cohesion, 4, 1e-14);
    assert_near(pair.compliance, 4e-3, 1e-17);
    assert_near(pair.damping_time, 7, 1e-14);
    assert_ok(tl_scene_pair(scene, c, a, &pair));
    assert_true(pair.cohesion == 0 && pair.rolling_friction == 0 && pair.restitution == 0);
    assert_near(pair.compliance, 1e-3, 1e-17);
    assert_near(pair.damping_time, 4, 1e-14);
    tl_scene_destroy(scene);
}

/* ---- forces ---- */

static void forces_own_their_tables(void **state)
{
    fixture ball;
    force_fixture f;
    tl_body body;
    (void)state;
    tl_scene *scene = new_scene();
    make_fixture(&ball, BALL);
    assert_ok(tl_scene_add_bodies(scene, 1, &ball.body, &body));
    make_force(&f, body);
    f.def.torque[1] = 4; /* not used: there is a table */
    assert_ok(tl_scene_add_force(scene, &f.def));
    memset(f.values, 0, sizeof f.values);
    f.def.table_length = 0;
    f.def.force[2] = 3;
    assert_ok(tl_scene_add_force(scene, &f.def));
    assert_int_equal(scene->forces.count, 2);
    const tl_force_rec *forces = scene->forces.data;
    assert_true(forces[0].body == 1 && forces[0].table_length == 2 && forces[0].constant[4] == 0);
    assert_true(forces[0].table[0] == 0 && forces[0].table[1] == 1);
    for (int i = 0; i < 12; i++)
        assert_true(forces[0].table[2 + i] == i);
    assert_true(forces[1].body == 1 && forces[1].table_length == 0 && !forces[1].table);
    assert_true(forces[1].constant[2] == 3 && forces[1].constant[4] == 4);
    tl_scene_destroy(scene);
}

/* ---- failing allocations ---- */

/* An allocator that refuses its `fail_at`-th request and counts what has not come back. */
typedef struct injector {
    size_t requests, fail_at, outstanding;
} injector;

static void *inject_allocate(size_t bytes, void *user)
{
    injector *in = user;
    if (++in->requests == in->fail_at)
        return NULL;
    in->outstanding += bytes;
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    memset(memory, 0xa5, bytes);
    return memory;
}

static void inject_release(void *memory, size_t bytes, void *user)
{
    ((injector *)user)->outstanding -= bytes;
    memset(memory, 0x5a, bytes);
    free(memory);
}

enum { BUILD_STEPS = 7 };

/* One call of the sequence that builds a scene with something of everything. */
static tl_status build(tl_scene **scene, int step)
{
    fixture ball, wall, shaker, drum;
    force_fixture force;
    tl_material_def material = {.friction = 0.25, .restitution = 0.5};
    tl_material out;
    tl_body bodies[4], none = {0, 0};
    make_fixture(&ball, BALL);
    make_fixture(&wall, WALL);
    make_fixture(&shaker, SHAKER);
    make_fixture(&drum, DRUM);
    tl_body_def defs[4] = {shaker.body, ball.body, wall.body, shaker.body};
    tl_status status = TL_OK;
    switch (step) {
    case 0:
        *scene = (tl_scene *)&ball; /* what was there must go */
        status = tl_scene_create(scene);
        if (status < 0)
            assert_null(*scene);
        break;
    case 1:
    case 2:
        status = tl_scene_add_material(*scene, &material, &out);
        if (status < 0)
            assert_int_equal(out.index, 0);
        break;
    case 3:
    case 4:
        if (step == 4)
            defs[0] = drum.body;
        status = tl_scene_add_bodies(*scene, 4, defs, bodies);
        for (int i = 0; i < 4 && status < 0; i++)
            assert_memory_equal(&bodies[i], &none, sizeof none);
        break;
    case 5:
    case 6:
        make_force(&force, (tl_body){2, 1});
        status = tl_scene_add_force(*scene, &force.def);
        break;
    }
    return status;
}

/* Builds with the fail_at-th request refused; the call that failed must have changed nothing and is
 * made again. Returns the digest of the scene. */
static uint64_t build_with_failure(injector *in, size_t fail_at, int *failures)
{
    tl_allocator allocator = {inject_allocate, inject_release, in};
    tl_scene *scene = NULL;
    *in = (injector){.fail_at = fail_at};
    *failures = 0;
    tl_set_allocator(&allocator);
    for (int step = 0; step < BUILD_STEPS; step++) {
        uint64_t before = scene ? digest(scene) : 0;
        tl_status status = build(&scene, step);
        if (status < 0) {
            ++*failures;
            assert_int_equal(status, TL_NO_MEMORY);
            assert_non_null(strstr(tl_last_message(), "out of memory: "));
            assert_true((scene ? digest(scene) : 0) == before);
            if (!scene)
                assert_int_equal(in->outstanding, 0);
            assert_ok(build(&scene, step));
        }
    }
    uint64_t result = digest(scene);
    tl_scene_destroy(scene);
    assert_int_equal(in->outstanding, 0);
    tl_set_allocator(NULL);
    return result;
}

static void failing_allocations_change_nothing(void **state)
{
    injector in;
    int failures;
    (void)state;
    uint64_t expected = build_with_failure(&in, 0, &failures);
    size_t requests = in.requests;
    assert_int_equal(failures, 0);
    assert_true(requests > 15); /* the sequence does allocate: scene, tables, arrays */
    for (size_t n = 1; n <= requests; n++) {
        assert_true(build_with_failure(&in, n, &failures) == expected);
        assert_int_equal(failures, 1);
    }
    assert_true(build_with_failure(&in, requests + 1, &failures) == expected);
    assert_int_equal(failures, 0);
}

/* A batch of bodies that repeat one another in part is recorded as if each came alone. */
static void batches_are_as_one_by_one(void **state)
{
    (void)state;
    tl_shape_def balls[2] = {tl_sphere_default(0.5), tl_sphere_default(0.25)};
    tl_body_def defs[256];
    tl_scene *together = new_scene(), *alone = new_scene();
    for (unsigned i = 0; i < 256; i++) { /* neighbours differ in any few of these */
        const unsigned bits = i ^ i >> 1 ^ (i * 37 & 255);
        defs[i] = tl_body_default();
        defs[i].shapes = &balls[bits & 1];
        defs[i].shape_count = 1;
        defs[i].kind = bits & 2 ? TL_FIXED : TL_DYNAMIC;
        defs[i].mass = bits & 4 ? 3 : 0;
        defs[i].density = bits & 8 ? 500 : 1000;
        for (int k = 0; k < 3; k++)
            defs[i].inertia[k] = bits & 16 ? 0.25 : 0;
        defs[i].position[0] = i;
        defs[i].velocity[1] = bits & 2 ? 0 : 0.5 * i;
        if (i % 5 == 4) /* some differ in nothing */
            defs[i] = defs[i - 1];
    }
    for (unsigned i = 0; i < 256; i++)
        assert_ok(tl_scene_add_bodies(alone, 1, &defs[i], NULL));
    assert_ok(tl_scene_add_bodies(together, 256, defs, NULL));
    assert_true(digest(together) == digest(alone));
    tl_scene_destroy(together);
    tl_scene_destroy(alone);
}

static void reserved_room_is_used(void **state)
{
    injector in = {0};
    tl_allocator allocator = {inject_allocate, inject_release, &in};
    fixture ball;
    (void)state;
    make_fixture(&ball, BALL);
    tl_set_allocator(&allocator);
    tl_scene *scene = new_scene();
    assert_ok(tl_scene_reserve(scene, 0));
    assert_ok(tl_scene_add_bodies(scene, 1, &ball.body, NULL));
    assert_ok(tl_scene_reserve(scene, 1000));
    const size_t requests = in.requests;
    for (int i = 0; i < 1000; i++)
        assert_ok(tl_scene_add_bodies(scene, 1, &ball.body, NULL));
    assert_true(in.requests <= requests + 1); /* the shapes, which are few, may grow once */
    assert_refused(tl_scene_reserve(scene, INT32_MAX), TL_TOO_LARGE,
                   "2147483647 bodies on top of 1001; there can be at most 2147483646 in all");
    assert_refused(tl_scene_reserve(NULL, 1), TL_BAD_ARGUMENT, "scene is NULL; it must not be");
    assert_int_equal(tl_scene_body_count(scene), 1001);
    tl_scene_destroy(scene);
    assert_int_equal(in.outstanding, 0);
    tl_set_allocator(NULL);
}

/* An assertion that fails leaves the test with the injecting allocator set. */
static int restore_allocator(void **state)
{
    (void)state;
    tl_set_allocator(NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(spheres_have_their_closed_form_inertia),
        cmocka_unit_test(dumbbells_have_their_closed_form_inertia),
        cmocka_unit_test(bodies_are_recorded_as_given),
        cmocka_unit_test(motions_own_their_tables),
        cmocka_unit_test(equal_shapes_are_stored_once),
        cmocka_unit_test(batches_are_as_one_by_one),
        cmocka_unit_test_teardown(reserved_room_is_used, restore_allocator),
        cmocka_unit_test(pairs_mix_and_keep_what_was_set),
        cmocka_unit_test(pairs_mix_all_laws),
        cmocka_unit_test(forces_own_their_tables),
        cmocka_unit_test_teardown(failing_allocations_change_nothing, restore_allocator),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
