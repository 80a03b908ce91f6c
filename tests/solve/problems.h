/* Contact problems for the tests of the solvers, in plain dense form: made at random (or recorded
 * from a world, layout.h), and everything that a solver claims of them (velocities, residual,
 * objective) computed a second time, in double precision and straight from the definitions. */
#ifndef TALUS_TESTS_SOLVE_PROBLEMS_H
#define TALUS_TESTS_SOLVE_PROBLEMS_H

#include "support.h"

/* ---- The dense form ---- */

typedef struct model_row {
    uint32_t a, b; /* bodies; a moves */
    bool central;  /* a contact of two balls: the anchors are along the normal */
    double n[3], mu, bias;
    double anchor[2][3]; /* from the origins of a and b to where the impulse acts */
    double j[2][3][6];   /* u = j[0] v_a + j[1] v_b, of those */
    double step;         /* the step length for all three, where it is given; else 0 */
} model_row;

typedef struct model {
    uint32_t rows, bodies, moving;
    model_row *row;
    double (*inverse)[6][6]; /* a body: inverse mass matrix; zero from `moving` on */
    double (*free)[6];       /* a body: velocity without the rows' impulses */
} model;

static inline void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static inline model model_new(uint32_t rows, uint32_t bodies, uint32_t moving)
{
    return (model){.rows = rows,
                   .bodies = bodies,
                   .moving = moving,
                   .row = zeros(rows, sizeof(model_row)),
                   .inverse = zeros(bodies, sizeof(double[6][6])),
                   .free = zeros(bodies, sizeof(double[6]))};
}

static inline void model_free(model *m)
{
    free(m->row);
    free(m->inverse);
    free(m->free);
    *m = (model){0};
}

/* j = sign [1, -[anchor]x]: the velocity of a rigid body's point at the end of an anchor. */
static inline void rigid_jacobian(double sign, const double anchor[3], double j[3][6])
{
    const double x = sign * anchor[0], y = sign * anchor[1], z = sign * anchor[2];
    const double rows[3][6] = {
        {sign, 0, 0, 0, z, -y}, {0, sign, 0, -z, 0, x}, {0, 0, sign, y, -x, 0}};
    memcpy(j, rows, sizeof rows);
}

static inline void row_jacobian(model_row *row)
{
    rigid_jacobian(-1, row->anchor[0], row->j[0]);
    rigid_jacobian(1, row->anchor[1], row->j[1]);
}

/* Anchors of these lengths along the normal: those of a contact between balls. */
static inline void central_anchors(model_row *row, double a, double b)
{
    for (int k = 0; k < 3; k++) {
        row->anchor[0][k] = a * row->n[k];
        row->anchor[1][k] = -b * row->n[k];
    }
}

/* ---- Random problems ---- */

typedef enum family {
    BALLS,  /* balls and walls, which turn: central rows */
    BODIES, /* rigid bodies with three moments and anchors off the normal: anchor rows */
    MIXED,  /* both */
    FAMILIES
} family;

static const char *const family_names[FAMILIES] = {"balls", "bodies", "both kinds"};

/* What a body is: every body of a family that is not MIXED is of one kind. */
static inline family kind_of(family which, uint32_t body)
{
    return which == MIXED ? (family)(body % 2) : which;
}

static inline void random_inverse(dice *d, family kind, double inverse[6][6])
{
    memset(inverse, 0, sizeof(double[6][6]));
    const double im = roll(d, 0.4, 2.5);
    double moments[3] = {roll(d, 1, 12), 0, 0}, q[4], axis[3];
    moments[1] = moments[2] = moments[0];
    if (kind == BODIES)
        for (int k = 1; k < 3; k++)
            moments[k] = moments[0] * roll(d, 0.55, 1.8);
    roll_turn(d, q);
    for (int k = 0; k < 3; k++)
        inverse[k][k] = im;
    for (int p = 0; p < 3; p++) {
        rotate(q, 1, (double[3]){p == 0, p == 1, p == 2}, axis);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                inverse[3 + r][3 + c] +=
                    kind == BALLS ? (r == c) * moments[0] / 3 : moments[p] * axis[r] * axis[c];
    }
}

/* A ball's anchors are along the normal and a wall's is anywhere; others are up to half a radian
 * off.
 */
static inline void random_row(dice *d, family kind, bool wall, model_row *row)
{
    double anchor[3];
    roll_direction(d, row->n);
    central_anchors(row, roll(d, 0.2, 0.6), roll(d, 0.2, 0.6));
    row->mu = roll(d, 0, 1) < 0.15 ? 0 : roll(d, 0.05, 0.8);
    row->central = kind == BALLS;
    for (int side = 0; side < 2 && kind == BODIES; side++) {
        const double sign = side ? 1 : -1, length = roll(d, 0.2, 0.6);
        roll_direction(d, anchor);
        for (int k = 0; k < 3; k++)
            row->anchor[side][k] = length * (0.5 * anchor[k] - sign * row->n[k]);
    }
    if (wall)
        roll3(d, -1, 1, row->anchor[1]);
    row_jacobian(row);
}

/* A problem that has a solution: the biases are such that some velocities (`some` below) leave all
 * cones of velocities strictly, and then the theory promises one for either law. The free
 * velocities are far from them, so that many rows push. An eighth of the bodies does not move. */
static inline model model_random(uint64_t seed, family which, uint32_t bodies, uint32_t rows)
{
    dice d = {seed};
    const uint32_t fixed = 1 + bodies / 8;
    model m = model_new(rows, bodies, bodies - fixed);
    double(*some)[6] = zeros(bodies, sizeof *some);
    for (uint32_t i = 0; i < bodies; i++) {
        if (i < m.moving)
            random_inverse(&d, kind_of(which, i), m.inverse[i]);
        for (int k = 0; k < 6; k++) {
            some[i][k] = roll(&d, -1, 1);
            m.free[i][k] = some[i][k] + (i < m.moving ? roll(&d, -4, 4) : 0);
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        model_row *row = &m.row[i];
        row->a = i < m.moving ? i : (uint32_t)roll(&d, 0, m.moving);
        do
            row->b = (uint32_t)roll(&d, 0, bodies);
        while (row->b == row->a);
        const family ka = kind_of(which, row->a);
        const family kb = row->b < m.moving ? kind_of(which, row->b) : ka;
        random_row(&d, ka > kb ? ka : kb, row->b >= m.moving, row);
        double u[3] = {0, 0, 0}, slip = 0;
        for (int k = 0; k < 18; k++)
            u[k / 6] += row->j[0][k / 6][k % 6] * some[row->a][k % 6] +
                        row->j[1][k / 6][k % 6] * some[row->b][k % 6];
        const double un = dot3(u, row->n);
        for (int k = 0; k < 3; k++)
            slip += (u[k] - un * row->n[k]) * (u[k] - un * row->n[k]);
        row->bias = row->mu * sqrt(slip) - un + roll(&d, 0.01, 0.5);
    }
    free(some);
    return m;
}

/* Makes sure that a problem which was changed has a solution: walls rest, and so may all else. */
static inline void make_solvable(model *m)
{
    for (uint32_t i = m->moving; i < m->bodies; i++)
        memset(m->free[i], 0, sizeof m->free[i]);
    for (uint32_t i = 0; i < m->rows; i++)
        m->row[i].bias = 0.01 + fabs(m->row[i].bias);
}

/* ---- The definitions, once more ---- */

/* vel = free + M^-1 D gamma */
static inline void model_velocity(const model *m, const double *gamma, double (*vel)[6])
{
    double(*push)[6] = zeros(m->bodies, sizeof *push);
    for (uint32_t i = 0; i < m->rows; i++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 18; k++)
                push[side ? m->row[i].b : m->row[i].a][k % 6] +=
                    m->row[i].j[side][k / 6][k % 6] * gamma[3 * i + k / 6];
    for (uint32_t i = 0; i < m->bodies; i++)
        for (int r = 0; r < 6; r++) {
            vel[i][r] = m->free[i][r];
            for (int c = 0; c < 6; c++)
                vel[i][r] += m->inverse[i][r][c] * push[i][c];
        }
    free(push);
}

/* w = D^T vel + bias n of a row, and its parts: along the normal (returned) and in the plane. */
static inline double row_velocity(const model *m, uint32_t i, double (*vel)[6], double w[3],
                                  double t[3])
{
    const model_row *row = &m->row[i];
    for (int r = 0; r < 3; r++) {
        w[r] = row->bias * row->n[r];
        for (int c = 0; c < 6; c++)
            w[r] += row->j[0][r][c] * vel[row->a][c] + row->j[1][r][c] * vel[row->b][c];
    }
    const double wn = dot3(w, row->n);
    add3(w, -wn, row->n, t);
    return wn;
}

/* The row's own 3 x 3 block of N = D^T M^-1 D. */
static inline void row_matrix(const model *m, uint32_t i, double w[3][3])
{
    const model_row *row = &m->row[i];
    memset(w, 0, sizeof(double[3][3]));
    for (int side = 0; side < 2; side++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 36; k++)
                    w[r][c] += row->j[side][r][k / 6] *
                               m->inverse[side ? row->b : row->a][k / 6][k % 6] *
                               row->j[side][c][k % 6];
}

/* Two unit vectors that make a right-handed frame with n. */
static inline void tangents(const double n[3], double t[3], double s[3])
{
    const int k = fabs(n[0]) < 0.6 ? 0 : fabs(n[1]) < 0.6 ? 1 : 2;
    cross3(n, (double[3]){k == 0, k == 1, k == 2}, s);
    const double length = norm3(s);
    for (int c = 0; c < 3; c++)
        s[c] /= length;
    cross3(s, n, t);
}

static inline double form(double w[3][3], const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 9; k++)
        sum += a[k / 3] * w[k / 3][k % 3] * b[k % 3];
    return sum;
}

/* The largest eigenvalue of a row's own block, by powers of it: within 1 % after 60 of them. */
static inline double row_largest(double w[3][3])
{
    double x[3] = {0.6, 0.64, 0.48}, size = 1;
    for (int n = 0; n < 60; n++) {
        double y[3] = {0, 0, 0};
        for (int k = 0; k < 9; k++)
            y[k / 3] += w[k / 3][k % 3] * x[k % 3];
        size = norm3(y);
        for (int k = 0; k < 3; k++)
            x[k] = y[k] / size;
    }
    return size;
}

/* Step lengths: along the normal, in the tangent plane, and for all three: 3 / trace, but below the
 * 2 / (largest eigenvalue) that Gauss-Seidel can stand. (Central rows never come near.) */
static inline void row_eta(const model *m, uint32_t i, double eta[3])
{
    double w[3][3], t[3], s[3];
    row_matrix(m, i, w);
    tangents(m->row[i].n, t, s);
    const double tt = form(w, t, t), ss = form(w, s, s), ts = form(w, t, s);
    eta[0] = 1 / form(w, m->row[i].n, m->row[i].n);
    eta[1] = 2 / (tt + ss + hypot(tt - ss, 2 * ts));
    eta[2] = 3 / (w[0][0] + w[1][1] + w[2][2]);
    if (!m->row[i].central)
        eta[2] = fmin(eta[2], 1.5 / row_largest(w));
    if (m->row[i].step > 0)
        eta[2] = m->row[i].step;
}

/* The nearest point of the friction cone. */
static inline void project(const model_row *row, double g[3])
{
    const double gn = dot3(g, row->n);
    double t[3];
    add3(g, -gn, row->n, t);
    const double length = norm3(t);
    if (gn >= 0 && length <= row->mu * gn)
        return;
    /* along the cone's edge, whose direction is (1, mu) / sqrt(1 + mu^2) */
    const double along = fmax(0, (gn + row->mu * length) / (1 + row->mu * row->mu));
    for (int k = 0; k < 3; k++)
        g[k] = along * (row->n[k] + (length > 0 ? row->mu * t[k] / length : 0));
}

/* The residual: |g - P(g - eta w)| / eta, with mu |w_t| n added to w under Coulomb's law. */
static inline double model_residual(const model *m, const double *gamma, double (*vel)[6],
                                    tl_law law, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (uint32_t i = 0; i < m->rows; i++) {
        double eta[3], w[3], t[3], next[3];
        row_eta(m, i, eta);
        row_velocity(m, i, vel, w, t);
        if (law == TL_LAW_COULOMB)
            add3(w, m->row[i].mu * norm3(t), m->row[i].n, w);
        add3(gamma + 3 * i, -eta[2], w, next);
        project(&m->row[i], next);
        const double r = distance3(gamma + 3 * i, next) / eta[2];
        sum += r * r;
        *worst = fmax(*worst, r);
    }
    return m->rows ? sqrt(sum / m->rows) : 0;
}

/* 1/2 g.N g + r.g */
static inline double model_objective(const model *m, const double *gamma)
{
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), sum = 0;
    model_velocity(m, gamma, vel);
    for (uint32_t i = 0; i < m->rows; i++) {
        double with[3], without[3], t[3];
        row_velocity(m, i, vel, with, t);
        row_velocity(m, i, m->free, without, t);
        sum += 0.5 * (dot3(gamma + 3 * i, with) + dot3(gamma + 3 * i, without));
    }
    free(vel);
    return sum;
}

/* The largest eigenvalue of N with each row scaled by its step length, by powers of it. Jacobi's
 * iteration converges where its step factor is below 2 over this. */
static inline double model_largest(const model *m)
{
    double(*vel)[6] = zeros(m->bodies, sizeof *vel), *x = zeros(3 * (size_t)m->rows, sizeof *x);
    double *eta = zeros(m->rows, sizeof *eta), largest = 0;
    dice d = {1};
    for (uint32_t i = 0; i < m->rows; i++) {
        double all[3];
        row_eta(m, i, all);
        eta[i] = all[2];
        roll3(&d, -1, 1, x + 3 * i);
    }
    for (int n = 0; n < 200; n++) {
        double size = 0;
        model_velocity(m, x, vel);
        for (uint32_t i = 0; i < m->bodies; i++)
            add3(vel[i], -1, m->free[i], vel[i]), add3(vel[i] + 3, -1, m->free[i] + 3, vel[i] + 3);
        for (uint32_t i = 0; i < m->rows; i++) {
            double w[3], t[3];
            row_velocity(m, i, vel, w, t);
            add3(w, -m->row[i].bias, m->row[i].n, w);
            for (int k = 0; k < 3; k++)
                x[3 * i + k] = eta[i] * w[k];
            size += dot3(x + 3 * i, x + 3 * i) / eta[i];
        }
        largest = sqrt(size);
        for (uint32_t i = 0; i < 3 * m->rows; i++)
            x[i] /= largest;
    }
    free(vel);
    free(x);
    free(eta);
    return largest;
}

#endif
