/* The solver "interior": problems of the cone law solved to the last digits that 64 bits have, with
 * a certificate, the duality gap; Coulomb's law by outer steps on De Saxce's term. By
 * factorizations on the host, wherever the problem is (docs/theory.md, "Certified solutions").
 *
 * The interior path (interior.c) finds which contacts open, stick and slip, from anywhere and in
 * some twenty factorizations; the rounds of finish.c find the digits that it cannot. */
#include "solve/finish.h"

#include <math.h>
#include <string.h>

#define ROUNDS   200u /* at most */
#define FEW      12u  /* rounds without a gain that end it; */
#define TRIES    40u  /* where De Saxce's terms change, by smaller steps after each RESTART */
#define RESTART  6u
#define PATIENT  25u   /* steps of the path without a gain that end it: impulses may have to grow */
#define NEAR     1e-8  /* of the usual velocity: where the path ends, if rounding does not end it */
#define DIGITS   2e-8  /* of it: the residual that is asked for where no tolerance is given */
#define GAP      1e-10 /* the relative gap that is asked for, under the cone law */
#define STIFF    1e2   /* of the first round, in units of step lengths; */
#define FIRM     1e2   /* where De Saxce's terms are still to change much */
#define ROUNDING 1e-15 /* of stiffness and usual velocity: what a round may leave */

/* A usual velocity: how fast contacts move against each other without impulses, the fastest. (In a
 * column that falls only the lowest moves at all.) */
static double usual(tl_system *s)
{
    const tl_touch *t = s->touches.data;
    double most = 0;
    tl_system_start(s);
    tl_system_look(s);
    for (size_t i = 0; i < s->touches.count; i++)
        most = fmax(most, tl_length(t[i].w));
    return most;
}

/* ---- De Saxce's term ---- */

#define MEMORY 6u /* steps of the fixed point that the next one looks back at */

/* The fixed point of the terms, s = mu |u_t(s)|, by Anderson's mixing: of the last steps, the
 * combination that would leave the least of s - mu |u_t|. */
typedef struct fixed_point {
    tl_array numbers; /* double per contact: s, what is left of it; of MEMORY steps the changes */
    uint32_t steps;
    double last, damp; /* damp: the part of what is left that a step takes */
} fixed_point;

static double *vector(const fixed_point *p, size_t count, uint32_t which)
{
    return (double *)p->numbers.data + which * count;
}

static double slip_of(const tl_touch *t)
{
    const double along = tl_dot(t->n, t->w);
    double across[3];
    for (int k = 0; k < 3; k++)
        across[k] = t->w[k] - along * t->n[k];
    return t->mu * tl_length(across);
}

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Weights of the last changes, by the normal equations, which a ridge keeps regular. */
static void weigh(const fixed_point *p, size_t count, uint32_t known, double *weight)
{
    double m[MEMORY][MEMORY];
    const double *left = vector(p, count, 1);
    for (uint32_t i = 0; i < known; i++) {
        for (uint32_t j = 0; j < known; j++)
            m[i][j] = inner(vector(p, count, 3 + 2 * i), vector(p, count, 3 + 2 * j), count);
        m[i][i] *= 1 + 1e-10;
        weight[i] = inner(vector(p, count, 3 + 2 * i), left, count);
    }
    for (uint32_t k = 0; k < known; k++)
        for (uint32_t r = 0; r < known; r++) {
            const double part = r == k || !(m[k][k] > 0) ? 0 : m[r][k] / m[k][k];
            for (uint32_t c = k; c < known && part != 0; c++)
                m[r][c] -= part * m[k][c];
            weight[r] -= part * weight[k];
        }
    for (uint32_t k = 0; k < known; k++)
        weight[k] = m[k][k] > 0 ? weight[k] / m[k][k] : 0;
}

/* The next terms, from the velocities that the last ones led to. */
static void slip(const tl_system *s, fixed_point *p, double residual, tl_wish *q)
{
    const size_t count = s->touches.count;
    double *at = vector(p, count, 0), *left = vector(p, count, 1), weight[MEMORY] = {0};
    const uint32_t slot = p->steps ? (p->steps - 1) % MEMORY : 0;
    double *ds = vector(p, count, 2 + 2 * slot), *dl = vector(p, count, 3 + 2 * slot);
    if (residual > 2 * p->last)
        p->steps = 0; /* what was learnt is of no use here */
    for (size_t i = 0; i < count; i++) {
        const double now = slip_of((const tl_touch *)s->touches.data + i) - q[i].saxce;
        if (p->steps) {
            ds[i] = q[i].saxce - at[i];
            dl[i] = now - left[i];
        }
        at[i] = q[i].saxce;
        left[i] = now;
    }
    const uint32_t known = p->steps < MEMORY ? p->steps : MEMORY;
    weigh(p, count, known, weight);
    for (size_t i = 0; i < count; i++) {
        double next = at[i] + p->damp * left[i];
        for (uint32_t k = 0; k < known; k++)
            next -= weight[k] *
                    (vector(p, count, 2 + 2 * k)[i] + p->damp * vector(p, count, 3 + 2 * k)[i]);
        q[i].saxce = fmax(next, 0);
    }
    p->last = residual;
    p->steps++;
}

/* ---- Rounds ---- */

/* How stiff contacts are in a round: the stiffer, the more it gains, the longer Newton's method
 * takes, and the more rounding it leaves. */
typedef struct pace {
    double stiff, most;
} pace;

/* The next round's: more where the last one gained little, less where Newton's method did not end,
 * or where what is left is rounding. */
static void keep_pace(pace *p, const tl_finishing *how, bool coulomb, double residual, double last,
                      double unit)
{
    const double noise = ROUNDING * p->stiff * unit;
    if (!how->done)
        p->stiff *= 0.1;
    else if (coulomb ? residual < 3 * noise : residual > last) {
        p->stiff = fmax(0.1 * p->stiff, 1e3);
        p->most = coulomb ? p->most : p->stiff;
    } else if (how->steps <= 4 && (coulomb || residual > 0.2 * last))
        p->stiff = fmin(10 * p->stiff, p->most);
}

/* Rounds until both numbers are small enough, or nothing is gained any more; the best is kept in
 * the second half. */
static tl_status finish(tl_system *s, tl_wish *q, fixed_point *terms, double unit, double tolerance,
                        tl_solution *solution)
{
    const size_t count = s->touches.count;
    const double target = tolerance > 0 ? tolerance : DIGITS * unit;
    tl_certificate best = {.residual = INFINITY};
    tl_finishing how = {.factorizations = solution->iterations};
    double last = INFINITY;
    pace how_stiff = {terms ? FIRM : STIFF, terms ? 1e6 : 1e7};
    for (uint32_t round = 0, since = 0; round < ROUNDS && since < (terms ? TRIES : FEW);
         round++, since++) {
        const tl_certificate now = tl_certify(s, q, terms != NULL);
        if (now.residual < best.residual) {
            if (now.residual < 0.7 * best.residual)
                since = 0;
            best = now;
            memcpy(q + count, q, count * sizeof *q);
        }
        if (now.residual <= fmax(target, now.rough) &&
            (terms || now.gap <= fmax(GAP, now.rough_gap)))
            break;
        if (round)
            keep_pace(&how_stiff, &how, terms != NULL, now.residual, last, unit);
        last = now.residual;
        if (terms && since && since % RESTART == 0) {
            terms->steps = 0;
            terms->damp = fmax(0.5 * terms->damp, 0.1);
        }
        if (terms)
            slip(s, terms, now.residual, q);
        const double noise = 0.03 * ROUNDING * how_stiff.stiff * unit;
        const double aim = fmax(fmax(0.1 * target, noise), terms ? 0.05 * now.residual : 0);
        TL_TRY(tl_finish_round(s, q, unit, how_stiff.stiff, aim, 1e3 * noise, &how));
    }
    tl_wish_apply(s, q + count);
    solution->iterations = how.factorizations;
    solution->residual = best.residual;
    solution->gap = best.gap;
    return TL_OK;
}

static tl_status run(tl_system *s, const tl_solver_def *def, tl_wish *q, tl_solution *solution)
{
    const bool coulomb = tl_solver_law(def) == TL_LAW_COULOMB && !s->view->frictionless;
    const tl_touch *t = s->touches.data;
    const double unit = usual(s);
    tl_interior path = {.residual = INFINITY};
    memset(q, 0, s->touches.count * sizeof *q);
    tl_wish_apply(s, q);
    const tl_certificate none = tl_certify(s, q, coulomb);
    if (none.residual == 0 && none.gap == 0) { /* nothing touches */
        solution->residual = solution->gap = 0;
        return TL_OK;
    }
    TL_TRY(tl_interior_path(s, &(tl_path){unit, NEAR * unit, PATIENT, true}, &path));
    solution->iterations = path.iterations;
    for (size_t i = 0; i < s->touches.count && path.done; i++)
        memcpy(q[i].hat, t[i].gamma, sizeof q[i].hat);
    tl_wish_apply(s, q);
    fixed_point terms = {.numbers = {.item = sizeof(double)}, .last = INFINITY, .damp = 1};
    tl_status status =
        tl_array_resize(&terms.numbers, coulomb ? (2 + 2 * MEMORY) * s->touches.count : 0);
    if (status == TL_OK)
        status = finish(s, q, coulomb ? &terms : NULL, unit, def->tolerance, solution);
    tl_array_free(&terms.numbers);
    return status;
}

/* What it cannot do is refused; what is too large for factors is iterated. */
static tl_status load(tl_backend *b, const tl_problem *problem, double most, tl_system *s)
{
    if (problem->joints || problem->view.moment)
        return tl_fail(TL_BAD_ARGUMENT, "the solver interior has no rows for %s; psor has",
                       problem->joints ? "joints" : "rolling and spinning friction");
    TL_TRY(tl_system_arrange(b, s, most > 0 ? most : INFINITY));
    s->iterated = !s->factors.pieces;
    return tl_system_load(b, s);
}

tl_status tl_solve_certified(tl_backend *b, const tl_workspace *workspace,
                             const tl_problem *problem, const tl_solver_def *def,
                             tl_solution *solution)
{
    tlk_problem view = problem->view;
    tl_system s = {.view = &view};
    tl_array wishes = {.item = sizeof(tl_wish)};
    view.vel = (void *)view.free; /* from which impulses lead to vel */
    tl_status status = load(b, problem, workspace->factor_work, &s);
    if (status == TL_OK)
        status = tl_array_resize(&wishes, 2 * s.touches.count);
    if (status == TL_OK && s.touches.count)
        status = run(&s, def, wishes.data, solution);
    view.vel = problem->view.vel;
    if (status == TL_OK && s.touches.count)
        tl_system_store(b, &s);
    tl_array_free(&wishes);
    tl_system_free(&s);
    return status == TL_OK ? tl_residual(b, problem, &solution->residual, NULL) : status;
}
