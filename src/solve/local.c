/* Contact problems given by W alone, or by matrices of any kind, solved on the host in 64-bit by
 * one thread: u = N r + g, with N sparse. The methods are those of the rows (psor.c, jacobi.c,
 * descend.c), in their plainest form. */
#include "solve/friction.h"

#include <math.h>
#include <string.h>

#define CHECK_EVERY 4u   /* sweeps between looks at the residual */
#define HISTORY     10u  /* values of the objective that the spectral method looks back at */
#define LINE        1e-4 /* part of the slope that a step has to bring */

/* ---- N ---- */

void tl_local_free(tl_local *l)
{
    tl_columns_free(&l->rows);
    tl_array_free(&l->g);
    tl_array_free(&l->mu);
    tl_array_free(&l->step);
}

static tl_status append_entries(tl_matrix a, double factor, tl_array *entries)
{
    for (uint32_t c = 0; c < a.columns; c++)
        for (uint32_t i = a.start[c]; i < a.start[c + 1]; i++) {
            /* row by row: rows and columns change places */
            const tl_entry entry = {c, a.row[i], factor * a.value[i]};
            TL_TRY(tl_array_append(entries, &entry, 1));
        }
    return TL_OK;
}

/* N = W - V R^-1 V^T and g = q - V R^-1 s. */
static tl_status eliminate(const tl_contact_problem_def *d, tl_array *entries, double *g)
{
    tl_factor R = {0};
    tl_columns across = {0}, less = {0};
    tl_array work = {.item = sizeof(double)};
    const size_t p = d->R.columns;
    tl_status status = tl_factor_make(d->R, "R", true, &R);
    if (status == TL_OK)
        status = tl_matrix_transpose(d->V, &across);
    if (status == TL_OK)
        status = tl_factor_between(&R, tl_columns_view(&across), tl_columns_view(&across), &less);
    if (status == TL_OK)
        status = append_entries(tl_columns_view(&less), -1, entries);
    if (status == TL_OK)
        status = tl_array_resize(&work, 2 * p);
    if (status == TL_OK) {
        double *x = work.data;
        for (size_t i = 0; i < p; i++)
            x[i] = -d->s[i];
        tl_factor_solve(&R, x, x + p);
        tl_matrix_add(d->V, x, g);
    }
    tl_factor_free(&R);
    tl_columns_free(&across);
    tl_columns_free(&less);
    tl_array_free(&work);
    return status;
}

/* The own block of contact c. */
static void own_block(const tl_local *l, uint32_t c, double *block)
{
    const tl_matrix n = tl_columns_view(&l->rows);
    const uint32_t d = l->dimension;
    memset(block, 0, 9 * sizeof *block);
    for (uint32_t k = 0; k < d; k++)
        for (uint32_t i = n.start[d * c + k]; i < n.start[d * c + k + 1]; i++)
            if (n.row[i] / d == c)
                block[k * d + n.row[i] % d] += n.value[i];
}

static tl_status load(const tl_contact_problem_def *d, tl_local *l)
{
    tl_array entries = {.item = sizeof(tl_entry)};
    l->dimension = d->dimension;
    l->contacts = d->contacts;
    l->size = d->dimension * d->contacts;
    l->g.item = l->mu.item = l->step.item = sizeof(double);
    TL_TRY(tl_array_append(&l->g, d->q, l->size));
    TL_TRY(tl_array_append(&l->mu, d->mu, l->contacts));
    TL_TRY(tl_array_resize(&l->step, l->contacts));
    tl_status status = append_entries(d->W, 1, &entries);
    if (status == TL_OK && d->R.columns)
        status = eliminate(d, &entries, l->g.data);
    if (status == TL_OK)
        status = tl_columns_make(l->size, l->size, entries.data, entries.count, &l->rows);
    tl_array_free(&entries);
    for (uint32_t c = 0; c < l->contacts && status == TL_OK; c++) {
        double block[9];
        own_block(l, c, block);
        ((double *)l->step.data)[c] = tl_contact_step(block, l->dimension);
    }
    return status;
}

tl_status tl_local_make(const tl_contact_problem *problem, tl_local *l)
{
    tl_contact_problem *local = NULL;
    *l = (tl_local){0};
    TL_TRY(tl_contact_problem_reduce(problem, &local));
    const tl_status status = load(&local->def, l);
    tl_contact_problem_destroy(local);
    return status;
}

/* ---- What all methods need ---- */

typedef struct solving {
    const tl_local *l;
    const tl_solver_def *def;
    tl_matrix n;
    const double *g, *mu, *step;
    bool coulomb;
    double *r, *u;
    tl_array room;
    tl_solution *out;
} solving;

/* Row i of N times x, and g. */
static double row_velocity(const solving *s, uint32_t i, const double *x)
{
    double sum = s->g[i];
    for (uint32_t k = s->n.start[i]; k < s->n.start[i + 1]; k++)
        sum += s->n.value[k] * x[s->n.row[k]];
    return sum;
}

static void velocities(const solving *s, const double *x, double *u)
{
    for (uint32_t i = 0; i < s->l->size; i++)
        u[i] = row_velocity(s, i, x);
}

/* The residual of r and u; whether that is enough. */
static bool enough(solving *s)
{
    const uint32_t d = s->l->dimension;
    double sum = 0;
    uint32_t counted = 0;
    for (uint32_t c = 0; c < s->l->contacts; c++) {
        const double one =
            tl_contact_residual(s->coulomb, d, s->mu[c], s->step[c], s->r + d * c, s->u + d * c);
        sum += one * one;
        counted += s->step[c] > 0 || one > 0;
    }
    s->out->residual = counted ? sqrt(sum / counted) : 0;
    return s->def->tolerance > 0 && s->out->residual <= s->def->tolerance;
}

/* r - step u, of one contact, put where the law has it. */
static void advance(const solving *s, uint32_t c, double step, const double *from, const double *u,
                    double *to)
{
    const uint32_t d = s->l->dimension;
    for (uint32_t k = 0; k < d; k++)
        to[d * c + k] = from[d * c + k] - step * u[d * c + k];
    tl_contact_limit(s->coulomb, d, s->mu[c], to + d * c);
}

/* ---- Sweeps ---- */

static void run_psor(solving *s)
{
    const uint32_t d = s->l->dimension;
    const double omega = s->def->omega > 0 ? s->def->omega : 1;
    for (uint32_t i = 0; i < s->def->iterations; i++) {
        for (uint32_t c = 0; c < s->l->contacts; c++) {
            for (uint32_t k = 0; k < d; k++)
                s->u[d * c + k] = row_velocity(s, d * c + k, s->r);
            advance(s, c, omega * s->step[c], s->r, s->u, s->r);
        }
        s->out->iterations++;
        if (s->out->iterations % CHECK_EVERY && i + 1 < s->def->iterations)
            continue;
        velocities(s, s->r, s->u);
        if (enough(s))
            return;
    }
}

/* A bound of what a contact's rows of N do: steps of 1 over it are safe for all at once. */
static double crowd(const solving *s, uint32_t c)
{
    const uint32_t d = s->l->dimension;
    double most = 0;
    for (uint32_t k = 0; k < d; k++) {
        double sum = 0;
        for (uint32_t i = s->n.start[d * c + k]; i < s->n.start[d * c + k + 1]; i++)
            sum += fabs(s->n.value[i]);
        most = fmax(most, sum);
    }
    return most;
}

static void run_jacobi(solving *s)
{
    const double omega = s->def->omega > 0 ? s->def->omega : 1, lambda = s->def->lambda;
    const uint32_t d = s->l->dimension;
    double *next = s->u + s->l->size, *bound = next + s->l->size;
    for (uint32_t c = 0; c < s->l->contacts; c++)
        bound[c] = crowd(s, c);
    velocities(s, s->r, s->u);
    for (uint32_t i = 0; i < s->def->iterations; i++) {
        for (uint32_t c = 0; c < s->l->contacts; c++) {
            advance(s, c, bound[c] > 0 ? omega / bound[c] : 0, s->r, s->u, next);
            for (uint32_t k = d * c; k < d * c + d; k++)
                s->r[k] += lambda * (next[k] - s->r[k]);
        }
        s->out->iterations++;
        velocities(s, s->r, s->u);
        if (s->out->iterations % CHECK_EVERY == 0 && enough(s))
            return;
    }
    enough(s);
}

/* ---- Gradients ---- */

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* r . N r / 2 + g . r, of r and its u. */
static double objective(const solving *s, const double *r, const double *u)
{
    return 0.5 * (dot(r, u, s->l->size) + dot(r, s->g, s->l->size));
}

/* A point moved along its gradient by a length, and its velocities. */
static void step_from(const solving *s, double length, const double *from, const double *u,
                      double *to, double *to_u)
{
    for (uint32_t c = 0; c < s->l->contacts; c++)
        advance(s, c, s->step[c] > 0 ? length : 0, from, u, to);
    velocities(s, to, to_u);
}

/* What the best residual so far belongs to. */
static void keep_best(const solving *s, double *best, double *least)
{
    if (s->out->residual < *least) {
        *least = s->out->residual;
        memcpy(best, s->r, s->l->size * sizeof *best);
    }
}

/* Accelerated projected gradients with backtracking and restarts (document 002). Under Coulomb's
 * law there is no objective: the length is then what the operator bears between the two points. */
static void run_apgd(solving *s)
{
    const uint32_t size = s->l->size;
    double *y = s->u + size, *uy = y + size, *x = uy + size, *ux = x + size, *best = ux + size;
    double length = 0, theta = 1, least = INFINITY;
    for (uint32_t c = 0; c < s->l->contacts; c++)
        length = fmax(length, s->step[c]);
    velocities(s, s->r, s->u);
    memcpy(best, s->r, size * sizeof *best);
    memcpy(y, s->r, size * sizeof *y);
    memcpy(uy, s->u, size * sizeof *uy);
    enough(s);
    keep_best(s, best, &least);
    while (s->out->iterations < s->def->iterations && length > 0) {
        double bend, square, turn = 0;
        for (;;) { /* (x - y) . N (x - y) must not be above |x - y|^2 / length */
            step_from(s, length, y, uy, x, ux);
            bend = square = 0;
            for (uint32_t i = 0; i < size; i++) {
                bend += (x[i] - y[i]) * (ux[i] - uy[i]);
                square += (x[i] - y[i]) * (x[i] - y[i]);
            }
            s->out->iterations++;
            if (!(bend * length > square) || s->out->iterations >= s->def->iterations)
                break;
            length = fmin(0.5 * length, 0.9 * square / bend);
        }
        const double next = 0.5 * (sqrt(theta * theta * (theta * theta + 4)) - theta * theta);
        const double part = theta * (1 - theta) / (theta * theta + next);
        for (uint32_t i = 0; i < size; i++)
            turn += uy[i] * (x[i] - s->r[i]);
        theta = turn > 0 ? 1 : next;
        for (uint32_t i = 0; i < size; i++) {
            const double push = turn > 0 ? 0 : part;
            y[i] = x[i] + push * (x[i] - s->r[i]);
            uy[i] = ux[i] + push * (ux[i] - s->u[i]);
        }
        memcpy(s->r, x, size * sizeof *x);
        memcpy(s->u, ux, size * sizeof *ux);
        length *= 1.1;
        if (enough(s))
            return;
        keep_best(s, best, &least);
    }
    memcpy(s->r, best, size * sizeof *best);
    velocities(s, s->r, s->u);
    enough(s);
}

/* Spectral projected gradients: Barzilai and Borwein's lengths, and a line search that looks back.
 */
static void run_spg(solving *s)
{
    const uint32_t size = s->l->size;
    double *x = s->u + size, *ux = x + size, *best = ux + size, past[HISTORY];
    double length = 0, least = INFINITY;
    for (uint32_t c = 0; c < s->l->contacts; c++)
        length = fmax(length, s->step[c]);
    velocities(s, s->r, s->u);
    memcpy(best, s->r, size * sizeof *best);
    for (uint32_t i = 0; i < HISTORY; i++)
        past[i] = -INFINITY;
    past[0] = objective(s, s->r, s->u);
    while (s->out->iterations < s->def->iterations && length > 0) {
        double slope = 0, highest = -INFINITY, part = 1, bend = 0, square = 0;
        if (enough(s))
            return;
        keep_best(s, best, &least);
        step_from(s, length, s->r, s->u, x, ux);
        for (uint32_t i = 0; i < size; i++)
            slope += s->u[i] * (x[i] - s->r[i]);
        for (uint32_t i = 0; i < HISTORY; i++)
            highest = fmax(highest, past[i]);
        /* along the way to x the objective is a parabola */
        const double at_end = objective(s, x, ux), at_start = objective(s, s->r, s->u);
        const double curve = at_end - at_start - slope;
        while (!s->coulomb && slope < 0 && part > 1e-6 &&
               at_start + part * slope + part * part * curve > highest + LINE * part * slope)
            part *= 0.5;
        for (uint32_t i = 0; i < size; i++) {
            const double dx = part * (x[i] - s->r[i]), du = part * (ux[i] - s->u[i]);
            s->r[i] += dx;
            s->u[i] += du;
            bend += dx * du;
            square += dx * dx;
        }
        s->out->iterations++;
        past[s->out->iterations % HISTORY] = objective(s, s->r, s->u);
        if (!(square > 0))
            break;
        length = bend > 0 ? square / bend : 10 * length;
    }
    enough(s);
    keep_best(s, best, &least);
    memcpy(s->r, best, size * sizeof *best);
    velocities(s, s->r, s->u);
    enough(s);
}

tl_status tl_local_solve(const tl_local *l, const tl_solver_def *def, double *r, tl_solution *out)
{
    solving s = {.l = l,
                 .def = def,
                 .n = tl_columns_view(&l->rows),
                 .g = l->g.data,
                 .mu = l->mu.data,
                 .step = l->step.data,
                 .coulomb = tl_solver_law(def) == TL_LAW_COULOMB,
                 .r = r,
                 .room = {.item = sizeof(double)},
                 .out = out};
    *out = (tl_solution){0, 0, NAN};
    if (!l->size)
        return TL_OK;
    TL_TRY(tl_array_resize(&s.room, 6 * (size_t)l->size));
    s.u = s.room.data;
    for (uint32_t i = 0; i < l->size; i++) /* what moves nothing stays nothing */
        r[i] = s.step[i / l->dimension] > 0 ? r[i] : 0;
    switch (def->kind) {
    case TL_PSOR: run_psor(&s); break;
    case TL_JACOBI: run_jacobi(&s); break;
    case TL_SPG: run_spg(&s); break;
    default: run_apgd(&s); break;
    }
    tl_array_free(&s.room);
    return TL_OK;
}
