/* What the narrow phase asks of a core: its farthest point along a direction, its size, its flat
 * faces and its straight edges. Planes have no farthest point; plane.h treats them. */
#ifndef TL_KERNELS_NARROW_SUPPORT_H
#define TL_KERNELS_NARROW_SUPPORT_H

#include "kernels/narrow/hull.h"

TL_NARROW void tlk_to_local(const tlk_convex *s, const double *d, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = tlk_dotd(d, s->axis + 3 * k);
}

TL_NARROW void tlk_turn_to_world(const tlk_convex *s, const double *x, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = s->axis[k] * x[0] + s->axis[3 + k] * x[1] + s->axis[6 + k] * x[2];
}

TL_NARROW void tlk_to_world(const tlk_convex *s, const double *x, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = s->origin[k] + (s->axis[k] * x[0] + s->axis[3 + k] * x[1] + s->axis[6 + k] * x[2]);
}

/* Kinds whose cores have straight edges and flat faces only. */
TL_NARROW bool tlk_is_polytope(uint32_t kind)
{
    return kind != TLK_CYLINDER && kind != TLK_CONE && kind != TLK_ELLIPSOID;
}

/* The number of the vertex that is farthest along d (of the shape's frame). */
TL_NARROW uint32_t tlk_farthest_vertex(const double *vertex, uint32_t count, const double *d)
{
    /* two at a time, which do not wait for each other; of equals the first */
    uint32_t best = 0, other = 0;
    double most = tlk_dotd(vertex, d), more = most;
    for (uint32_t i = 1; i + 1 < count; i += 2) {
        const double here = tlk_dotd(vertex + 3 * (size_t)i, d);
        const double next = tlk_dotd(vertex + 3 * (size_t)i + 3, d);
        best = here > most ? i : best;
        most = here > most ? here : most;
        other = next > more ? i + 1 : other;
        more = next > more ? next : more;
    }
    if (count % 2 == 0 && tlk_dotd(vertex + 3 * (size_t)(count - 1), d) > most) {
        best = count - 1;
        most = tlk_dotd(vertex + 3 * (size_t)best, d);
    }
    return more > most || (more == most && other < best) ? other : best;
}

/* The farthest point of a core along d, which need not be of unit length. */
TL_NARROW void tlk_support(const tlk_convex *s, const double *d, double *out)
{
    double l[3], x[3] = {0, 0, 0};
    tlk_to_local(s, d, l);
    if (s->kind == TLK_BOX) {
        for (int k = 0; k < 3; k++)
            x[k] = l[k] < 0 ? -s->size[k] : s->size[k];
    } else if (s->kind == TLK_HULL || s->kind == TLK_TRIANGLE) {
        const uint32_t count = s->kind == TLK_HULL ? tlk_hull_vertices(s->words) : 3;
        const double *v = s->vertex + 3 * (size_t)tlk_farthest_vertex(s->vertex, count, l);
        x[0] = v[0], x[1] = v[1], x[2] = v[2];
    } else if (s->kind == TLK_PARALLELOGRAM) {
        x[0] = l[0] > 0 ? 1 : 0;
        x[1] = l[1] > 0 ? 1 : 0;
    } else if (s->kind == TLK_CAPSULE) {
        x[2] = l[2] < 0 ? -s->size[2] : s->size[2];
    } else if (s->kind == TLK_CYLINDER || s->kind == TLK_CONE) {
        const double radial = sqrt(l[0] * l[0] + l[1] * l[1]);
        const double at = radial > 0 ? s->size[0] / radial : 0;
        const bool base =
            s->kind == TLK_CYLINDER ? l[2] < 0 : 2 * l[2] * s->size[2] < s->size[0] * radial;
        const bool rim = base || s->kind == TLK_CYLINDER;
        x[0] = rim ? at * l[0] : 0;
        x[1] = rim ? at * l[1] : 0;
        x[2] = base ? -s->size[2] : s->size[2];
    } else if (s->kind == TLK_ELLIPSOID) {
        double e[3];
        for (int k = 0; k < 3; k++)
            e[k] = s->size[k] * l[k];
        const double length = sqrt(tlk_dotd(e, e));
        for (int k = 0; k < 3; k++)
            x[k] = length > 0 ? s->size[k] * (e[k] / length) : 0;
    }
    tlk_to_world(s, x, out);
}

/* A length that no point of the core is farther than from the origin of its frame (within a small
 * factor the least one): what tolerances are taken of. */
TL_NARROW double tlk_core_reach(const tlk_convex *s)
{
    if (s->kind == TLK_HULL || s->kind == TLK_TRIANGLE) {
        const uint32_t count = s->kind == TLK_HULL ? tlk_hull_vertices(s->words) : 3;
        double x = 0, y = 0, z = 0;
        for (uint32_t i = 0; i < count; i++) {
            x = tlk_max(x, fabs(s->vertex[3 * (size_t)i]));
            y = tlk_max(y, fabs(s->vertex[3 * (size_t)i + 1]));
            z = tlk_max(z, fabs(s->vertex[3 * (size_t)i + 2]));
        }
        return 2 * tlk_max(x, tlk_max(y, z));
    }
    if (s->kind == TLK_PARALLELOGRAM)
        return sqrt(tlk_dotd(s->axis, s->axis)) + sqrt(tlk_dotd(s->axis + 3, s->axis + 3));
    if (s->kind == TLK_CAPSULE)
        return s->size[2];
    if (s->kind == TLK_CYLINDER || s->kind == TLK_CONE)
        return s->size[0] + s->size[2];
    if (s->kind == TLK_BOX || s->kind == TLK_ELLIPSOID)
        return s->size[0] + s->size[1] + s->size[2];
    return 0;
}

/* Flat faces: their number; outward unit normal and offset (n.x on the face) of each. The two sides
 * of what is flat are two faces. */
TL_NARROW uint32_t tlk_face_count(const tlk_convex *s)
{
    return s->kind == TLK_BOX    ? 6
           : s->kind == TLK_HULL ? tlk_hull_faces(s->words)
           : s->kind == TLK_PARALLELOGRAM || s->kind == TLK_TRIANGLE || s->kind == TLK_CYLINDER ? 2
           : s->kind == TLK_CONE                                                                ? 1
                                                                                                : 0;
}

TL_NARROW double tlk_face(const tlk_convex *s, uint32_t face, double *n)
{
    double offset = 0;
    if (s->kind == TLK_HULL) {
        const double *plane = tlk_hull_plane(s->vertex, s->words, face);
        tlk_turn_to_world(s, plane, n);
        offset = plane[3];
    } else if (s->kind == TLK_TRIANGLE) {
        double e[3], f[3], c[3];
        for (int k = 0; k < 3; k++) {
            e[k] = s->vertex[3 + k] - s->vertex[k];
            f[k] = s->vertex[6 + k] - s->vertex[k];
        }
        tlk_crossd(e, f, c);
        const double length = sqrt(tlk_dotd(c, c)), sign = face == 0 ? 1 : -1;
        for (int k = 0; k < 3; k++)
            c[k] = length > 0 ? sign * c[k] / length : 0;
        offset = tlk_dotd(c, s->vertex);
        tlk_turn_to_world(s, c, n);
    } else {
        const uint32_t axis = s->kind == TLK_BOX ? face >> 1 : 2;
        const bool low = s->kind == TLK_CONE || (face & 1);
        for (int k = 0; k < 3; k++)
            n[k] = low ? -s->axis[3 * axis + k] : s->axis[3 * axis + k];
        offset = s->kind == TLK_PARALLELOGRAM ? 0 : s->size[axis];
    }
    return offset + tlk_dotd(n, s->origin);
}

/* Straight edges of polytopes: their number; a point of each and the vector to its other end. */
TL_NARROW uint32_t tlk_edge_count(const tlk_convex *s)
{
    return s->kind == TLK_BOX             ? 12
           : s->kind == TLK_HULL          ? tlk_hull_edges(s->words)
           : s->kind == TLK_PARALLELOGRAM ? 4
           : s->kind == TLK_TRIANGLE      ? 3
           : s->kind == TLK_CAPSULE       ? 1
                                          : 0;
}

/* In the shape's frame, as coefficients of its axes. */
TL_NARROW void tlk_edge_local(const tlk_convex *s, uint32_t edge, double *x, double *along)
{
    double y[3] = {0, 0, 0};
    x[0] = x[1] = x[2] = 0;
    if (s->kind == TLK_BOX) {
        const uint32_t axis = edge >> 2, next = axis == 2 ? 0 : axis + 1;
        for (uint32_t k = 0; k < 3; k++) {
            const bool high = k != axis && (edge & (k == next ? 1 : 2));
            x[k] = high ? s->size[k] : -s->size[k];
            y[k] = k == axis ? s->size[k] : x[k];
        }
    } else if (s->kind == TLK_CAPSULE) {
        x[2] = -s->size[2];
        y[2] = s->size[2];
    } else if (s->kind == TLK_PARALLELOGRAM) {
        x[0] = edge == 1 ? 1 : 0;
        x[1] = edge == 2 ? 1 : 0;
        y[0] = x[0] + (edge == 0 || edge == 2 ? 1 : 0);
        y[1] = x[1] + (edge == 1 || edge == 3 ? 1 : 0);
    } else {
        uint32_t ends[2] = {edge, edge == 2 ? 0 : edge + 1};
        if (s->kind == TLK_HULL) {
            const uint32_t *pair = tlk_hull_edge(s->words, edge);
            ends[0] = pair[0], ends[1] = pair[1];
        }
        for (int k = 0; k < 3; k++) {
            x[k] = s->vertex[3 * (size_t)ends[0] + k];
            y[k] = s->vertex[3 * (size_t)ends[1] + k];
        }
    }
    for (int k = 0; k < 3; k++)
        along[k] = y[k] - x[k];
}

/* The separation of cores along the unit vector n, from a to b: how far apart the planes across n
 * are that hold a below and b above. p and q, where asked for: the points on them. */
TL_NARROW double tlk_separation(const tlk_convex *a, const tlk_convex *b, const double *n,
                                double *p, double *q)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    tlk_support(a, n, p);
    tlk_support(b, back, q);
    return (q[0] - p[0]) * n[0] + (q[1] - p[1]) * n[1] + (q[2] - p[2]) * n[2];
}

/* Makes v a unit vector and returns its length; where that is 0, v is left alone. */
TL_NARROW double tlk_unit(double *v)
{
    const double length = sqrt(tlk_dotd(v, v));
    if (length > 0) {
        for (int k = 0; k < 3; k++)
            v[k] /= length;
    }
    return length;
}

/* A unit vector across the unit vector n. */
TL_NARROW void tlk_perpendicular(const double *n, double *t)
{
    const double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    const double e[3] = {x <= y && x <= z ? 1.0 : 0.0, !(x <= y && x <= z) && y <= z ? 1.0 : 0.0,
                         !(x <= y && x <= z) && !(y <= z) ? 1.0 : 0.0};
    tlk_crossd(n, e, t);
    tlk_unit(t);
}

#endif
