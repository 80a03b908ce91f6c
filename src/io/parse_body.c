/* The list of bodies: one body an entry, or many by "positions" or "repeat". Bodies are added to
 * the scene in batches. Called by parse_scene.c. */
#include "io/parse.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024, MOST_REPEATS = 1000000 };

/* Where a waiting body comes from, and where its shapes, tables and texts are in the batch. */
typedef struct waiting_place {
    const tl_json *entry;
    size_t shapes, table, text;
} waiting_place;

enum {
    NAME,
    KIND,
    POSITION,
    POSITIONS,
    ORIENTATION,
    VELOCITY,
    ANGULAR_VELOCITY,
    DENSITY,
    MASS,
    INERTIA,
    CENTRE,
    GROUP,
    MASK,
    SHAPES,
    MOTION,
    REPEAT,
    KEYS
};
static const char *const keys[] = {"name",        "kind",     "position",         "positions",
                                   "orientation", "velocity", "angular_velocity", "density",
                                   "mass",        "inertia",  "centre_of_mass",   "group",
                                   "mask",        "shapes",   "motion",           "repeat"};

/* ---- Batches ---- */

/* The library counts the bodies of a batch. */
__attribute__((cold)) static tl_status refuse_batch(tl_reader *r, tl_status status)
{
    const waiting_place *places = r->waiting.places.data;
    const size_t index = tl_last_error().index;
    const size_t number = index == TL_NO_INDEX ? 0 : index;
    while (r->repeats) /* the fault is that of an earlier body */
        tl_repeat_end(r);
    return tl_read_refused(r, places[number].entry, status);
}

static tl_status add_waiting(tl_reader *r)
{
    tl_waiting *w = &r->waiting;
    tl_body_def *defs = w->defs.data;
    const waiting_place *places = w->places.data;
    for (size_t i = 0; i < w->defs.count; i++) {
        if (defs[i].shape_count)
            defs[i].shapes = (tl_shape_def *)w->shapes.data + places[i].shapes;
        if (defs[i].kind == TL_PRESCRIBED)
            tl_motion_attach(&defs[i].motion,
                             w->tables.data ? (double *)w->tables.data + places[i].table : NULL,
                             w->texts.data ? (char *)w->texts.data + places[i].text : NULL);
    }
    tl_status status = tl_scene_add_bodies(r->scene, w->defs.count, defs, NULL);
    if (status < 0)
        return refuse_batch(r, status);
    w->defs.count = w->places.count = w->shapes.count = w->tables.count = w->texts.count = 0;
    return TL_OK;
}

/* Puts a body with the entry's shapes, tables and texts into the batch. */
static tl_status wait_for(tl_reader *r, const tl_json *entry, const tl_body_def *def)
{
    tl_waiting *w = &r->waiting;
    const waiting_place place = {entry, w->shapes.count, w->tables.count, w->texts.count};
    TL_TRY(tl_read_charge(r, entry, 1, def->shape_count + r->entry_table.count / 4));
    TL_TRY(tl_array_append(&w->shapes, r->entry_shapes.data, def->shape_count));
    TL_TRY(tl_array_append(&w->tables, r->entry_table.data, r->entry_table.count));
    TL_TRY(tl_array_append(&w->texts, r->entry_texts.data, r->entry_texts.count));
    TL_TRY(tl_array_append(&w->places, &place, 1));
    TL_TRY(tl_array_append(&w->defs, def, 1));
    if (w->defs.count >= BATCH || w->shapes.count >= 16 * BATCH || w->tables.count >= 64 * BATCH ||
        w->texts.count >= 512 * BATCH)
        return add_waiting(r);
    return TL_OK;
}

/* ---- One body ---- */

static tl_status check_dynamic_alone(const tl_reader *r, const tl_json *entry,
                                     const tl_json *const *f, uint32_t kind)
{
    static const uint8_t only[] = {VELOCITY, ANGULAR_VELOCITY, DENSITY, MASS, INERTIA, CENTRE};
    for (size_t i = 0; i < sizeof only && kind != TL_DYNAMIC; i++)
        if (f[only[i]])
            return tl_read_fail_key(r, entry, f[only[i]],
                                    "has '%s', expected none on a body of kind \"%s\"%s",
                                    keys[only[i]], tl_word(TL_WORDS_BODY, kind),
                                    only[i] <= ANGULAR_VELOCITY ? "; 'motion' moves one" : "");
    if (f[MOTION] && kind != TL_PRESCRIBED)
        return tl_read_fail_key(r, entry, f[MOTION],
                                "has 'motion', expected one with kind \"prescribed\" alone");
    return TL_OK;
}

static tl_status read_mass(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                           tl_body_def *def)
{
    if (f[MASS] && f[DENSITY])
        return tl_read_fail_key(r, entry, f[MASS],
                                "has both 'mass' and 'density', expected one of them");
    TL_TRY(tl_read_number(r, f[DENSITY], TL_ABOVE_0("kg/m^3"), &def->density));
    TL_TRY(tl_read_number(r, f[MASS], TL_ABOVE_0("kg"), &def->mass));
    TL_TRY(tl_read_vector(r, f[INERTIA], 3, TL_ABOVE_0("kg m^2"), def->inertia));
    TL_TRY(tl_read_vector(r, f[CENTRE], 3, TL_ANY("m"), def->centre_of_mass));
    if (f[CENTRE] && !f[INERTIA])
        return tl_read_fail_key(r, entry, f[CENTRE],
                                "has 'centre_of_mass', expected it beside 'inertia' alone: "
                                "otherwise the shapes give it");
    if (def->shape_count || (f[MASS] && f[INERTIA]))
        return TL_OK;
    return tl_read_fail(r, entry, "has no shapes, expected 'shapes', or both 'mass' and 'inertia'");
}

static tl_status read_shapes(tl_reader *r, const tl_json *entry, const tl_json *list,
                             tl_body_def *def)
{
    r->entry_shapes.count = 0;
    if (!list && def->kind != TL_DYNAMIC)
        return tl_read_missing(r, entry, "shapes", "an array of shapes");
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of shapes"));
    if (!list->count && def->kind != TL_DYNAMIC)
        return tl_read_expected(r, list, "at least one shape");
    TL_TRY(tl_read_shapes(r, list, def->kind, &r->entry_shapes));
    def->shape_count = r->entry_shapes.count;
    return TL_OK;
}

static tl_status read_body(tl_reader *r, const tl_json *entry, const tl_json *const *f,
                           tl_body_def *def)
{
    uint32_t kind = TL_DYNAMIC;
    *def = tl_body_default();
    r->entry_table.count = r->entry_texts.count = 0;
    TL_TRY(tl_read_choice(r, f[KIND], tl_words(TL_WORDS_BODY), &kind));
    def->kind = (tl_body_kind)kind;
    TL_TRY(check_dynamic_alone(r, entry, f, kind));
    TL_TRY(tl_read_vector(r, f[POSITION], 3, TL_ANY("m"), def->position));
    TL_TRY(tl_read_orientation(r, f[ORIENTATION], def->orientation));
    TL_TRY(tl_read_vector(r, f[VELOCITY], 3, TL_ANY("m/s"), def->velocity));
    TL_TRY(tl_read_vector(r, f[ANGULAR_VELOCITY], 3, TL_ANY("rad/s"), def->angular_velocity));
    tl_frame_point(r, def->position);
    tl_frame_turn(r, def->orientation);
    tl_frame_direction(r, def->velocity);
    tl_frame_direction(r, def->angular_velocity);
    r->filter = tl_no_filter;
    TL_TRY(tl_read_filter(r, f[GROUP], f[MASK], &r->filter));
    TL_TRY(read_shapes(r, entry, f[SHAPES], def));
    if (kind == TL_DYNAMIC)
        TL_TRY(read_mass(r, entry, f, def));
    return f[MOTION] ? tl_read_motion(r, f[MOTION], &def->motion) : TL_OK;
}

/* ---- Entries ---- */

tl_status tl_read_entry(tl_reader *r, const tl_json *entry, const tl_json *name, tl_span span)
{
    tl_text text = {0};
    TL_TRY(tl_read_string(r, name, "a name", &text));
    span.start = entry->start;
    span.source = entry->source;
    if (name) {
        const tl_span *other = tl_document_find_span(r->document, tl_scope_prefix(r), text);
        char shown[64];
        if (other)
            return tl_read_fail(r, name, "is %s, the name of %s[%u], expected another",
                                tl_read_show(r, name, shown, sizeof shown),
                                tl_section_name((tl_section)other->section), other->entry);
        TL_TRY(tl_read_keep(r, text, &span.name));
    }
    return tl_document_add_span(r->document, &span);
}

static tl_status add_positions(tl_reader *r, const tl_json *entry, const tl_json *list,
                               tl_body_def *def)
{
    TL_TRY(tl_read_array(r, list, "an array of positions [x, y, z] (m)"));
    if (!list->count)
        return tl_read_expected(r, list, "at least one position [x, y, z] (m)");
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        TL_TRY(tl_read_vector(r, v, 3, TL_ANY("m"), def->position));
        tl_frame_point(r, def->position);
        TL_TRY(wait_for(r, entry, def));
    }
    return TL_OK;
}

static tl_status check_index(const tl_reader *r, const tl_json *value, tl_text name)
{
    const tl_parameter *known = r->parameters.data;
    char text[64];
    bool taken = !tl_expression_is_name(name) || tl_expression_is_taken(name);
    for (size_t i = 0; i < r->parameters.count; i++)
        taken |= tl_text_same(known[i].name, name);
    if (!taken)
        return TL_OK;
    if (value->kind == TL_JSON_OBJECT)
        return tl_read_missing(r, value, "index", "one, because 'i' is a parameter");
    return tl_read_fail(r, value,
                        "is %s, expected a name of letters, digits and _ that is no parameter",
                        tl_read_show(r, value, text, sizeof text));
}

tl_status tl_read_repeat(tl_reader *r, const tl_json *value, uint32_t *made)
{
    static const char *const repeat_keys[] = {"count", "index"};
    const tl_json *g[2];
    tl_parameter index = {.name = {"i", 1}};
    uint64_t count = 0;
    TL_TRY(tl_read_fields(r, value, "how often", 2, repeat_keys, g));
    if (!g[0])
        return tl_read_missing(r, value, "count", "a whole number of at least 1");
    TL_TRY(tl_read_whole(r, g[0], 1, MOST_REPEATS, &count));
    TL_TRY(tl_read_string(r, g[1], "a name", &index.name));
    TL_TRY(check_index(r, g[1] ? g[1] : value, index.name));
    TL_TRY(tl_array_append(&r->parameters, &index, 1));
    r->repeats++;
    *made = (uint32_t)count;
    return TL_OK;
}

void tl_repeat_at(tl_reader *r, uint32_t value)
{
    ((tl_parameter *)r->parameters.data + r->parameters.count - 1)->value = value;
}

void tl_repeat_end(tl_reader *r)
{
    r->repeats--;
    r->parameters.count--;
}

/* One body for each value of an index that its expressions may use. */
static tl_status add_repeated(tl_reader *r, const tl_json *entry, const tl_json *const *f,
                              tl_body_def *def, uint32_t *made)
{
    TL_TRY(tl_read_repeat(r, f[REPEAT], made));
    for (uint32_t i = 0; i < *made; i++) {
        tl_repeat_at(r, i);
        TL_TRY(read_body(r, entry, f, def));
        TL_TRY(wait_for(r, entry, def));
    }
    tl_repeat_end(r);
    return TL_OK;
}

static tl_status read_entry(tl_reader *r, const tl_json *entry, uint32_t number)
{
    const tl_json *f[KEYS];
    tl_body_def def;
    tl_span span = {.count = 1, .entry = number, .section = TL_SECTION_BODIES};
    TL_TRY(tl_read_fields(r, entry, "a body", KEYS, keys, f));
    if (f[POSITIONS] && (f[POSITION] || f[REPEAT]))
        return tl_read_fail_key(r, entry, f[POSITIONS],
                                "has both 'positions' and '%s', expected one of them",
                                f[POSITION] ? "position" : "repeat");
    span.first = (uint32_t)(tl_scene_body_count(r->scene) + r->waiting.defs.count + 1);
    span.group = f[POSITIONS] || f[REPEAT];
    if (f[REPEAT]) {
        TL_TRY(add_repeated(r, entry, f, &def, &span.count));
    } else {
        TL_TRY(read_body(r, entry, f, &def));
        if (f[POSITIONS]) {
            TL_TRY(add_positions(r, entry, f[POSITIONS], &def));
            span.count = f[POSITIONS]->count;
        } else {
            TL_TRY(wait_for(r, entry, &def));
        }
    }
    span.prescribed = def.kind == TL_PRESCRIBED;
    return tl_read_entry(r, entry, f[NAME], span);
}

tl_status tl_read_bodies(tl_reader *r, const tl_json *list)
{
    uint32_t number = 0;
    r->waiting.places.item = sizeof(waiting_place);
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of bodies"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_entry(r, v, number++));
    return add_waiting(r);
}
