/* In which order the joints and bodies of articulations are eliminated, and what fills in: once for
 * each set of joints, on the host. Numbers come later and elsewhere (kernels/joint/factor.h).
 *
 * The graph has a node per body and one per joint, which is a neighbour of the bodies it acts on.
 * Nodes with the fewest neighbours, or nearly so, go first; a joint only after its bodies, so that
 * its pivot vanishes for rows alone that follow from others. It does not wait for hubs, bodies with
 * many joints, which would make each of these a neighbour of all others. For chains and trees of
 * small bodies work and memory are those of the joints.
 *
 * Nodes go in rounds, in each of which no two are neighbours. So they come in few levels, whose
 * nodes may be taken at once: about log2(n) for a chain of n joints. Each node takes off what those
 * before it leave of its blocks, in their order; nothing is added to another node's. */
#ifndef TL_JOINT_GRAPH_H
#define TL_JOINT_GRAPH_H

#include "base/memory.h"
#include "kernels/joint/args.h"

/* A joint of the graph: its rows, and its bodies, counted from 0, each once. */
typedef struct tl_graph_joint {
    uint32_t rows, bodies, body[TLK_JOINT_BODIES];
} tl_graph_joint;

/* Where the block of a joint with one of its bodies is; across: 6 x rows. */
typedef struct tl_graph_block {
    uint32_t block, across;
} tl_graph_block;

typedef struct tl_elimination {
    tl_array articulations; /* tlk_articulation */
    tl_array list;          /* uint32_t: joints by articulation */
    tl_array nodes;         /* tlk_node, in the order of elimination */
    tl_array items;         /* uint32_t per node: its body, or bodies + its joint */
    tl_array links;         /* tlk_link, and one more where the last one's updates end */
    tl_array sources;       /* tlk_source */
    tl_array updates;       /* tlk_update */
    tl_array levels;        /* uint32_t: first nodes of levels, and where the last one ends */
    tl_array runs;          /* tlk_run: nodes of the first levels, piece by piece */
    tl_array pieces;        /* uint32_t: first runs of pieces, and where the last one's end */
    tl_array places;        /* uint32_t per body and joint: its node */
    tl_array blocks;        /* tl_graph_block, TLK_JOINT_BODIES per joint */
    uint32_t block_size, vector_size;
    uint32_t largest; /* nodes of the largest articulation */
    uint32_t room;    /* numbers of its blocks and its vector, of the one that has the most; */
    uint32_t swept;   /* and of all that substitution looks at, numbers of 8 bytes */
} tl_elimination;

void tl_elimination_init(tl_elimination *elimination);
void tl_elimination_free(tl_elimination *elimination);

/* Each body is one of some joint's; each joint has a body. A failure leaves nothing. */
tl_status tl_eliminate(uint32_t bodies, const tl_graph_joint *joints, uint32_t count,
                       tl_elimination *out);

#endif
