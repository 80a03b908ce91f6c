/* The tree of boxes; tree.h says what for. Boxes are split at the median of the triangles' middles,
 * so that the tree is as deep as the logarithm of their number whatever the mesh. */
#include "mesh/tree.h"

#include <string.h>

#include "mesh/rows.h"

enum { LEAF = 4, DEEPEST = 64 };

/* A leaf has `count` triangles from `first`; another node has its children at `first` and the node
 * after it. */
typedef struct node {
    double low[3], high[3];
    uint32_t first, count;
} node;

static void middle_of(const tl_mesh *mesh, uint32_t triangle, double middle[3])
{
    const double *corners[3];
    tl_mesh_corners(mesh, triangle, corners);
    for (int k = 0; k < 3; k++)
        middle[k] = tl_min(tl_min(corners[0][k], corners[1][k]), corners[2][k]) / 2 +
                    tl_max(tl_max(corners[0][k], corners[1][k]), corners[2][k]) / 2;
}

static double middle_along(const tl_mesh *mesh, uint32_t triangle, int axis)
{
    double middle[3];
    middle_of(mesh, triangle, middle);
    return middle[axis];
}

/* Quickselect: the lower half of the middles comes first. Equal ones are split evenly by the scheme
 * that stops at them. */
static void split(const tl_mesh *mesh, uint32_t *order, size_t count, int axis)
{
    size_t low = 0, high = count - 1;
    const size_t half = count / 2;
    while (low < high) {
        const double pivot = middle_along(mesh, order[low + (high - low) / 2], axis);
        size_t i = low, j = high;
        for (;;) {
            while (middle_along(mesh, order[i], axis) < pivot)
                i++;
            while (middle_along(mesh, order[j], axis) > pivot)
                j--;
            if (i >= j)
                break;
            const uint32_t swapped = order[i];
            order[i++] = order[j];
            order[j--] = swapped;
        }
        if (half <= j)
            high = j;
        else
            low = j + 1;
    }
}

static void bound(const tl_mesh *mesh, const uint32_t *order, node *n)
{
    for (int k = 0; k < 3; k++) {
        n->low[k] = INFINITY;
        n->high[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const double *corners[3];
        tl_mesh_corners(mesh, order[n->first + i], corners);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                n->low[k] = tl_min(n->low[k], corners[c][k]);
                n->high[k] = tl_max(n->high[k], corners[c][k]);
            }
    }
}

static int longest_axis(const tl_mesh *mesh, const uint32_t *order, size_t count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        double middle[3];
        middle_of(mesh, order[i], middle);
        for (int k = 0; k < 3; k++) {
            low[k] = tl_min(low[k], middle[k]);
            high[k] = tl_max(high[k], middle[k]);
        }
    }
    int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

tl_status tl_tree_make(tl_tree *tree, const tl_mesh *mesh)
{
    const size_t count = tl_mesh_triangle_count(mesh);
    *tree = (tl_tree){
        .mesh = mesh, .nodes = {.item = sizeof(node)}, .order = {.item = sizeof(uint32_t)}};
    TL_TRY(tl_array_resize(&tree->order, count));
    TL_TRY(tl_array_reserve(&tree->nodes, 2 * count));
    uint32_t *order = tree->order.data;
    node *nodes = tree->nodes.data;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    nodes[0] = (node){.first = 0, .count = (uint32_t)count};
    tree->nodes.count = 1;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        node *n = &nodes[i];
        bound(mesh, order, n);
        if (n->count <= LEAF)
            continue;
        const uint32_t first = n->first, half = n->count / 2;
        split(mesh, order + first, n->count, longest_axis(mesh, order + first, n->count));
        nodes[tree->nodes.count++] = (node){.first = first, .count = half};
        nodes[tree->nodes.count++] = (node){.first = first + half, .count = n->count - half};
        n->first = (uint32_t)tree->nodes.count - 2;
        n->count = 0;
    }
    return TL_OK;
}

void tl_tree_free(tl_tree *tree)
{
    tl_array_free(&tree->nodes);
    tl_array_free(&tree->order);
}

/* ---- Nearest points ---- */

static double box_square(const node *n, const double p[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double d = tl_max(tl_max(n->low[k] - p[k], p[k] - n->high[k]), 0);
        square += d * d;
    }
    return square;
}

/* The point of a segment that is nearest. */
static void nearest_on_segment(const double a[3], const double b[3], const double p[3],
                               double out[3])
{
    double u[3], v[3];
    tl_sub(b, a, u);
    tl_sub(p, a, v);
    const double square = tl_dot(u, u);
    const double t = square > 0 ? tl_min(tl_max(tl_dot(u, v) / square, 0), 1) : 0;
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + t * u[k];
}

/* The point of a triangle that is nearest: the foot of the perpendicular where that is inside of
 * all three sides, else the nearest of a side. Triangles without an area are their sides. */
double tl_triangle_nearest(const double *const corners[3], const double p[3], double out[3])
{
    double normal[3], best = INFINITY;
    tl_normal(corners, normal);
    const double square = tl_dot(normal, normal);
    bool inside = square > 0;
    for (int c = 0; c < 3 && inside; c++) {
        double side[3], to[3], across[3];
        tl_sub(corners[(c + 1) % 3], corners[c], side);
        tl_sub(p, corners[c], to);
        tl_cross(side, to, across);
        inside = tl_dot(across, normal) >= 0;
    }
    if (inside) {
        double to[3];
        tl_sub(p, corners[0], to);
        const double height = tl_dot(to, normal) / square;
        for (int k = 0; k < 3; k++)
            out[k] = p[k] - height * normal[k];
        return height * height * square;
    }
    for (int c = 0; c < 3; c++) {
        double q[3], d[3];
        nearest_on_segment(corners[c], corners[(c + 1) % 3], p, q);
        tl_sub(q, p, d);
        const double distance = tl_dot(d, d);
        if (distance < best) {
            best = distance;
            for (int k = 0; k < 3; k++)
                out[k] = q[k];
        }
    }
    return best;
}

/* The square of a distance less the slack. */
static double shrink(double square, double slack)
{
    const double less = slack > 0 ? sqrt(square) - slack : 0;
    return slack > 0 ? (less > 0 ? less * less : 0) : square;
}

double tl_tree_distance(const tl_tree *tree, const double point[3], double within, double slack,
                        tl_hit *hit)
{
    const node *nodes = tree->nodes.data, *stack[DEEPEST];
    const uint32_t *order = tree->order.data;
    double best = within * within, limit = shrink(best, slack);
    tl_hit found = {.triangle = 0};
    bool any = false;
    int depth = 0;
    stack[depth++] = nodes;
    while (depth) {
        const node *n = stack[--depth];
        if (box_square(n, point) >= limit)
            continue;
        for (uint32_t i = 0; i < n->count; i++) {
            const double *corners[3];
            double q[3];
            tl_mesh_corners(tree->mesh, order[n->first + i], corners);
            const double square = tl_triangle_nearest(corners, point, q);
            if (square < best) {
                best = square;
                limit = shrink(best, slack);
                any = true;
                memcpy(found.point, q, sizeof q);
                found.triangle = order[n->first + i];
            }
        }
        if (n->count)
            continue;
        const node *a = &nodes[n->first], *b = a + 1;
        const bool swap = box_square(b, point) < box_square(a, point);
        stack[depth++] = swap ? a : b; /* the nearer one is looked at first */
        stack[depth++] = swap ? b : a;
    }
    if (any && hit)
        *hit = found;
    return any ? sqrt(best) : within;
}

bool tl_tree_contains(const tl_tree *tree, const double point[3])
{
    const node *nodes = tree->nodes.data, *stack[DEEPEST];
    const uint32_t *order = tree->order.data;
    int depth = 0, winding = 0;
    stack[depth++] = nodes;
    while (depth) { /* along x: as often as that goes out more than in */
        const node *n = stack[--depth];
        if (n->high[0] < point[0] || n->low[1] > point[1] || n->high[1] < point[1] ||
            n->low[2] > point[2] || n->high[2] < point[2])
            continue;
        for (uint32_t i = 0; i < n->count; i++) {
            const double *corners[3];
            tl_crossing at;
            tl_mesh_corners(tree->mesh, order[n->first + i], corners);
            if (tl_rows_cross_line(corners, point[1], point[2], &at) && at.x > point[0])
                winding -= at.sign;
        }
        if (n->count)
            continue;
        stack[depth++] = &nodes[n->first];
        stack[depth++] = &nodes[n->first] + 1;
    }
    return winding > 0;
}
