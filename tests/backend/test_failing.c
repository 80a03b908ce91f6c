/* A device that fails: at the k-th request that can fail, for every k, and from then on or once.
 * Whatever call of the library that happens in returns a status and says why; it never returns
 * TL_OK with rubbish. The world can be destroyed then; where the device came back, it can be used.
 * The linker puts __wrap_tl_backend_cpu in the place of tl_backend_cpu. */
#include "support.h"

#include "world/world.h"

#include <stdatomic.h>

#define SAYS_STOPPED "the device stopped"

static atomic_uint requests, fail_at; /* the first request is number 1; 0: none fails */
static atomic_bool for_good;
static const tl_backend_ops *real;

static bool fails(void)
{
    const unsigned at = fail_at, now = ++requests;
    return at && (for_good ? now >= at : now == at);
}

static tl_status stopped(void)
{
    return tl_fail(TL_NO_BACKEND, SAYS_STOPPED);
}

static tl_status failing_download(tl_backend *b, void *host, const void *device, size_t bytes)
{
    if (!fails())
        return real->download(b, host, device, bytes);
    if (bytes)
        memset(host, 0x5a, bytes);
    return stopped();
}

static tl_status failing_fold(tl_backend *b, const tl_folding *folds, size_t count)
{
    if (!fails())
        return real->fold(b, folds, count);
    for (size_t i = 0; i < count; i++)
        memset(folds[i].numbers, 0x5a, TLK_FOLD_NUMBERS * sizeof(double));
    return stopped();
}

static tl_status failing_colour(tl_backend *b, const tlk_colour *args, uint32_t contacts)
{
    return fails() ? stopped() : real->colour(b, args, contacts);
}

static tl_status failing_sort(tl_backend *b, uint32_t *keys, uint32_t *values, uint32_t count,
                              uint32_t bits)
{
    return fails() ? stopped() : real->sort(b, keys, values, count, bits);
}

static tl_status failing_rank(tl_backend *b, const uint32_t *keys, uint32_t count, uint32_t *places,
                              uint32_t *starts, const uint32_t *word, uint32_t *seen)
{
    if (!fails())
        return real->rank(b, keys, count, places, starts, word, seen);
    memset(starts, 0x5a, (TLK_RANK_KEYS + 1) * sizeof *starts);
    return stopped();
}

static tl_status failing_scan(tl_backend *b, uint32_t *items, uint32_t count, uint64_t *total)
{
    if (!fails())
        return real->scan(b, items, count, total);
    if (total)
        *total = 0x5a5a5a5a;
    return stopped();
}

static tl_status failing_capture(tl_backend *b, size_t count, const void *const *from,
                                 const size_t *bytes, void **slot)
{
    return fails() ? stopped() : real->capture(b, count, from, bytes, slot);
}

static const void *failing_captured(void *slot)
{
    if (!fails())
        return real->captured(slot);
    stopped();
    return NULL;
}

tl_status __real_tl_backend_cpu(tl_precision precision, uint32_t threads, tl_backend **backend);
tl_status __wrap_tl_backend_cpu(tl_precision precision, uint32_t threads, tl_backend **backend);

tl_status __wrap_tl_backend_cpu(tl_precision precision, uint32_t threads, tl_backend **backend)
{
    static tl_backend_ops ops;
    const tl_status status = __real_tl_backend_cpu(precision, threads, backend);
    if (status != TL_OK)
        return status;
    if (!real) { /* the first one is made before there are threads */
        real = (*backend)->ops;
        ops = *real;
        ops.download = failing_download;
        ops.fold = failing_fold;
        ops.colour = failing_colour;
        ops.sort = failing_sort;
        ops.rank = failing_rank;
        ops.scan = failing_scan;
        ops.capture = failing_capture;
        ops.captured = failing_captured;
    }
    (*backend)->ops = &ops;
    return TL_OK;
}

/* ---- What is called ---- */

/* Some spheres that overlap and touch, on a floor beside a box that moves; emitters, events and a
 * boundary that have something to do before the second step. */
static tl_scene *some_scene(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 3;
    settings.solver.position_iterations = 2;
    settings.solver.tolerance = 1e-9;
    tl_scene *scene = scene_with(&settings);
    tl_shape_def block = tl_box_default(0.2, 0.2, 0.2);
    tl_body_def table = tl_body_default();
    tl_force_def force = tl_force_default();
    tl_emitter_def emitter = tl_emitter_default();
    tl_event_def event = tl_event_default();
    tl_boundary_def boundary = tl_boundary_default();
    for (int i = 0; i < 8; i++)
        force.body = add_sphere(scene, (tl_material){0}, 0.1, 0,
                                (double[3]){0.15 * (i % 4), 0.19 * (i / 4), 0.09},
                                (double[3]){0, 0, i == 7 ? 90 : 0});
    add_floor(scene, (tl_material){0});
    table.kind = TL_PRESCRIBED;
    table.position[2] = -0.1;
    table.shape_count = 1;
    table.shapes = &block;
    table.motion.velocity[2] = 0.1;
    add_body(scene, &table);
    force.force[0] = 1;
    assert_ok(tl_scene_add_force(scene, &force));
    emitter.region = tl_region_box((double[3]){0, 0, 0}, (double[3]){0.5, 0.5, 1});
    emitter.size.radius = 0.04;
    emitter.rate = 1000;
    emitter.start = emitter.interval = settings.step;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    event.time = settings.step;
    event.body_count = 1;
    event.bodies = &(tl_body){2, 1};
    assert_ok(tl_scene_add_event(scene, &event));
    boundary.region = tl_region_box((double[3]){-1, -1, -1}, (double[3]){1, 1, 0.4});
    boundary.interval = settings.step;
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    return scene;
}

/* What a call works with. */
typedef struct stage {
    const tl_scene *scene;
    tl_world *world;
    void *snapshot;
    size_t bytes;
    tl_frame *frame;
} stage;

static tl_status do_create(stage *s)
{
    tl_world *world;
    const tl_status status = tl_world_create(s->scene, &world);
    tl_world_destroy(world);
    return status == TL_OVERLAPPING ? TL_OK : status;
}

static tl_status do_load(stage *s)
{
    tl_world *world;
    const tl_status status = tl_world_load(s->snapshot, s->bytes, &world);
    tl_world_destroy(world);
    return status;
}

static tl_status do_save(stage *s)
{
    void *data;
    size_t bytes;
    const tl_status status = tl_world_save(s->world, &data, &bytes);
    assert_true((status == TL_OK) == (data != NULL));
    tl_snapshot_free(data, bytes);
    return status;
}

static tl_status do_hash(stage *s)
{
    return tl_world_hash(s->world) ? TL_OK : TL_NO_BACKEND;
}

static tl_status do_step(stage *s)
{
    return tl_world_step(s->world, 1, NULL);
}

static tl_status do_diverge(stage *s)
{
    tl_settings settings = tl_world_settings(s->world);
    settings.max_speed = 1e-6;
    assert_ok(tl_world_set_settings(s->world, &settings));
    const tl_status status = tl_world_step(s->world, 1, NULL);
    return status == TL_DIVERGED ? TL_OK : status;
}

static tl_status do_find(stage *s)
{
    return tl_world_find_contacts(s->world);
}

static tl_status do_find_in_parts(stage *s)
{
    return tl_world_find_contacts_in(s->world, 3, 2);
}

static tl_status do_renumber(stage *s)
{
    const tl_world *w = s->world;
    const tl_arrangement same = {w->rows, w->shape_rows, w->shape_rows - w->shape_dynamic,
                                 w->rows, w->dynamic,    w->row_of.count};
    const tl_status status = tl_world_curve(s->world, w->rows, w->dynamic);
    return status == TL_OK ? tl_world_rearrange(s->world, &same) : status;
}

static tl_status do_add(stage *s)
{
    tl_shape_def ball = tl_sphere_default(0.05);
    tl_body_def def = tl_body_default();
    def.shape_count = 1;
    def.shapes = &ball;
    def.position[2] = 3;
    return tl_world_add_bodies(s->world, 1, &def, NULL);
}

static tl_status do_remove(stage *s)
{
    return tl_world_remove_bodies(s->world, 1, &(tl_body){3, 1});
}

static tl_status do_capture(stage *s)
{
    tl_frame_view view;
    const tl_status status = tl_world_capture(s->world, s->frame);
    return status == TL_OK ? tl_frame_read(s->frame, &view) : status;
}

static tl_status do_read(stage *s)
{
    tl_status (*const all[])(const tl_world *, size_t, const tl_body *, double *) = {
        tl_world_read_positions,          tl_world_read_orientations, tl_world_read_velocities,
        tl_world_read_angular_velocities, tl_world_read_masses,       tl_world_read_inertias};
    double numbers[400];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tl_status status = all[i](s->world, tl_world_body_count(s->world), NULL, numbers);
        if (status != TL_OK)
            return status;
    }
    return TL_OK;
}

static tl_status do_read_contacts(stage *s)
{
    tl_contact contacts[400];
    return tl_world_read_contacts(s->world, tl_world_contact_count(s->world), contacts);
}

static tl_status do_read_shapes(stage *s)
{
    tl_shape_info shapes[100];
    return tl_world_read_shapes(s->world, tl_world_shape_count(s->world), shapes);
}

static const struct call {
    const char *name;
    tl_status (*call)(stage *s);
    bool keeps; /* the world is as before where it failed */
} calls[] = {
    {"create", do_create, true},
    {"load", do_load, true},
    {"save", do_save, true},
    {"hash", do_hash, true},
    {"step", do_step, false}, /* the numbers of a step that is done may be lost */
    {"step that diverges", do_diverge, false},
    {"find contacts", do_find, true},
    {"find contacts in parts", do_find_in_parts, true},
    {"renumber", do_renumber, true},
    {"add", do_add, true},
    {"remove", do_remove, true},
    {"capture", do_capture, true},
    {"read", do_read, true},
    {"read contacts", do_read_contacts, true},
    {"read shapes", do_read_shapes, true},
};

/* A step that fails, at whatever request or because bodies are too fast, leaves the last step's
 * contacts as they were, with their points, though all shapes have moved since. */
static void test_contacts_stay(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default();
    bool reached = true;
    settings.threads = 1;
    for (unsigned k = 0; reached; k++) { /* 0: none fails, and the step diverges */
        settings.max_speed = tl_settings_default().max_speed;
        tl_scene *scene = scene_with(&settings);
        add_floor(scene, (tl_material){0});
        for (int i = 0; i < 5; i++)
            add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0.19 * i, 0, 0.1},
                       (double[3]){1, 0.3, 0});
        tl_world *world = world_of(scene);
        size_t before, after;
        step(world, 3);
        tl_contact *old = contacts_of(world, &before);
        settings.max_speed = k ? settings.max_speed : 1e-3;
        assert_ok(tl_world_set_settings(world, &settings));
        requests = 0;
        for_good = false;
        fail_at = k;
        const tl_status status = tl_world_step(world, 1, NULL);
        reached = !k || requests >= k;
        fail_at = 0;
        context("request %u fails", k);
        assert_status(status, !reached ? TL_OK : k ? TL_NO_BACKEND : TL_DIVERGED);
        tl_contact *now = contacts_of(world, &after);
        assert_true(before > 5);
        if (reached) {
            assert_int_equal(after, before);
            assert_memory_equal(now, old, before * sizeof *now);
        }
        free(old);
        free(now);
        tl_world_destroy(world);
    }
}

/* One call with the k-th request failing; whether there were so many. */
static bool fail_once(const variant *v, const struct call *c, unsigned k, bool sticky)
{
    tl_scene *scene = some_scene(v);
    stage s = {.scene = scene};
    const tl_status made = tl_world_create(scene, &s.world);
    assert_true(made == TL_OVERLAPPING);
    assert_ok(tl_frame_create(&s.frame));
    step(s.world, 1);
    assert_ok(tl_world_save(s.world, &s.snapshot, &s.bytes));
    const uint64_t before = tl_world_hash(s.world);
    requests = 0;
    for_good = sticky;
    fail_at = k;
    const tl_status status = c->call(&s);
    const bool reached = requests >= k;
    fail_at = 0;
    context("%s: %s, request %u fails%s", v->name, c->name, k, sticky ? " and all after it" : "");
    assert_status(status, reached ? TL_NO_BACKEND : TL_OK);
    if (reached && strcmp(tl_last_message(), SAYS_STOPPED) != 0)
        fail_msg("%s: the message is \"%s\"", test_context, tl_last_message());
    if (reached && c->keeps) {
        assert_true(tl_world_hash(s.world) == before);
        assert_ok(c->call(&s)); /* and done again it succeeds */
    }
    tl_world_destroy(s.world);
    tl_frame_destroy(s.frame);
    tl_snapshot_free(s.snapshot, s.bytes);
    tl_scene_destroy(scene);
    return reached;
}

static void each_request(const variant *v)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int sticky = 0; sticky < 2; sticky++) {
            unsigned k = 1;
            while (fail_once(v, &calls[i], k, sticky))
                k++;
            assert_true(k > 1);
        }
}

static void test_each_request(void **state)
{
    (void)state;
    for_each_variant(each_request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_request),
                                       cmocka_unit_test(test_contacts_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
