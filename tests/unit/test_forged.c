/* labels: threads */
/* Forged snapshots: damage with a checksum that is right. Every word of snapshots of several worlds
 * is replaced by what breaks programs. Each is refused with TL_BAD_DATA, or makes a world that can
 * be read and stepped: it may diverge, but it ends, reads and writes nothing out of bounds, and
 * gives the same bits for any number of threads. What is allocated is bounded by the bytes given.
 */
#include "solids.h"

#include "world/world.h"

#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define SPARSE 41u /* of so many forgeries one is made */
#elif defined(__SANITIZE_ADDRESS__)
#define SPARSE 3u
#else
#define SPARSE 1u
#endif

/* ---- Memory, counted ---- */

static size_t held, most_held;

static void *counting_allocate(size_t bytes, void *user)
{
    (void)user;
    held += bytes;
    most_held = held > most_held ? held : most_held;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counting_release(void *memory, size_t bytes, void *user)
{
    (void)user;
    held -= bytes;
    free(memory);
}

/* ---- A snapshot to forge ---- */

typedef struct forgery {
    uint8_t *data, *copy;
    size_t bytes;
} forgery;

/* The checksum of a snapshot, as the library makes it: over what follows the head of 32 bytes,
 * whose last eight it is. */
static void sign(uint8_t *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i = 32;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; i < bytes; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    hash ^= bytes - 32;
    memcpy(data + 24, &hash, sizeof hash);
}

static forgery forgery_of(tl_world *world)
{
    forgery f;
    void *data;
    assert_ok(tl_world_save(world, &data, &f.bytes));
    f.data = malloc(f.bytes);
    f.copy = malloc(f.bytes);
    memcpy(f.data, data, f.bytes);
    tl_snapshot_free(data, f.bytes);
    tl_world_destroy(world);
    return f;
}

static void forgery_free(forgery *f)
{
    free(f->data);
    free(f->copy);
}

/* What a scene may ask for, and what then takes as long as it takes, is cut short. */
static void tame(tl_world *world, uint32_t threads)
{
    tl_settings settings = tl_world_settings(world);
    tl_emitter_rec *emitters = world->schedule.emitters.data;
    settings.threads = threads;
    settings.solver.iterations = settings.solver.iterations < 8 ? settings.solver.iterations : 8;
    if (settings.solver.position_iterations > 8)
        settings.solver.position_iterations = 8;
    if (settings.penalty.substeps < 1 || settings.penalty.substeps > 4)
        settings.penalty.substeps = 4;
    assert_ok(tl_world_set_settings(world, &settings));
    for (size_t i = 0; i < world->schedule.emitters.count; i++) {
        tl_emitter_rec *e = &emitters[i];
        const uint64_t most = e->emitted + 20;
        e->def.count = e->def.count && e->def.count < most ? e->def.count : most;
        e->due = e->due < e->def.count ? e->due : e->def.count;
    }
}

/* Loads f->copy and steps it; false where it is refused. */
static bool run(const forgery *f, uint32_t threads, tl_status *status, uint64_t *hash)
{
    tl_world *world = NULL;
    held = most_held = 0;
    const tl_status loaded = tl_world_load(f->copy, f->bytes, &world);
    if (most_held > 64 * f->bytes + (1u << 20))
        fail_msg("%s: loading %zu bytes took %zu", test_context, f->bytes, most_held);
    if (loaded != TL_OK) {
        assert_status(loaded, TL_BAD_DATA);
        assert_null(world);
        assert_int_equal(held, 0);
        assert_non_null(strstr(tl_last_message(), "snapshot"));
        return false;
    }
    tame(world, threads);
    *status = tl_world_step(world, 3, NULL);
    if (*status != TL_OK && *status != TL_DIVERGED && *status != TL_TOO_LARGE &&
        *status != TL_BAD_ARGUMENT)
        fail_msg("%s: a step gave %s (%s)", test_context, tl_status_name(*status),
                 tl_last_message());
    *hash = tl_world_hash(world);
    free(contacts_of(world, &(size_t){0}));
    if (*status == TL_OK) { /* and it can be saved and loaded again */
        void *data;
        size_t bytes;
        tl_world *again = NULL;
        assert_ok(tl_world_save(world, &data, &bytes));
        assert_ok(tl_world_load(data, bytes, &again));
        assert_true(tl_world_hash(again) == *hash);
        tl_world_destroy(again);
        tl_snapshot_free(data, bytes);
    }
    tl_world_destroy(world);
    return true;
}

/* f->copy is refused, or steps the same way with one thread and with two. */
static bool judge(const forgery *f, bool two)
{
    tl_status status, other_status;
    uint64_t hash, other_hash;
    alarm(60); /* nothing here takes a second */
    sign(f->copy, f->bytes);
    if (!run(f, 1, &status, &hash))
        return false;
    if (two) {
        assert_true(run(f, 2, &other_status, &other_hash));
        assert_true(status == other_status && hash == other_hash);
    }
    return true;
}

static bool forge(const forgery *f, size_t at, const void *value, size_t bytes, bool two)
{
    context("%zu bytes at %zu", bytes, at);
    memcpy(f->copy, f->data, f->bytes);
    if (at + bytes > f->bytes || !memcmp(f->copy + at, value, bytes))
        return false;
    memcpy(f->copy + at, value, bytes);
    return judge(f, two);
}

/* ---- Worlds ---- */

static void add_walls(tl_scene *scene, tl_material material)
{
    const double straight[4] = {1, 0, 0, 0}, here[3] = {0, 0, 0};
    add_floor(scene, material);
    add_fixed(scene, tl_box_default(0.2, 0.2, 0.1), material, (double[3]){0.5, 0, 0.05}, straight);
    add_fixed(scene, tl_parallelogram_default((double[3]){0, 1, 0}, (double[3]){0.3, 0, 1}),
              (tl_material){0}, (double[3]){-0.3, -0.5, 0}, straight);
    add_fixed(scene, tl_sphere_default(0.1), material, here, straight);
}

static void add_moving(tl_scene *scene)
{
    const double times[2] = {0, 0.5}, offsets[6] = {0, 0, 0, 0, 0, 0.1};
    tl_shape_def blade = tl_box_default(0.2, 0.05, 0.1);
    tl_body_def body = tl_body_default();
    body.kind = TL_PRESCRIBED;
    body.shape_count = 1;
    body.shapes = &blade;
    body.position[1] = 0.3;
    body.motion.angular_velocity[2] = 3;
    add_body(scene, &body);
    body.motion = tl_motion_default();
    body.motion.kind = TL_MOTION_SINE;
    body.motion.amplitude[2] = 0.05;
    body.motion.frequency = 4;
    body.position[1] = -0.4;
    add_body(scene, &body);
    body.motion = tl_motion_default();
    body.motion.kind = TL_MOTION_TABLE;
    body.motion.table_length = 2;
    body.motion.times = times;
    body.motion.offsets = offsets;
    body.position[0] = 0.9;
    add_body(scene, &body);
}

static void add_plans(tl_scene *scene)
{
    const double times[2] = {0, 1}, rows[12] = {0, 0, 5, 0, 0, 0, 2, 0, 3, 0, 0.1, 0};
    tl_emitter_def emitter = tl_emitter_default();
    tl_event_def event = tl_event_default();
    tl_boundary_def boundary = tl_boundary_default();
    tl_force_def force = tl_force_default();
    emitter.region = tl_region_box((double[3]){-0.3, -0.3, 1}, (double[3]){0.3, 0.3, 1.4});
    emitter.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.04, 0.06};
    emitter.rate = 100;
    emitter.interval = 0.01;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    event.body_count = 1;
    event.bodies = &(tl_body){2, 1};
    event.time = 0.055;
    assert_ok(tl_scene_add_event(scene, &event));
    event.kind = TL_EVENT_GRAVITY;
    event.time = 0.06;
    event.gravity[2] = -8;
    assert_ok(tl_scene_add_event(scene, &event));
    boundary.region = (tl_region){.kind = TL_REGION_SPHERE, .centre = {0, 0, 1}, .radius = 3};
    boundary.interval = 0.01;
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    tl_patch_def patch = tl_patch_default();
    patch.follow = (tl_body){2, 1};
    patch.grains = (tl_body_range){{1, 1}, 1};
    patch.length = 5;
    assert_ok(tl_scene_add_patch(scene, &patch));
    force.body = (tl_body){1, 1};
    force.force[0] = 1;
    assert_ok(tl_scene_add_force(scene, &force));
    force.table_length = 2;
    force.times = times;
    force.values = rows;
    assert_ok(tl_scene_add_force(scene, &force));
}

/* Pairs that do not collide, one of them of a body that will go, and a sensor. */
static void add_filters(tl_scene *scene)
{
    tl_shape_def gate = tl_box_default(0.3, 0.3, 0.1);
    gate.sensor = true;
    gate.mask = 3;
    add_fixed(scene, gate, (tl_material){0}, (double[3]){0, 0, 0.2}, (double[4]){1, 0, 0, 0});
    assert_ok(tl_scene_exclude(scene, (tl_body){1, 1}, (tl_body){2, 1}));
    assert_ok(tl_scene_exclude(scene, (tl_body){6, 1}, (tl_body){4, 1}));
    assert_ok(tl_scene_exclude(scene, (tl_body){5, 1}, (tl_body){3, 1}));
}

/* A few bodies with all that a snapshot carries: walls of every kind, motions, forces, a schedule,
 * a body with three moments, handles that are gone. */
static tl_world *small_world(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 4;
    settings.solver.position_iterations = 2;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.4, 0.1);
    tl_shape_def balls[2] = {tl_sphere_default(0.06), tl_sphere_default(0.06)};
    tl_body_def pair = tl_body_default();
    for (int i = 0; i < 3; i++)
        add_sphere(scene, material, 0.1, 0, (double[3]){0.05 * i, 0.15 * i - 0.1, 0.3 + 0.1 * i},
                   (double[3]){0, 0, -1});
    balls[0].position[0] = 0.05;
    balls[1].position[0] = -0.05;
    balls[0].group = 6;
    balls[1].mask = 7;
    pair.shape_count = 2;
    pair.shapes = balls;
    pair.position[0] = 0.5;
    pair.position[2] = 0.2;
    add_body(scene, &pair);
    add_walls(scene, material);
    add_moving(scene);
    add_plans(scene);
    add_filters(scene);
    tl_world *world = world_of(scene);
    step(world, 5);
    assert_ok(tl_world_remove_bodies(world, 1, &(tl_body){3, 1}));
    step(world, 5);
    return world;
}

/* Solids of every kind over a mesh and a height field, and emitters of such. */
static tl_world *solid_world(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 4;
    settings.solver.position_iterations = 2;
    tl_scene *scene = scene_with(&settings);
    add_solids(scene, 0);
    add_solid_emitter(scene, (double[3]){-0.5, -0.5, 1}, (double[3]){0.5, 0.5, 1.4}, 100);
    tl_world *world = world_of(scene);
    step(world, 30);
    assert_true(tl_world_contact_count(world) > 10);
    return world;
}

/* Many bodies, so that threads share the work. */
static tl_world *large_world(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 4;
    settings.solver.position_iterations = 2;
    tl_world *world = world_of(mixer_scene(&settings, 600, 3));
    step(world, 150);
    return world;
}

/* ---- Tests ---- */

/* Every word, of 4 and of 8 bytes, by what breaks programs. */
static void every_word(const variant *v, tl_world *world, size_t sparse)
{
    const uint32_t words[] = {0, 1, 0xffffffffu, 0x7fffffffu, 63, 0x20};
    const double numbers[] = {0, -1, 1, NAN, INFINITY, 1e30, 1e300, 1e-320, -1e12};
    const size_t few = sizeof words / sizeof *words, all = few + sizeof numbers / sizeof *numbers;
    const tl_allocator counting = {counting_allocate, counting_release, NULL};
    forgery f = forgery_of(world);
    size_t accepted = 0, refused = 0, number = 0;
    dice d = {5};
    tl_set_allocator(&counting);
    for (size_t at = 32; at + 4 <= f.bytes; at += 4)
        for (size_t i = 0; i <= all; i++) {
            const uint64_t noise = roll_bits(&d);
            if (number++ % sparse)
                continue;
            const bool loaded = i < few   ? forge(&f, at, &words[i], 4, false)
                                : i < all ? forge(&f, at, &numbers[i - few], 8, false)
                                          : forge(&f, at, &noise, at % 8 ? 4 : 8, false);
            accepted += loaded;
            refused += !loaded;
        }
    tl_set_allocator(NULL);
    print_message("forged snapshots of %zu bytes, %s: %zu accepted, %zu refused\n", f.bytes,
                  v->name, accepted, refused);
    assert_true(accepted > 3 && refused > accepted);
    forgery_free(&f);
}

static void test_every_word(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant v = variant_at(i);
        /* the first solver in full; what the others do with it is sampled */
        const size_t sparse = SPARSE * (v.kind == TL_PSOR && v.law == TL_LAW_COULOMB ? 1 : 17);
        if (v.overlap == TL_OVERLAP_SPLIT)
            every_word(&v, small_world(&v), sparse);
    }
}

/* The same of a world with manifolds, geometries and templates: every word, by one value in turn.
 */
static void solid_words(const variant *v)
{
    every_word(v, solid_world(v), SPARSE * 29);
}

static void test_solid_words(void **state)
{
    (void)state;
    for_each_precision(solid_words);
}

/* A world with joints of many kinds: a chain with limits and a motor, a rope, a spring by a table
 * and a function that is an expression. */
static tl_world *joint_world(const variant *v)
{
    static const double values[2] = {-1, 1}, forces[2] = {10, -10};
    tl_scene *scene = scene_for(v, 1.0 / 200);
    tl_joint_def joint = tl_joint_default(TL_JOINT_REVOLUTE);
    for (int i = 0; i < 3; i++) {
        joint.a = joint.b;
        joint.b = add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0.3 * i, 0, 1},
                             (double[3]){0, 0, 0});
        joint.position_a[0] = i ? 0.15 : -0.15;
        joint.position_a[2] = i ? 0 : 1;
        joint.position_b[0] = -0.15;
        joint.axes[5].lower = i ? -0.5 : -INFINITY;
        joint.axes[5].spring_length = i == 1 ? 2 : 0;
        joint.axes[5].spring_values = values;
        joint.axes[5].spring_forces = forces;
        joint.axes[5].drive = i == 2 ? TL_DRIVE_FORCE : TL_DRIVE_NONE;
        if (i == 2) {
            joint.axes[5].target.kind = TL_FUNCTION_EXPRESSION;
            joint.axes[5].target.expression = "0.1*t";
        }
        assert_ok(tl_scene_add_joint(scene, &joint, NULL));
    }
    tl_joint_def rope = tl_joint_default(TL_JOINT_DISTANCE);
    rope.b = joint.b;
    rope.position_a[2] = 1;
    rope.rope = true;
    assert_ok(tl_scene_add_joint(scene, &rope, NULL));
    tl_world *world = world_of(scene);
    step(world, 10);
    return world;
}

static void test_joint_words(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    every_word(&v, joint_world(&v), SPARSE);
}

/* A world with rods, by penalty contact: one keeps its length, and a ball lies on it. */
static tl_world *rod_world(const variant *v)
{
    const double still[3] = {0, 0, 0};
    tl_settings settings = settings_for(v, 1.0 / 500);
    tl_scene *scene;
    tl_rod_def rod = tl_rod_default(0.05);
    settings.stepper = TL_STEPPER_PENALTY;
    settings.penalty.substeps = 4;
    assert_ok(tl_scene_create(&scene));
    assert_ok(tl_scene_set_settings(scene, &settings));
    add_floor(scene, (tl_material){0});
    for (int i = 0; i < 3; i++) {
        const tl_body ball =
            add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0.5 * i, 0, 0.1}, still);
        rod.a = rod.b;
        rod.b = ball;
        rod.length = i == 2 ? 0.5 : 0;
        if (i)
            assert_ok(tl_scene_add_rod(scene, &rod, NULL));
    }
    add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0.75, 0, 0.2499}, still);
    tl_world *world = world_of(scene);
    step(world, 10);
    return world;
}

static void test_rod_words(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    every_word(&v, rod_world(&v), SPARSE * 3);
}

/* Random words of a large world: the same bits with one thread and with two. */
static void large(const variant *v)
{
    forgery f = forgery_of(large_world(v));
    size_t accepted = 0;
    dice d = {6};
    for (int i = 0; i < (SPARSE > 10 ? 24 : 300); i++) {
        const size_t at = 192 + 4 * (roll_bits(&d) % ((f.bytes - 192) / 4));
        const uint64_t noise = roll_bits(&d);
        const double number = roll(&d, -2, 2);
        if (i % 2) /* a small change of a number is often accepted */
            accepted += forge(&f, at, &number, 8, true);
        else
            accepted += forge(&f, at, &noise, 4, true);
    }
    print_message("forged snapshots of %zu bytes: %zu accepted\n", f.bytes, accepted);
    forgery_free(&f);
}

static void test_large(void **state)
{
    (void)state;
    for_each_precision(large);
}

static void expect_refusal(const forgery *f, const char *text)
{
    tl_world *world = NULL;
    sign(f->copy, f->bytes);
    assert_status(tl_world_load(f->copy, f->bytes, &world), TL_BAD_DATA);
    if (!strstr(tl_last_message(), text))
        fail_msg("%s: the message is \"%s\"", test_context, tl_last_message());
}

/* All contacts of one colour, which is the last array: threads would race for their bodies. */
static void colours(const variant *v)
{
    tl_world *world = large_world(v);
    const size_t contacts = tl_world_contact_count(world);
    assert_true(contacts > 512);
    forgery f = forgery_of(world);
    memcpy(f.copy, f.data, f.bytes);
    memset(f.copy + f.bytes - 4 * contacts, 0, 4 * contacts);
    expect_refusal(&f, "its colour is that of another contact of its body");
    /* all of the last colour, or without one, is slow, but right */
    for (int i = 0; i < 2; i++) {
        const uint32_t colour = i ? TLK_NONE : TLK_COLOURS - 1;
        for (size_t k = 0; k < contacts; k++)
            memcpy(f.copy + f.bytes - 4 * (k + 1), &colour, 4);
        assert_true(judge(&f, true));
    }
    forgery_free(&f);
}

/* The same at the eight copies of a ball with 70 neighbours; and copies that some of its contacts
 * would have more of, or nobody. */
static void copies(const variant *v)
{
    tl_scene *scene = scene_for(v, 1e-3);
    set_gravity(scene, 0, 0, 0);
    add_sphere(scene, (tl_material){0}, 1, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    for (int i = 0; i < 70; i++) {
        const double z = 1 - (2 * i + 1.0) / 70, angle = 2.399963 * i;
        const double across = 1.051 * sqrt(1 - z * z);
        add_sphere(scene, (tl_material){0}, 0.05, 0,
                   (double[3]){across * cos(angle), across * sin(angle), 1.051 * z},
                   (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    step(world, 1);
    const size_t contacts = tl_world_contact_count(world);
    assert_int_equal(contacts, 70);
    forgery f = forgery_of(world);
    unsigned char *const words = (unsigned char *)f.copy + f.bytes - 4 * contacts;
    memcpy(f.copy, f.data, f.bytes);
    assert_int_equal(words[1], 3);
    assert_true(judge(&f, true));
    words[1] = 1;
    expect_refusal(&f, "its colour is that of another contact of its body");
    words[1] = 26;
    expect_refusal(&f, "contacts[0]: its colour is none");
    words[1] = 3;
    for (size_t k = 0; k < contacts; k++) /* each eighth of them shares a copy, at random */
        words[4 * k] = (unsigned char)(k % 2);
    expect_refusal(&f, "its colour is that of another contact of its body");
    forgery_free(&f);
}

static void test_colours(void **state)
{
    (void)state;
    for_each_precision(colours);
    for_each_precision(copies);
}

/* 2^31 - 1 handles: 8 GB for their table, if the snapshot were believed. */
static void test_handles(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    const tl_allocator counting = {counting_allocate, counting_release, NULL};
    const uint64_t many = INT32_MAX;
    forgery f = forgery_of(small_world(&v));
    memcpy(f.copy, f.data, f.bytes);
    memcpy(f.copy + 388, &many,
           sizeof many); /* behind head, settings, steps, time, energies, balance, holding */
    tl_set_allocator(&counting);
    held = most_held = 0;
    expect_refusal(&f, "its handles are not as many as it says");
    assert_true(most_held < 64 * f.bytes);
    tl_set_allocator(NULL);
    forgery_free(&f);
}

/* Shapes that are not in the order of their bodies: two spheres, whose handles and bodies are found
 * by their bytes. */
static void order(const variant *v)
{
    const uint32_t handles_and_bodies[8] = {2, 0, 1, 2, 2, 0, 0, 1}; /* each with its count */
    tl_scene *scene = scene_for(v, 1e-3);
    for (int i = 0; i < 2; i++)
        add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){i, 0, 1}, (double[3]){0, 0, 0});
    forgery f = forgery_of(world_of(scene));
    size_t at = 0;
    memcpy(f.copy, f.data, f.bytes);
    while (memcmp(f.copy + at, handles_and_bodies, sizeof handles_and_bodies) != 0)
        assert_true(++at + sizeof handles_and_bodies <= f.bytes);
    memcpy(f.copy + at + 24, (uint32_t[2]){1, 0}, 8);
    expect_refusal(&f, "the snapshot is damaged: shapes[1]: it is not in the order of bodies");
    forgery_free(&f);
}

static void test_order(void **state)
{
    (void)state;
    for_each_precision(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_word),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_colours),     cmocka_unit_test(test_handles),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_solid_words),
        cmocka_unit_test(test_joint_words), cmocka_unit_test(test_rod_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
