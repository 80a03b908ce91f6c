/* What every use of HDF5 in talus_io goes through: one lock around all calls of the process,
 * because HDF5 is built without threads, and messages made of HDF5's own error stack. The
 * recorder's thread and the readers of results take turns here. */
#ifndef TL_IO_H5_H
#define TL_IO_H5_H

#include "base/status.h"

#include <hdf5.h>

/* Takes the lock and keeps HDF5 from printing its errors; tl_h5_end() undoes both. May be nested.
 */
void tl_h5_begin(void);
void tl_h5_end(void);

/* Fails with "path: what: the deepest text of HDF5's error stack when a call last failed". Inside
 * begin and end. */
tl_status tl_h5_fail(tl_status status, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Forgets that text, after a call that was allowed to fail. */
void tl_h5_forget(void);

/* A text attribute of the root group. Texts have a fixed length, because those of variable length
 * lie in a part of the file that HDF5 reads without any check. */
tl_status tl_h5_write_text(hid_t file, const char *path, const char *name, const char *text);

/* Reads one of at most `room` bytes with its final zero; longer ones are refused. */
tl_status tl_h5_read_text(hid_t file, const char *path, const char *name, char *text, size_t room);

/* A number attribute of the root group, `stored` in the file and `type` in memory; overwrites the
 * value where it is there. */
tl_status tl_h5_write_number(hid_t file, const char *path, const char *name, hid_t stored,
                             hid_t type, const void *value);

/* Reads one of any type of numbers. */
tl_status tl_h5_read_number(hid_t file, const char *path, const char *name, hid_t type,
                            void *value);

/* The same; where there is none, the value stays as it is. */
tl_status tl_h5_read_optional(hid_t file, const char *path, const char *name, hid_t type,
                              void *value);

/* The type of texts of so many bytes, final zero included; the caller closes it. -1: failed. */
hid_t tl_h5_text_type(size_t bytes);

/* Whether a type is a number that HDF5 converts to any other: whole or real, of at most 8 bytes. */
bool tl_h5_is_number(hid_t type);

#endif
