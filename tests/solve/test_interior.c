/* labels: longer */
/* The solver interior: its solutions by the definitions, its certificate against the objectives it
 * is of, a corpus of problems within 40 factorizations, and the same bits for any number of
 * threads. test_siconos.c has it against Siconos. */
#include "physics/shapes.h"
#include "solve/cholesky.h"
#include "solve/finish.h"
#include "solve/layout.h"

#include <time.h>

#define STEPS 40 /* factorizations that a certified solution may take */
#define FEWER 35 /* of heaps */
#define GAP   1e-10

static const solver cone = {"interior", TL_INTERIOR, TL_LAW_CONE};
static const solver coulomb = {"interior coulomb", TL_INTERIOR, TL_LAW_COULOMB};

/* ---- Random problems ---- */

static void for_each_problem(tl_precision precision, void (*check)(fixture *, const model *))
{
    const uint32_t sizes[][2] = {{6, 5}, {30, 50}, {80, 200}};
    for (int which = 0; which < FAMILIES; which++)
        for (int size = 0; size < 3; size++)
            for (uint64_t seed = 11; seed <= 13; seed++) {
                model m = model_random(seed, (family)which, sizes[size][0], sizes[size][1]);
                fixture f = fixture_new(&m, precision, false);
                context("%s, %u rows, seed %u", family_names[which], sizes[size][1],
                        (unsigned)seed);
                check(&f, &m);
                fixture_free(&f);
                model_free(&m);
            }
}

/* By how much two solutions' velocities differ. */
static double apart(const model *m, double (*one)[6], double (*two)[6])
{
    double most = 0;
    for (uint32_t i = 0; i < 6 * m->bodies; i++)
        most = fmax(most, fabs(one[i / 6][i % 6] - two[i / 6][i % 6]));
    return most;
}

/* Half the energy of what impulses change, and the dual objective: at a solution they are equal. */
static void objectives(const model *m, const double *gamma, double *primal, double *dual)
{
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    model_velocity(m, gamma, vel);
    *primal = 0;
    for (uint32_t i = 0; i < m->rows; i++) {
        double with[3], without[3], t[3];
        row_velocity(m, i, vel, with, t);
        row_velocity(m, i, m->free, without, t);
        add3(with, -1, without, with);
        *primal += 0.5 * dot3(gamma + 3 * i, with);
    }
    *dual = -model_objective(m, gamma);
    free(vel);
}

static void check_cone_law(fixture *f, const model *m)
{
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma), worst, primal, dual;
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), (*other)[6] = zeros(m->bodies, sizeof *other);
    const tl_solution solution = solve(f, m, &cone, 1e-11, 1, NULL);
    fixture_read(f, m, gamma, vel);
    assert_true(solution.iterations <= STEPS);
    assert_below(solution.gap, GAP);
    assert_below(model_residual(m, gamma, vel, TL_LAW_CONE, &worst), 2e-11);
    model_velocity(m, gamma, other);
    assert_below(apart(m, vel, other), 1e-12);
    objectives(m, gamma, &primal, &dual);
    assert_below(fabs(primal - dual), GAP * primal);
    /* gradients, which share nothing with it, come to the same velocities */
    solve(f, m, &solvers[0], 1e-11, 200000, NULL);
    fixture_read(f, m, gamma, other);
    assert_below(apart(m, vel, other), 1e-8);
    free(gamma);
    free(vel);
    free(other);
}

static void test_cone(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, check_cone_law);
}

/* The gap that is claimed is never less than what the dual objective lacks, also where a tolerance
 * ends it early. */
static void check_loose(fixture *f, const model *m)
{
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma), primal, dual, best;
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    const tl_solution solution = solve(f, m, &cone, 1e-3, 1, NULL);
    fixture_read(f, m, gamma, vel);
    objectives(m, gamma, &primal, &dual);
    solve(f, m, &cone, 1e-12, 1, NULL);
    fixture_read(f, m, gamma, vel);
    objectives(m, gamma, &primal, &best);
    assert_true(best - dual <= solution.gap * primal * (1 + 1e-9) + 1e-14 * primal);
    free(gamma);
    free(vel);
}

static void test_loose(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, check_loose);
}

/* The gap of impulses with velocities of their own, for impulses that gradients have not finished:
 * it is never less than what the dual objective lacks, and near to it somewhere. */
static double most_of_lack;

static void check_apart(fixture *f, const model *m)
{
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma), primal, dual, best, gap;
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    tl_array wishes = {.item = sizeof(tl_wish)};
    solve(f, m, &cone, 1e-12, 1, NULL);
    fixture_read(f, m, gamma, vel);
    objectives(m, gamma, &primal, &best);
    for (uint32_t steps = 10; steps <= 1000; steps *= 10) {
        solve(f, m, &solvers[0], 1e-9, steps, NULL);
        fixture_read(f, m, gamma, vel);
        objectives(m, gamma, &primal, &dual);
        tlk_problem view = f->problem.view;
        tl_system s = {.view = &view};
        view.vel = (void *)view.free;
        assert_ok(tl_system_arrange(f->backend, &s, INFINITY));
        assert_ok(tl_system_load(f->backend, &s));
        assert_ok(tl_array_resize(&wishes, s.touches.count));
        tl_wish *wish = wishes.data;
        memset(wish, 0, s.touches.count * sizeof *wish);
        for (size_t i = 0; i < s.touches.count; i++)
            memcpy(wish[i].hat, ((const tl_touch *)s.touches.data)[i].start, sizeof wish->hat);
        tl_wish_apply(&s, wish);
        const tl_certificate plain = tl_certify(&s, wish, false);
        assert_ok(tl_certify_apart(&s, wish, 1, 1e4, &gap));
        most_of_lack = fmax(most_of_lack, (best - dual) / (gap * primal + 1e-13 * primal));
        assert_true(best - dual <= gap * primal * (1 + 1e-9) + 1e-13 * primal);
        assert_true(best - dual <= plain.gap * primal * (1 + 1e-9) + 1e-13 * primal);
        tl_system_free(&s);
    }
    tl_array_free(&wishes);
    free(gamma);
    free(vel);
}

static void test_apart(void **state)
{
    (void)state;
    most_of_lack = 0;
    for_each_problem(TL_DOUBLE, check_apart);
    print_message("what is lacking is at most %.3f of the bound\n", most_of_lack);
    assert_above(most_of_lack, 0.1);
}

/* Where the fixed point ends short of the solution, as it may, the residual says so. */
static uint32_t short_of_it;

static void check_coulomb_law(fixture *f, const model *m)
{
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma), worst;
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), (*other)[6] = zeros(m->bodies, sizeof *other);
    const tl_solution solution = solve(f, m, &coulomb, 1e-11, 1, NULL);
    fixture_read(f, m, gamma, vel);
    const double residual = model_residual(m, gamma, vel, TL_LAW_COULOMB, &worst);
    assert_near(solution.residual, residual, 1e-12);
    assert_below(residual, 1e-2);
    short_of_it += residual > 1e-10;
    solve(f, m, &solvers[COULOMB_APGD], 1e-11, 200000, NULL);
    fixture_read(f, m, gamma, other);
    if (residual <= 1e-10)
        assert_below(apart(m, vel, other), 1e-8);
    free(gamma);
    free(vel);
    free(other);
}

static void test_coulomb(void **state)
{
    (void)state;
    short_of_it = 0;
    for_each_problem(TL_DOUBLE, check_coulomb_law);
    print_message("Coulomb's law: %u of 27 short of 1e-10 m/s\n", short_of_it);
    assert_true(short_of_it <= 3);
}

/* 32-bit numbers keep what they can of it. */
static void check_mixed(fixture *f, const model *m)
{
    const tl_solution solution = solve(f, m, &cone, 1e-11, 1, NULL);
    assert_below(solution.gap, GAP);
    assert_below(solution.residual, 3e-6);
}

static void test_mixed(void **state)
{
    (void)state;
    for_each_problem(TL_MIXED, check_mixed);
}

/* ---- The corpus ---- */

static tl_scene *ground(tl_material *material, double friction)
{
    tl_settings settings = tl_settings_default();
    settings.precision = TL_DOUBLE;
    settings.threads = 2;
    tl_scene *scene = scene_with(&settings);
    *material = add_material(scene, friction, 0);
    add_floor(scene, *material);
    return scene;
}

/* Balls on top of each other; every second one is so much heavier. */
static tl_world *column(uint32_t count, double ratio)
{
    tl_material material;
    tl_scene *scene = ground(&material, 0.5);
    for (uint32_t i = 0; i < count; i++)
        add_sphere(scene, material, 0.1, i % 2 ? ratio : 1, (double[3]){0, 0, 0.1 + 0.2 * i},
                   (double[3]){0, 0, 0});
    return world_of(scene);
}

/* Balls between two planes that lean on them: any number of pairs of impulses hold them. */
static tl_world *wedges(uint32_t count)
{
    tl_material material;
    tl_scene *scene = ground(&material, 0.8);
    const double lean = 1.3, r = 0.1;
    for (int side = -1; side <= 1; side += 2) {
        double q[4];
        turn((double[3]){0, 1, 0}, side * lean, q);
        add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0}, q);
    }
    for (uint32_t i = 0; i < count; i++)
        add_sphere(scene, material, r, 0, (double[3]){0, 0.2 * i, r / cos(lean)},
                   (double[3]){0, 0, 0});
    return world_of(scene);
}

/* A tower of bricks, four points each, with a load on top: over-determined and slender. */
static tl_world *tower(uint32_t count, double load)
{
    tl_material material;
    tl_scene *scene = ground(&material, 0.6);
    for (uint32_t i = 0; i < count; i++)
        add_block(scene, material, (double[3]){0.1, 0.05, 0.1},
                  (double[3]){0.002 * (i % 2), 0, 0.1 + 0.2 * i}, upright);
    add_sphere(scene, material, 0.1, load, (double[3]){0, 0, 0.2 * count + 0.1},
               (double[3]){0, 0, 0});
    return world_of(scene);
}

/* Half a ring of wedge-shaped bricks: blocks on a circle, whose joints are nearly closed. */
static tl_world *arch(uint32_t count)
{
    tl_material material;
    tl_scene *scene = ground(&material, 0.7);
    const double radius = 1, half = radius * tan(0.5 * M_PI / count), thick = 0.15;
    for (uint32_t i = 0; i < count; i++) {
        const double angle = M_PI * (i + 0.5) / count;
        double q[4];
        turn((double[3]){0, 1, 0}, -angle, q);
        add_block(scene, material, (double[3]){thick, 0.1, half},
                  (double[3]){radius * cos(angle), 0, radius * sin(angle)}, q);
    }
    return world_of(scene);
}

static tl_world *heap(size_t bodies, uint32_t layers, uint32_t steps)
{
    pile_options options = pile_default();
    tl_scene *scene = NULL;
    options.bodies = bodies;
    options.layers = layers;
    options.packed = true;
    options.settings.precision = TL_DOUBLE;
    options.settings.threads = 2;
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    step(world, steps);
    return world;
}

/* The next step's problem of a world, certified. */
static void certify(tl_world *world, const char *name, uint32_t most, double gap)
{
    const tl_problem start = next_problem(world, TL_INTERIOR, TL_LAW_CONE);
    const tl_solver_def def = solver_def(&cone, 0);
    tl_problem problem = start;
    tl_solution solution;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_ok(tl_solve(world->backend, &world->workspace, &problem, &def, 1, &solution));
    clock_gettime(CLOCK_MONOTONIC, &to);
    print_message(
        "| %s | %u | %u | %.1e | %.1e | %.1f |\n", name, world->contacts[1 - world->current].count,
        solution.iterations, solution.gap, solution.residual,
        1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec));
    context("%s", name);
    assert_true(solution.iterations <= most);
    assert_below(solution.gap, gap);
    tl_world_destroy(world);
}

static void test_corpus(void **state)
{
    (void)state;
    print_message("| problem | contacts | factorizations | gap | residual, m/s | ms |\n");
    certify(column(20, 1), "column of 20", STEPS, GAP);
    certify(column(200, 1), "column of 200", STEPS, GAP);
    /* balls of 1 kg carry 2.5e7 kg: impulses have no digits left for their velocities, which have
     * digits of their own in the certificate */
    certify(column(50, 1e6), "column of 50, masses 1 and 1e6", STEPS, GAP);
    certify(wedges(10), "10 balls in a wedge", STEPS, GAP);
    certify(tower(20, 1), "tower of 20 bricks", STEPS, GAP);
    certify(tower(60, 1e4), "tower of 60 bricks under 1e4 kg", STEPS, GAP);
    certify(arch(15), "arch of 15 bricks", STEPS, GAP);
    certify(heap(400, 20, 2), "heap of 20 layers", FEWER, GAP);
    if (WATCHED) /* a sanitizer has seen all of it by now */
        return;
    certify(heap(1000, 100, 2), "heap of 100 layers", FEWER, GAP);
    certify(heap(2000, 400, 2), "heap of 400 layers", FEWER, GAP);
    if (!getenv("TALUS_LONG"))
        return;
    certify(heap(4000, 20, 2), "heap of 4,000, 20 layers", FEWER, GAP);
    certify(heap(17000, 400, 2), "heap of 17,000, 400 layers", FEWER, GAP);
    certify(heap(17000, 24, 2), "heap of 17,000, 24 layers", FEWER, GAP);
}

/* ---- Materials ---- */

/* Compliance, cohesion and moving surfaces: what the certificate's own residual is zero of, the
 * kernels' is too, under both laws. */
static void test_materials(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++) {
        tl_world *world = heap(60, 4, 2);
        give_laws(world, false);
        step(world, 5);
        tl_problem problem = next_problem(world, TL_INTERIOR, law ? TL_LAW_COULOMB : TL_LAW_CONE);
        const tl_solver_def def = solver_def(law ? &coulomb : &cone, 1e-12);
        tl_solution solution;
        double rms, worst;
        context("materials, law %d", law);
        assert_non_null(problem.view.material);
        assert_ok(tl_residual(world->backend, &problem, &rms, &worst));
        assert_above(worst, 1e-4);
        assert_ok(tl_solve(world->backend, &world->workspace, &problem, &def, 1, &solution));
        assert_ok(tl_residual(world->backend, &problem, &rms, &worst));
        assert_below(worst, 1e-10);
        assert_near(solution.residual, rms, 0);
        assert_below(solution.gap, GAP);
        tl_world_destroy(world);
    }
}

/* What it has no rows for is refused by name. */
static void test_refusals(void **state)
{
    (void)state;
    tl_world *world = heap(60, 4, 2);
    tl_settings settings = tl_world_settings(world);
    give_laws(world, true);
    settings.solver.kind = TL_INTERIOR;
    assert_refused(tl_world_set_settings(world, &settings), TL_BAD_ARGUMENT,
                   "settings.solver.kind is interior; it must be psor where materials have rolling "
                   "or spinning friction");
    tl_world_destroy(world);
}

/* ---- Threads and factors ---- */

/* The same bits for any number of threads, in a problem large enough for them to share. */
static void test_threads(void **state)
{
    (void)state;
    double *gamma[3] = {NULL};
    size_t numbers = 0;
    context("threads");
    for (uint32_t threads = 1; threads <= 3; threads++) {
        tl_world *world = heap(1500, 15, 0);
        world->backend->ops->threads(world->backend, threads);
        tl_problem problem = next_problem(world, TL_INTERIOR, TL_LAW_CONE);
        const tl_solver_def def = solver_def(&cone, 0);
        tl_solution solution;
        assert_ok(tl_solve(world->backend, &world->workspace, &problem, &def, 1, &solution));
        numbers = 3 * (size_t)problem.view.rows;
        gamma[threads - 1] = zeros(numbers, sizeof **gamma);
        for (uint32_t i = 0; i < numbers; i++) /* rows of the padding have nothing */
            if (problem.view.a[i / 3] != TLK_NONE)
                gamma[threads - 1][i] =
                    get(world->backend, problem.view.gamma, packet_at(i / 3, i % 3, 3));
        tl_world_destroy(world);
    }
    for (int k = 1; k < 3; k++)
        assert_memory_equal(gamma[k], gamma[0], numbers * sizeof **gamma);
    for (int k = 0; k < 3; k++)
        free(gamma[k]);
}

/* Where factors may not be made, conjugate gradients take their place: the same velocities, to the
 * digits that they leave. */
static void check_iterated(fixture *f, const model *m)
{
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma);
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), (*other)[6] = zeros(m->bodies, sizeof *other);
    solve(f, m, &cone, 1e-11, 1, NULL);
    fixture_read(f, m, gamma, vel);
    f->workspace.factor_work = 1;
    const tl_solution solution = solve(f, m, &cone, 0, 1, NULL);
    fixture_read(f, m, gamma, other);
    assert_below(solution.gap, 1e-9);
    assert_below(apart(m, vel, other), 1e-6);
    if (m->rows >= 50) /* another way was taken */
        assert_true(memcmp(vel, other, m->bodies * sizeof *vel) != 0);
    free(gamma);
    free(vel);
    free(other);
}

static void test_iterated(void **state)
{
    (void)state;
    for_each_problem(TL_DOUBLE, check_iterated);
    tl_world *world = heap(100, 8, 2);
    world->workspace.factor_work = 1;
    certify(world, "heap of 8 layers, by conjugate gradients", STEPS, GAP);
}

/* A cube of nodes, which is dissected: less work than the profile's, and A x = b. */
static void test_dissected(void **state)
{
    (void)state;
    enum { SIDE = 9, NODES = SIDE * SIDE * SIDE };
    uint32_t(*edges)[2] = zeros((size_t)3 * NODES, sizeof *edges), count = 0;
    double *x = zeros((size_t)6 * NODES, sizeof *x), *b = zeros((size_t)6 * NODES, sizeof *b);
    double own[6][6], across[6][6];
    dice d = {5};
    tl_cholesky c;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        const uint32_t next[3] = {1, SIDE, SIDE * SIDE};
        for (int k = 0; k < 3; k++)
            if (at[k] + 1 < SIDE) {
                edges[count][0] = i;
                edges[count++][1] = i + next[k];
            }
    }
    for (int k = 0; k < 36; k++) {
        own[k / 6][k % 6] = k / 6 == k % 6 ? 20 : 0.5;
        across[k / 6][k % 6] = roll(&d, -0.5, 0.5);
    }
    assert_ok(tl_cholesky_make(&c, NODES, (const uint32_t(*)[2])edges, count, INFINITY));
    /* in the order of their numbers each row would reach SIDE^2 nodes on */
    assert_below(c.work, 0.7 * 3 * NODES * 36.0 * SIDE * SIDE * SIDE * SIDE);
    assert_ok(tl_cholesky_clear(&c));
    for (uint32_t i = 0; i < NODES; i++)
        tl_cholesky_add(&c, i, i, (const double(*)[6])own);
    for (uint32_t e = 0; e < count; e++)
        tl_cholesky_add(&c, edges[e][0], edges[e][1], (const double(*)[6])across);
    for (int i = 0; i < 6 * NODES; i++)
        x[i] = b[i] = roll(&d, -1, 1);
    assert_true(tl_cholesky_factor(&c, NULL));
    tl_cholesky_solve(&c, x);
    for (int i = 0; i < 6 * NODES; i++)
        for (int k = 0; k < 6; k++)
            b[i] -= own[i % 6][k] * x[i / 6 * 6 + k];
    for (uint32_t e = 0; e < count; e++)
        for (int k = 0; k < 36; k++) {
            b[6 * edges[e][0] + k / 6] -= across[k / 6][k % 6] * x[6 * edges[e][1] + k % 6];
            b[6 * edges[e][1] + k % 6] -= across[k / 6][k % 6] * x[6 * edges[e][0] + k / 6];
        }
    for (int i = 0; i < 6 * NODES; i++)
        assert_below(fabs(b[i]), 1e-13);
    /* more than is allowed is not laid out */
    tl_cholesky_free(&c);
    assert_ok(tl_cholesky_make(&c, NODES, (const uint32_t(*)[2])edges, count, 1e6));
    assert_true(c.pieces == 0 && c.work > 1e6);
    tl_cholesky_free(&c);
    free(edges);
    free(x);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cone),      cmocka_unit_test(test_loose),
        cmocka_unit_test(test_apart),     cmocka_unit_test(test_coulomb),
        cmocka_unit_test(test_mixed),     cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_materials), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_dissected),
        cmocka_unit_test(test_iterated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
