/* labels: slow longer */
/* What the coarse level of deep heaps does to what is measured of grains: nothing that statistics
 * can tell. Outflow, wall pressure, packing, run-out, slope and the depth of a crater are means
 * over seeds, by few sweeps with the coarse level and without it, and by so many that they need
 * none. */
#include "support.h"

#define R    0.1
#define D    (2 * R)
#define MASS 8.0
#define H    0.005
#define MOST 2 /* quantities of an experiment */

/* How problems are solved. */
typedef struct way {
    const char *name;
    uint32_t sweeps, positions, coarse;
    double tolerance; /* m/s: where fewer sweeps will do */
} way;

static const way with = {"16 + 8 sweeps with the coarse level", 16, 8, 4, 0},
                 without = {"16 + 8 sweeps", 16, 8, 0, 0},
                 most = {"4,096 + 32 sweeps, or down to 1e-5 m/s", 4096, 32, 0, 1e-5},
                 many = {"512 + 32 sweeps, or down to 1e-5 m/s", 512, 32, 0, 1e-5},
                 some = {"128 + 16 sweeps", 128, 16, 0, 0};

static tl_settings solved_by(const way *w)
{
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    settings.step = H;
    settings.solver.iterations = w->sweeps;
    settings.solver.position_iterations = w->positions;
    settings.solver.coarse_layers = w->coarse;
    settings.solver.tolerance = w->tolerance;
    return settings;
}

/* A shaft with a flat floor, which may have a slot; grains fall into it from a grid. */
typedef struct shaft {
    int wide, deep, layers;
    double slot; /* m, of the floor, along y; 0: none */
    double wall; /* friction of the walls across x; the others have that of `side` */
    double side;
    bool lifted; /* walls are prescribed, and may move */
} shaft;

typedef struct filled {
    tl_world *world;
    tl_body floor, plug, walls, *grains;
    size_t count;
    double width, depth;
} filled;

static tl_shape_def slab(double x, double y, double z, double hx, double hy, double hz,
                         tl_material material)
{
    tl_shape_def shape = tl_box_default(hx, hy, hz);
    shape.position[0] = x;
    shape.position[1] = y;
    shape.position[2] = z;
    shape.material = material;
    return shape;
}

static tl_body add_slabs(tl_scene *scene, size_t count, const tl_shape_def *shapes,
                         tl_body_kind kind)
{
    tl_body_def def = tl_body_default();
    def.kind = kind;
    def.shape_count = count;
    def.shapes = shapes;
    return add_body(scene, &def);
}

static void add_shaft(tl_scene *scene, const shaft *s, tl_material rough, filled *f)
{
    const tl_material across = add_material(scene, s->wall, 0),
                      along = add_material(scene, s->side, 0);
    const double x = 0.5 * f->width, y = 0.5 * f->depth, top = 2.4 * R * s->layers;
    const double ledge = 0.5 * (f->width - s->slot), low = -4;
    const tl_shape_def walls[] = {
        slab(-0.5, y, 0.5 * (top + low), 0.5, y + 1, 0.5 * (top - low), across),
        slab(f->width + 0.5, y, 0.5 * (top + low), 0.5, y + 1, 0.5 * (top - low), across),
        slab(x, -0.5, 0.5 * (top + low), x, 0.5, 0.5 * (top - low), along),
        slab(x, f->depth + 0.5, 0.5 * (top + low), x, 0.5, 0.5 * (top - low), along)};
    const tl_shape_def floor[] = {
        slab(0.5 * ledge - 0.5, y, -0.5, 0.5 * ledge + 0.5, y + 1, 0.5, rough),
        slab(f->width - 0.5 * ledge + 0.5, y, -0.5, 0.5 * ledge + 0.5, y + 1, 0.5, rough)};
    const tl_shape_def plug = slab(x, y, -0.5, 0.5 * s->slot, y + 1, 0.5, rough);
    assert_ok(tl_scene_set_pair(scene, rough, across, &(tl_pair_def){.friction = s->wall}));
    assert_ok(tl_scene_set_pair(scene, rough, along, &(tl_pair_def){.friction = s->side}));
    f->walls = add_slabs(scene, 4, walls, s->lifted ? TL_PRESCRIBED : TL_FIXED);
    f->floor = add_slabs(scene, 2, floor, TL_FIXED);
    if (s->slot > 0)
        f->plug = add_slabs(scene, 1, &plug, TL_FIXED);
}

static filled fill(const shaft *s, const way *w, uint64_t seed)
{
    const tl_settings settings = solved_by(w);
    const double grid = 2.1 * R;
    filled f = {.count = (size_t)s->wide * s->deep * s->layers,
                .width = s->wide * grid,
                .depth = s->deep * grid};
    tl_scene *scene = scene_with(&settings);
    const tl_material rough = add_material(scene, 0.5, 0);
    dice d = {seed};
    add_shaft(scene, s, rough, &f);
    f.grains = calloc(f.count, sizeof *f.grains);
    assert_non_null(f.grains);
    for (size_t i = 0; i < f.count; i++) {
        const size_t at[3] = {i % s->wide, i / s->wide % s->deep, i / (s->wide * s->deep)};
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (at[k] + 0.5) * grid + roll(&d, -0.005, 0.005);
        f.grains[i] = add_sphere(scene, rough, R, MASS, x, (double[3]){0, 0, 0});
    }
    f.world = world_of(scene);
    return f;
}

static void empty(filled *f)
{
    tl_world_destroy(f->world);
    free(f->grains);
}

static void solve_by(const filled *f, const way *w)
{
    const tl_settings settings = solved_by(w);
    assert_ok(tl_world_set_settings(f->world, &settings));
}

/* Takes out grains that have left; those that stay keep their order. */
static void drain(filled *f, double *x)
{
    size_t kept = 0;
    assert_ok(tl_world_read_positions(f->world, f->count, f->grains, x));
    for (size_t i = 0; i < f->count; i++) {
        if (x[3 * i + 2] < -D)
            assert_ok(tl_world_remove_bodies(f->world, 1, &f->grains[i]));
        else {
            memmove(x + 3 * kept, x + 3 * i, 3 * sizeof *x);
            f->grains[kept++] = f->grains[i];
        }
    }
    f->count = kept;
}

/* Outflow: grains per second through a slot of the floor. */
static void outflow(const way *w, uint64_t seed, double *out)
{
    const shaft s = {.wide = 14, .deep = 4, .layers = 40, .slot = 6 * D, .wall = 0.5};
    filled f = fill(&s, &with, seed);
    const size_t first = f.count * 85 / 100, last = f.count * 40 / 100;
    double *x = calloc(f.count, 3 * sizeof *x), begin = 0, end = 0;
    assert_non_null(x);
    step(f.world, 120);
    solve_by(&f, w);
    assert_ok(tl_world_remove_bodies(f.world, 1, &f.plug));
    for (size_t before = f.count; end == 0; before = f.count) {
        step(f.world, 1);
        drain(&f, x);
        const double t = tl_world_time(f.world);
        assert_true(t < 30);
        if (before > first && f.count <= first)
            begin = t - H * (double)(first - f.count) / (double)(before - f.count);
        if (before > last && f.count <= last)
            end = t - H * (double)(last - f.count) / (double)(before - f.count);
    }
    out[0] = (double)(first - last) / (end - begin);
    free(x);
    empty(&f);
}

/* Janssen's silo: what presses on walls that slide up, so that all of their friction is there, and
 * what is left for the floor; both over the weight. */
static void silo(const way *w, uint64_t seed, double *out)
{
    const shaft s = {.wide = 5, .deep = 5, .layers = 50, .wall = 0.5, .side = 0.5, .lifted = true};
    const int count = 300;
    filled f = fill(&s, &with, seed);
    const double weight = (double)f.count * MASS * G * H * count;
    tl_motion_def up = tl_motion_default();
    up.velocity[2] = 0.25;
    step(f.world, 150);
    assert_ok(tl_world_set_motion(f.world, f.walls, &up));
    step(f.world, 100);
    solve_by(&f, w);
    step(f.world, 10);
    for (int i = 0; i < count; i++) {
        size_t contacts;
        step(f.world, 1);
        tl_contact *c = contacts_of(f.world, &contacts);
        for (size_t k = 0; k < contacts; k++) {
            if (c[k].b.index == f.walls.index)
                out[0] += dot3(c[k].impulse, c[k].normal) / weight;
            if (c[k].b.index == f.floor.index)
                out[1] -= c[k].impulse[2] / weight;
        }
        free(c);
    }
    empty(&f);
}

/* Packing: how high the mean grain lies that fell into a shaft. */
static void packing(const way *w, uint64_t seed, double *out)
{
    const shaft s = {.wide = 5, .deep = 5, .layers = 60, .wall = 0.5, .side = 0.5};
    filled f = fill(&s, w, seed);
    double *x = calloc(f.count, 3 * sizeof *x);
    assert_non_null(x);
    step(f.world, 200);
    assert_ok(tl_world_read_positions(f.world, f.count, f.grains, x));
    for (size_t i = 0; i < f.count; i++)
        out[0] += x[3 * i + 2] / (double)f.count;
    free(x);
    empty(&f);
}

/* A column that collapses: how far from the middle grains are, and the slope of the heap, of a cone
 * with such means. */
static void collapse(const way *w, uint64_t seed, double *out)
{
    enum { ACROSS = 6, UP = 36, COUNT = ACROSS * ACROSS * UP };
    const tl_settings settings = solved_by(w);
    tl_scene *scene = scene_with(&settings);
    const tl_material rough = add_material(scene, 0.5, 0);
    tl_body *grains = calloc(COUNT, sizeof *grains);
    double *x = calloc(COUNT, 3 * sizeof *x), far = 0, high = 0;
    dice d = {seed};
    assert_true(grains && x);
    add_floor(scene, rough);
    for (int i = 0; i < COUNT; i++) {
        const int at[3] = {i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)};
        const double place[3] = {2.1 * R * (at[0] - 0.5 * (ACROSS - 1)) + roll(&d, -0.004, 0.004),
                                 2.1 * R * (at[1] - 0.5 * (ACROSS - 1)) + roll(&d, -0.004, 0.004),
                                 R + 2.05 * R * at[2]};
        grains[i] = add_sphere(scene, rough, R, MASS, place, (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    step(world, 260);
    assert_ok(tl_world_read_positions(world, COUNT, grains, x));
    for (int i = 0; i < COUNT; i++) {
        far += hypot(x[3 * i], x[3 * i + 1]) / COUNT;
        high += x[3 * i + 2] / COUNT;
    }
    out[0] = far;
    out[1] = 2 * high / far;
    tl_world_destroy(world);
    free(grains);
    free(x);
}

/* A heavy ball that falls on a hundred layers: how deep it is half a second later. */
static void crater(const way *w, uint64_t seed, double *out)
{
    const shaft s = {.wide = 6, .deep = 6, .layers = 100, .wall = 0.5, .side = 0.5};
    filled f = fill(&s, &with, seed);
    double *x = calloc(f.count, 3 * sizeof *x), top = 0, at[3];
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_sphere_default(2 * D);
    tl_body ball;
    assert_non_null(x);
    step(f.world, 250);
    assert_ok(tl_world_read_positions(f.world, f.count, f.grains, x));
    for (size_t i = 0; i < f.count; i++)
        top += 2 * x[3 * i + 2] / (double)f.count;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 100 * MASS;
    def.position[0] = 0.5 * f.width;
    def.position[1] = 0.5 * f.depth;
    def.position[2] = top + 3 * D;
    def.velocity[2] = -8;
    assert_ok(tl_world_add_bodies(f.world, 1, &def, &ball));
    solve_by(&f, w);
    step(f.world, 100);
    position_of(f.world, ball, at);
    out[0] = top + 2 * D - at[2];
    free(x);
    empty(&f);
}

/* ---- Means over seeds ---- */

typedef struct experiment {
    const char *name, *quantity[MOST];
    double limit[MOST]; /* of the mean: what it may be off by */
    void (*run)(const way *w, uint64_t seed, double *out);
    const way *reference[2]; /* in the short form, and in the long one */
    uint64_t seeds[2];       /* two tell little of what chance does */
} experiment;

static const experiment experiments[] = {
    {"a silo whose walls slide",
     {"force on the walls, of the weight", "load of the floor, of the weight"},
     {0.03, 0.05},
     silo,
     {&some, &most},
     {2, 5}},
    {"grains leave through a slot of six diameters",
     {"grains per second"},
     {0.01},
     outflow,
     {&some, &many},
     {0, 24}},
    {"grains fall into a shaft", {"mean height, m"}, {0.003}, packing, {&some, &many}, {2, 24}},
    {"a column collapses",
     {"mean distance from the middle after 1.3 s, m", "slope of the heap"},
     {0.01, 0.01},
     collapse,
     {&some, &many},
     {6, 12}},
    {"a ball of 100 grains' weight falls on 100 layers at 8 m/s",
     {"depth after 0.5 s, m"},
     {0.03},
     crater,
     {&some, &many},
     {0, 6}},
};

typedef struct sample {
    double mean[MOST], error[MOST]; /* of the mean */
} sample;

static sample measure(const experiment *e, const way *w, uint64_t seeds)
{
    sample s = {{0}, {0}};
    double square[MOST] = {0};
    for (uint64_t i = 0; i < seeds; i++) {
        double out[MOST] = {0};
        e->run(w, i + 1, out);
        for (int k = 0; k < MOST; k++) {
            s.mean[k] += out[k] / (double)seeds;
            square[k] += out[k] * out[k] / (double)seeds;
        }
    }
    for (int k = 0; k < MOST; k++)
        s.error[k] = sqrt(fmax(0, square[k] - s.mean[k] * s.mean[k]) / (double)(seeds - 1));
    return s;
}

/* What two means differ by, and what chance makes of that, over the second. */
static double off(const sample *a, const sample *b, int k, double *chance)
{
    *chance = hypot(a->error[k], b->error[k]) / b->mean[k];
    return a->mean[k] / b->mean[k] - 1;
}

static void compare(const experiment *e)
{
    const uint64_t seeds = e->seeds[is_long()];
    if (!seeds)
        return;
    const sample a = measure(e, &with, seeds), b = measure(e, &without, seeds),
                 c = measure(e, e->reference[is_long()], seeds);
    for (int k = 0; k < MOST && e->quantity[k]; k++) {
        double chance, other;
        const double found = off(&a, &c, k, &chance), plain = off(&b, &c, k, &other);
        print_message("| %s: %s | %s: %.4g | %.4g | %+.2f +- %.2f %% | %.4g | %+.2f +- %.2f %% |\n",
                      e->name, e->quantity[k], e->reference[is_long()]->name, c.mean[k], b.mean[k],
                      100 * plain, 100 * other, a.mean[k], 100 * found, 100 * chance);
        context("%s: %s", e->name, e->quantity[k]);
        assert_below(fabs(found), e->limit[k] + 2.5 * chance);
    }
}

static void test_experiments(void **state)
{
    (void)state;
    print_message("| what | many sweeps | %s | off by | %s | off by |\n", without.name, with.name);
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        compare(&experiments[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_experiments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
