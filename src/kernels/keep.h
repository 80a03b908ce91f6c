/* Manifolds that are kept: where two bodies have hardly moved against each other since the manifold
 * of two of their shapes was made, its points go along with the bodies, and the narrow phase is
 * left out. What is kept with each contact (TLK_KEPT reals):
 *    0..2   its point on the owner's surface, in the frame of the owner's body
 *    3      what rounding of these numbers takes from the gap, m
 *    4..6   its point on the partner's surface, in the frame of the partner's body
 *    7      the gap when it was made, m
 *    8..10  the normal, in the frame of the owner's body
 *    11     1 where it may be kept, else 0, and nothing else counts
 *    12..15 how the partner's body was turned, seen from the owner's, as a quaternion
 * A gap is the difference of two points of the bodies along the normal, so its error is of second
 * order in the motion: at most 1e-4 of the envelope at these limits. docs/theory.md has more. */
#ifndef TL_KERNELS_KEEP_H
#define TL_KERNELS_KEEP_H

#include "kernels/find.h"

#define TLK_KEEP_TURN 1e-3 /* rad: farther the bodies must not have turned, */
#define TLK_KEEP_WAY  0.02 /* of the envelope: nor points moved, */
#define TLK_KEEP_NEXT 0.1  /* of the envelope: nor may they be about to move in this step */

/* Where the bodies of two shapes are, seen from that of the owner. */
typedef struct tlk_poses {
    double ra[3][3], rb[3][3]; /* rotations */
    double d[3];               /* from the origin of a to that of b */
    double turn[4];            /* of b, seen from a */
} tlk_poses;

TL_KERNEL void tlk_load_poses(const tlk_find *f, uint32_t i, uint32_t j, tlk_poses *p)
{
    const size_t a = f->shapes.body[i], b = f->shapes.body[j];
    const double *x = f->bodies.pos + 4 * a, *y = f->bodies.pos + 4 * b;
    const double *q = f->bodies.quat + 4 * a, *r = f->bodies.quat + 4 * b;
    double cross[3];
    tlk_matrix(q, p->ra);
    tlk_matrix(r, p->rb);
    tlk_crossd(q + 1, r + 1, cross);
    p->turn[0] = q[0] * r[0] + tlk_dotd(q + 1, r + 1);
    for (int k = 0; k < 3; k++) {
        p->d[k] = y[k] - x[k];
        p->turn[1 + k] = q[0] * r[1 + k] - r[0] * q[1 + k] - cross[k];
    }
}

/* The square of the angle by which the bodies have turned against each other. */
TL_KERNEL double tlk_turned(const tlk_poses *p, const double *then)
{
    const double *now = p->turn;
    double cross[3], square = 0;
    tlk_crossd(then + 1, now + 1, cross);
    for (int k = 0; k < 3; k++) {
        const double half = then[0] * now[1 + k] - now[0] * then[1 + k] - cross[k];
        square += 4 * half * half;
    }
    return square;
}

/* The normal now: it turns with the body that is not dynamic, or is half way between those that
 * turn with the one and with the other. */
TL_KERNEL void tlk_kept_normal(const tlk_find *f, uint32_t i, uint32_t j, tlk_poses *p,
                               const double *own, const double *then, double *n)
{
    const bool only_a = f->shapes.info[i] & TLK_SHAPE_FIXED;
    const bool only_b = !only_a && f->shapes.info[j] & TLK_SHAPE_FIXED;
    double other[3], with_b[3], sum = 0;
    tlk_apply(p->ra, own, n);
    tlk_rotate_back(then, own, other);
    tlk_apply(p->rb, other, with_b);
    for (int k = 0; k < 3; k++) {
        n[k] = only_a ? n[k] : only_b ? with_b[k] : n[k] + with_b[k];
        sum += n[k] * n[k];
    }
    const double inverse = 1 / sqrt(sum);
    for (int k = 0; k < 3; k++)
        n[k] *= inverse;
}

/* From the point of a to that of b; *anchor: from the origin of a's body to the first. */
TL_KERNEL void tlk_kept_apart(tlk_poses *p, const real *kept, double *anchor, double *apart)
{
    const double own[3] = {kept[0], kept[1], kept[2]}, other[3] = {kept[4], kept[5], kept[6]};
    double end[3];
    tlk_apply(p->ra, own, anchor);
    tlk_apply(p->rb, other, end);
    for (int k = 0; k < 3; k++)
        apart[k] = p->d[k] + end[k] - anchor[k];
}

/* Notes what is kept of a new contact: its point from the centre of the owner's ball, its normal
 * (up to rounding) and gap. */
TL_RARE void tlk_keep_contact(const tlk_find *f, uint32_t i, uint32_t j, const real *place,
                              const real *normal, real *kept)
{
    const double *c = f->shapes.centre + 4 * (size_t)i;
    const double *x = f->bodies.pos + 4 * (size_t)f->shapes.body[i];
    const double *qa = f->bodies.quat + 4 * (size_t)f->shapes.body[i];
    const double *qb = f->bodies.quat + 4 * (size_t)f->shapes.body[j];
    const double gap = normal[3], n[3] = {normal[0], normal[1], normal[2]};
    tlk_poses p;
    double own[3], other[3], a[3], b[3], m[3], then[4], anchor[3], apart[3];
    tlk_load_poses(f, i, j, &p);
    for (int k = 0; k < 3; k++) {
        own[k] = c[k] - x[k] + (double)place[k];
        other[k] = own[k] + gap * n[k] - p.d[k];
    }
    tlk_rotate_back(qa, own, a);
    tlk_rotate_back(qb, other, b);
    tlk_rotate_back(qa, n, m);
    for (int k = 0; k < 3; k++) {
        kept[k] = (real)a[k];
        kept[4 + k] = (real)b[k];
        kept[8 + k] = (real)m[k];
        m[k] = (double)kept[8 + k];
    }
    for (int k = 0; k < 4; k++) {
        kept[12 + k] = (real)p.turn[k];
        then[k] = (double)kept[12 + k];
    }
    tlk_kept_normal(f, i, j, &p, m, then, own);
    tlk_kept_apart(&p, kept, anchor, apart);
    kept[3] = (real)(gap - tlk_dotd(apart, own));
    kept[7] = (real)gap;
    kept[11] = 1;
}

/* The manifold of contacts [o, end) of the last step as it is now, points counted from the centre
 * of the owner's ball; for feature ids, the numbers of these contacts. False where it is to be made
 * anew.
 */
TL_RARE bool tlk_keep_manifold(const tlk_find *f, uint32_t i, uint32_t j, const real *kept,
                               uint32_t o, uint32_t end, tlk_manifold *m)
{
    const double *c = f->shapes.centre + 4 * (size_t)i;
    const double *x = f->bodies.pos + 4 * (size_t)f->shapes.body[i];
    const real *first = kept + TLK_KEPT * (size_t)o;
    const double most = TLK_KEEP_WAY * f->envelope;
    if (!(first[11] > 0) || end - o > TLK_POINTS_MOST)
        return false;
    const double own[3] = {first[8], first[9], first[10]};
    const double then[4] = {first[12], first[13], first[14], first[15]};
    tlk_poses p;
    tlk_load_poses(f, i, j, &p);
    if (!(tlk_turned(&p, then) <= TLK_KEEP_TURN * TLK_KEEP_TURN))
        return false;
    tlk_kept_normal(f, i, j, &p, own, then, m->n);
    m->count = end - o;
    for (uint32_t k = 0; k < m->count; k++) {
        const real *of = kept + TLK_KEPT * (size_t)(o + k);
        double anchor[3], apart[3];
        tlk_kept_apart(&p, of, anchor, apart);
        const double along = tlk_dotd(apart, m->n), gap = along + (double)of[3];
        const double moved = gap - (double)of[7];
        const double beside = tlk_dotd(apart, apart) - along * along;
        if (!(beside + moved * moved <= most * most))
            return false;
        for (int l = 0; l < 3; l++)
            m->at[k][l] = x[l] - c[l] + anchor[l];
        m->gap[k] = gap;
        m->feature[k] = o + k;
    }
    return true;
}

#endif
