/* The bodies of a result and their shapes: all at once, or one after the other without holding
 * them. Every row is checked before it is handed out. */
#include "io/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ---- */

bool tl_finite_doubles(const double *x, size_t count)
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

tl_status tl_result_bad_row(const tl_result *r, const char *table, uint64_t row, const char *what)
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

/* Row i of /bodies, after a body of the number `before`. */
static tl_status check_body(const tl_result *r, uint64_t i, const tl_body_row *b, uint32_t before)
{
    if (b->body <= before)
        return tl_result_bad_row(r, "bodies", i, "bodies must be in ascending order");
    if (b->kind > TL_PRESCRIBED)
        return unknown_kind(r, "bodies", i, b->kind);
    if (!isfinite(b->mass) || b->mass < 0 || !isfinite(b->added) ||
        !tl_finite_doubles(b->position, 3) || !tl_finite_doubles(b->orientation, 4))
        return tl_result_bad_row(r, "bodies", i,
                                 "its numbers must be finite, its mass not below 0");
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

/* Row i of /shapes, whose body is known, after the shape `before` of body `last`. */
static tl_status check_shape(const tl_result *r, uint64_t i, const tl_shape_row *s, uint32_t last,
                             int64_t before)
{
    if (s->body < last || (s->body == last && s->index <= before))
        return tl_result_bad_row(r, "shapes", i, "shapes must be in ascending order");
    if (s->kind > TL_HEIGHTS)
        return unknown_kind(r, "shapes", i, s->kind);
    if (!isfinite(s->radius) || !tl_finite_doubles(s->position, 3) ||
        !tl_finite_doubles(s->orientation, 4) || !tl_finite_doubles(s->half_extents, 3) ||
        !tl_finite_doubles(s->edge_u, 3) || !tl_finite_doubles(s->edge_v, 3) ||
        !isfinite(s->half_length) || !isfinite(s->rounding))
        return tl_result_bad_row(r, "shapes", i, "its numbers must be finite");
    if (s->sensor > 1)
        return tl_result_bad_row(r, "shapes", i, "its sensor must be 0 or 1");
    if ((s->end_a || s->end_b) && (s->kind != TL_CAPSULE || !tl_result_find_body(r, s->end_a) ||
                                   !tl_result_find_body(r, s->end_b)))
        return tl_result_bad_row(r, "shapes", i, "rods must be capsules between two bodies");
    const char *wrong = wrong_size(r, s);
    return wrong ? tl_result_bad_row(r, "shapes", i, wrong) : TL_OK;
}

static tl_status check_tables(const tl_result *r)
{
    const tl_body_row *b = r->bodies.data;
    const tl_shape_row *s = r->shapes.data;
    for (size_t i = 0; i < r->bodies.count; i++)
        TL_TRY(check_body(r, i, &b[i], i ? b[i - 1].body : 0));
    for (size_t i = 0; i < r->shapes.count; i++) {
        if (!tl_result_find_body(r, s[i].body))
            return tl_result_bad_row(r, "shapes", i, "its body is not in /bodies");
        TL_TRY(check_shape(r, i, &s[i], i ? s[i - 1].body : 0, i ? (int64_t)s[i - 1].index : -1));
    }
    return TL_OK;
}

static tl_status check_removals(const tl_result *r)
{
    const tl_removal_row *row = r->removals.data;
    for (size_t i = 0; i < r->removals.count; i++) {
        if (!tl_result_find_body(r, row[i].body))
            return tl_result_bad_row(r, "removals", i, "the body is not in /bodies");
        if (!isfinite(row[i].time))
            return tl_result_bad_row(r, "removals", i, "the time must be finite");
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
static void complete_filters(const tl_result *r, tl_array *shapes, size_t first)
{
    const hid_t type = r->tables.table[TL_SHAPES].type;
    const bool group = H5Tget_member_index(type, "group") >= 0;
    const bool mask = H5Tget_member_index(type, "mask") >= 0;
    tl_shape_row *row = shapes->data;
    for (size_t i = first; i < shapes->count; i++) {
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
        complete_filters(r, &r->shapes, shapes);
    if (status == TL_OK)
        status = extend(r, TL_REMOVALS, last.removals, &r->removals);
    tl_h5_end();
    if (status == TL_OK)
        status = check_tables(r);
    if (status == TL_OK)
        status = check_removals(r);
    if (status < 0)
        r->bodies.count = r->shapes.count = r->removals.count = 0;
    return status;
}

tl_status tl_result_check_count(const char *call, const void *out, uint64_t count,
                                uint64_t expected)
{
    if (!out && count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: the array is NULL", call);
    if (count != expected)
        return tl_fail(TL_BAD_ARGUMENT, "%s: count is %" PRIu64 "; there are %" PRIu64, call, count,
                       expected);
    return TL_OK;
}

static tl_body_info info_of(const tl_body_row *row)
{
    tl_body_info info = {.body = {row->body, 1},
                         .kind = (tl_body_kind)row->kind,
                         .mass = row->mass,
                         .added = row->added,
                         .removed = INFINITY};
    memcpy(info.position, row->position, sizeof info.position);
    memcpy(info.orientation, row->orientation, sizeof info.orientation);
    return info;
}

tl_status tl_result_read_bodies(tl_result *result, uint64_t count, tl_body_info *bodies)
{
    TL_REFUSE_NULL("tl_result_read_bodies", result);
    TL_TRY(tl_result_check_count("tl_result_read_bodies", bodies, count,
                                 tl_result_last(result).bodies));
    TL_TRY(tl_result_load_bodies(result));
    const tl_body_row *row = result->bodies.data;
    for (uint64_t i = 0; i < count; i++)
        bodies[i] = info_of(&row[i]);
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
    TL_REFUSE_NULL("tl_result_read_shapes", result);
    TL_TRY(tl_result_check_count("tl_result_read_shapes", shapes, count,
                                 tl_result_last(result).shapes));
    TL_TRY(tl_result_load_bodies(result));
    const tl_shape_row *row = result->shapes.data;
    for (uint64_t i = 0; i < count; i++) {
        shapes[i] =
            (tl_shape_info){.body = {row[i].body, 1},
                            .kind = (tl_body_kind)tl_result_find_body(result, row[i].body)->kind,
                            .index = row[i].index,
                            .def = tl_result_shape(&row[i])};
        if (row[i].end_a) {
            shapes[i].ends[0] = (tl_body){row[i].end_a, 1};
            shapes[i].ends[1] = (tl_body){row[i].end_b, 1};
        }
    }
    return TL_OK;
}

uint64_t tl_result_geometry_count(const tl_result *result)
{
    return result ? result->geometries.infos.count : 0;
}

tl_status tl_result_geometry(const tl_result *result, tl_geometry geometry, tl_geometry_info *info)
{
    TL_REFUSE_NULL("tl_result_geometry", info);
    *info = (tl_geometry_info){0};
    TL_REFUSE_NULL("tl_result_geometry", result);
    const tl_array *list = &result->geometries.infos;
    if (!geometry.index || geometry.index > list->count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_geometry: geometry is %" PRIu32 "; there are %zu, from 1",
                       geometry.index, list->count);
    *info = ((const tl_geometry_info *)list->data)[geometry.index - 1];
    return TL_OK;
}

/* ---- One after the other ---- */

/* A look at rows of a table, some at a time. */
typedef struct window {
    tl_result_table table;
    uint64_t end, first; /* rows in all, and the first that is held */
    tl_array rows;       /* those that are held */
} window;

/* Row i, or NULL after the last; rows are asked for in their order. */
static tl_status look(const tl_result *r, window *w, uint64_t i, const void **row)
{
    enum { SOME = 4096 };
    *row = NULL;
    if (i >= w->end)
        return TL_OK;
    if (i >= w->first + w->rows.count) {
        const uint64_t left = w->end - i;
        w->first = i;
        TL_TRY(tl_array_resize(&w->rows, (size_t)(left < SOME ? left : SOME)));
        memset(w->rows.data, 0, w->rows.count * w->rows.item);
        tl_status status = TL_OK;
        tl_h5_begin();
        if (tl_result_tables_have(&r->tables, w->table))
            status = tl_h5_table_read(&r->tables.table[w->table], r->path, i, w->rows.count,
                                      w->rows.data);
        if (status == TL_OK && w->table == TL_SHAPES &&
            tl_result_tables_have(&r->tables, TL_SHAPES))
            complete_filters(r, &w->rows, 0);
        tl_h5_end();
        TL_TRY(status);
    }
    *row = (const char *)w->rows.data + (size_t)(i - w->first) * w->rows.item;
    return TL_OK;
}

static int compare_removals(const void *a, const void *b)
{
    const uint64_t x = ((const tl_removal_row *)a)->body, y = ((const tl_removal_row *)b)->body;
    return (x > y) - (x < y);
}

/* Removals by body, so that each is found at once. */
static tl_status sort_removals(const tl_result *r, uint64_t count, tl_array *sorted)
{
    if (!count || !tl_result_tables_have(&r->tables, TL_REMOVALS))
        return TL_OK;
    TL_TRY(tl_array_resize(sorted, (size_t)count));
    tl_h5_begin();
    const tl_status status =
        tl_h5_table_read(&r->tables.table[TL_REMOVALS], r->path, 0, count, sorted->data);
    tl_h5_end();
    TL_TRY(status);
    const tl_removal_row *row = sorted->data;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(row[i].time) || row[i].body > UINT32_MAX)
            return tl_result_bad_row(r, "removals", i,
                                     "the time must be finite, the body a number");
    qsort(sorted->data, sorted->count, sizeof(tl_removal_row), compare_removals);
    return TL_OK;
}

/* What a walk holds. */
typedef struct walk {
    window bodies, shapes;
    tl_array removals; /* tl_removal_row, by body */
    tl_array own;      /* tl_shape_info: of the body that is handed over */
    size_t removal;    /* the next of these */
    uint64_t shape;    /* the next row of /shapes */
    uint32_t last;     /* the last body, and the body and index of the last shape */
    uint32_t shape_body;
    int64_t shape_index;
} walk;

/* The shapes of body row `b` into w->own. */
static tl_status gather_shapes(const tl_result *r, walk *w, const tl_body_row *b)
{
    const void *row;
    w->own.count = 0;
    for (;; w->shape++) {
        TL_TRY(look(r, &w->shapes, w->shape, &row));
        const tl_shape_row *s = row;
        if (!s || (b && s->body > b->body))
            return TL_OK;
        if (!b || s->body < b->body)
            return tl_result_bad_row(r, "shapes", w->shape, "its body is not in /bodies");
        TL_TRY(check_shape(r, w->shape, s, w->shape_body, w->shape_index));
        w->shape_body = s->body;
        w->shape_index = s->index;
        const tl_shape_info info = {.body = {s->body, 1},
                                    .kind = (tl_body_kind)b->kind,
                                    .index = s->index,
                                    .def = tl_result_shape(s)};
        TL_TRY(tl_array_append(&w->own, &info, 1));
    }
}

/* When a body was removed, where it was; removals of bodies before it must have been met. */
static tl_status find_removal(const tl_result *r, walk *w, uint64_t body, double *removed)
{
    const tl_removal_row *row = w->removals.data;
    for (; w->removal < w->removals.count && row[w->removal].body <= body; w->removal++) {
        if (row[w->removal].body < body)
            return tl_fail(TL_BAD_DATA, "%s: /removals: body %" PRIu64 " is not in /bodies",
                           r->path, row[w->removal].body);
        *removed = row[w->removal].time;
    }
    return TL_OK;
}

/* Hands over the bodies from row `first` on. */
static tl_status go(const tl_result *r, walk *w, uint64_t first, tl_body_visit visit, void *user)
{
    const void *row;
    for (uint64_t i = first;; i++) {
        TL_TRY(look(r, &w->bodies, i, &row));
        if (!row) {
            TL_TRY(find_removal(r, w, UINT64_MAX, NULL));
            return gather_shapes(r, w, NULL);
        }
        const tl_body_row *b = row;
        TL_TRY(check_body(r, i, b, w->last));
        w->last = b->body;
        TL_TRY(gather_shapes(r, w, b));
        tl_body_info info = info_of(b);
        TL_TRY(find_removal(r, w, b->body, &info.removed));
        const tl_status status = visit(user, &info, w->own.count, w->own.data);
        if (status != TL_OK)
            return status;
    }
}

static walk start_walk(const tl_result *r)
{
    const tl_frame_row last = tl_result_last(r);
    return (walk){.bodies = {TL_BODIES, last.bodies, 0, {.item = sizeof(tl_body_row)}},
                  .shapes = {TL_SHAPES, last.shapes, 0, {.item = sizeof(tl_shape_row)}},
                  .removals.item = sizeof(tl_removal_row),
                  .own.item = sizeof(tl_shape_info),
                  .shape_index = -1};
}

static void end_walk(walk *w)
{
    tl_array_free(&w->bodies.rows);
    tl_array_free(&w->shapes.rows);
    tl_array_free(&w->removals);
    tl_array_free(&w->own);
}

tl_status tl_result_visit_bodies(tl_result *result, tl_body_visit visit, void *user)
{
    TL_REFUSE_NULL("tl_result_visit_bodies", result);
    TL_REFUSE_NULL("tl_result_visit_bodies", visit);
    walk w = start_walk(result);
    tl_status status = sort_removals(result, tl_result_last(result).removals, &w.removals);
    if (status == TL_OK)
        status = go(result, &w, 0, visit, user);
    end_walk(&w);
    return status;
}

/* ---- What frames are checked against ---- */

static tl_status note_body(void *user, const tl_body_info *b, size_t count,
                           const tl_shape_info *shapes)
{
    tl_result *r = user;
    for (size_t i = 0; i < count; i++) {
        const uint64_t sensor = (uint64_t)b->body.index << 32 | shapes[i].index;
        if (shapes[i].def.sensor)
            TL_TRY(tl_array_append(&r->sensors, &sensor, 1));
    }
    return tl_array_append(&r->numbers, &b->body.index, 1);
}

/* Reads what came since the last call: rows of both tables are only added. */
tl_status tl_result_load_numbers(tl_result *r)
{
    const tl_frame_row last = tl_result_last(r);
    if (r->numbers.count == last.bodies && r->numbered == last.shapes)
        return TL_OK;
    if (r->numbers.count > last.bodies || r->numbered > last.shapes)
        r->numbers.count = r->sensors.count = r->numbered = 0;
    walk w = start_walk(r);
    const size_t had = r->numbers.count;
    w.shape = r->numbered;
    w.last = had ? ((const uint32_t *)r->numbers.data)[had - 1] : 0;
    tl_status status = tl_array_reserve(&r->numbers, (size_t)last.bodies);
    if (status == TL_OK)
        status = go(r, &w, had, note_body, r);
    end_walk(&w);
    if (status != TL_OK)
        r->numbers.count = r->sensors.count = 0;
    r->numbered = status == TL_OK ? last.shapes : 0;
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool tl_result_has_body(const tl_result *r, uint32_t body)
{
    return r->numbers.count &&
           bsearch(&body, r->numbers.data, r->numbers.count, sizeof body, compare_numbers);
}

static int compare_sensors(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool tl_result_is_sensor(const tl_result *r, uint32_t body, uint32_t index)
{
    const uint64_t key = (uint64_t)body << 32 | index;
    return r->sensors.count &&
           bsearch(&key, r->sensors.data, r->sensors.count, sizeof key, compare_sensors);
}
