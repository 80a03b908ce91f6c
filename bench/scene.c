/* The scene bench: any scene file, by Talus: time a step against its length, residual, overlap,
 * joints, and what its monitors say at the end. Where talus_io is not built there is no reader. */
#include "bench.h"

#ifndef TALUS_BENCH_IO

void bench_scene(const bench_options *options, bench_output *output)
{
    (void)options;
    output_failure(output, "scene: built without talus_io (HDF5), which reads scene files");
}

#else

#include "talus/io.h"

#include <math.h>

/* The scene's own settings, with what the command line says. */
static tl_settings settings_of(const bench_options *options, const tl_scene *scene)
{
    tl_settings settings = tl_scene_settings(scene);
    const tl_settings *own = &options->settings;
    settings.backend = own->backend;
    settings.threads = own->threads;
    if (options->given & OPTION_PRECISION)
        settings.precision = own->precision;
    if (options->given & OPTION_ITERATIONS)
        settings.solver.iterations = own->solver.iterations;
    if (options->given & OPTION_POSITION_ITERATIONS)
        settings.solver.position_iterations = own->solver.position_iterations;
    return settings;
}

/* The values of the channels that were asked for, at the end. */
static tl_status row_watched(const bench_options *options, bench_output *output,
                             const tl_world *world, bench_row *row)
{
    const size_t count = tl_world_monitor_count(world);
    double values[SCENE_CHANNELS];
    if (count == 0 || options->watch_count == 0)
        return TL_OK;
    if (count > SCENE_CHANNELS) {
        output_failure(output, "scene: %zu channels; --watch reads at most %d", count,
                       SCENE_CHANNELS);
        return TL_OK;
    }
    tl_status status = tl_world_read_monitors(world, count, values);
    for (uint32_t k = 0; k < options->watch_count && status >= 0; k++) {
        size_t found = count;
        for (size_t i = 0; i < count && found == count && status >= 0; i++) {
            tl_monitor_info info;
            status = tl_world_monitor_info(world, i, &info);
            if (status >= 0 && strcmp(info.name, options->watch[k]) == 0)
                found = i;
        }
        if (found == count)
            output_failure(output, "--watch %s: the scene has no such channel", options->watch[k]);
        else
            row_number(row, options->watch[k], values[found]);
    }
    return status;
}

/* A row: so many steps from where the world is. */
static tl_status measure(const bench_options *options, bench_output *output, tl_world *world,
                         bench_row *row)
{
    const tl_settings settings = tl_world_settings(world);
    tl_report report = {0};
    *row = talus_row("scene", world, &settings, tl_world_body_count(world));
    tl_status status = time_steps(world, options->steps, &report, row);
    row->bodies = report.bodies;
    row->overlap = (audit_overlap){.mean = NAN, .p99 = NAN, .max = NAN};
    row_report(row, &report);
    row_text(row, "scene", options->scene);
    row_number(row, "step", settings.step);
    row_number(row, "time", report.time);
    row_number(row, "ms_over_step", row->ms_per_step / (1e3 * settings.step)); /* 1: real time */
    row_number(row, "penetration", report.max_penetration);
    row_number(row, "mean_penetration", report.mean_penetration);
    row_number(row, "joint_error", report.joint_error);
    row_number(row, "body_seconds", report.bodies * settings.step / (1e-3 * row->ms_per_step));
    if (status >= 0)
        status = row_watched(options, output, world, row);
    return status;
}

void bench_scene(const bench_options *options, bench_output *output)
{
    tl_document *document = NULL;
    tl_world *world = NULL;
    bench_row row;
    if (!options->scene) {
        output_failure(output, "scene: expected --scene FILE");
        return;
    }
    tl_status status =
        tl_document_read(options->scene, options->set_count, options->sets, &document);
    if (output_status(output, options->scene, 0, status))
        return;
    const tl_settings settings = settings_of(options, tl_document_scene(document));
    status = tl_world_create_with(tl_document_scene(document), &settings, &world);
    if (status >= 0 && options->settle > 0)
        status = tl_world_step(world, options->settle, NULL);
    for (uint32_t i = 0; i < options->rows && status >= 0; i++) {
        status = measure(options, output, world, &row);
        if (status >= 0)
            output_row(output, &row);
    }
    output_status(output, options->scene, world ? tl_world_body_count(world) : 0, status);
    tl_world_destroy(world);
    tl_document_destroy(document);
}

#endif
