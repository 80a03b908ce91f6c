/* From a contact normal to a manifold: the features of both shapes that face each other are clipped
 * against each other in the plane across the normal; gaps are differences of their heights. A point
 * is named by what meets there (a vertex over the other's face, two edges), whichever shape is
 * clipped by the other. */
#ifndef TL_KERNELS_NARROW_CLIP_H
#define TL_KERNELS_NARROW_CLIP_H

#include "kernels/narrow/features.h"

#define TLK_CLIP_MOST (2 * TLK_CORNERS_MOST)

/* A point within this part of the size beyond an edge counts as inside: shapes that are flush keep
 * the same points. */
#define TLK_FLUSH 1e-6

/* A polygon that is being clipped. `side`: what the edge that follows is: an edge of b (its number)
 * or TLK_OF_A + the place of an edge in the feature of a. */
typedef struct tlk_polygon {
    uint32_t count;
    double xy[TLK_CLIP_MOST][2];
    uint16_t fa[TLK_CLIP_MOST], fb[TLK_CLIP_MOST], side[TLK_CLIP_MOST];
} tlk_polygon;

#define TLK_OF_A 1024u

TL_KERNEL uint32_t tlk_key(uint32_t fa, uint32_t fb)
{
    return fa * 1024 + fb;
}

/* Twice the signed area. */
TL_KERNEL double tlk_area(const tlk_feature *f)
{
    double sum = 0;
    for (uint32_t i = 2; i < f->count; i++)
        sum += (f->xy[i - 1][0] - f->xy[0][0]) * (f->xy[i][1] - f->xy[0][1]) -
               (f->xy[i - 1][1] - f->xy[0][1]) * (f->xy[i][0] - f->xy[0][0]);
    return sum;
}

/* A line across which a polygon is clipped: inside where x nx + y ny <= d. */
typedef struct tlk_cut {
    double x, y, d;
} tlk_cut;

TL_KERNEL tlk_cut tlk_cut_of(const tlk_feature *f, uint32_t i, double turn)
{
    const uint32_t j = i + 1 == f->count ? 0 : i + 1;
    const double ex = f->xy[j][0] - f->xy[i][0], ey = f->xy[j][1] - f->xy[i][1];
    const double length = sqrt(ex * ex + ey * ey);
    tlk_cut cut = {0, 0, 0};
    if (length > 0) {
        cut.x = turn * ey / length;
        cut.y = -turn * ex / length;
        cut.d = cut.x * f->xy[i][0] + cut.y * f->xy[i][1];
    }
    return cut;
}

/* The names of the point where the edge `side` meets edge number i of a. */
TL_KERNEL void tlk_clip_names(tlk_polygon *out, uint32_t side, const tlk_feature *a, uint32_t i)
{
    const uint32_t at = out->count, next = i + 1 == a->count ? 0 : i + 1;
    if (side < TLK_OF_A) {
        out->fa[at] = (uint16_t)(TLK_EDGE_ID + a->id[i]);
        out->fb[at] = (uint16_t)side;
    } else {
        out->fa[at] = (uint16_t)a->id[side - TLK_OF_A == next ? next : i];
        out->fb[at] = TLK_INSIDE_ID;
    }
}

TL_KERNEL void tlk_clip_copy(tlk_polygon *out, const tlk_polygon *in, uint32_t i)
{
    const uint32_t at = out->count++;
    out->xy[at][0] = in->xy[i][0];
    out->xy[at][1] = in->xy[i][1];
    out->fa[at] = in->fa[i];
    out->fb[at] = in->fb[i];
    out->side[at] = in->side[i];
}

/* The part of `in` that is inside of edge i of a (out), or false where that is all of it. */
TL_KERNEL bool tlk_clip_edge(const tlk_polygon *in, const tlk_feature *a, uint32_t i, double turn,
                             double slack, tlk_polygon *out)
{
    const tlk_cut cut = tlk_cut_of(a, i, turn);
    bool all = true;
    for (uint32_t j = 0; j < in->count; j++)
        all = all && cut.x * in->xy[j][0] + cut.y * in->xy[j][1] - cut.d <= slack;
    if (all)
        return false;
    out->count = 0;
    for (uint32_t j = 0; j < in->count; j++) {
        const uint32_t l = j + 1 == in->count ? 0 : j + 1;
        const double here = cut.x * in->xy[j][0] + cut.y * in->xy[j][1] - cut.d;
        const double next = cut.x * in->xy[l][0] + cut.y * in->xy[l][1] - cut.d;
        if (here <= slack && out->count < TLK_CLIP_MOST)
            tlk_clip_copy(out, in, j);
        if ((here <= slack) != (next <= slack) && out->count < TLK_CLIP_MOST) {
            double part = here / (here - next);
            part = part < 0 ? 0 : part > 1 ? 1 : part;
            const uint32_t at = out->count;
            for (int k = 0; k < 2; k++)
                out->xy[at][k] = in->xy[j][k] + part * (in->xy[l][k] - in->xy[j][k]);
            tlk_clip_names(out, in->side[j], a, i);
            out->side[at] = here <= slack ? (uint16_t)(TLK_OF_A + i) : in->side[j];
            out->count++;
        }
    }
    return true;
}

/* What a manifold is made with. */
typedef struct tlk_touch {
    tlk_plane_frame frame;
    double round; /* m, of a: from its core to its surface */
    double bulge; /* m, of both */
    double limit; /* m */
    double scale; /* m, the size of the shapes */
    tlk_feature a, b;
} tlk_touch;

/* Adds the point over (x, y), at height h of the core of a. */
TL_KERNEL void tlk_touch_add(const tlk_touch *t, double x, double y, double h, double gap,
                             uint32_t key, tlk_manifold *m)
{
    if (!(gap <= t->limit) || m->count >= TLK_POINTS_MOST)
        return;
    const uint32_t at = m->count++;
    const tlk_plane_frame *f = &t->frame;
    for (int k = 0; k < 3; k++)
        m->at[at][k] = x * f->t[k] + y * f->u[k] + (h + t->round) * f->n[k];
    m->gap[at] = gap;
    for (uint32_t i = 0; i < at; i++) {
        if (m->key[i] == key)
            key += 1u << 20;
    }
    m->key[at] = key;
}

TL_KERNEL double tlk_touch_gap(const tlk_touch *t, double x, double y)
{
    return tlk_height(&t->b, x, y) - tlk_height(&t->a, x, y) - t->bulge;
}

TL_KERNEL void tlk_touch_corner(const tlk_touch *t, const tlk_polygon *g, uint32_t i,
                                tlk_manifold *m)
{
    tlk_touch_add(t, g->xy[i][0], g->xy[i][1], tlk_height(&t->a, g->xy[i][0], g->xy[i][1]),
                  tlk_touch_gap(t, g->xy[i][0], g->xy[i][1]), tlk_key(g->fa[i], g->fb[i]), m);
}

/* How much a corner is worth as the next one of a manifold: at first depth, then the distance from
 * the first, then the area that it adds. */
TL_KERNEL double tlk_corner_worth(const tlk_touch *t, const tlk_polygon *g, const uint32_t *taken,
                                  uint32_t step, uint32_t i)
{
    const double x = g->xy[i][0], y = g->xy[i][1];
    if (step == 0)
        return -tlk_touch_gap(t, x, y);
    const double ax = x - g->xy[taken[0]][0], ay = y - g->xy[taken[0]][1];
    if (step == 1)
        return sqrt(ax * ax + ay * ay);
    const double bx = g->xy[taken[1]][0] - g->xy[taken[0]][0];
    const double by = g->xy[taken[1]][1] - g->xy[taken[0]][1];
    const double area = bx * ay - by * ax;
    if (step == 2)
        return fabs(area);
    /* outside of the triangle, across from which side: the greatest area that is added */
    const double cx = g->xy[taken[2]][0], cy = g->xy[taken[2]][1];
    const double dx = cx - g->xy[taken[0]][0], dy = cy - g->xy[taken[0]][1];
    const double whole = bx * dy - by * dx, sign = whole < 0 ? -1 : 1;
    const double first = -sign * area, last = -sign * (ax * dy - ay * dx);
    const double middle = sign * (area + (ax * dy - ay * dx) - whole);
    return tlk_max(first, tlk_max(middle, last));
}

/* Takes up to four corners of the polygon: all, or the deepest and those that span most. Of equals
 * that with the lowest key is taken. */
TL_RARE void tlk_touch_reduce(const tlk_touch *t, const tlk_polygon *g, tlk_manifold *m)
{
    uint32_t within = 0, taken[TLK_POINTS_MOST] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < g->count; i++)
        within += tlk_touch_gap(t, g->xy[i][0], g->xy[i][1]) <= t->limit ? 1 : 0;
    if (within <= TLK_POINTS_MOST) {
        for (uint32_t i = 0; i < g->count; i++)
            tlk_touch_corner(t, g, i, m);
        return;
    }
    for (uint32_t step = 0; step < TLK_POINTS_MOST; step++) {
        double best = -INFINITY;
        uint32_t which = 0, low = 0;
        for (uint32_t i = 0; i < g->count; i++) {
            if (!(tlk_touch_gap(t, g->xy[i][0], g->xy[i][1]) <= t->limit))
                continue;
            const double worth = tlk_corner_worth(t, g, taken, step, i);
            const double slack = TLK_FLUSH * t->scale * (step < 2 ? 1 : t->scale);
            const uint32_t key = tlk_key(g->fa[i], g->fb[i]);
            if (worth > best + slack || (worth > best - slack && key < low)) {
                best = tlk_max(worth, best);
                which = i;
                low = key;
            }
        }
        if (step >= 2 && !(best > TLK_FLUSH * TLK_FLUSH * t->scale * t->scale))
            break; /* all on one line, or inside of the triangle */
        taken[step] = which;
        tlk_touch_corner(t, g, which, m);
    }
}

/* Two faces. */
TL_RARE void tlk_touch_faces(const tlk_touch *t, tlk_manifold *m)
{
    tlk_polygon one, two;
    one.count = t->b.count;
    for (uint32_t i = 0; i < t->b.count; i++) {
        one.xy[i][0] = t->b.xy[i][0];
        one.xy[i][1] = t->b.xy[i][1];
        one.fa[i] = TLK_INSIDE_ID;
        one.fb[i] = (uint16_t)t->b.id[i];
        one.side[i] = (uint16_t)(TLK_EDGE_ID + t->b.id[i]);
    }
    const double turn = tlk_area(&t->a) < 0 ? -1 : 1;
    tlk_polygon *from = &one, *to = &two;
    for (uint32_t i = 0; i < t->a.count && from->count > 0; i++) {
        if (tlk_clip_edge(from, &t->a, i, turn, TLK_FLUSH * t->scale, to)) {
            tlk_polygon *other = from;
            from = to;
            to = other;
        }
    }
    tlk_touch_reduce(t, from, m);
}

/* A segment (an edge, a line of a side) over a face; `turned`: the segment is of b. */
TL_KERNEL void tlk_touch_segment_face(const tlk_touch *t, bool turned, tlk_manifold *m)
{
    const tlk_feature *s = turned ? &t->b : &t->a, *face = turned ? &t->a : &t->b;
    const double turn = tlk_area(face) < 0 ? -1 : 1, slack = TLK_FLUSH * t->scale;
    const double ex = s->xy[1][0] - s->xy[0][0], ey = s->xy[1][1] - s->xy[0][1];
    double from = 0, to = 1;
    uint32_t cut_from = face->count, cut_to = face->count;
    for (uint32_t i = 0; i < face->count; i++) {
        const tlk_cut cut = tlk_cut_of(face, i, turn);
        const double here = cut.x * s->xy[0][0] + cut.y * s->xy[0][1] - cut.d;
        const double next = cut.x * s->xy[1][0] + cut.y * s->xy[1][1] - cut.d;
        if (here > slack && next > slack)
            return;
        double part = here / (here - next);
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        if (here > slack && part > from)
            from = part, cut_from = i;
        if (next > slack && part < to)
            to = part, cut_to = i;
    }
    if (from > to)
        return;
    for (uint32_t end = 0; end < 2; end++) {
        const double part = end == 0 ? from : to;
        const uint32_t cut = end == 0 ? cut_from : cut_to;
        const double x = s->xy[0][0] + part * ex, y = s->xy[0][1] + part * ey;
        const uint32_t own = cut < face->count ? TLK_EDGE_ID + s->id[0] : s->id[end];
        const uint32_t other = cut < face->count ? TLK_EDGE_ID + face->id[cut] : TLK_INSIDE_ID;
        tlk_touch_add(t, x, y, tlk_height(&t->a, x, y), tlk_touch_gap(t, x, y),
                      turned ? tlk_key(other, own) : tlk_key(own, other), m);
    }
}

/* Two segments that run along each other: the ends of what they share. */
TL_KERNEL void tlk_touch_segments(const tlk_touch *t, tlk_manifold *m)
{
    const tlk_feature *a = &t->a, *b = &t->b;
    const double ex = a->xy[1][0] - a->xy[0][0], ey = a->xy[1][1] - a->xy[0][1];
    const double fx = b->xy[1][0] - b->xy[0][0], fy = b->xy[1][1] - b->xy[0][1];
    const double ee = ex * ex + ey * ey, ff = fx * fx + fy * fy, ef = ex * fx + ey * fy;
    const double cross = ex * fy - ey * fx;
    if (!(cross * cross <= 0.01 * ee * ff))
        return;
    /* the ends of b along a, from 0 to 1 */
    const double dx = b->xy[0][0] - a->xy[0][0], dy = b->xy[0][1] - a->xy[0][1];
    const double u = (dx * ex + dy * ey) / ee, v = u + ef / ee;
    const double low = tlk_min(u, v), high = tlk_max(u, v);
    const double from = tlk_max(low, 0.0), to = tlk_min(high, 1.0);
    if (!(to - from >= -TLK_FLUSH))
        return;
    const uint32_t first = ef > 0 ? b->id[0] : b->id[1], last = ef > 0 ? b->id[1] : b->id[0];
    for (int end = 0; end < 2; end++) {
        const double part = end == 0 ? from : to, other = (part - u) * ee / ef;
        const double x = a->xy[0][0] + part * ex, y = a->xy[0][1] + part * ey;
        const double bx = b->xy[0][0] + other * fx, by = b->xy[0][1] + other * fy;
        /* round sides: between the middles of their circles, whichever way that is */
        const double bend_a = a->bend[0] + part * (a->bend[1] - a->bend[0]);
        const double bend_b = b->bend[0] + other * (b->bend[1] - b->bend[0]);
        const double h = tlk_height(a, x, y), round = t->round + bend_a;
        const double both = t->bulge + bend_a + bend_b;
        const double rise = tlk_height(b, bx, by) - h + bend_a + bend_b;
        const double off = (bx - x) * (bx - x) + (by - y) * (by - y);
        const double most = 0.3 * both + 10 * TLK_FLUSH * t->scale;
        if (off > most * most)
            continue; /* too far beside each other */
        const bool clear = rise > 0 && off < 0.04 * rise * rise;
        const double apart = sqrt(rise * rise + off), part_a = clear ? round / apart : 0;
        const double gap =
            clear ? apart - both : rise - both + off / (2 * both + TLK_FLUSH * t->scale);
        const double up = clear ? part_a * rise - round : 0;
        const bool of_a = end == 0 ? low < TLK_FLUSH : high > 1 - TLK_FLUSH;
        const uint32_t key = of_a ? tlk_key(a->id[end], TLK_INSIDE_ID)
                                  : tlk_key(TLK_INSIDE_ID, end == 0 ? first : last);
        if (end == 0 ||
            (to - from) * (to - from) * ee > TLK_FLUSH * TLK_FLUSH * t->scale * t->scale)
            tlk_touch_add(t, x + part_a * (bx - x), y + part_a * (by - y), h + up, gap, key, m);
    }
}

/* The points of two shapes whose features face each other along n; returns the least gap, infinite
 * where they are not over each other. */
TL_RARE double tlk_touch_features(const tlk_convex *a, const tlk_convex *b, const double *n,
                                  double limit, double scale, tlk_touch *t, tlk_manifold *m)
{
    tlk_plane_frame_of(n, &t->frame);
    t->round = a->rounding;
    t->bulge = a->rounding + b->rounding;
    t->limit = limit;
    t->scale = scale;
    tlk_feature_of(a, &t->frame, 1, &t->a);
    tlk_feature_of(b, &t->frame, -1, &t->b);
    m->count = 0;
    for (int k = 0; k < 3; k++)
        m->n[k] = n[k];
    if (t->a.count > 2 && t->b.count > 2)
        tlk_touch_faces(t, m);
    else if (t->a.count > 2 && t->b.count == 2)
        tlk_touch_segment_face(t, true, m);
    else if (t->a.count == 2 && t->b.count > 2)
        tlk_touch_segment_face(t, false, m);
    else if (t->a.count == 2 && t->b.count == 2)
        tlk_touch_segments(t, m);
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        least = tlk_min(least, m->gap[i]);
    return least;
}

/* Where features are flush they may reach a little beyond each other: no gap is less than the
 * least.
 */
TL_KERNEL void tlk_touch_floor(double gap, tlk_manifold *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        m->gap[i] = tlk_max(m->gap[i], gap);
}

/* Sees to it that the nearest points are among those of the manifold: p of the core of a, and
 * `gap`.
 */
TL_RARE void tlk_touch_nearest(const tlk_touch *t, const double *p, double gap, tlk_manifold *m)
{
    uint32_t deepest = 0, nearest = 0;
    double least = INFINITY, close = INFINITY;
    const double x = tlk_dotd(p, t->frame.t), y = tlk_dotd(p, t->frame.u);
    if (!(gap <= t->limit)) {
        m->count = 0;
        return;
    }
    tlk_touch_floor(gap, m);
    for (uint32_t i = 0; i < m->count; i++) {
        const double dx = tlk_dotd(m->at[i], t->frame.t) - x;
        const double dy = tlk_dotd(m->at[i], t->frame.u) - y;
        if (m->gap[i] < least)
            least = m->gap[i], deepest = i;
        if (dx * dx + dy * dy < close)
            close = dx * dx + dy * dy, nearest = i;
    }
    if (least <= gap + TLK_FLUSH * t->scale) {
        m->gap[deepest] = tlk_min(m->gap[deepest], gap);
        return;
    }
    const uint32_t fa = t->a.count == 1   ? t->a.id[0]
                        : t->a.count == 2 ? TLK_EDGE_ID + t->a.id[0]
                                          : TLK_INSIDE_ID;
    const uint32_t fb = t->b.count == 1   ? t->b.id[0]
                        : t->b.count == 2 ? TLK_EDGE_ID + t->b.id[0]
                                          : TLK_INSIDE_ID;
    if (m->count == TLK_POINTS_MOST || close < 1e-4 * t->scale * t->scale) {
        /* in the place of the point that it is nearest to */
        m->count--;
        m->gap[nearest] = m->gap[m->count];
        m->key[nearest] = m->key[m->count];
        for (int k = 0; k < 3; k++)
            m->at[nearest][k] = m->at[m->count][k];
    }
    tlk_touch_add(t, x, y, tlk_dotd(p, t->frame.n), gap, tlk_key(fa, fb), m);
}

#endif
