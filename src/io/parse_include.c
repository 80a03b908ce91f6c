/* Fragments: scenes that a scene includes, with parameters, a frame and a name in front of theirs.
 * Files are loaded into the tree, as the member 'scene' of the entry that names them, so that the
 * text that is stored needs no file; then each scene of the tree is a scope in which its parts are
 * read. Called by document.c and parse_scene.c. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/near.h"
#include "base/turn.h"
#include "io/load.h"

enum { MOST_NESTED = 8, MOST_INCLUDES = 1000 };

enum { FILE_NAME, SCENE, NAME, PARAMETERS, POSITION, ORIENTATION, KEYS };
static const char *const keys[] = {"file",       "scene",    "name",
                                   "parameters", "position", "orientation"};

/* ---- Files ---- */

static uint32_t index_of(const tl_reader *r, const tl_json *value)
{
    return (uint32_t)(value - tl_json_at(r->tree, 0));
}

static const tl_json *member(const tl_reader *r, const tl_json *object, const char *key)
{
    if (object->kind == TL_JSON_OBJECT)
        for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v))
            if (tl_text_is(tl_json_key(r->tree, v), key))
                return v;
    return NULL;
}

/* Appends the folder of a path, with its slash, to a folder; an absolute path replaces it. */
static tl_status enter_folder(tl_text path, tl_array *folder)
{
    size_t length = path.length;
    while (length && path.data[length - 1] != '/')
        length--;
    if (path.length && path.data[0] == '/')
        folder->count = 0;
    return length ? tl_array_append(folder, path.data, length) : TL_OK;
}

/* Files on the way from the scene to the one that is loaded. */
typedef struct chain {
    const struct chain *above;
    dev_t device;
    ino_t node;
} chain;

static bool holds(const chain *above, const struct stat *about)
{
    for (; above; above = above->above)
        if (above->device == about->st_dev && above->node == about->st_ino)
            return true;
    return false;
}

static tl_status load_all(tl_reader *r, uint32_t scene, tl_array *folder, int depth,
                          const chain *above);

/* Reads a file as a source of its own, and makes its value the member 'scene' of the entry. */
static tl_status load_text(tl_reader *r, uint32_t entry, const char *path)
{
    tl_array text = {.item = 1};
    const tl_json *name = member(r, tl_json_at(r->tree, entry), "file");
    tl_status status = tl_load(path, UINT32_MAX - 64, &text);
    if (status == TL_FILE) {
        char said[300];
        snprintf(said, sizeof said, "%s", tl_last_message());
        return tl_read_fail(r, name, "%s", said);
    }
    TL_TRY(status);
    const uint16_t source = (uint16_t)r->tree->sources.count;
    TL_TRY(tl_document_adopt_file(r->document, path, entry, &text));
    TL_TRY(tl_read_parse(r, source));
    return tl_read_add_member(r, entry, tl_text_of("scene"),
                              ((tl_json_source *)r->tree->sources.data + source)->root);
}

static tl_status load_file(tl_reader *r, uint32_t entry, tl_array *path, const chain *above,
                           struct stat *about)
{
    const tl_json *name = member(r, tl_json_at(r->tree, entry), "file");
    const tl_text text = tl_json_text(r->tree, name);
    if (memchr(text.data, 0, text.length))
        return tl_read_expected(r, name, "the name of a scene file");
    if (text.data[0] == '/')
        path->count = 0;
    TL_TRY(tl_array_append(path, text.data, text.length));
    TL_TRY(tl_array_append(path, "", 1));
    if (!stat(path->data, about) && holds(above, about))
        return tl_read_fail(r, name, "includes a scene that includes this one, expected another");
    if (++r->included > MOST_INCLUDES)
        return tl_read_fail(r, name, "is one of more than %d fragments, expected fewer",
                            MOST_INCLUDES);
    return load_text(r, entry, path->data);
}

/* An entry of 'include': its file, where it has no scene yet, then what that includes. */
static tl_status load_entry(tl_reader *r, uint32_t entry, const tl_array *folder, int depth,
                            const chain *above)
{
    const tl_json *name = member(r, tl_json_at(r->tree, entry), "file");
    const tl_json *scene = member(r, tl_json_at(r->tree, entry), "scene");
    tl_array path = {.item = 1};
    struct stat about;
    memset(&about, 0, sizeof about);
    if (name && (name->kind != TL_JSON_STRING || !name->length))
        return TL_OK; /* refused when the entry is read */
    tl_status status = tl_array_append(&path, folder->data, folder->count);
    if (status == TL_OK && name && !scene)
        status = load_file(r, entry, &path, above, &about);
    scene = member(r, tl_json_at(r->tree, entry), "scene");
    const chain next = {above, about.st_dev, about.st_ino};
    if (status == TL_OK && scene) {
        const uint32_t at = index_of(r, scene);
        path.count = 0;
        status = tl_array_append(&path, folder->data, folder->count);
        if (status == TL_OK && name)
            status = enter_folder(
                tl_json_text(r->tree, member(r, tl_json_at(r->tree, entry), "file")), &path);
        if (status == TL_OK)
            status = load_all(r, at, &path, depth + 1, about.st_ino ? &next : above);
    }
    tl_array_free(&path);
    return status;
}

/* What a scene includes, and what that includes. Loading moves the values: they are held by
 * index. */
static tl_status load_all(tl_reader *r, uint32_t scene, tl_array *folder, int depth,
                          const chain *above)
{
    const tl_json *list = member(r, tl_json_at(r->tree, scene), "include");
    if (!list || list->kind != TL_JSON_ARRAY || !list->count)
        return TL_OK;
    if (depth > MOST_NESTED)
        return tl_read_fail(r, list, "is nested more than %d deep, expected less", MOST_NESTED);
    uint32_t entry = list->first;
    const size_t before = r->included;
    const uint32_t at = index_of(r, list);
    for (; entry; entry = tl_json_at(r->tree, entry)->next) {
        TL_TRY(load_entry(r, entry, folder, depth, above));
        if (r->included != before) {
            tl_json_at(r->tree, entry)->flags |= TL_JSON_CHANGED;
            tl_json_at(r->tree, at)->flags |= TL_JSON_CHANGED;
            tl_json_at(r->tree, scene)->flags |= TL_JSON_CHANGED;
        }
    }
    return TL_OK;
}

tl_status tl_read_load(tl_reader *r)
{
    const tl_json_source *file = r->tree->sources.data;
    struct stat about;
    chain root = {0};
    tl_array folder = {.item = 1};
    tl_status status = enter_folder(tl_text_of(file->name), &folder);
    const bool known = !stat(file->name, &about);
    if (known)
        root = (chain){NULL, about.st_dev, about.st_ino};
    if (status == TL_OK)
        status = load_all(r, 0, &folder, 0, known ? &root : NULL);
    tl_array_free(&folder);
    return status;
}

/* ---- Scopes ---- */

static void free_scope(tl_scope *scope)
{
    tl_array_free(&scope->parameters);
    tl_array_free(&scope->prefix);
    tl_array_free(&scope->folder);
}

void tl_scopes_free(tl_reader *r)
{
    tl_scope *scopes = r->scopes.data;
    for (size_t i = 0; i < r->scopes.count; i++)
        free_scope(&scopes[i]);
    tl_array_free(&r->scopes);
}

static tl_scope empty_scope(const tl_json *root)
{
    return (tl_scope){.root = root,
                      .parameters = {.item = sizeof(tl_parameter)},
                      .prefix = {.item = 1},
                      .folder = {.item = 1},
                      .frame = {.orientation = {1, 0, 0, 0}}};
}

/* Reads with the names and the frame of a scope. */
static tl_status within(tl_reader *r, tl_scope *scope, const tl_json *value,
                        tl_status (*read)(tl_reader *r, const tl_json *value))
{
    r->scope = scope;
    r->parameters = scope->parameters;
    const tl_status status = read(r, value);
    scope->parameters = r->parameters;
    return status;
}

tl_status tl_read_each(tl_reader *r, int key, tl_status (*read)(tl_reader *r, const tl_json *value))
{
    tl_scope *scopes = r->scopes.data;
    for (size_t i = 0; i < r->scopes.count; i++) {
        TL_TRY(within(r, &scopes[i], scopes[i].fields[key], read));
        if (key == TL_SCENE_JOINTS)
            scopes[i].joints = (uint32_t)tl_scene_joint_count(r->scene);
    }
    return TL_OK;
}

/* "wheels" as "left.wheels." */
static tl_status read_prefix(const tl_reader *r, const tl_json *value, const tl_scope *outer,
                             tl_scope *scope)
{
    tl_text name = {0};
    TL_TRY(tl_array_append(&scope->prefix, outer->prefix.data, outer->prefix.count));
    if (!value)
        return TL_OK;
    TL_TRY(tl_read_string(r, value, "a name", &name));
    if (!tl_expression_is_name(name))
        return tl_read_expected(r, value, "a name of letters, digits and _");
    TL_TRY(tl_array_append(&scope->prefix, name.data, name.length));
    return tl_array_append(&scope->prefix, ".", 1);
}

/* The frame of a fragment in the world, from that in the scene that includes it. */
static tl_status read_frame(tl_reader *r, const tl_json *position, const tl_json *orientation,
                            const tl_scope *outer, tl_scope *scope)
{
    double x[3] = {0}, q[4] = {1, 0, 0, 0};
    tl_frame *to = &scope->frame;
    TL_TRY(tl_read_vector(r, position, 3, TL_ANY("m"), x));
    TL_TRY(tl_read_orientation(r, orientation, q));
    r->scope = outer;
    tl_frame_point(r, x);
    tl_frame_turn(r, q);
    memcpy(to->position, x, sizeof x);
    memcpy(to->orientation, q, sizeof q);
    to->moves = outer->frame.moves || position || orientation;
    to->turns = outer->frame.turns || orientation;
    return TL_OK;
}

/* The numbers that an entry sets, evaluated where it stands; they must be parameters of the
 * fragment. */
static tl_status read_given(tl_reader *r, const tl_json *object, const tl_json *scene,
                            tl_array *given)
{
    const tl_json *known = member(r, scene, "parameters");
    if (!object)
        return TL_OK;
    if (object->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, object, "an object: names with numbers");
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        tl_parameter parameter = {.name = tl_json_key(r->tree, v)};
        const tl_text name = parameter.name;
        tl_near near = tl_near_start(name);
        const tl_json *p = known ? tl_json_first(r->tree, known) : NULL;
        for (; p && !tl_text_same(tl_json_key(r->tree, p), name); p = tl_json_next(r->tree, p))
            tl_near_offer(&near, tl_json_key(r->tree, p));
        if (!p)
            return tl_read_fail_key(
                r, object, v, "'%.*s' is no parameter of the fragment, expected one%s",
                name.length > 60 ? 60 : (int)name.length, name.data, tl_near_hint(&near));
        const tl_parameter *others = given->data;
        for (size_t i = 0; i < given->count; i++)
            if (tl_text_same(others[i].name, name))
                return tl_read_fail_key(r, object, v, "duplicate key '%.*s', expected it once",
                                        name.length > 60 ? 60 : (int)name.length, name.data);
        TL_TRY(tl_read_number(r, v, TL_ANY("of the fragment"), &parameter.value));
        TL_TRY(tl_array_append(given, &parameter, 1));
    }
    return TL_OK;
}

static tl_status open_scope(tl_reader *r, tl_scope *scope, const tl_array *given);

/* An entry of 'include', in the scope of the scene that has it. */
static tl_status open_entry(tl_reader *r, const tl_json *entry, const tl_scope *outer,
                            tl_scope *scope, tl_array *given)
{
    const tl_json *f[KEYS];
    tl_text file = {0};
    TL_TRY(tl_read_fields(r, entry, "a fragment", KEYS, keys, f));
    TL_TRY(tl_read_string(r, f[FILE_NAME], "the name of a scene file", &file));
    if (!f[SCENE])
        return tl_read_missing(r, entry, "file", "the name of a scene file, or a 'scene'");
    if (f[SCENE]->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, f[SCENE], "an object: a scene, {\"version\": 1, ...}");
    TL_TRY(read_prefix(r, f[NAME], outer, scope));
    TL_TRY(read_frame(r, f[POSITION], f[ORIENTATION], outer, scope));
    TL_TRY(read_given(r, f[PARAMETERS], f[SCENE], given));
    TL_TRY(tl_array_append(&scope->folder, outer->folder.data, outer->folder.count));
    scope->root = f[SCENE];
    return enter_folder(file, &scope->folder);
}

static tl_status open_entries(tl_reader *r, const tl_json *list, tl_scope *outer)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of fragments {\"file\", ...}"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        tl_scope inner = empty_scope(NULL);
        tl_array given = {.item = sizeof(tl_parameter)};
        r->scope = outer;
        r->parameters = outer->parameters;
        tl_status status = open_entry(r, v, outer, &inner, &given);
        if (status == TL_OK)
            status = open_scope(r, &inner, &given);
        else
            free_scope(&inner);
        tl_array_free(&given);
        TL_TRY(status);
    }
    return TL_OK;
}

/* Keeps a scope behind those that it includes; takes it over whatever the status. */
static tl_status open_scope(tl_reader *r, tl_scope *scope, const tl_array *given)
{
    scope->first = r->scopes.count;
    r->scope = scope;
    r->parameters = scope->parameters;
    tl_status status = tl_read_head(r, scope, given);
    scope->parameters = r->parameters;
    if (status == TL_OK)
        status = open_entries(r, scope->fields[TL_SCENE_INCLUDE], scope);
    r->scope = NULL;
    r->parameters = (tl_array){.item = sizeof(tl_parameter)};
    if (status == TL_OK)
        status = tl_array_append(&r->scopes, scope, 1);
    if (status < 0)
        free_scope(scope);
    return status;
}

tl_status tl_read_scopes(tl_reader *r)
{
    const tl_json_source *file = r->tree->sources.data;
    tl_scope scope = empty_scope(tl_json_at(r->tree, 0));
    const tl_array none = {.item = sizeof(tl_parameter)};
    const tl_status status = enter_folder(tl_text_of(file->name), &scope.folder);
    if (status < 0) {
        free_scope(&scope);
        return status;
    }
    return open_scope(r, &scope, &none);
}

/* ---- Names ---- */

tl_text tl_scope_prefix(const tl_reader *r)
{
    return r->scope ? (tl_text){r->scope->prefix.data, r->scope->prefix.count} : (tl_text){"", 0};
}

bool tl_prefix_shorten(tl_text *prefix)
{
    if (!prefix->length)
        return false;
    prefix->length--; /* the point at its end */
    while (prefix->length && prefix->data[prefix->length - 1] != '.')
        prefix->length--;
    return true;
}

bool tl_text_joins(tl_text prefix, tl_text name, const char *word)
{
    return strlen(word) == prefix.length + name.length &&
           (!prefix.length || !memcmp(word, prefix.data, prefix.length)) &&
           (!name.length || !memcmp(word + prefix.length, name.data, name.length));
}

const tl_span *tl_read_find(const tl_reader *r, tl_text name)
{
    tl_text prefix = tl_scope_prefix(r);
    do {
        const tl_span *span = tl_document_find_span(r->document, prefix, name);
        if (span)
            return span;
    } while (tl_prefix_shorten(&prefix));
    return NULL;
}

tl_status tl_read_keep(const tl_reader *r, tl_text name, uint32_t *place)
{
    const tl_text prefix = tl_scope_prefix(r);
    uint32_t rest;
    tl_array *names = &r->document->names;
    TL_TRY(tl_array_reserve(names, names->count + prefix.length + name.length + 1));
    *place = (uint32_t)names->count;
    TL_TRY(tl_array_append(names, prefix.data, prefix.length));
    return tl_document_keep(r->document, name, &rest);
}

/* ---- Frames ---- */

void tl_frame_direction(const tl_reader *r, double v[3])
{
    double out[3];
    if (!r->scope || !r->scope->frame.turns)
        return;
    tl_turn_apply(r->scope->frame.orientation, v, out);
    memcpy(v, out, sizeof out);
}

void tl_frame_point(const tl_reader *r, double x[3])
{
    tl_frame_direction(r, x);
    for (int k = 0; k < 3 && r->scope && r->scope->frame.moves; k++)
        x[k] += r->scope->frame.position[k];
}

void tl_frame_turn(const tl_reader *r, double q[4])
{
    double out[4];
    if (!r->scope || !r->scope->frame.turns)
        return;
    tl_turn_join(r->scope->frame.orientation, q, out);
    memcpy(q, out, sizeof out);
}

bool tl_frame_turns(const tl_reader *r)
{
    return r->scope && r->scope->frame.turns;
}

/* A box has edges along the axes, whatever turns it. */
static tl_status turn_box(const tl_reader *r, const tl_json *value, tl_region *region)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0};
        int along = -1;
        axis[k] = 1;
        tl_frame_direction(r, axis);
        for (int i = 0; i < 3; i++)
            along = fabs(fabs(axis[i]) - 1) < 1e-9 ? i : along;
        if (along < 0)
            return tl_read_fail(r, value,
                                "is a box, which the fragment's orientation would turn, expected "
                                "quarter turns, or a cylinder or sphere");
        low[along] = axis[along] > 0 ? region->low[k] : -region->high[k];
        high[along] = axis[along] > 0 ? region->high[k] : -region->low[k];
    }
    memcpy(region->low, low, sizeof low);
    memcpy(region->high, high, sizeof high);
    return TL_OK;
}

tl_status tl_frame_region(const tl_reader *r, const tl_json *value, tl_region *region)
{
    if (!r->scope || !r->scope->frame.moves)
        return TL_OK;
    if (region->kind != TL_REGION_BOX) {
        tl_frame_point(r, region->centre);
        tl_frame_direction(r, region->axis);
        return TL_OK;
    }
    if (tl_frame_turns(r))
        TL_TRY(turn_box(r, value, region));
    for (int k = 0; k < 3; k++) {
        region->low[k] += r->scope->frame.position[k];
        region->high[k] += r->scope->frame.position[k];
    }
    return TL_OK;
}
