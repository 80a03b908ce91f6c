/* Rows side by side: how they are loaded, their velocities, and what their impulses change.
 *
 * A packet of rows keeps field f of its eight rows side by side; a body's velocity is eight numbers
 * in a row (vec.h). A vector has one packet or two. */
#ifndef TL_BACKEND_CPU_WIDE_ROW_H
#define TL_BACKEND_CPU_WIDE_ROW_H

#include "backend/cpu/vec.h"
#include "kernels/solve.h"

/* The bodies of rows; lanes without a row take the first lane's of their packet. */
WIDE void wide_index(const uint32_t *from, vec_rows s, uint32_t lanes, uint32_t *index)
{
    const eight_bits lane = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t q = 0; q < WIDE_PACKETS; q++) {
        const uint32_t before = s.first[q] == s.first[0] ? 0 : q * TLK_LANES;
        const eight_words all = *(const eight_words *)(from + s.first[q]);
        const eight_bits here = lane < (int32_t)(lanes - before);
        *(eight_words *)(index + q * TLK_LANES) =
            (all & (eight_words)here) | (from[s.first[q]] & ~(eight_words)here);
    }
}

/* The same where any lanes may be without a row: those take the first body. Which lanes have one,
 * as all bits of `here`; returns how many. */

WIDE uint32_t wide_index_some(const uint32_t *rows, const uint32_t *from, vec_rows s,
                              uint32_t *index, vec_bits *here)
{
    uint32_t count = 0;
    packet there[WIDE_PACKETS];
    for (uint32_t q = 0; q < WIDE_PACKETS; q++) {
        const eight_bits has = *(const eight_words *)(rows + s.first[q]) != TLK_NONE;
        *(eight_words *)(index + q * TLK_LANES) =
            *(const eight_words *)(from + s.first[q]) & (eight_words)has;
        there[q] = (packet) __builtin_convertvector(has, packet_bits);
        count += (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps((__m256)has));
    }
    *here = (vec_bits)vec_join(there);
    return count;
}

/* What the compiler knows of rows, to leave out the rest: central rows where no wall turns, central
 * rows where one does, anchor rows. */
typedef enum wide_kind { WIDE_CENTRAL, WIDE_WALLS, WIDE_ANCHORS } wide_kind;

WIDE wide_kind wide_kind_of(const tlk_problem *p, uint32_t s)
{
    return s >= p->anchor_base ? WIDE_ANCHORS : p->wall ? WIDE_WALLS : WIDE_CENTRAL;
}

/* Rows of a kind, as tlk_row. */
typedef struct wide_row {
    _Alignas(32) uint32_t a[WIDE_LANES], b[WIDE_LANES];
    wide_kind kind;
    bool material; /* the problem has materials */
    vec n[3], mu, anchor_a, anchor_b;
    vec ra[3], rb[3], eta[3], ia[8], ib[8];
} wide_row;

/* All but the bodies of rows and their inertias. */
WIDE void wide_load_points(const tlk_problem *p, vec_rows s, wide_row *row)
{
    for (uint32_t f = 0; f < 3; f++)
        row->n[f] = vec_load(p->head, s, f, TLK_HEAD);
    row->mu = vec_load(p->head, s, 3, TLK_HEAD);
    row->anchor_a = vec_load(p->head, s, 4, TLK_HEAD);
    row->anchor_b = vec_load(p->head, s, 5, TLK_HEAD);
    if (row->kind != WIDE_ANCHORS)
        return;
    vec_rows of = s;
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        of.first[q] -= p->anchor_base;
    for (uint32_t k = 0; k < 3; k++) {
        row->ra[k] = vec_load(p->anchors, of, k, TLK_ANCHORS);
        row->rb[k] = vec_load(p->anchors, of, 3 + k, TLK_ANCHORS);
    }
    row->eta[0] = row->anchor_a;
    row->eta[1] = row->anchor_b;
    row->eta[2] = vec_load(p->anchors, of, 6, TLK_ANCHORS);
}

/* All of rows whose bodies are known. */
WIDE void wide_load_rest(const tlk_problem *p, vec_rows s, wide_kind kind, wide_row *row)
{
    row->kind = kind;
    row->material = false;
    wide_load_points(p, s, row);
    if (kind == WIDE_ANCHORS) {
        vec_gather(p->inverse, row->a, row->ia);
        vec_gather(p->inverse, row->b, row->ib);
    }
}

/* (GCC copies such a row by a string instruction where it is what a function returns.) */
WIDE void wide_load_row(const tlk_problem *p, vec_rows s, uint32_t lanes, wide_kind kind,
                        wide_row *row)
{
    wide_index(p->a, s, lanes, row->a);
    wide_index(p->b, s, lanes, row->b);
    wide_load_rest(p, s, kind, row);
}

/* Which rows are there; returns how many. */
WIDE uint32_t wide_here(const tlk_problem *p, vec_rows s, vec_bits *here)
{
    _Alignas(32) uint32_t index[WIDE_LANES];
    return wide_index_some(p->a, p->a, s, index, here);
}

/* The rows of a vector outside of sweeps: packets side by side from s on, before `end`. */
WIDE vec_rows wide_rows_at(uint32_t s, uint32_t end)
{
    vec_rows rows;
    for (uint32_t q = 0; q < WIDE_PACKETS; q++)
        rows.first[q] = s + q * TLK_LANES < end ? s + q * TLK_LANES : s;
    return rows;
}

/* Whether packet q of these is another than the first. */
WIDE bool wide_has(vec_rows s, uint32_t q)
{
    return q == 0 || s.first[q] != s.first[0];
}

/* tlk_wall_surface where b is a wall. */
WIDE void wide_wall_surface(const tlk_problem *p, vec_rows s, const uint32_t *b, vec *vb)
{
    vec_bits wall;
    uint32_t walls = 0;
    for (uint32_t l = 0; l < WIDE_LANES; l++) {
        walls += b[l] >= p->moving;
        wall[l] = b[l] >= p->moving ? -1 : 0;
    }
    if (!walls)
        return;
    const vec rb[3] = {vec_load(p->wall, s, 0, 3), vec_load(p->wall, s, 1, 3),
                       vec_load(p->wall, s, 2, 3)};
    vec t[3];
    vec_cross(vb + 4, rb, t);
    for (int k = 0; k < 3; k++)
        vb[k] = vec_select(wall, vb[k] + t[k], vb[k]);
}

WIDE void wide_load_pair(const tlk_problem *p, vec_rows s, const wide_row *row, const real *vel,
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

/* u = D^T v of rows. */
WIDE void wide_velocity(const wide_row *row, const vec *va, const vec *vb, vec *u)
{
    vec w[3], t[3];
    if (row->kind == WIDE_ANCHORS) {
        vec_cross(va + 4, row->ra, t);
        vec_cross(vb + 4, row->rb, w);
        for (int k = 0; k < 3; k++)
            u[k] = (vb[k] + w[k]) - (va[k] + t[k]);
        return;
    }
    for (int k = 0; k < 3; k++)
        w[k] = row->anchor_a * va[4 + k] + row->anchor_b * vb[4 + k];
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

/* What the impulses of anchor rows change, as tlk_change. */
typedef struct wide_change {
    vec a[6], b[6];
} wide_change;

WIDE wide_change wide_anchor_change(const wide_row *row, const vec *gamma, const vec *va,
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

/* Adds M^-1 D gamma of rows to the velocities. */
WIDE void wide_push(const wide_row *row, const vec *gamma, vec *va, vec *vb)
{
    if (row->kind == WIDE_ANCHORS) {
        const wide_change c = wide_anchor_change(row, gamma, va, vb);
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
    const vec ia = va[7] * row->anchor_a, ib = vb[7] * row->anchor_b;
    for (int k = 0; k < 3; k++) {
        va[k] -= va[3] * gamma[k];
        vb[k] += vb[3] * gamma[k];
        va[4 + k] -= ia * t[k];
        vb[4 + k] -= ib * t[k];
    }
}

/* tlk_project of rows. */
WIDE void wide_project(const vec *n, vec mu, vec ratio, vec *g)
{
    const vec zero = vec_set(0), gn = vec_dot(g, n), part = ratio * mu;
    vec t[3];
    for (int k = 0; k < 3; k++)
        t[k] = g[k] - gn * n[k];
    const vec length = vec_sqrt(vec_dot(t, t));
    const vec_bits inside = (gn >= zero) & (length <= mu * gn), out = part * length <= -gn;
    const vec normal = (gn + part * length) / (vec_set(1) + part * mu);
    const vec scale = vec_select(length > zero, mu * normal / length, zero);
    for (int k = 0; k < 3; k++)
        g[k] = vec_select(inside, g[k], vec_select(out, zero, normal * n[k] + scale * t[k]));
}

/* A field of the materials of rows: slide (3), soft, cohesion, rolling, spinning, step. */
WIDE vec wide_material(const tlk_problem *p, vec_rows s, uint32_t field)
{
    return vec_load(p->material, s, field, TLK_MATERIAL);
}

/* tlk_row_turn of rows. */
WIDE void wide_turn(const wide_row *row, const vec *moment, vec *va, vec *vb)
{
    vec ta[3], tb[3];
    if (row->kind == WIDE_ANCHORS) {
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
