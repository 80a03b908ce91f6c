/* Scene files: reading them, and what is asked of them afterwards. Called through talus/io.h. */
#include "io/document.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "io/load.h"
#include "io/locate.h"
#include "io/parse.h"

static const size_t most_bytes = UINT32_MAX - 64; /* places in a text are 32-bit */

/* ---- Sources ---- */

/* Adds a source that owns its text, which ends with a zero byte. The text is freed on failure. */
static tl_status adopt_source(tl_document *document, const char *name, bool file, uint32_t entry,
                              tl_array *text)
{
    tl_json_source source = {.file = file,
                             .entry = entry,
                             .text = text->data,
                             .text_room = text->capacity,
                             .length = (uint32_t)(text->count - 1),
                             .name_room = strlen(name) + 1};
    source.name = tl_alloc(source.name_room);
    tl_status status = source.name ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK)
        status = tl_array_append(&document->tree.sources, &source, 1);
    if (status < 0) {
        tl_free(source.name, source.name_room);
        tl_array_free(text);
        return status;
    }
    memcpy(source.name, name, source.name_room);
    return TL_OK;
}

static tl_status copy_text(tl_text from, tl_array *to)
{
    TL_TRY(tl_array_resize(to, from.length + 1));
    if (from.length)
        memcpy(to->data, from.data, from.length);
    ((char *)to->data)[from.length] = 0;
    return TL_OK;
}

tl_status tl_document_add_source(tl_document *document, const char *name, tl_text text)
{
    tl_array copy = {.item = 1};
    TL_TRY(copy_text(text, &copy));
    return adopt_source(document, name, false, 0, &copy);
}

static const tl_json_source *source_of(const tl_document *document, uint16_t index)
{
    return (tl_json_source *)document->tree.sources.data + index;
}

/* ---- Names ---- */

const char *tl_section_name(tl_section section)
{
    static const char *const names[] = {"bodies", "fills", "rods", "emitters", "joints"};
    return names[section];
}

tl_status tl_document_keep(tl_document *document, tl_text text, uint32_t *place)
{
    static const char zero = 0;
    *place = (uint32_t)document->names.count;
    TL_TRY(tl_array_reserve(&document->names, document->names.count + text.length + 1));
    TL_TRY(tl_array_append(&document->names, text.data, text.length));
    return tl_array_append(&document->names, &zero, 1);
}

/* FNV-1a, of one text after the other. */
static uint64_t hash(tl_text prefix, tl_text name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < prefix.length; i++)
        h = (h ^ (unsigned char)prefix.data[i]) * 0x100000001b3u;
    for (size_t i = 0; i < name.length; i++)
        h = (h ^ (unsigned char)name.data[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

static const char *name_of(const tl_document *document, const tl_span *span)
{
    return (char *)document->names.data + span->name;
}

/* Where a name is in the table, or the free place where it goes. The table has a power of two of
 * places and is at most half full. */
static uint32_t *find_place(const tl_document *document, const tl_array *table, tl_text prefix,
                            tl_text name)
{
    const tl_span *spans = document->spans.data;
    uint32_t *places = table->data;
    size_t mask = table->count - 1, at = hash(prefix, name) & mask;
    while (places[at] && !tl_text_joins(prefix, name, name_of(document, &spans[places[at] - 1])))
        at = (at + 1) & mask;
    return &places[at];
}

static tl_status grow_table(tl_document *document)
{
    const uint32_t *old = document->table.data;
    tl_array bigger = {.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(&bigger, document->table.count ? 2 * document->table.count : 64));
    memset(bigger.data, 0, bigger.count * bigger.item);
    for (size_t i = 0; i < document->table.count; i++)
        if (old[i]) {
            const char *name = name_of(document, (tl_span *)document->spans.data + old[i] - 1);
            *find_place(document, &bigger, (tl_text){"", 0}, tl_text_of(name)) = old[i];
        }
    tl_array_free(&document->table);
    document->table = bigger;
    return TL_OK;
}

tl_status tl_document_add_span(tl_document *document, const tl_span *span)
{
    TL_TRY(tl_array_append(&document->spans, span, 1));
    if (!span->name)
        return TL_OK;
    if (2 * (document->named + 1) > document->table.count)
        TL_TRY(grow_table(document));
    const char *name = name_of(document, span);
    *find_place(document, &document->table, (tl_text){"", 0}, tl_text_of(name)) =
        (uint32_t)document->spans.count;
    document->named++;
    return TL_OK;
}

const tl_span *tl_document_find_span(const tl_document *document, tl_text prefix, tl_text name)
{
    if (!document->table.count)
        return NULL;
    const uint32_t place = *find_place(document, &document->table, prefix, name);
    return place ? (tl_span *)document->spans.data + place - 1 : NULL;
}

/* The span that a body is in: the last one that starts at or before it. */
static const tl_span *span_of(const tl_document *document, tl_body body)
{
    const tl_span *spans = document->spans.data;
    size_t low = 0, high = document->spans.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans[middle].first <= body.index)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || body.generation != 1 || body.index - spans[low - 1].first >= spans[low - 1].count)
        return NULL;
    return &spans[low - 1];
}

/* Entries of joints come last, in the order of their joints. */
const tl_span *tl_document_joint_span(const tl_document *document, tl_joint joint)
{
    const tl_span *spans = document->spans.data;
    size_t low = 0, high = document->spans.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans[middle].joint <= joint.index)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || joint.index - spans[low - 1].joint >= spans[low - 1].joints)
        return NULL;
    return &spans[low - 1];
}

/* ---- Reading ---- */

static tl_status start_document(tl_document **out)
{
    tl_document *d = tl_alloc_zero(sizeof *d);
    *out = d;
    if (!d)
        return TL_NO_MEMORY;
    d->tree = tl_json_tree_empty();
    d->record = tl_record_default();
    d->recorded.item = sizeof(tl_body_range);
    d->spans.item = sizeof(tl_span);
    d->names.item = d->text.item = 1;
    d->table.item = sizeof(uint32_t);
    d->materials.item = sizeof(uint32_t);
    d->geometries.item = sizeof(tl_named_geometry);
    uint32_t place;
    TL_TRY(tl_document_keep(d, (tl_text){"", 0}, &place));
    TL_TRY(tl_document_keep(d, (tl_text){"default", 7}, &place));
    TL_TRY(tl_array_append(&d->materials, &place, 1));
    return tl_scene_create(&d->scene);
}

/* Refuses what no scene can be; skips the mark that some editors put in front of UTF-8. */
static tl_status check_text(const char *name, tl_array *text)
{
    char *bytes = text->data;
    size_t length = text->count - 1;
    if (length >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return tl_fail(TL_BAD_DATA, "%s:1:1: is UTF-16, expected UTF-8", name);
    if (length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) {
        memmove(bytes, bytes + 3, length - 2);
        text->count -= 3;
        length -= 3;
    }
    if (strspn(bytes, " \t\r\n") == length)
        return tl_fail(TL_BAD_DATA, "%s:1:1: is empty, expected a scene: {\"version\": 1, ...}",
                       name);
    return TL_OK;
}

tl_status tl_document_adopt_file(tl_document *document, const char *name, uint32_t entry,
                                 tl_array *text)
{
    const tl_status status = check_text(name, text);
    if (status < 0) {
        tl_array_free(text);
        return status;
    }
    return adopt_source(document, name, true, entry, text);
}

/* Everything between the parsed file and the scene. */
static tl_status read_all(tl_reader *r, size_t set_count, const char *const *sets)
{
    tl_array text = {.item = 1};
    static const char zero = 0;
    TL_TRY(tl_read_parse(r, 0));
    TL_TRY(tl_read_sets(r, set_count, sets));
    TL_TRY(tl_read_load(r));
    TL_TRY(tl_read_scene(r));
    if (!set_count && !r->included)
        return TL_OK;
    tl_status status = tl_read_write(r, &text);
    if (status == TL_OK)
        status = tl_array_append(&text, &zero, 1);
    if (status < 0) {
        tl_array_free(&text);
        return status;
    }
    r->document->text = text;
    return TL_OK;
}

static tl_status read_document(tl_document *document, size_t set_count, const char *const *sets,
                               tl_stored_geometries stored)
{
    tl_expression expression = {0};
    tl_reader r = {.document = document,
                   .expression = &expression,
                   .tree = &document->tree,
                   .scene = document->scene,
                   .stored = stored,
                   .scopes = {.item = sizeof(tl_scope)},
                   .parameters = {.item = sizeof(tl_parameter)},
                   .waiting = {.defs = {.item = sizeof(tl_body_def)},
                               .places = {.item = 1},
                               .shapes = {.item = sizeof(tl_shape_def)},
                               .tables = {.item = sizeof(double)},
                               .texts = {.item = 1}},
                   .entry_shapes = {.item = sizeof(tl_shape_def)},
                   .entry_table = {.item = sizeof(double)},
                   .entry_texts = {.item = 1},
                   .groups = {.item = sizeof(tl_text)},
                   .scratch = {.item = sizeof(double)}};
    _Static_assert(sizeof(tl_body) == sizeof(double), "scratch holds either");
    const tl_status status = read_all(&r, set_count, sets);
    tl_array *const arrays[] = {&r.waiting.defs,   &r.waiting.places, &r.waiting.shapes,
                                &r.waiting.tables, &r.entry_shapes,   &r.entry_table,
                                &r.entry_texts,    &r.waiting.texts,  &r.scratch,
                                &r.groups,         &r.splits};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_scopes_free(&r);
    tl_expression_free(&expression);
    tl_json_tree_free(&document->tree);
    return status;
}

/* What a document is made of besides its text. */
typedef struct making {
    size_t set_count;
    const char *const *sets;
    tl_stored_geometries stored;
    bool lines, ground; /* it must be a scene in lines; with a ground */
} making;

/* A scene in lines: the text becomes JSON. */
static tl_status convert_lines(tl_document *document, const char *name, bool ground, tl_array *text)
{
    tl_lines *lines = &document->lines;
    TL_TRY(tl_lines_convert(name, (tl_text){text->data, text->count - 1}, ground, lines));
    if (lines->json.count > most_bytes)
        return tl_fail(TL_BAD_DATA, "%s: has %zu bytes as JSON, expected at most %zu", name,
                       lines->json.count, most_bytes);
    tl_array_free(text);
    *text = lines->json;
    lines->json = (tl_array){.item = 1};
    return TL_OK;
}

/* Everything after the text has been checked; takes it over. */
static tl_status fill_document(tl_document *document, const char *name, tl_array *text,
                               const making *m)
{
    const bool lines = tl_lines_are(name, (tl_text){text->data, text->count - 1});
    if (m->lines && !lines)
        return tl_fail(TL_BAD_DATA,
                       "%s:1:1: is no scene in lines, expected a name that ends in "
                       ".txt and no '{' at the start",
                       name);
    if (lines)
        TL_TRY(convert_lines(document, name, m->ground, text));
    TL_TRY(adopt_source(document, name, true, 0, text));
    *text = (tl_array){.item = 1};
    if (lines)
        ((tl_json_source *)document->tree.sources.data)->origins = document->lines.origins.data;
    return read_document(document, m->set_count, m->sets, m->stored);
}

/* Makes a document of a text, which it takes over whatever the status. Numbers are read and written
 * as in C whatever the program's locale: 0.5, never 0,5. */
static tl_status make_document(const char *name, tl_array *text, making m, tl_document **out)
{
    tl_document *document = NULL;
    tl_status status = check_text(name, text);
    if (status == TL_OK)
        status = start_document(&document);
    if (status == TL_OK) {
        locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        locale_t before = plain ? uselocale(plain) : (locale_t)0;
        status = plain ? fill_document(document, name, text, &m)
                       : tl_fail(TL_NO_MEMORY, "out of memory: no locale could be made");
        if (plain) {
            uselocale(before);
            freelocale(plain);
        }
    }
    tl_array_free(text);
    if (status < 0) {
        tl_document_destroy(document);
        document = NULL;
    }
    *out = document;
    return status;
}

static tl_status check_arguments(const void *name, size_t set_count, const char *const *sets,
                                 tl_document **document)
{
    if (!document)
        return tl_fail(TL_BAD_ARGUMENT, "document is NULL; it must not be");
    *document = NULL;
    if (!name)
        return tl_fail(TL_BAD_ARGUMENT, "the name of the scene is NULL; it must not be");
    if (set_count && !sets)
        return tl_fail(TL_BAD_ARGUMENT, "sets is NULL; it must point to %zu texts", set_count);
    for (size_t i = 0; i < set_count; i++)
        if (!sets[i])
            return tl_fail(TL_BAD_ARGUMENT, "sets[%zu] is NULL; it must not be", i);
    return TL_OK;
}

tl_status tl_document_parse(const char *name, const char *text, size_t length, size_t set_count,
                            const char *const *sets, tl_document **document)
{
    tl_array copy = {.item = 1};
    TL_TRY(check_arguments(name, set_count, sets, document));
    if (!text && length)
        return tl_fail(TL_BAD_ARGUMENT, "text is NULL; it must not be");
    if (length > most_bytes)
        return tl_fail(TL_BAD_DATA, "%s: has %zu bytes, expected at most %zu", name, length,
                       most_bytes);
    TL_TRY(copy_text((tl_text){text, length}, &copy));
    return make_document(name, &copy, (making){.set_count = set_count, .sets = sets}, document);
}

tl_status tl_document_parse_stored(const char *name, tl_text text, tl_stored_geometries stored,
                                   tl_document **document)
{
    tl_array copy = {.item = 1};
    *document = NULL;
    stored.result = true;
    TL_TRY(copy_text(text, &copy));
    return make_document(name, &copy, (making){.stored = stored}, document);
}

tl_status tl_document_read(const char *path, size_t set_count, const char *const *sets,
                           tl_document **document)
{
    tl_array text = {.item = 1};
    TL_TRY(check_arguments(path, set_count, sets, document));
    TL_TRY(tl_load(path, most_bytes, &text));
    return make_document(path, &text, (making){.set_count = set_count, .sets = sets}, document);
}

bool tl_document_is_lines(const char *name, const char *text, size_t length)
{
    return name && text && tl_lines_are(name, (tl_text){text, length});
}

tl_status tl_document_import(const char *path, bool ground, size_t set_count,
                             const char *const *sets, tl_document **document)
{
    tl_array text = {.item = 1};
    TL_TRY(check_arguments(path, set_count, sets, document));
    TL_TRY(tl_load(path, most_bytes, &text));
    return make_document(
        path, &text,
        (making){.set_count = set_count, .sets = sets, .lines = true, .ground = ground}, document);
}

uint64_t tl_document_comments(const tl_document *document)
{
    return document ? document->lines.comments : 0;
}

void tl_document_destroy(tl_document *document)
{
    if (!document)
        return;
    tl_json_source *sources = document->tree.sources.data;
    for (size_t i = 0; i < document->tree.sources.count; i++) {
        tl_free(sources[i].name, sources[i].name_room);
        tl_free(sources[i].text, sources[i].text_room);
    }
    tl_json_tree_free(&document->tree);
    tl_array_free(&document->tree.sources);
    tl_array_free(&document->text);
    tl_lines_free(&document->lines);
    tl_array_free(&document->spans);
    tl_array_free(&document->names);
    tl_array_free(&document->table);
    tl_array_free(&document->materials);
    tl_array_free(&document->geometries);
    tl_array_free(&document->recorded);
    tl_scene_destroy(document->scene);
    tl_free(document, sizeof *document);
}

/* ---- Asking ---- */

const tl_scene *tl_document_scene(const tl_document *document)
{
    return document ? document->scene : NULL;
}

const char *tl_document_text(const tl_document *document, size_t *length)
{
    if (length)
        *length = 0;
    if (!document)
        return "";
    const bool set = document->text.count;
    if (length)
        *length = set ? document->text.count - 1 : source_of(document, 0)->length;
    return set ? document->text.data : source_of(document, 0)->text;
}

const char *tl_document_title(const tl_document *document)
{
    return document ? (char *)document->names.data + document->title : "";
}

tl_record_def tl_document_record(const tl_document *document)
{
    return document ? document->record : tl_record_default();
}

const char *tl_document_body_name(const tl_document *document, tl_body body)
{
    const tl_span *span = document ? span_of(document, body) : NULL;
    return span && span->name ? name_of(document, span) : NULL;
}

static const tl_span *span_named(const tl_document *document, const char *name)
{
    return document && name ? tl_document_find_span(document, (tl_text){"", 0}, tl_text_of(name))
                            : NULL;
}

tl_body tl_document_find_body(const tl_document *document, const char *name)
{
    const tl_span *span = span_named(document, name);
    return span && !span->group ? (tl_body){span->first, 1} : (tl_body){0, 0};
}

const char *tl_document_joint_name(const tl_document *document, tl_joint joint)
{
    const tl_span *span = document ? tl_document_joint_span(document, joint) : NULL;
    return span && span->name ? name_of(document, span) : NULL;
}

tl_joint tl_document_find_joint(const tl_document *document, const char *name)
{
    const tl_span *span = span_named(document, name);
    return span && span->joints == 1 ? (tl_joint){span->joint} : (tl_joint){0};
}

tl_status tl_document_find_emitted(const tl_document *document, const char *name,
                                   tl_body_range *range)
{
    if (!document || !name || !range)
        return tl_fail(TL_BAD_ARGUMENT, "tl_document_find_emitted: %s is NULL",
                       !document ? "document"
                       : !name   ? "name"
                                 : "range");
    *range = (tl_body_range){0};
    const tl_span *span = span_named(document, name);
    if (!span || span->section != TL_SECTION_EMITTERS)
        return TL_OK;
    size_t emitters = 0;
    for (size_t i = 0; i < document->spans.count; i++)
        emitters += ((const tl_span *)document->spans.data)[i].section == TL_SECTION_EMITTERS;
    if (emitters > 1)
        return tl_fail(TL_BAD_ARGUMENT,
                       "\"%.60s\" is one of %zu emitters, whose bodies cannot be told apart", name,
                       emitters);
    *range = (tl_body_range){{span->first, 1}, UINT32_MAX - span->first + 1};
    return TL_OK;
}

const char *tl_document_material_name(const tl_document *document, tl_material material)
{
    if (!document || material.index >= document->materials.count)
        return NULL;
    return (char *)document->names.data + ((uint32_t *)document->materials.data)[material.index];
}

/* Where an entry stands, its name, and which of its `count` things is meant. */
static void describe(const tl_document *document, const tl_span *span, uint32_t which,
                     uint32_t count, char *text, size_t room)
{
    const tl_json_source *source = source_of(document, span->source);
    const tl_location at = tl_locate_source(source, span->start);
    const bool file = source->file;
    char place[48] = "", name[80] = "", of[48] = "";
    if (file)
        snprintf(place, sizeof place, ":%zu:%zu", at.line, at.column);
    if (span->name)
        snprintf(name, sizeof name, " \"%.70s\"", name_of(document, span));
    if (count)
        snprintf(of, sizeof of, ", %u of %u", which + 1, count);
    snprintf(text, room, "%s%s%s: %s[%u]%s%s", file ? "" : "--set ", source->name, place,
             tl_section_name((tl_section)span->section), span->entry, name, of);
}

void tl_document_describe(const tl_document *document, tl_body body, char *text, size_t room)
{
    if (!text || !room)
        return;
    const tl_span *span = document ? span_of(document, body) : NULL;
    if (!span)
        snprintf(text, room, "body %u", body.index);
    else
        describe(document, span, body.index - span->first, span->group ? span->count : 0, text,
                 room);
}

void tl_document_describe_joint(const tl_document *document, tl_joint joint, char *text,
                                size_t room)
{
    if (!text || !room)
        return;
    const tl_span *span = document ? tl_document_joint_span(document, joint) : NULL;
    if (!span)
        snprintf(text, room, "joint %u", joint.index);
    else
        describe(document, span, joint.index - span->joint, span->joints > 1 ? span->joints : 0,
                 text, room);
}
