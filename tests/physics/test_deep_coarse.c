/* labels: slow longer */
/* The coarse level of deep heaps: with few sweeps, heaps of hundreds of layers come to rest, the
 * floor carries their weight, and nothing else changes: loads of columns, what walls take, how a
 * heap that is poured comes to lie, energies. */
#include "support.h"

#define R    0.1
#define MASS 8.0

/* A shaft of balls: packed layers, or a grid from which they fall. */
typedef struct shaft {
    int side, layers;
    bool packed;
    double wall;  /* friction */
    double plate; /* weights of a ball: a plate on top; 0: there is none */
    uint64_t seed;
} shaft;

typedef struct filled {
    tl_world *world;
    tl_body floor, plate, *grains;
    size_t count;
} filled;

static void add_walls(tl_scene *scene, tl_material smooth, double width, double depth, double top)
{
    for (int i = 0; i < 4; i++) {
        const double size[3] = {i < 2 ? 1 : width, i < 2 ? depth + 2 : 1, top};
        const double at[3] = {i == 0   ? -1
                              : i == 1 ? width + 1
                                       : 0.5 * width,
                              i == 2   ? -1
                              : i == 3 ? depth + 1
                                       : 0.5 * depth,
                              0.5 * top};
        add_fixed(scene, tl_box_default(size[0], size[1], size[2]), smooth, at,
                  (double[4]){1, 0, 0, 0});
    }
}

static filled fill(const shaft *s, const tl_settings *settings)
{
    const double column = s->packed ? 2.1 * R : 2.2 * R,
                 row = s->packed ? sqrt(0.75) * column : column;
    const double layer = s->packed ? sqrt(4 * R * R - column * column / 3) : column;
    const int rows = s->packed ? (int)ceil(s->side / sqrt(0.75)) : s->side;
    const double width = (s->side + (s->packed ? 0.5 : 0)) * column;
    const double depth = s->packed ? (rows - 1) * row + row / 3 + column : rows * column;
    tl_scene *scene = scene_with(settings);
    const tl_material rough = add_material(scene, 0.5, 0), smooth = add_material(scene, 0, 0);
    filled f = {.floor = add_floor(scene, rough), .count = (size_t)s->side * rows * s->layers};
    dice d = {s->seed};
    assert_ok(tl_scene_set_pair(scene, rough, smooth, &(tl_pair_def){.friction = s->wall}));
    add_walls(scene, smooth, width, depth, (s->layers + 4) * layer);
    f.grains = calloc(f.count, sizeof *f.grains);
    assert_non_null(f.grains);
    for (size_t i = 0; i < f.count; i++) {
        const int at = (int)(i % (size_t)s->side), l = (int)(i / ((size_t)s->side * rows));
        const int r = (int)(i / (size_t)s->side) % rows;
        double x[3] = {(at + 0.5) * column, r * row + 0.5 * column, l * layer + R};
        if (s->packed) {
            x[0] += 0.5 * column * ((r + l) % 2);
            x[1] += row / 3 * (l % 2);
        }
        for (int k = 0; k < 3 && !s->packed; k++)
            x[k] += roll(&d, -0.005, 0.005);
        f.grains[i] = add_sphere(scene, rough, R, MASS, x, (double[3]){0, 0, 0});
    }
    if (s->plate > 0) {
        tl_shape_def shape = tl_box_default(0.5 * width - 0.2 * R, 0.5 * depth - 0.2 * R, 2 * R);
        tl_body_def def = tl_body_default();
        shape.material = rough;
        def.shape_count = 1;
        def.shapes = &shape;
        def.mass = s->plate * MASS;
        def.position[0] = 0.5 * width;
        def.position[1] = 0.5 * depth;
        def.position[2] = (s->layers - 1) * layer + 4 * R;
        f.plate = add_body(scene, &def);
    }
    f.world = world_of(scene);
    return f;
}

static void empty(filled *f)
{
    tl_world_destroy(f->world);
    free(f->grains);
}

static tl_settings few_sweeps(uint32_t coarse)
{
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    settings.solver.iterations = 16;
    settings.solver.position_iterations = 8;
    settings.solver.coarse_layers = coarse;
    return settings;
}

/* What a heap is like after some steps; the load of the floor is off by so much in the mean of the
 * last fifty (the worst of them is chance, with the coarse level: 0.0006 to 0.03 of 400 layers). */
typedef struct outcome {
    tl_report last;
    double off;
} outcome;

static outcome settle(const filled *f, uint32_t steps)
{
    outcome o = {.off = 0};
    step(f->world, steps - 50);
    for (int i = 0; i < 50; i++) {
        o.last = step_report(f->world, 1);
        o.off += fabs(o.last.carried_weight - 1) / 50;
    }
    return o;
}

/* The impulse of the floor on bodies in the last step, from its contacts, over their weight. */
static double floor_load(const filled *f, double h)
{
    size_t count;
    double sum = 0;
    tl_contact *contacts = contacts_of(f->world, &count);
    for (size_t i = 0; i < count; i++)
        if (contacts[i].b.index == f->floor.index)
            sum -= contacts[i].impulse[2];
    free(contacts);
    return sum / ((double)f->count * MASS * G * h);
}

/* Layers that lose their load to the floor's at once fall, swing and overlap with sweeps alone. */
static void stands(const shaft *s, uint32_t steps, double residual, double overlap)
{
    static const claim load = {"200 and 400 layers of balls in a shaft with smooth walls",
                               "equilibrium: their weight", "force on the floor over the weight",
                               "h = 5 ms, 16 + 8 sweeps, after 300 steps from packed layers"};
    const tl_settings with = few_sweeps(64), without = few_sweeps(0);
    context("%d layers", s->layers);
    filled f = fill(s, &with);
    const outcome good = settle(&f, steps);
    assert_true(good.last.coarse_nodes > 0 && good.last.coarse_iterations > 4);
    assert_below(good.last.coarse_change, 5e-3); /* factors are next to 1 */
    assert_below(good.last.residual, residual);
    assert_below(good.last.mean_penetration, overlap * R);
    assert_below(good.off, 0.01);
    assert_found(&load, "psor coulomb, split, mixed", floor_load(&f, with.step), 1, 0.01);
    empty(&f);
    f = fill(s, &without);
    const outcome bad = settle(&f, steps);
    assert_int_equal(bad.last.coarse_nodes, 0);
    assert_above(bad.last.residual, 20 * good.last.residual);
    assert_above(bad.last.mean_penetration, 4 * good.last.mean_penetration);
    assert_above(bad.off, 10 * good.off);
    empty(&f);
}

static void test_stands(void **state)
{
    (void)state;
    stands(&(shaft){.side = 6, .layers = 200, .packed = true}, 300, 1e-4, 0.0015);
    stands(&(shaft){.side = 4, .layers = 400, .packed = true}, 300, 4e-4, 0.004);
}

/* Longer steps of sweeps: a hundred layers by 8 + 6, against the same with the usual ones. */
static void test_longer_steps(void **state)
{
    (void)state;
    const shaft s = {.side = 6, .layers = 100, .packed = true};
    outcome o[2];
    for (int usual = 0; usual < 2; usual++) {
        tl_settings settings = few_sweeps(64);
        settings.solver.iterations = 8;
        settings.solver.position_iterations = 6;
        settings.solver.omega = usual;
        filled f = fill(&s, &settings);
        o[usual] = settle(&f, 300);
        empty(&f);
    }
    assert_below(o[0].off, 1e-4);
    assert_below(o[0].last.mean_penetration, 5e-4 * R);
    assert_true(o[0].last.coarse_nodes > 0 && o[1].last.coarse_nodes > 0);
    assert_below(2 * o[0].last.residual, o[1].last.residual);
    assert_below(2 * o[0].last.mean_penetration, o[1].last.mean_penetration);
    assert_below(2 * o[0].last.kinetic_energy, o[1].last.kinetic_energy);
}

/* Where a plate is after a second, and how fast. */
typedef struct rest {
    outcome heap;
    double height, speed;
} rest;

static rest load(const shaft *s, double h, uint32_t coarse)
{
    tl_settings settings = few_sweeps(coarse);
    settings.step = h;
    filled f = fill(s, &settings);
    double before[3], after[3], speed[3];
    position_of(f.world, f.plate, before);
    rest r = {.heap = settle(&f, (uint32_t)lround(1 / h))};
    position_of(f.world, f.plate, after);
    assert_ok(tl_world_read_velocities(f.world, 1, &f.plate, speed));
    r.height = after[2] - before[2];
    r.speed = fabs(speed[2]);
    empty(&f);
    return r;
}

/* A plate that weighs many grains, on a hundred layers: it stands, and by sweeps alone it sinks
 * into them. Grains that carry N weights each need steps with N g h^2 < R. */
static void plate_stands(int side, double weights, double h, double sinks)
{
    const shaft s = {.side = side, .layers = 100, .packed = true, .plate = weights};
    context("%g weights on layers %d wide", weights, side);
    const rest with = load(&s, h, 64), without = load(&s, h, 0);
    assert_below(with.heap.off, 0.05);
    assert_below(with.speed, 0.02);
    assert_above(with.height, -3 * R); /* its layers come closer when they are loaded */
    assert_below(without.height, -sinks * R);
}

static void test_plate(void **state)
{
    (void)state;
    plate_stands(5, 1e4, 0.005, 10);
    plate_stands(5, 1e5, 0.00125, 10);
    if (is_long()) /* 480 grains per layer: they swing by sweeps alone */
        plate_stands(20, 1e5, 0.005, 2);
}

#define COLUMN 100

/* Balls on top of each other: the contact below ball k carries 100 - k weights. */
static void test_column(void **state)
{
    (void)state;
    tl_settings settings = few_sweeps(64);
    settings.precision = TL_DOUBLE;
    tl_scene *scene = scene_with(&settings);
    const tl_body floor = add_floor(scene, (tl_material){0});
    uint32_t first = 0;
    size_t count;
    for (int k = 0; k < COLUMN; k++) {
        const tl_body ball = add_sphere(scene, (tl_material){0}, R, MASS,
                                        (double[3]){0, 0, R + 2 * R * k}, (double[3]){0, 0, 0});
        first = k ? first : ball.index;
    }
    tl_world *world = world_of(scene);
    assert_true(step_report(world, 400).coarse_nodes > 0);
    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, COLUMN);
    for (size_t i = 0; i < count; i++) {
        const tl_contact *c = &contacts[i];
        const bool above = c->b.index == floor.index || c->a.index > c->b.index;
        const uint32_t k = (above ? c->a.index : c->b.index) - first;
        const double push = (above ? -1 : 1) * c->impulse[2] / (MASS * G * settings.step);
        assert_near(push, COLUMN - (double)k, 0.01);
    }
    free(contacts);
    tl_world_destroy(world);
}

/* What steps make of energy that was not there, over what they dissipate, from the fall of a heap
 * to its rest: few sweeps make some. The momentum that bodies get is what gravity and the floor
 * give. */
static double energy_made(uint32_t coarse)
{
    const shaft s = {.side = 5, .layers = 90, .seed = 3};
    tl_settings settings = few_sweeps(coarse);
    settings.precision = TL_DOUBLE;
    filled f = fill(&s, &settings);
    const double unit = (double)f.count * MASS;
    double *v = calloc(f.count, 3 * sizeof *v), last = 0, made = 0, dissipated = 0;
    uint32_t corrected = 0;
    assert_non_null(v);
    for (int i = 0; i < 300; i++) {
        const tl_report r = step_report(f.world, 1);
        double momentum = 0;
        assert_ok(tl_world_read_velocities(f.world, f.count, f.grains, v));
        for (size_t k = 0; k < f.count; k++)
            momentum += MASS * v[3 * k + 2];
        assert_near(momentum - last, (floor_load(&f, settings.step) - 1) * unit * G * settings.step,
                    1e-9 * unit);
        last = momentum;
        made += fmax(0, dissipated - r.dissipated_energy);
        dissipated = r.dissipated_energy;
        corrected += r.coarse_nodes > 0;
    }
    assert_true(coarse ? corrected > 60 : !corrected);
    free(v);
    empty(&f);
    return made / dissipated;
}

static void test_energy(void **state)
{
    (void)state;
    const double with = energy_made(48), without = energy_made(0);
    assert_below(with, 0.01);
    assert_below(with, without);
}

#define ACROSS 7
#define UP     50
#define FALLEN (ACROSS * ACROSS * UP)

/* How far from the middle grains are, on average, 1.6 s after they were let go as a column. */
static double run_out(uint32_t coarse)
{
    static tl_body grains[FALLEN];
    static double x[FALLEN][3];
    const tl_settings settings = few_sweeps(coarse);
    tl_scene *scene = scene_with(&settings);
    const tl_material rough = add_material(scene, 0.5, 0);
    dice d = {1};
    double sum = 0;
    uint32_t corrected = 0;
    add_floor(scene, rough);
    for (int i = 0; i < FALLEN; i++) {
        const int at[3] = {i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)};
        const double place[3] = {2.1 * R * (at[0] - ACROSS / 2) + roll(&d, -0.002, 0.002),
                                 2.1 * R * (at[1] - ACROSS / 2) + roll(&d, -0.002, 0.002),
                                 R + 2.05 * R * at[2]};
        grains[i] = add_sphere(scene, rough, R, MASS, place, (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    for (int i = 0; i < 320; i++)
        corrected += step_report(world, 1).coarse_nodes > 0;
    assert_true(coarse ? corrected > 150 : !corrected);
    assert_ok(tl_world_read_positions(world, FALLEN, grains, &x[0][0]));
    for (int i = 0; i < FALLEN; i++)
        sum += hypot(x[i][0], x[i][1]);
    tl_world_destroy(world);
    return sum / FALLEN;
}

/* Nothing of a flow changes: a column that falls apart comes as far. */
static void test_run_out(void **state)
{
    static const claim c = {
        "a column of 2,450 balls collapses", "the same by sweeps alone, without the coarse level",
        "mean distance from the middle after 1.6 s, m", "h = 5 ms, 16 + 8 sweeps"};
    (void)state;
    const double without = run_out(0);
    assert_found(&c, "psor coulomb, split, mixed", run_out(4), without, 0.02 * without);
}

/* Two layers on a floor that leans: long along gravity, but not deep. */
static void test_slope(void **state)
{
    (void)state;
    tl_settings settings = few_sweeps(64);
    settings.gravity[0] = 0.42 * G;
    settings.gravity[2] = -0.91 * G;
    tl_scene *scene = scene_with(&settings);
    const tl_material rough = add_material(scene, 0.9, 0);
    add_floor(scene, rough);
    for (int i = 0; i < 1600; i++)
        add_sphere(scene, rough, R, MASS,
                   (double[3]){2 * R * (i / 4), 2 * R * (i % 2), R + 2 * R * (i / 2 % 2)},
                   (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    for (int i = 0; i < 5; i++) {
        const tl_report r = step_report(world, 1);
        assert_true(r.contacts > 1600);
        assert_int_equal(r.coarse_nodes, 0);
    }
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands), cmocka_unit_test(test_longer_steps),
        cmocka_unit_test(test_plate),  cmocka_unit_test(test_column),
        cmocka_unit_test(test_energy), cmocka_unit_test(test_run_out),
        cmocka_unit_test(test_slope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
