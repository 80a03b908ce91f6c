/* The search of the CUDA backend against the CPU's, without a GPU: its kernels run on the host,
 * lane by lane (emulate.h), in a world of the CPU backend. State and contacts must be the same, bit
 * for bit, as those of a world that searches in the CPU's own way. */
#include "support.h"

#include "world/world.h"

void emulated_mixed(uint32_t stage, const void *args, uint32_t count);
void emulated_double(uint32_t stage, const void *args, uint32_t count);

void emulated_fresh_mixed(const void *args, uint32_t count, double *numbers);
void emulated_fresh_double(const void *args, uint32_t count, double *numbers);

static const tl_backend_ops *plain;
static uint32_t emulated; /* launches that were */

static void run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    static const tl_kernel stages[] = {TLK_bounds, TLK_bin_fill, TLK_contact_count,
                                       TLK_contact_write};
    for (uint32_t stage = 0; stage < 4; stage++)
        if (launches[0].kernel == stages[stage]) {
            assert_int_equal(count, 1);
            (backend->precision == TL_DOUBLE ? emulated_double : emulated_mixed)(
                stage, launches[0].args, launches[0].end);
            emulated++;
            return;
        }
    plain->run(backend, launches, count, repeat);
}

static tl_status fold(tl_backend *backend, const tl_folding *folds, size_t count)
{
    if (folds[0].fold != TLK_FOLD_fresh_pairs)
        return plain->fold(backend, folds, count);
    assert_int_equal(count, 1);
    memset(folds[0].numbers, 0, TLK_FOLD_NUMBERS * sizeof(double));
    (backend->precision == TL_DOUBLE ? emulated_fresh_double : emulated_fresh_mixed)(
        folds[0].args, folds[0].count, folds[0].numbers);
    return TL_OK;
}

/* Lets a world search as on a GPU, and sizes its bins and entries as there. */
static void emulate(tl_world *world)
{
    static tl_backend_ops ops;
    plain = plain ? plain : world->backend->ops;
    ops = *plain;
    ops.run = run;
    ops.fold = fold;
    world->backend->ops = &ops;
    world->backend->entry = TLK_ENTRY_GPU * sizeof(uint32_t);
    world->backend->crowd = 1.2;
    world->backend->apart = true;
    world->collide.entries = 1; /* too little room at first, so that all is done again */
}

static void same_contacts(const tl_world *a, const tl_world *b, int when)
{
    size_t count[2];
    tl_contact *contacts[2] = {contacts_of(a, &count[0]), contacts_of(b, &count[1])};
    if (count[0] != count[1] || memcmp(contacts[0], contacts[1], count[0] * sizeof **contacts) != 0)
        fail_msg("at %d: %zu contacts on a CPU, %zu others as on a GPU", when, count[0], count[1]);
    free(contacts[0]);
    free(contacts[1]);
}

/* Two worlds of a scene, which is made twice, side by side. */
static void same_steps(tl_scene *(*make)(const tl_settings *), const tl_settings *settings,
                       int steps)
{
    tl_world *world[2] = {world_of(make(settings)), world_of(make(settings))};
    emulate(world[1]);
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < 2; k++)
            step(world[k], 1);
        same_contacts(world[0], world[1], i);
        assert_true(tl_world_hash(world[0]) == tl_world_hash(world[1]));
    }
    assert_true(tl_world_contact_count(world[0]) > 100);
    for (int k = 0; k < 2; k++)
        tl_world_destroy(world[k]);
}

static tl_scene *mixer(const tl_settings *settings)
{
    return mixer_scene(settings, 300, 5);
}

/* A funnel of many panels, each in the ball around most of the others, about the origin, where
 * coordinates are small negative numbers now and then; spheres in layers, some of them touching. */
static tl_scene *funnel(const tl_settings *settings)
{
    enum { PANELS = 40, GRAINS = 250 };
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0);
    for (int i = 0; i < PANELS; i++) {
        const double angle = 2 * PI * i / PANELS;
        double turned[4];
        turn((double[3]){0, 0, 1}, angle, turned);
        add_fixed(scene, tl_box_default(0.1, 0.2, 2), material,
                  (double[3]){0.8 * cos(angle), 0.8 * sin(angle), 0}, turned);
    }
    add_fixed(scene, tl_box_default(1, 1, 0.1), material, (double[3]){0, 0, -1.1},
              (double[4]){1, 0, 0, 0});
    for (int i = 0; i < GRAINS; i++)
        add_sphere(scene, material, 0.09, 0,
                   (double[3]){0.18 * (i % 5 - 2) - (i % 5 == 2) * 1e-20,
                               0.18 * (i / 5 % 5 - 2) - (i / 5 % 5 == 2) * 1e-20,
                               0.185 * (i / 25) - 0.9},
                   (double[3]){0, 0, i % 50 == 49 ? -120 : 0});
    return scene;
}

/* Spheres at random places: every tenth near the origin, the others up to `far` from it. */
static tl_scene *scattered(const tl_settings *settings, int count, double radius, double near,
                           double far)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0);
    dice d = {3};
    for (int i = 0; i < count; i++) {
        const double most = i % 10 ? far : near;
        double x[3];
        roll3(&d, -most, most, x);
        add_sphere(scene, material, radius, 0, x, (double[3]){0, 0, 0});
    }
    return scene;
}

/* Each overlaps many others, so that lists grow. */
static tl_scene *crowd(const tl_settings *settings)
{
    return scattered(settings, 500, 0.2, 0.5, 0.5);
}

/* Most are far from each other, and share bins by the table's edge alone. */
static tl_scene *spread(const tl_settings *settings)
{
    return scattered(settings, 3000, 0.1, 0.6, 60);
}

static void test_scenes(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        tl_settings settings = tl_settings_default();
        settings.precision = mixed ? TL_MIXED : TL_DOUBLE;
        settings.step = 1.0 / 200;
        context("%s", mixed ? "mixed" : "double");
        same_steps(mixer, &settings, 60);
        same_steps(funnel, &settings, 40);
        same_steps(filtered_scene, &settings, 40);
        same_steps(crowd, &settings, 2);
        same_steps(spread, &settings, 1);
    }
    assert_true(emulated > 4 * 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
