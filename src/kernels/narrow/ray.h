/* Where a straight line is within a convex solid, in the solid's frame: quadrics and what is
 * bounded by planes in closed form; what is rounded by Newton's method for the distance of its
 * core, which is a convex function along the line. Called by kernels/query.h. */
#ifndef TL_KERNELS_NARROW_RAY_H
#define TL_KERNELS_NARROW_RAY_H

#include "kernels/narrow/gjk.h"

/* The points o + t d; d is of unit length. The point o is near the solid, which keeps digits. */
typedef struct tlk_line {
    double o[3], d[3];
} tlk_line;

/* From t[0] to t[1], with the outward unit normals at both ends. Empty where t[0] > t[1]. */
typedef struct tlk_span {
    double t[2];
    double n[2][3];
} tlk_span;

TL_NARROW void tlk_span_all(tlk_span *s)
{
    s->t[0] = -INFINITY;
    s->t[1] = INFINITY;
    for (int k = 0; k < 3; k++)
        s->n[0][k] = s->n[1][k] = 0;
}

TL_NARROW void tlk_span_none(tlk_span *s)
{
    s->t[0] = INFINITY;
    s->t[1] = -INFINITY;
}

TL_NARROW void tlk_line_at(const tlk_line *l, double t, double *p)
{
    for (int k = 0; k < 3; k++)
        p[k] = l->o[k] + t * l->d[k];
}

/* Cuts off what is beyond a plane: n.x > c. */
TL_NARROW void tlk_span_cut(tlk_span *s, const tlk_line *l, const double *n, double c)
{
    const double rate = tlk_dotd(n, l->d), room = c - tlk_dotd(n, l->o);
    const int end = rate > 0 ? 1 : 0;
    if (rate == 0) {
        if (room < 0)
            tlk_span_none(s);
        return;
    }
    const double t = room / rate;
    if (end ? t < s->t[1] : t > s->t[0]) {
        s->t[end] = t;
        for (int k = 0; k < 3; k++)
            s->n[end][k] = n[k];
    }
}

/* Cuts off what is beyond -half..half along an axis. */
TL_NARROW void tlk_span_slab(tlk_span *s, const tlk_line *l, int axis, double half)
{
    double n[3] = {0, 0, 0};
    n[axis] = 1;
    tlk_span_cut(s, l, n, half);
    n[axis] = -1;
    tlk_span_cut(s, l, n, half);
}

/* A ball after the axes were scaled: scale is 1 / semi-axis on each; 0 of an axis that it is
 * endless along. The line is looked at from its point nearest to the middle, where nothing cancels.
 */
TL_NARROW void tlk_span_quadric(tlk_span *s, const tlk_line *l, const double *scale)
{
    double o[3], d[3];
    for (int k = 0; k < 3; k++) {
        o[k] = l->o[k] * scale[k];
        d[k] = l->d[k] * scale[k];
    }
    const double dd = tlk_dotd(d, d);
    if (!(dd > 0)) {
        if (tlk_dotd(o, o) <= 1)
            tlk_span_all(s);
        else
            tlk_span_none(s);
        return;
    }
    const double middle = -tlk_dotd(o, d) / dd;
    for (int k = 0; k < 3; k++)
        o[k] += middle * d[k];
    const double room = 1 - tlk_dotd(o, o);
    if (!(room >= 0)) {
        tlk_span_none(s);
        return;
    }
    const double half = sqrt(room / dd);
    for (int end = 0; end < 2; end++) {
        const double along = end ? half : -half;
        for (int k = 0; k < 3; k++)
            s->n[end][k] = (o[k] + along * d[k]) * scale[k];
        tlk_unit(s->n[end]);
        s->t[end] = middle + along;
    }
}

/* The endless cone below its apex at z = size[2], as wide as size[0] at z = -size[2]. */
TL_NARROW void tlk_span_cone(tlk_span *s, const tlk_line *l, const double *size)
{
    const double slope = size[0] / (2 * size[2]), below = size[2] - l->o[2], down = -l->d[2];
    const double *o = l->o, *d = l->d;
    const double a = d[0] * d[0] + d[1] * d[1] - slope * slope * down * down;
    const double b = o[0] * d[0] + o[1] * d[1] - slope * slope * below * down;
    const double c = o[0] * o[0] + o[1] * o[1] - slope * slope * below * below;
    const double square = b * b - a * c; /* within: a t^2 + 2 b t + c <= 0 */
    tlk_span_all(s);
    if (square < 0 && a >= 0) {
        tlk_span_none(s);
        return;
    }
    const double q = -(b + (b < 0 ? -1 : 1) * sqrt(tlk_max(square, 0.0)));
    const double one = q != 0 ? c / q : 0; /* the root that stays where a is 0 */
    if (a > 0) {
        const double two = q / a;
        s->t[0] = tlk_min(one, two);
        s->t[1] = tlk_max(one, two);
    } else if (a < 0) { /* between the roots it is outside: of two cones, take the lower */
        const double two = q / a;
        s->t[down > 0 ? 0 : 1] = down > 0 ? tlk_max(one, two) : tlk_min(one, two);
    } else if (b != 0) {
        s->t[b > 0 ? 1 : 0] = one;
    } else if (c > 0) {
        tlk_span_none(s);
    }
    for (int end = 0; end < 2; end++) {
        double p[3];
        tlk_line_at(l, s->t[end], p);
        const double across = sqrt(p[0] * p[0] + p[1] * p[1]);
        const bool finite = fabs(s->t[end]) < INFINITY && across > 0;
        s->n[end][0] = finite ? p[0] / across : 0;
        s->n[end][1] = finite ? p[1] / across : 0;
        s->n[end][2] = finite ? slope : 1;
        tlk_unit(s->n[end]);
    }
}

/* ---- Rounded solids ---- */

/* The distance of a point from the core of a shape in its own frame; n: the unit vector from there
 * to the point. 0 where it is inside. */
TL_RARE double tlk_core_distance(const tlk_convex *s, const double *p, double scale, double *n)
{
    double v[3] = {0, 0, 0};
    if (s->kind == TLK_BOX) {
        for (int k = 0; k < 3; k++)
            v[k] = p[k] - tlk_max(-s->size[k], tlk_min(p[k], s->size[k]));
    } else if (s->kind == TLK_CYLINDER) {
        const double across = sqrt(p[0] * p[0] + p[1] * p[1]);
        const double out = across > s->size[0] ? (across - s->size[0]) / across : 0;
        v[0] = out * p[0];
        v[1] = out * p[1];
        v[2] = p[2] - tlk_max(-s->size[2], tlk_min(p[2], s->size[2]));
    } else {
        tlk_convex point;
        tlk_simplex x;
        const double shift[3] = {0, 0, 0};
        point.kind = TLK_SPHERE;
        point.vertex = NULL;
        point.words = NULL;
        point.rounding = 0;
        for (int k = 0; k < 3; k++) {
            point.origin[k] = p[k];
            point.size[k] = 0;
            v[k] = -p[k];
        }
        for (int k = 0; k < 9; k++)
            point.axis[k] = k % 4 == 0;
        const uint32_t how = tlk_distance(&point, s, shift, v, INFINITY, 0, scale, &x);
        for (int k = 0; k < 3; k++)
            v[k] = how == TLK_CORES_APART ? -x.v[k] : 0;
    }
    const double distance = tlk_unit(v);
    for (int k = 0; k < 3; k++)
        n[k] = v[k];
    return distance;
}

/* Where the line enters (way 1), or the same line run backwards does (way -1): false where it
 * passes by. The distance less the rounding falls and rises once along the line, so that Newton's
 * method from outside never goes too far. */
TL_NARROW bool tlk_round_end(const tlk_convex *s, const tlk_line *l, double reach, double way,
                             double *t, double *n)
{
    const double exact = 1e-15 * reach;
    *t = -way * reach;
    for (int turn = 0; turn < 128; turn++) {
        double p[3];
        tlk_line_at(l, *t, p);
        const double left = tlk_core_distance(s, p, reach, n) - s->rounding;
        const double rate = way * tlk_dotd(n, l->d);
        if (left <= exact)
            return true;
        if (!(rate < 0) || left > -2 * reach * rate)
            return false;
        const double on = left / -rate;
        *t += way * on;
        if (on <= exact)
            return true;
    }
    return true;
}

/* ---- Every kind ---- */

/* Solids in their own frame: the axes and the origin of `s` do not count. `ball`: the radius of a
 * ball that holds the shape, about a point near which the line begins. Planes are half-spaces; not
 * for parallelograms. */
TL_RARE void tlk_span_convex(const tlk_convex *s, const tlk_line *l, double ball, tlk_span *out)
{
    const double *size = s->size;
    tlk_span_all(out);
    if (s->rounding > 0 && s->kind != TLK_CAPSULE && s->kind != TLK_SPHERE) {
        const double reach = 2 * ball;
        if (!tlk_round_end(s, l, reach, 1, &out->t[0], out->n[0]) ||
            !tlk_round_end(s, l, reach, -1, &out->t[1], out->n[1]))
            tlk_span_none(out);
    } else if (s->kind == TLK_PLANE) {
        const double up[3] = {0, 0, 1};
        tlk_span_cut(out, l, up, 0);
    } else if (s->kind == TLK_BOX) {
        for (int k = 0; k < 3; k++)
            tlk_span_slab(out, l, k, size[k]);
    } else if (s->kind == TLK_HULL) {
        const uint32_t faces = tlk_hull_faces(s->words);
        for (uint32_t f = 0; f < faces; f++) {
            const double *plane = tlk_hull_plane(s->vertex, s->words, f);
            tlk_span_cut(out, l, plane, plane[3]);
        }
    } else if (s->kind == TLK_CONE) {
        tlk_span_cone(out, l, size);
        tlk_span_slab(out, l, 2, size[2]);
    } else if (s->kind == TLK_ELLIPSOID || s->kind == TLK_SPHERE) {
        const bool sphere = s->kind == TLK_SPHERE;
        const double scale[3] = {1 / (sphere ? s->rounding : size[0]),
                                 1 / (sphere ? s->rounding : size[1]),
                                 1 / (sphere ? s->rounding : size[2])};
        tlk_span_quadric(out, l, scale);
    } else { /* a cylinder; a capsule is the same and two balls, from the first to the last of them
              */
        const double around = 1 / (s->kind == TLK_CAPSULE ? s->rounding : size[0]);
        const double scale[3] = {around, around, 0}, ball_scale[3] = {around, around, around};
        tlk_span_quadric(out, l, scale);
        tlk_span_slab(out, l, 2, size[2]);
        for (int end = 0; end < 2 && s->kind == TLK_CAPSULE; end++) {
            tlk_line moved = *l;
            tlk_span cap;
            moved.o[2] += end ? size[2] : -size[2];
            tlk_span_quadric(&cap, &moved, ball_scale);
            if (!(cap.t[0] <= cap.t[1]))
                continue;
            const bool none = !(out->t[0] <= out->t[1]);
            for (int e = 0; e < 2; e++) {
                if (none || (e ? cap.t[1] > out->t[1] : cap.t[0] < out->t[0])) {
                    out->t[e] = cap.t[e];
                    for (int k = 0; k < 3; k++)
                        out->n[e][k] = cap.n[e][k];
                }
            }
        }
    }
}

#endif
