/* A study: runs of one scene with many values of its parameters. sweep.c leads, sweep_axes.c says
 * which runs there are, sweep_runs.c has them done, sweep_measure.c reads what came of them,
 * sweep_table.c writes it down, sweep_bisect.c looks for thresholds. All return exit codes. */
#ifndef TALUS_SWEEP_H
#define TALUS_SWEEP_H

#include "chart.h"
#include "facts.h"
#include "session.h"

#include <stdio.h>
#include <sys/types.h>

enum { MOST_CASES = 10000, VALUE_LENGTH = 40, CASE_NAME_LENGTH = 200 };

/* A value as --set takes it: a number in as few digits as say it exactly, or a word. */
typedef char value_text[VALUE_LENGTH];

/* A parameter that varies. */
typedef struct axis {
    char *name;
    size_t count;
    value_text *values;
    bool numeric; /* all of them are numbers */
} axis;

typedef enum case_state {
    CASE_WAITING,
    CASE_RUNNING,
    CASE_FINISHED,
    CASE_FAILED,
    CASE_UNFINISHED /* a signal stopped it */
} case_state;

/* One run. */
typedef struct sweep_case {
    value_text *values; /* one per axis */
    char *name;         /* "torque=600,seed=1": its files in the folder begin so */
    size_t group;       /* cases of one group differ in the axis of charts alone */
    case_state state;
    pid_t process;
    double seconds; /* that its steps took */
    double *cells;  /* one per column of the table; NULL until it has finished */
    double truth;   /* of --where */
} sweep_case;

/* A channel: of a monitor, or of the steps themselves. */
typedef struct study_channel {
    char name[64], unit[16];
    bool own; /* of the steps */
} study_channel;

/* A column of the table. */
typedef struct study_column {
    char *title;     /* with its unit */
    char *label;     /* of curves */
    size_t variable; /* whose value it shows */
    size_t chart;    /* which chart draws it; SIZE_MAX: none */
} study_column;

typedef struct study_chart {
    char *file, *label; /* without folder; of y */
} study_chart;

/* Where a threshold is looked for, one per group. */
typedef struct search {
    double low, high;
    double below, above; /* whether the condition holds there */
    size_t ends[2];      /* their cases */
    size_t middle;       /* the case that is awaited; SIZE_MAX: none */
    size_t runs;
    enum { SEARCH_OPEN, SEARCH_FOUND, SEARCH_SAME, SEARCH_LOST } state;
} search;

typedef struct study {
    const options *given;
    char *folder;   /* without a slash at its end */
    int lock;       /* the folder, open and locked for as long as one of its runs lives; -1 */
    char until[64]; /* --until as --set says it */
    size_t set_count;
    const char **sets; /* --set and --until; room for the axes' behind them */
    char *text;        /* the scene before anything varies */

    size_t axis_count; /* of --vary, and behind them that of --bisect */
    axis *axes;
    size_t x; /* the axis that charts are drawn over; axis_count: none is numeric */
    size_t group_count;
    double low, high; /* of --bisect */

    size_t channel_count;
    study_channel *channels;
    size_t variable_count; /* statistics of channels, axes, measures: what expressions may name */
    const char **variables;
    size_t measure_count;
    char **measures; /* their expressions; their variables are the last ones */
    size_t column_count;
    study_column *columns;
    size_t chart_count;
    study_chart *charts;

    size_t count, next; /* of cases; the first that has not been started */
    sweep_case **cases;
    search *searches; /* with --bisect: one per group */

    uint32_t jobs, threads; /* runs at once; threads of each */
    size_t running, finished, reused, failed;
    double start; /* s, wall clock */
    bool line;    /* a progress line stands on the terminal */
} study;

/* sweep.c: whether two scenes are the same but for blanks between words; `starts` receives where
 * the entries begin that differ, and is left alone where these are the whole scenes. */
bool same_scene(const char *a, const char *b, const char *starts[2]);

/* sweep_axes.c: reads --vary and --bisect; appends the cases of a grid, or one case with these
 * values; writes a number as a value; the values of a case, but for two axes, as texts NAME=VALUE
 * with commas. */
int study_read_axes(study *s);
int study_add_grid(study *s);
int study_add_case(study *s, const value_text *values, size_t group);
void write_value(value_text text, double number);
void write_settings(const study *s, const sweep_case *c, size_t skip, size_t too, char *text,
                    size_t room);

/* sweep_measure.c: which statistics and measures there are, by the channels of the scene as the
 * first case has it; reads those of a finished case into its cells. */
int study_read_measures(study *s, const tl_scene *scene);
int study_measure(study *s, sweep_case *c, tl_result *result);

/* sweep_runs.c: the path of a file of a case, which the caller frees; runs all cases, and those
 * that searches add. */
char *study_path(const study *s, const char *name, const char *ending);
int study_run(study *s);

/* Prints a line to standard error unless --quiet, clear of the progress line. */
void study_say(study *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for errors, with "talus: sweep: " in front. */
void study_complain(study *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* sweep_table.c: writes study.csv, times.csv and the charts. */
int study_write(study *s);

/* Writes a chart, NAME.svg. */
int study_draw(const study *s, const char *name, const char *x_label, const char *y_label,
               size_t count, const curve *curves);

/* A table in the folder, with commas; it is written to a temporary name and gets its own at its
 * end. A field that is not the first of its line has a comma before it. */
typedef struct study_table {
    FILE *file;
    char *path, *part;
} study_table;
study_table table_start(const study *s, const char *name);
void table_text(study_table *t, const char *text, bool first);
void table_number(study_table *t, double number, bool first);
void table_line(study_table *t);
int table_end(study_table *t);

/* sweep_bisect.c: starts the searches with the cases at their ends; goes on with one after a case
 * of it is settled; tells what was found and writes threshold.csv and a chart of it. */
int study_start_searches(study *s);
int study_advance(study *s, size_t group);
int study_tell_thresholds(study *s, facts *f);

#endif
