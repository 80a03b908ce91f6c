/* What a scene measures: monitors, checked, and the channels that they give. Worlds copy the list
 * and measure (world/monitor.c); a snapshot's monitors go through the same checks. Called through
 * talus/monitor.h. */
#include "scene/region.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"

enum {
    MOST_NAME = 40, /* so that "name.magnitude" fits tl_monitor_info */
    MOST_UNIT = 15,
    MOST_TEXT = 4096, /* of an expression */
    MOST_CHANNELS = 4096,
    MOST_OF_ONE = TL_JOINT_CHANNELS + 4 * TL_JOINT_AXES + 1 /* channels of a joint that is free */
};

tl_monitor_def tl_monitor_default(void)
{
    return (tl_monitor_def){
        .on = {.all = true}, .shape = TL_ANY_SHAPE, .window = INFINITY, .kind = TL_MONITOR_FORCE};
}

/* --- channels -------------------------------------------------------------------------------- */

/* The channels of a kind; those of three components may have one more, "along". */
static const struct kind {
    const char *names[4], *units[4];
    bool axis;
} kinds[] = {
    [TL_MONITOR_FORCE] = {{"x", "y", "z", "magnitude"}, {"N", "N", "N", "N"}, true},
    [TL_MONITOR_TORQUE] = {{"x", "y", "z", "magnitude"}, {"N m", "N m", "N m", "N m"}, true},
    [TL_MONITOR_MASS_FLOW] = {{"rate", "total", "count"}, {"kg/s", "kg", ""}, false},
    [TL_MONITOR_POSITION] = {{"x", "y", "z"}, {"m", "m", "m"}, true},
    [TL_MONITOR_VELOCITY] = {{"x", "y", "z", "magnitude"}, {"m/s", "m/s", "m/s", "m/s"}, true},
    [TL_MONITOR_ANGULAR_VELOCITY] = {{"x", "y", "z", "magnitude"},
                                     {"rad/s", "rad/s", "rad/s", "rad/s"},
                                     true},
    [TL_MONITOR_ENERGY] = {{"kinetic", "potential", "total"}, {"J", "J", "J"}, false},
    [TL_MONITOR_AMOUNT] = {{"mass", "count"}, {"kg", ""}, false},
    [TL_MONITOR_SPEED] = {{"mean", "max", "min"}, {"m/s", "m/s", "m/s"}, false},
    [TL_MONITOR_EXPRESSION] = {{NULL}, {NULL}, false},
    [TL_MONITOR_TOUCHING] = {{"count", "mass"}, {"", "kg"}, false},
    [TL_MONITOR_RAY] = {{"distance"}, {"m"}, false},
    [TL_MONITOR_JOINT] = {{NULL}, {NULL}, false}, /* joint_channels() */
};
_Static_assert(sizeof kinds / sizeof *kinds == TL_MONITOR_JOINT + 1, "a row for each kind");

/* The unit of a quantity that is summed up over time. */
static void integrate_unit(const char *unit, char out[16])
{
    const size_t length = strlen(unit);
    if (length > 2 && strcmp(unit + length - 2, "/s") == 0)
        snprintf(out, 16, "%.*s", (int)length - 2, unit);
    else if (strcmp(unit, "W") == 0)
        snprintf(out, 16, "J");
    else
        snprintf(out, 16, "%.13s%ss", unit, length ? " " : "");
}

static tl_status add_channel(tl_monitor_list *list, const char *name, const char *channel,
                             const char *unit)
{
    tl_monitor_info info;
    memset(&info, 0, sizeof info);
    snprintf(info.name, sizeof info.name, "%.*s%s%s", MOST_NAME, name, channel ? "." : "",
             channel ? channel : "");
    snprintf(info.unit, sizeof info.unit, "%.*s", MOST_UNIT, unit);
    return tl_array_append(&list->channels, &info, 1);
}

static tl_status add_joint_channels(tl_monitor_list *list, const tl_monitor_rec *m)
{
    static const char *const loads[TL_JOINT_CHANNELS] = {
        "fx",     "fy",       "fz",       "force",    "tx",       "ty",       "tz",
        "torque", "local_fx", "local_fy", "local_fz", "local_tx", "local_ty", "local_tz"};
    static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz", "length"};
    static const char *const parts[] = {"", "_rate", "_motor", "_work"};
    static const char *const units[2][4] = {{"m", "m/s", "N", "J"}, {"rad", "rad/s", "N m", "J"}};
    const char *name = m->def.name;
    char channel[16];
    for (int i = 0; i < TL_JOINT_CHANNELS; i++) {
        const bool torque = (i >= 4 && i < 8) || i >= 11;
        TL_TRY(add_channel(list, name, loads[i], torque ? "N m" : "N"));
    }
    for (int i = 0; i <= TL_JOINT_LINE; i++)
        for (int k = 0; k < 4 && (m->axes >> i & 1); k++) {
            snprintf(channel, sizeof channel, "%s%s", axes[i], parts[k]);
            TL_TRY(add_channel(list, name, channel, units[i > 2 && i < TL_JOINT_LINE][k]));
        }
    return add_channel(list, name, "error", "m");
}

static tl_status add_channels(tl_monitor_list *list, const tl_monitor_rec *m)
{
    const tl_monitor_def *def = &m->def;
    const struct kind *kind = &kinds[def->kind];
    const double *axis = def->axis;
    char unit[16];
    if (def->kind == TL_MONITOR_EXPRESSION)
        return add_channel(list, def->name, NULL, def->unit ? def->unit : "");
    if (tl_monitor_is_statistic(def->kind)) {
        const char *of = ((tl_monitor_info *)list->channels.data)[m->source].unit;
        snprintf(unit, sizeof unit, "%s", of);
        if (def->kind == TL_MONITOR_INTEGRAL)
            integrate_unit(of, unit);
        return add_channel(list, def->name, NULL, unit);
    }
    if (def->kind == TL_MONITOR_JOINT)
        return add_joint_channels(list, m);
    for (size_t i = 0; i < 4 && kind->names[i]; i++)
        TL_TRY(add_channel(list, def->name, kind->names[i], kind->units[i]));
    if (kind->axis && (axis[0] != 0 || axis[1] != 0 || axis[2] != 0))
        TL_TRY(add_channel(list, def->name, "along", kind->units[0]));
    return TL_OK;
}

/* The channel of a name, or how many there are. */
static size_t find_channel(const tl_monitor_list *list, const char *name)
{
    const tl_monitor_info *channels = list->channels.data;
    size_t i = 0;
    while (i < list->channels.count && strcmp(channels[i].name, name) != 0)
        i++;
    return i;
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Names with points between them: "left.wheel". */
static bool is_path(tl_text text)
{
    while (text.length) {
        const char *point = memchr(text.data, '.', text.length);
        const size_t length = point ? (size_t)(point - text.data) : text.length;
        if (!tl_expression_is_name((tl_text){text.data, length}))
            return false;
        if (!point)
            return true;
        text = (tl_text){point + 1, text.length - length - 1};
    }
    return false;
}

/* A name that stands alone, as one channel, must not hide a function in later expressions. */
static tl_status check_name(const tl_monitor_list *list, const tl_place *place,
                            const tl_monitor_def *def)
{
    const char *name = def->name;
    const tl_monitor_rec *monitors = list->monitors.data;
    if (!name)
        return tl_refuse_text(place, "name", "NULL", "it must be a text");
    const tl_text text = {name, strnlen(name, MOST_NAME + 1)};
    if (text.length > MOST_NAME || !is_path(text))
        return tl_refuse_text(
            place, "name", name,
            "it must be a letter or _, then letters, digits and _, or several of those "
            "with points between them; at most 40");
    if (tl_monitor_is_alone(def->kind) && (tl_expression_is_taken(text) || tl_text_is(text, "t")))
        return tl_refuse_text(place, "name", name, "that is built in; it must be another");
    for (size_t i = 0; i < list->monitors.count; i++)
        if (tl_text_is(text, monitors[i].def.name))
            return tl_refuse_text(place, "name", name, "another monitor has it; it must be new");
    return TL_OK;
}

static tl_status check_group(const char *field, const tl_group_def *g,
                             const tl_monitor_limits *limits)
{
    if (g->all)
        return TL_OK;
    if ((g->range_count && !g->ranges) || (g->emitter_count && !g->emitters))
        return tl_fail(TL_BAD_ARGUMENT, "monitor.%s: ranges or emitters is NULL", field);
    if (g->range_count > TL_MOST_ITEMS || g->emitter_count > TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "monitor.%s: it has more than %zu ranges or emitters", field,
                       TL_MOST_ITEMS);
    for (size_t i = 0; i < g->range_count; i++) {
        const tl_body_range *r = &g->ranges[i];
        if (r->first.index < 1 || r->first.generation != 1 || r->count < 1 ||
            (uint64_t)r->first.index - 1 + r->count > limits->bodies)
            return tl_fail(TL_BAD_HANDLE,
                           "monitor.%s.ranges[%zu]: %u bodies from index %u, generation %u are "
                           "none of this scene (it has %llu)",
                           field, i, r->count, r->first.index, r->first.generation,
                           (unsigned long long)limits->bodies);
    }
    for (size_t i = 0; i < g->emitter_count; i++)
        if (g->emitters[i] >= limits->emitters)
            return tl_fail(TL_BAD_HANDLE,
                           "monitor.%s.emitters[%zu]: %u is no emitter of this scene (it has %llu)",
                           field, i, g->emitters[i], (unsigned long long)limits->emitters);
    return TL_OK;
}

static tl_status check_force(const tl_place *place, const tl_monitor_def *def)
{
    if (def->on.all && (def->by.all || tl_group_empty(&def->by)))
        return tl_refuse_text(place, "on", "all bodies",
                              "it must be some of them, or 'by' must be: what acts on all is none");
    if (def->shape != TL_ANY_SHAPE && !tl_group_single(&def->on))
        return tl_refuse(place, "shape", 1, &(double){def->shape},
                         "it must be TL_ANY_SHAPE where 'on' is not one body");
    if (def->kind == TL_MONITOR_TORQUE && !def->about && !tl_group_single(&def->on))
        return tl_refuse_text(place, "about", "not set",
                              "it must be, with a point, where 'on' is not one body");
    return TL_OK;
}

static tl_status check_ray(const tl_place *place, const tl_monitor_def *def,
                           const tl_monitor_limits *limits)
{
    const tl_body from = def->from;
    const double *d = def->axis, most = def->max_distance;
    if ((from.index || from.generation) &&
        (from.generation != 1 || from.index < 1 || from.index > limits->bodies))
        return tl_fail_about(
            TL_BAD_HANDLE, &(tl_error){.subject = "monitor", .index = TL_NO_INDEX, .field = "from"},
            ": index %u, generation %u is no body of this scene (it has %llu)", from.index,
            from.generation, (unsigned long long)limits->bodies);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0)
        return tl_refuse(place, "axis", 3, d, "it must not be zero");
    if (!(most > 0 && isfinite(most)))
        return tl_refuse(place, "max_distance", 1, &most, "it must be > 0 and finite");
    return TL_OK;
}

static tl_status check_measure(const tl_place *place, const tl_monitor_def *def,
                               const tl_monitor_limits *limits)
{
    const double *n = def->normal;
    const bool plane = n[0] != 0 || n[1] != 0 || n[2] != 0;
    TL_TRY(check_group("on", &def->on, limits));
    TL_TRY(check_group("by", &def->by, limits));
    if (tl_group_empty(&def->on))
        return tl_refuse_text(place, "on", "no body", "it must name some, or be all");
    TL_TRY(tl_check_finite(place, "axis", 3, def->axis));
    TL_TRY(tl_check_finite(place, "point", 3, def->point));
    TL_TRY(tl_check_finite(place, "normal", 3, n));
    if (tl_monitor_of_contacts(def->kind))
        TL_TRY(check_force(place, def));
    if (def->kind == TL_MONITOR_RAY)
        return check_ray(place, def, limits);
    if ((def->kind == TL_MONITOR_MASS_FLOW && !plane) ||
        (def->kind >= TL_MONITOR_ENERGY && def->kind <= TL_MONITOR_SPEED && def->within))
        return tl_region_check(place, &def->region);
    return TL_OK;
}

/* The channel that a statistic is of. */
static tl_status check_statistic(const tl_monitor_list *list, const tl_place *place,
                                 const tl_monitor_def *def, uint32_t *source)
{
    const tl_monitor_info *channels = list->channels.data;
    if (!def->of)
        return tl_refuse_text(place, "of", "NULL", "it must name a channel");
    *source = (uint32_t)find_channel(list, def->of);
    if (*source == list->channels.count) {
        tl_near near = tl_near_start((tl_text){def->of, strnlen(def->of, sizeof channels->name)});
        for (size_t i = 0; i < list->channels.count; i++)
            tl_near_offer(&near, tl_text_of(channels[i].name));
        return tl_fail_about(TL_BAD_ARGUMENT,
                             &(tl_error){.subject = "monitor", .index = TL_NO_INDEX, .field = "of"},
                             " is %.64s; it must name a channel of a monitor before%s", def->of,
                             tl_near_hint(&near));
    }
    if (!(def->window > 0))
        return tl_refuse(place, "window", 1, &def->window, "it must be above 0");
    return TL_OK;
}

static tl_status check_expression(const tl_monitor_list *list, const tl_place *place,
                                  const tl_monitor_def *def, tl_expression *code)
{
    const tl_monitor_info *channels = list->channels.data;
    const char *t = "t";
    tl_array names = {.item = sizeof(char *)};
    tl_expression_error error;
    if (!def->expression || !*def->expression)
        return tl_refuse_text(place, "expression", def->expression ? "empty" : "NULL",
                              "it must be an expression of channels");
    const tl_text text = {def->expression, strnlen(def->expression, MOST_TEXT + 1)};
    if (text.length > MOST_TEXT)
        return tl_refuse_text(place, "expression", "very long", "it must be at most 4096 bytes");
    if (def->unit && strnlen(def->unit, MOST_UNIT + 1) > MOST_UNIT)
        return tl_refuse_text(place, "unit", def->unit, "it must be at most 15 bytes");
    tl_status status = tl_array_append(&names, &t, 1);
    for (size_t i = 0; i < list->channels.count && status == TL_OK; i++)
        status = tl_array_append(&names, &(const char *){channels[i].name}, 1);
    if (status == TL_OK) {
        const tl_names known = {
            .variables = names.data, .variable_count = names.count, .without_parameters = true};
        status = tl_expression_compile(code, text, &known, &error);
        if (status == TL_BAD_DATA)
            status = tl_fail_about(
                TL_BAD_ARGUMENT,
                &(tl_error){.subject = "monitor", .index = TL_NO_INDEX, .field = "expression"},
                " is \"%.100s\"; at byte %zu: %s", def->expression, error.offset, error.text);
    }
    tl_array_free(&names);
    return status;
}

/* --- records --------------------------------------------------------------------------------- */

static void free_text(const char *text)
{
    if (text)
        tl_free((void *)text, strlen(text) + 1);
}

static void free_group(const tl_group_def *g)
{
    tl_free((void *)g->ranges, g->range_count * sizeof *g->ranges);
    tl_free((void *)g->emitters, g->emitter_count * sizeof *g->emitters);
}

static void free_record(tl_monitor_rec *m)
{
    free_text(m->def.name);
    free_text(m->def.of);
    free_text(m->def.expression);
    free_text(m->def.unit);
    free_group(&m->def.on);
    free_group(&m->def.by);
    tl_expression_free(&m->code);
}

static tl_status keep_text(const char *text, const char **kept)
{
    const size_t room = text ? strlen(text) + 1 : 0;
    char *copy = room ? tl_alloc(room) : NULL;
    if (room && !copy)
        return TL_NO_MEMORY;
    if (room)
        memcpy(copy, text, room);
    *kept = copy;
    return TL_OK;
}

static tl_status keep_group(const tl_group_def *from, tl_group_def *to)
{
    const size_t ranges = from->all ? 0 : from->range_count * sizeof *from->ranges;
    const size_t emitters = from->all ? 0 : from->emitter_count * sizeof *from->emitters;
    tl_body_range *range = ranges ? tl_alloc(ranges) : NULL;
    *to = (tl_group_def){.all = from->all, .ranges = range};
    if (ranges && !range)
        return TL_NO_MEMORY;
    if (ranges)
        memcpy(range, from->ranges, ranges);
    to->range_count = ranges ? from->range_count : 0;
    uint32_t *emitter = emitters ? tl_alloc(emitters) : NULL;
    if (emitters && !emitter)
        return TL_NO_MEMORY;
    if (emitters)
        memcpy(emitter, from->emitters, emitters);
    to->emitters = emitter;
    to->emitter_count = emitters ? from->emitter_count : 0;
    return TL_OK;
}

/* Copies what a definition points to, as far as its kind uses it; a failure leaves a record that
 * can be freed. */
static tl_status keep(const tl_monitor_def *def, tl_monitor_rec *m)
{
    const bool expression = def->kind == TL_MONITOR_EXPRESSION;
    const bool statistic = tl_monitor_is_statistic(def->kind);
    m->def = *def;
    m->def.name = m->def.of = m->def.expression = m->def.unit = NULL;
    m->def.on = m->def.by = (tl_group_def){0};
    TL_TRY(keep_text(def->name, &m->def.name));
    TL_TRY(keep_text(statistic ? def->of : NULL, &m->def.of));
    TL_TRY(keep_text(expression ? def->expression : NULL, &m->def.expression));
    TL_TRY(keep_text(expression ? def->unit : NULL, &m->def.unit));
    if (statistic || expression || def->kind == TL_MONITOR_JOINT)
        return TL_OK;
    TL_TRY(keep_group(&def->on, &m->def.on));
    return keep_group(&def->by, &m->def.by);
}

static tl_status check(const tl_monitor_list *list, const tl_monitor_def *def,
                       const tl_monitor_limits *limits, tl_monitor_rec *m)
{
    const tl_place place = tl_place_of("monitor");
    TL_TRY(tl_check_enum(&place, "kind", def->kind, TL_WORDS_MONITOR));
    TL_TRY(check_name(list, &place, def));
    m->axes = def->kind == TL_MONITOR_JOINT ? limits->axes : 0;
    const size_t most = def->kind == TL_MONITOR_JOINT ? MOST_OF_ONE : 5;
    if (list->channels.count + most > MOST_CHANNELS)
        return tl_fail(TL_TOO_LARGE,
                       "monitor.name is %s; there are %zu channels already, of at "
                       "most %d",
                       def->name, list->channels.count, MOST_CHANNELS);
    if (def->kind == TL_MONITOR_JOINT) /* its joint was looked up for limits->axes */
        return TL_OK;
    if (def->kind == TL_MONITOR_EXPRESSION)
        return check_expression(list, &place, def, &m->code);
    return tl_monitor_is_statistic(def->kind) ? check_statistic(list, &place, def, &m->source)
                                              : check_measure(&place, def, limits);
}

/* --- lists ----------------------------------------------------------------------------------- */

void tl_monitor_list_init(tl_monitor_list *list)
{
    *list = (tl_monitor_list){.monitors = {.item = sizeof(tl_monitor_rec)},
                              .channels = {.item = sizeof(tl_monitor_info)}};
}

void tl_monitor_list_free(tl_monitor_list *list)
{
    for (size_t i = 0; i < list->monitors.count; i++)
        free_record((tl_monitor_rec *)list->monitors.data + i);
    tl_array_free(&list->monitors);
    tl_array_free(&list->channels);
}

tl_status tl_monitor_list_add(tl_monitor_list *list, const tl_monitor_def *def,
                              const tl_monitor_limits *limits)
{
    tl_monitor_rec m = {.channel = (uint32_t)list->channels.count};
    tl_status status = check(list, def, limits, &m);
    if (status == TL_OK)
        status = keep(def, &m);
    if (status == TL_OK)
        status = add_channels(list, &m);
    m.channels = (uint32_t)list->channels.count - m.channel;
    if (status == TL_OK)
        status = tl_array_append(&list->monitors, &m, 1);
    if (status != TL_OK) {
        list->channels.count = m.channel;
        free_record(&m);
    }
    return status;
}

tl_status tl_monitor_list_copy(const tl_monitor_list *from, tl_monitor_list *to)
{
    const tl_monitor_rec *monitors = from->monitors.data;
    for (size_t i = 0; i < from->monitors.count; i++) {
        const tl_monitor_limits any = {UINT32_MAX, UINT32_MAX, monitors[i].axes};
        TL_TRY(tl_monitor_list_add(to, &monitors[i].def, &any));
    }
    return TL_OK;
}

/* --- scenes ---------------------------------------------------------------------------------- */

/* The free axes of a joint that a monitor names. */
static tl_status find_axes(const tl_scene *scene, const tl_monitor_def *def, uint32_t *axes)
{
    const uint32_t index = def->joint.index;
    bool locked[TL_JOINT_AXES];
    if (index < 1 || index > scene->joints.count)
        return tl_fail_about(
            TL_BAD_HANDLE,
            &(tl_error){.subject = "monitor", .index = TL_NO_INDEX, .field = "joint"},
            ": %u is no joint of this scene (it has %zu)", index, scene->joints.count);
    const tl_joint_def *joint = &((const tl_joint_rec *)scene->joints.data)[index - 1].def;
    tl_joint_locks(joint, locked);
    *axes = (uint32_t)tl_joint_has_line(joint->kind) << TL_JOINT_LINE;
    for (int i = 0; i < TL_JOINT_AXES && tl_joint_has_axes(joint->kind); i++)
        *axes |= (uint32_t)!locked[i] << i;
    return TL_OK;
}

tl_status tl_scene_add_monitor(tl_scene *scene, const tl_monitor_def *def)
{
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    tl_monitor_limits limits = {scene->list.bodies.count, scene->schedule.emitters.count, 0};
    if (def->kind == TL_MONITOR_JOINT)
        TL_TRY(find_axes(scene, def, &limits.axes));
    const bool one_shape = tl_monitor_of_contacts(def->kind) && def->shape != TL_ANY_SHAPE;
    tl_monitor_list *list = &scene->monitors;
    TL_TRY(tl_monitor_list_add(list, def, &limits));
    if (!one_shape)
        return TL_OK;
    const tl_body_rec *bodies = scene->list.bodies.data;
    const uint32_t shapes = bodies[def->on.ranges[0].first.index - 1].shape_count;
    if (def->shape < shapes)
        return TL_OK;
    tl_monitor_rec *added = (tl_monitor_rec *)list->monitors.data + --list->monitors.count;
    list->channels.count = added->channel;
    free_record(added);
    return tl_fail_about(
        TL_BAD_ARGUMENT, &(tl_error){.subject = "monitor", .index = TL_NO_INDEX, .field = "shape"},
        " is %u; it must be below %u, the body's number of shapes", def->shape, shapes);
}

size_t tl_scene_monitor_count(const tl_scene *scene)
{
    return scene ? scene->monitors.channels.count : 0;
}

tl_status tl_scene_monitor_info(const tl_scene *scene, size_t i, tl_monitor_info *info)
{
    if (!info)
        return tl_refuse_null("info");
    memset(info, 0, sizeof *info);
    if (!scene)
        return tl_refuse_null("scene");
    if (i >= scene->monitors.channels.count)
        return tl_fail(TL_BAD_ARGUMENT, "i is %zu; the scene has %zu channels of monitors", i,
                       scene->monitors.channels.count);
    *info = ((const tl_monitor_info *)scene->monitors.channels.data)[i];
    return TL_OK;
}
