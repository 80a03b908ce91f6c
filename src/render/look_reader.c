/* Values of look.json by tables of keys, and one way to say where something is wrong; look_reader.h
 * says who calls. */
#include "render/look_reader.h"

#include <stdio.h>
#include <string.h>

/* --- messages --- */

tl_status tlr_refuse(const tlr_reader *r, const tl_json *v, const char *what)
{
    size_t line = 1, column = 1;
    const uint32_t at = v ? v->start : 0;
    for (uint32_t i = 0; i < at && i < r->source.length; i++) {
        column = r->source.text[i] == '\n' ? 1 : column + 1;
        line += r->source.text[i] == '\n';
    }
    return tl_fail(TL_BAD_DATA, "%s:%zu:%zu: %s%s%s", r->source.name, line, column, r->path,
                   *r->path ? ": " : "", what);
}

size_t tlr_go_down(tlr_reader *r, const char *format, int length, const char *key)
{
    const size_t before = strlen(r->path);
    char part[96];
    snprintf(part, sizeof part, format, length, key);
    snprintf(r->path + before, sizeof r->path - before, "%s%s", before && *part != '[' ? "." : "",
             part);
    return before;
}

size_t tlr_go_to_key(tlr_reader *r, const tl_json *member, tl_text *key)
{
    *key = tl_json_key(&r->tree, member);
    return tlr_go_down(r, "%.*s", (int)(key->length < 64 ? key->length : 64), key->data);
}

/* --- values --- */

tl_status tlr_read_number(tlr_reader *r, const tl_json *v, double low, double high, double *out)
{
    char text[128];
    if (v->kind == TL_JSON_NUMBER && v->number >= low && v->number <= high) {
        *out = v->number;
        return TL_OK;
    }
    snprintf(text, sizeof text, "expected a number from %g to %g", low, high);
    return tlr_refuse(r, v, text);
}

static tl_status read_numbers(tlr_reader *r, const tl_json *v, int count, double low, double high,
                              double *out)
{
    char text[64];
    int n = 0;
    snprintf(text, sizeof text, "expected %d numbers in [ ]", count);
    if (v->kind != TL_JSON_ARRAY || v->count != (uint32_t)count)
        return tlr_refuse(r, v, text);
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e))
        TL_TRY(tlr_read_number(r, e, low, high, &out[n++]));
    return TL_OK;
}

static float linear(double srgb)
{
    return (float)(srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4));
}

tl_status tlr_read_color(tlr_reader *r, const tl_json *v, vec *out)
{
    double c[3];
    if (v->kind == TL_JSON_STRING) {
        const tl_text t = tl_json_text(&r->tree, v);
        char text[8] = "";
        unsigned rgb = 0;
        char after = 0;
        if (t.length == 7 && t.data[0] == '#') {
            memcpy(text, t.data + 1, 6);
            if (strspn(text, "0123456789abcdefABCDEF") == 6 &&
                sscanf(text, "%6x%c", &rgb, &after) == 1) {
                *out = v3(linear((rgb >> 16) / 255.0), linear((rgb >> 8 & 255) / 255.0),
                          linear((rgb & 255) / 255.0));
                return TL_OK;
            }
        }
        return tlr_refuse(r, v, "expected a colour: \"#rrggbb\" or three numbers");
    }
    TL_TRY(read_numbers(r, v, 3, 0, 1e6, c));
    *out = v_of(c);
    return TL_OK;
}

tl_status tlr_read_text(tlr_reader *r, const tl_json *v, size_t room, char *out)
{
    char text[64];
    if (v->kind != TL_JSON_STRING)
        return tlr_refuse(r, v, "expected a text");
    const tl_text t = tl_json_text(&r->tree, v);
    snprintf(text, sizeof text, "the text is longer than %zu bytes", room - 1);
    if (t.length >= room)
        return tlr_refuse(r, v, text);
    if (memchr(t.data, 0, t.length))
        return tlr_refuse(r, v, "the text has a zero byte in it");
    memcpy(out, t.data, t.length);
    out[t.length] = 0;
    return TL_OK;
}

tl_status tlr_read_word(tlr_reader *r, const tl_json *v, const char *const *words, int *out)
{
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "expected one of");
    for (int i = 0; words[i]; i++) {
        if (v->kind == TL_JSON_STRING && tl_text_is(tl_json_text(&r->tree, v), words[i])) {
            *out = i;
            return TL_OK;
        }
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s \"%s\"", i ? "," : "", words[i]);
        if (used >= sizeof text)
            used = sizeof text - 1;
    }
    return tlr_refuse(r, v, text);
}

static tl_status read_field(tlr_reader *r, const tlr_field *f, const tl_json *v, char *object)
{
    void *at = object + f->offset;
    double number = 0, pair[2];
    switch (f->kind) {
    case FIELD_IGNORED: return TL_OK;
    case FIELD_NUMBER: return tlr_read_number(r, v, f->low, f->high, at);
    case FIELD_FLOAT:
        TL_TRY(tlr_read_number(r, v, f->low, f->high, &number));
        *(float *)at = (float)number;
        return TL_OK;
    case FIELD_COUNT:
        TL_TRY(tlr_read_number(r, v, f->low, f->high, &number));
        if (number != floor(number))
            return tlr_refuse(r, v, "expected a whole number");
        *(int64_t *)at = (int64_t)number;
        return TL_OK;
    case FIELD_FLAG:
        if (v->kind != TL_JSON_TRUE && v->kind != TL_JSON_FALSE)
            return tlr_refuse(r, v, "expected true or false");
        *(bool *)at = v->kind == TL_JSON_TRUE;
        return TL_OK;
    case FIELD_TEXT: return tlr_read_text(r, v, (size_t)f->high, at);
    case FIELD_WORD: return tlr_read_word(r, v, f->words, at);
    case FIELD_VECTOR: return read_numbers(r, v, 3, -1e12, 1e12, at);
    case FIELD_PAIR: return read_numbers(r, v, 2, f->low, f->high, at);
    case FIELD_SIZE:
        TL_TRY(read_numbers(r, v, 2, f->low, f->high, pair));
        if (pair[0] != floor(pair[0]) || pair[1] != floor(pair[1]))
            return tlr_refuse(r, v, "expected two whole numbers");
        ((int *)at)[0] = (int)pair[0];
        ((int *)at)[1] = (int)pair[1];
        return TL_OK;
    case FIELD_COLOR: return tlr_read_color(r, v, at);
    case FIELD_CALL: return f->read(r, v, object);
    }
    return TL_OK;
}

tl_status tlr_read_object(tlr_reader *r, const tl_json *v, const tlr_field *fields, void *object)
{
    char text[640];
    uint64_t given = 0;
    if (v->kind != TL_JSON_OBJECT)
        return tlr_refuse(r, v, "expected an object: { }");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        tl_text key;
        const size_t before = tlr_go_to_key(r, e, &key);
        int i = 0;
        while (fields[i].name && !tl_text_is(key, fields[i].name))
            i++;
        if (!fields[i].name) {
            size_t used = (size_t)snprintf(text, sizeof text, "unknown key; known are");
            for (int k = 0; fields[k].name && used < sizeof text; k++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", k ? "," : "",
                                         fields[k].name);
            return tlr_refuse(r, e, text);
        }
        if (given >> i & 1)
            return tlr_refuse(r, e, "the key stands here twice");
        given |= (uint64_t)1 << i;
        TL_TRY(read_field(r, &fields[i], e, object));
        r->path[before] = 0;
    }
    return TL_OK;
}

void tlr_close_text(tlr_reader *r)
{
    tl_json_tree_free(&r->tree);
    tl_array_free(&r->tree.sources);
}

tl_status tlr_open_text(tlr_reader *r, const char *name, const char *text, size_t length)
{
    tl_json_error error;
    r->tree = tl_json_tree_empty();
    r->source = (tl_json_source){.name = (char *)name, .text = (char *)text, .file = true};
    r->source.length = (uint32_t)length;
    TL_TRY(tl_array_append(&r->tree.sources, &r->source, 1));
    const tl_status status = tl_json_parse(&r->tree, 0, &error);
    if (status == TL_BAD_DATA) {
        const tl_json place = {.start = error.offset};
        return tlr_refuse(r, &place, error.text);
    }
    r->source.root = ((tl_json_source *)r->tree.sources.data)->root;
    return status;
}
