/* Monitors: what is measured in every step. Called by parse_scene.c once all bodies and emitters
 * are known. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "scene/scene.h"

enum {
    KIND,
    ON,
    BY,
    SHAPE,
    AXIS,
    ABOUT,
    PLANE,
    INTO,
    WITHIN,
    OF,
    WINDOW,
    EXPRESSION,
    UNIT,
    ORIGIN,
    DIRECTION,
    MAX_DISTANCE,
    FROM,
    JOINT,
    KEYS
};
static const char *const keys[] = {"kind",         "on",         "by",   "shape",  "axis",
                                   "about",        "plane",      "into", "within", "of",
                                   "window",       "expression", "unit", "origin", "direction",
                                   "max_distance", "from",       "joint"};
_Static_assert(sizeof keys / sizeof *keys == KEYS, "a name for each key");

#define MOST_NAME 40 /* bytes of a monitor's name */
#define BIT(key)  (1u << (key))
enum {
    FORCES = BIT(ON) | BIT(BY) | BIT(SHAPE) | BIT(AXIS),
    MEANS = BIT(ON) | BIT(AXIS),
    SUMS = BIT(ON) | BIT(WITHIN),
    STATISTICS = BIT(OF) | BIT(WINDOW)
};

/* The keys that each kind may have. */
static const uint32_t allowed[] = {
    [TL_MONITOR_FORCE] = FORCES,
    [TL_MONITOR_TORQUE] = FORCES | BIT(ABOUT),
    [TL_MONITOR_MASS_FLOW] = BIT(ON) | BIT(PLANE) | BIT(INTO),
    [TL_MONITOR_POSITION] = MEANS,
    [TL_MONITOR_VELOCITY] = MEANS,
    [TL_MONITOR_ANGULAR_VELOCITY] = MEANS,
    [TL_MONITOR_ENERGY] = SUMS,
    [TL_MONITOR_AMOUNT] = SUMS,
    [TL_MONITOR_SPEED] = SUMS,
    [TL_MONITOR_MEAN] = STATISTICS,
    [TL_MONITOR_MAX] = STATISTICS,
    [TL_MONITOR_MIN] = STATISTICS,
    [TL_MONITOR_INTEGRAL] = STATISTICS,
    [TL_MONITOR_EXPRESSION] = BIT(EXPRESSION) | BIT(UNIT),
    [TL_MONITOR_TOUCHING] = BIT(ON) | BIT(BY) | BIT(SHAPE),
    [TL_MONITOR_RAY] = BIT(ON) | BIT(ORIGIN) | BIT(DIRECTION) | BIT(MAX_DISTANCE) | BIT(FROM),
    [TL_MONITOR_JOINT] = BIT(JOINT),
};

/* What a definition points to while it is read. */
typedef struct pieces {
    tl_array ranges[2], emitters[2]; /* tl_body_range, uint32_t: of on and by */
    tl_array name, of, unit, text;   /* char, with a zero byte */
    tl_array variables;              /* tl_monitor_info, then const char *: of an expression */
    tl_array names;
} pieces;

static void free_pieces(pieces *p)
{
    tl_array *arrays[] = {&p->ranges[0], &p->ranges[1], &p->emitters[0], &p->emitters[1],
                          &p->name,      &p->of,        &p->unit,        &p->text,
                          &p->variables, &p->names};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
}

/* A copy of a text with a zero byte. */
static tl_status keep(tl_text text, tl_array *out)
{
    out->count = 0;
    if (text.length)
        TL_TRY(tl_array_append(out, text.data, text.length));
    return tl_array_append(out, "", 1);
}

/* ---- Groups ---- */

static tl_status add_name(const tl_reader *r, const tl_json *value, pieces *p, int which)
{
    static const char expected[] = "the name of a body, fill or emitter";
    tl_text name = {0};
    char text[64];
    TL_TRY(tl_read_string(r, value, expected, &name));
    const tl_span *span = tl_read_find(r, name);
    if (!span) {
        tl_near near = tl_near_start(name);
        const tl_span *spans = r->document->spans.data;
        for (size_t i = 0; i < r->document->spans.count; i++)
            if (spans[i].name)
                tl_near_offer(&near, tl_text_of((char *)r->document->names.data + spans[i].name));
        return tl_read_fail(r, value, "is %s, expected %s%s",
                            tl_read_show(r, value, text, sizeof text), expected,
                            tl_near_hint(&near));
    }
    if (span->section == TL_SECTION_JOINTS)
        return tl_read_fail(r, value, "is %s, a joint, expected %s",
                            tl_read_show(r, value, text, sizeof text), expected);
    if (span->section == TL_SECTION_EMITTERS)
        return tl_array_append(&p->emitters[which], &span->emitter, 1);
    const tl_body_range range = {{span->first, 1}, span->count};
    return span->count ? tl_array_append(&p->ranges[which], &range, 1)
                       : tl_read_fail(r, value, "is %s, which has no body, expected one that has",
                                      tl_read_show(r, value, text, sizeof text));
}

/* "all", a name or an array of names. */
static tl_status read_group(const tl_reader *r, const tl_json *value, pieces *p, int which,
                            tl_group_def *group)
{
    static const char expected[] = "\"all\", a name of bodies, or an array of names";
    if (!value)
        return TL_OK;
    group->all = value->kind == TL_JSON_STRING && tl_text_is(tl_json_text(r->tree, value), "all");
    if (group->all)
        return TL_OK;
    if (value->kind == TL_JSON_STRING) {
        TL_TRY(add_name(r, value, p, which));
    } else {
        TL_TRY(tl_read_array(r, value, expected));
        if (!value->count)
            return tl_read_expected(r, value, expected);
        for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v))
            TL_TRY(add_name(r, v, p, which));
    }
    group->range_count = p->ranges[which].count;
    group->ranges = p->ranges[which].data;
    group->emitter_count = p->emitters[which].count;
    group->emitters = p->emitters[which].data;
    return TL_OK;
}

/* ---- What is measured ---- */

static tl_status check_vector(const tl_reader *r, const tl_json *value, const double x[3])
{
    return x[0] != 0 || x[1] != 0 || x[2] != 0 ? TL_OK
                                               : tl_read_expected(r, value, "[x, y, z], not all 0");
}

static tl_status read_flow(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                           tl_monitor_def *def)
{
    static const char *const plane_keys[] = {"point", "normal"};
    const tl_json *plane[2];
    if (f[PLANE] && f[INTO])
        return tl_read_fail_key(r, entry, f[INTO],
                                "has both 'plane' and 'into', expected one of them");
    if (f[INTO])
        return tl_read_region(r, f[INTO], false, &def->region);
    if (!f[PLANE])
        return tl_read_missing(r, entry, "plane",
                               "a plane {\"point\", \"normal\"}, or a region 'into' which mass "
                               "flows");
    TL_TRY(tl_read_fields(r, f[PLANE], "a plane", 2, plane_keys, plane));
    if (!plane[0] || !plane[1])
        return tl_read_missing(r, f[PLANE], plane_keys[plane[0] != NULL], "[x, y, z]");
    TL_TRY(tl_read_vector(r, plane[0], 3, TL_ANY("m"), def->point));
    TL_TRY(tl_read_vector(r, plane[1], 3, TL_ANY("any length"), def->normal));
    tl_frame_point(r, def->point);
    tl_frame_direction(r, def->normal);
    return check_vector(r, plane[1], def->normal);
}

static tl_status read_ray(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                          pieces *p, tl_monitor_def *def)
{
    if (!f[DIRECTION] || !f[MAX_DISTANCE])
        return tl_read_missing(r, entry, keys[f[DIRECTION] ? MAX_DISTANCE : DIRECTION],
                               f[DIRECTION] ? "how far the ray goes (m)"
                                            : "[x, y, z], of any length");
    TL_TRY(read_group(r, f[ON], p, 0, &def->on));
    TL_TRY(tl_read_vector(r, f[ORIGIN], 3, TL_ANY("m"), def->point));
    TL_TRY(tl_read_vector(r, f[DIRECTION], 3, TL_ANY("any length"), def->axis));
    TL_TRY(check_vector(r, f[DIRECTION], def->axis));
    TL_TRY(tl_read_number(r, f[MAX_DISTANCE], TL_ABOVE_0("m"), &def->max_distance));
    if (!f[FROM]) {
        tl_frame_point(r, def->point);
        tl_frame_direction(r, def->axis);
        return TL_OK;
    }
    TL_TRY(add_name(r, f[FROM], p, 1));
    const tl_body_range *body = p->ranges[1].data;
    if (p->emitters[1].count || body->count != 1)
        return tl_read_expected(r, f[FROM], "the name of one body");
    def->from = body->first;
    return TL_OK;
}

static tl_status read_measure(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                              pieces *p, tl_monitor_def *def)
{
    const bool forces = allowed[def->kind] & BIT(BY);
    uint64_t shape = def->shape;
    TL_TRY(read_group(r, f[ON], p, 0, &def->on));
    TL_TRY(read_group(r, f[BY], p, 1, &def->by));
    if (forces && def->on.all && (!f[BY] || def->by.all)) {
        if (!f[ON])
            return tl_read_missing(r, entry, "on",
                                   def->kind == TL_MONITOR_TOUCHING
                                       ? "the name of what is touched"
                                       : "the name of what the force acts on");
        return tl_read_fail(r, f[ON],
                            "is \"all\", on which nothing acts, expected names, or names in 'by'");
    }
    TL_TRY(tl_read_whole(r, f[SHAPE], 0, INT32_MAX, &shape));
    def->shape = (uint32_t)shape;
    TL_TRY(tl_read_vector(r, f[AXIS], 3, TL_ANY("any length"), def->axis));
    if (f[AXIS])
        TL_TRY(check_vector(r, f[AXIS], def->axis));
    tl_frame_direction(r, def->axis);
    const bool single = !def->on.all && !def->on.emitter_count && def->on.range_count == 1 &&
                        def->on.ranges->count == 1;
    if (f[SHAPE] && !single)
        return tl_read_fail_key(r, entry, f[SHAPE],
                                "has 'shape', expected none where 'on' is not one body");
    if (def->kind == TL_MONITOR_TORQUE && !f[ABOUT] && !single)
        return tl_read_missing(r, entry, "about",
                               "a point [x, y, z] (m), for 'on' is not one body");
    def->about = f[ABOUT] != NULL;
    TL_TRY(tl_read_vector(r, f[ABOUT], 3, TL_ANY("m"), def->point));
    if (f[ABOUT])
        tl_frame_point(r, def->point);
    def->within = f[WITHIN] != NULL;
    if (f[WITHIN])
        TL_TRY(tl_read_region(r, f[WITHIN], false, &def->region));
    return def->kind == TL_MONITOR_MASS_FLOW ? read_flow(r, entry, f, def) : TL_OK;
}

/* A channel by its whole name: one of this scope, or of those around it. */
static tl_status keep_channel(const tl_reader *r, tl_text of, tl_array *out)
{
    const size_t count = tl_scene_monitor_count(r->scene);
    tl_text prefix = tl_scope_prefix(r);
    tl_monitor_info info;
    do
        for (size_t i = 0; i < count; i++) {
            TL_TRY(tl_scene_monitor_info(r->scene, i, &info));
            if (tl_text_joins(prefix, of, info.name))
                return keep(tl_text_of(info.name), out);
        }
    while (tl_prefix_shorten(&prefix));
    return keep(of, out);
}

static tl_status read_statistic(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                                pieces *p, tl_monitor_def *def)
{
    tl_text of = {0};
    if (!f[OF])
        return tl_read_missing(r, entry, "of", "the name of a channel such as \"drag.x\"");
    TL_TRY(tl_read_string(r, f[OF], "the name of a channel such as \"drag.x\"", &of));
    TL_TRY(keep_channel(r, of, &p->of));
    def->of = p->of.data;
    return tl_read_number(r, f[WINDOW], TL_ABOVE_0("s"), &def->window);
}

/* The names that an expression may use: t and the channels so far. */
static tl_status list_names(const tl_reader *r, pieces *p)
{
    const size_t count = tl_scene_monitor_count(r->scene);
    const char *name = "t";
    TL_TRY(tl_array_resize(&p->variables, count));
    TL_TRY(tl_array_append(&p->names, &name, 1));
    for (size_t i = 0; i < count; i++) {
        tl_monitor_info *info = (tl_monitor_info *)p->variables.data + i;
        TL_TRY(tl_scene_monitor_info(r->scene, i, info));
        name = info->name;
        TL_TRY(tl_array_append(&p->names, &name, 1));
    }
    return TL_OK;
}

/* The scene gets the expression with the values of parameters in it. */
static tl_status read_expression(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                                 pieces *p, tl_monitor_def *def)
{
    static const char expected[] = "an expression such as \"=drag.x / 9.81\"";
    tl_text text = {0}, unit = {0};
    tl_expression_error error;
    char shown[64];
    if (!f[EXPRESSION])
        return tl_read_missing(r, entry, "expression", expected);
    TL_TRY(tl_read_string(r, f[EXPRESSION], expected, &text));
    if (text.data[0] != '=')
        return tl_read_expected(r, f[EXPRESSION], expected);
    text = (tl_text){text.data + 1, text.length - 1};
    TL_TRY(list_names(r, p));
    const tl_names names = {.parameters = r->parameters.data,
                            .parameter_count = r->parameters.count,
                            .variables = p->names.data,
                            .variable_count = p->names.count,
                            .prefix = tl_scope_prefix(r)};
    const tl_status status = tl_expression_compile(r->expression, text, &names, &error);
    if (status == TL_BAD_DATA)
        return tl_read_fail(r, f[EXPRESSION], "in %s: %s",
                            tl_read_show(r, f[EXPRESSION], shown, sizeof shown), error.text);
    TL_TRY(status);
    TL_TRY(tl_expression_inline(text, &names, &p->text));
    TL_TRY(tl_array_append(&p->text, "", 1));
    def->expression = p->text.data;
    if (!f[UNIT])
        return TL_OK;
    TL_TRY(tl_read_string(r, f[UNIT], NULL, &unit));
    if (unit.length > 15)
        return tl_read_expected(r, f[UNIT], "a text of at most 15 bytes");
    TL_TRY(keep(unit, &p->unit));
    def->unit = p->unit.data;
    return TL_OK;
}

/* ---- One monitor ---- */

static tl_status check_name(const tl_reader *r, const tl_json *object, const tl_json *entry,
                            tl_text name)
{
    const int most = MOST_NAME - (int)tl_scope_prefix(r).length;
    const int cut = name.length > 60 ? 60 : (int)name.length;
    if (!tl_expression_is_name(name) || (int)name.length > most)
        return tl_read_fail_key(r, object, entry,
                                "'%.*s' cannot be the name of a monitor, expected at most %d "
                                "letters, digits and _",
                                cut, name.data, most);
    for (const tl_json *v = tl_json_first(r->tree, object); v != entry;
         v = tl_json_next(r->tree, v))
        if (tl_text_same(tl_json_key(r->tree, v), name))
            return tl_read_fail_key(r, object, entry, "duplicate key '%.*s', expected it once", cut,
                                    name.data);
    return TL_OK;
}

/* A monitor's name, with that of the fragment in front. */
static tl_status keep_name(const tl_reader *r, tl_text name, tl_array *out)
{
    const tl_text prefix = tl_scope_prefix(r);
    out->count = 0;
    if (prefix.length)
        TL_TRY(tl_array_append(out, prefix.data, prefix.length));
    TL_TRY(tl_array_append(out, name.data, name.length));
    return tl_array_append(out, "", 1);
}

/* Whether a monitor is of all joints: "all", unless one of this scope is called so. */
static bool of_all_joints(const tl_reader *r, const tl_json *value)
{
    if (!value || value->kind != TL_JSON_STRING || !tl_text_is(tl_json_text(r->tree, value), "all"))
        return false;
    const tl_span *span = tl_document_find_span(r->document, tl_scope_prefix(r), tl_text_of("all"));
    return !span || span->section != TL_SECTION_JOINTS;
}

/* Joints before those of this scope and of what it includes. */
static uint32_t joints_before(const tl_reader *r)
{
    const tl_scope *scopes = r->scopes.data;
    return r->scope->first ? scopes[r->scope->first - 1].joints : 0;
}

/* The name of a joint's monitor among those of all: with that of the joint, where it is one and the
 * joint alone has it, else with its number; those of a fragment as if it were alone, behind its
 * name. */
static tl_status name_of_one(const tl_reader *r, tl_text name, tl_joint joint, tl_array *out)
{
    const size_t prefix = tl_scope_prefix(r).length;
    const char *whole = tl_document_joint_name(r->document, joint);
    const char *own = whole ? whole + prefix : NULL;
    char number[16];
    snprintf(number, sizeof number, "%u", joint.index - joints_before(r));
    for (int way = 0; way < 2; way++) {
        const char *tail = way || !own ? number : own;
        TL_TRY(keep_name(r, name, out));
        out->count--;
        TL_TRY(tl_array_append(out, "_", 1));
        TL_TRY(tl_array_append(out, tail, strlen(tail) + 1));
        const tl_text text = {(const char *)out->data + prefix, out->count - 1 - prefix};
        if (tail == own && tl_expression_is_name(text) && prefix + text.length <= MOST_NAME &&
            tl_document_find_joint(r->document, whole).index == joint.index)
            break;
    }
    return TL_OK;
}

/* A monitor for each joint of the scene, or of the fragment. */
static tl_status add_joint_monitors(tl_reader *r, const tl_json *entry, tl_text name, pieces *p,
                                    tl_monitor_def *def)
{
    const uint32_t before = joints_before(r), last = r->scope->joints;
    for (uint32_t i = before + 1; i <= last; i++) {
        def->joint = (tl_joint){i};
        TL_TRY(name_of_one(r, name, def->joint, &p->name));
        def->name = p->name.data;
        const tl_status status = tl_scene_add_monitor(r->scene, def);
        if (status < 0)
            return tl_read_refused(r, entry, status);
    }
    return last > before ? TL_OK
                         : tl_read_fail(r, entry, "is of all joints, but the scene has none");
}

static tl_status read_monitor(tl_reader *r, const tl_json *object, const tl_json *entry, pieces *p)
{
    const tl_json *f[KEYS];
    const tl_text name = tl_json_key(r->tree, entry);
    tl_monitor_def def = tl_monitor_default();
    uint32_t kind = 0;
    TL_TRY(check_name(r, object, entry, name));
    TL_TRY(tl_read_fields(r, entry, "a monitor", KEYS, keys, f));
    if (!f[KIND])
        return tl_read_missing(r, entry, "kind", "what to measure, such as \"force\"");
    TL_TRY(tl_read_choice(r, f[KIND], tl_words(TL_WORDS_MONITOR), &kind));
    for (uint32_t i = KIND + 1; i < KEYS; i++)
        if (f[i] && !(allowed[kind] & BIT(i)))
            return tl_read_fail_key(r, entry, f[i], "has '%s', expected none with kind \"%s\"",
                                    keys[i], tl_word(TL_WORDS_MONITOR, kind));
    def.kind = (tl_monitor_kind)kind;
    const bool alone = kind == TL_MONITOR_EXPRESSION || allowed[kind] == STATISTICS;
    if (alone && (tl_expression_is_taken(name) || tl_text_is(name, "t")))
        return tl_read_fail_key(r, object, entry,
                                "'%.*s' is built in, expected another name for one channel",
                                (int)name.length, name.data);
    if (def.kind == TL_MONITOR_EXPRESSION)
        TL_TRY(read_expression(r, entry, f, p, &def));
    else if (def.kind == TL_MONITOR_RAY)
        TL_TRY(read_ray(r, entry, f, p, &def));
    else if (def.kind == TL_MONITOR_JOINT && !f[JOINT])
        return tl_read_missing(r, entry, "joint", "the name of a joint, or \"all\"");
    else if (def.kind == TL_MONITOR_JOINT && of_all_joints(r, f[JOINT]))
        return add_joint_monitors(r, entry, name, p, &def);
    else if (def.kind == TL_MONITOR_JOINT)
        TL_TRY(tl_read_joint(r, f[JOINT], &def.joint));
    else if (allowed[kind] == STATISTICS)
        TL_TRY(read_statistic(r, entry, f, p, &def));
    else
        TL_TRY(read_measure(r, entry, f, p, &def));
    TL_TRY(keep_name(r, name, &p->name));
    def.name = p->name.data;
    const tl_status status = tl_scene_add_monitor(r->scene, &def);
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

tl_status tl_read_monitors(tl_reader *r, const tl_json *object)
{
    if (!object)
        return TL_OK;
    if (object->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, object, "an object: names with monitors");
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        pieces p = {.name = {.item = 1},
                    .of = {.item = 1},
                    .unit = {.item = 1},
                    .text = {.item = 1},
                    .variables = {.item = sizeof(tl_monitor_info)},
                    .names = {.item = sizeof(char *)}};
        for (int i = 0; i < 2; i++) {
            p.ranges[i].item = sizeof(tl_body_range);
            p.emitters[i].item = sizeof(uint32_t);
        }
        const tl_status status = read_monitor(r, object, v, &p);
        free_pieces(&p);
        TL_TRY(status);
    }
    return TL_OK;
}
