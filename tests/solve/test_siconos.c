/* labels: slow */
/* The solvers against those of Siconos, on random problems and on piles: those of Coulomb's law
 * against its non-smooth Gauss-Seidel, those of the cone against its ADMM with the correction of
 * the relaxation switched off. Each side's certificate must accept the other's solution (and refuse
 * that of the other law), and the velocities must be the same. */
#include "solve/layout.h"

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_compute_error.h>
#include <gfc3d_compute_error.h>

/* How closely both sides solve a problem: m/s, and N s for Siconos, whose error mixes the two
 * (masses are about 1). In a pile at rest many contacts carry nothing and yet do not open; there
 * the solvers of the cone take very long over the last digits. */
static double tolerance = 1e-10;
static const char *problems; /* what is compared, in words */

#define ACCEPT (100 * tolerance) /* what a certificate may find in the other side's solution */
#define REFUSE 1e-3              /* and at least finds in the other law's */

/* Siconos keeps some of its memory; what is lost there is not ours. Read by the leak sanitizer. */
TL_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libsiconos_numerics\n";
}

/* ---- Problems as Siconos wants them: frames of normal and two tangents ---- */

static void frame_of(const model_row *row, double q[3][3])
{
    memcpy(q[0], row->n, sizeof q[0]);
    tangents(row->n, q[1], q[2]);
}

/* World axes to the rows' frames (3 numbers per row), and back. */
static void to_frames(const model *m, const double *world, double *local)
{
    for (uint32_t i = 0; i < m->rows; i++) {
        double q[3][3];
        frame_of(&m->row[i], q);
        for (int k = 0; k < 3; k++)
            local[3 * i + k] = dot3(q[k], world + 3 * i);
    }
}

static void from_frames(const model *m, const double *local, double *world)
{
    for (uint32_t i = 0; i < m->rows; i++) {
        double q[3][3];
        frame_of(&m->row[i], q);
        for (int k = 0; k < 3; k++)
            world[3 * i + k] =
                local[3 * i] * q[0][k] + local[3 * i + 1] * q[1][k] + local[3 * i + 2] * q[2][k];
    }
}

/* D in the rows' frames: 6 numbers of a moving body by 3 of a row, column by column. */
static double *directions(const model *m)
{
    const size_t n = 6 * (size_t)m->moving;
    double *d = zeros(n * 3 * m->rows, sizeof *d);
    for (uint32_t i = 0; i < m->rows; i++) {
        double q[3][3];
        frame_of(&m->row[i], q);
        for (int side = 0; side < 2; side++) {
            const uint32_t body = side ? m->row[i].b : m->row[i].a;
            for (int k = 0; body < m->moving && k < 54; k++) /* column, body's number, axis */
                d[(3 * (size_t)i + k / 18) * n + 6 * body + k / 3 % 6] +=
                    q[k / 18][k % 3] * m->row[i].j[side][k % 3][k / 3 % 6];
        }
    }
    return d;
}

/* w = D^T vel + bias n of all rows, in their frames. */
static double *row_velocities(const model *m, double (*vel)[6])
{
    double *w = zeros(3 * (size_t)m->rows, sizeof *w);
    double *local = zeros(3 * (size_t)m->rows, sizeof *local), t[3];
    for (uint32_t i = 0; i < m->rows; i++)
        row_velocity(m, i, vel, w + 3 * i, t);
    to_frames(m, w, local);
    free(w);
    return local;
}

static double *frictions(const model *m)
{
    double *mu = zeros(m->rows, sizeof *mu);
    for (uint32_t i = 0; i < m->rows; i++)
        mu[i] = m->row[i].mu;
    return mu;
}

/* w = N gamma + r, dense. */
static FrictionContactProblem *local_problem(const model *m)
{
    const size_t n = 6 * (size_t)m->moving, rows = 3 * (size_t)m->rows;
    double *d = directions(m), *whole = zeros(rows * rows, sizeof *whole);
    for (size_t c = 0; c < rows; c++) {
        const uint32_t bodies[2] = {m->row[c / 3].a, m->row[c / 3].b};
        for (int side = 0; side < 2; side++) {
            /* this body's part of column c of M^-1 D, and what it does to all rows */
            double change[6] = {0};
            const size_t at = 6 * (size_t)bodies[side];
            if (bodies[side] >= m->moving)
                continue;
            for (int k = 0; k < 36; k++)
                change[k / 6] += m->inverse[bodies[side]][k / 6][k % 6] * d[c * n + at + k % 6];
            for (size_t r = 0; r < rows; r++)
                for (size_t k = 0; k < 6; k++)
                    whole[c * rows + r] += d[r * n + at + k] * change[k];
        }
    }
    free(d);
    return frictionContactProblem_new_with_data(
        3, (int)m->rows, NM_create_from_data(NM_DENSE, (int)rows, (int)rows, whole),
        row_velocities(m, m->free), frictions(m));
}

static NumericsMatrix *sparse(size_t rows, size_t columns, const double *dense)
{
    NumericsMatrix *matrix = NM_create(NM_SPARSE, (int)rows, (int)columns);
    NM_triplet_alloc(matrix, 0);
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            if (dense[c * rows + r] != 0)
                NM_entry(matrix, (int)r, (int)c, dense[c * rows + r]);
    return matrix;
}

/* The inverse of a symmetric positive definite matrix, by elimination. */
static void invert(double a[6][6], double out[6][6])
{
    double w[6][12];
    for (int k = 0; k < 72; k++)
        w[k / 12][k % 12] = k % 12 < 6 ? a[k / 12][k % 12] : k % 12 - 6 == k / 12;
    for (int p = 0; p < 6; p++) {
        const double pivot = w[p][p];
        for (int c = 0; c < 12; c++)
            w[p][c] /= pivot;
        for (int r = 0; r < 6; r++) {
            const double factor = r == p ? 0 : w[r][p];
            for (int c = 0; c < 12; c++)
                w[r][c] -= factor * w[p][c];
        }
    }
    for (int k = 0; k < 36; k++)
        out[k / 6][k % 6] = w[k / 6][6 + k % 6];
}

/* M v = M free + D gamma, w = D^T v + b. */
static GlobalFrictionContactProblem *global_problem(const model *m)
{
    const size_t n = 6 * (size_t)m->moving;
    double *d = directions(m), *mass = zeros(n * n, sizeof *mass), *q = zeros(n, sizeof *q);
    double(*walls)[6] = zeros(m->bodies, sizeof *walls);
    for (uint32_t i = 0; i < m->bodies; i++) {
        double own[6][6];
        if (i >= m->moving) {
            memcpy(walls[i], m->free[i], sizeof *walls);
            continue;
        }
        invert(m->inverse[i], own);
        for (size_t k = 0; k < 36; k++) {
            mass[(6 * i + k / 6) * n + 6 * i + k % 6] = own[k / 6][k % 6];
            q[6 * i + k / 6] += own[k / 6][k % 6] * m->free[i][k % 6];
        }
    }
    GlobalFrictionContactProblem *problem = globalFrictionContactProblem_new();
    problem->dimension = 3;
    problem->numberOfContacts = (int)m->rows;
    problem->M = sparse(n, n, mass);
    problem->H = sparse(n, 3 * (size_t)m->rows, d);
    problem->q = q;
    problem->b = row_velocities(m, walls);
    problem->mu = frictions(m);
    free(d);
    free(mass);
    free(walls);
    return problem;
}

/* ---- Comparisons ---- */

/* Our solution with one of our solvers. */
static void ours(const model *m, fixture *f, const solver *s, double *gamma, double (*vel)[6])
{
    const tl_solution solution = solve(f, m, s, tolerance, 200000, NULL);
    assert_below(solution.residual, tolerance);
    fixture_read(f, m, gamma, vel);
}

/* What our certificate says of impulses from elsewhere. */
static double our_residual(const model *m, fixture *f, tl_law law, const double *gamma)
{
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), rms;
    model_velocity(m, gamma, vel);
    fixture_write(f, m, gamma, vel);
    f->problem.view.coulomb = law == TL_LAW_COULOMB;
    assert_ok(tl_residual(f->backend, &f->problem, &rms, NULL));
    free(vel);
    return rms;
}

/* What theirs says of ours. */
static double coulomb_error(const model *m, FrictionContactProblem *problem, SolverOptions *options,
                            const double *gamma)
{
    double *local = zeros(3 * (size_t)m->rows, sizeof *local), error = NAN;
    double *w = zeros(3 * (size_t)m->rows, sizeof *w);
    to_frames(m, gamma, local);
    fc3d_compute_error(problem, local, w, ACCEPT, options, 1, &error);
    free(local);
    free(w);
    return error;
}

static double cone_error(const model *m, GlobalFrictionContactProblem *problem,
                         SolverOptions *options, const double *gamma, double (*vel)[6])
{
    double *local = zeros(3 * (size_t)m->rows, sizeof *local), error = NAN;
    double *w = zeros(3 * (size_t)m->rows, sizeof *w);
    to_frames(m, gamma, local);
    gfc3d_compute_error_convex(problem, local, w, vel[0], ACCEPT, options, 1, 1, &error);
    free(local);
    free(w);
    return error;
}

/* The largest difference of the velocities of `gamma` and `vel`. Coulomb's law may allow several;
 * none of these problems turned out to have two. */
static double difference(const model *m, const double *gamma, double (*vel)[6])
{
    double(*other)[6] = zeros(m->bodies, sizeof *other), largest = 0;
    model_velocity(m, gamma, other);
    for (uint32_t i = 0; i < 6 * m->bodies; i++)
        if (!(fabs(vel[i / 6][i % 6] - other[i / 6][i % 6]) <= largest)) /* a NaN stays */
            largest = fabs(vel[i / 6][i % 6] - other[i / 6][i % 6]);
    free(other);
    return largest;
}

/* What their certificate says of our solution, and how far the velocities are apart. */
static void compared(const char *with, const solver *s, double error, double apart)
{
    char settings[64];
    snprintf(settings, sizeof settings, "both solved to %g", tolerance);
    const claim certificate = {problems, with, "its error for our impulses, N s or m/s", settings};
    const claim same = {problems, with, "largest difference of a velocity, m/s", settings};
    assert_found(&certificate, s->name, error, 0, ACCEPT);
    assert_found(&same, s->name, apart, 0, 1e4 * tolerance);
}

/* The solver interior: the same velocities, to 1e-8 where Siconos solved as closely. Of Coulomb's
 * law where its fixed point was found. */
static void compare_inside(const model *m, fixture *f, tl_law law, const double *other)
{
    const solver inside = {law == TL_LAW_CONE ? "interior" : "interior coulomb", TL_INTERIOR, law};
    double *gamma = zeros(3 * (size_t)m->rows, sizeof *gamma);
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    const tl_solution solution = solve(f, m, &inside, 1e-11, 1, NULL);
    const claim same = {problems, "Siconos", "largest difference of a velocity, m/s",
                        "interior to 1e-11 m/s"};
    fixture_read(f, m, gamma, vel);
    if (law == TL_LAW_CONE || solution.residual <= 1e-10)
        assert_found(&same, inside.name, difference(m, other, vel), 0, fmax(1e-8, 1e2 * tolerance));
    if (law == TL_LAW_CONE)
        assert_below(solution.gap, 1e-10);
    free(gamma);
    free(vel);
}

static void compare_coulomb(const model *m)
{
    const size_t rows = 3 * (size_t)m->rows;
    double *gamma = zeros(rows, sizeof *gamma), *other = zeros(rows, sizeof *other);
    double *reaction = zeros(rows, sizeof *reaction), *w = zeros(rows, sizeof *w);
    double(*vel)[6] = zeros(m->bodies, sizeof *vel);
    fixture f = fixture_new(m, TL_DOUBLE, false);
    FrictionContactProblem *problem = local_problem(m);
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 0.01 * tolerance; /* relative to their norm of r */
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    assert_int_equal(fc3d_driver(problem, reaction, w, options), 0);
    from_frames(m, reaction, other);
    const char *const nsgs = "Siconos: non-smooth Gauss-Seidel";
    assert_below(our_residual(m, &f, TL_LAW_COULOMB, other), ACCEPT);
    for (size_t k = CONE_SOLVERS; k < ALL_SOLVERS; k++) {
        ours(m, &f, &solvers[k], gamma, vel);
        compared(nsgs, &solvers[k], coulomb_error(m, problem, options, gamma),
                 difference(m, other, vel));
    }
    compare_inside(m, &f, TL_LAW_COULOMB, other);
    /* the relaxation's solution is another one where rows slip, and both sides see that */
    if (m->rows >= 50) {
        ours(m, &f, &solvers[0], gamma, vel);
        assert_above(coulomb_error(m, problem, options, gamma), REFUSE);
        assert_above(our_residual(m, &f, TL_LAW_COULOMB, gamma), REFUSE);
    }
    solver_options_delete(options);
    free(options);
    frictionContactProblem_free(problem);
    fixture_free(&f);
    free(gamma);
    free(other);
    free(reaction);
    free(w);
    free(vel);
}

static void compare_cone(const model *m)
{
    const size_t rows = 3 * (size_t)m->rows;
    double *gamma = zeros(rows, sizeof *gamma), *other = zeros(rows, sizeof *other);
    double *reaction = zeros(rows, sizeof *reaction), *w = zeros(rows, sizeof *w);
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), *v = zeros(6 * (size_t)m->moving, sizeof *v);
    fixture f = fixture_new(m, TL_DOUBLE, false);
    GlobalFrictionContactProblem *problem = global_problem(m);
    SolverOptions *options = solver_options_create(SICONOS_GLOBAL_FRICTION_3D_ADMM);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    options->dparam[SICONOS_FRICTION_3D_ADMM_RHO] = 1; /* about the size of N */
    options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_UPDATE_S] =
        SICONOS_FRICTION_3D_ADMM_UPDATE_S_NO;
    assert_int_equal(gfc3d_driver(problem, reaction, w, v, options), 0);
    from_frames(m, reaction, other);
    assert_below(our_residual(m, &f, TL_LAW_CONE, other), ACCEPT);
    for (int k = 0; k < CONE_SOLVERS; k++) {
        ours(m, &f, &solvers[k], gamma, vel);
        compared("Siconos: ADMM of the convex problem", &solvers[k],
                 cone_error(m, problem, options, gamma, vel), difference(m, other, vel));
        assert_near(model_objective(m, gamma), model_objective(m, other),
                    tolerance * fabs(model_objective(m, other)));
    }
    compare_inside(m, &f, TL_LAW_CONE, other);
    if (m->rows >= 50) {
        ours(m, &f, &solvers[CONE_SOLVERS], gamma, vel);
        assert_above(cone_error(m, problem, options, gamma, vel), REFUSE);
        assert_above(our_residual(m, &f, TL_LAW_CONE, gamma), REFUSE);
    }
    solver_options_delete(options);
    free(options);
    globalFrictionContact_free(problem);
    fixture_free(&f);
    free(gamma);
    free(other);
    free(reaction);
    free(w);
    free(vel);
    free(v);
}

static void for_each_problem(void (*compare)(const model *))
{
    const uint32_t sizes[][2] = {{6, 5}, {30, 50}, {80, 200}};
    problems = "contact problems at random, 5 to 200 contacts";
    for (int which = 0; which < FAMILIES; which++)
        for (int size = 0; size < 3; size++)
            for (uint64_t seed = 11; seed <= 12; seed++) {
                context("%s, %u rows, seed %u", family_names[which], sizes[size][1],
                        (unsigned)seed);
                model m = model_random(seed, (family)which, sizes[size][0], sizes[size][1]);
                compare(&m);
                model_free(&m);
            }
}

static void test_coulomb(void **state)
{
    (void)state;
    for_each_problem(compare_coulomb);
}

static void test_cone(void **state)
{
    (void)state;
    for_each_problem(compare_cone);
}

/* The same problem in units of a mass and a length. */
static void change_units(model *m, double mass, double length)
{
    for (uint32_t i = 0; i < m->bodies; i++)
        for (int k = 0; k < 36; k++) {
            m->inverse[i][k / 6][k % 6] *=
                mass * (k / 6 > 2 ? length : 1) * (k % 6 > 2 ? length : 1);
            m->free[i][k % 6] *= k < 6 && k > 2 ? length : 1;
        }
    for (uint32_t i = 0; i < m->rows; i++) {
        for (int k = 0; k < 6; k++)
            m->row[i].anchor[k / 3][k % 3] /= length;
        row_jacobian(&m->row[i]);
    }
}

static void for_each_pile(void (*compare)(const model *))
{
    const uint32_t falls[] = {20, 60, 110}; /* steps: falling, hitting the floor, nearly at rest */
    problems = "steps of a pile of 50 balls: falling, hitting the floor, nearly at rest";
    for (int i = 0; i < 3; i++) {
        tl_world *world = settled_pile(50, 5, falls[i]);
        const tl_problem problem = next_problem(world, TL_PSOR, TL_LAW_DEFAULT);
        model m = model_recorded(world, &problem, NULL);
        context("pile, %u rows, after %u steps", m.rows, falls[i]);
        change_units(&m, 1 / m.inverse[0][0][0], pile_default().radius);
        compare(&m);
        model_free(&m);
        tl_world_destroy(world);
    }
}

static void test_coulomb_pile(void **state)
{
    (void)state;
    for_each_pile(compare_coulomb);
}

static void test_cone_pile(void **state)
{
    (void)state;
    tolerance = 1e-7;
    for_each_pile(compare_cone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coulomb), cmocka_unit_test(test_cone),
                                       cmocka_unit_test(test_coulomb_pile),
                                       cmocka_unit_test(test_cone_pile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
