/* Large articulations piece by piece (src/joint/pieces.c): blocks, factors and substitution of the
 * levels that pieces have. A piece is still in the cache when its next level is taken. */
#ifndef TL_BACKEND_CPU_PIECES_H
#define TL_BACKEND_CPU_PIECES_H

#include "kernels/joint.h"

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

static void piece_factor(const tlk_joints *g, const tlk_articulation *a, uint32_t p, bool fresh,
                         bool arrest)
{
    for (uint32_t r = g->piece[p]; r < g->piece[p + 1]; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i++) {
            piece_blocks(g, a, i, fresh, arrest);
            tlk_factor_one(g, i, !fresh && !g->positions);
        }
}

static void piece_forward(const tlk_joints *g, uint32_t p, uint32_t first)
{
    for (uint32_t r = g->piece[p]; r < g->piece[p + 1]; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end && i >= first; i++)
            tlk_forward_one(g, i);
}

static void piece_backward(const tlk_joints *g, uint32_t p)
{
    for (uint32_t r = g->piece[p + 1]; r-- > g->piece[p];)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i++)
            tlk_backward_one(g, i);
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
        piece_forward(g, p, g->level[a->level + team.level]);
    } else if (team.stage == TLK_STAGE_BACKWARD) {
        TLK_LANE_SHARE(p, a->piece, a->piece_end, team)
        piece_backward(g, p);
    }
}

/* Goes on to the last of these levels. */
static void pieces_next(const tlk_articulation *a, tlk_articulated *how)
{
    how->level = how->stage == TLK_STAGE_BACKWARD ? 0 : a->deep - 1;
}

#endif
