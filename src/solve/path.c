/* The contact problem of an island along its central path. Of each row, with w the velocity along
 * the normal and g_k how far the friction is inside each side of its polygon, or the disc,
 *     p_n w = sigma m,   u_t + sum(l_k a_k) = 0,   l_k g_k = sigma m,   sigma -> 0
 * where -a_k is the derivative of g_k by p_t: given p_n, friction dissipates the most it can.
 * Everything stays inside its bounds. In haste: Mehrotra's predictor and corrector, about 25 steps.
 * As the law is Coulomb's and not the associated one, the path may turn back, and sigma must grow
 * before it falls again. With care: each step is small enough to come back to the path, measured by
 * what changes most, and the sign of the determinant tells which way along it leads on, as in
 * Lemke's method. */
#include "solve/reduced.h"

#include <math.h>
#include <string.h>

#define HASTY    60u   /* steps at most */
#define CAREFUL  1000u /* the same */
#define TRIES    6u    /* steps without a gain that end it */
#define SHORT    0.995 /* the part of the way to a bound that a hasty step goes */
#define SOFT     1e-11 /* what rows yield within a step, over their masses (a proximal term) */
#define NEAR     0.8 /* of itself that anything may be off the path; else a step goes back to it */
#define ROUGH    4u  /* hasty steps before careful ones */
#define LONGEST  0.8 /* of itself that a careful step may change anything by */
#define SHORTEST 0.01
#define ASTRAY   10u  /* steps off the path after which one goes back to it */
#define TRIED    4e-5 /* m/s: from half of this on it is tried to finish without the path */

/* A row on its path; `side` has so many numbers per side of the polygon, and the last two of each
 * are changes for sigma 0. */
typedef struct walker {
    double w, dw, dw0, dp[3], dp0[3];
    double t;       /* what p_n w has to change by */
    double axis[2]; /* in the tangents, along which k and f are those of the linear problem */
    double k[3][3], f[3];
    double back[2][2], lift[2]; /* of k: friction by its own velocity, and by the normal impulse */
    double *side;
    uint32_t sides, most; /* most: the side that matters most */
} walker;

enum { L, G, DL, DG, DL0, DG0, NUMBERS };

typedef struct walk {
    tl_reduced *s;
    walker *row;
    double sigma; /* of careful steps; 0: there was none yet */
    double longest;
    double change;   /* by how much of itself the next one may change anything */
    uint32_t astray; /* steps since the last one on the path */
    bool has_back;   /* whether there is one to go back to */
    double back;     /* its sigma */
    double tried;    /* the residual from which it was last tried to finish */
} walk;

static uint32_t sides_of(const walk *w, uint32_t i)
{
    const tl_island_row *row = &w->s->island->row[i];
    if (!(row->friction > 0) || !(w->s->row[i].step[1] > 0) || !(w->s->row[i].step[0] > 0))
        return 0;
    return row->tangents == 1 ? 2 : w->s->island->directions ? w->s->island->directions : 1;
}

static bool is_disc(const walk *w, uint32_t i)
{
    return w->s->island->row[i].tangents == 2 && !w->s->island->directions;
}

/* The derivatives of g of a side: by p_n, and less those by p_t; returns g. The disc's is the
 * square of the radius less that of p_t, over 2 m. */
static double side_of(const walk *w, uint32_t i, uint32_t k, double *by_normal, double a[2])
{
    const tl_island_row *row = &w->s->island->row[i];
    const double m = w->s->row[i].step[0], mu = row->friction;
    if (row->tangents == 1) {
        a[0] = k ? -1 : 1;
        a[1] = 0;
        *by_normal = mu;
    } else if (w->s->island->directions) {
        a[0] = w->s->polygon.normal[k][0];
        a[1] = w->s->polygon.normal[k][1];
        *by_normal = mu * w->s->polygon.near;
    } else {
        a[0] = row->p[1] / m;
        a[1] = row->p[2] / m;
        *by_normal = mu * mu * row->p[0] / m;
        const double radius = mu * row->p[0], size = hypot(row->p[1], row->p[2]);
        return 0.5 * (radius - size) * (radius + size) / m;
    }
    return *by_normal * row->p[0] - a[0] * row->p[1] - a[1] * row->p[2];
}

/* In the middle, at ten times the speed that bodies would have without impulses. */
static void begin(walk *w)
{
    tl_reduced *s = w->s;
    double squares = 0, u[3], by, a[2];
    for (uint32_t i = 0; i < s->island->rows; i++)
        memset(s->island->row[i].p, 0, sizeof s->island->row[i].p);
    tl_island_velocities(s->island);
    for (uint32_t i = 0; i < s->island->rows; i++) {
        tl_island_relative(s->island, &s->island->row[i], u);
        u[0] = fmin(u[0], 0);
        squares += tl_dot(u, u);
    }
    const double speed = fmax(10 * sqrt(squares / s->island->rows), 1e-9);
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const double m = s->row[i].step[0];
        s->island->row[i].p[0] = m * speed;
        w->row[i].w = speed;
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            double *side = w->row[i].side + (size_t)k * NUMBERS;
            side[G] = side_of(w, i, k, &by, a);
            side[L] = speed * speed * m / side[G];
        }
    }
    tl_island_velocities(s->island);
}

/* The mean of all products over their rows' masses. */
static double mean_of(const walk *w)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        const double m = w->s->row[i].step[0];
        const uint32_t sides = w->row[i].sides;
        if (!(m > 0))
            continue;
        sum += w->s->island->row[i].p[0] * w->row[i].w / m;
        for (uint32_t k = 0; k < sides; k++) {
            const double *side = w->row[i].side + (size_t)k * NUMBERS;
            sum += side[L] * side[G] / m;
        }
        count += 1 + sides;
    }
    return count > 0 ? sum / count : 0;
}

/* ---- The linear problem ---- */

/* What a product has to change by; in the corrector without the predictor's second order. */
static double missing(double sigma, double x, double y, double dx, double dy, bool corrects)
{
    return sigma - x * y - (corrects ? dx * dy : 0);
}

/* Turns a vector of the tangents to a row's own axis, or back. */
static void turn(const walker *own, const double in[2], bool back, double out[2])
{
    const double c = own->axis[0], s = back ? own->axis[1] : -own->axis[1];
    const double x = c * in[0] - s * in[1];
    out[1] = s * in[0] + c * in[1];
    out[0] = x;
}

/* Across the side that matters most, so that what friction may do along it, which is much, leaves
 * no rounding in what it may do across it, which is little. */
static void take_axis(const walk *w, uint32_t i)
{
    walker *own = &w->row[i];
    double by, a[2];
    own->most = 0;
    for (uint32_t k = 1; k < own->sides; k++) {
        const double *side = own->side + (size_t)k * NUMBERS;
        const double *other = own->side + (size_t)own->most * NUMBERS;
        if (side[L] * other[G] > other[L] * side[G])
            own->most = k;
    }
    side_of(w, i, own->most, &by, a);
    const double size = is_disc(w, i) ? hypot(a[0], a[1]) : 1;
    own->axis[0] = size > 0 ? a[0] / size : 1;
    own->axis[1] = size > 0 ? a[1] / size : 0;
}

/* What the impulses of a row do, along its own axis: u_t + e + hess dp_t - h dp_n = 0, with the sum
 * over sides in hess and h. The same for each sigma. */
static void shape_friction(const walk *w, uint32_t i)
{
    walker *own = &w->row[i];
    const double m = w->s->row[i].step[0];
    const bool line = w->s->island->row[i].tangents == 1;
    double hess[3] = {SOFT / m, 0, SOFT / m}, h[2] = {0, 0}, by, a[2], main = 0;
    take_axis(w, i);
    for (uint32_t k = 0; k < own->sides; k++) {
        const double *x = own->side + (size_t)k * NUMBERS, ratio = x[L] / x[G];
        side_of(w, i, k, &by, a);
        turn(own, a, false, a);
        if (k == own->most) {
            a[1] = 0;
            main = ratio * a[0] * a[0];
        } else {
            hess[0] += ratio * a[0] * a[0];
            hess[1] += ratio * a[0] * a[1];
            hess[2] += ratio * a[1] * a[1];
        }
        h[0] += ratio * by * a[0];
        h[1] += ratio * by * a[1];
    }
    for (int c = 0; is_disc(w, i) && c < 3; c += 2)
        hess[c] += own->side[L] / m;
    const double det = main * hess[2] + (hess[0] * hess[2] - hess[1] * hess[1]);
    hess[0] += main;
    own->back[0][0] = line ? 1 / hess[0] : hess[2] / det;
    own->back[0][1] = own->back[1][0] = -hess[1] / det;
    own->back[1][1] = line ? 0 : hess[0] / det;
    for (int c = 0; c < 2; c++) {
        own->lift[c] = own->back[c][0] * h[0] + own->back[c][1] * h[1];
        own->k[1 + c][0] = own->lift[c] * own->k[0][0];
        own->k[1 + c][1] = own->back[c][0];
        own->k[1 + c][2] = own->back[c][1];
    }
}

/* The rows' part of the matrix. */
static void shape(const walk *w)
{
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        walker *own = &w->row[i];
        const double m = w->s->row[i].step[0];
        memset(own->k, 0, sizeof own->k);
        own->axis[0] = 1;
        own->axis[1] = 0;
        if (m > 0)
            own->k[0][0] = 1 / (own->w / w->s->island->row[i].p[0] + SOFT / m);
        if (own->sides)
            shape_friction(w, i);
        const double c = own->axis[0], s = own->axis[1];
        const double to[3][3] = {{1, 0, 0}, {0, c, -s}, {0, s, c}}; /* columns: the own axes */
        double turned[3][3];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                turned[a][b] = tl_dot(own->k[a], to[b]);
        for (int b = 0; b < 3; b++) {
            double(*k)[3] = w->s->row[i].k;
            k[0][b] = turned[0][b];
            k[1][b] = c * turned[1][b] - s * turned[2][b];
            k[2][b] = s * turned[1][b] + c * turned[2][b];
        }
    }
}

/* What a row lacks along its own axis on the way to sigma. */
static void aim_own(const walk *w, uint32_t i, double sigma, bool corrects)
{
    const tl_island_row *row = &w->s->island->row[i];
    walker *own = &w->row[i];
    const double m = w->s->row[i].step[0], p = row->p[0];
    double u[3], e[2] = {0, 0}, by, a[2];
    tl_island_relative(w->s->island, row, u);
    own->t = missing(sigma * m, p, own->w, own->dp[0], own->dw, corrects);
    own->f[0] = own->k[0][0] * (u[0] - own->w - own->t / p);
    if (!own->sides)
        return;
    for (uint32_t k = 0; k < own->sides; k++) {
        const double *x = own->side + (size_t)k * NUMBERS;
        const double left = missing(sigma * m, x[L], x[G], x[DL], x[DG], corrects);
        const double l = x[L] + left / x[G];
        side_of(w, i, k, &by, a);
        e[0] += l * a[0];
        e[1] += l * a[1];
    }
    const double off[2] = {u[1] + e[0], u[2] + e[1]};
    turn(own, off, false, e);
    for (int c = 0; c < 2; c++)
        own->f[1 + c] = own->back[c][0] * e[0] + own->back[c][1] * e[1] + own->lift[c] * own->f[0];
}

/* The right-hand side of the linear problem, along the rows' tangents. */
static void aim(const walk *w, double sigma, bool corrects)
{
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        walker *own = &w->row[i];
        double *f = w->s->row[i].f;
        memset(own->f, 0, sizeof own->f);
        if (w->s->row[i].step[0] > 0)
            aim_own(w, i, sigma, corrects);
        f[0] = own->f[0];
        turn(own, own->f + 1, true, f + 1);
    }
}

/* ---- Steps ---- */

static double reach(double x, double dx, double far)
{
    return x + far * dx < 0 ? -x / dx : far;
}

/* How far from x along d until |x_t| <= mu x_n ends, of which c is the difference of squares; at
 * most `far`. */
static double reach_disc(double mu, const double *x, const double *d, double c, double far)
{
    const double xn = mu * x[0], dn = mu * d[0];
    const double a = dn * dn - d[1] * d[1] - d[2] * d[2], b = xn * dn - x[1] * d[1] - x[2] * d[2];
    const double root = b * b - a * c;
    if (a < 0 || (root >= 0 && b < 0)) {
        const double to = c / (sqrt(fmax(root, 0)) - b);
        if (to > 0)
            far = fmin(far, to);
    }
    return far;
}

/* How far the changes may be followed, at most 1. */
static double reach_all(const walk *w)
{
    double far = 1;
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        const tl_island_row *row = &w->s->island->row[i];
        const walker *own = &w->row[i];
        const double m = w->s->row[i].step[0];
        if (!(m > 0))
            continue;
        far = reach(row->p[0], own->dp[0], far);
        far = reach(own->w, own->dw, far);
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            const double *x = own->side + (size_t)k * NUMBERS;
            far = reach(x[L], x[DL], far);
            far = is_disc(w, i) ? reach_disc(row->friction, row->p, own->dp, x[G] * 2 * m, far)
                                : reach(x[G], x[DG], far);
        }
    }
    return far;
}

/* The changes that lead to sigma, to first order. */
static void direct(walk *w, double sigma, bool corrects)
{
    tl_reduced *s = w->s;
    aim(w, sigma, corrects);
    tl_reduced_solve(s);
    for (uint32_t i = 0; i < s->island->rows; i++) {
        const tl_island_row *row = &s->island->row[i];
        walker *own = &w->row[i];
        const double m = s->row[i].step[0];
        double du[3], dp[3], by, a[2];
        if (!(m > 0))
            continue;
        tl_reduced_seen(s, i, du);
        turn(own, du + 1, false, du + 1);
        for (int k = 0; k < 3; k++)
            dp[k] = -(own->f[k] + tl_dot(own->k[k], du));
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            double *x = own->side + (size_t)k * NUMBERS;
            side_of(w, i, k, &by, a);
            turn(own, a, false, a);
            if (fabs(a[1]) < 1e-15 * fabs(a[0])) /* the axis itself */
                a[1] = 0;
            const double left = missing(sigma * m, x[L], x[G], x[DL], x[DG], corrects);
            x[DG] = by * dp[0] - a[0] * dp[1] - a[1] * dp[2];
            x[DL] = (left - x[L] * x[DG]) / x[G];
        }
        turn(own, dp + 1, true, dp + 1);
        memcpy(own->dp, dp, sizeof dp);
        own->dw = (own->t - own->w * dp[0]) / row->p[0];
    }
}

/* The same; returns how far they may be followed. */
static double reach_along(walk *w, double sigma, bool corrects)
{
    direct(w, sigma, corrects);
    return reach_all(w);
}

static void go(walk *w, double far)
{
    tl_reduced *s = w->s;
    for (uint32_t i = 0; i < s->island->rows; i++) {
        walker *own = &w->row[i];
        tl_island_row *row = &s->island->row[i];
        const double m = s->row[i].step[0], *dp = own->dp, mu = row->friction;
        if (!(m > 0))
            continue;
        for (int k = 0; k < 3; k++)
            row->p[k] += far * dp[k];
        own->w += far * own->dw;
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            double *x = own->side + (size_t)k * NUMBERS;
            x[L] += far * x[DL];
            x[G] += far * x[DG]; /* made of p it would have lost its digits */
            if (is_disc(w, i))
                x[G] +=
                    0.5 * far * far / m * (mu * mu * dp[0] * dp[0] - dp[1] * dp[1] - dp[2] * dp[2]);
        }
    }
    tl_island_velocities(s->island);
}

static void step_hasty(walk *w)
{
    const double mean = mean_of(w), left = 1 - reach_along(w, 0, false);
    double far = reach_along(w, left * left * left * mean, true);
    for (double part = 0.3; far < 0.3 && part < 3; part *= 3) /* back to the path's middle */
        far = reach_along(w, part * mean, false);
    go(w, far < 1 ? SHORT * far : far);
}

/* What changes most of itself along the path, as sigma grows by itself; how far that is off the
 * path, and how far anything is. */
typedef struct lead {
    double most, there, off;
} lead;

static void look(lead *l, double x, double d, double d0)
{
    const double off = d / x, along = (d - d0) / x;
    l->off = fmax(l->off, fabs(off));
    if (fabs(along) > fabs(l->most)) {
        l->most = along;
        l->there = off;
    }
}

static lead find_lead(const walk *w)
{
    lead l = {0, 0, 0};
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        const walker *own = &w->row[i];
        if (!(w->s->row[i].step[0] > 0))
            continue;
        look(&l, w->s->island->row[i].p[0], own->dp[0], own->dp0[0]);
        look(&l, own->w, own->dw, own->dw0);
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            const double *x = own->side + (size_t)k * NUMBERS;
            look(&l, x[L], x[DL], x[DL0]);
            look(&l, x[G], x[DG], x[DG0]);
        }
    }
    return l;
}

/* Keeps the changes for sigma 0; and adds to those for sigma what more of it does. */
static void keep_changes(walk *w)
{
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        walker *own = &w->row[i];
        memcpy(own->dp0, own->dp, sizeof own->dp);
        own->dw0 = own->dw;
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            double *x = own->side + (size_t)k * NUMBERS;
            x[DL0] = x[DL];
            x[DG0] = x[DG];
        }
    }
}

static void add_changes(walk *w, double along)
{
    for (uint32_t i = 0; i < w->s->island->rows; i++) {
        walker *own = &w->row[i];
        for (int k = 0; k < 3; k++)
            own->dp[k] += along * (own->dp[k] - own->dp0[k]);
        own->dw += along * (own->dw - own->dw0);
        for (uint32_t k = 0; k < w->row[i].sides; k++) {
            double *x = own->side + (size_t)k * NUMBERS;
            x[DL] += along * (x[DL] - x[DL0]);
            x[DG] += along * (x[DG] - x[DG0]);
        }
    }
}

/* Keeps a point of the path, or goes back to the last one. */
static void keep_back(tl_island_room *room, walk *w)
{
    double *to = room->back.data;
    tl_island_keep(w->s->island, to);
    memcpy(to + 3 * (size_t)w->s->island->rows, room->path.data, room->path.count * sizeof(double));
    w->back = w->sigma;
    w->has_back = true;
}

static void go_back(tl_island_room *room, walk *w)
{
    const double *from = room->back.data;
    tl_island_restore(w->s->island, from);
    memcpy(room->path.data, from + 3 * (size_t)w->s->island->rows,
           room->path.count * sizeof(double));
    w->sigma = w->back;
}

/* Back to the path, with what changes most held where it is, and then along it. What does not come
 * back begins anew from the path, with a shorter step. */
static void step_careful(tl_island_room *room, walk *w)
{
    const int sign = tl_sparse_sign(w->s->matrix) > 0 ? -1 : 1;
    direct(w, 0, false);
    keep_changes(w);
    direct(w, w->sigma, false);
    const lead l = find_lead(w);
    const bool on = l.off <= NEAR;
    if (!on && w->has_back && w->change > SHORTEST && w->astray >= ASTRAY) {
        go_back(room, w);
        w->change *= 0.5;
        w->astray = 0;
        return;
    }
    if (on && !w->astray && w->has_back)
        w->change = fmin(1.5 * w->change, w->longest);
    w->astray = on ? 0 : w->astray + 1;
    if (on)
        keep_back(room, w);
    const double back = fmin(fmax(l.most != 0 ? -l.there / l.most : 0, -0.5), 0.5);
    const double ahead = on ? fmin(0.9, w->change / fmax(fabs(l.most), 1e-300)) : 0;
    const double along = back + sign * ahead;
    add_changes(w, along);
    double far = reach_all(w);
    far = far < 1 ? 0.9 * far : 1;
    go(w, far);
    w->sigma *= fmax(1 + far * along, 0.05);
}

/* From near a solution the rest may be had without the path; if not, that goes on. */
static tl_status try_to_finish(tl_island_room *room, walk *w, double goal, double *worst,
                               uint32_t *steps)
{
    double after;
    w->tried = *worst;
    TL_TRY(tl_array_resize(&room->paused, 3 * (size_t)w->s->island->rows));
    tl_island_keep(w->s->island, room->paused.data);
    TL_TRY(tl_reduced_finish(room, w->s, goal, &after, steps));
    if (after <= goal)
        *worst = after;
    else
        tl_island_restore(w->s->island, room->paused.data);
    return TL_OK;
}

static tl_status make(tl_island_room *room, tl_reduced *s, walk *w)
{
    const size_t rows = s->island->rows, own = sizeof(walker) / sizeof(double);
    const size_t sides = s->island->directions > 2 ? s->island->directions : 2;
    TL_TRY(tl_array_resize(&room->path, rows * (own + sides * NUMBERS)));
    TL_TRY(tl_array_resize(&room->back, 3 * rows + room->path.count));
    *w = (walk){.s = s, .row = room->path.data, .tried = TRIED};
    double *side = (double *)room->path.data + rows * own;
    memset(room->path.data, 0, room->path.count * sizeof(double));
    for (uint32_t i = 0; i < rows; i++) {
        w->row[i].side = side + (size_t)i * sides * NUMBERS;
        w->row[i].sides = sides_of(w, i);
    }
    return TL_OK;
}

tl_status tl_reduced_follow(tl_island_room *room, tl_reduced *s, uint32_t care, double goal,
                            uint32_t *steps)
{
    walk w;
    double best = INFINITY, first = 0, sum;
    const uint32_t most = care ? CAREFUL : HASTY;
    TL_TRY(make(room, s, &w));
    begin(&w);
    w.longest = w.change = LONGEST * pow(0.5, (double)care - 1);
    for (uint32_t step = 0, since = 0; step < most && since < TRIES; step++, since++) {
        double worst = tl_reduced_residual(s, &sum);
        first = step ? first : worst;
        if (care && worst > goal && worst < 0.5 * w.tried)
            TL_TRY(try_to_finish(room, &w, goal, &worst, steps));
        if (worst < best || best > 0.5 * first) { /* the beginning is far off the path */
            best = worst;
            since = 0;
            tl_island_keep(s->island, room->best.data);
        }
        const bool slow = care && step >= ROUGH && (!(w.sigma > 0) || w.sigma > 100 * goal * goal);
        since = slow ? 0 : since;
        if (worst <= goal)
            break;
        bool regular;
        shape(&w);
        TL_TRY(tl_reduced_factor(s, &regular));
        if (!regular)
            break;
        if (slow && !(w.sigma > 0))
            w.sigma = mean_of(&w);
        if (slow)
            step_careful(room, &w);
        else
            step_hasty(&w);
        ++*steps;
    }
    tl_island_restore(s->island, room->best.data);
    return TL_OK;
}
