/* Facts as text or JSON; facts.h says who calls. */
#include "facts.h"
#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL "%-20s "

void facts_start(facts *f, bool json)
{
    *f = (facts){.object = json ? json_object() : NULL};
    f->failed = json && !f->object;
}

static void add(facts *f, const char *key, json_t *value)
{
    if (json_object_set_new(f->object, key, value) != 0)
        f->failed = true;
}

static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *value)
{
    json_t *text = json_string(value);
    char *copy = text ? NULL : strdup(value);
    if (!copy)
        return text;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    text = json_string(copy);
    free(copy);
    return text;
}

void fact_text(facts *f, const char *key, const char *value)
{
    if (f->object)
        add(f, key, json_text(value));
    else
        printf(LABEL "%s\n", key, value);
}

void fact_count(facts *f, const char *key, uint64_t value)
{
    if (f->object)
        add(f, key, json_integer((json_int_t)value));
    else
        printf(LABEL "%" PRIu64 "\n", key, value);
}

void fact_number(facts *f, const char *key, double value, const char *unit)
{
    if (f->object)
        add(f, key, json_number(value));
    else
        printf(LABEL "%.6g %s\n", key, value, unit);
}

/* Numbers in an array, or in parentheses. */
static void fact_numbers(facts *f, const char *key, int count, const double *values,
                         const char *unit)
{
    json_t *array = f->object ? json_array() : NULL;
    if (!f->object)
        printf(LABEL "(", key);
    for (int k = 0; k < count; k++) {
        if (!f->object)
            printf("%s%.6g", k ? ", " : "", values[k]);
        else if (json_array_append_new(array, json_number(values[k])) != 0)
            f->failed = true;
    }
    if (f->object)
        add(f, key, array);
    else
        printf(") %s\n", unit);
}

void fact_vector(facts *f, const char *key, const double value[3], const char *unit)
{
    fact_numbers(f, key, 3, value, unit);
}

void fact_quaternion(facts *f, const char *key, const double value[4], const char *what)
{
    fact_numbers(f, key, 4, value, what);
}

void fact_flag(facts *f, const char *key, bool value)
{
    if (f->object)
        add(f, key, json_boolean(value));
    else
        printf(LABEL "%s\n", key, value ? "yes" : "no");
}

void fact_monitor(facts *f, const char *name, const char *unit, double last, double least,
                  double greatest)
{
    if (!f->object) {
        printf(LABEL "last %.6g, from %.6g to %.6g %s\n", name, last, least, greatest, unit);
        return;
    }
    json_t *all = json_object_get(f->object, "monitors");
    if (!all) {
        add(f, "monitors", json_object());
        all = json_object_get(f->object, "monitors");
    }
    json_t *one = json_object();
    if (!all || json_object_set_new(one, "unit", json_text(unit)) ||
        json_object_set_new(one, "last", json_number(last)) ||
        json_object_set_new(one, "least", json_number(least)) ||
        json_object_set_new(one, "greatest", json_number(greatest)) ||
        json_object_set_new(all, name, one))
        f->failed = true;
}

void fact_names(facts *f, const char *key, json_t *names)
{
    if (f->object) {
        add(f, key, names);
        return;
    }
    printf(LABEL, key);
    for (size_t i = 0; i < json_array_size(names); i++)
        printf("%s%s", i ? ", " : "", json_string_value(json_array_get(names, i)));
    printf("%s\n", json_array_size(names) ? "" : "none");
    json_decref(names);
}

void facts_list_warnings(facts *f)
{
    f->doubts = f->object ? json_array() : NULL;
    f->failed = f->failed || (f->object && !f->doubts);
}

void fact_warning(facts *f, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!f->quiet)
        complain("warning: %s", text);
    if (f->doubts && json_array_append_new(f->doubts, json_text(text)) != 0)
        f->failed = true;
}

void facts_drop(facts *f)
{
    json_decref(f->doubts);
    json_decref(f->object);
    *f = (facts){0};
}

int facts_end(facts *f)
{
    if (f->doubts)
        add(f, "warnings", f->doubts);
    if (f->failed) {
        json_decref(f->object);
        return out_of_memory();
    }
    if (f->object) {
        json_dumpf(f->object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        putchar('\n');
        json_decref(f->object);
    }
    return close_output();
}
