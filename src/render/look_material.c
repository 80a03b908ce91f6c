/* Materials of looks: their keys, expressions, and the library that they may start from.
 * look_read.c calls. */
#include "render/look_reader.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const material_words[] = {"diffuse", "metal", "plastic", "glass", NULL};

/* The library: "from" names one. Colours of metals are their reflectances head on. */
static const struct {
    const char *name, *text;
} library[] = {
    {"granite",
     "{\"kind\": \"diffuse\", \"color\": [\"0.42 + 0.22*noise + 0.1*random\", \"0.4 + 0.22*noise + "
     "0.1*random\", \"0.39 + 0.2*noise + 0.1*random\"], \"bump\": \"0.02*radius*noise\"}"},
    {"sandstone",
     "{\"kind\": \"diffuse\", \"color\": [\"0.6 + 0.08*noise\", \"0.44 + 0.07*noise\", \"0.28 + "
     "0.05*noise\"], \"bump\": \"0.015*radius*noise\"}"},
    {"sand",
     "{\"kind\": \"diffuse\", \"color\": [\"0.62 + 0.14*(random - 0.5)\", \"0.48 + 0.12*(random - "
     "0.5)\", \"0.3 + 0.08*(random - 0.5)\"]}"},
    {"concrete",
     "{\"kind\": \"diffuse\", \"color\": [\"0.4 + 0.06*noise\", \"0.4 + 0.06*noise\", \"0.38 + "
     "0.06*noise\"], \"bump\": \"0.004*radius*noise\"}"},
    {"clay", "{\"kind\": \"diffuse\", \"color\": [0.48, 0.22, 0.13]}"},
    {"wood", "{\"kind\": \"plastic\", \"roughness\": 0.5, \"color\": [\"0.42 + "
             "0.1*sin(60*sqrt(px^2 + py^2)/max(radius, 1e-9) + 4*noise)\", \"0.24 + "
             "0.07*sin(60*sqrt(px^2 + py^2)/max(radius, 1e-9) + 4*noise)\", \"0.11 + "
             "0.04*sin(60*sqrt(px^2 + py^2)/max(radius, 1e-9) + 4*noise)\"]}"},
    {"rubber", "{\"kind\": \"plastic\", \"roughness\": 0.6, \"color\": [0.03, 0.03, 0.032]}"},
    {"steel",
     "{\"kind\": \"metal\", \"color\": [0.56, 0.57, 0.58], \"roughness\": \"0.28 + 0.1*noise\"}"},
    {"rust",
     "{\"kind\": \"diffuse\", \"color\": [\"0.33 + 0.14*noise\", \"0.13 + 0.07*noise\", \"0.05 + "
     "0.03*noise\"], \"bump\": \"0.01*radius*noise\"}"},
    {"aluminium", "{\"kind\": \"metal\", \"color\": [0.91, 0.92, 0.92], \"roughness\": 0.3}"},
    {"copper", "{\"kind\": \"metal\", \"color\": [0.95, 0.64, 0.54], \"roughness\": 0.2}"},
    {"gold", "{\"kind\": \"metal\", \"color\": [1.0, 0.77, 0.34], \"roughness\": 0.15}"},
    {"glass", "{\"kind\": \"glass\", \"color\": [1, 1, 1], \"ior\": 1.5}"},
    {"ice", "{\"kind\": \"glass\", \"color\": [0.93, 0.97, 1], \"ior\": 1.31, \"bump\": "
            "\"0.01*radius*noise\"}"}};

enum { LIBRARY = sizeof library / sizeof *library };

/* The shading of a material that is being read: a copy of its own, so that others keep theirs. */
static tl_status own_shade(tlr_reader *r, const tl_json *v, tlr_material *m)
{
    tlr_look *l = r->look;
    if (r->shade && m->shade == r->shade)
        return TL_OK;
    if (l->shade_count == TLR_MOST_SHADES)
        return tlr_refuse(r, v, "there are more than 64 materials with expressions or shaders");
    l->shades[l->shade_count] = m->shade ? l->shades[m->shade - 1] : (tlr_shade_def){{{0}}, {0}, 0};
    m->shade = r->shade = (uint32_t)++l->shade_count;
    return TL_OK;
}

static tl_status read_expression(tlr_reader *r, const tl_json *v, tlr_material *m, int which)
{
    char text[TLR_SHADE_TEXT], said[900];
    tl_expression_error error;
    TL_TRY(tlr_read_text(r, v, sizeof text, text));
    const tl_status status = tlr_shade_check(tl_text_of(text), &error);
    snprintf(said, sizeof said, "'%s': %s; expressions of materials may use %s", text, error.text,
             tlr_shade_variables());
    if (status == TL_BAD_DATA)
        return tlr_refuse(r, v, said);
    TL_TRY(status);
    TL_TRY(own_shade(r, v, m));
    memcpy(r->look->shades[m->shade - 1].text[which], text, sizeof text);
    return TL_OK;
}

/* A number from 0 to 1 that may be an expression. */
static tl_status read_value(tlr_reader *r, const tl_json *v, tlr_material *m, int which, float *out)
{
    double number = 0;
    if (v->kind == TL_JSON_STRING)
        return read_expression(r, v, m, which);
    TL_TRY(tlr_read_number(r, v, 0, 1, &number));
    *out = (float)number;
    if (m->shade) {
        TL_TRY(own_shade(r, v, m));
        r->look->shades[m->shade - 1].text[which][0] = 0;
    }
    return TL_OK;
}

/* A colour that no colour by bodies replaces: "own". */
static tl_status material_color(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_material *m = object;
    bool expressions = false;
    float *const parts[] = {&m->color.x, &m->color.y, &m->color.z};
    int n = 0;
    m->own_color = true;
    if (v->kind == TL_JSON_ARRAY && v->count == 3)
        for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e))
            expressions = expressions || e->kind == TL_JSON_STRING;
    if (expressions || (m->shade && v->kind == TL_JSON_ARRAY && v->count == 3)) {
        for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e), n++)
            TL_TRY(read_value(r, e, m, TLR_SHADE_RED + n, parts[n]));
        return TL_OK;
    }
    TL_TRY(tlr_read_color(r, v, &m->color));
    for (int i = 0; i < 3 && m->shade; i++) {
        TL_TRY(own_shade(r, v, m));
        r->look->shades[m->shade - 1].text[TLR_SHADE_RED + i][0] = 0;
    }
    return v_most(m->color) <= 1
               ? TL_OK
               : tlr_refuse(r, v, "a surface gives back 1 at most of each colour");
}

static tl_status material_roughness(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_material *m = object;
    return read_value(r, v, m, TLR_SHADE_ROUGHNESS, &m->roughness);
}

static tl_status material_bump(tlr_reader *r, const tl_json *v, void *object)
{
    return read_expression(r, v, object, TLR_SHADE_BUMP);
}

static tl_status material_grain(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_material *m = object;
    double grain = 0;
    TL_TRY(tlr_read_number(r, v, 1e-12, 1e12, &grain));
    TL_TRY(own_shade(r, v, m));
    r->look->shades[m->shade - 1].grain = grain;
    return TL_OK;
}

/* A shader by its name: which file has it, the command line says. */
static tl_status material_shader(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_material *m = object;
    TL_TRY(own_shade(r, v, m));
    return tlr_read_text(r, v, TLR_SHADE_NAME, r->look->shades[m->shade - 1].shader);
}

/* A file beside the look: neither an absolute path nor one that leaves the folder. */
tl_status tlr_read_file(tlr_reader *r, const tl_json *v, char out[TLR_TEXT])
{
    char name[TLR_TEXT];
    TL_TRY(tlr_read_text(r, v, sizeof name, name));
    if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../") || !strcmp(name, ".."))
        return tlr_refuse(r, v, "files must lie in the folder of the look or below it");
    if ((size_t)snprintf(out, TLR_TEXT, "%s%s", r->folder, name) >= TLR_TEXT)
        return tlr_refuse(r, v, "the name of the file is too long");
    return TL_OK;
}

/* A mesh that is drawn instead of balls. */
static tl_status material_mesh(tlr_reader *r, const tl_json *v, void *object)
{
    tlr_look *l = r->look;
    char path[TLR_TEXT];
    TL_TRY(tlr_read_file(r, v, path));
    uint32_t i = 0;
    while (i < l->stone_count && strcmp(l->stones[i], path))
        i++;
    if (i == TLR_MOST_STONES)
        return tlr_refuse(r, v, "there are more than 16 meshes");
    memcpy(l->stones[i], path, sizeof path);
    l->stone_count = i == l->stone_count ? i + 1 : l->stone_count;
    ((tlr_material *)object)->stone = i + 1;
    return TL_OK;
}

/* What a material of the library is, which is read as if it stood here. */
static tl_status start_from(tlr_reader *r, const tl_json *v, tlr_material *m)
{
    char name[64], said[400];
    TL_TRY(tlr_read_text(r, v, sizeof name, name));
    size_t used = (size_t)snprintf(said, sizeof said, "expected one of");
    for (size_t i = 0; i < LIBRARY; i++) {
        used += (size_t)snprintf(said + used, sizeof said - used, "%s \"%s\"", i ? "," : "",
                                 library[i].name);
        if (strcmp(library[i].name, name))
            continue;
        tlr_reader own = {.folder = "", .look = r->look};
        tl_status status =
            tlr_open_text(&own, library[i].name, library[i].text, strlen(library[i].text));
        m->shade = 0;
        if (status == TL_OK)
            status = tlr_read_material(&own, tl_json_at(&own.tree, own.source.root), m);
        tlr_close_text(&own);
        return status;
    }
    return tlr_refuse(r, v, said);
}

tl_status tlr_read_material(tlr_reader *r, const tl_json *v, void *object)
{
#define AT(name) offsetof(tlr_material, name)
    static const tlr_field fields[] = {{"from", FIELD_IGNORED, 0, 0, 0, NULL, NULL},
                                       {"kind", FIELD_WORD, AT(kind), 0, 0, material_words, NULL},
                                       {"color", FIELD_CALL, 0, 0, 0, NULL, material_color},
                                       {"roughness", FIELD_CALL, 0, 0, 0, NULL, material_roughness},
                                       {"bump", FIELD_CALL, 0, 0, 0, NULL, material_bump},
                                       {"grain", FIELD_CALL, 0, 0, 0, NULL, material_grain},
                                       {"shader", FIELD_CALL, 0, 0, 0, NULL, material_shader},
                                       {"ior", FIELD_FLOAT, AT(ior), 1.01, 4, NULL, NULL},
                                       {"stripes", FIELD_FLAG, AT(stripes), 0, 0, NULL, NULL},
                                       {"mesh", FIELD_CALL, 0, 0, 0, NULL, material_mesh},
                                       {"hidden", FIELD_FLAG, AT(hidden), 0, 0, NULL, NULL},
                                       {"uncut", FIELD_FLAG, AT(uncut), 0, 0, NULL, NULL},
                                       {NULL, FIELD_IGNORED, 0, 0, 0, NULL, NULL}};
#undef AT
    r->shade = 0;
    if (v->kind == TL_JSON_OBJECT) /* first, wherever it stands */
        for (const tl_json *e = tl_json_first(&r->tree, v); e; e = tl_json_next(&r->tree, e))
            if (tl_text_is(tl_json_key(&r->tree, e), "from")) {
                tl_text key;
                const size_t before = tlr_go_to_key(r, e, &key);
                TL_TRY(start_from(r, e, object));
                r->path[before] = 0;
            }
    return tlr_read_object(r, v, fields, object);
}
