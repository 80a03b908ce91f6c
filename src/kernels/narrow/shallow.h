/* Whether two cores that overlap along n, where their features touch as deep as their planes, do so
 * by less in no other direction. Each holds a ball that touches its surface from inside where they
 * touch; so their difference holds one of the sum of the radii, which touches its surface beside 0
 * (Blaschke). Unless the depth is more than this sum, the ball around 0 that is as large as the
 * depth is part of it: nothing of the surface is nearer. */
#ifndef TL_KERNELS_NARROW_SHALLOW_H
#define TL_KERNELS_NARROW_SHALLOW_H

#include "kernels/narrow/clip.h"

/* A tilt l of a cylinder's side counts as none where l^2 is less: distances and depths are off by
 * about so much of the size of the shapes. */
#define TLK_TILT 2e-9

/* How large a ball may be that touches a surface at p, with the outward unit normal n, and lies
 * below the faces of a core. */
TL_NARROW double tlk_ball_below_faces(const tlk_convex *s, const double *p, const double *n)
{
    double most = INFINITY;
    for (uint32_t i = 0; i < tlk_face_count(s); i++) {
        double of[3];
        const double below = tlk_face(s, i, of) - tlk_dotd(of, p), lean = 1 - tlk_dotd(of, n);
        if (lean > 1e-12) /* another face */
            most = tlk_min(most, below / lean);
    }
    return most;
}

/* The radius of a ball in a core that touches its surface from inside at p, where the outward
 * normal is n; 0 where there is none, or none is known. */
TL_RARE double tlk_ball_inside(const tlk_convex *s, const double *p, const double *n)
{
    double ball = 0;
    if (s->kind == TLK_BOX || s->kind == TLK_HULL) {
        ball = tlk_ball_below_faces(s, p, n);
    } else if (s->kind == TLK_CYLINDER) {
        double l[3], d[3], at[3] = {p[0] - s->origin[0], p[1] - s->origin[1], p[2] - s->origin[2]};
        tlk_to_local(s, n, l);
        tlk_to_local(s, at, d);
        const double off = sqrt(d[0] * d[0] + d[1] * d[1]), end = s->size[2] - fabs(d[2]);
        if (l[2] * l[2] <=
            TLK_TILT) /* on its side; the ball reaches through it by l2^2/2 of itself */
            ball = tlk_min(s->size[0], end);
        else if (fabs(l[2]) > 1 - 1e-12) /* on an end */
            ball = tlk_min(s->size[2], s->size[0] - off);
    } else if (s->kind == TLK_ELLIPSOID) {
        const double *h = s->size, low = tlk_min(h[0], tlk_min(h[1], h[2]));
        ball = low * low / tlk_max(h[0], tlk_max(h[1], h[2]));
    }
    return tlk_max(ball, 0.0);
}

/* Cores that overlap by d = -s along n at their deepest, and by d - g at p of a. The balls, R in
 * all, then leave out directions up to an angle t from n, cos t = (R - d) / (R - d + g). As one
 * point of the difference is at depth d, such directions gain d (1 - cos t) at most. */
TL_RARE bool tlk_is_shallow_at(const tlk_convex *a, const tlk_convex *b, const double *n, double s,
                               double g, double scale, const double *p)
{
    const double back[3] = {-n[0], -n[1], -n[2]}, gap = s + g;
    const double q[3] = {p[0] + gap * n[0], p[1] + gap * n[1], p[2] + gap * n[2]};
    const double balls = tlk_ball_inside(a, p, n) + tlk_ball_inside(b, q, back);
    return -s < 0.9 * balls && -s * g <= TLK_TILT * scale * (balls + s);
}

/* The same from the middle of the deepest points of their manifold, or else of all of them: a line
 * of a side that is hardly tilted is deepest at one end, where no ball touches it. */
TL_RARE bool tlk_is_shallow(const tlk_convex *a, const tlk_convex *b, double s, double scale,
                            const tlk_manifold *m)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        least = tlk_min(least, m->gap[i]);
    for (int all = 0; all < 2; all++) {
        double p[3] = {0, 0, 0}, count = 0, sum = 0;
        for (uint32_t i = 0; i < m->count; i++)
            if (all || m->gap[i] <= least - 1e-3 * s) {
                count++;
                sum += m->gap[i] - least;
                for (int k = 0; k < 3; k++)
                    p[k] += m->at[i][k];
            }
        for (int k = 0; k < 3; k++) /* of the core, without what is rolled around it */
            p[k] = p[k] / tlk_max(count, 1.0) - a->rounding * m->n[k];
        if (count > 0 && tlk_is_shallow_at(a, b, m->n, s, all ? sum / count : 0, scale, p))
            return true;
    }
    return false;
}

#endif
