/* Reading a result: frames and reports. Every row is checked before it is handed out; bodies and
 * shapes are result_bodies.c's. */
#include "io/result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool finite_floats(const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* ---- Times and reports ---- */

tl_status tl_result_read_times(tl_result *result, uint64_t count, double *times)
{
    TL_REFUSE_NULL("tl_result_read_times", result);
    TL_TRY(tl_result_check_count("tl_result_read_times", times, count, result->frames.count));
    for (uint64_t i = 0; i < count; i++)
        times[i] = ((const tl_frame_row *)result->frames.data)[i].time;
    return TL_OK;
}

static tl_report report_of(const tl_step_row *row)
{
    tl_report report;
    memset(&report, 0, sizeof report);
#define X(type, name, member) report.member = (__typeof__(report.member))row->name;
    TL_STEP_FIELDS(X)
#undef X
    return report;
}

tl_status tl_result_read_reports(tl_result *result, uint64_t first, uint64_t count,
                                 tl_report *reports)
{
    TL_REFUSE_NULL("tl_result_read_reports", result);
    if (first > result->steps || count > result->steps - first)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_read_reports: rows %" PRIu64 " to %" PRIu64
                       " were asked for; there are %" PRIu64,
                       first, first + count, result->steps);
    if (!count)
        return TL_OK;
    TL_REFUSE_NULL("tl_result_read_reports", reports);
    TL_TRY(tl_array_resize(&result->columns, (size_t)count * sizeof(tl_step_row)));
    tl_h5_begin();
    const tl_status status = tl_h5_table_read(&result->tables.table[TL_STEPS], result->path, first,
                                              count, result->columns.data);
    tl_h5_end();
    TL_TRY(status);
    const tl_step_row *row = result->columns.data;
    for (uint64_t i = 0; i < count; i++) {
        if (i && row[i].step <= row[i - 1].step)
            return tl_result_bad_row(result, "steps", first + i,
                                     "steps must be in ascending order");
        reports[i] = report_of(&row[i]);
    }
    return TL_OK;
}

/* ---- Frames ---- */

static tl_status read_rows(tl_result *r, tl_result_table which, uint64_t first, uint64_t count,
                           tl_array *array)
{
    const bool there = tl_result_tables_have(&r->tables, which);
    TL_TRY(tl_array_resize(array, there ? (size_t)count : 0));
    if (!there)
        return TL_OK;
    return tl_h5_table_read(&r->tables.table[which], r->path, first, count, array->data);
}

static tl_status read_states(tl_result *r, const tl_frame_row *f)
{
    const struct {
        tl_result_table table;
        tl_array *array;
    } parts[] = {{TL_STATE_BODY, &r->frame_bodies},
                 {TL_STATE_POSITION, &r->positions},
                 {TL_STATE_ORIENTATION, &r->orientations},
                 {TL_STATE_VELOCITY, &r->velocities},
                 {TL_STATE_ANGULAR, &r->angular}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TL_TRY(read_rows(r, parts[i].table, f->state_first, f->state_count, parts[i].array));
    return TL_OK;
}

/* Whether row i of an array of floats is finite; one that was not recorded is empty. */
static bool finite_row(const tl_array *array, size_t i)
{
    const size_t width = array->item / sizeof(float);
    return i >= array->count || finite_floats((const float *)array->data + width * i, width);
}

static tl_status check_states(const tl_result *r, const tl_frame_row *f)
{
    const uint32_t *body = r->frame_bodies.data, *known = r->numbers.data;
    size_t at = 0; /* both are in ascending order */
    for (size_t i = 0; i < f->state_count; i++) {
        while (at < r->numbers.count && known[at] < body[i])
            at++;
        if ((i && body[i] <= body[i - 1]) || at == r->numbers.count || known[at] != body[i])
            return tl_result_bad_row(r, "states/body", f->state_first + i,
                                     "bodies must be those of /bodies, in ascending order");
        if (!tl_finite_doubles((const double *)r->positions.data + 3 * i, 3) ||
            !finite_row(&r->orientations, i) || !finite_row(&r->velocities, i) ||
            !finite_row(&r->angular, i))
            return tl_result_bad_row(r, "states", f->state_first + i, "its numbers must be finite");
    }
    return TL_OK;
}

/* Reads the columns of a frame's contacts one after the other into r->contacts. */
static tl_status read_contacts(tl_result *r, const tl_frame_row *f)
{
    const size_t count = (size_t)f->contact_count;
    TL_TRY(tl_array_resize(&r->contacts, count));
    if (!count)
        return TL_OK;
    TL_TRY(tl_array_resize(&r->columns, count * (4 * sizeof(double) + 10 * sizeof(float))));
    double *point = r->columns.data, *gap = point + 3 * count;
    float *normal = (float *)(gap + count), *impulse = normal + 3 * count;
    uint32_t *body = (uint32_t *)(impulse + 3 * count), *shape = body + 2 * count;
    void *const columns[] = {body, shape, point, normal, gap, impulse};
    memset(r->columns.data, 0, r->columns.count); /* columns that the file does not have */
    for (int i = TL_CONTACT_BODY; i <= TL_CONTACT_IMPULSE; i++)
        if (tl_result_tables_have(&r->tables, (tl_result_table)i))
            TL_TRY(tl_h5_table_read(&r->tables.table[i], r->path, f->contact_first, count,
                                    columns[i - TL_CONTACT_BODY]));
    tl_contact *c = r->contacts.data;
    memset(c, 0, count * sizeof *c); /* padding too */
    for (size_t i = 0; i < count; i++) {
        c[i].a = (tl_body){body[2 * i], 1};
        c[i].b = (tl_body){body[2 * i + 1], 1};
        c[i].shape_a = shape[2 * i];
        c[i].shape_b = shape[2 * i + 1];
        c[i].gap = gap[i];
        c[i].sensor = tl_result_is_sensor(r, c[i].a.index, c[i].shape_a) ||
                      tl_result_is_sensor(r, c[i].b.index, c[i].shape_b);
        for (size_t k = 0; k < 3; k++) {
            c[i].point[k] = point[3 * i + k];
            c[i].normal[k] = normal[3 * i + k];
            c[i].impulse[k] = impulse[3 * i + k];
        }
    }
    return TL_OK;
}

static tl_status check_contacts(const tl_result *r, const tl_frame_row *f)
{
    const tl_contact *c = r->contacts.data;
    for (size_t i = 0; i < f->contact_count; i++) {
        if (!tl_result_has_body(r, c[i].a.index) || !tl_result_has_body(r, c[i].b.index))
            return tl_result_bad_row(r, "contacts/body", f->contact_first + i,
                                     "bodies must be those of /bodies");
        if (!tl_finite_doubles(c[i].point, 3) || !tl_finite_doubles(c[i].normal, 3) ||
            !tl_finite_doubles(c[i].impulse, 3) || !isfinite(c[i].gap))
            return tl_result_bad_row(r, "contacts", f->contact_first + i,
                                     "its numbers must be finite");
    }
    return TL_OK;
}

/* NULL for a column that was not recorded. */
static const float *items(const tl_array *array)
{
    return array->count ? array->data : NULL;
}

tl_status tl_result_read_states(tl_result *result, uint64_t index, tl_frame_view *state)
{
    TL_REFUSE_NULL("tl_result_read_states", state);
    *state = (tl_frame_view){0};
    TL_REFUSE_NULL("tl_result_read_states", result);
    if (index >= result->frames.count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_read_frame: index is %" PRIu64 "; there are %zu frames", index,
                       result->frames.count);
    const tl_frame_row f = ((const tl_frame_row *)result->frames.data)[index];
    TL_TRY(tl_result_load_numbers(result));
    tl_h5_begin();
    const tl_status status = read_states(result, &f);
    tl_h5_end();
    TL_TRY(status);
    TL_TRY(check_states(result, &f));
    *state = (tl_frame_view){.steps = f.step,
                             .time = f.time,
                             .count = (size_t)f.state_count,
                             .bodies = result->frame_bodies.data,
                             .positions = result->positions.data,
                             .orientations = items(&result->orientations),
                             .velocities = items(&result->velocities),
                             .angular_velocities = items(&result->angular)};
    return TL_OK;
}

tl_status tl_result_read_frame(tl_result *result, uint64_t index, tl_result_frame *frame)
{
    TL_REFUSE_NULL("tl_result_read_frame", frame);
    *frame = (tl_result_frame){0};
    tl_frame_view state;
    TL_TRY(tl_result_read_states(result, index, &state));
    const tl_frame_row f = ((const tl_frame_row *)result->frames.data)[index];
    tl_h5_begin();
    const tl_status status = read_contacts(result, &f);
    tl_h5_end();
    TL_TRY(status);
    TL_TRY(check_contacts(result, &f));
    *frame = (tl_result_frame){.state = state,
                               .contact_count = (size_t)f.contact_count,
                               .contacts = result->contacts.data};
    return TL_OK;
}

void tl_result_drop_frame(tl_result *result)
{
    if (!result)
        return;
    tl_array *arrays[] = {&result->frame_bodies, &result->positions, &result->orientations,
                          &result->velocities,   &result->angular,   &result->contacts,
                          &result->columns};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
}
