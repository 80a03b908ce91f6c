/* Meshes and height fields as geometries, and where they stand, for the tests of the narrow phase.
 * Include a header of kernels first: it says what a real is. */
#ifndef TALUS_TESTS_SURFACE_FORMS_H
#define TALUS_TESTS_SURFACE_FORMS_H

#include "mesh_forms.h"
#include "scene/geometry.h"

/* The form as a geometry. */
__attribute__((unused)) static tl_geometry_rec form_geometry(void)
{
    tl_mesh *mesh = form_mesh();
    tl_geometry_rec geometry;
    assert_ok(tl_geometry_mesh(mesh, &geometry));
    tl_mesh_destroy(mesh);
    return geometry;
}

__attribute__((unused)) static tl_geometry_rec
field_geometry(uint32_t columns, uint32_t rows, double sx, double sy, const double *heights)
{
    const tl_heights_def def = {columns, rows, {sx, sy}, heights};
    tl_geometry_rec geometry;
    assert_ok(tl_geometry_heights(&def, &geometry));
    return geometry;
}

/* Where the geometry is: turned by q and moved. */
__attribute__((unused)) static tlk_surface surface_at(const tl_geometry_rec *geometry,
                                                      const double q[4], const double at[3])
{
    tlk_surface s = {
        .kind = geometry->kind, .numbers = geometry->numbers.data, .words = geometry->words.data};
    for (int a = 0; a < 3; a++) {
        const double unit[3] = {a == 0, a == 1, a == 2};
        rotate(q, 1, unit, s.axis + 3 * a);
        s.origin[a] = at[a];
    }
    return s;
}

/* The geometry in its own frame. */
__attribute__((unused)) static tlk_surface surface_of(const tl_geometry_rec *geometry)
{
    return surface_at(geometry, (double[4]){1, 0, 0, 0}, (double[3]){0, 0, 0});
}

/* A grid of n cells by n over [0, size]^2 with z = height(x, y); inner vertices are moved about by
 * up to `jitter` of a cell, and diagonals go either way. */
__attribute__((unused)) static void form_grid(uint32_t n, double size, double jitter, dice *d,
                                              double (*height)(double x, double y))
{
    const double cell = size / n;
    form_clear();
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++) {
            const double move = i && j && i < n && j < n ? jitter * cell : 0;
            const double x = i * cell + roll(d, -move, move), y = j * cell + roll(d, -move, move);
            form_vertex(x, y, height(x, y));
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = j * (n + 1) + i, b = a + 1, c = b + n + 1, e = a + n + 1;
            if (roll(d, 0, 1) < 0.5)
                form_quad(a, b, c, e);
            else
                form_quad(b, c, e, a);
        }
}

/* Heights over the plane, and height fields of n cells by n over [0, size]^2 with them. */
__attribute__((unused)) static double flat(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

__attribute__((unused)) static double tilted(double x, double y)
{
    return 0.3 * x - 0.2 * y;
}

__attribute__((unused)) static double bumps(double x, double y)
{
    return 0.3 * sin(3 * x) * cos(2 * y) + 0.05 * sin(17 * x + 5 * y);
}

__attribute__((unused)) static tl_geometry_rec field_of(uint32_t n, double size,
                                                        double (*height)(double, double))
{
    double *heights = malloc(sizeof(double) * (n + 1) * (n + 1));
    assert_non_null(heights);
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++)
            heights[j * (n + 1) + i] = height(size / n * i, size / n * j);
    tl_geometry_rec geometry = field_geometry(n + 1, n + 1, size / n, size / n, heights);
    free(heights);
    return geometry;
}

#endif
