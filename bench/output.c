/* Printing of rows: one JSON object a line, or an aligned table with the same facts; and the
 * messages of the runner. Called by the benches. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

/* The stages of a Talus step, by their name in a row. */
static const struct stage {
    const char *name;
    size_t offset;
} stages[] = {{"find", offsetof(tl_stage_times, find)},
              {"match", offsetof(tl_stage_times, match)},
              {"colour", offsetof(tl_stage_times, colour)},
              {"build", offsetof(tl_stage_times, build)},
              {"solve", offsetof(tl_stage_times, solve)},
              {"position", offsetof(tl_stage_times, position)},
              {"audit", offsetof(tl_stage_times, audit)},
              {"integrate", offsetof(tl_stage_times, integrate)}};

_Static_assert(sizeof stages / sizeof stages[0] == STAGE_COUNT, "every stage has a name");

static double stage_ms(const bench_row *row, size_t i)
{
    return *(const double *)((const char *)&row->stages + stages[i].offset);
}

const char *law_name(const tl_solver_def *solver)
{
    return tl_word(TL_WORDS_LAW, solver->law == TL_LAW_CONE ? TL_LAW_CONE : TL_LAW_COULOMB);
}

/* Fields past the room for them are a mistake of a bench; the row says so instead of losing them.
 */
void row_field_add(bench_row *row, row_field field)
{
    if (row->field_count < MAX_FIELDS)
        row->fields[row->field_count++] = field;
    else
        row->fields[MAX_FIELDS - 1] = (row_field){.name = "error", .text = "too many fields"};
}

void row_number(bench_row *row, const char *name, double number)
{
    row_field_add(row, (row_field){.name = name, .number = number});
}

void row_text(bench_row *row, const char *name, const char *text)
{
    row_field_add(row, (row_field){.name = name, .text = text});
}

double row_value(const bench_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->field_count; i++)
        if (strcmp(row->fields[i].name, name) == 0)
            return row->fields[i].number;
    return NAN;
}

/* The processor and how many of it, for example "AMD EPYC, 2 CPUs". */
static const char *machine_name(void)
{
    static char name[160];
    char line[256], model[128] = "unknown processor";
    FILE *file = name[0] == '\0' ? fopen("/proc/cpuinfo", "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %127[^\n]", model) == 1)
            break;
    if (file)
        fclose(file);
    if (name[0] == '\0')
        snprintf(name, sizeof name, "%s, %ld CPUs", model, sysconf(_SC_NPROCESSORS_ONLN));
    return name;
}

/* ---- JSON ---- */

static void json_text(const char *name, const char *text)
{
    printf(", \"%s\": \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

static void json_value(double number)
{
    if (!isfinite(number))
        printf("null");
    else if (number == floor(number) && fabs(number) < 1e15)
        printf("%.0f", number);
    else
        printf("%.6g", number);
}

static void json_number(const char *name, double number)
{
    printf(", \"%s\": ", name);
    json_value(number);
}

static void json_stages(const bench_row *row)
{
    printf(", \"stages\": {");
    for (size_t i = 0; i < row->stage_count; i++) {
        printf("%s\"%s\": ", i > 0 ? ", " : "", stages[i].name);
        json_value(stage_ms(row, i));
    }
    putchar('}');
}

static void json_row(const bench_output *output, const bench_row *row)
{
    printf("{\"bench\": \"%s\"", row->bench);
    json_text("engine", row->engine);
    json_text("version", row->version);
    json_text("backend", row->backend);
    json_number("threads", row->threads);
    json_text("precision", row->precision);
    json_number("bodies", (double)row->bodies);
    json_number("contacts", (double)row->contacts);
    json_number("iterations", row->iterations);
    json_number("residual", row->residual);
    json_number("mean_overlap", row->overlap.mean);
    json_number("p99_overlap", row->overlap.p99);
    json_number("max_overlap", row->overlap.max);
    json_number("joules_per_body", row->joules_per_body);
    json_number("ms_per_step", row->ms_per_step);
    json_stages(row);
    json_number("peak_bytes", (double)row->peak_bytes);
    json_text("machine", machine_name());
    json_number("load", output->load);
    for (uint32_t i = 0; i < row->field_count; i++) {
        const row_field *field = &row->fields[i];
        if (field->text)
            json_text(field->name, field->text);
        else
            json_number(field->name, field->number);
    }
    printf("}\n");
}

/* ---- table ---- */

/* A number in a column, or "-" where it is unknown. */
static void table_number(int width, const char *format, double number)
{
    char text[32] = "-";
    if (isfinite(number))
        snprintf(text, sizeof text, format, number);
    printf(" %*s", width, text);
}

static void table_header(const bench_output *output)
{
    printf("machine: %s; load before: ", machine_name());
    printf(isfinite(output->load) ? "%.2f\n" : "unknown\n", output->load);
    printf("%-7s %-8s %7s %-9s %8s %9s %5s %9s %9s %9s %9s %9s %10s %8s\n", "engine", "version",
           "threads", "precision", "bodies", "contacts", "iter", "residual", "overlap", "overlap",
           "overlap", "J/body", "ms/step", "memory");
    printf("%-7s %-8s %7s %-9s %8s %9s %5s %9s %9s %9s %9s %9s %10s %8s\n", "", "", "", "", "", "",
           "", "m/s", "mean %r", "p99 %r", "max %r", "", "", "MB");
}

/* The further facts, and the stages, on lines of their own below the row. */
static void table_details(const bench_row *row)
{
    printf("        backend: %s\n", row->backend);
    if (row->stage_count > 0) {
        printf("        stages (ms):");
        for (size_t i = 0; i < row->stage_count; i++)
            printf("%s %s %.3f", i > 0 ? "," : "", stages[i].name, stage_ms(row, i));
        putchar('\n');
    }
    for (uint32_t i = 0; i < row->field_count; i++) {
        const row_field *field = &row->fields[i];
        bool new_line = i % 6 == 0;
        printf("%s%s: ", new_line ? "        " : ", ", field->name);
        if (field->text)
            printf("%s", field->text);
        else if (isfinite(field->number))
            printf("%.6g", field->number);
        else
            printf("unknown");
        if (i % 6 == 5 || i + 1 == row->field_count)
            putchar('\n');
    }
}

static void table_row(const bench_row *row)
{
    printf("%-7s %-8s %7u %-9s %8zu %9zu %5u", row->engine, row->version, row->threads,
           row->precision, row->bodies, row->contacts, row->iterations);
    table_number(9, "%.2e", row->residual);
    table_number(9, "%.4f", 100 * row->overlap.mean);
    table_number(9, "%.4f", 100 * row->overlap.p99);
    table_number(9, "%.4f", 100 * row->overlap.max);
    table_number(9, "%.2e", row->joules_per_body);
    table_number(10, "%.3f", row->ms_per_step);
    table_number(8, "%.1f", 1e-6 * (double)row->peak_bytes);
    putchar('\n');
    table_details(row);
}

void output_row(bench_output *output, const bench_row *row)
{
    if (output->json) {
        json_row(output, row);
    } else {
        if (!output->has_header)
            table_header(output);
        output->has_header = true;
        table_row(row);
    }
    fflush(stdout);
}

/* ---- ratios and messages ---- */

void output_ratio(bench_output *output, const char *engine, const char *what,
                  const bench_row *talus, double peer_value, double talus_value)
{
    if (output->ratio_count == sizeof output->ratios / sizeof output->ratios[0]) {
        output_failure(output, "too many ratios to print: %s, %zu bodies is left out", engine,
                       talus->bodies);
        return;
    }
    struct ratio *ratio = &output->ratios[output->ratio_count++];
    *ratio = (struct ratio){.what = what,
                            .bodies = talus->bodies,
                            .threads = talus->threads,
                            .peer = peer_value,
                            .talus = talus_value};
    snprintf(ratio->engine, sizeof ratio->engine, "%s", engine);
}

void output_ratios(const bench_output *output)
{
    for (uint32_t i = 0; i < output->ratio_count; i++) {
        const struct ratio *ratio = &output->ratios[i];
        output_line(output, "%s / talus with %u %s, %zu bodies, %s: %.4g / %.4g = %.2f",
                    ratio->engine, ratio->threads, ratio->threads == 1 ? "thread" : "threads",
                    ratio->bodies, ratio->what, ratio->peer, ratio->talus,
                    ratio->peer / ratio->talus);
    }
}

void output_line(const bench_output *output, const char *format, ...)
{
    FILE *file = output->json ? stderr : stdout;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fflush(file);
}

void output_failure(bench_output *output, const char *format, ...)
{
    output->failed = true;
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "talus-bench: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

bool output_status(bench_output *output, const char *what, size_t bodies, tl_status status)
{
    if (status >= 0)
        return false;
    output_failure(output, "%s, %zu bodies: %s: %s", what, bodies, tl_status_name(status),
                   tl_last_message());
    return true;
}
