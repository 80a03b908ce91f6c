/* Contacts that carry load, solved at once. Sweeps carry news from contact to contact: how fast
 * they straighten a tower falls with the fourth power of its height. Where contacts neither open
 * nor slip the velocity problem is linear, and a factorization solves it whatever the height.
 *
 * With v and gamma as sweeps left them and w = D^T v, which is to be zero, v changes by d such that
 * d^T M d + sum k (w + D^T d)^2 is least: (M + D k D^T) d = -D k w, with impulses -k (w + D^T d).
 * The stiffnesses k are finite, so that any number of contacts may share a load; what they leave is
 * taken away by doing the same again. Kinetic energy never grows: this is a projection. One thread,
 * sums in one order: the same bits everywhere. */
#include "solve/problem.h"
#include "solve/profile.h"

#include <math.h>
#include <string.h>

#define STIFF  1e10 /* the stiffness, in units of the contact's step length */
#define GOES   3    /* solutions with one factorization */
#define CLOSED 1e-3 /* of what is light: a gap that closes so slowly is none */
#define EDGE   1e-3 /* of the friction: contacts nearer to the edge of their cones slip */

typedef enum state { LEFT, SLIPS, STICKS } state;

typedef struct touch {
    uint32_t row, a, b;        /* b: TLK_NONE where it is moved by nothing */
    double n[3], ra[3], rb[3]; /* normal and arms */
    double mu, kn, kt;
    double given[3]; /* of w: by what moves by itself */
    double start[3], gamma[3], w[3];
    bool closed; /* it has no gap to close */
    state state;
} touch;

typedef struct body {
    double mass, inverse, inertia[3][3], turned[3][3]; /* turned: the inertia's inverse */
} body;

/* The rows of a problem as 64-bit numbers on the host. */
typedef struct image {
    tl_array a, b, head, arms, bias, gamma, vel, inverse, wall;
} image;

typedef struct sticking {
    const tlk_problem *view;
    image image;
    tl_array touches, bodies, edges; /* touch; body; two bodies each */
    tl_array start, v, d;            /* double, 6 per body: velocities; what they change by */
    tl_profile profile;
} sticking;

/* ---- To and fro ---- */

static tl_status read_words(tl_backend *b, const void *device, size_t count, tl_array *out)
{
    out->item = sizeof(uint32_t);
    TL_TRY(tl_array_resize(out, count));
    return count ? b->ops->download(b, out->data, device, count * sizeof(uint32_t)) : TL_OK;
}

static tl_status read_reals(tl_backend *b, const void *device, size_t count, tl_array *out)
{
    out->item = sizeof(double);
    TL_TRY(tl_array_resize(out, device ? count : 0));
    if (!out->count)
        return TL_OK;
    double *to = out->data;
    char *from = (char *)out->data + count * (sizeof(double) - b->real); /* read before written */
    TL_TRY(b->ops->download(b, from, device, count * b->real));
    for (size_t i = 0; i < count && b->precision != TL_DOUBLE; i++) {
        float one;
        memcpy(&one, from + i * sizeof one, sizeof one);
        to[i] = (double)one;
    }
    return TL_OK;
}

/* Back to the device; the numbers on the host are rubbish then. */
static void write_reals(tl_backend *b, void *device, tl_array *from)
{
    const double *in = from->data;
    char *out = from->data;
    for (size_t i = 0; i < from->count && b->precision != TL_DOUBLE; i++) {
        const float one = (float)in[i];
        memcpy(out + i * sizeof one, &one, sizeof one);
    }
    b->ops->upload(b, device, out, from->count * b->real);
}

static tl_status read_problem(tl_backend *b, const tlk_problem *p, image *m)
{
    const size_t rows = p->rows, blocks = p->blocks;
    TL_TRY(read_reals(b, p->head, TLK_HEAD * rows, &m->head));
    TL_TRY(read_reals(b, p->arms, TLK_ARMS * (rows - p->arm_base), &m->arms));
    TL_TRY(read_reals(b, p->bias, rows, &m->bias));
    TL_TRY(read_reals(b, p->gamma, 3 * rows, &m->gamma));
    TL_TRY(read_reals(b, p->vel, 8 * blocks, &m->vel));
    TL_TRY(read_reals(b, p->inverse, 8 * blocks, &m->inverse));
    return read_reals(b, p->wall, 3 * (size_t)p->arm_base, &m->wall);
}

static void free_sticking(sticking *s)
{
    image *m = &s->image;
    tl_array *const all[] = {&m->a,      &m->b,     &m->head,    &m->arms, &m->bias,
                             &m->gamma,  &m->vel,   &m->inverse, &m->wall, &s->touches,
                             &s->bodies, &s->edges, &s->start,   &s->v,    &s->d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_profile_free(&s->profile);
}

/* Field f of row r. */
static double *field(const tl_array *array, uint32_t r, uint32_t f, uint32_t fields)
{
    return (double *)array->data + ((size_t)(r / TLK_LANES) * fields + f) * TLK_LANES +
           r % TLK_LANES;
}

/* ---- Contacts and bodies ---- */

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Arms and stiffnesses of a row. Those of a central one are along the normal. */
static void load_arms(const sticking *s, uint32_t r, touch *t)
{
    const tlk_problem *p = s->view;
    const image *m = &s->image;
    const uint32_t b = ((const uint32_t *)m->b.data)[r];
    if (r >= p->arm_base) {
        for (uint32_t k = 0; k < 3; k++) {
            t->ra[k] = *field(&m->arms, r - p->arm_base, k, TLK_ARMS);
            t->rb[k] = *field(&m->arms, r - p->arm_base, 3 + k, TLK_ARMS);
        }
        t->kn = STIFF * *field(&m->head, r, 4, TLK_HEAD);
        t->kt = STIFF * *field(&m->head, r, 5, TLK_HEAD);
        return;
    }
    const double *va = (const double *)m->vel.data + 8 * (size_t)t->a;
    const double *vb = (const double *)m->vel.data + 8 * (size_t)b;
    const double la = *field(&m->head, r, 4, TLK_HEAD), lb = *field(&m->head, r, 5, TLK_HEAD);
    const bool wall = m->wall.count && b >= p->moving;
    for (uint32_t k = 0; k < 3; k++) {
        t->ra[k] = la * t->n[k];
        t->rb[k] = wall ? *field(&m->wall, r, k, 3) : -lb * t->n[k];
    }
    t->kn = STIFF / (va[3] + vb[3]);
    t->kt = STIFF / (va[3] + vb[3] + la * la * va[7] + lb * lb * vb[7]);
}

/* The velocity of the end of an arm. */
static void surface(const double *v, const double *turn, const double *arm, double *out)
{
    cross(turn, arm, out);
    for (int k = 0; k < 3; k++)
        out[k] += v[k];
}

static tl_status load_touches(sticking *s, double light)
{
    const image *m = &s->image;
    const uint32_t *a = m->a.data, *b = m->b.data;
    for (uint32_t r = 0; r < s->view->rows; r++) {
        if (a[r] == TLK_NONE)
            continue;
        touch t = {.row = r, .a = a[r], .b = b[r] < s->view->moving ? b[r] : TLK_NONE};
        for (uint32_t k = 0; k < 3; k++) {
            t.n[k] = *field(&m->head, r, k, TLK_HEAD);
            t.start[k] = *field(&m->gamma, r, k, 3);
        }
        t.mu = *field(&m->head, r, 3, TLK_HEAD);
        load_arms(s, r, &t);
        if (t.b == TLK_NONE) {
            const double *v = (const double *)m->vel.data + 8 * (size_t)b[r];
            surface(v, v + 4, t.rb, t.given);
        }
        t.closed = fabs(*field(&m->bias, r, 0, 1)) <= CLOSED * light;
        TL_TRY(tl_array_append(&s->touches, &t, 1));
    }
    return TL_OK;
}

/* The inverse of a symmetric matrix. */
static void invert(double m[3][3], double out[3][3])
{
    double c[3][3];
    for (int k = 0; k < 3; k++)
        cross(m[(k + 1) % 3], m[(k + 2) % 3], c[k]);
    const double det = dot(m[0], c[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = c[i][k] / det;
}

static tl_status load_bodies(sticking *s)
{
    const uint32_t moving = s->view->moving;
    s->bodies.item = sizeof(body);
    s->start.item = s->v.item = s->d.item = sizeof(double);
    TL_TRY(tl_array_resize(&s->bodies, moving));
    TL_TRY(tl_array_resize(&s->start, 6 * (size_t)moving));
    TL_TRY(tl_array_resize(&s->v, 6 * (size_t)moving));
    TL_TRY(tl_array_resize(&s->d, 6 * (size_t)moving));
    for (uint32_t i = 0; i < moving; i++) {
        const double *v = (const double *)s->image.vel.data + 8 * (size_t)i;
        const double *turns = s->image.inverse.data;
        const double sphere[6] = {v[7], v[7], v[7], 0, 0, 0};
        const double *x = turns ? turns + 8 * (size_t)i : sphere;
        body *b = (body *)s->bodies.data + i;
        *b = (body){.mass = 1 / v[3],
                    .inverse = v[3],
                    .turned = {{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}}};
        for (size_t k = 0; k < 6; k++)
            ((double *)s->start.data)[6 * (size_t)i + k] = v[k < 3 ? k : k + 1];
        invert(b->turned, b->inertia);
    }
    return TL_OK;
}

/* ---- The matrix ---- */

/* What a contact's stiffness makes of a vector: across the normal too where it sticks. */
static void stiffen(const touch *t, const double *x, double *out)
{
    const double along = dot(x, t->n), kt = t->state == STICKS ? t->kt : 0;
    for (int k = 0; k < 3; k++)
        out[k] = kt * (x[k] - along * t->n[k]) + t->kn * along * t->n[k];
}

/* The columns of a body's side of D^T: unit velocities as a contact sees them. */
static void columns(const double *arm, double sign, double out[6][3])
{
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        cross(unit, arm, out[3 + k]);
        for (int c = 0; c < 3; c++) {
            out[k][c] = sign * unit[c];
            out[3 + k][c] *= sign;
        }
    }
}

static void add_touch(sticking *s, const touch *t)
{
    double side[2][6][3], stiff[3], block[6][6];
    const uint32_t at[2] = {t->a, t->b};
    columns(t->ra, -1, side[0]);
    columns(t->rb, 1, side[1]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            if (at[i] == TLK_NONE || at[j] == TLK_NONE || (i == 1 && j == 0))
                continue;
            for (int c = 0; c < 6; c++) {
                stiffen(t, side[j][c], stiff);
                for (int r = 0; r < 6; r++)
                    block[r][c] = dot(side[i][r], stiff);
            }
            tl_profile_add(&s->profile, at[i], at[j], (const double(*)[6])block);
        }
}

static tl_status factor(sticking *s, bool *done)
{
    const touch *t = s->touches.data;
    const body *b = s->bodies.data;
    TL_TRY(tl_profile_clear(&s->profile));
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        double block[6][6] = {{0}};
        for (int r = 0; r < 3; r++) {
            block[r][r] = b[i].mass;
            for (int c = 0; c < 3; c++)
                block[3 + r][3 + c] = b[i].inertia[r][c];
        }
        tl_profile_add(&s->profile, i, i, (const double(*)[6])block);
    }
    for (size_t i = 0; i < s->touches.count; i++)
        if (t[i].state != LEFT)
            add_touch(s, &t[i]);
    *done = tl_profile_factor(&s->profile);
    return TL_OK;
}

/* The right-hand side, -D k w. */
static void gather(sticking *s)
{
    const touch *t = s->touches.data;
    double *d = s->d.data, stiff[3], turn[3];
    memset(d, 0, s->d.count * sizeof *d);
    for (size_t i = 0; i < s->touches.count; i++) {
        if (t[i].state == LEFT)
            continue;
        stiffen(&t[i], t[i].w, stiff);
        for (int side = 0; side < 2; side++) {
            const uint32_t at = side ? t[i].b : t[i].a;
            if (at == TLK_NONE)
                continue;
            cross(side ? t[i].rb : t[i].ra, stiff, turn);
            for (int k = 0; k < 3; k++) {
                d[6 * (size_t)at + k] -= side ? stiff[k] : -stiff[k];
                d[6 * (size_t)at + 3 + k] -= side ? turn[k] : -turn[k];
            }
        }
    }
}

/* What velocities, 6 per body, make of a contact's. */
static void see(const double *v, const touch *t, double *out)
{
    const double *va = v + 6 * (size_t)t->a;
    double a[3], b[3] = {0, 0, 0};
    surface(va, va + 3, t->ra, a);
    if (t->b != TLK_NONE)
        surface(v + 6 * (size_t)t->b, v + 6 * (size_t)t->b + 3, t->rb, b);
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
}

/* Adds an impulse, on b and against a. */
static void push(sticking *s, touch *t, const double *impulse)
{
    for (int k = 0; k < 3; k++)
        t->gamma[k] += impulse[k];
    for (int side = 0; side < 2; side++) {
        const uint32_t at = side ? t->b : t->a;
        double turn[3];
        if (at == TLK_NONE)
            continue;
        const body *b = (const body *)s->bodies.data + at;
        double *v = (double *)s->v.data + 6 * (size_t)at;
        cross(side ? t->rb : t->ra, impulse, turn);
        for (int k = 0; k < 3; k++) {
            v[k] += side ? b->inverse * impulse[k] : -(b->inverse * impulse[k]);
            v[3 + k] += side ? dot(b->turned[k], turn) : -dot(b->turned[k], turn);
        }
    }
}

/* w of all contacts at the velocities as they are. */
static void look(sticking *s)
{
    touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        see(s->v.data, &t[i], t[i].w);
        for (int k = 0; k < 3; k++)
            t[i].w[k] += t[i].given[k];
    }
}

/* One solution. Velocities follow from the impulses, so that momentum is kept to rounding. */
static void solve(sticking *s)
{
    touch *t = s->touches.data;
    double change[3], stiff[3];
    gather(s);
    tl_profile_solve(&s->profile, s->d.data);
    for (size_t i = 0; i < s->touches.count; i++) {
        if (t[i].state == LEFT)
            continue;
        see(s->d.data, &t[i], change);
        for (int k = 0; k < 3; k++)
            change[k] = -(change[k] + t[i].w[k]);
        stiffen(&t[i], change, stiff);
        push(s, &t[i], stiff);
    }
    look(s);
}

/* From where the sweeps ended. */
static void start(sticking *s)
{
    touch *t = s->touches.data;
    if (s->v.count)
        memcpy(s->v.data, s->start.data, s->v.count * sizeof(double));
    for (size_t i = 0; i < s->touches.count; i++)
        memcpy(t[i].gamma, t[i].start, sizeof t[i].gamma);
    look(s);
}

/* Whether an impulse is within so much of its cone. */
static bool within(const touch *t, const double *gamma, double part)
{
    const double load = dot(gamma, t->n), most = part * t->mu * load;
    return load >= 0 && dot(gamma, gamma) - load * load <= most * most;
}

/* Whether all impulses are within their cones. */
static bool all_within(const sticking *s)
{
    const touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++)
        if (t[i].state != LEFT && !within(&t[i], t[i].gamma, t[i].state == SLIPS ? 1 + EDGE : 1))
            return false;
    return true;
}

/* Which contacts are solved for: those that carry load, and have no gap to close. What carries
 * next to nothing is left to the sweeps, as it opens and closes by itself. */
static void choose(sticking *s, double light)
{
    touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        const bool loaded = dot(t[i].start, t[i].n) > light * t[i].kn / STIFF;
        t[i].state = !loaded || !t[i].closed               ? LEFT
                     : within(&t[i], t[i].start, 1 - EDGE) ? STICKS
                                                           : SLIPS;
    }
}

/* The order of bodies, from which follows what a factorization takes. */
static tl_status arrange(tl_backend *b, sticking *s)
{
    const tlk_problem *p = s->view;
    s->edges.item = 2 * sizeof(uint32_t);
    TL_TRY(read_words(b, p->a, p->rows, &s->image.a));
    TL_TRY(read_words(b, p->b, p->rows, &s->image.b));
    const uint32_t *first = s->image.a.data, *second = s->image.b.data;
    for (uint32_t r = 0; r < p->rows; r++)
        if (first[r] != TLK_NONE && second[r] < p->moving)
            TL_TRY(tl_array_append(&s->edges, (const uint32_t[2]){first[r], second[r]}, 1));
    return tl_profile_make(&s->profile, p->moving, s->edges.data, s->edges.count);
}

static tl_status load(tl_backend *b, sticking *s, double light)
{
    s->touches.item = sizeof(touch);
    TL_TRY(read_problem(b, s->view, &s->image));
    TL_TRY(load_touches(s, light));
    return load_bodies(s);
}

/* The usual speed of bodies with contacts that were solved for: the square of the mean root. */
static double usual(const sticking *s, const double *v)
{
    const touch *t = s->touches.data;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->touches.count; i++)
        for (int side = 0; side < 2 && t[i].state != LEFT; side++) {
            const uint32_t at = side ? t[i].b : t[i].a;
            if (at == TLK_NONE)
                continue;
            sum += sqrt(sqrt(dot(v + 6 * (size_t)at, v + 6 * (size_t)at)));
            count++;
        }
    return count ? sum / (double)count * (sum / (double)count) : 0;
}

static tl_status run(tl_backend *b, sticking *s, double light, double most, tl_sticking *out)
{
    bool regular;
    TL_TRY(arrange(b, s));
    if (s->profile.work > most)
        return TL_OK;
    TL_TRY(load(b, s, light));
    choose(s, light);
    out->work = s->profile.work;
    TL_TRY(factor(s, &regular));
    if (!regular)
        return TL_OK;
    start(s);
    for (int go = 0; go < GOES; go++)
        solve(s);
    out->done = all_within(s);
    out->before = usual(s, s->start.data);
    out->after = usual(s, s->v.data);
    return TL_OK;
}

/* Impulses and velocities to the device. */
static void write_back(tl_backend *b, sticking *s)
{
    image *m = &s->image;
    const touch *t = s->touches.data;
    const double *v = s->v.data;
    for (size_t i = 0; i < s->touches.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            *field(&m->gamma, t[i].row, k, 3) = t[i].gamma[k];
    for (size_t i = 0; i < s->bodies.count; i++)
        for (size_t k = 0; k < 6; k++)
            ((double *)m->vel.data)[8 * i + (k < 3 ? k : k + 1)] = v[6 * i + k];
    write_reals(b, s->view->gamma, &m->gamma);
    write_reals(b, s->view->vel, &m->vel);
}

tl_status tl_solve_sticking(tl_backend *b, const tl_problem *problem, double light, double most,
                            tl_sticking *out)
{
    sticking s = {.view = &problem->view};
    *out = (tl_sticking){.done = false};
    const tl_status status = run(b, &s, light, most, out);
    if (status == TL_OK && out->done)
        write_back(b, &s);
    free_sticking(&s);
    return status;
}
