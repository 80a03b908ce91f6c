/* What fills in where a symmetric block matrix is factored, and its panels: cholesky.h. */
#include "solve/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZEROS 0.15 /* of a panel: what may be zero for the sake of larger ones */
#define DEAR  2e8  /* multiplications from which a better order is looked for */

typedef struct filling {
    tl_array start, list;     /* uint32_t: neighbours of each node, each once */
    tl_array place, at;       /* uint32_t per node: its place; per place: its node */
    tl_array parent;          /* uint32_t per place: the first that its rows reach; or NONE */
    tl_array begin, reach;    /* places behind each that its rows reach, in any order */
    tl_array one, two, three; /* uint32_t per node: for whoever needs them */
    double work, bytes;
} filling;

#define NONE UINT32_MAX

static uint32_t *words(const tl_array *array)
{
    return array->data;
}

static size_t *sizes(const tl_array *array)
{
    return array->data;
}

static void release(filling *f)
{
    tl_array *const all[] = {&f->start, &f->list,  &f->place, &f->at,  &f->parent,
                             &f->begin, &f->reach, &f->one,   &f->two, &f->three};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
}

static tl_status prepare(filling *f, uint32_t nodes, size_t edges)
{
    tl_array *const all[] = {&f->place, &f->at, &f->parent, &f->one, &f->two, &f->three, &f->start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->item = sizeof(uint32_t);
        TL_TRY(tl_array_resize(all[i], (size_t)nodes + 2));
    }
    f->list.item = f->reach.item = sizeof(uint32_t);
    f->begin.item = sizeof(size_t);
    TL_TRY(tl_array_resize(&f->list, 2 * edges));
    return tl_array_resize(&f->begin, (size_t)nodes + 1);
}

/* Lists of neighbours, then without repetitions. */
static void list_neighbours(filling *f, uint32_t nodes, const uint32_t (*edges)[2], size_t count)
{
    uint32_t *start = words(&f->start), *list = words(&f->list), *seen = words(&f->one), kept = 0;
    memset(start, 0, ((size_t)nodes + 2) * sizeof *start);
    for (size_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            start[edges[e][side] + 2]++;
    for (uint32_t i = 0; i < nodes; i++)
        start[i + 2] += start[i + 1];
    for (size_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            list[start[edges[e][side] + 1]++] = edges[e][1 - side];
    memset(seen, 0xff, nodes * sizeof *seen);
    for (uint32_t i = 0, from = 0; i < nodes; i++) {
        const uint32_t end = start[i + 1];
        start[i] = kept;
        seen[i] = i;
        for (uint32_t l = from; l < end; l++) {
            const uint32_t other = list[l];
            if (seen[other] != i)
                list[kept++] = other;
            seen[other] = i;
        }
        from = end;
    }
    start[nodes] = kept;
}

/* ---- The tree of elimination ---- */

static void note_nodes(filling *f, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        words(&f->at)[words(&f->place)[i]] = i;
}

/* Parents, by the ways from each place's earlier neighbours up. */
static void find_parents(filling *f, uint32_t nodes)
{
    uint32_t *parent = words(&f->parent), *top = words(&f->one);
    const uint32_t *place = words(&f->place), *at = words(&f->at), *start = words(&f->start);
    for (uint32_t p = 0; p < nodes; p++) {
        parent[p] = top[p] = NONE;
        for (uint32_t l = start[at[p]]; l < start[at[p] + 1]; l++) {
            uint32_t up = place[words(&f->list)[l]];
            while (up < p) { /* and ways become short */
                const uint32_t next = top[up];
                top[up] = p;
                if (next == NONE)
                    parent[up] = p;
                up = next == NONE ? p : next;
            }
        }
    }
}

/* Lists of children, the one with the largest tree last: head of the list, and next of each. */
static void list_children(filling *f, uint32_t nodes, uint32_t *head, uint32_t *next)
{
    const uint32_t *parent = words(&f->parent);
    uint32_t *size = words(&f->three), *largest = words(&f->place);
    for (uint32_t p = 0; p < nodes; p++) {
        head[p] = next[p] = largest[p] = NONE;
        size[p] = 1;
    }
    for (uint32_t p = 0; p < nodes; p++) {
        const uint32_t up = parent[p];
        if (up == NONE)
            continue;
        size[up] += size[p];
        if (largest[up] == NONE || size[largest[up]] < size[p])
            largest[up] = head[up] = p;
    }
    for (uint32_t p = nodes; p-- > 0;)
        if (parent[p] != NONE && largest[parent[p]] != p) {
            next[p] = head[parent[p]];
            head[parent[p]] = p;
        }
}

/* Places such that each tree is side by side, its root last. */
static void order_tree(filling *f, uint32_t nodes)
{
    uint32_t *head = words(&f->one), *next = words(&f->two), *order = words(&f->three), done = 0;
    uint32_t *at = words(&f->at), *place = words(&f->place), *stack = place;
    list_children(f, nodes, head, next);
    for (uint32_t root = 0; root < nodes; root++) {
        uint32_t depth = 0;
        if (words(&f->parent)[root] == NONE)
            stack[depth++] = root;
        while (depth) {
            const uint32_t p = stack[depth - 1], child = head[p];
            if (child == NONE) {
                order[done++] = at[p];
                depth--;
            } else {
                head[p] = next[child];
                stack[depth++] = child;
            }
        }
    }
    memcpy(at, order, nodes * sizeof *at);
    for (uint32_t p = 0; p < nodes; p++)
        place[at[p]] = p;
}

/* What the rows of each place reach: those of its children, and its neighbours behind it. Ends
 * early where that is too much. */
static tl_status find_reach(filling *f, uint32_t nodes, double most)
{
    uint32_t *seen = words(&f->one), *head = words(&f->two), *next = words(&f->three);
    const uint32_t *parent = words(&f->parent), *start = words(&f->start);
    size_t *begin = sizes(&f->begin);
    memset(seen, 0xff, nodes * sizeof *seen);
    memset(head, 0xff, nodes * sizeof *head);
    f->work = f->bytes = 0;
    f->reach.count = 0;
    for (uint32_t p = 0; p < nodes; p++) {
        const uint32_t own = words(&f->at)[p];
        begin[p] = f->reach.count;
        seen[p] = p;
        for (uint32_t l = start[own]; l < start[own + 1]; l++) {
            const uint32_t other = words(&f->place)[words(&f->list)[l]];
            if (other > p && seen[other] != p)
                TL_TRY(tl_array_append(&f->reach, &other, 1));
            seen[other] = other > p ? p : seen[other];
        }
        for (uint32_t child = head[p]; child != NONE; child = next[child]) {
            TL_TRY(tl_array_reserve(&f->reach, f->reach.count + begin[child + 1] - begin[child]));
            for (size_t r = begin[child]; r < begin[child + 1]; r++) {
                const uint32_t other = words(&f->reach)[r];
                if (seen[other] != p)
                    words(&f->reach)[f->reach.count++] = other;
                seen[other] = p;
            }
        }
        begin[p + 1] = f->reach.count;
        const double width = 6.0 * (double)(f->reach.count - begin[p] + 1);
        f->work += 3 * width * width;
        f->bytes += 6 * width * sizeof(double);
        if (f->work > most || f->bytes > TL_CHOLESKY_BYTES)
            return TL_OK;
        if (parent[p] != NONE) {
            next[p] = head[parent[p]];
            head[parent[p]] = p;
        }
    }
    return TL_OK;
}

static tl_status fill_in(filling *f, uint32_t nodes, double most)
{
    note_nodes(f, nodes);
    find_parents(f, nodes);
    order_tree(f, nodes);
    find_parents(f, nodes);
    return find_reach(f, nodes, most);
}

/* ---- Panels ---- */

static int by_place(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return (one > two) - (one < two);
}

/* Where pieces end: a place is of the piece before it where it is the parent of that one's last
 * place and few numbers of the panel would be zero. */
static tl_status find_pieces(tl_cholesky *c, const filling *f)
{
    const size_t *begin = sizes(&f->begin);
    uint32_t *piece = words(&c->piece);
    double zeros = 0;
    for (uint32_t p = 0, from = 0; p < c->nodes; p++) {
        const double reach = (double)(begin[p + 1] - begin[p]), columns = p - from;
        double more = 0;
        bool joins = p > from && words(&f->parent)[p - 1] == p;
        if (joins) {
            more = columns * (reach + 1 - (double)(begin[p] - begin[p - 1]));
            joins = zeros + more <= ZEROS * (columns + 1) * (0.5 * columns + 1 + reach);
        }
        zeros = joins ? zeros + more : 0;
        if (!joins) {
            TL_TRY(tl_array_append(&c->first, &p, 1));
            from = p;
        }
        piece[p] = (uint32_t)c->first.count - 1;
    }
    c->pieces = (uint32_t)c->first.count;
    return tl_array_append(&c->first, &c->nodes, 1);
}

/* A panel reaches what its last place does. */
static tl_status lay_out(tl_cholesky *c, const filling *f)
{
    const uint32_t *first = words(&c->first);
    const size_t *begin = sizes(&f->begin);
    size_t at = 0;
    c->work = 0;
    for (uint32_t s = 0; s < c->pieces; s++) {
        const uint32_t last = first[s + 1] - 1;
        const size_t count = begin[last + 1] - begin[last];
        TL_TRY(tl_array_append(&c->begin, &c->list.count, 1));
        TL_TRY(tl_array_append(&c->start, &at, 1));
        TL_TRY(tl_array_append(&c->list, words(&f->reach) + begin[last], count));
        if (count)
            qsort(words(&c->list) + c->list.count - count, count, sizeof(uint32_t), by_place);
        const double rows = 6.0 * (first[s + 1] - first[s]), behind = 6.0 * (double)count;
        c->work += rows * (rows * rows / 6 + 0.5 * rows * behind + 0.5 * behind * behind);
        at += (size_t)rows * ((size_t)rows + (size_t)behind);
    }
    c->bytes = (double)at * sizeof(double);
    TL_TRY(tl_array_append(&c->begin, &c->list.count, 1));
    return tl_array_append(&c->start, &at, 1);
}

void tl_cholesky_free(tl_cholesky *c)
{
    tl_array *const all[] = {&c->place, &c->piece,  &c->first, &c->begin, &c->list,
                             &c->start, &c->values, &c->x,     &c->pack,  &c->map};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
}

/* The better of two orders; the second is looked for where it may matter. */
static tl_status choose(filling *f, uint32_t nodes, double most)
{
    const tl_neighbours graph = {nodes, words(&f->start), words(&f->list)};
    TL_TRY(tl_order_bandwidth(&graph, words(&f->place)));
    TL_TRY(fill_in(f, nodes, most));
    if (f->work <= DEAR || most <= DEAR)
        return TL_OK;
    const double before = f->work;
    TL_TRY(tl_order_dissect(&graph, words(&f->place)));
    TL_TRY(fill_in(f, nodes, most));
    if (f->work < before || (f->work > most && before > most))
        return TL_OK;
    TL_TRY(tl_order_bandwidth(&graph, words(&f->place)));
    return fill_in(f, nodes, most);
}

tl_status tl_cholesky_make(tl_cholesky *c, uint32_t nodes, const uint32_t (*edges)[2], size_t count,
                           double most)
{
    filling f = {0};
    *c = (tl_cholesky){.nodes = nodes,
                       .place = {.item = sizeof(uint32_t)},
                       .piece = {.item = sizeof(uint32_t)},
                       .first = {.item = sizeof(uint32_t)},
                       .begin = {.item = sizeof(size_t)},
                       .list = {.item = sizeof(uint32_t)},
                       .start = {.item = sizeof(size_t)},
                       .values = {.item = sizeof(double)},
                       .x = {.item = sizeof(double)},
                       .pack = {.item = sizeof(double)},
                       .map = {.item = sizeof(uint32_t)}};
    tl_status status = prepare(&f, nodes, count);
    if (status == TL_OK) {
        list_neighbours(&f, nodes, edges, count);
        status = choose(&f, nodes, most);
    }
    c->work = f.work;
    c->bytes = f.bytes;
    if (status == TL_OK)
        status = tl_array_append(&c->place, f.place.data, nodes);
    if (status == TL_OK && f.work <= most && f.bytes <= TL_CHOLESKY_BYTES) {
        status = tl_array_resize(&c->piece, nodes);
        if (status == TL_OK)
            status = find_pieces(c, &f);
        if (status == TL_OK)
            status = lay_out(c, &f);
    }
    release(&f);
    return status;
}
