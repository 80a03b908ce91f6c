/* The direction of least penetration of two cores that overlap. Their separation s(n) along a unit
 * vector n is the signed distance where it is greatest. For polytopes it is greatest along the
 * normal of a face of either or across two edges; epa.h searches those of curved cores. */
#ifndef TL_KERNELS_NARROW_AXES_H
#define TL_KERNELS_NARROW_AXES_H

#include "kernels/narrow/gjk.h"

/* The best direction so far, its separation, and points of a and b that are farthest along it. */
typedef struct tlk_axis {
    double n[3], s, p[3], q[3];
    bool loose; /* not the normal of a face, nor across two edges: it turns as points move */
} tlk_axis;

/* Tries the unit vector n; one that is hardly better does not count, so that equals do not flicker.
 */
TL_NARROW bool tlk_try_axis(const tlk_convex *a, const tlk_convex *b, const double *n, double slack,
                            tlk_axis *best)
{
    double p[3], q[3];
    const double s = tlk_separation(a, b, n, p, q);
    if (!(s > best->s + slack))
        return false;
    best->s = s;
    for (int k = 0; k < 3; k++) {
        best->n[k] = n[k];
        best->p[k] = p[k];
        best->q[k] = q[k];
    }
    return true;
}

/* The normals of the faces of `own`; `turned`: own is b. Stops where cores are farther apart than
 * `limit`. A face cannot be better than the best where a point of the other is too deep below it.
 */
TL_RARE void tlk_try_faces(const tlk_convex *own, const tlk_convex *other, bool turned,
                           double limit, double slack, tlk_axis *best)
{
    const uint32_t count = tlk_face_count(own);
    double seen[3], local[3];
    for (int k = 0; k < 3; k++)
        seen[k] = (turned ? best->p[k] : best->q[k]) - own->origin[k];
    tlk_to_local(own, seen, local);
    for (uint32_t i = 0; i < count && best->s <= limit; i++) {
        double n[3], x[3];
        if (own->kind == TLK_HULL) { /* many faces: in the hull's frame */
            const double *plane = tlk_hull_plane(own->vertex, own->words, i);
            if (tlk_dotd(plane, local) - plane[3] <= best->s + slack)
                continue;
        }
        const double offset = tlk_face(own, i, n);
        if (tlk_dotd(n, seen) + tlk_dotd(n, own->origin) - offset <= best->s + slack ||
            !(tlk_dotd(n, n) > 0.5))
            continue; /* or a triangle without area */
        const double back[3] = {-n[0], -n[1], -n[2]};
        tlk_support(other, back, x);
        const double s = tlk_dotd(n, x) - offset;
        if (s <= best->s + slack)
            continue;
        best->s = s;
        for (int k = 0; k < 3; k++) {
            best->n[k] = turned ? back[k] : n[k];
            if (turned)
                best->p[k] = x[k];
            else
                best->q[k] = x[k];
            seen[k] = x[k] - own->origin[k];
        }
        tlk_to_local(own, seen, local);
    }
}

/* Where the lines p + t e and q + u f are nearest, with c = e x f. */
TL_NARROW void tlk_cross_lines(const double *e, const double *f, const double *c, const double *pq,
                               double *t, double *u)
{
    const double cc = tlk_dotd(c, c);
    double x[3];
    tlk_crossd(pq, f, x);
    *t = tlk_dotd(x, c) / cc;
    tlk_crossd(pq, e, x);
    *u = tlk_dotd(x, c) / cc;
}

/* An edge of s seen in the frame of `frame`, whose axes are unit vectors, or in the world (NULL).
 */
TL_NARROW void tlk_edge_in(const tlk_convex *s, uint32_t edge, const tlk_convex *frame, double *p,
                           double *e)
{
    double x[3], along[3];
    if (s == frame) {
        tlk_edge_local(s, edge, p, e);
        return;
    }
    tlk_edge_local(s, edge, x, along);
    tlk_to_world(s, x, p);
    tlk_turn_to_world(s, along, e);
    if (frame != NULL) {
        for (int k = 0; k < 3; k++) {
            x[k] = p[k] - frame->origin[k];
            along[k] = e[k];
        }
        tlk_to_local(frame, x, p);
        tlk_to_local(frame, along, e);
    }
}

/* The directions across an edge of a and one of b. Of cores that overlap by d = -best->s, the best
 * pair of edges crosses within d; so edges that begin and end farther than 2 d from the planes of
 * the best direction are left out at once. Works in the frame of b, which may have many edges. */
TL_RARE void tlk_try_edges(const tlk_convex *a, const tlk_convex *b, double slack, tlk_axis *best)
{
    const uint32_t na = tlk_edge_count(a), nb = tlk_edge_count(b);
    const tlk_convex *frame = b->kind == TLK_PARALLELOGRAM ? NULL : b;
    if (na == 0 || nb == 0)
        return;
    tlk_separation(a, b, best->n, best->p, best->q);
    for (uint32_t i = 0; i < na; i++) {
        double p[3], e[3], by[3] = {best->n[0], best->n[1], best->n[2]};
        const double depth = tlk_max(-best->s, 0.0) + slack;
        double low = tlk_dotd(by, best->q) - depth;
        if (frame != NULL) {
            low -= tlk_dotd(by, frame->origin);
            tlk_to_local(frame, best->n, by);
        }
        tlk_edge_in(a, i, frame, p, e);
        const double high = low + 3 * depth, ee = tlk_dotd(e, e);
        if (tlk_dotd(by, p) + tlk_max(tlk_dotd(by, e), 0.0) < low)
            continue;
        for (uint32_t j = 0; j < nb; j++) {
            double q[3], f[3], c[3], pq[3], n[3], t, u;
            tlk_edge_in(b, j, frame, q, f);
            if (tlk_dotd(by, q) + tlk_min(tlk_dotd(by, f), 0.0) > high)
                continue;
            tlk_crossd(e, f, c);
            for (int k = 0; k < 3; k++)
                pq[k] = q[k] - p[k];
            const double cc = tlk_dotd(c, c), h = tlk_dotd(c, pq), most = ee * tlk_dotd(f, f);
            if (h * h > depth * depth * cc || !(cc > 1e-20 * most))
                continue;
            tlk_cross_lines(e, f, c, pq, &t, &u);
            const double within = 1e-9 + 1e-14 * most / cc; /* rounding, of nearly parallel edges */
            if (t < -within || t > 1 + within || u < -within || u > 1 + within)
                continue;
            if (frame != NULL)
                tlk_turn_to_world(frame, c, n);
            else
                n[0] = c[0], n[1] = c[1], n[2] = c[2];
            const double length = tlk_unit(n);
            const double m[3] = {-n[0], -n[1], -n[2]};
            if (h <= slack * length)
                tlk_try_axis(a, b, n, slack, best);
            if (h >= -slack * length)
                tlk_try_axis(a, b, m, slack, best);
        }
    }
}

#endif
