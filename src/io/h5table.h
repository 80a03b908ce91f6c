/* Tables of a result file: datasets that grow by rows. A row is a number, a few numbers of one
 * type, or a struct. The recorder appends and cuts, results read; all inside tl_h5_begin() and
 * _end(). */
#ifndef TL_IO_H5TABLE_H
#define TL_IO_H5TABLE_H

#include "io/h5.h"

typedef struct tl_h5_table {
    const char *name; /* with its group */
    hid_t set;        /* -1: not open */
    hid_t type;       /* of an element in memory; borrowed */
    uint32_t width;   /* elements a row */
    size_t row;       /* bytes of a row */
    uint64_t rows;
} tl_h5_table;

/* Makes an empty table. `stored` is the type in the file, `type` in memory; `chunk` rows are kept
 * together. The group must be there. */
tl_status tl_h5_table_create(tl_h5_table *table, hid_t file, const char *path, const char *name,
                             hid_t stored, hid_t type, uint32_t width, uint64_t chunk);

/* Opens one and checks that it is what create makes, and not longer than a file of `size` bytes can
 * hold. */
tl_status tl_h5_table_open(tl_h5_table *table, hid_t file, const char *path, const char *name,
                           hid_t stored, hid_t type, uint32_t width, uint64_t size);

void tl_h5_table_close(tl_h5_table *table);

/* Looks how many rows there are now. */
tl_status tl_h5_table_refresh(tl_h5_table *table, const char *path, uint64_t size);

tl_status tl_h5_table_append(tl_h5_table *table, const char *path, uint64_t count,
                             const void *rows);

/* Drops what is after the first `rows` rows. */
tl_status tl_h5_table_cut(tl_h5_table *table, const char *path, uint64_t rows);

/* Reads rows that must be there. Rows that were never written are zeros. */
tl_status tl_h5_table_read(const tl_h5_table *table, const char *path, uint64_t first,
                           uint64_t count, void *rows);

#endif
