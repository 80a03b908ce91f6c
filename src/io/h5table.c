/* Tables that grow by rows.
 *
 * No chunk is cached when writing and none is filled when it is made, so that HDF5 writes the rows
 * it is given straight to their place: nothing is written twice, and a flush has metadata left
 * only. Chunks of packed tables are handed to HDF5 as they come to lie in the file. */
#include "io/h5table.h"

#include <string.h>

#define CHUNK_ROWS_LIMIT (1u << 20)  /* of files that are read; a guard against damaged ones */
#define CACHE_LIMIT      (16u << 20) /* bytes */
#define MOST_UNPACKED    1032        /* bytes that deflate can make of one */

/* An access list with a cache of so many bytes. */
static hid_t cached(size_t bytes)
{
    const hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    if (list >= 0 && H5Pset_chunk_cache(list, bytes ? 31 : 1, bytes, 1) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

static int rank_of(const tl_h5_table *table)
{
    return table->width > 1 ? 2 : 1;
}

/* Whether a table is packed by us: of numbers, with the same type in file and memory. */
static bool is_packed(hid_t type, bool filtered)
{
    return filtered && H5Tget_class(type) != H5T_COMPOUND;
}

/* How create stores a table. A packed one has a chunk for each column, whose numbers are alike. */
static hid_t creation_list(const tl_h5_table_def *def)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool done = list >= 0 &&
                H5Pset_chunk(list, def->width > 1 ? 2 : 1,
                             (hsize_t[]){def->chunk, def->filtered ? 1 : def->width}) >= 0 &&
                H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    if (done && def->filtered)
        done = H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, 1) >= 0;
    if (!done && list >= 0)
        H5Pclose(list);
    return done ? list : -1;
}

tl_status tl_h5_table_create(tl_h5_table *table, hid_t file, const char *path, const char *name,
                             const tl_h5_table_def *def)
{
    const size_t row = def->width * H5Tget_size(def->type);
    *table = (tl_h5_table){.name = name,
                           .set = -1,
                           .type = def->type,
                           .width = def->width,
                           .row = row,
                           .stored = row,
                           .chunk = def->chunk,
                           .filtered = def->filtered,
                           .packed = is_packed(def->type, def->filtered),
                           .rounding = def->rounding,
                           .held.item = 1};
    const hid_t space = H5Screate_simple(rank_of(table), (hsize_t[]){0, def->width},
                                         (hsize_t[]){H5S_UNLIMITED, def->width});
    const hid_t creation = creation_list(def), access = cached(0);
    if (space >= 0 && creation >= 0 && access >= 0)
        table->set = H5Dcreate2(file, name, def->stored, space, H5P_DEFAULT, creation, access);
    const hid_t lists[] = {access, creation};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i] >= 0)
            H5Pclose(lists[i]);
    if (space >= 0)
        H5Sclose(space);
    return table->set < 0 ? tl_h5_fail(TL_FILE, path, "/%s cannot be made", name) : TL_OK;
}

/* ---- Opening ---- */

/* Filters that HDF5 has built in and that make numbers of a bounded size. */
static bool known_filters(hid_t creation, bool *filtered)
{
    const int count = H5Pget_nfilters(creation);
    *filtered = count > 0;
    for (int i = 0; i < count; i++) {
        unsigned flags, values[8];
        size_t room = sizeof values / sizeof *values;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)i, &flags, &room, values, 0, NULL, NULL);
        if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE)
            return false;
    }
    return count >= 0 && count <= 2;
}

/* Whether a dataset is laid out as create does. */
static bool right_layout(tl_h5_table *table)
{
    const hid_t creation = H5Dget_create_plist(table->set);
    const int rank = rank_of(table);
    hsize_t chunk[2] = {0, table->width};
    const bool right = creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
                       known_filters(creation, &table->filtered) &&
                       H5Pget_chunk(creation, rank, chunk) == rank && chunk[0] >= 1 &&
                       chunk[0] <= CHUNK_ROWS_LIMIT && chunk[1] >= 1 && chunk[1] <= table->width;
    if (creation >= 0)
        H5Pclose(creation);
    table->chunk = chunk[0];
    return right;
}

/* Reads the extent; false where the dataset has another shape. */
static bool read_extent(tl_h5_table *table)
{
    const int rank = rank_of(table);
    const hid_t space = H5Dget_space(table->set);
    hsize_t extent[2] = {0, table->width};
    const bool right = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                       H5Sget_simple_extent_ndims(space) == rank &&
                       H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                       extent[1] == table->width;
    if (space >= 0)
        H5Sclose(space);
    table->rows = extent[0];
    return right;
}

static tl_status check_extent(tl_h5_table *table, const char *path, uint64_t size)
{
    if (!read_extent(table))
        return tl_h5_fail(TL_BAD_DATA, path, "/%s has another shape than a result's", table->name);
    const uint64_t most = table->filtered && size < UINT64_MAX / MOST_UNPACKED
                              ? size * MOST_UNPACKED
                              : size; /* bytes */
    if (table->rows > most / table->stored)
        return tl_fail(TL_BAD_DATA,
                       "%s: /%s says it has %llu rows of %zu bytes, but the file has %llu bytes",
                       path, table->name, (unsigned long long)table->rows, table->stored,
                       (unsigned long long)size);
    return TL_OK;
}

/* Whether a dataset lies in the file itself, without links to elsewhere. */
static bool lies_inside(hid_t file, const char *name)
{
    char part[64];
    H5L_info_t link;
    for (const char *end = name; end; end++) {
        end = strchr(end, '/');
        const size_t length = end ? (size_t)(end - name) : strlen(name);
        if (length >= sizeof part)
            return false;
        memcpy(part, name, length);
        part[length] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return false;
        if (!end)
            break;
    }
    return true;
}

/* Opens a packed table again that is read, with room for the chunks of some frames: whoever reads
 * them one by one unpacks each chunk once. */
static bool reopen_cached(tl_h5_table *table, hid_t file)
{
    unsigned intent;
    if (!table->packed || H5Fget_intent(file, &intent) < 0 || (intent & H5F_ACC_RDWR))
        return true;
    const uint64_t bytes = table->chunk * table->stored;
    const hid_t access = cached(bytes < CACHE_LIMIT ? (size_t)bytes : CACHE_LIMIT);
    const hid_t set = access < 0 ? -1 : H5Dopen2(file, table->name, access);
    if (access >= 0)
        H5Pclose(access);
    if (set < 0)
        return false;
    H5Dclose(table->set);
    table->set = set;
    return true;
}

tl_status tl_h5_table_open(tl_h5_table *table, hid_t file, const char *path, const char *name,
                           uint32_t width, uint64_t size, hid_t *found)
{
    *table = (tl_h5_table){.name = name, .set = -1, .width = width, .held.item = 1};
    *found = -1;
    const hid_t access = lies_inside(file, name) ? cached(0) : -1;
    table->set = access < 0 ? -1 : H5Dopen2(file, name, access);
    if (access >= 0)
        H5Pclose(access);
    const hid_t type = table->set < 0 ? -1 : H5Dget_type(table->set);
    const size_t bytes = type < 0 ? 0 : H5Tget_size(type);
    if (!bytes) {
        if (type >= 0)
            H5Tclose(type);
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is missing or damaged", name);
    }
    table->stored = bytes * width;
    tl_status status = TL_OK;
    const bool right = right_layout(table);
    table->packed = is_packed(type, table->filtered);
    if (!right || !reopen_cached(table, file))
        status = tl_h5_fail(TL_BAD_DATA, path, "/%s is not stored as a result's tables are", name);
    else
        status = check_extent(table, path, size);
    if (status == TL_OK)
        *found = type;
    else
        H5Tclose(type);
    return status;
}

tl_status tl_h5_table_open_as(tl_h5_table *table, hid_t file, const char *path, const char *name,
                              uint32_t width, uint64_t size, hid_t type)
{
    hid_t found;
    TL_TRY(tl_h5_table_open(table, file, path, name, width, size, &found));
    const size_t bytes = H5Tget_size(type);
    const bool right = H5Tget_class(found) == H5Tget_class(type) && H5Tget_size(found) == bytes;
    H5Tclose(found);
    if (!right)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is of another type than a result's", name);
    table->type = type;
    table->row = bytes * width;
    return TL_OK;
}

void tl_h5_table_close(tl_h5_table *table)
{
    if (table->set >= 0 && table->name)
        H5Dclose(table->set);
    table->set = -1;
    tl_array_free(&table->held);
}

tl_status tl_h5_table_refresh(tl_h5_table *table, const char *path, uint64_t size)
{
    if (H5Drefresh(table->set) < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s cannot be looked at again", table->name);
    return check_extent(table, path, size);
}

/* ---- Rows ---- */

static herr_t set_rows(tl_h5_table *table, uint64_t rows)
{
    return H5Dset_extent(table->set, (hsize_t[]){rows, table->width});
}

/* Moves rows to or from the file. */
static herr_t transfer(const tl_h5_table *table, uint64_t first, uint64_t count, const void *from,
                       void *to)
{
    const int rank = rank_of(table);
    const hsize_t start[2] = {first, 0}, size[2] = {count, table->width};
    const hid_t memory = H5Screate_simple(rank, size, NULL), space = H5Dget_space(table->set);
    herr_t done = memory < 0 || space < 0
                      ? -1
                      : H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    if (done >= 0)
        done = from ? H5Dwrite(table->set, table->type, memory, space, H5P_DEFAULT, from)
                    : H5Dread(table->set, table->type, memory, space, H5P_DEFAULT, to);
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

static uint64_t rounded_up(uint64_t rows, uint64_t unit)
{
    return (rows + unit - 1) / unit * unit;
}

/* Rows from a frame of so many to the next. */
static uint64_t frame_rows(const tl_h5_table *table, uint64_t count)
{
    return rounded_up(count, table->chunk < 8 ? 1 : table->chunk / 8);
}

uint64_t tl_h5_table_next(const tl_h5_table *table)
{
    return table->rows + (table->held.count ? table->held.count / table->row : 0);
}

bool tl_h5_table_has_room(const tl_h5_table *table, uint64_t count)
{
    const uint64_t held = tl_h5_table_next(table) - table->rows, frame = frame_rows(table, count);
    return !table->packed || !held ||
           (frame == table->frame && frame <= TL_PACK_REACH && held + frame <= table->chunk);
}

static tl_status hold(tl_h5_table *t, uint64_t count, const void *rows)
{
    const size_t held = t->held.count, more = (size_t)count * t->row;
    t->frame = frame_rows(t, count);
    TL_TRY(tl_array_resize(&t->held, held + (size_t)t->frame * t->row));
    memcpy((char *)t->held.data + held, rows, more);
    memset((char *)t->held.data + held + more, 0, t->held.count - held - more);
    return TL_OK;
}

tl_status tl_h5_table_settle(tl_h5_table *t, const char *path, tl_packer *packer)
{
    const uint64_t count = tl_h5_table_next(t) - t->rows;
    if (!count)
        return TL_OK;
    const uint64_t end = rounded_up(count, t->chunk);
    if (set_rows(t, t->rows + end) < 0)
        return tl_h5_fail(TL_FILE, path, "/%s cannot be made longer", t->name);
    for (uint64_t first = 0; first < end; first += t->chunk) {
        const uint64_t left = count - first;
        const tl_pack_rows from = {.rows = (const char *)t->held.data + first * t->row,
                                   .count = (size_t)(left < t->chunk ? left : t->chunk),
                                   .width = t->width,
                                   .size = t->row / t->width,
                                   .frame = (size_t)t->frame};
        for (uint32_t k = 0; k < t->width; k++) {
            const hsize_t offset[2] = {t->rows + first, k};
            size_t bytes = 0;
            TL_TRY(tl_pack(packer, &from, (size_t)t->chunk, k, t->rounding, &bytes));
            if (H5Dwrite_chunk(t->set, H5P_DEFAULT, 0, offset, bytes, packer->out.data) < 0)
                return tl_h5_fail(TL_FILE, path, "/%s cannot be written", t->name);
        }
    }
    t->rows += end;
    t->held.count = 0;
    return TL_OK;
}

tl_status tl_h5_table_append(tl_h5_table *table, const char *path, uint64_t count, const void *rows)
{
    if (!count)
        return TL_OK;
    if (table->packed)
        return hold(table, count, rows);
    if (set_rows(table, table->rows + count) < 0 ||
        transfer(table, table->rows, count, rows, NULL) < 0)
        return tl_h5_fail(TL_FILE, path, "/%s cannot be written", table->name);
    table->rows += count;
    return TL_OK;
}

tl_status tl_h5_table_cut(tl_h5_table *table, const char *path, uint64_t rows)
{
    if (rows >= table->rows)
        return TL_OK;
    if (set_rows(table, rows) < 0)
        return tl_h5_fail(TL_FILE, path, "/%s cannot be cut", table->name);
    table->rows = rows;
    return TL_OK;
}

tl_status tl_h5_table_read(const tl_h5_table *table, const char *path, uint64_t first,
                           uint64_t count, void *rows)
{
    if (!count)
        return TL_OK;
    memset(rows, 0, count * table->row);
    if (transfer(table, first, count, NULL, rows) < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s cannot be read", table->name);
    return TL_OK;
}
