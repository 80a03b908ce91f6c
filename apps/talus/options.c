/* Reads the options of a subcommand from its arguments, and prints them as help: the rows of
 * option_table.c that it takes. */
#include "option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the nearest name --- */

/* How many letters have to be put in, left out, changed or swapped with the next one; names are
 * short. */
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    size_t rows[3][MOST + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *nearest_name(const char *text, const char *(*next)(const void *list, size_t i),
                         const void *list)
{
    const char *best = NULL, *name;
    const size_t length = strlen(text);
    const size_t letters = length - strspn(text, "-");
    size_t least = letters < 4 ? 2 : 3; /* one mistake in short words, two in others */
    for (size_t i = 0; (name = next(list, i)); i++) {
        const bool starts = letters >= 2 && !strncmp(name, text, length);
        const size_t d = starts ? 1 : distance(text, name);
        if (d < least) {
            least = d;
            best = name;
        }
    }
    return best;
}

/* Names of the options that a subcommand takes; those of others come as "", near to nothing. */
static const char *option_name(const void *list, size_t i)
{
    const subcommand *command = list;
    if (i < known_count)
        return known_options[i].takes & command->takes ? known_options[i].name : "";
    return i == known_count ? "--help" : NULL;
}

/* --- values --- */

enum { VALUE_ROOM = 64 };

/* What help and messages call the value of an option: its name, or its words; "" for a flag. */
static const char *show_value(const option *o, char text[VALUE_ROOM])
{
    size_t used = 0;
    text[0] = 0;
    if (o->value)
        return o->value;
    for (uint32_t i = 0; o->word && o->word(i) && used < VALUE_ROOM; i++)
        used += (size_t)snprintf(text + used, VALUE_ROOM - used, "%s%s", i ? "|" : "", o->word(i));
    return text;
}

static int wrong_number(const option *o, const char *text, double number)
{
    const char *whole = o->kind == KIND_COUNT ? "whole " : "";
    if (number > o->high && o->high >= 1e9)
        complain("%s: '%s' is too much; it must be at most %g", o->name, text, o->high);
    else if (o->high >= 1e9)
        complain("%s: '%s' is not a %snumber of %g or more", o->name, text, whole, o->low);
    else
        complain("%s: '%s' is not a %snumber from %g to %g", o->name, text, whole, o->low, o->high);
    return EXIT_USAGE;
}

static int read_number(const option *o, const char *text, void *field)
{
    char *end = NULL;
    errno = 0;
    const double number = strtod(text, &end);
    const bool is_number = end != text && !*end && isfinite(number);
    if (!is_number || !(number >= o->low && number <= o->high))
        return wrong_number(o, text, is_number || errno == ERANGE ? number : NAN);
    if (o->kind == KIND_NUMBER) {
        *(double *)field = number;
        return EXIT_OK;
    }
    if (strspn(text, "0123456789") != strlen(text))
        return wrong_number(o, text, NAN);
    *(int64_t *)field = (int64_t)number;
    return EXIT_OK;
}

static int read_word(const option *o, const char *text, void *field)
{
    char shown[VALUE_ROOM];
    for (uint32_t i = 0; o->word(i); i++)
        if (!strcmp(o->word(i), text)) {
            *(int64_t *)field = i;
            return EXIT_OK;
        }
    complain("%s: '%s' is not one of %s", o->name, text, show_value(o, shown));
    return EXIT_USAGE;
}

/* Numbers with commas between, exactly as many as there are to be. */
static int read_question(const option *o, const char *text, options *out)
{
    question *q = &out->questions[out->question_count];
    const int count = o->kind == KIND_RAY ? 6 : 4;
    const char *at = text;
    q->ball = o->kind == KIND_BALL;
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        q->x[i] = strtod(at, &end);
        if (end == at || !isfinite(q->x[i]) || *end != (i + 1 < count ? ',' : 0)) {
            complain("%s: '%s' is not %s: %d numbers with commas between", o->name, text, o->value,
                     count);
            return EXIT_USAGE;
        }
        at = end + 1;
    }
    out->question_count++;
    return EXIT_OK;
}

/* Two numbers, the second above the first. */
static int read_range(const option *o, const char *text, double *range)
{
    char *middle = NULL, *end = NULL;
    range[0] = strtod(text, &middle);
    if (middle != text && *middle == ':') {
        range[1] = strtod(middle + 1, &end);
        if (end != middle + 1 && !*end && isfinite(range[0]) && isfinite(range[1]) &&
            range[1] > range[0])
            return EXIT_OK;
    }
    complain("%s: '%s' is not LOW:HIGH, two numbers, the second above the first", o->name, text);
    return EXIT_USAGE;
}

static int read_value(const option *o, const char *text, options *out)
{
    void *field = (char *)out + o->field;
    switch (o->kind) {
    case KIND_FLAG: *(bool *)field = true; return EXIT_OK;
    case KIND_TEXT:
        if (!*text) {
            complain("%s needs a name", o->name);
            return EXIT_USAGE;
        }
        *(const char **)field = text;
        return EXIT_OK;
    case KIND_NUMBER:
    case KIND_COUNT: return read_number(o, text, field);
    case KIND_WORD: return read_word(o, text, field);
    case KIND_BODY:
        if (*text) {
            out->names[out->body_count++] = text;
            return EXIT_OK;
        }
        complain(o->takes == TAKES_PLOT    ? "--y needs the name of a channel"
                 : o->takes == TAKES_SWEEP ? "--measure needs an expression"
                                           : "--body needs the name or the index of a body");
        return EXIT_USAGE;
    case KIND_RANGE: return read_range(o, text, field);
    case KIND_RAY:
    case KIND_BALL: return read_question(o, text, out);
    case KIND_SET:
    case KIND_VARY: break;
    }
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        complain("%s: '%s' is not %s", o->name, text, o->value);
        return EXIT_USAGE;
    }
    if (o->kind == KIND_SET)
        out->sets[out->set_count++] = text;
    else
        out->varies[out->vary_count++] = text;
    return EXIT_OK;
}

/* --- the command line --- */

/* What people write who know other programs, and what it is called here. */
static const struct {
    const char *name, *ours;
    uint32_t takes; /* the bit of what it is called here */
} foreign[] = {
    {"--dt", "--set step=SECONDS", TAKES_SETS},
    {"--step", "--set step=SECONDS", TAKES_SETS},
    {"--timestep", "--set step=SECONDS", TAKES_SETS},
    {"--time-step", "--set step=SECONDS", TAKES_SETS},
    {"--gravity", "--set gravity=[X,Y,Z]", TAKES_SETS},
    {"--tolerance", "--set solver.tolerance=SPEED", TAKES_SETS},
    {"--duration", "--until T", TAKES_UNTIL},
    {"--time", "--until T", TAKES_UNTIL},
    {"--end", "--until T", TAKES_UNTIL},
    {"--fps", "--rate FPS", TAKES_RECORD},
    {"--overwrite", "--force",
     TAKES_RECORD | TAKES_EXPORT | TAKES_VIEW | TAKES_FILLING | TAKES_PLOT},
    {"--units", "--unit UNIT", TAKES_MESH},
    {"--max-spheres", "--spheres N", TAKES_FILLING},
    {"--max-pieces", "--pieces N", TAKES_FILLING},
    {"--max-hulls", "--pieces N", TAKES_FILLING},
    {"--gpu", "--backend cuda", TAKES_BACKEND},
    {"--cuda", "--backend cuda", TAKES_BACKEND},
    {"--cpu", "--backend cpu", TAKES_BACKEND},
    {"--jobs", "--threads N", TAKES_BACKEND},
};

static const char *own_name(const subcommand *command, const char *name)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!strcmp(foreign[i].name, name) && (foreign[i].takes & command->takes))
            return foreign[i].ours;
    return NULL;
}

/* The option that an argument names (the letters before `=`), or NULL, told. */
static const option *find_option(const subcommand *command, const char *argument)
{
    const size_t length = strcspn(argument, "=");
    for (size_t i = 0; i < known_count; i++) {
        const option *o = &known_options[i];
        if (!(o->takes & command->takes))
            continue;
        if (argument[1] == '-' ? strlen(o->name) == length && !strncmp(o->name, argument, length)
                               : o->letter == argument[1])
            return o;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    const char *ours = own_name(command, name);
    const char *near = argument[1] == '-' ? nearest_name(name, option_name, command) : NULL;
    if (ours)
        complain("%s: unknown option '%s'; here it is '%s'", command->name, name, ours);
    else if (near)
        complain("%s: unknown option '%s'; did you mean '%s'?", command->name, name, near);
    else
        complain("%s: unknown option '%s'; see talus %s --help", command->name, name,
                 command->name);
    return NULL;
}

/* Reads the option at argv[*i] and moves *i on to its value where that is an argument of its own.
 */
static int read_option(const subcommand *command, int argc, char **argv, int *i, bool *seen,
                       options *out)
{
    const char *argument = argv[*i];
    const option *o = find_option(command, argument);
    if (!o)
        return EXIT_USAGE;
    const bool again = o->kind == KIND_SET || o->kind == KIND_BODY || o->kind == KIND_VARY ||
                       o->kind == KIND_RAY || o->kind == KIND_BALL;
    const bool signs = o->kind == KIND_NUMBER || o->kind == KIND_RANGE || o->kind == KIND_RAY ||
                       o->kind == KIND_BALL;
    if (seen[o - known_options] && !again) {
        complain("%s is given twice", o->name);
        return EXIT_USAGE;
    }
    seen[o - known_options] = true;
    const char *value = NULL;
    if (argument[1] == '-') {
        value = strchr(argument, '=');
        value = value ? value + 1 : NULL;
    } else if (argument[2]) {
        value = argument + 2;
    }
    if (o->kind == KIND_FLAG) {
        if (!value)
            return read_value(o, "", out);
        complain("%s takes no value", o->name);
        return EXIT_USAGE;
    }
    if (!value && *i + 1 < argc && (argv[*i + 1][0] != '-' || !argv[*i + 1][1] || signs))
        value = argv[++*i];
    if (value)
        return read_value(o, value, out);
    char shown[VALUE_ROOM];
    complain("%s needs a value: %s %s", o->name, o->name, show_value(o, shown));
    return EXIT_USAGE;
}

/* A file, or one too many. */
static int read_file_name(const subcommand *command, const char *name, options *out)
{
    if (!command->file)
        complain("%s takes no file: '%s'", command->name, name);
    else if (out->file && !command->many)
        complain("%s takes one %s: '%s' is one too many", command->name, command->file, name);
    else if (!*name)
        complain("%s: the name of the %s is empty", command->name, command->file);
    else {
        out->file = out->file ? out->file : name;
        out->files[out->file_count++] = name;
        return EXIT_OK;
    }
    return EXIT_USAGE;
}

/* seen: of each row of the table, whether it was given. */
static int read_all(const subcommand *command, int argc, char **argv, bool *seen, options *out,
                    bool *help)
{
    bool files_only = false;
    const int whole_argc = out->argc;
    char *const *whole_argv = out->argv;
    *out = no_options;
    out->argc = whole_argc;
    out->argv = whole_argv;
    out->files = malloc(((size_t)argc + 1) * sizeof *out->files);
    out->sets = malloc(((size_t)argc + 1) * sizeof *out->sets);
    out->names = malloc(((size_t)argc + 1) * sizeof *out->names);
    out->varies = malloc(((size_t)argc + 1) * sizeof *out->varies);
    out->questions = malloc(((size_t)argc + 1) * sizeof *out->questions);
    if (!out->files || !out->sets || !out->names || !out->varies || !out->questions)
        return out_of_memory();
    for (int i = 0; i < argc; i++) {
        int code = EXIT_OK;
        if (files_only || argv[i][0] != '-' || !argv[i][1]) {
            code = read_file_name(command, argv[i], out);
        } else if (!strcmp(argv[i], "--")) {
            files_only = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            *help = true;
            return EXIT_OK;
        } else {
            code = read_option(command, argc, argv, &i, seen, out);
        }
        if (code != EXIT_OK)
            return code;
    }
    if (out->file || !command->file_needed)
        return EXIT_OK;
    complain("%s needs a %s: talus %s %s", command->name, command->file, command->name,
             command->file);
    return EXIT_USAGE;
}

int options_read(const subcommand *command, int argc, char **argv, options *out, bool *help)
{
    bool *seen = calloc(known_count, sizeof *seen);
    const int code = seen ? read_all(command, argc, argv, seen, out, help) : out_of_memory();
    free(seen);
    return code;
}

void options_print(const subcommand *command)
{
    for (size_t i = 0; i < known_count; i++) {
        const option *o = &known_options[i];
        if (!(o->takes & command->takes))
            continue;
        char name[128], shown[VALUE_ROOM];
        const int start = o->letter ? snprintf(name, sizeof name, "-%c, ", o->letter) : 0;
        const char *value = show_value(o, shown);
        snprintf(name + start, sizeof name - (size_t)start, *value ? "%s %s" : "%s", o->name,
                 value);
        if (strlen(name) > 28)
            printf("  %s\n  %-28s  %s\n", name, "", o->help);
        else
            printf("  %-28s  %s\n", name, o->help);
    }
    printf("  %-28s  %s\n", "-h, --help", "print this");
}
