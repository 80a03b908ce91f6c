/* How the words and numbers of meshes and height fields are laid out, for src/scene, which fills
 * them, and for kernels, which read them (tree.h). Lengths in m, in the shape's frame.
 *
 * A mesh. Triangles are numbered along the tree of boxes, so that walking the tree from left to
 * right gives ascending numbers. Leaf i holds triangles 4 i to 4 i + 3; node i of level l holds
 * leaves i 2^l to (i + 1) 2^l - 1: a tree without pointers.
 *   numbers  3 per vertex, then the 3 of the point that boxes are relative to
 *   words    TLK_MESH_HEAD, then 3 vertices per triangle (counterclockwise seen from the front),
 *            then 3 neighbours per triangle (across the edges from vertex 0 to 1, 1 to 2, 2 to 0;
 *            TLK_NONE where there is none, or more than one), then 6 per node, leaves first, then
 *            level by level to the root: low and high corner, the bits of 32-bit numbers
 *
 * A height field. Cell (i, j) lies between columns i and i + 1 and rows j and j + 1, and has number
 * j (columns - 1) + i. Its diagonal goes from (i, j) to (i + 1, j + 1); its triangles are twice the
 * number, below the diagonal (vertices (i, j), (i + 1, j), (i + 1, j + 1)), and the next, above it
 * ((i, j), (i + 1, j + 1), (i, j + 1)). Blocks are squares of 8 cells by 8.
 *   numbers  2 spacings, then 1 height per vertex, row by row, then 1 per block: its highest
 *   words    TLK_FIELD_HEAD */
#ifndef TL_KERNELS_NARROW_LAYOUT_H
#define TL_KERNELS_NARROW_LAYOUT_H

enum {
    TLK_MESH_VERTICES, /* words of a mesh: how many vertices, */
    TLK_MESH_TRIANGLES,
    TLK_MESH_LEAVES,
    TLK_MESH_ROOT,     /* the level of the root; leaves are level 0 */
    TLK_MESH_LEFT_OUT, /* triangles without an area that the mesh had besides */
    TLK_MESH_HEAD
};

enum {
    TLK_FIELD_COLUMNS, /* words of a height field: of its grid of vertices, */
    TLK_FIELD_ROWS,
    TLK_FIELD_BLOCKS, /* blocks in a row of blocks */
    TLK_FIELD_HEAD
};

#define TLK_LEAF           4u         /* triangles of a leaf */
#define TLK_BLOCK          8u         /* cells along the side of a block */
#define TLK_TRIANGLES_MOST (1u << 28) /* of a geometry */

#endif
