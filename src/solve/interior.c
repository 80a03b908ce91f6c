/* The problem of the cone law by an interior-point method: about twenty factorizations, where
 * gradients and sweeps may need thousands of iterations, and more digits than 32 bits have. The
 * search for balance uses it for small problems.
 *
 * In units in which a contact's cone is |z_t| <= z_n: gamma = T z with T = (n / mu, t1, t2), and
 * y = T^T (D^T v + bias n) + c z is to be in the same cone, with z . y = 0. Followed is the path
 * z o y = sigma e towards sigma = 0, by Mehrotra's predictor and corrector in Nesterov and Todd's
 * scaling (docs/theory.md, "Balance"). Impulses end as far inside their cones as the loads allow.
 * Contacts yield a little (c), as forces that hold each other may be as large as they like; either
 * to the impulse itself, or `anew` to its change in each step, which leaves nothing of it in the
 * end, so that c may be larger and rounding smaller. */
#include "solve/system.h"

#include <math.h>
#include <string.h>

#define YIELD   1e-11 /* the compliance c, in units of the contact's inverse step length */
#define RENEWED 1e-8  /* the same where it is to changes alone; rounding grows with one over it, */
#define MORE    100.0 /* so where it spoils a step near the end, so many times as much, */
#define MOST    1e5   /* up to this */
#define STEPS   60u   /* at most; most problems take 15 to 25 */
#define TRIES   6u    /* steps without a gain that end it */
#define CLOSE   1e-4  /* of a usual velocity: from there on so many end it */
#define END     3u
#define WORTH   0.9   /* of what is left: less is no gain, where the last digits are asked for */
#define BENDS   3u    /* by Gondzio's rule, of a step */
#define ENOUGH  0.95  /* of a step: nothing is bent */
#define FARTHER 0.2   /* what a bend is to gain, */
#define GAIN    0.1   /* and the part of it that makes another one worth while */
#define SPREAD  10.0  /* of products around their target: beyond, they are bent */
#define INSIDE  2e-15 /* of a vector: how far from the edge of its cone it stays */
#define SHORT   0.99  /* the part of the way to the edge of a cone that a step goes */

/* What matrices are in the scaling's axes: (1, a) / sqrt 2, (1, -a) / sqrt 2 and across a, a unit
 * vector in the tangent plane. */
typedef struct diagonal {
    double at[3];
} diagonal;

typedef struct cone {
    double t[3][3]; /* the columns of T; the last two are zero without friction */
    double soft;    /* c */
    double series;  /* compliance of the material, along the normal, in these units */
    double z[3], y[3], dz[3], dy[3];
    double axis[2];
    diagonal w, back;       /* the scaling W, with W z = W^-1 y; W^-1 */
    diagonal g, keep;       /* (c + W^2)^-1, and W^2 times that */
    double missed[3], q[3]; /* by how much y is not what it is to be; right-hand side */
    double target[3];       /* what z o y is to become, in the scaling, less what it is */
    double kept[9];         /* target, dz and dy of the best direction so far */
} cone;

/* ---- Cones ---- */

static double form(const double *x)
{
    const double across = sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - across) * (x[0] + across); /* keeps digits near the edge */
}

static void product(const double *a, const double *b, double *out)
{
    const double first = tl_dot(a, b);
    for (int k = 1; k < 3; k++)
        out[k] = a[0] * b[k] + b[0] * a[k];
    out[0] = first;
}

/* x with a o x = b. */
static void quotient(const double *a, const double *b, double *x)
{
    x[0] = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / form(a);
    for (int k = 1; k < 3; k++)
        x[k] = (b[k] - x[0] * a[k]) / a[0];
}

static void apply(const cone *c, const diagonal *d, const double *x, double *out)
{
    const double along = c->axis[0] * x[1] + c->axis[1] * x[2];
    const double across = d->at[2] * (c->axis[0] * x[2] - c->axis[1] * x[1]);
    const double a = 0.5 * d->at[0] * (x[0] + along), b = 0.5 * d->at[1] * (x[0] - along);
    out[0] = a + b;
    out[1] = (a - b) * c->axis[0] - across * c->axis[1];
    out[2] = (a - b) * c->axis[1] + across * c->axis[0];
}

/* How far from x along d the edge of the cone is; at most 1. */
static double reach(const double *x, const double *d)
{
    const double a = form(d), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = form(x);
    const double root = b * b - a * c;
    double far = 1;
    if (d[0] < 0)
        far = fmin(far, -x[0] / d[0]);
    if (a < 0 || (root >= 0 && b < 0)) /* the nearer root ahead */
        far = fmin(far, c / (sqrt(fmax(root, 0)) - b));
    return far;
}

/* ---- The path ---- */

static void tangents(const double *n, double *a, double *b)
{
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                              : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    const double size = sqrt(1 - n[least] * n[least]);
    for (int k = 0; k < 3; k++)
        a[k] = ((k == least) - n[least] * n[k]) / size;
    for (int k = 0; k < 3; k++)
        b[k] = n[(k + 1) % 3] * a[(k + 2) % 3] - n[(k + 2) % 3] * a[(k + 1) % 3];
}

/* In the middle of the cone, with impulses and velocities as large as gravity's. */
static void begin(const tl_touch *t, double spared, double unit, cone *c)
{
    const double mu = (1 - spared) * t->mu, size = mu > 0 ? mu : 1;
    *c = (cone){.z = {size * t->eta[0] * unit}, .y = {unit / size}};
    if (mu > 0)
        tangents(t->n, c->t[1], c->t[2]);
    for (int k = 0; k < 3; k++)
        c->t[0][k] = t->n[k] / size;
    c->soft = YIELD / t->eta[1];
    c->series = t->soft / (size * size);
}

/* The scaling at z and y. That of its axis is as long as z and y are near the edge, so its parts
 * are made one by one, of sums without cancellation. */
static void rescale(cone *c)
{
    const double zs = sqrt(form(c->z)), ys = sqrt(form(c->y)), beta = sqrt(ys / zs);
    const double part = sqrt(2 + 2 * tl_dot(c->z, c->y) / (zs * ys));
    double w[3];
    for (int k = 0; k < 3; k++)
        w[k] = (c->y[k] / ys + (k ? -1 : 1) * c->z[k] / zs) / part;
    const double size = sqrt(w[1] * w[1] + w[2] * w[2]), ratio = w[0] + size;
    c->axis[0] = size > 0 ? w[1] / size : 1;
    c->axis[1] = size > 0 ? w[2] / size : 0;
    c->w = (diagonal){{beta * ratio, beta / ratio, beta}};
    for (int k = 0; k < 3; k++) {
        const double square = c->w.at[k] * c->w.at[k];
        c->back.at[k] = 1 / c->w.at[k];
        c->g.at[k] = 1 / (square + c->soft);
        c->keep.at[k] = square / (square + c->soft);
    }
}

/* (c + W^2)^-1, or with the compliance of a material along the normal in series, by the rule of
 * Sherman and Morrison. */
static void yield(const cone *c, const double *x, double *out)
{
    apply(c, &c->g, x, out);
    if (!(c->series > 0))
        return;
    double normal[3];
    apply(c, &c->g, (const double[3]){1, 0, 0}, normal);
    const double part = c->series * out[0] / (1 + c->series * normal[0]);
    for (int k = 0; k < 3; k++)
        out[k] -= part * normal[k];
}

/* What the contact's stiffness becomes by it: T (c + W^2)^-1 T^T. */
static void stiffen(const cone *c, tl_touch *t)
{
    memset(t->k, 0, sizeof t->k);
    for (int i = 0; i < 3; i++) {
        const double unit[3] = {i == 0, i == 1, i == 2};
        double g[3];
        yield(c, unit, g);
        for (int k = 0; k < 3; k++)
            for (int r = 0; r < 3; r++)
                for (int l = 0; l < 3; l++)
                    t->k[r][l] += c->t[i][r] * g[k] * c->t[k][l];
    }
}

/* Impulses and velocities of all z, and by how much each y is not what it is to be. Returns how
 * large z . y is, of all, in m/s; `relative`: the gap that z, y and what is missed may lead to. */
static double measure(tl_system *s, cone *c, bool anew, double *relative)
{
    tl_touch *t = s->touches.data;
    double gap = 0, all = 0, missed = 0, off = 0;
    tl_system_start(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        double impulse[3] = {0, 0, 0};
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++)
                impulse[r] += c[i].t[k][r] * c[i].z[k];
            impulse[r] -= t[i].cohesion * t[i].n[r];
        }
        memset(t[i].gamma, 0, sizeof t[i].gamma);
        tl_system_push(s, &t[i], impulse);
    }
    tl_system_look(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++) {
            const double opened = t[i].bias + t[i].soft * tl_dot(t[i].gamma, t[i].n);
            const double w = tl_dot(c[i].t[k], t[i].w) + opened * tl_dot(c[i].t[k], t[i].n);
            c[i].missed[k] = w + (anew ? 0 : c[i].soft * c[i].z[k]) - c[i].y[k];
        }
        gap += tl_dot(c[i].z, c[i].y);
        missed += t[i].eta[0] * tl_dot(c[i].missed, c[i].missed);
        all += t[i].eta[0];
        off += tl_length(c[i].z) * tl_length(c[i].missed);
    }
    *relative = (gap + off) / tl_system_energy(s, s->v.data, s->start.data);
    return sqrt(fmax(gap, missed) / all);
}

/* The directions for right-hand sides that stand in dy; returns how far they may be followed. */
static double direct(tl_system *s, cone *c)
{
    tl_touch *t = s->touches.data;
    double far = 1, part[3];
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++)
            c[i].q[k] = c[i].dy[k] - c[i].missed[k];
        yield(&c[i], c[i].q, part);
        for (int r = 0; r < 3; r++)
            t[i].p[r] = c[i].t[0][r] * part[0] + c[i].t[1][r] * part[1] + c[i].t[2][r] * part[2];
    }
    tl_system_solve(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++)
            part[k] = c[i].q[k] - tl_dot(c[i].t[k], t[i].seen);
        yield(&c[i], part, c[i].dz);
        if (c[i].series > 0) {
            apply(&c[i], &c[i].w, c[i].dz, part);
            apply(&c[i], &c[i].w, part, part);
        } else
            apply(&c[i], &c[i].keep, part, part);
        for (int k = 0; k < 3; k++)
            c[i].dy[k] -= part[k];
        far = fmin(far, fmin(reach(c[i].z, c[i].dz), reach(c[i].y, c[i].dy)));
    }
    return far;
}

/* The direction towards the targets; returns how far it may be followed. */
static double turn(tl_system *s, cone *c)
{
    for (size_t i = 0; i < s->touches.count; i++) {
        double lambda[3], a[3], b[3];
        apply(&c[i], &c[i].w, c[i].z, lambda);
        quotient(lambda, c[i].target, a);
        apply(&c[i], &c[i].w, a, b);
        for (int k = 0; k < 3; k++)
            c[i].dy[k] = b[k] - c[i].y[k];
    }
    return direct(s, c);
}

/* Mehrotra's targets, after the predictor: `sigma` in the middle, less what it leaves of second
 * order. */
static void correct(const tl_system *s, cone *c, double sigma)
{
    for (size_t i = 0; i < s->touches.count; i++) {
        double a[3], b[3], both[3];
        apply(&c[i], &c[i].w, c[i].dz, a);
        apply(&c[i], &c[i].back, c[i].dy, b);
        product(a, b, both);
        for (int k = 0; k < 3; k++)
            c[i].target[k] = (k ? 0 : sigma) - both[k];
    }
}

/* Gondzio's targets: farther along the direction, products z o y that would be far from `sigma`, as
 * their two spectral values tell, are brought within a factor of it. */
static void centre(const tl_system *s, cone *c, double sigma, double far)
{
    for (size_t i = 0; i < s->touches.count; i++) {
        double a[3], b[3], both[3], z[3], y[3];
        for (int k = 0; k < 3; k++) {
            z[k] = c[i].z[k] + far * c[i].dz[k];
            y[k] = c[i].y[k] + far * c[i].dy[k];
        }
        apply(&c[i], &c[i].w, z, a);
        apply(&c[i], &c[i].back, y, b);
        product(a, b, both);
        const double size = sqrt(both[1] * both[1] + both[2] * both[2]);
        double off[2];
        for (int k = 0; k < 2; k++) {
            const double value = both[0] + (k ? -size : size);
            const double wanted = fmin(fmax(value, sigma / SPREAD), sigma * SPREAD);
            off[k] = fmax(wanted - value, -SPREAD * sigma);
        }
        c[i].target[0] += 0.5 * (off[0] + off[1]);
        for (int k = 1; k < 3 && size > 0; k++)
            c[i].target[k] += 0.5 * (off[0] - off[1]) * both[k] / size;
    }
}

/* Keeps the direction, or brings back what was kept. */
static void keep(const tl_system *s, cone *c, bool back)
{
    for (size_t i = 0; i < s->touches.count; i++) {
        double *now[] = {c[i].target, c[i].dz, c[i].dy};
        for (int k = 0; k < 3; k++)
            memcpy(back ? now[k] : c[i].kept + 3 * k, back ? c[i].kept + 3 * k : now[k],
                   sizeof c[i].target);
    }
}

/* The next step along the path, and how far it goes; 0 where there is none. Solutions are cheap
 * beside the factorization, so that its direction is bent as long as that makes it longer. */
static tl_status aim(tl_system *s, cone *c, uint32_t bends, double *far)
{
    bool regular;
    tl_touch *t = s->touches.data;
    const size_t count = s->touches.count;
    double mean = 0;
    for (size_t i = 0; i < count; i++) {
        rescale(&c[i]);
        stiffen(&c[i], &t[i]);
        mean += tl_dot(c[i].z, c[i].y) / (double)count;
        for (int k = 0; k < 3; k++)
            c[i].dy[k] = -c[i].y[k];
    }
    *far = 0;
    TL_TRY(tl_system_factor(s, &regular));
    if (!regular)
        return TL_OK;
    const double left = 1 - direct(s, c), sigma = left * left * left * mean;
    correct(s, c, sigma);
    double reached = turn(s, c);
    for (uint32_t i = 0; i < bends && reached < ENOUGH; i++) {
        keep(s, c, false);
        centre(s, c, sigma, fmin(1, FARTHER + reached));
        const double next = turn(s, c);
        if (next < reached + GAIN * FARTHER) {
            if (next < reached)
                keep(s, c, true);
            reached = fmax(next, reached);
            break;
        }
        reached = next;
    }
    *far = fmin(1, SHORT * reached);
    return TL_OK;
}

/* Rounding may put what is next to the edge of the cone upon it, where there is no scaling. */
static void stay_inside(double *x)
{
    x[0] = fmax(x[0], (1 + INSIDE) * sqrt(x[1] * x[1] + x[2] * x[2]));
}

static void follow(const tl_system *s, cone *c, double far)
{
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++) {
            c[i].z[k] += far * c[i].dz[k];
            c[i].y[k] += far * c[i].dy[k];
        }
        stay_inside(c[i].z);
        stay_inside(c[i].y);
    }
}

/* What contacts yield where it is to their change alone: by the mass that they seem to carry. */
static void yield_anew(const tl_system *s, double unit, double more, cone *c)
{
    const tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++)
        c[i].soft = RENEWED * more / (t[i].eta[1] + tl_length(t[i].gamma) / unit);
}

/* Until rounding spoils more than steps mend; the best of all is kept in the second half. */
static tl_status run(tl_system *s, const tl_path *path, cone *c, tl_interior *out)
{
    const double unit = path->unit;
    const size_t count = s->touches.count;
    cone *best = c + count;
    const uint32_t fewer = path->tries < END ? path->tries : END;
    double far = 1, residual = INFINITY, gap, least = INFINITY, more = 1;
    for (size_t i = 0; i < count; i++)
        begin((const tl_touch *)s->touches.data + i, s->view->spared, unit, &c[i]);
    for (uint32_t since = 0;
         since < (out->residual < CLOSE * unit ? fewer : path->tries) && far > 0; since++) {
        residual = measure(s, c, path->anew, &gap);
        if (out->residual < CLOSE * unit && !(residual < WORTH * out->residual))
            more = fmin(MORE * more, MOST);
        if (residual < out->residual) {
            const double worth = path->anew ? WORTH : 1;
            if (residual < worth * out->residual &&
                (residual > path->tolerance || gap < worth * least))
                since = 0;
            memcpy(best, c, count * sizeof *c);
            out->residual = residual;
            least = gap;
        }
        if ((residual <= path->tolerance && !(gap > path->gap)) || out->iterations >= STEPS)
            break;
        if (path->anew)
            yield_anew(s, unit, more, c);
        TL_TRY(aim(s, c, path->anew ? BENDS : 0, &far));
        follow(s, c, far);
        out->work += s->factors.work;
        out->iterations++;
    }
    /* what is worse than no impulses at all is no start for anything: where bodies are pressed into
     * each other it may have grown to any size */
    out->done = out->residual <= unit;
    if (residual != out->residual && out->residual < INFINITY)
        measure(s, best, path->anew, &gap);
    return TL_OK;
}

tl_status tl_interior_path(tl_system *s, const tl_path *path, tl_interior *out)
{
    tl_array cones = {.item = sizeof(cone)};
    tl_status status = tl_array_resize(&cones, 2 * s->touches.count);
    if (status == TL_OK)
        status = run(s, path, cones.data, out);
    tl_array_free(&cones);
    return status;
}

/* Where it may not take as much, no contacts are loaded. */
static tl_status load(tl_backend *b, tl_system *s, double most)
{
    TL_TRY(tl_system_arrange(b, s, most / STEPS));
    return s->factors.work > most / STEPS ? TL_OK : tl_system_load(b, s);
}

tl_status tl_solve_interior(tl_backend *b, const tl_problem *problem, double unit, double tolerance,
                            double most, tl_interior *out)
{
    tl_system s = {.view = &problem->view};
    *out = (tl_interior){.residual = INFINITY};
    tl_status status = load(b, &s, most);
    if (status == TL_OK && s.touches.count)
        status = tl_interior_path(&s, &(tl_path){unit, tolerance, INFINITY, TRIES, false}, out);
    if (status == TL_OK && out->done)
        tl_system_store(b, &s);
    tl_system_free(&s);
    return status;
}
