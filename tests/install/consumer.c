/* A program that uses the installed library: package.sh builds it as C17 and, as consumer.cpp, as
 * C++17. A ball falls on a plane; it must lie there, touching, at the end. */
#include <talus/talus.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what)
{
    fprintf(stderr, "consumer: %s: %s\n", what, tl_last_message());
    return 1;
}

static int check_version(void)
{
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", TL_VERSION_MAJOR, TL_VERSION_MINOR,
             TL_VERSION_PATCH);
    if (strcmp(numbers, TL_VERSION_STRING) || strcmp(tl_version(), TL_VERSION_STRING))
        return fail("the versions of the headers and of the library differ");
    printf("%s\n", tl_version());
    return 0;
}

static int drop_ball(tl_scene *scene, tl_world **world)
{
    tl_shape_def plane = tl_plane_default();
    tl_shape_def sphere = tl_sphere_default(0.1);
    tl_body_def defs[2] = {tl_body_default(), tl_body_default()};
    defs[0].kind = TL_FIXED;
    defs[0].shape_count = 1;
    defs[0].shapes = &plane;
    defs[1].position[2] = 0.5;
    defs[1].shape_count = 1;
    defs[1].shapes = &sphere;
    tl_body bodies[2];
    if (tl_scene_add_bodies(scene, 2, defs, bodies) || tl_world_create(scene, world))
        return fail("making the world");
    tl_report report;
    double position[3];
    if (tl_world_step(*world, 200, &report) ||
        tl_world_read_positions(*world, 1, &bodies[1], position))
        return fail("stepping");
    if (report.steps != 200 || report.contacts != 1 || fabs(position[2] - 0.1) > 1e-3)
        return fail("the ball does not lie on the plane");
    return 0;
}

int main(void)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    int failed = check_version();
    if (!failed)
        failed = tl_scene_create(&scene) ? fail("making the scene") : drop_ball(scene, &world);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    return failed;
}
