/* Where a straight line first meets triangles: those of a mesh by its tree, those of a height field
 * row by row. Surfaces are met from both sides. All in the surface's frame. Called by
 * kernels/query.h. */
#ifndef TL_KERNELS_NARROW_RAY_SURFACE_H
#define TL_KERNELS_NARROW_RAY_SURFACE_H

#include "kernels/narrow/ray.h"
#include "kernels/narrow/triangle.h"

/* ---- Trees of boxes ---- */

/* A tree as base/boxes.h lays it out. */
typedef struct tlk_boxes {
    const uint32_t *box; /* 6 per node, relative to the middle */
    uint32_t leaves, root;
    double middle[3];
} tlk_boxes;

/* A walk over the leaves that a line meets, the nearer child of a node first. Bit l of `pending`:
 * the other child, on level l, has not been looked at yet. */
typedef struct tlk_walk {
    tlk_line line; /* relative to the middle */
    uint32_t level, node, pending;
    size_t base; /* first node of the level */
    bool given;  /* the node is a leaf that was handed out */
} tlk_walk;

TL_NARROW uint32_t tlk_boxes_width(const tlk_boxes *b, uint32_t level)
{
    return ((b->leaves - 1) >> level) + 1;
}

/* Where the line enters the box of a node between `from` and `to`; INFINITY where it does not. The
 * box is taken a little larger, which makes up for rounding. */
TL_NARROW double tlk_walk_enter(const tlk_walk *w, const tlk_boxes *b, size_t node, double from,
                                double to)
{
    const uint32_t *box = b->box + 6 * node;
    for (int k = 0; k < 3; k++) {
        const double o = w->line.o[k], d = w->line.d[k];
        const double low = (double)tlk_bits_float(box[k]),
                     high = (double)tlk_bits_float(box[3 + k]);
        const double slack = 1e-14 * (fabs(low) + fabs(high) + fabs(o));
        if (d == 0) {
            if (!(o >= low - slack && o <= high + slack))
                return INFINITY;
            continue;
        }
        const double a = (low - slack - o) / d, c = (high + slack - o) / d;
        from = tlk_max(from, tlk_min(a, c));
        to = tlk_min(to, tlk_max(a, c));
    }
    return from <= to ? from : INFINITY;
}

/* To the next node that is pending and that the line meets, or none. */
TL_NARROW void tlk_walk_pop(tlk_walk *w, const tlk_boxes *b, double from, double to)
{
    do {
        while (w->level <= b->root && !(w->pending >> w->level & 1)) {
            w->base += tlk_boxes_width(b, w->level);
            w->level++;
            w->node >>= 1;
        }
        if (w->level > b->root) {
            w->node = TLK_NONE;
            return;
        }
        w->pending &= ~(1u << w->level);
        w->node ^= 1;
    } while (!(tlk_walk_enter(w, b, w->base + w->node, from, to) < INFINITY));
}

TL_NARROW void tlk_walk_begin(tlk_walk *w, const tlk_boxes *b, const tlk_line *line)
{
    w->line = *line;
    for (int k = 0; k < 3; k++)
        w->line.o[k] -= b->middle[k];
    w->base = 0;
    w->node = b->leaves ? 0 : TLK_NONE;
    w->pending = 0;
    w->given = false;
    w->level = b->leaves ? b->root : 0;
    for (uint32_t l = 0; l < w->level; l++)
        w->base += tlk_boxes_width(b, l);
}

/* To the children of a node: the nearer one that the line meets first. */
TL_NARROW void tlk_walk_descend(tlk_walk *w, const tlk_boxes *b, double from, double to)
{
    w->level--;
    w->base -= tlk_boxes_width(b, w->level);
    w->node *= 2;
    const double left = tlk_walk_enter(w, b, w->base + w->node, from, to);
    const bool two = w->node + 1 < tlk_boxes_width(b, w->level);
    const double right = two ? tlk_walk_enter(w, b, w->base + w->node + 1, from, to) : INFINITY;
    if (left < INFINITY && right < INFINITY)
        w->pending |= 1u << w->level;
    if (right < left)
        w->node++;
    else if (!(left < INFINITY))
        tlk_walk_pop(w, b, from, to);
}

/* The next leaf that the line may meet between `from` and `to`, or TLK_NONE. */
TL_NARROW uint32_t tlk_walk_next(tlk_walk *w, const tlk_boxes *b, double from, double to)
{
    if (w->given) /* only now: `to` may be less than it was then */
        tlk_walk_pop(w, b, from, to);
    while (w->node != TLK_NONE && w->level > 0)
        tlk_walk_descend(w, b, from, to);
    w->given = w->node != TLK_NONE;
    return w->node;
}

/* ---- Triangles ---- */

/* The first crossing of a line and a surface so far. */
typedef struct tlk_crossing {
    double t;
    uint32_t triangle; /* TLK_NONE: none yet */
} tlk_crossing;

/* Where a line meets a triangle. What two triangles with a common edge compute of it differs in
 * sign alone, so that no line slips through between them. */
TL_NARROW bool tlk_line_triangle(const tlk_line *l, const double *corner, double *t)
{
    double a[3][3], side[3], n[3];
    for (int v = 0; v < 3; v++)
        for (int k = 0; k < 3; k++)
            a[v][k] = corner[3 * v + k] - l->o[k];
    for (int v = 0; v < 3; v++) {
        double c[3];
        tlk_crossd(a[v], a[v == 2 ? 0 : v + 1], c);
        side[v] = tlk_dotd(l->d, c);
    }
    if ((side[0] < 0 || side[1] < 0 || side[2] < 0) && (side[0] > 0 || side[1] > 0 || side[2] > 0))
        return false;
    tlk_corner_normal(corner, n);
    const double rate = tlk_dotd(n, l->d);
    if (rate == 0)
        return false;
    *t = tlk_dotd(n, a[0]) / rate;
    return true;
}

TL_NARROW void tlk_line_cross(const tlk_surface *s, const tlk_line *l, uint32_t triangle,
                              double from, double to, tlk_crossing *m)
{
    double corner[9], t;
    tlk_surface_corners(s, triangle, corner);
    if (!tlk_line_triangle(l, corner, &t) || !(t >= from && t <= to))
        return;
    if (m->triangle == TLK_NONE || t < m->t || (t == m->t && triangle < m->triangle)) {
        m->t = t;
        m->triangle = triangle;
    }
}

TL_NARROW void tlk_line_mesh(const tlk_surface *s, const tlk_line *l, double from, double to,
                             tlk_crossing *m)
{
    const uint32_t *words = s->words, count = words[TLK_MESH_TRIANGLES];
    const double *middle = s->numbers + 3 * (size_t)words[TLK_MESH_VERTICES];
    const tlk_boxes boxes = {words + TLK_MESH_HEAD + 6 * (size_t)count,
                             words[TLK_MESH_LEAVES],
                             words[TLK_MESH_ROOT],
                             {middle[0], middle[1], middle[2]}};
    tlk_walk walk;
    tlk_walk_begin(&walk, &boxes, l);
    for (;;) {
        const double end = m->triangle == TLK_NONE ? to : m->t;
        const uint32_t leaf = tlk_walk_next(&walk, &boxes, from, end);
        if (leaf == TLK_NONE)
            return;
        const uint32_t first = TLK_LEAF * leaf, last = tlk_min(first + TLK_LEAF, count);
        for (uint32_t t = first; t < last; t++)
            tlk_line_cross(s, l, t, from, to, m);
    }
}

/* The triangles of a row of cells that the line may meet from t0 to t1, in their order along it. */
TL_NARROW void tlk_line_row(const tlk_surface *s, const tlk_line *l, uint32_t row, double t0,
                            double t1, double from, double to, tlk_crossing *m)
{
    const uint32_t columns = s->words[TLK_FIELD_COLUMNS], rows = s->words[TLK_FIELD_ROWS];
    const double *height = s->numbers + 2, width = s->numbers[0];
    const double *highest =
        height + (size_t)columns * rows + (size_t)(row / TLK_BLOCK) * s->words[TLK_FIELD_BLOCKS];
    const double a = l->o[0] + t0 * l->d[0], b = l->o[0] + t1 * l->d[0], wide = 1e-9 * width;
    const double z0 = l->o[2] + t0 * l->d[2], z1 = l->o[2] + t1 * l->d[2];
    const double margin = 1e-12 * (fabs(z0) + fabs(z1) + fabs(l->o[2]));
    const double low = tlk_min(z0, z1) - margin, high = tlk_max(z0, z1) + margin;
    uint32_t first, last;
    tlk_tree_cells(tlk_min(a, b) - wide, tlk_max(a, b) + wide, width, columns - 1, &first, &last);
    for (uint32_t k = first; k < last; k++) {
        const uint32_t i = l->d[0] < 0 ? first + (last - 1 - k) : k;
        const double *h = height + (size_t)row * columns + i;
        if (m->triangle != TLK_NONE) { /* what is beyond it is not met before it */
            const double met = l->o[0] + m->t * l->d[0];
            if (l->d[0] < 0 ? ((double)i + 1) * width + wide < met : (double)i * width - wide > met)
                return;
        }
        const double top = tlk_max(tlk_max(h[0], h[1]), tlk_max(h[columns], h[columns + 1]));
        const double bottom = tlk_min(tlk_min(h[0], h[1]), tlk_min(h[columns], h[columns + 1]));
        if (highest[i / TLK_BLOCK] < low || top < low || bottom > high)
            continue;
        const uint32_t cell = row * (columns - 1) + i;
        tlk_line_cross(s, l, 2 * cell, from, to, m);
        tlk_line_cross(s, l, 2 * cell + 1, from, to, m);
    }
}

/* `from` and `to` are finite. */
TL_NARROW void tlk_line_field(const tlk_surface *s, const tlk_line *l, double from, double to,
                              tlk_crossing *m)
{
    const double depth = s->numbers[1], d = l->d[1];
    const double y0 = l->o[1] + from * d, y1 = l->o[1] + to * d;
    const double wide = 1e-9 * depth + 1e-14 * (fabs(y0) + fabs(y1) + fabs(l->o[1]));
    uint32_t first, last;
    tlk_tree_cells(tlk_min(y0, y1) - wide, tlk_max(y0, y1) + wide, depth,
                   s->words[TLK_FIELD_ROWS] - 1, &first, &last);
    for (uint32_t k = first; k < last; k++) {
        const uint32_t row = d < 0 ? first + (last - 1 - k) : k;
        const double low = (double)row * depth - wide, high = ((double)row + 1) * depth + wide;
        double t0 = from, t1 = to;
        if (d != 0) {
            const double a = (low - l->o[1]) / d, b = (high - l->o[1]) / d;
            t0 = tlk_max(t0, tlk_min(a, b));
            t1 = tlk_min(t1, tlk_max(a, b));
        }
        if (m->triangle != TLK_NONE && t0 > m->t)
            return;
        if (t0 <= t1)
            tlk_line_row(s, l, row, t0, t1, from, to, m);
    }
}

/* The first triangle that the line meets between `from` and `to`; `ball`: half the length that is
 * enough of a line from a point near the surface's middle. */
TL_RARE void tlk_line_surface(const tlk_surface *s, const tlk_line *l, double ball, double from,
                              double to, tlk_crossing *m)
{
    m->triangle = TLK_NONE;
    m->t = INFINITY;
    from = tlk_max(from, -2 * ball);
    to = tlk_min(to, 2 * ball);
    if (s->kind == TLK_MESH)
        tlk_line_mesh(s, l, from, to, m);
    else
        tlk_line_field(s, l, from, to, m);
}

#endif
