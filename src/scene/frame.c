/* Shapes as the narrow phase wants them: a frame, the size of the core, a bounding ball and a box.
 * Called where bodies become rows of a world, and where bodies are placed beside them. */
#include "base/turn.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const tl_geometry_rec *geometry_of(const tl_shape_rec *s, const tl_array *geometries)
{
    return s->geometry ? (const tl_geometry_rec *)geometries->data + s->geometry - 1 : NULL;
}

/* Edges, normal and ball of a parallelogram. */
static void lay_parallelogram(const tl_shape_rec *s, double *frame, double *ball)
{
    double *u = frame + 3, *v = frame + 6, *n = frame + 9, diagonal[2] = {0, 0};
    tl_turn_apply(s->orientation, s->edge_u, u);
    tl_turn_apply(s->orientation, s->edge_v, v);
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    const double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) {
        n[k] /= length;
        ball[k] += 0.5 * (u[k] + v[k]);
        diagonal[0] += (u[k] + v[k]) * (u[k] + v[k]);
        diagonal[1] += (u[k] - v[k]) * (u[k] - v[k]);
    }
    ball[3] = 0.5 * sqrt(fmax(diagonal[0], diagonal[1]));
}

/* The core's size and the rounding; returns the radius of the ball, and `centre` of it in the
 * shape's frame where that is not its origin. */
static double lay_size(const tl_shape_rec *s, const tl_geometry_rec *g, double size[3],
                       double *rounding, double centre[3])
{
    const double r = s->radius, h = s->half_length, *half = s->half_extents;
    *rounding = s->rounding;
    switch ((tl_shape_kind)s->kind) {
    case TL_SPHERE: *rounding = r; return r;
    case TL_BOX:
        for (int k = 0; k < 3; k++)
            size[k] = half[k] - s->rounding;
        if (s->rounding == 0) /* as written: the sum below has another order */
            return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
        return sqrt(dot(size, size)) + s->rounding;
    case TL_CAPSULE:
        size[2] = h;
        *rounding = r;
        return h + r;
    case TL_CYLINDER:
        size[0] = size[1] = r - s->rounding;
        size[2] = h - s->rounding;
        return sqrt(size[0] * size[0] + size[2] * size[2]) + s->rounding;
    case TL_CONE: {
        size[0] = size[1] = r;
        size[2] = h;
        if (r >= 2 * h) { /* the rim alone decides */
            centre[2] = -h;
            return r;
        }
        const double around = (4 * h * h + r * r) / (4 * h); /* through apex and rim */
        centre[2] = h - around;
        return around;
    }
    case TL_ELLIPSOID:
        memcpy(size, half, 3 * sizeof *size);
        return fmax(half[0], fmax(half[1], half[2]));
    case TL_HULL:
    case TL_MESH:
    case TL_HEIGHTS:
        for (int k = 0; k < 3; k++) {
            size[k] = 0.5 * (g->high[k] - g->low[k]);
            centre[k] = g->centre[k];
        }
        return g->radius + s->rounding;
    case TL_PLANE:
    case TL_PARALLELOGRAM:
    case TL_POINT: /* a sphere by now, and a polygon hulls */
    case TL_POLYGON: break;
    }
    return 0;
}

/* How far a hull reaches along a direction of its own frame. */
static double hull_reach(const tl_geometry_rec *g, const double d[3])
{
    const double *x = g->numbers.data;
    const uint32_t count = *(const uint32_t *)g->words.data;
    double most = -INFINITY;
    for (uint32_t v = 0; v < count; v++)
        most = fmax(most, dot(d, x + 3 * (size_t)v));
    return most;
}

/* How far a shape reaches along a direction d of its own frame, from its origin. Meshes and height
 * fields: how far their box does. */
static double reach(const tl_shape_rec *s, const tl_geometry_rec *g, const double *size,
                    double rounding, const double d[3])
{
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    double most = 0;
    switch ((tl_shape_kind)s->kind) {
    case TL_CONE: return fmax(d[2] * size[2], size[0] * across - d[2] * size[2]);
    case TL_ELLIPSOID: {
        const double scaled[3] = {d[0] * size[0], d[1] * size[1], d[2] * size[2]};
        return sqrt(dot(scaled, scaled));
    }
    case TL_HULL: return hull_reach(g, d) + rounding;
    case TL_MESH:
    case TL_HEIGHTS:
        for (int k = 0; k < 3; k++)
            most += fmax(d[k] * g->low[k], d[k] * g->high[k]);
        return most;
    case TL_CYLINDER: return size[0] * across + size[2] * fabs(d[2]) + rounding;
    default: break; /* spheres, boxes, capsules: a box and a ball around it */
    }
    for (int k = 0; k < 3; k++)
        most += size[k] * fabs(d[k]);
    return most + rounding;
}

/* Half extents of the box along the shape's axes around the ball's centre that holds the shape. */
static void lay_box(const tl_shape_rec *s, const tl_geometry_rec *g, const double *frame,
                    const double *centre, double half[3])
{
    for (int k = 0; k < 3; k++) {
        const double d[3] = {k == 0, k == 1, k == 2}, back[3] = {-d[0], -d[1], -d[2]};
        half[k] = fmax(reach(s, g, frame + 12, frame[18], d) - centre[k],
                       reach(s, g, frame + 12, frame[18], back) + centre[k]);
    }
}

void tl_shape_frame(const tl_shape_rec *s, const tl_array *geometries, double *frame, double *ball)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tl_geometry_rec *g = geometry_of(s, geometries);
    double centre[3] = {0, 0, 0}, turned[3];
    memset(frame, 0, TL_FRAME * sizeof *frame);
    memcpy(frame, s->position, sizeof s->position);
    memcpy(ball, s->position, sizeof s->position);
    if (s->kind == TL_PARALLELOGRAM) {
        lay_parallelogram(s, frame, ball);
    } else {
        for (int k = 0; k < 3; k++)
            tl_turn_apply(s->orientation, axes[k], frame + 3 + 3 * k);
        ball[3] = lay_size(s, g, frame + 12, frame + 18, centre);
        if (centre[0] != 0 || centre[1] != 0 || centre[2] != 0) {
            tl_turn_apply(s->orientation, centre, turned);
            for (int k = 0; k < 3; k++)
                ball[k] += turned[k];
        }
    }
    if (s->kind != TL_PLANE && s->kind != TL_PARALLELOGRAM)
        lay_box(s, g, frame, centre, frame + 15);
    frame[19] = s->geometry;
}
