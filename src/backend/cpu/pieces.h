/* Large articulations piece by piece (src/joint/pieces.c): blocks, factors and substitution of the
 * levels that pieces have. A piece is still in the cache when its next level is taken. */
#ifndef TL_BACKEND_CPU_PIECES_H
#define TL_BACKEND_CPU_PIECES_H

#include "kernels/joint.h"

/* The factors of a body that goes before its joints are nine numbers of 36. Backward substitution,
 * which takes them from memory, finds all of them from here on, beside the blocks that follow:
 * places that nobody looks at have copies of the first four of the diagonal. */
#define PACKED 27u

#define BATCH 16u /* nodes whose blocks are made before their factors: divisions overlap */

/* Asks for the blocks of a node further on; `solved`: of bodies for what substitution needs. */
static inline __attribute__((always_inline)) void
piece_ask(const tlk_joints *g, const tlk_articulation *a, uint32_t i, bool solved)
{
    if (i + TLK_AHEAD + 1 >= a->node_end)
        return;
    const double *from = g->block + g->node[i + TLK_AHEAD].block;
    if (solved && tlk_node_alone(g->node + i + TLK_AHEAD))
        from += PACKED;
    const double *end = g->block + g->node[i + TLK_AHEAD + 1].block;
    for (; from < end; from += TLK_LINE / sizeof *from)
        TLK_ASK(from);
}

/* And for a joint of a body further on, with its rows. */
static inline __attribute__((always_inline)) void
piece_ask_joint(const tlk_joints *g, const tlk_articulation *a, uint32_t i)
{
    const tlk_node *near = g->node + i + TLK_AHEAD, *far = near + TLK_AHEAD;
    if (i + 2 * TLK_AHEAD >= a->node_end || near->joint != TLK_NONE || far->joint != TLK_NONE)
        return;
    const char *joint = (const char *)(g->joint + g->attached[far->attached].joint);
    for (int k = 0; k < 4; k++)
        TLK_ASK(joint + k * TLK_LINE);
    tlk_ask_rows(g, g->joint + g->attached[near->attached].joint);
}

/* The blocks of a node, with those that its joints have with it: tlk_stage_bodies() and
 * tlk_stage_joints() for one node. */
static inline void piece_blocks(const tlk_joints *g, const tlk_articulation *a, uint32_t k,
                                bool fresh, bool arrest)
{
    const tlk_node *node = g->node + k;
    tlk_node_blocks(g, a, k, fresh, arrest);
    for (uint32_t l = node->attached; l < node->attached_end; l++) {
        const tlk_joint *j = g->joint + g->attached[l].joint;
        const uint32_t b = g->attached[l].place;
        for (uint32_t r = 0; r < j->rows && !j->across[b]; r++)
            if (tlk_row_part(g, j, r, fresh) != TLK_ROW_OFF)
                tlk_row_block(g, j, r, b);
    }
    if (node->joint == TLK_NONE)
        return;
    const tlk_joint *j = g->joint + node->joint;
    for (uint32_t r = 0; r < j->rows; r++) {
        const int part = tlk_row_own(g, j, r, fresh);
        for (uint32_t b = 0; b < j->bodies && part != TLK_ROW_OFF; b++)
            if (j->node[b] != TLK_NONE && j->across[b])
                tlk_row_block(g, j, r, b);
    }
}

static inline void piece_pack(const tlk_joints *g, uint32_t i)
{
    double *own = g->block + g->node[i].block;
    if (tlk_node_alone(g->node + i))
        own[29] = own[0], own[30] = own[7], own[31] = own[14], own[32] = own[21];
}

static inline __attribute__((always_inline)) void piece_backward_one(const tlk_joints *g,
                                                                     uint32_t i)
{
    const tlk_node *node = g->node + i;
    const double *from = g->block + node->block;
    double own[36];
    if (!tlk_node_alone(node)) {
        tlk_backward_one(g, i);
        return;
    }
    own[0] = from[29], own[7] = from[30], own[14] = from[31], own[21] = from[32];
    own[27] = from[27], own[28] = from[28];
    own[33] = from[33], own[34] = from[34], own[35] = from[35];
    tlk_backward_by(g, node, own, 6, 3);
}

static void piece_factor(const tlk_joints *g, const tlk_articulation *a, uint32_t p, bool fresh,
                         bool arrest)
{
    for (uint32_t r = g->piece[p]; r < g->piece[p + 1]; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i += BATCH) {
            const uint32_t end = tlk_min(i + BATCH, g->run[r].end);
            for (uint32_t k = i; k < end; k++) {
                piece_ask(g, a, k, false);
                piece_ask_joint(g, a, k);
                piece_blocks(g, a, k, fresh, arrest);
            }
            for (uint32_t k = i; k < end; k++) {
                tlk_factor_one(g, k, !fresh && !g->positions);
                piece_pack(g, k);
            }
        }
}

static void piece_forward(const tlk_joints *g, const tlk_articulation *a, uint32_t p,
                          uint32_t first)
{
    for (uint32_t r = g->piece[p]; r < g->piece[p + 1]; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end && i >= first; i++) {
            piece_ask(g, a, i, true);
            tlk_forward_one(g, i);
        }
}

static void piece_backward(const tlk_joints *g, const tlk_articulation *a, uint32_t p)
{
    for (uint32_t r = g->piece[p + 1]; r-- > g->piece[p];)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i++) {
            piece_ask(g, a, i, true);
            piece_backward_one(g, i);
        }
}

/* Whether the stage at hand is done by pieces, for all levels that these have. */
static inline bool by_pieces(const tlk_articulation *a, const tlk_articulated *how)
{
    switch (how->stage) {
    case TLK_STAGE_BODIES:
    case TLK_STAGE_JOINTS: return a->deep > 0;
    case TLK_STAGE_FACTOR:
    case TLK_STAGE_FORWARD:
    case TLK_STAGE_BACKWARD: return how->level < a->deep;
    default: return false;
    }
}

/* A lane's share of such a stage. Blocks are made with the factors; those of nodes that are in no
 * piece, too. */
static void pieces_turn(const tlk_joints *g, const tlk_articulation *a, const tlk_articulated *how,
                        tlk_team team, bool fresh)
{
    const bool arrest = fresh && how->arrest;
    if (team.stage == TLK_STAGE_FACTOR) {
        TLK_LANE_SHARE(p, a->piece, a->piece_end, team)
        piece_factor(g, a, p, fresh, arrest);
        TLK_LANE_SHARE(k, g->level[a->level + a->deep], a->node_end, team)
        piece_blocks(g, a, k, fresh, arrest);
    } else if (team.stage == TLK_STAGE_FORWARD) {
        TLK_LANE_SHARE(p, a->piece, a->piece_end, team)
        piece_forward(g, a, p, g->level[a->level + team.level]);
    } else if (team.stage == TLK_STAGE_BACKWARD) {
        TLK_LANE_SHARE(p, a->piece, a->piece_end, team)
        piece_backward(g, a, p);
    }
}

/* Goes on to the last of these levels. */
static void pieces_next(const tlk_articulation *a, tlk_articulated *how)
{
    how->level = how->stage == TLK_STAGE_BACKWARD ? 0 : a->deep - 1;
}

#endif
