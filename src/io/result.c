/* Opening results for reading, and what they say of themselves. Nothing in a file is trusted: types
 * and shapes of all datasets are checked when it is opened, numbers when they are read. */
#include "io/result.h"
#include "io/document.h"
#include "io/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

tl_frame_row tl_result_last(const tl_result *result)
{
    if (!result->frames.count)
        return (tl_frame_row){0};
    return ((const tl_frame_row *)result->frames.data)[result->frames.count - 1];
}

static tl_status file_size(const tl_result *r, uint64_t *size)
{
    struct stat s;
    *size = 0;
    if (stat(r->path, &s) != 0)
        return tl_fail(TL_FILE, "%s: %s", r->path, strerror(errno));
    *size = (uint64_t)s.st_size;
    return TL_OK;
}

static tl_status read_closed(tl_result *r)
{
    uint8_t closed = 0;
    TL_TRY(tl_h5_read_number(r->root, r->path, "closed", H5T_NATIVE_UINT8, &closed));
    r->closed = closed != 0;
    return TL_OK;
}

/* How frames are stored: files of 1.0 do not say, and store them as they are. */
static tl_status read_storing(tl_result *r)
{
    uint32_t compression = TL_COMPRESSION_NONE;
    r->record.error = tl_record_default().error;
    TL_TRY(tl_h5_read_optional(r->root, r->path, "record_compression", H5T_NATIVE_UINT32,
                               &compression));
    TL_TRY(
        tl_h5_read_optional(r->root, r->path, "record_error", H5T_NATIVE_DOUBLE, &r->record.error));
    if (!(r->record.error > 0))
        return tl_fail(TL_BAD_DATA, "%s: attribute record_error is %g; it must be above 0", r->path,
                       r->record.error);
    r->record.compression = (tl_compression)compression;
    return TL_OK;
}

static tl_status read_record(tl_result *r)
{
    uint8_t contacts = 0;
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"record_duration", &r->record.duration},
                   {"record_rate", &r->record.rate},
                   {"record_checkpoint", &r->record.checkpoint}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        TL_TRY(tl_h5_read_number(r->root, r->path, numbers[i].name, H5T_NATIVE_DOUBLE,
                                 numbers[i].value));
        if (!(*numbers[i].value >= 0))
            return tl_fail(TL_BAD_DATA, "%s: attribute %s is %g; it cannot be below 0", r->path,
                           numbers[i].name, *numbers[i].value);
    }
    TL_TRY(tl_h5_read_number(r->root, r->path, "record_contacts", H5T_NATIVE_UINT8, &contacts));
    r->record.contacts = contacts != 0;
    return read_storing(r);
}

static tl_status read_attributes(tl_result *r)
{
    char format[64] = "";
    TL_TRY(tl_h5_read_text(r->root, r->path, "format", format, sizeof format));
    if (strcmp(format, TL_RESULT_FORMAT) != 0)
        return tl_fail(TL_BAD_DATA, "%s: not a result of Talus: its format is \"%s\"", r->path,
                       format);
    TL_TRY(tl_h5_read_text(r->root, r->path, "version", r->version, sizeof r->version));
    TL_TRY(tl_h5_read_number(r->root, r->path, "format_version", H5T_NATIVE_UINT32, &r->major));
    TL_TRY(tl_h5_read_optional(r->root, r->path, "format_minor", H5T_NATIVE_UINT32, &r->minor));
    if (r->major != TL_RESULT_MAJOR)
        return tl_fail(TL_BAD_DATA,
                       "%s: version %" PRIu32 ".%" PRIu32 " of results, which Talus %s reads; this "
                       "is Talus %s, which reads versions %d.0 and later below %d",
                       r->path, r->major, r->minor, r->version, tl_version(), TL_RESULT_MAJOR,
                       TL_RESULT_MAJOR + 1);
    TL_TRY(tl_h5_read_text(r->root, r->path, "backend", r->backend, sizeof r->backend));
    TL_TRY(tl_h5_read_text(r->root, r->path, "id", r->id, sizeof r->id));
    TL_TRY(tl_h5_read_text(r->root, r->path, "note", r->note, TL_NOTE_LIMIT));
    TL_TRY(read_record(r));
    return read_closed(r);
}

/* Which bodies are recorded, where not all are. */
static tl_status read_recorded(tl_result *r)
{
    const tl_h5_table *table = &r->tables.table[TL_RECORDED];
    uint64_t last = 0;
    for (uint64_t i = 0; i < table->rows; i++) {
        uint32_t row[2];
        TL_TRY(tl_h5_table_read(table, r->path, i, 1, row));
        if (!row[1] || row[0] <= last)
            return tl_fail(TL_BAD_DATA, "%s: /recorded[%llu]: bodies must be in ascending order",
                           r->path, (unsigned long long)i);
        last = (uint64_t)row[0] + row[1] - 1;
        TL_TRY(tl_array_append(&r->recorded, &(tl_body_range){{row[0], 1}, row[1]}, 1));
    }
    r->record.bodies = r->recorded.data;
    r->record.body_count = r->recorded.count;
    return TL_OK;
}

static tl_status open_inside(tl_result *r)
{
    uint64_t size;
    TL_TRY(tl_h5_open_read(r->path, &r->file));
    r->root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    if (r->root < 0)
        return tl_h5_fail(TL_BAD_DATA, r->path, "it has no root group");
    TL_TRY(read_attributes(r));
    TL_TRY(file_size(r, &size));
    TL_TRY(tl_result_tables_open(&r->tables, r->file, r->path, size));
    r->has_tables = true;
    const struct {
        tl_result_table table;
        tl_record_field field;
    } fields[] = {{TL_STATE_ORIENTATION, TL_RECORD_ORIENTATION},
                  {TL_STATE_VELOCITY, TL_RECORD_VELOCITY},
                  {TL_STATE_ANGULAR, TL_RECORD_ANGULAR_VELOCITY}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (tl_result_tables_have(&r->tables, fields[i].table))
            r->record.fields |= fields[i].field;
    TL_TRY(read_recorded(r));
    TL_TRY(tl_result_monitors_open(&r->monitors, r->file, r->path, size));
    TL_TRY(tl_result_geometries_read(&r->geometries, r->file, r->path, size));
    TL_TRY(tl_result_tables_frames(&r->tables, r->path, r->closed, &r->frames, &r->steps));
    return tl_result_monitors_whole(&r->monitors, r->path, r->closed, &r->steps);
}

static void set_item_sizes(tl_result *r)
{
    r->frames.item = sizeof(tl_frame_row);
    r->recorded.item = sizeof(tl_body_range);
    r->bodies.item = sizeof(tl_body_row);
    r->shapes.item = sizeof(tl_shape_row);
    r->removals.item = sizeof(tl_removal_row);
    r->numbers.item = sizeof(uint32_t);
    r->sensors.item = sizeof(uint64_t);
    r->frame_bodies.item = sizeof(uint32_t);
    r->positions.item = 3 * sizeof(double);
    r->orientations.item = 4 * sizeof(float);
    r->velocities.item = r->angular.item = 3 * sizeof(float);
    r->contacts.item = sizeof(tl_contact);
    r->columns.item = 1;
    r->monitors = tl_result_monitors_none();
    r->geometries = tl_result_geometries_none();
}

tl_status tl_result_open(const char *path, tl_result **result)
{
    if (!result)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_open: result is NULL");
    *result = NULL;
    if (!path || !*path)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_open: path is %s", path ? "empty" : "NULL");
    tl_result *r = tl_alloc_zero(sizeof *r);
    if (!r)
        return TL_NO_MEMORY;
    r->file = r->root = -1;
    set_item_sizes(r);
    r->path_room = strlen(path) + 1;
    r->path = tl_alloc(r->path_room);
    r->note = tl_alloc_zero(TL_NOTE_LIMIT);
    if (!r->path || !r->note) {
        tl_result_close(r);
        return TL_NO_MEMORY;
    }
    memcpy(r->path, path, r->path_room);
    tl_h5_begin();
    const tl_status status = open_inside(r);
    tl_h5_end();
    if (status < 0) {
        tl_result_close(r);
        return status;
    }
    *result = r;
    return TL_OK;
}

void tl_result_close(tl_result *r)
{
    if (!r)
        return;
    tl_h5_begin();
    if (r->has_tables)
        tl_result_tables_close(&r->tables);
    tl_result_monitors_close(&r->monitors);
    if (r->root >= 0)
        H5Gclose(r->root);
    if (r->file >= 0)
        H5Fclose(r->file);
    tl_h5_end();
    tl_result_geometries_free(&r->geometries);
    tl_array *arrays[] = {&r->frames,       &r->bodies,    &r->shapes,       &r->removals,
                          &r->frame_bodies, &r->positions, &r->orientations, &r->velocities,
                          &r->angular,      &r->contacts,  &r->columns,      &r->recorded,
                          &r->numbers,      &r->sensors};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_free(r->note, TL_NOTE_LIMIT);
    tl_free(r->path, r->path_room);
    tl_free(r, sizeof *r);
}

tl_result_info tl_result_describe(const tl_result *result)
{
    if (!result)
        return (tl_result_info){.version = "", .note = "", .backend = ""};
    const tl_frame_row last = tl_result_last(result);
    const tl_frame_row *first = result->frames.count ? result->frames.data : &last;
    uint64_t contacts = 0;
    for (size_t i = 0; i < result->frames.count; i++)
        contacts += first[i].contact_count;
    return (tl_result_info){
        .version = result->version,
        .note = result->note,
        .backend = result->backend,
        .closed = result->closed,
        .frames = result->frames.count,
        .steps = result->steps,
        .bodies = last.bodies,
        .shapes = last.shapes,
        .contacts = contacts,
        .first_time = first->time,
        .last_time = last.time,
        .has_checkpoint = tl_checkpoint_exists(result->path, result->id),
        .body_count = result->record.body_count,
        .ranges = result->record.bodies,
        .format_major = result->major,
        .format_minor = result->minor,
        .fields = result->record.fields,
        .compression = result->record.compression,
        .error = result->record.compression == TL_COMPRESSION_QUANTISED ? result->record.error : 0};
}

static tl_status refresh_inside(tl_result *r)
{
    uint64_t size;
    if (H5Grefresh(r->root) < 0)
        return tl_h5_fail(TL_BAD_DATA, r->path, "it cannot be looked at again");
    TL_TRY(read_closed(r));
    /* Frames first: what they speak of was there before them. */
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        if (!tl_result_tables_have(&r->tables, (tl_result_table)i))
            continue;
        TL_TRY(file_size(r, &size));
        TL_TRY(tl_h5_table_refresh(&r->tables.table[i], r->path, size));
    }
    TL_TRY(file_size(r, &size));
    TL_TRY(tl_result_monitors_refresh(&r->monitors, r->path, size));
    TL_TRY(tl_result_tables_frames(&r->tables, r->path, r->closed, &r->frames, &r->steps));
    return tl_result_monitors_whole(&r->monitors, r->path, r->closed, &r->steps);
}

tl_status tl_result_refresh(tl_result *result)
{
    if (!result)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_refresh: result is NULL");
    tl_h5_begin();
    const tl_status status = refresh_inside(result);
    tl_h5_end();
    const tl_frame_row last = tl_result_last(result);
    if (last.bodies < result->bodies.count)
        result->bodies.count = result->shapes.count = 0;
    return status;
}

/* The text of /scene in `text`, an array of bytes. */
static tl_status read_scene(const tl_result *r, tl_array *text)
{
    H5L_info_t link;
    uint64_t size = 0;
    if (H5Lexists(r->file, "scene", H5P_DEFAULT) <= 0 ||
        H5Lget_info(r->file, "scene", &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return tl_h5_fail(TL_BAD_DATA, r->path, "/scene is missing");
    TL_TRY(file_size(r, &size));
    const hid_t set = H5Dopen2(r->file, "scene", H5P_DEFAULT);
    const hid_t type = set < 0 ? -1 : H5Dget_type(set), space = set < 0 ? -1 : H5Dget_space(set);
    const hid_t creation = set < 0 ? -1 : H5Dget_create_plist(set);
    const bool right = type >= 0 && space >= 0 && creation >= 0 &&
                       H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                       H5Sget_simple_extent_type(space) == H5S_SCALAR &&
                       H5Pget_layout(creation) == H5D_CONTIGUOUS &&
                       H5Pget_external_count(creation) == 0 && H5Tget_size(type) <= size;
    tl_status status = TL_OK;
    if (!right)
        status = tl_h5_fail(TL_BAD_DATA, r->path, "/scene is damaged or of another type");
    else
        status = tl_array_resize(text, H5Tget_size(type));
    if (status == TL_OK && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text->data) < 0)
        status = tl_h5_fail(TL_BAD_DATA, r->path, "/scene cannot be read");
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

static tl_status parse_scene(const tl_result *result, bool outline, tl_document **document)
{
    *document = NULL;
    tl_array text = {.item = 1};
    tl_h5_begin();
    tl_status status = read_scene(result, &text);
    tl_h5_end();
    if (status == TL_OK)
        status = tl_document_parse_stored(
            result->path, (tl_text){text.data, strnlen(text.data, text.count)},
            (tl_stored_geometries){.outline = outline,
                                   .count = result->geometries.infos.count,
                                   .infos = result->geometries.infos.data,
                                   .split_count = result->geometries.pieces.count,
                                   .splits = result->geometries.pieces.data},
            document);
    tl_array_free(&text);
    return status;
}

tl_status tl_result_document(const tl_result *result, tl_document **document)
{
    if (!result || !document)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_document: %s is NULL",
                       document ? "result" : "document");
    return parse_scene(result, false, document);
}

tl_status tl_result_outline(const tl_result *result, tl_document **document)
{
    return parse_scene(result, true, document);
}
