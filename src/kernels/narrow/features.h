/* The feature of a core that faces along a direction: a flat face (or a disc, as a polygon), an
 * edge or a line of a curved side, or one point. It is seen along the contact normal n: points of
 * the plane across n, and heights along n. */
#ifndef TL_KERNELS_NARROW_FEATURES_H
#define TL_KERNELS_NARROW_FEATURES_H

#include "kernels/narrow/support.h"

#define TLK_CORNERS_MOST 16u /* of a feature; larger loops of hulls are thinned out */
#define TLK_DISC         12u /* corners of a disc, fixed in the shape */

/* A face counts within 26 degrees of the normal, an edge within 18 degrees of the plane across it:
 * beyond, all but the nearest points are too far up to touch. */
#define TLK_FACE_COSINE 0.9
#define TLK_EDGE_SINE   0.3

/* Numbers of features, parts of feature ids: a vertex is below 256; an edge is 256 + where it
 * begins. */
enum {
    TLK_EDGE_ID = 256,
    TLK_INSIDE_ID = 512,
    TLK_RIM_ID = 2 * TLK_DISC,
    TLK_LOW_ID = TLK_RIM_ID + 1,
    TLK_HIGH_ID = TLK_RIM_ID + 2
};

typedef struct tlk_plane_frame {
    double t[3], u[3], n[3]; /* right-handed */
} tlk_plane_frame;

typedef struct tlk_feature {
    uint32_t count;
    double xy[TLK_CORNERS_MOST][2];
    uint16_t id[TLK_CORNERS_MOST];
    double height[3]; /* h = height[0] + height[1] x + height[2] y */
    double bend[2];   /* m, radii of curvature across the ends of a line of a curved side */
} tlk_feature;

TL_NARROW void tlk_plane_frame_of(const double *n, tlk_plane_frame *f)
{
    for (int k = 0; k < 3; k++)
        f->n[k] = n[k];
    tlk_perpendicular(n, f->t);
    tlk_crossd(n, f->t, f->u);
}

/* Appends the point x of the shape's frame. */
TL_NARROW void tlk_feature_add(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                               double x, double y, double z, uint32_t id)
{
    const double local[3] = {x, y, z};
    double world[3];
    tlk_to_world(s, local, world);
    out->xy[out->count][0] = tlk_dotd(world, f->t);
    out->xy[out->count][1] = tlk_dotd(world, f->u);
    out->id[out->count] = (uint16_t)id;
    if (out->count == 0)
        out->height[0] = tlk_dotd(world, f->n); /* of the first, until the slopes are known */
    else if (out->count == 1)
        out->height[1] = tlk_dotd(world, f->n);
    out->count++;
}

/* Heights of a face whose normal in the shape's frame is m. */
TL_NARROW void tlk_feature_tilt(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                                const double *m)
{
    double world[3];
    tlk_turn_to_world(s, m, world);
    const double z = tlk_dotd(world, f->n);
    out->height[1] = -tlk_dotd(world, f->t) / z;
    out->height[2] = -tlk_dotd(world, f->u) / z;
    out->height[0] -= out->height[1] * out->xy[0][0] + out->height[2] * out->xy[0][1];
}

/* Heights along a segment. One that points along the normal is its first point. */
TL_NARROW void tlk_feature_slope(tlk_feature *out)
{
    if (out->count == 2) {
        const double x = out->xy[1][0] - out->xy[0][0], y = out->xy[1][1] - out->xy[0][1];
        const double rise = out->height[1] - out->height[0], square = x * x + y * y;
        if (square > 0 && rise * rise <= 100 * square) {
            out->height[1] = rise * x / square;
            out->height[2] = rise * y / square;
            out->height[0] -= out->height[1] * out->xy[0][0] + out->height[2] * out->xy[0][1];
            return;
        }
        out->count = 1;
    }
    out->height[1] = out->height[2] = 0;
}

/* The disc at z of a cylinder or cone, with the rim's point that is farthest along l (outwards). */
TL_NARROW void tlk_feature_disc(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                                const double *l, double z, uint32_t first)
{
    const double c = 0.86602540378443864676, r = s->size[0];
    const double cosine[TLK_DISC] = {1, c, 0.5, 0, -0.5, -c, -1, -c, -0.5, 0, 0.5, c};
    const double slope = sqrt(l[0] * l[0] + l[1] * l[1]);
    for (uint32_t i = 0; i < TLK_DISC; i++) {
        const uint32_t j = i + 1 == TLK_DISC ? 0 : i + 1;
        const double x = cosine[i], y = cosine[(i + 9) % TLK_DISC];
        const double next_x = cosine[j], next_y = cosine[(j + 9) % TLK_DISC];
        tlk_feature_add(out, s, f, r * x, r * y, z, first + i);
        if (slope > 1e-5 && x * l[1] - y * l[0] > 0 && l[0] * next_y - l[1] * next_x >= 0)
            tlk_feature_add(out, s, f, r * l[0] / slope, r * l[1] / slope, z, TLK_RIM_ID);
    }
    const double m[3] = {0, 0, 1};
    tlk_feature_tilt(out, s, f, m);
}

/* No array is indexed here by what is computed: nvcc 13.0 makes wrong code of that. */
TL_NARROW void tlk_feature_box(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                               const double *l)
{
    const double size[3] = {fabs(l[0]), fabs(l[1]), fabs(l[2])};
    const uint32_t first = size[1] > size[0], last = size[1] < size[0];
    const uint32_t top = size[2] > (first ? size[1] : size[0]) ? 2 : first;
    const uint32_t least = size[2] < (last ? size[1] : size[0]) ? 2 : last;
    const double most = tlk_max(size[0], tlk_max(size[1], size[2]));
    const double fewest = tlk_min(size[0], tlk_min(size[1], size[2]));
    const uint32_t corner = (l[0] < 0 ? 0 : 1u) | (l[1] < 0 ? 0 : 2u) | (l[2] < 0 ? 0 : 4u);
    const bool face = most >= TLK_FACE_COSINE;
    const uint32_t count = face ? 4 : fewest <= TLK_EDGE_SINE ? 2 : 1;
    const uint32_t j = top == 2 ? 0 : top + 1, k = top == 0 ? 2 : top - 1;
    for (uint32_t i = 0; i < count; i++) {
        /* a bit for each axis: on its positive side */
        const uint32_t around =
            (corner & 1u << top) | (i == 1 || i == 2 ? 1u << j : 0) | (i >= 2 ? 1u << k : 0);
        const uint32_t along = i == 0 ? corner & ~(1u << least) : corner | 1u << least;
        const uint32_t id = face ? around : count == 2 ? along : corner;
        tlk_feature_add(out, s, f, id & 1 ? s->size[0] : -s->size[0],
                        id & 2 ? s->size[1] : -s->size[1], id & 4 ? s->size[2] : -s->size[2], id);
    }
    const double m[3] = {top == 0 ? 1.0 : 0, top == 1 ? 1.0 : 0, top == 2 ? 1.0 : 0};
    if (face)
        tlk_feature_tilt(out, s, f, m);
    else
        tlk_feature_slope(out);
}

/* An edge of the vertex `at` of the shape's frame that is nearly across l, or that vertex alone. */
TL_NARROW void tlk_feature_edge(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                                const double *l, const uint32_t *pairs, uint32_t count, uint32_t at)
{
    const double *x = s->vertex + 3 * (size_t)at;
    double best = TLK_EDGE_SINE;
    uint32_t other = at;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = pairs[2 * (size_t)i], k = pairs[2 * (size_t)i + 1];
        if (j != at && k != at)
            continue;
        const double *y = s->vertex + 3 * (size_t)(j == at ? k : j);
        const double e[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        const double fall = -tlk_dotd(e, l) / sqrt(tlk_dotd(e, e));
        if (fall < best)
            best = fall, other = j == at ? k : j;
    }
    const uint32_t low = tlk_min(at, other), high = tlk_max(at, other);
    const double *y = s->vertex + 3 * (size_t)low, *z = s->vertex + 3 * (size_t)high;
    tlk_feature_add(out, s, f, y[0], y[1], y[2], low);
    if (high != low)
        tlk_feature_add(out, s, f, z[0], z[1], z[2], high);
    tlk_feature_slope(out);
}

TL_RARE void tlk_feature_hull(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                              const double *l)
{
    const uint32_t faces = tlk_hull_faces(s->words);
    uint32_t face = 0;
    double most = -2;
    for (uint32_t i = 0; i < faces; i++) {
        const double here = tlk_dotd(tlk_hull_plane(s->vertex, s->words, i), l);
        if (here > most)
            most = here, face = i;
    }
    if (most < TLK_FACE_COSINE) {
        const uint32_t at = tlk_farthest_vertex(s->vertex, tlk_hull_vertices(s->words), l);
        tlk_feature_edge(out, s, f, l, tlk_hull_edge(s->words, 0), tlk_hull_edges(s->words), at);
        return;
    }
    uint32_t count;
    const uint32_t *loop = tlk_hull_loop(s->words, face, &count);
    const uint32_t kept = tlk_min(count, TLK_CORNERS_MOST);
    for (uint32_t i = 0; i < kept; i++) {
        const uint32_t at = loop[i * count / kept];
        const double *x = s->vertex + 3 * (size_t)at;
        tlk_feature_add(out, s, f, x[0], x[1], x[2], at);
    }
    tlk_feature_tilt(out, s, f, tlk_hull_plane(s->vertex, s->words, face));
}

/* Triangles: vertices as they are. */
TL_NARROW void tlk_feature_triangle(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                                    const double *l)
{
    double e[3], g[3], m[3];
    for (int k = 0; k < 3; k++) {
        e[k] = s->vertex[3 + k] - s->vertex[k];
        g[k] = s->vertex[6 + k] - s->vertex[k];
    }
    tlk_crossd(e, g, m);
    if (fabs(tlk_dotd(m, l)) >= TLK_FACE_COSINE * sqrt(tlk_dotd(m, m)) && tlk_dotd(m, m) > 0) {
        for (uint32_t i = 0; i < 3; i++)
            tlk_feature_add(out, s, f, s->vertex[3 * i], s->vertex[3 * i + 1], s->vertex[3 * i + 2],
                            i);
        tlk_feature_tilt(out, s, f, m);
        return;
    }
    const uint32_t pairs[6] = {0, 1, 1, 2, 2, 0};
    tlk_feature_edge(out, s, f, l, pairs, 3, tlk_farthest_vertex(s->vertex, 3, l));
}

/* Parallelograms; here l are the products of the outward direction with u, v and w. */
TL_NARROW void tlk_feature_parallelogram(tlk_feature *out, const tlk_convex *s,
                                         const tlk_plane_frame *f, const double *l)
{
    if (fabs(l[2]) >= TLK_FACE_COSINE) {
        tlk_feature_add(out, s, f, 0, 0, 0, 0);
        tlk_feature_add(out, s, f, 1, 0, 0, 1);
        tlk_feature_add(out, s, f, 1, 1, 0, 3);
        tlk_feature_add(out, s, f, 0, 1, 0, 2);
        const double m[3] = {0, 0, 1};
        tlk_feature_tilt(out, s, f, m);
        return;
    }
    double x[2];
    const double fall[2] = {fabs(l[0]) / sqrt(tlk_dotd(s->axis, s->axis)),
                            fabs(l[1]) / sqrt(tlk_dotd(s->axis + 3, s->axis + 3))};
    const uint32_t along = fall[0] <= fall[1] ? 0 : 1;
    x[0] = l[0] > 0 ? 1 : 0;
    x[1] = l[1] > 0 ? 1 : 0;
    if (fall[along] <= TLK_EDGE_SINE) {
        x[along] = 0;
        tlk_feature_add(out, s, f, x[0], x[1], 0, (x[0] > 0 ? 1u : 0) | (x[1] > 0 ? 2u : 0));
        x[along] = 1;
    }
    tlk_feature_add(out, s, f, x[0], x[1], 0, (x[0] > 0 ? 1u : 0) | (x[1] > 0 ? 2u : 0));
    tlk_feature_slope(out);
}

/* Cylinders and cones: an end's disc, a line of the side, a point of the rim or the apex. */
TL_NARROW void tlk_feature_turned(tlk_feature *out, const tlk_convex *s, const tlk_plane_frame *f,
                                  const double *l)
{
    const double radial = sqrt(l[0] * l[0] + l[1] * l[1]), r = s->size[0], h = s->size[2];
    const bool cone = s->kind == TLK_CONE;
    if (l[2] <= -TLK_FACE_COSINE || (!cone && l[2] >= TLK_FACE_COSINE)) {
        tlk_feature_disc(out, s, f, l, l[2] < 0 ? -h : h, l[2] < 0 ? 0 : TLK_DISC);
        return;
    }
    const double x = radial > 0 ? r * l[0] / radial : 0, y = radial > 0 ? r * l[1] / radial : 0;
    /* how steep the line of the side is: 0 where it is across the direction */
    const double rise = cone ? (2 * h * l[2] - r * radial) / sqrt(4 * h * h + r * r) : l[2];
    if (fabs(rise) <= TLK_EDGE_SINE) {
        tlk_feature_add(out, s, f, x, y, -h, TLK_LOW_ID);
        tlk_feature_add(out, s, f, cone ? 0 : x, cone ? 0 : y, h, TLK_HIGH_ID);
        out->bend[0] = r;
        out->bend[1] = cone ? 0 : r;
    } else if (rise < 0) {
        tlk_feature_add(out, s, f, x, y, -h, TLK_LOW_ID);
    } else {
        tlk_feature_add(out, s, f, cone ? 0 : x, cone ? 0 : y, h, TLK_HIGH_ID);
    }
    tlk_feature_slope(out);
}

/* The feature of s that faces along `out` = n (sign 1) or -n (sign -1). */
TL_RARE void tlk_feature_of(const tlk_convex *s, const tlk_plane_frame *f, double sign,
                            tlk_feature *out)
{
    const double d[3] = {sign * f->n[0], sign * f->n[1], sign * f->n[2]};
    double l[3];
    tlk_to_local(s, d, l);
    out->count = 0;
    out->bend[0] = out->bend[1] = 0;
    if (s->kind == TLK_BOX) {
        tlk_feature_box(out, s, f, l);
    } else if (s->kind == TLK_HULL) {
        tlk_feature_hull(out, s, f, l);
    } else if (s->kind == TLK_TRIANGLE) {
        tlk_feature_triangle(out, s, f, l);
    } else if (s->kind == TLK_PARALLELOGRAM) {
        tlk_feature_parallelogram(out, s, f, l);
    } else if (s->kind == TLK_CYLINDER || s->kind == TLK_CONE) {
        tlk_feature_turned(out, s, f, l);
    } else if (s->kind == TLK_CAPSULE) {
        tlk_feature_add(out, s, f, 0, 0, -s->size[2], TLK_LOW_ID);
        if (fabs(l[2]) <= TLK_EDGE_SINE)
            tlk_feature_add(out, s, f, 0, 0, s->size[2], TLK_HIGH_ID);
        else if (l[2] > 0)
            out->count = 0, tlk_feature_add(out, s, f, 0, 0, s->size[2], TLK_HIGH_ID);
        tlk_feature_slope(out);
    } else {
        double world[3];
        tlk_support(s, d, world);
        out->xy[0][0] = tlk_dotd(world, f->t);
        out->xy[0][1] = tlk_dotd(world, f->u);
        out->id[0] = 0;
        out->count = 1;
        out->height[0] = tlk_dotd(world, f->n);
        out->height[1] = out->height[2] = 0;
    }
}

TL_NARROW double tlk_height(const tlk_feature *f, double x, double y)
{
    return f->height[0] + f->height[1] * x + f->height[2] * y;
}

#endif
