/* Orders of elimination: reverse Cuthill and McKee, which is best for what is long and thin, and
 * nested dissection, for what is thick. */
#include "joint/dissect.h"
#include "solve/cholesky.h"

#include <string.h>

/* ---- Reverse Cuthill and McKee ---- */

typedef struct graph {
    const tl_neighbours *of;
    uint32_t *level; /* of the last search, or FRESH */
} graph;

#define FRESH UINT32_MAX /* not reached */

static uint32_t degree(const tl_neighbours *g, uint32_t i)
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
        for (uint32_t l = g->of->start[node]; l < g->of->start[node + 1]; l++) {
            const uint32_t next = g->of->list[l];
            if (g->level[next] != FRESH)
                continue;
            g->level[next] = g->level[node] + 1;
            uint32_t to = count++;
            for (; to > first && degree(g->of, queue[to - 1]) > degree(g->of, next); to--)
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

tl_status tl_order_bandwidth(const tl_neighbours *of, uint32_t *place)
{
    tl_array work = {.item = sizeof(uint32_t)};
    const size_t nodes = of->nodes;
    uint32_t done = 0;
    TL_TRY(tl_array_resize(&work, 2 * nodes + 1));
    uint32_t *queue = (uint32_t *)work.data + nodes;
    const graph g = {of, work.data};
    memset(g.level, 0xff, nodes * sizeof *g.level);
    for (uint32_t i = 0; i < nodes; i++)
        if (g.level[i] == FRESH)
            done += order_component(&g, i, queue + done);
    for (uint32_t i = 0; i < nodes; i++)
        place[queue[i]] = (uint32_t)nodes - 1 - i;
    tl_array_free(&work);
    return TL_OK;
}

/* ---- Nested dissection ---- */

/* Edges that cross between parts, the largest parts first: one node of each makes the cut, that
 * which more of them meet at. `late`, per node: how late it goes. */
static void cover(const tl_graph_joint *edges, uint32_t count, const uint8_t *crosses,
                  uint32_t *meet, uint8_t *late)
{
    for (uint32_t level = UINT8_MAX; level > 0; level--) {
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t e = 0; e < count; e++) {
                const uint32_t a = edges[e].body[0], b = edges[e].body[1];
                if (crosses[e] != level || late[a] || late[b])
                    continue;
                if (pass)
                    late[meet[a] > meet[b] || (meet[a] == meet[b] && a < b) ? a : b] =
                        (uint8_t)level;
                else
                    meet[a]++, meet[b]++;
            }
        for (uint32_t e = 0; e < count; e++)
            if (crosses[e] == level)
                meet[edges[e].body[0]] = meet[edges[e].body[1]] = 0;
    }
}

/* By how late nodes go, and among equals by the place that they have. */
static void rank(uint32_t nodes, const uint8_t *late, uint32_t *place, uint32_t *at)
{
    uint32_t first[UINT8_MAX + 2] = {0};
    for (uint32_t i = 0; i < nodes; i++) {
        first[late[i] + 1]++;
        at[place[i]] = i;
    }
    for (uint32_t l = 0; l <= UINT8_MAX; l++)
        first[l + 1] += first[l];
    for (uint32_t p = 0; p < nodes; p++)
        place[at[p]] = first[late[at[p]]]++;
}

tl_status tl_order_dissect(const tl_neighbours *g, uint32_t *place)
{
    tl_array edges = {.item = sizeof(tl_graph_joint)}, late = {.item = 1};
    tl_array work = {.item = sizeof(uint32_t)};
    tl_status status = tl_order_bandwidth(g, place);
    if (status == TL_OK)
        status = tl_array_reserve(&edges, g->nodes ? g->start[g->nodes] / 2 + 1 : 1);
    for (uint32_t i = 0; i < g->nodes && status == TL_OK; i++)
        for (uint32_t l = g->start[i]; l < g->start[i + 1] && status == TL_OK; l++)
            if (g->list[l] > i)
                status = tl_array_append(
                    &edges, &(tl_graph_joint){.bodies = 2, .body = {i, g->list[l]}}, 1);
    const uint32_t count = (uint32_t)edges.count;
    if (status == TL_OK)
        status = tl_array_resize(&late, 2 * (size_t)g->nodes + count + 1);
    if (status == TL_OK)
        status = tl_array_resize(&work, g->nodes + 1);
    if (status == TL_OK)
        status = tl_dissect(g->nodes, edges.data, count, UINT32_MAX, late.data);
    if (status == TL_OK) {
        uint8_t *crosses = (uint8_t *)late.data + g->nodes, *own = crosses + count;
        memset(own, 0, g->nodes);
        memset(work.data, 0, g->nodes * sizeof(uint32_t));
        cover(edges.data, count, crosses, work.data, own);
        rank(g->nodes, own, place, work.data);
    }
    tl_array_free(&edges);
    tl_array_free(&late);
    tl_array_free(&work);
    return status;
}
