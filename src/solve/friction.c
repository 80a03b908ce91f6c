/* Contact problems as matrices: checked, made, and handed to a solver. */
#include "solve/friction.h"

#include "base/clock.h"
#include "scene/scene.h"
#include "talus/words.h"

#include <math.h>
#include <string.h>

/* ---- Checks ---- */

static tl_status check_matrix(const char *name, tl_matrix a, uint32_t rows, uint32_t columns)
{
    if (a.rows != rows || a.columns != columns)
        return tl_fail(TL_BAD_ARGUMENT, "%s is %u x %u; it must be %u x %u", name, a.rows,
                       a.columns, rows, columns);
    if (!columns)
        return TL_OK;
    if (!a.start)
        return tl_fail(TL_BAD_ARGUMENT, "%s.start is NULL", name);
    if (a.start[0])
        return tl_fail(TL_BAD_ARGUMENT, "%s.start[0] is %u; it must be 0", name, a.start[0]);
    for (uint32_t c = 0; c < columns; c++)
        if (a.start[c + 1] < a.start[c])
            return tl_fail(TL_BAD_ARGUMENT,
                           "%s.start[%u] is %u; it must not be below the %u before", name, c + 1,
                           a.start[c + 1], a.start[c]);
    if (a.start[columns] > INT32_MAX)
        return tl_fail(TL_TOO_LARGE, "%s has %u entries; the limit is 2^31 - 1", name,
                       a.start[columns]);
    if (a.start[columns] && (!a.row || !a.value))
        return tl_fail(TL_BAD_ARGUMENT, "%s.%s is NULL", name, a.row ? "value" : "row");
    for (uint32_t i = 0; i < a.start[columns]; i++) {
        if (a.row[i] >= rows)
            return tl_fail(TL_BAD_ARGUMENT, "%s.row[%u] is %u; it must be below %u", name, i,
                           a.row[i], rows);
        if (!isfinite(a.value[i]))
            return tl_fail(TL_BAD_ARGUMENT, "%s.value[%u] is %g; it must be finite", name, i,
                           a.value[i]);
    }
    return TL_OK;
}

static tl_status check_vector(const char *name, const double *x, uint32_t count, double least)
{
    if (count && !x)
        return tl_fail(TL_BAD_ARGUMENT, "%s is NULL; it must have %u numbers", name, count);
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || x[i] < least)
            return tl_fail(TL_BAD_ARGUMENT, "%s[%u] is %g; it must be finite%s", name, i, x[i],
                           least == 0 ? " and not negative" : "");
    return TL_OK;
}

/* What belongs to the other form. */
static tl_status check_others(const tl_contact_problem_def *d, bool global)
{
    const struct {
        const char *name;
        tl_matrix matrix;
    } matrices[2][3] = {{{"M", d->M}, {"H", d->H}, {"G", d->G}},
                        {{"W", d->W}, {"V", d->V}, {"R", d->R}}};
    const struct {
        const char *name;
        const double *vector;
    } vectors[2][3] = {{{"f", d->f}, {"w", d->w}, {"b", d->b}}, {{"q", d->q}, {"s", d->s}}};
    const char *form = global ? "global" : "local";
    for (int i = 0; i < 3; i++) {
        const tl_matrix a = matrices[global][i].matrix;
        if (a.rows || a.columns)
            return tl_fail(TL_BAD_ARGUMENT, "%s is %u x %u; it must be empty in %s form",
                           matrices[global][i].name, a.rows, a.columns, form);
        if (vectors[global][i].vector)
            return tl_fail(TL_BAD_ARGUMENT, "%s is not NULL; it must be in %s form",
                           vectors[global][i].name, form);
    }
    return TL_OK;
}

static tl_status check(const tl_contact_problem_def *d)
{
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    if (!global && d->form != TL_PROBLEM_LOCAL)
        return tl_fail(TL_BAD_ARGUMENT, "form is %d; it must be global or local", (int)d->form);
    if (d->dimension != 2 && d->dimension != 3)
        return tl_fail(TL_BAD_ARGUMENT, "dimension is %u; it must be 2 or 3", d->dimension);
    if (d->contacts > INT32_MAX / d->dimension)
        return tl_fail(TL_TOO_LARGE, "%u contacts; the limit is %u", d->contacts,
                       INT32_MAX / d->dimension);
    TL_TRY(check_others(d, global));
    const uint32_t m = d->dimension * d->contacts, n = d->M.rows;
    const uint32_t p = global ? d->G.columns : d->R.columns;
    if (global) {
        TL_TRY(check_matrix("M", d->M, n, n));
        TL_TRY(check_matrix("H", d->H, n, m));
        TL_TRY(check_matrix("G", d->G, p ? n : d->G.rows, p));
        TL_TRY(check_vector("f", d->f, n, -INFINITY));
        TL_TRY(check_vector("w", d->w, m, -INFINITY));
        TL_TRY(check_vector("b", d->b, p, -INFINITY));
    } else {
        TL_TRY(check_matrix("W", d->W, m, m));
        TL_TRY(check_matrix("V", d->V, p ? m : d->V.rows, p));
        TL_TRY(check_matrix("R", d->R, p, p));
        TL_TRY(check_vector("q", d->q, m, -INFINITY));
        TL_TRY(check_vector("s", d->s, p, -INFINITY));
    }
    TL_TRY(check_vector("mu", d->mu, d->contacts, 0));
    return d->guess ? check_vector("guess", d->guess, m, -INFINITY) : TL_OK;
}

static tl_status check_symmetry(const tl_contact_problem_def *d)
{
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    TL_TRY(tl_matrix_check_symmetry(global ? d->M : d->W, global ? "M" : "W"));
    return global ? TL_OK : tl_matrix_check_symmetry(d->R, "R");
}

/* ---- Making ---- */

/* A copy of an array that lives with the problem. */
static tl_status keep(tl_contact_problem *p, int *next, const void *from, size_t count, size_t item,
                      const void *out)
{
    tl_array *to = &p->arrays[(*next)++];
    to->item = item;
    if (from)
        TL_TRY(tl_array_append(to, from, count));
    memcpy((void *)out, &to->data, sizeof to->data);
    return TL_OK;
}

static tl_status keep_matrix(tl_contact_problem *p, int *next, tl_matrix *a)
{
    static const uint32_t none[] = {0};
    if (!a->columns) /* whoever reads a problem finds start[columns] */
        *a = (tl_matrix){.start = none};
    const size_t entries = a->start[a->columns];
    TL_TRY(keep(p, next, a->start, (size_t)a->columns + 1, sizeof *a->start, &a->start));
    TL_TRY(keep(p, next, a->row, entries, sizeof *a->row, &a->row));
    return keep(p, next, a->value, entries, sizeof *a->value, &a->value);
}

static tl_status keep_text(tl_contact_problem *p, int *next, const char **text)
{
    const char *from = *text ? *text : "";
    return keep(p, next, from, strlen(from) + 1, 1, text);
}

static tl_status keep_all(tl_contact_problem *p)
{
    tl_contact_problem_def *d = &p->def;
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    const size_t n = global ? d->M.rows : 0, m = (size_t)d->dimension * d->contacts;
    const size_t joints = global ? d->G.columns : d->R.columns, item = sizeof(double);
    int next = 0;
    tl_matrix *const matrices[] = {&d->M, &d->H, &d->G, &d->W, &d->V, &d->R};
    for (int i = 0; i < 6; i++)
        TL_TRY(keep_matrix(p, &next, matrices[i]));
    d->H.rows = (uint32_t)n; /* also where there are no contacts */
    TL_TRY(keep(p, &next, d->f, n, item, &d->f));
    TL_TRY(keep(p, &next, d->w, m, item, &d->w));
    TL_TRY(keep(p, &next, d->b, joints, item, &d->b));
    TL_TRY(keep(p, &next, d->q, m, item, &d->q));
    TL_TRY(keep(p, &next, d->s, joints, item, &d->s));
    TL_TRY(keep(p, &next, d->mu, d->contacts, item, &d->mu));
    TL_TRY(keep(p, &next, d->guess, m, item, &d->guess));
    TL_TRY(keep_text(p, &next, &d->title));
    TL_TRY(keep_text(p, &next, &d->description));
    return keep_text(p, &next, &d->math_info);
}

tl_status tl_contact_problem_make(const tl_contact_problem_def *def, tl_contact_problem **out)
{
    *out = NULL;
    TL_TRY(check(def));
    tl_contact_problem *p = tl_alloc_zero(sizeof *p);
    if (!p)
        return TL_NO_MEMORY;
    p->def = *def;
    const tl_status status = keep_all(p);
    if (status != TL_OK) {
        tl_contact_problem_destroy(p);
        return status;
    }
    *out = p;
    return TL_OK;
}

tl_status tl_contact_problem_create(const tl_contact_problem_def *def, tl_contact_problem **out)
{
    if (out)
        *out = NULL;
    if (!def || !out)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, def ? "problem" : "def");
    TL_TRY(tl_contact_problem_make(def, out));
    const tl_status status = check_symmetry(&(*out)->def);
    if (status != TL_OK) {
        tl_contact_problem_destroy(*out);
        *out = NULL;
    }
    return status;
}

void tl_contact_problem_destroy(tl_contact_problem *p)
{
    if (!p)
        return;
    for (int i = 0; i < TL_FRICTION_ARRAYS; i++)
        tl_array_free(&p->arrays[i]);
    tl_free(p, sizeof *p);
}

const tl_contact_problem_def *tl_contact_problem_read(const tl_contact_problem *p)
{
    return p ? &p->def : NULL;
}

/* ---- Solving ---- */

static tl_status solve_rows(tl_rigid *rigid, const tl_solver_def *def, double *r,
                            tl_solution *solution)
{
    tl_rigid_start(rigid, r);
    TL_TRY(tl_solve(rigid->backend, &rigid->workspace, &rigid->problem, def, def->iterations,
                    solution));
    return tl_rigid_read(rigid, r);
}

static tl_status solve_local(const tl_contact_problem *problem, const tl_solver_def *def, double *r,
                             double *begin, tl_solution *solution)
{
    tl_local local = {0};
    tl_status status = tl_local_make(problem, &local);
    *begin = tl_now();
    if (status == TL_OK)
        status = tl_local_solve(&local, def, r, solution);
    tl_local_free(&local);
    return status;
}

static tl_status solve(const tl_contact_problem *problem, const tl_solver_def *def,
                       uint32_t threads, double *r, tl_contact_answer *answer)
{
    tl_solution solution = {0, NAN, NAN};
    tl_rigid rigid;
    bool rows = false;
    double begin;
    tl_status status = tl_rigid_make(problem, threads, &rows, &rigid);
    begin = tl_now();
    if (status == TL_OK && rows)
        status = solve_rows(&rigid, def, r, &solution);
    else if (status == TL_OK && def->kind == TL_INTERIOR)
        status = tl_general_solve(problem, def, threads, r, &solution);
    else if (status == TL_OK)
        status = solve_local(problem, def, r, &begin, &solution);
    const double seconds = 1e-3 * (tl_now() - begin);
    tl_rigid_free(&rigid);
    TL_TRY(status);
    TL_TRY(tl_contact_measure(problem, tl_solver_law(def), r, NULL, NULL, NULL, answer));
    if (!isfinite(answer->residual) || !isfinite(answer->objective))
        return tl_fail(TL_DIVERGED,
                       "the solver %s diverged: after %u iterations the residual is %g m/s and the "
                       "objective %g; they must be finite",
                       tl_word(TL_WORDS_SOLVER, def->kind), solution.iterations, answer->residual,
                       answer->objective);
    answer->iterations = solution.iterations;
    answer->rows = rows;
    answer->seconds = seconds;
    if (!isinf(answer->gap)) /* else there is no solution */
        answer->gap = solution.gap;
    return TL_OK;
}

tl_status tl_contact_problem_solve(const tl_contact_problem *problem, const tl_solver_def *def,
                                   uint32_t threads, double *r, tl_contact_answer *answer)
{
    tl_settings settings = tl_settings_default();
    tl_contact_answer found = {0};
    const size_t bytes =
        problem ? (size_t)problem->def.dimension * problem->def.contacts * sizeof *r : 0;
    if (answer)
        *answer = found;
    if (r && bytes)
        memset(r, 0, bytes);
    if (!problem || !def || !r)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__,
                       !problem ? "problem"
                       : !def   ? "def"
                                : "r");
    settings.solver = *def;
    settings.solver.joints = TL_JOINTS_EXACT;
    settings.threads = threads;
    TL_TRY(tl_settings_check(&settings));
    if (def->warm_start && problem->def.guess)
        memcpy(r, problem->def.guess, bytes);
    const tl_status status = solve(problem, def, threads, r, &found);
    if (status != TL_OK)
        memset(r, 0, bytes);
    else if (answer)
        *answer = found;
    return status;
}
