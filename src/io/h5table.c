/* Tables that grow by rows.
 *
 * No chunk is cached when writing and none is filled when it is made, so that HDF5 writes the rows
 * it is given straight to their place: nothing is written twice, and a flush has metadata left
 * only.
 */
#include "io/h5table.h"

#include <string.h>

#define CHUNK_ROWS_LIMIT (1u << 20) /* of files that are read; a guard against damaged ones */

static hid_t uncached(void)
{
    const hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(list, 1, 0, 1);
    return list;
}

tl_status tl_h5_table_create(tl_h5_table *table, hid_t file, const char *path, const char *name,
                             hid_t stored, hid_t type, uint32_t width, uint64_t chunk)
{
    const int rank = width > 1 ? 2 : 1;
    const hid_t space =
        H5Screate_simple(rank, (hsize_t[]){0, width}, (hsize_t[]){H5S_UNLIMITED, width});
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = uncached();
    H5Pset_chunk(creation, rank, (hsize_t[]){chunk, width});
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    *table = (tl_h5_table){name, -1, type, width, width * H5Tget_size(type), 0};
    table->set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return table->set < 0 ? tl_h5_fail(TL_FILE, path, "/%s cannot be made", name) : TL_OK;
}

/* Whether a dataset is laid out as create does: in chunks, without filters. */
static bool plain_layout(hid_t set, int rank, uint32_t width)
{
    const hid_t creation = H5Dget_create_plist(set);
    hsize_t chunk[2] = {0, width};
    const bool plain = creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
                       H5Pget_nfilters(creation) == 0 &&
                       H5Pget_chunk(creation, rank, chunk) == rank && chunk[0] >= 1 &&
                       chunk[0] <= CHUNK_ROWS_LIMIT && chunk[1] == width;
    if (creation >= 0)
        H5Pclose(creation);
    return plain;
}

/* Reads the extent; -1 where the dataset has another shape. */
static int read_extent(tl_h5_table *table)
{
    const int rank = table->width > 1 ? 2 : 1;
    const hid_t space = H5Dget_space(table->set);
    hsize_t extent[2] = {0, table->width};
    const bool right = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                       H5Sget_simple_extent_ndims(space) == rank &&
                       H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                       extent[1] == table->width;
    if (space >= 0)
        H5Sclose(space);
    table->rows = extent[0];
    return right ? 0 : -1;
}

static tl_status check_extent(tl_h5_table *table, const char *path, uint64_t size)
{
    if (read_extent(table) < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s has another shape than a result's", table->name);
    if (table->rows > size / table->row)
        return tl_fail(TL_BAD_DATA,
                       "%s: /%s says it has %llu rows of %zu bytes, but the file has %llu bytes",
                       path, table->name, (unsigned long long)table->rows, table->row,
                       (unsigned long long)size);
    return TL_OK;
}

/* Opens a dataset, following no link out of the file or to elsewhere in it. */
static hid_t open_plain(hid_t file, const char *name)
{
    char part[64];
    H5L_info_t link;
    for (const char *end = name; end; end++) {
        end = strchr(end, '/');
        const size_t length = end ? (size_t)(end - name) : strlen(name);
        if (length >= sizeof part)
            return -1;
        memcpy(part, name, length);
        part[length] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return -1;
        if (!end)
            break;
    }
    const hid_t access = uncached();
    const hid_t set = H5Dopen2(file, name, access);
    H5Pclose(access);
    return set;
}

tl_status tl_h5_table_open(tl_h5_table *table, hid_t file, const char *path, const char *name,
                           hid_t stored, hid_t type, uint32_t width, uint64_t size)
{
    *table = (tl_h5_table){name, -1, type, width, width * H5Tget_size(type), 0};
    table->set = open_plain(file, name);
    if (table->set < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is missing or damaged", name);
    const hid_t found = H5Dget_type(table->set);
    const bool right = found >= 0 && H5Tequal(found, stored) > 0;
    if (found >= 0)
        H5Tclose(found);
    if (!right)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is of another type than a result's", name);
    if (!plain_layout(table->set, width > 1 ? 2 : 1, width))
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is not stored in plain chunks", name);
    return check_extent(table, path, size);
}

void tl_h5_table_close(tl_h5_table *table)
{
    if (table->set >= 0 && table->name)
        H5Dclose(table->set);
    table->set = -1;
}

tl_status tl_h5_table_refresh(tl_h5_table *table, const char *path, uint64_t size)
{
    if (H5Drefresh(table->set) < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s cannot be looked at again", table->name);
    return check_extent(table, path, size);
}

static herr_t set_rows(tl_h5_table *table, uint64_t rows)
{
    return H5Dset_extent(table->set, (hsize_t[]){rows, table->width});
}

/* Moves rows to or from the file. */
static herr_t transfer(const tl_h5_table *table, uint64_t first, uint64_t count, const void *from,
                       void *to)
{
    const int rank = table->width > 1 ? 2 : 1;
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

tl_status tl_h5_table_append(tl_h5_table *table, const char *path, uint64_t count, const void *rows)
{
    if (!count)
        return TL_OK;
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
