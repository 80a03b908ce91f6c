/* What a free axis of a joint has: limits, friction, a spring and a motor with the function of time
 * that it holds. Called by parse_joint.c. */
#include "io/parse.h"

#include <stdio.h>

/* Numbers, each or null. */
static tl_status read_limits(const tl_reader *r, const tl_json *value, const tl_rule *rule,
                             tl_axis_def *axis)
{
    static const char expected[] = "an array of two: the least and the greatest value, or null";
    if (!value)
        return TL_OK;
    if (value->kind != TL_JSON_ARRAY || value->count != 2)
        return tl_read_expected(r, value, expected);
    const tl_json *low = tl_json_first(r->tree, value), *high = tl_json_next(r->tree, low);
    if (low->kind != TL_JSON_NULL)
        TL_TRY(tl_read_number(r, low, rule, &axis->lower));
    if (high->kind != TL_JSON_NULL)
        TL_TRY(tl_read_number(r, high, rule, &axis->upper));
    if (axis->lower > axis->upper)
        return tl_read_fail(r, value, "has %g above %g, expected the least value first",
                            axis->lower, axis->upper);
    return TL_OK;
}

static tl_status read_spring(tl_reader *r, const tl_json *value, bool turns, tl_axis_def *axis)
{
    enum { STIFFNESS, DAMPING, REST, TABLE, COUNT };
    static const char *const spring_keys[] = {"stiffness", "damping", "rest", "table"};
    const tl_json *f[COUNT];
    if (!value)
        return TL_OK;
    TL_TRY(tl_read_fields(r, value, "a spring", COUNT, spring_keys, f));
    if (f[TABLE] && (f[STIFFNESS] || f[REST]))
        return tl_read_fail_key(r, value, f[TABLE],
                                "has both 'table' and '%s', expected one of them",
                                f[STIFFNESS] ? "stiffness" : "rest");
    if (!f[TABLE] && !f[STIFFNESS] && !f[DAMPING])
        return tl_read_missing(r, value, "stiffness", "a stiffness, a 'damping' or a 'table'");
    TL_TRY(tl_read_number(r, f[STIFFNESS], turns ? TL_AT_LEAST_0("N m/rad") : TL_AT_LEAST_0("N/m"),
                          &axis->stiffness));
    TL_TRY(tl_read_number(r, f[DAMPING],
                          turns ? TL_AT_LEAST_0("N m s/rad") : TL_AT_LEAST_0("N s/m"),
                          &axis->damping));
    TL_TRY(tl_read_number(r, f[REST], turns ? TL_ANY("rad") : TL_ANY("m"), &axis->rest));
    if (!f[TABLE])
        return TL_OK;
    TL_TRY(tl_read_table(r, f[TABLE], 2, turns ? "the angle (rad)" : "the distance (m)",
                         turns ? "the torque (N m)" : "the force (N)", &r->scratch));
    if (f[TABLE]->count < 2)
        return tl_read_expected(r, f[TABLE], "at least two rows");
    axis->spring_length = f[TABLE]->count;
    return tl_array_append(&r->entry_table, r->scratch.data, r->scratch.count);
}

/* A sine, or a table. */
static tl_status read_target_object(tl_reader *r, const tl_json *value, const char *unit,
                                    tl_function_def *out)
{
    enum { VALUE, AMPLITUDE, FREQUENCY, PHASE, TABLE, COUNT };
    static const char *const function_keys[] = {"value", "amplitude", "frequency", "phase",
                                                "table"};
    const tl_json *f[COUNT];
    TL_TRY(tl_read_fields(r, value, "a function of time", COUNT, function_keys, f));
    for (int i = 0; i < TABLE && f[TABLE]; i++)
        if (f[i])
            return tl_read_fail_key(r, value, f[i],
                                    "has both 'table' and '%s', expected one of them",
                                    function_keys[i]);
    if (f[TABLE]) {
        TL_TRY(tl_read_table(r, f[TABLE], 2, NULL, unit, &r->scratch));
        out->kind = TL_FUNCTION_TABLE;
        out->table_length = f[TABLE]->count;
        return tl_array_append(&r->entry_table, r->scratch.data, r->scratch.count);
    }
    if (!f[AMPLITUDE] || !f[FREQUENCY])
        return tl_read_missing(r, value, function_keys[f[AMPLITUDE] ? FREQUENCY : AMPLITUDE],
                               f[AMPLITUDE] ? "a number of at least 0 (Hz)"
                                            : "that of a sine, or a 'table'");
    out->kind = TL_FUNCTION_SINE;
    TL_TRY(tl_read_number(r, f[VALUE], TL_ANY("the mean"), &out->value));
    TL_TRY(tl_read_number(r, f[AMPLITUDE], TL_ANY("of the sine"), &out->amplitude));
    TL_TRY(tl_read_number(r, f[FREQUENCY], TL_AT_LEAST_0("Hz"), &out->frequency));
    return tl_read_number(r, f[PHASE], TL_ANY("rad"), &out->phase);
}

static tl_status read_target(tl_reader *r, const tl_json *value, const char *unit,
                             tl_function_def *out)
{
    char expected[160];
    const char *used;
    snprintf(expected, sizeof expected,
             "a number or an expression of the time t (%s), a sine or a table", unit);
    if (value->kind == TL_JSON_OBJECT)
        return read_target_object(r, value, unit, out);
    if (value->kind == TL_JSON_NUMBER) {
        out->value = value->number;
        return TL_OK;
    }
    TL_TRY(tl_read_function(r, value, 1, expected, &used));
    out->kind = TL_FUNCTION_EXPRESSION;
    out->expression = used;
    return TL_OK;
}

static tl_status read_motor(tl_reader *r, const tl_json *value, bool turns, tl_axis_def *axis)
{
    enum { LIMIT = TL_DRIVE_FORCE + 1, COUNT };
    const char *const load = turns ? "torque" : "force";
    const char *const motor_keys[] = {"none", "speed", "position", load, "limit"};
    const char *const units[] = {"", turns ? "rad/s" : "m/s", turns ? "rad" : "m",
                                 turns ? "N m" : "N"};
    const tl_json *f[COUNT];
    if (!value)
        return TL_OK;
    TL_TRY(tl_read_fields(r, value, "a motor", COUNT - 1, motor_keys + 1, f + 1));
    for (int i = TL_DRIVE_SPEED; i <= TL_DRIVE_FORCE; i++) {
        if (f[i] && axis->drive)
            return tl_read_fail_key(r, value, f[i], "has both '%s' and '%s', expected one of them",
                                    motor_keys[axis->drive], motor_keys[i]);
        if (f[i])
            axis->drive = (tl_drive)i;
    }
    if (!axis->drive)
        return tl_read_fail(r, value, "has no 'speed', expected a speed, a 'position' or a '%s'",
                            load);
    if (f[LIMIT] && axis->drive == TL_DRIVE_FORCE)
        return tl_read_fail_key(r, value, f[LIMIT],
                                "has 'limit', expected none beside '%s', which is all it exerts",
                                load);
    TL_TRY(tl_read_number(r, f[LIMIT], turns ? TL_AT_LEAST_0("N m") : TL_AT_LEAST_0("N"),
                          &axis->limit));
    return read_target(r, f[axis->drive], units[axis->drive], &axis->target);
}

const char *const tl_axis_keys[TL_AXIS_KEYS] = {"limits", "restitution", "friction", "spring",
                                                "motor"};

tl_status tl_read_joint_axis(tl_reader *r, const tl_json *const *f, bool turns, tl_axis_def *axis)
{
    enum { LIMITS, RESTITUTION, FRICTION, SPRING, MOTOR };
    static const tl_rule bounces = {0, 1, 0, 0, "a number from 0 to 1"};
    TL_TRY(read_limits(r, f[LIMITS], turns ? TL_ANY("rad") : TL_ANY("m"), axis));
    TL_TRY(tl_read_number(r, f[RESTITUTION], &bounces, &axis->restitution));
    TL_TRY(tl_read_number(r, f[FRICTION], turns ? TL_AT_LEAST_0("N m") : TL_AT_LEAST_0("N"),
                          &axis->friction));
    TL_TRY(read_spring(r, f[SPRING], turns, axis));
    return read_motor(r, f[MOTOR], turns, axis);
}
