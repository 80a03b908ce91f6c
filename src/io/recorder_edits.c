/* /edits of a result: what was done to the run by hand while it was recorded, a line of text per
 * edit. The caller's thread writes them itself: they are rare, and an edit that its result does not
 * know of would be worse than a wait for the disk. */
#include "io/recorder.h"
#include "io/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME  "edits"
#define CHUNK 4096 /* bytes */

tl_status tl_recorder_edits_create(tl_recorder *r)
{
    const tl_h5_table_def def = {
        .stored = H5T_STD_U8LE, .type = H5T_NATIVE_UINT8, .width = 1, .chunk = CHUNK};
    return tl_h5_table_create(&r->edits, r->writer.file, r->path, NAME, &def);
}

/* Opens the table. No file holds more bytes of it than it has. */
static tl_status open_table(hid_t file, const char *path, tl_h5_table *table)
{
    hsize_t size = 0;
    if (H5Fget_filesize(file, &size) < 0)
        return tl_h5_fail(TL_FILE, path, "HDF5 does not know its size");
    return tl_h5_table_open_as(table, file, path, NAME, 1, size, H5T_NATIVE_UINT8);
}

/* Reads the text, an array of bytes that gets a final zero, which it does not count. It ends before
 * the first byte that is zero: a writer that was killed while it cut the file leaves such bytes. */
static tl_status read_text(const tl_h5_table *table, const char *path, tl_array *text)
{
    TL_TRY(tl_array_resize(text, (size_t)table->rows + 1));
    char *bytes = text->data;
    TL_TRY(tl_h5_table_read(table, path, 0, table->rows, bytes));
    bytes[table->rows] = '\0';
    text->count = strlen(bytes);
    return TL_OK;
}

/* The bytes of the lines whose time is at most `time`. */
static size_t lines_until(const char *text, size_t length, double time)
{
    size_t kept = 0;
    while (kept < length) {
        const char *end = memchr(text + kept, '\n', length - kept);
        if (!end || strtod(text + kept, NULL) > time)
            break;
        kept = (size_t)(end + 1 - text);
    }
    return kept;
}

tl_status tl_recorder_edits_cut(tl_recorder *r, double time)
{
    if (H5Lexists(r->writer.file, NAME, H5P_DEFAULT) <= 0)
        return TL_OK; /* begun by a Talus that had none: tl_recorder_edit() says so */
    TL_TRY(open_table(r->writer.file, r->path, &r->edits));
    tl_array text = {.item = 1};
    tl_status status = read_text(&r->edits, r->path, &text);
    if (status == TL_OK)
        status = tl_h5_table_cut(&r->edits, r->path, lines_until(text.data, text.count, time));
    tl_array_free(&text);
    return status;
}

static tl_status append(tl_recorder *r, const char *line, size_t length)
{
    tl_h5_begin();
    tl_status status = tl_h5_table_append(&r->edits, r->path, length, line);
    if (status == TL_OK && H5Fflush(r->writer.file, H5F_SCOPE_LOCAL) < 0)
        status = tl_h5_fail(TL_FILE, r->path, "HDF5 cannot write it out");
    const tl_status disk = tl_h5_check(&r->writer, r->path);
    tl_h5_end();
    return disk < 0 ? disk : status;
}

tl_status tl_recorder_edit(tl_recorder *recorder, const tl_world *world, const char *text)
{
    tl_recorder *r = recorder;
    if (!r || !world || !text)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_edit: %s is NULL",
                       !r       ? "recorder"
                       : !world ? "world"
                                : "text");
    if (!*text || strchr(text, '\n'))
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_edit: text %s; it must be one line",
                       *text ? "has a line break" : "is empty");
    if (!r->edits.name)
        return tl_fail(TL_FILE, "%s: it was begun by an older Talus and has no table of edits",
                       r->path);
    const size_t room = strlen(text) + 40;
    char *line = tl_alloc(room);
    if (!line)
        return TL_NO_MEMORY;
    const int length = snprintf(line, room, "%.17g %s\n", tl_world_time(world), text);
    const tl_status status = append(r, line, (size_t)length);
    tl_free(line, room);
    return status;
}

/* ---- Reading ---- */

tl_status tl_result_read_edits(tl_result *result, size_t room, char *text, size_t *length)
{
    if (!result || !length || (room && !text))
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_read_edits: %s is NULL",
                       !result   ? "result"
                       : !length ? "length"
                                 : "text");
    tl_array found = {.item = 1};
    tl_h5_begin();
    tl_status status = TL_OK;
    if (H5Lexists(result->file, NAME, H5P_DEFAULT) > 0) {
        tl_h5_table table;
        status = open_table(result->file, result->path, &table);
        if (status == TL_OK)
            status = read_text(&table, result->path, &found);
        tl_h5_table_close(&table);
    }
    tl_h5_end();
    *length = status == TL_OK ? found.count : 0;
    if (room > *length) {
        if (*length)
            memcpy(text, found.data, *length);
        text[*length] = '\0';
    }
    tl_array_free(&found);
    return status;
}
