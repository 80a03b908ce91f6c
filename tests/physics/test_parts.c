/* labels: threads */
/* Contacts found part by part, by one device or several, against those found at once: the same
 * bits in the same order, and the same steps afterwards. Against brute force: every pair once. */
#include "support.h"

#include <pthread.h>

/* ---- Scenes ---- */

/* What a scene is like: spheres, bodies of three spheres each, and what stands around. */
typedef struct recipe {
    const char *name;
    uint32_t spheres, clumps, fixed; /* fixed: boxes and parallelograms among the spheres */
    double ratio;                    /* largest over smallest radius */
    double half[3];                  /* m, half the size of the region */
    double speed;                    /* m/s, at most, on each axis */
    bool planes;
    uint32_t steps; /* done first: impulses and colours that must be carried along */
} recipe;

static const recipe recipes[] = {
    {"equal", 400, 0, 0, 1, {0.8, 0.8, 0.8}, 0, false, 3},
    {"flat and wide, on a plane", 400, 0, 4, 1, {0.6, 3, 0.1}, 0, true, 3},
    {"tall", 300, 0, 3, 2, {0.4, 0.4, 3}, 1, true, 3},
    {"crowded", 200, 0, 1, 1, {0.25, 0.2, 0.2}, 0, true, 0},
    {"radii 1:5", 400, 20, 30, 5, {2, 1.5, 1}, 1, true, 3},
    {"radii 1:50", 500, 20, 30, 50, {6, 4, 4}, 1, true, 3},
    {"fast", 300, 20, 30, 3, {1.5, 1.2, 1}, 60, true, 0},
    {"fast, radii 1:50", 300, 20, 30, 50, {6, 5, 5}, 90, false, 0},
    {"many bins per step", 60, 6, 10, 2, {1.2, 1, 1}, 400, true, 0},
    {"clumps", 50, 120, 4, 2, {1.5, 1, 0.8}, 2, true, 3},
    {"few", 3, 0, 0, 1, {0.12, 0.1, 0.1}, 0, false, 3},
    {"far from each other", 20, 0, 1, 1, {1e6, 3, 2}, 0, true, 0},
    {"one", 1, 0, 0, 1, {1, 1, 1}, 0, true, 3},
    {"none", 0, 0, 2, 1, {1, 1, 1}, 0, true, 0},
};

#define RECIPES (sizeof recipes / sizeof *recipes)

static void random_place(const recipe *r, dice *d, double place[3])
{
    for (int k = 0; k < 3; k++)
        place[k] = roll(d, -1, 1) * r->half[k];
}

/* Small ones are many: sizes by the square of a die. */
static double random_radius(const recipe *r, dice *d)
{
    const double u = roll(d, 0, 1);
    return 0.08 * pow(r->ratio, u * u);
}

static void add_moving(tl_scene *scene, const recipe *r, dice *d, bool clump)
{
    const double radius = random_radius(r, d);
    tl_body_def def = tl_body_default();
    tl_shape_def shapes[3];
    for (int i = 0; i < 3; i++) {
        shapes[i] = tl_sphere_default(radius * (clump ? 0.6 + 0.2 * i : 1));
        for (int k = 0; k < 3; k++)
            shapes[i].position[k] = clump ? roll(d, -1, 1) * radius : 0;
    }
    def.shape_count = clump ? 3 : 1;
    def.shapes = shapes;
    random_place(r, d, def.position);
    roll_turn(d, def.orientation);
    roll3(d, -r->speed, r->speed, def.velocity);
    if (clump) {
        roll3(d, -r->speed, r->speed, def.angular_velocity);
        def.mass = 1000 * radius * radius * radius;
        for (int k = 0; k < 3; k++)
            def.inertia[k] = def.mass * radius * radius;
    }
    add_body(scene, &def);
}

static tl_world *make(const recipe *r, const tl_settings *settings)
{
    const double straight[4] = {1, 0, 0, 0};
    tl_scene *scene = scene_with(settings);
    dice d = {99};
    if (r->planes)
        add_fixed(scene, tl_plane_default(), (tl_material){0}, (double[3]){0, 0, -r->half[2]},
                  straight);
    for (uint32_t i = 0; i < r->fixed; i++) {
        const double size = random_radius(r, &d);
        double place[3], q[4];
        random_place(r, &d, place);
        roll_turn(&d, q);
        add_fixed(scene,
                  i % 2 ? tl_box_default(size, 0.5 * size, 2 * size)
                        : tl_parallelogram_default((double[3]){size, 0, 0},
                                                   (double[3]){0.2 * size, 2 * size, 0}),
                  (tl_material){0}, place, q);
    }
    for (uint32_t i = 0; i < r->spheres; i++)
        add_moving(scene, r, &d, false);
    for (uint32_t i = 0; i < r->clumps; i++)
        add_moving(scene, r, &d, true);
    return world_of(scene);
}

static tl_settings plain(tl_precision precision)
{
    tl_settings s = tl_settings_default();
    s.solver.balance_iterations = 0; /* steps are to be many, not long */
    s.precision = precision;
    s.threads = 1;
    s.envelope = 0.004;
    s.solver.iterations = 4;
    s.solver.position_iterations = 2;
    return s;
}

/* ---- Parts against the whole ---- */

/* What a world does after its contacts were found at once. */
typedef struct expected {
    void *snapshot;
    size_t bytes;
    tl_contact *contacts;
    size_t count;
    uint64_t hash; /* after some more steps */
} expected;

#define MORE_STEPS 20

static tl_world *resume(const expected *e)
{
    tl_world *world = NULL;
    tl_settings s;
    assert_ok(tl_world_load(e->snapshot, e->bytes, &world));
    s = tl_world_settings(world);
    s.threads = 1;
    assert_ok(tl_world_set_settings(world, &s));
    return world;
}

static void same_contacts(const tl_world *world, const expected *e)
{
    size_t count;
    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, e->count);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&contacts[i], &e->contacts[i], sizeof *contacts) != 0)
            fail_msg("%s: contact %zu of %zu is of bodies %u and %u, not of %u and %u, or has other"
                     " bits",
                     test_context, i, count, contacts[i].a.index, contacts[i].b.index,
                     e->contacts[i].a.index, e->contacts[i].b.index);
    free(contacts);
}

static void in_parts(const expected *e, uint32_t parts, uint32_t devices)
{
    tl_world *world = resume(e);
    assert_ok(tl_world_find_contacts_in(world, parts, devices));
    same_contacts(world, e);
    assert_ok(tl_world_find_contacts_in(world, parts, devices)); /* into the other buffers */
    same_contacts(world, e);
    if (parts % 3 == 2 && e->hash) {
        step(world, MORE_STEPS);
        assert_true(tl_world_hash(world) == e->hash);
    }
    tl_world_destroy(world);
}

static void run_recipe(const recipe *r, tl_precision precision)
{
    const tl_settings s = plain(precision);
    tl_world *world = make(r, &s);
    expected e = {0};
    if (r->steps)
        step(world, r->steps);
    assert_ok(tl_world_save(world, &e.snapshot, &e.bytes));
    tl_world_destroy(world);
    world = resume(&e);
    assert_ok(tl_world_find_contacts(world));
    e.contacts = contacts_of(world, &e.count);
    step(world, MORE_STEPS);
    e.hash = tl_world_hash(world);
    tl_world_destroy(world);
    print_message("%s: %zu contacts\n", r->name, e.count);
    assert_true(e.count > r->spheres / 4 || r->spheres < 30);
    for (uint32_t parts = RACED ? 5 : 1; parts <= (RACED ? 5 : 9); parts += WATCHED ? 4 : 1)
        for (uint32_t devices = RACED ? 3 : 1; devices <= 3; devices++) {
            if (!WATCHED && (parts + devices + (uint32_t)precision) % 2)
                continue; /* the other precision's */
            context("%s, %s, %u parts on %u devices", r->name,
                    precision == TL_DOUBLE ? "double" : "mixed", parts, devices);
            in_parts(&e, parts, devices);
        }
    tl_snapshot_free(e.snapshot, e.bytes);
    free(e.contacts);
}

static void test_recipes(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECIPES; i += RACED ? 3 : 1) {
        if (!WATCHED || i % 2)
            run_recipe(&recipes[i], TL_DOUBLE);
        if (!WATCHED || i % 2 == 0)
            run_recipe(&recipes[i], TL_MIXED);
    }
}

/* More parts than there are bins, and more devices than parts. */
static void test_extremes(void **state)
{
    (void)state;
    const tl_settings s = plain(TL_MIXED);
    const uint32_t most[][2] = {{300, 1}, {61, 7}, {2, 64}, {1, 64}, {65, 64}};
    tl_world *world = make(&recipes[4], &s);
    expected e = {0};
    assert_ok(tl_world_save(world, &e.snapshot, &e.bytes));
    assert_ok(tl_world_find_contacts(world));
    e.contacts = contacts_of(world, &e.count);
    tl_world_destroy(world);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        context("%u parts on %u devices", most[i][0], most[i][1]);
        in_parts(&e, most[i][0], most[i][1]);
    }
    tl_snapshot_free(e.snapshot, e.bytes);
    free(e.contacts);
}

/* ---- Every pair once ---- */

#define MANY 3000

static void brute_force(const variant *v)
{
    static double x[MANY][3], radius[MANY];
    tl_settings s = plain(v->precision);
    const double slack_gap = v->precision == TL_MIXED ? 4e-7 : 1e-9;
    uint8_t *found = calloc((size_t)MANY * MANY, 1);
    dice d = {5};
    size_t count;
    assert_non_null(found);
    s.threads = 2;
    tl_scene *scene = scene_with(&s);
    for (uint32_t i = 0; i < MANY; i++) {
        radius[i] = 0.03 * pow(20, pow(roll(&d, 0, 1), 4));
        roll3(&d, -1, 1, x[i]);
        x[i][1] *= 2;
        add_sphere(scene, (tl_material){0}, radius[i], 0, x[i], (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    assert_ok(tl_world_find_contacts_in(world, 7, 3));
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = contacts[i].a.index - 1, b = contacts[i].b.index - 1;
        found[(size_t)(a < b ? a : b) * MANY + (a < b ? b : a)]++;
    }
    for (uint32_t a = 0; a < MANY; a++)
        for (uint32_t b = a + 1; b < MANY; b++) {
            const double gap = distance3(x[a], x[b]) - radius[a] - radius[b];
            const int times = found[(size_t)a * MANY + b];
            if ((gap <= s.envelope - slack_gap && times != 1) ||
                (gap > s.envelope + slack_gap && times != 0) || times > 1)
                fail_msg("%s: the pair %u, %u with a gap of %g was found %d times", v->name, a + 1,
                         b + 1, gap, times);
        }
    print_message("%s: %zu contacts\n", v->name, count);
    assert_true(count > MANY);
    free(contacts);
    free(found);
    tl_world_destroy(world);
}

static void test_brute_force(void **state)
{
    (void)state;
    for_each_precision(brute_force);
}

/* ---- Refusals and failures ---- */

static void test_refusals(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    assert_refused(tl_world_find_contacts_in(NULL, 2, 1), TL_BAD_ARGUMENT,
                   "tl_world_find_contacts_in: world is NULL");
    assert_refused(tl_world_find_contacts_in(world, 0, 1), TL_BAD_ARGUMENT,
                   "tl_world_find_contacts_in: parts is 0; it must be 1 to 4096");
    assert_refused(tl_world_find_contacts_in(world, 4097, 1), TL_BAD_ARGUMENT,
                   "tl_world_find_contacts_in: parts is 4097; it must be 1 to 4096");
    assert_refused(tl_world_find_contacts_in(world, 2, 0), TL_BAD_ARGUMENT,
                   "tl_world_find_contacts_in: devices is 0; it must be 1 to 64");
    assert_refused(tl_world_find_contacts_in(world, 2, 65), TL_BAD_ARGUMENT,
                   "tl_world_find_contacts_in: devices is 65; it must be 1 to 64");
    assert_int_equal(tl_world_contact_count(world), 4);
    tl_world_destroy(world);
}

/* A body that moves too far fails in every part; the message is that of the whole. */
static void test_too_fast(void **state)
{
    (void)state;
    char message[256];
    tl_settings s = plain(TL_MIXED);
    s.max_speed = 1e9;
    tl_world *world = make(&recipes[0], &s);
    const tl_body body = {7, 1};
    const size_t count = tl_world_contact_count(world);
    assert_ok(tl_world_write_velocities(world, 1, &body, (double[3]){1e8, 1e8, 1e8}, NULL));
    assert_status(tl_world_find_contacts(world), TL_TOO_LARGE);
    snprintf(message, sizeof message, "%s", tl_last_message());
    assert_non_null(strstr(message, "body 7 reaches"));
    for (uint32_t devices = 1; devices <= 3; devices++) {
        assert_refused(tl_world_find_contacts_in(world, 3, devices), TL_TOO_LARGE, message);
        assert_int_equal(tl_last_error().bodies[0].index, 7);
    }
    assert_int_equal(tl_world_contact_count(world), count);
    tl_world_destroy(world);
}

/* An allocator that fails once, for threads. */
static struct {
    pthread_mutex_t lock;
    size_t calls, fail_at; /* 1 for the first; 0: none fails */
    size_t blocks, bytes;  /* not given back yet */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *counting_allocate(size_t bytes, void *user)
{
    (void)user;
    pthread_mutex_lock(&memory.lock);
    /* and the next one, which may be a second try for less */
    const size_t call = ++memory.calls;
    const bool fails = memory.fail_at && (call == memory.fail_at || call == memory.fail_at + 1);
    memory.blocks += !fails;
    memory.bytes += fails ? 0 : bytes;
    pthread_mutex_unlock(&memory.lock);
    void *block = fails ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (block)
        memset(block, 0xa5, bytes); /* nobody may count on zeros */
    return block;
}

static void counting_release(void *block, size_t bytes, void *user)
{
    (void)user;
    pthread_mutex_lock(&memory.lock);
    memory.blocks--;
    memory.bytes -= bytes;
    pthread_mutex_unlock(&memory.lock);
    memset(block, 0x5a, bytes);
    free(block);
}

/* Each allocation fails in turn, until none is left to fail: the call says so, the world is as it
 * was and holds as much memory as after a call that succeeds, and done again the call succeeds. */
static void test_memory(void **state)
{
    (void)state;
    const tl_allocator allocator = {counting_allocate, counting_release, NULL};
    const recipe small = {"small", 60, 4, 3, 4, {0.6, 0.4, 0.4}, 0, true, 0};
    tl_set_allocator(&allocator);
    for (uint32_t devices = RACED ? 3 : 1; devices <= 3; devices += 2) {
        size_t failures = 0;
        for (size_t n = 1;; n += RACED ? 7 : 1) {
            const tl_settings s = plain(n % 2 ? TL_MIXED : TL_DOUBLE);
            tl_world *world = make(&small, &s);
            expected e = {0};
            e.contacts = contacts_of(world, &e.count);
            context("%u devices, allocation %zu fails", devices, n);
            assert_status(tl_world_find_contacts_in(world, 0, 1),
                          TL_BAD_ARGUMENT); /* other words */
            memory.calls = 0;
            memory.fail_at = n;
            const tl_status status = tl_world_find_contacts_in(world, 4, devices);
            const bool failed = memory.calls >= n;
            memory.fail_at = 0;
            assert_status(status, failed ? TL_NO_MEMORY : TL_OK);
            if (failed)
                assert_memory_equal(tl_last_message(), "out of memory: ", 15);
            same_contacts(world, &e);
            assert_ok(tl_world_find_contacts_in(world, 4, devices));
            same_contacts(world, &e);
            assert_ok(tl_world_find_contacts_in(world, 4, devices)); /* scratch becomes one block */
            const size_t blocks = memory.blocks, bytes = memory.bytes;
            assert_ok(tl_world_find_contacts_in(world, 4, devices));
            assert_int_equal(memory.blocks, blocks); /* nothing stays but what is used again */
            assert_int_equal(memory.bytes, bytes);
            free(e.contacts);
            tl_world_destroy(world);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(memory.bytes, 0);
            failures += failed;
            if (!failed)
                break;
        }
        print_message("%u devices: %zu allocations\n", devices, failures);
        assert_true(failures > (RACED ? 1 : 8));
    }
    tl_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recipes),     cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_fast),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
