/* The fixed part of a new result file: what it is, the scene, names. Called once by a recorder,
 * before the file changes to single-writer mode. */
#include "io/recorder_file.h"
#include "io/result.h"

#include <string.h>
#include <time.h>

/* The beginning of a text that fits `room` bytes, cut between characters of UTF-8. */
static void copy_beginning(const char *text, char *to, size_t room)
{
    size_t length = strnlen(text, room - 1);
    while (length && text[length] && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

static tl_status write_attributes(hid_t file, const char *path, const tl_document *document,
                                  const char *backend, const char *note, const char *id)
{
    char now[32], title[1024];
    const time_t seconds = time(NULL);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    copy_beginning(tl_document_title(document), title, sizeof title);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const struct {
        const char *name, *text;
    } texts[] = {
        {"format", TL_RESULT_FORMAT},
        {"version", tl_version()},
        {"backend", backend},
        {"note", note ? note : ""},
        {"id", id},
        {"title", title},
        {"created", now},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TL_TRY(tl_h5_write_text(file, path, texts[i].name, texts[i].text));
    const uint32_t major = TL_RESULT_MAJOR, minor = TL_RESULT_MINOR;
    const uint8_t closed = 0;
    TL_TRY(
        tl_h5_write_number(file, path, "format_version", H5T_STD_U32LE, H5T_NATIVE_UINT32, &major));
    TL_TRY(
        tl_h5_write_number(file, path, "format_minor", H5T_STD_U32LE, H5T_NATIVE_UINT32, &minor));
    return tl_h5_write_number(file, path, "closed", H5T_STD_U8LE, H5T_NATIVE_UINT8, &closed);
}

static tl_status write_record(hid_t file, const char *path, const tl_record_def *record)
{
    const uint8_t contacts = record->contacts;
    const uint32_t compression = (uint32_t)record->compression;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"record_duration", record->duration},
                   {"record_rate", record->rate},
                   {"record_checkpoint", record->checkpoint},
                   {"record_error", record->error}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        TL_TRY(tl_h5_write_number(file, path, numbers[i].name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                  &numbers[i].value));
    TL_TRY(tl_h5_write_number(file, path, "record_compression", H5T_STD_U32LE, H5T_NATIVE_UINT32,
                              &compression));
    return tl_h5_write_number(file, path, "record_contacts", H5T_STD_U8LE, H5T_NATIVE_UINT8,
                              &contacts);
}

/* Writes a dataset that never changes: one text of fixed length, or `count` items. */
static herr_t write_fixed(hid_t group, const char *name, hid_t stored, hid_t type, hid_t space,
                          const void *data)
{
    if (stored < 0 || space < 0)
        return -1;
    const hid_t set = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    if (set >= 0 && H5Dclose(set) < 0)
        done = -1;
    return done;
}

static tl_status write_scene(hid_t file, const char *path, const tl_document *document)
{
    size_t length = 0;
    const char *text = tl_document_text(document, &length);
    if (length >= UINT32_MAX)
        return tl_fail(TL_TOO_LARGE, "%s: the scene has %zu bytes; at most %u can be kept", path,
                       length, UINT32_MAX - 1);
    const hid_t type = tl_h5_text_type(length + 1), space = H5Screate(H5S_SCALAR);
    const herr_t done = write_fixed(file, "scene", type, type, space, text);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return done < 0 ? tl_h5_fail(TL_FILE, path, "/scene cannot be written") : TL_OK;
}

/* Texts of any length: an array of pointers. */
static tl_status write_names(hid_t group, const char *path, const char *name, const tl_array *texts)
{
    const hid_t type = tl_h5_text_type(H5T_VARIABLE);
    const hid_t space = H5Screate_simple(1, (hsize_t[]){texts->count}, NULL);
    const herr_t done = write_fixed(group, name, type, type, space, texts->data);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return done < 0 ? tl_h5_fail(TL_FILE, path, "%s cannot be written", name) : TL_OK;
}

/* A column of /names that holds numbers. */
static tl_status write_indices(hid_t group, const char *path, const char *name,
                               const tl_array *indices)
{
    const hid_t space = H5Screate_simple(1, (hsize_t[]){indices->count}, NULL);
    const herr_t done =
        write_fixed(group, name, H5T_STD_U32LE, H5T_NATIVE_UINT32, space, indices->data);
    if (space >= 0)
        H5Sclose(space);
    return done < 0 ? tl_h5_fail(TL_FILE, path, "/names/%s cannot be written", name) : TL_OK;
}

/* Bodies that have a name; those of one name that follow each other are listed once. */
static tl_status list_names(const tl_document *document, tl_array *texts, tl_array *first,
                            tl_array *counts)
{
    const size_t count = tl_scene_body_count(tl_document_scene(document));
    const char *last = NULL;
    for (size_t i = 1; i <= count; i++) {
        const uint32_t index = (uint32_t)i, one = 1;
        const char *name = tl_document_body_name(document, (tl_body){index, 1});
        if (name && last && strcmp(name, last) == 0) {
            ++((uint32_t *)counts->data)[counts->count - 1];
        } else if (name) {
            TL_TRY(tl_array_append(texts, &name, 1));
            TL_TRY(tl_array_append(first, &index, 1));
            TL_TRY(tl_array_append(counts, &one, 1));
        }
        last = name;
    }
    return TL_OK;
}

/* /names: `count` bodies from `body` on are called `name`. */
static tl_status write_body_names(hid_t file, const char *path, const tl_document *document,
                                  tl_array *texts)
{
    tl_array first = {.item = sizeof(uint32_t)}, counts = {.item = sizeof(uint32_t)};
    tl_status status = list_names(document, texts, &first, &counts);
    const hid_t group =
        status < 0 ? -1 : H5Gcreate2(file, "names", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (status == TL_OK && group < 0)
        status = tl_h5_fail(TL_FILE, path, "/names cannot be made");
    if (status == TL_OK)
        status = write_indices(group, path, "body", &first);
    if (status == TL_OK)
        status = write_indices(group, path, "count", &counts);
    if (status == TL_OK)
        status = write_names(group, path, "name", texts);
    if (group >= 0)
        H5Gclose(group);
    tl_array_free(&first);
    tl_array_free(&counts);
    return status;
}

/* /materials: names by index; 0 is the default material. */
static tl_status write_materials(hid_t file, const char *path, const tl_document *document,
                                 tl_array *texts)
{
    const char *name;
    for (uint32_t i = 0; (name = tl_document_material_name(document, (tl_material){i})) != NULL;
         i++)
        TL_TRY(tl_array_append(texts, &name, 1));
    return write_names(file, path, "materials", texts);
}

tl_status tl_recorder_write_head(hid_t file, const char *path, const tl_document *document,
                                 const tl_record_def *record, const char *backend, const char *note,
                                 const char *id)
{
    TL_TRY(write_attributes(file, path, document, backend, note, id));
    TL_TRY(write_record(file, path, record));
    TL_TRY(write_scene(file, path, document));
    tl_array texts = {.item = sizeof(char *)};
    tl_status status = write_body_names(file, path, document, &texts);
    texts.count = 0;
    if (status == TL_OK)
        status = write_materials(file, path, document, &texts);
    tl_array_free(&texts);
    return status;
}
