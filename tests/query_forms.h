/* Shapes of every kind for the tests of queries, and what is known of them without the library: how
 * far a point is outside of one. */
#ifndef TALUS_TESTS_QUERY_FORMS_H
#define TALUS_TESTS_QUERY_FORMS_H

#include "support.h"

/* A scene of default settings, on one thread. */
static inline tl_scene *plain_scene(void)
{
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    return scene_with(&settings);
}

#define FORM_POINTS 12 /* of hulls */
#define FORM_CELLS  6u /* of height fields and grids, along a side */

typedef enum form_kind {
    FORM_SPHERE,
    FORM_PLANE,
    FORM_BOX,
    FORM_ROUND_BOX,
    FORM_PARALLELOGRAM,
    FORM_CAPSULE,
    FORM_CYLINDER,
    FORM_ROUND_CYLINDER,
    FORM_CONE,
    FORM_ELLIPSOID,
    FORM_HULL,
    FORM_ROUND_HULL,
    FORM_MESH,
    FORM_HEIGHTS,
    FORM_KINDS
} form_kind;

/* A shape, where it is in the world, and its triangles where it has any. */
typedef struct form {
    form_kind kind;
    tl_shape_def def;
    double position[3], orientation[4]; /* of the body */
    size_t triangles;                   /* hulls: faces through three points, in any order */
    double corner[2 * 20 * 20][3][3];   /* in the shape's frame */
} form;

static inline bool form_is_surface(form_kind kind)
{
    return kind == FORM_PARALLELOGRAM || kind == FORM_MESH || kind == FORM_HEIGHTS;
}

/* Every face of the hull of some points, by looking at all triples. */
static inline void form_faces(form *f, const double (*p)[3], size_t count)
{
    f->triangles = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            for (size_t k = j + 1; k < count; k++) {
                double e[3], g[3], n[3], low = 0, high = 0;
                add3(p[j], -1, p[i], e);
                add3(p[k], -1, p[i], g);
                cross3(e, g, n);
                for (size_t m = 0; m < count; m++) {
                    double x[3];
                    add3(p[m], -1, p[i], x);
                    low = fmin(low, dot3(n, x));
                    high = fmax(high, dot3(n, x));
                }
                if (low < -1e-14 && high > 1e-14)
                    continue;
                double(*to)[3] = f->corner[f->triangles++];
                const bool back = high > 1e-14;
                memcpy(to[0], p[i], sizeof to[0]);
                memcpy(to[1], p[back ? k : j], sizeof to[1]);
                memcpy(to[2], p[back ? j : k], sizeof to[2]);
            }
}

static inline void form_triangle(form *f, const double *a, const double *b, const double *c)
{
    double(*to)[3] = f->corner[f->triangles++];
    memcpy(to[0], a, sizeof to[0]);
    memcpy(to[1], b, sizeof to[1]);
    memcpy(to[2], c, sizeof to[2]);
}

static inline void form_hull(tl_scene *scene, dice *d, form *f)
{
    double p[FORM_POINTS][3];
    tl_geometry g;
    for (int i = 0; i < FORM_POINTS; i++) {
        roll_direction(d, p[i]);
        for (int k = 0; k < 3; k++)
            p[i][k] *= 0.4 + 0.3 * k;
    }
    assert_ok(tl_scene_add_hull(scene, FORM_POINTS, p[0], &g));
    form_faces(f, (const double(*)[3])p, FORM_POINTS);
    f->def = tl_hull_default(g);
    f->def.rounding = f->kind == FORM_ROUND_HULL ? roll(d, 0.02, 0.3) : 0;
}

/* A closed surface of triangles: a cube with its faces pushed in at their middles. */
static inline void form_mesh(tl_scene *scene, dice *d, form *f)
{
    double v[14][3];
    uint32_t t[24][3];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            v[i][k] = (i >> k & 1 ? 1 : -1) * roll(d, 0.5, 0.8);
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, up = face & 1, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const int at = up << axis;
        uint32_t loop[4] = {(uint32_t)at, (uint32_t)(at | 1 << a), (uint32_t)(at | 1 << a | 1 << b),
                            (uint32_t)(at | 1 << b)};
        for (int k = 0; k < 3; k++)
            v[8 + face][k] = k == axis ? (up ? 1 : -1) * roll(d, 0.2, 0.9) : roll(d, -0.1, 0.1);
        for (int s = 0; s < 4; s++) {
            t[4 * face + s][0] = loop[up ? s : (s + 1) % 4];
            t[4 * face + s][1] = loop[up ? (s + 1) % 4 : s];
            t[4 * face + s][2] = 8 + (uint32_t)face;
        }
    }
    tl_mesh_def def = tl_mesh_default();
    tl_mesh *mesh;
    tl_geometry g;
    def.vertex_count = 14;
    def.vertices = v[0];
    def.triangle_count = 24;
    def.triangles = t[0];
    assert_ok(tl_mesh_create(&def, &mesh));
    assert_ok(tl_scene_add_mesh(scene, mesh, &g));
    tl_mesh_destroy(mesh);
    f->triangles = 0;
    for (int i = 0; i < 24; i++)
        form_triangle(f, v[t[i][0]], v[t[i][1]], v[t[i][2]]);
    f->def = tl_mesh_shape_default(g);
}

static inline void form_heights(tl_scene *scene, dice *d, form *f)
{
    const uint32_t n = FORM_CELLS + 1;
    double z[(FORM_CELLS + 1) * (FORM_CELLS + 1)];
    const double sx = roll(d, 0.15, 0.3), sy = roll(d, 0.15, 0.3);
    tl_geometry g;
    for (uint32_t i = 0; i < n * n; i++)
        z[i] = roll(d, 0, 0.3);
    assert_ok(tl_scene_add_heights(scene, &(tl_heights_def){n, n, {sx, sy}, z}, &g));
    f->triangles = 0;
    for (uint32_t j = 0; j + 1 < n; j++)
        for (uint32_t i = 0; i + 1 < n; i++) {
            double c[4][3];
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t x = i + (k == 1 || k == 2), y = j + (k >= 2);
                c[k][0] = x * sx, c[k][1] = y * sy, c[k][2] = z[y * n + x];
            }
            form_triangle(f, c[0], c[1], c[2]);
            form_triangle(f, c[0], c[2], c[3]);
        }
    f->def = tl_heights_default(g);
}

/* A shape of about a metre, anywhere near the origin. */
static inline void roll_form(tl_scene *scene, dice *d, form_kind kind, form *f)
{
    const double r = roll(d, 0.2, 0.6), h = roll(d, 0.2, 0.8);
    double e[3], u[3], v[3];
    f->kind = kind;
    f->triangles = 0;
    for (int k = 0; k < 3; k++)
        e[k] = exp(roll(d, log(0.15), log(0.9)));
    roll3(d, -1, 1, u);
    roll3(d, -1, 1, v);
    switch (kind) {
    case FORM_SPHERE: f->def = tl_sphere_default(r); break;
    case FORM_PLANE: f->def = tl_plane_default(); break;
    case FORM_BOX:
    case FORM_ROUND_BOX: f->def = tl_box_default(e[0], e[1], e[2]); break;
    case FORM_PARALLELOGRAM: f->def = tl_parallelogram_default(u, v); break;
    case FORM_CAPSULE: f->def = tl_capsule_default(r, h); break;
    case FORM_CYLINDER:
    case FORM_ROUND_CYLINDER: f->def = tl_cylinder_default(r, h); break;
    case FORM_CONE: f->def = tl_cone_default(r, h); break;
    case FORM_ELLIPSOID: f->def = tl_ellipsoid_default(e[0], e[1], e[2]); break;
    case FORM_HULL:
    case FORM_ROUND_HULL: form_hull(scene, d, f); break;
    case FORM_MESH: form_mesh(scene, d, f); break;
    default: form_heights(scene, d, f); break;
    }
    if (kind == FORM_ROUND_BOX)
        f->def.rounding = roll(d, 0.05, 0.95) * fmin(e[0], fmin(e[1], e[2]));
    if (kind == FORM_ROUND_CYLINDER)
        f->def.rounding = roll(d, 0.05, 0.95) * fmin(r, h);
    roll3(d, -0.5, 0.5, f->def.position);
    roll_turn(d, f->def.orientation);
    roll3(d, -0.5, 0.5, f->position);
    roll_turn(d, f->orientation);
}

/* Adds the form to a scene as a fixed body. */
static inline tl_body add_form(tl_scene *scene, const form *f)
{
    tl_body_def def = tl_body_default();
    def.kind = TL_FIXED;
    def.shapes = &f->def;
    def.shape_count = 1;
    memcpy(def.position, f->position, sizeof def.position);
    memcpy(def.orientation, f->orientation, sizeof def.orientation);
    return add_body(scene, &def);
}

/* From the world to the shape's frame and back: points, or directions. */
static inline void form_in(const form *f, const double x[3], bool point, double out[3])
{
    double a[3], b[3];
    memcpy(a, x, sizeof a);
    if (point)
        add3(x, -1, f->position, a);
    rotate(f->orientation, -1, a, b);
    if (point)
        add3(b, -1, f->def.position, b);
    rotate(f->def.orientation, -1, b, out);
}

static inline void form_out(const form *f, const double x[3], bool point, double out[3])
{
    double a[3], b[3];
    rotate(f->def.orientation, 1, x, a);
    if (point)
        add3(a, 1, f->def.position, a);
    rotate(f->orientation, 1, a, b);
    memcpy(out, b, sizeof b);
    if (point)
        add3(b, 1, f->position, out);
}

/* The distance of a point from a triangle, by its corners, edges and face. */
static inline double triangle_distance(const double (*c)[3], const double p[3])
{
    double e[3], g[3], n[3], x[3], best = INFINITY;
    bool over = true;
    add3(c[1], -1, c[0], e);
    add3(c[2], -1, c[0], g);
    cross3(e, g, n);
    for (int i = 0; i < 3; i++) {
        double side[3], to[3], in[3];
        add3(c[(i + 1) % 3], -1, c[i], side);
        add3(p, -1, c[i], to);
        cross3(n, side, in);
        over = over && dot3(in, to) >= 0;
        const double t = fmax(0, fmin(1, dot3(to, side) / dot3(side, side)));
        add3(to, -t, side, x);
        best = fmin(best, norm3(x));
    }
    add3(p, -1, c[0], x);
    return over ? fabs(dot3(n, x)) / norm3(n) : best;
}

/* How far a point of the shape's frame is outside (negative: inside). Distances outside are exact,
 * but those of ellipsoids and cones, which have the right sign and vanish on the surface alone. */
static inline double form_outside(const form *f, const double p[3])
{
    const tl_shape_def *s = &f->def;
    const double across = hypot(p[0], p[1]);
    double q[3], most = -INFINITY, x[3];
    switch (f->kind) {
    case FORM_SPHERE: return norm3(p) - s->radius;
    case FORM_PLANE: return p[2];
    case FORM_BOX:
    case FORM_ROUND_BOX:
        for (int k = 0; k < 3; k++) {
            q[k] = fabs(p[k]) - s->half_extents[k] + s->rounding;
            most = fmax(most, q[k]);
            q[k] = fmax(q[k], 0);
        }
        return norm3(q) + fmin(most, 0) - s->rounding;
    case FORM_CAPSULE:
        x[0] = p[0], x[1] = p[1];
        x[2] = p[2] - fmax(-s->half_length, fmin(s->half_length, p[2]));
        return norm3(x) - s->radius;
    case FORM_CYLINDER:
    case FORM_ROUND_CYLINDER:
        q[0] = across - s->radius + s->rounding;
        q[1] = fabs(p[2]) - s->half_length + s->rounding;
        return hypot(fmax(q[0], 0), fmax(q[1], 0)) + fmin(fmax(q[0], q[1]), 0) - s->rounding;
    case FORM_CONE: {
        const double k = s->radius / (2 * s->half_length);
        return fmax(-s->half_length - p[2], (across - k * (s->half_length - p[2])) / hypot(1, k));
    }
    case FORM_ELLIPSOID: {
        double least = INFINITY;
        for (int k = 0; k < 3; k++) {
            x[k] = p[k] / s->half_extents[k];
            least = fmin(least, s->half_extents[k]);
        }
        return (norm3(x) - 1) * least;
    }
    default: break;
    }
    double nearest = INFINITY; /* hulls: the distance of the nearest face, or how deep inside */
    for (size_t i = 0; i < f->triangles; i++) {
        const double(*c)[3] = f->corner[i];
        double e[3], g[3], n[3];
        add3(c[1], -1, c[0], e);
        add3(c[2], -1, c[0], g);
        cross3(e, g, n);
        add3(p, -1, c[0], x);
        most = fmax(most, dot3(n, x) / norm3(n));
        nearest = fmin(nearest, triangle_distance(c, p));
    }
    return (most > 0 ? nearest : most) - s->rounding;
}

#endif
