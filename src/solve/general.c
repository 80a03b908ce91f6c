/* The solver "interior" for contact problems as matrices of any kind: equality constraints, an M
 * that connects bodies or is of no bodies at all, two dimensions, W alone. Velocities are taken six
 * at a time, as nodes; those that are missing in the last one have a mass of their own and nothing
 * to do. A contact's impulse acts by its columns of H, in its own frame.
 *
 * A local form has no velocities: with L of N = L L^T (W without equality constraints) it is the
 * problem with M = 1 and H = L^T, one velocity per row of N. Where rows follow from others there is
 * no such L by elimination, so each row has a little more of its own. */
#include "solve/friction.h"

#include <math.h>
#include <string.h>

#define MORE 1e-13 /* of the diagonal of N: what a row has of its own; */
#define MOST 1e-10 /* ten times as much, where that is not enough, up to this */

/* What a problem is solved as. */
typedef struct general {
    const tl_contact_problem_def *d; /* of the form that was given: friction, frames */
    tl_matrix M, H, G;
    tl_columns root, mass; /* H and M of a local form */
    tl_array free, blocks; /* velocities without impulses; contacts' own blocks of W */
    const double *w;       /* u without velocities */
    tl_local local;
    tl_system system;
    tlk_problem view;
} general;

static void general_free(general *x)
{
    tl_columns_free(&x->root);
    tl_columns_free(&x->mass);
    tl_array_free(&x->free);
    tl_array_free(&x->blocks);
    tl_local_free(&x->local);
    if (x->system.backend)
        x->system.backend->ops->destroy(x->system.backend);
    tl_system_free(&x->system);
}

static tl_status zeros(tl_array *a, size_t count)
{
    *a = (tl_array){.item = sizeof(double)};
    TL_TRY(tl_array_resize(a, count));
    if (count)
        memset(a->data, 0, count * sizeof(double));
    return TL_OK;
}

/* ---- Global form ---- */

static tl_status take_global(const tl_contact_problem *problem, general *x)
{
    const tl_contact_problem_def *d = &problem->def;
    tl_array none = {0};
    x->M = d->M;
    x->H = d->H;
    x->G = d->G;
    x->w = d->w;
    TL_TRY(zeros(&x->free, d->M.rows));
    tl_status status = zeros(&none, (size_t)d->dimension * d->contacts);
    if (status == TL_OK)
        status = tl_contact_problem_measure(problem, TL_LAW_CONE, none.data, x->free.data, NULL,
                                            NULL, NULL);
    tl_array_free(&none);
    return status;
}

/* ---- Local form ---- */

/* Contacts in an order in which those that N connects are near each other. */
static tl_status order_contacts(const tl_local *l, uint32_t *place)
{
    const tl_matrix n = tl_columns_view(&l->rows);
    const uint32_t d = l->dimension;
    tl_array start = {.item = sizeof(uint32_t)}, list = start, seen = start;
    tl_status status = tl_array_resize(&start, (size_t)l->contacts + 1);
    if (status == TL_OK)
        status = tl_array_resize(&seen, l->contacts);
    if (status == TL_OK)
        memset(seen.data, 0xff, l->contacts * sizeof(uint32_t));
    for (uint32_t c = 0; c < l->contacts && status == TL_OK; c++) {
        ((uint32_t *)start.data)[c] = (uint32_t)list.count;
        for (uint32_t i = n.start[d * c]; i < n.start[d * c + d] && status == TL_OK; i++) {
            const uint32_t other = n.row[i] / d;
            if (other == c || ((uint32_t *)seen.data)[other] == c)
                continue;
            ((uint32_t *)seen.data)[other] = c;
            status = tl_array_append(&list, &other, 1);
        }
    }
    if (status == TL_OK) {
        ((uint32_t *)start.data)[l->contacts] = (uint32_t)list.count;
        status = tl_order_bandwidth(&(tl_neighbours){l->contacts, start.data, list.data}, place);
    }
    tl_array_free(&start);
    tl_array_free(&list);
    tl_array_free(&seen);
    return status;
}

/* N with rows and columns where `place` has them, and a little more on its diagonal. */
static tl_status reorder(const tl_local *l, const uint32_t *place, double more, tl_columns *out)
{
    const tl_matrix n = tl_columns_view(&l->rows);
    tl_array entries = {.item = sizeof(tl_entry)};
    double largest = 0;
    tl_status status = tl_array_reserve(&entries, (l->size ? n.start[l->size] : 0) + l->size);
    for (uint32_t i = 0; l->size && i < n.start[l->size]; i++)
        largest = fmax(largest, fabs(n.value[i]));
    if (!(largest > 0)) /* nothing moves anything: any root will do */
        largest = 1;
    for (uint32_t c = 0; c < l->size && status == TL_OK; c++) {
        double own = more * largest; /* nothing may be left where there is nothing else */
        for (uint32_t i = n.start[c]; i < n.start[c + 1] && status == TL_OK; i++) {
            own = fmax(own, n.row[i] == c ? fabs(n.value[i]) : 0);
            status =
                tl_array_append(&entries, &(tl_entry){place[n.row[i]], place[c], n.value[i]}, 1);
        }
        if (status == TL_OK)
            status = tl_array_append(&entries, &(tl_entry){place[c], place[c], more * own}, 1);
    }
    if (status == TL_OK)
        status = tl_columns_make(l->size, l->size, entries.data, entries.count, out);
    tl_array_free(&entries);
    return status;
}

static tl_status take_root(const tl_local *l, const uint32_t *place, general *x)
{
    const uint32_t d = l->dimension;
    tl_factor factor = {0};
    tl_array rows = {.item = sizeof(uint32_t)};
    tl_status status = tl_array_resize(&rows, l->size);
    for (uint32_t c = 0; c < l->size && status == TL_OK; c++)
        ((uint32_t *)rows.data)[c] = d * place[c / d] + c % d;
    bool done = status != TL_OK;
    for (double more = MORE; !done; more *= 10) {
        tl_columns ordered = {0};
        status = reorder(l, rows.data, more, &ordered);
        if (status == TL_OK)
            status = tl_factor_make(tl_columns_view(&ordered), "W", false, &factor);
        tl_columns_free(&ordered);
        done = status != TL_BAD_ARGUMENT || more >= MOST;
    }
    if (status == TL_OK)
        status = tl_factor_root(&factor, rows.data, &x->root);
    tl_factor_free(&factor);
    tl_array_free(&rows);
    return status;
}

static tl_status take_local(const tl_contact_problem *problem, general *x)
{
    tl_array place = {.item = sizeof(uint32_t)}, ones = {.item = sizeof(tl_entry)};
    TL_TRY(tl_local_make(problem, &x->local));
    tl_status status = tl_array_resize(&place, x->local.contacts);
    if (status == TL_OK)
        status = order_contacts(&x->local, place.data);
    if (status == TL_OK)
        status = take_root(&x->local, place.data, x);
    for (uint32_t i = 0; i < x->root.rows && status == TL_OK; i++)
        status = tl_array_append(&ones, &(tl_entry){i, i, 1}, 1);
    if (status == TL_OK)
        status = tl_columns_make(x->root.rows, x->root.rows, ones.data, ones.count, &x->mass);
    tl_array_free(&place);
    tl_array_free(&ones);
    x->M = tl_columns_view(&x->mass);
    x->H = tl_columns_view(&x->root);
    x->w = x->local.g.data;
    return status == TL_OK ? zeros(&x->free, x->root.rows) : status;
}

/* ---- Nodes ---- */

/* M by blocks, those of each node alone first. What is above the diagonal is below it, too. */
static tl_status add_couples(const general *x, uint32_t nodes, tl_array *couples)
{
    const tl_matrix M = x->M;
    tl_array where = {.item = sizeof(size_t)};
    couples->item = sizeof(tl_couple);
    TL_TRY(tl_array_resize(couples, nodes));
    TL_TRY(tl_array_resize(&where, nodes));
    size_t *at = where.data;
    memset(couples->data, 0, nodes * sizeof(tl_couple));
    for (uint32_t i = 0; i < nodes; i++) {
        tl_couple *own = (tl_couple *)couples->data + i;
        own->row = own->column = at[i] = i;
        for (uint32_t k = 0; k < 6; k++)
            own->block[k][k] = 6 * i + k >= M.rows;
    }
    tl_status status = TL_OK;
    for (uint32_t c = 0; c < M.columns && status == TL_OK; c++)
        for (uint32_t i = M.start[c]; i < M.start[c + 1] && status == TL_OK; i++) {
            const uint32_t row = M.row[i] / 6, column = c / 6;
            if (row < column || M.value[i] == 0)
                continue;
            if (row != column && /* there is none yet of this column */
                (at[row] < nodes || ((tl_couple *)couples->data + at[row])->column != column)) {
                at[row] = couples->count;
                status = tl_array_append(couples, &(tl_couple){.row = row, .column = column}, 1);
            }
            if (status == TL_OK)
                ((tl_couple *)couples->data + (row == column ? row : at[row]))
                    ->block[M.row[i] % 6][c % 6] += M.value[i];
        }
    tl_array_free(&where);
    return status;
}

/* What columns of H or G do to nodes, node by node: `width` columns from `first` on. */
static tl_status add_sides(tl_matrix a, uint32_t first, uint32_t width, tl_array *sides)
{
    const size_t from = sides->count;
    for (uint32_t c = 0; c < width; c++)
        for (uint32_t i = a.start[first + c]; i < a.start[first + c + 1]; i++) {
            const uint32_t node = a.row[i] / 6;
            size_t at = from;
            if (a.value[i] == 0)
                continue;
            while (at < sides->count && ((const tl_side *)sides->data)[at].node != node)
                at++;
            if (at == sides->count)
                TL_TRY(tl_array_append(sides, &(tl_side){.node = node}, 1));
            ((tl_side *)sides->data)[at].block[a.row[i] % 6][c] += a.value[i];
        }
    return TL_OK;
}

static tl_status add_bonds(const general *x, tl_system *s)
{
    tl_array sides = {.item = sizeof(tl_side)};
    tl_status status = TL_OK;
    s->bonds.item = sizeof(tl_bond);
    s->parts.item = sizeof(tl_grip);
    for (uint32_t c = 0; c < x->G.columns && status == TL_OK; c++) {
        const tl_bond bond = {.first = s->parts.count};
        sides.count = 0;
        status = add_sides(x->G, c, 1, &sides);
        for (size_t i = 0; i < sides.count && status == TL_OK; i++) {
            const tl_side *side = (const tl_side *)sides.data + i;
            tl_grip part = {.body = side->node};
            for (int k = 0; k < 6; k++)
                part.row[k] = side->block[k][0];
            status = tl_array_append(&s->parts, &part, 1);
        }
        if (status == TL_OK && sides.count) {
            status = tl_array_append(&s->bonds, &bond, 1);
            ((tl_bond *)s->bonds.data)[s->bonds.count - 1].bodies = (uint32_t)sides.count;
        }
    }
    tl_array_free(&sides);
    return status;
}

/* A contact in its own frame; none where nothing moves it. */
static tl_status add_touch(const general *x, uint32_t c, tl_system *s)
{
    const uint32_t d = x->d->dimension;
    const double *block = (const double *)x->blocks.data + (size_t)d * d * c, *w = x->w + d * c;
    const double step = tl_contact_step(block, d), across = block[d + 1] + block[d * d - 1];
    const size_t before = s->sides.count;
    tl_touch t = {.row = c, .n = {1}, .mu = x->d->mu[c]};
    TL_TRY(add_sides(x->H, d * c, d, &s->sides));
    t.sides = (uint32_t)(s->sides.count - before);
    memcpy(t.given, w, d * sizeof *w);
    if (x->d->form == TL_PROBLEM_GLOBAL) { /* a bias is no velocity: it does not count as usual */
        t.bias = w[0];
        t.given[0] = 0;
    }
    t.eta[0] = block[0] > 0 ? 1 / block[0] : step;
    t.eta[1] = across > 0 ? 2 / across : step;
    t.eta[2] = step;
    if (step > 0 && t.sides)
        return tl_array_append(&s->touches, &t, 1);
    s->sides.count = before;
    return TL_OK;
}

static tl_status add_touches(const general *x, tl_system *s)
{
    size_t side = 0;
    s->touches.item = sizeof(tl_touch);
    s->sides.item = sizeof(tl_side);
    for (uint32_t c = 0; c < x->d->contacts; c++)
        TL_TRY(add_touch(x, c, s));
    for (size_t i = 0; i < s->touches.count; i++) {
        tl_touch *t = (tl_touch *)s->touches.data + i;
        t->side = (const tl_side *)s->sides.data + side;
        side += t->sides;
    }
    return TL_OK;
}

/* Which nodes contacts connect, once each. */
static tl_status add_edges(const tl_system *s, uint32_t nodes, tl_array *edges)
{
    const tl_touch *t = s->touches.data;
    tl_array start = {.item = sizeof(size_t)}, list = {.item = sizeof(uint32_t)}, seen = list;
    tl_status status = tl_array_resize(&start, (size_t)nodes + 2);
    if (status == TL_OK)
        status = tl_array_resize(&list, s->sides.count);
    if (status == TL_OK)
        status = tl_array_resize(&seen, nodes);
    if (status == TL_OK) { /* the contacts of each node */
        size_t *at = start.data;
        memset(at, 0, start.count * sizeof *at);
        memset(seen.data, 0xff, nodes * sizeof(uint32_t));
        for (size_t i = 0; i < s->touches.count; i++)
            for (uint32_t k = 0; k < t[i].sides; k++)
                at[t[i].side[k].node + 2]++;
        for (uint32_t i = 0; i < nodes; i++)
            at[i + 2] += at[i + 1];
        for (size_t i = 0; i < s->touches.count; i++)
            for (uint32_t k = 0; k < t[i].sides; k++)
                ((uint32_t *)list.data)[at[t[i].side[k].node + 1]++] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < nodes && status == TL_OK; i++)
        for (size_t l = ((size_t *)start.data)[i]; l < ((size_t *)start.data)[i + 1]; l++) {
            const tl_touch *touch = &t[((uint32_t *)list.data)[l]];
            for (uint32_t k = 0; k < touch->sides && status == TL_OK; k++) {
                const uint32_t other = touch->side[k].node;
                if (other >= i || ((uint32_t *)seen.data)[other] == i)
                    continue;
                ((uint32_t *)seen.data)[other] = i;
                status = tl_array_append(edges, (const uint32_t[2]){i, other}, 1);
            }
        }
    tl_array_free(&start);
    tl_array_free(&list);
    tl_array_free(&seen);
    return status;
}

/* ---- All of it ---- */

static tl_status load(general *x, uint32_t threads)
{
    tl_system *s = &x->system;
    const uint32_t nodes = (x->M.rows + 5) / 6;
    x->view.moving = nodes;
    s->view = &x->view;
    s->held = true;
    s->edges.item = 2 * sizeof(uint32_t);
    TL_TRY(tl_backend_cpu(TL_DOUBLE, threads, &s->backend));
    TL_TRY(zeros(&s->start, 6 * (size_t)nodes));
    TL_TRY(zeros(&s->v, 6 * (size_t)nodes));
    TL_TRY(zeros(&s->d, 6 * (size_t)nodes));
    if (x->M.rows)
        memcpy(s->start.data, x->free.data, x->M.rows * sizeof(double));
    TL_TRY(add_couples(x, nodes, &s->couples));
    TL_TRY(add_bonds(x, s));
    TL_TRY(add_touches(x, s));
    if (!s->touches.count)
        return TL_OK;
    TL_TRY(add_edges(s, nodes, &s->edges));
    TL_TRY(tl_bonds_edges(s, &s->edges));
    TL_TRY(tl_cholesky_make(&s->factors, nodes, s->edges.data, s->edges.count, INFINITY));
    if (!s->factors.pieces)
        return tl_fail(TL_TOO_LARGE,
                       "the solver interior would need factors of %.3g GB for %u velocities and %u "
                       "contacts as matrices; the limit is %.3g GB; psor, apgd and spg need "
                       "no such factors",
                       1e-9 * s->factors.bytes, x->M.rows, x->d->contacts,
                       1e-9 * TL_CHOLESKY_BYTES);
    return tl_bonds_factor(s);
}

static tl_status solve(general *x, const tl_solver_def *def, double *r, tl_solution *solution)
{
    tl_system *s = &x->system;
    const uint32_t d = x->d->dimension;
    memset(r, 0, (size_t)d * x->d->contacts * sizeof *r);
    if (s->touches.count)
        TL_TRY(tl_certify_system(s, def, solution));
    for (size_t i = 0; i < s->touches.count; i++) {
        const tl_touch *t = (const tl_touch *)s->touches.data + i;
        memcpy(r + (size_t)d * t->row, t->gamma, d * sizeof *r);
    }
    return TL_OK;
}

tl_status tl_general_solve(const tl_contact_problem *problem, const tl_solver_def *def,
                           uint32_t threads, double *r, tl_solution *solution)
{
    const bool global = problem->def.form == TL_PROBLEM_GLOBAL;
    general x = {.d = &problem->def};
    *solution = (tl_solution){0, 0, 0};
    if (!x.d->contacts)
        return TL_OK;
    tl_status status = zeros(&x.blocks, (size_t)x.d->dimension * x.d->dimension * x.d->contacts);
    if (status == TL_OK)
        status = tl_contact_blocks(problem, x.blocks.data);
    if (status == TL_OK)
        status = (global ? take_global : take_local)(problem, &x);
    if (status == TL_OK)
        status = load(&x, threads);
    if (status == TL_OK)
        status = solve(&x, def, r, solution);
    general_free(&x);
    return status;
}
