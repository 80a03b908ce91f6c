/* Trees of boxes: the order of items and the boxes of nodes. */
#include "base/boxes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef tl_boxes_item item;

tl_boxes_size tl_boxes_measure(size_t count)
{
    const size_t leaves = (count + TL_BOXES_LEAF - 1) / TL_BOXES_LEAF;
    tl_boxes_size size = {.leaves = leaves, .nodes = leaves};
    for (size_t width = leaves; width > 1; size.root++) {
        width = (width + 1) / 2;
        size.nodes += width;
    }
    return size;
}

static bool before(const item *a, const item *b, int axis)
{
    return a->middle[axis] != b->middle[axis] ? a->middle[axis] < b->middle[axis]
                                              : a->index < b->index;
}

/* Quickselect: the first `rank` items come first. No two are equal, so that which ones these are
 * does not depend on the pivots; those are drawn by a fixed rule that no order of items
 * defeats. */
static void split(item *items, size_t count, size_t rank, int axis)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
    uint64_t draw = 0x9e3779b97f4a7c15u;
    while (low < high) {
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        const item pivot = items[low + (ptrdiff_t)((draw >> 33) % (uint64_t)(high - low + 1))];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (before(&items[i], &pivot, axis))
                i++;
            while (before(&pivot, &items[j], axis))
                j--;
            if (i <= j) {
                const item swapped = items[i];
                items[i++] = items[j];
                items[j--] = swapped;
            }
        }
        if ((ptrdiff_t)rank <= j)
            high = j;
        else if ((ptrdiff_t)rank >= i)
            low = i;
        else
            break;
    }
}

static int widest(const item *items, size_t count)
{
    float low[3], high[3];
    for (int k = 0; k < 3; k++)
        low[k] = high[k] = items[0].middle[k];
    for (size_t i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = items[i].middle[k] < low[k] ? items[i].middle[k] : low[k];
            high[k] = items[i].middle[k] > high[k] ? items[i].middle[k] : high[k];
        }
    const int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

void tl_boxes_order(item *items, size_t count)
{
    /* The left child is full, so that the place of a node follows from its number. */
    for (uint32_t level = tl_boxes_measure(count).root; level > 0; level--) {
        const size_t part = (size_t)TL_BOXES_LEAF << level;
        for (size_t first = 0; first < count; first += part) {
            const size_t here = count - first < part ? count - first : part;
            if (here > part / 2)
                split(items + first, here, part / 2, widest(items + first, here));
        }
    }
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The nearest 32-bit number that is not greater (way -1) or not less (1). */
static float outward(double x, int way)
{
    const float near = (float)x;
    return (way > 0 ? (double)near < x : (double)near > x) ? nextafterf(near, way * INFINITY)
                                                           : near;
}

void tl_boxes_put(const double low[3], const double high[3], uint32_t box[6])
{
    for (int k = 0; k < 3; k++) {
        box[k] = bits_of(outward(low[k], -1));
        box[3 + k] = bits_of(outward(high[k], 1));
    }
}

static void join(const uint32_t *a, const uint32_t *b, uint32_t *box)
{
    for (int k = 0; k < 3; k++) {
        box[k] = bits_of(fminf(float_of(a[k]), float_of(b[k])));
        box[3 + k] = bits_of(fmaxf(float_of(a[3 + k]), float_of(b[3 + k])));
    }
}

void tl_boxes_join(uint32_t *box, size_t leaves)
{
    for (size_t width = leaves; width > 1; width = (width + 1) / 2) {
        uint32_t *above = box + 6 * width;
        for (size_t i = 0; i < (width + 1) / 2; i++) {
            const uint32_t *left = box + 12 * i;
            join(left, 2 * i + 1 < width ? left + 6 : left, above + 6 * i);
        }
        box = above;
    }
}
