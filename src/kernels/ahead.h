/* Where a shape touches a mesh or height field after a part of its way: the triangle that it
 * touches now, or one beside it, or any that it has come to. One pair at a time; called by
 * planes.h. */
#ifndef TL_KERNELS_AHEAD_H
#define TL_KERNELS_AHEAD_H

#include "kernels/touch.h"

/* Begins a walk over the triangles near a shape, `margin` around it. */
TL_RARE void tlk_ahead_walk(const tlk_surface *s, const double *about, const tlk_convex *a,
                            double margin, tlk_tree *walk)
{
    double middle[3], half[3], low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double d[3] = {0, 0, 0}, most[3], least[3];
        d[k] = 1;
        tlk_support(a, d, most);
        d[k] = -1;
        tlk_support(a, d, least);
        middle[k] = about[k] + 0.5 * (most[k] + least[k]);
        half[k] = 0.5 * (most[k] - least[k]) + a->rounding + margin;
    }
    tlk_surface_box(s, middle, half, low, high);
    tlk_tree_begin(walk, s, low, high);
}

/* Adds those points of a manifold that another one, with the same normal, does not have. */
TL_RARE void tlk_ahead_add(const tlk_manifold *from, double size, tlk_manifold *m)
{
    for (uint32_t i = 0; i < from->count && m->count < TLK_POINTS_MOST; i++) {
        bool known = false;
        for (uint32_t j = 0; j < m->count && !known; j++)
            known = tlk_brace_same(from->at[i], m->at[j], size);
        if (known)
            continue;
        m->gap[m->count] = from->gap[i];
        m->feature[m->count] = from->feature[i];
        for (int k = 0; k < 3; k++)
            m->at[m->count][k] = from->at[i][k];
        m->count++;
    }
}

/* How deep a manifold is. */
TL_KERNEL double tlk_ahead_gap(const tlk_manifold *m)
{
    double least = INFINITY;
    for (uint32_t k = 0; k < m->count; k++)
        least = tlk_min(least, m->gap[k]);
    return least;
}

/* Whether triangle t is behind the plane of a manifold, whose points are on its plane b's side: the
 * surface bends away from there. */
TL_RARE bool tlk_ahead_behind(const tlk_surface *s, uint32_t t, const double *about,
                              const tlk_manifold *m)
{
    double vertex[9], most = 0, size = 0;
    tlk_convex triangle;
    tlk_surface_triangle(s, t, about, vertex, &triangle);
    for (int v = 0; v < 3; v++) {
        const double d[3] = {vertex[3 * v] - m->at[0][0], vertex[3 * v + 1] - m->at[0][1],
                             vertex[3 * v + 2] - m->at[0][2]};
        most = tlk_max(most, m->gap[0] - tlk_dotd(m->n, d));
        size = tlk_max(size, tlk_dotd(d, d));
    }
    return most <= 1e-9 * sqrt(size);
}

/* Whether a manifold is nearer than another; of two that overlap, the one with the shorter way out.
 */
TL_RARE bool tlk_ahead_nearer(const tlk_manifold *one, const tlk_manifold *other)
{
    const double a = tlk_ahead_gap(one), b = tlk_ahead_gap(other);
    return a <= 0 && b <= 0 ? a > b : a < b;
}

/* How a shape touches the triangles around it: the nearest one's plane, with the points of all that
 * lie in it. m: none, or how it touches triangle t, which gives way to planes that this one is
 * behind. */
TL_RARE void tlk_ahead_around(const tlk_surface *s, uint32_t t, const double *about,
                              const tlk_convex *a, double margin, tlk_manifold *m)
{
    const double size = tlk_core_reach(a) + a->rounding;
    const bool own = m->count > 0;
    tlk_manifold one;
    tlk_tree walk;
    tlk_ahead_walk(s, about, a, margin, &walk);
    for (uint32_t u = tlk_tree_next(&walk, s); u != TLK_NONE; u = tlk_tree_next(&walk, s)) {
        tlk_surface_collide(s, u, about, a, margin, NULL, &one);
        if (!one.count)
            continue;
        const double d[3] = {one.n[0] - m->n[0], one.n[1] - m->n[1], one.n[2] - m->n[2]};
        if (m->count && tlk_dotd(d, d) <= 1e-13)
            tlk_ahead_add(&one, size, m);
        else if (!m->count ||
                 (tlk_ahead_nearer(&one, m) && (!own || tlk_ahead_behind(s, t, about, &one))))
            *m = one;
    }
}

/* How shape a touches triangle t of a surface, or what else it is near, in contacts of at least
 * `rows` points if there are so many: up to `limit`, or to `margin` from where it is. `entered`: it
 * was before the triangle's plane. */
TL_RARE void tlk_ahead(const tlk_surface *s, uint32_t t, const double *about, const tlk_convex *a,
                       double limit, double margin, uint32_t rows, bool entered, tlk_manifold *m)
{
    const bool sphere = a->kind == TLK_SPHERE;
    tlk_surface_collide(s, t, about, a, limit, NULL, m);
    if (!sphere && (m->count < rows || (entered && tlk_ahead_gap(m) < 0)))
        tlk_ahead_around(s, t, about, a, margin, m);
    for (uint32_t k = 0; k < 3 && !m->count; k++) {
        const uint32_t beside = tlk_surface_across(s, t, k);
        if (beside != TLK_NONE)
            tlk_surface_collide(s, beside, about, a, limit, NULL, m);
    }
    if (sphere && !m->count)
        tlk_ahead_around(s, t, about, a, margin, m);
}

#endif
