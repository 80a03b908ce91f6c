/* The distance of two cores that do not overlap, after Gilbert, Johnson and Keerthi: the point v of
 * the difference of the cores (points of b less points of a) nearest to 0. The nearest point of a
 * simplex is found by signed volumes (Montanari, Petrinic and Barbieri 2017), which stay right for
 * slivers. */
#ifndef TL_KERNELS_NARROW_GJK_H
#define TL_KERNELS_NARROW_GJK_H

#include "kernels/narrow/support.h"

#define TLK_GJK_TURNS 96

typedef struct tlk_simplex {
    uint32_t count;
    double w[4][3];   /* points of the difference */
    double p[4][3];   /* those of a */
    double weight[4]; /* of the point nearest to 0 */
    double v[3];      /* that point */
} tlk_simplex;

enum { TLK_CORES_FAR = 0, TLK_CORES_APART = 1, TLK_CORES_OVERLAP = 2 };

/* The point nearest to 0 of some vertices of a simplex, by numbers: which ones matter, with weights
 * that add up to 1. */
typedef struct tlk_nearest_point {
    uint32_t count, at[3];
    double weight[3], v[3], square;
} tlk_nearest_point;

TL_NARROW void tlk_nearest_segment(const double (*w)[3], uint32_t i, uint32_t j,
                                   tlk_nearest_point *out)
{
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = w[j][k] - w[i][k];
    const double ee = tlk_dotd(e, e), t = -tlk_dotd(w[i], e);
    out->at[0] = i, out->at[1] = j;
    if (!(t > 0)) {
        out->count = 1;
        for (int k = 0; k < 3; k++)
            out->v[k] = w[i][k];
        out->weight[0] = 1;
    } else if (t >= ee) {
        out->count = 1;
        out->at[0] = j;
        for (int k = 0; k < 3; k++)
            out->v[k] = w[j][k];
        out->weight[0] = 1;
    } else {
        const double part = t / ee;
        out->count = 2;
        /* from the nearer end, which loses less */
        for (int k = 0; k < 3; k++)
            out->v[k] = part < 0.5 ? w[i][k] + part * e[k] : w[j][k] - (1 - part) * e[k];
        out->weight[0] = 1 - part;
        out->weight[1] = part;
    }
    out->square = tlk_dotd(out->v, out->v);
}

/* `thin`: triangles of less height, as a part of their length, count as their sides alone: a normal
 * of theirs would not be sure enough. */
TL_RARE void tlk_nearest_triangle(const double (*w)[3], uint32_t i, uint32_t j, uint32_t l,
                                  double thin, tlk_nearest_point *out)
{
    const uint32_t at[3] = {i, j, l};
    double e[3], f[3], n[3];
    for (int k = 0; k < 3; k++) {
        e[k] = w[j][k] - w[i][k];
        f[k] = w[l][k] - w[i][k];
    }
    tlk_crossd(e, f, n);
    const double nn = tlk_dotd(n, n), ee = tlk_dotd(e, e), ff = tlk_dotd(f, f);
    const double longest = tlk_max(ee, ff);
    const bool wide = nn > thin * thin * longest * longest;
    double area[3] = {0, 0, 0};
    bool in = false;
    if (wide) {
        /* twice the areas that n sees of the triangles of 0 and two vertices */
        for (int s = 0; s < 3; s++) {
            double c[3];
            tlk_crossd(w[at[s == 2 ? 0 : s + 1]], w[at[s == 0 ? 2 : s - 1]], c);
            area[s] = tlk_dotd(c, n);
        }
        in = area[0] > 0 && area[1] > 0 && area[2] > 0;
    }
    if (in) {
        const double sum = area[0] + area[1] + area[2], h = tlk_dotd(w[i], n) / nn;
        out->count = 3;
        for (int s = 0; s < 3; s++) {
            out->at[s] = at[s];
            out->weight[s] = area[s] / sum;
            out->v[s] = h * n[s];
        }
        out->square = tlk_dotd(out->v, out->v);
        return;
    }
    out->square = INFINITY;
    for (int s = 0; s < 3; s++) {
        if (wide && area[s] > 0)
            continue; /* 0 is on the inner side of the edge across from s */
        tlk_nearest_point other;
        tlk_nearest_segment(w, at[s == 2 ? 0 : s + 1], at[s == 0 ? 2 : s - 1], &other);
        if (other.square < out->square)
            *out = other;
    }
}

/* Returns true where 0 is inside of the tetrahedron. */
TL_RARE bool tlk_nearest_tetrahedron(const double (*w)[3], double thin, tlk_nearest_point *out)
{
    const uint32_t faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double e[3], f[3], g[3], c[3], part[4];
    for (int k = 0; k < 3; k++) {
        e[k] = w[1][k] - w[0][k];
        f[k] = w[2][k] - w[0][k];
        g[k] = w[3][k] - w[0][k];
    }
    tlk_crossd(f, g, c);
    const double volume = tlk_dotd(e, c);
    const double longest = tlk_max(tlk_dotd(e, e), tlk_max(tlk_dotd(f, f), tlk_dotd(g, g)));
    const bool flat = !(volume * volume > thin * thin * longest * tlk_dotd(c, c));
    bool in = !flat;
    for (int s = 0; s < 4; s++) { /* the volume with 0 in the place of vertex s */
        tlk_crossd(w[faces[s][1]], w[faces[s][2]], c);
        part[s] = tlk_dotd(w[faces[s][0]], c);
        if (volume < 0)
            part[s] = -part[s];
        in = in && part[s] >= 0;
    }
    if (in)
        return true;
    out->square = INFINITY;
    for (int s = 0; s < 4; s++) {
        if (!flat && part[s] > 0)
            continue;
        tlk_nearest_point other;
        tlk_nearest_triangle(w, faces[s][0], faces[s][1], faces[s][2], thin, &other);
        if (other.square < out->square)
            *out = other;
    }
    return false;
}

/* Takes vertex number `count` - 1 in; returns true where 0 is inside. The simplex is left as it was
 * where its nearest point comes no nearer. */
TL_NARROW bool tlk_simplex_reduce(tlk_simplex *x, double thin, bool *nearer)
{
    tlk_nearest_point near;
    if (x->count == 4) {
        if (tlk_nearest_tetrahedron((const double(*)[3])x->w, thin, &near))
            return true;
    } else if (x->count == 3) {
        tlk_nearest_triangle((const double(*)[3])x->w, 0, 1, 2, thin, &near);
    } else {
        tlk_nearest_segment((const double(*)[3])x->w, 0, 1, &near);
    }
    *nearer = near.square < tlk_dotd(x->v, x->v);
    if (!*nearer) {
        x->count--;
        return false;
    }
    double w[3][3], p[3][3];
    for (uint32_t i = 0; i < near.count; i++) {
        for (int k = 0; k < 3; k++) {
            w[i][k] = x->w[near.at[i]][k];
            p[i][k] = x->p[near.at[i]][k];
        }
    }
    x->count = near.count;
    for (uint32_t i = 0; i < near.count; i++) {
        x->weight[i] = near.weight[i];
        for (int k = 0; k < 3; k++) {
            x->w[i][k] = w[i][k];
            x->p[i][k] = p[i][k];
        }
    }
    for (int k = 0; k < 3; k++)
        x->v[k] = near.v[k];
    return false;
}

/* The point of a that is nearest to b. */
TL_NARROW void tlk_simplex_point(const tlk_simplex *x, double *p)
{
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (uint32_t i = 0; i < x->count; i++)
            p[k] += x->weight[i] * x->p[i][k];
    }
}

/* Whether the nearest points are inside of an edge of a and of one of b: both have two vertices
 * among those of the simplex. */
TL_NARROW bool tlk_simplex_crosses(const tlk_simplex *x, double scale)
{
    double of_a = 0, of_b = 0;
    for (uint32_t i = 1; i < x->count; i++) {
        double a = 0, b = 0;
        for (int k = 0; k < 3; k++) {
            const double p = x->p[i][k] - x->p[0][k], q = x->w[i][k] - x->w[0][k] + p;
            a += p * p;
            b += q * q;
        }
        of_a = tlk_max(of_a, a);
        of_b = tlk_max(of_b, b);
    }
    return tlk_min(of_a, of_b) > 1e-16 * scale * scale;
}

/* Distance of the cores, b moved by `shift` (m): far, as soon as it is sure to be more than
 * `limit`; apart, with x->v from the nearest point of a to that of b; or overlapping, also where
 * they are nearer than `least`. `start`: a direction from a to b. */
TL_RARE uint32_t tlk_distance(const tlk_convex *a, const tlk_convex *b, const double *shift,
                              const double *start, double limit, double least, double scale,
                              tlk_simplex *x)
{
    /* of curved cores, points crowd together where they are nearest */
    const bool straight = tlk_is_polytope(a->kind) && tlk_is_polytope(b->kind);
    const double thin = straight ? 1e-10 : 5e-6, exact = (straight ? 1e-15 : 1e-11) * scale;
    double d[3] = {start[0], start[1], start[2]};
    x->count = 0;
    for (int turn = 0; turn < TLK_GJK_TURNS; turn++) {
        const double back[3] = {-d[0], -d[1], -d[2]};
        double *p = x->p[x->count], *w = x->w[x->count];
        tlk_support(a, d, p);
        tlk_support(b, back, w);
        for (int k = 0; k < 3; k++)
            w[k] = w[k] - p[k] + shift[k];
        const double dw = tlk_dotd(d, w), dd = tlk_dotd(d, d);
        if (dw > 0 && dw * dw > limit * limit * dd)
            return TLK_CORES_FAR;
        if (turn == 0) {
            x->count = 1;
            x->weight[0] = 1;
            for (int k = 0; k < 3; k++)
                x->v[k] = w[k];
        } else {
            /* the plane through w across v is as far as v */
            if (dd - dw <= 4e-16 * dd || (dd - dw) * (dd - dw) <= exact * exact * dd)
                return TLK_CORES_APART;
            for (uint32_t i = 0; i < x->count; i++) {
                if (x->w[i][0] == w[0] && x->w[i][1] == w[1] && x->w[i][2] == w[2])
                    return TLK_CORES_APART;
            }
            x->count++;
            bool nearer = false;
            if (tlk_simplex_reduce(x, thin, &nearer))
                return TLK_CORES_OVERLAP;
            if (!nearer) /* rounding: what is that near is treated as an overlap */
                return dd > 1e-12 * scale * scale || dw > 0.5 * dd ? TLK_CORES_APART
                                                                   : TLK_CORES_OVERLAP;
        }
        if (tlk_dotd(x->v, x->v) <= least * least)
            return TLK_CORES_OVERLAP;
        for (int k = 0; k < 3; k++)
            d[k] = x->v[k];
    }
    return TLK_CORES_APART;
}

#endif
