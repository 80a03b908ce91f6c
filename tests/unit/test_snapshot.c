/* Snapshots: a world that is saved, loaded and stepped on goes the way of the original bit for bit,
 * and damaged data is refused (forged data: test_forged.c). Also that looking for contacts between
 * steps changes nothing. */
#include "solids.h"

/* What the refusals say; kept in one place, as the library decides it. */
#define SAYS_DAMAGED                  "snapshot" /* and what is wrong with it */
#define SAYS_NULL(function, argument) #function ": " argument " is NULL"

/* A snapshot in new memory. */
typedef struct saved {
    void *data;
    size_t bytes;
} saved;

static saved save(const tl_world *world)
{
    saved s = {NULL, 0};
    assert_ok(tl_world_save(world, &s.data, &s.bytes));
    assert_non_null(s.data);
    assert_true(s.bytes > 0);
    return s;
}

static tl_world *load(const saved *s)
{
    tl_world *world = NULL;
    assert_ok(tl_world_load(s->data, s->bytes, &world));
    assert_non_null(world);
    return world;
}

/* Events that are past and to come, emitters that pour and that are done, a boundary. */
static void add_schedule(tl_scene *scene)
{
    const tl_body gone[2] = {{14, 1}, {15, 1}};
    tl_emitter_def emitter = tl_emitter_default();
    tl_event_def event = tl_event_default();
    tl_boundary_def boundary = tl_boundary_default();
    emitter.region = tl_region_box((double[3]){-0.3, -0.3, 1.4}, (double[3]){0.3, 0.3, 1.8});
    emitter.size = (tl_size_def){TL_SIZE_LOGNORMAL, 0.05, 0.2, 0.03, 0.08};
    emitter.rate = 30;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    emitter.region = (tl_region){
        .kind = TL_REGION_CYLINDER, .centre = {0, 0, 2}, .axis = {0.1, 0, 0.5}, .radius = 0.3};
    emitter.count = 3;
    emitter.seed = 8;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    event.body_count = 2;
    event.bodies = gone;
    event.time = 0.2;
    assert_ok(tl_scene_add_event(scene, &event));
    event.kind = TL_EVENT_GRAVITY;
    event.time = 0.4;
    event.gravity[2] = -8;
    assert_ok(tl_scene_add_event(scene, &event));
    boundary.region = (tl_region){.kind = TL_REGION_SPHERE, .centre = {0, 0, 1}, .radius = 9};
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    assert_ok(add_monitors(scene));
}

/* A body moved by expressions and a table of rotations, which an event changes later on. */
static void add_movers(tl_scene *scene, const tl_body_def *like)
{
    const double times[3] = {0, 0.3, 0.6}, rows[9] = {0, 0, 0, 0, 1, 0, 0.5, 0, 0.5};
    tl_body_def def = *like;
    tl_event_def event = tl_event_default();
    def.position[0] = -0.3;
    def.motion = tl_motion_default();
    def.motion.kind = TL_MOTION_EXPRESSION;
    def.motion.expressions[1] = "0.02*sin(20*t)";
    def.motion.rotation = TL_MOTION_TABLE;
    def.motion.angular_table_length = 3;
    def.motion.angular_times = times;
    def.motion.rotations = rows;
    def.motion.pivot[0] = 0.05;
    const tl_body body = add_body(scene, &def);
    event.kind = TL_EVENT_MOTION;
    event.bodies = &body;
    event.body_count = 1;
    for (int i = 0; i < 2; i++) {
        event.time = i ? 0.4 : 0.2; /* one is past, one to come */
        event.motion.rotation = TL_MOTION_RAMP;
        event.motion.angular_velocity[2] = 3;
        event.motion.angular_ramp_stop = 0.3;
        event.motion.kind = TL_MOTION_EXPRESSION;
        event.motion.expressions[2] = i ? "0.1*t^2" : "0.01*cos(10*t)";
        assert_ok(tl_scene_add_event(scene, &event));
    }
}

/* A mixer with everything a snapshot has to carry: a force table, motions of several kinds, a
 * schedule, monitors, removed and added bodies, changed settings; and solids of every kind. */
static tl_world *busy_world_of(const variant *v, bool solids)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 6;
    settings.solver.position_iterations = 3;
    tl_scene *scene = mixer_scene(&settings, 40, 9);
    const double times[2] = {0.05, 0.6}, offsets[6] = {0, 0, 0, 0.1, 0, 0.05};
    const double rows[12] = {0, 0, 5, 0, 0, 0, 20, 0, 30, 0, 0.1, 0};
    tl_shape_def block = tl_box_default(0.1, 0.1, 0.02);
    tl_body_def table = tl_body_default();
    tl_force_def force = tl_force_default();
    table.kind = TL_PRESCRIBED;
    table.position[2] = 0.02;
    table.position[0] = 0.3;
    table.shape_count = 1;
    table.shapes = &block;
    table.motion.kind = TL_MOTION_TABLE;
    table.motion.table_length = 2;
    table.motion.times = times;
    table.motion.offsets = offsets;
    add_body(scene, &table);
    add_movers(scene, &table);
    force.body = (tl_body){12, 1};
    force.table_length = 2;
    force.times = times;
    force.values = rows;
    assert_ok(tl_scene_add_force(scene, &force));
    if (solids)
        add_solids(scene, 4);
    add_schedule(scene);
    if (solids)
        add_solid_emitter(scene, (double[3]){3.5, -0.5, 1}, (double[3]){6.5, 0.5, 1.4}, 40);

    tl_world *world = world_of(scene);
    const tl_body gone[2] = {{9, 1}, {20, 1}};
    tl_shape_def ball = tl_sphere_default(0.06);
    tl_body_def late = tl_body_default();
    late.shape_count = 1;
    late.shapes = &ball;
    late.position[2] = 2;
    step(world, 30);
    assert_ok(tl_world_remove_bodies(world, 2, gone));
    assert_ok(tl_world_add_bodies(world, 1, &late, NULL));
    settings.gravity[0] = 0.3;
    assert_ok(tl_world_set_settings(world, &settings));
    step(world, 30);
    return world;
}

static tl_world *busy_world(const variant *v)
{
    return busy_world_of(v, true);
}

/* Save, load, go on: the same hash after every further step, the same reports and contacts. */
static void goes_on(const variant *v)
{
    tl_world *world = busy_world(v);
    const saved s = save(world);
    tl_world *other = load(&s);
    assert_true(tl_world_hash(other) == tl_world_hash(world));
    assert_true(tl_world_time(other) == tl_world_time(world));
    assert_int_equal(tl_world_body_count(other), tl_world_body_count(world));
    for (int i = 0; i < 40; i++) {
        const tl_report a = step_report(world, 1), b = step_report(other, 1);
        if (tl_world_hash(world) != tl_world_hash(other))
            fail_msg("%s: the loaded world leaves the way at step %d", test_context, i + 1);
        assert_true(a.steps == b.steps && a.time == b.time && a.contacts == b.contacts);
        assert_true(a.iterations == b.iterations && a.residual == b.residual);
        assert_true(a.dissipated_energy == b.dissipated_energy);
        assert_true(a.emitted == b.emitted && a.waiting == b.waiting && a.removed == b.removed);
    }
    /* Handles go on too: the next body gets the same name in both. */
    tl_body_def def = tl_body_default();
    tl_body in_world, in_other;
    def.mass = 1;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
    assert_ok(tl_world_add_bodies(world, 1, &def, &in_world));
    assert_ok(tl_world_add_bodies(other, 1, &def, &in_other));
    assert_int_equal(in_world.index, in_other.index);
    tl_world_destroy(other);
    tl_world_destroy(world);
    tl_snapshot_free(s.data, s.bytes);
}

static void test_goes_on(void **state)
{
    (void)state;
    for_each_variant(goes_on);
}

/* A loaded world saves the bytes it was loaded from; and it can be loaded from any address. */
static void saves_the_same(const variant *v)
{
    tl_world *world = busy_world(v);
    const saved first = save(world), again = save(world);
    char *shifted = malloc(first.bytes + 1);
    tl_world *other = NULL;
    assert_non_null(shifted);
    assert_int_equal(first.bytes, again.bytes);
    assert_memory_equal(first.data, again.data, first.bytes);
    memcpy(shifted + 1, first.data, first.bytes);
    assert_ok(tl_world_load(shifted + 1, first.bytes, &other));
    free(shifted);
    const saved copy = save(other);
    assert_int_equal(copy.bytes, first.bytes);
    assert_memory_equal(copy.data, first.data, first.bytes);
    tl_world_destroy(other);
    tl_world_destroy(world);
    tl_snapshot_free(first.data, first.bytes);
    tl_snapshot_free(again.data, again.bytes);
    tl_snapshot_free(copy.data, copy.bytes);
}

static void test_saves_the_same(void **state)
{
    (void)state;
    for_each_variant(saves_the_same);
}

/* Worlds at the ends of their lives: empty, never stepped, emptied. */
static void small_worlds(const variant *v)
{
    for (int kind = 0; kind < 3; kind++) {
        tl_scene *scene = scene_for(v, 1e-3);
        if (kind > 0)
            add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 0, 1}, (double[3]){0, 0, 0});
        tl_world *world = world_of(scene);
        if (kind == 2)
            assert_ok(tl_world_remove_bodies(world, 1, &(tl_body){1, 1}));
        const saved s = save(world);
        tl_world *other = load(&s);
        step(world, 3);
        step(other, 3);
        assert_true(tl_world_hash(world) == tl_world_hash(other));
        tl_world_destroy(other);
        tl_world_destroy(world);
        tl_snapshot_free(s.data, s.bytes);
    }
}

static void test_small_worlds(void **state)
{
    (void)state;
    for_each_precision(small_worlds);
}

static void expect_damaged(const void *data, size_t bytes, const char *what, size_t place)
{
    tl_world *world = (tl_world *)&place; /* must be overwritten */
    context("%s at %zu", what, place);
    assert_status(tl_world_load(data, bytes, &world), TL_BAD_DATA);
    assert_null(world);
    if (!strstr(tl_last_message(), SAYS_DAMAGED))
        fail_msg("%s: the message is \"%s\"", test_context, tl_last_message());
}

/* Every byte of the head, and thousands after it, changed in one bit or in all; every way to cut it
 * short; bytes too many. */
static void damaged(const variant *v)
{
    tl_world *world = busy_world(v);
    const saved s = save(world);
    uint8_t *copy = malloc(s.bytes + 8);
    dice d = {21};
    assert_non_null(copy);
    memcpy(copy, s.data, s.bytes);
    memset(copy + s.bytes, 0, 8);
    const size_t stride = s.bytes / 2000 + 1;
    for (size_t i = 0; i < s.bytes; i += i < 512 ? 1 : stride) {
        const uint8_t kept = copy[i];
        copy[i] ^= (uint8_t)(1u << (roll_bits(&d) % 8));
        expect_damaged(copy, s.bytes, "one bit", i);
        copy[i] = (uint8_t)~kept;
        expect_damaged(copy, s.bytes, "all bits", i);
        copy[i] = kept;
        expect_damaged(copy, i, "cut", i);
    }
    expect_damaged(copy, s.bytes - 1, "cut", s.bytes - 1);
    expect_damaged(copy, s.bytes + 8, "longer", s.bytes);
    memset(copy, 0, s.bytes);
    expect_damaged(copy, s.bytes, "zeros", 0);
    for (size_t i = 0; i < s.bytes; i++)
        copy[i] = (uint8_t)roll_bits(&d);
    expect_damaged(copy, s.bytes, "noise", 0);
    free(copy);
    tl_world_destroy(world);
    tl_snapshot_free(s.data, s.bytes);
}

static void test_damaged(void **state)
{
    (void)state;
    for_each_precision(damaged);
}

static void test_arguments(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_world *world = world_of(scene_for(&v, 1e-3)), *other = world;
    void *data = world;
    size_t bytes = 7;
    context("arguments");
    assert_refused(tl_world_save(NULL, &data, &bytes), TL_BAD_ARGUMENT,
                   SAYS_NULL(tl_world_save, "world"));
    assert_null(data);
    assert_int_equal(bytes, 0);
    assert_refused(tl_world_save(world, NULL, &bytes), TL_BAD_ARGUMENT,
                   SAYS_NULL(tl_world_save, "snapshot"));
    assert_refused(tl_world_save(world, &data, NULL), TL_BAD_ARGUMENT,
                   SAYS_NULL(tl_world_save, "bytes"));
    assert_refused(tl_world_load(NULL, 100, &other), TL_BAD_ARGUMENT,
                   SAYS_NULL(tl_world_load, "snapshot"));
    assert_null(other);
    assert_refused(tl_world_load(&bytes, sizeof bytes, NULL), TL_BAD_ARGUMENT,
                   SAYS_NULL(tl_world_load, "world"));
    tl_snapshot_free(NULL, 0);
    tl_world_destroy(world);
}

/* Finding contacts between steps, and reading, leave no trace in what follows. (Of solids it does
 * in the last bits: the narrow phase starts from the normals found last.) */
static void looking(const variant *v)
{
    tl_world *world = busy_world_of(v, false), *other = busy_world_of(v, false);
    for (int i = 0; i < 20; i++) {
        size_t count;
        assert_ok(tl_world_find_contacts(other));
        assert_true(tl_world_hash(world) == tl_world_hash(other));
        free(contacts_of(other, &count));
        const saved s = save(other);
        tl_snapshot_free(s.data, s.bytes);
        const tl_report a = step_report(world, 1), b = step_report(other, 1);
        assert_true(a.residual == b.residual && a.contacts == b.contacts);
        assert_true(tl_world_hash(world) == tl_world_hash(other));
    }
    tl_world_destroy(other);
    tl_world_destroy(world);
}

static void test_looking(void **state)
{
    (void)state;
    for_each_variant(looking);
}

/* Hulls and a box on a height field, which a loaded world must have, too. */
static void test_geometries(void **state)
{
    (void)state;
    const double points[15] = {0.1, 0, 0, -0.1, 0.02, 0, 0, 0.08, 0, 0, -0.07, 0.01, 0, 0, 0.09};
    const double heights[9] = {0.2, 0.1, 0.2, 0.1, 0, 0.1, 0.2, 0.1, 0.2};
    const tl_heights_def dish = {
        .columns = 3, .rows = 3, .spacing = {0.5, 0.5}, .heights = heights};
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    tl_geometry stone, ground;
    assert_ok(tl_scene_add_hull(scene, 5, points, &stone));
    assert_ok(tl_scene_add_heights(scene, &dish, &ground));
    tl_shape_def shapes[3] = {tl_heights_default(ground), tl_hull_default(stone),
                              tl_box_default(0.05, 0.08, 0.04)};
    tl_body_def def = tl_body_default();
    def.shape_count = 1;
    def.shapes = &shapes[0];
    def.kind = TL_FIXED;
    add_body(scene, &def);
    def.kind = TL_DYNAMIC;
    for (int i = 0; i < 6; i++) {
        def.shapes = &shapes[1 + i % 2];
        def.position[0] = 0.45 + 0.02 * i;
        def.position[1] = 0.5;
        def.position[2] = 0.2 + 0.2 * i;
        add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    step(world, 60);
    const saved s = save(world);
    tl_world *other = load(&s);
    for (int i = 0; i < 60; i++) {
        step(world, 1);
        step(other, 1);
        assert_true(tl_world_hash(world) == tl_world_hash(other));
    }
    tl_snapshot_free(s.data, s.bytes);
    tl_world_destroy(world);
    tl_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),      cmocka_unit_test(test_saves_the_same),
        cmocka_unit_test(test_small_worlds), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_arguments),    cmocka_unit_test(test_looking),
        cmocka_unit_test(test_geometries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
