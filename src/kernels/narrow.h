/* The narrow phase of simple pairs: gap and normal of a sphere and another shape, in 64-bit. Called
 * by find.h. Frames are those of kernels/args.h. */
#ifndef TL_KERNELS_NARROW_H
#define TL_KERNELS_NARROW_H

#include "kernels/narrow/convex.h"

/* Unit vector from a to b and the distance; an arbitrary fixed direction where the points coincide.
 */
TL_KERNEL double tlk_direction(const double *a, const double *b, double *n)
{
    for (int k = 0; k < 3; k++)
        n[k] = b[k] - a[k];
    const double d = sqrt(tlk_dotd(n, n));
    if (d > 0) {
        const double inverse = 1 / d;
        for (int k = 0; k < 3; k++)
            n[k] = n[k] * inverse;
    } else {
        n[0] = 0, n[1] = 0, n[2] = 1;
    }
    return d;
}

/* Sphere (centre c, radius r) and a half-space: the normal points from the sphere into it. */
TL_KERNEL double tlk_sphere_plane(const double *c, double r, const double *frame, double *n)
{
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = c[k] - frame[k];
        n[k] = -frame[9 + k];
    }
    return tlk_dotd(d, frame + 9) - r;
}

/* Sphere and solid box: towards the nearest point of its surface; from inside, through the nearest
 * face. */
TL_KERNEL double tlk_sphere_box(const double *c, double r, const double *frame, double *n)
{
    double d[3], local[3], nearest[3], depth = -INFINITY;
    int face = 0;
    bool inside = true;
    for (int k = 0; k < 3; k++)
        d[k] = c[k] - frame[k];
    for (int k = 0; k < 3; k++) {
        local[k] = tlk_dotd(d, frame + 3 + 3 * k);
        const double half = frame[12 + k];
        nearest[k] = local[k] < -half ? -half : local[k] > half ? half : local[k];
        inside = inside && nearest[k] == local[k];
        const double out = fabs(local[k]) - half; /* <= 0 inside */
        if (out > depth)
            depth = out, face = k;
    }
    if (inside) {
        const double sign = local[face] < 0 ? 1.0 : -1.0;
        for (int k = 0; k < 3; k++)
            n[k] = sign * frame[3 + 3 * face + k];
        return depth - r;
    }
    double to[3], world[3];
    for (int k = 0; k < 3; k++)
        to[k] = nearest[k] - local[k];
    const double distance = sqrt(tlk_dotd(to, to));
    for (int k = 0; k < 3; k++)
        world[k] = frame[3 + k] * to[0] + frame[6 + k] * to[1] + frame[9 + k] * to[2];
    for (int k = 0; k < 3; k++)
        n[k] = world[k] / distance;
    return distance - r;
}

/* The parameter of the point of the segment from 0 to e that is nearest to d. */
TL_KERNEL double tlk_along(const double *d, const double *e)
{
    const double t = tlk_dotd(d, e) / tlk_dotd(e, e);
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* Sphere and a thin parallelogram (corner, edges u and v): towards its nearest point, from either
 * side. t is taken along the part of v across u, and s then by a projection on u, whatever error t
 * has: so where u and v are nearly parallel an error of t moves the point by little, as the
 * parallelogram is narrow there. (The inverse of the matrix of uu, uv and vv would lose a number of
 * digits that is twice that of their sine.) */
TL_KERNEL double tlk_sphere_parallelogram(const double *c, double r, const double *frame, double *n)
{
    const double *u = frame + 3, *v = frame + 6;
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = c[k] - frame[k];
    const double uu = tlk_dotd(u, u), uv = tlk_dotd(u, v);
    double across[3] = {v[0], v[1], v[2]};
    for (int twice = 0; twice < 2; twice++) { /* what rounding left along u goes, too */
        const double part = tlk_dotd(across, u) / uu;
        for (int k = 0; k < 3; k++)
            across[k] -= part * u[k];
    }
    double t = tlk_dotd(d, across) / tlk_dotd(across, across);
    double s = (tlk_dotd(d, u) - t * uv) / uu;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) {
        /* outside: the nearest point of the four edges */
        double best = INFINITY, bs = 0, bt = 0;
        for (int edge = 0; edge < 4; edge++) {
            const double fixed = (edge & 1) ? 1 : 0;
            const double *along = edge < 2 ? u : v, *other = edge < 2 ? v : u;
            double e[3];
            for (int k = 0; k < 3; k++)
                e[k] = d[k] - fixed * other[k];
            const double m = tlk_along(e, along);
            for (int k = 0; k < 3; k++)
                e[k] -= m * along[k];
            const double square = tlk_dotd(e, e);
            if (square < best) {
                best = square;
                bs = edge < 2 ? m : fixed;
                bt = edge < 2 ? fixed : m;
            }
        }
        s = bs, t = bt;
    }
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = frame[k] + s * u[k] + t * v[k];
    double distance = tlk_direction(c, p, n);
    if (!(distance > 0)) {
        for (int k = 0; k < 3; k++)
            n[k] = -frame[9 + k];
        distance = 0;
    }
    return distance - r;
}

/* A sphere against a wall of one of the simple kinds. */
TL_KERNEL double tlk_sphere_wall(uint32_t kind, const double *c, double r, const double *frame,
                                 double *n)
{
    return kind == TLK_PLANE ? tlk_sphere_plane(c, r, frame, n)
           : kind == TLK_BOX ? tlk_sphere_box(c, r, frame, n)
                             : tlk_sphere_parallelogram(c, r, frame, n);
}

/* Whether shapes of these kinds touch in one point at most, which tlk_narrow() finds: a sphere, and
 * a sphere, plane, box without rounding or parallelogram. */
TL_KERNEL bool tlk_is_simple(uint32_t info_a, uint32_t info_b)
{
    const uint32_t a = info_a & TLK_SHAPE_KIND, b = info_b & TLK_SHAPE_KIND;
    return !((info_a | info_b) & TLK_SHAPE_ROUNDED) && (a == TLK_SPHERE || b == TLK_SPHERE) &&
           a <= TLK_PARALLELOGRAM && b <= TLK_PARALLELOGRAM;
}

/* A sphere and something else, in either order. */
TL_RARE double tlk_narrow_frame(const tlk_shapes *s, uint32_t i, uint32_t j, double *n)
{
    const uint32_t ki = s->info[i] & TLK_SHAPE_KIND, kj = s->info[j] & TLK_SHAPE_KIND;
    if (kj != TLK_SPHERE)
        return tlk_sphere_wall(kj, s->centre + 4 * (size_t)i, s->geom[4 * (size_t)i + 3],
                               s->frame + TLK_FRAME * (size_t)s->frame_of[j], n);
    /* the sphere is the partner: swap, and turn the normal round */
    double back[3];
    const double gap = tlk_sphere_wall(ki, s->centre + 4 * (size_t)j, s->geom[4 * (size_t)j + 3],
                                       s->frame + TLK_FRAME * (size_t)s->frame_of[i], back);
    for (int k = 0; k < 3; k++)
        n[k] = -back[k];
    return gap;
}

/* Gap and normal from shape i to shape j, a simple pair. */
TL_KERNEL double tlk_narrow(const tlk_shapes *s, uint32_t i, uint32_t j, double *n)
{
    double a[4], b[4];
    tlk_load4d(s->centre + 4 * (size_t)i, a);
    tlk_load4d(s->centre + 4 * (size_t)j, b);
    if (a[3] < 0 || b[3] < 0) {
        double back[3]; /* others, so that the usual ones stay in registers */
        const double gap = tlk_narrow_frame(s, i, j, back);
        for (int k = 0; k < 3; k++)
            n[k] = back[k];
        return gap;
    }
    return tlk_direction(a, b, n) - (a[3] + b[3]);
}

#endif
