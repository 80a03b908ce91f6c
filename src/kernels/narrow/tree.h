/* Meshes and height fields as kernels read them: which triangles are near a box, where their
 * corners are, what is across their edges. layout.h says how they are stored; triangle.h makes
 * contacts of triangles.
 *
 * A surface is one-sided: what triangles face is free, what is behind them is solid. */
#ifndef TL_KERNELS_NARROW_TREE_H
#define TL_KERNELS_NARROW_TREE_H

#include "kernels/narrow/convex.h"
#include "kernels/narrow/layout.h"

/* A mesh or a height field and where it stands. */
typedef struct tlk_surface {
    uint32_t kind; /* TLK_MESH or TLK_HEIGHTS */
    const double *numbers;
    const uint32_t *words;
    double origin[3]; /* m: of its frame, in the world */
    double axis[9];   /* unit vectors u, v, w: the axes of its frame, in the world */
} tlk_surface;

/* A vector in the world's axes, from one in the surface's. */
TL_NARROW void tlk_surface_out(const tlk_surface *s, const double *v, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = s->axis[k] * v[0] + s->axis[3 + k] * v[1] + s->axis[6 + k] * v[2];
}

/* And back. */
TL_NARROW void tlk_surface_in(const tlk_surface *s, const double *v, double *out)
{
    const double x = tlk_dotd(s->axis, v), y = tlk_dotd(s->axis + 3, v),
                 z = tlk_dotd(s->axis + 6, v);
    out[0] = x, out[1] = y, out[2] = z;
}

/* A point of the world in the surface's frame. */
TL_NARROW void tlk_surface_point_in(const tlk_surface *s, const double *p, double *out)
{
    const double d[3] = {p[0] - s->origin[0], p[1] - s->origin[1], p[2] - s->origin[2]};
    tlk_surface_in(s, d, out);
}

/* A box about `middle` (world) with half extents `half` along the world's axes: the box around it
 * in the surface's frame. It is a little larger, which makes up for rounding. */
TL_NARROW void tlk_surface_box(const tlk_surface *s, const double *middle, const double *half,
                               double *low, double *high)
{
    double c[3];
    tlk_surface_point_in(s, middle, c);
    for (int k = 0; k < 3; k++) {
        const double *a = s->axis + 3 * k;
        const double extent = fabs(a[0]) * half[0] + fabs(a[1]) * half[1] + fabs(a[2]) * half[2];
        const double error = 1e-15 * (fabs(middle[0]) + fabs(middle[1]) + fabs(middle[2]) +
                                      fabs(s->origin[0]) + fabs(s->origin[1]) + fabs(s->origin[2]));
        const double reach = extent * (1 + 1e-12) + error;
        low[k] = c[k] - reach;
        high[k] = c[k] + reach;
    }
}

TL_NARROW uint32_t tlk_surface_triangles(const tlk_surface *s)
{
    const uint32_t *w = s->words;
    return s->kind == TLK_MESH ? w[TLK_MESH_TRIANGLES]
                               : 2 * (w[TLK_FIELD_COLUMNS] - 1) * (w[TLK_FIELD_ROWS] - 1);
}

/* The three vertices of a triangle. */
TL_NARROW void tlk_surface_vertices(const tlk_surface *s, uint32_t t, uint32_t *v)
{
    if (s->kind == TLK_MESH) {
        const uint32_t *from = s->words + TLK_MESH_HEAD + 3 * (size_t)t;
        v[0] = from[0], v[1] = from[1], v[2] = from[2];
    } else {
        const uint32_t columns = s->words[TLK_FIELD_COLUMNS], cell = t / 2;
        const uint32_t j = cell / (columns - 1), i = cell - j * (columns - 1);
        const uint32_t corner = j * columns + i;
        v[0] = corner;
        v[1] = t & 1 ? corner + columns + 1 : corner + 1;
        v[2] = t & 1 ? corner + columns : corner + columns + 1;
    }
}

/* Where a vertex is, in the surface's frame. */
TL_NARROW void tlk_surface_point(const tlk_surface *s, uint32_t vertex, double *p)
{
    if (s->kind == TLK_MESH) {
        const double *from = s->numbers + 3 * (size_t)vertex;
        p[0] = from[0], p[1] = from[1], p[2] = from[2];
    } else {
        const uint32_t columns = s->words[TLK_FIELD_COLUMNS], j = vertex / columns;
        p[0] = (double)(vertex - j * columns) * s->numbers[0];
        p[1] = (double)j * s->numbers[1];
        p[2] = s->numbers[2 + (size_t)vertex];
    }
}

/* The corners of a triangle in the surface's frame, three numbers each. */
TL_NARROW void tlk_surface_corners(const tlk_surface *s, uint32_t t, double *corner)
{
    uint32_t v[3];
    tlk_surface_vertices(s, t, v);
    for (int k = 0; k < 3; k++)
        tlk_surface_point(s, v[k], corner + 3 * k);
}

/* The triangle across the edge from vertex k to the next, or TLK_NONE. */
TL_NARROW uint32_t tlk_surface_across(const tlk_surface *s, uint32_t t, uint32_t k)
{
    const uint32_t *w = s->words;
    if (s->kind == TLK_MESH)
        return w[TLK_MESH_HEAD + 3 * ((size_t)w[TLK_MESH_TRIANGLES] + t) + k];
    const uint32_t across = w[TLK_FIELD_COLUMNS] - 1, cell = t / 2;
    const uint32_t j = cell / across, i = cell - j * across;
    if (t & 1) {
        if (k == 0)
            return t - 1;
        if (k == 1)
            return j + 2 < w[TLK_FIELD_ROWS] ? t - 1 + 2 * across : TLK_NONE;
        return i > 0 ? t - 3 : TLK_NONE;
    }
    if (k == 0)
        return j > 0 ? t + 1 - 2 * across : TLK_NONE;
    if (k == 1)
        return i + 1 < across ? t + 3 : TLK_NONE;
    return t + 1;
}

/* The triangle as a convex shape: its corners go to `vertex` (nine numbers of the caller's), in the
 * world's axes, relative to the point `about` of the world. */
TL_NARROW void tlk_surface_triangle(const tlk_surface *s, uint32_t t, const double *about,
                                    double *vertex, tlk_convex *out)
{
    double corner[9];
    tlk_surface_corners(s, t, corner);
    for (int v = 0; v < 3; v++) {
        tlk_surface_out(s, corner + 3 * v, vertex + 3 * v);
        for (int k = 0; k < 3; k++)
            vertex[3 * v + k] += s->origin[k] - about[k];
    }
    out->kind = TLK_TRIANGLE;
    for (int k = 0; k < 3; k++) {
        out->origin[k] = 0;
        out->size[k] = 0;
    }
    for (int k = 0; k < 9; k++)
        out->axis[k] = k % 4 ? 0 : 1;
    out->rounding = 0;
    out->vertex = vertex;
    out->words = NULL;
}

/* ---- Triangles near a box ---- */

/* Where a walk over the triangles near a box is. */
typedef struct tlk_tree {
    double low[3], high[3]; /* the box, in the surface's frame */
    uint32_t next, end;     /* mesh: triangles of the leaf that are left; field: cells of the row */
    uint32_t level, node;   /* mesh: the node to look at next; field: node is the row of cells */
    uint32_t first, last;   /* field: columns of cells from and to, rows of cells up to `level` */
    size_t base;            /* mesh: first node of the level */
} tlk_tree;

/* The cells along an axis that meet low..high, of `cells` that are `spacing` wide: from `first` up
 * to before `last`. */
TL_NARROW void tlk_tree_cells(double low, double high, double spacing, uint32_t cells,
                              uint32_t *first, uint32_t *last)
{
    const double from = floor(low / spacing) - 1, to = floor(high / spacing) + 2;
    uint32_t a = from > 0 ? (from < (double)cells ? (uint32_t)from : cells) : 0;
    uint32_t b = to > 0 ? (to < (double)cells ? (uint32_t)to : cells) : 0;
    while (a < b && (double)(a + 1) * spacing < low)
        a++;
    while (b > a && (double)(b - 1) * spacing > high)
        b--;
    *first = a;
    *last = b;
}

TL_NARROW uint32_t tlk_mesh_width(const tlk_surface *s, uint32_t level)
{
    return ((s->words[TLK_MESH_LEAVES] - 1) >> level) + 1;
}

/* Begins a walk over the triangles whose boxes meet the box from low to high (in the surface's
 * frame; touching counts). Of height fields, which are solid below, those triangles whose highest
 * corner is not below the box: the box may be under them. */
TL_NARROW void tlk_tree_begin(tlk_tree *it, const tlk_surface *s, const double *low,
                              const double *high)
{
    bool some = true;
    for (int k = 0; k < 3; k++) {
        some = some && low[k] <= high[k];
        it->low[k] = low[k];
        it->high[k] = high[k];
    }
    it->next = it->end = 0;
    it->first = it->last = 0;
    it->node = it->level = 0;
    it->base = 0;
    if (s->kind == TLK_MESH) {
        const uint32_t root = s->words[TLK_MESH_ROOT];
        for (uint32_t l = 0; l < root; l++)
            it->base += tlk_mesh_width(s, l);
        it->level = root;
        it->node = some ? 0 : TLK_NONE;
    } else if (some) {
        tlk_tree_cells(low[0], high[0], s->numbers[0], s->words[TLK_FIELD_COLUMNS] - 1, &it->first,
                       &it->last);
        tlk_tree_cells(low[1], high[1], s->numbers[1], s->words[TLK_FIELD_ROWS] - 1, &it->node,
                       &it->level);
        it->next = 2 * it->first;
        if (it->first == it->last)
            it->node = it->level;
    }
}

/* Whether the box of a mesh's triangle meets that of the walk. */
TL_NARROW bool tlk_tree_meets(const tlk_tree *it, const tlk_surface *s, uint32_t t)
{
    const uint32_t *v = s->words + TLK_MESH_HEAD + 3 * (size_t)t;
    const double *a = s->numbers + 3 * (size_t)v[0], *b = s->numbers + 3 * (size_t)v[1],
                 *c = s->numbers + 3 * (size_t)v[2];
    bool meets = true;
    for (int k = 0; k < 3; k++) {
        const double least = tlk_min(tlk_min(a[k], b[k]), c[k]);
        const double most = tlk_max(tlk_max(a[k], b[k]), c[k]);
        meets = meets && least <= it->high[k] && it->low[k] <= most;
    }
    return meets;
}

/* The same of a node. What boxes are relative to is taken from both in the same way, so that
 * rounding never parts what touches. */
TL_NARROW bool tlk_tree_enters(const tlk_tree *it, const tlk_surface *s)
{
    const uint32_t *w = s->words;
    const double *middle = s->numbers + 3 * (size_t)w[TLK_MESH_VERTICES];
    const uint32_t *box =
        w + TLK_MESH_HEAD + 6 * ((size_t)w[TLK_MESH_TRIANGLES] + it->base + it->node);
    bool meets = true;
    for (int k = 0; k < 3; k++)
        meets = meets && (double)tlk_bits_float(box[k]) <= it->high[k] - middle[k] &&
                it->low[k] - middle[k] <= (double)tlk_bits_float(box[3 + k]);
    return meets;
}

/* To the node after this one and all that is below it. */
TL_NARROW void tlk_tree_on(tlk_tree *it, const tlk_surface *s)
{
    it->node++;
    while (it->level < s->words[TLK_MESH_ROOT] && !(it->node & 1)) {
        it->base += tlk_mesh_width(s, it->level);
        it->level++;
        it->node >>= 1;
    }
    if (it->node >= tlk_mesh_width(s, it->level)) /* the last of a level: so is what is above it */
        it->node = TLK_NONE;
}

TL_NARROW uint32_t tlk_tree_mesh(tlk_tree *it, const tlk_surface *s)
{
    for (;;) {
        while (it->next < it->end) {
            const uint32_t t = it->next++;
            if (tlk_tree_meets(it, s, t))
                return t;
        }
        if (it->node == TLK_NONE)
            return TLK_NONE;
        if (!tlk_tree_enters(it, s)) {
            tlk_tree_on(it, s);
        } else if (it->level) {
            it->level--;
            it->base -= tlk_mesh_width(s, it->level);
            it->node *= 2;
        } else {
            it->next = TLK_LEAF * it->node;
            it->end = tlk_min(it->next + TLK_LEAF, s->words[TLK_MESH_TRIANGLES]);
            tlk_tree_on(it, s);
        }
    }
}

TL_NARROW uint32_t tlk_tree_field(tlk_tree *it, const tlk_surface *s)
{
    const uint32_t columns = s->words[TLK_FIELD_COLUMNS], rows = s->words[TLK_FIELD_ROWS];
    const double *height = s->numbers + 2;
    const double *highest = height + (size_t)columns * rows;
    for (; it->node < it->level; it->node++, it->next = 2 * it->first) {
        const uint32_t j = it->node;
        const double *block = highest + (size_t)(j / TLK_BLOCK) * s->words[TLK_FIELD_BLOCKS];
        while (it->next < 2 * it->last) {
            const uint32_t i = it->next / 2, above = it->next & 1;
            if (!above && block[i / TLK_BLOCK] < it->low[2]) {
                it->next = 2 * TLK_BLOCK * (i / TLK_BLOCK + 1);
                continue;
            }
            it->next++;
            const double *h = height + (size_t)j * columns + i;
            const double third = above ? h[columns] : h[1];
            if (tlk_max(tlk_max(h[0], h[columns + 1]), third) >= it->low[2])
                return 2 * (j * (columns - 1) + i) + above;
        }
    }
    return TLK_NONE;
}

/* The next triangle, in ascending order, or TLK_NONE. */
TL_NARROW uint32_t tlk_tree_next(tlk_tree *it, const tlk_surface *s)
{
    return s->kind == TLK_MESH ? tlk_tree_mesh(it, s) : tlk_tree_field(it, s);
}

#endif
