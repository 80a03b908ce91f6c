/* Meshes of known volume and inertia, for the tests of meshes. */
#ifndef TALUS_TESTS_MESH_FORMS_H
#define TALUS_TESTS_MESH_FORMS_H

#include "support.h"

/* Vertices and triangles, with room for the largest form. */
typedef struct form {
    double vertices[40000][3];
    uint32_t triangles[80000][3];
    size_t vertex_count, triangle_count;
} form;

static form the_form; /* too large for a stack */

__attribute__((unused)) static uint32_t form_vertex(double x, double y, double z)
{
    double *v = the_form.vertices[the_form.vertex_count];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return (uint32_t)the_form.vertex_count++;
}

__attribute__((unused)) static void form_triangle(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = the_form.triangles[the_form.triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

__attribute__((unused)) static void form_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    form_triangle(a, b, c);
    form_triangle(a, c, d);
}

__attribute__((unused)) static void form_clear(void)
{
    the_form.vertex_count = the_form.triangle_count = 0;
}

/* A box from one corner to the other, added to what is there. */
__attribute__((unused)) static void form_box(const double low[3], const double high[3])
{
    uint32_t v[8];
    for (int i = 0; i < 8; i++)
        v[i] = form_vertex(i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
                           i & 4 ? high[2] : low[2]);
    form_quad(v[0], v[2], v[3], v[1]);
    form_quad(v[4], v[5], v[7], v[6]);
    form_quad(v[0], v[1], v[5], v[4]);
    form_quad(v[2], v[6], v[7], v[3]);
    form_quad(v[0], v[4], v[6], v[2]);
    form_quad(v[1], v[3], v[7], v[5]);
}

/* A polygon, counterclockwise and star-shaped about `middle`, from z = 0 to `height`. */
__attribute__((unused)) static void form_prism(size_t count, double corners[][2],
                                               const double middle[2], double height)
{
    const uint32_t low = form_vertex(middle[0], middle[1], 0);
    const uint32_t high = form_vertex(middle[0], middle[1], height);
    const uint32_t first = (uint32_t)the_form.vertex_count;
    for (size_t i = 0; i < count; i++) {
        form_vertex(corners[i][0], corners[i][1], 0);
        form_vertex(corners[i][0], corners[i][1], height);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = first + 2 * i, b = first + 2 * ((i + 1) % (uint32_t)count);
        form_triangle(low, b, a);
        form_triangle(high, a + 1, b + 1);
        form_quad(a, b, b + 1, a + 1);
    }
}

/* An L of two anchors of length 1, width 0.3 and height 0.4: 0.204 m^3. */
__attribute__((unused)) static void form_bracket(void)
{
    double corners[6][2] = {{0, 0}, {1, 0}, {1, 0.3}, {0.3, 0.3}, {0.3, 1}, {0, 1}};
    form_clear();
    form_prism(6, corners, (double[2]){0.15, 0.15}, 0.4);
}

/* Radius 1; each level has four times the triangles. */
__attribute__((unused)) static void form_sphere(int levels)
{
    static const uint32_t octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    form_clear();
    for (int i = 0; i < 6; i++)
        form_vertex(i == 0   ? 1
                    : i == 1 ? -1
                             : 0,
                    i == 2   ? 1
                    : i == 3 ? -1
                             : 0,
                    i == 4   ? 1
                    : i == 5 ? -1
                             : 0);
    for (int i = 0; i < 8; i++)
        form_triangle(octahedron[i][0], octahedron[i][1], octahedron[i][2]);
    for (int level = 0; level < levels; level++) { /* equal middles are merged later */
        const size_t count = the_form.triangle_count;
        for (size_t i = 0; i < count; i++) {
            uint32_t *t = the_form.triangles[i], m[3];
            const uint32_t old[3] = {t[0], t[1], t[2]};
            for (int k = 0; k < 3; k++) {
                const uint32_t a = old[k] < old[(k + 1) % 3] ? old[k] : old[(k + 1) % 3];
                const uint32_t b = old[k] < old[(k + 1) % 3] ? old[(k + 1) % 3] : old[k];
                const double *p = the_form.vertices[a], *q = the_form.vertices[b];
                const double v[3] = {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
                const double n = norm3(v);
                m[k] = form_vertex(v[0] / n, v[1] / n, v[2] / n);
            }
            form_triangle(old[0], m[0], m[2]);
            form_triangle(old[1], m[1], m[0]);
            form_triangle(old[2], m[2], m[1]);
            t[0] = m[0];
            t[1] = m[1];
            t[2] = m[2];
        }
    }
}

/* About the z axis. */
__attribute__((unused)) static void form_torus(double ring, double tube, uint32_t n, uint32_t m)
{
    form_clear();
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++) {
            const double a = 2 * PI * i / n, b = 2 * PI * j / m, r = ring + tube * cos(b);
            form_vertex(r * cos(a), r * sin(a), tube * sin(b));
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++)
            form_quad(i * m + j, (i + 1) % n * m + j, (i + 1) % n * m + (j + 1) % m,
                      i * m + (j + 1) % m);
}

/* The solid made of the unit cells of a grid that `text` has as '#': along x, then rows along y,
 * then layers along z. */
__attribute__((unused)) static void form_cells(const int size[3], const char *text)
{
    static const int corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    form_clear();
    for (int i = 0; i < size[0] * size[1] * size[2]; i++) {
        const int at[3] = {i % size[0], i / size[0] % size[1], i / (size[0] * size[1])};
        for (int side = 0; side < 6 && text[i] == '#'; side++) {
            const int k = side / 2, step = k == 0 ? 1 : k == 1 ? size[0] : size[0] * size[1];
            const int to = at[k] + (side % 2 ? 1 : -1);
            uint32_t v[4];
            if (to >= 0 && to < size[k] && text[i + (side % 2 ? step : -step)] == '#')
                continue;
            for (int c = 0; c < 4; c++) { /* equal vertices are merged later */
                const int corner = corners[side][c];
                v[c] = form_vertex(at[0] + (corner & 1), at[1] + (corner >> 1 & 1),
                                   at[2] + (corner >> 2 & 1));
            }
            form_quad(v[0], v[1], v[2], v[3]);
        }
    }
}

/* Scales, then moves. */
__attribute__((unused)) static void form_move(double scale, const double offset[3])
{
    for (size_t i = 0; i < the_form.vertex_count; i++)
        for (int k = 0; k < 3; k++)
            the_form.vertices[i][k] = scale * the_form.vertices[i][k] + offset[k];
}

__attribute__((unused)) static tl_mesh_def form_def(void)
{
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = the_form.vertex_count;
    def.vertices = the_form.vertices[0];
    def.triangle_count = the_form.triangle_count;
    def.triangles = the_form.triangles[0];
    return def;
}

__attribute__((unused)) static tl_mesh *form_mesh(void)
{
    const tl_mesh_def def = form_def();
    tl_mesh *mesh = NULL;
    assert_ok(tl_mesh_create(&def, &mesh));
    return mesh;
}

#endif
