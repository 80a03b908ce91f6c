/* Motions of prescribed bodies: a translation and a rotation, given together by one kind or apart.
 * Called by parse_body.c and parse_event.c. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

enum { TRANSLATES = 1, TURNS = 2 };

enum {
    KIND,
    VELOCITY,
    ANGULAR_VELOCITY,
    VELOCITY_FROM,
    ANGULAR_VELOCITY_FROM,
    START,
    STOP,
    AMPLITUDE,
    ANGULAR_AMPLITUDE,
    FREQUENCY,
    PHASE,
    TABLE,
    ROTATIONS,
    ANGLES,
    OFFSET,
    ROTATION_VECTOR,
    ANGLE,
    AXIS,
    PART_KEYS,
    TRANSLATION = PART_KEYS, /* these only on the outside */
    ROTATION,
    PIVOT,
    KEYS
};
static const char *const keys[] = {"kind",
                                   "velocity",
                                   "angular_velocity",
                                   "velocity_from",
                                   "angular_velocity_from",
                                   "start",
                                   "stop",
                                   "amplitude",
                                   "angular_amplitude",
                                   "frequency",
                                   "phase",
                                   "table",
                                   "rotations",
                                   "angles",
                                   "offset",
                                   "rotation_vector",
                                   "angle",
                                   "axis",
                                   "translation",
                                   "rotation",
                                   "pivot"};

/* Which kinds have a key, and of which part it says something. */
#define OF(kind) (1u << TL_MOTION_##kind)
static const struct key_use {
    uint8_t kinds, parts;
} uses[PART_KEYS] = {
    [VELOCITY] = {OF(VELOCITY) | OF(RAMP), TRANSLATES},
    [ANGULAR_VELOCITY] = {OF(VELOCITY) | OF(RAMP), TURNS},
    [VELOCITY_FROM] = {OF(RAMP), TRANSLATES},
    [ANGULAR_VELOCITY_FROM] = {OF(RAMP), TURNS},
    [START] = {OF(RAMP), TRANSLATES | TURNS},
    [STOP] = {OF(RAMP), TRANSLATES | TURNS},
    [AMPLITUDE] = {OF(SINE), TRANSLATES},
    [ANGULAR_AMPLITUDE] = {OF(SINE), TURNS},
    [FREQUENCY] = {OF(SINE), TRANSLATES | TURNS},
    [PHASE] = {OF(SINE), TRANSLATES | TURNS},
    [TABLE] = {OF(TABLE), TRANSLATES},
    [ROTATIONS] = {OF(TABLE), TURNS},
    [ANGLES] = {OF(TABLE), TURNS},
    [OFFSET] = {OF(EXPRESSION), TRANSLATES},
    [ROTATION_VECTOR] = {OF(EXPRESSION), TURNS},
    [ANGLE] = {OF(EXPRESSION), TURNS},
    [AXIS] = {OF(TABLE) | OF(EXPRESSION), TURNS},
};

/* ---- Constant rates, sines and ramps ---- */

static tl_status read_sine(const tl_reader *r, const tl_json *const *f, tl_motion_def *m)
{
    double frequency = 0, phase = 0;
    TL_TRY(tl_read_vector(r, f[AMPLITUDE], 3, TL_ANY("m"), m->amplitude));
    TL_TRY(tl_read_vector(r, f[ANGULAR_AMPLITUDE], 3, TL_ANY("rad"), m->angular_amplitude));
    TL_TRY(tl_read_number(r, f[FREQUENCY], TL_AT_LEAST_0("Hz"), &frequency));
    TL_TRY(tl_read_number(r, f[PHASE], TL_ANY("rad"), &phase));
    if (f[AMPLITUDE])
        m->frequency = frequency, m->phase = phase;
    if (f[ANGULAR_AMPLITUDE])
        m->angular_frequency = frequency, m->angular_phase = phase;
    return TL_OK;
}

static tl_status read_velocities(const tl_reader *r, const tl_json *const *f, tl_motion_def *m)
{
    const tl_rule *linear = TL_ANY("m/s"), *angular = TL_ANY("rad/s");
    TL_TRY(tl_read_vector(r, f[VELOCITY], 3, linear, m->velocity));
    TL_TRY(tl_read_vector(r, f[ANGULAR_VELOCITY], 3, angular, m->angular_velocity));
    TL_TRY(tl_read_vector(r, f[VELOCITY_FROM], 3, linear, m->velocity_from));
    return tl_read_vector(r, f[ANGULAR_VELOCITY_FROM], 3, angular, m->angular_velocity_from);
}

static tl_status read_ramp(const tl_reader *r, const tl_json *const *f, tl_motion_def *m)
{
    double start = 0, stop = 0;
    TL_TRY(read_velocities(r, f, m));
    TL_TRY(tl_read_number(r, f[START], TL_AT_LEAST_0("s"), &start));
    const tl_rule after = {start, INFINITY, 1, 0, "a time after the ramp's 'start' (s)"};
    TL_TRY(tl_read_number(r, f[STOP], &after, &stop));
    if (m->kind == TL_MOTION_RAMP)
        m->ramp_start = start, m->ramp_stop = stop;
    if (m->rotation == TL_MOTION_RAMP)
        m->angular_ramp_start = start, m->angular_ramp_stop = stop;
    return TL_OK;
}

/* ---- Tables ---- */

/* The unit vector along the axis of `used`, a value that needs one. */
static tl_status read_axis(const tl_reader *r, const tl_json *object, const tl_json *const *f,
                           const tl_json *used, double axis[3])
{
    if (!used && f[AXIS])
        return tl_read_fail_key(r, object, f[AXIS], "has 'axis' without 'angle' or 'angles'");
    if (used && !f[AXIS])
        return tl_read_missing(r, object, "axis", "a direction [x, y, z]");
    if (!used)
        return TL_OK;
    double length = 1;
    TL_TRY(tl_read_axis(r, f[AXIS], axis, &length));
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
    return TL_OK;
}

/* Tables go behind each other: times and offsets, then times and rotation vectors. */
static tl_status read_tables(tl_reader *r, const tl_json *object, const tl_json *const *f,
                             tl_motion_def *m)
{
    double axis[3] = {0};
    if (f[ROTATIONS] && f[ANGLES])
        return tl_read_fail_key(r, object, f[ANGLES],
                                "has both 'rotations' and 'angles', expected one of them");
    TL_TRY(read_axis(r, object, f, f[ANGLES], axis));
    if (f[TABLE]) {
        TL_TRY(tl_read_table(r, f[TABLE], 4, NULL, "x, y, z (m)", &r->scratch));
        TL_TRY(tl_array_append(&r->entry_table, r->scratch.data, r->scratch.count));
        m->table_length = f[TABLE]->count;
    }
    if (f[ROTATIONS]) {
        TL_TRY(tl_read_table(r, f[ROTATIONS], 4, NULL, "a rotation vector x, y, z (rad)",
                             &r->scratch));
        TL_TRY(tl_array_append(&r->entry_table, r->scratch.data, r->scratch.count));
        m->angular_table_length = f[ROTATIONS]->count;
    }
    if (!f[ANGLES])
        return TL_OK;
    TL_TRY(tl_read_table(r, f[ANGLES], 2, NULL, "the angle (rad)", &r->scratch));
    const size_t length = f[ANGLES]->count;
    const double *angles = (double *)r->scratch.data + length;
    TL_TRY(tl_array_append(&r->entry_table, r->scratch.data, length));
    for (size_t i = 0; i < length; i++) {
        const double row[3] = {axis[0] * angles[i], axis[1] * angles[i], axis[2] * angles[i]};
        TL_TRY(tl_array_append(&r->entry_table, row, 3));
    }
    m->angular_table_length = length;
    return TL_OK;
}

/* ---- Expressions ---- */

/* A function of time must have a value at the start and after the first step. */
static tl_status check_start(const tl_reader *r, const tl_json *value, const char *expected)
{
    const double times[2] = {0, r->settings.step};
    char shown[64];
    for (int i = 0; i < 2; i++) {
        const double given = tl_expression_value(r->expression, &times[i]);
        if (!isfinite(given))
            return tl_read_fail(r, value, "is %s, which gives %s at t = %g, expected %s",
                                tl_read_show(r, value, shown, sizeof shown),
                                isnan(given) ? "no number" : "infinity", times[i], expected);
    }
    return TL_OK;
}

tl_status tl_read_function(tl_reader *r, const tl_json *value, double factor, const char *expected,
                           const char **used)
{
    static const char *const time[] = {"t"};
    const tl_names names = {.parameters = r->parameters.data,
                            .parameter_count = r->parameters.count,
                            .variables = time,
                            .variable_count = 1};
    const bool is_text = value->kind == TL_JSON_STRING;
    const tl_text text = is_text ? tl_json_text(r->tree, value) : (tl_text){0};
    const size_t skip = text.length && text.data[0] == '=';
    char number[40];
    *used = NULL;
    if (is_text ? text.length == skip : value->kind != TL_JSON_NUMBER)
        return tl_read_expected(r, value, expected);
    if (is_text) {
        TL_TRY(tl_read_compile(r, value, skip, &names));
        TL_TRY(check_start(r, value, expected));
    }
    if (factor == 0 || (!is_text && value->number == 0))
        return TL_OK;
    *used = "";
    if (factor != 1)
        snprintf(number, sizeof number, "(%.17g)*(", factor);
    TL_TRY(tl_array_append(&r->entry_texts, number, factor != 1 ? strlen(number) : 0));
    if (is_text) {
        const tl_text rest = {text.data + skip, text.length - skip};
        TL_TRY(tl_expression_inline(rest, &names, &r->entry_texts));
    } else {
        snprintf(number, sizeof number, "(%.17g)", value->number);
        TL_TRY(tl_array_append(&r->entry_texts, number, strlen(number)));
    }
    return tl_array_append(&r->entry_texts, factor != 1 ? ")" : "", factor != 1 ? 2 : 1);
}

static tl_status read_functions(tl_reader *r, const tl_json *list, const char *unit,
                                const char **used)
{
    char expected[120];
    snprintf(expected, sizeof expected, "a number or an expression of the time t (%s)", unit);
    if (list->kind != TL_JSON_ARRAY || list->count != 3) {
        snprintf(expected, sizeof expected,
                 "an array of 3, each a number or an expression of the time t (%s)", unit);
        return tl_read_expected(r, list, expected);
    }
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(tl_read_function(r, v, 1, expected, used++));
    return TL_OK;
}

static tl_status read_expressions(tl_reader *r, const tl_json *object, const tl_json *const *f,
                                  tl_motion_def *m)
{
    double axis[3] = {0};
    if (f[ROTATION_VECTOR] && f[ANGLE])
        return tl_read_fail_key(r, object, f[ANGLE],
                                "has both 'rotation_vector' and 'angle', expected one of them");
    TL_TRY(read_axis(r, object, f, f[ANGLE], axis));
    if (f[OFFSET])
        TL_TRY(read_functions(r, f[OFFSET], "m", m->expressions));
    if (f[ROTATION_VECTOR])
        TL_TRY(read_functions(r, f[ROTATION_VECTOR], "rad", m->angular_expressions));
    for (int k = 0; k < 3 && f[ANGLE]; k++)
        TL_TRY(tl_read_function(r, f[ANGLE], axis[k],
                                "a number or an expression of the time t (rad)",
                                &m->angular_expressions[k]));
    return TL_OK;
}

/* ---- The whole ---- */

/* Refuses keys of other kinds and of the other part, and the lack of those that are needed. */
static tl_status check_keys(const tl_reader *r, const tl_json *object, const tl_json *const *f,
                            uint32_t kind, uint32_t parts)
{
    static const char *const needs[][2] = {
        [TL_MOTION_VELOCITY] = {NULL, NULL},
        [TL_MOTION_SINE] = {"amplitude", "an array of 3 numbers (m)"},
        [TL_MOTION_TABLE] = {"table", "rows [time (s), x, y, z (m)]"},
        [TL_MOTION_RAMP] = {"velocity", "an array of 3 numbers (m/s)"},
        [TL_MOTION_EXPRESSION] = {"offset", "an array of 3 expressions of the time t (m)"}};
    static const char *const turn_needs[][2] = {
        [TL_MOTION_VELOCITY] = {NULL, NULL},
        [TL_MOTION_SINE] = {"angular_amplitude", "an array of 3 numbers (rad)"},
        [TL_MOTION_TABLE] = {"angles", "rows [time (s), angle (rad)], or 'rotations'"},
        [TL_MOTION_RAMP] = {"angular_velocity", "an array of 3 numbers (rad/s)"},
        [TL_MOTION_EXPRESSION] = {"angle", "an expression of the time t (rad)"}};
    char expected[160];
    uint32_t said = 0;
    for (int i = 1; i < PART_KEYS; i++) {
        if (f[i] && !(uses[i].kinds >> kind & 1))
            return tl_read_fail_key(r, object, f[i],
                                    "has '%s', expected none in a motion of kind \"%s\"", keys[i],
                                    tl_word(TL_WORDS_MOTION, kind));
        if (f[i] && !(uses[i].parts & parts))
            return tl_read_fail_key(r, object, f[i], "has '%s', expected none in a %s", keys[i],
                                    parts == TURNS ? "rotation" : "translation");
        if (f[i] && uses[i].parts != (TRANSLATES | TURNS))
            said |= uses[i].parts;
    }
    if (said || kind == TL_MOTION_VELOCITY)
        return TL_OK;
    const char *const *need = parts == TURNS ? turn_needs[kind] : needs[kind];
    snprintf(expected, sizeof expected, "%s%s%s%s", need[1],
             parts == (TRANSLATES | TURNS) ? ", or '" : "",
             parts == (TRANSLATES | TURNS) ? turn_needs[kind][0] : "",
             parts == (TRANSLATES | TURNS) ? "'" : "");
    return tl_read_missing(r, object, need[0], expected);
}

/* One or both parts of a motion, by one kind. A part without keys stays at rest. */
static tl_status read_parts(tl_reader *r, const tl_json *object, const tl_json *const *f,
                            uint32_t parts, tl_motion_def *m)
{
    uint32_t kind = 0;
    TL_TRY(tl_read_kind(r, object, f[KIND], tl_words(TL_WORDS_MOTION), &kind));
    TL_TRY(check_keys(r, object, f, kind, parts));
    if (f[VELOCITY] || f[VELOCITY_FROM] || f[AMPLITUDE] || f[TABLE] || f[OFFSET])
        m->kind = (tl_motion_kind)kind;
    if (f[ANGULAR_VELOCITY] || f[ANGULAR_VELOCITY_FROM] || f[ANGULAR_AMPLITUDE] || f[ROTATIONS] ||
        f[ANGLES] || f[ROTATION_VECTOR] || f[ANGLE])
        m->rotation = (tl_motion_kind)kind;
    switch ((tl_motion_kind)kind) {
    case TL_MOTION_SINE:
        if (!f[FREQUENCY])
            return tl_read_missing(r, object, "frequency", "a number of at least 0 (Hz)");
        return read_sine(r, f, m);
    case TL_MOTION_TABLE: return read_tables(r, object, f, m);
    case TL_MOTION_RAMP:
        if (!f[STOP])
            return tl_read_missing(r, object, "stop", "the time when the ramp ends (s)");
        return read_ramp(r, f, m);
    case TL_MOTION_EXPRESSION: return read_expressions(r, object, f, m);
    case TL_MOTION_VELOCITY: break;
    }
    return read_velocities(r, f, m);
}

/* Rows of a table are turned where they lie. */
static void turn_rows(const tl_reader *r, double *table, size_t length)
{
    for (size_t i = 0; i < length; i++)
        tl_frame_direction(r, table + length + 3 * i);
}

/* Three expressions become sums of them. `old` is where their texts are, and moves on. */
static tl_status turn_texts(tl_reader *r, const char **old, const char *texts[3])
{
    const char *parts[3] = {NULL};
    double columns[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    char number[40];
    if (!texts[0] && !texts[1] && !texts[2])
        return TL_OK;
    for (int k = 0; k < 3; k++) {
        tl_frame_direction(r, columns[k]);
        parts[k] = texts[k] ? *old : NULL;
        *old += texts[k] ? strlen(*old) + 1 : 0;
    }
    for (int k = 0; k < 3; k++) {
        const char *between = "";
        for (int i = 0; i < 3; i++) {
            if (!parts[i] || columns[i][k] == 0)
                continue;
            snprintf(number, sizeof number, "%s(%.17g)*(", between, columns[i][k]);
            TL_TRY(tl_array_append(&r->entry_texts, number, strlen(number)));
            TL_TRY(tl_array_append(&r->entry_texts, parts[i], strlen(parts[i])));
            TL_TRY(tl_array_append(&r->entry_texts, ")", 1));
            between = "+";
        }
        texts[k] = *between ? "" : NULL;
        if (*between)
            TL_TRY(tl_array_append(&r->entry_texts, "", 1));
    }
    return TL_OK;
}

/* From the frame of a fragment to the world. */
static tl_status turn_motion(tl_reader *r, tl_motion_def *m)
{
    double *vectors[] = {m->velocity,         m->velocity_from,         m->amplitude,
                         m->angular_velocity, m->angular_velocity_from, m->angular_amplitude};
    double *table = r->entry_table.data;
    if (!tl_frame_turns(r))
        return TL_OK;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        tl_frame_direction(r, vectors[i]);
    turn_rows(r, table, m->table_length);
    turn_rows(r, table + 4 * m->table_length, m->angular_table_length);
    tl_array before = r->entry_texts;
    r->entry_texts = (tl_array){.item = 1};
    const char *old = before.data;
    tl_status status = turn_texts(r, &old, m->expressions);
    if (status == TL_OK)
        status = turn_texts(r, &old, m->angular_expressions);
    tl_array_free(&before);
    return status;
}

static tl_status read_motion(tl_reader *r, const tl_json *value, tl_motion_def *motion)
{
    const tl_json *f[KEYS], *g[PART_KEYS];
    r->entry_table.count = r->entry_texts.count = 0;
    TL_TRY(tl_read_fields(r, value, "a motion", KEYS, keys, f));
    TL_TRY(tl_read_vector(r, f[PIVOT], 3, TL_ANY("m"), motion->pivot));
    if (!f[TRANSLATION] && !f[ROTATION])
        return read_parts(r, value, f, TRANSLATES | TURNS, motion);
    for (int i = 0; i < PART_KEYS; i++)
        if (f[i])
            return tl_read_fail_key(r, value, f[i],
                                    "has '%s' beside '%s', expected it inside of that", keys[i],
                                    f[TRANSLATION] ? "translation" : "rotation");
    if (f[TRANSLATION]) {
        TL_TRY(tl_read_fields(r, f[TRANSLATION], "a translation", PART_KEYS, keys, g));
        TL_TRY(read_parts(r, f[TRANSLATION], g, TRANSLATES, motion));
    }
    if (!f[ROTATION])
        return TL_OK;
    TL_TRY(tl_read_fields(r, f[ROTATION], "a rotation", PART_KEYS, keys, g));
    return read_parts(r, f[ROTATION], g, TURNS, motion);
}

tl_status tl_read_motion(tl_reader *r, const tl_json *value, tl_motion_def *motion)
{
    TL_TRY(read_motion(r, value, motion));
    return turn_motion(r, motion);
}

void tl_motion_attach(tl_motion_def *motion, const double *tables, const char *texts)
{
    const size_t length = motion->table_length, angular = motion->angular_table_length;
    if (length) {
        motion->times = tables;
        motion->offsets = tables + length;
    }
    if (angular) {
        motion->angular_times = tables + 4 * length;
        motion->rotations = motion->angular_times + angular;
    }
    for (int i = 0; i < 6; i++) {
        const char **text = i < 3 ? &motion->expressions[i] : &motion->angular_expressions[i - 3];
        if (!*text)
            continue;
        *text = texts;
        texts += strlen(texts) + 1;
    }
}
