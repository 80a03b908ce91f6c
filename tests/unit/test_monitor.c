/* labels: threads */
/* Monitors: what they measure against closed forms and against what the world itself tells, that
 * groups follow their bodies, and that their bits depend on the state alone. */
#include "support.h"

/* ---- Definitions ---- */

static tl_group_def one(const tl_body_range *range)
{
    return (tl_group_def){.range_count = 1, .ranges = range};
}

static void add(tl_scene *scene, tl_monitor_kind kind, const char *name, tl_group_def on)
{
    tl_monitor_def def = tl_monitor_default();
    def.kind = kind;
    def.name = name;
    def.on = on;
    assert_ok(tl_scene_add_monitor(scene, &def));
}

static void add_statistic(tl_scene *scene, tl_monitor_kind kind, const char *name, const char *of,
                          double window)
{
    tl_monitor_def def = tl_monitor_default();
    def.kind = kind;
    def.name = name;
    def.of = of;
    def.window = window;
    assert_ok(tl_scene_add_monitor(scene, &def));
}

static void add_expression(tl_scene *scene, const char *name, const char *text)
{
    tl_monitor_def def = tl_monitor_default();
    def.kind = TL_MONITOR_EXPRESSION;
    def.name = name;
    def.expression = text;
    assert_ok(tl_scene_add_monitor(scene, &def));
}

static tl_monitor_def flow_down(const char *name, double z)
{
    tl_monitor_def def = tl_monitor_default();
    def.kind = TL_MONITOR_MASS_FLOW;
    def.name = name;
    def.point[2] = z;
    def.normal[2] = -1;
    return def;
}

static double channel(const tl_world *world, const char *name)
{
    const size_t count = tl_world_monitor_count(world);
    double values[64];
    tl_monitor_info info;
    assert_true(count <= 64);
    assert_ok(tl_world_read_monitors(world, count, values));
    for (size_t i = 0; i < count; i++) {
        assert_ok(tl_world_monitor_info(world, i, &info));
        if (strcmp(info.name, name) == 0)
            return values[i];
    }
    fail_msg("there is no channel %s", name);
    return NAN;
}

/* ---- Forces ---- */

/* A ball falls on a floor, bounces and rests: in each step the floor's force times h is the change
 * of momentum less that of gravity, also in the one step of the impact. */
static void impact(const variant *v)
{
    const double h = 0.005, mass = 2.5;
    tl_scene *scene = scene_for(v, h);
    const tl_material bouncy = add_material(scene, 0.3, 0.6);
    const tl_body floor = add_floor(scene, bouncy);
    const tl_body ball =
        add_sphere(scene, bouncy, 0.1, mass, (double[3]){0, 0, 0.3}, (double[3]){1, 0, -2});
    const tl_body_range floors = {floor, 1}, balls = {ball, 1};
    add(scene, TL_MONITOR_FORCE, "floor", one(&floors));
    add(scene, TL_MONITOR_FORCE, "ball", one(&balls));
    add_statistic(scene, TL_MONITOR_INTEGRAL, "impulse", "floor.z", INFINITY);
    add_statistic(scene, TL_MONITOR_MIN, "peak", "floor.z", INFINITY);
    tl_world *world = world_of(scene);
    double last[3], now[3], sum = 0, peak = 0;
    velocity_of(world, ball, last);
    for (int k = 0; k < 300; k++) {
        step(world, 1);
        velocity_of(world, ball, now);
        const double scale = slack(v, 2 * mass / h, 4);
        for (int c = 0; c < 3; c++) {
            const char *names[] = {"ball.x", "ball.y", "ball.z"};
            const char *others[] = {"floor.x", "floor.y", "floor.z"};
            const double gravity = c == 2 ? -G * mass : 0;
            assert_near(channel(world, names[c]), mass * (now[c] - last[c]) / h - gravity, scale);
            assert_near(channel(world, others[c]), -channel(world, names[c]), 0);
        }
        sum += channel(world, "floor.z") * h;
        peak = fmin(peak, channel(world, "floor.z"));
        memcpy(last, now, sizeof last);
    }
    assert_near(channel(world, "impulse"), sum, 1e-12 * fabs(sum));
    assert_near(channel(world, "peak"), peak, 0);
    assert_true(peak < -10 * G * mass); /* the impact was one step */
    assert_near(channel(world, "floor.magnitude"), G * mass, slack(v, 2 * mass / h, 4));
    tl_world_destroy(world);
}

static void test_impact(void **state)
{
    (void)state;
    for_each_variant(impact);
}

/* A heap at rest: the floor carries its weight, and what one half does to the other is what it gets
 * back. */
static void heap(const variant *v)
{
    tl_scene *scene = scene_for(v, 0.005);
    const tl_material rough = add_material(scene, 0.5, 0);
    const tl_body floor = add_floor(scene, rough);
    tl_body first = {0, 0};
    double weight = 0;
    for (int i = 0; i < 4; i++) { /* smooth walls keep it together */
        double q[4], x[3] = {0.09, 0.045, 0};
        const double side = i % 2 ? 1 : -1;
        turn((double[3]){i < 2 ? 0 : side, i < 2 ? -side : 0, 0}, PI / 2, q);
        x[i / 2] += side * (i < 2 ? 0.15 : 0.1);
        add_fixed(scene, tl_plane_default(), add_material(scene, 0, 0), x, q);
    }
    for (int i = 0; i < 30; i++) {
        const double x[3] = {0.09 * (i % 3), 0.09 * (i / 3 % 2), 0.06 + 0.12 * (i / 6)};
        const tl_body body = add_sphere(scene, rough, 0.05, 0.5 + 0.1 * i, x, (double[3]){0, 0, 0});
        first = i ? first : body;
        weight += G * (0.5 + 0.1 * i);
    }
    const tl_body_range floors = {floor, 1}, all = {first, 30};
    const tl_body_range low = {first, 15}, high = {{first.index + 15, 1}, 15};
    add(scene, TL_MONITOR_FORCE, "floor", one(&floors));
    add(scene, TL_MONITOR_FORCE, "grains", one(&all));
    tl_monitor_def def = tl_monitor_default();
    def.name = "up";
    def.on = one(&high);
    def.by = one(&low);
    assert_ok(tl_scene_add_monitor(scene, &def));
    def.name = "down";
    def.on = one(&low);
    def.by = one(&high);
    def.axis[2] = -2;
    assert_ok(tl_scene_add_monitor(scene, &def));
    add(scene, TL_MONITOR_ENERGY, "energy", (tl_group_def){.all = true});
    add_statistic(scene, TL_MONITOR_MEAN, "mean", "floor.z", 0.5);
    add_expression(scene, "tonnes", "floor.z / -9810 + 0 * t");
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 1500);
    assert_near(channel(world, "mean"), -weight, 1e-3 * weight);
    assert_near(channel(world, "grains.z"), -channel(world, "floor.z"), 1e-9 * weight);
    assert_near(channel(world, "up.z"), -channel(world, "down.z"), 1e-9 * weight);
    assert_near(channel(world, "down.along"), -channel(world, "down.z"), 1e-9 * weight);
    assert_true(fabs(channel(world, "up.z")) > 0.1 * weight);
    assert_near(channel(world, "tonnes"), weight / 9810, 2e-2 * weight / 9810);
    assert_near(channel(world, "energy.kinetic"), report.kinetic_energy, 0);
    assert_near(channel(world, "energy.potential"), report.potential_energy, 0);
    assert_near(channel(world, "energy.total"), report.kinetic_energy + report.potential_energy, 0);
    tl_world_destroy(world);
}

static void test_heap(void **state)
{
    (void)state;
    if (!WATCHED) /* fifteen hundred steps of what other heaps do */
        for_each_precision(heap);
}

/* A ball at rest on one of two shapes of a table: that shape has the force, and the moment about
 * the table's origin and about a point is force times anchor. */
static void lever(const variant *v)
{
    const double mass = 3;
    tl_scene *scene = scene_for(v, 0.005);
    tl_shape_def shapes[2] = {tl_box_default(0.5, 0.5, 0.1), tl_box_default(0.5, 0.5, 0.1)};
    shapes[0].position[0] = -1;
    shapes[1].position[0] = 1;
    tl_body_def table = tl_body_default();
    table.kind = TL_PRESCRIBED;
    table.shapes = shapes;
    table.shape_count = 2;
    table.position[2] = -0.1;
    const tl_body body = add_body(scene, &table);
    add_sphere(scene, (tl_material){0}, 0.2, mass, (double[3]){1.25, 0.25, 0.2},
               (double[3]){0, 0, 0});
    const tl_body_range range = {body, 1};
    tl_monitor_def def = tl_monitor_default();
    def.on = one(&range);
    for (uint32_t i = 0; i < 2; i++) {
        def.name = i ? "right" : "left";
        def.shape = i;
        assert_ok(tl_scene_add_monitor(scene, &def));
    }
    def.kind = TL_MONITOR_TORQUE;
    def.name = "turn";
    def.shape = TL_ANY_SHAPE;
    assert_ok(tl_scene_add_monitor(scene, &def));
    def.name = "edge";
    def.about = true;
    def.point[0] = 2;
    assert_ok(tl_scene_add_monitor(scene, &def));
    tl_world *world = world_of(scene);
    step(world, 400);
    const double near = slack(v, mass * G, 400) + 1e-4 * mass * G;
    assert_near(channel(world, "left.z"), 0, 0);
    assert_near(channel(world, "right.z"), -mass * G, near);
    assert_near(channel(world, "turn.x"), -0.25 * mass * G, near);
    assert_near(channel(world, "turn.y"), 1.25 * mass * G, 2 * near);
    assert_near(channel(world, "turn.z"), 0, near);
    assert_near(channel(world, "edge.y"), -0.75 * mass * G, 2 * near);
    tl_world_destroy(world);
}

static void test_lever(void **state)
{
    (void)state;
    for_each_precision(lever);
}

/* ---- Flows ---- */

/* An emitter above a plane, a boundary far below: what has flowed is what was emitted and has
 * passed; nothing is lost where bodies are removed. */
static void pour(const variant *v)
{
    tl_settings s = settings_for(v, 0.005);
    s.solver.iterations = 20;
    tl_scene *scene = scene_with(&s);
    tl_emitter_def emitter = tl_emitter_default();
    emitter.region = tl_region_box((double[3]){-1, -1, 1}, (double[3]){1, 1, 2});
    emitter.size.radius = 0.05;
    emitter.rate = 200;
    emitter.stop = 0.5;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    tl_boundary_def boundary = tl_boundary_default();
    boundary.region = tl_region_box((double[3]){-9, -9, -4}, (double[3]){9, 9, 9});
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    tl_monitor_def def = flow_down("out", 0);
    const uint32_t first = 0;
    def.on = (tl_group_def){.emitter_count = 1, .emitters = &first};
    assert_ok(tl_scene_add_monitor(scene, &def));
    def = tl_monitor_default();
    def.kind = TL_MONITOR_MASS_FLOW;
    def.name = "into";
    def.region = tl_region_box((double[3]){-5, -5, -2}, (double[3]){5, 5, 0});
    assert_ok(tl_scene_add_monitor(scene, &def));
    def.kind = TL_MONITOR_AMOUNT;
    def.name = "below";
    def.within = true;
    def.region = tl_region_box((double[3]){-5, -5, -9}, (double[3]){5, 5, 0});
    assert_ok(tl_scene_add_monitor(scene, &def));
    add(scene, TL_MONITOR_AMOUNT, "poured", (tl_group_def){.emitter_count = 1, .emitters = &first});
    add(scene, TL_MONITOR_AMOUNT, "all", (tl_group_def){.all = true});
    add_statistic(scene, TL_MONITOR_INTEGRAL, "sum", "out.rate", INFINITY);
    add(scene, TL_MONITOR_SPEED, "speed", (tl_group_def){.all = true});
    tl_world *world = world_of(scene);
    const double each = 1000 * 4 / 3.0 * PI * 0.05 * 0.05 * 0.05;
    tl_report report = {0};
    for (int k = 0; k < 500; k++) {
        report = step_report(world, 1);
        assert_near(channel(world, "out.total"), each * channel(world, "out.count"), 1e-9 * each);
        assert_near(channel(world, "sum"), channel(world, "out.total"), 1e-9);
        assert_near(channel(world, "poured.count"), channel(world, "all.count"), 0);
        if (!report.removed)
            assert_near(channel(world, "below.count"), channel(world, "out.count"), 0);
        if (k == 60)
            assert_true(channel(world, "poured.count") > 30);
    }
    assert_int_equal(report.emitted, 100);
    assert_int_equal(report.removed, 100);
    assert_near(channel(world, "out.count"), 100, 0);
    assert_near(channel(world, "out.total"), 100 * each, 1e-9);
    assert_near(channel(world, "into.count"), 0, 0); /* in, and out below */
    assert_near(channel(world, "all.mass"), 0, 0);
    assert_true(isnan(channel(world, "speed.max"))); /* of none */
    tl_world_destroy(world);
}

static void test_pour(void **state)
{
    (void)state;
    for_each_precision(pour);
}

/* ---- Bodies ---- */

static void test_bodies(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 0.01);
    set_gravity(scene, 0, 0, 0);
    const tl_body a =
        add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0, 0, 0}, (double[3]){1, 0, 0});
    add_sphere(scene, (tl_material){0}, 0.1, 3, (double[3]){4, 0, 0}, (double[3]){0, 2, 0});
    tl_body_def drum = tl_body_default();
    drum.kind = TL_PRESCRIBED;
    drum.position[0] = 20;
    drum.motion.velocity[1] = 0.5;
    drum.motion.angular_velocity[2] = 3;
    const tl_body turning = add_body(scene, &drum);
    const tl_body_range pair = {a, 2}, single = {a, 1}, wall = {turning, 1};
    add(scene, TL_MONITOR_POSITION, "centre", one(&pair));
    add(scene, TL_MONITOR_POSITION, "place", one(&single));
    add(scene, TL_MONITOR_VELOCITY, "velocity", one(&pair));
    add(scene, TL_MONITOR_POSITION, "drum", one(&wall));
    add(scene, TL_MONITOR_ANGULAR_VELOCITY, "spin", one(&wall));
    add(scene, TL_MONITOR_SPEED, "speed", one(&pair));
    add_statistic(scene, TL_MONITOR_MAX, "highest", "place.x", 0.1);
    add_statistic(scene, TL_MONITOR_MIN, "lowest", "place.x", 0.1);
    add_statistic(scene, TL_MONITOR_MEAN, "average", "place.x", 0.1);
    tl_world *world = world_of(scene);
    double values[32], x[3];
    assert_ok(tl_world_read_monitors(world, tl_world_monitor_count(world), values));
    assert_true(isnan(values[0])); /* nothing is measured yet */
    step(world, 100);
    assert_near(channel(world, "centre.x"), (1 + 12) / 4.0, 1e-12);
    assert_near(channel(world, "centre.y"), 1.5, 1e-12);
    assert_near(channel(world, "velocity.magnitude"), sqrt(0.25 * 0.25 + 1.5 * 1.5), 1e-12);
    assert_near(channel(world, "drum.y"), 0.5, 1e-12);
    assert_near(channel(world, "spin.z"), 3, 1e-12);
    assert_near(channel(world, "speed.mean"), 1.5, 1e-12);
    assert_near(channel(world, "speed.max"), 2, 1e-12);
    assert_near(channel(world, "speed.min"), 1, 1e-12);
    position_of(world, a, x);
    assert_near(channel(world, "place.x"), x[0], 0);
    assert_near(channel(world, "highest"), 1, 1e-12);   /* ten steps of 0.01 s: */
    assert_near(channel(world, "lowest"), 0.91, 1e-12); /* 0.91 to 1 */
    assert_near(channel(world, "average"), 0.955, 1e-12);
    assert_ok(tl_world_remove_bodies(world, 1, &a));
    step(world, 1);
    assert_true(isnan(channel(world, "place.x")));
    assert_near(channel(world, "centre.x"), 4, 1e-12);
    tl_world_destroy(world);
}

/* ---- The same bits ---- */

/* Enough bodies to be renumbered, an emitter, a removal, a group of every other layer. */
static tl_scene *crowd(uint32_t threads, bool measured)
{
    tl_settings s = tl_settings_default();
    s.threads = threads;
    s.solver.balance_iterations = 0; /* steps are to be many, not long */
    tl_scene *scene = scene_with(&s);
    const tl_body floor = add_floor(scene, (tl_material){0});
    tl_fill_def fill = tl_fill_default();
    tl_body first;
    uint64_t added;
    fill.region = tl_region_box((double[3]){-1, -1, 0}, (double[3]){1, 1, 2});
    fill.size.radius = 0.05;
    fill.gap = 0.005;
    fill.jitter = 0.001;
    assert_ok(tl_scene_fill(scene, &fill, &added, &first));
    assert_true(added > 4096);
    tl_emitter_def emitter = tl_emitter_default();
    emitter.region = tl_region_box((double[3]){-1, -1, 2.5}, (double[3]){1, 1, 3.5});
    emitter.size.radius = 0.06;
    emitter.rate = 400;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    if (!measured)
        return scene;
    const tl_body_range floors = {floor, 1}, half = {first, (uint32_t)added / 2};
    const uint32_t zero = 0;
    const tl_group_def mixed = {
        .range_count = 1, .ranges = &half, .emitter_count = 1, .emitters = &zero};
    add(scene, TL_MONITOR_FORCE, "floor", one(&floors));
    tl_monitor_def def = tl_monitor_default();
    def.kind = TL_MONITOR_TORQUE;
    def.name = "turn";
    def.on = mixed;
    def.about = true;
    assert_ok(tl_scene_add_monitor(scene, &def));
    def = flow_down("flow", 1);
    def.on = mixed;
    assert_ok(tl_scene_add_monitor(scene, &def));
    add(scene, TL_MONITOR_ENERGY, "energy", mixed);
    add(scene, TL_MONITOR_POSITION, "centre", mixed);
    add(scene, TL_MONITOR_AMOUNT, "amount", mixed);
    add(scene, TL_MONITOR_ENERGY, "all", (tl_group_def){.all = true});
    add_statistic(scene, TL_MONITOR_MEAN, "mean", "floor.z", 0.2);
    add_statistic(scene, TL_MONITOR_MAX, "most", "floor.magnitude", INFINITY);
    add_expression(scene, "both", "mean + most * t");
    return scene;
}

enum { CHANNELS = 25 };

static void read_all(const tl_world *world, double *values)
{
    assert_int_equal(tl_world_monitor_count(world), CHANNELS);
    assert_ok(tl_world_read_monitors(world, CHANNELS, values));
}

static tl_world *reload(tl_world *world)
{
    void *bytes;
    size_t count;
    tl_world *again = NULL;
    assert_ok(tl_world_save(world, &bytes, &count));
    tl_world_destroy(world);
    assert_ok(tl_world_load(bytes, count, &again));
    tl_snapshot_free(bytes, count);
    return again;
}

/* The group as it should be, of what the world itself tells: members by their handles. */
static void check_members(const tl_world *world, uint32_t scene_bodies, uint32_t half)
{
    const size_t count = tl_world_body_count(world);
    tl_body *bodies = malloc(count * sizeof *bodies);
    double *mass = malloc(count * sizeof *mass), *x = malloc(3 * count * sizeof *x);
    double sum = 0, moment = 0, number = 0;
    assert_ok(tl_world_list_bodies(world, count, bodies));
    assert_ok(tl_world_read_masses(world, count, NULL, mass));
    assert_ok(tl_world_read_positions(world, count, NULL, x));
    for (size_t i = 0; i < count; i++) {
        const uint32_t id = bodies[i].index;
        if (!((id >= 2 && id < 2 + half) || id > scene_bodies))
            continue;
        number++;
        sum += mass[i];
        moment += mass[i] * x[3 * i + 2];
    }
    assert_near(channel(world, "amount.count"), number, 0);
    assert_near(channel(world, "amount.mass"), sum, 1e-12 * sum);
    assert_near(channel(world, "centre.z"), moment / sum, 1e-12);
    free(bodies);
    free(mass);
    free(x);
}

static void test_same_bits(void **state)
{
    (void)state;
    tl_scene *scene = crowd(1, true);
    const uint32_t bodies = (uint32_t)tl_scene_body_count(scene);
    tl_world *a = world_of(scene), *b = world_of(crowd(2, true)), *c = world_of(crowd(2, true));
    tl_world *plain = world_of(crowd(1, false));
    const tl_body gone[2] = {{5, 1}, {4000, 1}};
    double x[CHANNELS], y[CHANNELS], z[CHANNELS];
    context("crowd");
    for (int k = 0; k < (RACED ? 12 : WATCHED ? 45 : 150); k++) {
        if (k == 40) {
            assert_ok(tl_world_remove_bodies(a, 2, gone));
            assert_ok(tl_world_remove_bodies(b, 2, gone));
            assert_ok(tl_world_remove_bodies(c, 2, gone));
            assert_ok(tl_world_remove_bodies(plain, 2, gone));
        }
        if (k % 37 == 36)
            c = reload(c);
        const tl_report report = step_report(a, 1);
        step(b, 1);
        step(c, 1);
        step(plain, 1);
        read_all(a, x);
        read_all(b, y);
        read_all(c, z);
        assert_memory_equal(x, y, sizeof x);
        assert_memory_equal(x, z, sizeof x);
        assert_near(channel(a, "all.kinetic"), report.kinetic_energy, 0);
        if (k % 10 == 9)
            check_members(a, bodies, (bodies - 1) / 2);
    }
    c = reload(c);
    read_all(c, z);
    assert_memory_equal(x, z, sizeof x); /* also without a step */
    if (!RACED)
        assert_true(channel(a, "amount.count") > (bodies - 1) / 2 + (WATCHED ? 25 : 200));
    double least[CHANNELS], again[CHANNELS];
    assert_ok(tl_world_read_monitor_ranges(a, CHANNELS, least, NULL));
    assert_ok(tl_world_read_monitor_ranges(c, CHANNELS, again, NULL));
    assert_memory_equal(least, again, sizeof least);
    assert_true(tl_world_hash(a) == tl_world_hash(plain)); /* measuring changes nothing */
    tl_world_destroy(plain);
    tl_world_destroy(a);
    tl_world_destroy(b);
    tl_world_destroy(c);
}

/* A ray down to a falling ball: what is left is known; and nothing below it. Then one that a body
 * carries, whose frame is not that of its centre of mass, through the body itself. */
static void test_rays(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    settings.precision = TL_DOUBLE;
    tl_scene *scene = scene_with(&settings);
    const tl_body ball =
        add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0, 0, 10}, (double[3]){0, 0, 0});
    tl_shape_def rod[2] = {tl_box_default(0.5, 0.05, 0.05), tl_sphere_default(0.2)};
    tl_body_def def = tl_body_default();
    rod[1].position[0] = 0.5; /* the centre of mass is not at the origin */
    def.shapes = rod;
    def.shape_count = 2;
    def.position[0] = 5;
    def.position[2] = 3;
    turn((double[3]){0, 1, 0}, 0.3, def.orientation);
    def.angular_velocity[1] = 2;
    const tl_body carrier = add_body(scene, &def);
    add_floor(scene, (tl_material){0});
    tl_monitor_def ray = tl_monitor_default();
    ray.kind = TL_MONITOR_RAY;
    ray.name = "above";
    ray.point[2] = 12;
    ray.axis[2] = -7;
    ray.max_distance = 50;
    assert_ok(tl_scene_add_monitor(scene, &ray));
    const tl_body_range alone = {ball, 1};
    ray.name = "seen";
    ray.point[0] = 0.05;
    ray.max_distance = 4;
    ray.on = one(&alone);
    assert_ok(tl_scene_add_monitor(scene, &ray));
    ray = tl_monitor_default();
    ray.kind = TL_MONITOR_RAY;
    ray.name = "carried";
    ray.from = carrier;
    ray.point[0] = 0.25; /* inside of the box, and of the body */
    ray.axis[2] = -1;
    ray.max_distance = 100;
    assert_ok(tl_scene_add_monitor(scene, &ray));
    tl_world *world = world_of(scene);
    for (int i = 0; i < 100; i++) {
        double x[3], q[4], down[3], from[3];
        step(world, 1);
        context("step %d", i);
        position_of(world, ball, x);
        assert_near(channel(world, "above.distance"), 12 - x[2] - 0.1, 1e-12);
        const double seen = 12 - x[2] - sqrt(0.01 - 0.0025);
        assert_near(channel(world, "seen.distance"), fmin(seen, 4), 1e-12);
        position_of(world, carrier, x);
        orientation_of(world, carrier, q);
        rotate(q, 1, (double[3]){0, 0, -1}, down);
        rotate(q, 1, (double[3]){0.25, 0, 0}, from);
        add3(x, 1, from, from);
        const double far = down[2] < 0 ? from[2] / -down[2] : 100;
        assert_near(channel(world, "carried.distance"), fmin(far, 100), 1e-9 * far);
        tl_ray same = tl_ray_default();
        tl_ray_hit hit;
        memcpy(same.origin, from, sizeof from);
        memcpy(same.direction, down, sizeof down);
        same.ignore = carrier;
        same.max_distance = 100;
        assert_ok(tl_world_cast_rays(world, 1, &same, &hit));
        assert_near(channel(world, "carried.distance"), hit.distance, 1e-9);
    }
    /* what is gone measures nothing */
    assert_ok(tl_world_remove_bodies(world, 1, &carrier));
    step(world, 1);
    assert_true(isnan(channel(world, "carried.distance")));
    assert_ok(tl_world_remove_bodies(world, 1, &ball));
    step(world, 1);
    assert_near(channel(world, "seen.distance"), 4, 0);
    assert_near(channel(world, "above.distance"), 12, 1e-12);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),      cmocka_unit_test(test_impact),
        cmocka_unit_test(test_heap),      cmocka_unit_test(test_lever),
        cmocka_unit_test(test_pour),      cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
