/* The bench of joints: a chain that hangs between two points, at the sizes asked for; a net; and
 * many small pendulums side by side. Bodies are boxes that meet nothing: what is timed is joints.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NET      50u    /* bodies along an edge */
#define ROBOTS   10000u /* pendulums */
#define ROBOT    12u    /* joints of each */
#define ARC_PART 0.9    /* chord over length of the chain at the start */

/* A box of mass 1 that is about to be joined to others at its ends, along x. */
static tl_status add_link(tl_scene *scene, const double x[3], double turn, tl_body *body)
{
    tl_shape_def shape = tl_box_default(0.45, 0.05, 0.05);
    tl_body_def def = tl_body_default();
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 1;
    memcpy(def.position, x, sizeof def.position);
    def.orientation[0] = cos(0.5 * turn);
    def.orientation[2] = sin(0.5 * turn);
    return tl_scene_add_bodies(scene, 1, &def, body);
}

/* A ball joint; `a` or `b` without a body is a point of the world. */
static tl_status add_ball(tl_scene *scene, tl_body a, const double at_a[3], tl_body b,
                          const double at_b[3])
{
    tl_joint_def def = tl_joint_default(TL_JOINT_SPHERICAL);
    def.a = a;
    def.b = b;
    memcpy(def.position_a, at_a, sizeof def.position_a);
    memcpy(def.position_b, at_b, sizeof def.position_b);
    return tl_scene_add_joint(scene, &def, NULL);
}

/* Links of 1 m on an arc. */
static tl_status add_chain(tl_scene *scene, size_t links)
{
    const double front[3] = {-0.5, 0, 0}, back[3] = {0.5, 0, 0}, n = (double)links;
    double low = 0.1, high = 3, from[3] = {0, 0, 0};
    tl_body before = {0, 0};
    for (int i = 0; i < 200; i++) {
        const double a = 0.5 * (low + high);
        *(sin(a) / (n * sin(a / n)) > ARC_PART ? &low : &high) = a;
    }
    const double radius = 1 / (2 * sin(low / n));
    for (size_t i = 0; i <= links; i++) {
        const double angle = -low + 2 * low * (double)i / n;
        const double to[3] = {radius * sin(angle), 0, radius * (cos(low) - cos(angle))};
        const double middle[3] = {0.5 * (from[0] + to[0]), 0, 0.5 * (from[2] + to[2])};
        tl_body link;
        if (i) {
            tl_status status =
                add_link(scene, middle, -atan2(to[2] - from[2], to[0] - from[0]), &link);
            if (status == TL_OK)
                status = add_ball(scene, before, i > 1 ? back : from, link, front);
            if (status != TL_OK)
                return status;
            before = link;
        }
        memcpy(from, to, sizeof from);
    }
    return add_ball(scene, before, back, (tl_body){0, 0}, from);
}

/* Balls in a square, joined by rods to their neighbours, held at two corners. */
static tl_status add_net(tl_scene *scene)
{
    tl_shape_def shape = tl_sphere_default(0.1);
    tl_body_def def = tl_body_default();
    tl_body bodies[NET * NET];
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    for (uint32_t i = 0; i < NET * NET; i++) {
        def.position[0] = i % NET;
        def.position[1] = i / NET;
        const tl_status status = tl_scene_add_bodies(scene, 1, &def, &bodies[i]);
        if (status != TL_OK)
            return status;
    }
    for (uint32_t i = 0; i < NET * NET; i++)
        for (uint32_t way = 0; way < 2; way++) {
            tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
            rod.a = bodies[i];
            if (way ? i / NET + 1 == NET : i % NET + 1 == NET)
                continue;
            rod.b = bodies[way ? i + NET : i + 1];
            const tl_status status = tl_scene_add_joint(scene, &rod, NULL);
            if (status != TL_OK)
                return status;
        }
    const double origin[3] = {0, 0, 0}, corner[3] = {NET - 1, 0, 0};
    const tl_status status = add_ball(scene, (tl_body){0, 0}, origin, bodies[0], origin);
    return status == TL_OK ? add_ball(scene, (tl_body){0, 0}, corner, bodies[NET - 1], origin)
                           : status;
}

/* Pendulums of ROBOT links each. */
static tl_status add_robots(tl_scene *scene)
{
    const double front[3] = {-0.5, 0, 0}, back[3] = {0.5, 0, 0};
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < ROBOTS && status == TL_OK; r++) {
        const double start[3] = {20.0 * (r % 100), 3.0 * (r / 100), 0};
        tl_body before = {0, 0};
        for (uint32_t k = 0; k < ROBOT && status == TL_OK; k++) {
            const double middle[3] = {start[0] + k + 0.5, start[1], 0};
            tl_body link;
            status = add_link(scene, middle, 0, &link);
            if (status == TL_OK)
                status = add_ball(scene, before, k ? back : start, link, front);
            before = link;
        }
    }
    return status;
}

typedef enum joint_case { CASE_CHAIN, CASE_NET, CASE_ROBOTS } joint_case;

static tl_status make(const bench_options *options, joint_case which, size_t bodies,
                      tl_world **world)
{
    tl_settings settings = options->settings;
    tl_scene *scene = NULL;
    settings.step = 1.0 / 200;
    settings.max_speed = 1e6;
    settings.solver.kind = TL_PSOR;
    tl_status status = tl_scene_create(&scene);
    if (status == TL_OK)
        status = tl_scene_set_settings(scene, &settings);
    if (status == TL_OK)
        status = which == CASE_CHAIN ? add_chain(scene, bodies)
                 : which == CASE_NET ? add_net(scene)
                                     : add_robots(scene);
    if (status == TL_OK)
        status = tl_world_create(scene, world);
    tl_scene_destroy(scene);
    return status;
}

static void measure(const bench_options *options, bench_output *output, joint_case which,
                    size_t bodies)
{
    static const char *const names[] = {"chain", "net", "pendulums"};
    tl_world *world = NULL;
    tl_report report;
    tl_status status = make(options, which, bodies, &world);
    if (output_status(output, names[which], bodies, status))
        return;
    const tl_settings settings = tl_world_settings(world);
    bench_row row = talus_row("joints", world, &settings, bodies);
    status = time_steps(world, options->steps, &report, &row);
    if (!output_status(output, names[which], bodies, status)) {
        row_text(&row, "case", names[which]);
        row_number(&row, "joints", report.joints);
        row_number(&row, "joint_error", report.joint_error);
        row_number(&row, "ns_per_body", 1e6 * row.ms_per_step / (double)bodies);
        output_row(output, &row);
    }
    tl_world_destroy(world);
}

void bench_joints(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++)
        measure(options, output, CASE_CHAIN, options->bodies[i]);
    if (options->given & OPTION_BODIES)
        return;
    measure(options, output, CASE_NET, NET * NET);
    measure(options, output, CASE_ROBOTS, (size_t)ROBOTS * ROBOT);
}
