/* Cylinders that are touched on their side: by another, or by a core of straight edges. A cylinder
 * is part of a capsule about the same axis, whose core, a segment, has its distance from the other
 * core in a few turns; that of curved cores is found by many that come nearer and nearer. Where the
 * shortest way is across the axis it ends on the cylinder itself. */
#ifndef TL_KERNELS_NARROW_CYLINDER_H
#define TL_KERNELS_NARROW_CYLINDER_H

#include "kernels/narrow/shallow.h"

/* The axis of a cylinder as a core; other cores as they are. */
TL_NARROW void tlk_cylinder_axis(const tlk_convex *s, tlk_convex *axis)
{
    *axis = *s;
    if (s->kind == TLK_CYLINDER)
        axis->kind = TLK_CAPSULE;
}

TL_NARROW double tlk_side_radius(const tlk_convex *s)
{
    return s->kind == TLK_CYLINDER ? s->size[0] : 0;
}

/* Tries the best direction so far made to be across the axis of a cylinder that it nearly is
 * across: where a line of its side lies over a face and reaches beyond it, the normal of the face
 * is off by however little they are tilted, and this is not. */
TL_NARROW void tlk_try_across(const tlk_convex *a, const tlk_convex *b, double slack,
                              tlk_axis *best)
{
    for (int turn = 0; turn < 2; turn++) {
        const tlk_convex *s = turn ? b : a;
        const double *axis = s->axis + 6, along = tlk_dotd(best->n, axis);
        if (s->kind != TLK_CYLINDER || along == 0 || !(fabs(along) <= TLK_EDGE_SINE))
            continue;
        double n[3];
        for (int k = 0; k < 3; k++)
            n[k] = best->n[k] - along * axis[k];
        tlk_unit(n);
        tlk_try_axis(a, b, n, slack, best);
    }
}

/* True where the manifold is done, or empty. best: a direction to start with, and its separation.
 *
 * The planes across n, the shortest way of length d between the axes, are as far apart as the
 * capsules are, d - r with the sum r of the radii, where n is across the axes: then that is the
 * distance of the cylinders. Where they overlap it is the depth, if they are shallow. */
TL_RARE bool tlk_touch_side(const tlk_convex *a, const tlk_convex *b, double limit, double scale,
                            const tlk_axis *best, tlk_manifold *m)
{
    const double zero[3] = {0, 0, 0}, of_a = tlk_side_radius(a), r = of_a + tlk_side_radius(b);
    const double far = limit + a->rounding + b->rounding;
    tlk_convex axis_a, axis_b;
    tlk_simplex x;
    double n[3], p[3], q[3];
    m->count = 0;
    tlk_cylinder_axis(a, &axis_a);
    tlk_cylinder_axis(b, &axis_b);
    if (!(r > 0) || !tlk_is_polytope(axis_a.kind) || !tlk_is_polytope(axis_b.kind))
        return false;
    const uint32_t how =
        tlk_distance(&axis_a, &axis_b, zero, best->n, far + r, 1e-6 * scale, scale, &x);
    if (how != TLK_CORES_APART)
        return how == TLK_CORES_FAR;
    const double d = sqrt(tlk_dotd(x.v, x.v));
    for (int k = 0; k < 3; k++)
        n[k] = x.v[k] / d;
    const double s = tlk_separation(a, b, n, p, q);
    if (!(fabs(s - (d - r)) <= 0.5 * TLK_TILT * scale)) /* not across the axes */
        return false;
    tlk_simplex_point(&x, p);
    for (int k = 0; k < 3; k++)
        p[k] += of_a * n[k];
    tlk_touch_along(a, b, n, s, p, limit, scale, m);
    return s > 0 || tlk_is_shallow(a, b, s, scale, m);
}

#endif
