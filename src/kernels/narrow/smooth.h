/* Ellipsoids and spheres among each other: the separation s(n) is smooth, and its greatest value is
 * found by Newton's method on the unit sphere. The gradient of s is w = q - p, the difference of
 * the farthest points; its second derivatives are those of the support functions. */
#ifndef TL_KERNELS_NARROW_SMOOTH_H
#define TL_KERNELS_NARROW_SMOOTH_H

#include "kernels/narrow/axes.h"

TL_NARROW bool tlk_is_smooth(uint32_t kind)
{
    return kind == TLK_ELLIPSOID || kind == TLK_SPHERE;
}

/* Adds the radii of curvature of a core at n, across it: the matrix xx, xy, yy in the plane of the
 * unit vectors t and u. Of h(n) = |S n| it is S S / |S n| but for the part along S S n. */
TL_NARROW void tlk_add_curvature(const tlk_convex *s, const double *n, const double *t,
                                 const double *u, double *xx, double *xy, double *yy)
{
    if (s->kind != TLK_ELLIPSOID)
        return;
    double a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
        a[k] = s->size[k] * tlk_dotd(n, s->axis + 3 * k);
        b[k] = s->size[k] * tlk_dotd(t, s->axis + 3 * k);
        c[k] = s->size[k] * tlk_dotd(u, s->axis + 3 * k);
    }
    const double length = sqrt(tlk_dotd(a, a)), square = tlk_dotd(a, a);
    const double ab = tlk_dotd(a, b), ac = tlk_dotd(a, c);
    *xx += (tlk_dotd(b, b) - ab * ab / square) / length;
    *xy += (tlk_dotd(b, c) - ab * ac / square) / length;
    *yy += (tlk_dotd(c, c) - ac * ac / square) / length;
}

/* Climbs from best->n to the next greatest separation; true where it is reached, within `exact` (m)
 * of what p and q are beside each other, or where s is more than `limit`. */
TL_RARE bool tlk_climb_smooth(const tlk_convex *a, const tlk_convex *b, double limit, double exact,
                              tlk_axis *best)
{
    for (uint32_t turn = 0; turn < 24; turn++) {
        double t[3], u[3], w[3], n[3], xx = 0, xy = 0, yy = 0;
        tlk_perpendicular(best->n, t);
        tlk_crossd(best->n, t, u);
        for (int k = 0; k < 3; k++)
            w[k] = best->q[k] - best->p[k];
        const double wt = tlk_dotd(w, t), wu = tlk_dotd(w, u);
        if (best->s > limit || wt * wt + wu * wu <= exact * exact)
            return true;
        tlk_add_curvature(a, best->n, t, u, &xx, &xy, &yy);
        tlk_add_curvature(b, best->n, t, u, &xx, &xy, &yy);
        const double trace = xx + yy;
        xx += best->s;
        yy += best->s;
        const double det = xx * yy - xy * xy;
        bool up = false;
        if (xx > 0 && det > 0) { /* a maximum is ahead */
            const double dt = (wt * yy - wu * xy) / det, du = (wu * xx - wt * xy) / det;
            for (int k = 0; k < 3; k++)
                n[k] = best->n[k] + dt * t[k] + du * u[k];
            tlk_unit(n);
            up = tlk_try_axis(a, b, n, 0, best);
        }
        /* or up the slope, by steps that become shorter */
        double step = 1 / (trace + fabs(best->s));
        for (uint32_t half = 0; half < 8 && !up; half++, step *= 0.25) {
            for (int k = 0; k < 3; k++)
                n[k] = best->n[k] + step * (wt * t[k] + wu * u[k]);
            tlk_unit(n);
            up = tlk_try_axis(a, b, n, 0, best);
        }
        if (!up) /* as good as rounding allows */
            return wt * wt + wu * wu <= 1e6 * exact * exact;
    }
    return false;
}

/* Deep overlaps have several greatest separations: climbs from the axes of both. */
TL_RARE void tlk_climb_around(const tlk_convex *a, const tlk_convex *b, double scale,
                              tlk_axis *best)
{
    for (uint32_t i = 0; i < 12; i++) {
        const double *axis = (i >= 6 ? b : a)->axis + 3 * ((i >> 1) % 3), sign = (i & 1) ? -1 : 1;
        tlk_axis here;
        for (int k = 0; k < 3; k++)
            here.n[k] = sign * axis[k];
        here.s = tlk_separation(a, b, here.n, here.p, here.q);
        if (tlk_climb_smooth(a, b, INFINITY, 1e-11 * scale, &here) &&
            here.s > best->s + 1e-10 * scale)
            *best = here;
    }
}

#endif
