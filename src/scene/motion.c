/* What changes with time: prescribed motions and forces, each with tables that its record owns.
 * body.c, schedule.c and worlds make motions; scenes and worlds make forces. */
#include "base/turn.h"
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOTION_WIDTH = 3, FORCE_WIDTH = 6 }; /* numbers in a row of each kind of table */

/* What numbers are below, in amount: sums and products of those of a motion stay finite. */
#define MOTION_LIMIT 1e12 /* m and rad, per second, Hz: what a world takes for a coordinate */

tl_motion_def tl_motion_default(void)
{
    return (tl_motion_def){.kind = TL_MOTION_VELOCITY};
}

tl_force_def tl_force_default(void)
{
    return (tl_force_def){0};
}

/* What the fields of one part of a motion are called in messages. */
typedef struct part_names {
    const char *kind, *velocity, *from, *start, *stop, *amplitude, *frequency, *phase, *length,
        *times, *rows, *texts;
} part_names;

static const part_names names_of[2] = {
    {"motion.kind", "motion.velocity", "motion.velocity_from", "motion.ramp_start",
     "motion.ramp_stop", "motion.amplitude", "motion.frequency", "motion.phase",
     "motion.table_length", "motion.times", "motion.offsets", "motion.expressions"},
    {"motion.rotation", "motion.angular_velocity", "motion.angular_velocity_from",
     "motion.angular_ramp_start", "motion.angular_ramp_stop", "motion.angular_amplitude",
     "motion.angular_frequency", "motion.angular_phase", "motion.angular_table_length",
     "motion.angular_times", "motion.rotations", "motion.angular_expressions"}};

#define SAME_AXIS 1e-9 /* within this part of their lengths vectors are along one axis */

static tl_status check_ramp(const tl_place *place, const tl_track *f, tl_motion_part part)
{
    const part_names *names = &names_of[part];
    if (!(f->start >= 0))
        return tl_refuse(place, names->start, 1, &f->start, "it must be >= 0");
    if (!(f->stop > f->start))
        return tl_refuse(place, names->stop, 1, &f->stop, "it must be after the ramp's start");
    if (part == TL_ROTATION && !tl_turn_aligned(f->from, f->velocity, SAME_AXIS))
        return tl_refuse(place, names->from, 3, f->from,
                         "it must be along the axis of angular_velocity");
    return TL_OK;
}

static tl_status check_part(const tl_place *place, const tl_motion_def *def, tl_motion_part part)
{
    const tl_track f = tl_motion_track(def, part);
    const part_names *names = &names_of[part];
    TL_TRY(tl_check_enum(place, names->kind, f.kind, TL_WORDS_MOTION));
    TL_TRY(tl_check_below(place, names->velocity, 3, f.velocity, MOTION_LIMIT));
    TL_TRY(tl_check_below(place, names->from, 3, f.from, MOTION_LIMIT));
    TL_TRY(tl_check_finite(place, names->start, 1, &f.start));
    TL_TRY(tl_check_finite(place, names->stop, 1, &f.stop));
    TL_TRY(tl_check_below(place, names->amplitude, 3, f.amplitude, MOTION_LIMIT));
    if (!(f.frequency >= 0 && isfinite(f.frequency)))
        return tl_refuse(place, names->frequency, 1, &f.frequency, "it must be finite and >= 0");
    TL_TRY(tl_check_below(place, names->frequency, 1, &f.frequency, MOTION_LIMIT));
    TL_TRY(tl_check_below(place, names->phase, 1, &f.phase, MOTION_LIMIT));
    return f.kind == TL_MOTION_RAMP ? check_ramp(place, &f, part) : TL_OK;
}

static tl_status copy_part_table(const tl_place *place, const tl_motion_def *def,
                                 tl_motion_part part, double **out)
{
    const tl_track f = tl_motion_track(def, part);
    const tl_table t = {.length_name = names_of[part].length,
                        .times_name = names_of[part].times,
                        .rows_name = names_of[part].rows,
                        .length = f.length,
                        .width = MOTION_WIDTH,
                        .times = f.times,
                        .rows = f.rows,
                        .limit = MOTION_LIMIT};
    return f.kind == TL_MOTION_TABLE ? tl_table_copy(place, &t, out) : TL_OK;
}

/* Whether rows are about different axes: then each may be half a turn at most, as it is their
 * orientations alone that count. */
static tl_status check_axes(const tl_place *place, const double *rows, size_t length, bool *many)
{
    const double pi = 3.14159265358979323846;
    double most = 0;
    size_t longest = 0;
    for (size_t i = 0; i < length; i++) {
        const double *r = rows + 3 * i, square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if (square > most)
            most = square, longest = i;
    }
    *many = false;
    for (size_t i = 0; i < length && !*many; i++)
        *many = !tl_turn_aligned(rows + 3 * i, rows + 3 * longest, SAME_AXIS);
    if (!*many || sqrt(most) <= pi * (1 + SAME_AXIS))
        return TL_OK;
    char name[96];
    snprintf(name, sizeof name, "%s[%zu]", names_of[TL_ROTATION].rows, longest);
    return tl_refuse(place, name, 3, rows + 3 * longest,
                     "where rows are about different axes, none may be longer than pi");
}

/* --- expressions ----------------------------------------------------------------------------- */

static tl_status copy_texts(const tl_motion_def *def, tl_motion_rec *out)
{
    out->texts.item = 1;
    for (int part = 0; part < 2; part++) {
        const tl_track f = tl_motion_track(def, (tl_motion_part)part);
        for (int k = 0; k < 3; k++)
            if (f.kind == TL_MOTION_EXPRESSION && f.texts[k])
                TL_TRY(tl_array_append(&out->texts, f.texts[k], strlen(f.texts[k]) + 1));
    }
    return TL_OK;
}

/* Pointers of the definition to what the record owns. */
static void point_to_own(tl_motion_rec *out)
{
    tl_motion_def *def = &out->def;
    const char *text = out->texts.data;
    def->times = out->table;
    def->offsets = out->table ? out->table + def->table_length : NULL;
    def->angular_times = out->turns;
    def->rotations = out->turns ? out->turns + def->angular_table_length : NULL;
    for (int i = 0; i < 6; i++) {
        const bool used = (i < 3 ? def->kind : def->rotation) == TL_MOTION_EXPRESSION;
        const char **own = i < 3 ? &def->expressions[i] : &def->angular_expressions[i - 3];
        *own = used && *own ? text : NULL;
        if (*own)
            text += strlen(text) + 1;
    }
}

static tl_status compile_all(const tl_place *place, tl_motion_rec *out)
{
    for (int i = 0; i < 6; i++) {
        const tl_track f = tl_motion_track(&out->def, (tl_motion_part)(i / 3));
        char name[96];
        snprintf(name, sizeof name, "%s[%d]", names_of[i / 3].texts, i % 3);
        if (f.texts[i % 3])
            TL_TRY(tl_time_compile(place, name, f.texts[i % 3], &out->code[i]));
    }
    return TL_OK;
}

/* --- records --------------------------------------------------------------------------------- */

/* What is not used is zero, and there is no padding: equal motions have equal bytes. */
static tl_status fill_rec(const tl_place *place, const tl_motion_def *def, tl_motion_rec *out)
{
    out->def = *def;
    out->def.table_length = out->def.angular_table_length = 0;
    TL_TRY(copy_part_table(place, def, TL_OFFSET, &out->table));
    out->def.table_length = out->table ? def->table_length : 0;
    TL_TRY(copy_part_table(place, def, TL_ROTATION, &out->turns));
    out->def.angular_table_length = out->turns ? def->angular_table_length : 0;
    TL_TRY(copy_texts(def, out));
    point_to_own(out);
    TL_TRY(check_axes(place, out->def.rotations, out->def.angular_table_length, &out->many_axes));
    return compile_all(place, out);
}

tl_status tl_motion_rec_make(const tl_place *place, const tl_motion_def *def, tl_motion_rec *out)
{
    memset(out, 0, sizeof *out);
    TL_TRY(check_part(place, def, TL_OFFSET));
    TL_TRY(check_part(place, def, TL_ROTATION));
    TL_TRY(tl_check_below(place, "motion.pivot", 3, def->pivot, MOTION_LIMIT));
    const tl_status status = fill_rec(place, def, out);
    if (status != TL_OK)
        tl_motion_rec_free(out);
    return status;
}

static size_t table_bytes(size_t length)
{
    return (1 + MOTION_WIDTH) * length * sizeof(double);
}

tl_status tl_motion_check(const tl_motion_rec *motion)
{
    const tl_place place = tl_place_of("");
    tl_motion_rec copy;
    TL_TRY(tl_motion_rec_make(&place, &motion->def, &copy));
    tl_motion_rec_free(&copy);
    return TL_OK;
}

void tl_motion_rec_free(tl_motion_rec *motion)
{
    tl_free(motion->table, table_bytes(motion->def.table_length));
    tl_free(motion->turns, table_bytes(motion->def.angular_table_length));
    tl_array_free(&motion->texts);
    for (int i = 0; i < 6; i++)
        tl_expression_free(&motion->code[i]);
    memset(motion, 0, sizeof *motion);
}

tl_status tl_motion_rec_of(const tl_motion_def *def, tl_motion_rec *out)
{
    const tl_place place = tl_place_of("");
    return tl_motion_rec_make(&place, def, out);
}

tl_status tl_force_rec_make(const tl_force_def *def, tl_force_rec *out)
{
    tl_place place = tl_place_of("force");
    memset(out, 0, sizeof *out);
    TL_TRY(tl_check_finite(&place, "force", 3, def->force));
    TL_TRY(tl_check_finite(&place, "torque", 3, def->torque));
    double *copy = NULL;
    if (def->table_length) {
        const tl_table t = {.length_name = "table_length",
                            .times_name = "times",
                            .rows_name = "values",
                            .length = def->table_length,
                            .width = FORCE_WIDTH,
                            .times = def->times,
                            .rows = def->values,
                            .limit = TL_TABLE_LIMIT};
        TL_TRY(tl_table_copy(&place, &t, &copy));
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

tl_status tl_force_check(const tl_force_rec *force)
{
    tl_force_def def = {.body = {force->body, 1}, .table_length = force->table_length};
    tl_force_rec copy;
    def.times = force->table;
    def.values = force->table ? force->table + force->table_length : NULL;
    memcpy(def.force, force->constant, sizeof def.force);
    memcpy(def.torque, force->constant + 3, sizeof def.torque);
    TL_TRY(tl_force_rec_make(&def, &copy));
    tl_force_rec_free(&copy);
    return TL_OK;
}

void tl_force_rec_free(tl_force_rec *force)
{
    tl_free(force->table, (1 + FORCE_WIDTH) * (size_t)force->table_length * sizeof(double));
    force->table = NULL;
    force->table_length = 0;
}

tl_status tl_force_rec_copy(const tl_force_rec *from, tl_force_rec *to)
{
    const size_t bytes = (1 + FORCE_WIDTH) * (size_t)from->table_length * sizeof(double);
    *to = *from;
    to->table = tl_alloc(bytes); /* NULL for no bytes */
    if (bytes && !to->table)
        return TL_NO_MEMORY;
    if (bytes)
        memcpy(to->table, from->table, bytes);
    return TL_OK;
}
