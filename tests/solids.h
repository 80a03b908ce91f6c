/* Bodies of every kind of shape for tests that walk through worlds: solids alone and together, over
 * a mesh and a height field, and an emitter of such bodies. */
#ifndef TALUS_TESTS_SOLIDS_H
#define TALUS_TESTS_SOLIDS_H

#include "support.h"

/* A hull, a mesh (an open tray of four triangles) and a height field, in this order. */
static inline void add_geometries(tl_scene *scene, tl_geometry g[3])
{
    const double points[18] = {0.08, 0,     0, -0.08, 0, 0,    0,    0.06, 0,
                               0,    -0.06, 0, 0,     0, 0.05, 0.02, 0,    -0.05};
    const double corners[15] = {-1, -1, 0.1, 1, -1, 0.1, 1, 1, 0.1, -1, 1, 0.1, 0, 0, 0};
    const uint32_t triangles[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    const double heights[9] = {0.1, 0, 0.05, 0, 0.02, 0, 0.1, 0, 0.1};
    tl_mesh_def def = tl_mesh_default();
    tl_mesh *mesh;
    def.vertex_count = 5;
    def.vertices = corners;
    def.triangle_count = 4;
    def.triangles = triangles;
    assert_ok(tl_scene_add_hull(scene, 6, points, &g[0]));
    assert_ok(tl_mesh_create(&def, &mesh));
    assert_ok(tl_scene_add_mesh(scene, mesh, &g[1]));
    tl_mesh_destroy(mesh);
    assert_ok(tl_scene_add_heights(scene, &(tl_heights_def){3, 3, {0.5, 0.5}, heights}, &g[2]));
}

/* Six bodies above each other, close to x. */
static inline void add_solids_over(tl_scene *scene, const tl_geometry g[3], const double x[3])
{
    tl_shape_def shapes[7] = {tl_box_default(0.07, 0.05, 0.04), tl_hull_default(g[0]),
                              tl_cylinder_default(0.06, 0.04),  tl_capsule_default(0.04, 0.05),
                              tl_cone_default(0.06, 0.06),      tl_box_default(0.05, 0.05, 0.03),
                              tl_sphere_default(0.05)};
    shapes[5].rounding = 0.01;
    shapes[6].position[0] = 0.07; /* a compound: box and ball */
    for (int i = 0; i < 6; i++) {
        tl_body_def def = tl_body_default();
        def.shapes = &shapes[i];
        def.shape_count = i == 5 ? 2 : 1;
        for (int k = 0; k < 3; k++)
            def.position[k] = x[k] + (k == 2 ? 0.12 * i : 0.01 * (i % 2));
        turn((double[3]){1, 2, 3}, 0.3 * i, def.orientation);
        add_body(scene, &def);
    }
}

/* Heaps of solids over a mesh at (x, 0, 0) and over a height field beside it. */
static inline void add_solids(tl_scene *scene, double x)
{
    const double straight[4] = {1, 0, 0, 0};
    tl_geometry g[3];
    add_geometries(scene, g);
    add_fixed(scene, tl_mesh_shape_default(g[1]), (tl_material){0}, (double[3]){x, 0, 0}, straight);
    add_fixed(scene, tl_heights_default(g[2]), (tl_material){0}, (double[3]){x + 2, -0.5, 0},
              straight);
    add_solids_over(scene, g, (double[3]){x, 0, 0.1});
    add_solids_over(scene, g, (double[3]){x + 2.5, 0, 0.15});
}

/* Pours boxes, hulls and compounds of several sizes. The hull is geometry 1. */
static inline void add_solid_emitter(tl_scene *scene, const double low[3], const double high[3],
                                     double rate)
{
    const tl_shape_def box = tl_box_default(0.05, 0.04, 0.03),
                       hull = tl_hull_default((tl_geometry){1});
    tl_shape_def club[2] = {tl_capsule_default(0.02, 0.05), tl_sphere_default(0.04)};
    club[1].position[2] = 0.05;
    const tl_template_def templates[3] = {{2, 1, &box}, {1, 1, &hull}, {1, 2, club}};
    tl_emitter_def emitter = tl_emitter_default();
    emitter.region = tl_region_box(low, high);
    emitter.rate = rate;
    emitter.interval = 0.02;
    emitter.template_count = 3;
    emitter.templates = templates;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
    emitter.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.5, .high = 1.2};
    emitter.seed = 5;
    emitter.templates = &templates[2];
    emitter.template_count = 1;
    assert_ok(tl_scene_add_emitter(scene, &emitter));
}

/* What a world answers to some questions about the space around (x, 0, 0.3). */
typedef struct answers {
    tl_ray_hit hits[600];
    tl_neighbour near[64], nearest;
    size_t count;
} answers;

__attribute__((unused)) static void ask_world(tl_world *world, double x, answers *out)
{
    static tl_ray rays[600];
    dice d = {17};
    tl_shape_def rod = tl_capsule_default(0.3, 0.8);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 600; i++) {
        rays[i] = tl_ray_default();
        roll3(&d, -1, 1, rays[i].origin);
        roll_direction(&d, rays[i].direction);
        rays[i].origin[0] += x;
        rays[i].origin[2] += 0.3;
        rays[i].hollow = i % 2;
    }
    assert_ok(tl_world_cast_rays(world, 600, rays, out->hits));
    rod.position[0] = x;
    rod.position[2] = 0.3;
    turn((double[3]){1, 1, 0}, 1, rod.orientation);
    assert_ok(tl_world_overlaps(world, &rod, 0.1, (tl_body){0, 0}, 64, out->near, &out->count));
    rod.position[2] = 20;
    assert_ok(tl_world_nearest(world, &rod, INFINITY, (tl_body){0, 0}, &out->nearest));
}

#endif
