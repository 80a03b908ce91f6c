/* Elimination orders by minimum degree, many nodes at a time, in an explicit graph of what is left;
 * by nested dissection where there are many loops. */
#include "joint/graph.h"

#include "joint/dissect.h"
#include "joint/pieces.h"

#include <stdlib.h>
#include <string.h>

#define HUB   12u /* joints of a body up to which they wait for it */
#define SLACK 1u  /* neighbours that a node may have beyond the fewest, to go in the same round */

/* The lists of neighbours that are left, ascending, in one pool; a list that outgrows its room
 * moves to the end. */
typedef struct graph {
    uint32_t bodies, nodes;
    const tl_graph_joint *joints;
    tl_array pool;                /* uint32_t */
    tl_array begin, length, room; /* per node */
    tl_array parent;              /* uint32_t per node: of trees that are articulations */
    tl_array waits;               /* uint32_t per node: bodies that have to go before it */
    tl_array gone;                /* uint8_t per node */
    tl_array late;                /* uint8_t per node: what cuts larger parts goes later */
    tl_array heap;                /* uint64_t: late << 56 | neighbours << 32 | node */
    tl_array held;                /* uint32_t: nodes that wait for the next round */
    tl_array round;               /* uint32_t per node: the last one that a neighbour went in */
    tl_array level;               /* uint32_t per node */
    tl_array merged;              /* uint32_t */
    tl_array later, later_begin;  /* neighbours that were left at a node's elimination; by node */
} graph;

static void graph_init(graph *g)
{
    *g = (graph){0};
    g->pool.item = sizeof(uint32_t);
    g->begin.item = sizeof(uint32_t);
    g->length.item = sizeof(uint32_t);
    g->room.item = sizeof(uint32_t);
    g->parent.item = sizeof(uint32_t);
    g->waits.item = sizeof(uint32_t);
    g->gone.item = 1;
    g->late.item = 1;
    g->heap.item = sizeof(uint64_t);
    g->held.item = sizeof(uint32_t);
    g->round.item = sizeof(uint32_t);
    g->level.item = sizeof(uint32_t);
    g->merged.item = sizeof(uint32_t);
    g->later.item = sizeof(uint32_t);
    g->later_begin.item = sizeof(uint32_t);
}

static void graph_free(graph *g)
{
    tl_array_free(&g->pool);
    tl_array_free(&g->begin);
    tl_array_free(&g->length);
    tl_array_free(&g->room);
    tl_array_free(&g->parent);
    tl_array_free(&g->waits);
    tl_array_free(&g->gone);
    tl_array_free(&g->late);
    tl_array_free(&g->heap);
    tl_array_free(&g->held);
    tl_array_free(&g->round);
    tl_array_free(&g->level);
    tl_array_free(&g->merged);
    tl_array_free(&g->later);
    tl_array_free(&g->later_begin);
}

static uint32_t *words(const tl_array *array)
{
    return array->data;
}

static uint32_t root(const graph *g, uint32_t node)
{
    uint32_t *parent = words(&g->parent);
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* Lists of neighbours, and which nodes are connected. */
static tl_status connect(graph *g, uint32_t count)
{
    TL_TRY(tl_array_resize(&g->begin, g->nodes));
    TL_TRY(tl_array_resize(&g->length, g->nodes));
    TL_TRY(tl_array_resize(&g->room, g->nodes));
    TL_TRY(tl_array_resize(&g->parent, g->nodes));
    TL_TRY(tl_array_resize(&g->waits, g->nodes));
    TL_TRY(tl_array_resize(&g->gone, g->nodes));
    TL_TRY(tl_array_resize(&g->round, g->nodes));
    TL_TRY(tl_array_resize(&g->level, g->nodes));
    uint32_t *begin = words(&g->begin), *length = words(&g->length), *room = words(&g->room);
    memset(g->gone.data, 0, g->nodes);
    for (uint32_t i = 0; i < g->nodes; i++) {
        room[i] = length[i] = 0;
        words(&g->round)[i] = words(&g->level)[i] = 0;
        words(&g->parent)[i] = i;
        words(&g->waits)[i] = 0;
    }
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t b = 0; b < g->joints[j].bodies; b++) {
            const uint32_t one = root(g, g->joints[j].body[b]), two = root(g, g->bodies + j);
            words(&g->parent)[one < two ? two : one] = one < two ? one : two;
            room[g->joints[j].body[b]]++;
            room[g->bodies + j]++;
        }
    for (uint32_t j = 0; j < count; j++) {
        uint32_t *waits = words(&g->waits) + g->bodies + j;
        for (uint32_t b = 0; b < g->joints[j].bodies; b++)
            *waits += room[g->joints[j].body[b]] <= HUB;
        *waits = *waits ? *waits : 1;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->nodes; at += room[i++])
        begin[i] = at;
    TL_TRY(tl_array_resize(&g->pool, at));
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t node = g->bodies + j;
        for (uint32_t b = 0; b < g->joints[j].bodies; b++) {
            const uint32_t body = g->joints[j].body[b];
            words(&g->pool)[begin[body] + length[body]++] = node;
            /* few: put in order as they come */
            uint32_t k = length[node]++;
            uint32_t *list = words(&g->pool) + begin[node];
            for (; k > 0 && list[k - 1] > body; k--)
                list[k] = list[k - 1];
            list[k] = body;
        }
    }
    return TL_OK;
}

static int by_number(const void *one, const void *two)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;
    return (a > b) - (a < b);
}

static tl_status heap_push(tl_array *heap, uint64_t key)
{
    TL_TRY(tl_array_append(heap, &key, 1));
    uint64_t *data = heap->data;
    size_t i = heap->count - 1;
    for (; i > 0 && data[(i - 1) / 2] > key; i = (i - 1) / 2)
        data[i] = data[(i - 1) / 2];
    data[i] = key;
    return TL_OK;
}

static uint64_t heap_pop(tl_array *heap)
{
    uint64_t *data = heap->data;
    const uint64_t top = data[0], key = data[--heap->count];
    size_t i = 0;
    for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && data[child + 1] < data[child])
            child++;
        if (data[child] >= key)
            break;
        data[i] = data[child];
        i = child;
    }
    if (heap->count)
        data[i] = key;
    return top;
}

static uint64_t key_of(const graph *g, uint32_t node)
{
    const uint64_t late = ((const uint8_t *)g->late.data)[node];
    return late << 56 | (uint64_t)words(&g->length)[node] << 32 | node;
}

static tl_status offer(graph *g, uint32_t node)
{
    if (words(&g->waits)[node])
        return TL_OK;
    return heap_push(&g->heap, key_of(g, node));
}

/* The neighbours of `node` become all those of `gone`, too. */
static tl_status take_over(graph *g, uint32_t node, uint32_t gone)
{
    uint32_t *begin = words(&g->begin), *length = words(&g->length), *room = words(&g->room);
    TL_TRY(tl_array_resize(&g->merged, (size_t)length[node] + length[gone]));
    const uint32_t *one = words(&g->pool) + begin[node], *two = words(&g->pool) + begin[gone];
    uint32_t *out = words(&g->merged), count = 0;
    for (uint32_t i = 0, j = 0; i < length[node] || j < length[gone];) {
        const uint32_t a = i < length[node] ? one[i] : TLK_NONE;
        const uint32_t b = j < length[gone] ? two[j] : TLK_NONE;
        const uint32_t next = a < b ? a : b;
        i += a == next;
        j += b == next;
        if (next != node && next != gone)
            out[count++] = next;
    }
    if (count > room[node]) {
        const size_t at = g->pool.count;
        if (at + 2 * (size_t)count > UINT32_MAX)
            return tl_fail(TL_TOO_LARGE, "joints: their elimination has more than 2^32 links");
        room[node] = 2 * count;
        TL_TRY(tl_array_resize(&g->pool, at + room[node]));
        begin[node] = (uint32_t)at;
    }
    memcpy(words(&g->pool) + begin[node], out, count * sizeof *out);
    length[node] = count;
    return TL_OK;
}

/* Whether a joint acts on a body: it may be its neighbour by what has filled in. */
static bool has(const graph *g, uint32_t joint, uint32_t body)
{
    for (uint32_t b = 0; b < g->joints[joint].bodies; b++)
        if (g->joints[joint].body[b] == body)
            return true;
    return false;
}

/* A node goes: its neighbours become each other's; joints among them may follow now, in the next
 * round. */
static tl_status eliminate(graph *g, uint32_t node, uint32_t round, tl_array *order)
{
    const uint32_t begin = words(&g->begin)[node], count = words(&g->length)[node];
    const size_t at = g->later.count;
    ((uint8_t *)g->gone.data)[node] = 1;
    TL_TRY(tl_array_append(order, &node, 1));
    TL_TRY(tl_array_resize(&g->later, at + count));
    words(&g->later_begin)[node] = (uint32_t)at;
    memcpy(words(&g->later) + at, words(&g->pool) + begin, count * sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t other = words(&g->later)[at + k];
        uint32_t *level = words(&g->level);
        TL_TRY(take_over(g, other, node));
        words(&g->round)[other] = round;
        level[other] = level[other] > level[node] ? level[other] : level[node] + 1;
        if (node < g->bodies && other >= g->bodies && has(g, other - g->bodies, node))
            words(&g->waits)[other] -= words(&g->waits)[other] > 0;
        TL_TRY(offer(g, other));
    }
    return TL_OK;
}

/* One round: nodes with the fewest neighbours or up to SLACK more, no two of them neighbours. */
static tl_status go_round(graph *g, uint32_t round, tl_array *order)
{
    uint64_t most = UINT64_MAX;
    g->held.count = 0;
    while (g->heap.count && ((const uint64_t *)g->heap.data)[0] >> 32 <= most) {
        const uint64_t top = heap_pop(&g->heap);
        const uint32_t node = (uint32_t)top;
        if (((const uint8_t *)g->gone.data)[node] || key_of(g, node) != top)
            continue;
        most = most == UINT64_MAX ? (top >> 32) + SLACK : most;
        if (words(&g->round)[node] == round)
            TL_TRY(tl_array_append(&g->held, &node, 1));
        else
            TL_TRY(eliminate(g, node, round, order));
    }
    for (size_t i = 0; i < g->held.count; i++)
        TL_TRY(offer(g, words(&g->held)[i]));
    return TL_OK;
}

/* The order of one articulation, whose nodes are offered. */
static tl_status order_one(graph *g, tl_array *order)
{
    for (uint32_t round = 1; g->heap.count; round++)
        TL_TRY(go_round(g, round, order));
    return TL_OK;
}

/* Brings an articulation's nodes in the order of their levels, and notes where these begin. */
static tl_status lay_levels(graph *g, tlk_articulation *a, tl_elimination *out)
{
    tl_array keys = {.item = sizeof(uint64_t)};
    uint32_t *items = words(&out->items) + a->node;
    const uint32_t count = a->node_end - a->node;
    a->level = a->level_end = (uint32_t)out->levels.count;
    if (!count)
        return TL_OK;
    TL_TRY(tl_array_resize(&keys, count));
    uint64_t *key = keys.data;
    for (uint32_t i = 0; i < count; i++)
        key[i] = (uint64_t)words(&g->level)[items[i]] << 32 | items[i];
    qsort(key, count, sizeof *key, by_number);
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < count && status == TL_OK; i++) {
        const uint32_t at = a->node + i;
        items[i] = (uint32_t)key[i];
        if (!i || key[i] >> 32 != key[i - 1] >> 32)
            status = tl_array_append(&out->levels, &at, 1);
    }
    tl_array_free(&keys);
    a->level_end = (uint32_t)out->levels.count;
    out->largest = count > out->largest ? count : out->largest;
    return status == TL_OK ? tl_array_append(&out->levels, &a->node_end, 1) : status;
}

/* All articulations, one after the other, in the order of their first bodies. */
static tl_status order_all(graph *g, tl_elimination *out)
{
    tl_array groups = {.item = sizeof(uint64_t)};
    tl_status status = TL_OK;
    TL_TRY(tl_array_resize(&groups, g->nodes));
    uint64_t *key = groups.data;
    for (uint32_t i = 0; i < g->nodes; i++)
        key[i] = (uint64_t)root(g, i) << 32 | i;
    qsort(key, g->nodes, sizeof *key, by_number);
    for (uint32_t i = 0; i < g->nodes && status == TL_OK;) {
        const uint64_t which = key[i] >> 32;
        tlk_articulation a = {.node = (uint32_t)out->items.count,
                              .joint = (uint32_t)out->list.count};
        for (; i < g->nodes && key[i] >> 32 == which && status == TL_OK; i++) {
            const uint32_t node = (uint32_t)key[i], joint = node - g->bodies;
            if (node >= g->bodies)
                status = tl_array_append(&out->list, &joint, 1);
            if (status == TL_OK)
                status = offer(g, node);
        }
        if (status == TL_OK)
            status = order_one(g, &out->items);
        a.node_end = (uint32_t)out->items.count;
        a.joint_end = (uint32_t)out->list.count;
        if (status == TL_OK)
            status = lay_levels(g, &a, out);
        if (status == TL_OK)
            status = tl_array_append(&out->articulations, &a, 1);
    }
    tl_array_free(&groups);
    return status;
}

static int by_place(const void *one, const void *two)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
    return (a > b) - (a < b);
}

static uint32_t size_of(const graph *g, uint32_t item)
{
    return item < g->bodies ? 6 : g->joints[item - g->bodies].rows;
}

/* Numbers of 8 bytes that an articulation's nodes, their neighbours before and after them, their
 * bodies and where levels begin take. */
static uint64_t structure(const tlk_articulation *a)
{
    const uint64_t nodes = a->node_end - a->node, levels = a->level_end - a->level + 1;
    const uint64_t bytes = nodes * (sizeof(tlk_node) + sizeof(uint32_t)) +
                           a->links * (sizeof(tlk_source) + sizeof(tlk_link)) +
                           levels * sizeof(uint32_t);
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

/* Nodes with their links, in the order of elimination; where blocks are. */
static tl_status lay_out(graph *g, tl_elimination *out)
{
    const uint32_t *items = words(&out->items);
    uint64_t block = 0, vector = 0;
    TL_TRY(tl_array_resize(&out->places, g->nodes));
    TL_TRY(tl_array_resize(&out->nodes, g->nodes));
    TL_TRY(tl_array_resize(&out->links, g->later.count + 1));
    for (uint32_t i = 0; i < g->nodes; i++)
        words(&out->places)[items[i]] = i;
    uint32_t at = 0;
    for (size_t a = 0; a < out->articulations.count; a++) {
        tlk_articulation *whole = (tlk_articulation *)out->articulations.data + a;
        whole->block = (uint32_t)block;
        whole->vector = (uint32_t)vector;
        whole->link = at;
        for (uint32_t i = whole->node; i < whole->node_end; i++) {
            const uint32_t size = size_of(g, items[i]);
            const uint32_t count = words(&g->length)[items[i]];
            uint32_t *later = words(&g->later) + words(&g->later_begin)[items[i]];
            tlk_node *node = (tlk_node *)out->nodes.data + i;
            *node = (tlk_node){.size = size,
                               .vector = (uint32_t)vector,
                               .block = (uint32_t)block,
                               .joint = items[i] < g->bodies ? TLK_NONE : items[i] - g->bodies,
                               .links = at,
                               .last = at + count};
            vector += size;
            block += size * size;
            for (uint32_t k = 0; k < count; k++)
                later[k] = words(&out->places)[later[k]];
            qsort(later, count, sizeof *later, by_place);
            for (uint32_t k = 0; k < count; k++, at++) {
                const uint32_t other = size_of(g, items[later[k]]);
                ((tlk_link *)out->links.data)[at] =
                    (tlk_link){.size = other, .vector = later[k], .block = (uint32_t)block};
                block += other * size;
            }
            if (block > UINT32_MAX)
                return tl_fail(TL_TOO_LARGE, "joints: their factors have more than 2^32 numbers");
        }
        whole->block_end = (uint32_t)block;
        whole->vector_end = (uint32_t)vector;
        whole->links = at - whole->link;
        const uint64_t room = block - whole->block + vector - whole->vector;
        const uint64_t all = room + structure(whole);
        out->room = room > out->room ? (uint32_t)room : out->room;
        out->swept =
            all > out->swept ? (uint32_t)(all < UINT32_MAX ? all : UINT32_MAX) : out->swept;
    }
    out->block_size = (uint32_t)block;
    out->vector_size = (uint32_t)vector;
    return TL_OK;
}

/* The link of an earlier node to node `row`; until now links name nodes. */
static uint32_t find_link(const tl_elimination *e, uint32_t earlier, uint32_t row)
{
    const tlk_node *node = (const tlk_node *)e->nodes.data + earlier;
    const tlk_link *links = e->links.data;
    uint32_t low = node->links, high = node->last;
    while (low + 1 < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (links[mid].vector <= row)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Earlier neighbours of each node, in order. */
static tl_status list_sources(const graph *g, tl_elimination *out)
{
    tlk_node *nodes = out->nodes.data;
    const tlk_link *links = out->links.data;
    TL_TRY(tl_array_resize(&out->sources, g->later.count));
    tlk_source *sources = out->sources.data;
    for (uint32_t i = 0; i < g->nodes; i++)
        nodes[i].sources_end = 0;
    for (size_t l = 0; l < g->later.count; l++)
        nodes[links[l].vector].sources_end++;
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        const uint32_t count = nodes[i].sources_end;
        nodes[i].sources = nodes[i].sources_end = at;
        at += count;
    }
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t l = nodes[i].links; l < nodes[i].last; l++)
            sources[nodes[links[l].vector].sources_end++] =
                (tlk_source){nodes[i].size, nodes[i].vector, links[l].block, nodes[i].block};
    return TL_OK;
}

/* What earlier nodes leave of the blocks of links, in order. */
static tl_status list_updates(const graph *g, tl_elimination *out)
{
    const tlk_node *nodes = out->nodes.data;
    tlk_link *links = out->links.data;
    const size_t count = g->later.count;
    uint64_t all = 0;
    for (size_t l = 0; l <= count; l++)
        links[l].updates = 0;
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t k = nodes[i].links; k < nodes[i].last; k++)
            for (uint32_t l = nodes[i].links; l < k; l++)
                links[find_link(out, links[l].vector, links[k].vector)].updates++;
    for (size_t l = 0; l < count; l++)
        all += links[l].updates;
    if (all > UINT32_MAX)
        return tl_fail(TL_TOO_LARGE, "joints: their elimination has more than 2^32 updates");
    TL_TRY(tl_array_resize(&out->updates, all));
    /* where they end; they are put there from the last to the first */
    for (size_t l = 0, at = 0; l <= count; l++) {
        at += links[l].updates;
        links[l].updates = (uint32_t)at;
    }
    for (uint32_t i = g->nodes; i-- > 0;)
        for (uint32_t k = nodes[i].links; k < nodes[i].last; k++)
            for (uint32_t l = nodes[i].links; l < k; l++) {
                tlk_link *to = &links[find_link(out, links[l].vector, links[k].vector)];
                ((tlk_update *)out->updates.data)[--to->updates] =
                    (tlk_update){nodes[i].size, links[k].block, links[l].block, nodes[i].block};
            }
    return TL_OK;
}

/* Where joints find their blocks with bodies. */
static tl_status list_blocks(const graph *g, uint32_t count, tl_elimination *out)
{
    TL_TRY(tl_array_resize(&out->blocks, TLK_JOINT_BODIES * (size_t)count));
    tl_graph_block *blocks = out->blocks.data;
    const uint32_t *places = words(&out->places);
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t b = 0; b < g->joints[j].bodies; b++) {
            const uint32_t body = places[g->joints[j].body[b]], joint = places[g->bodies + j];
            const uint32_t link =
                body < joint ? find_link(out, body, joint) : find_link(out, joint, body);
            blocks[TLK_JOINT_BODIES * j + b] =
                (tl_graph_block){((const tlk_link *)out->links.data)[link].block, body > joint};
        }
    return TL_OK;
}

static tl_status fill(graph *g, uint32_t count, tl_elimination *out)
{
    TL_TRY(connect(g, count));
    TL_TRY(tl_array_resize(&g->late, g->nodes));
    TL_TRY(tl_dissect(g->bodies, g->joints, count, HUB, g->late.data));
    TL_TRY(tl_array_resize(&g->later_begin, g->nodes));
    TL_TRY(order_all(g, out));
    TL_TRY(lay_out(g, out));
    TL_TRY(list_sources(g, out));
    TL_TRY(list_updates(g, out));
    TL_TRY(list_blocks(g, count, out));
    TL_TRY(tl_cut_pieces(out));
    tlk_link *links = out->links.data;
    for (size_t i = 0; i < g->later.count; i++)
        links[i].vector = ((const tlk_node *)out->nodes.data)[links[i].vector].vector;
    return TL_OK;
}

void tl_elimination_init(tl_elimination *e)
{
    *e = (tl_elimination){0};
    e->articulations.item = sizeof(tlk_articulation);
    e->list.item = sizeof(uint32_t);
    e->nodes.item = sizeof(tlk_node);
    e->items.item = sizeof(uint32_t);
    e->links.item = sizeof(tlk_link);
    e->sources.item = sizeof(tlk_source);
    e->updates.item = sizeof(tlk_update);
    e->levels.item = sizeof(uint32_t);
    e->runs.item = sizeof(tlk_run);
    e->pieces.item = sizeof(uint32_t);
    e->places.item = sizeof(uint32_t);
    e->blocks.item = sizeof(tl_graph_block);
}

void tl_elimination_free(tl_elimination *e)
{
    tl_array_free(&e->articulations);
    tl_array_free(&e->list);
    tl_array_free(&e->nodes);
    tl_array_free(&e->items);
    tl_array_free(&e->links);
    tl_array_free(&e->sources);
    tl_array_free(&e->updates);
    tl_array_free(&e->levels);
    tl_array_free(&e->runs);
    tl_array_free(&e->pieces);
    tl_array_free(&e->places);
    tl_array_free(&e->blocks);
    tl_elimination_init(e);
}

tl_status tl_eliminate(uint32_t bodies, const tl_graph_joint *joints, uint32_t count,
                       tl_elimination *out)
{
    graph g;
    graph_init(&g);
    g.bodies = bodies;
    g.nodes = bodies + count;
    g.joints = joints;
    tl_elimination_init(out);
    if (!g.nodes) /* all joints are broken */
        return TL_OK;
    const tl_status status = fill(&g, count, out);
    graph_free(&g);
    if (status != TL_OK)
        tl_elimination_free(out);
    return status;
}
