/* labels: slow */
/* Planes by motion: bodies that slide over tiles side by side keep their speed, what misses is not
 * touched, and nothing passes a plate. With planes that are nearest as a step begins bodies lose
 * speed here, which each of these tests checks, too: so it can fail. */
#include "tiles.h"

typedef struct slide {
    const variant *v;
    tl_planes planes;
    solid tile, body;
    double h, speed, start;
} slide;

/* What a body without friction has lost of its speed after two seconds over tiles, as a part of it;
 * its energy has never grown. */
static double lost(const slide *s)
{
    tl_settings settings = settings_for(s->v, s->h);
    settings.planes = s->planes;
    if (s->body == BALL)
        settings.solver.iterations = 8;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    tl_shape_def shape = solid_of(scene, s->body, (double[3]){0.1, 0.1, 0.1});
    lay_tiles(scene, material, s->tile);
    shape.material = material;
    tl_body_def def = body_of(&shape, 1000, (double[3]){s->start, 0.013, 0.1}, upright);
    def.velocity[0] = s->speed;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    const int steps = (int)(2 / s->h + 0.5);
    double x[3], u[3];
    for (int i = 0; i < steps; i++) {
        step(world, 1);
        velocity_of(world, body, u);
        position_of(world, body, x);
        const double gained = 0.5 * (dot3(u, u) - s->speed * s->speed) + 9.81 * (x[2] - 0.1);
        assert_below(gained, slack(s->v, 0.5 * s->speed * s->speed, i + 1) + 1e-6);
    }
    tl_world_destroy(world);
    return fabs(s->speed - u[0]) / s->speed + (fabs(u[1]) + fabs(u[2])) / s->speed;
}

/* Every solid over every kind of tile. */
static void keep_speed(const variant *v)
{
    static const solid bodies[] = {BALL, BOX, HULL}, tiles[] = {BOX, HULL, MESH, SHEET};
    static const double steps[] = {0.001, 1.0 / 200, 0.02, 0.05, 0.03, 0.045}, speeds[] = {2, 5};
    static const claim c = {
        "a ball, box or hull slides over boxes, hulls, meshes or sheets of 0.5 m, side by side",
        "closed form: it keeps its speed", "what it loses in 2 s, as a part of it",
        "2 and 5 m/s, h = 1 to 50 ms, from two places, no friction; of balls with 8 sweeps"};
    for (int b = 0; b < 3; b++)
        for (int t = 0; t < 4; t++)
            for (int i = 0; i < 12; i++) {
                slide s = {v,
                           TL_PLANES_BY_MOTION,
                           tiles[t],
                           bodies[b],
                           steps[i / 2],
                           speeds[i % 2],
                           i < 8 ? 0 : 0.1237};
                context("%s: a %s over tiles, each a %s, at %g m/s, h = %g s", v->name,
                        solid_names[s.body], solid_names[s.tile], s.speed, s.h);
                assert_found(&c, v->name, lost(&s), 0, 1e-6);
            }
}

/* With the nearest planes the same slides lose speed: so these tests can fail. */
static void nearest_lose(const variant *v)
{
    static const solid bodies[] = {BALL, BOX, HULL};
    for (int b = 0; b < 3; b++) {
        slide s = {v, TL_PLANES_NEAREST, BOX, bodies[b], 1.0 / 200, 2, 0};
        context("%s: a %s over boxes with the nearest planes", v->name, solid_names[s.body]);
        assert_above(lost(&s), 0.05);
    }
    slide fast = {v, TL_PLANES_NEAREST, BOX, BALL, 0.02, 5, 0};
    assert_above(lost(&fast), 0.5);
}

/* A grid of triangles, a plane in pieces: every solid slides over it aslant. */
static double lost_on_grid(const variant *v, solid kind, double h)
{
    tl_settings settings = settings_for(v, h);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    lay_grid(scene, material);
    tl_shape_def shape = solid_of(scene, kind, (double[3]){0.1, 0.1, 0.1});
    shape.material = material;
    tl_body_def def = body_of(&shape, 1000, (double[3]){0, 0.013, 0.1}, upright);
    def.velocity[0] = 4;
    def.velocity[1] = 3;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(2 / h + 0.5));
    double u[3];
    velocity_of(world, body, u);
    tl_world_destroy(world);
    return fabs(u[0] - 4) + fabs(u[1] - 3) + fabs(u[2]);
}

static void tessellated(const variant *v)
{
    static const solid bodies[] = {BALL, BOX, HULL};
    static const double steps[] = {1.0 / 200, 0.02, 0.05};
    static const claim c = {"a ball, box or hull slides over a plane of 3,200 triangles",
                            "closed form: it keeps its velocity", "change in 2 s, m/s",
                            "5 m/s, h = 5 to 50 ms, no friction"};
    for (int i = 0; i < 9; i++) {
        context("%s: a %s over triangles, h = %g s", v->name, solid_names[bodies[i / 3]],
                steps[i % 3]);
        assert_found(&c, v->name, lost_on_grid(v, bodies[i / 3], steps[i % 3]), 0, 5e-6);
    }
}

/* How far the velocity of a ball of 0.05 m at 20 m/s is from what it was after it has passed a
 * box (or a ball) at a distance; without gravity. */
static double deflection(const variant *v, tl_planes planes, solid other, double h, double start,
                         double distance)
{
    tl_settings settings = settings_for(v, h);
    settings.planes = planes;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    double u[3];
    set_gravity(scene, 0, 0, 0);
    add_fixed(scene, solid_of(scene, other, (double[3]){0.05, 0.05, 0.05}), material,
              (double[3]){0, 0, 0}, upright);
    const tl_body ball =
        add_sphere(scene, material, 0.05, 1, (double[3]){-1 - start, 0, 0.1 + distance},
                   (double[3]){20, 0, 0});
    tl_world *world = world_of(scene);
    step(world, (uint32_t)(0.15 / h));
    velocity_of(world, ball, u);
    tl_world_destroy(world);
    return fabs(u[0] - 20) + fabs(u[1]) + fabs(u[2]);
}

static void misses(const variant *v)
{
    static const double steps[] = {0.001, 1.0 / 200, 0.01, 0.02, 0.05};
    static const solid others[] = {BOX, HULL, MESH, BALL};
    static const claim c = {"a ball of 0.05 m at 20 m/s misses a box, hull, mesh or ball by 5 mm",
                            "closed form: nothing happens", "change of its velocity, m/s",
                            "h = 1 to 50 ms, from ten places"};
    double worst = 0;
    for (int o = 0; o < 4; o++)
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 10; k++) {
                const double start = 0.1 * k * steps[i] * 20;
                context("%s: a ball misses a %s, h = %g s, from %g m", v->name,
                        solid_names[others[o]], steps[i], start);
                assert_found(&c, v->name,
                             deflection(v, TL_PLANES_BY_MOTION, others[o], steps[i], start, 0.005),
                             0, 0);
                worst = fmax(worst,
                             deflection(v, TL_PLANES_NEAREST, others[o], steps[i], start, 0.005));
            }
    context("%s: the nearest planes turn it aside", v->name);
    assert_above(worst, 1);
}

/* A sphere of 1 mm at 100 m/s and a plate of 0.1 mm, straight and aslant, with every step. */
static void plate(const variant *v)
{
    static const double steps[] = {0.001, 1.0 / 200, 0.02};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 20; k++) {
            const double slant = 0.1 * (k % 5), back = steps[i] * 5 * (1 + k);
            tl_settings settings = settings_for(v, steps[i]);
            tl_scene *scene = scene_with(&settings);
            const tl_material material = add_material(scene, 0, 0);
            double x[3];
            set_gravity(scene, 0, 0, 0);
            add_fixed(scene, tl_box_default(5, 5, 5e-5), material, (double[3]){0, 0, 0}, upright);
            const tl_body ball =
                add_sphere(scene, material, 0.001, 0, (double[3]){-slant * back, 0, back},
                           (double[3]){100 * slant, 0, -100});
            tl_world *world = world_of(scene);
            step(world, 2 + (uint32_t)(back / 100 / steps[i]));
            context("%s: a sphere at a plate, h = %g s, slant %g", v->name, steps[i], slant);
            position_of(world, ball, x);
            assert_near(x[2], 0.00105, slack(v, back, 40) + 1e-6);
            tl_world_destroy(world);
        }
}

/* Fifty spheres and boxes thrown over tiles with friction: none falls through, energy never grows,
 * and bits are the same for any number of threads. */
static void thrown(const variant *v)
{
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads < 4; threads++) {
        tl_settings settings = settings_for(v, 1.0 / 200);
        settings.threads = threads;
        settings.solver.iterations = 40;
        tl_scene *scene = scene_with(&settings);
        const tl_material material = add_material(scene, 0.2, 0);
        const tl_shape_def tile = solid_of(scene, BOX, (double[3]){0.25, 0.25, 0.25});
        dice d = {7};
        for (int i = 0; i < 60; i++)
            add_fixed(scene, tile, material,
                      (double[3]){0.5 * (i % 12) - 1, 0.5 * (i / 12) - 1, -0.25}, upright);
        for (int i = 0; i < 50; i++) {
            tl_shape_def shape = i % 2 ? tl_box_default(0.05, 0.05, 0.05) : tl_sphere_default(0.05);
            shape.material = material;
            tl_body_def def =
                body_of(&shape, 1000, (double[3]){0.15 * (i % 10), 0.15 * (i / 10), 0.06}, upright);
            roll3(&d, -1, 1, def.velocity);
            def.velocity[0] += 2;
            add_body(scene, &def);
        }
        tl_world *world = world_of(scene);
        tl_report last = step_report(world, 1);
        double energy = last.kinetic_energy + last.potential_energy;
        for (int i = 0; i < 150; i++) {
            last = step_report(world, 1);
            context("%s: thrown bodies, step %d", v->name, i);
            assert_below(last.kinetic_energy + last.potential_energy,
                         energy + 1e-4 * last.kinetic_energy + 1e-4);
            energy = last.kinetic_energy + last.potential_energy;
            assert_below(last.max_penetration, 0.025);
        }
        if (threads == 1)
            expected = tl_world_hash(world);
        assert_true(tl_world_hash(world) == expected);
        tl_world_destroy(world);
    }
}

/* A pile at rest has the same bits with both, and goes on having them. */
static void at_rest(const variant *v)
{
    tl_settings settings = settings_for(v, 1.0 / 200);
    settings.solver.iterations = 40;
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    for (int i = 0; i < 4; i++)
        add_fixed(scene, tl_box_default(1, 1, 0.5), material,
                  (double[3]){i == 0   ? 1.5
                              : i == 1 ? -1.5
                                       : 0,
                              i == 2   ? 1.5
                              : i == 3 ? -1.5
                                       : 0,
                              0.5},
                  upright);
    for (int i = 0; i < 75; i++)
        add_sphere(scene, material, 0.1, 0,
                   (double[3]){0.21 * (i % 5) - 0.42 + 0.005 * (i / 25), 0.21 * (i / 5 % 5) - 0.42,
                               0.1 + 0.21 * (i / 25)},
                   (double[3]){0, 0, 0});
    tl_world *world = world_of(scene), *other = NULL;
    step(world, 800);
    void *data;
    size_t bytes;
    assert_ok(tl_world_save(world, &data, &bytes));
    assert_ok(tl_world_load(data, bytes, &other));
    tl_snapshot_free(data, bytes);
    settings = tl_world_settings(other);
    assert_int_equal(settings.planes, TL_PLANES_BY_MOTION);
    settings.planes = TL_PLANES_NEAREST;
    assert_ok(tl_world_set_settings(other, &settings));
    for (int i = 0; i < 50; i++) {
        step(world, 1);
        step(other, 1);
        context("%s: a pile at rest, step %d", v->name, i);
        settings.planes = TL_PLANES_BY_MOTION;
        assert_ok(tl_world_set_settings(other, &settings));
        assert_true(tl_world_hash(world) == tl_world_hash(other));
        settings.planes = TL_PLANES_NEAREST;
        assert_ok(tl_world_set_settings(other, &settings));
    }
    tl_world_destroy(world);
    tl_world_destroy(other);
}

#define BOTH(name)                        \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        for_each_precision(name);         \
    }
BOTH(keep_speed)
BOTH(nearest_lose)
BOTH(tessellated)
BOTH(misses)
BOTH(plate)
BOTH(thrown)
BOTH(at_rest)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep_speed),  cmocka_unit_test(test_nearest_lose),
        cmocka_unit_test(test_tessellated), cmocka_unit_test(test_misses),
        cmocka_unit_test(test_plate),       cmocka_unit_test(test_thrown),
        cmocka_unit_test(test_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
