/* Tables of a result file: datasets that grow by rows. A row is a number, a few numbers of one
 * type, or a struct. The recorder appends and cuts, results read; all inside tl_h5_begin() and
 * _end().
 *
 * A plain table has its rows one after the other. One of structs that is compressed has, too: HDF5
 * writes its last chunk anew when it grows, which is for tables that rarely do. One of numbers is
 * packed: what is appended together, a frame, begins at an eighth of a chunk and is held in memory,
 * for frames of one chunk are packed by what changed between them. tl_h5_table_settle() fills up to
 * whole chunks and writes them, so that every chunk is written once. */
#ifndef TL_IO_H5TABLE_H
#define TL_IO_H5TABLE_H

#include "io/h5.h"
#include "io/pack.h"

typedef struct tl_h5_table {
    const char *name;     /* with its group */
    hid_t set;            /* -1: not open */
    hid_t type;           /* of an element in memory; borrowed */
    uint32_t width;       /* elements of a row */
    size_t row;           /* bytes of a row in memory */
    size_t stored;        /* and in the file, unpacked */
    uint64_t rows;        /* in the file */
    uint64_t chunk;       /* rows of a chunk */
    bool filtered;        /* compressed in the file */
    bool packed;          /* by us, not by HDF5 */
    tl_rounding rounding; /* of what is packed */
    tl_array held;        /* bytes: of packed tables, frames that are not in the file yet */
    uint64_t frame;       /* rows from one of these to the next */
} tl_h5_table;

/* How a new table is laid out: `stored` is the type in the file, `type` in memory. */
typedef struct tl_h5_table_def {
    hid_t stored, type;
    uint32_t width;
    uint64_t chunk;
    bool filtered; /* compressed */
    tl_rounding rounding;
} tl_h5_table_def;

/* Makes an empty table. The group must be there. */
tl_status tl_h5_table_create(tl_h5_table *table, hid_t file, const char *path, const char *name,
                             const tl_h5_table_def *def);

/* Opens one with rows of `width` elements and checks how it is stored, and that it is not longer
 * than a file of `size` bytes can hold. `found` gets its type, which the caller checks and closes;
 * then it sets type and row. */
tl_status tl_h5_table_open(tl_h5_table *table, hid_t file, const char *path, const char *name,
                           uint32_t width, uint64_t size, hid_t *found);

/* The same for a table whose elements have the class and size of `type`, which they get. */
tl_status tl_h5_table_open_as(tl_h5_table *table, hid_t file, const char *path, const char *name,
                              uint32_t width, uint64_t size, hid_t type);

/* Closes it; NULL does nothing, and neither does one that is not open. */
void tl_h5_table_close(tl_h5_table *table);

/* Looks how many rows there are now. */
tl_status tl_h5_table_refresh(tl_h5_table *table, const char *path, uint64_t size);

/* Appends rows; a packed table holds them. */
tl_status tl_h5_table_append(tl_h5_table *table, const char *path, uint64_t count,
                             const void *rows);

/* Where the next rows will begin. */
uint64_t tl_h5_table_next(const tl_h5_table *table);

/* Whether a frame of so many rows can be held beside those that are. */
bool tl_h5_table_has_room(const tl_h5_table *table, uint64_t count);

/* Writes what is held. */
tl_status tl_h5_table_settle(tl_h5_table *table, const char *path, tl_packer *packer);

/* Drops what is after the first `rows` rows. */
tl_status tl_h5_table_cut(tl_h5_table *table, const char *path, uint64_t rows);

/* Reads rows that must be there. Rows that were never written, and columns that the file does not
 * have, are zeros. */
tl_status tl_h5_table_read(const tl_h5_table *table, const char *path, uint64_t first,
                           uint64_t count, void *rows);

#endif
