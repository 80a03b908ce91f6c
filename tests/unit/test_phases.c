/* Memory of worlds: finding contacts alone needs no impulses and one set of contacts, the phases of
 * a step share an arena without harm, and a world that runs out of memory in a step can still be
 * read, saved and run. */
#include "support.h"

#include "scenes.h"
#include "world/world.h"

/* --- finding alone
 * ---------------------------------------------------------------------------------------------- */

/* Spheres that overlap, three contacts each. */
static tl_world *random_world(size_t bodies)
{
    double radius;
    tl_scene *scene;
    tl_world *world;
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    assert_ok(random_spheres_scene(bodies, 3, 5, &radius, NULL, &settings, &scene));
    assert_status(tl_world_create(scene, &world), TL_OVERLAPPING);
    tl_scene_destroy(scene);
    assert_true(tl_world_contact_count(world) > 2 * bodies);
    return world;
}

static size_t bytes_of(tl_world *world)
{
    tl_report report;
    assert_ok(tl_world_step(world, 0, &report));
    assert_int_equal(report.bytes, world->backend->bytes);
    return report.bytes;
}

static void test_finding_alone(void **state)
{
    (void)state;
    tl_world *world = random_world(5000); /* enough to be renumbered */
    const size_t each = 2 * sizeof(uint32_t) + 4 * world->backend->real;
    size_t before = 0;
    for (int i = 0; i < 4; i++) {
        const tl_contacts *now = &world->contacts[world->current];
        const tl_contacts *other = &world->contacts[1 - world->current];
        const size_t room = now->a.bytes + now->b.bytes + now->n.bytes;
        assert_false(now->impulses);
        assert_true(room >= now->count * each && room < now->count * each + 1024);
        assert_null(now->gamma.data);
        assert_null(now->colour.data);
        assert_null(other->n.data);
        if (i > 1) /* scratch is one block by then */
            assert_int_equal(bytes_of(world), before);
        before = bytes_of(world);
        assert_ok(i % 2 ? tl_world_find_contacts_in(world, 3, 1) : tl_world_find_contacts(world));
    }
    tl_world_destroy(world);
}

/* A world that has looked for contacts in between runs as one that has not, its impulses with it.
 */
static void test_finding_between_steps(void **state)
{
    (void)state;
    pile_options pile = pile_default();
    tl_scene *scene;
    tl_world *world[2];
    pile.bodies = 4200;
    pile.settings.threads = 2;
    assert_ok(pile_scene(&pile, &scene));
    for (int k = 0; k < 2; k++)
        assert_ok(tl_world_create(scene, &world[k]));
    tl_scene_destroy(scene);
    for (int i = 0; i < 30; i++) {
        tl_report report[2];
        assert_ok(i % 2 ? tl_world_find_contacts(world[1])
                        : tl_world_find_contacts_in(world[1], 2, 1));
        for (int k = 0; k < 2; k++)
            assert_ok(tl_world_step(world[k], i == 20 && !WATCHED ? 100 : 1, &report[k]));
        assert_true(tl_world_hash(world[0]) == tl_world_hash(world[1]));
        assert_int_equal(report[0].contacts, report[1].contacts);
        assert_memory_equal(&report[0].residual, &report[1].residual, sizeof(double));
    }
    assert_ok(tl_world_find_contacts(world[1]));
    assert_true(world[1]->contacts[world[1]->current].impulses); /* matched: none is lost */
    for (int k = 0; k < 2; k++)
        tl_world_destroy(world[k]);
}

/* --- sharing
 * ---------------------------------------------------------------------------------------------- */

/* Bodies of two spheres on the floor, and a paddle that turns over it. */
static void add_others(tl_scene *scene)
{
    tl_shape_def ends[2] = {tl_sphere_default(0.05), tl_sphere_default(0.05)};
    tl_shape_def blade = tl_box_default(0.5, 0.02, 0.02);
    tl_body_def rod = tl_body_default(), paddle = tl_body_default();
    ends[0].position[0] = -0.04;
    ends[1].position[0] = 0.04;
    rod.shape_count = 2;
    rod.shapes = ends;
    for (int i = 0; i < 6; i++) {
        rod.position[0] = 0.22 * (i % 3 - 1);
        rod.position[1] = i < 3 ? -0.1 : 0.1;
        rod.position[2] = 0.05;
        assert_ok(tl_scene_add_bodies(scene, 1, &rod, NULL));
    }
    paddle.kind = TL_PRESCRIBED;
    paddle.shape_count = 1;
    paddle.shapes = &blade;
    paddle.position[2] = 0.13;
    paddle.motion.angular_velocity[2] = 2;
    assert_ok(tl_scene_add_bodies(scene, 1, &paddle, NULL));
}

/* Spheres rain on a floor and are taken away: rows, contacts and bins become many and few. */
static tl_world *busy_world(tl_solver_kind kind, tl_precision precision)
{
    tl_scene *scene;
    tl_world *world;
    tl_settings settings = tl_settings_default();
    tl_emitter_def emitter = tl_emitter_default();
    tl_boundary_def boundary = tl_boundary_default();
    tl_shape_def floor = tl_plane_default();
    tl_body_def ground = tl_body_default();
    ground.kind = TL_FIXED;
    ground.shape_count = 1;
    ground.shapes = &floor;
    settings.solver.kind = kind;
    settings.precision = precision;
    settings.threads = 2;
    assert_ok(tl_scene_create(&scene));
    assert_ok(tl_scene_set_settings(scene, &settings));
    assert_ok(tl_scene_add_bodies(scene, 1, &ground, NULL));
    add_others(scene);
    emitter.region = tl_region_box((double[3]){-0.3, -0.3, 0.1}, (double[3]){0.3, 0.3, 0.5});
    emitter.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.02, 0.05};
    emitter.rate = 4000;
    emitter.interval = 0.05;
    emitter.velocity[2] = -2;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    boundary.region = tl_region_box((double[3]){-0.5, -0.5, -1}, (double[3]){0.5, 0.5, 2});
    boundary.interval = 0.02;
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    assert_ok(tl_world_create(scene, &world));
    tl_scene_destroy(scene);
    return world;
}

static void remove_many(tl_world *world)
{
    size_t count = tl_world_body_count(world);
    tl_body *bodies = malloc((count + 1) * sizeof *bodies);
    assert_non_null(bodies);
    assert_ok(tl_world_list_bodies(world, count, bodies));
    assert_ok(tl_world_remove_bodies(world, count * 2 / 3, bodies + count / 4));
    free(bodies);
}

/* A copy whose memory has no history. */
static tl_world *copy_of(const tl_world *world)
{
    void *snapshot;
    size_t bytes;
    tl_world *copy;
    assert_ok(tl_world_save(world, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &copy));
    tl_snapshot_free(snapshot, bytes);
    return copy;
}

/* Every step is also done by a copy, and in an arena full of other numbers: nothing in it may
 * matter from one step to the next. */
static void share(tl_solver_kind kind, tl_precision precision)
{
    tl_world *world = busy_world(kind, precision);
    size_t most = 0, least = SIZE_MAX;
    for (int i = 0; i < 60; i++) {
        tl_report report;
        context("solver %d, precision %d, step %d", kind, precision, i);
        if (i == 40)
            remove_many(world);
        tl_world *copy = copy_of(world);
        if (world->arena.block.data)
            memset(world->arena.block.data, 0x7f, world->arena.block.bytes);
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_world_step(copy, 1, NULL));
        assert_true(tl_world_hash(world) == tl_world_hash(copy));
        tl_world_destroy(copy);
        most = report.contacts > most ? report.contacts : most;
        if (i >= 40)
            least = report.contacts < least ? report.contacts : least;
    }
    assert_true(most > 200 && least < most / 2);
    tl_world_destroy(world);
}

static void test_sharing(void **state)
{
    (void)state;
    share(TL_PSOR, TL_MIXED);
    share(TL_PSOR, TL_DOUBLE);
    share(TL_APGD, TL_MIXED);
}

/* A row's turn at a block whose rows have the colours `used`, colour by colour. */
static uint32_t turn_of(uint64_t used, uint32_t colour)
{
    uint32_t before = colour, last = TLK_COLOURS - 1;
    while (!(used >> last & 1))
        last--;
    while (before > 0 && !(used >> (before - 1) & 1))
        before--;
    return (colour == last ? TLK_TURN_LAST : 0) | (before ? before - 1 : TLK_TURN_FIRST | last);
}

/* Rows that wait for each other know their turns from the colours used at each body, which outlast
 * the rest of colouring; packets are filled up. Returns how many of them are anchor rows. */
static uint32_t check_turns(tl_world *world)
{
    tl_problem problem;
    memset(world->arena.block.data, 0x7f, world->arena.block.bytes);
    assert_ok(tl_step_problem(world, &problem));
    const tlk_problem *view = &problem.view;
    uint64_t *used = calloc(world->rows, sizeof *used);
    uint32_t colour[TL_SEGMENTS], rows = 0, count = 0;
    assert_true(view->turns || !view->rows);
    for (uint32_t i = 0; i < TL_SEGMENTS; i++)
        if (view->colours[i % 2] >> i / 2 & 1)
            colour[count++] = i / 2;
    assert_int_equal(problem.segment_count, count);
    for (uint32_t i = 0; i < problem.segment_count; i++) {
        for (uint32_t s = problem.segments[i].begin; s < problem.segments[i].end; s++, rows++) {
            used[view->a[s]] |= 1ull << colour[i];
            used[view->b[s]] |= 1ull << colour[i];
        }
        for (uint32_t s = problem.segments[i].end; s % TLK_LANES; s++, rows++)
            assert_int_equal(view->a[s], TLK_NONE);
    }
    assert_int_equal(rows, view->rows);
    for (uint32_t i = 0; i < problem.segment_count; i++)
        for (uint32_t s = problem.segments[i].begin; s < problem.segments[i].end; s++) {
            const uint32_t b = view->b[s];
            const uint32_t at_b = b < view->moving ? turn_of(used[b], colour[i]) << 8 : 0;
            assert_int_equal(view->turns[s], turn_of(used[view->a[s]], colour[i]) | at_b);
        }
    free(used);
    return view->rows - view->anchor_base;
}

static void test_turns(void **state)
{
    (void)state;
    tl_world *world = busy_world(TL_PSOR, TL_MIXED);
    world->backend->flow = true; /* as on a GPU; this one only fills them in */
    uint32_t most = 0;
    for (int i = 0; i < 30; i++) {
        assert_ok(tl_world_step(world, 3, NULL));
        const uint32_t anchors = check_turns(world);
        most = anchors > most ? anchors : most;
    }
    assert_true(tl_world_contact_count(world) > 200 && most > 8);
    tl_world_destroy(world);
}

static void expect_bytes(const tl_buffer *piece, size_t bytes, size_t byte)
{
    for (size_t n = 0; n < bytes; n++)
        assert_int_equal(((const uint8_t *)piece->data)[n], byte);
}

/* Pieces keep what is in them while they last, whatever is cut and given up beside them. */
static void test_arena(void **state)
{
    (void)state;
    tl_backend *b;
    tl_arena arena = {0};
    tl_buffer piece[40] = {{0}};
    dice random = {7};
    assert_ok(tl_backend_cpu(TL_MIXED, 1, &b));
    for (int phase = 0; phase < 300; phase++) {
        const size_t count = (size_t)roll(&random, 3, 20), kept = count / 3;
        size_t mark = 0, begin = 0;
        assert_ok(tl_arena_clear(b, &arena, phase % 3 ? 0 : 20000));
        for (size_t i = 0; i < 2 * count; i++) {
            const size_t bytes = (size_t)roll(&random, 1, 3000);
            if (i == kept)
                mark = arena.at + (begin = phase % 2 ? bytes / 2 : 0);
            if (i ==
                count) /* the first third and perhaps half a piece stay, the others make room */
                tl_arena_release(b, &arena, mark);
            piece[i].arena = &arena;
            assert_ok(tl_buffer_need(b, &piece[i], bytes));
            assert_true((uintptr_t)piece[i].data % 64 == 0);
            memset(piece[i].data, (int)i, piece[i].bytes);
        }
        for (size_t i = 0; i < 2 * count; i++)
            if (i < kept || i >= count)
                expect_bytes(&piece[i], piece[i].bytes, i);
        expect_bytes(&piece[kept], begin, kept);
        assert_true(phase < 3 || arena.extras < 20);
    }
    assert_ok(tl_arena_clear(b, &arena, 0));
    assert_true(arena.block.bytes >= arena.most && arena.extras == 0);
    assert_int_equal(b->bytes, arena.block.bytes); /* the extra ones are gone */
    tl_arena_free(b, &arena);
    assert_int_equal(b->bytes, 0);
    b->ops->destroy(b);
}

/* --- running out
 * ---------------------------------------------------------------------------------------------- */

/* An allocator with so many bytes and no more. */
static struct {
    size_t bytes, limit;
} store = {0, SIZE_MAX};

static void *limited_allocate(size_t bytes, void *user)
{
    (void)user;
    if (bytes > store.limit || store.bytes > store.limit - bytes)
        return NULL;
    store.bytes += bytes;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0xa5, bytes);
    return memory;
}

static void limited_release(void *memory, size_t bytes, void *user)
{
    (void)user;
    store.bytes -= bytes;
    free(memory);
}

/* Steps with ever less memory to spare, until one fails; then everything is as it was, and the
 * world goes on as if nothing had been once there is memory again. */
static void test_limit(void **state)
{
    (void)state;
    const tl_allocator limited = {limited_allocate, limited_release, NULL};
    size_t failures = 0;
    tl_set_allocator(&limited);
    tl_world *world = busy_world(TL_PSOR, TL_MIXED), *reference = copy_of(world);
    for (int i = 0; i < 40; i++) {
        tl_status status = TL_OK;
        const uint64_t hash = tl_world_hash(world);
        const size_t contacts = tl_world_contact_count(world);
        context("step %d", i);
        for (size_t spare = 0; spare < 64; spare++) {
            store.limit = store.bytes + spare * 4096;
            status = tl_world_step(world, 1, NULL);
            store.limit = SIZE_MAX;
            if (status == TL_OK)
                break;
            assert_status(status, TL_NO_MEMORY);
            assert_non_null(strstr(tl_last_message(), "bytes were needed"));
            assert_true(tl_world_hash(world) == hash);
            assert_int_equal(tl_world_contact_count(world), contacts);
            tl_world *saved = copy_of(world);
            assert_true(tl_world_hash(saved) == hash);
            tl_world_destroy(saved);
            failures++;
        }
        if (status != TL_OK)
            assert_ok(tl_world_step(world, 1, NULL));
        assert_ok(tl_world_step(reference, 1, NULL));
        assert_true(tl_world_hash(world) == tl_world_hash(reference));
    }
    assert_true(failures > 50);
    tl_world_destroy(world);
    tl_world_destroy(reference);
    assert_int_equal(store.bytes, 0);
    tl_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding_alone), cmocka_unit_test(test_finding_between_steps),
        cmocka_unit_test(test_sharing),       cmocka_unit_test(test_turns),
        cmocka_unit_test(test_arena),         cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
