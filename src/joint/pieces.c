/* Pieces of large articulations: a thread that takes a level at a time goes through all of their
 * memory for each. Nodes of the first levels fall into trees whose nodes wait for none of another
 * tree; a piece is as many of these trees as fit a core's cache, and is taken from its first to its
 * last level at once. Each node does what it did, so that bits stay. */
#include "joint/pieces.h"

#define PIECE 512u /* nodes, at most: some 500 kB with all that is known of them */

static uint32_t *words(const tl_array *array)
{
    return array->data;
}

/* The node that a node's first later neighbour is: all that waits for the one waits for it. */
static uint32_t parent_of(const tl_elimination *e, uint32_t i)
{
    const tlk_node *node = (const tlk_node *)e->nodes.data + i;
    return node->links < node->last ? ((const tlk_link *)e->links.data)[node->links].vector
                                    : TLK_NONE;
}

/* How many levels have no larger trees than a piece; `size`: of the trees below nodes. */
static uint32_t count_levels(const tl_elimination *e, const tlk_articulation *a, uint32_t *size)
{
    const uint32_t *level = words(&e->levels) + a->level;
    uint32_t deep = 0;
    for (uint32_t i = a->node; i < a->node_end; i++)
        size[i] = 1;
    for (uint32_t i = a->node; i < a->node_end && size[i] <= PIECE; i++) {
        const uint32_t parent = parent_of(e, i);
        if (parent != TLK_NONE)
            size[parent] += size[i];
        deep += i + 1 == level[deep + 1];
    }
    return deep;
}

/* Notes of each node before `end` which piece it is of, and returns how many there are. Trees come
 * to pieces in the order of their first nodes. */
static uint32_t number_pieces(const tl_elimination *e, const tlk_articulation *a, uint32_t end,
                              const uint32_t *size, uint32_t *root, uint32_t *piece)
{
    uint32_t count = 0, room = 0;
    for (uint32_t i = end; i-- > a->node;) {
        const uint32_t parent = parent_of(e, i);
        root[i] = parent < end ? root[parent] : i;
        piece[i] = TLK_NONE;
    }
    for (uint32_t i = a->node; i < end; i++) {
        const uint32_t top = root[i];
        if (piece[top] == TLK_NONE) {
            if (size[top] > room) {
                count++;
                room = PIECE;
            }
            room -= size[top];
            piece[top] = count - 1;
        }
        piece[i] = piece[top];
    }
    return count;
}

/* Lists the nodes before `end` by pieces and levels. */
static tl_status list_pieces(tl_elimination *e, tlk_articulation *a, uint32_t end, uint32_t count,
                             const uint32_t *piece, uint32_t *level, tl_array *start,
                             uint32_t *sorted)
{
    TL_TRY(tl_array_resize(start, count + 1));
    uint32_t *at = words(start);
    for (uint32_t p = 0; p <= count; p++)
        at[p] = 0;
    for (uint32_t i = a->node; i < end; i++)
        at[piece[i] + 1]++;
    for (uint32_t p = 0; p < count; p++)
        at[p + 1] += at[p];
    for (uint32_t i = a->node; i < end; i++)
        sorted[at[piece[i]]++] = i;
    for (uint32_t l = 0; l < a->deep; l++)
        for (uint32_t i = words(&e->levels)[a->level + l]; i < words(&e->levels)[a->level + l + 1];
             i++)
            level[i] = l;
    a->piece = (uint32_t)e->pieces.count;
    a->piece_end = a->piece + count;
    tlk_run run = {0, 0};
    for (uint32_t k = 0, last = TLK_NONE; k < end - a->node; k++) {
        const uint32_t first = (uint32_t)e->runs.count;
        if (last == piece[sorted[k]] && run.end == sorted[k] &&
            level[run.first] == level[sorted[k]]) {
            ((tlk_run *)e->runs.data)[first - 1].end = ++run.end;
            continue;
        }
        if (last != piece[sorted[k]])
            TL_TRY(tl_array_append(&e->pieces, &first, 1));
        last = piece[sorted[k]];
        run = (tlk_run){sorted[k], sorted[k] + 1};
        TL_TRY(tl_array_append(&e->runs, &run, 1));
    }
    const uint32_t last = (uint32_t)e->runs.count;
    return tl_array_append(&e->pieces, &last, 1);
}

tl_status tl_cut_pieces(tl_elimination *e)
{
    tl_array numbers = {.item = sizeof(uint32_t)}, start = numbers;
    const size_t nodes = e->nodes.count;
    tl_status status = tl_array_resize(&numbers, 4 * nodes);
    uint32_t *size = words(&numbers);
    for (size_t k = 0; k < e->articulations.count && status == TL_OK; k++) {
        tlk_articulation *a = (tlk_articulation *)e->articulations.data + k;
        if (a->node_end - a->node < 8 * PIECE)
            continue;
        a->deep = count_levels(e, a, size);
        const uint32_t end = words(&e->levels)[a->level + a->deep];
        const uint32_t count = number_pieces(e, a, end, size, size + nodes, size + 2 * nodes);
        status = list_pieces(e, a, end, count, size + 2 * nodes, size, &start, size + 3 * nodes);
    }
    tl_array_free(&start);
    tl_array_free(&numbers);
    return status;
}
