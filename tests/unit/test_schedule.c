/* labels: threads */
/* What happens while a world runs: events happen at their very step, emitters pour as many as they
 * should where there is room, boundaries remove what leaves, and the books balance. The same bits
 * for any number of threads, and across a snapshot. test_schedule_refusals.c has what is refused.
 */
#include "solids.h"

/* ---- Events ---- */

static tl_event_def removal(double time, size_t count, const tl_body *bodies)
{
    tl_event_def def = tl_event_default();
    def.time = time;
    def.body_count = count;
    def.bodies = bodies;
    return def;
}

static void add_gravity_event(tl_scene *scene, double time, double x, double y, double z)
{
    tl_event_def def = tl_event_default();
    def.kind = TL_EVENT_GRAVITY;
    def.time = time;
    def.gravity[0] = x;
    def.gravity[1] = y;
    def.gravity[2] = z;
    assert_ok(tl_scene_add_event(scene, &def));
}

/* A ball rests on a plate until that is removed at t = 2, before the 401st step; from then on it
 * falls as the scheme does without contacts: v = -g h k, z = z0 - g h^2 k (k + 1) / 2. */
static void plug(const variant *v)
{
    const double h = 0.005;
    tl_scene *scene = scene_for(v, h);
    const tl_body plate = add_fixed(scene, tl_box_default(1, 1, 0.1), (tl_material){0},
                                    (double[3]){0, 0, -0.1}, (double[4]){1, 0, 0, 0});
    const tl_body ball =
        add_sphere(scene, (tl_material){0}, 0.5, 0, (double[3]){0, 0, 0.5}, (double[3]){0, 0, 0});
    const tl_event_def def = removal(2, 1, &plate);
    double x[3], v0[3], start;
    assert_ok(tl_scene_add_event(scene, &def));
    tl_world *world = world_of(scene);
    tl_report report = step_report(world, 400);
    assert_true(tl_world_has_body(world, plate));
    assert_int_equal(report.removed, 0);
    assert_int_equal(report.contacts, 1);
    position_of(world, ball, x);
    velocity_of(world, ball, v0);
    start = x[2];
    assert_near(start, 0.5, 1e-4);
    assert_near(v0[2], 0, 1e-4);
    for (int k = 1; k <= 100; k++) {
        report = step_report(world, 1);
        double now[3];
        velocity_of(world, ball, now);
        position_of(world, ball, x);
        assert_near(now[2], v0[2] - G * h * k, slack(v, 5, k));
        assert_near(x[2], start + v0[2] * h * k - G * h * h * k * (k + 1) / 2, slack(v, 1, k));
        assert_int_equal(report.contacts, 0);
        assert_int_equal(report.removed, 1);
        assert_int_equal(report.bodies, 1);
    }
    assert_false(tl_world_has_body(world, plate));
    tl_world_destroy(world);
}

static void test_plug(void **state)
{
    (void)state;
    for_each_precision(plug);
}

/* Whatever the step, and however long the sum of steps has been rounded: an event at n h happens
 * before step n + 1 and not before. */
static void test_on_time(void **state)
{
    (void)state;
    const double steps[] = {0.1, 0.005, 1. / 60, 0.1 / 3, 0.001, 0.7};
    const int counts[] = {0, 1, 3, 8, 10, 99, 400, 1234, 20000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            const variant v = variant_at(0);
            const double h = steps[i];
            const int n = counts[j];
            if (n > 2000 && i > 1) /* enough is enough */
                continue;
            tl_scene *scene = scene_for(&v, h);
            set_gravity(scene, 0, 0, 0);
            tl_body_def def = tl_body_default();
            def.mass = 1;
            def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
            const tl_body body = add_body(scene, &def);
            add_gravity_event(scene, h * n, 1, 0, 0);
            add_gravity_event(scene, h * n + 1.001 * h, 0, 1, 0); /* a little late for the next */
            tl_world *world = world_of(scene);
            double now[3];
            context("h = %g, %d steps", h, n);
            step(world, (uint32_t)n);
            velocity_of(world, body, now);
            assert_near(now[0], 0, 0);
            step(world, 1);
            velocity_of(world, body, now);
            assert_near(now[0], h, 1e-15);
            step(world, 1);
            velocity_of(world, body, now);
            assert_near(now[0], 2 * h, 1e-15);
            assert_near(now[1], 0, 0);
            step(world, 1);
            velocity_of(world, body, now);
            assert_near(now[1], h, 1e-15);
            assert_near(tl_world_settings(world).gravity[1], 1, 0);
            tl_world_destroy(world);
        }
}

/* Bodies of every kind go, with motions and forces; those that are gone already are no error;
 * events at one time happen in the order they were added. */
static void test_removals(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 0.01);
    const double times[2] = {0, 1}, offsets[6] = {0, 0, 0, 1, 0, 0};
    const tl_shape_def block = tl_box_default(0.1, 0.1, 0.1);
    tl_body_def mover = tl_body_default();
    tl_force_def force = tl_force_default();
    tl_body bodies[5];
    bodies[0] = add_floor(scene, (tl_material){0});
    for (int i = 1; i < 4; i++)
        bodies[i] =
            add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){i, 0, 5}, (double[3]){0, 0, 0});
    mover.kind = TL_PRESCRIBED;
    mover.position[2] = 9;
    mover.shapes = &block;
    mover.shape_count = 1;
    mover.motion.kind = TL_MOTION_TABLE;
    mover.motion.table_length = 2;
    mover.motion.times = times;
    mover.motion.offsets = offsets;
    bodies[4] = add_body(scene, &mover);
    force.body = bodies[2];
    force.force[0] = 1;
    assert_ok(tl_scene_add_force(scene, &force));
    force.body = bodies[3];
    assert_ok(tl_scene_add_force(scene, &force));
    const tl_body late[4] = {bodies[2], bodies[4], bodies[1], bodies[2]};
    const tl_event_def second = removal(0.1, 4, late), first = removal(0.05, 1, &bodies[1]);
    const tl_event_def last = removal(0.1, 1, &bodies[4]);
    assert_ok(tl_scene_add_event(scene, &second));
    assert_ok(tl_scene_add_event(scene, &last));
    assert_ok(tl_scene_add_event(scene, &first)); /* earlier, though added last */
    add_gravity_event(scene, 0.1, 1, 2, 3);
    add_gravity_event(scene, 0.1, 3, 2, 1);
    tl_world *world = world_of(scene);
    assert_int_equal(step_report(world, 5).removed, 0);
    assert_int_equal(step_report(world, 1).removed, 1);
    assert_false(tl_world_has_body(world, bodies[1]));
    tl_report report = step_report(world, 5);
    assert_int_equal(report.removed, 3);
    assert_int_equal(report.bodies, 1);
    assert_int_equal(tl_world_body_count(world), 2);
    assert_near(tl_world_settings(world).gravity[0], 3, 0);
    report = step_report(world, 10); /* nothing of what is gone is missed */
    assert_int_equal(report.removed, 3);
    double now[3];
    velocity_of(world, bodies[3], now);
    const double mass = 1000 * 4. / 3 * PI * 1e-3;
    assert_near(now[0], 21 * 0.01 / mass + 11 * 0.01 * 3, 1e-12);
    tl_world_destroy(world);
}

/* ---- Emitters ---- */

static tl_emitter_def emitter_of(double width, double radius, double rate)
{
    tl_emitter_def def = tl_emitter_default();
    def.region = tl_region_box((double[3]){-width / 2, -width / 2, 0},
                               (double[3]){width / 2, width / 2, width});
    def.size.radius = radius;
    def.rate = rate;
    return def;
}

/* As many as are due appear with every batch, and between batches none. */
static void pours(const variant *v)
{
    const double h = 0.005;
    tl_scene *scene = scene_for(v, h);
    tl_emitter_def free = emitter_of(10, 0.05, 70), few = free, brief = free;
    few.region.low[2] += 20;
    few.region.high[2] += 20;
    few.count = 11;
    few.start = 0.1;
    few.interval = 0.035;
    brief.region.low[2] += 40;
    brief.region.high[2] += 40;
    brief.start = 0.2;
    brief.stop = 0.3;
    brief.rate = 1000;
    assert_ok(tl_scene_add_emitter(scene, &free));
    assert_ok(tl_scene_add_emitter(scene, &few));
    assert_ok(tl_scene_add_emitter(scene, &brief));
    tl_world *world = world_of(scene);
    for (int n = 0; n < 200; n++) {
        const tl_report report = step_report(world, 1);
        /* in whole steps: batches are at 10 k, 20 + 7 k and 40 + 10 k */
        const int one = 70 * (n / 10 * 10) / 200;
        const int two = n < 20 ? 0 : 70 * ((n - 20) / 7 * 7) / 200;
        const int three = n < 40 ? 0 : 1000 * ((n - 40) / 10 * 10) / 200;
        const int due = one + (two < 11 ? two : 11) + (three < 100 ? three : 100);
        context("%s, step %d", v->name, n);
        assert_int_equal(report.emitted, due);
        assert_int_equal(report.waiting, 0);
        assert_int_equal(report.bodies, due);
        assert_int_equal(tl_world_body_count(world), due);
    }
    tl_world_destroy(world);
}

static void test_pours(void **state)
{
    (void)state;
    for_each_precision(pours);
}

/* A blocked emitter waits; when the block is removed, what has waited comes with the next batch. */
static void test_waits(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 0.01);
    set_gravity(scene, 0, 0, 0);
    const tl_body block = add_fixed(scene, tl_box_default(1, 1, 1), (tl_material){0},
                                    (double[3]){0, 0, 0.5}, (double[4]){1, 0, 0, 0});
    const tl_event_def open = removal(0.52, 1, &block);
    tl_emitter_def def = emitter_of(1, 0.05, 100);
    def.count = 80;
    assert_ok(tl_scene_add_event(scene, &open));
    assert_ok(tl_scene_add_emitter(scene, &def));
    tl_world *world = world_of(scene);
    tl_report report = step_report(world, 51);
    assert_int_equal(report.emitted, 0);
    assert_int_equal(report.waiting, 50);
    report = step_report(world, 4); /* open, but between batches */
    assert_int_equal(report.emitted, 0);
    assert_int_equal(report.removed, 1);
    report = step_report(world, 1);
    assert_int_equal(report.emitted, 55);
    assert_int_equal(report.waiting, 0);
    report = step_report(world, 100);
    assert_int_equal(report.emitted, 80);
    assert_int_equal(report.waiting, 0);
    tl_world_destroy(world);

    /* more than the region holds: it is filled, and the rest waits */
    scene = scene_for(&v, 0.01);
    set_gravity(scene, 0, 0, 0);
    def.count = 0;
    def.rate = 1e6;
    assert_ok(tl_scene_add_emitter(scene, &def));
    world = world_of(scene);
    report = step_report(world, 6);
    assert_int_equal(report.emitted + report.waiting, 50000);
    assert_in_range(report.emitted, 300, 700);
    tl_world_destroy(world);
}

/* What appears touches nothing: not each other, nor balls, walls or a turned prescribed box; it is
 * inside, as fast as it should be and of the right sizes. */
static void free_places(const variant *v)
{
    for (int kind = 0; kind < 3; kind++) {
        tl_scene *scene = scene_for(v, 0.01);
        double turned[4], slope[4];
        turn((double[3]){1, 1, 0}, 0.7, turned);
        turn((double[3]){0, 1, 0}, 0.3, slope);
        set_gravity(scene, 0, 0, 0);
        const tl_material material = add_material(scene, 0.2, 0);
        add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0.3}, slope);
        add_fixed(scene, tl_parallelogram_default((double[3]){1, 0, 0}, (double[3]){0, 0, 1}),
                  material, (double[3]){0.1, 0.2, 0.8}, slope);
        add_sphere(scene, material, 0.4, 0, (double[3]){-0.5, 0.4, 1.1}, (double[3]){0, 0, 0});
        tl_body_def mover = tl_body_default();
        const tl_shape_def block = tl_box_default(0.2, 0.3, 0.1);
        mover.kind = TL_PRESCRIBED;
        memcpy(mover.orientation, turned, sizeof turned);
        mover.position[2] = 1.5;
        mover.shapes = &block;
        mover.shape_count = 1;
        add_body(scene, &mover);
        tl_emitter_def def = emitter_of(2, 0.05, 500);
        def.region.kind = (tl_region_kind)kind;
        def.region.radius = 1;
        def.region.axis[2] = 2;
        def.region.centre[2] = kind == TL_REGION_SPHERE ? 1 : 0;
        def.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.04, 0.09};
        def.density = 500;
        def.material = material;
        assert_ok(tl_scene_add_emitter(scene, &def));
        def.seed++; /* a second one at the same place and time */
        assert_ok(tl_scene_add_emitter(scene, &def));
        tl_world *world = world_of(scene);
        const tl_report report = step_report(world, 31);
        context("%s, region %d", v->name, kind);
        assert_in_range(report.emitted, 150, 300);
        assert_near(report.max_penetration, 0, 1e-8);
        assert_near(report.kinetic_energy, 0, 1e-9); /* nothing pushed anything */
        const size_t count = tl_world_body_count(world), shapes = tl_world_shape_count(world);
        tl_shape_info *info = malloc(shapes * sizeof *info);
        double *x = malloc(3 * count * sizeof *x);
        assert_true(info && x);
        assert_ok(tl_world_read_shapes(world, shapes, info));
        assert_ok(tl_world_read_positions(world, count, NULL, x));
        for (size_t i = 4; i < count; i++) {
            const double r = info[i].def.radius, *p = x + 3 * i;
            assert_true(r >= 0.04 && r <= 0.09);
            assert_int_equal(info[i].def.material.index, material.index);
            const double across = hypot(p[0], p[1]);
            assert_true(kind == TL_REGION_BOX
                            ? fmax(fabs(p[0]), fabs(p[1])) <= 1 - r + 1e-9
                            : (kind == TL_REGION_SPHERE ? hypot(across, p[2] - 1) : across) <=
                                  1 - r + 1e-9);
            assert_true(p[2] >= r - 1e-9 && p[2] <= 2 - r + 1e-9);
            for (size_t j = 4; j < i; j++)
                assert_above(distance3(p, x + 3 * j) - r - info[j].def.radius, -1e-9);
        }
        free(info);
        free(x);
        tl_world_destroy(world);
    }
}

static void test_free_places(void **state)
{
    (void)state;
    for_each_precision(free_places);
}

/* ---- Boundaries ---- */

static void test_boundaries(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        const variant v = variant_at(0);
        tl_scene *scene = scene_for(&v, 0.01);
        const tl_region half = tl_region_box((double[3]){-INFINITY, -INFINITY, 0},
                                             (double[3]){INFINITY, INFINITY, INFINITY});
        tl_boundary_def def = tl_boundary_default();
        set_gravity(scene, 0, 0, 0);
        tl_body_def still = tl_body_default();
        still.kind = TL_FIXED;
        still.position[2] = inside ? 5 : -5;
        add_body(scene, &still);    /* is not dynamic: stays */
        for (int i = 0; i < 5; i++) /* crosses z = 0 in the middle of step 10 i + 6 */
            add_sphere(scene, (tl_material){0}, 0.1, 0,
                       (double[3]){i, 0, (inside ? -1 : 1) * (0.055 + 0.1 * i)},
                       (double[3]){0, 0, inside ? 1 : -1});
        def.region = half;
        def.remove_inside = inside;
        def.interval = 0.04; /* looks before steps 1, 5, 9, 13, 17, ... */
        assert_ok(tl_scene_add_boundary(scene, &def));
        tl_world *world = world_of(scene);
        for (int n = 0; n < 60; n++) {
            const tl_report report = step_report(world, 1);
            int gone = 0;
            for (int i = 0; i < 5; i++)
                gone += n / 4 * 4 >= 10 * i + 6;
            context("inside %d, step %d", inside, n);
            assert_int_equal(report.removed, gone);
            assert_int_equal(tl_world_body_count(world), 6 - gone);
        }
        assert_true(tl_world_has_body(world, (tl_body){1, 1}));
        tl_world_destroy(world);
    }
}

/* ---- Everything at once ---- */

/* Two emitters pour into a tank whose plug is removed; what falls through leaves the world, gravity
 * turns, a paddle stirs and is taken out. */
static tl_scene *pouring(const tl_settings *settings)
{
    tl_scene *scene = mixer_scene(settings, 20, 3);
    const tl_body plug_and_paddle[2] = {{1, 1}, {6, 1}}; /* the floor of the mixer and its blade */
    const tl_event_def open = removal(0.3, 1, &plug_and_paddle[0]);
    const tl_event_def stop = removal(0.45, 2, plug_and_paddle);
    tl_emitter_def def = emitter_of(0.7, 0.06, 150);
    def.region.low[2] = 1.1;
    def.region.high[2] = 1.4;
    def.velocity[2] = -1;
    def.size = (tl_size_def){TL_SIZE_NORMAL, 0.06, 0.01, 0.03, 0.09};
    assert_ok(tl_scene_add_emitter(scene, &def));
    def.region = (tl_region){
        .kind = TL_REGION_CYLINDER, .centre = {-0.3, 0, 1.3}, .axis = {0.6, 0, 0.2}, .radius = 0.2};
    def.seed = 5;
    def.interval = 0.031;
    def.rate = 90;
    def.stop = 0.6;
    assert_ok(tl_scene_add_emitter(scene, &def));
    assert_ok(tl_scene_add_event(scene, &open));
    assert_ok(tl_scene_add_event(scene, &stop));
    add_gravity_event(scene, 0.4, 1, 0, -9);
    tl_boundary_def out = tl_boundary_default();
    out.region = tl_region_box((double[3]){-3, -3, -0.8}, (double[3]){3, 3, INFINITY});
    out.interval = 0.02;
    assert_ok(tl_scene_add_boundary(scene, &out));
    return scene;
}

static tl_settings settings_of(tl_precision precision, uint32_t threads)
{
    tl_settings settings = tl_settings_default();
    settings.precision = precision;
    settings.threads = threads;
    return settings;
}

/* What came minus what went is there, at every step. */
static void test_books_balance(void **state)
{
    (void)state;
    const tl_settings settings = settings_of(TL_MIXED, 1);
    tl_world *world = world_of(pouring(&settings));
    const size_t before = tl_world_body_count(world);
    uint64_t emitted = 0, removed = 0;
    for (int n = 0; n < 200; n++) {
        const tl_report report = step_report(world, 1);
        context("step %d", n);
        assert_true(report.emitted >= emitted && report.removed >= removed);
        emitted = report.emitted;
        removed = report.removed;
        assert_int_equal(before + emitted - removed, tl_world_body_count(world));
    }
    assert_true(emitted > 100 && removed > 50);
    tl_world_destroy(world);
}

static void test_threads(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        uint64_t hashes[2];
        for (uint32_t threads = 1; threads <= 2; threads++) {
            const tl_settings settings = settings_of((tl_precision)precision, threads);
            tl_world *world = world_of(pouring(&settings));
            step(world, 180);
            hashes[threads - 1] = tl_world_hash(world);
            tl_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

/* Saved in the middle of pouring, before and after the events, a world goes on bit for bit, with
 * the same numbers in its reports; and it saves the same bytes. */
static void test_saved(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        const tl_settings settings = settings_of((tl_precision)precision, 1);
        tl_world *whole = world_of(pouring(&settings)), *parts = world_of(pouring(&settings));
        for (int n = 0; n < 180; n++) {
            context("precision %d, step %d", precision, n);
            const tl_report a = step_report(whole, 1), b = step_report(parts, 1);
            assert_true(a.emitted == b.emitted && a.waiting == b.waiting);
            assert_true(a.removed == b.removed && a.contacts == b.contacts);
            assert_true(tl_world_hash(whole) == tl_world_hash(parts));
            if (n % 7)
                continue;
            void *data, *again;
            size_t bytes, more;
            tl_world *loaded;
            assert_ok(tl_world_save(parts, &data, &bytes));
            assert_ok(tl_world_load(data, bytes, &loaded));
            assert_ok(tl_world_save(loaded, &again, &more));
            assert_int_equal(bytes, more);
            assert_memory_equal(data, again, bytes);
            tl_snapshot_free(data, bytes);
            tl_snapshot_free(again, more);
            tl_world_destroy(parts);
            parts = loaded;
        }
        tl_world_destroy(whole);
        tl_world_destroy(parts);
    }
}

/* Worlds of one scene have schedules of their own, and it may go before them. */
static void test_own_schedules(void **state)
{
    (void)state;
    const tl_settings settings = settings_of(TL_MIXED, 1);
    tl_scene *scene = pouring(&settings);
    tl_world *one, *two;
    assert_true(tl_world_create(scene, &one) >= 0);
    step(one, 150);
    assert_true(tl_world_create(scene, &two) >= 0);
    tl_scene_destroy(scene);
    step(two, 150);
    assert_true(tl_world_hash(one) == tl_world_hash(two));
    tl_world_destroy(one);
    tl_world_destroy(two);
}

/* Bodies of emitters with templates: as many as are due, of both kinds, turned, without a contact
 * when they come, where they were asked for; and the same bits for any number of threads, and of a
 * world that was saved on the way. */
static tl_world *pouring_solids(tl_precision precision, uint32_t threads)
{
    const tl_settings settings = settings_of(precision, threads);
    tl_scene *scene = scene_with(&settings);
    add_solids(scene, 0);
    add_solid_emitter(scene, (double[3]){-0.5, -0.5, 1.2}, (double[3]){0.5, 0.5, 1.6}, 100);
    return world_of(scene);
}

static void test_pours_solids(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        tl_world *world = pouring_solids((tl_precision)precision, 1);
        tl_world *three = pouring_solids((tl_precision)precision, 3), *loaded = NULL;
        void *data;
        size_t bytes, turned = 0;
        context("precision %d", precision);
        const size_t before = tl_world_body_count(world), shapes = tl_world_shape_count(world);
        step(three, 60);
        step(world, 30);
        assert_ok(tl_world_save(world, &data, &bytes));
        assert_ok(tl_world_load(data, bytes, &loaded));
        tl_snapshot_free(data, bytes);
        const tl_report report = step_report(world, 30);
        step(loaded, 30);
        assert_true(tl_world_hash(world) == tl_world_hash(three));
        assert_true(tl_world_hash(world) == tl_world_hash(loaded));
        assert_true(report.emitted > 20);
        assert_int_equal(tl_world_body_count(world), before + report.emitted);
        assert_true(tl_world_shape_count(world) - shapes > report.emitted); /* some have two */
        for (uint64_t i = 0; i < report.emitted; i++) {
            double q[4];
            orientation_of(world, (tl_body){(uint32_t)(before + i + 1), 1}, q);
            turned += fabs(q[0]) < 0.99;
        }
        assert_true(turned > report.emitted / 2);
        tl_world_destroy(world);
        tl_world_destroy(three);
        tl_world_destroy(loaded);
    }
}

/* A sphere as a template is the emitter of spheres: the same sizes at the same places. */
static void test_sphere_template(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    const tl_shape_def sphere = tl_sphere_default(0.1);
    const tl_template_def template = {1, 1, &sphere};
    tl_world *worlds[2];
    tl_report reports[2];
    for (int i = 0; i < 2; i++) {
        tl_scene *scene = scene_for(&v, 0.01);
        tl_emitter_def def = tl_emitter_default();
        def.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
        def.rate = 200;
        def.size =
            (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = i ? 0.5 : 0.05, .high = i ? 1 : 0.1};
        def.templates = &template;
        def.template_count = (size_t)i;
        assert_ok(tl_scene_add_emitter(scene, &def));
        worlds[i] = world_of(scene);
        reports[i] = step_report(worlds[i], 20);
    }
    assert_true(reports[0].emitted > 10);
    assert_int_equal(reports[0].emitted, reports[1].emitted);
    for (uint32_t i = 1; i <= reports[0].emitted; i++) {
        double a[3], b[3];
        position_of(worlds[0], (tl_body){i, 1}, a);
        position_of(worlds[1], (tl_body){i, 1}, b);
        assert_below(distance3(a, b), 1e-9);
    }
    tl_world_destroy(worlds[0]);
    tl_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plug),
        cmocka_unit_test(test_on_time),
        cmocka_unit_test(test_removals),
        cmocka_unit_test(test_pours),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_free_places),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_books_balance),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_own_schedules),
        cmocka_unit_test(test_pours_solids),
        cmocka_unit_test(test_sphere_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
