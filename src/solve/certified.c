/* The solver "interior": problems of the cone law solved to the last digits that 64 bits have, with
 * a certificate, the duality gap; Coulomb's law by outer steps on De Saxce's term. By
 * factorizations on the host, wherever the problem is (docs/theory.md, "Certified solutions").
 *
 * The interior path (interior.c) finds which contacts open, stick and slip, from anywhere and in
 * some twenty factorizations; the rounds of finish.c find the digits that it cannot. */
#include "solve/finish.h"

#include <math.h>
#include <string.h>

#define ROUNDS   200u  /* at most */
#define FEW      12u   /* rounds without a gain that end it; */
#define TRIES    40u   /* where De Saxce's terms change */
#define PATIENT  25u   /* steps of the path without a gain that end it: impulses may have to grow */
#define NEAR     1e-8  /* of the usual velocity: where the path ends, if rounding does not end it */
#define DIGITS   2e-8  /* of it: the residual that is asked for where no tolerance is given */
#define GAP      1e-10 /* the relative gap that is asked for, under the cone law */
#define PART     0.9   /* of it: what the path is to leave */
#define APART    1e4   /* stiffness of contacts where velocities are found apart from impulses */
#define STIFF    1e3   /* of the first round, in units of step lengths; */
#define FIRM     1e2   /* where De Saxce's terms are still to change much */
#define ROUNDING 1e-15 /* of stiffness and usual velocity: what a round may leave */

/* A usual velocity: how fast contacts move against each other without impulses, the fastest (in a
 * column that falls only the lowest moves at all); where none moves, as in position problems, how
 * fast they are to. */
static double usual(tl_system *s)
{
    const tl_touch *t = s->touches.data;
    double most = 0;
    tl_system_start(s);
    tl_system_look(s);
    for (size_t i = 0; i < s->touches.count; i++)
        most = fmax(most, tl_length(t[i].w));
    if (most > 0)
        return most;
    for (size_t i = 0; i < s->touches.count; i++)
        most = fmax(most, -t[i].bias);
    return most;
}

/* ---- De Saxce's term ---- */

#define MEMORY 40u  /* directions that a solution of the linear problem is made of, at most */
#define EXACT  1e-2 /* of what is left of the terms: where that solution ends */
#define WORSE  2.0  /* times the residual: less of the step is taken, */
#define LESS   0.25 /* this part, */
#define LEAST  0.1  /* unless so little of it was left */

/* Newton's method for the terms, s = mu |u_t(s)|: the linear problem (1 - J) d = mu |u_t| - s, with
 * J the derivative of mu |u_t|, is solved by minimal residuals. A product with J is a solution with
 * the factors of the round's end. */
typedef struct fixed_point {
    tl_array numbers;  /* double per contact: what is left of s, then the step; MEMORY + 1
                          directions; where the step began */
    double last, part; /* the residual there, and the part of the step that is taken */
} fixed_point;

static double *vector(const fixed_point *p, size_t count, uint32_t which)
{
    return (double *)p->numbers.data + which * count;
}

/* mu |u_t|, and how it changes with the velocity. */
static double slip_of(const tl_touch *t, double *along)
{
    const double normal = tl_dot(t->n, t->w);
    double across[3];
    for (int k = 0; k < 3; k++)
        across[k] = t->w[k] - normal * t->n[k];
    const double size = tl_length(across);
    for (int k = 0; k < 3; k++)
        along[k] = size > 0 ? t->mu * across[k] / size : 0;
    return t->mu * size;
}

static double inner(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* (1 - J) d. */
static void product(tl_system *s, const double *d, double *out)
{
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++)
        for (int r = 0; r < 3; r++)
            t[i].p[r] = -d[i] * tl_dot(t[i].k[r], t[i].n);
    tl_system_solve(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        double along[3];
        slip_of(&t[i], along);
        out[i] = d[i] - tl_dot(along, t[i].seen);
    }
}

/* Minimal residuals (GMRES; Saad and Schultz, 1986): d for what is left in vector 0, which becomes
 * d. */
static void minimise(tl_system *s, const fixed_point *p)
{
    const size_t count = s->touches.count;
    double h[MEMORY + 1][MEMORY], turn[MEMORY][2], g[MEMORY + 1] = {0}, y[MEMORY];
    double *left = vector(p, count, 0);
    uint32_t n = 0;
    g[0] = sqrt(inner(left, left, count));
    const double first = g[0];
    if (!(first > 0))
        return;
    for (size_t i = 0; i < count; i++)
        vector(p, count, 1)[i] = left[i] / first;
    while (n < MEMORY && fabs(g[n]) > EXACT * first) {
        double *next = vector(p, count, n + 2);
        product(s, vector(p, count, n + 1), next);
        for (uint32_t k = 0; k <= n; k++) {
            const double *v = vector(p, count, k + 1);
            h[k][n] = inner(v, next, count);
            for (size_t i = 0; i < count; i++)
                next[i] -= h[k][n] * v[i];
        }
        const double size = sqrt(inner(next, next, count));
        for (size_t i = 0; i < count && size > 0; i++)
            next[i] /= size;
        for (uint32_t k = 0; k < n; k++) {
            const double a = h[k][n], b = h[k + 1][n];
            h[k][n] = turn[k][0] * a + turn[k][1] * b;
            h[k + 1][n] = turn[k][0] * b - turn[k][1] * a;
        }
        const double length = hypot(h[n][n], size);
        if (!(length > 0))
            break;
        turn[n][0] = h[n][n] / length;
        turn[n][1] = size / length;
        h[n][n] = length;
        g[n + 1] = -turn[n][1] * g[n];
        g[n] *= turn[n][0];
        n++;
    }
    memset(left, 0, count * sizeof *left);
    for (uint32_t k = n; k-- > 0;) {
        y[k] = g[k];
        for (uint32_t j = k + 1; j < n; j++)
            y[k] -= h[k][j] * y[j];
        y[k] /= h[k][k];
        for (size_t i = 0; i < count; i++)
            left[i] += y[k] * vector(p, count, k + 1)[i];
    }
}

/* The next terms, from the velocities that the last ones led to; or less of the last step, where it
 * made things worse. */
static tl_status slip(tl_system *s, fixed_point *p, double residual, tl_wish *q, uint32_t *work)
{
    const size_t count = s->touches.count;
    double *left = vector(p, count, 0), *from = vector(p, count, MEMORY + 2), along[3];
    bool regular = false;
    if (residual > WORSE * p->last && p->part > LEAST) {
        p->part *= LESS;
        for (size_t i = 0; i < count; i++)
            q[i].saxce = fmax(from[i] + p->part * left[i], 0);
        return TL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        left[i] = slip_of((const tl_touch *)s->touches.data + i, along) - q[i].saxce;
        from[i] = q[i].saxce;
    }
    if (p->last < INFINITY) {
        TL_TRY(tl_finish_tangent(s, q, &regular));
        ++*work;
    }
    if (regular)
        minimise(s, p);
    p->part = 1;
    for (size_t i = 0; i < count; i++)
        q[i].saxce = fmax(q[i].saxce + left[i], 0);
    p->last = residual;
    return TL_OK;
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
                        double gap, tl_solution *solution)
{
    const size_t count = s->touches.count;
    const tl_goal goal = {terms, tolerance > 0 ? tolerance : DIGITS * unit, GAP};
    tl_certificate best = {.residual = INFINITY};
    tl_finishing how = {.factorizations = solution->iterations};
    double last = INFINITY;
    pace how_stiff = {terms ? FIRM : STIFF, terms ? 1e6 : 1e7};
    for (uint32_t round = 0, since = 0; round < ROUNDS && since < (terms ? TRIES : FEW);
         round++, since++) {
        tl_certificate now = tl_certify(s, q, terms != NULL);
        now.gap = round ? now.gap : fmin(now.gap, gap);
        const bool good = tl_certificate_meets(&now, &goal);
        if (now.residual < best.residual || good) {
            if (now.residual < 0.7 * best.residual)
                since = 0;
            best = now;
            memcpy(q + count, q, count * sizeof *q);
        }
        if (good)
            break;
        if (round)
            keep_pace(&how_stiff, &how, terms != NULL, now.residual, last, unit);
        last = now.residual;
        if (terms)
            TL_TRY(slip(s, terms, now.residual, q, &how.factorizations));
        const double noise = 0.03 * ROUNDING * how_stiff.stiff * unit;
        const double aim = fmax(fmax(0.1 * goal.residual, noise), terms ? 0.05 * now.residual : 0);
        TL_TRY(tl_finish_round(s, q, &goal, unit, how_stiff.stiff, aim, 1e3 * noise, &how));
    }
    tl_wish_apply(s, q + count);
    if (best.gap > GAP) {
        TL_TRY(tl_certify_apart(s, q + count, unit, APART, &gap));
        how.factorizations++;
        best.gap = fmin(best.gap, gap);
    }
    solution->iterations = how.factorizations;
    solution->residual = best.residual;
    solution->gap = best.gap;
    return TL_OK;
}

/* The path; its impulses become multipliers. Returns their gap with velocities of their own, where
 * the one with velocities of impulses is not good enough. */
static tl_status go_along(tl_system *s, double unit, bool coulomb, tl_wish *q, double *gap,
                          tl_solution *solution)
{
    const tl_touch *t = s->touches.data;
    const tl_path path = {unit, NEAR * unit, PART * GAP, PATIENT, true};
    tl_interior found = {.residual = INFINITY};
    TL_TRY(tl_interior_path(s, &path, &found));
    solution->iterations += found.iterations;
    for (size_t i = 0; i < s->touches.count && found.done; i++)
        memcpy(q[i].hat, t[i].gamma, sizeof q[i].hat);
    tl_wish_apply(s, q);
    *gap = INFINITY;
    if (coulomb || tl_certify(s, q, false).gap <= GAP)
        return TL_OK;
    solution->iterations++;
    return tl_certify_apart(s, q, unit, APART, gap);
}

static tl_status run(tl_system *s, const tl_solver_def *def, tl_wish *q, tl_solution *solution)
{
    const bool coulomb = tl_solver_law(def) == TL_LAW_COULOMB && !s->view->frictionless;
    const double unit = usual(s);
    double gap;
    memset(q, 0, s->touches.count * sizeof *q);
    tl_wish_apply(s, q);
    const tl_certificate none = tl_certify(s, q, coulomb);
    if (none.residual == 0 && none.gap == 0) { /* nothing touches */
        solution->residual = solution->gap = 0;
        return TL_OK;
    }
    TL_TRY(go_along(s, unit, coulomb, q, &gap, solution));
    fixed_point terms = {.numbers = {.item = sizeof(double)}, .last = INFINITY, .part = 1};
    tl_status status =
        tl_array_resize(&terms.numbers, coulomb ? (3 + MEMORY) * s->touches.count : 0);
    if (status == TL_OK)
        status = finish(s, q, coulomb ? &terms : NULL, unit, def->tolerance, gap, solution);
    tl_array_free(&terms.numbers);
    return status;
}

tl_status tl_certify_system(tl_system *s, const tl_solver_def *def, tl_solution *solution)
{
    tl_array wishes = {.item = sizeof(tl_wish)};
    tl_status status = tl_array_resize(&wishes, 2 * s->touches.count);
    if (status == TL_OK)
        status = run(s, def, wishes.data, solution);
    tl_array_free(&wishes);
    return status;
}

/* What it cannot do is refused; what is too large for factors is iterated. */
static tl_status load(tl_backend *b, const tl_problem *problem, double most, tl_system *s)
{
    if (problem->view.moment)
        return tl_fail(TL_BAD_ARGUMENT, "the solver interior has no rows for rolling and spinning "
                                        "friction; psor has");
    if (problem->joints)
        TL_TRY(tl_bonds_load(b, problem, s));
    TL_TRY(tl_system_arrange(b, s, most > 0 ? most : INFINITY));
    s->iterated = !s->factors.pieces;
    if (s->iterated && s->bonds.count)
        return tl_fail(TL_TOO_LARGE,
                       "the solver interior would need factors of %.3g GB for %u bodies and %zu "
                       "rows of joints; with joints the limit is %.3g GB; psor, apgd and spg need "
                       "no such factors",
                       1e-9 * s->factors.bytes, s->view->moving, s->bonds.count,
                       1e-9 * TL_CHOLESKY_BYTES);
    return tl_system_load(b, s);
}

tl_status tl_solve_certified(tl_backend *b, const tl_workspace *workspace,
                             const tl_problem *problem, const tl_solver_def *def,
                             tl_solution *solution)
{
    tlk_problem view = problem->view;
    tl_system s = {.view = &view};
    view.vel = (void *)view.free; /* from which impulses lead to vel */
    tl_status status = load(b, problem, workspace->factor_work, &s);
    if (status == TL_OK && s.touches.count)
        status = tl_certify_system(&s, def, solution);
    view.vel = problem->view.vel;
    if (status == TL_OK && s.touches.count)
        tl_system_store(b, &s);
    tl_system_free(&s);
    /* with joints velocities are still to be projected */
    return status == TL_OK && !problem->joints ? tl_residual(b, problem, &solution->residual, NULL)
                                               : status;
}
