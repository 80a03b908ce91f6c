/* Joints on the host, for solutions by factorization (system.h): rows that hold, J d = 0, and rows
 * with springs and dampers, which are part of M. States of rows stay what they are.
 *
 * Rows that hold are stiff in the factors of M + D k D^T + J^T R J, which are positive definite
 * whether or not rows follow from others, and what that leaves open is taken off by refinement: the
 * iteration for [A J'; J 0] with the factors of [A J'; J -1/R]. (docs/theory.md, "Certified
 * solutions".) */
#include "solve/system.h"

#include <string.h>

#define STIFF   1e8   /* R, of the row's own mass */
#define EXACT   20u   /* corrections of velocities, at most; */
#define NEARLY  3u    /* of steps of Newton's method */
#define DIGIT   1e-16 /* of velocities: smaller corrections are none, */
#define HELPFUL 0.7   /* nor are those that are larger than so much of the last one */

#define ROW_HARD 1 /* kernels/joint.h */
#define ROW_SOFT 2

/* ---- From the device ---- */

/* What rows are made of, as bytes. */
typedef struct reading {
    tl_array articulation, list, joint, jacobian, law, part;
} reading;

static tl_status fetch(tl_backend *b, const void *device, size_t item, size_t count, tl_array *to)
{
    *to = (tl_array){.item = item};
    TL_TRY(tl_array_resize(to, count));
    return count ? b->ops->download(b, to->data, device, count * item) : TL_OK;
}

static tl_status read_rows(tl_backend *b, const tl_problem *problem, reading *r)
{
    const tlk_joints *g = problem->joints;
    size_t listed = 0, joints = 0, rows = 0, numbers = 0;
    TL_TRY(fetch(b, g->articulation, sizeof(tlk_articulation), problem->articulations,
                 &r->articulation));
    const tlk_articulation *a = r->articulation.data;
    for (size_t i = 0; i < r->articulation.count; i++)
        listed = a[i].joint_end > listed ? a[i].joint_end : listed;
    TL_TRY(fetch(b, g->list, sizeof(uint32_t), listed, &r->list));
    const uint32_t *list = r->list.data;
    for (size_t i = 0; i < listed; i++)
        joints = list[i] >= joints ? (size_t)list[i] + 1 : joints;
    TL_TRY(fetch(b, g->joint, sizeof(tlk_joint), joints, &r->joint));
    for (size_t i = 0; i < joints; i++) {
        const tlk_joint *j = (const tlk_joint *)r->joint.data + i;
        const size_t end = j->first + j->rows, last = j->jacobian + (size_t)j->rows * 6 * j->bodies;
        rows = end > rows ? end : rows;
        numbers = last > numbers ? last : numbers;
    }
    TL_TRY(fetch(b, g->jacobian, sizeof(double), numbers, &r->jacobian));
    TL_TRY(fetch(b, g->law, sizeof(tlk_law), rows, &r->law));
    return fetch(b, g->part, 1, rows, &r->part);
}

static tl_status add_row(const reading *r, const tlk_joint *j, uint32_t which, tl_system *s)
{
    const uint32_t at = j->first + which;
    const uint8_t part = ((const uint8_t *)r->part.data)[at];
    const double *row =
        (const double *)r->jacobian.data + j->jacobian + (size_t)which * 6 * j->bodies;
    tl_bond bond = {.first = s->parts.count};
    tl_grip parts[TLK_JOINT_BODIES] = {{0}};
    if (part == ROW_SOFT)
        bond.slope = ((const tlk_law *)r->law.data)[at].slope;
    for (uint32_t k = 0; k < j->bodies; k++) {
        uint32_t to = 0; /* a body that two joints share, which a third couples, is there once */
        if (j->body[k] >= s->view->moving)
            continue;
        while (to < bond.bodies && parts[to].body != j->body[k])
            to++;
        bond.bodies += to == bond.bodies;
        parts[to].body = j->body[k];
        for (int c = 0; c < 6; c++)
            parts[to].row[c] += row[6 * k + (uint32_t)c];
    }
    const bool acts = part == ROW_HARD || (part == ROW_SOFT && bond.slope > 0);
    if (!bond.bodies || !acts)
        return TL_OK;
    TL_TRY(tl_array_append(&s->parts, parts, bond.bodies));
    return tl_array_append(&s->bonds, &bond, 1);
}

tl_status tl_bonds_load(tl_backend *b, const tl_problem *problem, tl_system *s)
{
    reading r = {0};
    tl_status status = read_rows(b, problem, &r);
    s->bonds.item = sizeof(tl_bond);
    s->parts.item = sizeof(tl_grip);
    for (size_t i = 0; i < r.list.count && status == TL_OK; i++) {
        const tlk_joint *j = (const tlk_joint *)r.joint.data + ((const uint32_t *)r.list.data)[i];
        for (uint32_t k = 0; k < j->rows && !j->broken && status == TL_OK; k++)
            status = add_row(&r, j, k, s);
    }
    tl_array *const all[] = {&r.articulation, &r.list, &r.joint, &r.jacobian, &r.law, &r.part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    return status;
}

/* ---- The matrix ---- */

static const tl_grip *parts_of(const tl_system *s, const tl_bond *bond)
{
    return (const tl_grip *)s->parts.data + bond->first;
}

double tl_bond_see(const tl_system *s, const double *v, const tl_bond *bond)
{
    const tl_grip *part = parts_of(s, bond);
    double sum = 0;
    for (uint32_t b = 0; b < bond->bodies; b++)
        for (size_t k = 0; k < 6; k++)
            sum += part[b].row[k] * v[6 * (size_t)part[b].body + k];
    return sum;
}

void tl_bond_push(const tl_system *s, double *sums, const tl_bond *bond, double x)
{
    const tl_grip *part = parts_of(s, bond);
    for (uint32_t b = 0; b < bond->bodies; b++)
        for (size_t k = 0; k < 6; k++)
            sums[6 * (size_t)part[b].body + k] += part[b].row[k] * x;
}

tl_status tl_bonds_edges(const tl_system *s, tl_array *edges)
{
    edges->item = 2 * sizeof(uint32_t);
    for (size_t i = 0; i < s->bonds.count; i++) {
        const tl_bond *bond = (const tl_bond *)s->bonds.data + i;
        const tl_grip *part = parts_of(s, bond);
        for (uint32_t a = 0; a < bond->bodies; a++)
            for (uint32_t b = 0; b < a; b++)
                TL_TRY(tl_array_append(edges, (const uint32_t[2]){part[a].body, part[b].body}, 1));
    }
    for (size_t i = 0; i < s->couples.count; i++) {
        const tl_couple *c = (const tl_couple *)s->couples.data + i;
        if (c->row != c->column)
            TL_TRY(tl_array_append(edges, (const uint32_t[2]){c->row, c->column}, 1));
    }
    return TL_OK;
}

void tl_bonds_add(const tl_system *s, tl_cholesky *to)
{
    double block[6][6];
    for (size_t i = 0; i < s->bonds.count; i++) {
        const tl_bond *bond = (const tl_bond *)s->bonds.data + i;
        const double stiff = bond->slope > 0 ? bond->slope : bond->stiff;
        const tl_grip *part = parts_of(s, bond);
        for (uint32_t a = 0; a < bond->bodies; a++)
            for (uint32_t b = 0; b <= a; b++) {
                for (int k = 0; k < 36; k++)
                    block[k / 6][k % 6] = stiff * part[a].row[k / 6] * part[b].row[k % 6];
                tl_cholesky_add(to, part[a].body, part[b].body, (const double(*)[6])block);
            }
    }
}

/* How a part of a row moves by an impulse of its own, where M may connect nodes: about. */
static double node_mobility(const tl_couple *own, const double *row)
{
    double inverse[6][6], sum = 0;
    memcpy(inverse, own->block, sizeof inverse);
    const bool regular = tl_block_invert(inverse);
    for (int k = 0; k < 36 && regular; k++)
        sum += row[k / 6] * inverse[k / 6][k % 6] * row[k % 6];
    return sum;
}

/* How a row that holds moves by an impulse of its own. */
static double mobility(const tl_system *s, const tl_bond *bond)
{
    const tl_grip *part = parts_of(s, bond);
    double sum = 0;
    for (uint32_t b = 0; b < bond->bodies && s->couples.count; b++)
        sum += node_mobility((const tl_couple *)s->couples.data + part[b].body, part[b].row);
    for (uint32_t b = 0; b < bond->bodies && s->bodies.count; b++) {
        const tl_mover *m = (const tl_mover *)s->bodies.data + part[b].body;
        const double *turn = part[b].row + 3;
        sum += m->inverse * tl_dot(part[b].row, part[b].row);
        for (int k = 0; k < 3; k++)
            sum += turn[k] * tl_dot(m->turned[k], turn);
    }
    return sum;
}

tl_status tl_bonds_factor(tl_system *s)
{
    tl_array edges = {0};
    for (size_t i = 0; i < s->bonds.count; i++) {
        tl_bond *bond = (tl_bond *)s->bonds.data + i;
        const double moves = mobility(s, bond);
        bond->stiff = moves > 0 ? STIFF / moves : 0;
    }
    s->bonded.item = sizeof(double);
    TL_TRY(tl_array_resize(&s->bonded, 2 * s->d.count));
    tl_status status = tl_bonds_edges(s, &edges);
    if (status == TL_OK)
        status = tl_cholesky_make(&s->joined, s->view->moving, edges.data, edges.count, INFINITY);
    tl_array_free(&edges);
    if (status == TL_OK && !s->joined.pieces)
        status = tl_fail(TL_TOO_LARGE,
                         "the solver interior: factors of %s of %.3g GB; the limit is %.3g GB",
                         s->couples.count ? "M and constraints" : "joints", 1e-9 * s->joined.bytes,
                         1e-9 * TL_CHOLESKY_BYTES);
    TL_TRY(status);
    TL_TRY(tl_cholesky_clear(&s->joined));
    tl_system_add_mass(s, &s->joined);
    tl_bonds_add(s, &s->joined);
    if (!tl_cholesky_factor(&s->joined, s->backend))
        return tl_fail(TL_DIVERGED, "the solver interior: %zu rows of %s have no factors",
                       s->bonds.count, s->couples.count ? "constraints" : "joints");
    return TL_OK;
}

/* ---- Solutions ---- */

static double size_of(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* What d leaves of the momenta f, with what it leaves of rows that hold, which are stiff. */
static void leave(tl_system *s, bool touches, const double *f, const double *d, double *out)
{
    tl_bond *bonds = s->bonds.data;
    tl_system_multiply(s, touches, d, out);
    for (size_t i = 0; i < s->d.count; i++)
        out[i] = f[i] - out[i];
    for (size_t i = 0; i < s->bonds.count; i++) {
        if (bonds[i].slope > 0)
            continue;
        bonds[i].rate = tl_bond_see(s, d, &bonds[i]);
        tl_bond_push(s, out, &bonds[i], -(bonds[i].lambda + bonds[i].stiff * bonds[i].rate));
    }
}

void tl_bonds_solve(tl_system *s, bool touches, double *d)
{
    const size_t count = s->d.count;
    tl_bond *bonds = s->bonds.data;
    double *f = s->bonded.data, *x = f + count, last = INFINITY;
    memcpy(f, d, count * sizeof *f);
    memset(d, 0, count * sizeof *d);
    for (size_t i = 0; i < s->bonds.count; i++)
        bonds[i].lambda = 0;
    for (uint32_t pass = 0; pass <= (touches ? NEARLY : EXACT); pass++) {
        leave(s, touches, f, d, x);
        tl_cholesky_solve(touches ? &s->factors : &s->joined, x);
        const double size = size_of(x, count);
        if (pass && !(size < HELPFUL * last))
            break;
        for (size_t i = 0; i < count; i++)
            d[i] += x[i];
        for (size_t i = 0; i < s->bonds.count; i++)
            if (!(bonds[i].slope > 0))
                bonds[i].lambda += bonds[i].stiff * (tl_bond_see(s, x, &bonds[i]) + bonds[i].rate);
        if (size <= DIGIT * size_of(d, count))
            break;
        last = pass ? size : INFINITY;
    }
}
