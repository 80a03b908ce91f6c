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

TL_NARROW uint32_t tlk_feature_id(uint32_t fa, uint32_t fb)
{
    return fa * 1024 + fb;
}

/* Twice the signed area. */
TL_NARROW double tlk_area(const tlk_feature *f)
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

TL_NARROW tlk_cut tlk_cut_of(const tlk_feature *f, uint32_t i, double turn)
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

/* A corner of a polygon: where, its names, and the edge that follows. */
typedef struct tlk_corner {
    double x, y;
    uint32_t fa, fb, side;
} tlk_corner;

TL_NARROW void tlk_polygon_set(tlk_polygon *g, uint32_t at, const tlk_corner *c)
{
    g->xy[at][0] = c->x;
    g->xy[at][1] = c->y;
    g->fa[at] = (uint16_t)c->fa;
    g->fb[at] = (uint16_t)c->fb;
    g->side[at] = (uint16_t)c->side;
}

TL_NARROW void tlk_polygon_move(tlk_polygon *g, uint32_t from, uint32_t to)
{
    g->xy[to][0] = g->xy[from][0];
    g->xy[to][1] = g->xy[from][1];
    g->fa[to] = g->fa[from];
    g->fb[to] = g->fb[from];
    g->side[to] = g->side[from];
}

/* Where the edge from corner j to l meets edge i of a. */
TL_NARROW tlk_corner tlk_clip_corner(const tlk_polygon *g, uint32_t j, uint32_t l, tlk_cut cut,
                                     const tlk_feature *a, uint32_t i)
{
    const double here = cut.x * g->xy[j][0] + cut.y * g->xy[j][1] - cut.d;
    const double next = cut.x * g->xy[l][0] + cut.y * g->xy[l][1] - cut.d;
    double part = here / (here - next);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    tlk_corner c;
    c.x = g->xy[j][0] + part * (g->xy[l][0] - g->xy[j][0]);
    c.y = g->xy[j][1] + part * (g->xy[l][1] - g->xy[j][1]);
    c.side = g->side[j];
    if (c.side < TLK_OF_A) { /* two edges */
        c.fa = TLK_EDGE_ID + a->id[i];
        c.fb = c.side;
    } else { /* two edges of a: its vertex */
        const uint32_t after = i + 1 == a->count ? 0 : i + 1;
        c.fa = a->id[c.side - TLK_OF_A == after ? after : i];
        c.fb = TLK_INSIDE_ID;
    }
    return c;
}

/* Cuts off what is beyond edge i of a: corners in a row, in whose place come two others. */
TL_NARROW void tlk_clip_edge(tlk_polygon *g, const tlk_feature *a, uint32_t i, double turn,
                             double slack)
{
    const tlk_cut cut = tlk_cut_of(a, i, turn);
    uint32_t in = 0, last = 0, first = 0; /* the last one inside, the first one inside again */
    bool before = false;
    for (uint32_t j = 0; j < g->count; j++) {
        const bool inside = cut.x * g->xy[j][0] + cut.y * g->xy[j][1] - cut.d <= slack;
        in += inside ? 1 : 0;
        if (j > 0 && before && !inside)
            last = j - 1;
        if (j > 0 && !before && inside)
            first = j;
        if (j + 1 == g->count && inside &&
            !(cut.x * g->xy[0][0] + cut.y * g->xy[0][1] - cut.d <= slack))
            last = j;
        before = inside;
    }
    if (in == g->count)
        return;
    if (in == 0) {
        g->count = 0;
        return;
    }
    const uint32_t out = last + 1 == g->count ? 0 : last + 1;
    const uint32_t back = first == 0 ? g->count - 1 : first - 1;
    tlk_corner one = tlk_clip_corner(g, last, out, cut, a, i);
    const tlk_corner two = tlk_clip_corner(g, back, first, cut, a, i);
    one.side = TLK_OF_A + i;
    uint32_t at = last + 1; /* where the two go */
    if (last < first) {
        const uint32_t tail = g->count - first, to = last + 3;
        if (to + tail > TLK_CLIP_MOST)
            return;
        for (uint32_t j = 0; j < tail; j++) {
            const uint32_t k = to > first ? tail - 1 - j : j;
            tlk_polygon_move(g, first + k, to + k);
        }
        g->count = to + tail;
    } else {
        for (uint32_t j = first; j <= last && first > 0; j++)
            tlk_polygon_move(g, j, j - first);
        at -= first;
        g->count = at + 2;
    }
    tlk_polygon_set(g, at, &one);
    tlk_polygon_set(g, at + 1, &two);
}

/* What a manifold is made with. */
typedef struct tlk_facing {
    tlk_plane_frame frame;
    double round; /* m, of a: from its core to its surface */
    double bulge; /* m, of both */
    double limit; /* m */
    double scale; /* m, the size of the shapes */
    double least; /* m, of the gaps that were found, whether taken or not */
    tlk_feature a, b;
} tlk_facing;

/* Adds the point over (x, y), at height h of the core of a. */
TL_NARROW void tlk_touch_add(tlk_facing *t, double x, double y, double h, double gap, uint32_t id,
                             tlk_manifold *m)
{
    t->least = tlk_min(t->least, gap);
    if (!(gap <= t->limit) || m->count >= TLK_POINTS_MOST)
        return;
    const uint32_t at = m->count++;
    const tlk_plane_frame *f = &t->frame;
    for (int k = 0; k < 3; k++)
        m->at[at][k] = x * f->t[k] + y * f->u[k] + (h + t->round) * f->n[k];
    m->gap[at] = gap;
    for (uint32_t i = 0; i < at; i++) {
        if (m->feature[i] == id)
            id += 1u << 20;
    }
    m->feature[at] = id;
}

TL_NARROW double tlk_touch_gap(const tlk_facing *t, double x, double y)
{
    return tlk_height(&t->b, x, y) - tlk_height(&t->a, x, y) - t->bulge;
}

TL_NARROW void tlk_touch_corner(tlk_facing *t, const tlk_polygon *g, uint32_t i, tlk_manifold *m)
{
    tlk_touch_add(t, g->xy[i][0], g->xy[i][1], tlk_height(&t->a, g->xy[i][0], g->xy[i][1]),
                  tlk_touch_gap(t, g->xy[i][0], g->xy[i][1]), tlk_feature_id(g->fa[i], g->fb[i]),
                  m);
}

/* How much a corner is worth as the next one of a manifold: at first depth, then the distance from
 * the first, then the area that it adds. */
TL_NARROW double tlk_corner_worth(const tlk_facing *t, const tlk_polygon *g, const uint32_t *taken,
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
 * that with the lowest id is taken. */
TL_RARE void tlk_touch_reduce(tlk_facing *t, const tlk_polygon *g, tlk_manifold *m)
{
    uint32_t within = 0, taken[TLK_POINTS_MOST] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < g->count; i++) {
        const double gap = tlk_touch_gap(t, g->xy[i][0], g->xy[i][1]);
        t->least = tlk_min(t->least, gap);
        within += gap <= t->limit ? 1 : 0;
    }
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
            const uint32_t id = tlk_feature_id(g->fa[i], g->fb[i]);
            if (worth > best + slack || (worth > best - slack && id < low)) {
                best = tlk_max(worth, best);
                which = i;
                low = id;
            }
        }
        if (step >= 2 && !(best > TLK_FLUSH * TLK_FLUSH * t->scale * t->scale))
            break; /* all on one line, or inside of the triangle */
        taken[step] = which;
        tlk_touch_corner(t, g, which, m);
    }
}

/* Two faces. */
TL_NARROW void tlk_touch_faces(tlk_facing *t, tlk_manifold *m)
{
    tlk_polygon g;
    g.count = t->b.count;
    for (uint32_t i = 0; i < t->b.count; i++) {
        const uint32_t id = t->b.id[i];
        const tlk_corner c = {t->b.xy[i][0], t->b.xy[i][1], TLK_INSIDE_ID, id, TLK_EDGE_ID + id};
        tlk_polygon_set(&g, i, &c);
    }
    const double turn = tlk_area(&t->a) < 0 ? -1 : 1;
    for (uint32_t i = 0; i < t->a.count && g.count > 0; i++)
        tlk_clip_edge(&g, &t->a, i, turn, TLK_FLUSH * t->scale);
    tlk_touch_reduce(t, &g, m);
}

/* A segment (an edge, a line of a side) over a face; `turned`: the segment is of b. */
TL_NARROW void tlk_touch_segment_face(tlk_facing *t, bool turned, tlk_manifold *m)
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
                      turned ? tlk_feature_id(other, own) : tlk_feature_id(own, other), m);
    }
}

/* Two segments that cross: one point. */
TL_NARROW void tlk_touch_crossing(tlk_facing *t, double cross, tlk_manifold *m)
{
    const tlk_feature *a = &t->a, *b = &t->b;
    const double dx = b->xy[0][0] - a->xy[0][0], dy = b->xy[0][1] - a->xy[0][1];
    const double ex = a->xy[1][0] - a->xy[0][0], ey = a->xy[1][1] - a->xy[0][1];
    const double fx = b->xy[1][0] - b->xy[0][0], fy = b->xy[1][1] - b->xy[0][1];
    const double u = (dx * fy - dy * fx) / cross, v = (dx * ey - dy * ex) / cross;
    if (!(u >= -TLK_FLUSH && u <= 1 + TLK_FLUSH && v >= -TLK_FLUSH && v <= 1 + TLK_FLUSH))
        return;
    const double x = a->xy[0][0] + u * ex, y = a->xy[0][1] + u * ey;
    tlk_touch_add(t, x, y, tlk_height(a, x, y), tlk_touch_gap(t, x, y),
                  tlk_feature_id(TLK_EDGE_ID + a->id[0], TLK_EDGE_ID + b->id[0]), m);
}

/* Two segments that run along each other: the ends of what they share. */
TL_NARROW void tlk_touch_segments(tlk_facing *t, tlk_manifold *m)
{
    const tlk_feature *a = &t->a, *b = &t->b;
    const double ex = a->xy[1][0] - a->xy[0][0], ey = a->xy[1][1] - a->xy[0][1];
    const double fx = b->xy[1][0] - b->xy[0][0], fy = b->xy[1][1] - b->xy[0][1];
    const double ee = ex * ex + ey * ey, ff = fx * fx + fy * fy, ef = ex * fx + ey * fy;
    const double cross = ex * fy - ey * fx;
    if (!(cross * cross <= 0.01 * ee * ff)) {
        tlk_touch_crossing(t, cross, m);
        return;
    }
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
        /* too far beside each other, also for lines whose middles have passed each other */
        const bool clear = rise > 0 && off < 0.25 * rise * rise;
        const double most = (clear ? 0.3 : 0.05) * both + 10 * TLK_FLUSH * t->scale;
        if (off > most * most)
            continue;
        const double apart = sqrt(rise * rise + off), part_a = clear ? round / apart : 0;
        const double gap =
            clear ? apart - both : rise - both + off / (2 * both + TLK_FLUSH * t->scale);
        const double up = clear ? part_a * rise - round : 0;
        const bool of_a = end == 0 ? low < TLK_FLUSH : high > 1 - TLK_FLUSH;
        const uint32_t id = of_a ? tlk_feature_id(a->id[end], TLK_INSIDE_ID)
                                 : tlk_feature_id(TLK_INSIDE_ID, end == 0 ? first : last);
        if (end == 0 ||
            (to - from) * (to - from) * ee > TLK_FLUSH * TLK_FLUSH * t->scale * t->scale)
            tlk_touch_add(t, x + part_a * (bx - x), y + part_a * (by - y), h + up, gap, id, m);
    }
}

/* The name of what is not clipped. */
TL_NARROW uint32_t tlk_feature_name(const tlk_feature *f)
{
    return f->count == 1 ? f->id[0] : f->count == 2 ? TLK_EDGE_ID + f->id[0] : TLK_INSIDE_ID;
}

/* One point over whatever the other has there. */
TL_NARROW void tlk_touch_point(tlk_facing *t, tlk_manifold *m)
{
    const tlk_feature *p = t->a.count == 1 ? &t->a : &t->b,
                      *other = t->a.count == 1 ? &t->b : &t->a;
    const double x = p->xy[0][0], y = p->xy[0][1], slack = TLK_FLUSH * t->scale;
    if (other->count > 2) {
        const double turn = tlk_area(other) < 0 ? -1 : 1;
        for (uint32_t i = 0; i < other->count; i++) {
            const tlk_cut cut = tlk_cut_of(other, i, turn);
            if (cut.x * x + cut.y * y - cut.d > slack)
                return;
        }
    } else {
        const double ex = x - other->xy[0][0], ey = y - other->xy[0][1];
        double dx = 0, dy = 0, part = 0;
        if (other->count == 2) {
            dx = other->xy[1][0] - other->xy[0][0], dy = other->xy[1][1] - other->xy[0][1];
            part = (ex * dx + ey * dy) / (dx * dx + dy * dy);
            part = part < 0 ? 0 : part > 1 ? 1 : part;
        }
        const double rx = ex - part * dx, ry = ey - part * dy;
        if (rx * rx + ry * ry > slack * slack)
            return;
    }
    tlk_touch_add(t, x, y, tlk_height(&t->a, x, y), tlk_touch_gap(t, x, y),
                  tlk_feature_id(tlk_feature_name(&t->a), tlk_feature_name(&t->b)), m);
}

/* The points of two shapes whose features face each other along n. */
TL_NARROW void tlk_touch_features(const tlk_convex *a, const tlk_convex *b, const double *n,
                                  double limit, double scale, tlk_facing *t, tlk_manifold *m)
{
    tlk_plane_frame_of(n, &t->frame);
    t->round = a->rounding;
    t->bulge = a->rounding + b->rounding;
    t->limit = limit;
    t->scale = scale;
    t->least = INFINITY;
    tlk_feature_of(a, &t->frame, 1, &t->a);
    tlk_feature_of(b, &t->frame, -1, &t->b);
    m->count = 0;
    for (int k = 0; k < 3; k++)
        m->n[k] = n[k];
    if (t->a.count == 1 || t->b.count == 1)
        tlk_touch_point(t, m);
    else if (t->a.count == 2 && t->b.count == 2)
        tlk_touch_segments(t, m);
    else if (t->a.count == 2 || t->b.count == 2)
        tlk_touch_segment_face(t, t->b.count == 2, m);
    else
        tlk_touch_faces(t, m);
}

/* The least gap is `gap`: where features are flush they may reach a little beyond each other, and
 * of equals any may have been taken. */
TL_NARROW void tlk_touch_level(double gap, tlk_manifold *m)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        deepest = m->gap[i] < m->gap[deepest] ? i : deepest;
        m->gap[i] = tlk_max(m->gap[i], gap);
    }
    if (m->count > 0)
        m->gap[deepest] = gap;
}

/* Sees to it that the nearest points are among those of the manifold: p of the core of a, and
 * `gap`.
 */
TL_NARROW void tlk_touch_nearest(tlk_facing *t, const double *p, double gap, tlk_manifold *m)
{
    uint32_t nearest = 0;
    double close = INFINITY;
    const double x = tlk_dotd(p, t->frame.t), y = tlk_dotd(p, t->frame.u);
    if (!(gap <= t->limit)) {
        m->count = 0;
        return;
    }
    if (m->count > 0 && t->least <= gap + TLK_FLUSH * t->scale) {
        tlk_touch_level(gap, m);
        return;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const double dx = tlk_dotd(m->at[i], t->frame.t) - x;
        const double dy = tlk_dotd(m->at[i], t->frame.u) - y;
        if (dx * dx + dy * dy < close)
            close = dx * dx + dy * dy, nearest = i;
    }
    if (m->count == TLK_POINTS_MOST || close < 1e-4 * t->scale * t->scale) {
        /* in the place of the point that it is nearest to */
        m->count--;
        m->gap[nearest] = m->gap[m->count];
        m->feature[nearest] = m->feature[m->count];
        for (int k = 0; k < 3; k++)
            m->at[nearest][k] = m->at[m->count][k];
    }
    tlk_touch_add(t, x, y, tlk_dotd(p, t->frame.n), gap,
                  tlk_feature_id(tlk_feature_name(&t->a), tlk_feature_name(&t->b)), m);
}

/* The manifold along n, where the cores have the separation s (m) and p, if known, is the point of
 * the core of a that is nearest to b. Without p, false where none of the features' points is as
 * near as that: then s is not their distance, or it must be found where they are nearest. */
TL_RARE bool tlk_touch_along(const tlk_convex *a, const tlk_convex *b, const double *n, double s,
                             const double *p, double limit, double scale, tlk_manifold *m)
{
    tlk_facing t;
    tlk_touch_features(a, b, n, limit, scale, &t, m);
    const double gap = s - t.bulge;
    if (p != NULL) {
        tlk_touch_nearest(&t, p, gap, m);
        return true;
    }
    if (!(t.least <= gap + 1e-11 * scale))
        return false;
    tlk_touch_level(gap, m);
    return true;
}

#endif
