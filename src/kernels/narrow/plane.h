/* A half-space and any other shape. */
#ifndef TL_KERNELS_NARROW_PLANE_H
#define TL_KERNELS_NARROW_PLANE_H

#include "kernels/narrow/clip.h"

/* `a` is the plane. */
TL_RARE void tlk_plane_any(const tlk_convex *a, const tlk_convex *b, double limit, tlk_manifold *m)
{
    const double *n = a->axis + 6;
    const double back[3] = {-n[0], -n[1], -n[2]}, base = tlk_dotd(n, a->origin);
    double q[3];
    m->count = 0;
    for (int k = 0; k < 3; k++)
        m->n[k] = n[k];
    if (b->kind == TLK_PLANE)
        return; /* half-spaces have no least overlap */
    tlk_support(b, back, q);
    const double gap = tlk_dotd(n, q) - base - a->rounding - b->rounding;
    if (!(gap <= limit))
        return;
    tlk_facing t;
    tlk_plane_frame_of(n, &t.frame);
    t.round = a->rounding;
    t.bulge = a->rounding + b->rounding;
    t.limit = limit;
    t.scale = tlk_core_reach(b) + b->rounding;
    tlk_feature_of(b, &t.frame, -1, &t.b);
    t.a.count = 0;
    t.a.height[0] = base;
    t.a.height[1] = t.a.height[2] = 0;
    if (t.b.count > 1) {
        tlk_polygon g;
        g.count = t.b.count;
        for (uint32_t i = 0; i < g.count; i++) {
            g.xy[i][0] = t.b.xy[i][0];
            g.xy[i][1] = t.b.xy[i][1];
            g.fa[i] = TLK_INSIDE_ID;
            g.fb[i] = (uint16_t)t.b.id[i];
        }
        tlk_touch_reduce(&t, &g, m);
    }
    for (int k = 0; k < 3; k++)
        q[k] -= n[k] * (gap + t.bulge);
    tlk_touch_nearest(&t, q, gap, m);
}

#endif
