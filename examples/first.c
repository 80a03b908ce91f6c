/* The smallest useful program: a ball is dropped on the ground and comes to rest. */
#include <stdio.h>
#include <talus/talus.h>

int main(void)
{
    tl_shape_def plane = tl_plane_default();
    tl_shape_def sphere = tl_sphere_default(0.1);
    tl_body_def defs[2] = {tl_body_default(), tl_body_default()};
    defs[0].kind = TL_FIXED;
    defs[0].shape_count = 1;
    defs[0].shapes = &plane;
    defs[1].position[2] = 1.0;
    defs[1].shape_count = 1;
    defs[1].shapes = &sphere;

    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_body bodies[2];
    tl_report report;
    double position[3];
    int failed = tl_scene_create(&scene) < 0 || tl_scene_add_bodies(scene, 2, defs, bodies) < 0 ||
                 tl_world_create(scene, &world) < 0;
    for (int i = 0; i < 10 && !failed; i++) {
        failed = tl_world_step(world, 20, &report) < 0 ||
                 tl_world_read_positions(world, 1, &bodies[1], position) < 0;
        if (!failed)
            printf("t = %.1f s  height = %.4f m  contacts = %u  residual = %.1e m/s\n", report.time,
                   position[2], report.contacts, report.residual);
    }
    if (failed)
        fprintf(stderr, "first: %s\n", tl_last_message());
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    return failed;
}
