/* What a study writes: tables and charts; sweep.h says who calls. */
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables --- */

study_table table_start(const study *s, const char *name)
{
    study_table t = {.path = study_path(s, name, ""), .part = study_path(s, name, ".part")};
    if (t.path && t.part)
        t.file = fopen(t.part, "w");
    return t;
}

void table_text(study_table *t, const char *text, bool first)
{
    if (!t->file)
        return;
    if (!first)
        fputc(',', t->file);
    const bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (!quoted) {
        fputs(text, t->file);
        return;
    }
    fputc('"', t->file);
    for (; *text; text++)
        fprintf(t->file, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', t->file);
}

void table_number(study_table *t, double number, bool first)
{
    char text[40] = "";
    if (!isnan(number))
        snprintf(text, sizeof text, "%.17g", number);
    table_text(t, text, first);
}

void table_line(study_table *t)
{
    if (t->file)
        fputc('\n', t->file);
}

int table_end(study_table *t)
{
    bool failed = !t->file || ferror(t->file);
    int code = EXIT_OK;
    if (t->file)
        failed = fclose(t->file) != 0 || failed;
    if (!t->path || !t->part) {
        code = out_of_memory();
    } else if (failed || rename(t->part, t->path) != 0) {
        complain("%s: cannot be written: %s", t->path, strerror(errno));
        remove(t->part);
        code = EXIT_FILE;
    }
    free(t->path);
    free(t->part);
    return code;
}

/* The order of rows: that of the grid, or by group and value where thresholds were looked for. */
typedef struct row {
    const sweep_case *c;
    double x;
    size_t index;
} row;

static int by_value(const void *a, const void *b)
{
    const row *p = a, *q = b;
    if (p->c->group != q->c->group)
        return p->c->group < q->c->group ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static row *make_rows(const study *s)
{
    row *rows = malloc((s->count + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < s->count; i++) {
        const double x = s->x < s->axis_count ? strtod(s->cases[i]->values[s->x], NULL) : 0;
        rows[i] = (row){s->cases[i], x, i};
    }
    return rows;
}

static int write_study(const study *s, const row *rows)
{
    static const char *const words[] = {[CASE_WAITING] = "unfinished",
                                        [CASE_RUNNING] = "unfinished",
                                        [CASE_FINISHED] = "finished",
                                        [CASE_FAILED] = "failed",
                                        [CASE_UNFINISHED] = "unfinished"};
    study_table t = table_start(s, "study.csv");
    for (size_t i = 0; i < s->axis_count; i++)
        table_text(&t, s->axes[i].name, i == 0);
    table_text(&t, "status", false);
    for (size_t i = 0; i < s->column_count; i++)
        table_text(&t, s->columns[i].title, false);
    table_line(&t);
    for (size_t k = 0; k < s->count; k++) {
        const sweep_case *c = rows[k].c;
        for (size_t i = 0; i < s->axis_count; i++)
            table_text(&t, c->values[i], i == 0);
        table_text(&t, words[c->state], false);
        for (size_t i = 0; i < s->column_count; i++)
            table_number(&t, c->cells ? c->cells[i] : NAN, false);
        table_line(&t);
    }
    return table_end(&t);
}

/* How long runs took is not the same each time, so it stands apart. */
static int write_times(const study *s, const row *rows)
{
    study_table t = table_start(s, "times.csv");
    table_text(&t, "run", true);
    table_text(&t, "steps [s]", false);
    table_line(&t);
    for (size_t k = 0; k < s->count; k++) {
        table_text(&t, rows[k].c->name, true);
        table_number(&t, rows[k].c->cells ? rows[k].c->seconds : NAN, false);
        table_line(&t);
    }
    return table_end(&t);
}

/* --- charts --- */

int study_draw(const study *s, const char *name, const char *x_label, const char *y_label,
               size_t count, const curve *curves)
{
    const chart c = {.x_label = x_label,
                     .y_label = y_label,
                     .count = count,
                     .curves = curves,
                     .low = NAN,
                     .high = NAN,
                     .inset = {NAN, NAN},
                     .marks = true};
    char *path = study_path(s, name, ".svg");
    int code = path ? EXIT_OK : out_of_memory();
    errno = 0;
    if (path && !chart_write(&c, path)) {
        complain("%s: cannot be written: %s", path, strerror(errno ? errno : ENOMEM));
        code = EXIT_FILE;
    }
    free(path);
    return code;
}

/* The curves of one chart: one per column of it and group of cases. `rows` are sorted by value. */
static void fill_curves(const study *s, const row *rows, size_t chart_index, curve *curves)
{
    size_t used = 0;
    for (size_t i = 0; i < s->column_count; i++) {
        if (s->columns[i].chart != chart_index)
            continue;
        for (size_t k = 0; k < s->count; k++) {
            curve *v = &curves[used * s->group_count + rows[k].c->group];
            char others[2 * CASE_NAME_LENGTH];
            write_settings(s, rows[k].c, s->x, s->x, others, sizeof others);
            snprintf(v->name, sizeof v->name, "%s%s%.80s", s->columns[i].label,
                     *others && *s->columns[i].label ? " " : "", others);
            v->x[v->count] = rows[k].x;
            v->y[v->count++] = rows[k].c->cells ? rows[k].c->cells[i] : NAN;
        }
        used++;
    }
}

/* The most cases of a group. */
static size_t most_points(const study *s)
{
    size_t most = s->searches ? 0 : s->axes[s->x].count;
    for (size_t i = 0; s->searches && i < s->group_count; i++)
        most = s->searches[i].runs > most ? s->searches[i].runs : most;
    return most;
}

static int draw_chart(const study *s, const row *rows, size_t index)
{
    size_t columns = 0;
    for (size_t i = 0; i < s->column_count; i++)
        columns += s->columns[i].chart == index;
    const size_t count = columns * s->group_count, most = most_points(s);
    curve *curves = calloc(count + 1, sizeof *curves);
    double *room = malloc((2 * count * most + 1) * sizeof *room);
    int code = curves && room ? EXIT_OK : out_of_memory();
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        curves[i].x = room + 2 * i * most;
        curves[i].y = curves[i].x + most;
    }
    if (code == EXIT_OK) {
        fill_curves(s, rows, index, curves);
        code = study_draw(s, s->charts[index].file, s->axes[s->x].name, s->charts[index].label,
                          count, curves);
    }
    free(curves);
    free(room);
    return code;
}

int study_write(study *s)
{
    row *rows = make_rows(s);
    if (!rows)
        return out_of_memory();
    if (s->searches)
        qsort(rows, s->count, sizeof *rows, by_value);
    int code = write_study(s, rows);
    if (code == EXIT_OK)
        code = write_times(s, rows);
    qsort(rows, s->count, sizeof *rows, by_value);
    for (size_t i = 0; i < s->chart_count && s->x < s->axis_count && code == EXIT_OK; i++)
        code = draw_chart(s, rows, i);
    free(rows);
    return code;
}
