/* The chute bench: spheres without friction run down a slope of tiles side by side, by Talus with
 * planes by motion and with the nearest ones, and by other engines from the same start. Nothing
 * holds them along the slope, so that what they lack of the speed in closed form was lost at joints
 * between tiles. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#define RADIUS  0.05 /* m */
#define PITCH   0.11 /* m, of the grid that they start on */
#define LAYERS  4u
#define TILE    0.5 /* m, along the chute */
#define SPEED   2.0 /* m/s, at the start */
#define DENSITY 2000.0

/* The chute leans by 25 degrees; its frame is along and across it. */
static const double gravity[3] = {4.14588519, 0, -8.89087942};

typedef struct chute_case {
    peer_start start; /* box 0 is the first tile, 1 and 2 are the sides */
    double *centres;  /* m, rows of 3 */
} chute_case;

static bool chute_make(bench_output *output, const bench_options *options, size_t bodies,
                       chute_case *chute)
{
    const double h = options->settings.step, run = h * (options->settle + options->steps + 20);
    const size_t layer = (bodies + LAYERS - 1) / LAYERS;
    const size_t across = (size_t)ceil(sqrt((double)layer / 4));
    const size_t along = (layer + across - 1) / across;
    const double width = PITCH * (double)across, begin = PITCH * (double)along;
    const double end = begin + SPEED * run + 0.5 * gravity[0] * run * run + 1;
    chute->centres = malloc(3 * bodies * sizeof *chute->centres);
    if (!chute->centres) {
        output_failure(output, "not enough memory for %zu spheres", bodies);
        return false;
    }
    for (size_t i = 0; i < bodies; i++) {
        const size_t place = i / LAYERS;
        chute->centres[3 * i] = PITCH * ((double)(place / across) + 0.5);
        chute->centres[3 * i + 1] = PITCH * ((double)(place % across) + 0.5) - 0.5 * width;
        chute->centres[3 * i + 2] = RADIUS + PITCH * (double)(i % LAYERS);
    }
    chute->start =
        (peer_start){.task = PEER_PILE,
                     .bodies = bodies,
                     .settle = options->settle,
                     .steps = options->steps,
                     .radius = RADIUS,
                     .density = DENSITY,
                     .friction = 0,
                     .step = h,
                     .gravity = -gravity[2],
                     .box_count = 3,
                     .boxes = {{0.5 * TILE, 0, -0.5 * TILE, 0.5 * TILE, width, 0.5 * TILE},
                               {0.5 * end, -0.5 * width - TILE, 0, 0.5 * end, TILE, 1},
                               {0.5 * end, 0.5 * width + TILE, 0, 0.5 * end, TILE, 1}},
                     .tiles = (uint64_t)ceil(end / TILE),
                     .along = gravity[0],
                     .speed = SPEED};
    memcpy(chute->start.magic, PEER_START_MAGIC, sizeof chute->start.magic);
    return true;
}

static tl_status add_boxes(tl_scene *scene, tl_material material, const peer_start *start)
{
    for (uint64_t i = 0; i < peer_boxes(start); i++) {
        tl_body_def def = tl_body_default();
        const double *half = peer_box(start, i, def.position);
        tl_shape_def shape = tl_box_default(half[0], half[1], half[2]);
        shape.material = material;
        def.kind = TL_FIXED;
        def.shape_count = 1;
        def.shapes = &shape;
        const tl_status status = tl_scene_add_bodies(scene, 1, &def, NULL);
        if (status < 0)
            return status;
    }
    return TL_OK;
}

static tl_status fill_scene(tl_scene *scene, const tl_settings *settings, const chute_case *chute)
{
    tl_material_def smooth = tl_material_default();
    tl_material material;
    tl_status status = tl_scene_set_settings(scene, settings);
    smooth.friction = 0;
    if (status >= 0)
        status = tl_scene_add_material(scene, &smooth, &material);
    if (status >= 0)
        status = add_boxes(scene, material, &chute->start);
    tl_shape_def shape = tl_sphere_default(RADIUS);
    shape.material = material;
    for (uint64_t i = 0; i < chute->start.bodies && status >= 0; i++) {
        tl_body_def def = tl_body_default();
        def.density = DENSITY;
        def.velocity[0] = SPEED;
        def.shape_count = 1;
        def.shapes = &shape;
        memcpy(def.position, chute->centres + 3 * i, sizeof def.position);
        status = tl_scene_add_bodies(scene, 1, &def, NULL);
    }
    return status;
}

/* What is missing of the mean speed in closed form, as a part of it; rows of 3. */
static double speed_loss(const double *velocities, size_t bodies, double time)
{
    double sum = 0;
    for (size_t i = 0; i < bodies; i++)
        sum += velocities[3 * i];
    return 1 - sum / (double)bodies / (SPEED + gravity[0] * time);
}

static bool read_loss(bench_output *output, const tl_world *world, size_t bodies, bench_row *row)
{
    const size_t count = tl_world_body_count(world);
    double *velocities = malloc(3 * count * sizeof *velocities);
    if (!velocities) {
        output_failure(output, "not enough memory to read %zu bodies", count);
        return false;
    }
    const tl_status status = tl_world_read_velocities(world, count, NULL, velocities);
    if (status >= 0)
        row_number(row, "speed_loss",
                   speed_loss(velocities + 3 * (count - bodies), bodies, tl_world_time(world)));
    free(velocities);
    return !output_status(output, "reading velocities", bodies, status);
}

/* Talus with one kind of planes. */
static bool run_talus(const bench_options *options, bench_output *output, const chute_case *chute,
                      tl_planes planes, bench_row *row)
{
    tl_settings settings = options->settings;
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_report report = {0};
    const size_t bodies = chute->start.bodies;
    const uint64_t memory = peer_memory_start();
    settings.planes = planes;
    memcpy(settings.gravity, gravity, sizeof gravity);
    tl_status status = tl_scene_create(&scene);
    if (status >= 0)
        status = fill_scene(scene, &settings, chute);
    if (status >= 0)
        status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (status >= 0)
        status = tl_world_step(world, options->settle, NULL);
    if (status >= 0) {
        *row = talus_row("chute", world, &settings, bodies);
        status = time_steps(world, options->steps, &report, row);
    }
    bool done = !output_status(output, "running the chute", bodies, status);
    if (done) {
        row->peak_bytes = peer_memory_growth(memory);
        row_report(row, &report);
        row_text(row, "planes", tl_word(TL_WORDS_PLANES, planes));
        done = read_loss(output, world, bodies, row);
    }
    tl_world_destroy(world);
    return done;
}

static void run_peer(bench_output *output, const chute_case *chute, const char *engine,
                     const bench_row *talus)
{
    const peer_start *start = &chute->start;
    peer_result result;
    void *rows;
    if (!peer_run(output, engine, start, chute->centres, NULL, &result, &rows))
        return;
    bench_row row = peer_row("chute", engine, &result);
    const double time = start->step * (double)(start->settle + start->steps);
    row.ms_per_step = result.ms_per_step;
    row.overlap = (audit_overlap){.mean = NAN, .p99 = NAN, .max = NAN};
    row_number(&row, "speed_loss",
               speed_loss((const double *)rows + 3 * start->bodies, start->bodies, time));
    output_row(output, &row);
    if (talus)
        output_ratio(output, engine, "ms per step", talus, row.ms_per_step, talus->ms_per_step);
    free(rows);
}

static void run_size(const bench_options *options, bench_output *output, size_t bodies)
{
    chute_case chute;
    bench_row nearest, row;
    if (!chute_make(output, options, bodies, &chute))
        return;
    const bool has = run_talus(options, output, &chute, TL_PLANES_NEAREST, &nearest);
    if (has)
        output_row(output, &nearest);
    const bool done = run_talus(options, output, &chute, TL_PLANES_BY_MOTION, &row);
    if (done && has)
        row_number(&row, "ms_over_nearest", row.ms_per_step / nearest.ms_per_step);
    if (done)
        output_row(output, &row);
    for (uint32_t k = 0; peer_name(k); k++)
        if (options->peers >> k & 1)
            run_peer(output, &chute, peer_name(k), done ? &row : NULL);
    free(chute.centres);
}

void bench_chute(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++)
        run_size(options, output, options->bodies[i]);
    output_ratios(output);
}
