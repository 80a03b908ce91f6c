/* Files of contact problems in the hands of others: libfclib reads ours, its merit function is the
 * residual that we tell, and we read what it writes, in all three forms of its matrices; and
 * Siconos solves our local form to the same velocities. */
#define _GNU_SOURCE
#include "problems.h"

#include <fclib.h>

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

/* Siconos keeps some of its memory, and libfclib texts; what is lost there is not ours. Read by the
 * leak sanitizer. */
TL_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libsiconos_numerics\nleak:libfclib\n";
}

static char folder[64], path[256];

/* ---- libfclib reads ours ---- */

static void same_matrix(const struct fclib_matrix *a, tl_matrix b)
{
    assert_non_null(a);
    assert_int_equal(a->m, b.rows);
    assert_int_equal(a->n, b.columns);
    assert_int_equal(a->nz, -1);
    assert_int_equal(a->nzmax, b.start[b.columns]);
    for (uint32_t i = 0; i <= b.columns; i++)
        assert_int_equal(a->p[i], b.start[i]);
    for (uint32_t i = 0; i < b.start[b.columns]; i++) {
        assert_int_equal(a->i[i], b.row[i]);
        assert_true(a->x[i] == b.value[i]);
    }
}

static void same_vector(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(a[i] == b[i]);
}

static void read_global(const tl_contact_problem_def *d)
{
    struct fclib_global *g = fclib_read_global(path);
    assert_non_null(g);
    assert_int_equal(g->spacedim, 3);
    same_matrix(g->M, d->M);
    same_matrix(g->H, d->H);
    if (d->G.columns)
        same_matrix(g->G, d->G);
    same_vector(g->f, d->f, d->M.rows);
    same_vector(g->w, d->w, d->H.columns);
    same_vector(g->mu, d->mu, d->contacts);
    same_vector(g->b, d->b, d->G.columns);
    assert_string_equal(g->info->title, d->title);
    assert_string_equal(g->info->description, d->description);
    fclib_delete_global(g);
}

/* The merit of our solution by their function, from files alone. */
static double read_local(const tl_contact_problem_def *d)
{
    struct fclib_local *l = fclib_read_local(path);
    struct fclib_solution *solution = fclib_read_solution(path);
    assert_non_null(l);
    assert_non_null(solution);
    same_matrix(l->W, d->W);
    if (d->R.columns) {
        same_matrix(l->V, d->V);
        same_matrix(l->R, d->R);
    }
    same_vector(l->q, d->q, d->W.rows);
    same_vector(l->s, d->s, d->R.columns);
    same_vector(l->mu, d->mu, d->contacts);
    const double merit = fclib_merit_local(l, MERIT_1, solution);
    fclib_delete_solutions(solution, 1);
    fclib_delete_local(l);
    return merit;
}

static void test_read(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool chain = i & 1, local = i & 2;
        tl_contact_problem *problem = make_problem(chain, local);
        const tl_contact_problem_def *d = tl_contact_problem_read(problem);
        const claim claims = {"contact problems of steps, with and without joints",
                              "libfclib: merit function of solutions in files",
                              "FCLIB's residual, as the library has it", "solved to 1e-7 m/s"};
        tl_contact_answer answer;
        double *r = solve_problem(problem, &answer);
        int guesses = 0;
        context("problem %d", i);
        remove(path);
        assert_ok(tl_contact_problem_save(path, problem, r));
        if (local) {
            const double merit = read_local(d);
            assert_near(merit, answer.fclib, 1e-13 + 1e-6 * merit);
            assert_found(&claims, chain ? "apgd, with a chain" : "apgd", merit, 0, 1e-5);
        } else {
            read_global(d);
        }
        struct fclib_solution *guess = fclib_read_guesses(path, &guesses);
        assert_int_equal(guesses, 1);
        same_vector(guess->r, d->guess, 3 * (size_t)d->contacts);
        fclib_delete_solutions(guess, 1);
        tl_contact_problem_destroy(problem);
        free(r);
    }
}

/* A merit far from zero is the same, too: that of no impulses at all. */
static void test_merit(void **state)
{
    (void)state;
    tl_contact_problem *problem = make_problem(true, true);
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    double *r = calloc(d->W.rows, sizeof *r), *l = calloc(d->R.rows, sizeof *l);
    tl_contact_answer answer;
    context("merit");
    for (uint32_t i = 0; i < d->W.rows; i++)
        r[i] = 0.1 * (i % 7);
    assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, NULL, NULL, l, &answer));
    remove(path);
    assert_ok(tl_contact_problem_save(path, problem, r));
    const double merit = read_local(d);
    assert_above(merit, 0.01);
    assert_near(answer.fclib, merit, 1e-12);
    tl_contact_problem_destroy(problem);
    free(r);
    free(l);
}

/* ---- We read theirs ---- */

static struct fclib_matrix *new_matrix(tl_matrix a, int nz, int pointers)
{
    struct fclib_matrix *m = calloc(1, sizeof *m);
    const int entries = (int)a.start[a.columns];
    m->m = (int)a.rows;
    m->n = (int)a.columns;
    m->nz = nz;
    m->nzmax = entries;
    m->p = calloc((size_t)pointers + 1, sizeof(int));
    m->i = calloc((size_t)entries + 1, sizeof(int));
    m->x = calloc((size_t)entries + 1, sizeof(double));
    return m;
}

/* A matrix in one of their forms: compressed columns (-1), compressed rows (-2), triplets. */
static struct fclib_matrix *their_matrix(tl_matrix a, int form)
{
    if (!a.columns)
        return NULL;
    const int entries = (int)a.start[a.columns];
    struct fclib_matrix *m = new_matrix(a, form < 0 ? form : entries,
                                        form == -1   ? (int)a.columns
                                        : form == -2 ? (int)a.rows
                                                     : entries);
    int at = 0;
    for (uint32_t r = 0; r < a.rows; r++) { /* by row, or as it is */
        for (uint32_t c = 0; c < a.columns && form != -1; c++)
            for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++)
                if (a.row[i] == r) {
                    m->i[at] = (int)c;
                    m->x[at] = a.value[i];
                    if (form >= 0)
                        m->p[at] = (int)r;
                    at++;
                }
        if (form == -2)
            m->p[r + 1] = at;
    }
    for (uint32_t i = 0; i <= a.columns && form == -1; i++)
        m->p[i] = (int)a.start[i];
    for (int i = 0; i < entries && form == -1; i++) {
        m->i[i] = (int)a.row[i];
        m->x[i] = a.value[i];
    }
    return m;
}

static void free_matrix(struct fclib_matrix *m)
{
    if (!m)
        return;
    free(m->p);
    free(m->i);
    free(m->x);
    free(m);
}

static void same_problem(tl_matrix a, tl_matrix b)
{
    assert_int_equal(a.columns, b.columns);
    if (!a.columns)
        return;
    assert_memory_equal(a.start, b.start, ((size_t)a.columns + 1) * sizeof *a.start);
    assert_memory_equal(a.row, b.row, a.start[a.columns] * sizeof *a.row);
    assert_memory_equal(a.value, b.value, a.start[a.columns] * sizeof *a.value);
}

static void test_written(void **state)
{
    (void)state;
    for (int form = -2; form <= 0; form++)
        for (int local = 0; local < 2; local++) {
            tl_contact_problem *problem = make_problem(true, local), *again = NULL;
            const tl_contact_problem_def *d = tl_contact_problem_read(problem), *e;
            const tl_matrix ours[3] = {local ? d->W : d->M, local ? d->V : d->H,
                                       local ? d->R : d->G};
            struct fclib_matrix *theirs[3];
            context("form %d of a %s problem", form, local ? "local" : "global");
            for (int i = 0; i < 3; i++)
                theirs[i] = their_matrix(ours[i], form);
            struct fclib_info info = {"theirs", "written by libfclib", "none"};
            struct fclib_local l = {theirs[0],      theirs[1],      theirs[2], (double *)d->mu,
                                    (double *)d->q, (double *)d->s, 3,         &info};
            struct fclib_global g = {
                theirs[0],      theirs[1],      theirs[2],      (double *)d->mu,
                (double *)d->f, (double *)d->b, (double *)d->w, 3,
                &info};
            remove(path);
            assert_int_equal(local ? fclib_write_local(&l, path) : fclib_write_global(&g, path), 1);
            assert_ok(tl_contact_problem_load(path, &again));
            e = tl_contact_problem_read(again);
            assert_int_equal(e->form, d->form);
            same_problem(ours[0], local ? e->W : e->M);
            same_problem(ours[1], local ? e->V : e->H);
            same_problem(ours[2], local ? e->R : e->G);
            same_vector(e->mu, d->mu, d->contacts);
            same_vector(local ? e->q : e->w, local ? d->q : d->w, 3 * (size_t)d->contacts);
            assert_string_equal(e->title, "theirs");
            assert_null(e->guess);
            for (int i = 0; i < 3; i++)
                free_matrix(theirs[i]);
            tl_contact_problem_destroy(problem);
            tl_contact_problem_destroy(again);
        }
}

/* ---- Siconos ---- */

/* A matrix of a file, column by column. */
static double *dense_matrix(const struct fclib_matrix *a)
{
    double *dense = calloc((size_t)a->m * (size_t)a->n, sizeof *dense);
    for (int c = 0; c < a->n; c++)
        for (int i = a->p[c]; i < a->p[c + 1]; i++)
            dense[(size_t)c * (size_t)a->m + (size_t)a->i[i]] = a->x[i];
    return dense;
}

/* Equality constraints are eliminated from W and q, one after the other: with -R positive definite
 * (to a part that follows from the rest, which does nothing) no order is needed. */
static void eliminate(const struct fclib_local *l, double *W, double *q)
{
    const size_t n = (size_t)l->W->n, p = (size_t)l->R->n;
    double *V = dense_matrix(l->V), *R = dense_matrix(l->R), *s = calloc(p, sizeof *s), most = 0;
    memcpy(s, l->s, p * sizeof *s);
    for (size_t k = 0; k < p; k++)
        most = fmax(most, fabs(R[k * p + k]));
    for (size_t k = 0; k < p; k++) {
        const double pivot = R[k * p + k];
        if (fabs(pivot) < 1e-10 * most)
            continue;
        for (size_t c = 0; c < n; c++) {
            for (size_t r = 0; r < n; r++)
                W[c * n + r] -= V[k * n + r] * V[k * n + c] / pivot;
            q[c] -= V[k * n + c] * s[k] / pivot;
        }
        for (size_t c = k + 1; c < p; c++) {
            const double part = R[c * p + k] / pivot;
            for (size_t r = 0; r < n; r++)
                V[c * n + r] -= V[k * n + r] * part;
            for (size_t r = k + 1; r < p; r++)
                R[c * p + r] -= R[k * p + r] * part;
            s[c] -= s[k] * part;
        }
    }
    free(V);
    free(R);
    free(s);
}

/* u of the local form in the file at `path`, by Siconos' non-smooth Gauss-Seidel. */
static double *siconos_velocities(uint32_t size, double tolerance)
{
    struct fclib_local *l = fclib_read_local(path);
    assert_non_null(l);
    double *dense = dense_matrix(l->W), *q = calloc(size, sizeof *q);
    double *r = calloc(size, sizeof *r), *u = calloc(size, sizeof *u);
    double *mu = calloc(size / 3, sizeof *mu);
    memcpy(q, l->q, size * sizeof *q);
    memcpy(mu, l->mu, size / 3 * sizeof *mu);
    if (l->R)
        eliminate(l, dense, q);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(
        3, (int)size / 3, NM_create_from_data(NM_DENSE, (int)size, (int)size, dense), q, mu);
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    assert_int_equal(fc3d_driver(problem, r, u, options), 0);
    solver_options_delete(options);
    free(options);
    frictionContactProblem_free(problem);
    fclib_delete_local(l);
    free(r);
    return u;
}

static void test_siconos(void **state)
{
    (void)state;
    static const tl_solver_kind kinds[] = {TL_PSOR, TL_APGD, TL_INTERIOR};
    tl_contact_problem *global = make_balls(), *local = NULL;
    assert_ok(tl_contact_problem_reduce(global, &local));
    const uint32_t size = tl_contact_problem_read(local)->W.rows;
    double *u = calloc(size, sizeof *u), *r = calloc(size, sizeof *r), moved = 0;
    remove(path);
    assert_ok(tl_contact_problem_save(path, local, NULL));
    double *theirs = siconos_velocities(size, 1e-12);
    const claim claims = {
        "the local form of a step, in a file", "Siconos: non-smooth Gauss-Seidel on that file",
        "largest difference of a contact's velocity, m/s", "both solved to 1e-11 or better"};
    for (int i = 0; i < 6; i++) { /* rows of the global form, and the sparse W */
        const tl_contact_problem *problem = i < 3 ? global : local;
        tl_solver_def def = tl_settings_default().solver;
        double worst = 0;
        char name[64];
        tl_contact_answer answer;
        def.kind = kinds[i % 3];
        def.tolerance = 1e-11;
        def.iterations = 100000;
        snprintf(name, sizeof name, "%s, %s", tl_word(TL_WORDS_SOLVER, def.kind),
                 i < 3 ? "global form" : "local form");
        context("%s", name);
        assert_ok(tl_contact_problem_solve(problem, &def, 1, r, &answer));
        assert_true(answer.rows == (i < 3));
        assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, NULL, u, NULL, NULL));
        for (uint32_t k = 0; k < size; k++) {
            worst = fmax(worst, fabs(u[k] - theirs[k]));
            moved = fmax(moved, fabs(u[k]));
        }
        assert_found(&claims, name, worst, 0, 1e-8);
    }
    assert_above(moved, 0.1); /* something slips */
    tl_contact_problem_destroy(global);
    tl_contact_problem_destroy(local);
    free(u);
    free(r);
    free(theirs);
}

/* What contacts see of the bodies' velocities after the step that a problem was recorded of, all of
 * which turn about y alone, so that nothing else has changed these. */
static void seen_velocities(tl_world *world, const tl_contact_problem_def *d, double *u)
{
    double *v = calloc(d->M.rows, sizeof *v);
    for (uint32_t i = 0; i < d->M.rows / 6; i++) {
        const tl_body body = {i + 2, 1};
        assert_ok(tl_world_read_velocities(world, 1, &body, v + 6 * (size_t)i));
        assert_ok(tl_world_read_angular_velocities(world, 1, &body, v + 6 * (size_t)i + 3));
    }
    for (uint32_t c = 0; c < d->H.columns; c++) {
        u[c] = d->w[c];
        for (uint32_t i = d->H.start[c]; i < d->H.start[c + 1]; i++)
            u[c] += d->H.value[i] * v[d->H.row[i]];
    }
    free(v);
}

/* The same of the problem itself in a file, by the solver interior. */
static double file_apart(const tl_contact_problem *problem, const tl_solver_def *def,
                         const double *theirs)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    const uint32_t size = 3 * d->contacts;
    double *u = calloc(size, sizeof *u), *r = calloc(size, sizeof *r), worst = 0;
    tl_contact_problem *read = NULL;
    tl_contact_answer answer;
    remove(path);
    assert_ok(tl_contact_problem_save(path, problem, NULL));
    assert_ok(tl_contact_problem_load(path, &read));
    assert_ok(tl_contact_problem_solve(read, def, 1, r, &answer));
    assert_false(answer.rows);
    assert_false(isnan(answer.gap));
    assert_ok(tl_contact_problem_measure(read, def->law, r, NULL, u, NULL, NULL));
    for (uint32_t k = 0; k < size; k++)
        worst = fmax(worst, fabs(u[k] - theirs[k]));
    tl_contact_problem_destroy(read);
    free(u);
    free(r);
    return worst;
}

/* The largest difference of a contact's velocity between a world's step by the solver interior and
 * what Siconos, or gradients, make of the same step's problem, recorded; `in_file`: and that of the
 * solver itself, of the recorded problem in both forms. Corners of boxes that are joined cannot all
 * do what is asked of them, to 1e-8 m/s. */
static double step_apart(bool boxes, tl_law law, bool siconos, double *moved, double *in_file)
{
    tl_world *world = make_row(true, boxes);
    tl_settings settings = tl_world_settings(world);
    tl_contact_problem *global = NULL, *local = NULL;
    double worst = 0, *theirs;
    settings.solver.kind = TL_INTERIOR;
    settings.solver.law = law;
    settings.solver.tolerance = 1e-12;
    assert_ok(tl_world_set_settings(world, &settings));
    assert_ok(tl_world_contact_problem(world, &global));
    assert_ok(tl_contact_problem_reduce(global, &local));
    const tl_contact_problem_def *d = tl_contact_problem_read(global);
    const uint32_t size = d->H.columns;
    double *u = calloc(size, sizeof *u), *r = calloc(size, sizeof *r);
    assert_int_equal(d->G.columns, 15);
    if (siconos) {
        remove(path);
        assert_ok(tl_contact_problem_save(path, local, NULL));
        theirs = siconos_velocities(size, 1e-12);
    } else {
        tl_solver_def def = settings.solver;
        def.kind = TL_APGD;
        def.iterations = 200000;
        theirs = calloc(size, sizeof *theirs);
        assert_ok(tl_contact_problem_solve(global, &def, 1, r, NULL));
        assert_ok(tl_contact_problem_measure(global, law, r, NULL, theirs, NULL, NULL));
    }
    *in_file = fmax(file_apart(global, &settings.solver, theirs),
                    file_apart(local, &settings.solver, theirs));
    const tl_report report = step_report(world, 1);
    assert_below(report.joint_residual, 1e-12);
    assert_below(report.residual, boxes ? 1e-7 : 1e-8);
    assert_true(law != TL_LAW_CONE || report.gap < (boxes ? 1e-7 : 1e-9));
    seen_velocities(world, d, u);
    for (uint32_t k = 0; k < size; k++) {
        worst = fmax(worst, fabs(u[k] - theirs[k]));
        *moved = fmax(*moved, fabs(u[k]));
    }
    tl_contact_problem_destroy(global);
    tl_contact_problem_destroy(local);
    tl_world_destroy(world);
    free(u);
    free(r);
    free(theirs);
    return worst;
}

/* Chains by the solver interior, in the world itself. (Siconos' method does not end where boxes
 * stand on four corners and are joined.) */
static void test_interior_joints(void **state)
{
    (void)state;
    const claim claims = {"a step of balls in a chain, by interior",
                          "Siconos: non-smooth Gauss-Seidel, joints eliminated densely",
                          "largest difference of a contact's velocity, m/s", "both to 1e-12"};
    const claim of_files = {"that step in a file, in both forms, by interior", claims.against,
                            claims.quantity, claims.settings};
    double moved = 0, in_file;
    context("balls");
    assert_found(&claims, "coulomb", step_apart(false, TL_LAW_COULOMB, true, &moved, &in_file), 0,
                 1e-8);
    assert_found(&of_files, "coulomb", in_file, 0, 1e-8);
    assert_above(moved, 0.1);
    for (int i = 0; i < 4; i++) {
        context("gradients %d", i);
        const double apart =
            step_apart(i & 1, i & 2 ? TL_LAW_CONE : TL_LAW_COULOMB, false, &moved, &in_file);
        assert_below(apart, i & 1 ? 1e-6 : 1e-8); /* gradients leave more of boxes */
        assert_below(in_file, i & 1 ? 1e-6 : 1e-8);
    }
}

static int begin(void **state)
{
    (void)state;
    in_folder(path, make_folder(folder), "p.hdf5");
    return 0;
}

static int end(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_merit),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_siconos),
        cmocka_unit_test(test_interior_joints),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
