/* The reader of look.json: tables of keys, and one way to say where something is wrong. */
#include "render/look.h"

#include "io/parse_json.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    tl_json_tree tree;
    tl_json_source source;
    const char *folder;
    char path[256]; /* of the value that is being read: "camera.eye" */
    tlr_look *look;
} reader;

typedef enum field_kind {
    FIELD_IGNORED,
    FIELD_NUMBER, /* double */
    FIELD_FLOAT,
    FIELD_COUNT, /* int64_t */
    FIELD_FLAG,
    FIELD_TEXT,   /* char[], `high` bytes */
    FIELD_WORD,   /* int: which of `words` */
    FIELD_VECTOR, /* double[3] */
    FIELD_PAIR,   /* double[2] */
    FIELD_SIZE,   /* int[2] */
    FIELD_COLOR,  /* vec */
    FIELD_CALL    /* `read` gets the object and the value */
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    double low, high;
    const char *const *words;
    tl_status (*read)(reader *r, const tl_json *value, void *object);
} field;

/* --- messages --- */

static tl_status refuse(const reader *r, const tl_json *v, const char *what)
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

/* Adds a key or an index to the path; returns its length before. */
static size_t go_down(reader *r, const char *format, int length, const char *key)
{
    const size_t before = strlen(r->path);
    char part[96];
    snprintf(part, sizeof part, format, length, key);
    snprintf(r->path + before, sizeof r->path - before, "%s%s", before && *part != '[' ? "." : "",
             part);
    return before;
}

/* --- values --- */

static tl_status read_number(reader *r, const tl_json *v, double low, double high, double *out)
{
    char text[128];
    if (v->kind == TL_JSON_NUMBER && v->number >= low && v->number <= high) {
        *out = v->number;
        return TL_OK;
    }
    snprintf(text, sizeof text, "expected a number from %g to %g", low, high);
    return refuse(r, v, text);
}

static tl_status read_numbers(reader *r, const tl_json *v, int count, double low, double high,
                              double *out)
{
    char text[64];
    int n = 0;
    snprintf(text, sizeof text, "expected %d numbers in [ ]", count);
    if (v->kind != TL_JSON_ARRAY || v->count != (uint32_t)count)
        return refuse(r, v, text);
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e))
        TL_TRY(read_number(r, e, low, high, &out[n++]));
    return TL_OK;
}

static float linear(double srgb)
{
    return (float)(srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4));
}

static tl_status read_color(reader *r, const tl_json *v, vec *out)
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
        return refuse(r, v, "expected a colour: \"#rrggbb\" or three numbers");
    }
    TL_TRY(read_numbers(r, v, 3, 0, 1e6, c));
    *out = v_of(c);
    return TL_OK;
}

static tl_status read_text(reader *r, const tl_json *v, size_t room, char *out)
{
    char text[64];
    if (v->kind != TL_JSON_STRING)
        return refuse(r, v, "expected a text");
    const tl_text t = tl_json_text(&r->tree, v);
    snprintf(text, sizeof text, "the text is longer than %zu bytes", room - 1);
    if (t.length >= room)
        return refuse(r, v, text);
    if (memchr(t.data, 0, t.length))
        return refuse(r, v, "the text has a zero byte in it");
    memcpy(out, t.data, t.length);
    out[t.length] = 0;
    return TL_OK;
}

static tl_status read_word(reader *r, const tl_json *v, const char *const *words, int *out)
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
    return refuse(r, v, text);
}

static tl_status read_field(reader *r, const field *f, const tl_json *v, char *object)
{
    void *at = object + f->offset;
    double number = 0, pair[2];
    switch (f->kind) {
    case FIELD_IGNORED: return TL_OK;
    case FIELD_NUMBER: return read_number(r, v, f->low, f->high, at);
    case FIELD_FLOAT:
        TL_TRY(read_number(r, v, f->low, f->high, &number));
        *(float *)at = (float)number;
        return TL_OK;
    case FIELD_COUNT:
        TL_TRY(read_number(r, v, f->low, f->high, &number));
        if (number != floor(number))
            return refuse(r, v, "expected a whole number");
        *(int64_t *)at = (int64_t)number;
        return TL_OK;
    case FIELD_FLAG:
        if (v->kind != TL_JSON_TRUE && v->kind != TL_JSON_FALSE)
            return refuse(r, v, "expected true or false");
        *(bool *)at = v->kind == TL_JSON_TRUE;
        return TL_OK;
    case FIELD_TEXT: return read_text(r, v, (size_t)f->high, at);
    case FIELD_WORD: return read_word(r, v, f->words, at);
    case FIELD_VECTOR: return read_numbers(r, v, 3, -1e12, 1e12, at);
    case FIELD_PAIR: return read_numbers(r, v, 2, f->low, f->high, at);
    case FIELD_SIZE:
        TL_TRY(read_numbers(r, v, 2, f->low, f->high, pair));
        if (pair[0] != floor(pair[0]) || pair[1] != floor(pair[1]))
            return refuse(r, v, "expected two whole numbers");
        ((int *)at)[0] = (int)pair[0];
        ((int *)at)[1] = (int)pair[1];
        return TL_OK;
    case FIELD_COLOR: return read_color(r, v, at);
    case FIELD_CALL: return f->read(r, v, object);
    }
    return TL_OK;
}

/* Reads an object by a table that ends with a name of NULL. */
static tl_status read_object(reader *r, const tl_json *v, const field *fields, void *object)
{
    char text[640];
    uint64_t given = 0;
    if (v->kind != TL_JSON_OBJECT)
        return refuse(r, v, "expected an object: { }");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        const tl_text key = tl_json_key(&r->tree, e);
        const size_t before =
            go_down(r, "%.*s", (int)(key.length < 64 ? key.length : 64), key.data);
        int i = 0;
        while (fields[i].name && !tl_text_is(key, fields[i].name))
            i++;
        if (!fields[i].name) {
            size_t used = (size_t)snprintf(text, sizeof text, "unknown key; known are");
            for (int k = 0; fields[k].name && used < sizeof text; k++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", k ? "," : "",
                                         fields[k].name);
            return refuse(r, e, text);
        }
        if (given >> i & 1)
            return refuse(r, e, "the key stands here twice");
        given |= (uint64_t)1 << i;
        TL_TRY(read_field(r, &fields[i], e, object));
        r->path[before] = 0;
    }
    return TL_OK;
}

/* --- the parts of a look --- */

static const char *const material_words[] = {"diffuse", "metal", "plastic", "glass", NULL};
static const char *const view_words[] = {"fit", "fixed", "orbit", "follow", "path", NULL};
static const char *const sky_words[] = {"uniform", "gradient", "clear", "picture", NULL};
static const char *const light_words[] = {"disc", "quad", NULL};
static const char *const tone_words[] = {"plain", "filmic", NULL};
static const char *const wall_words[] = {"open", "solid", NULL};

/* A colour that no colour by bodies replaces: "own". */
static tl_status material_color(reader *r, const tl_json *v, void *object)
{
    tlr_material *m = object;
    m->own_color = true;
    TL_TRY(read_color(r, v, &m->color));
    return v_most(m->color) <= 1 ? TL_OK
                                 : refuse(r, v, "a surface gives back 1 at most of each colour");
}

/* A file beside the look: neither an absolute path nor one that leaves the folder. */
static tl_status read_file(reader *r, const tl_json *v, char out[TLR_TEXT])
{
    char name[TLR_TEXT];
    TL_TRY(read_text(r, v, sizeof name, name));
    if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../") || !strcmp(name, ".."))
        return refuse(r, v, "files must lie in the folder of the look or below it");
    if ((size_t)snprintf(out, TLR_TEXT, "%s%s", r->folder, name) >= TLR_TEXT)
        return refuse(r, v, "the name of the file is too long");
    return TL_OK;
}

/* A mesh that is drawn instead of balls. */
static tl_status material_mesh(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = r->look;
    char path[TLR_TEXT];
    TL_TRY(read_file(r, v, path));
    uint32_t i = 0;
    while (i < l->stone_count && strcmp(l->stones[i], path))
        i++;
    if (i == TLR_MOST_STONES)
        return refuse(r, v, "there are more than 16 meshes");
    memcpy(l->stones[i], path, sizeof path);
    l->stone_count = i == l->stone_count ? i + 1 : l->stone_count;
    ((tlr_material *)object)->stone = i + 1;
    return TL_OK;
}

static tl_status read_material(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_material, name)
    static const field fields[] = {{"kind", FIELD_WORD, AT(kind), 0, 0, material_words, NULL},
                                   {"color", FIELD_CALL, 0, 0, 0, NULL, material_color},
                                   {"roughness", FIELD_FLOAT, AT(roughness), 0, 1, NULL, NULL},
                                   {"ior", FIELD_FLOAT, AT(ior), 1.01, 4, NULL, NULL},
                                   {"stripes", FIELD_FLAG, AT(stripes), 0, 0, NULL, NULL},
                                   {"mesh", FIELD_CALL, 0, 0, 0, NULL, material_mesh},
                                   {"hidden", FIELD_FLAG, AT(hidden), 0, 0, NULL, NULL},
                                   {"uncut", FIELD_FLAG, AT(uncut), 0, 0, NULL, NULL},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    return read_object(r, v, fields, object);
}

/* The material of moving bodies: its colour is where colours by bodies start. */
static tl_status read_moving(reader *r, const tl_json *v, void *object)
{
    tlr_material *m = &((tlr_look *)object)->moving;
    TL_TRY(read_material(r, v, m));
    m->own_color = false;
    return TL_OK;
}

static tl_status read_fixed(reader *r, const tl_json *v, void *object)
{
    return read_material(r, v, &((tlr_look *)object)->fixed);
}

static tl_status read_floor(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->has_floor = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->has_floor ? read_material(r, v, &l->floor) : TL_OK;
}

static tl_status read_named(reader *r, const tl_json *v, tlr_named *list, size_t *count,
                            const tlr_material *start)
{
    if (v->kind != TL_JSON_OBJECT)
        return refuse(r, v, "expected an object: { }");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        const tl_text key = tl_json_key(&r->tree, e);
        const size_t before =
            go_down(r, "%.*s", (int)(key.length < 64 ? key.length : 64), key.data);
        size_t i = 0;
        while (i < *count && !tl_text_is(key, list[i].name))
            i++;
        if (key.length >= TLR_NAME)
            return refuse(r, e, "the name is longer than 127 bytes");
        if (i == TLR_MOST_NAMED)
            return refuse(r, e, "there are more than 256 names");
        if (i == *count) {
            memcpy(list[i].name, key.data, key.length);
            list[i].name[key.length] = 0;
            list[i].material = *start;
            ++*count;
        }
        TL_TRY(read_material(r, e, &list[i].material));
        r->path[before] = 0;
    }
    return TL_OK;
}

static tl_status read_materials(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    return read_named(r, v, l->materials, &l->material_count, &l->moving);
}

static tl_status read_bodies(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    return read_named(r, v, l->bodies, &l->body_count, &l->moving);
}

static tl_status read_keys(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_view_key, name)
    static const field fields[] = {{"time", FIELD_NUMBER, AT(time), -1e12, 1e12, NULL, NULL},
                                   {"eye", FIELD_VECTOR, AT(eye), 0, 0, NULL, NULL},
                                   {"target", FIELD_VECTOR, AT(target), 0, 0, NULL, NULL},
                                   {"fov", FIELD_NUMBER, AT(fov), 0.1, 170, NULL, NULL},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_view *view = object;
    view->key_count = 0;
    if (v->kind != TL_JSON_ARRAY)
        return refuse(r, v, "expected an array: [ ]");
    if (v->count > TLR_MOST_KEYS)
        return refuse(r, v, "there are more than 64 keys");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        char index[16];
        snprintf(index, sizeof index, "%zu", view->key_count);
        const size_t before = go_down(r, "[%.*s]", 15, index);
        tlr_view_key *key = &view->keys[view->key_count];
        *key = (tlr_view_key){.time = NAN, .eye = {NAN}, .target = {NAN}};
        TL_TRY(read_object(r, e, fields, key));
        if (isnan(key->time) || isnan(key->eye[0]) || isnan(key->target[0]))
            return refuse(r, e, "a key needs time, eye and target");
        if (view->key_count && !(key->time > key[-1].time))
            return refuse(r, e, "times must grow from key to key");
        view->key_count++;
        r->path[before] = 0;
    }
    return TL_OK;
}

/* A link of the viewer; later keys go over it. */
static tl_status read_link(reader *r, const tl_json *v, void *object)
{
    char text[1024];
    (void)object;
    TL_TRY(read_text(r, v, sizeof text, text));
    return tlr_look_link(r->look, text)
               ? TL_OK
               : refuse(r, v, "expected a link of the viewer, with cam=... in it");
}

static tl_status read_camera(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_view, name)
    static const field fields[] = {
        {"kind", FIELD_WORD, AT(kind), 0, 0, view_words, NULL},
        {"orthographic", FIELD_FLAG, AT(orthographic), 0, 0, NULL, NULL},
        {"height", FIELD_NUMBER, AT(height), 1e-9, 1e12, NULL, NULL},
        {"fov", FIELD_NUMBER, AT(fov), 0.1, 170, NULL, NULL},
        {"azimuth", FIELD_NUMBER, AT(azimuth), -36000, 36000, NULL, NULL},
        {"elevation", FIELD_NUMBER, AT(elevation), -90, 90, NULL, NULL},
        {"distance", FIELD_NUMBER, AT(distance), 1e-9, 1e12, NULL, NULL},
        {"turn", FIELD_NUMBER, AT(turn), -36000, 36000, NULL, NULL},
        {"margin", FIELD_NUMBER, AT(margin), 0, 0.45, NULL, NULL},
        {"eye", FIELD_VECTOR, AT(eye), 0, 0, NULL, NULL},
        {"target", FIELD_VECTOR, AT(target), 0, 0, NULL, NULL},
        {"up", FIELD_VECTOR, AT(up), 0, 0, NULL, NULL},
        {"body", FIELD_TEXT, AT(body), 0, TLR_NAME, NULL, NULL},
        {"lens", FIELD_NUMBER, AT(lens), 0, 1e9, NULL, NULL},
        {"focus", FIELD_NUMBER, AT(focus), 1e-9, 1e12, NULL, NULL},
        {"keys", FIELD_CALL, 0, 0, 0, NULL, read_keys},
        {"link", FIELD_CALL, 0, 0, 0, NULL, read_link},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_view *view = &((tlr_look *)object)->view;
    TL_TRY(read_object(r, v, fields, view));
    if (view->kind == TLR_VIEW_FIXED && (isnan(view->eye[0]) || isnan(view->target[0])))
        return refuse(r, v, "a fixed camera needs eye and target");
    if (view->kind == TLR_VIEW_FOLLOW && !*view->body)
        return refuse(r, v, "a camera that follows needs the name of a body");
    if (view->kind == TLR_VIEW_PATH && !view->key_count)
        return refuse(r, v, "a path needs keys");
    return TL_OK;
}

static tl_status read_sky_file(reader *r, const tl_json *v, void *object)
{
    return read_file(r, v, ((tlr_look *)object)->sky.file);
}

static tl_status read_sky(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, sky.name)
    static const field fields[] = {{"kind", FIELD_WORD, AT(kind), 0, 0, sky_words, NULL},
                                   {"color", FIELD_COLOR, AT(color), 0, 0, NULL, NULL},
                                   {"horizon", FIELD_COLOR, AT(horizon), 0, 0, NULL, NULL},
                                   {"ground", FIELD_COLOR, AT(ground), 0, 0, NULL, NULL},
                                   {"strength", FIELD_NUMBER, AT(strength), 0, 1e6, NULL, NULL},
                                   {"turbidity", FIELD_NUMBER, AT(turbidity), 2, 10, NULL, NULL},
                                   {"file", FIELD_CALL, 0, 0, 0, NULL, read_sky_file},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    TL_TRY(read_object(r, v, fields, l));
    if (l->sky.kind == TLR_SKY_PICTURE && !*l->sky.file)
        return refuse(r, v, "a sky of a picture needs a file");
    return TL_OK;
}

static tl_status read_sun(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, sun.name)
    static const field fields[] = {
        {"azimuth", FIELD_NUMBER, AT(azimuth), -36000, 36000, NULL, NULL},
        {"elevation", FIELD_NUMBER, AT(elevation), -90, 90, NULL, NULL},
        {"strength", FIELD_NUMBER, AT(strength), 0, 1e6, NULL, NULL},
        {"angle", FIELD_NUMBER, AT(angle), 0.01, 90, NULL, NULL},
        {"color", FIELD_COLOR, AT(color), 0, 0, NULL, NULL},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->sun.on = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->sun.on ? read_object(r, v, fields, l) : TL_OK;
}

static tl_status read_light(reader *r, const tl_json *v, tlr_look_light *light)
{
#define AT(name) offsetof(tlr_look_light, name)
    static const field fields[] = {
        {"kind", FIELD_WORD, AT(kind), 0, 0, light_words, NULL},
        {"azimuth", FIELD_NUMBER, AT(azimuth), -36000, 36000, NULL, NULL},
        {"elevation", FIELD_NUMBER, AT(elevation), -90, 90, NULL, NULL},
        {"distance", FIELD_NUMBER, AT(distance), 1e-3, 1e6, NULL, NULL},
        {"radius", FIELD_NUMBER, AT(radius), 1e-9, 1e9, NULL, NULL},
        {"size", FIELD_PAIR, AT(size), 1e-9, 1e9, NULL, NULL},
        {"position", FIELD_VECTOR, AT(position), 0, 0, NULL, NULL},
        {"target", FIELD_VECTOR, AT(target), 0, 0, NULL, NULL},
        {"strength", FIELD_NUMBER, AT(strength), 0, 1e9, NULL, NULL},
        {"color", FIELD_COLOR, AT(color), 0, 0, NULL, NULL},
        {"seen", FIELD_FLAG, AT(seen), 0, 0, NULL, NULL},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    *light = (tlr_look_light){.elevation = 45,
                              .distance = 3,
                              .radius = 1,
                              .size = {2, 2},
                              .position = {NAN, NAN, NAN},
                              .target = {NAN, NAN, NAN},
                              .strength = 5,
                              .color = {1, 1, 1}};
    TL_TRY(read_object(r, v, fields, light));
    if (isnan(light->position[0]) != isnan(light->target[0]))
        return refuse(r, v, "position and target go together");
    return TL_OK;
}

static tl_status read_lights(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->light_count = 0;
    if (v->kind != TL_JSON_ARRAY)
        return refuse(r, v, "expected an array: [ ]");
    if (v->count > TLR_MOST_AREAS)
        return refuse(r, v, "there are more than 16 lights");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        char index[16];
        snprintf(index, sizeof index, "%zu", l->light_count);
        const size_t before = go_down(r, "[%.*s]", 15, index);
        TL_TRY(read_light(r, e, &l->lights[l->light_count]));
        l->light_count++;
        r->path[before] = 0;
    }
    return TL_OK;
}

static tl_status read_background(reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->has_background = v->kind != TL_JSON_NULL;
    return l->has_background ? read_color(r, v, &l->background) : TL_OK;
}

static tl_status read_coloring(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, color.name)
    static const field fields[] = {{"by", FIELD_TEXT, AT(by), 0, TLR_TEXT, NULL, NULL},
                                   {"range", FIELD_PAIR, AT(range), -1e300, 1e300, NULL, NULL},
                                   {"map", FIELD_WORD, AT(map), 0, 0, tlr_maps, NULL},
                                   {"legend", FIELD_FLAG, AT(legend), 0, 0, NULL, NULL},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    TL_TRY(read_object(r, v, fields, l));
    if (!isnan(l->color.range[0]) && !(l->color.range[1] > l->color.range[0]))
        return refuse(r, v, "the second number of the range must be above the first");
    return TL_OK;
}

static tl_status read_chains(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, chains.name)
    static const field fields[] = {{"force", FIELD_NUMBER, AT(force), 1e-30, 1e30, NULL, NULL},
                                   {"radius", FIELD_NUMBER, AT(radius), 1e-9, 1e9, NULL, NULL},
                                   {"map", FIELD_WORD, AT(map), 0, 0, tlr_maps, NULL},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->chains.on = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->chains.on && v->kind != TL_JSON_TRUE ? read_object(r, v, fields, l) : TL_OK;
}

static tl_status read_cut(reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, name)
    static const field fields[] = {{"point", FIELD_VECTOR, AT(cut_point), 0, 0, NULL, NULL},
                                   {"normal", FIELD_VECTOR, AT(cut_normal), 0, 0, NULL, NULL},
                                   {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->cut = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    if (l->cut)
        TL_TRY(read_object(r, v, fields, l));
    const double *n = l->cut_normal;
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0 ? TL_OK : refuse(r, v, "the normal is zero");
}

#define AT(name) offsetof(tlr_look, name)
static const field look_fields[] = {
    {"$schema", FIELD_IGNORED, 0, 0, 0, NULL, NULL},
    {"comment", FIELD_IGNORED, 0, 0, 0, NULL, NULL},
    {"template", FIELD_IGNORED, 0, 0, 0, NULL, NULL}, /* read before everything else */
    {"size", FIELD_SIZE, AT(size), 2, 16384, NULL, NULL},
    {"fps", FIELD_NUMBER, AT(fps), 0.01, 1000, NULL, NULL},
    {"speed", FIELD_NUMBER, AT(speed), 1e-9, 1e9, NULL, NULL},
    {"from", FIELD_NUMBER, AT(from), -1e12, 1e12, NULL, NULL},
    {"to", FIELD_NUMBER, AT(to), -1e12, 1e12, NULL, NULL},
    {"shutter", FIELD_NUMBER, AT(shutter), 0, 1, NULL, NULL},
    {"samples", FIELD_COUNT, AT(samples), 1, 1 << 20, NULL, NULL},
    {"bounces", FIELD_COUNT, AT(bounces), 0, 10000, NULL, NULL},
    {"noise", FIELD_NUMBER, AT(noise), 0, 1, NULL, NULL},
    {"exposure", FIELD_NUMBER, AT(exposure), 1e-9, 1e9, NULL, NULL},
    {"tone", FIELD_WORD, AT(tone), 0, 0, tone_words, NULL},
    {"camera", FIELD_CALL, 0, 0, 0, NULL, read_camera},
    {"sky", FIELD_CALL, 0, 0, 0, NULL, read_sky},
    {"background", FIELD_CALL, 0, 0, 0, NULL, read_background},
    {"sun", FIELD_CALL, 0, 0, 0, NULL, read_sun},
    {"lights", FIELD_CALL, 0, 0, 0, NULL, read_lights},
    {"moving", FIELD_CALL, 0, 0, 0, NULL, read_moving},
    {"fixed", FIELD_CALL, 0, 0, 0, NULL, read_fixed},
    {"floor", FIELD_CALL, 0, 0, 0, NULL, read_floor},
    {"materials", FIELD_CALL, 0, 0, 0, NULL, read_materials},
    {"bodies", FIELD_CALL, 0, 0, 0, NULL, read_bodies},
    {"color", FIELD_CALL, 0, 0, 0, NULL, read_coloring},
    {"chains", FIELD_CALL, 0, 0, 0, NULL, read_chains},
    {"denoise", FIELD_FLAG, AT(denoise), 0, 0, NULL, NULL},
    {"cut", FIELD_CALL, 0, 0, 0, NULL, read_cut},
    {"walls", FIELD_WORD, AT(walls), 0, 0, wall_words, NULL},
    {"outline", FIELD_NUMBER, AT(outline), 0, 100, NULL, NULL},
    {"outline_color", FIELD_COLOR, AT(outline_color), 0, 0, NULL, NULL},
    {"title", FIELD_TEXT, AT(title), 0, TLR_TEXT, NULL, NULL},
    {"clock", FIELD_FLAG, AT(clock), 0, 0, NULL, NULL},
    {"scale_bar", FIELD_FLAG, AT(scale_bar), 0, 0, NULL, NULL},
    {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT

/* --- the file --- */

static void close_text(reader *r)
{
    tl_json_tree_free(&r->tree);
    tl_array_free(&r->tree.sources);
}

/* Opens the text as a tree; close_text() follows whatever the status. */
static tl_status open_text(reader *r, const char *name, const char *text, size_t length)
{
    tl_json_error error;
    r->tree = tl_json_tree_empty();
    r->source = (tl_json_source){.name = (char *)name, .text = (char *)text, .file = true};
    r->source.length = (uint32_t)length;
    TL_TRY(tl_array_append(&r->tree.sources, &r->source, 1));
    const tl_status status = tl_json_parse(&r->tree, 0, &error);
    if (status == TL_BAD_DATA) {
        const tl_json place = {.start = error.offset};
        return refuse(r, &place, error.text);
    }
    r->source.root = ((tl_json_source *)r->tree.sources.data)->root;
    return status;
}

tl_status tlr_look_parse(const char *name, const char *folder, const char *text, size_t length,
                         tlr_look *look)
{
    reader r = {.folder = folder, .look = look};
    tl_status status = open_text(&r, name, text, length);
    if (status == TL_OK)
        status = read_object(&r, tl_json_at(&r.tree, r.source.root), look_fields, look);
    look->hash = tlr_hash(look->hash, text, length);
    close_text(&r);
    return status;
}

/* The template that a look names; "studio" where it names none. */
static tl_status read_template(const char *name, const char *text, size_t length, char *out)
{
    reader r = {.folder = ""};
    tl_status status = open_text(&r, name, text, length);
    snprintf(out, TLR_NAME, "studio");
    const tl_json *root = status == TL_OK ? tl_json_at(&r.tree, r.source.root) : NULL;
    if (root && root->kind == TL_JSON_OBJECT)
        for (const tl_json *e = tl_json_first(&r.tree, root); e && status == TL_OK;
             e = tl_json_next(&r.tree, e))
            if (tl_text_is(tl_json_key(&r.tree, e), "template")) {
                snprintf(r.path, sizeof r.path, "template");
                int word;
                status = read_text(&r, e, TLR_NAME, out);
                const bool file = status == TL_OK && strstr(out, ".json");
                if (status == TL_OK && !file)
                    status = read_word(&r, e, tlr_templates, &word);
                if (file && (*out == '/' || strstr(out, "..")))
                    status = refuse(&r, e, "files must lie in the folder of the look or below it");
            }
    close_text(&r);
    return status;
}

static tl_status read_whole(const char *path, char **text, size_t *length)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    *text = NULL;
    if (!file)
        return tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
    *text = tl_alloc(MOST + 1);
    *length = *text ? fread(*text, 1, MOST + 1, file) : 0;
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!*text)
        return TL_NO_MEMORY;
    tl_status status = TL_OK;
    if (failed)
        status = tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
    else if (*length > MOST)
        status = tl_fail(TL_BAD_DATA, "%s: is larger than 1 MB, which no look is", path);
    if (status < 0) {
        tl_free(*text, MOST + 1);
        *text = NULL;
    } else {
        (*text)[*length] = 0;
    }
    return status;
}

static void free_whole(char *text)
{
    tl_free(text, (1 << 20) + 1);
}

/* A look over its template, which may be a file beside it with a template of its own, and so on. */
static tl_status read_over(const char *path, int depth, tlr_look **look)
{
    char *text = NULL, name[TLR_NAME], folder[TLR_TEXT] = "", below[TLR_TEXT + TLR_NAME];
    size_t length = 0;
    if (depth > 8)
        return tl_fail(TL_BAD_DATA, "%s: templates lead to each other without an end", path);
    TL_TRY(read_whole(path, &text, &length));
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    tl_status status = read_template(path, text, length, name);
    if (status == TL_OK && strstr(name, ".json")) {
        snprintf(below, sizeof below, "%s%s", folder, name);
        status = read_over(below, depth + 1, look);
    } else if (status == TL_OK) {
        status = tlr_look_create(name, look);
    }
    if (status == TL_OK)
        status = tlr_look_parse(path, folder, text, length, *look);
    free_whole(text);
    if (status < 0) {
        tlr_look_free(*look);
        *look = NULL;
    }
    return status;
}

tl_status tlr_look_read(const char *path, tlr_look **look)
{
    *look = NULL;
    return read_over(path, 0, look);
}
