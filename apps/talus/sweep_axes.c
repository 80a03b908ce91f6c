/* Which runs a study has: --vary and --bisect; sweep.h says who calls. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

void write_value(value_text text, double number)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, VALUE_LENGTH, "%.*g", digits, number + 0.0); /* no -0 */
        if (strtod(text, NULL) == number)
            return;
    }
}

static bool read_number(const char *text, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

static int too_many(double cases)
{
    complain("sweep: --vary asks for %.10g runs; at most %d", cases, MOST_CASES);
    return EXIT_USAGE;
}

static int make_room(axis *a, size_t count)
{
    a->values = malloc((count + 1) * sizeof *a->values);
    return a->values ? EXIT_OK : out_of_memory();
}

/* LOW:HIGH in whole numbers, or LOW:HIGH:COUNT evenly spaced; `parts` are cut at the colons. */
static int read_range(axis *a, const char *given, size_t part_count, char *const *parts)
{
    double x[3] = {0};
    for (size_t i = 0; i < part_count; i++)
        if (!read_number(parts[i], &x[i])) {
            complain("--vary: '%s': '%s' is not a number", given, parts[i]);
            return EXIT_USAGE;
        }
    const bool whole = floor(x[0]) == x[0] && floor(x[1]) == x[1] && fabs(x[0]) < 0x1p53;
    if (!(x[0] < x[1])) {
        complain("--vary: '%s': %s is not below %s", given, parts[0], parts[1]);
        return EXIT_USAGE;
    }
    if (part_count == 2 && !whole) {
        complain("--vary: '%s': LOW:HIGH are whole numbers; LOW:HIGH:COUNT are any", given);
        return EXIT_USAGE;
    }
    if (part_count == 3 && (floor(x[2]) != x[2] || x[2] < 1)) {
        complain("--vary: '%s': the count '%s' is not a whole number of 1 or more", given,
                 parts[2]);
        return EXIT_USAGE;
    }
    const double count = part_count == 3 ? x[2] : x[1] - x[0] + 1;
    if (count > MOST_CASES)
        return too_many(count);
    const int code = make_room(a, (size_t)count);
    a->numeric = true;
    const double size = fmax(fabs(x[0]), fabs(x[1])), gap = (x[1] - x[0]) / fmax(count - 1, 1);
    for (size_t i = 0; code == EXIT_OK && i < (size_t)count; i++) {
        double at = i + 1 < count ? x[0] + (double)i * gap : count > 1 ? x[1] : x[0];
        value_text rounded; /* 0.3, not 0.30000000000000004 */
        snprintf(rounded, sizeof rounded, "%.12g", fabs(at) < 1e-12 * size ? 0 : at);
        if (gap > 1e-9 * size)
            at = strtod(rounded, NULL);
        write_value(a->values[a->count++], at);
    }
    return code;
}

/* A,B,C: numbers or words. `text` is cut at its commas. */
static int read_list(axis *a, const char *given, char *text)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    const int code = make_room(a, count);
    if (code != EXIT_OK)
        return code;
    a->numeric = true;
    for (char *at = text, *end; at; at = end ? end + 1 : NULL) {
        double number;
        end = strchr(at, ',');
        if (end)
            *end = 0;
        char *value = a->values[a->count];
        if (read_number(at, &number)) {
            write_value(value, number);
        } else if (!*at || at[strspn(at, letters)] || strlen(at) >= VALUE_LENGTH) {
            complain("--vary: '%s': '%s' is neither a number nor a word", given, at);
            return EXIT_USAGE;
        } else {
            a->numeric = false;
            memcpy(value, at, strlen(at) + 1);
        }
        for (size_t i = 0; i < a->count; i++)
            if (!strcmp(a->values[i], value)) {
                complain("--vary: '%s': %s is there twice", given, value);
                return EXIT_USAGE;
            }
        a->count++;
    }
    return EXIT_OK;
}

/* Takes the name off NAME=...; one that another axis or a --set has is refused. */
static int read_name(study *s, const char *option, const char *given, axis *a)
{
    const char *equals = strchr(given, '=');
    const size_t length = equals ? (size_t)(equals - given) : 0;
    if (!length) {
        complain("%s: '%s' is not NAME=LOW:HIGH", option, given);
        return EXIT_USAGE;
    }
    a->name = strndup(given, length);
    if (!a->name)
        return out_of_memory();
    for (const char *c = a->name; *c; c++)
        if (!strchr(letters, *c) && *c != '[' && *c != ']') {
            complain("%s: '%s' is no name of a parameter, nor the path of a value", option,
                     a->name);
            return EXIT_USAGE;
        }
    for (const axis *other = s->axes; other < a; other++)
        if (!strcmp(other->name, a->name)) {
            complain("%s: '%s' varies already", option, a->name);
            return EXIT_USAGE;
        }
    for (size_t i = 0; i < s->set_count; i++)
        if (!strncmp(s->sets[i], a->name, length) && s->sets[i][length] == '=') {
            complain("%s: '%s' varies, and %s gives it one value", option, a->name,
                     s->sets[i] == s->until ? "--until" : "--set");
            return EXIT_USAGE;
        }
    return EXIT_OK;
}

static int read_vary(study *s, const char *given, axis *a)
{
    int code = read_name(s, "--vary", given, a);
    if (code != EXIT_OK)
        return code;
    char *text = strdup(given + strlen(a->name) + 1), *parts[4] = {text};
    size_t count = 1;
    if (!text)
        return out_of_memory();
    if (strchr(text, ':')) {
        for (char *c = text; (c = strchr(c, ':')) && count < 4; c++) {
            *c = 0;
            parts[count++] = c + 1;
        }
        if (count > 3) {
            complain("--vary: '%s' is not NAME=LOW:HIGH:COUNT", given);
            code = EXIT_USAGE;
        } else {
            code = read_range(a, given, count, parts);
        }
    } else {
        code = read_list(a, given, text);
    }
    free(text);
    return code;
}

static int read_bisect(study *s, const char *given, axis *a)
{
    const int code = read_name(s, "--bisect", given, a);
    if (code != EXIT_OK)
        return code;
    const char *text = given + strlen(a->name) + 1, *colon = strchr(text, ':');
    value_text low = "";
    if (colon)
        snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
    if (!colon || !read_number(low, &s->low) || !read_number(colon + 1, &s->high) ||
        !(s->low < s->high)) {
        complain("--bisect: '%s' is not NAME=LOW:HIGH, two numbers, the second above the first",
                 given);
        return EXIT_USAGE;
    }
    a->numeric = true;
    return EXIT_OK;
}

int study_read_axes(study *s)
{
    const options *given = s->given;
    double cases = 1;
    s->axes = calloc(given->vary_count + 1, sizeof *s->axes);
    if (!s->axes)
        return out_of_memory();
    for (size_t i = 0; i < given->vary_count; i++) {
        const int code = read_vary(s, given->varies[i], &s->axes[s->axis_count++]);
        if (code != EXIT_OK)
            return code;
        cases *= (double)s->axes[i].count;
    }
    if (cases > MOST_CASES)
        return too_many(cases);
    while (s->x < s->axis_count && !s->axes[s->x].numeric)
        s->x++;
    s->group_count = (size_t)cases;
    if (given->bisect) {
        s->x = s->axis_count++;
        return read_bisect(s, given->bisect, &s->axes[s->x]);
    }
    if (s->x < s->axis_count)
        s->group_count /= s->axes[s->x].count;
    return EXIT_OK;
}

void write_settings(const study *s, const sweep_case *c, size_t skip, size_t too, char *text,
                    size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < s->axis_count && used < room; i++)
        if (i != skip && i != too)
            used += (size_t)snprintf(text + used, room - used, "%s%s=%s", used ? "," : "",
                                     s->axes[i].name, c->values[i]);
}

int study_add_case(study *s, const value_text *values, size_t group)
{
    char name[2 * CASE_NAME_LENGTH];
    if (s->count % 64 == 0) {
        sweep_case **more = realloc(s->cases, (s->count + 64) * sizeof(sweep_case *));
        if (!more)
            return out_of_memory();
        s->cases = more;
    }
    sweep_case *c = calloc(1, sizeof *c);
    if (!c)
        return out_of_memory();
    s->cases[s->count++] = c;
    c->group = group;
    c->truth = NAN;
    c->values = malloc(s->axis_count * sizeof *c->values);
    if (!c->values)
        return out_of_memory();
    memcpy(c->values, values, s->axis_count * sizeof *c->values);
    write_settings(s, c, SIZE_MAX, SIZE_MAX, name, sizeof name);
    if (strlen(name) > CASE_NAME_LENGTH) {
        complain("sweep: '%.60s...' is too long for the name of a file; fewer or shorter names",
                 name);
        return EXIT_USAGE;
    }
    c->name = strdup(name);
    return c->name ? EXIT_OK : out_of_memory();
}

int study_add_grid(study *s)
{
    value_text *values = calloc(s->axis_count + 1, sizeof *values);
    const size_t total =
        s->x < s->axis_count ? s->group_count * s->axes[s->x].count : s->group_count;
    int code = values ? EXIT_OK : out_of_memory();
    for (size_t i = 0; i < total && code == EXIT_OK; i++) {
        size_t rest = i, group = 0, times = 1; /* the last axis changes fastest */
        for (size_t k = s->axis_count; k-- > 0;) {
            const axis *a = &s->axes[k];
            memcpy(values[k], a->values[rest % a->count], sizeof *values);
            if (k != s->x) {
                group += rest % a->count * times;
                times *= a->count;
            }
            rest /= a->count;
        }
        code = study_add_case(s, (const value_text *)values, group);
    }
    free(values);
    return code;
}
