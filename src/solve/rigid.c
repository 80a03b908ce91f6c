/* Contact problems of rigid bodies, given as matrices, as the rows that solvers take. Of a contact,
 * H has a block of 6 x 3 per body: its frame, and the frame turned by the anchor; so normal and
 * anchors follow. What does not have this form is no such problem, and is left to local.c. */
#include "solve/friction.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* how near numbers are that are meant to be the same, of their size */

/* A contact as a row. */
typedef struct contact {
    uint32_t a, b;                   /* bodies; b: a wall's from `moving` on */
    double n[3], anchor[2][3], bias; /* from the bodies' centres to where the impulse acts */
    double frame[3][3];              /* normal and tangents */
    double drift[3];                 /* the wall's velocity */
    bool central, drifts;            /* drifts: the wall has a velocity of its own */
} contact;

typedef struct body {
    double inverse, turned[3][3]; /* 1 / m and inverse inertia */
    bool ball;
} body;

typedef struct reading {
    const tl_contact_problem_def *d;
    uint32_t moving, walls;
    tl_array bodies, contacts;
    const char *why; /* it is no such problem; NULL: all is as it should be */
} reading;

static bool near(double a, double b, double size)
{
    return fabs(a - b) <= SAME * size;
}

/* ---- Bodies ---- */

/* A body's block of M: a mass and an inertia. */
static bool read_body(double m[6][6], body *out)
{
    double inertia[3][3], largest = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            inertia[i][k] = m[3 + i][3 + k];
            largest = fmax(largest, fabs(inertia[i][k]));
            if (!near(m[i][k], i == k ? m[0][0] : 0, m[0][0]) || m[i][3 + k] != 0 ||
                m[3 + i][k] != 0 || !near(m[3 + i][3 + k], m[3 + k][3 + i], fabs(m[3][3])))
                return false;
        }
    out->inverse = 1 / m[0][0];
    tl_invert(inertia, out->turned);
    out->ball = true;
    for (int i = 0; i < 9; i++)
        out->ball &= fabs(inertia[i / 3][i % 3] - (i % 4 ? 0 : inertia[0][0])) <= 1e-14 * largest;
    for (int i = 0; i < 3; i++)
        if (!(m[0][0] > 0) || !(out->turned[i][i] > 0))
            return false;
    return isfinite(out->inverse);
}

static tl_status read_bodies(reading *x)
{
    const tl_matrix M = x->d->M;
    x->bodies.item = sizeof(body);
    TL_TRY(tl_array_resize(&x->bodies, x->moving));
    for (uint32_t i = 0; i < x->moving && !x->why; i++) {
        double m[6][6] = {{0}};
        for (uint32_t c = 6 * i; c < 6 * i + 6; c++)
            for (uint32_t k = M.start[c]; k < M.start[c + 1]; k++) {
                if (M.row[k] / 6 != i && M.value[k] != 0)
                    x->why = "M connects bodies";
                else if (M.row[k] / 6 == i)
                    m[M.row[k] % 6][c % 6] += M.value[k];
            }
        if (!x->why && !read_body(m, (body *)x->bodies.data + i))
            x->why = "a block of M is not a mass and an inertia";
    }
    return TL_OK;
}

/* ---- Contacts ---- */

/* The blocks of a contact's columns of H; returns how many bodies they have, 3 where too many. */
static int read_blocks(tl_matrix H, uint32_t contact_index, uint32_t *bodies, double block[2][6][3])
{
    int count = 0;
    memset(block, 0, sizeof(double[2][6][3]));
    for (uint32_t c = 3 * contact_index; c < 3 * contact_index + 3; c++)
        for (uint32_t k = H.start[c]; k < H.start[c + 1]; k++) {
            const uint32_t i = H.row[k] / 6;
            int at = 0;
            if (H.value[k] == 0)
                continue;
            while (at < count && bodies[at] != i)
                at++;
            if (at == 2)
                return 3;
            if (at == count)
                bodies[count++] = i;
            block[at][H.row[k] % 6][c % 3] += H.value[k];
        }
    return count;
}

/* The anchor of a block whose first half is `sign` times the frame: [anchor]x is the other half,
 * turned back. */
static bool read_anchor(double block[6][3], double sign, const double *frame, double *anchor)
{
    double x[3][3], size = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] = 0;
            for (int l = 0; l < 3; l++)
                x[i][k] += sign * block[3 + i][l] * frame[3 * l + k];
            size = fmax(size, fabs(x[i][k]));
        }
    anchor[0] = 0.5 * (x[2][1] - x[1][2]);
    anchor[1] = 0.5 * (x[0][2] - x[2][0]);
    anchor[2] = 0.5 * (x[1][0] - x[0][1]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k <= i; k++)
            if (!near(x[i][k], -x[k][i], size))
                return false;
    return true;
}

static bool along(const double *anchor, const double *n)
{
    double across[3];
    tl_cross(anchor, n, across);
    return tl_length(across) <= 1e-12 * tl_length(anchor);
}

static const char *read_contact(reading *x, uint32_t index, contact *c)
{
    const tl_contact_problem_def *d = x->d;
    const double *w = d->w + 3 * (size_t)index;
    uint32_t bodies[2];
    double block[2][6][3];
    const int count = read_blocks(d->H, index, bodies, block);
    if (count < 1 || count > 2)
        return count ? "a contact has more than two bodies" : "a contact has no body";
    *c = (contact){.a = bodies[0], .b = count == 2 ? bodies[1] : x->moving, .bias = w[0]};
    for (int i = 0; i < 9; i++) /* the impulse acts against a */
        c->frame[i / 3][i % 3] = -block[0][i % 3][i / 3];
    memcpy(c->n, c->frame[0], sizeof c->n);
    for (int i = 0; i < 9; i++) {
        if (!near(tl_dot(c->frame[i / 3], c->frame[i % 3]), i % 4 == 0, 1))
            return "the frame of a contact is not one of unit vectors across each other";
        if (count == 2 && !near(block[1][i / 3][i % 3], -block[0][i / 3][i % 3], 1))
            return "a contact does not act on its two bodies alike";
    }
    if (!read_anchor(block[0], -1, (const double *)c->frame, c->anchor[0]) ||
        (count == 2 && !read_anchor(block[1], 1, (const double *)c->frame, c->anchor[1])))
        return "a contact turns a body by what is no anchor";
    const body *list = x->bodies.data;
    c->central = list[c->a].ball && along(c->anchor[0], c->n) &&
                 (count == 1 || (list[c->b].ball && along(c->anchor[1], c->n)));
    c->drifts = hypot(w[1], w[2]) > 1e-14 * fabs(w[0]); /* more than rounding */
    if (c->drifts && count == 2)
        return "w moves a contact of two bodies across its normal";
    for (int k = 0; k < 3; k++)
        c->drift[k] = w[1] * c->frame[1][k] + w[2] * c->frame[2][k];
    if (c->drifts)
        c->b = x->moving + ++x->walls;
    return NULL;
}

static tl_status read_contacts(reading *x)
{
    x->contacts.item = sizeof(contact);
    TL_TRY(tl_array_resize(&x->contacts, x->d->contacts));
    for (uint32_t i = 0; i < x->d->contacts && !x->why; i++)
        x->why = read_contact(x, i, (contact *)x->contacts.data + i);
    return TL_OK;
}

/* ---- Items and colours ---- */

typedef struct item {
    uint32_t first, count, colour; /* of its contacts, in `order` */
    bool central;
} item;

typedef struct ordering {
    tl_array order, items, list, start; /* uint32_t; item; sorting */
} ordering;

/* Contacts by their pair, one after the other: stable sorts by b and by a. */
static tl_status sort_contacts(const reading *x, ordering *o)
{
    const contact *c = x->contacts.data;
    const uint32_t count = x->d->contacts, keys = x->moving + x->walls + 1;
    o->order.item = o->list.item = o->start.item = sizeof(uint32_t);
    TL_TRY(tl_array_resize(&o->order, count));
    TL_TRY(tl_array_resize(&o->list, count));
    TL_TRY(tl_array_resize(&o->start, (size_t)keys + 1));
    uint32_t *from = o->list.data, *to = o->order.data, *start = o->start.data;
    for (uint32_t i = 0; i < count; i++)
        from[i] = i;
    for (int side = 1; side >= 0; side--) {
        memset(start, 0, ((size_t)keys + 1) * sizeof *start);
        for (uint32_t i = 0; i < count; i++)
            start[(side ? c[from[i]].b : c[from[i]].a) + 1]++;
        for (uint32_t i = 0; i < keys; i++)
            start[i + 1] += start[i];
        for (uint32_t i = 0; i < count; i++)
            to[start[side ? c[from[i]].b : c[from[i]].a]++] = from[i];
        if (side && count)
            memcpy(from, to, count * sizeof *from);
    }
    return TL_OK;
}

/* The points of a pair make an item, as many as one can have; central rows are one by one. */
static tl_status find_items(const reading *x, ordering *o)
{
    const contact *c = x->contacts.data;
    const uint32_t *order = o->order.data;
    o->items.item = sizeof(item);
    for (uint32_t i = 0; i < x->d->contacts; i++) {
        item *last = o->items.count ? (item *)o->items.data + o->items.count - 1 : NULL;
        const contact *now = &c[order[i]], *before = i ? &c[order[i - 1]] : NULL;
        if (last && !now->central && !last->central && last->count < TLK_POINTS_MOST &&
            before->a == now->a && before->b == now->b) {
            last->count++;
            continue;
        }
        const item new = {i, 1, 0, now->central};
        TL_TRY(tl_array_append(&o->items, &new, 1));
    }
    return TL_OK;
}

/* The first colour that is free at both bodies; the last one takes what is left. */
static tl_status paint(const reading *x, ordering *o)
{
    const contact *c = x->contacts.data;
    const uint32_t *order = o->order.data;
    tl_array used = {.item = sizeof(uint64_t)};
    TL_TRY(tl_array_resize(&used, (size_t)x->moving + x->walls + 1));
    uint64_t *bits = used.data;
    memset(bits, 0, used.count * sizeof *bits);
    for (size_t i = 0; i < o->items.count; i++) {
        item *it = (item *)o->items.data + i;
        const contact *first = &c[order[it->first]];
        const uint64_t taken = bits[first->a] | (first->b < x->moving ? bits[first->b] : 0);
        while (it->colour < TLK_COLOURS - 1 && (taken >> it->colour & 1))
            it->colour++;
        bits[first->a] |= 1ull << it->colour;
        bits[first->b] |= 1ull << it->colour;
    }
    tl_array_free(&used);
    return TL_OK;
}

/* Where items go: central rows first, by colour; each colour begins a new packet. */
static void lay_out(const reading *x, const ordering *o, tl_rigid *r)
{
    tl_segment segments[2][TLK_COLOURS];
    tl_problem *p = &r->problem;
    uint32_t *place = r->place.data, items = 0;
    const uint32_t *order = o->order.data;
    p->view.item_rows = TLK_POINTS_MOST;
    for (int kind = 0; kind < 2; kind++) {
        p->view.anchor_base = items;
        for (uint32_t c = 0; c < TLK_COLOURS; c++) {
            const uint32_t begin = items;
            for (size_t i = 0; i < o->items.count; i++) {
                const item *it = (const item *)o->items.data + i;
                if (it->colour != c || it->central == kind)
                    continue;
                const uint32_t from = items - p->view.anchor_base;
                const uint32_t row = kind ? p->view.anchor_base +
                                                from / TLK_LANES * TLK_LANES * TLK_POINTS_MOST +
                                                from % TLK_LANES
                                          : items;
                for (uint32_t k = 0; k < it->count; k++)
                    place[order[it->first + k]] = row + k * TLK_LANES;
                items++;
            }
            segments[kind][c] = (tl_segment){begin, items, c == TLK_COLOURS - 1, begin};
            items = (items + TLK_LANES - 1) / TLK_LANES * TLK_LANES;
        }
    }
    p->view.items = items;
    p->view.rows = p->view.anchor_base + (items - p->view.anchor_base) * TLK_POINTS_MOST;
    p->view.moving = x->moving;
    p->view.blocks = x->moving + x->walls + 1;
    for (uint32_t c = 0; c < TLK_COLOURS; c++)
        for (int kind = 0; kind < 2; kind++)
            if (segments[kind][c].end > segments[kind][c].begin)
                p->segments[p->segment_count++] = segments[kind][c];
}

/* ---- Rows ---- */

/* Numbers of a row in packets. The backend is the CPU's, whose memory is the host's. */
static void put(const void *array, uint32_t row, uint32_t field, uint32_t fields, double value)
{
    ((double *)array)[((size_t)(row / TLK_LANES) * fields + field) * TLK_LANES + row % TLK_LANES] =
        value;
}

static tl_status room(tl_rigid *r, int which, size_t bytes, int byte, const void *out)
{
    tl_buffer *buffer = &r->buffers[which];
    TL_TRY(tl_buffer_need(r->backend, buffer, bytes + 64));
    memset(buffer->data, byte, bytes + 64);
    memcpy((void *)out, &buffer->data, sizeof buffer->data);
    return TL_OK;
}

static tl_status make_room(tl_rigid *r)
{
    tlk_problem *v = &r->problem.view;
    const size_t rows = v->rows, real = sizeof(double), blocks = 8 * (size_t)v->blocks * real;
    TL_TRY(room(r, 0, rows * sizeof(uint32_t), 0xff, &v->a));
    TL_TRY(room(r, 1, rows * sizeof(uint32_t), 0xff, &v->b));
    TL_TRY(room(r, 2, TLK_HEAD * rows * real, 0, &v->head));
    TL_TRY(room(r, 3, TLK_ANCHORS * (rows - v->anchor_base) * real, 0, &v->anchors));
    TL_TRY(room(r, 4, rows * real, 0, &v->bias));
    TL_TRY(room(r, 5, 3 * rows * real, 0, &v->gamma));
    TL_TRY(room(r, 6, blocks, 0, &v->free));
    TL_TRY(room(r, 7, blocks, 0, &v->vel));
    return rows > v->anchor_base ? room(r, 8, blocks, 0, &v->inverse) : TL_OK;
}

static void put_row(const tl_rigid *r, const contact *c, uint32_t row, double mu)
{
    const tlk_problem *v = &r->problem.view;
    const bool wall = c->b >= v->moving;
    ((uint32_t *)v->a)[row] = c->a;
    ((uint32_t *)v->b)[row] = c->b;
    const double head[TLK_HEAD] = {c->n[0],
                                   c->n[1],
                                   c->n[2],
                                   mu,
                                   tl_dot(c->anchor[0], c->n),
                                   wall ? 0 : -tl_dot(c->anchor[1], c->n)};
    for (uint32_t k = 0; k < TLK_HEAD; k++)
        put(v->head, row, k, TLK_HEAD, head[k]);
    put(v->bias, row, 0, 1, c->bias);
    for (uint32_t k = 0; k < 6 && row >= v->anchor_base; k++)
        put(v->anchors, row - v->anchor_base, k, TLK_ANCHORS, c->anchor[k / 3][k % 3]);
}

/* Velocities without impulses: M^-1 f, body by body. */
static void put_bodies(const reading *x, tl_rigid *r)
{
    const tlk_problem *v = &r->problem.view;
    double *free = (double *)v->free, *inverse = (double *)v->inverse;
    for (uint32_t i = 0; i < x->moving; i++, free += 8) {
        const body *b = (const body *)x->bodies.data + i;
        const double *f = x->d->f + 6 * (size_t)i;
        const double turned[6] = {b->turned[0][0], b->turned[1][1], b->turned[2][2],
                                  b->turned[0][1], b->turned[0][2], b->turned[1][2]};
        for (int k = 0; k < 3; k++) {
            free[k] = b->inverse * f[k];
            free[4 + k] = tl_dot(b->turned[k], f + 3);
        }
        free[3] = b->inverse;
        free[7] = (turned[0] + turned[1] + turned[2]) / 3;
        for (int k = 0; k < 6 && inverse; k++)
            inverse[8 * (size_t)i + k] = turned[k];
    }
}

static void put_rows(const reading *x, tl_rigid *r)
{
    const tlk_problem *v = &r->problem.view;
    const uint32_t *place = r->place.data;
    double *free = (double *)v->free;
    for (uint32_t i = 0; i < x->d->contacts; i++) {
        const contact *c = (const contact *)x->contacts.data + i;
        put_row(r, c, place[i], x->d->mu[i]);
        memcpy((double *)r->frames.data + 9 * (size_t)i, c->frame, sizeof c->frame);
        if (c->drifts)
            memcpy(free + 8 * (size_t)c->b, c->drift, sizeof c->drift);
    }
    const tlk_build build = {.a = (uint32_t *)v->a,
                             .b = (uint32_t *)v->b,
                             .head = (void *)v->head,
                             .anchors = (void *)v->anchors,
                             .anchor_base = v->anchor_base,
                             .inverse = (void *)v->inverse,
                             .bodies = {.vel = (void *)v->free}};
    if (v->rows > v->anchor_base)
        tl_run(r->backend, TLK_anchor_steps, v->rows - v->anchor_base, &build);
}

static tl_status build(const reading *x, ordering *o, uint32_t threads, tl_rigid *r)
{
    r->place.item = sizeof(uint32_t);
    r->frames.item = sizeof(double);
    TL_TRY(tl_array_resize(&r->place, x->d->contacts));
    TL_TRY(tl_array_resize(&r->frames, 9 * (size_t)x->d->contacts));
    TL_TRY(sort_contacts(x, o));
    TL_TRY(find_items(x, o));
    TL_TRY(paint(x, o));
    lay_out(x, o, r);
    TL_TRY(tl_backend_cpu(TL_DOUBLE, threads, &r->backend));
    TL_TRY(make_room(r));
    put_bodies(x, r);
    put_rows(x, r);
    return TL_OK;
}

static tl_status make(reading *x, ordering *o, uint32_t threads, tl_rigid *r)
{
    const tl_contact_problem_def *d = x->d;
    if (d->form != TL_PROBLEM_GLOBAL)
        x->why = "this problem is in local form";
    else if (d->dimension != 3)
        x->why = "this problem is in a plane";
    else if (d->G.columns)
        x->why = "this problem has equality constraints";
    else if (d->M.rows % 6 || d->M.rows == 0)
        x->why = "M is not one of bodies with six velocities";
    if (x->why)
        return TL_OK;
    x->moving = d->M.rows / 6;
    TL_TRY(read_bodies(x));
    if (!x->why)
        TL_TRY(read_contacts(x));
    return x->why ? TL_OK : build(x, o, threads, r);
}

tl_status tl_rigid_make(const tl_contact_problem *problem, uint32_t threads, bool *rigid,
                        tl_rigid *r)
{
    reading x = {.d = &problem->def};
    ordering o = {0};
    *r = (tl_rigid){0};
    const tl_status status = make(&x, &o, threads, r);
    *rigid = status == TL_OK && !x.why;
    tl_array *const all[] = {&x.bodies, &x.contacts, &o.order, &o.items, &o.list, &o.start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    return status;
}

void tl_rigid_free(tl_rigid *r)
{
    if (r->backend) {
        tl_workspace_free(r->backend, &r->workspace);
        for (size_t i = 0; i < sizeof r->buffers / sizeof *r->buffers; i++)
            tl_buffer_free(r->backend, &r->buffers[i]);
        r->backend->ops->destroy(r->backend);
    }
    tl_array_free(&r->place);
    tl_array_free(&r->frames);
}

/* ---- Impulses ---- */

void tl_rigid_start(tl_rigid *r, const double *impulses)
{
    const tlk_problem *v = &r->problem.view;
    const uint32_t *place = r->place.data;
    for (uint32_t i = 0; i < r->place.count; i++) {
        const double *frame = (const double *)r->frames.data + 9 * (size_t)i;
        for (uint32_t k = 0; k < 3; k++) {
            double world = 0;
            for (uint32_t l = 0; l < 3; l++)
                world += frame[3 * l + k] * impulses[3 * i + l];
            put(v->gamma, place[i], k, 3, world);
        }
    }
    r->backend->ops->copy(r->backend, v->vel, v->free, 8 * (size_t)v->blocks * sizeof(double));
}

tl_status tl_rigid_read(tl_rigid *r, double *impulses)
{
    const uint32_t *place = r->place.data;
    const double *gamma = (const double *)(const void *)r->problem.view.gamma;
    for (uint32_t i = 0; i < r->place.count; i++) {
        const double *frame = (const double *)r->frames.data + 9 * (size_t)i;
        for (uint32_t l = 0; l < 3; l++) {
            impulses[3 * i + l] = 0;
            for (uint32_t k = 0; k < 3; k++)
                impulses[3 * i + l] +=
                    frame[3 * l + k] * gamma[((size_t)(place[i] / TLK_LANES) * 3 + k) * TLK_LANES +
                                             place[i] % TLK_LANES];
        }
    }
    return TL_OK;
}
