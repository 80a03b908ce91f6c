/* A crowded body of anchor rows, for tests: boxes that fly at a plate, with every law of materials.
 */
#ifndef TALUS_TESTS_CROWDS_H
#define TALUS_TESTS_CROWDS_H

#include "support.h"

#define PLATE_BODIES 201u /* the plate, then the boxes; handles in this order, from 1 */

static inline double plate_mass(uint32_t handle)
{
    return handle == 1 ? 100 : 1.5;
}

static inline tl_world *plate_world(const tl_settings *settings)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.5, 0);
    dice d = {4};
    set_gravity(scene, 0, 0, 0);
    for (uint32_t i = 0; i < PLATE_BODIES; i++) {
        tl_shape_def shape = i ? tl_box_default(0.04, 0.04, 0.03) : tl_box_default(1, 1, 0.02);
        tl_body_def def = tl_body_default();
        const double side = i > 100 ? -1 : 1;
        const int k = (int)(i + 99) % 100;
        shape.material = material;
        def.shapes = &shape;
        def.shape_count = 1;
        def.mass = plate_mass(i + 1);
        def.velocity[0] = i ? roll(&d, -0.3, 0.3) : 0;
        def.velocity[2] = i ? -side * roll(&d, 1, 2) : 0;
        def.position[0] = i ? 0.18 * (k % 10 - 4.5) : 0;
        def.position[1] = i ? 0.18 * (k / 10 - 4.5) : 0;
        def.position[2] = i ? side * 0.051 : 0;
        add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    give_laws(world, true);
    return world;
}

#endif
