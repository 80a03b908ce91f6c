/* Starts: poses and velocities of named bodies from a frame of a result, moved by a frame. Called
 * by parse_scene.c once all bodies are there and joints know where they are on them. */
#include "io/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/turn.h"
#include "scene/start.h"

enum { RESULT, FRAME, BODIES, POSITION, ORIENTATION, KEYS };
static const char *const keys[] = {"result", "frame", "bodies", "position", "orientation"};

/* A result while bodies are taken from it. */
typedef struct start {
    const tl_json *entry;
    tl_result *result;
    tl_document *document;
    tl_frame_view state;
    tl_array rows; /* uint32_t: 1 + the row of each body of the result in the frame; 0: none */
    double position[3], orientation[4];
} start;

/* What opening or reading said, at a value. */
static tl_status refuse(const tl_reader *r, const tl_json *value, tl_status status)
{
    char text[400];
    if (status == TL_NO_MEMORY)
        return status;
    snprintf(text, sizeof text, "%s", tl_last_message());
    return tl_read_fail(r, value, "%s", text);
}

static tl_status open_result(tl_reader *r, const tl_json *const *f, start *s)
{
    tl_text name = {0};
    tl_array path = {.item = 1};
    if (!f[RESULT])
        return tl_read_missing(r, s->entry, "result", "the name of a result file");
    TL_TRY(tl_read_string(r, f[RESULT], "the name of a result file", &name));
    tl_status status = TL_OK;
    if (name.data[0] != '/')
        status = tl_array_append(&path, r->scope->folder.data, r->scope->folder.count);
    if (status == TL_OK)
        status = tl_array_append(&path, name.data, name.length);
    if (status == TL_OK)
        status = tl_array_append(&path, "", 1);
    if (status == TL_OK) {
        status = tl_result_open(path.data, &s->result);
        if (status == TL_OK)
            status = tl_result_document(s->result, &s->document);
        if (status < 0)
            status = refuse(r, f[RESULT], status);
    }
    tl_array_free(&path);
    return status;
}

static tl_status read_state(tl_reader *r, const tl_json *const *f, start *s)
{
    const tl_result_info info = tl_result_describe(s->result);
    tl_result_frame frame;
    if (!info.frames)
        return tl_read_fail(r, f[RESULT], "has no frames, expected a result that has");
    uint64_t at = info.frames - 1;
    TL_TRY(tl_read_whole(r, f[FRAME], 0, info.frames - 1, &at));
    const uint32_t all = TL_RECORD_ORIENTATION | TL_RECORD_VELOCITY | TL_RECORD_ANGULAR_VELOCITY;
    if ((info.fields & all) != all)
        return tl_read_fail(r, f[RESULT],
                            "does not hold orientations and velocities, expected a result that "
                            "records them");
    const tl_status status = tl_result_read_frame(s->result, at, &frame);
    if (status < 0)
        return refuse(r, f[RESULT], status);
    s->state = frame.state;
    uint32_t most = 0;
    for (size_t i = 0; i < s->state.count; i++)
        most = s->state.bodies[i] > most ? s->state.bodies[i] : most;
    TL_TRY(tl_array_resize(&s->rows, (size_t)most + 1));
    memset(s->rows.data, 0, s->rows.count * sizeof(uint32_t));
    for (size_t i = 0; i < s->state.count; i++)
        ((uint32_t *)s->rows.data)[s->state.bodies[i]] = (uint32_t)i + 1;
    return TL_OK;
}

/* The state of a row, moved by the entry's frame and then by that of the scope. */
static tl_body_start state_of(const tl_reader *r, const start *s, uint32_t row)
{
    tl_body_start out;
    double x[3], v[3], w[3], q[4];
    for (int k = 0; k < 4; k++)
        q[k] = (double)s->state.orientations[4 * (size_t)row + (size_t)k];
    for (int k = 0; k < 3; k++) {
        x[k] = s->state.positions[3 * (size_t)row + (size_t)k];
        v[k] = (double)s->state.velocities[3 * (size_t)row + (size_t)k];
        w[k] = (double)s->state.angular_velocities[3 * (size_t)row + (size_t)k];
    }
    tl_turn_apply(s->orientation, x, out.position);
    tl_turn_apply(s->orientation, v, out.velocity);
    tl_turn_apply(s->orientation, w, out.angular_velocity);
    tl_turn_join(s->orientation, q, out.orientation);
    for (int k = 0; k < 3; k++)
        out.position[k] += s->position[k];
    tl_frame_point(r, out.position);
    tl_frame_turn(r, out.orientation);
    tl_frame_direction(r, out.velocity);
    tl_frame_direction(r, out.angular_velocity);
    return out;
}

/* The bodies of a name of the result; NULL, told, where there are none. */
static tl_status find_there(const tl_reader *r, const start *s, const tl_json *value, tl_text name,
                            const tl_span **span)
{
    const tl_document *d = s->document;
    const tl_text none = {"", 0};
    tl_text prefix = tl_scope_prefix(r);
    do
        *span = tl_document_find_span(d, prefix, name);
    while (!*span && tl_prefix_shorten(&prefix));
    if (!*span)
        *span = tl_document_find_span(d, none, name);
    if (*span && (*span)->section <= TL_SECTION_RODS)
        return TL_OK;
    const tl_span *spans = d->spans.data;
    tl_near near = tl_near_start(name);
    for (size_t i = 0; i < d->spans.count; i++)
        if (spans[i].name && spans[i].section <= TL_SECTION_RODS)
            tl_near_offer(&near, tl_text_of((char *)d->names.data + spans[i].name));
    return tl_read_fail(r, value, "'%.*s' is no body or fill of the result, expected one that is%s",
                        name.length > 60 ? 60 : (int)name.length, name.data, tl_near_hint(&near));
}

/* "shoes, 3 of 61" for messages. */
static void show_body(char *text, size_t room, tl_text name, const tl_span *span, uint32_t which)
{
    const int cut = name.length > 60 ? 60 : (int)name.length;
    if (span->count > 1)
        snprintf(text, room, "'%.*s', %u of %u,", cut, name.data, which + 1, span->count);
    else
        snprintf(text, room, "'%.*s'", cut, name.data);
}

/* Starts the bodies of one name here as those of one name there. */
static tl_status start_name(tl_reader *r, const start *s, const tl_json *value, const tl_span *here,
                            tl_text name)
{
    const tl_span *there;
    char which[100], what[100];
    TL_TRY(find_there(r, s, value, name, &there));
    if (here->count != there->count)
        return tl_read_fail(r, value, "'%.*s' has %u bodies in the result, expected %u as here",
                            name.length > 60 ? 60 : (int)name.length, name.data, there->count,
                            here->count);
    const uint32_t *rows = s->rows.data;
    const tl_scene *other = tl_document_scene(s->document);
    for (uint32_t i = 0; i < here->count; i++) {
        const tl_body body = {here->first + i, 1}, from = {there->first + i, 1};
        show_body(which, sizeof which, name, there, i);
        if (!tl_scene_alike(r->scene, body, other, from, what, sizeof what))
            return tl_read_fail(r, value, "%s is of another size in the result: %s", which, what);
        if (from.index >= s->rows.count || !rows[from.index])
            return tl_read_fail(
                r, value, "%s is not in the frame of the result, expected all of them", which);
        const tl_body_start state = state_of(r, s, rows[from.index] - 1);
        const tl_status status = tl_scene_start(r->scene, body, &state);
        if (status < 0)
            return refuse(r, value, status);
    }
    return TL_OK;
}

/* Names, or an object of names here with names there. */
static tl_status start_bodies(tl_reader *r, const tl_json *list, const start *s)
{
    static const char expected[] =
        "an array of names of bodies or fills, or an object: names here with names there";
    const tl_span *span;
    if (!list)
        return tl_read_missing(r, s->entry, "bodies", expected);
    if ((list->kind != TL_JSON_ARRAY && list->kind != TL_JSON_OBJECT) || !list->count)
        return tl_read_expected(r, list, expected);
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        tl_text name = {0};
        if (list->kind == TL_JSON_ARRAY) {
            TL_TRY(tl_read_reference(r, v, &span));
        } else {
            const tl_text own = tl_json_key(r->tree, v);
            span = tl_read_find(r, own);
            if (!span || span->section > TL_SECTION_RODS)
                return tl_read_fail_key(r, list, v,
                                        "'%.*s' is no body or fill, expected the name of one",
                                        own.length > 60 ? 60 : (int)own.length, own.data);
        }
        TL_TRY(tl_read_string(r, v, "a name of the result", &name));
        TL_TRY(start_name(r, s, v, span, name));
    }
    return TL_OK;
}

static tl_status read_entry(tl_reader *r, start *s)
{
    const tl_json *f[KEYS];
    TL_TRY(tl_read_fields(r, s->entry, "a start", KEYS, keys, f));
    TL_TRY(tl_read_vector(r, f[POSITION], 3, TL_ANY("m"), s->position));
    TL_TRY(tl_read_orientation(r, f[ORIENTATION], s->orientation));
    TL_TRY(open_result(r, f, s));
    TL_TRY(read_state(r, f, s));
    return start_bodies(r, f[BODIES], s);
}

tl_status tl_read_starts(tl_reader *r, const tl_json *list)
{
    if (!list || r->stored.result)
        return TL_OK; /* the frames of a result say where its bodies are */
    TL_TRY(tl_read_array(r, list, "an array of starts {\"result\", \"bodies\"}"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        start s = {.entry = v, .rows = {.item = sizeof(uint32_t)}, .orientation = {1, 0, 0, 0}};
        const tl_status status = read_entry(r, &s);
        tl_array_free(&s.rows);
        tl_document_destroy(s.document);
        tl_result_close(s.result);
        TL_TRY(status);
    }
    return TL_OK;
}
