/* The direction of least penetration of two cores of which one is curved. A polytope inside of
 * their difference grows where it is nearest to 0 (the expanding polytope algorithm of van den
 * Bergen): its nearest face bounds the depth from below, its planes of support from above.
 * Directions that it finds are refined, and the polytope then shows that no other can be better. */
#ifndef TL_KERNELS_NARROW_EPA_H
#define TL_KERNELS_NARROW_EPA_H

#include "kernels/narrow/smooth.h"

#define TLK_EPA_VERTICES 32u
#define TLK_EPA_FACES    60u
#define TLK_EPA_HORIZON  48u

/* Where F(n) - n = r would vanish if r were linear in F between the latest and `depth` (1 or 2)
 * that came before. */
TL_NARROW void tlk_extrapolate(const double (*f)[3], const double (*r)[3], uint32_t depth,
                               double *n)
{
    double d[2][3], c[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        d[0][k] = r[0][k] - r[1][k];
        d[1][k] = depth == 2 ? r[0][k] - r[2][k] : 0;
    }
    const double xx = tlk_dotd(d[0], d[0]), xy = tlk_dotd(d[0], d[1]), yy = tlk_dotd(d[1], d[1]);
    const double px = tlk_dotd(d[0], r[0]), py = tlk_dotd(d[1], r[0]);
    const double square = xx * yy - xy * xy;
    if (square > 1e-12 * xx * yy) {
        c[0] = (px * yy - py * xy) / square;
        c[1] = (py * xx - px * xy) / square;
    } else if (xx > 0) {
        c[0] = px / xx;
    }
    for (int k = 0; k < 3; k++)
        n[k] =
            f[0][k] - c[0] * (f[0][k] - f[1][k]) - (depth == 2 ? c[1] * (f[0][k] - f[2][k]) : 0.0);
}

/* Makes an axis locally the best one: b is moved away along n until the cores are apart, and the
 * direction F(n) of their distance then is nearer to the one that is wanted. The step from n to
 * F(n) is followed to where it would vanish, as the last two steps tell (Anderson's acceleration).
 */
TL_RARE void tlk_refine_axis(const tlk_convex *a, const tlk_convex *b, double scale, tlk_axis *best)
{
    tlk_simplex x;
    double f[3][3], r[3][3]; /* F(n) and F(n) - n, the latest first */
    if (tlk_is_smooth(a->kind) && tlk_is_smooth(b->kind) &&
        tlk_climb_smooth(a, b, INFINITY, 1e-11 * scale, best))
        return;
    for (uint32_t turn = 0; turn < 24; turn++) {
        const double away = tlk_max(-best->s, 0.0) + 1e-3 * scale, before = best->s;
        const double shift[3] = {away * best->n[0], away * best->n[1], away * best->n[2]};
        if (tlk_distance(a, b, shift, best->n, INFINITY, 0, scale, &x) != TLK_CORES_APART)
            return;
        tlk_unit(x.v);
        for (int k = 0; k < 3; k++) {
            f[2][k] = f[1][k], f[1][k] = f[0][k], f[0][k] = x.v[k];
            r[2][k] = r[1][k], r[1][k] = r[0][k], r[0][k] = x.v[k] - best->n[k];
        }
        tlk_try_axis(a, b, f[0], 0, best);
        if (tlk_dotd(r[0], r[0]) < 1e-14)
            return; /* what is gained is of the order of its square */
        for (uint32_t depth = 1; depth <= 2 && depth <= turn; depth++) {
            double n[3];
            tlk_extrapolate((const double(*)[3])f, (const double(*)[3])r, depth, n);
            if (tlk_unit(n) > 0)
                tlk_try_axis(a, b, n, 0, best);
        }
        if (!(best->s > before + 1e-13 * scale))
            return;
    }
}

typedef struct tlk_epa {
    uint32_t vertices, faces;
    double w[TLK_EPA_VERTICES][3];
    double offset[TLK_EPA_FACES]; /* of 0 below the face; negative where it is above */
    uint8_t corner[TLK_EPA_FACES][3];
} tlk_epa;

/* The farthest point of the difference along m, from 0 outwards. */
TL_NARROW void tlk_epa_support(const tlk_convex *a, const tlk_convex *b, const double *m, double *w)
{
    const double back[3] = {-m[0], -m[1], -m[2]};
    double p[3];
    tlk_support(a, back, p);
    tlk_support(b, m, w);
    for (int k = 0; k < 3; k++)
        w[k] -= p[k];
}

/* The outward unit normal of three corners; false where they are on a line. */
TL_NARROW bool tlk_epa_normal(const tlk_epa *x, const uint8_t *corner, double *m)
{
    double e[3], f[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x->w[corner[1]][k] - x->w[corner[0]][k];
        f[k] = x->w[corner[2]][k] - x->w[corner[0]][k];
    }
    tlk_crossd(e, f, m);
    return tlk_unit(m) > 0;
}

TL_NARROW void tlk_epa_add(tlk_epa *x, uint32_t i, uint32_t j, uint32_t l)
{
    double m[3];
    const uint32_t at = x->faces++;
    x->corner[at][0] = (uint8_t)i;
    x->corner[at][1] = (uint8_t)j;
    x->corner[at][2] = (uint8_t)l;
    /* a sliver is none that 0 is nearest to */
    x->offset[at] = tlk_epa_normal(x, x->corner[at], m) ? tlk_dotd(m, x->w[i]) : INFINITY;
}

/* Four vertices: the farthest point along n, and three around the one that is nearest to 0 along
 * -n, found by directions that are turned from it by `tilt`; false where they are in one plane. */
TL_RARE bool tlk_epa_begin(const tlk_convex *a, const tlk_convex *b, const double *n, double tilt,
                           double scale, tlk_epa *x)
{
    double t[3], u[3];
    x->faces = 0;
    x->vertices = 4;
    tlk_perpendicular(n, t);
    tlk_crossd(n, t, u);
    for (uint32_t i = 0; i < 3; i++) { /* at 0, 120 and 240 degrees */
        const double c = i == 0 ? tilt : -0.5 * tilt;
        const double d = i == 0 ? 0 : (i == 1 ? 1 : -1) * 0.8660254037844386 * tilt;
        const double m[3] = {c * t[0] + d * u[0] - n[0], c * t[1] + d * u[1] - n[1],
                             c * t[2] + d * u[2] - n[2]};
        tlk_epa_support(a, b, m, x->w[i]);
    }
    tlk_epa_support(a, b, n, x->w[3]);
    double e[3], f[3], g[3], c[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x->w[1][k] - x->w[0][k];
        f[k] = x->w[2][k] - x->w[0][k];
        g[k] = x->w[3][k] - x->w[0][k];
    }
    tlk_crossd(e, f, c);
    const double wide = tlk_unit(c), height = tlk_dotd(c, g);
    if (!(wide > 1e-9 * scale * scale && fabs(height) > 1e-6 * scale))
        return false;
    /* the fourth is above the plane of the others seen counterclockwise, or below it */
    const uint32_t i = height > 0 ? 2 : 1, j = height > 0 ? 1 : 2;
    tlk_epa_add(x, 0, i, j);
    tlk_epa_add(x, 0, j, 3);
    tlk_epa_add(x, j, i, 3);
    tlk_epa_add(x, i, 0, 3);
    return true;
}

/* Takes the vertex in that is last in x->w: the faces that see it go, and new ones join it to their
 * outline. False where there is no room, or rounding leaves no outline. */
TL_RARE bool tlk_epa_grow(tlk_epa *x, double slack)
{
    uint8_t edge[TLK_EPA_HORIZON][2];
    uint32_t edges = 0, kept = 0;
    const uint32_t at = x->vertices;
    for (uint32_t i = 0; i < x->faces; i++) {
        double m[3];
        const uint8_t *c = x->corner[i];
        const bool fine = tlk_epa_normal(x, c, m);
        if (!fine || tlk_dotd(m, x->w[at]) - tlk_dotd(m, x->w[c[0]]) <= slack) {
            x->offset[kept] = x->offset[i];
            for (int k = 0; k < 3; k++)
                x->corner[kept][k] = c[k];
            kept++;
            continue;
        }
        for (int s = 0; s < 3; s++) { /* an edge of two such faces is none of the outline */
            const uint8_t from = c[s], to = c[s == 2 ? 0 : s + 1];
            uint32_t j = 0;
            while (j < edges && !(edge[j][0] == to && edge[j][1] == from))
                j++;
            if (j < edges) {
                edges--;
                edge[j][0] = edge[edges][0], edge[j][1] = edge[edges][1];
            } else if (edges < TLK_EPA_HORIZON) {
                edge[edges][0] = from, edge[edges][1] = to;
                edges++;
            } else {
                return false;
            }
        }
    }
    x->faces = kept;
    if (edges < 3 || kept + edges > TLK_EPA_FACES)
        return false;
    x->vertices++;
    for (uint32_t j = 0; j < edges; j++)
        tlk_epa_add(x, edge[j][0], edge[j][1], at);
    return true;
}

/* The face that is nearest to 0. */
TL_NARROW uint32_t tlk_epa_nearest(const tlk_epa *x)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < x->faces; i++)
        at = x->offset[i] < x->offset[at] ? i : at;
    return at;
}

/* The best of all directions; best: one to start with, which is locally the best (refined) or is to
 * become that first. */
TL_RARE void tlk_try_all(const tlk_convex *a, const tlk_convex *b, bool refined, double scale,
                         tlk_axis *best)
{
    tlk_epa x;
    const double slack = 1e-10 * scale;
    if (!refined)
        tlk_refine_axis(a, b, scale, best);
    bool room = tlk_epa_begin(a, b, best->n, 0.25, scale, &x);
    for (uint32_t i = 0; i < 6 && !room; i++) { /* a corner of the difference: begin elsewhere */
        const tlk_convex *s = tlk_is_polytope(a->kind) ? b : a; /* what is curved has unit axes */
        room = tlk_epa_begin(a, b, s->axis + 3 * (i >> 1), (i & 1) ? 20 : 2, scale, &x);
    }
    if (!room)
        return;
    for (uint32_t more = 0; more < 24 && x.faces > 0;) {
        const uint32_t at = tlk_epa_nearest(&x);
        if (x.offset[at] >= -best->s - slack)
            return; /* nothing of the difference's surface is nearer to 0 */
        tlk_axis here;
        double m[3], n[3];
        tlk_epa_normal(&x, x.corner[at], m);
        for (int k = 0; k < 3; k++)
            n[k] = -m[k];
        here.s = -INFINITY;
        tlk_try_axis(a, b, n, 0, &here);
        const bool shallow = best->s > -0.02 * scale;
        if (shallow && tlk_dotd(n, best->n) > 0.995 && -best->s - x.offset[at] < 2e-5 * scale &&
            here.s <= best->s + slack) {
            x.offset[at] = INFINITY; /* where the best is, and that is refined */
            continue;
        }
        if (room) {
            double *w = x.w[x.vertices];
            for (int k = 0; k < 3; k++)
                w[k] = here.q[k] - here.p[k];
            if (tlk_dotd(w, m) <= x.offset[at] + slack)
                x.offset[at] = INFINITY; /* this face is one of the difference */
            else
                room = tlk_epa_grow(&x, 1e-14 * scale) && x.vertices < TLK_EPA_VERTICES;
        } else {
            x.offset[at] = INFINITY; /* faces that are left: what they lead to is all there is */
            more++;
            tlk_refine_axis(a, b, scale, &here);
        }
        if (here.s > best->s + slack) {
            if (room)
                tlk_refine_axis(a, b, scale, &here);
            *best = here;
        }
    }
}

#endif
