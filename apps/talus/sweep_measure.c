/* What is measured of a run: statistics of its channels, and expressions of these; sweep.h says who
 * calls. */
#include "channels.h"
#include "sweep.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARTS = 64, ROWS = 256 };

/* Over the steps between --from and --to that have a value. The peak is the value that is farthest
 * from 0. */
enum { FIRST, LAST, MEAN, PEAK, MIN, MAX, STATISTICS };
static const char *const statistics[] = {"first", "last", "mean", "peak", "min", "max"};

/* Of what certifies a run, by channel: which statistics the table has. */
static const struct {
    const char *channel;
    int statistic;
} certificate[] = {
    {"residual", LAST},        {"residual", PEAK},        {"mean_penetration", LAST},
    {"max_penetration", LAST}, {"max_penetration", PEAK}, {"joint_error", LAST},
    {"joint_error", PEAK},
};
enum { CERTIFICATE = sizeof certificate / sizeof *certificate };

/* --- what there is --- */

static int read_channels(study *s, const tl_scene *scene)
{
    const size_t monitors = tl_scene_monitor_count(scene);
    tl_monitor_info info;
    size_t own = 1, field; /* not the time */
    while (channel_own(own, &info, &field))
        own++;
    s->channels = calloc(monitors + own, sizeof *s->channels);
    if (!s->channels)
        return out_of_memory();
    for (size_t i = 0; i < monitors + own - 1; i++) {
        study_channel *c = &s->channels[s->channel_count++];
        c->own = i >= monitors;
        if (c->own ? !channel_own(i - monitors + 1, &info, &field)
                   : tl_scene_monitor_info(scene, i, &info) < 0)
            return complain_of(TL_BAD_ARGUMENT, PHASE_READING);
        memcpy(c->name, info.name, sizeof c->name);
        memcpy(c->unit, info.unit, sizeof c->unit);
    }
    return EXIT_OK;
}

static int add_variable(study *s, const char *name)
{
    s->variables[s->variable_count] = strdup(name);
    return s->variables[s->variable_count++] ? EXIT_OK : out_of_memory();
}

/* The length of NAME in NAME=EXPRESSION, 0 where there is none; `==` compares. */
static size_t measure_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strspn(text, letters);
    const char *equals = text + length + strspn(text + length, " ");
    const bool starts = length && !(*text >= '0' && *text <= '9');
    return starts && *equals == '=' && equals[1] != '=' ? length : 0;
}

/* Adds a measure and its variable; looks whether its expression can be computed. */
static int add_measure(study *s, const char *option, const char *given, const char *name)
{
    const size_t length = name ? 0 : measure_name(given);
    const char *text = length ? strchr(given, '=') + 1 : given;
    char *own = length ? strndup(given, length) : strdup(name ? name : given);
    double *nothing = malloc((s->variable_count + 1) * sizeof *nothing), value;
    int code = own && nothing ? EXIT_OK : out_of_memory();
    bool taken = code == EXIT_OK && (!strcmp(own, "where") || !strcmp(own, "threshold"));
    for (size_t i = 0; code == EXIT_OK && i < s->variable_count; i++) {
        nothing[i] = NAN;
        taken = taken || !strcmp(s->variables[i], own);
    }
    if (length && taken) {
        complain("%s: '%s': there is something of that name already", option, own);
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK &&
        tl_evaluate(text, s->variable_count, s->variables, nothing, &value) < 0) {
        complain("%s: %s", option, tl_last_message());
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK) {
        s->measures[s->measure_count++] = strdup(text);
        code = s->measures[s->measure_count - 1] ? add_variable(s, own) : out_of_memory();
    }
    free(own);
    free(nothing);
    return code;
}

static int read_variables(study *s)
{
    const options *given = s->given;
    char name[96];
    int code = EXIT_OK;
    s->variables = calloc(s->channel_count * STATISTICS + s->axis_count + given->body_count + 2,
                          sizeof *s->variables);
    s->measures = calloc(given->body_count + 2, sizeof *s->measures);
    if (!s->variables || !s->measures)
        return out_of_memory();
    for (size_t i = 0; i < s->channel_count * STATISTICS && code == EXIT_OK; i++) {
        snprintf(name, sizeof name, "%s.%s", s->channels[i / STATISTICS].name,
                 statistics[i % STATISTICS]);
        code = add_variable(s, name);
    }
    for (size_t i = 0; i < s->axis_count && code == EXIT_OK; i++)
        code = add_variable(s, s->axes[i].name);
    for (size_t i = 0; i < given->body_count && code == EXIT_OK; i++)
        code = add_measure(s, "--measure", given->names[i], NULL);
    if (given->where && code == EXIT_OK)
        code = add_measure(s, "--where", given->where, "where");
    return code;
}

/* --- columns and charts --- */

static char *joined(const char *name, const char *unit, const char *open, const char *close)
{
    const size_t room = strlen(name) + strlen(unit) + 8;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, *unit ? "%s %s%s%s" : "%s", name, open, unit, close);
    return text;
}

static int add_column(study *s, size_t variable, const char *unit, const char *label, size_t drawn)
{
    study_column *c = &s->columns[s->column_count++];
    c->title = joined(s->variables[variable], unit, "[", "]");
    c->label = strdup(label);
    c->variable = variable;
    c->chart = drawn;
    return c->title && c->label ? EXIT_OK : out_of_memory();
}

static int add_chart(study *s, const char *file, const char *name, const char *unit)
{
    study_chart *c = &s->charts[s->chart_count++];
    c->file = strdup(file);
    c->label = joined(name, unit, "(", ")");
    return c->file && c->label ? EXIT_OK : out_of_memory();
}

/* Without --measure: three of each channel, in one chart. */
static int add_channel_columns(study *s)
{
    static const int shown[] = {LAST, MEAN, PEAK};
    size_t monitors = 0;
    int code = EXIT_OK;
    while (monitors < s->channel_count && !s->channels[monitors].own)
        monitors++;
    for (size_t i = 0; i < monitors && code == EXIT_OK; i++) {
        const study_channel *c = &s->channels[i];
        const bool drawn = monitors <= MOST_CHARTS;
        if (drawn)
            code = add_chart(s, c->name, c->name, c->unit);
        for (size_t k = 0; k < 3 && code == EXIT_OK; k++)
            code = add_column(s, i * STATISTICS + (size_t)shown[k], c->unit, statistics[shown[k]],
                              drawn ? s->chart_count - 1 : SIZE_MAX);
    }
    if (!monitors)
        study_say(s, "the scene has no monitors: the table has the certificate alone");
    else if (monitors > MOST_CHARTS)
        study_say(s, "%zu channels are too many for charts; --measure says which to draw",
                  monitors);
    return code;
}

static int add_measure_columns(study *s)
{
    const size_t first = s->variable_count - s->measure_count;
    char file[64];
    int code = EXIT_OK;
    for (size_t i = 0; i < s->measure_count && code == EXIT_OK; i++) {
        const char *name = s->variables[first + i];
        const bool condition = s->given->where && i + 1 == s->measure_count;
        const bool named = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_.") == strlen(name);
        if (named && strlen(name) < sizeof file)
            snprintf(file, sizeof file, "%s", name);
        else
            snprintf(file, sizeof file, "measure%zu", i + 1);
        if (!condition)
            code = add_chart(s, file, name, "");
        if (code == EXIT_OK)
            code = add_column(s, first + i, "", "", condition ? SIZE_MAX : s->chart_count - 1);
    }
    return code;
}

static int add_certificate(study *s)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < CERTIFICATE; i++)
        for (size_t k = 0; k < s->channel_count && code == EXIT_OK; k++)
            if (s->channels[k].own && !strcmp(s->channels[k].name, certificate[i].channel))
                code = add_column(s, k * STATISTICS + (size_t)certificate[i].statistic,
                                  s->channels[k].unit, "", SIZE_MAX);
    return code;
}

int study_read_measures(study *s, const tl_scene *scene)
{
    int code = read_channels(s, scene);
    if (code == EXIT_OK)
        code = read_variables(s);
    if (code != EXIT_OK)
        return code;
    s->columns = calloc(3 * s->channel_count + s->measure_count + CERTIFICATE, sizeof *s->columns);
    s->charts = calloc(s->channel_count + s->measure_count, sizeof *s->charts);
    if (!s->columns || !s->charts)
        return out_of_memory();
    if (!s->given->body_count)
        code = add_channel_columns(s);
    if (code == EXIT_OK)
        code = add_measure_columns(s);
    return code == EXIT_OK ? add_certificate(s) : code;
}

/* --- what came of a run --- */

/* Statistics of one channel while they are gathered; MEAN is the sum of `count` values. */
static void gather(double *x, uint64_t *count, double value)
{
    if (isnan(value))
        return;
    if (!(*count)++) {
        x[FIRST] = x[PEAK] = x[MIN] = x[MAX] = value;
        x[MEAN] = 0;
    }
    x[LAST] = value;
    x[MEAN] += value;
    x[PEAK] = fabs(value) > fabs(x[PEAK]) ? value : x[PEAK];
    x[MIN] = fmin(x[MIN], value);
    x[MAX] = fmax(x[MAX], value);
}

/* A result that is read, with room for one number per step. */
typedef struct reading {
    tl_result *result;
    uint64_t first, count; /* steps between --from and --to */
    double *numbers;
    double *values;   /* of variables */
    uint64_t *counts; /* by channel: how many values there were */
} reading;

/* Own channels, one after the other. */
static tl_status gather_own(const study *s, reading *r)
{
    tl_monitor_info info;
    size_t field;
    for (size_t i = 0; i < s->channel_count; i++)
        for (size_t k = 0; s->channels[i].own && channel_own(k, &info, &field); k++) {
            if (strcmp(info.name, s->channels[i].name) != 0)
                continue;
            const tl_status status =
                channel_read_reports(r->result, field, r->first + r->count, r->numbers);
            if (status < 0)
                return status;
            for (uint64_t n = r->first; n < r->first + r->count; n++)
                gather(&r->values[i * STATISTICS], &r->counts[i], r->numbers[n]);
        }
    return TL_OK;
}

/* The channel of a monitor by name, `hint` first; channel_count where there is none. */
static size_t find_channel(const study *s, size_t hint, const char *name)
{
    for (size_t i = 0; i < s->channel_count; i++) {
        const size_t at = (hint + i) % s->channel_count;
        if (!s->channels[at].own && !strcmp(s->channels[at].name, name))
            return at;
    }
    return s->channel_count;
}

/* The channels of monitors, which lie side by side in the result. Runs whose parameters change what
 * there is may have other ones than the first: they are found by name. */
static tl_status gather_monitors(const study *s, reading *r)
{
    const uint64_t channels = tl_result_monitor_count(r->result);
    double *rows = malloc((ROWS * channels + 1) * sizeof *rows);
    size_t *places = malloc((channels + 1) * sizeof *places);
    tl_status status = rows && places ? TL_OK : TL_NO_MEMORY;
    for (uint64_t i = 0; i < channels && status >= 0; i++) {
        tl_monitor_info info = {.name = ""};
        status = tl_result_monitor_info(r->result, i, &info);
        places[i] = find_channel(s, (size_t)i, info.name);
    }
    for (uint64_t at = 0; at < r->count && status >= 0 && channels; at += ROWS) {
        const uint64_t n = r->count - at < ROWS ? r->count - at : ROWS;
        status = tl_result_read_monitors(r->result, r->first + at, n, rows);
        for (uint64_t i = 0; i < n * channels && status >= 0; i++) {
            const size_t place = places[i % channels];
            if (place < s->channel_count)
                gather(&r->values[place * STATISTICS], &r->counts[place], rows[i]);
        }
    }
    free(rows);
    free(places);
    return status;
}

/* Which steps count. */
static tl_status find_window(const study *s, reading *r, uint64_t steps)
{
    const tl_status status =
        channel_read_reports(r->result, offsetof(tl_report, time), steps, r->numbers);
    for (uint64_t i = 0; i < steps && status >= 0; i++)
        if (!(r->numbers[i] < s->given->from - 1e-9) && !(r->numbers[i] > s->given->to + 1e-9)) {
            r->first = r->count ? r->first : i;
            r->count = i - r->first + 1;
        }
    return status;
}

/* All variables of a run. */
static int compute(study *s, const sweep_case *c, reading *r)
{
    const size_t axes = s->channel_count * STATISTICS;
    for (size_t i = 0; i < s->channel_count; i++)
        r->values[i * STATISTICS + MEAN] /= (double)r->counts[i];
    for (size_t i = 0; i < s->axis_count; i++)
        r->values[axes + i] = s->axes[i].numeric ? strtod(c->values[i], NULL) : NAN;
    for (size_t i = 0; i < s->measure_count; i++) {
        const size_t at = axes + s->axis_count + i;
        if (tl_evaluate(s->measures[i], at, s->variables, r->values, &r->values[at]) < 0) {
            study_complain(s, "%s: %s", c->name, tl_last_message());
            return EXIT_FAILED;
        }
    }
    return EXIT_OK;
}

static int read_steps(study *s, sweep_case *c, reading *r, uint64_t steps)
{
    tl_status status =
        channel_read_reports(r->result, offsetof(tl_report, total_ms), steps, r->numbers);
    c->seconds = 0;
    for (uint64_t i = 0; i < steps && status >= 0; i++)
        c->seconds += 1e-3 * r->numbers[i];
    if (status >= 0)
        status = find_window(s, r, steps);
    if (status >= 0 && !r->count) {
        study_complain(s, "%s: no step lies between --from and --to", c->name);
        return EXIT_USAGE;
    }
    if (status >= 0)
        status = gather_own(s, r);
    if (status >= 0)
        status = gather_monitors(s, r);
    if (status < 0) {
        study_complain(s, "%s: %s", c->name, tl_last_message());
        return exit_code(status, PHASE_READING);
    }
    return compute(s, c, r);
}

int study_measure(study *s, sweep_case *c, tl_result *result)
{
    const uint64_t steps = tl_result_describe(result).steps;
    reading r = {.result = result,
                 .numbers = malloc((steps + 1) * sizeof(double)),
                 .values = malloc((s->variable_count + 1) * sizeof(double)),
                 .counts = calloc(s->channel_count + 1, sizeof(uint64_t))};
    double *cells = malloc((s->column_count + 1) * sizeof *cells);
    int code = r.numbers && r.values && r.counts && cells ? EXIT_OK : out_of_memory();
    for (size_t i = 0; i < s->variable_count && code == EXIT_OK; i++)
        r.values[i] = NAN;
    if (code == EXIT_OK)
        code = read_steps(s, c, &r, steps);
    for (size_t i = 0; i < s->column_count && code == EXIT_OK; i++)
        cells[i] = r.values[s->columns[i].variable];
    if (code == EXIT_OK && s->given->where) {
        c->truth = r.values[s->variable_count - 1];
        if (isnan(c->truth)) {
            study_complain(s, "%s: --where '%s' has no value", c->name, s->given->where);
            code = EXIT_FAILED;
        }
    }
    if (code == EXIT_OK) {
        c->cells = cells;
        cells = NULL;
    }
    free(r.numbers);
    free(r.values);
    free(r.counts);
    free(cells);
    return code;
}
