/* Values set on top of a scene file: `--set NAME=VALUE`. The tree is changed in place, and the text
 * that goes with it is the old one but for what was set, so that every number keeps its digits.
 * Called by document.c between parsing and reading. */
#include "io/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"

enum { MOST_SETS = 10000, SHOWN = 200 };

/* A set that is being carried out. */
typedef struct set {
    tl_reader *r;
    tl_text name;  /* the left side */
    uint32_t root; /* index of its value */
} set;

/* A step of a path: a key, or what stands in brackets. */
typedef struct path_step {
    tl_text text;
    bool bracket;
} path_step;

__attribute__((format(printf, 2, 3), cold)) static tl_status refuse(tl_text name,
                                                                    const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return tl_fail(TL_BAD_DATA, "--set %.*s: %s", name.length > SHOWN ? SHOWN : (int)name.length,
                   name.data, text);
}

/* ---- Text ---- */

static tl_status append(tl_array *out, const char *text)
{
    return tl_array_append(out, text, strlen(text));
}

/* A text as a JSON string. Bytes that are no UTF-8 stay as they are: parsing refuses them. */
static tl_status append_quoted(tl_array *out, tl_text text)
{
    TL_TRY(append(out, "\""));
    for (size_t i = 0; i < text.length; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        char escape[8];
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else {
            TL_TRY(tl_array_append(out, &text.data[i], 1));
            continue;
        }
        TL_TRY(append(out, escape));
    }
    return append(out, "\"");
}

static tl_status write_value(const tl_reader *r, const tl_json *value, bool root, tl_array *out)
{
    if (!(value->flags & TL_JSON_CHANGED)) {
        const tl_text raw = tl_json_raw(r->tree, value);
        return tl_array_append(out, raw.data, raw.length);
    }
    const bool object = value->kind == TL_JSON_OBJECT;
    const char *between = "";
    TL_TRY(append(out, object ? "{" : "["));
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v)) {
        TL_TRY(append(out, between));
        between = root ? ",\n" : ", ";
        if (object) {
            TL_TRY(append_quoted(out, tl_json_key(r->tree, v)));
            TL_TRY(append(out, ": "));
        }
        TL_TRY(write_value(r, v, false, out));
    }
    return append(out, object ? (root ? "}\n" : "}") : "]");
}

tl_status tl_read_write(const tl_reader *r, tl_array *text)
{
    return write_value(r, tl_json_at(r->tree, 0), true, text);
}

/* ---- Values ---- */

/* Parses the right side: JSON, or a text that is no JSON and stands for itself. */
static tl_status add_value(tl_reader *r, tl_text name, tl_text value, uint32_t *root)
{
    char shown[SHOWN + 1];
    tl_json_error error;
    const size_t values = r->tree->values.count, decoded = r->tree->decoded.count;
    const uint16_t source = (uint16_t)r->tree->sources.count;
    snprintf(shown, sizeof shown, "%.*s", (int)name.length, name.data);
    TL_TRY(tl_document_add_source(r->document, shown, value));
    tl_status status = tl_json_parse(r->tree, source, &error);
    if (status == TL_BAD_DATA) {
        tl_array quoted = {.item = 1};
        tl_json_source *made = (tl_json_source *)r->tree->sources.data + source;
        r->tree->values.count = values;
        r->tree->decoded.count = decoded;
        status = append_quoted(&quoted, value);
        if (status == TL_OK)
            status = append(&quoted, "");
        if (status == TL_OK) {
            char zero = 0;
            status = tl_array_append(&quoted, &zero, 1);
        }
        if (status < 0) {
            tl_array_free(&quoted);
            return status;
        }
        tl_free(made->text, made->text_room);
        made->text = quoted.data;
        made->text_room = quoted.capacity;
        made->length = (uint32_t)quoted.count - 1;
        status = tl_json_parse(r->tree, source, &error);
        if (status == TL_BAD_DATA)
            return refuse(name, "%s", error.text);
    }
    *root = ((tl_json_source *)r->tree->sources.data + source)->root;
    return status;
}

/* ---- Paths ---- */

/* Takes the next step off a path; false at its end. `bad` where it does not read as a path. */
static bool next_step(tl_text *path, path_step *step, bool *bad)
{
    if (!path->length)
        return false;
    const char *end = path->data + path->length, *at = path->data;
    step->bracket = *at == '[';
    if (step->bracket) {
        const char *close = memchr(at, ']', path->length);
        *bad = !close || close == at + 1;
        step->text = (tl_text){at + 1, close ? (size_t)(close - at - 1) : 0};
        at = close ? close + 1 : end;
    } else {
        const char *start = at;
        while (at < end && *at != '.' && *at != '[')
            at++;
        *bad = at == start;
        step->text = (tl_text){start, (size_t)(at - start)};
    }
    if (at < end && *at == '.') {
        at++;
        *bad |= at == end;
    } else if (at < end && *at != '[') {
        *bad = true;
    }
    *path = (tl_text){at, (size_t)(end - at)};
    return true;
}

static uint32_t member(const tl_reader *r, uint32_t object, tl_text key)
{
    const tl_json *o = tl_json_at(r->tree, object);
    if (o->kind == TL_JSON_OBJECT)
        for (const tl_json *v = tl_json_first(r->tree, o); v; v = tl_json_next(r->tree, v))
            if (tl_text_same(tl_json_key(r->tree, v), key))
                return (uint32_t)(v - tl_json_at(r->tree, 0));
    return 0;
}

/* Whether a text is a whole number of at most nine digits. */
static bool is_index(tl_text text, uint32_t *index)
{
    *index = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i > 8)
            return false;
        *index = *index * 10 + (uint32_t)(text.data[i] - '0');
    }
    return text.length > 0;
}

/* The entry of an array by its number or its name. */
static tl_status find_entry(const set *s, uint32_t array, tl_text text, uint32_t *found)
{
    const tl_reader *r = s->r;
    const tl_json *a = tl_json_at(r->tree, array), *v = tl_json_first(r->tree, a);
    uint32_t index;
    tl_near near = tl_near_start(text);
    if (is_index(text, &index)) {
        if (index >= a->count)
            return refuse(s->name, "there is no entry %u, expected one below %u", index, a->count);
        for (; index; index--)
            v = tl_json_next(r->tree, v);
        *found = (uint32_t)(v - tl_json_at(r->tree, 0));
        return TL_OK;
    }
    for (; v; v = tl_json_next(r->tree, v)) {
        const uint32_t at = (uint32_t)(v - tl_json_at(r->tree, 0));
        const uint32_t name = member(r, at, (tl_text){"name", 4});
        if (!name || tl_json_at(r->tree, name)->kind != TL_JSON_STRING)
            continue;
        const tl_text word = tl_json_text(r->tree, tl_json_at(r->tree, name));
        if (tl_text_same(word, text)) {
            *found = at;
            return TL_OK;
        }
        tl_near_offer(&near, word);
    }
    return refuse(s->name, "no entry has the name '%.*s', expected a name or a number from 0%s",
                  text.length > 60 ? 60 : (int)text.length, text.data, tl_near_hint(&near));
}

/* Gives a value the key of a member; it no longer needs the text that the key stood in. */
static tl_status give_key(tl_reader *r, uint32_t index, tl_text key)
{
    const size_t at = r->tree->decoded.count;
    TL_TRY(tl_array_append(&r->tree->decoded, key.data, key.length));
    tl_json *value = tl_json_at(r->tree, index);
    value->key = (uint32_t)at;
    value->key_length = (uint32_t)key.length;
    value->flags |= TL_JSON_KEY_DECODED;
    return TL_OK;
}

tl_status tl_read_add_member(tl_reader *r, uint32_t object, tl_text key, uint32_t index)
{
    TL_TRY(give_key(r, index, key));
    tl_json *o = tl_json_at(r->tree, object);
    if (!o->count) {
        o->first = index;
    } else {
        tl_json *last = tl_json_at(r->tree, o->first);
        while (last->next)
            last = tl_json_at(r->tree, last->next);
        last->next = index;
    }
    o->count++;
    return TL_OK;
}

/* Puts the set's value in the place of another. */
static tl_status replace(set *s, uint32_t old, tl_text key)
{
    tl_json_tree *tree = s->r->tree;
    TL_TRY(give_key(s->r, s->root, key));
    tl_json *to = tl_json_at(tree, old), *from = tl_json_at(tree, s->root);
    from->next = to->next;
    *to = *from;
    ((tl_json_source *)tree->sources.data + to->source)->root = old;
    return TL_OK;
}

/* A new empty object as a member, for a path such as solver.iterations where there is no solver. */
static tl_status add_object(set *s, uint32_t object, tl_text key, uint32_t *made)
{
    const tl_json *value = tl_json_at(s->r->tree, s->root);
    const tl_json empty = {
        .source = value->source, .kind = TL_JSON_OBJECT, .flags = TL_JSON_CHANGED};
    *made = (uint32_t)s->r->tree->values.count;
    TL_TRY(tl_array_append(&s->r->tree->values, &empty, 1));
    return tl_read_add_member(s->r, object, key, *made);
}

/* One step of the path from the value `at`, with the rest of the path behind it: to what it leads
 * to, which at the last step is replaced or added. */
static tl_status walk(set *s, uint32_t *at, const path_step *step, tl_text rest)
{
    const int cut = step->text.length > 60 ? 60 : (int)step->text.length;
    tl_json *here = tl_json_at(s->r->tree, *at);
    uint32_t found = 0;
    if (here->kind == TL_JSON_ARRAY && step->bracket) {
        TL_TRY(find_entry(s, *at, step->text, &found));
    } else if (here->kind == TL_JSON_OBJECT) {
        found = member(s->r, *at, step->text);
        const bool names_file = member(s->r, *at, tl_text_of("file"));
        if (!found && names_file && tl_text_is(step->text, "scene")) { /* what a fragment holds */
            TL_TRY(tl_read_load(s->r));
            found = member(s->r, *at, step->text);
        }
        if (found && names_file && member(s->r, *at, tl_text_of("scene")) &&
            tl_text_is(step->text, "file"))
            return refuse(s->name, "the fragment is read already, expected it before what is set "
                                   "inside of it");
        here = tl_json_at(s->r->tree, *at);
    } else {
        char text[64];
        return refuse(s->name, "'%.*s' leads into %s, expected a path that is in the scene", cut,
                      step->text.data, tl_read_show(s->r, here, text, sizeof text));
    }
    here->flags |= TL_JSON_CHANGED;
    if (!rest.length)
        return found ? replace(s, found, step->text)
                     : tl_read_add_member(s->r, *at, step->text, s->root);
    if (!found && rest.data[0] == '[')
        return refuse(s->name, "there is no '%.*s', expected a path that is in the scene", cut,
                      step->text.data);
    if (!found)
        TL_TRY(add_object(s, *at, step->text, &found));
    *at = found;
    return TL_OK;
}

/* Refuses a path whose first step is neither a parameter nor a key of scenes. */
static tl_status check_first(const set *s, tl_text first, uint32_t parameters)
{
    const tl_reader *r = s->r;
    const tl_json *list = parameters ? tl_json_at(r->tree, parameters) : NULL;
    tl_near near = tl_near_start(first);
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < TL_SCENE_KEYS; i++)
        if (tl_text_is(first, tl_scene_keys[i]))
            return TL_OK;
    tl_near_offer_all(&near, tl_scene_keys, TL_SCENE_KEYS);
    for (const tl_json *v = list ? tl_json_first(r->tree, list) : NULL; v;
         v = tl_json_next(r->tree, v)) {
        const tl_text name = tl_json_key(r->tree, v);
        tl_near_offer(&near, name);
        if (used + name.length + 32 < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                                 used ? ", " : "; parameters are ", (int)name.length, name.data);
    }
    const char *hint = tl_near_hint(&near);
    return refuse(s->name, "neither a parameter nor a key of the scene, expected one%s",
                  *hint ? hint : names);
}

/* "left.torque": a parameter of the fragment that is included as "left". */
static tl_status walk_fragment(set *s, path_step name, tl_text parameter)
{
    uint32_t at = 0;
    const path_step steps[] = {{tl_text_of("include"), false},
                               {name.text, true},
                               {tl_text_of("parameters"), false},
                               {parameter, false}};
    for (int i = 0; i < 4; i++)
        TL_TRY(walk(s, &at, &steps[i], i < 3 ? parameter : (tl_text){"", 0}));
    return TL_OK;
}

/* Whether a fragment is included by this name. */
static bool is_fragment(const set *s, tl_text name)
{
    const tl_reader *r = s->r;
    const uint32_t list = member(r, 0, tl_text_of("include"));
    if (!list || tl_json_at(r->tree, list)->kind != TL_JSON_ARRAY)
        return false;
    for (const tl_json *v = tl_json_first(r->tree, tl_json_at(r->tree, list)); v;
         v = tl_json_next(r->tree, v)) {
        const uint32_t at = member(r, (uint32_t)(v - tl_json_at(r->tree, 0)), tl_text_of("name"));
        if (at && tl_json_at(r->tree, at)->kind == TL_JSON_STRING &&
            tl_text_same(tl_json_text(r->tree, tl_json_at(r->tree, at)), name))
            return true;
    }
    return false;
}

static tl_status carry_out(set *s)
{
    const uint32_t parameters = member(s->r, 0, (tl_text){"parameters", 10});
    tl_text path = s->name;
    path_step step;
    uint32_t at = 0;
    bool bad = false;
    if (parameters && member(s->r, parameters, s->name)) {
        tl_json_at(s->r->tree, 0)->flags |= TL_JSON_CHANGED;
        at = parameters;
        step = (path_step){s->name, false};
        return walk(s, &at, &step, (tl_text){"", 0});
    }
    for (bool first = true; next_step(&path, &step, &bad); first = false) {
        if (bad)
            return refuse(s->name, "is no path, expected one such as gravity, solver.iterations, "
                                   "fills[0].count or bodies[NAME].density");
        if (first && tl_expression_is_name(path) && is_fragment(s, step.text))
            return walk_fragment(s, step, path);
        if (first)
            TL_TRY(check_first(s, step.text, parameters));
        TL_TRY(walk(s, &at, &step, path));
    }
    return TL_OK;
}

tl_status tl_read_sets(tl_reader *r, size_t count, const char *const *sets)
{
    if (count > MOST_SETS)
        return tl_fail(TL_BAD_DATA, "--set: there are %zu of them, expected at most %d", count,
                       MOST_SETS);
    if (tl_json_at(r->tree, 0)->kind != TL_JSON_OBJECT)
        return TL_OK; /* reading the scene says what is wrong */
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(sets[i], '=');
        set s = {.r = r, .name = {sets[i], equals ? (size_t)(equals - sets[i]) : strlen(sets[i])}};
        if (!equals || equals == sets[i])
            return refuse(s.name, "expected NAME=VALUE");
        TL_TRY(add_value(r, s.name, (tl_text){equals + 1, strlen(equals + 1)}, &s.root));
        TL_TRY(carry_out(&s));
    }
    return TL_OK;
}
