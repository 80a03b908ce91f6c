/* The layer around a convex polyhedron: all points outside of it that are within a distance of it.
 * It is made of prisms on the faces, sectors of cylinders along the edges and sectors of a ball at
 * the vertices, whose integrals are closed formulas of the face normals. Called by solid.c.
 *
 * The directions of a vertex's sector are a polygon on the unit sphere, with an arc per edge whose
 * plane is perpendicular to the edge. By the divergence theorem on the sphere the integrals over
 * the polygon of n and n n' are sums over its arcs, and its area is 2 pi less the angles of the
 * faces there. */
#include "scene/solid.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef double matrix[3][3];

typedef struct layer {
    const double *x, *planes; /* vertices and planes of the hull */
    const uint32_t *starts, *loop, *edge, *edge_face;
    uint32_t vertices, faces, edges;
    const double *origin;
    double unit, r; /* r: the thickness, in units */
    double volume, first[3];
    matrix second;
} layer;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void place(const layer *l, uint32_t vertex, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (l->x[3 * (size_t)vertex + (size_t)k] - l->origin[k]) / l->unit;
}

/* Adds s (a b' + b a') / 2 to the second integrals. */
static void add_product(layer *l, double s, const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            l->second[i][j] += 0.5 * s * (a[i] * b[j] + b[i] * a[j]);
}

/* Adds a solid that is at p: its volume and its first integrals about p; the second ones about p
 * are added by the caller. */
static void add_at(layer *l, const double p[3], double volume, const double first[3])
{
    l->volume += volume;
    for (int k = 0; k < 3; k++)
        l->first[k] += volume * p[k] + first[k];
    add_product(l, volume, p, p);
    add_product(l, 2, p, first);
}

/* A triangle with the prism of height r on it: y + s n. */
static void add_prism(layer *l, double corners[3][3], const double n[3])
{
    double u[3], v[3], centre[3], area[3], zero[3] = {0};
    for (int k = 0; k < 3; k++) {
        u[k] = corners[1][k] - corners[0][k];
        v[k] = corners[2][k] - corners[0][k];
        centre[k] = (corners[0][k] + corners[1][k] + corners[2][k]) / 3 + 0.5 * l->r * n[k];
    }
    for (int k = 0; k < 3; k++)
        area[k] = 0.5 * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
    const double volume = sqrt(dot(area, area)) * l->r;
    add_at(l, centre, volume, zero);
    /* Corners about the mean, over 12, is the triangle's; r^2 / 12 that of the height. */
    for (int c = 0; c < 3; c++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = corners[c][k] - (centre[k] - 0.5 * l->r * n[k]);
        add_product(l, volume / 12, d, d);
    }
    add_product(l, volume * l->r * l->r / 12, n, n);
}

static void add_faces(layer *l)
{
    for (uint32_t f = 0; f < l->faces; f++)
        for (uint32_t i = l->starts[f] + 1; i + 1 < l->starts[f + 1]; i++) {
            double corners[3][3];
            place(l, l->loop[l->starts[f]], corners[0]);
            place(l, l->loop[i], corners[1]);
            place(l, l->loop[i + 1], corners[2]);
            add_prism(l, corners, l->planes + 4 * (size_t)f);
        }
}

/* The arc of an edge from one face's normal p over the angle to the other's: p cos + t sin. */
static double arc_of(const layer *l, uint32_t edge, const double **p, double t[3])
{
    const double *a = l->planes + 4 * (size_t)l->edge_face[2 * (size_t)edge];
    const double *b = l->planes + 4 * (size_t)l->edge_face[2 * (size_t)edge + 1];
    double length = 0;
    for (int k = 0; k < 3; k++) {
        t[k] = b[k] - dot(a, b) * a[k];
        length += t[k] * t[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++)
        t[k] = length > 0 ? t[k] / length : 0;
    *p = a;
    return atan2(length, dot(a, b));
}

/* Sectors of a cylinder: x = middle + s e + rho n, with n on the arc. */
static void add_edges(layer *l)
{
    for (uint32_t i = 0; i < l->edges; i++) {
        double from[3], to[3], e[3], middle[3], t[3], first[3];
        const double *p, angle = arc_of(l, i, &p, t), r = l->r;
        place(l, l->edge[2 * (size_t)i], from);
        place(l, l->edge[2 * (size_t)i + 1], to);
        for (int k = 0; k < 3; k++) {
            e[k] = to[k] - from[k];
            middle[k] = 0.5 * (from[k] + to[k]);
        }
        const double length = sqrt(dot(e, e)), volume = 0.5 * r * r * angle * length;
        for (int k = 0; k < 3; k++)
            first[k] = length * r * r * r / 3 * (sin(angle) * p[k] + (1 - cos(angle)) * t[k]);
        add_at(l, middle, volume, first);
        add_product(l, volume / 12, e, e);
        const double s = length * r * r * r * r / 4;
        add_product(l, s * (angle / 2 + sin(2 * angle) / 4), p, p);
        add_product(l, s * sin(angle) * sin(angle), p, t);
        add_product(l, s * (angle / 2 - sin(2 * angle) / 4), t, t);
    }
}

/* The angle of a face at its corner i. */
static double corner_angle(const layer *l, uint32_t face, uint32_t i)
{
    const uint32_t begin = l->starts[face], end = l->starts[face + 1];
    double at[3], before[3], after[3], cross[3];
    place(l, l->loop[i], at);
    place(l, l->loop[i > begin ? i - 1 : end - 1], before);
    place(l, l->loop[i + 1 < end ? i + 1 : begin], after);
    for (int k = 0; k < 3; k++) {
        before[k] -= at[k];
        after[k] -= at[k];
    }
    for (int k = 0; k < 3; k++)
        cross[k] =
            before[(k + 1) % 3] * after[(k + 2) % 3] - before[(k + 2) % 3] * after[(k + 1) % 3];
    return atan2(sqrt(dot(cross, cross)), dot(before, after));
}

/* Sectors of a ball: their solid angle first, as one ball per vertex less the faces' angles. */
static void add_vertices(layer *l)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3] = {0};
    const double r = l->r, cubed = r * r * r;
    for (uint32_t v = 0; v < l->vertices; v++) {
        double at[3];
        place(l, v, at);
        add_at(l, at, 2 * pi * cubed / 3, none);
        for (int k = 0; k < 3; k++)
            add_product(l, 2 * pi * cubed * r * r / 15, axes[k], axes[k]);
    }
    for (uint32_t f = 0; f < l->faces; f++)
        for (uint32_t i = l->starts[f]; i < l->starts[f + 1]; i++) {
            const double angle = corner_angle(l, f, i);
            double at[3];
            place(l, l->loop[i], at);
            add_at(l, at, -angle * cubed / 3, none);
            for (int k = 0; k < 3; k++)
                add_product(l, -angle * cubed * r * r / 15, axes[k], axes[k]);
        }
    for (uint32_t i = 0; i < 2 * l->edges; i++) { /* each edge at both of its ends */
        const double *p;
        double t[3], at[3], d[3], first[3], sum[3], length = 0;
        const double angle = arc_of(l, i / 2, &p, t);
        place(l, l->edge[i], at);
        place(l, l->edge[i ^ 1u], d);
        for (int k = 0; k < 3; k++) {
            d[k] -= at[k];
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++) {
            d[k] /= sqrt(length);
            first[k] = -0.5 * angle * d[k] * cubed * r / 4;
            sum[k] = sin(angle) * p[k] + (1 - cos(angle)) * t[k];
        }
        add_at(l, at, 0, first);
        add_product(l, -cubed * r * r / 15, sum, d);
    }
}

void tl_hull_layer(const tl_geometry_rec *hull, double thickness, const double origin[3],
                   double unit, tl_integrals *sum)
{
    const uint32_t *words = hull->words.data;
    layer l = {.vertices = words[0], .faces = words[1], .edges = words[2], .origin = origin};
    l.unit = unit;
    l.r = thickness / unit;
    l.x = hull->numbers.data;
    l.planes = l.x + 3 * (size_t)l.vertices;
    l.starts = words + 3;
    l.loop = l.starts + l.faces + 1;
    l.edge = l.loop + l.starts[l.faces];
    l.edge_face = l.edge + 2 * (size_t)l.edges;
    add_faces(&l);
    add_edges(&l);
    add_vertices(&l);
    sum->volume += l.volume;
    for (int k = 0; k < 3; k++) {
        sum->first[k] += l.first[k];
        sum->second[k] += l.second[k][k];
        sum->second[3 + k] += l.second[(k + 1) % 3][(k + 2) % 3];
    }
}
