/* Reading a result: frames, bodies, shapes, reports. Every row is checked before it is handed out.
 */
#include "io/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ---- */

static bool finite_doubles(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool finite_floats(const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Why a kind that is not known here may be there. */
static tl_status unknown_kind(const tl_result *r, const char *table, uint64_t row, uint32_t kind)
{
    return tl_fail(TL_BAD_DATA,
                   "%s: /%s[%" PRIu64 "]: kind %" PRIu32 " is not known; the file has version "
                   "%" PRIu32 ".%" PRIu32 ", written by Talus %s, and this is Talus %s",
                   r->path, table, row, kind, r->major, r->minor, r->version, tl_version());
}

static tl_status bad_row(const tl_result *r, const char *table, uint64_t row, const char *what)
{
    return tl_fail(TL_BAD_DATA, "%s: /%s[%" PRIu64 "]: %s", r->path, table, row, what);
}

static int compare_body(const void *key, const void *item)
{
    const uint64_t a = *(const uint64_t *)key, b = ((const tl_body_row *)item)->body;
    return (a > b) - (a < b);
}

const tl_body_row *tl_result_find_body(const tl_result *result, uint64_t body)
{
    const tl_array *bodies = &result->bodies;
    if (!bodies->count)
        return NULL;
    return bsearch(&body, bodies->data, bodies->count, sizeof(tl_body_row), compare_body);
}

static tl_status check_bodies(const tl_result *r)
{
    const tl_body_row *row = r->bodies.data;
    for (size_t i = 0; i < r->bodies.count; i++) {
        if (row[i].body <= (i ? row[i - 1].body : 0))
            return bad_row(r, "bodies", i, "bodies must be in ascending order");
        if (row[i].kind > TL_PRESCRIBED)
            return unknown_kind(r, "bodies", i, row[i].kind);
        if (!isfinite(row[i].mass) || row[i].mass < 0 || !isfinite(row[i].added) ||
            !finite_doubles(row[i].position, 3) || !finite_doubles(row[i].orientation, 4))
            return bad_row(r, "bodies", i, "its numbers must be finite, its mass not below 0");
    }
    return TL_OK;
}

/* Whether all of these are above 0. */
static bool positive(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

/* What is wrong with the size of a shape; NULL: nothing. */
static const char *wrong_size(const tl_result *r, const tl_shape_row *s)
{
    const double *h = s->half_extents;
    double most = INFINITY; /* of the rounding */
    switch ((tl_shape_kind)s->kind) {
    case TL_SPHERE:
    case TL_PLANE:
    case TL_PARALLELOGRAM: return NULL;
    case TL_CAPSULE:
    case TL_CYLINDER:
    case TL_CONE:
        if (!(s->radius > 0 && s->half_length > 0))
            return "radius and half_length must be above 0";
        most = fmin(s->radius, s->half_length);
        break;
    case TL_BOX: most = fmin(h[0], fmin(h[1], h[2])); /* fall through */
    case TL_ELLIPSOID:
        if (!positive(h, 3))
            return "half_extents must be above 0";
        break;
    case TL_HULL:
    case TL_MESH:
    case TL_HEIGHTS:
        if (!tl_result_shape_geometry(r, s))
            return "its geometry is not in /geometries/list";
        if ((uint32_t)tl_result_shape_geometry(r, s)->kind != s->kind)
            return "its geometry is of another kind";
        break;
    case TL_POINT: /* written as a sphere, and a polygon as hulls */
    case TL_POLYGON: return "its kind is none that results have";
    }
    return s->rounding >= 0 && s->rounding < most ? NULL : "its rounding is too large or below 0";
}

static tl_status check_shapes(const tl_result *r)
{
    const tl_shape_row *row = r->shapes.data;
    for (size_t i = 0; i < r->shapes.count; i++) {
        const tl_shape_row *last = i ? &row[i - 1] : NULL;
        if (!tl_result_find_body(r, row[i].body))
            return bad_row(r, "shapes", i, "its body is not in /bodies");
        if (last && (row[i].body < last->body ||
                     (row[i].body == last->body && row[i].index <= last->index)))
            return bad_row(r, "shapes", i, "shapes must be in ascending order");
        if (row[i].kind > TL_HEIGHTS)
            return unknown_kind(r, "shapes", i, row[i].kind);
        if (!isfinite(row[i].radius) || !finite_doubles(row[i].position, 3) ||
            !finite_doubles(row[i].orientation, 4) || !finite_doubles(row[i].half_extents, 3) ||
            !finite_doubles(row[i].edge_u, 3) || !finite_doubles(row[i].edge_v, 3) ||
            !isfinite(row[i].half_length) || !isfinite(row[i].rounding))
            return bad_row(r, "shapes", i, "its numbers must be finite");
        if (row[i].sensor > 1)
            return bad_row(r, "shapes", i, "its sensor must be 0 or 1");
        const char *wrong = wrong_size(r, &row[i]);
        if (wrong)
            return bad_row(r, "shapes", i, wrong);
    }
    return TL_OK;
}

static tl_status check_removals(const tl_result *r)
{
    const tl_removal_row *row = r->removals.data;
    for (size_t i = 0; i < r->removals.count; i++) {
        if (!tl_result_find_body(r, row[i].body))
            return bad_row(r, "removals", i, "the body is not in /bodies");
        if (!isfinite(row[i].time))
            return bad_row(r, "removals", i, "the time must be finite");
    }
    return TL_OK;
}

/* ---- Bodies and shapes ---- */

/* Reads the rows of a table that are not in `array` yet. */
static tl_status extend(const tl_result *r, tl_result_table which, uint64_t rows, tl_array *array)
{
    const size_t had = array->count <= rows ? array->count : 0;
    TL_TRY(tl_array_resize(array, (size_t)rows));
    if (had == rows || !tl_result_tables_have(&r->tables, which))
        return TL_OK;
    return tl_h5_table_read(&r->tables.table[which], r->path, had, rows - had,
                            (char *)array->data + had * array->item);
}

/* What shapes from row `first` on collide with in a file that does not say so: everything. */
static void complete_filters(tl_result *r, size_t first)
{
    const hid_t type = r->tables.table[TL_SHAPES].type;
    const bool group = H5Tget_member_index(type, "group") >= 0;
    const bool mask = H5Tget_member_index(type, "mask") >= 0;
    tl_shape_row *row = r->shapes.data;
    for (size_t i = first; i < r->shapes.count; i++) {
        row[i].group = group ? row[i].group : 1;
        row[i].mask = mask ? row[i].mask : UINT32_MAX;
    }
    tl_h5_forget();
}

tl_status tl_result_load_bodies(tl_result *r)
{
    const tl_frame_row last = tl_result_last(r);
    if (r->bodies.count == last.bodies && r->shapes.count == last.shapes &&
        r->removals.count == last.removals)
        return TL_OK;
    tl_h5_begin();
    tl_status status = extend(r, TL_BODIES, last.bodies, &r->bodies);
    const size_t shapes = r->shapes.count <= last.shapes ? r->shapes.count : 0;
    if (status == TL_OK)
        status = extend(r, TL_SHAPES, last.shapes, &r->shapes);
    if (status == TL_OK && tl_result_tables_have(&r->tables, TL_SHAPES))
        complete_filters(r, shapes);
    if (status == TL_OK)
        status = extend(r, TL_REMOVALS, last.removals, &r->removals);
    tl_h5_end();
    if (status == TL_OK)
        status = check_bodies(r);
    if (status == TL_OK)
        status = check_shapes(r);
    if (status == TL_OK)
        status = check_removals(r);
    if (status < 0)
        r->bodies.count = r->shapes.count = r->removals.count = 0;
    return status;
}

static tl_status check_count(const char *call, const void *out, uint64_t count, uint64_t expected)
{
    if (!out && count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: the array is NULL", call);
    if (count != expected)
        return tl_fail(TL_BAD_ARGUMENT, "%s: count is %" PRIu64 "; there are %" PRIu64, call, count,
                       expected);
    return TL_OK;
}

#define REFUSE_NULL(call, result)                                             \
    do {                                                                      \
        if (!(result))                                                        \
            return tl_fail(TL_BAD_ARGUMENT, "%s: " #result " is NULL", call); \
    } while (0)

tl_status tl_result_read_bodies(tl_result *result, uint64_t count, tl_body_info *bodies)
{
    REFUSE_NULL("tl_result_read_bodies", result);
    TL_TRY(check_count("tl_result_read_bodies", bodies, count, tl_result_last(result).bodies));
    TL_TRY(tl_result_load_bodies(result));
    const tl_body_row *row = result->bodies.data;
    for (uint64_t i = 0; i < count; i++) {
        bodies[i] = (tl_body_info){.body = {row[i].body, 1},
                                   .kind = (tl_body_kind)row[i].kind,
                                   .mass = row[i].mass,
                                   .added = row[i].added,
                                   .removed = INFINITY};
        memcpy(bodies[i].position, row[i].position, sizeof bodies[i].position);
        memcpy(bodies[i].orientation, row[i].orientation, sizeof bodies[i].orientation);
    }
    const tl_removal_row *removal = result->removals.data;
    for (size_t i = 0; i < result->removals.count; i++)
        bodies[tl_result_find_body(result, removal[i].body) - row].removed = removal[i].time;
    return TL_OK;
}

tl_shape_def tl_result_shape(const tl_shape_row *row)
{
    tl_shape_def d = {.kind = (tl_shape_kind)row->kind,
                      .material.index = row->material,
                      .radius = row->radius,
                      .half_length = row->half_length,
                      .rounding = row->rounding,
                      .geometry.index = (uint32_t)row->geometry,
                      .group = row->group,
                      .mask = row->mask,
                      .sensor = row->sensor != 0};
    memcpy(d.position, row->position, sizeof d.position);
    memcpy(d.orientation, row->orientation, sizeof d.orientation);
    memcpy(d.half_extents, row->half_extents, sizeof d.half_extents);
    memcpy(d.edge_u, row->edge_u, sizeof d.edge_u);
    memcpy(d.edge_v, row->edge_v, sizeof d.edge_v);
    return d;
}

const tl_geometry_info *tl_result_shape_geometry(const tl_result *result, const tl_shape_row *row)
{
    const tl_array *list = &result->geometries.infos;
    if (!row->geometry || row->geometry > list->count)
        return NULL;
    return (const tl_geometry_info *)list->data + row->geometry - 1;
}

tl_status tl_result_read_shapes(tl_result *result, uint64_t count, tl_shape_info *shapes)
{
    REFUSE_NULL("tl_result_read_shapes", result);
    TL_TRY(check_count("tl_result_read_shapes", shapes, count, tl_result_last(result).shapes));
    TL_TRY(tl_result_load_bodies(result));
    const tl_shape_row *row = result->shapes.data;
    for (uint64_t i = 0; i < count; i++) {
        shapes[i] =
            (tl_shape_info){.body = {row[i].body, 1},
                            .kind = (tl_body_kind)tl_result_find_body(result, row[i].body)->kind,
                            .index = row[i].index,
                            .def = tl_result_shape(&row[i])};
    }
    return TL_OK;
}

uint64_t tl_result_geometry_count(const tl_result *result)
{
    return result ? result->geometries.infos.count : 0;
}

tl_status tl_result_geometry(const tl_result *result, tl_geometry geometry, tl_geometry_info *info)
{
    REFUSE_NULL("tl_result_geometry", info);
    *info = (tl_geometry_info){0};
    REFUSE_NULL("tl_result_geometry", result);
    const tl_array *list = &result->geometries.infos;
    if (!geometry.index || geometry.index > list->count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_geometry: geometry is %" PRIu32 "; there are %zu, from 1",
                       geometry.index, list->count);
    *info = ((const tl_geometry_info *)list->data)[geometry.index - 1];
    return TL_OK;
}

/* ---- Times and reports ---- */

tl_status tl_result_read_times(tl_result *result, uint64_t count, double *times)
{
    REFUSE_NULL("tl_result_read_times", result);
    TL_TRY(check_count("tl_result_read_times", times, count, result->frames.count));
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
    REFUSE_NULL("tl_result_read_reports", result);
    if (first > result->steps || count > result->steps - first)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_read_reports: rows %" PRIu64 " to %" PRIu64
                       " were asked for; there are %" PRIu64,
                       first, first + count, result->steps);
    if (!count)
        return TL_OK;
    REFUSE_NULL("tl_result_read_reports", reports);
    TL_TRY(tl_array_resize(&result->columns, (size_t)count * sizeof(tl_step_row)));
    tl_h5_begin();
    const tl_status status = tl_h5_table_read(&result->tables.table[TL_STEPS], result->path, first,
                                              count, result->columns.data);
    tl_h5_end();
    TL_TRY(status);
    const tl_step_row *row = result->columns.data;
    for (uint64_t i = 0; i < count; i++) {
        if (i && row[i].step <= row[i - 1].step)
            return bad_row(result, "steps", first + i, "steps must be in ascending order");
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
    const uint32_t *body = r->frame_bodies.data;
    for (size_t i = 0; i < f->state_count; i++) {
        if ((i && body[i] <= body[i - 1]) || !tl_result_find_body(r, body[i]))
            return bad_row(r, "states/body", f->state_first + i,
                           "bodies must be those of /bodies, in ascending order");
        if (!finite_doubles((const double *)r->positions.data + 3 * i, 3) ||
            !finite_row(&r->orientations, i) || !finite_row(&r->velocities, i) ||
            !finite_row(&r->angular, i))
            return bad_row(r, "states", f->state_first + i, "its numbers must be finite");
    }
    return TL_OK;
}

/* Whether a shape of a body is a sensor. Rows are in the order of body and index. */
static bool is_sensor(const tl_result *r, uint32_t body, uint32_t index)
{
    const tl_shape_row *row = r->shapes.data;
    size_t low = 0, high = r->shapes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row[middle].body < body || (row[middle].body == body && row[middle].index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->shapes.count && row[low].body == body && row[low].index == index &&
           row[low].sensor;
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
        c[i].sensor =
            is_sensor(r, c[i].a.index, c[i].shape_a) || is_sensor(r, c[i].b.index, c[i].shape_b);
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
        if (!tl_result_find_body(r, c[i].a.index) || !tl_result_find_body(r, c[i].b.index))
            return bad_row(r, "contacts/body", f->contact_first + i,
                           "bodies must be those of /bodies");
        if (!finite_doubles(c[i].point, 3) || !finite_doubles(c[i].normal, 3) ||
            !finite_doubles(c[i].impulse, 3) || !isfinite(c[i].gap))
            return bad_row(r, "contacts", f->contact_first + i, "its numbers must be finite");
    }
    return TL_OK;
}

/* NULL for a column that was not recorded. */
static const float *items(const tl_array *array)
{
    return array->count ? array->data : NULL;
}

tl_status tl_result_read_frame(tl_result *result, uint64_t index, tl_result_frame *frame)
{
    REFUSE_NULL("tl_result_read_frame", frame);
    *frame = (tl_result_frame){0};
    REFUSE_NULL("tl_result_read_frame", result);
    if (index >= result->frames.count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_read_frame: index is %" PRIu64 "; there are %zu frames", index,
                       result->frames.count);
    const tl_frame_row f = ((const tl_frame_row *)result->frames.data)[index];
    TL_TRY(tl_result_load_bodies(result));
    tl_h5_begin();
    tl_status status = read_states(result, &f);
    if (status == TL_OK)
        status = read_contacts(result, &f);
    tl_h5_end();
    TL_TRY(status);
    TL_TRY(check_states(result, &f));
    TL_TRY(check_contacts(result, &f));
    *frame = (tl_result_frame){.state = {.steps = f.step,
                                         .time = f.time,
                                         .count = (size_t)f.state_count,
                                         .bodies = result->frame_bodies.data,
                                         .positions = result->positions.data,
                                         .orientations = items(&result->orientations),
                                         .velocities = items(&result->velocities),
                                         .angular_velocities = items(&result->angular)},
                               .contact_count = (size_t)f.contact_count,
                               .contacts = result->contacts.data};
    return TL_OK;
}
