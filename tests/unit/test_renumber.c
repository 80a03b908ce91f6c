/* Renumbering moves rows in memory and nothing else: states, shapes and contacts with their
 * impulses are, by handle, what they were. */
#include "support.h"

#include "world/world.h"

/* A contact seen from the body with the lower handle. */
static tl_contact turned(tl_contact c)
{
    if (c.a.index < c.b.index)
        return c;
    const tl_contact given = c;
    c.a = given.b, c.b = given.a;
    c.shape_a = given.shape_b, c.shape_b = given.shape_a;
    for (int k = 0; k < 3; k++) {
        c.normal[k] = -given.normal[k];
        c.impulse[k] = -given.impulse[k];
    }
    return c;
}

static int by_pair(const void *one, const void *two)
{
    const tl_contact *a = one, *b = two;
    const uint32_t keys[4][2] = {{a->a.index, b->a.index},
                                 {a->b.index, b->b.index},
                                 {a->shape_a, b->shape_a},
                                 {a->shape_b, b->shape_b}};
    for (int i = 0; i < 4; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static tl_contact *sorted_contacts(const tl_world *world, size_t *count)
{
    tl_contact *contacts = contacts_of(world, count);
    for (size_t i = 0; i < *count; i++)
        contacts[i] = turned(contacts[i]);
    qsort(contacts, *count, sizeof *contacts, by_pair);
    return contacts;
}

/* Spheres of two sizes on a paddle, pairs of spheres that are one body, and balls too large for
 * bins, in an order that is not that of space. */
static tl_world *crowd(const variant *v)
{
    tl_settings settings = settings_for(v, 0.005);
    settings.solver.iterations = 8;
    settings.solver.position_iterations = 4;
    tl_scene *scene = mixer_scene(&settings, 4600, 5);
    tl_shape_def pair[2] = {tl_sphere_default(0.05), tl_sphere_default(0.05)};
    pair[0].position[0] = 0.05, pair[1].position[0] = -0.05;
    for (int i = 0; i < 60; i++) {
        tl_body_def def = tl_body_default();
        def.shape_count = 2;
        def.shapes = pair;
        def.position[0] = 0.3 * (i % 6) - 0.8;
        def.position[1] = 0.3 * (i / 6) - 1.4;
        def.position[2] = 6;
        add_body(scene, &def);
    }
    for (int i = 0; i < 3; i++)
        add_sphere(scene, (tl_material){0}, 0.6, 50, (double[3]){1.3 - 1.3 * i, 0, 7},
                   (double[3]){0, 0, 0});
    return world_of(scene);
}

static void unchanged(const variant *v)
{
    tl_world *world = crowd(v);
    size_t before_count, after_count;
    step(world, 100);
    const uint64_t hash = tl_world_hash(world);
    const size_t shapes = tl_world_shape_count(world), bodies = tl_world_body_count(world);
    tl_shape_info *shape = calloc(2 * shapes, sizeof *shape);
    uint32_t *rows = malloc(bodies * sizeof *rows), moved = 0;
    assert_ok(tl_world_read_shapes(world, shapes, shape));
    tl_contact *before = sorted_contacts(world, &before_count);
    for (uint32_t i = 0; i < bodies; i++)
        rows[i] = tl_world_row(world, (tl_body){i + 1, 1});

    assert_ok(tl_world_renumber(world));

    for (uint32_t i = 0; i < bodies; i++)
        moved += rows[i] != tl_world_row(world, (tl_body){i + 1, 1});
    assert_true(moved > 1000); /* there was something to do */
    /* as a world that is loaded has them */
    assert_true(world->collide.globals >= 3 && world->collide.global[2] < world->shape_dynamic);
    for (uint32_t g = 1; g < world->collide.globals; g++)
        assert_true(world->collide.global[g - 1] < world->collide.global[g]);
    assert_true(tl_world_hash(world) == hash);
    assert_ok(tl_world_read_shapes(world, shapes, shape + shapes));
    assert_memory_equal(shape, shape + shapes, shapes * sizeof *shape);
    tl_contact *after = sorted_contacts(world, &after_count);
    assert_int_equal(after_count, before_count);
    assert_true(before_count > 2000);
    double pushed = 0;
    for (size_t i = 0; i < before_count; i++) {
        assert_int_equal(by_pair(&before[i], &after[i]), 0);
        for (int k = 0; k < 3; k++) {
            assert_near(after[i].normal[k], before[i].normal[k], 0);
            assert_near(after[i].impulse[k], before[i].impulse[k], 0);
            /* computed from the owner's side, with a normal of 24 bits */
            assert_near(after[i].point[k], before[i].point[k], 1e-7);
            pushed += fabs(before[i].impulse[k]);
        }
        assert_near(after[i].gap, before[i].gap, 0);
    }
    assert_true(pushed > 0);
    step(world, 5);
    free(before);
    free(after);
    free(shape);
    free(rows);
    tl_world_destroy(world);
}

static void test_unchanged(void **state)
{
    (void)state;
    for_each_precision(unchanged);
}

/* Balls of many sizes that fall on each other, on a plane and on a box. */
static tl_world *balls(const variant *v, double e)
{
    tl_settings settings = settings_for(v, 0.005);
    settings.solver.iterations = 8;
    settings.solver.position_iterations = 4;
    settings.solver.balance_iterations = 0; /* it factorizes rows in their order */
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.5, e);
    dice d = {3};
    add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0}, (double[4]){1, 0, 0, 0});
    add_fixed(scene, tl_box_default(0.3, 0.3, 0.1), material, (double[3]){0.5, 0.5, 0},
              (double[4]){1, 0, 0, 0});
    for (int i = 0; i < 300; i++) {
        const double x[3] = {0.2 * (i % 6) + roll(&d, -0.05, 0.05),
                             0.2 * (i / 6 % 6) + roll(&d, -0.05, 0.05),
                             0.3 + 0.2 * (i / 36) + roll(&d, -0.05, 0.05)};
        add_sphere(scene, material, roll(&d, 0.03, 0.12), roll(&d, 1, 5), x, (double[3]){0, 0, 0});
    }
    return world_of(scene);
}

/* The rows of dynamic bodies in the opposite order. */
static void turn_rows(tl_world *w)
{
    const tl_arrangement all = {.old_rows = w->rows,
                                .old_shapes = w->shape_rows,
                                .old_frames = w->frames,
                                .rows = w->rows,
                                .dynamic = w->dynamic,
                                .handles = w->row_of.count};
    const size_t bytes = w->rows * sizeof(uint32_t);
    uint32_t *order = malloc(bytes);
    for (uint32_t i = 0; i < w->rows; i++)
        order[i] = i < w->dynamic ? w->dynamic - 1 - i : i;
    assert_ok(tl_arena_clear(w->backend, &w->arena, 0));
    assert_ok(tl_buffer_need(w->backend, &w->ordering.order, bytes));
    w->backend->ops->upload(w->backend, w->ordering.order.data, order, bytes);
    assert_ok(tl_world_rearrange(w, &all));
    free(order);
}

/* Colours come of handles, and no sum of a row depends on which of its bodies is first: balls do
 * the same in whatever rows they are, to the last bit. */
static void same_in_any_rows(const variant *v)
{
    for (int bounce = 0; bounce < 2; bounce++) {
        tl_world *world = balls(v, 0.5 * bounce), *turned_round = balls(v, 0.5 * bounce);
        uint32_t active = 0;
        for (int i = 0; i < 150; i++) {
            context("%s, e = %g, step %d", v->name, 0.5 * bounce, i + 1);
            if (i % 7 == 0)
                turn_rows(turned_round);
            active = step_report(world, 1).active_contacts;
            step(turned_round, 1);
            assert_true(tl_world_hash(turned_round) == tl_world_hash(world));
        }
        assert_true(active > 100);
        tl_world_destroy(turned_round);
        tl_world_destroy(world);
    }
}

static void test_any_rows(void **state)
{
    (void)state;
    for_each_precision(same_in_any_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unchanged),
                                       cmocka_unit_test(test_any_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
