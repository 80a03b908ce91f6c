/* Contact problems as matrices: what the law says of a contact, the local form of a problem, and
 * what follows from impulses. */
#include "solve/friction.h"

#include "base/vector.h"
#include "scene/check.h"

#include <math.h>
#include <string.h>

/* ---- Contacts ---- */

double tl_contact_step(const double *w, uint32_t d)
{
    double trace = 0, x[3] = {0.6, 0.64, 0.48}, largest = 0;
    for (uint32_t k = 0; k < d; k++)
        trace += w[k * d + k];
    if (!(trace > 0))
        return 0;
    for (int n = 0; n < 40; n++) { /* the largest eigenvalue, by powers */
        double y[3] = {0, 0, 0};
        for (uint32_t k = 0; k < d * d; k++)
            y[k / d] += w[k] * x[k % d];
        largest = sqrt(tl_dot(y, y));
        for (uint32_t k = 0; k < 3 && largest > 0; k++)
            x[k] = y[k] / largest;
    }
    return largest > 0 ? fmin((double)d / trace, 1.5 / largest) : (double)d / trace;
}

static double tangent(uint32_t d, const double *x)
{
    return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

/* The nearest point of the friction cone. */
static void project(uint32_t d, double mu, double *r)
{
    const double length = tangent(d, r);
    if (r[0] >= 0 && length <= mu * r[0])
        return;
    const double normal = fmax(0, (r[0] + mu * length) / (1 + mu * mu));
    const double scale = length > 0 ? mu * normal / length : 0;
    r[0] = normal;
    for (uint32_t k = 1; k < d; k++)
        r[k] *= scale;
}

void tl_contact_limit(bool coulomb, uint32_t d, double mu, double *r)
{
    if (!coulomb) {
        project(d, mu, r);
        return;
    }
    r[0] = fmax(r[0], 0);
    const double length = tangent(d, r), most = mu * r[0];
    for (uint32_t k = 1; k < d && length > most; k++)
        r[k] *= most / length;
}

double tl_contact_residual(bool coulomb, uint32_t d, double mu, double step, const double *r,
                           const double *u)
{
    double next[3] = {0, 0, 0}, seen[3] = {0, 0, 0}, own[3] = {0, 0, 0}, sum = 0;
    for (uint32_t k = 0; k < d; k++) {
        seen[k] = u[k] + (k || !coulomb ? 0 : mu * tangent(d, u));
        own[k] = r[k];
    }
    if (!(step > 0)) /* of no impulse: how far u is outside of the dual cone, for any step */
        step =
            tl_dot(own, own) > 0 && tl_dot(seen, seen) > 0 ? tl_length(own) / tl_length(seen) : 1;
    for (uint32_t k = 0; k < d; k++)
        next[k] = r[k] - step * seen[k];
    project(d, mu, next);
    for (uint32_t k = 0; k < d; k++)
        sum += (r[k] - next[k]) * (r[k] - next[k]);
    return sqrt(sum) / step;
}

/* ---- Local form ---- */

/* y = A^-1 x + y0 across B: the vectors of the local form. */
static tl_status add_solved(const tl_factor *factor, const double *x, double factor_of, tl_matrix b,
                            double *y)
{
    const size_t n = factor->size;
    tl_array work = {.item = sizeof(double)};
    TL_TRY(tl_array_resize(&work, 2 * n));
    double *solved = work.data;
    for (size_t i = 0; i < n; i++)
        solved[i] = factor_of * x[i];
    tl_factor_solve(factor, solved, solved + n);
    tl_matrix_add_across(b, solved, y);
    tl_array_free(&work);
    return TL_OK;
}

/* What a local form is made of, until it is. */
typedef struct reducing {
    tl_factor M;
    tl_columns W, T, V, R; /* T: V^T */
    tl_array q, s;
} reducing;

static tl_status copy_vector(const double *from, size_t count, tl_array *to)
{
    *to = (tl_array){.item = sizeof(double)};
    return count ? tl_array_append(to, from, count) : TL_OK;
}

static tl_status reduce(const tl_contact_problem_def *d, reducing *x)
{
    TL_TRY(tl_factor_make(d->M, "M", false, &x->M));
    TL_TRY(tl_factor_between(&x->M, d->H, d->H, &x->W));
    TL_TRY(copy_vector(d->w, (size_t)d->dimension * d->contacts, &x->q));
    TL_TRY(add_solved(&x->M, d->f, 1, d->H, x->q.data));
    if (!d->G.columns)
        return TL_OK;
    TL_TRY(tl_factor_between(&x->M, d->G, d->H, &x->T));
    TL_TRY(tl_matrix_transpose(tl_columns_view(&x->T), &x->V));
    TL_TRY(tl_factor_between(&x->M, d->G, d->G, &x->R));
    TL_TRY(copy_vector(d->b, d->G.columns, &x->s));
    return add_solved(&x->M, d->f, 1, d->G, x->s.data);
}

tl_status tl_contact_problem_reduce(const tl_contact_problem *problem, tl_contact_problem **local)
{
    reducing x = {0};
    if (local)
        *local = NULL;
    if (!problem || !local)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, problem ? "local" : "problem");
    tl_contact_problem_def d = problem->def;
    tl_status status = TL_OK;
    if (d.form == TL_PROBLEM_GLOBAL) {
        status = reduce(&d, &x);
        d.form = TL_PROBLEM_LOCAL;
        d.M = d.H = d.G = (tl_matrix){0};
        d.f = d.w = d.b = NULL;
        d.W = tl_columns_view(&x.W);
        d.V = tl_columns_view(&x.V);
        d.R = tl_columns_view(&x.R);
        d.q = x.q.data;
        d.s = x.s.data;
    }
    if (status == TL_OK)
        status = tl_contact_problem_make(&d, local);
    tl_factor_free(&x.M);
    tl_columns *const columns[] = {&x.W, &x.T, &x.V, &x.R};
    for (int i = 0; i < 4; i++)
        tl_columns_free(columns[i]);
    tl_array_free(&x.q);
    tl_array_free(&x.s);
    return status;
}

/* ---- Measuring ---- */

/* What follows from impulses, and what it takes. */
typedef struct measuring {
    const tl_contact_problem_def *d;
    uint32_t n, m, p;
    bool global;
    tl_factor M, R;           /* R: of equality constraints, where there are some */
    tl_columns rr;            /* R itself of a global form */
    tl_array v, u, l, free;   /* free: u of no impulses */
    tl_array blocks, work, x; /* x: p numbers */
} measuring;

static tl_status zeros(tl_array *a, size_t count)
{
    *a = (tl_array){.item = sizeof(double)};
    TL_TRY(tl_array_resize(a, count));
    if (count)
        memset(a->data, 0, count * sizeof(double));
    return TL_OK;
}

static void measuring_free(measuring *x)
{
    tl_array *const all[] = {&x->v, &x->u, &x->l, &x->free, &x->blocks, &x->work, &x->x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_factor_free(&x->M);
    tl_factor_free(&x->R);
    tl_columns_free(&x->rr);
}

static tl_status prepare(const tl_contact_problem *problem, measuring *x)
{
    const tl_contact_problem_def *d = &problem->def;
    *x = (measuring){.d = d, .global = d->form == TL_PROBLEM_GLOBAL};
    x->n = x->global ? d->M.rows : 0;
    x->m = d->dimension * d->contacts;
    x->p = x->global ? d->G.columns : d->R.columns;
    const uint32_t most = x->n > x->p ? x->n : x->p;
    TL_TRY(zeros(&x->v, x->n));
    TL_TRY(zeros(&x->u, x->m));
    TL_TRY(zeros(&x->free, x->m));
    TL_TRY(zeros(&x->l, x->p));
    TL_TRY(zeros(&x->x, x->p));
    TL_TRY(zeros(&x->work, most));
    TL_TRY(zeros(&x->blocks, (size_t)d->dimension * x->m));
    if (x->global)
        TL_TRY(tl_factor_make(d->M, "M", false, &x->M));
    if (x->global && x->p)
        TL_TRY(tl_factor_between(&x->M, d->G, d->G, &x->rr));
    if (x->p)
        TL_TRY(tl_factor_make(x->global ? tl_columns_view(&x->rr) : d->R, "R", true, &x->R));
    return TL_OK;
}

static void copy_numbers(const double *from, size_t count, double *to)
{
    if (count)
        memcpy(to, from, count * sizeof *to);
}

/* l, v and u of impulses r (NULL: none). Twice for the constraints: their factors leave a little
 * where rows follow from others. */
static void follow(measuring *x, const double *r, double *u)
{
    const tl_contact_problem_def *d = x->d;
    double *v = x->v.data, *l = x->l.data, *side = x->x.data, *work = x->work.data;
    for (uint32_t i = 0; i < x->p; i++)
        l[i] = 0;
    for (int pass = 0; pass < (x->p ? 3 : 1); pass++) {
        if (x->global) {
            copy_numbers(d->f, x->n, v);
            if (r)
                tl_matrix_add(d->H, r, v);
            tl_matrix_add(d->G, l, v);
            tl_factor_solve(&x->M, v, work);
        }
        if (!x->p || pass == 2)
            break;
        copy_numbers(x->global ? d->b : d->s, x->p, side);
        if (x->global) {
            tl_matrix_add_across(d->G, v, side);
        } else {
            if (r)
                tl_matrix_add_across(d->V, r, side);
            tl_matrix_add(d->R, l, side);
        }
        tl_factor_solve(&x->R, side, work);
        for (uint32_t i = 0; i < x->p; i++)
            l[i] -= side[i];
    }
    copy_numbers(x->global ? d->w : d->q, x->m, u);
    if (x->global) {
        tl_matrix_add_across(d->H, v, u);
        return;
    }
    if (r)
        tl_matrix_add(d->W, r, u);
    tl_matrix_add(d->V, l, u);
}

/* Those of a local form. */
static void add_blocks(const tl_contact_problem_def *d, double *blocks)
{
    const uint32_t width = d->dimension;
    for (uint32_t c = 0; c < d->W.columns; c++)
        for (uint32_t i = d->W.start[c]; i < d->W.start[c + 1]; i++)
            if (d->W.row[i] / width == c / width)
                blocks[(size_t)width * d->W.row[i] + c % width] += d->W.value[i];
}

/* Each contact's own block of W, for its step length. */
static tl_status find_blocks(measuring *x)
{
    if (x->global)
        return tl_factor_blocks(&x->M, x->d->H, x->d->dimension, x->blocks.data);
    add_blocks(x->d, x->blocks.data);
    return TL_OK;
}

tl_status tl_contact_blocks(const tl_contact_problem *problem, double *blocks)
{
    const tl_contact_problem_def *d = &problem->def;
    tl_factor factor = {0};
    memset(blocks, 0, (size_t)d->dimension * d->dimension * d->contacts * sizeof *blocks);
    if (d->form != TL_PROBLEM_GLOBAL) {
        add_blocks(d, blocks);
        return TL_OK;
    }
    tl_status status = tl_factor_make(d->M, "M", false, &factor);
    if (status == TL_OK)
        status = tl_factor_blocks(&factor, d->H, d->dimension, blocks);
    tl_factor_free(&factor);
    return status;
}

/* The norm of what r leaves of equality constraints over 1 + that of s, as FCLIB has it. */
static tl_status constraint_error(measuring *x, const double *r, double *error)
{
    const tl_contact_problem_def *d = x->d;
    tl_array sides;
    double left = 0, size = 0;
    *error = 0;
    if (!x->p)
        return TL_OK;
    TL_TRY(zeros(&sides, x->p));
    double *side = sides.data, *s = x->x.data;
    copy_numbers(x->global ? d->b : d->s, x->p, side);
    copy_numbers(side, x->p, s);
    if (x->global) {
        tl_matrix_add_across(d->G, x->v.data, side);
        const tl_status status = add_solved(&x->M, d->f, 1, d->G, s);
        if (status != TL_OK) {
            tl_array_free(&sides);
            return status;
        }
    } else {
        tl_matrix_add_across(d->V, r, side);
        tl_matrix_add(d->R, x->l.data, side);
    }
    for (uint32_t i = 0; i < x->p; i++) {
        left += side[i] * side[i];
        size += s[i] * s[i];
    }
    *error = sqrt(left) / (1 + sqrt(size));
    tl_array_free(&sides);
    return TL_OK;
}

/* |q|, of the local form: velocities without impulses and multipliers. */
static tl_status free_size(measuring *x, double *size)
{
    const tl_contact_problem_def *d = x->d;
    double sum = 0;
    tl_array q;
    TL_TRY(copy_vector(x->global ? d->w : d->q, x->m, &q));
    const tl_status status = x->global && x->m ? add_solved(&x->M, d->f, 1, d->H, q.data) : TL_OK;
    for (uint32_t i = 0; i < x->m; i++)
        sum += ((const double *)q.data)[i] * ((const double *)q.data)[i];
    tl_array_free(&q);
    *size = sqrt(sum);
    return status;
}

static tl_status measure(measuring *x, tl_law law, const double *r, tl_contact_answer *answer)
{
    const tl_contact_problem_def *d = x->d;
    const uint32_t width = d->dimension;
    const bool coulomb = law != TL_LAW_CONE;
    double sum = 0, map = 0, constraints, size;
    uint32_t counted = 0;
    follow(x, NULL, x->free.data);
    follow(x, r, x->u.data);
    TL_TRY(find_blocks(x));
    TL_TRY(constraint_error(x, r, &constraints));
    TL_TRY(free_size(x, &size));
    *answer = (tl_contact_answer){.gap = NAN};
    for (uint32_t c = 0; c < d->contacts; c++) {
        const double *u = (const double *)x->u.data + width * c, *own = r + width * c;
        const double *free = (const double *)x->free.data + width * c;
        const double step =
            tl_contact_step((const double *)x->blocks.data + (size_t)width * width * c, width);
        const double natural = tl_contact_residual(coulomb, width, d->mu[c], 1, own, u);
        map += natural * natural;
        for (uint32_t k = 0; k < width; k++)
            answer->objective += 0.5 * own[k] * (u[k] + free[k]);
        const double residual = tl_contact_residual(coulomb, width, d->mu[c], step, own, u);
        sum += residual * residual;
        answer->worst = fmax(answer->worst, residual);
        counted += step > 0 || residual > 0;
        if (!(step > 0) && residual > 0) /* which no impulse can mend */
            answer->gap = INFINITY;
    }
    answer->residual = counted ? sqrt(sum / counted) : 0;
    answer->fclib = sqrt(map) / (1 + sqrt(size)) + constraints;
    return TL_OK;
}

tl_status tl_contact_measure(const tl_contact_problem *problem, tl_law law, const double *r,
                             double *v, double *u, double *l, tl_contact_answer *answer)
{
    measuring x = {0};
    tl_contact_answer found;
    tl_status status = prepare(problem, &x);
    if (status == TL_OK)
        status = measure(&x, law, r, &found);
    if (status == TL_OK) {
        if (v && x.n)
            memcpy(v, x.v.data, x.n * sizeof *v);
        if (u && x.m)
            memcpy(u, x.u.data, x.m * sizeof *u);
        if (l && x.p)
            memcpy(l, x.l.data, x.p * sizeof *l);
        if (answer)
            *answer = found;
    }
    measuring_free(&x);
    return status;
}

static void clear_outputs(const tl_contact_problem_def *d, double *v, double *u, double *l)
{
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    const struct {
        double *numbers;
        size_t count;
    } all[3] = {{v, global ? d->M.rows : 0},
                {u, (size_t)d->dimension * d->contacts},
                {l, global ? d->G.columns : d->R.columns}};
    for (int i = 0; i < 3; i++)
        if (all[i].numbers && all[i].count)
            memset(all[i].numbers, 0, all[i].count * sizeof(double));
}

static tl_status check_given(const tl_contact_problem_def *d, tl_law law, const double *r)
{
    const tl_place place = tl_place_of("");
    TL_TRY(tl_check_enum(&place, "law", law, TL_WORDS_LAW));
    if (!r && d->contacts)
        return tl_fail(TL_BAD_ARGUMENT, "tl_contact_problem_measure: r is NULL");
    for (size_t i = 0; i < (size_t)d->dimension * d->contacts; i++)
        if (!isfinite(r[i]))
            return tl_fail(TL_BAD_ARGUMENT, "r[%zu] is %g; it must be finite", i, r[i]);
    return TL_OK;
}

tl_status tl_contact_problem_measure(const tl_contact_problem *problem, tl_law law, const double *r,
                                     double *v, double *u, double *l, tl_contact_answer *answer)
{
    if (answer)
        *answer = (tl_contact_answer){0};
    if (!problem)
        return tl_fail(TL_BAD_ARGUMENT, "%s: problem is NULL", __func__);
    clear_outputs(&problem->def, v, u, l);
    TL_TRY(check_given(&problem->def, law, r));
    return tl_contact_measure(problem, law, r, v, u, l, answer);
}
