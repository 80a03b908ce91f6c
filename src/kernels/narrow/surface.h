/* Any convex shape and a triangle of a mesh or height field: collide.h finds how the two touch as
 * if the triangle were alone and two-sided; here that becomes a contact with the surface, or none.
 * Called by the stages that find contacts. docs/theory.md, "Meshes and height fields". */
#ifndef TL_KERNELS_NARROW_SURFACE_H
#define TL_KERNELS_NARROW_SURFACE_H

#include "kernels/narrow/collide.h"
#include "kernels/narrow/triangle.h"

/* Sines of angles: how exact the normals of shapes that are not spheres are taken to be; which of
 * them are the face's. The second is larger, so that none at a vertex in a plane is neither. */
#define TLK_ABOUT_SINE 5e-5
#define TLK_FLAT_SINE  2e-4

/* The sine of the angle between two faces below which they are one. */
#define TLK_FLAT 1e-6

/* A shape that overlaps the face of a mesh is pushed to the front as long as it reaches this many
 * times less far behind the face than in front of it: for a ball, until its centre is half a radius
 * behind (TLK_BEHIND). */
#define TLK_DEEPEST 3.0

/* How many times deeper than the shortest way out a way along the normal may be at any rate. */
#define TLK_DEEPER 3.0

/* A triangle, a shape near it and what both are in. */
typedef struct tlk_meet_face {
    const tlk_surface *s;
    uint32_t t;
    const double *about;     /* world: what the shapes' coordinates are relative to */
    const tlk_convex *a;     /* the shape */
    const tlk_convex *b;     /* the triangle */
    double corner[9], n[3];  /* the triangle and its normal, in the surface's frame */
    double up[3];            /* the normal in the world's axes */
    double low[3], high[3];  /* points of a's core that are farthest behind and in front */
    double behind, in_front; /* m: how far a reaches behind the plane and in front of it */
} tlk_meet_face;

TL_NARROW void tlk_meet_face_of(const tlk_surface *s, uint32_t t, const double *about,
                                const tlk_convex *a, const tlk_convex *b, tlk_meet_face *f)
{
    f->s = s;
    f->t = t;
    f->about = about;
    f->a = a;
    f->b = b;
    tlk_surface_corners(s, t, f->corner);
    tlk_corner_normal(f->corner, f->n);
    tlk_surface_out(s, f->n, f->up);
    const double down[3] = {-f->up[0], -f->up[1], -f->up[2]};
    tlk_support(a, down, f->low);
    tlk_support(a, f->up, f->high);
    f->behind = f->in_front = a->rounding;
    for (int k = 0; k < 3; k++) {
        f->behind -= f->up[k] * (f->low[k] - b->vertex[k]);
        f->in_front += f->up[k] * (f->high[k] - b->vertex[k]);
    }
}

/* A point of the world (relative to `about`) in the surface's frame. */
TL_NARROW void tlk_meet_point(const tlk_meet_face *f, const double *p, double *out)
{
    const double d[3] = {p[0] + (f->about[0] - f->s->origin[0]),
                         p[1] + (f->about[1] - f->s->origin[1]),
                         p[2] + (f->about[2] - f->s->origin[2])};
    tlk_surface_in(f->s, d, out);
}

/* Whether a point's foot on the plane of the triangle is inside of it. */
TL_NARROW bool tlk_meet_over(const tlk_meet_face *f, const double *p)
{
    bool inside = true;
    for (uint32_t v = 0; v < 3; v++) {
        const double *a = f->b->vertex + 3 * v, *b = f->b->vertex + 3 * tlk_next3(v);
        double e[3], x[3], across[3];
        for (int k = 0; k < 3; k++) {
            e[k] = b[k] - a[k];
            x[k] = p[k] - a[k];
        }
        tlk_crossd(e, x, across);
        inside = inside && tlk_dotd(across, f->up) >= -1e-9 * tlk_dotd(e, e);
    }
    return inside;
}

/* Whether the shape's farthest point is behind the triangle, though perhaps it came through a
 * neighbour. */
TL_NARROW bool tlk_meet_under(const tlk_meet_face *f)
{
    double p[3];
    if (!(f->behind >= 0 && f->in_front > 0 && tlk_meet_over(f, f->low)))
        return false;
    tlk_meet_point(f, f->low, p);
    return !tlk_triangle_outdone(f->s, f->t, f->corner, f->n, p, f->behind);
}

/* Leaves those points of the manifold out that overlap by more than `deep` and by far more than
 * they would behind a neighbour. */
TL_NARROW void tlk_meet_thin(const tlk_meet_face *f, double deep, tlk_manifold *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        double p[3];
        tlk_meet_point(f, m->at[i], p);
        if (-m->gap[i] > deep && tlk_triangle_outdone(f->s, f->t, f->corner, f->n, p, -m->gap[i]))
            continue;
        m->gap[kept] = m->gap[i];
        m->feature[kept] = m->feature[i];
        for (int k = 0; k < 3; k++)
            m->at[kept][k] = m->at[i][k];
        kept++;
    }
    m->count = kept;
}

/* The contact along the triangle's normal, whatever the nearest way out: points of the shape that
 * face the triangle and lie over it; `sure`: at least the farthest one. Those that overlap by more
 * than `deep` must not have a better way out by a neighbour. */
TL_RARE void tlk_meet_along(const tlk_meet_face *f, double limit, bool sure, double deep,
                            tlk_manifold *m)
{
    const double down[3] = {-f->up[0], -f->up[1], -f->up[2]};
    const double scale = tlk_core_reach(f->a) + f->a->rounding;
    tlk_facing t;
    tlk_touch_features(f->a, f->b, down, limit, scale, &t, m);
    if (sure || tlk_meet_over(f, f->low))
        tlk_touch_nearest(&t, f->low, -f->behind, m);
    if (deep < INFINITY)
        tlk_meet_thin(f, deep, m);
}

/* Gives the manifold the triangle's normal. */
TL_NARROW void tlk_meet_snap(const tlk_meet_face *f, double limit, tlk_manifold *m)
{
    uint32_t kept = 0;
    for (int k = 0; k < 3; k++)
        m->n[k] = -f->up[k];
    for (uint32_t i = 0; i < m->count; i++) {
        double gap = 0;
        for (int k = 0; k < 3; k++)
            gap += f->up[k] * (m->at[i][k] - f->b->vertex[k]);
        if (!(gap <= limit))
            continue;
        m->gap[kept] = gap;
        m->feature[kept] = m->feature[i];
        for (int k = 0; k < 3; k++)
            m->at[kept][k] = m->at[i][k];
        kept++;
    }
    m->count = kept;
}

/* The part of the triangle that is farthest along d. */
TL_NARROW uint32_t tlk_meet_part(const tlk_meet_face *f, const double *d)
{
    double h[3];
    uint32_t top = 0;
    for (uint32_t v = 0; v < 3; v++) {
        h[v] = 0;
        for (int k = 0; k < 3; k++)
            h[v] += d[k] * (f->corner[3 * v + k] - f->corner[k]);
        top = h[v] > h[top] ? v : top;
    }
    const uint32_t next = tlk_next3(top), last = tlk_next3(next);
    double e[3], g[3];
    for (int k = 0; k < 3; k++) {
        e[k] = f->corner[3 * next + k] - f->corner[3 * top + k];
        g[k] = f->corner[3 * last + k] - f->corner[3 * top + k];
    }
    const double fall_next = (h[top] - h[next]) / sqrt(tlk_dotd(e, e));
    const double fall_last = (h[top] - h[last]) / sqrt(tlk_dotd(g, g));
    if (fall_next <= fall_last)
        return fall_next <= TLK_ABOUT_SINE ? top : TLK_PART_VERTEX + top;
    return fall_last <= TLK_ABOUT_SINE ? last : TLK_PART_VERTEX + top;
}

/* Whether d is the triangle's normal, as far as can be told. */
TL_NARROW bool tlk_meet_faces(const tlk_meet_face *f, const double *d)
{
    const double facing = tlk_dotd(d, f->n);
    return facing > 0 && 1 - facing * facing <= TLK_FLAT_SINE * TLK_FLAT_SINE;
}

/* The vertices of a part that is no face, as bits. */
TL_NARROW uint32_t tlk_part_vertices(uint32_t part)
{
    return part < TLK_PART_VERTEX ? 1u << part | 1u << tlk_next3(part)
                                  : 1u << (part - TLK_PART_VERTEX);
}

/* Turns a normal that leans over neighbours to the nearest one that the surface has at that edge or
 * vertex of the triangle: d goes from the triangle to the shape. Whether there is one. */
TL_RARE bool tlk_meet_clamp(const tlk_meet_face *f, double *d)
{
    double over[3];
    const uint32_t first = tlk_part_vertices(tlk_meet_part(f, d));
    for (int turn = 0; turn < 4; turn++) {
        const uint32_t part = tlk_meet_part(f, d);
        if (!(tlk_part_vertices(part) & first))
            return false; /* where the surface bends up */
        const tlk_claim claim =
            tlk_triangle_claim(f->s, f->t, f->corner, part, d, TLK_ABOUT_SINE, over);
        const double lean = tlk_dotd(d, over);
        if (tlk_dotd(d, f->n) <= 0)
            return false;
        if (claim == TLK_CLAIM_FRONT || claim == TLK_CLAIM_SHARED || tlk_meet_faces(f, d))
            return true;
        for (int k = 0; k < 3; k++)
            d[k] -= lean * over[k];
        if (!(tlk_unit(d) > 0))
            return false;
    }
    return false;
}

/* Gives the manifold the normal -d, of the surface's frame. Its points stay. */
TL_NARROW void tlk_meet_lean(const tlk_meet_face *f, const double *d, tlk_manifold *m)
{
    double n[3];
    const double down[3] = {-d[0], -d[1], -d[2]};
    tlk_surface_out(f->s, down, n);
    const double along = tlk_dotd(n, m->n);
    for (uint32_t i = 0; i < m->count; i++)
        m->gap[i] *= along;
    for (int k = 0; k < 3; k++)
        m->n[k] = n[k];
}

/* Whether the surface goes on straight across an edge of the triangle, or all around a vertex. */
TL_RARE bool tlk_meet_flat(const tlk_meet_face *f, uint32_t part)
{
    double corner[9], n[3], across[3];
    const bool edge = part < TLK_PART_VERTEX;
    tlk_fan fan;
    tlk_fan_begin(&fan, f->s, f->t, edge ? part : part - TLK_PART_VERTEX);
    for (;;) {
        const uint32_t u = tlk_fan_next(&fan, f->s);
        if (fan.open)
            return false;
        if (u == TLK_NONE)
            return true;
        tlk_surface_corners(f->s, u, corner);
        tlk_corner_normal(corner, n);
        tlk_crossd(n, f->n, across);
        if (!(tlk_dotd(across, across) <= TLK_FLAT * TLK_FLAT && tlk_dotd(n, f->n) > 0))
            return false;
        if (edge)
            return true; /* the first one is that across the edge */
    }
}

/* Adds those points of m that the manifold does not have and that are where the surface bends. */
TL_NARROW void tlk_meet_bends(const tlk_meet_face *f, const tlk_manifold *m, tlk_manifold *out)
{
    for (uint32_t i = 0; i < m->count && out->count < TLK_POINTS_MOST; i++) {
        const uint32_t id = m->feature[i] & 1023; /* of the triangle's part (clip.h) */
        const uint32_t part = id >= TLK_EDGE_ID ? id - TLK_EDGE_ID : TLK_PART_VERTEX + id;
        bool spare = id != TLK_INSIDE_ID && tlk_meet_flat(f, part);
        for (uint32_t j = 0; j < out->count; j++)
            spare = spare || out->feature[j] == m->feature[i];
        if (spare)
            continue;
        out->gap[out->count] = m->gap[i];
        out->feature[out->count] = m->feature[i];
        for (int k = 0; k < 3; k++)
            out->at[out->count][k] = m->at[i][k];
        out->count++;
    }
}

/* Whether all contacts of a shape with a plane are corners of it. */
TL_NARROW bool tlk_meet_cornered(const tlk_meet_face *f)
{
    const uint32_t kind = f->a->kind;
    return kind == TLK_BOX || kind == TLK_HULL || kind == TLK_CAPSULE;
}

/* The corners of a box, hull or capsule that face the triangle and are over it: they are its
 * contacts with a face, near or touching. Of the points that m, along the normal, has besides,
 * those stay that are where the surface bends. So a box on a plane of triangles has the contacts
 * that it has on a plane, however many the triangles are. */
TL_RARE void tlk_meet_corners(const tlk_meet_face *f, double limit, tlk_manifold *m)
{
    const double down[3] = {-f->up[0], -f->up[1], -f->up[2]};
    tlk_plane_frame frame;
    tlk_feature c;
    tlk_manifold out;
    if (!tlk_meet_cornered(f))
        return;
    tlk_plane_frame_of(down, &frame);
    tlk_feature_of(f->a, &frame, 1, &c);
    out.count = 0;
    for (uint32_t i = 0; i < c.count; i++) {
        double p[3], gap = -f->a->rounding;
        const double h = tlk_height(&c, c.xy[i][0], c.xy[i][1]);
        for (int k = 0; k < 3; k++) {
            p[k] = c.xy[i][0] * frame.t[k] + c.xy[i][1] * frame.u[k] + h * down[k];
            gap += f->up[k] * (p[k] - f->b->vertex[k]);
        }
        if (!(gap <= limit) || !tlk_meet_over(f, p))
            continue;
        if (out.count == TLK_POINTS_MOST && m->count)
            return; /* too many: m has the best of them */
        if (out.count == TLK_POINTS_MOST)
            break;
        for (int k = 0; k < 3; k++)
            out.at[out.count][k] = p[k] + f->a->rounding * down[k];
        out.gap[out.count] = gap;
        out.feature[out.count++] = tlk_feature_id(c.id[i], TLK_INSIDE_ID);
    }
    if (m->count == 0)
        tlk_meet_thin(f, 0, &out);
    tlk_meet_bends(f, m, &out);
    for (int k = 0; k < 3; k++)
        out.n[k] = down[k];
    *m = out;
}

/* Corrects the manifold of a shape and a triangle: tlk_triangle_correct() says how. */
TL_RARE void tlk_meet_correct(const tlk_meet_face *f, double limit, tlk_manifold *m)
{
    double least = INFINITY, d[3];
    tlk_claim claim = TLK_CLAIM_BACK;
    for (uint32_t i = 0; i < m->count; i++)
        least = tlk_min(least, m->gap[i]);
    const double back[3] = {-m->n[0], -m->n[1], -m->n[2]};
    tlk_surface_in(f->s, back, d);
    if (m->count && tlk_meet_faces(f, d)) {
        tlk_meet_snap(f, limit, m);
        tlk_meet_corners(f, limit, m);
        return;
    }
    const uint32_t part = tlk_meet_part(f, d);
    if (m->count)
        claim = tlk_triangle_claim(f->s, f->t, f->corner, part, d, TLK_ABOUT_SINE, NULL);
    /* Shapes that overlap may leave two triangles in different directions: each keeps its own. */
    if (claim == TLK_CLAIM_FRONT || (claim == TLK_CLAIM_SHARED && least < 0))
        return;
    tlk_manifold raw = *m;
    m->count = 0;
    if (f->s->kind == TLK_MESH && f->behind > TLK_DEEPEST * f->in_front)
        return;
    if (least <= 0 || tlk_meet_under(f))
        tlk_meet_along(f, limit, false, tlk_max(-TLK_DEEPER * least, 0.0), m);
    /* Where no point of the shape is over the triangle, perhaps none is over any; but corners on
     * what is flat are over a neighbour. */
    const bool lost = m->count == 0 && least < 0 && claim == TLK_CLAIM_NONE;
    tlk_meet_corners(f, limit, m);
    if (!lost || m->count || (tlk_meet_cornered(f) && tlk_meet_flat(f, part)))
        return;
    if (tlk_meet_clamp(f, d)) {
        *m = raw;
        if (tlk_meet_faces(f, d))
            tlk_meet_snap(f, limit, m);
        else
            tlk_meet_lean(f, d, m);
    }
}

/* Corrects the manifold m of shape a and triangle t (b is that triangle, by tlk_surface_triangle
 * with the same `about`; the normal of m goes from a to b; gaps are up to `limit`): afterwards it
 * is the contact with the surface that is this triangle's, or has no points.
 *   - A normal that is the face's within rounding is made exactly that.
 *   - One at an edge or vertex stays where the surface has it: where it leans over no neighbour.
 *   - What overlaps otherwise is pushed out along the face's normal, by those points of a that are
 *     over the triangle. What does not overlap has its contact with a neighbour, or none. */
TL_NARROW void tlk_triangle_correct(const tlk_surface *s, uint32_t t, const double *about,
                                    const tlk_convex *a, const tlk_convex *b, double limit,
                                    tlk_manifold *m)
{
    tlk_meet_face f;
    tlk_meet_face_of(s, t, about, a, b, &f);
    tlk_meet_correct(&f, limit, m);
}

/* A sphere, as a manifold of one point. */
TL_NARROW void tlk_surface_sphere(const tlk_surface *s, uint32_t t, const double *about,
                                  const tlk_convex *a, double limit, tlk_manifold *m)
{
    double c[3], n[3];
    const double from[3] = {a->origin[0] + (about[0] - s->origin[0]),
                            a->origin[1] + (about[1] - s->origin[1]),
                            a->origin[2] + (about[2] - s->origin[2])};
    tlk_surface_in(s, from, c);
    m->count = tlk_sphere_triangle(s, t, c, a->rounding, limit, n, &m->gap[0]) ? 1 : 0;
    tlk_surface_out(s, n, m->n);
    for (int k = 0; k < 3; k++)
        m->at[0][k] = a->origin[k] + a->rounding * m->n[k];
    m->feature[0] = 0;
}

/* Whether the middle of a shape is straight under the triangle of a height field. */
TL_NARROW bool tlk_meet_buried(const tlk_meet_face *f)
{
    double middle[3], p[3];
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (f->low[k] + f->high[k]);
    tlk_meet_point(f, middle, p);
    return f->behind > f->in_front && tlk_triangle_spans(f->corner, p);
}

/* The contact of shape a with triangle t of a surface, within `limit`: no points where they are
 * farther apart or where a neighbour of the triangle has it. Coordinates of a and of m are in the
 * world's axes, relative to the point `about`, which is near a. `guess` as for tlk_collide_convex.
 * a is no plane and no parallelogram. */
TL_RARE void tlk_surface_collide(const tlk_surface *s, uint32_t t, const double *about,
                                 const tlk_convex *a, double limit, const double *guess,
                                 tlk_manifold *m)
{
    if (a->kind == TLK_SPHERE) {
        tlk_surface_sphere(s, t, about, a, limit, m);
        return;
    }
    double vertex[9];
    tlk_convex b;
    tlk_surface_triangle(s, t, about, vertex, &b);
    tlk_meet_face f;
    tlk_meet_face_of(s, t, about, a, &b, &f);
    m->count = 0;
    m->n[0] = m->n[1] = m->n[2] = 0;
    if (-f.behind > limit)
        return;
    if (s->kind == TLK_HEIGHTS && tlk_meet_buried(&f)) {
        tlk_meet_along(&f, limit, true, INFINITY, m);
        return;
    }
    tlk_collide_convex(a, &b, limit, guess, m);
    tlk_meet_correct(&f, limit, m);
}

#endif
