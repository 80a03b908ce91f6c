/* The keys of look.json, and the files; look_reader.c takes the values. */
#include "render/look_reader.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- the parts of a look --- */

static const char *const view_words[] = {"fit", "fixed", "orbit", "follow", "path", NULL};
static const char *const sky_words[] = {"uniform", "gradient", "clear", "picture", NULL};
static const char *const light_words[] = {"disc", "quad", NULL};
static const char *const tone_words[] = {"plain", "filmic", NULL};
static const char *const wall_words[] = {"open", "solid", NULL};

/* The material of moving bodies: its colour is where colours by bodies start. */
static tl_status read_moving(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_material *m = &((tlr_look *)object)->moving;
    TL_TRY(tlr_read_material(r, v, m));
    m->own_color = false;
    return TL_OK;
}

static tl_status read_fixed(tlr_reader *r, const tl_json *v, void *object)
{
    return tlr_read_material(r, v, &((tlr_look *)object)->fixed);
}

static tl_status read_floor(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->has_floor = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->has_floor ? tlr_read_material(r, v, &l->floor) : TL_OK;
}

static tl_status read_named(tlr_reader *r, const tl_json *v, tlr_named *list, size_t *count,
                            const tlr_material *start)
{
    if (v->kind != TL_JSON_OBJECT)
        return tlr_refuse(r, v, "expected an object: { }");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        tl_text key;
        const size_t before = tlr_go_to_key(r, e, &key);
        size_t i = 0;
        while (i < *count && !tl_text_is(key, list[i].name))
            i++;
        if (key.length >= TLR_NAME)
            return tlr_refuse(r, e, "the name is longer than 127 bytes");
        if (i == TLR_MOST_NAMED)
            return tlr_refuse(r, e, "there are more than 256 names");
        if (i == *count) {
            memcpy(list[i].name, key.data, key.length);
            list[i].name[key.length] = 0;
            list[i].material = *start;
            ++*count;
        }
        TL_TRY(tlr_read_material(r, e, &list[i].material));
        r->path[before] = 0;
    }
    return TL_OK;
}

static tl_status read_materials(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    return read_named(r, v, l->materials, &l->material_count, &l->moving);
}

static tl_status read_bodies(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    return read_named(r, v, l->bodies, &l->body_count, &l->moving);
}

static tl_status read_keys(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_view_key, name)
    static const tlr_field fields[] = {{"time", FIELD_NUMBER, AT(time), -1e12, 1e12, NULL, NULL},
                                       {"eye", FIELD_VECTOR, AT(eye), 0, 0, NULL, NULL},
                                       {"target", FIELD_VECTOR, AT(target), 0, 0, NULL, NULL},
                                       {"fov", FIELD_NUMBER, AT(fov), 0.1, 170, NULL, NULL},
                                       {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_view *view = object;
    view->key_count = 0;
    if (v->kind != TL_JSON_ARRAY)
        return tlr_refuse(r, v, "expected an array: [ ]");
    if (v->count > TLR_MOST_KEYS)
        return tlr_refuse(r, v, "there are more than 64 keys");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        char index[16];
        snprintf(index, sizeof index, "%zu", view->key_count);
        const size_t before = tlr_go_down(r, "[%.*s]", 15, index);
        tlr_view_key *key = &view->keys[view->key_count];
        *key = (tlr_view_key){.time = NAN, .eye = {NAN}, .target = {NAN}};
        TL_TRY(tlr_read_object(r, e, fields, key));
        if (isnan(key->time) || isnan(key->eye[0]) || isnan(key->target[0]))
            return tlr_refuse(r, e, "a key needs time, eye and target");
        if (view->key_count && !(key->time > key[-1].time))
            return tlr_refuse(r, e, "times must grow from key to key");
        view->key_count++;
        r->path[before] = 0;
    }
    return TL_OK;
}

/* A link of the viewer; later keys go over it. */
static tl_status read_link(tlr_reader *r, const tl_json *v, void *object)
{
    char text[1024];
    (void)object;
    TL_TRY(tlr_read_text(r, v, sizeof text, text));
    return tlr_look_link(r->look, text)
               ? TL_OK
               : tlr_refuse(r, v, "expected a link of the viewer, with cam=... in it");
}

static tl_status read_camera(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_view, name)
    static const tlr_field fields[] = {
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
    TL_TRY(tlr_read_object(r, v, fields, view));
    if (view->kind == TLR_VIEW_FIXED && (isnan(view->eye[0]) || isnan(view->target[0])))
        return tlr_refuse(r, v, "a fixed camera needs eye and target");
    if (view->kind == TLR_VIEW_FOLLOW && !*view->body)
        return tlr_refuse(r, v, "a camera that follows needs the name of a body");
    if (view->kind == TLR_VIEW_PATH && !view->key_count)
        return tlr_refuse(r, v, "a path needs keys");
    return TL_OK;
}

static tl_status read_sky_file(tlr_reader *r, const tl_json *v, void *object)
{
    return tlr_read_file(r, v, ((tlr_look *)object)->sky.file);
}

static tl_status read_sky(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, sky.name)
    static const tlr_field fields[] = {
        {"kind", FIELD_WORD, AT(kind), 0, 0, sky_words, NULL},
        {"color", FIELD_COLOR, AT(color), 0, 0, NULL, NULL},
        {"horizon", FIELD_COLOR, AT(horizon), 0, 0, NULL, NULL},
        {"ground", FIELD_COLOR, AT(ground), 0, 0, NULL, NULL},
        {"strength", FIELD_NUMBER, AT(strength), 0, 1e6, NULL, NULL},
        {"turbidity", FIELD_NUMBER, AT(turbidity), 2, 10, NULL, NULL},
        {"file", FIELD_CALL, 0, 0, 0, NULL, read_sky_file},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    TL_TRY(tlr_read_object(r, v, fields, l));
    if (l->sky.kind == TLR_SKY_PICTURE && !*l->sky.file)
        return tlr_refuse(r, v, "a sky of a picture needs a file");
    return TL_OK;
}

static tl_status read_sun(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, sun.name)
    static const tlr_field fields[] = {
        {"azimuth", FIELD_NUMBER, AT(azimuth), -36000, 36000, NULL, NULL},
        {"elevation", FIELD_NUMBER, AT(elevation), -90, 90, NULL, NULL},
        {"strength", FIELD_NUMBER, AT(strength), 0, 1e6, NULL, NULL},
        {"angle", FIELD_NUMBER, AT(angle), 0.01, 90, NULL, NULL},
        {"color", FIELD_COLOR, AT(color), 0, 0, NULL, NULL},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->sun.on = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->sun.on ? tlr_read_object(r, v, fields, l) : TL_OK;
}

static tl_status read_light(tlr_reader *r, const tl_json *v, tlr_look_light *light)
{
#define AT(name) offsetof(tlr_look_light, name)
    static const tlr_field fields[] = {
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
    TL_TRY(tlr_read_object(r, v, fields, light));
    if (isnan(light->position[0]) != isnan(light->target[0]))
        return tlr_refuse(r, v, "position and target go together");
    return TL_OK;
}

static tl_status read_lights(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->light_count = 0;
    if (v->kind != TL_JSON_ARRAY)
        return tlr_refuse(r, v, "expected an array: [ ]");
    if (v->count > TLR_MOST_AREAS)
        return tlr_refuse(r, v, "there are more than 16 lights");
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        char index[16];
        snprintf(index, sizeof index, "%zu", l->light_count);
        const size_t before = tlr_go_down(r, "[%.*s]", 15, index);
        TL_TRY(read_light(r, e, &l->lights[l->light_count]));
        l->light_count++;
        r->path[before] = 0;
    }
    return TL_OK;
}

static tl_status read_background(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    l->has_background = v->kind != TL_JSON_NULL;
    return l->has_background ? tlr_read_color(r, v, &l->background) : TL_OK;
}

static tl_status read_coloring(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, color.name)
    static const tlr_field fields[] = {{"by", FIELD_TEXT, AT(by), 0, TLR_TEXT, NULL, NULL},
                                       {"range", FIELD_PAIR, AT(range), -1e300, 1e300, NULL, NULL},
                                       {"map", FIELD_WORD, AT(map), 0, 0, tlr_maps, NULL},
                                       {"legend", FIELD_FLAG, AT(legend), 0, 0, NULL, NULL},
                                       {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    TL_TRY(tlr_read_object(r, v, fields, l));
    if (!isnan(l->color.range[0]) && !(l->color.range[1] > l->color.range[0]))
        return tlr_refuse(r, v, "the second number of the range must be above the first");
    return TL_OK;
}

static tl_status read_chains(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, chains.name)
    static const tlr_field fields[] = {{"force", FIELD_NUMBER, AT(force), 1e-30, 1e30, NULL, NULL},
                                       {"radius", FIELD_NUMBER, AT(radius), 1e-9, 1e9, NULL, NULL},
                                       {"map", FIELD_WORD, AT(map), 0, 0, tlr_maps, NULL},
                                       {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->chains.on = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    return l->chains.on && v->kind != TL_JSON_TRUE ? tlr_read_object(r, v, fields, l) : TL_OK;
}

static tl_status read_object_file(tlr_reader *r, const tl_json *v, void *object)
{
    return tlr_read_file(r, v, ((tlr_look_object *)object)->file);
}

static tl_status read_object_material(tlr_reader *r, const tl_json *v, void *object)
{
    return tlr_read_material(r, v, &((tlr_look_object *)object)->material);
}

static const char *const inject_words[] = {"bodies", NULL};

/* One of the scene: a mesh, or the directive that bodies take the place of. */
static tl_status read_object(tlr_reader *r, const tl_json *v, tlr_look_object *o, bool *inject)
{
    int word = -1;
    *inject = false;
    if (v->kind == TL_JSON_OBJECT && v->count == 1) {
        const tl_json *only = tl_json_first(&r->tree, v);
        if (tl_text_is(tl_json_key(&r->tree, only), "inject")) {
            *inject = true;
            return tlr_read_word(r, only, inject_words, &word);
        }
    }
#define AT(name) offsetof(tlr_look_object, name)
    static const tlr_field fields[] = {
        {"mesh", FIELD_CALL, 0, 0, 0, NULL, read_object_file},
        {"position", FIELD_VECTOR, AT(position), 0, 0, NULL, NULL},
        {"rotation", FIELD_VECTOR, AT(rotation), 0, 0, NULL, NULL},
        {"scale", FIELD_NUMBER, AT(scale), 1e-12, 1e12, NULL, NULL},
        {"material", FIELD_CALL, 0, 0, 0, NULL, read_object_material},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    *o = (tlr_look_object){.scale = 1, .material = r->look->fixed};
    o->material.own_color = true;
    o->material.hidden = false; /* fixed bodies may be, what stands around is not */
    o->material.stone = 0;
    TL_TRY(tlr_read_object(r, v, fields, o));
    return *o->file
               ? TL_OK
               : tlr_refuse(r, v, "expected a 'mesh', a file, or \"inject\": \"bodies\" alone");
}

static tl_status read_scene(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = object;
    int injected = 0;
    l->object_count = 0;
    if (v->kind != TL_JSON_ARRAY)
        return tlr_refuse(r, v, "expected an array: [ ]");
    if (v->count > TLR_MOST_OBJECTS)
        return tlr_refuse(r, v, "there are more than 64 entries");
    int number = 0;
    for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e)) {
        char index[16];
        bool inject;
        snprintf(index, sizeof index, "%d", number++);
        const size_t before = tlr_go_down(r, "[%.*s]", 15, index);
        TL_TRY(read_object(r, e, &l->objects[l->object_count], &inject));
        injected += inject;
        l->object_count += !inject;
        r->path[before] = 0;
    }
    return injected == 1
               ? TL_OK
               : tlr_refuse(r, v, "expected {\"inject\": \"bodies\"} once, where the bodies go");
}

/* Names of columns, by what they hold. */
static tl_status read_columns(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_field fields[TLR_COLUMNS + 1] = {{NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
    for (size_t i = 0; i < TLR_COLUMNS; i++)
        fields[i] = (tlr_field){.name = tlr_column_names[i],
                                .kind = FIELD_TEXT,
                                .offset = offsetof(tlr_look, input.columns) + i * TLR_COLUMN_NAME,
                                .high = TLR_COLUMN_NAME};
    return tlr_read_object(r, v, fields, object);
}

static tl_status read_input(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, input.name)
    static const tlr_field fields[] = {
        {"columns", FIELD_CALL, 0, 0, 0, NULL, read_columns},
        {"radius", FIELD_NUMBER, AT(radius), 1e-12, 1e12, NULL, NULL},
        {"scale", FIELD_NUMBER, AT(scale), 1e-12, 1e12, NULL, NULL},
        {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    return tlr_read_object(r, v, fields, object);
}

static tl_status read_cut(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_look, name)
    static const tlr_field fields[] = {{"point", FIELD_VECTOR, AT(cut_point), 0, 0, NULL, NULL},
                                       {"normal", FIELD_VECTOR, AT(cut_normal), 0, 0, NULL, NULL},
                                       {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    tlr_look *l = object;
    l->cut = v->kind != TL_JSON_NULL && v->kind != TL_JSON_FALSE;
    if (l->cut)
        TL_TRY(tlr_read_object(r, v, fields, l));
    const double *n = l->cut_normal;
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0 ? TL_OK
                                                       : tlr_refuse(r, v, "the normal is zero");
}

#define AT(name) offsetof(tlr_look, name)
static const tlr_field look_fields[] = {
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
    {"seed", FIELD_COUNT, AT(seed), 0, UINT32_MAX, NULL, NULL},
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
    {"scene", FIELD_CALL, 0, 0, 0, NULL, read_scene},
    {"input", FIELD_CALL, 0, 0, 0, NULL, read_input},
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

tl_status tlr_look_parse(const char *name, const char *folder, const char *text, size_t length,
                         tlr_look *look)
{
    tlr_reader r = {.folder = folder, .look = look};
    tl_status status = tlr_open_text(&r, name, text, length);
    if (status == TL_OK)
        status = tlr_read_object(&r, tl_json_at(&r.tree, r.source.root), look_fields, look);
    look->hash = tlr_hash(look->hash, text, length);
    tlr_close_text(&r);
    return status;
}

/* The template that a look names; "studio" where it names none. */
static tl_status read_template(const char *name, const char *text, size_t length, char *out)
{
    tlr_reader r = {.folder = ""};
    tl_status status = tlr_open_text(&r, name, text, length);
    snprintf(out, TLR_NAME, "studio");
    const tl_json *root = status == TL_OK ? tl_json_at(&r.tree, r.source.root) : NULL;
    if (root && root->kind == TL_JSON_OBJECT)
        for (const tl_json *e = tl_json_first(&r.tree, root); e && status == TL_OK;
             e = tl_json_next(&r.tree, e))
            if (tl_text_is(tl_json_key(&r.tree, e), "template")) {
                snprintf(r.path, sizeof r.path, "template");
                int word;
                status = tlr_read_text(&r, e, TLR_NAME, out);
                const bool file = status == TL_OK && strstr(out, ".json");
                if (status == TL_OK && !file)
                    status = tlr_read_word(&r, e, tlr_templates, &word);
                if (file && (*out == '/' || strstr(out, "..")))
                    status =
                        tlr_refuse(&r, e, "files must lie in the folder of the look or below it");
            }
    tlr_close_text(&r);
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
