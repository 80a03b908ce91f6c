/* Rows on the host and their matrix. */
#include "solve/system.h"

#include <string.h>

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

static tl_status read_problem(tl_backend *b, tl_system *m)
{
    const tlk_problem *p = m->view;
    const size_t rows = p->rows, blocks = p->blocks;
    TL_TRY(read_reals(b, p->head, TLK_HEAD * rows, &m->head));
    TL_TRY(read_reals(b, p->anchors, TLK_ANCHORS * (rows - p->anchor_base), &m->anchors));
    TL_TRY(read_reals(b, p->bias, rows, &m->bias));
    TL_TRY(read_reals(b, p->gamma, 3 * rows, &m->gamma));
    TL_TRY(read_reals(b, p->vel, 8 * blocks, &m->vel));
    TL_TRY(read_reals(b, p->inverse, 8 * blocks, &m->inverse));
    TL_TRY(read_reals(b, p->material, TLK_MATERIAL * rows, &m->material));
    return read_reals(b, p->wall, 3 * (size_t)p->anchor_base, &m->wall);
}

void tl_system_free(tl_system *s)
{
    tl_array *const all[] = {&s->a,       &s->b,      &s->head,    &s->anchors, &s->bias,
                             &s->gamma,   &s->vel,    &s->inverse, &s->wall,    &s->material,
                             &s->touches, &s->bodies, &s->edges,   &s->start,   &s->v,
                             &s->d,       &s->krylov, &s->bonds,   &s->bonded,  &s->parts,
                             &s->sides,   &s->couples};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_cholesky_free(&s->factors);
    tl_cholesky_free(&s->joined);
}

/* Field f of row r. */
static double *field(const tl_array *array, uint32_t r, uint32_t f, uint32_t fields)
{
    return (double *)array->data + ((size_t)(r / TLK_LANES) * fields + f) * TLK_LANES +
           r % TLK_LANES;
}

/* ---- Contacts and bodies ---- */

/* Anchors and step lengths of a row. Those of a central one are along the normal. */
static void load_anchors(const tl_system *s, uint32_t r, tl_touch *t)
{
    const tlk_problem *p = s->view;
    const uint32_t b = ((const uint32_t *)s->b.data)[r];
    if (r >= p->anchor_base) {
        for (uint32_t k = 0; k < 3; k++) {
            t->ra[k] = *field(&s->anchors, r - p->anchor_base, k, TLK_ANCHORS);
            t->rb[k] = *field(&s->anchors, r - p->anchor_base, 3 + k, TLK_ANCHORS);
        }
        t->eta[0] = *field(&s->head, r, 4, TLK_HEAD);
        t->eta[1] = *field(&s->head, r, 5, TLK_HEAD);
        t->eta[2] = *field(&s->anchors, r - p->anchor_base, 6, TLK_ANCHORS);
        return;
    }
    const double *va = (const double *)s->vel.data + 8 * (size_t)t->a;
    const double *vb = (const double *)s->vel.data + 8 * (size_t)b;
    const double la = *field(&s->head, r, 4, TLK_HEAD), lb = *field(&s->head, r, 5, TLK_HEAD);
    const bool wall = s->wall.count && b >= p->moving;
    for (uint32_t k = 0; k < 3; k++) {
        t->ra[k] = la * t->n[k];
        t->rb[k] = wall ? *field(&s->wall, r, k, 3) : -lb * t->n[k];
    }
    t->eta[0] = 1 / (va[3] + vb[3]);
    t->eta[1] = 1 / (va[3] + vb[3] + la * la * va[7] + lb * lb * vb[7]);
    t->eta[2] = 3 / (1 / t->eta[0] + 2 / t->eta[1]);
}

/* The velocity of the end of an anchor. */
static void surface(const double *v, const double *turn, const double *anchor, double *out)
{
    tl_cross(turn, anchor, out);
    for (int k = 0; k < 3; k++)
        out[k] += v[k];
}

/* What materials ask of a row (kernels/material.h). */
static void load_material(const tl_system *s, uint32_t r, tl_touch *t)
{
    for (uint32_t k = 0; k < 3; k++)
        t->given[k] += *field(&s->material, r, k, TLK_MATERIAL);
    t->soft = *field(&s->material, r, 3, TLK_MATERIAL);
    t->cohesion = *field(&s->material, r, 4, TLK_MATERIAL);
}

static tl_status load_touches(tl_system *s)
{
    const uint32_t *a = s->a.data, *b = s->b.data;
    for (uint32_t r = 0; r < s->view->rows; r++) {
        if (a[r] == TLK_NONE)
            continue;
        tl_touch t = {.row = r, .a = a[r], .b = b[r] < s->view->moving ? b[r] : TLK_NONE};
        for (uint32_t k = 0; k < 3; k++) {
            t.n[k] = *field(&s->head, r, k, TLK_HEAD);
            t.start[k] = *field(&s->gamma, r, k, 3);
        }
        const double size = tl_length(t.n); /* 1, but for the digits that 32 bits lack */
        for (uint32_t k = 0; k < 3; k++)
            t.n[k] /= size;
        t.mu = s->view->frictionless ? 0 : *field(&s->head, r, 3, TLK_HEAD);
        load_anchors(s, r, &t);
        if (t.b == TLK_NONE) {
            const double *v = (const double *)s->vel.data + 8 * (size_t)b[r];
            surface(v, v + 4, t.rb, t.given);
        }
        t.bias = *field(&s->bias, r, 0, 1);
        if (s->material.count)
            load_material(s, r, &t);
        TL_TRY(tl_array_append(&s->touches, &t, 1));
    }
    return TL_OK;
}

static tl_status load_bodies(tl_system *s)
{
    const uint32_t moving = s->view->moving;
    s->bodies.item = sizeof(tl_mover);
    s->start.item = s->v.item = s->d.item = sizeof(double);
    TL_TRY(tl_array_resize(&s->bodies, moving));
    TL_TRY(tl_array_resize(&s->start, 6 * (size_t)moving));
    TL_TRY(tl_array_resize(&s->v, 6 * (size_t)moving));
    TL_TRY(tl_array_resize(&s->d, 6 * (size_t)moving));
    for (uint32_t i = 0; i < moving; i++) {
        const double *v = (const double *)s->vel.data + 8 * (size_t)i;
        const double *turns = s->inverse.data;
        const double sphere[6] = {v[7], v[7], v[7], 0, 0, 0};
        const double *x = turns ? turns + 8 * (size_t)i : sphere;
        tl_mover *b = (tl_mover *)s->bodies.data + i;
        *b = (tl_mover){.mass = 1 / v[3],
                        .inverse = v[3],
                        .turned = {{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}}};
        for (size_t k = 0; k < 6; k++)
            ((double *)s->start.data)[6 * (size_t)i + k] = v[k < 3 ? k : k + 1];
        tl_invert(b->turned, b->inertia);
    }
    return TL_OK;
}

/* ---- The matrix ---- */

/* The columns of a body's side of D^T: unit velocities as a contact sees them. */
static void columns(const double *anchor, double sign, double out[6][3])
{
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        tl_cross(unit, anchor, out[3 + k]);
        for (int c = 0; c < 3; c++) {
            out[k][c] = sign * unit[c];
            out[3 + k][c] *= sign;
        }
    }
}

static void side_of(const tl_touch *t, uint32_t side, double out[6][3])
{
    if (t->side)
        memcpy(out, t->side[side].block, sizeof t->side->block);
    else
        columns(side ? t->rb : t->ra, side ? 1 : -1, out);
}

void tl_touch_block(const tl_touch *t, uint32_t row, uint32_t column, double out[6][6])
{
    double one[6][3], two[6][3], stiff[3];
    side_of(t, row, one);
    side_of(t, column, two);
    for (int c = 0; c < 6; c++) {
        for (int k = 0; k < 3; k++)
            stiff[k] = tl_dot(t->k[k], two[c]);
        for (int r = 0; r < 6; r++)
            out[r][c] = tl_dot(one[r], stiff);
    }
}

void tl_mover_block(const tl_mover *b, double out[6][6])
{
    memset(out, 0, 36 * sizeof(double));
    for (int r = 0; r < 3; r++) {
        out[r][r] = b->mass;
        for (int c = 0; c < 3; c++)
            out[3 + r][3 + c] = b->inertia[r][c];
    }
}

void tl_system_add_mass(const tl_system *s, tl_cholesky *to)
{
    double block[6][6];
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        tl_mover_block((const tl_mover *)s->bodies.data + i, block);
        tl_cholesky_add(to, i, i, (const double(*)[6])block);
    }
    for (size_t i = 0; i < s->couples.count; i++) {
        const tl_couple *c = (const tl_couple *)s->couples.data + i;
        tl_cholesky_add(to, c->row, c->column, c->block);
    }
}

tl_status tl_system_factor(tl_system *s, bool *regular)
{
    double block[6][6];
    if (s->iterated)
        return tl_krylov_prepare(s, regular);
    TL_TRY(tl_cholesky_clear(&s->factors));
    tl_system_add_mass(s, &s->factors);
    for (size_t i = 0; i < s->touches.count; i++) {
        const tl_touch *t = (const tl_touch *)s->touches.data + i;
        for (uint32_t k = 0; k < tl_touch_sides(t); k++)
            for (uint32_t l = 0; l <= k; l++) {
                const uint32_t one = tl_touch_body(t, l), two = tl_touch_body(t, k);
                if (one == TLK_NONE || two == TLK_NONE)
                    continue;
                tl_touch_block(t, l, k, block);
                tl_cholesky_add(&s->factors, one, two, (const double(*)[6])block);
            }
    }
    tl_bonds_add(s, &s->factors);
    *regular = tl_cholesky_factor(&s->factors, s->backend);
    return TL_OK;
}

void tl_touch_add(double *d, const tl_touch *t, const double *x)
{
    double turn[3];
    for (uint32_t i = 0; i < t->sides; i++)
        for (size_t k = 0; k < 6; k++)
            d[6 * (size_t)t->side[i].node + k] += tl_dot(t->side[i].block[k], x);
    for (int side = 0; side < 2 && !t->side; side++) {
        const uint32_t at = side ? t->b : t->a;
        if (at == TLK_NONE)
            continue;
        tl_cross(side ? t->rb : t->ra, x, turn);
        for (int k = 0; k < 3; k++) {
            d[6 * (size_t)at + k] += side ? x[k] : -x[k];
            d[6 * (size_t)at + 3 + k] += side ? turn[k] : -turn[k];
        }
    }
}

static void see_sides(const double *v, const tl_touch *t, double *out)
{
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < t->sides; i++)
        for (size_t k = 0; k < 6; k++)
            for (int c = 0; c < 3; c++)
                out[c] += t->side[i].block[k][c] * v[6 * (size_t)t->side[i].node + k];
}

void tl_touch_see(const double *v, const tl_touch *t, double *out)
{
    if (t->side) {
        see_sides(v, t, out);
        return;
    }
    const double *va = v + 6 * (size_t)t->a;
    double a[3], b[3] = {0, 0, 0};
    surface(va, va + 3, t->ra, a);
    if (t->b != TLK_NONE)
        surface(v + 6 * (size_t)t->b, v + 6 * (size_t)t->b + 3, t->rb, b);
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
}

void tl_system_solve(tl_system *s)
{
    tl_touch *t = s->touches.data;
    memset(s->d.data, 0, s->d.count * sizeof(double));
    for (size_t i = 0; i < s->touches.count; i++)
        tl_touch_add(s->d.data, &t[i], t[i].p);
    if (s->iterated)
        tl_krylov_solve(s, s->d.data);
    else if (s->held)
        tl_bonds_solve(s, true, s->d.data);
    else
        tl_cholesky_solve(&s->factors, s->d.data);
    for (size_t i = 0; i < s->touches.count; i++)
        tl_touch_see(s->d.data, &t[i], t[i].seen);
}

/* ---- Velocities ---- */

/* Velocities by an impulse at a contact, as if there were no joints. */
static void push(tl_system *s, const tl_touch *t, const double *impulse)
{
    for (int side = 0; side < 2; side++) {
        const uint32_t at = side ? t->b : t->a;
        double turn[3];
        if (at == TLK_NONE)
            continue;
        const tl_mover *b = (const tl_mover *)s->bodies.data + at;
        double *v = (double *)s->v.data + 6 * (size_t)at;
        tl_cross(side ? t->rb : t->ra, impulse, turn);
        for (int k = 0; k < 3; k++) {
            v[k] += side ? b->inverse * impulse[k] : -(b->inverse * impulse[k]);
            v[3 + k] += side ? tl_dot(b->turned[k], turn) : -tl_dot(b->turned[k], turn);
        }
    }
}

void tl_system_push(tl_system *s, tl_touch *t, const double *impulse)
{
    for (int k = 0; k < 3; k++)
        t->gamma[k] += impulse[k];
    if (!s->held)
        push(s, t, impulse);
}

/* Velocities by all impulses, which joints hold, or which M connects. */
static void hold(tl_system *s)
{
    const tl_touch *t = s->touches.data;
    const double *start = s->start.data;
    double *v = s->v.data;
    memset(v, 0, s->v.count * sizeof *v);
    for (size_t i = 0; i < s->touches.count; i++)
        tl_touch_add(v, &t[i], t[i].gamma);
    tl_bonds_solve(s, false, v);
    for (size_t i = 0; i < s->bonds.count; i++)
        ((tl_bond *)s->bonds.data)[i].carried = ((tl_bond *)s->bonds.data)[i].lambda;
    for (size_t i = 0; i < s->v.count; i++)
        v[i] += start[i];
}

void tl_system_look(tl_system *s)
{
    tl_touch *t = s->touches.data;
    if (s->held)
        hold(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        tl_touch_see(s->v.data, &t[i], t[i].w);
        for (int k = 0; k < 3; k++)
            t[i].w[k] += t[i].given[k];
    }
}

/* d . M d, of couples. */
static double coupled(const tl_system *s, const double *v, const double *from)
{
    double sum = 0;
    for (size_t i = 0; i < s->couples.count; i++) {
        const tl_couple *c = (const tl_couple *)s->couples.data + i;
        const double part = c->row == c->column ? 1 : 2;
        for (size_t k = 0; k < 36; k++) {
            const size_t row = 6 * (size_t)c->row + k / 6, column = 6 * (size_t)c->column + k % 6;
            sum += part * c->block[k / 6][k % 6] * (v[row] - (from ? from[row] : 0)) *
                   (v[column] - (from ? from[column] : 0));
        }
    }
    return sum;
}

double tl_system_energy(const tl_system *s, const double *v, const double *from)
{
    const tl_mover *b = s->bodies.data;
    double sum = coupled(s, v, from);
    for (size_t i = 0; i < s->bodies.count; i++) {
        double d[6];
        for (size_t k = 0; k < 6; k++)
            d[k] = v[6 * i + k] - (from ? from[6 * i + k] : 0);
        sum += b[i].mass * tl_dot(d, d);
        for (int k = 0; k < 3; k++)
            sum += d[3 + k] * tl_dot(b[i].inertia[k], d + 3);
    }
    for (size_t i = 0; i < s->bonds.count; i++) {
        const tl_bond *bond = (const tl_bond *)s->bonds.data + i;
        const double rate = tl_bond_see(s, v, bond) - (from ? tl_bond_see(s, from, bond) : 0);
        sum += bond->slope * rate * rate;
    }
    return 0.5 * sum;
}

void tl_system_start(tl_system *s)
{
    if (s->v.count)
        memcpy(s->v.data, s->start.data, s->v.count * sizeof(double));
}

/* ---- Beginning and end ---- */

tl_status tl_system_arrange(tl_backend *b, tl_system *s, double most)
{
    const tlk_problem *p = s->view;
    s->edges.item = 2 * sizeof(uint32_t);
    TL_TRY(read_words(b, p->a, p->rows, &s->a));
    TL_TRY(read_words(b, p->b, p->rows, &s->b));
    const uint32_t *first = s->a.data, *second = s->b.data;
    for (uint32_t r = 0; r < p->rows; r++)
        if (first[r] != TLK_NONE && second[r] < p->moving)
            TL_TRY(tl_array_append(&s->edges, (const uint32_t[2]){first[r], second[r]}, 1));
    TL_TRY(tl_bonds_edges(s, &s->edges));
    s->backend = b;
    return tl_cholesky_make(&s->factors, p->moving, s->edges.data, s->edges.count, most);
}

tl_status tl_system_load(tl_backend *b, tl_system *s)
{
    s->touches.item = sizeof(tl_touch);
    TL_TRY(read_problem(b, s));
    TL_TRY(load_touches(s));
    TL_TRY(load_bodies(s));
    s->held = s->bonds.count > 0;
    return s->held ? tl_bonds_factor(s) : TL_OK;
}

void tl_system_store(tl_backend *b, tl_system *s)
{
    const tl_touch *t = s->touches.data;
    const double *v = s->v.data;
    if (s->held)
        tl_system_start(s);
    for (size_t i = 0; i < s->touches.count && s->held; i++)
        push(s, &t[i], t[i].gamma);
    for (size_t i = 0; i < s->touches.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            *field(&s->gamma, t[i].row, k, 3) = t[i].gamma[k];
    for (size_t i = 0; i < s->bodies.count; i++)
        for (size_t k = 0; k < 6; k++)
            ((double *)s->vel.data)[8 * i + (k < 3 ? k : k + 1)] = v[6 * i + k];
    write_reals(b, s->view->gamma, &s->gamma);
    write_reals(b, s->view->vel, &s->vel);
}
