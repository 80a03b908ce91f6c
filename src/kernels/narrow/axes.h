/* The direction of least penetration of two cores that overlap. Their separation s(n) along a unit
 * vector n is the signed distance where it is greatest. For polytopes it is greatest along the
 * normal of a face of either or across two edges; epa.h searches those of curved cores. */
#ifndef TL_KERNELS_NARROW_AXES_H
#define TL_KERNELS_NARROW_AXES_H

#include "kernels/narrow/gjk.h"

/* The best direction so far, its separation, and points of a and b that are farthest along it. */
typedef struct tlk_axis {
    double n[3], s, p[3], q[3];
} tlk_axis;

/* Tries the unit vector n; one that is hardly better does not count, so that equals do not flicker.
 */
TL_KERNEL bool tlk_try_axis(const tlk_convex *a, const tlk_convex *b, const double *n, double slack,
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
    for (uint32_t i = 0; i < count && best->s <= limit; i++) {
        double n[3], x[3];
        const double offset = tlk_face(own, i, n);
        const double *seen = turned ? best->p : best->q;
        if (tlk_dotd(n, seen) - offset <= best->s + slack || !(tlk_dotd(n, n) > 0.5))
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
        }
    }
}

/* Where the lines p + t e and q + u f are nearest, with c = e x f. */
TL_KERNEL void tlk_cross_lines(const double *e, const double *f, const double *c, const double *pq,
                               double *t, double *u)
{
    const double cc = tlk_dotd(c, c);
    double x[3];
    tlk_crossd(pq, f, x);
    *t = tlk_dotd(x, c) / cc;
    tlk_crossd(pq, e, x);
    *u = tlk_dotd(x, c) / cc;
}

/* The directions across an edge of a and one of b. Of cores that overlap by d = -best->s, the best
 * pair of edges crosses within d; so edges that begin and end farther than 2 d from the planes of
 * the best direction are left out at once. */
TL_RARE void tlk_try_edges(const tlk_convex *a, const tlk_convex *b, double slack, tlk_axis *best)
{
    const uint32_t na = tlk_edge_count(a), nb = tlk_edge_count(b);
    if (na == 0 || nb == 0)
        return;
    tlk_separation(a, b, best->n, best->p, best->q);
    for (uint32_t i = 0; i < na; i++) {
        double p[3], e[3];
        tlk_edge(a, i, p, e);
        const double depth = tlk_max(-best->s, 0.0) + slack;
        const double by[3] = {best->n[0], best->n[1], best->n[2]};
        const double low = tlk_dotd(by, best->q) - depth, high = low + 3 * depth;
        if (tlk_dotd(by, p) + tlk_max(tlk_dotd(by, e), 0.0) < low)
            continue;
        for (uint32_t j = 0; j < nb; j++) {
            double q[3], f[3], c[3], pq[3], t, u;
            tlk_edge(b, j, q, f);
            if (tlk_dotd(by, q) + tlk_min(tlk_dotd(by, f), 0.0) > high)
                continue;
            tlk_crossd(e, f, c);
            const double cc = tlk_dotd(c, c);
            if (!(cc > 1e-20 * tlk_dotd(e, e) * tlk_dotd(f, f)))
                continue;
            for (int k = 0; k < 3; k++)
                pq[k] = q[k] - p[k];
            const double h = tlk_dotd(c, pq);
            if (h * h > depth * depth * cc)
                continue;
            tlk_cross_lines(e, f, c, pq, &t, &u);
            if (t < -1e-9 || t > 1 + 1e-9 || u < -1e-9 || u > 1 + 1e-9)
                continue;
            const double inverse = 1 / sqrt(cc);
            const double n[3] = {c[0] * inverse, c[1] * inverse, c[2] * inverse};
            const double m[3] = {-n[0], -n[1], -n[2]};
            if (h * inverse <= slack)
                tlk_try_axis(a, b, n, slack, best);
            if (h * inverse >= -slack)
                tlk_try_axis(a, b, m, slack, best);
        }
    }
}

#endif
