/* The reader's ways to take values, and to refuse them with the place where they stand. Called by
 * the other parse_*.c files. */
#include "io/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/locate.h"
#include "base/near.h"

enum { PATH_ROOM = 300, MESSAGE_ROOM = 600, VALUE_ROOM = 64 };

/* ---- Places ---- */

static bool is_plain(tl_text key)
{
    for (size_t i = 0; i < key.length; i++)
        if (strchr(".[] ", key.data[i])) /* keys hold no zero byte */
            return false;
    return key.length > 0;
}

/* Whether a value may lie in another: in one that nothing was set in, its place tells. */
static bool may_hold(const tl_json *outer, const tl_json *value)
{
    if (outer == value || (outer->flags & TL_JSON_CHANGED))
        return true;
    return outer->source == value->source && outer->start <= value->start &&
           value->start < outer->end;
}

/* Walks down from `at`, writing the path at `used`, until `value` is met. */
static bool find(const tl_json_tree *tree, const tl_json *at, const tl_json *value, char *path,
                 size_t used, size_t room)
{
    size_t index = 0;
    if (at == value)
        return true;
    for (const tl_json *v = tl_json_first(tree, at); v; v = tl_json_next(tree, v), index++) {
        if (!may_hold(v, value))
            continue;
        const tl_text key = tl_json_key(tree, v);
        const int cut = key.length > 40 ? 40 : (int)key.length;
        int more;
        if (at->kind == TL_JSON_ARRAY)
            more = snprintf(path + used, room - used, "[%zu]", index);
        else if (is_plain((tl_text){key.data, (size_t)cut}))
            more = snprintf(path + used, room - used, "%s%.*s", used ? "." : "", cut, key.data);
        else
            more = snprintf(path + used, room - used, "[%.*s]", cut, key.data);
        const size_t then = used + (size_t)more < room ? used + (size_t)more : room - 1;
        if (find(tree, v, value, path, then, room))
            return true;
        path[used] = 0;
    }
    return false;
}

void tl_read_path(const tl_json_tree *tree, const tl_json *value, char *path, size_t room)
{
    path[0] = 0;
    find(tree, tl_json_at(tree, 0), value, path, 0, room);
}

static const tl_json_source *source_of(const tl_reader *r, const tl_json *value)
{
    return (tl_json_source *)r->tree->sources.data + value->source;
}

/* "file:line:column: path: ", or "--set NAME: " for what was set, and in what was set its path. */
static void write_place(const tl_reader *r, const tl_json *value, uint32_t offset, char *text,
                        size_t room)
{
    char path[PATH_ROOM];
    const tl_json_source *source = source_of(r, value);
    path[0] = 0;
    find(r->tree, tl_json_at(r->tree, source->file ? source->root : 0), value, path, 0,
         sizeof path);
    const char *colon = path[0] ? ": " : "";
    if (source->file) {
        const tl_location at = tl_locate_source(source, offset);
        snprintf(text, room, "%s:%zu:%zu: %s%s", source->name, at.line, at.column, path, colon);
    } else if (value == tl_json_at(r->tree, source->root)) {
        snprintf(text, room, "--set %s: ", source->name);
    } else {
        snprintf(text, room, "--set %s: %s%s", source->name, path, colon);
    }
}

/* " (included at FILE:LINE:COLUMN)", for what stands in a fragment, and for what that is in. */
static void write_included(const tl_reader *r, const tl_json_source *source, char *text,
                           size_t room)
{
    size_t used = 0;
    text[0] = 0;
    while (source->entry && used < room) {
        const tl_json *entry = tl_json_at(r->tree, source->entry);
        source = source_of(r, entry);
        const tl_location at = tl_locate_source(source, entry->start);
        used += source->file ? (size_t)snprintf(text + used, room - used, "%s%s:%zu:%zu",
                                                used ? ", at " : " (included at ", source->name,
                                                at.line, at.column)
                             : (size_t)snprintf(text + used, room - used, "%s--set %s",
                                                used ? ", by " : " (included by ", source->name);
    }
    if (used && used < room)
        snprintf(text + used, room - used, ")");
}

__attribute__((format(printf, 4, 0), cold)) static tl_status
fail_at(const tl_reader *r, const tl_json *value, uint32_t offset, const char *format,
        va_list arguments)
{
    char place[MESSAGE_ROOM], message[MESSAGE_ROOM], which[80] = "", included[PATH_ROOM];
    write_place(r, value, offset, place, sizeof place);
    vsnprintf(message, sizeof message, format, arguments);
    for (size_t i = r->parameters.count - r->repeats, used = 0;
         i < r->parameters.count && used < sizeof which; i++) {
        const tl_parameter *index = (tl_parameter *)r->parameters.data + i;
        used += (size_t)snprintf(which + used, sizeof which - used, ", with %.*s = %.0f",
                                 index->name.length > 40 ? 40 : (int)index->name.length,
                                 index->name.data, index->value);
    }
    write_included(r, source_of(r, value), included, sizeof included);
    return tl_fail(TL_BAD_DATA, "%s%s%s%s", place, message, which, included);
}

__attribute__((format(printf, 4, 5), cold)) static tl_status
fail_offset(const tl_reader *r, const tl_json *value, uint32_t offset, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tl_status status = fail_at(r, value, offset, format, list);
    va_end(list);
    return status;
}

tl_status tl_read_fail(const tl_reader *r, const tl_json *value, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tl_status status = fail_at(r, value, value->start, format, list);
    va_end(list);
    return status;
}

tl_status tl_read_fail_key(const tl_reader *r, const tl_json *object, const tl_json *value,
                           const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tl_status status;
    if (!source_of(r, value)->file &&
        value == tl_json_at(r->tree, source_of(r, value)->root)) /* it was set */
        status = fail_at(r, value, value->start, format, list);
    else if (value->flags & TL_JSON_KEY_DECODED)
        status = fail_at(r, object, value->start, format, list);
    else
        status = fail_at(r, object, value->key - 1, format, list);
    va_end(list);
    return status;
}

tl_status tl_read_parse(tl_reader *r, uint16_t index)
{
    tl_json_error error;
    char included[PATH_ROOM];
    const tl_status status = tl_json_parse(r->tree, index, &error);
    if (status != TL_BAD_DATA)
        return status;
    const tl_json_source *source = (tl_json_source *)r->tree->sources.data + index;
    const tl_location at = tl_locate_source(source, error.offset);
    write_included(r, source, included, sizeof included);
    return tl_fail(TL_BAD_DATA, "%s:%zu:%zu: %s%s", source->name, at.line, at.column, error.text,
                   included);
}

const char *tl_read_show(const tl_reader *r, const tl_json *value, char *text, size_t room)
{
    const tl_text raw = tl_json_raw(r->tree, value);
    size_t cut = raw.length;
    switch (value->kind) {
    case TL_JSON_ARRAY:
        if (value->count)
            snprintf(text, room, "an array of %u", value->count);
        else
            snprintf(text, room, "an empty array");
        return text;
    case TL_JSON_OBJECT: return "an object";
    default: break;
    }
    if (cut > room - 4) { /* not in the middle of a character */
        for (cut = room - 5; cut && ((unsigned char)raw.data[cut] & 0xc0) == 0x80; cut--)
            ;
        snprintf(text, room, "%.*s...", (int)cut, raw.data);
    } else {
        snprintf(text, room, "%.*s", (int)cut, raw.data);
    }
    return text;
}

tl_status tl_read_expected(const tl_reader *r, const tl_json *value, const char *expected)
{
    char text[VALUE_ROOM];
    return tl_read_fail(r, value, "is %s, expected %s", tl_read_show(r, value, text, sizeof text),
                        expected);
}

tl_status tl_read_missing(const tl_reader *r, const tl_json *object, const char *key,
                          const char *expected)
{
    return tl_read_fail(r, object, "has no '%s', expected %s", key, expected);
}

/* The value that a path such as "shapes[2].radius" leads to, or the last one on the way that is
 * there; `reached` tells which. */
static const tl_json *descend(const tl_reader *r, const tl_json *value, tl_text path, bool *reached)
{
    size_t at = 0;
    *reached = false;
    while (at < path.length) {
        const tl_json *next = tl_json_first(r->tree, value);
        size_t end, index = 0;
        if (path.data[at] == '[') {
            for (end = at + 1; end < path.length && path.data[end] != ']'; end++)
                index = index * 10 + (size_t)(path.data[end] - '0');
            for (size_t i = 0; next && i < index; i++)
                next = tl_json_next(r->tree, next);
            end++;
        } else {
            at += path.data[at] == '.';
            for (end = at; end < path.length && path.data[end] != '.' && path.data[end] != '[';)
                end++;
            const tl_text key = {path.data + at, end - at};
            while (next && !tl_text_same(tl_json_key(r->tree, next), key))
                next = tl_json_next(r->tree, next);
        }
        if (!next || end <= at)
            return value;
        value = next;
        at = end;
    }
    *reached = path.length > 0;
    return value;
}

tl_status tl_read_refused(const tl_reader *r, const tl_json *entry, tl_status status)
{
    const tl_error error = tl_last_error();
    char field[PATH_ROOM], rest[MESSAGE_ROOM];
    bool reached;
    if (status == TL_NO_MEMORY)
        return status;
    snprintf(field, sizeof field, "%s", error.field); /* refusing anew writes over the texts */
    snprintf(rest, sizeof rest, "%s", error.rest);
    const tl_json *value = descend(r, entry, (tl_text){field, strlen(field)}, &reached);
    if (reached)
        return tl_read_fail(r, value, "%s", rest + strspn(rest, ": "));
    return tl_read_fail(r, value, "%s%s", field, rest);
}

/* ---- Taking values ---- */

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    return count;
}

/* "a", "b" or "c", quoted by `quote`, cut to what there is room for. */
static void list_words(char *text, size_t room, size_t count, const char *const *words,
                       const char *quote)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s%s%s",
                                 !i              ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 quote, words[i], quote);
}

__attribute__((cold)) static tl_status refuse_key(const tl_reader *r, const tl_json *object,
                                                  const tl_json *value, size_t count,
                                                  const char *const *keys)
{
    char known[MESSAGE_ROOM - 100];
    const tl_text key = tl_json_key(r->tree, value);
    const int cut = key.length > 60 ? 60 : (int)key.length;
    tl_near near = tl_near_start(key);
    tl_near_offer_all(&near, keys, count);
    if (near.best.length)
        return tl_read_fail_key(r, object, value, "unknown key '%.*s'%s", cut, key.data,
                                tl_near_hint(&near));
    list_words(known, sizeof known, count, keys, "'");
    return tl_read_fail_key(r, object, value, "unknown key '%.*s', expected %s", cut, key.data,
                            known);
}

tl_status tl_read_fields(const tl_reader *r, const tl_json *object, const char *what, size_t count,
                         const char *const *keys, const tl_json **fields)
{
    char expected[80];
    memset(fields, 0, count * sizeof *fields);
    if (object->kind != TL_JSON_OBJECT) {
        snprintf(expected, sizeof expected, "an object: %s", what);
        return tl_read_expected(r, object, expected);
    }
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        const tl_text key = tl_json_key(r->tree, v);
        size_t i = 0;
        while (i < count && !tl_text_is(key, keys[i]))
            i++;
        if (i == count && tl_text_is(key, "comment")) {
            if (v->kind != TL_JSON_STRING)
                return tl_read_expected(r, v, "a text");
        } else if (i == count) {
            return refuse_key(r, object, v, count, keys);
        } else if (fields[i]) {
            return tl_read_fail_key(r, object, v, "duplicate key '%s', expected it once", keys[i]);
        } else {
            fields[i] = v;
        }
    }
    return TL_OK;
}

tl_status tl_read_array(const tl_reader *r, const tl_json *value, const char *expected)
{
    return value->kind == TL_JSON_ARRAY ? TL_OK : tl_read_expected(r, value, expected);
}

tl_status tl_read_compile(const tl_reader *r, const tl_json *value, size_t skip,
                          const tl_names *names)
{
    const tl_text text = tl_json_text(r->tree, value);
    tl_expression_error error;
    char shown[VALUE_ROOM];
    const tl_status status = tl_expression_compile(
        r->expression, (tl_text){text.data + skip, text.length - skip}, names, &error);
    if (status != TL_BAD_DATA)
        return status;
    uint32_t offset = value->start;
    if (!(value->flags & TL_JSON_TEXT_DECODED))
        offset += (uint32_t)(1 + skip + error.offset); /* past the quote */
    return fail_offset(r, value, offset, "in %s: %s", tl_read_show(r, value, shown, sizeof shown),
                       error.text);
}

/* The value of an expression that starts with "=". */
static tl_status evaluate(const tl_reader *r, const tl_json *value, double *number)
{
    const tl_names names = {.parameters = r->parameters.data,
                            .parameter_count = r->parameters.count};
    TL_TRY(tl_read_compile(r, value, 1, &names));
    *number = tl_expression_value(r->expression, NULL);
    return TL_OK;
}

static bool obeys(const tl_rule *rule, double number)
{
    return isfinite(number) && (rule->above ? number > rule->low : number >= rule->low) &&
           (rule->below ? number < rule->high : number <= rule->high);
}

/* Any number, as it stands or by its expression. */
static tl_status take_number(const tl_reader *r, const tl_json *value, const char *expected,
                             double *number)
{
    if (value->kind == TL_JSON_NUMBER) {
        *number = value->number;
        return TL_OK;
    }
    if (value->kind == TL_JSON_STRING) {
        const tl_text text = tl_json_text(r->tree, value);
        if (text.length && text.data[0] == '=')
            return evaluate(r, value, number);
    }
    return tl_read_expected(r, value, expected);
}

/* "is VALUE, expected EXPECTED", with what an expression gives. */
__attribute__((cold)) static tl_status refuse_number(const tl_reader *r, const tl_json *value,
                                                     double number, const char *expected)
{
    char text[VALUE_ROOM], given[40];
    if (value->kind == TL_JSON_NUMBER)
        return tl_read_expected(r, value, expected);
    if (isnan(number))
        snprintf(given, sizeof given, "no number");
    else
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(given, sizeof given, "%.*g", digits, number);
            if (strtod(given, NULL) == number)
                break;
        }
    return tl_read_fail(r, value, "is %s, which gives %s, expected %s",
                        tl_read_show(r, value, text, sizeof text), given, expected);
}

tl_status tl_read_number(const tl_reader *r, const tl_json *value, const tl_rule *rule,
                         double *number)
{
    double taken = 0;
    if (!value)
        return TL_OK;
    TL_TRY(take_number(r, value, rule->expected, &taken));
    if (!obeys(rule, taken))
        return refuse_number(r, value, taken, rule->expected);
    *number = taken;
    return TL_OK;
}

tl_status tl_read_vector(const tl_reader *r, const tl_json *value, size_t count,
                         const tl_rule *rule, double *numbers)
{
    if (!value)
        return TL_OK;
    if (value->kind != TL_JSON_ARRAY || value->count != count) {
        char expected[120];
        snprintf(expected, sizeof expected, "an array of %zu, each %s", count, rule->expected);
        return tl_read_expected(r, value, expected);
    }
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v))
        TL_TRY(tl_read_number(r, v, rule, numbers++));
    return TL_OK;
}

tl_status tl_read_whole(const tl_reader *r, const tl_json *value, uint64_t low, uint64_t high,
                        uint64_t *number)
{
    char expected[80];
    double taken = 0;
    if (!value)
        return TL_OK;
    snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)low,
             (unsigned long long)high);
    TL_TRY(take_number(r, value, expected, &taken));
    if (!(taken >= (double)low && taken <= (double)high && taken == floor(taken)))
        return refuse_number(r, value, taken, expected);
    *number = (uint64_t)taken;
    return TL_OK;
}

tl_status tl_read_flag(const tl_reader *r, const tl_json *value, bool *flag)
{
    if (!value)
        return TL_OK;
    if (value->kind != TL_JSON_TRUE && value->kind != TL_JSON_FALSE)
        return tl_read_expected(r, value, "true or false");
    *flag = value->kind == TL_JSON_TRUE;
    return TL_OK;
}

tl_status tl_read_string(const tl_reader *r, const tl_json *value, const char *expected,
                         tl_text *text)
{
    if (!value)
        return TL_OK;
    if (value->kind != TL_JSON_STRING || (expected && !value->length))
        return tl_read_expected(r, value, expected ? expected : "a text");
    *text = tl_json_text(r->tree, value);
    return TL_OK;
}

tl_status tl_read_choice(const tl_reader *r, const tl_json *value, const char *const *words,
                         uint32_t *choice)
{
    const size_t count = count_words(words);
    char known[250], text[VALUE_ROOM];
    const char *hint = "";
    tl_near near;
    if (!value)
        return TL_OK;
    if (value->kind == TL_JSON_STRING) {
        const tl_text word = tl_json_text(r->tree, value);
        for (uint32_t i = 0; i < count; i++)
            if (tl_text_is(word, words[i])) {
                *choice = i;
                return TL_OK;
            }
        near = tl_near_start(word);
        tl_near_offer_all(&near, words, count);
        hint = tl_near_hint(&near);
    }
    list_words(known, sizeof known, count, words, "\"");
    return tl_read_fail(r, value, "is %s, expected %s%s", tl_read_show(r, value, text, sizeof text),
                        known, hint);
}

tl_status tl_read_kind(const tl_reader *r, const tl_json *object, const tl_json *value,
                       const char *const *words, uint32_t *kind)
{
    char known[250];
    if (value)
        return tl_read_choice(r, value, words, kind);
    list_words(known, sizeof known, count_words(words), words, "\"");
    return tl_read_missing(r, object, "kind", known);
}

tl_status tl_read_table(const tl_reader *r, const tl_json *value, size_t width, const char *first,
                        const char *unit, tl_array *table)
{
    char expected[120];
    double row[8] = {0}, last = -INFINITY, before = -INFINITY;
    snprintf(expected, sizeof expected, "rows of %zu: %s, then %s", width,
             first ? first : "the time (s)", unit);
    const tl_rule any = {-INFINITY, INFINITY, 0, 0, "a number"};
    TL_TRY(tl_read_array(r, value, expected));
    if (!value->count)
        return tl_read_expected(r, value, expected);
    const size_t length = value->count;
    TL_TRY(tl_array_resize(table, length * width));
    double *times = table->data, *rests = times + length;
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v)) {
        if (v->kind != TL_JSON_ARRAY || v->count != width)
            return tl_read_expected(r, v, expected);
        TL_TRY(tl_read_vector(r, v, width, &any, row));
        const tl_json *time = tl_json_first(r->tree, v);
        /* two rows of one time are a jump; coordinates increase */
        if (!(row[0] > last) && (first || row[0] != last || last == before))
            return refuse_number(r, time, row[0],
                                 first            ? "one above that of the row before"
                                 : row[0] == last ? "a time after that of the two rows before (s)"
                                                  : "a time after that of the row before (s)");
        before = last;
        last = *times++ = row[0];
        memcpy(rests, row + 1, (width - 1) * sizeof *rests);
        rests += width - 1;
    }
    return TL_OK;
}

tl_status tl_read_charge(tl_reader *r, const tl_json *value, uint64_t bodies, uint64_t items)
{
    const char *why = r->most < TL_MOST_BODIES ? ", which is what memory has room for" : "";
    if (bodies > r->most - r->bodies)
        return tl_read_fail(r, value, "brings the bodies of the scene above %llu%s, expected fewer",
                            (unsigned long long)r->most, why);
    if (items > r->most - r->items)
        return tl_read_fail(r, value,
                            "brings the shapes and table rows of the scene above %llu%s, expected "
                            "fewer",
                            (unsigned long long)r->most, why);
    r->bodies += bodies;
    r->items += items;
    return TL_OK;
}
