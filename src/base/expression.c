/* Expressions: a descent through sums, products, powers and atoms that writes instructions for a
 * stack as it reads. Called by the scene reader for every number that is given as a text, and by
 * what is a function of time while a world runs. */
#include "base/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/near.h"

enum { MOST_DEPTH = 64, MOST_ARGUMENTS = 16, MOST_STACK = 256 };

typedef enum operation {
    NUMBER,
    VARIABLE,
    NEGATE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    LESS,
    AT_MOST,
    EQUAL,
    CALL
} operation;

/* What NUMBER, VARIABLE and CALL push: `number`, variable `index`, or function `index` of the last
 * `count` numbers. */
typedef struct instruction {
    uint8_t operation;
    uint8_t index;
    uint16_t count;
    double number;
} instruction;

typedef struct compiler {
    const char *text, *end, *at;
    const tl_names *names;
    tl_array *code;
    uint32_t stack; /* numbers on the stack once the code so far has run */
    int depth;
    tl_status status; /* the first failure is kept; the descent then ends without looking on */
    tl_expression_error *error;
} compiler;

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

static double remainder_of(size_t count, const double *v)
{
    (void)count;
    return v[0] - v[1] * floor(v[0] / v[1]);
}

static double angle_of(size_t count, const double *v)
{
    (void)count;
    return atan2(v[0], v[1]);
}

static double clamped(size_t count, const double *v)
{
    (void)count;
    return v[0] < v[1] ? v[1] : v[0] > v[2] ? v[2] : v[0];
}

static const struct function {
    const char *name;
    size_t least, most; /* numbers it takes */
    double (*of_one)(double);
    double (*of_many)(size_t, const double *);
} functions[] = {
    {"sqrt", 1, 1, sqrt, NULL},
    {"sin", 1, 1, sin, NULL},
    {"cos", 1, 1, cos, NULL},
    {"tan", 1, 1, tan, NULL},
    {"asin", 1, 1, asin, NULL},
    {"acos", 1, 1, acos, NULL},
    {"atan", 1, 1, atan, NULL},
    {"atan2", 2, 2, NULL, angle_of},
    {"exp", 1, 1, exp, NULL},
    {"log", 1, 1, log, NULL},
    {"floor", 1, 1, floor, NULL},
    {"ceil", 1, 1, ceil, NULL},
    {"abs", 1, 1, fabs, NULL},
    {"round", 1, 1, round, NULL},
    {"mod", 2, 2, NULL, remainder_of},
    {"clamp", 3, 3, NULL, clamped},
    {"min", 1, MOST_ARGUMENTS, NULL, smallest},
    {"max", 1, MOST_ARGUMENTS, NULL, largest},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void comparison(compiler *e);

__attribute__((format(printf, 3, 4), cold)) static void fail(compiler *e, const char *at,
                                                             const char *format, ...)
{
    if (e->status < 0)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(e->error->text, sizeof e->error->text, format, list);
    va_end(list);
    e->error->offset = (size_t)(at - e->text);
    e->status = TL_BAD_DATA;
}

/* Appends an instruction that takes `taken` numbers off the stack and leaves one. */
static void emit(compiler *e, instruction next, uint32_t taken)
{
    if (e->status < 0)
        return;
    e->stack = e->stack - taken + 1;
    if (e->stack > MOST_STACK) {
        fail(e, e->at, "it holds more than %d numbers at once, expected fewer", MOST_STACK);
        return;
    }
    e->status = tl_array_append(e->code, &next, 1);
}

static char peek(compiler *e)
{
    while (e->at < e->end && (*e->at == ' ' || *e->at == '\t'))
        e->at++;
    return e->status < 0 || e->at >= e->end ? 0 : *e->at;
}

static bool take(compiler *e, char c)
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

static void unexpected(compiler *e, const char *expected)
{
    const char c = peek(e);
    int bytes = 1; /* of a character of UTF-8 */
    while (e->at + bytes < e->end && ((unsigned char)e->at[bytes] & 0xc0) == 0x80)
        bytes++;
    if (!c)
        fail(e, e->at, "it ends here, expected %s", expected);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        fail(e, e->at, "found byte 0x%02x, expected %s", (unsigned char)c, expected);
    else
        fail(e, e->at, "found '%.*s', expected %s", bytes, e->at, expected);
}

/* The end of a name that starts at `at`. Names of channels have points in them: "drag.x". */
static const char *end_of_name(const char *at, const char *end)
{
    while (at < end &&
           (is_letter(*at) || is_digit(*at) || (*at == '.' && end - at > 1 && is_letter(at[1]))))
        at++;
    return at;
}

/* The end of the digits, point and power of a number that starts at `at`. */
static const char *end_of_number(const char *at, const char *end)
{
    while (at < end && (is_digit(*at) || *at == '.'))
        at++;
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1;
        if (power < end && (*power == '-' || *power == '+'))
            power++;
        if (power < end && is_digit(*power))
            for (at = power; at < end && is_digit(*at);)
                at++;
    }
    return at;
}

/* A number, copied for strtod() because the expression does not end with a zero byte. */
static void number(compiler *e)
{
    char room[64], *stop;
    const char *start = e->at, *at = end_of_number(start, e->end);
    const size_t length = (size_t)(at - start);
    if (length >= sizeof room) {
        fail(e, start, "found a number of %zu digits, expected at most %zu", length,
             sizeof room - 1);
        return;
    }
    memcpy(room, start, length);
    room[length] = 0;
    const double value = strtod(room, &stop);
    if (stop != room + length)
        fail(e, start, "found '%s', expected a number", room);
    e->at = at;
    emit(e, (instruction){.operation = NUMBER, .number = value}, 0);
}

static void call(compiler *e, size_t index, const char *start)
{
    const struct function *f = &functions[index];
    size_t count = 0;
    if (!take(e, '(')) {
        unexpected(e, "'(' after the name of a function");
        return;
    }
    do {
        if (count == MOST_ARGUMENTS) {
            fail(e, e->at, "%s has more than %d values, expected fewer", f->name, MOST_ARGUMENTS);
            return;
        }
        comparison(e);
        count++;
    } while (take(e, ','));
    if (!take(e, ')'))
        unexpected(e, "',' or ')'");
    else if (count < f->least || count > f->most)
        fail(e, start, "%s has %zu values, expected %zu", f->name, count, f->least);
    else
        emit(e, (instruction){.operation = CALL, .index = (uint8_t)index, .count = (uint16_t)count},
             (uint32_t)count);
}

/* Writes which names there are: variables, as far as there is room for them, and the rest. */
static void list_names(const tl_names *known, char *text, size_t room)
{
    enum { REST = 80 }; /* bytes kept for what follows the variables */
    const char *rest = known->without_parameters ? "pi or a function"
                                                 : "a parameter declared before, pi or a function";
    size_t used = 0, i = 0;
    for (; i < known->variable_count; i++) {
        if (used + strlen(known->variables[i]) + 2 + REST > room)
            break;
        used += (size_t)snprintf(text + used, room - used, "%s, ", known->variables[i]);
    }
    if (i < known->variable_count)
        used += (size_t)snprintf(text + used, room - used, "%zu more like these, ",
                                 known->variable_count - i);
    snprintf(text + used, room - used, "%s", rest);
}

static void unknown(compiler *e, tl_text name, const char *start)
{
    char allowed[192];
    const tl_names *known = e->names;
    tl_near near = tl_near_start(name);
    tl_near_offer_all(&near, known->variables, known->variable_count);
    for (size_t i = 0; i < known->parameter_count; i++)
        tl_near_offer(&near, known->parameters[i].name);
    for (size_t i = 0; i < FUNCTIONS; i++)
        tl_near_offer_all(&near, &functions[i].name, 1);
    list_names(known, allowed, sizeof allowed);
    fail(e, start, "unknown name '%.*s', expected %s%s", name.length > 60 ? 60 : (int)name.length,
         name.data, allowed, tl_near_hint(&near));
}

/* The variable of a name with something in front, or how many there are. */
static size_t find_joined(const tl_names *names, tl_text prefix, tl_text name)
{
    size_t i = 0;
    for (; i < names->variable_count; i++) {
        const char *word = names->variables[i];
        if ((!prefix.length || !strncmp(word, prefix.data, prefix.length)) &&
            tl_text_is(name, word + prefix.length))
            break;
    }
    return i;
}

/* The variable of a name, or how many there are. */
static size_t find_variable(const tl_names *names, tl_text name)
{
    tl_text prefix = names->prefix;
    for (;;) {
        const size_t found = find_joined(names, prefix, name);
        if (found < names->variable_count || !prefix.length)
            return found;
        do
            prefix.length--;
        while (prefix.length && prefix.data[prefix.length - 1] != '.');
    }
}

/* The parameter of a name, the last one first: the index of a repeat. NULL where there is none. */
static const tl_parameter *find_parameter(const tl_names *names, tl_text name)
{
    for (size_t i = names->parameter_count; i-- > 0;)
        if (tl_text_same(name, names->parameters[i].name))
            return &names->parameters[i];
    return NULL;
}

static void named(compiler *e)
{
    const char *start = e->at;
    e->at = end_of_name(start, e->end);
    const tl_text name = {start, (size_t)(e->at - start)};
    const size_t variable = find_variable(e->names, name);
    const tl_parameter *parameter = find_parameter(e->names, name);
    if (variable < e->names->variable_count) {
        emit(e, (instruction){.operation = VARIABLE, .count = (uint16_t)variable}, 0);
    } else if (parameter) {
        emit(e, (instruction){.operation = NUMBER, .number = parameter->value}, 0);
    } else if (tl_text_is(name, "pi")) {
        emit(e, (instruction){.operation = NUMBER, .number = 3.14159265358979323846}, 0);
    } else {
        size_t i = 0;
        while (i < FUNCTIONS && !tl_text_is(name, functions[i].name))
            i++;
        if (i < FUNCTIONS)
            call(e, i, start);
        else
            unknown(e, name, start);
    }
}

static void atom(compiler *e)
{
    const char c = peek(e);
    if (is_digit(c) || c == '.') {
        number(e);
    } else if (is_letter(c)) {
        named(e);
    } else if (take(e, '(')) {
        comparison(e);
        if (!take(e, ')'))
            unexpected(e, "')'");
    } else {
        unexpected(e, "a number, a name or '('");
    }
}

/* A sign binds weaker than a power in front of it and stronger behind it: -2^2 is -4, 2^-1 is 0.5.
 */
static void power(compiler *e)
{
    if (++e->depth > MOST_DEPTH) {
        fail(e, e->at, "it is nested more than %d deep, expected less", MOST_DEPTH);
        return;
    }
    if (take(e, '-')) {
        power(e);
        emit(e, (instruction){.operation = NEGATE}, 1);
    } else if (take(e, '+')) {
        power(e);
    } else {
        atom(e);
        if (take(e, '^')) {
            power(e);
            emit(e, (instruction){.operation = POWER}, 2);
        }
    }
    e->depth--;
}

/* Operands with one of two operators between them, from left to right. */
static void series(compiler *e, void (*operand)(compiler *), char first, operation of_first,
                   char second, operation of_second)
{
    operand(e);
    for (;;) {
        const operation next = take(e, first) ? of_first : take(e, second) ? of_second : NUMBER;
        if (next == NUMBER)
            return;
        operand(e);
        emit(e, (instruction){.operation = (uint8_t)next}, 2);
    }
}

static void product(compiler *e)
{
    series(e, power, '*', MULTIPLY, '/', DIVIDE);
}

static void sum(compiler *e)
{
    series(e, product, '+', ADD, '-', SUBTRACT);
}

/* Two sums with a comparison between them, which gives 1 or 0; 0 where one of them is no number. */
static void comparison(compiler *e)
{
    sum(e);
    const char c = peek(e);
    const bool equal = e->at + 1 < e->end && e->at[1] == '=';
    if (c != '<' && c != '>' && !((c == '=' || c == '!') && equal))
        return;
    e->at += 1 + equal;
    sum(e);
    if (c == '=' || c == '!')
        emit(e, (instruction){.operation = EQUAL, .count = c == '!'}, 2);
    else
        emit(e, (instruction){.operation = equal ? AT_MOST : LESS, .count = c == '>'}, 2);
}

tl_status tl_expression_compile(tl_expression *expression, tl_text text, const tl_names *names,
                                tl_expression_error *error)
{
    compiler e = {.text = text.data,
                  .end = text.data + text.length,
                  .at = text.data,
                  .names = names,
                  .code = &expression->code,
                  .error = error};
    expression->code.item = sizeof(instruction);
    expression->code.count = 0;
    comparison(&e);
    if (peek(&e))
        unexpected(&e, "an operator or the end");
    return e.status;
}

double tl_expression_value(const tl_expression *expression, const double *variables)
{
    double stack[MOST_STACK], *top = stack; /* the next free place */
    const instruction *code = expression->code.data;
    for (size_t i = 0; i < expression->code.count; i++) {
        const instruction *c = &code[i];
        switch ((operation)c->operation) {
        case NUMBER: *top++ = c->number; break;
        case VARIABLE: *top++ = variables[c->count]; break;
        case NEGATE: top[-1] = -top[-1]; break;
        case ADD: top--, top[-1] += top[0]; break;
        case SUBTRACT: top--, top[-1] -= top[0]; break;
        case MULTIPLY: top--, top[-1] *= top[0]; break;
        case DIVIDE: top--, top[-1] /= top[0]; break;
        case LESS: top--, top[-1] = c->count ? top[-1] > top[0] : top[-1] < top[0]; break;
        case AT_MOST: top--, top[-1] = c->count ? top[-1] >= top[0] : top[-1] <= top[0]; break;
        case EQUAL: top--, top[-1] = (top[-1] == top[0]) != (c->count != 0); break;
        case POWER: top--, top[-1] = pow(top[-1], top[0]); break;
        case CALL: {
            const struct function *f = &functions[c->index];
            top -= c->count;
            *top = f->of_one ? f->of_one(top[0]) : f->of_many(c->count, top);
            top++;
            break;
        }
        }
    }
    return top > stack ? top[-1] : NAN;
}

void tl_expression_free(tl_expression *expression)
{
    tl_array_free(&expression->code);
}

tl_status tl_expression_inline(tl_text text, const tl_names *names, tl_array *out)
{
    const char *at = text.data, *end = text.data + text.length;
    while (at < end) {
        const bool starts_number = is_digit(*at) || *at == '.', starts_name = is_letter(*at);
        const char *stop = starts_number ? end_of_number(at, end)
                           : starts_name ? end_of_name(at, end)
                                         : at + 1;
        const tl_text piece = {at, (size_t)(stop - at)};
        const tl_parameter *parameter = starts_name ? find_parameter(names, piece) : NULL;
        const size_t variable = starts_name ? find_variable(names, piece) : names->variable_count;
        if (variable < names->variable_count) {
            const tl_text whole = tl_text_of(names->variables[variable]);
            TL_TRY(tl_array_append(out, whole.data, whole.length));
        } else if (parameter) {
            char value[40];
            const int length = snprintf(value, sizeof value, "(%.17g)", parameter->value);
            TL_TRY(tl_array_append(out, value, (size_t)length));
        } else {
            TL_TRY(tl_array_append(out, piece.data, piece.length));
        }
        at = stop;
    }
    return TL_OK;
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
