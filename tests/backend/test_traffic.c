/* What a step and an edit of the tables send to the device, how the time of a step is counted, and
 * that contacts leave the last colour: with a table of functions that counts uploads and takes its
 * time over sorts and scans. */
#include "support.h"

#include "world/image.h"

#include <time.h>

#define DELAY 40 /* ms */

static const tl_backend_ops *plain;
static size_t uploads, upload_bytes;
static bool slow_sort, slow_scan;

static void counting_upload(tl_backend *b, void *device, const void *host, size_t bytes)
{
    uploads++;
    upload_bytes += bytes;
    plain->upload(b, device, host, bytes);
}

static void delay(bool *wanted)
{
    if (*wanted)
        nanosleep(&(struct timespec){0, DELAY * 1000000L}, NULL);
    *wanted = false;
}

static tl_status slow_sorting(tl_backend *b, uint32_t *keys, uint32_t *values, uint32_t count,
                              uint32_t bits)
{
    delay(&slow_sort);
    return plain->sort(b, keys, values, count, bits);
}

static tl_status slow_scanning(tl_backend *b, uint32_t *items, uint32_t count, uint64_t *total)
{
    delay(&slow_scan);
    return plain->scan(b, items, count, total);
}

static void watch(tl_world *world)
{
    static tl_backend_ops ops;
    plain = world->backend->ops;
    ops = *plain;
    ops.upload = counting_upload;
    ops.sort = slow_sorting;
    ops.scan = slow_scanning;
    world->backend->ops = &ops;
    uploads = upload_bytes = 0;
}

/* Spheres far from each other, in rows of 20. */
static tl_scene *apart(const variant *v, int count)
{
    tl_scene *scene = scene_for(v, 1e-3);
    for (int i = 0; i < count; i++)
        add_sphere(scene, (tl_material){0}, 0.1, 0,
                   (double[3]){i % 20, i / 20 % 20, (double)(i / 400)}, (double[3]){0, 0, 0});
    return scene;
}

/* Bytes that a step uploads for two forces on one body and one on another, and how these move. */
static size_t force_bytes(const variant *v, int count)
{
    tl_scene *scene = apart(v, count);
    tl_force_def force = tl_force_default();
    set_gravity(scene, 0, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        force.body = (tl_body){i == 1 ? 5 : 2, 1};
        force.force[0] = i + 1;
        assert_ok(tl_scene_add_force(scene, &force));
    }
    tl_world *world = world_of(scene);
    double mass, speed[3];
    watch(world);
    step(world, 1);
    const size_t bytes = upload_bytes;
    assert_ok(tl_world_read_masses(world, 1, &(tl_body){2, 1}, &mass));
    velocity_of(world, (tl_body){2, 1}, speed);
    assert_near(speed[0], 4 * 1e-3 / mass, slack(v, 4 * 1e-3 / mass, 1));
    velocity_of(world, (tl_body){5, 1}, speed);
    assert_near(speed[0], 2 * 1e-3 / mass, slack(v, 2 * 1e-3 / mass, 1));
    velocity_of(world, (tl_body){3, 1}, speed);
    assert_near(norm3(speed), 0, 0);
    /* rows that come and go, and forces with them */
    assert_ok(tl_world_remove_bodies(world, 2, (tl_body[2]){{1, 1}, {2, 1}}));
    step(world, 1);
    velocity_of(world, (tl_body){5, 1}, speed);
    assert_near(speed[0], 4 * 1e-3 / mass, slack(v, 4 * 1e-3 / mass, 2));
    tl_world_destroy(world);
    return bytes;
}

static void forces(const variant *v)
{
    const size_t few = force_bytes(v, 10), many = force_bytes(v, 1000);
    assert_int_equal(few, many);
}

static void test_forces(void **state)
{
    (void)state;
    for_each_precision(forces);
}

/* Changing one of 65,536 pairs is one upload, and what it sends is what acts. */
static void pairs(const variant *v)
{
    tl_scene *scene = apart(v, 1);
    tl_material last = {0};
    for (int i = 0; i < 255; i++)
        last = add_material(scene, 0.5, 0);
    tl_world *world = world_of(scene);
    watch(world);
    assert_ok(tl_world_set_pair(world, last, (tl_material){3},
                                &(tl_pair_def){.friction = 0.25, .restitution = 0.75}));
    assert_int_equal(uploads, 1);
    for (size_t i = 0; i < 2; i++) {
        const size_t at = i ? 3 * 256 + (size_t)last.index : (size_t)last.index * 256 + 3;
        const char *pair =
            (const char *)world->pair_table.data + TLK_PAIR * at * world->backend->real;
        const double friction = v->precision == TL_DOUBLE ? *(const double *)(const void *)pair
                                                          : *(const float *)(const void *)pair;
        assert_near(friction, 0.25, 0);
    }
    tl_world_destroy(world);
}

static void test_pairs(void **state)
{
    (void)state;
    for_each_precision(pairs);
}

static double sum_of_stages(const tl_stage_times *ms)
{
    return ms->find + ms->match + ms->colour + ms->build + ms->solve + ms->position + ms->audit +
           ms->integrate;
}

/* A step's time holds the edits and the renumbering that come before it, and so do its stages. */
static void test_times(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    const double h = 1e-3;
    tl_event_def event = tl_event_default();
    tl_scene *scene = apart(&v, 4100);
    event.time = 3 * h;
    event.body_count = 1;
    event.bodies = &(tl_body){7, 1};
    assert_ok(tl_scene_add_event(scene, &event));
    tl_world *world = world_of(scene);
    watch(world);
    step(world, 3);
    slow_scan = true; /* the first of the next step is of the edit */
    tl_report r = step_report(world, 1);
    context("a step with an edit");
    assert_int_equal(r.removed, 1);
    assert_above(r.ms.integrate, DELAY);
    assert_above(r.total_ms, sum_of_stages(&r.ms));
    step(world, 124);
    slow_sort = true; /* without contacts only renumbering sorts */
    context("a step with renumbering");
    r = step_report(world, 1);
    assert_false(slow_sort);
    assert_above(r.ms.integrate, DELAY);
    assert_above(r.total_ms, sum_of_stages(&r.ms));
    tl_world_destroy(world);
}

/* ---- Colours ---- */

#define NEIGHBOURS 70

/* How often the copies of the ball were doubled, which all its contacts must say; none has the last
 * colour. */
static uint32_t doubled(const tl_world *world)
{
    tl_image image;
    tl_image_init(&image);
    assert_ok(tl_image_pull(world, tl_world_contacts(world), &image));
    const uint32_t *word = image.colour.data, ball = word[0] >> 8; /* the lowest handle */
    for (size_t k = 0; k < image.colour.count; k++) {
        assert_int_equal(word[k] >> 8, ball);
        assert_true((word[k] & TLK_WORD_COLOUR) < TLK_COLOURS - 1);
    }
    tl_image_free(&image);
    return ball;
}

/* A ball with 70 neighbours has eight copies. When neighbours leave it has none, and contacts have
 * colours that are free at itself: nothing stays as it was for good. */
static void colours(const variant *v)
{
    tl_scene *scene = scene_for(v, 1e-3);
    tl_body gone[NEIGHBOURS];
    set_gravity(scene, 0, 0, 0);
    add_sphere(scene, (tl_material){0}, 1, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    for (int i = 0; i < NEIGHBOURS; i++) {
        const double z = 1 - (2 * i + 1.0) / NEIGHBOURS, angle = 2.399963 * i;
        const double across = 1.051 * sqrt(1 - z * z);
        add_sphere(scene, (tl_material){0}, 0.05, 0,
                   (double[3]){across * cos(angle), across * sin(angle), 1.051 * z},
                   (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    const uint32_t colours = step_report(world, 1).colours; /* of the copy with most pairs */
    assert_true(colours > NEIGHBOURS / 8 && colours < TLK_CROWDED);
    assert_int_equal(doubled(world), 3);
    step(world, 3);
    assert_int_equal(doubled(world), 3);
    for (uint32_t i = 0; i < NEIGHBOURS; i++)
        gone[i] = (tl_body){i + 2, 1};
    assert_ok(tl_world_remove_bodies(world, NEIGHBOURS - TLK_CROWDED, gone));
    assert_int_equal(step_report(world, 1).colours, TLK_CROWDED);
    assert_int_equal(doubled(world), 0);
    assert_ok(tl_world_remove_bodies(world, TLK_CROWDED - 3, gone + NEIGHBOURS - TLK_CROWDED));
    assert_true(step_report(world, 1).colours == 3);
    assert_int_equal(doubled(world), 0);
    tl_world_destroy(world);
}

static void test_colours(void **state)
{
    (void)state;
    for_each_precision(colours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
