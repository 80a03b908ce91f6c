/* One triangle of a surface among its neighbours: which of them a contact belongs to, so that inner
 * edges never push; and spheres, in closed form. surface.h treats other shapes. docs/theory.md,
 * "Meshes and height fields", says what is promised.
 *
 * Everything here is in the surface's frame. */
#ifndef TL_KERNELS_NARROW_TRIANGLE_H
#define TL_KERNELS_NARROW_TRIANGLE_H

#include "kernels/narrow/tree.h"

/* Parts of a triangle: edges 0, 1 and 2 (from vertex k to the next), vertices 3, 4 and 5, face. */
enum { TLK_PART_VERTEX = 3, TLK_PART_FACE = 6 };

/* Whose a contact at an edge or a vertex is, seen from one of the triangles that meet there. */
typedef enum tlk_claim {
    TLK_CLAIM_NONE,   /* another of them is nearer; or the surface ends here, and what touches is
                         behind it */
    TLK_CLAIM_SHARED, /* another of them, with a lower number, has the same contact */
    TLK_CLAIM_FRONT,  /* this triangle's; what touches is in front of the surface */
    TLK_CLAIM_BACK    /* all of theirs; what touches is behind the surface */
} tlk_claim;

/* Sines of angles. A normal that is off a face's by less than the first is the face's. A neighbour
 * is nearer where the normal leans over it by more than the second: far less, so that what one
 * triangle leaves to the other is taken there. */
#define TLK_FACE_SINE 1e-7
#define TLK_LEAN_SINE 1e-9

/* How far behind the face of a mesh, as a part of its radius, a sphere's centre is still pushed
 * out to the front. */
#define TLK_BEHIND 0.5

TL_NARROW uint32_t tlk_next3(uint32_t k)
{
    return k == 2 ? 0 : k + 1;
}

/* The unit normal of a triangle, to the front. */
TL_NARROW void tlk_corner_normal(const double *corner, double *n)
{
    double e[3], f[3], c[3];
    for (int k = 0; k < 3; k++) {
        e[k] = corner[3 + k] - corner[k];
        f[k] = corner[6 + k] - corner[k];
    }
    tlk_crossd(e, f, c);
    const double length = sqrt(tlk_dotd(c, c));
    for (int k = 0; k < 3; k++)
        n[k] = c[k] / length;
}

/* ---- Neighbours ---- */

/* A walk over the other triangles around a vertex of a triangle, from edge to edge: all around, or
 * both ways to where the surface ends. */
typedef struct tlk_fan {
    uint32_t first, at, corner; /* triangles; the vertex, of the one that it is at */
    uint32_t vertex, begin;     /* the vertex, of the surface and of the first triangle */
    bool back, open;            /* on the second way; the surface ends here */
} tlk_fan;

TL_NARROW void tlk_fan_begin(tlk_fan *f, const tlk_surface *s, uint32_t t, uint32_t k)
{
    uint32_t v[3];
    tlk_surface_vertices(s, t, v);
    f->first = f->at = t;
    f->corner = f->begin = k;
    f->vertex = v[k];
    f->back = f->open = false;
}

/* The next triangle, or TLK_NONE. */
TL_NARROW uint32_t tlk_fan_next(tlk_fan *f, const tlk_surface *s)
{
    uint32_t v[3];
    f->at = tlk_surface_across(s, f->at, f->back ? tlk_next3(tlk_next3(f->corner)) : f->corner);
    if (f->at == TLK_NONE && !f->back) {
        f->back = f->open = true;
        f->at = tlk_surface_across(s, f->first, tlk_next3(tlk_next3(f->begin)));
    }
    if (f->at == TLK_NONE || f->at == f->first)
        return TLK_NONE;
    tlk_surface_vertices(s, f->at, v);
    f->corner = v[0] == f->vertex ? 0 : v[1] == f->vertex ? 1 : 2;
    return f->at;
}

/* What triangles around an edge or vertex say about a direction. */
typedef struct tlk_around {
    const double *d;
    double length; /* of d */
    double slack;  /* sine of an angle: what leans over a triangle by no more does not */
    double facing; /* d times the normal that d is most nearly along, either way */
    bool shared;   /* one of them has a lower number */
    bool open;     /* the surface ends here */
    double *over;  /* NULL, or the unit vector of what d leans over most */
    double most;   /* and by how much */
} tlk_around;

TL_NARROW void tlk_around_add(tlk_around *a, const double *corner, bool lower)
{
    double n[3];
    tlk_corner_normal(corner, n);
    const double facing = tlk_dotd(a->d, n);
    if (fabs(facing) > fabs(a->facing))
        a->facing = facing;
    a->shared = a->shared || lower;
}

/* Whether the direction leans over what goes from p to q: then q's side is nearer. */
TL_NARROW bool tlk_around_leans(tlk_around *a, const double *p, const double *q)
{
    const double e[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, along = tlk_dotd(a->d, e);
    const double least = a->slack * a->length;
    if (!(along > 0 && along * along > least * least * tlk_dotd(e, e)))
        return false;
    const double edge = sqrt(tlk_dotd(e, e));
    if (a->over != NULL && along > a->most * edge) {
        a->most = along / edge;
        for (int k = 0; k < 3; k++)
            a->over[k] = e[k] / edge;
    }
    return true;
}

/* Whether the direction leans over the triangle across an edge. */
TL_NARROW bool tlk_around_edge(tlk_around *a, const tlk_surface *s, uint32_t t, uint32_t k)
{
    const uint32_t u = tlk_surface_across(s, t, k);
    if (u == TLK_NONE) {
        a->open = true;
        return false;
    }
    uint32_t v[3], w[3], m = 0;
    double corner[9], foot[3];
    tlk_surface_vertices(s, t, v);
    tlk_surface_vertices(s, u, w);
    while (m < 2 && (w[m] == v[k] || w[m] == v[tlk_next3(k)]))
        m++;
    for (int c = 0; c < 3; c++)
        tlk_surface_point(s, w[c], corner + 3 * c);
    const uint32_t i = tlk_next3(m), j = tlk_next3(i); /* m is across from the edge i to j */
    const double *p = corner + 3 * i, *q = corner + 3 * j, *o = corner + 3 * m;
    const double e[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double to[3] = {o[0] - p[0], o[1] - p[1], o[2] - p[2]};
    const double part = tlk_dotd(to, e) / tlk_dotd(e, e);
    for (int c = 0; c < 3; c++)
        foot[c] = p[c] + part * e[c];
    tlk_around_add(a, corner, u < t);
    return tlk_around_leans(a, foot, o);
}

/* Whether the direction leans over a triangle around vertex k. */
TL_NARROW bool tlk_around_vertex(tlk_around *a, const tlk_surface *s, uint32_t t, uint32_t k)
{
    double corner[9];
    bool leans = false;
    tlk_fan fan;
    tlk_fan_begin(&fan, s, t, k);
    for (uint32_t u = tlk_fan_next(&fan, s); u != TLK_NONE; u = tlk_fan_next(&fan, s)) {
        const uint32_t c = fan.corner, i = tlk_next3(c), j = tlk_next3(i);
        tlk_surface_corners(s, u, corner);
        tlk_around_add(a, corner, u < t);
        leans = tlk_around_leans(a, corner + 3 * c, corner + 3 * i) || leans;
        leans = tlk_around_leans(a, corner + 3 * c, corner + 3 * j) || leans;
        if (leans && a->over == NULL)
            return true;
    }
    a->open = fan.open;
    return leans;
}

/* Whose the contact is at a part of triangle t (an edge or a vertex) from where d points to what
 * touches; d is exact within an angle with the sine `slack`. For the triangle alone, that part is
 * the nearest; `corner` are its corners. `over`, unless NULL: the unit vector along the surface
 * that d leans over most; 0 where it leans over nothing. */
TL_RARE tlk_claim tlk_triangle_claim(const tlk_surface *s, uint32_t t, const double *corner,
                                     uint32_t part, const double *d, double slack, double *over)
{
    tlk_around a = {d, sqrt(tlk_dotd(d, d)), slack, 0, false, false, over, 0};
    if (over != NULL)
        over[0] = over[1] = over[2] = 0;
    tlk_around_add(&a, corner, false);
    const bool leans = part < TLK_PART_VERTEX ? tlk_around_edge(&a, s, t, part)
                                              : tlk_around_vertex(&a, s, t, part - TLK_PART_VERTEX);
    if (leans || (a.open && a.facing < 0))
        return TLK_CLAIM_NONE;
    return a.facing < 0 ? TLK_CLAIM_BACK : a.shared ? TLK_CLAIM_SHARED : TLK_CLAIM_FRONT;
}

/* Whether a point at a depth behind triangle t is less deep behind another one around its vertices
 * that the surface bends down to: then the way out is through that one. */
TL_RARE bool tlk_triangle_outdone(const tlk_surface *s, uint32_t t, const double *corner,
                                  const double *n, const double *p, double depth)
{
    for (uint32_t k = 0; k < 3; k++) {
        tlk_fan fan;
        tlk_fan_begin(&fan, s, t, k);
        for (uint32_t u = tlk_fan_next(&fan, s); u != TLK_NONE; u = tlk_fan_next(&fan, s)) {
            double other[9], m[3], lowest = 0, there = 0;
            tlk_surface_corners(s, u, other);
            tlk_corner_normal(other, m);
            for (int v = 0; v < 3; v++) {
                const double h[3] = {other[3 * v] - corner[0], other[3 * v + 1] - corner[1],
                                     other[3 * v + 2] - corner[2]};
                lowest = tlk_min(lowest, tlk_dotd(h, n));
            }
            for (int c = 0; c < 3; c++)
                there -= m[c] * (p[c] - other[c]);
            if (lowest < 0 && there >= -1e-3 * depth && there < 0.5 * depth)
                return true;
        }
    }
    return false;
}

/* ---- Spheres ---- */

/* The point of a triangle that is nearest to c, relative to c and turned round (d goes from it to
 * c), and the part that it is on. */
TL_NARROW uint32_t tlk_triangle_nearest(const double *corner, const double *n, const double *c,
                                        double *d)
{
    double x[9], least = INFINITY;
    uint32_t part = TLK_PART_FACE;
    for (int v = 0; v < 3; v++)
        for (int k = 0; k < 3; k++)
            x[3 * v + k] = c[k] - corner[3 * v + k];
    const double height = tlk_dotd(n, x);
    for (int k = 0; k < 3; k++)
        d[k] = height * n[k];
    for (uint32_t v = 0; v < 3; v++) {
        const double *p = corner + 3 * v, *q = corner + 3 * tlk_next3(v);
        const double e[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        double across[3];
        tlk_crossd(e, x + 3 * v, across);
        if (tlk_dotd(across, n) > 0)
            continue;
        const double along = tlk_dotd(e, x + 3 * v), square = tlk_dotd(e, e);
        const uint32_t here = along <= 0        ? TLK_PART_VERTEX + v
                              : along >= square ? TLK_PART_VERTEX + tlk_next3(v)
                                                : v;
        const double u = along <= 0 ? 0 : along >= square ? 1 : along / square;
        const double to[3] = {x[3 * v] - u * e[0], x[3 * v + 1] - u * e[1],
                              x[3 * v + 2] - u * e[2]};
        const double distance = tlk_dotd(to, to);
        if (distance < least) {
            least = distance;
            part = here;
            d[0] = to[0], d[1] = to[1], d[2] = to[2];
        }
    }
    return part;
}

/* Whether the point is straight under or over a triangle of a height field. */
TL_NARROW bool tlk_triangle_spans(const double *corner, const double *p)
{
    bool inside = true;
    for (uint32_t v = 0; v < 3; v++) {
        const double *a = corner + 3 * v, *b = corner + 3 * tlk_next3(v);
        inside = inside && (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0;
    }
    return inside;
}

/* Sphere (centre c, radius r) and triangle t of a surface: whether they have a contact, with a gap
 * up to `limit`, which no neighbour of the triangle has instead; then its gap and the unit normal n
 * from the sphere to the triangle. */
TL_NARROW bool tlk_sphere_triangle(const tlk_surface *s, uint32_t t, const double *c, double r,
                                   double limit, double *n, double *gap)
{
    double corner[9], face[3], d[3];
    tlk_surface_corners(s, t, corner);
    tlk_corner_normal(corner, face);
    const double from[3] = {c[0] - corner[0], c[1] - corner[1], c[2] - corner[2]};
    const double height = tlk_dotd(face, from);
    for (int k = 0; k < 3; k++)
        n[k] = -face[k];
    *gap = height - r;
    if (height - r > limit)
        return false;
    if (s->kind == TLK_HEIGHTS && height < 0) /* however deep, by the triangle above it */
        return tlk_triangle_spans(corner, c);
    const uint32_t part = tlk_triangle_nearest(corner, face, c, d);
    const double square = tlk_dotd(d, d), behind = TLK_BEHIND * r;
    if (height < -behind || square > (r + limit) * (r + limit))
        return false;
    if (part == TLK_PART_FACE)
        return height >= 0 || !tlk_triangle_outdone(s, t, corner, face, c, -height);
    const tlk_claim claim = tlk_triangle_claim(s, t, corner, part, d, TLK_LEAN_SINE, NULL);
    if (claim == TLK_CLAIM_NONE || claim == TLK_CLAIM_SHARED)
        return false;
    const double sign = claim == TLK_CLAIM_FRONT ? 1 : -1;
    if (sign < 0 && (s->kind == TLK_HEIGHTS || square > behind * behind))
        return false;
    if (sign * height >= 0 && square - height * height <= TLK_FACE_SINE * TLK_FACE_SINE * square)
        return true; /* off the edge by no more than rounding: the face's own */
    const double distance = sqrt(square);
    for (int k = 0; k < 3; k++)
        n[k] = -sign * d[k] / distance;
    *gap = sign * distance - r;
    return true;
}

#endif
