/* What collides with what: groups and masks, pairs of bodies that are excluded, and sensors, which
 * report and change nothing. */
#include "solids.h"

/* ---- Groups ---- */

/* A cube on a floor, and another that falls on it: where that ends. */
static double fall(uint32_t group, uint32_t mask, uint32_t lower_group, bool excluded)
{
    tl_settings settings = tl_settings_default();
    settings.step = 1.0 / 200;
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    tl_body bodies[2];
    for (int i = 0; i < 2; i++) {
        tl_shape_def cube = tl_box_default(0.1, 0.1, 0.1);
        tl_body_def body = tl_body_default();
        cube.group = i ? group : lower_group;
        cube.mask = i ? mask : UINT32_MAX;
        body.shapes = &cube;
        body.shape_count = 1;
        body.position[2] = i ? 0.4 : 0.1;
        bodies[i] = add_body(scene, &body);
    }
    if (excluded)
        assert_ok(tl_scene_exclude(scene, bodies[1], bodies[0]));
    tl_world *world = world_of(scene);
    double x[3];
    step(world, 200);
    position_of(world, bodies[1], x);
    tl_world_destroy(world);
    return x[2];
}

/* Group 1 is the floor's, too. A pair collides where each is in the other's mask. */
static void test_masks(void **state)
{
    (void)state;
    const double on_top = 0.3, through = 0.1, tolerance = 1e-3;
    context("cubes");
    assert_near(fall(1, UINT32_MAX, 1, false), on_top, tolerance);
    assert_near(fall(6, UINT32_MAX, 4, false), on_top, tolerance);
    assert_near(fall(1, 1, 2, false), through, tolerance);
    assert_near(fall(2, 1 | 4, 2, false), through, tolerance); /* not with its own group */
    assert_near(fall(1u << 31, 1u | 1u << 31, 1u << 31, false), on_top, tolerance);
    assert_near(fall(1, UINT32_MAX, 1, true), through, tolerance);
    assert_true(fall(1, 2, 2, false) > 0.29);        /* the floor is not in its mask, the cube is */
    assert_true(fall(2, 2, 1, false) < -3);          /* neither is */
    assert_true(fall(0, UINT32_MAX, 1, false) < -3); /* in no group */
    assert_true(fall(1, 0, 1, false) < -3);
}

/* Filters that let everything through are the same, bit for bit, as none. */
static void test_through(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int way = 0; way < 3; way++) {
        tl_settings settings = tl_settings_default();
        settings.step = 1.0 / 200;
        settings.threads = way == 2 ? 3 : 1;
        tl_scene *scene = mixer_scene(&settings, 200, 3);
        tl_shape_def ball = tl_sphere_default(0.1);
        ball.group = way ? 5 : 1;
        ball.mask = way ? 5 : UINT32_MAX;
        for (int i = 0; i < 100; i++) {
            tl_body_def body = ball_at(&ball, 0.21 * (i % 5), 2 + 0.21 * (i / 5));
            add_body(scene, &body);
        }
        tl_world *world = world_of(scene);
        step(world, 150);
        hash[way] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

/* Where no two shapes may touch, none are looked for; a ball that comes and may, is, and finds the
 * floor; and once it has gone, that is as before. */
static void test_lonely(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    settings.step = 1.0 / 200;
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    tl_shape_def shapes[2] = {tl_box_default(0.1, 0.1, 0.1), tl_sphere_default(0.1)};
    shapes[0].mask = 0;
    for (int i = 0; i < 3; i++) {
        tl_body_def body = ball_at(shapes, 0.1 * i, 0.2 * i);
        add_body(scene, &body);
    }
    tl_world *world = world_of(scene);
    const tl_body_def later = ball_at(shapes + 1, 1, 0.3);
    tl_body ball;
    double x[3];
    assert_int_equal(step_report(world, 20).contacts, 0);
    assert_ok(tl_world_add_bodies(world, 1, &later, &ball));
    assert_int_equal(step_report(world, 200).contacts, 1);
    position_of(world, ball, x);
    assert_near(x[2], 0.1, 1e-3);
    assert_ok(tl_world_remove_bodies(world, 1, &ball));
    assert_int_equal(step_report(world, 20).contacts, 0);
    tl_world_destroy(world);
}

/* ---- Pairs that are excluded ---- */

static bool touch(const tl_world *world, tl_body a, tl_body b)
{
    size_t count;
    bool found = false;
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++)
        found = found || (contacts[i].a.index == a.index && contacts[i].b.index == b.index) ||
                (contacts[i].a.index == b.index && contacts[i].b.index == a.index);
    free(contacts);
    return found;
}

static void test_exclude(void **state)
{
    (void)state;
    tl_world *world = five(TL_DOUBLE);
    const tl_body floor = {1, 1};
    const tl_body balls[4] = {{2, 1}, {3, 1}, {4, 1}, {5, 1}};
    step(world, 1);
    for (int i = 0; i < 4; i++)
        assert_true(touch(world, floor, balls[i]));
    assert_ok(tl_world_exclude(world, balls[1], floor, true));
    assert_ok(tl_world_exclude(world, floor, balls[3], true));
    assert_ok(tl_world_exclude(world, floor, balls[3], true)); /* again */
    assert_ok(tl_world_exclude(world, balls[0], balls[1], true));
    assert_ok(tl_world_find_contacts(world));
    for (int i = 0; i < 4; i++)
        assert_int_equal(touch(world, floor, balls[i]), i % 2 == 0);
    assert_ok(tl_world_exclude(world, floor, balls[3], false));
    assert_ok(tl_world_exclude(world, floor, balls[2], false)); /* was not */
    assert_ok(tl_world_find_contacts_in(world, 3, 2));
    for (int i = 0; i < 4; i++)
        assert_int_equal(touch(world, floor, balls[i]), i != 1);
    double x[3];
    step(world, 50);
    position_of(world, balls[1], x);
    assert_below(x[2], -0.1);
    position_of(world, balls[0], x);
    assert_near(x[2], 0.1, 1e-3);

    /* a pair goes with its bodies, and a new body has another handle */
    tl_body made;
    const tl_shape_def ball = tl_sphere_default(0.1);
    const tl_body_def again = ball_at(&ball, 0.5, 0.1);
    assert_ok(tl_world_remove_bodies(world, 1, &balls[1]));
    assert_ok(tl_world_add_bodies(world, 1, &again, &made));
    assert_ok(tl_world_find_contacts(world));
    assert_true(touch(world, floor, made));
    assert_ok(tl_world_exclude(world, floor, made, true));
    assert_ok(tl_world_find_contacts(world));
    assert_false(touch(world, floor, made));
    tl_world_destroy(world);
}

/* ---- Sensors ---- */

typedef struct sensed_scene {
    bool solids; /* grains of every kind, not spheres alone */
    int gates;   /* sensors on a body of their own, which comes last */
    bool halos;  /* and on each grain */
    tl_precision precision;
    tl_solver_kind solver;
    uint32_t threads;
} sensed_scene;

static tl_shape_def gate_shape(int i)
{
    const double edges[2][3] = {{0.6, 0, 0}, {0, 0.6, 0.1}};
    const tl_shape_def gates[] = {tl_box_default(0.4, 0.4, 0.1),
                                  tl_plane_default(),
                                  tl_sphere_default(0.35),
                                  tl_cylinder_default(0.3, 0.2),
                                  tl_parallelogram_default(edges[0], edges[1]),
                                  tl_capsule_default(0.02, 0.3)};
    tl_shape_def gate = gates[i % 6];
    gate.sensor = true;
    gate.position[0] = 0.05 * (i % 7) - 0.1;
    gate.position[2] = 0.2 + 0.01 * (i % 11);
    return gate;
}

static tl_world *sensed_world(const sensed_scene *s)
{
    tl_settings settings = tl_settings_default();
    settings.step = 1.0 / 200;
    settings.precision = s->precision;
    settings.solver.kind = s->solver;
    settings.threads = s->threads;
    tl_scene *scene = mixer_scene(&settings, 60, 3);
    dice d = {9};
    for (int i = 0; i < 60; i++) {
        const double r = roll(&d, 0.05, 0.09);
        tl_shape_def shapes[2] = {i % 3 && s->solids ? tl_box_default(r, 0.7 * r, 0.5 * r)
                                                     : tl_sphere_default(r),
                                  tl_sphere_default(3 * r)};
        tl_body_def body = tl_body_default();
        shapes[1].sensor = true;
        shapes[1].position[0] = 0.01;
        body.shapes = shapes;
        body.shape_count = s->halos ? 2 : 1;
        body.position[0] = 0.2 * (i % 4) - 0.3;
        body.position[1] = 0.2 * (i / 4 % 4) - 0.3;
        body.position[2] = 1.6 + 0.2 * (i / 16);
        add_body(scene, &body);
    }
    if (s->gates) {
        tl_shape_def shapes[80];
        tl_body_def body = tl_body_default();
        body.kind = TL_PRESCRIBED;
        body.motion.angular_velocity[2] = 1;
        body.shapes = shapes;
        body.shape_count = (size_t)s->gates;
        for (int i = 0; i < s->gates; i++) {
            shapes[i] = gate_shape(i > 6 && i % 6 == 1 ? 0 : i); /* planes are few */
        }
        add_body(scene, &body);
    }
    return world_of(scene);
}

/* Whether all bodies of `bare` are in the same state in `sensed`. */
static bool same_bodies(const tl_world *bare, const tl_world *sensed)
{
    const size_t count = tl_world_body_count(bare);
    tl_body *bodies = malloc(count * sizeof *bodies);
    double *numbers[2] = {malloc(13 * count * sizeof(double)), malloc(13 * count * sizeof(double))};
    const tl_world *worlds[2] = {bare, sensed};
    assert_ok(tl_world_list_bodies(bare, count, bodies));
    for (int k = 0; k < 2; k++) {
        assert_ok(tl_world_read_positions(worlds[k], count, bodies, numbers[k]));
        assert_ok(tl_world_read_orientations(worlds[k], count, bodies, numbers[k] + 3 * count));
        assert_ok(tl_world_read_velocities(worlds[k], count, bodies, numbers[k] + 7 * count));
        assert_ok(
            tl_world_read_angular_velocities(worlds[k], count, bodies, numbers[k] + 10 * count));
    }
    const bool same = !memcmp(numbers[0], numbers[1], 13 * count * sizeof(double));
    free(bodies);
    free(numbers[0]);
    free(numbers[1]);
    return same;
}

/* The numbers of a report that tell of contacts. */
static void same_reports(const tl_report *a, const tl_report *b)
{
    assert_int_equal(a->contacts, b->contacts);
    assert_int_equal(a->active_contacts, b->active_contacts);
    assert_int_equal(a->searches, b->searches);
    assert_int_equal(a->impacts, b->impacts);
    assert_true(a->residual == b->residual && a->max_residual == b->max_residual);
    assert_true(a->max_penetration == b->max_penetration);
    assert_true(a->mean_penetration == b->mean_penetration);
    assert_true(a->dissipated_energy == b->dissipated_energy && a->work_energy == b->work_energy);
    assert_true(a->kinetic_energy == b->kinetic_energy);
}

/* A world with sensors runs as one without them, bit for bit, and reports the same solved contacts;
 * those with sensors come behind these, and carry nothing. */
static void run_sensed(const sensed_scene *s)
{
    sensed_scene none = *s;
    none.gates = 0;
    none.halos = false;
    context("%s, %d gates, halos %d", s->solids ? "solids" : "spheres", s->gates, s->halos);
    tl_world *bare = sensed_world(&none), *sensed = sensed_world(s);
    size_t most = 0;
    for (int i = 0; i < (WATCHED ? 60 : 120); i++) {
        const tl_report reports[2] = {step_report(bare, 1), step_report(sensed, 1)};
        same_reports(&reports[0], &reports[1]);
        if (!same_bodies(bare, sensed))
            fail_msg("%s: bodies differ after %d steps", test_context, i + 1);
        if (i % 10)
            continue;
        size_t counts[2];
        tl_contact *contacts[2] = {contacts_of(bare, &counts[0]), contacts_of(sensed, &counts[1])};
        assert_true(counts[1] >= counts[0]);
        assert_memory_equal(contacts[0], contacts[1], counts[0] * sizeof **contacts);
        for (size_t k = 0; k < counts[1]; k++) {
            const tl_contact *c = &contacts[1][k];
            assert_int_equal(c->sensor, k >= counts[0]);
            if (c->sensor)
                assert_true(norm3(c->impulse) == 0);
        }
        most = counts[1] - counts[0] > most ? counts[1] - counts[0] : most;
        free(contacts[0]);
        free(contacts[1]);
    }
    assert_true(most > 20);
    tl_world_destroy(bare);
    tl_world_destroy(sensed);
}

static void test_sensors(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        run_sensed(&(sensed_scene){.solids = i & 1,
                                   .gates = i & 2 ? 6 : 70,
                                   .halos = i & 4,
                                   .precision = i & 8 ? TL_MIXED : TL_DOUBLE,
                                   .solver = i % 3 == 2 ? TL_APGD : TL_PSOR,
                                   .threads = 1 + (uint32_t)(i & 1)});
}

/* Contacts with a gate against the distance of each sphere from a box. */
static void test_gate(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    const double half[3] = {0.5, 0.3, 0.2};
    tl_settings settings = tl_settings_default();
    settings.gravity[2] = 0;
    tl_scene *scene = scene_with(&settings);
    tl_body balls[COUNT];
    double x[COUNT][3];
    dice d = {1};
    for (int i = 0; i < COUNT; i++) {
        roll3(&d, -1, 1, x[i]);
        tl_shape_def ball = tl_sphere_default(0.05);
        ball.mask = 2; /* they pass each other */
        ball.group = i % 10 ? 1 : 4;
        tl_body_def body = ball_at(&ball, 0, 0);
        memcpy(body.position, x[i], sizeof x[i]);
        balls[i] = add_body(scene, &body);
    }
    tl_shape_def gate = tl_box_default(half[0], half[1], half[2]);
    gate.sensor = true;
    gate.group = 3;
    gate.mask = ~4u; /* every tenth is not seen */
    const tl_body body =
        add_fixed(scene, gate, (tl_material){0}, (double[3]){0, 0, 0}, (double[4]){1, 0, 0, 0});
    tl_monitor_def monitors[2] = {tl_monitor_default(), tl_monitor_default()};
    const tl_body_range range = {body, 1}, some = {balls[1], 100};
    for (int i = 0; i < 2; i++) {
        monitors[i].kind = TL_MONITOR_TOUCHING;
        monitors[i].name = i ? "some" : "gate";
        monitors[i].on = (tl_group_def){.range_count = 1, .ranges = &range};
        monitors[i].by = (tl_group_def){.range_count = (size_t)i, .ranges = &some};
        assert_ok(tl_scene_add_monitor(scene, &monitors[i]));
    }
    tl_world *world = world_of(scene);
    step(world, 1);
    size_t count, expected = 0, first = 0, found = 0;
    for (int i = 0; i < COUNT; i++) {
        double out[3];
        for (int k = 0; k < 3; k++)
            out[k] = fmax(fabs(x[i][k]) - half[k], 0);
        const bool inside = norm3(out) <= 0.05 && i % 10;
        expected += inside;
        first += inside && i >= 1 && i <= 100;
    }
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true(contacts[i].sensor);
        assert_int_equal(contacts[i].b.index, body.index);
        found += contacts[i].gap <= 0;
    }
    free(contacts);
    assert_int_equal(found, expected);
    assert_true(expected > 10 && first > 2);
    double values[4], mass = 1000 * 4.0 / 3 * PI * 0.05 * 0.05 * 0.05;
    assert_int_equal(tl_world_monitor_count(world), 4);
    assert_ok(tl_world_read_monitors(world, 4, values));
    assert_true(values[0] == (double)expected && values[2] == (double)first);
    assert_near(values[1], mass * (double)expected, 1e-9);
    tl_world_destroy(world);
}

/* A monitor of what rests on a wall: each body counts once, with however many contacts. */
static void test_touching(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    settings.step = 1.0 / 200;
    tl_scene *scene = scene_with(&settings);
    const tl_body floor = add_floor(scene, (tl_material){0});
    const tl_shape_def cube = tl_box_default(0.1, 0.1, 0.1);
    for (int i = 0; i < 3; i++) {
        tl_body_def body = ball_at(&cube, 0.4 * i, i < 2 ? 0.1 : 5);
        add_body(scene, &body);
    }
    const tl_body_range range = {floor, 1};
    tl_monitor_def def = tl_monitor_default();
    def.kind = TL_MONITOR_TOUCHING;
    def.name = "touching";
    def.on = (tl_group_def){.range_count = 1, .ranges = &range};
    assert_ok(tl_scene_add_monitor(scene, &def));
    tl_world *world = world_of(scene);
    double values[2];
    step(world, 20);
    assert_ok(tl_world_read_monitors(world, 2, values));
    assert_near(values[0], 2, 0);
    assert_near(values[1], 16, 1e-12);
    tl_world_destroy(world);
}

/* A sensor has no mass, and stands in nobody's way. */
static void test_massless(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    tl_shape_def shapes[2] = {tl_box_default(0.1, 0.1, 0.1), tl_box_default(5, 5, 5)};
    tl_body_def def = tl_body_default();
    shapes[1].sensor = true;
    shapes[1].position[0] = 3;
    def.shapes = shapes;
    def.shape_count = 2;
    const tl_body body = add_body(scene, &def);
    tl_fill_def fill = tl_fill_default();
    fill.region = (tl_region){.kind = TL_REGION_BOX, .low = {1, 1, 1}, .high = {3, 3, 3}};
    fill.size.radius = 0.5;
    fill.group = 2;
    fill.mask = 3;
    uint64_t added = 0;
    tl_body first;
    assert_ok(tl_scene_fill(scene, &fill, &added, &first));
    assert_int_equal(added, 8);
    tl_world *world = world_of(scene);
    double mass, inertia[3];
    assert_ok(tl_world_read_masses(world, 1, &body, &mass));
    assert_ok(tl_world_read_inertias(world, 1, &body, inertia));
    assert_near(mass, 8, 1e-12);
    assert_near(inertia[0], 8 * 0.04 / 6, 1e-12);
    tl_shape_info infos[10];
    assert_int_equal(tl_world_shape_count(world), 10);
    assert_ok(tl_world_read_shapes(world, 10, infos));
    for (int i = 0; i < 10; i++) {
        assert_int_equal(infos[i].def.sensor, i == 1);
        assert_int_equal(infos[i].def.group, i < 2 ? 1 : 2);
        assert_int_equal(infos[i].def.mask, i < 2 ? UINT32_MAX : 3);
    }
    tl_world_destroy(world);
}

/* ---- Snapshots ---- */

/* Spheres of two groups, pairs, sensors and an emitter of filtered templates. */
static tl_world *filtered_world(uint32_t threads)
{
    tl_settings settings = tl_settings_default();
    settings.step = 1.0 / 200;
    settings.threads = threads;
    tl_scene *scene = mixer_scene(&settings, 60, 3);
    for (uint32_t i = 0; i < 20; i++) {
        tl_shape_def shapes[2] = {tl_sphere_default(0.1), tl_sphere_default(0.3)};
        tl_body_def body = ball_at(shapes, 0.1 * (i % 5) - 0.2, 2 + 0.15 * i);
        shapes[0].group = 2u << i % 3;
        shapes[0].mask = 1u | 2u << (i + 1) % 3;
        shapes[1].sensor = i % 2;
        shapes[1].mask = i % 2 ? UINT32_MAX : 0;
        body.shape_count = 1 + i % 2;
        const tl_body made = add_body(scene, &body);
        assert_ok(tl_scene_exclude(scene, made, (tl_body){1 + i % 6, 1}));
        assert_ok(tl_scene_exclude(scene, (tl_body){made.index - 1, 1}, made));
    }
    tl_shape_def drop[2] = {tl_sphere_default(0.05), tl_sphere_default(0.2)};
    drop[0].group = 1u << 31;
    drop[0].mask = 3;
    drop[1].sensor = true;
    const tl_template_def template = {.weight = 1, .shape_count = 2, .shapes = drop};
    for (int i = 0; i < 2; i++) {
        tl_emitter_def emitter = tl_emitter_default();
        emitter.region =
            (tl_region){.kind = TL_REGION_BOX, .low = {-0.3, -0.3, 2}, .high = {0.3, 0.3, 4}};
        emitter.size.radius = i ? 0.05 : 1;
        emitter.rate = 30;
        emitter.template_count = (size_t)!i;
        emitter.templates = &template;
        emitter.group = 8;
        emitter.mask = 1;
        assert_ok(tl_scene_add_emitter(scene, &emitter));
    }
    return world_of(scene);
}

static void test_snapshot(void **state)
{
    (void)state;
    tl_world *one = filtered_world(1), *two = NULL;
    void *snapshot;
    size_t bytes;
    step(one, 60);
    assert_ok(tl_world_remove_bodies(one, 1, &(tl_body){70, 1})); /* of two excluded pairs */
    assert_ok(tl_world_save(one, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &two));
    tl_snapshot_free(snapshot, bytes);
    const size_t shapes = tl_world_shape_count(one);
    tl_shape_info *infos[2] = {calloc(shapes, sizeof **infos), calloc(shapes, sizeof **infos)};
    assert_int_equal(tl_world_shape_count(two), shapes);
    assert_ok(tl_world_read_shapes(one, shapes, infos[0]));
    assert_ok(tl_world_read_shapes(two, shapes, infos[1]));
    for (size_t i = 0; i < shapes; i++) {
        assert_int_equal(infos[0][i].def.group, infos[1][i].def.group);
        assert_int_equal(infos[0][i].def.mask, infos[1][i].def.mask);
        assert_int_equal(infos[0][i].def.sensor, infos[1][i].def.sensor);
    }
    free(infos[0]);
    free(infos[1]);
    for (int i = 0; i < 100; i++) {
        step(one, 1);
        step(two, 1);
        assert_true(tl_world_hash(one) == tl_world_hash(two));
        size_t counts[2];
        tl_contact *contacts[2] = {contacts_of(one, &counts[0]), contacts_of(two, &counts[1])};
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(contacts[0], contacts[1], counts[0] * sizeof **contacts);
        assert_true(contacts[0][counts[0] - 1].sensor);
        free(contacts[0]);
        free(contacts[1]);
    }
    tl_world_destroy(one);
    tl_world_destroy(two);
}

/* Threads, and space cut into parts on several devices, find the same. */
static void test_same(void **state)
{
    (void)state;
    tl_world *one = filtered_world(1), *three = filtered_world(3);
    step(one, 100);
    step(three, 100);
    assert_true(tl_world_hash(one) == tl_world_hash(three));
    for (uint32_t parts = 1; parts < 6; parts += 2) {
        size_t counts[2];
        assert_ok(tl_world_find_contacts(one));
        assert_ok(tl_world_find_contacts_in(three, parts, 2));
        tl_contact *contacts[2] = {contacts_of(one, &counts[0]), contacts_of(three, &counts[1])};
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(contacts[0], contacts[1], counts[0] * sizeof **contacts);
        free(contacts[0]);
        free(contacts[1]);
    }
    tl_world_destroy(one);
    tl_world_destroy(three);
}

/* ---- Refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    const tl_body a = add_floor(scene, (tl_material){0}), none = {7, 1}, old = {1, 2};
    tl_shape_def ball = tl_sphere_default(0.1);
    tl_body_def def = ball_at(&ball, 0, 1);
    const tl_body b = add_body(scene, &def);
    context("refusals");
    assert_refused(tl_scene_exclude(NULL, a, b), TL_BAD_ARGUMENT, "scene is NULL; it must not be");
    assert_refused(tl_scene_exclude(scene, none, b), TL_BAD_HANDLE,
                   "tl_scene_exclude: a (index 7, generation 1) is no body of this scene (it has "
                   "2)");
    assert_refused(tl_scene_exclude(scene, a, old), TL_BAD_HANDLE,
                   "tl_scene_exclude: b (index 1, generation 2) is no body of this scene (it has "
                   "2)");
    assert_refused(tl_scene_exclude(scene, a, a), TL_BAD_ARGUMENT,
                   "tl_scene_exclude: a and b are both body 1; they must be two bodies");
    ball.sensor = true;
    assert_refused(tl_scene_add_bodies(scene, 1, &def, NULL), TL_BAD_ARGUMENT,
                   "bodies[0].mass is 0; it must be > 0 on a dynamic body whose shapes are all "
                   "sensors");
    def.mass = 1;
    assert_refused(tl_scene_add_bodies(scene, 1, &def, NULL), TL_BAD_ARGUMENT,
                   "bodies[0].inertia is (0, 0, 0); each must be > 0 on a dynamic body whose "
                   "shapes are all sensors");
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
    assert_ok(tl_scene_add_bodies(scene, 1, &def, NULL));
    tl_world *world = world_of(scene);
    assert_refused(tl_world_exclude(NULL, a, b, true), TL_BAD_ARGUMENT,
                   "tl_world_exclude: world is NULL");
    assert_refused(tl_world_exclude(world, a, none, true), TL_BAD_HANDLE,
                   "tl_world_exclude: b (index 7, generation 1) is no body of this world");
    assert_refused(tl_world_exclude(world, old, b, false), TL_BAD_HANDLE,
                   "tl_world_exclude: a (index 1, generation 2) is no body of this world");
    assert_refused(tl_world_exclude(world, b, b, true), TL_BAD_ARGUMENT,
                   "tl_world_exclude: a and b are both body 2; they must be two bodies");
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),    cmocka_unit_test(test_through),
        cmocka_unit_test(test_lonely),   cmocka_unit_test(test_exclude),
        cmocka_unit_test(test_sensors),  cmocka_unit_test(test_gate),
        cmocka_unit_test(test_touching), cmocka_unit_test(test_massless),
        cmocka_unit_test(test_snapshot), cmocka_unit_test(test_same),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
