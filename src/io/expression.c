/* Expressions: a descent through sums, products, powers and atoms that computes as it reads. Called
 * by parse.c for every number that is given as a text. */
#include "io/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/parse_near.h"

enum { MOST_DEPTH = 64, MOST_ARGUMENTS = 16 };

typedef struct evaluation {
    const char *text, *end, *at;
    const tl_parameter *parameters;
    size_t count;
    int depth;
    bool failed; /* the first failure is kept; the descent then ends without looking on */
    tl_expression_error *error;
} evaluation;

static double smallest(size_t count, const double *v)
{
    double best = v[0];
    for (size_t i = 1; i < count; i++)
        best = v[i] < best || isnan(v[i]) ? v[i] : best;
    return best;
}

static double largest(size_t count, const double *v)
{
    double best = v[0];
    for (size_t i = 1; i < count; i++)
        best = v[i] > best || isnan(v[i]) ? v[i] : best;
    return best;
}

static const struct function {
    const char *name;
    double (*of_one)(double);
    double (*of_many)(size_t, const double *);
} functions[] = {
    {"sqrt", sqrt, NULL},    {"sin", sin, NULL},     {"cos", cos, NULL},  {"tan", tan, NULL},
    {"floor", floor, NULL},  {"ceil", ceil, NULL},   {"abs", fabs, NULL}, {"round", round, NULL},
    {"min", NULL, smallest}, {"max", NULL, largest},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double sum(evaluation *e);

__attribute__((format(printf, 3, 4), cold)) static double fail(evaluation *e, const char *at,
                                                               const char *format, ...)
{
    if (e->failed)
        return NAN;
    va_list list;
    va_start(list, format);
    vsnprintf(e->error->text, sizeof e->error->text, format, list);
    va_end(list);
    e->error->offset = (size_t)(at - e->text);
    e->failed = true;
    return NAN;
}

static char peek(evaluation *e)
{
    while (e->at < e->end && (*e->at == ' ' || *e->at == '\t'))
        e->at++;
    return e->failed || e->at >= e->end ? 0 : *e->at;
}

static bool take(evaluation *e, char c)
{
    if (peek(e) != c)
        return false;
    e->at++;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static double unexpected(evaluation *e, const char *expected)
{
    const char c = peek(e);
    if (!c)
        return fail(e, e->at, "it ends here, expected %s", expected);
    if ((unsigned char)c < 0x20 || c == 0x7f)
        return fail(e, e->at, "found byte 0x%02x, expected %s", (unsigned char)c, expected);
    int bytes = 1; /* of a character of UTF-8 */
    while (e->at + bytes < e->end && ((unsigned char)e->at[bytes] & 0xc0) == 0x80)
        bytes++;
    return fail(e, e->at, "found '%.*s', expected %s", bytes, e->at, expected);
}

/* A number, copied for strtod() because the expression does not end with a zero byte. */
static double number(evaluation *e)
{
    char room[64];
    const char *start = e->at, *at = start;
    while (at < e->end && (is_digit(*at) || *at == '.'))
        at++;
    if (at < e->end && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1;
        if (power < e->end && (*power == '-' || *power == '+'))
            power++;
        if (power < e->end && is_digit(*power))
            for (at = power; at < e->end && is_digit(*at);)
                at++;
    }
    const size_t length = (size_t)(at - start);
    if (length >= sizeof room)
        return fail(e, start, "found a number of %zu digits, expected at most %zu", length,
                    sizeof room - 1);
    memcpy(room, start, length);
    room[length] = 0;
    char *stop;
    const double value = strtod(room, &stop);
    if (stop != room + length)
        return fail(e, start, "found '%s', expected a number", room);
    e->at = at;
    return value;
}

static double call(evaluation *e, const struct function *f, const char *start)
{
    double arguments[MOST_ARGUMENTS];
    size_t count = 0;
    if (!take(e, '('))
        return unexpected(e, "'(' after the name of a function");
    do {
        if (count == MOST_ARGUMENTS)
            return fail(e, e->at, "%s has more than %d values, expected fewer", f->name,
                        MOST_ARGUMENTS);
        arguments[count++] = sum(e);
    } while (take(e, ','));
    if (!take(e, ')'))
        return unexpected(e, "',' or ')'");
    if (f->of_one && count != 1)
        return fail(e, start, "%s has %zu values, expected 1", f->name, count);
    return f->of_one ? f->of_one(arguments[0]) : f->of_many(count, arguments);
}

static double unknown(evaluation *e, tl_text name, const char *start)
{
    tl_near near = tl_near_start(name);
    for (size_t i = 0; i < e->count; i++)
        tl_near_offer(&near, e->parameters[i].name);
    for (size_t i = 0; i < FUNCTIONS; i++)
        tl_near_offer_all(&near, &functions[i].name, 1);
    return fail(e, start, "unknown name '%.*s', expected a parameter declared before%s",
                name.length > 60 ? 60 : (int)name.length, name.data, tl_near_hint(&near));
}

static double named(evaluation *e)
{
    const char *start = e->at;
    while (e->at < e->end && (is_letter(*e->at) || is_digit(*e->at)))
        e->at++;
    const tl_text name = {start, (size_t)(e->at - start)};
    for (size_t i = e->count; i-- > 0;) /* the last one first: the index of a repeat */
        if (tl_text_same(name, e->parameters[i].name))
            return e->parameters[i].value;
    if (tl_text_is(name, "pi"))
        return 3.14159265358979323846;
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (tl_text_is(name, functions[i].name))
            return call(e, &functions[i], start);
    return unknown(e, name, start);
}

static double atom(evaluation *e)
{
    const char c = peek(e);
    if (is_digit(c) || c == '.')
        return number(e);
    if (is_letter(c))
        return named(e);
    if (!take(e, '('))
        return unexpected(e, "a number, a name or '('");
    const double value = sum(e);
    if (!take(e, ')'))
        return unexpected(e, "')'");
    return value;
}

/* A sign binds weaker than a power in front of it and stronger behind it: -2^2 is -4, 2^-1 is 0.5.
 */
static double power(evaluation *e)
{
    double value;
    if (++e->depth > MOST_DEPTH)
        return fail(e, e->at, "it is nested more than %d deep, expected less", MOST_DEPTH);
    if (take(e, '-')) {
        value = -power(e);
    } else if (take(e, '+')) {
        value = power(e);
    } else {
        value = atom(e);
        if (take(e, '^'))
            value = pow(value, power(e));
    }
    e->depth--;
    return value;
}

static double product(evaluation *e)
{
    double value = power(e);
    for (;;) {
        if (take(e, '*'))
            value *= power(e);
        else if (take(e, '/'))
            value /= power(e);
        else
            return value;
    }
}

static double sum(evaluation *e)
{
    double value = product(e);
    for (;;) {
        if (take(e, '+'))
            value += product(e);
        else if (take(e, '-'))
            value -= product(e);
        else
            return value;
    }
}

bool tl_expression_value(tl_text text, const tl_parameter *parameters, size_t count, double *value,
                         tl_expression_error *error)
{
    evaluation e = {.text = text.data,
                    .end = text.data + text.length,
                    .at = text.data,
                    .parameters = parameters,
                    .count = count,
                    .error = error};
    *value = sum(&e);
    if (!e.failed && peek(&e))
        unexpected(&e, "an operator or the end");
    return !e.failed;
}

bool tl_expression_is_name(tl_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!is_letter(text.data[i]) && !(i && is_digit(text.data[i])))
            return false;
    return text.length > 0;
}

bool tl_expression_is_taken(tl_text name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (tl_text_is(name, functions[i].name))
            return true;
    return tl_text_is(name, "pi");
}
