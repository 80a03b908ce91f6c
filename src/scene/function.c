/* Functions of time, and what they are made of: tables and expressions that a record owns.
 * motion.c has motions and forces of such tables, joint.c the functions of motors. */
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tl_status tl_check_below(const tl_place *place, const char *field, size_t count,
                         const double *values, double limit)
{
    char rule[64];
    TL_TRY(tl_check_finite(place, field, count, values));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) < limit)) {
            snprintf(rule, sizeof rule, "%s must be below %.0e in amount",
                     count == 1 ? "it" : "every component", limit);
            return tl_refuse(place, field, count, values, rule);
        }
    return TL_OK;
}

static tl_status check_rows(const tl_place *place, const tl_table *t)
{
    char name[96];
    for (size_t i = 0; i < t->length; i++) {
        if (!(fabs(t->times[i]) < TL_TABLE_LIMIT)) {
            snprintf(name, sizeof name, "%s[%zu]", t->times_name, i);
            return tl_check_below(place, name, 1, &t->times[i], TL_TABLE_LIMIT);
        }
        /* two rows of one time are a jump */
        const bool jump = !t->rule && i && t->times[i] == t->times[i - 1] &&
                          (i < 2 || t->times[i - 1] > t->times[i - 2]);
        if (i && !(t->times[i] > t->times[i - 1]) && !jump) {
            snprintf(name, sizeof name, "%s[%zu..%zu]", t->times_name, i - 1, i);
            return tl_refuse(place, name, 2, &t->times[i - 1],
                             t->rule ? t->rule : "times must increase; two of them may be equal");
        }
        const double *row = t->rows + i * t->width;
        for (size_t k = 0; k < t->width; k++)
            if (!(fabs(row[k]) < t->limit)) {
                snprintf(name, sizeof name, "%s[%zu]", t->rows_name, i);
                return tl_check_below(place, name, t->width, row, t->limit);
            }
    }
    return TL_OK;
}

tl_status tl_table_copy(const tl_place *place, const tl_table *t, double **out)
{
    double length = (double)t->length;
    if (t->length < 1)
        return tl_refuse(place, t->length_name, 1, &length, "it must be >= 1");
    if (t->length > TL_MOST_ITEMS)
        return tl_refuse_large(place, t->length_name, t->length, "it must be at most");
    if (!t->times)
        return tl_refuse_text(place, t->times_name, "NULL",
                              t->rule ? "it must point to the table's coordinates"
                                      : "it must point to the table's times");
    if (!t->rows)
        return tl_refuse_text(place, t->rows_name, "NULL", "it must point to the table's rows");
    TL_TRY(check_rows(place, t));
    double *copy = tl_alloc((1 + t->width) * t->length * sizeof *copy);
    if (!copy)
        return TL_NO_MEMORY;
    memcpy(copy, t->times, t->length * sizeof *copy);
    memcpy(copy + t->length, t->rows, t->width * t->length * sizeof *copy);
    *out = copy;
    return TL_OK;
}

tl_status tl_time_compile(const tl_place *place, const char *name, const char *text,
                          tl_expression *code)
{
    static const char *const variables[] = {"t"};
    const tl_names names = {
        .variables = variables, .variable_count = 1, .without_parameters = true};
    const double start = 0;
    tl_expression_error error;
    char rule[400];
    const tl_status status = tl_expression_compile(code, tl_text_of(text), &names, &error);
    if (status == TL_BAD_DATA) {
        snprintf(rule, sizeof rule, "at byte %zu: %s", error.offset, error.text);
        return tl_refuse_text(place, name, text, rule);
    }
    TL_TRY(status);
    const double value = tl_expression_value(code, &start);
    if (isfinite(value))
        return TL_OK;
    snprintf(rule, sizeof rule, "it gives %g at t = 0; it must be finite", fabs(value));
    return tl_refuse_text(place, name, text, rule);
}

/* --- functions of one value ------------------------------------------------------------------ */

double tl_function_at(const tl_function_rec *function, double t)
{
    const tl_function_def *f = &function->def;
    double value;
    switch (f->kind) {
    case TL_FUNCTION_CONSTANT: break;
    case TL_FUNCTION_SINE:
        return f->value +
               f->amplitude * sin(2 * 3.14159265358979323846 * f->frequency * t + f->phase);
    case TL_FUNCTION_TABLE:
        tl_table_at(f->table_length, f->times, f->values, 1, t, &value);
        return value;
    case TL_FUNCTION_EXPRESSION: return tl_expression_value(&function->code, &t);
    }
    return f->value;
}

enum { PATH = 96 };

/* The path of a field of a function. */
static const char *path_of(char path[PATH], const char *function, const char *field)
{
    snprintf(path, PATH, "%s.%s", function, field);
    return path;
}

/* Numbers that the kind has no use for must be 0, so that nothing is lost. */
static tl_status check_numbers(const tl_place *place, const char *field, const tl_function_def *def)
{
    const bool constant = def->kind == TL_FUNCTION_CONSTANT, sine = def->kind == TL_FUNCTION_SINE;
    const struct {
        const char *name;
        double value;
        bool used;
    } numbers[] = {{"value", def->value, constant || sine},
                   {"amplitude", def->amplitude, sine},
                   {"frequency", def->frequency, sine},
                   {"phase", def->phase, sine}};
    char path[PATH];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        path_of(path, field, numbers[i].name);
        TL_TRY(tl_check_below(place, path, 1, &numbers[i].value, TL_TABLE_LIMIT));
        if (!numbers[i].used && numbers[i].value != 0)
            return tl_refuse(place, path, 1, &numbers[i].value,
                             "a function of this kind has none: it must be 0");
    }
    if (def->frequency < 0)
        return tl_refuse(place, path_of(path, field, "frequency"), 1, &def->frequency,
                         "it must be >= 0");
    const double length = (double)def->table_length;
    if (def->kind != TL_FUNCTION_TABLE && def->table_length)
        return tl_refuse(place, path_of(path, field, "table_length"), 1, &length,
                         "a function of this kind has none: it must be 0");
    if (def->kind != TL_FUNCTION_EXPRESSION && def->expression)
        return tl_refuse_text(place, path_of(path, field, "expression"), def->expression,
                              "a function of this kind has none: it must be NULL");
    return TL_OK;
}

static tl_status copy_rows(const tl_place *place, const char *field, const tl_function_def *def,
                           tl_function_rec *out)
{
    char length[PATH], times[PATH], values[PATH];
    double *copy = NULL;
    const tl_table t = {.length_name = path_of(length, field, "table_length"),
                        .times_name = path_of(times, field, "times"),
                        .rows_name = path_of(values, field, "values"),
                        .length = def->table_length,
                        .width = 1,
                        .times = def->times,
                        .rows = def->values,
                        .limit = TL_TABLE_LIMIT};
    TL_TRY(tl_table_copy(place, &t, &copy));
    out->def.times = copy;
    out->def.values = copy + def->table_length;
    out->def.table_length = def->table_length;
    return TL_OK;
}

static tl_status copy_text(const tl_place *place, const char *field, const tl_function_def *def,
                           tl_function_rec *out)
{
    char path[PATH];
    path_of(path, field, "expression");
    if (!def->expression)
        return tl_refuse_text(place, path, "NULL", "it must be a text");
    const size_t bytes = strlen(def->expression) + 1;
    char *copy = tl_alloc(bytes);
    if (!copy)
        return TL_NO_MEMORY;
    memcpy(copy, def->expression, bytes);
    out->def.expression = copy;
    return tl_time_compile(place, path, copy, &out->code);
}

tl_status tl_function_rec_make(const tl_place *place, const char *field, const tl_function_def *def,
                               tl_function_rec *out)
{
    char path[PATH];
    memset(out, 0, sizeof *out);
    TL_TRY(tl_check_enum(place, path_of(path, field, "kind"), def->kind, TL_WORDS_FUNCTION));
    TL_TRY(check_numbers(place, field, def));
    out->def = *def;
    out->def.times = out->def.values = NULL;
    out->def.table_length = 0;
    out->def.expression = NULL;
    tl_status status = TL_OK;
    if (def->kind == TL_FUNCTION_TABLE)
        status = copy_rows(place, field, def, out);
    else if (def->kind == TL_FUNCTION_EXPRESSION)
        status = copy_text(place, field, def, out);
    if (status != TL_OK)
        tl_function_rec_free(out);
    return status;
}

void tl_function_rec_free(tl_function_rec *function)
{
    tl_function_def *def = &function->def;
    tl_free((double *)def->times, 2 * def->table_length * sizeof(double));
    if (def->expression)
        tl_free((char *)def->expression, strlen(def->expression) + 1);
    tl_expression_free(&function->code);
    memset(function, 0, sizeof *function);
}
