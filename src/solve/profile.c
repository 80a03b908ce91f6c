/* The direct solution of block matrices in a profile. Every sum is taken in one order. */
#include "solve/profile.h"

#include <string.h>

/* ---- The order ---- */

typedef struct graph {
    uint32_t nodes;
    const uint32_t *start, *list; /* neighbours of each node */
    uint32_t *level;              /* of the last search, or FRESH */
    uint32_t *queue;
} graph;

#define FRESH UINT32_MAX /* not reached */

static uint32_t degree(const graph *g, uint32_t i)
{
    return g->start[i + 1] - g->start[i];
}

/* The nodes of a component, breadth first from one of them, few neighbours first; returns how many
 * they are. */
static uint32_t search(const graph *g, uint32_t from, uint32_t *queue)
{
    uint32_t count = 1;
    queue[0] = from;
    g->level[from] = 0;
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t node = queue[at], first = count;
        for (uint32_t l = g->start[node]; l < g->start[node + 1]; l++) {
            const uint32_t next = g->list[l];
            if (g->level[next] != FRESH)
                continue;
            g->level[next] = g->level[node] + 1;
            uint32_t to = count++;
            for (; to > first && degree(g, queue[to - 1]) > degree(g, next); to--)
                queue[to] = queue[to - 1];
            queue[to] = next;
        }
    }
    return count;
}

/* Appends a component to the order, from an end of it. */
static uint32_t order_component(const graph *g, uint32_t from, uint32_t *queue)
{
    for (int tries = 0; tries < 2; tries++) {
        const uint32_t count = search(g, from, queue);
        from = queue[count - 1];
        for (uint32_t i = 0; i < count; i++)
            g->level[queue[i]] = FRESH;
    }
    return search(g, from, queue);
}

static void order(const graph *g, uint32_t *place)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->level[i] == FRESH)
            done += order_component(g, i, g->queue + done);
    for (uint32_t i = 0; i < g->nodes; i++)
        place[g->queue[i]] = g->nodes - 1 - i;
}

/* Lists of neighbours; `start` is zero. */
static void list_neighbours(uint32_t nodes, const uint32_t (*edges)[2], size_t count,
                            uint32_t *start, uint32_t *list)
{
    for (size_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            start[edges[e][side] + 1]++;
    for (uint32_t i = 0; i < nodes; i++)
        start[i + 1] += start[i];
    for (size_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            list[start[edges[e][side]]++] = edges[e][1 - side];
    for (uint32_t i = nodes; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

/* ---- The profile ---- */

/* Elimination fills each row up to where those before it reach. */
static void lay_out(tl_profile *p, const uint32_t (*edges)[2], size_t count)
{
    const uint32_t *place = p->place.data;
    uint32_t *last = p->last.data;
    size_t *start = p->start.data;
    for (uint32_t i = 0; i < p->nodes; i++)
        last[i] = i;
    for (size_t e = 0; e < count; e++) {
        const uint32_t a = place[edges[e][0]], b = place[edges[e][1]];
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        last[low] = last[low] > high ? last[low] : high;
    }
    start[0] = 0;
    p->work = 0;
    for (uint32_t i = 0; i < p->nodes; i++) {
        if (i && last[i - 1] > last[i])
            last[i] = last[i - 1];
        const size_t width = 6 * (size_t)(last[i] - i + 1);
        start[i + 1] = start[i] + 6 * width;
        p->work += 3.0 * (double)width * (double)width;
    }
}

tl_status tl_profile_make(tl_profile *p, uint32_t nodes, const uint32_t (*edges)[2], size_t count)
{
    tl_array work = {.item = sizeof(uint32_t)};
    *p = (tl_profile){.nodes = nodes,
                      .place = {.item = sizeof(uint32_t)},
                      .last = {.item = sizeof(uint32_t)},
                      .start = {.item = sizeof(size_t)},
                      .values = {.item = sizeof(double)},
                      .x = {.item = sizeof(double)}};
    TL_TRY(tl_array_resize(&p->place, nodes));
    TL_TRY(tl_array_resize(&p->last, nodes));
    TL_TRY(tl_array_resize(&p->start, (size_t)nodes + 1));
    TL_TRY(tl_array_resize(&p->x, 6 * (size_t)nodes));
    TL_TRY(tl_array_resize(&work, 3 * (size_t)nodes + 1 + 2 * count));
    uint32_t *start = work.data, *level = start + nodes + 1, *queue = level + nodes;
    uint32_t *list = queue + nodes;
    memset(start, 0, ((size_t)nodes + 1) * sizeof *start);
    memset(level, 0xff, nodes * sizeof *level);
    list_neighbours(nodes, edges, count, start, list);
    order(&(graph){nodes, start, list, level, queue}, p->place.data);
    tl_array_free(&work);
    lay_out(p, edges, count);
    return TL_OK;
}

void tl_profile_free(tl_profile *p)
{
    tl_array_free(&p->place);
    tl_array_free(&p->last);
    tl_array_free(&p->start);
    tl_array_free(&p->values);
    tl_array_free(&p->x);
}

tl_status tl_profile_clear(tl_profile *p)
{
    const size_t count = ((size_t *)p->start.data)[p->nodes];
    TL_TRY(tl_array_resize(&p->values, count));
    if (count)
        memset(p->values.data, 0, count * sizeof(double));
    return TL_OK;
}

/* Row r of the node at a place, from the first column of its diagonal block on, and how long. */
static double *row_of(const tl_profile *p, uint32_t place, uint32_t r, size_t *width)
{
    const size_t *start = p->start.data;
    *width = (start[place + 1] - start[place]) / 6;
    return (double *)p->values.data + start[place] + r * *width;
}

void tl_profile_add(tl_profile *p, uint32_t i, uint32_t j, const double block[6][6])
{
    const uint32_t *place = p->place.data, a = place[i], b = place[j];
    const bool turned = a > b;
    const uint32_t low = turned ? b : a, high = turned ? a : b;
    size_t width;
    for (uint32_t r = 0; r < 6; r++) {
        double *row = row_of(p, low, r, &width) + 6 * (size_t)(high - low);
        for (uint32_t c = 0; c < 6; c++)
            row[c] += turned ? block[c][r] : block[r][c];
    }
}

/* ---- The solution ---- */

bool tl_profile_factor(tl_profile *p)
{
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t r = 0; r < 6; r++) {
            size_t width, other;
            const double *row = row_of(p, i, r, &width);
            if (!(row[r] > 0))
                return false;
            for (size_t c = r + 1; c < width; c++) {
                if (row[c] == 0)
                    continue;
                const double part = row[c] / row[r];
                const size_t block = c / 6 * 6;
                double *to = row_of(p, i + (uint32_t)(c / 6), (uint32_t)(c % 6), &other);
                for (size_t k = c; k < width; k++)
                    to[k - block] -= part * row[k];
            }
        }
    return true;
}

void tl_profile_solve(const tl_profile *p, double *vector)
{
    const uint32_t *place = p->place.data;
    double *x = p->x.data;
    size_t width;
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(x + 6 * (size_t)place[i], vector + 6 * (size_t)i, 6 * sizeof *x);
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t r = 0; r < 6; r++) {
            const double *row = row_of(p, i, r, &width);
            double *at = x + 6 * (size_t)i;
            at[r] /= row[r];
            for (size_t c = r + 1; c < width; c++)
                at[c] -= row[c] * at[r];
        }
    for (uint32_t i = p->nodes; i-- > 0;)
        for (uint32_t r = 6; r-- > 0;) {
            const double *row = row_of(p, i, r, &width);
            double *at = x + 6 * (size_t)i, sum = 0;
            for (size_t c = r + 1; c < width; c++)
                sum += row[c] * at[c];
            at[r] -= sum / row[r];
        }
    for (uint32_t i = 0; i < p->nodes; i++)
        memcpy(vector + 6 * (size_t)i, x + 6 * (size_t)place[i], 6 * sizeof *x);
}
