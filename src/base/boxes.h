/* Trees of boxes without pointers: items are put in an order in which leaf i holds items
 * TL_BOXES_LEAF i and the next ones, and node i of level l holds leaves i 2^l to (i + 1) 2^l - 1.
 * A box is six 32-bit numbers, low and high corner, kept as their bits; those of leaves come first,
 * then level by level up to the root. kernels/narrow/tree.h and ray.h walk such trees. Meshes have
 * one around their triangles, queries one around the shapes of a world. */
#ifndef TL_BASE_BOXES_H
#define TL_BASE_BOXES_H

#include <stddef.h>
#include <stdint.h>

#define TL_BOXES_LEAF 4u

/* What is put in order: the middle of its box, relative to that of all, and its number. */
typedef struct tl_boxes_item {
    float middle[3];
    uint32_t index;
} tl_boxes_item;

/* How a tree of so many items looks. */
typedef struct tl_boxes_size {
    size_t leaves, nodes; /* nodes: the leaves too */
    uint32_t root;        /* its level; leaves are level 0 */
} tl_boxes_size;

tl_boxes_size tl_boxes_measure(size_t count);

/* Puts items in the order of the leaves: from the root down, each node's are parted between its two
 * children, across the axis along which they spread most. The same items give the same order. */
void tl_boxes_order(tl_boxes_item *items, size_t count);

/* A box around low..high, rounded outward. */
void tl_boxes_put(const double low[3], const double high[3], uint32_t box[6]);

/* Fills the boxes above the leaves, which are there. */
void tl_boxes_join(uint32_t *boxes, size_t leaves);

#endif
