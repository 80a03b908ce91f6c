/* The coarse level of deep heaps, on the problems of worlds: its matrix and vector against dense
 * products, made a second time from the contacts; that the objective never grows; and that
 * impulses, in their cones, and velocities belong together. And the longer steps of sweeps there.
 */
#include "solve/layout.h"

/* A problem, solved by some sweeps, before and after one correction. */
typedef struct corrected {
    tl_problem problem;
    model m;
    uint32_t *place, nodes;
    double *before, *after, (*vel_before)[6], (*vel)[6];
} corrected;

static void read_state(const tl_world *world, const corrected *c, double *gamma, double (*vel)[6])
{
    for (uint32_t i = 0; i < 3 * c->m.rows; i++)
        gamma[i] = get(world->backend, c->problem.view.gamma, packet_at(c->place[i / 3], i % 3, 3));
    for (uint32_t i = 0; i < 6 * c->m.bodies; i++)
        vel[i / 6][i % 6] =
            get(world->backend, c->problem.view.vel, 8 * (size_t)(i / 6) + i % 6 + i % 6 / 3);
}

static corrected correct_once(tl_world *world, tl_law law, uint32_t sweeps)
{
    corrected c = {.problem = next_problem(world, TL_PSOR, law)};
    const tl_solver_def def = {.kind = TL_PSOR, .law = law};
    tl_solution solution;
    const tl_coarse_lattice lattice = c.problem.lattice;
    assert_true(lattice.cells[0] > 0);
    c.m = model_recorded(world, &c.problem, &c.place);
    c.before = zeros(3 * (size_t)c.m.rows, sizeof *c.before);
    c.after = zeros(3 * (size_t)c.m.rows, sizeof *c.after);
    c.vel_before = zeros(c.m.bodies, sizeof *c.vel_before);
    c.vel = zeros(c.m.bodies, sizeof *c.vel);
    c.problem.lattice = (tl_coarse_lattice){.spacing = 0};
    assert_ok(tl_solve(world->backend, &world->workspace, &c.problem, &def, sweeps, &solution));
    read_state(world, &c, c.before, c.vel_before);
    c.problem.lattice = lattice;
    assert_ok(tl_coarse_correct(world->backend, &world->workspace, &c.problem, &c.problem.view));
    read_state(world, &c, c.after, c.vel);
    c.nodes = world->workspace.coarse.nodes;
    return c;
}

static void corrected_free(corrected *c)
{
    model_free(&c->m);
    free(c->place);
    free(c->before);
    free(c->after);
    free(c->vel_before);
    free(c->vel);
}

/* The hat function of a node at a point, and its gradient, from the distance on each axis alone. */
static void hat_at(const tl_coarse_lattice *l, uint32_t node, const double *x, double hat[4])
{
    double w[3], g[3];
    for (int k = 0; k < 3; k++) {
        const uint32_t side = l->cells[k] + 1;
        const double s = (x[k] - l->origin[k]) / l->spacing - node % side;
        node /= side;
        w[k] = fmax(0, 1 - fabs(s));
        g[k] = fabs(s) < 1 ? (s < 0 ? 1 : -1) / l->spacing : 0;
    }
    hat[0] = w[0] * w[1] * w[2];
    hat[1] = g[0] * w[1] * w[2];
    hat[2] = w[0] * g[1] * w[2];
    hat[3] = w[0] * w[1] * g[2];
}

/* What node k does to body i: by the hat function and its gradient at the body's centre; and, as
 * `exact`, at the contact points. */
static void node_force(const tl_world *world, const corrected *c, uint32_t k, uint32_t i,
                       bool exact, double f[3])
{
    const double *pos = world->pos.data;
    double hat[4];
    f[0] = f[1] = f[2] = 0;
    hat_at(&c->problem.lattice, k, pos + 4 * (size_t)i, hat);
    for (uint32_t row = 0; row < c->m.rows; row++) {
        const model_row *r = &c->m.row[row];
        for (int side = 0; side < 2; side++) {
            if ((side ? r->b : r->a) != i)
                continue;
            const double *anchor = r->anchor[side];
            double weight = hat[0] + hat[1] * anchor[0] + hat[2] * anchor[1] + hat[3] * anchor[2],
                   x[3], at[4];
            for (int d = 0; d < 3; d++)
                x[d] = pos[4 * (size_t)i + d] + anchor[d];
            hat_at(&c->problem.lattice, k, x, at);
            weight = exact ? at[0] : weight;
            for (int d = 0; d < 3; d++)
                f[d] += (side ? 1 : -1) * weight * c->before[3 * row + d];
        }
    }
}

/* The dense matrix F^T M^-1 F of all nodes, with the linear part of M. */
static double *dense_matrix(const tl_world *world, const corrected *c, bool exact)
{
    const uint32_t n = c->nodes;
    double *a = zeros((size_t)n * n, sizeof *a), (*f)[3] = zeros(n, sizeof *f);
    for (uint32_t i = 0; i < c->m.moving; i++) {
        for (uint32_t k = 0; k < n; k++)
            node_force(world, c, k, i, exact, f[k]);
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t l = 0; l < n; l++)
                a[k * n + l] += c->m.inverse[i][0][0] * dot3(f[k], f[l]);
    }
    free(f);
    return a;
}

/* The same as cells have it, from the device. */
static double *cell_matrix(const tl_world *world, const corrected *c, double *g)
{
    const tl_coarse_lattice *l = &c->problem.lattice;
    const double *cell = world->workspace.coarse.cell.data;
    const uint32_t n = c->nodes;
    double *a = zeros((size_t)n * n, sizeof *a);
    for (uint32_t i = 0; i < l->cells[0] * l->cells[1] * l->cells[2];
         i++, cell += TLK_COARSE_ENTRIES) {
        uint32_t node[8], e = 0;
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t x = i % l->cells[0] + (j & 1);
            const uint32_t y = i / l->cells[0] % l->cells[1] + (j >> 1 & 1);
            const uint32_t z = i / l->cells[0] / l->cells[1] + (j >> 2);
            node[j] = (z * (l->cells[1] + 1) + y) * (l->cells[0] + 1) + x;
            g[node[j]] += cell[36 + j];
        }
        for (uint32_t j = 0; j < 8; j++)
            for (uint32_t m = j; m < 8; m++, e++) {
                a[node[j] * n + node[m]] += cell[e];
                if (m != j)
                    a[node[m] * n + node[j]] += cell[e];
            }
    }
    return a;
}

/* The power of all rows, times the hat function of a node, as bodies see that. */
static double node_power(const tl_world *world, const corrected *c, uint32_t k)
{
    const double *pos = world->pos.data;
    double sum = 0, hat[4], w[3], t[3];
    for (uint32_t row = 0; row < c->m.rows; row++) {
        const model_row *r = &c->m.row[row];
        const bool both = r->b < c->m.moving;
        row_velocity(&c->m, row, c->vel_before, w, t);
        const double power = dot3(c->before + 3 * row, w);
        for (int side = 0; side < (both ? 2 : 1); side++) {
            hat_at(&c->problem.lattice, k, pos + 4 * (size_t)(side ? r->b : r->a), hat);
            sum += (both ? 0.5 : 1) * power * (hat[0] + dot3(hat + 1, r->anchor[side]));
        }
    }
    return sum;
}

/* The matrix and, under the cone law, the gradient of the objective. */
static void check_assembled(const tl_world *world, const corrected *c)
{
    const uint32_t n = c->nodes;
    double *g = zeros(n, sizeof *g), *found = cell_matrix(world, c, g);
    double *dense = dense_matrix(world, c, false), *exact = dense_matrix(world, c, true);
    double most = 0, steepest = 0, off = 0, all = 0;
    for (uint32_t k = 0; k < n; k++) {
        most = fmax(most, dense[k * n + k]);
        steepest = fmax(steepest, fabs(node_power(world, c, k)));
    }
    for (uint32_t k = 0; k < n; k++) {
        assert_near(g[k], node_power(world, c, k), 1e-10 * steepest);
        for (uint32_t l = 0; l < n; l++) {
            assert_near(found[k * n + l], dense[k * n + l], 1e-11 * most);
            off += pow(dense[k * n + l] - exact[k * n + l], 2);
            all += pow(exact[k * n + l], 2);
        }
    }
    /* and what hat functions at contact points make: bodies across a face of cells differ */
    assert_below(sqrt(off / all), 0.03);
    free(g);
    free(found);
    free(dense);
    free(exact);
}

/* What comes out: velocities that belong to the impulses, each of these a positive multiple of what
 * it was, and the fraction that takes the objective lowest. */
static void check_outcome(tl_world *world, const corrected *c, tl_law law)
{
    double(*again)[6] = zeros(c->m.bodies, sizeof *again);
    tl_coarse_told told;
    model_velocity(&c->m, c->after, again);
    for (uint32_t i = 0; i < 6 * c->m.moving; i++)
        assert_near(c->vel[i / 6][i % 6], again[i / 6][i % 6], 1e-10);
    for (uint32_t i = 0; i < c->m.rows; i++) {
        const double size = norm3(c->before + 3 * i), next = norm3(c->after + 3 * i);
        assert_true(next >= 0.0999 * size && next <= 10.001 * size);
        assert_near(dot3(c->before + 3 * i, c->after + 3 * i), size * next, 1e-12 * size * next);
    }
    assert_ok(tl_coarse_tell(world->backend, &world->workspace, &told));
    assert_true(told.steps >= 2 && told.steps <= 40);
    assert_true(told.part > 0.05 && told.part <= 1);
    assert_true(told.change > 0 && told.change < 9);
    if (law == TL_LAW_CONE)
        assert_true(model_objective(&c->m, c->after) < model_objective(&c->m, c->before));
    free(again);
}

static tl_world *column(pile_kind kind)
{
    pile_options options = pile_of(kind);
    tl_scene *scene = NULL;
    options.bodies = kind == PILE_SPHERES ? 500 : 120;
    options.layers = kind == PILE_SPHERES ? 50 : 30;
    options.settings.precision = TL_DOUBLE;
    options.settings.threads = 1;
    options.settings.solver.coarse_layers = 2;
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    step(world, 150);
    return world;
}

/* Balls, and hulls, whose contacts are anchor rows. */
static void test_correction(void **state)
{
    (void)state;
    for (int kind = PILE_SPHERES; kind <= PILE_HULLS; kind += PILE_HULLS) {
        tl_world *world = column((pile_kind)kind);
        for (uint32_t sweeps = 1; sweeps <= 64; sweeps *= 8)
            for (int law = TL_LAW_CONE; law <= TL_LAW_COULOMB; law++) {
                corrected c = correct_once(world, (tl_law)law, sweeps);
                context("kind %d, law %d, %u sweeps", kind, law, sweeps);
                if (law == TL_LAW_CONE && sweeps == 8)
                    check_assembled(world, &c);
                check_outcome(world, &c, (tl_law)law);
                corrected_free(&c);
            }
        tl_world_destroy(world);
    }
}

/* A problem after sweeps from the last step's impulses, by a dense product; and how many. */
typedef struct swept {
    double objective, residual;
    uint32_t sweeps;
} swept;

/* With a step factor of their own where omega is above 0. */
static swept sweep(tl_world *world, tl_law law, uint32_t sweeps, double tolerance, double omega)
{
    corrected c = {.problem = next_problem(world, TL_PSOR, law)};
    const tl_solver_def def = {.kind = TL_PSOR, .law = law, .tolerance = tolerance, .omega = omega};
    tl_solution solution;
    swept s;
    assert_true(c.problem.lattice.cells[0] > 0);
    c.m = model_recorded(world, &c.problem, &c.place);
    c.before = zeros(3 * (size_t)c.m.rows, sizeof *c.before);
    c.vel = zeros(c.m.bodies, sizeof *c.vel);
    assert_ok(tl_solve(world->backend, &world->workspace, &c.problem, &def, sweeps, &solution));
    assert_ok(tl_residual(world->backend, &c.problem, &s.residual, NULL));
    read_state(world, &c, c.before, c.vel);
    s.objective = model_objective(&c.m, c.before);
    s.sweeps = solution.iterations;
    corrected_free(&c);
    return s;
}

/* Longer steps of balls, with Coulomb's law: more sweeps take the objective lower, and the same
 * number takes it lower than with usual steps; so they do with the residual where they are not very
 * few. With the cone law, where there is momentum instead, more sweeps take it lower, too. */
static void test_longer_steps(void **state)
{
    (void)state;
    tl_world *world = column(PILE_SPHERES);
    for (int law = TL_LAW_CONE; law <= TL_LAW_COULOMB; law++) {
        double last = INFINITY;
        for (uint32_t n = 2; n <= 64; n *= 2) {
            const swept longer = sweep(world, (tl_law)law, n, 0, 0),
                        usual = sweep(world, (tl_law)law, n, 0, 1);
            context("law %d, %u sweeps", law, n);
            assert_below(longer.objective, last);
            last = longer.objective;
            if (law == TL_LAW_CONE)
                continue;
            assert_below(longer.objective, usual.objective);
            if (n >= 8)
                assert_below(longer.residual, 0.92 * usual.residual);
        }
    }
    const swept longer = sweep(world, TL_LAW_COULOMB, 4096, 1e-3, 0),
                usual = sweep(world, TL_LAW_COULOMB, 4096, 1e-3, 1);
    assert_below(longer.residual, 1e-3);
    assert_below(longer.sweeps, usual.sweeps);
    tl_world_destroy(world);
}

/* Anchor rows have usual steps with Coulomb's law. */
static void test_usual_steps(void **state)
{
    (void)state;
    tl_world *world = column(PILE_HULLS);
    assert_true(sweep(world, TL_LAW_COULOMB, 16, 0, 0).objective ==
                sweep(world, TL_LAW_COULOMB, 16, 0, 1).objective);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_correction),
                                       cmocka_unit_test(test_longer_steps),
                                       cmocka_unit_test(test_usual_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
