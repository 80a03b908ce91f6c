/* `talus plot`: channels of results as a picture, with the numbers as CSV beside it. */
#include "channels.h"
#include "chart.h"
#include "canvas.h"
#include "files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All curves, and where the names of results begin. */
typedef struct picture {
    const options *given;
    size_t count;
    curve *curves;
    char x_label[96], y_label[96];
} picture;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One channel of one result, without what is before --from and after --to. */
static int read_curve(picture *p, const char *path, tl_result *result, const char *channel)
{
    const options *given = p->given;
    const size_t steps = (size_t)tl_result_describe(result).steps;
    curve *c = &p->curves[p->count++];
    double *t = malloc((steps + 1) * sizeof *t);
    char label[96];
    c->x = malloc((steps + 1) * sizeof *c->x);
    c->y = malloc((steps + 1) * sizeof *c->y);
    int code = t && c->x && c->y ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK)
        code = channel_read("plot", path, result, "t", t, label, sizeof label);
    if (code == EXIT_OK)
        code = channel_read("plot", path, result, given->x_channel ? given->x_channel : "t", c->x,
                            p->x_label, sizeof p->x_label);
    if (code == EXIT_OK)
        code = channel_read("plot", path, result, channel, c->y, p->y_label, sizeof p->y_label);
    for (size_t i = 0; i < steps && code == EXIT_OK; i++)
        if (!(t[i] < given->from - 1e-9) && !(t[i] > given->to + 1e-9)) {
            c->x[c->count] = c->x[i];
            c->y[c->count++] = c->y[i];
        }
    free(t);
    if (code == EXIT_OK && !c->count) {
        complain("plot: no step of %s lies in this time", path);
        code = EXIT_USAGE;
    }
    const bool many = given->file_count > 1, several = given->body_count > 1;
    snprintf(c->name, sizeof c->name, "%s%s%s", many ? base_name(path) : "",
             many && several ? " " : "", several ? channel : "");
    return code;
}

static int read_result(picture *p, const char *path)
{
    tl_result *result = NULL;
    int code = expect_result("plot", path);
    if (code != EXIT_OK)
        return code;
    const tl_status status = tl_result_open(path, &result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    for (size_t i = 0; i < p->given->body_count && code == EXIT_OK; i++)
        code = read_curve(p, path, result, p->given->names[i]);
    tl_result_close(result);
    return code;
}

/* One line per point: the result, the channel, x and y. */
static int write_csv(const picture *p, const char *path)
{
    const options *given = p->given;
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "result,channel,%s,value\n", given->x_channel ? given->x_channel : "t");
        for (size_t i = 0; i < p->count; i++)
            for (size_t k = 0; k < p->curves[i].count; k++) {
                fprintf(file, "%s,%s,%.17g,", given->files[i / given->body_count],
                        given->names[i % given->body_count], p->curves[i].x[k]);
                if (isnan(p->curves[i].y[k]))
                    fputc('\n', file);
                else
                    fprintf(file, "%.17g\n", p->curves[i].y[k]);
            }
    }
    const bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return EXIT_FILE;
    }
    return EXIT_OK;
}

static int draw(const picture *p, const char *table)
{
    const options *given = p->given;
    const chart c = {.title = given->title,
                     .x_label = p->x_label,
                     .y_label = given->body_count > 1 ? "" : p->y_label,
                     .count = p->count,
                     .curves = p->curves,
                     .low = NAN,
                     .high = NAN,
                     .inset = {given->inset[0], given->inset[1]}};
    errno = 0;
    if (!chart_write(&c, given->output)) {
        complain("%s: cannot be written: %s", given->output, strerror(errno ? errno : ENOMEM));
        return EXIT_FILE;
    }
    const int code = write_csv(p, table);
    if (code == EXIT_OK && !given->quiet)
        fprintf(stderr, "%s: %zu curve%s; the numbers are in %s\n", given->output, p->count,
                p->count == 1 ? "" : "s", table);
    return code;
}

/* A close-up has to show something. */
static int check_inset(const picture *p)
{
    const double *part = p->given->inset;
    double low = INFINITY, high = -INFINITY;
    if (isnan(part[0]))
        return EXIT_OK;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->curves[i].count; k++) {
            const double x = p->curves[i].x[k];
            if (x >= part[0] && x <= part[1])
                return EXIT_OK;
            low = fmin(low, x);
            high = fmax(high, x);
        }
    complain("plot: no point lies in the --inset from %g to %g; x goes from %g to %g", part[0],
             part[1], low, high);
    return EXIT_USAGE;
}

static int check(const options *given)
{
    if (!given->output || !given->body_count) {
        complain("plot needs %s", given->output ? "--y CHANNEL" : "-o FILE");
        return EXIT_USAGE;
    }
    if (!canvas_knows(given->output)) {
        complain("plot: '%s' ends neither in .svg nor in .png", given->output);
        return EXIT_USAGE;
    }
    if (given->to < given->from) {
        complain("plot: --to %g is before --from %g", given->to, given->from);
        return EXIT_USAGE;
    }
    return check_export_path(given, given->output);
}

int command_plot(const options *given)
{
    picture p = {.given = given};
    int code = check(given);
    if (code != EXIT_OK)
        return code;
    const size_t length = strlen(given->output);
    char *table = malloc(length + 1);
    p.curves = calloc(given->file_count * given->body_count, sizeof *p.curves);
    code = table && p.curves ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK) {
        memcpy(table, given->output, length - 3);
        memcpy(table + length - 3, "csv", 4);
        code = check_export_path(given, table);
    }
    for (size_t i = 0; i < given->file_count && code == EXIT_OK; i++)
        code = read_result(&p, given->files[i]);
    if (code == EXIT_OK)
        code = check_inset(&p);
    if (code == EXIT_OK)
        code = draw(&p, table);
    for (size_t i = 0; i < p.count; i++) {
        free(p.curves[i].x);
        free(p.curves[i].y);
    }
    free(p.curves);
    free(table);
    return code;
}
