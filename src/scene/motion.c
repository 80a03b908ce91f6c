/* What changes with time: prescribed motions and forces, each with a table that its record owns.
 * body.c makes motions; scenes and worlds make forces. */
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOTION_WIDTH = 3, FORCE_WIDTH = 6 }; /* numbers in a row of each kind of table */

tl_motion_def tl_motion_default(void)
{
    return (tl_motion_def){.kind = TL_MOTION_VELOCITY};
}

tl_force_def tl_force_default(void)
{
    return (tl_force_def){0};
}

/* A table as the user gives it, with the names its fields have in messages. */
typedef struct table {
    const char *length_name, *times_name, *rows_name;
    size_t length, width;
    const double *times, *rows;
} table;

static tl_status check_rows(const tl_place *place, const table *t)
{
    char name[96];
    for (size_t i = 0; i < t->length; i++) {
        if (!isfinite(t->times[i])) {
            snprintf(name, sizeof name, "%s[%zu]", t->times_name, i);
            return tl_check_finite(place, name, 1, &t->times[i]);
        }
        if (i && !(t->times[i] > t->times[i - 1])) {
            snprintf(name, sizeof name, "%s[%zu..%zu]", t->times_name, i - 1, i);
            return tl_refuse(place, name, 2, &t->times[i - 1], "times must increase strictly");
        }
        const double *row = t->rows + i * t->width;
        for (size_t k = 0; k < t->width; k++)
            if (!isfinite(row[k])) {
                snprintf(name, sizeof name, "%s[%zu]", t->rows_name, i);
                return tl_check_finite(place, name, t->width, row);
            }
    }
    return TL_OK;
}

/* Checks a table of at least one row and copies it into one allocation: times, then rows. */
static tl_status copy_table(const tl_place *place, const table *t, double **out)
{
    double length = (double)t->length;
    if (t->length < 1)
        return tl_refuse(place, t->length_name, 1, &length, "it must be >= 1");
    if (t->length > TL_MOST_ITEMS)
        return tl_refuse_large(place, t->length_name, t->length, "it must be at most");
    if (!t->times)
        return tl_refuse_text(place, t->times_name, "NULL", "it must point to the table's times");
    if (!t->rows)
        return tl_refuse_text(place, t->rows_name, "NULL", "it must point to the table's rows");
    TL_TRY(check_rows(place, t));
    double *copy = tl_alloc((1 + t->width) * t->length * sizeof *copy);
    if (!copy)
        return TL_NO_MEMORY;
    memcpy(copy, t->times, t->length * sizeof *copy);
    memcpy(copy + t->length, t->rows, t->width * t->length * sizeof *copy);
    *out = copy;
    return TL_OK;
}

static tl_status check_motion_numbers(const tl_place *place, const tl_motion_def *def)
{
    TL_TRY(tl_check_enum(place, "motion.kind", def->kind, TL_WORDS_MOTION));
    TL_TRY(tl_check_finite(place, "motion.velocity", 3, def->velocity));
    TL_TRY(tl_check_finite(place, "motion.angular_velocity", 3, def->angular_velocity));
    TL_TRY(tl_check_finite(place, "motion.amplitude", 3, def->amplitude));
    if (!(def->frequency >= 0 && isfinite(def->frequency)))
        return tl_refuse(place, "motion.frequency", 1, &def->frequency,
                         "it must be finite and >= 0");
    return tl_check_finite(place, "motion.phase", 1, &def->phase);
}

/* The record holds what its kind uses and zeros elsewhere, padding included, so that equal motions
 * are equal bytes. */
tl_status tl_motion_rec_make(const tl_place *place, const tl_motion_def *def, tl_motion_rec *out)
{
    memset(out, 0, sizeof *out);
    TL_TRY(check_motion_numbers(place, def));
    table t = {.length_name = "motion.table_length",
               .times_name = "motion.times",
               .rows_name = "motion.offsets",
               .length = def->table_length,
               .width = MOTION_WIDTH,
               .times = def->times,
               .rows = def->offsets};
    if (def->kind == TL_MOTION_VELOCITY) {
        memcpy(out->def.velocity, def->velocity, sizeof def->velocity);
        memcpy(out->def.angular_velocity, def->angular_velocity, sizeof def->angular_velocity);
    } else if (def->kind == TL_MOTION_SINE) {
        memcpy(out->def.amplitude, def->amplitude, sizeof def->amplitude);
        out->def.frequency = def->frequency;
        out->def.phase = def->phase;
    } else {
        TL_TRY(copy_table(place, &t, &out->table));
        out->def.table_length = def->table_length;
        out->def.times = out->table;
        out->def.offsets = out->table + def->table_length;
    }
    out->def.kind = def->kind;
    return TL_OK;
}

void tl_motion_rec_free(tl_motion_rec *motion)
{
    tl_free(motion->table, (1 + MOTION_WIDTH) * motion->def.table_length * sizeof(double));
    motion->table = NULL;
    motion->def.table_length = 0;
    motion->def.times = motion->def.offsets = NULL;
}

tl_status tl_force_rec_make(const tl_force_def *def, tl_force_rec *out)
{
    tl_place place = tl_place_of("force");
    memset(out, 0, sizeof *out);
    TL_TRY(tl_check_finite(&place, "force", 3, def->force));
    TL_TRY(tl_check_finite(&place, "torque", 3, def->torque));
    double *copy = NULL;
    if (def->table_length) {
        table t = {.length_name = "table_length",
                   .times_name = "times",
                   .rows_name = "values",
                   .length = def->table_length,
                   .width = FORCE_WIDTH,
                   .times = def->times,
                   .rows = def->values};
        TL_TRY(copy_table(&place, &t, &copy));
    }
    out->body = def->body.index;
    out->table_length = (uint32_t)def->table_length;
    out->table = copy;
    for (int i = 0; i < 3 && !copy; i++) {
        out->constant[i] = def->force[i];
        out->constant[3 + i] = def->torque[i];
    }
    return TL_OK;
}

void tl_force_rec_free(tl_force_rec *force)
{
    tl_free(force->table, (1 + FORCE_WIDTH) * (size_t)force->table_length * sizeof(double));
    force->table = NULL;
    force->table_length = 0;
}

/* A copy of `count` numbers; NULL for none. */
static tl_status copy_numbers(const double *from, size_t count, double **to)
{
    *to = NULL;
    if (!count)
        return TL_OK;
    *to = tl_alloc(count * sizeof **to);
    if (!*to)
        return TL_NO_MEMORY;
    memcpy(*to, from, count * sizeof **to);
    return TL_OK;
}

tl_status tl_motion_rec_copy(const tl_motion_rec *from, tl_motion_rec *to)
{
    const size_t length = from->def.table_length;
    *to = *from;
    TL_TRY(copy_numbers(from->table, (1 + MOTION_WIDTH) * length, &to->table));
    to->def.times = to->table;
    to->def.offsets = length ? to->table + length : NULL;
    return TL_OK;
}

tl_status tl_force_rec_copy(const tl_force_rec *from, tl_force_rec *to)
{
    *to = *from;
    return copy_numbers(from->table, (1 + FORCE_WIDTH) * (size_t)from->table_length, &to->table);
}
