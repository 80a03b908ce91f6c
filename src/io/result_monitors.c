/* /monitors of a result file. The recorder writes, results read; values are on the disk before the
 * rows of /steps that they belong to, so that a killed writer leaves none without. */
#include "io/result_monitors.h"
#include "io/result.h"

#include <inttypes.h>
#include <string.h>

#define GROUP       "monitors"
#define NAMES       GROUP "/names"
#define UNITS       GROUP "/units"
#define VALUES      GROUP "/values"
#define CHUNK       512
#define MOST        4096 /* channels; a guard against damaged files */
#define NAME_LENGTH (sizeof((tl_monitor_info *)0)->name)
#define UNIT_LENGTH (sizeof((tl_monitor_info *)0)->unit)

tl_result_monitors tl_result_monitors_none(void)
{
    return (tl_result_monitors){.channels = {.item = sizeof(tl_monitor_info)},
                                .values = {.set = -1}};
}

/* A text of fixed length, ended or filled by zero bytes. */
static hid_t text_type(size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* ---- Writing ---- */

static tl_status write_texts(hid_t file, const char *path, const char *name, size_t length,
                             size_t offset, const tl_array *channels)
{
    tl_array texts = {.item = length};
    tl_h5_table table;
    const hid_t type = text_type(length);
    const tl_h5_table_def def = {
        .stored = type, .type = type, .width = 1, .chunk = channels->count};
    tl_status status = tl_h5_table_create(&table, file, path, name, &def);
    for (size_t i = 0; i < channels->count && status == TL_OK; i++)
        status =
            tl_array_append(&texts, (const char *)channels->data + i * channels->item + offset, 1);
    if (status == TL_OK)
        status = tl_h5_table_append(&table, path, texts.count, texts.data);
    tl_h5_table_close(&table);
    H5Tclose(type);
    tl_array_free(&texts);
    return status;
}

tl_status tl_result_monitors_create(tl_result_monitors *m, hid_t file, const char *path,
                                    const tl_world *world)
{
    const size_t count = tl_world_monitor_count(world);
    if (!count)
        return TL_OK;
    TL_TRY(tl_array_resize(&m->channels, count));
    for (size_t i = 0; i < count; i++)
        TL_TRY(tl_world_monitor_info(world, i, (tl_monitor_info *)m->channels.data + i));
    const hid_t group = H5Gcreate2(file, GROUP, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return tl_h5_fail(TL_FILE, path, "/" GROUP " cannot be made");
    H5Gclose(group);
    TL_TRY(
        write_texts(file, path, NAMES, NAME_LENGTH, offsetof(tl_monitor_info, name), &m->channels));
    TL_TRY(
        write_texts(file, path, UNITS, UNIT_LENGTH, offsetof(tl_monitor_info, unit), &m->channels));
    const tl_h5_table_def def = {.stored = H5T_IEEE_F64LE,
                                 .type = H5T_NATIVE_DOUBLE,
                                 .width = (uint32_t)count,
                                 .chunk = CHUNK};
    return tl_h5_table_create(&m->values, file, path, VALUES, &def);
}

tl_status tl_result_monitors_append(tl_result_monitors *m, const char *path, const tl_array *values)
{
    if (!m->channels.count)
        return TL_OK;
    return tl_h5_table_append(&m->values, path, values->count / m->channels.count, values->data);
}

tl_status tl_result_monitors_cut(tl_result_monitors *m, const char *path, uint64_t rows)
{
    return m->channels.count ? tl_h5_table_cut(&m->values, path, rows) : TL_OK;
}

/* ---- Opening ---- */

/* A text that ends, of characters that a terminal only shows. */
static bool is_plain(const char *text, size_t room)
{
    const size_t length = strnlen(text, room);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return length < room;
}

static tl_status read_texts(hid_t file, const char *path, const char *name, size_t length,
                            size_t offset, uint64_t size, tl_array *channels)
{
    tl_array texts = {.item = length};
    tl_h5_table table;
    const hid_t type = text_type(length);
    tl_status status = tl_h5_table_open_as(&table, file, path, name, 1, size, type);
    if (status == TL_OK && !channels->count && table.rows >= 1 && table.rows <= MOST) {
        status = tl_array_resize(channels, (size_t)table.rows);
        if (status == TL_OK)
            memset(channels->data, 0, channels->count * channels->item);
    }
    if (status == TL_OK && (table.rows != channels->count || !table.rows))
        status = tl_fail(TL_BAD_DATA, "%s: /%s has %" PRIu64 " rows, which fits no channels", path,
                         name, table.rows);
    if (status == TL_OK)
        status = tl_array_resize(&texts, (size_t)table.rows);
    if (status == TL_OK)
        status = tl_h5_table_read(&table, path, 0, table.rows, texts.data);
    for (size_t i = 0; i < texts.count && status == TL_OK; i++) {
        const char *text = (const char *)texts.data + i * length;
        if (!is_plain(text, length))
            status = tl_fail(TL_BAD_DATA, "%s: /%s[%zu] is no plain text", path, name, i);
        else
            memcpy((char *)channels->data + i * channels->item + offset, text, length);
    }
    tl_h5_table_close(&table);
    H5Tclose(type);
    tl_array_free(&texts);
    return status;
}

tl_status tl_result_monitors_open(tl_result_monitors *m, hid_t file, const char *path,
                                  uint64_t size)
{
    if (H5Lexists(file, GROUP, H5P_DEFAULT) <= 0) {
        tl_h5_forget();
        return TL_OK;
    }
    TL_TRY(read_texts(file, path, NAMES, NAME_LENGTH, offsetof(tl_monitor_info, name), size,
                      &m->channels));
    TL_TRY(read_texts(file, path, UNITS, UNIT_LENGTH, offsetof(tl_monitor_info, unit), size,
                      &m->channels));
    return tl_h5_table_open_as(&m->values, file, path, VALUES, (uint32_t)m->channels.count, size,
                               H5T_NATIVE_DOUBLE);
}

void tl_result_monitors_close(tl_result_monitors *m)
{
    tl_h5_table_close(&m->values);
    tl_array_free(&m->channels);
}

tl_status tl_result_monitors_match(const tl_result_monitors *m, const char *path,
                                   const tl_world *world)
{
    const size_t count = tl_world_monitor_count(world);
    bool same = count == m->channels.count;
    for (size_t i = 0; i < count && same; i++) {
        tl_monitor_info info;
        TL_TRY(tl_world_monitor_info(world, i, &info));
        same = !strcmp(info.name, ((const tl_monitor_info *)m->channels.data)[i].name);
    }
    return same ? TL_OK
                : tl_fail(TL_BAD_DATA, "%s: /" GROUP " has other channels than its checkpoint",
                          path);
}

tl_status tl_result_monitors_refresh(tl_result_monitors *m, const char *path, uint64_t size)
{
    return m->channels.count ? tl_h5_table_refresh(&m->values, path, size) : TL_OK;
}

tl_status tl_result_monitors_whole(const tl_result_monitors *m, const char *path, bool closed,
                                   uint64_t *steps)
{
    if (!m->channels.count || m->values.rows >= *steps)
        return TL_OK;
    if (closed)
        return tl_fail(TL_BAD_DATA,
                       "%s: /" VALUES " has %" PRIu64 " rows and /steps %" PRIu64
                       "; they must be as many",
                       path, m->values.rows, *steps);
    *steps = m->values.rows;
    return TL_OK;
}

/* ---- Reading ---- */

uint64_t tl_result_monitor_count(const tl_result *result)
{
    return result ? result->monitors.channels.count : 0;
}

tl_status tl_result_monitor_info(const tl_result *result, uint64_t i, tl_monitor_info *info)
{
    if (!info)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_monitor_info: info is NULL");
    memset(info, 0, sizeof *info);
    if (!result)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_monitor_info: result is NULL");
    if (i >= result->monitors.channels.count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_monitor_info: i is %" PRIu64 "; there are %zu channels", i,
                       result->monitors.channels.count);
    *info = ((const tl_monitor_info *)result->monitors.channels.data)[i];
    return TL_OK;
}

tl_status tl_result_read_monitors(tl_result *result, uint64_t first, uint64_t count, double *values)
{
    if (!result)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_read_monitors: result is NULL");
    if (first > result->steps || count > result->steps - first)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_read_monitors: rows %" PRIu64 " to %" PRIu64
                       " were asked for; there are %" PRIu64,
                       first, first + count, result->steps);
    if (!count || !result->monitors.channels.count)
        return TL_OK;
    if (!values)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_read_monitors: values is NULL");
    tl_h5_begin();
    const tl_status status =
        tl_h5_table_read(&result->monitors.values, result->path, first, count, values);
    tl_h5_end();
    return status;
}
