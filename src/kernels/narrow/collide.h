/* Contact points of two convex shapes: chooses among the files of this folder. */
#ifndef TL_KERNELS_NARROW_COLLIDE_H
#define TL_KERNELS_NARROW_COLLIDE_H

#include "kernels/narrow/box_box.h"
#include "kernels/narrow/cylinder.h"
#include "kernels/narrow/epa.h"
#include "kernels/narrow/plane.h"

/* Turns a manifold of (b, a) into that of (a, b). */
TL_NARROW void tlk_manifold_turn(tlk_manifold *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        for (int k = 0; k < 3; k++)
            m->at[i][k] += m->gap[i] * m->n[k];
        const uint32_t more = m->feature[i] >> 20;
        m->feature[i] =
            (more << 20) + tlk_feature_id(m->feature[i] & 1023, m->feature[i] >> 10 & 1023);
    }
    for (int k = 0; k < 3; k++)
        m->n[k] = -m->n[k];
}

/* Whether b goes first: kinds in their order; of one kind, the one whose size, or else the place of
 * the other in whose frame, is less. It decides only which of two equal answers is given. */
TL_NARROW bool tlk_second_first(const tlk_convex *a, const tlk_convex *b)
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
TL_NARROW void tlk_try_thin(const tlk_convex *a, const tlk_convex *b, tlk_axis *best)
{
    double n[3] = {0, 0, 1};
    if (a->kind == TLK_CAPSULE || b->kind == TLK_CAPSULE) {
        const tlk_convex *s = a->kind == TLK_CAPSULE ? a : b;
        for (int k = 0; k < 3; k++)
            n[k] = s->axis[k];
    }
    tlk_try_axis(a, b, n, 0, best);
}

/* The distance of the cores after b is moved by `away` (m) along best->n: its direction (unless
 * that of best is as good), the distance and the point of a. */
TL_RARE uint32_t tlk_nearest_points(const tlk_convex *a, const tlk_convex *b, double away,
                                    double far, double scale, tlk_axis *best)
{
    tlk_simplex x;
    const double shift[3] = {away * best->n[0], away * best->n[1], away * best->n[2]};
    const uint32_t how =
        tlk_distance(a, b, shift, best->n, far, away > 0 ? 0 : 1e-10 * scale, scale, &x);
    if (how == TLK_CORES_APART) {
        const double gap = sqrt(tlk_dotd(x.v, x.v));
        const bool better = best->s < gap - 1e-11 * scale;
        for (int k = 0; k < 3 && better; k++)
            best->n[k] = x.v[k] / gap;
        best->loose = better && !tlk_simplex_crosses(&x, scale);
        best->s = gap;
        tlk_simplex_point(&x, best->p);
        double p[3], q[3];
        if (!tlk_is_polytope(a->kind) || !tlk_is_polytope(b->kind))
            best->s = tlk_separation(a, b, best->n, p, q); /* of this normal, which is not exact */
    }
    return how;
}

/* The direction of least penetration of cores that overlap, or nearly; best: one to start with. */
TL_RARE void tlk_least_penetration(const tlk_convex *a, const tlk_convex *b, double scale,
                                   tlk_axis *best)
{
    if (!(best->s > -INFINITY)) /* there was no face */
        best->s = tlk_separation(a, b, best->n, best->p, best->q);
    if (!tlk_is_polytope(a->kind) || !tlk_is_polytope(b->kind)) {
        tlk_try_all(a, b, false, scale, best);
        return;
    }
    if (tlk_face_count(a) + tlk_face_count(b) == 0)
        tlk_try_thin(a, b, best);
    tlk_try_edges(a, b, 1e-12 * scale, best);
}

/* The points of cores that overlap along the direction of least penetration. */
TL_RARE void tlk_touch_deep(const tlk_convex *a, const tlk_convex *b, const tlk_axis *best,
                            double limit, double scale, tlk_manifold *m)
{
    if (tlk_touch_along(a, b, best->n, best->s, NULL, limit, scale, m))
        return;
    /* the nearest points: those of the cores once they are moved apart */
    tlk_axis apart = *best;
    tlk_support(a, best->n, apart.p);
    tlk_nearest_points(a, b, tlk_max(-best->s, 0.0) + 1e-3 * scale, INFINITY, scale, &apart);
    tlk_touch_along(a, b, best->n, best->s, apart.p, limit, scale, m);
}

/* The direction of a guess, or that of the origins. */
TL_NARROW void tlk_try_guess(const tlk_convex *a, const tlk_convex *b, const double *guess,
                             tlk_axis *best)
{
    for (int k = 0; k < 3; k++)
        best->n[k] = guess != NULL ? guess[k] : b->origin[k] - a->origin[k];
    if (!(tlk_unit(best->n) > 0))
        best->n[0] = 0, best->n[1] = 0, best->n[2] = 1;
    best->s = tlk_separation(a, b, best->n, best->p, best->q);
}

/* Those of all faces, as far as the guess leaves any that may be better. */
TL_NARROW void tlk_try_sides(const tlk_convex *a, const tlk_convex *b, double far, double slack,
                             tlk_axis *best)
{
    if (best->s >= 0) /* of cores that are apart, faces first: a guess is not quite right */
        best->s = -INFINITY;
    tlk_try_faces(a, b, false, far, slack, best);
    tlk_try_faces(b, a, true, far, slack, best);
}

/* Curved cores that overlap, where the best direction so far is at least locally the best one. True
 * where the manifold is done; else best is the best of all. */
TL_NARROW bool tlk_touch_curved(const tlk_convex *a, const tlk_convex *b, double limit,
                                double scale, tlk_axis *best, tlk_manifold *m)
{
    tlk_try_all(a, b, true, scale, best);
    if (best->s > 1e-10 * scale)
        return false;
    tlk_touch_deep(a, b, best, limit, scale, m);
    return true;
}

/* Ellipsoids and spheres; false where the search did not end. */
TL_NARROW bool tlk_touch_smooth(const tlk_convex *a, const tlk_convex *b, double limit,
                                double scale, tlk_axis *best, tlk_manifold *m)
{
    const double bulge = a->rounding + b->rounding;
    best->s = tlk_separation(a, b, best->n, best->p, best->q);
    if (!tlk_climb_smooth(a, b, limit + bulge, 1e-11 * scale, best))
        return false;
    if (best->s > limit + bulge)
        return true;
    if (best->s > 1e-10 * scale) {
        tlk_touch_along(a, b, best->n, best->s, best->p, limit, scale, m);
    } else {
        if (!tlk_is_shallow_at(a, b, best->n, best->s, 0, scale, best->p)) {
            tlk_try_all(a, b, true, scale, best);
            if (best->s < -0.05 * scale)
                tlk_climb_around(a, b, scale, best);
        }
        tlk_touch_deep(a, b, best, limit, scale, m);
    }
    return true;
}

/* Cores that are apart, by their distance; false where they overlap. best: the best face. */
TL_RARE bool tlk_touch_apart(const tlk_convex *a, const tlk_convex *b, double limit, double scale,
                             tlk_axis *best, tlk_manifold *m)
{
    const double far = limit + a->rounding + b->rounding;
    const uint32_t how = tlk_nearest_points(a, b, 0, far, scale, best);
    m->count = 0;
    if (how == TLK_CORES_APART) {
        tlk_touch_along(a, b, best->n, best->s, best->p, limit, scale, m);
        m->firm = m->firm && !best->loose;
    }
    return how != TLK_CORES_OVERLAP;
}

/* Any two shapes but planes. */
TL_RARE void tlk_collide_general(const tlk_convex *a, const tlk_convex *b, double limit,
                                 const double *guess, tlk_manifold *m)
{
    const double bulge = a->rounding + b->rounding, far = limit + bulge;
    const bool boxes = a->kind == TLK_BOX && b->kind == TLK_BOX;
    const bool straight = tlk_is_polytope(a->kind) && tlk_is_polytope(b->kind);
    tlk_axis best;
    m->count = 0;
    if (!boxes) {
        tlk_try_guess(a, b, guess, &best);
        if (best.s > far)
            return;
    }
    const double scale = tlk_core_reach(a) + tlk_core_reach(b) + bulge, slack = 1e-12 * scale;
    if (boxes)
        tlk_try_boxes(a, b, far, slack, &best);
    else
        tlk_try_sides(a, b, far, slack, &best);
    if (!straight)
        tlk_try_across(a, b, slack, &best);
    if (best.s > far)
        return;
    if (tlk_is_smooth(a->kind) && tlk_is_smooth(b->kind) &&
        tlk_touch_smooth(a, b, limit, scale, &best, m))
        return;
    if (boxes && best.s <= slack) {
        tlk_touch_deep(a, b, &best, limit, scale, m);
        return;
    }
    /* a point over a face, as near as its plane is: it is nearest; as deep: at least locally */
    const bool over = (best.s > slack || (!straight && best.s > -INFINITY)) &&
                      tlk_touch_along(a, b, best.n, best.s, NULL, limit, scale, m);
    if (over && (best.s > slack || tlk_is_shallow(a, b, best.s, scale, m)))
        return;
    if (!straight && tlk_touch_side(a, b, limit, scale, &best, m))
        return;
    if (over && tlk_touch_curved(a, b, limit, scale, &best, m))
        return;
    if (tlk_touch_apart(a, b, limit, scale, &best, m))
        return;
    tlk_least_penetration(a, b, scale, &best);
    tlk_touch_deep(a, b, &best, limit, scale, m);
}

/* Kinds that do not roll. */
TL_NARROW bool tlk_is_flat(uint32_t kind)
{
    return kind == TLK_PLANE || kind == TLK_BOX || kind == TLK_PARALLELOGRAM || kind == TLK_HULL;
}

/* Contact points of two convex shapes within `limit` (m) of each other; count 0 where they are
 * farther apart. `guess`: a normal from a to b that was right a step ago, or NULL; only a start. */
TL_RARE void tlk_collide_convex(const tlk_convex *a, const tlk_convex *b, double limit,
                                const double *guess, tlk_manifold *m)
{
    const bool turn = tlk_second_first(a, b);
    m->firm = tlk_is_flat(a->kind) && tlk_is_flat(b->kind);
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
