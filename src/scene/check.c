/* Refusals: messages that name the field, its value and the rule it broke. Called by the other
 * files of this room. */
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 160, NUMBER_SIZE = 32, VALUES_SIZE = 8 * NUMBER_SIZE };

tl_place tl_place_of(const char *name)
{
    return (tl_place){name, TL_NO_INDEX, TL_NO_INDEX};
}

/* The field of a place for an error. What follows a colon is no part of its path: `said` receives
 * it. */
static tl_error about(const tl_place *place, const char *field, char path[PATH_SIZE],
                      const char **said)
{
    const int length = (int)strcspn(field, ":");
    *said = field + length;
    if (place->shape == TL_NO_INDEX)
        snprintf(path, PATH_SIZE, "%.*s", length, field);
    else
        snprintf(path, PATH_SIZE, "shapes[%zu].%.*s", place->shape, length, field);
    return (tl_error){.subject = place->name, .index = place->body, .field = path};
}

/* Writes a number with as few digits as read back the same, so that 0.1 is "0.1" and a value just
 * off a limit does not look like the limit. The sign of a NaN says nothing and is left out. */
static void write_number(char text[NUMBER_SIZE], double value)
{
    if (isnan(value)) {
        snprintf(text, NUMBER_SIZE, "nan");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static void write_values(char text[VALUES_SIZE], size_t count, const double *values)
{
    char number[NUMBER_SIZE];
    if (count == 1) {
        write_number(text, values[0]);
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < count && used < VALUES_SIZE; i++) {
        write_number(number, values[i]);
        used += (size_t)snprintf(text + used, VALUES_SIZE - used, "%s%s%s", i ? ", " : "(", number,
                                 i + 1 == count ? ")" : "");
    }
}

tl_status tl_refuse_text(const tl_place *place, const char *field, const char *value,
                         const char *rule)
{
    char path[PATH_SIZE];
    const char *said;
    const tl_error error = about(place, field, path, &said);
    return tl_fail_about(TL_BAD_ARGUMENT, &error, "%s is %s; %s", said, value, rule);
}

tl_status tl_refuse(const tl_place *place, const char *field, size_t count, const double *values,
                    const char *rule)
{
    char text[VALUES_SIZE];
    write_values(text, count, values);
    return tl_refuse_text(place, field, text, rule);
}

tl_status tl_refuse_large(const tl_place *place, const char *field, size_t value, const char *rule)
{
    char path[PATH_SIZE];
    const char *said;
    const tl_error error = about(place, field, path, &said);
    return tl_fail_about(TL_TOO_LARGE, &error, "%s is %zu; %s %zu", said, value, rule,
                         TL_MOST_ITEMS);
}

tl_status tl_refuse_null(const char *argument)
{
    return tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.field = argument},
                         " is NULL; it must not be");
}

tl_status tl_check_finite(const tl_place *place, const char *field, size_t count,
                          const double *values)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return tl_refuse(place, field, count, values,
                             count == 1 ? "it must be finite" : "every component must be finite");
    return TL_OK;
}

tl_status tl_check_material(const tl_place *place, const char *field, size_t materials,
                            tl_material material)
{
    char path[PATH_SIZE];
    const char *said;
    if (material.index < materials)
        return TL_OK;
    const tl_error error = about(place, field, path, &said);
    return tl_fail_about(TL_BAD_HANDLE, &error, ": %u is no material of this scene (it has %zu)",
                         material.index, materials - 1);
}

tl_status tl_refuse_geometry(const tl_place *place, uint32_t index, size_t count, const char *is,
                             const char *wanted)
{
    char path[PATH_SIZE];
    const char *said;
    const tl_error error = about(place, "geometry", path, &said);
    if (is)
        return tl_fail_about(TL_BAD_ARGUMENT, &error,
                             ": %u is of kind %s; a shape of kind %s needs one of its own kind",
                             index, is, wanted);
    return tl_fail_about(TL_BAD_HANDLE, &error, ": %u is no geometry of this scene (it has %zu)",
                         index, count);
}

tl_status tl_check_enum(const tl_place *place, const char *field, uint32_t value,
                        tl_vocabulary which)
{
    char rule[512] = "it must be", constant[TL_CONSTANT_SIZE];
    size_t used = strlen(rule);
    uint32_t count = 0;
    while (tl_words(which)[count])
        count++;
    if (value < count)
        return TL_OK;
    for (uint32_t i = 0; i < count && used < sizeof rule; i++) {
        tl_word_constant(which, i, constant);
        used += (size_t)snprintf(rule + used, sizeof rule - used, "%s %s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ","
                                                 : " or",
                                 constant);
    }
    const double number = (int32_t)value; /* so that an enum set to -1 reads -1 */
    return tl_refuse(place, field, 1, &number, rule);
}

tl_status tl_check_unit(const tl_place *place, const char *field, const double quaternion[4],
                        double unit[4])
{
    const double *q = quaternion;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1) <= 1e-6)) {
        char number[NUMBER_SIZE], rule[128];
        write_number(number, norm);
        snprintf(rule, sizeof rule, "its norm is %s and must be 1 within 1e-6", number);
        return tl_refuse(place, field, 4, q, rule);
    }
    for (int i = 0; i < 4; i++)
        unit[i] = q[i] / norm;
    return TL_OK;
}
