/* The channels of results; channels.h says who calls. */
#include "channels.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What steps report. */
static const struct own {
    const char *name, *unit;
    size_t field;
} own[] = {
    {"t", "s", offsetof(tl_report, time)},
    {"residual", "m/s", offsetof(tl_report, residual)},
    {"mean_penetration", "m", offsetof(tl_report, mean_penetration)},
    {"max_penetration", "m", offsetof(tl_report, max_penetration)},
    {"kinetic_energy", "J", offsetof(tl_report, kinetic_energy)},
    {"joint_error", "m", offsetof(tl_report, joint_error)},
    {"motor_energy", "J", offsetof(tl_report, motor_energy)},
};
enum { OWN = sizeof own / sizeof *own };

bool channel_own(size_t i, tl_monitor_info *info, size_t *field)
{
    if (i >= OWN)
        return false;
    snprintf(info->name, sizeof info->name, "%s", own[i].name);
    snprintf(info->unit, sizeof info->unit, "%s", own[i].unit);
    *field = own[i].field;
    return true;
}

tl_status channel_read_reports(tl_result *result, size_t field, uint64_t count, double *values)
{
    tl_report reports[64];
    const uint64_t most = sizeof reports / sizeof *reports;
    for (uint64_t i = 0; i < count; i += most) {
        const uint64_t n = count - i < most ? count - i : most;
        const tl_status status = tl_result_read_reports(result, i, n, reports);
        if (status < 0)
            return status;
        for (uint64_t k = 0; k < n; k++)
            memcpy(&values[i + k], (const char *)&reports[k] + field, sizeof *values);
    }
    return TL_OK;
}

static tl_status read_monitor(tl_result *result, uint64_t channel, uint64_t channels,
                              uint64_t count, double *rows, uint64_t most, double *values)
{
    for (uint64_t i = 0; i < count; i += most) {
        const uint64_t n = count - i < most ? count - i : most;
        const tl_status status = tl_result_read_monitors(result, i, n, rows);
        if (status < 0)
            return status;
        for (uint64_t k = 0; k < n; k++)
            values[i + k] = rows[k * channels + channel];
    }
    return TL_OK;
}

/* Names of channels, for the nearest of them. */
typedef struct names {
    size_t count;
    tl_monitor_info *infos;
} names;

static const char *name_at(const void *list, size_t i)
{
    const names *n = list;
    return i < OWN ? own[i].name : i - OWN < n->count ? n->infos[i - OWN].name : NULL;
}

static int unknown(const char *command, const char *path, const tl_result *result, const char *name)
{
    const size_t count = (size_t)tl_result_monitor_count(result);
    names list = {.infos = malloc((count + 1) * sizeof *list.infos)};
    if (!list.infos)
        return out_of_memory();
    while (list.count < count &&
           tl_result_monitor_info(result, list.count, &list.infos[list.count]) >= 0)
        list.count++;
    const char *near = nearest_name(name, name_at, &list);
    complain("%s: %s has no channel '%s'%s%s%s; `talus info %s` lists them", command, path, name,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", path);
    free(list.infos);
    return EXIT_USAGE;
}

int channel_read(const char *command, const char *path, tl_result *result, const char *name,
                 double *values, char *label, size_t room)
{
    const uint64_t steps = tl_result_describe(result).steps;
    const uint64_t channels = tl_result_monitor_count(result);
    tl_monitor_info info;
    tl_status status = TL_OK;
    for (size_t i = 0; i < OWN; i++)
        if (!strcmp(own[i].name, name)) {
            snprintf(label, room, "%s (%s)", name, own[i].unit);
            status = channel_read_reports(result, own[i].field, steps, values);
            return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
        }
    for (uint64_t i = 0; i < channels; i++) {
        if (tl_result_monitor_info(result, i, &info) < 0 || strcmp(info.name, name) != 0)
            continue;
        enum { ROWS = 256 };
        double *rows = malloc(ROWS * channels * sizeof *rows);
        if (!rows)
            return out_of_memory();
        snprintf(label, room, *info.unit ? "%s (%s)" : "%s", name, info.unit);
        status = read_monitor(result, i, channels, steps, rows, ROWS, values);
        free(rows);
        return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    }
    return unknown(command, path, result, name);
}
