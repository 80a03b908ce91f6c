/* The channels of monitors; monitors.h says who calls. */
#include "monitors.h"

#include <math.h>
#include <stdlib.h>

/* The numbers of all channels: last, least and greatest, one after the other. */
static double *room_for(size_t channels)
{
    double *numbers = malloc((3 * channels + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < 3 * channels; i++)
        numbers[i] = NAN;
    return numbers;
}

static int read_world(const tl_world *world, size_t channels, double **numbers)
{
    *numbers = room_for(channels);
    if (!*numbers)
        return out_of_memory();
    tl_status status = tl_world_read_monitors(world, channels, *numbers);
    if (status >= 0)
        status = tl_world_read_monitor_ranges(world, channels, *numbers + channels,
                                              *numbers + 2 * channels);
    return status < 0 ? complain_of(status, PHASE_RUNNING) : EXIT_OK;
}

int say_monitors(const options *given, const tl_world *world)
{
    const size_t channels = tl_world_monitor_count(world);
    double *x = NULL;
    tl_monitor_info info;
    if (!channels || given->quiet)
        return EXIT_OK;
    const int code = read_world(world, channels, &x);
    for (size_t i = 0; code == EXIT_OK && i < channels; i++)
        if (tl_world_monitor_info(world, i, &info) >= 0)
            session_say(given, "  %-24s last %.6g, from %.6g to %.6g %s", info.name, x[i],
                        x[channels + i], x[2 * channels + i], info.unit);
    free(x);
    return code;
}

int tell_monitors(facts *f, const tl_world *world)
{
    const size_t channels = tl_world_monitor_count(world);
    double *x = NULL;
    tl_monitor_info info;
    if (!channels)
        return EXIT_OK;
    const int code = read_world(world, channels, &x);
    for (size_t i = 0; code == EXIT_OK && i < channels; i++)
        if (tl_world_monitor_info(world, i, &info) >= 0)
            fact_monitor(f, info.name, info.unit, x[i], x[channels + i], x[2 * channels + i]);
    free(x);
    return code;
}

/* Reads all steps, some at a time. */
static tl_status read_result(tl_result *result, size_t channels, double *x, double *rows,
                             uint64_t most)
{
    const uint64_t steps = tl_result_describe(result).steps;
    for (uint64_t first = 0; first < steps; first += most) {
        const uint64_t count = steps - first < most ? steps - first : most;
        const tl_status status = tl_result_read_monitors(result, first, count, rows);
        if (status < 0)
            return status;
        for (uint64_t i = 0; i < count * channels; i++) {
            double *last = x + i % channels;
            *last = rows[i];
            last[channels] = fmin(last[channels], rows[i]); /* of a number and NaN, the number */
            last[2 * channels] = fmax(last[2 * channels], rows[i]);
        }
    }
    return TL_OK;
}

int tell_result_monitors(facts *f, tl_result *result)
{
    enum { ROWS = 256 };
    const size_t channels = (size_t)tl_result_monitor_count(result);
    tl_monitor_info info;
    if (!channels)
        return EXIT_OK;
    double *x = room_for(channels), *rows = malloc(ROWS * channels * sizeof *rows);
    int code = x && rows ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK) {
        const tl_status status = read_result(result, channels, x, rows, ROWS);
        code = status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    }
    for (size_t i = 0; code == EXIT_OK && i < channels; i++)
        if (tl_result_monitor_info(result, i, &info) >= 0)
            fact_monitor(f, info.name, info.unit, x[i], x[channels + i], x[2 * channels + i]);
    free(x);
    free(rows);
    return code;
}
