/* Tiles side by side and planes in pieces, of every kind of shape, for what slides over them. */
#ifndef TALUS_TESTS_TILES_H
#define TALUS_TESTS_TILES_H

#include "mesh_forms.h"

#include "physics/shapes.h"

/* What tiles, and what slides over them, are made of. */
typedef enum solid { BALL, BOX, HULL, MESH, SHEET } solid;

__attribute__((unused)) static const char *const solid_names[] = {"ball", "box", "hull", "mesh",
                                                                  "sheet"};

/* A box of the given half widths about the origin, as one of these; of a sheet its upper side. */
__attribute__((unused)) static tl_shape_def solid_of(tl_scene *scene, solid kind,
                                                     const double half[3])
{
    const double low[3] = {-half[0], -half[1], -half[2]};
    tl_geometry g = {0};
    if (kind == BALL)
        return tl_sphere_default(half[0]);
    if (kind == BOX)
        return tl_box_default(half[0], half[1], half[2]);
    if (kind == SHEET)
        return tl_parallelogram_default((double[3]){2 * half[0], 0, 0},
                                        (double[3]){0, 2 * half[1], 0});
    form_clear();
    form_box(low, half);
    if (kind == HULL) {
        assert_ok(tl_scene_add_hull(scene, the_form.vertex_count, the_form.vertices[0], &g));
        return tl_hull_default(g);
    }
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &g));
    tl_mesh_destroy(mesh);
    return tl_mesh_shape_default(g);
}

/* Tiles of 0.5 m along x, from -2 to 18 m, their upper sides at z = 0. */
__attribute__((unused)) static void lay_tiles(tl_scene *scene, tl_material material, solid kind)
{
    static const double half[3] = {0.25, 0.25, 0.25};
    const tl_shape_def tile = solid_of(scene, kind, half);
    const bool sheet = kind == SHEET;
    for (int i = 0; i < 40; i++)
        add_fixed(
            scene, tile, material,
            (double[3]){0.5 * i - 2 - (sheet ? 0.25 : 0), sheet ? -0.25 : 0, sheet ? 0 : -0.25},
            upright);
}

/* A plane in 3,200 triangles, from -2 to 10 m. */
__attribute__((unused)) static void lay_grid(tl_scene *scene, tl_material material)
{
    enum { CELLS = 40 };
    tl_geometry g;
    form_clear();
    for (int j = 0; j <= CELLS; j++)
        for (int i = 0; i <= CELLS; i++)
            form_vertex(0.3 * i - 2 + 0.1 * sin(7 * i + 3 * j), 0.3 * j - 2 + 0.1 * cos(5 * i * j),
                        0);
    for (uint32_t j = 0; j < CELLS; j++)
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t at = j * (CELLS + 1) + i;
            form_quad(at, at + 1, at + CELLS + 2, at + CELLS + 1);
        }
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &g));
    tl_mesh_destroy(mesh);
    add_fixed(scene, tl_mesh_shape_default(g), material, (double[3]){0, 0, 0}, upright);
}

#endif
