/* The gradient solvers step by step. They decide on the device, many trials between two looks of
 * the host: here against the same methods written straight down in dense form, iterate by iterate,
 * and against themselves with other intervals, threads and instruction sets, bit for bit. */
#include "solve/layout.h"

#define ITERATIONS 40 /* too few for apgd to go at its fastest under Coulomb's law */

/* ---- The methods once more ---- */

/* What a decision may do wrong; the comparison must notice each. */
typedef enum fault { NO_FAULT, NO_RESTART, NO_CUT, NO_LINE_SEARCH } fault;

typedef struct reference {
    const model *m;
    tl_law law;
    size_t n; /* numbers of a vector */
    double *r, *eta, *x, *old, *y, *z, *nx, *nold, *ny, *nz, *best;
    double t, theta, best_residual, objective, history[10];
    uint32_t iterations;
} reference;

static double **vectors_of(reference *f, size_t i)
{
    double **all[] = {&f->r,  &f->eta,  &f->x,  &f->old, &f->y,   &f->z,
                      &f->nx, &f->nold, &f->ny, &f->nz,  &f->best};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

/* out = N x, by way of the velocities. */
static void apply(const reference *f, const double *x, double *out)
{
    model still = *f->m;
    double(*vel)[6] = zeros(still.bodies, sizeof *vel), t[3];
    still.free = zeros(still.bodies, sizeof *still.free);
    model_velocity(&still, x, vel);
    for (uint32_t i = 0; i < still.rows; i++) {
        row_velocity(&still, i, vel, out + 3 * i, t);
        add3(out + 3 * i, -still.row[i].bias, still.row[i].n, out + 3 * i);
    }
    free(still.free);
    free(vel);
}

static double residual_of(const reference *f)
{
    double(*vel)[6] = zeros(f->m->bodies, sizeof *vel), worst;
    model_velocity(f->m, f->z, vel);
    const double rms = model_residual(f->m, f->z, vel, f->law, &worst);
    free(vel);
    return rms;
}

static reference reference_new(const model *m, tl_law law)
{
    reference f = {.m = m, .law = law, .n = 3 * (size_t)m->rows, .t = 1, .theta = 1};
    double t[3], eta[3];
    for (size_t i = 0; vectors_of(&f, i); i++)
        *vectors_of(&f, i) = zeros(f.n, sizeof(double));
    for (uint32_t i = 0; i < m->rows; i++) {
        row_velocity(m, i, m->free, f.r + 3 * i, t);
        row_eta(m, i, eta);
        for (int k = 0; k < 3; k++)
            f.eta[3 * i + k] = eta[2];
    }
    f.best_residual = residual_of(&f);
    return f;
}

static void reference_free(reference *f)
{
    for (size_t i = 0; vectors_of(f, i); i++)
        free(*vectors_of(f, i));
}

/* Coulomb's law: a push, and friction within what that push allows. */
static void limit(const model_row *row, double g[3])
{
    const double gn = dot3(g, row->n), push = fmax(gn, 0);
    double t[3];
    add3(g, -gn, row->n, t);
    const double part = fmin(1, norm3(t) > 0 ? row->mu * push / norm3(t) : 1);
    for (int k = 0; k < 3; k++)
        g[k] = push * row->n[k] + part * t[k];
}

/* z = P(y - t eta (N y + r)) and N z. */
static void trial(reference *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->z[i] = f->y[i] - f->t * f->eta[i] * (f->ny[i] + f->r[i]);
    for (uint32_t i = 0; i < f->m->rows; i++)
        (f->law == TL_LAW_CONE ? project : limit)(&f->m->row[i], f->z + 3 * i);
    apply(f, f->z, f->nz);
}

/* (a - b) . (c - d), each term times w or 1. */
static double product(const reference *f, const double *a, const double *b, const double *c,
                      const double *d, const double *w)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += (a[i] - b[i]) * (c[i] - d[i]) * (w ? w[i] : 1);
    return sum;
}

/* (N y + r) . (z - from) */
static double slope_from(const reference *f, const double *from)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += (f->ny[i] + f->r[i]) * (f->z[i] - from[i]);
    return sum;
}

static double step_square(const reference *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += (f->z[i] - f->y[i]) * (f->z[i] - f->y[i]) / f->eta[i];
    return sum;
}

static void keep_best(reference *f)
{
    const double residual = residual_of(f);
    if (residual < f->best_residual) {
        f->best_residual = residual;
        memcpy(f->best, f->z, f->n * sizeof *f->best);
    }
}

/* One accepted iteration of docs/theory.md, "APGD". */
static void apgd(reference *f, fault wrong)
{
    for (trial(f);; trial(f)) {
        const double dnd = product(f, f->z, f->y, f->nz, f->ny, NULL), dd = step_square(f);
        if (dnd * f->t <= dd * (1 + 1e-6) || wrong == NO_CUT)
            break;
        f->t = fmax(0.5 * f->t, fmin(0.95 * dd / dnd, 0.9 * f->t));
    }
    keep_best(f);
    double beta = 0;
    if (slope_from(f, f->x) > 0 && wrong != NO_RESTART) {
        f->theta = 1;
    } else {
        const double square = f->theta * f->theta;
        const double next = (sqrt(square * square + 4 * square) - square) / 2;
        beta = f->theta * (1 - f->theta) / (square + next);
        f->theta = next;
    }
    for (size_t i = 0; i < f->n; i++) {
        f->y[i] = f->z[i] + beta * (f->z[i] - f->x[i]);
        f->ny[i] = f->nz[i] + beta * (f->nz[i] - f->nx[i]);
        f->x[i] = f->z[i];
        f->nx[i] = f->nz[i];
    }
    f->t *= 1.05;
    f->iterations++;
}

/* One iteration of docs/theory.md, "SPG"; the point is y. */
static void spg(reference *f, fault wrong)
{
    trial(f);
    f->iterations++;
    const double curvature = product(f, f->z, f->y, f->nz, f->ny, NULL), dd = step_square(f);
    const double slope = slope_from(f, f->y);
    double highest = f->history[0], part = 1;
    for (uint32_t i = 1; i < f->iterations && i < 10; i++)
        highest = fmax(highest, f->history[i]);
    if (f->objective + slope + 0.5 * curvature > highest + 1e-4 * slope && wrong != NO_LINE_SEARCH)
        part = slope < 0 ? fmin(1, -slope / curvature) : 1; /* Coulomb's law may lead uphill */
    f->objective += part * slope + 0.5 * part * part * curvature;
    f->history[f->iterations % 10] = f->objective;
    if (part == 1)
        keep_best(f);
    const double square = product(f, f->nz, f->ny, f->nz, f->ny, f->eta);
    f->t = fmin(fmax(f->iterations % 2 ? dd / curvature : curvature / square, 1e-6), 1e6);
    for (size_t i = 0; i < f->n; i++) {
        f->y[i] += part * (f->z[i] - f->y[i]);
        f->ny[i] += part * (f->nz[i] - f->ny[i]);
    }
}

/* ---- Comparing ---- */

/* The largest difference, over the iterations, between the best points of the reference and of the
 * solver, relative to the largest impulse. */
static double compare(const model *m, fixture *f, const solver *s, fault wrong)
{
    reference ref = reference_new(m, s->law);
    double *gamma = zeros(ref.n, sizeof *gamma), most = 0, size = 0;
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    for (uint32_t n = 1; n <= ITERATIONS; n++) {
        (s->kind == TL_APGD ? apgd : spg)(&ref, wrong);
        const tl_solution solution = solve(f, m, s, 0, n, NULL);
        assert_int_equal(solution.iterations, n);
        fixture_read(f, m, gamma, vel);
        for (size_t i = 0; i < ref.n; i++) {
            most = fmax(most, fabs(gamma[i] - ref.best[i]));
            size = fmax(size, fabs(ref.best[i]));
        }
        if (!wrong)
            assert_near(solution.residual, ref.best_residual, 1e-7 * ref.best_residual + 1e-14);
    }
    reference_free(&ref);
    free(gamma);
    free(vel);
    return most / size;
}

/* The same iterates as the reference; and every decision counts: a reference that takes one of
 * them wrong has others. */
static void test_iterates(void **state)
{
    (void)state;
    const struct {
        const solver *solver;
        fault fault;
    } cases[] = {{&solvers[0], NO_FAULT},
                 {&solvers[0], NO_RESTART},
                 {&solvers[0], NO_CUT},
                 {&solvers[1], NO_FAULT},
                 {&solvers[1], NO_LINE_SEARCH},
                 {&solvers[COULOMB_APGD], NO_FAULT},
                 {&solvers[COULOMB_APGD], NO_RESTART},
                 {&solvers[COULOMB_APGD], NO_CUT},
                 {&solvers[COULOMB_SPG], NO_FAULT}}; /* goes all the way every time */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double most = 0;
        for (uint64_t seed = 0; seed < 2 * FAMILIES; seed++) {
            /* with few bodies spg stops short, with more apgd starts anew */
            model m = model_random(seed, (family)(seed % FAMILIES), seed < 4 ? 12 : 40, 80);
            fixture f = fixture_new(&m, TL_DOUBLE, false);
            context("%s, fault %d, seed %u", cases[c].solver->name, cases[c].fault, (unsigned)seed);
            most = fmax(most, compare(&m, &f, cases[c].solver, cases[c].fault));
            fixture_free(&f);
            model_free(&m);
        }
        if (cases[c].fault == NO_FAULT)
            assert_below(most, 1e-7);
        else
            assert_above(most, 1e-3);
    }
}

/* ---- The same bits ---- */

typedef struct outcome {
    tl_solution solution;
    double *gamma, (*vel)[6];
} outcome;

static outcome outcome_of(const model *m, fixture *f, const solver *s, double tolerance,
                          uint32_t iterations)
{
    outcome o = {.solution = solve(f, m, s, tolerance, iterations, NULL),
                 .gamma = zeros(3 * (size_t)m->rows, sizeof *o.gamma),
                 .vel = zeros(m->bodies, sizeof *o.vel)};
    fixture_read(f, m, o.gamma, o.vel);
    return o;
}

static void outcome_free(outcome *o)
{
    free(o->gamma);
    free(o->vel);
}

static void assert_same(const model *m, const outcome *a, const outcome *b)
{
    assert_int_equal(a->solution.iterations, b->solution.iterations);
    assert_memory_equal(&a->solution.residual, &b->solution.residual, sizeof(double));
    assert_memory_equal(a->gamma, b->gamma, 3 * m->rows * sizeof *a->gamma);
    assert_memory_equal(a->vel, b->vel, m->bodies * sizeof *a->vel);
}

/* How often the host looks changes nothing; and a tolerance ends at the first point that meets it.
 */
static void looks(tl_precision precision, const solver *s, double tolerance)
{
    const uint32_t intervals[] = {1, 7, 100};
    for (uint64_t seed = 1; seed <= FAMILIES; seed++) {
        model m = model_random(seed, (family)(seed - 1), 40, 80);
        fixture f = fixture_new(&m, precision, false);
        context("%s, tolerance %g, seed %u", s->name, tolerance, (unsigned)seed);
        outcome usual = outcome_of(&m, &f, s, tolerance, tolerance > 0 ? 5000 : 33);
        for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
            f.workspace.look_every = intervals[i];
            outcome o = outcome_of(&m, &f, s, tolerance, tolerance > 0 ? 5000 : 33);
            assert_same(&m, &usual, &o);
            outcome_free(&o);
        }
        if (tolerance > 0) {
            const uint32_t n = usual.solution.iterations;
            assert_true(n > 10 && n < 5000 && usual.solution.residual <= tolerance);
            outcome o = outcome_of(&m, &f, s, 0, n);
            assert_same(&m, &usual, &o);
            outcome_free(&o);
            o = outcome_of(&m, &f, s, 0, n - 1);
            assert_true(o.solution.residual > tolerance);
            outcome_free(&o);
        }
        outcome_free(&usual);
        fixture_free(&f);
        model_free(&m);
    }
}

static void test_looks(void **state)
{
    (void)state;
    const int which[] = {0, 1, COULOMB_APGD, COULOMB_SPG};
    for (int k = 0; k < 4; k++) {
        looks(TL_DOUBLE, &solvers[which[k]], 0);
        looks(TL_DOUBLE, &solvers[which[k]], 1e-7);
        looks(TL_MIXED, &solvers[which[k]], 0);
        looks(TL_MIXED, &solvers[which[k]], 1e-3);
    }
}

/* Enough rows that all loops are shared out; all solvers, threads and instruction sets. */
static void shared_out(tl_precision precision)
{
    const char *sets[] = {"base", "avx2", "avx512"};
    model m = model_random(1, MIXED, 800, 2000);
    outcome first[ALL_SOLVERS] = {0};
    for (int i = 0; i < 3; i++) {
        if (!tl_backend_cpu_isa(sets[i]))
            continue;
        fixture f = fixture_new(&m, precision, false);
        for (uint32_t threads = 1; threads <= 4; threads++)
            for (size_t k = 0; k < ALL_SOLVERS; k++) {
                context("%s, %s, %u threads", solvers[k].name, sets[i], threads);
                f.backend->ops->threads(f.backend, threads);
                outcome o = outcome_of(&m, &f, &solvers[k], 0, 30);
                if (!first[k].gamma) {
                    first[k] = o;
                    continue;
                }
                assert_same(&m, &first[k], &o);
                outcome_free(&o);
            }
        fixture_free(&f);
    }
    for (size_t k = 0; k < ALL_SOLVERS; k++)
        outcome_free(&first[k]);
    model_free(&m);
}

static void test_shared_out(void **state)
{
    (void)state;
    shared_out(TL_DOUBLE);
    shared_out(TL_MIXED);
}

static int restore(void **state)
{
    (void)state;
    return tl_backend_cpu_isa(NULL) ? 0 : -1;
}

/* Lists of rows are made once for a problem and its copies, and again when another problem had
 * its turn in the same workspace. */
static void test_lists(void **state)
{
    (void)state;
    model m[2] = {model_random(1, MIXED, 40, 80), model_random(2, MIXED, 60, 100)};
    fixture f[2] = {fixture_new(&m[0], TL_DOUBLE, false), fixture_new(&m[1], TL_DOUBLE, false)};
    outcome alone[2];
    for (int i = 0; i < 2; i++)
        alone[i] = outcome_of(&m[i], &f[i], &solvers[0], 0, 20);
    const tl_workspace own = f[1].workspace;
    tl_workspace shared = f[0].workspace;
    for (int turn = 0; turn < 6; turn++) {
        const int i = turn / 2 % 2;
        f[i].workspace = shared;
        outcome o = outcome_of(&m[i], &f[i], &solvers[0], 0, 20);
        shared = f[i].workspace;
        assert_int_equal(shared.lists, 1 + turn / 2);
        assert_same(&m[i], &alone[i], &o);
        outcome_free(&o);
    }
    f[0].workspace = shared;
    f[1].workspace = own;
    for (int i = 0; i < 2; i++) {
        outcome_free(&alone[i]);
        fixture_free(&f[i]);
        model_free(&m[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterates), cmocka_unit_test(test_looks),
        cmocka_unit_test_teardown(test_shared_out, restore), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
