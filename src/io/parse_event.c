/* What happens while a scene runs: events, boundaries, moving patches and forces; and which bodies
 * are recorded. Called by parse_scene.c once all bodies are known. */
#include "io/parse.h"

#include <stdlib.h>

#include "base/near.h"

/* ---- References ---- */

tl_status tl_read_reference(const tl_reader *r, const tl_json *value, const tl_span **span)
{
    tl_text name = {0};
    char text[64];
    TL_TRY(tl_read_string(r, value, "the name of a body or fill", &name));
    *span = tl_read_find(r, name);
    if (*span && (*span)->section <= TL_SECTION_RODS)
        return TL_OK;
    tl_read_show(r, value, text, sizeof text);
    if (*span)
        return tl_read_fail(r, value, "is %s, %s, expected the name of a body or fill", text,
                            (*span)->section == TL_SECTION_JOINTS ? "a joint" : "an emitter");
    tl_near near = tl_near_start(name);
    const tl_span *spans = r->document->spans.data;
    for (size_t i = 0; i < r->document->spans.count; i++)
        if (spans[i].name) {
            const char *known = (char *)r->document->names.data + spans[i].name;
            tl_near_offer_all(&near, &known, 1);
        }
    return tl_read_fail(r, value, "is %s, expected the name of a body or fill%s", text,
                        tl_near_hint(&near));
}

/* ---- Recording ---- */

static int compare_ranges(const void *a, const void *b)
{
    const uint32_t x = ((const tl_body_range *)a)->first.index;
    const uint32_t y = ((const tl_body_range *)b)->first.index;
    return (x > y) - (x < y);
}

/* The bodies that one name stands for, of an emitter all that it is going to make. */
static tl_status read_range(const tl_reader *r, const tl_json *value, tl_body_range *range)
{
    const tl_span *span =
        value->kind == TL_JSON_STRING ? tl_read_find(r, tl_json_text(r->tree, value)) : NULL;
    if (!span || span->section != TL_SECTION_EMITTERS) {
        TL_TRY(tl_read_reference(r, value, &span));
        *range = (tl_body_range){{span->first, 1}, span->count};
        return TL_OK;
    }
    const char *name = (const char *)r->document->names.data + span->name;
    const tl_status status = tl_document_find_emitted(r->document, name, range);
    return status < 0 ? tl_read_fail(r, value,
                                     "%s, expected the name of a body or fill, or of an "
                                     "emitter that is alone",
                                     tl_last_message())
                      : TL_OK;
}

tl_status tl_read_recorded(tl_reader *r, const tl_json *list)
{
    static const char *const expected = "an array of names of bodies, fills or emitters";
    tl_array *ranges = &r->document->recorded;
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, expected));
    if (!list->count)
        return tl_read_expected(r, list, expected);
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        tl_body_range range;
        TL_TRY(read_range(r, v, &range));
        const tl_body_range *known = ranges->data;
        for (size_t i = 0; i < ranges->count; i++)
            if (known[i].first.index == range.first.index)
                return tl_read_fail(r, v, "names a body or fill again, expected each once");
        if (range.count) /* a fill may have found no room */
            TL_TRY(tl_array_append(ranges, &range, 1));
    }
    if (ranges->count)
        qsort(ranges->data, ranges->count, sizeof(tl_body_range), compare_ranges);
    r->document->record.bodies = ranges->data;
    r->document->record.body_count = ranges->count;
    return TL_OK;
}

/* ---- Events ---- */

/* The bodies that an event is about. */
static tl_status read_names(tl_reader *r, const tl_json *list, tl_event_def *def)
{
    static const char *const expected = "an array of names of bodies or fills";
    TL_TRY(tl_read_array(r, list, expected));
    if (!list->count)
        return tl_read_expected(r, list, expected);
    r->scratch.count = 0;
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        const tl_span *span;
        TL_TRY(tl_read_reference(r, v, &span));
        TL_TRY(tl_read_charge(r, v, 0, span->count));
        const size_t before = r->scratch.count;
        TL_TRY(tl_array_resize(&r->scratch, before + span->count));
        tl_body *bodies = (tl_body *)r->scratch.data + before;
        for (uint32_t i = 0; i < span->count; i++)
            bodies[i] = (tl_body){span->first + i, 1};
    }
    def->bodies = r->scratch.data;
    def->body_count = r->scratch.count;
    return TL_OK;
}

/* One place for many bodies: the name is what is wrong, not one of the bodies that it stands for.
 */
static tl_status check_prescribed(const tl_reader *r, const tl_json *list)
{
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        const tl_span *span;
        char text[64];
        TL_TRY(tl_read_reference(r, v, &span));
        if (!span->prescribed)
            return tl_read_fail(r, v,
                                "is %s, expected the name of a body of kind \"prescribed\": only "
                                "such bodies have a motion",
                                tl_read_show(r, v, text, sizeof text));
    }
    return TL_OK;
}

static tl_status read_change(tl_reader *r, const tl_json *entry, const tl_json *motion,
                             const tl_json *bodies, tl_event_def *def)
{
    if (!bodies)
        return tl_read_missing(r, entry, "bodies", "an array of names of bodies");
    def->kind = TL_EVENT_MOTION;
    TL_TRY(tl_read_motion(r, motion, &def->motion));
    tl_motion_attach(&def->motion, r->entry_table.data, r->entry_texts.data);
    TL_TRY(read_names(r, bodies, def));
    return check_prescribed(r, bodies);
}

static tl_status read_event(tl_reader *r, const tl_json *entry)
{
    enum { TIME, REMOVE, GRAVITY, MOTION, BODIES, KEYS };
    static const char *const keys[] = {"time", "remove", "gravity", "motion", "bodies"};
    const tl_json *f[KEYS];
    tl_event_def def = tl_event_default();
    TL_TRY(tl_read_fields(r, entry, "an event", KEYS, keys, f));
    if (!f[TIME])
        return tl_read_missing(r, entry, "time", "a number of at least 0 (s)");
    TL_TRY(tl_read_number(r, f[TIME], TL_AT_LEAST_0("s"), &def.time));
    for (int i = REMOVE, last = TIME; i <= MOTION; i++) {
        if (f[i] && last != TIME)
            return tl_read_fail_key(r, entry, f[i], "has both '%s' and '%s', expected one of them",
                                    keys[last], keys[i]);
        last = f[i] ? i : last;
    }
    if (f[BODIES] && !f[MOTION])
        return tl_read_fail_key(r, entry, f[BODIES], "has 'bodies', expected them with a 'motion'");
    if (f[REMOVE]) {
        def.kind = TL_EVENT_REMOVE;
        TL_TRY(read_names(r, f[REMOVE], &def));
    } else if (f[MOTION]) {
        TL_TRY(read_change(r, entry, f[MOTION], f[BODIES], &def));
    } else if (f[GRAVITY]) {
        def.kind = TL_EVENT_GRAVITY;
        TL_TRY(tl_read_vector(r, f[GRAVITY], 3, TL_ANY("m/s^2"), def.gravity));
    } else {
        return tl_read_missing(r, entry, "remove",
                               "names to remove, a 'gravity' or a 'motion' to set");
    }
    tl_status status = tl_scene_add_event(r->scene, &def);
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

tl_status tl_read_events(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of events"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_event(r, v));
    return TL_OK;
}

/* ---- Boundaries ---- */

static tl_status read_boundary(const tl_reader *r, const tl_json *entry)
{
    enum { KEEP, REMOVE, INTERVAL, KEYS };
    static const char *const keys[] = {"keep", "remove", "interval"};
    const tl_json *f[KEYS];
    tl_boundary_def def = tl_boundary_default();
    TL_TRY(tl_read_fields(r, entry, "a boundary", KEYS, keys, f));
    if (f[KEEP] && f[REMOVE])
        return tl_read_fail_key(r, entry, f[REMOVE],
                                "has both 'keep' and 'remove', expected one of them");
    if (!f[KEEP] && !f[REMOVE])
        return tl_read_missing(r, entry, "keep",
                               "the region to stay in, or a region to 'remove' bodies in");
    def.remove_inside = f[REMOVE];
    TL_TRY(tl_read_region(r, f[KEEP] ? f[KEEP] : f[REMOVE], false, &def.region));
    TL_TRY(tl_read_number(r, f[INTERVAL], TL_ABOVE_0("s"), &def.interval));
    tl_status status = tl_scene_add_boundary(r->scene, &def);
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

tl_status tl_read_boundaries(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of boundaries"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_boundary(r, v));
    return TL_OK;
}

/* ---- One body ---- */

static tl_status read_body(const tl_reader *r, const tl_json *value, tl_body *body)
{
    const tl_span *span;
    char text[64];
    TL_TRY(tl_read_reference(r, value, &span));
    tl_read_show(r, value, text, sizeof text);
    if (span->group)
        return tl_read_fail(r, value, "is %s, which names %u bodies, expected the name of one",
                            text, span->count);
    *body = (tl_body){span->first, 1};
    return TL_OK;
}

/* ---- Moving patches ---- */

static tl_status read_grains(const tl_reader *r, const tl_json *value, tl_body_range *grains)
{
    const tl_span *span;
    char text[64];
    TL_TRY(tl_read_reference(r, value, &span));
    *grains = (tl_body_range){{span->first, 1}, span->count};
    return span->count ? TL_OK
                       : tl_read_fail(r, value, "is %s, a fill that found no room, expected grains",
                                      tl_read_show(r, value, text, sizeof text));
}

static tl_status read_patch(tl_reader *r, const tl_json *entry)
{
    enum { FOLLOW, GRAINS, LENGTH, DIRECTION, UP, INTERVAL, KEYS };
    static const char *const keys[] = {"follow", "grains", "length", "direction", "up", "interval"};
    const tl_json *f[KEYS];
    tl_patch_def def = tl_patch_default();
    TL_TRY(tl_read_fields(r, entry, "a moving patch", KEYS, keys, f));
    if (!f[FOLLOW])
        return tl_read_missing(r, entry, "follow", "the name of a body");
    if (!f[GRAINS])
        return tl_read_missing(r, entry, "grains", "the name of a fill or of a group of bodies");
    if (!f[LENGTH])
        return tl_read_missing(r, entry, "length", "a number above 0 (m)");
    TL_TRY(read_body(r, f[FOLLOW], &def.follow));
    TL_TRY(read_grains(r, f[GRAINS], &def.grains));
    TL_TRY(tl_read_number(r, f[LENGTH], TL_ABOVE_0("m"), &def.length));
    TL_TRY(tl_read_vector(r, f[DIRECTION], 3, TL_ANY("-"), def.direction));
    TL_TRY(tl_read_vector(r, f[UP], 3, TL_ANY("-"), def.up));
    TL_TRY(tl_read_number(r, f[INTERVAL], TL_ABOVE_0("s"), &def.interval));
    tl_frame_direction(r, def.direction);
    tl_frame_direction(r, def.up);
    tl_status status = tl_scene_add_patch(r->scene, &def);
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

tl_status tl_read_patch(tl_reader *r, const tl_json *value)
{
    if (!value || value->kind != TL_JSON_ARRAY)
        return value ? read_patch(r, value) : TL_OK;
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_patch(r, v));
    return TL_OK;
}

/* ---- Forces ---- */

static tl_status read_force(tl_reader *r, const tl_json *entry)
{
    enum { BODY, FORCE, TORQUE, TABLE, KEYS };
    static const char *const keys[] = {"body", "force", "torque", "table"};
    const tl_json *f[KEYS];
    tl_force_def def = tl_force_default();
    TL_TRY(tl_read_fields(r, entry, "a force", KEYS, keys, f));
    if (!f[BODY])
        return tl_read_missing(r, entry, "body", "the name of a body");
    TL_TRY(read_body(r, f[BODY], &def.body));
    if (f[TABLE] && (f[FORCE] || f[TORQUE]))
        return tl_read_fail_key(r, entry, f[TABLE],
                                "has both 'table' and '%s', expected one of them",
                                f[FORCE] ? "force" : "torque");
    if (!f[TABLE] && !f[FORCE] && !f[TORQUE])
        return tl_read_missing(r, entry, "force", "a force [x, y, z] (N), a 'torque' or a 'table'");
    TL_TRY(tl_read_vector(r, f[FORCE], 3, TL_ANY("N"), def.force));
    TL_TRY(tl_read_vector(r, f[TORQUE], 3, TL_ANY("N m"), def.torque));
    if (f[TABLE]) {
        TL_TRY(
            tl_read_table(r, f[TABLE], 7, NULL, "the force (N) and the torque (N m)", &r->scratch));
        def.table_length = f[TABLE]->count;
        def.times = r->scratch.data;
        def.values = def.times + def.table_length;
        for (size_t i = 0; i < 2 * def.table_length; i++)
            tl_frame_direction(r, (double *)r->scratch.data + def.table_length + 3 * i);
    }
    tl_frame_direction(r, def.force);
    tl_frame_direction(r, def.torque);
    tl_status status = tl_scene_add_force(r->scene, &def);
    if (status == TL_BAD_ARGUMENT)
        return tl_read_fail(r, f[BODY],
                            "is fixed or prescribed, expected a body of kind "
                            "\"dynamic\"");
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

tl_status tl_read_forces(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of forces"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_force(r, v));
    return TL_OK;
}
