/* Eight rows at once: how they are loaded, their velocities, and what their impulses change.
 *
 * A packet of rows keeps field f of its eight rows side by side; a body's velocity is eight numbers
 * in a row (vec.h). */
#ifndef TL_BACKEND_CPU_WIDE_ROW_H
#define TL_BACKEND_CPU_WIDE_ROW_H

#include "backend/cpu/vec.h"
#include "kernels/solve.h"

/* The bodies of a packet; lanes without a row take the first lane's. */
WIDE void wide_index(const uint32_t *from, uint32_t lanes, uint32_t *index)
{
    for (uint32_t k = 0; k < 8; k++)
        index[k] = from[k < lanes ? k : 0];
}

/* The same where any lanes may be without a row: those take the first body. Which lanes have one,
 * as all bits of `here`; returns how many. */
WIDE uint32_t wide_index_some(const uint32_t *rows, const uint32_t *from, uint32_t *index,
                              vec_bits *here)
{
    uint32_t count = 0;
    *here = (vec_bits){0};
    for (uint32_t k = 0; k < 8; k++) {
        const bool row = rows[k] != TLK_NONE;
        index[k] = row ? from[k] : 0;
        (*here)[k] = row ? -1 : 0;
        count += row;
    }
    return count;
}

/* What the compiler knows of rows, to leave out the rest: central rows where no wall turns, central
 * rows where one does, arm rows. */
typedef enum wide_kind { WIDE_CENTRAL, WIDE_WALLS, WIDE_ARMS } wide_kind;

WIDE wide_kind wide_kind_of(const tlk_problem *p, uint32_t s)
{
    return s >= p->arm_base ? WIDE_ARMS : p->wall ? WIDE_WALLS : WIDE_CENTRAL;
}

/* Eight rows of a kind, as tlk_row. */
typedef struct wide_row {
    uint32_t a[8], b[8];
    wide_kind kind;
    bool material; /* the problem has materials */
    vec n[3], mu, arm_a, arm_b;
    vec ra[3], rb[3], eta[3], ia[8], ib[8];
} wide_row;

/* All but the bodies of rows and their inertias. */
WIDE void wide_load_points(const tlk_problem *p, uint32_t s, wide_row *row)
{
    const real *head = p->head + tlk_at(s, 0, TLK_HEAD);
    for (int f = 0; f < 3; f++)
        row->n[f] = vec_load(head + f * TLK_LANES);
    row->mu = vec_load(head + 3 * TLK_LANES);
    row->arm_a = vec_load(head + 4 * TLK_LANES);
    row->arm_b = vec_load(head + 5 * TLK_LANES);
    if (row->kind != WIDE_ARMS)
        return;
    const real *at = p->arms + tlk_at(s - p->arm_base, 0, TLK_ARMS);
    for (int k = 0; k < 3; k++) {
        row->ra[k] = vec_load(at + k * TLK_LANES);
        row->rb[k] = vec_load(at + (3 + k) * TLK_LANES);
    }
    row->eta[0] = row->arm_a;
    row->eta[1] = row->arm_b;
    row->eta[2] = vec_load(at + 6 * TLK_LANES);
}

/* All of rows whose bodies are known. */
WIDE void wide_load_rest(const tlk_problem *p, uint32_t s, wide_kind kind, wide_row *row)
{
    row->kind = kind;
    row->material = false;
    wide_load_points(p, s, row);
    if (kind == WIDE_ARMS) {
        vec_gather(p->inverse, row->a, row->ia);
        vec_gather(p->inverse, row->b, row->ib);
    }
}

WIDE wide_row wide_load_row(const tlk_problem *p, uint32_t s, uint32_t lanes, wide_kind kind)
{
    wide_row row;
    wide_index(p->a + s, lanes, row.a);
    wide_index(p->b + s, lanes, row.b);
    wide_load_rest(p, s, kind, &row);
    return row;
}

/* Which of eight rows are there; returns how many. */
WIDE uint32_t wide_here(const tlk_problem *p, uint32_t s, vec_bits *here)
{
    uint32_t index[8];
    return wide_index_some(p->a + s, p->a + s, index, here);
}

/* tlk_wall_surface where b is a wall. */
WIDE void wide_wall_surface(const tlk_problem *p, uint32_t s, const uint32_t *b, vec *vb)
{
    vec_bits wall;
    uint32_t walls = 0;
    for (uint32_t l = 0; l < TLK_LANES; l++) {
        walls += b[l] >= p->moving;
        wall[l] = b[l] >= p->moving ? -1 : 0;
    }
    if (!walls)
        return;
    const real *at = p->wall + tlk_at(s, 0, 3);
    const vec rb[3] = {vec_load(at), vec_load(at + TLK_LANES), vec_load(at + 2 * TLK_LANES)};
    vec t[3];
    vec_cross(vb + 4, rb, t);
    for (int k = 0; k < 3; k++)
        vb[k] = vec_select(wall, vb[k] + t[k], vb[k]);
}

WIDE void wide_load_pair(const tlk_problem *p, uint32_t s, const wide_row *row, const real *vel,
                         vec *va, vec *vb)
{
    vec_gather(vel, row->a, va);
    vec_gather(vel, row->b, vb);
    if (row->kind == WIDE_WALLS)
        wide_wall_surface(p, s, row->b, vb);
}

WIDE void wide_store_pair(const tlk_problem *p, uint32_t lanes, const wide_row *row, vec *va,
                          vec *vb)
{
    vec_scatter(p->vel, row->a, p->moving, lanes, va);
    vec_scatter(p->vel, row->b, p->moving, lanes, vb);
}

/* u = D^T v of eight rows. */
WIDE void wide_velocity(const wide_row *row, const vec *va, const vec *vb, vec *u)
{
    vec w[3], t[3];
    if (row->kind == WIDE_ARMS) {
        vec_cross(va + 4, row->ra, t);
        vec_cross(vb + 4, row->rb, w);
        for (int k = 0; k < 3; k++)
            u[k] = (vb[k] + w[k]) - (va[k] + t[k]);
        return;
    }
    for (int k = 0; k < 3; k++)
        w[k] = row->arm_a * va[4 + k] + row->arm_b * vb[4 + k];
    vec_cross(w, row->n, t);
    for (int k = 0; k < 3; k++)
        u[k] = vb[k] - va[k] - t[k];
}

WIDE void wide_symmetric(const vec *m, const vec *x, vec *out)
{
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

/* What the impulses of eight arm rows change, as tlk_change. */
typedef struct wide_change {
    vec a[6], b[6];
} wide_change;

WIDE wide_change wide_arm_change(const wide_row *row, const vec *gamma, const vec *va,
                                 const vec *vb)
{
    wide_change c;
    vec t[3];
    for (int k = 0; k < 3; k++) {
        c.a[k] = va[3] * gamma[k];
        c.b[k] = vb[3] * gamma[k];
    }
    vec_cross(row->ra, gamma, t);
    wide_symmetric(row->ia, t, c.a + 3);
    vec_cross(gamma, row->rb, t);
    wide_symmetric(row->ib, t, c.b + 3);
    return c;
}

WIDE void wide_add_velocity(const wide_row *row, const wide_change *c, vec *u)
{
    vec ta[3], tb[3];
    vec_cross(c->a + 3, row->ra, ta);
    vec_cross(c->b + 3, row->rb, tb);
    for (int k = 0; k < 3; k++)
        u[k] += (c->a[k] + c->b[k]) + (ta[k] - tb[k]);
}

/* Adds M^-1 D gamma of eight rows to the velocities. */
WIDE void wide_push(const wide_row *row, const vec *gamma, vec *va, vec *vb)
{
    if (row->kind == WIDE_ARMS) {
        const wide_change c = wide_arm_change(row, gamma, va, vb);
        for (int k = 0; k < 3; k++) {
            va[k] -= c.a[k];
            vb[k] += c.b[k];
            va[4 + k] -= c.a[3 + k];
            vb[4 + k] -= c.b[3 + k];
        }
        return;
    }
    vec t[3];
    vec_cross(row->n, gamma, t);
    const vec ia = va[7] * row->arm_a, ib = vb[7] * row->arm_b;
    for (int k = 0; k < 3; k++) {
        va[k] -= va[3] * gamma[k];
        vb[k] += vb[3] * gamma[k];
        va[4 + k] -= ia * t[k];
        vb[4 + k] -= ib * t[k];
    }
}

/* A field of the materials of eight rows: slide (3), soft, cohesion, rolling, spinning, step. */
WIDE vec wide_material(const tlk_problem *p, uint32_t s, uint32_t field)
{
    return vec_load(p->material + tlk_at(s, field, TLK_MATERIAL));
}

/* tlk_row_turn of eight rows. */
WIDE void wide_turn(const wide_row *row, const vec *moment, vec *va, vec *vb)
{
    vec ta[3], tb[3];
    if (row->kind == WIDE_ARMS) {
        wide_symmetric(row->ia, moment, ta);
        wide_symmetric(row->ib, moment, tb);
    } else {
        for (int k = 0; k < 3; k++) {
            ta[k] = va[7] * moment[k];
            tb[k] = vb[7] * moment[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        va[4 + k] -= ta[k];
        vb[4 + k] += tb[k];
    }
}

#endif
