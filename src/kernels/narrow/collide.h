/* Contact points of two convex shapes: chooses among the files of this folder. */
#ifndef TL_KERNELS_NARROW_COLLIDE_H
#define TL_KERNELS_NARROW_COLLIDE_H

#include "kernels/narrow/clip.h"
#include "kernels/narrow/epa.h"
#include "kernels/narrow/plane.h"

/* Turns a manifold of (b, a) into that of (a, b). */
TL_KERNEL void tlk_manifold_turn(tlk_manifold *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        for (int k = 0; k < 3; k++)
            m->at[i][k] += m->gap[i] * m->n[k];
        const uint32_t more = m->key[i] >> 20;
        m->key[i] = (more << 20) + tlk_key(m->key[i] & 1023, m->key[i] >> 10 & 1023);
    }
    for (int k = 0; k < 3; k++)
        m->n[k] = -m->n[k];
}

/* Whether b goes first: kinds in their order; of one kind, the one whose size, or else the place of
 * the other in whose frame, is less. It decides only which of two equal answers is given. */
TL_KERNEL bool tlk_second_first(const tlk_convex *a, const tlk_convex *b)
{
    if (a->kind != b->kind)
        return b->kind == TLK_PLANE || (a->kind != TLK_PLANE && b->kind < a->kind);
    for (int k = 0; k < 3; k++) {
        const double slack = 1e-9 * (fabs(a->size[k]) + fabs(b->size[k]));
        if (fabs(a->size[k] - b->size[k]) > slack)
            return b->size[k] < a->size[k];
    }
    if (fabs(a->rounding - b->rounding) > 1e-9 * (a->rounding + b->rounding))
        return b->rounding < a->rounding;
    double d[3], at_a[3], at_b[3];
    for (int k = 0; k < 3; k++)
        d[k] = b->origin[k] - a->origin[k];
    tlk_to_local(a, d, at_a);
    tlk_to_local(b, d, at_b);
    const double slack = 1e-9 * sqrt(tlk_dotd(d, d));
    for (int k = 0; k < 3; k++) {
        if (fabs(at_a[k] + at_b[k]) > slack)
            return -at_b[k] < at_a[k];
    }
    return false;
}

/* A direction across two cores neither of which has a face: points and segments that meet. */
TL_KERNEL void tlk_try_thin(const tlk_convex *a, const tlk_convex *b, tlk_axis *best)
{
    double n[3] = {0, 0, 1};
    if (a->kind == TLK_CAPSULE || b->kind == TLK_CAPSULE) {
        const tlk_convex *s = a->kind == TLK_CAPSULE ? a : b;
        for (int k = 0; k < 3; k++)
            n[k] = s->axis[k];
    }
    tlk_try_axis(a, b, n, 0, best);
}

/* Any two shapes but planes. */
TL_RARE void tlk_collide_general(const tlk_convex *a, const tlk_convex *b, double limit,
                                 const double *guess, tlk_manifold *m)
{
    const double bulge = a->rounding + b->rounding, none[3] = {0, 0, 0};
    const double reach = tlk_reach(a) + tlk_reach(b), scale = reach + bulge;
    const double far = limit + bulge, slack = 1e-12 * scale;
    double n[3];
    m->count = 0;
    for (int k = 0; k < 3; k++)
        n[k] = guess != NULL ? guess[k] : b->origin[k] - a->origin[k];
    if (!(tlk_unit(n) > 0))
        n[0] = 0, n[1] = 0, n[2] = 1;
    tlk_axis best;
    best.s = -INFINITY;
    tlk_try_axis(a, b, n, 0, &best);
    if (best.s > far)
        return;
    tlk_axis face = best; /* the guess serves to leave out faces, but is none itself */
    face.s = best.s < 0 ? best.s : -INFINITY;
    tlk_try_faces(a, b, false, far, slack, &face);
    tlk_try_faces(b, a, true, far, slack, &face);
    if (face.s > far)
        return;
    tlk_touch t;
    if (face.s > slack) {
        const double least = tlk_touch_features(a, b, face.n, limit, scale, &t, m);
        if (least <= face.s - bulge + 1e-11 * scale) {
            /* a point is over the face, as near as the planes are: it is nearest */
            tlk_touch_floor(face.s - bulge, m);
            return;
        }
    }
    tlk_simplex x;
    const uint32_t how = tlk_distance(a, b, none, face.n, far, 1e-10 * scale, scale, &x);
    m->count = 0;
    if (how == TLK_CORES_FAR)
        return;
    double p[3];
    if (how == TLK_CORES_APART) {
        double gap = sqrt(tlk_dotd(x.v, x.v));
        for (int k = 0; k < 3; k++)
            n[k] = face.s >= gap - 1e-11 * scale ? face.n[k] : x.v[k] / gap;
        tlk_simplex_point(&x, p);
        tlk_touch_features(a, b, n, limit, scale, &t, m);
        tlk_touch_nearest(&t, p, gap - bulge, m);
        return;
    }
    if (tlk_is_polytope(a->kind) && tlk_is_polytope(b->kind)) {
        if (tlk_face_count(a) + tlk_face_count(b) == 0)
            tlk_try_thin(a, b, &face);
        tlk_try_edges(a, b, slack, &face);
    } else {
        tlk_try_all(a, b, scale, &face);
    }
    /* the nearest points: those of the cores once they are moved apart */
    const double away = tlk_max(-face.s, 0.0) + 1e-3 * scale;
    const double shift[3] = {away * face.n[0], away * face.n[1], away * face.n[2]};
    const double least = tlk_touch_features(a, b, face.n, limit, scale, &t, m);
    if (least <= face.s - bulge + 1e-11 * scale) {
        tlk_touch_floor(face.s - bulge, m);
        return;
    }
    tlk_distance(a, b, shift, face.n, INFINITY, 0, scale, &x);
    tlk_simplex_point(&x, p);
    tlk_touch_nearest(&t, p, face.s - bulge, m);
}

/* Contact points of two convex shapes within `limit` (m) of each other; count 0 where they are
 * farther apart. `guess`: a normal from a to b that was right a step ago, or NULL; only a start. */
TL_RARE void tlk_collide_convex(const tlk_convex *a, const tlk_convex *b, double limit,
                                const double *guess, tlk_manifold *m)
{
    const bool turn = tlk_second_first(a, b);
    const tlk_convex *first = turn ? b : a, *second = turn ? a : b;
    if (first->kind == TLK_PLANE) {
        tlk_plane_any(first, second, limit, m);
    } else {
        double back[3];
        for (int k = 0; k < 3 && guess != NULL; k++)
            back[k] = turn ? -guess[k] : guess[k];
        tlk_collide_general(first, second, limit, guess != NULL ? back : NULL, m);
    }
    if (turn)
        tlk_manifold_turn(m);
}

#endif
