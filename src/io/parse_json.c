/* The JSON parser (RFC 8259, UTF-8), in one pass without recursion. Called by document.c for the
 * file and by parse_set.c for values that are set. */
#include "io/parse_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    tl_json_tree *tree;
    const char *text; /* ends with a zero byte */
    uint32_t length, at;
    uint16_t source;
    tl_json_error *error;
    uint32_t depth;
    struct {
        uint32_t value, last; /* an open array or object, and its last value so far */
    } open[TL_JSON_MOST_DEPTH];
} parser;

tl_json_tree tl_json_tree_empty(void)
{
    return (tl_json_tree){.values = {.item = sizeof(tl_json)},
                          .decoded = {.item = 1},
                          .sources = {.item = sizeof(tl_json_source)}};
}

void tl_json_tree_free(tl_json_tree *tree)
{
    tl_array_free(&tree->values);
    tl_array_free(&tree->decoded);
}

__attribute__((format(printf, 3, 4), cold)) static tl_status wrong(parser *p, uint32_t offset,
                                                                   const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, list);
    va_end(list);
    p->error->offset = offset;
    return TL_BAD_DATA;
}

/* Bytes of the UTF-8 character at `at`, 0 where it is none. */
static uint32_t utf8_bytes(const parser *p, uint32_t at)
{
    const unsigned char *s = (const unsigned char *)p->text + at;
    const uint32_t left = p->length - at;
    if (s[0] < 0x80)
        return 1;
    const uint32_t bytes = s[0] < 0xc2   ? 0
                           : s[0] < 0xe0 ? 2
                           : s[0] < 0xf0 ? 3
                           : s[0] < 0xf5 ? 4
                                         : 0;
    if (!bytes || bytes > left)
        return 0;
    for (uint32_t i = 1; i < bytes; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* Long forms, surrogates and what is above U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return bytes;
}

/* What stands at the parser's place, for a message. */
static const char *found(const parser *p, char room[16])
{
    if (p->at >= p->length)
        return "the end of the text";
    const unsigned char c = (unsigned char)p->text[p->at];
    const int bytes = (int)utf8_bytes(p, p->at);
    if (c < 0x20 || c == 0x7f || !bytes)
        snprintf(room, 16, "byte 0x%02x", c);
    else
        snprintf(room, 16, "'%.*s'", bytes, p->text + p->at);
    return room;
}

__attribute__((cold)) static tl_status unexpected(parser *p, const char *expected)
{
    char room[16];
    const char *hint = "";
    if (p->at < p->length && p->text[p->at] == '/')
        hint = "; JSON has no comments: use a key \"comment\"";
    else if (p->at < p->length && p->text[p->at] == '\'')
        hint = "; JSON has double quotes alone";
    return wrong(p, p->at, "found %s, expected %s%s", found(p, room), expected, hint);
}

static void skip_space(parser *p)
{
    while (p->at < p->length && (p->text[p->at] == ' ' || p->text[p->at] == '\n' ||
                                 p->text[p->at] == '\r' || p->text[p->at] == '\t'))
        p->at++;
}

/* ---- Strings ---- */

/* Four hexadecimal digits at `at`, or -1. */
static int32_t hex4(const parser *p, uint32_t at)
{
    int32_t code = 0;
    if (p->length - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char c = p->text[at + (uint32_t)i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static tl_status append_code(parser *p, int32_t code)
{
    char out[4];
    size_t bytes = 1;
    if (code < 0x80) {
        out[0] = (char)code;
    } else if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        bytes = 2;
    } else if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        bytes = 3;
    } else {
        out[0] = (char)(0xf0 | code >> 18);
        out[1] = (char)(0x80 | (code >> 12 & 0x3f));
        out[2] = (char)(0x80 | (code >> 6 & 0x3f));
        out[3] = (char)(0x80 | (code & 0x3f));
        bytes = 4;
    }
    return tl_array_append(&p->tree->decoded, out, bytes);
}

/* The escape \uXXXX, or a pair of them; the parser stands at the first backslash. */
static tl_status read_unicode(parser *p)
{
    int32_t code = hex4(p, p->at + 2);
    uint32_t bytes = 6;
    if (code >= 0xd800 && code < 0xdc00 && p->length - p->at >= 12 && p->text[p->at + 6] == '\\' &&
        p->text[p->at + 7] == 'u') {
        const int32_t low = hex4(p, p->at + 8);
        code =
            low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
        bytes = 12;
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000))
        return wrong(p, p->at,
                     "found a bad \\u escape, expected the four hexadecimal digits of a "
                     "character other than 0");
    p->at += bytes;
    return append_code(p, code);
}

static tl_status read_escape(parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (p->at + 1 < p->length) {
        const char c = p->text[p->at + 1];
        if (c == 'u' && p->length - p->at >= 6)
            return read_unicode(p);
        const char *known = c ? strchr(from, c) : NULL;
        if (known) {
            p->at += 2;
            return append_code(p, to[known - from]);
        }
    }
    return wrong(p, p->at,
                 "found a bad escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
                 "\\uXXXX");
}

/* A character of a string that stands for itself, with an append to the decoded text where there
 * is one. */
static tl_status read_plain(parser *p, bool decoding)
{
    const uint32_t bytes = utf8_bytes(p, p->at);
    if ((unsigned char)p->text[p->at] < 0x20)
        return wrong(p, p->at,
                     "found byte 0x%02x in a text, expected its closing '\"' or an escape",
                     (unsigned char)p->text[p->at]);
    if (!bytes)
        return wrong(p, p->at, "found byte 0x%02x, expected UTF-8", (unsigned char)p->text[p->at]);
    if (decoding)
        TL_TRY(tl_array_append(&p->tree->decoded, p->text + p->at, bytes));
    p->at += bytes;
    return TL_OK;
}

/* The rest of a string whose first part, from `start`, has no escape. */
static tl_status decode(parser *p, uint32_t start, uint32_t *where, uint32_t *length)
{
    const size_t before = p->tree->decoded.count;
    TL_TRY(tl_array_append(&p->tree->decoded, p->text + start, p->at - start));
    while (p->at < p->length && p->text[p->at] != '"')
        if (p->text[p->at] == '\\')
            TL_TRY(read_escape(p));
        else
            TL_TRY(read_plain(p, true));
    *where =
        (uint32_t)before; /* decoded text is shorter than the text, which is below 2^32 bytes */
    *length = (uint32_t)(p->tree->decoded.count - before);
    return TL_OK;
}

/* A string; the parser stands at its opening quote. */
static tl_status read_string(parser *p, uint32_t *where, uint32_t *length, bool *decoded)
{
    const uint32_t quote = p->at++;
    while (p->at < p->length) {
        const unsigned char c = (unsigned char)p->text[p->at];
        if (c == '"' || c == '\\')
            break;
        if (c >= 0x20 && c < 0x80)
            p->at++;
        else
            TL_TRY(read_plain(p, false));
    }
    *where = quote + 1;
    *length = p->at - *where;
    *decoded = p->at < p->length && p->text[p->at] == '\\';
    if (*decoded)
        TL_TRY(decode(p, *where, where, length));
    if (p->at >= p->length)
        return wrong(p, quote, "found a text without an end, expected its closing '\"'");
    p->at++;
    return TL_OK;
}

/* ---- Numbers ---- */

static uint32_t skip_digits(const parser *p, uint32_t at)
{
    while (at < p->length && p->text[at] >= '0' && p->text[at] <= '9')
        at++;
    return at;
}

/* The value of a number with few digits, exactly; NaN for one that needs strtod(). Below 2^53 the
 * digits are a double, and so is the power of ten: one operation rounds once. */
static double short_number(const char *text, const char *end)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    int scale = 0;
    bool negative = *text == '-', point = false;
    for (text += negative; text < end; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || digits > (1ull << 53) / 10 - 1)
            return NAN;
        digits = digits * 10 + (uint64_t)(*text - '0');
        scale += point;
    }
    if (scale > 22)
        return NAN;
    const double value = (double)digits / powers[scale];
    return negative ? -value : value;
}

static tl_status read_number(parser *p, double *value)
{
    const uint32_t start = p->at;
    uint32_t at = start + (p->text[start] == '-');
    const uint32_t whole = at;
    at = skip_digits(p, at);
    if (at == whole)
        return wrong(p, start,
                     "found a number without a digit before the point, expected one as "
                     "in 0.5 or -0.5");
    if (p->text[whole] == '0' && at - whole > 1)
        return wrong(p, start, "found a number with a zero in front, expected none");
    if (p->text[at] == '.') { /* the text ends with a zero byte: looking one on is safe */
        const uint32_t point = at++;
        at = skip_digits(p, at);
        if (at == point + 1)
            return wrong(p, start,
                         "found a number without a digit after the point, expected one "
                         "as in 1.0");
    }
    if (p->text[at] == 'e' || p->text[at] == 'E') {
        at++;
        at += p->text[at] == '-' || p->text[at] == '+';
        const uint32_t power = at;
        at = skip_digits(p, at);
        if (at == power)
            return wrong(p, start,
                         "found a number without a digit after the e, expected one as in "
                         "1e6");
    }
    *value = short_number(p->text + start, p->text + at);
    if (isnan(*value))
        *value = strtod(p->text + start, NULL);
    if (isinf(*value))
        return wrong(p, start, "found %.*s, expected a number below 1.8e308",
                     at - start > 40 ? 40 : (int)(at - start), p->text + start);
    p->at = at;
    return TL_OK;
}

/* ---- Values ---- */

static tl_status read_word(parser *p, uint8_t *kind)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } words[] = {{"null", TL_JSON_NULL}, {"true", TL_JSON_TRUE}, {"false", TL_JSON_FALSE}};
    uint32_t end = p->at;
    while (end < p->length && ((p->text[end] >= 'a' && p->text[end] <= 'z') ||
                               (p->text[end] >= 'A' && p->text[end] <= 'Z')))
        end++;
    const tl_text word = {p->text + p->at, end - p->at};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tl_text_is(word, words[i].word)) {
            *kind = words[i].kind;
            p->at = end;
            return TL_OK;
        }
    if (!word.length)
        return unexpected(p, "a value");
    return wrong(p, p->at, "found %.*s, expected a value; texts stand in double quotes",
                 word.length > 40 ? 40 : (int)word.length, word.data);
}

/* A value, or the opening of an array or object. */
static tl_status read_value(parser *p, tl_json *value)
{
    const char c = p->at < p->length ? p->text[p->at] : 0;
    bool decoded = false;
    value->start = p->at;
    if (c == '"') {
        value->kind = TL_JSON_STRING;
        TL_TRY(read_string(p, &value->text, &value->length, &decoded));
        value->flags |= decoded ? TL_JSON_TEXT_DECODED : 0;
    } else if (c == '{' || c == '[') {
        if (p->depth == TL_JSON_MOST_DEPTH)
            return wrong(p, p->at, "found values nested more than %d deep, expected fewer",
                         TL_JSON_MOST_DEPTH);
        value->kind = c == '{' ? TL_JSON_OBJECT : TL_JSON_ARRAY;
        value->first = value->count = 0;
        p->at++;
    } else if (c == '-' || c == '.' || (c >= '0' && c <= '9')) {
        value->kind = TL_JSON_NUMBER;
        TL_TRY(read_number(p, &value->number));
    } else {
        TL_TRY(read_word(p, &value->kind));
    }
    value->end = p->at;
    return TL_OK;
}

static tl_status read_key(parser *p, tl_json *value)
{
    bool decoded;
    if (p->at >= p->length || p->text[p->at] != '"')
        return unexpected(p, "a key in double quotes");
    TL_TRY(read_string(p, &value->key, &value->key_length, &decoded));
    value->flags |= decoded ? TL_JSON_KEY_DECODED : 0;
    skip_space(p);
    if (p->at >= p->length || p->text[p->at] != ':')
        return unexpected(p, "':' after the key");
    p->at++;
    skip_space(p);
    return TL_OK;
}

/* Appends the value that comes next to the innermost open array or object. */
static tl_status add_value(parser *p)
{
    tl_json value = {.source = p->source};
    const uint32_t index = (uint32_t)p->tree->values.count;
    if (p->depth && tl_json_at(p->tree, p->open[p->depth - 1].value)->kind == TL_JSON_OBJECT)
        TL_TRY(read_key(p, &value));
    TL_TRY(read_value(p, &value));
    TL_TRY(tl_array_append(&p->tree->values, &value, 1));
    if (p->depth) {
        tl_json *parent = tl_json_at(p->tree, p->open[p->depth - 1].value);
        if (parent->count++)
            tl_json_at(p->tree, p->open[p->depth - 1].last)->next = index;
        else
            parent->first = index;
        p->open[p->depth - 1].last = index;
    }
    if (value.kind >= TL_JSON_ARRAY)
        p->open[p->depth++].value = index;
    return TL_OK;
}

/* After a value or an opening: closes what closes here; the parser then stands where a value must
 * come, or nothing is open. */
static tl_status go_on(parser *p, bool opened)
{
    while (p->depth) {
        tl_json *parent = tl_json_at(p->tree, p->open[p->depth - 1].value);
        const char closer = parent->kind == TL_JSON_OBJECT ? '}' : ']';
        skip_space(p);
        const char c = p->at < p->length ? p->text[p->at] : 0;
        if (c == closer) {
            parent->end = ++p->at;
            p->depth--;
            opened = false;
        } else if (opened) {
            return TL_OK;
        } else if (c == ',') {
            p->at++;
            skip_space(p);
            if (p->at < p->length && p->text[p->at] == closer)
                return wrong(p, p->at, "found '%c' after ',', expected another value or no comma",
                             closer);
            return TL_OK;
        } else {
            return unexpected(p, closer == '}' ? "',' or '}'" : "',' or ']'");
        }
    }
    return TL_OK;
}

/* Every value but the first stands after a comma or an opening: room for all of them at once. */
static tl_status reserve(parser *p)
{
    size_t most = 1;
    for (uint32_t i = 0; i < p->length; i++)
        most += (p->text[i] == ',') + (p->text[i] == '[') + (p->text[i] == '{');
    if (most > UINT32_MAX - p->tree->values.count)
        return wrong(p, 0, "found more than 2^32 values, expected fewer");
    return tl_array_reserve(&p->tree->values, p->tree->values.count + most);
}

tl_status tl_json_parse(tl_json_tree *tree, uint16_t source, tl_json_error *error)
{
    tl_json_source *from = (tl_json_source *)tree->sources.data + source;
    parser p = {
        .tree = tree, .text = from->text, .length = from->length, .source = source, .error = error};
    TL_TRY(reserve(&p));
    from->root = (uint32_t)tree->values.count;
    skip_space(&p);
    do {
        const uint32_t depth = p.depth;
        TL_TRY(add_value(&p));
        TL_TRY(go_on(&p, p.depth > depth));
    } while (p.depth);
    skip_space(&p);
    return p.at < p.length ? unexpected(&p, "the end of the text") : TL_OK;
}

/* ---- Looking at values ---- */

const tl_json *tl_json_first(const tl_json_tree *tree, const tl_json *value)
{
    return value->kind >= TL_JSON_ARRAY && value->count ? tl_json_at(tree, value->first) : NULL;
}

const tl_json *tl_json_next(const tl_json_tree *tree, const tl_json *value)
{
    return value->next ? tl_json_at(tree, value->next) : NULL;
}

static tl_text piece(const tl_json_tree *tree, const tl_json *value, bool decoded, uint32_t at,
                     uint32_t length)
{
    const tl_json_source *source = (tl_json_source *)tree->sources.data + value->source;
    const char *base = decoded ? tree->decoded.data : source->text;
    return (tl_text){length ? base + at : "", length};
}

tl_text tl_json_key(const tl_json_tree *tree, const tl_json *value)
{
    return piece(tree, value, value->flags & TL_JSON_KEY_DECODED, value->key, value->key_length);
}

tl_text tl_json_text(const tl_json_tree *tree, const tl_json *value)
{
    return piece(tree, value, value->flags & TL_JSON_TEXT_DECODED, value->text, value->length);
}

tl_text tl_json_raw(const tl_json_tree *tree, const tl_json *value)
{
    return piece(tree, value, false, value->start, value->end - value->start);
}
